/* Looks at what was written and asks for compactions: see initiator.h.
 *
 * Source: Hive 4.0 Initiator, InitiatorBase, CompactorUtil (txn-protocol 9.3). */
#include "compact/initiator.h"

#include <stdio.h>
#include <string.h>

#include "acid/layout.h"
#include "compact/job.h"
#include "compact/worker.h"
#include "txn/mutex.h"
#include "txn/string_map.h"

enum { MAX_ARENA = 1 << 30, FETCH = 1000, DEFAULT_DELTAS = 10, DEFAULT_FAILED = 2, DEFAULT_ABORTS = 1000 };
#define DEFAULT_PART 0.1
#define WEEK_MS (7 * 86400000LL)

/* ---- thresholds ---- */

static int64_t int_threshold(const skep_compact_env *env, const skep_catalog_table *t, const char *name,
                             int64_t otherwise) {
  const char *own = skep_compact_threshold(t, name);
  int64_t value;
  return own != NULL && skep_parse_int(own, &value) ? value : skep_compact_int(env, name, otherwise);
}

static double part_threshold(const skep_compact_env *env, const skep_catalog_table *t, const char *name,
                             double otherwise) {
  const char *own = skep_compact_threshold(t, name);
  double value;
  return own != NULL && skep_compact_parse_double(own, &value) ? value : skep_compact_double(env, name, otherwise);
}

/* ---- what a directory looks like ---- */

typedef struct sizes {
  uint64_t base, deltas;
  uint32_t n_deltas; /* current ones, of both kinds */
  bool has_base, has_obsolete_base, has_originals, has_raw;
} sizes;

static uint64_t bytes_of(const skep_layout_dir *d) {
  uint64_t bytes = 0;
  for (uint32_t k = 0; k < d->n_files; k++)
    if (d->files[k].verdict == SKEP_USED) bytes += d->files[k].size_bytes;
  return bytes;
}

static sizes measure(const skep_layout *layout) {
  sizes s = {0};
  for (uint32_t i = 0; i < layout->n_dirs; i++) {
    const skep_layout_dir *d = &layout->dirs[i];
    if (d->verdict == SKEP_OBSOLETE && d->parsed.kind == SKEP_DIR_BASE) s.has_obsolete_base = true;
    if (i >= layout->n_used) continue;
    switch (d->parsed.kind) {
      case SKEP_DIR_BASE:
        s.has_base = true;
        s.base += bytes_of(d);
        break;
      case SKEP_DIR_OTHER:
        if (bytes_of(d) == 0) break;
        s.has_originals = true;
        s.base += bytes_of(d);
        break;
      default:
        s.n_deltas++;
        s.deltas += bytes_of(d);
        if (d->content == SKEP_CONTENT_RAW) s.has_raw = true;
    }
  }
  return s;
}

/* Whether minor compactions are possible at all. */
static bool minor_is_possible(const skep_compact_env *env, const skep_catalog_table *t, const sizes *s) {
  if (t->kind == SKEP_TABLE_INSERT_ONLY || !skep_compact_bool(env, "hive.compactor.crud.query.based", false))
    return true;
  return !s->has_originals && !s->has_raw;
}

static skep_status say_why(skep_arena *arena, const char *text, const char **out, skep_err *err) {
  *out = skep_arena_strndup(arena, text, strlen(text));
  return *out != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "an assessment");
}

/* A base that is far larger than what came after it: some neighbours, instead of everything above it. */
static skep_status prefers_run(const skep_compact_env *env, const skep_layout *layout, skep_arena *arena, bool *out,
                               skep_err *err) {
  skep_compact_range *ranges;
  skep_compact_run_of run;
  uint32_t n;
  *out = false;
  if (!skep_compact_bool(env, "skep.compactor.incremental", false)) return SKEP_OK;
  SKEP_TRY(skep_compact_find_run(env, layout, arena, &ranges, &n, &run, err));
  *out = run.n > 0;
  return SKEP_OK;
}

static skep_status decide(const skep_compact_env *env, const skep_catalog_table *t, const skep_layout *layout,
                          skep_arena *arena, char *type, bool *incremental, const char **why, skep_err *err) {
  char text[240];
  sizes s = measure(layout);
  double part = part_threshold(env, t, "hive.compactor.delta.pct.threshold", DEFAULT_PART);
  int64_t most = int_threshold(env, t, "hive.compactor.delta.num.threshold", DEFAULT_DELTAS);
  bool no_base = s.base == 0 && s.deltas > 0;
  if (!no_base && s.base > 0 && (double)s.deltas / (double)s.base > part) {
    *type = SKEP_COMPACTION_MAJOR;
    snprintf(text, sizeof text, "%llu bytes in deltas are more than %.3g of the base's %llu",
             (unsigned long long)s.deltas, part, (unsigned long long)s.base);
    return say_why(arena, text, why, err);
  }
  if (!no_base && s.deltas == 0 && s.n_deltas == 0 && s.has_obsolete_base) {
    *type = SKEP_COMPACTION_MAJOR;
    return say_why(arena, "bases that were replaced are left", why, err);
  }
  if ((int64_t)s.n_deltas <= most) {
    snprintf(text, sizeof text, "%u deltas, at most %lld are left alone", s.n_deltas, (long long)most);
    return say_why(arena, text, why, err);
  }
  SKEP_TRY(prefers_run(env, layout, arena, incremental, err));
  *type = (no_base && !*incremental) || !minor_is_possible(env, t, &s) ? SKEP_COMPACTION_MAJOR : SKEP_COMPACTION_MINOR;
  if (*type == SKEP_COMPACTION_MAJOR) *incremental = false;
  snprintf(text, sizeof text, "%u deltas are more than %lld%s", s.n_deltas, (long long)most,
           *type == SKEP_COMPACTION_MAJOR ? ", and there is no base" : "");
  return say_why(arena, text, why, err);
}

/* Under the list that a compactor would have. */
static skep_status snapshot_for(const skep_compact_env *env, skep_arena *arena, const skep_catalog_table *t,
                                skep_snapshot *out, skep_err *err) {
  SKEP_TRY(skep_compact_snapshot_now(env->db, &env->conf, arena, t->db, t->name, false, out, err));
  skep_id_list *ids = &out->write_ids;
  if (ids->n_open > 0 && ids->open[0] <= ids->high_watermark) ids->high_watermark = ids->open[0] - 1;
  out->for_compactor = true;
  return SKEP_OK;
}

skep_status skep_compact_assess(const skep_compact_env *env, const skep_compact_target *target, skep_arena *arena,
                                char *type, bool *incremental, const char **why, skep_err *err) {
  skep_snapshot snapshot;
  skep_layout *layout = NULL;
  *type = 0;
  *incremental = false;
  *why = "";
  SKEP_TRY(snapshot_for(env, arena, target->t, &snapshot, err));
  const skep_layout_opts opts = {
      .snapshot = &snapshot, .hive = SKEP_HIVE_4, .is_insert_only = target->t->kind == SKEP_TABLE_INSERT_ONLY};
  skep_status status = skep_layout_read(env->ctx, env->fs, target->path, &opts, &layout, err);
  if (status == SKEP_ERR_NOT_FOUND) {
    *why = "there is no directory";
    return SKEP_OK;
  }
  if (status == SKEP_OK) status = decide(env, target->t, layout, arena, type, incremental, why, err);
  skep_layout_free(layout);
  return status;
}

/* ---- who may be asked for ---- */

typedef struct round_of {
  const skep_compact_env *env;
  bool dry_run, postponed;
  skep_compact_initiated *out;
  int64_t now;
} round_of;

/* The last attempts all failed, and not long enough ago. */
static skep_status is_backing_off(round_of *r, skep_arena *arena, const skep_compaction_candidate *c, bool *out,
                                  skep_err *err) {
  skep_compaction *rows;
  uint32_t n;
  int64_t most = skep_compact_int(r->env, "hive.compactor.initiator.failed.compacts.threshold", DEFAULT_FAILED);
  int64_t retry = skep_compact_ms(r->env, "hive.compactor.initiator.failed.retry.time", 86400000, WEEK_MS);
  *out = false;
  if (most < 1) return SKEP_OK;
  if (most > 20) most = 20;
  SKEP_TRY(skep_compaction_history(r->env->db, c->database, c->table, c->partition, "sf", (uint32_t)most, arena, &rows,
                                   &n, err));
  if ((int64_t)n < most) return SKEP_OK;
  for (uint32_t i = 0; i < n; i++)
    if (rows[i].state != 'f') return SKEP_OK;
  *out = retry <= 0 || rows[0].enqueued_ms + retry > r->now;
  return SKEP_OK;
}

static bool is_off(const skep_catalog_params *params) {
  const char *lower = skep_catalog_param_get(params, "no_auto_compaction");
  const char *upper = skep_catalog_param_get(params, "NO_AUTO_COMPACTION");
  bool off = false;
  if (lower != NULL && skep_parse_bool(lower, &off) && off) return true;
  return upper != NULL && skep_parse_bool(upper, &off) && off;
}

static skep_status database_is_off(round_of *r, skep_arena *arena, const char *name, bool *out, const char **pool,
                                   skep_err *err) {
  const skep_catalog_db *db;
  *out = false;
  *pool = NULL;
  skep_status status = skep_catalog_get_database(r->env->catalog, arena, name, &db, err);
  if (status == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (status != SKEP_OK) return status;
  *out = is_off(&db->params);
  *pool = skep_catalog_param_get(&db->params, SKEP_COMPACTION_POOL);
  return SKEP_OK;
}

/* *target->path NULL: not to be looked at. */
static skep_status eligible(round_of *r, skep_arena *arena, const skep_compaction_candidate *c,
                            skep_compact_target *target, const char **pool, skep_err *err) {
  bool off = false;
  *target = (skep_compact_target){0};
  if (c->is_queued) return SKEP_OK;
  SKEP_TRY(skep_compact_find(r->env, arena, c->database, c->table, c->partition, target, err));
  if (target->path == NULL) return SKEP_OK;
  SKEP_TRY(database_is_off(r, arena, c->database, &off, pool, err));
  const skep_catalog_table *t = target->t;
  if (skep_compact_is_paused(t)) r->postponed = off = true;
  if (is_off(&t->params) || !skep_table_is_transactional(t) || t->n_sort_columns > 0) off = true;
  if (t->kind == SKEP_TABLE_INSERT_ONLY && !skep_compact_bool(r->env, "hive.compactor.compact.insert.only", true))
    off = true;
  if (skep_table_is_partitioned(t) && c->partition == NULL) off = true;
  if (off) target->path = NULL;
  const char *own = skep_catalog_param_get(&t->params, SKEP_COMPACTION_POOL);
  if (own != NULL) *pool = own;
  return SKEP_OK;
}

/* ---- asking ---- */

static skep_status properties_of(const skep_compact_env *env, skep_arena *arena, const skep_catalog_table *t,
                                 bool incremental, const char **out, skep_err *err) {
  const char *priority = skep_catalog_param_get(&t->params, SKEP_COMPACTION_PRIORITY);
  skep_buf text;
  *out = NULL;
  if (!incremental && priority == NULL) return SKEP_OK;
  skep_buf_init(&text, env->ctx, SKEP_STRING_MAP_MAX_BYTES);
  skep_string_map_begin(&text, (size_t)incremental + (size_t)(priority != NULL));
  if (incremental)
    skep_string_map_add(&text, skep_bytes_of(SKEP_COMPACTION_INCREMENTAL, strlen(SKEP_COMPACTION_INCREMENTAL)),
                        skep_bytes_of("true", 4));
  if (priority != NULL)
    skep_string_map_add(&text, skep_bytes_of(SKEP_COMPACTION_PRIORITY, strlen(SKEP_COMPACTION_PRIORITY)),
                        skep_bytes_of(priority, strlen(priority)));
  skep_status status = skep_buf_check(&text, "properties of a compaction", err);
  if (status == SKEP_OK) {
    *out = skep_buf_copy(&text, arena);
    if (*out == NULL) status = skep_fail(err, SKEP_ERR_NOMEM, "properties of a compaction");
  }
  skep_buf_fini(&text);
  return status;
}

static skep_status ask(round_of *r, skep_arena *arena, const skep_compaction_candidate *c,
                       const skep_compact_target *target, const char *pool, char type, bool incremental,
                       const char *why, skep_err *err) {
  skep_compaction_answer answer;
  skep_compaction_request request = {.database = c->database,
                                     .table = c->table,
                                     .partition = c->partition,
                                     .type = type,
                                     .run_as = r->env->conf.user,
                                     .initiator_id = r->env->worker_id,
                                     .initiator_version = r->env->version,
                                     .pool = pool};
  skep_compact_note(r->env, "%s.%s%s%s: %s compaction: %s", c->database, c->table, c->partition != NULL ? " " : "",
                    c->partition != NULL ? c->partition : "",
                    incremental ? "INCREMENTAL" : skep_compaction_type_name(type), why);
  if (r->dry_run) {
    r->out->n_enqueued++;
    return SKEP_OK;
  }
  SKEP_TRY(properties_of(r->env, arena, target->t, incremental, &request.properties, err));
  SKEP_TRY(skep_compaction_enqueue(r->env->db, &r->env->conf, arena, &request, &answer, err));
  r->out->n_enqueued += answer.accepted ? 1 : 0;
  r->out->n_refused += answer.accepted ? 0 : 1;
  return SKEP_OK;
}

static skep_status did_not(round_of *r, const skep_compaction_candidate *c, const char *why, skep_err *err) {
  const skep_compaction_request request = {.database = c->database,
                                           .table = c->table,
                                           .partition = c->partition,
                                           .initiator_id = r->env->worker_id,
                                           .initiator_version = r->env->version};
  r->out->n_failed++;
  skep_compact_note(r->env, "%s.%s: %s", c->database, c->table, why);
  return r->dry_run ? SKEP_OK : skep_compaction_did_not_initiate(r->env->db, &request, why, err);
}

static skep_status look_at(round_of *r, skep_arena *arena, const skep_compaction_candidate *c, skep_err *err) {
  skep_compact_target target;
  const char *why = "", *pool = NULL;
  char type = 0;
  bool incremental = false, off = false;
  SKEP_TRY(eligible(r, arena, c, &target, &pool, err));
  if (target.path == NULL) return SKEP_OK;
  r->out->n_candidates++;
  SKEP_TRY(skep_compact_assess(r->env, &target, arena, &type, &incremental, &why, err));
  if (type == 0) return SKEP_OK;
  SKEP_TRY(is_backing_off(r, arena, c, &off, err));
  if (off) return did_not(r, c, "Compaction is not initiated since last attempts failed.", err);
  return ask(r, arena, c, &target, pool, type, incremental, why, err);
}

/* ---- aborted transactions that are left to compactions (hive.compactor.clean.aborts.using.cleaner = false) ---- */

static skep_status ask_for_aborts(round_of *r, skep_arena *arena, skep_err *err) {
  skep_compaction_aborts *list;
  uint32_t n;
  int64_t most = skep_compact_int(r->env, "hive.compactor.abortedtxn.threshold", DEFAULT_ABORTS);
  int64_t age = skep_compact_ms(r->env, "hive.compactor.aborted.txn.time.threshold", 3600000, 12 * 3600000LL);
  SKEP_TRY(skep_compaction_list_aborts(r->env->db, arena, &list, &n, err));
  for (uint32_t i = 0; i < n; i++) {
    bool many = (int64_t)list[i].n > most, old = age >= 0 && list[i].oldest_ms < r->now - age;
    const skep_compaction_candidate c = {
        .database = list[i].database, .table = list[i].table, .partition = list[i].partition};
    skep_compact_target target;
    const char *pool = NULL;
    if (!many && !old) continue;
    SKEP_TRY(eligible(r, arena, &c, &target, &pool, err));
    if (target.path == NULL) continue;
    SKEP_TRY(ask(r, arena, &c, &target, pool, many ? SKEP_COMPACTION_MAJOR : SKEP_COMPACTION_MINOR, false,
                 many ? "too many aborted transactions" : "an aborted transaction is old", err));
  }
  return SKEP_OK;
}

/* ---- a round ---- */

static bool ends_the_round(skep_status status) {
  return status == SKEP_ERR_CANCELLED || status == SKEP_ERR_NOMEM || status == SKEP_ERR_BUSY;
}

static skep_status look_at_all(round_of *r, skep_arena *arena, const skep_compaction_candidate *c, uint32_t n,
                               skep_err *err) {
  for (uint32_t i = 0; i < n; i++) {
    skep_err why = {0};
    skep_arena one;
    SKEP_TRY(skep_compact_check(r->env, err));
    skep_arena_init(&one, r->env->ctx, MAX_ARENA);
    skep_status status = look_at(r, &one, &c[i], &why);
    if (status != SKEP_OK && !ends_the_round(status)) status = did_not(r, &c[i], why.text, &why);
    skep_arena_fini(&one);
    if (status == SKEP_OK) continue;
    if (err != NULL) *err = why;
    return status;
  }
  if (skep_compact_bool(r->env, "hive.compactor.clean.aborts.using.cleaner", true)) return SKEP_OK;
  return ask_for_aborts(r, arena, err);
}

/* Up to which transaction everything was looked at: what commits later has a higher number, or was open then. */
#define LOOKED_AT "SkepInitiator"

static skep_status run_round(round_of *r, skep_arena *arena, skep_err *err) {
  const skep_compact_env *env = r->env;
  skep_compaction_candidate *candidates;
  uint32_t n;
  int64_t since = 0, min_open = 0, fetch = skep_compact_int(env, "hive.compactor.fetch.size", FETCH);
  SKEP_TRY(skep_db_now_ms(env->db, &r->now, err));
  if (!r->dry_run) SKEP_TRY(skep_compact_revive(env, arena, NULL, err));
  SKEP_TRY(skep_txn_mutex_stamp(env->db, LOOKED_AT, &since, err));
  SKEP_TRY(skep_txn_min_open(env->db, &env->conf, &min_open, err));
  if (fetch < 1 || fetch > 100000) fetch = FETCH;
  SKEP_TRY(skep_compaction_candidates(env->db, since, (uint32_t)fetch, arena, &candidates, &n, err));
  if ((int64_t)n == fetch) r->postponed = true;
  SKEP_TRY(look_at_all(r, arena, candidates, n, err));
  if (r->dry_run || r->postponed) return SKEP_OK;
  skep_txn_mutex *looked_at = NULL;
  SKEP_TRY(skep_txn_mutex_acquire(env->db, LOOKED_AT, 0, &looked_at, err));
  return skep_txn_mutex_release_at(looked_at, min_open, err);
}

skep_status skep_compact_initiate(const skep_compact_env *env, bool dry_run, skep_compact_initiated *out,
                                  skep_err *err) {
  round_of r = {.env = env, .dry_run = dry_run, .out = out};
  skep_txn_mutex *mutex = NULL;
  skep_err why = {0};
  *out = (skep_compact_initiated){0};
  if (!dry_run) {
    skep_status status = skep_txn_mutex_acquire(env->db, "Initiator", 0, &mutex, &why);
    if (status == SKEP_ERR_BUSY) return SKEP_OK;
    if (status != SKEP_OK) {
      if (err != NULL) *err = why;
      return status;
    }
  }
  skep_arena arena;
  skep_arena_init(&arena, env->ctx, MAX_ARENA);
  skep_status status = run_round(&r, &arena, err);
  skep_arena_fini(&arena);
  if (status != SKEP_OK || mutex == NULL) {
    skep_txn_mutex_release(mutex);
    return status;
  }
  return skep_txn_mutex_release_at(mutex, r.now, err);
}
