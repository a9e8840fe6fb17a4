/* The write side of stream.h and rle.h: a stream that collects chunks in memory, and the run encoders over it.
 *
 * Failures (memory, in the main) stick to the stream's buffers, so that nothing returns a status here: ask
 * skep_orc_out_check once a batch. Source: ORC Specification v1, "Run Length Encoding", "Compression"; which form a run
 * gets follows ORC Java's RunLengthIntegerWriterV2 with aligned widths, so that equal values give equal bytes. */
#ifndef ORC_ENCODE_H
#define ORC_ENCODE_H

#include "base/bytes.h"
#include "orc/compress.h"

/* ---- streams ---- */

typedef struct skep_orc_out {
  skep_orc_compressor *codec; /* borrowed; NULL: not compressed */
  size_t block_size;          /* a chunk is closed when it holds so many bytes */
  skep_buf now;               /* bytes of the open chunk; without a codec the whole stream */
  skep_buf done;              /* closed chunks */
  skep_orc_chunk_kind kind;   /* of the chunks so far; outlives stripes */
} skep_orc_out;

void skep_orc_out_init(skep_orc_out *o, const skep_ctx *ctx, skep_orc_compressor *codec, size_t block_size);
void skep_orc_out_fini(skep_orc_out *o);  /* safe on a zeroed one and twice */
void skep_orc_out_reset(skep_orc_out *o); /* empty again; keeps memory and forgets failures */
void skep_orc_out_put(skep_orc_out *o, const void *bytes, size_t size);
void skep_orc_out_put_all(skep_orc_out *o, const skep_bytes *values, size_t n); /* one behind the other */
void skep_orc_out_flush(skep_orc_out *o);             /* closes the open chunk: the stream is whole */
skep_bytes skep_orc_out_bytes(const skep_orc_out *o); /* of a flushed stream */
static inline size_t skep_orc_out_size(const skep_orc_out *o) { return o->done.size + o->now.size; }
size_t skep_orc_out_memory(const skep_orc_out *o); /* held, used or not */
SKEP_NODISCARD skep_status skep_orc_out_check(const skep_orc_out *o, skep_err *err);

/* Where the next byte goes, as row indexes say it: writes 1 number (uncompressed) or 2 (chunk, byte in it). */
enum { SKEP_ORC_MAX_POSITIONS = 8 };
uint64_t *skep_orc_out_position(const skep_orc_out *o, uint64_t *at);

/* ---- runs ---- */

enum { SKEP_ORC_RUN = 512 };

/* Integers, version 2. */
typedef struct skep_int_encoder {
  skep_orc_out *out;
  bool is_signed;
  uint32_t n;          /* values waiting in run[] */
  uint32_t n_fixed;    /* equal ones at the end of it */
  uint32_t n_variable; /* values of a run that is not one of equal values */
  int64_t last_delta;
  int64_t *run; /* grows to SKEP_ORC_RUN: thousands of columns with few rows each hold little */
  uint32_t capacity;
} skep_int_encoder;

void skep_int_encoder_init(skep_int_encoder *e, skep_orc_out *out, bool is_signed);
void skep_int_encoder_fini(skep_int_encoder *e);
/* Unsigned streams take values below 2^63. */
void skep_int_encoder_put(skep_int_encoder *e, const int64_t *values, size_t n);
void skep_int_encoder_flush(skep_int_encoder *e); /* ends the run; the stream stays open */
uint64_t *skep_int_encoder_position(const skep_int_encoder *e, uint64_t *at);

/* Bytes: runs of 3..130 equal ones, or up to 128 literals. */
typedef struct skep_byte_encoder {
  skep_orc_out *out;
  bool repeat;
  uint32_t n;      /* waiting: literals[0..n), or n times literals[0] when repeat */
  uint32_t n_tail; /* equal bytes at the end */
  uint8_t literals[128];
} skep_byte_encoder;

void skep_byte_encoder_init(skep_byte_encoder *e, skep_orc_out *out);
void skep_byte_encoder_put(skep_byte_encoder *e, const uint8_t *values, size_t n);
void skep_byte_encoder_flush(skep_byte_encoder *e);
uint64_t *skep_byte_encoder_position(const skep_byte_encoder *e, uint64_t *at);

/* Bits, most significant first, over byte runs. */
typedef struct skep_bit_encoder {
  skep_byte_encoder bytes;
  uint8_t current;
  uint32_t used; /* bits of current */
} skep_bit_encoder;

void skep_bit_encoder_init(skep_bit_encoder *e, skep_orc_out *out);
void skep_bit_encoder_put(skep_bit_encoder *e, const uint8_t *bits, size_t n); /* one byte a bit: 0 or 1 */
void skep_bit_encoder_put_ones(skep_bit_encoder *e, size_t n);
void skep_bit_encoder_flush(skep_bit_encoder *e);
uint64_t *skep_bit_encoder_position(const skep_bit_encoder *e, uint64_t *at);

#endif
