/* Compactions through statements and steps: named cases of what went wrong elsewhere (reference numbers in
 * docs/cases.md), workers that die, the initiator, and two of everything at once. */
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alive.h"
#include "compact/why.h"
#include "fixture.h"
#include "lock/lock.h"
#include "support/child.h"

/* ---- the queue ---- */

/* HIVE-26107 */
static void of_five_requests_one_is_accepted_and_four_refused_with_a_reason(void **state) {
  fixture *f = *state;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'minor'");
  for (int i = 0; i < 4; i++)
    warehouse_fails(&f->w, "ALTER TABLE t COMPACT 'minor'",
                    "return code 10432 from org.apache.hadoop.hive.ql.ddl.DDLTask. Compaction request for "
                    "default.tCompactionId: -1 is refused, details: Compaction is already scheduled with "
                    "state='initiated' and id=1.");
  assert_int_equal(compactor_work(&f->c).state, 'r');
  warehouse_fails(&f->w, "ALTER TABLE t COMPACT 'major'", "state='ready for cleaning' and id=1.");
  warehouse_run(&f->w, "INSERT INTO t VALUES (4,'d')");
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major'"); /* something was written since */
}

/* ---- dead workers ---- */

static skep_compaction take_next(fixture *f) {
  const skep_compaction_worker self = {.id = "vm-dead", .version = SKEP_COMPACT_VERSION};
  skep_compaction *waiting, job;
  uint32_t n;
  assert_ok(skep_compaction_list_waiting(f->c.db, &self, 10, &f->c.arena, &waiting, &n, &f->c.err), f->c.err);
  assert_int_equal(n, 1);
  assert_ok(skep_compaction_take(f->c.db, &self, waiting[0].id, &f->c.arena, &job, &f->c.err), f->c.err);
  assert_int_equal(job.state, 'w');
  return job;
}

static void a_dead_workers_job_is_found_its_files_removed_and_done_again(void **state) {
  fixture *f = *state;
  char path[256];
  skep_compaction_snapshot snapshot;
  uint32_t n_found;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major'");
  skep_compaction job = take_next(f);
  assert_ok(skep_compaction_begin(f->c.db, &f->c.env.conf, &f->c.arena, &job, &snapshot, &f->c.err), f->c.err);
  snprintf(path, sizeof path, "%s/t/base_0000003_v%07lld", f->w.dir, (long long)snapshot.txn.id);
  assert_ok(skep_fs_mkdirs(f->w.fs, path, &f->c.err), f->c.err);
  assert_ok(skep_compact_revive(&f->c.env, &f->c.arena, &n_found, &f->c.err), f->c.err);
  assert_int_equal(n_found, 0); /* it may be alive */
  assert_ok(skep_txn_abort(f->c.db, snapshot.txn.id, SKEP_ABORT_TIMEOUT, false, &f->c.err), f->c.err);
  assert_ok(skep_compact_revive(&f->c.env, &f->c.arena, &n_found, &f->c.err), f->c.err);
  assert_int_equal(n_found, 1);
  assert_null(strstr(compactor_ls(&f->c, &f->w, "t"), "base_"));
  assert_string_equal(warehouse_rows(&f->w, rows), "1\ta\n3\tc\n");
  assert_int_equal(compactor_work(&f->c).state, 'r');
  compactor_clean(&f->c);
  assert_string_equal(warehouse_rows(&f->w, rows), "1\ta\n3\tc\n");
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"TXN_COMPONENTS\""), 0);
}

static void a_job_that_kills_its_workers_is_given_up_with_the_reason(void **state) {
  fixture *f = *state;
  uint32_t n_found;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major'");
  for (int i = 0; i < 3; i++) {
    skep_compaction_snapshot snapshot;
    skep_compaction job = take_next(f);
    assert_ok(skep_compaction_begin(f->c.db, &f->c.env.conf, &f->c.arena, &job, &snapshot, &f->c.err), f->c.err);
    assert_ok(skep_txn_abort(f->c.db, snapshot.txn.id, SKEP_ABORT_TIMEOUT, false, &f->c.err), f->c.err);
    assert_ok(skep_compact_revive(&f->c.env, &f->c.arena, &n_found, &f->c.err), f->c.err);
    assert_int_equal(n_found, 1);
  }
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"COMPACTION_QUEUE\""), 0);
  assert_non_null(strstr(warehouse_rows(&f->w, "SHOW COMPACTIONS t"), "\tfailed\t"));
  assert_non_null(strstr(skep_buf_string(&f->w.text), "its worker vm-dead died (transaction "));
}

static int say_tag(const void *arg, int fd) {
  char tag[SKEP_ALIVE_TAG_SIZE];
  (void)arg;
  skep_alive_tag(tag);
  child_say(fd, tag);
  return 0;
}

/* A worker that could not write down how it ended (a full disk under the metastore too): nobody waits for the time-out.
 */
static void a_job_whose_process_is_gone_is_taken_over_at_once(void **state) {
  fixture *f = *state;
  char tag[SKEP_ALIVE_TAG_SIZE], id[100];
  skep_compaction_snapshot snapshot;
  skep_compact_reason *why;
  size_t n_why;
  uint32_t n_found;
  make_table(f);
  assert_int_equal(child_run(say_tag, NULL, tag, sizeof tag), 0);
  if (tag[0] == '\0') skip(); /* no /proc */
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major'");
  skep_compaction job = take_next(f);
  assert_ok(skep_compaction_begin(f->c.db, &f->c.env.conf, &f->c.arena, &job, &snapshot, &f->c.err), f->c.err);
  snprintf(id, sizeof id, "vm-1%s", tag);
  assert_ok(skep_db_run(f->c.db, "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_WORKER_ID\" = ?", SKEP_PARAMS(skep_p_text(id)),
                        NULL, &f->c.err),
            f->c.err);
  assert_non_null(strstr(warehouse_rows(&f->w, "SHOW COMPACTIONS"), "the process of its worker vm-1@"));
  assert_ok(skep_compact_why(&f->c.env, &f->c.arena, "default", "t", &why, &n_why, &f->c.err), f->c.err);
  assert_int_equal(n_why, 1);
  assert_non_null(strstr(why[0].why, "is gone (transaction "));
  assert_non_null(strstr(why[0].why, "): the next worker takes it over"));
  assert_ok(skep_compact_revive(&f->c.env, &f->c.arena, &n_found, &f->c.err), f->c.err);
  assert_int_equal(n_found, 1);
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o'"), 0);
  assert_int_equal(compactor_work(&f->c).state, 'r');
}

/* Whatever wrote it: nobody works on it, everybody who looks is told, and it can be removed. */
static void a_request_in_a_state_or_of_a_type_that_does_not_exist_is_told(void **state) {
  static const struct {
    const char *update, *shown, *why;
  } cases[] = {
      {"UPDATE \"COMPACTION_QUEUE\" SET \"CQ_STATE\" = 'q'", "MAJOR\tunknown",
       "its state 'q' does not exist: no worker and no cleaner takes it"},
      {"UPDATE \"COMPACTION_QUEUE\" SET \"CQ_STATE\" = 'i', \"CQ_TYPE\" = 'z'", "UNKNOWN\tinitiated",
       "its type 'z' does not exist: a worker refuses it"},
  };
  fixture *f = *state;
  skep_compact_reason *why;
  size_t n;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major'");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_ok(skep_db_run(f->c.db, cases[i].update, SKEP_NO_PARAMS, NULL, &f->c.err), f->c.err);
    const char *text = warehouse_rows(&f->w, "SHOW COMPACTIONS");
    assert_non_null(strstr(text, cases[i].shown));
    assert_non_null(strstr(text, cases[i].why));
    assert_ok(skep_compact_why(&f->c.env, &f->c.arena, "default", "t", &why, &n, &f->c.err), f->c.err);
    assert_true(n >= 1);
    assert_non_null(strstr(why[0].why, cases[i].why));
  }
  skep_compact_done done = compactor_work(&f->c);
  assert_int_equal(done.state, 'c');
  assert_non_null(strstr(done.reason, "a request of a type that does not exist"));
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major'");
  assert_ok(skep_db_run(f->c.db, cases[0].update, SKEP_NO_PARAMS, NULL, &f->c.err), f->c.err);
  assert_non_null(strstr(warehouse_rows(&f->w, "ABORT COMPACTIONS 2"), "Successfully aborted compaction"));
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"COMPACTION_QUEUE\""), 0);
}

/* The same while its process lives, once the worker has its database back; what another worker does is left alone. */
static void what_a_worker_could_not_bring_to_an_end_it_takes_up_again(void **state) {
  fixture *f = *state;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major'");
  (void)take_next(f);
  assert_ok(skep_compact_revive_own(&f->c.env, &f->c.arena, &f->c.err), f->c.err);
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"COMPACTION_QUEUE\" WHERE \"CQ_STATE\" = 'w'"), 1);
  f->c.env.worker_id = "vm-dead"; /* as take_next is */
  assert_ok(skep_compact_revive_own(&f->c.env, &f->c.arena, &f->c.err), f->c.err);
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"COMPACTION_QUEUE\" WHERE \"CQ_STATE\" = 'i'"), 1);
  assert_int_equal(compactor_work(&f->c).state, 'r');
}

/* Rows that a worker left behind in a state that it never writes itself: one must not keep all others from the service.
 */
static void a_row_that_makes_no_sense_is_taken_up_like_any_other(void **state) {
  fixture *f = *state;
  static const char *const txns[] = {"-1", "99999", "NULL"};
  make_table(f);
  for (size_t i = 0; i < sizeof txns / sizeof *txns; i++) {
    char sql[200];
    uint32_t n_found;
    warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major'");
    (void)take_next(f);
    snprintf(sql, sizeof sql,
             "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_TXN_ID\" = %s, \"CQ_START\" = NULL, \"CQ_WORKER_ID\" = NULL",
             txns[i]);
    assert_ok(skep_db_run(f->c.db, sql, SKEP_NO_PARAMS, NULL, &f->c.err), f->c.err);
    assert_ok(skep_compact_revive(&f->c.env, &f->c.arena, &n_found, &f->c.err), f->c.err);
    assert_int_equal(n_found, 1);
    assert_int_equal(compactor_work(&f->c).state, i == 0 ? 'r' : 'c');
    compactor_clean(&f->c);
  }
  assert_string_equal(warehouse_rows(&f->w, rows), "1\ta\n3\tc\n");
}

/* A clock that moves with those who sleep. */
static int64_t slept_clock(void *self) { return __atomic_load_n((int64_t *)self, __ATOMIC_SEQ_CST); }
static void sleep_by_clock(void *self, int64_t ms) { __atomic_add_fetch((int64_t *)self, ms, __ATOMIC_SEQ_CST); }

static void who_waits_for_space_tries_less_and_less_often(void **state) {
  fixture *f = *state;
  make_table(f);
  skep_ctx real = f->w.ctx;
  int64_t now_ms = real.clock_ms(real.clock_self);
  warehouse_run(&f->w, "SET skep.compactor.reserve.mb=1000000000");
  warehouse_run(&f->w, "SET hive.compactor.wait.timeout=1500");
  int64_t before = compactor_number(&f->c, "SELECT max(\"TXN_ID\") FROM \"TXNS\"");
  f->w.ctx.clock_ms = slept_clock;
  f->w.ctx.sleep_ms = sleep_by_clock;
  f->w.ctx.clock_self = &now_ms;
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' AND WAIT");
  f->w.ctx = real;
  assert_non_null(strstr(skep_session_notice(f->w.session, 1), "still has status: initiated: waits for free space"));
  int64_t after = compactor_number(&f->c, "SELECT max(\"TXN_ID\") FROM \"TXNS\"");
  assert_int_equal(after - before, 4); /* at 0, 200, 600 and 1400 ms */
}

/* Its COMMIT was on its way when the connection broke, and came to its end after the queue was looked at. */
static void what_a_worker_committed_after_all_is_not_removed(void **state) {
  fixture *f = *state;
  skep_compaction_snapshot snapshot;
  char dir[400];
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major'");
  skep_compaction job = take_next(f);
  assert_ok(skep_compaction_begin(f->c.db, &f->c.env.conf, &f->c.arena, &job, &snapshot, &f->c.err), f->c.err);
  snprintf(dir, sizeof dir, "%s/t/base_0000001_v%07lld", f->w.dir, (long long)snapshot.txn.id);
  assert_int_equal(mkdir(dir, 0777), 0);
  assert_ok(skep_db_run(f->c.db, "UPDATE \"TXNS\" SET \"TXN_STATE\" = 'c' WHERE \"TXN_ID\" = ?",
                        SKEP_PARAMS(skep_p_i64(snapshot.txn.id)), NULL, &f->c.err),
            f->c.err);
  f->c.env.worker_id = "vm-dead"; /* as take_next is */
  assert_ok(skep_compact_revive_own(&f->c.env, &f->c.arena, &f->c.err), f->c.err);
  assert_int_equal(access(dir, F_OK), 0);
}

/* A worker that was only slow finds that its job is another's. */
static void a_worker_that_was_taken_for_dead_cannot_commit(void **state) {
  fixture *f = *state;
  uint32_t n_found;
  skep_compaction_snapshot snapshot;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major'");
  skep_compaction job = take_next(f);
  assert_ok(skep_compaction_begin(f->c.db, &f->c.env.conf, &f->c.arena, &job, &snapshot, &f->c.err), f->c.err);
  assert_ok(skep_txn_abort(f->c.db, snapshot.txn.id, SKEP_ABORT_TIMEOUT, false, &f->c.err), f->c.err);
  assert_int_equal(skep_compaction_heartbeat(f->c.db, &job, snapshot.txn.id, "1%", &f->c.err), SKEP_ERR_ABORTED);
  assert_ok(skep_compact_revive(&f->c.env, &f->c.arena, &n_found, &f->c.err), f->c.err);
  assert_int_equal(compactor_work(&f->c).state, 'r');
  assert_int_equal(skep_compaction_commit(f->c.db, &job, snapshot.txn.id, 0, 3, NULL, NULL, &f->c.err),
                   SKEP_ERR_NOT_FOUND);
  assert_ok(skep_compaction_fail(f->c.db, &job, snapshot.txn.id, true, "late", &f->c.err), f->c.err);
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"COMPACTION_QUEUE\" WHERE \"CQ_STATE\" = 'r'"), 1);
}

/* ---- rebalance ---- */

/* A worker gives up at once, and the next one tries again. */
static void a_rebalance_waits_for_a_delete_that_has_read_the_old_ids(void **state) {
  fixture *f = *state;
  skep_txn txn;
  int64_t ext_id;
  skep_lock_state granted;
  skep_txn_table t = {.database = "default", .table = "t", .write = 'd'};
  make_table(f);
  assert_ok(skep_txn_begin(f->c.db, &f->c.env.conf, &f->c.arena, SKEP_TXN_DEFAULT, &t, 1, &txn, &f->c.err), f->c.err);
  const skep_lock_owner owner = {.txn = txn.id, .user = "ann", .host = "vm"};
  const skep_lock_component on = {.database = "default", .table = "t", .type = SKEP_LOCK_EXCL_WRITE};
  assert_ok(skep_lock_request(f->c.db, &owner, &on, 1, &f->c.arena, &ext_id, &granted, NULL, &f->c.err), f->c.err);
  assert_int_equal(granted, SKEP_LOCK_ACQUIRED);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'rebalance' CLUSTERED INTO 2 BUCKETS");
  skep_compact_done done = compactor_work(&f->c);
  assert_int_equal(done.state, 'i');
  assert_string_equal(done.reason, "waits for a lock: transaction 4 of ann at vm holds EXCL_WRITE");
  assert_non_null(strstr(warehouse_rows(&f->w, "SHOW COMPACTIONS"), "\tinitiated\t --- \t --- \t"));
  assert_ok(skep_txn_abort(f->c.db, txn.id, SKEP_ABORT_ROLLBACK, true, &f->c.err), f->c.err);
  assert_int_equal(compactor_work(&f->c).state, 'r');
  assert_string_equal(warehouse_rows(&f->w, rows), "1\ta\n3\tc\n");
  warehouse_run(&f->w, "DELETE FROM t WHERE id = 3");
  assert_string_equal(warehouse_rows(&f->w, rows), "1\ta\n");
}

/* The same through statements. */
static void a_rebalance_and_a_delete_in_a_transaction_take_turns(void **state) {
  fixture *f = *state;
  make_table(f);
  assert_string_equal(other_rows(f, "START TRANSACTION"), "");
  assert_string_equal(other_rows(f, "DELETE FROM t WHERE id = 1"), "");
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'rebalance'");
  assert_int_equal(compactor_work(&f->c).state, 'i');
  assert_string_equal(other_rows(f, "COMMIT"), "");
  assert_int_equal(compactor_work(&f->c).state, 'r');
  assert_string_equal(warehouse_rows(&f->w, rows), "3\tc\n");
}

/* Without locks the first committer wins, as between two writers. */
static void a_delete_that_began_before_a_rebalance_cannot_commit_after_it(void **state) {
  fixture *f = *state;
  skep_compaction_snapshot snapshot;
  skep_txn txn;
  skep_txn_table t = {.database = "default", .table = "t", .write = 'd'};
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'rebalance'");
  assert_ok(skep_txn_begin(f->c.db, &f->c.env.conf, &f->c.arena, SKEP_TXN_DEFAULT, &t, 1, &txn, &f->c.err), f->c.err);
  skep_compaction job = take_next(f);
  assert_ok(skep_compaction_begin(f->c.db, &f->c.env.conf, &f->c.arena, &job, &snapshot, &f->c.err), f->c.err);
  assert_ok(skep_compaction_commit(f->c.db, &job, snapshot.txn.id, 0, 3, NULL, NULL, &f->c.err), f->c.err);
  const skep_txn_component c = {.database = "default", .table = "t", .op = 'd', .write_id = t.write_id};
  assert_int_equal(skep_txn_commit(f->c.db, txn.id, &c, 1, NULL, NULL, &f->c.err), SKEP_ERR_CONFLICT);
}

/* ---- insert and delete of one row ---- */

static void a_row_inserted_and_deleted_in_one_transaction_stays_away_after_a_minor_compaction(void **state) {
  fixture *f = *state;
  make_table(f);
  warehouse_run(&f->w, "START TRANSACTION");
  warehouse_run(&f->w, "INSERT INTO t VALUES (50,'brief')");
  warehouse_run(&f->w, "DELETE FROM t WHERE id = 50");
  warehouse_run(&f->w, "COMMIT");
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'minor' AND WAIT");
  assert_string_equal(warehouse_rows(&f->w, rows), "1\ta\n3\tc\n");
  assert_int_equal(compactor_clean(&f->c).n_cleaned, 1);
  assert_string_equal(warehouse_rows(&f->w, rows), "1\ta\n3\tc\n");
}

/* ---- the initiator ---- */

static void the_initiator_asks_for_what_has_many_deltas_or_a_small_base(void **state) {
  fixture *f = *state;
  make_table(f);
  compactor_set(&f->c, "hive.compactor.delta.num.threshold", "3");
  assert_int_equal(compactor_initiate(&f->c).n_enqueued, 0);
  warehouse_run(&f->w, "INSERT INTO t VALUES (4,'d')");
  assert_int_equal(compactor_initiate(&f->c).n_enqueued, 1);
  skep_compact_done done = compactor_work(&f->c);
  assert_int_equal(done.state, 'r');
  assert_non_null(strstr(done.result.dirs[0], "base_0000004_v")); /* no base yet: major */
  assert_int_equal(compactor_initiate(&f->c).n_enqueued, 0);
  warehouse_run(&f->w, "INSERT INTO t VALUES (5,'e')");
  assert_int_equal(compactor_initiate(&f->c).n_enqueued, 1); /* more than a tenth of the base */
  assert_non_null(strstr(skep_buf_string(&f->c.said), "MAJOR compaction: "));
}

static void the_initiator_respects_tables_that_say_no_and_their_own_thresholds(void **state) {
  fixture *f = *state;
  make_table(f);
  warehouse_run(&f->w,
                "ALTER TABLE t SET TBLPROPERTIES ('NO_AUTO_COMPACTION'='true', "
                "'compactorthreshold.hive.compactor.delta.num.threshold'='1')");
  assert_int_equal(compactor_initiate(&f->c).n_enqueued, 0);
  warehouse_run(&f->w, "ALTER TABLE t SET TBLPROPERTIES ('NO_AUTO_COMPACTION'='false')");
  warehouse_run(&f->w, "ALTER TABLE t SET TBLPROPERTIES ('skep.compaction.paused'='true')");
  warehouse_run(&f->w, "INSERT INTO t VALUES (4,'d')");
  assert_int_equal(compactor_initiate(&f->c).n_enqueued, 0);
  warehouse_run(&f->w, "ALTER TABLE t SET TBLPROPERTIES ('skep.compaction.paused'='false')");
  assert_int_equal(compactor_initiate(&f->c).n_enqueued, 1);
}

static void after_two_failures_the_initiator_backs_off(void **state) {
  fixture *f = *state;
  make_table(f);
  compactor_set(&f->c, "hive.compactor.delta.num.threshold", "1");
  for (int i = 0; i < 2; i++) {
    assert_int_equal(compactor_initiate(&f->c).n_enqueued, 1);
    skep_compaction job = take_next(f);
    assert_ok(skep_compaction_fail(f->c.db, &job, 0, true, "the disk is full", &f->c.err), f->c.err);
    warehouse_run(&f->w, "INSERT INTO t VALUES (4,'d')");
  }
  skep_compact_initiated done = compactor_initiate(&f->c);
  assert_int_equal(done.n_enqueued, 0);
  assert_int_equal(done.n_failed, 1);
  assert_non_null(strstr(warehouse_rows(&f->w, "SHOW COMPACTIONS STATUS 'did not initiate'"), "last attempts failed"));
  compactor_set(&f->c, "hive.compactor.initiator.failed.retry.time", "1ms");
  warehouse_run(&f->w, "INSERT INTO t VALUES (4,'d')");
  assert_int_equal(compactor_initiate(&f->c).n_enqueued, 1);
}

/* ---- the worker's conditions ---- */

static void paused_tables_and_closed_windows_hold_jobs_back(void **state) {
  fixture *f = *state;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major'");
  warehouse_run(&f->w, "ALTER TABLE t SET TBLPROPERTIES ('skep.compaction.paused'='true')");
  assert_int_equal(compactor_work(&f->c).id, 0);
  warehouse_run(&f->w, "ALTER TABLE t SET TBLPROPERTIES ('skep.compaction.paused'='false')");
  compactor_set(&f->c, "skep.compactor.window", "00:00-00:00"); /* never, but what a person asked for */
  assert_int_equal(compactor_work(&f->c).state, 'r');
}

static void jobs_with_priority_come_first_and_pools_are_left_to_their_workers(void **state) {
  fixture *f = *state;
  skep_compact_done done;
  static const char *const tables[] = {"low", "high", "pooled"};
  char sql[200];
  for (int i = 0; i < 3; i++) {
    snprintf(sql, sizeof sql, "CREATE TABLE %s (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true'%s)",
             tables[i], i == 1 ? ", 'skep.compact.priority'='5'" : "");
    warehouse_run(&f->w, sql);
    for (int k = 0; k < 2; k++) {
      snprintf(sql, sizeof sql, "INSERT INTO %s VALUES (1)", tables[i]);
      warehouse_run(&f->w, sql);
    }
  }
  warehouse_run(&f->w, "ALTER TABLE pooled COMPACT 'major' POOL 'night'");
  compactor_set(&f->c, "hive.compactor.delta.num.threshold", "1");
  assert_int_equal(compactor_initiate(&f->c).n_enqueued, 2);
  int64_t high = compactor_number(&f->c, "SELECT \"CQ_ID\" FROM \"COMPACTION_QUEUE\" WHERE \"CQ_TABLE\" = 'high'");
  int64_t pooled = compactor_number(&f->c, "SELECT \"CQ_ID\" FROM \"COMPACTION_QUEUE\" WHERE \"CQ_TABLE\" = 'pooled'");
  assert_int_equal(compactor_work(&f->c).id, high);
  assert_int_not_equal(compactor_work(&f->c).id, 0);
  assert_int_equal(compactor_work(&f->c).id, 0); /* the pool's is left */
  assert_ok(skep_compact_work_once(&f->c.env, 0, "day", &f->c.arena, &done, &f->c.err), f->c.err);
  assert_int_equal(done.id, 0);
  assert_ok(skep_compact_work_once(&f->c.env, 0, "night", &f->c.arena, &done, &f->c.err), f->c.err);
  assert_int_equal(done.id, pooled);
  assert_int_equal(done.state, 'r');
}

/* Half a day later any worker takes what its pool did not. */
static void what_a_pool_leaves_too_long_is_taken_by_others(void **state) {
  fixture *f = *state;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' POOL 'night'");
  assert_int_equal(compactor_work(&f->c).id, 0);
  compactor_sql(&f->c, "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_ENQUEUE_TIME\" = \"CQ_ENQUEUE_TIME\" - 43200001");
  assert_int_equal(compactor_work(&f->c).state, 'r');
}

static void a_job_waits_for_free_space_and_says_so(void **state) {
  fixture *f = *state;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major'");
  compactor_set(&f->c, "skep.compactor.reserve.mb", "8000000000"); /* no disk has that */
  skep_compact_done done = compactor_work(&f->c);
  assert_int_equal(done.state, 'i');
  assert_non_null(strstr(done.reason, "waits for free space: "));
  assert_null(strstr(compactor_ls(&f->c, &f->w, "t"), "base_"));
  skep_compact_reason *why;
  size_t n;
  assert_ok(skep_compact_why(&f->c.env, &f->c.arena, "default", "t", &why, &n, &f->c.err), f->c.err);
  assert_non_null(strstr(why[0].why, "waits for free space: "));
  compactor_set(&f->c, "skep.compactor.reserve.mb", "1");
  assert_int_equal(compactor_work(&f->c).state, 'r');
}

/* hive.compactor.clean.aborts.using.cleaner = false: too many aborted writes ask for a major compaction, an old one for
 * a minor one. */
static void where_aborts_are_left_to_it_the_initiator_asks_because_of_them(void **state) {
  fixture *f = *state;
  make_table(f);
  for (int i = 0; i < 3; i++) {
    warehouse_run(&f->w, "START TRANSACTION");
    warehouse_run(&f->w, "INSERT INTO t VALUES (9,'x')");
    warehouse_run(&f->w, "ROLLBACK");
  }
  compactor_set(&f->c, "hive.compactor.clean.aborts.using.cleaner", "false");
  assert_int_equal(compactor_initiate(&f->c).n_enqueued, 0);
  compactor_set(&f->c, "hive.compactor.aborted.txn.time.threshold", "0s");
  metastore_settle(f->c.db);
  assert_int_equal(compactor_initiate(&f->c).n_enqueued, 1);
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"COMPACTION_QUEUE\" WHERE \"CQ_TYPE\" = 'i'"), 1);
  assert_non_null(strstr(warehouse_rows(&f->w, "ABORT COMPACTIONS 1"), "\tSuccess\t"));
  compactor_set(&f->c, "hive.compactor.abortedtxn.threshold", "2");
  assert_int_equal(compactor_initiate(&f->c).n_enqueued, 1);
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"COMPACTION_QUEUE\" WHERE \"CQ_TYPE\" = 'a'"), 1);
  assert_int_equal(compactor_work(&f->c).state, 'r');
  compactor_clean(&f->c);
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"TXN_COMPONENTS\""), 0);
  assert_string_equal(warehouse_rows(&f->w, rows), "1\ta\n3\tc\n");
}

static void a_table_that_is_gone_has_its_job_refused(void **state) {
  fixture *f = *state;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major'");
  compactor_sql(&f->c, "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_TABLE\" = 'nope'");
  skep_compact_done done = compactor_work(&f->c);
  assert_int_equal(done.state, 'c');
  assert_non_null(strstr(done.reason, "Table default.nope was dropped"));
}

static void statistics_are_those_of_the_new_base(void **state) {
  fixture *f = *state;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' AND WAIT");
  const char *text = warehouse_rows(&f->w, "SHOW TBLPROPERTIES t");
  assert_non_null(strstr(text, "numFiles\t1\n"));
  assert_non_null(strstr(text, "numRows\t2\n"));
  assert_non_null(strstr(text, "COLUMN_STATS_ACCURATE\t{\"BASIC_STATS\":\"true\""));
}

/* ---- statements ---- */

static void abort_compactions_answers_each_id(void **state) {
  fixture *f = *state;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major'");
  assert_string_equal(warehouse_rows(&f->w, "ABORT COMPACTIONS 1 77"),
                      "CompactionId\tStatus\tMessage\n1\tSuccess\tSuccessfully aborted compaction\n77\tError\tNo Such "
                      "Compaction Id Available\n");
  assert_non_null(strstr(warehouse_rows(&f->w, "SHOW COMPACTIONS COMPACTIONID=1"), "\taborted\t"));
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' AND WAIT");
  assert_non_null(strstr(warehouse_rows(&f->w, "ABORT COMPACTIONS 2"),
                         "2\tError\tError while aborting compaction as "
                         "compaction is in state-ready for cleaning"));
}

static void compactions_can_be_ordered_and_limited(void **state) {
  fixture *f = *state;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'minor' POOL 'iceberg'");
  warehouse_run(&f->w, "CREATE TABLE a (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  warehouse_run(&f->w, "ALTER TABLE a COMPACT 'major'");
  const char *text = warehouse_rows(&f->w, "SHOW COMPACTIONS ORDER BY 'tabname' DESC LIMIT 1");
  assert_non_null(strstr(text, "\n1\tdefault\tt\t"));
  assert_null(strstr(text, "\n2\t"));
  text = warehouse_rows(&f->w, "SHOW COMPACTIONS POOL 'iceberg'");
  assert_non_null(strstr(text, "\n1\t"));
  assert_null(strstr(text, "\n2\t"));
  text = warehouse_rows(&f->w, "SHOW COMPACTIONS POOL 'default'"); /* the stored pool is NULL */
  assert_null(strstr(text, "\n2\t"));
  assert_int_equal(compactor_work(&f->c).id, 2); /* the pool's own workers take the other */
}

static void a_partitioned_table_without_partition_is_asked_for_where_it_is_needed(void **state) {
  fixture *f = *state;
  make_partitioned(f);
  warehouse_run(&f->w, "SET hive.compactor.delta.num.threshold=1");
  warehouse_run(&f->w, "INSERT INTO p VALUES (2,1),(3,2)");
  warehouse_run(&f->w, "ALTER TABLE p COMPACT 'major' AND WAIT");
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"COMPACTION_QUEUE\""), 1);
  warehouse_fails(&f->w, "ALTER TABLE p PARTITION (d=9) COMPACT 'major'", "Error 10006]: Partition not found {d=9}");
  warehouse_fails(&f->w, "ALTER TABLE p PARTITION (x=9) COMPACT 'major'", "x");
  warehouse_run(&f->w, "CREATE TABLE two (a INT) PARTITIONED BY (d INT, h INT)");
  warehouse_fails(&f->w, "ALTER TABLE two PARTITION (d=9) COMPACT 'major'",
                  "Error 10299]: Alter table partition type compact does not allow partial partition spec");
}

/* ---- races ---- */

typedef struct racer {
  compactor c;
  uint32_t n_done;
} racer;

static void *race_work(void *self) {
  racer *r = self;
  for (;;) {
    skep_compact_done done = compactor_work(&r->c);
    if (done.id == 0) return NULL;
    assert_int_equal(done.state, 'r');
    r->n_done++;
  }
}

static void *race_clean(void *self) {
  racer *r = self;
  for (int i = 0; i < 10; i++) r->n_done += compactor_clean(&r->c).n_cleaned;
  return NULL;
}

static uint32_t race(fixture *f, void *(*run)(void *)) {
  racer racers[2];
  pthread_t threads[2];
  static const char *const ids[] = {"vm-1", "vm-2"};
  for (int i = 0; i < 2; i++) {
    racers[i].n_done = 0;
    compactor_open(&racers[i].c, &f->w, NULL);
    compactor_set(&racers[i].c, "skep.compactor.threads", "1");
    racers[i].c.env.worker_id = ids[i];
  }
  for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, run, &racers[i]), 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  uint32_t n = racers[0].n_done + racers[1].n_done;
  for (int i = 0; i < 2; i++) compactor_close(&racers[i].c);
  return n;
}

static void two_workers_and_two_cleaners_do_everything_once(void **state) {
  fixture *f = *state;
  enum { TABLES = 8 };
  char sql[200];
  for (int i = 0; i < TABLES; i++) {
    snprintf(sql, sizeof sql, "CREATE TABLE r%d (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')", i);
    warehouse_run(&f->w, sql);
    for (int k = 0; k < 3; k++) {
      snprintf(sql, sizeof sql, "INSERT INTO r%d VALUES (%d)", i, k);
      warehouse_run(&f->w, sql);
    }
    snprintf(sql, sizeof sql, "ALTER TABLE r%d COMPACT '%s'", i, i % 2 == 0 ? "major" : "minor");
    warehouse_run(&f->w, sql);
  }
  assert_int_equal(race(f, race_work), TABLES);
  assert_int_equal(race(f, race_clean), TABLES);
  for (int i = 0; i < TABLES; i++) {
    snprintf(sql, sizeof sql, "SELECT id FROM r%d ORDER BY id", i);
    assert_string_equal(warehouse_rows(&f->w, sql), "0\n1\n2\n");
    snprintf(sql, sizeof sql, "r%d", i);
    assert_null(strstr(compactor_ls(&f->c, &f->w, sql), "_0000 "));
  }
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"COMPACTION_QUEUE\""), 0);
}

int main(void) {
  if (metastore_missing()) return METASTORE_SKIPPED;
  const struct CMUnitTest tests[] = {
      TEST(of_five_requests_one_is_accepted_and_four_refused_with_a_reason),
      TEST(a_dead_workers_job_is_found_its_files_removed_and_done_again),
      TEST(a_job_that_kills_its_workers_is_given_up_with_the_reason),
      TEST(a_job_whose_process_is_gone_is_taken_over_at_once),
      TEST(a_request_in_a_state_or_of_a_type_that_does_not_exist_is_told),
      TEST(what_a_worker_could_not_bring_to_an_end_it_takes_up_again),
      TEST(a_row_that_makes_no_sense_is_taken_up_like_any_other),
      TEST(who_waits_for_space_tries_less_and_less_often),
      TEST(what_a_worker_committed_after_all_is_not_removed),
      TEST(a_worker_that_was_taken_for_dead_cannot_commit),
      TEST(a_rebalance_waits_for_a_delete_that_has_read_the_old_ids),
      TEST(a_rebalance_and_a_delete_in_a_transaction_take_turns),
      TEST(a_delete_that_began_before_a_rebalance_cannot_commit_after_it),
      TEST(a_row_inserted_and_deleted_in_one_transaction_stays_away_after_a_minor_compaction),
      TEST(the_initiator_asks_for_what_has_many_deltas_or_a_small_base),
      TEST(the_initiator_respects_tables_that_say_no_and_their_own_thresholds),
      TEST(after_two_failures_the_initiator_backs_off),
      TEST(paused_tables_and_closed_windows_hold_jobs_back),
      TEST(jobs_with_priority_come_first_and_pools_are_left_to_their_workers),
      TEST(what_a_pool_leaves_too_long_is_taken_by_others),
      TEST(a_job_waits_for_free_space_and_says_so),
      TEST(where_aborts_are_left_to_it_the_initiator_asks_because_of_them),
      TEST(a_table_that_is_gone_has_its_job_refused),
      TEST(statistics_are_those_of_the_new_base),
      TEST(abort_compactions_answers_each_id),
      TEST(compactions_can_be_ordered_and_limited),
      TEST(a_partitioned_table_without_partition_is_asked_for_where_it_is_needed),
      TEST(two_workers_and_two_cleaners_do_everything_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
