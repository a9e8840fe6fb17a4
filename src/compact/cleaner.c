/* Rounds over what is ready for cleaning, what was dropped, and what was aborted: see cleaner.h. */
#include "compact/cleaner.h"

#include <stdio.h>
#include <string.h>

#include "acid/dir_write.h"
#include "compact/clean_int.h"

enum { MAX_ARENA = 1 << 30, MAX_ROUNDS = 1000, REMOVALS = 100, MUTEX_WAIT_MS = 10000, SHORT_WAIT_MS = 200 };

/* ---- whether an entry may be cleaned now ---- */

int64_t skep_compact_retention_left(const skep_compact_env *env, const skep_compaction *job, int64_t now_ms) {
  int64_t retention = skep_compact_bool(env, "hive.compactor.delayed.cleanup.enabled", false)
                          ? skep_compact_ms(env, "hive.compactor.cleaner.retention.time.seconds", 1000, 300000)
                          : 0;
  int64_t until = job->commit_ms + job->retry_retention_ms + retention;
  return job->commit_ms > 0 && until > now_ms ? until - now_ms : 0;
}

/* Whether its own transaction is over: 'o' it works, 'a' it never committed. Older workers record no next transaction.
 */
static skep_status own_state(const skep_compact_env *env, const skep_compaction *job, char *state, skep_err *err) {
  *state = 'c';
  if (job->txn_id == 0 || job->next_txn_id != 0) return SKEP_OK;
  return skep_txn_state(env->db, job->txn_id, state, NULL, NULL, err);
}

int64_t skep_compact_last_before(const skep_compaction *job) {
  return job->next_txn_id > job->txn_id ? job->next_txn_id : job->txn_id;
}

/* Everybody who is open began when the compaction was committed. (Hive allows next = min too: a transaction with that
 * very number may have begun between begin and commit of the compaction.) */
static skep_status is_seen_by_all(const skep_compact_env *env, const skep_compaction *job, const skep_txn_horizon *h,
                                  bool *out, skep_err *err) {
  *out = skep_compact_last_before(job) < h->min_txn;
  if (!*out || job->txn_id == 0 || job->next_txn_id != 0) return SKEP_OK;
  return skep_compaction_is_known(env->db, job->txn_id, out, err);
}

static void print_waiting(const skep_ctx *ctx, const skep_txn_horizon *h, char *out, size_t size) {
  skep_buf holder;
  skep_buf_init(&holder, ctx, 4096);
  if (h->n_holders > 0) skep_txn_holder_print(&h->holders[0], &holder);
  snprintf(out, size, "waits for %s", holder.size > 0 ? skep_buf_string(&holder) : "transactions before it");
  skep_buf_fini(&holder);
}

/* ---- one entry ---- */

typedef struct entry {
  skep_cleaner *c;
  skep_arena *arena;
  skep_compaction *job;
  skep_compact_target target;
  skep_clean_place place;
  skep_snapshot snapshot;
  int64_t lowest; /* of an incremental compaction; else 1 */
} entry;

/* What the oldest reader sees, no further than the compaction went. */
static skep_status entry_snapshot(entry *e, const skep_txn_horizon *h, skep_err *err) {
  SKEP_TRY(skep_snapshot_parse(e->arena, h->valid_write_ids, h->valid_txns, SKEP_HIVE_4, &e->snapshot, err));
  if (e->job->has_highest && e->snapshot.write_ids.high_watermark > e->job->highest_write_id)
    e->snapshot.write_ids.high_watermark = e->job->highest_write_id;
  return SKEP_OK;
}

/* An ACID directory without files, of a writer or a cleaner that died on the way: nothing in it is missed. */
static bool is_empty_leftover(const entry *e, const skep_layout_dir *d) {
  if (!d->is_empty || d->is_malformed || d->parsed.kind == SKEP_DIR_OTHER || d->n_files > 0) return false;
  return d->parsed.max_write_id <= e->snapshot.write_ids.high_watermark && d->parsed.visibility_txn == 0 &&
         skep_snapshot_range_valid(&e->snapshot, d->parsed.min_write_id, d->parsed.max_write_id) == SKEP_RANGE_ALL &&
         e->snapshot.write_ids.min_open > d->parsed.max_write_id;
}

/* Original files go one by one, with what their directories hold besides; "" stands for them. */
static skep_status add_originals(entry *e, const skep_layout_dir *d, skep_clean_list *list, skep_err *err) {
  for (uint32_t k = 0; k < d->n_files; k++) {
    const skep_layout_file *f = &d->files[k];
    if (f->verdict != SKEP_OBSOLETE || f->is_dir || f->name.kind == SKEP_FILE_HIDDEN) continue;
    SKEP_TRY(skep_clean_add(e->arena, list, f->path, err));
  }
  return SKEP_OK;
}

static skep_status find_garbage(entry *e, const skep_layout *layout, skep_clean_list *list, skep_err *err) {
  for (uint32_t i = 0; i < layout->n_dirs; i++) {
    const skep_layout_dir *d = &layout->dirs[i];
    bool goes = d->verdict == SKEP_OBSOLETE || d->verdict == SKEP_ABORTED || is_empty_leftover(e, d);
    if (!goes || d->is_malformed) continue;
    size_t before = list->n;
    if (d->name[0] == '\0') {
      SKEP_TRY(add_originals(e, d, list, err));
    } else {
      SKEP_TRY(skep_clean_add(e->arena, list, d->name, err));
    }
    if (list->n > before) skep_clean_count(e->c->out, d);
    if (e->c->dry_run && list->n > before)
      skep_compact_note(e->c->env, "would remove %s/%s: %s", e->place.root,
                        d->name[0] != '\0' ? d->name : "(original files)", d->reason);
  }
  return SKEP_OK;
}

static skep_status read_layout(entry *e, skep_layout **out, skep_err *err) {
  *out = NULL;
  skep_status status =
      skep_clean_layout(&e->place, &e->snapshot, e->target.t->kind == SKEP_TABLE_INSERT_ONLY, out, err);
  return status == SKEP_ERR_NOT_FOUND ? SKEP_OK : status;
}

/* Looks again: *left says how much is still there. */
static skep_status confirm(entry *e, uint32_t *left, skep_err *err) {
  skep_layout *layout = NULL;
  skep_clean_list list = {0};
  skep_compact_cleaning ignored = {0}, *out = e->c->out;
  *left = 0;
  SKEP_TRY(read_layout(e, &layout, err));
  if (layout == NULL) return SKEP_OK;
  e->c->out = &ignored;
  skep_status status = find_garbage(e, layout, &list, err);
  e->c->out = out;
  *left = (uint32_t)list.n;
  if (status == SKEP_OK && list.n == 0)
    status = skep_clean_forget(&e->place, e->arena, layout, e->lowest,
                               e->job->has_highest ? e->job->highest_write_id : 0, err);
  skep_layout_free(layout);
  return status;
}

static skep_status clean_files(entry *e, skep_err *err) {
  skep_layout *layout = NULL;
  skep_clean_list list = {0};
  SKEP_TRY(read_layout(e, &layout, err));
  skep_status status = layout != NULL ? find_garbage(e, layout, &list, err) : SKEP_OK;
  skep_layout_free(layout);
  if (status != SKEP_OK || e->c->dry_run) return status;
  SKEP_TRY(skep_clean_remove(&e->place, e->arena, list.names, (uint32_t)list.n, err));
  return skep_clean_trash(&e->place, e->arena, err);
}

static skep_status lowest_of(entry *e, skep_err *err) {
  const char *text = NULL;
  e->lowest = 1;
  SKEP_TRY(skep_compaction_property(e->job, SKEP_COMPACTION_LOWEST, e->arena, &text, err));
  if (text != NULL && (!skep_parse_int(text, &e->lowest) || e->lowest < 1)) e->lowest = e->job->highest_write_id;
  return SKEP_OK;
}

/* The claim is held, and the horizon is fixed. */
static skep_status clean_claimed(entry *e, const skep_txn_horizon *h, skep_err *err) {
  const skep_compact_env *env = e->c->env;
  uint32_t left = 0;
  char text[120];
  SKEP_TRY(entry_snapshot(e, h, err));
  SKEP_TRY(lowest_of(e, err));
  SKEP_TRY(clean_files(e, err));
  SKEP_TRY(confirm(e, &left, err));
  if (left > 0) {
    snprintf(text, sizeof text, "%u obsolete directories or files are still there", left);
    e->c->out->n_waiting++;
    return skep_compaction_unclaim(env->db, e->job, text, err);
  }
  SKEP_TRY(skep_compaction_cleaned(env->db, e->job, e->lowest, err));
  e->c->out->n_cleaned++;
  skep_compact_note(env, "compaction %lld of %s.%s%s%s is cleaned", (long long)e->job->id, e->job->database,
                    e->job->table, e->job->partition != NULL ? " " : "",
                    e->job->partition != NULL ? e->job->partition : "");
  return SKEP_OK;
}

static skep_status clean_failed(entry *e, const skep_err *why, skep_err *err) {
  const skep_compact_env *env = e->c->env;
  e->c->out->n_failed++;
  if (e->c->n_failed < sizeof e->c->failed / sizeof e->c->failed[0]) e->c->failed[e->c->n_failed++] = e->job->id;
  skep_compact_note(env, "compaction %lld of %s.%s could not be cleaned: %s", (long long)e->job->id, e->job->database,
                    e->job->table, why->text);
  int64_t base = skep_compact_ms(env, "hive.compactor.cleaner.retry.retentionTime", 1000, 300000);
  int64_t most = skep_compact_int(env, "hive.compactor.cleaner.retry.maxattempts", 5);
  skep_status status = skep_compaction_clean_failed(env->db, e->job, why->text, base, most, err);
  return status == SKEP_ERR_NOT_FOUND ? SKEP_OK : status; /* somebody else's by now */
}

static bool ends_the_round(skep_status status) {
  return status == SKEP_ERR_CANCELLED || status == SKEP_ERR_NOMEM || status == SKEP_ERR_BUSY ||
         status == SKEP_ERR_IN_DOUBT;
}

static skep_status waits(entry *e, const skep_txn_horizon *h, bool claimed, skep_err *err) {
  char text[400];
  print_waiting(e->c->env->ctx, h, text, sizeof text);
  e->c->out->n_waiting++;
  if (e->c->dry_run)
    skep_compact_note(e->c->env, "compaction %lld of %s.%s %s", (long long)e->job->id, e->job->database, e->job->table,
                      text);
  return claimed ? skep_compaction_unclaim(e->c->env->db, e->job, text, err) : SKEP_OK;
}

/* There is a table, and all readers are past the compaction as far as a look says. */
static skep_status clean_now(entry *e, skep_err *err) {
  const skep_compact_env *env = e->c->env;
  skep_txn_horizon h;
  bool mine = false;
  skep_err why = {0};
  SKEP_TRY(skep_compaction_claim(env->db, e->job, 0, &mine, err)); /* the mutex says that nobody else is at it */
  if (!mine) return SKEP_OK;
  int64_t last = skep_compact_last_before(e->job);
  skep_status status = skep_txn_cleaner_claim(env->db, &env->conf, e->arena, e->job->database, e->job->table,
                                              last > 0 ? last + 1 : 0, &h, &why);
  bool seen = false;
  if (status == SKEP_OK) status = is_seen_by_all(env, e->job, &h, &seen, &why);
  if (status == SKEP_OK && !seen) return waits(e, &h, true, err);
  if (status == SKEP_OK) status = clean_claimed(e, &h, &why);
  if (status == SKEP_OK) return SKEP_OK;
  if (!ends_the_round(status)) return clean_failed(e, &why, err);
  (void)!skep_compaction_unclaim(env->db, e->job, NULL, NULL);
  if (err != NULL) *err = why;
  return status;
}

static skep_status only_end(entry *e, char state, const char *reason, skep_err *err) {
  const skep_compact_env *env = e->c->env;
  bool mine = false;
  if (e->c->dry_run) return SKEP_OK;
  SKEP_TRY(skep_compaction_claim(env->db, e->job, 0, &mine, err));
  if (!mine) return SKEP_OK;
  e->c->out->n_cleaned++;
  if (state == 's') return skep_compaction_cleaned(env->db, e->job, 1, err);
  return skep_compaction_never_committed(env->db, e->job, reason, err);
}

static skep_status clean_entry(entry *e, skep_err *err) {
  const skep_compact_env *env = e->c->env;
  skep_compaction *job = e->job;
  skep_txn_horizon h;
  char state;
  SKEP_TRY(own_state(env, job, &state, err));
  if (state == 'o') return SKEP_OK;
  if (state == 'a') return only_end(e, 'f', "the worker's transaction was aborted before it committed", err);
  SKEP_TRY(skep_compact_find(env, e->arena, job->database, job->table, job->partition, &e->target, err));
  if (e->target.path == NULL) return only_end(e, 's', NULL, err);
  const char *stop = skep_catalog_param_get(&e->target.t->params, "no_cleanup");
  if (stop == NULL) stop = skep_catalog_param_get(&e->target.t->params, "NO_CLEANUP");
  if (stop != NULL && strcmp(stop, "true") == 0) {
    e->c->out->n_waiting++;
    return SKEP_OK;
  }
  e->place = (skep_clean_place){.cleaner = e->c,
                                .job = job,
                                .database = job->database,
                                .table = job->table,
                                .partition = job->partition,
                                .table_id = e->target.t->id,
                                .root = e->target.path};
  SKEP_TRY(skep_txn_cleaner_horizon(env->db, &env->conf, e->arena, job->database, job->table, &h, err));
  bool seen = false;
  SKEP_TRY(is_seen_by_all(env, job, &h, &seen, err));
  if (!seen) return waits(e, &h, false, err);
  if (!e->c->dry_run) return clean_now(e, err);
  SKEP_TRY(entry_snapshot(e, &h, err));
  return clean_files(e, err);
}

/* ---- a round ---- */

static bool has_failed(const skep_cleaner *c, int64_t id) {
  for (uint32_t i = 0; i < c->n_failed; i++)
    if (c->failed[i] == id) return true;
  return false;
}

static skep_status round_of(skep_cleaner *c, int64_t now, skep_err *err) {
  skep_arena arena;
  skep_compaction *ready;
  uint32_t n = 0;
  skep_arena_init(&arena, c->env->ctx, MAX_ARENA);
  skep_status status = skep_compaction_list_ready(c->env->db, &arena, &ready, &n, err);
  for (uint32_t i = 0; status == SKEP_OK && i < n; i++) {
    if ((i > 0 && skep_compact_same_resource(&ready[i - 1], &ready[i])) || has_failed(c, ready[i].id)) continue;
    if (skep_compact_retention_left(c->env, &ready[i], now) > 0) {
      c->out->n_waiting++;
      continue;
    }
    status = skep_compact_check(c->env, err);
    if (status != SKEP_OK) break;
    skep_arena one;
    skep_arena_init(&one, c->env->ctx, MAX_ARENA);
    entry e = {.c = c, .arena = &one, .job = &ready[i]};
    status = clean_entry(&e, err);
    skep_arena_fini(&one);
  }
  skep_arena_fini(&arena);
  return status;
}

/* ---- dropped directories ---- */

/* Nothing living is there or below: who changes the catalog beside us may have given the place away. */
static skep_status is_free(const skep_compact_env *env, skep_arena *arena, const char *path, bool *out, skep_err *err) {
  const skep_catalog_place *places;
  size_t n;
  *out = true;
  SKEP_TRY(skep_catalog_list_places(env->catalog, arena, path, &places, &n, err));
  for (size_t i = 0; i < n; i++)
    if (places[i].relation == SKEP_CATALOG_SAME || places[i].relation == SKEP_CATALOG_AROUND) *out = false;
  return SKEP_OK;
}

static skep_status remove_dropped(skep_cleaner *c, skep_arena *arena, const skep_txn_removal *r, skep_err *err) {
  const skep_compact_env *env = c->env;
  const char *path;
  bool is_unused = false;
  SKEP_TRY(skep_catalog_path(r->location, &path, err));
  SKEP_TRY(is_free(env, arena, path, &is_unused, err));
  if (!is_unused) {
    skep_compact_note(env, "%s was dropped from %s.%s, but a table or partition has its place: left alone", path,
                      r->database, r->table);
    return skep_txn_removal_forget(env->db, r->id, err);
  }
  SKEP_TRY(skep_txn_mutex_check(c->mutex, err));
  SKEP_TRY(skep_dir_remove(env->ctx, env->fs, path, err));
  SKEP_TRY(skep_dir_sync_above(env->ctx, env->fs, path, err));
  c->out->n_removals++;
  skep_compact_note(env, "%s of %s.%s is removed", path, r->database, r->table);
  return skep_txn_removal_forget(env->db, r->id, err);
}

/* Those of a list that this cleaner has claimed. What cannot be removed now stays listed. */
static skep_status remove_listed(skep_cleaner *c, skep_arena *arena, const skep_txn_removal *list, uint32_t n,
                                 skep_err *err) {
  for (uint32_t i = 0; i < n; i++) {
    skep_err why = {0};
    skep_status status = remove_dropped(c, arena, &list[i], &why);
    if (status == SKEP_OK) continue;
    if (ends_the_round(status)) {
      if (err != NULL) *err = why;
      return status;
    }
    c->out->n_failed++;
    skep_compact_note(c->env, "a dropped directory stays for now: %s", why.text);
  }
  return SKEP_OK;
}

static skep_status remove_all_dropped(skep_cleaner *c, skep_err *err) {
  skep_status status = SKEP_OK;
  uint32_t n = REMOVALS;
  while (status == SKEP_OK && n == REMOVALS) {
    skep_arena arena;
    skep_txn_removal *list;
    skep_arena_init(&arena, c->env->ctx, MAX_ARENA);
    status = skep_txn_removal_list(c->env->db, &c->env->conf, &arena, REMOVALS, &list, &n, err);
    if (status == SKEP_OK) status = remove_listed(c, &arena, list, n, err);
    skep_arena_fini(&arena);
  }
  return status;
}

/* Looks before it asks for the mutex: mostly there is nothing. Claims only with the mutex: another cleaner would not be
 * given what somebody claimed who then had to give way. */
static skep_status remove_some_dropped(skep_cleaner *c, skep_arena *arena, skep_err *err) {
  skep_txn_removal *list;
  skep_err why = {0};
  uint32_t n = 0;
  bool any;
  SKEP_TRY(skep_txn_removal_any(c->env->db, &c->env->conf, arena, &any, err));
  if (!any) return SKEP_OK;
  skep_status status = skep_txn_mutex_acquire(c->env->db, "Cleaner", SHORT_WAIT_MS, &c->mutex, &why);
  if (status == SKEP_ERR_BUSY) return SKEP_OK;
  if (status == SKEP_OK) status = skep_txn_removal_list(c->env->db, &c->env->conf, arena, REMOVALS, &list, &n, &why);
  if (status == SKEP_OK) status = remove_listed(c, arena, list, n, &why);
  skep_txn_mutex_release(c->mutex);
  if (status != SKEP_OK && err != NULL) *err = why;
  return status;
}

skep_status skep_compact_remove_dropped(const skep_compact_env *env, skep_compact_cleaning *out, skep_err *err) {
  skep_cleaner c = {.env = env, .out = out};
  skep_arena arena;
  *out = (skep_compact_cleaning){0};
  skep_arena_init(&arena, env->ctx, MAX_ARENA);
  skep_status status = remove_some_dropped(&c, &arena, err);
  skep_arena_fini(&arena);
  return status;
}

/* ---- the whole ---- */

static skep_status clean(skep_cleaner *c, skep_err *err) {
  int64_t now;
  SKEP_TRY(skep_db_now_ms(c->env->db, &now, err));
  for (int i = 0; i < MAX_ROUNDS; i++) { /* what was hidden behind a cleaned entry is the next round's */
    uint32_t before = c->out->n_cleaned;
    c->out->n_waiting = 0;
    SKEP_TRY(round_of(c, now, err));
    if (c->out->n_cleaned == before || c->dry_run) break;
  }
  if (!c->dry_run) SKEP_TRY(remove_all_dropped(c, err));
  if (!skep_compact_bool(c->env, "hive.compactor.clean.aborts.using.cleaner", true)) return SKEP_OK;
  return skep_clean_aborts(c, err);
}

skep_status skep_compact_clean(const skep_compact_env *env, bool dry_run, skep_compact_cleaning *out, skep_err *err) {
  skep_cleaner c = {.env = env, .dry_run = dry_run, .out = out};
  *out = (skep_compact_cleaning){0};
  if (!dry_run) {
    skep_err why = {0};
    skep_status status = skep_txn_mutex_acquire(env->db, "Cleaner", MUTEX_WAIT_MS, &c.mutex, &why);
    if (status == SKEP_ERR_BUSY) {
      skep_compact_note(env, "another cleaner is at work");
      return SKEP_OK;
    }
    if (status != SKEP_OK) {
      if (err != NULL) *err = why;
      return status;
    }
  }
  skep_status status = clean(&c, err);
  skep_txn_mutex_release(c.mutex);
  return status;
}
