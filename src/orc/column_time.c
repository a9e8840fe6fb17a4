/* Date and timestamp columns.
 *
 * Source: ORC Specification v1, "Timestamp Columns"; ORC Java TimestampTreeReader and the C++ reader for the rule on
 * seconds before 1970 (docs/deviations.md#timestamps). */
#include "orc/column.h"
#include "orc/spread.h"

enum { DAY = 86400, ORC_EPOCH = 1420070400 /* 2015-01-01 00:00:00 as if UTC */ };

/* ---- date: days ---- */

static skep_status date_start(skep_orc_column *c, skep_err *err) {
  (void)err;
  skep_rle_int_init(c->ints[0], &c->stream[SKEP_ORC_STREAM_FIRST], c->v2, true);
  return SKEP_OK;
}

static skep_status date_next(skep_orc_column *c, skep_vec *vec, int64_t n, int64_t n_values, skep_err *err) {
  int32_t *days = vec->values.data;
  SKEP_TRY(skep_rle_int_next_i32(c->ints[0], days, (size_t)n_values, err));
  if (c->env->hybrid) {
    int32_t least = INT32_MAX;
    for (int64_t i = 0; i < n_values; i++) least = days[i] < least ? days[i] : least;
    for (int64_t i = 0; i < n_values && least < SKEP_GREGORIAN_START_DAY; i++)
      days[i] = (int32_t)skep_days_hybrid_to_proleptic(days[i]);
  }
  if (vec->has_nulls) skep_spread(days, sizeof *days, vec->validity.data, (size_t)n, (size_t)n_values);
  return SKEP_OK;
}

static skep_status date_skip(skep_orc_column *c, uint64_t n_values, skep_err *err) {
  return skep_rle_int_skip(c->ints[0], n_values, err);
}

static skep_status date_seek(skep_orc_column *c, skep_orc_positions *at, skep_err *err) {
  return skep_orc_seek_ints(c->ints[0], at, err);
}

const skep_orc_column_vtab skep_orc_column_date = {date_start, date_next, date_skip, date_seek};

/* ---- timestamp: seconds since 2015 and nanoseconds ---- */

static skep_status timestamp_start(skep_orc_column *c, skep_err *err) {
  (void)err;
  skep_rle_int_init(c->ints[0], &c->stream[SKEP_ORC_STREAM_FIRST], c->v2, true);
  skep_rle_int_init(c->ints[1], &c->stream[SKEP_ORC_STREAM_SECOND], c->v2, false);
  return SKEP_OK;
}

static int64_t add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
} /* nonsense wraps, not undefined */

/* The low 3 bits count the decimal zeros that were cut off, less one; 0: none. Negative where Arrow's writer rounded
 * the second before 1970 up. */
static inline int64_t unpack_nanos(int64_t packed) {
  static const int32_t POWERS[8] = {1, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  return (int64_t)(int32_t)(packed >> 3) * POWERS[packed & 7];
}

static inline uint64_t nanos_are_bad(int64_t packed, int64_t nanos) {
  return (uint64_t)((packed >> 3) != (int32_t)(packed >> 3)) | (uint64_t)(nanos > 999999999) |
         (uint64_t)(nanos < -999999999);
}

/* Writers rounded seconds before 1970 towards zero, and still do: a millisecond or more besides says one second less.
 * So do nanoseconds below zero, which then count from the second before. */
static inline int64_t second_of(int64_t stored, int64_t base, int64_t nanos) {
  int64_t at = add(stored, base);
  return at - (int64_t)((nanos < 0) | ((at < 0) & (nanos > 999999)));
}

static skep_status bad_nanos(const skep_orc_column *c, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "column %u: nanoseconds above 999999999", c->file->id);
}

/* Seconds and packed nanoseconds of the file -> points in time; *least is the smallest second. False: nanoseconds out
 * of range. */
static bool combine(const int64_t *restrict stored, const int64_t *restrict packed, skep_ts *restrict out, size_t n,
                    int64_t base, int64_t *least) {
  uint64_t bad = 0;
  int64_t smallest = INT64_MAX;
  for (size_t i = 0; i < n; i++) {
    int64_t nanos = unpack_nanos(packed[i]);
    int64_t second = second_of(stored[i], base, nanos);
    bad |= nanos_are_bad(packed[i], nanos);
    smallest = second < smallest ? second : smallest;
    out[i] = (skep_ts){.seconds = second, .nanos = (int32_t)(nanos + (nanos < 0 ? 1000000000 : 0))};
  }
  *least = smallest;
  return bad == 0;
}

/* Instants -> wall clock of the writer, read as if UTC. */
static void to_wall_clock(const skep_timezone *zone, skep_ts *ts, size_t n) {
  skep_timezone_range near = {0};
  for (size_t i = 0; i < n; i++)
    ts[i].seconds = add(ts[i].seconds, skep_timezone_offset_near(zone, &near, ts[i].seconds));
}

static void to_proleptic(skep_ts *ts, size_t n) {
  for (size_t i = 0; i < n; i++) {
    int64_t day = ts[i].seconds / DAY, rest = ts[i].seconds % DAY;
    if (rest < 0) day--, rest += DAY;
    ts[i].seconds = skep_days_hybrid_to_proleptic(day) * DAY + rest;
  }
}

/* Units of a second in 64 bits; false at the first value that does not fit (*at). */
static bool emit_units(const skep_ts *ts, int64_t *out, size_t n, int64_t per_second, size_t *at) {
  int64_t divisor = 1000000000 / per_second;
  bool fits = true;
  for (size_t i = 0; i < n; i++) {
    /* Below zero, the whole seconds alone may not fit where the sum does: count from the second after. */
    int64_t whole = ts[i].seconds, part = ts[i].nanos / divisor, value = 0;
    if (whole < 0) whole++, part -= per_second;
    bool ok = !__builtin_mul_overflow(whole, per_second, &value) && !__builtin_add_overflow(value, part, &value);
    if (!ok && fits) *at = i;
    fits = fits && ok;
    out[i] = value;
  }
  return fits;
}

static skep_status does_not_fit(const skep_orc_column *c, int64_t seconds, int64_t nanos, const char *unit,
                                skep_err *err) {
  int64_t day = seconds / DAY, rest = seconds % DAY;
  if (rest < 0) day--, rest += DAY;
  skep_civil date = skep_civil_from_days(day);
  return skep_fail(err, SKEP_ERR_RANGE,
                   "column %u: timestamp %04lld-%02d-%02d %02d:%02d:%02d.%09d does not fit 64-bit %s", c->file->id,
                   (long long)date.year, date.month, date.day, (int)(rest / 3600), (int)(rest / 60 % 60),
                   (int)(rest % 60), (int)nanos, unit);
}

/* The points in time of the next values, into ts. */
static skep_status read_timestamps(skep_orc_column *c, skep_ts *ts, size_t n, skep_err *err) {
  const skep_timezone *zone = c->file->kind == SKEP_TIMESTAMP ? c->env->zone : NULL;
  void *seconds, *nanos;
  int64_t base = ORC_EPOCH, least;
  SKEP_TRY(skep_orc_column_scratch(c, 0, n, sizeof(int64_t), &seconds, err));
  SKEP_TRY(skep_orc_column_scratch(c, 1, n, sizeof(int64_t), &nanos, err));
  SKEP_TRY(skep_rle_int_next(c->ints[0], seconds, n, err));
  SKEP_TRY(skep_rle_int_next(c->ints[1], nanos, n, err));
  if (zone != NULL) base -= skep_timezone_offset_local(zone, ORC_EPOCH);
  if (!combine(seconds, nanos, ts, n, base, &least)) return bad_nanos(c, err);
  if (zone != NULL) to_wall_clock(zone, ts, n);
  /* A zone moves by less than a day. */
  if (c->env->hybrid && least < (int64_t)(SKEP_GREGORIAN_START_DAY + 1) * DAY) to_proleptic(ts, n);
  return SKEP_OK;
}

static skep_status timestamp_next(skep_orc_column *c, skep_vec *vec, int64_t n, int64_t n_values, skep_err *err) {
  size_t count = (size_t)n_values, at;
  void *wide = vec->values.data;
  if (vec->form != SKEP_FORM_TS) SKEP_TRY(skep_orc_column_scratch(c, 2, count, sizeof(skep_ts), &wide, err));
  skep_ts *ts = wide;
  SKEP_TRY(read_timestamps(c, ts, count, err));
  bool us = vec->form == SKEP_FORM_TS_US;
  if (vec->form != SKEP_FORM_TS && !emit_units(ts, vec->values.data, count, us ? 1000000 : 1000000000, &at))
    return does_not_fit(c, ts[at].seconds, ts[at].nanos, us ? "microseconds" : "nanoseconds", err);
  if (vec->has_nulls) skep_spread(vec->values.data, skep_form_width(vec->form), vec->validity.data, (size_t)n, count);
  return SKEP_OK;
}

static skep_status timestamp_skip(skep_orc_column *c, uint64_t n_values, skep_err *err) {
  SKEP_TRY(skep_rle_int_skip(c->ints[0], n_values, err));
  return skep_rle_int_skip(c->ints[1], n_values, err);
}

static skep_status timestamp_seek(skep_orc_column *c, skep_orc_positions *at, skep_err *err) {
  SKEP_TRY(skep_orc_seek_ints(c->ints[0], at, err));
  return skep_orc_seek_ints(c->ints[1], at, err);
}

const skep_orc_column_vtab skep_orc_column_timestamp = {timestamp_start, timestamp_next, timestamp_skip,
                                                        timestamp_seek};
