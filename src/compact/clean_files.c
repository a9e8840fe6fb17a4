/* How something is removed: looked at again and renamed inside one write transaction, then deleted. */
#include <stdio.h>
#include <string.h>

#include "acid/dir_write.h"
#include "compact/clean_int.h"

enum { BATCH = 32, MAX_PATH = 1 << 16 };

skep_status skep_clean_add(skep_arena *arena, skep_clean_list *list, const char *name, skep_err *err) {
  if (list->n == list->capacity) {
    size_t capacity = list->capacity > 0 ? list->capacity * 2 : 16;
    const char **names = skep_arena_zero(arena, capacity, sizeof *names);
    if (names == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a list of directories");
    if (list->n > 0) memcpy(names, list->names, list->n * sizeof *names);
    list->names = names;
    list->capacity = capacity;
  }
  list->names[list->n] = skep_arena_strndup(arena, name, strlen(name));
  return list->names[list->n++] != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "a list of directories");
}

void skep_clean_count(skep_compact_cleaning *out, const skep_layout_dir *dir) {
  out->n_dirs += dir->name[0] != '\0' ? 1 : 0;
  out->n_files += dir->n_files;
  out->n_bytes += skep_layout_dir_bytes(dir);
}

skep_status skep_clean_layout(const skep_clean_place *place, const skep_snapshot *snapshot, bool insert_only,
                              skep_layout **out, skep_err *err) {
  const skep_compact_env *env = place->cleaner->env;
  const skep_layout_opts opts = {
      .snapshot = snapshot, .hive = SKEP_HIVE_4, .is_insert_only = insert_only, .any_history = true};
  return skep_layout_read(env->ctx, env->fs, place->root, &opts, out, err);
}

/* ---- looking again ---- */

/* Inside a write transaction: who drops or moves the table waits for its end. */
static skep_status look_again(const skep_clean_place *place, skep_arena *arena, skep_err *err) {
  const skep_compact_env *env = place->cleaner->env;
  skep_compact_target now;
  bool mine = true;
  SKEP_TRY(skep_txn_mutex_check(place->cleaner->mutex, err));
  if (place->job != NULL) SKEP_TRY(skep_compaction_check_claim(env->db, place->job, &mine, err));
  if (!mine)
    return skep_fail(err, SKEP_ERR_CONFLICT, "compaction %lld is cleaned by somebody else", (long long)place->job->id);
  int64_t id = 0; /* the row stays locked where the database locks rows */
  SKEP_TRY(skep_db_get_i64(env->db, "SELECT \"TBL_ID\" FROM \"TBLS\" WHERE \"TBL_ID\" = ?{for_update}",
                           SKEP_PARAMS(skep_p_i64(place->table_id)), &id, NULL, err));
  SKEP_TRY(skep_compact_find(env, arena, place->database, place->table, place->partition, &now, err));
  if (id == place->table_id && now.t != NULL && now.t->id == place->table_id && now.path != NULL &&
      (place->partition == NULL || now.p != NULL) &&
      skep_catalog_relate(place->table_root != NULL ? place->table_root : place->root, now.path) == SKEP_CATALOG_SAME)
    return SKEP_OK;
  return skep_fail(err, SKEP_ERR_CONFLICT, "%s.%s was dropped, replaced or moved while it was cleaned", place->database,
                   place->table);
}

/* ---- renaming ---- */

typedef struct paths {
  skep_buf from, to;
} paths;

static const char *joined(skep_buf *buf, const char *root, const char *prefix, const char *name) {
  skep_buf_reset(buf);
  skep_dir_join(buf, root, prefix[0] != '\0' ? prefix : name);
  if (prefix[0] != '\0') {
    for (const char *at = name; *at != '\0'; at++) skep_buf_byte(buf, *at == '/' ? '+' : (uint8_t)*at);
  }
  return skep_buf_string(buf);
}

/* Gone already is fine. */
static skep_status set_aside(const skep_clean_place *place, paths *p, const char *name, skep_err *err) {
  const skep_compact_env *env = place->cleaner->env;
  const char *from = joined(&p->from, place->root, "", name);
  const char *to = joined(&p->to, place->root, SKEP_CLEAN_TRASH, name);
  SKEP_TRY(skep_buf_check(&p->from, "a path", err));
  SKEP_TRY(skep_buf_check(&p->to, "a path", err));
  skep_err why = {0};
  skep_status status = skep_fs_rename_new(env->fs, from, to, &why);
  if (status == SKEP_ERR_EXISTS) { /* of a cleaner that died: deleted first */
    SKEP_TRY(skep_dir_remove(env->ctx, env->fs, to, err));
    status = skep_fs_rename_new(env->fs, from, to, &why);
  }
  if (status == SKEP_OK || status == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (err != NULL) *err = why;
  return status;
}

static skep_status set_aside_batch(const skep_clean_place *place, skep_arena *arena, paths *p, const char *const *names,
                                   uint32_t n, skep_err *err) {
  skep_db *db = place->cleaner->env->db;
  SKEP_TRY(skep_db_begin(db, SKEP_DB_WRITE_LAZY, err));
  skep_status status = look_again(place, arena, err);
  for (uint32_t i = 0; status == SKEP_OK && i < n; i++) status = set_aside(place, p, names[i], err);
  skep_db_rollback(db); /* nothing was written: it kept others out */
  return status;
}

skep_status skep_clean_remove(const skep_clean_place *place, skep_arena *arena, const char *const *names, uint32_t n,
                              skep_err *err) {
  const skep_compact_env *env = place->cleaner->env;
  paths p;
  skep_buf_init(&p.from, env->ctx, MAX_PATH);
  skep_buf_init(&p.to, env->ctx, MAX_PATH);
  skep_status status = SKEP_OK;
  for (uint32_t i = 0; status == SKEP_OK && i < n; i += BATCH) {
    uint32_t count = n - i < BATCH ? n - i : BATCH;
    status = skep_compact_check(env, err);
    if (status == SKEP_OK) status = set_aside_batch(place, arena, &p, names + i, count, err);
    for (uint32_t k = i; status == SKEP_OK && k < i + count; k++)
      status = skep_dir_remove(env->ctx, env->fs, joined(&p.to, place->root, SKEP_CLEAN_TRASH, names[k]), err);
  }
  if (status == SKEP_OK && n > 0)
    status = skep_dir_sync_above(env->ctx, env->fs, joined(&p.from, place->root, "", names[0]), err);
  skep_buf_fini(&p.from);
  skep_buf_fini(&p.to);
  return status;
}

/* ---- what was left aside ---- */

typedef struct finding {
  skep_arena *arena;
  skep_clean_list list;
} finding;

static skep_status visit(void *self, const skep_entry *entry, skep_err *err) {
  finding *f = self;
  if (strncmp(entry->name, SKEP_CLEAN_TRASH, sizeof SKEP_CLEAN_TRASH - 1) != 0) return SKEP_OK;
  return skep_clean_add(f->arena, &f->list, entry->name, err);
}

skep_status skep_clean_trash(const skep_clean_place *place, skep_arena *arena, skep_err *err) {
  const skep_compact_env *env = place->cleaner->env;
  finding f = {.arena = arena};
  skep_buf path;
  skep_status status = skep_fs_list(env->fs, place->root, false, visit, &f, err);
  if (status == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  skep_buf_init(&path, env->ctx, MAX_PATH);
  for (size_t i = 0; status == SKEP_OK && i < f.list.n; i++)
    status = skep_dir_remove(env->ctx, env->fs, joined(&path, place->root, "", f.list.names[i]), err);
  skep_buf_fini(&path);
  return status;
}
