/* The delete events of all inputs, sorted by the file they belong into and then as delete files are sorted: by row id,
 * and the events of one row newest first.
 *
 * Events are gathered and sorted in memory; what is too much goes to a run beside the result, and the runs are merged
 * at the end. A run is a plain file of events (struct event as it lies in memory: it never outlives the process) under
 * a name that readers pass over. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acid/dir_write.h"
#include "acid/events.h"
#include "compact/compact_int.h"
#include "orc/reader.h"

enum { BATCH_ROWS = 8192, EVENTS_AT_ONCE = 4096, READ_AHEAD = 2048, MAX_RUNS = 256, LEAST_ROOM = 1 << 16 };

typedef struct event {
  int64_t write_id, row_id, current;
  int32_t bucket, writer;
} event;

/* A run on disk, being read. */
typedef struct run_reader {
  skep_file *file;
  uint64_t offset;
  event *events;
  size_t at, n;
} run_reader;

typedef struct sorter {
  skep_compact_run_state *run;
  const skep_cancel *cancel;
  skep_compact_counts *counts;
  int64_t dropped_write_id; /* events for rows of this write id are not needed; -1: none */
  event *events, *scratch;
  size_t n, room; /* room: at most so many in memory */
  size_t events_capacity, scratch_capacity;
  size_t *starts; /* where the sorted stretches of `events` begin */
  size_t n_starts, starts_capacity;
  uint32_t n_runs;
  /* output */
  skep_compact_output *out;
  int32_t out_writer;
  const char *out_path;
  event *pending;
  size_t n_pending;
  event last; /* handed to the output */
  bool has_last;
} sorter;

/* ---- order ---- */

static bool is_before(const event *a, const event *b) {
  if (a->writer != b->writer) return a->writer < b->writer;
  if (a->write_id != b->write_id) return a->write_id < b->write_id;
  if (a->bucket != b->bucket) return a->bucket < b->bucket;
  if (a->row_id != b->row_id) return a->row_id < b->row_id;
  return a->current > b->current;
}

static void merge_stretches(event *to, const event *from, size_t begin, size_t middle, size_t end) {
  size_t a = begin, b = middle;
  for (size_t i = begin; i < end; i++)
    to[i] = b == end || (a < middle && !is_before(&from[b], &from[a])) ? from[a++] : from[b++];
}

/* Merges neighbouring stretches until one is left: files are sorted already, so there are few. */
static skep_status sort(sorter *s, skep_err *err) {
  if (s->n_starts > 1)
    SKEP_TRY(skep_grow(s->run->ctx, (void **)&s->scratch, &s->scratch_capacity, s->n, sizeof *s->scratch, err));
  while (s->n_starts > 1) {
    size_t kept = 0;
    for (size_t i = 0; i < s->n_starts; i += 2) {
      size_t begin = s->starts[i], middle = i + 1 < s->n_starts ? s->starts[i + 1] : s->n,
             end = i + 2 < s->n_starts ? s->starts[i + 2] : s->n;
      merge_stretches(s->scratch, s->events, begin, middle, end);
      s->starts[kept++] = begin;
    }
    event *swap = s->events;
    size_t capacity = s->events_capacity;
    s->events = s->scratch;
    s->events_capacity = s->scratch_capacity;
    s->scratch = swap;
    s->scratch_capacity = capacity;
    s->n_starts = kept;
  }
  return SKEP_OK;
}

/* ---- output ---- */

static skep_status flush(sorter *s, skep_err *err) {
  static const uint8_t nothing[EVENTS_AT_ONCE / 8];
  int64_t write_ids[EVENTS_AT_ONCE], row_ids[EVENTS_AT_ONCE], currents[EVENTS_AT_ONCE];
  int32_t buckets[EVENTS_AT_ONCE];
  size_t n = s->n_pending;
  const skep_type *row_type = s->run->job->row;
  if (n == 0) return SKEP_OK;
  for (size_t i = 0; i < n; i++) {
    write_ids[i] = s->pending[i].write_id;
    buckets[i] = s->pending[i].bucket;
    row_ids[i] = s->pending[i].row_id;
    currents[i] = s->pending[i].current;
  }
  /* Rows of delete events are NULL: nothing below them is ever looked at. */
  const skep_vec row = {.type = row_type,
                        .form = SKEP_FORM_STRUCT,
                        .length = (int64_t)n,
                        .has_nulls = true,
                        .null_count = (int64_t)n,
                        .n_children = row_type->n_children,
                        .validity = {.data = (void *)(uintptr_t)nothing, .lent = true}};
  const skep_compact_rows rows = {.n = (int64_t)n,
                                  .write_ids = write_ids,
                                  .buckets = buckets,
                                  .row_ids = row_ids,
                                  .currents = currents,
                                  .row = &row};
  SKEP_TRY(skep_compact_output_add(s->out, &rows, 0, (int64_t)n, err));
  s->n_pending = 0;
  return skep_compact_pace_add(&s->run->pace, 0, 0, skep_compact_output_new_bytes(s->out), s->cancel, err);
}

static skep_status end_file(sorter *s, skep_err *err) {
  if (s->out == NULL) return SKEP_OK;
  skep_status status = flush(s, err);
  if (status == SKEP_OK) status = skep_compact_output_finish(s->out, s->counts, err);
  skep_compact_output_free(s->out);
  s->out = NULL;
  return status;
}

static skep_status start_file(sorter *s, int32_t writer, skep_err *err) {
  char name[32];
  SKEP_TRY(end_file(s, err));
  snprintf(name, sizeof name, "bucket_%05" PRId32, writer);
  SKEP_TRY(skep_compact_path(s->run->arena, s->run->delete_dir, name, &s->out_path, err));
  s->out_writer = writer;
  return skep_compact_output_create(s->run, s->run->job->fs, s->out_path, SKEP_COMPACT_DELETES, &s->out, err);
}

/* Takes the next event in order. One transaction's second event for a row says nothing new. */
static skep_status put(sorter *s, const event *e, skep_err *err) {
  if (s->has_last && s->last.write_id == e->write_id && s->last.bucket == e->bucket && s->last.row_id == e->row_id &&
      s->last.current == e->current)
    return SKEP_OK;
  if (s->out == NULL || s->out_writer != e->writer) SKEP_TRY(start_file(s, e->writer, err));
  s->pending[s->n_pending++] = s->last = *e;
  s->has_last = true;
  return s->n_pending == EVENTS_AT_ONCE ? flush(s, err) : SKEP_OK;
}

/* ---- runs on disk ---- */

static skep_status spill(sorter *s, skep_err *err) {
  const char *path;
  skep_file *file = NULL;
  if (s->n_runs == MAX_RUNS)
    return skep_fail(err, SKEP_ERR_LIMIT,
                     "delete events need more than %d runs of %zu: give the compaction more memory", MAX_RUNS, s->room);
  SKEP_TRY(sort(s, err));
  SKEP_TRY(skep_compact_sort_path(s->run, s->run->delete_dir, s->n_runs, &path, err));
  SKEP_TRY(skep_fs_create(s->run->job->fs, path, &file, err));
  s->n_runs++;
  skep_status status = skep_file_append(file, s->events, s->n * sizeof *s->events, err);
  skep_status closed = skep_file_close(file, status == SKEP_OK ? err : NULL);
  if (status == SKEP_OK) status = closed;
  if (status != SKEP_OK) return skep_wrap(err, status, "%s", path);
  s->n = s->n_starts = 0;
  return skep_compact_pace_add(&s->run->pace, 0, 0, 0, s->cancel, err);
}

static skep_status refill(run_reader *r, skep_err *err) {
  uint64_t left = (r->file->size_bytes - r->offset) / sizeof(event);
  r->n = left < READ_AHEAD ? (size_t)left : READ_AHEAD;
  r->at = 0;
  if (r->n == 0) return SKEP_OK;
  SKEP_TRY(skep_file_read_at(r->file, r->offset, r->events, r->n * sizeof(event), err));
  r->offset += r->n * sizeof(event);
  return SKEP_OK;
}

static skep_status open_runs(sorter *s, run_reader *readers, skep_err *err) {
  for (uint32_t i = 0; i < s->n_runs; i++) {
    const char *path;
    SKEP_TRY(skep_compact_sort_path(s->run, s->run->delete_dir, i, &path, err));
    SKEP_TRY(skep_fs_open_read(s->run->job->fs, path, &readers[i].file, err));
    readers[i].events = skep_alloc(s->run->ctx, READ_AHEAD * sizeof(event));
    if (readers[i].events == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "merging %u runs", s->n_runs);
    SKEP_TRY(refill(&readers[i], err));
  }
  return SKEP_OK;
}

static bool is_first(const void *left, const void *right) {
  const run_reader *a = left, *b = right;
  return is_before(&a->events[a->at], &b->events[b->at]);
}

static skep_status merge_runs(sorter *s, run_reader *readers, skep_err *err) {
  void *heap[MAX_RUNS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->n_runs; i++)
    if (readers[i].n != 0) heap[n++] = &readers[i];
  skep_compact_heap_make(heap, n, is_first);
  while (n != 0) {
    run_reader *r = heap[0];
    SKEP_TRY(put(s, &r->events[r->at++], err));
    if (r->at == r->n) SKEP_TRY(refill(r, err));
    if (r->n == 0) heap[0] = heap[--n];
    if (n != 0) skep_compact_heap_sink(heap, n, 0, is_first);
  }
  return SKEP_OK;
}

static skep_status write_runs(sorter *s, skep_err *err) {
  const skep_ctx *ctx = s->run->ctx;
  run_reader *readers = skep_alloc_zero(ctx, s->n_runs, sizeof *readers);
  if (readers == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "merging %u runs", s->n_runs);
  skep_status status = open_runs(s, readers, err);
  if (status == SKEP_OK) status = merge_runs(s, readers, err);
  for (uint32_t i = 0; i < s->n_runs; i++) {
    skep_file_close(readers[i].file, NULL); /* it was only read from */
    skep_release(ctx, readers[i].events);
  }
  skep_release(ctx, readers);
  return status == SKEP_OK ? skep_compact_sort_remove(s->run, s->run->delete_dir, s->n_runs, err) : status;
}

/* ---- reading ---- */

static const skep_event_column wanted[] = {SKEP_EVENT_WRITE_ID, SKEP_EVENT_BUCKET, SKEP_EVENT_ROW_ID,
                                           SKEP_EVENT_CURRENT};
enum { N_WANTED = sizeof wanted / sizeof wanted[0] };

static skep_status check_nulls(const skep_batch *batch, skep_err *err) {
  for (uint32_t i = 0; i < N_WANTED; i++) {
    const skep_vec *c = &batch->root.children[i];
    if (c->has_nulls && c->null_count != 0)
      return skep_fail(err, SKEP_ERR_CORRUPT, "%" PRId64 " delete events have no %s", c->null_count,
                       skep_event_column_names[wanted[i]]);
  }
  return SKEP_OK;
}

static skep_status take(sorter *s, const event *e, skep_err *err) {
  if (s->n == s->room) SKEP_TRY(spill(s, err));
  if (s->n == s->events_capacity)
    SKEP_TRY(skep_grow(s->run->ctx, (void **)&s->events, &s->events_capacity, s->n + 1, sizeof *s->events, err));
  if (s->n == 0 || is_before(e, &s->events[s->n - 1])) {
    SKEP_TRY(skep_grow(s->run->ctx, (void **)&s->starts, &s->starts_capacity, s->n_starts + 1, sizeof *s->starts, err));
    s->starts[s->n_starts++] = s->n;
  }
  s->events[s->n++] = *e;
  return SKEP_OK;
}

static skep_status take_batch(sorter *s, const skep_batch *batch, skep_err *err) {
  const skep_vec *c = batch->root.children;
  const int64_t *write_ids = c[0].values.data, *row_ids = c[2].values.data, *currents = c[3].values.data;
  const int32_t *buckets = c[1].values.data;
  int64_t known_current = -1;
  bool is_valid = false;
  for (int64_t i = 0; i < batch->root.length; i++) {
    skep_bucket bucket;
    if (i == 0 || currents[i] != known_current) {
      known_current = currents[i];
      is_valid = skep_snapshot_write_id_valid(&s->run->rows, known_current);
    }
    if (!is_valid || write_ids[i] == s->dropped_write_id) continue;
    if (!skep_bucket_decode(buckets[i], &bucket) || bucket.writer < 0)
      return skep_fail(err, SKEP_ERR_CORRUPT, "bucket property %" PRId32 " of a deleted row", buckets[i]);
    const event e = {.write_id = write_ids[i],
                     .row_id = row_ids[i],
                     .current = currents[i],
                     .bucket = buckets[i],
                     .writer = bucket.writer};
    SKEP_TRY(take(s, &e, err));
  }
  s->counts->rows_read += (uint64_t)batch->root.length;
  return SKEP_OK;
}

typedef struct source {
  skep_arena arena;
  skep_file *file;
  skep_orc_tail *tail;
  skep_orc_reader *reader;
  skep_batch batch;
} source;

static skep_status open_source(sorter *s, source *f, skep_err *err) {
  static const skep_type type_int = {.kind = SKEP_INT}, type_bigint = {.kind = SKEP_BIGINT},
                         type_struct = {.kind = SKEP_STRUCT};
  const skep_type *children[N_WANTED], *type;
  const char *names[N_WANTED];
  if (skep_event_file_kind(f->tail, NULL) == SKEP_EVENT_FILE_NO)
    return skep_fail(err, SKEP_ERR_CORRUPT, "a delete delta's file without ACID columns");
  for (uint32_t i = 0; i < N_WANTED; i++) {
    children[i] = wanted[i] == SKEP_EVENT_BUCKET ? &type_int : &type_bigint;
    names[i] = skep_event_column_names[wanted[i]];
  }
  SKEP_TRY(skep_type_make(&f->arena, &type_struct, children, names, N_WANTED, &type, err));
  const skep_orc_evolution how = {.is_acid = true};
  skep_orc_reader_opts opts = SKEP_ORC_READER_OPTS_INIT;
  SKEP_TRY(skep_orc_mapping_make(&f->arena, f->tail, type, &how, &opts.mapping, err));
  SKEP_TRY(skep_vec_init(&f->batch.root, s->run->ctx, opts.mapping->target, &opts.forms, err));
  return skep_orc_reader_open(s->run->ctx, f->file, f->tail, &opts, &f->reader, err);
}

static skep_status read_source(sorter *s, source *f, const char *path, uint64_t logical_bytes, skep_err *err) {
  SKEP_TRY(skep_fs_open_read(s->run->job->fs, path, &f->file, err));
  SKEP_TRY(skep_orc_tail_read(s->run->ctx, f->file, logical_bytes, &f->tail, err));
  if (f->tail->n_rows == 0) return SKEP_OK;
  SKEP_TRY(open_source(s, f, err));
  for (;;) {
    skep_status status = skep_orc_reader_next(f->reader, BATCH_ROWS, &f->batch, err);
    if (status == SKEP_END) return SKEP_OK;
    if (status == SKEP_OK) status = check_nulls(&f->batch, err);
    if (status == SKEP_OK) status = take_batch(s, &f->batch, err);
    if (status == SKEP_OK)
      status = skep_compact_pace_add(&s->run->pace, (uint64_t)f->batch.root.length, 0, 0, s->cancel, err);
    if (status != SKEP_OK) return status;
  }
}

static skep_status read_file(sorter *s, const skep_layout_dir *dir, const skep_layout_file *file, skep_err *err) {
  source f = {.file = NULL};
  char quoted[512];
  const char *below = NULL, *path = NULL;
  if (file->logical_bytes == 0) return SKEP_OK;
  skep_arena_init(&f.arena, s->run->ctx, SIZE_MAX);
  skep_status status = skep_compact_path(&f.arena, dir->name, file->path, &below, err);
  if (status == SKEP_OK) status = skep_compact_path(&f.arena, s->run->job->root, below, &path, err);
  if (status == SKEP_OK) status = read_source(s, &f, path, file->logical_bytes, err);
  if (status == SKEP_OK) {
    status = skep_compact_pace_add(&s->run->pace, 0, file->logical_bytes, 0, s->cancel, err);
  } else if (path != NULL) {
    status = skep_wrap(err, status, "%s", skep_quote(quoted, sizeof quoted, path, strlen(path)));
  }
  skep_orc_reader_close(f.reader);
  skep_vec_fini(&f.batch.root);
  skep_orc_tail_unref(f.tail);
  (void)skep_file_close(f.file, NULL); /* it was only read from */
  skep_arena_fini(&f.arena);
  return status;
}

static skep_status read_all(sorter *s, skep_err *err) {
  const skep_compact_choice *choice = &s->run->choice;
  for (uint32_t d = 0; d < choice->n_dirs; d++) {
    const skep_layout_dir *dir = choice->dirs[d];
    if (dir->parsed.kind != SKEP_DIR_DELETE_DELTA) continue;
    for (uint32_t i = 0; i < dir->n_files; i++)
      if (dir->files[i].verdict == SKEP_USED) SKEP_TRY(read_file(s, dir, &dir->files[i], err));
  }
  return SKEP_OK;
}

/* ---- all ---- */

/* Events in memory take no more than a share of it, sorting included. */
static skep_status make_room(sorter *s, skep_err *err) {
  uint64_t share = s->run->memory.max_bytes / 4 / (2 * sizeof(event));
  s->room = share < LEAST_ROOM ? LEAST_ROOM : (size_t)share;
  s->pending = skep_alloc(s->run->ctx, EVENTS_AT_ONCE * sizeof *s->pending);
  return s->pending == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "room for delete events") : SKEP_OK;
}

static skep_status write_all(sorter *s, skep_err *err) {
  if (s->n_runs != 0) {
    if (s->n != 0) SKEP_TRY(spill(s, err));
    SKEP_TRY(write_runs(s, err));
  } else {
    SKEP_TRY(sort(s, err));
    for (size_t i = 0; i < s->n; i++) SKEP_TRY(put(s, &s->events[i], err));
  }
  return end_file(s, err);
}

skep_status skep_compact_merge_deletes(skep_compact_run_state *run, const skep_cancel *cancel,
                                       skep_compact_counts *counts, skep_err *err) {
  sorter s = {.run = run, .cancel = cancel, .counts = counts, .dropped_write_id = -1};
  /* Where insert deltas of the same single write id are merged as well, their deleted rows are left out there: Hive
   * passes over a delete delta of the row's own write id that names no statement. */
  if (run->choice.has_inserts && run->choice.min_write_id == run->choice.max_write_id)
    s.dropped_write_id = run->choice.min_write_id;
  skep_status status = make_room(&s, err);
  if (status == SKEP_OK) status = read_all(&s, err);
  if (status == SKEP_OK) status = write_all(&s, err);
  skep_compact_output_free(s.out);
  skep_release(run->ctx, s.events);
  skep_release(run->ctx, s.scratch);
  skep_release(run->ctx, s.starts);
  skep_release(run->ctx, s.pending);
  return status;
}
