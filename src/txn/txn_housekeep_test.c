/* What happens to rows later: time-outs, cleaning, removals of directories, dropped and renamed objects, recovery. */
#include "txn/txn_testing.h"

static void a_dead_process_is_timed_out(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_table t = {.database = "d", .table = "t", .write = 'i'};
  skep_txn dead = txn_begin(f, f->db, &t, 1), alive = txn_begin(f, f->db, NULL, 0);
  skep_txn repl;
  assert_ok(skep_txn_begin(f->db, &f->conf, &f->arena, SKEP_TXN_REPL_CREATED, NULL, 0, &repl, &err), err);
  assert_ok(
      skep_db_run(f->db, "UPDATE \"TXNS\" SET \"TXN_TYPE\" = NULL WHERE \"TXN_ID\" = 1", SKEP_NO_PARAMS, NULL, &err),
      err);
  f->now_ms += 300000;
  assert_ok(skep_txn_heartbeat(f->db, &alive.id, 1, &err), err);
  skep_txn_housekeeping done;
  assert_ok(skep_txn_housekeep(f->db, &f->conf, &done, &err), err);
  assert_int_equal(done.timed_out, 0); /* not longer than the time-out */
  f->now_ms += 1;
  assert_ok(skep_txn_housekeep(f->db, &f->conf, &done, &err), err);
  assert_int_equal(done.timed_out, 1);
  assert_rows(f, "SELECT \"TXN_ID\", \"TXN_STATE\", \"TXN_META_INFO\" FROM \"TXNS\" WHERE \"TXN_ID\" > 0 ORDER BY 1",
              "1|a|heartbeat time-out\n2|o|skep:\n3|o|skep:\n");
  assert_rows(f, "SELECT count(*) FROM \"TXN_COMPONENTS\"", "1\n"); /* leads the cleaner */
  assert_rows(f, "SELECT \"MHL_TXNID\" FROM \"MIN_HISTORY_LEVEL\"", "2\n3\n");
  int64_t ids[] = {dead.id, alive.id, 99};
  assert_fails(skep_txn_heartbeat(f->db, ids, 2, &err), SKEP_ERR_ABORTED, err, "due to heartbeat time-out");
  assert_fails(skep_txn_heartbeat(f->db, ids + 2, 1, &err), SKEP_ERR_NOT_FOUND, err, "txnid:99");
  f->now_ms += INT64_C(11) * 24 * 3600 * 1000;
  assert_ok(skep_txn_heartbeat(f->db, &alive.id, 1, &err), err);
  assert_ok(skep_txn_housekeep(f->db, &f->conf, &done, &err), err);
  assert_int_equal(done.timed_out, 1); /* replication has its own */
}

static void the_time_out_changes_only_while_nothing_is_open(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_housekeeping done;
  skep_txn_conf hasty = f->conf, patient = f->conf;
  int64_t ms = 0;
  hasty.timeout_ms = 10000;
  patient.timeout_ms = 600000;
  assert_ok(skep_txn_timeout(f->db, &ms, &err), err);
  assert_int_equal(ms, 300000);
  skep_txn open = txn_begin(f, f->db, NULL, 0);
  assert_ok(skep_txn_agree_timeout(f->db, 10000, &err), err);
  assert_ok(skep_txn_timeout(f->db, &ms, &err), err);
  assert_int_equal(ms, 300000);
  f->now_ms += 299000;
  assert_ok(skep_txn_housekeep(f->db, &hasty, &done, &err), err);
  assert_int_equal(done.timed_out, 0); /* the one in force is longer */
  f->now_ms += 2000;
  assert_ok(skep_txn_housekeep(f->db, &patient, &done, &err), err);
  assert_int_equal(done.timed_out, 0); /* the own one is longer */
  assert_ok(skep_txn_abort(f->db, open.id, SKEP_ABORT_ROLLBACK, true, &err), err);
  assert_ok(skep_txn_agree_timeout(f->db, 10000, &err), err);
  assert_ok(skep_txn_timeout(f->db, &ms, &err), err);
  assert_int_equal(ms, 10000);
  static const char *const nonsense[] = {"", "soon", "-1", "0", "99999999999999999999"};
  for (size_t i = 0; i < 5; i++) {
    assert_ok(skep_db_run(f->db,
                          "UPDATE \"METASTORE_DB_PROPERTIES\" SET \"PROPERTY_VALUE\" = ? WHERE \"PROPERTY_KEY\" = "
                          "'skep.txn.timeout'",
                          SKEP_PARAMS(skep_p_text(nonsense[i])), NULL, &err),
              err);
    assert_ok(skep_txn_timeout(f->db, &ms, &err), err);
    assert_int_equal(ms, 300000);
  }
}

static void rows_without_use_go(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_housekeeping done;
  for (int i = 0; i < 5; i++) assert_ok(txn_write(f, f->db, "t", NULL, i == 1 ? 'd' : 'i', &err), err);
  f->now_ms += 10001; /* where numbers come out of order, young rows stay */
  assert_ok(skep_txn_housekeep(f->db, &f->conf, &done, &err), err);
  assert_int_equal(done.write_set, skep_db_dialect(f->db)->writers_alone ? 1 : 5); /* inserts stand there, too */
  assert_int_equal(done.write_ids, 5);
  assert_int_equal(done.txns, 5); /* 0 to 4 */
  assert_int_equal(done.components, 3);
  assert_rows(f, "SELECT \"TXN_ID\", \"TXN_STATE\" FROM \"TXNS\"", "5|c\n"); /* the newest stays */
  assert_rows(f, "SELECT \"CTC_WRITEID\", \"CTC_UPDATE_DELETE\" FROM \"COMPLETED_TXN_COMPONENTS\"", "2|Y\n5|N\n");
  /* Ids go on, and all writes are still seen. */
  skep_txn_table t = {.database = "d", .table = "t"};
  skep_txn txn = txn_begin(f, f->db, &t, 1);
  assert_int_equal(txn.id, 6);
  assert_string_equal(t.valid_write_ids, "d.t:5:9223372036854775807::");
}

static void what_an_open_transaction_needs_stays(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_housekeeping done;
  skep_txn_table w = {.database = "d", .table = "t", .write = 'd'};
  skep_txn writer = txn_begin(f, f->db, &w, 1);   /* 1 */
  skep_txn reader = txn_begin(f, f->db, NULL, 0); /* 2: does not see 1 */
  skep_txn_component c = {"d", "t", NULL, 'd', 1};
  assert_ok(skep_txn_commit(f->db, writer.id, &c, 1, NULL, NULL, &err), err);
  assert_ok(skep_txn_housekeep(f->db, &f->conf, &done, &err), err);
  assert_int_equal(done.write_set + done.write_ids, 0);
  skep_txn_table t = {.database = "d", .table = "t"};
  assert_ok(skep_txn_use_tables(f->db, &f->arena, &reader, &t, 1, &err), err);
  assert_string_equal(t.valid_write_ids, "d.t:1:1:1:");
  /* Its own change meets the committed one. */
  t.write = 'd';
  assert_ok(skep_txn_use_tables(f->db, &f->arena, &reader, &t, 1, &err), err);
  c.write_id = t.write_id;
  assert_int_equal(skep_txn_commit(f->db, reader.id, &c, 1, NULL, NULL, &err), SKEP_ERR_CONFLICT);
  /* Nothing is open; but the aborted one's write id 2 must stay known. */
  assert_ok(txn_write(f, f->db, "t", NULL, 'i', &err), err);
  f->now_ms += 10001;
  assert_ok(skep_txn_housekeep(f->db, &f->conf, &done, &err), err);
  assert_int_equal(done.write_ids, 1);
  skep_txn_table after = {.database = "d", .table = "t"};
  txn_begin(f, f->db, &after, 1);
  assert_string_equal(after.valid_write_ids, "d.t:3:9223372036854775807::2");
}

static void an_abort_without_files_is_forgotten(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_table t = {.database = "d", .table = "t", .write = 'i'};
  skep_txn one = txn_begin(f, f->db, &t, 1);
  assert_ok(skep_txn_abort(f->db, one.id, SKEP_ABORT_ROLLBACK, true, &err), err);
  assert_ok(skep_txn_abort(f->db, one.id, SKEP_ABORT_ROLLBACK, true, &err), err); /* again */
  assert_rows(f, "SELECT \"TXN_STATE\", \"TXN_META_INFO\" FROM \"TXNS\" WHERE \"TXN_ID\" = 1", "a|rollback\n");
  assert_ok(txn_write(f, f->db, "t", NULL, 'i', &err), err);
  f->now_ms += 10001;
  assert_ok(skep_txn_housekeep(f->db, &f->conf, NULL, &err), err);
  assert_rows(f, "SELECT \"TXN_ID\" FROM \"TXNS\"", "2\n");
  assert_fails(skep_txn_abort(f->db, 1, SKEP_ABORT_ROLLBACK, false, &err), SKEP_ERR_NOT_FOUND, err, "txnid:1");
  assert_fails(skep_txn_abort(f->db, 2, SKEP_ABORT_ROLLBACK, false, &err), SKEP_ERR_NOT_FOUND, err, "it is committed");
}

static void the_command_aborts_what_is_open(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  txn_begin(f, f->db, NULL, 0);
  assert_ok(txn_write(f, f->db, "t", NULL, 'i', &err), err);
  txn_begin(f, f->db, NULL, 0);
  int64_t ids[] = {1, 2, 3, 44};
  uint32_t n = 0;
  assert_ok(skep_txn_abort_many(f->db, ids, 4, SKEP_ABORT_QUERY, &n, &err), err);
  assert_int_equal(n, 2);
  skep_txn_row *rows = NULL;
  assert_ok(skep_txn_list(f->db, &f->arena, &rows, &n, &err), err);
  assert_int_equal(n, 2);
  assert_true(rows[1].id == 3 && rows[1].state == 'a' && rows[1].started_ms == f->now_ms);
  assert_string_equal(rows[1].reason, "abort by query command");
  assert_string_equal(rows[1].user, "root");
  assert_null(rows[1].agent);
  char letter = 0;
  const char *reason = NULL;
  assert_ok(skep_txn_state(f->db, 2, &letter, &f->arena, &reason, &err), err);
  assert_true(letter == 'c' && reason == NULL);
  assert_ok(skep_txn_state(f->db, 44, &letter, &f->arena, &reason, &err), err);
  assert_int_equal(letter, 0);
}

#define OLD_LOCK(id, txn, beat)                                                                                      \
  "INSERT INTO \"HIVE_LOCKS\" (\"HL_LOCK_EXT_ID\", \"HL_LOCK_INT_ID\", \"HL_TXNID\", \"HL_DB\", \"HL_LOCK_STATE\", " \
  "\"HL_LOCK_TYPE\", \"HL_LAST_HEARTBEAT\", \"HL_USER\", \"HL_HOST\") VALUES (" id ", 1, " txn                       \
  ", 'd', 'a', 'e', " beat ", 'u', 'h')"

static void locks_outside_of_transactions_end_with_their_heartbeat(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn t = txn_begin(f, f->db, NULL, 0);
  assert_int_equal(t.id, 1);
  assert_ok(skep_db_exec(f->db, OLD_LOCK("1", "0", "1000"), &err), err);
  assert_ok(skep_db_exec(f->db, OLD_LOCK("2", "0", "9999999999999"), &err), err);
  assert_ok(skep_db_exec(f->db, OLD_LOCK("3", "1", "0"), &err), err); /* a transaction's: it lives as long as that */
  assert_ok(skep_txn_housekeep(f->db, &f->conf, NULL, &err), err);
  assert_rows(f, "SELECT \"HL_LOCK_EXT_ID\" FROM \"HIVE_LOCKS\" ORDER BY 1", "2\n3\n");
}

/* Damage, or a metastore that was put together from two backups. */
static void locks_of_transactions_that_are_not_there_block_nobody_for_ever(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn open = txn_begin(f, f->db, NULL, 0), over = txn_begin(f, f->db, NULL, 0);
  assert_int_equal(open.id, 1);
  assert_ok(skep_txn_abort(f->db, over.id, SKEP_ABORT_ROLLBACK, false, &err), err);
  assert_ok(skep_db_exec(f->db, OLD_LOCK("1", "1", "0"), &err), err);
  assert_ok(skep_db_exec(f->db, OLD_LOCK("2", "2", "0"), &err), err);
  assert_ok(skep_db_exec(f->db, OLD_LOCK("3", "-5", "0"), &err), err);
  assert_ok(skep_db_exec(f->db, OLD_LOCK("4", "99999", "9999999999999"), &err), err);
  assert_ok(skep_txn_housekeep(f->db, &f->conf, NULL, &err), err);
  assert_rows(f, "SELECT \"HL_LOCK_EXT_ID\" FROM \"HIVE_LOCKS\" ORDER BY 1", "1\n");
}

/* --- removals --- */

/* Those that are removable, claimed or not: an hour later. */
static uint32_t n_removable(txn_fixture *f, skep_txn_removal **out) {
  skep_err err = {0};
  uint32_t n = 0;
  f->now_ms += 3600001;
  assert_ok(skep_txn_removal_list(f->db, &f->conf, &f->arena, 100, out, &n, &err), err);
  return n;
}

static void a_dropped_directory_waits_for_readers(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_removal *r = NULL;
  skep_txn reader = txn_begin(f, f->db, NULL, 0);
  assert_ok(skep_db_begin(f->db, SKEP_DB_WRITE, &err), err);
  assert_ok(skep_txn_removal_add(f->db, 0, "d", "t", NULL, "file:/w/d.db/t", &err), err);
  assert_ok(skep_txn_drop_records(f->db, "d", "t", NULL, &err), err);
  assert_ok(skep_db_commit(f->db, &err), err);
  /* As Hive's soft delete leaves it. */
  assert_rows(f,
              "SELECT \"CQ_ID\", \"CQ_DATABASE\", \"CQ_TABLE\", \"CQ_PARTITION\", \"CQ_STATE\", \"CQ_TYPE\", "
              "\"CQ_TBLPROPERTIES\", \"CQ_NEXT_TXN_ID\" FROM \"COMPACTION_QUEUE\"",
              "1|d|t|\\N|r|a|2:8:location14:file:/w/d.db/t7:ifPurge4:true|1\n");
  assert_rows(f, "SELECT \"NCQ_NEXT\" FROM \"NEXT_COMPACTION_QUEUE_ID\"", "2\n");
  assert_int_equal(n_removable(f, &r), 0);
  skep_txn later = txn_begin(f, f->db, NULL, 0);
  assert_ok(skep_txn_commit(f->db, reader.id, NULL, 0, NULL, NULL, &err), err);
  assert_int_equal(n_removable(f, &r), 1); /* `later` cannot know the table */
  assert_string_equal(r[0].location, "file:/w/d.db/t");
  assert_string_equal(r[0].database, "d");
  assert_null(r[0].partition);
  /* Claimed: nobody else is given it, until the claim is an hour old. */
  uint32_t n = 1;
  skep_txn_removal *other = NULL;
  assert_ok(skep_txn_removal_list(f->db, &f->conf, &f->arena, 100, &other, &n, &err), err);
  assert_int_equal(n, 0);
  bool pending = false;
  const struct {
    const char *location;
    bool pending;
  } cases[] = {{"file:/w/d.db/t", true}, {"file:/w/d.db/t/", true},   {"file:/w/d.db/t/p=1", true},
               {"file:/w/d.db", true},   {"file:/w/d.db/t2", false},  {"file:/w/d.db/u", false},
               {"file:/w/d", false},     {"file:/w/./d.db//t", true}, {"file:///w/d.db/t/.", true},
               {"/w/d.db/t", true}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_ok(skep_txn_removal_pending(f->db, cases[i].location, &pending, &err), err);
    if (pending != cases[i].pending) fail_msg("%s", cases[i].location);
  }
  assert_ok(skep_txn_removal_forget(f->db, r[0].id, &err), err);
  assert_int_equal(n_removable(f, &r), 0);
  assert_ok(skep_txn_removal_pending(f->db, "file:/w/d.db/t", &pending, &err), err);
  assert_false(pending);
  assert_ok(skep_txn_commit(f->db, later.id, NULL, 0, NULL, NULL, &err), err);
}

/* Of a transactional table those who use it; of a plain one nobody knows who does. */
static void a_dropped_table_waits_for_those_who_use_it(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_removal *r = NULL;
  assert_ok(txn_write(f, f->db, "t", NULL, 'i', &err), err);
  const skep_txn_table t = {.database = "d", .table = "t"}, u = {.database = "d", .table = "u"};
  skep_txn_table tables[2] = {t, u};
  skep_txn of_t = txn_begin(f, f->db, &tables[0], 1), of_u = txn_begin(f, f->db, &tables[1], 1);
  assert_ok(skep_txn_removal_add(f->db, 0, "d", "t", "p=1", "file:/w/t/p=1", &err), err);
  assert_ok(skep_txn_removal_add(f->db, 0, "d", "plain", NULL, "file:/w/plain", &err), err);
  assert_int_equal(n_removable(f, &r), 0);
  assert_ok(skep_txn_commit(f->db, of_t.id, NULL, 0, NULL, NULL, &err), err);
  assert_int_equal(n_removable(f, &r), 1);
  assert_string_equal(r[0].location, "file:/w/t/p=1");
  assert_ok(skep_txn_removal_forget(f->db, r[0].id, &err), err);
  /* One that does not say, as Hive's, holds back all. */
  int64_t unmarked;
  uint32_t n;
  assert_ok(skep_txn_open(f->db, &f->conf, SKEP_TXN_DEFAULT, 1, &unmarked, &n, &err), err);
  assert_ok(skep_txn_removal_add(f->db, 0, "d", "t", NULL, "file:/w/t", &err), err);
  assert_ok(skep_txn_commit(f->db, of_u.id, NULL, 0, NULL, NULL, &err), err);
  assert_int_equal(n_removable(f, &r), 1);
  assert_string_equal(r[0].location, "file:/w/plain");
  assert_ok(skep_txn_removal_forget(f->db, r[0].id, &err), err);
  assert_ok(skep_txn_abort(f->db, unmarked, SKEP_ABORT_ROLLBACK, true, &err), err);
  assert_int_equal(n_removable(f, &r), 1);
  assert_string_equal(r[0].location, "file:/w/t");
}

/* A reader of one table never holds back another's, however much of the first was dropped. */
static void many_that_wait_hide_none_that_do_not(void **state) {
  enum { DROPPED = 1200 };
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_removal *r = NULL;
  assert_ok(txn_write(f, f->db, "t", NULL, 'i', &err), err);
  assert_ok(txn_write(f, f->db, "v", NULL, 'i', &err), err);
  skep_txn_table t = {.database = "d", .table = "t"};
  skep_txn reader = txn_begin(f, f->db, &t, 1);
  assert_ok(skep_db_begin(f->db, SKEP_DB_WRITE, &err), err);
  for (int i = 0; i < DROPPED; i++)
    assert_ok(skep_txn_removal_add(f->db, 0, "d", "t", "p=1", "file:/w/t/p=1", &err), err);
  assert_ok(skep_txn_removal_add(f->db, 0, "d", "v", NULL, "file:/w/v", &err), err);
  assert_ok(skep_db_commit(f->db, &err), err);
  assert_int_equal(n_removable(f, &r), 1);
  assert_string_equal(r[0].location, "file:/w/v");
  assert_string_equal(r[0].table, "v");
  assert_ok(skep_txn_commit(f->db, reader.id, NULL, 0, NULL, NULL, &err), err);
  assert_int_equal(n_removable(f, &r), 100);
}

static void a_soft_delete_waits_from_its_commit_on(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_removal *r = NULL;
  skep_txn drop;
  assert_ok(skep_txn_begin(f->db, &f->conf, &f->arena, SKEP_TXN_SOFT_DELETE, NULL, 0, &drop, &err), err);
  assert_ok(skep_txn_removal_add(f->db, drop.id, "d", "p", "k=1", "file:/w/d.db/p/k=1", &err), err);
  skep_txn reader = txn_begin(f, f->db, NULL, 0);
  assert_ok(skep_txn_commit(f->db, drop.id, NULL, 0, NULL, NULL, &err), err);
  assert_rows(f, "SELECT \"CQ_TXN_ID\", \"CQ_NEXT_TXN_ID\" FROM \"COMPACTION_QUEUE\"", "1|2\n");
  assert_int_equal(n_removable(f, &r), 0);
  assert_ok(skep_txn_commit(f->db, reader.id, NULL, 0, NULL, NULL, &err), err);
  assert_int_equal(n_removable(f, &r), 1);
  assert_string_equal(r[0].partition, "k=1");
}

static void locations_survive_hives_map(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_removal *r = NULL;
  char long_one[1901];
  memset(long_one, 'x', 1900);
  long_one[1900] = 0;
  /* Lengths count UTF-16 units: 4 of two-byte letters, 2 of one beyond the basic plane. */
  const char *locations[] = {"/w/\xc3\xa4\xc3\xb6 %25:7:x", "/w/\xf0\x9f\x90\x9d", "/w/8:location3:abc", long_one};
  for (size_t i = 0; i < 4; i++) assert_ok(skep_txn_removal_add(f->db, 0, "d", "t", NULL, locations[i], &err), err);
  assert_rows(f, "SELECT substr(\"CQ_TBLPROPERTIES\", 1, 14) FROM \"COMPACTION_QUEUE\" WHERE \"CQ_ID\" IN (1, 2)",
              "2:8:location13\n2:8:location5:\n");
  assert_int_equal(n_removable(f, &r), 4);
  for (size_t i = 0; i < 4; i++) assert_string_equal(r[i].location, locations[i]);
  assert_fails(skep_txn_removal_add(f->db, 0, "d", "t", NULL, "", &err), SKEP_ERR_LIMIT, err, "0 bytes");
  char too_long[1902];
  memset(too_long, 'x', 1901);
  too_long[1901] = 0;
  assert_fails(skep_txn_removal_add(f->db, 0, "d", "t", NULL, too_long, &err), SKEP_ERR_LIMIT, err, "1901 bytes");
  /* Maps that are none are passed over. */
  const char *bad[] = {"",
                       "1:8:location",
                       "1:8:location99:x",
                       "9999999999999999999:8:location1:x",
                       "x8:location",
                       "1:8:location0:",
                       "1:-1:8:location"};
  assert_ok(skep_db_run(f->db, "DELETE FROM \"COMPACTION_QUEUE\" WHERE \"CQ_ID\" > 1", SKEP_NO_PARAMS, NULL, &err),
            err);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_ok(skep_db_run(f->db, "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_TBLPROPERTIES\" = ?",
                          SKEP_PARAMS(skep_p_text(bad[i])), NULL, &err),
              err);
    assert_int_equal(n_removable(f, &r), 0);
  }
  assert_ok(skep_db_run(f->db, "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_TBLPROPERTIES\" = '2:8:location1:x1:a-1:'",
                        SKEP_NO_PARAMS, NULL, &err),
            err);
  assert_int_equal(n_removable(f, &r), 1);
}

/* --- objects --- */

static void dropped_and_renamed_objects_take_their_rows(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  const char *counts =
      "SELECT (SELECT count(*) FROM \"COMPLETED_TXN_COMPONENTS\" WHERE \"CTC_TABLE\" = 't'), (SELECT count(*) FROM "
      "\"TXN_TO_WRITE_ID\" WHERE \"T2W_TABLE\" = 't'), (SELECT count(*) FROM \"NEXT_WRITE_ID\" WHERE \"NWI_TABLE\" = "
      "'t'), "
      "(SELECT count(*) FROM \"WRITE_SET\" WHERE \"WS_TABLE\" = 't'), (SELECT count(*) FROM \"COMPACTION_QUEUE\" WHERE "
      "\"CQ_TABLE\" = 't')";
  assert_ok(txn_write(f, f->db, "t", "p=1", 'd', &err), err);
  assert_ok(txn_write(f, f->db, "t", "p=2", 'd', &err), err);
  assert_ok(txn_write(f, f->db, "u", "p=1", 'd', &err), err);
  assert_ok(skep_txn_removal_add(f->db, 0, "d", "t", "p=1", "/w/t/p=1", &err), err);
  assert_rows(f, counts, "2|2|1|2|1\n");
  assert_ok(skep_txn_drop_records(f->db, "d", "t", "p=1", &err), err);
  assert_rows(f, counts, "1|2|1|2|1\n");
  assert_ok(skep_txn_rename_partition(f->db, "d", "t", "p=2", "p=3", &err), err);
  assert_rows(f, "SELECT \"CTC_PARTITION\" FROM \"COMPLETED_TXN_COMPONENTS\" WHERE \"CTC_TABLE\" = 't'", "p=3\n");
  assert_ok(skep_txn_rename_table(f->db, "d", "t", "e", "v", &err), err);
  assert_rows(f, counts, "0|0|0|0|1\n"); /* the removal keeps its name */
  assert_rows(f, "SELECT * FROM \"NEXT_WRITE_ID\" ORDER BY 2", "d|u|2\ne|v|3\n");
  int64_t next = 0;
  assert_ok(skep_txn_drop_records(f->db, "e", "v", NULL, &err), err);
  assert_ok(skep_txn_next_write_id(f->db, "e", "v", &next, &err), err);
  assert_int_equal(next, 1); /* a new table of the name begins anew */
  assert_ok(skep_txn_drop_records(f->db, "d", NULL, NULL, &err), err);
  assert_rows(f, "SELECT count(*) FROM \"NEXT_WRITE_ID\"", "0\n");
  assert_rows(f, "SELECT count(*) FROM \"COMPACTION_QUEUE\"", "1\n");
}

static void converted_tables_are_seeded(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  assert_ok(skep_txn_seed_write_id(f->db, "s11", "buck", 10000000, &err), err);
  skep_txn_table t = {.database = "s11", .table = "buck"};
  txn_begin(f, f->db, &t, 1);
  assert_string_equal(t.valid_write_ids, "s11.buck:10000000:9223372036854775807::");
  t.write = 'd';
  txn_begin(f, f->db, &t, 1);
  assert_int_equal(t.write_id, 10000001); /* golden 19: NEXT_WRITE_ID of s11.buck is 10000003 after two writes */
  assert_ok(skep_txn_seed_write_id(f->db, "s11", "buck", 5, &err), err);
  int64_t next = 0;
  assert_ok(skep_txn_next_write_id(f->db, "s11", "buck", &next, &err), err);
  assert_int_equal(next, 10000002);
}

static void batches_get_consecutive_write_ids(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  int64_t ids[10], write_ids[10], again[10];
  uint32_t n = 0;
  f->conf.max_open_batch = 3;
  assert_ok(skep_txn_open(f->db, &f->conf, SKEP_TXN_DEFAULT, 10, ids, &n, &err), err);
  assert_int_equal(n, 3); /* silently capped */
  assert_rows(f, "SELECT * FROM \"MIN_HISTORY_LEVEL\"", "1|1\n2|1\n3|1\n");
  assert_ok(skep_txn_allocate_write_ids(f->db, ids, 3, "d", "t", write_ids, &err), err);
  for (int i = 0; i < 3; i++) assert_int_equal(write_ids[i], i + 1);
  assert_ok(skep_txn_allocate_write_ids(f->db, ids, 3, "d", "t", again, &err), err);
  assert_memory_equal(write_ids, again, 3 * sizeof ids[0]);
  assert_ok(skep_txn_open(f->db, &f->conf, SKEP_TXN_DEFAULT, 1, ids + 3, &n, &err), err);
  assert_fails(skep_txn_allocate_write_ids(f->db, ids, 4, "d", "t", again, &err), SKEP_ERR_INTERNAL, err,
               "3 of 4 transactions have a write id");
  assert_ok(skep_txn_abort(f->db, ids[0], SKEP_ABORT_NONE, false, &err), err);
  assert_fails(skep_txn_allocate_write_ids(f->db, ids, 1, "d", "t", again, &err), SKEP_ERR_ABORTED, err, "txnid:1");
  int64_t wrong[] = {3, 2};
  assert_fails(skep_txn_allocate_write_ids(f->db, wrong, 2, "d", "t", again, &err), SKEP_ERR_ARGUMENT, err,
               "ascending");
}

/* --- recovery --- */

static void a_new_start_of_the_machine_is_recovered_once(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  bool needed = true;
  assert_ok(skep_txn_recovery_needed(f->db, &needed, &err), err);
  assert_false(needed);
  skep_db_opts opts = SKEP_DB_OPTS_DEFAULT;
  opts.boot_id = "boot-2";
  opts.busy_wait_ms = 20;
  skep_db *db = NULL, *other = NULL;
  assert_ok(skep_db_open(&f->ctx, f->url, &opts, &db, &err), err);
  assert_ok(skep_db_open(&f->ctx, f->url, &opts, &other, &err), err);
  assert_ok(txn_write(f, db, "t", NULL, 'i', &err), err); /* durable, but works */
  assert_ok(skep_txn_recovery_needed(db, &needed, &err), err);
  assert_true(needed && skep_db_in_write(db));
  assert_fails(skep_txn_recovery_needed(other, &needed, &err), SKEP_ERR_BUSY, err, "locked");
  assert_ok(skep_txn_recovery_done(db, false, &err), err); /* could not do it */
  assert_ok(skep_txn_recovery_needed(other, &needed, &err), err);
  assert_true(needed);
  assert_ok(skep_txn_recovery_done(other, true, &err), err);
  assert_ok(skep_txn_recovery_needed(db, &needed, &err), err);
  assert_false(needed || skep_db_in_transaction(db));
  skep_db_close(db);
  skep_db_close(other);
}

/* --- golden 19-metastore --- */

static void load(txn_fixture *f, const char *file, const char *sql, int n_columns) {
  char path[512], line[512];
  snprintf(path, sizeof path, "%s/tests/data/hive/metastore-19/%s", SKEP_SOURCE_DIR, file);
  FILE *in = fopen(path, "r");
  assert_non_null(in);
  skep_err err = {0};
  while (fgets(line, sizeof line, in) != NULL) {
    skep_param params[8];
    char *at = line;
    for (int i = 0; i < n_columns; i++) {
      size_t length = strcspn(at, "\t\n");
      params[i] = skep_p_textn(at, length);
      if (length == 2 && memcmp(at, "\\N", 2) == 0) params[i] = skep_p_null();
      at += length + 1;
    }
    assert_ok(skep_db_run(f->db, sql, params, (size_t)n_columns, NULL, &err), err);
  }
  fclose(in);
}

/* What a real metastore held, and the lists that Hive gave over it. */
static void lists_equal_those_of_a_real_metastore(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  assert_ok(skep_db_begin(f->db, SKEP_DB_WRITE, &err), err);
  assert_ok(skep_db_run(f->db, "DELETE FROM \"TXNS\"", SKEP_NO_PARAMS, NULL, &err), err);
  load(f, "txns.tsv",
       "INSERT INTO \"TXNS\" (\"TXN_ID\", \"TXN_STATE\", \"TXN_STARTED\", \"TXN_TYPE\", \"TXN_LAST_HEARTBEAT\", "
       "\"TXN_USER\", "
       "\"TXN_HOST\") VALUES (?, ?, ?, ?, 0, '', '')",
       4);
  load(f, "txn_to_write_id.tsv",
       "INSERT INTO \"TXN_TO_WRITE_ID\" (\"T2W_TXNID\", \"T2W_DATABASE\", \"T2W_TABLE\", \"T2W_WRITEID\") VALUES (?, "
       "?, ?, ?)",
       4);
  load(f, "next_write_id.tsv",
       "INSERT INTO \"NEXT_WRITE_ID\" (\"NWI_DATABASE\", \"NWI_TABLE\", \"NWI_NEXT\") VALUES (?, ?, ?)", 3);
  assert_ok(skep_db_commit(f->db, &err), err);
  skep_txn txn;
  f->now_ms += 3600 * 1000; /* nobody awaits a number any more */
  assert_ok(skep_txn_snapshot(f->db, &f->arena, &f->conf, 0, &txn, &err), err);
  char path[512], line[1024];
  snprintf(path, sizeof path, "%s/tests/data/hive/metastore-19/valid_txns.txt", SKEP_SOURCE_DIR);
  FILE *in = fopen(path, "r");
  assert_true(in != NULL && fgets(line, sizeof line, in) != NULL);
  fclose(in);
  line[strcspn(line, "\n")] = 0;
  assert_string_equal(strchr(txn.valid_txns, ':'), strchr(line, ':')); /* the high watermark is later by 21 */
  snprintf(path, sizeof path, "%s/tests/data/hive/metastore-19/lists.tsv", SKEP_SOURCE_DIR);
  in = fopen(path, "r");
  assert_non_null(in);
  int n = 0;
  for (; fgets(line, sizeof line, in) != NULL; n++) {
    line[strcspn(line, "\n")] = 0;
    char database[64], table[64];
    assert_int_equal(sscanf(line, "%63[^.].%63[^:]", database, table), 2);
    skep_txn_table t = {.database = database, .table = table};
    assert_ok(skep_txn_valid_write_ids(f->db, &f->arena, &txn.txns, database, table, &t.ids, &err), err);
    skep_buf text;
    skep_buf_init(&text, &f->ctx, 1 << 16);
    skep_txn_ids_print(&t.ids, database, table, &text);
    assert_string_equal(skep_buf_string(&text), line);
    skep_buf_fini(&text);
  }
  fclose(in);
  assert_true(n > 40);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_dead_process_is_timed_out, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(the_time_out_changes_only_while_nothing_is_open, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(rows_without_use_go, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(what_an_open_transaction_needs_stays, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(an_abort_without_files_is_forgotten, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(the_command_aborts_what_is_open, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(a_dropped_directory_waits_for_readers, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(locks_outside_of_transactions_end_with_their_heartbeat, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(locks_of_transactions_that_are_not_there_block_nobody_for_ever, txn_setup,
                                      txn_teardown),
      cmocka_unit_test_setup_teardown(a_dropped_table_waits_for_those_who_use_it, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(many_that_wait_hide_none_that_do_not, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(a_soft_delete_waits_from_its_commit_on, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(locations_survive_hives_map, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(dropped_and_renamed_objects_take_their_rows, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(converted_tables_are_seeded, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(batches_get_consecutive_write_ids, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(a_new_start_of_the_machine_is_recovered_once, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(lists_equal_those_of_a_real_metastore, txn_setup, txn_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
