/* The queue: every transition as rows, beside what real Hive left in golden 19. */
#include "txn/compaction.h"

#include "txn/string_map.h"
#include "txn/txn_testing.h"

static const skep_compaction_worker worker = {.id = "vm-11", .version = "skep 1", .pool_timeout_ms = 12 * 3600000};

static skep_compaction_answer ask(txn_fixture *f, const char *table, const char *partition, char type) {
  const skep_compaction_request request = {.database = "d",
                                           .table = table,
                                           .partition = partition,
                                           .type = type,
                                           .initiator_id = "vm-manual",
                                           .initiator_version = "skep 1"};
  skep_compaction_answer answer;
  skep_err err = {0};
  assert_ok(skep_compaction_enqueue(f->db, &f->conf, &f->arena, &request, &answer, &err), err);
  return answer;
}

static skep_compaction take(txn_fixture *f, int64_t id) {
  skep_compaction job;
  skep_err err = {0};
  assert_ok(skep_compaction_take(f->db, &worker, id, &f->arena, &job, &err), err);
  return job;
}

static skep_compaction_snapshot begin(txn_fixture *f, const skep_compaction *job) {
  skep_compaction_snapshot s;
  skep_err err = {0};
  assert_ok(skep_compaction_begin(f->db, &f->conf, &f->arena, job, &s, &err), err);
  return s;
}

/* A cleaner does the only entry that is ready. */
static void clean(txn_fixture *f, int64_t lowest) {
  skep_compaction *ready;
  uint32_t n;
  bool mine;
  skep_err err = {0};
  assert_ok(skep_compaction_list_ready(f->db, &f->arena, &ready, &n, &err), err);
  assert_int_equal(n, 1);
  assert_ok(skep_compaction_claim(f->db, &ready[0], 0, &mine, &err), err);
  assert_true(mine);
  assert_ok(skep_compaction_cleaned(f->db, &ready[0], lowest, &err), err);
}

static void forget_txn(txn_fixture *f, int64_t txn) {
  skep_err err = {0};
  assert_ok(skep_db_run(f->db, "DELETE FROM \"TXNS\" WHERE \"TXN_ID\" = ?", SKEP_PARAMS(skep_p_i64(txn)), NULL, &err),
            err);
}

static void write_some(txn_fixture *f, int n) {
  skep_err err = {0};
  for (int i = 0; i < n; i++) assert_ok(txn_write(f, f->db, "t", NULL, 'i', &err), err);
}

static const char queue[] =
    "SELECT \"CQ_ID\", \"CQ_TABLE\", \"CQ_PARTITION\", \"CQ_STATE\", \"CQ_TYPE\", \"CQ_WORKER_ID\", \"CQ_START\", "
    "\"CQ_HIGHEST_WRITE_ID\", \"CQ_TXN_ID\", \"CQ_NEXT_TXN_ID\", \"CQ_COMMIT_TIME\" FROM \"COMPACTION_QUEUE\" ORDER BY "
    "1";
static const char history[] =
    "SELECT \"CC_ID\", \"CC_TABLE\", \"CC_STATE\", \"CC_TYPE\", \"CC_END\", \"CC_HIGHEST_WRITE_ID\", "
    "\"CC_ERROR_MESSAGE\" FROM \"COMPLETED_COMPACTIONS\" ORDER BY 1";

static void a_compaction_lives_through_hives_states(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  write_some(f, 3);
  skep_compaction_answer answer = ask(f, "t", NULL, 'a');
  assert_true(answer.accepted);
  assert_int_equal(answer.id, 1);
  assert_rows(f, queue, "1|t|\\N|i|a|\\N|\\N|\\N|\\N|\\N|\\N\n");
  f->now_ms += 10;
  skep_compaction job = take(f, 1);
  assert_rows(f, queue, "1|t|\\N|w|a|vm-11|1795979454145|\\N|\\N|\\N|\\N\n");
  skep_compaction_snapshot s = begin(f, &job);
  assert_string_equal(s.valid_write_ids, "d.t:3:9223372036854775807::");
  assert_string_equal(s.valid_txns, "4:4:4:"); /* its own number is an exception */
  assert_rows(f, "SELECT * FROM \"TXN_COMPONENTS\"", "4|d|t|\\N|c|3\n");
  f->now_ms += 10;
  assert_ok(skep_compaction_heartbeat(f->db, &job, 4, "50% 1.0 MB/s 3 s left and much more than fits", &err), err);
  assert_rows(f, "SELECT \"CQ_HADOOP_JOB_ID\" FROM \"COMPACTION_QUEUE\"", "50% 1.0 MB/s 3 s left and much m\n");
  assert_ok(skep_compaction_commit(f->db, &job, 4, 0, 3, NULL, NULL, &err), err);
  assert_rows(f, queue, "1|t|\\N|r|a|\\N|1795979454145|3|4|4|1795979454155\n");
  assert_rows(f, "SELECT * FROM \"TXN_COMPONENTS\"", "");
  clean(f, 1);
  assert_rows(f, queue, "");
  assert_rows(f, history, "1|t|s|a|1795979454155|3|\\N\n");
  assert_rows(f, "SELECT count(*) FROM \"COMPLETED_TXN_COMPONENTS\"", "0\n");
}

/* The answer of the commit was lost, and by now all rows of the transaction are gone, one way or the other. */
static void a_commit_in_doubt_is_settled_also_without_its_row(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  bool committed = true;
  write_some(f, 2);
  assert_true(ask(f, "t", NULL, 'a').accepted);
  skep_compaction job = take(f, 1);
  skep_compaction_snapshot s = begin(f, &job);
  assert_ok(skep_compaction_commit(f->db, &job, s.txn.id, 0, 2, NULL, NULL, &err), err);
  assert_ok(skep_compaction_settle(f->db, &job, s.txn.id, &committed, &err), err);
  assert_true(committed);
  forget_txn(f, s.txn.id);
  assert_ok(skep_compaction_settle(f->db, &job, s.txn.id, &committed, &err), err);
  assert_true(committed);
  clean(f, 1);
  assert_ok(skep_compaction_settle(f->db, &job, s.txn.id, &committed, &err), err);
  assert_true(committed);
  assert_ok(skep_db_exec(f->db, "DELETE FROM \"COMPLETED_COMPACTIONS\"", &err), err);
  assert_int_equal(skep_compaction_settle(f->db, &job, s.txn.id, &committed, &err), SKEP_ERR_IN_DOUBT);
}

/* Reaped while its worker slept, and given to another one. */
static void an_abort_in_doubt_is_no_commit_also_without_its_row(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  bool committed = true;
  write_some(f, 2);
  assert_true(ask(f, "t", NULL, 'a').accepted);
  skep_compaction job = take(f, 1);
  skep_compaction_snapshot s = begin(f, &job);
  assert_ok(skep_compaction_retry(f->db, &job, s.txn.id, true, true, "its worker died", &err), err);
  forget_txn(f, s.txn.id);
  assert_ok(skep_compaction_settle(f->db, &job, s.txn.id, &committed, &err), err);
  assert_false(committed);
  skep_compaction again = take(f, 1);
  skep_compaction_snapshot second = begin(f, &again);
  assert_ok(skep_compaction_settle(f->db, &job, s.txn.id, &committed, &err), err);
  assert_false(committed);
  assert_ok(skep_compaction_settle(f->db, &again, second.txn.id, &committed, &err), err); /* open: ends it */
  assert_false(committed);
  assert_rows(f, "SELECT \"TXN_STATE\" FROM \"TXNS\" WHERE \"TXN_STATE\" <> 'c'", "a\n");
}

/* The compactor's list: aborted ids stay, everything from the lowest open one on does not count. */
static void the_list_of_a_worker_ends_below_the_lowest_open_write(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  write_some(f, 1);
  skep_txn_table t = {.database = "d", .table = "t", .write = 'i'};
  skep_txn aborted = txn_begin(f, f->db, &t, 1);
  assert_ok(skep_txn_abort(f->db, aborted.id, SKEP_ABORT_ROLLBACK, false, &err), err);
  write_some(f, 1);
  (void)txn_begin(f, f->db, &t, 1); /* open: write id 4 */
  write_some(f, 1);
  assert_true(ask(f, "t", NULL, 'i').accepted);
  skep_compaction job = take(f, 1);
  skep_compaction_snapshot s = begin(f, &job);
  assert_string_equal(s.valid_write_ids, "d.t:3:4::2");
  assert_rows(f, "SELECT \"CQ_HIGHEST_WRITE_ID\" FROM \"COMPACTION_QUEUE\"", "3\n");
}

static void a_second_request_is_refused_with_hives_sentence(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  write_some(f, 2);
  assert_true(ask(f, "t", NULL, 'a').accepted);
  assert_true(ask(f, "t", "p=1", 'a').accepted); /* another resource */
  skep_compaction_answer answer = ask(f, "t", NULL, 'i');
  assert_false(answer.accepted);
  assert_int_equal(answer.id, -1);
  assert_int_equal(answer.blocking_id, 1);
  assert_string_equal(answer.reason, "Compaction is already scheduled with state='initiated' and id=1");
  skep_compaction job = take(f, 1);
  assert_string_equal(ask(f, "t", NULL, 'i').reason, "Compaction is already scheduled with state='working' and id=1");
  skep_compaction_snapshot s = begin(f, &job);
  assert_ok(skep_compaction_commit(f->db, &job, s.txn.id, 0, 2, NULL, NULL, &err), err);
  /* golden 08: error 10432 */
  assert_string_equal(ask(f, "t", NULL, 'a').reason,
                      "Compaction is already scheduled with state='ready for cleaning' and id=1");
  write_some(f, 1);
  answer = ask(f, "t", NULL, 'a');
  assert_true(answer.accepted);
  assert_int_equal(answer.id, 3); /* refused ones take no number */
}

static void only_one_of_two_takes_a_request(void **state) {
  txn_fixture *f = *state;
  ask(f, "t", NULL, 'a');
  assert_int_equal(take(f, 1).id, 1);
  assert_int_equal(take(f, 1).id, 0);
  assert_int_equal(take(f, 77).id, 0);
}

static void enqueue_of(txn_fixture *f, const char *table, const char *pool, const char *priority) {
  skep_buf map;
  skep_compaction_answer answer;
  skep_err err = {0};
  skep_buf_init(&map, &f->ctx, 1000);
  skep_string_map_with(NULL, 0, SKEP_COMPACTION_PRIORITY, priority, &map);
  const skep_compaction_request request = {
      .database = "d", .table = table, .type = 'i', .pool = pool, .properties = skep_buf_string(&map)};
  assert_ok(skep_compaction_enqueue(f->db, &f->conf, &f->arena, &request, &answer, &err), err);
  skep_buf_fini(&map);
}

static const char *waiting(txn_fixture *f, const char *pool) {
  static char out[100];
  skep_compaction *rows;
  uint32_t n;
  skep_err err = {0};
  skep_compaction_worker w = worker;
  w.pool = pool;
  out[0] = '\0';
  assert_ok(skep_compaction_list_waiting(f->db, &w, 10, &f->arena, &rows, &n, &err), err);
  for (uint32_t i = 0; i < n; i++) snprintf(out + strlen(out), sizeof out - strlen(out), "%s ", rows[i].table);
  return out;
}

static void requests_wait_by_priority_and_pool(void **state) {
  txn_fixture *f = *state;
  enqueue_of(f, "a", NULL, NULL);
  enqueue_of(f, "b", NULL, "5");
  enqueue_of(f, "c", "slow", NULL);
  enqueue_of(f, "e", NULL, "-1");
  assert_string_equal(waiting(f, NULL), "b a e ");
  assert_string_equal(waiting(f, "slow"), "c ");
  f->now_ms += worker.pool_timeout_ms + 1; /* nobody of that pool came */
  assert_string_equal(waiting(f, NULL), "b a c e ");
}

static void a_failed_job_and_a_refused_one_stand_in_the_history(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  write_some(f, 2);
  ask(f, "t", NULL, 'a');
  skep_compaction job = take(f, 1);
  skep_compaction_snapshot s = begin(f, &job);
  assert_ok(skep_compaction_fail(f->db, &job, s.txn.id, true, "the disk is full", &err), err);
  ask(f, "t", NULL, 'i');
  job = take(f, 2);
  s = begin(f, &job);
  assert_ok(skep_compaction_refuse(f->db, &job, s.txn.id, "nothing to do", &err), err);
  assert_rows(f, history, "1|t|f|a|1795979454135|2|the disk is full\n2|t|c|i|1795979454135|2|nothing to do\n");
  assert_rows(f, "SELECT \"TXN_ID\", \"TXN_STATE\" FROM \"TXNS\" WHERE \"TXN_ID\" > 2", "3|a\n4|c\n");
  assert_rows(f, "SELECT count(*) FROM \"TXN_COMPONENTS\"", "0\n");
}

static void a_cleaning_that_fails_waits_twice_as_long_each_time_and_is_given_up(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  bool mine;
  write_some(f, 1);
  ask(f, "t", NULL, 'a');
  skep_compaction job = take(f, 1);
  skep_compaction_snapshot s = begin(f, &job);
  assert_ok(skep_compaction_commit(f->db, &job, s.txn.id, 0, 1, NULL, NULL, &err), err);
  static const char *const retentions[] = {"300000\n", "600000\n", "1200000\n"};
  for (int i = 0; i < 3; i++) {
    assert_ok(skep_compaction_claim(f->db, &job, 0, &mine, &err), err);
    assert_true(mine);
    assert_ok(skep_compaction_clean_failed(f->db, &job, "no permission", 300000, 3, &err), err);
    assert_rows(f, "SELECT \"CQ_RETRY_RETENTION\" FROM \"COMPACTION_QUEUE\"", retentions[i]);
  }
  assert_ok(skep_compaction_claim(f->db, &job, 0, &mine, &err), err);
  assert_ok(skep_compaction_clean_failed(f->db, &job, "no permission", 300000, 3, &err), err);
  assert_rows(f, history, "1|t|f|a|1795979454135|1|no permission\n");
}

static void an_incremental_compaction_leaves_what_is_below_its_range(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  write_some(f, 5);
  ask(f, "t", NULL, 'i');
  skep_compaction job = take(f, 1);
  skep_compaction_snapshot s = begin(f, &job);
  assert_ok(skep_compaction_commit(f->db, &job, s.txn.id, 2, 4, NULL, NULL, &err), err);
  assert_rows(f, "SELECT \"CQ_HIGHEST_WRITE_ID\", \"CQ_TBLPROPERTIES\" FROM \"COMPACTION_QUEUE\"",
              "4|1:19:skep.compact.lowest1:2\n");
  clean(f, 2);
  assert_rows(f, "SELECT \"CTC_WRITEID\" FROM \"COMPLETED_TXN_COMPONENTS\" ORDER BY 1", "1\n5\n");
}

static void put_history(txn_fixture *f, int id, char state, char type, int64_t end) {
  skep_err err = {0};
  assert_ok(
      skep_db_run(f->db,
                  "INSERT INTO \"COMPLETED_COMPACTIONS\" (\"CC_ID\", \"CC_DATABASE\", \"CC_TABLE\", \"CC_STATE\", "
                  "\"CC_TYPE\", \"CC_END\") VALUES (?, 'd', 't', ?, ?, ?)",
                  SKEP_PARAMS(skep_p_i64(id), skep_p_char(state), skep_p_char(type), skep_p_i64(end)), NULL, &err),
      err);
}

/* txn-protocol 9.9 */
static void the_history_keeps_the_latest_of_each_kind(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  uint64_t n;
  const skep_compaction_retention keep = {
      .succeeded = 2, .failed = 2, .did_not_initiate = 1, .refused = 1, .timeout_ms = 7 * 86400000LL};
  int64_t old = f->now_ms - 8 * 86400000LL;
  put_history(f, 1, 's', 'i', old);
  put_history(f, 2, 'f', 'a', old); /* goes: old, and a major one succeeded since */
  put_history(f, 3, 's', 'a', f->now_ms);
  put_history(f, 4, 'f', 'a', old); /* old, but only minor ones succeeded since */
  put_history(f, 5, 's', 'i', f->now_ms);
  put_history(f, 6, 'a', 'i', f->now_ms);
  put_history(f, 7, 'a', 'i', f->now_ms);
  put_history(f, 8, 'c', 'i', f->now_ms);
  assert_ok(skep_compaction_purge(f->db, &keep, &n, &err), err);
  assert_rows(f, "SELECT \"CC_ID\" FROM \"COMPLETED_COMPACTIONS\" ORDER BY 1", "3\n4\n5\n7\n8\n");
  assert_int_equal(n, 3);
}

static void candidates_are_those_that_were_written_since(void **state) {
  txn_fixture *f = *state;
  skep_compaction_candidate *c;
  uint32_t n;
  skep_err err = {0};
  assert_ok(txn_write(f, f->db, "a", NULL, 'i', &err), err);
  assert_ok(txn_write(f, f->db, "b", "p=1", 'i', &err), err);
  assert_ok(txn_write(f, f->db, "a", NULL, 'i', &err), err);
  assert_ok(skep_compaction_candidates(f->db, 0, 10, &f->arena, &c, &n, &err), err);
  assert_int_equal(n, 2);
  assert_string_equal(c[0].table, "a"); /* the longest waiting first */
  assert_string_equal(c[1].partition, "p=1");
  assert_ok(skep_compaction_candidates(f->db, 3, 10, &f->arena, &c, &n, &err), err);
  assert_int_equal(n, 1);
  assert_int_equal(c[0].highest_write_id, 2);
  assert_false(c[0].is_queued);
  ask(f, "a", NULL, 'a');
  assert_ok(skep_compaction_candidates(f->db, 3, 10, &f->arena, &c, &n, &err), err);
  assert_true(c[0].is_queued);
}

static void requests_that_cannot_be_stored_are_refused(void **state) {
  txn_fixture *f = *state;
  skep_compaction_answer answer;
  skep_err err = {0};
  char *longer = calloc(1, 3000);
  memset(longer, 'x', 2100);
  skep_compaction_request r = {.database = "d", .table = "t", .type = 'z'};
  assert_int_equal(skep_compaction_enqueue(f->db, &f->conf, &f->arena, &r, &answer, &err), SKEP_ERR_ARGUMENT);
  r.type = 'a';
  r.properties = longer;
  assert_int_equal(skep_compaction_enqueue(f->db, &f->conf, &f->arena, &r, &answer, &err), SKEP_ERR_LIMIT);
  assert_string_equal(err.text, "properties of a compaction with more than 2048 bytes");
  free(longer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, txn_setup, txn_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(a_compaction_lives_through_hives_states),
      TEST(a_commit_in_doubt_is_settled_also_without_its_row),
      TEST(an_abort_in_doubt_is_no_commit_also_without_its_row),
      TEST(the_list_of_a_worker_ends_below_the_lowest_open_write),
      TEST(a_second_request_is_refused_with_hives_sentence),
      TEST(only_one_of_two_takes_a_request),
      TEST(requests_wait_by_priority_and_pool),
      TEST(a_failed_job_and_a_refused_one_stand_in_the_history),
      TEST(a_cleaning_that_fails_waits_twice_as_long_each_time_and_is_given_up),
      TEST(an_incremental_compaction_leaves_what_is_below_its_range),
      TEST(the_history_keeps_the_latest_of_each_kind),
      TEST(candidates_are_those_that_were_written_since),
      TEST(requests_that_cannot_be_stored_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
