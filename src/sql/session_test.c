/* Statements from text to rows: the worked example of Hive 3's notes on ACID, and what a session promises. */
#include "support/warehouse.h"

static int setup(void **state) {
  static warehouse w;
  *state = &w;
  warehouse_open(&w);
  return 0;
}

static int teardown(void **state) {
  warehouse_close(*state);
  return 0;
}

static void a_session_answers_a_query_without_tables(void **state) {
  assert_string_equal(warehouse_rows(*state, "SELECT 1, 'a'"), "1\ta\n");
}

static void rows_come_back(void **state) {
  warehouse_run(*state, "CREATE TABLE t (a INT, b STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  warehouse_run(*state, "INSERT INTO t VALUES (1,'one'),(2,NULL)");
  assert_string_equal(warehouse_rows(*state, "SELECT * FROM t ORDER BY a"), "1\tone\n2\t\\N\n");
  assert_string_equal(warehouse_rows(*state, "SELECT ROW__ID, a FROM t ORDER BY a"),
                      "{\"writeid\":1,\"bucketid\":536870912,\"rowid\":0}\t1\n"
                      "{\"writeid\":1,\"bucketid\":536870912,\"rowid\":1}\t2\n");
  warehouse_reopen(*state);
  assert_string_equal(warehouse_rows(*state, "SELECT count(*) FROM t"), "2\n");
}

static void update_and_delete_change_rows(void **state) {
  warehouse_run(*state, "CREATE TABLE t (a INT, b STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  warehouse_run(*state, "INSERT INTO t VALUES (1,'one'),(2,'two'),(3,'three')");
  warehouse_run(*state, "UPDATE t SET b = upper(b) WHERE a >= 2");
  warehouse_run(*state, "DELETE FROM t WHERE a = 1");
  assert_string_equal(warehouse_rows(*state, "SELECT a, b, ROW__ID.writeid, ROW__ID.rowid FROM t ORDER BY a"),
                      "2\tTWO\t2\t0\n3\tTHREE\t2\t1\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_session_answers_a_query_without_tables, setup, teardown),
      cmocka_unit_test_setup_teardown(rows_come_back, setup, teardown),
      cmocka_unit_test_setup_teardown(update_and_delete_change_rows, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
