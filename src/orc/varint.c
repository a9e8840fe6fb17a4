/* Streams of zigzag varints: the digits of decimals. Source: ORC Specification v1, "Decimal Columns". */
#include "orc/varint.h"

#include "base/err.h"
#include "orc/rle.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_X86 1
#include <immintrin.h>
#endif

static skep_status too_wide(const skep_orc_stream *in, unsigned bits, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "%s: a varint does not fit %u bits", in->what, bits);
}

static skep_status cut_off(const skep_orc_stream *in, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "%s: a varint is cut off, %zu bytes left", in->what,
                   (size_t)(in->end - in->at));
}

/* One bit for each of 64 bytes: set where a varint ends (no high bit). */
static inline uint64_t ends_of_64(const uint8_t *p) {
  uint64_t mask = 0;
#ifdef HAVE_X86
  for (unsigned i = 0; i < 4; i++) {
    __m128i v = _mm_loadu_si128((const __m128i *)(p + (size_t)16 * i));
    mask |= (uint64_t)(uint32_t)_mm_movemask_epi8(v) << (16 * i);
  }
#else
  for (unsigned i = 0; i < 8; i++) {
    uint64_t high = skep_load_le64(p + (size_t)8 * i) >> 7 & UINT64_C(0x0101010101010101);
    mask |= (high * UINT64_C(0x0102040810204080) >> 56) << (8 * i); /* gathers the eight bits, first byte lowest */
  }
#endif
  return ~mask;
}

/* The value of `length` (1..10) bytes at p. */
static inline bool of_length(const uint8_t *p, unsigned length, uint64_t *out) {
  uint64_t word = skep_load_le64(p);
  if (length <= 8) {
    *out = skep_varint_join(word & (UINT64_MAX >> (64 - 8 * length)));
    return true;
  }
  *out = skep_varint_join(word) | (uint64_t)(p[8] & 0x7f) << 56;
  if (length == 10) *out |= (uint64_t)p[9] << 63;
  return length == 9 || (length == 10 && p[9] <= 1);
}

#ifdef HAVE_X86

static inline bool has_avx512(void) {
  return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vbmi") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512f");
}

/* The varints that end within 64 bytes, eight at a time: their starts and lengths as bytes, a shuffle of each into a
 * lane, and three steps that join neighbouring groups of 7, 14 and 28 bits. Returns how many of n, 0 when one is longer
 * than eight bytes; *used are their bytes. */
__attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vbmi2"))) static size_t avx512_block(const uint8_t *p,
                                                                                              uint64_t *out, size_t n,
                                                                                              size_t *used) {
  _Alignas(64) uint8_t ends_at[64];
  const __m512i byte = _mm512_set1_epi64(0x0706050403020100); /* the byte's number in its lane */
  __m512i lanes =
      _mm512_set_epi64(0x0707070707070707, 0x0606060606060606, 0x0505050505050505, 0x0404040404040404,
                       0x0303030303030303, 0x0202020202020202, 0x0101010101010101, 0); /* the lane's number */
  const __m512i data = _mm512_loadu_si512(p), iota = _mm512_add_epi8(byte, _mm512_slli_epi64(lanes, 3));
  const __mmask64 ends = ~_mm512_movepi8_mask(data);
  size_t count = (size_t)__builtin_popcountll(ends);
  if (count > n) count = n;
  const __m512i last = _mm512_maskz_compress_epi8(ends, iota), one = _mm512_set1_epi8(1);
  const __m512i before =
      _mm512_permutexvar_epi8(_mm512_sub_epi8(iota, one), last); /* of the value before; lane 0: see below */
  const __m512i start = _mm512_maskz_add_epi8(~(__mmask64)1, before, one);
  const __m512i length = _mm512_sub_epi8(_mm512_add_epi8(last, one), start);
  const __mmask64 wanted = count == 64 ? ~(__mmask64)0 : ((__mmask64)1 << count) - 1;
  if ((_mm512_cmpgt_epu8_mask(length, _mm512_set1_epi8(8)) & wanted) != 0 || count == 0) return 0;
  for (size_t i = 0; i < count; i += 8) {
    __m512i v = _mm512_permutexvar_epi8(_mm512_add_epi8(_mm512_permutexvar_epi8(lanes, start), byte), data);
    v = _mm512_maskz_mov_epi8(_mm512_cmplt_epu8_mask(byte, _mm512_permutexvar_epi8(lanes, length)), v);
    v = _mm512_and_si512(v, _mm512_set1_epi8(0x7f));
    v = _mm512_maddubs_epi16(_mm512_set1_epi16((short)0x8001), v); /* low byte + 128 * high byte */
    v = _mm512_madd_epi16(v, _mm512_set1_epi32(0x40000001));       /* low half + 2^14 * high half */
    v = _mm512_add_epi64(_mm512_and_si512(v, _mm512_set1_epi64(0xffffffff)),
                         _mm512_slli_epi64(_mm512_srli_epi64(v, 32), 28));
    _mm512_mask_storeu_epi64(out + i, (__mmask8)(count - i >= 8 ? 0xff : (1u << (count - i)) - 1), v);
    lanes = _mm512_add_epi8(lanes, _mm512_set1_epi8(8));
  }
  _mm512_store_si512(ends_at, last);
  *used = ends_at[count - 1] + (size_t)1;
  return count;
}

#endif

/* Finding the ends first takes them out of the chain from one value to the next: with a length found in each value, the
 * next load waits for it. Three to four times as fast on values of several bytes. */
size_t skep_varint_bulk(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t n, bool *overflow) {
  const uint8_t *p = *at;
  size_t done = 0;
  *overflow = false;
#ifdef HAVE_X86
  const bool wide = has_avx512();
#endif
  while (done < n && end - p >= 64) {
    uint64_t ends = ends_of_64(p);
    unsigned start = 0;
    if (ends == UINT64_MAX && n - done >= 64) { /* all of one byte */
      for (unsigned i = 0; i < 64; i++) out[done + i] = p[i];
      done += 64;
      p += 64;
      continue;
    }
#ifdef HAVE_X86
    size_t used, block = wide ? avx512_block(p, out + done, n - done, &used) : 0;
    if (block != 0) {
      done += block;
      p += used;
      continue;
    }
#endif
    for (; ends != 0 && done < n; ends &= ends - 1) {
      unsigned last = (unsigned)__builtin_ctzll(ends);
      if (!of_length(p + start, last + 1 - start, &out[done])) {
        *overflow = true;
        *at = p + start;
        return done;
      }
      done++;
      start = last + 1;
    }
    p += start;
    if (start == 0) { /* 64 bytes without an end */
      *overflow = true;
      break;
    }
  }
  *at = p;
  return done;
}

/* The next n varints of the stream; they may lie in several windows. */
static skep_status next_u64(skep_orc_stream *in, uint64_t *out, size_t n, skep_err *err) {
  bool overflow = false;
  while (n != 0) {
    SKEP_TRY(skep_orc_stream_want(in, SKEP_VARINT_MAX_64, err));
    size_t done = skep_varint_bulk(&in->at, in->end, out, n, &overflow);
    if (done == 0 && !overflow) {
      const uint8_t *p = in->at;
      overflow = !skep_varint_unchecked(&p, out);
      if (p > in->end || (overflow && in->end - p < SKEP_VARINT_MAX_64)) return cut_off(in, err); /* saw slack */
      if (!overflow) in->at = p;
      done = 1;
    }
    if (overflow) return too_wide(in, 64, err);
    out += done;
    n -= done;
  }
  return SKEP_OK;
}

skep_status skep_varint_next_i64(skep_orc_stream *in, int64_t *out, size_t n, skep_err *err) {
  SKEP_TRY(next_u64(in, (uint64_t *)out, n, err));
  for (size_t i = 0; i < n; i++) out[i] = skep_unzigzag((uint64_t)out[i]);
  return SKEP_OK;
}

/* A varint of up to 128 bits: 8 bytes hold 56 bits, the next 8 another 56, three more the rest. Reads at most 19 bytes.
 */
static bool varint_128(const uint8_t **at, unsigned __int128 *out) {
  const uint8_t *p = *at;
  uint64_t words[3] = {skep_load_le64(p), skep_load_le64(p + 8), skep_load_le32(p + 16) & 0xffffff};
  unsigned __int128 v = 0;
  for (unsigned i = 0; i < 3; i++) {
    uint64_t stops = ~words[i] & UINT64_C(0x8080808080808080);
    if (i == 2) stops &= 0x808080;
    if (stops == 0) {
      v |= (unsigned __int128)skep_varint_join(words[i]) << (56 * i);
      continue;
    }
    uint64_t last = skep_varint_join(words[i] & (stops ^ (stops - 1)));
    if (i == 2 && last > 0xffff) return false; /* 112 bits below */
    *out = v | (unsigned __int128)last << (56 * i);
    *at = p + 8 * i + (unsigned)__builtin_ctzll(stops) / 8 + 1;
    return true;
  }
  return false;
}

/* One value, however long. */
static skep_status next_128(skep_orc_stream *in, __int128 *out, skep_err *err) {
  const __int128 limit = (__int128)10000000000000000000u * 10000000000000000000u; /* 10^38 */
  unsigned __int128 wide;
  SKEP_TRY(skep_orc_stream_want(in, SKEP_VARINT_MAX_128, err));
  const uint8_t *p = in->at;
  if (!varint_128(&p, &wide)) return in->end - in->at < SKEP_VARINT_MAX_128 ? cut_off(in, err) : too_wide(in, 128, err);
  if (p > in->end) return cut_off(in, err);
  __int128 value = (__int128)(wide >> 1) ^ -(__int128)(wide & 1);
  if (value >= limit || value <= -limit)
    return skep_fail(err, SKEP_ERR_CORRUPT, "%s: a decimal has more than 38 digits", in->what);
  *out = value;
  in->at = p;
  return SKEP_OK;
}

/* Most values are short even in wide decimals: in bulk as long as they fit 64 bits, then one by one for a while. */
skep_status skep_varint_next_i128(skep_orc_stream *in, __int128 *out, size_t n, skep_err *err) {
  enum { BLOCK = 64, SINGLE = 16 };
  uint64_t block[BLOCK];
  while (n != 0) {
    bool overflow;
    SKEP_TRY(skep_orc_stream_want(in, SKEP_VARINT_MAX_128, err));
    size_t done = skep_varint_bulk(&in->at, in->end, block, n < BLOCK ? n : BLOCK, &overflow);
    for (size_t i = 0; i < done; i++) out[i] = skep_unzigzag(block[i]);
    for (size_t single = 0; done < n && (overflow || done == 0) && single < SINGLE; single++)
      SKEP_TRY(next_128(in, &out[done++], err));
    out += done;
    n -= done;
  }
  return SKEP_OK;
}

/* Bytes of the first `*n` varints among `left` bytes, or all of them; *n becomes how many are still missing. */
static size_t skip_bytes(const uint8_t *at, size_t left, uint64_t *n) {
  size_t i = 0;
  while (left - i >= 8) {
    uint64_t ends = (uint64_t)__builtin_popcountll(~skep_load_le64(at + i) & UINT64_C(0x8080808080808080));
    if (ends > *n) break;
    *n -= ends;
    i += 8;
    if (*n == 0) {
      /* The last varint may have ended before the word did. */
      while ((at[i - 1] & 0x80) != 0) i--;
      return i;
    }
  }
  while (i < left && *n != 0) *n -= (uint64_t)((at[i++] & 0x80) == 0);
  return i;
}

skep_status skep_varint_skip(skep_orc_stream *in, uint64_t n, skep_err *err) {
  while (n != 0) {
    SKEP_TRY(skep_orc_stream_want(in, 1, err));
    if (in->at == in->end) return cut_off(in, err);
    in->at += skip_bytes(in->at, (size_t)(in->end - in->at), &n);
  }
  return SKEP_OK;
}
