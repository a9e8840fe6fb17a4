/* Decompression of whole text files. Sizes in the files are hints: what comes out is bounded by what is allowed. */
#include "table/text_unpack.h"

#include <libdeflate.h>
#include <snappy-c.h>
#include <zstd.h>

#include "base/bytes.h"

#define MAX_UNPACKED ((size_t)1 << 30)

static bool ends_with(const char *path, const char *end) {
  size_t n = strlen(path), m = strlen(end);
  return n > m && strcmp(path + n - m, end) == 0;
}

skep_text_packed skep_text_packing(const char *path) {
  static const struct {
    const char *end;
    skep_text_packed packed;
  } known[] = {{".gz", SKEP_TEXT_GZIP},       {".deflate", SKEP_TEXT_DEFLATE}, {".zst", SKEP_TEXT_ZSTD},
               {".snappy", SKEP_TEXT_SNAPPY}, {".bz2", SKEP_TEXT_REFUSED},     {".lz4", SKEP_TEXT_REFUSED},
               {".lzo", SKEP_TEXT_REFUSED}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (ends_with(path, known[i].end)) return known[i].packed;
  return SKEP_TEXT_PLAIN;
}

static skep_status too_large(skep_err *err) {
  return skep_fail(err, SKEP_ERR_LIMIT, "a compressed file holds more than %zu bytes", MAX_UNPACKED);
}

static skep_status damaged(const char *what, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "%s data is damaged or ends early", what);
}

static skep_status reserve(skep_buf *to, size_t more, skep_err *err) {
  if (more > MAX_UNPACKED - to->size) return too_large(err);
  if (!skep_buf_reserve(to, more)) return skep_buf_check(to, "the content of a compressed file", err);
  return SKEP_OK;
}

/* Room is doubled until the next member fits; a member is begun anew then. */
static skep_status unpack_deflate(skep_bytes in, bool gzip, skep_buf *to, skep_err *err) {
  struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
  if (d == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a decompressor");
  skep_status st = SKEP_OK;
  size_t room = in.left < (MAX_UNPACKED >> 3) ? in.left * 4 + 4096 : MAX_UNPACKED;
  while (st == SKEP_OK && in.left != 0) {
    size_t used = 0, made = 0;
    st = reserve(to, room, err);
    if (st != SKEP_OK) break;
    enum libdeflate_result r =
        gzip ? libdeflate_gzip_decompress_ex(d, in.at, in.left, to->data + to->size, room, &used, &made)
             : libdeflate_zlib_decompress_ex(d, in.at, in.left, to->data + to->size, room, &used, &made);
    if (r == LIBDEFLATE_INSUFFICIENT_SPACE) {
      if (room == MAX_UNPACKED - to->size) {
        st = too_large(err);
      } else {
        room = room > (MAX_UNPACKED - to->size) / 2 ? MAX_UNPACKED - to->size : room * 2;
      }
      continue;
    }
    if (r != LIBDEFLATE_SUCCESS || used == 0) {
      st = damaged(gzip ? "gzip" : "zlib", err);
      break;
    }
    to->size += made;
    in = skep_bytes_of(in.at + used, in.left - used);
    if (room > MAX_UNPACKED - to->size) room = MAX_UNPACKED - to->size;
    if (!gzip) break; /* Hadoop reads one stream */
  }
  libdeflate_free_decompressor(d);
  return st;
}

static skep_status unpack_zstd(skep_bytes in, skep_buf *to, skep_err *err) {
  ZSTD_DStream *d = ZSTD_createDStream();
  if (d == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a decompressor");
  skep_status st = SKEP_OK;
  ZSTD_inBuffer from = {in.at, in.left, 0};
  size_t rest = 0;
  while (st == SKEP_OK) {
    st = reserve(to, ZSTD_DStreamOutSize(), err);
    if (st != SKEP_OK) break;
    ZSTD_outBuffer out = {to->data + to->size, ZSTD_DStreamOutSize(), 0};
    rest = ZSTD_decompressStream(d, &out, &from);
    if (ZSTD_isError(rest)) st = damaged("zstd", err);
    to->size += out.pos;
    if (from.pos == from.size && out.pos < out.size) break;
  }
  if (st == SKEP_OK && rest != 0) st = damaged("zstd", err);
  ZSTD_freeDStream(d);
  return st;
}

/* Blocks: uncompressed length (4 bytes, big endian), then chunks of compressed length and data until it is reached.
 * Source: Hadoop BlockCompressorStream. */
static skep_status unpack_snappy(skep_bytes in, skep_buf *to, skep_err *err) {
  skep_bytes head, chunk;
  while (in.left != 0) {
    if (!skep_bytes_take(&in, 4, &head)) return damaged("snappy", err);
    size_t left = skep_load_be32(head.at);
    while (left != 0) {
      size_t size;
      if (!skep_bytes_take(&in, 4, &head) || !skep_bytes_take(&in, skep_load_be32(head.at), &chunk) ||
          snappy_uncompressed_length((const char *)chunk.at, chunk.left, &size) != SNAPPY_OK || size > left ||
          size == 0)
        return damaged("snappy", err);
      SKEP_TRY(reserve(to, size, err));
      if (snappy_uncompress((const char *)chunk.at, chunk.left, (char *)to->data + to->size, &size) != SNAPPY_OK)
        return damaged("snappy", err);
      to->size += size;
      left -= size;
    }
  }
  return SKEP_OK;
}

static skep_status unpack(skep_text_packed packed, skep_bytes in, skep_buf *to, skep_err *err) {
  switch (packed) {
    case SKEP_TEXT_GZIP:
      return unpack_deflate(in, true, to, err);
    case SKEP_TEXT_DEFLATE:
      return unpack_deflate(in, false, to, err);
    case SKEP_TEXT_ZSTD:
      return unpack_zstd(in, to, err);
    case SKEP_TEXT_SNAPPY:
      return unpack_snappy(in, to, err);
    case SKEP_TEXT_PLAIN:
    case SKEP_TEXT_REFUSED:
      break;
  }
  return skep_fail(err, SKEP_ERR_UNSUPPORTED, "text files compressed as .bz2, .lz4 or .lzo are not read");
}

skep_status skep_text_unpack(const skep_ctx *ctx, skep_fs *fs, const char *path, uint8_t **out, size_t *size,
                             skep_err *err) {
  skep_text_packed packed = skep_text_packing(path);
  skep_buf in, to;
  *out = NULL;
  *size = 0;
  skep_buf_init(&in, ctx, MAX_UNPACKED);
  skep_buf_init(&to, ctx, MAX_UNPACKED + 1);
  skep_status st = SKEP_OK;
  if (packed != SKEP_TEXT_REFUSED) st = skep_fs_read_whole(fs, path, &in, err);
  if (st == SKEP_OK) st = unpack(packed, skep_bytes_of(in.data, in.size), &to, err);
  if (st == SKEP_OK) st = skep_buf_check(&to, "the content of a compressed file", err);
  if (st == SKEP_OK) {
    *out = to.data;
    *size = to.size;
    to = (skep_buf){0};
  }
  skep_buf_fini(&in);
  skep_buf_fini(&to);
  return st;
}
