/* Decimals: results carry their type in the function's name (skep_decimal_add_12_3), are rounded half up to its scale,
 * and are NULL where they do not fit its precision.
 *
 * Source: Hive's decimal arithmetic (hiveql facts 2.4). Intermediate values have up to 76 digits and are kept in 256
 * bits (wide.h); what does not even fit those fits no decimal. */
#include "column/text.h"
#include "engine/function.h"
#include "engine/wide.h"

/* ---- numbers ---- */

typedef struct number {
  bool negative;
  u256 size;
  unsigned scale;
} number;

static number number_of(skep_i128 v, unsigned scale) {
  u128 size = v < 0 ? -(u128)v : (u128)v;
  return (number){v < 0, wide_of(size), scale};
}

/* Brings a number to the result's type; false: it does not fit. */
static bool fit(number n, unsigned precision, unsigned scale, skep_i128 *out) {
  u256 size = n.size;
  if (n.scale > scale) {
    size = wide_lower(size, n.scale - scale);
  } else if (!wide_raise(size, scale - n.scale, &size)) {
    return false;
  }
  if (size.high != 0 || size.low >= power_of_ten(precision)) return false;
  *out = n.negative ? -(skep_i128)size.low : (skep_i128)size.low;
  return true;
}

/* Both at the larger scale; that fits: 10^38 * 10^38. */
static void align(number *a, number *b) {
  number *low = a->scale < b->scale ? a : b, *high = low == a ? b : a;
  (void)wide_raise(low->size, high->scale - low->scale, &low->size);
  low->scale = high->scale;
}

static bool add(number a, number b, number *out) {
  align(&a, &b);
  number sum = {.scale = a.scale};
  if (a.negative == b.negative) {
    sum.negative = a.negative;
    if (!wide_add(a.size, b.size, &sum.size)) return false;
  } else {
    bool swap = wide_compare(a.size, b.size) < 0;
    sum.size = swap ? wide_sub(b.size, a.size) : wide_sub(a.size, b.size);
    sum.negative = swap ? b.negative : a.negative;
  }
  *out = sum;
  return true;
}

static bool subtract(number a, number b, number *out) {
  b.negative = !b.negative;
  return add(a, b, out);
}

static bool multiply(number a, number b, number *out) {
  *out = (number){a.negative != b.negative, wide_product(a.size.low, b.size.low), a.scale + b.scale};
  return true;
}

static bool modulo(number a, number b, number *out) {
  align(&a, &b);
  *out = (number){.negative = a.negative, .scale = a.scale};
  if (b.size.low == 0 && b.size.high == 0) return false;
  (void)wide_divide(a.size, b.size, &out->size);
  return true;
}

/* ((a % b) + b) % b */
static bool positive_modulo(number a, number b, number *out) {
  number rest, sum;
  return modulo(a, b, &rest) && add(rest, b, &sum) && modulo(sum, b, out);
}

/* ---- reading arguments ---- */

typedef struct operand {
  duckdb_type type;
  duckdb_type stored; /* of a decimal's values */
  unsigned scale;
  const void *data;
} operand;

static operand operand_of(const skep_call *c, uint32_t arg) {
  duckdb_logical_type type = skep_duck.vector_get_column_type(c->args[arg]);
  operand o = {.type = skep_duck.get_type_id(type), .data = c->data[arg]};
  o.stored = o.type;
  if (o.type == DUCKDB_TYPE_DECIMAL) {
    unsigned width = skep_duck.decimal_width(type);
    o.scale = skep_duck.decimal_scale(type);
    o.stored = width <= 4    ? DUCKDB_TYPE_SMALLINT
               : width <= 9  ? DUCKDB_TYPE_INTEGER
               : width <= 18 ? DUCKDB_TYPE_BIGINT
                             : DUCKDB_TYPE_HUGEINT;
  }
  skep_duck.destroy_logical_type(&type);
  return o;
}

/* False: the type is no whole number or decimal. */
static bool read_exact(const operand *o, int64_t i, skep_i128 *out) {
  switch (o->stored) {
    case DUCKDB_TYPE_BOOLEAN:
      *out = ((const uint8_t *)o->data)[i] != 0;
      return true;
    case DUCKDB_TYPE_TINYINT:
      *out = ((const int8_t *)o->data)[i];
      return true;
    case DUCKDB_TYPE_SMALLINT:
      *out = ((const int16_t *)o->data)[i];
      return true;
    case DUCKDB_TYPE_INTEGER:
      *out = ((const int32_t *)o->data)[i];
      return true;
    case DUCKDB_TYPE_BIGINT:
      *out = ((const int64_t *)o->data)[i];
      return true;
    case DUCKDB_TYPE_HUGEINT:
      *out = ((const skep_huge *)o->data)[i];
      return true;
    default:
      return false;
  }
}

static skep_status wrong_type(const skep_call *c, skep_err *err) {
  return skep_fail(err, SKEP_ERR_INTERNAL, "%s: an argument is neither a decimal nor an integer", c->function->name);
}

/* By its address: a call that makes the value may stand beside it. */
static void put(skep_call *c, int64_t i, bool fits, const skep_i128 *at) {
  if (fits) {
    skep_store_decimal(c->out_data, (uint64_t)i, c->precision, *at);
  } else {
    skep_call_set_null(c, i);
  }
}

/* ---- arithmetic ---- */

typedef bool operation(number a, number b, number *out);

static skep_status binary(skep_call *c, operation *op, skep_err *err) {
  operand a = operand_of(c, 0), b = operand_of(c, 1);
  for (int64_t i = 0; i < c->n; i++) {
    skep_i128 x, y, v = 0;
    number out;
    if (!skep_row_valid(c, i)) continue;
    if (!read_exact(&a, i, &x) || !read_exact(&b, i, &y)) return wrong_type(c, err);
    bool fits = op(number_of(x, a.scale), number_of(y, b.scale), &out) && fit(out, c->precision, c->scale, &v);
    put(c, i, fits, &v);
  }
  return SKEP_OK;
}

/* Sums and products that 128 bits hold need none of the wide arithmetic: the larger scale, raised operands below 10^37.
 */
static bool is_narrow(const skep_call *c, const operand *a, const operand *b, bool is_product) {
  unsigned scale = is_product ? a->scale + b->scale : a->scale > b->scale ? a->scale : b->scale;
  return scale == c->scale && a->stored != DUCKDB_TYPE_HUGEINT && b->stored != DUCKDB_TYPE_HUGEINT && scale <= 18;
}

static skep_status add_narrow(skep_call *c, const operand *a, const operand *b, int sign, skep_err *err) {
  skep_i128 raise_a = (skep_i128)power_of_ten(c->scale - a->scale), limit = (skep_i128)power_of_ten(c->precision);
  skep_i128 raise_b = (skep_i128)power_of_ten(c->scale - b->scale) * sign;
  for (int64_t i = 0; i < c->n; i++) {
    skep_i128 x, y;
    if (!skep_row_valid(c, i)) continue;
    if (!read_exact(a, i, &x) || !read_exact(b, i, &y)) return wrong_type(c, err);
    skep_i128 v = x * raise_a + y * raise_b;
    put(c, i, v < limit && v > -limit, &v);
  }
  return SKEP_OK;
}

static skep_status decimal_add(skep_call *c, skep_err *err) {
  operand a = operand_of(c, 0), b = operand_of(c, 1);
  return is_narrow(c, &a, &b, false) ? add_narrow(c, &a, &b, 1, err) : binary(c, add, err);
}

static skep_status decimal_sub(skep_call *c, skep_err *err) {
  operand a = operand_of(c, 0), b = operand_of(c, 1);
  return is_narrow(c, &a, &b, false) ? add_narrow(c, &a, &b, -1, err) : binary(c, subtract, err);
}

static skep_status decimal_mul(skep_call *c, skep_err *err) {
  operand a = operand_of(c, 0), b = operand_of(c, 1);
  if (!is_narrow(c, &a, &b, true)) return binary(c, multiply, err);
  skep_i128 limit = (skep_i128)power_of_ten(c->precision);
  for (int64_t i = 0; i < c->n; i++) {
    skep_i128 x, y;
    if (!skep_row_valid(c, i)) continue;
    if (!read_exact(&a, i, &x) || !read_exact(&b, i, &y)) return wrong_type(c, err);
    skep_i128 v = x * y; /* below 2^126 */
    put(c, i, v < limit && v > -limit, &v);
  }
  return SKEP_OK;
}

static skep_status decimal_mod(skep_call *c, skep_err *err) { return binary(c, modulo, err); }
static skep_status decimal_pmod(skep_call *c, skep_err *err) { return binary(c, positive_modulo, err); }

/* a * 10^(s + sb - sa) / b, s the result's scale. */
static bool quotient(skep_i128 x, unsigned scale_a, skep_i128 y, unsigned scale_b, unsigned precision, unsigned scale,
                     skep_i128 *out) {
  number a = number_of(x, 0), b = number_of(y, 0);
  int shift = (int)scale + (int)scale_b - (int)scale_a;
  if (y == 0) return false;
  if (shift >= 0 ? !wide_raise(a.size, (unsigned)shift, &a.size) : !wide_raise(b.size, (unsigned)-shift, &b.size))
    return false;
  number result = {a.negative != b.negative, wide_divide_round(a.size, b.size), scale};
  return fit(result, precision, scale, out);
}

static skep_status decimal_div(skep_call *c, skep_err *err) {
  operand a = operand_of(c, 0), b = operand_of(c, 1);
  for (int64_t i = 0; i < c->n; i++) {
    skep_i128 x, y, v = 0;
    if (!skep_row_valid(c, i)) continue;
    if (!read_exact(&a, i, &x) || !read_exact(&b, i, &y)) return wrong_type(c, err);
    put(c, i, quotient(x, a.scale, y, b.scale, c->precision, c->scale, &v), &v);
  }
  return SKEP_OK;
}

static skep_status decimal_neg(skep_call *c, skep_err *err) {
  operand a = operand_of(c, 0);
  for (int64_t i = 0; i < c->n; i++) {
    skep_i128 x, v = 0;
    if (!skep_row_valid(c, i)) continue;
    if (!read_exact(&a, i, &x)) return wrong_type(c, err);
    put(c, i, fit(number_of(-x, a.scale), c->precision, c->scale, &v), &v);
  }
  return SKEP_OK;
}

/* ---- casts ---- */

static bool fits_precision(skep_i128 v, unsigned precision) {
  skep_i128 limit = (skep_i128)power_of_ten(precision);
  return v < limit && v > -limit;
}

static bool cast_text(const skep_call *c, skep_bytes text, skep_i128 *out) {
  bool exact;
  return skep_parse_decimal(skep_text_trim(text), c->scale, out, &exact) && fits_precision(*out, c->precision);
}

/* Floating point goes through its shortest text, as in Hive. */
static bool cast_binary(skep_call *c, const operand *o, int64_t i, skep_i128 *out) {
  skep_buf_reset(c->text);
  if (o->type == DUCKDB_TYPE_FLOAT) {
    skep_text_f32(((const float *)o->data)[i], c->text);
  } else {
    skep_text_f64(((const double *)o->data)[i], c->text);
  }
  return cast_text(c, skep_bytes_of(c->text->data, c->text->size), out);
}

static skep_status to_decimal(skep_call *c, skep_err *err) {
  operand o = operand_of(c, 0);
  for (int64_t i = 0; i < c->n; i++) {
    skep_i128 v = 0, x;
    if (!skep_row_valid(c, i)) continue;
    if (o.type == DUCKDB_TYPE_VARCHAR) {
      put(c, i, cast_text(c, skep_arg_bytes(c, 0, i), &v), &v);
    } else if (o.type == DUCKDB_TYPE_FLOAT || o.type == DUCKDB_TYPE_DOUBLE) {
      put(c, i, cast_binary(c, &o, i, &v), &v);
    } else if (read_exact(&o, i, &x)) {
      put(c, i, fit(number_of(x, o.scale), c->precision, c->scale, &v), &v);
    } else {
      return wrong_type(c, err);
    }
  }
  return SKEP_OK;
}

typedef enum rounding { HALF_UP, HALF_EVEN, CUT } rounding;

/* round, bround and trunc of a decimal at a number of digits, negative ones are in front of the point. */
static skep_status round_to(skep_call *c, rounding how, skep_err *err) {
  operand o = operand_of(c, 0);
  const int32_t *digits = c->data[1];
  for (int64_t i = 0; i < c->n; i++) {
    skep_i128 x, v = 0;
    if (!skep_row_valid(c, i)) continue;
    if (!read_exact(&o, i, &x)) return wrong_type(c, err);
    number n = number_of(x, o.scale);
    int drop = (int)o.scale - (digits[i] > 38 ? 38 : digits[i] < -38 ? -38 : digits[i]);
    if (drop > 0) {
      u256 unit = wide_of(1), rest, twice;
      (void)wide_raise(unit, (unsigned)drop, &unit);
      u256 whole = wide_divide(n.size, unit, &rest);
      bool over = !wide_add(rest, rest, &twice);
      int order = over ? 1 : wide_compare(twice, unit);
      if (how != CUT && (order > 0 || (order == 0 && (how == HALF_UP || (whole.low & 1) != 0))))
        (void)wide_add(whole, wide_of(1), &whole);
      bool fits = wide_raise(whole, (unsigned)drop, &n.size);
      if (!fits) {
        put(c, i, false, &v);
        continue;
      }
    }
    put(c, i, fit(n, c->precision, c->scale, &v), &v);
  }
  return SKEP_OK;
}

static skep_status decimal_round(skep_call *c, skep_err *err) { return round_to(c, HALF_UP, err); }
static skep_status decimal_bround(skep_call *c, skep_err *err) { return round_to(c, HALF_EVEN, err); }

static skep_status decimal_trunc(skep_call *c, skep_err *err) { return round_to(c, CUT, err); }

/* Towards minus or plus infinity, to a whole number. */
static skep_status round_towards(skep_call *c, bool up, skep_err *err) {
  operand o = operand_of(c, 0);
  for (int64_t i = 0; i < c->n; i++) {
    skep_i128 x, v = 0;
    if (!skep_row_valid(c, i)) continue;
    if (!read_exact(&o, i, &x)) return wrong_type(c, err);
    skep_i128 unit = (skep_i128)power_of_ten(o.scale), whole = x / unit, rest = x % unit;
    if (rest != 0 && up == (x > 0)) whole += up ? 1 : -1;
    put(c, i, fit(number_of(whole, 0), c->precision, c->scale, &v), &v);
  }
  return SKEP_OK;
}

static skep_status decimal_floor(skep_call *c, skep_err *err) { return round_towards(c, false, err); }
static skep_status decimal_ceil(skep_call *c, skep_err *err) { return round_towards(c, true, err); }

/* Decimal to integer: the fraction is cut off; NULL out of the type's range (unfolded, as rows are). */
static skep_status to_integer(skep_call *c, skep_i128 min, skep_i128 max, size_t width, skep_err *err) {
  operand o = operand_of(c, 0);
  for (int64_t i = 0; i < c->n; i++) {
    skep_i128 x;
    if (!skep_row_valid(c, i)) continue;
    if (!read_exact(&o, i, &x)) return wrong_type(c, err);
    x /= (skep_i128)power_of_ten(o.scale);
    if (x < min || x > max) {
      skep_call_set_null(c, i);
      continue;
    }
    memcpy((uint8_t *)c->out_data + (size_t)i * width, &x, width); /* little-endian: the low bytes */
  }
  return SKEP_OK;
}

static skep_status decimal_i8(skep_call *c, skep_err *err) { return to_integer(c, INT8_MIN, INT8_MAX, 1, err); }
static skep_status decimal_i16(skep_call *c, skep_err *err) { return to_integer(c, INT16_MIN, INT16_MAX, 2, err); }
static skep_status decimal_i32(skep_call *c, skep_err *err) { return to_integer(c, INT32_MIN, INT32_MAX, 4, err); }
static skep_status decimal_i64(skep_call *c, skep_err *err) { return to_integer(c, INT64_MIN, INT64_MAX, 8, err); }

/* All digits of the scale. */
static skep_status decimal_str(skep_call *c, skep_err *err) {
  operand o = operand_of(c, 0);
  for (int64_t i = 0; i < c->n; i++) {
    skep_i128 x;
    if (!skep_row_valid(c, i)) continue;
    if (!read_exact(&o, i, &x)) return wrong_type(c, err);
    skep_buf_reset(c->text);
    skep_text_decimal(x, o.scale, false, c->text);
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

/* To the nearest double: through the text, which is read exactly. */
static skep_status decimal_f64(skep_call *c, skep_err *err) {
  operand o = operand_of(c, 0);
  double *out = c->out_data;
  for (int64_t i = 0; i < c->n; i++) {
    skep_i128 x;
    if (!skep_row_valid(c, i)) continue;
    if (!read_exact(&o, i, &x)) return wrong_type(c, err);
    skep_buf_reset(c->text);
    skep_text_decimal(x, o.scale, false, c->text);
    SKEP_TRY(skep_buf_check(c->text, "a decimal", err));
    if (!skep_parse_f64(skep_bytes_of(c->text->data, c->text->size), &out[i])) skep_call_set_null(c, i);
  }
  return SKEP_OK;
}

const skep_function skep_functions_decimal[] = {
    {.name = "skep_decimal_add", .args = "**", .result = 'n', .body = decimal_add},
    {.name = "skep_decimal_sub", .args = "**", .result = 'n', .body = decimal_sub},
    {.name = "skep_decimal_mul", .args = "**", .result = 'n', .body = decimal_mul},
    {.name = "skep_decimal_div", .args = "**", .result = 'n', .body = decimal_div},
    {.name = "skep_decimal_mod", .args = "**", .result = 'n', .body = decimal_mod},
    {.name = "skep_decimal_pmod", .args = "**", .result = 'n', .body = decimal_pmod},
    {.name = "skep_decimal_neg", .args = "*", .result = 'n', .body = decimal_neg},
    {.name = "skep_decimal_round", .args = "*i", .result = 'n', .body = decimal_round},
    {.name = "skep_decimal_bround", .args = "*i", .result = 'n', .body = decimal_bround},
    {.name = "skep_decimal_trunc", .args = "*i", .result = 'n', .body = decimal_trunc},
    {.name = "skep_decimal_floor", .args = "*", .result = 'n', .body = decimal_floor},
    {.name = "skep_decimal_ceil", .args = "*", .result = 'n', .body = decimal_ceil},
    {.name = "skep_to_decimal", .args = "*", .result = 'n', .body = to_decimal},
    {.name = "skep_decimal_i8", .args = "*", .result = 't', .body = decimal_i8},
    {.name = "skep_decimal_i16", .args = "*", .result = 's', .body = decimal_i16},
    {.name = "skep_decimal_i32", .args = "*", .result = 'i', .body = decimal_i32},
    {.name = "skep_decimal_i64", .args = "*", .result = 'l', .body = decimal_i64},
    {.name = "skep_decimal_f64", .args = "*", .result = 'd', .body = decimal_f64},
    {.name = "skep_decimal_str", .args = "*", .result = 'v', .body = decimal_str},
    {.name = NULL},
};
