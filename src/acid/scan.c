/* Running a split: its files one after the other, batch by batch; which rows of a batch are delivered; the output
 * batch.
 *
 * Columns are never copied: the vectors of the caller's batch are swapped into the reader's before it reads and back
 * afterwards, so that the decoders write into the caller's buffers (lent ones too), and only then rows that are not
 * delivered are dropped. */
#include "acid/scan.h"

#include <inttypes.h>

#include "acid/scan_int.h"
#include "column/predicate.h"

enum { MAX_ROWS = 1 << 20 };

struct skep_scan {
  skep_scan_cache *cache;
  const skep_ctx *ctx;
  const skep_split *split;
  skep_forms forms;
  skep_arena arena;
  skep_scan_shape shape;
  skep_cached *deletes_item;
  const skep_deletes *deletes; /* NULL: none */
  skep_merge merge;            /* SKEP_SPLIT_MERGE */
  uint32_t next_file;
  bool is_open; /* `file` is */
  uint32_t file_number;
  skep_file_scan file;
  skep_rows rows;
  int32_t *scratch;
  int64_t capacity; /* of rows.at and scratch */
  uint64_t rows_read;
  skep_orc_reader_counts counts; /* of files that were closed */
  skep_status end;               /* SKEP_OK while there may be more */
  skep_err end_err;
};

/* ---- opening ---- */

static skep_status find_deletes(skep_scan *s, skep_scan_keeper *keeper, skep_err *err) {
  if (keeper == NULL) return skep_cache_deletes(s->cache, s->split, &s->deletes_item, err);
  return skep_cache_deletes_kept(s->cache, s->split, keeper, &s->deletes_item, err);
}

static skep_status open_parts(skep_scan *s, skep_scan_keeper *keeper, skep_err *err) {
  SKEP_TRY(skep_scan_shape_make(&s->arena, s->split, &s->shape, err));
  if (s->shape.never) {
    s->end = SKEP_END;
    return SKEP_OK;
  }
  if (s->split->n_deletes != 0 && s->split->kind != SKEP_SPLIT_PLAIN) {
    SKEP_TRY(find_deletes(s, keeper, err));
    const skep_deletes *deletes = skep_cached_deletes(s->deletes_item);
    if (!skep_deletes_is_empty(deletes)) s->deletes = deletes;
  }
  return s->split->kind == SKEP_SPLIT_MERGE ? skep_merge_load(s->cache, s->split, &s->merge, err) : SKEP_OK;
}

skep_status skep_scan_open(skep_scan_cache *cache, const skep_split *split, const skep_forms *forms, skep_scan **out,
                           skep_err *err) {
  return skep_scan_open_kept(cache, split, forms, NULL, out, err);
}

skep_status skep_scan_open_kept(skep_scan_cache *cache, const skep_split *split, const skep_forms *forms,
                                skep_scan_keeper *keeper, skep_scan **out, skep_err *err) {
  *out = NULL;
  const skep_ctx *ctx = skep_cache_ctx(cache);
  skep_scan *s = skep_alloc_zero(ctx, 1, sizeof *s);
  if (s == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a scan");
  s->cache = cache;
  s->ctx = ctx;
  s->split = split;
  s->forms = *forms;
  skep_arena_init(&s->arena, ctx, SIZE_MAX);
  skep_status st = open_parts(s, keeper, err);
  if (st != SKEP_OK) {
    skep_scan_close(s);
    return st;
  }
  *out = s;
  return SKEP_OK;
}

static void add_counts(skep_orc_reader_counts *to, const skep_orc_reader *reader) {
  if (reader == NULL) return;
  skep_orc_reader_counts c = skep_orc_reader_stats(reader);
  to->stripes_read += c.stripes_read;
  to->stripes_skipped += c.stripes_skipped;
  to->groups_read += c.groups_read;
  to->groups_skipped += c.groups_skipped;
  to->bytes_read += c.bytes_read;
}

static void close_file(skep_scan *s) {
  if (!s->is_open) return;
  add_counts(&s->counts, s->file.reader);
  skep_file_scan_close(&s->file);
  s->is_open = false;
}

void skep_scan_close(skep_scan *scan) {
  if (scan == NULL) return;
  close_file(scan);
  skep_merge_fini(&scan->merge);
  skep_cache_release(scan->cache, scan->deletes_item);
  skep_scan_shape_fini(&scan->shape);
  skep_release(scan->ctx, scan->rows.at);
  skep_release(scan->ctx, scan->scratch);
  skep_arena_fini(&scan->arena);
  skep_release(scan->ctx, scan);
}

const skep_type *skep_scan_type(const skep_scan *scan) { return scan->shape.output; }
uint64_t skep_scan_rows_read(const skep_scan *scan) { return scan->rows_read; }

skep_orc_reader_counts skep_scan_counts(const skep_scan *scan) {
  skep_orc_reader_counts counts = scan->counts;
  if (scan->is_open) add_counts(&counts, scan->file.reader);
  return counts;
}

/* Opens the next file that the snapshot sees; leaves is_open false when there is none. */
static skep_status open_next_file(skep_scan *s, skep_err *err) {
  const skep_split *split = s->split;
  bool is_merge = split->kind == SKEP_SPLIT_MERGE;
  while (s->next_file < split->n_files) {
    const skep_split_file *f = &split->files[s->file_number = s->next_file++];
    bool is_original = split->kind == SKEP_SPLIT_ORIGINAL || (is_merge && f->is_original);
    if (is_original && !skep_snapshot_write_id_valid(&split->snapshot, f->synthetic_write_id)) continue;
    const skep_file_scan_opts opts = {
        .split = split,
        .file = f,
        .has_acid_columns = !is_original && split->kind != SKEP_SPLIT_PLAIN,
        .row = s->shape.read,
        .predicate = s->shape.predicate,
        .want_operation = is_merge,
        .want_keys = is_merge || split->row_ids,
        .want_current = is_merge || split->check_write_ids,
        .skip_delete_events = !is_merge,
        .may_use_constants = !is_merge,
        .deletes = s->deletes,
        .first_stripe = is_merge ? 0 : split->first_stripe,
        .n_stripes = is_merge ? UINT32_MAX : split->n_stripes,
        .forms = s->forms,
    };
    SKEP_TRY(skep_file_scan_open(s->cache, &opts, &s->file, err));
    s->is_open = true;
    if (s->file.reader != NULL) return SKEP_OK;
    close_file(s);
  }
  return SKEP_OK;
}

/* ---- which rows of a batch are delivered ---- */

static void rows_all(skep_rows *rows, int64_t n) { *rows = (skep_rows){.at = rows->at, .n = n, .is_all = true}; }

/* Keeps only the rows that are also among the n_kept ascending ones in s->scratch, of a batch of n rows. */
static void intersect(skep_scan *s, int64_t n_kept, int64_t n) {
  if (n_kept == n) return;
  if (s->rows.is_all) {
    int32_t *at = s->rows.at;
    s->rows = (skep_rows){.at = s->scratch, .n = n_kept};
    s->scratch = at;
    return;
  }
  int64_t out = 0, k = 0;
  for (int64_t i = 0; i < s->rows.n; i++) {
    int32_t row = s->rows.at[i];
    while (k < n_kept && s->scratch[k] < row) k++;
    if (k < n_kept && s->scratch[k] == row) s->rows.at[out++] = row;
  }
  s->rows.n = out;
}

static int64_t filter_deletes(const skep_scan *s, const skep_deletes *deletes, int64_t n) {
  const skep_file_scan *file = &s->file;
  if (file->key[SKEP_KEY_ROW_ID] < 0) {
    return skep_deletes_filter_range(deletes, file->file->synthetic_write_id, file->file->synthetic_bucket,
                                     file->file->first_row_id + file->batch.first_row, n, s->scratch);
  }
  const skep_vec *columns = file->batch.root.children;
  const int64_t *row_ids = columns[file->key[SKEP_KEY_ROW_ID]].values.data;
  if (file->has_constants) {
    return skep_deletes_filter_rows(deletes, file->constant_write_id, file->constant_bucket, row_ids, n, s->scratch);
  }
  return skep_deletes_filter(deletes, columns[file->key[SKEP_KEY_WRITE_ID]].values.data,
                             columns[file->key[SKEP_KEY_BUCKET]].values.data, row_ids, n, s->scratch);
}

/* Rows whose event the snapshot sees; neighbours mostly share their write id. */
static int64_t filter_snapshot(const skep_scan *s, int64_t n) {
  const int64_t *current = s->file.batch.root.children[s->file.current].values.data;
  int64_t kept = 0;
  for (int64_t i = 0; i < n;) {
    int64_t write_id = current[i], end = i + 1;
    while (end < n && current[end] == write_id) end++;
    if (skep_snapshot_write_id_valid(&s->split->snapshot, write_id)) {
      for (; i < end; i++) s->scratch[kept++] = (int32_t)i;
    }
    i = end;
  }
  return kept;
}

/* Rows that are no delete events. */
static int64_t filter_operations(const skep_scan *s, int64_t n) {
  const int32_t *operations = s->file.batch.root.children[s->file.operation].values.data;
  int64_t kept = 0;
  for (int64_t i = 0; i < n; i++) {
    s->scratch[kept] = (int32_t)i;
    kept += operations[i] != 2;
  }
  return kept;
}

static skep_status choose_rows(skep_scan *s, skep_err *err) {
  int64_t n = s->file.batch.root.length;
  bool is_merge = s->split->kind == SKEP_SPLIT_MERGE;
  rows_all(&s->rows, n);
  SKEP_TRY(skep_file_scan_check(&s->file, err));
  if (is_merge && s->file.operation >= 0) {
    skep_merge_filter(&s->merge, s->split, s->file_number, &s->file, s->scratch, &s->rows);
  } else if (is_merge) {
    intersect(s, filter_deletes(s, s->merge.changed, n), n);
  } else {
    if (s->file.operation >= 0) intersect(s, filter_operations(s, n), n);
    if (s->file.current >= 0) intersect(s, filter_snapshot(s, n), n);
  }
  if (s->file.is_touched && s->rows.n != 0) intersect(s, filter_deletes(s, s->deletes, n), n);
  if (s->file.predicate != NULL && s->rows.n != 0) {
    int64_t kept;
    SKEP_TRY(skep_pred_filter(s->ctx, s->file.predicate, skep_file_scan_row(&s->file), s->scratch, &kept, err));
    intersect(s, kept, n);
  }
  return SKEP_OK;
}

/* ---- the output batch ---- */

static void retype(skep_vec *vec, const skep_type *type) {
  vec->type = type;
  for (uint32_t i = 0; i < vec->n_children; i++) retype(&vec->children[i], type->children[i]);
}

static void swap_whole(skep_vec *a, skep_vec *b) {
  const skep_type *type_a = a->type, *type_b = b->type;
  skep_vec t = *a;
  *a = *b;
  *b = t;
  retype(a, type_a);
  retype(b, type_b);
}

/* Swaps a column of the caller with the reader's. The reader's may be a struct with more fields, which only the
 * predicate needs: they stay where they are. */
static void swap_column(skep_vec *ours, skep_vec *reader) {
  if (skep_type_equal(ours->type, reader->type)) {
    swap_whole(ours, reader);
    return;
  }
  skep_vec *mine = ours->children, *theirs = reader->children;
  uint32_t n_mine = ours->n_children, n_theirs = reader->n_children;
  const skep_type *type_mine = ours->type, *type_theirs = reader->type;
  skep_vec t = *ours;
  *ours = *reader;
  *reader = t;
  ours->children = mine;
  ours->n_children = n_mine;
  ours->type = type_mine;
  reader->children = theirs;
  reader->n_children = n_theirs;
  reader->type = type_theirs;
  for (uint32_t i = 0; i < n_mine; i++) swap_column(&mine[i], &theirs[i]); /* added fields come last */
}

/* Lends the caller's columns to the reader, or takes them back: the same exchange. */
static void swap_columns(skep_scan *s, skep_batch *batch) {
  skep_vec *row = skep_file_scan_row(&s->file);
  if (!s->shape.is_table) {
    swap_whole(&batch->root, row);
    return;
  }
  for (uint32_t i = 0; i < s->shape.n_row_ids; i++) {
    if (s->file.key[i] >= 0) swap_whole(&batch->root.children[i], &s->file.batch.root.children[s->file.key[i]]);
  }
  for (uint32_t i = 0; i < s->shape.n_columns; i++) {
    swap_column(&batch->root.children[s->shape.n_row_ids + i], &row->children[i]);
  }
}

/* One of the three columns of row ids that the file does not hold, or that was not read since all its values are equal.
 */
static skep_status make_key(const skep_scan *s, uint32_t which, skep_vec *out, skep_err *err) {
  const skep_file_scan *file = &s->file;
  int64_t n = s->rows.n, first = file->file->first_row_id + file->batch.first_row;
  int64_t write_id = file->has_constants ? file->constant_write_id : file->file->synthetic_write_id;
  int32_t bucket = file->has_constants ? file->constant_bucket : file->file->synthetic_bucket;
  skep_vec_reset(out);
  SKEP_TRY(skep_vec_reserve(out, n, false, err));
  out->length = n;
  if (which == SKEP_KEY_BUCKET) {
    int32_t *to = out->values.data;
    for (int64_t i = 0; i < n; i++) to[i] = bucket;
    return SKEP_OK;
  }
  int64_t *to = out->values.data;
  if (which == SKEP_KEY_WRITE_ID) {
    for (int64_t i = 0; i < n; i++) to[i] = write_id;
  } else {
    for (int64_t i = 0; i < n; i++) to[i] = first + (s->rows.is_all ? i : s->rows.at[i]);
  }
  return SKEP_OK;
}

/* Drops the rows that are not delivered, and adds the columns that no file holds. */
static skep_status finish_batch(const skep_scan *s, skep_batch *batch, skep_err *err) {
  const skep_scan_shape *shape = &s->shape;
  const skep_rows *rows = &s->rows;
  if (!shape->is_table) return rows->is_all ? SKEP_OK : skep_vec_select(&batch->root, rows->at, rows->n, err);
  skep_vec *columns = batch->root.children;
  for (uint32_t i = 0; i < shape->n_row_ids; i++) {
    if (s->file.key[i] < 0) {
      SKEP_TRY(make_key(s, i, &columns[i], err));
    } else if (!rows->is_all) {
      SKEP_TRY(skep_vec_select(&columns[i], rows->at, rows->n, err));
    }
  }
  if (!rows->is_all)
    SKEP_TRY(skep_vec_select_columns(columns + shape->n_row_ids, shape->n_columns, rows->at, rows->n, err));
  for (uint32_t i = 0; i < s->split->n_partition_columns; i++) {
    skep_vec *out = &columns[shape->n_row_ids + shape->n_columns + i];
    SKEP_TRY(skep_vec_fill_constant(out, &shape->constants.children[i], rows->n, err));
  }
  batch->root.length = rows->n;
  return SKEP_OK;
}

/* ---- the loop ---- */

static skep_status wrap_file(const skep_scan *s, skep_status st, skep_err *err) {
  const skep_split_file *f = &s->split->files[s->file_number];
  char root[400], path[200];
  return skep_wrap(err, st, "%s%s%s", skep_quote(root, sizeof root, s->split->root, strlen(s->split->root)),
                   s->split->root[0] != '\0' && f->path[0] != '\0' ? "/" : "",
                   skep_quote(path, sizeof path, f->path, strlen(f->path)));
}

static skep_status read_batch(skep_scan *s, int64_t max_rows, skep_batch *batch, skep_err *err) {
  swap_columns(s, batch);
  skep_status st = skep_orc_reader_next(s->file.reader, max_rows, &s->file.batch, err);
  if (st == SKEP_OK) st = choose_rows(s, err);
  swap_columns(s, batch);
  if (st != SKEP_OK) return st;
  s->rows_read += (uint64_t)s->file.batch.root.length;
  return s->rows.n == 0 ? SKEP_OK : finish_batch(s, batch, err);
}

static skep_status reserve_rows(skep_scan *s, int64_t max_rows, skep_err *err) {
  if (s->capacity >= max_rows) return SKEP_OK;
  skep_release(s->ctx, s->rows.at);
  skep_release(s->ctx, s->scratch);
  s->rows.at = skep_alloc(s->ctx, (size_t)max_rows * sizeof(int32_t));
  s->scratch = skep_alloc(s->ctx, (size_t)max_rows * sizeof(int32_t));
  s->capacity = s->rows.at == NULL || s->scratch == NULL ? 0 : max_rows;
  return s->capacity != 0 ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "positions of %" PRId64 " rows", max_rows);
}

static skep_status next(skep_scan *s, int64_t max_rows, skep_batch *batch, skep_err *err) {
  SKEP_TRY(reserve_rows(s, max_rows, err));
  for (;;) {
    if (!s->is_open) {
      skep_status st = open_next_file(s, err);
      if (st != SKEP_OK) return wrap_file(s, st, err);
      if (!s->is_open) return SKEP_END;
    }
    skep_status st = read_batch(s, max_rows, batch, err);
    if (st == SKEP_END) {
      close_file(s);
      continue;
    }
    if (st != SKEP_OK) return wrap_file(s, st, err);
    if (s->rows.n != 0) return SKEP_OK;
  }
}

skep_status skep_scan_next(skep_scan *scan, int64_t max_rows, skep_batch *batch, skep_err *err) {
  if (max_rows < 1 || max_rows > MAX_ROWS)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "batches of %" PRId64 " rows", max_rows);
  skep_err local;
  if (err == NULL) err = &local;
  if (scan->end == SKEP_OK) {
    skep_vec_reset(&batch->root);
    batch->first_row = 0;
    scan->end = next(scan, max_rows, batch, err);
    if (scan->end == SKEP_OK) return SKEP_OK;
    if (scan->end != SKEP_END) scan->end_err = *err;
    skep_vec_reset(&batch->root);
  } else if (scan->end != SKEP_END) {
    *err = scan->end_err;
  }
  return scan->end;
}
