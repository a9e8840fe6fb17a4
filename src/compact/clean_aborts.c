/* What aborted transactions left: files, and the rows that remember them.
 *
 * Only aborted directories go here, never obsolete ones: no snapshot, old or new, reads them. */
#include <stdlib.h>
#include <string.h>

#include "compact/clean_int.h"

enum { GRACE_MS = 3600000, DEFAULT_ABORTS = 1000, DEFAULT_AGE_MS = 12 * 3600000, MAX_ARENA = 1 << 30 };

/* ---- forgetting ---- */

/* Whether a directory that is there may hold something of this component. Results of compactions hold no rows of
 * aborted transactions, but a delete delta that Hive's query-based compaction made may hold their delete events. */
static bool may_hold(const skep_clean_place *place, const skep_layout_dir *d, const skep_compaction_abort *a) {
  const skep_dir_name *n = &d->parsed;
  if (n->kind == SKEP_DIR_OTHER) return false;
  if (a->op == 'c') return n->visibility_txn == a->txn;
  if (d->is_empty || a->write_id < n->min_write_id || a->write_id > n->max_write_id) return false;
  if (n->visibility_txn == 0) return true;
  if (n->kind != SKEP_DIR_DELETE_DELTA) return false;
  const skep_compaction *job = place->job;
  return job == NULL || n->visibility_txn != job->txn_id || job->worker_version == NULL ||
         strncmp(job->worker_version, "skep", 4) != 0;
}

/* A process that was taken for dead may still finish a file: not before it was silent for long. */
static bool may_write(const skep_compact_env *env, const skep_compaction_abort *a, int64_t now) {
  int64_t grace = skep_compact_ms(env, "skep.compactor.silence", 1000, GRACE_MS);
  return a->by_timeout && a->heartbeat_ms > now - grace;
}

skep_status skep_clean_forget(const skep_clean_place *place, skep_arena *arena, const skep_layout *layout,
                              int64_t lowest, int64_t highest, skep_err *err) {
  const skep_compact_env *env = place->cleaner->env;
  skep_compaction_abort *aborts;
  uint32_t n;
  int64_t now;
  SKEP_TRY(skep_db_now_ms(env->db, &now, err));
  SKEP_TRY(
      skep_compaction_aborts_of(env->db, place->database, place->table, place->partition, arena, &aborts, &n, err));
  for (uint32_t i = 0; i < n; i++) {
    const skep_compaction_abort *a = &aborts[i];
    if (a->op != 'c' && a->write_id != 0 && (a->write_id < lowest || a->write_id > highest)) continue;
    bool stays = may_write(env, a, now);
    for (uint32_t k = 0; !stays && layout != NULL && k < layout->n_dirs; k++)
      stays = may_hold(place, &layout->dirs[k], a);
    if (stays) continue;
    SKEP_TRY(skep_compaction_forget_abort(env->db, place->database, place->table, place->partition, a, err));
    place->cleaner->out->n_aborts++;
  }
  return SKEP_OK;
}

/* ---- one partition root ---- */

static skep_status remove_aborted(const skep_clean_place *place, skep_arena *arena, const skep_layout *layout,
                                  skep_err *err) {
  skep_clean_list list = {0};
  for (uint32_t i = 0; i < layout->n_dirs; i++) {
    const skep_layout_dir *d = &layout->dirs[i];
    if (d->verdict != SKEP_ABORTED || d->parsed.kind == SKEP_DIR_OTHER) continue;
    SKEP_TRY(skep_clean_add(arena, &list, d->name, err));
    skep_clean_count(place->cleaner->out, d);
    if (place->cleaner->dry_run)
      skep_compact_note(place->cleaner->env, "would remove %s/%s: %s", place->root, d->name, d->reason);
  }
  if (place->cleaner->dry_run) return SKEP_OK;
  return skep_clean_remove(place, arena, list.names, (uint32_t)list.n, err);
}

/* Removes aborted directories of one root; *out: what is left there, or NULL when there is no such directory. */
static skep_status clean_root(const skep_clean_place *place, skep_arena *arena, const skep_snapshot *snapshot,
                              bool insert_only, skep_layout **out, skep_err *err) {
  *out = NULL;
  skep_status status = skep_clean_layout(place, snapshot, insert_only, out, err);
  if (status == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (status != SKEP_OK) return status;
  status = remove_aborted(place, arena, *out, err);
  skep_layout_free(*out);
  *out = NULL;
  if (status != SKEP_OK || place->cleaner->dry_run) return status;
  return skep_clean_layout(place, snapshot, insert_only, out, err);
}

/* ---- a dynamic-partition insert that died: its partitions are not known ---- */

typedef struct walk {
  const skep_cleaner *cleaner;
  skep_arena *arena;
  skep_clean_list dirs; /* partition directories, absolute */
} walk;

typedef struct level {
  walk *w;
  const char *dir;
  skep_clean_list below;
} level;

static skep_status visit_level(void *self, const skep_entry *entry, skep_err *err) {
  level *l = self;
  if (entry->kind != SKEP_ENTRY_DIR || strchr(entry->name, '=') == NULL || entry->name[0] == '.') return SKEP_OK;
  const char *path = skep_arena_join(l->w->arena, l->dir, "/", entry->name);
  if (path == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a list of directories");
  return skep_clean_add(l->w->arena, &l->below, path, err);
}

static skep_status walk_down(walk *w, const char *dir, uint32_t levels, skep_err *err) {
  if (levels == 0) return skep_clean_add(w->arena, &w->dirs, dir, err);
  level l = {.w = w, .dir = dir};
  const skep_compact_env *env = w->cleaner->env;
  skep_status status = skep_fs_list(env->fs, dir, false, visit_level, &l, err);
  if (status == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  for (size_t i = 0; status == SKEP_OK && i < l.below.n; i++) status = walk_down(w, l.below.names[i], levels - 1, err);
  return status;
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Every directory that a partition of the table may have: those below the table's own, and those of the catalog that
 * the walk did not come to. A partition may lie inside the table's directory under any name and at any depth. */
static skep_status partition_dirs(const skep_cleaner *cleaner, skep_arena *arena, const skep_catalog_table *t,
                                  const char *path, skep_clean_list *out, skep_err *err) {
  const skep_catalog_partition *partitions;
  size_t n;
  walk w = {.cleaner = cleaner, .arena = arena};
  SKEP_TRY(walk_down(&w, path, t->partition_keys->n_children, err));
  size_t n_walked = w.dirs.n;
  if (n_walked > 1) qsort(w.dirs.names, n_walked, sizeof *w.dirs.names, by_name);
  SKEP_TRY(skep_catalog_list_partitions(cleaner->env->catalog, arena, t, false, &partitions, &n, err));
  for (size_t i = 0; i < n; i++) {
    const char *at;
    if (skep_catalog_path(partitions[i].location, &at, NULL) != SKEP_OK) continue;
    bool walked = n_walked > 0 && bsearch(&at, w.dirs.names, n_walked, sizeof *w.dirs.names, by_name) != NULL;
    if (!walked) SKEP_TRY(skep_clean_add(arena, &w.dirs, at, err));
  }
  *out = w.dirs;
  return SKEP_OK;
}

/* Directories of all roots, for skep_clean_forget. */
typedef struct gathered {
  skep_layout_dir *dirs;
  size_t n, capacity;
} gathered;

static skep_status gather(skep_arena *arena, const skep_layout *from, gathered *to, skep_err *err) {
  void *grown = to->dirs;
  SKEP_TRY(skep_arena_grow(arena, &grown, &to->capacity, to->n + from->n_dirs, sizeof *to->dirs, err));
  to->dirs = grown;
  for (uint32_t i = 0; i < from->n_dirs; i++)
    if (from->dirs[i].parsed.kind != SKEP_DIR_OTHER)
      to->dirs[to->n++] = (skep_layout_dir){.parsed = from->dirs[i].parsed, .is_empty = from->dirs[i].is_empty};
  return SKEP_OK;
}

static skep_status clean_all_partitions(skep_clean_place *place, skep_arena *arena, const skep_catalog_table *t,
                                        const skep_snapshot *snapshot, skep_err *err) {
  skep_clean_list dirs;
  gathered all = {0};
  const char *table_root = place->root;
  SKEP_TRY(partition_dirs(place->cleaner, arena, t, table_root, &dirs, err));
  for (size_t i = 0; i < dirs.n; i++) {
    skep_layout *layout = NULL;
    skep_clean_place one = *place;
    one.root = dirs.names[i];
    one.table_root = table_root;
    SKEP_TRY(clean_root(&one, arena, snapshot, t->kind == SKEP_TABLE_INSERT_ONLY, &layout, err));
    skep_status status = layout != NULL ? gather(arena, layout, &all, err) : SKEP_OK;
    skep_layout_free(layout);
    if (status != SKEP_OK) return status;
  }
  const skep_layout layout = {.dirs = all.dirs, .n_dirs = (uint32_t)all.n};
  return place->cleaner->dry_run ? SKEP_OK : skep_clean_forget(place, arena, &layout, 0, INT64_MAX, err);
}

/* ---- resources ---- */

static skep_status clean_resource(skep_cleaner *c, skep_arena *arena, const skep_compaction_aborts *a, skep_err *err) {
  skep_compact_target target;
  skep_snapshot snapshot;
  skep_layout *layout = NULL;
  SKEP_TRY(skep_compact_find(c->env, arena, a->database, a->table, a->partition, &target, err));
  skep_clean_place place = {
      .cleaner = c, .database = a->database, .table = a->table, .partition = a->partition, .root = target.path};
  if (target.path == NULL) /* dropped since: its files are a removal's matter */
    return c->dry_run ? SKEP_OK : skep_clean_forget(&place, arena, NULL, 0, INT64_MAX, err);
  place.table_id = target.t->id;
  SKEP_TRY(skep_compact_snapshot_now(c->env->db, &c->env->conf, arena, a->database, a->table, true, &snapshot, err));
  if (a->partition == NULL && skep_table_is_partitioned(target.t))
    return clean_all_partitions(&place, arena, target.t, &snapshot, err);
  SKEP_TRY(clean_root(&place, arena, &snapshot, target.t->kind == SKEP_TABLE_INSERT_ONLY, &layout, err));
  skep_status status = c->dry_run ? SKEP_OK : skep_clean_forget(&place, arena, layout, 0, INT64_MAX, err);
  skep_layout_free(layout);
  return status;
}

static int64_t threshold(const skep_compact_env *env, const char *name, int64_t otherwise) {
  int64_t value = skep_compact_int(env, name, otherwise);
  return value >= 0 ? value : otherwise;
}

skep_status skep_clean_aborts(skep_cleaner *c, skep_err *err) {
  const skep_compact_env *env = c->env;
  skep_compaction_aborts *list;
  uint32_t n;
  int64_t now, most = threshold(env, "hive.compactor.abortedtxn.threshold", DEFAULT_ABORTS);
  int64_t age = skep_compact_ms(env, "hive.compactor.aborted.txn.time.threshold", 3600000, DEFAULT_AGE_MS);
  skep_arena arena;
  skep_arena_init(&arena, env->ctx, MAX_ARENA);
  skep_status status = skep_db_now_ms(env->db, &now, err);
  if (status == SKEP_OK) status = skep_compaction_list_aborts(env->db, &arena, &list, &n, err);
  for (uint32_t i = 0; status == SKEP_OK && i < n; i++) {
    if ((int64_t)list[i].n <= most && (age < 0 || list[i].oldest_ms > now - age)) continue;
    skep_err why = {0};
    skep_arena one;
    skep_arena_init(&one, env->ctx, MAX_ARENA);
    status = clean_resource(c, &one, &list[i], &why);
    skep_arena_fini(&one);
    if (status == SKEP_OK) continue;
    if (status == SKEP_ERR_CANCELLED || status == SKEP_ERR_NOMEM || status == SKEP_ERR_BUSY) {
      if (err != NULL) *err = why;
      break;
    }
    c->out->n_failed++;
    skep_compact_note(env, "what aborted transactions left in %s.%s stays for now: %s", list[i].database, list[i].table,
                      why.text);
    status = SKEP_OK;
  }
  skep_arena_fini(&arena);
  return status;
}
