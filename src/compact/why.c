/* See why.h. */
#include "compact/why.h"

#include <stdio.h>
#include <string.h>

#include "acid/layout.h"
#include "compact/cleaner.h"
#include "compact/job.h"
#include "compact/worker.h"
#include "txn/watermark.h"

enum { MAX_NAMED = 3, MAX_LINE = 4096 };

typedef struct asking {
  const skep_compact_env *env;
  skep_arena *arena;
  int64_t now;
  skep_snapshot snapshots[2]; /* of the one table that is asked about, once needed; [1]: in full */
  bool has_snapshot[2];
  skep_txn_horizon horizon; /* a cleaner's, of that table, once needed */
  bool has_horizon;
  skep_compact_reason *items;
  size_t n, capacity;
} asking;

static skep_status no_memory(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "reasons"); }

static skep_status add(asking *a, const skep_compact_reason *r, skep_err *err) {
  if (a->n == a->capacity) {
    size_t capacity = a->capacity > 0 ? a->capacity * 2 : 8;
    skep_compact_reason *items = skep_arena_zero(a->arena, capacity, sizeof *items);
    if (items == NULL) return no_memory(err);
    if (a->n > 0) memcpy(items, a->items, a->n * sizeof *items);
    a->items = items;
    a->capacity = capacity;
  }
  a->items[a->n++] = *r;
  return SKEP_OK;
}

static const char *text_of(asking *a, skep_buf *buf) {
  const char *out = buf->status == SKEP_OK ? skep_buf_copy(buf, a->arena) : "out of memory";
  skep_buf_fini(buf);
  return out != NULL ? out : "out of memory";
}

static const char *print(asking *a, const char *format, ...) SKEP_PRINTF(2, 3);
static const char *print(asking *a, const char *format, ...) {
  char line[MAX_LINE];
  va_list args;
  va_start(args, format);
  vsnprintf(line, sizeof line, format, args);
  va_end(args);
  const char *out = skep_arena_strndup(a->arena, line, strlen(line));
  return out != NULL ? out : "out of memory";
}

/* ---- what would go ---- */

static skep_status snapshot_of(asking *a, const skep_catalog_table *t, bool in_full, skep_snapshot *out,
                               skep_err *err) {
  const skep_compact_env *env = a->env;
  if (!a->has_snapshot[in_full])
    SKEP_TRY(
        skep_compact_snapshot_now(env->db, &env->conf, a->arena, t->db, t->name, in_full, &a->snapshots[in_full], err));
  a->has_snapshot[in_full] = true;
  *out = a->snapshots[in_full];
  return SKEP_OK;
}

/* Up to this write id (INT64_MAX: all), if nobody read any more. */
static skep_status measure(asking *a, const skep_compact_target *target, int64_t highest, skep_verdict verdict,
                           skep_compact_reason *r, skep_err *err) {
  skep_snapshot snapshot;
  skep_layout *layout = NULL;
  const skep_compact_env *env = a->env;
  if (target->path == NULL) return SKEP_OK;
  SKEP_TRY(snapshot_of(a, target->t, verdict == SKEP_ABORTED, &snapshot, err));
  if (snapshot.write_ids.high_watermark > highest) snapshot.write_ids.high_watermark = highest;
  const skep_layout_opts opts = {.snapshot = &snapshot,
                                 .hive = SKEP_HIVE_4,
                                 .is_insert_only = target->t->kind == SKEP_TABLE_INSERT_ONLY,
                                 .any_history = true};
  skep_status status = skep_layout_read(env->ctx, env->fs, target->path, &opts, &layout, err);
  if (status == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (status != SKEP_OK) return status;
  for (uint32_t i = 0; i < layout->n_dirs; i++) {
    if (layout->dirs[i].verdict != verdict) continue;
    r->n_dirs++;
    r->n_bytes += skep_layout_dir_bytes(&layout->dirs[i]);
  }
  skep_layout_free(layout);
  return SKEP_OK;
}

/* ---- whom it waits for ---- */

static const char *holders_text(asking *a, const skep_txn_horizon *h, int64_t next) {
  skep_buf text;
  uint32_t named = 0, holding = 0;
  skep_buf_init(&text, a->env->ctx, MAX_LINE);
  skep_buf_text(&text, "waits for ");
  for (uint32_t i = 0; i < h->n_holders; i++) {
    if (h->holders[i].txn > next) continue;
    holding++;
    if (named == MAX_NAMED) continue;
    if (named++ > 0) skep_buf_text(&text, "; ");
    skep_txn_holder_print(&h->holders[i], &text);
  }
  if (holding == 0) { /* their numbers may be given out at any moment, but nobody has them yet */
    skep_buf_fini(&text);
    return NULL;
  }
  if (holding > named) skep_buf_printf(&text, "; and %u more", holding - named);
  return text_of(a, &text);
}

/* *why NULL: for nobody but a cleaner. */
static skep_status why_ready(asking *a, const skep_compaction *c, const char **why, skep_err *err) {
  const skep_txn_horizon *h = &a->horizon;
  *why = NULL;
  if (!a->has_horizon)
    SKEP_TRY(skep_txn_cleaner_horizon(a->env->db, &a->env->conf, a->arena, c->database, c->table, &a->horizon, err));
  a->has_horizon = true;
  int64_t last = skep_compact_last_before(c);
  if (last >= h->min_txn) {
    *why = holders_text(a, h, last);
    return SKEP_OK;
  }
  int64_t left = skep_compact_retention_left(a->env, c, a->now);
  if (left > 0)
    *why = print(a, "is kept for %lld s more%s%s", (long long)(left / 1000),
                 c->retry_retention_ms > 0 && c->error != NULL ? ": the last try failed: " : "",
                 c->retry_retention_ms > 0 && c->error != NULL ? c->error : "");
  return SKEP_OK;
}

static const char *worker_is_gone(asking *a, const skep_compaction *c) {
  return print(a, "the process of its worker %.128s is gone (transaction %lld): the next worker takes it over",
               c->worker_id, (long long)c->txn_id);
}

/* NULL: its letters are such as there are. */
static const char *why_unknown(asking *a, const skep_compaction *c) {
  char letter[10];
  if (!skep_compaction_state_is_known(c->state))
    return print(a,
                 "its state '%s' does not exist: no worker and no cleaner takes it (ABORT COMPACTIONS %lld removes it)",
                 skep_quote(letter, sizeof letter, &c->state, c->state != '\0'), (long long)c->id);
  if (skep_compaction_type_is_known(c->type)) return NULL;
  return print(a, "its type '%s' does not exist: a worker refuses it",
               skep_quote(letter, sizeof letter, &c->type, c->type != '\0'));
}

skep_status skep_compact_why_entry(const skep_compact_env *env, skep_arena *arena, const skep_compaction *entry,
                                   const char **why, skep_err *err) {
  asking a = {.env = env, .arena = arena};
  skep_compact_target target;
  skep_compact_reason r = {0};
  *why = why_unknown(&a, entry);
  if (*why != NULL) return SKEP_OK;
  if (entry->state == 'w' && skep_compaction_worker_is_gone(entry)) *why = worker_is_gone(&a, entry);
  if (entry->state != 'r') return SKEP_OK;
  SKEP_TRY(skep_db_now_ms(env->db, &a.now, err));
  SKEP_TRY(why_ready(&a, entry, why, err));
  if (*why == NULL) return SKEP_OK;
  SKEP_TRY(skep_compact_find(env, arena, entry->database, entry->table, entry->partition, &target, err));
  SKEP_TRY(measure(&a, &target, entry->has_highest ? entry->highest_write_id : INT64_MAX, SKEP_OBSOLETE, &r, err));
  *why = print(&a, "%s; %llu bytes in %llu directories are held", *why, (unsigned long long)r.n_bytes,
               (unsigned long long)r.n_dirs);
  return SKEP_OK;
}

/* ---- entries of the queue ---- */

static skep_status why_initiated(asking *a, const skep_compaction *c, const char **why, skep_err *err) {
  bool admitted = true, alive = false;
  SKEP_TRY(skep_compact_admitted(a->env, a->arena, c, &admitted, err));
  SKEP_TRY(skep_compact_worker_alive(a->env->db, &alive, err));
  *why = "waits for a worker";
  if (c->pool != NULL) *why = print(a, "waits for a worker of the pool %.128s", c->pool);
  if (!alive) *why = print(a, "%s; none of Skep's has been seen within 30 s (skep compact --daemon)", *why);
  if (!admitted) *why = "its table is paused (skep.compaction.paused), or skep.compactor.window is not open now";
  if (c->error != NULL) *why = print(a, "%.1000s", c->error); /* what the last worker met */
  return SKEP_OK;
}

static skep_status entry(asking *a, const skep_compaction *c, const skep_compact_target *target, skep_err *err) {
  skep_compact_reason r = {.partition = c->partition, .since_ms = c->enqueued_ms};
  r.what = print(a, "compaction %lld (%s), %s", (long long)c->id, skep_compaction_type_name(c->type),
                 skep_compaction_state_name(c->state));
  if (c->state == 'i') SKEP_TRY(why_initiated(a, c, &r.why, err));
  if (c->state == 'w') {
    r.since_ms = c->started_ms;
    r.why = print(a, "worker %.128s works on it in transaction %lld%s%s", c->worker_id != NULL ? c->worker_id : "?",
                  (long long)c->txn_id, c->job_id != NULL ? ": " : "", c->job_id != NULL ? c->job_id : "");
    if (skep_compaction_worker_is_gone(c)) r.why = worker_is_gone(a, c);
  }
  if (c->state == 'r') {
    r.since_ms = c->commit_ms;
    SKEP_TRY(why_ready(a, c, &r.why, err));
    if (r.why == NULL && c->cleaner_start_ms > 0) r.why = "a cleaner is at it";
    if (r.why == NULL) r.why = "waits for a cleaner (skep compact --once --roles cleaner)";
    SKEP_TRY(measure(a, target, c->has_highest ? c->highest_write_id : INT64_MAX, SKEP_OBSOLETE, &r, err));
  }
  const char *unknown = why_unknown(a, c);
  if (unknown != NULL && c->state != 'r') r.why = unknown; /* a cleaner does not ask for the type */
  return add(a, &r, err);
}

static skep_status entries(asking *a, const char *database, const char *table, const skep_compaction *rows, uint32_t n,
                           skep_err *err) {
  for (uint32_t i = 0; i < n; i++) {
    const skep_compaction *c = &rows[i];
    skep_compact_target target;
    if (strcmp(c->database, database) != 0 || strcmp(c->table, table) != 0) continue;
    bool waits = c->state == 'i' || c->state == 'w' || c->state == 'r';
    if (!waits && skep_compaction_state_is_known(c->state)) continue;
    const char *location = NULL;
    SKEP_TRY(skep_compaction_property(c, "location", a->arena, &location, err));
    if (location != NULL) {
      const skep_compact_reason r = {
          .partition = c->partition,
          .since_ms = c->commit_ms,
          .what = print(a, "dropped directory %.1000s", location),
          .why = print(a,
                       "waits until every transaction up to %lld%s is over, then for a "
                       "cleaner",
                       (long long)c->next_txn_id, c->highest_write_id > 0 ? " that uses the table" : "")};
      SKEP_TRY(add(a, &r, err));
      continue;
    }
    SKEP_TRY(skep_compact_find(a->env, a->arena, database, table, c->partition, &target, err));
    SKEP_TRY(entry(a, c, &target, err));
  }
  return SKEP_OK;
}

/* ---- what no entry speaks for ---- */

static bool has_ready(const skep_compaction *rows, uint32_t n, const char *database, const char *table,
                      const char *partition) {
  const skep_compaction wanted = {.database = database, .table = table, .partition = partition};
  for (uint32_t i = 0; i < n; i++)
    if ((rows[i].state == 'r' || rows[i].state == 'w' || rows[i].state == 'i') &&
        skep_compact_same_resource(&rows[i], &wanted))
      return true;
  return false;
}

static skep_status unasked(asking *a, const skep_compact_target *target, const char *partition, skep_err *err) {
  skep_compact_reason r = {.partition = partition, .what = "replaced directories"};
  SKEP_TRY(measure(a, target, INT64_MAX, SKEP_OBSOLETE, &r, err));
  if (r.n_dirs == 0) return SKEP_OK;
  r.why = "no compaction is in the queue: the cleaning of the next one removes them (ALTER TABLE ... COMPACT)";
  return add(a, &r, err);
}

static skep_status aborts(asking *a, const char *database, const char *table, skep_err *err) {
  skep_compaction_aborts *list;
  uint32_t n;
  int64_t most = skep_compact_int(a->env, "hive.compactor.abortedtxn.threshold", 1000);
  int64_t age = skep_compact_ms(a->env, "hive.compactor.aborted.txn.time.threshold", 3600000, 12 * 3600000LL);
  SKEP_TRY(skep_compaction_list_aborts(a->env->db, a->arena, &list, &n, err));
  for (uint32_t i = 0; i < n; i++) {
    if (strcmp(list[i].database, database) != 0 || strcmp(list[i].table, table) != 0) continue;
    skep_compact_target target;
    skep_compact_reason r = {.partition = list[i].partition, .since_ms = list[i].oldest_ms};
    SKEP_TRY(skep_compact_find(a->env, a->arena, database, table, list[i].partition, &target, err));
    SKEP_TRY(measure(a, &target, INT64_MAX, SKEP_ABORTED, &r, err));
    r.what = print(a, "%u writes of aborted transactions", list[i].n);
    r.why = print(a,
                  "go with the next compaction's cleaning, or alone when there are more than %lld, or the oldest is "
                  "older than %lld s",
                  (long long)most, (long long)(age / 1000));
    SKEP_TRY(add(a, &r, err));
  }
  return SKEP_OK;
}

static skep_status resources(asking *a, skep_catalog_table *t, const skep_compaction *rows, uint32_t n, skep_err *err) {
  const skep_catalog_partition *partitions;
  size_t n_partitions;
  skep_compact_target target = {.t = t};
  if (!skep_table_is_transactional(t)) return SKEP_OK;
  if (!skep_table_is_partitioned(t)) {
    if (has_ready(rows, n, t->db, t->name, NULL)) return SKEP_OK;
    SKEP_TRY(skep_compact_find(a->env, a->arena, t->db, t->name, NULL, &target, err));
    return unasked(a, &target, NULL, err);
  }
  SKEP_TRY(skep_catalog_list_partitions(a->env->catalog, a->arena, t, false, &partitions, &n_partitions, err));
  for (size_t i = 0; i < n_partitions; i++) {
    if (has_ready(rows, n, t->db, t->name, partitions[i].name)) continue;
    if (skep_catalog_path(partitions[i].location, &target.path, NULL) != SKEP_OK) continue;
    SKEP_TRY(unasked(a, &target, partitions[i].name, err));
  }
  return SKEP_OK;
}

/* The latest attempt failed: that is why nothing waits any more. */
static skep_status failures(asking *a, const char *database, const char *table, const skep_compaction *rows, uint32_t n,
                            skep_err *err) {
  for (uint32_t i = 0; i < n; i++) {
    const skep_compaction *c = &rows[i];
    bool is_newest = true;
    if (strcmp(c->database, database) != 0 || strcmp(c->table, table) != 0 || c->state != 'f') continue;
    for (uint32_t k = 0; k < n; k++)
      if (rows[k].id > c->id && skep_compact_same_resource(&rows[k], c)) is_newest = false;
    if (!is_newest) continue;
    const skep_compact_reason r = {
        .partition = c->partition,
        .since_ms = c->ended_ms,
        .what = print(a, "compaction %lld (%s), failed", (long long)c->id, skep_compaction_type_name(c->type)),
        .why = c->error != NULL ? c->error : "no reason is recorded"};
    SKEP_TRY(add(a, &r, err));
  }
  return SKEP_OK;
}

static skep_status all_of(asking *a, const char *database, const char *table, skep_err *err) {
  skep_compact_target target;
  skep_compaction *rows;
  uint32_t n;
  SKEP_TRY(skep_db_now_ms(a->env->db, &a->now, err));
  SKEP_TRY(skep_compaction_list(a->env->db, 0, a->arena, &rows, &n, err));
  SKEP_TRY(entries(a, database, table, rows, n, err));
  SKEP_TRY(failures(a, database, table, rows, n, err));
  SKEP_TRY(skep_compact_find(a->env, a->arena, database, table, NULL, &target, err));
  char quoted[2][200];
  if (target.t == NULL && a->n == 0)
    return skep_fail(err, SKEP_ERR_NOT_FOUND, "Table not found %s.%s",
                     skep_quote(quoted[0], sizeof quoted[0], database, strlen(database)),
                     skep_quote(quoted[1], sizeof quoted[1], table, strlen(table)));
  if (target.t != NULL) SKEP_TRY(resources(a, target.t, rows, n, err));
  return aborts(a, database, table, err);
}

skep_status skep_compact_why(const skep_compact_env *env, skep_arena *arena, const char *database, const char *table,
                             skep_compact_reason **out, size_t *n, skep_err *err) {
  asking a = {.env = env, .arena = arena};
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(env->db, SKEP_DB_READ, &joined, err));
  skep_status status = skep_db_end(env->db, joined, all_of(&a, database, table, err), err);
  *out = a.items;
  *n = status == SKEP_OK ? a.n : 0;
  return status;
}
