/* Statements from text to rows: the worked example of Hive 3's notes on ACID, and what a session promises. */
#include <sys/stat.h>
#include <sys/wait.h>

#include "sql/spill.h"
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

static void make_file_in(const char *dir) {
  char path[420];
  snprintf(path, sizeof path, "%s/duckdb_temp.tmp", dir);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fclose(file);
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

/* The names say the process; the one of a child that has ended is no more. */
static void what_a_dead_process_spilled_is_removed(void **state) {
  warehouse *w = *state;
  char dead[400], alive[400];
  skep_buf name;
  pid_t child = fork();
  if (child == 0) _exit(0);
  assert_int_equal(waitpid(child, NULL, 0), child);
  skep_buf_init(&name, &w->ctx, 1 << 10);
  skep_spill_name(&w->ctx, &name);
  char own[40], *at;
  snprintf(own, sizeof own, "-%lld-", (long long)getpid());
  at = strstr(skep_buf_string(&name), own);
  assert_non_null(at);
  snprintf(alive, sizeof alive, "%s/%s", w->dir, skep_buf_string(&name));
  snprintf(dead, sizeof dead, "%s/%.*s-%lld-%s", w->dir, (int)(at - skep_buf_string(&name)), skep_buf_string(&name),
           (long long)child, "0123456789abcdef");
  assert_int_equal(mkdir(alive, 0777), 0);
  assert_int_equal(mkdir(dead, 0777), 0);
  make_file_in(dead);
  warehouse_reopen(w);
  assert_int_equal(access(alive, F_OK), 0);
  assert_int_not_equal(access(dead, F_OK), 0);
  skep_buf_fini(&name);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_session_answers_a_query_without_tables, setup, teardown),
      cmocka_unit_test_setup_teardown(rows_come_back, setup, teardown),
      cmocka_unit_test_setup_teardown(what_a_dead_process_spilled_is_removed, setup, teardown),
      cmocka_unit_test_setup_teardown(update_and_delete_change_rows, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
