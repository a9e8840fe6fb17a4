/* For tests of this layer: small uncompressed ORC files put together by hand, streams given as bytes.
 *
 *   make_file m = {.n_rows = 3, .encoding = {0, 2}};
 *   make_type(&m, 12, 1, "a");  make_type(&m, 3, 0, NULL);       // struct<a:int>
 *   make_stream(&m, 1, 1, BYTES(0x06, 0x02, 0x04, 0x06));        // column 1 DATA
 *   test_bytes file = make_finish(&m);
 *
 * Field numbers: ORC Specification v1. */
#ifndef ORC_TEST_MAKE_H
#define ORC_TEST_MAKE_H

#include "orc/test_file.h"

enum { MAKE_MAX = 8192, MAKE_COLUMNS = 16 };

typedef struct make_bytes {
  uint8_t data[MAKE_MAX];
  size_t size;
} make_bytes;

static inline void make_raw(make_bytes *b, const void *bytes, size_t n) {
  assert_true(b->size + n <= MAKE_MAX);
  if (n > 0) memcpy(b->data + b->size, bytes, n);
  b->size += n;
}

static inline void make_varint(make_bytes *b, uint64_t v) {
  do {
    uint8_t byte = (uint8_t)((v & 0x7f) | (v > 0x7f ? 0x80 : 0));
    make_raw(b, &byte, 1);
    v >>= 7;
  } while (v != 0);
}

static inline void make_number(make_bytes *b, uint32_t field, uint64_t v) {
  make_varint(b, (uint64_t)field << 3);
  make_varint(b, v);
}

static inline void make_block(make_bytes *b, uint32_t field, const void *bytes, size_t n) {
  make_varint(b, (uint64_t)field << 3 | 2);
  make_varint(b, n);
  make_raw(b, bytes, n);
}

typedef struct make_file {
  uint64_t n_rows, footer_rows; /* footer_rows 0: the same */
  uint32_t encoding[MAKE_COLUMNS], dictionary_size[MAKE_COLUMNS];
  uint32_t n_columns; /* counted by make_type */
  const char *timezone;
  uint32_t calendar, writer, writer_version, version_major, version_minor;
  uint32_t index_stride;
  make_bytes types, streams, data;     /* of the footer, the stripe footer, the stripe */
  make_bytes footer_extra, statistics; /* appended to the footer; one ColumnStatistics field after the other */
  uint64_t extra_stripe_offset;        /* added to the true one */
} make_file;

/* A type of the tree, in pre-order; names: as many as children, separated by blanks (structs only). Subtypes are the
 * next ids with `first_child` 0, or start there. */
static inline void make_type_at(make_file *m, uint32_t kind, uint32_t n_children, const char *names,
                                const uint32_t *subtypes, uint32_t precision, uint32_t scale) {
  make_bytes t = {.size = 0};
  make_number(&t, 1, kind);
  for (uint32_t i = 0; i < n_children; i++) make_number(&t, 2, subtypes[i]);
  while (names != NULL && *names != 0) {
    size_t n = strcspn(names, " ");
    make_block(&t, 3, names, n);
    names += names[n] == ' ' ? n + 1 : n;
  }
  if (precision > 0) {
    make_number(&t, 5, precision);
    make_number(&t, 6, scale);
  }
  make_block(&m->types, 4, t.data, t.size);
  m->n_columns++;
}

static inline void make_leaf(make_file *m, uint32_t kind) { make_type_at(m, kind, 0, NULL, NULL, 0, 0); }

static inline void make_stream(make_file *m, uint32_t column, uint32_t kind, const void *bytes, size_t n) {
  make_bytes s = {.size = 0};
  make_number(&s, 1, kind);
  make_number(&s, 2, column);
  make_number(&s, 3, n);
  make_block(&m->streams, 1, s.data, s.size);
  make_raw(&m->data, bytes, n);
}

/* Bytes and their number, for make_stream. */
#define BYTES(...) (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})

static inline void make_stripe_footer(const make_file *m, make_bytes *out) {
  make_raw(out, m->streams.data, m->streams.size);
  for (uint32_t i = 0; i < m->n_columns; i++) {
    make_bytes e = {.size = 0};
    make_number(&e, 1, m->encoding[i]);
    if (m->dictionary_size[i] > 0) make_number(&e, 2, m->dictionary_size[i]);
    make_block(out, 2, e.data, e.size);
  }
  if (m->timezone != NULL) make_block(out, 3, m->timezone, strlen(m->timezone));
}

static inline void make_footer(const make_file *m, uint64_t stripe_footer_length, make_bytes *out) {
  make_bytes stripe = {.size = 0};
  make_number(&stripe, 1, 3 + m->extra_stripe_offset);
  make_number(&stripe, 3, m->data.size);
  make_number(&stripe, 4, stripe_footer_length);
  make_number(&stripe, 5, m->n_rows);
  make_block(out, 3, stripe.data, stripe.size);
  make_raw(out, m->types.data, m->types.size);
  make_number(out, 6, m->footer_rows != 0 ? m->footer_rows : m->n_rows);
  make_raw(out, m->statistics.data, m->statistics.size);
  make_number(out, 8, m->index_stride);
  make_number(out, 9, m->writer);
  if (m->calendar != 0) make_number(out, 11, m->calendar);
  make_raw(out, m->footer_extra.data, m->footer_extra.size);
}

/* The file's bytes, to be freed. */
static inline test_bytes make_finish(const make_file *m) {
  static make_bytes file, stripe_footer, footer, postscript; /* too large for the stack together */
  file.size = stripe_footer.size = footer.size = postscript.size = 0;
  make_raw(&file, "ORC", 3);
  make_raw(&file, m->data.data, m->data.size);
  make_stripe_footer(m, &stripe_footer);
  make_raw(&file, stripe_footer.data, stripe_footer.size);
  make_footer(m, stripe_footer.size, &footer);
  make_raw(&file, footer.data, footer.size);
  make_number(&postscript, 1, footer.size);
  make_number(&postscript, 4, m->version_major);
  make_number(&postscript, 4, m->version_minor != 0 ? m->version_minor : 12);
  make_number(&postscript, 6, m->writer_version);
  make_block(&postscript, 8000, "ORC", 3);
  make_raw(&file, postscript.data, postscript.size);
  uint8_t length = (uint8_t)postscript.size;
  make_raw(&file, &length, 1);
  test_bytes b = {.data = malloc(file.size), .size = file.size};
  assert_non_null(b.data);
  memcpy(b.data, file.data, file.size);
  return b;
}

#endif
