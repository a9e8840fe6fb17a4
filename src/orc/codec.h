/* Compression codecs of ORC chunks. Source: ORC Specification v1, "Compression". */
#ifndef ORC_CODEC_H
#define ORC_CODEC_H

#include "base/ctx.h"

/* Numbers as in the postscript (CompressionKind). */
typedef enum skep_orc_codec {
  SKEP_ORC_NONE = 0,
  SKEP_ORC_ZLIB = 1, /* raw deflate, no header */
  SKEP_ORC_SNAPPY = 2,
  SKEP_ORC_LZO = 3, /* LZO1X */
  SKEP_ORC_LZ4 = 4, /* block format */
  SKEP_ORC_ZSTD = 5,
  SKEP_ORC_BROTLI = 6 /* refused */
} skep_orc_codec;

const char *skep_orc_codec_name(unsigned codec); /* "zlib"; "unknown" otherwise */

/* A decompressor holds the codec's working memory. One thread at a time. */
typedef struct skep_orc_decompressor skep_orc_decompressor;

SKEP_NODISCARD skep_status skep_orc_decompressor_new(const skep_ctx *ctx, skep_orc_codec codec,
                                                     skep_orc_decompressor **out, skep_err *err);
void skep_orc_decompressor_free(skep_orc_decompressor *d); /* accepts NULL */

/* One chunk's body into out (out_capacity bytes). *out_size is the decompressed size. SKEP_ERR_CORRUPT when the body is
 * damaged or holds more than out_capacity. Never writes outside out; may read nothing outside in. */
SKEP_NODISCARD skep_status skep_orc_decompress(skep_orc_decompressor *d, const uint8_t *in, size_t in_size,
                                               uint8_t *out, size_t out_capacity, size_t *out_size, skep_err *err);

/* An upper bound of the decompressed size of a chunk's body, at most `max`: what to reserve for it. Short bodies get
 * small bounds, so that thousands of small streams do not each hold a whole block. A damaged body may get any bound. */
size_t skep_orc_decompress_bound(const skep_orc_decompressor *d, const uint8_t *in, size_t in_size, size_t max);

/* LZO1X, own bounded decoder (lzo.c). */
SKEP_NODISCARD skep_status skep_lzo_decompress(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_capacity,
                                               size_t *out_size, skep_err *err);

#endif
