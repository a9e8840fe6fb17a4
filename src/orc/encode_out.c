/* Streams being written (chunks in memory), and the encoders of bytes and bits over them. */
#include "orc/encode.h"

#include <string.h>

/* ---- streams ---- */

void skep_orc_out_init(skep_orc_out *o, const skep_ctx *ctx, skep_orc_compressor *codec, size_t block_size) {
  *o = (skep_orc_out){.codec = codec, .block_size = block_size};
  skep_buf_init(&o->now, ctx, SIZE_MAX / 4);
  skep_buf_init(&o->done, ctx, SIZE_MAX / 4);
}

void skep_orc_out_fini(skep_orc_out *o) {
  skep_buf_fini(&o->now);
  skep_buf_fini(&o->done);
}

void skep_orc_out_reset(skep_orc_out *o) {
  skep_buf_reset(&o->now);
  skep_buf_reset(&o->done);
}

static void close_chunk(skep_orc_out *o) {
  if (o->now.size == 0 || o->now.status != SKEP_OK) return;
  skep_orc_compress_chunk(o->codec, o->now.data, o->now.size, &o->kind, &o->done);
  o->now.size = 0;
}

/* A full chunk is closed at once, so that a position never points behind the end of one. */
void skep_orc_out_put(skep_orc_out *o, const void *bytes, size_t size) {
  if (o->codec == NULL) {
    skep_buf_add(&o->now, bytes, size);
    return;
  }
  const uint8_t *at = bytes;
  while (size != 0) {
    size_t room = o->block_size - o->now.size, n = size < room ? size : room;
    if (!skep_buf_add(&o->now, at, n)) return;
    if (n == room) close_chunk(o);
    at += n;
    size -= n;
  }
}

void skep_orc_out_put_all(skep_orc_out *o, const skep_bytes *values, size_t n) {
  size_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += values[i].left;
  bool fits = o->codec == NULL || sum < o->block_size - o->now.size;
  if (!fits || !skep_buf_reserve(&o->now, sum)) {
    for (size_t i = 0; i < n; i++) skep_orc_out_put(o, values[i].at, values[i].left);
    return;
  }
  uint8_t *at = o->now.data + o->now.size;
  for (size_t i = 0; i < n; i++) {
    if (values[i].left != 0) memcpy(at, values[i].at, values[i].left);
    at += values[i].left;
  }
  o->now.size += sum;
}

void skep_orc_out_flush(skep_orc_out *o) {
  if (o->codec != NULL) close_chunk(o);
}

skep_bytes skep_orc_out_bytes(const skep_orc_out *o) {
  const skep_buf *all = o->codec == NULL ? &o->now : &o->done;
  return skep_bytes_of(all->data, all->size);
}

size_t skep_orc_out_memory(const skep_orc_out *o) { return o->now.capacity + o->done.capacity; }

skep_status skep_orc_out_check(const skep_orc_out *o, skep_err *err) {
  SKEP_TRY(skep_buf_check(&o->now, "stream", err));
  return skep_buf_check(&o->done, "stream", err);
}

uint64_t *skep_orc_out_position(const skep_orc_out *o, uint64_t *at) {
  if (o->codec != NULL) *at++ = o->done.size;
  *at++ = o->now.size;
  return at;
}

/* ---- bytes ---- */

enum { MIN_REPEAT = 3, MAX_REPEAT = 127 + MIN_REPEAT, MAX_LITERALS = 128 };

void skep_byte_encoder_init(skep_byte_encoder *e, skep_orc_out *out) {
  e->out = out;
  e->repeat = false;
  e->n = e->n_tail = 0;
}

void skep_byte_encoder_flush(skep_byte_encoder *e) {
  if (e->n == 0) return;
  if (e->repeat) {
    uint8_t run[2] = {(uint8_t)(e->n - MIN_REPEAT), e->literals[0]};
    skep_orc_out_put(e->out, run, sizeof run);
  } else {
    uint8_t header = (uint8_t)(256 - e->n);
    skep_orc_out_put(e->out, &header, 1);
    skep_orc_out_put(e->out, e->literals, e->n);
  }
  e->repeat = false;
  e->n = e->n_tail = 0;
}

/* The byte continues no repeat: a literal, unless it completes three equal ones, which then start a repeat. */
static void put_literal(skep_byte_encoder *e, uint8_t value) {
  e->n_tail = e->n != 0 && value == e->literals[e->n - 1] ? e->n_tail + 1 : 1;
  if (e->n_tail == MIN_REPEAT) {
    e->n -= MIN_REPEAT - 1;
    skep_byte_encoder_flush(e);
    e->literals[0] = value;
    e->repeat = true;
    e->n = MIN_REPEAT;
    return;
  }
  e->literals[e->n++] = value;
  if (e->n == MAX_LITERALS) skep_byte_encoder_flush(e);
}

void skep_byte_encoder_put(skep_byte_encoder *e, const uint8_t *values, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (e->repeat && values[i] == e->literals[0]) {
      if (++e->n == MAX_REPEAT) skep_byte_encoder_flush(e);
      continue;
    }
    if (e->repeat) skep_byte_encoder_flush(e);
    put_literal(e, values[i]);
  }
}

uint64_t *skep_byte_encoder_position(const skep_byte_encoder *e, uint64_t *at) {
  at = skep_orc_out_position(e->out, at);
  *at++ = e->n;
  return at;
}

/* ---- bits ---- */

void skep_bit_encoder_init(skep_bit_encoder *e, skep_orc_out *out) {
  skep_byte_encoder_init(&e->bytes, out);
  e->current = 0;
  e->used = 0;
}

static void put_bit(skep_bit_encoder *e, uint8_t bit) {
  e->current = (uint8_t)(e->current << 1 | bit);
  if (++e->used != 8) return;
  skep_byte_encoder_put(&e->bytes, &e->current, 1);
  e->current = 0;
  e->used = 0;
}

/* Eight bytes of 0 or 1 into one byte, the first one on top: the products meet in the top byte without carries. */
static uint8_t eight_bits(const uint8_t *bits) {
  return (uint8_t)(skep_load_le64(bits) * UINT64_C(0x8040201008040201) >> 56);
}

void skep_bit_encoder_put(skep_bit_encoder *e, const uint8_t *bits, size_t n) {
  uint8_t bytes[64];
  for (; n != 0 && e->used != 0; n--) put_bit(e, *bits++);
  while (n >= 8) {
    size_t n_bytes = n / 8 < sizeof bytes ? n / 8 : sizeof bytes;
    for (size_t i = 0; i < n_bytes; i++) bytes[i] = eight_bits(bits + 8 * i);
    skep_byte_encoder_put(&e->bytes, bytes, n_bytes);
    bits += 8 * n_bytes;
    n -= 8 * n_bytes;
  }
  for (; n != 0; n--) put_bit(e, *bits++);
}

void skep_bit_encoder_put_ones(skep_bit_encoder *e, size_t n) {
  static const uint8_t ones[64] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
                                   255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
                                   255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
                                   255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
  for (; n != 0 && e->used != 0; n--) put_bit(e, 1);
  for (; n >= 8; n -= 8 * (n / 8 < sizeof ones ? n / 8 : sizeof ones))
    skep_byte_encoder_put(&e->bytes, ones, n / 8 < sizeof ones ? n / 8 : sizeof ones);
  for (; n != 0; n--) put_bit(e, 1);
}

void skep_bit_encoder_flush(skep_bit_encoder *e) {
  if (e->used != 0) {
    e->current = (uint8_t)(e->current << (8 - e->used));
    skep_byte_encoder_put(&e->bytes, &e->current, 1);
  }
  skep_byte_encoder_flush(&e->bytes);
  e->current = 0;
  e->used = 0;
}

uint64_t *skep_bit_encoder_position(const skep_bit_encoder *e, uint64_t *at) {
  at = skep_byte_encoder_position(&e->bytes, at);
  *at++ = e->used;
  return at;
}
