/* When a warehouse is opened, and now and then in a session that goes on: leftovers of a loss of power are removed,
 * dead transactions ended, directories of what was dropped removed. See transaction.h. */
#include <stdlib.h>
#include <string.h>

#include "acid/dir_write.h"
#include "compact/cleaner.h"
#include "sql/acid_dirs.h"
#include "sql/compact.h"
#include "sql/rollback.h"
#include "sql/transaction.h"

enum { HOUSEKEEP_MAX_ARENA = 1 << 30 };

/* ---- after a loss of power ---- */

/* Where tables and partitions lie, by path. */
typedef struct place {
  const char *path;
  int64_t table_id;
} place;

typedef struct recovery {
  skep_session *s;
  skep_arena *arena;
  place *places;
  size_t n_places;
  const char *roots[2]; /* of managed and of external tables */
  size_t n_passed_over; /* tables */
} recovery;

/* Of one table: directories of write ids that were never given out. */
typedef struct leftovers {
  recovery *r;
  const skep_catalog_table *t;
  int64_t next;     /* its next write id */
  int64_t highest;  /* of those that stay, or 0 */
  const char *kept; /* path of one of them */
} leftovers;

/* A copy without empty components, "." and "..". Symbolic links are not looked at. */
static const char *plain_path(skep_arena *arena, const char *path) {
  size_t length = strlen(path), n = 0;
  char *out = skep_arena_alloc(arena, length + 2);
  if (out == NULL) return NULL;
  while (*path != '\0') {
    size_t part = strcspn(path, "/");
    if (part == 2 && path[0] == '.' && path[1] == '.') {
      while (n > 0 && out[--n] != '/') {
      }
    } else if (part > 0 && !(part == 1 && path[0] == '.')) {
      out[n++] = '/';
      memcpy(out + n, path, part);
      n += part;
    }
    path += part;
    while (*path == '/') path++;
  }
  out[n] = '\0';
  return out;
}

static int by_path(const void *a, const void *b) {
  const place *x = a, *y = b;
  return strcmp(x->path, y->path);
}

static skep_status no_memory(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "a recovery"); }

static skep_status read_places(recovery *r, skep_err *err) {
  const skep_catalog_location *all;
  size_t n;
  SKEP_TRY(skep_catalog_locations(r->s->catalog, r->arena, &all, &n, err));
  r->places = skep_arena_zero(r->arena, n + 1, sizeof *r->places);
  r->roots[0] = plain_path(r->arena, r->s->warehouse);
  r->roots[1] = plain_path(r->arena, r->s->external);
  if (r->places == NULL || r->roots[0] == NULL || r->roots[1] == NULL) return no_memory(err);
  for (size_t i = 0; i < n; i++) {
    const char *path;
    if (skep_catalog_path(all[i].location, &path, NULL) != SKEP_OK) continue; /* hdfs: */
    path = plain_path(r->arena, path);
    if (path == NULL) return no_memory(err);
    r->places[r->n_places++] = (place){.path = path, .table_id = all[i].table_id};
  }
  qsort(r->places, r->n_places, sizeof *r->places, by_path);
  return SKEP_OK;
}

/* Whether a table other than this one lies at exactly this path. */
static bool is_of_others(const recovery *r, const char *path, int64_t table_id) {
  size_t from = 0, to = r->n_places;
  while (from < to) {
    size_t middle = from + (to - from) / 2;
    if (strcmp(r->places[middle].path, path) < 0) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  for (; from < r->n_places && strcmp(r->places[from].path, path) == 0; from++)
    if (r->places[from].table_id != table_id) return true;
  return false;
}

/* Only where the table alone can have written: below the warehouse, and neither there nor above it another table. */
static skep_status is_its_own(const leftovers *l, const char *dir, bool *out, skep_err *err) {
  const recovery *r = l->r;
  const char *plain = plain_path(r->arena, dir);
  char *path = plain == NULL ? NULL : skep_arena_strndup(r->arena, plain, strlen(plain));
  if (path == NULL) return no_memory(err);
  *out = false;
  for (size_t i = 0; i < 2; i++) {
    size_t n = strlen(r->roots[i]);
    *out = *out || (strncmp(path, r->roots[i], n) == 0 && path[n] == '/');
  }
  while (*out && *path != '\0') {
    *out = !is_of_others(r, path, l->t->id);
    *strrchr(path, '/') = '\0';
  }
  return SKEP_OK;
}

static skep_status look(void *self, const skep_acid_dir *dir, skep_err *err) {
  leftovers *l = self;
  bool own;
  if (dir->name.max_write_id < l->next) return SKEP_OK;
  SKEP_TRY(is_its_own(l, dir->parent, &own, err));
  if (own && l->r->s->has_note) return skep_dir_remove(l->r->s->ctx, l->r->s->fs, dir->path, err);
  if (dir->name.max_write_id > l->highest) l->highest = dir->name.max_write_id;
  l->kept = dir->path;
  return SKEP_OK;
}

/* What stays must not become visible when its write ids are given out: they are given to transactions that abort. */
static skep_status burn(const leftovers *l, skep_err *err) {
  enum { MOST = 1000 };
  skep_session *s = l->r->s;
  const skep_txn_conf conf = skep_transaction_conf(s);
  int64_t *txns = skep_arena_zero(l->r->arena, MOST, sizeof *txns),
          *ids = skep_arena_zero(l->r->arena, MOST, sizeof *ids);
  uint32_t n_opened;
  if (txns == NULL || ids == NULL) return no_memory(err);
  if (l->highest - l->next >= MOST)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "%s is far above the next write id %lld", l->kept, (long long)l->next);
  uint32_t n = (uint32_t)(l->highest - l->next + 1);
  SKEP_TRY(skep_txn_open(s->db, &conf, SKEP_TXN_DEFAULT, n, txns, &n_opened, err));
  if (n_opened < n) return skep_fail(err, SKEP_ERR_LIMIT, "%u transactions", n);
  SKEP_TRY(skep_txn_allocate_write_ids(s->db, txns, n, l->t->db, l->t->name, ids, err));
  for (uint32_t i = 0; i < n; i++) {
    const skep_txn_component c = {.database = l->t->db, .table = l->t->name, .op = 'i', .write_id = ids[i]};
    SKEP_TRY(skep_txn_add_components(s->db, txns[i], &c, 1, err));
    SKEP_TRY(skep_txn_abort(s->db, txns[i], SKEP_ABORT_ROLLBACK, false, err));
  }
  skep_session_note(s,
                    "%s.%s: %s is of no write that is known and lies where others may have written: left as it is, "
                    "and not visible",
                    l->t->db, l->t->name, l->kept);
  return SKEP_OK;
}

static skep_status recover_table(recovery *r, const char *db, const char *name, skep_err *err) {
  skep_session *s = r->s;
  skep_catalog_table *t;
  SKEP_TRY(skep_catalog_get_table(s->catalog, r->arena, db, name, &t, err));
  if (!skep_table_is_transactional(t)) return SKEP_OK;
  leftovers l = {.r = r, .t = t};
  SKEP_TRY(skep_txn_next_write_id(s->db, db, name, &l.next, err));
  SKEP_TRY(skep_acid_dirs_of_table(s, r->arena, t, look, &l, err));
  return l.kept != NULL ? burn(&l, err) : SKEP_OK;
}

/* A table that cannot be looked at keeps nobody from the others. */
static skep_status recover_all(recovery *r, skep_err *err) {
  const char *const *dbs;
  size_t n_dbs, n;
  SKEP_TRY(read_places(r, err));
  SKEP_TRY(skep_catalog_list_databases(r->s->catalog, r->arena, &dbs, &n_dbs, err));
  for (size_t i = 0; i < n_dbs; i++) {
    const skep_catalog_table_name *tables;
    SKEP_TRY(skep_catalog_list_tables(r->s->catalog, r->arena, dbs[i], &tables, &n, err));
    for (size_t k = 0; k < n; k++) {
      skep_err why = {0};
      skep_status st = recover_table(r, dbs[i], tables[k].name, &why);
      if (st == SKEP_OK) continue;
      if (st == SKEP_ERR_NOMEM) return no_memory(err);
      r->n_passed_over++;
      skep_session_note(r->s, "after the start of the machine %s.%s could not be looked at: %s", dbs[i], tables[k].name,
                        why.text);
    }
  }
  return SKEP_OK;
}

/* With tables passed over the work is kept, and the start of the machine counts as not recovered: transactions go on
 * beginning durably, and who opens the warehouse next tries again. */
static skep_status recover(skep_session *s, skep_arena *arena, skep_err *err) {
  bool needed;
  if (s->has_recovered) return SKEP_OK;
  SKEP_TRY(skep_txn_recovery_needed(s->db, &needed, err));
  s->has_recovered = true;
  if (!needed) return SKEP_OK;
  recovery r = {.s = s, .arena = arena};
  skep_status st = recover_all(&r, err);
  if (st == SKEP_OK && r.n_passed_over > 0) return skep_db_commit(s->db, err);
  skep_status ended = skep_txn_recovery_done(s->db, st == SKEP_OK, st == SKEP_OK ? err : NULL);
  return st != SKEP_OK ? st : ended;
}

/* ---- what was dropped ---- */

/* Directories of dropped tables that nobody reads any more: the cleaner's work, done here where none may run. */
static skep_status remove_dropped(skep_session *s, skep_err *err) {
  skep_compact_session cleaner;
  skep_compact_cleaning done;
  skep_compact_session_init(&cleaner, s, false);
  SKEP_TRY(skep_compact_remove_dropped(&cleaner.env, &done, err));
  if (done.n_failed > 0) skep_log(s->ctx, SKEP_LOG_WARN, "%u dropped directories stay for now", done.n_failed);
  return SKEP_OK;
}

skep_status skep_transaction_housekeep(skep_session *s, skep_err *err) {
  const skep_txn_conf conf = skep_transaction_conf(s);
  skep_arena arena;
  skep_arena_init(&arena, s->ctx, HOUSEKEEP_MAX_ARENA);
  skep_rollback_notes notes;
  bool opens = s->kept_ms == 0 && !s->has_recovered;
  skep_status st = opens ? skep_rollback_look(s, &notes, err) : SKEP_OK;
  if (st != SKEP_OK || s->rolled_back) { /* its rows say nothing about the files */
    skep_arena_fini(&arena);
    return st;
  }
  st = recover(s, &arena, err);
  if (st == SKEP_OK) skep_rollback_note(s, opens ? &notes : NULL);
  if (st == SKEP_OK && !skep_session_bool(s, "skep.housekeeper.on", true)) {
    skep_arena_fini(&arena);
    return SKEP_OK; /* `skep housekeeper` runs, or Hive's */
  }
  if (st == SKEP_OK) st = skep_txn_housekeep(s->db, &conf, NULL, err);
  if (st == SKEP_OK) st = skep_txn_agree_timeout(s->db, conf.timeout_ms, err); /* the dead are not in the way now */
  if (st == SKEP_OK) st = remove_dropped(s, err);
  skep_arena_fini(&arena);
  return st;
}
