/* Parsing and printing the names that Hive gives to things in a transactional table. Pure: no file is touched.
 *
 * Source: Hive AcidUtils (ParsedBaseLight, ParsedDeltaLight, BUCKET_PATTERN, ORIGINAL_PATTERN), BucketCodec,
 * FileUtils.escapePathName and unescapePathName, Hive 3.1 and 4.0. */
#include "acid/name.h"

#include <inttypes.h>
#include <string.h>

typedef struct text {
  const char *at, *end;
} text;

static bool take_literal(text *t, const char *literal) {
  size_t length = strlen(literal);
  if ((size_t)(t->end - t->at) < length || memcmp(t->at, literal, length) != 0) return false;
  t->at += length;
  return true;
}

/* One or more digits; the value must fit an int64. */
static bool take_number(text *t, int64_t *out) {
  const char *start = t->at;
  int64_t value = 0;
  for (; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++) {
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *t->at - '0', &value)) return false;
  }
  *out = value;
  return t->at > start;
}

static skep_status bad_name(const char *name, const char *why, skep_err *err) {
  char quoted[160];
  return skep_fail(err, SKEP_ERR_CORRUPT, "directory name \"%s\" starts like one of an ACID table, but %s",
                   skep_quote(quoted, sizeof quoted, name, strlen(name)), why);
}

/* Hive cuts the name at the first "_v", wherever it stands; what follows must be a transaction id. */
static skep_status take_visibility(const char *name, text *t, int64_t *txn, skep_err *err) {
  *txn = 0;
  for (const char *at = t->at; at + 1 < t->end; at++) {
    if (at[0] != '_' || at[1] != 'v') continue;
    text suffix = {at + 2, t->end};
    if (!take_number(&suffix, txn) || suffix.at != suffix.end)
      return bad_name(name, "the part after _v is no transaction id", err);
    t->end = at;
    break;
  }
  return SKEP_OK;
}

/* Hive's first compaction of a table of original files writes base_-9223372036854775808; no other negative id exists.
 */
static skep_status parse_base(const char *name, text t, skep_dir_name *out, skep_err *err) {
  static const char lowest[] = "-9223372036854775808";
  if ((size_t)(t.end - t.at) == sizeof lowest - 1 && memcmp(t.at, lowest, sizeof lowest - 1) == 0) {
    out->min_write_id = out->max_write_id = INT64_MIN;
    return SKEP_OK;
  }
  if (!take_number(&t, &out->max_write_id) || t.at != t.end)
    return bad_name(name, "no write id follows (base_W or base_W_vT)", err);
  out->min_write_id = out->max_write_id;
  return SKEP_OK;
}

static skep_status parse_delta(const char *name, text t, skep_dir_name *out, skep_err *err) {
  static const char shape[] = "no write ids follow (X_Y, X_Y_S, X_Y_vT)";
  if (!take_number(&t, &out->min_write_id) || !take_literal(&t, "_") || !take_number(&t, &out->max_write_id))
    return bad_name(name, shape, err);
  if (out->min_write_id > out->max_write_id) return bad_name(name, "its write ids are in the wrong order", err);
  if (t.at == t.end) return SKEP_OK;
  int64_t statement;
  if (!take_literal(&t, "_") || !take_number(&t, &statement) || t.at != t.end) return bad_name(name, shape, err);
  if (statement > INT32_MAX) return bad_name(name, "its statement id is too large", err);
  out->statement = (int32_t)statement;
  return SKEP_OK;
}

skep_status skep_dir_name_parse(const char *name, skep_dir_name *out, skep_err *err) {
  *out = (skep_dir_name){.kind = SKEP_DIR_OTHER, .statement = -1};
  text t = {name, name + strlen(name)};
  skep_dir_kind kind;
  if (take_literal(&t, "delete_delta_")) {
    kind = SKEP_DIR_DELETE_DELTA;
  } else if (take_literal(&t, "delta_")) {
    kind = SKEP_DIR_DELTA;
  } else if (take_literal(&t, "base_")) {
    kind = SKEP_DIR_BASE;
  } else {
    return SKEP_OK;
  }
  skep_dir_name parsed = {.kind = kind, .statement = -1};
  SKEP_TRY(take_visibility(name, &t, &parsed.visibility_txn, err));
  SKEP_TRY(kind == SKEP_DIR_BASE ? parse_base(name, t, &parsed, err) : parse_delta(name, t, &parsed, err));
  *out = parsed;
  return SKEP_OK;
}

void skep_dir_name_print(const skep_dir_name *name, skep_buf *out) {
  switch (name->kind) {
    case SKEP_DIR_BASE:
      skep_buf_printf(out, "base_%07" PRId64, name->max_write_id);
      break;
    case SKEP_DIR_DELTA:
    case SKEP_DIR_DELETE_DELTA:
      skep_buf_printf(out, "%s_%07" PRId64 "_%07" PRId64, name->kind == SKEP_DIR_DELTA ? "delta" : "delete_delta",
                      name->min_write_id, name->max_write_id);
      if (name->statement >= 0) skep_buf_printf(out, "_%04" PRId32, name->statement);
      break;
    case SKEP_DIR_OTHER:
      return;
  }
  if (name->visibility_txn > 0) skep_buf_printf(out, "_v%07" PRId64, name->visibility_txn);
}

static bool parse_bucket_file(text t, skep_file_name *out) {
  if (!take_literal(&t, "bucket_") || !take_number(&t, &out->bucket)) return false;
  if (t.at == t.end) return true;
  return take_literal(&t, "_") && take_number(&t, &out->attempt) && t.at == t.end;
}

static bool parse_original_file(text t, skep_file_name *out) {
  int64_t task_attempt;
  if (!take_number(&t, &out->bucket) || !take_literal(&t, "_") || !take_number(&t, &task_attempt)) return false;
  if (t.at == t.end) return true;
  return take_literal(&t, "_copy_") && take_number(&t, &out->copy) && t.at == t.end;
}

static bool ends_with(const char *name, size_t length, const char *suffix) {
  size_t suffix_length = strlen(suffix);
  return length >= suffix_length && memcmp(name + length - suffix_length, suffix, suffix_length) == 0;
}

void skep_file_name_parse(const char *name, skep_file_name *out) {
  static const skep_file_name nothing = {.bucket = -1, .attempt = -1};
  size_t length = strlen(name);
  text t = {name, name + length};
  *out = nothing;
  if (name[0] == '_' || name[0] == '.') {
    out->kind = strcmp(name, "_orc_acid_version") == 0 ? SKEP_FILE_ACID_VERSION
                : strcmp(name, "_metadata_acid") == 0  ? SKEP_FILE_METADATA
                                                       : SKEP_FILE_HIDDEN;
  } else if (ends_with(name, length, SKEP_FLUSH_LENGTH_SUFFIX)) {
    out->kind = SKEP_FILE_FLUSH_LENGTH;
  } else if (parse_bucket_file(t, out)) {
    out->kind = SKEP_DATA_BUCKET;
  } else {
    *out = nothing;
    if (parse_original_file(t, out)) {
      out->kind = SKEP_DATA_ORIGINAL;
    } else {
      *out = nothing;
      out->kind = SKEP_FILE_UNKNOWN;
    }
  }
}

/* Source: BucketCodec. Bits 31..29 version; version 1: 27..16 writer id, 11..0 statement id. */
bool skep_bucket_decode(int32_t property, skep_bucket *out) {
  uint32_t bits = (uint32_t)property;
  switch (bits >> 29) {
    case 0:
      *out = (skep_bucket){.version = 0, .writer = property, .statement = 0};
      return true;
    case 1:
      *out =
          (skep_bucket){.version = 1, .writer = (int32_t)((bits >> 16) & 0xfff), .statement = (int32_t)(bits & 0xfff)};
      return true;
    default:
      return false;
  }
}

int32_t skep_bucket_encode(int32_t writer, int32_t statement) {
  return (int32_t)((UINT32_C(1) << 29) | (((uint32_t)writer & 0xfff) << 16) | ((uint32_t)statement & 0xfff));
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/* What Java's Integer.parseInt(two characters, 16) accepts and is not negative: Hive decodes "%+1" and "%-0" as well.
 */
static int escape_value(char first, char second) {
  int low = hex_digit(second);
  if (low < 0) return -1;
  if (first == '+') return low;
  if (first == '-') return low == 0 ? 0 : -1;
  int high = hex_digit(first);
  return high < 0 ? -1 : high * 16 + low;
}

/* Hive makes a character of the number: 0x80 and above become two bytes of UTF-8. */
static void unescape(const char *at, const char *end, skep_buf *out) {
  while (at < end) {
    int value = at[0] == '%' && end - at > 2 ? escape_value(at[1], at[2]) : -1;
    if (value < 0) {
      skep_buf_byte(out, (uint8_t)*at++);
      continue;
    }
    if (value < 0x80) {
      skep_buf_byte(out, (uint8_t)value);
    } else {
      skep_buf_byte(out, (uint8_t)(0xc0 | (value >> 6)));
      skep_buf_byte(out, (uint8_t)(0x80 | (value & 0x3f)));
    }
    at += 3;
  }
}

bool skep_partition_component_parse(const char *component, skep_buf *name, skep_buf *value) {
  const char *equals = strchr(component, '=');
  if (equals == NULL || equals == component) return false;
  unescape(component, equals, name);
  unescape(equals + 1, equals + strlen(equals), value);
  return true;
}

void skep_partition_escape(const char *chars, size_t length, skep_buf *out) {
  if (length == 0) skep_buf_text(out, SKEP_DEFAULT_PARTITION);
  for (size_t i = 0; i < length; i++) {
    unsigned char c = (unsigned char)chars[i];
    bool special = c < 0x20 || c == 0x7f || (c != 0 && strchr("\"#%'*/:=?\\{[]^", c) != NULL);
    if (special) {
      skep_buf_printf(out, "%%%02X", c);
    } else {
      skep_buf_byte(out, c);
    }
  }
}
