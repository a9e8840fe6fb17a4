/* Aggregates that DuckDB lacks or ends with an error where Hive has an answer: sums of wide decimals, and variances,
 * covariances and correlations of any doubles.
 *
 * Source: Hive 4 GenericUDAFSum, GenericUDAFAverage (a decimal beyond 38 digits is NULL), GenericUDAFVariance,
 * GenericUDAFCovariance, GenericUDAFCorrelation: the same steps in the same order, so that the last digit is Hive's
 * where the rows come in its order, and what is not finite comes out as in Java. */
#include <math.h>
#include <string.h>

#include "engine/function.h"
#include "engine/wide.h"

/* The arguments of one call: all flat. */
typedef struct input {
  idx_t n;
  const void *data[2];
  const uint64_t *valid[2];
} input;

static input input_of(duckdb_data_chunk chunk) {
  input in = {.n = skep_duck.data_chunk_get_size(chunk)};
  idx_t n_args = skep_duck.data_chunk_get_column_count(chunk);
  for (idx_t a = 0; a < n_args && a < 2; a++) {
    duckdb_vector vector = skep_duck.data_chunk_get_vector(chunk, a);
    in.data[a] = skep_duck.vector_get_data(vector);
    in.valid[a] = skep_duck.vector_get_validity(vector);
  }
  return in;
}

static bool is_there(const input *in, int arg, idx_t i) {
  return in->valid[arg] == NULL || (in->valid[arg][i / 64] >> (i % 64) & 1) != 0;
}

static void put_null(duckdb_vector out, idx_t at) {
  skep_duck.vector_ensure_validity_writable(out);
  skep_duck.vector_get_validity(out)[at / 64] &= ~(UINT64_C(1) << (at % 64));
}

/* ---- decimals ---- */

/* A sum of 2^63 values of 128 bits has 191. */
typedef struct decimal_state {
  uint64_t low, middle;
  int64_t high;
  uint64_t n;     /* values */
  uint64_t scale; /* theirs */
} decimal_state;

static void add_wide(decimal_state *s, u128 low, int64_t high) {
  u128 before = (u128)s->middle << 64 | s->low, sum = before + low;
  s->low = (uint64_t)sum;
  s->middle = (uint64_t)(sum >> 64);
  s->high += high + (sum < before);
}

static void decimal_update(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_aggregate_state *states) {
  input in = input_of(chunk);
  const skep_huge *values = in.data[0];
  duckdb_logical_type type = skep_duck.vector_get_column_type(skep_duck.data_chunk_get_vector(chunk, 0));
  unsigned scale = skep_duck.decimal_scale(type);
  skep_duck.destroy_logical_type(&type);
  (void)info;
  for (idx_t i = 0; i < in.n; i++) {
    if (!is_there(&in, 0, i)) continue;
    decimal_state *s = (decimal_state *)states[i];
    skep_i128 v = values[i];
    add_wide(s, (u128)v, v < 0 ? -1 : 0);
    s->scale = scale;
    s->n++;
  }
}

static void decimal_combine(duckdb_function_info info, duckdb_aggregate_state *from, duckdb_aggregate_state *to,
                            idx_t n) {
  (void)info;
  for (idx_t i = 0; i < n; i++) {
    const decimal_state *a = (const decimal_state *)from[i];
    decimal_state *b = (decimal_state *)to[i];
    add_wide(b, (u128)a->middle << 64 | a->low, a->high);
    b->n += a->n;
    if (a->n != 0) b->scale = a->scale;
  }
}

/* Takes a state to its value at the result's scale; false: NULL. */
typedef bool decimal_value(const decimal_state *s, unsigned scale, bool *negative, u128 *size);

static void finalize_decimals(decimal_value *value_of, duckdb_function_info info, duckdb_aggregate_state *states,
                              duckdb_vector out, idx_t n, idx_t offset) {
  const skep_registered *r = skep_duck.aggregate_function_get_extra_info(info);
  void *data = skep_duck.vector_get_data(out);
  for (idx_t i = 0; i < n; i++) {
    bool negative;
    u128 size;
    if (value_of((const decimal_state *)states[i], r->scale, &negative, &size) && size < power_of_ten(r->precision)) {
      skep_store_decimal(data, offset + i, r->precision, negative ? -(skep_i128)size : (skep_i128)size);
    } else {
      put_null(out, offset + i);
    }
  }
}

/* The sum's size, when it has at most 38 digits; its scale is the result's. */
static bool sum_of(const decimal_state *s, unsigned scale, bool *negative, u128 *size) {
  u128 low = (u128)s->middle << 64 | s->low;
  (void)scale;
  *negative = s->high < 0;
  if (s->n == 0 || (s->high != 0 && s->high != -1)) return false;
  if (*negative && low == 0) return false; /* -2^128 */
  *size = *negative ? -low : low;
  return *size < power_of_ten(38);
}

static void sum_finalize(duckdb_function_info info, duckdb_aggregate_state *states, duckdb_vector out, idx_t n,
                         idx_t offset) {
  finalize_decimals(sum_of, info, states, out, n, offset);
}

/* The sum over the number of values, rounded half up to the scale of the result; the sum itself may have 38 digits in
 * front of its point, whatever the type of sums has. */
static bool average_of(const decimal_state *s, unsigned scale, bool *negative, u128 *size) {
  u256 sum = {(u128)s->middle << 64 | s->low, (u128)(__int128)s->high}, limit = wide_of(1), n = wide_of(s->n);
  *negative = s->high < 0;
  if (*negative) sum = wide_sub((u256){0, 0}, sum);
  if (s->n == 0 || !wide_raise(limit, 38 + (unsigned)s->scale, &limit) || wide_compare(sum, limit) >= 0) return false;
  bool fits = scale >= s->scale ? wide_raise(sum, scale - (unsigned)s->scale, &sum)
                                : wide_raise(n, (unsigned)s->scale - scale, &n);
  if (!fits) return false;
  u256 average = wide_divide_round(sum, n);
  *size = average.low;
  return average.high == 0;
}

static void avg_finalize(duckdb_function_info info, duckdb_aggregate_state *states, duckdb_vector out, idx_t n,
                         idx_t offset) {
  finalize_decimals(average_of, info, states, out, n, offset);
}

/* ---- variances ---- */

typedef struct variance_state {
  int64_t n;
  double sum, squares; /* squares: n times the variance */
  bool is_odd;         /* a value was NaN or infinite */
} variance_state;

static void variance_add(variance_state *s, double v) {
  s->n++;
  s->sum += v;
  s->is_odd = s->is_odd || !isfinite(v);
  if (s->n < 2) return;
  double t = (double)s->n * v - s->sum;
  s->squares += (t * t) / ((double)s->n * (double)(s->n - 1));
}

static void variance_update(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_aggregate_state *states) {
  input in = input_of(chunk);
  const double *values = in.data[0];
  (void)info;
  for (idx_t i = 0; i < in.n; i++)
    if (is_there(&in, 0, i)) variance_add((variance_state *)states[i], values[i]);
}

/* regr_sxx and regr_syy: of one of a pair, where both are there. */
static void pair_variance_update(duckdb_data_chunk chunk, duckdb_aggregate_state *states, int arg) {
  input in = input_of(chunk);
  const double *values = in.data[arg];
  for (idx_t i = 0; i < in.n; i++)
    if (is_there(&in, 0, i) && is_there(&in, 1, i)) variance_add((variance_state *)states[i], values[i]);
}

static void syy_update(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_aggregate_state *states) {
  (void)info;
  pair_variance_update(chunk, states, 0);
}

static void sxx_update(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_aggregate_state *states) {
  (void)info;
  pair_variance_update(chunk, states, 1);
}

static void variance_combine(duckdb_function_info info, duckdb_aggregate_state *from, duckdb_aggregate_state *to,
                             idx_t n) {
  (void)info;
  for (idx_t i = 0; i < n; i++) {
    const variance_state *a = (const variance_state *)from[i];
    variance_state *b = (variance_state *)to[i];
    if (a->n == 0) continue;
    if (b->n == 0) {
      *b = *a;
      continue;
    }
    double count_a = (double)a->n, count_b = (double)b->n, t = (count_a / count_b) * b->sum - a->sum;
    b->squares += a->squares + ((count_b / count_a) / (count_b + count_a)) * t * t;
    b->n += a->n;
    b->sum += a->sum;
    b->is_odd = b->is_odd || a->is_odd;
  }
}

/* Takes a state to its value; false: NULL. */
typedef bool finalizer(const void *state, double *out);

static void finalize(finalizer *value_of, duckdb_aggregate_state *states, duckdb_vector out, idx_t n, idx_t offset) {
  double *data = skep_duck.vector_get_data(out);
  for (idx_t i = 0; i < n; i++)
    if (!value_of(states[i], &data[offset + i])) put_null(out, offset + i);
}

/* over: of a window, where a single value, whatever it is, has no variance. In groups Hive's vectors make every value
 * that is not finite NaN (observed, 4.0.1). */
static bool variance_of(const variance_state *s, bool sample, bool over, double *out) {
  *out = s->n > 1 ? s->squares / (double)(sample ? s->n - 1 : s->n) : 0;
  if (s->is_odd && !over) *out = NAN;
  return s->n > (sample ? 1 : 0);
}

static bool root_of(const variance_state *s, bool sample, bool over, double *out) {
  bool there = variance_of(s, sample, over, out);
  *out = sqrt(*out);
  return there;
}

static bool var_pop(const void *state, double *out) { return variance_of(state, false, false, out); }
static bool var_samp(const void *state, double *out) { return variance_of(state, true, false, out); }
static bool stddev_pop(const void *state, double *out) { return root_of(state, false, false, out); }
static bool stddev_samp(const void *state, double *out) { return root_of(state, true, false, out); }
static bool var_pop_over(const void *state, double *out) { return variance_of(state, false, true, out); }
static bool var_samp_over(const void *state, double *out) { return variance_of(state, true, true, out); }
static bool stddev_pop_over(const void *state, double *out) { return root_of(state, false, true, out); }
static bool stddev_samp_over(const void *state, double *out) { return root_of(state, true, true, out); }

static bool squares(const void *state, double *out) {
  const variance_state *s = state;
  *out = s->squares;
  return s->n > 0;
}

/* ---- pairs ---- */

typedef struct pair_state {
  int64_t n;
  double x, y;                /* averages */
  double x_var, y_var, covar; /* n times those */
} pair_state;

static void pair_update(duckdb_data_chunk chunk, duckdb_aggregate_state *states, int x_arg) {
  input in = input_of(chunk);
  const double *xs = in.data[x_arg], *ys = in.data[1 - x_arg];
  for (idx_t i = 0; i < in.n; i++) {
    if (!is_there(&in, 0, i) || !is_there(&in, 1, i)) continue;
    pair_state *s = (pair_state *)states[i];
    double dx = xs[i] - s->x, dy = ys[i] - s->y;
    s->n++;
    s->x += dx / (double)s->n;
    s->y += dy / (double)s->n;
    if (s->n < 2) continue;
    s->covar += dx * (ys[i] - s->y);
    s->x_var += dx * (xs[i] - s->x);
    s->y_var += dy * (ys[i] - s->y);
  }
}

/* covar_pop(x, y); corr and regr_..(y, x) */
static void xy_update(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_aggregate_state *states) {
  (void)info;
  pair_update(chunk, states, 0);
}

static void yx_update(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_aggregate_state *states) {
  (void)info;
  pair_update(chunk, states, 1);
}

static void pair_combine(duckdb_function_info info, duckdb_aggregate_state *from, duckdb_aggregate_state *to, idx_t n) {
  (void)info;
  for (idx_t i = 0; i < n; i++) {
    const pair_state *a = (const pair_state *)from[i];
    pair_state *b = (pair_state *)to[i];
    if (a->n == 0) continue;
    if (b->n == 0) {
      *b = *a;
      continue;
    }
    double na = (double)b->n, nb = (double)a->n, both = na + nb, dx = b->x - a->x, dy = b->y - a->y;
    b->x_var += a->x_var + dx * dx * na * nb / both;
    b->y_var += a->y_var + dy * dy * na * nb / both;
    b->covar += a->covar + dx * dy * (na * nb / both);
    b->x = (b->x * na + a->x * nb) / both;
    b->y = (b->y * na + a->y * nb) / both;
    b->n += a->n;
  }
}

static bool covar_pop(const void *state, double *out) {
  const pair_state *s = state;
  *out = s->covar / (double)s->n;
  return s->n > 0;
}

static bool covar_samp(const void *state, double *out) {
  const pair_state *s = state;
  *out = s->covar / (double)(s->n - 1);
  return s->n > 1;
}

static bool corr(const void *state, double *out) {
  const pair_state *s = state;
  *out = s->covar / sqrt(s->y_var) / sqrt(s->x_var);
  return s->n > 0 && s->x_var != 0 && s->y_var != 0;
}

static bool regr_slope(const void *state, double *out) {
  const pair_state *s = state;
  *out = s->covar / s->x_var;
  return s->n > 1 && s->x_var != 0;
}

static bool regr_intercept(const void *state, double *out) {
  const pair_state *s = state;
  *out = s->y - s->covar / s->x_var * s->x;
  return s->n > 0 && s->x_var != 0;
}

static bool regr_r2(const void *state, double *out) {
  const pair_state *s = state;
  *out = s->y_var == 0 ? 1 : s->covar * s->covar / s->x_var / s->y_var;
  return s->n > 1 && s->x_var != 0;
}

static bool regr_sxy(const void *state, double *out) {
  const pair_state *s = state;
  *out = s->covar;
  return s->n > 0;
}

/* ---- the table ---- */

#define FINALIZE(name)                                                                                               \
  static void name##_finalize(duckdb_function_info info, duckdb_aggregate_state *states, duckdb_vector out, idx_t n, \
                              idx_t offset) {                                                                        \
    (void)info;                                                                                                      \
    finalize(name, states, out, n, offset);                                                                          \
  }
FINALIZE(var_pop)
FINALIZE(var_pop_over)
FINALIZE(var_samp)
FINALIZE(var_samp_over)
FINALIZE(stddev_pop)
FINALIZE(stddev_pop_over)
FINALIZE(stddev_samp)
FINALIZE(stddev_samp_over)
FINALIZE(squares)
FINALIZE(covar_pop)
FINALIZE(covar_samp)
FINALIZE(corr)
FINALIZE(regr_slope)
FINALIZE(regr_intercept)
FINALIZE(regr_r2)
FINALIZE(regr_sxy)

#define VARIANCE(function, arguments, updated, finalized)                                                         \
  {                                                                                                               \
    .name = function, .args = arguments, .result = 'd', .state_bytes = sizeof(variance_state), .update = updated, \
    .combine = variance_combine, .finalize = finalized                                                            \
  }
#define PAIR(function, updated, finalized)                                                               \
  {                                                                                                      \
    .name = function, .args = "dd", .result = 'd', .state_bytes = sizeof(pair_state), .update = updated, \
    .combine = pair_combine, .finalize = finalized                                                       \
  }

const skep_aggregate skep_functions_aggregate[] = {
    {.name = "skep_decimal_sum",
     .args = "*", /* DECIMAL of 19 digits or more */
     .result = 'n',
     .state_bytes = sizeof(decimal_state),
     .update = decimal_update,
     .combine = decimal_combine,
     .finalize = sum_finalize},
    {.name = "skep_decimal_avg",
     .args = "*",
     .result = 'n',
     .state_bytes = sizeof(decimal_state),
     .update = decimal_update,
     .combine = decimal_combine,
     .finalize = avg_finalize},
    VARIANCE("skep_var_pop", "d", variance_update, var_pop_finalize),
    VARIANCE("skep_var_pop_over", "d", variance_update, var_pop_over_finalize),
    VARIANCE("skep_var_samp", "d", variance_update, var_samp_finalize),
    VARIANCE("skep_var_samp_over", "d", variance_update, var_samp_over_finalize),
    VARIANCE("skep_stddev_pop", "d", variance_update, stddev_pop_finalize),
    VARIANCE("skep_stddev_pop_over", "d", variance_update, stddev_pop_over_finalize),
    VARIANCE("skep_stddev_samp", "d", variance_update, stddev_samp_finalize),
    VARIANCE("skep_stddev_samp_over", "d", variance_update, stddev_samp_over_finalize),
    VARIANCE("skep_regr_sxx", "dd", sxx_update, squares_finalize),
    VARIANCE("skep_regr_syy", "dd", syy_update, squares_finalize),
    PAIR("skep_covar_pop", xy_update, covar_pop_finalize),
    PAIR("skep_covar_samp", xy_update, covar_samp_finalize),
    PAIR("skep_corr", yx_update, corr_finalize),
    PAIR("skep_regr_slope", yx_update, regr_slope_finalize),
    PAIR("skep_regr_intercept", yx_update, regr_intercept_finalize),
    PAIR("skep_regr_r2", yx_update, regr_r2_finalize),
    PAIR("skep_regr_sxy", yx_update, regr_sxy_finalize),
    {.name = NULL},
};
