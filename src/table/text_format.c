/* See text_format.h. */
#include "table/text_format.h"

#include "base/err.h"
#include "column/text.h"
#include "table/csv.h"
#include "table/text_write.h"

#define TEXT_INPUT "org.apache.hadoop.mapred.TextInputFormat"
#define LAZY_SERDE "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"
#define CSV_SERDE "org.apache.hadoop.hive.serde2.OpenCSVSerde"

/* A SerDe is given its own properties and the table's; its own come first. */
typedef struct properties {
  const skep_property *own, *table;
  uint32_t n_own, n_table;
} properties;

static const char *find(const properties *p, const char *key) {
  for (uint32_t i = 0; i < p->n_own; i++)
    if (strcmp(p->own[i].key, key) == 0) return p->own[i].value;
  for (uint32_t i = 0; i < p->n_table; i++)
    if (strcmp(p->table[i].key, key) == 0) return p->table[i].value;
  return NULL;
}

static bool is_true(const properties *p, const char *key) {
  const char *value = find(p, key);
  return value != NULL && skep_text_equals(skep_bytes_of(value, strlen(value)), "true");
}

/* A number from -128 to 127 is a byte, any other text its first character. Source: LazyUtils.getByte. */
static uint8_t byte_of(const char *text, uint8_t fallback) {
  int64_t number;
  if (text == NULL || text[0] == '\0') return fallback;
  if (skep_parse_i64(skep_bytes_of(text, strlen(text)), &number) && number >= INT8_MIN && number <= INT8_MAX)
    return (uint8_t)number;
  return (uint8_t)text[0];
}

/* Source: LazySerDeParameters.collectSeparators: bytes that are likely in texts are left out. */
static void set_separators(const properties *p, skep_lazy_format *f) {
  const char *field = find(p, "field.delim");
  f->separators[0] = byte_of(field != NULL ? field : find(p, "serialization.format"), 1);
  const char *collection = find(p, "collection.delim"); /* Hive 3 and before wrote it with a mistake */
  f->separators[1] = byte_of(collection != NULL ? collection : find(p, "colelction.delim"), 2);
  f->separators[2] = byte_of(find(p, "mapkey.delim"), 3);
  uint32_t n = 3;
  for (unsigned b = 4; b <= 8; b++) f->separators[n++] = (uint8_t)b;
  if (is_true(p, "hive.serialization.extend.nesting.levels")) {
    f->separators[n++] = 11;
    for (unsigned b = 14; b <= 26; b++) f->separators[n++] = (uint8_t)b;
    for (unsigned b = 28; b <= 31; b++) f->separators[n++] = (uint8_t)b;
    if (is_true(p, "hive.serialization.extend.additional.nesting.levels"))
      for (unsigned b = 128; b <= 255; b++) f->separators[n++] = (uint8_t)b;
  }
  f->n_separators = n;
}

static skep_status set_lazy(const properties *p, skep_lazy_format *f, skep_err *err) {
  const char *escape = find(p, "escape.delim"), *null_text = find(p, "serialization.null.format"),
             *encoding = find(p, "serialization.encoding");
  *f = skep_lazy_default;
  set_separators(p, f);
  f->is_escaped = escape != NULL;
  f->escape = byte_of(escape, '\\');
  f->escapes_newlines = is_true(p, "serialization.escape.crlf");
  f->rest_in_last = is_true(p, "serialization.last.column.takes.rest");
  f->wide_booleans = is_true(p, "hive.lazysimple.extended_boolean_literal");
  if (null_text != NULL) f->null_text = skep_bytes_of(null_text, strlen(null_text));
  if (encoding != NULL && !skep_text_equals(skep_bytes_of(encoding, strlen(encoding)), "utf-8")) {
    char quoted[100];
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "text in the encoding %s",
                     skep_quote(quoted, sizeof quoted, encoding, strlen(encoding)));
  }
  if (find(p, "timestamp.formats") != NULL)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "timestamp.formats of text tables");
  return SKEP_OK;
}

static skep_status set_csv(const properties *p, skep_csv_format *f, skep_err *err) {
  const char *separator = find(p, "separatorChar"), *quote = find(p, "quoteChar"), *escape = find(p, "escapeChar");
  const char *const all[] = {separator, quote, escape};
  for (int i = 0; i < 3; i++)
    if (all[i] != NULL && (unsigned char)all[i][0] >= 0x80)
      return skep_fail(err, SKEP_ERR_UNSUPPORTED, "CSV with a separator, quote or escape beyond ASCII");
  /* An empty text is Java's charAt(0) of nothing: the default. */
  f->separator = separator != NULL && separator[0] != '\0' ? (uint8_t)separator[0] : ',';
  f->quote = quote != NULL && quote[0] != '\0' ? (uint8_t)quote[0] : '"';
  f->escape = escape != NULL && escape[0] != '\0' ? (uint8_t)escape[0] : '"';
  return SKEP_OK;
}

static skep_status set_lines(const properties *p, const char *key, uint32_t *out, skep_err *err) {
  const char *text = find(p, key);
  int64_t n;
  *out = 0;
  if (text == NULL) return SKEP_OK;
  if (!skep_parse_i64(skep_bytes_of(text, strlen(text)), &n) || n < 0 || n > INT32_MAX) {
    char quoted[100];
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s %s: expected a number of lines", key,
                     skep_quote(quoted, sizeof quoted, text, strlen(text)));
  }
  *out = (uint32_t)n;
  return SKEP_OK;
}

static skep_status refuse(const char *what, const char *name, skep_err *err) {
  char quoted[200];
  return skep_fail(err, SKEP_ERR_UNSUPPORTED,
                   "%s %s is not known (ORC tables, and text tables of LazySimpleSerDe and OpenCSVSerde are)", what,
                   skep_quote(quoted, sizeof quoted, name, strlen(name)));
}

skep_status skep_text_format_make(skep_arena *arena, const char *input_format, const char *serde,
                                  const skep_property *serde_properties, uint32_t n_serde_properties,
                                  const skep_property *table_properties, uint32_t n_properties, const skep_type *row,
                                  const skep_text_format **out, skep_err *err) {
  const properties p = {serde_properties, table_properties, n_serde_properties, n_properties};
  *out = NULL;
  if (input_format == NULL || strstr(input_format, "OrcInputFormat") != NULL) return SKEP_OK;
  if (strcmp(input_format, TEXT_INPUT) != 0) return refuse("the format", input_format, err);
  if (serde == NULL) serde = LAZY_SERDE;
  skep_text_format *f = skep_arena_zero(arena, 1, sizeof *f);
  if (f == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a text format");
  f->codec = skep_text_row_codec;
  if (strcmp(serde, LAZY_SERDE) == 0) {
    SKEP_TRY(set_lazy(&p, &f->lazy, err));
    SKEP_TRY(skep_lazy_check(&f->lazy, row, err));
  } else if (strcmp(serde, CSV_SERDE) == 0) {
    f->serde = SKEP_SERDE_CSV;
    f->lazy = skep_lazy_default;
    SKEP_TRY(set_csv(&p, &f->csv, err));
    for (uint32_t i = 0; i < row->n_children; i++)
      if (row->children[i]->kind != SKEP_STRING)
        return skep_fail(err, SKEP_ERR_UNSUPPORTED, "OpenCSVSerde with a column of type %s: all are STRING",
                         skep_kind_name(row->children[i]->kind));
  } else {
    return refuse("the SerDe", serde, err);
  }
  SKEP_TRY(set_lines(&p, "skip.header.line.count", &f->header_lines, err));
  SKEP_TRY(set_lines(&p, "skip.footer.line.count", &f->footer_lines, err));
  *out = f;
  return SKEP_OK;
}

skep_status skep_text_read(const skep_text_format *format, const skep_type *row, const uint32_t *positions,
                           uint32_t n_positions, const skep_bytes *lines, int64_t n_lines, skep_vec *columns,
                           skep_err *err) {
  if (format->serde == SKEP_SERDE_LAZY)
    return skep_lazy_read(&format->lazy, row, positions, n_positions, lines, n_lines, columns, err);
  return skep_csv_read(&format->csv, positions, n_positions, lines, n_lines, columns, err);
}
