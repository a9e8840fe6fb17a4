/* The housekeeper: see housekeeper.h. */
#include "compact/housekeeper.h"

#include <string.h>

#include "txn/mutex.h"
#include "txn/progress.h"

enum { MAX_ARENA = 1 << 28 };

int64_t skep_compact_housekeeper_interval_ms(const skep_compact_env *env) {
  return skep_compact_ms(env, "hive.metastore.acid.housekeeper.interval", 1000, 60000);
}

static skep_status purge_history(const skep_compact_env *env, uint64_t *n, skep_err *err) {
  static const int64_t day_ms = 24 * 3600 * 1000;
  const skep_compaction_retention keep = {
      .succeeded = (uint32_t)skep_compact_int(env, "hive.compactor.history.retention.succeeded", 3),
      .failed = (uint32_t)skep_compact_int(env, "hive.compactor.history.retention.failed", 3),
      .did_not_initiate = (uint32_t)skep_compact_int(env, "hive.compactor.history.retention.did.not.initiate", 2),
      .refused = (uint32_t)skep_compact_int(env, "hive.compactor.history.retention.refused", 3),
      .timeout_ms = skep_compact_ms(env, "hive.compactor.history.retention.timeout", day_ms, 7 * day_ms)};
  return skep_compaction_purge(env->db, &keep, n, err);
}

/* --- those that live and do nothing --- */

static const char *quoted(char out[100], const char *text) {
  if (text == NULL) text = "?";
  return skep_quote(out, 100, text, strlen(text));
}

static bool aborts_stalled(const skep_compact_env *env) {
  const char *action = env->config != NULL ? skep_config_get(env->config, "skep.txn.stall.action") : NULL;
  return action != NULL && strcmp(action, "abort") == 0;
}

static skep_status handle_stalled(const skep_compact_env *env, skep_arena *arena, skep_compact_housekeeping *out,
                                  skep_err *err) {
  int64_t stall_ms = skep_compact_ms(env, "skep.txn.stall.timeout", 1000, 0);
  skep_txn_stalled *stalled;
  if (stall_ms <= 0) return SKEP_OK;
  SKEP_TRY(skep_txn_find_stalled(env->db, arena, stall_ms, &stalled, &out->n_stalled, err));
  for (uint32_t i = 0; i < out->n_stalled; i++) {
    const skep_txn_stalled *t = &stalled[i];
    bool aborted = false;
    char user[100], host[100], query[100];
    if (aborts_stalled(env)) SKEP_TRY(skep_txn_abort_stalled(env->db, t->txn, stall_ms, &aborted, err));
    out->n_stalled_aborted += aborted;
    skep_compact_note(env, "housekeeper: transaction %lld of %s@%s (query %s) has done nothing for %lld s%s",
                      (long long)t->txn, quoted(user, t->user), quoted(host, t->host), quoted(query, t->query),
                      (long long)(t->idle_ms / 1000), aborted ? ": aborted" : "");
  }
  return SKEP_OK;
}

static skep_status keep_house(const skep_compact_env *env, skep_arena *arena, skep_compact_housekeeping *out,
                              skep_err *err) {
  SKEP_TRY(skep_txn_housekeep(env->db, &env->conf, &out->txn, err));
  if (out->txn.timed_out > 0)
    skep_compact_note(env, "housekeeper: %llu transactions of processes that are not heard of any more: aborted",
                      (unsigned long long)out->txn.timed_out);
  SKEP_TRY(skep_compact_check(env, err));
  SKEP_TRY(purge_history(env, &out->n_history, err));
  return handle_stalled(env, arena, out, err);
}

skep_status skep_compact_keep_house(const skep_compact_env *env, skep_compact_housekeeping *out, skep_err *err) {
  skep_txn_mutex *mutex;
  skep_err why = {0};
  *out = (skep_compact_housekeeping){0};
  skep_status st = skep_txn_mutex_acquire(env->db, "HouseKeeper", 0, &mutex, &why);
  if (st == SKEP_ERR_BUSY) return SKEP_OK;
  if (st != SKEP_OK) {
    if (err != NULL) *err = why;
    return st;
  }
  skep_arena arena;
  skep_arena_init(&arena, env->ctx, MAX_ARENA);
  out->is_leader = true;
  st = keep_house(env, &arena, out, err);
  skep_arena_fini(&arena);
  skep_txn_mutex_release(mutex);
  return st;
}
