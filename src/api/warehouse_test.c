/* The public doors of statements: a warehouse made, changed and read as a program that links libskep would. */
#include "skep/skep.h"

#include "support/test.h"

#include <pthread.h>
#include <time.h>

#include "support/child.h"
#include "support/temp_dir.h"

typedef struct fixture {
  temp_dir dir;
  char path[300];
  skep_warehouse *warehouse;
  skep_connection *c;
  skep_err err;
  bool ended;               /* atomic: for the thread that cancels */
  skep_connection *watcher; /* its own */
} fixture;

static int set_up(void **state) {
  static fixture f;
  memset(&f, 0, sizeof f);
  temp_dir_make(&f.dir);
  snprintf(f.path, sizeof f.path, "%s/warehouse", f.dir.path);
  assert_ok(skep_warehouse_open(f.path, NULL, &f.warehouse, &f.err), f.err);
  assert_ok(skep_connect(f.warehouse, &f.c, &f.err), f.err);
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  skep_disconnect(f->c);
  skep_warehouse_close(f->warehouse);
  temp_dir_remove(&f->dir);
  return 0;
}

static void run(fixture *f, const char *sql) { assert_ok(skep_run(f->c, sql, NULL, &f->err), f->err); }

/* Rows of one bigint column, and their sum; releases the stream. */
typedef struct sums {
  int64_t rows, sum, batches;
} sums;

static sums sum_up(struct ArrowArrayStream *stream) {
  sums s = {0};
  struct ArrowArray a;
  for (;;) {
    if (stream->get_next(stream, &a) != 0) fail_msg("%s", stream->get_last_error(stream));
    if (a.release == NULL) break;
    assert_int_equal(a.n_children, 1);
    const int64_t *values = (const int64_t *)a.children[0]->buffers[1] + a.children[0]->offset;
    for (int64_t i = 0; i < a.length; i++) s.sum += values[i];
    s.rows += a.length;
    s.batches++;
    a.release(&a);
  }
  stream->release(stream);
  return s;
}

static sums ask(fixture *f, skep_connection *c, const char *sql) {
  struct ArrowArrayStream rows;
  assert_ok(skep_run(c, sql, &rows, &f->err), f->err);
  assert_non_null(rows.release);
  return sum_up(&rows);
}

static const char make[] =
    "CREATE TABLE t (id BIGINT, name STRING); INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, NULL)";

static void statements_change_and_read_tables(void **state) {
  fixture *f = *state;
  struct ArrowArrayStream rows;
  assert_ok(skep_run(f->c, make, &rows, &f->err), f->err);
  assert_null(rows.release); /* INSERT has no rows */
  run(f, "UPDATE t SET id = 10 WHERE name = 'two'; DELETE FROM t WHERE id = 1;");
  sums s = ask(f, f->c, "SELECT id FROM t");
  assert_int_equal(s.rows, 2);
  assert_int_equal(s.sum, 13);
  s = ask(f, f->c, "SELECT count(*) FROM t; SELECT id + 1 AS n FROM t WHERE name IS NULL"); /* those of the last */
  assert_int_equal(s.rows, 1);
  assert_int_equal(s.sum, 4);
}

static void schemas_name_columns_as_hive_does(void **state) {
  fixture *f = *state;
  struct ArrowArrayStream rows;
  struct ArrowSchema schema;
  run(f, make);
  assert_ok(skep_run(f->c, "SELECT name, cast(id AS decimal(10,2)) AS amount, count(*) OVER () FROM t", &rows, &f->err),
            f->err);
  assert_int_equal(rows.get_schema(&rows, &schema), 0);
  assert_int_equal(schema.n_children, 3);
  assert_string_equal(schema.children[0]->name, "name");
  assert_string_equal(schema.children[0]->format, "u");
  assert_string_equal(schema.children[1]->name, "amount");
  assert_string_equal(schema.children[1]->format, "d:10,2");
  assert_string_equal(schema.children[2]->format, "l");
  schema.release(&schema);
  rows.release(&rows);
}

/* The longest batch of a stream; releases it. */
static int64_t longest(struct ArrowArrayStream *stream) {
  struct ArrowArray a;
  int64_t most = 0;
  for (;;) {
    assert_int_equal(stream->get_next(stream, &a), 0);
    if (a.release == NULL) break;
    if (a.length > most) most = a.length;
    a.release(&a);
  }
  stream->release(stream);
  return most;
}

static void batches_are_as_long_as_was_asked_for(void **state) {
  fixture *f = *state;
  skep_warehouse_opts opts = SKEP_WAREHOUSE_OPTS_INIT;
  skep_read_opts read = SKEP_READ_OPTS_INIT;
  skep_warehouse *w;
  skep_connection *c;
  read.batch_rows = 4000;
  opts.read = &read;
  assert_ok(skep_warehouse_open(f->path, &opts, &w, &f->err), f->err);
  assert_ok(skep_connect(w, &c, &f->err), f->err);
  run(f,
      "CREATE TABLE n (id BIGINT); INSERT INTO n SELECT pos FROM (SELECT posexplode(split(space(9999), ' ')) AS (pos, "
      "x)) p");
  sums s = ask(f, c, "SELECT id FROM n");
  assert_int_equal(s.rows, 10000);
  assert_int_equal(s.sum, 49995000);
  assert_int_equal(s.batches, 3);
  struct ArrowArrayStream rows;
  assert_ok(skep_run(c, "SELECT id FROM n", &rows, &f->err), f->err);
  assert_int_equal(longest(&rows), 4000);
  skep_disconnect(c);
  skep_warehouse_close(w);
}

static void explicit_transactions_are_seen_by_others_when_they_commit(void **state) {
  fixture *f = *state;
  skep_connection *other;
  run(f, make);
  assert_ok(skep_connect(f->warehouse, &other, &f->err), f->err);
  assert_false(skep_in_transaction(f->c));
  run(f, "START TRANSACTION; INSERT INTO t VALUES (100, 'more')");
  assert_true(skep_in_transaction(f->c));
  assert_int_equal(ask(f, f->c, "SELECT id FROM t").sum, 106);
  assert_int_equal(ask(f, other, "SELECT id FROM t").sum, 6);
  run(f, "COMMIT");
  assert_false(skep_in_transaction(f->c));
  assert_int_equal(ask(f, other, "SELECT id FROM t").sum, 106);
  run(f, "START TRANSACTION; DELETE FROM t");
  skep_disconnect(f->c); /* rolls back */
  f->c = NULL;
  assert_int_equal(ask(f, other, "SELECT id FROM t").sum, 106);
  skep_disconnect(other);
}

static void given_rows_are_read_as_a_table(void **state) {
  fixture *f = *state;
  skep_connection *other;
  struct ArrowArrayStream rows;
  run(f, make);
  assert_ok(skep_connect(f->warehouse, &other, &f->err), f->err);
  const char *changes =
      "SELECT 2L AS ID, 'zwei' AS name, false AS gone UNION ALL SELECT 3, 'drei', true UNION ALL "
      "SELECT 4, 'vier', false";
  assert_ok(skep_run(other, changes, &rows, &f->err), f->err);
  assert_ok(skep_give(f->c, "Changes", &rows, &f->err), f->err);
  assert_null(rows.release);
  assert_int_equal(ask(f, f->c, "SELECT id FROM changes WHERE NOT gone").sum, 6);
  assert_int_equal(ask(f, f->c, "SELECT a.id FROM changes a JOIN changes b ON a.id = b.id + 1").sum, 7);
  run(f,
      "MERGE INTO t USING changes c ON t.id = c.id WHEN MATCHED AND c.gone THEN DELETE "
      "WHEN MATCHED THEN UPDATE SET name = c.name WHEN NOT MATCHED THEN INSERT VALUES (c.id, c.name)");
  assert_int_equal(ask(f, f->c, "SELECT id FROM t").sum, 7);
  assert_int_equal(ask(f, f->c, "SELECT id FROM t WHERE name IN ('zwei', 'vier')").sum, 6);
  run(f, "INSERT INTO t SELECT id * 100, name FROM changes");
  assert_int_equal(ask(f, f->c, "SELECT id FROM t").sum, 907);
  /* nobody else knows them, and nothing that stays may name them */
  assert_fails(skep_run(other, "SELECT * FROM changes", NULL, &f->err), SKEP_ERR_SEMANTIC, f->err, "changes");
  assert_fails(skep_run(f->c, "CREATE VIEW v AS SELECT id FROM changes", NULL, &f->err), SKEP_ERR_SEMANTIC, f->err,
               "a view cannot read changes");
  assert_fails(skep_run(f->c, "INSERT INTO changes SELECT 1, 'x', true", NULL, &f->err), SKEP_ERR_SEMANTIC, f->err,
               "Table not found");
  /* once at a time, until taken back */
  assert_ok(skep_run(other, "SELECT 1L AS id", &rows, &f->err), f->err);
  assert_fails(skep_give(f->c, "CHANGES", &rows, &f->err), SKEP_ERR_EXISTS, f->err, "changes are given already");
  assert_null(rows.release);
  assert_ok(skep_take_back(f->c, "changes", &f->err), f->err);
  assert_ok(skep_take_back(f->c, "changes", &f->err), f->err);
  assert_fails(skep_run(f->c, "SELECT * FROM changes", NULL, &f->err), SKEP_ERR_SEMANTIC, f->err, "changes");
  skep_disconnect(other);
}

static void given_rows_hide_a_table_and_with_hides_both(void **state) {
  fixture *f = *state;
  skep_connection *other;
  struct ArrowArrayStream rows;
  run(f, make);
  assert_ok(skep_connect(f->warehouse, &other, &f->err), f->err);
  assert_ok(skep_run(other, "SELECT 1000L AS id", &rows, &f->err), f->err);
  assert_ok(skep_give(f->c, "t", &rows, &f->err), f->err);
  assert_int_equal(ask(f, f->c, "SELECT id FROM t").sum, 1000);
  assert_int_equal(ask(f, f->c, "SELECT id FROM default.t").sum, 6);
  assert_int_equal(ask(f, f->c, "WITH t AS (SELECT 5L AS id) SELECT id FROM t").sum, 5);
  /* no target, but a source beside the target of that name */
  run(f, "UPDATE t SET id = 20 WHERE id = 2; DELETE FROM t WHERE id = 1; INSERT INTO t SELECT id, 'given' FROM t");
  assert_int_equal(ask(f, f->c, "SELECT id FROM default.t").sum, 1023);
  run(f,
      "MERGE INTO t a USING t b ON a.id = b.id WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (b.id, "
      "'x')");
  assert_int_equal(ask(f, f->c, "SELECT id FROM default.t").sum, 23);
  assert_fails(skep_run(f->c, "SELECT ROW__ID FROM t", NULL, &f->err), SKEP_ERR_SEMANTIC, f->err, "10004");
  skep_disconnect(other);
}

static void every_type_survives_being_given(void **state) {
  fixture *f = *state;
  struct ArrowArrayStream rows;
  run(f,
      "CREATE TABLE a (b BOOLEAN, t TINYINT, s SMALLINT, i INT, l BIGINT, f FLOAT, d DOUBLE, n DECIMAL(20,3), k "
      "DECIMAL(4,1),"
      " c CHAR(3), v VARCHAR(5), x STRING, y BINARY, e DATE, z TIMESTAMP, li ARRAY<INT>, m MAP<STRING,INT>,"
      " st STRUCT<p:INT,q:STRING>)");
  run(f,
      "INSERT INTO a SELECT true, 1Y, 2S, 3, 4L, cast(1.5 AS FLOAT), 2.5D, 12345678901234567.125, 99.9, 'ab', 'vwxyz', "
      "'text longer"
      " than twelve', unhex('00ff'), DATE '1500-01-01', TIMESTAMP '2024-02-29 12:34:56.789', array(1, NULL, 3), "
      "map('k', 7),"
      " named_struct('p', 1, 'q', 'r')");
  run(f, "INSERT INTO a (b) VALUES (NULL)");
  assert_ok(skep_run(f->c, "SELECT * FROM a", &rows, &f->err), f->err);
  skep_connection *other;
  assert_ok(skep_connect(f->warehouse, &other, &f->err), f->err);
  assert_ok(skep_give(other, "given", &rows, &f->err), f->err);
  assert_ok(skep_run(other, "CREATE TABLE b LIKE a; INSERT INTO b SELECT * FROM given", NULL, &f->err), f->err);
  const char *same =
      "SELECT count(*) FROM a JOIN b ON a.l = b.l AND a.b = b.b AND a.t = b.t AND a.s = b.s AND a.i = b.i AND a.f = b.f"
      " AND a.d = b.d AND a.n = b.n AND a.k = b.k AND a.c = b.c AND a.v = b.v AND a.x = b.x AND a.y = b.y AND a.e = b.e"
      " AND a.z = b.z AND a.li[0] = b.li[0] AND a.li[2] = b.li[2] AND a.m['k'] = b.m['k'] AND a.st.q = b.st.q";
  assert_int_equal(ask(f, other, same).sum, 1);
  const char *empty =
      "SELECT count(*) FROM b WHERE b IS NULL AND l IS NULL AND x IS NULL AND li IS NULL AND st IS NULL AND z IS NULL";
  assert_int_equal(ask(f, other, empty).sum, 1);
  skep_disconnect(other);
}

static void rows_may_outlive_what_made_them(void **state) {
  fixture *f = *state;
  struct ArrowArrayStream rows;
  struct ArrowArray batch, more;
  run(f, make);
  assert_ok(skep_run(f->c, "SELECT id FROM t", &rows, &f->err), f->err);
  assert_int_equal(rows.get_next(&rows, &batch), 0);
  skep_disconnect(f->c);
  skep_warehouse_close(f->warehouse);
  f->c = NULL;
  f->warehouse = NULL;
  assert_int_not_equal(rows.get_next(&rows, &more), 0);
  assert_string_equal(rows.get_last_error(&rows), "the connection of these rows is closed");
  rows.release(&rows);
  assert_int_equal(batch.length, 3);
  assert_int_equal(((const int64_t *)batch.children[0]->buffers[1])[1], 2);
  batch.release(&batch);
}

static void a_connection_has_one_result_at_a_time(void **state) {
  fixture *f = *state;
  struct ArrowArrayStream rows, more;
  run(f, make);
  assert_ok(skep_run(f->c, "SELECT id FROM t", &rows, &f->err), f->err);
  assert_fails(skep_run(f->c, "SELECT 1", &more, &f->err), SKEP_ERR_ARGUMENT, f->err, "not released");
  assert_null(more.release);
  assert_fails(skep_take_back(f->c, "x", &f->err), SKEP_ERR_ARGUMENT, f->err, "not released");
  assert_int_equal(sum_up(&rows).sum, 6);
  assert_int_equal(ask(f, f->c, "SELECT 1L").sum, 1);
}

static void failures_say_what_hive_says(void **state) {
  fixture *f = *state;
  run(f, make);
  assert_fails(skep_run(f->c, "SELEC 1", NULL, &f->err), SKEP_ERR_SYNTAX, f->err, "line 1:0");
  assert_fails(skep_run(f->c, "SELECT * FROM nothing", NULL, &f->err), SKEP_ERR_SEMANTIC, f->err, "10001");
  assert_fails(skep_run(f->c, "SELECT 1; SELECT nothing FROM t; DELETE FROM t", NULL, &f->err), SKEP_ERR_SEMANTIC,
               f->err, "statement 2: ");
  assert_int_equal(ask(f, f->c, "SELECT id FROM t").rows, 3); /* the third did not run */
  assert_fails(skep_run(f->c, " -- nothing\n", NULL, &f->err), SKEP_ERR_ARGUMENT, f->err, "no statement");
  assert_fails(skep_run(f->c, NULL, NULL, &f->err), SKEP_ERR_ARGUMENT, f->err, "no statement");
}

static void rows_that_nobody_takes_may_fail(void **state) {
  fixture *f = *state;
  run(f, make);
  const char *guarded = "SELECT assert_true(id < 3) FROM t; DELETE FROM t";
  assert_fails(skep_run(f->c, guarded, NULL, &f->err), SKEP_ERR_RUNTIME, f->err, "statement 1: ");
  assert_int_equal(ask(f, f->c, "SELECT id FROM t").rows, 3);
  assert_fails(skep_run(f->c, "SELECT assert_true(id < 3) FROM t", NULL, &f->err), SKEP_ERR_RUNTIME, f->err, "ASSERT");
  run(f, "SELECT assert_true(id < 4) FROM t; DELETE FROM t WHERE id = 1");
  assert_int_equal(ask(f, f->c, "SELECT id FROM t").sum, 5);
}

static void conflicts_have_a_status_of_their_own(void **state) {
  fixture *f = *state;
  skep_connection *other;
  run(f, make);
  assert_ok(skep_connect(f->warehouse, &other, &f->err), f->err);
  run(f, "SET hive.txn.xlock.write=false; START TRANSACTION; UPDATE t SET name = 'x' WHERE id = 1");
  assert_ok(skep_run(other, "SET hive.txn.xlock.write=false; UPDATE t SET name = 'y' WHERE id = 1", NULL, &f->err),
            f->err);
  assert_fails(skep_run(f->c, "COMMIT", NULL, &f->err), SKEP_ERR_CONFLICT, f->err, "default");
  assert_false(skep_in_transaction(f->c));
  assert_int_equal(ask(f, other, "SELECT id FROM t WHERE name = 'y'").sum, 1);
  skep_disconnect(other);
}

/* Cancels until the statement has ended: the first calls may come before it has begun. */
static void *canceller(void *arg) {
  fixture *f = arg;
  const struct timespec pause = {0, 5000000};
  while (!__atomic_load_n(&f->ended, __ATOMIC_ACQUIRE)) {
    skep_cancel(f->c);
    nanosleep(&pause, NULL);
  }
  return NULL;
}

static void another_thread_can_cancel(void **state) {
  fixture *f = *state;
  pthread_t thread;
  const char *endless =
      "SELECT count(*) FROM (SELECT posexplode(split(space(9999), ' ')) AS (a, x)) p CROSS JOIN (SELECT "
      "posexplode(split(space(9999), ' ')) AS (b, y)) q CROSS JOIN (SELECT posexplode(split(space(9999), ' ')) AS "
      "(c, z)) r WHERE a * b + c = -1";
  struct ArrowArrayStream rows;
  struct ArrowArray batch;
  assert_int_equal(pthread_create(&thread, NULL, canceller, f), 0);
  skep_status status = skep_run(f->c, endless, &rows, &f->err);
  if (status == SKEP_OK) { /* it was while the rows were asked for */
    assert_int_not_equal(rows.get_next(&rows, &batch), 0);
    rows.release(&rows);
    status = SKEP_ERR_CANCELLED;
  }
  __atomic_store_n(&f->ended, true, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  assert_int_equal(status, SKEP_ERR_CANCELLED);
  assert_int_equal(ask(f, f->c, "SELECT 7L").sum, 7);
}

/* Whether the first of many statements is done: the call has begun. */
static bool has_begun(fixture *f) {
  struct ArrowArrayStream rows;
  struct ArrowArray batch;
  if (skep_run(f->watcher, "SELECT id FROM t WHERE name = 'more'", &rows, NULL) != SKEP_OK) return false;
  bool some = rows.get_next(&rows, &batch) == 0 && batch.release != NULL;
  if (some) batch.release(&batch);
  rows.release(&rows);
  return some;
}

/* One call while one of many statements runs, or between two of them. */
static void *cancel_once(void *arg) {
  fixture *f = arg;
  const struct timespec pause = {0, 1000000};
  while (!has_begun(f) && !__atomic_load_n(&f->ended, __ATOMIC_ACQUIRE)) nanosleep(&pause, NULL);
  skep_cancel(f->c);
  return NULL;
}

/* The last but one waits for a lock, so that the call is there to be cancelled however late that comes. */
static void a_cancelled_call_begins_no_further_statement(void **state) {
  enum { STATEMENTS = 200 };
  fixture *f = *state;
  skep_connection *holder;
  pthread_t thread;
  static char text[STATEMENTS * 40 + 200];
  size_t at = 0;
  run(f, make);
  run(f, "CREATE TABLE u (id BIGINT); INSERT INTO u VALUES (1); SET skep.lock.wait.timeout=1h");
  assert_ok(skep_connect(f->warehouse, &f->watcher, &f->err), f->err);
  assert_ok(skep_connect(f->warehouse, &holder, &f->err), f->err);
  assert_ok(skep_run(holder, "START TRANSACTION; UPDATE u SET id = 2", NULL, &f->err), f->err);
  for (int i = 0; i < STATEMENTS; i++)
    at += (size_t)snprintf(text + at, sizeof text - at, "INSERT INTO t VALUES (0, 'more');");
  snprintf(text + at, sizeof text - at, "UPDATE u SET id = 3; INSERT INTO t VALUES (0, 'never')");
  assert_int_equal(pthread_create(&thread, NULL, cancel_once, f), 0);
  skep_status status = skep_run(f->c, text, NULL, &f->err);
  __atomic_store_n(&f->ended, true, __ATOMIC_RELEASE);
  pthread_join(thread, NULL);
  if (status != SKEP_ERR_CANCELLED || strstr(f->err.text, "statement ") == NULL)
    fail_msg("%d: %s", (int)status, f->err.text);
  skep_disconnect(holder);
  skep_disconnect(f->watcher);
  assert_int_equal(ask(f, f->c, "SELECT id FROM t WHERE name = 'never'").rows, 0);
  run(f, "INSERT INTO t VALUES (0, 'and again')");
}

static void settings_and_wrong_options(void **state) {
  fixture *f = *state;
  skep_warehouse *w;
  skep_connection *c;
  const skep_setting settings[] = {{"hive.txn.timeout", "77s"}, {NULL, "x"}};
  skep_warehouse_opts opts = SKEP_WAREHOUSE_OPTS_INIT;
  opts.settings = settings;
  opts.n_settings = 1;
  assert_ok(skep_warehouse_open(f->path, &opts, &w, &f->err), f->err);
  assert_ok(skep_connect(w, &c, &f->err), f->err);
  struct ArrowArrayStream rows;
  struct ArrowArray batch;
  assert_ok(skep_run(c, "SET hive.txn.timeout", &rows, &f->err), f->err);
  assert_int_equal(rows.get_next(&rows, &batch), 0);
  assert_int_equal(batch.length, 1);
  assert_memory_equal(batch.children[0]->buffers[2], "hive.txn.timeout=77s", 20);
  batch.release(&batch);
  rows.release(&rows);
  skep_disconnect(c);
  skep_warehouse_close(w);
  opts.n_settings = 2;
  assert_fails(skep_warehouse_open(f->path, &opts, &w, &f->err), SKEP_ERR_ARGUMENT, f->err, "number 1");
  assert_null(w);
  opts = (skep_warehouse_opts)SKEP_WAREHOUSE_OPTS_INIT;
  opts.size = 3;
  assert_fails(skep_warehouse_open(f->path, &opts, &w, &f->err), SKEP_ERR_ARGUMENT, f->err, "SKEP_WAREHOUSE_OPTS_INIT");
  opts = (skep_warehouse_opts)SKEP_WAREHOUSE_OPTS_INIT;
  opts.site_file = "/nowhere/hive-site.xml";
  assert_fails(skep_warehouse_open(f->path, &opts, &w, &f->err), SKEP_ERR_NOT_FOUND, f->err, "/nowhere/hive-site.xml");
  opts = (skep_warehouse_opts)SKEP_WAREHOUSE_OPTS_INIT;
  opts.threads = UINT32_MAX; /* as many as can be of use */
  assert_ok(skep_warehouse_open(f->path, &opts, &w, &f->err), f->err);
  assert_ok(skep_connect(w, &c, &f->err), f->err);
  assert_int_equal(ask(f, c, "SELECT 7L AS n").sum, 7);
  skep_disconnect(c);
  skep_warehouse_close(w);
  opts = (skep_warehouse_opts)SKEP_WAREHOUSE_OPTS_INIT;
  opts.flags = 128;
  assert_fails(skep_warehouse_open(f->path, &opts, &w, &f->err), SKEP_ERR_ARGUMENT, f->err, "flags");
  assert_fails(skep_warehouse_open(NULL, NULL, &w, &f->err), SKEP_ERR_ARGUMENT, f->err, "no directory");
  assert_fails(skep_warehouse_open("", NULL, &w, &f->err), SKEP_ERR_ARGUMENT, f->err, "empty");
  assert_fails(skep_give(f->c, "a", NULL, &f->err), SKEP_ERR_ARGUMENT, f->err, "no rows");
  skep_warehouse_close(NULL);
  skep_disconnect(NULL);
}

static void a_missing_connection_is_an_argument_not_a_crash(void **state) {
  fixture *f = *state;
  struct ArrowArrayStream rows;
  skep_connection *c;
  assert_fails(skep_connect(NULL, &c, &f->err), SKEP_ERR_ARGUMENT, f->err, "no warehouse");
  assert_null(c);
  assert_fails(skep_run(NULL, "SELECT 1", &rows, &f->err), SKEP_ERR_ARGUMENT, f->err, "no connection");
  assert_null(rows.release);
  assert_ok(skep_run(f->c, "SELECT 1", &rows, &f->err), f->err);
  assert_fails(skep_give(NULL, "x", &rows, &f->err), SKEP_ERR_ARGUMENT, f->err, "no connection");
  assert_null(rows.release);
  assert_fails(skep_take_back(NULL, "x", &f->err), SKEP_ERR_ARGUMENT, f->err, "no connection");
  skep_cancel(NULL);
  assert_int_equal(skep_in_transaction(NULL), 0);
  assert_null(skep_connection_notice(NULL, 0));
}

/* A stream without rows; while it is read, another call is made on the connection that reads it. */
static int intrude(struct ArrowArrayStream *self, struct ArrowArray *out) {
  fixture *f = self->private_data;
  *out = (struct ArrowArray){0};
  assert_fails(skep_run(f->c, "SELECT 1", NULL, &f->err), SKEP_ERR_ARGUMENT, f->err, "give each thread its own");
  f->ended = true;
  return 0;
}

static void schema_release(struct ArrowSchema *schema) { schema->release = NULL; }

static int one_column(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  static struct ArrowSchema id, *children[] = {&id};
  (void)self;
  id = (struct ArrowSchema){.format = "l", .name = "id", .flags = ARROW_FLAG_NULLABLE, .release = schema_release};
  *out = (struct ArrowSchema){.format = "+s", .n_children = 1, .children = children, .release = schema_release};
  return 0;
}

static const char *no_error(struct ArrowArrayStream *self) {
  (void)self;
  return NULL;
}

static void stream_release(struct ArrowArrayStream *self) { self->release = NULL; }

static void a_call_during_a_call_is_refused(void **state) {
  fixture *f = *state;
  struct ArrowArrayStream rows = {.get_schema = one_column,
                                  .get_next = intrude,
                                  .get_last_error = no_error,
                                  .release = stream_release,
                                  .private_data = f};
  f->ended = false;
  assert_ok(skep_give(f->c, "x", &rows, &f->err), f->err);
  assert_true(f->ended);
  assert_int_equal(ask(f, f->c, "SELECT id FROM x").rows, 0);
}

/* In a child of the process, all is refused and nothing is touched; a status to exit with. */
static int as_a_child(fixture *f, struct ArrowArrayStream *rows) {
  skep_connection *c;
  struct ArrowArray batch;
  if (skep_run(f->c, "INSERT INTO t VALUES (5, 'child')", NULL, &f->err) != SKEP_ERR_ARGUMENT) return 1;
  if (strstr(f->err.text, "opens its warehouses afterwards") == NULL) return 2;
  if (skep_connect(f->warehouse, &c, &f->err) != SKEP_ERR_ARGUMENT) return 3;
  if (rows->get_next(rows, &batch) == 0) return 4;
  rows->release(rows);
  skep_disconnect(f->c);
  skep_warehouse_close(f->warehouse);
  return 0;
}

static void a_child_of_the_process_has_no_part_in_it(void **state) {
  fixture *f = *state;
  struct ArrowArrayStream rows;
  run(f, make);
  assert_ok(skep_run(f->c, "SELECT id FROM t", &rows, &f->err), f->err);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(as_a_child(f, &rows));
  assert_int_equal(child_wait(child), 0);
  assert_int_equal(sum_up(&rows).sum, 6);
  run(f, "INSERT INTO t VALUES (4, 'four')");
  assert_int_equal(ask(f, f->c, "SELECT id FROM t").sum, 10);
}

static void names_of_columns_may_be_long(void **state) {
  fixture *f = *state;
  char name[6000], sql[6100];
  struct ArrowArrayStream rows;
  struct ArrowSchema schema;
  memset(name, 'x', sizeof name);
  name[sizeof name - 1] = '\0';
  snprintf(sql, sizeof sql, "SELECT * FROM (SELECT 1 AS `%s`) q", name);
  assert_ok(skep_run(f->c, sql, &rows, &f->err), f->err);
  assert_int_equal(rows.get_schema(&rows, &schema), 0);
  assert_int_equal(strlen(schema.children[0]->name), sizeof name + 1); /* q. */
  schema.release(&schema);
  rows.release(&rows);
}

static void names_for_rows_are_identifiers(void **state) {
  fixture *f = *state;
  static const char *const names[] = {"", "a b", "a;DROP TABLE t", "x\"y", "default.t"};
  skep_connection *other;
  assert_ok(skep_connect(f->warehouse, &other, &f->err), f->err);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct ArrowArrayStream rows;
    assert_ok(skep_run(other, "SELECT 1L AS id", &rows, &f->err), f->err);
    assert_fails(skep_give(f->c, names[i], &rows, &f->err), SKEP_ERR_ARGUMENT, f->err, "not a name for rows");
    assert_null(rows.release);
  }
  struct ArrowArrayStream rows;
  assert_ok(skep_run(other, "SELECT 1 AS id, 2 AS x, 3 AS ID2", &rows, &f->err), f->err);
  assert_ok(skep_give(f->c, "fine", &rows, &f->err), f->err);
  skep_disconnect(other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
      TEST(statements_change_and_read_tables),
      TEST(schemas_name_columns_as_hive_does),
      TEST(batches_are_as_long_as_was_asked_for),
      TEST(explicit_transactions_are_seen_by_others_when_they_commit),
      TEST(given_rows_are_read_as_a_table),
      TEST(given_rows_hide_a_table_and_with_hides_both),
      TEST(every_type_survives_being_given),
      TEST(rows_may_outlive_what_made_them),
      TEST(a_connection_has_one_result_at_a_time),
      TEST(failures_say_what_hive_says),
      TEST(rows_that_nobody_takes_may_fail),
      TEST(conflicts_have_a_status_of_their_own),
      TEST(another_thread_can_cancel),
      TEST(a_cancelled_call_begins_no_further_statement),
      TEST(settings_and_wrong_options),
      TEST(a_missing_connection_is_an_argument_not_a_crash),
      TEST(a_call_during_a_call_is_refused),
      TEST(a_child_of_the_process_has_no_part_in_it),
      TEST(names_of_columns_may_be_long),
      TEST(names_for_rows_are_identifiers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
