/* Moving packed values to where the validity bitmap has them. */
#include "orc/spread.h"

#include <string.h>

#include "base/bytes.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_X86 1
#include <immintrin.h>
#endif

/* Bits [64 * word, 64 * word + 64) of a bitmap of n bits; bits behind n are 0. */
static uint64_t load_word(const uint8_t *bits, size_t word, size_t n) {
  size_t first = word * 64, left = n - first;
  if (left >= 64) return skep_load_le64(bits + word * 8);
  uint64_t v = 0;
  for (size_t i = 0; i < (left + 7) / 8; i++) v |= (uint64_t)bits[word * 8 + i] << (8 * i);
  return v & ((UINT64_C(1) << left) - 1);
}

/* Works down from the last entry: the source index never passes the target index, so in place is safe. `k` counts the
 * values that are not moved yet; once all of them stand where they are, nothing is left to do. */
#define SPREAD(name, type)                                                    \
  static void name(type *data, const uint8_t *validity, size_t n, size_t k) { \
    for (size_t word = (n + 63) / 64; word-- > 0;) {                          \
      size_t first = word * 64, count = n - first < 64 ? n - first : 64;      \
      if (k == first + count) return;                                         \
      uint64_t bits = load_word(validity, word, n);                           \
      if (bits == 0) {                                                        \
        memset(data + first, 0, count * sizeof *data);                        \
      } else if (count == 64 && bits == UINT64_MAX) {                         \
        k -= 64;                                                              \
        memmove(data + first, data + k, 64 * sizeof *data);                   \
      } else {                                                                \
        for (size_t i = count; i-- > 0;) {                                    \
          size_t valid = bits >> i & 1;                                       \
          type value = data[k == 0 ? 0 : k - 1];                              \
          data[first + i] = valid ? value : 0;                                \
          k -= valid;                                                         \
        }                                                                     \
      }                                                                       \
    }                                                                         \
  }

SPREAD(spread_1, uint8_t)
SPREAD(spread_2, uint16_t)
SPREAD(spread_4, uint32_t)
SPREAD(spread_8, uint64_t)
SPREAD(spread_16, unsigned __int128)

#ifdef HAVE_X86
#define TARGET_AVX512 __attribute__((target("avx512f,popcnt")))

static bool have_avx512(void) { return __builtin_cpu_supports("avx512f") != 0; }

/* Lanes [first, first + count) of the bitmap; first is a multiple of the lanes of a block, 8 or 16. */
static uint32_t lane_mask(const uint8_t *validity, size_t first, size_t count) {
  uint32_t bits = validity[first / 8];
  if (first % 8 + count > 8) bits |= (uint32_t)validity[first / 8 + 1] << 8;
  return (bits >> first % 8) & ((1u << count) - 1);
}

/* A block of lanes at a time, from the back: an expanding load reads just the values that belong to it. */
TARGET_AVX512 static void avx512_spread_4(uint32_t *data, const uint8_t *validity, size_t n, size_t k) {
  for (size_t first = (n - 1) / 16 * 16, count = n - first;; first -= 16, count = 16) {
    if (k == first + count) return;
    uint32_t mask = lane_mask(validity, first, count);
    k -= (size_t)__builtin_popcount(mask);
    __m512i lanes = _mm512_maskz_expandloadu_epi32((__mmask16)mask, data + k);
    _mm512_mask_storeu_epi32(data + first, (__mmask16)((1u << count) - 1), lanes);
    if (first == 0) return;
  }
}

TARGET_AVX512 static void avx512_spread_8(uint64_t *data, const uint8_t *validity, size_t n, size_t k) {
  for (size_t first = (n - 1) / 8 * 8, count = n - first;; first -= 8, count = 8) {
    if (k == first + count) return;
    uint32_t mask = lane_mask(validity, first, count);
    k -= (size_t)__builtin_popcount(mask);
    __m512i lanes = _mm512_maskz_expandloadu_epi64((__mmask8)mask, data + k);
    _mm512_mask_storeu_epi64(data + first, (__mmask8)((1u << count) - 1), lanes);
    if (first == 0) return;
  }
}

/* 16 bytes are two lanes of 8: every bit of the mask counts twice. */
TARGET_AVX512 static void avx512_spread_16(unsigned __int128 *data, const uint8_t *validity, size_t n, size_t k) {
  static const uint8_t TWICE[16] = {0x00, 0x03, 0x0c, 0x0f, 0x30, 0x33, 0x3c, 0x3f,
                                    0xc0, 0xc3, 0xcc, 0xcf, 0xf0, 0xf3, 0xfc, 0xff};
  for (size_t first = (n - 1) / 4 * 4, count = n - first;; first -= 4, count = 4) {
    if (k == first + count) return;
    uint32_t mask = lane_mask(validity, first, count);
    k -= (size_t)__builtin_popcount(mask);
    __m512i lanes = _mm512_maskz_expandloadu_epi64(TWICE[mask], data + k);
    _mm512_mask_storeu_epi64(data + first, (__mmask8)((1u << 2 * count) - 1), lanes);
    if (first == 0) return;
  }
}

/* Widths that the processor can expand; false: none was spread. */
static bool spread_fast(void *data, size_t width, const uint8_t *validity, size_t n, size_t n_values) {
  if (width < 4 || !have_avx512()) return false;
  if (width == 4) {
    avx512_spread_4(data, validity, n, n_values);
  } else if (width == 8) {
    avx512_spread_8(data, validity, n, n_values);
  } else {
    avx512_spread_16(data, validity, n, n_values);
  }
  return true;
}
#else
static bool spread_fast(void *data, size_t width, const uint8_t *validity, size_t n, size_t n_values) {
  (void)data, (void)width, (void)validity, (void)n, (void)n_values;
  return false;
}
#endif

void skep_spread(void *data, size_t width, const uint8_t *validity, size_t n, size_t n_values) {
  if (n_values == n || spread_fast(data, width, validity, n, n_values)) return;
  skep_spread_plain(data, width, validity, n, n_values);
}

void skep_spread_plain(void *data, size_t width, const uint8_t *validity, size_t n, size_t n_values) {
  if (n_values == n) return;
  switch (width) {
    case 1:
      spread_1(data, validity, n, n_values);
      return;
    case 2:
      spread_2(data, validity, n, n_values);
      return;
    case 4:
      spread_4(data, validity, n, n_values);
      return;
    case 8:
      spread_8(data, validity, n, n_values);
      return;
    default:
      spread_16(data, validity, n, n_values);
  }
}

/* Bits [at, at + 64) of a bitmap whose first n_bytes bytes may be read. */
static uint64_t bits_at(const uint8_t *bits, size_t at, size_t n_bytes) {
  size_t byte = at / 8, shift = at % 8;
  uint64_t low = 0, high = 0;
  for (size_t i = 0; i < 8 && byte + i < n_bytes; i++) low |= (uint64_t)bits[byte + i] << (8 * i);
  if (byte + 8 < n_bytes) high = bits[byte + 8];
  return shift == 0 ? low : low >> shift | high << (64 - shift);
}

/* Deposits the low bits of `source` at the ones of `mask`. */
static uint64_t deposit(uint64_t source, uint64_t mask) {
  uint64_t out = 0;
  for (; mask != 0; mask &= mask - 1, source >>= 1)
    if ((source & 1) != 0) out |= mask & (~mask + 1);
  return out;
}

void skep_spread_bits(const uint8_t *from, uint8_t *to, const uint8_t *validity, size_t n) {
  size_t used = 0, n_values = 0, n_words = (n + 63) / 64;
  for (size_t word = 0; word < n_words; word++) n_values += (size_t)__builtin_popcountll(load_word(validity, word, n));
  size_t n_bytes = (n_values + 7) / 8;
  for (size_t word = 0; word < n_words; word++) {
    uint64_t mask = load_word(validity, word, n);
    uint64_t value = deposit(bits_at(from, used, n_bytes), mask);
    used += (size_t)__builtin_popcountll(mask);
    size_t left = (n - word * 64 + 7) / 8;
    for (size_t i = 0; i < 8 && i < left; i++) to[word * 8 + i] = (uint8_t)(value >> (8 * i));
  }
}

void skep_bits_to_bytes(const uint8_t *bits, uint8_t *bytes, size_t n) {
  for (size_t i = 0; i < n; i++) bytes[i] = bits[i / 8] >> (i % 8) & 1;
}
