/* Conflicts: row by row, by whole partitions, and with writes that left no letter. */
#include "db/db.h"
#include "support/meddling_fs.h"
#include "support/warehouse.h"

typedef struct pair {
  warehouse w;
  skep_session *b; /* w.session is A */
  skep_db *db;     /* a third look at the metastore */
} pair;

static int setup_with(void **state, const char *granularity) {
  static pair p;
  *state = &p;
  warehouse_open(&p.w);
  assert_ok(skep_session_open(&p.w.opts, &p.b, &p.w.err), p.w.err);
  char set[100];
  snprintf(set, sizeof set, "SET skep.conflict.granularity=%s", granularity);
  assert_int_equal(warehouse_try(&p.w, p.w.session, set), SKEP_OK);
  assert_int_equal(warehouse_try(&p.w, p.b, set), SKEP_OK);
  /* writers do not wait for each other, in both granularities: that is what is looked at */
  assert_int_equal(warehouse_try(&p.w, p.w.session, "SET hive.txn.xlock.write=false"), SKEP_OK);
  assert_int_equal(warehouse_try(&p.w, p.b, "SET hive.txn.xlock.write=false"), SKEP_OK);
  p.db = warehouse_connect(&p.w);
  warehouse_run(&p.w, "CREATE TABLE t (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  warehouse_run(&p.w,
                "CREATE TABLE p (id INT, v STRING) PARTITIONED BY (d INT) STORED AS ORC TBLPROPERTIES "
                "('transactional'='true')");
  warehouse_run(&p.w, "INSERT INTO t VALUES (1,'a'), (2,'b'), (3,'c')");
  warehouse_run(&p.w, "INSERT INTO p VALUES (1,'a',1), (2,'b',1), (3,'c',2)");
  return 0;
}

static int setup_rows(void **state) { return setup_with(state, "row"); }
static int setup_partitions(void **state) { return setup_with(state, "partition"); }

static int teardown(void **state) {
  pair *p = *state;
  skep_db_close(p->db);
  skep_session_close(p->b);
  warehouse_close(&p->w);
  return 0;
}

static void a(pair *p, const char *sql) { assert_string_equal(warehouse_rows(&p->w, sql), ""); }

static void b(pair *p, const char *sql) {
  skep_status st = warehouse_try(&p->w, p->b, sql);
  if (st != SKEP_OK) fprintf(stderr, "B: %s\n  %s\n", sql, p->w.err.text);
  assert_int_equal(st, SKEP_OK);
}

/* A changes, B changes and commits, then A commits. */
static skep_status race(pair *p, const char *first, const char *second) {
  a(p, "START TRANSACTION");
  a(p, first);
  b(p, second);
  return warehouse_try(&p->w, p->w.session, "COMMIT");
}

/* B commits after A's snapshot and before A's lock: where B's lock would have to wait for A's. */
static skep_status late(pair *p, const char *first, const char *second) {
  a(p, "START TRANSACTION");
  b(p, second);
  skep_status st = warehouse_try(&p->w, p->w.session, first);
  return st == SKEP_OK ? warehouse_try(&p->w, p->w.session, "COMMIT") : st;
}

static void different_rows_both_commit(void **state) {
  pair *p = *state;
  assert_int_equal(race(p, "UPDATE t SET v = 'A' WHERE id = 1", "UPDATE t SET v = 'B' WHERE id = 2"), SKEP_OK);
  assert_string_equal(warehouse_rows(&p->w, "SELECT * FROM t ORDER BY id"), "1\tA\n2\tB\n3\tc\n");
  assert_int_equal(race(p, "DELETE FROM t WHERE id = 1", "UPDATE t SET v = 'BB' WHERE id = 2"), SKEP_OK);
  assert_int_equal(race(p, "UPDATE p SET v = 'A' WHERE id = 1", "DELETE FROM p WHERE id = 2"), SKEP_OK);
  assert_string_equal(warehouse_rows(&p->w, "SELECT * FROM t ORDER BY id"), "2\tBB\n3\tc\n");
  assert_string_equal(warehouse_rows(&p->w, "SELECT * FROM p ORDER BY id"), "1\tA\t1\n3\tc\t2\n");
}

static void the_same_row_is_the_first_committers(void **state) {
  pair *p = *state;
  assert_int_equal(race(p, "UPDATE t SET v = 'A' WHERE id < 3", "UPDATE t SET v = 'B' WHERE id > 1"),
                   SKEP_ERR_CONFLICT);
  const char *text = p->w.err.text;
  assert_non_null(strstr(text,
                         "due to a write conflict on default/t row {\"writeid\":1,\"bucketid\":536870912,\"rowid\":1} "
                         "committed by [txnid:"));
  assert_non_null(strstr(text, "Transaction manager has aborted the transaction txnid:"));
  assert_non_null(strstr(text, " d/d"));
  assert_string_equal(warehouse_rows(&p->w, "SELECT * FROM t ORDER BY id"), "1\ta\n2\tB\n3\tB\n");
  assert_string_equal(warehouse_rows(&p->w, "SELECT DISTINCT reason FROM sys.transactions WHERE reason IS NOT NULL"),
                      "write conflicts\n");
}

static void several_statements_count_together(void **state) {
  pair *p = *state;
  a(p, "START TRANSACTION");
  a(p, "UPDATE t SET v = 'A' WHERE id = 1");
  a(p, "DELETE FROM p WHERE id = 3");
  b(p, "UPDATE t SET v = 'B' WHERE id = 3");
  b(p, "DELETE FROM p WHERE id = 2");
  a(p, "COMMIT");
  a(p, "START TRANSACTION");
  a(p, "UPDATE t SET v = 'AA' WHERE id = 1");
  a(p, "UPDATE p SET v = 'AA' WHERE id = 1");
  b(p, "UPDATE t SET v = 'BB' WHERE id = 3");
  b(p, "DELETE FROM p WHERE id = 1");
  assert_int_equal(warehouse_try(&p->w, p->w.session, "COMMIT"), SKEP_ERR_CONFLICT);
  assert_non_null(strstr(p->w.err.text, "default/p/d=1 row {"));
}

static void an_overwrite_meets_the_whole_partition(void **state) {
  pair *p = *state;
  assert_int_equal(late(p, "UPDATE t SET v = 'A' WHERE id = 1", "TRUNCATE TABLE t"), SKEP_ERR_CONFLICT);
  assert_non_null(strstr(p->w.err.text, " d/u"));
  assert_int_equal(
      late(p, "UPDATE p SET v = 'A' WHERE id = 1", "INSERT OVERWRITE TABLE p PARTITION (d=1) VALUES (9,'z')"),
      SKEP_ERR_CONFLICT);
  assert_int_equal(late(p, "UPDATE p SET v = 'A' WHERE id = 9", "DELETE FROM p"), SKEP_ERR_CONFLICT);
}

#define UPSERT(id)                                                                              \
  "MERGE INTO t USING (SELECT " id                                                              \
  " AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = 'm' WHEN NOT MATCHED THEN INSERT " \
  "VALUES (s.id, 'new')"

static void a_merge_that_inserted_meets_the_whole_partition(void **state) {
  pair *p = *state;
  assert_int_equal(race(p, UPSERT("7"), UPSERT("7")), SKEP_ERR_CONFLICT); /* or the key would be there twice */
  assert_string_equal(warehouse_rows(&p->w, "SELECT count(*) FROM t WHERE id = 7"), "1\n");
  assert_int_equal(race(p, UPSERT("8"), "UPDATE t SET v = 'B' WHERE id = 1"), SKEP_ERR_CONFLICT);
  assert_int_equal(race(p, "UPDATE t SET v = 'B' WHERE id = 1", UPSERT("8")), SKEP_ERR_CONFLICT);
  assert_int_equal(race(p, UPSERT("1"), UPSERT("2")), SKEP_OK); /* both only updated */
  assert_int_equal(race(p, UPSERT("9"), "INSERT INTO t VALUES (10,'x')"), SKEP_OK);
}

static void by_partitions_different_rows_conflict(void **state) {
  pair *p = *state;
  assert_int_equal(race(p, "UPDATE t SET v = 'A' WHERE id = 1", "UPDATE t SET v = 'B' WHERE id = 2"),
                   SKEP_ERR_CONFLICT);
  assert_int_equal(race(p, "UPDATE p SET v = 'A' WHERE id = 1", "UPDATE p SET v = 'B' WHERE id = 3"), SKEP_OK);
}

/* What Hive leaves of TRUNCATE and DELETE without WHERE: a base and a write id. */
static void forget_letters(pair *p) {
  assert_ok(skep_db_run(p->db, "DELETE FROM \"WRITE_SET\" WHERE \"WS_OPERATION_TYPE\" = 'u'", SKEP_NO_PARAMS, NULL,
                        &p->w.err),
            p->w.err);
  assert_ok(
      skep_db_run(p->db,
                  "DELETE FROM \"COMPLETED_TXN_COMPONENTS\" WHERE \"CTC_TXNID\" = (SELECT max(\"CTC_TXNID\") FROM "
                  "\"COMPLETED_TXN_COMPONENTS\")",
                  SKEP_NO_PARAMS, NULL, &p->w.err),
      p->w.err);
}

static void a_truncate_without_a_letter_is_found(void **state) {
  pair *p = *state;
  a(p, "START TRANSACTION");
  b(p, "TRUNCATE TABLE t");
  forget_letters(p);
  a(p, "UPDATE t SET v = 'A' WHERE id = 1");
  assert_int_equal(warehouse_try(&p->w, p->w.session, "COMMIT"), SKEP_ERR_CONFLICT);
  assert_non_null(strstr(p->w.err.text, " d/?"));
  assert_string_equal(warehouse_rows(&p->w, "SELECT count(*) FROM t"), "0\n");
}

static void a_write_id_without_files_is_no_conflict(void **state) {
  pair *p = *state;
  assert_int_equal(race(p, "UPDATE p SET v = 'A' WHERE id = 1", "UPDATE p SET v = 'B' WHERE id = 77"), SKEP_OK);
  assert_string_equal(warehouse_rows(&p->w, "SELECT v FROM p WHERE id = 1"), "A\n");
}

/* --- skep.conflict.retries --- */

/* B changes the same rows and commits, after the snapshot of whoever lists. */
static void let_b_update(void *self) { b(self, "UPDATE t SET v = concat(v, 'B') WHERE id = 1"); }

/* C, whose statements B overtakes so many times. */
static skep_status overtaken(pair *p, int times, const char *retries, meddling_fs *m, skep_session **c) {
  skep_session_opts opts = p->w.opts;
  char set[80];
  meddling_init(m, &p->w.ctx, p->w.fs, let_b_update, p);
  opts.fs = &m->base;
  assert_ok(skep_session_open(&opts, c, &p->w.err), p->w.err);
  snprintf(set, sizeof set, "SET skep.conflict.retries=%s", retries);
  assert_int_equal(warehouse_try(&p->w, *c, set), SKEP_OK);
  assert_int_equal(warehouse_try(&p->w, *c, "SET hive.txn.xlock.write=false"), SKEP_OK);
  m->ending = "/t"; /* once a statement */
  m->times = times;
  return warehouse_try(&p->w, *c, "UPDATE t SET v = concat(v, 'C') WHERE id = 1");
}

static void a_statement_that_was_overtaken_is_tried_again_as_often_as_allowed(void **state) {
  pair *p = *state;
  meddling_fs m;
  skep_session *c;
  assert_int_equal(overtaken(p, 2, "2", &m, &c), SKEP_OK);
  assert_int_equal(m.times, 0);
  assert_string_equal(warehouse_rows(&p->w, "SELECT v FROM t WHERE id = 1"), "aBBC\n");
  assert_int_equal(warehouse_try(&p->w, c, "UPDATE t SET v = 'again' WHERE id = 1"), SKEP_OK);
  skep_session_close(c);
  b(p, "UPDATE t SET v = 'a' WHERE id = 1");
  assert_int_equal(overtaken(p, 3, "2", &m, &c), SKEP_ERR_CONFLICT);
  assert_non_null(skep_session_notice(c, 1));
  assert_memory_equal(skep_session_notice(c, 0), "tried again (1 of 2): ", 22);
  assert_memory_equal(skep_session_notice(c, 1), "tried again (2 of 2): ", 22);
  assert_null(skep_session_notice(c, 2));
  assert_string_equal(warehouse_rows(&p->w, "SELECT v FROM t WHERE id = 1"), "aBBB\n");
  skep_session_close(c);
}

static void an_explicit_transaction_is_never_tried_again(void **state) {
  pair *p = *state;
  meddling_fs m;
  skep_session *c;
  assert_int_equal(overtaken(p, 0, "5", &m, &c), SKEP_OK);
  assert_int_equal(warehouse_try(&p->w, c, "START TRANSACTION"), SKEP_OK);
  m.times = 1;
  skep_status st = warehouse_try(&p->w, c, "UPDATE t SET v = 'C' WHERE id = 1");
  if (st == SKEP_OK) st = warehouse_try(&p->w, c, "COMMIT");
  assert_int_equal(st, SKEP_ERR_CONFLICT);
  assert_string_equal(warehouse_rows(&p->w, "SELECT v FROM t WHERE id = 1"), "aCB\n");
  skep_session_close(c);
}

int main(void) {
#define ROWS(name) cmocka_unit_test_setup_teardown(name, setup_rows, teardown)
#define PARTITIONS(name) cmocka_unit_test_setup_teardown(name, setup_partitions, teardown)
  const struct CMUnitTest tests[] = {
      ROWS(different_rows_both_commit),
      ROWS(the_same_row_is_the_first_committers),
      ROWS(several_statements_count_together),
      ROWS(an_overwrite_meets_the_whole_partition),
      ROWS(a_merge_that_inserted_meets_the_whole_partition),
      PARTITIONS(by_partitions_different_rows_conflict),
      PARTITIONS(a_truncate_without_a_letter_is_found),
      PARTITIONS(a_write_id_without_files_is_no_conflict),
      PARTITIONS(a_statement_that_was_overtaken_is_tried_again_as_often_as_allowed),
      PARTITIONS(an_explicit_transaction_is_never_tried_again),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
