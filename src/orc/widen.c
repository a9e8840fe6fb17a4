/* Widening and the check of bounds in one pass: eight values become two stores of 64 bytes. */
#include "orc/widen.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_X86 1
#include <immintrin.h>
#endif

bool skep_widen_plain(const int64_t *in, int64_t bound, __int128 *out, size_t n) {
  uint64_t outside = 0;
  for (size_t i = 0; i < n; i++) {
    out[i] = in[i];
    outside |= (uint64_t)((in[i] > bound) | (in[i] < -bound));
  }
  return outside == 0;
}

#ifdef HAVE_X86
/* Lanes of values (0 to 7) and of their signs (8 to 15) in turn. Returns how many values were widened. */
__attribute__((target("avx512f"))) static size_t avx512_widen(const int64_t *in, int64_t bound, __int128 *out, size_t n,
                                                              bool *fits) {
  const __m512i low = _mm512_set_epi64(11, 3, 10, 2, 9, 1, 8, 0), high = _mm512_set_epi64(15, 7, 14, 6, 13, 5, 12, 4);
  const __m512i most = _mm512_set1_epi64(bound), least = _mm512_set1_epi64(-bound);
  __mmask8 outside = 0;
  size_t i = 0;
  for (; n - i >= 8; i += 8) {
    __m512i v = _mm512_loadu_si512(in + i), sign = _mm512_srai_epi64(v, 63);
    outside |= _mm512_cmpgt_epi64_mask(v, most) | _mm512_cmplt_epi64_mask(v, least);
    _mm512_storeu_si512(out + i, _mm512_permutex2var_epi64(v, low, sign));
    _mm512_storeu_si512(out + i + 4, _mm512_permutex2var_epi64(v, high, sign));
  }
  *fits = outside == 0;
  return i;
}

__attribute__((target("avx2"))) static size_t avx2_widen(const int64_t *in, int64_t bound, __int128 *out, size_t n,
                                                         bool *fits) {
  const __m256i most = _mm256_set1_epi64x(bound), least = _mm256_set1_epi64x(-bound), zero = _mm256_setzero_si256();
  __m256i outside = zero;
  size_t i = 0;
  for (; n - i >= 4; i += 4) {
    __m256i v = _mm256_loadu_si256((const __m256i *)(in + i)), sign = _mm256_cmpgt_epi64(zero, v);
    outside = _mm256_or_si256(outside, _mm256_or_si256(_mm256_cmpgt_epi64(v, most), _mm256_cmpgt_epi64(least, v)));
    __m256i even = _mm256_unpacklo_epi64(v, sign), odd = _mm256_unpackhi_epi64(v, sign); /* values 0 2 and 1 3 */
    _mm256_storeu_si256((__m256i *)(out + i), _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256((__m256i *)(out + i + 2), _mm256_permute2x128_si256(even, odd, 0x31));
  }
  *fits = _mm256_testz_si256(outside, outside) != 0;
  return i;
}

/* The front of the values, as far as whole vectors go. */
static size_t widen_front(const int64_t *in, int64_t bound, __int128 *out, size_t n, bool *fits) {
  if (__builtin_cpu_supports("avx512f")) return avx512_widen(in, bound, out, n, fits);
  if (__builtin_cpu_supports("avx2")) return avx2_widen(in, bound, out, n, fits);
  return 0;
}
#else
static size_t widen_front(const int64_t *in, int64_t bound, __int128 *out, size_t n, bool *fits) {
  (void)in, (void)bound, (void)out, (void)n, (void)fits;
  return 0;
}
#endif

bool skep_widen(const int64_t *in, int64_t bound, __int128 *out, size_t n) {
  bool fits = true;
  size_t done = widen_front(in, bound, out, n, &fits);
  return skep_widen_plain(in + done, bound, out + done, n - done) && fits;
}
