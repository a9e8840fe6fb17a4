/* One job from the queue to its end: see worker.h. */
#include "compact/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compact/job.h"
#include "lock/lock.h"

enum { BEAT_MS = 3000, DEFAULT_ATTEMPTS = 3, MAX_WAITING = 1000, BEGIN_MS = 600000, DAY_MS = 86400000 };

typedef struct work {
  const skep_compact_env *env;
  skep_arena *arena;
  skep_compaction job;
  skep_compact_target target;
  skep_compaction_snapshot snapshot;
  skep_compact_job run;
  skep_compact_done *out;
  int64_t beat_ns; /* monotonic time of the last beat */
} work;

/* ---- ends ---- */

static const char *keep_text(skep_arena *arena, const char *text) {
  const char *copy = skep_arena_strndup(arena, text, strlen(text));
  return copy != NULL ? copy : "out of memory";
}

static skep_status refuse(work *w, const char *reason, skep_err *err) {
  w->out->state = 'c';
  w->out->reason = keep_text(w->arena, reason);
  skep_compact_note(w->env, "compaction %lld of %s.%s is refused: %s", (long long)w->job.id, w->job.database,
                    w->job.table, reason);
  return skep_compaction_refuse(w->env->db, &w->job, w->snapshot.txn.id, reason, err);
}

/* Nothing of the job is left in its directory, and that is known. */
static bool files_gone(const work *w) {
  if (w->snapshot.txn.id == 0 || w->target.path == NULL) return true;
  return skep_compact_leftovers(w->env->ctx, w->env->fs, w->target.path, w->snapshot.txn.id, NULL, NULL) == SKEP_OK;
}

static skep_status fail_job(work *w, const skep_err *why, skep_err *err) {
  w->out->state = 'f';
  w->out->reason = keep_text(w->arena, why->text);
  skep_compact_note(w->env, "compaction %lld of %s.%s failed: %s", (long long)w->job.id, w->job.database, w->job.table,
                    why->text);
  return skep_compaction_fail(w->env->db, &w->job, w->snapshot.txn.id, files_gone(w), why->text, err);
}

static skep_status put_back(work *w, const char *reason, skep_err *err) {
  w->out->state = 'i';
  w->out->reason = keep_text(w->arena, reason);
  return skep_compaction_retry(w->env->db, &w->job, w->snapshot.txn.id, files_gone(w), false, reason, err);
}

/* ---- what is refused ---- */

/* NULL, or why this cannot be compacted; into text. */
static const char *refusal(const work *w, char *text, size_t size) {
  const skep_catalog_table *t = w->target.t;
  const char *what = NULL;
  if (t == NULL) {
    snprintf(text, size, "Table %s.%s was dropped", w->job.database, w->job.table);
    return text;
  }
  if (w->job.partition != NULL && w->target.p == NULL) {
    snprintf(text, size, "Partition %s of table %s.%s was dropped", w->job.partition, t->db, t->name);
    return text;
  }
  if (!skep_compaction_type_is_known(w->job.type)) what = "a request of a type that does not exist";
  if (!skep_table_is_transactional(t)) what = "a table that is not transactional";
  if (t->n_sort_columns > 0) what = "a sorted table";
  if (skep_table_is_partitioned(t) && w->job.partition == NULL) what = "a partitioned table without a partition";
  if (w->target.path == NULL) what = "a table without a directory";
  if (w->job.type == SKEP_COMPACTION_REBALANCE && t->n_buckets > 0) what = "a bucketed table (rebalance)";
  if (w->job.type == SKEP_COMPACTION_REBALANCE && t->kind == SKEP_TABLE_INSERT_ONLY)
    what = "an insert-only table (rebalance)";
  if (what == NULL) return NULL;
  snprintf(text, size, "Compaction is not supported for %s: %s.%s", what, t->db, t->name);
  return text;
}

/* ---- transaction, snapshot, lock ---- */

static skep_status lock(work *w, char *waits, size_t size, skep_err *err) {
  const skep_lock_owner owner = {
      .txn = w->snapshot.txn.id, .user = w->env->conf.user, .host = w->env->conf.host, .agent = w->env->conf.agent};
  const skep_lock_component component = {
      .database = w->job.database,
      .table = w->job.table,
      .partition = w->job.partition,
      .type = w->job.type == SKEP_COMPACTION_REBALANCE ? SKEP_LOCK_EXCL_WRITE : SKEP_LOCK_SHARED_READ};
  skep_lock_state state;
  skep_lock_blocker blocker = {0};
  int64_t ext_id;
  SKEP_TRY(skep_lock_request(w->env->db, &owner, &component, 1, w->arena, &ext_id, &state, &blocker, err));
  if (state == SKEP_LOCK_ACQUIRED) return SKEP_OK;
  snprintf(waits, size, "waits for a lock: transaction %lld of %s at %s holds %s", (long long)blocker.txn,
           blocker.user != NULL ? blocker.user : "?", blocker.host != NULL ? blocker.host : "?",
           skep_lock_name(blocker.type));
  return SKEP_ERR_BUSY;
}

/* Inside a write transaction. SKEP_END: the text says why not now, or not at all. */
static skep_status begin_rows(work *w, bool *refused, char *text, size_t size, skep_err *err) {
  const skep_compact_env *env = w->env;
  SKEP_TRY(skep_compact_find(env, w->arena, w->job.database, w->job.table, w->job.partition, &w->target, err));
  *refused = refusal(w, text, size) != NULL;
  if (*refused) return SKEP_END;
  SKEP_TRY(skep_compaction_begin(env->db, &env->conf, w->arena, &w->job, &w->snapshot, err));
  skep_status status = lock(w, text, size, err);
  return status == SKEP_ERR_BUSY ? SKEP_END : status;
}

/* *done: the job has come to its end already. */
static skep_status begin(work *w, bool *done, skep_err *err) {
  char text[400] = "";
  bool refused = false;
  *done = true;
  SKEP_TRY(skep_db_begin(w->env->db, SKEP_DB_WRITE, err));
  skep_status status = begin_rows(w, &refused, text, sizeof text, err);
  if (status == SKEP_OK) {
    *done = false;
    status = skep_db_commit(w->env->db, err);
    if (status == SKEP_OK) return SKEP_OK;
  }
  skep_db_rollback(w->env->db);
  w->snapshot = (skep_compaction_snapshot){0}; /* never was */
  *done = true;
  if (status == SKEP_END) return refused ? refuse(w, text, err) : put_back(w, text, err);
  return status;
}

/* ---- the run ---- */

/* "42% 85.1 MB/s 31 s left" */
static void progress_text(const skep_compact_progress *p, char *out, size_t size) {
  double seconds = (double)p->elapsed_ns / 1e9;
  double rate = seconds > 0 ? (double)p->bytes_done / seconds : 0;
  int percent = p->bytes_all > 0 ? (int)(100.0 * (double)p->bytes_done / (double)p->bytes_all) : 100;
  double left = rate > 0 && p->bytes_all > p->bytes_done ? (double)(p->bytes_all - p->bytes_done) / rate : 0;
  snprintf(out, size, "%d%% %.1f MB/s %.0f s left", percent, rate / 1e6, left);
}

static skep_status beat(void *self, const skep_compact_progress *p, skep_err *err) {
  work *w = self;
  const skep_compact_env *env = w->env;
  char text[64];
  if (env->progress != NULL) env->progress(env->progress_self, &w->job, p);
  SKEP_TRY(skep_compact_check(env, err));
  int64_t now = env->ctx->monotonic_ns(env->ctx->clock_self);
  if (now - w->beat_ns < (int64_t)BEAT_MS * 1000000) return SKEP_OK;
  w->beat_ns = now;
  progress_text(p, text, sizeof text);
  return skep_compaction_heartbeat(env->db, &w->job, w->snapshot.txn.id, text, err);
}

static skep_status run(work *w, skep_err *err) {
  w->run.progress = beat;
  w->run.progress_self = w;
  w->run.cancel = w->env->cancel;
  w->beat_ns = w->env->ctx->monotonic_ns(w->env->ctx->clock_self);
  return skep_compact_run(w->env->ctx, &w->run, w->arena, &w->out->result, err);
}

/* ---- nothing to do, but perhaps something to clean ---- */

static skep_status has_leftovers(work *w, bool *out, skep_err *err) {
  skep_layout *layout = NULL;
  *out = false;
  skep_status status = skep_compact_job_layout(w->env, w->arena, &w->run, &layout, err);
  if (status == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (status != SKEP_OK) return status;
  for (uint32_t i = 0; i < layout->n_dirs && !*out; i++)
    *out = layout->dirs[i].verdict == SKEP_OBSOLETE || layout->dirs[i].verdict == SKEP_ABORTED;
  skep_layout_free(layout);
  return SKEP_OK;
}

/* ---- the end of a good one ---- */

static skep_status check_same(work *w, skep_err *err) {
  skep_compact_target now;
  SKEP_TRY(skep_compact_find(w->env, w->arena, w->job.database, w->job.table, w->job.partition, &now, err));
  if (now.t != NULL && now.t->id == w->target.t->id && now.path != NULL && strcmp(now.path, w->target.path) == 0 &&
      (w->target.p == NULL || (now.p != NULL && now.p->id == w->target.p->id)))
    return SKEP_OK;
  return skep_fail(err, SKEP_ERR_CONFLICT, "%s.%s was dropped, replaced or moved meanwhile", w->job.database,
                   w->job.table);
}

/* What a new base holds is what there is, unless somebody wrote since. */
static skep_status store_statistics(work *w, skep_db *db, skep_err *err) {
  const skep_compact_result *r = &w->out->result;
  bool written = false;
  if (w->run.kind != SKEP_COMPACT_MAJOR && w->run.kind != SKEP_COMPACT_REBALANCE) return SKEP_OK;
  if (r->n_dirs == 0 || !skep_compact_bool(w->env, "hive.compactor.gather.stats", true)) return SKEP_OK;
  SKEP_TRY(skep_compaction_written_above(db, w->job.database, w->job.table, w->job.partition, w->snapshot.write_ids.hwm,
                                         &written, err));
  if (written) return SKEP_OK;
  const skep_catalog_params *params = w->target.p != NULL ? &w->target.p->params : &w->target.t->params;
  const skep_catalog_stats stats = {.n_rows = (int64_t)r->rows,
                                    .n_files = r->n_files,
                                    .size_bytes = (int64_t)r->bytes_written,
                                    .is_stale = r->rows_unknown,
                                    .set_rows = true,
                                    /* rows are what they were: what was accurate of columns is so still */
                                    .accurate = skep_catalog_stats_accurate(params)};
  return skep_catalog_update_stats(w->env->catalog, w->target.t, w->target.p, &stats, 0, err);
}

static skep_status also(void *self, skep_db *db, skep_err *err) {
  work *w = self;
  SKEP_TRY(check_same(w, err));
  return store_statistics(w, db, err);
}

/* As Hive's StatsUpdater: of the columns that have statistics. The compaction is done, whatever becomes of them. */
static void gather(work *w) {
  const skep_compact_env *env = w->env;
  const skep_catalog_column_stats *known;
  size_t n = 0;
  skep_err why = {0};
  if (w->run.kind != SKEP_COMPACT_MAJOR || env->gather == NULL ||
      !skep_compact_bool(env, "hive.compactor.gather.stats", true))
    return;
  skep_status status =
      skep_catalog_list_column_stats(env->catalog, w->arena, w->target.t, w->target.p, NULL, &known, &n, &why);
  if (status == SKEP_OK && n > 0)
    status = env->gather(env->gather_self, w->job.database, w->job.table, w->job.partition, &why);
  if (status != SKEP_OK)
    skep_compact_note(env, "statistics of columns of %s.%s are not computed: %s", w->job.database, w->job.table,
                      why.text);
}

static skep_status commit(work *w, skep_err *err) {
  const skep_compact_result *r = &w->out->result;
  bool incremental = w->run.kind == SKEP_COMPACT_INCREMENTAL;
  skep_err why = {0};
  bool committed = true;
  skep_status status =
      skep_compaction_commit(w->env->db, &w->job, w->snapshot.txn.id, incremental ? w->run.min_write_id : 0,
                             incremental ? w->run.max_write_id : w->snapshot.write_ids.hwm, also, w, &why);
  if (status == SKEP_ERR_IN_DOUBT) { /* nothing may be removed before this is known */
    SKEP_TRY(skep_compaction_settle(w->env->db, &w->job, w->snapshot.txn.id, &committed, err));
    if (committed) status = SKEP_OK;
  }
  if (status != SKEP_OK) return fail_job(w, &why, err);
  w->out->state = 'r';
  if (r->n_dirs > 0)
    skep_compact_note(w->env, "compaction %lld of %s.%s%s%s made %s (%llu rows, %llu bytes)", (long long)w->job.id,
                      w->job.database, w->job.table, w->job.partition != NULL ? " " : "",
                      w->job.partition != NULL ? w->job.partition : "", r->dirs[0], (unsigned long long)r->rows,
                      (unsigned long long)r->bytes_written);
  gather(w);
  return SKEP_OK;
}

static skep_status finish(work *w, skep_status ran, const skep_err *why, skep_err *err) {
  bool leftovers = false;
  char text[200];
  if (ran == SKEP_ERR_CANCELLED) {
    SKEP_TRY(put_back(w, "interrupted", err));
    return skep_fail(err, SKEP_ERR_CANCELLED, "the compaction was interrupted");
  }
  if (ran == SKEP_ERR_LIMIT && w->out->result.missing_bytes > 0) {
    snprintf(text, sizeof text, "waits for free space: %llu bytes more are needed",
             (unsigned long long)w->out->result.missing_bytes);
    return put_back(w, text, err);
  }
  if (ran != SKEP_OK) return fail_job(w, why, err);
  if (!w->out->result.nothing_to_do) return commit(w, err);
  SKEP_TRY(has_leftovers(w, &leftovers, err));
  if (leftovers) return commit(w, err);
  const char *reason = w->out->result.reason;
  snprintf(text, sizeof text, "None of the compaction thresholds met, compaction request is refused! (%s)",
           reason != NULL ? reason : "there is nothing to compact");
  return refuse(w, text, err);
}

/* The job is in state 'w' and this worker's. */
static skep_status do_job(work *w, skep_err *err) {
  bool done = false;
  skep_err why = {0};
  w->out->id = w->job.id;
  w->out->type = w->job.type;
  SKEP_TRY(begin(w, &done, err));
  if (done) return SKEP_OK;
  w->out->txn = w->snapshot.txn.id;
  skep_status status = skep_compact_job_make(w->env, w->arena, &w->job, &w->target, &w->snapshot, &w->run, &why);
  if (status == SKEP_END) return refuse(w, why.text, err); /* no run of neighbours that would be worth it */
  if (status == SKEP_OK) status = run(w, &why);
  return finish(w, status, &why, err);
}

/* ---- which job ---- */

static skep_status take_one(work *w, const skep_compaction_worker *self, int64_t id, skep_err *err) {
  *w->out = (skep_compact_done){0};
  w->snapshot = (skep_compaction_snapshot){0};
  SKEP_TRY(skep_compaction_take(w->env->db, self, id, w->arena, &w->job, err));
  return w->job.id != 0 ? do_job(w, err) : SKEP_OK;
}

/* A job that had to be put back does not keep the others waiting. */
static skep_status take_first(work *w, const skep_compaction_worker *self, skep_err *err) {
  skep_compaction *waiting;
  skep_compact_done last = {0};
  uint32_t n;
  SKEP_TRY(skep_compaction_list_waiting(w->env->db, self, MAX_WAITING, w->arena, &waiting, &n, err));
  for (uint32_t i = 0; i < n; i++) {
    bool admitted = false;
    SKEP_TRY(skep_compact_admitted(w->env, w->arena, &waiting[i], &admitted, err));
    if (!admitted) continue;
    SKEP_TRY(take_one(w, self, waiting[i].id, err));
    if (w->out->id != 0 && w->out->state != 'i') return SKEP_OK;
    if (w->out->id != 0) last = *w->out;
  }
  *w->out = last;
  return SKEP_OK;
}

skep_status skep_compact_work_once(const skep_compact_env *env, int64_t id, const char *pool, skep_arena *arena,
                                   skep_compact_done *out, skep_err *err) {
  work w = {.env = env, .arena = arena, .out = out};
  const skep_compaction_worker self = {
      .id = env->worker_id,
      .version = env->version,
      .pool = pool,
      .pool_timeout_ms = skep_compact_ms(env, "hive.compactor.worker.pool.timeout", 3600000, 12 * 3600000LL)};
  *out = (skep_compact_done){0};
  SKEP_TRY(skep_compact_check(env, err));
  return id != 0 ? take_one(&w, &self, id, err) : take_first(&w, &self, err);
}

/* ---- the dead ---- */

static skep_status revive(const skep_compact_env *env, skep_arena *arena, const skep_compaction *job, skep_err *err) {
  char text[400];
  const char *attempts = NULL;
  skep_compact_target target;
  bool committed = false;
  int64_t n = 0, most = skep_compact_int(env, "skep.compactor.max.attempts", DEFAULT_ATTEMPTS);
  int64_t txn = job->txn_id > 0 ? job->txn_id : 0;
  /* a COMMIT that the dead one sent may still be on its way: nothing is removed before it cannot count any more */
  if (txn != 0) SKEP_TRY(skep_compaction_settle(env->db, job, txn, &committed, err));
  if (committed) txn = 0; /* its files are the table's */
  SKEP_TRY(skep_compaction_property(job, SKEP_COMPACTION_ATTEMPTS, arena, &attempts, err));
  if (attempts != NULL && !skep_parse_int(attempts, &n)) n = 0;
  snprintf(text, sizeof text, "its worker %.128s died (transaction %lld)",
           job->worker_id != NULL ? job->worker_id : "?", (long long)job->txn_id);
  SKEP_TRY(skep_compact_find(env, arena, job->database, job->table, job->partition, &target, err));
  if (txn != 0 && target.path != NULL) {
    skep_status status = skep_compact_leftovers(env->ctx, env->fs, target.path, txn, NULL, err);
    if (status != SKEP_OK && status != SKEP_ERR_NOT_FOUND) return status;
  }
  skep_compact_note(env, "compaction %lld of %s.%s: %s, %s", (long long)job->id, job->database, job->table, text,
                    n + 1 >= most ? "given up" : "tried again");
  /* its component stays until a cleaner has seen that nothing bears its number: the process may not be quite dead */
  if (n + 1 >= most) return skep_compaction_fail(env->db, job, txn, false, text, err);
  return skep_compaction_retry(env->db, job, txn, false, true, text, err);
}

skep_status skep_compact_revive(const skep_compact_env *env, skep_arena *arena, uint32_t *n_found, skep_err *err) {
  skep_compaction *dead;
  uint32_t n;
  int64_t timeout = skep_compact_ms(env, "hive.compactor.worker.timeout", 1000, DAY_MS);
  SKEP_TRY(skep_compaction_list_dead(env->db, timeout, BEGIN_MS, arena, &dead, &n, err));
  for (uint32_t i = 0; i < n; i++) SKEP_TRY(revive(env, arena, &dead[i], err));
  if (n_found != NULL) *n_found = n;
  return SKEP_OK;
}

skep_status skep_compact_revive_own(const skep_compact_env *env, skep_arena *arena, skep_err *err) {
  skep_compaction *left;
  uint32_t n;
  SKEP_TRY(skep_compaction_list_of_worker(env->db, env->worker_id, arena, &left, &n, err));
  for (uint32_t i = 0; i < n; i++) SKEP_TRY(revive(env, arena, &left[i], err));
  return SKEP_OK;
}

/* ---- who is there ---- */

enum { ALIVE_MS = 30000 };
#define ALIVE "skep.compactor.alive"

skep_status skep_compact_worker_alive(skep_db *db, bool *alive, skep_err *err) {
  int64_t now, seen = 0;
  char text[24];
  *alive = false;
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  SKEP_TRY(skep_db_get_property(db, ALIVE, text, sizeof text, err));
  if (skep_parse_int(text, &seen)) *alive = seen > now - ALIVE_MS && seen <= now;
  return SKEP_OK;
}

skep_status skep_compact_worker_beat(skep_db *db, bool leaves, skep_err *err) {
  int64_t now;
  char text[24];
  bool joined = false;
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  snprintf(text, sizeof text, "%lld", leaves ? 0LL : (long long)now);
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE_LAZY, &joined, err));
  return skep_db_end(db, joined, skep_db_set_property(db, ALIVE, text, err), err);
}
