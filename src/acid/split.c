/* Splits as bytes, and the row type they deliver. The format is in docs/split-format.md: change both together. */
#include "acid/split.h"

#include <inttypes.h>
#include <string.h>

static const uint8_t magic[4] = {'S', 'k', 'S', 'p'};
enum { VERSION = 1 };

enum split_flag {
  FLAG_CHECK_WRITE_IDS = 1,
  FLAG_ROW_IDS = 2,
  FLAG_PREDICATE = 4,
  FLAG_PARTITIONS = 8,
  FLAG_MATCH_CASE = 16,
  FLAG_ALL = 31
};
enum snapshot_flag { SNAPSHOT_WRITE_IDS = 1, SNAPSHOT_TXNS = 2, SNAPSHOT_COMPACTOR = 4, SNAPSHOT_ALL = 7 };
enum file_flag { FILE_ORIGINAL = 1, FILE_ALL = 1 };

/* --- Writing --- */

static void put_unsigned(skep_buf *out, uint64_t v) {
  for (; v >= 0x80; v >>= 7) skep_buf_byte(out, (uint8_t)(v | 0x80));
  skep_buf_byte(out, (uint8_t)v);
}

static void put_signed(skep_buf *out, int64_t v) { put_unsigned(out, skep_zigzag(v)); }

static void put_bytes(skep_buf *out, const void *bytes, size_t length) {
  put_unsigned(out, length);
  skep_buf_add(out, bytes, length);
}

static void put_text(skep_buf *out, const char *text) { put_bytes(out, text, strlen(text)); }

static void put_buf(skep_buf *out, skep_buf *from) {
  if (from->status != SKEP_OK && out->status == SKEP_OK) out->status = from->status;
  put_bytes(out, from->data, from->size);
}

static void put_type(skep_buf *out, const skep_type *type) {
  skep_buf text;
  skep_buf_init(&text, out->ctx, out->max_size);
  skep_type_print(type, &text);
  put_buf(out, &text);
  skep_buf_fini(&text);
}

static void put_snapshot(skep_buf *out, const skep_snapshot *s) {
  skep_buf write_ids, txns;
  skep_buf_init(&write_ids, out->ctx, out->max_size);
  skep_buf_init(&txns, out->ctx, out->max_size);
  skep_snapshot_print(s, &write_ids, &txns);
  skep_buf_byte(out, (uint8_t)((s->has_write_ids ? SNAPSHOT_WRITE_IDS : 0) | (s->has_txns ? SNAPSHOT_TXNS : 0) |
                               (s->for_compactor ? SNAPSHOT_COMPACTOR : 0)));
  if (s->has_write_ids) put_buf(out, &write_ids);
  if (s->has_txns) put_buf(out, &txns);
  skep_buf_fini(&write_ids);
  skep_buf_fini(&txns);
}

static void put_file(skep_buf *out, const skep_split_file *file) {
  skep_buf_byte(out, file->is_original ? FILE_ORIGINAL : 0);
  put_text(out, file->path);
  put_unsigned(out, file->logical_bytes);
  put_signed(out, file->min_write_id);
  put_signed(out, file->max_write_id);
  put_signed(out, file->statement);
  if (!file->is_original) return;
  put_signed(out, file->synthetic_write_id);
  put_signed(out, file->synthetic_bucket);
  put_signed(out, file->first_row_id);
}

static void put_files(skep_buf *out, const skep_split_file *files, uint32_t n) {
  put_unsigned(out, n);
  for (uint32_t i = 0; i < n; i++) put_file(out, &files[i]);
}

static void put_partitions(skep_buf *out, const skep_split *split) {
  put_type(out, split->partition_columns);
  put_unsigned(out, split->n_partition_columns);
  put_unsigned(out, split->n_partition_values);
  for (uint32_t i = 0; i < split->n_partition_values; i++) {
    const char *value = split->partition_values[i];
    skep_buf_byte(out, value != NULL);
    if (value != NULL) put_text(out, value);
  }
}

void skep_split_encode(const skep_split *split, skep_buf *out) {
  skep_buf_add(out, magic, sizeof magic);
  skep_buf_byte(out, VERSION);
  skep_buf_byte(out, (uint8_t)split->kind);
  skep_buf_byte(out, (uint8_t)split->hive);
  skep_buf_byte(out, (uint8_t)split->unmarked_calendar);
  skep_buf_byte(out, (uint8_t)((split->check_write_ids ? FLAG_CHECK_WRITE_IDS : 0) |
                               (split->row_ids ? FLAG_ROW_IDS : 0) | (split->predicate != NULL ? FLAG_PREDICATE : 0) |
                               (split->partition_columns != NULL ? FLAG_PARTITIONS : 0) |
                               (split->evolution.match_case ? FLAG_MATCH_CASE : 0)));
  put_text(out, split->root);
  put_snapshot(out, &split->snapshot);
  put_files(out, split->files, split->n_files);
  put_unsigned(out, split->first_stripe);
  put_unsigned(out, split->n_stripes);
  put_files(out, split->deletes, split->n_deletes);
  put_unsigned(out, split->delete_set);
  put_type(out, split->table);
  put_type(out, split->columns);
  put_unsigned(out, split->evolution.positional_levels);
  if (split->partition_columns != NULL) put_partitions(out, split);
  if (split->predicate != NULL) put_text(out, split->predicate);
  put_unsigned(out, split->n_rows_hint);
}

/* --- Reading: every function fails with the field's name and position --- */

typedef struct decoder {
  skep_arena *arena;
  skep_bytes rest;
  size_t size;
  skep_err *err;
} decoder;

static skep_status bad_field(decoder *d, const char *what, const char *why) {
  return skep_fail(d->err, SKEP_ERR_CORRUPT, "split, byte %zu: %s: %s", d->size - d->rest.left, what, why);
}

static skep_status get_unsigned(decoder *d, const char *what, uint64_t max, uint64_t *out) {
  if (!skep_bytes_uvarint(&d->rest, out)) return bad_field(d, what, "no number");
  if (*out > max) return bad_field(d, what, "number too large");
  return SKEP_OK;
}

static skep_status get_u32(decoder *d, const char *what, uint32_t *out) {
  uint64_t v;
  SKEP_TRY(get_unsigned(d, what, UINT32_MAX, &v));
  *out = (uint32_t)v;
  return SKEP_OK;
}

static skep_status get_signed(decoder *d, const char *what, int64_t *out) {
  uint64_t v;
  SKEP_TRY(get_unsigned(d, what, UINT64_MAX, &v));
  *out = skep_unzigzag(v);
  return SKEP_OK;
}

static skep_status get_i32(decoder *d, const char *what, int32_t *out) {
  int64_t v;
  SKEP_TRY(get_signed(d, what, &v));
  if (v < INT32_MIN || v > INT32_MAX) return bad_field(d, what, "number too large");
  *out = (int32_t)v;
  return SKEP_OK;
}

/* One byte, at most `max`. */
static skep_status get_byte(decoder *d, const char *what, uint8_t max, uint8_t *out) {
  if (!skep_bytes_u8(&d->rest, out)) return bad_field(d, what, "bytes end");
  if (*out > max) return bad_field(d, what, "unknown value");
  return SKEP_OK;
}

static skep_status get_text(decoder *d, const char *what, const char **out) {
  uint64_t length;
  skep_bytes bytes;
  SKEP_TRY(get_unsigned(d, what, d->rest.left, &length));
  if (!skep_bytes_take(&d->rest, (size_t)length, &bytes)) return bad_field(d, what, "bytes end");
  if (length != 0 && memchr(bytes.at, 0, bytes.left) != NULL) return bad_field(d, what, "a NUL in a text");
  *out = skep_arena_strndup(d->arena, length == 0 ? "" : (const char *)bytes.at, bytes.left);
  return *out == NULL ? skep_fail(d->err, SKEP_ERR_NOMEM, "split: %s", what) : SKEP_OK;
}

/* How many items follow; each needs at least `least` bytes, so hostile counts cannot make us allocate. */
static skep_status get_count(decoder *d, const char *what, size_t least, uint32_t *out) {
  SKEP_TRY(get_u32(d, what, out));
  return *out > d->rest.left / least ? bad_field(d, what, "more items than bytes") : SKEP_OK;
}

static skep_status get_type(decoder *d, const char *what, bool any_root, const skep_type **out) {
  const char *text;
  SKEP_TRY(get_text(d, what, &text));
  skep_status status = skep_type_parse(d->arena, text, strlen(text), out, d->err);
  if (status == SKEP_OK && (*out)->kind != SKEP_STRUCT && !any_root) return bad_field(d, what, "no struct type");
  if (status == SKEP_ERR_ARGUMENT) status = SKEP_ERR_CORRUPT;
  return status == SKEP_OK ? SKEP_OK : skep_wrap(d->err, status, "split: %s", what);
}

static skep_status get_snapshot(decoder *d, skep_snapshot *out) {
  uint8_t flags;
  const char *write_ids = NULL, *txns = NULL;
  SKEP_TRY(get_byte(d, "snapshot flags", SNAPSHOT_ALL, &flags));
  if ((flags & SNAPSHOT_WRITE_IDS) != 0) SKEP_TRY(get_text(d, "write id list", &write_ids));
  if ((flags & SNAPSHOT_TXNS) != 0) SKEP_TRY(get_text(d, "transaction list", &txns));
  skep_status status = skep_snapshot_parse(d->arena, write_ids, txns, SKEP_HIVE_4, out, d->err);
  if (status == SKEP_ERR_ARGUMENT) status = SKEP_ERR_CORRUPT;
  if (status != SKEP_OK) return skep_wrap(d->err, status, "split: snapshot");
  out->for_compactor = (flags & SNAPSHOT_COMPACTOR) != 0;
  return SKEP_OK;
}

static skep_status get_file(decoder *d, skep_split_file *out) {
  uint8_t flags;
  SKEP_TRY(get_byte(d, "file flags", FILE_ALL, &flags));
  SKEP_TRY(get_text(d, "file path", &out->path));
  SKEP_TRY(get_unsigned(d, "file length", UINT64_MAX, &out->logical_bytes));
  SKEP_TRY(get_signed(d, "lowest write id", &out->min_write_id));
  SKEP_TRY(get_signed(d, "highest write id", &out->max_write_id));
  SKEP_TRY(get_i32(d, "statement id", &out->statement));
  out->is_original = (flags & FILE_ORIGINAL) != 0;
  if (!out->is_original) return SKEP_OK;
  SKEP_TRY(get_signed(d, "synthetic write id", &out->synthetic_write_id));
  SKEP_TRY(get_i32(d, "synthetic bucket", &out->synthetic_bucket));
  SKEP_TRY(get_signed(d, "first row id", &out->first_row_id));
  return out->first_row_id < 0 ? bad_field(d, "first row id", "negative") : SKEP_OK;
}

enum { LEAST_FILE_BYTES = 6 };

static skep_status get_files(decoder *d, const char *what, uint32_t *n, const skep_split_file **out) {
  SKEP_TRY(get_count(d, what, LEAST_FILE_BYTES, n));
  *out = NULL;
  if (*n == 0) return SKEP_OK;
  skep_split_file *files = skep_arena_zero(d->arena, *n, sizeof *files);
  if (files == NULL) return skep_fail(d->err, SKEP_ERR_NOMEM, "split: %" PRIu32 " files", *n);
  for (uint32_t i = 0; i < *n; i++) SKEP_TRY(get_file(d, &files[i]));
  *out = files;
  return SKEP_OK;
}

static skep_status get_partitions(decoder *d, skep_split *out) {
  static const char what[] = "partition values";
  SKEP_TRY(get_type(d, "partition columns", false, &out->partition_columns));
  SKEP_TRY(get_u32(d, "delivered partition columns", &out->n_partition_columns));
  SKEP_TRY(get_count(d, what, 1, &out->n_partition_values));
  if (out->n_partition_values != out->partition_columns->n_children)
    return bad_field(d, what, "not as many as partition columns");
  if (out->n_partition_columns > out->n_partition_values)
    return bad_field(d, "delivered partition columns", "more than there are");
  const char **values = skep_arena_zero(d->arena, (size_t)out->n_partition_values + 1, sizeof *values);
  if (values == NULL) return skep_fail(d->err, SKEP_ERR_NOMEM, "split: %s", what);
  for (uint32_t i = 0; i < out->n_partition_values; i++) {
    uint8_t present;
    SKEP_TRY(get_byte(d, what, 1, &present));
    if (present) SKEP_TRY(get_text(d, what, &values[i]));
  }
  out->partition_values = values;
  return SKEP_OK;
}

static skep_status get_header(decoder *d, skep_split *out, uint8_t *flags) {
  skep_bytes found;
  uint8_t v;
  if (!skep_bytes_take(&d->rest, sizeof magic, &found) || memcmp(found.at, magic, sizeof magic) != 0)
    return bad_field(d, "magic", "these bytes are no split");
  if (!skep_bytes_u8(&d->rest, &v)) return bad_field(d, "version", "bytes end");
  if (v != VERSION)
    return skep_fail(d->err, SKEP_ERR_UNSUPPORTED, "split of format version %u, this program reads %d", v, VERSION);
  SKEP_TRY(get_byte(d, "kind", SKEP_SPLIT_MERGE, &v));
  out->kind = (skep_split_kind)v;
  SKEP_TRY(get_byte(d, "Hive version", SKEP_HIVE_1, &v));
  out->hive = (skep_hive_version)v;
  SKEP_TRY(get_byte(d, "calendar", SKEP_CALENDAR_PROLEPTIC, &v));
  out->unmarked_calendar = (skep_calendar)v;
  return get_byte(d, "flags", FLAG_ALL, flags);
}

static skep_status decode(decoder *d, skep_split *out) {
  uint8_t flags;
  uint32_t levels;
  SKEP_TRY(get_header(d, out, &flags));
  out->check_write_ids = (flags & FLAG_CHECK_WRITE_IDS) != 0;
  out->row_ids = (flags & FLAG_ROW_IDS) != 0;
  SKEP_TRY(get_text(d, "root", &out->root));
  SKEP_TRY(get_snapshot(d, &out->snapshot));
  SKEP_TRY(get_files(d, "files", &out->n_files, &out->files));
  if (out->n_files == 0 || (out->n_files > 1 && out->kind != SKEP_SPLIT_MERGE))
    return bad_field(d, "files", "their number does not suit the kind");
  SKEP_TRY(get_u32(d, "first stripe", &out->first_stripe));
  SKEP_TRY(get_u32(d, "stripes", &out->n_stripes));
  SKEP_TRY(get_files(d, "delete files", &out->n_deletes, &out->deletes));
  SKEP_TRY(get_u32(d, "delete set", &out->delete_set));
  bool any_root = out->kind == SKEP_SPLIT_PLAIN && (flags & (FLAG_ROW_IDS | FLAG_PARTITIONS)) == 0;
  SKEP_TRY(get_type(d, "table type", any_root, &out->table));
  SKEP_TRY(get_type(d, "column type", any_root, &out->columns));
  SKEP_TRY(get_u32(d, "positional levels", &levels));
  out->evolution = (skep_orc_evolution){.positional_levels = levels, .match_case = (flags & FLAG_MATCH_CASE) != 0};
  if ((flags & FLAG_PARTITIONS) != 0) SKEP_TRY(get_partitions(d, out));
  if ((flags & FLAG_PREDICATE) != 0) SKEP_TRY(get_text(d, "predicate", &out->predicate));
  SKEP_TRY(get_unsigned(d, "row count", UINT64_MAX, &out->n_rows_hint));
  return d->rest.left == 0 ? SKEP_OK : bad_field(d, "end", "bytes follow");
}

skep_status skep_split_decode(skep_arena *arena, skep_bytes bytes, skep_split *out, skep_err *err) {
  decoder d = {.arena = arena, .rest = bytes, .size = bytes.left, .err = err};
  skep_split split = {0};
  *out = split;
  SKEP_TRY(decode(&d, &split));
  *out = split;
  return SKEP_OK;
}

/* --- Row type --- */

skep_status skep_split_type(skep_arena *arena, const skep_split *split, const skep_type **out, skep_err *err) {
  static const skep_type bigint = {.kind = SKEP_BIGINT}, integer = {.kind = SKEP_INT}, row = {.kind = SKEP_STRUCT};
  static const skep_type *const id_types[3] = {&bigint, &integer, &bigint};
  static const char *const id_names[3] = {"writeid", "bucketid", "rowid"};
  if (split->columns->kind != SKEP_STRUCT) return skep_type_copy(arena, split->columns, out, err);
  uint32_t n_ids = split->row_ids ? 3 : 0;
  uint32_t n_partitions = split->partition_columns == NULL ? 0 : split->n_partition_columns;
  size_t n = (size_t)n_ids + split->columns->n_children + n_partitions;
  const skep_type **children = skep_arena_zero(arena, n + 1, sizeof *children);
  const char **names = skep_arena_zero(arena, n + 1, sizeof *names);
  if (children == NULL || names == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "row type of a split");
  size_t at = 0;
  for (uint32_t i = 0; i < n_ids; i++, at++) {
    children[at] = id_types[i];
    names[at] = id_names[i];
  }
  for (uint32_t i = 0; i < split->columns->n_children; i++, at++) {
    children[at] = split->columns->children[i];
    names[at] = split->columns->names[i];
  }
  for (uint32_t i = 0; i < n_partitions; i++, at++) {
    children[at] = split->partition_columns->children[i];
    names[at] = split->partition_columns->names[i];
  }
  return skep_type_make(arena, &row, children, names, (uint32_t)at, out, err);
}
