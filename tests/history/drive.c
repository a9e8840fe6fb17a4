/* Runs random transactions from many processes on one warehouse and writes down what each of them did and saw:
 *
 *   history_drive DIR [--processes N] [--transactions N] [--mode x|w|row] [--seed N] [--metastore URL] [--wrong NAME]
 * [--kill] [--turns]
 *
 * With SKEP_TEST_POSTGRES the metastore is a new database there. DIR is made; DIR/history.jsonl has one line a
 * transaction, to be judged by check.py. Tables and operations: README.md.
 * --alone: no START TRANSACTION, each statement is a transaction of its own. --compact: the first process asks for
 * compactions, works on them and cleans, between its transactions.
 * --wrong injects a fault of the transaction layer (db/faults.h) into all processes: the history must then be refused.
 * --kill ends processes with SIGKILL now and then; others take their place.
 * --turns: one process moves at a time, a random one; the others stand between two statements, before a lock, or in the
 * middle of a statement, which has its locks and its snapshot. So transactions overlap on any machine, however few its
 * processors and busy they are, and the seed alone says how. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "compact/cleaner.h"
#include "db/db.h"
#include "db/faults.h"
#include "sql/compact.h"
#include "support/meddling_fs.h"
#include "support/metastore.h"
#include "support/warehouse.h"

enum {
  EPOCH = 160 /* transactions of all processes on one set of tables */,
  N_KEYS = 4,
  N_BAGS = 2,
  N_PARTS = 2,
  MAX_OPS = 5
};

typedef struct history_plan {
  const char *dir, *mode, *metastore;
  unsigned processes, transactions, wrong;
  uint64_t seed;
  bool kill, alone, compact, turns;
} history_plan;

typedef struct process {
  const history_plan *plan;
  int number;
  uint64_t random;
  skep_ctx ctx;
  skep_fs *fs;
  meddling_fs listing; /* over fs: passes the turn on in the middle of statements */
  int turn;            /* where turns come from and go to; -1: everybody moves at any time */
  skep_db_faults faults;
  skep_session *session;
  skep_buf rows;
  skep_err err;
  int log; /* -1: none */
  char warehouse[256];
  /* of the running transaction */
  char line[1 << 16];
  size_t used;
  unsigned id, n_ops, n_writes, epoch;
  bool is_explicit, failed;
} process;

static uint64_t next(process *p) {
  p->random ^= p->random << 13;
  p->random ^= p->random >> 7;
  p->random ^= p->random << 17;
  return p->random >> 8;
}
static unsigned below(process *p, unsigned n) { return (unsigned)(next(p) % n); }

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- turns ---- */

enum { MOVED = 'm', WAITS = 'w' }; /* how a process passes its turn on */

static void await_turn(process *p) {
  char byte;
  if (p->turn >= 0 && read(p->turn, &byte, 1) != 1) _exit(3);
}

static void pass_turn(process *p, char how) {
  if (p->turn >= 0 && write(p->turn, &how, 1) != 1) _exit(3);
  await_turn(p);
}

/* A statement that lists a directory has entered: its locks, its snapshot and its write id are there. */
static void pass_turn_in_statement(void *self) { pass_turn(self, MOVED); }

static skep_status pass_turn_for_lock(void *self, skep_session *session, const skep_session_waiting *waiting,
                                      skep_err *err) {
  (void)session;
  (void)waiting;
  (void)err;
  pass_turn(self, WAITS);
  return SKEP_OK;
}

/* ---- a session ---- */

static skep_status run(process *p, const char *sql) {
  skep_result *result;
  skep_buf_reset(&p->rows);
  skep_status st = skep_session_run(p->session, sql, strlen(sql), &result, &p->err);
  if (st == SKEP_OK && result != NULL) st = warehouse_print(result, &p->rows, &p->err);
  skep_result_free(result);
  return st;
}

static bool open_process(process *p, const history_plan *plan, int number, int turn) {
  *p = (process){.plan = plan,
                 .number = number,
                 .log = -1,
                 .turn = turn,
                 .random = (plan->seed + 1) * 0x9e3779b97f4a7c15u + (uint64_t)number * 7919u + 1};
  for (int i = 0; i < 20; i++) (void)next(p);
  skep_ctx_init(&p->ctx);
  skep_buf_init(&p->rows, &p->ctx, 1 << 28);
  p->faults.wrong = plan->wrong;
  snprintf(p->warehouse, sizeof p->warehouse, "%s/warehouse", plan->dir);
  if (skep_fs_posix_new(&p->ctx, &p->fs, &p->err) != SKEP_OK) return false;
  meddling_init(&p->listing, &p->ctx, p->fs, pass_turn_in_statement, p);
  const skep_session_opts opts = {.ctx = &p->ctx,
                                  .fs = &p->listing.base,
                                  .warehouse_dir = p->warehouse,
                                  .metastore_url = plan->metastore,
                                  .threads = 1,
                                  .memory_bytes = 256 << 20,
                                  .lock_wait = turn >= 0 ? pass_turn_for_lock : NULL,
                                  .lock_wait_self = p,
                                  .db_faults = &p->faults};
  if (skep_session_open(&opts, &p->session, &p->err) != SKEP_OK) return false;
  const char *settings[] = {
      "SET skep.lock.wait.timeout=3600s",
      strcmp(plan->mode, "x") == 0 ? "SET hive.txn.xlock.write=true" : "SET hive.txn.xlock.write=false",
      strcmp(plan->mode, "row") == 0 ? "SET skep.conflict.granularity=row" : "SET hive.txn.xlock.iow=true"};
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
    if (run(p, settings[i]) != SKEP_OK) return false;
  p->listing.times = turn >= 0 ? INT_MAX : 0;
  return true;
}

static void close_process(process *p) {
  p->listing.times = 0;
  skep_session_close(p->session);
  skep_buf_fini(&p->rows);
  skep_fs_free(p->fs);
}

/* ---- writing down ---- */

static void say(process *p, const char *format, ...) SKEP_PRINTF(2, 3);
static void say(process *p, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int n = vsnprintf(p->line + p->used, sizeof p->line - p->used, format, args);
  va_end(args);
  if (n < 0 || (size_t)n >= sizeof p->line - p->used) abort();
  p->used += (size_t)n;
}

static void op_begins(process *p) { say(p, "%s", p->n_ops++ == 0 ? "" : ","); }

static void begin(process *p, unsigned id) {
  p->id = id;
  p->used = 0;
  p->n_ops = p->n_writes = 0;
  p->failed = false;
  say(p, "{\"txn\":\"%d.%u\",\"p\":%d,\"begin\":%" PRIu64 ",\"ops\":[", p->number, id, p->number, now_ns());
}

static void quoted(process *p, const char *text) {
  say(p, "\"");
  for (size_t i = 0; text[i] != '\0' && i < 300; i++)
    if (text[i] >= ' ' && text[i] != '"' && text[i] != '\\') say(p, "%c", text[i]);
  say(p, "\"");
}

/* One write: lines of several processes do not mix (O_APPEND). A stream would cut long ones at its buffer's size. */
static void write_line(process *p) {
  if (write(p->log, p->line, p->used) != (ssize_t)p->used) abort();
}

static bool open_log(process *p) {
  char path[300];
  snprintf(path, sizeof path, "%s/history.jsonl", p->plan->dir);
  p->log = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  return p->log >= 0;
}

static void end(process *p, const char *status) {
  say(p, "],\"end\":%" PRIu64 ",\"status\":\"%s\"", now_ns(), status);
  if (strcmp(status, "ok") != 0) {
    say(p, ",\"why\":");
    quoted(p, p->err.text);
  }
  say(p, "}\n");
  write_line(p);
}

/* Before a commit, where processes are killed: others may see what this one could not tell any more. */
static void intend(process *p) {
  if (!p->plan->kill || p->log < 0) return;
  size_t used = p->used;
  say(p, "],\"end\":%" PRIu64 ",\"status\":\"unknown\"}\n", now_ns());
  write_line(p);
  p->used = used;
}

/* ---- operations ---- */

static unsigned fresh(process *p) { return (p->id * 64 + (unsigned)p->number) * 16 + ++p->n_writes; }

static void must(process *p, const char *sql) {
  if (p->failed) return;
  if (!p->is_explicit) intend(p);
  if (run(p, sql) != SKEP_OK) p->failed = true;
  if (p->is_explicit) pass_turn(p, MOVED);
}

/* Appends to the list of a key: a read, a change and a write of one row in one statement. */
static void append(process *p) {
  char sql[400];
  unsigned key = below(p, N_KEYS), id;
  op_begins(p);
  id = fresh(p);
  say(p, "[\"append\",\"l%u.%u\",%u]", p->epoch, key, id);
  if (below(p, 4) == 0)
    snprintf(sql, sizeof sql,
             "MERGE INTO lists%u t USING (SELECT %u AS k, '%u,' AS w) s ON t.k = s.k AND t.d = '%u' WHEN MATCHED THEN "
             "UPDATE SET v = "
             "concat(t.v, s.w)",
             p->epoch, key, id, key % N_PARTS);
  else
    snprintf(sql, sizeof sql, "UPDATE lists%u SET v = concat(v, '%u,') WHERE k = %u AND d = '%u'", p->epoch, id, key,
             key % N_PARTS);
  must(p, sql);
}

/* Two lists in one statement; both partitions. */
static void append_twice(process *p) {
  char sql[400];
  unsigned a = below(p, N_KEYS), b = (a + 1 + below(p, N_KEYS - 1)) % N_KEYS, id;
  op_begins(p);
  id = fresh(p);
  say(p, "[\"append\",\"l%u.%u\",%u],[\"append\",\"l%u.%u\",%u]", p->epoch, a, id, p->epoch, b, id);
  snprintf(sql, sizeof sql, "UPDATE lists%u SET v = concat(v, '%u,') WHERE k IN (%u, %u)", p->epoch, id, a, b);
  must(p, sql);
}

/* A register counts its versions; who writes reads back which one it was, inside its transaction. */
static void write_register(process *p) {
  char sql[300];
  unsigned key = below(p, N_KEYS), id, n = 0, v = 0;
  op_begins(p);
  id = fresh(p);
  snprintf(sql, sizeof sql, "UPDATE regs%u SET n = n + 1, v = %u WHERE k = %u", p->epoch, id, key);
  must(p, sql);
  snprintf(sql, sizeof sql, "SELECT n, v FROM regs%u WHERE k = %u", p->epoch, key);
  must(p, sql);
  if (!p->failed && sscanf(skep_buf_string(&p->rows), "%u\t%u", &n, &v) != 2) abort();
  if (p->failed)
    say(p, "[\"write\",\"r%u.%u\",%u,null]", p->epoch, key, id);
  else
    say(p, "[\"write\",\"r%u.%u\",%u,%u],[\"get\",\"r%u.%u\",%u,%u]", p->epoch, key, id, n, p->epoch, key, n, v);
}

static void insert(process *p) {
  char sql[200];
  unsigned key = below(p, N_BAGS), id;
  op_begins(p);
  id = fresh(p);
  say(p, "[\"add\",\"b%u.%u\",%u]", p->epoch, key, id);
  snprintf(sql, sizeof sql, "INSERT INTO bags%u VALUES (%u, %u)", p->epoch, key, id);
  must(p, sql);
}

/* Lists as they were read: "l<TAB>k<TAB>1,2,". */
static void say_rows(process *p, bool bags) {
  unsigned empty = bags ? (1u << N_BAGS) - 1 : 0;
  skep_buf_byte(&p->rows, 0);
  for (char *line = (char *)p->rows.data, *after; *line != '\0'; line = after) {
    char *newline = strchr(line, '\n');
    after = newline + 1; /* every row ends with one */
    *newline = '\0';
    unsigned key, n, used = 0;
    char kind = line[0];
    if (sscanf(line + 2, "%u\t%n", &key, (int *)&used) != 1) abort();
    char *rest = line + 2 + used;
    op_begins(p);
    if (kind == 'r') {
      unsigned v;
      if (sscanf(rest, "%u:%u", &n, &v) != 2) abort();
      say(p, "[\"get\",\"r%u.%u\",%u,%u]", p->epoch, key, n, v);
      continue;
    }
    if (kind == 'b') empty &= ~(1u << key);
    size_t length = strlen(rest);
    if (length != 0 && rest[length - 1] == ',') rest[length - 1] = '\0';
    say(p, "[\"%s\",\"%c%u.%u\",[%s]]", kind == 'l' ? "read" : "set", kind, p->epoch, key, rest);
  }
  for (unsigned key = 0; key < N_BAGS; key++) {
    if ((empty & 1u << key) == 0) continue;
    op_begins(p);
    say(p, "[\"set\",\"b%u.%u\",[]]", p->epoch, key);
  }
}

/* One statement over some of the tables, one snapshot. */
static void read_some(process *p, bool all) {
  char sql[1200];
  int n = 0;
  unsigned what = all ? 7 : 1 + below(p, 7);
  const char *between = "";
  if ((what & 1) != 0) {
    n += snprintf(sql + n, sizeof sql - (size_t)n, "SELECT 'l', k, v FROM lists%u", p->epoch);
    if (!all && below(p, 2) == 0) {
      unsigned key = below(p, N_KEYS);
      n += snprintf(sql + n, sizeof sql - (size_t)n, " WHERE k = %u AND d = '%u'", key, key % N_PARTS);
    }
    between = " UNION ALL ";
  }
  if ((what & 2) != 0) {
    n += snprintf(sql + n, sizeof sql - (size_t)n, "%sSELECT 'r', k, concat(n, ':', v) FROM regs%u", between, p->epoch);
    between = " UNION ALL ";
  }
  if ((what & 4) != 0)
    snprintf(sql + n, sizeof sql - (size_t)n,
             "%sSELECT 'b', k, concat_ws(',', collect_list(CAST(v AS STRING))) FROM bags%u GROUP BY k", between,
             p->epoch);
  must(p, sql);
  if (p->failed) return;
  say_rows(p, (what & 4) != 0);
}

/* ---- transactions ---- */

static const char *how_it_ended(process *p) {
  skep_status st = p->err.status;
  return st == SKEP_ERR_IN_DOUBT ? "unknown" : "fail";
}

/* What may fail: somebody was first, a ring of waiters, a wait that was too long. */
static bool may_fail(const process *p) {
  static const char *const parts[] = {"conflict", "deadlock", "timed out", "aborted", "Abort", "Snapshot too old"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strstr(p->err.text, parts[i]) != NULL) return true;
  return false;
}

static void one_op(process *p) {
  switch (below(p, 8)) {
    case 0:
    case 1:
      append(p);
      break;
    case 2:
      append_twice(p);
      break;
    case 3: /* its two statements need a transaction */
      if (p->is_explicit) {
        write_register(p);
      } else {
        append(p);
      }
      break;
    case 4:
      insert(p);
      break;
    default:
      read_some(p, false);
      break;
  }
}

static bool explicit_transaction(process *p) {
  unsigned n = 1 + below(p, MAX_OPS - 1);
  bool give_up = below(p, 10) == 0;
  p->is_explicit = true;
  must(p, "START TRANSACTION");
  for (unsigned i = 0; i < n && !p->failed; i++) one_op(p);
  if (p->failed) return end(p, "fail"), may_fail(p);
  if (!give_up) intend(p);
  skep_status st = run(p, give_up ? "ROLLBACK" : "COMMIT");
  if (st == SKEP_OK) return end(p, give_up ? "fail" : "ok"), true;
  end(p, how_it_ended(p));
  return may_fail(p) || st == SKEP_ERR_IN_DOUBT;
}

static bool one_statement(process *p) {
  p->is_explicit = false;
  one_op(p);
  end(p, p->failed ? how_it_ended(p) : "ok");
  return !p->failed || may_fail(p) || p->err.status == SKEP_ERR_IN_DOUBT;
}

/* One table of the epoch, and what may be removed by now. A refusal (there is nothing to do, somebody is at it) is
 * fine. */
static bool compact(process *p) {
  static const char *const kinds[] = {"minor", "major"};
  char sql[200];
  const char *kind = kinds[below(p, 2)];
  switch (below(p, 3)) {
    case 0:
      snprintf(sql, sizeof sql, "ALTER TABLE regs%u COMPACT '%s' AND WAIT", p->epoch, kind);
      break;
    case 1:
      snprintf(sql, sizeof sql, "ALTER TABLE bags%u COMPACT '%s' AND WAIT", p->epoch, kind);
      break;
    default:
      snprintf(sql, sizeof sql, "ALTER TABLE lists%u PARTITION (d='%u') COMPACT '%s' AND WAIT", p->epoch,
               below(p, N_PARTS), kind);
  }
  if (run(p, sql) != SKEP_OK && strstr(p->err.text, "refused") == NULL) return false;
  skep_compact_session c;
  skep_compact_cleaning done;
  skep_compact_session_init(&c, p->session, false);
  return skep_compact_clean(&c.env, false, &done, &p->err) == SKEP_OK;
}

/* How many of its transactions a process does on one set of tables. */
static unsigned epoch_of(const history_plan *plan) {
  unsigned n = EPOCH / plan->processes;
  return n == 0 ? 1 : n;
}

static int work(const history_plan *plan, int number, unsigned from, int turn) {
  static process p;
  p.turn = turn;
  await_turn(&p);
  if (!open_process(&p, plan, number, turn)) return fprintf(stderr, "process %d: %s\n", number, p.err.text), 1;
  p.random += from * 0x2545f4914f6cdd1du;
  if (!open_log(&p)) return 1;
  unsigned mine = plan->transactions / plan->processes, per_epoch = epoch_of(plan);
  for (unsigned i = from; i < mine; i++) {
    p.epoch = i / per_epoch;
    begin(&p, i + 1);
    if (plan->compact && number == 0 && i % 8 == 7 && !compact(&p))
      return fprintf(stderr, "compacting: %s\n", p.err.text), 1;
    bool fine = below(&p, 2) == 0 && !plan->alone ? explicit_transaction(&p) : one_statement(&p);
    if (!fine) return fprintf(stderr, "process %d: refused in other words: %s\n", number, p.err.text), 1;
    pass_turn(&p, MOVED);
  }
  (void)close(p.log);
  close_process(&p);
  return 0;
}

/* ---- before and after ---- */

static unsigned n_epochs(const history_plan *plan) {
  unsigned per_epoch = epoch_of(plan);
  return (plan->transactions / plan->processes + per_epoch - 1) / per_epoch;
}

static int prepare(const history_plan *plan) {
  static process p;
  char sql[600];
  if (!open_process(&p, plan, 1000, -1)) return fprintf(stderr, "preparing: %s\n", p.err.text), 1;
  for (unsigned e = 0; e < n_epochs(plan) && !p.failed; e++) {
    const char *const tables[] = {"lists%u (k INT, v STRING) PARTITIONED BY (d STRING)", "regs%u (k INT, n INT, v INT)",
                                  "bags%u (k INT, v INT)"};
    for (size_t t = 0; t < 3; t++) {
      int n = snprintf(sql, sizeof sql, "CREATE TABLE ");
      n += snprintf(sql + n, sizeof sql - (size_t)n, tables[t], e);
      snprintf(sql + n, sizeof sql - (size_t)n, " STORED AS ORC TBLPROPERTIES ('transactional'='true')");
      must(&p, sql);
    }
    snprintf(sql, sizeof sql, "INSERT INTO lists%u VALUES (0,'','0'),(1,'','1'),(2,'','0'),(3,'','1')", e);
    must(&p, sql);
    snprintf(sql, sizeof sql, "INSERT INTO regs%u VALUES (0,0,0),(1,0,0),(2,0,0),(3,0,0)", e);
    must(&p, sql);
  }
  if (p.failed) return fprintf(stderr, "preparing: %s\n", p.err.text), 1;
  close_process(&p);
  return 0;
}

/* The last transactions: everything is read. */
static int look(const history_plan *plan) {
  static process p;
  if (!open_process(&p, plan, 1001, -1)) return fprintf(stderr, "looking: %s\n", p.err.text), 1;
  if (!open_log(&p)) return 1;
  for (p.epoch = 0; p.epoch < n_epochs(plan); p.epoch++) {
    begin(&p, p.epoch + 1);
    read_some(&p, true);
    if (p.failed) return fprintf(stderr, "looking: %s\n", p.err.text), 1;
    end(&p, "ok");
  }
  (void)close(p.log);
  close_process(&p);
  return 0;
}

static pid_t start(const history_plan *plan, int number, unsigned from, int turn) {
  fflush(NULL);
  pid_t pid = fork();
  if (pid == 0) _exit(number < 0 ? (number == -1 ? prepare(plan) : look(plan)) : work(plan, number, from, turn));
  return pid;
}

/* How far the killed process had come: its last line's number. */
static unsigned lines_of(const history_plan *plan, int number) {
  char path[300], key[40];
  static char line[1 << 17];
  unsigned last = 0, n;
  snprintf(path, sizeof path, "%s/history.jsonl", plan->dir);
  snprintf(key, sizeof key, "{\"txn\":\"%d.", number);
  FILE *f = fopen(path, "r");
  while (f != NULL && fgets(line, sizeof line, f) != NULL)
    if (strncmp(line, key, strlen(key)) == 0 && sscanf(line + strlen(key), "%u", &n) == 1 && n > last) last = n;
  if (f != NULL) fclose(f);
  return last;
}

static bool all_well(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool any_runs(const history_plan *plan, const pid_t *pids) {
  for (unsigned i = 0; i < plan->processes; i++) {
    siginfo_t info = {0};
    if (pids[i] != 0 && waitid(P_PID, (id_t)pids[i], &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0)
      return true;
  }
  return false;
}

static unsigned count_lines(const history_plan *plan) {
  char path[300], bytes[1 << 14];
  unsigned n = 0;
  snprintf(path, sizeof path, "%s/history.jsonl", plan->dir);
  FILE *f = fopen(path, "r");
  for (size_t got; f != NULL && (got = fread(bytes, 1, sizeof bytes, f)) != 0;)
    for (size_t i = 0; i < got; i++) n += bytes[i] == '\n';
  if (f != NULL) fclose(f);
  return n;
}

/* Kills one after the other, and lets another process go on where it stopped. By what they have done and not by the
 * clock: so that they are killed at work on a slow machine too. There are two lines a transaction, about. */
static void kill_some(const history_plan *plan, pid_t *pids) {
  enum { KILLS = 12 };
  uint64_t random = plan->seed * 77 + 5;
  for (unsigned k = 0; k < KILLS; k++) {
    const struct timespec pause = {0, 5000000};
    while (count_lines(plan) < (2 * k + 1) * plan->transactions / KILLS * 3 / 4 && any_runs(plan, pids))
      nanosleep(&pause, NULL);
    random = random * 6364136223846793005u + 1442695040888963407u;
    unsigned i = (unsigned)(random >> 33) % plan->processes;
    int status;
    if (pids[i] == 0 || waitpid(pids[i], &status, WNOHANG) != 0) {
      if (pids[i] != 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) exit(1);
      pids[i] = 0;
      continue;
    }
    kill(pids[i], SIGKILL);
    (void)all_well(pids[i]);
    pids[i] = start(plan, (int)i, lines_of(plan, (int)i) + 1, -1);
  }
}

static unsigned wrong_of(const char *name) {
  static const char *const names[] = SKEP_DB_WRONG_NAMES;
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], name) == 0) return 1u << i;
  fprintf(stderr, "no fault is called %s\n", name);
  exit(2);
}

/* Processes that move when it is their turn: ours are the ends of their sockets. */
static void start_with_turns(const history_plan *plan, pid_t *pids, int *turns) {
  for (unsigned i = 0; i < plan->processes; i++) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) abort();
    pids[i] = start(plan, (int)i, 0, ends[1]);
    turns[i] = ends[0];
    (void)close(ends[1]);
  }
}

/* One after the other, until all have ended. Who waits for a lock looks again when others have moved. */
static void give_turns(const history_plan *plan, const int *turns) {
  uint64_t random = plan->seed * 77 + 11;
  unsigned live[64], n = plan->processes, n_waiting = 0; /* those that wait stand at the end */
  for (unsigned i = 0; i < n; i++) live[i] = i;
  while (n != 0) {
    if (n_waiting == n) n_waiting = 0; /* for each other: they find it out */
    random = random * 6364136223846793005u + 1442695040888963407u;
    unsigned which = (unsigned)(random >> 33) % (n - n_waiting), chosen = live[which];
    char how = 0;
    bool ended = send(turns[chosen], "x", 1, MSG_NOSIGNAL) != 1 || read(turns[chosen], &how, 1) != 1;
    if (!ended && how == MOVED) n_waiting = 0;
    if (!ended && how != WAITS) continue;
    if (ended) n_waiting = 0;
    live[which] = live[n - n_waiting - 1];
    live[n - n_waiting - 1] = chosen;
    if (!ended) {
      n_waiting++;
    } else {
      (void)close(turns[chosen]);
      n--;
    }
  }
}

static int run_all(const history_plan *plan) {
  if (!all_well(start(plan, -1, 0, -1))) return 1;
  pid_t pids[64] = {0};
  int turns[64];
  bool fine = true;
  if (plan->turns) start_with_turns(plan, pids, turns);
  for (unsigned i = 0; i < plan->processes && !plan->turns; i++) pids[i] = start(plan, (int)i, 0, -1);
  if (plan->turns) give_turns(plan, turns);
  if (plan->kill) kill_some(plan, pids);
  for (unsigned i = 0; i < plan->processes; i++) fine &= pids[i] == 0 || all_well(pids[i]);
  return fine && all_well(start(plan, -2, 0, -1)) ? 0 : 1;
}

int main(int argc, char **argv) {
  history_plan plan = {.mode = "x", .processes = 8, .transactions = 1000, .seed = 1};
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    plan.kill |= strcmp(argv[i], "--kill") == 0;
    plan.alone |= strcmp(argv[i], "--alone") == 0;
    plan.compact |= strcmp(argv[i], "--compact") == 0;
    plan.turns |= strcmp(argv[i], "--turns") == 0;
    if (strcmp(argv[i], "--kill") == 0 || strcmp(argv[i], "--alone") == 0 || strcmp(argv[i], "--compact") == 0 ||
        strcmp(argv[i], "--turns") == 0)
      continue;
    if (strncmp(argv[i], "--", 2) != 0) {
      plan.dir = argv[i];
      continue;
    }
    i++;
    if (strcmp(argv[i - 1], "--processes") == 0) plan.processes = (unsigned)strtoul(value, NULL, 10);
    if (strcmp(argv[i - 1], "--transactions") == 0) plan.transactions = (unsigned)strtoul(value, NULL, 10);
    if (strcmp(argv[i - 1], "--mode") == 0) plan.mode = value;
    if (strcmp(argv[i - 1], "--seed") == 0) plan.seed = strtoull(value, NULL, 10);
    if (strcmp(argv[i - 1], "--metastore") == 0) plan.metastore = value;
    if (strcmp(argv[i - 1], "--wrong") == 0) plan.wrong |= wrong_of(value);
  }
  if (plan.dir == NULL || plan.processes == 0 || plan.processes > 64)
    return fprintf(stderr, "usage: history_drive DIR ...\n"), 2;
  if (mkdir(plan.dir, 0777) != 0 && errno != EEXIST) return perror(plan.dir), 1;
  if (metastore_missing()) return METASTORE_SKIPPED;
  if (plan.metastore != NULL || !metastore_is_postgres()) return run_all(&plan);
  skep_ctx ctx;
  metastore m;
  skep_ctx_init(&ctx);
  metastore_new(&m, &ctx, true);
  plan.metastore = m.url;
  int status = run_all(&plan);
  metastore_remove(&m, &ctx);
  return status;
}
