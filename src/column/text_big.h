/* Small fixed-size natural numbers for exact decimal <-> binary conversion. The largest we need has about 3800 bits:
 * 10^1100 from a decimal text of 800 digits. Values are little-endian 32-bit words; every operation keeps `n` minimal.
 */
#ifndef COLUMN_TEXT_BIG_H
#define COLUMN_TEXT_BIG_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

enum { SKEP_BIG_WORDS = 160 };

typedef struct skep_big {
  uint32_t n; /* words in use; the top one is not 0 */
  uint32_t w[SKEP_BIG_WORDS];
} skep_big;

static inline void big_set(skep_big *b, uint64_t v) {
  b->n = 0;
  for (; v != 0; v >>= 32) b->w[b->n++] = (uint32_t)v;
}

static inline void big_mul_add(skep_big *b, uint32_t factor, uint32_t addend) {
  uint64_t carry = addend;
  for (uint32_t i = 0; i < b->n; i++) {
    carry += (uint64_t)b->w[i] * factor;
    b->w[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry == 0) return;
  assert(b->n < SKEP_BIG_WORDS);
  b->w[b->n++] = (uint32_t)carry;
}

static inline void big_mul_pow5(skep_big *b, unsigned exponent) {
  static const uint32_t pow5[13] = {1,     5,      25,      125,     625,      3125,     15625,
                                    78125, 390625, 1953125, 9765625, 48828125, 244140625};
  for (; exponent >= 13; exponent -= 13) big_mul_add(b, 1220703125u, 0);
  if (exponent != 0) big_mul_add(b, pow5[exponent], 0);
}

static inline void big_shift_left(skep_big *b, unsigned bits) {
  if (b->n == 0) return;
  unsigned words = bits / 32, rest = bits % 32;
  assert(b->n + words + 1 <= SKEP_BIG_WORDS);
  for (uint32_t i = b->n; i-- > 0;) b->w[i + words] = b->w[i];
  for (uint32_t i = 0; i < words; i++) b->w[i] = 0;
  b->n += words;
  if (rest != 0) big_mul_add(b, 1u << rest, 0);
}

static inline int big_compare(const skep_big *a, const skep_big *b) {
  if (a->n != b->n) return a->n < b->n ? -1 : 1;
  for (uint32_t i = a->n; i-- > 0;) {
    if (a->w[i] != b->w[i]) return a->w[i] < b->w[i] ? -1 : 1;
  }
  return 0;
}

/* a -= b; a must not be smaller. */
static inline void big_subtract(skep_big *a, const skep_big *b) {
  int64_t borrow = 0;
  for (uint32_t i = 0; i < a->n; i++) {
    int64_t v = (int64_t)a->w[i] - (i < b->n ? b->w[i] : 0) + borrow;
    a->w[i] = (uint32_t)v;
    borrow = v >> 32; /* -1 or 0 */
  }
  assert(borrow == 0);
  while (a->n != 0 && a->w[a->n - 1] == 0) a->n--;
}

static inline void big_add(skep_big *a, const skep_big *b) {
  uint64_t carry = 0;
  while (a->n < b->n) a->w[a->n++] = 0;
  for (uint32_t i = 0; i < a->n; i++) {
    carry += (uint64_t)a->w[i] + (i < b->n ? b->w[i] : 0);
    a->w[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry == 0) return;
  assert(a->n < SKEP_BIG_WORDS);
  a->w[a->n++] = (uint32_t)carry;
}

static inline uint32_t big_bits(const skep_big *b) {
  return b->n == 0 ? 0 : b->n * 32 - (uint32_t)__builtin_clz(b->w[b->n - 1]);
}

/* Divides a by b in place where the quotient is known to be below 10; a keeps the remainder. */
static inline unsigned big_digit(skep_big *a, const skep_big *b) {
  unsigned digit = 0;
  for (; big_compare(a, b) >= 0; digit++) big_subtract(a, b);
  return digit;
}

#endif
