/* For tests: chunks of ORC streams, written with the codecs' own libraries (LZO: literals only, by hand). */
#ifndef ORC_TEST_COMPRESS_H
#define ORC_TEST_COMPRESS_H

#include <libdeflate.h>
#include <lz4.h>
#include <snappy-c.h>
#include <zstd.h>

#include "orc/codec.h"
#include "orc/test_encode.h"

/* LZO1X: one literal run and the end marker. Runs of 1..3 need the form for the start of a stream, and so do up to 238.
 */
static inline size_t test_lzo_literals(const uint8_t *in, size_t n, uint8_t *out) {
  size_t at = 0;
  if (n > 0 && n <= 238) {
    out[at++] = (uint8_t)(17 + n);
  } else if (n > 238) {
    size_t rest = n - 18;
    out[at++] = 0;
    for (; rest > 255; rest -= 255) out[at++] = 0;
    out[at++] = (uint8_t)rest;
  }
  memcpy(out + at, in, n);
  at += n;
  memcpy(out + at, "\x11\x00\x00", 3);
  return at + 3;
}

/* The compressed body of a chunk; free it. */
static inline uint8_t *test_compress(skep_orc_codec codec, const uint8_t *in, size_t n, size_t *size) {
  static struct libdeflate_compressor *deflate; /* kept for the life of the test: they are large */
  static ZSTD_CCtx *zstd;
  if (deflate == NULL) deflate = libdeflate_alloc_compressor(6);
  if (zstd == NULL) zstd = ZSTD_createCCtx();
  size_t capacity = 2 * n + 1024;
  uint8_t *out = malloc(capacity);
  if (out == NULL) abort();
  *size = capacity;
  switch (codec) {
    case SKEP_ORC_ZLIB:
      *size = libdeflate_deflate_compress(deflate, in, n, out, capacity);
      break;
    case SKEP_ORC_SNAPPY:
      if (snappy_compress((const char *)in, n, (char *)out, size) != SNAPPY_OK) abort();
      break;
    case SKEP_ORC_LZO:
      *size = test_lzo_literals(in, n, out);
      break;
    case SKEP_ORC_LZ4:
      *size = (size_t)LZ4_compress_default((const char *)in, (char *)out, (int)n, (int)capacity);
      break;
    case SKEP_ORC_ZSTD:
      *size = ZSTD_compressCCtx(zstd, out, capacity, in, n, 3);
      break;
    case SKEP_ORC_NONE:
    case SKEP_ORC_BROTLI:
      abort();
  }
  return out;
}

static inline void test_put_chunk_header(test_out *o, size_t length, bool original) {
  for (unsigned i = 0; i < 3; i++) test_put(o, (length << 1 | original) >> (8 * i) & 0xff);
}

static inline void test_put_chunk(test_out *o, skep_orc_codec codec, bool original, const uint8_t *in, size_t n) {
  size_t size = n;
  uint8_t *body = original ? NULL : test_compress(codec, in, n, &size);
  const uint8_t *from = original ? in : body;
  test_put_chunk_header(o, size, original);
  for (size_t i = 0; i < size; i++) test_put(o, from[i]);
  free(body);
}

#endif
