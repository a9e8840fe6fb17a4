/* String, char, varchar and binary columns: direct and dictionary encoded.
 *
 * Source: ORC Specification v1, "String, Char, and VarChar Columns". Lengths of a batch are decoded first, their sum
 * becomes offsets, and the bytes of the whole batch are copied at once. */
#include "orc/column.h"
#include "orc/spread.h"

enum {
  SKIP_CHUNK = 1024,
  FIRST_LENGTHS = 4096,
  SHORT = 32,              /* bytes of a short entry */
  MAX_SHORT_ENTRIES = 512, /* their table stays in the first cache */
  ROUGH_BOUND = 1 << 20    /* bytes of a batch that may be reserved without counting */
};

static skep_status string_start(skep_orc_column *c, skep_err *err) {
  (void)err;
  /* Dictionary: FIRST holds codes, SECOND the lengths of the entries. */
  skep_rle_int_init(c->ints[0], &c->stream[SKEP_ORC_STREAM_FIRST], c->v2, false);
  skep_rle_int_init(c->ints[1], &c->stream[SKEP_ORC_STREAM_SECOND], c->v2, false);
  return SKEP_OK;
}

/* Lengths were decoded as 32 bits: none is negative unless the stream held one above INT32_MAX. */
static skep_status sum_lengths(const skep_orc_column *c, const int32_t *lengths, size_t n, uint64_t *total,
                               skep_err *err) {
  uint64_t sum = 0;
  uint32_t all = 0, most = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t length = (uint32_t)lengths[i];
    sum += length;
    all |= length;
    most = length > most ? length : most;
  }
  if (all > INT32_MAX) return skep_fail(err, SKEP_ERR_CORRUPT, "column %u: negative length", c->file->id);
  if (most > c->env->ctx->limits.max_value_bytes)
    return skep_fail(err, SKEP_ERR_LIMIT, "column %u: value of %u bytes, the limit is %llu", c->file->id, most,
                     (unsigned long long)c->env->ctx->limits.max_value_bytes);
  *total = sum;
  return SKEP_OK;
}

static skep_status reserve_heap(const skep_orc_column *c, skep_vec *vec, uint64_t total, skep_err *err) {
  if (total > INT32_MAX)
    return skep_fail(err, SKEP_ERR_LIMIT, "column %u: a batch of %llu bytes", c->file->id, (unsigned long long)total);
  return skep_vec_reserve_heap(vec, (size_t)total, err);
}

/* ---- what both encodings end in ---- */

/* lengths[1..n] in place -> offsets[0..n]. */
static void prefix_sum(int32_t *offsets, int64_t n) {
  int32_t sum = 0;
  offsets[0] = 0;
  for (int64_t i = 1; i <= n; i++) {
    sum += offsets[i];
    offsets[i] = sum;
  }
}

static void make_views(skep_vec *vec, const int32_t *lengths, int64_t n) {
  skep_view *views = vec->values.data;
  const uint8_t *at = vec->heap.data;
  for (int64_t i = 0; i < n; i++) {
    uint32_t length = (uint32_t)lengths[i];
    skep_view view = {.inlined = {.length = length}};
    if (length <= sizeof view.inlined.bytes) {
      if (length > 0) memcpy(view.inlined.bytes, at, length);
    } else {
      memcpy(view.far.prefix, at, sizeof view.far.prefix);
      view.far.at = at;
    }
    views[i] = view;
    if (length > 0) at += length; /* the heap may be absent while all are empty */
  }
}

/* ---- direct ---- */

static skep_status direct_next(skep_orc_column *c, skep_vec *vec, int64_t n, int64_t n_values, skep_err *err) {
  skep_orc_stream *data = &c->stream[SKEP_ORC_STREAM_FIRST];
  int32_t *lengths;
  void *scratch;
  uint64_t total;
  if (vec->form == SKEP_FORM_VIEW) {
    SKEP_TRY(skep_orc_column_scratch(c, 0, (size_t)n, sizeof *lengths, &scratch, err));
    lengths = scratch;
  } else {
    lengths = (int32_t *)vec->offsets.data + 1;
  }
  SKEP_TRY(skep_rle_int_next_i32(c->ints[1], lengths, (size_t)n_values, err));
  SKEP_TRY(sum_lengths(c, lengths, (size_t)n_values, &total, err));
  SKEP_TRY(skep_orc_column_check_bytes(data, total, err));
  SKEP_TRY(reserve_heap(c, vec, total, err));
  SKEP_TRY(skep_orc_stream_copy(data, vec->heap.data, (size_t)total, err));
  vec->heap_size = (size_t)total;
  if (vec->has_nulls) skep_spread(lengths, sizeof *lengths, vec->validity.data, (size_t)n, (size_t)n_values);
  if (vec->form == SKEP_FORM_VIEW) {
    make_views(vec, lengths, n);
  } else {
    prefix_sum(vec->offsets.data, n);
  }
  return SKEP_OK;
}

static skep_status direct_skip(skep_orc_column *c, uint64_t n_values, skep_err *err) {
  int32_t lengths[SKIP_CHUNK];
  while (n_values > 0) {
    size_t n = n_values < SKIP_CHUNK ? (size_t)n_values : SKIP_CHUNK;
    uint64_t total;
    SKEP_TRY(skep_rle_int_next_i32(c->ints[1], lengths, n, err));
    SKEP_TRY(sum_lengths(c, lengths, n, &total, err));
    SKEP_TRY(skep_orc_stream_skip(&c->stream[SKEP_ORC_STREAM_FIRST], total, err));
    n_values -= n;
  }
  return SKEP_OK;
}

/* ---- dictionary ---- */

/* All lengths of the entries, read piece by piece: the count is a claim until the stream has delivered. */
static skep_status read_entry_lengths(skep_orc_column *c, size_t count, int32_t **out, skep_err *err) {
  const skep_ctx *ctx = c->env->ctx;
  int32_t *lengths = NULL;
  size_t capacity = 0, done = 0;
  skep_status st = SKEP_OK;
  while (done < count && st == SKEP_OK) {
    size_t want = done == 0 ? FIRST_LENGTHS : 2 * done, n = want < count ? want : count;
    st = skep_grow(ctx, (void **)&lengths, &capacity, n, sizeof *lengths, err);
    if (st == SKEP_OK) st = skep_rle_int_next_i32(c->ints[1], lengths + done, n - done, err);
    done = n;
  }
  if (st != SKEP_OK) {
    skep_release(ctx, lengths);
    lengths = NULL;
  }
  *out = lengths;
  return st;
}

/* Small dictionaries of short entries are laid out again for fast expansion, when they will be expanded. */
static skep_status make_short_entries(skep_orc_column *c, skep_err *err) {
  const skep_dict *dict = c->dict;
  c->longest_entry = 0;
  for (uint32_t i = 0; i < dict->count; i++) {
    uint32_t length = dict->offsets[i + 1] - dict->offsets[i];
    c->longest_entry = length > c->longest_entry ? length : c->longest_entry;
  }
  if (c->env->forms.keep_dictionaries || c->longest_entry > SHORT || dict->count > MAX_SHORT_ENTRIES ||
      dict->count == 0)
    return SKEP_OK;
  c->short_entries = skep_alloc_zero(c->env->ctx, dict->count, sizeof *c->short_entries);
  if (c->short_entries == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "column %u: dictionary", c->file->id);
  for (uint32_t i = 0; i < dict->count; i++) {
    uint32_t length = dict->offsets[i + 1] - dict->offsets[i];
    c->short_entries[i].length = length;
    if (length > 0) memcpy(c->short_entries[i].bytes, dict->bytes + dict->offsets[i], length);
  }
  return SKEP_OK;
}

static skep_status fill_dictionary(skep_orc_column *c, const int32_t *lengths, uint32_t count, skep_err *err) {
  uint64_t total;
  uint32_t *offsets;
  uint8_t *bytes;
  skep_orc_stream *blob = &c->stream[SKEP_ORC_STREAM_BLOB];
  SKEP_TRY(sum_lengths(c, lengths, count, &total, err));
  if (total > 0 && !c->has_stream[SKEP_ORC_STREAM_BLOB])
    return skep_fail(err, SKEP_ERR_CORRUPT, "column %u: dictionary of %llu bytes without a DICTIONARY_DATA stream",
                     c->file->id, (unsigned long long)total);
  SKEP_TRY(skep_orc_column_check_bytes(blob, total, err));
  SKEP_TRY(skep_dict_new(c->env->ctx, count, (size_t)total, &c->dict, &offsets, &bytes, err));
  uint32_t sum = 0; /* total was accepted by skep_dict_new: below 2^32 */
  for (uint32_t i = 0; i < count; i++) {
    offsets[i] = sum;
    sum += (uint32_t)lengths[i];
  }
  offsets[count] = sum;
  SKEP_TRY(skep_orc_stream_copy(blob, bytes, (size_t)total, err));
  return make_short_entries(c, err);
}

static skep_status load_dictionary(skep_orc_column *c, skep_err *err) {
  if (c->dict != NULL) return SKEP_OK;
  uint32_t count = c->env->dir->info.dictionary_sizes[c->file->id];
  if (count > INT32_MAX)
    return skep_fail(err, SKEP_ERR_CORRUPT, "column %u: dictionary of %u entries", c->file->id, count);
  int32_t *lengths;
  SKEP_TRY(read_entry_lengths(c, count, &lengths, err));
  skep_status st = fill_dictionary(c, lengths, count, err);
  skep_release(c->env->ctx, lengths);
  if (st != SKEP_OK) skep_orc_column_drop_dictionary(c);
  return st;
}

static skep_status read_codes(skep_orc_column *c, int32_t *codes, size_t n, skep_err *err) {
  uint32_t most = 0;
  SKEP_TRY(skep_rle_int_next_i32(c->ints[0], codes, n, err));
  for (size_t i = 0; i < n; i++) most = (uint32_t)codes[i] > most ? (uint32_t)codes[i] : most;
  if (n == 0 || most < c->dict->count) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_CORRUPT, "column %u: dictionary code %u of %u", c->file->id, most, c->dict->count);
}

/* Entry lengths of a batch become offsets while the bytes are copied; most entries are short: 32 bytes are moved at
 * once where both sides have slack. NULL entries take none. */
static void gather(const skep_dict *dict, const int32_t *restrict codes, int64_t n, const uint8_t *restrict validity,
                   int32_t *restrict offsets, uint8_t *restrict heap) {
  const uint32_t *restrict starts = dict->offsets;
  const uint8_t *restrict bytes = dict->bytes;
  uint32_t at = 0;
  for (int64_t i = 0; i < n; i++) {
    uint32_t first = starts[codes[i]], length = starts[codes[i] + 1] - first;
    if (validity != NULL && (validity[i >> 3] >> (i & 7) & 1) == 0) length = 0;
    offsets[i] = (int32_t)at;
    memcpy(heap + at, bytes + first, SHORT);
    if (length > SHORT) memcpy(heap + at + SHORT, bytes + first + SHORT, length - SHORT);
    at += length;
  }
  offsets[n] = (int32_t)at;
}

/* The same from a table of padded entries, none longer than `width`, a constant: no look at two offsets, no branch. */
static inline __attribute__((always_inline)) void gather_padded(const skep_orc_short_entry *restrict entries,
                                                                const int32_t *restrict codes, int64_t n,
                                                                const uint8_t *restrict validity,
                                                                int32_t *restrict offsets, uint8_t *restrict heap,
                                                                size_t width) {
  uint32_t at = 0;
  for (int64_t i = 0; i < n && validity == NULL; i++) {
    const skep_orc_short_entry *e = &entries[codes[i]];
    offsets[i] = (int32_t)at;
    memcpy(heap + at, e->bytes, width);
    at += e->length;
  }
  for (int64_t i = 0; i < n && validity != NULL; i++) {
    const skep_orc_short_entry *e = &entries[codes[i]];
    uint32_t valid = validity[i >> 3] >> (i & 7) & 1;
    offsets[i] = (int32_t)at;
    memcpy(heap + at, e->bytes, width);
    at += e->length & (0 - valid);
  }
  offsets[n] = (int32_t)at;
}

#if defined(__x86_64__) && defined(__GNUC__)
__attribute__((target("avx2"))) static void gather_32(const skep_orc_short_entry *entries, const int32_t *codes,
                                                      int64_t n, const uint8_t *validity, int32_t *offsets,
                                                      uint8_t *heap) {
  gather_padded(entries, codes, n, validity, offsets, heap, SHORT);
}
static bool has_32_byte_moves(void) { return __builtin_cpu_supports("avx2") != 0; }
#else
#define gather_32(entries, codes, n, validity, offsets, heap) \
  gather_padded(entries, codes, n, validity, offsets, heap, SHORT)
static bool has_32_byte_moves(void) { return true; }
#endif

/* The fewer bytes are written at once, the fewer writes cross a cache line. */
static void gather_short(const skep_orc_column *c, const int32_t *codes, int64_t n, const uint8_t *validity,
                         int32_t *offsets, uint8_t *heap) {
  const skep_orc_short_entry *entries = c->short_entries;
  if (c->longest_entry <= 8) {
    gather_padded(entries, codes, n, validity, offsets, heap, 8);
  } else if (c->longest_entry <= 16) {
    gather_padded(entries, codes, n, validity, offsets, heap, 16);
  } else if (has_32_byte_moves()) {
    gather_32(entries, codes, n, validity, offsets, heap);
  } else {
    gather_padded(entries, codes, n, validity, offsets, heap, SHORT);
  }
}

static size_t gather_views(const skep_dict *dict, const int32_t *codes, int64_t n, const uint8_t *validity,
                           skep_view *views, uint8_t *heap) {
  const uint8_t *start = heap;
  for (int64_t i = 0; i < n; i++) {
    skep_view view = {.inlined = {.length = 0}};
    if (validity == NULL || (validity[i >> 3] >> (i & 7) & 1) != 0) {
      uint32_t first = dict->offsets[codes[i]], length = dict->offsets[codes[i] + 1] - first;
      view.inlined.length = length;
      if (length <= sizeof view.inlined.bytes) {
        memcpy(view.inlined.bytes, dict->bytes + first, length);
      } else {
        memcpy(heap, dict->bytes + first, length);
        memcpy(view.far.prefix, heap, sizeof view.far.prefix);
        view.far.at = heap;
        heap += length;
      }
    }
    views[i] = view;
  }
  return (size_t)(heap - start);
}

/* Bytes that the coded strings take at most; the codes were checked. Counting is left out where a rough bound is small.
 */
static uint64_t coded_bytes(const skep_orc_column *c, const int32_t *codes, size_t n) {
  uint64_t bound = (uint64_t)n * c->longest_entry, total = 0;
  if (bound <= ROUGH_BOUND) return bound;
  for (size_t i = 0; i < n; i++) total += c->dict->offsets[codes[i] + 1] - c->dict->offsets[codes[i]];
  return total;
}

static skep_status expand(skep_orc_column *c, skep_vec *vec, const int32_t *codes, int64_t n, uint64_t bound,
                          skep_err *err) {
  const uint8_t *validity = skep_orc_validity(vec);
  SKEP_TRY(reserve_heap(c, vec, bound, err));
  if (vec->form == SKEP_FORM_VIEW) {
    vec->heap_size = gather_views(c->dict, codes, n, validity, vec->values.data, vec->heap.data);
    return SKEP_OK;
  }
  int32_t *offsets = vec->offsets.data;
  if (bound == 0) {
    memset(offsets, 0,
           (size_t)(n + 1) * sizeof *offsets); /* also when there is no entry that codes below NULLs could name */
  } else if (c->short_entries != NULL) {
    gather_short(c, codes, n, validity, offsets, vec->heap.data);
  } else {
    gather(c->dict, codes, n, validity, offsets, vec->heap.data);
  }
  vec->heap_size = (size_t)offsets[n];
  return SKEP_OK;
}

static skep_status dictionary_next(skep_orc_column *c, skep_vec *vec, int64_t n, int64_t n_values, skep_err *err) {
  SKEP_TRY(load_dictionary(c, err));
  void *scratch = vec->values.data;
  bool kept = vec->form == SKEP_FORM_DICT;
  if (!kept) SKEP_TRY(skep_orc_column_scratch(c, 0, (size_t)n, sizeof(int32_t), &scratch, err));
  int32_t *codes = scratch;
  SKEP_TRY(read_codes(c, codes, (size_t)n_values, err));
  uint64_t bound = kept ? 0 : coded_bytes(c, codes, (size_t)n_values);
  if (vec->has_nulls) skep_spread(codes, sizeof *codes, vec->validity.data, (size_t)n, (size_t)n_values);
  if (!kept) return expand(c, vec, codes, n, bound, err);
  skep_dict_unref(vec->dict);
  vec->dict = skep_dict_ref(c->dict);
  return SKEP_OK;
}

/* ---- door ---- */

static skep_status string_next(skep_orc_column *c, skep_vec *vec, int64_t n, int64_t n_values, skep_err *err) {
  return c->is_dictionary ? dictionary_next(c, vec, n, n_values, err) : direct_next(c, vec, n, n_values, err);
}

static skep_status string_skip(skep_orc_column *c, uint64_t n_values, skep_err *err) {
  return c->is_dictionary ? skep_rle_int_skip(c->ints[0], n_values, err) : direct_skip(c, n_values, err);
}

static skep_status string_seek(skep_orc_column *c, skep_orc_positions *at, skep_err *err) {
  if (c->is_dictionary) return skep_orc_seek_ints(c->ints[0], at, err);
  SKEP_TRY(skep_orc_seek_stream(&c->stream[SKEP_ORC_STREAM_FIRST], at, err));
  return skep_orc_seek_ints(c->ints[1], at, err);
}

const skep_orc_column_vtab skep_orc_column_string = {string_start, string_next, string_skip, string_seek};
