/* Reading layouts from a file system: side files, inner copies, partitions, and what goes wrong on the way. */
#include "acid/layout.h"

#include "io/faulty.h"
#include "io/memory.h"
#include "support/failing_alloc.h"
#include "support/meddling_fs.h"
#include "support/test.h"

typedef struct fixture {
  skep_ctx ctx;
  skep_fs *fs;
  skep_snapshot everything;
  skep_layout_opts opts;
  skep_layout *layout;
  skep_err err;
} fixture;

static int setup(void **state) {
  static fixture f;
  memset(&f, 0, sizeof f);
  skep_ctx_init(&f.ctx);
  f.everything.everything = true;
  f.opts.snapshot = &f.everything;
  *state = &f;
  return skep_fs_memory_new(&f.ctx, &f.fs, &f.err) == SKEP_OK ? 0 : -1;
}

static int teardown(void **state) {
  fixture *f = *state;
  skep_layout_free(f->layout);
  skep_fs_free(f->fs);
  return 0;
}

static void put(fixture *f, const char *path, const char *bytes, size_t size) {
  assert_ok(skep_fs_memory_put(f->fs, path, bytes, size, &f->err), f->err);
}

static void put_text(fixture *f, const char *path, const char *text) { put(f, path, text, strlen(text)); }

static skep_status read_again(fixture *f, const char *root) {
  skep_layout_free(f->layout);
  return skep_layout_read(&f->ctx, f->fs, root, &f->opts, &f->layout, &f->err);
}

static const skep_layout_dir *dir_named(fixture *f, const char *name) {
  for (uint32_t i = 0; i < f->layout->n_dirs; i++) {
    if (strcmp(f->layout->dirs[i].name, name) == 0) return &f->layout->dirs[i];
  }
  fail_msg("no directory %s", name);
  return NULL;
}

static const skep_layout_file *file_named(const skep_layout_dir *dir, const char *path) {
  for (uint32_t i = 0; i < dir->n_files; i++) {
    if (strcmp(dir->files[i].path, path) == 0) return &dir->files[i];
  }
  fail_msg("no file %s in %s", path, dir->name);
  return NULL;
}

static void a_table_is_listed_whole_and_judged(void **state) {
  fixture *f = *state;
  put_text(f, "t/_orc_acid_version", "2");
  put_text(f, "t/.hive-staging_hive_1/-ext-10000/000000_0", "x");
  put_text(f, "t/_tmp.delta_0000004_0000004_0000/000000_0.manifest", "x");
  put_text(f, "t/base_0000002/bucket_00000", "rows");
  put_text(f, "t/base_0000002/_orc_acid_version", "2");
  put_text(f, "t/000000_0", "old");
  put_text(f, "t/delta_0000003_0000003_0000/bucket_00001_0", "rows2");
  put_text(f, "t/delta_0000003_0000003_0000/bucket_00000_0", "rows");
  put_text(f, "t/delta_0000003_0000003_0000/oops", "rows");
  put_text(f, "t/delta_0000003_0000003_0000/000000_0", "rows");
  put_text(f, "t/delta_x/bucket_00000", "rows");
  assert_ok(read_again(f, "t"), f->err);
  assert_int_equal(f->layout->n_used, 2);
  assert_string_equal(f->layout->dirs[0].name, "base_0000002");
  const skep_layout_dir *delta = &f->layout->dirs[1];
  assert_string_equal(delta->name, "delta_0000003_0000003_0000");
  assert_int_equal(delta->content, SKEP_CONTENT_ACID);
  assert_string_equal(delta->files[0].path, "bucket_00000_0");
  assert_string_equal(delta->files[1].path, "bucket_00001_0");
  assert_int_equal(delta->files[1].logical_bytes, 5);
  assert_int_equal(file_named(delta, "oops")->verdict, SKEP_NAME_UNKNOWN);
  assert_int_equal(file_named(delta, "000000_0")->verdict, SKEP_NAME_UNKNOWN);
  assert_true(dir_named(f, "delta_x")->is_malformed);
  assert_int_equal(dir_named(f, "delta_x")->verdict, SKEP_NAME_UNKNOWN);
  assert_int_equal(dir_named(f, ".hive-staging_hive_1")->verdict, SKEP_IGNORED);
  assert_int_equal(dir_named(f, "_tmp.delta_0000004_0000004_0000")->verdict, SKEP_IGNORED);
  assert_int_equal(dir_named(f, "")->verdict, SKEP_OBSOLETE);
  assert_int_equal(file_named(dir_named(f, ""), "000000_0")->verdict, SKEP_OBSOLETE);
}

static void an_inner_copy_is_not_more_rows(void **state) {
  fixture *f = *state;
  put_text(f, "t/delta_0000001_0000005/bucket_00000", "rows");
  put_text(f, "t/delta_0000001_0000005/delta_0000001_0000005/bucket_00000", "rows");
  assert_ok(read_again(f, "t"), f->err);
  const skep_layout_dir *delta = &f->layout->dirs[0];
  assert_int_equal(delta->n_files, 2);
  assert_int_equal(delta->files[0].verdict, SKEP_USED);
  assert_true(delta->files[1].is_dir);
  assert_int_equal(delta->files[1].verdict, SKEP_IGNORED);
  assert_non_null(strstr(delta->files[1].reason, "inner copy"));
}

static void ordinary_subdirectories_belong_to_what_they_are_in(void **state) {
  fixture *f = *state;
  put_text(f, "t/HIVE_UNION_SUBDIR_1/000000_0", "rows");
  put_text(f, "t/000000_0", "rows");
  put_text(f, "t/k=1/v=2/000000_0", "rows");
  assert_ok(read_again(f, "t"), f->err);
  assert_int_equal(f->layout->n_dirs, 1);
  assert_false(f->layout->is_transactional_layout);
  assert_string_equal(f->layout->dirs[0].files[0].path, "000000_0");
  assert_string_equal(f->layout->dirs[0].files[1].path, "HIVE_UNION_SUBDIR_1/000000_0");
  assert_string_equal(f->layout->dirs[0].files[2].path, "k=1/v=2/000000_0");
  put_text(f, "mm/delta_1_1_1/HIVE_UNION_SUBDIR_1/000000_0", "rows");
  put_text(f, "mm/delta_1_1_1/_hidden/000000_0", "rows");
  assert_ok(read_again(f, "mm"), f->err);
  assert_int_equal(f->layout->dirs[0].content, SKEP_CONTENT_RAW);
  assert_string_equal(f->layout->dirs[0].files[0].path, "HIVE_UNION_SUBDIR_1/000000_0");
  assert_int_equal(f->layout->dirs[0].files[0].verdict, SKEP_USED);
  assert_int_equal(f->layout->dirs[0].files[1].verdict, SKEP_IGNORED);
}

static void acid_directories_below_ordinary_ones_are_reported(void **state) {
  fixture *f = *state;
  put_text(f, "db/table/delta_1_1/bucket_0", "rows");
  put_text(f, "db/table/base_x/bucket_0", "rows");
  assert_ok(read_again(f, "db"), f->err);
  assert_int_equal(f->layout->dirs[0].n_files, 2);
  for (int i = 0; i < 2; i++) {
    assert_true(f->layout->dirs[0].files[i].is_dir);
    assert_int_equal(f->layout->dirs[0].files[i].verdict, SKEP_NAME_UNKNOWN);
  }
}

static void a_directory_without_files_hides_nothing(void **state) {
  fixture *f = *state;
  put_text(f, "t/delta_1_1/bucket_0", "rows");
  assert_ok(skep_fs_mkdirs(f->fs, "t/base_5/_tmp", &f->err), f->err);
  assert_ok(skep_fs_mkdirs(f->fs, "t/delta_1_4", &f->err), f->err);
  assert_ok(read_again(f, "t"), f->err);
  assert_int_equal(f->layout->n_used, 1);
  assert_string_equal(f->layout->dirs[0].name, "delta_1_1");
  assert_string_equal(dir_named(f, "base_5")->reason, "holds no file");
  assert_true(f->layout->is_transactional_layout);
}

static void a_truncated_base_hides_everything_before_it(void **state) {
  fixture *f = *state;
  put_text(f, "t/delta_1_1/bucket_0", "rows");
  put_text(f, "t/base_5/_metadata_acid", "{\"thisFileVersion\":\"0\",\"dataFormat\":\"truncated\"}");
  assert_ok(read_again(f, "t"), f->err);
  assert_int_equal(f->layout->n_used, 1);
  assert_string_equal(f->layout->dirs[0].data_format, "truncated");
  assert_false(f->layout->dirs[0].is_compacted);
}

static void flushed_lengths_are_honoured(void **state) {
  fixture *f = *state;
  static const char twice[17] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 9}; /* 0, 3 and a torn third one */
  put_text(f, "t/delta_1_5/bucket_00000", "rows");
  put(f, "t/delta_1_5/bucket_00000_flush_length", twice, sizeof twice);
  put_text(f, "t/delta_1_5/bucket_00001", "rows");
  put(f, "t/delta_1_5/bucket_00001_flush_length", twice, 8);
  put_text(f, "t/delta_1_5/bucket_00002", "rows");
  put(f, "t/delta_1_5/bucket_00009_flush_length", twice, 8); /* its file is gone */
  assert_ok(read_again(f, "t"), f->err);
  const skep_layout_dir *delta = &f->layout->dirs[0];
  assert_int_equal(file_named(delta, "bucket_00000")->logical_bytes, 3);
  assert_int_equal(file_named(delta, "bucket_00000")->verdict, SKEP_USED);
  assert_int_equal(file_named(delta, "bucket_00001")->verdict, SKEP_IGNORED);
  assert_string_equal(file_named(delta, "bucket_00001")->reason, "nothing in it is committed yet");
  assert_int_equal(file_named(delta, "bucket_00002")->logical_bytes, 4);
  put(f, "t/delta_1_5/bucket_00000_flush_length", twice, 7);
  assert_fails(read_again(f, "t"), SKEP_ERR_CORRUPT, f->err,
               "t: delta_1_5: bucket_00000_flush_length has 7 bytes, and a length needs 8");
  static const char too_long[8] = {0, 0, 0, 0, 0, 0, 0, 5};
  put(f, "t/delta_1_5/bucket_00000_flush_length", too_long, 8);
  assert_fails(read_again(f, "t"), SKEP_ERR_CORRUPT, f->err, "says that 5 bytes are flushed, but the file has 4");
}

/* A file system whose writer goes on between the listing and the look at the side file: it commits more, or closes. */
static const skep_fs_vtab *calm;
static bool writer_closes;
static skep_status open_after_writer(skep_fs *fs, const char *path, skep_file **out, skep_err *err) {
  static const char seven[8] = {0, 0, 0, 0, 0, 0, 0, 7};
  assert_non_null(strstr(path, "_flush_length"));
  fs->vt = calm;
  SKEP_TRY(skep_fs_memory_put(fs, "t/delta_1_5/bucket_00000", "rows and", 8, err));
  SKEP_TRY(writer_closes ? skep_fs_remove_file(fs, path, err) : skep_fs_memory_put(fs, path, seven, 8, err));
  return calm->open_read(fs, path, out, err);
}

static void a_writer_may_go_on_meanwhile(void **state) {
  fixture *f = *state;
  static const char four[8] = {0, 0, 0, 0, 0, 0, 0, 4};
  calm = f->fs->vt;
  skep_fs_vtab busy = *calm;
  busy.open_read = open_after_writer;
  for (int i = 0; i < 2; i++) {
    writer_closes = i == 1;
    put_text(f, "t/delta_1_5/bucket_00000", "rows");
    put(f, "t/delta_1_5/bucket_00000_flush_length", four, 8);
    f->fs->vt = &busy;
    assert_ok(read_again(f, "t"), f->err);
    f->fs->vt = calm;
    assert_int_equal(file_named(&f->layout->dirs[0], "bucket_00000")->logical_bytes, writer_closes ? 8 : 7);
    assert_int_equal(file_named(&f->layout->dirs[0], "bucket_00000")->verdict, SKEP_USED);
  }
}

static void metadata_documents_are_checked(void **state) {
  fixture *f = *state;
  static const struct {
    const char *text, *format, *message;
  } cases[] = {
      {"{\"thisFileVersion\":\"0\",\"dataFormat\":\"compacted\"}", "compacted", NULL},
      {" { \"dataFormat\" : \"TRUNCATED\", \"x\": [1, {\"y\": \"}\"}], \"z\": null, \"thisFileVersion\":\"0\" }\n",
       "truncated", NULL},
      {"{\"dataFormat\":\"dropped\",\"thisFileVersion\":\"0\",\"n\":-1.5e3}", "dropped", NULL},
      {"", NULL, "byte 0: expected {"},
      {"[]", NULL, "byte 0: expected {"},
      {"{}", NULL, "thisFileVersion is \"\", not \"0\""},
      {"{\"thisFileVersion\":\"1\",\"dataFormat\":\"compacted\"}", NULL, "thisFileVersion is \"1\""},
      {"{\"thisFileVersion\":0,\"dataFormat\":\"compacted\"}", NULL, "expected a text"},
      {"{\"thisFileVersion\":\"0\"}", NULL, "unknown dataFormat \"\""},
      {"{\"thisFileVersion\":\"0\",\"dataFormat\":\"new\\nline\"}", NULL, "unknown dataFormat \"newnline\""},
      {"{\"thisFileVersion\":\"0\",\"dataFormat\":\"compacted\"", NULL, "expected , or }"},
      {"{\"thisFileVersion\":\"0\",\"dataFormat\":\"compacted\"}x", NULL, "expected the end"},
      {"{\"thisFileVersion\" \"0\"}", NULL, "expected :"},
      {"{\"a\":}", NULL, "expected a value"},
      {"{\"a\":[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]}", NULL, "expected a value"},
      {"{\"a\":[", NULL, "expected a value"},
      {"{\"a", NULL, "expected a key"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *format;
    skep_bytes bytes = skep_bytes_of(cases[i].text, strlen(cases[i].text));
    if (cases[i].message == NULL) {
      assert_ok(skep_metadata_acid_parse(bytes, &format, &f->err), f->err);
      assert_string_equal(format, cases[i].format);
    } else {
      assert_fails(skep_metadata_acid_parse(bytes, &format, &f->err), SKEP_ERR_CORRUPT, f->err, cases[i].message);
      assert_null(format);
    }
    for (size_t n = 0; n < bytes.left && cases[i].message == NULL;
         n++) { /* proper prefixes; blanks at the end may go */
      if (cases[i].text[n] == '\n') continue;
      assert_int_equal(skep_metadata_acid_parse(skep_bytes_of(cases[i].text, n), &format, NULL), SKEP_ERR_CORRUPT);
    }
  }
  put_text(f, "t/base_5/_metadata_acid", "{");
  assert_fails(read_again(f, "t"), SKEP_ERR_CORRUPT, f->err, "t: base_5: _metadata_acid: byte 1");
}

static void partitions_are_told_from_list_bucketing(void **state) {
  fixture *f = *state;
  put_text(f, "t/k=2/delta_1_1/bucket_0", "rows");
  put_text(f, "t/k=1/000000_0", "rows");
  put_text(f, "t/_orc_acid_version", "2");
  put_text(f, "t/marker", ""); /* holds no rows */
  f->opts.partition_levels = SKEP_PARTITIONS_AUTO;
  assert_ok(read_again(f, "t"), f->err);
  assert_int_equal(f->layout->n_partitions, 2);
  assert_string_equal(f->layout->partitions[0], "k=1");
  assert_string_equal(f->layout->partitions[1], "k=2");
  assert_int_equal(f->layout->n_used, 0);
  put_text(f, "t/delta_1_1/bucket_0", "rows");
  assert_ok(read_again(f, "t"), f->err);
  assert_null(f->layout->partitions);
  f->opts.partition_levels = 1;
  assert_ok(read_again(f, "t"), f->err);
  assert_int_equal(f->layout->n_partitions, 2);
  assert_int_equal(dir_named(f, "delta_1_1")->verdict, SKEP_NAME_UNKNOWN);
  f->opts.partition_levels = 0;
  put_text(f, "t2/k=1/000000_0", "rows");
  assert_ok(read_again(f, "t2"), f->err);
  assert_null(f->layout->partitions);
  assert_string_equal(f->layout->dirs[0].files[0].path, "k=1/000000_0");
}

static void a_missing_root_and_too_many_names_are_errors(void **state) {
  fixture *f = *state;
  assert_fails(read_again(f, "nowhere"), SKEP_ERR_NOT_FOUND, f->err, "nowhere");
  for (int i = 0; i < 6; i++) {
    char path[64];
    snprintf(path, sizeof path, "t/delta_%d_%d/bucket_0", i + 1, i + 1);
    put_text(f, path, "rows");
  }
  f->ctx.limits.max_dir_entries = 11;
  assert_fails(read_again(f, "t"), SKEP_ERR_LIMIT, f->err, "more than 11 files and directories");
  f->ctx.limits.max_dir_entries = 12;
  assert_ok(read_again(f, "t"), f->err);
  char deep[512] = "u";
  for (int i = 0; i < 40; i++) strncat(deep, "/d", sizeof deep - strlen(deep) - 1);
  strncat(deep, "/f", sizeof deep - strlen(deep) - 1);
  put_text(f, deep, "rows");
  f->ctx.limits.max_dir_entries = 1000;
  assert_fails(read_again(f, "u"), SKEP_ERR_LIMIT, f->err, "nested deeper than 32");
}

static void put_small_table(fixture *f) {
  static const char flushed[8] = {0, 0, 0, 0, 0, 0, 0, 2};
  put_text(f, "t/base_0000002/bucket_00000", "rows");
  put_text(f, "t/base_0000002/_metadata_acid", "{\"thisFileVersion\":\"0\",\"dataFormat\":\"compacted\"}");
  put_text(f, "t/delta_0000003_0000004/bucket_00000", "rows");
  put(f, "t/delta_0000003_0000004/bucket_00000_flush_length", flushed, 8);
  put_text(f, "t/k/000000_0", "rows");
}

static void every_failing_call_is_reported(void **state) {
  fixture *f = *state;
  put_small_table(f);
  skep_fs *faulty;
  assert_ok(skep_fs_faulty_new(&f->ctx, f->fs, &faulty, &f->err), f->err);
  assert_ok(skep_layout_read(&f->ctx, faulty, "t", &f->opts, &f->layout, &f->err), f->err);
  uint64_t calls = skep_fs_faulty_counts(faulty).calls;
  assert_int_equal(skep_fs_faulty_counts(faulty).lists, 4); /* one listing a directory */
  for (uint64_t nth = 1; nth <= calls; nth++) {
    skep_layout *layout;
    skep_fs_faulty_fail_nth(faulty, nth, false);
    assert_int_equal(skep_layout_read(&f->ctx, faulty, "t", &f->opts, &layout, &f->err), SKEP_ERR_IO);
    assert_null(layout);
  }
  skep_fs_free(faulty);
}

/* A directory with its only file goes away just before it is listed. */
typedef struct vanishing {
  fixture *f;
  const char *dir;
} vanishing;

static void vanish(void *self) {
  vanishing *v = self;
  char path[64];
  snprintf(path, sizeof path, "%s/bucket_00000", v->dir);
  assert_ok(skep_fs_remove_file(v->f->fs, path, &v->f->err), v->f->err);
  assert_ok(skep_fs_remove_dir(v->f->fs, v->dir, &v->f->err), v->f->err);
}

/* Reads t while the directory vanishes, and puts it back. */
static skep_status read_while_vanishing(fixture *f, const char *dir, const skep_layout_opts *opts,
                                        skep_layout **layout) {
  char path[64];
  vanishing v = {f, dir};
  meddling_fs fs;
  meddling_init(&fs, &f->ctx, f->fs, vanish, &v);
  fs.ending = dir;
  fs.times = 1;
  skep_status status = skep_layout_read(&f->ctx, &fs.base, "t", opts, layout, &f->err);
  snprintf(path, sizeof path, "%s/bucket_00000", dir);
  put_text(f, path, "rows");
  return status;
}

/* Write ids 3 aborted, 4 open, hwm 4. */
static void what_does_not_count_may_vanish(void **state) {
  fixture *f = *state;
  const struct {
    const char *name;
    bool missed;
  } cases[] = {{"delta_0000002_0000002_0000", false}, /* delta_1_3 has its rows: a cleaner may be at it */
               {"delta_0000003_0000003_0000", false}, {"delete_delta_0000004_0000004_0000", false},
               {"delta_0000005_0000005_0000", false}, {"base_0000004", false},
               {"delta_0000001_0000003", true},       {"delta_0000001_0000002_v0000009", false}};
  skep_arena arena;
  skep_arena_init(&arena, &f->ctx, 1 << 16);
  skep_snapshot snapshot;
  assert_ok(skep_snapshot_parse(&arena, "d.t:4:4:4:3", "8:9223372036854775807::", SKEP_HIVE_4, &snapshot, &f->err),
            f->err);
  put_text(f, "t/base_0000001/bucket_00000", "rows");
  char path[64];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    snprintf(path, sizeof path, "t/%s/bucket_00000", cases[i].name);
    put_text(f, path, "rows");
  }
  skep_layout_opts opts = {.snapshot = &snapshot};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    snprintf(path, sizeof path, "t/%s", cases[i].name);
    skep_layout *layout;
    skep_status status = read_while_vanishing(f, path, &opts, &layout);
    if (status != (cases[i].missed ? SKEP_ERR_NOT_FOUND : SKEP_OK)) fail_msg("%s: %s", path, skep_status_name(status));
    for (uint32_t k = 0; layout != NULL && k < layout->n_dirs; k++)
      assert_string_not_equal(layout->dirs[k].name, cases[i].name);
    skep_layout_free(layout);
  }
  skep_arena_fini(&arena);
}

/* A cleaner removes what a base has replaced while a reader of that base lists it; what the reader needs may not go. */
static void what_was_replaced_may_vanish(void **state) {
  fixture *f = *state;
  const struct {
    const char *dir;
    bool missed;
  } cases[] = {{"base_0000001", false},
               {"delta_0000002_0000002_0000", false},
               {"delete_delta_0000002_0000002_0000", false},
               {"plain", false}, /* original files */
               {"base_0000002_v0000007", true},
               {"delta_0000003_0000003_0000", true}};
  const skep_snapshot everything = {.everything = true};
  skep_layout_opts opts = {.snapshot = &everything};
  char path[64];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    snprintf(path, sizeof path, "t/%s/bucket_00000", cases[i].dir);
    put_text(f, path, "rows");
  }
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_layout *layout;
    snprintf(path, sizeof path, "t/%s", cases[i].dir);
    skep_status status = read_while_vanishing(f, path, &opts, &layout);
    if (status != (cases[i].missed ? SKEP_ERR_NOT_FOUND : SKEP_OK)) fail_msg("%s: %s", path, skep_status_name(status));
    if (cases[i].missed) continue;
    assert_int_equal(layout->n_used, 2);
    assert_int_equal(layout->n_dirs, 5);
    skep_layout_free(layout);
  }
}

static void running_out_of_memory_is_a_status(void **state) {
  fixture *f = *state;
  put_small_table(f);
  failing_alloc memory;
  skep_ctx ctx;
  failing_alloc_ctx(&memory, &ctx);
  for (uint64_t n = 1;; n++) {
    failing_alloc_arm(&memory, n);
    skep_layout *layout;
    skep_status status = skep_layout_read(&ctx, f->fs, "t", &f->opts, &layout, &f->err);
    skep_layout_free(layout);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) {
      assert_int_equal(status, SKEP_OK);
      break;
    }
    assert_int_equal(status, SKEP_ERR_NOMEM);
  }
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_table_is_listed_whole_and_judged, setup, teardown),
      cmocka_unit_test_setup_teardown(an_inner_copy_is_not_more_rows, setup, teardown),
      cmocka_unit_test_setup_teardown(ordinary_subdirectories_belong_to_what_they_are_in, setup, teardown),
      cmocka_unit_test_setup_teardown(acid_directories_below_ordinary_ones_are_reported, setup, teardown),
      cmocka_unit_test_setup_teardown(a_directory_without_files_hides_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(a_truncated_base_hides_everything_before_it, setup, teardown),
      cmocka_unit_test_setup_teardown(flushed_lengths_are_honoured, setup, teardown),
      cmocka_unit_test_setup_teardown(a_writer_may_go_on_meanwhile, setup, teardown),
      cmocka_unit_test_setup_teardown(metadata_documents_are_checked, setup, teardown),
      cmocka_unit_test_setup_teardown(partitions_are_told_from_list_bucketing, setup, teardown),
      cmocka_unit_test_setup_teardown(a_missing_root_and_too_many_names_are_errors, setup, teardown),
      cmocka_unit_test_setup_teardown(every_failing_call_is_reported, setup, teardown),
      cmocka_unit_test_setup_teardown(what_does_not_count_may_vanish, setup, teardown),
      cmocka_unit_test_setup_teardown(what_was_replaced_may_vanish, setup, teardown),
      cmocka_unit_test_setup_teardown(running_out_of_memory_is_a_status, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
