/* Decompression of one chunk: a thin, uniform layer over libdeflate, snappy, lz4, zstd and our own LZO decoder. All of
 * them decode a whole chunk from memory into memory, so none needs a streaming state. */
#include "orc/codec.h"

#include <limits.h>

#include <libdeflate.h>
#include <lz4.h>
#include <snappy-c.h>
#include <zstd.h>

#include "base/err.h"

struct skep_orc_decompressor {
  const skep_ctx *ctx;
  skep_orc_codec codec;
  struct libdeflate_decompressor *deflate; /* ZLIB only */
  ZSTD_DCtx *zstd;                         /* ZSTD only */
};

const char *skep_orc_codec_name(unsigned codec) {
  static const char *const names[] = {"none", "zlib", "snappy", "lzo", "lz4", "zstd", "brotli"};
  return codec < sizeof names / sizeof names[0] ? names[codec] : "unknown";
}

skep_status skep_orc_decompressor_new(const skep_ctx *ctx, skep_orc_codec codec, skep_orc_decompressor **out,
                                      skep_err *err) {
  *out = NULL;
  if (codec <= SKEP_ORC_NONE || codec >= SKEP_ORC_BROTLI)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "compression codec %u (%s)", (unsigned)codec,
                     skep_orc_codec_name((unsigned)codec));
  skep_orc_decompressor *d = skep_alloc_zero(ctx, 1, sizeof *d);
  if (d == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "decompressor of %zu bytes", sizeof *d);
  d->ctx = ctx;
  d->codec = codec;
  /* The two libraries take replacement allocators only process-wide or in unstable parts of their interface: they use
   * malloc. */
  if (codec == SKEP_ORC_ZLIB) d->deflate = libdeflate_alloc_decompressor();
  if (codec == SKEP_ORC_ZSTD) d->zstd = ZSTD_createDCtx();
  if ((codec == SKEP_ORC_ZLIB && d->deflate == NULL) || (codec == SKEP_ORC_ZSTD && d->zstd == NULL)) {
    skep_orc_decompressor_free(d);
    return skep_fail(err, SKEP_ERR_NOMEM, "state of the %s decompressor", skep_orc_codec_name((unsigned)codec));
  }
  *out = d;
  return SKEP_OK;
}

void skep_orc_decompressor_free(skep_orc_decompressor *d) {
  if (d == NULL) return;
  if (d->deflate != NULL) libdeflate_free_decompressor(d->deflate);
  if (d->zstd != NULL) ZSTD_freeDCtx(d->zstd);
  skep_release(d->ctx, d);
}

static skep_status too_large(const skep_orc_decompressor *d, size_t out_capacity, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "%s chunk holds more than the block size of %zu bytes",
                   skep_orc_codec_name((unsigned)d->codec), out_capacity);
}

static skep_status damaged(const skep_orc_decompressor *d, size_t in_size, const char *detail, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "%s chunk of %zu bytes does not decompress%s%s",
                   skep_orc_codec_name((unsigned)d->codec), in_size, detail[0] == '\0' ? "" : ": ", detail);
}

/* Bytes behind the end of the deflate stream are ignored, as the Java and C++ readers do. */
static skep_status inflate(skep_orc_decompressor *d, const uint8_t *in, size_t in_size, uint8_t *out,
                           size_t out_capacity, size_t *out_size, skep_err *err) {
  size_t used;
  switch (libdeflate_deflate_decompress_ex(d->deflate, in, in_size, out, out_capacity, &used, out_size)) {
    case LIBDEFLATE_SUCCESS:
      return SKEP_OK;
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      return too_large(d, out_capacity, err);
    default:
      return damaged(d, in_size, "", err);
  }
}

static skep_status unsnap(skep_orc_decompressor *d, const uint8_t *in, size_t in_size, uint8_t *out,
                          size_t out_capacity, size_t *out_size, skep_err *err) {
  size_t length = 0;
  if (snappy_uncompressed_length((const char *)in, in_size, &length) != SNAPPY_OK)
    return damaged(d, in_size, "no length", err);
  if (length > out_capacity) return too_large(d, out_capacity, err);
  if (snappy_uncompress((const char *)in, in_size, (char *)out, &length) != SNAPPY_OK)
    return damaged(d, in_size, "", err);
  *out_size = length;
  return SKEP_OK;
}

static skep_status unlz4(skep_orc_decompressor *d, const uint8_t *in, size_t in_size, uint8_t *out, size_t out_capacity,
                         size_t *out_size, skep_err *err) {
  if (in_size > INT_MAX) return skep_fail(err, SKEP_ERR_LIMIT, "lz4 chunk of %zu bytes", in_size);
  int capacity = out_capacity > INT_MAX ? INT_MAX : (int)out_capacity;
  int n = LZ4_decompress_safe((const char *)in, (char *)out, (int)in_size, capacity);
  if (n < 0) return damaged(d, in_size, "", err); /* lz4 does not tell a full buffer from damage */
  *out_size = (size_t)n;
  return SKEP_OK;
}

static skep_status unzstd(skep_orc_decompressor *d, const uint8_t *in, size_t in_size, uint8_t *out,
                          size_t out_capacity, size_t *out_size, skep_err *err) {
  size_t n = ZSTD_decompressDCtx(d->zstd, out, out_capacity, in, in_size);
  if (ZSTD_isError(n)) return damaged(d, in_size, ZSTD_getErrorName(n), err);
  *out_size = n;
  return SKEP_OK;
}

skep_status skep_orc_decompress(skep_orc_decompressor *d, const uint8_t *in, size_t in_size, uint8_t *out,
                                size_t out_capacity, size_t *out_size, skep_err *err) {
  *out_size = 0;
  /* No codec writes an empty body; some of the libraries would take it as no data, or read a byte of it. */
  if (in_size == 0) return damaged(d, in_size, "empty body", err);
  switch (d->codec) {
    case SKEP_ORC_ZLIB:
      return inflate(d, in, in_size, out, out_capacity, out_size, err);
    case SKEP_ORC_SNAPPY:
      return unsnap(d, in, in_size, out, out_capacity, out_size, err);
    case SKEP_ORC_LZO:
      return skep_lzo_decompress(in, in_size, out, out_capacity, out_size, err);
    case SKEP_ORC_LZ4:
      return unlz4(d, in, in_size, out, out_capacity, out_size, err);
    case SKEP_ORC_ZSTD:
      return unzstd(d, in, in_size, out, out_capacity, out_size, err);
    case SKEP_ORC_NONE:
    case SKEP_ORC_BROTLI:
      break;
  }
  return skep_fail(err, SKEP_ERR_INTERNAL, "decompressor of codec %u", (unsigned)d->codec);
}

/* in * factor + extra, but never above max. */
static size_t bound(size_t in_size, size_t factor, size_t extra, size_t max) {
  return in_size >= max / factor ? max : (in_size * factor + extra < max ? in_size * factor + extra : max);
}

size_t skep_orc_decompress_bound(const skep_orc_decompressor *d, const uint8_t *in, size_t in_size, size_t max) {
  size_t length = 0;
  switch (d->codec) {
    case SKEP_ORC_ZLIB:
      return bound(in_size, 1032, 258, max); /* two bits for 258 bytes at best */
    case SKEP_ORC_SNAPPY:
      if (snappy_uncompressed_length((const char *)in, in_size, &length) == SNAPPY_OK && length < max) return length;
      return max;
    case SKEP_ORC_LZO:
    case SKEP_ORC_LZ4:
      return bound(in_size, 256, 64, max); /* a length byte of 255 stands for 255 bytes */
    case SKEP_ORC_ZSTD: {
      unsigned long long said = ZSTD_getFrameContentSize(in, in_size);
      bool known = said != ZSTD_CONTENTSIZE_UNKNOWN && said != ZSTD_CONTENTSIZE_ERROR && said < max;
      return known && ZSTD_findFrameCompressedSize(in, in_size) == in_size ? (size_t)said : max;
    }
    case SKEP_ORC_NONE:
    case SKEP_ORC_BROTLI:
      break;
  }
  return max;
}
