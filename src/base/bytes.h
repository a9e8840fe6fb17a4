/* A cursor over untrusted bytes that cannot overrun, and byte-order-naming loads. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct skep_bytes {
  const uint8_t *at;
  size_t left;
} skep_bytes;

static inline skep_bytes skep_bytes_of(const void *data, size_t size) {
  return (skep_bytes){(const uint8_t *)data, size};
}

/* Both NULL, or equal. */
static inline bool skep_same_text(const char *a, const char *b) {
  return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static inline bool skep_ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

/* The next n bytes as a cursor of their own; false and nothing moved when fewer are left. */
static inline bool skep_bytes_take(skep_bytes *b, size_t n, skep_bytes *out) {
  if (n > b->left) return false;
  *out = (skep_bytes){b->at, n};
  if (n != 0) b->at += n; /* no arithmetic on a NULL start */
  b->left -= n;
  return true;
}

static inline bool skep_bytes_u8(skep_bytes *b, uint8_t *out) {
  if (b->left == 0) return false;
  *out = *b->at++;
  b->left--;
  return true;
}

/* Unsigned base-128 varint, at most 10 bytes, value below 2^64. Source: ORC Specification v1, "Base 128 Varint". */
static inline bool skep_bytes_uvarint(skep_bytes *b, uint64_t *out) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint8_t c;
    if (!skep_bytes_u8(b, &c)) return false;
    if (shift == 63 && c > 1) return false;
    value |= (uint64_t)(c & 0x7f) << shift;
    if ((c & 0x80) == 0) {
      *out = value;
      return true;
    }
  }
  return false;
}

static inline int64_t skep_unzigzag(uint64_t v) { return (int64_t)(v >> 1) ^ -(int64_t)(v & 1); }
static inline uint64_t skep_zigzag(int64_t v) { return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63); }

static inline uint32_t skep_load_le32(const void *p) {
  uint32_t v;
  memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap32(v);
#endif
  return v;
}
static inline uint64_t skep_load_le64(const void *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  return v;
}
static inline uint32_t skep_load_be32(const void *p) {
  uint32_t v;
  memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  v = __builtin_bswap32(v);
#endif
  return v;
}
static inline uint64_t skep_load_be64(const void *p) {
  uint64_t v;
  memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  return v;
}

#endif
