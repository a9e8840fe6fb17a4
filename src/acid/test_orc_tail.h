/* For tests of this layer: ORC files that are a tail and nothing else, as planning reads no more than that.
 * Source: ORC Specification v1, "File Tail" (field numbers in the comments). */
#ifndef ACID_TEST_ORC_TAIL_H
#define ACID_TEST_ORC_TAIL_H

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "column/type.h"

typedef struct test_orc {
  const char *type; /* Hive type string; "acid<...>" stands for the six columns around struct<...> */
  uint64_t n_rows;
  uint32_t n_stripes;    /* of equal size; 0: one */
  uint64_t stripe_bytes; /* the file gets that many bytes before the tail; 0: ten a stripe */
  bool has_stats;        /* of the columns operation and bucket, below */
  int64_t max_operation, min_bucket, max_bucket;
  const char *metadata; /* a user metadata name, or NULL */
} test_orc;

static inline void orc_varint(skep_buf *out, uint64_t v) {
  for (; v >= 0x80; v >>= 7) skep_buf_byte(out, (uint8_t)(v | 0x80));
  skep_buf_byte(out, (uint8_t)v);
}

static inline void orc_number(skep_buf *out, uint32_t field, uint64_t v) {
  orc_varint(out, (uint64_t)field << 3);
  orc_varint(out, v);
}

static inline void orc_bytes(skep_buf *out, uint32_t field, const void *bytes, size_t size) {
  orc_varint(out, (uint64_t)field << 3 | 2);
  orc_varint(out, size);
  skep_buf_add(out, bytes, size);
}

static inline void orc_message(skep_buf *out, uint32_t field, skep_buf *message) {
  orc_bytes(out, field, message->data, message->size);
  skep_buf_fini(message);
}

static inline uint64_t orc_kind(skep_kind kind) {
  switch (kind) { /* Type.kind */
    case SKEP_BOOLEAN:
      return 0;
    case SKEP_TINYINT:
      return 1;
    case SKEP_SMALLINT:
      return 2;
    case SKEP_INT:
      return 3;
    case SKEP_BIGINT:
      return 4;
    case SKEP_STRING:
      return 7;
    case SKEP_TIMESTAMP:
      return 9;
    case SKEP_LIST:
      return 10;
    case SKEP_STRUCT:
      return 12;
    case SKEP_DATE:
      return 15;
    default:
      return 5;
  }
}

static inline void orc_types(skep_buf *footer, const skep_type *type) {
  skep_buf t;
  skep_buf_init(&t, footer->ctx, 1 << 20);
  orc_number(&t, 1, orc_kind(type->kind));                                                  /* kind */
  for (uint32_t i = 0; i < type->n_children; i++) orc_number(&t, 2, type->children[i]->id); /* subtypes */
  for (uint32_t i = 0; i < type->n_children && type->names != NULL; i++)
    orc_bytes(&t, 3, type->names[i], strlen(type->names[i])); /* fieldNames */
  orc_message(footer, 4, &t);
  for (uint32_t i = 0; i < type->n_children; i++) orc_types(footer, type->children[i]);
}

static inline void orc_int_stats(skep_buf *footer, uint64_t count, bool has, int64_t min, int64_t max) {
  skep_buf s, i;
  skep_buf_init(&s, footer->ctx, 1000);
  skep_buf_init(&i, footer->ctx, 1000);
  orc_number(&s, 1, count); /* numberOfValues */
  if (has) {
    orc_number(&i, 1, skep_zigzag(min)); /* minimum, maximum */
    orc_number(&i, 2, skep_zigzag(max));
    orc_message(&s, 2, &i); /* intStatistics */
  } else {
    skep_buf_fini(&i);
  }
  orc_number(&s, 10, 0); /* hasNull */
  orc_message(footer, 7, &s);
}

static inline void orc_stripes(skep_buf *footer, const test_orc *o, uint64_t content) {
  uint32_t n = o->n_stripes == 0 ? 1 : o->n_stripes;
  for (uint32_t i = 0; i < n && o->n_rows != 0; i++) {
    skep_buf s;
    skep_buf_init(&s, footer->ctx, 1000);
    orc_number(&s, 1, 3 + content / n * i);                          /* offset */
    orc_number(&s, 2, 0);                                            /* indexLength */
    orc_number(&s, 3, content / n - 1);                              /* dataLength */
    orc_number(&s, 4, 1);                                            /* footerLength */
    orc_number(&s, 5, o->n_rows / n + (i == 0 ? o->n_rows % n : 0)); /* numberOfRows */
    orc_message(footer, 3, &s);
  }
}

/* Appends the file to `out`, which should be empty. False when the type does not parse. */
static inline bool test_orc_write(const test_orc *o, skep_buf *out) {
  skep_arena arena;
  skep_arena_init(&arena, out->ctx, 1 << 24);
  char text[2048];
  bool acid = strncmp(o->type, "acid", 4) == 0;
  snprintf(text, sizeof text,
           acid ? "struct<operation:int,originalTransaction:bigint,bucket:int,rowId:bigint,currentTransaction:bigint,"
                  "row:struct%s>"
                : "%s",
           acid ? o->type + 4 : o->type);
  const skep_type *type;
  bool ok = skep_type_parse(&arena, text, strlen(text), &type, NULL) == SKEP_OK;
  skep_buf footer, tail;
  skep_buf_init(&footer, out->ctx, 1 << 20);
  skep_buf_init(&tail, out->ctx, 1000);
  uint32_t n = o->n_stripes == 0 ? 1 : o->n_stripes;
  uint64_t content = o->n_rows == 0 ? 0 : o->stripe_bytes == 0 ? 10 * n : o->stripe_bytes * n;
  if (ok) {
    orc_number(&footer, 1, 3);           /* headerLength */
    orc_number(&footer, 2, 3 + content); /* contentLength */
    orc_stripes(&footer, o, content);
    orc_types(&footer, type);
    if (o->metadata != NULL) {
      skep_buf m;
      skep_buf_init(&m, out->ctx, 1000);
      orc_bytes(&m, 1, o->metadata, strlen(o->metadata)); /* name, value */
      orc_bytes(&m, 2, "2", 1);
      orc_message(&footer, 5, &m);
    }
    orc_number(&footer, 6, o->n_rows);
    for (uint32_t id = 0; id <= type->max_id; id++) {
      if (acid && o->has_stats && id == 1) {
        orc_int_stats(&footer, o->n_rows, true, 0, o->max_operation);
      } else if (acid && o->has_stats && id == 3) {
        orc_int_stats(&footer, o->n_rows, true, o->min_bucket, o->max_bucket);
      } else {
        orc_int_stats(&footer, o->n_rows, false, 0, 0);
      }
    }
    orc_number(&footer, 8, o->has_stats ? 10000 : 0); /* rowIndexStride */
    orc_number(&tail, 1, footer.size);                /* footerLength */
    orc_number(&tail, 2, 0);                          /* compression: none */
    orc_bytes(&tail, 4, "\x00\x0c", 2);               /* version 0.12, packed */
    orc_number(&tail, 5, 0);                          /* metadataLength */
    orc_number(&tail, 6, 6);                          /* writerVersion */
    orc_bytes(&tail, 8000, "ORC", 3);                 /* magic */
    skep_buf_add(out, "ORC", 3);
    for (uint64_t i = 0; i < content; i++) skep_buf_byte(out, 0);
    skep_buf_add(out, footer.data, footer.size);
    skep_buf_add(out, tail.data, tail.size);
    skep_buf_byte(out, (uint8_t)tail.size);
  }
  skep_buf_fini(&footer);
  skep_buf_fini(&tail);
  skep_arena_fini(&arena);
  return ok && out->status == SKEP_OK;
}

#endif
