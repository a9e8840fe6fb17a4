/* Names of partitions, values of partition keys as Hive stores them, locations.
 *
 * Source: Hive FileUtils.escapePathName and makePartName; observed: golden 02-partitioned. */
#include <string.h>

#include "base/config.h"
#include "catalog/catalog_int.h"
#include "column/text.h"

static const char default_partition[] = "__HIVE_DEFAULT_PARTITION__";

/* Control characters, and those that mean something in a path or a URI. */
static bool must_escape(unsigned char c) { return c < 0x20 || c == 0x7f || strchr("\"#%'*/:=?\\{[]^", c) != NULL; }

void skep_catalog_escape(const char *text, skep_buf *out) {
  static const char hex[] = "0123456789ABCDEF";
  for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
    if (must_escape(*at)) {
      skep_buf_byte(out, '%');
      skep_buf_byte(out, (uint8_t)hex[*at >> 4]);
      skep_buf_byte(out, (uint8_t)hex[*at & 15]);
    } else {
      skep_buf_byte(out, *at);
    }
  }
}

void skep_catalog_partition_name(const skep_type *keys, const char *const *values, skep_buf *out) {
  for (uint32_t i = 0; i < keys->n_children; i++) {
    if (i > 0) skep_buf_byte(out, '/');
    skep_catalog_escape(keys->names[i], out);
    skep_buf_byte(out, '=');
    bool none = values[i] == NULL || values[i][0] == '\0';
    skep_catalog_escape(none ? default_partition : values[i], out);
  }
}

/* Cut to `length` code points; CHAR is filled up with blanks to it. */
static void print_characters(const char *text, uint32_t length, bool fill, skep_buf *out) {
  uint32_t n = 0;
  for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
    bool starts = (*at & 0xc0) != 0x80;
    if (starts && n == length) break;
    n += starts;
    skep_buf_byte(out, *at);
  }
  for (; fill && n < length; n++) skep_buf_byte(out, ' ');
}

static bool print_integer(skep_kind kind, skep_bytes text, skep_buf *out) {
  int64_t value;
  if (!skep_parse_i64(text, &value)) return false;
  int bits = kind == SKEP_TINYINT ? 8 : kind == SKEP_SMALLINT ? 16 : kind == SKEP_INT ? 32 : 64;
  if (bits < 64 && (value < -(INT64_C(1) << (bits - 1)) || value >= INT64_C(1) << (bits - 1))) return false;
  return skep_buf_i64(out, value);
}

static bool print_value(const skep_type *key, const char *text, skep_buf *out) {
  skep_bytes bytes = skep_bytes_of(text, strlen(text));
  double number;
  skep_i128 unscaled;
  bool exact, yes;
  int64_t days;
  skep_ts ts;
  switch (key->kind) {
    case SKEP_BOOLEAN:
      if (!skep_parse_bool(text, &yes)) return false;
      return skep_buf_text(out, yes ? "true" : "false");
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
      return print_integer(key->kind, bytes, out);
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      if (!skep_parse_f64(bytes, &number)) return false;
      if (key->kind == SKEP_FLOAT)
        skep_text_f32((float)number, out);
      else
        skep_text_f64(number, out);
      return true;
    case SKEP_DECIMAL:
      if (!skep_parse_decimal(bytes, key->scale, &unscaled, &exact)) return false;
      skep_text_decimal(unscaled, key->scale, true, out);
      return true;
    case SKEP_DATE:
      if (!skep_parse_date(bytes, &days)) return false;
      skep_text_date(days, out);
      return true;
    case SKEP_TIMESTAMP:
      if (!skep_parse_ts(bytes, &ts)) return false;
      skep_text_ts(ts, out);
      return true;
    case SKEP_CHAR:
    case SKEP_VARCHAR:
      print_characters(text, key->length, key->kind == SKEP_CHAR, out);
      return true;
    default:
      return skep_buf_text(out, text);
  }
}

skep_status skep_catalog_partition_value(skep_arena *arena, const skep_type *key, const char *text, const char **out,
                                         skep_err *err) {
  *out = NULL;
  if (text == NULL || text[0] == '\0' || strcmp(text, default_partition) == 0) {
    *out = default_partition;
    return SKEP_OK;
  }
  skep_buf buf;
  skep_buf_init(&buf, arena->ctx, 1 << 20);
  skep_status st = SKEP_OK;
  if (!print_value(key, text, &buf) && buf.status == SKEP_OK) {
    char quoted[120];
    st = skep_fail(err, SKEP_ERR_RANGE, "'%s' is no %s", skep_quote(quoted, sizeof quoted, text, strlen(text)),
                   skep_kind_name(key->kind));
  }
  if (st == SKEP_OK) st = skep_buf_check(&buf, "a partition value", err);
  if (st == SKEP_OK && (*out = skep_buf_copy(&buf, arena)) == NULL) st = catalog_nomem(err);
  skep_buf_fini(&buf);
  return st;
}

skep_status skep_catalog_path(const char *location, const char **path, skep_err *err) {
  const char *at = location;
  if (strncmp(at, "file:", 5) == 0) {
    at += 5;
    if (strncmp(at, "//", 2) == 0) { /* file:///a and file://host/a; only the first has a path of ours */
      at += 2;
      if (*at != '/') at = "";
    }
  }
  if (*at != '/') {
    char quoted[400];
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "location %s is not on a local file system",
                     skep_quote(quoted, sizeof quoted, location, strlen(location)));
  }
  while (at[0] == '/' && at[1] == '/') at++;
  *path = at;
  return SKEP_OK;
}

const char *skep_catalog_uri(skep_arena *arena, const char *path) { return skep_arena_join(arena, "file:", path, ""); }
