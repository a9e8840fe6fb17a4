/* Real scripts: every statement of the golden scripts parses (or is refused, where Hive refused it), and prints to text
 * that reads back to the same; every expression that Hive 4.0.1 was asked (tests/data/hive/functions.tsv) likewise,
 * with Hive's own words where it did not parse. Allocation failures are tried over some of them. */
#include <stdlib.h>

#include "hiveql/parse_testing.h"
#include "hiveql/script.h"
#include "support/failing_alloc.h"

static char *whole_file(const char *name, size_t *length) {
  char path[600];
  snprintf(path, sizeof path, "%s/tests/data/%s", SKEP_SOURCE_DIR, name);
  FILE *file = fopen(path, "rb");
  if (file == NULL) fail_msg("%s", path);
  char *bytes = malloc((size_t)1 << 20);
  assert_non_null(bytes);
  *length = fread(bytes, 1, ((size_t)1 << 20) - 1, file);
  bytes[*length] = '\0';
  fclose(file);
  return bytes;
}

static void check_round_trip(parse_fixture *f, const char *text, const skep_statement *s) {
  const char *once = printed(f, s);
  const skep_statement *again = NULL;
  skep_status st = skep_parse_statement(&f->arena, once, strlen(once), NULL, &again, &f->err);
  if (st != SKEP_OK) fail_msg("%s\nprinted as\n%s\n%s", text, once, f->err.text);
  const char *twice = printed(f, again);
  if (strcmp(once, twice) != 0) fail_msg("%s\nprinted as\n%s\nread back as\n%s", text, once, twice);
}

static void golden_scripts_parse_and_read_back(void **state) {
  parse_fixture *f = *state;
  size_t length;
  char *script = whole_file("hiveql/golden.hql", &length);
  skep_splitter splitter;
  skep_script_statement one;
  skep_splitter_init(&splitter, &f->ctx, (size_t)1 << 20);
  assert_ok(skep_splitter_feed(&splitter, script, length, &f->err), f->err);
  int n = 0, refused = 0;
  while (skep_splitter_next(&splitter, &one, &f->err) == SKEP_OK) {
    const skep_statement *s = NULL;
    skep_status st = skep_parse_statement(&f->arena, one.text, one.length, NULL, &s, &f->err);
    n++;
    if (st == SKEP_ERR_SYNTAX) {
      refused++;
      char before[64]; /* the marked ones are one line each */
      snprintf(before, sizeof before, "--! syntax error\n%.20s", one.text);
      if (strstr(script, before) == NULL) fail_msg("line %u: %s", one.line, f->err.text);
    } else {
      if (st != SKEP_OK) fail_msg("line %u: %s", one.line, f->err.text);
      check_round_trip(f, one.text, s);
    }
  }
  assert_int_equal(refused, 3);
  assert_in_range(n, 1400, 1500);
  skep_splitter_fini(&splitter);
  free(script);
}

/* The values of the file are escaped: \\ \t \n. */
static void unescape(char *text) {
  char *to = text;
  for (const char *from = text; *from != '\0'; from++) {
    if (*from == '\\' && from[1] != '\0') {
      from++;
      *to++ = *from == 'n' ? '\n' : *from == 't' ? '\t' : *from;
    } else {
      *to++ = *from;
    }
  }
  *to = '\0';
}

static void expressions_parse_where_hive_parsed_them(void **state) {
  parse_fixture *f = *state;
  size_t length;
  char *table = whole_file("hive/functions.tsv", &length), *line = strchr(table, '\n') + 1;
  int n = 0, refused = 0;
  for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    *end = '\0';
    char *type = strchr(line, '\t'), *answer = type == NULL ? NULL : strchr(type + 1, '\t');
    if (answer == NULL) fail_msg("%s", line);
    *type++ = '\0';
    *answer++ = '\0';
    unescape(line);
    char text[4000];
    snprintf(text, sizeof text, "SELECT %s", line);
    const skep_statement *s = NULL;
    skep_status st = skep_parse_statement(&f->arena, text, strlen(text), NULL, &s, &f->err);
    bool expected = strcmp(type, "ERROR") != 0 || strncmp(answer, "ParseException", 14) != 0;
    if (expected) {
      if (st != SKEP_OK && st != SKEP_ERR_SEMANTIC) fail_msg("%s: %s", text, f->err.text);
      if (st == SKEP_OK) check_round_trip(f, text, s);
    } else {
      refused++;
      if (st != SKEP_ERR_SYNTAX || strncmp(f->err.text, answer, strlen(answer)) != 0) {
        fail_msg("%s: %s\nHive: %s", text, st == SKEP_OK ? "parses" : f->err.text, answer);
      }
    }
    n++;
  }
  assert_in_range(n, 1000, 2000);
  assert_in_range(refused, 8, 20);
  free(table);
}

/* A line: [~]statement, tab, what Hive said. Those with '~' must differ, or they have no need of the mark. */
static void hives_parser_says_the_same(void **state) {
  parse_fixture *f = *state;
  size_t length;
  char *table = whole_file("hiveql/parse-4.0.1.tsv", &length), *line = table;
  int n = 0, marked = 0;
  for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
    *end = '\0';
    char *hive = strchr(line, '\t');
    if (line[0] == '#') continue;
    if (hive == NULL) fail_msg("%s", line);
    *hive++ = '\0';
    bool otherwise = line[0] == '~';
    const char *text = line + otherwise;
    const skep_statement *s = NULL;
    skep_status st = skep_parse_statement(&f->arena, text, strlen(text), NULL, &s, &f->err);
    char *message_end = strchr(f->err.text, '\n');
    if (message_end != NULL) *message_end = '\0';
    const char *ours = st == SKEP_ERR_SYNTAX ? f->err.text : "parses";
    if ((strcmp(ours, hive) == 0) == otherwise) fail_msg("%s\nours: %s\nHive: %s", text, ours, hive);
    n++;
    marked += otherwise;
  }
  assert_in_range(n, 680, 1000);
  assert_in_range(marked, 0, 45);
  free(table);
}

static void allocation_failures_are_reported(void **state) {
  static const char *const texts[] = {
      "WITH c (x) AS (SELECT 1) SELECT DISTINCT a.*, f(b, 'x' 'y', 1.5) OVER (PARTITION BY c ORDER BY d), "
      "CASE WHEN a IN (1, 2) THEN `q` ELSE (SELECT max(y) FROM u) END AS z FROM a JOIN b ON a.x = b.x "
      "LATERAL VIEW explode(m) e AS k WHERE a AND b AND c GROUP BY a GROUPING SETS ((a), ()) ORDER BY 1 LIMIT 2",
      "CREATE TABLE t (a struct<x:int,y:array<string>> COMMENT 'c', b int DEFAULT 5, CHECK (b > 1)) "
      "PARTITIONED BY (p date) CLUSTERED BY (b) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('k'='v')",
      "MERGE INTO t USING s ON t.a = s.a WHEN MATCHED THEN UPDATE SET b = s.b WHEN NOT MATCHED THEN INSERT VALUES (1)",
      "SELECT 1 FROM (SELECT",
      "SET a=b",
  };
  (void)state;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    failing_alloc memory;
    skep_ctx ctx;
    failing_alloc_ctx(&memory, &ctx);
    for (uint64_t n = 1;; n++) {
      skep_arena arena;
      skep_err err;
      const skep_statement *s;
      skep_arena_init(&arena, &ctx, (size_t)1 << 20);
      failing_alloc_arm(&memory, n);
      skep_status st = skep_parse_statement(&arena, texts[i], strlen(texts[i]), NULL, &s, &err);
      bool fired = failing_alloc_fired(&memory);
      failing_alloc_arm(&memory, 0);
      skep_arena_fini(&arena);
      assert_int_equal(failing_alloc_live(&memory), 0);
      if (!fired) break;
      assert_int_equal(st, SKEP_ERR_NOMEM);
      assert_null(s);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, parse_setup, parse_teardown)
      TEST(golden_scripts_parse_and_read_back),
      TEST(expressions_parse_where_hive_parsed_them),
      TEST(hives_parser_says_the_same),
      TEST(allocation_failures_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
