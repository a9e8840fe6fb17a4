/* Byte runs and the bits over them. Source: ORC Specification v1, "Byte Run Length Encoding", "Boolean Run Length
 * Encoding". */
#include <string.h>

#include "base/err.h"
#include "orc/rle.h"

enum {
  MIN_REPEAT = 3,
  BYTE_RUN_BYTES = 2, /* what the start of a run needs: control and value; literals are copied across windows */
  BIT_BLOCK = 512     /* bytes of a bit stream handled at once */
};

void skep_rle_byte_init(skep_rle_byte *r, skep_orc_stream *in) {
  r->in = in;
  skep_rle_byte_restart(r);
}

void skep_rle_byte_restart(skep_rle_byte *r) {
  r->left = 0;
  r->repeat = false;
  r->value = 0;
}

static skep_status byte_run(skep_rle_byte *r, skep_err *err) {
  SKEP_TRY(skep_orc_stream_want(r->in, BYTE_RUN_BYTES, err));
  size_t have = (size_t)(r->in->end - r->in->at);
  if (have < BYTE_RUN_BYTES) return skep_orc_stream_short(r->in, BYTE_RUN_BYTES, "byte run", err);
  uint8_t control = *r->in->at++;
  r->repeat = control < 128;
  r->left = r->repeat ? control + (uint32_t)MIN_REPEAT : 256u - control;
  if (r->repeat) r->value = *r->in->at++;
  return SKEP_OK;
}

skep_status skep_rle_byte_next(skep_rle_byte *r, uint8_t *out, size_t n, skep_err *err) {
  while (n != 0) {
    if (r->left == 0) SKEP_TRY(byte_run(r, err));
    size_t take = r->left < n ? r->left : n;
    if (r->repeat) {
      memset(out, r->value, take);
    } else {
      SKEP_TRY(skep_orc_stream_copy(r->in, out, take, err));
    }
    r->left -= (uint32_t)take;
    out += take;
    n -= take;
  }
  return SKEP_OK;
}

skep_status skep_rle_byte_skip(skep_rle_byte *r, uint64_t n, skep_err *err) {
  while (n != 0) {
    if (r->left == 0) SKEP_TRY(byte_run(r, err));
    uint32_t take = r->left < n ? r->left : (uint32_t)n;
    if (!r->repeat) SKEP_TRY(skep_orc_stream_skip(r->in, take, err));
    r->left -= take;
    n -= take;
  }
  return SKEP_OK;
}

void skep_rle_bit_init(skep_rle_bit *r, skep_orc_stream *in) {
  skep_rle_byte_init(&r->bytes, in);
  r->current = 0;
  r->left = 0;
}

/* The bits of each of eight bytes in reverse order. */
static inline uint64_t reverse_bits(uint64_t v) {
  v = (v >> 4 & UINT64_C(0x0f0f0f0f0f0f0f0f)) | (v & UINT64_C(0x0f0f0f0f0f0f0f0f)) << 4;
  v = (v >> 2 & UINT64_C(0x3333333333333333)) | (v & UINT64_C(0x3333333333333333)) << 2;
  return (v >> 1 & UINT64_C(0x5555555555555555)) | (v & UINT64_C(0x5555555555555555)) << 1;
}

/* The next byte of the stream, its first bit lowest. */
static skep_status load_current(skep_rle_bit *r, skep_err *err) {
  uint8_t byte;
  SKEP_TRY(skep_rle_byte_next(&r->bytes, &byte, 1, err));
  r->current = (uint8_t)reverse_bits(byte);
  r->left = 8;
  return SKEP_OK;
}

skep_status skep_rle_bit_restart(skep_rle_bit *r, uint32_t bits, skep_err *err) {
  skep_rle_byte_restart(&r->bytes);
  r->current = 0;
  r->left = 0;
  if (bits > 8) return skep_fail(err, SKEP_ERR_CORRUPT, "%s: position of bit %u in a byte", r->bytes.in->what, bits);
  if (bits == 0) return SKEP_OK; /* perhaps at the end of the stream: read nothing */
  SKEP_TRY(load_current(r, err));
  r->current = (uint8_t)(r->current >> bits);
  r->left = 8 - bits;
  return SKEP_OK;
}

/* Writes `count` (1..8) bits at bit position `at`. */
static void put_bits(uint8_t *bitmap, size_t at, uint32_t bits, uint32_t count) {
  uint8_t *p = bitmap + at / 8;
  uint32_t lead = at % 8, mask = ((1u << count) - 1) << lead;
  bits = bits << lead & mask;
  p[0] = (uint8_t)((p[0] & ~mask) | (bits & 0xff));
  if (lead + count > 8) p[1] = (uint8_t)((p[1] & ~(mask >> 8)) | bits >> 8);
}

/* The next `count` (1..left) bits of the current byte. */
static uint32_t take_bits(skep_rle_bit *r, uint32_t count) {
  uint32_t bits = r->current & ((1u << count) - 1);
  r->current = (uint8_t)(r->current >> count);
  r->left -= count;
  return bits;
}

/* n whole bytes, in stream bit order, to a bitmap at bit `first`. `bytes` may be overwritten. Counts the ones. */
static size_t put_bytes(uint8_t *bitmap, size_t first, uint8_t *bytes, size_t n) {
  size_t ones = 0, i;
  uint32_t lead = first % 8;
  uint8_t *to = bitmap + first / 8;
  for (i = 0; i < (n + 7) / 8; i++) {
    uint64_t v;
    memcpy(&v, bytes + 8 * i, 8);
    v = reverse_bits(v);
    memcpy(bytes + 8 * i, &v, 8);
    ones += (size_t)__builtin_popcountll(v);
  }
  if (lead == 0) {
    memcpy(to, bytes, n);
    return ones;
  }
  uint32_t carry = to[0] & ((1u << lead) - 1);
  for (i = 0; i < n; i++) {
    carry |= (uint32_t)bytes[i] << lead;
    to[i] = (uint8_t)carry;
    carry >>= 8;
  }
  to[n] = (uint8_t)((to[n] & ~((1u << lead) - 1)) | carry);
  return ones;
}

/* The next n bytes to bitmap position `first`, block by block. */
static skep_status next_bytes(skep_rle_bit *r, uint8_t *bitmap, size_t first, size_t n, size_t *n_set, skep_err *err) {
  uint8_t block[BIT_BLOCK];
  while (n != 0) {
    size_t take = n < BIT_BLOCK ? n : BIT_BLOCK;
    if (take % 8 != 0) memset(block + take / 8 * 8, 0, 8); /* put_bytes works on whole words */
    SKEP_TRY(skep_rle_byte_next(&r->bytes, block, take, err));
    *n_set += put_bytes(bitmap, first, block, take);
    first += take * 8;
    n -= take;
  }
  return SKEP_OK;
}

skep_status skep_rle_bit_next(skep_rle_bit *r, uint8_t *bitmap, size_t first, size_t n, size_t *n_set, skep_err *err) {
  size_t ones = 0;
  *n_set = 0;
  while (n != 0) {
    if (r->left == 0 && n >= 8) {
      SKEP_TRY(next_bytes(r, bitmap, first, n / 8, &ones, err));
      first += n / 8 * 8;
      n %= 8;
      continue;
    }
    if (r->left == 0) SKEP_TRY(load_current(r, err));
    uint32_t count = r->left < n ? r->left : (uint32_t)n, bits = take_bits(r, count);
    put_bits(bitmap, first, bits, count);
    ones += (size_t)__builtin_popcount(bits);
    first += count;
    n -= count;
  }
  *n_set = ones;
  return SKEP_OK;
}

skep_status skep_rle_bit_skip(skep_rle_bit *r, uint64_t n, uint64_t *n_set, skep_err *err) {
  uint8_t scratch[BIT_BLOCK];
  uint64_t ones = 0;
  while (n != 0) {
    size_t take = n < BIT_BLOCK * 8 ? (size_t)n : BIT_BLOCK * 8, set;
    SKEP_TRY(skep_rle_bit_next(r, scratch, 0, take, &set, err));
    ones += set;
    n -= take;
  }
  if (n_set != NULL) *n_set = ones;
  return SKEP_OK;
}
