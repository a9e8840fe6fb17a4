/* Stripe footers, row indexes and bloom filters. Source: ORC Specification v1, "Stripe Footer", "Indexes". */
#include "orc/stripe.h"

#include "base/checked.h"
#include "orc/section.h"
#include "orc/stats_read.h"

typedef Skep__Orc__Proto__StripeFooter pb_stripe_footer;

/* An index section up to this size is read at once, whichever columns are asked for. */
enum { SMALL_INDEX = 256 << 10 };

skep_status skep_orc_access_init(skep_orc_access *a, const skep_ctx *ctx, skep_file *file, const skep_orc_tail *tail,
                                 skep_err *err) {
  *a = (skep_orc_access){.ctx = ctx, .file = file, .tail = tail};
  uint64_t max = ctx->limits.max_stripe_meta_bytes;
  skep_buf_init(&a->raw, ctx, (size_t)max);
  skep_buf_init(&a->section, ctx, (size_t)(max + tail->block_size));
  if (tail->codec == SKEP_ORC_NONE) return SKEP_OK;
  return skep_orc_decompressor_new(ctx, tail->codec, &a->codec, err);
}

void skep_orc_access_fini(skep_orc_access *a) {
  skep_orc_decompressor_free(a->codec);
  a->codec = NULL;
  skep_buf_fini(&a->raw);
  skep_buf_fini(&a->section);
}

skep_status skep_orc_access_read(skep_orc_access *a, uint64_t offset, void *out, size_t length, skep_err *err) {
  if (offset > a->tail->file_length || length > a->tail->file_length - offset)
    return skep_fail(err, SKEP_ERR_CORRUPT, "range of %zu bytes at %llu lies outside the file", length,
                     (unsigned long long)offset);
  a->bytes_read += length;
  return skep_file_read_at(a->file, offset, out, length, err);
}

/* Reads and decodes a section of the file. *out lives until the next one. */
static skep_status read_section(skep_orc_access *a, uint64_t offset, uint64_t length, const char *what, skep_bytes *out,
                                skep_err *err) {
  if (length > a->ctx->limits.max_stripe_meta_bytes)
    return skep_fail(err, SKEP_ERR_LIMIT, "%s of %llu bytes, the limit is %llu", what, (unsigned long long)length,
                     (unsigned long long)a->ctx->limits.max_stripe_meta_bytes);
  skep_buf_reset(&a->raw);
  skep_buf_reserve(&a->raw, (size_t)length);
  SKEP_TRY(skep_buf_check(&a->raw, what, err));
  SKEP_TRY(skep_orc_access_read(a, offset, a->raw.data, (size_t)length, err));
  skep_status st = skep_orc_section_decode(a->codec, a->tail->block_size, skep_bytes_of(a->raw.data, (size_t)length),
                                           &a->section, out, err);
  return st == SKEP_OK ? st : skep_wrap(err, st, "%s", what);
}

static skep_status take_streams(const skep_orc_tail *tail, const pb_stripe_footer *footer, skep_arena *arena,
                                skep_orc_stripe_dir *dir, skep_err *err) {
  size_t n_slots = (size_t)(tail->type->max_id + 1) * SKEP_ORC_LOOKED_UP_KINDS;
  skep_orc_stream_info *streams = skep_arena_zero(arena, footer->n_streams, sizeof *streams);
  const skep_orc_stream_info **by = skep_arena_zero(arena, n_slots, sizeof *by);
  if (streams == NULL || by == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "stripe footer");
  const skep_orc_stripe *stripe = dir->stripe;
  uint64_t at = stripe->offset, end = at + stripe->index_length + stripe->data_length; /* checked with the tail */
  for (size_t i = 0; i < footer->n_streams; i++) {
    const Skep__Orc__Proto__Stream *from = footer->streams[i];
    if (from->length > end - at)
      return skep_fail(err, SKEP_ERR_CORRUPT, "stream %zu of %llu bytes does not fit the %llu left in the stripe", i,
                       (unsigned long long)from->length, (unsigned long long)(end - at));
    streams[i] =
        (skep_orc_stream_info){.column = from->column, .kind = from->kind, .offset = at, .length = from->length};
    at += from->length;
    if (from->kind >= SKEP_ORC_LOOKED_UP_KINDS || from->column > tail->type->max_id) continue;
    size_t slot = (size_t)from->column * SKEP_ORC_LOOKED_UP_KINDS + from->kind;
    if (by[slot] != NULL)
      return skep_fail(err, SKEP_ERR_CORRUPT, "column %u has two %s streams", from->column,
                       skep_orc_stream_kind_name(from->kind));
    by[slot] = &streams[i];
  }
  dir->info.n_streams = (uint32_t)footer->n_streams;
  dir->info.streams = streams;
  dir->streams = by;
  return SKEP_OK;
}

static skep_status take_encodings(const skep_orc_tail *tail, const pb_stripe_footer *footer, skep_arena *arena,
                                  skep_orc_stripe_dir *dir, skep_err *err) {
  uint32_t n_columns = tail->type->max_id + 1;
  uint32_t *encodings = skep_arena_zero(arena, n_columns, sizeof *encodings);
  uint32_t *sizes = skep_arena_zero(arena, n_columns, sizeof *sizes);
  uint32_t *blooms = skep_arena_zero(arena, n_columns, sizeof *blooms);
  if (encodings == NULL || sizes == NULL || blooms == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "stripe footer");
  uint32_t n = footer->n_columns < n_columns ? (uint32_t)footer->n_columns : n_columns;
  for (uint32_t i = 0; i < n; i++) {
    encodings[i] = footer->columns[i]->kind;
    sizes[i] = footer->columns[i]->dictionary_size;
    blooms[i] = footer->columns[i]->bloom_encoding;
  }
  dir->n_encodings = n;
  dir->info.encodings = encodings;
  dir->info.dictionary_sizes = sizes;
  dir->bloom_encodings = blooms;
  return SKEP_OK;
}

static skep_status take_timezone(const pb_stripe_footer *footer, skep_arena *arena, skep_orc_stripe_dir *dir,
                                 skep_err *err) {
  if (!footer->has_writer_timezone || footer->writer_timezone.len == 0) return SKEP_OK;
  ProtobufCBinaryData name = footer->writer_timezone;
  if (memchr(name.data, 0, name.len) != NULL)
    return skep_fail(err, SKEP_ERR_CORRUPT, "the writer's zone name holds a NUL");
  dir->info.writer_timezone = skep_arena_strndup(arena, (const char *)name.data, name.len);
  return dir->info.writer_timezone == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "stripe footer") : SKEP_OK;
}

skep_status skep_orc_stripe_dir_read(skep_orc_access *a, skep_arena *arena, uint32_t number, skep_orc_stripe_dir *out,
                                     skep_err *err) {
  const skep_orc_stripe *stripe = &a->tail->stripes[number];
  *out = (skep_orc_stripe_dir){.number = number, .stripe = stripe};
  skep_bytes bytes;
  SKEP_TRY(read_section(a, stripe->offset + stripe->index_length + stripe->data_length, stripe->footer_length,
                        "stripe footer", &bytes, err));
  skep_pb_memory memory;
  skep_pb_memory_init(&memory, a->ctx, a->ctx->limits.max_stripe_meta_bytes * 4);
  pb_stripe_footer *footer = skep__orc__proto__stripe_footer__unpack(&memory.allocator, bytes.left, bytes.at);
  if (footer == NULL) return skep_pb_failure(&memory, "stripe footer", bytes.left, err);
  skep_status st = take_streams(a->tail, footer, arena, out, err);
  if (st == SKEP_OK) st = take_encodings(a->tail, footer, arena, out, err);
  if (st == SKEP_OK) st = take_timezone(footer, arena, out, err);
  skep__orc__proto__stripe_footer__free_unpacked(footer, &memory.allocator);
  return st;
}

uint64_t skep_orc_stripe_groups(const skep_orc_tail *tail, const skep_orc_stripe *stripe) {
  if (tail->row_index_stride == 0) return 0;
  return stripe->n_rows / tail->row_index_stride + (stripe->n_rows % tail->row_index_stride != 0);
}

/* An index stream, out of the small index section when that is (or can be) in memory. */
static skep_status read_index(skep_orc_access *a, skep_arena *arena, skep_orc_stripe_dir *dir,
                              const skep_orc_stream_info *stream, const char *what, skep_bytes *out, skep_err *err) {
  const skep_orc_stripe *stripe = dir->stripe;
  bool inside = stream->offset + stream->length <= stripe->offset + stripe->index_length;
  if (!inside || stripe->index_length > SMALL_INDEX)
    return read_section(a, stream->offset, stream->length, what, out, err);
  if (dir->index_bytes == NULL) {
    uint8_t *bytes = skep_arena_alloc(arena, (size_t)stripe->index_length);
    if (bytes == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "stripe index");
    SKEP_TRY(skep_orc_access_read(a, stripe->offset, bytes, (size_t)stripe->index_length, err));
    dir->index_bytes = bytes;
  }
  skep_bytes raw = skep_bytes_of(dir->index_bytes + (stream->offset - stripe->offset), (size_t)stream->length);
  skep_status st = skep_orc_section_decode(a->codec, a->tail->block_size, raw, &a->section, out, err);
  return st == SKEP_OK ? st : skep_wrap(err, st, "%s", what);
}

static skep_status take_row_index(const skep_orc_tail *tail, const Skep__Orc__Proto__RowIndex *index, skep_arena *arena,
                                  uint32_t column, const skep_orc_row_group **out, skep_err *err) {
  skep_orc_row_group *groups = skep_arena_zero(arena, index->n_entry, sizeof *groups);
  if (groups == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "row index");
  skep_orc_writer_facts who = skep_orc_tail_writer(tail);
  const skep_type *type = skep_type_by_id(tail->type, column);
  for (size_t i = 0; i < index->n_entry; i++) {
    const Skep__Orc__Proto__RowIndexEntry *entry = index->entry[i];
    SKEP_TRY(skep_orc_stats_from_pb(arena, &who, type, entry->statistics, &groups[i].stats, err));
    uint64_t *positions = skep_arena_zero(arena, entry->n_positions, sizeof *positions);
    if (positions == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "row index");
    if (entry->n_positions > 0) memcpy(positions, entry->positions, entry->n_positions * sizeof *positions);
    groups[i].n_positions = (uint32_t)entry->n_positions;
    groups[i].positions = positions;
  }
  *out = groups;
  return SKEP_OK;
}

skep_status skep_orc_stripe_row_index(skep_orc_access *a, skep_arena *arena, skep_orc_stripe_dir *dir, uint32_t column,
                                      uint32_t *n_groups, const skep_orc_row_group **groups, skep_err *err) {
  *n_groups = 0;
  *groups = NULL;
  const skep_orc_stream_info *stream = skep_orc_stripe_stream(dir, column, SKEP_ORC_ROW_INDEX);
  if (stream == NULL || stream->length == 0) return SKEP_OK;
  skep_bytes bytes;
  SKEP_TRY(read_index(a, arena, dir, stream, "row index", &bytes, err));
  skep_pb_memory memory;
  skep_pb_memory_init(&memory, a->ctx, a->ctx->limits.max_stripe_meta_bytes * 4);
  Skep__Orc__Proto__RowIndex *index = skep__orc__proto__row_index__unpack(&memory.allocator, bytes.left, bytes.at);
  if (index == NULL) return skep_pb_failure(&memory, "row index", bytes.left, err);
  skep_status st = take_row_index(a->tail, index, arena, column, groups, err);
  if (st == SKEP_OK) *n_groups = (uint32_t)index->n_entry;
  skep__orc__proto__row_index__free_unpacked(index, &memory.allocator);
  return st;
}

static skep_status take_blooms(const Skep__Orc__Proto__BloomFilterIndex *index, skep_arena *arena, bool utf8,
                               const skep_orc_bloom **out, skep_err *err) {
  skep_orc_bloom *blooms = skep_arena_zero(arena, index->n_bloom_filter, sizeof *blooms);
  if (blooms == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "bloom filters");
  for (size_t i = 0; i < index->n_bloom_filter; i++)
    skep_orc_bloom_from_pb(arena, index->bloom_filter[i], utf8, &blooms[i]);
  *out = blooms;
  return SKEP_OK;
}

skep_status skep_orc_stripe_blooms(skep_orc_access *a, skep_arena *arena, skep_orc_stripe_dir *dir, uint32_t column,
                                   uint32_t *n_groups, const skep_orc_bloom **blooms, skep_err *err) {
  *n_groups = 0;
  *blooms = NULL;
  const skep_orc_stream_info *stream = skep_orc_stripe_stream(dir, column, SKEP_ORC_BLOOM_FILTER_UTF8);
  bool utf8 = stream != NULL;
  if (!utf8) stream = skep_orc_stripe_stream(dir, column, SKEP_ORC_BLOOM_FILTER);
  skep_orc_writer_facts who = skep_orc_tail_writer(a->tail);
  if (stream == NULL || stream->length == 0 ||
      !skep_orc_bloom_is_usable(&who, skep_type_by_id(a->tail->type, column), utf8, dir->bloom_encodings[column]))
    return SKEP_OK;
  skep_bytes bytes;
  SKEP_TRY(read_index(a, arena, dir, stream, "bloom filter", &bytes, err));
  skep_pb_memory memory;
  skep_pb_memory_init(&memory, a->ctx, a->ctx->limits.max_stripe_meta_bytes * 4);
  Skep__Orc__Proto__BloomFilterIndex *index =
      skep__orc__proto__bloom_filter_index__unpack(&memory.allocator, bytes.left, bytes.at);
  if (index == NULL && memory.no_memory) return skep_pb_failure(&memory, "bloom filter", bytes.left, err);
  if (index == NULL) return SKEP_OK; /* of another form, or damaged: it only saves work */
  skep_status st = take_blooms(index, arena, utf8, blooms, err);
  if (st == SKEP_OK) *n_groups = (uint32_t)index->n_bloom_filter;
  skep__orc__proto__bloom_filter_index__free_unpacked(index, &memory.allocator);
  return st;
}
