/* The wrappers, over a backend that has nothing but the required methods; and what the faulty one counts. */
#include "io/fs.h"

#include "io/faulty.h"
#include "io/memory.h"
#include "support/test.h"

static skep_status no_open(skep_fs *fs, const char *path, skep_file **out, skep_err *err) {
  (void)fs, (void)path, (void)out;
  return skep_fail(err, SKEP_ERR_NOT_FOUND, "nothing here");
}

static void missing_methods_are_unsupported_by_name(void **state) {
  (void)state;
  static const skep_fs_vtab bare = {.name = "bare", .open_read = no_open};
  skep_fs fs = {.vt = &bare};
  skep_err err = {0};
  skep_file *file = (skep_file *)&fs;
  assert_fails(skep_fs_create(&fs, "x", &file, &err), SKEP_ERR_UNSUPPORTED, err,
               "x: the bare file system cannot create files");
  assert_null(file);
  assert_fails(skep_fs_mkdirs(&fs, "x", &err), SKEP_ERR_UNSUPPORTED, err, "cannot make directories");
  assert_fails(skep_fs_rename_new(&fs, "x", "y", &err), SKEP_ERR_UNSUPPORTED, err, "cannot rename");
  assert_fails(skep_fs_remove_file(&fs, "x", &err), SKEP_ERR_UNSUPPORTED, err, "cannot remove files");
  assert_fails(skep_fs_remove_dir(&fs, "x", &err), SKEP_ERR_UNSUPPORTED, err, "cannot remove directories");
  assert_fails(skep_fs_sync_dir(&fs, "x", &err), SKEP_ERR_UNSUPPORTED, err, "cannot sync directories");
  uint64_t room = 1;
  assert_fails(skep_fs_free_bytes(&fs, "x", &room, &err), SKEP_ERR_UNSUPPORTED, err, "cannot say how much is free");
  assert_int_equal(room, 0);
  assert_fails(skep_fs_create(&fs, NULL, &file, &err), SKEP_ERR_ARGUMENT, err, "empty path");
  assert_fails(skep_fs_rename_new(&fs, "x", "", &err), SKEP_ERR_ARGUMENT, err, "empty path");
  file = (skep_file *)&fs;
  assert_fails(skep_fs_open_read(&fs, "x", &file, &err), SKEP_ERR_NOT_FOUND, err, "nothing here");
  assert_null(file);
  assert_int_equal(skep_file_close(NULL, &err), SKEP_OK);
  skep_fs_free(NULL);
}

static void the_faulty_file_system_counts_and_can_keep_failing(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_err err = {0};
  skep_fs *below, *fs;
  skep_file *file;
  char bytes[10];
  assert_ok(skep_fs_memory_new(&ctx, &below, &err), err);
  assert_ok(skep_fs_memory_put(below, "x", "0123456789", 10, &err), err);
  assert_ok(skep_fs_faulty_new(&ctx, below, &fs, &err), err);
  assert_ok(skep_fs_open_read(fs, "x", &file, &err), err);
  assert_ok(skep_file_read_at(file, 0, bytes, 10, &err), err);
  assert_ok(skep_file_read_at(file, 5, bytes, 3, &err), err);
  skep_fs_counts counts = skep_fs_faulty_counts(fs);
  assert_int_equal(counts.calls, 3);
  assert_int_equal(counts.opens, 1);
  assert_int_equal(counts.reads, 2);
  assert_int_equal(counts.read_bytes, 13);
  assert_int_equal(counts.lists, 0);
  skep_fs_faulty_fail_nth(fs, 2, true);
  assert_ok(skep_file_read_at(file, 0, bytes, 1, &err), err);
  for (int i = 0; i < 3; i++) {
    assert_fails(skep_file_read_at(file, 0, bytes, 1, &err), SKEP_ERR_IO, err, "fails as requested");
  }
  skep_fs_faulty_fail_nth(fs, 0, false);
  assert_ok(skep_file_read_at(file, 0, bytes, 1, &err), err);
  skep_file_close(file, NULL);
  skep_fs_free(fs);
  skep_fs_free(below);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(missing_methods_are_unsupported_by_name),
      cmocka_unit_test(the_faulty_file_system_counts_and_can_keep_failing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
