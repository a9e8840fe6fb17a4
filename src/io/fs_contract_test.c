/* The contract of fs.h, over every backend: one more backend is one more line in `backends`. */
#include <stdlib.h>

#include "io/faulty.h"
#include "io/fs.h"
#include "io/memory.h"
#include "io/posix.h"
#include "support/failing_alloc.h"
#include "support/temp_dir.h"
#include "support/test.h"

typedef struct fixture {
  failing_alloc memory;
  skep_ctx ctx;
  temp_dir dir;   /* empty unless the backend is on disk */
  skep_fs *below; /* what a faulty one stands on */
  skep_fs *fs;
  char paths[8][400]; /* results of path(), in turn */
  size_t next_path;
} fixture;

typedef struct backend {
  const char *name;
  void (*make)(fixture *f);
} backend;

static void make_posix(fixture *f) {
  skep_err err = {0};
  temp_dir_make(&f->dir);
  assert_ok(skep_fs_posix_new(&f->ctx, &f->fs, &err), err);
}

static void make_memory(fixture *f) {
  skep_err err = {0};
  assert_ok(skep_fs_memory_new(&f->ctx, &f->fs, &err), err);
}

static void make_faulty_over_memory(fixture *f) {
  skep_err err = {0};
  make_memory(f);
  f->below = f->fs;
  assert_ok(skep_fs_faulty_new(&f->ctx, f->below, &f->fs, &err), err);
}

static void make_faulty_over_posix(fixture *f) {
  skep_err err = {0};
  make_posix(f);
  f->below = f->fs;
  assert_ok(skep_fs_faulty_new(&f->ctx, f->below, &f->fs, &err), err);
}

static const backend backends[] = {
    {"posix", make_posix},
    {"memory", make_memory},
    {"faulty over memory", make_faulty_over_memory},
    {"faulty over posix", make_faulty_over_posix},
};

static void setup(fixture *f, const backend *b) {
  memset(f, 0, sizeof *f);
  failing_alloc_ctx(&f->memory, &f->ctx);
  b->make(f);
}

static void teardown(fixture *f) {
  skep_fs_free(f->fs);
  skep_fs_free(f->below);
  temp_dir_remove(&f->dir);
  assert_int_equal(failing_alloc_live(&f->memory), 0);
}

#define FOR_EACH_BACKEND(f)                                                                                      \
  for (size_t backend_ = 0; backend_ < sizeof backends / sizeof *backends; backend_++)                           \
    for (bool once_ = (print_message("    %s\n", backends[backend_].name), setup(f, &backends[backend_]), true); \
         once_; once_ = (teardown(f), false))

/* A name below the fixture's root. */
static const char *path(fixture *f, const char *name) {
  char *out = f->paths[f->next_path++ % 8];
  snprintf(out, sizeof f->paths[0], "%s%s%s", f->dir.path, f->dir.path[0] == '\0' ? "" : "/", name);
  return out;
}

static void write_file(fixture *f, const char *name, const char *text) {
  skep_err err = {0};
  skep_file *file;
  assert_ok(skep_fs_create(f->fs, path(f, name), &file, &err), err);
  assert_ok(skep_file_append(file, text, strlen(text), &err), err);
  assert_ok(skep_file_sync(file, &err), err);
  assert_ok(skep_file_close(file, &err), err);
}

static void what_is_appended_can_be_read_at_any_offset(void **state) {
  (void)state;
  fixture f;
  FOR_EACH_BACKEND(&f) {
    skep_err err = {0};
    skep_file *file;
    assert_ok(skep_fs_create(f.fs, path(&f, "x"), &file, &err), err);
    assert_ok(skep_file_append(file, "hello ", 6, &err), err);
    assert_ok(skep_file_append(file, "", 0, &err), err);
    assert_ok(skep_file_append(file, "bees", 4, &err), err);
    assert_int_equal(file->size_bytes, 10);
    assert_ok(skep_file_sync(file, &err), err);
    assert_ok(skep_file_close(file, &err), err);
    assert_ok(skep_fs_open_read(f.fs, path(&f, "x"), &file, &err), err);
    assert_int_equal(file->size_bytes, 10);
    char bytes[10];
    assert_ok(skep_file_read_at(file, 0, bytes, 10, &err), err);
    assert_memory_equal(bytes, "hello bees", 10);
    assert_ok(skep_file_read_at(file, 6, bytes, 4, &err), err);
    assert_memory_equal(bytes, "bees", 4);
    assert_ok(skep_file_read_at(file, 10, bytes, 0, &err), err);
    assert_ok(skep_file_close(file, &err), err);
  }
}

static void a_read_past_the_end_says_how_far(void **state) {
  (void)state;
  fixture f;
  FOR_EACH_BACKEND(&f) {
    skep_err err = {0};
    skep_file *file;
    char byte = 'u';
    write_file(&f, "x", "0123456789");
    assert_ok(skep_fs_open_read(f.fs, path(&f, "x"), &file, &err), err);
    assert_fails(skep_file_read_at(file, 8, &byte, 3, &err), SKEP_ERR_CORRUPT, err,
                 "3 bytes at offset 8 were asked of a file of 10 bytes");
    assert_fails(skep_file_read_at(file, UINT64_MAX, &byte, 1, &err), SKEP_ERR_CORRUPT, err, "of a file of 10 bytes");
    assert_fails(skep_file_read_at(file, 0, &byte, SIZE_MAX, &err), SKEP_ERR_CORRUPT, err, "of a file of 10 bytes");
    assert_int_equal(byte, 'u');
    skep_file_close(file, NULL);
  }
}

static void a_reader_cannot_append_and_a_writer_cannot_read(void **state) {
  (void)state;
  fixture f;
  FOR_EACH_BACKEND(&f) {
    skep_err err = {0};
    skep_file *file;
    char byte;
    assert_ok(skep_fs_create(f.fs, path(&f, "x"), &file, &err), err);
    assert_ok(skep_file_append(file, "a", 1, &err), err);
    assert_fails(skep_file_read_at(file, 0, &byte, 1, &err), SKEP_ERR_UNSUPPORTED, err, "opened for appending");
    assert_ok(skep_file_close(file, &err), err);
    assert_ok(skep_fs_open_read(f.fs, path(&f, "x"), &file, &err), err);
    assert_fails(skep_file_append(file, "b", 1, &err), SKEP_ERR_UNSUPPORTED, err, "opened for reading");
    assert_fails(skep_file_sync(file, &err), SKEP_ERR_UNSUPPORTED, err, "opened for reading");
    assert_ok(skep_file_close(file, &err), err);
  }
}

static void names_that_are_missing_or_taken_are_told_apart(void **state) {
  (void)state;
  fixture f;
  FOR_EACH_BACKEND(&f) {
    skep_err err = {0};
    skep_file *file = (skep_file *)&f;
    skep_stat st;
    assert_ok(skep_fs_mkdirs(f.fs, path(&f, "d"), &err), err);
    write_file(&f, "x", "");
    assert_fails(skep_fs_open_read(f.fs, path(&f, "no"), &file, &err), SKEP_ERR_NOT_FOUND, err, "no: ");
    assert_null(file);
    assert_fails(skep_fs_open_read(f.fs, path(&f, "x/y"), &file, &err), SKEP_ERR_NOT_FOUND, err, "x/y: ");
    assert_fails(skep_fs_open_read(f.fs, path(&f, "d"), &file, &err), SKEP_ERR_ARGUMENT, err, "is a directory");
    assert_fails(skep_fs_open_read(f.fs, "", &file, &err), SKEP_ERR_ARGUMENT, err, "empty path");
    assert_fails(skep_fs_create(f.fs, path(&f, "x"), &file, &err), SKEP_ERR_EXISTS, err, "x: ");
    assert_fails(skep_fs_create(f.fs, path(&f, "d"), &file, &err), SKEP_ERR_EXISTS, err, "d: ");
    assert_fails(skep_fs_create(f.fs, path(&f, "no/x"), &file, &err), SKEP_ERR_NOT_FOUND, err, "no/x: ");
    assert_fails(skep_fs_stat(f.fs, path(&f, "no"), &st, &err), SKEP_ERR_NOT_FOUND, err, "no: ");
    assert_fails(skep_fs_mkdirs(f.fs, path(&f, "x"), &err), SKEP_ERR_EXISTS, err, "x: ");
  }
}

static void hostile_names_are_quoted_in_messages(void **state) {
  (void)state;
  fixture f;
  FOR_EACH_BACKEND(&f) {
    skep_err err = {0};
    skep_file *file;
    assert_fails(skep_fs_open_read(f.fs, path(&f, "a\x1b[2Jb"), &file, &err), SKEP_ERR_NOT_FOUND, err, "a\\x1b[2Jb: ");
  }
}

static void stat_tells_kind_size_and_time(void **state) {
  (void)state;
  fixture f;
  FOR_EACH_BACKEND(&f) {
    skep_err err = {0};
    skep_stat st;
    write_file(&f, "x", "12345");
    assert_ok(skep_fs_stat(f.fs, path(&f, "x"), &st, &err), err);
    assert_int_equal(st.kind, SKEP_ENTRY_FILE);
    assert_int_equal(st.size_bytes, 5);
    assert_true(st.mtime_ms > INT64_C(1600000000000)); /* milliseconds, and after 2020 */
    assert_ok(skep_fs_mkdirs(f.fs, path(&f, "a/b//c/"), &err), err);
    assert_ok(skep_fs_mkdirs(f.fs, path(&f, "a/b/c"), &err), err);
    assert_ok(skep_fs_stat(f.fs, path(&f, "a/b/c"), &st, &err), err);
    assert_int_equal(st.kind, SKEP_ENTRY_DIR);
    assert_int_equal(st.size_bytes, 0);
    assert_ok(skep_fs_sync_dir(f.fs, path(&f, "a/b"), &err), err);
    uint64_t room;
    assert_ok(skep_fs_free_bytes(f.fs, path(&f, "a/b"), &room, &err), err);
    assert_int_equal(skep_fs_free_bytes(f.fs, path(&f, "nowhere"), &room, &err), SKEP_ERR_NOT_FOUND);
    assert_int_equal(room, 0);
    assert_true((skep_fs_promises(f.fs, path(&f, "a")) & SKEP_FS_ATOMIC_RENAME) != 0);
  }
}

typedef struct listing {
  size_t n;
  bool stop; /* the visitor fails at once */
  char text[8][64];
} listing;

static skep_status note_entry(void *self, const skep_entry *entry, skep_err *err) {
  listing *l = self;
  if (l->stop) return skep_fail(err, SKEP_ERR_CANCELLED, "enough");
  snprintf(l->text[l->n++], sizeof l->text[0], "%s %d %d", entry->name, (int)entry->kind, (int)entry->size_bytes);
  return SKEP_OK;
}

static int compare_text(const void *a, const void *b) { return strcmp(a, b); }

static void a_list_names_everything_once(void **state) {
  (void)state;
  fixture f;
  FOR_EACH_BACKEND(&f) {
    skep_err err = {0};
    listing l = {0};
    assert_ok(skep_fs_mkdirs(f.fs, path(&f, "t/dir"), &err), err);
    assert_ok(skep_fs_list(f.fs, path(&f, "t/dir"), true, note_entry, &l, &err), err);
    assert_int_equal(l.n, 0);
    write_file(&f, "t/.hidden", "1");
    write_file(&f, "t/bucket_00000", "123");
    write_file(&f, "t/dir/below", "");
    assert_ok(skep_fs_list(f.fs, path(&f, "t"), true, note_entry, &l, &err), err);
    qsort(l.text, l.n, sizeof l.text[0], compare_text);
    assert_int_equal(l.n, 3);
    assert_string_equal(l.text[0], ".hidden 0 1");
    assert_string_equal(l.text[1], "bucket_00000 0 3");
    assert_string_equal(l.text[2], "dir 1 0");
    l.n = 0;
    assert_ok(skep_fs_list(f.fs, path(&f, "t/"), false, note_entry, &l, &err), err);
    qsort(l.text, l.n, sizeof l.text[0], compare_text);
    assert_string_equal(l.text[1], "bucket_00000 0 0"); /* sizes were not asked for */
  }
}

static void a_list_passes_the_visitors_status_on(void **state) {
  (void)state;
  fixture f;
  FOR_EACH_BACKEND(&f) {
    skep_err err = {0};
    listing l = {.stop = true};
    write_file(&f, "x", "");
    const char *root = f.dir.path[0] == '\0' ? "/" : f.dir.path;
    assert_fails(skep_fs_list(f.fs, root, false, note_entry, &l, &err), SKEP_ERR_CANCELLED, err, "enough");
    assert_fails(skep_fs_list(f.fs, path(&f, "no"), false, note_entry, &l, &err), SKEP_ERR_NOT_FOUND, err, "no: ");
    assert_fails(skep_fs_list(f.fs, path(&f, "x"), false, note_entry, &l, &err), SKEP_ERR_ARGUMENT, err,
                 "is not a directory");
  }
}

static void a_rename_never_replaces(void **state) {
  (void)state;
  fixture f;
  FOR_EACH_BACKEND(&f) {
    skep_err err = {0};
    skep_stat st;
    write_file(&f, "a", "A");
    write_file(&f, "b", "BB");
    assert_ok(skep_fs_mkdirs(f.fs, path(&f, "d/sub"), &err), err);
    assert_ok(skep_fs_mkdirs(f.fs, path(&f, "empty"), &err), err);
    assert_fails(skep_fs_rename_new(f.fs, path(&f, "a"), path(&f, "b"), &err), SKEP_ERR_EXISTS, err, "b: ");
    assert_fails(skep_fs_rename_new(f.fs, path(&f, "d"), path(&f, "empty"), &err), SKEP_ERR_EXISTS, err, "empty: ");
    assert_fails(skep_fs_rename_new(f.fs, path(&f, "no"), path(&f, "c"), &err), SKEP_ERR_NOT_FOUND, err, "no: ");
    assert_fails(skep_fs_rename_new(f.fs, path(&f, "a"), path(&f, "no/c"), &err), SKEP_ERR_NOT_FOUND, err, ": ");
    assert_ok(skep_fs_rename_new(f.fs, path(&f, "a"), path(&f, "d/z"), &err), err);
    assert_ok(skep_fs_rename_new(f.fs, path(&f, "b"), path(&f, "0"), &err), err);
    assert_ok(skep_fs_rename_new(f.fs, path(&f, "d"), path(&f, "moved"), &err), err);
    assert_fails(skep_fs_rename_new(f.fs, path(&f, "moved"), path(&f, "moved/sub/x"), &err), SKEP_ERR_ARGUMENT, err,
                 "into itself");
    assert_ok(skep_fs_stat(f.fs, path(&f, "moved/z"), &st, &err), err);
    assert_int_equal(st.size_bytes, 1);
    assert_ok(skep_fs_stat(f.fs, path(&f, "0"), &st, &err), err);
    assert_int_equal(st.size_bytes, 2);
    assert_fails(skep_fs_stat(f.fs, path(&f, "d"), &st, &err), SKEP_ERR_NOT_FOUND, err, "d: ");
  }
}

static void removing_is_strict_about_kinds(void **state) {
  (void)state;
  fixture f;
  FOR_EACH_BACKEND(&f) {
    skep_err err = {0};
    assert_ok(skep_fs_mkdirs(f.fs, path(&f, "d"), &err), err);
    write_file(&f, "d/x", "");
    assert_fails(skep_fs_remove_dir(f.fs, path(&f, "d"), &err), SKEP_ERR_EXISTS, err, "d: ");
    assert_fails(skep_fs_remove_dir(f.fs, path(&f, "d/x"), &err), SKEP_ERR_ARGUMENT, err, "is not a directory");
    assert_fails(skep_fs_remove_file(f.fs, path(&f, "d"), &err), SKEP_ERR_ARGUMENT, err, "d: ");
    assert_fails(skep_fs_remove_file(f.fs, path(&f, "d/no"), &err), SKEP_ERR_NOT_FOUND, err, "no: ");
    assert_ok(skep_fs_remove_file(f.fs, path(&f, "d/x"), &err), err);
    assert_ok(skep_fs_remove_dir(f.fs, path(&f, "d"), &err), err);
    assert_fails(skep_fs_remove_dir(f.fs, path(&f, "d"), &err), SKEP_ERR_NOT_FOUND, err, "d: ");
  }
}

static void an_open_file_outlives_its_name(void **state) {
  (void)state;
  fixture f;
  FOR_EACH_BACKEND(&f) {
    skep_err err = {0};
    skep_file *file;
    char bytes[3];
    write_file(&f, "x", "old");
    assert_ok(skep_fs_open_read(f.fs, path(&f, "x"), &file, &err), err);
    assert_ok(skep_fs_remove_file(f.fs, path(&f, "x"), &err), err);
    write_file(&f, "x", "new one");
    assert_ok(skep_file_read_at(file, 0, bytes, 3, &err), err);
    assert_memory_equal(bytes, "old", 3);
    assert_int_equal(file->size_bytes, 3);
    assert_ok(skep_file_close(file, &err), err);
  }
}

static void a_whole_file_is_read_up_to_a_limit(void **state) {
  (void)state;
  fixture f;
  FOR_EACH_BACKEND(&f) {
    skep_err err = {0};
    skep_buf buf;
    skep_buf_init(&buf, &f.ctx, 8);
    write_file(&f, "small", "12345678");
    write_file(&f, "large", "123456789");
    write_file(&f, "empty", "");
    assert_ok(skep_fs_read_whole(f.fs, path(&f, "empty"), &buf, &err), err);
    assert_ok(skep_fs_read_whole(f.fs, path(&f, "small"), &buf, &err), err);
    assert_string_equal(skep_buf_string(&buf), "12345678");
    skep_buf_reset(&buf);
    assert_fails(skep_fs_read_whole(f.fs, path(&f, "large"), &buf, &err), SKEP_ERR_LIMIT, err,
                 "large: 9 bytes, at most 8 are read");
    skep_buf_fini(&buf);
  }
}

/* A scenario with every call that allocates or can fail; frees all it made, and leaves nothing behind. */
static skep_status scenario(fixture *f, skep_err *err) {
  skep_file *file = NULL;
  listing l = {0};
  skep_buf buf;
  skep_buf_init(&buf, &f->ctx, 100);
  skep_status status = skep_fs_mkdirs(f->fs, path(f, "s/t"), err);
  if (status == SKEP_OK) status = skep_fs_create(f->fs, path(f, "s/t/x"), &file, err);
  if (status == SKEP_OK) status = skep_file_append(file, "bytes", 5, err);
  if (status == SKEP_OK) status = skep_file_sync(file, err);
  skep_file_close(file, NULL);
  if (status == SKEP_OK) status = skep_fs_rename_new(f->fs, path(f, "s/t/x"), path(f, "s/y"), err);
  if (status == SKEP_OK) status = skep_fs_list(f->fs, path(f, "s"), true, note_entry, &l, err);
  if (status == SKEP_OK) status = skep_fs_read_whole(f->fs, path(f, "s/y"), &buf, err);
  if (status == SKEP_OK) assert_string_equal(skep_buf_string(&buf), "bytes");
  skep_buf_fini(&buf);
  return status;
}

static void clean_up_scenario(fixture *f) {
  static const char *const files[] = {"s/y", "s/t/x"};
  static const char *const dirs[] = {"s/t", "s"};
  for (size_t i = 0; i < 2; i++) (void)!skep_fs_remove_file(f->fs, path(f, files[i]), NULL);
  for (size_t i = 0; i < 2; i++) (void)!skep_fs_remove_dir(f->fs, path(f, dirs[i]), NULL);
}

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state) {
  (void)state;
  fixture f;
  FOR_EACH_BACKEND(&f) {
    bool fired = true;
    for (uint64_t n = 1; fired; n++) {
      skep_err err = {0};
      failing_alloc_arm(&f.memory, n);
      skep_status status = scenario(&f, &err);
      fired = failing_alloc_fired(&f.memory);
      failing_alloc_arm(&f.memory, 0);
      assert_int_equal(status, fired ? SKEP_ERR_NOMEM : SKEP_OK);
      if (fired) assert_non_null(strstr(err.text, "memory"));
      clean_up_scenario(&f);
    }
  }
}

static void every_failing_call_is_reported_once(void **state) {
  (void)state;
  fixture f;
  FOR_EACH_BACKEND(&f) {
    if (f.below == NULL) continue;
    uint64_t calls = 0;
    for (uint64_t n = 0; n <= calls; n++) {
      skep_err err = {0};
      uint64_t before = skep_fs_faulty_counts(f.fs).calls;
      skep_fs_faulty_fail_nth(f.fs, n, false);
      skep_status status = scenario(&f, &err);
      if (n == 0) calls = skep_fs_faulty_counts(f.fs).calls - before;
      assert_int_equal(status, n == 0 ? SKEP_OK : SKEP_ERR_IO);
      if (n != 0) assert_non_null(strstr(err.text, "fails as requested"));
      skep_fs_faulty_fail_nth(f.fs, 0, false);
      clean_up_scenario(&f);
    }
    assert_int_equal(calls, 8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_appended_can_be_read_at_any_offset),
      cmocka_unit_test(a_read_past_the_end_says_how_far),
      cmocka_unit_test(a_reader_cannot_append_and_a_writer_cannot_read),
      cmocka_unit_test(names_that_are_missing_or_taken_are_told_apart),
      cmocka_unit_test(hostile_names_are_quoted_in_messages),
      cmocka_unit_test(stat_tells_kind_size_and_time),
      cmocka_unit_test(a_list_names_everything_once),
      cmocka_unit_test(a_list_passes_the_visitors_status_on),
      cmocka_unit_test(a_rename_never_replaces),
      cmocka_unit_test(removing_is_strict_about_kinds),
      cmocka_unit_test(an_open_file_outlives_its_name),
      cmocka_unit_test(a_whole_file_is_read_up_to_a_limit),
      cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
      cmocka_unit_test(every_failing_call_is_reported_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
