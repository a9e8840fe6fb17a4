/* Binary floating point -> decimal text, exactly as Java prints it.
 *
 * The general case is the Schubfach algorithm (R. Giulietti, "The Schubfach way to render doubles", 2020): one 64 x
 * 128-bit product for the value and one for each end of the interval of decimals that read back as it. Integers and
 * values with few decimals take a shorter way.
 *
 * JDK 19 adopted just that. The JDKs before it (Hive runs on 8 to 17) generate digits until the rest is below half a
 * unit in the last place. That gives the same text but for:
 *   - decimals exactly half way between two doubles are not taken (2.0E23 is printed as 1.9999999999999998E23);
 *   - powers of two are given a narrower interval above than they have, so some get one digit more;
 *   - where their machine integers wrap around the last digit may be one too small (9.6714065E24f,
 * exact 9.67140655...);
 *   - integers from 2^54 (float: 2^25) to 2^63 are printed from their exact digits (1.15292150460684698E18);
 *   - the few smallest subnormals (9.9E-324 is printed as 1.0E-323).
 * Checked against JDK 17 and JDK 25 with millions of random values. One thing is not as in JDK 19: where one digit is
 * enough it is one digit (the smallest float is 1.0E-45, not 1.4E-45), as all other shortest printers have it. */
#include "column/text_big.h"
#include "column/text_int.h"
#include "column/text_pow10.h"

const char skep_text_digit_pairs[201] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/* digits * 10^exponent; no trailing zeros in digits unless it is 0. */
typedef struct decimal {
  uint64_t digits;
  int exponent;
} decimal;

/* mantissa * 2^exponent, as taken from the bits. */
typedef struct binary {
  uint64_t mantissa;
  int exponent;
  bool is_power_of_two; /* the neighbour below is only half as far away as the one above */
} binary;

uint8_t *skep_text_put_u64(uint8_t *at, uint64_t v) {
  unsigned n = text_count_digits(v);
  uint8_t *end = at + n, *p = end;
  while (v >= 100000000) {
    p -= 8;
    text_put_eight(p, (uint32_t)(v % 100000000));
    v /= 100000000;
  }
  uint32_t rest = (uint32_t)v;
  while (rest >= 100) {
    p -= 2;
    text_put_pair(p, rest % 100);
    rest /= 100;
  }
  if (rest >= 10) {
    text_put_pair(p - 2, rest);
  } else {
    p[-1] = (uint8_t)('0' + rest);
  }
  return end;
}

static decimal without_trailing_zeros(uint64_t digits, int exponent) {
  while (digits % 100 == 0 && digits != 0) {
    digits /= 100;
    exponent += 2;
  }
  if (digits % 10 == 0 && digits != 0) {
    digits /= 10;
    exponent++;
  }
  return (decimal){digits, exponent};
}

/* floor(g * c / 2^128) with the lowest bit set when something was cut off ("round to odd"). */
static uint64_t multiply_round_to_odd(skep_pow10 g, uint64_t c) {
  unsigned __int128 low = (unsigned __int128)g.low * c;
  unsigned __int128 high = (unsigned __int128)g.high * c + (uint64_t)(low >> 64);
  return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* Schubfach. `closed`: the ends of the interval belong to it. */
static decimal schubfach(binary v, bool closed) {
  int closer = v.is_power_of_two;                               /* lower end at a quarter instead of half a unit */
  int k = (v.exponent * 1262611 - (closer ? 524031 : 0)) >> 22; /* floor(log10(2^e)) or of 3/4 * 2^e */
  int h = v.exponent + ((-k * 1741647) >> 19) + 1;              /* the shift is floor(log2(10^-k)) */
  skep_pow10 g = skep_pow10_table[-k - SKEP_POW10_MIN];
  uint64_t c = 4 * v.mantissa;
  uint64_t middle = multiply_round_to_odd(g, c << h);
  uint64_t lower = multiply_round_to_odd(g, (c - 2 + (uint64_t)closer) << h) + !closed;
  uint64_t upper = multiply_round_to_odd(g, (c + 2) << h) - !closed;
  uint64_t s = middle / 4;
  if (s >= 10) { /* one digit less? at most one such decimal is inside */
    uint64_t tenth = s / 10;
    bool below = lower <= 40 * tenth, above = 40 * tenth + 40 <= upper;
    if (below != above) return without_trailing_zeros(tenth + above, k + 1);
  }
  bool below = lower <= 4 * s, above = 4 * s + 4 <= upper;
  bool up = above;
  if (below == above) up = middle > 4 * s + 2 || (middle == 4 * s + 2 && (s & 1) != 0);
  return without_trailing_zeros(s + up, k);
}

/* The JDKs before 19 take digits off the front of value / one until the rest is nearer than half a unit in the last
 * place to zero or to ten, where value and one are integers: 32 bits wide when they fit, 64 bits, or of any size. */
typedef struct generator {
  uint64_t significand; /* value = significand * 5^value5 * 2^value2 */
  unsigned value2, value5;
  unsigned half2; /* half a unit in the last place = 5^value5 * 2^half2; a quarter for powers of two */
  unsigned one2, one5;
  int exponent;      /* of the first digit; one too many gives a leading zero digit, which is dropped */
  unsigned bits;     /* width of the arithmetic: 32, 64, or 0 for any size */
  unsigned ten_bits; /* about the bits of 10 * one */
} generator;

/* Upper estimate of the bits of 5^n, as the JDK has it. */
static unsigned bits_of_pow5(unsigned n) {
  static const uint8_t bits[27] = {0,  3,  5,  7,  10, 12, 14, 17, 19, 21, 24, 26, 28, 31,
                                   33, 35, 38, 40, 42, 45, 47, 49, 52, 54, 56, 59, 61};
  return n < 27 ? bits[n] : n * 3;
}

/* The JDK's estimate of floor(log10(mantissa / 2^52 * 2^log2)), linear between powers of two. */
static int estimate_log10(uint64_t mantissa, int log2) {
  uint64_t bits = (mantissa & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52;
  double leading; /* 1 <= leading < 2 */
  memcpy(&leading, &bits, sizeof leading);
  double estimate = (leading - 1.5) * 0.289529654 + 0.176091259 + log2 * 0.301029995663981;
  int whole = (int)estimate;
  return whole - (estimate < whole);
}

static generator generator_of(binary v) {
  int zeros = __builtin_ctzll(v.mantissa);
  int n_significant = 64 - __builtin_clzll(v.mantissa); /* the last place, counted from the first bit */
  int n_bits = n_significant - zeros;
  int log2 = v.exponent + n_significant - 1;
  int n_fraction = n_bits - 1 - log2 > 0 ? n_bits - 1 - log2 : 0;
  int exponent = estimate_log10(v.mantissa << (53 - n_significant), log2);
  int value5 = exponent < 0 ? -exponent : 0, one5 = exponent > 0 ? exponent : 0;
  int value2 = value5 + n_fraction + log2, one2 = one5 + n_fraction;
  int half2 = value2 - n_significant;
  value2 -= n_bits - 1;
  int common = value2 < one2 ? value2 : one2;
  value2 -= common;
  one2 -= common;
  half2 -= common + (n_bits == 1);
  if (half2 < 0) {
    value2 -= half2;
    one2 -= half2;
    half2 = 0;
  }
  unsigned value_bits = (unsigned)(n_bits + value2) + bits_of_pow5((unsigned)value5);
  unsigned ten_bits = (unsigned)one2 + 1 + bits_of_pow5((unsigned)one5 + 1);
  unsigned most = value_bits > ten_bits ? value_bits : ten_bits;
  return (generator){.significand = v.mantissa >> zeros,
                     .value2 = (unsigned)value2,
                     .value5 = (unsigned)value5,
                     .half2 = (unsigned)half2,
                     .one2 = (unsigned)one2,
                     .one5 = (unsigned)one5,
                     .exponent = exponent,
                     .bits = most < 32   ? 32
                             : most < 64 ? 64
                                         : 0,
                     .ten_bits = ten_bits};
}

/* Whether the last digit is given up to its successor, and whether to go on. */
static bool must_go_on(int n, uint64_t digits, int exponent, bool high) {
  int first = exponent - (digits == 0 && !high);
  return n == 0 && (first < -3 || first >= 8); /* d.dE needs a second digit in any case */
}

/* Exact: `low` and `high` by comparing whole numbers. */
static decimal generate_exactly(const generator *g) {
  skep_big value, half, one;
  big_set(&value, g->significand);
  big_mul_pow5(&value, g->value5);
  big_shift_left(&value, g->value2);
  big_set(&half, 1);
  big_mul_pow5(&half, g->value5);
  big_shift_left(&half, g->half2);
  big_set(&one, 1);
  big_mul_pow5(&one, g->one5);
  big_shift_left(&one, g->one2);
  skep_big ten = one;
  big_mul_add(&ten, 10, 0);
  bool low = false, high = false;
  uint64_t digits = 0;
  int exponent = g->exponent;
  for (int n = 0; n < 18 && !low && !high; n++) {
    digits = digits * 10 + big_digit(&value, &one);
    exponent -= n != 0;
    big_mul_add(&value, 10, 0);
    big_mul_add(&half, 10, 0);
    skep_big sum = value;
    big_add(&sum, &half);
    low = big_compare(&value, &half) < 0;
    high = big_compare(&sum, &ten) > 0;
    if (must_go_on(n, digits, exponent, high)) low = high = false;
  }
  bool up = high;
  if (low && high) {
    big_mul_add(&value, 2, 0);
    int half_way = big_compare(&value, &ten);
    up = half_way > 0 || (half_way == 0 && (digits & 1) != 0);
  }
  return without_trailing_zeros(digits + up, exponent);
}

/* v cut to the width of the arithmetic, as a signed number: Java's integers wrap around, and that shows in the text. */
static int64_t wrapped(uint64_t v, unsigned bits) { return bits == 32 ? (int32_t)(uint32_t)v : (int64_t)v; }

static uint64_t pow5_u64(unsigned n) {
  uint64_t v = 1;
  for (; n != 0; n--) v *= 5;
  return v;
}

static decimal generate_in_words(const generator *g) {
  uint64_t value = g->significand * pow5_u64(g->value5) << g->value2;
  uint64_t half = pow5_u64(g->value5) << g->half2;
  uint64_t one = pow5_u64(g->one5) << g->one2, ten = one * 10;
  bool low = false, high = false;
  uint64_t digits = 0;
  int exponent = g->exponent;
  for (int n = 0; n < 18 && !low && !high; n++) {
    digits = digits * 10 + value / one;
    exponent -= n != 0;
    value = value % one * 10;
    int64_t signed_half = wrapped(half * 10, g->bits);
    half = (uint64_t)signed_half;
    low = high = true;
    if (n == 0 || signed_half > 0) {
      low = (int64_t)value < signed_half;
      high = wrapped(value + half, g->bits) > (int64_t)ten;
    }
    if (must_go_on(n, digits, exponent, high)) low = high = false;
  }
  bool up = high;
  if (low && high) {
    int64_t difference = wrapped((value << 1) - ten, g->bits);
    up = difference > 0 || (difference == 0 && (digits & 1) != 0);
  }
  return without_trailing_zeros(digits + up, exponent);
}

/* What the JDKs before 19 print, by Schubfach wherever that is known to agree. */
static decimal as_before_jdk19(binary v) {
  generator g = generator_of(v);
  bool may_wrap = g.bits != 0 && g.ten_bits + 4 >= g.bits;
  bool is_power_of_two = (v.mantissa & (v.mantissa - 1)) == 0;
  if (g.bits != 0 && (may_wrap || is_power_of_two)) return generate_in_words(&g);
  if (is_power_of_two || v.mantissa < 1024) return generate_exactly(&g);
  return schubfach(v, false);
}

/* Integers beyond the mantissa's precision: all digits but those below the precision, which are rounded half up. */
static decimal exact_integer(uint64_t v, unsigned excess_bits) {
  static const uint64_t pow10[12] = {1,       10,       100,       1000,       10000,       100000,
                                     1000000, 10000000, 100000000, 1000000000, 10000000000, 100000000000};
  unsigned drop = excess_bits * 1233 >> 12; /* floor(log10(2^excess)), excess <= 37 */
  uint64_t unit = pow10[drop];
  return without_trailing_zeros(v / unit + (v % unit >= unit / 2 && drop != 0), (int)drop);
}

static decimal to_decimal(binary v, unsigned mantissa_bits, skep_float_flavour flavour) {
  if (flavour == SKEP_FLOAT_HIVE) {
    int log2 = v.exponent + 63 - __builtin_clzll(v.mantissa);
    if (v.exponent > 0 && log2 <= 62) {
      return exact_integer(v.mantissa << v.exponent,
                           log2 > (int)mantissa_bits ? (unsigned)log2 - mantissa_bits - 1 : 0);
    }
    return as_before_jdk19(v);
  }
  return schubfach(v, (v.mantissa & 1) == 0);
}

/* Java's layout: plain from 1e-3 up to below 1e7, else one digit, a point, at least one digit, E and the exponent. */
static uint8_t *put_decimal(uint8_t *at, decimal d) {
  unsigned n = text_count_digits(d.digits);
  int point = (int)n + d.exponent; /* digits before the point */
  uint8_t digits[24];
  skep_text_put_u64(digits, d.digits);
  if (point > 0 && point <= 7) {
    unsigned whole = (unsigned)point;
    memcpy(at, digits, n < whole ? n : whole);
    if (n <= whole) {
      memset(at + n, '0', whole - n);
      at[whole] = '.';
      at[whole + 1] = '0';
      return at + whole + 2;
    }
    at[whole] = '.';
    memcpy(at + whole + 1, digits + whole, n - whole);
    return at + n + 1;
  }
  if (point <= 0 && point > -3) {
    memcpy(at, "0.00", 4);
    at += 2 - point;
    memcpy(at, digits, n);
    return at + n;
  }
  *at++ = digits[0];
  *at++ = '.';
  if (n == 1) {
    *at++ = '0';
  } else {
    memcpy(at, digits + 1, n - 1);
    at += n - 1;
  }
  *at++ = 'E';
  int exponent = point - 1;
  if (exponent < 0) {
    *at++ = '-';
    exponent = -exponent;
  }
  return skep_text_put_u64(at, (uint64_t)exponent);
}

static uint8_t *put_literal(uint8_t *at, const char *text, size_t length) {
  memcpy(at, text, length);
  return at + length;
}

static uint8_t *put_not_finite(uint8_t *at, bool is_nan, bool negative) {
  if (is_nan) return put_literal(at, "NaN", 3);
  return negative ? put_literal(at, "-Infinity", 9) : put_literal(at, "Infinity", 8);
}

/* Whole numbers are their own shortest digits; so are decimals of few digits (double 15, float 6) that read back as the
 * value: the quotient of two exact doubles is correctly rounded, and rounding it once more to a float cannot meet a tie
 * with so few digits. Both flavours agree on them. */
static bool few_digits(double v, bool is_float, decimal *out) {
  static const double pow10[7] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
  if (!(v >= 1e-3 && v < 1e7)) return false;
  uint64_t whole = (uint64_t)v;
  if ((double)whole == v) {
    *out = (decimal){whole, 0};
    return true;
  }
  for (int k = 1; k <= 6; k++) {
    uint64_t scaled = (uint64_t)(v * pow10[k] + 0.5);
    if (is_float && scaled >= 1000000) return false;
    double back = (double)scaled / pow10[k];
    if (is_float) back = (double)(float)back;
    if (back == v) {
      *out = (decimal){scaled, -k};
      return true;
    }
  }
  return false;
}

uint8_t *skep_text_put_f64(uint8_t *at, double v, skep_float_flavour flavour) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  int biased = (int)(bits >> 52 & 0x7ff);
  uint64_t fraction = bits & ((UINT64_C(1) << 52) - 1);
  bool negative = bits >> 63;
  if (biased == 0x7ff) return put_not_finite(at, fraction != 0, negative);
  if (negative) *at++ = '-';
  if ((bits << 1) == 0) return put_literal(at, "0.0", 3);
  decimal d;
  if (few_digits(negative ? -v : v, false, &d)) return put_decimal(at, d);
  binary b = {fraction, -1074, false};
  if (biased != 0) b = (binary){fraction | UINT64_C(1) << 52, biased - 1075, fraction == 0 && biased > 1};
  return put_decimal(at, to_decimal(b, 53, flavour));
}

uint8_t *skep_text_put_f32(uint8_t *at, float v, skep_float_flavour flavour) {
  uint32_t bits;
  memcpy(&bits, &v, sizeof bits);
  int biased = (int)(bits >> 23 & 0xff);
  uint32_t fraction = bits & ((1u << 23) - 1);
  bool negative = bits >> 31;
  if (biased == 0xff) return put_not_finite(at, fraction != 0, negative);
  if (negative) *at++ = '-';
  if ((bits << 1) == 0) return put_literal(at, "0.0", 3);
  decimal d;
  if (few_digits((double)(negative ? -v : v), true, &d)) return put_decimal(at, d);
  binary b = {fraction, -149, false};
  if (biased != 0) b = (binary){fraction | 1u << 23, biased - 150, fraction == 0 && biased > 1};
  return put_decimal(at, to_decimal(b, 24, flavour));
}

void skep_text_f64(double v, skep_buf *out) {
  if (!skep_buf_reserve(out, SKEP_FLOAT_TEXT_BYTES)) return;
  out->size = (size_t)(skep_text_put_f64(out->data + out->size, v, SKEP_FLOAT_HIVE) - out->data);
}

void skep_text_f32(float v, skep_buf *out) {
  if (!skep_buf_reserve(out, SKEP_FLOAT_TEXT_BYTES)) return;
  out->size = (size_t)(skep_text_put_f32(out->data + out->size, v, SKEP_FLOAT_HIVE) - out->data);
}
