/* Delete events: gathered as keys (key_runs.h), sorted at the end, written file by file. */
#include <inttypes.h>
#include <string.h>

#include "acid/delta_int.h"
#include "acid/name.h"
#include "acid/row_key_sort.h"

enum { EVENTS_AT_ONCE = SKEP_KEY_RUNS_AT_ONCE, DELETE_OPERATION = 2 };

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
  skep_row_key *key;
  SKEP_TRY(skep_key_runs_room(&w->keys, (size_t)n, &key, err));
  for (int64_t i = 0; i < n; i++, key++) {
    int64_t at = rows != NULL ? rows[i] : i;
    if (buckets[at] != known) SKEP_TRY(check_bucket(known = buckets[at], err));
    *key = (skep_row_key){.write_id = write_ids[at], .bucket = buckets[at], .row_id = row_ids[at]};
  }
  skep_key_runs_grow(&w->keys, (size_t)n);
  return SKEP_OK;
}

static skep_status check_repeats(const skep_row_key *before, const skep_row_key *keys, size_t n, skep_err *err) {
  for (size_t i = 0; i < n; before = &keys[i], i++)
    if (before != NULL && skep_row_key_equal(before, &keys[i]))
      return skep_fail(err, SKEP_ERR_RUNTIME,
                       "Cardinality Violation: one statement changes the row {\"writeid\":%" PRId64
                       ",\"bucketid\":%" PRId32 ",\"rowid\":%" PRId64 "} twice",
                       keys[i].write_id, keys[i].bucket, keys[i].row_id);
  return SKEP_OK;
}

/* How many of the keys are of the first one's file. */
static size_t same_file(const skep_row_key *keys, size_t n) {
  int32_t writer = skep_row_key_writer(&keys[0]);
  size_t at = 1;
  for (; at < n; at++)
    if (keys[at].bucket != keys[at - 1].bucket && skep_row_key_writer(&keys[at]) != writer) break;
  return at;
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

static skep_status finish_file(skep_delta_writer *w, skep_err *err) {
  if (w->buckets[0].file == NULL) return SKEP_OK;
  SKEP_TRY(skep_delta_more_files(w, err));
  return skep_delta_finish_bucket(w, &w->buckets[0], err);
}

/* Keys that are in order: files begin and end where the writer id changes. */
static skep_status write_sorted(skep_delta_writer *w, const skep_row_key *keys, size_t n, skep_err *err) {
  skep_delta_bucket *bucket = &w->buckets[0];
  for (size_t at = 0, part; at < n; at += part) {
    part = same_file(keys + at, n - at);
    int32_t writer = skep_row_key_writer(&keys[at]);
    if (bucket->number != writer) SKEP_TRY(finish_file(w, err));
    bucket->number = writer;
    SKEP_TRY(skep_delta_open_bucket(w, bucket, err));
    SKEP_TRY(skep_delta_put_version(w, err));
    SKEP_TRY(write_keys(w, bucket, keys + at, part, err));
  }
  return SKEP_OK;
}

skep_status skep_delta_write_deletes(skep_delta_writer *w, skep_err *err) {
  const skep_row_key *keys;
  skep_row_key last;
  size_t n = 1;
  SKEP_TRY(skep_key_runs_start(&w->keys, err));
  SKEP_TRY(skep_delta_reserve_ids(w, EVENTS_AT_ONCE, DELETE_OPERATION, err));
  for (bool first = true; n != 0; first = false) {
    SKEP_TRY(skep_key_runs_next(&w->keys, &keys, &n, err));
    if (n == 0) break;
    SKEP_TRY(check_repeats(first ? NULL : &last, keys, n, err));
    SKEP_TRY(write_sorted(w, keys, n, err));
    last = keys[n - 1];
  }
  return finish_file(w, err);
}
