/* Compactions and cleaning through statements and steps: named cases of what went wrong elsewhere (reference numbers in
 * docs/cases.md), each with readers and writers around. */
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alive.h"
#include "compact/clean_int.h"
#include "compact/why.h"
#include "lock/lock.h"
#include "support/child.h"
#include "support/compactor.h"
#include "support/metastore.h"

typedef struct fixture {
  warehouse w;
  metastore m; /* PostgreSQL's database, if it is to be one */
  compactor c;
  skep_session *other;
} fixture;

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  warehouse_place(&f->w);
  assert_ok(warehouse_init(&f->w, f->w.dir), f->w.err);
  f->w.opts.threads = 2;
  if (metastore_is_postgres()) {
    metastore_copy(&f->m, &f->w.ctx);
    f->w.opts.metastore_url = f->m.url;
  }
  warehouse_session(&f->w);
  assert_ok(skep_session_open(&f->w.opts, &f->other, &f->w.err), f->w.err);
  compactor_open(&f->c, &f->w, NULL);
  compactor_set(&f->c, "skep.compactor.silence", "0");
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  compactor_close(&f->c);
  skep_session_close(f->other);
  warehouse_close(&f->w);
  if (f->m.is_postgres) metastore_remove(&f->m, &f->w.ctx);
  free(f);
  return 0;
}

static const char *other_rows(fixture *f, const char *sql) {
  skep_status st = warehouse_try(&f->w, f->other, sql);
  assert_ok(st, f->w.err);
  return skep_buf_string(&f->w.text);
}

static const char rows[] = "SELECT id, s FROM t ORDER BY id";

static void make_table(fixture *f) {
  warehouse_run(&f->w, "SET hive.in.test=true");
  assert_string_equal(other_rows(f, "SET hive.in.test=true"), "");
  warehouse_run(&f->w, "CREATE TABLE t (id INT, s STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  warehouse_run(&f->w, "INSERT INTO t VALUES (1,'a'),(2,'b')");
  warehouse_run(&f->w, "INSERT INTO t VALUES (3,'c')");
  warehouse_run(&f->w, "DELETE FROM t WHERE id = 2");
}

/* ---- readers ---- */

/* HIVE-24291, HIVE-24302, HIVE-24444: nothing goes before the last earlier reader, and the entry says whom it waits
 * for. */
static void what_an_open_reader_sees_stays_until_it_ends(void **state) {
  fixture *f = *state;
  make_table(f);
  assert_string_equal(other_rows(f, "START TRANSACTION"), "");
  assert_string_equal(other_rows(f, rows), "1\ta\n3\tc\n");
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' AND WAIT");
  skep_compact_cleaning done = compactor_clean(&f->c);
  assert_int_equal(done.n_cleaned, 0);
  assert_int_equal(done.n_waiting, 1);
  assert_int_equal(done.n_dirs, 0);
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"COMPACTION_QUEUE\" WHERE \"CQ_STATE\" = 'r'"), 1);
  assert_string_equal(other_rows(f, rows), "1\ta\n3\tc\n");
  const char *shown = warehouse_rows(&f->w, "SHOW COMPACTIONS");
  assert_non_null(strstr(shown, "\tready for cleaning\t"));
  assert_non_null(strstr(shown, "\twaits for transaction "));
  assert_non_null(strstr(shown, " in 3 directories are held\t"));
  warehouse_run(&f->w, "INSERT INTO t VALUES (4,'d')");
  assert_string_equal(other_rows(f, rows), "1\ta\n3\tc\n");
  assert_string_equal(other_rows(f, "COMMIT"), "");
  done = compactor_clean(&f->c);
  assert_int_equal(done.n_cleaned, 1);
  assert_string_equal(warehouse_rows(&f->w, rows), "1\ta\n3\tc\n4\td\n");
  assert_null(strstr(compactor_ls(&f->c, &f->w, "t"), "delta_0000001_0000001_0000"));
  assert_non_null(strstr(compactor_ls(&f->c, &f->w, "t"), "delta_0000004_0000004_0000"));
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"COMPACTION_QUEUE\""), 0);
}

/* A reader that was stopped for too long: an error when it goes on, never fewer rows. */
static void a_reader_that_was_taken_for_dead_gets_an_error_and_not_fewer_rows(void **state) {
  fixture *f = *state;
  make_table(f);
  assert_string_equal(other_rows(f, "START TRANSACTION"), "");
  assert_string_equal(other_rows(f, rows), "1\ta\n3\tc\n");
  int64_t txn = compactor_number(&f->c, "SELECT max(\"TXN_ID\") FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o'");
  assert_ok(skep_txn_abort(f->c.db, txn, SKEP_ABORT_TIMEOUT, false, &f->c.err), f->c.err);
  warehouse_run(&f->w, "DELETE FROM t WHERE id = 1");
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' AND WAIT");
  assert_int_equal(compactor_clean(&f->c).n_cleaned, 1);
  assert_int_not_equal(warehouse_try(&f->w, f->other, rows), SKEP_OK);
  assert_non_null(strstr(f->w.err.text, "aborted"));
  assert_string_equal(other_rows(f, rows), "3\tc\n"); /* a new transaction */
}

static void a_reader_of_another_table_keeps_nothing(void **state) {
  fixture *f = *state;
  make_table(f);
  warehouse_run(&f->w, "CREATE TABLE u (id INT, s STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  assert_string_equal(other_rows(f, "START TRANSACTION"), "");
  assert_string_equal(other_rows(f, "SELECT * FROM u"), "");
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' AND WAIT");
  assert_int_equal(compactor_clean(&f->c).n_cleaned, 1);
  assert_string_equal(other_rows(f, "COMMIT"), "");
}

/* A dry run says what it would do, and does nothing. */
static void a_dry_run_removes_nothing(void **state) {
  fixture *f = *state;
  skep_compact_cleaning done;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' AND WAIT");
  const char *before = compactor_ls(&f->c, &f->w, "t");
  metastore_settle(f->c.db);
  assert_ok(skep_compact_clean(&f->c.env, true, &done, &f->c.err), f->c.err);
  assert_int_equal(done.n_dirs, 3);
  assert_non_null(strstr(skep_buf_string(&f->c.said), "would remove "));
  assert_string_equal(compactor_ls(&f->c, &f->w, "t"), before);
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"COMPACTION_QUEUE\" WHERE \"CQ_STATE\" = 'r'"), 1);
}

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

/* HIVE-25115 */
static void three_compactions_in_a_row_are_all_cleaned(void **state) {
  fixture *f = *state;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'minor' AND WAIT");
  warehouse_run(&f->w, "INSERT INTO t VALUES (4,'d')");
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'minor' AND WAIT");
  warehouse_run(&f->w, "INSERT INTO t VALUES (5,'e')");
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' AND WAIT");
  assert_int_equal(compactor_clean(&f->c).n_cleaned, 3);
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"COMPACTION_QUEUE\""), 0);
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"COMPLETED_TXN_COMPONENTS\""), 0);
  assert_string_equal(warehouse_rows(&f->w, rows), "1\ta\n3\tc\n4\td\n5\te\n");
}

/* HIVE-26010 */
static void an_entry_without_a_commit_time_is_cleaned_in_spite_of_a_retention(void **state) {
  fixture *f = *state;
  make_table(f);
  compactor_set(&f->c, "hive.compactor.delayed.cleanup.enabled", "true");
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' AND WAIT");
  assert_int_equal(compactor_clean(&f->c).n_cleaned, 0);
  compactor_sql(&f->c, "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_COMMIT_TIME\" = NULL, \"CQ_NEXT_TXN_ID\" = NULL");
  assert_int_equal(compactor_clean(&f->c).n_cleaned, 1);
}

/* HIVE-29572: Hive says "ready" before its transaction commits. */
static void an_entry_whose_transaction_was_aborted_fails_and_does_not_stop_the_others(void **state) {
  fixture *f = *state;
  make_table(f);
  warehouse_run(&f->w, "CREATE TABLE u (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  warehouse_run(&f->w, "INSERT INTO u VALUES (1)");
  warehouse_run(&f->w, "INSERT INTO u VALUES (2)");
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' AND WAIT");
  warehouse_run(&f->w, "ALTER TABLE u COMPACT 'major' AND WAIT");
  compactor_sql(&f->c,
                "UPDATE \"TXNS\" SET \"TXN_STATE\" = 'a' WHERE \"TXN_ID\" = (SELECT \"CQ_TXN_ID\" FROM "
                "\"COMPACTION_QUEUE\" WHERE \"CQ_TABLE\" = 't')");
  compactor_sql(&f->c,
                "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_NEXT_TXN_ID\" = NULL, \"CQ_COMMIT_TIME\" = NULL WHERE "
                "\"CQ_TABLE\" = 't'");
  compactor_clean(&f->c);
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"COMPACTION_QUEUE\""), 0);
  assert_int_equal(compactor_number(&f->c,
                                    "SELECT count(*) FROM \"COMPLETED_COMPACTIONS\" WHERE \"CC_STATE\" = 'f' AND "
                                    "\"CC_TABLE\" = 't'"),
                   1);
  assert_non_null(strstr(compactor_ls(&f->c, &f->w, "t"), " delta_0000001_0000001_0000 "));
  assert_string_equal(warehouse_rows(&f->w, rows), "1\ta\n3\tc\n");
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

static void who_waits_for_space_tries_less_and_less_often(void **state) {
  fixture *f = *state;
  make_table(f);
  warehouse_run(&f->w, "SET skep.compactor.reserve.mb=1000000000");
  warehouse_run(&f->w, "SET hive.compactor.wait.timeout=1500");
  int64_t before = compactor_number(&f->c, "SELECT max(\"TXN_ID\") FROM \"TXNS\"");
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' AND WAIT");
  assert_non_null(strstr(skep_session_notice(f->w.session, 1), "still has status: initiated: waits for free space"));
  int64_t after = compactor_number(&f->c, "SELECT max(\"TXN_ID\") FROM \"TXNS\"");
  assert_in_range(after - before, 1, 4); /* at 0, 200, 600 and 1400 ms */
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

/* ---- aborted transactions ---- */

static void make_partitioned(fixture *f) {
  warehouse_run(&f->w, "SET hive.in.test=true");
  warehouse_run(&f->w,
                "CREATE TABLE p (id INT) PARTITIONED BY (d INT) STORED AS ORC TBLPROPERTIES "
                "('transactional'='true')");
  warehouse_run(&f->w, "INSERT INTO p VALUES (1,1)");
}

/* Files of a transaction that the metastore knows by its placeholder only, as a killed insert leaves them: copied from
 * those of a good one. */
static int64_t dead_insert(fixture *f, const char *from, const char *to) {
  skep_txn txn;
  skep_txn_table t = {.database = "default", .table = "p", .write = 'i'};
  assert_ok(skep_txn_begin(f->c.db, &f->c.env.conf, &f->c.arena, SKEP_TXN_DEFAULT, &t, 1, &txn, &f->c.err), f->c.err);
  child_shell("mkdir -p %s/p/%s && cp -r %s/p/%s %s/p/%s/delta_%07lld_%07lld_0000", f->w.dir, to, f->w.dir, from,
              f->w.dir, to, (long long)t.write_id, (long long)t.write_id);
  assert_ok(skep_txn_abort(f->c.db, txn.id, SKEP_ABORT_ROLLBACK, false, &f->c.err), f->c.err);
  return t.write_id;
}

/* HIVE-21052 */
static void what_a_dead_insert_left_in_unknown_partitions_is_removed(void **state) {
  fixture *f = *state;
  make_partitioned(f);
  dead_insert(f, "d=1/delta_0000001_0000001_0000", "d=2");
  assert_int_equal(compactor_clean(&f->c).n_aborts, 0); /* one, and young: Hive's thresholds */
  compactor_set(&f->c, "hive.compactor.aborted.txn.time.threshold", "0");
  skep_compact_cleaning done = compactor_clean(&f->c);
  assert_int_equal(done.n_aborts, 1);
  assert_int_equal(done.n_dirs, 1);
  assert_string_equal(compactor_ls(&f->c, &f->w, "p/d=2"), "");
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"TXN_COMPONENTS\""), 0);
  assert_string_equal(warehouse_rows(&f->w, "SELECT * FROM p"), "1\t1\n");
}

/* A partition may lie inside the table's directory and be called otherwise than k=v, or lie deeper: its aborted rows
 * must not come back once the transaction is forgotten. */
static void aborted_writes_of_partitions_in_unusual_places_are_removed_too(void **state) {
  fixture *f = *state;
  char sql[300];
  static const char *const places[] = {"p/custom", "p/deep/er/two"};
  warehouse_run(&f->w,
                "CREATE TABLE p (a INT) PARTITIONED BY (k INT) STORED AS ORC "
                "TBLPROPERTIES ('transactional'='true')");
  for (int i = 0; i < 2; i++) {
    snprintf(sql, sizeof sql, "ALTER TABLE p ADD PARTITION (k=%d) LOCATION '%s/%s'", i + 1, f->w.dir, places[i]);
    warehouse_run(&f->w, sql);
  }
  warehouse_run(&f->w, "INSERT INTO p VALUES (1,1),(2,2),(3,3)");
  warehouse_run(&f->w, "START TRANSACTION");
  warehouse_run(&f->w, "INSERT INTO p VALUES (66,1),(67,2),(68,3)");
  warehouse_run(&f->w, "ROLLBACK");
  assert_non_null(strstr(compactor_ls(&f->c, &f->w, places[0]), "delta_"));
  compactor_set(&f->c, "hive.compactor.aborted.txn.time.threshold", "0");
  assert_int_equal(compactor_clean(&f->c).n_aborts, 1);
  warehouse_run(&f->w, "INSERT INTO p VALUES (4,3)");
  assert_ok(skep_txn_housekeep(f->c.db, &f->c.env.conf, NULL, &f->c.err), f->c.err);
  assert_string_equal(warehouse_rows(&f->w, "SELECT a, k FROM p ORDER BY a"), "1\t1\n2\t2\n3\t3\n4\t3\n");
}

/* HIVE-25502: only what was aborted goes then; what is obsolete has readers. */
static void cleaning_up_aborted_writes_leaves_obsolete_directories_to_their_readers(void **state) {
  fixture *f = *state;
  make_partitioned(f);
  warehouse_run(&f->w, "INSERT INTO p VALUES (2,1)");
  assert_string_equal(other_rows(f, "SET hive.in.test=true"), "");
  assert_string_equal(other_rows(f, "START TRANSACTION"), "");
  assert_string_equal(other_rows(f, "SELECT id FROM p ORDER BY id"), "1\n2\n");
  warehouse_run(&f->w, "ALTER TABLE p PARTITION (d=1) COMPACT 'major' AND WAIT");
  dead_insert(f, "d=1/delta_0000001_0000001_0000", "d=1");
  compactor_set(&f->c, "hive.compactor.aborted.txn.time.threshold", "0");
  assert_int_equal(compactor_clean(&f->c).n_aborts, 1);
  assert_non_null(
      strstr(compactor_ls(&f->c, &f->w, "p/d=1"), "delta_0000001_0000001_0000 delta_0000002_0000002_0000 "));
  assert_null(strstr(compactor_ls(&f->c, &f->w, "p/d=1"), "delta_0000003"));
  assert_string_equal(other_rows(f, "SELECT id FROM p ORDER BY id"), "1\n2\n");
  assert_string_equal(other_rows(f, "COMMIT"), "");
}

/* Hive's list of such a table names the lowest aborted id alone, as if the others were not known yet. */
static void all_aborted_writes_of_a_table_without_a_valid_one_are_cleaned_at_once(void **state) {
  fixture *f = *state;
  warehouse_run(&f->w, "SET hive.in.test=true");
  warehouse_run(&f->w, "CREATE TABLE t (id INT, s STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  for (int i = 0; i < 3; i++) {
    warehouse_run(&f->w, "START TRANSACTION");
    warehouse_run(&f->w, "INSERT INTO t VALUES (1,'a')");
    warehouse_run(&f->w, "ROLLBACK");
  }
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"TXN_COMPONENTS\""), 3);
  compactor_set(&f->c, "hive.compactor.aborted.txn.time.threshold", "0");
  skep_compact_cleaning done = compactor_clean(&f->c);
  assert_int_equal(done.n_dirs, 3);
  assert_int_equal(done.n_aborts, 3);
  assert_string_equal(compactor_ls(&f->c, &f->w, "t"), "");
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"TXN_COMPONENTS\""), 0);
}

/* HIVE-24481: a streaming delta of several write ids, one of them aborted. Made as a compaction that thinks it valid.
 */
static void make_streaming_delta(fixture *f) {
  skep_compact_result result;
  skep_type *row;
  make_table(f);
  assert_string_equal(other_rows(f, "START TRANSACTION"), "");
  assert_string_equal(other_rows(f, "INSERT INTO t VALUES (100,'never')"), "");
  assert_string_equal(other_rows(f, "ROLLBACK"), "");
  warehouse_run(&f->w, "INSERT INTO t VALUES (5,'e')");
  skep_catalog_table *t;
  assert_ok(skep_catalog_get_table(f->c.catalog, &f->c.arena, "default", "t", &t, &f->c.err), f->c.err);
  row = (skep_type *)t->columns;
  char root[128];
  snprintf(root, sizeof root, "%s/t", f->w.dir);
  const skep_compact_job job = {.fs = f->w.fs,
                                .root = root,
                                .kind = SKEP_COMPACT_INCREMENTAL,
                                .row = row,
                                .write_ids = "default.t:5:9223372036854775807::",
                                .txns = "100:9223372036854775807::",
                                .visibility_txn = 101,
                                .min_write_id = 4,
                                .max_write_id = 5,
                                .threads = 1};
  assert_ok(skep_compact_run(&f->w.ctx, &job, &f->c.arena, &result, &f->c.err), f->c.err);
  assert_int_equal(result.rows, 2);
  child_shell("cd %s && rm -r delta_0000004_0000004_0000 delta_0000005_0000005_0000 && mv %s delta_0000004_0000005",
              root, result.dirs[0]);
}

static void an_aborted_id_is_not_forgotten_while_a_file_holds_rows_of_it(void **state) {
  fixture *f = *state;
  make_streaming_delta(f);
  static const char seen[] = "1\ta\n3\tc\n5\te\n";
  assert_string_equal(warehouse_rows(&f->w, rows), seen);
  compactor_set(&f->c, "hive.compactor.aborted.txn.time.threshold", "0");
  assert_int_equal(compactor_clean(&f->c).n_aborts, 0);
  compactor_sql(&f->c, "DELETE FROM \"COMPLETED_TXN_COMPONENTS\""); /* and the compaction is skipped */
  warehouse_reopen(&f->w);
  assert_string_equal(warehouse_rows(&f->w, rows), seen);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'minor' AND WAIT");
  assert_string_equal(warehouse_rows(&f->w, rows), seen);
  assert_int_equal(compactor_clean(&f->c).n_aborts, 1);
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"TXN_COMPONENTS\""), 0);
  warehouse_reopen(&f->w);
  warehouse_run(&f->w, "INSERT INTO t VALUES (6,'f')");
  warehouse_reopen(&f->w);
  assert_string_equal(warehouse_rows(&f->w, rows), "1\ta\n3\tc\n5\te\n6\tf\n");
}

/* An incremental compaction above it does not make it forgotten either. */
static void an_incremental_compaction_forgets_only_the_ids_of_its_range(void **state) {
  fixture *f = *state;
  make_streaming_delta(f);
  compactor_set(&f->c, "skep.compactor.incremental.fan", "2");
  warehouse_run(&f->w, "INSERT OVERWRITE TABLE t SELECT * FROM t WHERE id < 0"); /* a base: nothing below it counts */
  for (int i = 0; i < 3; i++) warehouse_run(&f->w, "INSERT INTO t VALUES (7,'g')");
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'incremental'");
  skep_compact_done done = compactor_work(&f->c);
  assert_int_equal(done.state, 'r');
  assert_int_equal(done.result.min_write_id, 7);
  assert_int_equal(done.result.max_write_id, 9);
  compactor_clean(&f->c);
  assert_non_null(strstr(compactor_ls(&f->c, &f->w, "t"), "delta_0000007_0000009_v"));
  assert_null(strstr(compactor_ls(&f->c, &f->w, "t"), "delta_0000007_0000007"));
  assert_string_equal(warehouse_rows(&f->w, rows), "7\tg\n7\tg\n7\tg\n");
}

/* ---- tables that go ---- */

static void a_cleaner_that_slept_while_the_table_was_made_again_touches_nothing_of_the_new_one(void **state) {
  fixture *f = *state;
  skep_compact_cleaning counts = {0};
  skep_catalog_table *t;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' AND WAIT");
  assert_ok(skep_catalog_get_table(f->c.catalog, &f->c.arena, "default", "t", &t, &f->c.err), f->c.err);
  skep_compaction *ready;
  uint32_t n;
  bool mine;
  assert_ok(skep_compaction_list_ready(f->c.db, &f->c.arena, &ready, &n, &f->c.err), f->c.err);
  assert_ok(skep_compaction_claim(f->c.db, &ready[0], 0, &mine, &f->c.err), f->c.err);
  assert_true(mine);
  /* it is decided what goes; now it sleeps */
  char root[128];
  snprintf(root, sizeof root, "%s/t", f->w.dir);
  skep_cleaner cleaner = {.env = &f->c.env, .out = &counts};
  assert_ok(skep_txn_mutex_acquire(f->c.db, "Cleaner", 0, &cleaner.mutex, &f->c.err), f->c.err);
  const skep_clean_place place = {
      .cleaner = &cleaner, .database = "default", .table = "t", .table_id = t->id, .root = root};
  warehouse_run(&f->w, "DROP TABLE t");
  warehouse_run(&f->w, "CREATE TABLE t (id INT, s STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  warehouse_run(&f->w, "INSERT INTO t VALUES (1,'new')");
  const char *const names[] = {"delta_0000001_0000001_0000"};
  skep_status st = skep_clean_remove(&place, &f->c.arena, names, 1, &f->c.err);
  assert_int_equal(st, SKEP_ERR_CONFLICT);
  assert_non_null(strstr(f->c.err.text, "dropped, replaced or moved while it was cleaned"));
  skep_txn_mutex_release(cleaner.mutex);
  assert_string_equal(warehouse_rows(&f->w, rows), "1\tnew\n");
}

static void another_cleaners_claim_stops_the_first_one(void **state) {
  fixture *f = *state;
  bool mine;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' AND WAIT");
  skep_compaction *ready;
  uint32_t n;
  assert_ok(skep_compaction_list_ready(f->c.db, &f->c.arena, &ready, &n, &f->c.err), f->c.err);
  skep_compaction first = ready[0], second = ready[0];
  assert_ok(skep_compaction_claim(f->c.db, &first, 0, &mine, &f->c.err), f->c.err);
  assert_true(mine);
  assert_ok(skep_compaction_claim(f->c.db, &second, 3600000, &mine, &f->c.err), f->c.err);
  assert_false(mine); /* an hour has not gone by */
  second.cleaner_start_ms = first.cleaner_start_ms;
  assert_ok(skep_compaction_claim(f->c.db, &second, 0, &mine, &f->c.err), f->c.err);
  assert_true(mine);
  assert_ok(skep_compaction_check_claim(f->c.db, &first, &mine, &f->c.err), f->c.err);
  assert_false(mine);
  assert_int_equal(skep_compaction_cleaned(f->c.db, &first, 1, &f->c.err), SKEP_ERR_NOT_FOUND);
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

static void a_retention_keeps_replaced_directories_for_its_time(void **state) {
  fixture *f = *state;
  make_table(f);
  compactor_set(&f->c, "hive.compactor.delayed.cleanup.enabled", "true");
  compactor_set(&f->c, "hive.compactor.cleaner.retention.time.seconds", "300s");
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' AND WAIT");
  assert_int_equal(compactor_clean(&f->c).n_cleaned, 0);
  compactor_sql(&f->c, "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_COMMIT_TIME\" = \"CQ_COMMIT_TIME\" - 200000");
  assert_int_equal(compactor_clean(&f->c).n_cleaned, 0);
  compactor_sql(&f->c, "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_COMMIT_TIME\" = \"CQ_COMMIT_TIME\" - 100001");
  assert_int_equal(compactor_clean(&f->c).n_cleaned, 1);
}

static void a_table_that_says_no_cleanup_keeps_everything(void **state) {
  fixture *f = *state;
  make_table(f);
  warehouse_run(&f->w, "ALTER TABLE t SET TBLPROPERTIES ('no_cleanup'='true')");
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' AND WAIT");
  assert_int_equal(compactor_clean(&f->c).n_waiting, 1);
  assert_non_null(strstr(compactor_ls(&f->c, &f->w, "t"), "delta_0000001_0000001_0000"));
  warehouse_run(&f->w, "ALTER TABLE t UNSET TBLPROPERTIES ('no_cleanup')");
  assert_int_equal(compactor_clean(&f->c).n_cleaned, 1);
}

/* What is left of a truncated table, a dropped partition and a dropped table goes when nobody can see it any more. */
static void what_truncate_and_drops_leave_is_removed_after_its_readers(void **state) {
  fixture *f = *state;
  make_table(f);
  make_partitioned(f);
  assert_string_equal(other_rows(f, "START TRANSACTION"), "");
  assert_string_equal(other_rows(f, rows), "1\ta\n3\tc\n");
  assert_string_equal(other_rows(f, "SELECT id FROM p"), "1\n");
  warehouse_run(&f->w, "TRUNCATE TABLE t");
  assert_int_equal(compactor_clean(&f->c).n_dirs, 0);
  assert_string_equal(other_rows(f, rows), "1\ta\n3\tc\n");
  assert_string_equal(other_rows(f, "COMMIT"), "");
  warehouse_run(&f->w, "ALTER TABLE t COMPACT 'major' AND WAIT");
  compactor_clean(&f->c);
  assert_null(strstr(compactor_ls(&f->c, &f->w, "t"), "delta_0000001"));
  assert_string_equal(warehouse_rows(&f->w, rows), "");
  warehouse_run(&f->w, "ALTER TABLE p DROP PARTITION (d=1)");
  warehouse_run(&f->w, "DROP TABLE t");
  compactor_clean(&f->c);
  assert_string_equal(compactor_ls(&f->c, &f->w, "p"), "");
  assert_string_equal(compactor_ls(&f->c, &f->w, "t"), "");
  assert_int_equal(compactor_number(&f->c, "SELECT count(*) FROM \"COMPACTION_QUEUE\""), 0);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  if (metastore_missing()) return METASTORE_SKIPPED;
  const struct CMUnitTest tests[] = {
      TEST(what_an_open_reader_sees_stays_until_it_ends),
      TEST(a_reader_that_was_taken_for_dead_gets_an_error_and_not_fewer_rows),
      TEST(a_reader_of_another_table_keeps_nothing),
      TEST(a_dry_run_removes_nothing),
      TEST(of_five_requests_one_is_accepted_and_four_refused_with_a_reason),
      TEST(three_compactions_in_a_row_are_all_cleaned),
      TEST(an_entry_without_a_commit_time_is_cleaned_in_spite_of_a_retention),
      TEST(an_entry_whose_transaction_was_aborted_fails_and_does_not_stop_the_others),
      TEST(a_dead_workers_job_is_found_its_files_removed_and_done_again),
      TEST(a_job_that_kills_its_workers_is_given_up_with_the_reason),
      TEST(a_job_whose_process_is_gone_is_taken_over_at_once),
      TEST(what_a_worker_could_not_bring_to_an_end_it_takes_up_again),
      TEST(a_row_that_makes_no_sense_is_taken_up_like_any_other),
      TEST(who_waits_for_space_tries_less_and_less_often),
      TEST(what_a_worker_committed_after_all_is_not_removed),
      TEST(a_worker_that_was_taken_for_dead_cannot_commit),
      TEST(what_a_dead_insert_left_in_unknown_partitions_is_removed),
      TEST(aborted_writes_of_partitions_in_unusual_places_are_removed_too),
      TEST(cleaning_up_aborted_writes_leaves_obsolete_directories_to_their_readers),
      TEST(all_aborted_writes_of_a_table_without_a_valid_one_are_cleaned_at_once),
      TEST(an_aborted_id_is_not_forgotten_while_a_file_holds_rows_of_it),
      TEST(an_incremental_compaction_forgets_only_the_ids_of_its_range),
      TEST(a_cleaner_that_slept_while_the_table_was_made_again_touches_nothing_of_the_new_one),
      TEST(another_cleaners_claim_stops_the_first_one),
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
      TEST(a_retention_keeps_replaced_directories_for_its_time),
      TEST(a_table_that_says_no_cleanup_keeps_everything),
      TEST(what_truncate_and_drops_leave_is_removed_after_its_readers),
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
