/* Rebalance: all rows of an unbucketed table in their order, cut into equal parts, with new row ids.
 *
 * Source: Hive 4.0 RebalanceQueryCompactor (acid-format facts 9.7, seen in 4.0.1): row ids count over all files, from
 * 0; bucket = row id / ceil(rows / n); the write id stays the row's own, but with ORDER BY all rows get the highest. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "acid/name.h"
#include "compact/compact_int.h"

enum { MAX_WRITERS = 4096, COUNTED_ROWS = 8192 };

typedef struct spread {
  skep_compact_run_state *run;
  skep_compact_counts *counts;
  uint64_t rows_per_file;
  uint64_t next; /* row id */
  int32_t writer;
  skep_compact_output *out; /* the file of `writer` */
  int64_t *row_ids, *write_ids;
  int32_t *buckets;
  size_t row_ids_capacity, write_ids_capacity, buckets_capacity;
  int64_t one_write_id; /* of all rows; 0: each row keeps its own */
  uint64_t new_bytes;
} spread;

/* ---- the sink ---- */

static skep_status end_file(spread *s, skep_err *err) {
  if (s->out == NULL) return SKEP_OK;
  s->new_bytes += skep_compact_output_new_bytes(s->out);
  skep_status status = skep_compact_output_finish(s->out, s->counts, err);
  skep_compact_output_free(s->out);
  s->out = NULL;
  return status;
}

static skep_status start_file(spread *s, int32_t writer, skep_err *err) {
  char name[32];
  const char *path;
  SKEP_TRY(end_file(s, err));
  snprintf(name, sizeof name, "bucket_%05" PRId32, writer);
  SKEP_TRY(skep_compact_path(s->run->arena, s->run->insert_dir, name, &path, err));
  s->writer = writer;
  return skep_compact_output_create(s->run, s->run->job->fs, path, SKEP_COMPACT_INSERTS, &s->out, err);
}

static skep_status reserve(spread *s, int64_t n, skep_err *err) {
  const skep_ctx *ctx = s->run->ctx;
  size_t need = (size_t)n;
  SKEP_TRY(skep_grow(ctx, (void **)&s->row_ids, &s->row_ids_capacity, need, sizeof *s->row_ids, err));
  SKEP_TRY(skep_grow(ctx, (void **)&s->write_ids, &s->write_ids_capacity, need, sizeof *s->write_ids, err));
  return skep_grow(ctx, (void **)&s->buckets, &s->buckets_capacity, need, sizeof *s->buckets, err);
}

static skep_status add(void *self, const skep_compact_rows *rows, int64_t first, int64_t count, skep_err *err) {
  spread *s = self;
  SKEP_TRY(reserve(s, rows->n, err));
  for (int64_t at = first, end = first + count; at < end;) {
    int32_t writer = (int32_t)(s->next / s->rows_per_file);
    uint64_t left = ((uint64_t)writer + 1) * s->rows_per_file - s->next;
    int64_t part = (uint64_t)(end - at) < left ? end - at : (int64_t)left;
    if (s->out == NULL || s->writer != writer) SKEP_TRY(start_file(s, writer, err));
    for (int64_t i = at; i < at + part; i++) {
      s->row_ids[i] = (int64_t)s->next++;
      s->buckets[i] = skep_bucket_encode(writer, 0);
      s->write_ids[i] = s->one_write_id != 0 ? s->one_write_id : rows->write_ids[i];
    }
    skep_compact_rows renamed = *rows;
    renamed.row_ids = s->row_ids;
    renamed.buckets = s->buckets;
    renamed.write_ids = renamed.currents = s->write_ids;
    SKEP_TRY(skep_compact_output_add(s->out, &renamed, at, part, err));
    at += part;
  }
  return SKEP_OK;
}

static uint64_t new_bytes(void *self) {
  spread *s = self;
  uint64_t n = s->new_bytes + (s->out == NULL ? 0 : skep_compact_output_new_bytes(s->out));
  s->new_bytes = 0;
  return n;
}

/* ---- counting ---- */

static skep_status count_split(skep_compact_run_state *run, const skep_split *split, skep_scan_keeper *keeper,
                               uint64_t *n, skep_err *err) {
  static const skep_forms forms = {.keep_dictionaries = true};
  skep_scan *scan = NULL;
  skep_batch batch = {.first_row = 0};
  skep_compact_deleted_cursor deleted;
  skep_compact_deleted_cursor_init(&deleted, run);
  skep_status status = skep_scan_open_kept(run->cache, split, &forms, keeper, &scan, err);
  if (status == SKEP_OK) status = skep_vec_init(&batch.root, run->ctx, skep_scan_type(scan), &forms, err);
  while (status == SKEP_OK) {
    status = skep_compact_scan_next(scan, COUNTED_ROWS, &batch, &deleted, err);
    if (status == SKEP_OK) *n += (uint64_t)batch.root.length;
    if (status == SKEP_OK) status = skep_compact_pace_add(&run->pace, 0, 0, 0, NULL, err);
  }
  skep_vec_fini(&batch.root);
  skep_compact_deleted_cursor_fini(&deleted);
  skep_scan_close(scan);
  return status == SKEP_END ? SKEP_OK : status;
}

/* How many rows there will be: the row ids alone are read. */
static skep_status count_rows(skep_compact_run_state *run, const skep_compact_part *parts, uint32_t n_parts,
                              uint64_t *n, skep_err *err) {
  static const skep_type like = {.kind = SKEP_STRUCT};
  const skep_type *no_columns;
  SKEP_TRY(skep_type_make(run->arena, &like, NULL, NULL, 0, &no_columns, err));
  skep_scan_keeper keeper = {.deletes = NULL};
  skep_status status = SKEP_OK;
  *n = 0;
  for (uint32_t i = 0; i < n_parts && status == SKEP_OK; i++) {
    skep_split split = parts[i].split;
    split.columns = no_columns;
    status = count_split(run, &split, &keeper, n, err);
  }
  skep_scan_keeper_release(run->cache, &keeper);
  return status;
}

/* ---- all ---- */

static skep_status gather(skep_compact_run_state *run, const skep_compact_group *groups, uint32_t n_groups,
                          skep_compact_part **out, uint32_t *n, uint32_t *n_files, skep_err *err) {
  *n = *n_files = 0;
  for (uint32_t i = 0; i < n_groups; i++) {
    *n += groups[i].n_splits;
    *n_files += groups[i].n_splits != 0;
  }
  *out = skep_arena_zero(run->arena, (size_t)*n + 1, sizeof **out);
  if (*out == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%u files to rebalance", *n);
  uint32_t at = 0;
  for (uint32_t i = 0; i < n_groups; i++)
    for (uint32_t k = 0; k < groups[i].n_splits; k++, at++) (*out)[at] = skep_compact_part_of(groups[i].splits[k], at);
  return SKEP_OK;
}

static skep_status spread_rows(spread *s, const skep_compact_part *parts, uint32_t n, skep_err *err) {
  const skep_compact_sink to = {.add = add, .new_bytes = new_bytes, .self = s};
  if (s->run->job->n_order != 0) {
    s->one_write_id = s->run->choice.highest;
    SKEP_TRY(skep_compact_sort_rows(s->run, parts, n, &to, s->counts, err));
  } else {
    SKEP_TRY(skep_compact_merge_rows(s->run, parts, n, &to, NULL, s->counts, err));
  }
  if (s->counts->n_files == 0 && s->out == NULL)
    SKEP_TRY(start_file(s, 0, err)); /* a base without a file is not seen */
  return end_file(s, err);
}

skep_status skep_compact_rebalance(skep_compact_run_state *run, const skep_compact_group *groups, uint32_t n_groups,
                                   skep_compact_counts *counts, skep_err *err) {
  skep_compact_part *parts;
  uint32_t n, n_files;
  uint64_t n_rows;
  SKEP_TRY(gather(run, groups, n_groups, &parts, &n, &n_files, err));
  uint32_t wanted = run->job->rebalance_buckets != 0 ? run->job->rebalance_buckets : n_files == 0 ? 1 : n_files;
  if (wanted > MAX_WRITERS)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%" PRIu32 " buckets: row ids have room for %d", wanted, MAX_WRITERS);
  SKEP_TRY(count_rows(run, parts, n, &n_rows, err));
  spread s = {.run = run, .counts = counts, .rows_per_file = n_rows / wanted + (n_rows % wanted != 0)};
  if (s.rows_per_file == 0) s.rows_per_file = 1;
  skep_status status = spread_rows(&s, parts, n, err);
  skep_compact_output_free(s.out);
  skep_release(run->ctx, s.row_ids);
  skep_release(run->ctx, s.write_ids);
  skep_release(run->ctx, s.buckets);
  return status;
}
