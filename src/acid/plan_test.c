/* Plans over files in memory that have a tail and no rows: which splits, which kinds, which ids, which errors. */
#include "acid/plan.h"

#include "acid/test_orc_tail.h"
#include "io/faulty.h"
#include "io/memory.h"
#include "support/failing_alloc.h"
#include "support/test.h"

typedef struct fixture {
  skep_ctx ctx;
  skep_fs *fs;
  skep_arena arena;
  skep_plan_opts opts;
  skep_plan *plan;
  skep_err err;
} fixture;

static int setup(void **state) {
  static fixture f;
  memset(&f, 0, sizeof f);
  skep_ctx_init(&f.ctx);
  skep_arena_init(&f.arena, &f.ctx, 1 << 24);
  f.opts = (skep_plan_opts){.evolution_by_name = -1, .calendar = -1, .snapshot = {.everything = true}};
  *state = &f;
  return skep_fs_memory_new(&f.ctx, &f.fs, &f.err) == SKEP_OK ? 0 : -1;
}

static int teardown(void **state) {
  fixture *f = *state;
  skep_plan_free(f->plan);
  skep_fs_free(f->fs);
  skep_arena_fini(&f->arena);
  return 0;
}

static void put_text(fixture *f, const char *path, const char *text) {
  assert_ok(skep_fs_memory_put(f->fs, path, text, strlen(text), &f->err), f->err);
}

static void put(fixture *f, const char *path, test_orc orc) {
  skep_buf bytes;
  skep_buf_init(&bytes, &f->ctx, 1 << 24);
  assert_true(test_orc_write(&orc, &bytes));
  assert_ok(skep_fs_memory_put(f->fs, path, bytes.data, bytes.size, &f->err), f->err);
  skep_buf_fini(&bytes);
}

/* Files of Hive 4 (coded buckets) and Hive 2 (plain ones). */
static test_orc inserts(int32_t bucket) {
  return (test_orc){"acid<a:int,b:string>",
                    5,
                    .has_stats = true,
                    .min_bucket = skep_bucket_encode(bucket, 0),
                    .max_bucket = skep_bucket_encode(bucket, 0),
                    .metadata = "hive.acid.version"};
}
static test_orc deletes(int32_t low, int32_t high) {
  return (test_orc){"acid<a:int,b:string>",
                    5,
                    .has_stats = true,
                    .max_operation = 2,
                    .min_bucket = skep_bucket_encode(low, 0),
                    .max_bucket = skep_bucket_encode(high, 3)};
}
static test_orc v1(int32_t bucket, int64_t max_operation) {
  return (test_orc){"acid<_col0:int,_col1:string>",
                    5,
                    .has_stats = true,
                    .max_operation = max_operation,
                    .min_bucket = bucket,
                    .max_bucket = bucket};
}
static test_orc plain(uint64_t n_rows) { return (test_orc){.type = "struct<a:int,b:string>", .n_rows = n_rows}; }

static skep_status make(fixture *f, const char *path) {
  skep_plan_free(f->plan);
  const char *paths[] = {path};
  return skep_plan_make(&f->ctx, f->fs, paths, 1, &f->opts, &f->plan, &f->err);
}

static void snapshot(fixture *f, const char *write_ids, const char *txns, skep_hive_version hive) {
  f->opts.hive = hive;
  assert_ok(skep_snapshot_parse(&f->arena, write_ids, txns, hive, &f->opts.snapshot, &f->err), f->err);
}

/* One line a split: kind, root, its files "path" or "path@write id/bucket+row", deletes, stripes when cut. */
static const char *splits_of(fixture *f) {
  static char text[8192];
  size_t at = 0;
  text[0] = '\0';
  static const char *const kinds[] = {"plain", "acid", "original", "merge"};
  for (uint32_t i = 0; i < f->plan->n_splits; i++) {
    const skep_split *s = &f->plan->splits[i];
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%s%s:", kinds[s->kind], s->check_write_ids ? " check " : " ",
                           s->root);
    for (uint32_t k = 0; k < s->n_files; k++) {
      const skep_split_file *file = &s->files[k];
      at += (size_t)snprintf(text + at, sizeof text - at, " %s", file->path);
      if (file->is_original && s->kind != SKEP_SPLIT_PLAIN)
        at += (size_t)snprintf(text + at, sizeof text - at, "@%lld/%d+%lld", (long long)file->synthetic_write_id,
                               file->synthetic_bucket, (long long)file->first_row_id);
    }
    if (s->n_stripes != SKEP_ALL_STRIPES)
      at += (size_t)snprintf(text + at, sizeof text - at, " [%u,%u)", s->first_stripe, s->first_stripe + s->n_stripes);
    for (uint32_t k = 0; k < s->n_deletes; k++)
      at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", k == 0 ? " -" : " ", s->deletes[k].path);
    at += (size_t)snprintf(text + at, sizeof text - at, "\n");
  }
  return text;
}

static const char *type_text(fixture *f, const skep_type *type) {
  static skep_buf out;
  skep_buf_init(&out, &f->ctx, 4096);
  skep_type_print(type, &out);
  char *copy = skep_arena_strndup(&f->arena, skep_buf_string(&out), out.size);
  skep_buf_fini(&out);
  return copy;
}

static void a_full_acid_table_becomes_acid_splits_with_deletes(void **state) {
  fixture *f = *state;
  put(f, "t/base_0000002/bucket_00000", inserts(0));
  put(f, "t/base_0000002/bucket_00001", inserts(1));
  put(f, "t/delta_0000003_0000003_0000/bucket_00000_0", inserts(0));
  put(f, "t/delete_delta_0000004_0000004_0000/bucket_00000_0", deletes(0, 0));
  put(f, "t/delta_0000005_0000009/bucket_00001", inserts(1));
  snapshot(f, "db.t:9:7:7:", NULL, SKEP_HIVE_4);
  assert_ok(make(f, "t"), f->err);
  assert_true(f->plan->is_full_acid);
  assert_true(f->plan->is_transactional);
  assert_false(f->plan->is_v1);
  assert_int_equal(f->plan->n_notices, 0);
  assert_int_equal(f->plan->n_files, 4);
  assert_string_equal(
      splits_of(f),
      "acid t: base_0000002/bucket_00000 -delete_delta_0000004_0000004_0000/bucket_00000_0\n"
      "acid t: base_0000002/bucket_00001\n"
      "acid t: delta_0000003_0000003_0000/bucket_00000_0 -delete_delta_0000004_0000004_0000/bucket_00000_0\n"
      "acid check t: delta_0000005_0000009/bucket_00001\n");
  assert_string_equal(type_text(f, f->plan->type), "struct<a:int,b:string>");
  f->opts.row_ids = true;
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(type_text(f, f->plan->type), "struct<writeid:bigint,bucketid:int,rowid:bigint,a:int,b:string>");
}

static void delete_files_that_may_hold_other_writers_apply_to_all(void **state) {
  fixture *f = *state;
  put(f, "t/base_2/bucket_00000", inserts(0));
  put(f, "t/base_2/bucket_00001", inserts(1));
  put(f, "t/base_2/bucket_00002", inserts(2));
  put(f, "t/delete_delta_3_3/bucket_00000", deletes(0, 1));
  test_orc no_stats = deletes(0, 0);
  no_stats.has_stats = false;
  put(f, "t/delete_delta_4_4/bucket_00002", no_stats);
  put(f, "t/delete_delta_5_5/bucket_00000", (test_orc){.type = "acid<a:int>", .n_rows = 0, .has_stats = true});
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(splits_of(f),
                      "acid t: base_2/bucket_00000 -delete_delta_3_3/bucket_00000 delete_delta_4_4/bucket_00002\n"
                      "acid t: base_2/bucket_00001 -delete_delta_3_3/bucket_00000 delete_delta_4_4/bucket_00002\n"
                      "acid t: base_2/bucket_00002 -delete_delta_4_4/bucket_00002\n");
  assert_int_not_equal(f->plan->splits[0].delete_set, f->plan->splits[2].delete_set);
}

/* A compaction of one transaction's insert and delete drops the statement ids: its rows stay deleted. */
static void deletes_of_the_same_write_id_apply_whatever_the_statement(void **state) {
  fixture *f = *state;
  put(f, "t/delta_5_5_v9/bucket_00000", inserts(0));
  put(f, "t/delete_delta_5_5_v9/bucket_00000", deletes(0, 0));
  put(f, "t/delta_6_6_0/bucket_00000", inserts(0));
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(splits_of(f),
                      "acid t: delta_5_5_v9/bucket_00000 -delete_delta_5_5_v9/bucket_00000\n"
                      "acid t: delta_6_6_0/bucket_00000\n");
}

/* Row ids of originals: acid-format facts 3.3, its vectors, and public bug reports HIVE-14366, HIVE-16177. */
static void originals_get_row_ids_that_go_on_within_a_bucket(void **state) {
  fixture *f = *state;
  put(f, "t/000000_0", plain(1));
  put(f, "t/000000_0_copy_1", plain(1));
  put(f, "t/HIVE_UNION_SUBDIR_15/000000_0", plain(2));
  put(f, "t/HIVE_UNION_SUBDIR_16/000000_0", plain(1));
  put(f, "t/000001_0", plain(2));
  put(f, "t/HIVE_UNION_SUBDIR_16/000001_0", plain(1));
  put(f, "t/delta_0000002_0000002_0003/000000_0", plain(7));
  put(f, "t/delta_0000002_0000002_0003/000000_0_copy_1", plain(7));
  f->opts.row_ids = true;
  snapshot(f, "db.t:9", NULL, SKEP_HIVE_4);
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(splits_of(f),
                      "original t: 000000_0@0/536870912+0\n"
                      "original t: 000000_0_copy_1@0/536870912+1\n"
                      "original t: 000001_0@0/536936448+0\n"
                      "original t: HIVE_UNION_SUBDIR_15/000000_0@0/536870912+2\n"
                      "original t: HIVE_UNION_SUBDIR_16/000000_0@0/536870912+4\n"
                      "original t: HIVE_UNION_SUBDIR_16/000001_0@0/536936448+2\n"
                      "original t: delta_0000002_0000002_0003/000000_0@2/536870915+0\n"
                      "original t: delta_0000002_0000002_0003/000000_0_copy_1@2/536870915+7\n");
  put(f, "t/base_0000005/000000_0", plain(3));
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(splits_of(f), "original t: base_0000005/000000_0@5/536870912+0\n");
}

static void originals_of_old_versions_have_plain_buckets(void **state) {
  fixture *f = *state;
  put(f, "t/000000_0", plain(1));
  put(f, "t/000001_0", plain(1));
  f->opts.row_ids = true;
  snapshot(f, NULL, "9:9223372036854775807:", SKEP_HIVE_2);
  assert_ok(make(f, "t"), f->err);
  assert_true(f->plan->is_v1);
  assert_string_equal(splits_of(f), "original t: 000000_0@0/0+0\noriginal t: 000001_0@0/1+0\n");
}

static void originals_need_no_ids_when_nothing_asks_for_them(void **state) {
  fixture *f = *state;
  put(f, "t/000000_0", plain(1));
  put(f, "t/000000_0_copy_1", plain(1));
  put(f, "t/delta_1_1_0/bucket_0", inserts(0));
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(splits_of(f), "plain t: 000000_0\nplain t: 000000_0_copy_1\nacid t: delta_1_1_0/bucket_0\n");
  put(f, "t/delete_delta_2_2_0/bucket_0", deletes(0, 0));
  assert_ok(make(f, "t"), f->err);
  assert_int_equal(f->plan->splits[1].kind, SKEP_SPLIT_ORIGINAL);
  assert_int_equal(f->plan->splits[1].n_deletes, 1);
}

static void buckets_with_updates_in_their_deltas_are_merged(void **state) {
  fixture *f = *state;
  put(f, "t/000000_0", plain(3));
  put(f, "t/000000_0_copy_1", plain(3));
  put(f, "t/000001_0", plain(3));
  put(f, "t/delta_0000050_0000050_0000/bucket_00000", v1(0, 1));
  put(f, "t/delta_0000050_0000050_0000/bucket_00001", v1(1, 0));
  put(f, "t/delta_0000051_0000051_0000/bucket_00000", v1(0, 0));
  snapshot(f, NULL, "60:9223372036854775807:", SKEP_HIVE_2);
  assert_ok(make(f, "t"), f->err);
  assert_true(f->plan->is_v1);
  assert_string_equal(splits_of(f),
                      "merge check t: 000000_0@0/0+0 000000_0_copy_1@0/0+3 delta_0000050_0000050_0000/bucket_00000 "
                      "delta_0000051_0000051_0000/bucket_00000\n"
                      "plain t: 000001_0\n"
                      "acid t: delta_0000050_0000050_0000/bucket_00001\n");
}

/* A base of Hive 2 holds operations 0 and 1, one event a row; deltas of Hive 3 stand on it with their delete deltas. */
static void a_table_upgraded_half_way_is_read_as_both_were_written(void **state) {
  fixture *f = *state;
  put(f, "t/base_0000040/bucket_00000", v1(0, 1));
  put(f, "t/delta_0000050_0000050_0000/bucket_00000", inserts(0));
  test_orc both = deletes(0, 0);
  both.min_bucket = 0; /* plain and coded numbers side by side */
  put(f, "t/delete_delta_0000051_0000051_0000/bucket_00000", both);
  put(f, "t/delta_0000060_0000060_0000/bucket_00000",
      v1(0, 2)); /* behind a coded one: cannot be v1, is not looked at */
  assert_ok(make(f, "t"), f->err);
  assert_false(f->plan->is_v1);
  assert_int_equal(f->plan->n_splits, 3);
  assert_int_equal(f->plan->splits[0].kind, SKEP_SPLIT_ACID);
  assert_int_equal(f->plan->splits[0].n_deletes, 1);
  put(f, "t/delta_0000045_0000045_0000/bucket_00000", v1(0, 2)); /* not compacted before the upgrade */
  assert_ok(make(f, "t"), f->err);
  assert_int_equal(f->plan->n_splits, 1);
  assert_int_equal(f->plan->splits[0].kind, SKEP_SPLIT_MERGE);
  assert_int_equal(f->plan->splits[0].n_files, 4);
  assert_int_equal(f->plan->splits[0].n_deletes, 1);
}

static void insert_only_tables_are_plain_rows(void **state) {
  fixture *f = *state;
  put(f, "t/delta_0000001_0000001_0001/HIVE_UNION_SUBDIR_1/000000_0", plain(1));
  put(f, "t/delta_0000002_0000002_0000/in1.orc", plain(1));
  put(f, "t/delta_0000003_0000003_0000/000000_0", plain(1));
  put(f, "t/000000_0", plain(1));
  snapshot(f, "db.t:9:9223372036854775807::3", NULL, SKEP_HIVE_4);
  f->opts.insert_only = true;
  assert_ok(make(f, "t"), f->err);
  assert_false(f->plan->is_full_acid);
  assert_true(f->plan->is_transactional);
  assert_string_equal(splits_of(f),
                      "plain t: delta_0000001_0000001_0001/HIVE_UNION_SUBDIR_1/000000_0\n"
                      "plain t: delta_0000002_0000002_0000/in1.orc\n");
  f->opts.insert_only =
      false; /* recognised by its files; then files beside the directories count, as in a converted table */
  assert_ok(make(f, "t"), f->err);
  assert_int_equal(f->plan->n_splits, 3);
  f->opts.row_ids = true;
  assert_fails(make(f, "t"), SKEP_ERR_UNSUPPORTED, f->err, "in1.orc has no bucket number in its name");
}

static void long_files_are_cut_at_stripes(void **state) {
  fixture *f = *state;
  put(f, "t/000000_0", (test_orc){.type = "struct<a:int>", .n_rows = 100, .n_stripes = 10, .stripe_bytes = 1000});
  put(f, "t/000001_0", (test_orc){.type = "struct<a:int>", .n_rows = 100, .n_stripes = 4, .stripe_bytes = 100});
  f->opts.split_bytes = 3000;
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(splits_of(f),
                      "plain t: 000000_0 [0,3)\nplain t: 000000_0 [3,6)\nplain t: 000000_0 [6,9)\n"
                      "plain t: 000000_0 [9,10)\nplain t: 000001_0\n");
  assert_int_equal(f->plan->splits[0].n_rows_hint, 30);
  assert_int_equal(f->plan->n_files, 2);
  f->opts.split_bytes = 1;
  assert_ok(make(f, "t/000001_0"), f->err);
  assert_string_equal(
      splits_of(f),
      "plain t/000001_0:  [0,1)\nplain t/000001_0:  [1,2)\nplain t/000001_0:  [2,3)\nplain t/000001_0:  [3,4)\n");
}

static void put_partitions(fixture *f) {
  put(f, "t/d=2024-01-01/k=1/delta_1_1_0/bucket_0", inserts(0));
  put(f, "t/d=2024-01-01/k=02/delta_1_1_0/bucket_0", inserts(0));
  put(f, "t/d=2024-01-02/k=3/delta_1_1_0/bucket_0", inserts(0));
  put(f, "t/d=__HIVE_DEFAULT_PARTITION__/k=4/delta_1_1_0/bucket_0", inserts(0));
  put(f, "t/d=never/k=a%2Fb/delta_1_1_0/bucket_0", inserts(0));
  put_text(f, "t/_orc_acid_version", "2");
  put_text(f, "t/.hive-staging_hive_2026/-ext-10000/000000_0", "x");
}

/* "d,k" of each split. */
static const char *values_of(fixture *f) {
  static char text[1024];
  size_t at = 0;
  text[0] = '\0';
  for (uint32_t i = 0; i < f->plan->n_splits; i++) {
    const skep_split *s = &f->plan->splits[i];
    for (uint32_t v = 0; v < s->n_partition_values; v++)
      at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", v == 0 ? "" : ",",
                             s->partition_values[v] == NULL ? "NULL" : s->partition_values[v]);
    at += (size_t)snprintf(text + at, sizeof text - at, " ");
  }
  return text;
}

static void partition_columns_are_texts_or_typed(void **state) {
  fixture *f = *state;
  put_partitions(f);
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(type_text(f, f->plan->type), "struct<a:int,b:string,d:string,k:string>");
  assert_string_equal(values_of(f), "2024-01-01,02 2024-01-01,1 2024-01-02,3 __HIVE_DEFAULT_PARTITION__,4 never,a/b ");
  f->opts.partition_schema = "struct<D:date,k:int>";
  assert_ok(make(f, "t/"), f->err);
  assert_string_equal(type_text(f, f->plan->type), "struct<a:int,b:string,D:date,k:int>");
  assert_string_equal(values_of(f), "2024-01-01,02 2024-01-01,1 2024-01-02,3 NULL,4 NULL,NULL ");
  assert_ok(make(f, "t/d=2024-01-01/"), f->err); /* a path inside the tree */
  assert_string_equal(values_of(f), "2024-01-01,02 2024-01-01,1 ");
  assert_ok(make(f, "t/d=2024-01-02/k=3"), f->err);
  assert_string_equal(values_of(f), "2024-01-02,3 ");
  f->opts.partition_schema = "struct<d:date>";
  assert_fails(make(f, "t/d=2024-01-02"), SKEP_ERR_ARGUMENT, f->err,
               "t/d=2024-01-02/k=3/delta_1_1_0: a directory of an ACID table below an ordinary one: not read");
  f->opts.partition_schema = "struct<d:date,k:int>";
  assert_ok(skep_fs_mkdirs(f->fs, "t/k=1.5/n=2", &f->err), f->err); /* what Hive leaves for a static parent */
  assert_ok(skep_fs_mkdirs(f->fs, "t/d=2024-01-01/k=1/n=7", &f->err), f->err);
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(values_of(f), "2024-01-01,02 2024-01-01,1 2024-01-02,3 NULL,4 NULL,NULL ");
  f->opts.partition_schema = "struct<d:date,x:int>";
  assert_fails(make(f, "t"), SKEP_ERR_ARGUMENT, f->err,
               "t/d=2024-01-01: partition directory \"k=02\" stands where the partition column x");
}

static void old_versions_read_days_that_their_calendar_lacks_as_later_ones(void **state) {
  fixture *f = *state;
  put(f, "t/d=1582-10-04/t=1582-10-14 23%3A00%3A00/000000_0", plain(1));
  put(f, "t/d=1582-10-10/t=1582-10-15 00%3A00%3A00/000000_0", plain(1));
  f->opts.partition_schema = "struct<d:date,t:timestamp>";
  f->opts.hive = SKEP_HIVE_2;
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(values_of(f), "1582-10-04,1582-10-24 23:00:00 1582-10-20,1582-10-15 00:00:00 ");
  const char *filter = "d=1582-10-20";
  f->opts.partition_filters = &filter;
  f->opts.n_partition_filters = 1;
  assert_ok(make(f, "t"), f->err);
  assert_int_equal(f->plan->n_splits, 1);
  f->opts.n_partition_filters = 0;
  f->opts.hive = SKEP_HIVE_3;
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(values_of(f), "1582-10-04,1582-10-14 23:00:00 1582-10-10,1582-10-15 00:00:00 ");
}

static void a_tree_of_too_many_partitions_is_refused(void **state) {
  fixture *f = *state;
  for (int i = 0; i < 3; i++) {
    char path[64];
    snprintf(path, sizeof path, "t/x=%d/y=1/000000_0", i);
    put(f, path, plain(1));
  }
  f->ctx.limits.max_dir_entries = 6;
  assert_ok(make(f, "t"), f->err);
  f->ctx.limits.max_dir_entries = 5;
  assert_fails(make(f, "t"), SKEP_ERR_LIMIT, f->err, "more than 5 partition directories in one scan");
}

static void partitions_are_pruned_before_they_are_listed(void **state) {
  fixture *f = *state;
  put_partitions(f);
  static const struct {
    const char *filter, *predicate, *values;
    uint64_t lists; /* directories: the root, each d, each k, each delta that is reached */
  } cases[] = {
      {"k=2", NULL, "2024-01-01,02 ", 1 + 4 + 2},
      {"D=2024-01-01", NULL, "2024-01-01,02 2024-01-01,1 ", 1 + 1 + 4},
      {"d=__HIVE_DEFAULT_PARTITION__", NULL, "NULL,4 NULL,NULL ", 1 + 2 + 4},
      {"k=77", NULL, "", 1 + 4},
      {NULL, "k = 3", "2024-01-02,3 ", 1 + 4 + 2},
      {NULL, "k <> 3 AND a = 1", "2024-01-01,02 2024-01-01,1 NULL,4 ", 1 + 4 + 6},
      {NULL, "k = 3 OR a = 1", "2024-01-01,02 2024-01-01,1 2024-01-02,3 NULL,4 NULL,NULL ", 1 + 4 + 10},
      {NULL, "d > DATE '2024-01-01'", "2024-01-02,3 ", 1 + 1 + 2},
      {NULL, "NOT (d > DATE '2024-01-01' AND a = 1)", "2024-01-01,02 2024-01-01,1 2024-01-02,3 NULL,4 NULL,NULL ",
       1 + 4 + 10},
      {NULL, "NOT (d > DATE '2024-01-01' OR a = 1)", "2024-01-01,02 2024-01-01,1 ", 1 + 1 + 4},
      {NULL, "d IS NULL AND k IN (4, 5)", "NULL,4 ", 1 + 2 + 2},
  };
  skep_fs *counting;
  assert_ok(skep_fs_faulty_new(&f->ctx, f->fs, &counting, &f->err), f->err);
  f->opts.partition_schema = "struct<d:date,k:int>";
  f->opts.schema = "struct<a:int,b:string>";
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *path = "t";
    f->opts.n_partition_filters = cases[i].filter != NULL;
    f->opts.partition_filters = &cases[i].filter;
    f->opts.predicate = cases[i].predicate;
    uint64_t before = skep_fs_faulty_counts(counting).lists;
    skep_plan_free(f->plan);
    assert_ok(skep_plan_make(&f->ctx, counting, &path, 1, &f->opts, &f->plan, &f->err), f->err);
    assert_string_equal(values_of(f), cases[i].values);
    assert_int_equal(skep_fs_faulty_counts(counting).lists - before, cases[i].lists);
  }
  skep_fs_free(counting);
}

static void projections_and_predicates_are_checked_and_split(void **state) {
  fixture *f = *state;
  put_partitions(f);
  f->opts.partition_schema = "struct<d:date,k:int>";
  const char *columns[] = {"K", "b"};
  f->opts.columns = columns;
  f->opts.n_columns = 2;
  f->opts.predicate = "d = DATE '2024-01-01' AND a > 3";
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(type_text(f, f->plan->type), "struct<b:string,k:int>");
  const skep_split *s = &f->plan->splits[0];
  assert_string_equal(type_text(f, s->table), "struct<a:int,b:string>");
  assert_string_equal(type_text(f, s->columns), "struct<b:string>");
  assert_string_equal(type_text(f, s->partition_columns), "struct<k:int,d:date>");
  assert_int_equal(s->n_partition_columns, 1);
  assert_string_equal(values_of(f), "02,2024-01-01 1,2024-01-01 ");
  columns[1] = "k";
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(type_text(f, f->plan->type), "struct<k:int>");
  columns[1] = "nope";
  assert_fails(make(f, "t"), SKEP_ERR_ARGUMENT, f->err, "nope");
  f->opts.n_columns = 0;
  f->opts.predicate = "nope = 1";
  assert_fails(make(f, "t"), SKEP_ERR_ARGUMENT, f->err, "nope");
  f->opts.predicate = "a = ";
  assert_fails(make(f, "t"), SKEP_ERR_ARGUMENT, f->err, "predicate");
}

static void several_paths_need_one_schema(void **state) {
  fixture *f = *state;
  put(f, "a.orc", plain(1));
  put(f, "b.orc", plain(2));
  put(f, "c.orc", (test_orc){.type = "struct<a:int,b:bigint>", .n_rows = 1});
  put(f, "d.orc", (test_orc){.type = "struct<a:int>", .n_rows = 1});
  put(f, "e.orc", (test_orc){.type = "timestamp", .n_rows = 1});
  static const struct {
    const char *second, *message;
  } cases[] = {
      {"c.orc", "a.orc and c.orc have different schemas: column 2 is b string and b bigint"},
      {"d.orc", "2 columns and 1; the first also has b string"},
      {"e.orc", "their rows are struct and timestamp"},
  };
  const char *paths[] = {"a.orc", "b.orc"};
  assert_ok(skep_plan_make(&f->ctx, f->fs, paths, 2, &f->opts, &f->plan, &f->err), f->err);
  assert_int_equal(f->plan->n_splits, 2);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_plan *plan;
    paths[1] = cases[i].second;
    assert_fails(skep_plan_make(&f->ctx, f->fs, paths, 2, &f->opts, &plan, &f->err), SKEP_ERR_ARGUMENT, f->err,
                 cases[i].message);
    assert_null(plan);
  }
  assert_ok(make(f, "e.orc"), f->err);
  assert_int_equal(f->plan->type->kind, SKEP_TIMESTAMP);
}

static void the_newest_file_speaks_for_the_schema(void **state) {
  fixture *f = *state;
  test_orc wide = inserts(0);
  wide.type = "acid<a:int,b:string,c:date>";
  put(f, "t/base_2/bucket_0", inserts(0));
  put(f, "t/delta_3_3_0/bucket_0", wide);
  put(f, "t/delta_4_4_0/bucket_0", v1(0, 0)); /* names like _col0 say nothing */
  put(f, "t/delete_delta_5_5_0/bucket_0", deletes(0, 0));
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(type_text(f, f->plan->columns), "struct<a:int,b:string,c:date>");
  assert_int_equal(f->plan->splits[0].evolution.positional_levels, 1);
  f->opts.hive = SKEP_HIVE_3;
  assert_ok(make(f, "t"), f->err);
  assert_int_equal(f->plan->splits[0].evolution.positional_levels, 0);
  assert_int_equal(f->plan->splits[0].unmarked_calendar, SKEP_CALENDAR_PROLEPTIC);
}

static void the_newest_partition_speaks_for_the_schema(void **state) {
  fixture *f = *state;
  put(f, "t/d=2020/000000_0", (test_orc){.type = "struct<a:int>", .n_rows = 1});
  put(f, "t/d=2021/000000_0", plain(1));
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(type_text(f, f->plan->columns), "struct<a:int,b:string>");
  put(f, "t/d=2019/000000_0", (test_orc){.type = "struct<a:int,b:string,c:int>", .n_rows = 1});
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(type_text(f, f->plan->columns), "struct<a:int,b:string,c:int>");
}

/* A file system that has links to nowhere: all names that end in 7. */
static const skep_fs_vtab *without_links;
typedef struct relay {
  skep_entry_visitor *visit;
  void *self;
} relay;
static skep_status visit_link(void *self, const skep_entry *entry, skep_err *err) {
  const relay *r = self;
  skep_entry link = {.name = entry->name, .kind = SKEP_ENTRY_OTHER};
  return r->visit(r->self, entry->name[strlen(entry->name) - 1] == '7' ? &link : entry, err);
}
static skep_status list_links(skep_fs *fs, const char *path, bool sizes, skep_entry_visitor *visit, void *self,
                              skep_err *err) {
  relay r = {visit, self};
  return without_links->list(fs, path, sizes, visit_link, &r, err);
}

static void a_data_file_that_is_no_file_is_no_empty_one(void **state) {
  fixture *f = *state;
  put(f, "t/delta_1_1_0/bucket_0", inserts(0));
  put_text(f, "t/delta_1_1_0/_7", "");
  put(f, "t/delta_1_1_0/bucket_7", inserts(7));
  without_links = f->fs->vt;
  skep_fs_vtab links = *without_links;
  links.list = list_links;
  f->fs->vt = &links;
  assert_fails(make(f, "t"), SKEP_ERR_CORRUPT, f->err, "t/delta_1_1_0/bucket_7 is neither a file nor a directory");
  assert_ok(skep_fs_remove_file(f->fs, "t/delta_1_1_0/bucket_7", &f->err), f->err);
  assert_ok(make(f, "t"), f->err); /* a hidden one does not matter */
  f->fs->vt = without_links;
}

static void what_stands_in_place_of_an_acid_directory_is_not_passed_over(void **state) {
  fixture *f = *state;
  put(f, "t/delta_1_1_0/bucket_0", inserts(0));
  put_text(f, "t/delete_delta_2_2_0", "junk");
  assert_fails(make(f, "t"), SKEP_ERR_CORRUPT, f->err,
               "t/delete_delta_2_2_0 is named like a directory of an ACID table");
  assert_ok(skep_fs_remove_file(f->fs, "t/delete_delta_2_2_0", &f->err), f->err);
  assert_ok(make(f, "t"), f->err);
}

static void directories_in_place_of_data_files_are_not_passed_over(void **state) {
  fixture *f = *state;
  put(f, "t/delta_1_1_0/bucket_0", inserts(0));
  put(f, "t/delta_1_1_0/bucket_1/bucket_0", inserts(1));
  assert_fails(make(f, "t"), SKEP_ERR_CORRUPT, f->err,
               "t/delta_1_1_0/bucket_1 is a directory where a data file belongs");
  /* alone, it is no directory without rows */
  put(f, "u/delta_1_1_0/bucket_0", inserts(0));
  assert_ok(skep_fs_mkdirs(f->fs, "u/delete_delta_2_2_0/bucket_00000", &f->err), f->err);
  assert_fails(make(f, "u"), SKEP_ERR_CORRUPT, f->err,
               "u/delete_delta_2_2_0/bucket_00000 is a directory where a data file belongs");
  /* what nobody needs harms nobody */
  put(f, "u/base_3/bucket_0", inserts(0));
  assert_ok(make(f, "u"), f->err);
}

static void a_delta_that_holds_its_own_table_is_not_empty(void **state) {
  fixture *f = *state;
  put(f, "t/delta_1_1_0/bucket_0", inserts(0));
  assert_ok(skep_fs_mkdirs(f->fs, "t/delta_2_2_0/delta_1_1_0", &f->err), f->err);
  assert_fails(make(f, "t"), SKEP_ERR_CORRUPT, f->err,
               "t/delta_2_2_0 holds no file, but directories of an ACID table (a link to itself?)");
  f->opts.hive = SKEP_HIVE_2; /* its compactor left such copies */
  assert_ok(make(f, "t"), f->err);
}

static void bucket_numbers_have_32_bits(void **state) {
  fixture *f = *state;
  put(f, "t/delta_1_1_0/bucket_0", inserts(0));
  put(f, "t/delta_1_1_0/bucket_99999999999", inserts(1));
  assert_fails(make(f, "t"), SKEP_ERR_CORRUPT, f->err,
               "t/delta_1_1_0/bucket_99999999999: the bucket number is beyond 32 bits");
}

static void other_formats_are_named(void **state) {
  fixture *f = *state;
  static const struct {
    const char *bytes, *message;
  } cases[] = {
      {"PAR1....PAR1", "t/000000_0: not an ORC file: it looks like Parquet, which this version does not read"},
      {"Obj\x01....", "it looks like Avro"},
      {"RCF\x01....", "it looks like RCFile"},
      {"SEQ\x06....", "it looks like a SequenceFile"},
      {"1,Ada\n2,Chen\n", "it looks like text"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    put_text(f, "t/000000_0", cases[i].bytes);
    f->opts.schema = i % 2 == 0 ? NULL : "struct<a:int>";
    assert_fails(make(f, "t"), SKEP_ERR_UNSUPPORTED, f->err, cases[i].message);
  }
  put_text(f, "t/000000_0", "ORC but broken");
  assert_fails(make(f, "t"), SKEP_ERR_CORRUPT, f->err, "t/000000_0: ");
}

static void what_cannot_be_planned_is_said(void **state) {
  fixture *f = *state;
  put(f, "plain/000000_0", plain(1));
  put(f, "bad/delta_x/bucket_0", inserts(0));
  put_text(f, "odd/oops.txt", "");
  put(f, "odd/delta_1_1_0/bucket_0", inserts(0));
  put(f, "odd/delta_1_1_0/notes.txt", plain(1));
  assert_fails(make(f, "nowhere"), SKEP_ERR_NOT_FOUND, f->err, "nowhere");
  assert_fails(make(f, "bad"), SKEP_ERR_CORRUPT, f->err, "bad: directory name \"delta_x\"");
  assert_ok(make(f, "odd"), f->err);
  assert_int_equal(f->plan->n_notices, 3);
  assert_string_equal(f->plan->notices[0].path, "odd/oops.txt");
  assert_string_equal(f->plan->notices[1].path, "odd/delta_1_1_0/notes.txt");
  assert_string_equal(f->plan->notices[2].text, "no snapshot is given: everything on disk counts as committed");
  f->opts.row_ids = true;
  assert_fails(make(f, "plain"), SKEP_ERR_ARGUMENT, f->err, "has no row ids");
  assert_fails(make(f, "plain/000000_0"), SKEP_ERR_ARGUMENT, f->err, "rows of single files have no row ids");
  f->opts.row_ids = false;
  const char *filter = "k=1";
  f->opts.partition_filters = &filter;
  f->opts.n_partition_filters = 1;
  assert_fails(make(f, "plain"), SKEP_ERR_ARGUMENT, f->err, "there is no partition column \"k\"");
  f->opts.n_partition_filters = 0;
  f->opts.partition_schema = "struct<k:array<int>>";
  assert_fails(make(f, "plain"), SKEP_ERR_ARGUMENT, f->err, "partition columns are primitive");
  f->opts.partition_schema = NULL;
  f->opts.schema = "int";
  assert_fails(make(f, "plain"), SKEP_ERR_ARGUMENT, f->err, "schema: expected struct<...>, found int");
}

/* A new table, a truncated one, one whose rows were all dropped. */
static void a_table_without_rows_needs_no_columns(void **state) {
  fixture *f = *state;
  put(f, "unknown/odd/delta_1_1_0/bucket_0", inserts(0));
  assert_fails(make(f, "unknown"), SKEP_ERR_ARGUMENT, f->err, "a schema must be given (unknown/odd/delta_1_1_0: ");
  assert_ok(skep_fs_mkdirs(f->fs, "new", &f->err), f->err);
  put_text(f, "truncated/base_2/_metadata_acid", "{\"thisFileVersion\":\"0\",\"dataFormat\":\"truncated\"}");
  put(f, "truncated/delta_1_1_0/bucket_0", inserts(0));
  put(f, "gone/delete_delta_2_2_0/bucket_0", deletes(0, 0));
  const char *columns[] = {"a", "k"};
  static const char *const tables[] = {"new", "truncated", "gone"};
  for (int i = 0; i < 3; i++) {
    f->opts.schema = f->opts.predicate = NULL;
    f->opts.n_columns = 0;
    assert_ok(make(f, tables[i]), f->err);
    assert_int_equal(f->plan->n_splits, 0);
    assert_string_equal(type_text(f, f->plan->type), "struct<>");
    assert_string_equal(f->plan->notices[f->plan->n_notices - 1].text,
                        "no rows, and no file says what the columns are");
    assert_string_equal(f->plan->notices[f->plan->n_notices - 1].path, tables[i]);
    f->opts.columns = columns;
    f->opts.n_columns = 2;
    f->opts.predicate = "a > 1";
    assert_ok(make(f, tables[i]), f->err);
    assert_int_equal(f->plan->n_splits, 0);
    f->opts.row_ids = true;
    assert_ok(make(f, tables[i]), f->err);
    f->opts.row_ids = false;
    f->opts.schema = "struct<a:int>";
    f->opts.n_columns = 1;
    assert_ok(make(f, tables[i]), f->err);
    assert_string_equal(type_text(f, f->plan->type), "struct<a:int>");
  }
}

/* What is asked for does not change the columns: not a filter that no partition passes, not a snapshot of before. */
static void columns_are_those_of_files_that_are_not_read(void **state) {
  fixture *f = *state;
  put(f, "parts/k=1/delta_1_1_0/bucket_0", plain(1));
  put(f, "parts/k=2/delta_2_2_0/bucket_0", inserts(0));
  put(f, "parts/k=3/delta_3_3_0/_orc_acid_version", plain(1));
  const char *filter = "k=7";
  f->opts.n_partition_filters = 1;
  f->opts.partition_filters = &filter;
  assert_ok(make(f, "parts"), f->err);
  assert_int_equal(f->plan->n_splits, 0);
  assert_int_equal(f->plan->n_notices, 0);
  assert_string_equal(type_text(f, f->plan->type), "struct<a:int,b:string,k:string>");
  f->opts.n_partition_filters = 0;
  f->opts.predicate = "k = 'x' AND nope = 1";
  assert_fails(make(f, "parts"), SKEP_ERR_ARGUMENT, f->err, "there is no column \"nope\"");
  f->opts.predicate = "k = 'x' AND a = 1";
  assert_ok(make(f, "parts"), f->err);
  assert_string_equal(type_text(f, f->plan->type), "struct<a:int,b:string,k:string>");
  f->opts.predicate = NULL;
  snapshot(f, "d.t:0:9223372036854775807::", NULL, SKEP_HIVE_4);
  assert_ok(make(f, "parts"), f->err);
  assert_string_equal(splits_of(f), "");
  assert_string_equal(type_text(f, f->plan->type), "struct<a:int,b:string,k:string>");
}

static void filters_of_one_column_are_alternatives(void **state) {
  fixture *f = *state;
  put_partitions(f);
  f->opts.schema = "struct<a:int,b:string>";
  const char *filters[] = {"k=3", "d=2024-01-01", "k=02"};
  f->opts.partition_filters = filters;
  f->opts.n_partition_filters = 3;
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(values_of(f), "2024-01-01,02 ");
  filters[1] = "k=4";
  assert_ok(make(f, "t"), f->err);
  assert_string_equal(values_of(f), "2024-01-01,02 2024-01-02,3 __HIVE_DEFAULT_PARTITION__,4 ");
}

/* The columns as DDL lists them, partition columns included: a natural mistake, which showed no rows. */
static void partition_columns_in_the_schema_are_refused_or_reported(void **state) {
  fixture *f = *state;
  put_partitions(f);
  f->opts.schema = "struct<a:int,b:string,d:string,k:int>";
  assert_fails(make(f, "t"), SKEP_ERR_ARGUMENT, f->err,
               "t: the schema has a column that names partition directories: it belongs into the partition schema");
  put(f, "plain/k=1/000000_0", plain(1));
  f->opts.schema = "struct<a:int,b:string,k:int>";
  assert_ok(make(f, "plain"), f->err);
  assert_int_equal(f->plan->n_notices, 1);
  assert_non_null(strstr(f->plan->notices[0].text, "list bucketing"));
}

/* Tails are opened only where something depends on them. */
static void planning_reads_one_tail_of_a_marked_table(void **state) {
  fixture *f = *state;
  for (int w = 1; w <= 20; w++) {
    char path[64];
    snprintf(path, sizeof path, "t/delta_%d_%d_0/bucket_00000_0", w, w);
    put(f, path, inserts(0));
  }
  skep_fs *counting;
  assert_ok(skep_fs_faulty_new(&f->ctx, f->fs, &counting, &f->err), f->err);
  const char *path = "t";
  assert_ok(skep_plan_make(&f->ctx, counting, &path, 1, &f->opts, &f->plan, &f->err), f->err);
  assert_int_equal(f->plan->n_splits, 20);
  assert_int_equal(skep_fs_faulty_counts(counting).opens, 1);
  assert_int_equal(skep_fs_faulty_counts(counting).lists, 21);
  skep_fs_free(counting);
}

static void put_mixed_table(fixture *f) {
  put(f, "t/k=1/000000_0", plain(3));
  put(f, "t/k=1/000000_0_copy_1", plain(3));
  put(f, "t/k=1/000001_0", plain(3));
  put(f, "t/k=1/delta_1_1_0/bucket_0", v1(0, 1));
  put(f, "t/k=1/delete_delta_2_2_0/bucket_0", deletes(0, 0));
  put(f, "t/k=2/oops", plain(3));
  put(f, "t/k=2/delta_1_1_0/bucket_0", inserts(0));
  f->opts.partition_schema = "struct<k:int>";
  f->opts.predicate = "k > 0 AND a = 1";
  f->opts.split_bytes = 1;
}

static void every_failing_call_is_reported(void **state) {
  fixture *f = *state;
  put_mixed_table(f);
  skep_fs *faulty;
  const char *path = "t";
  assert_ok(skep_fs_faulty_new(&f->ctx, f->fs, &faulty, &f->err), f->err);
  assert_ok(skep_plan_make(&f->ctx, faulty, &path, 1, &f->opts, &f->plan, &f->err), f->err);
  uint64_t calls = skep_fs_faulty_counts(faulty).calls;
  for (uint64_t nth = 1; nth <= calls; nth++) {
    skep_plan *plan;
    skep_fs_faulty_fail_nth(faulty, nth, false);
    assert_int_equal(skep_plan_make(&f->ctx, faulty, &path, 1, &f->opts, &plan, &f->err), SKEP_ERR_IO);
    assert_null(plan);
  }
  skep_fs_free(faulty);
}

static void running_out_of_memory_is_a_status(void **state) {
  fixture *f = *state;
  put_mixed_table(f);
  failing_alloc memory;
  skep_ctx ctx;
  failing_alloc_ctx(&memory, &ctx);
  const char *path = "t";
  for (uint64_t n = 1;; n++) {
    failing_alloc_arm(&memory, n);
    skep_plan *plan;
    skep_status status = skep_plan_make(&ctx, f->fs, &path, 1, &f->opts, &plan, &f->err);
    skep_plan_free(plan);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) {
      assert_int_equal(status, SKEP_OK);
      break;
    }
    /* protobuf-c does not tell a failed allocation from a bad message */
    if (status == SKEP_ERR_CORRUPT && strstr(f->err.text, "no valid message") != NULL) continue;
    if (status != SKEP_ERR_NOMEM)
      fail_msg("allocation %d: status %s: %s", (int)n, skep_status_name(status), f->err.text);
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  static const struct CMUnitTest tests[] = {
      TEST(a_full_acid_table_becomes_acid_splits_with_deletes),
      TEST(delete_files_that_may_hold_other_writers_apply_to_all),
      TEST(deletes_of_the_same_write_id_apply_whatever_the_statement),
      TEST(originals_get_row_ids_that_go_on_within_a_bucket),
      TEST(originals_of_old_versions_have_plain_buckets),
      TEST(originals_need_no_ids_when_nothing_asks_for_them),
      TEST(buckets_with_updates_in_their_deltas_are_merged),
      TEST(a_table_upgraded_half_way_is_read_as_both_were_written),
      TEST(insert_only_tables_are_plain_rows),
      TEST(long_files_are_cut_at_stripes),
      TEST(partition_columns_are_texts_or_typed),
      TEST(old_versions_read_days_that_their_calendar_lacks_as_later_ones),
      TEST(a_tree_of_too_many_partitions_is_refused),
      TEST(partitions_are_pruned_before_they_are_listed),
      TEST(projections_and_predicates_are_checked_and_split),
      TEST(several_paths_need_one_schema),
      TEST(the_newest_file_speaks_for_the_schema),
      TEST(the_newest_partition_speaks_for_the_schema),
      TEST(a_data_file_that_is_no_file_is_no_empty_one),
      TEST(what_stands_in_place_of_an_acid_directory_is_not_passed_over),
      TEST(directories_in_place_of_data_files_are_not_passed_over),
      TEST(a_delta_that_holds_its_own_table_is_not_empty),
      TEST(bucket_numbers_have_32_bits),
      TEST(other_formats_are_named),
      TEST(what_cannot_be_planned_is_said),
      TEST(a_table_without_rows_needs_no_columns),
      TEST(columns_are_those_of_files_that_are_not_read),
      TEST(filters_of_one_column_are_alternatives),
      TEST(partition_columns_in_the_schema_are_refused_or_reported),
      TEST(planning_reads_one_tail_of_a_marked_table),
      TEST(every_failing_call_is_reported),
      TEST(running_out_of_memory_is_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
