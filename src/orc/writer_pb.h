/* Protobuf fields into a buffer: what a writer needs of the wire format, without building message trees. Field numbers
 * are those of orc_proto.proto. A nested message is written into a buffer of its own first. Inside orc only. */
#ifndef ORC_WRITER_PB_H
#define ORC_WRITER_PB_H

#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"

static inline void skep_pb_varint(skep_buf *b, uint64_t v) {
  uint8_t bytes[10];
  size_t n = 0;
  for (; v >= 128; v >>= 7) bytes[n++] = (uint8_t)(v | 0x80);
  bytes[n++] = (uint8_t)v;
  skep_buf_add(b, bytes, n);
}

static inline void skep_pb_uint(skep_buf *b, uint32_t field, uint64_t v) { /* uint32, uint64, bool, enum, int32 >= 0 */
  skep_pb_varint(b, (uint64_t)field << 3);
  skep_pb_varint(b, v);
}

static inline void skep_pb_sint(skep_buf *b, uint32_t field, int64_t v) { skep_pb_uint(b, field, skep_zigzag(v)); }

static inline void skep_pb_double(skep_buf *b, uint32_t field, double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  uint8_t bytes[8];
  for (unsigned i = 0; i < 8; i++) bytes[i] = (uint8_t)(bits >> (8 * i));
  skep_pb_varint(b, (uint64_t)field << 3 | 1);
  skep_buf_add(b, bytes, sizeof bytes);
}

static inline void skep_pb_bytes(skep_buf *b, uint32_t field, const void *bytes, size_t n) {
  skep_pb_varint(b, (uint64_t)field << 3 | 2);
  skep_pb_varint(b, n);
  skep_buf_add(b, bytes, n);
}

/* A nested message, or packed numbers. A failed one fails the whole. */
static inline void skep_pb_message(skep_buf *b, uint32_t field, const skep_buf *inner) {
  skep_pb_bytes(b, field, inner->data, inner->size);
  if (inner->status != SKEP_OK && b->status == SKEP_OK) b->status = inner->status;
}

#endif
