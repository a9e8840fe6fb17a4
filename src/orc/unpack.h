/* Unpacking of bit-packed integers as ORC stores them: big-endian bit order, no padding between values.
 *
 * Each call reads (n * width + 7) / 8 bytes at `in` and may read, without using them, up to SKEP_ORC_WINDOW_SLACK
 * behind. Nothing is written behind out[n - 1]. Source: ORC Specification v1, "Direct". */
#ifndef ORC_UNPACK_H
#define ORC_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n values of `width` bits (1..64; 1..32 for the 32-bit lanes). The zigzag forms undo zigzag (0, -1, 1, -2 ... from 0,
 * 1, 2, 3 ...). The best instruction set of this machine is used. */
void skep_unpack_u64(const uint8_t *in, uint32_t width, uint64_t *out, size_t n);
void skep_unpack_u32(const uint8_t *in, uint32_t width, uint32_t *out, size_t n);
void skep_unpack_zigzag_i64(const uint8_t *in, uint32_t width, int64_t *out, size_t n);
void skep_unpack_zigzag_i32(const uint8_t *in, uint32_t width, int32_t *out, size_t n);

/* n unsigned differences of `width` bits, added up (or, `down`, subtracted one after the other) from `start`; modulo
 * 2^64. */
void skep_unpack_sums(const uint8_t *in, uint32_t width, uint64_t start, bool down, uint64_t *out, size_t n);

/* The implementations by name, for tests and benchmarks; usable = this machine has the instructions. */
typedef enum skep_unpack_kind {
  SKEP_UNPACK_PLAIN,
  SKEP_UNPACK_AVX2,
  SKEP_UNPACK_AVX512,
  SKEP_UNPACK_KINDS
} skep_unpack_kind;
bool skep_unpack_is_usable(skep_unpack_kind kind);
void skep_unpack_u64_as(skep_unpack_kind kind, const uint8_t *in, uint32_t width, bool zigzag, uint64_t *out, size_t n);
void skep_unpack_u32_as(skep_unpack_kind kind, const uint8_t *in, uint32_t width, bool zigzag, uint32_t *out, size_t n);
void skep_unpack_sums_as(skep_unpack_kind kind, const uint8_t *in, uint32_t width, uint64_t start, bool down,
                         uint64_t *out, size_t n);

#endif
