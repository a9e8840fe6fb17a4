/* Gathers and writes column statistics.
 *
 * Source: ORC Specification v1, "Column Statistics"; for what it leaves open (cut texts, nanoseconds, NaN) ORC Java's
 * ColumnStatisticsImpl. */
#include "orc/stats_write.h"

#include <math.h>

#include "base/utf8.h"
#include "column/text.h"
#include "orc/writer_pb.h"

void skep_orc_tally_fini(const skep_ctx *ctx, skep_orc_tally *t) {
  skep_release(ctx, t->low.bytes);
  skep_release(ctx, t->high.bytes);
  memset(t, 0, sizeof *t);
}

void skep_orc_tally_reset(skep_orc_tally *t) {
  uint8_t *low = t->low.bytes, *high = t->high.bytes;
  memset(t, 0, sizeof *t);
  t->low.bytes = low;
  t->high.bytes = high;
}

/* ---- gathering ---- */

static void take_ints(skep_orc_tally *t, int64_t least, int64_t most) {
  if (!t->has_ends || least < t->min.i64) t->min.i64 = least;
  if (!t->has_ends || most > t->max.i64) t->max.i64 = most;
  t->has_ends = true;
}

static void add_to_sum(skep_orc_tally *t, int64_t sum) {
  t->sum_is_lost = t->sum_is_lost || __builtin_add_overflow(t->sum, sum, &t->sum);
}

void skep_orc_tally_ints(skep_orc_tally *t, const int64_t *values, size_t n) {
  if (n == 0) return;
  int64_t least = values[0], most = values[0], sum = 0;
  bool lost = false;
  for (size_t i = 0; i < n; i++) {
    least = values[i] < least ? values[i] : least;
    most = values[i] > most ? values[i] : most;
    lost |= __builtin_add_overflow(sum, values[i], &sum);
  }
  take_ints(t, least, most);
  t->sum_is_lost = t->sum_is_lost || lost;
  add_to_sum(t, sum);
  t->count += n;
}

/* NaN is in no minimum or maximum; it shows in the sum. */
static void take_double(skep_orc_tally *t, double v) {
  if (isnan(v)) return;
  if (!t->has_ends || v < t->min.f64) t->min.f64 = v;
  if (!t->has_ends || v > t->max.f64) t->max.f64 = v;
  t->has_ends = true;
}

void skep_orc_tally_doubles(skep_orc_tally *t, const double *values, size_t n) {
  double least = INFINITY, most = -INFINITY, sum = t->sum_f64;
  size_t n_numbers = 0;
  for (size_t i = 0; i < n; i++) { /* comparisons with NaN are false */
    least = values[i] < least ? values[i] : least;
    most = values[i] > most ? values[i] : most;
    n_numbers += values[i] == values[i];
    sum += values[i];
  }
  if (n_numbers != 0) {
    take_double(t, least);
    take_double(t, most);
  }
  t->sum_f64 = sum;
  t->count += n;
}

static void take_decimals(skep_orc_tally *t, skep_i128 least, skep_i128 most) {
  if (!t->has_ends || least < t->min.i128) t->min.i128 = least;
  if (!t->has_ends || most > t->max.i128) t->max.i128 = most;
  t->has_ends = true;
}

void skep_orc_tally_decimals(skep_orc_tally *t, const skep_i128 *values, size_t n) {
  for (size_t i = 0; i < n; i++) {
    take_decimals(t, values[i], values[i]);
    t->sum_is_lost = t->sum_is_lost || __builtin_add_overflow(t->sum_i128, values[i], &t->sum_i128);
  }
  t->count += n;
}

void skep_orc_tally_narrow_decimals(skep_orc_tally *t, const int64_t *values, size_t n) {
  if (n == 0) return;
  int64_t least = values[0], most = values[0];
  skep_i128 sum = 0;
  for (size_t i = 0; i < n; i++) {
    least = values[i] < least ? values[i] : least;
    most = values[i] > most ? values[i] : most;
    sum += values[i];
  }
  take_decimals(t, least, most);
  t->sum_is_lost = t->sum_is_lost || __builtin_add_overflow(t->sum_i128, sum, &t->sum_i128);
  t->count += n;
}

static bool is_before(skep_ts a, skep_ts b) {
  return a.seconds != b.seconds ? a.seconds < b.seconds : a.nanos < b.nanos;
}

static void take_times(skep_orc_tally *t, skep_ts least, skep_ts most) {
  if (!t->has_ends || is_before(least, t->min.ts)) t->min.ts = least;
  if (!t->has_ends || is_before(t->max.ts, most)) t->max.ts = most;
  t->has_ends = true;
}

void skep_orc_tally_times(skep_orc_tally *t, const skep_ts *values, size_t n) {
  size_t low = 0, high = 0;
  if (n == 0) return;
  for (size_t i = 1; i < n; i++) {
    if (is_before(values[i], values[low])) low = i;
    if (is_before(values[high], values[i])) high = i;
  }
  take_times(t, values[low], values[high]);
  t->count += n;
}

/* ---- texts ---- */

static int compare(skep_bytes a, const skep_orc_text_end *b) {
  size_t n = a.left < b->size ? a.left : b->size;
  int order = n == 0 ? 0 : memcmp(a.at, b->bytes, n);
  return order != 0 ? order : (a.left > b->size) - (a.left < b->size);
}

/* The longest part from the start that is UTF-8 and no longer than a kept text may be. */
static size_t sound_prefix(skep_bytes value) {
  size_t most = value.left < SKEP_ORC_MAX_STATS_TEXT ? value.left : SKEP_ORC_MAX_STATS_TEXT;
  return skep_utf8_valid_length(value.at, most);
}

static skep_status set_end(const skep_ctx *ctx, skep_orc_text_end *end, skep_bytes value, size_t size, skep_err *err) {
  if (end->bytes == NULL) end->bytes = skep_alloc(ctx, SKEP_ORC_MAX_STATS_TEXT);
  if (end->bytes == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "statistics of %d bytes", SKEP_ORC_MAX_STATS_TEXT);
  if (size != 0) memcpy(end->bytes, value.at, size);
  end->size = (uint32_t)size;
  end->is_bound = size != value.left;
  return SKEP_OK;
}

/* Replaces the last character that has one by its successor: above all texts that start with `end`. Characters keep
 * their length, or there is none. */
static bool raise(skep_orc_text_end *end) {
  while (end->size != 0) {
    uint32_t at = end->size - 1;
    while (at > 0 && (end->bytes[at] & 0xc0) == 0x80) at--;
    uint32_t n = end->size - at, lead = end->bytes[at];
    uint32_t code = n == 1 ? lead : n == 2 ? lead & 0x1f : n == 3 ? lead & 0xf : lead & 7;
    for (uint32_t i = 1; i < n; i++) code = code << 6 | (end->bytes[at + i] & 0x3f);
    static const uint32_t last[5] = {0, 0x7f, 0x7ff, 0xffff, 0x10ffff};
    if (code != last[n]) {
      code = code == 0xd7ff ? 0xe000 : code + 1; /* surrogates are no characters */
      for (uint32_t i = n; i-- > 1; code >>= 6) end->bytes[at + i] = (uint8_t)(0x80 | (code & 0x3f));
      end->bytes[at] = (uint8_t)(n == 1 ? code : (0xf00u >> n & 0xff) | code);
      return true;
    }
    end->size = at;
  }
  return false;
}

static skep_status take_low(const skep_ctx *ctx, skep_orc_tally *t, skep_bytes value, skep_err *err) {
  if (t->has_ends && compare(value, &t->low) >= 0) return SKEP_OK;
  return set_end(ctx, &t->low, value, sound_prefix(value), err);
}

static skep_status take_high(const skep_ctx *ctx, skep_orc_tally *t, skep_bytes value, skep_err *err) {
  if (t->high_is_lost || (t->has_ends && compare(value, &t->high) <= 0)) return SKEP_OK;
  SKEP_TRY(set_end(ctx, &t->high, value, sound_prefix(value), err));
  if (t->high.is_bound) t->high_is_lost = !raise(&t->high);
  return SKEP_OK;
}

static skep_status take_texts(const skep_ctx *ctx, skep_orc_tally *t, skep_bytes low, skep_bytes high, skep_err *err) {
  SKEP_TRY(take_low(ctx, t, low, err));
  SKEP_TRY(take_high(ctx, t, high, err));
  t->has_ends = true;
  return SKEP_OK;
}

static bool is_less(skep_bytes a, skep_bytes b) {
  size_t n = a.left < b.left ? a.left : b.left;
  int order = n == 0 ? 0 : memcmp(a.at, b.at, n);
  return order != 0 ? order < 0 : a.left < b.left;
}

/* The first eight bytes as a number that sorts as they do, zeros behind a shorter value. */
static uint64_t prefix_of(skep_bytes v) {
  if (v.left >= 8) return skep_load_be64(v.at);
  uint64_t prefix = 0;
  if (v.left >= 4) {
    prefix = (uint64_t)skep_load_be32(v.at) << 32 | (uint64_t)skep_load_be32(v.at + v.left - 4) << (8 * (8 - v.left));
  } else if (v.left != 0) {
    prefix = (uint64_t)v.at[0] << 56 | (uint64_t)v.at[v.left / 2] << (56 - 8 * (v.left / 2)) |
             (uint64_t)v.at[v.left - 1] << (56 - 8 * (v.left - 1));
  }
  return prefix;
}

void skep_orc_tally_text_sizes(skep_orc_tally *t, const skep_bytes *values, size_t n) {
  int64_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += (int64_t)values[i].left;
  add_to_sum(t, sum);
  t->count += n;
}

skep_status skep_orc_tally_text_ends(const skep_ctx *ctx, skep_orc_tally *t, const skep_bytes *values, size_t n,
                                     skep_err *err) {
  if (n == 0) return SKEP_OK;
  size_t low = 0, high = 0;
  uint64_t low_prefix = prefix_of(values[0]), high_prefix = low_prefix;
  for (size_t i = 1; i < n; i++) {
    uint64_t prefix = prefix_of(values[i]);
    if (prefix <= low_prefix && (prefix < low_prefix || is_less(values[i], values[low]))) low = i, low_prefix = prefix;
    if (prefix >= high_prefix && (prefix > high_prefix || is_less(values[high], values[i])))
      high = i, high_prefix = prefix;
  }
  return take_texts(ctx, t, values[low], values[high], err);
}

/* ---- merging ---- */

static skep_status merge_texts(const skep_ctx *ctx, skep_orc_tally *into, const skep_orc_tally *from, skep_err *err) {
  bool high_was_lost = into->high_is_lost || from->high_is_lost;
  skep_bytes low = {from->low.bytes, from->low.size}, high = {from->high.bytes, from->high.size};
  bool new_low = !into->has_ends || compare(low, &into->low) < 0;
  bool new_high = !into->has_ends || compare(high, &into->high) > 0;
  /* A bound is UTF-8 and short enough: taking it over cuts nothing, so that what it is has to be carried along. */
  SKEP_TRY(take_texts(ctx, into, low, high, err));
  if (new_low) into->low.is_bound = from->low.is_bound;
  if (new_high) into->high.is_bound = from->high.is_bound;
  into->high_is_lost = high_was_lost;
  return SKEP_OK;
}

skep_status skep_orc_tally_merge(const skep_ctx *ctx, skep_orc_tally *into, const skep_orc_tally *from,
                                 const skep_type *type, skep_err *err) {
  into->count += from->count;
  into->has_null = into->has_null || from->has_null;
  into->bytes_on_disk += from->bytes_on_disk;
  into->ends_are_lost = into->ends_are_lost || from->ends_are_lost;
  into->sum_f64 += from->sum_f64;
  into->sum_is_lost =
      into->sum_is_lost || from->sum_is_lost || __builtin_add_overflow(into->sum_i128, from->sum_i128, &into->sum_i128);
  add_to_sum(into, from->sum);
  if (!from->has_ends) return SKEP_OK;
  switch (type->kind) {
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      take_double(into, from->min.f64);
      take_double(into, from->max.f64);
      return SKEP_OK;
    case SKEP_DECIMAL:
      take_decimals(into, from->min.i128, from->max.i128);
      return SKEP_OK;
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      take_times(into, from->min.ts, from->max.ts);
      return SKEP_OK;
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
      return merge_texts(ctx, into, from, err);
    default:
      take_ints(into, from->min.i64, from->max.i64);
      return SKEP_OK;
  }
}

/* ---- writing ---- */

static bool says_ends(const skep_orc_tally *t) { return t->has_ends && !t->ends_are_lost; }

static void write_decimal(skep_buf *out, uint32_t field, skep_i128 v, unsigned scale) {
  skep_buf text;
  skep_buf_init(&text, out->ctx, 64);
  skep_text_decimal(v, scale, true, &text);
  skep_pb_message(out, field, &text);
  skep_buf_fini(&text);
}

/* Rounded down to the millisecond; the rest follows apart. */
static bool millis_of(skep_ts ts, int64_t *out) {
  return !__builtin_mul_overflow(ts.seconds, 1000, out) && !__builtin_add_overflow(*out, ts.nanos / 1000000, out);
}

/* Nanoseconds below the millisecond stand plus one, and not at all where they are the end of it (ORC-611). */
static void write_times(const skep_orc_tally *t, skep_buf *out) {
  int64_t least, most;
  if (!says_ends(t) || !millis_of(t->min.ts, &least) || !millis_of(t->max.ts, &most)) return;
  int32_t below_min = t->min.ts.nanos % 1000000, below_max = t->max.ts.nanos % 1000000;
  skep_pb_sint(out, 3, least);
  skep_pb_sint(out, 4, most);
  if (below_min != 0) skep_pb_uint(out, 5, (uint64_t)below_min + 1);
  if (below_max != 999999) skep_pb_uint(out, 6, (uint64_t)below_max + 1);
}

static void write_ints(const skep_orc_tally *t, skep_buf *out) {
  if (says_ends(t)) {
    skep_pb_sint(out, 1, t->min.i64);
    skep_pb_sint(out, 2, t->max.i64);
  }
  if (!t->sum_is_lost) skep_pb_sint(out, 3, t->sum);
}

static void write_doubles(const skep_orc_tally *t, skep_buf *out) {
  if (says_ends(t)) {
    skep_pb_double(out, 1, t->min.f64);
    skep_pb_double(out, 2, t->max.f64);
  }
  skep_pb_double(out, 3, t->sum_f64);
}

static void write_texts(const skep_orc_tally *t, skep_buf *out) {
  if (says_ends(t)) {
    skep_pb_bytes(out, t->low.is_bound ? 4 : 1, t->low.bytes, t->low.size);
    skep_pb_bytes(out, t->high.is_bound ? 5 : 2, t->high.bytes, t->high.size);
  }
  if (!t->sum_is_lost) skep_pb_sint(out, 3, t->sum);
}

static void write_decimals(const skep_orc_tally *t, const skep_type *type, skep_buf *out) {
  if (says_ends(t)) {
    write_decimal(out, 1, t->min.i128, type->scale);
    write_decimal(out, 2, t->max.i128, type->scale);
  }
  skep_i128 most = 1;
  for (unsigned i = 0; i < 38; i++) most *= 10;
  if (!t->sum_is_lost && t->sum_i128 < most && t->sum_i128 > -most) write_decimal(out, 3, t->sum_i128, type->scale);
}

/* The message of the kind into `out`; its field in ColumnStatistics, or 0 when the kind has none. */
static uint32_t write_values(const skep_orc_tally *t, const skep_type *type, skep_buf *out) {
  switch (type->kind) {
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
      write_ints(t, out);
      return 2;
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      write_doubles(t, out);
      return 3;
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
      write_texts(t, out);
      return t->high_is_lost || t->ends_are_lost ? 0 : 4; /* a minimum alone would read as "no values" to Java */
    case SKEP_BOOLEAN: {                                  /* packed */
      if (t->sum_is_lost) return 0;
      uint64_t n_true = (uint64_t)t->sum;
      skep_buf packed;
      skep_buf_init(&packed, out->ctx, 16);
      skep_pb_varint(&packed, n_true);
      skep_pb_message(out, 1, &packed);
      skep_buf_fini(&packed);
      return 5;
    }
    case SKEP_DECIMAL:
      write_decimals(t, type, out);
      return 6;
    case SKEP_DATE:
      if (says_ends(t)) skep_pb_sint(out, 1, t->min.i64), skep_pb_sint(out, 2, t->max.i64);
      return 7;
    case SKEP_BINARY:
      if (!t->sum_is_lost) skep_pb_sint(out, 1, t->sum);
      return 8;
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      write_times(t, out);
      return 9;
    case SKEP_LIST:
    case SKEP_MAP:
      if (says_ends(t)) skep_pb_uint(out, 1, (uint64_t)t->min.i64), skep_pb_uint(out, 2, (uint64_t)t->max.i64);
      if (t->sum_is_lost) return 0;
      skep_pb_uint(out, 3, (uint64_t)t->sum);
      return 12;
    default:
      return 0;
  }
}

void skep_orc_tally_write(const skep_orc_tally *t, const skep_type *type, skep_buf *scratch, skep_buf *out) {
  skep_buf_reset(scratch);
  skep_pb_uint(out, 1, t->count);
  uint32_t field = write_values(t, type, scratch);
  if (field != 0) skep_pb_message(out, field, scratch);
  if (scratch->status != SKEP_OK && out->status == SKEP_OK) out->status = scratch->status;
  skep_pb_uint(out, 10, t->has_null ? 1 : 0);
  if (t->bytes_on_disk != 0) skep_pb_uint(out, 11, t->bytes_on_disk);
}
