/* LZO1X decompression, bounded: every read is checked against the input, every write and every look back against the
 * output.
 *
 * Source: the description of the stream in the Linux kernel, Documentation/staging/lzo.rst. An instruction is a literal
 * run or a match; a match carries 0..3 literals to copy after it (its "state"), and what a small opcode means depends
 * on the state before it:
 *
 *   opcode    state  meaning
 *   0..15     0      literal run of 4..18, or longer when 0; the state becomes 4
 *   0..15     1..3   match of 2, distance 1..1024
 *   0..15     4      match of 3, distance 2049..3072
 *   16..31    any    match of 3..9 or longer, distance 16385..49151; distance 16384 ends the stream
 *   32..63    any    match of 3..33 or longer, distance 1..16384
 *   64..127   any    match of 3..4, distance 1..2048
 *   128..255  any    match of 5..8, distance 1..2048
 */
#include "base/bytes.h"
#include "base/err.h"
#include "orc/codec.h"

typedef struct lzo {
  skep_bytes in;
  uint8_t *out;
  size_t used, capacity; /* of out */
  unsigned state;
} lzo;

static skep_status lzo_corrupt(const lzo *z, const char *why, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "lzo chunk: %s after %zu bytes of output", why, z->used);
}

/* A length whose short field was 0: bytes of zero stand for 255 each, the first other byte ends it. */
static bool long_length(lzo *z, size_t base, size_t *length) {
  uint8_t c;
  *length = base;
  do {
    if (!skep_bytes_u8(&z->in, &c)) return false;
    *length += c == 0 ? 255 : c; /* at most 255 * input size: no overflow for anything that fits in memory */
  } while (c == 0);
  return true;
}

static skep_status copy_literals(lzo *z, size_t n, skep_err *err) {
  skep_bytes literals;
  if (n > z->capacity - z->used) return lzo_corrupt(z, "literals exceed the block size", err);
  if (!skep_bytes_take(&z->in, n, &literals)) return lzo_corrupt(z, "literals cut off", err);
  if (n != 0) memcpy(z->out + z->used, literals.at, n);
  z->used += n;
  return SKEP_OK;
}

static skep_status copy_match(lzo *z, size_t distance, size_t n, skep_err *err) {
  if (distance > z->used) return lzo_corrupt(z, "match before the start", err);
  if (n > z->capacity - z->used) return lzo_corrupt(z, "match exceeds the block size", err);
  uint8_t *to = z->out + z->used;
  const uint8_t *from = to - distance;
  if (distance >= n) {
    memcpy(to, from, n);
  } else if (distance == 1) {
    memset(to, *from, n);
  } else {
    for (size_t i = 0; i < n; i++) to[i] = from[i]; /* overlaps on purpose: repeats the last `distance` bytes */
  }
  z->used += n;
  return SKEP_OK;
}

/* The match that opcode t starts; *end when it is the end marker. */
static skep_status read_match(lzo *z, unsigned t, size_t *distance, size_t *length, unsigned *literals, bool *end,
                              skep_err *err) {
  uint8_t low, high;
  if (t >= 64 || t < 16) {
    if (!skep_bytes_u8(&z->in, &high)) return lzo_corrupt(z, "match cut off", err);
    *literals = t & 3;
    if (t >= 64) {
      *length = t >= 128 ? 5 + ((t >> 5) & 3) : 3 + ((t >> 5) & 1);
      *distance = ((size_t)high << 3) + ((t >> 2) & 7) + 1;
    } else {
      *length = z->state == 4 ? 3 : 2;
      *distance = ((size_t)high << 2) + (t >> 2) + (z->state == 4 ? 2049 : 1);
    }
    return SKEP_OK;
  }
  unsigned mask = t >= 32 ? 31 : 7;
  *length = (t & mask) + 2;
  if ((t & mask) == 0) {
    if (!long_length(z, mask + 2, length)) return lzo_corrupt(z, "match length cut off", err);
  }
  if (!skep_bytes_u8(&z->in, &low) || !skep_bytes_u8(&z->in, &high)) return lzo_corrupt(z, "match cut off", err);
  unsigned word = low | (unsigned)high << 8;
  *literals = word & 3;
  *distance = (word >> 2) + (t >= 32 ? 1 : 16384 + ((size_t)(t & 8) << 11));
  *end = t < 32 && *distance == 16384;
  return SKEP_OK;
}

/* The first byte of a stream may be a literal run of its own form: 18.. means byte - 17 literals. */
static skep_status first_literals(lzo *z, skep_err *err) {
  z->state = 0;
  if (z->in.left == 0 || z->in.at[0] <= 17) return SKEP_OK;
  uint8_t t;
  (void)skep_bytes_u8(&z->in, &t);
  unsigned n = t - 17u;
  z->state = n < 4 ? n : 4;
  return copy_literals(z, n, err);
}

/* One stream up to and with its end marker. */
static skep_status decode_stream(lzo *z, skep_err *err) {
  SKEP_TRY(first_literals(z, err));
  for (;;) {
    uint8_t t;
    size_t length, distance;
    unsigned literals;
    bool end = false;
    if (!skep_bytes_u8(&z->in, &t)) return lzo_corrupt(z, "no end marker", err);
    if (t < 16 && z->state == 0) {
      length = t + 3u;
      if (t == 0 && !long_length(z, 18, &length)) return lzo_corrupt(z, "literal length cut off", err);
      SKEP_TRY(copy_literals(z, length, err));
      z->state = 4;
      continue;
    }
    SKEP_TRY(read_match(z, t, &distance, &length, &literals, &end, err));
    if (end) return SKEP_OK;
    SKEP_TRY(copy_match(z, distance, length, err));
    SKEP_TRY(copy_literals(z, literals, err));
    z->state = literals;
  }
}

/* Streams may follow each other in one chunk, as the decoders of the Java and C++ readers allow. */
skep_status skep_lzo_decompress(const uint8_t *in, size_t in_size, uint8_t *out, size_t out_capacity, size_t *out_size,
                                skep_err *err) {
  lzo z = {.in = skep_bytes_of(in, in_size), .out = out, .capacity = out_capacity};
  *out_size = 0;
  if (in_size == 0) return lzo_corrupt(&z, "empty body", err);
  while (z.in.left != 0) SKEP_TRY(decode_stream(&z, err)); /* each takes at least the three bytes of its end marker */
  *out_size = z.used;
  return SKEP_OK;
}
