/* What only a real file system has: links, pipes, files that shrink. */
#include "io/posix.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "support/temp_dir.h"
#include "support/test.h"

typedef struct fixture {
  skep_ctx ctx;
  temp_dir dir;
  skep_fs *fs;
  char path[400];
} fixture;

static int setup(void **state) {
  static fixture f;
  skep_err err = {0};
  skep_ctx_init(&f.ctx);
  temp_dir_make(&f.dir);
  assert_ok(skep_fs_posix_new(&f.ctx, &f.fs, &err), err);
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  skep_fs_free(f->fs);
  temp_dir_remove(&f->dir);
  return 0;
}

static const char *path(fixture *f, const char *name) {
  snprintf(f->path, sizeof f->path, "%s/%s", f->dir.path, name);
  return f->path;
}

static void put(fixture *f, const char *name, const char *text) {
  FILE *out = fopen(path(f, name), "w");
  assert_non_null(out);
  fputs(text, out);
  assert_int_equal(fclose(out), 0);
}

typedef struct found {
  int kinds[3];
  uint64_t bytes;
} found;

static skep_status count(void *self, const skep_entry *entry, skep_err *err) {
  (void)err;
  found *f = self;
  f->kinds[entry->kind]++;
  f->bytes += entry->size_bytes;
  return SKEP_OK;
}

static void links_are_followed_and_dangling_ones_are_other(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  put(f, "file", "12345");
  assert_int_equal(symlink("file", path(f, "to_file")), 0);
  assert_int_equal(symlink(".", path(f, "to_dir")), 0);
  assert_int_equal(symlink("nowhere", path(f, "dangling")), 0);
  assert_int_equal(symlink("loop", path(f, "loop")), 0);
  found all = {0};
  assert_ok(skep_fs_list(f->fs, f->dir.path, true, count, &all, &err), err);
  assert_int_equal(all.kinds[SKEP_ENTRY_FILE], 2);
  assert_int_equal(all.kinds[SKEP_ENTRY_DIR], 1);
  assert_int_equal(all.kinds[SKEP_ENTRY_OTHER], 2);
  assert_int_equal(all.bytes, 10);
  skep_stat st;
  assert_fails(skep_fs_stat(f->fs, path(f, "dangling"), &st, &err), SKEP_ERR_NOT_FOUND, err, "No such file");
  assert_fails(skep_fs_stat(f->fs, path(f, "loop"), &st, &err), SKEP_ERR_ARGUMENT, err, "symbolic links");
}

static void a_pipe_is_refused_without_waiting(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  skep_file *file;
  assert_int_equal(mkfifo(path(f, "pipe"), 0600), 0);
  assert_fails(skep_fs_open_read(f->fs, path(f, "pipe"), &file, &err), SKEP_ERR_ARGUMENT, err, "not a regular file");
}

static void a_file_that_shrank_since_it_was_opened_is_corrupt(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  skep_file *file;
  char bytes[8];
  put(f, "file", "12345678");
  assert_ok(skep_fs_open_read(f->fs, path(f, "file"), &file, &err), err);
  assert_int_equal(truncate(path(f, "file"), 5), 0);
  assert_fails(skep_file_read_at(file, 2, bytes, 6, &err), SKEP_ERR_CORRUPT, err,
               "the file ends at 5, 3 bytes before the end of a read; it had 8 bytes when it was opened");
  skep_file_close(file, NULL);
}

/* A limit on file sizes stands in for a full disk: the first bytes fit, the rest do not. */
static void a_failed_write_is_remembered(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  skep_file *file;
  struct rlimit before, small;
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 4;
  assert_ok(skep_fs_create(f->fs, path(f, "file"), &file, &err), err);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  skep_status status = skep_file_append(file, "12345678", 8, &err);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  assert_int_equal(status, SKEP_ERR_IO);
  assert_string_equal(err.text, "cannot write: File too large");
  assert_int_equal(file->size_bytes, 4);
  assert_fails(skep_file_append(file, "x", 1, &err), SKEP_ERR_IO, err, "an earlier write to this file failed");
  assert_fails(skep_file_sync(file, &err), SKEP_ERR_IO, err, "an earlier write to this file failed");
  skep_file_close(file, NULL);
}

static void a_relative_path_is_one_of_the_current_directory(void **state) {
  fixture *f = *state;
  static const char *const cases[][2] = {{"a/b", "/a/b"}, {"./a", "/a"}, {".//./a/", "/a/"}, {".", ""},
                                         {"./", ""},      {"..", "/.."}, {".a", "/.a"}};
  skep_arena arena;
  skep_err err = {0};
  const char *out;
  char before[400], here[400], expected[500];
  skep_arena_init(&arena, &f->ctx, 1 << 20);
  assert_non_null(getcwd(before, sizeof before));
  assert_int_equal(chdir(f->dir.path), 0);
  assert_non_null(getcwd(here, sizeof here));
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_ok(skep_posix_absolute(&arena, cases[i][0], &out, &err), err);
    snprintf(expected, sizeof expected, "%s%s", here, cases[i][1]);
    assert_string_equal(out, expected);
  }
  assert_ok(skep_posix_absolute(&arena, "/x/./y", &out, &err), err);
  assert_string_equal(out, "/x/./y");
  assert_int_equal(chdir(before), 0);
  skep_arena_fini(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(links_are_followed_and_dangling_ones_are_other, setup, teardown),
      cmocka_unit_test_setup_teardown(a_pipe_is_refused_without_waiting, setup, teardown),
      cmocka_unit_test_setup_teardown(a_file_that_shrank_since_it_was_opened_is_corrupt, setup, teardown),
      cmocka_unit_test_setup_teardown(a_failed_write_is_remembered, setup, teardown),
      cmocka_unit_test_setup_teardown(a_relative_path_is_one_of_the_current_directory, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
