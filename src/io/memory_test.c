/* What the memory backend has besides the contract: putting files whole, and no way up. */
#include "io/memory.h"

#include "support/failing_alloc.h"
#include "support/test.h"

static void put_makes_parents_and_replaces(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  failing_alloc_ctx(&memory, &ctx);
  skep_err err = {0};
  skep_fs *fs;
  assert_ok(skep_fs_memory_new(&ctx, &fs, &err), err);
  assert_ok(skep_fs_memory_put(fs, "t/delta_1_1/bucket_0", "first", 5, &err), err);
  skep_file *file;
  assert_ok(skep_fs_open_read(fs, "/t/./delta_1_1//bucket_0", &file, &err), err);
  assert_ok(skep_fs_memory_put(fs, "t/delta_1_1/bucket_0", "x", 1, &err), err);
  char bytes[5];
  assert_ok(skep_file_read_at(file, 0, bytes, 5, &err), err);
  assert_memory_equal(bytes, "first", 5); /* what was opened stays */
  skep_file_close(file, NULL);
  skep_stat st;
  assert_ok(skep_fs_stat(fs, "t/delta_1_1/bucket_0", &st, &err), err);
  assert_int_equal(st.size_bytes, 1);
  assert_ok(skep_fs_memory_put(fs, "top", NULL, 0, &err), err);
  assert_fails(skep_fs_memory_put(fs, "t", "x", 1, &err), SKEP_ERR_ARGUMENT, err, "t: is a directory");
  assert_fails(skep_fs_memory_put(fs, "top/x", "x", 1, &err), SKEP_ERR_EXISTS, err, "a file is in the way");
  assert_fails(skep_fs_memory_put(fs, "t/../x", "x", 1, &err), SKEP_ERR_ARGUMENT, err, "'..' is not supported");
  assert_fails(skep_fs_remove_dir(fs, "/", &err), SKEP_ERR_ARGUMENT, err, "the root cannot be removed");
  skep_fs_free(fs);
  assert_int_equal(failing_alloc_live(&memory), 0);
}

static void a_failing_put_leaks_nothing(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  failing_alloc_ctx(&memory, &ctx);
  for (uint64_t n = 1;; n++) {
    skep_fs *fs;
    failing_alloc_arm(&memory, n);
    skep_status status = skep_fs_memory_new(&ctx, &fs, NULL);
    if (status == SKEP_OK) status = skep_fs_memory_put(fs, "a/b/c", "bytes", 5, NULL);
    if (status == SKEP_OK) status = skep_fs_memory_put(fs, "a/b/c", "other", 5, NULL);
    skep_fs_free(fs);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) break;
    assert_int_equal(status, SKEP_ERR_NOMEM);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(put_makes_parents_and_replaces),
      cmocka_unit_test(a_failing_put_leaks_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
