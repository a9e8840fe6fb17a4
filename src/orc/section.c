/* Sections of a file that hold one protobuf message. Source: ORC Specification v1, "Compression". */
#include "orc/section.h"

enum { CHUNK_HEADER = 3 };

static skep_status decode_chunk(skep_orc_decompressor *codec, uint64_t block_size, skep_bytes *in, skep_buf *room,
                                skep_err *err) {
  skep_bytes head, body;
  if (!skep_bytes_take(in, CHUNK_HEADER, &head))
    return skep_fail(err, SKEP_ERR_CORRUPT, "chunk header needs 3 bytes, %zu left", in->left);
  uint32_t word = (uint32_t)head.at[0] | (uint32_t)head.at[1] << 8 | (uint32_t)head.at[2] << 16;
  if (!skep_bytes_take(in, word >> 1, &body))
    return skep_fail(err, SKEP_ERR_CORRUPT, "chunk of %u bytes, %zu left", word >> 1, in->left);
  if ((word & 1) != 0) {
    skep_buf_add(room, body.at, body.left);
    return skep_buf_check(room, "section", err);
  }
  skep_buf_reserve(room, (size_t)block_size);
  SKEP_TRY(skep_buf_check(room, "section", err));
  size_t size;
  SKEP_TRY(skep_orc_decompress(codec, body.at, body.left, room->data + room->size, (size_t)block_size, &size, err));
  room->size += size;
  return SKEP_OK;
}

skep_status skep_orc_section_decode(skep_orc_decompressor *codec, uint64_t block_size, skep_bytes in, skep_buf *room,
                                    skep_bytes *out, skep_err *err) {
  *out = in;
  if (codec == NULL) return SKEP_OK;
  skep_buf_reset(room);
  while (in.left > 0) SKEP_TRY(decode_chunk(codec, block_size, &in, room, err));
  *out = skep_bytes_of(room->data, room->size);
  return SKEP_OK;
}

static void *pb_alloc(void *self, size_t size) {
  skep_pb_memory *memory = self;
  if (size > memory->budget) {
    memory->exhausted = true;
    return NULL;
  }
  memory->budget -= size;
  void *block = skep_alloc(memory->ctx, size);
  if (block == NULL) memory->no_memory = true;
  return block;
}

static void pb_free(void *self, void *block) {
  skep_pb_memory *memory = self;
  skep_release(memory->ctx, block);
}

void skep_pb_memory_init(skep_pb_memory *memory, const skep_ctx *ctx, uint64_t budget) {
  *memory = (skep_pb_memory){.ctx = ctx, .budget = budget};
  memory->allocator = (ProtobufCAllocator){.alloc = pb_alloc, .free = pb_free, .allocator_data = memory};
}

skep_status skep_pb_failure(const skep_pb_memory *memory, const char *what, size_t size, skep_err *err) {
  if (memory->no_memory) return skep_fail(err, SKEP_ERR_NOMEM, "%s of %zu bytes", what, size);
  if (memory->exhausted)
    return skep_fail(err, SKEP_ERR_LIMIT, "%s of %zu bytes unfolds beyond the memory limit", what, size);
  return skep_fail(err, SKEP_ERR_CORRUPT, "%s of %zu bytes is no valid message", what, size);
}
