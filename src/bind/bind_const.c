/* Literals become typed constants; constants are folded where Hive's types or values depend on it: casts of constants,
 * integer arithmetic, signs. Everything else is left to run time. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "bind/bind_int.h"
#include "column/text.h"

enum { MAX_DIGITS = 38 };

/* ---- making constants ---- */

static skep_bx *constant(binding *b, const skep_type *type, skep_pos pos) {
  if (type == NULL) return NULL;
  return skep_bx_new(b, SKEP_BX_CONST, type, pos, 0);
}

static const skep_pos nowhere;

skep_bx *skep_bx_null(binding *b, const skep_type *type) {
  skep_bx *bx = constant(b, type, nowhere);
  if (bx != NULL) bx->value.is_null = true;
  return bx;
}

skep_bx *skep_bx_int(binding *b, const skep_type *type, int64_t value) {
  skep_bx *bx = constant(b, type, nowhere);
  if (bx != NULL) {
    bx->value.kind = SKEP_LIT_I64;
    bx->value.i64 = value;
  }
  return bx;
}

skep_bx *skep_bx_bool(binding *b, bool value) {
  skep_bx *bx = constant(b, skep_rule_type(SKEP_BOOLEAN), nowhere);
  if (bx != NULL) {
    bx->value.kind = SKEP_LIT_BOOL;
    bx->value.i64 = value;
  }
  return bx;
}

skep_bx *skep_bx_text(binding *b, const char *bytes, size_t length) {
  skep_bx *bx = constant(b, skep_rule_type(SKEP_STRING), nowhere);
  char *copy = skep_arena_strndup(b->arena, bytes, length);
  if (bx == NULL || copy == NULL) return NULL;
  bx->value.kind = SKEP_LIT_BYTES;
  bx->value.bytes = (skep_bytes){(const uint8_t *)copy, length};
  return bx;
}

static skep_bx *decimal_constant(binding *b, skep_i128 unscaled, unsigned precision, unsigned scale, skep_pos pos) {
  skep_bx *bx = constant(b, skep_rule_decimal(b->arena, precision, scale), pos);
  if (bx != NULL) {
    bx->value.kind = SKEP_LIT_DECIMAL;
    bx->value.decimal = unscaled;
    bx->value.scale = scale;
  }
  return bx;
}

static skep_bx *double_constant(binding *b, double value, skep_kind kind) {
  skep_bx *bx = constant(b, skep_rule_type(kind), nowhere);
  if (bx != NULL) {
    bx->value.kind = SKEP_LIT_F64;
    bx->value.f64 = value == 0 ? 0.0 : value; /* folded zeros lose their sign in Hive: golden 18 */
  }
  return bx;
}

static unsigned digits_of(skep_i128 value) {
  unsigned n = 1;
  for (unsigned __int128 v = value < 0 ? -(unsigned __int128)value : (unsigned __int128)value; v >= 10; v /= 10) n++;
  return n;
}

void skep_bx_digits(const skep_bx *bx, unsigned *precision, unsigned *scale) {
  skep_rule_digits(bx->type, precision, scale);
  if (bx->op == SKEP_BX_CONST && !bx->value.is_null && skep_rule_is_integer(bx->type)) {
    *precision = digits_of(bx->value.i64);
  }
}

/* ---- literals ---- */

typedef struct number_shape {
  unsigned integer_digits; /* without leading zeros */
  unsigned scale;          /* without trailing zeros */
  bool fits;
} number_shape;

/* Counts the digits of [digits][.digits][e[sign]digits] as Hive's literal sees them. */
static number_shape shape_of(const char *text, size_t length) {
  number_shape shape = {0, 0, true};
  int64_t exponent = 0, integer = 0, fraction = 0, trailing = 0;
  bool point = false, leading = true;
  size_t i = 0;
  int64_t leading_fraction = 0;
  for (; i < length && ((text[i] >= '0' && text[i] <= '9') || text[i] == '.'); i++) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    if (point) {
      fraction++;
      trailing = text[i] == '0' ? trailing + 1 : 0;
      if (leading && text[i] == '0') leading_fraction++;
    }
    if (text[i] != '0') leading = false;
    if (!point && !leading) integer++;
  }
  if (i < length && (text[i] == 'e' || text[i] == 'E')) {
    bool minus = i + 1 < length && text[i + 1] == '-';
    i += minus || (i + 1 < length && text[i + 1] == '+') ? 2 : 1;
    for (; i < length && text[i] >= '0' && text[i] <= '9' && exponent < 10000; i++) {
      exponent = exponent * 10 + (text[i] - '0');
    }
    if (minus) exponent = -exponent;
  }
  int64_t scale = fraction - (point ? trailing : 0) - exponent;
  int64_t whole = integer + exponent - (integer == 0 && exponent > 0 ? leading_fraction : 0);
  if (leading) scale = whole = 0;
  shape.scale = scale < 0 ? 0 : scale > 1000 ? 1000 : (unsigned)scale;
  shape.integer_digits = whole < 0 ? 0 : whole > 1000 ? 1000 : (unsigned)whole;
  shape.fits = shape.integer_digits + shape.scale <= MAX_DIGITS;
  return shape;
}

static skep_status decimal_literal(binding *b, const skep_expr *expr, skep_bx **out) {
  skep_bytes text = {(const uint8_t *)expr->literal.bytes, expr->literal.length};
  number_shape shape = shape_of(expr->literal.bytes, expr->literal.length);
  skep_i128 unscaled;
  bool exact;
  if (shape.fits && skep_parse_decimal(text, shape.scale, &unscaled, &exact)) {
    unsigned precision = shape.integer_digits + shape.scale;
    *out = decimal_constant(b, unscaled, precision, shape.scale, expr->pos);
    return *out == NULL ? skep_bind_nomem(b) : SKEP_OK;
  }
  double value;
  if (!skep_parse_f64(text, &value)) return skep_bind_fail(b, expr->pos, 10029, "Invalid numerical constant");
  *out = double_constant(b, value, SKEP_DOUBLE);
  return *out == NULL ? skep_bind_nomem(b) : SKEP_OK;
}

static skep_status time_literal(binding *b, const skep_expr *expr, skep_bx **out) {
  skep_bytes text = {(const uint8_t *)expr->literal.bytes, expr->literal.length};
  skep_kind kind = expr->literal.kind == SKEP_LITERAL_DATE        ? SKEP_DATE
                   : expr->literal.kind == SKEP_LITERAL_TIMESTAMP ? SKEP_TIMESTAMP
                                                                  : SKEP_TIMESTAMP_TZ;
  skep_bx *bx = constant(b, skep_rule_type(kind), expr->pos);
  if (bx == NULL) return skep_bind_nomem(b);
  bool good = false;
  if (kind == SKEP_DATE) {
    bx->value.kind = SKEP_LIT_I64;
    good = skep_parse_date(text, &bx->value.i64);
  } else if (kind == SKEP_TIMESTAMP) {
    bx->value.kind = SKEP_LIT_TS;
    good = skep_parse_ts(text, &bx->value.ts);
  } else { /* zones are the engine's: a cast of the text at run time */
    skep_bx *value = skep_bx_text(b, expr->literal.bytes, expr->literal.length);
    *out = skep_bx_new(b, SKEP_BX_CAST, bx->type, expr->pos, 1);
    if (*out == NULL || value == NULL) return skep_bind_nomem(b);
    (*out)->args[0] = value;
    return SKEP_OK;
  }
  if (!good) {
    char quoted[128];
    skep_quote(quoted, sizeof quoted, expr->literal.bytes, expr->literal.length);
    return skep_fail(b->err, SKEP_ERR_SEMANTIC, "SemanticException Unable to convert time literal '%s' to time value.",
                     quoted);
  }
  *out = bx;
  return SKEP_OK;
}

skep_status skep_bind_literal(binding *b, const skep_expr *expr, skep_bx **out) {
  static const skep_kind integers[] = {[SKEP_LITERAL_TINYINT] = SKEP_TINYINT,
                                       [SKEP_LITERAL_SMALLINT] = SKEP_SMALLINT,
                                       [SKEP_LITERAL_INT] = SKEP_INT,
                                       [SKEP_LITERAL_BIGINT] = SKEP_BIGINT};
  double value;
  switch (expr->literal.kind) {
    case SKEP_LITERAL_NULL:
      *out = skep_bx_null(b, skep_rule_type(SKEP_KIND_VOID));
      break;
    case SKEP_LITERAL_BOOLEAN:
      *out = skep_bx_bool(b, expr->literal.i64 != 0);
      break;
    case SKEP_LITERAL_TINYINT:
    case SKEP_LITERAL_SMALLINT:
    case SKEP_LITERAL_INT:
    case SKEP_LITERAL_BIGINT:
      *out = skep_bx_int(b, skep_rule_type(integers[expr->literal.kind]), expr->literal.i64);
      break;
    case SKEP_LITERAL_DECIMAL:
      return decimal_literal(b, expr, out);
    case SKEP_LITERAL_DOUBLE:
      if (!skep_parse_f64((skep_bytes){(const uint8_t *)expr->literal.bytes, expr->literal.length}, &value)) {
        return skep_bind_fail(b, expr->pos, 10029, "Invalid numerical constant");
      }
      *out = double_constant(b, value, SKEP_DOUBLE);
      break;
    case SKEP_LITERAL_STRING:
      *out = skep_bx_text(b, expr->literal.bytes, expr->literal.length);
      break;
    default:
      return time_literal(b, expr, out);
  }
  if (*out == NULL) return skep_bind_nomem(b);
  (*out)->line = expr->pos.line;
  (*out)->column = expr->pos.column;
  return SKEP_OK;
}

/* ---- folding ---- */

skep_bx *skep_bx_fold_arith(binding *b, skep_arith op, const skep_bx *left, const skep_bx *right,
                            const skep_type *type) {
  if (left->op != SKEP_BX_CONST || right->op != SKEP_BX_CONST || !skep_rule_is_integer(type)) return NULL;
  if (left->value.is_null || right->value.is_null) return NULL;
  if (!skep_rule_is_integer(left->type) || !skep_rule_is_integer(right->type)) return NULL;
  uint64_t l = (uint64_t)left->value.i64, r = (uint64_t)right->value.i64, v; /* a product is not folded: seen */
  if (op == SKEP_ARITH_ADD)
    v = l + r;
  else if (op == SKEP_ARITH_SUB)
    v = l - r;
  else
    return NULL;
  return skep_bx_int(b, type, skep_rule_wrap(type->kind, (int64_t)v));
}

skep_bx *skep_bx_fold_negate(binding *b, const skep_bx *value) {
  if (value->op != SKEP_BX_CONST || value->value.is_null) return NULL;
  if (skep_rule_is_integer(value->type)) {
    return skep_bx_int(b, value->type, skep_rule_wrap(value->type->kind, (int64_t)(0 - (uint64_t)value->value.i64)));
  }
  if (value->type->kind == SKEP_DECIMAL) {
    skep_bx *bx = decimal_constant(b, -value->value.decimal, value->type->precision, value->type->scale, nowhere);
    return bx;
  }
  if (skep_rule_is_float(value->type)) return double_constant(b, -value->value.f64, value->type->kind);
  return NULL;
}

static skep_i128 power_of_ten(unsigned n) {
  skep_i128 v = 1;
  for (unsigned i = 0; i < n && i < MAX_DIGITS; i++) v *= 10;
  return v;
}

/* Half up to a smaller scale, exact to a larger one; false when it does not fit (p,s). */
static bool rescale(skep_i128 value, unsigned from, unsigned precision, unsigned scale, skep_i128 *out) {
  if (scale >= from) {
    skep_i128 factor = power_of_ten(scale - from), limit = power_of_ten(precision) - (precision == MAX_DIGITS ? 0 : 0);
    if (scale - from > MAX_DIGITS) return value == 0 ? (*out = 0, true) : false;
    if (__builtin_mul_overflow(value, factor, out)) return false;
    return *out<limit && * out> - limit;
  }
  skep_i128 factor = power_of_ten(from - scale), half = factor / 2, magnitude = value < 0 ? -value : value;
  magnitude = magnitude / factor + (magnitude % factor >= half ? 1 : 0);
  *out = value < 0 ? -magnitude : magnitude;
  return magnitude < power_of_ten(precision);
}

/* The low 64 bits of a finite double's integer part, as Java's BigDecimal.longValue: what Hive's folding gives. */
static bool low_bits(double value, int64_t *out) {
  if (!(fabs(value) < 0x1p126)) return false;
  *out = (int64_t)(uint64_t)(unsigned __int128)(skep_i128)value;
  return true;
}

/* A string that is a plain number without blanks: what needs no leniency. */
static bool plain_number(skep_bytes text, number_shape *shape) {
  const char *at = (const char *)text.at;
  size_t sign = text.left != 0 && (*at == '-' || *at == '+') ? 1 : 0;
  if (text.left <= sign || at[sign] < '0' || at[sign] > '9') return false;
  bool point = false;
  for (size_t i = sign; i < text.left; i++) {
    if (at[i] == '.' && !point && i + 1 < text.left)
      point = true;
    else if (at[i] < '0' || at[i] > '9')
      return false;
  }
  *shape = shape_of(at + sign, text.left - sign);
  return true;
}

static skep_bx *fold_to_integer(binding *b, const skep_bx *value, const skep_type *to) {
  int64_t v;
  if (skep_rule_is_integer(value->type) || value->type->kind == SKEP_BOOLEAN) {
    v = value->value.i64;
  } else if (value->type->kind == SKEP_DECIMAL) {
    v = (int64_t)(uint64_t)(unsigned __int128)(value->value.decimal / power_of_ten(value->type->scale));
  } else if (value->type->kind == SKEP_STRING) { /* texts do not wrap: out of range is left to run time */
    number_shape shape;
    bool good = plain_number(value->value.bytes, &shape) && skep_parse_i64(value->value.bytes, &v);
    return good && skep_rule_wrap(to->kind, v) == v ? skep_bx_int(b, to, v) : NULL;
  } else if (!skep_rule_is_float(value->type) || !low_bits(value->value.f64, &v)) {
    return NULL;
  }
  return skep_bx_int(b, to, skep_rule_wrap(to->kind, v));
}

static skep_bx *fold_to_decimal(binding *b, const skep_bx *value, const skep_type *to) {
  skep_i128 unscaled = value->value.i64, result;
  unsigned scale = 0;
  if (value->type->kind == SKEP_DECIMAL) {
    unscaled = value->value.decimal;
    scale = value->type->scale;
  } else if (value->type->kind == SKEP_STRING) {
    number_shape shape;
    bool exact;
    if (!plain_number(value->value.bytes, &shape) || !shape.fits) return NULL;
    if (!skep_parse_decimal(value->value.bytes, shape.scale, &unscaled, &exact)) return NULL;
    scale = shape.scale;
  } else if (!skep_rule_is_integer(value->type)) {
    return NULL;
  }
  if (!rescale(unscaled, scale, to->precision, to->scale, &result)) return skep_bx_null(b, to);
  return decimal_constant(b, result, to->precision, to->scale, nowhere);
}

/* A DECIMAL's nearest double, through its text: rounded once. */
static bool decimal_as_double(binding *b, const skep_bx *value, double *out) {
  skep_buf text;
  skep_buf_init(&text, b->arena->ctx, 256);
  skep_text_decimal(value->value.decimal, value->type->scale, false, &text);
  bool good = text.status == SKEP_OK && skep_parse_f64((skep_bytes){text.data, text.size}, out);
  skep_buf_fini(&text);
  return good;
}

static skep_bx *fold_to_double(binding *b, const skep_bx *value, const skep_type *to) {
  double v;
  if (skep_rule_is_integer(value->type)) {
    v = to->kind == SKEP_DOUBLE ? (double)value->value.i64 : (double)(float)value->value.i64;
  } else if (value->type->kind == SKEP_STRING && to->kind == SKEP_DOUBLE) {
    if (!skep_parse_f64(value->value.bytes, &v) || !isfinite(v)) return NULL;
  } else if (value->type->kind == SKEP_DECIMAL && to->kind == SKEP_DOUBLE) {
    if (!decimal_as_double(b, value, &v)) return NULL;
  } else if (value->type->kind == SKEP_DOUBLE && to->kind == SKEP_FLOAT) {
    v = (double)(float)value->value.f64;
  } else if (value->type->kind == SKEP_FLOAT && to->kind == SKEP_DOUBLE) {
    v = value->value.f64;
  } else {
    return NULL;
  }
  return double_constant(b, v, to->kind);
}

/* Integers and texts to texts; CHAR and VARCHAR are cut to their length, CHAR loses its blanks (the carrier). */
static skep_bx *fold_to_text(binding *b, const skep_bx *value, const skep_type *to) {
  char number[32];
  skep_bytes text = value->value.bytes;
  if (skep_rule_is_integer(value->type)) {
    int n = snprintf(number, sizeof number, "%lld", (long long)value->value.i64);
    text = (skep_bytes){(const uint8_t *)number, (size_t)n};
  } else if (!skep_rule_is_string(value->type)) {
    return NULL;
  }
  if (to->kind != SKEP_STRING) {
    size_t at = 0;
    for (uint32_t n = 0; at < text.left && n < to->length; n++) {
      size_t length = skep_utf8_length(text.at + at, text.left - at);
      at += length == 0 ? 1 : length;
    }
    text.left = at;
  }
  while (to->kind == SKEP_CHAR && text.left != 0 && text.at[text.left - 1] == ' ') text.left--;
  skep_bx *bx = skep_bx_text(b, (const char *)text.at, text.left);
  if (bx != NULL) bx->type = to;
  return bx;
}

static skep_bx *fold_to_time(binding *b, const skep_bx *value, const skep_type *to) {
  if (value->type->kind != SKEP_STRING) return NULL;
  skep_bx *bx = constant(b, to, nowhere);
  if (bx == NULL) return NULL;
  /* Only what surely reads alike: the run-time cast is more lenient than these readers. */
  if (to->kind == SKEP_DATE && value->value.bytes.left == 10 && skep_parse_date(value->value.bytes, &bx->value.i64)) {
    bx->value.kind = SKEP_LIT_I64;
    return bx;
  }
  size_t length = value->value.bytes.left;
  if (to->kind == SKEP_TIMESTAMP && (length == 10 || (length >= 19 && length <= 29)) &&
      skep_parse_ts(value->value.bytes, &bx->value.ts)) {
    bx->value.kind = SKEP_LIT_TS;
    return bx;
  }
  return NULL;
}

skep_bx *skep_bx_fold_cast(binding *b, const skep_bx *value, const skep_type *to) {
  if (value->op != SKEP_BX_CONST) return NULL;
  if (value->value.is_null)
    return skep_rule_is_nested(to) && !skep_rule_is_void(value->type) ? NULL : skep_bx_null(b, to);
  skep_bx *out = NULL;
  switch ((int)to->kind) {
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
      out = fold_to_integer(b, value, to);
      break;
    case SKEP_DECIMAL:
      out = fold_to_decimal(b, value, to);
      break;
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      out = fold_to_double(b, value, to);
      break;
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
      out = fold_to_text(b, value, to);
      break;
    case SKEP_DATE:
    case SKEP_TIMESTAMP:
      out = fold_to_time(b, value, to);
      break;
    default:
      break;
  }
  if (out != NULL) {
    out->line = value->line;
    out->column = value->column;
  }
  return out;
}

static skep_bx *retype_integer(binding *b, const skep_bx *value, const skep_type *to) {
  int64_t v = 0;
  if (skep_rule_is_integer(value->type)) {
    v = value->value.i64;
  } else if (value->type->kind == SKEP_DECIMAL) {
    skep_i128 factor = power_of_ten(value->type->scale), whole = value->value.decimal / factor;
    if (whole * factor != value->value.decimal || whole > INT64_MAX || whole < INT64_MIN) return NULL;
    v = (int64_t)whole;
  } else if (value->type->kind == SKEP_DOUBLE) {
    if (!(fabs(value->value.f64) < 0x1p53) || value->value.f64 != floor(value->value.f64)) return NULL;
    v = (int64_t)value->value.f64;
  } else if (value->type->kind != SKEP_STRING || !skep_parse_i64(value->value.bytes, &v)) {
    return NULL;
  }
  return skep_rule_wrap(to->kind, v) == v ? skep_bx_int(b, to, v) : NULL;
}

skep_bx *skep_bx_retype(binding *b, const skep_bx *value, const skep_type *to) {
  if (value->op != SKEP_BX_CONST || value->value.is_null) return NULL;
  if (to->kind == SKEP_CHAR && value->type->kind == SKEP_STRING) { /* blanks at the end do not count */
    skep_bx *text = fold_to_text(b, value, to);
    if (text == NULL) return NULL;
    size_t left = value->value.bytes.left, kept = text->value.bytes.left;
    for (size_t i = kept; i < left; i++) {
      if (value->value.bytes.at[i] != ' ') return NULL; /* it was cut: never equal */
    }
    return text;
  }
  if (skep_rule_is_integer(to)) return retype_integer(b, value, to);
  if (to->kind == SKEP_DECIMAL) {
    skep_i128 unscaled;
    bool exact = false;
    number_shape shape;
    if (value->type->kind == SKEP_STRING) {
      const char *text = (const char *)value->value.bytes.at;
      size_t n = value->value.bytes.left, sign = n != 0 && (*text == '-' || *text == '+') ? 1 : 0;
      shape = n == 0 ? (number_shape){.fits = false} : shape_of(text + sign, n - sign);
      if (!shape.fits || !skep_parse_decimal(value->value.bytes, shape.scale, &unscaled, &exact) || !exact) return NULL;
      unsigned precision = shape.integer_digits + shape.scale;
      return decimal_constant(b, unscaled, precision, shape.scale, nowhere);
    }
    return NULL;
  }
  return NULL;
}
