/* The rows of many files in the order of their row ids, handed to a sink: mostly the rows of one writer id, which
 * become one file.
 *
 * Row ids begin with the write id, and directories are ranges of write ids: mostly the files lie one behind the other,
 * and whole batches pass through. So a file is opened when the merge comes to the lowest id that it can hold, which its
 * directory's name tells; what is open at a time are files whose ranges overlap. Where these are more than may be open,
 * what is left of some is merged into a run (row_runs.c), which takes their place. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "acid/name.h"
#include "compact/compact_int.h"

enum { BATCH_ROWS = 4096, MAX_LEVELS = 40 };

typedef skep_row_key row_id;

typedef struct stream {
  const skep_compact_part *part;   /* of a run: the earliest of those that went into it */
  row_id next;                     /* id of the row at `at`; before opening: at or below all ids of the part */
  skep_scan *scan;                 /* a part being read */
  skep_compact_row_reader *reader; /* a run being read */
  uint32_t run;                    /* its number */
  unsigned level;                  /* a part has 0, a run one more than the highest of what went into it */
  bool is_run;
  struct stream *older; /* run */
  skep_compact_deleted_cursor deleted;
  skep_batch batch;
  int64_t at;
  uint64_t rows_told, bytes_told;
} stream;

typedef struct merge {
  skep_compact_run_state *run;
  const skep_cancel *cancel;
  const skep_compact_sink *sink;
  skep_compact_counts *counts;
  stream *streams; /* of parts */
  void **heap;     /* of streams */
  uint32_t n_heap, n_open;
  skep_compact_row_writer *to_run; /* where rows go; NULL: to the sink */
  stream *runs;                    /* the youngest */
  const skep_type *type;           /* of rows in runs; NULL: no run was made yet */
  skep_arena arena;                /* of runs and the type */
  skep_scan_keeper keeper;
} merge;

static bool goes_first(const void *left, const void *right) {
  const stream *a = left, *b = right;
  if (skep_row_key_below(&a->next, &b->next)) return true;
  return !skep_row_key_below(&b->next, &a->next) && a->part->number < b->part->number;
}

/* ---- the heap of streams ---- */

static void drop_first(merge *m) {
  m->heap[0] = m->heap[--m->n_heap];
  if (m->n_heap != 0) skep_compact_heap_sink(m->heap, m->n_heap, 0, goes_first);
}

/* The stream that comes after the first one; NULL: there is only one. */
static const stream *second(const merge *m) {
  if (m->n_heap < 2) return NULL;
  if (m->n_heap == 2 || goes_first(m->heap[1], m->heap[2])) return m->heap[1];
  return m->heap[2];
}

/* ---- streams ---- */

/* What a directory's name says of the ids in a file: write ids from its lowest on; with a statement in the name, one
 * bucket property. Files of Hive before 3 have plain bucket numbers, which lie below all others. */
static row_id lowest_id(const skep_split *split) {
  const skep_split_file *f = &split->files[0];
  int64_t bucket = skep_compact_bucket_of(f->path);
  if (split->kind == SKEP_SPLIT_ORIGINAL)
    return (row_id){.write_id = f->synthetic_write_id, .bucket = f->synthetic_bucket, .row_id = f->first_row_id};
  row_id lowest = {
      .write_id = f->min_write_id > 0 ? f->min_write_id : INT64_MIN, .bucket = INT32_MIN, .row_id = INT64_MIN};
  bool one_property =
      f->min_write_id == f->max_write_id && f->statement >= 0 && f->statement <= 4095 && bucket >= 0 && bucket <= 4095;
  if (one_property) lowest.bucket = skep_bucket_encode((int32_t)bucket, f->statement);
  return lowest;
}

skep_compact_part skep_compact_part_of(const skep_split *split, uint32_t number) {
  return (skep_compact_part){
      .split = *split, .number = number, .bytes = split->files[0].logical_bytes, .low = lowest_id(split)};
}

static bool is_open(const stream *s) { return s->scan != NULL || s->reader != NULL; }

static void close_stream(merge *m, stream *s) {
  if (!is_open(s)) return;
  skep_scan_close(s->scan);
  skep_compact_row_reader_close(s->reader);
  skep_vec_fini(&s->batch.root);
  skep_compact_deleted_cursor_fini(&s->deleted);
  s->scan = NULL;
  s->reader = NULL;
  m->n_open--;
}

static skep_status tell(merge *m, stream *s, bool is_end, skep_err *err) {
  uint64_t written = m->sink->new_bytes(m->sink->self);
  if (s->is_run) return skep_compact_pace_add(&m->run->pace, 0, 0, written, m->cancel, err);
  uint64_t rows = skep_scan_rows_read(s->scan), bytes = skep_scan_counts(s->scan).bytes_read, size = s->part->bytes;
  if (bytes > size || is_end) bytes = size;
  uint64_t new_rows = rows - s->rows_told, new_bytes = bytes > s->bytes_told ? bytes - s->bytes_told : 0;
  s->rows_told = rows;
  s->bytes_told += new_bytes;
  m->counts->rows_read += new_rows;
  return skep_compact_pace_add(&m->run->pace, new_rows, new_bytes, written, m->cancel, err);
}

static row_id id_at(const stream *s, int64_t i) {
  const skep_vec *c = s->batch.root.children;
  return (row_id){.write_id = ((const int64_t *)c[0].values.data)[i],
                  .bucket = ((const int32_t *)c[1].values.data)[i],
                  .row_id = ((const int64_t *)c[2].values.data)[i]};
}

/* Rows of a file must ascend: it is what makes merging right. */
static skep_status check_order(const stream *s, skep_err *err) {
  const skep_vec *c = s->batch.root.children;
  const int64_t *w = c[0].values.data, *r = c[2].values.data;
  const int32_t *b = c[1].values.data;
  for (int64_t i = 1, n = s->batch.root.length; i < n; i++) {
    if (w[i] == w[i - 1] && b[i] == b[i - 1] && r[i] >= r[i - 1]) continue;
    if (w[i] > w[i - 1] || (w[i] == w[i - 1] && (b[i] > b[i - 1] || (b[i] == b[i - 1] && r[i] >= r[i - 1])))) continue;
    return skep_fail(err, SKEP_ERR_CORRUPT,
                     "the row {\"writeid\":%" PRId64 ",\"bucketid\":%" PRId32 ",\"rowid\":%" PRId64
                     "} comes after a row with a higher id",
                     w[i], b[i], r[i]);
  }
  return SKEP_OK;
}

static skep_status wrap(const stream *s, skep_status status, skep_err *err) {
  char quoted[512];
  const char *path = s->part->split.files[0].path;
  return skep_wrap(err, status, "%s", skep_quote(quoted, sizeof quoted, path, strlen(path)));
}

/* The next batch of a stream; SKEP_END closes it. */
static skep_status refill(merge *m, stream *s, skep_err *err) {
  skep_status status = s->is_run ? skep_compact_row_reader_next(s->reader, BATCH_ROWS, &s->batch, err)
                                 : skep_compact_scan_next(s->scan, BATCH_ROWS, &s->batch, &s->deleted, err);
  if (status != SKEP_OK && status != SKEP_END) return status;
  SKEP_TRY(tell(m, s, status == SKEP_END, err));
  if (status == SKEP_END) {
    close_stream(m, s);
    if (s->is_run) SKEP_TRY(skep_compact_run_remove(m->run, m->run->insert_dir, s->run, err));
    return SKEP_END;
  }
  status = check_order(s, err);
  if (status != SKEP_OK) return wrap(s, status, err);
  s->at = 0;
  s->next = id_at(s, 0);
  return SKEP_OK;
}

static const skep_forms forms = {.keep_dictionaries = true, .narrow_decimals = true};

static skep_status open_part(merge *m, stream *s, skep_err *err) {
  SKEP_TRY(skep_scan_open_kept(m->run->cache, &s->part->split, &forms, &m->keeper, &s->scan, err));
  m->n_open++;
  skep_compact_deleted_cursor_init(&s->deleted, m->run);
  SKEP_TRY(skep_vec_init(&s->batch.root, m->run->ctx, skep_scan_type(s->scan), &forms, err));
  return refill(m, s, err);
}

/* ---- merging ---- */

/* How many rows of the batch, from `at` on, may go before `limit`; when ids are equal the earlier stream's go first. */
static int64_t end_of_run(const stream *s, const stream *limit) {
  int64_t n = s->batch.root.length, low = s->at + 1, high = n;
  if (limit == NULL) return n;
  row_id last = id_at(s, n - 1);
  bool ties = s->part->number < limit->part->number;
  if (skep_row_key_below(&last, &limit->next) || (ties && !skep_row_key_below(&limit->next, &last))) return n;
  while (low < high) { /* the first row that must wait */
    int64_t middle = low + (high - low) / 2;
    row_id id = id_at(s, middle);
    if (skep_row_key_below(&id, &limit->next) || (ties && !skep_row_key_below(&limit->next, &id))) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

skep_compact_rows skep_compact_rows_of(const skep_vec *root, const skep_type *row_type, skep_vec *row) {
  *row = (skep_vec){.type = row_type,
                    .form = SKEP_FORM_STRUCT,
                    .length = root->length,
                    .n_children = root->n_children - 3,
                    .children = root->children + 3};
  return (skep_compact_rows){.n = root->length,
                             .write_ids = root->children[0].values.data,
                             .buckets = root->children[1].values.data,
                             .row_ids = root->children[2].values.data,
                             .currents = root->children[0].values.data,
                             .row = row};
}

static skep_status write_run(merge *m, stream *s, int64_t end, skep_err *err) {
  skep_vec row;
  int64_t first = s->at;
  s->at = end;
  if (m->to_run != NULL) return skep_compact_row_writer_add(m->to_run, &s->batch.root, first, end - first, err);
  const skep_compact_rows rows = skep_compact_rows_of(&s->batch.root, m->run->job->row, &row);
  return m->sink->add(m->sink->self, &rows, first, end - first, err);
}

static skep_status make_room(merge *m, skep_err *err);

static skep_status merge_all(merge *m, skep_err *err) {
  while (m->n_heap != 0) {
    stream *s = m->heap[0];
    skep_status status = SKEP_OK;
    if (!is_open(s)) {
      if (m->n_open >= m->run->fan_in) {
        SKEP_TRY(make_room(m, err)); /* the heap is another afterwards, its first stream the same */
        continue;
      }
      status = open_part(m, s, err);
    } else {
      SKEP_TRY(write_run(m, s, end_of_run(s, second(m)), err));
      if (s->at == s->batch.root.length) {
        status = refill(m, s, err);
      } else {
        s->next = id_at(s, s->at);
      }
    }
    if (status == SKEP_END) {
      drop_first(m);
    } else if (status != SKEP_OK) {
      return status;
    } else {
      skep_compact_heap_sink(m->heap, m->n_heap, 0, goes_first);
    }
  }
  return SKEP_OK;
}

/* ---- runs in the place of many open files ---- */

/* Streams up to this level are joined: at least half of those that may be open, so that a row is written anew about
 * log(n) times. */
static unsigned level_to_join(const merge *m) {
  uint32_t number[MAX_LEVELS] = {0}, sum = 0;
  unsigned level = 0;
  for (uint32_t i = 0; i < m->n_heap; i++) {
    const stream *s = m->heap[i];
    if (is_open(s)) number[s->level]++;
  }
  while ((sum += number[level]) < m->run->fan_in / 2 && level + 1 < MAX_LEVELS) level++;
  return level;
}

/* Moves the open streams up to `level` from one merge to another, which has room for them. */
static void move_streams(merge *from, merge *to, unsigned level) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < from->n_heap; i++) {
    stream *s = from->heap[i];
    if (is_open(s) && s->level <= level) {
      to->heap[to->n_heap++] = s;
    } else {
      from->heap[kept++] = s;
    }
  }
  from->n_heap = kept;
  from->n_open -= to->n_heap;
  to->n_open = to->n_heap;
  skep_compact_heap_make(from->heap, from->n_heap, goes_first);
  skep_compact_heap_make(to->heap, to->n_heap, goes_first);
}

/* A stream for the run that `streams` will become. Of equal ids those of its earliest part count. */
static skep_status new_run(merge *m, const merge *streams, stream **out, skep_err *err) {
  stream *s = *out = skep_arena_zero(&m->arena, 1, sizeof *s);
  if (s == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a run of rows");
  s->is_run = true;
  s->older = m->runs;
  m->runs = s;
  for (uint32_t i = 0; i < streams->n_heap; i++) {
    const stream *from = streams->heap[i];
    if (s->part == NULL || from->part->number < s->part->number) s->part = from->part;
    if (from->level >= s->level && s->level + 1 < MAX_LEVELS) s->level = from->level + 1;
  }
  return SKEP_OK;
}

static skep_status find_type(merge *m, const merge *streams, skep_err *err) {
  for (uint32_t i = 0; i < streams->n_heap && m->type == NULL; i++) {
    const stream *s = streams->heap[i];
    if (s->scan != NULL) SKEP_TRY(skep_type_copy(&m->arena, skep_scan_type(s->scan), &m->type, err));
  }
  return SKEP_OK;
}

static skep_status open_run(merge *m, stream *s, skep_err *err) {
  SKEP_TRY(skep_compact_row_reader_open(m->run, s->run, m->type, &forms, &s->reader, err));
  m->n_open++;
  SKEP_TRY(skep_vec_init(&s->batch.root, m->run->ctx, m->type, &forms, err));
  SKEP_TRY(refill(m, s, err));
  m->heap[m->n_heap++] = s; /* there is room: more were taken out */
  skep_compact_heap_make(m->heap, m->n_heap, goes_first);
  return SKEP_OK;
}

static skep_status join(merge *m, merge *streams, skep_err *err) {
  stream *s;
  move_streams(m, streams, level_to_join(m));
  SKEP_TRY(new_run(m, streams, &s, err));
  SKEP_TRY(find_type(m, streams, err));
  SKEP_TRY(skep_compact_row_writer_open(m->run, m->type, &streams->to_run, err));
  SKEP_TRY(merge_all(streams, err));
  SKEP_TRY(skep_compact_row_writer_finish(streams->to_run, &s->run, err));
  return open_run(m, s, err);
}

/* Merges what is left of many open streams into a run. */
static skep_status make_room(merge *m, skep_err *err) {
  merge streams = {.run = m->run, .cancel = m->cancel, .sink = m->sink, .counts = m->counts};
  streams.heap = skep_alloc_zero(m->run->ctx, m->n_open, sizeof *streams.heap);
  if (streams.heap == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%u files to merge", m->n_open);
  skep_status status = join(m, &streams, err);
  skep_compact_row_writer_free(streams.to_run);
  skep_release(m->run->ctx, streams.heap);
  return status;
}

static skep_status fill_heap(merge *m, const skep_compact_part *parts, uint32_t n, skep_err *err) {
  m->streams = skep_alloc_zero(m->run->ctx, (size_t)n + 1, sizeof *m->streams);
  m->heap = skep_alloc_zero(m->run->ctx, (size_t)n + 1, sizeof *m->heap);
  if (m->streams == NULL || m->heap == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%u files to merge", n);
  for (uint32_t i = 0; i < n; i++) {
    m->streams[i] = (stream){.part = &parts[i], .next = parts[i].low};
    m->heap[i] = &m->streams[i];
  }
  m->n_heap = n;
  skep_compact_heap_make(m->heap, n, goes_first);
  return SKEP_OK;
}

skep_status skep_compact_merge_rows(skep_compact_run_state *run, const skep_compact_part *parts, uint32_t n,
                                    const skep_compact_sink *to, const skep_cancel *cancel, skep_compact_counts *counts,
                                    skep_err *err) {
  merge m = {.run = run, .cancel = cancel, .counts = counts, .sink = to};
  skep_arena_init(&m.arena, run->ctx, SIZE_MAX);
  skep_status status = fill_heap(&m, parts, n, err);
  if (status == SKEP_OK) status = merge_all(&m, err);
  for (uint32_t i = 0; m.streams != NULL && i < n; i++) close_stream(&m, &m.streams[i]);
  for (stream *s = m.runs; s != NULL; s = s->older) close_stream(&m, s);
  skep_scan_keeper_release(run->cache, &m.keeper);
  skep_release(run->ctx, m.streams);
  skep_release(run->ctx, m.heap);
  skep_arena_fini(&m.arena);
  return status;
}
