/* Judging conflicts by files: see conflict.h. */
#include "sql/conflict.h"

#include <stdio.h>

#include "acid/deletes.h"
#include "acid/events.h"
#include "sql/acid_dirs.h"

enum { MAX_ROUNDS = 50, BATCH_ROWS = 8192, MAX_ARENA = 1 << 30 };

bool skep_conflict_by_rows(const skep_session *s) {
  return strcmp(skep_session_text(s, "skep.conflict.granularity", "partition"), "row") == 0;
}

/* ---- which directories ---- */

typedef struct dir_list {
  const char **items;
  size_t n, capacity;
} dir_list;

/* What one write id left at a location. */
typedef struct traces {
  skep_session *s;
  skep_arena *arena;
  int64_t theirs, mine; /* write ids */
  dir_list their_deletes, my_deletes;
  bool their_base;  /* base_<theirs>, not a compaction's */
  bool only_merged; /* their events can only be in a compaction's output */
} traces;

static skep_status add_dir(traces *t, dir_list *list, const char *path, skep_err *err) {
  void *grown = list->items;
  SKEP_TRY(skep_arena_grow(t->arena, &grown, &list->capacity, list->n + 1, sizeof *list->items, err));
  list->items = grown;
  list->items[list->n++] = path;
  return SKEP_OK;
}

static skep_status look(void *self, const skep_acid_dir *dir, skep_err *err) {
  traces *t = self;
  const skep_dir_name *name = &dir->name;
  if (name->kind == SKEP_DIR_BASE) {
    if (name->max_write_id == t->theirs && name->visibility_txn == 0) t->their_base = true;
    if (name->max_write_id >= t->theirs && name->visibility_txn != 0) t->only_merged = true;
    return SKEP_OK;
  }
  if (name->kind != SKEP_DIR_DELETE_DELTA) return SKEP_OK;
  bool single = name->min_write_id == name->max_write_id && name->visibility_txn == 0;
  if (single && name->max_write_id == t->theirs) return add_dir(t, &t->their_deletes, dir->path, err);
  if (single && name->max_write_id == t->mine) return add_dir(t, &t->my_deletes, dir->path, err);
  if (name->min_write_id <= t->theirs && t->theirs <= name->max_write_id) t->only_merged = true;
  return SKEP_OK;
}

/* ---- which rows ---- */

typedef struct rows {
  traces *t;
  const char *dir;
  skep_deletes *theirs;
  bool loading; /* their events into the set; else ours are looked up in it */
  bool met;
  int64_t write_id, row_id; /* the first row that is in both */
  int32_t bucket;
} rows;

static skep_status look_up(rows *r, const skep_batch *batch) {
  const skep_vec *c = batch->root.children;
  const int64_t *write_ids = c[SKEP_EVENT_WRITE_ID].values.data, *row_ids = c[SKEP_EVENT_ROW_ID].values.data;
  const int32_t *buckets = c[SKEP_EVENT_BUCKET].values.data;
  for (int64_t i = 0; i < batch->root.length && !r->met; i++) {
    r->met = skep_deletes_contains(r->theirs, write_ids[i], buckets[i], row_ids[i]);
    r->write_id = write_ids[i];
    r->bucket = buckets[i];
    r->row_id = row_ids[i];
  }
  return SKEP_OK;
}

static skep_status compare_file(rows *r, const char *path, uint64_t size, skep_err *err) {
  skep_events *events;
  skep_batch batch = {0};
  const skep_forms forms = {0};
  SKEP_TRY(skep_events_open(r->t->s->ctx, r->t->s->fs, path, size, &events, err));
  skep_status st = skep_vec_init(&batch.root, r->t->s->ctx, skep_events_type(events), &forms, err);
  while (st == SKEP_OK && !r->met) {
    st = skep_events_next(events, BATCH_ROWS, &batch, err);
    if (st == SKEP_OK) st = look_up(r, &batch);
    if (st == SKEP_OK) st = skep_session_check(r->t->s, err);
  }
  skep_vec_fini(&batch.root);
  skep_events_close(events);
  return st == SKEP_END ? SKEP_OK : st;
}

static skep_status visit_file(void *self, const skep_entry *entry, skep_err *err) {
  static const skep_snapshot everything = {.everything = true};
  rows *r = self;
  if (entry->kind != SKEP_ENTRY_FILE || strncmp(entry->name, "bucket_", 7) != 0 || entry->size_bytes == 0)
    return SKEP_OK;
  if (strstr(entry->name, "_flush_length") != NULL) return SKEP_OK;
  if (r->loading) {
    const skep_split_file file = {.path = entry->name, .logical_bytes = entry->size_bytes};
    return skep_deletes_load(r->theirs, r->t->s->fs, r->dir, &file, &everything, err);
  }
  if (r->met) return SKEP_OK;
  const char *path = skep_arena_join(r->t->arena, r->dir, "/", entry->name);
  if (path == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a conflict");
  return compare_file(r, path, entry->size_bytes, err);
}

static skep_status visit_dirs(rows *r, const dir_list *list, bool loading, skep_err *err) {
  r->loading = loading;
  for (size_t i = 0; i < list->n; i++) {
    r->dir = list->items[i];
    SKEP_TRY(skep_fs_list(r->t->s->fs, r->dir, true, visit_file, r, err));
  }
  return SKEP_OK;
}

/* what: the row, for people. */
static skep_status compare_rows(traces *t, bool *conflicts, char *what, size_t size, skep_err *err) {
  rows r = {.t = t};
  SKEP_TRY(skep_deletes_new(t->s->ctx, &r.theirs, err));
  skep_status st = visit_dirs(&r, &t->their_deletes, true, err);
  if (st == SKEP_OK) st = skep_deletes_finish(r.theirs, err);
  if (st == SKEP_OK) st = visit_dirs(&r, &t->my_deletes, false, err);
  skep_deletes_free(r.theirs);
  if (st != SKEP_OK) return st;
  *conflicts = r.met;
  if (r.met)
    snprintf(what, size, "row {\"writeid\":%lld,\"bucketid\":%d,\"rowid\":%lld}", (long long)r.write_id, (int)r.bucket,
             (long long)r.row_id);
  return SKEP_OK;
}

/* ---- one meeting ---- */

/* Where our transaction wrote of this table and partition; NULL: it wrote no file there. */
static const skep_session_change *find_change(const skep_session *s, const skep_txn_meeting *m) {
  for (size_t i = 0; i < s->txn.n_changes; i++) {
    const skep_session_change *c = &s->txn.changes[i];
    if (strcmp(c->db, m->database) != 0 || strcmp(c->table, m->table) != 0) continue;
    if ((c->partition == NULL) != (m->partition == NULL)) continue;
    if (c->partition == NULL || strcmp(c->partition, m->partition) == 0) return c;
  }
  return NULL;
}

static skep_status judge(skep_session *s, skep_arena *arena, const skep_txn_meeting *m, bool *conflicts, char *what,
                         size_t size, skep_err *err) {
  const skep_session_change *change = find_change(s, m);
  traces t = {.s = s, .arena = arena, .theirs = m->write_id};
  *conflicts = false;
  what[0] = '\0';
  if (change == NULL) return SKEP_OK; /* a statement that changed nothing */
  t.mine = change->write_id;
  SKEP_TRY(skep_acid_dirs(s, arena, change->location, 0, look, &t, err));
  if (m->op == 0) {
    *conflicts = t.their_base || t.their_deletes.n > 0;
    return SKEP_OK;
  }
  if (t.their_base || (t.their_deletes.n == 0 && t.only_merged)) {
    *conflicts = true;
    return SKEP_OK;
  }
  if (t.their_deletes.n == 0 || t.my_deletes.n == 0) return SKEP_OK; /* no row was deleted */
  return compare_rows(&t, conflicts, what, size, err);
}

/* ---- the commit ---- */

typedef struct judging {
  skep_session *s;
  skep_arena arena;
  skep_txn_meeting *pardoned;
  size_t n_pardoned, capacity;
} judging;

static skep_status pardon(judging *j, const skep_txn_meeting *m, skep_err *err) {
  void *grown = j->pardoned;
  SKEP_TRY(skep_arena_grow(&j->arena, &grown, &j->capacity, j->n_pardoned + 1, sizeof *j->pardoned, err));
  j->pardoned = grown;
  j->pardoned[j->n_pardoned++] = *m;
  return SKEP_OK;
}

/* SKEP_OK: all of them are harmless. */
static skep_status judge_all(judging *j, const skep_txn_meeting *meetings, size_t n, skep_err *err) {
  for (size_t i = 0; i < n; i++) {
    bool conflicts;
    char what[120];
    SKEP_TRY(judge(j->s, &j->arena, &meetings[i], &conflicts, what, sizeof what, err));
    if (conflicts) return skep_txn_meeting_fail(j->s->txn.txn.id, &meetings[i], what[0] != '\0' ? what : NULL, err);
    SKEP_TRY(pardon(j, &meetings[i], err));
  }
  return SKEP_OK;
}

static skep_status commit_rounds(judging *j, const skep_txn_commit_opts *opts, skep_err *err) {
  int64_t txn = j->s->txn.txn.id;
  for (int round = 0; round < MAX_ROUNDS; round++) {
    skep_txn_commit_opts now = *opts;
    skep_txn_meeting *meetings;
    size_t n;
    now.snapshot = &j->s->txn.txn.txns;
    now.by_rows = skep_conflict_by_rows(j->s);
    now.pardoned = j->pardoned;
    now.n_pardoned = j->n_pardoned;
    skep_err why = {0};
    skep_status st = skep_txn_commit_with(j->s->db, txn, &now, &j->arena, &meetings, &n, &why);
    if (st == SKEP_ERR_BUSY && n > 0) st = judge_all(j, meetings, n, &why);
    if (st == SKEP_OK && n > 0) continue;
    if (st != SKEP_OK && err != NULL) *err = why;
    return st;
  }
  return skep_fail(err, SKEP_ERR_CONFLICT,
                   "transaction txnid:%lld met others that committed changes of the same partitions %d times over",
                   (long long)txn, MAX_ROUNDS);
}

skep_status skep_conflict_commit(skep_session *s, const skep_txn_commit_opts *opts, skep_err *err) {
  judging j = {.s = s};
  skep_arena_init(&j.arena, s->ctx, MAX_ARENA);
  skep_status st = commit_rounds(&j, opts, err);
  skep_arena_fini(&j.arena);
  /* judged here: it is still open */
  if (st == SKEP_ERR_CONFLICT) (void)!skep_txn_abort(s->db, s->txn.txn.id, SKEP_ABORT_WRITE_CONFLICT, false, NULL);
  return st;
}
