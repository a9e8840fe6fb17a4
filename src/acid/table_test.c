/* Whole table directories, from names to rows: the public bug reports on row identity and layout that plan_test.c and
 * scan_test.c do not hold, and random histories against a naive answer. Files: tests/data/acid. */
#include <inttypes.h>
#include <stdlib.h>

#include "acid/plan.h"
#include "acid/scan.h"
#include "io/faulty.h"
#include "io/memory.h"
#include "support/failing_alloc.h"
#include "support/test.h"

enum { MOST_ROWS = 10000 };

typedef struct table {
  failing_alloc memory; /* to measure */
  skep_ctx ctx;
  skep_fs *fs;
  skep_arena arena;
  skep_plan_opts opts;
  int64_t rows[MOST_ROWS]; /* column x, sorted */
  size_t n_rows;
  skep_err err;
} table;

static int setup(void **state) {
  static table t;
  memset(&t, 0, sizeof t);
  failing_alloc_ctx(&t.memory, &t.ctx);
  skep_arena_init(&t.arena, &t.ctx, SIZE_MAX);
  *state = &t;
  return skep_fs_memory_new(&t.ctx, &t.fs, &t.err) == SKEP_OK ? 0 : -1;
}

static int teardown(void **state) {
  table *t = *state;
  skep_fs_free(t->fs);
  skep_arena_fini(&t->arena);
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

static void put_truncated_base(table *t, const char *dir) {
  static const char text[] = "{\"thisFileVersion\":\"0\",\"dataFormat\":\"truncated\"}";
  char path[256];
  snprintf(path, sizeof path, "%s/_metadata_acid", dir);
  assert_ok(skep_fs_memory_put(t->fs, path, text, strlen(text), &t->err), t->err);
}

static int compare_rows(const void *a, const void *b) {
  int64_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

static void run_split(table *t, skep_scan_cache *cache, const skep_split *split, int64_t batch_rows) {
  const skep_forms forms = {0};
  skep_scan *scan;
  skep_batch batch = {.first_row = 0};
  assert_ok(skep_scan_open(cache, split, &forms, &scan, &t->err), t->err);
  assert_ok(skep_vec_init(&batch.root, &t->ctx, skep_scan_type(scan), &forms, &t->err), t->err);
  skep_status status;
  while ((status = skep_scan_next(scan, batch_rows, &batch, &t->err)) == SKEP_OK) {
    assert_true(t->n_rows + (size_t)batch.root.length <= MOST_ROWS);
    memcpy(t->rows + t->n_rows, batch.root.children[0].values.data, (size_t)batch.root.length * sizeof *t->rows);
    t->n_rows += (size_t)batch.root.length;
  }
  assert_int_equal(status, SKEP_END);
  skep_vec_fini(&batch.root);
  skep_scan_close(scan);
}

/* Reads "t", whose one column is x. */
static void read_table(table *t, const char *snapshot, int64_t batch_rows) {
  const char *paths[] = {"t"}, *columns[] = {"x"};
  t->opts.evolution_by_name = t->opts.calendar = -1;
  t->opts.columns = columns;
  t->opts.n_columns = 1;
  t->n_rows = 0;
  assert_ok(skep_snapshot_parse(&t->arena, snapshot, NULL, SKEP_HIVE_4, &t->opts.snapshot, &t->err), t->err);
  skep_plan *plan;
  skep_scan_cache *cache;
  assert_ok(skep_plan_make(&t->ctx, t->fs, paths, 1, &t->opts, &plan, &t->err), t->err);
  assert_ok(skep_scan_cache_new(&t->ctx, t->fs, &cache, &t->err), t->err);
  for (uint32_t i = 0; i < plan->n_splits; i++) run_split(t, cache, &plan->splits[i], batch_rows);
  qsort(t->rows, t->n_rows, sizeof *t->rows, compare_rows);
  skep_scan_cache_free(cache);
  skep_plan_free(plan);
}

static const char *rows_text(const table *t) {
  static char text[4096];
  size_t at = 0;
  text[0] = '\0';
  for (size_t i = 0; i < t->n_rows && at < sizeof text; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%" PRId64, i == 0 ? "" : " ", t->rows[i]);
  return text;
}

/* Trino #8268, #6279, spark-acid #83, #92: statements of one transaction leave several files of one bucket; rows of two
 * statements lie in one compacted file; DML stands on a base without deltas. Bucket properties differ by statement, and
 * so do the rows that they name. */
static void rows_of_several_statements_in_one_bucket_are_told_apart(void **state) {
  table *t = *state;
  static const char *const first[] = {"base_0000001", "base_0000001_v0000009", "delta_0000001_0000001_0000",
                                      "delta_0000001_0000001_v0000009"};
  for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
    char path[100];
    skep_fs_free(t->fs);
    assert_ok(skep_fs_memory_new(&t->ctx, &t->fs, &t->err), t->err);
    snprintf(path, sizeof path, "t/%s/bucket_00000", first[i]);
    put(t, path, "statements.orc");
    read_table(t, "db.t:9:9223372036854775807::", 1000);
    assert_string_equal(rows_text(t), "100 101 102 103 104 110 111 112 113 114");
    put(t, "t/delete_delta_0000002_0000002_0000/bucket_00000", "statement_0_delete.orc");
    put(t, "t/delta_0000002_0000002_0001/bucket_00000_0", "statement_1.orc");
    put(t, "t/delete_delta_0000002_0000002_0002/bucket_00000_0", "statement_2_delete.orc");
    put(t, "t/delta_0000002_0000002_0003/bucket_00000", "statement_3.orc");
    for (int64_t batch = 1; batch < 20; batch += 6) {
      read_table(t, "db.t:9:9223372036854775807::", batch);
      assert_string_equal(rows_text(t), "100 103 111 112 113 114 210 211 230 231");
    }
    read_table(t, "db.t:9:9223372036854775807::2", 1000); /* the transaction was aborted: nothing changed */
    assert_string_equal(rows_text(t), "100 101 102 103 104 110 111 112 113 114");
  }
}

/* HIVE-19890: Hive 3.1 wrote deletes of unbucketed tables into files of other buckets. */
static void deletes_count_in_whatever_bucket_file_they_are(void **state) {
  table *t = *state;
  put(t, "t/delta_0000001_0000001_0000/bucket_00000", "statements.orc");
  put(t, "t/delete_delta_0000002_0000002_0000/bucket_00003", "statement_0_delete.orc");
  put(t, "t/delete_delta_0000002_0000002_0002/bucket_00001_0", "statement_2_delete.orc");
  read_table(t, "db.t:9:9223372036854775807::", 1000);
  assert_string_equal(rows_text(t), "100 103 111 112 113 114");
}

/* HIVE-25986: LOAD DATA into insert-only tables used statement -1; the name without one is read like the other. */
static void loads_without_a_statement_id_are_read(void **state) {
  table *t = *state;
  put(t, "t/delta_0000001_0000001/000000_0", "plain.orc");
  put(t, "t/delta_0000002_0000002_0000/any name.orc", "plain.orc");
  t->opts.predicate = "x = 7";
  for (int forced = 0; forced < 2; forced++) {
    t->opts.insert_only = forced;
    read_table(t, "db.t:9:9223372036854775807::", 1000);
    assert_string_equal(rows_text(t), "7 7");
    read_table(t, "db.t:1:9223372036854775807::", 1000);
    assert_string_equal(rows_text(t), "7");
  }
}

/* Trino #7291: emptying a partition must be a change like any other, so that older snapshots keep its rows. */
static void an_emptied_partition_keeps_its_rows_for_older_snapshots(void **state) {
  table *t = *state;
  put(t, "t/p=1/delta_0000001_0000001_0000/bucket_00000", "statements.orc");
  put(t, "t/p=2/delta_0000001_0000001_0000/bucket_00000", "statements.orc");
  put_truncated_base(t, "t/p=1/base_0000005");
  t->opts.predicate = "x < 102";
  read_table(t, "db.t:4:9223372036854775807::", 1000);
  assert_string_equal(rows_text(t), "100 100 101 101");
  read_table(t, "db.t:5:5:5:", 1000);
  assert_string_equal(rows_text(t), "100 100 101 101");
  read_table(t, "db.t:5:9223372036854775807::5", 1000);
  assert_string_equal(rows_text(t), "100 100 101 101");
  read_table(t, "db.t:5:9223372036854775807::", 1000);
  assert_string_equal(rows_text(t), "100 101");
}

static uint32_t next(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

/* A snapshot of write ids 1 to 14 with some open and some aborted; valid[w] says which it sees. */
static void random_snapshot(uint32_t *seed, bool *valid, char *out, size_t size) {
  char open[64] = "", aborted[64] = "";
  int hwm = (int)(next(seed) % 17), min_open = 0;
  for (int w = 1; w <= 14; w++) {
    uint32_t fate = next(seed) % 8;
    valid[w] = w <= hwm && fate > 1;
    if (w > hwm || fate > 1) continue;
    char *list = fate == 0 ? open : aborted;
    size_t at = strlen(list);
    snprintf(list + at, sizeof open - at, "%s%d", at == 0 ? "" : ",", w);
    if (fate == 0 && min_open == 0) min_open = w;
  }
  snprintf(out, size, "db.t:%d:%" PRId64 ":%s:%s", hwm, min_open == 0 ? INT64_MAX : (int64_t)min_open, open, aborted);
}

/* Trino #15187: deletes were wrong now and then. Streamed rows of write ids 1 to 10, deletes of the first four of each
 * by 11 to 14, as one directory or compacted, under ten thousand snapshots. */
static void random_snapshots_agree_with_a_naive_answer(void **state) {
  table *t = *state;
  static const char *const inserts[] = {"t/delta_0000001_0000010/bucket_00000",
                                        "t/delta_0000001_0000010_v0000077/bucket_00000_0"};
  static const char *const deletes[] = {"t/delete_delta_0000011_0000014/bucket_00000",
                                        "t/delete_delta_0000011_0000014_v0000078/bucket_00000"};
  uint32_t seed = 20260101;
  for (int round = 0; round < 10000; round++) {
    if (round % 2500 == 0) {
      skep_fs_free(t->fs);
      assert_ok(skep_fs_memory_new(&t->ctx, &t->fs, &t->err), t->err);
      put(t, inserts[round / 2500 % 2], "wide.orc");
      put(t, deletes[round / 5000], "wide_delete.orc");
    }
    bool valid[15] = {false};
    char snapshot[200];
    random_snapshot(&seed, valid, snapshot, sizeof snapshot);
    t->opts.schema = "struct<x:bigint>";
    t->opts.predicate = next(&seed) % 3 == 0 ? "x >= 0" : NULL;
    read_table(t, snapshot, 1 + next(&seed) % 70);
    int64_t want[MOST_ROWS];
    size_t n = 0;
    for (int w = 1; w <= 10; w++) {
      for (int i = 0; i < 20 && valid[w]; i++) {
        if (i > 3 || !valid[11 + i]) want[n++] = w * 100 + i;
      }
    }
    if (n != t->n_rows || memcmp(want, t->rows, n * sizeof *want) != 0)
      fail_msg("%s: %zu rows, expected %zu", snapshot, t->n_rows, n);
    skep_arena_fini(&t->arena);
    skep_arena_init(&t->arena, &t->ctx, SIZE_MAX);
  }
}

/* HIVE-16812, HIVE-23597, HIVE-24670: 500 delete deltas with rows of 200 columns. Each file is opened once, and memory
 * is that of one delete file and the set, not of 500 files or of 200 columns. */
static void many_wide_delete_deltas_take_little_memory(void **state) {
  table *t = *state;
  skep_fs *memory_fs = t->fs, *counted;
  for (int i = 0; i < 500; i++) {
    char path[100];
    snprintf(path, sizeof path, "t/delete_delta_%07d_%07d_0000/bucket_00000", i + 2, i + 2);
    put(t, path, "wide_row_delete.orc");
  }
  put(t, "t/delta_0000001_0000001_0000/bucket_00000", "insert.orc");
  assert_ok(skep_fs_faulty_new(&t->ctx, memory_fs, &counted, &t->err), t->err);
  failing_alloc_arm(&t->memory, 0);
  uint64_t before = t->memory.live_bytes;
  t->fs = counted;
  read_table(t, "db.t:900:9223372036854775807::", 1000);
  assert_int_equal(t->n_rows, 10000 - 1429);
  /* planning looks into statistics, scanning reads: twice, whatever the number of splits */
  assert_true(skep_fs_faulty_counts(counted).opens <= 2 * 501 + 2);
  assert_true(t->memory.peak_bytes - before < 4 << 20);
  t->fs = memory_fs;
  skep_fs_free(counted);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(rows_of_several_statements_in_one_bucket_are_told_apart),
      TEST(deletes_count_in_whatever_bucket_file_they_are),
      TEST(loads_without_a_statement_id_are_read),
      TEST(an_emptied_partition_keeps_its_rows_for_older_snapshots),
      TEST(random_snapshots_agree_with_a_naive_answer),
      TEST(many_wide_delete_deltas_take_little_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
