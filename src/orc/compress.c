/* Compression of one chunk: a thin, uniform layer over libdeflate, snappy, lz4 and zstd. */
#include "orc/compress.h"

#include <assert.h>
#include <string.h>

#include <libdeflate.h>
#include <lz4.h>
#include <snappy-c.h>
#include <zstd.h>

#include "orc/literals.h"

struct skep_orc_compressor {
  const skep_ctx *ctx;
  skep_orc_codec codec;
  int level;
  struct libdeflate_compressor *deflate; /* ZLIB only */
  ZSTD_CCtx *zstd;                       /* ZSTD only */
};

enum { CHUNK_HEADER = 3, MAX_CHUNK = (1 << 23) - 1 };
/* Chunks that may be written without matches; how many go by what was found out before one is looked at again; and how
 * much of each is tried meanwhile. */
enum { LEAST_LITERALS = 16 << 10, BETWEEN_LOOKS = 16, SAMPLE_BYTES = 8 << 10 };

static skep_status check_level(skep_orc_codec codec, int level, skep_err *err) {
  int most = codec == SKEP_ORC_ZLIB ? 12 : codec == SKEP_ORC_ZSTD ? 22 : 0;
  if (level >= 0 && level <= most) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_ARGUMENT, "level %d of codec %s: 0 (its default) to %d", level,
                   skep_orc_codec_name((unsigned)codec), most);
}

skep_status skep_orc_compressor_new(const skep_ctx *ctx, skep_orc_codec codec, int level, skep_orc_compressor **out,
                                    skep_err *err) {
  *out = NULL;
  if (codec != SKEP_ORC_ZLIB && codec != SKEP_ORC_SNAPPY && codec != SKEP_ORC_LZ4 && codec != SKEP_ORC_ZSTD)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "writing with compression codec %u (%s)", (unsigned)codec,
                     skep_orc_codec_name((unsigned)codec));
  SKEP_TRY(check_level(codec, level, err));
  skep_orc_compressor *c = skep_alloc_zero(ctx, 1, sizeof *c);
  if (c == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "compressor of %zu bytes", sizeof *c);
  c->ctx = ctx;
  c->codec = codec;
  c->level = level != SKEP_ORC_LEVEL_DEFAULT ? level : 1; /* as fast as ORC Java's */
  if (codec == SKEP_ORC_ZLIB) c->deflate = libdeflate_alloc_compressor(c->level);
  if (codec == SKEP_ORC_ZSTD) c->zstd = ZSTD_createCCtx();
  if ((codec == SKEP_ORC_ZLIB && c->deflate == NULL) || (codec == SKEP_ORC_ZSTD && c->zstd == NULL)) {
    skep_orc_compressor_free(c);
    return skep_fail(err, SKEP_ERR_NOMEM, "state of the %s compressor", skep_orc_codec_name((unsigned)codec));
  }
  *out = c;
  return SKEP_OK;
}

void skep_orc_compressor_free(skep_orc_compressor *c) {
  if (c == NULL) return;
  if (c->deflate != NULL) libdeflate_free_compressor(c->deflate);
  if (c->zstd != NULL) ZSTD_freeCCtx(c->zstd);
  skep_release(c->ctx, c);
}

/* What the codec may need to be sure of; some of them refuse to work in less. */
static size_t bound_of(const skep_orc_compressor *c, size_t size) {
  if (c->codec == SKEP_ORC_SNAPPY) return snappy_max_compressed_length(size);
  return size + SKEP_LITERALS_SLACK; /* the others stop when they would not get smaller */
}

/* ---- chunks of bytes that hardly repeat ---- */

/* Whether a part of the chunk would become smaller with matches than with codes alone. Uses `out` as room. */
static bool sample_has_matches(skep_orc_compressor *c, const skep_literals *l, const uint8_t *in, size_t size,
                               unsigned number, uint8_t *out) {
  size_t bits = 0;
  const uint8_t *sample = in + (size - SAMPLE_BYTES) / BETWEEN_LOOKS * (number % BETWEEN_LOOKS);
  for (size_t i = 0; i < SAMPLE_BYTES; i++) bits += l->lengths[sample[i]];
  size_t room = bits / 8 - bits / 8 / 32; /* what would be worth it */
  return libdeflate_deflate_compress(c->deflate, sample, SAMPLE_BYTES, out, room) != 0;
}

/* By matches, or by codes alone where that is as good: packed numbers are. What a stream's chunks were like is
 * remembered in *kind. */
static size_t deflate(skep_orc_compressor *c, const uint8_t *in, size_t size, uint8_t *out, skep_orc_chunk_kind *kind) {
  skep_literals l;
  uint32_t counts[256];
  bool may_be_literal = c->level == 1 && kind != NULL && size >= LEAST_LITERALS;
  if (may_be_literal && kind->n_with_matches != 0) may_be_literal = --kind->n_with_matches == 0;
  if (!may_be_literal) return libdeflate_deflate_compress(c->deflate, in, size, out, size);
  skep_literals_count(in, size, counts);
  size_t alone = skep_literals_plan(&l, counts);
  if (alone > size) alone = size;
  if (kind->n_literal != 0 && !sample_has_matches(c, &l, in, size, kind->n_literal, out)) {
    kind->n_literal--;
    return alone == size ? 0 : skep_literals_write(&l, in, size, out);
  }
  size_t n = libdeflate_deflate_compress(c->deflate, in, size, out, size), packed = n == 0 ? size : n;
  kind->n_literal = alone - alone / 64 <= packed ? BETWEEN_LOOKS : 0;
  kind->n_with_matches = packed < alone / 4 * 3 ? BETWEEN_LOOKS : 0;
  return n;
}

/* ---- chunks ---- */

/* Bytes of the compressed body; 0 when it would not get smaller. */
static size_t squeeze(skep_orc_compressor *c, const uint8_t *in, size_t size, uint8_t *out, size_t room,
                      skep_orc_chunk_kind *kind) {
  size_t n = room;
  int packed;
  switch (c->codec) {
    case SKEP_ORC_ZLIB:
      return deflate(c, in, size, out, kind);
    case SKEP_ORC_SNAPPY:
      return snappy_compress((const char *)in, size, (char *)out, &n) == SNAPPY_OK ? n : 0;
    case SKEP_ORC_LZ4:
      packed = LZ4_compress_default((const char *)in, (char *)out, (int)size, (int)room);
      return packed > 0 ? (size_t)packed : 0;
    default:
      n = ZSTD_compressCCtx(c->zstd, out, room, in, size, c->level);
      return ZSTD_isError(n) ? 0 : n;
  }
}

void skep_orc_compress_chunk(skep_orc_compressor *c, const uint8_t *in, size_t size, skep_orc_chunk_kind *kind,
                             skep_buf *out) {
  assert(size > 0 && size <= MAX_CHUNK);
  size_t room = bound_of(c, size);
  if (!skep_buf_reserve(out, room + CHUNK_HEADER)) return;
  uint8_t *header = out->data + out->size, *body = header + CHUNK_HEADER;
  size_t n = squeeze(c, in, size, body, room, kind);
  bool original = n == 0 || n >= size;
  if (original) memcpy(body, in, n = size);
  size_t word = n << 1 | (original ? 1 : 0);
  for (unsigned i = 0; i < CHUNK_HEADER; i++) header[i] = (uint8_t)(word >> (8 * i));
  out->size += n + CHUNK_HEADER;
}
