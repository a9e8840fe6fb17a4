/* Row ids of all files of a partition root together: each is there once, and what is deleted was there.
 *
 * Keys of the data rows come from a scan without its deletes (so that rows of original files have the ids that Hive
 * makes for them), keys of the delete events from their files. Both are sorted, on disk where they are many, and walked
 * side by side. */
#include <inttypes.h>

#include "acid/check_int.h"
#include "acid/events.h"
#include "acid/key_runs.h"
#include "acid/plan.h"
#include "acid/row_key_sort.h"
#include "acid/scan.h"

enum { ROWS_AT_ONCE = 4096, MAX_TOLD = 10 };

typedef struct keys_check {
  skep_checker *c;
  skep_arena arena;
  skep_write_budget budget;
  skep_key_runs rows, deletes;
} keys_check;

/* ---- gathering ---- */

static skep_status add_keys(skep_key_runs *runs, const skep_vec *columns, const uint32_t at[3], int64_t n,
                            skep_err *err) {
  const int64_t *write_ids = columns[at[0]].values.data, *row_ids = columns[at[2]].values.data;
  const int32_t *buckets = columns[at[1]].values.data;
  skep_row_key *to;
  SKEP_TRY(skep_key_runs_room(runs, (size_t)n, &to, err));
  size_t kept = 0;
  for (int64_t i = 0; i < n; i++) {
    skep_bucket b;
    if (!skep_bucket_decode(buckets[i], &b)) continue; /* told where its file was checked */
    to[kept++] = (skep_row_key){.write_id = write_ids[i], .row_id = row_ids[i], .bucket = buckets[i]};
  }
  skep_key_runs_grow(runs, kept);
  return SKEP_OK;
}

static skep_status scan_split(keys_check *k, skep_scan_cache *cache, skep_split *split, skep_err *err) {
  static const uint32_t at[3] = {0, 1, 2};
  static const skep_forms forms = {.boolean = 0};
  skep_scan *scan;
  skep_batch batch = {0};
  split->n_deletes = 0;
  split->n_partition_columns = 0;
  SKEP_TRY(skep_scan_open(cache, split, &forms, &scan, err));
  skep_status st = skep_vec_init(&batch.root, k->c->ctx, skep_scan_type(scan), &forms, err);
  while (st == SKEP_OK) {
    st = skep_checker_go_on(k->c, err);
    if (st == SKEP_OK) st = skep_scan_next(scan, ROWS_AT_ONCE, &batch, err);
    if (st == SKEP_OK) st = add_keys(&k->rows, batch.root.children, at, batch.root.length, err);
  }
  skep_vec_fini(&batch.root);
  skep_scan_close(scan);
  return st == SKEP_END ? SKEP_OK : st;
}

static skep_status gather_rows(keys_check *k, skep_err *err) {
  static const skep_type row = {.kind = SKEP_STRUCT};
  skep_checker *c = k->c;
  const skep_plan_opts opts = {.snapshot = *c->opts->snapshot,
                               .hive = SKEP_HIVE_4,
                               .schema = c->opts->schema,
                               .row_ids = true,
                               .evolution_by_name = -1,
                               .calendar = -1};
  skep_plan *plan;
  skep_scan_cache *cache = NULL;
  const skep_type *none;
  SKEP_TRY(skep_type_make(&k->arena, &row, NULL, NULL, 0, &none, err));
  SKEP_TRY(skep_plan_make(c->ctx, c->fs, &c->root, 1, &opts, &plan, err));
  skep_status st = skep_scan_cache_new(c->ctx, c->fs, &cache, err);
  for (uint32_t i = 0; i < plan->n_splits && st == SKEP_OK; i++) {
    plan->splits[i].columns = none;
    st = scan_split(k, cache, &plan->splits[i], err);
  }
  skep_scan_cache_free(cache);
  skep_plan_free(plan);
  return st;
}

/* Delete events that the snapshot sees. */
static skep_status read_deletes(keys_check *k, const skep_layout_dir *dir, const skep_layout_file *file,
                                skep_err *err) {
  static const uint32_t at[3] = {SKEP_EVENT_WRITE_ID, SKEP_EVENT_BUCKET, SKEP_EVENT_ROW_ID};
  static const skep_forms forms = {.boolean = 0};
  skep_events *events;
  skep_batch batch = {0};
  SKEP_TRY(skep_events_open(k->c->ctx, k->c->fs, skep_checker_path(k->c, dir->name, file->path), file->logical_bytes,
                            &events, err));
  skep_status st = skep_vec_init(&batch.root, k->c->ctx, skep_events_type(events), &forms, err);
  while (st == SKEP_OK) {
    st = skep_checker_go_on(k->c, err);
    if (st == SKEP_OK) st = skep_events_next(events, ROWS_AT_ONCE, &batch, err);
    const int64_t *current = st == SKEP_OK ? batch.root.children[SKEP_EVENT_CURRENT].values.data : NULL;
    for (int64_t i = 0, n = batch.root.length; st == SKEP_OK && i < n;) { /* neighbours mostly share their write id */
      int64_t end = i + 1;
      while (end < n && current[end] == current[i]) end++;
      if (skep_snapshot_write_id_valid(k->c->opts->snapshot, current[i])) {
        const skep_vec *v = batch.root.children;
        skep_vec part[SKEP_EVENT_COLUMNS];
        for (int p = 0; p < 3; p++) {
          part[at[p]] = v[at[p]];
          part[at[p]].values.data = (uint8_t *)v[at[p]].values.data + (size_t)i * skep_form_width(v[at[p]].form);
        }
        st = add_keys(&k->deletes, part, at, end - i, err);
      }
      i = end;
    }
  }
  skep_vec_fini(&batch.root);
  skep_events_close(events);
  return st == SKEP_END ? SKEP_OK : st;
}

static skep_status gather_deletes(keys_check *k, skep_err *err) {
  const skep_layout *l = k->c->layout;
  for (uint32_t d = 0; d < l->n_used; d++) {
    if (l->dirs[d].parsed.kind != SKEP_DIR_DELETE_DELTA) continue;
    for (uint32_t f = 0; f < l->dirs[d].n_files; f++)
      if (l->dirs[d].files[f].verdict == SKEP_USED) SKEP_TRY(read_deletes(k, &l->dirs[d], &l->dirs[d].files[f], err));
  }
  return SKEP_OK;
}

/* ---- comparing ---- */

/* One list, key by key. */
typedef struct walker {
  skep_key_runs *runs;
  const skep_row_key *keys;
  size_t n, at;
} walker;

static skep_status peek(walker *w, const skep_row_key **out, skep_err *err) {
  if (w->at == w->n) {
    SKEP_TRY(skep_key_runs_next(w->runs, &w->keys, &w->n, err));
    w->at = 0;
  }
  *out = w->n == 0 ? NULL : &w->keys[w->at];
  return SKEP_OK;
}

static skep_status tell(keys_check *k, uint64_t *n_told, const char *code, const skep_row_key *key, const char *what,
                        skep_err *err) {
  if ((*n_told)++ >= MAX_TOLD) return SKEP_OK;
  return skep_checker_tell(k->c, SKEP_CHECK_ERROR, code, SKEP_REPAIR_NONE, "", "", err,
                           "row (%" PRId64 ", %" PRId32 ", %" PRId64 ") %s", key->write_id, key->bucket, key->row_id,
                           what);
}

static skep_status tell_rest(keys_check *k, const char *code, uint64_t n, skep_err *err) {
  if (n <= MAX_TOLD) return SKEP_OK;
  return skep_checker_tell(k->c, SKEP_CHECK_ERROR, code, SKEP_REPAIR_NONE, "", "", err, "%" PRIu64 " more like these",
                           n - MAX_TOLD);
}

static skep_status compare(keys_check *k, skep_err *err) {
  walker rows = {.runs = &k->rows}, deletes = {.runs = &k->deletes};
  skep_row_key last = {0};
  bool has_last = false;
  uint64_t n_twice = 0, n_missing = 0;
  for (;;) {
    const skep_row_key *row, *deleted;
    SKEP_TRY(peek(&rows, &row, err));
    SKEP_TRY(peek(&deletes, &deleted, err));
    if (row == NULL && deleted == NULL) break;
    if (deleted == NULL || (row != NULL && !skep_row_key_less(deleted, row))) {
      if (has_last && skep_row_key_equal(row, &last))
        SKEP_TRY(tell(k, &n_twice, "duplicate", row, "is there more than once", err));
      last = *row;
      has_last = true;
      rows.at++;
      continue;
    }
    if (!has_last || !skep_row_key_equal(deleted, &last))
      SKEP_TRY(tell(k, &n_missing, "deletes-nothing", deleted, "is deleted and is in no file", err));
    deletes.at++;
  }
  SKEP_TRY(tell_rest(k, "duplicate", n_twice, err));
  return tell_rest(k, "deletes-nothing", n_missing, err);
}

static skep_status run(keys_check *k, skep_err *err) {
  SKEP_TRY(gather_rows(k, err));
  SKEP_TRY(gather_deletes(k, err));
  SKEP_TRY(skep_key_runs_start(&k->rows, err));
  SKEP_TRY(skep_key_runs_start(&k->deletes, err));
  return compare(k, err);
}

skep_status skep_check_keys(skep_checker *c, skep_err *err) {
  keys_check k = {.c = c};
  skep_err why = {0};
  skep_arena_init(&k.arena, c->ctx, 1 << 20);
  skep_write_budget_init(&k.budget, c->ctx, c->fs, c->opts->spill_dir, c->opts->max_bytes);
  skep_key_runs_init(&k.rows, c->ctx, &k.budget);
  skep_key_runs_init(&k.deletes, c->ctx, &k.budget);
  skep_status st = run(&k, &why);
  skep_key_runs_fini(&k.rows);
  skep_key_runs_fini(&k.deletes);
  skep_write_budget_fini(&k.budget);
  skep_arena_fini(&k.arena);
  if (st == SKEP_OK) return SKEP_OK;
  if (!skep_check_is_damage(st)) return skep_fail(err, st, "%s", why.text);
  return skep_checker_tell(c, SKEP_CHECK_ERROR, "damaged", SKEP_REPAIR_NONE, "", "", err, "%s", why.text);
}
