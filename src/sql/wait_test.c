/* Waiting for locks with real threads: who is served, who is told what, who ends when transactions wait for each other.
 * The order of things under every interleaving is in tests/isolation. */
#include "sql/wait.h"

#include <pthread.h>
#include <time.h>

#include "support/warehouse.h"

typedef struct pair {
  warehouse w; /* A */
  skep_session *b;
  skep_buf rows; /* of B's last statement */
  int awake;     /* __atomic: sleep_until_told */
} pair;

static int setup(void **state) {
  static pair p;
  memset(&p, 0, sizeof p);
  warehouse_open(&p.w);
  skep_buf_init(&p.rows, &p.w.ctx, 1 << 20);
  p.w.opts.user = "bea";
  assert_ok(skep_session_open(&p.w.opts, &p.b, &p.w.err), p.w.err);
  *state = &p;
  warehouse_run(&p.w, "CREATE TABLE t (id INT, x INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  warehouse_run(&p.w, "CREATE TABLE u (id INT, x INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  warehouse_run(&p.w, "INSERT INTO t VALUES (1, 7), (2, 100)");
  warehouse_run(&p.w, "INSERT INTO u VALUES (1, 7)");
  return 0;
}

static int teardown(void **state) {
  pair *p = *state;
  skep_session_close(p->b);
  skep_buf_fini(&p->rows);
  warehouse_close(&p->w);
  return 0;
}

/* ---- B in a thread of its own ---- */

typedef struct task {
  pair *p;
  const char *sql;
  pthread_t thread;
  skep_status st;
  skep_err err;
} task;

static void *run_task(void *self) {
  task *t = self;
  skep_result *result = NULL;
  const skep_batch *batch;
  t->st = skep_session_run(t->p->b, t->sql, strlen(t->sql), &result, &t->err);
  while (t->st == SKEP_OK && result != NULL) {
    t->st = skep_result_next(result, &batch, &t->err);
    if (t->st == SKEP_END) break;
  }
  if (t->st == SKEP_END) t->st = SKEP_OK;
  skep_result_free(result);
  return NULL;
}

/* Starts a statement of B and returns when it waits; whom it waits for is in text. */
static void start_waiting(pair *p, task *t, const char *sql, char *text, size_t size) {
  *t = (task){.p = p, .sql = sql};
  assert_int_equal(pthread_create(&t->thread, NULL, run_task, t), 0);
  while (!skep_session_waits_for(p->b, text, size)) {
    const struct timespec pause = {0, 1000000};
    (void)nanosleep(&pause, NULL);
  }
}

static skep_status finish(task *t) {
  assert_int_equal(pthread_join(t->thread, NULL), 0);
  return t->st;
}

static void b_ok(pair *p, const char *sql) {
  task t = {.p = p, .sql = sql};
  run_task(&t);
  if (t.st != SKEP_OK) fail_msg("B: %s: %s", sql, t.err.text);
}

static void b_fails(pair *p, const char *sql, skep_status status, const char *part) {
  task t = {.p = p, .sql = sql};
  run_task(&t);
  if (t.st != status || strstr(t.err.text, part) == NULL)
    fail_msg("B: %s: %s: %s", sql, skep_status_name(t.st), t.err.text);
}

static int64_t n_locks(pair *p) {
  int64_t n = -1;
  assert_ok(skep_db_get_i64(p->b->db, "SELECT count(*) FROM \"HIVE_LOCKS\"", SKEP_NO_PARAMS, &n, NULL, &p->w.err),
            p->w.err);
  return n;
}

/* ---- tests ---- */

static void the_limit_is_hives_where_hives_settings_say_so(void **state) {
  static const struct {
    const char *set;
    int64_t ms;
  } cases[] = {
      {"RESET", 50000},
      {"SET hive.lock.numretries=3", 700}, /* 100 + 200 + 400: golden 23 waited 711 to 720 ms */
      {"SET hive.lock.numretries=0", 0},
      {"SET hive.lock.numretries=8", 25500},                                         /* up to 12800 */
      {"SET hive.lock.sleep.between.retries=20s", 25500},                            /* no change yet */
      {"SET hive.lock.numretries=10", 25500 + 2 * 20000},                            /* then 20 s each */
      {"SET hive.lock.sleep.between.retries=1s", 25500 - 12800 + 12800 + 2 * 15000}, /* 15 s at least */
      {"SET skep.lock.wait.timeout=2s", 2000},
      {"SET skep.lock.wait.timeout=0", 0},
      {"SET skep.lock.wait.timeout=10h", 25500 + 2 * 15000}, /* the shorter one */
  };
  pair *p = *state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    b_ok(p, cases[i].set);
    if (skep_wait_limit_ms(p->b) != cases[i].ms)
      fail_msg("%s: %lld", cases[i].set, (long long)skep_wait_limit_ms(p->b));
  }
}

static void a_waiter_is_served_and_sees_what_it_waited_for(void **state) {
  pair *p = *state;
  task t;
  char text[600];
  warehouse_run(&p->w, "START TRANSACTION");
  warehouse_run(&p->w, "UPDATE t SET x = x + 1 WHERE id = 1");
  start_waiting(p, &t, "UPDATE t SET x = x + 10 WHERE id = 1", text, sizeof text);
  assert_non_null(strstr(text, "EXCL_WRITE on default.t, which is held by txnid:"));
  assert_non_null(strstr(text, " of anonymous at localhost (query skep-"));
  warehouse_run(&p->w, "COMMIT");
  assert_int_equal(finish(&t), SKEP_OK);
  assert_false(skep_session_waits_for(p->b, text, sizeof text));
  assert_string_equal(text, "");
  assert_string_equal(warehouse_rows(&p->w, "SELECT x FROM t WHERE id = 1"), "18\n");
  assert_int_equal(n_locks(p), 0);
}

static void a_waiter_behind_a_rollback_is_served(void **state) {
  pair *p = *state;
  task t;
  char text[600];
  warehouse_run(&p->w, "START TRANSACTION");
  warehouse_run(&p->w, "INSERT OVERWRITE TABLE t VALUES (9, 9)");
  start_waiting(p, &t, "DELETE FROM t WHERE id = 2", text, sizeof text);
  assert_non_null(strstr(text, "EXCLUSIVE on default.t"));
  warehouse_run(&p->w, "ROLLBACK");
  assert_int_equal(finish(&t), SKEP_OK);
  assert_string_equal(warehouse_rows(&p->w, "SELECT * FROM t"), "1\t7\n");
}

static void definitions_wait_in_the_same_queue(void **state) {
  pair *p = *state;
  task t;
  char text[600];
  warehouse_run(&p->w, "START TRANSACTION");
  assert_string_equal(warehouse_rows(&p->w, "SELECT count(*) FROM t"), "2\n");
  start_waiting(p, &t, "ALTER TABLE t ADD COLUMNS (c INT)", text, sizeof text);
  assert_non_null(strstr(text, "SHARED_READ on default.t, which is held by"));
  warehouse_run(&p->w, "COMMIT");
  assert_int_equal(finish(&t), SKEP_OK);
  assert_string_equal(warehouse_rows(&p->w, "SELECT * FROM t WHERE id = 1"), "1\t7\t\\N\n");
  assert_int_equal(n_locks(p), 0);
}

static void a_waiting_statement_can_be_cancelled_and_leaves_no_request(void **state) {
  static const char *const statements[] = {"UPDATE t SET x = 0", "DROP TABLE t", "TRUNCATE TABLE t"};
  pair *p = *state;
  warehouse_run(&p->w, "START TRANSACTION");
  warehouse_run(&p->w, "UPDATE t SET x = x + 1 WHERE id = 1");
  int64_t held = n_locks(p);
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
    task t;
    char text[600];
    start_waiting(p, &t, statements[i], text, sizeof text);
    skep_session_cancel(p->b);
    assert_int_equal(finish(&t), SKEP_ERR_CANCELLED);
    assert_int_equal(n_locks(p), held);
  }
  warehouse_run(&p->w, "COMMIT");
  b_ok(p, "UPDATE t SET x = x + 1 WHERE id = 1");
  assert_string_equal(warehouse_rows(&p->w, "SELECT x FROM t WHERE id = 1"), "9\n");
}

/* ---- how often who waits looks ---- */

enum { LATE_PAUSES = 20 };

/* Time goes on only while somebody sleeps, and stands still with the last of the late pauses: else B's time would be
 * over where A's COMMIT takes a moment. */
typedef struct dreams {
  skep_ctx real;
  int64_t now_ms;           /* __atomic */
  int64_t longest[3], n[3]; /* pauses in the first second, until the fifth, later; n is __atomic */
  int awake;                /* __atomic: time may go on */
} dreams;

static int64_t dream_ns(void *self) { return __atomic_load_n(&((dreams *)self)->now_ms, __ATOMIC_SEQ_CST) * 1000000; }
static int64_t dream_clock_ms(void *self) { return ((dreams *)self)->real.clock_ms(((dreams *)self)->real.clock_self); }
static void dream(void *self, int64_t ms) {
  dreams *d = self;
  int64_t now = __atomic_load_n(&d->now_ms, __ATOMIC_SEQ_CST);
  int when = now < 1000 ? 0 : now < 5000 ? 1 : 2;
  if (ms > d->longest[when]) d->longest[when] = ms;
  __atomic_store_n(&d->now_ms, now + ms, __ATOMIC_SEQ_CST);
  if (__atomic_add_fetch(&d->n[when], 1, __ATOMIC_SEQ_CST) < LATE_PAUSES || when < 2) return;
  const struct timespec pause = {0, 1000000};
  while (!__atomic_load_n(&d->awake, __ATOMIC_SEQ_CST)) (void)nanosleep(&pause, NULL);
}

static void who_is_next_looks_often_and_after_a_while_less_often(void **state) {
  pair *p = *state;
  task t;
  char text[600];
  dreams d = {.real = p->w.ctx};
  skep_ctx ctx = p->w.ctx;
  ctx.clock_self = &d;
  ctx.clock_ms = dream_clock_ms;
  ctx.monotonic_ns = dream_ns;
  ctx.sleep_ms = dream;
  skep_session_close(p->b);
  skep_session_opts opts = p->w.opts;
  opts.ctx = &ctx;
  assert_ok(skep_session_open(&opts, &p->b, &p->w.err), p->w.err);
  warehouse_run(&p->w, "START TRANSACTION");
  warehouse_run(&p->w, "UPDATE t SET x = x + 1 WHERE id = 1");
  start_waiting(p, &t, "UPDATE t SET x = 0", text, sizeof text);
  const struct timespec pause = {0, 1000000};
  while (__atomic_load_n(&d.n[2], __ATOMIC_SEQ_CST) < LATE_PAUSES) (void)nanosleep(&pause, NULL);
  warehouse_run(&p->w, "COMMIT");
  __atomic_store_n(&d.awake, 1, __ATOMIC_SEQ_CST);
  assert_int_equal(finish(&t), SKEP_OK);
  assert_int_equal(d.longest[0], 2);
  assert_true(d.n[0] > 400);
  assert_int_equal(d.longest[1], 10);
  assert_int_equal(d.longest[2], 25);
  skep_session_close(p->b); /* before its clock goes */
  assert_ok(skep_session_open(&p->w.opts, &p->b, &p->w.err), p->w.err);
}

static void who_waits_too_long_says_for_whom(void **state) {
  pair *p = *state;
  b_ok(p, "SET hive.lock.numretries=1");
  warehouse_run(&p->w, "START TRANSACTION");
  warehouse_run(&p->w, "UPDATE t SET x = x + 1 WHERE id = 1");
  b_fails(p, "UPDATE t SET x = 0", SKEP_ERR_BUSY,
          "LockException [Error 10307]: Error in acquiring locks: Lock acquisition for EXCL_WRITE on default.t");
  b_fails(p, "DROP TABLE t", SKEP_ERR_BUSY, "It waits for EXCL_WRITE on default.t, which is held by txnid:");
  b_ok(p, "INSERT INTO t VALUES (3, 3)");
  b_ok(p, "SELECT * FROM t");
  warehouse_run(&p->w, "COMMIT");
  b_ok(p, "DROP TABLE t");
}

/* Golden 23: each UPDATE, TRUNCATE, OVERWRITE and ADD COLUMNS that times out leaves a gap. DROP takes none. */
static void a_statement_that_waited_in_vain_has_used_its_write_id(void **state) {
  pair *p = *state;
  static const struct {
    const char *statement;
    int ids;
  } cases[] = {{"UPDATE t SET x = 0", 1},
               {"DELETE FROM t WHERE id = 1", 1},
               {"MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN DELETE", 1},
               {"INSERT OVERWRITE TABLE t VALUES (9, 9)", 1},
               {"TRUNCATE TABLE t", 1},
               {"ALTER TABLE t ADD COLUMNS (c INT)", 1},
               {"ALTER TABLE t RENAME TO t9", 1},
               {"ALTER TABLE t ADD COLUMNS (x INT)", 1},
               {"DROP TABLE t", 0}};
  int id = 2; /* the one that A holds */
  b_ok(p, "SET hive.lock.numretries=1");
  warehouse_run(&p->w, "START TRANSACTION");
  warehouse_run(&p->w, "UPDATE t SET x = x + 1 WHERE id = 1");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char sql[80];
    b_fails(p, cases[i].statement, SKEP_ERR_BUSY, "timed out");
    id += cases[i].ids + 1;
    snprintf(sql, sizeof sql, "INSERT INTO t VALUES (%d, 0)", id);
    b_ok(p, sql);
  }
  warehouse_run(&p->w, "COMMIT");
  assert_string_equal(warehouse_rows(&p->w, "SELECT count(*) FROM t WHERE id > 2 AND ROW__ID.writeid <> id"), "0\n");
  assert_string_equal(warehouse_rows(&p->w, "SELECT max(ROW__ID.writeid), count(*) FROM t WHERE id > 2"), "19\t9\n");
}

static void the_youngest_ends_when_transactions_wait_for_each_other(void **state) {
  pair *p = *state;
  task t;
  char text[600];
  warehouse_run(&p->w, "START TRANSACTION");
  warehouse_run(&p->w, "UPDATE t SET x = x + 1 WHERE id = 1");
  b_ok(p, "START TRANSACTION");
  b_ok(p, "UPDATE u SET x = x + 1");
  start_waiting(p, &t, "UPDATE t SET x = 0", text, sizeof text); /* B waits for A */
  warehouse_run(&p->w, "UPDATE u SET x = x + 100");              /* A for B: B ends, A goes on */
  assert_int_equal(finish(&t), SKEP_ERR_CONFLICT);
  assert_non_null(strstr(t.err.text, "deadlock"));
  warehouse_run(&p->w, "COMMIT");
  assert_string_equal(warehouse_rows(&p->w, "SELECT x FROM t WHERE id = 1"), "8\n");
  assert_string_equal(warehouse_rows(&p->w, "SELECT x FROM u"), "107\n");
  b_fails(p, "COMMIT", SKEP_ERR_SEMANTIC, "20008");
}

/* A waiter that gets no turn until its heartbeat has told it that it is over, or the test wakes it. */
static void sleep_until_told(void *self, int64_t ms) {
  pair *p = self;
  const struct timespec pause = {0, 1000000};
  (void)ms;
  while (__atomic_load_n(&p->b->cancelled, __ATOMIC_SEQ_CST) == 0 && __atomic_load_n(&p->awake, __ATOMIC_SEQ_CST) == 0)
    (void)nanosleep(&pause, NULL);
}

/* B once more, as such a waiter. */
static void open_sleepy_b(pair *p) {
  static skep_ctx ctx;
  skep_session_opts opts = p->w.opts;
  skep_session_close(p->b);
  ctx = p->w.ctx; /* the system's clocks do not look at clock_self */
  ctx.clock_self = p;
  ctx.sleep_ms = sleep_until_told;
  opts.ctx = &ctx;
  assert_ok(skep_session_open(&opts, &p->b, &p->w.err), p->w.err);
}

static void who_is_ended_is_told_the_same_by_its_heartbeat(void **state) {
  pair *p = *state;
  task t;
  char text[600];
  open_sleepy_b(p);
  warehouse_run(&p->w, "START TRANSACTION");
  warehouse_run(&p->w, "UPDATE t SET x = x + 1 WHERE id = 1");
  b_ok(p, "START TRANSACTION");
  b_ok(p, "UPDATE u SET x = x + 1");
  start_waiting(p, &t, "UPDATE t SET x = 0", text, sizeof text);
  warehouse_run(&p->w, "UPDATE u SET x = x + 100");
  assert_int_equal(finish(&t), SKEP_ERR_CONFLICT);
  assert_non_null(strstr(t.err.text, "deadlock"));
  warehouse_run(&p->w, "COMMIT");
}

/* B sleeps: it looks for cycles too, once a second, and would end A before A has looked. */
static void who_closes_the_cycle_is_told_when_it_is_the_youngest(void **state) {
  pair *p = *state;
  task t;
  char text[600];
  open_sleepy_b(p);
  b_ok(p, "START TRANSACTION");
  b_ok(p, "UPDATE u SET x = x + 1");
  warehouse_run(&p->w, "START TRANSACTION"); /* the younger one */
  warehouse_run(&p->w, "UPDATE t SET x = x + 1 WHERE id = 1");
  start_waiting(p, &t, "UPDATE t SET x = 50 WHERE id = 2", text, sizeof text);
  assert_int_equal(warehouse_try(&p->w, p->w.session, "UPDATE u SET x = 0"), SKEP_ERR_CONFLICT);
  assert_non_null(strstr(p->w.err.text, "wait for each other"));
  assert_non_null(strstr(p->w.err.text,
                         "was aborted, the youngest of them, and can be tried again. It waited for "
                         "EXCL_WRITE on default.u, which is held by txnid:"));
  __atomic_store_n(&p->awake, 1, __ATOMIC_SEQ_CST);
  assert_int_equal(finish(&t), SKEP_OK);
  b_ok(p, "COMMIT");
  assert_string_equal(warehouse_rows(&p->w, "SELECT x FROM t ORDER BY id"), "7\n50\n");
}

static void statements_of_one_name_exclude_each_other(void **state) {
  pair *p = *state;
  task t;
  char text[600];
  warehouse_run(&p->w, "SET hive.query.exclusive.lock=nightly");
  b_ok(p, "SET hive.query.exclusive.lock=nightly");
  warehouse_run(&p->w, "START TRANSACTION");
  assert_string_equal(warehouse_rows(&p->w, "SELECT 1"), "1\n");
  start_waiting(p, &t, "SELECT 2", text, sizeof text);
  assert_non_null(strstr(text, "EXCLUSIVE on GLOBAL_LOCKS.nightly"));
  warehouse_run(&p->w, "COMMIT");
  assert_int_equal(finish(&t), SKEP_OK);
}

/* Somebody else's transaction, which knows no locks of Skep's queries. */
static void a_reader_that_may_not_wait_is_refused_at_once(void **state) {
  pair *p = *state;
  b_ok(p, "SET skep.lock.zerowait.read=true");
  warehouse_run(&p->w, "START TRANSACTION");
  warehouse_run(&p->w, "INSERT OVERWRITE TABLE t VALUES (9, 9)");
  b_fails(p, "SELECT * FROM t", SKEP_ERR_BUSY,
          "SHARED_READ could not be acquired at once; in its way is EXCLUSIVE on default.t, which is held by txnid:");
  warehouse_run(&p->w, "COMMIT");
  b_ok(p, "SELECT * FROM t");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {TEST(the_limit_is_hives_where_hives_settings_say_so),
                                     TEST(a_waiter_is_served_and_sees_what_it_waited_for),
                                     TEST(a_waiter_behind_a_rollback_is_served),
                                     TEST(definitions_wait_in_the_same_queue),
                                     TEST(a_waiting_statement_can_be_cancelled_and_leaves_no_request),
                                     TEST(who_is_next_looks_often_and_after_a_while_less_often),
                                     TEST(who_waits_too_long_says_for_whom),
                                     TEST(a_statement_that_waited_in_vain_has_used_its_write_id),
                                     TEST(the_youngest_ends_when_transactions_wait_for_each_other),
                                     TEST(who_is_ended_is_told_the_same_by_its_heartbeat),
                                     TEST(who_closes_the_cycle_is_told_when_it_is_the_youngest),
                                     TEST(statements_of_one_name_exclude_each_other),
                                     TEST(a_reader_that_may_not_wait_is_refused_at_once)};
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
