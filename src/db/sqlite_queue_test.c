/* SQLite's writers in a row: none is lost or starved, the dead make room, waits end, commits are synced once for many.
 */
#include "db/sqlite_queue.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/db.h"
#include "support/temp_dir.h"
#include "support/test.h"

enum { NUMBERS = 1 << 21 }; /* of the queue's file: the byte of number 0 (sqlite_queue.c) */

typedef struct fixture {
  skep_ctx ctx;
  temp_dir dir;
  char path[600], url[620];
  _Atomic bool cancelled;
  skep_err err;
} fixture;

static int set_up(void **state) {
  static fixture f;
  memset(&f, 0, sizeof f);
  skep_ctx_init(&f.ctx);
  temp_dir_make(&f.dir);
  snprintf(f.path, sizeof f.path, "%s/m.sqlite", f.dir.path);
  snprintf(f.url, sizeof f.url, "sqlite:%s", f.path);
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  temp_dir_remove(&f->dir);
  return 0;
}

static skep_db *open_db(fixture *f) {
  skep_db *db;
  assert_ok(skep_db_open(&f->ctx, f->url, NULL, &db, &f->err), f->err);
  return db;
}

/* The note says who did which step. */
static skep_status add_one(skep_db *db, skep_db_mode mode, int64_t note, skep_err *err) {
  SKEP_TRY(skep_db_begin(db, mode, err));
  SKEP_TRY(skep_db_run(db, "UPDATE \"N\" SET \"V\" = \"V\" + 1", SKEP_NO_PARAMS, NULL, err));
  const skep_param who[] = {skep_p_i64(note)};
  SKEP_TRY(skep_db_run(db, "INSERT INTO \"STEPS\" SELECT \"V\", ?1 FROM \"N\"", who, 1, NULL, err));
  return skep_db_commit(db, err);
}

static int64_t count_of(fixture *f, skep_db *db) {
  int64_t value = -1;
  skep_stmt *stmt;
  assert_ok(skep_db_query(db, "SELECT \"V\" FROM \"N\"", SKEP_NO_PARAMS, &stmt, &f->err), f->err);
  assert_int_equal(skep_stmt_next(stmt, &f->err), SKEP_OK);
  value = skep_stmt_i64(stmt, 0);
  skep_stmt_done(stmt);
  return value;
}

static skep_db *make_counter(fixture *f) {
  skep_db *db = open_db(f);
  assert_ok(skep_db_exec(db,
                         "CREATE TABLE \"N\" (\"V\" INTEGER); INSERT INTO \"N\" VALUES (0); CREATE TABLE \"STEPS\" "
                         "(\"V\" INTEGER, \"NOTE\" INTEGER)",
                         &f->err),
            f->err);
  return db;
}

/* The child begins when it can read from `start`: before, since SQLite's open files must not go through a fork. */
static void fork_adding(fixture *f, int n, int64_t note, int start) {
  char byte;
  pid_t child = fork();
  assert_true(child >= 0);
  if (child != 0) return;
  if (read(start, &byte, 1) != 1) _exit(2);
  skep_db *db = open_db(f);
  for (int i = 0; i < n; i++)
    if (add_one(db, (i + note) % 2 == 0 ? SKEP_DB_WRITE : SKEP_DB_WRITE_LAZY, note, &f->err) != SKEP_OK) _exit(1);
  skep_db_close(db);
  _exit(0);
}

static void wait_for(int children) {
  for (int how; children > 0; children--) {
    assert_true(wait(&how) > 0);
    assert_int_equal(how, 0);
  }
}

static void no_process_loses_a_step(void **state) {
  enum { PROCESSES = 5, STEPS = 200 };
  fixture *f = *state;
  skep_db_close(make_counter(f));
  int start[2];
  assert_int_equal(pipe(start), 0);
  for (int p = 0; p < PROCESSES; p++) fork_adding(f, STEPS, p, start[0]);
  assert_int_equal(write(start[1], "12345", PROCESSES), PROCESSES);
  wait_for(PROCESSES);
  close(start[0]);
  close(start[1]);
  skep_db *db = open_db(f);
  assert_int_equal(count_of(f, db), PROCESSES * STEPS);
  skep_db_close(db);
}

/* Returns when somebody waits in the row behind the one that holds `number`, and their number. */
static uint64_t wait_for_who_waits(int fd, uint64_t number) {
  struct flock lock;
  do {
    usleep(1000);
    lock = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = NUMBERS + (off_t)number + 1};
    assert_int_equal(fcntl(fd, F_OFD_GETLK, &lock), 0);
  } while (lock.l_type == F_UNLCK);
  return (uint64_t)lock.l_start - NUMBERS;
}

static void who_came_first_goes_first(void **state) {
  enum { PROCESSES = 8 };
  fixture *f = *state;
  char name[640];
  int start[PROCESSES][2];
  for (int p = 0; p < PROCESSES; p++) {
    assert_int_equal(pipe(start[p]), 0);
    fork_adding(f, 1, p, start[p][0]);
  }
  skep_db *db = make_counter(f);
  assert_ok(skep_db_begin(db, SKEP_DB_WRITE, &f->err), f->err);
  snprintf(name, sizeof name, "%s-queue", f->path);
  int fd = open(name, O_RDWR | O_CLOEXEC);
  assert_true(fd >= 0);
  uint64_t number = wait_for_who_waits(fd, 0); /* our own */
  for (int p = 0; p < PROCESSES; p++) {
    assert_int_equal(write(start[p][1], "x", 1), 1);
    number = wait_for_who_waits(fd, number);
  }
  assert_ok(skep_db_commit(db, &f->err), f->err);
  wait_for(PROCESSES);
  assert_int_equal(count_of(f, db), PROCESSES);
  skep_stmt *stmt;
  assert_ok(skep_db_query(db, "SELECT \"NOTE\" FROM \"STEPS\" ORDER BY \"V\"", SKEP_NO_PARAMS, &stmt, &f->err), f->err);
  for (int p = 0; p < PROCESSES; p++) {
    assert_int_equal(skep_stmt_next(stmt, &f->err), SKEP_OK);
    assert_int_equal(skep_stmt_i64(stmt, 0), p);
  }
  skep_stmt_done(stmt);
  close(fd);
  for (int p = 0; p < PROCESSES; p++) {
    close(start[p][0]);
    close(start[p][1]);
  }
  skep_db_close(db);
}

/* The child holds the row; the killer ends it as soon as somebody stands behind it. Both are there before the database
 * is open here. */
static void who_dies_in_the_row_makes_room(void **state) {
  fixture *f = *state;
  int start[2], ready[2], how;
  char byte, name[640];
  assert_int_equal(pipe(start), 0);
  assert_int_equal(pipe(ready), 0);
  pid_t child = fork();
  if (child == 0) {
    if (read(start[0], &byte, 1) != 1) _exit(2);
    skep_db *own = open_db(f);
    if (skep_db_begin(own, SKEP_DB_WRITE, &f->err) != SKEP_OK || write(ready[1], "12", 2) != 2) _exit(1);
    for (;;) pause();
  }
  pid_t killer = fork();
  if (killer == 0) {
    if (read(ready[0], &byte, 1) != 1) _exit(2);
    snprintf(name, sizeof name, "%s-queue", f->path);
    int fd = open(name, O_RDWR | O_CLOEXEC);
    if (fd < 0) _exit(1);
    wait_for_who_waits(fd, wait_for_who_waits(fd, 0));
    _exit(kill(child, SIGKILL) == 0 ? 0 : 3);
  }
  skep_db *db = make_counter(f);
  assert_int_equal(write(start[1], "x", 1), 1);
  assert_int_equal(read(ready[0], &byte, 1), 1);
  assert_ok(add_one(db, SKEP_DB_WRITE, 0, &f->err), f->err);
  assert_int_equal(waitpid(killer, &how, 0), killer);
  assert_int_equal(how, 0);
  assert_int_equal(waitpid(child, &how, 0), child);
  assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
  assert_int_equal(count_of(f, db), 1);
  skep_db_close(db);
  for (int i = 0; i < 2; i++) {
    close(start[i]);
    close(ready[i]);
  }
}

static void waiting_ends(void **state) {
  fixture *f = *state;
  skep_sqlite_queue *a, *b;
  assert_ok(skep_sqlite_queue_open(&f->ctx, f->path, "boot", &a, &f->err), f->err);
  assert_ok(skep_sqlite_queue_open(&f->ctx, f->path, "boot", &b, &f->err), f->err);
  assert_non_null(a);
  assert_int_equal(skep_sqlite_queue_enter(a, 0, &f->cancelled), SKEP_OK);
  assert_int_equal(skep_sqlite_queue_enter(b, 1000000, &f->cancelled), SKEP_ERR_BUSY);
  atomic_store(&f->cancelled, true);
  assert_int_equal(skep_sqlite_queue_enter(b, INT64_MAX, &f->cancelled), SKEP_ERR_CANCELLED);
  atomic_store(&f->cancelled, false);
  skep_sqlite_queue_leave(a);
  assert_int_equal(skep_sqlite_queue_enter(b, 0, &f->cancelled), SKEP_OK); /* no place is left behind */
  skep_sqlite_queue_leave(b);
  skep_sqlite_queue_leave(b);
  skep_sqlite_queue_close(a);
  skep_sqlite_queue_close(b);
}

static skep_status count_syncs(void *self, skep_err *err) {
  int *n = self;
  return ++*n < 2 ? SKEP_OK : skep_fail(err, SKEP_ERR_IO, "no disk");
}

static void one_sync_serves_all_before_it(void **state) {
  fixture *f = *state;
  skep_sqlite_queue *a, *b;
  int n = 0;
  assert_ok(skep_sqlite_queue_open(&f->ctx, f->path, "boot", &a, &f->err), f->err);
  assert_ok(skep_sqlite_queue_open(&f->ctx, f->path, "boot", &b, &f->err), f->err);
  uint64_t first = skep_sqlite_queue_committed(a), second = skep_sqlite_queue_committed(b);
  assert_true(second > first);
  assert_ok(skep_sqlite_queue_sync(b, second, count_syncs, &n, &f->err), f->err);
  assert_ok(skep_sqlite_queue_sync(a, first, count_syncs, &n, &f->err), f->err);
  assert_int_equal(n, 1);
  /* what failed does not count as done, for nobody, until the log was mended */
  uint64_t third = skep_sqlite_queue_committed(a);
  assert_fails(skep_sqlite_queue_sync(a, third, count_syncs, &n, &f->err), SKEP_ERR_IO, f->err, "no disk");
  assert_fails(skep_sqlite_queue_sync(b, third, count_syncs, &n, &f->err), SKEP_ERR_IO, f->err, "an earlier sync");
  assert_true(skep_sqlite_queue_is_broken(b));
  skep_sqlite_queue_mended(b);
  n = 0;
  assert_ok(skep_sqlite_queue_sync(a, third, count_syncs, &n, &f->err), f->err);
  skep_sqlite_queue_close(a);
  skep_sqlite_queue_close(b);
}

/* What was counted before the machine started, or in the file that this one was copied from, says nothing. */
static void counts_end_with_the_machine_and_with_the_file(void **state) {
  fixture *f = *state;
  static const char *const boots[] = {"boot", "another boot"};
  skep_sqlite_queue *q;
  for (int i = 0; i < 2; i++) {
    assert_ok(skep_sqlite_queue_open(&f->ctx, f->path, boots[i], &q, &f->err), f->err);
    for (uint64_t k = 1; k <= 3; k++) assert_int_equal(skep_sqlite_queue_committed(q), k);
    skep_sqlite_queue_close(q);
  }
  char from[640], to[640], bytes[4096];
  snprintf(from, sizeof from, "%s-queue", f->path);
  snprintf(to, sizeof to, "%s/copy-queue", f->dir.path);
  FILE *a = fopen(from, "r"), *b = fopen(to, "w");
  assert_int_equal(fread(bytes, 1, sizeof bytes, a), sizeof bytes);
  assert_int_equal(fwrite(bytes, 1, sizeof bytes, b), sizeof bytes);
  fclose(a);
  fclose(b);
  snprintf(to, sizeof to, "%s/copy", f->dir.path);
  assert_ok(skep_sqlite_queue_open(&f->ctx, to, boots[1], &q, &f->err), f->err);
  assert_int_equal(skep_sqlite_queue_committed(q), 1);
  skep_sqlite_queue_close(q);
}

static void without_a_place_for_the_file_writers_go_on(void **state) {
  fixture *f = *state;
  skep_sqlite_queue *q;
  assert_ok(skep_sqlite_queue_open(&f->ctx, "/nowhere/at/all", "boot", &q, &f->err), f->err);
  assert_null(q);
  assert_int_equal(skep_sqlite_queue_enter(q, 0, &f->cancelled), SKEP_OK);
  skep_sqlite_queue_leave(q);
  skep_sqlite_queue_close(q);
  char name[640];
  skep_db_close(make_counter(f));
  snprintf(name, sizeof name, "%s-queue", f->path);
  (void)remove(name);
  assert_int_equal(mkdir(name, 0700), 0); /* in its way */
  skep_db *db = open_db(f);
  assert_ok(add_one(db, SKEP_DB_WRITE, 0, &f->err), f->err);
  assert_int_equal(count_of(f, db), 1);
  skep_db_close(db);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(no_process_loses_a_step),
      TEST(who_came_first_goes_first),
      TEST(who_dies_in_the_row_makes_room),
      TEST(waiting_ends),
      TEST(one_sync_serves_all_before_it),
      TEST(counts_end_with_the_machine_and_with_the_file),
      TEST(without_a_place_for_the_file_writers_go_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
