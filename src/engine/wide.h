/* Unsigned 256-bit integers, for what decimals need in between. Inside engine only. */
#ifndef ENGINE_WIDE_H
#define ENGINE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

typedef unsigned __int128 u128;

typedef struct u256 {
  u128 low, high;
} u256;

static inline u256 wide_of(u128 v) { return (u256){v, 0}; }

static inline int wide_compare(u256 a, u256 b) {
  if (a.high != b.high) return a.high < b.high ? -1 : 1;
  return a.low < b.low ? -1 : a.low > b.low;
}

static inline bool wide_add(u256 a, u256 b, u256 *out) {
  u256 sum = {a.low + b.low, 0};
  u128 carry = sum.low < a.low;
  bool over = __builtin_add_overflow(a.high, b.high, &sum.high);
  over = __builtin_add_overflow(sum.high, carry, &sum.high) || over;
  *out = sum;
  return !over;
}

static inline u256 wide_sub(u256 a, u256 b) { return (u256){a.low - b.low, a.high - b.high - (a.low < b.low)}; }

static inline u256 wide_product(u128 a, u128 b) {
  uint64_t a0 = (uint64_t)a, a1 = (uint64_t)(a >> 64), b0 = (uint64_t)b, b1 = (uint64_t)(b >> 64);
  u128 low = (u128)a0 * b0, m1 = (u128)a0 * b1, m2 = (u128)a1 * b0, high = (u128)a1 * b1;
  u128 middle = (low >> 64) + (uint64_t)m1 + (uint64_t)m2;
  return (u256){middle << 64 | (uint64_t)low, high + (m1 >> 64) + (m2 >> 64) + (middle >> 64)};
}

/* a * b; false when it does not fit. */
static inline bool wide_scale_up(u256 a, u128 b, u256 *out) {
  u256 low = wide_product(a.low, b), high = wide_product(a.high, b);
  if (high.high != 0) return false;
  return wide_add(low, (u256){0, high.low}, out);
}

/* Quotient and remainder; b is not 0. */
static inline u256 wide_divide(u256 a, u256 b, u256 *rest) {
  if (a.high == 0 && b.high == 0) {
    *rest = wide_of(a.low % b.low);
    return wide_of(a.low / b.low);
  }
  u256 quotient = {0, 0}, r = {0, 0};
  for (int i = 255; i >= 0; i--) {
    bool carry = r.high >> 127 != 0;
    u128 bit = i >= 128 ? a.high >> (i - 128) & 1 : a.low >> i & 1;
    r = (u256){r.low << 1 | bit, r.high << 1 | r.low >> 127};
    if (!carry && wide_compare(r, b) < 0) continue;
    r = wide_sub(r, b);
    if (i >= 128) {
      quotient.high |= (u128)1 << (i - 128);
    } else {
      quotient.low |= (u128)1 << i;
    }
  }
  *rest = r;
  return quotient;
}

/* Half away from zero, as for magnitudes half up is. */
static inline u256 wide_divide_round(u256 a, u256 b) {
  u256 rest, quotient = wide_divide(a, b, &rest), twice;
  bool up = !wide_add(rest, rest, &twice) || wide_compare(twice, b) >= 0;
  if (up) (void)wide_add(quotient, wide_of(1), &quotient);
  return quotient;
}

static inline u128 power_of_ten(unsigned n) { /* n <= 38 */
  u128 v = 1;
  while (n-- > 0) v *= 10;
  return v;
}

/* a * 10^n, 0 <= n <= 76. */
static inline bool wide_raise(u256 a, unsigned n, u256 *out) {
  while (n > 38) {
    if (!wide_scale_up(a, power_of_ten(38), &a)) return false;
    n -= 38;
  }
  return wide_scale_up(a, power_of_ten(n), out);
}

/* a / 10^n rounded half up; n <= 76. */
static inline u256 wide_lower(u256 a, unsigned n) {
  u256 divisor = wide_of(1);
  if (n == 0) return a;
  (void)wide_raise(divisor, n, &divisor); /* 10^76 fits */
  return wide_divide_round(a, divisor);
}

#endif
