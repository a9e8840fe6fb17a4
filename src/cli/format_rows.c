/* A batch as text: the hot loop of every command that prints rows.
 *
 * Each column of a batch is looked at once and becomes a lane; integers and strings, the bulk of most tables, are then
 * written without a call, everything else goes through column/text.h. */
#include <string.h>

#include "base/utf8.h"
#include "cli/format.h"

void skep_cli_csv_quote(skep_buf *buf, size_t start) {
  size_t n_quotes = 0;
  bool needed = false;
  if (buf->status != SKEP_OK) return;
  for (size_t i = start; i < buf->size; i++) {
    uint8_t c = buf->data[i];
    n_quotes += c == '"';
    needed |= c == '"' || c == ',' || c == '\n' || c == '\r';
  }
  if (!needed || !skep_buf_reserve(buf, n_quotes + 2)) return;
  size_t from = buf->size, to = buf->size + n_quotes + 2;
  buf->size = to;
  buf->data[--to] = '"';
  while (from > start) {
    uint8_t c = buf->data[--from];
    buf->data[--to] = c;
    if (c == '"') buf->data[--to] = '"';
  }
  buf->data[--to] = '"';
}

typedef struct row_style {
  skep_text text;
  uint8_t separator; /* between values; 0: none */
  uint8_t end;       /* after a row; 0: none */
} row_style;

static row_style style_of(const skep_cli_formatter *f) {
  row_style s = {.text = {.style = SKEP_TEXT_HIVE, .null_text = "NULL"}, .end = '\n'};
  if (f->utf8 == SKEP_CLI_UTF8_FAIL) s.text.utf8_fail = SKEP_ERR_RANGE;
  s.text.replace_utf8 = f->utf8 == SKEP_CLI_UTF8_REPLACE;
  switch (f->format) {
    case SKEP_CLI_TABLE:
      s.end = 0;
      break;
    case SKEP_CLI_TSV2:
      s.separator = '\t';
      break;
    case SKEP_CLI_CSV2:
      s.separator = ',';
      break;
    case SKEP_CLI_JSON:
      s.text.style = SKEP_TEXT_JSON;
      break;
    case SKEP_CLI_VERTICAL:
      break;
    case SKEP_CLI_COPY:
      s.text.style = SKEP_TEXT_COPY;
      s.separator = '\t';
      break;
  }
  return s;
}

/* How the values of a column are written in this batch. */
typedef enum lane_kind {
  LANE_OTHER, /* skep_text_value */
  LANE_I32,
  LANE_I64,
  LANE_OFFSETS, /* strings with int32 offsets into a heap */
  LANE_CODES    /* strings as codes of a dictionary */
} lane_kind;

typedef struct lane {
  lane_kind kind;
  const skep_vec *vec;
  const uint8_t *validity; /* NULL: no nulls */
  const void *values;      /* numbers, codes */
  const int32_t *offsets;
  const uint32_t *dict_offsets;
  const uint8_t *bytes;
  skep_bytes head; /* what stands before the value */
} lane;

static lane lane_of(const skep_cli_formatter *f, const row_style *s, const skep_vec *v, uint32_t column) {
  static const uint8_t tab[] = "\t", comma[] = ",";
  lane l = {.kind = LANE_OTHER, .vec = v, .head = f->heads[column]};
  if (column > 0 && s->separator != 0) l.head = skep_bytes_of(s->separator == '\t' ? tab : comma, 1);
  if (v->has_nulls) l.validity = v->validity.data;
  l.values = v->values.data;
  bool is_string = v->type->kind == SKEP_STRING || v->type->kind == SKEP_VARCHAR;
  if (s->text.replace_utf8 && s->text.style != SKEP_TEXT_JSON) is_string = false; /* must be looked at */
  if (v->type->kind == SKEP_INT && v->form == SKEP_FORM_I32) {
    l.kind = LANE_I32;
  } else if (v->type->kind == SKEP_BIGINT && v->form == SKEP_FORM_I64) {
    l.kind = LANE_I64;
  } else if (is_string && v->form == SKEP_FORM_STR) {
    l.kind = LANE_OFFSETS;
    l.offsets = v->offsets.data;
    l.bytes = v->heap.data != NULL ? v->heap.data : (const void *)"";
  } else if (is_string && v->form == SKEP_FORM_DICT && v->dict != NULL) {
    l.kind = LANE_CODES;
    l.dict_offsets = v->dict->offsets;
    l.bytes = v->dict->bytes;
  }
  return l;
}

enum { INT_ROOM = 24 }; /* more than "-9223372036854775808" */

/* Decimal text of v at `to`, which has INT_ROOM bytes; returns its length. */
static inline size_t put_int(uint8_t *to, int64_t v) {
  uint8_t digits[INT_ROOM];
  size_t n = 0, length = 0;
  uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
  do {
    digits[n++] = (uint8_t)('0' + u % 10);
    u /= 10;
  } while (u != 0);
  if (v < 0) to[length++] = '-';
  while (n > 0) to[length++] = digits[--n];
  return length;
}

/* True when the style prints these bytes as they are (between quotes in JSON). Anything beyond ASCII counts as not
 * plain in JSON, where it must be checked. */
static inline bool is_plain(skep_text_style style, const uint8_t *at, size_t n) {
  unsigned special = 0;
  if (style == SKEP_TEXT_JSON) {
    for (size_t i = 0; i < n; i++) {
      special |=
          (unsigned)(at[i] < 0x20) | (unsigned)(at[i] >= 0x7f) | (unsigned)(at[i] == '"') | (unsigned)(at[i] == '\\');
    }
  } else if (style == SKEP_TEXT_COPY) {
    for (size_t i = 0; i < n; i++) special |= (unsigned)(at[i] < 0x20) | (unsigned)(at[i] == '\\');
  }
  return special == 0;
}

/* Room for n more bytes; false when the buffer failed. */
static inline bool room(skep_buf *out, size_t n) {
  return (out->capacity - out->size >= n && out->status == SKEP_OK) || skep_buf_reserve(out, n);
}

static inline bool put_bytes(const row_style *s, skep_buf *out, const lane *l, const uint8_t *at, size_t n) {
  skep_text_style style = s->text.style;
  if (!is_plain(style, at, n) || !room(out, l->head.left + n + 2)) return false;
  uint8_t *to = out->data + out->size;
  if (l->head.left != 0) memcpy(to, l->head.at, l->head.left);
  to += l->head.left;
  if (style == SKEP_TEXT_JSON) *to++ = '"';
  if (n != 0) memcpy(to, at, n);
  to += n;
  if (style == SKEP_TEXT_JSON) *to++ = '"';
  out->size = (size_t)(to - out->data);
  return true;
}

/* Head and value without a call; false, with nothing written, when this value needs the long way. */
static inline bool put_quick(const row_style *s, skep_buf *out, const lane *l, int64_t i) {
  if (l->kind == LANE_OTHER) return false;
  if (l->validity != NULL && (l->validity[i >> 3] >> (i & 7) & 1) == 0) return false;
  if (l->kind == LANE_OFFSETS) {
    return put_bytes(s, out, l, l->bytes + l->offsets[i], (size_t)(l->offsets[i + 1] - l->offsets[i]));
  }
  if (l->kind == LANE_CODES) {
    const uint32_t *at = l->dict_offsets + ((const int32_t *)l->values)[i];
    return put_bytes(s, out, l, l->bytes + at[0], at[1] - at[0]);
  }
  if (!room(out, l->head.left + INT_ROOM)) return false;
  uint8_t *to = out->data + out->size;
  if (l->head.left != 0) memcpy(to, l->head.at, l->head.left);
  int64_t v = l->kind == LANE_I32 ? ((const int32_t *)l->values)[i] : ((const int64_t *)l->values)[i];
  out->size += l->head.left + put_int(to + l->head.left, v);
  return true;
}

static skep_status put_value(const skep_cli_formatter *f, row_style *s, const lane *l, uint32_t column, int64_t i,
                             skep_buf *out, skep_err *err) {
  if (put_quick(s, out, l, i)) return SKEP_OK;
  skep_buf_add(out, l->head.at, l->head.left);
  skep_status status = skep_text_value(&s->text, l->vec, i, out, err);
  return status == SKEP_OK ? status : skep_wrap(err, status, "column %s", f->names[column]);
}

/* --utf8=fail outside JSON, which checks its strings as it writes them. */
static skep_status check_utf8(const skep_cli_formatter *f, uint32_t column, size_t start, const skep_buf *out,
                              skep_err *err) {
  const uint8_t *value = out->data + start;
  size_t length = out->size - start, valid = skep_utf8_valid_length(value, length);
  if (valid == length) return SKEP_OK;
  char quoted[80];
  return skep_fail(err, SKEP_ERR_RANGE, "column %s: invalid UTF-8 at byte %zu of \"%s\"", f->names[column], valid,
                   skep_quote(quoted, sizeof quoted, value, length));
}

/* What a format does to a value after it was written. */
static void finish_value(const skep_cli_formatter *f, size_t start, skep_cli_chunk *chunk) {
  skep_buf *out = &chunk->text;
  if (f->format == SKEP_CLI_CSV2) {
    skep_cli_csv_quote(out, start);
  } else if (f->format == SKEP_CLI_VERTICAL) {
    skep_buf_byte(out, '\n');
  } else if (f->format == SKEP_CLI_TABLE) {
    skep_cli_cell cell = {0};
    skep_cli_table_cell(out, start, &cell.width);
    cell.end = out->size;
    skep_buf_add(&chunk->cells, &cell, sizeof cell);
  }
}

static skep_status put_row(const skep_cli_formatter *f, row_style *s, const lane *lanes, int64_t i,
                           skep_cli_chunk *chunk, skep_err *err) {
  skep_buf *out = &chunk->text;
  bool finish = f->format == SKEP_CLI_CSV2 || f->format == SKEP_CLI_VERTICAL || f->format == SKEP_CLI_TABLE;
  bool check = f->utf8 == SKEP_CLI_UTF8_FAIL && f->format != SKEP_CLI_JSON;
  for (uint32_t k = 0; k < f->n_columns; k++) {
    size_t start = out->size + lanes[k].head.left;
    SKEP_TRY(put_value(f, s, &lanes[k], k, i, out, err));
    if (check && out->status == SKEP_OK) SKEP_TRY(check_utf8(f, k, start, out, err));
    if (finish) finish_value(f, start, chunk);
  }
  if (f->format == SKEP_CLI_JSON && !f->bare) {
    if (f->n_columns == 0) skep_buf_byte(out, '{');
    skep_buf_byte(out, '}');
  }
  if (s->end != 0) skep_buf_byte(out, s->end);
  skep_buf_add(&chunk->row_ends, &out->size, sizeof out->size);
  return SKEP_OK;
}

skep_status skep_cli_format_rows(const skep_cli_formatter *f, const skep_vec *const *columns, int64_t n_rows,
                                 skep_cli_chunk *chunk, skep_err *err) {
  enum { KEPT_BYTES = 16 << 20 };
  row_style style = style_of(f);
  if (chunk->text.capacity > KEPT_BYTES) skep_cli_chunk_renew(chunk); /* one wide batch must not hold memory for ever */
  skep_buf_reset(&chunk->text);
  skep_buf_reset(&chunk->row_ends);
  skep_buf_reset(&chunk->cells);
  chunk->n_rows = n_rows;
  lane *lanes = skep_alloc_zero(chunk->text.ctx, (size_t)f->n_columns + 1, sizeof *lanes);
  if (lanes == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for %u columns", f->n_columns);
  for (uint32_t k = 0; k < f->n_columns; k++) lanes[k] = lane_of(f, &style, columns[k], k);
  skep_status status = SKEP_OK;
  for (int64_t i = 0; i < n_rows && status == SKEP_OK; i++) status = put_row(f, &style, lanes, i, chunk, err);
  skep_release(chunk->text.ctx, lanes);
  SKEP_TRY(status);
  chunk->replaced_utf8 = style.text.replaced_utf8;
  SKEP_TRY(skep_buf_check(&chunk->row_ends, "rows as text", err));
  SKEP_TRY(skep_buf_check(&chunk->cells, "rows as text", err));
  return skep_buf_check(&chunk->text, "rows as text", err);
}
