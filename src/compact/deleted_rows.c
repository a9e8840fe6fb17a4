/* The rows that a compaction leaves out, as a sorted file of their keys beside the result: where the delete events are
 * too many for the sets in memory that scans use. Rows come in the order of their keys, so that a cursor goes through
 * the file with them. */
#include <string.h>

#include "compact/compact_int.h"

enum { AT_ONCE = 1024 };

typedef skep_row_key key;

struct skep_compact_deleted {
  skep_compact_run_state *run;
  skep_arena arena;
  const char *path;
  uint32_t number;
  skep_file *file; /* written, then read by all threads */
  uint64_t n;      /* keys in it */
  /* while it is made */
  key *pending; /* AT_ONCE */
  size_t n_pending;
  key last;
};

/* ---- making ---- */

static skep_status flush(skep_compact_deleted *d, skep_err *err) {
  size_t n = d->n_pending;
  d->n_pending = 0;
  d->n += n;
  return n == 0 ? SKEP_OK : skep_file_append(d->file, d->pending, n * sizeof *d->pending, err);
}

static skep_status put(void *self, const skep_compact_event *e, skep_err *err) {
  skep_compact_deleted *d = self;
  key k;
  memset(&k, 0, sizeof k); /* padding goes to the file, too */
  k.write_id = e->write_id;
  k.row_id = e->row_id;
  k.bucket = e->bucket;
  if (d->n + d->n_pending != 0 && skep_row_key_equal(&k, &d->last)) return SKEP_OK;
  d->pending[d->n_pending++] = d->last = k;
  return d->n_pending == AT_ONCE ? flush(d, err) : SKEP_OK;
}

static skep_status sort_keys(skep_compact_deleted *d, skep_err *err) {
  skep_compact_run_state *run = d->run;
  skep_compact_counts counts = {0};
  const skep_compact_event_sort how = {
      .dir = run->insert_dir, .dropped_write_id = -1, .counts = &counts, .sink = put, .self = d};
  d->number = skep_compact_run_number(run);
  SKEP_TRY(skep_compact_run_path(&d->arena, run->insert_dir, d->number, &d->path, err));
  SKEP_TRY(skep_fs_create(run->job->fs, d->path, &d->file, err));
  skep_status status = skep_compact_sort_events(run, &how, err);
  if (status == SKEP_OK) status = flush(d, err);
  skep_status closed = skep_file_close(d->file, status == SKEP_OK ? err : NULL);
  d->file = NULL;
  return status == SKEP_OK ? closed : status;
}

skep_status skep_compact_deleted_make(skep_compact_run_state *run, skep_compact_deleted **out, skep_err *err) {
  *out = NULL;
  skep_compact_deleted *d = skep_alloc_zero(run->ctx, 1, sizeof *d);
  if (d == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "deleted rows");
  d->run = run;
  skep_arena_init(&d->arena, run->ctx, SIZE_MAX);
  d->pending = skep_alloc(run->ctx, AT_ONCE * sizeof *d->pending);
  skep_status status = d->pending == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "deleted rows") : sort_keys(d, err);
  if (status == SKEP_OK) status = skep_fs_open_read(run->job->fs, d->path, &d->file, err);
  skep_release(run->ctx, d->pending);
  d->pending = NULL;
  if (status != SKEP_OK) {
    skep_compact_deleted_free(d);
    return status;
  }
  *out = d;
  return SKEP_OK;
}

skep_status skep_compact_deleted_remove(skep_compact_deleted *d, skep_err *err) {
  if (d == NULL) return SKEP_OK;
  (void)skep_file_close(d->file, NULL); /* it was only read from */
  d->file = NULL;
  return skep_compact_run_remove(d->run, d->run->insert_dir, d->number, err);
}

void skep_compact_deleted_free(skep_compact_deleted *d) {
  if (d == NULL) return;
  (void)skep_file_close(d->file, NULL);
  skep_release(d->run->ctx, d->pending);
  skep_arena_fini(&d->arena);
  skep_release(d->run->ctx, d);
}

/* ---- going through it ---- */

void skep_compact_deleted_cursor_init(skep_compact_deleted_cursor *c, skep_compact_run_state *run) {
  *c = (skep_compact_deleted_cursor){.of = run->deleted};
}

void skep_compact_deleted_cursor_fini(skep_compact_deleted_cursor *c) {
  if (c->of != NULL) skep_release(c->of->run->ctx, c->keys);
  if (c->of != NULL) skep_release(c->of->run->ctx, c->rows);
  *c = (skep_compact_deleted_cursor){.of = NULL};
}

static skep_status read_keys(const skep_compact_deleted *d, uint64_t first, key *keys, size_t n, skep_err *err) {
  skep_status status = skep_file_read_at(d->file, first * sizeof *keys, keys, n * sizeof *keys, err);
  return status == SKEP_OK ? SKEP_OK : skep_wrap(err, status, "%s", d->path);
}

/* The window begins with key `first`. */
static skep_status load(skep_compact_deleted_cursor *c, uint64_t first, skep_err *err) {
  const skep_compact_deleted *d = c->of;
  if (c->keys == NULL) c->keys = skep_alloc(d->run->ctx, AT_ONCE * sizeof *c->keys);
  if (c->keys == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "deleted rows");
  c->n = c->at = 0;
  c->first = first;
  size_t n = d->n - first < AT_ONCE ? (size_t)(d->n - first) : AT_ONCE;
  if (n != 0) SKEP_TRY(read_keys(d, first, c->keys, n, err));
  c->n = n;
  return SKEP_OK;
}

/* The first key from `low` on that is not below `k`, by halving. */
static skep_status find(const skep_compact_deleted *d, uint64_t low, const key *k, uint64_t *out, skep_err *err) {
  uint64_t high = d->n;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    key at;
    SKEP_TRY(read_keys(d, middle, &at, 1, err));
    if (skep_row_key_below(&at, k)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  *out = low;
  return SKEP_OK;
}

static void advance(skep_compact_deleted_cursor *c, const key *k) {
  while (c->at < c->n && skep_row_key_below(&c->keys[c->at], k)) c->at++;
}

/* Afterwards the cursor stands on the first key that is not below `k`, or at the end. That key mostly lies in the
 * window, or in the next one. */
static skep_status seek(skep_compact_deleted_cursor *c, const key *k, skep_err *err) {
  uint64_t from = 0;
  bool goes_back = c->keys == NULL || skep_row_key_below(k, &c->sought);
  c->sought = *k;
  if (!goes_back) {
    advance(c, k);
    from = c->first + c->n;
    if (c->at < c->n || from == c->of->n) return SKEP_OK;
    SKEP_TRY(load(c, from, err));
    advance(c, k);
    from = c->first + c->n;
    if (c->at < c->n || from == c->of->n) return SKEP_OK;
  }
  SKEP_TRY(find(c->of, from, k, &from, err));
  return load(c, from, err);
}

/* Leaves out the rows of the batch that are deleted. Whether rows ascend is checked elsewhere: here any order is right.
 */
static skep_status filter(skep_compact_deleted_cursor *c, skep_vec *root, skep_err *err) {
  const int64_t *write_ids = root->children[0].values.data, *row_ids = root->children[2].values.data;
  const int32_t *buckets = root->children[1].values.data;
  int64_t n = root->length, kept = 0;
  SKEP_TRY(skep_grow(c->of->run->ctx, (void **)&c->rows, &c->rows_capacity, (size_t)n, sizeof *c->rows, err));
  for (int64_t i = 0; i < n; i++) {
    const key k = {.write_id = write_ids[i], .bucket = buckets[i], .row_id = row_ids[i]};
    bool is_there = c->at < c->n && !skep_row_key_below(&k, &c->sought) && !skep_row_key_below(&c->keys[c->at], &k);
    if (!is_there) SKEP_TRY(seek(c, &k, err));
    c->rows[kept] = (int32_t)i;
    kept += c->at == c->n || !skep_row_key_equal(&c->keys[c->at], &k);
  }
  return kept == n ? SKEP_OK : skep_vec_select(root, c->rows, kept, err);
}

skep_status skep_compact_scan_next(skep_scan *scan, int64_t max_rows, skep_batch *batch, skep_compact_deleted_cursor *c,
                                   skep_err *err) {
  for (;;) {
    SKEP_TRY(skep_scan_next(scan, max_rows, batch, err));
    if (c->of == NULL) return SKEP_OK;
    SKEP_TRY(filter(c, &batch->root, err));
    if (batch->root.length != 0) return SKEP_OK;
  }
}

skep_status skep_compact_deleted_touch(skep_compact_deleted_cursor *c, const key *first, const key *last, bool *touched,
                                       skep_err *err) {
  SKEP_TRY(seek(c, first, err));
  *touched = c->at < c->n && !skep_row_key_below(last, &c->keys[c->at]);
  return SKEP_OK;
}
