/* Notes about transactions: how far they are, who wants them ended, why they were aborted. */
#include "txn/progress.h"

#include "txn/txn_testing.h"

static skep_txn begin(txn_fixture *f) {
  skep_txn_table t = {.database = "d", .table = "t", .write = 'i'};
  return txn_begin(f, f->db, &t, 1);
}

static skep_txn_full_row *rows(txn_fixture *f, bool forgotten, uint32_t *n) {
  skep_err err = {0};
  skep_txn_full_row *out;
  assert_ok(skep_txn_list_full(f->db, &f->arena, forgotten, &out, n, &err), err);
  return out;
}

static void a_beat_says_how_far_it_is(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  uint32_t n;
  skep_txn a = begin(f), b = begin(f);
  f->now_ms += 5000;
  const skep_txn_progress p = {.rows = 7, .bytes = 1234, .changed_ms = f->now_ms - 1000};
  assert_ok(skep_txn_beat(f->db, a.id, &p, &err), err);
  assert_ok(skep_txn_beat(f->db, b.id, NULL, &err), err);
  skep_txn_full_row *r = rows(f, false, &n);
  assert_int_equal(n, 2);
  assert_true(r[0].has_progress && !r[1].has_progress);
  assert_int_equal(r[0].progress.rows, 7);
  assert_int_equal(r[0].progress.bytes, 1234);
  assert_int_equal(r[0].progress.changed_ms, f->now_ms - 1000);
  assert_int_equal(r[0].row.heartbeat_ms, f->now_ms);
  assert_int_equal(r[1].row.heartbeat_ms, f->now_ms);
  assert_ok(skep_txn_abort(f->db, a.id, SKEP_ABORT_QUERY, false, &err), err);
  assert_fails(skep_txn_beat(f->db, a.id, &p, &err), SKEP_ERR_ABORTED, err, "due to abort by query command");
}

static void the_reason_of_an_abort_outlives_its_row(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  uint32_t n;
  f->conf = (skep_txn_conf){.opening_ms = f->conf.opening_ms, .user = "ann\nbob", .host = "h1", .agent = "q-1"};
  skep_txn a = begin(f);
  f->now_ms += 10;
  assert_ok(skep_txn_abort(f->db, a.id, SKEP_ABORT_STALLED, true, &err), err);
  begin(f);
  f->now_ms += 10001; /* where numbers come out of order, young rows stay */
  assert_ok(skep_txn_housekeep(f->db, &f->conf, NULL, &err), err);
  assert_rows(f, "SELECT \"TXN_ID\" FROM \"TXNS\" WHERE \"TXN_STATE\" = 'a'", "");
  rows(f, false, &n);
  assert_int_equal(n, 1);
  skep_txn_full_row *r = rows(f, true, &n);
  assert_int_equal(n, 2);
  assert_int_equal(r[0].row.id, a.id);
  assert_true(r[0].is_forgotten && r[0].row.state == 'a');
  assert_string_equal(r[0].row.reason, "stalled");
  assert_string_equal(r[0].row.user, "ann bob");
  assert_string_equal(r[0].row.host, "h1");
  assert_string_equal(r[0].row.agent, "q-1");
  assert_int_equal(r[0].row.started_ms, f->now_ms - 10001 - 10);
  assert_int_equal(r[0].aborted_ms, f->now_ms - 10001);
  const char *reason;
  assert_ok(skep_txn_abort_reason_of(f->db, &f->arena, a.id, &reason, &err), err);
  assert_string_equal(reason, "stalled");
  assert_fails(skep_txn_heartbeat(f->db, &a.id, 1, &err), SKEP_ERR_NOT_FOUND, err,
               "No such transaction: txnid:1 (it was aborted due to stalled)");
}

static void aborts_by_others_are_kept_before_their_rows_go(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn a = begin(f);
  begin(f);
  assert_ok(
      skep_db_run(f->db, "UPDATE \"TXNS\" SET \"TXN_STATE\" = 'a', \"TXN_META_INFO\" = 'by Hive' WHERE \"TXN_ID\" = 1",
                  SKEP_NO_PARAMS, NULL, &err),
      err);
  assert_ok(skep_db_run(f->db, "DELETE FROM \"TXN_COMPONENTS\" WHERE \"TC_TXNID\" = 1", SKEP_NO_PARAMS, NULL, &err),
            err);
  f->now_ms += 10001;
  assert_ok(skep_txn_housekeep(f->db, &f->conf, NULL, &err), err);
  assert_rows(f, "SELECT count(*) FROM \"TXNS\" WHERE \"TXN_ID\" = 1", "0\n");
  const char *reason;
  assert_ok(skep_txn_abort_reason_of(f->db, &f->arena, a.id, &reason, &err), err);
  assert_string_equal(reason, "by Hive");
}

static void the_longest_names_fit(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  char longest[400];
  for (size_t i = 0; i + 2 < sizeof longest; i += 2) memcpy(longest + i, "\xc3\xa4", 2);
  longest[398] = '\0';
  f->conf = (skep_txn_conf){.opening_ms = f->conf.opening_ms, .user = longest, .host = longest, .agent = longest};
  skep_txn a = begin(f);
  assert_ok(skep_txn_abort(f->db, a.id, SKEP_ABORT_TIMEOUT, false, &err), err);
  assert_rows(f, "SELECT count(*) FROM \"AUX_TABLE\" WHERE length(\"MT_COMMENT\") > 255", "0\n");
  uint32_t n;
  skep_txn_full_row *r = rows(f, true, &n);
  assert_int_equal(r[0].aborted_ms, f->now_ms);
  assert_string_equal(r[0].row.reason, "heartbeat time-out");
}

static void a_query_is_killed_by_its_id(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  int64_t txn;
  uint32_t n;
  skep_txn_kill *kills;
  f->conf = (skep_txn_conf){.opening_ms = f->conf.opening_ms, .user = "ann", .host = "h1", .agent = "q'1\""};
  skep_txn a = begin(f);
  assert_fails(skep_txn_kill_query(f->db, "q-2", "bob", &txn, &err), SKEP_ERR_NOT_FOUND, err,
               "no query runs with id 'q-2'");
  assert_ok(skep_txn_kill_query(f->db, "q'1\"", "bob@h2", &txn, &err), err);
  assert_int_equal(txn, a.id);
  assert_ok(skep_txn_kill_query(f->db, "q'1\"", "bob@h2", &txn, &err), err); /* again */
  assert_ok(skep_txn_kills(f->db, &f->arena, &kills, &n, &err), err);
  assert_int_equal(n, 1);
  assert_int_equal(kills[0].txn, a.id);
  assert_string_equal(kills[0].query, "q'1\"");
  assert_string_equal(kills[0].who, "bob@h2");
  assert_ok(skep_txn_kill_done(f->db, a.id, &err), err);
  assert_ok(skep_txn_kills(f->db, &f->arena, &kills, &n, &err), err);
  assert_int_equal(n, 0);
}

static void a_query_of_others_is_not_ours_to_kill(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  int64_t txn, id;
  uint32_t n;
  f->conf.agent = "hive-1";
  assert_ok(skep_txn_open(f->db, &f->conf, SKEP_TXN_DEFAULT, 1, &id, &n, &err), err);
  assert_fails(skep_txn_kill_query(f->db, "hive-1", "bob", &txn, &err), SKEP_ERR_UNSUPPORTED, err,
               "query 'hive-1' is not run by Skep: ABORT TRANSACTIONS 1 ends its transaction");
}

static void notes_go_with_their_transactions(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  int64_t txn;
  f->conf.agent = "q-1";
  skep_txn a = begin(f);
  const skep_txn_progress p = {.rows = 1, .changed_ms = f->now_ms};
  assert_ok(skep_txn_beat(f->db, a.id, &p, &err), err);
  assert_ok(skep_txn_kill_query(f->db, "q-1", "bob", &txn, &err), err);
  assert_ok(skep_txn_housekeep(f->db, &f->conf, NULL, &err), err);
  assert_rows(f, "SELECT count(*) FROM \"AUX_TABLE\"", "2\n");
  assert_ok(skep_txn_commit(f->db, a.id, NULL, 0, NULL, NULL, &err), err);
  assert_ok(skep_txn_housekeep(f->db, &f->conf, NULL, &err), err);
  assert_rows(f, "SELECT count(*) FROM \"AUX_TABLE\"", "0\n");
}

static void one_that_beats_and_does_nothing_is_stalled(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_stalled *stalled;
  uint32_t n;
  bool aborted;
  skep_txn idle = begin(f), busy = begin(f);
  begin(f); /* it says nothing of itself: the time-out's business */
  skep_txn_progress p = {.rows = 1, .changed_ms = f->now_ms};
  assert_ok(skep_txn_beat(f->db, idle.id, &p, &err), err);
  f->now_ms += 60000;
  assert_ok(skep_txn_beat(f->db, idle.id, &p, &err), err);
  p.changed_ms = f->now_ms - 1000;
  assert_ok(skep_txn_beat(f->db, busy.id, &p, &err), err);
  assert_ok(skep_txn_find_stalled(f->db, &f->arena, 60000, &stalled, &n, &err), err);
  assert_int_equal(n, 1);
  assert_int_equal(stalled[0].txn, idle.id);
  assert_int_equal(stalled[0].idle_ms, 60000);
  assert_ok(skep_txn_abort_stalled(f->db, busy.id, 60000, &aborted, &err), err);
  assert_false(aborted);
  assert_ok(skep_txn_abort_stalled(f->db, idle.id, 60000, &aborted, &err), err);
  assert_true(aborted);
  assert_fails(skep_txn_commit(f->db, idle.id, NULL, 0, NULL, NULL, &err), SKEP_ERR_ABORTED, err,
               "already aborted due to stalled");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, txn_setup, txn_teardown)
  const struct CMUnitTest tests[] = {
      TEST(a_beat_says_how_far_it_is),
      TEST(the_reason_of_an_abort_outlives_its_row),
      TEST(aborts_by_others_are_kept_before_their_rows_go),
      TEST(the_longest_names_fit),
      TEST(a_query_is_killed_by_its_id),
      TEST(a_query_of_others_is_not_ours_to_kill),
      TEST(notes_go_with_their_transactions),
      TEST(one_that_beats_and_does_nothing_is_stalled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
