/* A warehouse remembers where its metastore is: who names none is told, and gets no empty one. */
#include "sql/metastore_place.h"

#include <sys/stat.h>
#include <unistd.h>

#include "io/faulty.h"
#include "support/warehouse.h"

typedef struct fixture {
  warehouse w;
  char away[100], url[120]; /* of a metastore beside the warehouse */
} fixture;

static void open_fixture(fixture *f) {
  warehouse_place(&f->w);
  assert_ok(warehouse_init(&f->w, f->w.dir), f->w.err);
  snprintf(f->away, sizeof f->away, "%s-elsewhere", f->w.dir);
  snprintf(f->url, sizeof f->url, "sqlite:%s", f->away);
}

static void close_fixture(fixture *f) {
  static const char *const ends[] = {"", "-wal", "-shm", "-queue"};
  for (size_t i = 0; i < 4; i++) {
    char path[120];
    snprintf(path, sizeof path, "%s%s", f->away, ends[i]);
    (void)unlink(path);
  }
  warehouse_close(&f->w);
}

static void open_with(fixture *f, const char *url) {
  f->w.opts.metastore_url = url;
  warehouse_session(&f->w);
}

static void close_session(fixture *f) {
  skep_session_close(f->w.session);
  f->w.session = NULL;
}

static void assert_refused(fixture *f) {
  struct stat there;
  char inside[120];
  f->w.opts.metastore_url = NULL;
  assert_int_equal(skep_session_open(&f->w.opts, &f->w.session, &f->w.err), SKEP_ERR_ARGUMENT);
  assert_null(f->w.session);
  assert_non_null(strstr(f->w.err.text, "the metastore of this warehouse is elsewhere"));
  assert_non_null(strstr(f->w.err.text, f->url));
  snprintf(inside, sizeof inside, "%s/metastore.sqlite", f->w.dir);
  assert_int_not_equal(stat(inside, &there), 0); /* and none was made */
}

static void who_names_none_is_told(void **state) {
  fixture f;
  (void)state;
  open_fixture(&f);
  open_with(&f, f.url);
  warehouse_run(&f.w, "CREATE TABLE t (a INT)");
  close_session(&f);
  assert_refused(&f);
  f.w.opts.read_only = true;
  assert_refused(&f);
  f.w.opts.read_only = false;
  open_with(&f, f.url);
  assert_string_equal(warehouse_rows(&f.w, "SHOW TABLES"), "t\n");
  close_fixture(&f);
}

static void the_one_inside_needs_no_name_again(void **state) {
  fixture f;
  char inside[200];
  (void)state;
  open_fixture(&f);
  open_with(&f, NULL);
  close_session(&f);
  open_with(&f, f.url);
  close_session(&f);
  f.w.opts.metastore_url = NULL;
  assert_int_equal(skep_session_open(&f.w.opts, &f.w.session, &f.w.err), SKEP_ERR_ARGUMENT);
  /* The same file in another spelling. */
  snprintf(inside, sizeof inside, "sqlite:%s/./metastore.sqlite", f.w.dir);
  open_with(&f, inside);
  close_session(&f);
  open_with(&f, NULL);
  close_fixture(&f);
}

/* A note as another process leaves it. */
static void put_note(fixture *f, const char *name, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/.skep-metastore/where-%s", f->w.dir, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

/* A writer that ended in between leaves a file without its last byte; what was remembered before counts. */
static void a_torn_note_does_not_count(void **state) {
  fixture f;
  (void)state;
  open_fixture(&f);
  open_with(&f, f.url);
  close_session(&f);
  put_note(&f, "9999999999999", "postgresql://torn");
  assert_refused(&f);
  assert_null(strstr(f.w.err.text, "torn"));
  open_with(&f, f.url);
  close_fixture(&f);
}

/* However many there are: here none of their writers has removed the others' (the file system lists them in any order).
 */
static void the_newest_of_many_notes_counts(void **state) {
  enum { FILES = 60 };
  fixture f;
  char path[200], name[20], text[40];
  (void)state;
  open_fixture(&f);
  open_with(&f, f.url);
  close_session(&f);
  for (int i = 0; i < FILES; i++) {
    snprintf(name, sizeof name, "%d", i * 37 % FILES + 1);
    snprintf(text, sizeof text, "postgresql://old%d\n", i);
    put_note(&f, name, text);
  }
  assert_refused(&f);
  assert_non_null(strstr(f.w.err.text, f.url));
  /* None is left behind that would count again. */
  snprintf(path, sizeof path, "sqlite:%s/metastore.sqlite", f.w.dir);
  open_with(&f, path);
  close_session(&f);
  open_with(&f, NULL);
  close_fixture(&f);
}

/* Each would be one more call in the next round. */
static skep_status remove_torn(void *self, const skep_entry *entry, skep_err *err) {
  fixture *f = self;
  char path[300];
  (void)err;
  if (entry->size_bytes != 0 || strncmp(entry->name, "where-", 6) != 0) return SKEP_OK;
  snprintf(path, sizeof path, "%s/.skep-metastore/%s", f->w.dir, entry->name);
  assert_int_equal(unlink(path), 0);
  return SKEP_OK;
}

/* Whichever call fails: what was remembered before stays, or the new place is there. */
static void a_warehouse_that_cannot_be_written_remembers_nothing(void **state) {
  fixture f;
  skep_fs *fs;
  skep_arena arena;
  const char *url;
  char dir[200];
  (void)state;
  open_fixture(&f);
  open_with(&f, NULL);
  skep_db *db = NULL;
  assert_ok(skep_db_open(&f.w.ctx, f.url, NULL, &db, &f.w.err), f.w.err);
  assert_ok(skep_fs_faulty_new(&f.w.ctx, f.w.fs, &fs, &f.w.err), f.w.err);
  skep_arena_init(&arena, &f.w.ctx, 1 << 20);
  for (uint64_t nth = 1;; nth++) {
    skep_fs_faulty_fail_nth(fs, nth, true);
    skep_metastore_remember(&f.w.ctx, fs, f.w.dir, db);
    skep_fs_faulty_fail_nth(fs, 0, false);
    if (skep_metastore_default(&f.w.ctx, fs, &arena, f.w.dir, &url, &f.w.err) != SKEP_OK) break;
    assert_true(nth < 50);
    snprintf(dir, sizeof dir, "%s/.skep-metastore", f.w.dir);
    assert_ok(skep_fs_list(f.w.fs, dir, true, remove_torn, &f, &f.w.err), f.w.err);
    assert_string_equal(url + strlen(url) - 16, "metastore.sqlite");
  }
  assert_non_null(strstr(f.w.err.text, f.url));
  skep_arena_fini(&arena);
  skep_db_close(db);
  skep_fs_free(fs);
  close_fixture(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(who_names_none_is_told),
      cmocka_unit_test(the_one_inside_needs_no_name_again),
      cmocka_unit_test(a_torn_note_does_not_count),
      cmocka_unit_test(the_newest_of_many_notes_counts),
      cmocka_unit_test(a_warehouse_that_cannot_be_written_remembers_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
