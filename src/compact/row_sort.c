/* All rows in the order of a rebalance's ORDER BY: sorted in memory, what is too much in runs beside the result, which
 * are merged at the end. Runs are ORC files under names that readers pass over. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "compact/compact_int.h"
#include "compact/order_key.h"

enum { BATCH_ROWS = 4096, OUT_ROWS = 1024, MAX_CHUNK_ROWS = 1 << 24 };
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
  skep_compact_row_reader *from;
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
  skep_compact_row_writer *out_run; /* where rows go; NULL: to the sink */
  skep_compact_runs runs;
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
  skep_status status = s->out_run != NULL ? skep_compact_row_writer_add(s->out_run, &s->out, 0, s->out.length, err)
                                          : s->to->add(s->to->self, &rows, 0, rows.n, err);
  skep_vec_reset(&s->out);
  if (status != SKEP_OK) return status;
  uint64_t written = s->out_run != NULL ? 0 : s->to->new_bytes(s->to->self);
  return skep_compact_pace_add(&s->run->pace, 0, 0, written, NULL, err);
}

static skep_status emit(sorter *s, const skep_vec *from, int64_t i, skep_err *err) {
  SKEP_TRY(skep_vec_append(&s->out, from, i, 1, err));
  return s->out.length == OUT_ROWS ? hand_over(s, err) : SKEP_OK;
}

/* The chunk's rows in order. */
static skep_status emit_chunk(sorter *s, skep_err *err) {
  int64_t n = s->c.rows.length;
  int32_t *order = skep_alloc(s->run->ctx, ((size_t)n + 1) * sizeof *order);
  if (order == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "sorting %" PRId64 " rows", n);
  for (int64_t i = 0; i < n; i++) order[i] = (int32_t)i;
  qsort_r(order, (size_t)n, sizeof *order, compare_rows, &s->c);
  skep_status status = SKEP_OK;
  for (int64_t i = 0; i < n && status == SKEP_OK; i++) status = emit(s, &s->c.rows, order[i], err);
  skep_release(s->run->ctx, order);
  return status == SKEP_OK ? hand_over(s, err) : status;
}

/* ---- runs ---- */

static skep_status refill(sorter *s, run_reader *r, skep_err *err) {
  r->at = 0;
  skep_buf_reset(&r->c.keys);
  SKEP_TRY(skep_compact_row_reader_next(r->from, OUT_ROWS, &r->batch, err));
  return add_keys(s, &r->c, &r->batch.root, 0, err);
}

static skep_status open_run(sorter *s, run_reader *r, uint32_t number, skep_err *err) {
  skep_buf_init(&r->c.keys, s->run->ctx, SIZE_MAX / 4);
  SKEP_TRY(skep_vec_init(&r->batch.root, s->run->ctx, s->type, &forms, err));
  SKEP_TRY(skep_compact_row_reader_open(s->run, number, s->type, &forms, &r->from, err));
  return refill(s, r, err);
}

static void close_run(const skep_ctx *ctx, run_reader *r) {
  skep_compact_row_reader_close(r->from);
  skep_vec_fini(&r->batch.root);
  skep_buf_fini(&r->c.keys);
  skep_release(ctx, r->c.ends);
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

/* The k youngest runs, to a run or to the sink; then they are removed. */
static skep_status merge_youngest(sorter *s, uint32_t k, skep_err *err) {
  const uint32_t *numbers = &s->runs.numbers[s->runs.n - k];
  run_reader *readers = skep_alloc_zero(s->run->ctx, k, sizeof *readers);
  void *heap[SKEP_COMPACT_MAX_RUNS];
  if (readers == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "merging %u runs", k);
  skep_status status = SKEP_OK;
  for (uint32_t i = 0; i < k && status == SKEP_OK; i++) {
    readers[i].number = i;
    status = open_run(s, &readers[i], numbers[i], err);
    heap[i] = &readers[i];
  }
  if (status == SKEP_OK) status = merge_heap(s, heap, k, err);
  if (status == SKEP_OK) status = hand_over(s, err);
  for (uint32_t i = 0; i < k; i++) close_run(s->run->ctx, &readers[i]);
  skep_release(s->run->ctx, readers);
  for (uint32_t i = 0; i < k && status == SKEP_OK; i++)
    status = skep_compact_run_remove(s->run, s->run->insert_dir, numbers[i], err);
  return status;
}

/* One run of the chunk (k is 0), or of the k youngest runs. */
static skep_status write_run(sorter *s, uint32_t k, uint32_t *number, skep_err *err) {
  SKEP_TRY(skep_compact_row_writer_open(s->run, s->type, &s->out_run, err));
  skep_status status = k == 0 ? emit_chunk(s, err) : merge_youngest(s, k, err);
  if (status == SKEP_OK) status = skep_compact_row_writer_finish(s->out_run, number, err);
  skep_compact_row_writer_free(s->out_run);
  s->out_run = NULL;
  return status;
}

static skep_status join_runs(sorter *s, bool is_last, skep_err *err) {
  for (uint32_t k; (k = skep_compact_runs_due(&s->runs, is_last)) != 0;) {
    uint32_t number;
    SKEP_TRY(write_run(s, k, &number, err));
    skep_compact_runs_replace(&s->runs, k, number);
  }
  return SKEP_OK;
}

static skep_status spill(sorter *s, skep_err *err) {
  uint32_t number;
  SKEP_TRY(write_run(s, 0, &number, err));
  skep_compact_runs_add(&s->runs, number);
  skep_vec_reset(&s->c.rows);
  skep_buf_reset(&s->c.keys);
  return join_runs(s, false, err);
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
  skep_compact_deleted_cursor deleted;
  skep_compact_deleted_cursor_init(&deleted, s->run);
  skep_status status = skep_scan_open_kept(s->run->cache, &part->split, &forms, &s->keeper, &scan, err);
  if (status == SKEP_OK) status = start(s, skep_scan_type(scan), err);
  if (status == SKEP_OK) status = skep_vec_init(&batch.root, s->run->ctx, s->type, &forms, err);
  while (status == SKEP_OK) {
    status = skep_compact_scan_next(scan, BATCH_ROWS, &batch, &deleted, err);
    if (status != SKEP_OK) break;
    status = take_batch(s, &batch.root, err);
    s->counts->rows_read += (uint64_t)batch.root.length;
    if (status == SKEP_OK) status = skep_compact_pace_add(&s->run->pace, (uint64_t)batch.root.length, 0, 0, NULL, err);
  }
  skep_vec_fini(&batch.root);
  skep_compact_deleted_cursor_fini(&deleted);
  skep_scan_close(scan);
  if (status != SKEP_END) return status;
  return skep_compact_pace_add(&s->run->pace, 0, part->bytes, 0, NULL, err);
}

static skep_status deliver(sorter *s, skep_err *err) {
  if (s->type == NULL) return SKEP_OK; /* no file */
  if (s->runs.n == 0) return emit_chunk(s, err);
  if (s->c.rows.length != 0) SKEP_TRY(spill(s, err));
  SKEP_TRY(join_runs(s, true, err));
  return merge_youngest(s, s->runs.n, err);
}

skep_status skep_compact_sort_rows(skep_compact_run_state *run, const skep_compact_part *parts, uint32_t n,
                                   const skep_compact_sink *to, skep_compact_counts *counts, skep_err *err) {
  sorter s = {
      .run = run, .to = to, .counts = counts, .runs.fan_in = run->fan_in, .max_bytes = run->memory.max_bytes / 2};
  if (s.max_bytes < LEAST_MEMORY) s.max_bytes = LEAST_MEMORY;
  skep_buf_init(&s.c.keys, run->ctx, SIZE_MAX / 4);
  skep_status status = SKEP_OK;
  for (uint32_t i = 0; i < n && status == SKEP_OK; i++) status = read_part(&s, &parts[i], err);
  if (status == SKEP_OK) status = deliver(&s, err);
  skep_scan_keeper_release(run->cache, &s.keeper);
  skep_vec_fini(&s.c.rows);
  skep_vec_fini(&s.out);
  skep_buf_fini(&s.c.keys);
  skep_release(run->ctx, s.c.ends);
  return status;
}
