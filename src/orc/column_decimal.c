/* Decimal columns.
 *
 * Source: ORC Specification v1, "Decimal Columns". Every value carries a scale of its own (SECONDARY): older writers
 * cut trailing zeros, Hive 0.11 has no scale in the type at all. UNSTABLE-PRE-2.0 files keep decimals of up to 18
 * digits as integer runs in the scale of the type. Values are rescaled to the wanted type here, also when that differs
 * from the file's. */
#include "orc/column.h"
#include "orc/spread.h"
#include "orc/widen.h"

typedef unsigned __int128 u128;

static const uint64_t POWERS[19] = {1,
                                    10,
                                    100,
                                    1000,
                                    10000,
                                    100000,
                                    1000000,
                                    10000000,
                                    100000000,
                                    1000000000,
                                    10000000000,
                                    100000000000,
                                    1000000000000,
                                    10000000000000,
                                    100000000000000,
                                    1000000000000000,
                                    10000000000000000,
                                    100000000000000000,
                                    1000000000000000000};

static skep_i128 power(unsigned n) { /* n <= 38 */
  return n <= 18 ? (skep_i128)POWERS[n]
                 : (skep_i128)POWERS[18] *
                       (n <= 36 ? (skep_i128)POWERS[n - 18] : (skep_i128)POWERS[18] * (skep_i128)POWERS[n - 36]);
}

static skep_status decimal_start(skep_orc_column *c, skep_err *err) {
  (void)err;
  if (c->is_decimal64) {
    skep_rle_int_init(c->ints[0], &c->stream[SKEP_ORC_STREAM_FIRST], true, true);
  } else {
    skep_rle_int_init(c->ints[1], &c->stream[SKEP_ORC_STREAM_SECOND], c->v2, true);
  }
  return SKEP_OK;
}

/* value * 10^up, or divided with rounding half away from zero when up is negative (HiveDecimal). False when it
 * overflows. */
static bool rescale(skep_i128 *value, int64_t up) {
  if (*value == 0 || up == 0) return true;
  if (up > 38) return false;
  if (up > 0) return !__builtin_mul_overflow(*value, power((unsigned)up), value);
  if (up < -38) {
    *value = 0;
    return true;
  }
  skep_i128 divisor = power((unsigned)-up), quotient = *value / divisor, rest = *value % divisor;
  if (rest < 0) rest = -rest;
  if (rest >= divisor - rest) quotient += *value < 0 ? -1 : 1;
  *value = quotient;
  return true;
}

/* Where a value of the wanted type may lie: its digits, and what the form holds. */
static skep_i128 magnitude(const skep_vec *vec) {
  skep_i128 digits = power(vec->type->precision) - 1;
  return digits;
}

static void store(skep_vec *vec, int64_t i, skep_i128 value) {
  switch (vec->form) {
    case SKEP_FORM_I16:
      ((int16_t *)vec->values.data)[i] = (int16_t)value;
      return;
    case SKEP_FORM_I32:
      ((int32_t *)vec->values.data)[i] = (int32_t)value;
      return;
    case SKEP_FORM_I64:
      ((int64_t *)vec->values.data)[i] = (int64_t)value;
      return;
    default:
      ((skep_i128 *)vec->values.data)[i] = value;
  }
}

/* Takes entry i, whose value does not fit, out of the valid ones. */
static skep_status make_null(skep_vec *vec, int64_t i, skep_err *err) {
  if (!vec->has_nulls) {
    SKEP_TRY(skep_vec_need_validity(vec, err));
    vec->has_nulls = true;
    vec->null_count = 0;
  }
  ((uint8_t *)vec->validity.data)[i >> 3] &= (uint8_t) ~(1u << (i & 7));
  vec->null_count++;
  return SKEP_OK;
}

/* Entry by entry: different scales, or values that may not fit. */
static skep_status emit_checked(skep_vec *vec, int64_t n, const skep_i128 *wide, const int64_t *narrow,
                                const int64_t *scales, int64_t one_scale, skep_err *err) {
  skep_i128 most = magnitude(vec);
  int64_t k = 0;
  for (int64_t i = 0; i < n; i++) {
    if (!skep_vec_is_valid(vec, i)) {
      store(vec, i, 0);
      continue;
    }
    skep_i128 value = wide != NULL ? wide[k] : narrow[k];
    int64_t scale = scales != NULL ? scales[k] : one_scale;
    k++;
    if (scale < -100 || scale > 100) scale = scale < 0 ? -100 : 100; /* beyond any digits */
    bool fits = rescale(&value, (int64_t)vec->type->scale - scale) && value <= most && value >= -most;
    store(vec, i, fits ? value : 0);
    if (!fits) SKEP_TRY(make_null(vec, i, err));
  }
  return SKEP_OK;
}

/* Values that all have the wanted scale, narrowed or widened in one loop; false when one has too many digits. */
static bool emit_plain(skep_vec *vec, const int64_t *values, size_t n) {
  skep_i128 most = magnitude(vec);
  int64_t bound = most > INT64_MAX ? INT64_MAX : (int64_t)most, outside = 0;
  if (vec->form == SKEP_FORM_I128) return skep_widen(values, bound, vec->values.data, n);
  for (size_t i = 0; i < n; i++) outside |= (int64_t)((values[i] > bound) | (values[i] < -bound));
  switch (vec->form) {
    case SKEP_FORM_I16:
      for (size_t i = 0; i < n; i++) ((int16_t *)vec->values.data)[i] = (int16_t)values[i];
      break;
    case SKEP_FORM_I32:
      for (size_t i = 0; i < n; i++) ((int32_t *)vec->values.data)[i] = (int32_t)values[i];
      break;
    default:
      memcpy(vec->values.data, values, n * sizeof *values);
  }
  return outside == 0;
}

/* Brings values of at most 18 digits to one scale where that is a multiplication that cannot overflow. */
static bool align(int64_t *values, const int64_t *scales, size_t n, int64_t wanted) {
  uint64_t differ = 0, bad = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t up = (uint64_t)wanted - (uint64_t)scales[i]; /* a scale may be anything: modulo 2^64 */
    differ |= up;
    bad |= (uint64_t)(up > 18);
  }
  if (bad != 0) return false;
  for (size_t i = 0; i < n && differ != 0; i++) {
    int64_t product;
    bad |= (uint64_t)__builtin_mul_overflow(values[i], (int64_t)POWERS[wanted - scales[i]], &product);
  }
  if (bad != 0) return false;
  for (size_t i = 0; i < n && differ != 0; i++) values[i] *= (int64_t)POWERS[wanted - scales[i]];
  return true;
}

/* The same where all values have one scale. */
static bool align_one(int64_t *values, size_t n, int64_t scale, int64_t wanted) {
  if (scale == wanted) return true;
  if (scale > wanted || scale < wanted - 18) return false;
  int64_t factor = (int64_t)POWERS[wanted - scale];
  bool overflow = false;
  for (size_t i = 0; i < n; i++) {
    int64_t product;
    overflow |= __builtin_mul_overflow(values[i], factor, &product);
  }
  for (size_t i = 0; i < n && !overflow; i++) values[i] *= factor;
  return !overflow;
}

/* Values of at most 18 digits; scales NULL: all have one_scale. */
static skep_status emit_narrow(skep_vec *vec, int64_t n, int64_t n_values, int64_t *values, const int64_t *scales,
                               int64_t one_scale, skep_err *err) {
  size_t count = (size_t)n_values;
  int64_t wanted = vec->type->scale;
  bool aligned = scales == NULL ? align_one(values, count, one_scale, wanted) : align(values, scales, count, wanted);
  if (!aligned) return emit_checked(vec, n, NULL, values, scales, one_scale, err);
  if (!emit_plain(vec, values, count)) return emit_checked(vec, n, NULL, values, NULL, wanted, err);
  if (vec->has_nulls) skep_spread(vec->values.data, skep_form_width(vec->form), vec->validity.data, (size_t)n, count);
  return SKEP_OK;
}

/* The scales of a batch: mostly one for all, which is not written out; *scales NULL then. */
static skep_status read_scales(skep_orc_column *c, size_t n, const int64_t **scales, int64_t *one, skep_err *err) {
  size_t same;
  void *scratch;
  *scales = NULL;
  SKEP_TRY(skep_rle_int_next_same(c->ints[1], n, one, &same, err));
  if (same == n) return SKEP_OK;
  SKEP_TRY(skep_orc_column_scratch(c, 1, n, sizeof(int64_t), &scratch, err));
  int64_t *all = scratch;
  for (size_t i = 0; i < same; i++) all[i] = *one;
  *scales = all;
  return skep_rle_int_next(c->ints[1], all + same, n - same, err);
}

static skep_status decimal_next(skep_orc_column *c, skep_vec *vec, int64_t n, int64_t n_values, skep_err *err) {
  size_t count = (size_t)n_values;
  bool narrow = c->is_decimal64 || (c->file->precision <= 18 && !c->own_scale);
  void *values;
  const int64_t *scales;
  int64_t one_scale;
  SKEP_TRY(skep_orc_column_scratch(c, 0, count, narrow ? sizeof(int64_t) : sizeof(skep_i128), &values, err));
  if (c->is_decimal64) {
    SKEP_TRY(skep_rle_int_next(c->ints[0], values, count, err));
    return emit_narrow(vec, n, n_values, values, NULL, c->file->scale, err);
  }
  SKEP_TRY(read_scales(c, count, &scales, &one_scale, err));
  skep_orc_stream *data = &c->stream[SKEP_ORC_STREAM_FIRST];
  if (narrow) {
    SKEP_TRY(skep_varint_next_i64(data, values, count, err));
    return emit_narrow(vec, n, n_values, values, scales, one_scale, err);
  }
  SKEP_TRY(skep_varint_next_i128(data, values, count, err));
  return emit_checked(vec, n, values, NULL, scales, one_scale, err);
}

static skep_status decimal_skip(skep_orc_column *c, uint64_t n_values, skep_err *err) {
  if (c->is_decimal64) return skep_rle_int_skip(c->ints[0], n_values, err);
  SKEP_TRY(skep_varint_skip(&c->stream[SKEP_ORC_STREAM_FIRST], n_values, err));
  return skep_rle_int_skip(c->ints[1], n_values, err);
}

static skep_status decimal_seek(skep_orc_column *c, skep_orc_positions *at, skep_err *err) {
  if (c->is_decimal64) return skep_orc_seek_ints(c->ints[0], at, err);
  SKEP_TRY(skep_orc_seek_stream(&c->stream[SKEP_ORC_STREAM_FIRST], at, err));
  return skep_orc_seek_ints(c->ints[1], at, err);
}

const skep_orc_column_vtab skep_orc_column_decimal = {decimal_start, decimal_next, decimal_skip, decimal_seek};
