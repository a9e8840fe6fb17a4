/* Statements whose calls fail: for every n, the n-th call of the file system, or the n-th change of the database, fails
 * (once, or from then on), or a commit is made and reported as unknown. What a statement says and what it did must
 * agree, and the session must go on. */
#include <inttypes.h>

#include "db/db.h"
#include "db/faults.h"
#include "io/faulty.h"
#include "support/warehouse.h"

typedef struct step {
  const char *sql;
  const char *rows; /* of the table afterwards */
} step;

static const char query[] = "SELECT id, v, p FROM t ORDER BY id, p";
static const char before[] = "1\ta\t0\n2\tb\t1\n";

static const step steps[] = {
    {"INSERT INTO t VALUES (3,'c',1),(4,'d',2)", "1\ta\t0\n2\tb\t1\n3\tc\t1\n4\td\t2\n"},
    {"UPDATE t SET v = upper(v) WHERE id = 2", "1\ta\t0\n2\tB\t1\n"},
    {"DELETE FROM t WHERE id = 1", "2\tb\t1\n"},
    {"MERGE INTO t USING (SELECT 2 AS k UNION ALL SELECT 7) s ON t.id = s.k WHEN MATCHED THEN UPDATE SET v = 'm' "
     "WHEN NOT MATCHED THEN INSERT VALUES (s.k, 'n', 5)",
     "1\ta\t0\n2\tm\t1\n7\tn\t5\n"},
    {"INSERT OVERWRITE TABLE t PARTITION (p=0) SELECT id + 10, v FROM t WHERE p = 0", "2\tb\t1\n11\ta\t0\n"},
    {"TRUNCATE TABLE t", ""},
};

typedef struct faulty_warehouse {
  warehouse w;
  skep_fs *posix;
  skep_db_faults faults;
} faulty_warehouse;

static int setup(void **state) {
  static faulty_warehouse f;
  memset(&f, 0, sizeof f);
  warehouse_open(&f.w);
  skep_session_close(f.w.session);
  f.posix = f.w.fs;
  assert_ok(skep_fs_faulty_new(&f.w.ctx, f.posix, &f.w.fs, &f.w.err), f.w.err);
  f.w.opts.fs = f.w.fs;
  f.w.opts.db_faults = &f.faults;
  warehouse_session(&f.w);
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  faulty_warehouse *f = *state;
  skep_session_close(f->w.session);
  f->w.session = NULL;
  skep_fs_free(f->w.fs);
  f->w.fs = f->posix;
  warehouse_close(&f->w);
  return 0;
}

static void prepare(faulty_warehouse *f) {
  warehouse_run(&f->w, "DROP TABLE IF EXISTS t");
  warehouse_run(
      &f->w,
      "CREATE TABLE t (id INT, v STRING) PARTITIONED BY (p INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  warehouse_run(&f->w, "INSERT INTO t VALUES (1,'a',0),(2,'b',1)");
}

/* The table holds what the statement's status says. */
static void judge(faulty_warehouse *f, const step *s, skep_status st, const char *what, uint64_t n) {
  char text[1024];
  snprintf(text, sizeof text, "%s", f->w.err.text);
  const char *rows = warehouse_rows(&f->w, query);
  bool done = strcmp(rows, s->rows) == 0, undone = strcmp(rows, before) == 0;
  bool agrees = st == SKEP_OK ? done : st == SKEP_ERR_IN_DOUBT ? done || undone : undone;
  if (!agrees)
    fail_msg("%s, call %" PRIu64 " of %s: says %s (%s), the table holds\n%s", what, n, s->sql, skep_status_name(st),
             st == SKEP_OK ? "" : text, rows);
  if (st != SKEP_OK) assert_true(text[0] != '\0');
  warehouse_run(&f->w, "INSERT INTO t VALUES (99,'z',9)"); /* and the session goes on */
}

typedef enum fault { FILE_ONCE, FILE_ALWAYS, DB_FAIL, DB_DOUBT } fault;

/* One statement with its n-th call failing. True: there is no n-th call. */
static bool strike(faulty_warehouse *f, const step *s, fault kind, uint64_t n) {
  static const char *const names[] = {"a file call fails", "file calls fail from there on",
                                      "a change of the database fails", "a commit is not known"};
  prepare(f);
  assert_int_equal(warehouse_try(&f->w, f->w.session, "SELECT count(*) FROM t"), SKEP_OK); /* the engine is up */
  skep_fs_counts counts = skep_fs_faulty_counts(f->w.fs);
  uint64_t calls = f->faults.calls;
  if (kind == FILE_ONCE || kind == FILE_ALWAYS) {
    skep_fs_faulty_fail_nth(f->w.fs, n, kind == FILE_ALWAYS);
  } else {
    f->faults.kind = kind == DB_FAIL ? SKEP_DB_FAULT_FAIL : SKEP_DB_FAULT_DOUBT;
    f->faults.at = calls + n;
  }
  skep_status st = warehouse_try(&f->w, f->w.session, s->sql);
  skep_fs_faulty_fail_nth(f->w.fs, 0, false);
  f->faults.at = 0;
  bool over = kind == FILE_ONCE || kind == FILE_ALWAYS ? skep_fs_faulty_counts(f->w.fs).calls - counts.calls < n
                                                       : f->faults.calls - calls < n;
  if (over) assert_int_equal(st, SKEP_OK);
  judge(f, s, st, names[kind], n);
  return over;
}

static void strike_everywhere(faulty_warehouse *f, fault kind) {
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
    uint64_t n = 1;
    while (!strike(f, &steps[i], kind, n)) n++;
    assert_true(n > 5);
  }
}

static void a_failing_file_call_fails_the_statement_alone(void **state) { strike_everywhere(*state, FILE_ONCE); }
static void a_file_system_that_went_away_fails_the_statement(void **state) { strike_everywhere(*state, FILE_ALWAYS); }
static void a_failing_database_fails_the_statement_alone(void **state) { strike_everywhere(*state, DB_FAIL); }
static void an_unknown_commit_is_settled(void **state) { strike_everywhere(*state, DB_DOUBT); }

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_failing_file_call_fails_the_statement_alone, setup, teardown),
      cmocka_unit_test_setup_teardown(a_file_system_that_went_away_fails_the_statement, setup, teardown),
      cmocka_unit_test_setup_teardown(a_failing_database_fails_the_statement_alone, setup, teardown),
      cmocka_unit_test_setup_teardown(an_unknown_commit_is_settled, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
