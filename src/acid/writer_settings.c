/* The "orc.*" properties of a table, one small function a value. */
#include "acid/writer_settings.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "column/text.h"

enum { BASE_DELTA_RATIO = 8, MIN_BLOCK = 64, MIN_STRIDE = 1000 /* ORC Java's, as its message says */ };
#define BLOCK_BYTES (UINT64_C(256) << 20) /* orc.block.size: stripes are padded to it */

/* The table's last word on a key; Hive compares keys exactly. */
static const char *value_of(const skep_property *properties, uint32_t n, const char *key) {
  const char *found = NULL;
  for (uint32_t i = 0; i < n; i++)
    if (strcmp(properties[i].key, key) == 0) found = properties[i].value;
  return found;
}

static skep_status bad_value(const char *key, const char *value, const char *expected, skep_err *err) {
  char quoted[128];
  return skep_fail(err, SKEP_ERR_ARGUMENT, "table property %s = '%s': %s", key,
                   skep_quote(quoted, sizeof quoted, value, strlen(value)), expected);
}

typedef struct reader {
  const skep_property *properties;
  uint32_t n;
} reader;

static skep_status read_int(const reader *r, const char *key, int64_t least, int64_t most, int64_t *out,
                            skep_err *err) {
  const char *text = value_of(r->properties, r->n, key);
  int64_t value;
  if (text == NULL) return SKEP_OK;
  if (!skep_parse_i64(skep_bytes_of(text, strlen(text)), &value) || value < least || value > most) {
    char expected[96];
    snprintf(expected, sizeof expected, "a number from %lld to %lld is expected", (long long)least, (long long)most);
    return bad_value(key, text, expected, err);
  }
  *out = value;
  return SKEP_OK;
}

static skep_status read_part(const reader *r, const char *key, bool one_is_fine, double *out, skep_err *err) {
  const char *text = value_of(r->properties, r->n, key);
  double value;
  if (text == NULL) return SKEP_OK;
  if (!skep_parse_f64(skep_bytes_of(text, strlen(text)), &value) || !(value < 1 || (one_is_fine && value == 1)) ||
      !(value > 0 || one_is_fine))
    return bad_value(key, text, "a part of 1 is expected", err);
  *out = value;
  return SKEP_OK;
}

/* As Java's Boolean.parseBoolean: anything but "true" is false. */
static bool read_bool(const reader *r, const char *key, bool otherwise) {
  const char *text = value_of(r->properties, r->n, key);
  return text == NULL ? otherwise : strcasecmp(text, "true") == 0;
}

static skep_status read_codec(const reader *r, skep_orc_writer_opts *out, skep_err *err) {
  static const struct {
    const char *name;
    skep_orc_codec codec;
  } codecs[] = {{"NONE", SKEP_ORC_NONE},
                {"ZLIB", SKEP_ORC_ZLIB},
                {"SNAPPY", SKEP_ORC_SNAPPY},
                {"LZ4", SKEP_ORC_LZ4},
                {"ZSTD", SKEP_ORC_ZSTD}};
  static const char key[] = "orc.compress";
  const char *text = value_of(r->properties, r->n, key);
  if (text == NULL) return SKEP_OK;
  for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
    if (strcasecmp(text, codecs[i].name) != 0) continue;
    out->codec = codecs[i].codec;
    return SKEP_OK;
  }
  if (strcasecmp(text, "LZO") == 0 || strcasecmp(text, "BROTLI") == 0)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "table property %s = '%s': Skep does not write this codec", key, text);
  return bad_value(key, text, "NONE, ZLIB, SNAPPY, LZ4 or ZSTD is expected", err);
}

/* Files must not lie in the clear where somebody asked for encryption. */
static skep_status refuse_encryption(const reader *r, skep_err *err) {
  static const char *const keys[] = {"orc.encrypt", "orc.mask"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    const char *text = value_of(r->properties, r->n, keys[i]);
    if (text != NULL && text[0] != '\0')
      return skep_fail(err, SKEP_ERR_UNSUPPORTED, "table property %s: Skep does not write encrypted columns", keys[i]);
  }
  return SKEP_OK;
}

static skep_status read_numbers(const reader *r, skep_orc_writer_opts *out, skep_err *err) {
  int64_t stripe = (int64_t)out->stripe_bytes, block = out->block_size, stride = out->row_index_stride, level = 0;
  SKEP_TRY(read_int(r, "orc.stripe.size", 1, INT64_MAX, &stripe, err));
  SKEP_TRY(read_int(r, "orc.compress.size", 1, (1 << 23) - 1, &block, err));
  SKEP_TRY(read_int(r, "orc.row.index.stride", 0, INT32_MAX, &stride, err));
  SKEP_TRY(read_int(r, "orc.compression.zstd.level", 1, 22, &level, err));
  SKEP_TRY(read_part(r, "orc.bloom.filter.fpp", false, &out->bloom_fpp, err));
  SKEP_TRY(read_part(r, "orc.dictionary.key.threshold", true, &out->dictionary_threshold, err));
  if (stride > 0 && stride < MIN_STRIDE && read_bool(r, "orc.create.index", true))
    return bad_value("orc.row.index.stride", value_of(r->properties, r->n, "orc.row.index.stride"),
                     "Row stride must be at least 1000", err);
  out->stripe_bytes = (uint64_t)stripe;
  out->block_size = (uint32_t)(block < MIN_BLOCK ? MIN_BLOCK : block);
  out->row_index_stride = read_bool(r, "orc.create.index", true) ? (uint32_t)stride : 0;
  out->level = out->codec == SKEP_ORC_ZSTD ? (int)level : 0;
  const char *strategy = value_of(r->properties, r->n, "orc.compression.strategy");
  if (strategy != NULL && strcasecmp(strategy, "COMPRESSION") == 0 && out->codec == SKEP_ORC_ZLIB) out->level = 6;
  out->padding_block_bytes = read_bool(r, "orc.block.padding", true) ? BLOCK_BYTES : 0;
  return SKEP_OK;
}

/* ---- bloom filters ---- */

/* Whether a path names a column: each step the longest field name that fits, ignoring case. */
static bool has_column(const skep_type *type, const char *path, size_t length) {
  while (length != 0) {
    const skep_type *next = NULL;
    size_t taken = 0;
    for (uint32_t i = 0; type->kind == SKEP_STRUCT && i < type->n_children; i++) {
      size_t n = strlen(type->names[i]);
      if (n > length || (n < length && path[n] != '.') || strncasecmp(path, type->names[i], n) != 0) continue;
      if (next == NULL || n > taken) next = type->children[i], taken = n;
    }
    if (next == NULL) return false;
    type = next;
    path += taken + (taken < length);
    length -= taken + (taken < length);
  }
  return true;
}

static skep_status add_bloom(skep_arena *arena, const char *name, size_t length, const char **plain,
                             const char **events, uint32_t *n, skep_err *err) {
  static const char prefix[] = "row.";
  char *copy = skep_arena_alloc(arena, sizeof prefix + length);
  if (copy == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "name of a bloom filter's column");
  memcpy(copy, prefix, sizeof prefix - 1);
  memcpy(copy + sizeof prefix - 1, name, length);
  copy[sizeof prefix - 1 + length] = '\0';
  events[*n] = copy;
  plain[*n] = copy + sizeof prefix - 1;
  (*n)++;
  return SKEP_OK;
}

static size_t count_names(const char *text) {
  size_t n = 1;
  for (; *text != '\0'; text++) n += *text == ',';
  return n;
}

/* "a, b.c"; "*" is all columns. */
static skep_status read_blooms(const reader *r, skep_arena *arena, const skep_type *row, skep_writer_settings *out,
                               skep_err *err) {
  const char *text = value_of(r->properties, r->n, "orc.bloom.filter.columns");
  uint32_t n = 0;
  if (text == NULL || text[0] == '\0') return SKEP_OK;
  bool all = strcmp(text, "*") == 0;
  size_t room = all ? row->n_children : count_names(text);
  const char **plain = skep_arena_zero(arena, room, sizeof *plain),
             **events = skep_arena_zero(arena, room, sizeof *events);
  if (plain == NULL || events == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%zu bloom filters", room);
  for (uint32_t i = 0; all && i < row->n_children; i++)
    SKEP_TRY(add_bloom(arena, row->names[i], strlen(row->names[i]), plain, events, &n, err));
  for (const char *at = text; !all && *at != '\0';) {
    size_t length = strcspn(at, ","), rest = length;
    const char *name = at;
    at += length + (at[length] == ',');
    while (rest != 0 && *name == ' ') name++, rest--;
    while (rest != 0 && name[rest - 1] == ' ') rest--;
    if (rest != 0 && has_column(row, name, rest)) SKEP_TRY(add_bloom(arena, name, rest, plain, events, &n, err));
  }
  out->plain.bloom_columns = plain;
  out->plain.n_bloom_columns = n;
  out->event_blooms = events;
  return SKEP_OK;
}

/* ---- all ---- */

skep_status skep_writer_settings_make(skep_arena *arena, const skep_type *row, const skep_property *properties,
                                      uint32_t n_properties, skep_writer_settings *out, skep_err *err) {
  static const skep_orc_writer_opts defaults = SKEP_ORC_WRITER_OPTS_INIT;
  reader r = {properties, n_properties};
  *out = (skep_writer_settings){.plain = defaults};
  out->plain.pad_char = true;
  SKEP_TRY(refuse_encryption(&r, err));
  SKEP_TRY(read_codec(&r, &out->plain, err));
  SKEP_TRY(read_numbers(&r, &out->plain, err));
  SKEP_TRY(read_blooms(&r, arena, row, out, err));
  out->delta = out->plain;
  out->delta.bloom_columns = out->event_blooms;
  out->delta.padding_block_bytes = 0;
  out->delta.block_size /= BASE_DELTA_RATIO;
  if (out->delta.block_size < MIN_BLOCK) out->delta.block_size = MIN_BLOCK;
  out->delta.stripe_bytes /= BASE_DELTA_RATIO;
  if (out->delta.stripe_bytes == 0) out->delta.stripe_bytes = 1;
  return SKEP_OK;
}

/* Smaller than asked for where many columns share a stripe: each of two streams a column should fill ten buffers.
 * Source: ORC Java WriterImpl.getEstimatedBufferSize. */
uint32_t skep_writer_block_size(const skep_orc_writer_opts *opts, uint32_t n_columns) {
  uint64_t wanted = opts->stripe_bytes / (20 * (uint64_t)n_columns);
  uint32_t closest = 4096;
  while (closest < wanted && closest < (256 << 10)) closest *= 2;
  return closest < opts->block_size ? closest : opts->block_size;
}
