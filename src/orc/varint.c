/* Streams of zigzag varints: the digits of decimals. Source: ORC Specification v1, "Decimal Columns". */
#include "orc/varint.h"

#include "base/err.h"
#include "orc/rle.h"

static skep_status too_wide(const skep_orc_stream *in, unsigned bits, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "%s: a varint does not fit %u bits", in->what, bits);
}

static skep_status cut_off(const skep_orc_stream *in, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "%s: a varint is cut off, %zu bytes left", in->what,
                   (size_t)(in->end - in->at));
}

skep_status skep_varint_next_i64(skep_orc_stream *in, int64_t *out, size_t n, skep_err *err) {
  for (size_t i = 0; i < n; i++) {
    SKEP_TRY(skep_orc_stream_want(in, SKEP_VARINT_MAX_64, err));
    const uint8_t *p = in->at;
    uint64_t v;
    if (!skep_varint_unchecked(&p, &v)) return too_wide(in, 64, err);
    if (p > in->end) return cut_off(in, err);
    out[i] = skep_unzigzag(v);
    in->at = p;
  }
  return SKEP_OK;
}

/* A varint of up to 128 bits, under the rules of skep_varint_unchecked. */
static bool varint_128(const uint8_t **at, unsigned __int128 *out) {
  unsigned __int128 v = 0;
  const uint8_t *p = *at;
  for (unsigned i = 0; i < SKEP_VARINT_MAX_128; i++) {
    if (i == SKEP_VARINT_MAX_128 - 1 && p[i] > 3) return false; /* 18 * 7 + 2 = 128 */
    v |= (unsigned __int128)(p[i] & 0x7f) << (7 * i);
    if (p[i] < 0x80) {
      *out = v;
      *at = p + i + 1;
      return true;
    }
  }
  return false;
}

skep_status skep_varint_next_i128(skep_orc_stream *in, __int128 *out, size_t n, skep_err *err) {
  const __int128 limit = (__int128)10000000000000000000u * 10000000000000000000u; /* 10^38 */
  for (size_t i = 0; i < n; i++) {
    SKEP_TRY(skep_orc_stream_want(in, SKEP_VARINT_MAX_128, err));
    const uint8_t *p = in->at;
    unsigned __int128 wide;
    uint64_t v;
    if (skep_varint_unchecked(&p, &v)) {
      wide = v;
    } else if (!varint_128(&p, &wide)) {
      return in->end - in->at < SKEP_VARINT_MAX_128 ? cut_off(in, err) : too_wide(in, 128, err);
    }
    if (p > in->end) return cut_off(in, err);
    __int128 value = (__int128)(wide >> 1) ^ -(__int128)(wide & 1);
    if (value >= limit || value <= -limit)
      return skep_fail(err, SKEP_ERR_CORRUPT, "%s: a decimal has more than 38 digits", in->what);
    out[i] = value;
    in->at = p;
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
