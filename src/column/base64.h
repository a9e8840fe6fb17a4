/* Base64's alphabet and its texts. Readers differ in what they forgive, so decoding is theirs. */
#ifndef COLUMN_BASE64_H
#define COLUMN_BASE64_H

#include "base/buf.h"
#include "base/bytes.h"

/* 0 to 63, or -1: not of the alphabet. */
static inline int skep_base64_digit(uint8_t c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Appends the text of `bytes`; padded: with '=' up to a multiple of four. */
static inline void skep_base64_put(skep_bytes bytes, bool padded, skep_buf *out) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < bytes.left; i += 3) {
    size_t n = bytes.left - i < 3 ? bytes.left - i : 3;
    uint32_t v = 0;
    for (size_t k = 0; k < 3; k++) v = v << 8 | (k < n ? bytes.at[i + k] : 0u);
    for (size_t k = 0; k <= n; k++) skep_buf_byte(out, (uint8_t)digits[v >> (18 - 6 * k) & 63]);
    for (size_t k = n; padded && k < 3; k++) skep_buf_byte(out, '=');
  }
}

#endif
