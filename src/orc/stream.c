/* One stream of a stripe as windows of decoded bytes. Uncompressed files: windows are the fetched bytes themselves.
 * Compressed ones: each chunk is decoded behind the unread rest of the one before; a chunk stored as original is used
 * in place when nothing is left before it. */
#include "orc/stream.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"

enum {
  CHUNK_HEADER = 3,
  RAW_PIECE = 256 * 1024 /* bytes of an uncompressed stream asked for at once */
};

/* What an empty window points to: pointers are never NULL, and the slack behind them is readable. */
static const uint8_t nothing[SKEP_ORC_WINDOW_SLACK];

static size_t available(const skep_orc_stream *s) { return (size_t)(s->end - s->at); }

static void clear_window(skep_orc_stream *s) {
  s->at = s->end = nothing;
  s->is_borrowed = false;
  s->chunk_start = UINT64_MAX;
}

skep_status skep_orc_stream_init(skep_orc_stream *s, const skep_ctx *ctx, skep_orc_source source, uint32_t slot,
                                 uint64_t offset, uint64_t length, skep_orc_decompressor *codec, size_t block_size,
                                 const char *what, skep_err *err) {
  *s = (skep_orc_stream){.ctx = ctx, .source = source, .codec = codec};
  s->block_size = block_size < ctx->limits.max_chunk_bytes ? block_size : (size_t)ctx->limits.max_chunk_bytes;
  (void)snprintf(s->what, sizeof s->what, "%s", what);
  return skep_orc_stream_reopen(s, slot, offset, length, err);
}

skep_status skep_orc_stream_reopen(skep_orc_stream *s, uint32_t slot, uint64_t offset, uint64_t length, skep_err *err) {
  clear_window(s);
  s->next = s->length = 0;
  if (length > UINT64_MAX - offset)
    return skep_fail(err, SKEP_ERR_CORRUPT, "%s: stream of %llu bytes at offset %llu", s->what,
                     (unsigned long long)length, (unsigned long long)offset);
  s->slot = slot;
  s->offset = offset;
  s->length = length;
  return SKEP_OK;
}

void skep_orc_stream_fini(skep_orc_stream *s) {
  if (s->window != NULL) skep_release(s->ctx, s->window);
  s->window = NULL;
  s->window_capacity = 0;
  s->next = s->length;
  clear_window(s);
}

static skep_status fetch(skep_orc_stream *s, uint64_t within, size_t length, const uint8_t **out, skep_err *err) {
  skep_status status = s->source.fetch(s->source.self, s->slot, s->offset + within, length, out, err);
  return status == SKEP_OK ? SKEP_OK : skep_wrap(err, status, "%s", s->what);
}

/* The window moves over the fetched bytes: what is left of it is asked for again, in front of the new ones. */
static skep_status refill_raw(skep_orc_stream *s, size_t want, skep_err *err) {
  size_t have = available(s);
  uint64_t start = s->next - have, left = s->length - start;
  if (left == have) return SKEP_OK;
  size_t piece = want > RAW_PIECE ? want : RAW_PIECE;
  if (piece > left) piece = (size_t)left;
  const uint8_t *bytes;
  SKEP_TRY(fetch(s, start, piece, &bytes, err));
  s->at = bytes;
  s->end = bytes + piece;
  s->next = start + piece;
  return SKEP_OK;
}

/* Moves the unread bytes to the front of the window, with room for `extra` more behind them. */
static skep_status make_room(skep_orc_stream *s, size_t extra, skep_err *err) {
  size_t have = available(s), need = have + extra + SKEP_ORC_WINDOW_SLACK; /* each below 2^40: no overflow */
  if (need <= s->window_capacity) {
    if (s->at != s->window) memmove(s->window, s->at, have);
  } else {
    size_t capacity = need > 2 * s->window_capacity ? need : 2 * s->window_capacity;
    uint8_t *window = skep_alloc(s->ctx, capacity);
    if (window == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%s: window of %zu bytes", s->what, capacity);
    memcpy(window, s->at, have);
    skep_release(s->ctx, s->window);
    s->window = window;
    s->window_capacity = capacity;
  }
  s->at = s->window;
  s->end = s->window + have;
  s->is_borrowed = false;
  s->chunk_start = UINT64_MAX; /* its bytes have moved or gone; the caller sets the next */
  return SKEP_OK;
}

static skep_status original_chunk(skep_orc_stream *s, size_t body, skep_err *err) {
  const uint8_t *bytes;
  if (body > s->ctx->limits.max_chunk_bytes)
    return skep_fail(err, SKEP_ERR_LIMIT, "%s: chunk of %zu bytes, limit %llu", s->what, body,
                     (unsigned long long)s->ctx->limits.max_chunk_bytes);
  if (body == 0) {
    s->chunk_data = s->end;
    return SKEP_OK;
  }
  SKEP_TRY(fetch(s, s->next + CHUNK_HEADER, body, &bytes, err));
  if (available(s) == 0) {
    s->at = s->chunk_data = bytes;
    s->end = bytes + body;
    s->is_borrowed = true;
    return SKEP_OK;
  }
  SKEP_TRY(make_room(s, body, err));
  s->chunk_data = s->end;
  memcpy(s->window + available(s), bytes, body);
  s->end += body;
  return SKEP_OK;
}

static skep_status compressed_chunk(skep_orc_stream *s, size_t body, skep_err *err) {
  const uint8_t *bytes;
  size_t size;
  if (body > s->block_size)
    return skep_fail(err, SKEP_ERR_CORRUPT, "%s: compressed chunk of %zu bytes exceeds the block size of %zu", s->what,
                     body, s->block_size);
  if (body == 0) return skep_fail(err, SKEP_ERR_CORRUPT, "%s: compressed chunk without a body", s->what);
  SKEP_TRY(fetch(s, s->next + CHUNK_HEADER, body, &bytes, err));
  size_t bound = skep_orc_decompress_bound(s->codec, bytes, body, s->block_size);
  SKEP_TRY(make_room(s, bound, err));
  uint8_t *out = s->window + available(s);
  skep_status status = skep_orc_decompress(s->codec, bytes, body, out, bound, &size, err);
  if (status != SKEP_OK) return skep_wrap(err, status, "%s: chunk at byte %llu", s->what, (unsigned long long)s->next);
  s->chunk_data = out;
  s->end = out + size;
  return SKEP_OK;
}

static skep_status next_chunk(skep_orc_stream *s, skep_err *err) {
  uint64_t left = s->length - s->next;
  const uint8_t *header;
  if (left < CHUNK_HEADER)
    return skep_fail(err, SKEP_ERR_CORRUPT, "%s: chunk header needs %d bytes, %llu left", s->what, CHUNK_HEADER,
                     (unsigned long long)left);
  if (s->is_borrowed) SKEP_TRY(make_room(s, 0, err)); /* the next fetch would pull the bytes away */
  SKEP_TRY(fetch(s, s->next, CHUNK_HEADER, &header, err));
  uint32_t word = header[0] | (uint32_t)header[1] << 8 | (uint32_t)header[2] << 16;
  size_t body = word >> 1;
  if (body > left - CHUNK_HEADER)
    return skep_fail(err, SKEP_ERR_CORRUPT, "%s: chunk at byte %llu has %zu bytes, %llu left", s->what,
                     (unsigned long long)s->next, body, (unsigned long long)(left - CHUNK_HEADER));
  skep_status status = (word & 1) != 0 ? original_chunk(s, body, err) : compressed_chunk(s, body, err);
  if (status != SKEP_OK) return status;
  s->chunk_start = s->next;
  s->next += CHUNK_HEADER + body; /* grows in any case, so loops over chunks end */
  return SKEP_OK;
}

skep_status skep_orc_stream_refill(skep_orc_stream *s, size_t want, skep_err *err) {
  if (s->codec == NULL) return refill_raw(s, want, err);
  while (available(s) < want && s->next < s->length) SKEP_TRY(next_chunk(s, err));
  return SKEP_OK;
}

static skep_status ended(const skep_orc_stream *s, uint64_t missing, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "%s: stream ends %llu bytes early", s->what, (unsigned long long)missing);
}

skep_status skep_orc_stream_copy(skep_orc_stream *s, uint8_t *out, size_t length, skep_err *err) {
  while (length != 0) {
    SKEP_TRY(skep_orc_stream_want(s, 1, err));
    size_t n = available(s) < length ? available(s) : length;
    if (n == 0) return ended(s, length, err);
    memcpy(out, s->at, n);
    s->at += n;
    out += n;
    length -= n;
  }
  return SKEP_OK;
}

static skep_status skip_raw(skep_orc_stream *s, uint64_t length, skep_err *err) {
  uint64_t left = s->length - s->next + available(s);
  if (length > left) return ended(s, length - left, err);
  if (length <= available(s)) {
    s->at += length;
    return SKEP_OK;
  }
  s->next += length - available(s);
  clear_window(s);
  return SKEP_OK;
}

skep_status skep_orc_stream_skip(skep_orc_stream *s, uint64_t length, skep_err *err) {
  if (s->codec == NULL) return skip_raw(s, length, err);
  while (length != 0) {
    SKEP_TRY(skep_orc_stream_want(s, 1, err));
    size_t n = available(s) < length ? available(s) : (size_t)length;
    if (n == 0) return ended(s, length, err);
    s->at += n;
    length -= n;
  }
  return SKEP_OK;
}

static skep_status outside(const skep_orc_stream *s, uint64_t position, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "%s: position %llu in a stream of %llu bytes", s->what,
                   (unsigned long long)position, (unsigned long long)s->length);
}

/* A position may point behind the end of its chunk: the C++ reader goes on into the next one, and so do we. */
skep_status skep_orc_stream_seek(skep_orc_stream *s, uint64_t chunk, uint64_t within, skep_err *err) {
  if (s->codec == NULL) {
    if (within > s->length) return outside(s, within, err);
    clear_window(s);
    s->next = within;
    return SKEP_OK;
  }
  if (chunk > s->length) return outside(s, chunk, err);
  if (chunk == s->chunk_start && within <= (uint64_t)(s->end - s->chunk_data)) {
    s->at = s->chunk_data + within;
    return SKEP_OK;
  }
  clear_window(s);
  s->next = chunk;
  return skep_orc_stream_skip(s, within, err);
}

skep_status skep_orc_stream_short(const skep_orc_stream *s, size_t need, const char *run, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "%s: %s needs %zu bytes, %zu left", s->what, run, need, available(s));
}
