/* Two sessions on one warehouse, statement by statement and without locks (as a program that does not know them):
 * snapshots, conflicts, what readers keep. Numbers of cases are
 * those of public bug reports (HIVE-..., others by project). */
#include <inttypes.h>
#include <pthread.h>

#include "db/db.h"
#include "support/meddling_fs.h"
#include "support/warehouse.h"
#include "txn/txn.h"

typedef struct pair {
  warehouse w; /* session A */
  skep_session *b;
  int n_inserted; /* by let_b_insert */
} pair;

static int setup(void **state) {
  static pair p;
  memset(&p, 0, sizeof p);
  warehouse_open(&p.w);
  warehouse_without_locks(&p.w);
  assert_ok(skep_session_open(&p.w.opts, &p.b, &p.w.err), p.w.err);
  *state = &p;
  warehouse_run(&p.w, "CREATE TABLE t (id INT, x INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  warehouse_run(&p.w, "INSERT INTO t VALUES (1, 7), (2, 100)");
  return 0;
}

static int teardown(void **state) {
  pair *p = *state;
  skep_session_close(p->b);
  warehouse_close(&p->w);
  return 0;
}

static skep_session *session(pair *p, char name) { return name == 'A' ? p->w.session : p->b; }

static const char *rows(pair *p, char name, const char *sql) {
  skep_status st = warehouse_try(&p->w, session(p, name), sql);
  if (st != SKEP_OK) fail_msg("%c: %s\n  %s", name, sql, p->w.err.text);
  return skep_buf_string(&p->w.text);
}
static void ok(pair *p, char name, const char *sql) { assert_string_equal(rows(p, name, sql), ""); }
static void fails(pair *p, char name, const char *sql, skep_status status, const char *part) {
  skep_status st = warehouse_try(&p->w, session(p, name), sql);
  if (st != status || strstr(p->w.err.text, part) == NULL)
    fail_msg("%c: %s: %s (%s)", name, sql, skep_status_name(st), st == SKEP_OK ? "" : p->w.err.text);
}

/* HIVE-13395: x = x + 1 twice, the steps of both in every order: 9, or 8 and one error. */
static void lost_updates_do_not_happen(void **state) {
  pair *p = *state;
  static const char *const steps[] = {"START TRANSACTION", "UPDATE t SET x = x + 1 WHERE id = 1", "COMMIT"};
  for (unsigned order = 0; order < 64; order++) {
    if (__builtin_popcount(order) != 3) continue;
    ok(p, 'A', "UPDATE t SET x = 7 WHERE id = 1");
    size_t at[2] = {0, 0};
    int errors = 0;
    bool gone[2] = {false, false};
    for (int i = 0; i < 6; i++) {
      int who = (order >> i & 1) != 0;
      if (!gone[who] && warehouse_try(&p->w, session(p, who ? 'B' : 'A'), steps[at[who]]) != SKEP_OK) {
        errors++;
        gone[who] = true;
      }
      at[who]++;
    }
    const char *x = rows(p, 'A', "SELECT x FROM t WHERE id = 1");
    if (strcmp(x, errors == 0 ? "9\n" : "8\n") != 0 || errors > 1)
      fail_msg("order %u: %d errors, x is %s", order, errors, x);
  }
}

static void the_second_committer_learns_of_the_conflict(void **state) {
  pair *p = *state;
  ok(p, 'B', "START TRANSACTION");
  ok(p, 'B', "UPDATE t SET x = 1 WHERE id = 1");
  ok(p, 'A', "UPDATE t SET x = 2 WHERE id = 2"); /* another row, the same table */
  fails(p, 'B', "COMMIT", SKEP_ERR_CONFLICT, "due to a write conflict on default/t committed by [txnid:");
  assert_string_equal(rows(p, 'B', "SELECT * FROM t ORDER BY id"), "1\t7\n2\t2\n");
  fails(p, 'B', "COMMIT", SKEP_ERR_SEMANTIC, "20008");
}

static void partitions_and_inserts_do_not_conflict(void **state) {
  pair *p = *state;
  ok(p, 'A', "CREATE TABLE q (v INT) PARTITIONED BY (d STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  ok(p, 'A', "INSERT INTO q VALUES (1,'x'),(2,'y')");
  ok(p, 'B', "START TRANSACTION");
  ok(p, 'B', "UPDATE q SET v = 10 WHERE d = 'x'");
  ok(p, 'A', "UPDATE q SET v = 20 WHERE d = 'y'");
  ok(p, 'A', "INSERT INTO q VALUES (3,'x'),(4,'z')");
  ok(p, 'B', "INSERT INTO q VALUES (5,'z')");
  ok(p, 'B', "COMMIT");
  assert_string_equal(rows(p, 'A', "SELECT * FROM q ORDER BY v"), "3\tx\n4\tz\n5\tz\n10\tx\n20\ty\n");
}

static void a_transaction_keeps_its_snapshot(void **state) {
  pair *p = *state;
  ok(p, 'B', "START TRANSACTION");
  assert_string_equal(rows(p, 'B', "SELECT sum(x) FROM t"), "107\n");
  ok(p, 'A', "INSERT INTO t VALUES (3, 1000)");
  ok(p, 'A', "DELETE FROM t WHERE id = 1");
  ok(p, 'A', "UPDATE t SET x = 0 WHERE id = 2");
  ok(p, 'A', "INSERT OVERWRITE TABLE t VALUES (9, 9)");
  ok(p, 'A', "TRUNCATE TABLE t");
  assert_string_equal(rows(p, 'B', "SELECT sum(x) FROM t"), "107\n");
  ok(p, 'B', "INSERT INTO t VALUES (4, 1)"); /* HIVE-18864: the own write id is readable */
  assert_string_equal(rows(p, 'B', "SELECT sum(x) FROM t"), "108\n");
  ok(p, 'B', "COMMIT");
  assert_string_equal(rows(p, 'A', "SELECT * FROM t"), "4\t1\n");
}

/* A reader in the middle of a result keeps its files: DROP and OVERWRITE of plain and transactional tables. */
static void a_running_reader_is_not_disturbed(void **state) {
  pair *p = *state;
  static const char *const kinds[] = {"true", "false"};
  for (size_t k = 0; k < 2; k++) {
    for (int drop = 0; drop < 2; drop++) {
      char sql[300];
      snprintf(sql, sizeof sql,
               "CREATE TABLE r STORED AS ORC TBLPROPERTIES ('transactional'='%s') AS SELECT pos AS n FROM "
               "(SELECT posexplode(split(space(99999), ' ')) AS (pos, e)) q",
               kinds[k]);
      ok(p, 'A', sql);
      skep_result *result;
      const skep_batch *batch;
      int64_t n = 0;
      assert_ok(skep_session_run(p->b, "SELECT n FROM r", 15, &result, &p->w.err), p->w.err);
      assert_ok(skep_result_next(result, &batch, &p->w.err), p->w.err);
      n += batch->root.length;
      ok(p, 'A', drop ? "DROP TABLE r" : "INSERT OVERWRITE TABLE r SELECT 1");
      skep_status st;
      while ((st = skep_result_next(result, &batch, &p->w.err)) == SKEP_OK) n += batch->root.length;
      if (st != SKEP_END) fail_msg("transactional=%s, %s: %s", kinds[k], drop ? "DROP" : "OVERWRITE", p->w.err.text);
      assert_int_equal(n, 100000);
      skep_result_free(result);
      if (!drop) ok(p, 'A', "DROP TABLE r");
    }
  }
}

/* Reads and stays, so that nothing dropped from now on can be removed. */
static void reader(pair *p, char name) {
  ok(p, name, "START TRANSACTION");
  rows(p, name, "SELECT count(*) FROM t");
}

static void a_commit_does_not_go_where_the_place_has_changed(void **state) {
  pair *p = *state;
  char sql[200];
  ok(p, 'A', "CREATE TABLE q (v INT) PARTITIONED BY (d STRING)");
  ok(p, 'B', "START TRANSACTION");
  ok(p, 'B', "INSERT INTO q PARTITION (d='x') VALUES (1)");
  ok(p, 'A', "ALTER TABLE q ADD PARTITION (d='x')");
  ok(p, 'A', "ALTER TABLE q DROP PARTITION (d='x')");
  fails(p, 'B', "COMMIT", SKEP_ERR_CONFLICT, "d=x of default.q was added and dropped by somebody else meanwhile");
  ok(p, 'B', "START TRANSACTION");
  ok(p, 'B', "INSERT INTO q PARTITION (d='y') VALUES (1)");
  snprintf(sql, sizeof sql, "ALTER TABLE q ADD PARTITION (d='y') LOCATION '%s/elsewhere'", p->w.dir);
  ok(p, 'A', sql);
  fails(p, 'B', "COMMIT", SKEP_ERR_CONFLICT, "d=y of default.q was given another location by somebody else");
  ok(p, 'B', "START TRANSACTION");
  ok(p, 'B', "INSERT INTO q PARTITION (d='z') VALUES (1)");
  snprintf(sql, sizeof sql, "ALTER TABLE q SET LOCATION '%s/q2'", p->w.dir);
  ok(p, 'A', sql);
  fails(p, 'B', "COMMIT", SKEP_ERR_CONFLICT, "default.q was given another location by somebody else");
  ok(p, 'B', "INSERT INTO q PARTITION (d='x') VALUES (2)");
  assert_string_equal(rows(p, 'A', "SELECT * FROM q"), "2\tx\n");
  ok(p, 'B', "START TRANSACTION");
  ok(p, 'B', "INSERT INTO t VALUES (3, 3)");
  snprintf(sql, sizeof sql, "ALTER TABLE t SET LOCATION '%s/t2'", p->w.dir);
  ok(p, 'A', sql);
  fails(p, 'B', "COMMIT", SKEP_ERR_CONFLICT, "default.t was given another location by somebody else");
}

static void a_commit_does_not_go_into_another_partition_of_the_name(void **state) {
  pair *p = *state;
  ok(p, 'A', "CREATE TABLE q (v INT) PARTITIONED BY (d STRING)");
  ok(p, 'A', "INSERT INTO q VALUES (1, 'x')");
  ok(p, 'B', "START TRANSACTION");
  ok(p, 'B', "INSERT INTO q PARTITION (d='x') VALUES (2)");
  ok(p, 'A', "ALTER TABLE q PARTITION (d='x') RENAME TO PARTITION (d='y')");
  ok(p, 'A', "ALTER TABLE q ADD PARTITION (d='x')");
  fails(p, 'B', "COMMIT", SKEP_ERR_CONFLICT, "d=x of default.q was renamed or dropped, and made again");
  assert_string_equal(rows(p, 'A', "SELECT * FROM q"), "1\ty\n");
  ok(p, 'B', "START TRANSACTION"); /* its second statement finds what the first did not know of */
  ok(p, 'B', "INSERT INTO q PARTITION (d='y') VALUES (2)");
  ok(p, 'B', "INSERT INTO q PARTITION (d='y') VALUES (3)");
  ok(p, 'B', "INSERT INTO q PARTITION (d='z') VALUES (4)");
  ok(p, 'B', "INSERT INTO q PARTITION (d='z') VALUES (5)");
  ok(p, 'B', "COMMIT");
  assert_string_equal(rows(p, 'A', "SELECT v, d FROM q ORDER BY v"), "1\ty\n2\ty\n3\ty\n4\tz\n5\tz\n");
}

static void location_is_not_where_dropped_files_wait(void **state) {
  pair *p = *state;
  char sql[300];
  ok(p, 'A', "CREATE TABLE u (v INT)");
  ok(p, 'A', "INSERT INTO u VALUES (1)");
  ok(p, 'A', "CREATE TABLE q (v INT) PARTITIONED BY (d STRING)");
  ok(p, 'A', "INSERT INTO q VALUES (1, 'x'), (2, 'y')");
  reader(p, 'B');
  assert_string_equal(rows(p, 'B', "SELECT (SELECT count(*) FROM u) + (SELECT count(*) FROM q)"), "3\n");
  ok(p, 'A', "DROP TABLE u");
  ok(p, 'A', "ALTER TABLE q DROP PARTITION (d='x')");
  static const char *const statements[] = {
      "CREATE TABLE u (v INT) LOCATION '%s/u'",
      "CREATE TABLE u (v INT) LOCATION '%s//u/'",
      "CREATE TABLE u STORED AS ORC LOCATION '%s/u/in' AS SELECT 1 AS v",
      "CREATE DATABASE e LOCATION '%s/u'",
      "ALTER TABLE t SET LOCATION '%s/u'",
      "ALTER TABLE q ADD PARTITION (d='x') LOCATION '%s/q/d=x'",
      "ALTER TABLE q PARTITION (d='y') SET LOCATION '%s/q/d=x'",
  };
  for (size_t i = 0; i < sizeof statements / sizeof statements[0]; i++) {
    snprintf(sql, sizeof sql, statements[i], p->w.dir);
    fails(p, 'A', sql, SKEP_ERR_BUSY, "files that were dropped there are still in use");
  }
  fails(p, 'A', "ALTER TABLE q ADD PARTITION (d='x') LOCATION 'd=x'", SKEP_ERR_BUSY, "still in use");
  fails(p, 'A', "ALTER TABLE q PARTITION (d='y') RENAME TO PARTITION (d='x')", SKEP_ERR_BUSY, "still in use");
  ok(p, 'B', "COMMIT");
  ok(p, 'A', "DROP TABLE IF EXISTS nope"); /* removes what nobody reads any more */
  for (size_t i = 0; i < 2; i++) {
    snprintf(sql, sizeof sql, statements[i], p->w.dir);
    ok(p, 'A', sql);
    ok(p, 'A', "DROP TABLE u");
  }
  assert_string_equal(rows(p, 'A', "SELECT * FROM q"), "2\ty\n");
}

/* RENAME to the name of a dropped table that is still read: the old name's directory is free for the next one. */
static void a_renamed_table_keeps_its_rows(void **state) {
  pair *p = *state;
  ok(p, 'A', "CREATE TABLE a (v INT)");
  ok(p, 'A', "CREATE TABLE b (v INT)");
  ok(p, 'A', "INSERT INTO a VALUES (1)");
  ok(p, 'A', "INSERT INTO b VALUES (2)");
  reader(p, 'B');
  ok(p, 'A', "DROP TABLE b");
  ok(p, 'A', "ALTER TABLE a RENAME TO b");
  ok(p, 'A', "CREATE TABLE a (v INT)");
  ok(p, 'A', "INSERT INTO a VALUES (3)");
  ok(p, 'B', "COMMIT");
  ok(p, 'A', "DROP TABLE IF EXISTS nope");
  assert_string_equal(rows(p, 'A', "SELECT * FROM b"), "1\n");
  assert_string_equal(rows(p, 'A', "SELECT * FROM a"), "3\n");
  ok(p, 'A', "DROP TABLE a");
  assert_string_equal(rows(p, 'B', "SELECT * FROM b"), "1\n");
}

static void a_result_may_be_left_half_read(void **state) {
  pair *p = *state;
  for (int i = 0; i < 3; i++) {
    skep_result *result;
    const skep_batch *batch;
    const char *sql =
        "SELECT a.pos FROM (SELECT posexplode(split(space(99999), ' ')) AS (pos, e)) a JOIN t ON t.id > 0";
    assert_ok(skep_session_run(p->b, sql, strlen(sql), &result, &p->w.err), p->w.err);
    if (i > 0) assert_ok(skep_result_next(result, &batch, &p->w.err), p->w.err);
    skep_result_free(result);
    ok(p, 'B', "INSERT INTO t VALUES (50, 0)");
  }
  assert_string_equal(rows(p, 'B', "SELECT count(*) FROM t WHERE id = 50"), "3\n");
}

/* A table that went away, or is another one by now, is not written to. */
static void a_table_that_was_dropped_meanwhile_is_a_conflict(void **state) {
  pair *p = *state;
  ok(p, 'B', "START TRANSACTION");
  ok(p, 'B', "INSERT INTO t VALUES (3, 3)");
  ok(p, 'A', "DROP TABLE t");
  ok(p, 'A', "CREATE TABLE t (id INT, x INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  fails(p, 'B', "COMMIT", SKEP_ERR_CONFLICT, "dropped");
  assert_string_equal(rows(p, 'A', "SELECT * FROM t"), "");
  ok(p, 'A', "INSERT INTO t VALUES (4, 4)");
  assert_string_equal(rows(p, 'B', "SELECT * FROM t"), "4\t4\n");
}

/* B's statement runs when A is about to make its staging directory: after A entered, before its files are placed. */
typedef struct intruder {
  pair *p;
  const char *sql;
  int skip; /* staging directories to let pass */
} intruder;

static uint64_t intrude(void *self) {
  intruder *i = self;
  if (i->skip-- > 0) return 41;
  const char *sql = i->sql;
  i->sql = NULL;
  if (sql != NULL) ok(i->p, 'B', sql);
  return 42;
}

static skep_session *open_with_intruder(pair *p, skep_ctx *ctx, intruder *i) {
  skep_session_opts opts = p->w.opts;
  skep_session *a;
  *ctx = p->w.ctx;
  ctx->random = intrude;
  ctx->random_self = i;
  opts.ctx = ctx;
  assert_ok(skep_session_open(&opts, &a, &p->w.err), p->w.err);
  /* the engine wants a number of its own when it is made: before the statement that is looked at */
  assert_int_equal(warehouse_try(&p->w, a, "SELECT count(*) FROM t"), SKEP_OK);
  return a;
}

static void a_plain_insert_does_not_survive_a_conversion(void **state) {
  pair *p = *state;
  static const struct {
    const char *columns, *properties;
  } cases[] = {{"(id INT)", "'transactional'='true','transactional_properties'='insert_only'"},
               {"(id INT)", "'transactional'='true'"},
               {"(id INT) PARTITIONED BY (d INT)", "'transactional'='true','transactional_properties'='insert_only'"},
               {"(id INT) PARTITIONED BY (d INT)", "'transactional'='true'"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    char create[200], alter[200];
    bool partitioned = strstr(cases[k].columns, "PARTITIONED") != NULL;
    snprintf(create, sizeof create, "CREATE TABLE r %s STORED AS ORC TBLPROPERTIES ('transactional'='false')",
             cases[k].columns);
    snprintf(alter, sizeof alter, "ALTER TABLE r SET TBLPROPERTIES (%s)", cases[k].properties);
    ok(p, 'A', create);
    ok(p, 'A', partitioned ? "INSERT INTO r VALUES (1, 1)" : "INSERT INTO r VALUES (1)");
    intruder i = {.p = p};
    skep_ctx ctx;
    skep_session *a = open_with_intruder(p, &ctx, &i);
    i.sql = alter;
    skep_status st = warehouse_try(&p->w, a, partitioned ? "INSERT INTO r VALUES (2, 1)" : "INSERT INTO r VALUES (2)");
    assert_null(i.sql); /* it ran */
    if (st != SKEP_ERR_CONFLICT || strstr(p->w.err.text, "was converted to another kind of table") == NULL)
      fail_msg("%s: %s", alter, st == SKEP_OK ? "placed" : p->w.err.text);
    skep_session_close(a);
    assert_string_equal(rows(p, 'A', "SELECT id FROM r"), "1\n");
    ok(p, 'A', partitioned ? "INSERT INTO r VALUES (3, 1)" : "INSERT INTO r VALUES (3)");
    assert_string_equal(rows(p, 'B', "SELECT id FROM r ORDER BY id"), "1\n3\n");
    ok(p, 'A', "DROP TABLE r");
  }
}

/* The second INSERT has no rows: its staging directory is made when the first one's files are in place. */
static void a_conversion_takes_over_plain_files_that_are_in_place(void **state) {
  pair *p = *state;
  static const char *const kinds[] = {"insert_only", "default"};
  ok(p, 'A', "CREATE TABLE e (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='false')");
  for (size_t k = 0; k < 2; k++) {
    char alter[200];
    snprintf(alter, sizeof alter,
             "ALTER TABLE r SET TBLPROPERTIES ('transactional'='true','transactional_properties'='%s')", kinds[k]);
    for (int partitioned = 0; partitioned < 2; partitioned++) {
      ok(p, 'A',
         partitioned ? "CREATE TABLE r (id INT) PARTITIONED BY (d INT) STORED AS ORC TBLPROPERTIES "
                       "('transactional'='false')"
                     : "CREATE TABLE r (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='false')");
      intruder i = {.p = p};
      skep_ctx ctx;
      skep_session *a = open_with_intruder(p, &ctx, &i);
      i.sql = alter;
      i.skip = partitioned ? 2 : 1; /* partitions */
      skep_status st = warehouse_try(&p->w, a,
                                     partitioned ? "FROM t INSERT INTO TABLE r PARTITION (d) SELECT id, id "
                                                   "INSERT OVERWRITE TABLE e SELECT id WHERE id > 5"
                                                 : "FROM t INSERT INTO TABLE r SELECT id "
                                                   "INSERT OVERWRITE TABLE e SELECT id WHERE id > 5");
      assert_null(i.sql);
      skep_session_close(a);
      /* a conversion does not know partitions that are still to be added */
      assert_int_equal(st, partitioned ? SKEP_ERR_CONFLICT : SKEP_OK);
      assert_string_equal(rows(p, 'B', "SELECT id FROM r ORDER BY id"), partitioned ? "" : "1\n2\n");
      ok(p, 'A', "DROP TABLE r");
    }
  }
}

static void an_insert_only_write_does_not_survive_a_conversion_to_full_acid(void **state) {
  pair *p = *state;
  ok(p, 'A',
     "CREATE TABLE r (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true','transactional_properties'="
     "'insert_only')");
  ok(p, 'A', "INSERT INTO r VALUES (1)");
  ok(p, 'B', "START TRANSACTION");
  ok(p, 'B', "INSERT INTO r VALUES (2)");
  ok(p, 'A', "ALTER TABLE r SET TBLPROPERTIES ('transactional'='true','transactional_properties'='default')");
  fails(p, 'B', "COMMIT", SKEP_ERR_CONFLICT, "was converted to another kind of table");
}

typedef struct canceller {
  skep_session *session;
  int stop; /* __atomic */
} canceller;

static void *cancel_soon(void *self) {
  canceller *c = self;
  const struct timespec pause = {0, 20000000};
  while (!__atomic_load_n(&c->stop, __ATOMIC_SEQ_CST)) {
    nanosleep(&pause, NULL);
    skep_session_cancel(c->session);
  }
  return NULL;
}

static void a_statement_can_be_cancelled_and_leaves_nothing(void **state) {
  pair *p = *state;
  canceller c = {.session = p->b};
  pthread_t thread;
  const char *sql =
      "INSERT INTO t SELECT a.pos, b.pos FROM (SELECT posexplode(split(space(99999), ' ')) AS (pos, e)) a "
      "CROSS JOIN (SELECT posexplode(split(space(99999), ' ')) AS (pos, e)) b";
  assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &c), 0);
  fails(p, 'B', sql, SKEP_ERR_CANCELLED, "");
  __atomic_store_n(&c.stop, 1, __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  ok(p, 'B', "INSERT INTO t VALUES (5, 5)");
  assert_string_equal(rows(p, 'A', "SELECT count(*) FROM t"), "3\n");
}

static int64_t number(skep_db *db, const char *sql) {
  skep_err err = {0};
  int64_t n = 0;
  bool found;
  assert_ok(skep_db_get_i64(db, sql, SKEP_NO_PARAMS, &n, &found, &err), err);
  return n;
}

typedef struct blocker {
  canceller base;
  skep_db *db;
  int failed;
} blocker;

/* Takes the metastore's write lock once the statement runs, keeps it for a third of a second, cancels all the while. */
static void *block_and_cancel(void *self) {
  blocker *b = self;
  const struct timespec pause = {0, 20000000};
  skep_err err;
  int64_t n = 0;
  bool found;
  while (n == 0 && b->failed == 0) {
    b->failed = skep_db_get_i64(b->db, "SELECT count(*) FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o'", SKEP_NO_PARAMS, &n,
                                &found, &err) != SKEP_OK;
    nanosleep(&pause, NULL);
  }
  if (skep_db_begin(b->db, SKEP_DB_WRITE, &err) != SKEP_OK) b->failed = 1;
  for (int i = 0; i < 16; i++) {
    skep_session_cancel(b->base.session);
    nanosleep(&pause, NULL);
  }
  skep_db_rollback(b->db);
  return cancel_soon(&b->base);
}

static void cancelling_does_not_cancel_the_abort(void **state) {
  pair *p = *state;
  blocker b = {.base = {.session = p->b}, .db = warehouse_connect(&p->w)};
  pthread_t thread;
  const char *sql =
      "INSERT INTO t SELECT a.pos, b.pos FROM (SELECT posexplode(split(space(99999), ' ')) AS (pos, e)) a "
      "CROSS JOIN (SELECT posexplode(split(space(99999), ' ')) AS (pos, e)) b";
  assert_int_equal(pthread_create(&thread, NULL, block_and_cancel, &b), 0);
  fails(p, 'B', sql, SKEP_ERR_CANCELLED, "");
  __atomic_store_n(&b.base.stop, 1, __ATOMIC_SEQ_CST);
  pthread_join(thread, NULL);
  assert_int_equal(b.failed, 0);
  assert_int_equal(number(b.db, "SELECT count(*) FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o'"), 0);
  skep_db_close(b.db);
}

/* A session of somebody who wants another time-out. */
static void somebody_opens(pair *p, const char *timeout) {
  skep_session_opts opts = p->w.opts;
  skep_config *config;
  skep_session *visitor;
  skep_err err = {0};
  assert_ok(skep_config_new(&p->w.ctx, &config, &err), err);
  assert_ok(skep_config_set(config, "hive.txn.timeout", timeout, &err), err);
  opts.config = config;
  assert_ok(skep_session_open(&opts, &visitor, &err), err);
  skep_session_close(visitor);
  skep_config_free(config);
}

static void a_shorter_time_out_of_another_session_aborts_no_live_transaction(void **state) {
  pair *p = *state;
  skep_db *db = warehouse_connect(&p->w);
  skep_err err = {0};
  int64_t ms;
  ok(p, 'A', "START TRANSACTION");
  ok(p, 'A', "INSERT INTO t VALUES (3, 3)");
  assert_ok(skep_db_run(db, "UPDATE \"TXNS\" SET \"TXN_LAST_HEARTBEAT\" = \"TXN_LAST_HEARTBEAT\" - 60000",
                        SKEP_NO_PARAMS, NULL, &err),
            err);
  somebody_opens(p, "10s");
  assert_ok(skep_txn_timeout(db, &ms, &err), err);
  assert_int_equal(ms, 300000);
  ok(p, 'A', "COMMIT");
  somebody_opens(p, "10s"); /* nobody is in the way now: it counts for all who begin from here on */
  assert_ok(skep_txn_timeout(db, &ms, &err), err);
  assert_int_equal(ms, 10000);
  somebody_opens(p, "300s");
  assert_ok(skep_txn_timeout(db, &ms, &err), err);
  assert_int_equal(ms, 300000);
  assert_string_equal(rows(p, 'B', "SELECT count(*) FROM t"), "3\n");
  skep_db_close(db);
}

typedef struct jumping_clock {
  const skep_ctx *real;
  int64_t ahead_ms; /* __atomic */
} jumping_clock;

static int64_t jumping_ms(void *self) {
  jumping_clock *c = self;
  return c->real->clock_ms(c->real->clock_self) + __atomic_load_n(&c->ahead_ms, __ATOMIC_SEQ_CST);
}

/* As after a suspend: the wall clock is six minutes ahead, no time has passed otherwise. */
static void a_transaction_beats_at_once_when_the_clock_has_jumped(void **state) {
  pair *p = *state;
  skep_db *db = warehouse_connect(&p->w);
  jumping_clock clock = {.real = &p->w.ctx};
  skep_ctx ctx = p->w.ctx;
  skep_session_opts opts = p->w.opts;
  skep_session *sleeper;
  skep_err err = {0};
  const struct timespec pause = {0, 20000000};
  static const char last[] = "SELECT max(\"TXN_LAST_HEARTBEAT\") FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o'";
  ctx.clock_ms = jumping_ms;
  ctx.clock_self = &clock;
  opts.ctx = &ctx;
  assert_ok(skep_session_open(&opts, &sleeper, &err), err);
  assert_int_equal(warehouse_try(&p->w, sleeper, "START TRANSACTION"), SKEP_OK);
  int64_t begun = number(db, last);
  __atomic_store_n(&clock.ahead_ms, 360000, __ATOMIC_SEQ_CST);
  while (number(db, last) < begun + 360000) nanosleep(&pause, NULL);
  assert_int_equal(warehouse_try(&p->w, sleeper, "COMMIT"), SKEP_OK);
  skep_session_close(sleeper);
  skep_db_close(db);
}

static void let_b_insert(void *self) {
  pair *p = self;
  if (warehouse_try(&p->w, p->b, "INSERT INTO t VALUES (3, 3), (4, 4)") == SKEP_OK) p->n_inserted++;
}

static void a_count_that_a_commit_overtook_is_not_called_accurate(void **state) {
  pair *p = *state;
  static const char *const scans[] = {"ANALYZE TABLE t COMPUTE STATISTICS",
                                      "ANALYZE TABLE t COMPUTE STATISTICS NOSCAN"};
  for (size_t i = 0; i < 2; i++) {
    meddling_fs m;
    meddling_init(&m, &p->w.ctx, p->w.fs, let_b_insert, p);
    skep_session_opts opts = p->w.opts;
    skep_session *counter;
    skep_result *result;
    skep_err err = {0};
    opts.fs = &m.base;
    ok(p, 'A', "ANALYZE TABLE t COMPUTE STATISTICS");
    assert_non_null(strstr(rows(p, 'A', "DESCRIBE FORMATTED t"), "BASIC_STATS"));
    assert_ok(skep_session_open(&opts, &counter, &err), err);
    m.times = 1;
    p->n_inserted = 0;
    assert_ok(skep_session_run(counter, scans[i], strlen(scans[i]), &result, &err), err);
    assert_int_equal(p->n_inserted, 1);
    skep_session_close(counter);
    assert_null(strstr(rows(p, 'A', "DESCRIBE FORMATTED t"), "BASIC_STATS"));
  }
  ok(p, 'A', "ANALYZE TABLE t COMPUTE STATISTICS");
  const char *text = rows(p, 'A', "DESCRIBE FORMATTED t");
  assert_non_null(strstr(text, "BASIC_STATS"));
  assert_non_null(strstr(text, "\tnumRows             \t6  "));
}

/* HIVE-11716: without its transaction manager a session must not touch such tables. */
static void without_concurrency_transactional_tables_are_refused(void **state) {
  pair *p = *state;
  ok(p, 'B', "SET hive.support.concurrency=false");
  fails(p, 'B', "SELECT * FROM t", SKEP_ERR_SEMANTIC, "10265");
  fails(p, 'B', "INSERT INTO t VALUES (1, 1)", SKEP_ERR_SEMANTIC, "10265");
  ok(p, 'B', "RESET");
  assert_string_equal(rows(p, 'B', "SELECT count(*) FROM t"), "2\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(lost_updates_do_not_happen, setup, teardown),
      cmocka_unit_test_setup_teardown(the_second_committer_learns_of_the_conflict, setup, teardown),
      cmocka_unit_test_setup_teardown(partitions_and_inserts_do_not_conflict, setup, teardown),
      cmocka_unit_test_setup_teardown(a_transaction_keeps_its_snapshot, setup, teardown),
      cmocka_unit_test_setup_teardown(a_running_reader_is_not_disturbed, setup, teardown),
      cmocka_unit_test_setup_teardown(a_commit_does_not_go_where_the_place_has_changed, setup, teardown),
      cmocka_unit_test_setup_teardown(a_commit_does_not_go_into_another_partition_of_the_name, setup, teardown),
      cmocka_unit_test_setup_teardown(location_is_not_where_dropped_files_wait, setup, teardown),
      cmocka_unit_test_setup_teardown(a_renamed_table_keeps_its_rows, setup, teardown),
      cmocka_unit_test_setup_teardown(a_result_may_be_left_half_read, setup, teardown),
      cmocka_unit_test_setup_teardown(a_table_that_was_dropped_meanwhile_is_a_conflict, setup, teardown),
      cmocka_unit_test_setup_teardown(a_plain_insert_does_not_survive_a_conversion, setup, teardown),
      cmocka_unit_test_setup_teardown(a_conversion_takes_over_plain_files_that_are_in_place, setup, teardown),
      cmocka_unit_test_setup_teardown(an_insert_only_write_does_not_survive_a_conversion_to_full_acid, setup, teardown),
      cmocka_unit_test_setup_teardown(a_statement_can_be_cancelled_and_leaves_nothing, setup, teardown),
      cmocka_unit_test_setup_teardown(cancelling_does_not_cancel_the_abort, setup, teardown),
      cmocka_unit_test_setup_teardown(a_shorter_time_out_of_another_session_aborts_no_live_transaction, setup,
                                      teardown),
      cmocka_unit_test_setup_teardown(a_transaction_beats_at_once_when_the_clock_has_jumped, setup, teardown),
      cmocka_unit_test_setup_teardown(a_count_that_a_commit_overtook_is_not_called_accurate, setup, teardown),
      cmocka_unit_test_setup_teardown(without_concurrency_transactional_tables_are_refused, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
