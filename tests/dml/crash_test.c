/* Statements that are stopped. A child process runs a script on a copy of a prepared warehouse and ends at its n-th
 * call that changes a file or the database, for every n until the script comes through. Another child opens the
 * warehouse again: it must show every statement that had returned, perhaps the one that had not, and nothing else; the
 * next statements must work on it. DuckDB runs in children only: it does not survive a fork. */
#include "support/stopped.h"

/* A stop costs two processes with an engine each: builds that look for faults of memory, not of order, take every few.
 */
#ifdef NDEBUG
enum { STRIDE = 1 };
#else
enum { STRIDE = 9 };
#endif

/* One statement, and what `SELECT * FROM t ORDER BY id, p` says after it (as `copy` prints it); NULL: as before. */
typedef struct step {
  const char *sql;
  const char *rows;
} step;

typedef struct script {
  const char *const *prepare; /* NULL-terminated */
  const char *before;         /* the rows after that */
  const step *steps;          /* ends with sql NULL */
  const char *const *repair;  /* NULL, or statements that make `t` a table that can be written, wherever the script was
                                 stopped: some of them fail */
} script;

static const char query[] = "SELECT * FROM t ORDER BY id, p";

/* ---- children ---- */

/* A session on a directory, in a child. */
static bool child_open(stopped_child *c, const char *dir) {
  if (stopped_open(c, dir) != SKEP_OK) return false;
  c->w.opts.db_faults = &c->faults;
  return skep_session_open(&c->w.opts, &c->w.session, &c->w.err) == SKEP_OK;
}

static bool child_sql(stopped_child *c, const char *sql) {
  if (warehouse_try(&c->w, c->w.session, sql) == SKEP_OK) return true;
  fprintf(stderr, "%s\n  %s\n", sql, c->w.err.text);
  return false;
}

static int prepare(const void *arg, int fd) {
  const stopped_job *j = arg;
  const script *s = j->what;
  static stopped_child c;
  (void)fd;
  if (!child_open(&c, j->dir)) return 1;
  for (const char *const *sql = s->prepare; *sql != NULL; sql++)
    if (!child_sql(&c, *sql)) return 1;
  skep_session_close(c.w.session);
  return 0;
}

/* A dot for each statement that returned. */
static int play(const void *arg, int fd) {
  const stopped_job *j = arg;
  const script *s = j->what;
  static stopped_child c;
  if (!child_open(&c, j->dir)) return 1;
  if (!child_sql(&c, "SELECT 1")) return 1; /* the engine is up */
  stopped_arm(&c, j);
  for (const step *one = s->steps; one->sql != NULL; one++) {
    if (!child_sql(&c, one->sql)) return 1;
    child_say(fd, ".");
  }
  skep_fs_faulty_stop_nth(c.w.fs, 0);
  c.faults.at = 0;
  return 0; /* came through */
}

/* What the table holds now; then whether it can be written. */
static int look(const void *arg, int fd) {
  const stopped_job *j = arg;
  const script *s = j->what;
  static stopped_child c;
  if (!child_open(&c, j->dir)) {
    fprintf(stderr, "%s\n", c.w.err.text);
    return 1;
  }
  for (const char *const *sql = s->repair; sql != NULL && *sql != NULL; sql++)
    if (warehouse_try(&c.w, c.w.session, *sql) != SKEP_OK) continue;
  if (!child_sql(&c, query)) return 1;
  child_say(fd, skep_buf_string(&c.w.text));
  if (!child_sql(&c, "INSERT INTO t VALUES (999, 'after', 0)")) return 1;
  if (!child_sql(&c, "UPDATE t SET s = 'upd' WHERE id = 999")) return 1;
  if (!child_sql(&c, "SELECT s FROM t WHERE id = 999")) return 1;
  if (strcmp(skep_buf_string(&c.w.text), "upd\n") != 0) return 1;
  if (!child_sql(&c, "DELETE FROM t WHERE id = 999") || !child_sql(&c, query)) return 1;
  child_say(fd, "|");
  child_say(fd, skep_buf_string(&c.w.text));
  skep_session_close(c.w.session);
  return 0;
}

/* ---- judging ---- */

/* Rows after `n` statements. */
static const char *rows_after(const script *s, size_t n) {
  const char *rows = s->before;
  for (size_t i = 0; i < n; i++)
    if (s->steps[i].rows != NULL) rows = s->steps[i].rows;
  return rows;
}

static void judge(const stopped_job *j, const char *played, char *seen) {
  const script *s = j->what;
  size_t returned = strlen(played);
  char *first = seen, *bar = strchr(seen, '|');
  assert_non_null(bar);
  *bar = '\0';
  bool more = s->steps[returned].sql != NULL;
  if (strcmp(first, rows_after(s, returned)) != 0 && !(more && strcmp(first, rows_after(s, returned + 1)) == 0))
    fail_msg("%s: stopped at %s call %" PRIu64 " (kind %d), %zu statements returned; the table holds\n%sexpected\n%s",
             j->name, j->in_files ? "file" : "database", j->at, (int)j->kind, returned, first, rows_after(s, returned));
  assert_string_equal(first, bar + 1); /* later statements brought nothing back */
}

static const stopped_plan plan = {
    .stride = STRIDE, .most = 20000, .prepare = prepare, .play = play, .look = look, .judge = judge};

/* ---- scripts ---- */

static const char *const prepared[] = {
    "CREATE TABLE t (id INT, s STRING) PARTITIONED BY (p INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')",
    "INSERT INTO t VALUES (1,'a',0),(2,'b',0),(3,'c',1)", NULL};
static const char at_first[] = "1\ta\t0\n2\tb\t0\n3\tc\t1\n";

static const step changes[] = {
    {"INSERT INTO t VALUES (4,'d',1),(5,'e',2)", "1\ta\t0\n2\tb\t0\n3\tc\t1\n4\td\t1\n5\te\t2\n"},
    {"UPDATE t SET s = upper(s) WHERE id <> 2", "1\tA\t0\n2\tb\t0\n3\tC\t1\n4\tD\t1\n5\tE\t2\n"},
    {"MERGE INTO t USING (SELECT 1 AS k, 'x' AS v UNION ALL SELECT 3, 'd' UNION ALL SELECT 9, 'n') q ON t.id = q.k "
     "WHEN MATCHED AND q.v = 'd' THEN DELETE WHEN MATCHED THEN UPDATE SET s = q.v "
     "WHEN NOT MATCHED THEN INSERT VALUES (q.k, q.v, 3)",
     "1\tx\t0\n2\tb\t0\n4\tD\t1\n5\tE\t2\n9\tn\t3\n"},
    {"DELETE FROM t WHERE p = 1", "1\tx\t0\n2\tb\t0\n5\tE\t2\n9\tn\t3\n"},
    {"INSERT OVERWRITE TABLE t PARTITION (p=0) SELECT 7, 'o'", "5\tE\t2\n7\to\t0\n9\tn\t3\n"},
    {NULL, NULL}};

static const step transaction[] = {{"START TRANSACTION", NULL},
                                   {"INSERT INTO t VALUES (4,'d',1),(5,'e',2)", NULL},
                                   {"UPDATE t SET s = concat(s, '!') WHERE id >= 3", NULL},
                                   {"DELETE FROM t WHERE id = 4", NULL},
                                   {"COMMIT", "1\ta\t0\n2\tb\t0\n3\tc!\t1\n5\te!\t2\n"},
                                   {"START TRANSACTION", NULL},
                                   {"INSERT INTO t VALUES (6,'gone',1)", NULL},
                                   {"ROLLBACK", NULL},
                                   {NULL, NULL}};

/* Renames of directories go with rows of the metastore. */
static const step definitions[] = {
    {"ALTER TABLE t PARTITION (p=0) RENAME TO PARTITION (p=5)", "1\ta\t5\n2\tb\t5\n3\tc\t1\n"},
    {"ALTER TABLE t RENAME TO u", NULL},
    {"ALTER TABLE u ADD PARTITION (p=6)", NULL},
    {"ALTER TABLE u DROP PARTITION (p=1)", "1\ta\t5\n2\tb\t5\n"},
    {"ALTER TABLE u CHANGE COLUMN s s VARCHAR(20)", NULL},
    {"ALTER TABLE u RENAME TO t", NULL},
    {"INSERT INTO t VALUES (8,'z',6)", "1\ta\t5\n2\tb\t5\n8\tz\t6\n"},
    {NULL, NULL}};
static const char *const name_it_t[] = {"ALTER TABLE u RENAME TO t", NULL};

/* Files move into a delta directory. */
static const char *const prepared_plain[] = {
    "CREATE TABLE t (id INT, s STRING) PARTITIONED BY (p INT) TBLPROPERTIES ('transactional'='false')",
    "INSERT INTO t VALUES (1,'a',0),(2,'b',0),(3,'c',1)", NULL};
static const step conversion[] = {
    {"ALTER TABLE t SET TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only')", NULL},
    {"INSERT INTO t VALUES (4,'d',1)", "1\ta\t0\n2\tb\t0\n3\tc\t1\n4\td\t1\n"},
    {NULL, NULL}};
static const char *const convert_it[] = {
    "ALTER TABLE t SET TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only')",
    "ALTER TABLE t SET TBLPROPERTIES ('transactional_properties'='default')", NULL};

static const script scripts[] = {{prepared, at_first, changes, NULL},
                                 {prepared, at_first, transaction, NULL},
                                 {prepared, at_first, definitions, name_it_t},
                                 {prepared_plain, at_first, conversion, convert_it}};

static void stop_all(bool in_files, skep_db_fault_kind kind) {
  for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
    char name[20];
    snprintf(name, sizeof name, "script %zu", i);
    uint64_t calls = stopped_everywhere(&plan, name, &scripts[i], in_files, kind);
    printf("%s: %" PRIu64 " calls\n", name, calls);
    assert_true(calls > 10);
  }
}

static void stopping_at_any_change_of_a_file_loses_and_invents_no_row(void **state) {
  (void)state;
  stop_all(true, SKEP_DB_FAULT_NONE);
}
static void stopping_before_any_change_of_the_database_loses_and_invents_no_row(void **state) {
  (void)state;
  stop_all(false, SKEP_DB_FAULT_EXIT_BEFORE);
}
static void stopping_after_any_change_of_the_database_loses_and_invents_no_row(void **state) {
  (void)state;
  stop_all(false, SKEP_DB_FAULT_EXIT_AFTER);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stopping_at_any_change_of_a_file_loses_and_invents_no_row),
      cmocka_unit_test(stopping_before_any_change_of_the_database_loses_and_invents_no_row),
      cmocka_unit_test(stopping_after_any_change_of_the_database_loses_and_invents_no_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
