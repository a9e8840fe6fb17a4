/* Delete events: gathered as keys, sorted at the end, written file by file. */
#include <inttypes.h>
#include <string.h>

#include "acid/delta_int.h"
#include "acid/name.h"
#include "acid/row_key_sort.h"

enum { EVENTS_AT_ONCE = 4096, DELETE_OPERATION = 2 };

static skep_status check_bucket(int32_t property, skep_err *err) {
  skep_bucket bucket;
  if (skep_bucket_decode(property, &bucket) && bucket.writer >= 0) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_CORRUPT, "bucket property %" PRId32 " of a row to delete", property);
}

skep_status skep_delta_writer_deletes(skep_delta_writer *w, const int64_t *write_ids, const int32_t *buckets,
                                      const int64_t *row_ids, const int32_t *rows, int64_t n, skep_err *err) {
  int32_t known = -1; /* a property that was checked */
  if (w->opts.kind != SKEP_DELTA_DELETE || w->is_done || n < 0)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: takes no deletes", skep_buf_string(&w->path));
  SKEP_TRY(skep_grow(w->ctx, (void **)&w->keys, &w->keys_capacity, w->n_keys + (size_t)n, sizeof *w->keys, err));
  skep_row_key *key = w->keys + w->n_keys;
  for (int64_t i = 0; i < n; i++, key++) {
    int64_t at = rows != NULL ? rows[i] : i;
    if (buckets[at] != known) SKEP_TRY(check_bucket(known = buckets[at], err));
    *key = (skep_row_key){.write_id = write_ids[at], .bucket = buckets[at], .row_id = row_ids[at]};
  }
  w->n_keys += (size_t)n;
  return SKEP_OK;
}

static skep_status check_repeats(const skep_delta_writer *w, skep_err *err) {
  for (size_t i = 1; i < w->n_keys; i++)
    if (skep_row_key_equal(&w->keys[i - 1], &w->keys[i]))
      return skep_fail(err, SKEP_ERR_RUNTIME,
                       "Cardinality Violation: one statement changes the row {\"writeid\":%" PRId64
                       ",\"bucketid\":%" PRId32 ",\"rowid\":%" PRId64 "} twice",
                       w->keys[i].write_id, w->keys[i].bucket, w->keys[i].row_id);
  return SKEP_OK;
}

static size_t file_end(const skep_delta_writer *w, size_t from) {
  int32_t writer = skep_row_key_writer(&w->keys[from]);
  size_t at = from + 1;
  for (; at < w->n_keys; at++)
    if (w->keys[at].bucket != w->keys[at - 1].bucket && skep_row_key_writer(&w->keys[at]) != writer) break;
  return at;
}

static skep_status count_files(skep_delta_writer *w, skep_err *err) {
  uint32_t n = 0;
  for (size_t at = 0; at < w->n_keys; at = file_end(w, at)) n++;
  skep_release(w->ctx, w->buckets);
  w->buckets = skep_alloc_zero(w->ctx, n, sizeof *w->buckets);
  if (w->buckets == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%u files of delete events", n);
  return skep_delta_reserve_files(w, n, err);
}

static void fill_ids(skep_delta_ids *ids, const skep_row_key *keys, size_t n) {
  for (size_t i = 0; i < n; i++) {
    ids->write_ids[i] = keys[i].write_id;
    ids->buckets[i] = keys[i].bucket;
    ids->row_ids[i] = keys[i].row_id;
  }
}

/* Rows of delete events are NULL: nothing below them is ever looked at. */
static skep_status write_keys(skep_delta_writer *w, skep_delta_bucket *bucket, const skep_row_key *keys, size_t n,
                              skep_err *err) {
  static const uint8_t nothing[EVENTS_AT_ONCE / 8];
  for (size_t done = 0, part; done < n; done += part) {
    part = n - done < EVENTS_AT_ONCE ? n - done : EVENTS_AT_ONCE;
    skep_vec row = {.type = w->opts.row,
                    .form = SKEP_FORM_STRUCT,
                    .length = (int64_t)part,
                    .has_nulls = true,
                    .null_count = (int64_t)part,
                    .n_children = w->opts.row->n_children,
                    .validity = {.data = (void *)(uintptr_t)nothing, .lent = true}};
    skep_vec children[SKEP_EVENT_COLUMNS];
    fill_ids(&w->shared->ids, keys + done, part);
    skep_vec event = skep_delta_event_vec(w, children, &row);
    skep_status status = skep_bucket_file_add(bucket->file, &event, NULL, (int64_t)part, keys + done, err);
    if (status != SKEP_OK) return skep_wrap(err, status, "%s", skep_delta_file_path(w, bucket->number));
  }
  return SKEP_OK;
}

skep_status skep_delta_write_deletes(skep_delta_writer *w, skep_err *err) {
  if (w->n_keys == 0) return SKEP_OK;
  SKEP_TRY(skep_row_keys_sort(w->ctx, w->keys, w->n_keys, err));
  SKEP_TRY(check_repeats(w, err));
  SKEP_TRY(count_files(w, err));
  SKEP_TRY(skep_delta_reserve_ids(w, EVENTS_AT_ONCE, DELETE_OPERATION, err));
  for (size_t at = 0; at < w->n_keys;) {
    size_t end = file_end(w, at);
    skep_delta_bucket *bucket = &w->buckets[w->n_buckets++];
    bucket->number = skep_row_key_writer(&w->keys[at]);
    SKEP_TRY(skep_delta_open_bucket(w, bucket, err));
    SKEP_TRY(skep_delta_put_version(w, err));
    SKEP_TRY(write_keys(w, bucket, w->keys + at, end - at, err));
    SKEP_TRY(skep_delta_finish_bucket(w, bucket, err));
    at = end;
  }
  return SKEP_OK;
}
