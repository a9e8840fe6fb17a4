/* Several processes on one warehouse, and processes that end at every call that changes the database. */
#include "txn/txn_testing.h"

enum { N_PROCESSES = 3, N_ROUNDS = 400 };

/* One process's share of the race: updates of a table of two partitions, inserts, readers. Exit code 0, or the line of
 * what went wrong. */
static int race(txn_fixture *f, int process) {
  skep_db *db = txn_connect(f, NULL);
  skep_err err = {0};
  int n_conflicts = 0;
  for (int i = 0; i < N_ROUNDS; i++) {
    skep_arena arena;
    skep_arena_init(&arena, &f->ctx, 1 << 20);
    int what = (i + process) % 4;
    skep_txn_table t = {.database = "d", .table = "t", .write = what == 0 ? 'i' : 'd'};
    if (what == 3) t.write = 0;
    skep_txn txn;
    if (skep_txn_begin(db, &f->conf, &arena, SKEP_TXN_DEFAULT, &t, 1, &txn, &err) != SKEP_OK) return __LINE__;
    if (t.write != 0 && t.write_id > t.ids.hwm) return __LINE__;
    if (txn.txns.hwm != txn.id) return __LINE__;
    skep_txn_component c = {"d", "t", what == 1 ? "p=1" : "p=2", t.write, t.write_id};
    skep_status status = skep_txn_commit(db, txn.id, &c, t.write != 0 ? 1 : 0, NULL, NULL, &err);
    if (status == SKEP_ERR_CONFLICT) {
      n_conflicts++;
    } else if (status != SKEP_OK) {
      return __LINE__;
    }
    if (i % 50 == 49 && skep_txn_housekeep(db, &f->conf, NULL, &err) != SKEP_OK) return __LINE__;
    skep_arena_fini(&arena);
  }
  skep_db_close(db);
  return 0;
}

static int wait_for(pid_t pid) {
  int code = 0;
  assert_int_equal(waitpid(pid, &code, 0), pid);
  assert_true(WIFEXITED(code));
  return WEXITSTATUS(code);
}

static void processes_race_and_nothing_is_lost(void **state) {
  txn_fixture *f = *state;
  skep_db_close(f->db); /* no connection crosses a fork */
  f->db = NULL;
  pid_t pids[N_PROCESSES];
  for (int i = 0; i < N_PROCESSES; i++) {
    pids[i] = fork();
    assert_true(pids[i] >= 0);
    if (pids[i] == 0) _exit(race(f, i));
  }
  for (int i = 0; i < N_PROCESSES; i++) assert_int_equal(wait_for(pids[i]), 0);
  f->db = txn_connect(f, NULL);
  skep_err err = {0};
  char expected[64];
  /* Every transaction got a number of its own, every writer a write id. */
  snprintf(expected, sizeof expected, "%d\n", N_PROCESSES * N_ROUNDS);
  assert_rows(f, "SELECT max(\"TXN_ID\") FROM \"TXNS\"", expected);
  snprintf(expected, sizeof expected, "%d\n", N_PROCESSES * N_ROUNDS * 3 / 4 + 1);
  assert_rows(f, "SELECT \"NWI_NEXT\" FROM \"NEXT_WRITE_ID\"", expected);
  assert_rows(f, "SELECT count(*) FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o'", "0\n");
  assert_rows(f, "SELECT count(*) FROM \"MIN_HISTORY_LEVEL\"", "0\n");
  /* No two committed changes of a partition overlap: the one that committed later began later. Inserts do as they like.
   */
  assert_rows(
      f,
      "SELECT count(*) FROM \"WRITE_SET\" A, \"WRITE_SET\" B WHERE A.\"WS_PARTITION\" = B.\"WS_PARTITION\" AND "
      "A.\"WS_TXNID\" < B.\"WS_TXNID\" AND B.\"WS_TXNID\" <= A.\"WS_COMMIT_ID\" AND A.\"WS_OPERATION_TYPE\" <> 'i' AND "
      "B.\"WS_OPERATION_TYPE\" <> 'i'",
      "0\n");
  uint64_t n_faults = 0;
  assert_ok(skep_schema_validate(f->db, NULL, NULL, &n_faults, &err), err);
  assert_int_equal(n_faults, 0);
}

/* --- crashes --- */

static skep_status also_row(void *self, skep_db *db, skep_err *err) {
  (void)self;
  return skep_db_run(db, "INSERT INTO \"AUX_TABLE\" (\"MT_KEY1\", \"MT_KEY2\") VALUES ('also', 1)", SKEP_NO_PARAMS,
                     NULL, err);
}

/* An update of one partition with a change of the catalog; an overwrite that drops a directory; house-keeping. */
static skep_status scenario(txn_fixture *f, skep_db *db, skep_err *err) {
  skep_txn_table t = {.database = "d", .table = "t", .write = 'd'};
  skep_txn txn;
  SKEP_TRY(skep_txn_begin(db, &f->conf, &f->arena, SKEP_TXN_DEFAULT, &t, 1, &txn, err));
  const skep_txn_component c[] = {{"d", "t", "p=1", 'd', t.write_id}, {"d", "t", "p=1", 'i', t.write_id}};
  SKEP_TRY(skep_txn_commit(db, txn.id, c, 2, also_row, NULL, err));
  SKEP_TRY(skep_db_begin(db, SKEP_DB_WRITE, err));
  skep_status status = skep_txn_removal_add(db, 0, "d", "u", NULL, "/w/u", err);
  if (status == SKEP_OK) status = skep_txn_drop_records(db, "d", "u", NULL, err);
  SKEP_TRY(skep_db_end(db, false, status, err));
  return skep_txn_housekeep(db, &f->conf, NULL, err);
}

static int run_scenario(txn_fixture *f, skep_db_faults *faults) {
  skep_db *db = txn_connect(f, faults);
  skep_err err = {0};
  skep_status status = scenario(f, db, &err);
  skep_db_close(db);
  return status == SKEP_OK ? 0 : status == SKEP_ERR_IN_DOUBT ? 2 : 1;
}

/* Whatever the process had done: the commit is there with all its rows, or with none of them and the write id known as
 * not valid. */
static void check_after_crash(txn_fixture *f, int round) {
  skep_err err = {0};
  const char *committed =
      txn_rows(f,
               "SELECT (SELECT count(*) FROM \"COMPLETED_TXN_COMPONENTS\" WHERE \"CTC_TABLE\" = 't'), "
               "(SELECT count(*) FROM \"AUX_TABLE\")");
  bool is_committed = strcmp(committed, "0|0\n") != 0;
  if (is_committed && strcmp(committed, "2|1\n") != 0) fail_msg("call %d: %s", round, committed);
  skep_txn_table t = {.database = "d", .table = "t"};
  skep_txn txn;
  assert_ok(skep_txn_snapshot(f->db, &f->arena, &f->conf, 0, &txn, &err), err);
  assert_ok(skep_txn_valid_write_ids(f->db, &f->arena, &txn.txns, "d", "t", &t.ids, &err), err);
  if (skep_txn_ids_valid(&t.ids, 1) != is_committed) fail_msg("call %d: committed %d", round, is_committed);
  uint64_t n_faults = 0;
  assert_ok(skep_schema_validate(f->db, NULL, NULL, &n_faults, &err), err);
  /* Its open transaction is timed out by the next who opens the warehouse, and its write id stays invalid. */
  f->now_ms += 300001;
  assert_ok(skep_txn_housekeep(f->db, &f->conf, NULL, &err), err);
  assert_rows(f, "SELECT count(*) FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o'", "0\n");
  assert_ok(txn_write(f, f->db, "t", "p=1", 'd', &err), err);
  t.valid_write_ids = NULL;
  txn_begin(f, f->db, &t, 1);
  if (t.ids.hwm > 1 && skep_txn_ids_valid(&t.ids, 1) != is_committed) fail_msg("call %d, later", round);
}

static void crash_at_every_call(skep_db_fault_kind kind) {
  for (int call = 1;; call++) {
    void *fixture;
    txn_setup(&fixture);
    txn_fixture *f = fixture;
    skep_err err = {0};
    assert_ok(txn_write(f, f->db, "u", NULL, 'i', &err), err);
    skep_db_close(f->db);
    f->db = NULL;
    skep_db_faults faults = {.at = (uint64_t)call, .kind = kind};
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) _exit(run_scenario(f, &faults));
    int code = wait_for(pid);
    f->db = txn_connect(f, NULL);
    check_after_crash(f, call);
    txn_teardown(&fixture);
    if (code == 0) {
      assert_true(call > 20);
      break;
    }
  }
}

static void a_process_may_end_before_any_call(void **state) {
  (void)state;
  crash_at_every_call(SKEP_DB_FAULT_EXIT_BEFORE);
}

static void a_process_may_end_after_any_call(void **state) {
  (void)state;
  crash_at_every_call(SKEP_DB_FAULT_EXIT_AFTER);
}

static void any_call_may_fail(void **state) {
  (void)state;
  crash_at_every_call(SKEP_DB_FAULT_FAIL);
}

/* A commit whose answer is lost is settled by asking with an abort. */
static void a_commit_in_doubt_is_settled(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_db_faults faults = {.kind = SKEP_DB_FAULT_DOUBT};
  skep_db *db = txn_connect(f, &faults);
  skep_status status = SKEP_ERR_IO;
  skep_txn txn = {0};
  for (uint64_t call = 1; status == SKEP_ERR_IO; call++) { /* the last of its calls is the commit */
    skep_txn_table t = {.database = "d", .table = "t", .write = 'd'};
    txn = txn_begin(f, db, &t, 1);
    skep_txn_component c = {"d", "t", NULL, 'd', t.write_id};
    faults.at = atomic_load(&faults.calls) + call;
    status = skep_txn_commit(db, txn.id, &c, 1, NULL, NULL, &err);
    if (status == SKEP_ERR_IO) assert_ok(skep_txn_abort(db, txn.id, SKEP_ABORT_ROLLBACK, false, &err), err);
  }
  if (status != SKEP_ERR_IN_DOUBT) fail_msg("%s: %s", skep_status_name(status), err.text);
  assert_non_null(strstr(err.text, "transaction txnid:"));
  char letter = 0;
  assert_ok(skep_txn_state(db, txn.id, &letter, NULL, NULL, &err), err);
  assert_int_equal(letter, 'c');
  assert_fails(skep_txn_abort(db, txn.id, SKEP_ABORT_ROLLBACK, false, &err), SKEP_ERR_NOT_FOUND, err,
               "it is committed");
  skep_db_close(db);
}

/* --- loss of power --- */

static size_t read_file(const char *path, char **out) {
  FILE *in = fopen(path, "rb");
  assert_non_null(in);
  assert_int_equal(fseek(in, 0, SEEK_END), 0);
  long size = ftell(in);
  rewind(in);
  *out = malloc((size_t)size + 1);
  assert_int_equal(fread(*out, 1, (size_t)size, in), size);
  fclose(in);
  return (size_t)size;
}

static void write_file(const char *path, const char *bytes, size_t size) {
  FILE *out = fopen(path, "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(bytes, 1, size, out), size);
  assert_int_equal(fclose(out), 0);
}

/* What a disk may hold when the machine stops: the log up to somewhere. Each such state is one that was, whole. */
static void a_log_cut_anywhere_is_an_earlier_state(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  char path[192], *log, *file;
  if (f->m.is_postgres) skip();
  for (int i = 0; i < 6; i++) assert_ok(txn_write(f, f->db, "t", i % 2 ? "p=1" : "p=2", i % 3 ? 'd' : 'i', &err), err);
  snprintf(path, sizeof path, "%s/m.sqlite-wal", f->m.dir);
  size_t log_size = read_file(path, &log);
  snprintf(path, sizeof path, "%s/m.sqlite", f->m.dir);
  size_t file_size = read_file(path, &file);
  skep_db_close(f->db);
  f->db = NULL;
  int64_t last = -1;
  for (size_t cut = 0; cut <= log_size; cut = cut < log_size && cut + 997 > log_size ? log_size : cut + 997) {
    metastore_remove_files(&f->m);
    write_file(path, file, file_size);
    char log_path[200];
    snprintf(log_path, sizeof log_path, "%s-wal", path);
    write_file(log_path, log, cut);
    f->db = txn_connect(f, NULL);
    skep_err check = {0};
    if (skep_schema_check(f->db, NULL, &check) == SKEP_OK) {
      uint64_t n_faults = 0;
      assert_ok(skep_schema_validate(f->db, NULL, NULL, &n_faults, &err), err);
      int64_t n = 0;
      assert_ok(
          skep_db_get_i64(f->db, "SELECT count(*) FROM \"COMPLETED_TXN_COMPONENTS\"", SKEP_NO_PARAMS, &n, NULL, &err),
          err);
      assert_true(n >= last);
      last = n;
      skep_txn txn;
      skep_txn_ids ids;
      assert_ok(skep_txn_snapshot(f->db, &f->arena, &f->conf, 0, &txn, &err), err);
      assert_ok(skep_txn_valid_write_ids(f->db, &f->arena, &txn.txns, "d", "t", &ids, &err), err);
      for (int64_t id = 1; id <= 6; id++) assert_int_equal(skep_txn_ids_valid(&ids, id), id <= n);
    }
    skep_db_close(f->db);
    f->db = NULL;
  }
  assert_int_equal(last, 6);
  free(log);
  free(file);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(processes_race_and_nothing_is_lost, txn_setup, txn_teardown),
      cmocka_unit_test(a_process_may_end_before_any_call),
      cmocka_unit_test(a_process_may_end_after_any_call),
      cmocka_unit_test(any_call_may_fail),
      cmocka_unit_test_setup_teardown(a_commit_in_doubt_is_settled, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(a_log_cut_anywhere_is_an_earlier_state, txn_setup, txn_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
