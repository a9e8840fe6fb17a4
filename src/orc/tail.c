/* The tail of an ORC file: postscript, footer, metadata. Source: ORC Specification v1, "File Tail". */
#include "orc/tail.h"

#include "base/checked.h"
#include "orc/section.h"
#include "orc/stats_read.h"
#include "orc/types_read.h"

typedef Skep__Orc__Proto__PostScript pb_postscript;
typedef Skep__Orc__Proto__Footer pb_footer;
typedef Skep__Orc__Proto__Metadata pb_metadata;

enum { FIRST_READ = 16384, DEFAULT_BLOCK = 262144 };
/* Statistics of all stripes are kept in memory up to this size; more are treated as absent (they only ever save work).
 */
enum { MAX_STRIPE_STATS_BYTES = 24 << 20 };

/* What is needed while reading, freed at the end. */
typedef struct reading {
  const skep_ctx *ctx;
  skep_file *file;
  uint64_t length;
  skep_buf bytes;   /* the last bytes.size bytes of the file */
  skep_buf section; /* decoded section */
  skep_orc_decompressor *codec;
  uint64_t footer_length, metadata_length, encrypted_length; /* as the postscript says */
  uint64_t postscript_length;                                /* with the length byte */
} reading;

static skep_status load_end(reading *r, uint64_t n_bytes, skep_err *err) {
  if (r->bytes.size >= n_bytes) return SKEP_OK;
  skep_buf_reset(&r->bytes);
  if (!skep_buf_reserve(&r->bytes, (size_t)n_bytes)) return skep_buf_check(&r->bytes, "file tail", err);
  SKEP_TRY(skep_file_read_at(r->file, r->length - n_bytes, r->bytes.data, (size_t)n_bytes, err));
  r->bytes.size = (size_t)n_bytes;
  return SKEP_OK;
}

/* `length` bytes that end `before_end` bytes before the end of the file; both were checked against the file's length.
 */
static skep_bytes part(const reading *r, uint64_t before_end, uint64_t length) {
  return skep_bytes_of(r->bytes.data + (r->bytes.size - before_end - length), (size_t)length);
}

static skep_status check_magic(reading *r, const pb_postscript *ps, skep_err *err) {
  if (ps->magic.len == 3 && memcmp(ps->magic.data, "ORC", 3) == 0) return SKEP_OK;
  /* The first writers of Hive 0.11 put the magic only at the start of the file. */
  char head[3] = {0};
  if (ps->magic.len == 0 && r->length > 3) SKEP_TRY(skep_file_read_at(r->file, 0, head, sizeof head, err));
  if (memcmp(head, "ORC", 3) == 0) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_CORRUPT, "not an ORC file: no magic in the postscript");
}

static skep_status check_version(skep_orc_tail *tail, const pb_postscript *ps, skep_err *err) {
  tail->version_major = ps->n_version > 0 ? ps->version[0] : 0;
  tail->version_minor = ps->n_version > 1 ? ps->version[1] : 11;
  bool known = tail->version_major == 0 && tail->version_minor <= 12;
  bool unstable = tail->version_major == 1 && tail->version_minor == 9999;
  if (known || unstable) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_UNSUPPORTED, "file version %u.%u is newer than 0.12", tail->version_major,
                   tail->version_minor);
}

static skep_status check_sizes(reading *r, skep_orc_tail *tail, const pb_postscript *ps, skep_err *err) {
  uint64_t limit = r->ctx->limits.max_tail_bytes;
  r->footer_length = ps->footer_length;
  r->metadata_length = ps->metadata_length;
  r->encrypted_length = ps->stripe_statistics_length;
  uint64_t left = r->length - r->postscript_length;
  if (r->footer_length > left) goto too_long;
  left -= r->footer_length;
  if (r->metadata_length > left) goto too_long;
  left -= r->metadata_length;
  if (r->encrypted_length > left) goto too_long;
  left -= r->encrypted_length;
  tail->tail_length = r->length - left;
  if (r->footer_length > limit)
    return skep_fail(err, SKEP_ERR_LIMIT, "footer of %llu bytes", (unsigned long long)r->footer_length);
  return SKEP_OK;
too_long:
  return skep_fail(err, SKEP_ERR_CORRUPT,
                   "footer of %llu, metadata of %llu and encrypted statistics of %llu bytes in a file of %llu",
                   (unsigned long long)r->footer_length, (unsigned long long)r->metadata_length,
                   (unsigned long long)r->encrypted_length, (unsigned long long)r->length);
}

static skep_status read_codec(reading *r, skep_orc_tail *tail, const pb_postscript *ps, skep_err *err) {
  if (ps->compression > SKEP_ORC_ZSTD)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "compression kind %u (%s)", ps->compression,
                     skep_orc_codec_name(ps->compression));
  tail->codec = (skep_orc_codec)ps->compression;
  tail->block_size = ps->compression_block_size == 0 ? DEFAULT_BLOCK : ps->compression_block_size;
  if (tail->codec == SKEP_ORC_NONE) return SKEP_OK;
  if (tail->block_size > r->ctx->limits.max_chunk_bytes)
    return skep_fail(err, SKEP_ERR_LIMIT, "compression block size %llu, the limit is %llu",
                     (unsigned long long)tail->block_size, (unsigned long long)r->ctx->limits.max_chunk_bytes);
  return skep_orc_decompressor_new(r->ctx, tail->codec, &r->codec, err);
}

static skep_status read_postscript(reading *r, skep_orc_tail *tail, skep_err *err) {
  if (r->length == 0) return skep_fail(err, SKEP_ERR_CORRUPT, "empty file");
  SKEP_TRY(load_end(r, r->length < FIRST_READ ? r->length : FIRST_READ, err));
  r->postscript_length = (uint64_t)r->bytes.data[r->bytes.size - 1] + 1;
  if (r->postscript_length > r->length)
    return skep_fail(err, SKEP_ERR_CORRUPT, "postscript length %llu exceeds file size %llu",
                     (unsigned long long)r->postscript_length - 1, (unsigned long long)r->length);
  skep_bytes raw = part(r, 1, r->postscript_length - 1);
  skep_pb_memory memory;
  skep_pb_memory_init(&memory, r->ctx, 65536);
  pb_postscript *ps = skep__orc__proto__post_script__unpack(&memory.allocator, raw.left, raw.at);
  if (ps == NULL) return skep_pb_failure(&memory, "postscript", raw.left, err);
  tail->writer_version = ps->writer_version;
  skep_status st = check_magic(r, ps, err);
  if (st == SKEP_OK) st = check_version(tail, ps, err);
  if (st == SKEP_OK) st = check_sizes(r, tail, ps, err);
  if (st == SKEP_OK) st = read_codec(r, tail, ps, err);
  skep__orc__proto__post_script__free_unpacked(ps, &memory.allocator);
  return st;
}

static skep_status read_stripe(skep_orc_tail *tail, uint32_t i, const Skep__Orc__Proto__StripeInformation *from,
                               uint64_t first_row, skep_orc_stripe *out, skep_err *err) {
  *out = (skep_orc_stripe){.offset = from->offset,
                           .index_length = from->index_length,
                           .data_length = from->data_length,
                           .footer_length = from->footer_length,
                           .n_rows = from->number_of_rows,
                           .first_row = first_row};
  uint64_t end, body = tail->file_length - tail->tail_length;
  if (!skep_add_u64(out->offset, out->index_length, &end) || !skep_add_u64(end, out->data_length, &end) ||
      !skep_add_u64(end, out->footer_length, &end) || end > body)
    return skep_fail(err, SKEP_ERR_CORRUPT,
                     "stripe %u: offset %llu, lengths %llu, %llu, %llu lie outside the %llu bytes before the tail", i,
                     (unsigned long long)out->offset, (unsigned long long)out->index_length,
                     (unsigned long long)out->data_length, (unsigned long long)out->footer_length,
                     (unsigned long long)body);
  return SKEP_OK;
}

static skep_status read_stripes(skep_orc_tail *tail, const pb_footer *footer, skep_err *err) {
  if (footer->n_stripes > UINT32_MAX) return skep_fail(err, SKEP_ERR_LIMIT, "%zu stripes", footer->n_stripes);
  skep_orc_stripe *stripes = skep_arena_zero(&tail->arena, footer->n_stripes, sizeof *stripes);
  if (stripes == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "stripes");
  uint64_t row = 0;
  for (uint32_t i = 0; i < footer->n_stripes; i++) {
    SKEP_TRY(read_stripe(tail, i, footer->stripes[i], row, &stripes[i], err));
    if (!skep_add_u64(row, stripes[i].n_rows, &row) || row > INT64_MAX)
      return skep_fail(err, SKEP_ERR_CORRUPT, "stripe %u: row count overflows", i);
  }
  tail->stripes = stripes;
  tail->n_stripes = (uint32_t)footer->n_stripes;
  tail->n_rows = row;
  if (footer->has_number_of_rows && footer->number_of_rows != row)
    return skep_fail(err, SKEP_ERR_CORRUPT, "footer says %llu rows, its stripes have %llu",
                     (unsigned long long)footer->number_of_rows, (unsigned long long)row);
  return SKEP_OK;
}

static skep_status read_metadata_items(skep_orc_tail *tail, const pb_footer *footer, skep_err *err) {
  skep_orc_metadata_item *items = skep_arena_zero(&tail->arena, footer->n_metadata, sizeof *items);
  if (items == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "user metadata");
  for (size_t i = 0; i < footer->n_metadata; i++) {
    const Skep__Orc__Proto__UserMetadataItem *from = footer->metadata[i];
    items[i].name =
        skep_arena_strndup(&tail->arena, from->name.len == 0 ? "" : (const char *)from->name.data, from->name.len);
    uint8_t *value = skep_arena_alloc(&tail->arena, from->value.len + 1);
    if (items[i].name == NULL || value == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "user metadata");
    if (from->value.len > 0) memcpy(value, from->value.data, from->value.len);
    items[i].value = skep_bytes_of(value, from->value.len);
  }
  tail->metadata = items;
  tail->n_metadata = (uint32_t)footer->n_metadata;
  return SKEP_OK;
}

/* Whether a writer collected statistics at all: Java's does not when it writes no index, and leaves counts of 0 behind.
 * The root struct has a value for every row. */
static bool was_collected(const skep_orc_tail *tail, Skep__Orc__Proto__ColumnStatistics *const *from, size_t n,
                          uint64_t n_rows) {
  if (tail->row_index_stride == 0 || n == 0) return false;
  bool counts_rows = tail->type->kind == SKEP_STRUCT && from[0]->has_number_of_values;
  return !counts_rows || from[0]->number_of_values == n_rows;
}

/* One set of column statistics over n_rows rows, by column id; NULL when there is none to trust. Fewer entries than
 * columns: the rest is unknown. */
static skep_status read_stats(skep_orc_tail *tail, Skep__Orc__Proto__ColumnStatistics *const *from, size_t n,
                              uint64_t n_rows, const skep_orc_stats **out, skep_err *err) {
  uint32_t n_columns = tail->type->max_id + 1;
  *out = NULL;
  if (!was_collected(tail, from, n, n_rows)) return SKEP_OK;
  skep_orc_stats *stats = skep_arena_zero(&tail->arena, n_columns, sizeof *stats);
  if (stats == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "column statistics");
  skep_orc_writer_facts who = skep_orc_tail_writer(tail);
  for (uint32_t id = 0; id < n_columns && id < n; id++)
    SKEP_TRY(skep_orc_stats_from_pb(&tail->arena, &who, tail->type + id, from[id], &stats[id], err));
  *out = stats;
  return SKEP_OK;
}

static void mark_encrypted(skep_orc_tail *tail, const pb_footer *footer) {
  if (footer->encryption == NULL) return;
  for (size_t i = 0; i < footer->encryption->n_variants; i++) {
    uint32_t root = footer->encryption->variants[i]->root;
    if (root > tail->type->max_id) continue;
    for (uint32_t id = root; id <= tail->type[root].max_id; id++) tail->is_encrypted[id] = true;
  }
}

static skep_status read_calendar(skep_orc_tail *tail, const pb_footer *footer, skep_err *err) {
  if (footer->calendar > SKEP_ORC_CALENDAR_PROLEPTIC)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "calendar %u", footer->calendar);
  tail->calendar = (skep_orc_file_calendar)footer->calendar;
  return SKEP_OK;
}

static skep_status take_footer(skep_orc_tail *tail, const pb_footer *footer, skep_err *err) {
  tail->writer = footer->has_writer ? footer->writer : UINT32_MAX;
  tail->row_index_stride = footer->row_index_stride;
  tail->content_length = footer->content_length;
  tail->header_length = footer->header_length;
  if (footer->has_software_version) {
    ProtobufCBinaryData v = footer->software_version;
    tail->software_version = skep_arena_strndup(&tail->arena, v.len == 0 ? "" : (const char *)v.data, v.len);
    if (tail->software_version == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "software version");
  }
  SKEP_TRY(read_calendar(tail, footer, err));
  SKEP_TRY(skep_orc_types_read(tail, footer, err));
  mark_encrypted(tail, footer);
  SKEP_TRY(read_stripes(tail, footer, err));
  SKEP_TRY(read_metadata_items(tail, footer, err));
  if (footer->n_statistics == 0) return SKEP_OK;
  return read_stats(tail, footer->statistics, footer->n_statistics, tail->n_rows, &tail->file_stats, err);
}

static skep_status read_footer(reading *r, skep_orc_tail *tail, skep_err *err) {
  SKEP_TRY(load_end(r, r->postscript_length + r->footer_length, err));
  skep_bytes bytes;
  skep_status st = skep_orc_section_decode(r->codec, tail->block_size, part(r, r->postscript_length, r->footer_length),
                                           &r->section, &bytes, err);
  if (st != SKEP_OK) return skep_wrap(err, st, "footer");
  skep_pb_memory memory;
  skep_pb_memory_init(&memory, r->ctx, r->ctx->limits.max_tail_bytes);
  pb_footer *footer = skep__orc__proto__footer__unpack(&memory.allocator, bytes.left, bytes.at);
  if (footer == NULL) return skep_pb_failure(&memory, "footer", bytes.left, err);
  st = take_footer(tail, footer, err);
  skep__orc__proto__footer__free_unpacked(footer, &memory.allocator);
  return st;
}

static skep_status take_metadata(skep_orc_tail *tail, const pb_metadata *metadata, skep_err *err) {
  if (metadata->n_stripe_stats != tail->n_stripes) return SKEP_OK; /* does not say which stripe is which */
  const skep_orc_stats **by_stripe = skep_arena_zero(&tail->arena, tail->n_stripes, sizeof *by_stripe);
  if (by_stripe == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "stripe statistics");
  for (uint32_t s = 0; s < tail->n_stripes; s++) {
    const Skep__Orc__Proto__StripeStatistics *from = metadata->stripe_stats[s];
    SKEP_TRY(read_stats(tail, from->col_stats, from->n_col_stats, tail->stripes[s].n_rows, &by_stripe[s], err));
    if (by_stripe[s] == NULL) return SKEP_OK; /* all or none, so that users need not look at each */
  }
  tail->stripe_stats = by_stripe;
  return SKEP_OK;
}

/* Stripe statistics only save work: a section that is too large or damaged is passed over (ORC-1361). */
static skep_status read_metadata(reading *r, skep_orc_tail *tail, skep_err *err) {
  uint64_t n_columns = tail->type->max_id + 1;
  if (r->metadata_length == 0 || tail->n_stripes == 0) return SKEP_OK;
  if (r->metadata_length > r->ctx->limits.max_tail_bytes ||
      tail->n_stripes > MAX_STRIPE_STATS_BYTES / sizeof(skep_orc_stats) / n_columns) {
    skep_log(r->ctx, SKEP_LOG_INFO, "stripe statistics of %llu bytes are not used",
             (unsigned long long)r->metadata_length);
    return SKEP_OK;
  }
  uint64_t behind = r->postscript_length + r->footer_length;
  SKEP_TRY(load_end(r, behind + r->metadata_length, err));
  skep_bytes bytes;
  skep_status st = skep_orc_section_decode(r->codec, tail->block_size, part(r, behind, r->metadata_length), &r->section,
                                           &bytes, NULL);
  if (st == SKEP_ERR_NOMEM) return skep_fail(err, st, "stripe statistics");
  if (st != SKEP_OK) {
    skep_log(r->ctx, SKEP_LOG_WARN, "stripe statistics are damaged and not used");
    return SKEP_OK;
  }
  skep_pb_memory memory;
  skep_pb_memory_init(&memory, r->ctx, r->ctx->limits.max_tail_bytes);
  pb_metadata *metadata = skep__orc__proto__metadata__unpack(&memory.allocator, bytes.left, bytes.at);
  if (metadata == NULL && memory.no_memory) return skep_pb_failure(&memory, "stripe statistics", bytes.left, err);
  if (metadata == NULL) {
    skep_log(r->ctx, SKEP_LOG_WARN, "stripe statistics are damaged and not used");
    return SKEP_OK;
  }
  st = take_metadata(tail, metadata, err);
  skep__orc__proto__metadata__free_unpacked(metadata, &memory.allocator);
  return st;
}

static void tail_free(skep_orc_tail *tail) {
  if (tail == NULL) return;
  skep_arena_fini(&tail->arena);
  skep_release(tail->ctx, tail);
}

static skep_status read_all(reading *r, skep_orc_tail *tail, skep_err *err) {
  SKEP_TRY(read_postscript(r, tail, err));
  SKEP_TRY(read_footer(r, tail, err));
  return read_metadata(r, tail, err);
}

skep_status skep_orc_tail_read(const skep_ctx *ctx, skep_file *file, uint64_t length, skep_orc_tail **out,
                               skep_err *err) {
  *out = NULL;
  if (length > file->size_bytes)
    return skep_fail(err, SKEP_ERR_CORRUPT, "length %llu exceeds file size %llu", (unsigned long long)length,
                     (unsigned long long)file->size_bytes);
  skep_orc_tail *tail = skep_alloc_zero(ctx, 1, sizeof *tail);
  if (tail == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "orc tail");
  uint64_t max = ctx->limits.max_tail_bytes;
  tail->references = 1;
  tail->ctx = ctx;
  tail->file_length = length;
  skep_arena_init(&tail->arena, ctx, (size_t)max);
  reading r = {.ctx = ctx, .file = file, .length = length};
  skep_buf_init(&r.bytes, ctx, (size_t)(2 * max + FIRST_READ));
  skep_buf_init(&r.section, ctx, (size_t)max);
  skep_status st = read_all(&r, tail, err);
  if (st == SKEP_OK) {
    *out = tail;
    tail = NULL;
  }
  skep_orc_decompressor_free(r.codec);
  skep_buf_fini(&r.bytes);
  skep_buf_fini(&r.section);
  tail_free(tail);
  return st;
}

skep_orc_tail *skep_orc_tail_ref(skep_orc_tail *tail) {
  __atomic_add_fetch(&tail->references, 1, __ATOMIC_RELAXED);
  return tail;
}

void skep_orc_tail_unref(skep_orc_tail *tail) {
  if (tail != NULL && __atomic_sub_fetch(&tail->references, 1, __ATOMIC_ACQ_REL) == 0) tail_free(tail);
}

const skep_orc_metadata_item *skep_orc_tail_metadata(const skep_orc_tail *tail, const char *name) {
  for (uint32_t i = 0; i < tail->n_metadata; i++)
    if (strcmp(tail->metadata[i].name, name) == 0) return &tail->metadata[i];
  return NULL;
}
