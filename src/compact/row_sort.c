/* All rows in the order of a rebalance's ORDER BY: sorted in memory, what is too much in runs beside the result, which
 * are merged at the end. Runs are ORC files under names that readers pass over. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compact/compact_int.h"
#include "compact/order_key.h"
#include "orc/reader.h"

enum { BATCH_ROWS = 4096, OUT_ROWS = 1024, MAX_RUNS = 256, MAX_CHUNK_ROWS = 1 << 24 };
#define LEAST_MEMORY (UINT64_C(1) << 20)

/* Without dictionaries: rows of many files meet in one vector. */
static const skep_forms forms = {.narrow_decimals = true};

/* Rows and the keys to sort them by. */
typedef struct chunk {
  skep_vec rows;
  skep_buf keys;
  size_t *ends; /* of keys */
  size_t ends_capacity;
} chunk;

typedef struct run_reader {
  skep_arena arena;
  skep_file *file;
  skep_orc_tail *tail;
  skep_orc_reader *reader;
  skep_batch batch;
  chunk c; /* keys of the batch; its rows are the batch's */
  int64_t at;
  uint32_t number;
} run_reader;

typedef struct sorter {
  skep_compact_run_state *run;
  const skep_compact_sink *to;
  skep_compact_counts *counts;
  const skep_type *type; /* of scans: three ids, columns */
  chunk c;
  skep_vec out;
  uint32_t n_runs;
  uint64_t max_bytes;
  skep_scan_keeper keeper;
} sorter;

/* ---- keys ---- */

static skep_status add_keys(sorter *s, chunk *c, const skep_vec *rows, int64_t already, skep_err *err) {
  const skep_compact_job *job = s->run->job;
  size_t n = (size_t)(already + rows->length);
  SKEP_TRY(skep_grow(s->run->ctx, (void **)&c->ends, &c->ends_capacity, n + 1, sizeof *c->ends, err));
  for (int64_t i = 0; i < rows->length; i++) {
    skep_order_key(rows->children + 3, job->order, job->n_order, i, &c->keys);
    c->ends[already + i] = c->keys.size;
  }
  return skep_buf_check(&c->keys, "keys to sort by", err);
}

static skep_bytes key_at(const chunk *c, int64_t i) {
  size_t from = i == 0 ? 0 : c->ends[i - 1];
  return skep_bytes_of(c->keys.data + from, c->ends[i] - from);
}

static int compare_keys(skep_bytes a, skep_bytes b) {
  size_t n = a.left < b.left ? a.left : b.left;
  int order = n == 0 ? 0 : memcmp(a.at, b.at, n);
  return order != 0 ? order : (a.left > b.left) - (a.left < b.left);
}

static int compare_rows(const void *a, const void *b, void *self) {
  int32_t x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  int order = compare_keys(key_at(self, x), key_at(self, y));
  return order != 0 ? order : (x > y) - (x < y);
}

/* ---- rows out ---- */

static skep_status hand_over(sorter *s, skep_err *err) {
  if (s->out.length == 0) return SKEP_OK;
  skep_vec row;
  const skep_compact_rows rows = skep_compact_rows_of(&s->out, s->run->job->row, &row);
  SKEP_TRY(s->to->add(s->to->self, &rows, 0, rows.n, err));
  skep_vec_reset(&s->out);
  return skep_compact_pace_add(&s->run->pace, 0, 0, s->to->new_bytes(s->to->self), NULL, err);
}

static skep_status emit(sorter *s, const skep_vec *from, int64_t i, skep_err *err) {
  SKEP_TRY(skep_vec_append(&s->out, from, i, 1, err));
  return s->out.length == OUT_ROWS ? hand_over(s, err) : SKEP_OK;
}

/* The chunk's rows in order, each to `each`. */
static skep_status in_order(sorter *s, skep_status (*each)(sorter *s, void *self, int64_t i, skep_err *err), void *self,
                            skep_err *err) {
  int64_t n = s->c.rows.length;
  int32_t *order = skep_alloc(s->run->ctx, ((size_t)n + 1) * sizeof *order);
  if (order == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "sorting %" PRId64 " rows", n);
  for (int64_t i = 0; i < n; i++) order[i] = (int32_t)i;
  qsort_r(order, (size_t)n, sizeof *order, compare_rows, &s->c);
  skep_status status = SKEP_OK;
  for (int64_t i = 0; i < n && status == SKEP_OK; i++) status = each(s, self, order[i], err);
  skep_release(s->run->ctx, order);
  return status;
}

static skep_status emit_row(sorter *s, void *self, int64_t i, skep_err *err) {
  (void)self;
  return emit(s, &s->c.rows, i, err);
}

/* ---- runs ---- */

static skep_status write_out(sorter *s, skep_orc_writer *w, skep_err *err) {
  skep_status status = skep_orc_writer_add(w, &s->out, 0, s->out.length, err);
  skep_vec_reset(&s->out);
  return status == SKEP_OK ? skep_compact_pace_add(&s->run->pace, 0, 0, 0, NULL, err) : status;
}

static skep_status spill_row(sorter *s, void *self, int64_t i, skep_err *err) {
  SKEP_TRY(skep_vec_append(&s->out, &s->c.rows, i, 1, err));
  return s->out.length == OUT_ROWS ? write_out(s, self, err) : SKEP_OK;
}

static skep_status spill_to(sorter *s, skep_file *file, skep_err *err) {
  uint64_t length;
  skep_orc_writer *w;
  skep_orc_writer_opts opts = s->run->settings.plain;
  opts.bloom_columns = NULL;
  opts.n_bloom_columns = 0;
  opts.memory = &s->run->memory;
  opts.pad_char = false;
  SKEP_TRY(skep_orc_writer_open(s->run->ctx, file, s->type, &opts, &w, err));
  skep_status status = in_order(s, spill_row, w, err);
  if (status == SKEP_OK && s->out.length != 0) status = write_out(s, w, err);
  if (status == SKEP_OK) status = skep_orc_writer_finish(w, &length, err);
  skep_orc_writer_close(w);
  return status;
}

static skep_status spill(sorter *s, skep_err *err) {
  const char *path;
  skep_file *file;
  if (s->n_runs == MAX_RUNS)
    return skep_fail(err, SKEP_ERR_LIMIT, "sorting needs more than %d runs: give the compaction more memory", MAX_RUNS);
  SKEP_TRY(skep_compact_sort_path(s->run, s->run->insert_dir, s->n_runs, &path, err));
  SKEP_TRY(skep_fs_create(s->run->job->fs, path, &file, err));
  s->n_runs++;
  skep_status status = spill_to(s, file, err);
  skep_status closed = skep_file_close(file, status == SKEP_OK ? err : NULL);
  if (status == SKEP_OK) status = closed;
  skep_vec_reset(&s->c.rows);
  skep_buf_reset(&s->c.keys);
  return status;
}

static skep_status refill(sorter *s, run_reader *r, skep_err *err) {
  r->at = 0;
  skep_buf_reset(&r->c.keys);
  SKEP_TRY(skep_orc_reader_next(r->reader, OUT_ROWS, &r->batch, err));
  return add_keys(s, &r->c, &r->batch.root, 0, err);
}

static skep_status open_run(sorter *s, run_reader *r, uint32_t number, skep_err *err) {
  const char *path;
  const skep_orc_evolution how = {.positional_levels = 1, .match_case = true}; /* a column may be called as an id is */
  skep_orc_reader_opts opts = SKEP_ORC_READER_OPTS_INIT;
  r->number = number;
  skep_arena_init(&r->arena, s->run->ctx, SIZE_MAX);
  skep_buf_init(&r->c.keys, s->run->ctx, SIZE_MAX / 4);
  SKEP_TRY(skep_compact_sort_path(s->run, s->run->insert_dir, number, &path, err));
  SKEP_TRY(skep_fs_open_read(s->run->job->fs, path, &r->file, err));
  SKEP_TRY(skep_orc_tail_read(s->run->ctx, r->file, r->file->size_bytes, &r->tail, err));
  SKEP_TRY(skep_orc_mapping_make(&r->arena, r->tail, s->type, &how, &opts.mapping, err));
  opts.forms = forms;
  SKEP_TRY(skep_vec_init(&r->batch.root, s->run->ctx, s->type, &forms, err));
  SKEP_TRY(skep_orc_reader_open(s->run->ctx, r->file, r->tail, &opts, &r->reader, err));
  return refill(s, r, err);
}

static void close_run(const skep_ctx *ctx, run_reader *r) {
  if (r->arena.ctx == NULL) return;
  skep_orc_reader_close(r->reader);
  skep_vec_fini(&r->batch.root);
  skep_orc_tail_unref(r->tail);
  skep_file_close(r->file, NULL); /* it was only read from */
  skep_buf_fini(&r->c.keys);
  skep_release(ctx, r->c.ends);
  skep_arena_fini(&r->arena);
}

static bool is_first(const void *left, const void *right) {
  const run_reader *a = left, *b = right;
  int order = compare_keys(key_at(&a->c, a->at), key_at(&b->c, b->at));
  return order != 0 ? order < 0 : a->number < b->number;
}

static skep_status merge_heap(sorter *s, void **heap, uint32_t n, skep_err *err) {
  skep_compact_heap_make(heap, n, is_first);
  while (n != 0) {
    run_reader *r = heap[0];
    SKEP_TRY(emit(s, &r->batch.root, r->at++, err));
    if (r->at == r->batch.root.length) {
      skep_status status = refill(s, r, err);
      if (status != SKEP_OK && status != SKEP_END) return status;
      if (status == SKEP_END) heap[0] = heap[--n];
    }
    if (n != 0) skep_compact_heap_sink(heap, n, 0, is_first);
  }
  return SKEP_OK;
}

static skep_status merge_runs(sorter *s, skep_err *err) {
  run_reader *readers = skep_alloc_zero(s->run->ctx, s->n_runs, sizeof *readers);
  void *heap[MAX_RUNS];
  if (readers == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "merging %u runs", s->n_runs);
  skep_status status = SKEP_OK;
  for (uint32_t i = 0; i < s->n_runs && status == SKEP_OK; i++) {
    status = open_run(s, &readers[i], i, err);
    heap[i] = &readers[i];
  }
  if (status == SKEP_OK) status = merge_heap(s, heap, s->n_runs, err);
  for (uint32_t i = 0; i < s->n_runs; i++) close_run(s->run->ctx, &readers[i]);
  skep_release(s->run->ctx, readers);
  return status == SKEP_OK ? skep_compact_sort_remove(s->run, s->run->insert_dir, s->n_runs, err) : status;
}

/* ---- rows in ---- */

static uint64_t memory_of(const skep_vec *v) {
  uint64_t sum = v->validity.capacity + v->values.capacity + v->offsets.capacity + v->heap.capacity;
  for (uint32_t i = 0; i < v->n_children; i++) sum += memory_of(&v->children[i]);
  return sum;
}

static skep_status take_batch(sorter *s, const skep_vec *rows, skep_err *err) {
  chunk *c = &s->c;
  SKEP_TRY(add_keys(s, c, rows, c->rows.length, err));
  SKEP_TRY(skep_vec_append(&c->rows, rows, 0, rows->length, err));
  bool is_full = c->rows.length >= MAX_CHUNK_ROWS || memory_of(&c->rows) + c->keys.capacity >= s->max_bytes;
  return is_full ? spill(s, err) : SKEP_OK;
}

static skep_status start(sorter *s, const skep_type *type, skep_err *err) {
  if (s->type != NULL) return SKEP_OK;
  SKEP_TRY(skep_type_copy(s->run->arena, type, &s->type, err));
  SKEP_TRY(skep_vec_init(&s->c.rows, s->run->ctx, s->type, &forms, err));
  return skep_vec_init(&s->out, s->run->ctx, s->type, &forms, err);
}

static skep_status read_part(sorter *s, const skep_compact_part *part, skep_err *err) {
  skep_scan *scan = NULL;
  skep_batch batch = {.first_row = 0};
  skep_status status = skep_scan_open_kept(s->run->cache, &part->split, &forms, &s->keeper, &scan, err);
  if (status == SKEP_OK) status = start(s, skep_scan_type(scan), err);
  if (status == SKEP_OK) status = skep_vec_init(&batch.root, s->run->ctx, s->type, &forms, err);
  while (status == SKEP_OK) {
    status = skep_scan_next(scan, BATCH_ROWS, &batch, err);
    if (status != SKEP_OK) break;
    status = take_batch(s, &batch.root, err);
    s->counts->rows_read += (uint64_t)batch.root.length;
    if (status == SKEP_OK) status = skep_compact_pace_add(&s->run->pace, (uint64_t)batch.root.length, 0, 0, NULL, err);
  }
  skep_vec_fini(&batch.root);
  skep_scan_close(scan);
  if (status != SKEP_END) return status;
  return skep_compact_pace_add(&s->run->pace, 0, part->bytes, 0, NULL, err);
}

skep_status skep_compact_sort_rows(skep_compact_run_state *run, const skep_compact_part *parts, uint32_t n,
                                   const skep_compact_sink *to, skep_compact_counts *counts, skep_err *err) {
  sorter s = {.run = run, .to = to, .counts = counts, .max_bytes = run->memory.max_bytes / 2};
  if (s.max_bytes < LEAST_MEMORY) s.max_bytes = LEAST_MEMORY;
  skep_buf_init(&s.c.keys, run->ctx, SIZE_MAX / 4);
  skep_status status = SKEP_OK;
  for (uint32_t i = 0; i < n && status == SKEP_OK; i++) status = read_part(&s, &parts[i], err);
  if (status == SKEP_OK && s.n_runs != 0 && s.c.rows.length != 0) status = spill(&s, err);
  if (status == SKEP_OK && s.n_runs != 0) status = merge_runs(&s, err);
  if (status == SKEP_OK && s.n_runs == 0 && s.type != NULL) status = in_order(&s, emit_row, NULL, err);
  if (status == SKEP_OK) status = hand_over(&s, err);
  skep_scan_keeper_release(run->cache, &s.keeper);
  skep_vec_fini(&s.c.rows);
  skep_vec_fini(&s.out);
  skep_buf_fini(&s.c.keys);
  skep_release(run->ctx, s.c.ends);
  return status;
}
