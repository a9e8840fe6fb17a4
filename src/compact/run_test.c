/* The file work of compactions, case by case: names, what is dropped and what stays, failures, limits. Random workloads
 * are in tests/compact. */
#include "compact/run.h"

#include <sys/wait.h>
#include <unistd.h>

#include "acid/bucket_file.h"
#include "acid/delta_testing.h"
#include "acid/dir_write.h"
#include "acid/layout.h"
#include "compact/compact_int.h"
#include "compact/order_key.h"
#include "orc/stripe_copy.h"
#include "support/temp_dir.h"

#define NO_OPEN "9223372036854775807"

static const char schema[] = "struct<id:int,v:string>";

/* ---- making tables ---- */

static void insert_as(writing *t, skep_fs *fs, const char *root, bool has_ids, int64_t id, int32_t statement,
                      int writer, const char *const *cells, size_t n) {
  skep_delta_writer *w;
  const skep_commit_message *m;
  skep_batch batch;
  const skep_type *type = writing_type(t, schema);
  const skep_delta_writer_opts opts = {.kind = SKEP_DELTA_INSERT,
                                       .events = has_ids,
                                       .write_id = id,
                                       .statement = statement,
                                       .row = type,
                                       .settings = writing_settings(t, type, NULL, 0)};
  writing_batch(t, &batch, type, cells, n);
  assert_ok(skep_delta_writer_open(&t->ctx, fs, root, &opts, &w, &t->err), t->err);
  assert_ok(skep_delta_writer_use(w, (uint32_t)writer, &t->err), t->err);
  assert_ok(skep_delta_writer_rows(w, &batch, NULL, (int64_t)n, &t->err), t->err);
  assert_ok(skep_delta_writer_finish(w, &m, &t->err), t->err);
  skep_delta_writer_free(w);
  skep_vec_fini(&batch.root);
}

static void insert(writing *t, skep_fs *fs, const char *root, int64_t id, int32_t statement, int writer,
                   const char *const *cells, size_t n) {
  insert_as(t, fs, root, true, id, statement, writer, cells, n);
}

/* Deletes rows first, first + step, ... (n of them) of one write id and bucket property. */
static void delete_rows(writing *t, skep_fs *fs, const char *root, int64_t id, int32_t statement, int64_t of,
                        int32_t bucket, int64_t first, int64_t step, int64_t n) {
  skep_delta_writer *w;
  const skep_commit_message *m;
  const skep_type *type = writing_type(t, schema);
  const skep_delta_writer_opts opts = {.kind = SKEP_DELTA_DELETE,
                                       .events = true,
                                       .write_id = id,
                                       .statement = statement,
                                       .row = type,
                                       .settings = writing_settings(t, type, NULL, 0)};
  assert_ok(skep_delta_writer_open(&t->ctx, fs, root, &opts, &w, &t->err), t->err);
  for (int64_t i = 0; i < n; i++) {
    int64_t row = first + i * step;
    assert_ok(skep_delta_writer_deletes(w, &of, &bucket, &row, NULL, 1, &t->err), t->err);
  }
  assert_ok(skep_delta_writer_finish(w, &m, &t->err), t->err);
  skep_delta_writer_free(w);
}

static const char *const four[] = {"1", "a", "2", "b", "3", NULL, NULL, "d"};

static skep_compact_job job_of(writing *t, skep_compact_kind kind, const char *write_ids) {
  return (skep_compact_job){.fs = t->fs,
                            .root = "t",
                            .kind = kind,
                            .row = writing_type(t, schema),
                            .write_ids = write_ids,
                            .visibility_txn = 77,
                            .threads = 1};
}

static skep_compact_result run_ok(writing *t, const skep_compact_job *job) {
  skep_compact_result r;
  assert_ok(skep_compact_run(&t->ctx, job, &t->arena, &r, &t->err), t->err);
  return r;
}

static const char *events(writing *t, const char *path) { return writing_events(t, t->below, path); }

/* ---- choosing ---- */

typedef struct choice_case {
  const char *dirs; /* separated by blanks; a name without '_' is an original */
  skep_compact_kind kind;
  int64_t hwm;
  const char *aborted;
  bool query;
  int64_t min, max; /* INCREMENTAL */
  const char *expected;
} choice_case;

#define MINOR SKEP_COMPACT_MINOR
#define MAJOR SKEP_COMPACT_MAJOR
#define INCREMENTAL SKEP_COMPACT_INCREMENTAL
#define REBALANCE SKEP_COMPACT_REBALANCE

/* Source: acid-format facts 9.1, 9.2 and the golden tables of Hive 4.0.1. */
static const choice_case choices[] = {
    {"", MINOR, 5, "", false, 0, 0, "there is no delta"},
    {"", MAJOR, 5, "", false, 0, 0, "there is nothing to compact"},
    {"delta_1_1_0", MINOR, 5, "", false, 0, 0, "there is one delta only"},
    {"delta_1_1_0", MAJOR, 5, "", false, 0, 0, "there is one directory only"},
    {"base_3", MAJOR, 5, "", false, 0, 0, "there is one directory only"},
    {"base_3", REBALANCE, 5, "", false, 0, 0, "base 5"},
    {"delta_1_4_v9 delete_delta_1_4_v9", MINOR, 5, "", false, 0, 0, "there is one delta and one delete delta only"},
    {"delta_1_4_v9 delete_delta_1_4_v9", MAJOR, 5, "", false, 0, 0, "base 4"},
    {"delta_1_1_0 delete_delta_2_2_0", MINOR, 5, "", false, 0, 0, "there is one delta and one delete delta only"},
    {"delete_delta_1_1_0 delete_delta_2_2_0", MINOR, 5, "", false, 0, 0, "delta 1 2"},
    {"delta_1_1_0 delta_2_2_0", MINOR, 5, "", false, 0, 0, "delta 1 2"},
    {"delta_1_1_0 delta_2_2_0", MINOR, 5, "", true, 0, 0, "delta 1 5"},
    {"delta_1_1_0 delta_2_2_0", MAJOR, 5, "", false, 0, 0, "base 2"},
    {"delta_1_1_0 delta_2_2_0", MAJOR, 5, "", true, 0, 0, "base 5"},
    {"delta_1_1_0 delta_2_2_0 delta_3_3_0", MINOR, 2, "", false, 0, 0, "delta 1 2"},
    {"delta_1_1_0 delta_2_5 delta_3_3_0", MINOR, 4, "", false, 0, 0, "delta 1 3"},
    {"delta_1_1_0 delta_2_2_0 delta_3_3_0", MINOR, 5, "2", false, 0, 0, "delta 1 3"},
    {"base_4 delta_3_3_0 delta_5_5_0 delta_6_6_0", MINOR, 9, "", false, 0, 0, "delta 5 6"},
    {"base_4 delta_3_3_0 delta_5_5_0", MAJOR, 9, "", false, 0, 0, "base 5"},
    {"base_4 delta_5_5_0", MINOR, 9, "", false, 0, 0, "there is one delta only"},
    {"000000_0", MAJOR, 9, "", false, 0, 0, "base 0"},
    {"000000_0 delta_10000001_10000001_0", MAJOR, 10000001, "", false, 0, 0, "base 10000001"},
    {"000000_0 delta_10000001_10000001_0", MINOR, 10000001, "", false, 0, 0, "there is one delta only"},
    {"delta_1_1_0 delta_2_2_0 delta_3_3_0", INCREMENTAL, 5, "", false, 1, 2, "delta 1 2"},
    {"delta_1_1_0 delta_2_2_0 delta_3_3_0", INCREMENTAL, 5, "", false, 2, 5, "delta 2 5"},
    {"delta_1_1_0 delta_2_2_0 delta_3_3_0", INCREMENTAL, 5, "", false, 2, 2, "!a range of at least two write ids"},
    {"delta_1_1_0 delta_2_2_0 delta_3_3_0", INCREMENTAL, 5, "", false, 2, 6, "!the range ends at 6"},
    {"base_2 delta_3_3_0 delta_4_4_0", INCREMENTAL, 5, "", false, 2, 4, "!base_2 holds the start of the range"},
    {"delta_1_3_v8 delta_4_4_0", INCREMENTAL, 5, "", false, 2, 4, "!delta_1_3_v8 reaches over the end"},
    {"delta_1_3_v8 delete_delta_1_3_v8 delta_4_4_0", INCREMENTAL, 5, "", false, 1, 3, "!has this range already"},
    {"delta_1_1_0 delta_2_2_0 delta_3_3_0", INCREMENTAL, 5, "", false, 3, 5, "there is one delta only"},
};

static void put_dirs(writing *t, const char *names) {
  char path[128];
  while (*names != '\0') {
    size_t n = strcspn(names, " ");
    bool is_dir = strstr(names, "_") != NULL && (names[0] == 'd' || names[0] == 'b');
    snprintf(path, sizeof path, "t/%.*s%s", (int)n, names, is_dir ? "/bucket_00000" : "");
    assert_ok(skep_fs_memory_put(t->below, path, "ORC", 3, &t->err), t->err);
    names += n + (names[n] == ' ');
  }
}

static void test_the_choice_and_the_names_are_hives(void **state) {
  writing *t = *state;
  for (size_t k = 0; k < sizeof choices / sizeof choices[0]; k++) {
    const choice_case *c = &choices[k];
    char list[128], found[256];
    skep_layout *layout;
    skep_compact_choice choice;
    skep_snapshot snapshot;
    skep_compact_job job = job_of(t, c->kind, list);
    job.query_names = c->query;
    job.min_write_id = c->min;
    job.max_write_id = c->max;
    writing_again(t);
    assert_ok(skep_fs_mkdirs(t->below, "t", &t->err), t->err);
    put_dirs(t, c->dirs);
    snprintf(list, sizeof list, "d.t:%" PRId64 ":" NO_OPEN "::%s", c->hwm, c->aborted);
    assert_ok(skep_snapshot_parse(&t->arena, list, NULL, SKEP_HIVE_4, &snapshot, &t->err), t->err);
    snapshot.for_compactor = true;
    const skep_layout_opts opts = {.snapshot = &snapshot};
    assert_ok(skep_layout_read(&t->ctx, t->below, "t", &opts, &layout, &t->err), t->err);
    skep_status status = skep_compact_choose(&t->arena, layout, &job, c->hwm, &choice, &t->err);
    if (status != SKEP_OK) {
      snprintf(found, sizeof found, "!%s", t->err.text);
    } else if (choice.reason != NULL) {
      snprintf(found, sizeof found, "%s", choice.reason);
    } else if (c->kind == MAJOR || c->kind == REBALANCE) {
      snprintf(found, sizeof found, "base %" PRId64, choice.max_write_id);
    } else {
      snprintf(found, sizeof found, "delta %" PRId64 " %" PRId64, choice.min_write_id, choice.max_write_id);
    }
    bool fits = c->expected[0] == '!' ? found[0] == '!' && strstr(found, c->expected + 1) != NULL
                                      : strcmp(found, c->expected) == 0;
    if (!fits) fail_msg("%s: %s, expected %s", c->dirs, found, c->expected);
    skep_layout_free(layout);
  }
}

/* ---- what stays ---- */

static void test_minor_keeps_events_and_ids(void **state) {
  writing *t = *state;
  insert(t, t->below, "t", 1, 0, 0, four, 4);
  insert(t, t->below, "t", 2, 3, 0, four, 1);
  delete_rows(t, t->below, "t", 3, 0, 1, 536870912, 1, 2, 2);
  delete_rows(t, t->below, "t", 4, 0, 1, 536870912, 1, 1, 1); /* again, by another */
  const skep_compact_job job = job_of(t, SKEP_COMPACT_MINOR, "d.t:4:" NO_OPEN "::");
  skep_compact_result r = run_ok(t, &job);
  assert_int_equal(r.n_dirs, 2);
  assert_string_equal(r.dirs[0], "delta_0000001_0000004_v0000077");
  assert_string_equal(r.dirs[1], "delete_delta_0000001_0000004_v0000077");
  assert_int_equal(r.rows, 5);
  assert_int_equal(r.deletes, 3);
  assert_int_equal(r.max_write_id, 4);
  assert_string_equal(events(t, "t/delta_0000001_0000004_v0000077/bucket_00000"),
                      "0 1 536870912 0 1 {\"id\":1,\"v\":\"a\"}\n0 1 536870912 1 1 {\"id\":2,\"v\":\"b\"}\n"
                      "0 1 536870912 2 1 {\"id\":3,\"v\":null}\n0 1 536870912 3 1 {\"id\":null,\"v\":\"d\"}\n"
                      "0 2 536870915 0 2 {\"id\":1,\"v\":\"a\"}\n");
  assert_string_equal(events(t, "t/delete_delta_0000001_0000004_v0000077/bucket_00000"),
                      "2 1 536870912 1 4 NULL\n2 1 536870912 1 3 NULL\n2 1 536870912 3 3 NULL\n");
  assert_non_null(strstr(writing_footer(t, t->below, "t/delta_0000001_0000004_v0000077/bucket_00000"),
                         "hive.acid.key.index=2,536870915,0;\nhive.acid.stats=5,0,0\nhive.acid.version=2"));
  assert_non_null(strstr(writing_footer(t, t->below, "t/delete_delta_0000001_0000004_v0000077/bucket_00000"),
                         "hive.acid.key.index=1,536870912,3;\nhive.acid.stats=0,0,3\nhive.acid.version=2"));
}

/* Hive passes over a delete delta of the row's own write id that names no statement: the row itself goes. */
static void test_a_row_inserted_and_deleted_in_one_transaction_stays_away(void **state) {
  writing *t = *state;
  insert(t, t->below, "t", 5, 0, 0, four, 4);
  delete_rows(t, t->below, "t", 5, 1, 5, 536870912, 0, 1, 2);
  delete_rows(t, t->below, "t", 5, 2, 3, 536870912, 7, 1, 1);
  const skep_compact_job job = job_of(t, SKEP_COMPACT_MINOR, "d.t:5:" NO_OPEN "::");
  skep_compact_result r = run_ok(t, &job);
  assert_int_equal(r.n_dirs, 2);
  assert_string_equal(events(t, "t/delta_0000005_0000005_v0000077/bucket_00000"),
                      "0 5 536870912 2 5 {\"id\":3,\"v\":null}\n0 5 536870912 3 5 {\"id\":null,\"v\":\"d\"}\n");
  assert_string_equal(events(t, "t/delete_delta_0000005_0000005_v0000077/bucket_00000"), "2 3 536870912 7 5 NULL\n");
}

static void test_major_of_nothing_but_deleted_rows_leaves_an_empty_file(void **state) {
  writing *t = *state;
  insert(t, t->below, "t", 1, 0, 3, four, 4);
  delete_rows(t, t->below, "t", 2, 0, 1, skep_bucket_encode(3, 0), 0, 1, 4);
  const skep_compact_job job = job_of(t, SKEP_COMPACT_MAJOR, "d.t:2:" NO_OPEN "::");
  skep_compact_result r = run_ok(t, &job);
  assert_int_equal(r.rows, 0);
  assert_int_equal(r.n_files, 1);
  assert_string_equal(events(t, "t/base_0000002_v0000077/bucket_00003"), "");
  assert_non_null(strstr(writing_footer(t, t->below, "t/base_0000002_v0000077/bucket_00003"),
                         "hive.acid.key.index=\nhive.acid.stats=0,0,0"));
}

/* A file of several transactions' rows, a stripe each, as a streaming writer leaves it: write ids first, first + step,
 * ... */
static void put_streamed(writing *t, const char *path, int64_t first, int64_t step, int64_t n_ids, int64_t rows_each) {
  const skep_type *row_type = writing_type(t, schema), *type;
  skep_file *file;
  skep_orc_writer *w;
  uint64_t length;
  skep_compact_run_state run = {.ctx = &t->ctx, .settings = *writing_settings(t, row_type, NULL, 0)};
  assert_ok(skep_event_type_make(&t->arena, row_type, &type, &t->err), t->err);
  skep_orc_writer_opts opts = run.settings.delta;
  opts.block_size = skep_writer_block_size(&opts, type->max_id + 1);
  assert_ok(skep_fs_create(t->below, path, &file, &t->err), t->err);
  assert_ok(skep_orc_writer_open(&t->ctx, file, type, &opts, &w, &t->err), t->err);
  for (int64_t id = first; id < first + n_ids * step; id += step) {
    skep_batch batch;
    int64_t write_ids[8], row_ids[8];
    int32_t buckets[8], operations[8] = {0};
    writing_batch(t, &batch, row_type, four, (size_t)rows_each);
    for (int64_t i = 0; i < rows_each; i++) {
      write_ids[i] = id;
      row_ids[i] = i;
      buckets[i] = 536870912;
    }
    const void *values[] = {operations, write_ids, buckets, row_ids, write_ids};
    skep_vec children[6];
    for (uint32_t c = 0; c < 5; c++)
      children[c] = (skep_vec){.type = type->children[c],
                               .form = c % 2 == 0 && c != 4 ? SKEP_FORM_I32 : SKEP_FORM_I64,
                               .length = rows_each,
                               .values = {.data = (void *)(uintptr_t)values[c], .lent = true}};
    children[5] = batch.root;
    const skep_vec event = {
        .type = type, .form = SKEP_FORM_STRUCT, .length = rows_each, .n_children = 6, .children = children};
    assert_ok(skep_orc_writer_add(w, &event, 0, rows_each, &t->err), t->err);
    assert_ok(skep_orc_writer_end_stripe(w, &t->err), t->err);
    skep_vec_fini(&batch.root);
  }
  assert_ok(skep_orc_writer_set_metadata(w, "hive.acid.version", skep_bytes_of("2", 1), &t->err), t->err);
  assert_ok(skep_orc_writer_finish(w, &length, &t->err), t->err);
  skep_orc_writer_close(w);
  assert_ok(skep_file_close(file, &t->err), t->err);
}

static void test_aborted_rows_of_a_streamed_delta_are_gone_when_its_stripes_are_taken_over(void **state) {
  writing *t = *state;
  assert_ok(skep_fs_mkdirs(t->below, "t/delta_0000001_0000003", &t->err), t->err);
  put_streamed(t, "t/delta_0000001_0000003/bucket_00000", 1, 1, 3, 2);
  insert(t, t->below, "t", 4, 0, 0, four, 1);
  skep_compact_job job = job_of(t, SKEP_COMPACT_MINOR, "d.t:4:" NO_OPEN "::2");
  job.small_stripe_bytes = 1;
  skep_compact_result r = run_ok(t, &job);
  assert_int_equal(r.rows, 5);
  assert_true(r.bytes_copied > 0);
  static const char expected[] =
      "0 1 536870912 0 1 {\"id\":1,\"v\":\"a\"}\n0 1 536870912 1 1 {\"id\":2,\"v\":\"b\"}\n"
      "0 3 536870912 0 3 {\"id\":1,\"v\":\"a\"}\n0 3 536870912 1 3 {\"id\":2,\"v\":\"b\"}\n"
      "0 4 536870912 0 4 {\"id\":1,\"v\":\"a\"}\n";
  assert_string_equal(events(t, "t/delta_0000001_0000004_v0000077/bucket_00000"), expected);
  assert_non_null(strstr(writing_footer(t, t->below, "t/delta_0000001_0000004_v0000077/bucket_00000"),
                         "hive.acid.key.index=1,536870912,1;3,536870912,1;4,536870912,0;\nhive.acid.stats=5,0,0"));
  /* Cleaned: nobody remembers that 2 was aborted. */
  assert_ok(skep_dir_remove(&t->ctx, t->below, "t/delta_0000001_0000003", &t->err), t->err);
  assert_ok(skep_dir_remove(&t->ctx, t->below, "t/delta_0000004_0000004_0000", &t->err), t->err);
  const skep_plan_opts opts = {.schema = schema};
  assert_string_equal(writing_table(t, "t", "d.t:4:" NO_OPEN "::", &opts, false), "1 a\n1 a\n1 a\n2 b\n2 b\n");
}

static void test_only_untouched_stripes_are_taken_over_by_major(void **state) {
  writing *t = *state;
  assert_ok(skep_fs_mkdirs(t->below, "t/delta_0000001_0000003", &t->err), t->err);
  put_streamed(t, "t/delta_0000001_0000003/bucket_00000", 1, 1, 3, 4);
  delete_rows(t, t->below, "t", 4, 0, 2, 536870912, 3, 1, 1);
  skep_compact_job job = job_of(t, SKEP_COMPACT_MAJOR, "d.t:4:" NO_OPEN "::");
  job.small_stripe_bytes = 1;
  for (unsigned i = 0; i < 4; i++) {
    job.threads = 1 + i % 2;
    job.memory_bytes = i / 2; /* 1: deleted rows are a file, not a set */
    skep_compact_result r = run_ok(t, &job);
    assert_int_equal(r.rows, 11);
    assert_int_equal(r.rows_read, 12);
    assert_true(r.bytes_copied > 0 && r.bytes_copied < r.bytes_written);
    const char *footer = writing_footer(t, t->below, "t/base_0000004_v0000077/bucket_00000");
    assert_non_null(strstr(footer, "stripes=3"));
    assert_non_null(strstr(footer, "hive.acid.key.index=1,536870912,3;2,536870912,2;3,536870912,3;"));
    assert_ok(skep_compact_leftovers(&t->ctx, t->below, "t", 77, NULL, &t->err), t->err);
  }
}

/* ---- more files than may be open ---- */

/* N deltas of two write ids each, i and N + i: the ranges of all overlap. */
static void put_overlapping(writing *t, int64_t n) {
  for (int64_t i = 1; i <= n; i++) {
    char dir[64], path[96];
    snprintf(dir, sizeof dir, "t/delta_%07" PRId64 "_%07" PRId64, i, n + i);
    snprintf(path, sizeof path, "%s/bucket_00000", dir);
    assert_ok(skep_fs_mkdirs(t->below, dir, &t->err), t->err);
    put_streamed(t, path, i, n, 2, 2);
  }
}

static void assert_ids_ascend(const char *text, int64_t n_ids, int64_t without) {
  for (int64_t id = 1; id <= n_ids; id++) {
    for (int64_t row = 0; row < 2; row++) {
      char expected[96];
      if (id == without && row == 1) continue;
      snprintf(expected, sizeof expected,
               "0 %" PRId64 " 536870912 %" PRId64 " %" PRId64 " {\"id\":%" PRId64 ",\"v\":", id, row, id, row + 1);
      if (strncmp(text, expected, strlen(expected)) != 0) fail_msg("%s expected, not %.60s", expected, text);
      text += strcspn(text, "\n") + 1;
    }
  }
  assert_string_equal(text, "");
}

static void test_more_overlapping_files_than_may_be_open_are_merged_in_passes(void **state) {
  writing *t = *state;
  enum { N = 150 };
  put_overlapping(t, N);
  delete_rows(t, t->below, "t", 2 * N + 1, 0, 7, 536870912, 1, 1, 1);
  skep_compact_job job = job_of(t, SKEP_COMPACT_MAJOR, "d.t:301:" NO_OPEN "::");
  job.max_open_files = 4;
  for (unsigned small = 0; small < 2; small++) {
    job.small_stripe_bytes = small; /* 1: stripes are looked at one by one, and taken over where nothing overlaps */
    job.kind = SKEP_COMPACT_MAJOR;
    skep_compact_result r = run_ok(t, &job);
    assert_int_equal(r.rows, 4 * N - 1);
    assert_string_equal(writing_tree(t, "t/base_0000301_v0000077"), "_orc_acid_version\nbucket_00000\n");
    assert_ids_ascend(events(t, "t/base_0000301_v0000077/bucket_00000"), 2 * N, 7);
    assert_ok(skep_compact_leftovers(&t->ctx, t->below, "t", 77, NULL, &t->err), t->err);
    job.kind = SKEP_COMPACT_MINOR;
    r = run_ok(t, &job);
    assert_int_equal(r.rows, 4 * N);
    if (small == 0) assert_int_equal(r.rows_read, 4 * N + 1); /* rows in runs are not counted again */
    assert_ids_ascend(events(t, "t/delta_0000001_0000301_v0000077/bucket_00000"), 2 * N, 0);
    assert_ok(skep_compact_leftovers(&t->ctx, t->below, "t", 77, NULL, &t->err), t->err);
  }
  job.kind = SKEP_COMPACT_REBALANCE;
  skep_compact_result r = run_ok(t, &job);
  assert_int_equal(r.rows, 4 * N - 1);
}

/* ---- other kinds ---- */

static void test_rebalance_orders_rows(void **state) {
  writing *t = *state;
  static const char *const cells[] = {"5", "b", NULL, "a", "7", NULL, "5", "a"};
  insert(t, t->below, "t", 1, 0, 0, cells, 4);
  insert(t, t->below, "t", 2, 0, 1, four, 2);
  static const skep_compact_order order[] = {{.column = 0, .descending = true, .nulls_last = true},
                                             {.column = 1, .nulls_last = false}};
  skep_compact_job job = job_of(t, SKEP_COMPACT_REBALANCE, "d.t:2:" NO_OPEN "::");
  job.order = order;
  job.n_order = 2;
  job.rebalance_buckets = 2;
  skep_compact_result r = run_ok(t, &job);
  assert_int_equal(r.n_files, 2);
  assert_string_equal(events(t, "t/base_0000002_v0000077/bucket_00000"),
                      "0 2 536870912 0 2 {\"id\":7,\"v\":null}\n0 2 536870912 1 2 {\"id\":5,\"v\":\"a\"}\n"
                      "0 2 536870912 2 2 {\"id\":5,\"v\":\"b\"}\n");
  assert_string_equal(events(t, "t/base_0000002_v0000077/bucket_00001"),
                      "0 2 536936448 3 2 {\"id\":2,\"v\":\"b\"}\n0 2 536936448 4 2 {\"id\":1,\"v\":\"a\"}\n"
                      "0 2 536936448 5 2 {\"id\":null,\"v\":\"a\"}\n");
}

enum { MANY = 30000 };

static void insert_many(writing *t, int64_t id) {
  static const skep_forms forms = {0};
  skep_batch batch = {.first_row = 0};
  skep_delta_writer *w;
  const skep_commit_message *m;
  const skep_type *type = writing_type(t, schema);
  const skep_delta_writer_opts opts = {.kind = SKEP_DELTA_INSERT,
                                       .events = true,
                                       .write_id = id,
                                       .row = type,
                                       .settings = writing_settings(t, type, NULL, 0)};
  assert_ok(skep_vec_init(&batch.root, &t->ctx, type, &forms, &t->err), t->err);
  skep_vec *ids = &batch.root.children[0], *texts = &batch.root.children[1];
  assert_ok(skep_vec_reserve(ids, MANY, false, &t->err), t->err);
  assert_ok(skep_vec_reserve(texts, MANY, false, &t->err), t->err);
  assert_ok(skep_vec_reserve_heap(texts, 40 * MANY, &t->err), t->err);
  for (int32_t i = 0; i < MANY; i++) {
    ((int32_t *)ids->values.data)[i] = (int32_t)((int64_t)i * 7919 % MANY);
    memset((char *)texts->heap.data + 40 * i, 'a' + i % 26, 40);
    ((int32_t *)texts->offsets.data)[i + 1] = 40 * (i + 1);
  }
  texts->heap_size = 40 * MANY;
  batch.root.length = ids->length = texts->length = MANY;
  assert_ok(skep_delta_writer_open(&t->ctx, t->below, "t", &opts, &w, &t->err), t->err);
  assert_ok(skep_delta_writer_rows(w, &batch, NULL, MANY, &t->err), t->err);
  assert_ok(skep_delta_writer_finish(w, &m, &t->err), t->err);
  skep_delta_writer_free(w);
  skep_vec_fini(&batch.root);
}

static void test_sorting_more_than_fits_goes_through_runs(void **state) {
  writing *t = *state;
  static const skep_compact_order order[] = {{.column = 0}};
  insert_many(t, 1);
  skep_compact_job job = job_of(t, SKEP_COMPACT_REBALANCE, "d.t:1:" NO_OPEN "::");
  job.order = order;
  job.n_order = 1;
  job.memory_bytes = 1;
  job.max_open_files = 4;
  uint64_t changes = skep_fs_faulty_counts(t->fs).changes;
  skep_compact_result r = run_ok(t, &job);
  assert_int_equal(r.rows, MANY);
  assert_true(skep_fs_faulty_counts(t->fs).changes - changes > 10); /* runs were written */
  assert_string_equal(writing_tree(t, "t/base_0000001_v0000077"), "_orc_acid_version\nbucket_00000\n");
  const char *text = events(t, "t/base_0000001_v0000077/bucket_00000");
  for (int i = 0; i < MANY; i++) {
    char expected[64];
    snprintf(expected, sizeof expected, "0 1 536870912 %d 1 {\"id\":%d,", i, i);
    if (strncmp(text, expected, strlen(expected)) != 0) fail_msg("row %d: %.60s", i, text);
    text += strcspn(text, "\n") + 1;
  }
}

static void test_more_delete_events_than_fit_go_through_runs(void **state) {
  writing *t = *state;
  enum { EACH = 180000 }; /* six runs, of which four may be open */
  delete_rows(t, t->below, "t", 2, 0, 1, 536870912, 0, 2, EACH);
  delete_rows(t, t->below, "t", 3, 0, 1, 536870912, 1, 2, EACH);
  skep_compact_job job = job_of(t, SKEP_COMPACT_MINOR, "d.t:3:" NO_OPEN "::");
  job.memory_bytes = 1;
  job.max_open_files = 4;
  skep_compact_result r = run_ok(t, &job);
  assert_int_equal(r.deletes, 2 * EACH);
  assert_string_equal(writing_tree(t, "t/delete_delta_0000002_0000003_v0000077"), "_orc_acid_version\nbucket_00000\n");
  const char *text = events(t, "t/delete_delta_0000002_0000003_v0000077/bucket_00000");
  for (int i = 0; i < 2 * EACH; i++) {
    char expected[64];
    snprintf(expected, sizeof expected, "2 1 536870912 %d %d NULL\n", i, 2 + i % 2);
    if (strncmp(text, expected, strlen(expected)) != 0) fail_msg("event %d: %.60s", i, text);
    text += strlen(expected);
  }
}

/* Four in ten rows of two write ids, some twice. */
static void test_more_deleted_rows_than_fit_into_a_set_are_left_out(void **state) {
  writing *t = *state;
  insert_many(t, 1);
  insert(t, t->below, "t", 2, 0, 0, four, 4);
  delete_rows(t, t->below, "t", 3, 0, 1, 536870912, 0, 5, MANY / 5);
  delete_rows(t, t->below, "t", 4, 0, 1, 536870912, 3, 5, MANY / 5);
  delete_rows(t, t->below, "t", 5, 0, 1, 536870912, 0, 10, MANY / 10);
  delete_rows(t, t->below, "t", 6, 0, 2, 536870912, 1, 2, 2);
  skep_compact_job job = job_of(t, SKEP_COMPACT_MAJOR, "d.t:6:" NO_OPEN "::");
  job.small_stripe_bytes = 1;
  for (unsigned threads = 1; threads <= 2; threads++) {
    job.threads = threads;
    job.memory_bytes = 0;
    assert_int_equal(run_ok(t, &job).rows, MANY - 2 * (MANY / 5) + 2);
    char *by_set = strdup(events(t, "t/base_0000006_v0000077/bucket_00000"));
    assert_ok(skep_compact_leftovers(&t->ctx, t->below, "t", 77, NULL, &t->err), t->err);
    job.memory_bytes = 1;
    assert_int_equal(run_ok(t, &job).rows, MANY - 2 * (MANY / 5) + 2);
    assert_string_equal(events(t, "t/base_0000006_v0000077/bucket_00000"), by_set);
    assert_string_equal(writing_tree(t, "t/base_0000006_v0000077"), "_orc_acid_version\nbucket_00000\n");
    assert_ok(skep_compact_leftovers(&t->ctx, t->below, "t", 77, NULL, &t->err), t->err);
    free(by_set);
  }
  static const skep_compact_order by_id = {.column = 0};
  job.kind = SKEP_COMPACT_REBALANCE;
  job.order = &by_id;
  for (job.n_order = 0; job.n_order < 2; job.n_order++) {
    assert_int_equal(run_ok(t, &job).rows, MANY - 2 * (MANY / 5) + 2);
    assert_ok(skep_compact_leftovers(&t->ctx, t->below, "t", 77, NULL, &t->err), t->err);
  }
}

static void test_stripes_of_insert_only_tables_are_taken_over(void **state) {
  writing *t = *state;
  for (int64_t id = 1; id <= 4; id++) insert_as(t, t->below, "t", false, id, 0, 0, four, (size_t)id);
  skep_compact_job job = job_of(t, SKEP_COMPACT_MAJOR, "d.t:4:" NO_OPEN "::3");
  job.insert_only = true;
  job.small_stripe_bytes = 1;
  const skep_plan_opts opts = {.schema = schema, .insert_only = true};
  for (int encode = 0; encode < 2; encode++) {
    job.no_stripe_copy = encode == 1;
    skep_compact_result r = run_ok(t, &job);
    assert_int_equal(r.rows, 7);
    assert_int_equal(r.rows_read, 7);
    assert_false(r.rows_unknown);
    assert_true(encode == 1 ? r.bytes_copied == 0 : r.bytes_copied > r.bytes_written / 3);
    const char *footer = writing_footer(t, t->below, "t/base_0000004_v0000077/000000_0");
    assert_non_null(strstr(footer, encode == 1 ? "stripes=1" : "stripes=3"));
    assert_string_equal(writing_table(t, "t/base_0000004_v0000077", NULL, &opts, false),
                        "1 a\n1 a\n1 a\n2 b\n2 b\n3 NULL\nNULL d\n");
    assert_ok(skep_compact_leftovers(&t->ctx, t->below, "t", 77, NULL, &t->err), t->err);
  }
  job.no_stripe_copy = false;
  job.small_stripe_bytes = 0; /* small files are written anew, together */
  assert_int_equal(run_ok(t, &job).bytes_copied, 0);
}

static void test_a_stripe_of_other_columns_is_not_taken_over(void **state) {
  writing *t = *state;
  insert_as(t, t->below, "t", false, 1, 0, 0, four, 2);
  insert_as(t, t->below, "t", false, 2, 0, 0, four, 1);
  skep_compact_job job = job_of(t, SKEP_COMPACT_MAJOR, "d.t:2:" NO_OPEN "::");
  job.row = writing_type(t, "struct<id:bigint,v:string>");
  job.insert_only = true;
  job.small_stripe_bytes = 1;
  skep_compact_result r = run_ok(t, &job);
  assert_int_equal(r.bytes_copied, 0);
  assert_int_equal(r.rows, 3);
}

static void test_lines_of_text_are_joined_and_packed_files_stay_apart(void **state) {
  writing *t = *state;
  static const struct {
    const char *path, *text;
  } files[] = {{"t/base_0000001/000000_0", "a\nb\n"},
               {"t/delta_0000002_0000002_0000/in1.txt", "c"},
               {"t/delta_0000002_0000002_0000/000000_0.gz", "packed"},
               {"t/delta_0000003_0000003_0000/HIVE_UNION_SUBDIR_1/000000_0", "d\n"},
               {"t/delta_0000003_0000003_0000/000001_0", "e\n"}};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
    assert_ok(skep_fs_memory_put(t->below, files[i].path, files[i].text, strlen(files[i].text), &t->err), t->err);
  skep_compact_job job = job_of(t, SKEP_COMPACT_MAJOR, "d.t:3:" NO_OPEN "::");
  job.insert_only = true;
  job.format = SKEP_COMPACT_TEXT;
  skep_compact_result r = run_ok(t, &job);
  assert_int_equal(r.n_files, 3);
  assert_int_equal(r.rows, 5);
  assert_true(r.rows_unknown); /* what is packed is damaged */
  assert_string_equal(writing_tree(t, "t/base_0000003_v0000077"), "000000_0\n000000_0_copy_1.gz\n000001_0\n");
  skep_buf_reset(&t->text);
  assert_ok(skep_fs_read_whole(t->below, "t/base_0000003_v0000077/000000_0", &t->text, &t->err), t->err);
  assert_string_equal(skep_buf_string(&t->text), "a\nb\nc\nd\n");
  static const skep_property header = {"skip.header.line.count", "1"};
  job.properties = &header;
  job.n_properties = 1;
  assert_ok(skep_compact_leftovers(&t->ctx, t->below, "t", 77, NULL, &t->err), t->err);
  r = run_ok(t, &job);
  assert_int_equal(r.n_files, 5);
  assert_int_equal(r.rows, 1); /* each file's first line is none */
  assert_ok(skep_compact_leftovers(&t->ctx, t->below, "t", 77, NULL, &t->err), t->err);
  job.format = SKEP_COMPACT_FILES;
  r = run_ok(t, &job);
  assert_true(r.rows_unknown);
}

/* ---- failures and limits ---- */

static void make_mixed(writing *t, skep_fs *fs, const char *root) {
  insert(t, fs, root, 1, 0, 0, four, 4);
  insert(t, fs, root, 2, 0, 1, four, 3);
  insert(t, fs, root, 3, 0, 0, four, 2);
  delete_rows(t, fs, root, 4, 0, 1, 536870912, 0, 2, 2);
  delete_rows(t, fs, root, 5, 0, 2, skep_bucket_encode(1, 0), 0, 1, 1);
}

static void assert_nothing_is_left_whatever_call_fails(writing *t, const skep_compact_job *job) {
  char *before = strdup(writing_tree(t, "t"));
  for (int sticky = 0; sticky < 2; sticky++) {
    for (uint64_t nth = 1;; nth++) {
      skep_compact_result r;
      uint64_t calls = skep_fs_faulty_counts(t->fs).calls;
      skep_fs_faulty_fail_nth(t->fs, nth, sticky != 0);
      skep_status status = skep_compact_run(&t->ctx, job, &t->arena, &r, &t->err);
      skep_fs_faulty_fail_nth(t->fs, 0, false);
      bool done = skep_fs_faulty_counts(t->fs).calls - calls < nth;
      if (status == SKEP_OK || sticky != 0)
        assert_ok(skep_compact_leftovers(&t->ctx, t->fs, "t", 77, NULL, &t->err), t->err);
      assert_string_equal(writing_tree(t, "t"), before);
      if (done) break;
    }
  }
  free(before);
}

static void test_whatever_call_fails_nothing_is_left(void **state) {
  writing *t = *state;
  static const skep_compact_order by_id = {.column = 0};
  for (int kind = 0; kind < 3; kind++) {
    writing_again(t);
    make_mixed(t, t->below, "t");
    skep_compact_job job = job_of(t, (skep_compact_kind)kind, "d.t:5:" NO_OPEN "::");
    job.small_stripe_bytes = 1;
    job.order = &by_id;
    job.n_order = kind == 2;
    assert_nothing_is_left_whatever_call_fails(t, &job);
  }
}

static void test_whatever_call_fails_while_deleted_rows_are_a_file_nothing_is_left(void **state) {
  writing *t = *state;
  make_mixed(t, t->below, "t");
  skep_compact_job job = job_of(t, SKEP_COMPACT_MAJOR, "d.t:5:" NO_OPEN "::");
  job.memory_bytes = 1;
  assert_nothing_is_left_whatever_call_fails(t, &job);
}

static void test_whatever_call_fails_while_files_are_merged_in_passes_nothing_is_left(void **state) {
  writing *t = *state;
  put_overlapping(t, 6);
  skep_compact_job job = job_of(t, SKEP_COMPACT_MINOR, "d.t:12:" NO_OPEN "::");
  job.max_open_files = 4;
  assert_nothing_is_left_whatever_call_fails(t, &job);
}

/* All delete events go with the rows of their own transaction: the delete delta is made, and removed again. */
static void test_a_delete_delta_that_is_not_wanted_is_not_left_when_its_removal_fails(void **state) {
  writing *t = *state;
  insert(t, t->below, "t", 5, 0, 0, four, 4);
  delete_rows(t, t->below, "t", 5, 1, 5, 536870912, 0, 1, 2);
  delete_rows(t, t->below, "t", 5, 2, 5, 536870912, 2, 1, 1);
  const skep_compact_job job = job_of(t, SKEP_COMPACT_MINOR, "d.t:5:" NO_OPEN "::");
  assert_nothing_is_left_whatever_call_fails(t, &job);
  skep_compact_result r = run_ok(t, &job);
  assert_int_equal(r.n_dirs, 1);
  assert_string_equal(r.dirs[0], "delta_0000005_0000005_v0000077");
  assert_int_equal(r.deletes, 0);
}

static void test_whatever_allocation_fails_nothing_is_left(void **state) {
  writing *t = *state;
  for (int kind = 0; kind < 4; kind++) {
    writing_again(t);
    make_mixed(t, t->below, "t");
    skep_compact_job job = job_of(t, (skep_compact_kind)kind, "d.t:5:" NO_OPEN "::");
    job.small_stripe_bytes = 1;
    if (kind == 1) job.memory_bytes = 1; /* deleted rows are a file */
    if (kind == 3) {                     /* files that are merged in passes */
      writing_again(t);
      put_overlapping(t, 6);
      job = job_of(t, SKEP_COMPACT_MAJOR, "d.t:12:" NO_OPEN "::");
      job.max_open_files = 4;
    }
    char *before = strdup(writing_tree(t, "t"));
    for (uint64_t n = 1;; n += n < 300 ? 1 : 17) {
      skep_arena arena;
      skep_compact_result r;
      skep_arena_init(&arena, &t->ctx, SIZE_MAX);
      failing_alloc_arm(&t->memory, n);
      skep_status status = skep_compact_run(&t->ctx, &job, &arena, &r, &t->err);
      bool fired = failing_alloc_fired(&t->memory);
      failing_alloc_arm(&t->memory, 0);
      skep_arena_fini(&arena);
      if (status != SKEP_OK && status != SKEP_ERR_NOMEM)
        fail_msg("allocation %" PRIu64 ": %s: %s", n, skep_status_name(status), t->err.text);
      assert_ok(skep_compact_leftovers(&t->ctx, t->below, "t", 77, NULL, &t->err), t->err);
      assert_string_equal(writing_tree(t, "t"), before);
      if (!fired) break;
    }
    free(before);
  }
}

/* On a real file system, in children that end at the nth change. */
static void test_what_a_dead_worker_leaves_is_found_by_its_transaction(void **state) {
  writing *t = *state;
  temp_dir dir;
  char root[600];
  skep_fs *posix;
  temp_dir_make(&dir);
  snprintf(root, sizeof root, "%s/t", dir.path);
  assert_ok(skep_fs_posix_new(&t->ctx, &posix, &t->err), t->err);
  make_mixed(t, posix, root);
  skep_fs *memory = t->below;
  t->below = posix;
  char *before = strdup(writing_tree(t, root));
  bool done = false;
  for (uint64_t nth = 1; !done; nth += 1 + nth / 8) {
    pid_t child = fork();
    if (child == 0) {
      skep_fs *faulty;
      skep_compact_result r;
      skep_compact_job job = job_of(t, nth % 2 == 0 ? SKEP_COMPACT_MAJOR : SKEP_COMPACT_MINOR, "d.t:5:" NO_OPEN "::");
      job.root = root;
      job.small_stripe_bytes = 1;
      if (skep_fs_faulty_new(&t->ctx, posix, &faulty, NULL) != SKEP_OK) _exit(1);
      job.fs = faulty;
      skep_fs_faulty_stop_nth(faulty, nth);
      _exit(skep_compact_run(&t->ctx, &job, &t->arena, &r, NULL) == SKEP_OK ? 0 : 1);
    }
    int code;
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFEXITED(code) && (WEXITSTATUS(code) == SKEP_FS_FAULT_CODE || WEXITSTATUS(code) == 0));
    done = WEXITSTATUS(code) == 0;
    assert_ok(skep_compact_leftovers(&t->ctx, posix, root, 77, NULL, &t->err), t->err);
    assert_string_equal(writing_tree(t, root), before);
  }
  free(before);
  t->below = memory;
  skep_fs_free(posix);
  temp_dir_remove(&dir);
}

static void test_leftovers_are_those_of_one_transaction(void **state) {
  writing *t = *state;
  uint32_t n;
  put_dirs(t, "base_5 base_5_v7 base_6_v77 delta_1_1_0 delta_1_4_v77 delete_delta_1_4_v77 delta_2_2_v777");
  assert_ok(skep_compact_leftovers(&t->ctx, t->fs, "t", 77, &n, &t->err), t->err);
  assert_int_equal(n, 3);
  assert_string_equal(writing_tree(t, "t"),
                      "base_5/bucket_00000\nbase_5_v7/bucket_00000\ndelta_1_1_0/bucket_00000\n"
                      "delta_2_2_v777/bucket_00000\n");
  assert_ok(skep_compact_leftovers(&t->ctx, t->fs, "nowhere", 77, &n, &t->err), t->err);
  assert_int_equal(n, 0);
  assert_fails(skep_compact_leftovers(&t->ctx, t->fs, "t", 0, NULL, &t->err), SKEP_ERR_ARGUMENT, t->err, "1 or more");
}

typedef struct watched {
  int n_calls;
  uint64_t last_rows;
  skep_cancel *cancel;
  int64_t now_ns;
  int64_t slept_ms;
} watched;

static skep_status on_progress(void *self, const skep_compact_progress *p, skep_err *err) {
  watched *w = self;
  (void)err;
  assert_true(p->rows >= w->last_rows && p->bytes_done <= p->bytes_all && p->bytes_all > 0);
  w->last_rows = p->rows;
  w->n_calls++;
  if (w->cancel != NULL && w->n_calls == 2) skep_cancel_ask(w->cancel);
  return SKEP_OK;
}

static int64_t ticking_ns(void *self) { /* every look at the clock is a second later */
  watched *w = self;
  return w->now_ns += 1000000000;
}

static int64_t still_ns(void *self) { return ((watched *)self)->now_ns; }
static void sleep_still(void *self, int64_t ms) {
  watched *w = self;
  w->slept_ms += ms;
  w->now_ns += ms * 1000000;
}

static void test_progress_is_told_and_a_run_can_be_called_off(void **state) {
  writing *t = *state;
  skep_cancel cancel = {.asked = false};
  skep_compact_result r;
  watched w = {.cancel = NULL};
  make_mixed(t, t->below, "t");
  skep_compact_job job = job_of(t, SKEP_COMPACT_MAJOR, "d.t:5:" NO_OPEN "::");
  skep_ctx ctx = t->ctx;
  ctx.monotonic_ns = ticking_ns;
  ctx.clock_self = &w;
  job.progress = on_progress;
  job.progress_self = &w;
  assert_ok(skep_compact_run(&ctx, &job, &t->arena, &r, &t->err), t->err);
  assert_true(w.n_calls > 3);
  assert_int_equal(w.last_rows, 9);
  assert_ok(skep_compact_leftovers(&t->ctx, t->below, "t", 77, NULL, &t->err), t->err);
  char *before = strdup(writing_tree(t, "t"));
  w = (watched){.cancel = &cancel};
  job.cancel = &cancel;
  assert_int_equal(skep_compact_run(&ctx, &job, &t->arena, &r, &t->err), SKEP_ERR_CANCELLED);
  assert_string_equal(writing_tree(t, "t"), before);
  free(before);
}

static void test_writing_keeps_to_the_limit(void **state) {
  writing *t = *state;
  watched w = {.cancel = NULL};
  skep_ctx ctx = t->ctx;
  skep_compact_result r;
  char line[1001];
  memset(line, 'x', 1000);
  line[999] = '\n';
  for (int i = 1; i <= 3; i++) {
    char path[64];
    snprintf(path, sizeof path, "t/delta_%d_%d_0/000000_0", i, i);
    assert_ok(skep_fs_memory_put(t->below, path, line, 1000, &t->err), t->err);
  }
  ctx.monotonic_ns = still_ns;
  ctx.sleep_ms = sleep_still;
  ctx.clock_self = &w;
  skep_compact_job job = job_of(t, SKEP_COMPACT_MINOR, "d.t:3:" NO_OPEN "::");
  job.insert_only = true;
  job.format = SKEP_COMPACT_TEXT;
  job.max_bytes_per_second = 100;
  assert_ok(skep_compact_run(&ctx, &job, &t->arena, &r, &t->err), t->err);
  assert_int_equal(r.bytes_written, 3000);
  assert_true(w.slept_ms >= 29900 && w.slept_ms <= 30100);
}

static void test_too_little_room_is_said_before_anything_is_written(void **state) {
  writing *t = *state;
  skep_compact_result r;
  make_mixed(t, t->below, "t");
  skep_compact_job job = job_of(t, SKEP_COMPACT_MAJOR, "d.t:5:" NO_OPEN "::");
  uint64_t changes = skep_fs_faulty_counts(t->fs).changes;
  job.reserve_bytes = 1000000;
  skep_fs_memory_set_free(t->below, 1000001);
  assert_fails(skep_compact_run(&t->ctx, &job, &t->arena, &r, &t->err), SKEP_ERR_LIMIT, t->err,
               "finds 1000001 bytes of free space");
  assert_int_equal(r.missing_bytes, r.bytes_read - 1);
  assert_int_equal(skep_fs_faulty_counts(t->fs).changes, changes);
  skep_fs_memory_set_free(t->below, 1000000 + r.bytes_read);
  assert_ok(skep_compact_run(&t->ctx, &job, &t->arena, &r, &t->err), t->err);
}

static void test_what_is_not_for_a_kind_is_refused(void **state) {
  writing *t = *state;
  skep_compact_result r;
  skep_compact_job job = job_of(t, SKEP_COMPACT_REBALANCE, "d.t:5:" NO_OPEN "::");
  static const skep_compact_order beyond = {.column = 2};
  job.n_buckets = 4;
  assert_fails(skep_compact_run(&t->ctx, &job, &t->arena, &r, &t->err), SKEP_ERR_UNSUPPORTED, t->err, "bucketed");
  job.n_buckets = 0;
  job.insert_only = true;
  assert_fails(skep_compact_run(&t->ctx, &job, &t->arena, &r, &t->err), SKEP_ERR_UNSUPPORTED, t->err, "insert-only");
  job.insert_only = false;
  job.n_order = 1;
  job.order = &beyond;
  assert_fails(skep_compact_run(&t->ctx, &job, &t->arena, &r, &t->err), SKEP_ERR_ARGUMENT, t->err, "column 3 of 2");
  job.n_order = 0;
  job.visibility_txn = 0;
  assert_fails(skep_compact_run(&t->ctx, &job, &t->arena, &r, &t->err), SKEP_ERR_ARGUMENT, t->err, "of its own");
}

#define ON_MEMORY(name) cmocka_unit_test_setup_teardown(name, writing_setup, writing_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      ON_MEMORY(test_the_choice_and_the_names_are_hives),
      ON_MEMORY(test_minor_keeps_events_and_ids),
      ON_MEMORY(test_a_row_inserted_and_deleted_in_one_transaction_stays_away),
      ON_MEMORY(test_major_of_nothing_but_deleted_rows_leaves_an_empty_file),
      ON_MEMORY(test_aborted_rows_of_a_streamed_delta_are_gone_when_its_stripes_are_taken_over),
      ON_MEMORY(test_only_untouched_stripes_are_taken_over_by_major),
      ON_MEMORY(test_more_overlapping_files_than_may_be_open_are_merged_in_passes),
      ON_MEMORY(test_rebalance_orders_rows),
      ON_MEMORY(test_sorting_more_than_fits_goes_through_runs),
      ON_MEMORY(test_more_delete_events_than_fit_go_through_runs),
      ON_MEMORY(test_more_deleted_rows_than_fit_into_a_set_are_left_out),
      ON_MEMORY(test_stripes_of_insert_only_tables_are_taken_over),
      ON_MEMORY(test_a_stripe_of_other_columns_is_not_taken_over),
      ON_MEMORY(test_lines_of_text_are_joined_and_packed_files_stay_apart),
      ON_MEMORY(test_whatever_call_fails_nothing_is_left),
      ON_MEMORY(test_whatever_call_fails_while_deleted_rows_are_a_file_nothing_is_left),
      ON_MEMORY(test_whatever_call_fails_while_files_are_merged_in_passes_nothing_is_left),
      ON_MEMORY(test_a_delete_delta_that_is_not_wanted_is_not_left_when_its_removal_fails),
      ON_MEMORY(test_whatever_allocation_fails_nothing_is_left),
      ON_MEMORY(test_what_a_dead_worker_leaves_is_found_by_its_transaction),
      ON_MEMORY(test_leftovers_are_those_of_one_transaction),
      ON_MEMORY(test_progress_is_told_and_a_run_can_be_called_off),
      ON_MEMORY(test_writing_keeps_to_the_limit),
      ON_MEMORY(test_too_little_room_is_said_before_anything_is_written),
      ON_MEMORY(test_what_is_not_for_a_kind_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
