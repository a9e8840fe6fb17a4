/* The metastore connection: values, transactions, several connections, the fault door, failures. */
#include "db/db.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "db/faults.h"
#include "support/failing_alloc.h"
#include "support/metastore.h"
#include "support/test.h"

typedef struct fixture {
  skep_ctx ctx;
  metastore m;
  const char *url;
  skep_db *db;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  skep_ctx_init(&f->ctx);
  metastore_new(&f->m, &f->ctx, false);
  f->url = f->m.url;
  skep_err err = {0};
  assert_ok(skep_db_open(&f->ctx, f->url, NULL, &f->db, &err), err);
  assert_ok(skep_db_exec(f->db,
                         "CREATE TABLE \"T\" (\"K\" {serial}, \"V\" VARCHAR(40), \"N\" BIGINT, \"D\" DOUBLE PRECISION, "
                         "\"B\" BYTEA, UNIQUE (\"V\"))",
                         &err),
            err);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  skep_db_close(f->db);
  metastore_remove(&f->m, &f->ctx);
  free(f);
  return 0;
}

static const char insert[] = "INSERT INTO \"T\" (\"V\", \"N\", \"D\", \"B\") VALUES (?, ?, ?, ?)";

static int64_t count(skep_db *db) {
  skep_err err = {0};
  int64_t n = -1;
  assert_ok(skep_db_get_i64(db, "SELECT count(*) FROM \"T\"", SKEP_NO_PARAMS, &n, NULL, &err), err);
  return n;
}

static void values_come_back_as_they_went_in(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  assert_ok(skep_db_run(f->db, insert,
                        SKEP_PARAMS(skep_p_text("a'b\"; DROP TABLE \"T\""), skep_p_i64(INT64_MIN), skep_p_f64(0.1),
                                    skep_p_blob("\0\xff", 2)),
                        NULL, &err),
            err);
  assert_ok(
      skep_db_run(f->db, insert, SKEP_PARAMS(skep_p_null(), skep_p_null(), skep_p_null(), skep_p_text("")), NULL, &err),
      err);
  assert_int_equal(skep_db_last_id(f->db), 2);
  skep_stmt *stmt = NULL;
  assert_ok(
      skep_db_query(f->db, "SELECT \"V\", \"N\", \"D\", \"B\" FROM \"T\" ORDER BY \"K\"", SKEP_NO_PARAMS, &stmt, &err),
      err);
  assert_int_equal(skep_stmt_n_columns(stmt), 4);
  assert_string_equal(skep_stmt_column_name(stmt, 1), "N");
  assert_ok(skep_stmt_next(stmt, &err), err);
  size_t length = 0;
  assert_string_equal(skep_stmt_text(stmt, 0, &length), "a'b\"; DROP TABLE \"T\"");
  assert_int_equal(length, 20);
  assert_true(skep_stmt_i64(stmt, 1) == INT64_MIN);
  assert_true(skep_stmt_f64(stmt, 2) == 0.1);
  assert_memory_equal(skep_stmt_blob(stmt, 3, &length), "\0\xff", 2);
  assert_int_equal(length, 2);
  assert_ok(skep_stmt_next(stmt, &err), err);
  assert_true(skep_stmt_is_null(stmt, 0) && skep_stmt_is_null(stmt, 1) && !skep_stmt_is_null(stmt, 3));
  assert_null(skep_stmt_text(stmt, 0, &length));
  assert_int_equal(skep_stmt_next(stmt, &err), SKEP_END);
  skep_stmt_done(stmt);
}

static void one_text_may_be_open_twice(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  for (int i = 0; i < 3; i++) {
    char text[] = {(char)('a' + i), 0};
    assert_ok(skep_db_run(f->db, insert, SKEP_PARAMS(skep_p_text(text), skep_p_i64(i), skep_p_null(), skep_p_null()),
                          NULL, &err),
              err);
  }
  const char *sql = "SELECT \"V\" FROM \"T\" WHERE \"N\" >= ? ORDER BY \"N\"";
  skep_stmt *a = NULL, *b = NULL;
  assert_ok(skep_db_query(f->db, sql, SKEP_PARAMS(skep_p_i64(0)), &a, &err), err);
  assert_ok(skep_db_query(f->db, sql, SKEP_PARAMS(skep_p_i64(1)), &b, &err), err);
  assert_ptr_not_equal(a, b);
  assert_ok(skep_stmt_next(a, &err), err);
  assert_ok(skep_stmt_next(b, &err), err);
  assert_int_equal(skep_stmt_char(a, 0), 'a');
  assert_int_equal(skep_stmt_char(b, 0), 'b');
  skep_stmt_done(a);
  skep_stmt_done(b);
}

static void failures_say_what_is_wrong(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  skep_stmt *stmt = NULL;
  skep_db *db = NULL;
  assert_fails(skep_db_open(&f->ctx, "mysql:x", NULL, &db, &err), SKEP_ERR_ARGUMENT, err, "expected sqlite:PATH");
  assert_null(db);
  assert_fails(skep_db_open(&f->ctx, "sqlite:/nowhere/at/all.db", NULL, &db, &err), SKEP_ERR_IO, err,
               "/nowhere/at/all.db");
  skep_db_opts opts = SKEP_DB_OPTS_DEFAULT;
  opts.create = false;
  assert_fails(skep_db_open(&f->ctx, "sqlite:/tmp/skep_no_such_file", &opts, &db, &err), SKEP_ERR_NOT_FOUND, err,
               "no such file");
  bool pg = f->m.is_postgres;
  assert_fails(skep_db_query(f->db, "SELECT \"X\" FROM \"T\"", SKEP_NO_PARAMS, &stmt, &err), SKEP_ERR_NOT_FOUND, err,
               pg ? "column \"X\" does not exist" : "no such column");
  assert_fails(skep_db_query(f->db, "SELECT 1 FROM \"NO\"", SKEP_NO_PARAMS, &stmt, &err), SKEP_ERR_NOT_FOUND, err,
               pg ? "relation \"NO\" does not exist" : "no such table");
  assert_fails(skep_db_query(f->db, "SELECT {oops}", SKEP_NO_PARAMS, &stmt, &err), SKEP_ERR_INTERNAL, err, "marker");
  assert_fails(skep_db_query(f->db, "SELECT ?", SKEP_NO_PARAMS, &stmt, &err), SKEP_ERR_INTERNAL, err,
               "0 values for 1 parameters");
  assert_ok(skep_db_run(f->db, "INSERT INTO \"T\" (\"V\") VALUES (?)", SKEP_PARAMS(skep_p_text("x")), NULL, &err), err);
  assert_fails(skep_db_run(f->db, "INSERT INTO \"T\" (\"V\") VALUES (?)", SKEP_PARAMS(skep_p_text("x")), NULL, &err),
               SKEP_ERR_EXISTS, err, pg ? "duplicate key" : "UNIQUE");
  assert_ok(skep_db_begin(f->db, SKEP_DB_READ, &err), err);
  assert_fails(skep_db_run(f->db, "DELETE FROM \"T\"", SKEP_NO_PARAMS, NULL, &err), SKEP_ERR_INTERNAL, err,
               "only reads");
  assert_fails(skep_db_begin(f->db, SKEP_DB_READ, &err), SKEP_ERR_INTERNAL, err, "open already");
  skep_db_rollback(f->db);
  assert_fails(skep_db_commit(f->db, &err), SKEP_ERR_INTERNAL, err, "no database transaction");
}

static void a_second_writer_waits_no_longer_than_allowed(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  skep_db_opts opts = SKEP_DB_OPTS_DEFAULT;
  opts.busy_wait_ms = 30;
  skep_db *other = NULL;
  assert_ok(skep_db_open(&f->ctx, f->url, &opts, &other, &err), err);
  assert_ok(skep_db_begin(f->db, SKEP_DB_WRITE, &err), err);
  assert_fails(skep_db_begin(other, SKEP_DB_WRITE, &err), SKEP_ERR_BUSY, err, "for 30 ms");
  assert_ok(skep_db_begin(other, SKEP_DB_READ, &err), err);
  assert_int_equal(count(other), 0);
  assert_ok(skep_db_run(f->db, "INSERT INTO \"T\" (\"V\") VALUES ('a')", SKEP_NO_PARAMS, NULL, &err), err);
  assert_ok(skep_db_commit(f->db, &err), err);
  assert_int_equal(count(other), 0); /* one view until its end */
  assert_ok(skep_db_commit(other, &err), err);
  assert_int_equal(count(other), 1);
  skep_db_close(other);
}

/* --- calling off a wait --- */

typedef struct waiter {
  skep_db *db;
  skep_db_mode mode;
  const char *sql; /* what waits for a row; NULL: the beginning waits already */
  skep_status st;
  skep_err err;
  int done; /* __atomic */
} waiter;

static void *wait_for_it(void *self) {
  waiter *w = self;
  w->st = skep_db_begin(w->db, w->mode, &w->err);
  if (w->st == SKEP_OK && w->sql != NULL) {
    int64_t n;
    bool found;
    w->st = skep_db_get_i64(w->db, w->sql, SKEP_NO_PARAMS, &n, &found, &w->err);
  }
  skep_db_rollback(w->db);
  __atomic_store_n(&w->done, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

/* One interrupt that comes before the wait is none: who cancels says so until the statement has ended. */
static void call_off(fixture *f, skep_db_mode holds, const char *row, skep_db_mode mode) {
  skep_err err = {0};
  waiter w = {.mode = mode, .sql = row};
  pthread_t thread;
  assert_ok(skep_db_open(&f->ctx, f->url, NULL, &w.db, &err), err); /* would wait for a minute */
  assert_ok(skep_db_begin(f->db, holds, &err), err);
  int64_t n;
  bool found;
  if (row != NULL) assert_ok(skep_db_get_i64(f->db, row, SKEP_NO_PARAMS, &n, &found, &err), err);
  assert_int_equal(pthread_create(&thread, NULL, wait_for_it, &w), 0);
  while (__atomic_load_n(&w.done, __ATOMIC_SEQ_CST) == 0) {
    usleep(50000);
    skep_db_interrupt(w.db);
  }
  pthread_join(thread, NULL);
  assert_int_equal(w.st, SKEP_ERR_CANCELLED);
  skep_db_rollback(f->db);
  assert_ok(skep_db_begin(w.db, SKEP_DB_WRITE, &err), err); /* the connection goes on */
  assert_ok(skep_db_commit(w.db, &err), err);
  skep_db_close(w.db);
}

static void a_wait_can_be_called_off(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  static const char row[] = "SELECT \"N\" FROM \"T\" WHERE \"N\" = 7{for_update}";
  assert_ok(skep_db_run(f->db, insert, SKEP_PARAMS(skep_p_text("a"), skep_p_i64(7), skep_p_null(), skep_p_null()), NULL,
                        &err),
            err);
  call_off(f, SKEP_DB_WRITE, NULL, SKEP_DB_WRITE);
  call_off(f, SKEP_DB_HOLD, row, SKEP_DB_ROWS);
  call_off(f, SKEP_DB_HOLD, row, SKEP_DB_HOLD);
  call_off(f, SKEP_DB_ROWS, row, SKEP_DB_WRITE);
}

static void rollback_and_close_undo(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  assert_ok(skep_db_begin(f->db, SKEP_DB_WRITE, &err), err);
  assert_ok(skep_db_run(f->db, "INSERT INTO \"T\" (\"V\") VALUES ('a')", SKEP_NO_PARAMS, NULL, &err), err);
  skep_db_rollback(f->db);
  assert_int_equal(count(f->db), 0);
  assert_ok(skep_db_begin(f->db, SKEP_DB_WRITE_LAZY, &err), err);
  assert_ok(skep_db_run(f->db, "INSERT INTO \"T\" (\"V\") VALUES ('a')", SKEP_NO_PARAMS, NULL, &err), err);
  skep_stmt *stmt = NULL;
  assert_ok(skep_db_query(f->db, "SELECT 1", SKEP_NO_PARAMS, &stmt, &err), err);
  skep_db_close(f->db); /* a statement and a transaction are open */
  assert_ok(skep_db_open(&f->ctx, f->url, NULL, &f->db, &err), err);
  assert_int_equal(count(f->db), 0);
  /* The number of a rolled back row is given out again, or never: what ids_in_order says. */
  assert_ok(skep_db_run(f->db, "INSERT INTO \"T\" (\"V\") VALUES ('b')", SKEP_NO_PARAMS, NULL, &err), err);
  assert_int_equal(skep_db_last_id(f->db), skep_db_dialect(f->db)->ids_in_order ? 1 : 3);
}

static void functions_join_the_callers_transaction(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  bool joined = true;
  assert_ok(skep_db_begin_unless(f->db, SKEP_DB_WRITE, &joined, &err), err);
  assert_false(joined);
  bool inner = false;
  assert_ok(skep_db_begin_unless(f->db, SKEP_DB_WRITE_LAZY, &inner, &err), err);
  assert_true(inner);
  assert_ok(skep_db_end(f->db, inner, SKEP_OK, &err), err);
  assert_true(skep_db_in_transaction(f->db) && skep_db_in_write(f->db));
  assert_int_equal(skep_db_end(f->db, joined, SKEP_ERR_RANGE, &err), SKEP_ERR_RANGE);
  assert_false(skep_db_in_transaction(f->db));
  assert_ok(skep_db_begin(f->db, SKEP_DB_READ, &err), err);
  assert_fails(skep_db_begin_unless(f->db, SKEP_DB_WRITE, &inner, &err), SKEP_ERR_INTERNAL, err, "only reads");
  skep_db_rollback(f->db);
}

/* SQLite ends a transaction by itself after some failures: nothing after that may count. */
static void a_transaction_that_is_gone_takes_nothing_more(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  assert_ok(skep_db_begin(f->db, SKEP_DB_WRITE, &err), err);
  assert_ok(skep_db_run(f->db, "INSERT INTO \"T\" (\"V\") VALUES ('a')", SKEP_NO_PARAMS, NULL, &err), err);
  assert_ok(skep_db_exec(f->db, "ROLLBACK", &err), err);
  assert_fails(skep_db_run(f->db, "INSERT INTO \"T\" (\"V\") VALUES ('b')", SKEP_NO_PARAMS, NULL, &err), SKEP_ERR_IO,
               err, "rolled back after an earlier failure");
  assert_fails(skep_db_exec(f->db, "DELETE FROM \"T\"", &err), SKEP_ERR_IO, err, "rolled back");
  assert_fails(skep_db_commit(f->db, &err), SKEP_ERR_IO, err, "rolled back");
  assert_int_equal(count(f->db), 0);
  assert_ok(skep_db_begin(f->db, SKEP_DB_WRITE, &err), err);
  skep_db_rollback(f->db);
}

static skep_status insert_text(skep_db *db, const char *text, skep_err *err) {
  return skep_db_run(db, "INSERT INTO \"T\" (\"V\") VALUES (?)", SKEP_PARAMS(skep_p_text(text)), NULL, err);
}

/* A table that is not there, asked for inside a transaction, does not end it; a change that fails may. */
static void a_savepoint_takes_a_failure_back(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  skep_stmt *stmt = NULL;
  assert_fails(skep_db_savepoint(f->db, &err), SKEP_ERR_INTERNAL, err, "outside a transaction");
  assert_ok(skep_db_begin(f->db, SKEP_DB_ROWS, &err), err);
  assert_ok(insert_text(f->db, "a", &err), err);
  assert_int_equal(skep_db_query(f->db, "SELECT 1 FROM \"NO\"", SKEP_NO_PARAMS, &stmt, &err), SKEP_ERR_NOT_FOUND);
  assert_ok(skep_db_savepoint(f->db, &err), err);
  assert_ok(insert_text(f->db, "b", &err), err);
  skep_status status = insert_text(f->db, "a", &err); /* told now or at the end */
  if (status == SKEP_OK) status = skep_db_savepoint_end(f->db, true, &err);
  assert_int_equal(status, SKEP_ERR_EXISTS);
  assert_ok(skep_db_savepoint_end(f->db, false, &err), err);
  assert_ok(skep_db_savepoint(f->db, &err), err);
  assert_ok(insert_text(f->db, "c", &err), err);
  assert_ok(skep_db_savepoint_end(f->db, true, &err), err);
  assert_ok(skep_db_commit(f->db, &err), err);
  assert_int_equal(count(f->db), 2);
}

/* What a change that nobody counted failed with is told by the commit, which then is none. */
static void a_failed_change_is_told_before_the_commit_succeeds(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  assert_ok(insert_text(f->db, "a", &err), err);
  assert_ok(skep_db_begin(f->db, SKEP_DB_ROWS_LAZY, &err), err);
  skep_status status = insert_text(f->db, "a", &err);
  if (status == SKEP_OK) status = skep_db_commit(f->db, &err);
  skep_db_rollback(f->db);
  assert_int_equal(status, SKEP_ERR_EXISTS);
  assert_ok(insert_text(f->db, "b", &err), err);
}

/* PostgreSQL: an answer that is not needed to go on comes with the commit, and what divides by zero ends it all. */
static void what_is_sent_is_answered_with_the_commit(void **state) {
  static const char sql_check[] = "SELECT 1 / count(*) FROM \"T\" WHERE \"V\" = ?";
  const char *const known[] = {sql_check};
  fixture *f = *state;
  skep_err err = {0};
  skep_stmt *first, *check;
  if (!skep_db_dialect(f->db)->at_once) skip();
  assert_ok(skep_db_learn(f->db, known, 1, &err), err);
  assert_ok(skep_db_begin(f->db, SKEP_DB_ROWS_EARLY, &err), err);
  assert_ok(insert_text(f->db, "a", &err), err);
  assert_ok(skep_db_send(f->db, "SELECT count(*) FROM \"T\"", SKEP_NO_PARAMS, &first, &err), err);
  assert_ok(insert_text(f->db, "b", &err), err);
  assert_ok(skep_db_send(f->db, sql_check, SKEP_PARAMS(skep_p_text("b")), &check, &err), err);
  assert_ok(skep_db_commit(f->db, &err), err);
  assert_int_equal(skep_stmt_next(first, &err), SKEP_OK);
  assert_int_equal(skep_stmt_i64(first, 0), 1);
  assert_int_equal(skep_stmt_next(first, &err), SKEP_END);
  skep_stmt_done(first);
  skep_stmt_done(check); /* its answer is not wanted */
  assert_ok(skep_db_begin(f->db, SKEP_DB_ROWS_EARLY, &err), err);
  assert_ok(insert_text(f->db, "c", &err), err);
  assert_ok(skep_db_send(f->db, sql_check, SKEP_PARAMS(skep_p_text("d")), &check, &err), err);
  assert_fails(skep_db_commit(f->db, &err), SKEP_ERR_ARGUMENT, err, "division by zero");
  assert_fails(skep_stmt_next(check, &err), SKEP_ERR_IO, err, "rolled back");
  skep_stmt_done(check);
  assert_int_equal(count(f->db), 2);
}

static void a_commit_that_is_late_is_none(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  assert_ok(skep_db_begin(f->db, SKEP_DB_ROWS, &err), err);
  assert_ok(insert_text(f->db, "a", &err), err);
  skep_db_commit_within(f->db, 60000);
  skep_db_commit_within(f->db, 0);
  usleep(1000);
  assert_fails(skep_db_commit(f->db, &err), SKEP_ERR_BUSY, err, "too slow");
  assert_int_equal(count(f->db), 0);
  assert_ok(skep_db_begin(f->db, SKEP_DB_ROWS, &err), err);
  assert_ok(insert_text(f->db, "a", &err), err);
  assert_ok(skep_db_commit(f->db, &err), err);
}

/* Row locks: two transactions at once, each with its own row; the third waits for a lock of all writers. */
static void writers_of_rows_run_side_by_side(void **state) {
  fixture *f = *state;
  if (!f->m.is_postgres) skip();
  skep_err err = {0};
  skep_db_opts opts = SKEP_DB_OPTS_DEFAULT;
  opts.busy_wait_ms = 30;
  skep_db *other = NULL, *third = NULL;
  assert_ok(skep_db_open(&f->ctx, f->url, &opts, &other, &err), err);
  assert_ok(skep_db_open(&f->ctx, f->url, &opts, &third, &err), err);
  assert_ok(insert_text(f->db, "a", &err), err);
  assert_ok(insert_text(f->db, "b", &err), err);
  const char *sql = "SELECT \"K\" FROM \"T\" WHERE \"V\" = ?{for_update}";
  int64_t key;
  assert_ok(skep_db_begin(f->db, SKEP_DB_ROWS, &err), err);
  assert_ok(skep_db_get_i64(f->db, sql, SKEP_PARAMS(skep_p_text("a")), &key, NULL, &err), err);
  assert_ok(skep_db_begin(other, SKEP_DB_ROWS, &err), err);
  assert_ok(skep_db_get_i64(other, sql, SKEP_PARAMS(skep_p_text("b")), &key, NULL, &err), err);
  assert_fails(skep_db_begin(third, SKEP_DB_WRITE, &err), SKEP_ERR_BUSY, err, "for 30 ms");
  /* outside of a transaction, and in one that reads, the same text locks nothing */
  assert_ok(skep_db_get_i64(third, sql, SKEP_PARAMS(skep_p_text("a")), &key, NULL, &err), err);
  assert_ok(skep_db_begin(third, SKEP_DB_READ, &err), err);
  assert_ok(skep_db_get_i64(third, sql, SKEP_PARAMS(skep_p_text("a")), &key, NULL, &err), err);
  skep_db_rollback(third);
  assert_int_equal(skep_db_get_i64(other, sql, SKEP_PARAMS(skep_p_text("a")), &key, NULL, &err), SKEP_ERR_BUSY);
  assert_fails(skep_db_commit(other, &err), SKEP_ERR_IO, err, "earlier failure");
  assert_ok(skep_db_commit(f->db, &err), err);
  skep_db_close(third);
  skep_db_close(other);
}

/* --- connections that end --- */

static void end_connections(const fixture *f) {
  char sql[256];
  snprintf(sql, sizeof sql, "SELECT pg_terminate_backend(pid, 600000) FROM pg_stat_activity WHERE datname = '%s'",
           f->m.name);
  metastore_admin(&f->ctx, &f->m, sql);
}

static void a_connection_lost_between_transactions_is_made_again(void **state) {
  fixture *f = *state;
  if (!f->m.is_postgres) skip();
  skep_err err = {0};
  end_connections(f);
  assert_ok(insert_text(f->db, "a", &err), err); /* an idle connection that has ended is noticed before */
  end_connections(f);
  assert_int_equal(count(f->db), 1);
  for (int mode = SKEP_DB_READ; mode <= SKEP_DB_HOLD; mode++) {
    end_connections(f);
    assert_ok(skep_db_begin(f->db, (skep_db_mode)mode, &err), err);
    assert_int_equal(count(f->db), 1);
    assert_ok(skep_db_commit(f->db, &err), err);
  }
}

static void a_connection_lost_inside_a_transaction_fails_it(void **state) {
  fixture *f = *state;
  if (!f->m.is_postgres) skip();
  skep_err err = {0};
  int64_t n = 0;
  assert_ok(skep_db_begin(f->db, SKEP_DB_WRITE, &err), err);
  assert_ok(insert_text(f->db, "a", &err), err);
  assert_int_equal(count(f->db), 1);
  end_connections(f);
  assert_int_equal(skep_db_get_i64(f->db, "SELECT count(*) FROM \"T\"", SKEP_NO_PARAMS, &n, NULL, &err), SKEP_ERR_IO);
  assert_fails(skep_db_commit(f->db, &err), SKEP_ERR_IO, err, "earlier failure");
  assert_int_equal(count(f->db), 0);
}

/* Its commit was sent and no answer came: a trigger holds it up until the connection is ended. */
static void a_connection_lost_in_a_commit_leaves_it_in_doubt(void **state) {
  fixture *f = *state;
  if (!f->m.is_postgres) skip();
  skep_err err = {0};
  assert_ok(skep_db_exec(f->db,
                         "CREATE FUNCTION nap() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1200); "
                         "RETURN NULL; END'; CREATE CONSTRAINT TRIGGER nap AFTER INSERT ON \"T\" DEFERRABLE INITIALLY "
                         "DEFERRED FOR EACH ROW EXECUTE FUNCTION nap()",
                         &err),
            err);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) { /* ends the commit once it is seen */
    char sql[512];
    snprintf(sql, sizeof sql,
             "DO 'BEGIN WHILE NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = ''%s'' AND wait_event = "
             "''PgSleep'') LOOP PERFORM pg_sleep(0.01); END LOOP; PERFORM pg_terminate_backend(pid) FROM "
             "pg_stat_activity WHERE datname = ''%s''; END'",
             f->m.name, f->m.name);
    metastore_admin(&f->ctx, &f->m, sql);
    _exit(0);
  }
  assert_ok(skep_db_begin(f->db, SKEP_DB_ROWS, &err), err);
  assert_ok(insert_text(f->db, "a", &err), err);
  assert_fails(skep_db_commit(f->db, &err), SKEP_ERR_IN_DOUBT, err, "the outcome of a commit is not known");
  assert_false(skep_db_in_transaction(f->db));
  int code = 0;
  assert_int_equal(waitpid(pid, &code, 0), pid);
  assert_int_equal(count(f->db), 0); /* it can be asked again */
}

static void texts_that_postgresql_cannot_hold_are_refused(void **state) {
  fixture *f = *state;
  if (!f->m.is_postgres) skip();
  skep_err err = {0};
  char big[10001];
  memset(big, 'x', 10000);
  big[10000] = 0;
  assert_fails(
      skep_db_run(f->db, "INSERT INTO \"T\" (\"V\") VALUES (?)", SKEP_PARAMS(skep_p_textn("a\0b", 3)), NULL, &err),
      SKEP_ERR_ARGUMENT, err, "byte 0");
  assert_fails(insert_text(f->db, "a\xff", &err), SKEP_ERR_ARGUMENT, err, "invalid byte sequence");
  assert_fails(insert_text(f->db, big, &err), SKEP_ERR_ARGUMENT, err, "too long");
  assert_int_equal(count(f->db), 0);
}

static skep_status two_rows(skep_db *db, skep_err *err) {
  SKEP_TRY(skep_db_begin(db, SKEP_DB_WRITE, err));
  skep_status status = skep_db_run(db, "INSERT INTO \"T\" (\"V\") VALUES ('a')", SKEP_NO_PARAMS, NULL, err);
  if (status == SKEP_OK) status = skep_db_run(db, "INSERT INTO \"T\" (\"V\") VALUES ('b')", SKEP_NO_PARAMS, NULL, err);
  return skep_db_end(db, false, status, err);
}

static int crash_child(const fixture *f, skep_db_faults *faults) {
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    skep_db_opts opts = SKEP_DB_OPTS_DEFAULT;
    opts.faults = faults;
    skep_db *db = NULL;
    skep_err err = {0};
    if (skep_db_open(&f->ctx, f->url, &opts, &db, &err) != SKEP_OK) _exit(1);
    skep_status status = two_rows(db, &err);
    skep_db_close(db);
    _exit(status == SKEP_OK ? 0 : 2);
  }
  int code = 0;
  assert_int_equal(waitpid(pid, &code, 0), pid);
  assert_true(WIFEXITED(code));
  return WEXITSTATUS(code);
}

/* Calls: begin, insert, insert, commit. */
static void the_fault_door_stops_every_change(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  skep_db_close(f->db);
  f->db = NULL;
  const struct {
    skep_db_fault_kind kind;
    uint64_t at;
    int code, rows;
  } cases[] = {
      {SKEP_DB_FAULT_FAIL, 1, 2, 0},         {SKEP_DB_FAULT_FAIL, 3, 2, 0},
      {SKEP_DB_FAULT_FAIL, 4, 2, 0},         {SKEP_DB_FAULT_EXIT_BEFORE, 2, 86, 0},
      {SKEP_DB_FAULT_EXIT_BEFORE, 4, 86, 0}, {SKEP_DB_FAULT_EXIT_AFTER, 3, 86, 0},
      {SKEP_DB_FAULT_EXIT_AFTER, 4, 86, 2},  {SKEP_DB_FAULT_DOUBT, 4, 2, 2},
      {SKEP_DB_FAULT_FAIL, 5, 0, 2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_db_faults faults = {.at = cases[i].at, .kind = cases[i].kind};
    assert_int_equal(crash_child(f, &faults), cases[i].code);
    skep_db *db = NULL;
    assert_ok(skep_db_open(&f->ctx, f->url, NULL, &db, &err), err);
    assert_int_equal(count(db), cases[i].rows);
    assert_ok(skep_db_run(db, "DELETE FROM \"T\"", SKEP_NO_PARAMS, NULL, &err), err);
    skep_db_close(db);
  }
}

static void without_memory_it_says_so(void **state) {
  fixture *f = *state;
  failing_alloc memory;
  skep_ctx ctx;
  failing_alloc_ctx(&memory, &ctx);
  for (uint64_t n = 1;; n++) {
    failing_alloc_arm(&memory, n);
    skep_err err = {0};
    skep_db *db = NULL;
    int64_t rows = 0;
    skep_status status = skep_db_open(&ctx, f->url, NULL, &db, &err);
    if (status == SKEP_OK) {
      status = skep_db_get_i64(db, "SELECT count(*) FROM \"T\"{for_update}", SKEP_NO_PARAMS, &rows, NULL, &err);
    }
    skep_db_close(db);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) {
      assert_ok(status, err);
      break;
    }
    assert_int_equal(status, SKEP_ERR_NOMEM);
  }
}

static void a_read_only_connection_changes_nothing(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  skep_db_opts opts = SKEP_DB_OPTS_DEFAULT;
  opts.read_only = true;
  skep_db *db = NULL;
  assert_ok(skep_db_open(&f->ctx, f->url, &opts, &db, &err), err);
  assert_int_equal(count(db), 0);
  assert_fails(skep_db_begin(db, SKEP_DB_WRITE, &err), SKEP_ERR_IO, err, "for reading only");
  assert_fails(skep_db_run(db, "DELETE FROM \"T\"", SKEP_NO_PARAMS, NULL, &err), SKEP_ERR_IO, err, "for reading only");
  skep_db_close(db);
}

static void a_file_that_is_no_database_is_refused(void **state) {
  fixture *f = *state;
  skep_err err = {0};
  char path[128], url[160];
  if (f->m.is_postgres) skip();
  snprintf(path, sizeof path, "%s/m.sqlite-shm", f->m.dir); /* removed by the teardown */
  skep_db_close(f->db);
  f->db = NULL;
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i < 4096; i++) fputc('x', file);
  fclose(file);
  snprintf(url, sizeof url, "sqlite:%s", path);
  skep_db *db = NULL;
  assert_fails(skep_db_open(&f->ctx, url, NULL, &db, &err), SKEP_ERR_CORRUPT, err, "not a database");
}

int main(void) {
  if (metastore_missing()) return METASTORE_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(values_come_back_as_they_went_in, setup, teardown),
      cmocka_unit_test_setup_teardown(one_text_may_be_open_twice, setup, teardown),
      cmocka_unit_test_setup_teardown(failures_say_what_is_wrong, setup, teardown),
      cmocka_unit_test_setup_teardown(a_second_writer_waits_no_longer_than_allowed, setup, teardown),
      cmocka_unit_test_setup_teardown(a_wait_can_be_called_off, setup, teardown),
      cmocka_unit_test_setup_teardown(rollback_and_close_undo, setup, teardown),
      cmocka_unit_test_setup_teardown(functions_join_the_callers_transaction, setup, teardown),
      cmocka_unit_test_setup_teardown(a_transaction_that_is_gone_takes_nothing_more, setup, teardown),
      cmocka_unit_test_setup_teardown(a_savepoint_takes_a_failure_back, setup, teardown),
      cmocka_unit_test_setup_teardown(a_failed_change_is_told_before_the_commit_succeeds, setup, teardown),
      cmocka_unit_test_setup_teardown(what_is_sent_is_answered_with_the_commit, setup, teardown),
      cmocka_unit_test_setup_teardown(a_commit_that_is_late_is_none, setup, teardown),
      cmocka_unit_test_setup_teardown(writers_of_rows_run_side_by_side, setup, teardown),
      cmocka_unit_test_setup_teardown(a_connection_lost_between_transactions_is_made_again, setup, teardown),
      cmocka_unit_test_setup_teardown(a_connection_lost_inside_a_transaction_fails_it, setup, teardown),
      cmocka_unit_test_setup_teardown(a_connection_lost_in_a_commit_leaves_it_in_doubt, setup, teardown),
      cmocka_unit_test_setup_teardown(texts_that_postgresql_cannot_hold_are_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(the_fault_door_stops_every_change, setup, teardown),
      cmocka_unit_test_setup_teardown(without_memory_it_says_so, setup, teardown),
      cmocka_unit_test_setup_teardown(a_read_only_connection_changes_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(a_file_that_is_no_database_is_refused, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
