/* See csv.h. The parser follows opencsv 2.3 in all its ways: a backslash counts only inside a field, a quote in the
 * middle of one stays, what an open quote holds at the end of the line is lost. */
#include "table/csv.h"

#include <inttypes.h>

#include "base/err.h"

/* ---- reading ---- */

typedef struct csv_line {
  const skep_csv_format *format;
  uint8_t escape; /* of reading */
  skep_bytes text;
  size_t at;
  bool in_field, in_quotes;
} csv_line;

static bool is_next(const csv_line *l, uint8_t c) { return l->at + 1 < l->text.left && l->text.at[l->at + 1] == c; }

/* Source: CSVParser.isAllWhiteSpace, Character.isWhitespace. */
static bool is_all_space(const uint8_t *text, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (text[i] != ' ' && (text[i] < 9 || text[i] > 13) && (text[i] < 28 || text[i] > 31)) return false;
  return true;
}

/* A quote that begins or ends a quoted part; in the middle of a field it is kept as well. */
static size_t take_quote(csv_line *l, uint8_t *to, size_t size) {
  const csv_line *s = l;
  uint8_t separator = s->format->separator;
  bool inside =
      s->at > 2 && s->text.at[s->at - 1] != separator && s->at + 1 < s->text.left && s->text.at[s->at + 1] != separator;
  if (inside && size > 0 && is_all_space(to, size)) {
    size = 0;
  } else if (inside) {
    to[size++] = s->format->quote;
  }
  l->in_quotes = !l->in_quotes;
  return size;
}

/* The next field into `to` (room for the rest of the line). False: there was none. */
static bool take_field(csv_line *l, bool *more, uint8_t *to, size_t *size) {
  const skep_csv_format *f = l->format;
  *size = 0;
  if (!*more) return false;
  for (; l->at < l->text.left; l->at++) {
    uint8_t c = l->text.at[l->at];
    bool quoted = l->in_quotes || l->in_field;
    if (c == l->escape) {
      if (quoted && (is_next(l, f->quote) || is_next(l, l->escape))) to[(*size)++] = l->text.at[++l->at];
    } else if (c == f->quote) {
      if (quoted && is_next(l, f->quote)) {
        to[(*size)++] = l->text.at[++l->at];
      } else {
        *size = take_quote(l, to, *size);
      }
      l->in_field = !l->in_field;
    } else if (c == f->separator && !l->in_quotes) {
      l->in_field = false;
      l->at++;
      return true;
    } else {
      to[(*size)++] = c;
      l->in_field = true;
    }
  }
  *more = false;
  return !l->in_quotes;
}

static void put_null(skep_vec *out, int64_t i) {
  ((skep_view *)out->values.data)[i] = (skep_view){0};
  ((uint8_t *)out->validity.data)[i >> 3] &= (uint8_t) ~(1u << (i & 7));
  out->null_count++;
}

static void read_line(csv_line *l, const uint32_t *positions, uint32_t n_positions, int64_t i, skep_vec *columns) {
  uint8_t *heap = columns[0].heap.data;
  size_t size = columns[0].heap_size, length = 0;
  uint32_t column = 0;
  bool more = l->text.left != 0; /* an empty line is no row of fields */
  for (uint32_t p = 0; p < n_positions; p++) {
    bool found = false;
    for (; column <= positions[p]; column++) found = take_field(l, &more, heap + size, &length);
    if (!found) {
      put_null(&columns[p], i);
      continue;
    }
    ((skep_view *)columns[p].values.data)[i] = skep_view_of(skep_bytes_of(heap + size, length));
    size += length;
  }
  columns[0].heap_size = size;
}

skep_status skep_csv_read(const skep_csv_format *format, const uint32_t *positions, uint32_t n_positions,
                          const skep_bytes *lines, int64_t n_lines, skep_vec *columns, skep_err *err) {
  if (n_positions == 0 || n_lines == 0) return SKEP_OK;
  size_t room = 1;
  for (int64_t i = 0; i < n_lines; i++) {
    if (lines[i].left > UINT32_MAX) return skep_fail(err, SKEP_ERR_LIMIT, "a line of %zu bytes", lines[i].left);
    room += lines[i].left;
  }
  SKEP_TRY(skep_vec_reserve_heap(&columns[0], room, err)); /* of all columns' texts: they come out not longer */
  for (uint32_t p = 0; p < n_positions; p++) {
    SKEP_TRY(skep_vec_reserve(&columns[p], n_lines, true, err));
    columns[p].length = n_lines;
    SKEP_TRY(skep_vec_need_validity(&columns[p], err));
    columns[p].has_nulls = true;
    columns[p].null_count = 0;
  }
  for (int64_t i = 0; i < n_lines; i++) {
    /* Hive gives opencsv's reader its own default where the escape character is the writer's. */
    csv_line l = {.format = format, .escape = format->escape == '"' ? '\\' : format->escape, .text = lines[i]};
    read_line(&l, positions, n_positions, i, columns);
  }
  return SKEP_OK;
}

/* ---- writing ---- */

static void put_field(const skep_csv_format *f, skep_bytes t, skep_buf *out) {
  skep_buf_byte(out, f->quote);
  for (size_t i = 0; i < t.left; i++) {
    if (t.at[i] == f->quote || t.at[i] == f->escape) skep_buf_byte(out, f->escape);
    skep_buf_byte(out, t.at[i]);
  }
  skep_buf_byte(out, f->quote);
}

skep_status skep_csv_write(const skep_csv_format *format, const skep_vec *root, const int32_t *rows, int64_t n,
                           skep_buf *out, skep_err *err) {
  for (uint32_t c = 0; c < root->n_children; c++)
    if (root->children[c].type->kind != SKEP_STRING)
      return skep_fail(err, SKEP_ERR_INTERNAL, "CSV column %" PRIu32 " is no text", c);
  for (int64_t i = 0; i < n; i++) {
    int64_t row = rows != NULL ? rows[i] : i;
    for (uint32_t c = 0; c < root->n_children; c++) {
      const skep_vec *column = &root->children[c];
      if (c > 0) skep_buf_byte(out, format->separator);
      if (skep_vec_is_valid(column, row)) put_field(format, skep_vec_bytes(column, row), out);
    }
    skep_buf_byte(out, '\n');
  }
  return SKEP_OK;
}
