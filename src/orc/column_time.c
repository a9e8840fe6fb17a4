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

/* The low 3 bits count the decimal zeros that were cut off, less one; 0: none. */
static skep_status unpack_nanos(const skep_orc_column *c, int64_t *nanos, size_t n, skep_err *err) {
  static const uint32_t POWERS[8] = {1, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
  uint64_t bad = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t packed = (uint64_t)nanos[i], rest = packed >> 3;
    uint64_t value = (rest & UINT32_MAX) * POWERS[packed & 7];
    bad |= (rest >> 32) | (uint64_t)(value > 999999999);
    nanos[i] = (int64_t)value;
  }
  if (bad == 0) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_CORRUPT, "column %u: nanoseconds above 999999999", c->file->id);
}

static int64_t add(int64_t a, int64_t b) {
  return (int64_t)((uint64_t)a + (uint64_t)b);
} /* nonsense wraps, not undefined */

/* Seconds in the file -> seconds of the wall clock, read as if UTC, in the proleptic calendar. */
static void resolve_seconds(const skep_orc_column *c, int64_t *seconds, const int64_t *nanos, size_t n) {
  const skep_timezone *zone = c->file->kind == SKEP_TIMESTAMP ? c->env->zone : NULL;
  int64_t base = ORC_EPOCH, least = INT64_MAX;
  if (zone != NULL) base -= skep_timezone_offset_local(zone, ORC_EPOCH);
  for (size_t i = 0; i < n; i++) {
    int64_t at = add(seconds[i], base);
    /* Writers rounded seconds before 1970 towards zero, and still do: a fraction of a millisecond or more says one
     * second less. */
    at -= (int64_t)((at < 0) & (nanos[i] > 999999));
    seconds[i] = at;
  }
  skep_timezone_range near = {0};
  for (size_t i = 0; zone != NULL && i < n; i++)
    seconds[i] = add(seconds[i], skep_timezone_offset_near(zone, &near, seconds[i]));
  if (!c->env->hybrid) return;
  for (size_t i = 0; i < n; i++) least = seconds[i] < least ? seconds[i] : least;
  if (least >= (int64_t)SKEP_GREGORIAN_START_DAY * DAY) return;
  for (size_t i = 0; i < n; i++) {
    int64_t day = seconds[i] / DAY, rest = seconds[i] % DAY;
    if (rest < 0) day--, rest += DAY;
    seconds[i] = skep_days_hybrid_to_proleptic(day) * DAY + rest;
  }
}

static void emit_ts(const int64_t *seconds, const int64_t *nanos, skep_ts *out, size_t n) {
  for (size_t i = 0; i < n; i++) out[i] = (skep_ts){.seconds = seconds[i], .nanos = (int32_t)nanos[i]};
}

/* Units of a second in 64 bits; false at the first value that does not fit (*at). */
static bool emit_units(const int64_t *seconds, const int64_t *nanos, int64_t *out, size_t n, int64_t per_second,
                       size_t *at) {
  int64_t divisor = 1000000000 / per_second;
  bool fits = true;
  for (size_t i = 0; i < n; i++) {
    /* Below zero, the whole seconds alone may not fit where the sum does: count from the second after. */
    int64_t whole = seconds[i], part = nanos[i] / divisor, value = 0;
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

static skep_status timestamp_next(skep_orc_column *c, skep_vec *vec, int64_t n, int64_t n_values, skep_err *err) {
  void *scratch[2];
  size_t count = (size_t)n_values, at;
  for (int i = 0; i < 2; i++) SKEP_TRY(skep_orc_column_scratch(c, i, count, sizeof(int64_t), &scratch[i], err));
  int64_t *seconds = scratch[0], *nanos = scratch[1];
  SKEP_TRY(skep_rle_int_next(c->ints[0], seconds, count, err));
  SKEP_TRY(skep_rle_int_next(c->ints[1], nanos, count, err));
  SKEP_TRY(unpack_nanos(c, nanos, count, err));
  resolve_seconds(c, seconds, nanos, count);
  if (vec->form == SKEP_FORM_TS) {
    emit_ts(seconds, nanos, vec->values.data, count);
  } else if (!emit_units(seconds, nanos, vec->values.data, count, vec->form == SKEP_FORM_TS_US ? 1000000 : 1000000000,
                         &at)) {
    return does_not_fit(c, seconds[at], nanos[at], vec->form == SKEP_FORM_TS_US ? "microseconds" : "nanoseconds", err);
  }
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
