/* Initiator, worker and cleaner that are stopped. A child process runs all three on a copy of a prepared warehouse and
 * ends at its n-th call that changes a file or the database, for every n until it comes through. Another child comes an
 * hour later: the rows are what they were, and after the work is done again nothing is left: no directory that nobody
 * needs, no row of a dead worker. DuckDB runs in children only: it does not survive a fork. */
#include <errno.h>
#include <inttypes.h>
#include <sys/wait.h>

#include "db/faults.h"
#include "io/faulty.h"
#include "support/compactor.h"

/* A stop costs two processes: builds that look for faults of memory, not of order, take every few. */
#ifdef NDEBUG
enum { STRIDE = 1 };
#else
enum { STRIDE = 7 };
#endif
enum { MAX_STOPS = 5000, TEXT = 1 << 14, HOUR_MS = 3600000 };

typedef struct scenario {
  const char *name;
  const char *const *prepare; /* NULL-terminated; the last directory of the table is `t` */
  const char *rows;           /* SELECT * FROM t ORDER BY id */
  const char *dir;            /* what is looked at, below the warehouse */
  const char *left;           /* names there in the end, `_v` numbers cut */
} scenario;

static const char query[] = "SELECT * FROM t ORDER BY id";

/* ---- children ---- */

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void shell(const char *format, ...) {
  char command[1024];
  va_list args;
  va_start(args, format);
  vsnprintf(command, sizeof command, format, args);
  va_end(args);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
  }
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
}

typedef int child_body(const void *arg, int fd);

static int in_child(child_body *body, const void *arg, char *out, size_t size) {
  int fds[2];
  assert_int_equal(pipe(fds), 0);
  fflush(NULL);
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    close(fds[0]);
    _exit(body(arg, fds[1]));
  }
  close(fds[1]);
  size_t at = 0;
  for (;;) {
    ssize_t n = read(fds[0], out + at, size - 1 - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    at += (size_t)n;
  }
  out[at] = '\0';
  close(fds[0]);
  int status;
  assert_int_equal(waitpid(pid, &status, 0), pid);
  if (WIFSIGNALED(status)) fail_msg("a child died of signal %d", WTERMSIG(status));
  return WEXITSTATUS(status);
}

static void say(int fd, const char *text) {
  size_t length = strlen(text);
  while (length != 0) {
    ssize_t n = write(fd, text, length);
    if (n <= 0) _exit(2);
    text += n;
    length -= (size_t)n;
  }
}

static int64_t later(void *self) { return ((const skep_ctx *)self)->clock_ms(NULL) + HOUR_MS; }

typedef struct child {
  warehouse w;
  skep_fs *posix;
  skep_ctx system; /* the clock that `later` asks */
  skep_db_faults faults;
  compactor c;
} child;

/* in_an_hour: transactions of the dead have timed out. */
static void child_open(child *c, const char *dir, bool in_an_hour) {
  memset(c, 0, sizeof *c);
  skep_ctx_init(&c->w.ctx);
  skep_ctx_init(&c->system);
  if (in_an_hour) {
    c->w.ctx.clock_ms = later;
    c->w.ctx.clock_self = &c->system;
  }
  skep_buf_init(&c->w.text, &c->w.ctx, 1 << 24);
  assert_ok(skep_fs_posix_new(&c->w.ctx, &c->posix, &c->w.err), c->w.err);
  assert_ok(skep_fs_faulty_new(&c->w.ctx, c->posix, &c->w.fs, &c->w.err), c->w.err);
  c->w.opts = (skep_session_opts){.ctx = &c->w.ctx, .fs = c->w.fs, .warehouse_dir = dir, .threads = 1};
}

static void child_compactor(child *c) {
  compactor_open(&c->c, &c->w, &c->faults);
  compactor_set(&c->c, "hive.compactor.delta.num.threshold", "1");
  compactor_set(&c->c, "hive.compactor.aborted.txn.time.threshold", "0");
  compactor_set(&c->c, "skep.compactor.silence", "0");
  compactor_set(&c->c, "skep.compactor.threads", "1");
  compactor_set(&c->c, "skep.compactor.max.attempts", "9");
}

typedef struct job {
  const scenario *s;
  const char *dir;
  bool in_files;
  skep_db_fault_kind kind;
  uint64_t at;
} job;

static int prepare(const void *arg, int fd) {
  const job *j = arg;
  static child c;
  (void)fd;
  child_open(&c, j->dir, false);
  warehouse_session(&c.w);
  for (const char *const *sql = j->s->prepare; *sql != NULL; sql++) warehouse_run(&c.w, *sql);
  skep_session_close(c.w.session);
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
  const job *j = arg;
  static child c;
  (void)fd;
  child_open(&c, j->dir, false);
  child_compactor(&c);
  if (j->in_files) {
    skep_fs_faulty_stop_nth(c.w.fs, j->at);
  } else {
    c.faults.kind = j->kind;
    c.faults.at = c.faults.calls + j->at;
  }
  serve(&c);
  return 0; /* came through */
}

/* Rows, what is left in the directory, and how many rows the metastore still has of it. */
static int look(const void *arg, int fd) {
  const job *j = arg;
  static child c;
  char line[400];
  child_open(&c, j->dir, true);
  warehouse_session(&c.w); /* ends what timed out */
  say(fd, warehouse_rows(&c.w, query));
  child_compactor(&c);
  serve(&c);
  serve(&c); /* what the first round made possible */
  say(fd, "|");
  say(fd, warehouse_rows(&c.w, query));
  say(fd, "|");
  say(fd, compactor_ls(&c.c, &c.w, j->s->dir));
  snprintf(line, sizeof line, "|%lld %lld %lld",
           (long long)compactor_number(&c.c, "SELECT count(*) FROM \"COMPACTION_QUEUE\""),
           (long long)compactor_number(&c.c, "SELECT count(*) FROM \"TXN_COMPONENTS\""),
           (long long)compactor_number(&c.c, "SELECT count(*) FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o'"));
  say(fd, line);
  compactor_close(&c.c);
  skep_session_close(c.w.session);
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

static void judge(const job *j, char *seen) {
  char *parts[4] = {seen, NULL, NULL, NULL};
  for (int i = 1; i < 4; i++) {
    parts[i] = strchr(parts[i - 1], '|');
    assert_non_null(parts[i]);
    *parts[i]++ = '\0';
  }
  cut_numbers(parts[2]);
  bool good = strcmp(parts[0], j->s->rows) == 0 && strcmp(parts[1], j->s->rows) == 0 &&
              strcmp(parts[2], j->s->left) == 0 && strcmp(parts[3], "0 0 0") == 0;
  if (good) return;
  fail_msg("%s: stopped at %s call %" PRIu64 " (kind %d):\nrows\n%s\nlater\n%s\nleft %s\nqueue, components, open %s",
           j->s->name, j->in_files ? "file" : "database", j->at, (int)j->kind, parts[0], parts[1], parts[2], parts[3]);
}

static uint64_t stop_everywhere(const scenario *s, bool in_files, skep_db_fault_kind kind) {
  char kept[256], dir[256], said[TEXT];
  const char *shm = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  int code;
  snprintf(kept, sizeof kept, "%s/skep-compact-crash-%d-kept", shm, (int)getpid());
  snprintf(dir, sizeof dir, "%s/skep-compact-crash-%d-run", shm, (int)getpid());
  shell("rm -rf %s %s", kept, dir);
  job j = {.s = s, .dir = dir, .in_files = in_files, .kind = kind, .at = 1 + (uint64_t)getpid() % STRIDE};
  assert_int_equal(in_child(prepare, &j, said, sizeof said), 0);
  shell("mv %s %s", dir, kept); /* the metastore holds the path: copies go back to it */
  do {
    assert_true(j.at < MAX_STOPS);
    shell("rm -rf %s && cp -r %s %s", dir, kept, dir);
    code = in_child(play, &j, said, sizeof said);
    if (code != 0 && code != SKEP_DB_FAULT_CODE && code != SKEP_FS_FAULT_CODE)
      fail_msg("%s: stopped at %s call %" PRIu64 ": exit status %d", s->name, in_files ? "file" : "database", j.at,
               code);
    assert_int_equal(in_child(look, &j, said, sizeof said), 0);
    judge(&j, said);
    j.at += STRIDE;
  } while (code != 0);
  shell("rm -rf %s %s", kept, dir);
  return j.at - STRIDE;
}

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
    uint64_t calls = stop_everywhere(&scenarios[i], in_files, kind);
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
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stopping_at_any_change_of_a_file_loses_nothing_and_leaves_nothing),
      cmocka_unit_test(stopping_before_any_change_of_the_database_loses_nothing_and_leaves_nothing),
      cmocka_unit_test(stopping_after_any_change_of_the_database_loses_nothing_and_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
