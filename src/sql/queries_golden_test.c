/* Whole queries on real tables against Hive 4.0.1's answers (tests/data/hive/queries.tsv): names and types of columns, rows,
 * and for what Hive refuses that it is refused (texts are compared where ours are Hive's: `texts` counts them).
 *
 * Queries that Skep answers otherwise and knows it stand in `known`, with the reason. SKEP_SHOW=1 shows everything. */
#include "support/warehouse.h"

#include "sql/session_int.h"

typedef enum outcome { AGREES, FAILS_TOO, REFUSED, KNOWN, WRONG, OUTCOMES } outcome;

typedef struct tally {
  unsigned counts[OUTCOMES], texts;
} tally;

static const struct {
  const char *query, *why;
} known[] = {
    {"", ""},
};

static bool is_known(const char *query) {
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(known[i].query, query) == 0) return true;
  }
  return false;
}

/* Names, types and rows as the file has them. */
static skep_status answer(warehouse *w, const char *query, skep_buf *out) {
  skep_result *result;
  skep_status st = skep_session_run(w->session, query, strlen(query), &result, &w->err);
  if (st != SKEP_OK) return st;
  const skep_type *type = skep_result_type(result);
  for (uint32_t i = 0; i < type->n_children; i++) skep_buf_printf(out, "%s%s", i == 0 ? "" : "\t", type->names[i]);
  skep_buf_byte(out, '\n');
  for (uint32_t i = 0; i < type->n_children; i++) {
    if (i != 0) skep_buf_byte(out, '\t');
    skep_type_print(type->children[i], out);
  }
  skep_buf_byte(out, '\n');
  st = warehouse_print(result, out, &w->err);
  skep_result_free(result);
  return st;
}

/* The names of columns without their tables: those are the shell's to print. void and intervals come as texts. */
static void simplify(char *text) {
  char *line_end = strchr(text, '\n'), *to = text, *start = text;
  if (line_end == NULL) return;
  for (char *at = text; at < line_end; at++) {
    if (*at == '.') to = start;
    else {
      if (*at == '\t') start = to + 1;
      *to++ = *at;
    }
  }
  memmove(to, line_end, strlen(line_end) + 1);
}

static outcome judge(warehouse *w, const char *query, char *want, tally *t) {
  skep_buf got;
  skep_buf_init(&got, &w->ctx, 1 << 20);
  skep_status st = answer(w, query, &got);
  bool error = strncmp(want, "ERROR\t", 6) == 0;
  outcome o;
  if (st != SKEP_OK) {
    o = error ? FAILS_TOO : st == SKEP_ERR_UNSUPPORTED ? REFUSED : WRONG;
    if (st == SKEP_ERR_INTERNAL) o = WRONG;
    size_t n = strcspn(want + 6 * error, "\n");
    if (error && strncmp(want + 6, w->err.text, n) == 0 && w->err.text[n] == '\0') t->texts++;
  } else {
    simplify(want);
    char *copy = strdup(skep_buf_string(&got));
    simplify(copy);
    o = error ? WRONG : strcmp(copy, want) == 0 ? AGREES : WRONG;
    free(copy);
  }
  if (o == WRONG && is_known(query)) o = KNOWN;
  if (o == WRONG || (o != AGREES && getenv("SKEP_SHOW") != NULL)) {
    static const char *const names[] = {"agrees", "fails too", "refused", "known", "WRONG"};
    print_message("%s: %s\n--- Hive\n%s--- Skep\n%s%s\n", names[o], query, want, skep_buf_string(&got),
                  st != SKEP_OK ? w->err.text : "");
  }
  skep_buf_fini(&got);
  return o;
}

static void queries_have_hives_names_types_and_rows(void **state) {
  (void)state;
  static warehouse w;
  warehouse_open(&w);
  FILE *file = fopen(SKEP_SOURCE_DIR "/tests/data/hive/queries.tsv", "r");
  assert_non_null(file);
  char line[8192], query[8192] = "";
  static char want[1 << 18];
  tally t = {0};
  for (bool more = true; more;) {
    more = fgets(line, sizeof line, file) != NULL;
    bool next = !more || line[0] == '>';
    if (next && query[0] != '\0') {
      size_t n = strlen(want);
      while (n > 1 && want[n - 1] == '\n' && want[n - 2] == '\n') want[--n] = '\0'; /* blank lines between */
      t.counts[judge(&w, query, want, &t)]++;
    }
    if (!more) break;
    if (next) {
      line[strcspn(line, "\n")] = '\0';
      snprintf(query, sizeof query, "%s", line + 2);
      want[0] = '\0';
    } else if (line[0] == '+') {
      line[strcspn(line, "\n")] = '\0';
      warehouse_run(&w, line + 2);
    } else if (query[0] != '\0') {
      strncat(want, line, sizeof want - strlen(want) - 1);
    }
  }
  fclose(file);
  warehouse_close(&w);
  print_message("%u agree, %u fail as in Hive (%u with its very words), %u refused, %u known deviations, %u wrong\n",
                t.counts[AGREES], t.counts[FAILS_TOO], t.texts, t.counts[REFUSED], t.counts[KNOWN], t.counts[WRONG]);
  assert_int_equal(t.counts[WRONG], 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(queries_have_hives_names_types_and_rows)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
