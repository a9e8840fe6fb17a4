/* For tests and benchmarks of this layer: writes the run forms of ORC, one function a form. The caller chooses form and
 * width, so that every one can be met, whatever a real writer would choose. Buffers never shrink and are never freed
 * early: tests only. */
#ifndef ORC_TEST_ENCODE_H
#define ORC_TEST_ENCODE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

typedef struct test_out {
  uint8_t *bytes;
  size_t size, capacity;
} test_out;

static inline void test_put(test_out *o, uint64_t byte) {
  if (o->size == o->capacity) {
    o->capacity = o->capacity * 2 + 64;
    o->bytes = realloc(o->bytes, o->capacity);
    if (o->bytes == NULL) abort();
  }
  o->bytes[o->size++] = (uint8_t)byte;
}

static inline void test_put_varint(test_out *o, unsigned __int128 v) {
  for (; v >= 128; v >>= 7) test_put(o, (uint64_t)(v & 0x7f) | 0x80);
  test_put(o, (uint64_t)v);
}

/* n values of `width` bits, highest bit first, the last byte filled with zeros. */
static inline void test_put_packed(test_out *o, uint32_t width, const uint64_t *values, size_t n) {
  uint32_t byte = 0, used = 0;
  for (size_t i = 0; i < n; i++) {
    for (uint32_t bit = width; bit-- > 0;) {
      byte = byte << 1 | (uint32_t)(values[i] >> bit & 1);
      if (++used == 8) {
        test_put(o, byte);
        byte = used = 0;
      }
    }
  }
  if (used != 0) test_put(o, byte << (8 - used));
}

/* Five-bit code of a width that has one (ORC Specification v1, "Direct"). */
static inline uint32_t test_width_code(uint32_t width) {
  return width <= 24 ? width - 1 : width <= 32 ? 23 + (width - 24) / 2 : 27 + (width - 32) / 8;
}
static const uint8_t test_widths[32] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16,
                                        17, 18, 19, 20, 21, 22, 23, 24, 26, 28, 30, 32, 40, 48, 56, 64};

static inline void test_put_v2_header(test_out *o, uint32_t form, uint32_t code, size_t length_field) {
  test_put(o, form << 6 | code << 1 | (uint32_t)(length_field >> 8));
  test_put(o, length_field & 0xff);
}

/* values: as stored, that is after zigzag for signed streams. */
static inline void test_put_direct(test_out *o, uint32_t width, const uint64_t *values, size_t n) {
  test_put_v2_header(o, 1, test_width_code(width), n - 1);
  test_put_packed(o, width, values, n);
}

static inline void test_put_short_repeat(test_out *o, uint32_t n_bytes, uint64_t value, size_t n) {
  test_put(o, (n_bytes - 1) << 3 | (uint32_t)(n - 3));
  for (uint32_t i = n_bytes; i-- > 0;) test_put(o, value >> (8 * i) & 0xff);
}

/* width 0: a fixed delta, no deltas stored. n - 2 deltas otherwise. `first` as stored. */
static inline void test_put_delta(test_out *o, uint32_t width, uint64_t first, int64_t step, const uint64_t *deltas,
                                  size_t n) {
  test_put_v2_header(o, 3, width == 0 ? 0 : test_width_code(width), n - 1);
  test_put_varint(o, first);
  test_put_varint(o, skep_zigzag(step));
  if (width != 0) test_put_packed(o, width, deltas, n - 2);
}

/* patches: gap << patch_width | bits. base_magnitude with `negative`. */
static inline void test_put_patched(test_out *o, uint32_t width, const uint64_t *values, size_t n, bool negative,
                                    uint64_t base_magnitude, uint32_t base_bytes, uint32_t patch_width,
                                    uint32_t gap_width, const uint64_t *patches, size_t n_patches) {
  uint32_t together = patch_width + gap_width, i = 0;
  test_put_v2_header(o, 2, test_width_code(width), n - 1);
  test_put(o, (base_bytes - 1) << 5 | test_width_code(patch_width));
  test_put(o, (gap_width - 1) << 5 | (uint32_t)n_patches);
  if (negative) base_magnitude |= (uint64_t)1 << (8 * base_bytes - 1);
  for (uint32_t k = base_bytes; k-- > 0;) test_put(o, base_magnitude >> (8 * k) & 0xff);
  test_put_packed(o, width, values, n);
  while (test_widths[i] < together) i++;
  test_put_packed(o, test_widths[i], patches, n_patches);
}

/* Version 1; values as stored. */
static inline void test_put_v1_repeat(test_out *o, uint64_t first, int8_t delta, size_t n) {
  test_put(o, n - 3);
  test_put(o, (uint8_t)delta);
  test_put_varint(o, first);
}
static inline void test_put_v1_literals(test_out *o, const uint64_t *values, size_t n) {
  test_put(o, 256 - n);
  for (size_t i = 0; i < n; i++) test_put_varint(o, values[i]);
}

/* Byte runs, as a writer would choose them. */
static inline void test_put_bytes(test_out *o, const uint8_t *values, size_t n) {
  size_t i = 0;
  while (i < n) {
    size_t same = 1, literals = 0;
    while (i + same < n && same < 130 && values[i + same] == values[i]) same++;
    if (same >= 3) {
      test_put(o, same - 3);
      test_put(o, values[i]);
      i += same;
      continue;
    }
    while (i + literals < n && literals < 128) {
      const uint8_t *v = values + i + literals;
      if (n - i - literals >= 3 && v[0] == v[1] && v[1] == v[2]) break;
      literals++;
    }
    test_put(o, 256 - literals);
    for (size_t k = 0; k < literals; k++) test_put(o, values[i + k]);
    i += literals;
  }
}

static inline uint64_t test_random(uint64_t *state) { /* splitmix64 */
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

#endif
