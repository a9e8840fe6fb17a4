/* Tables as sources: partitions and their values, snapshots, row ids, file names, what is not asked for. Files:
 * tests/data/acid. */
#include "support/test.h"

#include <stdlib.h>

#include "column/text.h"
#include "io/memory.h"
#include "support/failing_alloc.h"
#include "table/scan.h"

typedef struct table {
  skep_ctx ctx;
  skep_fs *fs;
  skep_arena arena;
  skep_table_scan_opts opts;
  skep_source *source;
  skep_buf rows; /* "a b|c d|": rows in order, columns with blanks between */
  skep_err err;
} table;

static int set_up(void **state) {
  table *t = calloc(1, sizeof *t);
  skep_ctx_init(&t->ctx);
  skep_arena_init(&t->arena, &t->ctx, SIZE_MAX / 2);
  skep_buf_init(&t->rows, &t->ctx, 1 << 20);
  *state = t;
  return skep_fs_memory_new(&t->ctx, &t->fs, &t->err) == SKEP_OK ? 0 : -1;
}

static int tear_down(void **state) {
  table *t = *state;
  skep_source_free(t->source);
  skep_fs_free(t->fs);
  skep_buf_fini(&t->rows);
  skep_arena_fini(&t->arena);
  free(t);
  return 0;
}

static void put(table *t, const char *path, const char *source) {
  char name[512];
  static uint8_t bytes[1 << 16];
  snprintf(name, sizeof name, "%s/tests/data/acid/%s", SKEP_SOURCE_DIR, source);
  FILE *f = fopen(name, "rb");
  assert_non_null(f);
  size_t size = fread(bytes, 1, sizeof bytes, f);
  assert_true(size < sizeof bytes && fclose(f) == 0);
  assert_ok(skep_fs_memory_put(t->fs, path, bytes, size, &t->err), t->err);
}

static const skep_type *type_of(table *t, const char *text) {
  const skep_type *type;
  assert_ok(skep_type_parse(&t->arena, text, strlen(text), &type, &t->err), t->err);
  return type;
}

static void open_source(table *t) {
  skep_source_free(t->source);
  t->source = NULL;
  assert_ok(skep_table_source_new(&t->ctx, t->fs, &t->opts, &t->source, &t->err), t->err);
}

static uint32_t column(table *t, const char *name) {
  int64_t at = skep_type_child(t->source->type, name, strlen(name), false);
  assert_true(at >= 0);
  return (uint32_t)at;
}

static void add_row(table *t, const skep_batch *batch, int64_t i) {
  skep_text style = {.style = SKEP_TEXT_COPY};
  for (uint32_t c = 0; c < batch->root.n_children; c++) {
    if (c != 0) skep_buf_byte(&t->rows, ' ');
    assert_ok(skep_text_value(&style, &batch->root.children[c], i, &t->rows, &t->err), t->err);
  }
  skep_buf_byte(&t->rows, '|');
}

/* The rows of one reader, in order. */
static const char *read(table *t, const char *const *names, uint32_t n, int64_t max_rows) {
  uint32_t columns[8];
  skep_source_run *run;
  skep_source_reader *reader;
  const skep_batch *batch;
  skep_status status;
  for (uint32_t i = 0; i < n; i++) columns[i] = column(t, names[i]);
  skep_buf_reset(&t->rows);
  assert_ok(t->source->vt->run(t->source, columns, n, &run, &t->err), t->err);
  assert_ok(t->source->vt->open(run, &reader, &t->err), t->err);
  while ((status = t->source->vt->next(reader, max_rows, &batch, &t->err)) == SKEP_OK) {
    assert_true(batch->root.length > 0 && batch->root.length <= max_rows);
    assert_int_equal(batch->root.n_children, n);
    for (int64_t i = 0; i < batch->root.length; i++) add_row(t, batch, i);
  }
  if (status != SKEP_END) fail_msg("%s", t->err.text);
  t->source->vt->close(reader);
  t->source->vt->run_free(run);
  return skep_buf_string(&t->rows);
}

#define READ(t, max_rows, ...)                                                                                   \
  read(t, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), \
       max_rows)

static const char *const p1[] = {"1"}, *const p2[] = {"__HIVE_DEFAULT_PARTITION__"}, *const p3[] = {"3"};
static const skep_table_scan_partition partitions[] = {{"w/t/p=1", p1}, {"w/elsewhere", p2}, {"w/t/p=3", p3}};

static void make_partitioned(table *t) {
  put(t, "w/t/p=1/delta_0000001_0000001_0000/bucket_00000", "statements.orc");
  put(t, "w/elsewhere/delta_0000001_0000001_0000/bucket_00000", "statements.orc");
  put(t, "w/elsewhere/delete_delta_0000002_0000002_0000/bucket_00000", "statement_0_delete.orc");
  put(t, "w/t/p=9/delta_0000001_0000001_0000/bucket_00000", "statements.orc"); /* not in the metastore */
  t->opts = (skep_table_scan_opts){.name = "db.t",
                                   .kind = SKEP_TABLE_SCAN_FULL_ACID,
                                   .columns = type_of(t, "struct<x:bigint>"),
                                   .partition_columns = type_of(t, "struct<p:int>"),
                                   .n_partitions = 3,
                                   .partitions = partitions,
                                   .write_ids = "db.t:9:9223372036854775807::",
                                   .row_ids = true};
}

static void partitions_are_those_of_the_catalog_with_their_values(void **state) {
  table *t = *state;
  make_partitioned(t);
  open_source(t);
  assert_string_equal(READ(t, 1000, "p", "x"),
                      "1 100|1 101|1 102|1 103|1 104|1 110|1 111|1 112|1 113|1 114|"
                      "\\N 100|\\N 103|\\N 104|\\N 110|\\N 111|\\N 112|\\N 113|\\N 114|");
  assert_string_equal(READ(t, 3, "p"), "1|1|1|1|1|1|1|1|1|1|\\N|\\N|\\N|\\N|\\N|\\N|\\N|\\N|");
  assert_int_equal(t->source->max_threads, 2);
  t->opts.write_ids = "db.t:9:9223372036854775807::2"; /* the delete was rolled back */
  open_source(t);
  assert_int_equal(strlen(READ(t, 1000, "x")), 20 * 4);
}

static void predicates_prune_partitions_and_drop_rows(void **state) {
  table *t = *state;
  make_partitioned(t);
  t->opts.predicate = "p = 1 and x > 111";
  open_source(t);
  assert_int_equal(t->source->max_threads, 1);
  assert_string_equal(READ(t, 1000, "x"), "112|113|114|");
  t->opts.predicate = "p is null and x < 103";
  open_source(t);
  assert_string_equal(READ(t, 1000, "x", "p"), "100 \\N|");
  t->opts.predicate = "p = 3";
  open_source(t);
  assert_string_equal(READ(t, 1000, "x", "p"), "");
}

static void virtual_columns_say_where_rows_are(void **state) {
  table *t = *state;
  make_partitioned(t);
  t->opts.n_partitions = 1;
  t->opts.file_prefix = "file:/";
  t->opts.predicate = "x in (100, 114)";
  open_source(t);
  assert_string_equal(READ(t, 1, "INPUT__FILE__NAME", "ROW__ID", "x"),
                      "file:/w/t/p=1/delta_0000001_0000001_0000/bucket_00000 "
                      "{\"writeid\":1,\"bucketid\":536870912,\"rowid\":0} 100|"
                      "file:/w/t/p=1/delta_0000001_0000001_0000/bucket_00000 "
                      "{\"writeid\":1,\"bucketid\":536870913,\"rowid\":4} 114|");
  uint32_t offset = column(t, "BLOCK__OFFSET__INSIDE__FILE");
  skep_source_run *run;
  assert_fails(t->source->vt->run(t->source, &offset, 1, &run, &t->err), SKEP_ERR_UNSUPPORTED, t->err,
               "db.t: BLOCK__OFFSET__INSIDE__FILE is not known for ORC files");
  t->opts.row_ids = false;
  open_source(t);
  uint32_t id = column(t, "ROW__ID");
  assert_fails(t->source->vt->run(t->source, &id, 1, &run, &t->err), SKEP_ERR_ARGUMENT, t->err,
               "row ids were not asked for");
}

static void rows_are_counted_without_columns(void **state) {
  table *t = *state;
  make_partitioned(t);
  open_source(t);
  assert_string_equal(read(t, NULL, 0, 4), "||||||||||||||||||");
}

static void plain_and_insert_only_tables_have_no_row_ids(void **state) {
  table *t = *state;
  static const skep_table_scan_partition one[] = {{"w/t", NULL}, {"w/u", NULL}};
  put(t, "w/t/000000_0", "plain.orc");
  t->opts = (skep_table_scan_opts){.name = "db.t",
                                   .kind = SKEP_TABLE_SCAN_PLAIN,
                                   .columns = type_of(t, "struct<x:bigint>"),
                                   .n_partitions = 1,
                                   .partitions = &one[0],
                                   .predicate = "x < 2",
                                   .row_ids = true};
  open_source(t);
  assert_string_equal(READ(t, 1000, "x", "ROW__ID"), "0 \\N|1 \\N|");
  put(t, "w/u/delta_0000001_0000001_0000/000000_0", "plain.orc");
  put(t, "w/u/delta_0000002_0000002_0000/000000_0", "plain.orc");
  t->opts.kind = SKEP_TABLE_SCAN_INSERT_ONLY;
  t->opts.partitions = &one[1];
  t->opts.write_ids = "db.t:1:9223372036854775807::";
  open_source(t);
  assert_string_equal(READ(t, 1000, "ROW__ID", "x"), "\\N 0|\\N 1|");
}

static void errors_name_the_table(void **state) {
  table *t = *state;
  make_partitioned(t);
  t->opts.write_ids = "nonsense";
  assert_fails(skep_table_source_new(&t->ctx, t->fs, &t->opts, &t->source, &t->err), SKEP_ERR_ARGUMENT, t->err,
               "db.t: ");
  assert_null(t->source);
}

/* Opens, reads and frees everything; what was opened is closed whatever fails. */
static skep_status read_whole(table *t, const skep_ctx *ctx, skep_err *err) {
  static const uint32_t columns[] = {0, 1, 2, 3}; /* x, p, ROW__ID, INPUT__FILE__NAME */
  skep_source *source = NULL;
  skep_source_run *run = NULL;
  skep_source_reader *reader = NULL;
  const skep_batch *batch;
  skep_status status = skep_table_source_new(ctx, t->fs, &t->opts, &source, err);
  if (status == SKEP_OK) status = source->vt->run(source, columns, 4, &run, err);
  if (status == SKEP_OK) status = source->vt->open(run, &reader, err);
  while (status == SKEP_OK) status = source->vt->next(reader, 4, &batch, err);
  if (source != NULL) {
    source->vt->close(reader);
    source->vt->run_free(run);
  }
  skep_source_free(source);
  return status;
}

static void running_out_of_memory_is_a_status(void **state) {
  table *t = *state;
  failing_alloc memory;
  skep_ctx ctx;
  make_partitioned(t);
  t->opts.predicate = "x < 113 and p is null";
  failing_alloc_ctx(&memory, &ctx);
  for (uint64_t n = 1;; n++) {
    skep_err err;
    failing_alloc_arm(&memory, n);
    skep_status status = read_whole(t, &ctx, &err);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) {
      assert_int_equal(status, SKEP_END);
      break;
    }
    if (status != SKEP_ERR_NOMEM) fail_msg("allocation %d: %s", (int)n, err.text);
  }
}

static void a_broken_file_is_named(void **state) {
  table *t = *state;
  make_partitioned(t);
  assert_ok(skep_fs_memory_put(t->fs, "w/t/p=1/delta_0000003_0000003_0000/bucket_00000", "no ORC", 6, &t->err), t->err);
  assert_fails(read_whole(t, &t->ctx, &t->err), SKEP_ERR_UNSUPPORTED, t->err,
               "w/t/p=1/delta_0000003_0000003_0000/bucket_00000");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(partitions_are_those_of_the_catalog_with_their_values),
      TEST(predicates_prune_partitions_and_drop_rows),
      TEST(virtual_columns_say_where_rows_are),
      TEST(rows_are_counted_without_columns),
      TEST(plain_and_insert_only_tables_have_no_row_ids),
      TEST(errors_name_the_table),
      TEST(running_out_of_memory_is_a_status),
      TEST(a_broken_file_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
