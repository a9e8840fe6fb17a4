/* Cleaning through statements and steps: named cases of what went wrong elsewhere (reference numbers in docs/cases.md),
 * with readers, aborted writes and tables that go. */
#include "compact/clean_int.h"
#include "fixture.h"
#include "support/child.h"

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

/* ---- entries ---- */

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

/* ---- aborted transactions ---- */

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

/* ---- what holds it back ---- */

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

int main(void) {
  if (metastore_missing()) return METASTORE_SKIPPED;
  const struct CMUnitTest tests[] = {
      TEST(what_an_open_reader_sees_stays_until_it_ends),
      TEST(a_reader_that_was_taken_for_dead_gets_an_error_and_not_fewer_rows),
      TEST(a_reader_of_another_table_keeps_nothing),
      TEST(a_dry_run_removes_nothing),
      TEST(three_compactions_in_a_row_are_all_cleaned),
      TEST(an_entry_without_a_commit_time_is_cleaned_in_spite_of_a_retention),
      TEST(an_entry_whose_transaction_was_aborted_fails_and_does_not_stop_the_others),
      TEST(what_a_dead_insert_left_in_unknown_partitions_is_removed),
      TEST(aborted_writes_of_partitions_in_unusual_places_are_removed_too),
      TEST(cleaning_up_aborted_writes_leaves_obsolete_directories_to_their_readers),
      TEST(all_aborted_writes_of_a_table_without_a_valid_one_are_cleaned_at_once),
      TEST(an_aborted_id_is_not_forgotten_while_a_file_holds_rows_of_it),
      TEST(an_incremental_compaction_forgets_only_the_ids_of_its_range),
      TEST(a_cleaner_that_slept_while_the_table_was_made_again_touches_nothing_of_the_new_one),
      TEST(another_cleaners_claim_stops_the_first_one),
      TEST(a_retention_keeps_replaced_directories_for_its_time),
      TEST(a_table_that_says_no_cleanup_keeps_everything),
      TEST(what_truncate_and_drops_leave_is_removed_after_its_readers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
