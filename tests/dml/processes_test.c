/* Several processes on one warehouse. Transfers between accounts, a table that is overwritten, one that is dropped and
 * made again, appenders; readers check all the while that they see whole states, and the end must add up. DuckDB does
 * not survive a fork, so every process opens its own session after it. */
#include <inttypes.h>

#include "support/child.h"
#include "support/warehouse.h"

enum { N_ACCOUNTS = 8, BALANCE = 100, N_SNAP = 7, ROUNDS = 30 };

typedef struct process {
  warehouse w;
  uint64_t state;
  int number;
  int n_done; /* statements that came through */
} process;

static uint64_t next(process *p) {
  p->state ^= p->state << 13;
  p->state ^= p->state >> 7;
  p->state ^= p->state << 17;
  return p->state;
}

static bool failed(process *p, const char *sql, const char *what) {
  fprintf(stderr, "process %d: %s\n  %s: %s\n", p->number, sql, what, p->w.err.text);
  return false;
}

/* Runs a statement; a lost race is no failure: *won says. */
static bool change(process *p, const char *sql, bool *won) {
  skep_status st = warehouse_try(&p->w, p->w.session, sql);
  *won = st == SKEP_OK;
  p->n_done += *won ? 1 : 0;
  return st == SKEP_OK || st == SKEP_ERR_CONFLICT || failed(p, sql, skep_status_name(st));
}

static bool expect(process *p, const char *sql, const char *rows) {
  if (warehouse_try(&p->w, p->w.session, sql) != SKEP_OK) return failed(p, sql, "a reader");
  if (strcmp(skep_buf_string(&p->w.text), rows) == 0) return true;
  fprintf(stderr, "process %d: %s\n  %sinstead of %s", p->number, sql, skep_buf_string(&p->w.text), rows);
  return false;
}

/* --- what processes do --- */

static bool transfer(process *p) {
  char sql[400];
  bool won;
  unsigned from = (unsigned)(next(p) % N_ACCOUNTS), to = (unsigned)(next(p) % N_ACCOUNTS),
           sum = (unsigned)(next(p) % 50);
  if (from == to) return true;
  snprintf(sql, sizeof sql,
           "UPDATE acct SET bal = CASE WHEN id = %u THEN bal - %u ELSE bal + %u END WHERE id IN (%u, %u)", from, sum,
           sum, from, to);
  return change(p, sql, &won);
}

static bool append(process *p) {
  char sql[200];
  bool won;
  snprintf(sql, sizeof sql, "INSERT INTO log VALUES (%d, %d)", p->number, p->n_done);
  if (!change(p, sql, &won)) return false;
  return won || failed(p, sql, "inserts never conflict");
}

static bool overwrite(process *p) {
  char sql[300];
  bool won;
  snprintf(sql, sizeof sql, "INSERT OVERWRITE TABLE snap SELECT id, %" PRIu64 " FROM acct WHERE id < %d",
           next(p) % 1000, N_SNAP);
  return change(p, sql, &won);
}

/* One process only makes and drops it, so nobody is in its way but readers. */
static bool drop_and_make(process *p) {
  bool won;
  return change(p, "DROP TABLE IF EXISTS tmp", &won) &&
         change(p, "CREATE TABLE tmp STORED AS ORC TBLPROPERTIES ('transactional'='true') AS SELECT id, bal FROM acct",
                &won);
}

static bool read_tmp(process *p) {
  const char *sql = "SELECT count(*) FROM tmp";
  skep_status st = warehouse_try(&p->w, p->w.session, sql);
  if (st == SKEP_ERR_SEMANTIC && strstr(p->w.err.text, "Table not found") != NULL) return true;
  if (st != SKEP_OK) return failed(p, sql, "a reader of a dropped table");
  return strcmp(skep_buf_string(&p->w.text), "8\n") == 0 || failed(p, sql, skep_buf_string(&p->w.text));
}

static bool explicit_pair(process *p) {
  bool won = false;
  if (!change(p, "START TRANSACTION", &won)) return false;
  /* One snapshot: the two readings agree, whatever the others do between them. */
  if (warehouse_try(&p->w, p->w.session, "SELECT sum(bal), max(bal) FROM acct") != SKEP_OK)
    return failed(p, "", "first");
  char first[100];
  snprintf(first, sizeof first, "%s", skep_buf_string(&p->w.text));
  if (!expect(p, "SELECT sum(bal), max(bal) FROM acct", first)) return false;
  return change(p, next(p) % 2 ? "COMMIT" : "ROLLBACK", &won);
}

static bool look(process *p) {
  return expect(p, "SELECT count(*), sum(bal) FROM acct", "8\t800\n") &&
         expect(p, "SELECT count(*), min(v) = max(v) FROM snap", "7\ttrue\n") && read_tmp(p);
}

static bool open_process(process *p, const char *dir) {
  skep_status st = warehouse_init(&p->w, dir);
  if (st == SKEP_OK) st = skep_session_open(&p->w.opts, &p->w.session, &p->w.err);
  if (st == SKEP_OK) st = warehouse_try(&p->w, p->w.session, "SET skep.lock.wait.timeout=3600s");
  return st == SKEP_OK || failed(p, "open", "");
}

static int run(const char *dir, int number) {
  static process p;
  p = (process){.number = number, .state = 88172645463325252u * (uint64_t)(number + 1)};
  if (!open_process(&p, dir)) return 1;
  for (int i = 0; i < ROUNDS; i++) {
    bool fine = look(&p) && transfer(&p);
    if (fine && number == 0) fine = drop_and_make(&p);
    if (fine && number == 1) fine = overwrite(&p);
    if (fine && number == 2) fine = append(&p) && explicit_pair(&p);
    if (!fine) return 1;
  }
  skep_session_close(p.w.session);
  return 0;
}

static pid_t start(const char *dir, int number) {
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) _exit(run(dir, number));
  return pid;
}

static int prepare(const char *dir) {
  static const char *const statements[] = {
      "CREATE TABLE acct (id INT, bal INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')",
      "INSERT INTO acct VALUES (0,100),(1,100),(2,100),(3,100),(4,100),(5,100),(6,100),(7,100)",
      "CREATE TABLE snap (id INT, v INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')",
      "INSERT INTO snap VALUES (0,0),(1,0),(2,0),(3,0),(4,0),(5,0),(6,0)",
      "CREATE TABLE log (p INT, n INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')"};
  static process p;
  if (!open_process(&p, dir)) return 1;
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
    if (warehouse_try(&p.w, p.w.session, statements[i]) != SKEP_OK) return failed(&p, statements[i], ""), 1;
  skep_session_close(p.w.session);
  return 0;
}

static void processes_see_whole_states_and_lose_nothing(void **state) {
  (void)state;
  warehouse w;
  warehouse_place(&w);
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) _exit(prepare(w.dir));
  assert_int_equal(child_wait(pid), 0);
  pid_t pids[3];
  for (int i = 0; i < 3; i++) pids[i] = start(w.dir, i);
  for (int i = 0; i < 3; i++) assert_int_equal(child_wait(pids[i]), 0);
  assert_ok(warehouse_init(&w, w.dir), w.err);
  warehouse_session(&w);
  assert_string_equal(warehouse_rows(&w, "SELECT count(*), sum(bal) FROM acct"), "8\t800\n");
  assert_string_equal(warehouse_rows(&w, "SELECT count(*), count(DISTINCT n) FROM log"), "30\t30\n");
  assert_string_equal(warehouse_rows(&w, "SELECT count(*) FROM tmp"), "8\n");
  warehouse_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(processes_see_whole_states_and_lose_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
