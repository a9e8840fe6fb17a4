/* Values as text in three styles. Scalars are written straight into the buffer; nested values recurse along the type,
 * whose depth is bounded when it is made. */
#include "column/text.h"

#include "base/utf8.h"
#include "column/calendar.h"
#include "column/text_int.h"

enum { SECONDS_A_DAY = 86400 };

/* ---- building blocks ---- */

static uint8_t *put_two(uint8_t *at, int64_t v) { return text_put_pair(at, (unsigned)v); }

static uint8_t *put_i64(uint8_t *at, int64_t v) {
  uint64_t magnitude = (uint64_t)v;
  if (v < 0) {
    *at++ = '-';
    magnitude = 0 - magnitude;
  }
  return skep_text_put_u64(at, magnitude);
}

enum { DATE_TEXT_BYTES = 32, TS_TEXT_BYTES = 64 };

/* As java.time.LocalDate: at least four digits of the year, '-' before negative ones, '+' before those above 9999. */
static uint8_t *put_date(uint8_t *at, int64_t days) {
  skep_civil c = skep_civil_from_days(days);
  if (c.year >= 0 && c.year <= 9999) {
    at = put_two(put_two(at, c.year / 100), c.year % 100);
  } else {
    uint64_t magnitude = c.year < 0 ? 0 - (uint64_t)c.year : (uint64_t)c.year;
    *at++ = c.year < 0 ? '-' : '+';
    if (magnitude <= 9999) {
      at = put_two(put_two(at, (int64_t)magnitude / 100), (int64_t)magnitude % 100);
    } else {
      at = skep_text_put_u64(at, magnitude);
    }
  }
  *at++ = '-';
  at = put_two(at, c.month);
  *at++ = '-';
  return put_two(at, c.day);
}

static uint8_t *put_fraction(uint8_t *at, uint32_t nanos) {
  at[0] = '.';
  at[1] = (uint8_t)('0' + nanos / 100000000);
  at = text_put_eight(at + 2, nanos % 100000000);
  while (at[-1] == '0' && at[-2] != '.') at--;
  return at;
}

/* always_fraction: ".0" where there is none. */
static uint8_t *put_ts(uint8_t *at, skep_ts ts, bool always_fraction) {
  int64_t days = ts.seconds / SECONDS_A_DAY, rest = ts.seconds % SECONDS_A_DAY;
  if (rest < 0) {
    rest += SECONDS_A_DAY;
    days--;
  }
  at = put_date(at, days);
  *at++ = ' ';
  at = put_two(at, rest / 3600);
  *at++ = ':';
  at = put_two(at, rest / 60 % 60);
  *at++ = ':';
  at = put_two(at, rest % 60);
  if (ts.nanos != 0 || always_fraction) at = put_fraction(at, (uint32_t)ts.nanos);
  return at;
}

/* Digits of an unsigned 128-bit number at `at` (room for 39). */
static uint8_t *put_u128(uint8_t *at, unsigned __int128 v) {
  static const uint64_t ten16 = UINT64_C(10000000000000000);
  if (v >> 64 == 0) return skep_text_put_u64(at, (uint64_t)v);
  unsigned __int128 high = v / ten16;
  uint64_t low = (uint64_t)(v - high * ten16);
  at = put_u128(at, high); /* twice more at most */
  at = text_put_eight(at, (uint32_t)(low / 100000000));
  return text_put_eight(at, (uint32_t)(low % 100000000));
}

/* Room needed: 44 + scale. */
static uint8_t *put_decimal128(uint8_t *at, skep_i128 unscaled, unsigned scale, bool trim) {
  unsigned __int128 magnitude = (unsigned __int128)unscaled;
  if (unscaled < 0) {
    *at++ = '-';
    magnitude = 0 - magnitude;
  }
  if (trim && magnitude == 0) scale = 0;
  uint8_t digits[40];
  size_t n = (size_t)(put_u128(digits, magnitude) - digits);
  while (trim && scale != 0 && digits[n - 1] == '0') { /* the first digit is not 0 */
    n--;
    scale--;
  }
  if (scale == 0) {
    memcpy(at, digits, n);
    return at + n;
  }
  if (n > scale) {
    memcpy(at, digits, n - scale);
    at += n - scale;
    *at++ = '.';
    memcpy(at, digits + (n - scale), scale);
    return at + scale;
  }
  *at++ = '0';
  *at++ = '.';
  memset(at, '0', scale - n);
  at += scale - n;
  memcpy(at, digits, n);
  return at + n;
}

/* Where to write when `room` more bytes are wanted; NULL when the buffer is full or failed. */
static uint8_t *begin(skep_buf *out, size_t room) { return skep_buf_reserve(out, room) ? out->data + out->size : NULL; }
static void end(skep_buf *out, const uint8_t *at) { out->size = (size_t)(at - out->data); }

void skep_text_decimal(skep_i128 unscaled, unsigned scale, bool trim, skep_buf *out) {
  uint8_t *at = begin(out, (size_t)scale + 44);
  if (at != NULL) end(out, put_decimal128(at, unscaled, scale, trim));
}

void skep_text_date(int64_t days, skep_buf *out) {
  uint8_t *at = begin(out, DATE_TEXT_BYTES);
  if (at != NULL) end(out, put_date(at, days));
}

void skep_text_ts(skep_ts ts, skep_buf *out) {
  uint8_t *at = begin(out, TS_TEXT_BYTES);
  if (at != NULL) end(out, put_ts(at, ts, false));
}

/* ---- reading entries of any form ---- */

static int64_t entry_i64(const skep_vec *vec, int64_t i) {
  switch (vec->form) {
    case SKEP_FORM_I8:
      return ((const int8_t *)vec->values.data)[i];
    case SKEP_FORM_I16:
      return ((const int16_t *)vec->values.data)[i];
    case SKEP_FORM_I32:
      return ((const int32_t *)vec->values.data)[i];
    default:
      return ((const int64_t *)vec->values.data)[i];
  }
}

static bool entry_bool(const skep_vec *vec, int64_t i) {
  const uint8_t *values = vec->values.data;
  return vec->form == SKEP_FORM_BOOL_BYTES ? values[i] != 0 : (values[i >> 3] >> (i & 7) & 1) != 0;
}

static skep_i128 entry_decimal(const skep_vec *vec, int64_t i) {
  if (vec->form != SKEP_FORM_I128) return entry_i64(vec, i);
  skep_i128 v;
  memcpy(&v, (const uint8_t *)vec->values.data + 16 * i, sizeof v); /* a lent buffer may be aligned to 8 only */
  return v;
}

static skep_ts ts_of_units(int64_t v, int64_t units_a_second) {
  int64_t seconds = v / units_a_second, rest = v % units_a_second;
  if (rest < 0) {
    rest += units_a_second;
    seconds--;
  }
  return (skep_ts){seconds, (int32_t)(rest * (1000000000 / units_a_second)), 0};
}

static skep_ts entry_ts(const skep_vec *vec, int64_t i) {
  switch (vec->form) {
    case SKEP_FORM_TS_US:
      return ts_of_units(((const int64_t *)vec->values.data)[i], 1000000);
    case SKEP_FORM_TS_NS:
      return ts_of_units(((const int64_t *)vec->values.data)[i], 1000000000);
    default:
      return ((const skep_ts *)vec->values.data)[i];
  }
}

static skep_bytes entry_bytes(const skep_vec *vec, int64_t i) {
  if (vec->form != SKEP_FORM_STR) return skep_vec_bytes(vec, i);
  const int32_t *offsets = vec->offsets.data;
  size_t first = (size_t)offsets[i], length = (size_t)offsets[i + 1] - first;
  const uint8_t *heap = vec->heap.data; /* NULL while all strings are empty */
  return (skep_bytes){length == 0 ? heap : heap + first, length};
}

/* ---- bytes with escapes ---- */

#define EACH_BYTE(b) (UINT64_C(0x0101010101010101) * (b))

/* Not 0 when one of eight bytes is below `below` (1..128) or equal to one of two others; bytes above 127 never count.
 */
static uint64_t special_in_word(uint64_t w, uint8_t below, uint8_t one, uint8_t other) {
  uint64_t is_one = w ^ EACH_BYTE(one), is_other = w ^ EACH_BYTE(other);
  return (((w - EACH_BYTE(below)) & ~w) | ((is_one - EACH_BYTE(1)) & ~is_one) |
          ((is_other - EACH_BYTE(1)) & ~is_other)) &
         EACH_BYTE(0x80);
}

/* How many bytes from the start can be copied as they are. */
static size_t plain_prefix(const uint8_t *at, size_t n, uint8_t below, uint8_t one, uint8_t other, bool ascii_only) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    uint64_t w;
    memcpy(&w, at + i, sizeof w);
    if (special_in_word(w, below, one, other) != 0 || (ascii_only && (w & EACH_BYTE(0x80)) != 0)) break;
  }
  while (i < n && at[i] >= below && at[i] != one && at[i] != other && !(ascii_only && at[i] >= 0x80)) i++;
  return i;
}

/* The letter behind the backslash in the copy style, 0 for bytes that stand for themselves. */
static uint8_t copy_escape(uint8_t c) {
  switch (c) {
    case '\\':
      return '\\';
    case '\t':
      return 't';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case 0:
      return '0';
    default:
      return 0;
  }
}

static void put_copy_escaped(skep_bytes bytes, skep_buf *out) {
  while (bytes.left != 0) {
    size_t n = plain_prefix(bytes.at, bytes.left, '\r' + 1, '\\', '\\', false);
    if (n < bytes.left) {
      uint8_t escape = copy_escape(bytes.at[n]);
      skep_buf_add(out, bytes.at, n + (escape == 0));
      if (escape != 0) {
        uint8_t pair[2] = {'\\', escape};
        skep_buf_add(out, pair, 2);
      }
      n++;
    } else {
      skep_buf_add(out, bytes.at, n);
    }
    bytes.at += n;
    bytes.left -= n;
  }
}

/* Escapes in place what was appended since `start`: nested values are first written as Hive prints them. */
static void escape_tail(size_t start, skep_buf *out) {
  if (out->status != SKEP_OK || out->size == start) return;
  size_t extra = 0;
  for (size_t i = start; i < out->size; i++) extra += copy_escape(out->data[i]) != 0;
  if (extra == 0 || !skep_buf_reserve(out, extra)) return;
  uint8_t *from = out->data + out->size, *to = from + extra;
  out->size += extra;
  while (from != to) { /* everything before is in place once they meet */
    uint8_t c = *--from, escape = copy_escape(c);
    *--to = escape != 0 ? escape : c;
    if (escape != 0) *--to = '\\';
  }
}

/* Hive's and JSON's escapes agree: \" \\ \b \f \n \r \t and \u00xx in lower case for other control characters. */
static void put_json_escape(uint8_t c, skep_buf *out) {
  static const char letters[] = "btn\0fr"; /* 8, 9, 10, (11), 12, 13 */
  uint8_t *at = begin(out, 6);
  if (at == NULL) return;
  *at++ = '\\';
  if (c == '"' || c == '\\') {
    *at++ = c;
  } else if (c >= 8 && c <= 13 && letters[c - 8] != 0) {
    *at++ = (uint8_t)letters[c - 8];
  } else {
    memcpy(at, "u00", 3);
    at[3] = (uint8_t)('0' + (c >> 4));
    at[4] = (uint8_t) "0123456789abcdef"[c & 15];
    at += 5;
  }
  end(out, at);
}

static void put_hive_quoted(skep_text *text, skep_bytes bytes, skep_buf *out) {
  if (text->replace_utf8) { /* JSON has the same escapes */
    skep_text replacing = {.style = SKEP_TEXT_JSON};
    (void)skep_text_json_string(&replacing, bytes, out, NULL);
    text->replaced_utf8 |= replacing.replaced_utf8;
    return;
  }
  skep_buf_byte(out, '"');
  while (bytes.left != 0) {
    size_t n = plain_prefix(bytes.at, bytes.left, ' ', '"', '\\', false);
    skep_buf_add(out, bytes.at, n);
    if (n < bytes.left) put_json_escape(bytes.at[n++], out);
    bytes.at += n;
    bytes.left -= n;
  }
  skep_buf_byte(out, '"');
}

/* Length of the longest start of an ill-formed sequence that one U+FFFD stands for (Unicode, "maximal subpart"). */
static size_t ill_formed_length(const uint8_t *at, size_t left) {
  static const uint8_t filler[4] = {0x80, 0x80, 0x80, 0x80};
  uint8_t probe[4];
  for (size_t n = left < 3 ? left : 3; n > 1; n--) { /* is it well-formed when continued? */
    memcpy(probe, at, n);
    memcpy(probe + n, filler, 4 - n);
    size_t whole = skep_utf8_length(probe, 4);
    if (whole > n) return n;
  }
  return 1;
}

/* A string that needs no escape and has room; the usual case. */
static bool put_plain_json(skep_bytes bytes, skep_buf *out) {
  if (bytes.left > SIZE_MAX - 2 || plain_prefix(bytes.at, bytes.left, ' ', '"', '\\', true) != bytes.left) return false;
  uint8_t *at = begin(out, bytes.left + 2);
  if (at == NULL) return true;
  *at++ = '"';
  if (bytes.left != 0) memcpy(at, bytes.at, bytes.left);
  at[bytes.left] = '"';
  end(out, at + bytes.left + 1);
  return true;
}

skep_status skep_text_json_string(skep_text *text, skep_bytes bytes, skep_buf *out, skep_err *err) {
  skep_bytes all = bytes;
  if (put_plain_json(bytes, out)) return SKEP_OK;
  skep_buf_byte(out, '"');
  while (bytes.left != 0) {
    size_t n = plain_prefix(bytes.at, bytes.left, ' ', '"', '\\', true);
    while (n < bytes.left && bytes.at[n] >= 0x80) {
      size_t length = skep_utf8_length(bytes.at + n, bytes.left - n);
      if (length == 0) break;
      n += length;
    }
    skep_buf_add(out, bytes.at, n);
    if (n < bytes.left && bytes.at[n] < 0x80) {
      uint8_t c = bytes.at[n];
      if (c < ' ' || c == '"' || c == '\\') {
        put_json_escape(c, out);
        n++;
      }
    } else if (n < bytes.left) {
      if (text->utf8_fail != SKEP_OK) {
        char quoted[80];
        return skep_fail(err, text->utf8_fail, "invalid UTF-8 at byte %zu of the string \"%s\"",
                         (size_t)(bytes.at + n - all.at), skep_quote(quoted, sizeof quoted, all.at, all.left));
      }
      text->replaced_utf8 = true;
      skep_buf_add(out, "\xef\xbf\xbd", 3);
      n += ill_formed_length(bytes.at + n, bytes.left - n);
    }
    bytes.at += n;
    bytes.left -= n;
  }
  skep_buf_byte(out, '"');
  return SKEP_OK;
}

static void put_replaced(skep_text *text, skep_bytes bytes, skep_buf *out) {
  while (bytes.left != 0) {
    size_t n = 0, length = 1;
    while (n < bytes.left && (length = skep_utf8_length(bytes.at + n, bytes.left - n)) != 0) n += length;
    skep_buf_add(out, bytes.at, n);
    if (n < bytes.left) {
      text->replaced_utf8 = true;
      skep_buf_add(out, "\xef\xbf\xbd", 3);
      n += ill_formed_length(bytes.at + n, bytes.left - n);
    }
    bytes.at += n;
    bytes.left -= n;
  }
}

static void put_upper_hex(skep_bytes bytes, skep_buf *out) {
  static const char hex[] = "0123456789ABCDEF";
  if (bytes.left > SIZE_MAX / 2) return;
  uint8_t *at = begin(out, bytes.left * 2);
  if (at == NULL) return;
  for (size_t i = 0; i < bytes.left; i++) {
    *at++ = (uint8_t)hex[bytes.at[i] >> 4];
    *at++ = (uint8_t)hex[bytes.at[i] & 15];
  }
  end(out, at);
}

/* CHAR is shown padded to its length in code points, however it was stored. */
static void put_padding(const skep_type *type, skep_bytes bytes, skep_buf *out) {
  if (bytes.left >= type->length * (size_t)4) return; /* no room for fewer code points */
  size_t n = 0;
  for (size_t i = 0; i < bytes.left; i++) n += (bytes.at[i] & 0xc0) != 0x80;
  if (n >= type->length) return;
  size_t missing = type->length - n;
  uint8_t *at = begin(out, missing);
  if (at == NULL) return;
  memset(at, ' ', missing);
  end(out, at + missing);
}

/* ---- scalars ---- */

static inline void put_text(const char *text, size_t length, skep_buf *out) {
  uint8_t *at = begin(out, length);
  if (at == NULL) return;
  memcpy(at, text, length);
  end(out, at + length);
}

static void put_bool(bool v, skep_buf *out) { v ? put_text("true", 4, out) : put_text("false", 5, out); }

static void put_integer(int64_t v, skep_buf *out) {
  uint8_t *at = begin(out, 24);
  if (at != NULL) end(out, put_i64(at, v));
}

static void put_float(const skep_vec *vec, int64_t i, skep_float_flavour flavour, skep_buf *out) {
  uint8_t *at = begin(out, SKEP_FLOAT_TEXT_BYTES);
  if (at == NULL) return;
  end(out, vec->form == SKEP_FORM_F32 ? skep_text_put_f32(at, ((const float *)vec->values.data)[i], flavour)
                                      : skep_text_put_f64(at, ((const double *)vec->values.data)[i], flavour));
}

/* Hive shows an instant in the session's zone; ours is UTC. */
static void put_instant(skep_ts ts, const char *zone, skep_buf *out) {
  uint8_t *at = begin(out, TS_TEXT_BYTES);
  if (at == NULL) return;
  end(out, put_ts(at, ts, true));
  skep_buf_text(out, zone);
}

static skep_status unknown_kind(const skep_vec *vec, skep_err *err) {
  return skep_fail(err, SKEP_ERR_INTERNAL, "no text for kind %d in form %d", (int)vec->type->kind, (int)vec->form);
}

/* ---- Hive's style, and copy's ---- */

static void hive_nested(skep_text *text, const skep_vec *vec, int64_t i, skep_buf *out);

static void hive_list(skep_text *text, const skep_vec *vec, int64_t i, skep_buf *out) {
  const int32_t *offsets = vec->offsets.data;
  skep_buf_byte(out, '[');
  for (int32_t j = offsets[i]; j < offsets[i + 1] && out->status == SKEP_OK; j++) {
    if (j != offsets[i]) skep_buf_byte(out, ',');
    hive_nested(text, &vec->children[0], j, out);
  }
  skep_buf_byte(out, ']');
}

static void hive_map(skep_text *text, const skep_vec *vec, int64_t i, skep_buf *out) {
  const int32_t *offsets = vec->offsets.data;
  skep_buf_byte(out, '{');
  for (int32_t j = offsets[i]; j < offsets[i + 1] && out->status == SKEP_OK; j++) {
    if (j != offsets[i]) skep_buf_byte(out, ',');
    hive_nested(text, &vec->children[0], j, out);
    skep_buf_byte(out, ':');
    hive_nested(text, &vec->children[1], j, out);
  }
  skep_buf_byte(out, '}');
}

static void hive_struct(skep_text *text, const skep_vec *vec, int64_t i, skep_buf *out) {
  skep_buf_byte(out, '{');
  for (uint32_t c = 0; c < vec->n_children && out->status == SKEP_OK; c++) {
    if (c != 0) skep_buf_byte(out, ',');
    skep_buf_byte(out, '"');
    skep_buf_text(out, vec->type->names[c]); /* Hive does not escape field names */
    put_text("\":", 2, out);
    hive_nested(text, &vec->children[c], i, out);
  }
  skep_buf_byte(out, '}');
}

static void hive_union(skep_text *text, const skep_vec *vec, int64_t i, skep_buf *out) {
  int8_t tag = ((const int8_t *)vec->values.data)[i];
  skep_buf_byte(out, '{');
  put_integer(tag, out);
  skep_buf_byte(out, ':');
  hive_nested(text, &vec->children[tag], ((const int32_t *)vec->offsets.data)[i], out);
  skep_buf_byte(out, '}');
}

/* A value inside another one: Hive's JSON text. `vec` may be NULL at the entry. */
static void hive_nested(skep_text *text, const skep_vec *vec, int64_t i, skep_buf *out) {
  if (!skep_vec_is_valid(vec, i)) {
    put_text("null", 4, out);
    return;
  }
  switch (vec->type->kind) {
    case SKEP_BOOLEAN:
      put_bool(entry_bool(vec, i), out);
      return;
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
      put_integer(entry_i64(vec, i), out);
      return;
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      put_float(vec, i, SKEP_FLOAT_HIVE, out);
      return;
    case SKEP_DECIMAL:
      skep_text_decimal(entry_decimal(vec, i), vec->type->scale, true, out);
      return;
    case SKEP_STRING:
    case SKEP_VARCHAR:
      put_hive_quoted(text, entry_bytes(vec, i), out);
      return;
    case SKEP_CHAR:
      put_hive_quoted(text, entry_bytes(vec, i), out);
      if (out->status != SKEP_OK) return;
      out->size--; /* the padding goes before the quote */
      put_padding(vec->type, entry_bytes(vec, i), out);
      skep_buf_byte(out, '"');
      return;
    case SKEP_BINARY: {
      skep_bytes bytes = entry_bytes(vec, i);
      if (text->replace_utf8) {
        put_replaced(text, bytes, out);
      } else {
        skep_buf_add(out, bytes.at, bytes.left);
      }
      return;
    }
    case SKEP_DATE:
      skep_buf_byte(out, '"');
      skep_text_date(entry_i64(vec, i), out);
      skep_buf_byte(out, '"');
      return;
    case SKEP_TIMESTAMP:
      skep_buf_byte(out, '"');
      skep_text_ts(entry_ts(vec, i), out);
      skep_buf_byte(out, '"');
      return;
    case SKEP_TIMESTAMP_TZ:
      skep_buf_byte(out, '"');
      put_instant(entry_ts(vec, i), " UTC", out);
      skep_buf_byte(out, '"');
      return;
    case SKEP_LIST:
      hive_list(text, vec, i, out);
      return;
    case SKEP_MAP:
      hive_map(text, vec, i, out);
      return;
    case SKEP_STRUCT:
      hive_struct(text, vec, i, out);
      return;
    case SKEP_UNION:
      hive_union(text, vec, i, out);
      return;
    case SKEP_KIND_COUNT:
      return;
  }
}

/* Strings as Java would hold them; see skep_text.replace_utf8. */
static void put_top_replaced(skep_text *text, const skep_vec *vec, int64_t i, skep_buf *out) {
  size_t start = out->size;
  put_replaced(text, entry_bytes(vec, i), out);
  if (out->status != SKEP_OK) return;
  skep_bytes shown = {out->data + start, out->size - start};
  if (vec->type->kind == SKEP_CHAR) put_padding(vec->type, shown, out);
  if (text->style == SKEP_TEXT_COPY) escape_tail(start, out);
}

static void put_top_bytes(skep_text *text, const skep_vec *vec, int64_t i, skep_buf *out) {
  skep_bytes bytes = entry_bytes(vec, i);
  if (text->style != SKEP_TEXT_COPY) {
    skep_buf_add(out, bytes.at, bytes.left);
  } else if (vec->type->kind == SKEP_BINARY) {
    put_upper_hex(bytes, out);
  } else {
    put_copy_escaped(bytes, out);
  }
  if (vec->type->kind == SKEP_CHAR) put_padding(vec->type, bytes, out);
}

static skep_status hive_value(skep_text *text, const skep_vec *vec, int64_t i, skep_buf *out, skep_err *err) {
  size_t start = out->size;
  switch (vec->type->kind) {
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
      if (text->replace_utf8) {
        put_top_replaced(text, vec, i, out);
        return SKEP_OK;
      }
      put_top_bytes(text, vec, i, out);
      return SKEP_OK;
    case SKEP_BINARY:
      put_top_bytes(text, vec, i, out);
      return SKEP_OK;
    case SKEP_DECIMAL:
      skep_text_decimal(entry_decimal(vec, i), vec->type->scale, false, out);
      return SKEP_OK;
    case SKEP_DATE:
      skep_text_date(entry_i64(vec, i), out);
      return SKEP_OK;
    case SKEP_TIMESTAMP:
      skep_text_ts(entry_ts(vec, i), out);
      return SKEP_OK;
    case SKEP_TIMESTAMP_TZ:
      put_instant(entry_ts(vec, i), " UTC", out);
      return SKEP_OK;
    case SKEP_LIST:
    case SKEP_MAP:
    case SKEP_STRUCT:
    case SKEP_UNION:
      hive_nested(text, vec, i, out);
      if (text->style == SKEP_TEXT_COPY) escape_tail(start, out);
      return SKEP_OK;
    case SKEP_KIND_COUNT:
      return unknown_kind(vec, err);
    default:
      hive_nested(text, vec, i, out);
      return SKEP_OK; /* booleans and numbers look alike everywhere */
  }
}

/* ---- JSON ---- */

static skep_status json_value(skep_text *text, const skep_vec *vec, int64_t i, skep_buf *out, skep_err *err);

static void json_float(const skep_vec *vec, int64_t i, skep_buf *out) {
  double v =
      vec->form == SKEP_FORM_F32 ? (double)((const float *)vec->values.data)[i] : ((const double *)vec->values.data)[i];
  bool finite = v - v == 0;
  if (!finite) skep_buf_byte(out, '"');
  put_float(vec, i, SKEP_FLOAT_SHORTEST, out);
  if (!finite) skep_buf_byte(out, '"');
}

static void json_bytes(skep_bytes bytes, skep_buf *out) {
  skep_buf_byte(out, '[');
  for (size_t i = 0; i < bytes.left; i++) {
    uint8_t *at = begin(out, 4);
    if (at == NULL) return;
    if (i != 0) *at++ = ',';
    end(out, skep_text_put_u64(at, bytes.at[i]));
  }
  skep_buf_byte(out, ']');
}

/* How many earlier fields of a struct have the same name. `seen` is a small bloom filter, so that wide structs do not
 * cost a comparison of every pair. */
static unsigned earlier_same_names(const skep_type *type, uint32_t c, uint64_t seen[16]) {
  const char *name = type->names[c];
  uint32_t hash = 2166136261u;
  for (const char *p = name; *p != 0; p++) hash = (hash ^ (uint8_t)*p) * 16777619u;
  uint64_t *word = &seen[hash >> 28], bit = UINT64_C(1) << (hash >> 20 & 63);
  bool maybe = (*word & bit) != 0;
  *word |= bit;
  unsigned n = 0;
  for (uint32_t j = 0; maybe && j < c; j++) n += strcmp(type->names[j], name) == 0;
  return n;
}

static skep_status json_struct(skep_text *text, const skep_vec *vec, int64_t i, skep_buf *out, skep_err *err) {
  uint64_t seen[16] = {0};
  skep_buf_byte(out, '{');
  for (uint32_t c = 0; c < vec->n_children && out->status == SKEP_OK; c++) {
    if (c != 0) skep_buf_byte(out, ',');
    const char *name = vec->type->names[c];
    SKEP_TRY(skep_text_json_string(text, skep_bytes_of(name, strlen(name)), out, err));
    unsigned same = earlier_same_names(vec->type, c, seen);
    if (same != 0 && out->status == SKEP_OK) { /* "a", "a#2", "a#3" */
      out->data[out->size - 1] = '#';
      put_integer((int64_t)same + 1, out);
      skep_buf_byte(out, '"');
    }
    skep_buf_byte(out, ':');
    SKEP_TRY(json_value(text, &vec->children[c], i, out, err));
  }
  skep_buf_byte(out, '}');
  return SKEP_OK;
}

static skep_status json_entries(skep_text *text, const skep_vec *vec, int64_t i, skep_buf *out, skep_err *err) {
  const int32_t *offsets = vec->offsets.data;
  bool is_map = vec->type->kind == SKEP_MAP;
  skep_buf_byte(out, '[');
  for (int32_t j = offsets[i]; j < offsets[i + 1] && out->status == SKEP_OK; j++) {
    if (j != offsets[i]) skep_buf_byte(out, ',');
    if (is_map) put_text("{\"key\":", 7, out);
    SKEP_TRY(json_value(text, &vec->children[0], j, out, err));
    if (!is_map) continue;
    put_text(",\"value\":", 9, out);
    SKEP_TRY(json_value(text, &vec->children[1], j, out, err));
    skep_buf_byte(out, '}');
  }
  skep_buf_byte(out, ']');
  return SKEP_OK;
}

static skep_status json_union(skep_text *text, const skep_vec *vec, int64_t i, skep_buf *out, skep_err *err) {
  int8_t tag = ((const int8_t *)vec->values.data)[i];
  put_text("{\"tag\":", 7, out);
  put_integer(tag, out);
  put_text(",\"value\":", 9, out);
  SKEP_TRY(json_value(text, &vec->children[tag], ((const int32_t *)vec->offsets.data)[i], out, err));
  skep_buf_byte(out, '}');
  return SKEP_OK;
}

static void json_quoted(const skep_vec *vec, int64_t i, skep_buf *out) {
  uint8_t *at = begin(out, TS_TEXT_BYTES + SKEP_FLOAT_TEXT_BYTES + vec->type->scale);
  if (at == NULL) return;
  *at++ = '"';
  switch (vec->type->kind) {
    case SKEP_DECIMAL:
      at = put_decimal128(at, entry_decimal(vec, i), vec->type->scale, false);
      break;
    case SKEP_DATE:
      at = put_date(at, entry_i64(vec, i));
      break;
    case SKEP_TIMESTAMP:
      at = put_ts(at, entry_ts(vec, i), true);
      break;
    default:
      at = put_ts(at, entry_ts(vec, i), true);
      *at++ = 'Z';
      break;
  }
  *at++ = '"';
  end(out, at);
}

static skep_status json_value(skep_text *text, const skep_vec *vec, int64_t i, skep_buf *out, skep_err *err) {
  if (!skep_vec_is_valid(vec, i)) {
    put_text("null", 4, out);
    return SKEP_OK;
  }
  switch (vec->type->kind) {
    case SKEP_BOOLEAN:
      put_bool(entry_bool(vec, i), out);
      return SKEP_OK;
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
      put_integer(entry_i64(vec, i), out);
      return SKEP_OK;
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      json_float(vec, i, out);
      return SKEP_OK;
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
      return skep_text_json_string(text, entry_bytes(vec, i), out, err);
    case SKEP_BINARY:
      json_bytes(entry_bytes(vec, i), out);
      return SKEP_OK;
    case SKEP_DECIMAL:
    case SKEP_DATE:
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      json_quoted(vec, i, out);
      return SKEP_OK;
    case SKEP_LIST:
    case SKEP_MAP:
      return json_entries(text, vec, i, out, err);
    case SKEP_STRUCT:
      return json_struct(text, vec, i, out, err);
    case SKEP_UNION:
      return json_union(text, vec, i, out, err);
    case SKEP_KIND_COUNT:
      break;
  }
  return unknown_kind(vec, err);
}

skep_status skep_text_value(skep_text *text, const skep_vec *vec, int64_t i, skep_buf *out, skep_err *err) {
  if (text->style == SKEP_TEXT_JSON) return json_value(text, vec, i, out, err);
  if (skep_vec_is_valid(vec, i)) return hive_value(text, vec, i, out, err);
  skep_buf_text(out, text->style == SKEP_TEXT_COPY ? "\\N" : text->null_text != NULL ? text->null_text : "NULL");
  return SKEP_OK;
}
