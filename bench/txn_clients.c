/* Transaction lives of many clients at once, each a process with its own connection: open, lock, snapshot, write id,
 * commit with the conflict check, as a statement does (sql/life_enter.c). Beside it the same number of clients doing
 * the least SQL that such a life needs. Then what many exceptions cost a snapshot, and many waiters a lock.
 *   bench_txn_clients URL_PATTERN [SECONDS [CLIENTS...]]      URL_PATTERN: %s for a name, "sqlite:/dir/%s.sqlite" */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "db/schema.h"
#include "lock/lock.h"
#include "txn/txn.h"

enum { MAX_CLIENTS = 64 };

static _Noreturn void die(const char *what, const skep_err *err) {
  fprintf(stderr, "%s: %s\n", what, err->text);
  exit(1);
}

static skep_db *open_db(const skep_ctx *ctx, const char *url) {
  skep_err err = {0};
  skep_db *db = NULL;
  if (skep_db_open(ctx, url, NULL, &db, &err) != SKEP_OK) die("open", &err);
  return db;
}

/* ---- lives ---- */

static skep_status begin_life(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, skep_txn_table *table,
                              const char *partition, skep_txn *txn, skep_err *err) {
  const skep_lock_component lock = {"sales", "orders", partition, SKEP_LOCK_EXCL_WRITE};
  skep_db_mode mode;
  skep_lock_state state;
  int64_t id;
  SKEP_TRY(skep_txn_begin_mode(db, &mode, err));
  SKEP_TRY(skep_db_begin(db, mode, err));
  SKEP_TRY(skep_txn_begin_open(db, conf, SKEP_TXN_DEFAULT, table, 1, txn, err));
  const skep_lock_owner owner = {.txn = txn->id, .is_new = true, .user = "bench", .host = "localhost"};
  SKEP_TRY(skep_lock_request(db, &owner, &lock, 1, arena, &id, &state, NULL, err));
  SKEP_TRY(skep_txn_begin_tables(db, conf, arena, txn, table, 1, err));
  return skep_db_commit(db, err);
}

/* The same in one round trip; false: somebody is in the way, or the database cannot. */
static bool begin_at_once(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, skep_txn_table *table,
                          const char *partition, skep_txn *txn, skep_err *err) {
  const skep_lock_component lock = {"sales", "orders", partition, SKEP_LOCK_EXCL_WRITE};
  const skep_lock_owner owner = {.user = "bench", .host = "localhost"};
  skep_txn_sent sent = {0};
  skep_stmt *id = NULL;
  if (!skep_txn_sends(db)) return false;
  skep_status st = skep_lock_send_learn(db, err);
  if (st == SKEP_OK) st = skep_txn_send_begin(db, conf, &sent, err);
  if (st == SKEP_OK) st = skep_lock_send_request(db, &lock, 1, &id, err);
  if (st == SKEP_OK) st = skep_txn_send_open(db, conf, SKEP_TXN_DEFAULT, table, 1, &sent, err);
  if (st == SKEP_OK) st = skep_lock_send_rows(db, &owner, &lock, 1, err);
  if (st == SKEP_OK) st = skep_txn_send_tables(db, conf, table, 1, &sent, err);
  st = skep_db_end(db, false, st, err);
  if (st == SKEP_OK) st = skep_txn_sent_take(db, conf, arena, &sent, table, 1, txn, err);
  skep_stmt_done(id);
  skep_txn_sent_done(&sent);
  return st == SKEP_OK;
}

static skep_status one_life(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, const char *partition,
                            skep_err *err) {
  skep_txn_table table = {.database = "sales", .table = "orders", .write = 'd'};
  skep_txn txn;
  if (!begin_at_once(db, conf, arena, &table, partition, &txn, err))
    SKEP_TRY(begin_life(db, conf, arena, &table, partition, &txn, err));
  const skep_txn_component c = {"sales", "orders", partition, 'd', table.write_id};
  return skep_txn_commit(db, txn.id, &c, 1, NULL, NULL, err);
}

/* Who runs in run_clients. */
typedef enum kind {
  LIVES,
  ROWS, /* the rows of such a life and nothing else: two database transactions, the second one durable */
  LOCKS /* the same beside Hive: with what its protocol locks and leaves (TXN_LOCK_TBL, the own row, MIN_HISTORY_LEVEL),
         * and both durable, as numbers are that somebody goes on with */
} kind;

static skep_status bare_begin(skep_db *db, kind what, const char *partition, int64_t txn, skep_err *err) {
  const skep_param name = skep_p_text(partition), id = skep_p_i64(txn);
  SKEP_TRY(skep_db_begin(db, what == LOCKS ? SKEP_DB_ROWS_EARLY : SKEP_DB_WRITE_LAZY, err));
  if (what == LOCKS) SKEP_TRY(skep_db_lock_txns(db, false, err));
  SKEP_TRY(skep_db_run(db,
                       "INSERT INTO \"TXNS\" (\"TXN_ID\", \"TXN_STATE\", \"TXN_STARTED\", \"TXN_LAST_HEARTBEAT\", "
                       "\"TXN_USER\", \"TXN_HOST\", \"TXN_TYPE\") VALUES (?, 'o', 1, 1, 'u', 'h', 0)",
                       SKEP_PARAMS(id), NULL, err));
  if (what == LOCKS)
    SKEP_TRY(skep_db_run(db, "INSERT INTO \"MIN_HISTORY_LEVEL\" VALUES (?, ?)", SKEP_PARAMS(id, id), NULL, err));
  SKEP_TRY(skep_db_run(db,
                       "UPDATE \"NEXT_WRITE_ID\" SET \"NWI_NEXT\" = \"NWI_NEXT\" + 1 WHERE \"NWI_DATABASE\" = 'sales'",
                       SKEP_NO_PARAMS, NULL, err));
  SKEP_TRY(skep_db_run(db, "INSERT INTO \"TXN_TO_WRITE_ID\" VALUES (?, 'sales', 'orders', ?)", SKEP_PARAMS(id, id),
                       NULL, err));
  SKEP_TRY(skep_db_run(db, "INSERT INTO \"TXN_COMPONENTS\" VALUES (?, 'sales', 'orders', ?, 'd', ?)",
                       SKEP_PARAMS(id, name, id), NULL, err));
  SKEP_TRY(skep_db_run(db, "UPDATE \"NEXT_LOCK_ID\" SET \"NL_NEXT\" = \"NL_NEXT\" + 1", SKEP_NO_PARAMS, NULL, err));
  SKEP_TRY(skep_db_run(db,
                       "INSERT INTO \"HIVE_LOCKS\" (\"HL_LOCK_EXT_ID\", \"HL_LOCK_INT_ID\", \"HL_TXNID\", \"HL_DB\", "
                       "\"HL_TABLE\", \"HL_PARTITION\", \"HL_LOCK_STATE\", \"HL_LOCK_TYPE\", \"HL_LAST_HEARTBEAT\", "
                       "\"HL_USER\", \"HL_HOST\") VALUES (?, 1, ?, 'sales', 'orders', ?, 'a', 'x', 1, 'u', 'h')",
                       SKEP_PARAMS(id, id, name), NULL, err));
  return skep_db_commit(db, err);
}

static skep_status bare_end(skep_db *db, kind what, const char *partition, int64_t txn, skep_err *err) {
  const skep_param name = skep_p_text(partition), id = skep_p_i64(txn);
  SKEP_TRY(skep_db_begin(db, what == LOCKS ? SKEP_DB_ROWS_EARLY : SKEP_DB_WRITE, err));
  if (what == LOCKS) {
    skep_stmt *own;
    SKEP_TRY(skep_db_send(db, "SELECT 1 FROM \"TXNS\" WHERE \"TXN_ID\" = ?{for_update}", SKEP_PARAMS(id), &own, err));
    skep_stmt_done(own);
    SKEP_TRY(skep_db_lock_txns(db, true, err));
    SKEP_TRY(skep_db_run(db, "DELETE FROM \"MIN_HISTORY_LEVEL\" WHERE \"MHL_TXNID\" = ?", SKEP_PARAMS(id), NULL, err));
  }
  SKEP_TRY(skep_db_run(db,
                       "INSERT INTO \"WRITE_SET\" (\"WS_DATABASE\", \"WS_TABLE\", \"WS_PARTITION\", \"WS_TXNID\", "
                       "\"WS_COMMIT_ID\", \"WS_OPERATION_TYPE\") VALUES ('sales', 'orders', ?, ?, ?, 'd')",
                       SKEP_PARAMS(name, id, id), NULL, err));
  SKEP_TRY(
      skep_db_run(db,
                  "INSERT INTO \"COMPLETED_TXN_COMPONENTS\" (\"CTC_TXNID\", \"CTC_DATABASE\", \"CTC_TABLE\", "
                  "\"CTC_PARTITION\", \"CTC_WRITEID\", \"CTC_UPDATE_DELETE\") VALUES (?, 'sales', 'orders', ?, ?, 'Y')",
                  SKEP_PARAMS(id, name, id), NULL, err));
  SKEP_TRY(skep_db_run(db, "DELETE FROM \"TXN_COMPONENTS\" WHERE \"TC_TXNID\" = ?", SKEP_PARAMS(id), NULL, err));
  SKEP_TRY(skep_db_run(db, "DELETE FROM \"HIVE_LOCKS\" WHERE \"HL_TXNID\" = ?", SKEP_PARAMS(id), NULL, err));
  SKEP_TRY(what == LOCKS ? skep_db_run(db, "UPDATE \"TXNS\" SET \"TXN_STATE\" = 'c' WHERE \"TXN_ID\" = ?",
                                       SKEP_PARAMS(id), NULL, err)
                         : skep_db_run(db, "DELETE FROM \"TXNS\" WHERE \"TXN_ID\" = ?", SKEP_PARAMS(id), NULL, err));
  return skep_db_commit(db, err);
}

static skep_status one_bare(skep_db *db, kind what, const char *partition, int64_t *txn, skep_err *err) {
  SKEP_TRY(bare_begin(db, what, partition, *txn, err));
  SKEP_TRY(bare_end(db, what, partition, *txn, err));
  *txn += MAX_CLIENTS;
  return SKEP_OK;
}

typedef struct shared {
  volatile int go;
  volatile long lives[MAX_CLIENTS];
  volatile double cpu[MAX_CLIENTS]; /* seconds of processor time, client and server */
} shared;

/* Processor time of this process, and of PostgreSQL's for this connection where it is on this machine: what says more
 * than the clock while others use the processors. */
static double cpu_seconds(int server) {
  char path[64];
  double ns = 0;
  snprintf(path, sizeof path, "/proc/%d/schedstat", server);
  FILE *file = server > 0 ? fopen(path, "r") : NULL;
  if (file != NULL && fscanf(file, "%lf", &ns) != 1) ns = 0;
  if (file != NULL) fclose(file);
  return ns * 1e-9 + (double)clock() / CLOCKS_PER_SEC;
}

static int server_of(skep_db *db) {
  int64_t pid = 0;
  skep_err ignored;
  if (skep_db_dialect(db)->is_local) return 0;
  return skep_db_get_i64(db, "SELECT pg_backend_pid()", SKEP_NO_PARAMS, &pid, NULL, &ignored) == SKEP_OK ? (int)pid : 0;
}

static _Noreturn void client(const char *url, int number, kind what, double seconds, shared *all) {
  skep_ctx ctx;
  skep_arena arena;
  skep_err err = {0};
  char partition[32];
  skep_ctx_init(&ctx);
  skep_db *db = open_db(&ctx, url);
  const skep_txn_conf conf = {.user = "bench", .host = "localhost"};
  int64_t txn = INT64_C(1000000000) + number;
  snprintf(partition, sizeof partition, "day=%d", number);
  int server = server_of(db);
  while (!all->go) usleep(1000);
  double end = bench_now() + seconds, cpu = cpu_seconds(server);
  for (long i = 0; bench_now() < end; i++) {
    skep_arena_init(&arena, &ctx, 1 << 26);
    skep_status status =
        what != LIVES ? one_bare(db, what, partition, &txn, &err) : one_life(db, &conf, &arena, partition, &err);
    if (status != SKEP_OK) die(what == LIVES ? "life" : "bare", &err);
    skep_arena_fini(&arena);
    all->lives[number] = i + 1;
    if (what == LIVES && number == 0 && i % 1000 == 999 && skep_txn_housekeep(db, &conf, NULL, &err) != SKEP_OK)
      die("housekeep", &err);
  }
  all->cpu[number] = cpu_seconds(server) - cpu;
  skep_db_close(db);
  exit(0);
}

/* Lives a second of all, and the slowest client's share of the mean. */
static double run_clients(const char *url, int n, kind what, double seconds, double *slowest, double *cpu_us) {
  shared *all = mmap(NULL, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  long sum = 0, least = 0;
  double cpu = 0;
  memset(all, 0, sizeof *all);
  for (int i = 0; i < n; i++)
    if (fork() == 0) client(url, i, what, seconds, all);
  usleep(300000);
  all->go = 1;
  for (int i = 0, how; i < n; i++)
    if (wait(&how) < 0 || how != 0) exit(1);
  for (int i = 0; i < n; i++) {
    long lives = all->lives[i];
    sum += lives;
    cpu += all->cpu[i];
    if (i == 0 || lives < least) least = lives;
  }
  munmap(all, sizeof *all);
  *cpu_us = cpu * 1e6 / (double)sum;
  *slowest = (double)least / ((double)sum / n);
  return (double)sum / seconds;
}

/* ---- snapshots and waiters ---- */

static void exec(skep_db *db, const char *sql) {
  skep_err err = {0};
  if (skep_db_exec(db, sql, &err) != SKEP_OK) die(sql, &err);
}

/* As many aborted transactions with write ids of the table as exceptions. */
static void snapshot_cost(skep_db *db, int n) {
  skep_err err = {0};
  const skep_txn_conf conf = {.user = "bench"};
  const skep_db_mode mode = SKEP_DB_WRITE;
  if (skep_db_begin(db, mode, &err) != SKEP_OK) die("begin", &err);
  for (int i = 1; i <= n; i++) {
    const skep_param id = skep_p_i64(INT64_C(2000000000) + i * 2);
    if (skep_db_run(db,
                    "INSERT INTO \"TXNS\" (\"TXN_ID\", \"TXN_STATE\", \"TXN_STARTED\", \"TXN_LAST_HEARTBEAT\", "
                    "\"TXN_USER\", \"TXN_HOST\", \"TXN_TYPE\") VALUES (?, 'a', 1, 1, 'u', 'h', 0)",
                    SKEP_PARAMS(id), NULL, &err) != SKEP_OK ||
        skep_db_run(db, "INSERT INTO \"TXN_TO_WRITE_ID\" VALUES (?, 'sales', 'orders', ?)", SKEP_PARAMS(id, id), NULL,
                    &err) != SKEP_OK)
      die("exceptions", &err);
  }
  if (skep_db_commit(db, &err) != SKEP_OK) die("commit", &err);
  int rounds = n > 10000 ? 5 : 50;
  double start = bench_now();
  for (int i = 0; i < rounds; i++) {
    skep_arena arena;
    skep_txn txn;
    skep_txn_ids ids;
    skep_arena_init(&arena, skep_db_ctx(db), 1 << 28);
    if (skep_db_begin(db, SKEP_DB_READ, &err) != SKEP_OK ||
        skep_txn_snapshot(db, &arena, &conf, 0, &txn, &err) != SKEP_OK ||
        skep_txn_valid_write_ids(db, &arena, &txn.txns, "sales", "orders", &ids, &err) != SKEP_OK)
      die("snapshot", &err);
    skep_db_rollback(db);
    skep_arena_fini(&arena);
  }
  printf("snapshot\t%d exceptions\t%.2f ms\n", n, (bench_now() - start) / rounds * 1000);
  exec(db, "DELETE FROM \"TXN_TO_WRITE_ID\"");
  exec(db, "DELETE FROM \"TXNS\" WHERE \"TXN_ID\" > 2000000000");
}

static void wait_cost(skep_db *db, int n) {
  skep_err err = {0};
  const skep_txn_conf conf = {.user = "bench"};
  const skep_lock_component lock = {"sales", "orders", "day=1", SKEP_LOCK_EXCL_WRITE};
  int64_t txns[1000], locks[1000];
  skep_arena arena;
  skep_lock_state state;
  uint32_t opened;
  skep_arena_init(&arena, skep_db_ctx(db), 1 << 28);
  if (n > 1000 || skep_txn_open(db, &conf, SKEP_TXN_DEFAULT, (uint32_t)n, txns, &opened, &err) != SKEP_OK)
    die("open", &err);
  double start = bench_now();
  for (int i = 0; i < n; i++) {
    const skep_lock_owner owner = {.txn = txns[i]};
    if (skep_lock_request(db, &owner, &lock, 1, &arena, &locks[i], &state, NULL, &err) != SKEP_OK) die("lock", &err);
  }
  double asked = bench_now();
  for (int i = 1; i < n; i++)
    if (skep_lock_look(db, locks[i], &arena, &state, NULL, &err) != SKEP_OK) die("look", &err);
  double looked = bench_now();
  skep_lock_row *rows;
  uint32_t n_rows, n_cycle;
  int64_t *cycle;
  if (skep_lock_list(db, NULL, NULL, NULL, &arena, &rows, &n_rows, &err) != SKEP_OK ||
      skep_lock_cycle(rows, n_rows, txns[n - 1], &arena, &cycle, &n_cycle, &err) != SKEP_OK)
    die("cycle", &err);
  double searched = bench_now();
  for (int i = 0; i < n; i++) { /* one after the other gets it and ends */
    if (i > 0 && skep_lock_check(db, locks[i], &arena, &state, NULL, &err) != SKEP_OK) die("check", &err);
    if (i > 0 && state != SKEP_LOCK_ACQUIRED) die("the next one is not granted", &err);
    if (skep_txn_commit(db, txns[i], NULL, 0, NULL, NULL, &err) != SKEP_OK) die("commit", &err);
  }
  printf(
      "%d waiters on one partition\trequest %.2f ms, look %.2f ms, grant and end %.2f ms; search for a cycle %.2f ms\n",
      n, (asked - start) / n * 1000, (looked - asked) / n * 1000, (bench_now() - searched) / n * 1000,
      (searched - looked) * 1000);
  skep_arena_fini(&arena);
}

/* Two transactions that wait for each other among `n` other waiters: from the request that closes the ring until it is
 * known. */
static void cycle_cost(skep_db *db, int n) {
  skep_err err = {0};
  const skep_txn_conf conf = {.user = "bench"};
  skep_arena arena;
  skep_lock_state state;
  int64_t txns[1000], id;
  uint32_t opened, n_rows, n_cycle = 0;
  skep_lock_row *rows;
  int64_t *cycle;
  skep_arena_init(&arena, skep_db_ctx(db), 1 << 28);
  if (skep_txn_open(db, &conf, SKEP_TXN_DEFAULT, (uint32_t)n + 2, txns, &opened, &err) != SKEP_OK) die("open", &err);
  static const char *const order[] = {"p=1", "p=2", "p=2", "p=1"};
  const int who[] = {0, 1, 0, 1};
  double start = 0;
  for (int step = 0; step < 4; step++) {
    const skep_lock_component lock = {"sales", "orders", order[step], SKEP_LOCK_EXCL_WRITE};
    const skep_lock_owner owner = {.txn = txns[who[step]]};
    for (int i = 0; step == 2 && i < n; i++) {
      const skep_lock_component other = {"sales", "orders", "p=1", SKEP_LOCK_EXCL_WRITE};
      const skep_lock_owner waiter = {.txn = txns[2 + i]};
      if (skep_lock_request(db, &waiter, &other, 1, &arena, &id, &state, NULL, &err) != SKEP_OK) die("lock", &err);
    }
    start = bench_now();
    if (skep_lock_request(db, &owner, &lock, 1, &arena, &id, &state, NULL, &err) != SKEP_OK) die("lock", &err);
  }
  if (skep_lock_list(db, NULL, NULL, NULL, &arena, &rows, &n_rows, &err) != SKEP_OK ||
      skep_lock_cycle(rows, n_rows, txns[1], &arena, &cycle, &n_cycle, &err) != SKEP_OK || n_cycle == 0)
    die("no cycle was found", &err);
  printf("deadlock among %d waiters\tfound in %.1f ms\n", n, (bench_now() - start) * 1000);
  if (skep_txn_abort_many(db, txns, opened, SKEP_ABORT_ROLLBACK, NULL, &err) != SKEP_OK) die("abort", &err);
  skep_arena_fini(&arena);
}

/* A new database of this name. */
static const char *new_url(const char *pattern, const char *name, char *out, size_t size) {
  const char *at = strstr(pattern, "%s");
  skep_ctx ctx;
  skep_err err = {0};
  skep_ctx_init(&ctx);
  if (at == NULL) at = pattern + strlen(pattern);
  snprintf(out, size, "%.*s%s%s", (int)(at - pattern), pattern, name, *at != '\0' ? at + 2 : "");
  if (strncmp(out, "sqlite:", 7) == 0) (void)unlink(out + 7);
  skep_db *db = open_db(&ctx, out);
  if (skep_schema_init(db, "file:/warehouse", &err) != SKEP_OK) die("schema", &err);
  const skep_txn_conf conf = {.user = "bench"};
  skep_arena arena;
  skep_arena_init(&arena, &ctx, 1 << 26);
  if (one_life(db, &conf, &arena, "day=0", &err) != SKEP_OK) die("life", &err);
  skep_arena_fini(&arena);
  skep_db_close(db);
  return out;
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "usage: %s URL_PATTERN [SECONDS [CLIENTS...]]\n", argv[0]), 2;
  double seconds = argc > 2 ? strtod(argv[2], NULL) : 3;
  static const char *const usual[] = {"1", "4", "16"};
  const char *const *clients = argc > 3 ? (const char *const *)argv + 3 : usual;
  int n_clients = argc > 3 ? argc - 3 : 3;
  char url[4096];
  for (int i = 0; i < n_clients; i++) {
    int n = (int)strtol(clients[i], NULL, 10);
    static const char *const names[] = {"bench_lives", "bench_bare", "bench_locks"};
    double rate[3], slowest[3], cpu[3];
    for (int what = LOCKS; what >= LIVES; what--)
      rate[what] = run_clients(new_url(argv[1], names[what], url, sizeof url), n, (kind)what, seconds, &slowest[what],
                               &cpu[what]);
    printf("%d clients\t%.0f lives/s, slowest %.2f of the mean, %.0f us of processor time a life\n", n, rate[LIVES],
           slowest[LIVES], cpu[LIVES]);
    for (int what = ROWS; what <= LOCKS; what++)
      printf("\t%s: %.0f/s, slowest %.2f, %.0f us; ratio %.2f, by processor time %.2f\n",
             what == ROWS ? "the bare rows" : "and Hive's locks", rate[what], slowest[what], cpu[what],
             rate[LIVES] / rate[what], cpu[what] / cpu[LIVES]);
    fflush(stdout);
  }
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_db *db = open_db(&ctx, new_url(argv[1], "bench_other", url, sizeof url));
  static const int exceptions[] = {10, 1000, 100000};
  for (int i = 0; i < 3; i++) snapshot_cost(db, exceptions[i]);
  wait_cost(db, 200);
  cycle_cost(db, 0);
  cycle_cost(db, 200);
  skep_db_close(db);
  return 0;
}
