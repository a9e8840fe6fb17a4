/* Initiator, worker and cleaner that are stopped. A child process runs all three on a copy of a prepared warehouse and
 * ends at its n-th call that changes a file or the database, for every n until it comes through. Another child comes an
 * hour later: the rows are what they were, and after the work is done again nothing is left: no directory that nobody
 * needs, no row of a dead worker. DuckDB runs in children only: it does not survive a fork. */
#include "support/compactor.h"
#include "support/stopped.h"

/* A stop costs two processes: builds that look for faults of memory, not of order, take every few. */
#ifdef NDEBUG
enum { STRIDE = 1 };
#else
enum { STRIDE = 7 };
#endif
enum { POSTGRES_STRIDE = 13 }; /* each stop makes a database */
enum { HOUR_MS = 3600000 };

typedef struct scenario {
  const char *name;
  const char *const *prepare; /* NULL-terminated; the last directory of the table is `t` */
  const char *rows;           /* SELECT * FROM t ORDER BY id */
  const char *dir;            /* what is looked at, below the warehouse */
  const char *left;           /* names there in the end, `_v` numbers cut */
} scenario;

static const char query[] = "SELECT * FROM t ORDER BY id";

/* ---- children ---- */

static int64_t later(void *self) { return ((const skep_ctx *)self)->clock_ms(NULL) + HOUR_MS; }

typedef struct child {
  stopped_child stopped;
  warehouse *w;    /* its */
  skep_ctx system; /* the clock that `later` asks */
  compactor c;
} child;

/* in_an_hour: transactions of the dead have timed out. */
static void child_open(child *c, const char *dir, bool in_an_hour) {
  c->w = &c->stopped.w;
  assert_ok(stopped_open(&c->stopped, dir), c->w->err);
  skep_ctx_init(&c->system);
  if (!in_an_hour) return;
  if (metastore_is_postgres()) {
    skep_db *db = warehouse_connect(c->w);
    metastore_age(db, HOUR_MS);
    skep_db_close(db);
    return;
  }
  c->w->ctx.clock_ms = later;
  c->w->ctx.clock_self = &c->system;
}

static void child_compactor(child *c) {
  compactor_open(&c->c, c->w, &c->stopped.faults);
  compactor_set(&c->c, "hive.compactor.delta.num.threshold", "1");
  compactor_set(&c->c, "hive.compactor.aborted.txn.time.threshold", "0");
  compactor_set(&c->c, "skep.compactor.silence", "0");
  compactor_set(&c->c, "skep.compactor.threads", "1");
  compactor_set(&c->c, "skep.compactor.max.attempts", "9");
}

static int prepare(const void *arg, int fd) {
  const stopped_job *j = arg;
  const scenario *s = j->what;
  static child c;
  (void)fd;
  child_open(&c, j->dir, false);
  warehouse_session(c.w);
  for (const char *const *sql = s->prepare; *sql != NULL; sql++) warehouse_run(c.w, *sql);
  skep_session_close(c.w->session);
  return 0;
}

/* All that a service would do until there is nothing left to do. */
static void serve(child *c) {
  compactor_initiate(&c->c);
  while (compactor_work(&c->c).id != 0) {
  }
  compactor_clean(&c->c);
}

static int play(const void *arg, int fd) {
  const stopped_job *j = arg;
  static child c;
  (void)fd;
  child_open(&c, j->dir, false);
  child_compactor(&c);
  stopped_arm(&c.stopped, j);
  serve(&c);
  return 0; /* came through */
}

/* Rows, what is left in the directory, and how many rows the metastore still has of it. */
static int look(const void *arg, int fd) {
  const stopped_job *j = arg;
  const scenario *s = j->what;
  static child c;
  char line[400];
  child_open(&c, j->dir, true);
  warehouse_session(c.w); /* ends what timed out */
  child_say(fd, warehouse_rows(c.w, query));
  child_compactor(&c);
  serve(&c);
  serve(&c); /* what the first round made possible */
  child_say(fd, "|");
  child_say(fd, warehouse_rows(c.w, query));
  child_say(fd, "|");
  child_say(fd, compactor_ls(&c.c, c.w, s->dir));
  snprintf(line, sizeof line, "|%lld %lld %lld",
           (long long)compactor_number(&c.c, "SELECT count(*) FROM \"COMPACTION_QUEUE\""),
           (long long)compactor_number(&c.c, "SELECT count(*) FROM \"TXN_COMPONENTS\""),
           (long long)compactor_number(&c.c, "SELECT count(*) FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o'"));
  child_say(fd, line);
  compactor_close(&c.c);
  skep_session_close(c.w->session);
  return 0;
}

/* ---- judging ---- */

/* Cuts the digits behind each "_v". */
static void cut_numbers(char *text) {
  char *to = text;
  for (const char *at = text; *at != '\0'; at++) {
    *to++ = *at;
    if (to - text < 2 || to[-1] != 'v' || to[-2] != '_') continue;
    while (at[1] >= '0' && at[1] <= '9') at++;
  }
  *to = '\0';
}

static void judge(const stopped_job *j, const char *played, char *seen) {
  const scenario *s = j->what;
  char *parts[4] = {seen, NULL, NULL, NULL};
  (void)played;
  for (int i = 1; i < 4; i++) {
    parts[i] = strchr(parts[i - 1], '|');
    assert_non_null(parts[i]);
    *parts[i]++ = '\0';
  }
  cut_numbers(parts[2]);
  bool good = strcmp(parts[0], s->rows) == 0 && strcmp(parts[1], s->rows) == 0 && strcmp(parts[2], s->left) == 0 &&
              strcmp(parts[3], "0 0 0") == 0;
  if (good) return;
  fail_msg("%s: stopped at %s call %" PRIu64 " (kind %d):\nrows\n%s\nlater\n%s\nleft %s\nqueue, components, open %s",
           s->name, j->in_files ? "file" : "database", j->at, (int)j->kind, parts[0], parts[1], parts[2], parts[3]);
}

static stopped_plan plan = {
    .stride = STRIDE, .most = 5000, .prepare = prepare, .play = play, .look = look, .judge = judge};

/* ---- scenarios ---- */

static const char *const first_base[] = {
    "CREATE TABLE t (id INT, s STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')",
    "INSERT INTO t VALUES (1,'a'),(2,'b')", "INSERT INTO t VALUES (3,'c')", "DELETE FROM t WHERE id = 2", NULL};

static const char *const aborted_around[] = {
    "SET hive.in.test=true",
    "CREATE TABLE t (id INT, s STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')",
    "INSERT INTO t VALUES (1,'a'),(2,'b')",
    "START TRANSACTION",
    "INSERT INTO t VALUES (100,'never')",
    "DELETE FROM t WHERE id = 1",
    "ROLLBACK",
    "INSERT INTO t VALUES (3,'c')",
    "DELETE FROM t WHERE id = 2",
    NULL};

static const char *const insert_only[] = {
    "CREATE TABLE t (id INT, s STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true', "
    "'transactional_properties'='insert_only')",
    "INSERT INTO t VALUES (1,'a')", "INSERT INTO t VALUES (3,'c')", "INSERT INTO t SELECT 4, 'd'", NULL};

static const char *const dropped[] = {
    "CREATE TABLE u (id INT, s STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')",
    "INSERT INTO u VALUES (1,'a')",
    "CREATE TABLE t (id INT, s STRING) PARTITIONED BY (p INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')",
    "INSERT INTO t VALUES (1,'a',0),(2,'b',1)",
    "INSERT INTO t VALUES (3,'c',1)",
    "ALTER TABLE t DROP PARTITION (p=0)",
    "DROP TABLE u",
    NULL};

static const scenario scenarios[] = {
    {"a first base", first_base, "1\ta\n3\tc\n", "t", "base_0000003_v "},
    {"aborted transactions around", aborted_around, "1\ta\n3\tc\n", "t", "base_0000004_v "},
    {"insert-only", insert_only, "1\ta\n3\tc\n4\td\n", "t", "base_0000003_v "},
    {"dropped things", dropped, "2\tb\t1\n3\tc\t1\n", "t", "p=1 "},
};

static void stop_all(bool in_files, skep_db_fault_kind kind) {
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
    uint64_t calls = stopped_everywhere(&plan, scenarios[i].name, &scenarios[i], in_files, kind);
    printf("%s: %" PRIu64 " calls\n", scenarios[i].name, calls);
    assert_true(calls > 5);
  }
}

static void stopping_at_any_change_of_a_file_loses_nothing_and_leaves_nothing(void **state) {
  (void)state;
  stop_all(true, SKEP_DB_FAULT_NONE);
}
static void stopping_before_any_change_of_the_database_loses_nothing_and_leaves_nothing(void **state) {
  (void)state;
  stop_all(false, SKEP_DB_FAULT_EXIT_BEFORE);
}
static void stopping_after_any_change_of_the_database_loses_nothing_and_leaves_nothing(void **state) {
  (void)state;
  stop_all(false, SKEP_DB_FAULT_EXIT_AFTER);
}

int main(void) {
  if (metastore_missing()) return METASTORE_SKIPPED;
  if (metastore_is_postgres()) plan.stride = POSTGRES_STRIDE;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stopping_at_any_change_of_a_file_loses_nothing_and_leaves_nothing),
      cmocka_unit_test(stopping_before_any_change_of_the_database_loses_nothing_and_leaves_nothing),
      cmocka_unit_test(stopping_after_any_change_of_the_database_loses_nothing_and_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
