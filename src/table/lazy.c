/* Delimited text, reading: lines to fields, fields to vectors, column by column. */
#include "table/lazy.h"

#include <inttypes.h>
#include <math.h>

#include "base/err.h"
#include "column/base64.h"
#include "column/text.h"
#include "table/lazy_int.h"

static const uint8_t null_default[] = {'\\', 'N'};

const skep_lazy_format skep_lazy_default = {
    .separators = {1, 2, 3, 4, 5, 6, 7, 8}, .n_separators = 8, .escape = '\\', .null_text = {null_default, 2}};

/* ---- depth ---- */

/* The deepest level at which a type splits; `level`: where it stands. */
static uint32_t deepest(const skep_type *type, uint32_t level) {
  uint32_t inner = type->kind == SKEP_MAP ? level + 2 : level + 1, most = level;
  if (!skep_kind_is_nested(type->kind)) return 0;
  if (type->kind == SKEP_MAP) most = level + 1;
  for (uint32_t i = 0; i < type->n_children; i++) {
    uint32_t d = deepest(type->children[i], inner);
    most = d > most ? d : most;
  }
  return most;
}

skep_status skep_lazy_check(const skep_lazy_format *format, const skep_type *row, skep_err *err) {
  uint32_t most = deepest(row, 0);
  if (most < format->n_separators) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_UNSUPPORTED,
                   "Number of levels of nesting supported for LazySimpleSerde is %" PRIu32
                   " Unable to work with level %" PRIu32 "%s",
                   format->n_separators - 1, most,
                   format->n_separators < 9 ? ". Use hive.serialization.extend.nesting.levels serde property for "
                                              "tables using LazySimpleSerde."
                                            : "");
}

/* ---- splitting ---- */

/* The end of the field that begins at `from`: the next separator, or `end`. */
static const uint8_t *field_end(const skep_lazy_format *f, uint8_t separator, const uint8_t *from, const uint8_t *end) {
  if (!f->is_escaped) {
    const uint8_t *at = from == end ? NULL : memchr(from, separator, (size_t)(end - from));
    return at == NULL ? end : at;
  }
  while (from < end && *from != separator) from += *from == f->escape && from + 1 < end ? 2 : 1;
  return from;
}

/* Takes the next field off `text`; false when there was none. An empty text is one empty field, and so is what follows
 * the last separator. */
static bool next_field(const skep_lazy_format *f, uint8_t separator, skep_bytes *text, bool *more, skep_bytes *out) {
  if (!*more) return false;
  const uint8_t *end = text->at + text->left, *at = field_end(f, separator, text->at, end);
  *out = skep_bytes_of(text->at, (size_t)(at - text->at));
  *more = at < end;
  if (*more) *text = skep_bytes_of(at + 1, (size_t)(end - at - 1));
  return true;
}

/* ---- values ---- */

static bool is_null_text(const skep_lazy_format *f, skep_bytes text) {
  return text.left == f->null_text.left && (text.left == 0 || memcmp(text.at, f->null_text.at, text.left) == 0);
}

/* Source: LazyInteger.parse, LazyLong.parse: no blanks; a fraction of digits is cut off. */
static bool parse_integer(skep_bytes t, int64_t min, int64_t max, int64_t *out) {
  bool negative = t.left != 0 && *t.at == '-', some = false;
  int64_t v = 0;
  size_t i = t.left != 0 && (*t.at == '-' || *t.at == '+');
  for (; i < t.left && t.at[i] != '.'; i++) {
    unsigned digit = (unsigned)t.at[i] - '0';
    if (digit > 9 || __builtin_mul_overflow(v, 10, &v) || __builtin_sub_overflow(v, (int64_t)digit, &v)) return false;
    some = true;
  }
  for (i++; i < t.left; i++) {
    if (t.at[i] < '0' || t.at[i] > '9') return false;
    some = true;
  }
  if (!some || (!negative && v == INT64_MIN)) return false;
  *out = negative ? v : -v;
  return *out >= min && *out <= max;
}

static int hex_digit(uint8_t c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Java's 0x1.8p3; digits beyond what a double holds are cut off. */
static bool parse_hexadecimal(skep_bytes t, double *out) {
  double v = 0;
  bool some = false, fraction = false;
  int64_t shift = 0, exponent = 0;
  for (; t.left != 0 && (*t.at | 0x20) != 'p'; t.at++, t.left--) {
    int digit = hex_digit(*t.at);
    if (*t.at == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (digit < 0) return false;
    some = true;
    if (v < 0x1p60) {
      v = v * 16 + digit;
      shift -= fraction ? 4 : 0;
    } else {
      shift += fraction ? 0 : 4;
    }
  }
  if (!some || t.left < 2) return false;
  if (!skep_parse_i64(skep_bytes_of(t.at + 1, t.left - 1), &exponent)) return false;
  if (exponent > 100000) exponent = 100000;
  if (exponent < -100000) exponent = -100000;
  if (shift > 100000) shift = 100000;
  *out = ldexp(v, (int)(exponent + shift));
  return true;
}

/* As Java's parseDouble: blanks around are ignored, "1f" and "1D" are numbers. */
static bool parse_float(skep_bytes t, unsigned bits, double *out) {
  t = skep_text_trim(t);
  if (t.left == 0) return false;
  uint8_t last = t.at[t.left - 1] | 0x20;
  bool is_hex = t.left > 2 && memchr(t.at, 'x', t.left < 3 ? t.left : 3) != NULL;
  is_hex = is_hex || (t.left > 2 && memchr(t.at, 'X', t.left < 3 ? t.left : 3) != NULL);
  bool suffix = (last == 'f' || last == 'd') && t.left > 1 && (t.at[t.left - 2] <= '9' || is_hex);
  if (suffix && (!is_hex || memchr(t.at, 'p', t.left) != NULL || memchr(t.at, 'P', t.left) != NULL)) t.left--;
  if (!is_hex) return skep_parse_binary(t, bits, out);
  bool negative = *t.at == '-';
  if (*t.at == '-' || *t.at == '+') t = skep_bytes_of(t.at + 1, t.left - 1);
  if (t.left < 3 || t.at[0] != '0' || (t.at[1] | 0x20) != 'x') return false;
  if (!parse_hexadecimal(skep_bytes_of(t.at + 2, t.left - 2), out)) return false;
  if (bits == 24) *out = (double)(float)*out;
  if (negative) *out = -*out;
  return true;
}

/* How the year may be written: four digits, or a sign and more. Source: seen; Java's SignStyle.EXCEEDS_PAD. */
static bool has_plain_year(skep_bytes t) {
  size_t sign = t.left != 0 && (*t.at == '-' || *t.at == '+'), digits = 0;
  while (sign + digits < t.left && t.at[sign + digits] >= '0' && t.at[sign + digits] <= '9') digits++;
  if (sign != 0 && *t.at == '+') return digits > 4;
  return digits == 4 || (sign != 0 && digits > 4);
}

static bool parse_date(skep_bytes t, int64_t *days) {
  if (t.left < 8) return false;
  t = skep_text_trim(t);
  return has_plain_year(t) && skep_text_cast_date(t, days) && *days >= INT32_MIN && *days <= INT32_MAX;
}

/* "yyyy-M-d H:m:s[.f]", or with a T: then two digits each, and seconds may be missing. */
static bool parse_ts(skep_bytes t, skep_ts *out) {
  t = skep_text_trim(t);
  if (t.left < 8) return false;
  const uint8_t *iso = memchr(t.at, 'T', t.left);
  if (iso == NULL) return memchr(t.at, ' ', t.left) != NULL && skep_parse_ts(t, out);
  size_t date = (size_t)(iso - t.at), time = t.left - date - 1;
  if (!has_plain_year(t) || date < 10 || t.at[date - 3] != '-' || t.at[date - 6] != '-' || time < 5 || iso[3] != ':')
    return false;
  if (time == 5) { /* HH:mm */
    uint8_t text[64];
    if (t.left + 3 > sizeof text) return false;
    memcpy(text, t.at, t.left);
    memcpy(text + t.left, ":00", 3);
    return skep_parse_ts(skep_bytes_of(text, t.left + 3), out);
  }
  return time >= 8 && iso[6] == ':' && skep_parse_ts(t, out);
}

/* Java's boolean words, nothing around them. */
static bool parse_boolean(const skep_lazy_format *f, skep_bytes t, uint8_t *out) {
  *out = skep_text_equals(t, "true") || (f->wide_booleans && (skep_text_equals(t, "t") || skep_text_equals(t, "1")));
  return *out != 0 || skep_text_equals(t, "false") ||
         (f->wide_booleans && (skep_text_equals(t, "f") || skep_text_equals(t, "0")));
}

/* As Java's basic decoder, padding optional: false where it throws. Room for in.left * 3 / 4 + 1 bytes. */
static bool decode_base64(skep_bytes in, uint8_t *out, size_t *out_size) {
  size_t n = in.left, size = 0;
  if (n % 4 == 0 && n != 0 && in.at[n - 1] == '=') n -= in.at[n - 2] == '=' ? 2 : 1;
  if (n % 4 == 1) return false;
  uint32_t v = 0;
  for (size_t i = 0; i < n; i++) {
    int digit = skep_base64_digit(in.at[i]);
    if (digit < 0) return false;
    v = v << 6 | (uint32_t)digit;
    if (i % 4 != 0) out[size++] = (uint8_t)(v >> (6 - i % 4 * 2));
  }
  *out_size = size;
  return true;
}

/* ---- vectors ---- */

typedef struct reading {
  const skep_lazy_format *format;
  lazy_zones zones;
} reading;

static skep_status fill(reading *r, const skep_type *type, uint32_t level, skep_bytes *fields, int64_t n, skep_vec *out,
                        skep_err *err);

/* Ends a vector of n entries: fields without a text are NULL. */
static skep_status set_length(const skep_bytes *fields, int64_t n, skep_vec *out, skep_err *err) {
  int64_t nulls = 0;
  for (int64_t i = 0; i < n; i++) nulls += fields[i].at == NULL;
  out->length = n;
  if (nulls == 0) return SKEP_OK;
  SKEP_TRY(skep_vec_need_validity(out, err));
  uint8_t *bits = out->validity.data;
  for (int64_t i = 0; i < n; i++)
    if (fields[i].at == NULL) bits[i >> 3] &= (uint8_t) ~(1u << (i & 7));
  out->has_nulls = true;
  out->null_count = nulls;
  return SKEP_OK;
}

#define FILL_INTEGERS(type, min, max)                                        \
  do {                                                                       \
    type *to = out->values.data;                                             \
    for (int64_t i = 0; i < n; i++) {                                        \
      int64_t v = 0;                                                         \
      if (fields[i].at != NULL && !parse_integer(fields[i], min, max, &v)) { \
        fields[i].at = NULL;                                                 \
        v = 0;                                                               \
      }                                                                      \
      to[i] = (type)v;                                                       \
    }                                                                        \
  } while (0)

static void fill_decimals(const skep_type *type, skep_bytes *fields, int64_t n, skep_vec *out) {
  size_t width = skep_form_width(out->form);
  skep_i128 limit = 1;
  for (unsigned p = 0; p < type->precision; p++) limit *= 10;
  for (int64_t i = 0; i < n; i++) {
    skep_i128 v = 0;
    bool exact;
    if (fields[i].at != NULL &&
        (!skep_parse_decimal(skep_text_trim(fields[i]), type->scale, &v, &exact) || v >= limit || v <= -limit)) {
      fields[i].at = NULL;
      v = 0;
    }
    memcpy((uint8_t *)out->values.data + (size_t)i * width, &v, width); /* little-endian: the low bytes */
  }
}

static skep_status fill_times(reading *r, const skep_type *type, skep_bytes *fields, int64_t n, skep_vec *out,
                              skep_err *err) {
  skep_ts *to = out->values.data;
  for (int64_t i = 0; i < n; i++) {
    skep_ts ts = {0};
    bool good = false;
    if (fields[i].at != NULL && type->kind == SKEP_TIMESTAMP) {
      good = parse_ts(fields[i], &ts);
    } else if (fields[i].at != NULL) {
      SKEP_TRY(lazy_parse_instant(&r->zones, out->ctx, fields[i], &ts, &good, err));
    }
    /* Beyond 0001 to 9999 queries have no timestamps; Hive shows some of them, by the reader. */
    good = good && ts.seconds >= -INT64_C(62135596800) && ts.seconds < INT64_C(253402300800);
    if (!good) {
      fields[i].at = NULL;
      ts = (skep_ts){0};
    }
    to[i] = ts;
  }
  return SKEP_OK;
}

/* ---- texts ---- */

static bool has_escape(const skep_lazy_format *f, skep_bytes t) {
  return f->is_escaped && t.left != 0 && memchr(t.at, f->escape, t.left) != NULL;
}

/* Source: LazyUtils.copyAndEscapeStringDataToText: escape r and escape n are line ends. */
static size_t unescape(const skep_lazy_format *f, skep_bytes t, uint8_t *to) {
  size_t size = 0;
  for (size_t i = 0; i < t.left; i++) {
    uint8_t c = t.at[i];
    if (c == f->escape && i + 1 < t.left) {
      c = t.at[++i];
      c = (uint8_t)(c == 'r' ? '\r' : c == 'n' ? '\n' : c);
    }
    to[size++] = c;
  }
  return size;
}

static bool goes_to_heap(const skep_lazy_format *f, const skep_type *type, skep_bytes t) {
  return t.at != NULL && (type->kind == SKEP_BINARY || has_escape(f, t));
}

static skep_status fill_texts(reading *r, const skep_type *type, skep_bytes *fields, int64_t n, skep_vec *out,
                              skep_err *err) {
  const skep_lazy_format *f = r->format;
  size_t room = 0;
  for (int64_t i = 0; i < n; i++) room += goes_to_heap(f, type, fields[i]) ? fields[i].left + 3 : 0;
  if (room != 0) SKEP_TRY(skep_vec_reserve_heap(out, room, err)); /* once: views into it must not move */
  for (int64_t i = 0; i < n; i++) {
    skep_bytes t = fields[i];
    if (t.at == NULL) t.left = 0;
    if (goes_to_heap(f, type, t)) {
      uint8_t *to = (uint8_t *)out->heap.data + out->heap_size;
      size_t size = 0;
      if (has_escape(f, t)) {
        size = unescape(f, t, to);
        t = skep_bytes_of(to, size);
      }
      /* Source: LazyBinary: what is no Base64 is taken as it is. Bytes come out behind those that go in. */
      if (type->kind == SKEP_BINARY && decode_base64(t, to, &size)) t = skep_bytes_of(to, size);
      out->heap_size += size;
    }
    if (type->kind == SKEP_CHAR || type->kind == SKEP_VARCHAR) t = skep_text_cut(t, type->length);
    if (t.left > UINT32_MAX) return skep_fail(err, SKEP_ERR_LIMIT, "a text of %zu bytes", t.left);
    ((skep_view *)out->values.data)[i] = skep_view_of(t);
  }
  return SKEP_OK;
}

/* ---- nested values ---- */

typedef struct parts {
  const skep_ctx *ctx;
  skep_bytes *items;
  size_t n, capacity;
} parts;

static skep_status add_part(parts *p, skep_bytes part, skep_err *err) {
  if (p->n == p->capacity)
    SKEP_TRY(skep_grow(p->ctx, (void **)&p->items, &p->capacity, p->n + 1, sizeof *p->items, err));
  p->items[p->n++] = part;
  return p->n <= INT32_MAX ? SKEP_OK : skep_fail(err, SKEP_ERR_LIMIT, "more than %d elements", INT32_MAX);
}

static skep_status fill_list(reading *r, const skep_type *type, uint32_t level, skep_bytes *fields, int64_t n,
                             skep_vec *out, skep_err *err) {
  parts p = {.ctx = out->ctx};
  int32_t *offsets = out->offsets.data;
  skep_status st = SKEP_OK;
  offsets[0] = 0;
  for (int64_t i = 0; i < n && st == SKEP_OK; i++) {
    skep_bytes text = fields[i], part;
    bool more = text.at != NULL && text.left != 0; /* no text, no elements */
    while (st == SKEP_OK && next_field(r->format, r->format->separators[level], &text, &more, &part))
      st = add_part(&p, part, err);
    offsets[i + 1] = (int32_t)p.n;
  }
  if (st == SKEP_OK) st = fill(r, type->children[0], level + 1, p.items, (int64_t)p.n, &out->children[0], err);
  skep_release(out->ctx, p.items);
  return st;
}

/* Two keys of one vector. */
static bool same_key(const skep_vec *keys, int64_t a, int64_t b) {
  if (skep_kind_is_bytes(keys->type->kind)) {
    skep_bytes x = skep_vec_bytes(keys, a), y = skep_vec_bytes(keys, b);
    return x.left == y.left && (x.left == 0 || memcmp(x.at, y.at, x.left) == 0);
  }
  size_t width = skep_form_width(keys->form);
  const uint8_t *values = keys->values.data;
  return width != 0 && memcmp(values + (size_t)a * width, values + (size_t)b * width, width) == 0;
}

/* Entries whose key is NULL go, and those whose key their map has already: the first one counts (LazyMap). */
static skep_status drop_entries(skep_vec *map, parts *values, int64_t n, skep_err *err) {
  skep_vec *keys = &map->children[0];
  int32_t *offsets = map->offsets.data, *kept = skep_alloc(map->ctx, (size_t)keys->length * sizeof *kept + 1);
  if (kept == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "entries of maps");
  int32_t n_kept = 0, from = 0;
  for (int64_t i = 0; i < n; i++) {
    int32_t first = n_kept, end = offsets[i + 1];
    for (int32_t e = from; e < end; e++) {
      bool keep = skep_vec_is_valid(keys, e);
      for (int32_t k = first; k < n_kept && keep; k++) keep = !same_key(keys, kept[k], e);
      if (!keep) continue;
      values->items[n_kept] = values->items[e];
      kept[n_kept++] = e;
    }
    from = end;
    offsets[i + 1] = n_kept;
  }
  skep_status st = SKEP_OK;
  if (n_kept != keys->length) st = skep_vec_select(keys, kept, n_kept, err);
  values->n = (size_t)n_kept;
  skep_release(map->ctx, kept);
  return st;
}

static skep_status split_entries(reading *r, uint32_t level, const skep_bytes *fields, int64_t n, int32_t *offsets,
                                 parts *keys, parts *values, skep_err *err) {
  const skep_lazy_format *f = r->format;
  offsets[0] = 0;
  for (int64_t i = 0; i < n; i++) {
    skep_bytes text = fields[i], entry;
    bool more = text.at != NULL && text.left != 0;
    while (next_field(f, f->separators[level], &text, &more, &entry)) {
      const uint8_t *end = entry.at + entry.left, *at = field_end(f, f->separators[level + 1], entry.at, end);
      SKEP_TRY(add_part(keys, skep_bytes_of(entry.at, (size_t)(at - entry.at)), err));
      skep_bytes value = {NULL, 0};
      if (at < end) value = skep_bytes_of(at + 1, (size_t)(end - at - 1));
      SKEP_TRY(add_part(values, value, err));
    }
    offsets[i + 1] = (int32_t)keys->n;
  }
  return SKEP_OK;
}

static skep_status fill_map(reading *r, const skep_type *type, uint32_t level, skep_bytes *fields, int64_t n,
                            skep_vec *out, skep_err *err) {
  parts keys = {.ctx = out->ctx}, values = {.ctx = out->ctx};
  skep_status st = split_entries(r, level, fields, n, out->offsets.data, &keys, &values, err);
  if (st == SKEP_OK) st = fill(r, type->children[0], level + 2, keys.items, (int64_t)keys.n, &out->children[0], err);
  if (st == SKEP_OK) st = drop_entries(out, &values, n, err);
  if (st == SKEP_OK)
    st = fill(r, type->children[1], level + 2, values.items, (int64_t)values.n, &out->children[1], err);
  skep_release(out->ctx, keys.items);
  skep_release(out->ctx, values.items);
  return st;
}

static skep_status fill_struct(reading *r, const skep_type *type, uint32_t level, const skep_bytes *fields, int64_t n,
                               skep_vec *out, skep_err *err) {
  uint32_t n_children = type->n_children;
  if (n_children == 0) return SKEP_OK;
  if ((uint64_t)n > SIZE_MAX / sizeof(skep_bytes) / n_children)
    return skep_fail(err, SKEP_ERR_LIMIT, "%" PRId64 " structs", n);
  skep_bytes *all = skep_alloc_zero(out->ctx, (size_t)n * n_children + 1, sizeof *all);
  if (all == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "fields of structs");
  for (int64_t i = 0; i < n; i++) {
    skep_bytes text = fields[i], part;
    bool more = text.at != NULL;
    for (uint32_t c = 0; c < n_children && next_field(r->format, r->format->separators[level], &text, &more, &part);
         c++)
      all[(size_t)c * (size_t)n + (size_t)i] = part;
  }
  skep_status st = SKEP_OK;
  for (uint32_t c = 0; c < n_children && st == SKEP_OK; c++)
    st = fill(r, type->children[c], level + 1, all + (size_t)c * (size_t)n, n, &out->children[c], err);
  skep_release(out->ctx, all);
  return st;
}

/* A tag that is none makes the value NULL (Hive 4.0.1 fails there, with an index out of bounds). */
static skep_status fill_union(reading *r, const skep_type *type, uint32_t level, skep_bytes *fields, int64_t n,
                              skep_vec *out, skep_err *err) {
  const skep_lazy_format *f = r->format;
  int8_t *tags = out->values.data;
  int32_t *offsets = out->offsets.data;
  skep_status st = SKEP_OK;
  parts *p = skep_alloc_zero(out->ctx, type->n_children, sizeof *p);
  if (p == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "alternatives of a union");
  for (uint32_t c = 0; c < type->n_children; c++) p[c].ctx = out->ctx;
  for (int64_t i = 0; i < n && st == SKEP_OK; i++) {
    tags[i] = 0;
    offsets[i] = 0;
    if (fields[i].at == NULL) continue;
    int64_t tag;
    const uint8_t *end = fields[i].at + fields[i].left, *at = field_end(f, f->separators[level], fields[i].at, end);
    if (!parse_integer(skep_bytes_of(fields[i].at, (size_t)(at - fields[i].at)), 0, (int64_t)type->n_children - 1,
                       &tag)) {
      fields[i].at = NULL;
      continue;
    }
    skep_bytes value = {NULL, 0};
    if (at < end) value = skep_bytes_of(at + 1, (size_t)(end - at - 1));
    tags[i] = (int8_t)tag;
    offsets[i] = (int32_t)p[tag].n;
    st = add_part(&p[tag], value, err);
  }
  for (uint32_t c = 0; c < type->n_children && st == SKEP_OK; c++)
    st = fill(r, type->children[c], level + 1, p[c].items, (int64_t)p[c].n, &out->children[c], err);
  for (uint32_t c = 0; c < type->n_children; c++) skep_release(out->ctx, p[c].items);
  skep_release(out->ctx, p);
  return st;
}

/* ---- all types ---- */

static skep_status fill_content(reading *r, const skep_type *type, uint32_t level, skep_bytes *fields, int64_t n,
                                skep_vec *out, skep_err *err) {
  switch (type->kind) {
    case SKEP_BOOLEAN:
      for (int64_t i = 0; i < n; i++) {
        uint8_t v = 0;
        if (fields[i].at != NULL && !parse_boolean(r->format, fields[i], &v)) fields[i].at = NULL;
        ((uint8_t *)out->values.data)[i] = v;
      }
      return SKEP_OK;
    case SKEP_TINYINT:
      FILL_INTEGERS(int8_t, INT8_MIN, INT8_MAX);
      return SKEP_OK;
    case SKEP_SMALLINT:
      FILL_INTEGERS(int16_t, INT16_MIN, INT16_MAX);
      return SKEP_OK;
    case SKEP_INT:
      FILL_INTEGERS(int32_t, INT32_MIN, INT32_MAX);
      return SKEP_OK;
    case SKEP_BIGINT:
      FILL_INTEGERS(int64_t, INT64_MIN, INT64_MAX);
      return SKEP_OK;
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      for (int64_t i = 0; i < n; i++) {
        double v = 0;
        if (fields[i].at != NULL && !parse_float(fields[i], type->kind == SKEP_FLOAT ? 24 : 53, &v))
          fields[i].at = NULL;
        if (fields[i].at == NULL) v = 0;
        if (type->kind == SKEP_FLOAT) {
          ((float *)out->values.data)[i] = (float)v;
        } else {
          ((double *)out->values.data)[i] = v;
        }
      }
      return SKEP_OK;
    case SKEP_DATE:
      for (int64_t i = 0; i < n; i++) {
        int64_t days = 0;
        if (fields[i].at != NULL && !parse_date(fields[i], &days)) fields[i].at = NULL;
        ((int32_t *)out->values.data)[i] = fields[i].at == NULL ? 0 : (int32_t)days;
      }
      return SKEP_OK;
    case SKEP_DECIMAL:
      fill_decimals(type, fields, n, out);
      return SKEP_OK;
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      return fill_times(r, type, fields, n, out, err);
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
    case SKEP_BINARY:
      return fill_texts(r, type, fields, n, out, err);
    case SKEP_LIST:
      return fill_list(r, type, level, fields, n, out, err);
    case SKEP_MAP:
      return fill_map(r, type, level, fields, n, out, err);
    case SKEP_STRUCT:
      return fill_struct(r, type, level, fields, n, out, err);
    case SKEP_UNION:
      return fill_union(r, type, level, fields, n, out, err);
    case SKEP_KIND_COUNT:
      break;
  }
  return skep_fail(err, SKEP_ERR_INTERNAL, "a column of kind %d", (int)type->kind);
}

/* Recursion ends with the type, whose depth is bounded. */
static skep_status fill(reading *r, const skep_type *type, uint32_t level, skep_bytes *fields, int64_t n, skep_vec *out,
                        skep_err *err) {
  for (int64_t i = 0; i < n; i++)
    if (fields[i].at != NULL && is_null_text(r->format, fields[i])) fields[i].at = NULL;
  SKEP_TRY(skep_vec_reserve(out, n, false, err));
  SKEP_TRY(fill_content(r, type, level, fields, n, out, err));
  return set_length(fields, n, out, err);
}

/* ---- rows ---- */

/* fields[p * n + row] for each wanted position; what a line does not have stays NULL. */
static void split_rows(const skep_lazy_format *f, uint32_t n_columns, const uint32_t *positions, uint32_t n_positions,
                       const skep_bytes *lines, int64_t n, skep_bytes *fields) {
  for (int64_t i = 0; i < n; i++) {
    skep_bytes text = lines[i], part;
    bool more = true;
    uint32_t column = 0;
    for (uint32_t p = 0; p < n_positions; p++) {
      while (column < positions[p] && next_field(f, f->separators[0], &text, &more, &part)) column++;
      if (!more) break;
      if (f->rest_in_last && positions[p] + 1 == n_columns) {
        fields[(size_t)p * (size_t)n + (size_t)i] = text;
        break;
      }
      if (!next_field(f, f->separators[0], &text, &more, &part)) break;
      column++;
      fields[(size_t)p * (size_t)n + (size_t)i] = part;
    }
  }
}

skep_status skep_lazy_read(const skep_lazy_format *format, const skep_type *row, const uint32_t *positions,
                           uint32_t n_positions, const skep_bytes *lines, int64_t n_lines, skep_vec *columns,
                           skep_err *err) {
  reading r = {.format = format};
  if (n_positions == 0 || n_lines == 0) return SKEP_OK;
  if ((uint64_t)n_lines > SIZE_MAX / sizeof(skep_bytes) / n_positions)
    return skep_fail(err, SKEP_ERR_LIMIT, "%" PRId64 " lines", n_lines);
  const skep_ctx *ctx = columns[0].ctx;
  skep_bytes *fields = skep_alloc_zero(ctx, (size_t)n_lines * n_positions, sizeof *fields);
  if (fields == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "fields of %" PRId64 " lines", n_lines);
  split_rows(format, row->n_children, positions, n_positions, lines, n_lines, fields);
  skep_status st = SKEP_OK;
  for (uint32_t p = 0; p < n_positions && st == SKEP_OK; p++)
    st = fill(&r, row->children[positions[p]], 1, fields + (size_t)p * (size_t)n_lines, n_lines, &columns[p], err);
  lazy_zones_fini(&r.zones);
  skep_release(ctx, fields);
  return st;
}
