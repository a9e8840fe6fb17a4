/* Whole queries on real tables against Hive 4.0.1's answers (tests/data/hive/queries.tsv): names and types of columns,
 * rows, and for what Hive refuses that it is refused (texts are compared where ours are Hive's: `texts` counts them).
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
    {"SELECT x = x, x > 5, x IN (0.1, 2.5), x <=> x FROM q.n ORDER BY i",
     "Hive's vectors compare NaN as Java's > does"},
    {"SELECT i FROM q.n WHERE x > 1 ORDER BY i", "the same"},
    {"SELECT ROW__ID.writeid, count(*) FROM q.e GROUP BY ROW__ID.writeid",
     "the name: row__id.writeid where it is a key"},
    {"SELECT concat() FROM q.e", "agrees; this file cannot hold rows of one empty text"},
    {"SELECT sum(coalesce(sal, 0)), avg(if(sal > 1, sal, 0)), max(coalesce(sal, 0)) FROM q.e",
     "below AVG Hive gives the 0 all digits of an int"},
    {"SELECT if(true, de, 5), if(true, 5, de), coalesce(de, 5L), coalesce(big, 1.5), coalesce(i, 1.5) FROM q.n WHERE i "
     "= 1",
     "the name of a folded IF"},
    {"SELECT if(sal > 800, sal, 0), coalesce(sal, 0), nvl(sal, 1), case when id = 1 then sal else 1 end FROM q.e WHERE "
     "id = 1",
     "Hive folds the CASE by the filter: name and type"},
    {"SELECT least(1, 2.5, '3'), greatest('a', 1), least(date '2020-01-01', '2019'), greatest(true, false)",
     "greatest('a', 1): Hive says 1.0 here and NULL for greatest(1, 'a')"},
    {"SELECT hash(i, s), murmur_hash(i, s), hash(de), hash(dt), hash(ts), hash(c), hash(a), hash(m), hash(st) FROM q.n "
     "ORDER "
     "BY i",
     "hash() of a CHAR column starts from 1, of a CHAR constant from 0: we always from 0"},
    {"SELECT array(i, de), array(s, i), map('a', i, 'b', de), struct(i, s), named_struct('x', i, 'y', array(dt)) FROM "
     "q.n "
     "ORDER BY i",
     "Hive's vectors show an array of one NULL as NULL"},
    {"SELECT a, count(*) FROM q.n GROUP BY a ORDER BY size(a)", "the same"},
    {"SELECT cast(a as array<bigint>) FROM q.n", "Hive's answer is NULL for all"},
    {"SELECT max(st), min(st), count(DISTINCT c), count(DISTINCT x) FROM q.n",
     "NULLs inside structs never win in Hive"},
    {"SELECT typeof(1 + 1L), typeof(1 / 2), typeof(1.5 + 1), typeof(cast(1 as float) + 1.5), typeof('a' || 1), "
     "typeof(1 = 1), "
     "typeof(-1.5), typeof(2 div 1)",
     "typeof sees types from before folding"},
    {"SELECT q.e.name FROM q.e WHERE q.e.id = 1", "Hive does not take db.table.column; Skep does"},
    {"SELECT q.e.name FROM q.e", "the same"},
    {"SELECT q.e.* FROM q.e WHERE id = 1", "the same"},
    {"SELECT * FROM (SELECT id FROM q.e ORDER BY id LIMIT 2) a UNION ALL SELECT * FROM (SELECT id FROM q.e ORDER BY id "
     "DESC "
     "LIMIT 1) b",
     "the order of a UNION ALL is nobody's promise"},
    {"SELECT stddev(de), variance(de), corr(de, i) FROM q.n", "the last digit"},
    {"SELECT i, t.p, t.q FROM q.n LATERAL VIEW inline(array(st)) t ORDER BY i", "Hive fails on a NULL struct"},
    {"SELECT dept, name FROM q.e LEFT JOIN q.d USING (dept) ORDER BY id", "Hive takes USING (..) for a function call"},
    {"SELECT name FROM q.e QUALIFY row_number() OVER (PARTITION BY dept ORDER BY id) = 1 ORDER BY name",
     "Hive loses the filter"},
    {"SELECT t.a, t.b FROM (VALUES (1,'x'),(2,'y')) AS t(a, b)", "Hive takes column names with TABLE(VALUES ..) only"},
    {"SELECT map_keys(m), map_values(m), sort_array(a), array_contains(a, 1) FROM q.n ORDER BY i",
     "Hive's vectors show an array of one NULL as NULL"},
    {"SELECT 1.5 AS a UNION ALL SELECT 10", "Hive's planner fails on it"},
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

/* Kinds that only expressions have leave a query as texts. */
static void text_kinds(char *text) {
  static const char *const kinds[] = {"interval_day_time", "interval_year_month", "void"};
  char *types = strchr(text, '\n');
  for (size_t i = 0; types != NULL && i < sizeof kinds / sizeof *kinds; i++) {
    size_t n = strlen(kinds[i]);
    for (char *at; (at = strstr(types, kinds[i])) != NULL && at < strchr(types + 1, '\n');) {
      memmove(at + 6, at + n, strlen(at + n) + 1);
      memcpy(at, "string", 6);
    }
  }
}

/* A window without an alias is called sum_window_0 when Hive's older planner took the query, else _c<position>. */
static void name_windows(char *text) {
  char line[4096] = "", *end = strchr(text, '\n');
  if (end == NULL || strstr(text, "_window_") == NULL) return;
  size_t length = 0;
  unsigned column = 0;
  for (char *at = text; at < end; column++) {
    size_t n = strcspn(at, "\t\n");
    char *window = strstr(at, "_window_");
    bool is = window != NULL && window < at + n;
    if (is)
      length += (size_t)snprintf(line + length, sizeof line - length, "_c%u", column);
    else
      length += (size_t)snprintf(line + length, sizeof line - length, "%.*s", (int)n, at);
    at += n;
    if (at < end) line[length++] = *at++;
  }
  memmove(text + length, end, strlen(end) + 1);
  memcpy(text, line, length);
}

/* Whether the query's ORDER BY says it all: not where rows tie. */
static bool is_ordered(const char *query) {
  static const char *const ties[] = {"ORDER BY sal", "ORDER BY sal DESC", "ORDER BY st.p"};
  size_t n = strlen(query);
  for (size_t i = 0; i < sizeof ties / sizeof *ties; i++) {
    size_t length = strlen(ties[i]);
    if (n >= length && strcmp(query + n - length, ties[i]) == 0) return false;
  }
  return strstr(query, "ORDER BY") != NULL || strstr(query, "SORT BY") != NULL;
}

static int compare_lines(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Rows in an order of their own, where the query asks for none. */
static void sort_rows(char *text) {
  char *lines[4096], *copy = strdup(text), *at = copy;
  size_t n = 0, length = 0;
  for (char *end; (end = strchr(at, '\n')) != NULL && n < 4096; at = end + 1) {
    *end = '\0';
    lines[n++] = at;
  }
  if (n > 2) qsort(lines + 2, n - 2, sizeof *lines, compare_lines);
  for (size_t i = 0; i < n; i++) {
    size_t size = strlen(lines[i]);
    memcpy(text + length, lines[i], size);
    text[length + size] = '\n';
    length += size + 1;
  }
  text[length] = '\0';
  free(copy);
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
    name_windows(want);
    text_kinds(want);
    char *copy = strdup(skep_buf_string(&got));
    if (!is_ordered(query) && !error) {
      sort_rows(copy);
      sort_rows(want);
    }
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
