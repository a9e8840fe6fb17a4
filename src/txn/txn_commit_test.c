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
              "0|c|0|0|||\\N|\\N|\\N|\\N\n1|o|1795979454135|1795979454135|root|vm|\\N|skep:1H1R-8B9|\\N|0\n");
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
  /* side by side nobody knows that nobody is opening */
  assert_rows(f, "SELECT * FROM \"WRITE_SET\"", skep_db_dialect(f->db)->writers_alone ? "" : "s01|people|\\N|1|1|i\n");
  assert_rows(f,
              "SELECT \"CTC_TXNID\", \"CTC_DATABASE\", \"CTC_TABLE\", \"CTC_PARTITION\", \"CTC_WRITEID\", "
              "\"CTC_UPDATE_DELETE\" FROM \"COMPLETED_TXN_COMPONENTS\"",
              "1|s01|people|\\N|1|N\n");
  assert_ok(skep_txn_commit(f->db, 1, &c, 1, NULL, NULL, &err), err); /* again: done already */
}

/* Golden 19: the UPDATE of transaction 4206 and the MERGE of 4208 left one row Y, an INSERT and then a DELETE in one
 * transaction (4213) two components. */
static void an_update_is_recorded_as_hive_does(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_table t = {.database = "s19", .table = "t", .write = 'd'};
  skep_txn txn = txn_begin(f, f->db, &t, 1);
  const skep_txn_component c[] = {{"s19", "t", NULL, 'd', 1}, {"s19", "t", NULL, 'd', 1}, {"s19", "t", NULL, 'i', 1}};
  assert_ok(skep_txn_commit(f->db, txn.id, c, 3, NULL, NULL, &err), err);
  assert_rows(f, "SELECT \"CTC_WRITEID\", \"CTC_UPDATE_DELETE\" FROM \"COMPLETED_TXN_COMPONENTS\"", "1|Y\n");
  /* Golden 19: WRITE_SET rows are d, with the newest transaction as commit id. */
  assert_rows(f, "SELECT * FROM \"WRITE_SET\"", "s19|t|\\N|1|1|d\n");
  t.write = 'i';
  txn = txn_begin(f, f->db, &t, 1);
  t.write = 'd';
  assert_ok(skep_txn_use_tables(f->db, &f->arena, &txn, &t, 1, &err), err);
  assert_rows(f, "SELECT * FROM \"TXN_COMPONENTS\" ORDER BY 5", "2|s19|t|\\N|d|2\n2|s19|t|\\N|i|2\n");
  const skep_txn_component both[] = {{"s19", "t", NULL, 'i', 2}, {"s19", "t", NULL, 'd', 2}};
  assert_ok(skep_txn_add_components(f->db, txn.id, both, 2, &err), err);
  assert_ok(skep_txn_commit(f->db, txn.id, NULL, 0, NULL, NULL, &err), err);
  assert_rows(f, "SELECT \"CTC_WRITEID\", \"CTC_UPDATE_DELETE\" FROM \"COMPLETED_TXN_COMPONENTS\" ORDER BY 1, 2",
              "1|Y\n2|N\n2|Y\n");
}

/* Golden 02: a DELETE without rows in the partitioned s02.logs (transaction 102) left nothing but its write id. */
static void a_partitioned_table_without_changes_is_not_recorded(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  assert_ok(
      skep_db_exec(f->db,
                   "INSERT INTO \"DBS\" (\"DB_ID\", \"DB_LOCATION_URI\", \"NAME\") VALUES (1, 'x', 'd');"
                   "INSERT INTO \"TBLS\" (\"TBL_ID\", \"CREATE_TIME\", \"DB_ID\", \"LAST_ACCESS_TIME\", \"RETENTION\", "
                   "\"TBL_NAME\") VALUES (1, 0, 1, 0, 0, 'p');"
                   "INSERT INTO \"PARTITION_KEYS\" (\"TBL_ID\", \"PKEY_NAME\", \"PKEY_TYPE\", \"INTEGER_IDX\") VALUES "
                   "(1, 'k', 'int', 0)",
                   &err),
      err);
  skep_txn_table t = {.database = "d", .table = "p", .write = 'd'};
  skep_txn one = txn_begin(f, f->db, &t, 1), two = txn_begin(f, f->db, &t, 1);
  assert_ok(skep_txn_commit(f->db, one.id, NULL, 0, NULL, NULL, &err), err);
  assert_ok(skep_txn_commit(f->db, two.id, NULL, 0, NULL, NULL, &err), err); /* no conflict over nothing */
  assert_rows(f, "SELECT count(*) FROM \"COMPLETED_TXN_COMPONENTS\"", "0\n");
  assert_rows(f, "SELECT count(*) FROM \"WRITE_SET\"", "0\n");
  assert_rows(f, "SELECT count(*) FROM \"TXN_COMPONENTS\"", "0\n");
}

static void partitions_replace_the_placeholder(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_table t = {.database = "d", .table = "p", .write = 'd'};
  skep_txn txn = txn_begin(f, f->db, &t, 1);
  assert_rows(f, "SELECT \"TC_PARTITION\", \"TC_OPERATION_TYPE\" FROM \"TXN_COMPONENTS\"", "\\N|d\n");
  const skep_txn_component first[] = {{"d", "p", "d=1/s=y%2Fz", 'd', 1}, {"d", "p", "d=1/s=y%2Fz", 'i', 1}};
  assert_ok(skep_txn_add_components(f->db, txn.id, first, 2, &err), err);
  assert_rows(f, "SELECT \"TC_PARTITION\", \"TC_OPERATION_TYPE\" FROM \"TXN_COMPONENTS\" ORDER BY 2",
              "d=1/s=y%2Fz|d\nd=1/s=y%2Fz|i\n");
  /* The next statement of the transaction. */
  assert_ok(skep_txn_use_tables(f->db, &f->arena, &txn, &t, 1, &err), err);
  assert_int_equal(t.write_id, 1);
  const skep_txn_component second = {"d", "p", "d=2", 'd', 1};
  assert_ok(skep_txn_commit(f->db, txn.id, &second, 1, NULL, NULL, &err), err);
  assert_rows(f, "SELECT \"CTC_PARTITION\", \"CTC_UPDATE_DELETE\" FROM \"COMPLETED_TXN_COMPONENTS\" ORDER BY 1, 2",
              "d=1/s=y%2Fz|N\nd=1/s=y%2Fz|Y\nd=2|Y\n");
  assert_rows(f, "SELECT DISTINCT \"WS_PARTITION\" FROM \"WRITE_SET\" ORDER BY 1", "d=1/s=y%2Fz\nd=2\n");
}

static void nothing_written_leaves_nothing(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  assert_ok(txn_write(f, f->db, "p", "", 'd', &err), err);
  assert_rows(f, "SELECT count(*) FROM \"COMPLETED_TXN_COMPONENTS\"", "0\n");
  assert_rows(f, "SELECT count(*) FROM \"WRITE_SET\"", "0\n");
  assert_rows(f, "SELECT count(*) FROM \"TXN_COMPONENTS\"", "0\n");
}

/* Two transactions that overlap: `begun` letters in the order in which they begin (write ids 1 and 2), and which of
 * them commits first. Source: txn-protocol 6.3; overwrites and inserts: txn/README.md, invariant 4. */
static void the_first_committer_wins(void **state) {
  (void)state;
  const struct {
    const char *what;
    char begun[2];
    const char *partitions[2];
    bool other_table, second_commits_first, conflict;
  } cases[] = {
      {"inserts", {'i', 'i'}, {NULL, NULL}, false, false, false},
      {"insert after update", {'d', 'i'}, {NULL, NULL}, false, false, false},
      {"update after insert", {'i', 'd'}, {NULL, NULL}, false, false, false},
      {"delete, delete", {'d', 'd'}, {NULL, NULL}, false, false, true},
      {"delete, delete, the later one first", {'d', 'd'}, {NULL, NULL}, false, true, true},
      {"overwrite, delete", {'u', 'd'}, {NULL, NULL}, false, false, true},
      {"delete, overwrite", {'d', 'u'}, {NULL, NULL}, false, false, true},
      {"overwrites", {'u', 'u'}, {NULL, NULL}, false, false, true},
      {"other table", {'d', 'd'}, {NULL, NULL}, true, false, false},
      {"one partition", {'d', 'd'}, {"p=1", "p=1"}, false, false, true},
      {"two partitions", {'d', 'd'}, {"p=1", "p=2"}, false, false, false},
      {"partition and table", {'d', 'd'}, {"p=1", NULL}, false, false, false},
      {"table and partition", {'d', 'd'}, {NULL, "p=1"}, false, false, false},
      {"inserts into one partition", {'i', 'i'}, {"p=1", "p=1"}, false, false, false},
      {"partition values differ in case", {'d', 'd'}, {"p=A", "p=a"}, false, false, false},
      /* base_2 would hide delta_1, whoever commits first */
      {"an overwrite that did not see an insert", {'i', 'u'}, {NULL, NULL}, false, false, true},
      {"an insert that an overwrite would hide", {'i', 'u'}, {NULL, NULL}, false, true, true},
      {"the same in a partition", {'i', 'u'}, {"p=1", "p=1"}, false, true, true},
      {"the same in two partitions", {'i', 'u'}, {"p=1", "p=2"}, false, true, false},
      /* base_1 hides nothing of delta_2 */
      {"an insert above an overwrite", {'u', 'i'}, {NULL, NULL}, false, false, false},
      {"an overwrite below an insert", {'u', 'i'}, {NULL, NULL}, false, true, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    void *fixture;
    txn_setup(&fixture);
    txn_fixture *f = fixture;
    skep_err err = {0};
    skep_txn txns[2];
    skep_txn_component c[2];
    for (int k = 0; k < 2; k++) {
      skep_txn_table t = {
          .database = "d", .table = k == 1 && cases[i].other_table ? "u" : "t", .write = cases[i].begun[k]};
      txns[k] = txn_begin(f, f->db, &t, 1);
      c[k] = (skep_txn_component){"d", t.table, cases[i].partitions[k], t.write, t.write_id};
    }
    int first = cases[i].second_commits_first ? 1 : 0, second = 1 - first;
    assert_ok(skep_txn_commit(f->db, txns[first].id, &c[first], 1, NULL, NULL, &err), err);
    skep_status status = skep_txn_commit(f->db, txns[second].id, &c[second], 1, NULL, NULL, &err);
    if (status != (cases[i].conflict ? SKEP_ERR_CONFLICT : SKEP_OK)) fail_msg("%s: %s", cases[i].what, err.text);
    char letter = 0;
    const char *reason = NULL;
    assert_ok(skep_txn_state(f->db, txns[second].id, &letter, &f->arena, &reason, &err), err);
    assert_int_equal(letter, cases[i].conflict ? 'a' : 'c');
    if (cases[i].conflict) assert_string_equal(reason, "write conflicts");
    assert_rows(f, "SELECT count(*) FROM \"COMPLETED_TXN_COMPONENTS\"", cases[i].conflict ? "1\n" : "2\n");
    /* What it wrote stays known until it is cleaned. */
    if (cases[i].conflict) assert_rows(f, "SELECT count(*) > 0 FROM \"TXN_COMPONENTS\"", "1\n");
    /* One that begins afterwards never conflicts. */
    assert_ok(txn_write(f, f->db, "t", cases[i].partitions[0], 'u', &err), err);
    txn_teardown(&fixture);
  }
}

/* Golden 23-conflicts-errors: transaction 19 updates s23.t, 20 does and commits, 19 commits. */
static void a_conflict_is_told_in_hives_words(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  int64_t ids[18];
  uint32_t n = 0;
  assert_ok(skep_txn_open(f->db, &f->conf, SKEP_TXN_DEFAULT, 18, ids, &n, &err), err);
  for (int i = 0; i < 18; i++) assert_ok(skep_txn_commit(f->db, ids[i], NULL, 0, NULL, NULL, &err), err);
  skep_txn_table t = {.database = "s23", .table = "t", .write = 'd'};
  skep_txn b = txn_begin(f, f->db, &t, 1);
  skep_txn_component c19 = {"s23", "t", NULL, 'd', t.write_id};
  skep_txn a = txn_begin(f, f->db, &t, 1);
  skep_txn_component c20 = {"s23", "t", NULL, 'd', t.write_id};
  assert_true(b.id == 19 && a.id == 20);
  assert_ok(skep_txn_add_components(f->db, 19, &c19, 1, &err), err);
  assert_ok(skep_txn_commit(f->db, 20, &c20, 1, NULL, NULL, &err), err);
  memset(&err, 0, sizeof err);
  assert_int_equal(skep_txn_commit(f->db, 19, NULL, 0, NULL, NULL, &err), SKEP_ERR_CONFLICT);
  assert_string_equal(
      err.text,
      "Transaction manager has aborted the transaction txnid:19.  Reason: Aborting [txnid:19,20] due to a "
      "write conflict on s23/t committed by [txnid:20,20] d/d");
  assert_fails(skep_txn_commit(f->db, 19, NULL, 0, NULL, NULL, &err), SKEP_ERR_ABORTED, err, "due to write conflicts");
  /* With a partition. */
  skep_txn_table p = {.database = "s23", .table = "p", .write = 'd'};
  skep_txn x = txn_begin(f, f->db, &p, 1);
  skep_txn_component cx = {"s23", "p", "k=a%2Fb", 'd', p.write_id};
  skep_txn y = txn_begin(f, f->db, &p, 1);
  skep_txn_component cy = {"s23", "p", "k=a%2Fb", 'u', p.write_id};
  assert_ok(skep_txn_commit(f->db, x.id, &cx, 1, NULL, NULL, &err), err);
  assert_fails(skep_txn_commit(f->db, y.id, &cy, 1, NULL, NULL, &err), SKEP_ERR_CONFLICT, err,
               "on s23/p/k=a%2Fb committed by [txnid:21,22] u/d");
}

static skep_status note_call(void *self, skep_db *db, skep_err *err) {
  *(int *)self += 1;
  return skep_db_run(db, "INSERT INTO \"AUX_TABLE\" (\"MT_KEY1\", \"MT_KEY2\") VALUES ('also', 1)", SKEP_NO_PARAMS,
                     NULL, err);
}

static skep_status refuse(void *self, skep_db *db, skep_err *err) {
  SKEP_TRY(note_call(self, db, err));
  return skep_fail(err, SKEP_ERR_RANGE, "the catalog does not want that");
}

static void catalog_changes_go_with_the_commit(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  int calls = 0;
  skep_txn_table t = {.database = "d", .table = "t", .write = 'd'};
  skep_txn one = txn_begin(f, f->db, &t, 1);
  skep_txn_component c = {"d", "t", NULL, 'd', t.write_id};
  skep_txn two = txn_begin(f, f->db, &t, 1);
  skep_txn_component c2 = {"d", "t", NULL, 'd', t.write_id};
  assert_fails(skep_txn_commit(f->db, one.id, &c, 1, refuse, &calls, &err), SKEP_ERR_RANGE, err, "does not want that");
  assert_rows(f, "SELECT count(*) FROM \"AUX_TABLE\"", "0\n");
  assert_rows(f, "SELECT \"TXN_STATE\" FROM \"TXNS\" WHERE \"TXN_ID\" = 1", "o\n");
  assert_ok(skep_txn_commit(f->db, one.id, &c, 1, note_call, &calls, &err), err);
  assert_rows(f, "SELECT count(*) FROM \"AUX_TABLE\"", "1\n");
  assert_int_equal(skep_txn_commit(f->db, two.id, &c2, 1, note_call, &calls, &err), SKEP_ERR_CONFLICT);
  assert_int_equal(calls, 2);
}

static skep_status wait_twice(void *self, skep_db *db, skep_err *err) {
  SKEP_TRY(note_call(self, db, err));
  return *(int *)self > 2 ? SKEP_OK : skep_fail(err, SKEP_ERR_BUSY, "deadlock detected");
}

/* Seen beside a real Hive: statistics of one table, TABLE_PARAMS and TBLS in opposite orders. */
static void a_commit_that_met_a_deadlock_is_made_again(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  int calls = 0;
  bool alone = skep_db_dialect(f->db)->writers_alone; /* a database without deadlocks */
  skep_txn_meeting *meetings;
  size_t n;
  skep_txn_table t = {.database = "d", .table = "t", .write = 'd'};
  skep_txn txn = txn_begin(f, f->db, &t, 1);
  skep_txn_component c = {"d", "t", NULL, 'd', t.write_id};
  const skep_txn_commit_opts opts = {.components = &c, .n = 1, .also = wait_twice, .self = &calls, .beside = true};
  skep_status status = skep_txn_commit_with(f->db, txn.id, &opts, &f->arena, &meetings, &n, &err);
  assert_int_equal(status, alone ? SKEP_ERR_BUSY : SKEP_OK);
  assert_int_equal(calls, alone ? 1 : 3);
  assert_rows(f, "SELECT count(*) FROM \"AUX_TABLE\"", alone ? "0\n" : "1\n");
  assert_rows(f, "SELECT \"TXN_STATE\" FROM \"TXNS\" WHERE \"TXN_ID\" = 1", alone ? "o\n" : "c\n");
}

static void a_joined_commit_leaves_ending_to_the_caller(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_table t = {.database = "d", .table = "t", .write = 'd'};
  skep_txn one = txn_begin(f, f->db, &t, 1);
  skep_txn_component c = {"d", "t", NULL, 'd', t.write_id};
  assert_ok(txn_write(f, f->db, "t", NULL, 'd', &err), err);
  assert_ok(skep_db_begin(f->db, SKEP_DB_WRITE, &err), err);
  assert_int_equal(skep_txn_commit(f->db, one.id, &c, 1, NULL, NULL, &err), SKEP_ERR_CONFLICT);
  assert_true(skep_db_in_transaction(f->db));
  skep_db_rollback(f->db);
  assert_ok(skep_txn_abort(f->db, one.id, SKEP_ABORT_WRITE_CONFLICT, false, &err), err);
  assert_rows(f, "SELECT \"TXN_STATE\", \"TXN_META_INFO\" FROM \"TXNS\" WHERE \"TXN_ID\" = 1", "a|write conflicts\n");
}

static void one_snapshot_over_several_statements(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  assert_ok(txn_write(f, f->db, "t", NULL, 'i', &err), err); /* write id 1 of t, txn 1 */
  skep_txn txn = txn_begin(f, f->db, NULL, 0);               /* START TRANSACTION, txn 2 */
  assert_ok(txn_write(f, f->db, "t", NULL, 'i', &err), err); /* write id 2, txn 3: not seen */
  skep_txn_table t = {.database = "d", .table = "t"};
  assert_ok(skep_txn_use_tables(f->db, &f->arena, &txn, &t, 1, &err), err);
  assert_string_equal(t.valid_write_ids, "d.t:1:9223372036854775807::");
  t.write = 'i';
  assert_ok(skep_txn_use_tables(f->db, &f->arena, &txn, &t, 1, &err), err);
  assert_int_equal(t.write_id, 3);
  assert_string_equal(t.valid_write_ids, "d.t:3:2:2:");      /* own writes are seen, those of 3 are not */
  assert_ok(txn_write(f, f->db, "t", NULL, 'i', &err), err); /* 4 */
  assert_ok(skep_txn_use_tables(f->db, &f->arena, &txn, &t, 1, &err), err);
  assert_int_equal(t.write_id, 3);
  assert_string_equal(t.valid_write_ids, "d.t:3:2:2:");
  skep_txn_table both[] = {{.database = "d", .table = "u", .write = 'i'}, {.database = "d", .table = "t"}};
  assert_ok(skep_txn_use_tables(f->db, &f->arena, &txn, both, 2, &err), err);
  assert_int_equal(both[0].write_id, 1);
  assert_int_equal(both[1].write_id, 0);
  assert_string_equal(both[1].valid_write_ids, "d.t:3:2:2:");
  assert_ok(skep_txn_abort(f->db, txn.id, SKEP_ABORT_ROLLBACK, false, &err), err);
  assert_fails(skep_txn_use_tables(f->db, &f->arena, &txn, both, 2, &err), SKEP_ERR_ABORTED, err, "due to rollback");
  skep_txn_table after = {.database = "d", .table = "t"};
  txn_begin(f, f->db, &after, 1);
  assert_string_equal(after.valid_write_ids, "d.t:4:9223372036854775807::3");
}

static void dropping_under_a_writer_fails_the_writer(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_table t = {.database = "d", .table = "t", .write = 'i'};
  skep_txn txn = txn_begin(f, f->db, &t, 1);
  skep_txn_component c = {"d", "t", NULL, 'i', t.write_id};
  assert_ok(skep_txn_drop_records(f->db, "d", "t", NULL, &err), err);
  assert_fails(skep_txn_commit(f->db, txn.id, &c, 1, NULL, NULL, &err), SKEP_ERR_CONFLICT, err,
               "cannot write to d.t: it was dropped or renamed");
  assert_rows(f, "SELECT \"TXN_STATE\" FROM \"TXNS\" WHERE \"TXN_ID\" = 1", "a\n");
}

static void wrong_arguments_are_refused(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn txn;
  skep_txn_table t = {.database = "d", .table = "t", .write = 'x'};
  assert_fails(skep_txn_begin(f->db, &f->conf, &f->arena, SKEP_TXN_DEFAULT, &t, 1, &txn, &err), SKEP_ERR_ARGUMENT, err,
               "operation letter 120");
  t.write = 'i';
  assert_fails(skep_txn_begin(f->db, &f->conf, &f->arena, SKEP_TXN_READ_ONLY, &t, 1, &txn, &err), SKEP_ERR_ARGUMENT,
               err, "read-only");
  assert_fails(skep_txn_begin(f->db, &f->conf, &f->arena, (skep_txn_type)9, &t, 1, &txn, &err), SKEP_ERR_ARGUMENT, err,
               "type 9");
  skep_txn_component c = {"d", "t", NULL, 's', 1};
  assert_fails(skep_txn_commit(f->db, 1, &c, 1, NULL, NULL, &err), SKEP_ERR_ARGUMENT, err, "operation letter 115");
  c = (skep_txn_component){"d", "t", NULL, 'i', 0};
  assert_fails(skep_txn_add_components(f->db, 1, &c, 1, &err), SKEP_ERR_ARGUMENT, err, "without table or write id");
  assert_fails(skep_txn_commit(f->db, 77, NULL, 0, NULL, NULL, &err), SKEP_ERR_NOT_FOUND, err,
               "No such transaction: txnid:77");
  f->conf.max_open = 1;
  txn_begin(f, f->db, NULL, 0);
  assert_fails(skep_txn_begin(f->db, &f->conf, &f->arena, SKEP_TXN_DEFAULT, NULL, 0, &txn, &err), SKEP_ERR_LIMIT, err,
               "hive.max.open.txns is 1");
  assert_rows(f, "SELECT max(\"TXN_ID\") FROM \"TXNS\"", "1\n");
}

/* Names are data wherever they come from. */
static void hostile_names_stay_data(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  const char *name = "t'; DROP TABLE \"TXNS\"; --";
  skep_txn_table t = {.database = "d", .table = name, .write = 'd'};
  skep_txn txn = txn_begin(f, f->db, &t, 1);
  skep_txn_component c = {"d", name, "p='\"\n", 'd', t.write_id};
  assert_ok(skep_txn_commit(f->db, txn.id, &c, 1, NULL, NULL, &err), err);
  assert_rows(f, "SELECT \"WS_TABLE\", \"WS_PARTITION\" FROM \"WRITE_SET\"", "t'; DROP TABLE \"TXNS\"; --|p='\"\n\n");
}

static void without_memory_a_commit_fails_whole(void **state) {
  txn_fixture *f = *state;
  failing_alloc memory;
  skep_ctx ctx;
  failing_alloc_ctx(&memory, &ctx);
  skep_err err = {0};
  skep_db *db = NULL;
  skep_db_opts opts = SKEP_DB_OPTS_DEFAULT;
  opts.boot_id = "boot-1";
  assert_ok(skep_db_open(&ctx, f->url, &opts, &db, &err), err);
  for (uint64_t n = 1;; n++) {
    failing_alloc_arm(&memory, n);
    skep_arena arena;
    skep_arena_init(&arena, &ctx, 1 << 20);
    skep_txn_table t = {.database = "d", .table = "t", .write = 'd'};
    skep_txn txn = {0};
    skep_status status = skep_txn_begin(db, &f->conf, &arena, SKEP_TXN_DEFAULT, &t, 1, &txn, &err);
    if (status == SKEP_OK) {
      skep_txn_component c = {"d", "t", "p=1", 'd', t.write_id};
      status = skep_txn_commit(db, txn.id, &c, 1, NULL, NULL, &err);
    }
    skep_arena_fini(&arena);
    bool fired = failing_alloc_fired(&memory);
    failing_alloc_arm(&memory, 0);
    assert_false(skep_db_in_transaction(db));
    if (status != SKEP_OK && txn.id > 0) assert_ok(skep_txn_abort(db, txn.id, SKEP_ABORT_ROLLBACK, true, &err), err);
    assert_rows(f, "SELECT count(*) FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o'", "0\n");
    if (!fired) {
      assert_ok(status, err);
      break;
    }
    assert_int_equal(status, SKEP_ERR_NOMEM);
  }
  skep_db_close(db);
  assert_int_equal(failing_alloc_live(&memory), 0);
}

/* Few exceptions are asked for one by one, many in one pass: the lists are the same. */
static void few_and_many_exceptions_read_alike(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_buf expected;
  skep_buf_init(&expected, &f->ctx, 1 << 16);
  assert_ok(txn_write(f, f->db, "t", NULL, 'i', &err), err);
  for (int i = 0; i < 70; i++) {
    skep_txn_table t = {.database = "d", .table = "t", .write = 'i'};
    skep_txn txn = txn_begin(f, f->db, &t, 1);
    assert_ok(skep_txn_abort(f->db, txn.id, SKEP_ABORT_ROLLBACK, false, &err), err);
    assert_ok(txn_write(f, f->db, "t", NULL, 'i', &err), err);
    skep_buf_printf(&expected, "%s%lld", i > 0 ? "," : "", (long long)t.write_id);
    skep_txn_table reader = {.database = "d", .table = "t"};
    skep_txn look = txn_begin(f, f->db, &reader, 1);
    assert_ok(skep_txn_commit(f->db, look.id, NULL, 0, NULL, NULL, &err), err);
    char text[1024];
    snprintf(text, sizeof text, "d.t:%d:9223372036854775807::%s", 2 * i + 3, skep_buf_string(&expected));
    assert_string_equal(reader.valid_write_ids, text);
  }
  skep_buf_fini(&expected);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_life_leaves_hives_rows, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(an_update_is_recorded_as_hive_does, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(a_partitioned_table_without_changes_is_not_recorded, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(partitions_replace_the_placeholder, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(nothing_written_leaves_nothing, txn_setup, txn_teardown),
      cmocka_unit_test(the_first_committer_wins),
      cmocka_unit_test_setup_teardown(a_conflict_is_told_in_hives_words, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(catalog_changes_go_with_the_commit, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(a_commit_that_met_a_deadlock_is_made_again, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(a_joined_commit_leaves_ending_to_the_caller, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(one_snapshot_over_several_statements, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(dropping_under_a_writer_fails_the_writer, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(few_and_many_exceptions_read_alike, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(wrong_arguments_are_refused, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(hostile_names_stay_data, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(without_memory_a_commit_fails_whole, txn_setup, txn_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
