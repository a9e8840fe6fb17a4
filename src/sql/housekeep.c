/* When a warehouse is opened, and now and then in a session that goes on: leftovers of a loss of power are removed,
 * dead transactions ended, directories of what was dropped removed. See transaction.h. */
#include "acid/dir_write.h"
#include "acid/name.h"
#include "sql/transaction.h"

enum { HOUSEKEEP_MAX_ARENA = 1 << 30 };

/* ---- after a loss of power ---- */

/* What is in a directory. */
typedef struct names {
  skep_arena *arena;
  const char *dir;
  const char **paths;
  bool *is_dir;
  size_t n, capacity;
} names;

static skep_status collect(void *self, const skep_entry *entry, skep_err *err) {
  names *list = self;
  if (list->n == list->capacity) {
    size_t capacity = list->capacity == 0 ? 16 : list->capacity * 2;
    const char **paths = skep_arena_zero(list->arena, capacity, sizeof *paths);
    bool *is_dir = skep_arena_zero(list->arena, capacity, sizeof *is_dir);
    if (paths == NULL || is_dir == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a directory");
    if (list->n != 0) {
      memcpy(paths, list->paths, list->n * sizeof *paths);
      memcpy(is_dir, list->is_dir, list->n * sizeof *is_dir);
    }
    list->paths = paths;
    list->is_dir = is_dir;
    list->capacity = capacity;
  }
  size_t a = strlen(list->dir), b = strlen(entry->name);
  char *path = skep_arena_alloc(list->arena, a + b + 2);
  if (path == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a directory");
  memcpy(path, list->dir, a);
  path[a] = '/';
  memcpy(path + a + 1, entry->name, b + 1);
  list->paths[list->n] = path;
  list->is_dir[list->n++] = entry->kind == SKEP_ENTRY_DIR;
  return SKEP_OK;
}

static const char *base_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* Directories of write ids that were never given out, in a partition's (or the table's) directory and the partitions'
 * `levels` below it: also in those that the catalog does not know, since they may be created later. */
static skep_status remove_leftovers(skep_session *s, skep_arena *arena, const char *dir, uint32_t levels, int64_t next,
                                    skep_err *err) {
  names list = {.arena = arena, .dir = dir};
  skep_status st = skep_fs_list(s->fs, dir, false, collect, &list, err);
  if (st == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (st != SKEP_OK) return st;
  for (size_t i = 0; i < list.n; i++) {
    skep_dir_name name;
    const char *base = base_name(list.paths[i]);
    if (!list.is_dir[i] || skep_dir_name_parse(base, &name, NULL) != SKEP_OK) continue;
    if (name.kind == SKEP_DIR_OTHER) {
      if (levels > 0) SKEP_TRY(remove_leftovers(s, arena, list.paths[i], levels - 1, next, err));
    } else if (name.max_write_id >= next) {
      SKEP_TRY(skep_dir_remove(s->ctx, s->fs, list.paths[i], err));
    }
  }
  return SKEP_OK;
}

static skep_status recover_table(skep_session *s, skep_arena *arena, const char *db, const char *name, skep_err *err) {
  skep_catalog_table *t;
  int64_t next;
  const char *path;
  SKEP_TRY(skep_catalog_get_table(s->catalog, arena, db, name, &t, err));
  if (!skep_table_is_transactional(t)) return SKEP_OK;
  SKEP_TRY(skep_txn_next_write_id(s->db, db, name, &next, err));
  SKEP_TRY(skep_catalog_path(t->location, &path, err));
  SKEP_TRY(remove_leftovers(s, arena, path, t->partition_keys->n_children, next, err));
  if (!skep_table_is_partitioned(t)) return SKEP_OK;
  const skep_catalog_partition *partitions;
  size_t n;
  SKEP_TRY(skep_catalog_list_partitions(s->catalog, arena, t, false, &partitions, &n, err));
  for (size_t i = 0; i < n; i++) {
    SKEP_TRY(skep_catalog_path(partitions[i].location, &path, err));
    SKEP_TRY(remove_leftovers(s, arena, path, 0, next, err));
  }
  return SKEP_OK;
}

static skep_status recover_all(skep_session *s, skep_arena *arena, skep_err *err) {
  const char *const *dbs;
  size_t n_dbs, n;
  SKEP_TRY(skep_catalog_list_databases(s->catalog, arena, &dbs, &n_dbs, err));
  for (size_t i = 0; i < n_dbs; i++) {
    const skep_catalog_table_name *tables;
    SKEP_TRY(skep_catalog_list_tables(s->catalog, arena, dbs[i], &tables, &n, err));
    for (size_t k = 0; k < n; k++) SKEP_TRY(recover_table(s, arena, dbs[i], tables[k].name, err));
  }
  return SKEP_OK;
}

static skep_status recover(skep_session *s, skep_arena *arena, skep_err *err) {
  bool needed;
  SKEP_TRY(skep_txn_recovery_needed(s->db, &needed, err));
  if (!needed) return SKEP_OK;
  skep_status st = recover_all(s, arena, err);
  skep_status ended = skep_txn_recovery_done(s->db, st == SKEP_OK, st == SKEP_OK ? err : NULL);
  return st != SKEP_OK ? st : ended;
}

/* ---- what was dropped ---- */

enum { REMOVALS_AT_ONCE = 100 };

/* Directories of dropped tables that nobody reads any more. What cannot be removed now stays listed. */
static skep_status remove_dropped(skep_session *s, skep_arena *arena, skep_err *err) {
  const skep_txn_conf conf = skep_transaction_conf(s);
  skep_txn_removal *removals;
  uint32_t n;
  SKEP_TRY(skep_txn_removal_list(s->db, &conf, arena, REMOVALS_AT_ONCE, &removals, &n, err));
  for (uint32_t i = 0; i < n; i++) {
    const char *path;
    skep_err why;
    skep_status st = skep_catalog_path(removals[i].location, &path, &why);
    if (st == SKEP_OK) st = skep_dir_remove(s->ctx, s->fs, path, &why);
    if (st == SKEP_OK) {
      SKEP_TRY(skep_txn_removal_forget(s->db, removals[i].id, err));
    } else {
      skep_log(s->ctx, SKEP_LOG_WARN, "a dropped directory stays for now: %s", why.text);
    }
  }
  return SKEP_OK;
}

skep_status skep_transaction_housekeep(skep_session *s, skep_err *err) {
  const skep_txn_conf conf = skep_transaction_conf(s);
  skep_arena arena;
  skep_arena_init(&arena, s->ctx, HOUSEKEEP_MAX_ARENA);
  skep_status st = recover(s, &arena, err);
  if (st == SKEP_OK) st = skep_txn_housekeep(s->db, &conf, NULL, err);
  if (st == SKEP_OK) st = skep_txn_agree_timeout(s->db, conf.timeout_ms, err); /* the dead are not in the way now */
  if (st == SKEP_OK) st = remove_dropped(s, &arena, err);
  skep_arena_fini(&arena);
  return st;
}
