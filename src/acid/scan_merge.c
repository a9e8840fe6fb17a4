/* Reading ACID v1: inserts, updates and deletes of one bucket are mixed in its base and deltas, and the newest visible
 * event of a row says what the row is.
 *
 * Hive merges the files by key. Here the events that change rows (updates and deletes: usually few) are read first,
 * without their rows, and turned into two bitmap sets; then every file is read on its own, in batches, and an event is
 * delivered when
 *   - its write id is visible, it is no delete, and a base does not hold it already, and
 *   - nothing changed its row later: the row has no update or delete event, or this event is the newest of those.
 * The answer is the same, no file needs to be sorted (streaming files are only sorted by parts), rows stay in vectors,
 * and the memory follows the changes, not the rows.
 *
 * Which of two events of a row is newer: currentTransaction, then the statement id of the directory, then the later
 * directory; inside one file the earlier row (compaction drops statement ids and leaves the newest first). Seen in
 * tables of Hive 1.2 and 2.3. */
#include <inttypes.h>
#include <stdlib.h>

#include "acid/events.h"
#include "acid/scan_int.h"

enum { BATCH_ROWS = 8192 };

typedef struct change {
  int64_t write_id, row_id, current, row; /* row: number in its file */
  int32_t bucket, statement;
  uint32_t file;
  bool is_update;
} change;

typedef struct change_list {
  change *at;
  size_t n, capacity;
} change_list;

bool skep_merge_is_base(const skep_split_file *file) { return !file->is_original && file->min_write_id <= 0; }

static int compare_keys(const change *a, const change *b) {
  if (a->write_id != b->write_id) return a->write_id < b->write_id ? -1 : 1;
  if (a->bucket != b->bucket) return a->bucket < b->bucket ? -1 : 1;
  return a->row_id == b->row_id ? 0 : a->row_id < b->row_id ? -1 : 1;
}

/* Key ascending, newest first. */
static int compare_changes(const void *left, const void *right) {
  const change *a = left, *b = right;
  int by_key = compare_keys(a, b);
  if (by_key != 0) return by_key;
  if (a->current != b->current) return a->current > b->current ? -1 : 1;
  if (a->statement != b->statement) return a->statement > b->statement ? -1 : 1;
  if (a->file != b->file) return a->file > b->file ? -1 : 1;
  return a->row == b->row ? 0 : a->row < b->row ? -1 : 1;
}

static bool is_visible(const skep_merge *merge, const skep_split *split, const skep_split_file *file, int64_t current) {
  if (!skep_merge_is_base(file) && current <= merge->base_write_id) return false;
  return skep_snapshot_write_id_valid(&split->snapshot, current);
}

static skep_status add_changes(const skep_merge *merge, const skep_split *split, uint32_t number,
                               const skep_file_scan *scan, change_list *list, skep_err *err) {
  const skep_vec *c = scan->batch.root.children;
  const int32_t *operations = c[scan->operation].values.data, *buckets = c[scan->key[SKEP_KEY_BUCKET]].values.data;
  const int64_t *write_ids = c[scan->key[SKEP_KEY_WRITE_ID]].values.data,
                *row_ids = c[scan->key[SKEP_KEY_ROW_ID]].values.data;
  const int64_t *current = c[scan->current].values.data;
  const skep_ctx *ctx = skep_deletes_ctx(merge->changed);
  const skep_split_file *file = &split->files[number];
  for (int64_t i = 0; i < scan->batch.root.length; i++) {
    if (operations[i] == 0 || !is_visible(merge, split, file, current[i])) continue;
    if (list->n == list->capacity && (list->n + 1) > ctx->limits.max_delete_bytes / sizeof *list->at) {
      return skep_fail(err, SKEP_ERR_LIMIT, "more than %zu update and delete events in one bucket", list->n);
    }
    SKEP_TRY(skep_grow(ctx, (void **)&list->at, &list->capacity, list->n + 1, sizeof *list->at, err));
    list->at[list->n++] = (change){.write_id = write_ids[i],
                                   .row_id = row_ids[i],
                                   .current = current[i],
                                   .row = scan->batch.first_row + i,
                                   .bucket = buckets[i],
                                   .statement = file->statement,
                                   .file = number,
                                   .is_update = operations[i] == 1};
  }
  return SKEP_OK;
}

static skep_status read_changes(skep_scan_cache *cache, const skep_merge *merge, const skep_split *split,
                                uint32_t number, change_list *list, skep_err *err) {
  const skep_file_scan_opts opts = {.split = split,
                                    .file = &split->files[number],
                                    .has_acid_columns = true,
                                    .want_operation = true,
                                    .want_keys = true,
                                    .want_current = true,
                                    .n_stripes = UINT32_MAX};
  skep_file_scan scan;
  SKEP_TRY(skep_file_scan_open(cache, &opts, &scan, err));
  skep_status st = SKEP_OK;
  if (scan.reader != NULL && skep_event_file_max_operation(skep_cached_tail(scan.item)) != 0) {
    while ((st = skep_orc_reader_next(scan.reader, BATCH_ROWS, &scan.batch, err)) == SKEP_OK) {
      if ((st = skep_file_scan_check(&scan, err)) != SKEP_OK) break;
      if ((st = add_changes(merge, split, number, &scan, list, err)) != SKEP_OK) break;
    }
    if (st == SKEP_END) st = SKEP_OK;
  }
  skep_file_scan_close(&scan);
  return st;
}

/* Events in key order, newest first, into the two sets. */
static skep_status pick_newest(skep_merge *merge, change_list *list, skep_err *err) {
  if (list->n != 0) qsort(list->at, list->n, sizeof *list->at, compare_changes);
  for (size_t i = 0; i < list->n; i++) {
    const change *e = &list->at[i];
    if (i != 0 && compare_keys(e - 1, e) == 0) continue;
    SKEP_TRY(skep_deletes_add(merge->changed, e->write_id, e->bucket, e->row_id, err));
    if (e->is_update) SKEP_TRY(skep_deletes_add(merge->newest, e->file, 0, e->row, err));
  }
  SKEP_TRY(skep_deletes_finish(merge->changed, err));
  return skep_deletes_finish(merge->newest, err);
}

static skep_status load(skep_scan_cache *cache, const skep_split *split, skep_merge *merge, change_list *list,
                        skep_err *err) {
  SKEP_TRY(skep_deletes_new(skep_cache_ctx(cache), &merge->changed, err));
  SKEP_TRY(skep_deletes_new(skep_cache_ctx(cache), &merge->newest, err));
  for (uint32_t i = 0; i < split->n_files; i++) {
    const skep_split_file *f = &split->files[i];
    if (skep_merge_is_base(f) && f->max_write_id > merge->base_write_id) merge->base_write_id = f->max_write_id;
  }
  for (uint32_t i = 0; i < split->n_files; i++) { /* a base has one event a row: it changes nothing */
    const skep_split_file *f = &split->files[i];
    if (f->is_original || skep_merge_is_base(f)) continue;
    skep_status st = read_changes(cache, merge, split, i, list, err);
    char path[512];
    if (st != SKEP_OK) return skep_wrap(err, st, "%s", skep_quote(path, sizeof path, f->path, strlen(f->path)));
  }
  return pick_newest(merge, list, err);
}

skep_status skep_merge_load(skep_scan_cache *cache, const skep_split *split, skep_merge *out, skep_err *err) {
  *out = (skep_merge){.base_write_id = INT64_MIN};
  change_list list = {.at = NULL};
  skep_status st = load(cache, split, out, &list, err);
  skep_release(skep_cache_ctx(cache), list.at);
  if (st != SKEP_OK) skep_merge_fini(out);
  return st;
}

void skep_merge_fini(skep_merge *merge) {
  skep_deletes_free(merge->changed);
  skep_deletes_free(merge->newest);
  *merge = (skep_merge){.changed = NULL};
}

void skep_merge_filter(const skep_merge *merge, const skep_split *split, uint32_t number, const skep_file_scan *scan,
                       int32_t *scratch, skep_rows *rows) {
  const skep_vec *c = scan->batch.root.children;
  const int32_t *operations = c[scan->operation].values.data;
  const int64_t *current = c[scan->current].values.data;
  const skep_split_file *file = &split->files[number];
  int64_t n = scan->batch.root.length, first = scan->batch.first_row;
  int64_t n_unchanged = skep_deletes_filter(merge->changed, c[scan->key[SKEP_KEY_WRITE_ID]].values.data,
                                            c[scan->key[SKEP_KEY_BUCKET]].values.data,
                                            c[scan->key[SKEP_KEY_ROW_ID]].values.data, n, scratch);
  bool some_newest = n_unchanged != n && skep_deletes_touch(merge->newest, number, 0, first, first + n - 1);
  int64_t kept = 0, u = 0;
  for (int64_t i = 0; i < n; i++) {
    bool unchanged = u < n_unchanged && scratch[u] == i;
    if (unchanged) u++;
    if (!unchanged && !(some_newest && skep_deletes_contains(merge->newest, number, 0, first + i))) continue;
    if (operations[i] != 2 && is_visible(merge, split, file, current[i])) rows->at[kept++] = (int32_t)i;
  }
  rows->n = kept;
  rows->is_all = kept == n;
}
