/* printf: Java's Formatter over arguments of any type.
 *
 * Source: java.util.Formatter (JDK 17), without dates, hash codes, hexadecimal floating point and %g. */
#include <math.h>
#include <stdio.h>

#include "column/text.h"
#include "engine/function.h"

enum { MAX_ARGS = 64, MAX_WIDTH = 10000 };

typedef struct argument {
  enum { NOTHING, TRUTH, WHOLE, DECIMAL, BINARY, TEXT } kind;
  skep_i128 whole; /* also a truth, a decimal's digits */
  unsigned bits;   /* of a whole number's type */
  unsigned scale;
  double binary;
  bool is_float;
  skep_bytes text;
} argument;

typedef struct column {
  duckdb_type type, stored;
  unsigned scale;
  const void *data;
  const uint64_t *valid;
} column;

static column column_of(skep_call *c, uint32_t arg) {
  duckdb_vector vector = skep_duck.data_chunk_get_vector(c->chunk, arg);
  duckdb_logical_type type = skep_duck.vector_get_column_type(vector);
  column out = {.type = skep_duck.get_type_id(type),
                .data = skep_duck.vector_get_data(vector),
                .valid = skep_duck.vector_get_validity(vector)};
  out.stored = out.type;
  if (out.type == DUCKDB_TYPE_DECIMAL) {
    unsigned width = skep_duck.decimal_width(type);
    out.scale = skep_duck.decimal_scale(type);
    out.stored = width <= 4    ? DUCKDB_TYPE_SMALLINT
                 : width <= 9  ? DUCKDB_TYPE_INTEGER
                 : width <= 18 ? DUCKDB_TYPE_BIGINT
                               : DUCKDB_TYPE_HUGEINT;
  }
  skep_duck.destroy_logical_type(&type);
  return out;
}

static argument whole(skep_i128 v, unsigned bits) { return (argument){.kind = WHOLE, .whole = v, .bits = bits}; }

static bool read_argument(const column *col, int64_t i, argument *out) {
  *out = (argument){.kind = NOTHING};
  if (col->valid != NULL && (col->valid[i / 64] >> (i % 64) & 1) == 0) return true;
  switch (col->stored) {
    case DUCKDB_TYPE_BOOLEAN:
      *out = (argument){.kind = TRUTH, .whole = ((const uint8_t *)col->data)[i] != 0};
      break;
    case DUCKDB_TYPE_TINYINT:
      *out = whole(((const int8_t *)col->data)[i], 8);
      break;
    case DUCKDB_TYPE_SMALLINT:
      *out = whole(((const int16_t *)col->data)[i], 16);
      break;
    case DUCKDB_TYPE_INTEGER:
      *out = whole(((const int32_t *)col->data)[i], 32);
      break;
    case DUCKDB_TYPE_BIGINT:
      *out = whole(((const int64_t *)col->data)[i], 64);
      break;
    case DUCKDB_TYPE_HUGEINT:
      *out = whole(((const skep_huge *)col->data)[i], 128);
      break;
    case DUCKDB_TYPE_FLOAT:
      *out = (argument){.kind = BINARY, .binary = (double)((const float *)col->data)[i], .is_float = true};
      break;
    case DUCKDB_TYPE_DOUBLE:
      *out = (argument){.kind = BINARY, .binary = ((const double *)col->data)[i]};
      break;
    case DUCKDB_TYPE_VARCHAR: {
      const skep_view *view = (const skep_view *)col->data + i;
      size_t n = view->inlined.length;
      *out = (argument){.kind = TEXT};
      out->text = skep_bytes_of(n <= sizeof view->inlined.bytes ? (const void *)view->inlined.bytes : view->far.at, n);
      break;
    }
    default:
      return false;
  }
  if (col->type == DUCKDB_TYPE_DECIMAL) {
    out->kind = DECIMAL;
    out->scale = col->scale;
  }
  return true;
}

/* ---- one conversion ---- */

typedef struct spec {
  bool left, plus, blank, zero, comma, parens, alternate;
  int width, precision; /* -1: not given */
  char letter;
} spec;

static skep_status mismatch(const spec *s, skep_err *err) {
  return skep_fail(err, SKEP_ERR_RUNTIME, "IllegalFormatConversionException: %c does not fit its argument", s->letter);
}

/* Text in a field: blanks, or zeros behind the sign. */
static void put_field(const spec *s, const char *sign, skep_bytes body, const char *end, skep_buf *out) {
  size_t points = strlen(sign) + strlen(end);
  for (size_t i = 0; i < body.left; i++) points += (body.at[i] & 0xc0) != 0x80;
  size_t missing = s->width > 0 && (size_t)s->width > points ? (size_t)s->width - points : 0;
  for (size_t i = 0; i < missing && !s->left && !s->zero; i++) skep_buf_byte(out, ' ');
  skep_buf_text(out, sign);
  for (size_t i = 0; i < missing && s->zero && !s->left; i++) skep_buf_byte(out, '0');
  skep_buf_add(out, body.at, body.left);
  skep_buf_text(out, end);
  for (size_t i = 0; i < missing && s->left; i++) skep_buf_byte(out, ' ');
}

/* A number without its sign, with commas where asked for. */
static void put_number(const spec *s, bool negative, skep_bytes digits, skep_buf *scratch, skep_buf *out) {
  const char *sign = negative ? (s->parens ? "(" : "-") : s->plus ? "+" : s->blank ? " " : "";
  size_t n = 0;
  while (n < digits.left && digits.at[n] >= '0' && digits.at[n] <= '9') n++;
  skep_buf_reset(scratch);
  for (size_t i = 0; i < digits.left; i++) {
    skep_buf_byte(scratch, digits.at[i]);
    if (s->comma && i + 1 < n && (n - i - 1) % 3 == 0) skep_buf_byte(scratch, ',');
  }
  put_field(s, sign, skep_bytes_of(scratch->data, scratch->size), negative && s->parens ? ")" : "", out);
}

static skep_status put_whole(const spec *s, const argument *a, skep_buf *scratch, skep_buf *out, skep_err *err) {
  char text[64];
  size_t at = sizeof text;
  if (a->kind == NOTHING) {
    put_field(s, "", skep_bytes_of("null", 4), "", out);
    return SKEP_OK;
  }
  if (a->kind != WHOLE) return mismatch(s, err);
  unsigned base = s->letter == 'd' ? 10 : s->letter == 'o' ? 8 : 16;
  unsigned __int128 v = a->whole < 0 ? -(unsigned __int128)a->whole : (unsigned __int128)a->whole;
  if (base != 10 && a->whole < 0 && a->bits < 128)
    v = (unsigned __int128)a->whole & (((unsigned __int128)1 << a->bits) - 1);
  do {
    text[--at] = (s->letter == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[(unsigned)(v % base)];
    v /= base;
  } while (v != 0);
  skep_bytes digits = skep_bytes_of(text + at, sizeof text - at);
  if (base == 10) {
    put_number(s, a->whole < 0, digits, scratch, out);
  } else {
    put_field(s, !s->alternate ? "" : base == 8 ? "0" : s->letter == 'X' ? "0X" : "0x", digits, "", out);
  }
  return SKEP_OK;
}

/* %f rounds the number's decimal text half up. */
static skep_status put_fixed(const spec *s, const argument *a, skep_buf *scratch, skep_buf *out, skep_err *err) {
  skep_i128 unscaled;
  bool exact;
  unsigned digits = s->precision < 0 ? 6 : s->precision > 30 ? 30 : (unsigned)s->precision;
  char large[400];
  skep_buf_reset(scratch);
  if (a->kind == DECIMAL) {
    skep_text_decimal(a->whole, a->scale, false, scratch);
  } else if (a->is_float) {
    skep_text_f32((float)a->binary, scratch);
  } else {
    skep_text_f64(a->binary, scratch);
  }
  SKEP_TRY(skep_buf_check(scratch, "printf", err));
  bool negative = scratch->size != 0 && scratch->data[0] == '-';
  if (skep_parse_decimal(skep_bytes_of(scratch->data, scratch->size), digits, &unscaled, &exact)) {
    skep_buf text;
    skep_buf_init(&text, scratch->ctx, 128);
    skep_text_decimal(unscaled < 0 ? -unscaled : unscaled, digits, false, &text);
    skep_status status = skep_buf_check(&text, "printf", err);
    if (status == SKEP_OK) put_number(s, negative, skep_bytes_of(text.data, text.size), scratch, out);
    skep_buf_fini(&text);
    return status;
  }
  double size = a->kind == DECIMAL ? (double)a->whole / pow(10, a->scale) : a->binary;
  int n = snprintf(large, sizeof large, "%.*f", (int)digits, fabs(size));
  if (n <= 0 || (size_t)n >= sizeof large) return skep_fail(err, SKEP_ERR_INTERNAL, "printf");
  put_number(s, negative, skep_bytes_of(large, (size_t)n), scratch, out);
  return SKEP_OK;
}

static skep_status put_real(const spec *s, const argument *a, skep_buf *scratch, skep_buf *out, skep_err *err) {
  char text[80];
  if (a->kind == NOTHING) {
    put_field(s, "", skep_bytes_of("null", 4), "", out);
    return SKEP_OK;
  }
  if (a->kind != DECIMAL && a->kind != BINARY) return mismatch(s, err);
  if (a->kind == BINARY && !isfinite(a->binary)) {
    spec blank = *s;
    const char *name = isnan(a->binary) ? "NaN" : "Infinity";
    blank.zero = blank.comma = false;
    put_number(&blank, a->binary < 0, skep_bytes_of(name, strlen(name)), scratch, out);
    return SKEP_OK;
  }
  if (s->letter == 'f') return put_fixed(s, a, scratch, out, err);
  double v = a->kind == DECIMAL ? (double)a->whole / pow(10, a->scale) : a->binary;
  int n = snprintf(text, sizeof text, s->letter == 'E' ? "%.*E" : "%.*e",
                   s->precision < 0    ? 6
                   : s->precision > 40 ? 40
                                       : s->precision,
                   fabs(v));
  if (n <= 0 || (size_t)n >= sizeof text) return skep_fail(err, SKEP_ERR_INTERNAL, "printf");
  for (int i = 0; i < n; i++) { /* whatever point the locale has */
    if (strchr("0123456789eE+-", text[i]) == NULL) text[i] = '.';
  }
  put_number(s, signbit(v) != 0, skep_bytes_of(text, (size_t)n), scratch, out);
  return SKEP_OK;
}

static void text_of(const argument *a, skep_buf *out) {
  switch (a->kind) {
    case NOTHING:
      skep_buf_text(out, "null");
      break;
    case TRUTH:
      skep_buf_text(out, a->whole != 0 ? "true" : "false");
      break;
    case WHOLE:
      skep_text_decimal(a->whole, 0, false, out);
      break;
    case DECIMAL:
      skep_text_decimal(a->whole, a->scale, true, out);
      break;
    case BINARY:
      if (a->is_float) {
        skep_text_f32((float)a->binary, out);
      } else {
        skep_text_f64(a->binary, out);
      }
      break;
    case TEXT:
      skep_buf_add(out, a->text.at, a->text.left);
      break;
  }
}

static void put_text(const spec *s, const argument *a, skep_buf *scratch, skep_buf *out) {
  skep_buf_reset(scratch);
  if (s->letter == 'b' || s->letter == 'B') {
    skep_buf_text(scratch, a->kind == NOTHING || (a->kind == TRUTH && a->whole == 0) ? "false" : "true");
  } else {
    text_of(a, scratch);
  }
  size_t n = 0, points = 0;
  for (; n < scratch->size; n++) {
    bool starts = (scratch->data[n] & 0xc0) != 0x80;
    if (s->precision >= 0 && starts && points == (size_t)s->precision) break;
    points += starts;
  }
  for (size_t i = 0; i < n && (s->letter == 'S' || s->letter == 'B'); i++) {
    if (scratch->data[i] >= 'a' && scratch->data[i] <= 'z') scratch->data[i] = (uint8_t)(scratch->data[i] - 32);
  }
  put_field(s, "", skep_bytes_of(scratch->data, n), "", out);
}

/* ---- a format ---- */

static int take_int(skep_bytes *text) {
  int v = -1;
  for (; text->left != 0 && *text->at >= '0' && *text->at <= '9'; *text = skep_bytes_of(text->at + 1, text->left - 1))
    v = (v < 0 ? 0 : v) > MAX_WIDTH ? MAX_WIDTH : (v < 0 ? 0 : v) * 10 + (*text->at - '0');
  return v;
}

/* Behind a '%'. index: the argument's number from 1, 0: the next one. */
static bool take_spec(skep_bytes *text, spec *s, int *index) {
  *s = (spec){.width = -1, .precision = -1};
  *index = 0;
  skep_bytes ahead = *text;
  int number = take_int(&ahead);
  if (number > 0 && ahead.left != 0 && *ahead.at == '$') {
    *index = number;
    *text = skep_bytes_of(ahead.at + 1, ahead.left - 1);
  }
  for (;; *text = skep_bytes_of(text->at + 1, text->left - 1)) {
    uint8_t c = text->left == 0 ? 0 : *text->at;
    if (c == '-')
      s->left = true;
    else if (c == '+')
      s->plus = true;
    else if (c == ' ')
      s->blank = true;
    else if (c == '0')
      s->zero = true;
    else if (c == ',')
      s->comma = true;
    else if (c == '(')
      s->parens = true;
    else if (c == '#')
      s->alternate = true;
    else
      break;
  }
  s->width = take_int(text);
  if (text->left != 0 && *text->at == '.') {
    *text = skep_bytes_of(text->at + 1, text->left - 1);
    s->precision = take_int(text);
    if (s->precision < 0) return false;
  }
  if (text->left == 0) return false;
  s->letter = (char)*text->at;
  *text = skep_bytes_of(text->at + 1, text->left - 1);
  return s->width <= MAX_WIDTH;
}

static skep_status put_conversion(const spec *s, const argument *a, skep_buf *scratch, skep_buf *out, skep_err *err) {
  switch (s->letter) {
    case 'd':
    case 'o':
    case 'x':
    case 'X':
      return put_whole(s, a, scratch, out, err);
    case 'f':
    case 'e':
    case 'E':
      return put_real(s, a, scratch, out, err);
    case 's':
    case 'S':
    case 'b':
    case 'B':
      put_text(s, a, scratch, out);
      return SKEP_OK;
    case 'c': {
      argument letter = *a;
      if (a->kind == TEXT) letter.text.left = letter.text.left > 1 ? 1 : letter.text.left;
      uint8_t byte = (uint8_t)a->whole;
      if (a->kind == WHOLE && a->whole >= 0 && a->whole < 128)
        letter = (argument){.kind = TEXT, .text = skep_bytes_of(&byte, 1)};
      if (letter.kind != TEXT && letter.kind != NOTHING) return mismatch(s, err);
      put_text(s, &letter, scratch, out);
      return SKEP_OK;
    }
    default:
      return skep_fail(err, SKEP_ERR_RUNTIME, "UnknownFormatConversionException: Conversion = '%c'",
                       s->letter > ' ' && s->letter < 127 ? s->letter : '?');
  }
}

static skep_status format_row(skep_call *c, const column *columns, uint32_t n, int64_t i, skep_buf *scratch,
                              skep_err *err) {
  skep_bytes text = skep_arg_bytes(c, 0, i);
  uint32_t next = 0;
  skep_buf_reset(c->text);
  while (text.left != 0) {
    const uint8_t *percent = memchr(text.at, '%', text.left);
    size_t plain = percent == NULL ? text.left : (size_t)(percent - text.at);
    skep_buf_add(c->text, text.at, plain);
    text = skep_bytes_of(text.at + plain, text.left - plain);
    if (text.left == 0) break;
    text = skep_bytes_of(text.at + 1, text.left - 1);
    spec s;
    int index;
    if (!take_spec(&text, &s, &index))
      return skep_fail(err, SKEP_ERR_RUNTIME, "UnknownFormatConversionException: Conversion = '%%'");
    if (s.letter == '%' || s.letter == 'n') {
      put_field(&s, "", skep_bytes_of(s.letter == 'n' ? "\n" : "%", 1), "", c->text);
      continue;
    }
    uint32_t which = index > 0 ? (uint32_t)index - 1 : next++;
    argument a;
    if (which >= n)
      return skep_fail(err, SKEP_ERR_RUNTIME, "MissingFormatArgumentException: Format specifier '%%%c'",
                       s.letter > ' ' && s.letter < 127 ? s.letter : '?');
    if (!read_argument(&columns[which], i, &a))
      return skep_fail(err, SKEP_ERR_UNSUPPORTED, "printf: argument %u is neither number nor text", which + 2);
    SKEP_TRY(put_conversion(&s, &a, scratch, c->text, err));
  }
  return skep_call_put_text(c, i, err);
}

static skep_status format(skep_call *c, skep_err *err) {
  column columns[MAX_ARGS];
  uint32_t n = (uint32_t)skep_duck.data_chunk_get_column_count(c->chunk) - 1;
  skep_buf scratch;
  skep_status status = SKEP_OK;
  if (n > MAX_ARGS) return skep_fail(err, SKEP_ERR_LIMIT, "printf with more than %d arguments", MAX_ARGS);
  for (uint32_t a = 0; a < n; a++) columns[a] = column_of(c, a + 1);
  skep_buf_init(&scratch, c->ctx, 1 << 28);
  for (int64_t i = 0; i < c->n && status == SKEP_OK; i++) {
    if (skep_arg_valid(c, 0, i)) {
      status = format_row(c, columns, n, i, &scratch, err);
    } else {
      skep_call_set_null(c, i);
    }
  }
  skep_buf_fini(&scratch);
  return status;
}

const skep_function skep_functions_format[] = {
    {.name = "skep_printf", .args = "v.", .result = 'v', .body = format, .sees_nulls = true},
    {.name = NULL},
};
