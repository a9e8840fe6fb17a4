/* Run-length decoders of ORC: integers (version 1 and 2), bytes, booleans; varints.
 *
 * All pull from a skep_orc_stream, keep the unread rest of a run, and fail with SKEP_ERR_CORRUPT when the stream ends
 * early or a run contradicts itself. Counts are values, not bytes. Source: ORC Specification v1, "Run Length Encoding".
 */
#ifndef ORC_RLE_H
#define ORC_RLE_H

#include "orc/stream.h"

/* Integers. The current run, decoded: either `left` values at run[pos..] or an arithmetic sequence not yet written out.
 */
typedef struct skep_rle_int {
  skep_orc_stream *in;
  bool v2, is_signed;
  uint32_t left; /* values of the current run not yet delivered */
  uint32_t pos;
  bool sequence; /* the run is base + delta * k (repeats, fixed deltas): run[] is not filled */
  int64_t next_value, delta;
  int64_t run[512];
} skep_rle_int;

void skep_rle_int_init(skep_rle_int *r, skep_orc_stream *in, bool v2, bool is_signed);
void skep_rle_int_restart(skep_rle_int *r); /* after a seek of the stream: forget the current run */

/* The next n values. For unsigned streams the 64-bit pattern is what counts (lengths above INT64_MAX come out negative:
 * check). */
SKEP_NODISCARD skep_status skep_rle_int_next(skep_rle_int *r, int64_t *out, size_t n, skep_err *err);
/* The same into narrower lanes; a value that does not fit is SKEP_ERR_CORRUPT (Hive writes none). Fast paths unpack
 * straight into `out`. */
SKEP_NODISCARD skep_status skep_rle_int_next_i32(skep_rle_int *r, int32_t *out, size_t n, skep_err *err);
SKEP_NODISCARD skep_status skep_rle_int_next_i16(skep_rle_int *r, int16_t *out, size_t n, skep_err *err);
/* Takes as many of the next n values as are equal to the first of them, without writing them out: *same of *value (both
 * 0 when n is 0). */
SKEP_NODISCARD skep_status skep_rle_int_next_same(skep_rle_int *r, size_t n, int64_t *value, size_t *same,
                                                  skep_err *err);
SKEP_NODISCARD skep_status skep_rle_int_skip(skep_rle_int *r, uint64_t n, skep_err *err);

/* Bytes: runs of 3..130 equal bytes or 1..128 literals. */
typedef struct skep_rle_byte {
  skep_orc_stream *in;
  uint32_t left;
  bool repeat;
  uint8_t value;
} skep_rle_byte;

void skep_rle_byte_init(skep_rle_byte *r, skep_orc_stream *in);
void skep_rle_byte_restart(skep_rle_byte *r);
SKEP_NODISCARD skep_status skep_rle_byte_next(skep_rle_byte *r, uint8_t *out, size_t n, skep_err *err);
SKEP_NODISCARD skep_status skep_rle_byte_skip(skep_rle_byte *r, uint64_t n, skep_err *err);

/* Bits over byte runs, most significant bit first in the stream. Delivered as an LSB-first bitmap (Arrow). */
typedef struct skep_rle_bit {
  skep_rle_byte bytes;
  uint8_t current;
  uint32_t left; /* bits of `current` not yet delivered */
} skep_rle_bit;

void skep_rle_bit_init(skep_rle_bit *r, skep_orc_stream *in);
/* After a seek: forget the current byte, then drop `bits` (0..8) bits: the last number of a recorded position. */
SKEP_NODISCARD skep_status skep_rle_bit_restart(skep_rle_bit *r, uint32_t bits, skep_err *err);
/* n bits into `bitmap` starting at bit `first` (other bits of the bitmap are kept); *n_set counts ones. */
SKEP_NODISCARD skep_status skep_rle_bit_next(skep_rle_bit *r, uint8_t *bitmap, size_t first, size_t n, size_t *n_set,
                                             skep_err *err);
SKEP_NODISCARD skep_status skep_rle_bit_skip(skep_rle_bit *r, uint64_t n, uint64_t *n_set,
                                             skep_err *err); /* n_set may be NULL */

/* Zigzag varints up to 128 bits: decimal values. A value beyond the type (more than 38 digits) is SKEP_ERR_CORRUPT. */
SKEP_NODISCARD skep_status skep_varint_next_i64(skep_orc_stream *in, int64_t *out, size_t n, skep_err *err);
SKEP_NODISCARD skep_status skep_varint_next_i128(skep_orc_stream *in, __int128 *out, size_t n, skep_err *err);
SKEP_NODISCARD skep_status skep_varint_skip(skep_orc_stream *in, uint64_t n, skep_err *err);

#endif
