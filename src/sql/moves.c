/* Renames that a crash cannot tear from their rows: see moves.h. */
#include "sql/moves.h"

#include <string.h>

#include "txn/move_notes.h"

static skep_status no_memory(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "renaming directories"); }

skep_status skep_moves_add(skep_session *s, skep_moves *moves, const char *from, const char *to, skep_err *err) {
  void *grown = moves->items;
  SKEP_TRY(skep_arena_grow(&s->arena, &grown, &moves->capacity, moves->n + 1, sizeof *moves->items, err));
  moves->items = grown;
  moves->items[moves->n++] = (skep_move){.from = from, .to = to};
  return SKEP_OK;
}

/* ---- notes ---- */

static skep_status insert_notes(skep_session *s, skep_moves *moves, skep_err *err) {
  skep_txn_move *all = skep_arena_zero(&s->arena, moves->n + 1, sizeof *all);
  if (all == NULL) return no_memory(err);
  for (size_t i = 0; i < moves->n; i++) all[i] = (skep_txn_move){moves->items[i].from, moves->items[i].to};
  moves->n_noted = moves->n;
  return skep_txn_moves_add(s->db, &s->arena, all, moves->n, &moves->first, &moves->n_rows, err);
}

skep_status skep_moves_note(skep_session *s, skep_moves *moves, skep_err *err) {
  SKEP_TRY(skep_db_begin(s->db, SKEP_DB_WRITE, err));
  return skep_db_end(s->db, false, insert_notes(s, moves, err), err);
}

static skep_status delete_notes(skep_session *s, const skep_moves *moves, int64_t *n, skep_err *err) {
  return skep_txn_moves_delete(s->db, moves->first, moves->n_rows, n, err);
}

/* ---- renaming ---- */

static const char *parent_of(skep_session *s, const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL || slash == path ? "/" : skep_arena_strndup(&s->arena, path, (size_t)(slash - path));
}

/* With the directories above it; both ends are on disk afterwards. */
static skep_status rename_synced(skep_session *s, const char *from, const char *to, skep_err *err) {
  const char *below = parent_of(s, to), *above = parent_of(s, from);
  if (below == NULL || above == NULL) return no_memory(err);
  SKEP_TRY(skep_fs_mkdirs(s->fs, below, err));
  SKEP_TRY(skep_fs_rename_new(s->fs, from, to, err));
  SKEP_TRY(skep_fs_sync_dir(s->fs, below, err));
  return strcmp(below, above) == 0 ? SKEP_OK : skep_fs_sync_dir(s->fs, above, err);
}

skep_status skep_moves_do(skep_session *s, skep_moves *moves, skep_err *err) {
  int64_t n;
  if (moves->n == 0) return SKEP_OK;
  SKEP_TRY(delete_notes(s, moves, &n, err));
  if (n == 0 || n != moves->n_rows || moves->n_noted != moves->n)
    return skep_fail(err, SKEP_ERR_BUSY, "the warehouse was opened by somebody else meanwhile");
  for (size_t i = 0; i < moves->n; i++) {
    skep_stat stat;
    skep_status st = skep_fs_stat(s->fs, moves->items[i].from, &stat, err);
    if (st == SKEP_ERR_NOT_FOUND) continue; /* nothing was written there yet */
    if (st != SKEP_OK) return st;
    moves->items[i].done = true; /* a rename that fails half way is undone as well */
    SKEP_TRY(rename_synced(s, moves->items[i].from, moves->items[i].to, err));
  }
  return SKEP_OK;
}

/* A delta directory that was made for files goes again when they are back: a plain table has none. */
static skep_status remove_delta(skep_session *s, const char *file, skep_err *err) {
  const char *dir = parent_of(s, file);
  if (dir == NULL) return no_memory(err);
  const char *slash = strrchr(dir, '/');
  if (slash == NULL || strncmp(slash, "/delta_", 7) != 0) return SKEP_OK;
  skep_status st = skep_fs_remove_dir(s->fs, dir, err);
  return st == SKEP_ERR_NOT_FOUND || st == SKEP_ERR_EXISTS ? SKEP_OK : st; /* not there, or not empty (yet) */
}

/* Back, when only the new place is there. */
static skep_status put_back(skep_session *s, const char *from, const char *to, skep_err *err) {
  skep_stat stat;
  skep_status st = skep_fs_stat(s->fs, from, &stat, err);
  if (st == SKEP_ERR_NOT_FOUND) {
    st = skep_fs_stat(s->fs, to, &stat, err);
    if (st == SKEP_OK) st = rename_synced(s, to, from, err);
    if (st == SKEP_ERR_NOT_FOUND) st = SKEP_OK;
  }
  return st == SKEP_OK ? remove_delta(s, to, err) : st;
}

void skep_moves_undo(skep_session *s, skep_moves *moves) {
  skep_err why = {0};
  bool all = true;
  for (size_t i = moves->n; i > 0; i--) {
    const skep_move *m = &moves->items[i - 1];
    if (!m->done || put_back(s, m->from, m->to, &why) == SKEP_OK) continue;
    skep_log(s->ctx, SKEP_LOG_ERROR, "what was renamed is put back when the warehouse is opened next: %s", why.text);
    all = false;
  }
  if (all && moves->n_noted > 0 && delete_notes(s, moves, NULL, &why) != SKEP_OK)
    skep_log(s->ctx, SKEP_LOG_WARN, "notes of renames stay until the warehouse is opened next: %s", why.text);
}

/* ---- after a crash ---- */

/* The last rename is the first to be put back: files went into a directory that a rename made. */
static skep_status recover(skep_session *s, skep_err *err) {
  skep_txn_move *all;
  size_t n;
  SKEP_TRY(skep_txn_moves_list(s->db, &s->arena, &all, &n, err));
  for (size_t i = 0; i < n; i++) SKEP_TRY(put_back(s, all[i].from, all[i].to, err));
  return skep_txn_moves_clear(s->db, err);
}

skep_status skep_moves_recover(skep_session *s, skep_err *err) {
  skep_txn_move *all;
  size_t n;
  SKEP_TRY(skep_txn_moves_list(s->db, &s->arena, &all, &n, err));
  if (n == 0) return SKEP_OK;
  SKEP_TRY(skep_db_begin(s->db, SKEP_DB_WRITE, err));
  return skep_db_end(s->db, false, recover(s, err), err);
}
