/* DEFLATE without matches: bytes by Huffman codes alone, in one block.
 *
 * Packed numbers hardly ever repeat four bytes, and looking for matches takes nearly all the time that a compressor
 * has; codes alone give the same size several times as fast. compress.c decides which chunks are of that kind.
 *
 * Source: RFC 1951, 3.2.2 and 3.2.7. The distance codes that the format wants are two of one bit, never used: a set
 * that every inflater takes. */
#ifndef ORC_LITERALS_H
#define ORC_LITERALS_H

#include <stddef.h>
#include <stdint.h>

enum { SKEP_LITERALS_SYMBOLS = 257, SKEP_LITERALS_MAX_HEADER = 256, SKEP_LITERALS_SLACK = 8 };

/* What a block needs to be written: made by skep_literals_plan. */
typedef struct skep_literals {
  uint8_t lengths[SKEP_LITERALS_SYMBOLS]; /* bits of each byte's code; 0: not there. The last one ends the block */
  uint16_t codes[SKEP_LITERALS_SYMBOLS];  /* first bit lowest */
  uint8_t header[SKEP_LITERALS_MAX_HEADER];
  size_t header_bits;
} skep_literals;

/* counts[b]: how often byte b is among the `size` ones. */
void skep_literals_count(const uint8_t *in, size_t size, uint32_t counts[256]);
/* Returns the bytes that skep_literals_write will write. The sum of counts is below 2^31. */
size_t skep_literals_plan(skep_literals *l, const uint32_t counts[256]);
/* The counted bytes as a whole DEFLATE stream. out: room for what the plan said and SKEP_LITERALS_SLACK more. Returns
 * the bytes written. */
size_t skep_literals_write(const skep_literals *l, const uint8_t *in, size_t size, uint8_t *out);

#endif
