/* The public doors on a small table that Hive 4.0.1 wrote (tests/data/people, write ids 1 to 8). */
#include "skep/skep.h"

#include "support/test.h"

static const char people[] = SKEP_SOURCE_DIR "/tests/data/people";
static const char *const paths[] = {people};
static skep_err err;

static skep_table *opened(skep_table_opts opts) {
  skep_table *table;
  assert_ok(skep_table_open(paths, 1, &opts, &table, &err), err);
  return table;
}

static skep_table_opts everything(uint32_t more_flags) {
  skep_table_opts opts = SKEP_TABLE_OPTS_INIT;
  opts.flags = SKEP_EVERYTHING_COMMITTED | more_flags;
  return opts;
}

/* Sum over int32 column `column` of all rows, and their number; releases the stream. */
typedef struct sums {
  int64_t rows, sum, batches;
} sums;

static sums sum_stream(struct ArrowArrayStream *stream, int64_t column) {
  sums s = {0};
  for (;;) {
    struct ArrowArray a;
    if (stream->get_next(stream, &a) != 0) fail_msg("%s", stream->get_last_error(stream));
    if (a.release == NULL) break;
    assert_true(a.length > 0);
    assert_true(column < a.n_children);
    const struct ArrowArray *c = a.children[column];
    const int32_t *values = (const int32_t *)c->buffers[1] + c->offset;
    for (int64_t i = 0; i < a.length; i++) s.sum += values[i];
    s.rows += a.length;
    s.batches++;
    a.release(&a);
  }
  stream->release(stream);
  assert_null(stream->release);
  return s;
}

static sums sum_table(skep_table *table, int64_t column) {
  struct ArrowArrayStream stream;
  assert_ok(skep_table_stream(table, &stream, &err), err);
  return sum_stream(&stream, column);
}

/* 01-basic/04-more: ids 1 3 4 5 11 20 21; after write id 1: 1 2 3 4 5. */
enum { ROWS_NOW = 7, IDS_NOW = 65, ROWS_FIRST = 5, IDS_FIRST = 15 };

static void a_table_is_read_whole(void **state) {
  (void)state;
  skep_table *table = opened(everything(0));
  assert_string_equal(skep_table_type(table), "struct<id:int,name:string,age:int,balance:decimal(12,2)>");
  sums s = sum_table(table, 0);
  assert_int_equal(s.rows, ROWS_NOW);
  assert_int_equal(s.sum, IDS_NOW);
  skep_table_close(table);
}

static void a_snapshot_decides_what_is_seen(void **state) {
  (void)state;
  skep_table_opts opts = SKEP_TABLE_OPTS_INIT;
  opts.snapshot = "s01.people:1:9223372036854775807::";
  skep_table *table = opened(opts);
  sums s = sum_table(table, 0);
  assert_int_equal(s.rows, ROWS_FIRST);
  assert_int_equal(s.sum, IDS_FIRST);
  skep_table_close(table);
}

static void a_transactional_table_without_a_snapshot_is_refused(void **state) {
  (void)state;
  skep_table *table = (skep_table *)&err;
  assert_fails(skep_table_open(paths, 1, NULL, &table, &err), SKEP_ERR_SNAPSHOT, err, "SKEP_EVERYTHING_COMMITTED");
  assert_null(table);
}

static void mistakes_are_named(void **state) {
  (void)state;
  skep_table *table;
  static const char *const missing[] = {SKEP_SOURCE_DIR "/tests/data/nobody"};
  static const char *const columns[] = {"height"};
  skep_table_opts opts = everything(0);
  assert_fails(skep_table_open(missing, 1, &opts, &table, &err), SKEP_ERR_NOT_FOUND, err, "nobody");
  assert_fails(skep_table_open(paths, 0, &opts, &table, &err), SKEP_ERR_ARGUMENT, err, "no path");
  opts.columns = columns;
  opts.n_columns = 1;
  assert_fails(skep_table_open(paths, 1, &opts, &table, &err), SKEP_ERR_ARGUMENT, err, "height");
  opts = everything(0);
  opts.predicate = "id = ";
  assert_fails(skep_table_open(paths, 1, &opts, &table, &err), SKEP_ERR_ARGUMENT, err, "");
  opts = everything(0);
  opts.snapshot = "people";
  assert_fails(skep_table_open(paths, 1, &opts, &table, &err), SKEP_ERR_ARGUMENT, err, "people");
  opts = everything(0);
  opts.size = 3;
  assert_fails(skep_table_open(paths, 1, &opts, &table, &err), SKEP_ERR_ARGUMENT, err, "SKEP_TABLE_OPTS_INIT");
  opts = everything(0);
  opts.read.size = sizeof opts.read + 8;
  assert_fails(skep_table_open(paths, 1, &opts, &table, &err), SKEP_ERR_ARGUMENT, err, "SKEP_READ_OPTS_INIT");
  opts = everything(0);
  opts.read.batch_rows = -1;
  assert_fails(skep_table_open(paths, 1, &opts, &table, &err), SKEP_ERR_ARGUMENT, err, "batch_rows -1");
  opts = everything(0);
  opts.hive = (skep_hive)9;
  assert_fails(skep_table_open(paths, 1, &opts, &table, &err), SKEP_ERR_ARGUMENT, err, "Hive version number 9");
  assert_int_equal(skep_table_open(missing, 1, NULL, &table, NULL), SKEP_ERR_NOT_FOUND); /* err may be NULL */
}

static void arrays_of_nothing_are_refused(void **state) {
  (void)state;
  skep_table *table;
  static const char *const nothing[] = {people, NULL};
  skep_table_opts opts = everything(0);
  assert_fails(skep_table_open(NULL, 0, &opts, &table, &err), SKEP_ERR_ARGUMENT, err, "no path given");
  assert_fails(skep_table_open(NULL, 1, &opts, &table, &err), SKEP_ERR_ARGUMENT, err,
               "1 paths, but NULL for the array");
  assert_fails(skep_table_open(nothing, 2, &opts, &table, &err), SKEP_ERR_ARGUMENT, err, "paths: number 1 is NULL");
  opts.n_columns = 2;
  assert_fails(skep_table_open(paths, 1, &opts, &table, &err), SKEP_ERR_ARGUMENT, err, "2 columns, but NULL");
  opts.columns = nothing;
  assert_fails(skep_table_open(paths, 1, &opts, &table, &err), SKEP_ERR_ARGUMENT, err, "columns: number 1 is NULL");
  opts = everything(0);
  opts.n_partitions = 1;
  assert_fails(skep_table_open(paths, 1, &opts, &table, &err), SKEP_ERR_ARGUMENT, err, "1 partitions, but NULL");
  assert_null(table);
}

static void row_ids_projection_and_predicate_work_together(void **state) {
  (void)state;
  static const char *const columns[] = {"age", "id"};
  skep_table_opts opts = everything(SKEP_ROW_IDS);
  opts.columns = columns;
  opts.n_columns = 2;
  opts.predicate = "id >= 11 AND id < 21";
  skep_table *table = opened(opts);
  assert_non_null(strstr(skep_table_type(table), "struct<writeid:bigint,bucketid:int,rowid:bigint,"));
  struct ArrowSchema schema;
  assert_ok(skep_table_schema(table, &schema, &err), err);
  assert_string_equal(schema.format, "+s");
  assert_int_equal(schema.n_children, 5);
  int64_t id = strcmp(schema.children[3]->name, "id") == 0 ? 3 : 4;
  assert_string_equal(schema.children[id]->name, "id");
  assert_string_equal(schema.children[id]->format, "i");
  schema.release(&schema);
  sums s = sum_table(table, id);
  assert_int_equal(s.rows, 2);
  assert_int_equal(s.sum, 11 + 20);
  skep_table_close(table);
}

static void batches_and_threads_change_nothing(void **state) {
  (void)state;
  for (uint32_t threads = 1; threads <= 4; threads++) {
    for (int64_t batch_rows = 1; batch_rows <= 3; batch_rows++) {
      skep_table_opts opts = everything(0);
      opts.read.threads = threads;
      opts.read.batch_rows = batch_rows;
      skep_table *table = opened(opts);
      sums s = sum_table(table, 0);
      assert_int_equal(s.sum, IDS_NOW);
      assert_true(s.batches >= ROWS_NOW / batch_rows);
      skep_table_close(table);
    }
  }
}

static void a_stream_outlives_its_table_and_an_array_its_stream(void **state) {
  (void)state;
  skep_table *table = opened(everything(0));
  struct ArrowArrayStream stream;
  struct ArrowArray array;
  struct ArrowSchema schema;
  assert_ok(skep_table_stream(table, &stream, &err), err);
  assert_ok(skep_table_schema(table, &schema, &err), err);
  skep_table_close(table);
  assert_int_equal(stream.get_next(&stream, &array), 0);
  stream.release(&stream);
  struct ArrowArray child = *array.children[0]; /* moved out: it outlives its parent, too */
  array.children[0]->release = NULL;
  array.release(&array);
  assert_true(((const int32_t *)child.buffers[1])[child.offset] > 0);
  child.release(&child);
  assert_string_equal(schema.children[0]->name, "id");
  schema.release(&schema);
}

static void a_stream_that_is_never_read_leaves_nothing(void **state) {
  (void)state;
  skep_table *table = opened(everything(0));
  struct ArrowArrayStream stream;
  assert_ok(skep_table_stream(table, &stream, &err), err);
  stream.release(&stream);
  assert_ok(skep_table_split_stream(table, 0, &stream, &err), err);
  stream.release(&stream);
  assert_fails(skep_table_split_stream(table, 1000, &stream, &err), SKEP_ERR_ARGUMENT, err, "split 1000 of ");
  skep_table_close(table);
  skep_table_close(NULL);
}

static void splits_travel_as_bytes_and_give_the_same_rows(void **state) {
  (void)state;
  skep_table *table = opened(everything(0));
  size_t n = skep_table_split_count(table);
  assert_true(n > 1);
  uint8_t **bytes = test_calloc(n, sizeof *bytes);
  size_t *sizes = test_calloc(n, sizeof *sizes);
  for (size_t i = 0; i < n; i++) assert_ok(skep_table_split_encode(table, i, &bytes[i], &sizes[i], &err), err);
  uint8_t *none = (uint8_t *)&err;
  size_t no_size = 1;
  assert_fails(skep_table_split_encode(table, n, &none, &no_size, &err), SKEP_ERR_ARGUMENT, err, "split");
  assert_null(none);
  skep_table_close(table);
  sums all = {0};
  for (size_t i = 0; i < n; i++) {
    struct ArrowArrayStream stream;
    assert_ok(skep_split_stream(bytes[i], sizes[i], NULL, &stream, &err), err);
    sums s = sum_stream(&stream, 0);
    all.rows += s.rows;
    all.sum += s.sum;
    skep_free_bytes(bytes[i]);
  }
  skep_free_bytes(NULL);
  test_free(bytes);
  test_free(sizes);
  assert_int_equal(all.rows, ROWS_NOW);
  assert_int_equal(all.sum, IDS_NOW);
}

static void drain(struct ArrowArrayStream *stream) {
  struct ArrowArray a = {0};
  while (stream->get_next(stream, &a) == 0 && a.release != NULL) a.release(&a);
  stream->release(stream);
}

/* A prefix is never a split; a changed byte is refused or read without a fault. */
static void damaged_split_bytes_are_refused_or_harmless(void **state) {
  (void)state;
  skep_table *table = opened(everything(0));
  uint8_t *bytes;
  size_t size;
  assert_ok(skep_table_split_encode(table, 0, &bytes, &size, &err), err);
  skep_table_close(table);
  struct ArrowArrayStream stream;
  for (size_t n = 0; n < size; n++) {
    skep_status status = skep_split_stream(bytes, n, NULL, &stream, &err);
    assert_int_not_equal(status, SKEP_OK);
  }
  for (size_t i = 0; i < size; i++) {
    bytes[i] ^= 0x15;
    if (skep_split_stream(bytes, size, NULL, &stream, &err) == SKEP_OK) drain(&stream);
    bytes[i] ^= 0x15;
  }
  skep_free_bytes(bytes);
  assert_fails(skep_split_stream(NULL, 0, NULL, &stream, &err), SKEP_ERR_ARGUMENT, err, "no bytes");
}

static void limits_are_kept(void **state) {
  (void)state;
  skep_table_opts opts = everything(0);
  skep_table *table;
  opts.read.limits.max_tail_bytes = 10;
  assert_fails(skep_table_open(paths, 1, &opts, &table, &err), SKEP_ERR_LIMIT, err, "footer of ");
}

static void the_version_of_the_library_is_the_headers(void **state) {
  (void)state;
  assert_string_equal(skep_version(), SKEP_VERSION_STRING);
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", SKEP_VERSION_MAJOR, SKEP_VERSION_MINOR, SKEP_VERSION_PATCH);
  assert_string_equal(text, SKEP_VERSION_STRING);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_table_is_read_whole),
      cmocka_unit_test(a_snapshot_decides_what_is_seen),
      cmocka_unit_test(a_transactional_table_without_a_snapshot_is_refused),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(arrays_of_nothing_are_refused),
      cmocka_unit_test(row_ids_projection_and_predicate_work_together),
      cmocka_unit_test(batches_and_threads_change_nothing),
      cmocka_unit_test(a_stream_outlives_its_table_and_an_array_its_stream),
      cmocka_unit_test(a_stream_that_is_never_read_leaves_nothing),
      cmocka_unit_test(splits_travel_as_bytes_and_give_the_same_rows),
      cmocka_unit_test(damaged_split_bytes_are_refused_or_harmless),
      cmocka_unit_test(limits_are_kept),
      cmocka_unit_test(the_version_of_the_library_is_the_headers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
