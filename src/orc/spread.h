/* Moving packed values to where the validity bitmap has them. Inside orc only.
 *
 * A column with NULLs stores only its other values. They are decoded to the front of the output buffer and spread from
 * the back in place, a word of the bitmap at a time; entries below NULLs become 0. */
#ifndef ORC_SPREAD_H
#define ORC_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* n_values packed entries of `width` bytes (1, 2, 4, 8, 16) at `data` -> n entries; n_values is the number of ones
 * among the bitmap's first n bits. */
void skep_spread(void *data, size_t width, const uint8_t *validity, size_t n, size_t n_values);

/* The same in plain C, for tests. */
void skep_spread_plain(void *data, size_t width, const uint8_t *validity, size_t n, size_t n_values);

/* The same for single bits: from[0..n_values) -> to[0..n), which are different buffers. */
void skep_spread_bits(const uint8_t *from, uint8_t *to, const uint8_t *validity, size_t n);

/* n bits as n bytes of 0 or 1. */
void skep_bits_to_bytes(const uint8_t *bits, uint8_t *bytes, size_t n);

#endif
