/* Natural merge sort: scans deliver the ids of a file in order, so there are few runs, and sorted input costs a pass.
 */
#include "acid/row_key_sort.h"

#include <string.h>

#include "acid/name.h"

int32_t skep_row_key_writer(const skep_row_key *key) {
  skep_bucket bucket = {0};
  return skep_bucket_decode(key->bucket, &bucket) ? bucket.writer : -1;
}

static inline bool is_less(const skep_row_key *a, const skep_row_key *b) {
  if (a->bucket != b->bucket) {
    int32_t writer_a = skep_row_key_writer(a), writer_b = skep_row_key_writer(b);
    if (writer_a != writer_b) return writer_a < writer_b;
  }
  return skep_row_key_below(a, b);
}

bool skep_row_key_less(const skep_row_key *a, const skep_row_key *b) { return is_less(a, b); }

static size_t run_end(const skep_row_key *keys, size_t from, size_t n) {
  size_t at = from + 1;
  while (at < n && !is_less(&keys[at], &keys[at - 1])) at++;
  return at;
}

static void merge(const skep_row_key *keys, size_t from, size_t middle, size_t end, skep_row_key *out) {
  size_t left = from, right = middle;
  for (size_t at = from; at < end; at++) {
    bool take_right = left == middle || (right < end && is_less(&keys[right], &keys[left]));
    out[at] = take_right ? keys[right++] : keys[left++];
  }
}

/* Merges neighbouring runs once; returns how many there were. */
static size_t merge_runs(const skep_row_key *keys, size_t n, skep_row_key *out) {
  size_t runs = 0;
  for (size_t from = 0; from < n;) {
    size_t middle = run_end(keys, from, n);
    size_t end = middle < n ? run_end(keys, middle, n) : n;
    merge(keys, from, middle, end, out);
    runs += middle < n ? 2 : 1;
    from = end;
  }
  return runs;
}

skep_status skep_row_keys_sort(const skep_ctx *ctx, skep_row_key *keys, size_t n, skep_err *err) {
  if (n < 2 || run_end(keys, 0, n) == n) return SKEP_OK;
  skep_row_key *other = skep_alloc(ctx, n * sizeof *other);
  if (other == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "sorting %zu deleted rows", n);
  skep_row_key *from = keys, *to = other;
  while (merge_runs(from, n, to) > 2) {
    skep_row_key *swap = from;
    from = to;
    to = swap;
  }
  if (to != keys) memcpy(keys, to, n * sizeof *keys);
  skep_release(ctx, other);
  return SKEP_OK;
}
