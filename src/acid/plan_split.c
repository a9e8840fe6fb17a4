/* From a partition root's layout to splits: which kind, which delete files, which stripes.
 *
 * Originals get the row ids that Hive makes for them (acid-format facts 3.3). A bucket whose deltas hold updates or
 * deletes among their events is ACID v1 and becomes one split that merges all its files. Tails are read only where
 * something depends on them: files longer than a split, originals that are followed by others of their bucket, and
 * deltas that could be v1. */
#include <inttypes.h>
#include <stdlib.h>

#include "acid/plan_int.h"

enum { DEFAULT_SPLIT_BYTES = 64 << 20, MAX_CODED_BUCKET = 4095 };

/* A file that holds rows. */
typedef struct data_file {
  skep_split_file file; /* path in the plan's arena */
  const skep_layout_dir *dir;
  int64_t bucket;
} data_file;

typedef struct cutter {
  skep_planner *p;
  const skep_plan_unit *unit;
  skep_split common; /* with this unit's root and partition values */
  data_file *data;
  size_t n_data, data_capacity;
  skep_plan_deletes deletes;
  int64_t *merged; /* bucket numbers that need merging, ascending */
  size_t n_merged, merged_capacity;
} cutter;

static const char *full_path(cutter *c, const skep_split_file *file) {
  return skep_plan_join(c->p, c->unit->root, file->path);
}

/* --- Gathering files --- */

static skep_status add_file(cutter *c, const skep_layout_dir *dir, const skep_layout_file *file, skep_err *err) {
  skep_planner *p = c->p;
  skep_split_file out = {.path = skep_plan_join(p, dir->name, file->path),
                         .logical_bytes = file->logical_bytes,
                         .min_write_id = dir->parsed.kind == SKEP_DIR_BASE ? 0 : dir->parsed.min_write_id,
                         .max_write_id = dir->parsed.max_write_id,
                         .statement = dir->parsed.statement};
  if (out.path == NULL) return skep_plan_no_memory(err);
  if (dir->parsed.kind == SKEP_DIR_DELETE_DELTA) return skep_plan_deletes_add(&c->deletes, &out, err);
  out.is_original = dir->content == SKEP_CONTENT_RAW;
  SKEP_TRY(skep_grow(p->ctx, (void **)&c->data, &c->data_capacity, c->n_data + 1, sizeof *c->data, err));
  c->data[c->n_data++] = (data_file){.file = out, .dir = dir, .bucket = file->name.bucket};
  p->plan->n_files++;
  p->plan->total_bytes += file->logical_bytes;
  return SKEP_OK;
}

static skep_status gather(cutter *c, skep_err *err) {
  const skep_layout *layout = c->unit->layout;
  for (uint32_t d = 0; d < layout->n_used; d++) {
    const skep_layout_dir *dir = &layout->dirs[d];
    for (uint32_t f = 0; f < dir->n_files; f++) {
      if (dir->files[f].verdict == SKEP_USED) SKEP_TRY(add_file(c, dir, &dir->files[f], err));
    }
  }
  return SKEP_OK;
}

/* --- ACID v1 --- */

/* Hive 3 and later mark what they write: a version file, an attempt, or a compaction's transaction. */
static bool is_marked(const data_file *d) {
  if (d->dir->parsed.visibility_txn > 0) return true;
  for (uint32_t f = 0; f < d->dir->n_files; f++) {
    const skep_file_name *name = &d->dir->files[f].name;
    if (name->kind == SKEP_FILE_ACID_VERSION || (name->kind == SKEP_DATA_BUCKET && name->attempt >= 0)) return true;
  }
  return false;
}

static int compare_buckets(const void *a, const void *b) {
  int64_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

static bool is_merged(const cutter *c, int64_t bucket) {
  return c->n_merged != 0 && bsearch(&bucket, c->merged, c->n_merged, sizeof *c->merged, compare_buckets) != NULL;
}

/* Keeps the list in order. */
static skep_status add_merged(cutter *c, int64_t bucket, skep_err *err) {
  SKEP_TRY(skep_grow(c->p->ctx, (void **)&c->merged, &c->merged_capacity, c->n_merged + 1, sizeof *c->merged, err));
  size_t at = c->n_merged++;
  for (; at > 0 && c->merged[at - 1] > bucket; at--) c->merged[at] = c->merged[at - 1];
  c->merged[at] = bucket;
  return SKEP_OK;
}

/* Finds the buckets whose deltas hold updates or deletes. Deltas come in the order of their write ids, and an upgrade
 * is not undone: behind the first file with coded bucket properties nothing of Hive 1 or 2 can follow. */
static skep_status find_merged(cutter *c, skep_err *err) {
  for (size_t i = 0; i < c->n_data; i++) {
    data_file *d = &c->data[i];
    skep_plan_events events;
    if (d->dir->parsed.kind != SKEP_DIR_DELTA || d->file.is_original) continue;
    if (is_marked(d)) break;
    const char *path = full_path(c, &d->file);
    if (path == NULL) return skep_plan_no_memory(err);
    SKEP_TRY(skep_plan_events_read(c->p, path, d->file.logical_bytes, &events, err));
    if (events.is_empty) continue;
    if (events.is_coded) break;
    if (!events.may_change || is_merged(c, d->bucket)) continue;
    SKEP_TRY(add_merged(c, d->bucket, err));
  }
  return SKEP_OK;
}

/* --- Originals --- */

static bool has_plain_buckets(const cutter *c) {
  const skep_plan_opts *opts = c->p->opts;
  return opts->snapshot.write_ids_are_txns || opts->hive == SKEP_HIVE_1 || opts->hive == SKEP_HIVE_2 ||
         c->n_merged != 0;
}

static skep_status name_original(cutter *c, data_file *d, skep_err *err) {
  char quoted[256];
  skep_quote(quoted, sizeof quoted, d->file.path, strlen(d->file.path));
  if (d->bucket < 0)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "%s has no bucket number in its name (N_A): its rows have no row ids",
                     quoted);
  bool plain = has_plain_buckets(c);
  if (d->bucket > (plain ? INT32_MAX : MAX_CODED_BUCKET))
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "%s: bucket number %" PRId64 " is too large for row ids", quoted,
                     d->bucket);
  int32_t statement = d->file.statement > 0 ? d->file.statement : 0;
  d->file.synthetic_bucket = plain ? (int32_t)d->bucket : skep_bucket_encode((int32_t)d->bucket, statement);
  switch (d->dir->parsed.kind) {
    case SKEP_DIR_BASE:
      d->file.synthetic_write_id = d->file.max_write_id;
      break;
    case SKEP_DIR_DELTA:
      d->file.synthetic_write_id = d->file.min_write_id;
      break;
    case SKEP_DIR_DELETE_DELTA:
    case SKEP_DIR_OTHER:
      d->file.synthetic_write_id = 0;
      break;
  }
  return SKEP_OK;
}

static int compare_originals(const void *a, const void *b) {
  const data_file *x = *(data_file *const *)a, *y = *(data_file *const *)b;
  if (x->bucket != y->bucket) return x->bucket < y->bucket ? -1 : 1;
  return x < y ? -1 : x > y; /* the order rows are numbered in */
}

/* Row ids go on over the files of one bucket: only files with a successor need counting. */
static skep_status number_rows(cutter *c, data_file **files, size_t n, skep_err *err) {
  qsort(files, n, sizeof *files, compare_originals);
  int64_t next = 0;
  for (size_t i = 0; i < n; i++) {
    if (i == 0 || files[i - 1]->bucket != files[i]->bucket) next = 0;
    files[i]->file.first_row_id = next;
    if (i + 1 == n || files[i + 1]->bucket != files[i]->bucket) continue;
    skep_orc_tail *tail;
    const char *path = full_path(c, &files[i]->file);
    if (path == NULL) return skep_plan_no_memory(err);
    SKEP_TRY(skep_plan_tail(c->p, path, files[i]->file.logical_bytes, &tail, err));
    bool fits = tail->n_rows <= INT64_MAX && !__builtin_add_overflow(next, (int64_t)tail->n_rows, &next);
    skep_orc_tail_unref(tail);
    if (!fits)
      return skep_fail(err, SKEP_ERR_LIMIT, "too many rows in the original files of bucket %" PRId64, files[i]->bucket);
  }
  return SKEP_OK;
}

/* Synthetic ids of all originals; row numbers start anew in each directory. */
static skep_status name_originals(cutter *c, skep_err *err) {
  data_file **files = skep_alloc_zero(c->p->ctx, c->n_data + 1, sizeof *files);
  if (files == NULL) return skep_plan_no_memory(err);
  skep_status status = SKEP_OK;
  for (size_t i = 0, n = 0; i < c->n_data && status == SKEP_OK; i++) {
    if (c->data[i].file.is_original) {
      status = name_original(c, &c->data[i], err);
      files[n++] = &c->data[i];
    }
    bool last_of_dir = i + 1 == c->n_data || c->data[i + 1].dir != c->data[i].dir;
    if (status != SKEP_OK || !last_of_dir) continue;
    status = number_rows(c, files, n, err);
    n = 0;
  }
  skep_release(c->p->ctx, files);
  return status;
}

/* --- Splits --- */

static skep_status add_split(cutter *c, const skep_split *split, skep_err *err) {
  skep_planner *p = c->p;
  SKEP_TRY(skep_grow(p->ctx, (void **)&p->splits, &p->splits_capacity, p->n_splits + 1, sizeof *p->splits, err));
  p->splits[p->n_splits++] = *split;
  return SKEP_OK;
}

/* A file that is not ORC: in ranges of bytes. */
static skep_status add_range_splits(cutter *c, skep_split *split, skep_err *err) {
  const skep_plan_opts *opts = c->p->opts;
  uint64_t n = split->files[0].logical_bytes / opts->range_bytes + 1;
  bool cut = opts->may_cut != NULL && opts->may_cut(split->files[0].path) && n > 1;
  split->n_stripes = SKEP_ALL_STRIPES;
  if (!cut || n >= SKEP_ALL_STRIPES) return add_split(c, split, err);
  for (uint64_t i = 0; i < n; i++) {
    split->first_stripe = (uint32_t)i;
    split->n_stripes = i + 1 < n ? 1 : SKEP_ALL_STRIPES;
    SKEP_TRY(add_split(c, split, err));
  }
  return SKEP_OK;
}

/* Cuts a long file at stripes; a short one stays whole, its tail unread. */
static skep_status add_file_splits(cutter *c, skep_split *split, const char *path, skep_err *err) {
  if (c->p->opts->range_bytes != 0) return add_range_splits(c, split, err);
  uint64_t aim = c->p->opts->split_bytes == 0 ? DEFAULT_SPLIT_BYTES : c->p->opts->split_bytes;
  uint64_t length = split->files[0].logical_bytes;
  split->first_stripe = 0;
  split->n_stripes = SKEP_ALL_STRIPES;
  if (length / 3 < aim / 2) return add_split(c, split, err); /* less than one and a half splits */
  skep_orc_tail *tail;
  if (path == NULL) return skep_plan_no_memory(err);
  SKEP_TRY(skep_plan_tail(c->p, path, length, &tail, err));
  skep_status status = SKEP_OK;
  uint64_t bytes = 0, rows = 0;
  uint32_t first = 0;
  if (tail->n_stripes == 0) status = add_split(c, split, err);
  for (uint32_t s = 0; s < tail->n_stripes && status == SKEP_OK; s++) {
    const skep_orc_stripe *stripe = &tail->stripes[s];
    bytes += stripe->index_length + stripe->data_length + stripe->footer_length;
    rows += stripe->n_rows;
    if (bytes < aim && s + 1 < tail->n_stripes) continue;
    split->first_stripe = first;
    split->n_stripes = s + 1 - first;
    split->n_rows_hint = rows;
    status = add_split(c, split, err);
    bytes = rows = 0;
    first = s + 1;
  }
  skep_orc_tail_unref(tail);
  return status;
}

static const skep_split_file *keep_files(cutter *c, const skep_split_file *files, size_t n) {
  skep_split_file *kept = skep_arena_zero(c->p->arena, n, sizeof *kept);
  if (kept != NULL) memcpy(kept, files, n * sizeof *kept);
  return kept;
}

/* Inside a directory's range some ids may not be valid: then rows say which. A base was compacted below the lowest open
 * id, and aborted rows are gone from it; only Hive 1's lists do not say what is open. */
static bool must_check(const cutter *c, const skep_split_file *file) {
  const skep_snapshot *s = &c->p->opts->snapshot;
  bool is_base = file->min_write_id <= 0;
  if (is_base && !(s->write_ids_are_txns && s->txns.min_open == INT64_MAX)) return false;
  int64_t min = is_base ? 1 : file->min_write_id;
  return file->max_write_id >= min && skep_snapshot_range_valid(s, min, file->max_write_id) != SKEP_RANGE_ALL;
}

static skep_status cut_data_file(cutter *c, const data_file *d, skep_err *err) {
  skep_split split = c->common;
  split.files = keep_files(c, &d->file, 1);
  split.n_files = 1;
  if (split.files == NULL) return skep_plan_no_memory(err);
  if (d->file.is_original) {
    split.kind = c->p->is_acid && (split.row_ids || c->deletes.n_files != 0) ? SKEP_SPLIT_ORIGINAL : SKEP_SPLIT_PLAIN;
  } else {
    split.kind = SKEP_SPLIT_ACID;
    split.check_write_ids = must_check(c, &d->file);
  }
  if (split.kind != SKEP_SPLIT_PLAIN)
    SKEP_TRY(skep_plan_deletes_set(&c->deletes, d->bucket, d->file.min_write_id, &split, err));
  return add_file_splits(c, &split, full_path(c, &d->file), err);
}

/* One split for all files of a bucket. */
static skep_status cut_merged(cutter *c, int64_t bucket, skep_err *err) {
  size_t n = 0;
  for (size_t i = 0; i < c->n_data; i++) n += c->data[i].bucket == bucket;
  skep_split_file *files = skep_arena_zero(c->p->arena, n, sizeof *files);
  if (files == NULL) return skep_plan_no_memory(err);
  skep_split split = c->common;
  for (size_t i = 0; i < c->n_data; i++) {
    if (c->data[i].bucket == bucket) files[split.n_files++] = c->data[i].file;
  }
  split.kind = SKEP_SPLIT_MERGE;
  split.files = files;
  split.n_stripes = SKEP_ALL_STRIPES;
  split.check_write_ids = !c->p->opts->snapshot.everything;
  SKEP_TRY(skep_plan_deletes_set(&c->deletes, bucket, 0, &split, err));
  c->p->plan->is_v1 = true;
  return add_split(c, &split, err);
}

/* Tells the delete files which buckets there are. */
static skep_status group_deletes(cutter *c, skep_err *err) {
  if (c->deletes.n_files == 0) return SKEP_OK;
  int64_t *buckets = skep_alloc_zero(c->p->ctx, c->n_data + 1, sizeof *buckets);
  if (buckets == NULL) return skep_plan_no_memory(err);
  for (size_t i = 0; i < c->n_data; i++) buckets[i] = c->data[i].bucket;
  if (c->n_data != 0) qsort(buckets, c->n_data, sizeof *buckets, compare_buckets);
  size_t n = 0;
  for (size_t i = 0; i < c->n_data; i++) {
    if (n == 0 || buckets[i] != buckets[n - 1]) buckets[n++] = buckets[i];
  }
  skep_status status = skep_plan_deletes_group(&c->deletes, buckets, n, err);
  skep_release(c->p->ctx, buckets);
  return status;
}

static skep_status cut_layout(cutter *c, skep_err *err) {
  SKEP_TRY(gather(c, err));
  if (c->p->is_acid) {
    SKEP_TRY(find_merged(c, err));
    if (c->common.row_ids || c->deletes.n_files != 0 || c->n_merged != 0) SKEP_TRY(name_originals(c, err));
  }
  SKEP_TRY(group_deletes(c, err));
  for (size_t i = 0; i < c->n_merged; i++) SKEP_TRY(cut_merged(c, c->merged[i], err));
  for (size_t i = 0; i < c->n_data; i++) {
    if (!is_merged(c, c->data[i].bucket)) SKEP_TRY(cut_data_file(c, &c->data[i], err));
  }
  return SKEP_OK;
}

static skep_status cut_file(cutter *c, skep_err *err) {
  skep_split_file file = {.path = "", .logical_bytes = c->unit->size_bytes, .statement = -1, .is_original = true};
  skep_split split = c->common;
  split.kind = SKEP_SPLIT_PLAIN;
  split.n_files = 1;
  split.files = keep_files(c, &file, 1);
  if (split.files == NULL) return skep_plan_no_memory(err);
  c->p->plan->n_files++;
  c->p->plan->total_bytes += c->unit->size_bytes;
  return add_file_splits(c, &split, c->unit->root, err);
}

/* The unit's values of the partition columns that splits carry. */
static skep_status pick_values(cutter *c, skep_err *err) {
  const skep_type *columns = c->common.partition_columns;
  if (columns == NULL) return SKEP_OK;
  const char **values = skep_arena_zero(c->p->arena, (size_t)columns->n_children + 1, sizeof *values);
  if (values == NULL) return skep_plan_no_memory(err);
  for (uint32_t i = 0; i < columns->n_children; i++)
    values[i] = c->unit->values[skep_type_child(c->p->partitions, columns->names[i], strlen(columns->names[i]), false)];
  c->common.partition_values = values;
  return SKEP_OK;
}

skep_status skep_plan_cut(skep_planner *p, const skep_plan_unit *unit, skep_err *err) {
  cutter c = {.p = p, .unit = unit, .common = p->common, .deletes = {.p = p, .root = unit->root}};
  c.common.root = unit->root;
  skep_status status = pick_values(&c, err);
  if (status == SKEP_OK) status = unit->layout == NULL ? cut_file(&c, err) : cut_layout(&c, err);
  skep_release(p->ctx, c.data);
  skep_plan_deletes_fini(&c.deletes);
  skep_release(p->ctx, c.merged);
  return status;
}
