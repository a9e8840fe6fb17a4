/* Shared by the text files of this folder only: number formatting in both of Java's flavours, and writing into a buffer
 * whose room was made beforehand. */
#ifndef COLUMN_TEXT_INT_H
#define COLUMN_TEXT_INT_H

#include <string.h>

#include "column/text.h"

/* Two ASCII digits for each of 0..99. */
extern const char skep_text_digit_pairs[201];

static inline uint8_t *text_put_pair(uint8_t *at, unsigned v) {
  memcpy(at, skep_text_digit_pairs + 2 * v, 2);
  return at + 2;
}

/* Exactly four or eight digits, zeros in front. */
static inline uint8_t *text_put_four(uint8_t *at, uint32_t v) {
  text_put_pair(at, v / 100);
  return text_put_pair(at + 2, v % 100);
}
static inline uint8_t *text_put_eight(uint8_t *at, uint32_t v) {
  text_put_four(at, v / 10000);
  return text_put_four(at + 4, v % 10000);
}

/* Decimal digits of v at `at` (room for 20); returns the end. */
uint8_t *skep_text_put_u64(uint8_t *at, uint64_t v);

static inline unsigned text_count_digits(uint64_t v) {
  static const uint64_t pow10[20] = {0,
                                     10,
                                     100,
                                     1000,
                                     10000,
                                     100000,
                                     1000000,
                                     10000000,
                                     100000000,
                                     1000000000,
                                     10000000000,
                                     100000000000,
                                     1000000000000,
                                     10000000000000,
                                     100000000000000,
                                     1000000000000000,
                                     10000000000000000,
                                     100000000000000000,
                                     1000000000000000000,
                                     10000000000000000000u};
  unsigned bits = 64 - (unsigned)__builtin_clzll(v | 1);
  unsigned guess = bits * 1233 >> 12; /* bits * log10(2), never too large by more than the correction below */
  return guess + (v >= pow10[guess]);
}

/* Which decimal stands for a binary number when several would read back as it. */
typedef enum skep_float_flavour {
  SKEP_FLOAT_HIVE, /* as the JDKs up to 18, on which every Hive release runs: see text_float.c for where it differs */
  SKEP_FLOAT_SHORTEST /* always the fewest digits, the closest among those */
} skep_float_flavour;

enum { SKEP_FLOAT_TEXT_BYTES = 32 };

/* The text at `at` (room for SKEP_FLOAT_TEXT_BYTES); returns the end. NaN, Infinity and -Infinity included. */
uint8_t *skep_text_put_f64(uint8_t *at, double v, skep_float_flavour flavour);
uint8_t *skep_text_put_f32(uint8_t *at, float v, skep_float_flavour flavour);

/* A number of any notation as floor(v * 10^scale), for comparing columns of whole numbers and decimals with any
 * literal. */
typedef enum skep_scaled_text {
  SKEP_SCALED_NO_NUMBER,
  SKEP_SCALED_OK,
  SKEP_SCALED_TOO_SMALL, /* below -10^38, -Infinity */
  SKEP_SCALED_TOO_LARGE  /* above 10^38, Infinity, NaN */
} skep_scaled_text;

skep_scaled_text skep_parse_scaled(skep_bytes text, unsigned scale, skep_i128 *floor, bool *exact);

#endif
