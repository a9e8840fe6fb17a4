/* A disk that fails: syncs of the log that report an error, files that cannot grow. */
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>

#include "txn/txn_testing.h"

/* --- a file system for SQLite whose syncs of the log fail when told to --- */

static bool fail_log_syncs;

typedef struct shim_file {
  sqlite3_file base;
  sqlite3_file *inner; /* follows in the same block */
  bool is_log;
} shim_file;

static sqlite3_file *inner_of(sqlite3_file *file) { return ((shim_file *)file)->inner; }

static int shim_sync(sqlite3_file *file, int flags) {
  if (fail_log_syncs && ((shim_file *)file)->is_log) return SQLITE_IOERR_FSYNC;
  return inner_of(file)->pMethods->xSync(inner_of(file), flags);
}

#define PASS0(name, ret) \
  static ret shim_##name(sqlite3_file *f) { return inner_of(f)->pMethods->x##name(inner_of(f)); }
#define PASS1(name, ret, A) \
  static ret shim_##name(sqlite3_file *f, A a) { return inner_of(f)->pMethods->x##name(inner_of(f), a); }
#define PASS2(name, ret, A, B) \
  static ret shim_##name(sqlite3_file *f, A a, B b) { return inner_of(f)->pMethods->x##name(inner_of(f), a, b); }
#define PASS3(name, ret, A, B, C)                                \
  static ret shim_##name(sqlite3_file *f, A a, B b, C c) {       \
    return inner_of(f)->pMethods->x##name(inner_of(f), a, b, c); \
  }
PASS0(Close, int)
PASS3(Read, int, void *, int, sqlite3_int64)
PASS3(Write, int, const void *, int, sqlite3_int64)
PASS1(Truncate, int, sqlite3_int64)
PASS1(FileSize, int, sqlite3_int64 *)
PASS1(Lock, int, int)
PASS1(Unlock, int, int)
PASS1(CheckReservedLock, int, int *)
PASS2(FileControl, int, int, void *)
PASS0(SectorSize, int)
PASS0(DeviceCharacteristics, int)
PASS3(ShmLock, int, int, int, int)
PASS0(ShmBarrier, void)
PASS1(ShmUnmap, int, int)

static int shim_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out) {
  return inner_of(f)->pMethods->xShmMap(inner_of(f), page, size, extend, out);
}

static const sqlite3_io_methods shim_methods = {.iVersion = 2,
                                                .xClose = shim_Close,
                                                .xRead = shim_Read,
                                                .xWrite = shim_Write,
                                                .xTruncate = shim_Truncate,
                                                .xSync = shim_sync,
                                                .xFileSize = shim_FileSize,
                                                .xLock = shim_Lock,
                                                .xUnlock = shim_Unlock,
                                                .xCheckReservedLock = shim_CheckReservedLock,
                                                .xFileControl = shim_FileControl,
                                                .xSectorSize = shim_SectorSize,
                                                .xDeviceCharacteristics = shim_DeviceCharacteristics,
                                                .xShmMap = shim_shm_map,
                                                .xShmLock = shim_ShmLock,
                                                .xShmBarrier = shim_ShmBarrier,
                                                .xShmUnmap = shim_ShmUnmap};

static sqlite3_vfs *real_vfs;

static int shim_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags) {
  (void)vfs;
  shim_file *shim = (shim_file *)file;
  shim->inner = (sqlite3_file *)(shim + 1);
  shim->is_log = (flags & SQLITE_OPEN_WAL) != 0;
  int code = real_vfs->xOpen(real_vfs, name, shim->inner, flags, out_flags);
  shim->base.pMethods = code == SQLITE_OK ? &shim_methods : NULL;
  return code;
}

static int install_shim(void **state) {
  static sqlite3_vfs vfs;
  (void)state;
  real_vfs = sqlite3_vfs_find(NULL);
  vfs = *real_vfs;
  vfs.zName = "shim";
  vfs.szOsFile = (int)sizeof(shim_file) + real_vfs->szOsFile;
  vfs.xOpen = shim_open;
  return sqlite3_vfs_register(&vfs, 1);
}

/* --- tests --- */

static void a_commit_whose_sync_fails_is_in_doubt_until_asked(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_txn_table t = {.database = "d", .table = "t", .write = 'd'};
  skep_txn txn = txn_begin(f, f->db, &t, 1);
  skep_txn_component c = {"d", "t", NULL, 'd', t.write_id};
  fail_log_syncs = true;
  assert_fails(skep_txn_commit(f->db, txn.id, &c, 1, NULL, NULL, &err), SKEP_ERR_IN_DOUBT, err,
               "transaction txnid:1: the outcome of a commit is not known");
  /* The log cannot be made safe either: nobody is told anything. */
  assert_fails(skep_txn_abort(f->db, txn.id, SKEP_ABORT_ROLLBACK, false, &err), SKEP_ERR_IO, err,
               "cannot be made safe");
  skep_txn other;
  assert_fails(skep_txn_begin(f->db, &f->conf, &f->arena, SKEP_TXN_DEFAULT, NULL, 0, &other, &err), SKEP_ERR_IO, err,
               "after an earlier failure");
  fail_log_syncs = false;
  /* The disk is well again: the answer is that it was committed, and that is true from now on. */
  assert_fails(skep_txn_abort(f->db, txn.id, SKEP_ABORT_ROLLBACK, false, &err), SKEP_ERR_NOT_FOUND, err,
               "it is committed");
  skep_db_close(f->db);
  f->db = txn_connect(f, NULL);
  assert_rows(f, "SELECT \"TXN_STATE\" FROM \"TXNS\" WHERE \"TXN_ID\" = 1", "c\n");
  assert_rows(f, "SELECT count(*) FROM \"COMPLETED_TXN_COMPONENTS\"", "1\n");
  assert_ok(txn_write(f, f->db, "t", NULL, 'd', &err), err);
}

/* A process that ends in doubt: the log holds the whole commit, and the next one who reads it finds it. */
static void a_commit_in_doubt_may_be_found_later(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_db_close(f->db);
  f->db = NULL;
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    skep_db *db = txn_connect(f, NULL);
    skep_txn_table t = {.database = "d", .table = "t", .write = 'd'};
    skep_txn txn = txn_begin(f, db, &t, 1);
    skep_txn_component c = {"d", "t", NULL, 'd', t.write_id};
    fail_log_syncs = true;
    _exit(skep_txn_commit(db, txn.id, &c, 1, NULL, NULL, &err) == SKEP_ERR_IN_DOUBT ? 0 : 1);
  }
  int code = 0;
  assert_int_equal(waitpid(pid, &code, 0), pid);
  assert_int_equal(code, 0);
  f->db = txn_connect(f, NULL);
  const char *states =
      txn_rows(f,
               "SELECT \"TXN_STATE\", (SELECT count(*) FROM \"COMPLETED_TXN_COMPONENTS\") FROM \"TXNS\" "
               "WHERE \"TXN_ID\" = 1");
  if (strcmp(states, "o|0\n") != 0 && strcmp(states, "c|1\n") != 0) fail_msg("%s", states);
  skep_status status = skep_txn_abort(f->db, 1, SKEP_ABORT_ROLLBACK, false, &err);
  assert_int_equal(status, states[0] == 'o' ? SKEP_OK : SKEP_ERR_NOT_FOUND);
}

/* A full disk, as the limit of a file's size: whatever fails, fails clearly, and what was committed stays. */
static void a_file_that_cannot_grow_loses_nothing(void **state) {
  txn_fixture *f = *state;
  skep_err err = {0};
  skep_db_close(f->db);
  f->db = NULL;
  for (rlim_t room = 0; room < 60000; room += 3000) {
    int pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
      skep_db *db = txn_connect(f, NULL);
      struct rlimit limit = {.rlim_cur = 300000 + room, .rlim_max = RLIM_INFINITY};
      signal(SIGXFSZ, SIG_IGN);
      setrlimit(RLIMIT_FSIZE, &limit);
      int n = 0;
      skep_status status;
      while ((status = txn_write(f, db, "t", NULL, 'i', &err)) == SKEP_OK && n < 1000) n++;
      ssize_t told = write(pipe_ends[1], &n, sizeof n);
      _exit(told == sizeof n && (status == SKEP_ERR_IO || status == SKEP_ERR_IN_DOUBT) && err.text[0] != 0 ? 0 : 1);
    }
    int code = 0, n = 0;
    assert_int_equal(waitpid(pid, &code, 0), pid);
    assert_int_equal(code, 0);
    assert_int_equal(read(pipe_ends[0], &n, sizeof n), sizeof n);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    f->db = txn_connect(f, NULL);
    int64_t committed = 0;
    assert_ok(skep_db_get_i64(f->db, "SELECT count(*) FROM \"COMPLETED_TXN_COMPONENTS\"", SKEP_NO_PARAMS, &committed,
                              NULL, &err),
              err);
    assert_true(committed == n || committed == n + 1); /* the last one may have been in doubt */
    uint64_t n_faults = 0;
    assert_ok(skep_schema_validate(f->db, NULL, NULL, &n_faults, &err), err);
    assert_ok(skep_db_run(f->db, "DELETE FROM \"COMPLETED_TXN_COMPONENTS\"", SKEP_NO_PARAMS, NULL, &err), err);
    skep_db_close(f->db);
    f->db = NULL;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_commit_whose_sync_fails_is_in_doubt_until_asked, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(a_commit_in_doubt_may_be_found_later, txn_setup, txn_teardown),
      cmocka_unit_test_setup_teardown(a_file_that_cannot_grow_loses_nothing, txn_setup, txn_teardown),
  };
  return cmocka_run_group_tests(tests, install_shim, NULL);
}
