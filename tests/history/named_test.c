/* The named cases of issue 5 and of public bug reports (cases.md 6.1, 6.7) that need more than an interleaving: calls
 * of the metastore that fail before and after they took effect, many who start at once, two housekeepers, Ctrl-C in a
 * commit. The interleavings among them are specs in tests/isolation (cases.spec, timeouts.spec). */
#include <inttypes.h>
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

#include "db/db.h"
#include "db/faults.h"
#include "support/warehouse.h"
#include "txn/txn.h"

typedef struct pair {
  warehouse w; /* A: with the fault door */
  skep_db_faults faults;
  skep_ctx later; /* B's and everybody's clock, ahead */
  int64_t ahead_ms;
  skep_session *b;
  int waits;
} pair;

static int64_t ahead(void *self) {
  pair *p = self;
  return p->w.ctx.clock_ms(p->w.ctx.clock_self) + __atomic_load_n(&p->ahead_ms, __ATOMIC_SEQ_CST);
}

static void housekeep(pair *p) {
  skep_session_opts opts = p->w.opts;
  skep_session *visitor;
  opts.ctx = &p->later;
  opts.db_faults = NULL;
  assert_ok(skep_session_open(&opts, &visitor, &p->w.err), p->w.err);
  skep_session_close(visitor);
}

/* B waits for somebody: only a transaction that A could not abort may be in its way, and that times out. The first look
 * after the jump beats for B, so that the second housekeeping finds A alone. */
static skep_status wait_for_time_out(void *self, skep_session *session, const skep_session_waiting *waiting,
                                     skep_err *err) {
  pair *p = self;
  (void)session;
  (void)waiting;
  if (p->waits++ == 0) __atomic_add_fetch(&p->ahead_ms, 400000, __ATOMIC_SEQ_CST);
  if (p->waits == 2) housekeep(p);
  return p->waits < 10 ? SKEP_OK : skep_fail(err, SKEP_ERR_BUSY, "a lock was left behind");
}

static int setup(void **state) {
  static pair p;
  memset(&p, 0, sizeof p);
  warehouse_open(&p.w);
  skep_session_close(p.w.session);
  p.later = p.w.ctx;
  p.later.clock_ms = ahead;
  p.later.clock_self = &p;
  skep_session_opts opts = p.w.opts;
  opts.ctx = &p.later;
  opts.user = "B";
  opts.lock_wait = wait_for_time_out;
  opts.lock_wait_self = &p;
  p.w.opts.db_faults = &p.faults;
  p.w.opts.user = "A";
  warehouse_session(&p.w);
  assert_ok(skep_session_open(&opts, &p.b, &p.w.err), p.w.err);
  *state = &p;
  return 0;
}

static int teardown(void **state) {
  pair *p = *state;
  skep_session_close(p->b);
  warehouse_close(&p->w);
  return 0;
}

static const char *rows(pair *p, skep_session *session, const char *sql) {
  skep_status st = warehouse_try(&p->w, session, sql);
  if (st != SKEP_OK) fail_msg("%s\n  %s", sql, p->w.err.text);
  return skep_buf_string(&p->w.text);
}

/* ---- each statement of the metastore failing, before and after it took effect ---- */

static const char *const transaction[] = {"START TRANSACTION", "UPDATE t SET x = x + 1 WHERE id = 1",
                                          "UPDATE u SET x = x + 1", "INSERT INTO p VALUES (1, 'new')", "COMMIT"};
static const char question[] = "SELECT (SELECT sum(x) FROM t), (SELECT sum(x) FROM u), (SELECT count(*) FROM p)";

static void make_tables(pair *p) {
  static const char *const statements[] = {
      "DROP TABLE IF EXISTS t",
      "DROP TABLE IF EXISTS u",
      "DROP TABLE IF EXISTS p",
      "CREATE TABLE t (id INT, x INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')",
      "CREATE TABLE u (id INT, x INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')",
      "CREATE TABLE p (id INT) PARTITIONED BY (d STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')",
      "INSERT INTO t VALUES (1, 10)",
      "INSERT INTO u VALUES (1, 20)"};
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) rows(p, p->b, statements[i]);
}

/* The transaction with its n-th call failing; true: there is no n-th call. */
static bool strike(pair *p, skep_db_fault_kind kind, uint64_t n) {
  make_tables(p);
  rows(p, p->w.session, "SELECT 1");
  uint64_t calls = p->faults.calls;
  p->faults.kind = kind;
  p->faults.at = calls + n;
  skep_status st = SKEP_OK;
  for (size_t i = 0; i < sizeof transaction / sizeof *transaction && st == SKEP_OK; i++)
    st = warehouse_try(&p->w, p->w.session, transaction[i]);
  p->faults.at = 0;
  bool over = p->faults.calls - calls < n;
  char said[1024];
  snprintf(said, sizeof said, "%s: %s", skep_status_name(st), st == SKEP_OK ? "" : p->w.err.text);
  p->waits = 0;
  const char *have = rows(p, p->b, question);
  bool done = strcmp(have, "11\t21\t1\n") == 0, undone = strcmp(have, "10\t20\t0\n") == 0;
  bool agrees = st == SKEP_OK ? done : st == SKEP_ERR_IN_DOUBT ? done || undone : undone;
  if (!agrees) fail_msg("kind %d, call %" PRIu64 ": A says %s, B sees %s", (int)kind, n, said, have);
  rows(p, p->b, "UPDATE t SET x = x + 100"); /* no lock is left, or it times out */
  assert_string_equal(rows(p, p->b, "SELECT sum(x) FROM t"), done ? "111\n" : "110\n");
  rows(p, p->w.session, "INSERT INTO t VALUES (9, 9)"); /* and A goes on */
  return over;
}

static void strike_everywhere(pair *p, skep_db_fault_kind kind) {
  uint64_t n = 1;
  while (!strike(p, kind, n)) n++;
  assert_true(n > 10);
}

static void a_metastore_call_that_fails_takes_the_whole_transaction(void **state) {
  strike_everywhere(*state, SKEP_DB_FAULT_FAIL);
}
static void a_metastore_call_that_fails_after_it_took_effect_does_too(void **state) {
  strike_everywhere(*state, SKEP_DB_FAULT_FAIL_AFTER);
}
static void a_commit_that_is_not_known_is_settled(void **state) { strike_everywhere(*state, SKEP_DB_FAULT_DOUBT); }

/* ---- Ctrl-C in a commit (HIVE-26121) ---- */

typedef struct canceller {
  skep_session *session;
  int stop;
} canceller;

static void *cancel_often(void *self) {
  canceller *c = self;
  const struct timespec pause = {0, 300000};
  while (!__atomic_load_n(&c->stop, __ATOMIC_SEQ_CST)) {
    skep_session_cancel(c->session);
    nanosleep(&pause, NULL);
  }
  return NULL;
}

static void a_commit_that_is_cancelled_is_whole_or_nothing(void **state) {
  pair *p = *state;
  make_tables(p);
  int done = 0;
  for (int i = 0; i < 40; i++) {
    for (int k = 0; k < 4; k++) rows(p, p->w.session, transaction[k]);
    canceller c = {.session = p->w.session};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, cancel_often, &c), 0);
    skep_status st = warehouse_try(&p->w, p->w.session, "COMMIT");
    __atomic_store_n(&c.stop, 1, __ATOMIC_SEQ_CST);
    pthread_join(thread, NULL);
    if (st != SKEP_OK && st != SKEP_ERR_CANCELLED) fail_msg("%s: %s", skep_status_name(st), p->w.err.text);
    done += st == SKEP_OK ? 1 : 0;
    char want[60];
    snprintf(want, sizeof want, "%d\t%d\t%d\n", 10 + done, 20 + done, done);
    p->waits = 0;
    assert_string_equal(rows(p, p->b, question), want);
    assert_false(skep_session_in_transaction(p->w.session));
  }
}

/* ---- watermarks (HIVE-27019, addendum) ---- */

static void the_lowest_open_transaction_is_found_in_any_order(void **state) {
  pair *p = *state;
  static const int64_t ids[] = {900009, 900005, 900012};
  skep_db *db = warehouse_connect(&p->w);
  skep_err err = {0};
  int64_t low;
  for (size_t i = 0; i < 3; i++)
    assert_ok(skep_db_run(db,
                          "INSERT INTO \"TXNS\" (\"TXN_ID\", \"TXN_STATE\", \"TXN_STARTED\", \"TXN_LAST_HEARTBEAT\", "
                          "\"TXN_USER\", \"TXN_HOST\") VALUES (?, 'o', 1, 1, 'x', 'y')",
                          SKEP_PARAMS(skep_p_i64(ids[i])), NULL, &err),
              err);
  assert_ok(skep_txn_min_open(db, NULL, &low, &err), err);
  assert_int_equal(low, 900005);
  skep_db_close(db);
}

/* ---- many processes ---- */

/* A process of its own: DuckDB does not survive a fork, so the child opens everything. */
typedef int child(const char *dir, int number, int out);

static pid_t start(child *what, const char *dir, int number, int out) {
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) _exit(what(dir, number, out));
  return pid;
}

static void all_end_well(const pid_t *pids, int n) {
  for (int i = 0; i < n; i++) {
    int status = 0;
    assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fail_msg("process %d ended with %d", i, status);
  }
}

static int64_t four_hundred_seconds_on(void *self) {
  struct timespec now;
  (void)self;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + 400000;
}

static bool child_open(warehouse *w, const char *dir, bool later) {
  skep_status st = warehouse_init(w, dir);
  if (later) w->ctx.clock_ms = four_hundred_seconds_on;
  if (st == SKEP_OK) st = skep_session_open(&w->opts, &w->session, &w->err);
  if (st != SKEP_OK) fprintf(stderr, "%s\n", w->err.text);
  return st == SKEP_OK;
}

static bool child_run(warehouse *w, const char *sql) {
  if (warehouse_try(w, w->session, sql) == SKEP_OK) return true;
  fprintf(stderr, "%s: %s\n", sql, w->err.text);
  return false;
}

static int begin_work(const char *dir, int number, int out) {
  static warehouse w;
  char sql[100];
  (void)out;
  snprintf(sql, sizeof sql, "INSERT INTO t VALUES (%d)", number);
  bool fine =
      child_open(&w, dir, false) &&
      child_run(&w, "CREATE TABLE IF NOT EXISTS t (n INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')") &&
      child_run(&w, sql);
  skep_session_close(w.session);
  return fine ? 0 : 1;
}

static void look_at(warehouse *w) {
  assert_ok(warehouse_init(w, w->dir), w->err);
  warehouse_session(w);
}

/* HIVE-28669: nobody loses because others make the same rows at the same moment. */
static void eight_start_at_once_on_nothing(void **state) {
  static warehouse w;
  pid_t pids[8];
  (void)state;
  warehouse_place(&w);
  for (int i = 0; i < 8; i++) pids[i] = start(begin_work, w.dir, i, -1);
  all_end_well(pids, 8);
  look_at(&w);
  assert_string_equal(warehouse_rows(&w, "SELECT count(*), count(DISTINCT n) FROM t"), "8\t8\n");
  warehouse_close(&w);
}

static int open_and_die(const char *dir, int number, int out) {
  static warehouse w;
  (void)number;
  (void)out;
  if (!child_open(&w, dir, false) || !child_run(&w, "START TRANSACTION") ||
      !child_run(&w, "INSERT INTO t VALUES (1000)"))
    return 1;
  _exit(0); /* without a word to the metastore */
}

static int keep_house(const char *dir, int number, int out) {
  static warehouse w;
  (void)number;
  (void)out;
  bool fine = child_open(&w, dir, true);
  skep_session_close(w.session);
  return fine ? 0 : 1;
}

static void housekeepers_at_once_abort_a_dead_transaction_once(void **state) {
  static warehouse w;
  pid_t pids[6];
  (void)state;
  warehouse_place(&w);
  pids[0] = start(begin_work, w.dir, 1, -1);
  all_end_well(pids, 1);
  for (int i = 0; i < 3; i++) pids[i] = start(open_and_die, w.dir, i, -1);
  all_end_well(pids, 3);
  for (int i = 0; i < 6; i++) pids[i] = start(keep_house, w.dir, i, -1);
  all_end_well(pids, 6);
  assert_ok(warehouse_init(&w, w.dir), w.err);
  skep_db *db = warehouse_connect(&w);
  skep_err err = {0};
  int64_t open = 7, aborted = 7;
  assert_ok(
      skep_db_get_i64(db, "SELECT count(*) FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o'", SKEP_NO_PARAMS, &open, NULL, &err),
      err);
  assert_ok(skep_db_get_i64(db, "SELECT count(*) FROM \"TXNS\" WHERE \"TXN_STATE\" = 'a'", SKEP_NO_PARAMS, &aborted,
                            NULL, &err),
            err);
  skep_db_close(db);
  assert_int_equal(open, 0);
  assert_int_equal(aborted, 3); /* they have files, so their rows stay */
  warehouse_session(&w);
  assert_string_equal(warehouse_rows(&w, "SELECT count(*) FROM t"), "1\n");
  warehouse_close(&w);
}

enum { OPENERS = 16, OPENED = 100 };

static int open_many(const char *dir, int number, int out) {
  skep_ctx ctx;
  skep_err err = {0};
  skep_db *db;
  char url[128];
  (void)number;
  skep_ctx_init(&ctx);
  snprintf(url, sizeof url, "sqlite:%s/metastore.sqlite", dir);
  if (skep_db_open(&ctx, url, NULL, &db, &err) != SKEP_OK) return 1;
  for (int i = 0; i < OPENED; i++) {
    int64_t id;
    uint32_t n;
    if (skep_txn_open(db, NULL, SKEP_TXN_DEFAULT, 1, &id, &n, &err) != SKEP_OK)
      return fprintf(stderr, "%s\n", err.text), 1;
    if (write(out, &id, sizeof id) != sizeof id) return 1;
  }
  skep_db_close(db);
  return 0;
}

/* ducklake #1094 and #1283: ids come from the database, not from max + 1. */
static void transactions_of_many_clients_have_numbers_of_their_own(void **state) {
  static warehouse w;
  static int64_t ids[OPENERS * OPENED];
  pid_t pids[OPENERS];
  int ends[2];
  (void)state;
  warehouse_place(&w);
  pids[0] = start(begin_work, w.dir, 1, -1);
  all_end_well(pids, 1);
  assert_int_equal(pipe(ends), 0);
  for (int i = 0; i < OPENERS; i++) pids[i] = start(open_many, w.dir, i, ends[1]);
  close(ends[1]);
  for (size_t i = 0; i < OPENERS * OPENED; i++) assert_int_equal(read(ends[0], &ids[i], sizeof ids[i]), sizeof ids[i]);
  close(ends[0]);
  all_end_well(pids, OPENERS);
  for (size_t i = 0; i < OPENERS * OPENED; i++)
    for (size_t k = 0; k < i; k++) assert_true(ids[i] != ids[k]);
  look_at(&w);
  warehouse_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      /* those that fork come first: DuckDB does not survive it */
      cmocka_unit_test(eight_start_at_once_on_nothing),
      cmocka_unit_test(housekeepers_at_once_abort_a_dead_transaction_once),
      cmocka_unit_test(transactions_of_many_clients_have_numbers_of_their_own),
      cmocka_unit_test_setup_teardown(a_metastore_call_that_fails_takes_the_whole_transaction, setup, teardown),
      cmocka_unit_test_setup_teardown(a_metastore_call_that_fails_after_it_took_effect_does_too, setup, teardown),
      cmocka_unit_test_setup_teardown(a_commit_that_is_not_known_is_settled, setup, teardown),
      cmocka_unit_test_setup_teardown(a_commit_that_is_cancelled_is_whole_or_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(the_lowest_open_transaction_is_found_in_any_order, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
