/* See metrics.h. */
#include "compact/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARENA = 1 << 30, ABORTED_TABLE_THRESHOLD = 1500 };

static void gauge(skep_buf *out, const char *name, const char *help) {
  skep_buf_printf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void value(skep_buf *out, const char *name, int64_t v) { skep_buf_printf(out, "%s %lld\n", name, (long long)v); }

static void single(skep_buf *out, const char *name, const char *help, int64_t v) {
  gauge(out, name, help);
  value(out, name, v);
}

/* A label's value: backslash, quote and line feed are escaped. */
static void label(skep_buf *out, const char *text) {
  for (const char *at = text; *at != '\0'; at++) {
    if (*at == '\\' || *at == '"') skep_buf_byte(out, '\\');
    if (*at == '\n') {
      skep_buf_text(out, "\\n");
    } else {
      skep_buf_byte(out, (uint8_t)*at);
    }
  }
}

static int64_t age_s(int64_t now, int64_t since) { return since > 0 && since < now ? (now - since) / 1000 : 0; }

/* ---- the queue ---- */

static int compare_text(const char *a, const char *b) {
  if (a == NULL || b == NULL) return (a != NULL) - (b != NULL);
  return strcmp(a, b);
}

static int by_resource(const void *left, const void *right) {
  const skep_compaction *a = left, *b = right;
  int c = strcmp(a->database, b->database);
  if (c == 0) c = strcmp(a->table, b->table);
  if (c == 0) c = compare_text(a->partition, b->partition);
  return c != 0 ? c : (a->id < b->id) - (a->id > b->id);
}

/* The latest entry of each resource counts. rows: by resource, newest first. */
static void states(skep_buf *out, const skep_compaction *rows, uint32_t n) {
  static const struct {
    char letter;
    const char *name;
  } all[] = {
      {'i', "compaction_num_initiated"}, {'w', "compaction_num_working"},   {'r', "compaction_num_ready_for_cleaning"},
      {'f', "compaction_num_failed"},    {'s', "compaction_num_succeeded"}, {'a', "compaction_num_did_not_initiate"},
      {'c', "compaction_num_refused"},   {'x', "compaction_num_aborted"}};
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    int64_t count = 0;
    for (uint32_t i = 0; i < n; i++)
      if ((i == 0 || !skep_compact_same_resource(&rows[i - 1], &rows[i])) && rows[i].state == all[k].letter) count++;
    single(out, all[k].name, "tables and partitions whose latest compaction is in this state", count);
  }
}

static void ages(skep_buf *out, const skep_compaction *rows, uint32_t n, int64_t now) {
  int64_t enqueued = 0, working = 0, cleaning = 0, ready = 0;
  for (uint32_t i = 0; i < n; i++) {
    const skep_compaction *c = &rows[i];
    if (c->state == 'i' && age_s(now, c->enqueued_ms) > enqueued) enqueued = age_s(now, c->enqueued_ms);
    if (c->state == 'w' && age_s(now, c->started_ms) > working) working = age_s(now, c->started_ms);
    if (c->state == 'r' && age_s(now, c->cleaner_start_ms) > cleaning) cleaning = age_s(now, c->cleaner_start_ms);
    if (c->state == 'r' && age_s(now, c->commit_ms) > ready) ready = age_s(now, c->commit_ms);
  }
  single(out, "compaction_oldest_enqueue_age_in_sec", "age of the oldest request that waits for a worker", enqueued);
  single(out, "compaction_oldest_working_age_in_sec", "since when the longest running compaction runs", working);
  single(out, "compaction_oldest_cleaning_age_in_sec", "since when the longest running cleaning runs", cleaning);
  single(out, "oldest_ready_for_cleaning_age_in_sec", "age of the oldest result that waits for a cleaner", ready);
}

static const char *pool_of(const skep_compaction *c) {
  return c->pool != NULL && c->pool[0] != '\0' ? c->pool : "default";
}

static int by_pool(const void *left, const void *right) { return strcmp(pool_of(left), pool_of(right)); }

static void pool_line(skep_buf *out, const char *name, const char *pool, int64_t v) {
  skep_buf_printf(out, "%s{pool=\"", name);
  label(out, pool);
  skep_buf_printf(out, "\"} %lld\n", (long long)v);
}

/* rows: those of the queue, by pool. */
static void pools(skep_buf *out, const skep_compaction *rows, uint32_t n, int64_t now) {
  static const char *const names[] = {"compaction_pools_initiated_item_count", "compaction_pools_working_item_count",
                                      "compaction_pools_oldest_enqueue_age_in_sec",
                                      "compaction_pools_oldest_working_age_in_sec"};
  for (size_t k = 0; k < 4; k++) {
    gauge(out, names[k], "requests of a pool of workers");
    for (uint32_t i = 0, end; i < n; i = end) {
      int64_t v = 0;
      for (end = i; end < n && strcmp(pool_of(&rows[end]), pool_of(&rows[i])) == 0; end++) {
        const skep_compaction *c = &rows[end];
        if (c->state != (k % 2 == 0 ? 'i' : 'w')) continue;
        int64_t age = age_s(now, k % 2 == 0 ? c->enqueued_ms : c->started_ms);
        v = k < 2 ? v + 1 : age > v ? age : v;
      }
      pool_line(out, names[k], pool_of(&rows[i]), v);
    }
  }
}

static int by_text(const void *left, const void *right) {
  return compare_text(*(const char *const *)left, *(const char *const *)right);
}

static int64_t distinct(const char **texts, uint32_t n) {
  int64_t count = 0;
  if (n > 1) qsort(texts, n, sizeof *texts, by_text);
  for (uint32_t i = 0; i < n; i++)
    if (texts[i] != NULL && (i == 0 || compare_text(texts[i - 1], texts[i]) != 0)) count++;
  return count;
}

static skep_status identities(skep_arena *arena, skep_buf *out, const skep_compaction *rows, uint32_t n,
                              skep_err *err) {
  static const char *const names[] = {"compaction_num_initiators", "compaction_num_workers",
                                      "compaction_num_initiator_versions", "compaction_num_worker_versions"};
  const char **texts = skep_arena_zero(arena, (size_t)n + 1, sizeof *texts);
  if (texts == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "metrics");
  for (size_t k = 0; k < 4; k++) {
    for (uint32_t i = 0; i < n; i++) {
      const char *const all[] = {rows[i].initiator_id, rows[i].worker_id, rows[i].initiator_version,
                                 rows[i].worker_version};
      texts[i] = all[k];
    }
    single(out, names[k], "different ones in the queue and the history", distinct(texts, n));
  }
  return SKEP_OK;
}

static skep_status compactions(const skep_compact_env *env, skep_arena *arena, skep_buf *out, int64_t now,
                               skep_err *err) {
  skep_compaction *rows;
  uint32_t n, queued = 0;
  SKEP_TRY(skep_compaction_list(env->db, 0, arena, &rows, &n, err));
  if (n > 1) qsort(rows, n, sizeof *rows, by_resource);
  states(out, rows, n);
  ages(out, rows, n, now);
  SKEP_TRY(identities(arena, out, rows, n, err));
  for (uint32_t i = 0; i < n; i++)
    if (rows[i].state == 'i' || rows[i].state == 'w') rows[queued++] = rows[i];
  if (queued > 1) qsort(rows, queued, sizeof *rows, by_pool);
  pools(out, rows, queued, now);
  return SKEP_OK;
}

/* ---- single numbers ---- */

typedef struct number {
  const char *name, *help, *sql;
  bool is_age; /* the answer is a moment: its age in seconds */
} number;

static const number numbers[] = {
    {"compaction_num_txn_to_writeid", "rows of TXN_TO_WRITE_ID", "SELECT count(*) FROM \"TXN_TO_WRITE_ID\"", false},
    {"compaction_num_completed_txn_components", "rows of COMPLETED_TXN_COMPONENTS",
     "SELECT count(*) FROM \"COMPLETED_TXN_COMPONENTS\"", false},
    {"num_open_transactions", "open transactions", "SELECT count(*) FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o'", false},
    {"num_open_repl_transactions", "open transactions of replication",
     "SELECT count(*) FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o' AND \"TXN_TYPE\" = 1", false},
    {"num_open_non_repl_transactions", "the other open transactions",
     "SELECT count(*) FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o' AND (\"TXN_TYPE\" IS NULL OR \"TXN_TYPE\" <> 1)", false},
    {"oldest_open_repl_txn_id", "its number; 0: none",
     "SELECT min(\"TXN_ID\") FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o' AND \"TXN_TYPE\" = 1", false},
    {"oldest_open_repl_txn_age_in_sec", "its age",
     "SELECT min(\"TXN_STARTED\") FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o' AND \"TXN_TYPE\" = 1", true},
    {"oldest_open_non_repl_txn_id", "its number; 0: none",
     "SELECT min(\"TXN_ID\") FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o' AND (\"TXN_TYPE\" IS NULL OR \"TXN_TYPE\" <> 1)",
     false},
    {"oldest_open_non_repl_txn_age_in_sec", "its age",
     "SELECT min(\"TXN_STARTED\") FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o' AND (\"TXN_TYPE\" IS NULL OR \"TXN_TYPE\" <> "
     "1)",
     true},
    {"num_aborted_transactions", "aborted transactions whose files are not cleaned",
     "SELECT count(*) FROM \"TXNS\" WHERE \"TXN_STATE\" = 'a' AND EXISTS (SELECT 1 FROM \"TXN_COMPONENTS\" WHERE "
     "\"TC_TXNID\" = \"TXN_ID\")",
     false},
    {"oldest_aborted_txn_id", "its number; 0: none",
     "SELECT min(\"TXN_ID\") FROM \"TXNS\" WHERE \"TXN_STATE\" = 'a' AND EXISTS (SELECT 1 FROM \"TXN_COMPONENTS\" "
     "WHERE \"TC_TXNID\" = \"TXN_ID\")",
     false},
    {"oldest_aborted_txn_age_in_sec", "its age",
     "SELECT min(\"TXN_STARTED\") FROM \"TXNS\" WHERE \"TXN_STATE\" = 'a' AND EXISTS (SELECT 1 FROM "
     "\"TXN_COMPONENTS\" WHERE \"TC_TXNID\" = \"TXN_ID\")",
     true},
    {"num_locks", "locks, waiting ones too", "SELECT count(*) FROM \"HIVE_LOCKS\"", false},
    {"oldest_lock_age_in_sec", "age of the oldest granted lock",
     "SELECT min(\"HL_ACQUIRED_AT\") FROM \"HIVE_LOCKS\" WHERE \"HL_LOCK_STATE\" = 'a'", true},
};

static skep_status single_numbers(const skep_compact_env *env, skep_buf *out, int64_t now, skep_err *err) {
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    int64_t v = 0;
    SKEP_TRY(skep_db_get_i64(env->db, numbers[i].sql, SKEP_NO_PARAMS, &v, NULL, err));
    single(out, numbers[i].name, numbers[i].help, numbers[i].is_age ? age_s(now, v) : v);
  }
  return SKEP_OK;
}

static skep_status aborts(const skep_compact_env *env, skep_arena *arena, skep_buf *out, skep_err *err) {
  skep_compaction_aborts *list;
  uint32_t n;
  int64_t count = 0;
  int64_t most =
      skep_compact_int(env, "hive.metastore.acidmetrics.table.aborted.txns.threshold", ABORTED_TABLE_THRESHOLD);
  SKEP_TRY(skep_compaction_list_aborts(env->db, arena, &list, &n, err));
  for (uint32_t i = 0; i < n; i++) count += (int64_t)list[i].n > most ? 1 : 0;
  single(out, "tables_with_x_aborted_transactions", "tables and partitions with many aborted transactions", count);
  return SKEP_OK;
}

/* What Hive's servers counted of deltas, one line a table or partition. */
static skep_status deltas(const skep_compact_env *env, skep_buf *out, const char *type, const char *name,
                          skep_err *err) {
  skep_stmt *stmt = NULL;
  skep_status status = skep_db_query(env->db,
                                     "SELECT \"CMC_DATABASE\", \"CMC_TABLE\", \"CMC_PARTITION\", \"CMC_METRIC_VALUE\" "
                                     "FROM \"COMPACTION_METRICS_CACHE\" WHERE \"CMC_METRIC_TYPE\" = ?",
                                     SKEP_PARAMS(skep_p_text(type)), &stmt, err);
  if (status == SKEP_ERR_NOT_FOUND) return SKEP_OK; /* an older schema */
  if (status != SKEP_OK) return status;
  gauge(out, name, "directories, as Hive's servers counted them");
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    skep_buf_printf(out, "%s{table=\"", name);
    for (int i = 0; i < 3; i++) {
      const char *part = skep_stmt_text(stmt, i, NULL);
      if (part == NULL) continue;
      if (i > 0) skep_buf_byte(out, i == 1 ? '.' : '/');
      label(out, part);
    }
    skep_buf_printf(out, "\"} %lld\n", (long long)skep_stmt_i64(stmt, 3));
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

/* ---- what this process has done ---- */

static int64_t now_ms(const skep_ctx *ctx) { return ctx->monotonic_ns(ctx->clock_self) / 1000000; }

int64_t skep_compact_cycle_begin(const skep_ctx *ctx, skep_compact_counters *c, skep_compact_cycle which) {
  int64_t now = now_ms(ctx);
  if (which <= SKEP_CYCLE_CLEANER) atomic_store(&c->cycles[which].begun_ms, now > 0 ? now : 1);
  return now;
}

void skep_compact_cycle_end(const skep_ctx *ctx, skep_compact_counters *c, skep_compact_cycle which, int64_t begun_ms,
                            bool failed) {
  int64_t now = now_ms(ctx);
  atomic_store(&c->cycles[which].begun_ms, 0);
  atomic_fetch_add(&c->cycles[which].n, 1);
  atomic_fetch_add(&c->cycles[which].ms, now > begun_ms ? (uint64_t)(now - begun_ms) : 0);
  atomic_fetch_add(&c->cycles[which].failures, failed ? 1 : 0);
}

skep_compact_cycle skep_compact_cycle_of(char type) {
  if (type == SKEP_COMPACTION_REBALANCE) return SKEP_CYCLE_REBALANCE;
  return type == SKEP_COMPACTION_MAJOR ? SKEP_CYCLE_MAJOR : SKEP_CYCLE_MINOR;
}

static void counter(skep_buf *out, const char *name, const char *help, uint64_t v) {
  skep_buf_printf(out, "# HELP %s %s\n# TYPE %s counter\n%s %llu\n", name, help, name, name, (unsigned long long)v);
}

static void timer_lines(skep_buf *out, const char *name, const char *type, uint64_t n, uint64_t ms) {
  skep_buf_printf(out, "%s_sum%s %llu.%03llu\n%s_count%s %llu\n", name, type, (unsigned long long)(ms / 1000),
                  (unsigned long long)(ms % 1000), name, type, (unsigned long long)n);
}

static void timer(skep_buf *out, const char *name, const char *help) {
  skep_buf_printf(out, "# HELP %s %s, in seconds, by this process\n# TYPE %s summary\n", name, help, name);
}

/* Rounds of which one runs at a time: how long the present one has lasted, too. */
static void rounds(const skep_ctx *ctx, skep_buf *out, const char *role, const skep_compact_counters *c,
                   skep_compact_cycle which) {
  char name[80];
  int64_t begun = atomic_load(&c->cycles[which].begun_ms), now = now_ms(ctx);
  snprintf(name, sizeof name, "compaction_%s_cycle", role);
  timer(out, name, "rounds that are over");
  timer_lines(out, name, "", atomic_load(&c->cycles[which].n), atomic_load(&c->cycles[which].ms));
  snprintf(name, sizeof name, "compaction_%s_cycle_duration", role);
  single(out, name, "seconds that the running round has taken; 0: none runs",
         begun > 0 && now > begun ? (now - begun) / 1000 : 0);
  snprintf(name, sizeof name, "compaction_%s_failure_counter", role);
  counter(out, name, "rounds of this process that failed", atomic_load(&c->cycles[which].failures));
}

static void jobs(skep_buf *out, const skep_compact_counters *c) {
  static const char *const types[] = {"{type=\"MINOR\"}", "{type=\"MAJOR\"}", "{type=\"REBALANCE\"}"};
  uint64_t failures = 0;
  timer(out, "compaction_worker_cycle", "jobs that are over");
  for (int i = 0; i < 3; i++) {
    skep_compact_cycle which = (skep_compact_cycle)(SKEP_CYCLE_MINOR + i);
    timer_lines(out, "compaction_worker_cycle", types[i], atomic_load(&c->cycles[which].n),
                atomic_load(&c->cycles[which].ms));
    failures += atomic_load(&c->cycles[which].failures);
  }
  counter(out, "compaction_worker_failure_counter", "jobs of this process that failed", failures);
}

static void of_process(const skep_ctx *ctx, skep_buf *out, const skep_compact_counters *c) {
  rounds(ctx, out, "initiator", c, SKEP_CYCLE_INITIATOR);
  rounds(ctx, out, "cleaner", c, SKEP_CYCLE_CLEANER);
  jobs(out, c);
  counter(out, "total_num_committed_transactions", "transactions that this process committed since it began",
          atomic_load(&c->committed));
  counter(out, "total_num_aborted_transactions", "transactions that this process aborted since it began",
          atomic_load(&c->aborted));
  counter(out, "total_num_timed_out_transactions", "those of them that had timed out", atomic_load(&c->timed_out));
}

static skep_status begun(const skep_compact_env *env, skep_buf *out, skep_err *err) {
  int64_t v = 0;
  SKEP_TRY(skep_db_get_i64(env->db, "SELECT max(\"TXN_ID\") FROM \"TXNS\"", SKEP_NO_PARAMS, &v, NULL, err));
  counter(out, "skep_transactions_begun", "numbers of transactions that were given out, by anybody",
          v > 0 ? (uint64_t)v : 0);
  return SKEP_OK;
}

static skep_status all_of(const skep_compact_env *env, const skep_compact_counters *counters, skep_arena *arena,
                          skep_buf *out, skep_err *err) {
  int64_t now;
  SKEP_TRY(skep_db_now_ms(env->db, &now, err));
  SKEP_TRY(compactions(env, arena, out, now, err));
  SKEP_TRY(single_numbers(env, out, now, err));
  SKEP_TRY(aborts(env, arena, out, err));
  SKEP_TRY(deltas(env, out, "NUM_DELTAS", "compaction_num_active_deltas", err));
  SKEP_TRY(deltas(env, out, "NUM_OBSOLETE_DELTAS", "compaction_num_obsolete_deltas", err));
  SKEP_TRY(deltas(env, out, "NUM_SMALL_DELTAS", "compaction_num_small_deltas", err));
  SKEP_TRY(begun(env, out, err));
  if (counters != NULL) of_process(env->ctx, out, counters);
  return skep_buf_check(out, "metrics", err);
}

skep_status skep_compact_metrics(const skep_compact_env *env, const skep_compact_counters *counters, skep_buf *out,
                                 skep_err *err) {
  bool joined = false;
  skep_arena arena;
  SKEP_TRY(skep_db_begin_unless(env->db, SKEP_DB_READ, &joined, err));
  skep_arena_init(&arena, env->ctx, MAX_ARENA);
  skep_status status = all_of(env, counters, &arena, out, err);
  skep_arena_fini(&arena);
  return skep_db_end(env->db, joined, status, err);
}
