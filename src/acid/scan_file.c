/* One file of a split being read: tail from the cache, target type with the ACID columns that are needed, mapping,
 * reader. */
#include <inttypes.h>

#include "acid/events.h"
#include "acid/scan_int.h"
#include "column/predicate.h"

/* Adds a column to the target under construction and says where it is. */
typedef struct target {
  const skep_type *children[SKEP_EVENT_COLUMNS];
  const char *names[SKEP_EVENT_COLUMNS];
  uint32_t n;
} target;

static const skep_type type_int = {.kind = SKEP_INT}, type_bigint = {.kind = SKEP_BIGINT},
                       type_struct = {.kind = SKEP_STRUCT};

static int32_t target_add(target *t, skep_event_column column, const skep_type *type) {
  t->children[t->n] = type;
  t->names[t->n] = skep_event_column_names[column];
  return (int32_t)t->n++;
}

/* ---- what statistics say about keys ---- */

static bool int_range(const skep_orc_stats *stats, uint32_t column, int64_t *min, int64_t *max) {
  if (stats == NULL) return false;
  const skep_orc_stats *s = &stats[column];
  if (s->kind != SKEP_ORC_STATS_INT || !s->has_min || !s->has_max || s->min.i64 > s->max.i64) return false;
  *min = s->min.i64;
  *max = s->max.i64;
  return true;
}

static bool key_box(const skep_orc_stats *stats, const uint32_t *columns, skep_key_box *box) {
  int64_t min_bucket, max_bucket;
  if (!int_range(stats, columns[SKEP_EVENT_WRITE_ID], &box->min_write_id, &box->max_write_id)) return false;
  if (!int_range(stats, columns[SKEP_EVENT_ROW_ID], &box->min_row_id, &box->max_row_id)) return false;
  if (!int_range(stats, columns[SKEP_EVENT_BUCKET], &min_bucket, &max_bucket)) return false;
  if (min_bucket < INT32_MIN || max_bucket > INT32_MAX) return false;
  box->min_bucket = (int32_t)min_bucket;
  box->max_bucket = (int32_t)max_bucket;
  return true;
}

/* True when trusted statistics say that no row of stripes [first, first + n) is deleted by the set. */
static bool is_untouched(const skep_orc_tail *tail, uint32_t first, uint32_t n, const skep_deletes *deletes) {
  uint32_t columns[SKEP_EVENT_COLUMNS];
  if (skep_event_file_kind(tail, columns) == SKEP_EVENT_FILE_NO) return false;
  if (tail->row_index_stride == 0) return false; /* such writers leave statistics that mean nothing */
  skep_key_box box;
  if (key_box(tail->file_stats, columns, &box) && !skep_deletes_touch_box(deletes, &box)) return true;
  if (tail->stripe_stats == NULL) return false;
  uint64_t end = (uint64_t)first + n < tail->n_stripes ? (uint64_t)first + n : tail->n_stripes;
  for (uint64_t i = first; i < end; i++) {
    if (!key_box(tail->stripe_stats[i], columns, &box) || skep_deletes_touch_box(deletes, &box)) return false;
  }
  return first < end;
}

/* True when trusted statistics say that all events of a file have one write id and one bucket property, none of them
 * NULL. The normal case for what one statement wrote: two columns less to decode and to compare. */
static bool constant_keys(const skep_orc_tail *tail, int64_t *write_id, int32_t *bucket) {
  uint32_t columns[SKEP_EVENT_COLUMNS];
  skep_key_box box;
  if (skep_event_file_kind(tail, columns) == SKEP_EVENT_FILE_NO || tail->row_index_stride == 0) return false;
  if (!key_box(tail->file_stats, columns, &box)) return false;
  for (int i = SKEP_EVENT_WRITE_ID; i <= SKEP_EVENT_BUCKET; i++) {
    const skep_orc_stats *s = &tail->file_stats[columns[i]];
    if (!s->has_count || s->count != tail->n_rows) return false;
  }
  *write_id = box.min_write_id;
  *bucket = box.min_bucket;
  return box.min_write_id == box.max_write_id && box.min_bucket == box.max_bucket;
}

/* The same for rows without ACID columns, whose keys follow from their numbers. */
static skep_status touch_original(const skep_file_scan_opts *opts, const skep_orc_tail *tail, bool *out,
                                  skep_err *err) {
  const skep_split_file *f = opts->file;
  if (tail->n_rows > INT64_MAX || f->first_row_id < 0 || f->first_row_id > INT64_MAX - (int64_t)tail->n_rows) {
    return skep_fail(err, SKEP_ERR_ARGUMENT, "row ids from %" PRId64 " on for %" PRIu64 " rows", f->first_row_id,
                     tail->n_rows);
  }
  int64_t last = f->first_row_id + (int64_t)tail->n_rows - 1;
  *out = opts->deletes != NULL &&
         skep_deletes_touch(opts->deletes, f->synthetic_write_id, f->synthetic_bucket, f->first_row_id, last);
  return SKEP_OK;
}

/* ---- opening ---- */

/* The type that batches of the file have: the row alone, or a struct of the wanted ACID columns and the row. */
static skep_status make_target(skep_file_scan *scan, const skep_file_scan_opts *opts, const skep_type **out,
                               skep_err *err) {
  const skep_orc_tail *tail = skep_cached_tail(scan->item);
  *out = opts->row;
  if (!opts->has_acid_columns) return touch_original(opts, tail, &scan->is_touched, err);
  scan->is_touched = opts->deletes != NULL && !is_untouched(tail, opts->first_stripe, opts->n_stripes, opts->deletes);
  int64_t max_operation = skep_event_file_max_operation(tail);
  bool may_hold_deletes = opts->skip_delete_events && (max_operation < 0 || max_operation > 1);
  target t = {.n = 0};
  if (opts->want_operation || may_hold_deletes) scan->operation = target_add(&t, SKEP_EVENT_OPERATION, &type_int);
  if (opts->want_keys || scan->is_touched) {
    scan->has_constants =
        opts->may_use_constants && constant_keys(tail, &scan->constant_write_id, &scan->constant_bucket);
    if (!scan->has_constants) {
      scan->key[SKEP_KEY_WRITE_ID] = target_add(&t, SKEP_EVENT_WRITE_ID, &type_bigint);
      scan->key[SKEP_KEY_BUCKET] = target_add(&t, SKEP_EVENT_BUCKET, &type_int);
    }
    scan->key[SKEP_KEY_ROW_ID] = target_add(&t, SKEP_EVENT_ROW_ID, &type_bigint);
  }
  if (opts->want_current) scan->current = target_add(&t, SKEP_EVENT_CURRENT, &type_bigint);
  if (opts->row != NULL) scan->row = target_add(&t, SKEP_EVENT_ROW, opts->row);
  return skep_type_make(&scan->arena, &type_struct, t.children, t.names, t.n, out, err);
}

static skep_status check_stripes(const skep_orc_tail *tail, const skep_file_scan_opts *opts, skep_err *err) {
  uint64_t end = (uint64_t)opts->first_stripe + opts->n_stripes;
  if (opts->n_stripes == UINT32_MAX || end <= tail->n_stripes) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_ARGUMENT, "the split names stripes %" PRIu32 " to %" PRIu64 ", the file has %" PRIu32,
                   opts->first_stripe, end - 1, tail->n_stripes);
}

static skep_status start_reader(skep_file_scan *scan, const skep_file_scan_opts *opts, skep_err *err) {
  const skep_ctx *ctx = skep_cache_ctx(scan->cache);
  const skep_orc_tail *tail = skep_cached_tail(scan->item);
  const skep_type *type;
  SKEP_TRY(make_target(scan, opts, &type, err));
  skep_orc_evolution how = opts->split->evolution;
  how.is_acid = opts->has_acid_columns;
  how.old_conversions = opts->split->hive != SKEP_HIVE_4;
  how.table = opts->row != NULL && opts->row->kind == SKEP_STRUCT ? opts->split->table : NULL;
  const skep_orc_mapping *mapping;
  SKEP_TRY(skep_orc_mapping_make(&scan->arena, tail, type, &how, &mapping, err));
  type = mapping->target;
  const skep_type *row = scan->row >= 0 ? type->children[scan->row] : type;
  if (opts->predicate != NULL) SKEP_TRY(skep_pred_bind(&scan->arena, opts->predicate, row, &scan->predicate, err));
  skep_orc_reader_opts reader = SKEP_ORC_READER_OPTS_INIT;
  reader.mapping = mapping;
  reader.forms = opts->forms;
  reader.unmarked_calendar = opts->split->unmarked_calendar;
  reader.first_stripe = opts->first_stripe;
  reader.n_stripes = opts->n_stripes;
  reader.predicate = scan->predicate;
  reader.predicate_child = scan->row;
  SKEP_TRY(skep_vec_init(&scan->batch.root, ctx, type, &opts->forms, err));
  return skep_orc_reader_open(ctx, skep_cached_file(scan->item), tail, &reader, &scan->reader, err);
}

static skep_status open_parts(skep_file_scan *scan, const skep_file_scan_opts *opts, skep_err *err) {
  char *path = skep_split_path(&scan->arena, opts->split->root, opts->file->path);
  if (path == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "the name of a file");
  SKEP_TRY(skep_cache_open(scan->cache, path, opts->file->logical_bytes, &scan->item, err));
  const skep_orc_tail *tail = skep_cached_tail(scan->item);
  if (tail->n_rows == 0) return SKEP_OK; /* whatever its columns are: Hive writes such files for empty results */
  if (opts->has_acid_columns && skep_event_file_kind(tail, NULL) == SKEP_EVENT_FILE_NO) {
    return skep_fail(err, SKEP_ERR_CORRUPT,
                     "no ACID columns (operation, originalTransaction, bucket, rowId, currentTransaction, row)");
  }
  SKEP_TRY(check_stripes(tail, opts, err));
  if (opts->first_stripe >= tail->n_stripes || opts->n_stripes == 0) return SKEP_OK;
  return start_reader(scan, opts, err);
}

skep_status skep_file_scan_open(skep_scan_cache *cache, const skep_file_scan_opts *opts, skep_file_scan *out,
                                skep_err *err) {
  *out = (skep_file_scan){
      .cache = cache, .file = opts->file, .operation = -1, .current = -1, .row = -1, .key = {-1, -1, -1}};
  if (opts->file->logical_bytes == 0) return SKEP_OK;
  skep_arena_init(&out->arena, skep_cache_ctx(cache), SIZE_MAX);
  skep_status st = open_parts(out, opts, err);
  if (st != SKEP_OK) skep_file_scan_close(out);
  return st;
}

void skep_file_scan_close(skep_file_scan *scan) {
  skep_orc_reader_close(scan->reader);
  skep_vec_fini(&scan->batch.root);
  if (scan->cache != NULL) skep_cache_release(scan->cache, scan->item);
  skep_arena_fini(&scan->arena);
  *scan = (skep_file_scan){.reader = NULL};
}

skep_vec *skep_file_scan_row(skep_file_scan *scan) {
  return scan->row >= 0 ? &scan->batch.root.children[scan->row] : &scan->batch.root;
}

static skep_status check_column(const skep_vec *vec, skep_event_column column, skep_err *err) {
  if (!vec->has_nulls || vec->null_count == 0) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_CORRUPT, "%" PRId64 " of %" PRId64 " events have no %s", vec->null_count, vec->length,
                   skep_event_column_names[column]);
}

skep_status skep_file_scan_check(const skep_file_scan *scan, skep_err *err) {
  const skep_vec *columns = scan->batch.root.children;
  if (scan->operation >= 0) SKEP_TRY(check_column(&columns[scan->operation], SKEP_EVENT_OPERATION, err));
  for (int i = 0; i < SKEP_KEY_COLUMNS; i++) {
    if (scan->key[i] < 0) continue;
    SKEP_TRY(check_column(&columns[scan->key[i]], (skep_event_column)(SKEP_EVENT_WRITE_ID + i), err));
  }
  if (scan->current >= 0) SKEP_TRY(check_column(&columns[scan->current], SKEP_EVENT_CURRENT, err));
  if (scan->operation < 0) return SKEP_OK;
  const int32_t *operations = columns[scan->operation].values.data;
  for (int64_t i = 0; i < scan->batch.root.length; i++) {
    if (operations[i] < 0 || operations[i] > 2) {
      return skep_fail(err, SKEP_ERR_CORRUPT, "event %" PRId64 " has operation %" PRId32, scan->batch.first_row + i,
                       operations[i]);
    }
  }
  return SKEP_OK;
}
