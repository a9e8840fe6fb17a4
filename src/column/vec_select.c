/* Keeping some entries of a vector, in place.
 *
 * The ACID reader compacts every batch with this, so it should cost about what copying the kept bytes costs. The rows
 * are turned into runs of consecutive entries once; every buffer of the tree moves run by run. Where runs are short,
 * fixed-width values are gathered row by row instead. Kept entries only ever move towards the front, so no order of
 * copying forwards overwrites what is still to be read. */
#include <assert.h>

#include "column/vec_int.h"

typedef struct run {
  int32_t start;
  int32_t length;
} run;

typedef struct selection {
  const run *runs; /* ascending, not touching one another, none empty */
  size_t n_runs;
  const int32_t *rows; /* the same entries one by one, when runs are short; else NULL */
  int64_t n;           /* entries kept */
} selection;

enum { SHORT_RUN = 8 };

/* ---- fixed-width values ---- */

typedef uint16_t __attribute__((may_alias)) any16;
typedef uint32_t __attribute__((may_alias)) any32;
typedef uint64_t __attribute__((may_alias)) any64;
typedef struct __attribute__((may_alias)) any128 {
  uint64_t low, high;
} any128;

#define DEFINE_SELECT(type)                                          \
  static void select_##type(type *data, const selection *s) {        \
    if (s->rows != NULL) {                                           \
      for (int64_t i = 0; i < s->n; i++) data[i] = data[s->rows[i]]; \
      return;                                                        \
    }                                                                \
    type *to = data;                                                 \
    for (size_t r = 0; r < s->n_runs; r++) {                         \
      const type *from = data + s->runs[r].start;                    \
      size_t length = (size_t)s->runs[r].length;                     \
      if (length < SHORT_RUN) {                                      \
        for (size_t i = 0; i < length; i++) to[i] = from[i];         \
      } else if (to != from) {                                       \
        memmove(to, from, length * sizeof(type));                    \
      }                                                              \
      to += length;                                                  \
    }                                                                \
  }

DEFINE_SELECT(uint8_t)
DEFINE_SELECT(any16)
DEFINE_SELECT(any32)
DEFINE_SELECT(any64)
DEFINE_SELECT(any128)

static void select_fixed(void *data, size_t width, const selection *s) {
  switch (width) {
    case 1:
      select_uint8_t(data, s);
      break;
    case 2:
      select_any16(data, s);
      break;
    case 4:
      select_any32(data, s);
      break;
    case 8:
      select_any64(data, s);
      break;
    default:
      assert(width == 16);
      select_any128(data, s);
      break;
  }
}

/* ---- bits ---- */

/* Up to 56 bits from bit `at` on, reading only bytes below n_bytes (buffers that were lent have no slack). */
static uint64_t load_bits(const uint8_t *bits, size_t n_bytes, int64_t at, int64_t n) {
  size_t byte = (size_t)(at >> 3);
  uint64_t word = 0;
  if (byte + sizeof word <= n_bytes) {
    word = skep_load_le64(bits + byte);
  } else {
    for (size_t i = byte; i < n_bytes; i++) word |= (uint64_t)bits[i] << (8 * (i - byte));
  }
  return (word >> (at & 7)) & ((UINT64_C(1) << n) - 1);
}

/* Bits written in order, in words of 32. */
typedef struct bit_writer {
  uint8_t *to;
  uint64_t pending; /* fewer than 32 bits between puts */
  unsigned n_pending;
} bit_writer;

static void put_bits(bit_writer *w, uint64_t bits, unsigned n) { /* n <= 32 */
  w->pending |= bits << w->n_pending;
  w->n_pending += n;
  if (w->n_pending < 32) return;
  for (int i = 0; i < 4; i++) w->to[i] = (uint8_t)(w->pending >> (8 * i)); /* one store once compiled */
  w->to += 4;
  w->pending >>= 32;
  w->n_pending -= 32;
}

static void finish_bits(bit_writer *w) {
  for (; w->n_pending > 0; w->pending >>= 8) {
    *w->to++ = (uint8_t)w->pending;
    w->n_pending -= w->n_pending < 8 ? w->n_pending : 8;
  }
}

static void gather_bits(uint8_t *bits, const int32_t *rows, int64_t n) {
  uint8_t *to = bits;
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) { /* the byte written is at or before every bit still to be read */
    unsigned byte = 0;
    for (int k = 0; k < 8; k++) byte |= (unsigned)skep_bit_get(bits, rows[i + k]) << k;
    *to++ = (uint8_t)byte;
  }
  if (i == n) return;
  unsigned byte = 0;
  for (int k = 0; i + k < n; k++) byte |= (unsigned)skep_bit_get(bits, rows[i + k]) << k;
  *to = (uint8_t)byte;
}

static void select_bits(uint8_t *bits, int64_t length, const selection *s) {
  if (s->rows != NULL) {
    gather_bits(bits, s->rows, s->n);
    return;
  }
  size_t n_bytes = ((size_t)length + 7) / 8;
  bit_writer w = {bits, 0, 0};
  for (size_t r = 0; r < s->n_runs; r++) {
    int64_t at = s->runs[r].start, left = s->runs[r].length;
    for (; left > 32; at += 32, left -= 32) put_bits(&w, load_bits(bits, n_bytes, at, 32), 32);
    put_bits(&w, load_bits(bits, n_bytes, at, left), (unsigned)left);
  }
  finish_bits(&w);
}

static void select_validity(skep_vec *vec, const selection *s) {
  if (!vec->has_nulls) return;
  select_bits(vec->validity.data, vec->length, s);
  vec->null_count = s->n - skep_bits_count(vec->validity.data, 0, s->n);
  vec->has_nulls = vec->null_count != 0;
}

/* ---- offsets ---- */

/* Moves the offsets of the kept entries to the front and closes the gaps between their ranges. Ranges stay where they
 * are: the caller moves them. Returns the end of the last range. */
static int32_t select_offsets(int32_t *offsets, const selection *s) {
  int32_t end = 0;
  int32_t *to = offsets + 1;
  for (size_t r = 0; r < s->n_runs; r++) {
    const int32_t *from = offsets + s->runs[r].start;
    int32_t gap = from[0] - end;
    int32_t length = s->runs[r].length;
    memmove(to, from + 1, (size_t)length * sizeof *to); /* then a loop that has nothing to do with `from` */
    for (int32_t i = 0; i < length; i++) to[i] -= gap;
    to += length;
    end = to[-1];
  }
  offsets[0] = 0;
  return end;
}

static void select_strings(skep_vec *vec, const selection *s) {
  const int32_t *offsets = vec->offsets.data;
  uint8_t *heap = vec->heap.data, *to = heap;
  for (size_t r = 0; r < s->n_runs; r++) {
    int32_t start = offsets[s->runs[r].start];
    size_t size = (size_t)(offsets[s->runs[r].start + s->runs[r].length] - start);
    const uint8_t *from = size == 0 ? to : heap + start;
    if (size <= 16 && from - to >= 16) {
      memcpy(to, from, 16); /* cheaper than a call; what is overwritten after `size` was read already, or is slack */
    } else if (to != from) {
      memmove(to, from, size);
    }
    if (size != 0) to += size;
  }
  vec->heap_size = (size_t)select_offsets(vec->offsets.data, s);
}

static skep_status select_node(skep_vec *vec, const selection *s, skep_err *err);

static skep_status select_list(skep_vec *vec, const selection *s, skep_err *err) {
  int32_t *offsets = vec->offsets.data;
  run *runs = skep_alloc(vec->ctx, (s->n_runs + 1) * sizeof *runs);
  if (runs == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory to select %zu runs", s->n_runs);
  size_t n_runs = 0;
  for (size_t r = 0; r < s->n_runs; r++) {
    int32_t start = offsets[s->runs[r].start], length = offsets[s->runs[r].start + s->runs[r].length] - start;
    if (length == 0) continue;
    if (n_runs != 0 && runs[n_runs - 1].start + runs[n_runs - 1].length == start) {
      runs[n_runs - 1].length += length;
    } else {
      runs[n_runs++] = (run){start, length};
    }
  }
  selection inner = {.runs = runs, .n_runs = n_runs, .n = select_offsets(offsets, s)};
  skep_status st = SKEP_OK;
  for (uint32_t i = 0; i < vec->n_children && st == SKEP_OK; i++) st = select_node(&vec->children[i], &inner, err);
  skep_release(vec->ctx, runs);
  return st;
}

/* ---- unions ---- */

/* The kept entries of each child, one child after the other in `rows`; counts[tag] says how many. Renumbers offsets. */
static void select_union_offsets(skep_vec *vec, int64_t n, int32_t *rows, int32_t *counts) {
  int8_t *tags = vec->values.data;
  int32_t *offsets = vec->offsets.data, starts[128] = {0};
  for (int64_t i = 0; i < n; i++) counts[tags[i]] += skep_vec_is_valid(vec, i);
  for (uint32_t c = 1; c < vec->n_children; c++) starts[c] = starts[c - 1] + counts[c - 1];
  memset(counts, 0, vec->n_children * sizeof *counts);
  for (int64_t i = 0; i < n; i++) {
    if (!skep_vec_is_valid(vec, i)) {
      tags[i] = 0;
      offsets[i] = 0;
      continue;
    }
    int32_t at = counts[tags[i]]++;
    rows[starts[tags[i]] + at] = offsets[i];
    offsets[i] = at;
  }
}

static skep_status select_union(skep_vec *vec, const selection *s, skep_err *err) {
  int32_t *rows = skep_alloc(vec->ctx, ((size_t)s->n + 1) * sizeof *rows), counts[128] = {0};
  if (rows == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory to select %lld rows", (long long)s->n);
  select_fixed(vec->values.data, 1, s);
  select_fixed(vec->offsets.data, sizeof(int32_t), s);
  select_union_offsets(vec, s->n, rows, counts);
  skep_status st = SKEP_OK;
  const int32_t *at = rows;
  for (uint32_t c = 0; c < vec->n_children && st == SKEP_OK; c++) {
    st = skep_vec_select(&vec->children[c], at, counts[c], err);
    at += counts[c];
  }
  skep_release(vec->ctx, rows);
  return st;
}

/* ---- the tree ---- */

static skep_status select_content(skep_vec *vec, const selection *s, skep_err *err) {
  switch (vec->form) {
    case SKEP_FORM_BOOL_BITS:
      select_bits(vec->values.data, vec->length, s);
      break;
    case SKEP_FORM_STR:
      select_strings(vec, s);
      break;
    case SKEP_FORM_LIST:
      return select_list(vec, s, err);
    case SKEP_FORM_STRUCT:
      for (uint32_t i = 0; i < vec->n_children; i++) SKEP_TRY(select_node(&vec->children[i], s, err));
      break;
    case SKEP_FORM_UNION:
      return select_union(vec, s, err);
    default:
      select_fixed(vec->values.data, skep_form_width(vec->form), s);
      break;
  }
  return SKEP_OK;
}

static skep_status select_node(skep_vec *vec, const selection *s, skep_err *err) {
  assert(s->n <= vec->length);
  if (s->n == vec->length) return SKEP_OK;
  select_validity(vec, s);
  skep_status st = select_content(vec, s, err);
  vec->length = s->n;
  return st;
}

/* Rows ascend strictly, so 64 of them are consecutive when the first and the last differ by 63. */
static size_t make_runs(const int32_t *rows, int64_t n, run *runs) {
  size_t n_runs = 0;
  for (int64_t i = 0; i < n;) {
    int64_t start = i, first = rows[i];
    while (i + 64 <= n && rows[i + 63] - first == i + 63 - start) i += 64;
    while (i < n && rows[i] - first == i - start) i++;
    runs[n_runs++] = (run){rows[start], (int32_t)(i - start)};
  }
  return n_runs;
}

skep_status skep_vec_select_columns(skep_vec *columns, uint32_t n_columns, const int32_t *rows, int64_t n_rows,
                                    skep_err *err) {
  if (n_columns == 0 || n_rows == columns[0].length) return SKEP_OK;
  assert(n_rows == 0 || (rows[0] >= 0 && rows[n_rows - 1] < columns[0].length));
  /* There is one run more than gaps between the rows, at most. */
  int64_t gaps = n_rows == 0 ? 0 : rows[n_rows - 1] - rows[0] + 1 - n_rows;
  size_t most = (size_t)(gaps < n_rows ? gaps + 1 : n_rows);
  run *runs = skep_alloc(columns[0].ctx, (most + 1) * sizeof *runs);
  if (runs == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory to select %lld rows", (long long)n_rows);
  selection s = {.runs = runs, .n_runs = make_runs(rows, n_rows, runs), .n = n_rows};
  if (s.n_runs != 0 && n_rows / (int64_t)s.n_runs < SHORT_RUN) s.rows = rows;
  skep_status st = SKEP_OK;
  for (uint32_t i = 0; i < n_columns && st == SKEP_OK; i++) st = select_node(&columns[i], &s, err);
  skep_release(columns[0].ctx, runs);
  return st;
}

skep_status skep_vec_select(skep_vec *vec, const int32_t *rows, int64_t n_rows, skep_err *err) {
  return skep_vec_select_columns(vec, 1, rows, n_rows, err);
}
