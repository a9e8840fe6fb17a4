/* The bytes of a file as they follow each other: stripes (indexes, streams, footer), then metadata, footer, postscript.
 * Source: ORC Specification v1, "Stripes", "File Tail"; the order of streams is ORC Java's. */
#include "orc/stripe.h"
#include "orc/writer_int.h"
#include "orc/writer_pb.h"
#include "skep/version.h"

static const uint32_t KIND_OF_OUT[SKEP_ORC_N_OUTS] = {SKEP_ORC_PRESENT, SKEP_ORC_DATA, SKEP_ORC_LENGTH,
                                                      SKEP_ORC_DICTIONARY_DATA, SKEP_ORC_SECONDARY};

/* Small pieces are written together: a small file is one write. */
enum { PENDING_BYTES = 64 << 10 };

static skep_status write_pending(skep_orc_writer *w, skep_err *err) {
  if (w->pending.size == 0) return SKEP_OK;
  SKEP_TRY(skep_file_append(w->file, w->pending.data, w->pending.size, err));
  skep_buf_reset(&w->pending);
  return SKEP_OK;
}

skep_status skep_orc_writer_append(skep_orc_writer *w, const void *bytes, size_t size, skep_err *err) {
  if (size == 0) return SKEP_OK;
  if (w->pending.size + size > PENDING_BYTES) SKEP_TRY(write_pending(w, err));
  if (size >= PENDING_BYTES) {
    SKEP_TRY(skep_file_append(w->file, bytes, size, err));
  } else {
    skep_buf_add(&w->pending, bytes, size);
    SKEP_TRY(skep_buf_check(&w->pending, "bytes to be written", err));
  }
  w->length += size;
  uint64_t *written = w->opts.memory != NULL ? w->opts.memory->written_bytes : NULL;
  if (written != NULL) __atomic_add_fetch(written, size, __ATOMIC_RELAXED);
  return SKEP_OK;
}

/* A message as chunks, appended to the file. *written is its length there. */
static skep_status append_message(skep_orc_writer *w, const skep_buf *message, uint64_t *written, skep_err *err) {
  SKEP_TRY(skep_buf_check(message, "footer", err));
  const skep_buf *out = message;
  if (w->env.codec != NULL) {
    skep_buf_reset(&w->section);
    for (size_t at = 0; at < message->size; at += w->env.block_size) {
      size_t n = message->size - at < w->env.block_size ? message->size - at : w->env.block_size;
      skep_orc_compress_chunk(w->env.codec, message->data + at, n, NULL, &w->section);
    }
    SKEP_TRY(skep_buf_check(&w->section, "compressed footer", err));
    out = &w->section;
  }
  *written = out->size;
  return skep_orc_writer_append(w, out->data, out->size, err);
}

/* ---- stripes ---- */

/* Names a stream in the stripe footer that is gathered in w->message. */
static void name_stream(skep_orc_writer *w, uint32_t kind, uint32_t column, uint64_t length) {
  skep_buf *stream = &w->env.scratch;
  skep_buf_reset(stream);
  skep_pb_uint(stream, 1, kind);
  skep_pb_uint(stream, 2, column);
  skep_pb_uint(stream, 3, length);
  skep_pb_message(&w->message, 1, stream);
}

static skep_status put_indexes(skep_orc_writer *w, const skep_orc_wcolumn *c, skep_err *err) {
  uint64_t length;
  skep_buf_reset(&w->nested);
  skep_orc_wcolumn_write_index(c, &w->nested);
  SKEP_TRY(append_message(w, &w->nested, &length, err));
  name_stream(w, SKEP_ORC_ROW_INDEX, c->type->id, length);
  if (c->bloom.words != NULL) {
    SKEP_TRY(append_message(w, &c->blooms, &length, err));
    name_stream(w, SKEP_ORC_BLOOM_FILTER_UTF8, c->type->id, length);
  }
  for (uint32_t i = 0; i < c->n_children; i++) SKEP_TRY(put_indexes(w, &c->children[i], err));
  return SKEP_OK;
}

static skep_status put_streams(skep_orc_writer *w, const skep_orc_wcolumn *c, skep_err *err) {
  for (unsigned i = 0; i < SKEP_ORC_N_OUTS; i++) {
    if (!skep_orc_wcolumn_has_out(c, i)) continue;
    skep_bytes bytes = skep_orc_out_bytes(&c->outs[i]);
    name_stream(w, KIND_OF_OUT[i], c->type->id, bytes.left);
    SKEP_TRY(skep_orc_writer_append(w, bytes.at, bytes.left, err));
  }
  for (uint32_t i = 0; i < c->n_children; i++) SKEP_TRY(put_streams(w, &c->children[i], err));
  return SKEP_OK;
}

static void name_encodings(skep_orc_writer *w, const skep_orc_wcolumn *c) {
  skep_buf *encoding = &w->env.scratch;
  skep_buf_reset(encoding);
  skep_pb_uint(encoding, 1, skep_orc_wcolumn_encoding(c));
  if (c->is_dictionary) skep_pb_uint(encoding, 2, c->dictionary_size);
  if (c->bloom.words != NULL) skep_pb_uint(encoding, 3, 1); /* timestamps in UTC */
  skep_pb_message(&w->message, 2, encoding);
  for (uint32_t i = 0; i < c->n_children; i++) name_encodings(w, &c->children[i]);
}

static void put_stripe_stats(skep_orc_writer *w, const skep_orc_wcolumn *c) {
  skep_buf *stats = &w->section;
  skep_buf_reset(stats);
  skep_orc_tally_write(&c->stripe, c->type, &w->env.scratch, stats);
  skep_pb_message(&w->nested, 1, stats);
  for (uint32_t i = 0; i < c->n_children; i++) put_stripe_stats(w, &c->children[i]);
}

skep_status skep_orc_writer_put_stripe_stats(skep_orc_writer *w, skep_err *err) {
  skep_buf_reset(&w->nested);
  put_stripe_stats(w, &w->root);
  skep_pb_message(&w->stripe_stats, 1, &w->nested);
  return skep_buf_check(&w->stripe_stats, "stripe statistics", err);
}

static uint64_t size_of_streams(const skep_orc_wcolumn *c) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < SKEP_ORC_N_OUTS; i++)
    if (skep_orc_wcolumn_has_out(c, i)) sum += skep_orc_out_size(&c->outs[i]);
  for (uint32_t i = 0; i < c->n_children; i++) sum += size_of_streams(&c->children[i]);
  return sum;
}

skep_status skep_orc_writer_pad(skep_orc_writer *w, uint64_t size, skep_err *err) {
  static const uint8_t zeros[4096];
  if (w->opts.padding_block_bytes == 0) return SKEP_OK;
  uint64_t left = w->opts.padding_block_bytes - w->length % w->opts.padding_block_bytes;
  if (left == w->opts.padding_block_bytes || size <= left || left > w->opts.stripe_bytes / 20) return SKEP_OK;
  while (left != 0) {
    size_t n = left < sizeof zeros ? (size_t)left : sizeof zeros;
    SKEP_TRY(skep_orc_writer_append(w, zeros, n, err));
    left -= n;
  }
  return SKEP_OK;
}

skep_status skep_orc_writer_put_stripe(skep_orc_writer *w, skep_err *err) {
  SKEP_TRY(skep_grow(w->ctx, (void **)&w->stripes, &w->stripes_capacity, w->n_stripes + 1, sizeof *w->stripes, err));
  if (w->opts.padding_block_bytes != 0) SKEP_TRY(skep_orc_writer_pad(w, size_of_streams(&w->root), err));
  skep_orc_stripe s = {.offset = w->length, .n_rows = w->stripe_rows, .first_row = w->n_rows - w->stripe_rows};
  skep_buf_reset(&w->message);
  if (w->env.stride != 0) SKEP_TRY(put_indexes(w, &w->root, err));
  s.index_length = w->length - s.offset;
  SKEP_TRY(put_streams(w, &w->root, err));
  s.data_length = w->length - s.offset - s.index_length;
  name_encodings(w, &w->root);
  skep_pb_bytes(&w->message, 3, "UTC", 3);
  SKEP_TRY(append_message(w, &w->message, &s.footer_length, err));
  SKEP_TRY(skep_orc_writer_put_stripe_stats(w, err));
  w->stripes[w->n_stripes++] = s;
  return SKEP_OK;
}

/* ---- tail ---- */

/* Kind numbers of the footer. */
static uint32_t number_of_kind(skep_kind kind) {
  static const uint8_t numbers[SKEP_KIND_COUNT] = {
      [SKEP_BOOLEAN] = 0, [SKEP_TINYINT] = 1,  [SKEP_SMALLINT] = 2, [SKEP_INT] = 3,          [SKEP_BIGINT] = 4,
      [SKEP_FLOAT] = 5,   [SKEP_DOUBLE] = 6,   [SKEP_STRING] = 7,   [SKEP_BINARY] = 8,       [SKEP_TIMESTAMP] = 9,
      [SKEP_LIST] = 10,   [SKEP_MAP] = 11,     [SKEP_STRUCT] = 12,  [SKEP_UNION] = 13,       [SKEP_DECIMAL] = 14,
      [SKEP_DATE] = 15,   [SKEP_VARCHAR] = 16, [SKEP_CHAR] = 17,    [SKEP_TIMESTAMP_TZ] = 18};
  return numbers[kind];
}

static void put_type(skep_orc_writer *w, const skep_type *type) {
  skep_buf *out = &w->nested, *ids = &w->env.scratch;
  skep_buf_reset(out);
  skep_buf_reset(ids);
  skep_pb_uint(out, 1, number_of_kind(type->kind));
  for (uint32_t i = 0; i < type->n_children; i++) skep_pb_varint(ids, type->children[i]->id);
  if (type->n_children != 0) skep_pb_message(out, 2, ids);
  for (uint32_t i = 0; type->kind == SKEP_STRUCT && i < type->n_children; i++)
    skep_pb_bytes(out, 3, type->names[i], strlen(type->names[i]));
  if (type->kind == SKEP_CHAR || type->kind == SKEP_VARCHAR) skep_pb_uint(out, 4, type->length);
  if (type->kind == SKEP_DECIMAL) {
    skep_pb_uint(out, 5, type->precision);
    skep_pb_uint(out, 6, type->scale);
  }
  skep_pb_message(&w->message, 4, out);
  for (uint32_t i = 0; i < type->n_children; i++) put_type(w, type->children[i]);
}

static void put_stripe_list(skep_orc_writer *w) {
  for (size_t i = 0; i < w->n_stripes; i++) {
    const skep_orc_stripe *s = &w->stripes[i];
    skep_buf_reset(&w->nested);
    skep_pb_uint(&w->nested, 1, s->offset);
    skep_pb_uint(&w->nested, 2, s->index_length);
    skep_pb_uint(&w->nested, 3, s->data_length);
    skep_pb_uint(&w->nested, 4, s->footer_length);
    skep_pb_uint(&w->nested, 5, s->n_rows);
    skep_pb_message(&w->message, 3, &w->nested);
  }
}

static void put_items(skep_orc_writer *w) {
  for (size_t i = 0; i < w->n_items; i++) {
    skep_buf_reset(&w->nested);
    skep_pb_bytes(&w->nested, 1, w->items[i].name, strlen(w->items[i].name));
    skep_pb_bytes(&w->nested, 2, w->items[i].value, w->items[i].size);
    skep_pb_message(&w->message, 5, &w->nested);
  }
}

static void put_file_stats(skep_orc_writer *w, const skep_orc_wcolumn *c) {
  skep_buf_reset(&w->nested);
  skep_orc_tally_write(&c->file, c->type, &w->env.scratch, &w->nested);
  skep_pb_message(&w->message, 7, &w->nested);
  for (uint32_t i = 0; i < c->n_children; i++) put_file_stats(w, &c->children[i]);
}

static skep_status put_footer(skep_orc_writer *w, uint64_t content, uint64_t *length, skep_err *err) {
  const char *software = w->opts.software_version != NULL ? w->opts.software_version : "skep " SKEP_VERSION_STRING;
  skep_buf *m = &w->message;
  skep_buf_reset(m);
  skep_pb_uint(m, 1, 3); /* the magic */
  skep_pb_uint(m, 2, content);
  put_stripe_list(w);
  put_type(w, w->type);
  put_items(w);
  skep_pb_uint(m, 6, w->n_rows);
  put_file_stats(w, &w->root);
  skep_pb_uint(m, 8, w->env.stride);
  skep_pb_uint(m, 9, SKEP_ORC_WRITER_JAVA);
  skep_pb_uint(m, 11, w->opts.calendar == SKEP_CALENDAR_HYBRID ? 1 : 2);
  skep_pb_bytes(m, 12, software, strlen(software));
  return append_message(w, m, length, err);
}

/* Never compressed; at most 255 bytes with its length in the last byte. */
static skep_status put_postscript(skep_orc_writer *w, uint64_t footer, uint64_t metadata, skep_err *err) {
  static const uint8_t version[2] = {0, 12};
  skep_buf *m = &w->message;
  skep_buf_reset(m);
  skep_pb_uint(m, 1, footer);
  skep_pb_uint(m, 2, w->opts.codec);
  if (w->env.codec != NULL) skep_pb_uint(m, 3, w->env.block_size);
  skep_pb_bytes(m, 4, version, sizeof version);
  skep_pb_uint(m, 5, metadata);
  skep_pb_uint(m, 6, SKEP_ORC_WRITER_VERSION);
  skep_pb_bytes(m, 8000, "ORC", 3);
  skep_buf_byte(m, (uint8_t)m->size);
  SKEP_TRY(skep_buf_check(m, "postscript", err));
  SKEP_TRY(skep_orc_writer_append(w, m->data, m->size, err));
  return write_pending(w, err);
}

skep_status skep_orc_writer_put_tail(skep_orc_writer *w, skep_err *err) {
  uint64_t content = w->length, metadata, footer;
  SKEP_TRY(append_message(w, &w->stripe_stats, &metadata, err));
  w->has_footer = true;
  SKEP_TRY(put_footer(w, content, &footer, err));
  return put_postscript(w, footer, metadata, err);
}
