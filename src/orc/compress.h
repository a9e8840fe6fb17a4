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

/* Appends one chunk, header and body, to `out`; stored as it is when compression does not make it smaller. 0 < size <
 * 2^23. Failures stick to `out`. Source: ORC Specification v1, "Compression". */
void skep_orc_compress_chunk(skep_orc_compressor *c, const uint8_t *in, size_t size, skep_buf *out);

#endif
