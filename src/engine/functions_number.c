/* Arithmetic of integers and floating point as Java does it: integers wrap around, division by zero is NULL,
 * conversions of doubles saturate. */
#include <float.h>
#include <math.h>

#include "engine/function.h"

/* ---- + - * and the sign: two's complement, in the type's own width ---- */

#define WRAP_BINARY(name, type, wide, op)                                         \
  static skep_status name(skep_call *c, skep_err *err) {                          \
    const type *a = c->data[0], *b = c->data[1];                                  \
    type *out = c->out_data;                                                      \
    (void)err;                                                                    \
    for (int64_t i = 0; i < c->n; i++) out[i] = (type)((wide)a[i] op(wide) b[i]); \
    return SKEP_OK;                                                               \
  }
#define WRAP_ALL(type, wide)             \
  WRAP_BINARY(add_##type, type, wide, +) \
  WRAP_BINARY(sub_##type, type, wide, -) \
  WRAP_BINARY(mul_##type, type, wide, *)
WRAP_ALL(int8_t, uint32_t)
WRAP_ALL(int16_t, uint32_t)
WRAP_ALL(int32_t, uint32_t)
WRAP_ALL(int64_t, uint64_t)

#define NEGATE(type, wide)                                              \
  static skep_status neg_##type(skep_call *c, skep_err *err) {          \
    const type *a = c->data[0];                                         \
    type *out = c->out_data;                                            \
    (void)err;                                                          \
    for (int64_t i = 0; i < c->n; i++) out[i] = (type)(0 - (wide)a[i]); \
    return SKEP_OK;                                                     \
  }
NEGATE(int8_t, uint32_t)
NEGATE(int16_t, uint32_t)
NEGATE(int32_t, uint32_t)
NEGATE(int64_t, uint64_t)

/* ---- % and pmod: NULL for 0 ---- */

#define MODULO(type, wide)                                                                                     \
  static skep_status mod_##type(skep_call *c, skep_err *err) {                                                 \
    const type *a = c->data[0], *b = c->data[1];                                                               \
    type *out = c->out_data;                                                                                   \
    (void)err;                                                                                                 \
    for (int64_t i = 0; i < c->n; i++) {                                                                       \
      if (!skep_row_valid(c, i)) continue;                                                                     \
      if (b[i] == 0) {                                                                                         \
        skep_call_set_null(c, i);                                                                              \
      } else {                                                                                                 \
        out[i] = b[i] == -1 ? 0 : (type)(a[i] % b[i]);                                                         \
      }                                                                                                        \
    }                                                                                                          \
    return SKEP_OK;                                                                                            \
  }                                                                                                            \
  static skep_status pmod_##type(skep_call *c, skep_err *err) {                                                \
    const type *a = c->data[0], *b = c->data[1];                                                               \
    type *out = c->out_data;                                                                                   \
    (void)err;                                                                                                 \
    for (int64_t i = 0; i < c->n; i++) {                                                                       \
      if (!skep_row_valid(c, i)) continue;                                                                     \
      if (b[i] == 0) {                                                                                         \
        skep_call_set_null(c, i);                                                                              \
        continue;                                                                                              \
      }                                                                                                        \
      type rest = b[i] == -1 ? 0 : (type)(a[i] % b[i]);                                                        \
      wide sum = (wide)((uint64_t)rest + (uint64_t)b[i]); /* Java: (a % b + b) % b in int or long, wrapping */ \
      out[i] = b[i] == -1 ? 0 : (type)(sum % (wide)b[i]);                                                      \
    }                                                                                                          \
    return SKEP_OK;                                                                                            \
  }
MODULO(int8_t, int32_t)
MODULO(int16_t, int32_t)
MODULO(int32_t, int32_t)
MODULO(int64_t, int64_t)

#define FLOAT_MODULO(type, mod)                                        \
  static skep_status mod_##type(skep_call *c, skep_err *err) {         \
    const type *a = c->data[0], *b = c->data[1];                       \
    type *out = c->out_data;                                           \
    (void)err;                                                         \
    for (int64_t i = 0; i < c->n; i++) {                               \
      out[i] = mod(a[i], b[i]);                                        \
      if (b[i] == 0 && skep_row_valid(c, i)) skep_call_set_null(c, i); \
    }                                                                  \
    return SKEP_OK;                                                    \
  }                                                                    \
  static skep_status pmod_##type(skep_call *c, skep_err *err) {        \
    const type *a = c->data[0], *b = c->data[1];                       \
    type *out = c->out_data;                                           \
    (void)err;                                                         \
    for (int64_t i = 0; i < c->n; i++) {                               \
      out[i] = mod(mod(a[i], b[i]) + b[i], b[i]);                      \
      if (b[i] == 0 && skep_row_valid(c, i)) skep_call_set_null(c, i); \
    }                                                                  \
    return SKEP_OK;                                                    \
  }
FLOAT_MODULO(double, fmod)
FLOAT_MODULO(float, fmodf)

/* ---- division ---- */

static skep_status div_double(skep_call *c, skep_err *err) {
  const double *a = c->data[0], *b = c->data[1];
  double *out = c->out_data;
  (void)err;
  for (int64_t i = 0; i < c->n; i++) {
    out[i] = a[i] / b[i];
    if (b[i] == 0 && skep_row_valid(c, i)) skep_call_set_null(c, i);
  }
  return SKEP_OK;
}

/* DIV has no check in Hive: its rows fail with Java's own words. */
static skep_status intdiv(skep_call *c, skep_err *err) {
  const int64_t *a = c->data[0], *b = c->data[1];
  int64_t *out = c->out_data;
  for (int64_t i = 0; i < c->n; i++) {
    if (!skep_row_valid(c, i)) continue;
    if (b[i] == 0) return skep_fail(err, SKEP_ERR_RUNTIME, "/ by zero");
    out[i] = b[i] == -1 ? (int64_t)(0 - (uint64_t)a[i]) : a[i] / b[i];
  }
  return SKEP_OK;
}

/* ---- conversions ---- */

#define WRAP_TO(name, type)                                           \
  static skep_status name(skep_call *c, skep_err *err) {              \
    const int64_t *a = c->data[0];                                    \
    type *out = c->out_data;                                          \
    (void)err;                                                        \
    for (int64_t i = 0; i < c->n; i++) out[i] = (type)(uint64_t)a[i]; \
    return SKEP_OK;                                                   \
  }
WRAP_TO(wrap_i8, int8_t)
WRAP_TO(wrap_i16, int16_t)
WRAP_TO(wrap_i32, int32_t)

static skep_status wrap_i64(skep_call *c, skep_err *err) {
  const skep_huge *a = c->data[0];
  int64_t *out = c->out_data;
  (void)err;
  for (int64_t i = 0; i < c->n; i++) out[i] = (int64_t)(uint64_t)a[i];
  return SKEP_OK;
}

/* Java's (int) and (long): towards zero, saturating, NaN is 0. */
static int64_t java_long(double v) {
  if (isnan(v)) return 0;
  if (v >= 0x1p63) return INT64_MAX;
  return v < -0x1p63 ? INT64_MIN : (int64_t)v;
}

static int32_t java_int(double v) {
  if (isnan(v)) return 0;
  if (v >= 0x1p31) return INT32_MAX;
  return v < -0x1p31 ? INT32_MIN : (int32_t)v;
}

static skep_status f64_i64(skep_call *c, skep_err *err) {
  const double *a = c->data[0];
  int64_t *out = c->out_data;
  (void)err;
  for (int64_t i = 0; i < c->n; i++) out[i] = java_long(a[i]);
  return SKEP_OK;
}

static skep_status f64_i32(skep_call *c, skep_err *err) {
  const double *a = c->data[0];
  int32_t *out = c->out_data;
  (void)err;
  for (int64_t i = 0; i < c->n; i++) out[i] = java_int(a[i]);
  return SKEP_OK;
}

static skep_status floor_f64(skep_call *c, skep_err *err) {
  const double *a = c->data[0];
  int64_t *out = c->out_data;
  (void)err;
  for (int64_t i = 0; i < c->n; i++) out[i] = java_long(floor(a[i]));
  return SKEP_OK;
}

static skep_status ceil_f64(skep_call *c, skep_err *err) {
  const double *a = c->data[0];
  int64_t *out = c->out_data;
  (void)err;
  for (int64_t i = 0; i < c->n; i++) out[i] = java_long(ceil(a[i]));
  return SKEP_OK;
}

/* ---- sort keys: integers in the order of Java's Double.compare ---- */

static skep_status sort_key_f64(skep_call *c, skep_err *err) {
  const double *a = c->data[0];
  int64_t *out = c->out_data;
  (void)err;
  for (int64_t i = 0; i < c->n; i++) {
    int64_t bits;
    double v = isnan(a[i]) ? (double)NAN : a[i];
    memcpy(&bits, &v, sizeof bits);
    if (isnan(v)) bits &= INT64_MAX;
    out[i] = bits < 0 ? bits ^ INT64_MAX : bits;
  }
  return SKEP_OK;
}

static skep_status sort_key_f32(skep_call *c, skep_err *err) {
  const float *a = c->data[0];
  int32_t *out = c->out_data;
  (void)err;
  for (int64_t i = 0; i < c->n; i++) {
    int32_t bits;
    float v = isnan(a[i]) ? NAN : a[i];
    memcpy(&bits, &v, sizeof bits);
    if (isnan(v)) bits &= INT32_MAX;
    out[i] = bits < 0 ? bits ^ INT32_MAX : bits;
  }
  return SKEP_OK;
}

#define INTEGERS(sql_name, args_t, args_s, args_i, args_l, stem)                   \
  {.name = sql_name, .args = args_t, .result = 't', .body = stem##_int8_t},        \
      {.name = sql_name, .args = args_s, .result = 's', .body = stem##_int16_t},   \
      {.name = sql_name, .args = args_i, .result = 'i', .body = stem##_int32_t}, { \
    .name = sql_name, .args = args_l, .result = 'l', .body = stem##_int64_t        \
  }

const skep_function skep_functions_number[] = {
    INTEGERS("skep_add", "tt", "ss", "ii", "ll", add),
    INTEGERS("skep_sub", "tt", "ss", "ii", "ll", sub),
    INTEGERS("skep_mul", "tt", "ss", "ii", "ll", mul),
    INTEGERS("skep_neg", "t", "s", "i", "l", neg),
    INTEGERS("skep_mod", "tt", "ss", "ii", "ll", mod),
    {.name = "skep_mod", .args = "ff", .result = 'f', .body = mod_float},
    {.name = "skep_mod", .args = "dd", .result = 'd', .body = mod_double},
    INTEGERS("skep_pmod", "tt", "ss", "ii", "ll", pmod),
    {.name = "skep_pmod", .args = "ff", .result = 'f', .body = pmod_float},
    {.name = "skep_pmod", .args = "dd", .result = 'd', .body = pmod_double},
    {.name = "skep_div", .args = "dd", .result = 'd', .body = div_double},
    {.name = "skep_intdiv", .args = "ll", .result = 'l', .body = intdiv},
    {.name = "skep_wrap_i8", .args = "l", .result = 't', .body = wrap_i8},
    {.name = "skep_wrap_i16", .args = "l", .result = 's', .body = wrap_i16},
    {.name = "skep_wrap_i32", .args = "l", .result = 'i', .body = wrap_i32},
    {.name = "skep_wrap_i64", .args = "h", .result = 'l', .body = wrap_i64},
    {.name = "skep_f64_i32", .args = "d", .result = 'i', .body = f64_i32},
    {.name = "skep_f64_i64", .args = "d", .result = 'l', .body = f64_i64},
    {.name = "skep_floor", .args = "d", .result = 'l', .body = floor_f64},
    {.name = "skep_ceil", .args = "d", .result = 'l', .body = ceil_f64},
    {.name = "skep_sort_key", .args = "f", .result = 'i', .body = sort_key_f32},
    {.name = "skep_sort_key", .args = "d", .result = 'l', .body = sort_key_f64},
    {.name = NULL},
};
