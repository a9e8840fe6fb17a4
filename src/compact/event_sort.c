/* The delete events of all inputs in order, handed to a sink.
 *
 * Events are gathered and sorted in memory; what is too much goes to runs beside the result, which are merged at the
 * end, and some before where they are too many to be open at a time. A run is a plain file of events (the struct as it
 * lies in memory: it never outlives the process). */
#include <inttypes.h>
#include <string.h>

#include "acid/delete_reader.h"
#include "acid/name.h"
#include "compact/compact_int.h"

enum { READ_AHEAD = 2048, LEAST_ROOM = 1 << 16 };

typedef skep_compact_event event;

/* A run on disk, being read. */
typedef struct run_reader {
  skep_file *file;
  uint64_t offset;
  event *events;
  size_t at, n;
} run_reader;

typedef struct sorter {
  skep_compact_run_state *run;
  const skep_compact_event_sort *how;
  event *events, *scratch;
  size_t n, room; /* room: at most so many in memory */
  size_t events_capacity, scratch_capacity;
  size_t *starts; /* where the sorted stretches of `events` begin */
  size_t n_starts, starts_capacity;
  skep_compact_runs runs;
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

/* ---- runs on disk ---- */

/* A run being written. */
typedef struct run_writer {
  skep_arena arena;
  const char *path;
  skep_file *file;
  event *events; /* READ_AHEAD of them, for merges; NULL where the events lie in memory already */
  size_t n;
} run_writer;

static skep_status create_run(sorter *s, run_writer *w, uint32_t *number, skep_err *err) {
  *number = skep_compact_run_number(s->run);
  skep_arena_init(&w->arena, s->run->ctx, SIZE_MAX);
  SKEP_TRY(skep_compact_run_path(&w->arena, s->how->dir, *number, &w->path, err));
  return skep_fs_create(s->run->job->fs, w->path, &w->file, err);
}

static skep_status end_run(run_writer *w, skep_status status, skep_err *err) {
  skep_status closed = skep_file_close(w->file, status == SKEP_OK ? err : NULL);
  if (status == SKEP_OK) status = closed;
  if (status != SKEP_OK && w->path != NULL) status = skep_wrap(err, status, "%s", w->path);
  skep_arena_fini(&w->arena);
  return status;
}

static skep_status write_out(void *self, const event *e, skep_err *err) {
  run_writer *w = self;
  w->events[w->n++] = *e;
  if (w->n < READ_AHEAD) return SKEP_OK;
  w->n = 0;
  return skep_file_append(w->file, w->events, READ_AHEAD * sizeof *w->events, err);
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

static skep_status open_run(sorter *s, run_reader *r, uint32_t number, skep_err *err) {
  const char *path;
  skep_arena arena;
  r->events = skep_alloc(s->run->ctx, READ_AHEAD * sizeof *r->events);
  if (r->events == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "reading a run of delete events");
  skep_arena_init(&arena, s->run->ctx, SIZE_MAX);
  skep_status status = skep_compact_run_path(&arena, s->how->dir, number, &path, err);
  if (status == SKEP_OK) status = skep_fs_open_read(s->run->job->fs, path, &r->file, err);
  skep_arena_fini(&arena);
  return status == SKEP_OK ? refill(r, err) : status;
}

static bool is_first(const void *left, const void *right) {
  const run_reader *a = left, *b = right;
  return is_before(&a->events[a->at], &b->events[b->at]);
}

static skep_status merge_readers(sorter *s, run_reader *readers, uint32_t n_readers, skep_compact_event_sink *to,
                                 void *self, skep_err *err) {
  void *heap[SKEP_COMPACT_MAX_RUNS];
  uint32_t n = 0, since = 0;
  for (uint32_t i = 0; i < n_readers; i++)
    if (readers[i].n != 0) heap[n++] = &readers[i];
  skep_compact_heap_make(heap, n, is_first);
  while (n != 0) {
    run_reader *r = heap[0];
    SKEP_TRY(to(self, &r->events[r->at++], err));
    if (r->at == r->n) {
      SKEP_TRY(refill(r, err));
      if (++since % 16 == 0) SKEP_TRY(skep_compact_pace_add(&s->run->pace, 0, 0, 0, s->how->cancel, err));
    }
    if (r->n == 0) heap[0] = heap[--n];
    if (n != 0) skep_compact_heap_sink(heap, n, 0, is_first);
  }
  return SKEP_OK;
}

/* The k youngest runs to the sink; then they are removed. */
static skep_status merge_youngest(sorter *s, uint32_t k, skep_compact_event_sink *to, void *self, skep_err *err) {
  const skep_ctx *ctx = s->run->ctx;
  const uint32_t *numbers = &s->runs.numbers[s->runs.n - k];
  run_reader *readers = skep_alloc_zero(ctx, k, sizeof *readers);
  skep_status status = SKEP_OK;
  if (readers == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "merging %u runs", k);
  for (uint32_t i = 0; i < k && status == SKEP_OK; i++) status = open_run(s, &readers[i], numbers[i], err);
  if (status == SKEP_OK) status = merge_readers(s, readers, k, to, self, err);
  for (uint32_t i = 0; i < k; i++) {
    skep_file_close(readers[i].file, NULL); /* it was only read from */
    skep_release(ctx, readers[i].events);
  }
  skep_release(ctx, readers);
  for (uint32_t i = 0; i < k && status == SKEP_OK; i++)
    status = skep_compact_run_remove(s->run, s->how->dir, numbers[i], err);
  return status;
}

/* Merges the youngest runs into one while there are too many of them. */
static skep_status join_runs(sorter *s, bool is_last, skep_err *err) {
  for (uint32_t k; (k = skep_compact_runs_due(&s->runs, is_last)) != 0;) {
    uint32_t number;
    run_writer w = {.events = skep_alloc(s->run->ctx, READ_AHEAD * sizeof *w.events)};
    if (w.events == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "writing a run of delete events");
    skep_status status = create_run(s, &w, &number, err);
    if (status == SKEP_OK) status = merge_youngest(s, k, write_out, &w, err);
    if (status == SKEP_OK && w.n != 0) status = skep_file_append(w.file, w.events, w.n * sizeof *w.events, err);
    status = end_run(&w, status, err);
    skep_release(s->run->ctx, w.events);
    if (status != SKEP_OK) return status;
    skep_compact_runs_replace(&s->runs, k, number);
  }
  return SKEP_OK;
}

static skep_status spill(sorter *s, skep_err *err) {
  uint32_t number;
  run_writer w = {.n = 0};
  SKEP_TRY(sort(s, err));
  skep_status status = create_run(s, &w, &number, err);
  if (status == SKEP_OK) status = skep_file_append(w.file, s->events, s->n * sizeof *s->events, err);
  SKEP_TRY(end_run(&w, status, err));
  skep_compact_runs_add(&s->runs, number);
  s->n = s->n_starts = 0;
  SKEP_TRY(join_runs(s, false, err));
  return skep_compact_pace_add(&s->run->pace, 0, 0, 0, s->how->cancel, err);
}

/* ---- reading ---- */

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

static skep_status take_batch(sorter *s, const skep_delete_events *b, skep_err *err) {
  int64_t known_current = -1;
  bool is_valid = false;
  for (int64_t i = 0; i < b->n; i++) {
    skep_bucket bucket;
    if (i == 0 || b->currents[i] != known_current) {
      known_current = b->currents[i];
      is_valid = skep_snapshot_write_id_valid(&s->run->rows, known_current);
    }
    if (!is_valid || b->write_ids[i] == s->how->dropped_write_id) continue;
    if (!skep_bucket_decode(b->buckets[i], &bucket) || bucket.writer < 0)
      return skep_fail(err, SKEP_ERR_CORRUPT, "bucket property %" PRId32 " of a deleted row", b->buckets[i]);
    const event e = {.write_id = b->write_ids[i],
                     .row_id = b->row_ids[i],
                     .current = b->currents[i],
                     .bucket = b->buckets[i],
                     .writer = s->how->by_writer ? bucket.writer : 0};
    SKEP_TRY(take(s, &e, err));
  }
  s->how->counts->rows_read += (uint64_t)b->n;
  return SKEP_OK;
}

static skep_status read_events(sorter *s, skep_delete_reader *r, const char *path, uint64_t logical_bytes,
                               skep_err *err) {
  SKEP_TRY(skep_delete_reader_open(r, s->run->ctx, s->run->job->fs, path, logical_bytes, err));
  for (;;) {
    skep_delete_events events;
    skep_status status = skep_delete_reader_next(r, &events, err);
    if (status == SKEP_END) return SKEP_OK;
    if (status == SKEP_OK) status = take_batch(s, &events, err);
    if (status == SKEP_OK) status = skep_compact_pace_add(&s->run->pace, (uint64_t)events.n, 0, 0, s->how->cancel, err);
    if (status != SKEP_OK) return status;
  }
}

static skep_status read_file(sorter *s, const skep_layout_dir *dir, const skep_layout_file *file, skep_err *err) {
  skep_delete_reader reader = {.file = NULL};
  skep_arena arena;
  char quoted[512];
  const char *below = NULL, *path = NULL;
  if (file->logical_bytes == 0) return SKEP_OK;
  skep_arena_init(&arena, s->run->ctx, SIZE_MAX);
  skep_status status = skep_compact_path(&arena, dir->name, file->path, &below, err);
  if (status == SKEP_OK) status = skep_compact_path(&arena, s->run->job->root, below, &path, err);
  if (status == SKEP_OK) status = read_events(s, &reader, path, file->logical_bytes, err);
  if (status == SKEP_OK) {
    status = skep_compact_pace_add(&s->run->pace, 0, file->logical_bytes, 0, s->how->cancel, err);
  } else if (path != NULL) {
    status = skep_wrap(err, status, "%s", skep_quote(quoted, sizeof quoted, path, strlen(path)));
  }
  skep_delete_reader_close(&reader);
  skep_arena_fini(&arena);
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

static skep_status deliver(sorter *s, skep_err *err) {
  if (s->runs.n != 0) {
    if (s->n != 0) SKEP_TRY(spill(s, err));
    SKEP_TRY(join_runs(s, true, err));
    return merge_youngest(s, s->runs.n, s->how->sink, s->how->self, err);
  }
  SKEP_TRY(sort(s, err));
  for (size_t i = 0; i < s->n; i++) SKEP_TRY(s->how->sink(s->how->self, &s->events[i], err));
  return SKEP_OK;
}

skep_status skep_compact_sort_events(skep_compact_run_state *run, const skep_compact_event_sort *how, skep_err *err) {
  sorter s = {.run = run, .how = how, .runs.fan_in = run->fan_in};
  uint64_t share = run->memory.max_bytes / 4 / (2 * sizeof(event)); /* sorting takes as much again */
  s.room = share < LEAST_ROOM ? LEAST_ROOM : (size_t)share;
  skep_status status = read_all(&s, err);
  if (status == SKEP_OK) status = deliver(&s, err);
  skep_release(run->ctx, s.events);
  skep_release(run->ctx, s.scratch);
  skep_release(run->ctx, s.starts);
  return status;
}
