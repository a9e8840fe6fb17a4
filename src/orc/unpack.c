/* Bit unpacking in plain C, AVX2 and AVX-512 VBMI.
 *
 * The vector forms work on groups of eight values, which fill exactly `width` bytes: a byte shuffle brings the
 * big-endian bytes of each value into its lane in little-endian order, a variable shift drops the bits behind it, a
 * mask those before it. That needs a value with its leading bits to fit into a lane (fits_lane); the few other widths
 * take the plain way. Shuffles are computed anew in each call: that is a dozen instructions for up to 512 values, and
 * there are no tables to keep. */
#include "orc/unpack.h"

#include "base/bytes.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_X86 1
#include <immintrin.h>
#endif

static inline uint64_t low_bits(uint32_t width) { return width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1; }
static inline uint32_t unzigzag32(uint32_t v) { return (v >> 1) ^ (0 - (v & 1)); }

/* One value at a bit offset. Reads up to nine bytes. */
static inline uint64_t plain_value(const uint8_t *in, uint64_t bit, uint32_t width) {
  const uint8_t *p = in + (bit >> 3);
  uint32_t lead = (uint32_t)(bit & 7);
  uint64_t v = skep_load_be64(p) << lead;
  if (lead + width > 64) v |= (uint64_t)p[8] >> (8 - lead);
  return v >> (64 - width);
}

static void plain_u64(const uint8_t *in, uint32_t width, bool zigzag, uint64_t *out, size_t n) {
  if (zigzag) {
    for (size_t i = 0; i < n; i++) out[i] = (uint64_t)skep_unzigzag(plain_value(in, (uint64_t)i * width, width));
  } else {
    for (size_t i = 0; i < n; i++) out[i] = plain_value(in, (uint64_t)i * width, width);
  }
}

static void plain_u32(const uint8_t *in, uint32_t width, bool zigzag, uint32_t *out, size_t n) {
  if (zigzag) {
    for (size_t i = 0; i < n; i++) out[i] = unzigzag32((uint32_t)plain_value(in, (uint64_t)i * width, width));
  } else {
    for (size_t i = 0; i < n; i++) out[i] = (uint32_t)plain_value(in, (uint64_t)i * width, width);
  }
}

/* out[i] becomes start plus (minus) the sum of out[0..i]. */
static void add_up(uint64_t *out, size_t n, uint64_t start, bool down) {
  if (down) {
    for (size_t i = 0; i < n; i++) out[i] = start -= out[i];
  } else {
    for (size_t i = 0; i < n; i++) out[i] = start += out[i];
  }
}

#ifdef HAVE_X86

/* The most bits that can stand before a value in its first byte, given that values follow each other without a gap. */
static inline uint32_t max_lead(uint32_t width) {
  return (width & 1) != 0 ? 7 : (width & 2) != 0 ? 6 : (width & 4) != 0 ? 4 : 0;
}
static inline bool fits_lane(uint32_t width, uint32_t lane_bits) { return width + max_lead(width) <= lane_bits; }

__attribute__((target("avx2"))) static void avx2_u64(const uint8_t *in, uint32_t width, bool zigzag, uint64_t *out,
                                                     size_t n) {
  _Alignas(32) uint64_t index[8], shift[8], rest[8];
  uint32_t pair[4]; /* byte where the first value of a pair of lanes starts: each pair has a load of its own */
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t bit = i * width;
    if ((i & 1) == 0) pair[i / 2] = bit >> 3;
    index[i] = ((bit >> 3) - pair[i / 2]) * UINT64_C(0x0101010101010101) + UINT64_C(0x0001020304050607);
    shift[i] = 64 - width - (bit & 7);
  }
  const __m256i index_a = _mm256_load_si256((const __m256i *)index),
                index_b = _mm256_load_si256((const __m256i *)(index + 4));
  const __m256i shift_a = _mm256_load_si256((const __m256i *)shift),
                shift_b = _mm256_load_si256((const __m256i *)(shift + 4));
  const __m256i mask = _mm256_set1_epi64x((long long)low_bits(width)), one = _mm256_set1_epi64x(1);
  for (size_t i = 0; i < n; i += 8, in += width) {
    __m256i a = _mm256_loadu2_m128i((const __m128i *)(in + pair[1]), (const __m128i *)(in + pair[0]));
    __m256i b = _mm256_loadu2_m128i((const __m128i *)(in + pair[3]), (const __m128i *)(in + pair[2]));
    a = _mm256_and_si256(_mm256_srlv_epi64(_mm256_shuffle_epi8(a, index_a), shift_a), mask);
    b = _mm256_and_si256(_mm256_srlv_epi64(_mm256_shuffle_epi8(b, index_b), shift_b), mask);
    if (zigzag) {
      const __m256i zero = _mm256_setzero_si256();
      a = _mm256_xor_si256(_mm256_srli_epi64(a, 1), _mm256_sub_epi64(zero, _mm256_and_si256(a, one)));
      b = _mm256_xor_si256(_mm256_srli_epi64(b, 1), _mm256_sub_epi64(zero, _mm256_and_si256(b, one)));
    }
    uint64_t *to = n - i >= 8 ? out + i : rest;
    _mm256_storeu_si256((__m256i *)to, a);
    _mm256_storeu_si256((__m256i *)(to + 4), b);
    if (to == rest) memcpy(out + i, rest, (n - i) * sizeof *out);
  }
}

__attribute__((target("avx2"))) static void avx2_u32(const uint8_t *in, uint32_t width, bool zigzag, uint32_t *out,
                                                     size_t n) {
  _Alignas(32) uint32_t index[8], shift[8], rest[8];
  const uint32_t half = 4 * width / 8; /* byte where the fifth value starts */
  for (uint32_t i = 0; i < 8; i++) {
    uint32_t bit = i * width;
    index[i] = ((bit >> 3) - (i >= 4 ? half : 0)) * 0x01010101u + 0x00010203u;
    shift[i] = 32 - width - (bit & 7);
  }
  const __m256i index_v = _mm256_load_si256((const __m256i *)index),
                shift_v = _mm256_load_si256((const __m256i *)shift);
  const __m256i mask = _mm256_set1_epi32((int)low_bits(width)), one = _mm256_set1_epi32(1);
  for (size_t i = 0; i < n; i += 8, in += width) {
    __m256i v = _mm256_loadu2_m128i((const __m128i *)(in + half), (const __m128i *)in);
    v = _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi8(v, index_v), shift_v), mask);
    if (zigzag)
      v = _mm256_xor_si256(_mm256_srli_epi32(v, 1), _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(v, one)));
    if (n - i >= 8) {
      _mm256_storeu_si256((__m256i *)(out + i), v);
    } else {
      _mm256_store_si256((__m256i *)rest, v);
      memcpy(out + i, rest, (n - i) * sizeof *out);
    }
  }
}

#define TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")))

/* Eight lanes of 64 bits from the bytes at `in`. */
TARGET_AVX512 static inline __m512i avx512_lanes(const uint8_t *in, __m512i index, __m512i shift, __m512i mask,
                                                 bool zigzag) {
  __m512i v = _mm512_permutexvar_epi8(index, _mm512_loadu_si512(in));
  v = _mm512_and_si512(_mm512_srlv_epi64(v, shift), mask);
  if (!zigzag) return v;
  __m512i sign = _mm512_sub_epi64(_mm512_setzero_si512(), _mm512_and_si512(v, _mm512_set1_epi64(1)));
  return _mm512_xor_si512(_mm512_srli_epi64(v, 1), sign);
}

/* What avx512_lanes needs for a width: of lane i the byte where its value starts, once for each byte of the lane, and
 * the shift. Offsets stay within the 64 bytes of a load for all widths that fit a lane. */
TARGET_AVX512 static inline void avx512_plan(uint32_t width, __m512i *index, __m512i *shift, __m512i *mask) {
  const __m512i bit = _mm512_mul_epu32(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(width));
  const __m512i first = _mm512_shuffle_epi8(
      _mm512_srli_epi64(bit, 3),
      _mm512_set_epi64(0x0808080808080808, 0, 0x0808080808080808, 0, 0x0808080808080808, 0, 0x0808080808080808, 0));
  *index = _mm512_add_epi8(first, _mm512_set1_epi64(0x0001020304050607));
  *shift = _mm512_sub_epi64(_mm512_set1_epi64(64 - (int)width), _mm512_and_si512(bit, _mm512_set1_epi64(7)));
  *mask = _mm512_set1_epi64((long long)low_bits(width));
}

TARGET_AVX512 static void avx512_u64(const uint8_t *in, uint32_t width, bool zigzag, uint64_t *out, size_t n) {
  __m512i index, shift, mask;
  avx512_plan(width, &index, &shift, &mask);
  size_t i = 0;
  for (; n - i >= 8; i += 8, in += width) _mm512_storeu_si512(out + i, avx512_lanes(in, index, shift, mask, zigzag));
  if (i != n)
    _mm512_mask_storeu_epi64(out + i, (__mmask8)((1u << (n - i)) - 1), avx512_lanes(in, index, shift, mask, zigzag));
}

/* Widths that do not fit a 32-bit lane: through 64-bit lanes. */
TARGET_AVX512 static void avx512_u32_wide(const uint8_t *in, uint32_t width, bool zigzag, uint32_t *out, size_t n) {
  __m512i index, shift, mask;
  avx512_plan(width, &index, &shift, &mask);
  for (size_t i = 0; i < n; i += 8, in += width) {
    __mmask8 lanes = (__mmask8)(n - i >= 8 ? 0xff : (1u << (n - i)) - 1);
    _mm512_mask_cvtepi64_storeu_epi32(out + i, lanes, avx512_lanes(in, index, shift, mask, zigzag));
  }
}

TARGET_AVX512 static void avx512_u32(const uint8_t *in, uint32_t width, bool zigzag, uint32_t *out, size_t n) {
  const __m512i lane = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i bit = _mm512_mullo_epi32(lane, _mm512_set1_epi32((int)width));
  const __m512i spread = _mm512_broadcast_i32x4(_mm_set_epi32(0x0c0c0c0c, 0x08080808, 0x04040404, 0));
  const __m512i first = _mm512_shuffle_epi8(_mm512_srli_epi32(bit, 3), spread);
  const __m512i index = _mm512_add_epi8(first, _mm512_set1_epi32(0x00010203));
  const __m512i shift =
      _mm512_sub_epi32(_mm512_set1_epi32(32 - (int)width), _mm512_and_si512(bit, _mm512_set1_epi32(7)));
  const __m512i mask = _mm512_set1_epi32((int)low_bits(width)), one = _mm512_set1_epi32(1);
  for (size_t i = 0; i < n; i += 16, in += 2 * (size_t)width) {
    __m512i v = _mm512_permutexvar_epi8(index, _mm512_loadu_si512(in));
    v = _mm512_and_si512(_mm512_srlv_epi32(v, shift), mask);
    if (zigzag)
      v = _mm512_xor_si512(_mm512_srli_epi32(v, 1), _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_and_si512(v, one)));
    __mmask16 lanes = (__mmask16)(n - i >= 16 ? 0xffff : (1u << (n - i)) - 1);
    _mm512_mask_storeu_epi32(out + i, lanes, v);
  }
}

/* Sums within the eight lanes by three shifted additions, then the sum so far, which alone is carried from step to
 * step. */
TARGET_AVX512 static void avx512_sums(const uint8_t *in, uint32_t width, uint64_t start, bool down, uint64_t *out,
                                      size_t n) {
  __m512i index, shift, mask;
  avx512_plan(width, &index, &shift, &mask);
  const __m512i zero = _mm512_setzero_si512(), last = _mm512_set1_epi64(7);
  const __m512i flip = _mm512_set1_epi64(down ? -1 : 0); /* x ^ -1 - -1 = -x */
  __m512i sum = _mm512_set1_epi64((long long)start);
  for (size_t i = 0; i < n; i += 8, in += width) {
    __m512i v = avx512_lanes(in, index, shift, mask, false);
    v = _mm512_sub_epi64(_mm512_xor_si512(v, flip), flip);
    v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 7));
    v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 6));
    v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 4));
    v = _mm512_add_epi64(v, sum);
    sum = _mm512_permutexvar_epi64(last, v);
    __mmask8 lanes = (__mmask8)(n - i >= 8 ? 0xff : (1u << (n - i)) - 1);
    _mm512_mask_storeu_epi64(out + i, lanes, v);
  }
}

bool skep_unpack_is_usable(skep_unpack_kind kind) {
  switch (kind) {
    case SKEP_UNPACK_PLAIN:
      return true;
    case SKEP_UNPACK_AVX2:
      return __builtin_cpu_supports("avx2") != 0;
    case SKEP_UNPACK_AVX512:
      return __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512f");
    case SKEP_UNPACK_KINDS:
      break;
  }
  return false;
}

void skep_unpack_u64_as(skep_unpack_kind kind, const uint8_t *in, uint32_t width, bool zigzag, uint64_t *out,
                        size_t n) {
  if (kind == SKEP_UNPACK_PLAIN || !fits_lane(width, 64)) {
    plain_u64(in, width, zigzag, out, n);
  } else if (kind == SKEP_UNPACK_AVX2) {
    avx2_u64(in, width, zigzag, out, n);
  } else {
    avx512_u64(in, width, zigzag, out, n);
  }
}

void skep_unpack_u32_as(skep_unpack_kind kind, const uint8_t *in, uint32_t width, bool zigzag, uint32_t *out,
                        size_t n) {
  bool fits = fits_lane(width, 32);
  if (kind == SKEP_UNPACK_AVX512 && fits) {
    avx512_u32(in, width, zigzag, out, n);
  } else if (kind == SKEP_UNPACK_AVX512) {
    avx512_u32_wide(in, width, zigzag, out, n);
  } else if (kind == SKEP_UNPACK_AVX2 && fits) {
    avx2_u32(in, width, zigzag, out, n);
  } else {
    plain_u32(in, width, zigzag, out, n);
  }
}

void skep_unpack_sums_as(skep_unpack_kind kind, const uint8_t *in, uint32_t width, uint64_t start, bool down,
                         uint64_t *out, size_t n) {
  if (kind == SKEP_UNPACK_AVX512 && fits_lane(width, 64)) {
    avx512_sums(in, width, start, down, out, n);
  } else {
    skep_unpack_u64_as(kind, in, width, false, out, n);
    add_up(out, n, start, down);
  }
}

#else /* no x86: plain C only */

bool skep_unpack_is_usable(skep_unpack_kind kind) { return kind == SKEP_UNPACK_PLAIN; }

void skep_unpack_u64_as(skep_unpack_kind kind, const uint8_t *in, uint32_t width, bool zigzag, uint64_t *out,
                        size_t n) {
  (void)kind;
  plain_u64(in, width, zigzag, out, n);
}

void skep_unpack_u32_as(skep_unpack_kind kind, const uint8_t *in, uint32_t width, bool zigzag, uint32_t *out,
                        size_t n) {
  (void)kind;
  plain_u32(in, width, zigzag, out, n);
}

void skep_unpack_sums_as(skep_unpack_kind kind, const uint8_t *in, uint32_t width, uint64_t start, bool down,
                         uint64_t *out, size_t n) {
  (void)kind;
  plain_u64(in, width, false, out, n);
  add_up(out, n, start, down);
}

#endif

/* The compiler's runtime has looked at the processor before main: asking is a load and a test, and nothing of ours is
 * global. */
static inline skep_unpack_kind best(void) {
  if (skep_unpack_is_usable(SKEP_UNPACK_AVX512)) return SKEP_UNPACK_AVX512;
  return skep_unpack_is_usable(SKEP_UNPACK_AVX2) ? SKEP_UNPACK_AVX2 : SKEP_UNPACK_PLAIN;
}

void skep_unpack_u64(const uint8_t *in, uint32_t width, uint64_t *out, size_t n) {
  skep_unpack_u64_as(best(), in, width, false, out, n);
}

void skep_unpack_u32(const uint8_t *in, uint32_t width, uint32_t *out, size_t n) {
  skep_unpack_u32_as(best(), in, width, false, out, n);
}

void skep_unpack_zigzag_i64(const uint8_t *in, uint32_t width, int64_t *out, size_t n) {
  skep_unpack_u64_as(best(), in, width, true, (uint64_t *)out, n); /* corresponding types may alias */
}

void skep_unpack_zigzag_i32(const uint8_t *in, uint32_t width, int32_t *out, size_t n) {
  skep_unpack_u32_as(best(), in, width, true, (uint32_t *)out, n);
}

void skep_unpack_sums(const uint8_t *in, uint32_t width, uint64_t start, bool down, uint64_t *out, size_t n) {
  skep_unpack_sums_as(best(), in, width, start, down, out, n);
}
