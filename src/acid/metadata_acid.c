/* The one JSON document of the ACID layout, _metadata_acid: what made a base directory.
 *
 * Source: Hive AcidUtils.MetaDataFile: an object of text values, thisFileVersion "0", dataFormat compacted, truncated
 * or dropped (matched without regard to case; 3.1 knows only the first). Other keys are skipped, whatever their values.
 */
#include <string.h>

#include "acid/layout.h"

enum { MAX_DEPTH = 16, MAX_TEXT = 64 };

typedef struct json {
  skep_bytes rest;
  size_t size; /* of the whole document, for positions */
} json;

static skep_status bad_json(const json *j, const char *expected, skep_err *err) {
  return skep_fail(err, SKEP_ERR_CORRUPT, "_metadata_acid: byte %zu: expected %s", j->size - j->rest.left, expected);
}

static int peek(json *j) {
  while (j->rest.left > 0 && strchr(" \t\r\n", *j->rest.at) != NULL && *j->rest.at != 0) {
    j->rest.at++;
    j->rest.left--;
  }
  return j->rest.left == 0 ? -1 : *j->rest.at;
}

static bool take(json *j, char c) {
  uint8_t ignored;
  return peek(j) == c && skep_bytes_u8(&j->rest, &ignored);
}

/* A string; the first MAX_TEXT - 1 bytes of its content go to `out`. Escapes keep their letter, which no known text
 * has. */
static bool take_string(json *j, char out[MAX_TEXT]) {
  if (!take(j, '"')) return false;
  uint8_t c;
  for (size_t n = 0; skep_bytes_u8(&j->rest, &c);) {
    if (c == '"') {
      out[n] = '\0';
      return true;
    }
    if (c < 0x20 || (c == '\\' && !skep_bytes_u8(&j->rest, &c))) return false;
    if (n + 1 < MAX_TEXT) out[n++] = (char)c;
  }
  return false;
}

/* Any value; nesting is bounded and only its brackets are looked at. */
static bool skip_value(json *j) {
  char ignored[MAX_TEXT];
  int depth = 0;
  do {
    int c = peek(j);
    if (c < 0) return false;
    if (c == '"') {
      if (!take_string(j, ignored)) return false;
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}' || c == ']' || c == ':')) return false;
    if (c == '{' || c == '[') depth++;
    if (c == '}' || c == ']') depth--;
    if (depth > MAX_DEPTH) return false;
    j->rest.at++;
    j->rest.left--;
    if (depth == 0 && c != '}' && c != ']') { /* a bare word or number: to its end */
      while (j->rest.left > 0 && strchr(",}] \t\r\n", *j->rest.at) == NULL) {
        j->rest.at++;
        j->rest.left--;
      }
    }
  } while (depth > 0);
  return true;
}

static bool equal_ignoring_case(const char *a, const char *b) {
  for (; *a != '\0' && *b != '\0'; a++, b++) {
    char low = (char)(*a >= 'A' && *a <= 'Z' ? *a - 'A' + 'a' : *a);
    if (low != *b) return false;
  }
  return *a == *b;
}

static skep_status parse_members(json *j, char version[MAX_TEXT], char format[MAX_TEXT], skep_err *err) {
  if (!take(j, '{')) return bad_json(j, "{", err);
  if (take(j, '}')) return SKEP_OK;
  do {
    char key[MAX_TEXT];
    if (peek(j) != '"' || !take_string(j, key)) return bad_json(j, "a key", err);
    if (!take(j, ':')) return bad_json(j, ":", err);
    bool is_version = strcmp(key, "thisFileVersion") == 0, is_format = strcmp(key, "dataFormat") == 0;
    if (is_version || is_format) {
      if (!take_string(j, is_version ? version : format)) return bad_json(j, "a text", err);
    } else if (!skip_value(j)) {
      return bad_json(j, "a value", err);
    }
  } while (take(j, ','));
  return take(j, '}') ? SKEP_OK : bad_json(j, ", or }", err);
}

skep_status skep_metadata_acid_parse(skep_bytes text, const char **data_format, skep_err *err) {
  static const char *const known[] = {"compacted", "truncated", "dropped"};
  *data_format = NULL;
  json j = {.rest = text, .size = text.left};
  char version[MAX_TEXT] = "", format[MAX_TEXT] = "", quoted[MAX_TEXT * 2];
  SKEP_TRY(parse_members(&j, version, format, err));
  if (peek(&j) != -1) return bad_json(&j, "the end", err);
  if (strcmp(version, "0") != 0)
    return skep_fail(err, SKEP_ERR_CORRUPT, "_metadata_acid: thisFileVersion is \"%s\", not \"0\"",
                     skep_quote(quoted, sizeof quoted, version, strlen(version)));
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (equal_ignoring_case(format, known[i])) *data_format = known[i];
  }
  if (*data_format == NULL)
    return skep_fail(err, SKEP_ERR_CORRUPT, "_metadata_acid: unknown dataFormat \"%s\"",
                     skep_quote(quoted, sizeof quoted, format, strlen(format)));
  return SKEP_OK;
}
