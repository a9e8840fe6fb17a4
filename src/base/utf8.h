/* UTF-8 as RFC 3629 defines it: no overlong forms, no surrogates, nothing above U+10FFFF. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Length in bytes (1 to 4) of the valid sequence at `at`, of which `left` bytes may be read; 0 when there is none. */
static inline size_t skep_utf8_length(const uint8_t *at, size_t left) {
  if (left == 0) return 0;
  uint8_t c = at[0];
  if (c < 0x80) return 1;
  if (c < 0xc2 || c > 0xf4) return 0;
  size_t n = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
  if (left < n) return 0;
  uint8_t low = 0x80, high = 0xbf; /* bounds of the second byte: RFC 3629, section 4 */
  if (c == 0xe0) low = 0xa0;
  if (c == 0xed) high = 0x9f;
  if (c == 0xf0) low = 0x90;
  if (c == 0xf4) high = 0x8f;
  if (at[1] < low || at[1] > high) return 0;
  for (size_t i = 2; i < n; i++) {
    if ((at[i] & 0xc0) != 0x80) return 0;
  }
  return n;
}

/* How many bytes from the start are valid UTF-8: n when all are. */
static inline size_t skep_utf8_valid_length(const uint8_t *at, size_t n) {
  size_t i = 0;
  while (i < n) {
    uint64_t word;
    if (n - i >= sizeof word) {
      memcpy(&word, at + i, sizeof word);
      if ((word & UINT64_C(0x8080808080808080)) == 0) {
        i += sizeof word;
        continue;
      }
    }
    size_t length = skep_utf8_length(at + i, n - i);
    if (length == 0) break;
    i += length;
  }
  return i;
}

/* Where skep_utf8_length gave 0 (and left > 0): the length of what one U+FFFD stands for, the longest start of a
 * sequence that could have been continued, or one byte. Source: The Unicode Standard, section 3.9, "maximal subpart".
 */
static inline size_t skep_utf8_broken_length(const uint8_t *at, size_t left) {
  uint8_t probe[4] = {0x80, 0x80, 0x80, 0x80};
  for (size_t n = left < 3 ? left : 3; n > 1; n--) { /* is it well-formed when continued? */
    for (size_t i = 0; i < 4; i++) probe[i] = i < n ? at[i] : 0x80;
    if (skep_utf8_length(probe, 4) > n) return n;
  }
  return 1;
}

/* The code point of a valid sequence of `length` bytes, as skep_utf8_length gave it. */
static inline uint32_t skep_utf8_decode(const uint8_t *at, size_t length) {
  static const uint8_t first_mask[5] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  uint32_t c = at[0] & first_mask[length];
  for (size_t i = 1; i < length; i++) c = c << 6 | (at[i] & 0x3fu);
  return c;
}

#endif
