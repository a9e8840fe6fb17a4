/* Text -> values: numbers, dates, timestamps, and typed entries of vectors. Nothing here depends on a locale. */
#include <math.h>

#include "base/checked.h"
#include "base/err.h"
#include "column/calendar.h"
#include "column/text_big.h"
#include "column/text_int.h"

static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

static bool take_char(skep_bytes *text, uint8_t c) {
  if (text->left == 0 || *text->at != c) return false;
  text->at++;
  text->left--;
  return true;
}

/* An optional sign; true when it is a minus. */
static bool take_sign(skep_bytes *text) {
  if (take_char(text, '-')) return true;
  (void)take_char(text, '+');
  return false;
}

static skep_bytes take_digits(skep_bytes *text) {
  skep_bytes digits = {text->at, 0};
  while (text->left != 0 && is_digit(*text->at)) {
    text->at++;
    text->left--;
    digits.left++;
  }
  return digits;
}

bool skep_parse_i64(skep_bytes text, int64_t *out) {
  bool negative = take_sign(&text);
  if (text.left == 0) return false;
  int64_t v = 0; /* built up below zero, where there is room for the smallest value */
  for (; text.left != 0; text.at++, text.left--) {
    if (!is_digit(*text.at) || !skep_mul_i64(v, 10, &v) || !skep_sub_i64(v, *text.at - '0', &v)) return false;
  }
  if (!negative && v == INT64_MIN) return false;
  *out = negative ? v : -v;
  return true;
}

/* ---- decimal notation ---- */

/* [sign] digits [. digits] [e [sign] digits], with a digit in front of or behind the point. */
typedef struct number {
  bool negative;
  skep_bytes whole, fraction; /* digits only */
  int64_t exponent;           /* clamped to +-1000000000, far beyond any use */
} number;

static bool parse_number(skep_bytes text, number *out) {
  number n = {.negative = take_sign(&text)};
  n.whole = take_digits(&text);
  if (take_char(&text, '.')) n.fraction = take_digits(&text);
  if (n.whole.left == 0 && n.fraction.left == 0) return false;
  if (take_char(&text, 'e') || take_char(&text, 'E')) {
    bool negative = take_sign(&text);
    skep_bytes digits = take_digits(&text);
    if (digits.left == 0) return false;
    for (; digits.left != 0; digits.at++, digits.left--) {
      if (n.exponent < 100000000) n.exponent = n.exponent * 10 + (*digits.at - '0');
    }
    if (negative) n.exponent = -n.exponent;
  }
  *out = n;
  return text.left == 0;
}

static bool parse_not_finite(skep_bytes text, double *out) {
  bool negative = take_sign(&text);
  if (text.left == 8 && memcmp(text.at, "Infinity", 8) == 0) {
    *out = negative ? -INFINITY : INFINITY;
    return true;
  }
  *out = NAN;
  return text.left == 3 && memcmp(text.at, "NaN", 3) == 0;
}

/* The i-th digit of whole and fraction taken together. */
static unsigned digit_at(const number *n, size_t i) {
  return (unsigned)(i < n->whole.left ? n->whole.at[i] : n->fraction.at[i - n->whole.left]) - '0';
}

/* The digits of v * 10^scale as a whole number cut towards zero, and what was cut off; false when it has more than 38.
 */
typedef struct scaled {
  unsigned __int128 whole;
  bool is_exact, is_half_or_more;
} scaled;

static bool scale_number(const number *n, unsigned scale, scaled *out) {
  *out = (scaled){.is_exact = true};
  size_t count = n->whole.left + n->fraction.left, i = 0;
  while (i < count && digit_at(n, i) == 0) i++; /* leading zeros */
  if (i == count) return true;
  /* Digits from i on that stand at or above the last place; may be more than there are, or less than none. */
  int64_t keep = (int64_t)n->whole.left - (int64_t)i + n->exponent + (int64_t)scale;
  if (keep > 38) return false;
  for (int64_t k = 0; k < keep; k++) out->whole = out->whole * 10 + (i < count ? digit_at(n, i++) : 0);
  out->is_half_or_more = keep >= 0 && i < count && digit_at(n, i) >= 5;
  for (; i < count && out->is_exact; i++) out->is_exact = digit_at(n, i) == 0;
  return true;
}

bool skep_parse_decimal(skep_bytes text, unsigned scale, skep_i128 *out, bool *exact) {
  number n;
  scaled s;
  if (!parse_number(text, &n) || !scale_number(&n, scale, &s)) return false;
  s.whole += s.is_half_or_more;
  unsigned __int128 limit = UINT64_C(10000000000000000000);
  if (s.whole >= limit * limit) return false; /* 10^38 */
  *out = n.negative ? -(skep_i128)s.whole : (skep_i128)s.whole;
  *exact = s.is_exact;
  return true;
}

skep_scaled_text skep_parse_scaled(skep_bytes text, unsigned scale, skep_i128 *floor, bool *exact) {
  number n;
  scaled s;
  double v;
  if (!parse_number(text, &n)) {
    if (!parse_not_finite(text, &v)) return SKEP_SCALED_NO_NUMBER;
    return v == -INFINITY ? SKEP_SCALED_TOO_SMALL : SKEP_SCALED_TOO_LARGE; /* NaN is above all numbers */
  }
  if (!scale_number(&n, scale, &s)) return n.negative ? SKEP_SCALED_TOO_SMALL : SKEP_SCALED_TOO_LARGE;
  *floor = n.negative ? -(skep_i128)s.whole - !s.is_exact : (skep_i128)s.whole;
  *exact = s.is_exact;
  return SKEP_SCALED_OK;
}

/* ---- binary floating point ---- */

enum { MAX_DIGITS = 800 }; /* more cannot decide between two doubles, but for being zero or not */

typedef struct binary_limits {
  unsigned bits;    /* of the mantissa */
  int min_exponent; /* of the smallest normal number, 1.x * 2^e */
  int max_exponent;
} binary_limits;

/* The first `limits.bits` bits of numerator / denominator * 2^exponent, rounded to nearest, ties to even. */
static double round_quotient(skep_big *numerator, skep_big *denominator, binary_limits limits) {
  int exponent = (int)big_bits(numerator) - (int)big_bits(denominator);
  if (exponent >= 0) {
    big_shift_left(denominator, (unsigned)exponent);
  } else {
    big_shift_left(numerator, (unsigned)-exponent);
  }
  if (big_compare(numerator, denominator) < 0) { /* now 1 <= quotient < 2 */
    big_mul_add(numerator, 2, 0);
    exponent--;
  }
  int keep = (int)limits.bits;
  if (exponent < limits.min_exponent) keep -= limits.min_exponent - exponent; /* subnormal */
  if (keep < 0) return 0;
  uint64_t mantissa = 0;
  for (int i = 0; i < keep; i++) {
    mantissa = mantissa * 2 + big_digit(numerator, denominator);
    big_mul_add(numerator, 2, 0);
  }
  int rest = big_compare(numerator, denominator); /* against half a unit */
  mantissa += rest > 0 || (rest == 0 && (mantissa & 1) != 0);
  double v = ldexp((double)mantissa, exponent - keep + 1);
  return v >= ldexp(1, limits.max_exponent) * 2 ? INFINITY : v;
}

static double exact_binary(const number *n, binary_limits limits) {
  size_t count = n->whole.left + n->fraction.left, i = 0;
  while (i < count && digit_at(n, i) == 0) i++;
  if (i == count) return 0;
  int64_t point = (int64_t)n->whole.left - (int64_t)i + n->exponent; /* 0.d1d2... * 10^point */
  if (point > 310) return INFINITY;
  if (point < -400) return 0;
  skep_big numerator, denominator;
  numerator.n = 0;
  big_set(&denominator, 1);
  int64_t taken = 0;
  for (; i < count && taken < MAX_DIGITS; i++, taken++) {
    big_mul_add(&numerator, 10, digit_at(n, i));
  }
  bool more = false;
  for (; i < count && !more; i++) more = digit_at(n, i) != 0;
  if (more) {
    big_mul_add(&numerator, 10, 1);
    taken++;
  }
  int64_t exponent = point - taken;
  skep_big *shifted = exponent >= 0 ? &numerator : &denominator;
  unsigned magnitude = (unsigned)(exponent >= 0 ? exponent : -exponent);
  big_mul_pow5(shifted, magnitude);
  big_shift_left(shifted, magnitude);
  return round_quotient(&numerator, &denominator, limits);
}

/* Both operands are exact, so one operation rounds correctly (W. Clinger, 1990). */
static bool quick_binary(const number *n, double *out) {
  static const double pow10[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  size_t count = n->whole.left + n->fraction.left;
  int64_t exponent = n->exponent - (int64_t)n->fraction.left;
  if (count > 15 || exponent < -22 || exponent > 22) return false;
  uint64_t v = 0;
  for (size_t i = 0; i < count; i++) v = v * 10 + digit_at(n, i);
  *out = exponent < 0 ? (double)v / pow10[-exponent] : (double)v * pow10[exponent];
  return true;
}

bool skep_parse_binary(skep_bytes text, unsigned mantissa_bits, double *out) {
  number n;
  double v;
  if (!parse_number(text, &n)) return parse_not_finite(text, out);
  if (mantissa_bits == 24) {
    v = exact_binary(&n, (binary_limits){24, -126, 127});
  } else if (!quick_binary(&n, &v)) {
    v = exact_binary(&n, (binary_limits){53, -1022, 1023});
  }
  *out = n.negative ? -v : v;
  return true;
}

bool skep_parse_f64(skep_bytes text, double *out) { return skep_parse_binary(text, 53, out); }

/* ---- dates and times ---- */

/* A number of min..max digits. */
static bool take_number(skep_bytes *text, size_t min, size_t max, int64_t *out) {
  skep_bytes digits = take_digits(text);
  if (digits.left < min || digits.left > max) return false;
  return skep_parse_i64(digits, out);
}

static bool take_date(skep_bytes *text, int64_t *days) {
  int64_t year, month, day;
  bool negative = take_sign(text);
  if (!take_number(text, 1, 9, &year) || !take_char(text, '-')) return false;
  if (!take_number(text, 1, 2, &month) || !take_char(text, '-')) return false;
  if (!take_number(text, 1, 2, &day)) return false;
  if (negative) year = -year;
  if (!skep_civil_is_valid(year, (int32_t)month, (int32_t)day)) return false;
  *days = skep_days_from_civil(year, (int32_t)month, (int32_t)day);
  return true;
}

bool skep_parse_date(skep_bytes text, int64_t *days) {
  int64_t v;
  if (!take_date(&text, &v) || text.left != 0) return false;
  *days = v;
  return true;
}

bool skep_parse_ts(skep_bytes text, skep_ts *out) {
  int64_t days, hour = 0, minute = 0, second = 0, nanos = 0;
  if (!take_date(&text, &days)) return false;
  if (text.left != 0) {
    if (!take_char(&text, ' ') && !take_char(&text, 'T')) return false;
    if (!take_number(&text, 1, 2, &hour) || !take_char(&text, ':')) return false;
    if (!take_number(&text, 1, 2, &minute) || !take_char(&text, ':')) return false;
    if (!take_number(&text, 1, 2, &second)) return false;
    if (take_char(&text, '.')) {
      size_t before = text.left;
      if (!take_number(&text, 1, 9, &nanos)) return false;
      for (size_t digits = before - text.left; digits < 9; digits++) nanos *= 10;
    }
  }
  if (text.left != 0 || hour > 23 || minute > 59 || second > 59) return false;
  *out = (skep_ts){days * 86400 + hour * 3600 + minute * 60 + second, (int32_t)nanos, 0};
  return true;
}

/* ---- casts ---- */

skep_bytes skep_text_trim(skep_bytes text) {
  while (text.left != 0 && *text.at <= ' ') {
    text.at++;
    text.left--;
  }
  while (text.left != 0 && text.at[text.left - 1] <= ' ') text.left--;
  return text;
}

bool skep_text_equals(skep_bytes text, const char *word) {
  for (; text.left != 0 && *word != 0; text.at++, text.left--, word++) {
    uint8_t c = *text.at;
    if (c >= 'A' && c <= 'Z') c = (uint8_t)(c + ('a' - 'A'));
    if (c != (uint8_t)*word) return false;
  }
  return text.left == 0 && *word == 0;
}

bool skep_text_cast_date(skep_bytes text, int64_t *days) {
  text = skep_text_trim(text);
  return take_date(&text, days) && (text.left == 0 || !is_digit(*text.at));
}

bool skep_text_cast_ts(skep_bytes text, skep_ts *out) {
  text = skep_text_trim(text);
  skep_bytes time = text;
  if (time.left > 4 && memcmp(time.at + time.left - 4, " UTC", 4) == 0) time.left -= 4;
  if (time.left > 11 && time.at[time.left - 1] == 'Z') time.left--;
  if (skep_parse_ts(time, out)) return true;
  int64_t days;
  if (!skep_text_cast_date(text, &days)) return false;
  *out = (skep_ts){days * 86400, 0, 0};
  return true;
}

/* ---- appending to vectors ---- */

/* Hive's cast: these are false, any other text is true. */
static bool is_false_text(skep_bytes text) {
  return text.left == 0 || skep_text_equals(text, "false") || skep_text_equals(text, "no") ||
         skep_text_equals(text, "off") || skep_text_equals(text, "0");
}

bool skep_text_cast_i64(skep_bytes text, int64_t min, int64_t max, int64_t *out) {
  text = skep_text_trim(text);
  const uint8_t *point = text.left == 0 ? NULL : memchr(text.at, '.', text.left);
  if (point != NULL) {
    skep_bytes fraction = {point + 1, text.left - (size_t)(point - text.at) - 1};
    take_digits(&fraction);
    if (fraction.left != 0) return false;
    text.left = (size_t)(point - text.at);
  }
  return skep_parse_i64(text, out) && *out >= min && *out <= max;
}

skep_bytes skep_text_cut(skep_bytes text, uint32_t max) {
  size_t n = 0;
  if (text.left <= max) return text;
  for (size_t i = 0; i < text.left; i++) {
    if ((text.at[i] & 0xc0) != 0x80 && n++ == max) return skep_bytes_of(text.at, i);
  }
  return text;
}

static void put_value(skep_vec *vec, const void *value, size_t width) {
  memcpy((uint8_t *)vec->values.data + (size_t)vec->length * width, value, width);
}

static void put_integer_value(skep_vec *vec, int64_t v) {
  /* The low bytes of a little-endian integer are the narrower integer. */
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "narrowing by bytes needs a little-endian machine"
#endif
  skep_i128 wide = v;
  put_value(vec, &wide, skep_form_width(vec->form));
}

static void put_boolean_value(skep_vec *vec, bool v) {
  uint8_t *values = vec->values.data;
  if (vec->form == SKEP_FORM_BOOL_BYTES) {
    values[vec->length] = v;
    return;
  }
  uint8_t bit = (uint8_t)(1u << (vec->length & 7)), *byte = &values[vec->length >> 3];
  *byte = (uint8_t)(v ? *byte | bit : *byte & ~bit);
}

static void put_view(skep_vec *vec, skep_bytes text) {
  skep_view view = {.inlined = {.length = (uint32_t)text.left}};
  if (text.left <= sizeof view.inlined.bytes) {
    if (text.left != 0) memcpy(view.inlined.bytes, text.at, text.left);
  } else {
    memcpy(view.far.prefix, text.at, sizeof view.far.prefix);
    view.far.at = (const uint8_t *)vec->heap.data + vec->heap_size;
  }
  put_value(vec, &view, sizeof view);
}

static skep_status append_bytes(skep_vec *vec, skep_bytes text, skep_err *err) {
  if (vec->form != SKEP_FORM_STR && vec->form != SKEP_FORM_VIEW) {
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "text cannot be appended to a vector with a dictionary");
  }
  if (vec->type->kind == SKEP_CHAR || vec->type->kind == SKEP_VARCHAR) {
    text = skep_text_cut(text, vec->type->length);
  }
  size_t size;
  if (!skep_add_size(vec->heap_size, text.left, &size) || size > INT32_MAX) {
    return skep_fail(err, SKEP_ERR_LIMIT, "strings of one batch exceed 2 GiB");
  }
  SKEP_TRY(skep_vec_reserve_heap(vec, size, err));
  if (text.left != 0) memcpy((uint8_t *)vec->heap.data + vec->heap_size, text.at, text.left);
  if (vec->form == SKEP_FORM_VIEW) {
    put_view(vec, text);
  } else {
    int32_t *offsets = vec->offsets.data;
    offsets[vec->length] = (int32_t)vec->heap_size;
    offsets[vec->length + 1] = (int32_t)size;
  }
  vec->heap_size = size;
  return SKEP_OK;
}

/* False when the text is no value of the vector's type. */
static bool put_text_value(skep_vec *vec, skep_bytes text) {
  int64_t i = 0;
  double f = 0;
  skep_ts ts;
  switch (vec->type->kind) {
    case SKEP_BOOLEAN:
      put_boolean_value(vec, !is_false_text(skep_text_trim(text)));
      return true;
    case SKEP_TINYINT:
      if (!skep_text_cast_i64(text, INT8_MIN, INT8_MAX, &i)) return false;
      break;
    case SKEP_SMALLINT:
      if (!skep_text_cast_i64(text, INT16_MIN, INT16_MAX, &i)) return false;
      break;
    case SKEP_INT:
      if (!skep_text_cast_i64(text, INT32_MIN, INT32_MAX, &i)) return false;
      break;
    case SKEP_BIGINT:
      if (!skep_text_cast_i64(text, INT64_MIN, INT64_MAX, &i)) return false;
      break;
    case SKEP_DATE:
      if (!skep_text_cast_date(text, &i) || i < INT32_MIN || i > INT32_MAX) return false;
      break;
    case SKEP_FLOAT: {
      if (!skep_parse_binary(skep_text_trim(text), 24, &f)) return false;
      float narrow = (float)f;
      put_value(vec, &narrow, sizeof narrow);
      return true;
    }
    case SKEP_DOUBLE:
      if (!skep_parse_f64(skep_text_trim(text), &f)) return false;
      put_value(vec, &f, sizeof f);
      return true;
    case SKEP_DECIMAL: {
      skep_i128 unscaled, limit = 1;
      bool exact;
      if (!skep_parse_decimal(skep_text_trim(text), vec->type->scale, &unscaled, &exact)) return false;
      for (unsigned p = 0; p < vec->type->precision; p++) limit *= 10;
      if (unscaled >= limit || unscaled <= -limit) return false;
      put_value(vec, &unscaled, skep_form_width(vec->form)); /* little-endian: the low bytes are the narrower integer */
      return true;
    }
    default: {
      if (!skep_parse_ts(skep_text_trim(text), &ts)) return false;
      if (vec->form == SKEP_FORM_TS) {
        put_value(vec, &ts, sizeof ts);
        return true;
      }
      int64_t units = vec->form == SKEP_FORM_TS_US ? 1000000 : 1000000000;
      if (!skep_mul_i64(ts.seconds, units, &i) || !skep_add_i64(i, ts.nanos / (1000000000 / units), &i)) return false;
      put_value(vec, &i, sizeof i);
      return true;
    }
  }
  put_integer_value(vec, i);
  return true;
}

skep_status skep_vec_append_text(skep_vec *vec, skep_bytes text, skep_err *err) {
  if (skep_kind_is_nested(vec->type->kind)) {
    return skep_fail(err, SKEP_ERR_ARGUMENT, "no text for a value of type %s", skep_kind_name(vec->type->kind));
  }
  SKEP_TRY(skep_vec_reserve(vec, vec->length + 1, vec->has_nulls, err));
  if (skep_kind_is_bytes(vec->type->kind)) {
    SKEP_TRY(append_bytes(vec, text, err));
  } else if (!put_text_value(vec, text)) {
    char quoted[100];
    return skep_fail(err, SKEP_ERR_RANGE, "\"%s\" is no %s", skep_quote(quoted, sizeof quoted, text.at, text.left),
                     skep_kind_name(vec->type->kind));
  }
  if (vec->has_nulls) {
    ((uint8_t *)vec->validity.data)[vec->length >> 3] |= (uint8_t)(1u << (vec->length & 7));
  }
  vec->length++;
  return SKEP_OK;
}
