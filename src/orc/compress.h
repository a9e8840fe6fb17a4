/* Compression of one chunk: the other direction of codec.h. */
#ifndef ORC_COMPRESS_H
#define ORC_COMPRESS_H

#include "base/buf.h"
#include "orc/codec.h"

/* Holds the codec's working memory. One thread at a time. */
typedef struct skep_orc_compressor skep_orc_compressor;

enum { SKEP_ORC_LEVEL_DEFAULT = 0 };

/* level: 1..12 for zlib, 1..22 for zstd, SKEP_ORC_LEVEL_DEFAULT for the codec's own choice; the others have none and
 * take SKEP_ORC_LEVEL_DEFAULT only. SKEP_ERR_ARGUMENT names a level that is none. LZO and Brotli are
 * SKEP_ERR_UNSUPPORTED: nobody wants new files of them. */
SKEP_NODISCARD skep_status skep_orc_compressor_new(const skep_ctx *ctx, skep_orc_codec codec, int level,
                                                   skep_orc_compressor **out, skep_err *err);
void skep_orc_compressor_free(skep_orc_compressor *c); /* accepts NULL */

/* What the chunks of one stream were like, so that the next ones need not be tried both ways. Zero at first; only
 * compress.c looks into it. */
typedef struct skep_orc_chunk_kind {
  uint8_t n_literal;      /* so many more may be written without matches */
  uint8_t n_with_matches; /* so many more are not looked at: matches are much better */
} skep_orc_chunk_kind;

/* Appends one chunk, header and body, to `out`; stored as it is when compression does not make it smaller. 0 < size <
 * 2^23. kind: of the stream, or NULL. Failures stick to `out`. Source: ORC Specification v1, "Compression". */
void skep_orc_compress_chunk(skep_orc_compressor *c, const uint8_t *in, size_t size, skep_orc_chunk_kind *kind,
                             skep_buf *out);

#endif
