/* Sections of a file that hold one protobuf message: chunks joined, decompressed, unpacked within limits. Inside orc
 * only. */
#ifndef ORC_SECTION_H
#define ORC_SECTION_H

#include <protobuf-c/protobuf-c.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "orc/codec.h"

/* The decoded bytes of a section: all its chunks, one after the other. codec NULL: the bytes themselves (out points
 * into `in`, nothing is copied), else out points into `room`, which is reset. SKEP_ERR_LIMIT beyond room->max_size. */
SKEP_NODISCARD skep_status skep_orc_section_decode(skep_orc_decompressor *codec, uint64_t block_size, skep_bytes in,
                                                   skep_buf *room, skep_bytes *out, skep_err *err);

/* An allocator for protobuf-c with a budget, so that a short message cannot unfold into unbounded memory. */
typedef struct skep_pb_memory {
  ProtobufCAllocator allocator;
  const skep_ctx *ctx;
  uint64_t budget; /* bytes that may still be handed out; not given back when they are freed */
  bool exhausted;  /* a request was refused for the budget */
  bool no_memory;  /* a request was refused by the allocator */
} skep_pb_memory;
void skep_pb_memory_init(skep_pb_memory *memory, const skep_ctx *ctx, uint64_t budget);

/* Why unpacking returned NULL. */
skep_status skep_pb_failure(const skep_pb_memory *memory, const char *what, size_t size, skep_err *err);

#endif
