/* From DuckDB's vectors to ours: what has the same layout is lent, the rest copied. */
#include <inttypes.h>
#include <limits.h>

#include "engine/engine_int.h"

/* Which entries: rows[0..n), or n from `first` on. */
typedef struct span {
  const uint32_t *rows;
  int64_t first, n;
} span;

static uint64_t at_of(const span *s, int64_t i) { return s->rows != NULL ? s->rows[i] : (uint64_t)(s->first + i); }

static bool is_valid(const uint64_t *mask, uint64_t i) { return mask == NULL || (mask[i / 64] >> (i % 64) & 1) != 0; }

/* ---- buffers ---- */

static void lend(skep_vbuf *buf, const void *data, size_t n_bytes) {
  buf->data = (void *)(uintptr_t)data;
  buf->capacity = n_bytes;
  buf->lent = true;
}

/* Lent buffers go back to whom they belong; the vector's own stay. */
static void unlend(skep_vbuf *buf) {
  if (buf->lent) *buf = (skep_vbuf){.data = NULL};
}

static void forget(skep_vec *to) {
  unlend(&to->validity);
  unlend(&to->values);
  unlend(&to->offsets);
  unlend(&to->heap);
  to->length = 0;
  to->has_nulls = false;
  to->null_count = 0;
  to->heap_size = 0;
}

/* An owned block replaces a lent one when room is needed, so a vector keeps no memory of its own beside it. */
static void own(const skep_vec *to, skep_vbuf *buf) {
  if (!buf->lent && buf->data != NULL) skep_release(to->ctx, buf->data);
  *buf = (skep_vbuf){.data = NULL};
}

/* ---- validity ---- */

static int64_t count_nulls(const uint64_t *mask, const span *s) {
  int64_t nulls = 0;
  if (mask == NULL) return 0;
  int64_t i = 0;
  if (s->rows == NULL && s->first % 64 == 0) {
    const uint64_t *words = mask + s->first / 64;
    for (; i + 64 <= s->n; i += 64) nulls += 64 - __builtin_popcountll(words[i / 64]);
  }
  for (; i < s->n; i++) nulls += !is_valid(mask, at_of(s, i));
  return nulls;
}

static skep_status drain_validity(const uint64_t *mask, const span *s, skep_vec *to, skep_err *err) {
  int64_t nulls = count_nulls(mask, s);
  if (nulls == 0) return SKEP_OK;
  if (s->rows == NULL && s->first % 8 == 0) {
    own(to, &to->validity);
    lend(&to->validity, (const uint8_t *)mask + s->first / 8, ((size_t)s->n + 7) / 8);
  } else {
    to->length = s->n; /* so that the whole bitmap is made valid */
    SKEP_TRY(skep_vec_need_validity(to, err));
    uint8_t *bits = to->validity.data;
    for (int64_t i = 0; i < s->n; i++) {
      if (!is_valid(mask, at_of(s, i))) bits[i >> 3] &= (uint8_t) ~(1u << (i & 7));
    }
  }
  to->has_nulls = true;
  to->null_count = nulls;
  return SKEP_OK;
}

/* ---- fixed-width values ---- */

static skep_status lend_or_gather(const void *data, size_t width, const span *s, skep_vec *to, skep_err *err) {
  const uint8_t *from = data;
  const uint8_t *first = from + (size_t)s->first * width;
  bool aligned = width < 16 || to->form != SKEP_FORM_I128 || (uintptr_t)first % 16 == 0;
  if (s->rows == NULL && aligned) {
    own(to, &to->values);
    lend(&to->values, first, (size_t)s->n * width);
    return SKEP_OK;
  }
  SKEP_TRY(skep_vec_reserve_unset(to, s->n, false, err));
  uint8_t *out = to->values.data;
  if (s->rows == NULL) {
    memcpy(out, first, (size_t)s->n * width);
    return SKEP_OK;
  }
  for (int64_t i = 0; i < s->n; i++) memcpy(out + (size_t)i * width, from + (size_t)s->rows[i] * width, width);
  return SKEP_OK;
}

static skep_status drain_bits(const uint8_t *data, const span *s, skep_vec *to, skep_err *err) {
  SKEP_TRY(skep_vec_reserve(to, s->n, false, err));
  uint8_t *bits = to->values.data;
  memset(bits, 0, ((size_t)s->n + 7) / 8);
  for (int64_t i = 0; i < s->n; i++) bits[i >> 3] |= (uint8_t)((data[at_of(s, i)] & 1) << (i & 7));
  return SKEP_OK;
}

/* So that microseconds have 64 bits. Hive's arithmetic goes beyond the years 0001 to 9999 too. */
#define MAX_SECONDS INT64_C(9223372036800)

static skep_status bad_ts(skep_err *err) {
  return skep_fail(err, SKEP_ERR_RANGE, "a timestamp is out of range: 292,000 years around 1970");
}

/* Seconds and nanoseconds of a count of nanoseconds; most fit 64 bits, where dividing is fast. */
static bool split_ns(skep_i128 ns, skep_ts *out) {
  int64_t narrow = (int64_t)ns;
  int64_t seconds, nanos;
  if ((skep_i128)narrow == ns) {
    seconds = narrow / 1000000000;
    nanos = narrow % 1000000000;
  } else {
    skep_i128 wide = ns / 1000000000;
    if (wide > MAX_SECONDS || wide < -MAX_SECONDS) return false;
    seconds = (int64_t)wide;
    nanos = (int64_t)(ns % 1000000000);
  }
  if (nanos < 0) {
    nanos += 1000000000;
    seconds--;
  }
  *out = (skep_ts){.seconds = seconds, .nanos = (int32_t)nanos};
  return true;
}

/* The loops of the three forms; entries below NULLs are 0. */
static skep_status drain_ts_whole(const skep_huge *data, const uint64_t *mask, const span *s, skep_ts *out,
                                  skep_err *err) {
  for (int64_t i = 0; i < s->n; i++) {
    uint64_t k = at_of(s, i);
    out[i] = (skep_ts){.seconds = 0};
    if (is_valid(mask, k) && !split_ns(data[k], &out[i])) return bad_ts(err);
  }
  return SKEP_OK;
}

static skep_status drain_ts_us(const skep_huge *data, const uint64_t *mask, const span *s, int64_t *out,
                               skep_err *err) {
  for (int64_t i = 0; i < s->n; i++) {
    uint64_t k = at_of(s, i);
    skep_ts ts = {.seconds = 0};
    if (is_valid(mask, k) && !split_ns(data[k], &ts)) return bad_ts(err);
    out[i] = ts.seconds * 1000000 + ts.nanos / 1000;
  }
  return SKEP_OK;
}

static skep_status drain_ts_ns(const skep_huge *data, const uint64_t *mask, const span *s, int64_t *out,
                               skep_err *err) {
  for (int64_t i = 0; i < s->n; i++) {
    uint64_t k = at_of(s, i);
    bool valid = is_valid(mask, k);
    if (valid && (data[k] > INT64_MAX || data[k] < INT64_MIN))
      return skep_fail(err, SKEP_ERR_RANGE, "a timestamp does not fit 64 bits of nanoseconds");
    out[i] = valid ? (int64_t)data[k] : 0;
  }
  return SKEP_OK;
}

static skep_status drain_ts(const skep_huge *data, const uint64_t *mask, const span *s, skep_vec *to, skep_err *err) {
  SKEP_TRY(skep_vec_reserve_unset(to, s->n, false, err));
  if (to->form == SKEP_FORM_TS) return drain_ts_whole(data, mask, s, to->values.data, err);
  if (to->form == SKEP_FORM_TS_US) return drain_ts_us(data, mask, s, to->values.data, err);
  return drain_ts_ns(data, mask, s, to->values.data, err);
}

#define WIDEN(type) \
  for (int64_t i = 0; i < s->n; i++) out[i] = ((const type *)data)[at_of(s, i)]

static skep_status drain_wide_decimals(const void *data, size_t width, const span *s, skep_vec *to, skep_err *err) {
  SKEP_TRY(skep_vec_reserve_unset(to, s->n, false, err));
  skep_i128 *out = to->values.data;
  if (width == 2) WIDEN(int16_t);
  if (width == 4) WIDEN(int32_t);
  if (width == 8) WIDEN(int64_t);
  return SKEP_OK;
}

static skep_status drain_fixed(duckdb_vector from, const uint64_t *mask, const span *s, skep_vec *to, skep_err *err) {
  const void *data = skep_duck.vector_get_data(from);
  size_t width = skep_form_width(to->form);
  switch (to->type->kind) {
    case SKEP_BOOLEAN:
      if (to->form == SKEP_FORM_BOOL_BITS) return drain_bits(data, s, to, err);
      break;
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      return drain_ts(data, mask, s, to, err);
    case SKEP_DECIMAL: {
      unsigned p = to->type->precision;
      size_t duck_width = p <= 4 ? 2 : p <= 9 ? 4 : p <= 18 ? 8 : 16;
      if (duck_width != width) return drain_wide_decimals(data, duck_width, s, to, err);
      break;
    }
    default:
      break;
  }
  return lend_or_gather(data, width, s, to, err);
}

/* ---- strings ---- */

static skep_bytes bytes_of(const skep_view *view) {
  size_t n = view->inlined.length;
  return skep_bytes_of(n <= sizeof view->inlined.bytes ? (const void *)view->inlined.bytes : view->far.at, n);
}

static size_t count_points(skep_bytes text) {
  size_t n = 0;
  for (size_t i = 0; i < text.left; i++) n += (text.at[i] & 0xc0) != 0x80;
  return n;
}

/* Blanks that a CHAR(n) is short of. */
static size_t padding(const skep_type *type, skep_bytes text) {
  if (type->kind != SKEP_CHAR) return 0;
  size_t n = count_points(text);
  return n < type->length ? type->length - n : 0;
}

static void put_string(skep_vec *to, int64_t i, skep_bytes text, size_t blanks) {
  size_t length = text.left + blanks;
  if (to->form == SKEP_FORM_VIEW && length <= sizeof(((skep_view *)NULL)->inlined.bytes)) {
    skep_view view = {.inlined = {(uint32_t)length, {0}}};
    if (text.left != 0) memcpy(view.inlined.bytes, text.at, text.left);
    memset(view.inlined.bytes + text.left, ' ', blanks);
    ((skep_view *)to->values.data)[i] = view;
    return;
  }
  uint8_t *end = length == 0 ? to->heap.data : (uint8_t *)to->heap.data + to->heap_size;
  if (text.left != 0) memcpy(end, text.at, text.left);
  if (blanks != 0) memset(end + text.left, ' ', blanks);
  to->heap_size += length;
  if (to->form == SKEP_FORM_STR) {
    ((int32_t *)to->offsets.data)[i + 1] = (int32_t)to->heap_size;
    return;
  }
  skep_view view = {.far = {.length = (uint32_t)length, .at = end}};
  memcpy(view.far.prefix, end, sizeof view.far.prefix);
  ((skep_view *)to->values.data)[i] = view;
}

static skep_status copy_strings(const skep_view *data, const uint64_t *mask, const span *s, skep_vec *to,
                                skep_err *err) {
  uint64_t total = 0;
  for (int64_t i = 0; i < s->n; i++) {
    uint64_t k = at_of(s, i);
    if (!is_valid(mask, k)) continue;
    skep_bytes text = bytes_of(&data[k]);
    total += text.left + padding(to->type, text);
  }
  if (total > INT32_MAX) return skep_fail(err, SKEP_ERR_LIMIT, "%" PRIu64 " bytes of strings in one batch", total);
  SKEP_TRY(skep_vec_reserve(to, s->n, false, err));
  SKEP_TRY(skep_vec_reserve_heap(to, (size_t)total, err));
  if (to->form == SKEP_FORM_STR) ((int32_t *)to->offsets.data)[0] = 0;
  for (int64_t i = 0; i < s->n; i++) {
    uint64_t k = at_of(s, i);
    skep_bytes text = is_valid(mask, k) ? bytes_of(&data[k]) : skep_bytes_of(NULL, 0);
    put_string(to, i, text, is_valid(mask, k) ? padding(to->type, text) : 0);
  }
  return SKEP_OK;
}

static skep_status drain_strings(duckdb_vector from, const uint64_t *mask, const span *s, skep_vec *to, skep_err *err) {
  const skep_view *data = skep_duck.vector_get_data(from);
  if (to->form != SKEP_FORM_VIEW || to->type->kind == SKEP_CHAR) return copy_strings(data, mask, s, to, err);
  if (!to->has_nulls) return lend_or_gather(data, sizeof *data, s, to, err);
  /* Views below NULLs may point anywhere, and compacting copies what it finds: they become empty, in a copy, since the
   * vector may be shared. */
  SKEP_TRY(skep_vec_reserve_unset(to, s->n, false, err));
  skep_view *views = to->values.data;
  for (int64_t i = 0; i < s->n; i++) {
    if (skep_vec_is_valid(to, i)) {
      views[i] = data[at_of(s, i)];
    } else {
      memset(&views[i], 0, sizeof views[i]);
    }
  }
  return SKEP_OK;
}

/* ---- nested values ---- */

/* Where the entries of lists stand in the child: a list of rows, or one run. Offsets are made. */
static skep_status list_rows(const duckdb_list_entry *entries, const uint64_t *mask, const span *s, skep_vec *to,
                             span *child, uint32_t **rows, skep_err *err) {
  uint64_t total = 0, next = 0;
  bool is_run = true, is_first = true;
  SKEP_TRY(skep_vec_reserve(to, s->n, false, err));
  int32_t *offsets = to->offsets.data;
  offsets[0] = 0;
  *child = (span){.rows = NULL};
  for (int64_t i = 0; i < s->n; i++) {
    uint64_t k = at_of(s, i), n = is_valid(mask, k) ? entries[k].length : 0;
    if (n != 0 && is_first) {
      child->first = (int64_t)entries[k].offset;
      next = entries[k].offset;
      is_first = false;
    }
    is_run = is_run && (n == 0 || entries[k].offset == next);
    next += n;
    total += n;
    if (total > INT32_MAX) return skep_fail(err, SKEP_ERR_LIMIT, "%" PRIu64 " list entries in one batch", total);
    offsets[i + 1] = (int32_t)total;
  }
  child->n = (int64_t)total;
  if (is_run) return SKEP_OK;
  *rows = skep_alloc(to->ctx, (size_t)total * sizeof **rows);
  if (*rows == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%" PRIu64 " list entries", total);
  child->rows = *rows;
  for (int64_t i = 0, at = 0; i < s->n; i++) {
    uint64_t k = at_of(s, i), n = is_valid(mask, k) ? entries[k].length : 0;
    for (uint64_t e = 0; e < n; e++) (*rows)[at++] = (uint32_t)(entries[k].offset + e);
  }
  return SKEP_OK;
}

static skep_status drain(duckdb_vector from, const span *s, skep_vec *to, skep_err *err);

static skep_status drain_list(duckdb_vector from, const uint64_t *mask, const span *s, skep_vec *to, skep_err *err) {
  span child;
  uint32_t *rows = NULL;
  skep_status status = list_rows(skep_duck.vector_get_data(from), mask, s, to, &child, &rows, err);
  duckdb_vector below = skep_duck.list_vector_get_child(from);
  if (status == SKEP_OK && to->type->kind == SKEP_LIST) status = drain(below, &child, &to->children[0], err);
  for (uint32_t k = 0; status == SKEP_OK && to->type->kind == SKEP_MAP && k < 2; k++)
    status = drain(skep_duck.struct_vector_get_child(below, k), &child, &to->children[k], err);
  skep_release(to->ctx, rows);
  return status;
}

static skep_status drain_struct(duckdb_vector from, const span *s, skep_vec *to, skep_err *err) {
  for (uint32_t i = 0; i < to->n_children; i++)
    SKEP_TRY(drain(skep_duck.struct_vector_get_child(from, i), s, &to->children[i], err));
  return SKEP_OK;
}

/* A tag chooses a field; what the others hold does not matter. */
static skep_status drain_union(duckdb_vector from, const uint64_t *mask, const span *s, skep_vec *to, skep_err *err) {
  const int8_t *tags = skep_duck.vector_get_data(skep_duck.struct_vector_get_child(from, 0));
  uint32_t *rows = skep_alloc(to->ctx, ((size_t)s->n + 1) * sizeof *rows);
  if (rows == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%" PRId64 " unions", s->n);
  skep_status status = skep_vec_reserve(to, s->n, false, err);
  if (status == SKEP_OK) {
    memset(to->values.data, 0, (size_t)s->n);
    memset(to->offsets.data, 0, (size_t)s->n * sizeof(int32_t));
  }
  for (int64_t i = 0; status == SKEP_OK && i < s->n; i++) {
    uint64_t k = at_of(s, i);
    if (is_valid(mask, k) && (tags[k] < 0 || (uint32_t)tags[k] >= to->n_children))
      status = skep_fail(err, SKEP_ERR_RANGE, "tag %d of a union of %u", tags[k], to->n_children);
  }
  for (uint32_t c = 0; status == SKEP_OK && c < to->n_children; c++) {
    int64_t n = 0;
    for (int64_t i = 0; i < s->n; i++) {
      uint64_t k = at_of(s, i);
      if (!is_valid(mask, k) || tags[k] != (int8_t)c) continue;
      ((int8_t *)to->values.data)[i] = (int8_t)c;
      ((int32_t *)to->offsets.data)[i] = (int32_t)n;
      rows[n++] = (uint32_t)k;
    }
    span child = {.rows = rows, .n = n};
    status = drain(skep_duck.struct_vector_get_child(from, c + 1), &child, &to->children[c], err);
  }
  skep_release(to->ctx, rows);
  return status;
}

static skep_status drain(duckdb_vector from, const span *s, skep_vec *to, skep_err *err) {
  const uint64_t *mask = skep_duck.vector_get_validity(from);
  forget(to);
  SKEP_TRY(drain_validity(mask, s, to, err));
  skep_status status = SKEP_OK;
  to->length = 0;
  switch (to->type->kind) {
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
    case SKEP_BINARY:
      status = drain_strings(from, mask, s, to, err);
      break;
    case SKEP_LIST:
    case SKEP_MAP:
      status = drain_list(from, mask, s, to, err);
      break;
    case SKEP_STRUCT:
      status = drain_struct(from, s, to, err);
      break;
    case SKEP_UNION:
      status = drain_union(from, mask, s, to, err);
      break;
    default:
      status = drain_fixed(from, mask, s, to, err);
  }
  to->length = s->n;
  return status;
}

skep_status skep_drain_vector(duckdb_vector from, const uint32_t *rows, int64_t first, int64_t count, skep_vec *to,
                              skep_err *err) {
  span s = {.rows = rows, .first = first, .n = count};
  return drain(from, &s, to, err);
}
