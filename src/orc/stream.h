/* One stream of a stripe as decoded bytes: reads ranges of the file, strips chunk headers, decompresses.
 *
 * The reader of a stream sees a window: contiguous decoded bytes [at, end). Runs of the encodings are short (at most
 * SKEP_ORC_RUN_BYTES), so a decoder asks for a whole run's worth once (skep_orc_stream_want) and then reads without
 * crossing a chunk boundary: what is left of the old chunk is moved in front of the next one. Long data (string bytes)
 * is copied across windows with skep_orc_stream_copy.
 *
 * Chunk: 3-byte little-endian header = length * 2 + original flag. Source: ORC Specification v1, "Compression". */
#ifndef ORC_STREAM_H
#define ORC_STREAM_H

#include "io/fs.h"
#include "orc/codec.h"

/* Where compressed bytes come from: a file range, read through a cache that coalesces neighbouring streams. `fetch`
 * returns a pointer to `length` bytes at file offset `offset`, valid until the next fetch with the same `slot`, with
 * SKEP_ORC_WINDOW_SLACK more bytes behind them that may be read but mean nothing (the stream lends the pointer to its
 * decoders without a copy). The stream never asks for bytes outside its own range, nor for none. */
typedef struct skep_orc_source {
  skep_status (*fetch)(void *self, uint32_t slot, uint64_t offset, size_t length, const uint8_t **out, skep_err *err);
  void *self;
} skep_orc_source;

enum {
  SKEP_ORC_RUN_BYTES = 8192, /* no encoded run is longer: 512 values of 8 bytes, patch list, headers */
  SKEP_ORC_WINDOW_SLACK = 64 /* readable (not meaningful) bytes behind `end`, for wide loads */
};

typedef struct skep_orc_stream {
  /* hot: used by the decoders */
  const uint8_t *at;
  const uint8_t *end;
  /* cold */
  const skep_ctx *ctx;
  skep_orc_source source;
  uint32_t slot;
  uint64_t offset;              /* file offset of the stream */
  uint64_t length;              /* bytes in the file, compressed */
  uint64_t next;                /* offset within the stream of the next chunk (or of the next raw bytes) */
  uint64_t chunk_start;         /* offset within the stream of the chunk that `end` belongs to; UINT64_MAX: none */
  const uint8_t *chunk_data;    /* first decoded byte of that chunk */
  bool is_borrowed;             /* the window is the source's memory */
  skep_orc_decompressor *codec; /* NULL: SKEP_ORC_NONE, no chunk headers at all */
  size_t block_size;            /* largest decoded chunk, from the postscript, at most ctx->limits.max_chunk_bytes */
  uint8_t *window;              /* owned; grows to what the chunks need, at most a chunk, the rest of a run and slack */
  size_t window_capacity;
  char what[48]; /* "column 5 DATA", for messages */
} skep_orc_stream;

/* A stream over file bytes [offset, offset + length). codec is borrowed (NULL for uncompressed files) and may be shared
 * by the streams of one reader. `what` is copied, cut if long. A stream of length 0 is at its end. */
SKEP_NODISCARD skep_status skep_orc_stream_init(skep_orc_stream *s, const skep_ctx *ctx, skep_orc_source source,
                                                uint32_t slot, uint64_t offset, uint64_t length,
                                                skep_orc_decompressor *codec, size_t block_size, const char *what,
                                                skep_err *err);
/* The same stream at another place of the file (the next stripe): keeps the window's memory. */
SKEP_NODISCARD skep_status skep_orc_stream_reopen(skep_orc_stream *s, uint32_t slot, uint64_t offset, uint64_t length,
                                                  skep_err *err);
void skep_orc_stream_fini(skep_orc_stream *s); /* safe on a zeroed stream and twice */

/* Makes at least `want` bytes (<= SKEP_ORC_RUN_BYTES) available in the window, or all that are left of the stream:
 * afterwards end - at may be smaller only at the end of the stream. */
SKEP_NODISCARD skep_status skep_orc_stream_refill(skep_orc_stream *s, size_t want, skep_err *err);
static inline skep_status skep_orc_stream_want(skep_orc_stream *s, size_t want, skep_err *err) {
  return (size_t)(s->end - s->at) >= want ? SKEP_OK : skep_orc_stream_refill(s, want, err);
}

/* Copies / drops exactly `length` decoded bytes; SKEP_ERR_CORRUPT when the stream ends before. */
SKEP_NODISCARD skep_status skep_orc_stream_copy(skep_orc_stream *s, uint8_t *out, size_t length, skep_err *err);
SKEP_NODISCARD skep_status skep_orc_stream_skip(skep_orc_stream *s, uint64_t length, skep_err *err);

/* Moves to a recorded position: compressed files: byte offset of a chunk within the stream, then decoded bytes into it;
 * uncompressed files: the decoded offset alone (chunk 0). SKEP_ERR_CORRUPT outside the stream. Source: "Row Index". */
SKEP_NODISCARD skep_status skep_orc_stream_seek(skep_orc_stream *s, uint64_t chunk, uint64_t within, skep_err *err);

/* The error of a run that needs more bytes than are left. */
skep_status skep_orc_stream_short(const skep_orc_stream *s, size_t need, const char *run, skep_err *err);

#endif
