/* The engine over sources in memory: values come back as they went in, errors come out as they were, and nothing is
 * left open. */
#include "support/test.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/engine.h"
#include "engine/source_testing.h"
#include "support/failing_alloc.h"
#include "support/temp_dir.h"

/* Forms as a source delivers them (column/source.h). */
static const skep_forms source_forms = {
    .boolean = SKEP_FORM_BOOL_BYTES, .string = SKEP_FORM_VIEW, .narrow_decimals = true};
static const skep_forms arrow_forms = {.boolean = SKEP_FORM_BOOL_BITS};

typedef struct fixture {
  skep_ctx ctx;
  skep_arena arena;
  skep_engine *engine;
  skep_vec rows;
  memory_source *source;
  uint64_t id;
  skep_err err;
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  skep_ctx_init(&f->ctx);
  skep_arena_init(&f->arena, &f->ctx, 1 << 26);
  assert_ok(skep_engine_open(&f->ctx, &(skep_engine_opts){.threads = 2}, &f->engine, &f->err), f->err);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  if (f->source != NULL) assert_int_equal(f->source->n_open, 0);
  skep_engine_close(f->engine);
  skep_vec_fini(&f->rows);
  skep_arena_fini(&f->arena);
  free(f);
  return 0;
}

static const skep_type *type_of(fixture *f, const char *text) {
  const skep_type *type = NULL;
  assert_ok(skep_type_parse(&f->arena, text, strlen(text), &type, &f->err), f->err);
  return type;
}

/* n random rows of a struct type become source f->id. */
static void add_random(fixture *f, const char *type, int64_t n, const skep_forms *forms, uint64_t seed) {
  assert_ok(skep_vec_init(&f->rows, &f->ctx, type_of(f, type), forms, &f->err), f->err);
  bool *none = calloc((size_t)n + 1, sizeof *none);
  f->rows.length = n;
  for (uint32_t c = 0; c < f->rows.n_children; c++) random_vec(&seed, &f->rows.children[c], n, none);
  free(none);
  f->source = memory_source_new(&f->rows, forms, 5000, 2);
  assert_ok(skep_engine_add_source(f->engine, &f->source->source, &f->id, &f->err), f->err);
}

static skep_engine_result *query(fixture *f, const char *sql, const skep_type *type, const skep_forms *forms) {
  skep_engine_result *result;
  char text[2000];
  snprintf(text, sizeof text, sql, (unsigned long long)f->id, (unsigned long long)f->id);
  assert_ok(skep_engine_query(f->engine, text, type, forms, &result, &f->err), f->err);
  return result;
}

static void row_text(const skep_vec *root, int64_t i, skep_buf *out) {
  skep_err err;
  skep_text text = {.style = SKEP_TEXT_COPY};
  for (uint32_t c = 0; c < root->n_children; c++) {
    if (c != 0) skep_buf_byte(out, '\t');
    assert_ok(skep_text_value(&text, &root->children[c], i, out, &err), err);
  }
}

typedef struct line {
  size_t at, size;
  const uint8_t *text;
} line;

static int compare_lines(const void *a, const void *b) {
  const line *x = a, *y = b;
  size_t n = x->size < y->size ? x->size : y->size;
  int order = n == 0 ? 0 : memcmp(x->text, y->text, n);
  return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

/* The rows of a vector as lines, or of a whole result, sorted bytewise. */
static line *sorted_lines(skep_buf *all, line *lines, size_t n) {
  for (size_t i = 0; i < n; i++) lines[i].text = all->data + lines[i].at;
  qsort(lines, n, sizeof *lines, compare_lines);
  return lines;
}

static size_t add_rows(const skep_vec *root, skep_buf *all, line *lines, size_t n) {
  for (int64_t i = 0; i < root->length; i++, n++) {
    lines[n].at = all->size;
    row_text(root, i, all);
    lines[n].size = all->size - lines[n].at;
  }
  return n;
}

static void check_same(fixture *f, skep_engine_result *result, const skep_vec *expected, bool in_order, int64_t piece) {
  size_t n = 0, capacity = (size_t)expected->length + 1;
  skep_buf want, have;
  skep_buf_init(&want, &f->ctx, 1 << 28);
  skep_buf_init(&have, &f->ctx, 1 << 28);
  line *wanted = calloc(capacity, sizeof *wanted), *found = calloc(capacity, sizeof *found);
  add_rows(expected, &want, wanted, 0);
  const skep_batch *batch;
  skep_status status;
  while ((status = skep_engine_next(result, piece, &batch, &f->err)) == SKEP_OK) {
    assert_true(batch->root.length > 0 && batch->root.length <= piece);
    assert_int_equal(batch->first_row, n);
    assert_true(n + (size_t)batch->root.length <= (size_t)expected->length);
    n = add_rows(&batch->root, &have, found, n);
  }
  if (status != SKEP_END) fail_msg("%s", f->err.text);
  assert_int_equal(skep_engine_next(result, piece, &batch, &f->err), SKEP_END);
  assert_int_equal(n, expected->length);
  if (!in_order) {
    sorted_lines(&want, wanted, n);
    sorted_lines(&have, found, n);
  }
  for (size_t i = 0; i < n; i++) {
    const uint8_t *a = want.data + wanted[i].at, *b = have.data + found[i].at;
    if (wanted[i].size != found[i].size || memcmp(a, b, found[i].size) != 0)
      fail_msg("row %zu: expected %.*s, found %.*s", i, (int)wanted[i].size, (const char *)a, (int)found[i].size,
               (const char *)b);
  }
  free(wanted);
  free(found);
  skep_buf_fini(&want);
  skep_buf_fini(&have);
}

#define ALL_TYPES                                                                                                      \
  "struct<a:boolean,b:tinyint,c:smallint,d:int,e:bigint,f:float,g:double,h:decimal(3,1),i:decimal(9,2),"               \
  "j:decimal(18,4),k:decimal(38,10),l:string,m:char(8),n:varchar(20),o:binary,p:date,q:timestamp,"                     \
  "r:timestamp with local time zone,s:array<int>,t:array<array<string>>,u:map<int,string>,v:struct<x:int,y:string>,"   \
  "w:uniontype<int,string,array<timestamp>>,x:array<struct<a:char(3),b:map<string,timestamp>,c:uniontype<int,double>>" \
  ">>"
#define ALL_COLUMNS "c0,c1,c2,c3,c4,c5,c6,c7,c8,c9,c10,c11,c12,c13,c14,c15,c16,c17,c18,c19,c20,c21,c22,c23"

static void values_of_all_types_come_back_as_they_went_in(void **state) {
  fixture *f = *state;
  add_random(f, ALL_TYPES, 9000, &source_forms, 7);
  static const skep_forms *const wanted[] = {&source_forms, &arrow_forms};
  for (int i = 0; i < 2; i++) {
    skep_engine_result *r = query(f, "SELECT * FROM skep_source(%llu)", f->rows.type, wanted[i]);
    check_same(f, r, &f->rows, false, i == 0 ? 1 << 20 : 33);
    skep_engine_result_close(r);
  }
}

static void arrow_forms_are_taken_as_well(void **state) {
  fixture *f = *state;
  add_random(f, ALL_TYPES, 3000, &arrow_forms, 11);
  skep_engine_result *r = query(f, "SELECT * FROM skep_source(%llu)", f->rows.type, &arrow_forms);
  check_same(f, r, &f->rows, false, 4096);
  skep_engine_result_close(r);
}

static void values_survive_joins_groups_sorts_and_distinct(void **state) {
  fixture *f = *state;
  add_random(f, ALL_TYPES, 12000, &source_forms, 23);
  f->source->piece = 700; /* a batch's memory is used again by the next: who held on to it shows other values */
  static const char *const sql[] = {
      "SELECT * FROM skep_source(%llu) WHERE c0 OR NOT c0 OR c0 IS NULL",
      "SELECT * FROM skep_source(%llu) ORDER BY encode(c11), c4, c16, c9",
      "SELECT * FROM skep_source(%llu) ORDER BY c14, encode(c12), c18, c15",
      "SELECT a.* FROM skep_source(%llu) a LEFT JOIN skep_source(%llu) b ON a.c4 = b.c4 AND a.c11 = b.c11 AND false",
      "SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY encode(c11) ORDER BY c16) AS n FROM skep_source(%llu)) "
      "WHERE n > 0",
      "SELECT * FROM (SELECT DISTINCT * FROM skep_source(%llu))",
      "SELECT * FROM skep_source(%llu) UNION ALL SELECT * FROM skep_source(%llu) WHERE c4 = 1 AND c4 = 2",
      "SELECT a.* FROM skep_source(%llu) a JOIN (SELECT 1 AS one UNION ALL SELECT 2) b ON b.one = 1",
      "SELECT a.* FROM skep_source(%llu) a LEFT JOIN (SELECT c3 AS k, count(*) AS n FROM skep_source(%llu) GROUP BY 1) "
      "b "
      "ON a.c3 = b.k",
      "SELECT * FROM (SELECT *, lag(c11) OVER () AS before FROM skep_source(%llu)) WHERE before IS NULL OR true"};
  for (size_t i = 0; i < sizeof sql / sizeof *sql; i++) {
    char text[400];
    const char *star = i == 4 || i == 9 ? "SELECT " ALL_COLUMNS : NULL;
    snprintf(text, sizeof text, "%s%s", star == NULL ? "" : star, star == NULL ? sql[i] : sql[i] + 8);
    skep_engine_result *r = query(f, text, f->rows.type, &source_forms);
    check_same(f, r, &f->rows, false, 4096);
    skep_engine_result_close(r);
  }
}

/* Errors of a source keep their status and text, from whatever thread they come. */
static void errors_of_sources_come_out_as_they_were(void **state) {
  fixture *f = *state;
  add_random(f, "struct<a:bigint,b:string>", 30000, &source_forms, 3);
  f->source->fail_at = 20001;
  const skep_type *type = type_of(f, "struct<n:bigint>");
  skep_engine_result *r = NULL;
  char sql[100];
  snprintf(sql, sizeof sql, "SELECT count(c1) FROM skep_source(%llu)", (unsigned long long)f->id);
  const skep_batch *batch;
  skep_status status = skep_engine_query(f->engine, sql, type, &arrow_forms, &r, &f->err);
  if (status == SKEP_OK) status = skep_engine_next(r, 100, &batch, &f->err);
  assert_int_equal(status, SKEP_ERR_CORRUPT);
  assert_string_equal(f->err.text, "t/bucket_00000: row 20001 is bent");
  skep_engine_result_close(r);
}

/* DuckDB repeats what it cannot convert: it must not pass for an error of ours, nor reach a terminal as it is. */
static void texts_of_users_are_no_errors_of_ours(void **state) {
  fixture *f = *state;
  const skep_type *type = type_of(f, "struct<n:int>");
  skep_engine_result *r = NULL;
  const skep_batch *batch;
  char sql[100];
  snprintf(sql, sizeof sql, "SELECT CAST('\x1d%d\x1d forged \x1b[2J' AS INTEGER)", (int)SKEP_ERR_CORRUPT);
  skep_status status = skep_engine_query(f->engine, sql, type, &arrow_forms, &r, &f->err);
  if (status == SKEP_OK) status = skep_engine_next(r, 100, &batch, &f->err);
  assert_int_equal(status, SKEP_ERR_RUNTIME);
  assert_non_null(strstr(f->err.text, "Conversion Error"));
  assert_null(strchr(f->err.text, '\x1d'));
  assert_null(strchr(f->err.text, '\x1b'));
  skep_engine_result_close(r);
}

static void rows_are_counted_without_columns(void **state) {
  fixture *f = *state;
  add_random(f, "struct<a:bigint,b:string,c:array<int>>", 30000, &source_forms, 5);
  const skep_type *type = type_of(f, "struct<n:bigint>");
  static const char *const sql[] = {"SELECT count(*) FROM skep_source(%llu)",
                                    "SELECT count(*) FROM skep_source(%llu) WHERE c0 = c0 OR c0 IS NULL"};
  for (int i = 0; i < 2; i++) {
    skep_engine_result *r = query(f, sql[i], type, &arrow_forms);
    const skep_batch *batch;
    assert_ok(skep_engine_next(r, 100, &batch, &f->err), f->err);
    assert_int_equal(((int64_t *)batch->root.children[0].values.data)[0], 30000);
    assert_true(skep_engine_progress(f->engine) > 0.99);
    skep_engine_result_close(r);
  }
}

static void wrong_sql_and_types_are_told(void **state) {
  fixture *f = *state;
  skep_engine_result *r;
  const skep_type *type = type_of(f, "struct<n:timestamp>");
  assert_fails(skep_engine_query(f->engine, "SELEC 1", type, NULL, &r, &f->err), SKEP_ERR_INTERNAL, f->err,
               "DuckDB refused: Parser Error");
  assert_null(r);
  assert_fails(skep_engine_query(f->engine, "SELECT 1", type, NULL, &r, &f->err), SKEP_ERR_INTERNAL, f->err,
               "column 1 is INTEGER, the carrier of timestamp is HUGEINT");
  assert_fails(skep_engine_query(f->engine, "SELECT 1::HUGEINT, 2", type, NULL, &r, &f->err), SKEP_ERR_INTERNAL, f->err,
               "the query has 2 columns, 1 are expected");
  assert_fails(skep_engine_query(f->engine, "SELECT c0 FROM skep_source(77)", type, NULL, &r, &f->err),
               SKEP_ERR_INTERNAL, f->err, "there is no source 77");
  assert_fails(skep_engine_query(f->engine, "SELECT * FROM read_csv('/etc/passwd')", type, NULL, &r, &f->err),
               SKEP_ERR_INTERNAL, f->err, "disabled by configuration");
  assert_fails(skep_engine_query(f->engine, "SELECT (SELECT range FROM range(2))::HUGEINT", type, NULL, &r, &f->err),
               SKEP_ERR_RUNTIME, f->err, "Scalar subquery expression returns more than one row.");
  assert_fails(skep_engine_query(f->engine, "SELECT 'x'::INTEGER::HUGEINT", type, NULL, &r, &f->err), SKEP_ERR_RUNTIME,
               f->err, "Conversion Error");
}

static void a_missing_library_is_told_with_its_place(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_err err;
  skep_engine *e;
  skep_engine_result *r;
  skep_type type = {.kind = SKEP_STRUCT};
  skep_ctx_init(&ctx);
  assert_ok(skep_engine_open(&ctx, &(skep_engine_opts){.library = "/nowhere/libduckdb.so"}, &e, &err), err);
  assert_fails(skep_engine_query(e, "SELECT 1", &type, NULL, &r, &err), SKEP_ERR_NOT_FOUND, err,
               "cannot open DuckDB's library: /nowhere/libduckdb.so");
  skep_engine_close(e);
}

/* Memory stays bounded: a result is made while it is fetched, and one that is closed early stops. */
static void results_stream_and_may_be_closed_early(void **state) {
  fixture *f = *state;
  const skep_type *type = type_of(f, "struct<n:bigint>");
  assert_ok(skep_engine_run(f->engine, "SET memory_limit = '100MB'", NULL, &f->err), f->err);
  skep_engine_result *r = query(f, "SELECT a.range * 3 FROM range(1000000) a, range(1000000) b", type, &arrow_forms);
  const skep_batch *batch;
  for (int i = 0; i < 100; i++) assert_ok(skep_engine_next(r, 4096, &batch, &f->err), f->err);
  skep_engine_result_close(r);
  uint64_t n;
  assert_ok(skep_engine_run(f->engine, "CREATE TABLE kept AS SELECT range AS x FROM range(10)", &n, &f->err), f->err);
  r = query(f, "SELECT count(x) FROM kept", type, &arrow_forms);
  assert_ok(skep_engine_next(r, 4096, &batch, &f->err), f->err);
  assert_int_equal(((int64_t *)batch->root.children[0].values.data)[0], 10);
  skep_engine_result_close(r);
}

/* One query over all kinds of values, in an engine whose allocator fails once. */
static skep_status read_all(const skep_ctx *ctx, skep_vec *rows, const skep_type *type, skep_err *err) {
  skep_engine *e = NULL;
  skep_engine_result *r = NULL;
  uint64_t id;
  skep_status status = skep_engine_open(ctx, &(skep_engine_opts){.threads = 1, .temp_dir = "spill"}, &e, err);
  memory_source *source = memory_source_new(rows, &source_forms, 5000, 1);
  bool is_added = false;
  if (status == SKEP_OK) {
    status = skep_engine_add_source(e, &source->source, &id, err);
    is_added = status == SKEP_OK;
  }
  char sql[200];
  snprintf(sql, sizeof sql, "SELECT *, skep_substr(c11, 2, 1), skep_hash1(c23) FROM skep_source(%llu)",
           (unsigned long long)1);
  if (status == SKEP_OK) status = skep_engine_query(e, sql, type, &arrow_forms, &r, err);
  const skep_batch *batch;
  while (status == SKEP_OK) status = skep_engine_next(r, 100, &batch, err);
  skep_engine_result_close(r);
  skep_engine_close(e);
  if (!is_added) skep_source_free(&source->source);
  return status;
}

static void running_out_of_memory_is_a_status(void **state) {
  fixture *f = *state;
  failing_alloc memory;
  skep_ctx ctx;
  uint64_t seed = 99;
  bool none[256] = {false};
  failing_alloc_ctx(&memory, &ctx);
  assert_ok(skep_vec_init(&f->rows, &f->ctx, type_of(f, ALL_TYPES), &source_forms, &f->err), f->err);
  f->rows.length = 200;
  for (uint32_t c = 0; c < f->rows.n_children; c++) random_vec(&seed, &f->rows.children[c], 200, none);
  skep_type wide = *f->rows.type; /* two more columns, for the functions */
  const skep_type *columns[32];
  for (uint32_t c = 0; c < wide.n_children; c++) columns[c] = wide.children[c];
  columns[wide.n_children] = type_of(f, "string");
  columns[wide.n_children + 1] = type_of(f, "int");
  skep_type *result = skep_arena_alloc(&f->arena, sizeof *result);
  *result = wide;
  result->children = columns;
  result->n_children += 2;
  result->names = NULL;
  uint64_t n = 1, failures = 0;
  for (;; n += n < 60 ? 1 : 7) {
    skep_err err;
    failing_alloc_arm(&memory, n);
    skep_status status = read_all(&ctx, &f->rows, result, &err);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) {
      assert_int_equal(status, SKEP_END);
      break;
    }
    if (status != SKEP_ERR_NOMEM) fail_msg("allocation %d: %s", (int)n, err.text);
    failures++;
  }
  assert_true(failures > 50);
}

/* What is larger than the memory allowed goes to the directory for it; without one it is refused. */
static void sorts_spill_into_the_directory_given(void **state) {
  fixture *f = *state;
  temp_dir dir;
  char spill[300];
  const skep_type *type = type_of(f, "struct<n:bigint>");
  temp_dir_make(&dir);
  snprintf(spill, sizeof spill, "%s/spill", dir.path);
  for (int with = 0; with < 2; with++) {
    skep_engine *e;
    skep_engine_result *r = NULL;
    const skep_batch *batch;
    const skep_engine_opts opts = {.threads = 1, .memory_limit_bytes = 24 << 20, .temp_dir = with ? spill : NULL};
    assert_ok(skep_engine_open(&f->ctx, &opts, &e, &f->err), f->err);
    skep_status status = skep_engine_query(
        e,
        "SELECT max(n) FROM (SELECT *, row_number() OVER (ORDER BY hash(range)) AS n FROM (SELECT range, "
        "repeat('a long text ', 4) || range AS t FROM range(400000)) ORDER BY t DESC)",
        type, NULL, &r, &f->err);
    if (status == SKEP_OK) status = skep_engine_next(r, 10, &batch, &f->err);
    if (with) {
      if (status != SKEP_OK) fail_msg("%s", f->err.text);
      assert_int_equal(((int64_t *)batch->root.children[0].values.data)[0], 400000);
    } else {
      assert_int_equal(status, SKEP_ERR_NOMEM);
      assert_non_null(strstr(f->err.text, "Out of Memory Error"));
    }
    skep_engine_result_close(r);
    skep_engine_close(e);
    assert_int_not_equal(access(spill, F_OK), 0); /* it is removed again */
  }
  temp_dir_remove(&dir);
}

typedef struct interrupter {
  skep_engine *engine;
  int stop; /* __atomic */
} interrupter;

/* One interrupt that comes before the query has begun is none. */
static void *interrupt_until_it_ends(void *self) {
  interrupter *i = self;
  while (!__atomic_load_n(&i->stop, __ATOMIC_SEQ_CST)) {
    usleep(30000);
    skep_engine_interrupt(i->engine);
  }
  return NULL;
}

static void a_query_can_be_interrupted(void **state) {
  fixture *f = *state;
  const skep_type *type = type_of(f, "struct<n:bigint>");
  skep_engine_result *r = NULL;
  const skep_batch *batch;
  interrupter i = {.engine = f->engine};
  pthread_t thread;
  assert_ok(skep_engine_run(f->engine, "SELECT 1", NULL, &f->err), f->err);
  assert_int_equal(pthread_create(&thread, NULL, interrupt_until_it_ends, &i), 0);
  skep_status status = skep_engine_query(
      f->engine, "SELECT count(*) FROM range(1000000) a, range(1000000) b WHERE a.range + b.range = -1", type, NULL, &r,
      &f->err);
  if (status == SKEP_OK) status = skep_engine_next(r, 10, &batch, &f->err);
  __atomic_store_n(&i.stop, 1, __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  assert_int_equal(status, SKEP_ERR_CANCELLED);
  assert_string_equal(f->err.text, "interrupted");
  skep_engine_result_close(r);
}

static void texts_are_printed_so_that_they_come_back(void **state) {
  fixture *f = *state;
  skep_buf sql;
  skep_buf_init(&sql, &f->ctx, 1 << 16);
  skep_engine_print_string(skep_bytes_of("it's \\ 'so'", 11), &sql);
  skep_buf_text(&sql, " ");
  skep_engine_print_identifier("a \"b\"", &sql);
  skep_buf_text(&sql, " ");
  skep_engine_print_string(skep_bytes_of("\xff", 1), &sql);
  skep_buf_text(&sql, " ");
  skep_engine_print_type(type_of(f, "struct<a:map<string,decimal(5,2)>,A:uniontype<int,array<timestamp>>>"), &sql);
  assert_string_equal(skep_buf_string(&sql),
                      "'it''s \\ ''so''' \"a \"\"b\"\"\" skep_text('\\xFF'::BLOB) "
                      "STRUCT(\"a\" MAP(VARCHAR, DECIMAL(5,2)), "
                      "\"A_1\" STRUCT(tag TINYINT, f0 INTEGER, f1 HUGEINT[]))");
  skep_buf_fini(&sql);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_missing_library_is_told_with_its_place), /* first: none is loaded yet */
      TEST(values_of_all_types_come_back_as_they_went_in),
      TEST(arrow_forms_are_taken_as_well),
      TEST(values_survive_joins_groups_sorts_and_distinct),
      TEST(errors_of_sources_come_out_as_they_were),
      TEST(texts_of_users_are_no_errors_of_ours),
      TEST(rows_are_counted_without_columns),
      TEST(wrong_sql_and_types_are_told),
      TEST(results_stream_and_may_be_closed_early),
      TEST(running_out_of_memory_is_a_status),
      TEST(sorts_spill_into_the_directory_given),
      TEST(a_query_can_be_interrupted),
      TEST(texts_are_printed_so_that_they_come_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
