/* A metastore that is put back to an older state than its warehouse: nobody writes, until somebody says what the newer
 * files are. */
#include "sql/session_int.h"
#include "support/warehouse.h"

typedef struct fixture {
  warehouse w;
  int64_t now_ms;
  char told[2000];
} fixture;

static int64_t clock_of(void *self) { return *(int64_t *)self; }

static int setup(void **state) {
  static fixture f;
  *state = &f;
  memset(&f, 0, sizeof f);
  f.now_ms = 1795979454135;
  warehouse_open(&f.w);
  f.w.ctx.clock_ms = clock_of;
  f.w.ctx.clock_self = &f.now_ms;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  warehouse_close(&f->w);
  return 0;
}

/* An hour later, as another process would see it. */
static void later(fixture *f) {
  f->now_ms += 3600 * 1000;
  warehouse_reopen(&f->w);
}

static void copy(fixture *f, const char *from, const char *to) {
  char path[2][200];
  skep_buf bytes;
  snprintf(path[0], sizeof path[0], "%s/%s", f->w.dir, from);
  snprintf(path[1], sizeof path[1], "%s/%s", f->w.dir, to);
  skep_buf_init(&bytes, &f->w.ctx, 1 << 26);
  assert_ok(skep_fs_read_whole(f->w.fs, path[0], &bytes, &f->w.err), f->w.err);
  FILE *file = fopen(path[1], "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
  fclose(file);
  skep_buf_fini(&bytes);
}

static void backup(fixture *f) {
  skep_session_close(f->w.session); /* the last one: the log is in the file */
  copy(f, "metastore.sqlite", "backup");
  warehouse_session(&f->w);
}

static void restore(fixture *f) {
  char path[200];
  skep_session_close(f->w.session);
  copy(f, "backup", "metastore.sqlite");
  static const char *const logs[] = {"-wal", "-shm"};
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/metastore.sqlite%s", f->w.dir, logs[i]);
    (void)remove(path);
  }
  warehouse_session(&f->w);
}

/* Row 1 is in the backup, row 2 is not. */
static void make(fixture *f) {
  warehouse_run(&f->w, "CREATE TABLE t (a INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  warehouse_run(&f->w, "CREATE TABLE u (a INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  warehouse_run(&f->w, "INSERT INTO t VALUES (1)");
  backup(f);
  warehouse_run(&f->w, "INSERT INTO t VALUES (2)");
  warehouse_run(&f->w, "INSERT INTO u VALUES (9)");
  later(f);
}

static void say(void *self, const char *line) {
  fixture *f = self;
  size_t n = strlen(f->told);
  snprintf(f->told + n, sizeof f->told - n, "%s\n", line);
}

static void who_writes_is_refused(void **state) {
  fixture *f = *state;
  make(f);
  restore(f);
  assert_non_null(strstr(skep_session_notice(f->w.session, 0), "the metastore is older than its warehouse"));
  static const char *const writes[] = {"INSERT INTO t VALUES (3)", "UPDATE t SET a = 4", "DELETE FROM t",
                                       "TRUNCATE TABLE u"};
  for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
    warehouse_fails(&f->w, writes[i], "until skep metastore reseed says what the newer files are");
  assert_string_equal(warehouse_rows(&f->w, "SELECT * FROM t"), "1\n"); /* reading goes on */
  later(f);
  warehouse_fails(&f->w, "INSERT INTO t VALUES (3)", "skep metastore reseed"); /* still */
}

static void adopted_files_are_committed(void **state) {
  fixture *f = *state;
  make(f);
  restore(f);
  assert_ok(skep_session_reseed(f->w.session, SKEP_RESEED_ADOPT, say, f, &f->w.err), f->w.err);
  assert_non_null(strstr(f->told, "default.t: 1 directories of write ids 2 to 2: adopted\n"));
  assert_non_null(strstr(f->told, "default.u: 1 directories of write ids 1 to 1: adopted\n"));
  assert_string_equal(warehouse_rows(&f->w, "SELECT * FROM t ORDER BY a"), "1\n2\n");
  warehouse_run(&f->w, "INSERT INTO t VALUES (3)");
  later(f);
  assert_string_equal(warehouse_rows(&f->w, "SELECT *, ROW__ID.writeid FROM t ORDER BY a"), "1\t1\n2\t2\n3\t3\n");
  assert_string_equal(warehouse_rows(&f->w, "SELECT * FROM u"), "9\n");
}

static void hidden_files_are_not_there(void **state) {
  fixture *f = *state;
  make(f);
  restore(f);
  assert_ok(skep_session_reseed(f->w.session, SKEP_RESEED_HIDE, say, f, &f->w.err), f->w.err);
  assert_string_equal(warehouse_rows(&f->w, "SELECT * FROM t"), "1\n");
  warehouse_run(&f->w, "INSERT INTO t VALUES (3)");
  later(f);
  assert_string_equal(warehouse_rows(&f->w, "SELECT *, ROW__ID.writeid FROM t ORDER BY a"), "1\t1\n3\t3\n");
  assert_string_equal(warehouse_rows(&f->w, "SELECT * FROM u"), "");
}

/* A partition may lie anywhere below its table's directory: deeper than the table's own would. */
static void writes_of_a_deep_partition_are_found(void **state) {
  fixture *f = *state;
  char sql[300];
  warehouse_run(&f->w,
                "CREATE TABLE p (a INT) PARTITIONED BY (k INT) STORED AS ORC "
                "TBLPROPERTIES ('transactional'='true')");
  snprintf(sql, sizeof sql, "ALTER TABLE p ADD PARTITION (k=1) LOCATION '%s/p/deep/er/one'", f->w.dir);
  warehouse_run(&f->w, sql);
  warehouse_run(&f->w, "ALTER TABLE p ADD PARTITION (k=2)");
  warehouse_run(&f->w, "INSERT INTO p VALUES (1, 1), (2, 2)");
  backup(f);
  warehouse_run(&f->w, "INSERT INTO p VALUES (3, 1)");
  warehouse_run(&f->w, "INSERT INTO p VALUES (4, 1), (4, 2)");
  later(f);
  restore(f);
  assert_ok(skep_session_reseed(f->w.session, SKEP_RESEED_ADOPT, say, f, &f->w.err), f->w.err);
  assert_non_null(strstr(f->told, "default.p: 3 directories of write ids"));
  warehouse_run(&f->w, "INSERT INTO p VALUES (5, 1)");
  later(f);
  assert_string_equal(warehouse_rows(&f->w, "SELECT a, k FROM p ORDER BY a, k"),
                      "1\t1\n2\t2\n3\t1\n4\t1\n4\t2\n5\t1\n");
}

static void without_a_restore_nothing_is_refused(void **state) {
  fixture *f = *state;
  make(f);
  later(f);
  warehouse_run(&f->w, "INSERT INTO t VALUES (3)");
  assert_ok(skep_session_reseed(f->w.session, SKEP_RESEED_ADOPT, say, f, &f->w.err), f->w.err);
  assert_string_equal(f->told, "");
}

/* Each is refused with what helps, and nothing was done; the files of rows that the metastore knows are left alone. */
static void numbers_behind_their_rows_are_set_right(void **state) {
  static const struct {
    const char *spoil, *sql, *what;
  } cases[] = {
      {"INSERT INTO \"TXN_TO_WRITE_ID\" (\"T2W_TXNID\", \"T2W_DATABASE\", \"T2W_TABLE\", \"T2W_WRITEID\") VALUES (1, "
       "'default', 't', 3)",
       "INSERT INTO t VALUES (3)", "NEXT_WRITE_ID, default.t, of"},
      {"UPDATE \"NEXT_COMPACTION_QUEUE_ID\" SET \"NCQ_NEXT\" = 1", "ALTER TABLE t COMPACT 'major'",
       "NEXT_COMPACTION_QUEUE_ID of"},
      {"UPDATE \"SEQUENCE_TABLE\" SET \"NEXT_VAL\" = 1", "CREATE TABLE v (a INT)", "SEQUENCE_TABLE, MTable, of"},
  };
  fixture *f = *state;
  make(f);
  warehouse_run(&f->w, "ALTER TABLE u COMPACT 'major'");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    f->told[0] = '\0';
    assert_ok(skep_db_run(f->w.session->db, cases[i].spoil, SKEP_NO_PARAMS, NULL, &f->w.err), f->w.err);
    warehouse_fails(&f->w, cases[i].sql, cases[i].what);
    warehouse_fails(&f->w, cases[i].sql, "skep metastore reseed sets them right");
    assert_ok(skep_session_reseed(f->w.session, SKEP_RESEED_NONE, say, f, &f->w.err), f->w.err);
    assert_non_null(strstr(f->told, "goes on from "));
    assert_null(strstr(f->told, "directories"));
    warehouse_run(&f->w, cases[i].sql);
  }
  assert_string_equal(warehouse_rows(&f->w, "SELECT * FROM t ORDER BY a"), "1\n2\n3\n");
}

static void newer_files_are_not_passed_over(void **state) {
  fixture *f = *state;
  make(f);
  restore(f);
  assert_int_equal(skep_session_reseed(f->w.session, SKEP_RESEED_NONE, say, f, &f->w.err), SKEP_ERR_ARGUMENT);
  assert_non_null(strstr(f->w.err.text, "default.t: 1 directories of write ids 2 to 2 are newer than the metastore"));
  warehouse_fails(&f->w, "INSERT INTO t VALUES (3)", "skep metastore reseed"); /* still */
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(who_writes_is_refused),
      TEST(adopted_files_are_committed),
      TEST(hidden_files_are_not_there),
      TEST(writes_of_a_deep_partition_are_found),
      TEST(without_a_restore_nothing_is_refused),
      TEST(numbers_behind_their_rows_are_set_right),
      TEST(newer_files_are_not_passed_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
