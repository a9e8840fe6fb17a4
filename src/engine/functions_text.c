/* Functions between texts and values: casts in both directions, notations of numbers and bytes, rounding through the
 * decimal text.
 *
 * Source: hiveql facts 2.6, 7 and 8; golden 18-functions (Hive 4.0.1). */
#include <math.h>
#include <stdio.h>

#include "column/base64.h"
#include "column/text.h"
#include "engine/function.h"

enum { MIN_DAY = -719528, MAX_DAY = 2932896 }; /* 0000-01-01 and 9999-12-31 */

#define EACH_ROW(c, i)                 \
  for (int64_t i = 0; i < (c)->n; i++) \
    if (skep_row_valid(c, i))

/* ---- casts of strings ---- */

#define PARSE_INTEGER(name, type, min, max)                                                     \
  static skep_status name(skep_call *c, skep_err *err) {                                        \
    type *out = c->out_data;                                                                    \
    (void)err;                                                                                  \
    EACH_ROW(c, i) {                                                                            \
      int64_t v = 0;                                                                            \
      if (!skep_text_cast_i64(skep_arg_bytes(c, 0, i), min, max, &v)) skep_call_set_null(c, i); \
      out[i] = (type)v;                                                                         \
    }                                                                                           \
    return SKEP_OK;                                                                             \
  }
PARSE_INTEGER(parse_i8, int8_t, INT8_MIN, INT8_MAX)
PARSE_INTEGER(parse_i16, int16_t, INT16_MIN, INT16_MAX)
PARSE_INTEGER(parse_i32, int32_t, INT32_MIN, INT32_MAX)
PARSE_INTEGER(parse_i64, int64_t, INT64_MIN, INT64_MAX)

/* Java takes an f or d behind a number. */
static bool parse_java(skep_bytes text, unsigned bits, double *out) {
  text = skep_text_trim(text);
  if (skep_parse_binary(text, bits, out)) return true;
  if (text.left < 2) return false;
  uint8_t last = text.at[text.left - 1] | 0x20;
  if ((last != 'f' && last != 'd') || text.at[text.left - 2] > '9') return false;
  return skep_parse_binary(skep_bytes_of(text.at, text.left - 1), bits, out);
}

static skep_status parse_f64(skep_call *c, skep_err *err) {
  double *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    out[i] = 0;
    if (!parse_java(skep_arg_bytes(c, 0, i), 53, &out[i])) skep_call_set_null(c, i);
  }
  return SKEP_OK;
}

static skep_status parse_f32(skep_call *c, skep_err *err) {
  float *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    double v = 0;
    if (!parse_java(skep_arg_bytes(c, 0, i), 24, &v)) skep_call_set_null(c, i);
    out[i] = (float)v;
  }
  return SKEP_OK;
}

static skep_status parse_bool(skep_call *c, skep_err *err) {
  static const char *const no[] = {"", "false", "no", "off", "0"};
  uint8_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    out[i] = 1;
    for (size_t k = 0; k < sizeof no / sizeof *no; k++) {
      if (skep_text_equals(skep_arg_bytes(c, 0, i), no[k])) out[i] = 0;
    }
  }
  return SKEP_OK;
}

static bool cast_date(skep_bytes text, int64_t *days) {
  return skep_text_cast_date(text, days) && *days >= MIN_DAY && *days <= MAX_DAY;
}

static skep_status parse_date(skep_call *c, skep_err *err) {
  int32_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    int64_t days = 0;
    if (!cast_date(skep_arg_bytes(c, 0, i), &days)) skep_call_set_null(c, i);
    out[i] = (int32_t)days;
  }
  return SKEP_OK;
}

/* Digits of a fraction beyond the ninth are cut off. */
static bool cast_ts(skep_bytes text, skep_ts *out) {
  uint8_t short_text[64];
  text = skep_text_trim(text);
  const uint8_t *point = text.left == 0 ? NULL : memchr(text.at, '.', text.left);
  size_t before = point == NULL ? 0 : (size_t)(point - text.at) + 1, digits = 0;
  while (point != NULL && before + digits < text.left && text.at[before + digits] >= '0' &&
         text.at[before + digits] <= '9')
    digits++;
  size_t rest = text.left - before - digits;
  if (digits > 9 && before + 9 + rest <= sizeof short_text) {
    memcpy(short_text, text.at, before + 9);
    memcpy(short_text + before + 9, text.at + before + digits, rest);
    text = skep_bytes_of(short_text, before + 9 + rest);
  }
  if (!skep_text_cast_ts(text, out)) return false;
  return out->seconds >= MIN_DAY * INT64_C(86400) && out->seconds < (MAX_DAY + INT64_C(1)) * 86400;
}

static skep_status parse_ts(skep_call *c, skep_err *err) {
  skep_huge *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    skep_ts ts = {.seconds = 0};
    if (!cast_ts(skep_arg_bytes(c, 0, i), &ts)) skep_call_set_null(c, i);
    out[i] = (skep_i128)ts.seconds * 1000000000 + ts.nanos;
  }
  return SKEP_OK;
}

/* ---- casts to strings ---- */

#define TO_TEXT(name, type, call)                        \
  static skep_status name(skep_call *c, skep_err *err) { \
    const type *a = c->data[0];                          \
    EACH_ROW(c, i) {                                     \
      skep_buf_reset(c->text);                           \
      call;                                              \
      SKEP_TRY(skep_call_put_text(c, i, err));           \
    }                                                    \
    return SKEP_OK;                                      \
  }
TO_TEXT(str_f64, double, skep_text_f64(a[i], c->text))
TO_TEXT(str_f32, float, skep_text_f32(a[i], c->text))
TO_TEXT(str_date, int32_t, skep_text_date(a[i], c->text))
TO_TEXT(str_bool, uint8_t, skep_buf_text(c->text, a[i] != 0 ? "TRUE" : "FALSE"))

static skep_ts ts_of(skep_i128 ns) {
  int64_t seconds = (int64_t)(ns / 1000000000), nanos = (int64_t)(ns % 1000000000);
  if (nanos < 0) {
    nanos += 1000000000;
    seconds--;
  }
  return (skep_ts){.seconds = seconds, .nanos = (int32_t)nanos};
}
TO_TEXT(str_ts, skep_i128, skep_text_ts(ts_of(a[i]), c->text))

/* ---- bytes and numbers in other notations ---- */

static skep_status hex_i64(skep_call *c, skep_err *err) {
  static const char digits[] = "0123456789ABCDEF";
  const int64_t *a = c->data[0];
  (void)err;
  EACH_ROW(c, i) {
    char text[16];
    size_t at = sizeof text;
    uint64_t v = (uint64_t)a[i];
    do {
      text[--at] = digits[v & 15];
      v >>= 4;
    } while (v != 0);
    skep_call_put_bytes(c, i, text + at, sizeof text - at);
  }
  return SKEP_OK;
}

static skep_status hex_bytes(skep_call *c, skep_err *err) {
  static const char digits[] = "0123456789ABCDEF";
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    skep_buf_reset(c->text);
    for (size_t k = 0; k < s.left; k++) {
      skep_buf_byte(c->text, (uint8_t)digits[s.at[k] >> 4]);
      skep_buf_byte(c->text, (uint8_t)digits[s.at[k] & 15]);
    }
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

static int digit_of(uint8_t ch) {
  if (ch >= '0' && ch <= '9') return ch - '0';
  ch |= 0x20;
  return ch >= 'a' && ch <= 'z' ? ch - 'a' + 10 : 99;
}

/* An odd number of digits has a 0 in front. */
static skep_status unhex(skep_call *c, skep_err *err) {
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    bool ok = true;
    unsigned high = 0;
    skep_buf_reset(c->text);
    for (size_t k = 0; k < s.left && ok; k++) {
      int digit = digit_of(s.at[k]);
      ok = digit < 16;
      if ((s.left - k) % 2 == 0) {
        high = (unsigned)digit;
      } else {
        skep_buf_byte(c->text, (uint8_t)(high << 4 | (unsigned)digit));
        high = 0;
      }
    }
    if (ok) {
      SKEP_TRY(skep_call_put_text(c, i, err));
    } else {
      skep_call_set_null(c, i);
    }
  }
  return SKEP_OK;
}

static skep_status bin(skep_call *c, skep_err *err) {
  const int64_t *a = c->data[0];
  (void)err;
  EACH_ROW(c, i) {
    char text[64];
    size_t at = sizeof text;
    uint64_t v = (uint64_t)a[i];
    do {
      text[--at] = (char)('0' + (v & 1));
      v >>= 1;
    } while (v != 0);
    skep_call_put_bytes(c, i, text + at, sizeof text - at);
  }
  return SKEP_OK;
}

/* Digits of base `from` up to the first that is none; -1 (all bits) beyond 64 bits. */
static uint64_t read_base(skep_bytes s, unsigned from) {
  uint64_t v = 0;
  for (size_t k = 0; k < s.left; k++) {
    unsigned digit = (unsigned)digit_of(s.at[k]);
    if (digit >= from) break;
    if (__builtin_mul_overflow(v, (uint64_t)from, &v) || __builtin_add_overflow(v, (uint64_t)digit, &v))
      return UINT64_MAX;
  }
  return v;
}

/* Through unsigned 64 bits; a negative base to convert to has signed results. */
static skep_status conv(skep_call *c, skep_err *err) {
  const int32_t *from = c->data[1], *to = c->data[2];
  (void)err;
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    int64_t base = to[i] < 0 ? -(int64_t)to[i] : to[i];
    if (from[i] < 2 || from[i] > 36 || base < 2 || base > 36 || s.left == 0) {
      skep_call_set_null(c, i);
      continue;
    }
    bool negative = s.at[0] == '-';
    if (negative) s = skep_bytes_of(s.at + 1, s.left - 1);
    uint64_t v = read_base(s, (unsigned)from[i]);
    if (negative && to[i] > 0) v = (int64_t)v < 0 ? UINT64_MAX : 0 - v;
    if (to[i] < 0 && (int64_t)v < 0) {
      v = 0 - v;
      negative = true;
    }
    char text[72];
    size_t at = sizeof text;
    do {
      unsigned digit = (unsigned)(v % (uint64_t)base);
      text[--at] = (char)(digit < 10 ? '0' + digit : 'A' + digit - 10);
      v /= (uint64_t)base;
    } while (v != 0);
    if (negative && to[i] < 0) text[--at] = '-';
    skep_call_put_bytes(c, i, text + at, sizeof text - at);
  }
  return SKEP_OK;
}

static skep_status base64(skep_call *c, skep_err *err) {
  EACH_ROW(c, i) {
    skep_buf_reset(c->text);
    skep_base64_put(skep_arg_bytes(c, 0, i), true, c->text);
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

/* What is no digit is passed over ('-' and '_' are two more); '=' ends the text. */
static skep_status unbase64(skep_call *c, skep_err *err) {
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    uint32_t v = 0;
    unsigned bits = 0;
    skep_buf_reset(c->text);
    for (size_t k = 0; k < s.left && s.at[k] != '='; k++) {
      int digit = s.at[k] == '-' ? 62 : s.at[k] == '_' ? 63 : skep_base64_digit(s.at[k]);
      if (digit < 0) continue;
      v = v << 6 | (uint32_t)digit;
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      skep_buf_byte(c->text, (uint8_t)(v >> bits));
    }
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

/* ---- rounding ---- */

/* As BigDecimal.valueOf(v).setScale(digits): the shortest text is what is rounded. */
static double round_text(skep_call *c, double v, int64_t digits, bool half_even) {
  skep_i128 unscaled;
  bool exact;
  if (!isfinite(v) || digits > 30) return v;
  if (digits < -38) return 0;
  skep_buf_reset(c->text);
  skep_text_f64(v, c->text);
  skep_bytes text = skep_bytes_of(c->text->data, c->text->size);
  const uint8_t *e = memchr(text.at, 'E', text.left);
  /* The text as digits * 10^exponent. */
  int64_t exponent = 0;
  if (e != NULL) (void)skep_parse_i64(skep_bytes_of(e + 1, text.left - (size_t)(e + 1 - text.at)), &exponent);
  skep_bytes mantissa = skep_bytes_of(text.at, e == NULL ? text.left : (size_t)(e - text.at));
  const uint8_t *point = memchr(mantissa.at, '.', mantissa.left);
  unsigned scale = point == NULL ? 0 : (unsigned)(mantissa.left - (size_t)(point + 1 - mantissa.at));
  if (scale > 18 || !skep_parse_decimal(mantissa, scale, &unscaled, &exact)) return v;
  int64_t drop = (int64_t)scale - exponent - digits; /* digits at the end that go */
  if (drop <= 0) return v;
  if (drop > 37) return v < 0 ? -0.0 : 0;
  skep_i128 unit = 1;
  for (int64_t k = 0; k < drop; k++) unit *= 10;
  skep_i128 size = unscaled < 0 ? -unscaled : unscaled, whole = size / unit, rest = size % unit;
  if (rest * 2 > unit || (rest * 2 == unit && (!half_even || whole % 2 != 0))) whole++;
  skep_buf_reset(c->text);
  skep_text_decimal(unscaled < 0 ? -whole : whole, 0, false, c->text);
  skep_buf_printf(c->text, "e%lld", (long long)-digits);
  double out = v;
  (void)skep_parse_f64(skep_bytes_of(c->text->data, c->text->size), &out);
  return out;
}

static skep_status round_doubles(skep_call *c, bool half_even, skep_err *err) {
  const double *a = c->data[0];
  const int32_t *digits = c->data[1];
  double *out = c->out_data;
  EACH_ROW(c, i) out[i] = round_text(c, a[i], digits[i], half_even);
  return skep_buf_check(c->text, "rounding", err);
}

static skep_status round_f64(skep_call *c, skep_err *err) { return round_doubles(c, false, err); }
static skep_status bround_f64(skep_call *c, skep_err *err) { return round_doubles(c, true, err); }

static skep_status round_integers(skep_call *c, bool half_even) {
  const int64_t *a = c->data[0];
  const int32_t *digits = c->data[1];
  int64_t *out = c->out_data;
  EACH_ROW(c, i) {
    out[i] = digits[i] < -19 ? 0 : a[i];
    if (digits[i] >= 0 || digits[i] < -19) continue;
    skep_i128 unit = 1, size = a[i] < 0 ? -(skep_i128)a[i] : a[i];
    for (int32_t k = digits[i]; k < 0; k++) unit *= 10;
    skep_i128 whole = size / unit, rest = size % unit;
    if (rest * 2 > unit || (rest * 2 == unit && (!half_even || whole % 2 != 0))) whole++;
    whole *= unit;
    out[i] = (int64_t)(a[i] < 0 ? -whole : whole);
  }
  return SKEP_OK;
}

static skep_status round_i64(skep_call *c, skep_err *err) {
  (void)err;
  return round_integers(c, false);
}
static skep_status bround_i64(skep_call *c, skep_err *err) {
  (void)err;
  return round_integers(c, true);
}

/* ---- texts around values ---- */

static skep_status crc32_bytes(skep_call *c, skep_err *err) {
  int64_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    uint32_t crc = UINT32_MAX;
    for (size_t k = 0; k < s.left; k++) {
      crc ^= s.at[k];
      for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (UINT32_C(0xedb88320) & (0 - (crc & 1)));
    }
    out[i] = (int64_t)(crc ^ UINT32_MAX);
  }
  return SKEP_OK;
}

/* 'it\'s': quotes around, backslashes before quotes and backslashes. */
static skep_status quote(skep_call *c, skep_err *err) {
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    skep_buf_reset(c->text);
    skep_buf_byte(c->text, '\'');
    for (size_t k = 0; k < s.left; k++) {
      if (s.at[k] == '\'' || s.at[k] == '\\') skep_buf_byte(c->text, '\\');
      skep_buf_byte(c->text, s.at[k]);
    }
    skep_buf_byte(c->text, '\'');
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

/* Upper-case letters X, lower-case x, digits n; the rest stays. */
static uint8_t masked(uint8_t ch) {
  if (ch >= 'A' && ch <= 'Z') return 'X';
  if (ch >= 'a' && ch <= 'z') return 'x';
  return ch >= '0' && ch <= '9' ? 'n' : ch;
}

static skep_status mask_between(skep_call *c, bool first, bool only, skep_err *err) {
  const int32_t *count = c->n_args > 1 ? c->data[1] : NULL;
  EACH_ROW(c, i) {
    skep_bytes s = skep_arg_bytes(c, 0, i);
    size_t n = count == NULL ? s.left : count[i] < 0 ? 0 : (size_t)count[i] < s.left ? (size_t)count[i] : s.left;
    skep_buf_reset(c->text);
    for (size_t k = 0; k < s.left; k++) {
      bool inside = first ? k < n : k >= s.left - n;
      skep_buf_byte(c->text, inside == only ? masked(s.at[k]) : s.at[k]);
    }
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

static skep_status mask_all(skep_call *c, skep_err *err) { return mask_between(c, true, true, err); }
static skep_status mask_first(skep_call *c, skep_err *err) { return mask_between(c, true, true, err); }
static skep_status mask_last(skep_call *c, skep_err *err) { return mask_between(c, false, true, err); }
static skep_status show_first(skep_call *c, skep_err *err) { return mask_between(c, true, false, err); }
static skep_status show_last(skep_call *c, skep_err *err) { return mask_between(c, false, false, err); }

static skep_status factorial(skep_call *c, skep_err *err) {
  const int32_t *a = c->data[0];
  int64_t *out = c->out_data;
  (void)err;
  EACH_ROW(c, i) {
    out[i] = 1;
    if (a[i] < 0 || a[i] > 20) skep_call_set_null(c, i);
    for (int32_t k = 2; k <= a[i] && k <= 20; k++) out[i] *= k;
  }
  return SKEP_OK;
}

/* Commas between thousands, d digits behind the point, half to even of the exact binary value as Java's DecimalFormat.
 */
static skep_status format_f64(skep_call *c, skep_err *err) {
  const double *a = c->data[0];
  const int32_t *digits = c->data[1];
  EACH_ROW(c, i) {
    char text[700];
    if (digits[i] < 0 || !isfinite(a[i])) {
      skep_call_set_null(c, i);
      continue;
    }
    int n = snprintf(text, sizeof text, "%.*f", digits[i] > 300 ? 300 : digits[i], a[i]);
    if (n <= 0 || (size_t)n >= sizeof text) return skep_fail(err, SKEP_ERR_INTERNAL, "format_number");
    size_t sign = text[0] == '-', whole = sign + strspn(text + sign, "0123456789"); /* whatever point the locale has */
    skep_buf_reset(c->text);
    for (size_t k = 0; k < (size_t)n; k++) {
      skep_buf_byte(c->text, k == whole ? '.' : (uint8_t)text[k]);
      if (k + 1 < whole && k + 1 > sign && (whole - k - 1) % 3 == 0) skep_buf_byte(c->text, ',');
    }
    SKEP_TRY(skep_call_put_text(c, i, err));
  }
  return SKEP_OK;
}

const skep_function skep_functions_text[] = {
    {.name = "skep_parse_i8", .args = "v", .result = 't', .body = parse_i8},
    {.name = "skep_parse_i16", .args = "v", .result = 's', .body = parse_i16},
    {.name = "skep_parse_i32", .args = "v", .result = 'i', .body = parse_i32},
    {.name = "skep_parse_i64", .args = "v", .result = 'l', .body = parse_i64},
    {.name = "skep_parse_f64", .args = "v", .result = 'd', .body = parse_f64},
    {.name = "skep_parse_f32", .args = "v", .result = 'f', .body = parse_f32},
    {.name = "skep_parse_bool", .args = "v", .result = 'b', .body = parse_bool},
    {.name = "skep_parse_date", .args = "v", .result = 'D', .body = parse_date},
    {.name = "skep_parse_ts", .args = "v", .result = 'h', .body = parse_ts},
    {.name = "skep_str", .args = "d", .result = 'v', .body = str_f64},
    {.name = "skep_str", .args = "f", .result = 'v', .body = str_f32},
    {.name = "skep_str", .args = "D", .result = 'v', .body = str_date},
    {.name = "skep_str", .args = "h", .result = 'v', .body = str_ts},
    {.name = "skep_str", .args = "b", .result = 'v', .body = str_bool},
    {.name = "skep_hex", .args = "l", .result = 'v', .body = hex_i64},
    {.name = "skep_hex", .args = "v", .result = 'v', .body = hex_bytes},
    {.name = "skep_hex", .args = "x", .result = 'v', .body = hex_bytes},
    {.name = "skep_unhex", .args = "v", .result = 'x', .body = unhex},
    {.name = "skep_bin", .args = "l", .result = 'v', .body = bin},
    {.name = "skep_conv", .args = "vii", .result = 'v', .body = conv},
    {.name = "skep_base64", .args = "x", .result = 'v', .body = base64},
    {.name = "skep_unbase64", .args = "v", .result = 'x', .body = unbase64},
    {.name = "skep_round", .args = "di", .result = 'd', .body = round_f64},
    {.name = "skep_round", .args = "li", .result = 'l', .body = round_i64},
    {.name = "skep_bround", .args = "di", .result = 'd', .body = bround_f64},
    {.name = "skep_bround", .args = "li", .result = 'l', .body = bround_i64},
    {.name = "skep_crc32", .args = "x", .result = 'l', .body = crc32_bytes},
    {.name = "skep_crc32", .args = "v", .result = 'l', .body = crc32_bytes},
    {.name = "skep_quote", .args = "v", .result = 'v', .body = quote},
    {.name = "skep_mask", .args = "v", .result = 'v', .body = mask_all},
    {.name = "skep_mask_first_n", .args = "vi", .result = 'v', .body = mask_first},
    {.name = "skep_mask_last_n", .args = "vi", .result = 'v', .body = mask_last},
    {.name = "skep_mask_show_first_n", .args = "vi", .result = 'v', .body = show_first},
    {.name = "skep_mask_show_last_n", .args = "vi", .result = 'v', .body = show_last},
    {.name = "skep_factorial", .args = "i", .result = 'l', .body = factorial},
    {.name = "skep_format_number", .args = "di", .result = 'v', .body = format_f64},
    {.name = "skep_md5", .macro = "(b) AS md5(b)"},
    {.name = "skep_sha1", .macro = "(b) AS sha1(b)"},
    {.name = "skep_sha2_256", .macro = "(b) AS sha256(b)"},
    {.name = NULL},
};
