/* What reaches a running transaction from outside: KILL QUERY, ABORT TRANSACTIONS, the time-out; and what it tells:
 * SHOW TRANSACTIONS, sys.transactions, sys.locks. */
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/warehouse.h"

static int setup(void **state) {
  static warehouse w;
  *state = &w;
  warehouse_open(&w);
  warehouse_run(&w, "CREATE TABLE t (a INT, b STRING)");
  warehouse_run(&w, "CREATE TABLE u (a INT)");
  warehouse_run(&w, "INSERT INTO t VALUES (1,'x'), (2,'y'), (3,'z')");
  return 0;
}

static int teardown(void **state) {
  warehouse_close(*state);
  return 0;
}

static void nap(void) {
  const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
  (void)nanosleep(&pause, NULL);
}

/* --- a statement that runs for ever, in a thread --- */

typedef struct runner {
  skep_session *session;
  const char *sql;
  skep_status st;
  skep_err err;
  pthread_t thread;
} runner;

static void *run(void *self) {
  runner *r = self;
  skep_result *result;
  const skep_batch *batch;
  r->st = skep_session_run(r->session, r->sql, strlen(r->sql), &result, &r->err);
  while (r->st == SKEP_OK && result != NULL && (r->st = skep_result_next(result, &batch, &r->err)) == SKEP_OK) continue;
  skep_result_free(result);
  return NULL;
}

#define ENDLESS                                                                                                        \
  "SELECT count(*) FROM t a, t b, t c, t d, t e, t f, t g, t h, t i, t j, t k, t l, t m, t n, t o, t p, t q, t r, t "  \
  "s, t v, t w, "                                                                                                      \
  "t x, t y, t z, t aa, t bb, t cc, t dd, t ee, t ff WHERE a.a + b.a + c.a + d.a + e.a + f.a + g.a + h.a + i.a + j.a " \
  "+ k.a + l.a + "                                                                                                     \
  "m.a + n.a + o.a + p.a + q.a + r.a + s.a + v.a + w.a + x.a + y.a + z.a + aa.a + bb.a + cc.a + dd.a + ee.a + ff.a = " \
  "31"

static void start(warehouse *w, runner *r, const char *sql) {
  *r = (runner){.sql = sql};
  assert_ok(skep_session_open(&w->opts, &r->session, &w->err), w->err);
  assert_int_equal(pthread_create(&r->thread, NULL, run, r), 0);
}

static void finish(runner *r) {
  pthread_join(r->thread, NULL);
  skep_session_close(r->session);
}

/* The first row, once there is one. */
static const char *first_row(warehouse *w, const char *sql) {
  static char row[200];
  const char *text = "";
  while ((text = warehouse_rows(w, sql))[0] == '\0') nap();
  snprintf(row, sizeof row, "%.*s", (int)strcspn(text, "\n"), text);
  return row;
}

/* A cell of the only open transaction, once there is one. */
static const char *open_cell(warehouse *w, const char *column) {
  char sql[200];
  snprintf(sql, sizeof sql, "SELECT %s FROM sys.transactions WHERE state = 'open'", column);
  return first_row(w, sql);
}

static const char *waiting_query(warehouse *w) {
  return first_row(w, "SELECT agent_info FROM sys.locks WHERE lock_state = 'waiting' LIMIT 1");
}

static void kill_query(warehouse *w, const char *id) {
  char sql[300];
  snprintf(sql, sizeof sql, "KILL QUERY '%s'", id);
  warehouse_run(w, sql);
}

static void kill_query_ends_a_query_of_another_session(void **state) {
  warehouse *w = *state;
  runner r;
  char sql[300], id[100];
  start(w, &r, ENDLESS);
  snprintf(id, sizeof id, "%s", open_cell(w, "agent_info"));
  assert_int_equal(strncmp(id, "skep-", 5), 0);
  assert_non_null(strstr(warehouse_rows(w, "SHOW TRANSACTIONS"), id));
  kill_query(w, id);
  finish(&r);
  assert_int_equal(r.st, SKEP_ERR_CANCELLED);
  snprintf(sql, sizeof sql, "query %s was killed by anonymous@localhost", id);
  assert_string_equal(r.err.text, sql);
  assert_string_equal(warehouse_rows(w, "SELECT reason FROM sys.transactions WHERE state = 'aborted'"),
                      "query killed\n");
}

static void kill_query_ends_a_definition_that_waits(void **state) {
  warehouse *w = *state;
  runner r;
  skep_session *holder;
  assert_ok(skep_session_open(&w->opts, &holder, &w->err), w->err);
  assert_int_equal(warehouse_try(w, holder, "START TRANSACTION"), SKEP_OK);
  assert_int_equal(warehouse_try(w, holder, "INSERT INTO u VALUES (1)"), SKEP_OK);
  start(w, &r, "DROP TABLE u");
  kill_query(w, waiting_query(w));
  finish(&r);
  assert_int_equal(r.st, SKEP_ERR_CANCELLED);
  assert_non_null(strstr(r.err.text, "was killed by anonymous@localhost"));
  assert_string_equal(warehouse_rows(w, "SELECT count(*) FROM sys.locks WHERE lock_state = 'waiting'"), "0\n");
  assert_int_equal(warehouse_try(w, holder, "COMMIT"), SKEP_OK);
  skep_session_close(holder);
  assert_string_equal(warehouse_rows(w, "SELECT * FROM u"), "1\n");
}

/* Its last statement is what SHOW TRANSACTIONS names; who kills that means the transaction. */
static void kill_query_ends_an_explicit_transaction_between_two_statements(void **state) {
  warehouse *w = *state;
  skep_session *other;
  assert_ok(skep_session_open(&w->opts, &other, &w->err), w->err);
  assert_int_equal(warehouse_try(w, other, "START TRANSACTION"), SKEP_OK);
  assert_int_equal(warehouse_try(w, other, "INSERT INTO u VALUES (1)"), SKEP_OK);
  kill_query(w, open_cell(w, "agent_info"));
  while (strcmp(warehouse_rows(w, "SELECT count(*) FROM sys.transactions WHERE state = 'open'"), "0\n") != 0) nap();
  assert_int_equal(warehouse_try(w, other, "INSERT INTO u VALUES (2)"), SKEP_ERR_ABORTED);
  assert_non_null(strstr(w->err.text, "already aborted due to query killed"));
  assert_string_equal(warehouse_rows(w, "SELECT count(*) FROM u"), "0\n");
  assert_int_equal(warehouse_try(w, other, "INSERT INTO u VALUES (3)"), SKEP_OK); /* the session goes on */
  skep_session_close(other);
}

/* Statements without tables are not what SHOW TRANSACTIONS names: they do not shield the transaction. */
static void kill_query_ends_an_explicit_transaction_after_statements_without_tables(void **state) {
  static const char *const last[] = {"SHOW TABLES", "SET hive.x=y", "DESCRIBE u", "EXPLAIN SELECT * FROM u"};
  warehouse *w = *state;
  skep_session *other;
  assert_ok(skep_session_open(&w->opts, &other, &w->err), w->err);
  for (size_t i = 0; i < sizeof last / sizeof *last; i++) {
    assert_int_equal(warehouse_try(w, other, "START TRANSACTION"), SKEP_OK);
    assert_int_equal(warehouse_try(w, other, "INSERT INTO u VALUES (1)"), SKEP_OK);
    assert_int_equal(warehouse_try(w, other, last[i]), SKEP_OK);
    kill_query(w, open_cell(w, "agent_info"));
    while (strcmp(warehouse_rows(w, "SELECT count(*) FROM sys.transactions WHERE state = 'open'"), "0\n") != 0) nap();
    assert_int_equal(warehouse_try(w, other, "COMMIT"), SKEP_ERR_ABORTED);
  }
  assert_string_equal(warehouse_rows(w, "SELECT count(*) FROM u"), "0\n");
  skep_session_close(other);
}

static void kill_query_ends_a_statement_of_an_explicit_transaction_that_waits(void **state) {
  warehouse *w = *state;
  runner r;
  skep_session *holder;
  assert_ok(skep_session_open(&w->opts, &holder, &w->err), w->err);
  assert_int_equal(warehouse_try(w, holder, "START TRANSACTION"), SKEP_OK);
  assert_int_equal(warehouse_try(w, holder, "UPDATE u SET a = 2"), SKEP_OK);
  assert_ok(skep_session_open(&w->opts, &r.session, &w->err), w->err);
  assert_int_equal(warehouse_try(w, r.session, "START TRANSACTION"), SKEP_OK);
  assert_int_equal(warehouse_try(w, r.session, "SELECT * FROM u"), SKEP_OK);
  r.sql = "UPDATE u SET a = 3";
  assert_int_equal(pthread_create(&r.thread, NULL, run, &r), 0);
  kill_query(w, waiting_query(w));
  finish(&r);
  assert_int_equal(r.st, SKEP_ERR_CANCELLED);
  assert_int_equal(warehouse_try(w, holder, "COMMIT"), SKEP_OK);
  skep_session_close(holder);
}

/* However soon its lock becomes free: the heartbeat need not have heard yet. */
static void kill_query_of_a_statement_that_waits_comes_before_its_lock(void **state) {
  static const char *const waiting[] = {"UPDATE u SET a = 3", "INSERT OVERWRITE TABLE u VALUES (3)", "DROP TABLE u"};
  warehouse *w = *state;
  skep_session *holder;
  warehouse_run(w, "INSERT INTO u VALUES (1)");
  assert_ok(skep_session_open(&w->opts, &holder, &w->err), w->err);
  for (size_t i = 0; i < sizeof waiting / sizeof *waiting; i++) {
    runner r;
    char text[300];
    assert_int_equal(warehouse_try(w, holder, "START TRANSACTION"), SKEP_OK);
    assert_int_equal(warehouse_try(w, holder, "UPDATE u SET a = 2"), SKEP_OK);
    start(w, &r, waiting[i]);
    snprintf(text, sizeof text, "%s", waiting_query(w));
    kill_query(w, text);
    assert_int_equal(warehouse_try(w, holder, "COMMIT"), SKEP_OK);
    finish(&r);
    assert_int_equal(r.st, SKEP_ERR_CANCELLED);
    assert_non_null(strstr(r.err.text, text));
    assert_string_equal(warehouse_rows(w, "SELECT a FROM u"), "2\n");
  }
  assert_string_equal(warehouse_rows(w, "SELECT count(*) FROM sys.transactions WHERE state = 'open'"), "0\n");
  skep_session_close(holder);
}

/* Whoever is told first, the heartbeat or COMMIT. */
static void kill_query_of_an_explicit_transaction_comes_before_its_commit(void **state) {
  warehouse *w = *state;
  skep_session *other;
  assert_ok(skep_session_open(&w->opts, &other, &w->err), w->err);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(warehouse_try(w, other, "START TRANSACTION"), SKEP_OK);
    assert_int_equal(warehouse_try(w, other, "INSERT INTO u VALUES (1)"), SKEP_OK);
    kill_query(w, open_cell(w, "agent_info"));
    skep_status st = warehouse_try(w, other, "COMMIT");
    assert_true(st == SKEP_ERR_CANCELLED || st == SKEP_ERR_ABORTED);
    assert_non_null(strstr(w->err.text, "killed"));
    assert_string_equal(warehouse_rows(w, "SELECT count(*) FROM sys.transactions WHERE state = 'open'"), "0\n");
  }
  assert_string_equal(warehouse_rows(w, "SELECT count(*) FROM u"), "0\n");
  skep_session_close(other);
}

static void kill_query_says_when_there_is_none(void **state) {
  warehouse *w = *state;
  warehouse_fails(w, "KILL QUERY 'nobody\n'", "no query runs with id 'nobody\\x0a'");
}

static void an_aborted_transaction_ends_its_statement(void **state) {
  warehouse *w = *state;
  runner r;
  char sql[100];
  start(w, &r, ENDLESS);
  snprintf(sql, sizeof sql, "ABORT TRANSACTIONS %s", open_cell(w, "txn_id"));
  warehouse_run(w, sql);
  finish(&r);
  assert_int_equal(r.st, SKEP_ERR_ABORTED);
  assert_non_null(strstr(r.err.text, "already aborted due to abort by query command"));
}

static void abort_transactions_says_what_was_not_open(void **state) {
  warehouse *w = *state;
  skep_session *other;
  char sql[100];
  assert_ok(skep_session_open(&w->opts, &other, &w->err), w->err);
  assert_int_equal(warehouse_try(w, other, "START TRANSACTION"), SKEP_OK);
  snprintf(sql, sizeof sql, "ABORT TRANSACTIONS 999999 %s 1", open_cell(w, "txn_id"));
  warehouse_run(w, sql); /* no error, as in Hive: golden 23 */
  assert_string_equal(skep_session_notice(w->session, 0),
                      "transaction 999999 is not open (there is none, or it is over): nothing was aborted");
  assert_memory_equal(skep_session_notice(w->session, 1), "transaction 1 is not open (", 27);
  assert_null(skep_session_notice(w->session, 2));
  assert_int_equal(warehouse_try(w, other, "COMMIT"), SKEP_ERR_ABORTED);
  warehouse_run(w, sql);
  assert_non_null(strstr(skep_session_notice(w->session, 1), "is not open ("));
  skep_session_close(other);
}

/* A reader that stood still while it was aborted: whatever rows it got, it must not take them for all. */
static void read_while_aborted(warehouse *w, bool is_explicit) {
  skep_session *other;
  char sql[100];
  assert_ok(skep_session_open(&w->opts, &other, &w->err), w->err);
  if (is_explicit) assert_int_equal(warehouse_try(w, other, "START TRANSACTION"), SKEP_OK);
  skep_result *result;
  const skep_batch *batch;
  assert_ok(skep_session_run(other, "SELECT * FROM t", 15, &result, &w->err), w->err);
  snprintf(sql, sizeof sql, "ABORT TRANSACTIONS %s", open_cell(w, "txn_id"));
  warehouse_run(w, sql);
  skep_status st;
  while ((st = skep_result_next(result, &batch, &w->err)) == SKEP_OK) continue;
  assert_int_equal(st, SKEP_ERR_ABORTED);
  assert_non_null(strstr(w->err.text, "abort by query command"));
  skep_result_free(result);
  skep_session_close(other);
}

static void a_query_of_an_aborted_transaction_fails_at_its_end(void **state) {
  read_while_aborted(*state, true);
  read_while_aborted(*state, false);
}

static void an_open_transaction_says_how_far_it_is(void **state) {
  warehouse *w = *state;
  skep_session *other;
  assert_ok(skep_session_open(&w->opts, &other, &w->err), w->err);
  assert_int_equal(warehouse_try(w, other, "START TRANSACTION"), SKEP_OK);
  assert_int_equal(warehouse_try(w, other, "INSERT INTO t VALUES (7,'q'), (8,'r')"), SKEP_OK);
  const char *cell;
  while (strcmp(cell = open_cell(w, "rows_written"), "\\N") == 0) nap();
  assert_string_equal(cell, "2");
  assert_true(strtoll(open_cell(w, "bytes_written"), NULL, 10) > 100);
  assert_string_equal(open_cell(w, "tc_table"), "t");
  assert_non_null(strstr(warehouse_rows(w, "SHOW TRANSACTIONS"), "\tDEFAULT\tskep-"));
  skep_session_close(other);
}

static void sessions_can_share_one_thread(void **state) {
  warehouse *w = *state;
  char url[200];
  skep_heartbeats *shared;
  skep_session *s[3];
  warehouse_url(w, url, sizeof url);
  assert_ok(skep_heartbeats_new(&w->ctx, url, &shared, &w->err), w->err);
  skep_session_opts opts = w->opts;
  opts.heartbeats = shared;
  for (int i = 0; i < 3; i++) {
    assert_ok(skep_session_open(&opts, &s[i], &w->err), w->err);
    assert_int_equal(warehouse_try(w, s[i], "START TRANSACTION"), SKEP_OK);
    assert_int_equal(warehouse_try(w, s[i], "INSERT INTO u VALUES (1)"), SKEP_OK);
  }
  while (strcmp(warehouse_rows(w, "SELECT count(*) FROM sys.transactions WHERE state = 'open' AND rows_written = 1"),
                "3\n") != 0)
    nap();
  for (int i = 0; i < 3; i++) assert_int_equal(warehouse_try(w, s[i], "COMMIT"), SKEP_OK);
  for (int i = 0; i < 3; i++) skep_session_close(s[i]);
  skep_heartbeats_free(shared);
  assert_string_equal(warehouse_rows(w, "SELECT count(*) FROM u"), "3\n");
}

/* --- a process that stands still for longer than the time-out --- */

static void tell(int fd) { assert_int_equal(write(fd, "x", 1), 1); }
static void hear(int fd) {
  char byte;
  assert_int_equal(read(fd, &byte, 1), 1);
}

/* In the child: a transaction with a row, then after it was stopped and goes on: COMMIT. 0: it failed as it must. */
static int child(warehouse *w, int in, int out) {
  skep_session *s;
  skep_result *result;
  skep_err err = {0};
  static const char *const sql[] = {"START TRANSACTION", "INSERT INTO t VALUES (99,'lost')"};
  if (skep_session_open(&w->opts, &s, &err) != SKEP_OK) return 10;
  for (int i = 0; i < 2; i++)
    if (skep_session_run(s, sql[i], strlen(sql[i]), &result, &err) != SKEP_OK) return 11 + i;
  tell(out);
  hear(in); /* it is stopped here */
  skep_status st = skep_session_run(s, "COMMIT", 6, &result, &err);
  if (st == SKEP_ERR_ABORTED || st == SKEP_ERR_NOT_FOUND) return 0;
  fprintf(stderr, "COMMIT is %d: %s\n", (int)st, err.text);
  return 20;
}

/* The wall clock of both processes: the machine's, and so much ahead as stands in memory that they share. */
static int64_t shared_clock_ms(void *self) {
  struct timespec now;
  (void)clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + __atomic_load_n((int64_t *)self, __ATOMIC_SEQ_CST);
}

/* No time-out of 300 s passes while both run, however slow the machine is; then the clock goes on by ten minutes. */
static void a_stopped_process_that_was_reaped_cannot_commit(void **state) {
  warehouse *w = *state;
  int to[2], from[2], status;
  const skep_ctx real = w->ctx;
  int64_t *ahead_ms = mmap(NULL, sizeof *ahead_ms, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(ahead_ms != MAP_FAILED);
  skep_session_close(w->session); /* SQLite's locks do not cross a fork */
  w->ctx.clock_ms = shared_clock_ms;
  w->ctx.clock_self = ahead_ms;
  assert_int_equal(pipe(to), 0);
  assert_int_equal(pipe(from), 0);
  pid_t pid = fork();
  if (pid == 0) _exit(child(w, to[0], from[1]));
  close(to[0]);
  close(from[1]); /* a child that fails is heard of */
  warehouse_session(w);
  hear(from[0]);
  kill(pid, SIGSTOP);
  assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
  assert_true(WIFSTOPPED(status));
  __atomic_store_n(ahead_ms, 600000, __ATOMIC_SEQ_CST);
  do {
    warehouse_reopen(w); /* keeps house */
    nap();
  } while (strcmp(warehouse_rows(w, "SELECT count(*) FROM sys.transactions WHERE state = 'open'"), "0\n") != 0);
  assert_string_equal(warehouse_rows(w, "SELECT reason FROM sys.transactions WHERE state = 'aborted'"),
                      "heartbeat time-out\n");
  tell(to[1]);
  kill(pid, SIGCONT);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), 0);
  assert_string_equal(warehouse_rows(w, "SELECT count(*) FROM t WHERE a = 99"), "0\n");
  skep_session_close(w->session);
  w->ctx = real;
  munmap(ahead_ms, sizeof *ahead_ms);
  warehouse_session(w);
  close(to[1]);
  close(from[0]);
}

/* --- views --- */

static void sys_views_join_and_filter_like_tables(void **state) {
  warehouse *w = *state;
  assert_string_equal(warehouse_rows(w, "SELECT count(*) FROM sys.locks"), "0\n");
  assert_string_equal(warehouse_rows(w,
                                     "SELECT l.txnid FROM sys.locks l JOIN sys.transactions x ON l.txnid = x.txn_id "
                                     "WHERE x.state = 'open'"),
                      "");
  assert_string_equal(warehouse_rows(w, "SELECT DISTINCT state FROM SYS.Transactions WHERE txn_id > 0"), "commited\n");
  warehouse_fails(w, "SELECT x FROM sys.locks", "Error 10004");
  warehouse_fails(w, "SELECT * FROM sys.nothing", "Table not found");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(kill_query_ends_a_query_of_another_session),
      TEST(kill_query_says_when_there_is_none),
      TEST(kill_query_ends_a_definition_that_waits),
      TEST(kill_query_ends_an_explicit_transaction_between_two_statements),
      TEST(kill_query_ends_an_explicit_transaction_after_statements_without_tables),
      TEST(kill_query_ends_a_statement_of_an_explicit_transaction_that_waits),
      TEST(kill_query_of_a_statement_that_waits_comes_before_its_lock),
      TEST(kill_query_of_an_explicit_transaction_comes_before_its_commit),
      TEST(abort_transactions_says_what_was_not_open),
      TEST(an_aborted_transaction_ends_its_statement),
      TEST(a_query_of_an_aborted_transaction_fails_at_its_end),
      TEST(an_open_transaction_says_how_far_it_is),
      TEST(sessions_can_share_one_thread),
      TEST(a_stopped_process_that_was_reaped_cannot_commit),
      TEST(sys_views_join_and_filter_like_tables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
