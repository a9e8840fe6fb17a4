/* The older locks: plans and data; then one contract over both managers: files here, ZooKeeper when
 * SKEP_TEST_ZOOKEEPER names a file with the address of a server. */
#include "lock/legacy.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/temp_dir.h"
#include "support/test.h"

typedef struct fixture {
  skep_ctx ctx;
  skep_arena arena;
  skep_err err;
  temp_dir dir;
  char locks[600];
  char quorum[64], namespace[64];
  skep_legacy_zookeeper_opts zookeeper;
} fixture;

static int read_quorum(fixture *f) {
  const char *path = getenv("SKEP_TEST_ZOOKEEPER");
  FILE *file = path == NULL ? NULL : fopen(path, "r");
  if (path == NULL) return 0;
  if (file == NULL || fgets(f->quorum, sizeof f->quorum, file) == NULL) exit(77); /* no server: skipped */
  f->quorum[strcspn(f->quorum, "\n")] = '\0';
  return fclose(file);
}

static int set_up(void **state) {
  static fixture f;
  static int n;
  memset(&f, 0, sizeof f);
  skep_ctx_init(&f.ctx);
  skep_arena_init(&f.arena, &f.ctx, 64 << 20);
  temp_dir_make(&f.dir);
  snprintf(f.locks, sizeof f.locks, "%s/locks", f.dir.path);
  snprintf(f.namespace, sizeof f.namespace, "skep_test_%ld_%d", (long)getpid(), n++);
  f.zookeeper = (skep_legacy_zookeeper_opts){f.quorum, f.namespace, 300000, 300000}; /* nobody's ends by being slow */
  *state = &f;
  return read_quorum(&f);
}

static int tear_down(void **state) {
  fixture *f = *state;
  skep_arena_fini(&f->arena);
  temp_dir_remove(&f->dir);
  return 0;
}

static skep_legacy_manager *open_manager(fixture *f) {
  skep_legacy_manager *m;
  if (f->quorum[0] != '\0') {
    assert_ok(skep_legacy_zookeeper_open(&f->ctx, &f->zookeeper, &m, &f->err), f->err);
  } else {
    assert_ok(skep_legacy_files_open(&f->ctx, f->locks, &m, &f->err), f->err);
  }
  return m;
}

/* ---- pure ---- */

static void parents_are_shared_and_the_strongest_counts(void **state) {
  fixture *f = *state;
  const skep_legacy_want wants[] = {{"db/t/a=1/b=2", SKEP_LEGACY_EXCLUSIVE},
                                    {"db/t/a=1", SKEP_LEGACY_EXCLUSIVE},
                                    {"db/t", SKEP_LEGACY_SHARED},
                                    {"db/t/a=1/b=2", SKEP_LEGACY_SHARED},
                                    {"other", SKEP_LEGACY_EXCLUSIVE}};
  static const char *const expected[] = {"db SHARED", "db/t SHARED", "db/t/a=1 EXCLUSIVE", "db/t/a=1/b=2 EXCLUSIVE",
                                         "other EXCLUSIVE"};
  skep_legacy_want *plan;
  size_t n;
  assert_ok(skep_legacy_plan(&f->arena, wants, 5, &plan, &n, &f->err), f->err);
  assert_int_equal(n, 5);
  for (size_t i = 0; i < n; i++) {
    char line[100];
    snprintf(line, sizeof line, "%s %s", plan[i].object, skep_legacy_mode_name(plan[i].mode));
    assert_string_equal(line, expected[i]);
  }
  assert_ok(skep_legacy_plan(&f->arena, wants, 0, &plan, &n, &f->err), f->err);
  assert_int_equal(n, 0);
}

static void objects_are_paths_and_shown_with_at_signs(void **state) {
  fixture *f = *state;
  static const struct {
    const char *database, *table, *partition, *object, *shown;
  } cases[] = {{"db", NULL, NULL, "db", "db"},
               {"db", "t", NULL, "db/t", "db@t"},
               {"db", "t", "a=1", "db/t/a=1", "db@t@a=1"},
               {"db", "t", "a=1/b=x%2Fy", "db/t/a=1/b=x%2Fy", "db@t@a=1/b=x%2Fy"},
               {"d/b", "t//", NULL, "d%2Fb/t%2F%2F", "d%2Fb@t%2F%2F"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_buf shown;
    const char *object = skep_legacy_object(&f->arena, cases[i].database, cases[i].table, cases[i].partition);
    assert_string_equal(object, cases[i].object);
    skep_buf_init(&shown, &f->ctx, 1000);
    skep_legacy_object_show(object, &shown);
    assert_string_equal(skep_buf_string(&shown), cases[i].shown);
    skep_buf_fini(&shown);
  }
}

static void data_survive_their_text(void **state) {
  fixture *f = *state;
  const skep_legacy_data data = {"root_2026:1", 1761000000123, true, "SELECT ':' FROM\nt -- long", "10.0.0.1"};
  skep_legacy_data back;
  skep_buf text;
  skep_buf_init(&text, &f->ctx, 1000);
  skep_legacy_data_print(&data, 17, &text);
  assert_string_equal(skep_buf_string(&text), "root_20261:1761000000123:EXPLICIT:SELECT '' FROM\nt:10.0.0.1");
  assert_ok(skep_legacy_data_parse(&f->arena, skep_bytes_of(text.data, text.size), &back, &f->err), f->err);
  assert_string_equal(back.query_id, "root_20261");
  assert_int_equal(back.time_ms, 1761000000123);
  assert_true(back.is_explicit);
  assert_string_equal(back.query, "SELECT '' FROM\nt");
  assert_string_equal(back.client, "10.0.0.1");
  assert_ok(skep_legacy_data_parse(&f->arena, skep_bytes_of("junk", 4), &back, &f->err), f->err);
  assert_string_equal(back.query_id, "junk");
  assert_string_equal(back.client, "");
  assert_int_equal(back.time_ms, 0);
  skep_buf_fini(&text);
}

/* ---- both managers ---- */

static skep_legacy_data data_of(const char *query_id, bool is_explicit) {
  return (skep_legacy_data){query_id, 1761000000000, is_explicit, "SELECT 1", "here"};
}

/* NULL: somebody is in the way, who is *blocker. */
static skep_legacy_held *take(fixture *f, skep_legacy_manager *m, const char *query_id, const char *object,
                              skep_legacy_mode mode, skep_legacy_lock_info *blocker) {
  const skep_legacy_want want = {object, mode};
  const skep_legacy_data data = data_of(query_id, false);
  skep_legacy_want *plan;
  skep_legacy_held *held;
  size_t n;
  bool taken;
  assert_ok(skep_legacy_plan(&f->arena, &want, 1, &plan, &n, &f->err), f->err);
  assert_ok(skep_legacy_lock(m, plan, n, &data, &f->arena, &taken, &held, blocker, &f->err), f->err);
  assert_int_equal(taken, held != NULL);
  return held;
}

static const char *listing(fixture *f, skep_legacy_manager *m, const char *object) {
  skep_legacy_lock_info *locks;
  size_t n;
  skep_buf text;
  skep_buf_init(&text, &f->ctx, 1 << 20);
  assert_ok(skep_legacy_list(m, object, &f->arena, &locks, &n, &f->err), f->err);
  for (size_t i = 0; i < n; i++)
    skep_buf_printf(&text, "%s %s %s\n", locks[i].object, skep_legacy_mode_name(locks[i].mode), locks[i].data.query_id);
  const char *out = skep_arena_strndup(&f->arena, skep_buf_string(&text), text.size);
  skep_buf_fini(&text);
  return out;
}

static void readers_share_and_a_writer_excludes(void **state) {
  fixture *f = *state;
  skep_legacy_manager *a = open_manager(f), *b = open_manager(f);
  skep_legacy_lock_info blocker;
  skep_legacy_held *one = take(f, a, "q1", "db/t/p=1", SKEP_LEGACY_SHARED, NULL);
  skep_legacy_held *two = take(f, b, "q2", "db/t", SKEP_LEGACY_SHARED, NULL);
  assert_non_null(one);
  assert_non_null(two);
  assert_string_equal(listing(f, a, NULL),
                      "db SHARED q1\ndb SHARED q2\ndb/t SHARED q1\ndb/t SHARED q2\n"
                      "db/t/p=1 SHARED q1\n");
  assert_null(take(f, b, "q3", "db/t", SKEP_LEGACY_EXCLUSIVE, &blocker)); /* q2 itself is in its way too */
  assert_string_equal(blocker.object, "db/t");
  assert_int_equal(blocker.mode, SKEP_LEGACY_SHARED);
  assert_int_equal(blocker.data.time_ms, 1761000000000);
  /* nothing is left of the request that failed */
  assert_string_equal(listing(f, a, "db/t"), "db/t SHARED q1\ndb/t SHARED q2\ndb/t/p=1 SHARED q1\n");
  assert_ok(skep_legacy_unlock(a, one, &f->err), f->err);
  assert_ok(skep_legacy_unlock(b, two, &f->err), f->err);
  assert_string_equal(listing(f, a, NULL), "");
  skep_legacy_held *three = take(f, b, "q3", "db/t", SKEP_LEGACY_EXCLUSIVE, NULL);
  assert_non_null(three);
  assert_ok(skep_legacy_check(b, three, &f->err), f->err);
  assert_null(take(f, a, "q4", "db/t/p=1", SKEP_LEGACY_SHARED, &blocker)); /* its parent is taken */
  assert_string_equal(blocker.data.query_id, "q3");
  assert_int_equal(blocker.mode, SKEP_LEGACY_EXCLUSIVE);
  skep_legacy_held *other = take(f, a, "q5", "db/u", SKEP_LEGACY_EXCLUSIVE, NULL);
  assert_non_null(other);
  assert_ok(skep_legacy_unlock(b, three, &f->err), f->err);
  assert_ok(skep_legacy_unlock(a, other, &f->err), f->err);
  skep_legacy_close(a);
  skep_legacy_close(b);
}

static void explicit_locks_outlive_their_session(void **state) {
  fixture *f = *state;
  skep_legacy_manager *a = open_manager(f);
  const skep_legacy_want want = {"db/t", SKEP_LEGACY_SHARED};
  const skep_legacy_data data = data_of("q1", true);
  skep_legacy_held *held;
  skep_legacy_lock_info blocker;
  size_t n;
  bool taken;
  assert_ok(skep_legacy_lock(a, &want, 1, &data, &f->arena, &taken, &held, NULL, &f->err), f->err);
  assert_true(taken);
  assert_null(held);
  skep_legacy_close(a);
  a = open_manager(f);
  assert_string_equal(listing(f, a, NULL), "db/t SHARED q1\n");
  assert_null(take(f, a, "q2", "db/t", SKEP_LEGACY_EXCLUSIVE, &blocker));
  assert_true(blocker.data.is_explicit);
  skep_legacy_held *reader = take(f, a, "q3", "db/t", SKEP_LEGACY_SHARED, NULL);
  assert_non_null(reader);
  assert_ok(skep_legacy_unlock_explicit(a, "db", &n, &f->err), f->err);
  assert_int_equal(n, 0);
  assert_ok(skep_legacy_unlock_explicit(a, "db/t", &n, &f->err), f->err);
  assert_int_equal(n, 1); /* the reader's is not explicit */
  assert_string_equal(listing(f, a, "db/t"), "db/t SHARED q3\n");
  assert_ok(skep_legacy_unlock(a, reader, &f->err), f->err);
  skep_legacy_close(a);
}

static void nobody_has_a_lock_where_nothing_was_locked(void **state) {
  fixture *f = *state;
  skep_legacy_manager *a = open_manager(f);
  size_t n;
  assert_string_equal(listing(f, a, NULL), "");
  assert_ok(skep_legacy_unlock_explicit(a, "db/t", &n, &f->err), f->err);
  assert_int_equal(n, 0);
  skep_legacy_close(a);
}

/* In a child: a lock, and whenever it is asked whether it has it still. */
static void hold_until_killed(fixture *f, int in, int out) {
  char byte = 'y';
  f->zookeeper.session_ms = 2000;
  skep_legacy_manager *m = open_manager(f);
  skep_legacy_held *held = take(f, m, "dead", "db/t", SKEP_LEGACY_EXCLUSIVE, NULL);
  if (held == NULL) _exit(1);
  do {
    if (write(out, &byte, 1) != 1 || read(in, &byte, 1) != 1) _exit(1);
    byte = skep_legacy_check(m, held, &f->err) == SKEP_OK ? 'y' : 'n';
  } while (true);
}

/* kill -9 while a lock is held: free at once with files, after the session's time with ZooKeeper. There a process that
 * gets no turn for so long has lost it before, and knows. */
static void a_dead_process_gives_its_locks_back(void **state) {
  fixture *f = *state;
  int to[2], from[2];
  char byte;
  assert_int_equal(pipe(to), 0);
  assert_int_equal(pipe(from), 0);
  pid_t child = fork();
  if (child == 0) hold_until_killed(f, to[0], from[1]);
  close(to[0]);
  close(from[1]); /* a child that fails is heard of */
  assert_int_equal(read(from[0], &byte, 1), 1);
  skep_legacy_manager *a = open_manager(f);
  skep_legacy_lock_info blocker;
  skep_legacy_held *held = take(f, a, "q2", "db/t", SKEP_LEGACY_SHARED, &blocker);
  if (held == NULL) {
    assert_string_equal(blocker.data.query_id, "dead");
  } else {
    assert_int_not_equal(f->quorum[0], '\0');
    assert_int_equal(write(to[1], "?", 1), 1);
    assert_int_equal(read(from[0], &byte, 1), 1);
    assert_int_equal(byte, 'n');
  }
  assert_int_equal(kill(child, SIGKILL), 0);
  assert_int_equal(waitpid(child, NULL, 0), child);
  while (held == NULL) {
    held = take(f, a, "q2", "db/t", SKEP_LEGACY_SHARED, &blocker);
    if (held == NULL && f->quorum[0] == '\0') break;
    if (held == NULL) usleep(50000);
  }
  assert_non_null(held);
  assert_ok(skep_legacy_unlock(a, held, &f->err), f->err);
  skep_legacy_close(a);
  close(to[1]);
  close(from[0]);
}

/* Processes that count in a file, each step under an exclusive lock: no step is lost. */
static void exclusive_sections_do_not_overlap(void **state) {
  enum { PROCESSES = 4, STEPS = 25 };
  fixture *f = *state;
  char path[700];
  pid_t children[PROCESSES];
  snprintf(path, sizeof path, "%s/counter", f->dir.path);
  FILE *counter = fopen(path, "w");
  assert_non_null(counter);
  fputs("0", counter);
  fclose(counter);
  for (int p = 0; p < PROCESSES; p++) {
    children[p] = fork();
    if (children[p] != 0) continue;
    skep_legacy_manager *m = open_manager(f);
    for (int i = 0; i < STEPS; i++) {
      skep_legacy_held *held;
      int value = -1;
      while ((held = take(f, m, "counts", "db/t/p=1", SKEP_LEGACY_EXCLUSIVE, NULL)) == NULL) usleep(500);
      FILE *file = fopen(path, "r+");
      if (file == NULL || fscanf(file, "%d", &value) != 1) _exit(1);
      rewind(file);
      fprintf(file, "%d", value + 1);
      fclose(file);
      if (skep_legacy_unlock(m, held, &f->err) != SKEP_OK) _exit(1);
    }
    skep_legacy_close(m);
    _exit(0);
  }
  for (int p = 0; p < PROCESSES; p++) {
    int how = -1;
    assert_int_equal(waitpid(children[p], &how, 0), children[p]);
    assert_int_equal(how, 0);
  }
  int value = 0;
  counter = fopen(path, "r");
  assert_int_equal(fscanf(counter, "%d", &value), 1);
  fclose(counter);
  assert_int_equal(value, PROCESSES * STEPS);
}

/* ---- one manager each ---- */

static void what_is_no_file_of_locks_locks_nothing_away(void **state) {
  fixture *f = *state;
  if (f->quorum[0] != '\0') skip();
  static const char *const contents[] = {"", "x", "5\nab", "0\n\nX db\n", "0\n\nE\n", "99999999999\n\n", "2\nab"};
  skep_legacy_manager *a = open_manager(f);
  skep_legacy_held *held = take(f, a, "q", "db", SKEP_LEGACY_SHARED, NULL); /* makes the directory */
  for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
    char path[700];
    skep_legacy_lock_info *locks;
    size_t n;
    snprintf(path, sizeof path, "%s/e-0000000007", f->locks);
    FILE *file = fopen(path, "w");
    fputs(contents[i], file);
    fclose(file);
    assert_fails(skep_legacy_list(a, NULL, &f->arena, &locks, &n, &f->err), SKEP_ERR_CORRUPT, f->err,
                 "locks (embedded): e-0000000007 is no file of locks");
    assert_int_equal(remove(path), 0);
  }
  assert_string_equal(listing(f, a, NULL), "db SHARED q\n");
  assert_ok(skep_legacy_unlock(a, held, &f->err), f->err);
  skep_legacy_close(a);
}

static void a_server_that_is_not_there_is_named(void **state) {
  fixture *f = *state;
  if (f->quorum[0] == '\0') skip();
  const skep_legacy_zookeeper_opts nobody = {"127.0.0.1:1", "n", 1000, 300};
  skep_legacy_manager *m;
  skep_legacy_lock_info *locks;
  size_t n;
  assert_ok(skep_legacy_zookeeper_open(&f->ctx, &nobody, &m, &f->err), f->err);
  assert_fails(skep_legacy_list(m, NULL, &f->arena, &locks, &n, &f->err), SKEP_ERR_IO, f->err,
               "locks (ZooKeeper): no connection to ZooKeeper at 127.0.0.1:1");
  skep_legacy_close(m);
  const skep_legacy_zookeeper_opts nothing = {"", "n", 1000, 300};
  assert_fails(skep_legacy_zookeeper_open(&f->ctx, &nothing, &m, &f->err), SKEP_ERR_ARGUMENT, f->err,
               "hive.zookeeper.quorum names no server");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(parents_are_shared_and_the_strongest_counts),
      TEST(objects_are_paths_and_shown_with_at_signs),
      TEST(data_survive_their_text),
      TEST(readers_share_and_a_writer_excludes),
      TEST(explicit_locks_outlive_their_session),
      TEST(nobody_has_a_lock_where_nothing_was_locked),
      TEST(a_dead_process_gives_its_locks_back),
      TEST(exclusive_sections_do_not_overlap),
      TEST(what_is_no_file_of_locks_locks_nothing_away),
      TEST(a_server_that_is_not_there_is_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
