/* Mathematics as Hive answers it (golden 18-functions): what is undefined is NULL where Hive says NULL and NaN where it
 * says NaN; shifts mask their count as Java does. */
#include <math.h>

#include "engine/function.h"

/* ---- random numbers ---- */

/* Draw number n (from 1) of java.util.Random(seed).nextDouble(). Source: its documentation, which gives the generator:
 * 48 bits, x * 0x5DEECE66D + 11, two steps a double. */
static skep_status java_rand(skep_call *c, skep_err *err) {
  enum { BITS = 48 };
  static const uint64_t multiplier = UINT64_C(0x5DEECE66D), increment = 11, mask = (UINT64_C(1) << BITS) - 1;
  const int64_t *seeds = c->data[0], *draws = c->data[1];
  double *out = c->out_data;
  uint64_t state = 0;
  (void)err;
  for (int64_t i = 0; i < c->n; i++) {
    bool next = i > 0 && seeds[i] == seeds[i - 1] && draws[i] == draws[i - 1] + 1;
    if (!next) { /* n steps are the map a * x + b, put together from its powers of two */
      uint64_t a = multiplier, b = increment;
      state = ((uint64_t)seeds[i] ^ multiplier) & mask;
      for (uint64_t n = draws[i] > 0 ? 2 * ((uint64_t)draws[i] - 1) : 0; n != 0; n >>= 1) {
        if (n & 1) state = (a * state + b) & mask;
        b = (a * b + b) & mask;
        a = (a * a) & mask;
      }
    }
    state = (state * multiplier + increment) & mask;
    uint64_t high = state >> (BITS - 26);
    state = (state * multiplier + increment) & mask;
    out[i] = (double)((high << 27) + (state >> (BITS - 27))) * 0x1p-53;
  }
  return SKEP_OK;
}

/* ---- double -> double ---- */

/* Java's StrictMath.exp, which is not always the nearest double (exp(1) is one off): the argument less a multiple k of
 * ln 2 (in two parts), a rational approximation of the rest, times 2^k. Source: fdlibm 5.3, "e_exp". */
static double strict_exp(double x) {
  static const double ln2_high = 6.93147180369123816490e-01, ln2_low = 1.90821492927058770002e-10;
  static const double p[] = {1.66666666666666019037e-01, -2.77777777770155933842e-03, 6.61375632143793436117e-05,
                             -1.65339022054652515390e-06, 4.13813679705723846039e-08};
  double high = 0, low = 0, size = fabs(x);
  int k = 0;
  if (isnan(x) || x > 709.782712893383973096) return isnan(x) ? x : (double)INFINITY;
  if (x < -745.13321910194110842) return 0;
  if (size < 0x1p-28) return 1 + x;
  if (size > 0.34657359027997264) { /* half of ln 2 */
    double sign = x < 0 ? -1 : 1;
    k = size < 1.0397207708399179 ? (int)sign : (int)(1.44269504088896338700 * x + sign * 0.5);
    high = x - k * ln2_high;
    low = k * ln2_low;
    x = high - low;
  }
  double t = x * x, c = x - t * (p[0] + t * (p[1] + t * (p[2] + t * (p[3] + t * p[4]))));
  if (k == 0) return 1 - ((x * c) / (c - 2) - x);
  return ldexp(1 - ((low - (x * c) / (2 - c)) - high), k);
}

#define UNARY(name, expression)                          \
  static skep_status name(skep_call *c, skep_err *err) { \
    const double *a = c->data[0];                        \
    double *out = c->out_data;                           \
    (void)err;                                           \
    for (int64_t i = 0; i < c->n; i++) {                 \
      double x = a[i];                                   \
      out[i] = (expression);                             \
    }                                                    \
    return SKEP_OK;                                      \
  }

/* The same, NULL where `undefined` holds. */
#define UNARY_NULL(name, undefined, expression)          \
  static skep_status name(skep_call *c, skep_err *err) { \
    const double *a = c->data[0];                        \
    double *out = c->out_data;                           \
    (void)err;                                           \
    for (int64_t i = 0; i < c->n; i++) {                 \
      if (!skep_row_valid(c, i)) continue;               \
      double x = a[i];                                   \
      if (undefined)                                     \
        skep_call_set_null(c, i);                        \
      else                                               \
        out[i] = (expression);                           \
    }                                                    \
    return SKEP_OK;                                      \
  }

static const double pi = 3.14159265358979323846;

UNARY(exp_f64, strict_exp(x))
UNARY(sin_f64, sin(x))
UNARY(cos_f64, cos(x))
UNARY(tan_f64, tan(x))
UNARY(degrees_f64, x * 180.0 / pi)
UNARY(radians_f64, x / 180.0 * pi)
UNARY(sign_f64, x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0)
UNARY_NULL(sqrt_f64, x < 0, sqrt(x))
UNARY_NULL(ln_f64, x <= 0, log(x))
UNARY_NULL(log2_f64, x <= 0, log(x) / log(2.0))
UNARY_NULL(log10_f64, x <= 0, log10(x))
UNARY_NULL(asin_f64, x<-1 || x> 1, asin(x))
UNARY_NULL(acos_f64, x<-1 || x> 1, acos(x))

/* The C library may be one unit off where Java is exact: cubes of whole numbers. */
static double cube_root(double x) {
  double root = cbrt(x), whole = nearbyint(root);
  return whole * whole * whole == x ? whole : root;
}
UNARY(cbrt_f64, cube_root(x))

static skep_status pow_f64(skep_call *c, skep_err *err) {
  const double *a = c->data[0], *b = c->data[1];
  double *out = c->out_data;
  (void)err;
  /* Java: NaN for |1| to an infinite power and for 1 to NaN, where C says 1. */
  for (int64_t i = 0; i < c->n; i++) {
    bool java_nan = (fabs(a[i]) == 1 && isinf(b[i])) || (isnan(b[i]) && a[i] == 1);
    out[i] = java_nan ? (double)NAN : pow(a[i], b[i]);
  }
  return SKEP_OK;
}

static skep_status log_base(skep_call *c, skep_err *err) {
  const double *base = c->data[0], *x = c->data[1];
  double *out = c->out_data;
  (void)err;
  for (int64_t i = 0; i < c->n; i++) {
    if (!skep_row_valid(c, i)) continue;
    if (base[i] <= 1 || x[i] <= 0)
      skep_call_set_null(c, i);
    else
      out[i] = log(x[i]) / log(base[i]);
  }
  return SKEP_OK;
}

static skep_status f64_f32(skep_call *c, skep_err *err) {
  const double *a = c->data[0];
  float *out = c->out_data;
  (void)err;
  for (int64_t i = 0; i < c->n; i++) out[i] = (float)a[i]; /* beyond the range: infinity, as IEEE and Java say */
  return SKEP_OK;
}

/* ---- integers ---- */

#define ABSOLUTE(type, wide)                                                              \
  static skep_status abs_##type(skep_call *c, skep_err *err) {                            \
    const type *a = c->data[0];                                                           \
    type *out = c->out_data;                                                              \
    (void)err;                                                                            \
    for (int64_t i = 0; i < c->n; i++) out[i] = a[i] < 0 ? (type)(0 - (wide)a[i]) : a[i]; \
    return SKEP_OK;                                                                       \
  }
ABSOLUTE(int8_t, uint32_t)
ABSOLUTE(int16_t, uint32_t)
ABSOLUTE(int32_t, uint32_t)
ABSOLUTE(int64_t, uint64_t)

#define SHIFTS(type, wide, mask)                                                                  \
  static skep_status shift_left_##type(skep_call *c, skep_err *err) {                             \
    const type *a = c->data[0];                                                                   \
    const int32_t *by = c->data[1];                                                               \
    type *out = c->out_data;                                                                      \
    (void)err;                                                                                    \
    for (int64_t i = 0; i < c->n; i++) out[i] = (type)((wide)a[i] << ((uint32_t)by[i] & (mask))); \
    return SKEP_OK;                                                                               \
  }                                                                                               \
  static skep_status shift_right_##type(skep_call *c, skep_err *err) {                            \
    const type *a = c->data[0];                                                                   \
    const int32_t *by = c->data[1];                                                               \
    type *out = c->out_data;                                                                      \
    (void)err;                                                                                    \
    for (int64_t i = 0; i < c->n; i++) out[i] = (type)(a[i] >> ((uint32_t)by[i] & (mask)));       \
    return SKEP_OK;                                                                               \
  }                                                                                               \
  static skep_status shift_unsigned_##type(skep_call *c, skep_err *err) {                         \
    const type *a = c->data[0];                                                                   \
    const int32_t *by = c->data[1];                                                               \
    type *out = c->out_data;                                                                      \
    (void)err;                                                                                    \
    for (int64_t i = 0; i < c->n; i++) out[i] = (type)((wide)a[i] >> ((uint32_t)by[i] & (mask))); \
    return SKEP_OK;                                                                               \
  }
SHIFTS(int32_t, uint32_t, 31u)
SHIFTS(int64_t, uint64_t, 63u)

static skep_status width_bucket(skep_call *c, skep_err *err) {
  const double *x = c->data[0], *low = c->data[1], *high = c->data[2];
  const int32_t *n = c->data[3];
  int32_t *out = c->out_data;
  for (int64_t i = 0; i < c->n; i++) {
    if (!skep_row_valid(c, i)) continue;
    if (n[i] < 1) return skep_fail(err, SKEP_ERR_RUNTIME, "numBuckets in width_bucket must be above 0, is %d", n[i]);
    if (low[i] == high[i]) return skep_fail(err, SKEP_ERR_RUNTIME, "the bounds of width_bucket are equal");
    double from = low[i] < high[i] ? x[i] - low[i] : low[i] - x[i], width = fabs(high[i] - low[i]);
    if (from < 0)
      out[i] = 0;
    else if (from >= width)
      out[i] = n[i] == INT32_MAX ? INT32_MAX : n[i] + 1;
    else
      out[i] = (int32_t)floor(n[i] * from / width) + 1;
  }
  return SKEP_OK;
}

const skep_function skep_functions_math[] = {
    {.name = "skep_sqrt", .args = "d", .result = 'd', .body = sqrt_f64},
    {.name = "skep_cbrt", .args = "d", .result = 'd', .body = cbrt_f64},
    {.name = "skep_exp", .args = "d", .result = 'd', .body = exp_f64},
    {.name = "skep_ln", .args = "d", .result = 'd', .body = ln_f64},
    {.name = "skep_log2", .args = "d", .result = 'd', .body = log2_f64},
    {.name = "skep_log10", .args = "d", .result = 'd', .body = log10_f64},
    {.name = "skep_log", .args = "dd", .result = 'd', .body = log_base},
    {.name = "skep_pow", .args = "dd", .result = 'd', .body = pow_f64},
    {.name = "skep_sin", .args = "d", .result = 'd', .body = sin_f64},
    {.name = "skep_cos", .args = "d", .result = 'd', .body = cos_f64},
    {.name = "skep_tan", .args = "d", .result = 'd', .body = tan_f64},
    {.name = "skep_asin", .args = "d", .result = 'd', .body = asin_f64},
    {.name = "skep_acos", .args = "d", .result = 'd', .body = acos_f64},
    {.name = "skep_degrees", .args = "d", .result = 'd', .body = degrees_f64},
    {.name = "skep_radians", .args = "d", .result = 'd', .body = radians_f64},
    {.name = "skep_java_rand", .args = "ll", .result = 'd', .body = java_rand},
    {.name = "skep_sign", .args = "d", .result = 'd', .body = sign_f64},
    {.name = "skep_f64_f32", .args = "d", .result = 'f', .body = f64_f32},
    {.name = "skep_abs", .args = "t", .result = 't', .body = abs_int8_t},
    {.name = "skep_abs", .args = "s", .result = 's', .body = abs_int16_t},
    {.name = "skep_abs", .args = "i", .result = 'i', .body = abs_int32_t},
    {.name = "skep_abs", .args = "l", .result = 'l', .body = abs_int64_t},
    {.name = "skep_shiftleft", .args = "ii", .result = 'i', .body = shift_left_int32_t},
    {.name = "skep_shiftleft", .args = "li", .result = 'l', .body = shift_left_int64_t},
    {.name = "skep_shiftright", .args = "ii", .result = 'i', .body = shift_right_int32_t},
    {.name = "skep_shiftright", .args = "li", .result = 'l', .body = shift_right_int64_t},
    {.name = "skep_shiftrightunsigned", .args = "ii", .result = 'i', .body = shift_unsigned_int32_t},
    {.name = "skep_shiftrightunsigned", .args = "li", .result = 'l', .body = shift_unsigned_int64_t},
    {.name = "skep_width_bucket", .args = "dddi", .result = 'i', .body = width_bucket},
    {.name = NULL},
};
