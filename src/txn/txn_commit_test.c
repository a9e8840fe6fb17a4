/* Lives of transactions, their rows compared with those of a real Hive, and conflicts. */
#include "support/failing_alloc.h"
#include "txn/txn_testing.h"

/* Letters and columns as in golden 19-metastore: TXNS 1, s01.people. */
static void a_life_leaves_hives_rows(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_table t = {.database = "s01", .table = "people", .write = 'i'};
  skep_txn txn = txn_begin(f, f->db, &t, 1);
  assert_int_equal(txn.id, 1);
  assert_int_equal(t.write_id, 1);
  assert_string_equal(txn.valid_txns, "1:9223372036854775807::");
  assert_string_equal(t.valid_write_ids, "s01.people:1:9223372036854775807::");
  assert_rows(f, "SELECT * FROM \"TXNS\"",
              "0|c|0|0|||\\N|\\N|\\N|\\N\n1|o|1795979454135|1795979454135|root|vm|\\N|\\N|\\N|0\n");
  assert_rows(f, "SELECT * FROM \"TXN_COMPONENTS\"", "1|s01|people|\\N|i|1\n");
  assert_rows(f, "SELECT * FROM \"TXN_TO_WRITE_ID\"", "1|s01|people|1\n");
  assert_rows(f, "SELECT * FROM \"NEXT_WRITE_ID\"", "s01|people|2\n");
  assert_rows(f, "SELECT * FROM \"MIN_HISTORY_LEVEL\"", "1|1\n");
  skep_txn_component c = {"s01", "people", NULL, 'i', 1};
  assert_ok(skep_txn_commit(f->db, 1, &c, 1, NULL, NULL, &err), err);
  assert_rows(f, "SELECT * FROM \"TXNS\" WHERE \"TXN_ID\" = 1",
              "1|c|1795979454135|1795979454135|root|vm|\\N|\\N|\\N|0\n");
  assert_rows(f, "SELECT * FROM \"TXN_COMPONENTS\"", "");
  assert_rows(f, "SELECT * FROM \"MIN_HISTORY_LEVEL\"", "");
  assert_rows(f, "SELECT * FROM \"WRITE_SET\"", "");
  assert_rows(f,
              "SELECT \"CTC_TXNID\", \"CTC_DATABASE\", \"CTC_TABLE\", \"CTC_PARTITION\", \"CTC_WRITEID\", "
              "\"CTC_UPDATE_DELETE\" FROM \"COMPLETED_TXN_COMPONENTS\"",
              "1|s01|people|\\N|1|N\n");
  assert_ok(skep_txn_commit(f->db, 1, &c, 1, NULL, NULL, &err), err); /* again: done already */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_life_leaves_hives_rows, txn_setup, txn_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
