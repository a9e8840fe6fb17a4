/* Varint decoding without a bounds check per byte, for this layer's decoders: they rely on the slack behind a window.
 */
#ifndef ORC_VARINT_H
#define ORC_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum {
  SKEP_VARINT_MAX_64 = 10, /* bytes of a varint below 2^64 */
  SKEP_VARINT_MAX_128 = 19 /* and below 2^128 */
};

/* The low seven bits of each of the eight bytes of w, joined. */
static inline uint64_t skep_varint_join(uint64_t w) {
  w = (w & UINT64_C(0x007f007f007f007f)) | (w & UINT64_C(0x7f007f007f007f00)) >> 1;
  w = (w & UINT64_C(0x00003fff00003fff)) | (w & UINT64_C(0x3fff00003fff0000)) >> 2;
  return (w & UINT64_C(0x000000000fffffff)) | (w & UINT64_C(0x0fffffff00000000)) >> 4;
}

/* The varint at *at; reads at most ten bytes from there, whatever they are. The caller checks afterwards that *at has
 * not passed the end of what is valid. False when the value needs more than 64 bits. */
static inline bool skep_varint_unchecked(const uint8_t **at, uint64_t *out) {
  const uint8_t *p = *at;
  if (p[0] < 0x80) {
    *out = p[0];
    *at = p + 1;
    return true;
  }
  uint64_t word = skep_load_le64(p), stops = ~word & UINT64_C(0x8080808080808080);
  if (stops != 0) {
    *out = skep_varint_join(word & (stops ^ (stops - 1))); /* bytes up to and with the first without a high bit */
    *at = p + (__builtin_ctzll(stops) >> 3) + 1;
    return true;
  }
  uint64_t low = skep_varint_join(word);
  if (p[8] < 0x80) {
    *out = low | (uint64_t)p[8] << 56;
    *at = p + 9;
    return true;
  }
  if (p[9] > 1) return false;
  *out = low | (uint64_t)(p[8] & 0x7f) << 56 | (uint64_t)p[9] << 63;
  *at = p + 10;
  return true;
}

/* Varints of at most 64 bits from *at up to `end`, into out[0..n): decodes until n values are there or fewer than 64
 * bytes are left (the caller goes on one by one), and moves *at behind the last one decoded. Returns how many;
 * *overflow is set, and *at left at the culprit, when one needs more than 64 bits. */
size_t skep_varint_bulk(const uint8_t **at, const uint8_t *end, uint64_t *out, size_t n, bool *overflow);

#endif
