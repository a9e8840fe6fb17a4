/* Conversion of values between the type in a file and the wanted one: what Hive shows after ALTER TABLE CHANGE COLUMN.
 *
 * Source: ORC Java ConvertTreeReaderFactory; its oddities are kept where golden tables show them: floats become text
 * and decimals as doubles, binary becomes text as hex pairs, booleans as TRUE and FALSE. A value that does not convert
 * is NULL. */
#include "orc/convert.h"

#include <math.h>

#include "column/calendar.h"
#include "column/text.h"

const skep_forms skep_orc_convert_forms = {0};

static bool is_number(skep_kind k) { return k <= SKEP_DECIMAL; }
static bool is_text(skep_kind k) { return k == SKEP_STRING || k == SKEP_CHAR || k == SKEP_VARCHAR; }
static bool is_time(skep_kind k) { return k == SKEP_TIMESTAMP || k == SKEP_TIMESTAMP_TZ; }

bool skep_orc_can_convert(const skep_type *file, const skep_type *target) {
  skep_kind from = file->kind, to = target->kind;
  if (skep_kind_is_nested(from) || skep_kind_is_nested(to)) return false;
  if (is_text(from)) return true;
  if (is_number(from)) return to != SKEP_BINARY && to != SKEP_DATE;
  if (is_time(from)) return to != SKEP_BINARY;
  if (from == SKEP_DATE) return is_text(to) || is_time(to) || to == SKEP_DATE;
  return is_text(to) || to == SKEP_BINARY; /* binary */
}

/* One value on its way, in the widest form of its family. */
typedef struct value {
  enum { AS_BOOL, AS_INT, AS_FLOAT, AS_DOUBLE, AS_DECIMAL, AS_TEXT, AS_BINARY, AS_DATE, AS_TS } family;
  skep_orc_conversion how; /* only old ones know AS_FLOAT */
  int64_t i64;             /* booleans, integers, days */
  double f64;
  skep_i128 decimal;
  unsigned scale;
  skep_bytes bytes;
  skep_ts ts;
} value;

static value load(const skep_vec *from, int64_t i, skep_orc_conversion how) {
  const void *data = from->values.data;
  value v = {.family = AS_INT, .how = how};
  switch (from->type->kind) {
    case SKEP_BOOLEAN:
      v.family = AS_BOOL;
      v.i64 = ((const uint8_t *)data)[i >> 3] >> (i & 7) & 1;
      break;
    case SKEP_TINYINT:
      v.i64 = ((const int8_t *)data)[i];
      break;
    case SKEP_SMALLINT:
      v.i64 = ((const int16_t *)data)[i];
      break;
    case SKEP_INT:
      v.i64 = ((const int32_t *)data)[i];
      break;
    case SKEP_BIGINT:
      v.i64 = ((const int64_t *)data)[i];
      break;
    case SKEP_FLOAT:
      v.family = how.old ? AS_FLOAT : AS_DOUBLE;
      v.f64 = (double)((const float *)data)[i];
      break;
    case SKEP_DOUBLE:
      v.family = AS_DOUBLE;
      v.f64 = ((const double *)data)[i];
      break;
    case SKEP_DECIMAL:
      v.family = AS_DECIMAL;
      v.decimal = ((const skep_i128 *)data)[i];
      v.scale = from->type->scale;
      break;
    case SKEP_DATE:
      v.family = AS_DATE;
      v.i64 = ((const int32_t *)data)[i];
      break;
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      v.family = AS_TS;
      v.ts = ((const skep_ts *)data)[i];
      break;
    default:
      v.family = from->type->kind == SKEP_BINARY ? AS_BINARY : AS_TEXT;
      v.bytes = skep_vec_bytes(from, i);
      /* The blanks that fill a CHAR are no part of its value: Hive drops them before it converts. */
      while (from->type->kind == SKEP_CHAR && v.bytes.left > 0 && v.bytes.at[v.bytes.left - 1] == ' ') v.bytes.left--;
  }
  return v;
}

/* ---- to numbers ---- */

/* Java's parsers of numbers pass over blanks at both ends only for floating point. */
static skep_bytes trim(skep_bytes text) {
  while (text.left > 0 && text.at[0] <= ' ') text.at++, text.left--;
  while (text.left > 0 && text.at[text.left - 1] <= ' ') text.left--;
  return text;
}

static bool parse_double(skep_bytes text, double *out) {
  text = trim(text);
  if (text.left > 1) {
    uint8_t last = text.at[text.left - 1] | 0x20, before = text.at[text.left - 2];
    bool suffix = (last == 'd' || last == 'f') && ((before >= '0' && before <= '9') || before == '.'); /* Java: 1.5d */
    if (suffix) text.left--;
  }
  return skep_parse_f64(text, out);
}

static skep_i128 power_of_ten(unsigned n) {
  skep_i128 p = 1;
  while (n-- > 0) p *= 10;
  return p;
}

/* The whole part of a decimal, cut towards zero; false outside 64 bits. */
static bool whole_of(skep_i128 decimal, unsigned scale, int64_t *out) {
  skep_i128 whole = decimal / power_of_ten(scale);
  *out = (int64_t)whole;
  return whole == *out;
}

static bool to_i64(const value *v, int64_t *out) {
  switch (v->family) {
    case AS_BOOL:
    case AS_INT:
      *out = v->i64;
      return true;
    case AS_FLOAT:
    case AS_DOUBLE:
      if (!(v->f64 > -0x1p63 - 1.0 && v->f64 < 0x1p63)) return false; /* also NaN */
      *out = (int64_t)v->f64;
      return true;
    case AS_DECIMAL:
      return whole_of(v->decimal, v->scale, out);
    case AS_TEXT:
      return skep_parse_i64(v->bytes, out);
    case AS_TS:
      *out = v->ts.seconds;
      return true;
    default:
      return false;
  }
}

static double seconds_of(skep_ts ts) { return (double)ts.seconds + (double)ts.nanos / 1e9; }

static bool to_f64(const value *v, skep_buf *scratch, double *out) {
  switch (v->family) {
    case AS_BOOL:
    case AS_INT:
      *out = (double)v->i64;
      return true;
    case AS_DOUBLE:
      *out = v->f64;
      return true;
    case AS_FLOAT:
    case AS_DECIMAL: /* through text: the only way that rounds once */
      skep_buf_reset(scratch);
      if (v->family == AS_FLOAT) {
        skep_text_f32((float)v->f64, scratch);
      } else {
        skep_text_decimal(v->decimal, v->scale, false, scratch);
      }
      return scratch->status == SKEP_OK && skep_parse_f64(skep_bytes_of(scratch->data, scratch->size), out);
    case AS_TEXT:
      return parse_double(v->bytes, out);
    case AS_TS:
      *out = seconds_of(v->ts);
      return true;
    default:
      return false;
  }
}

/* Rounds half away from zero to the wanted scale; false when there are too many digits. */
static bool fit_decimal(skep_i128 decimal, unsigned scale, const skep_type *type, skep_i128 *out) {
  if (scale < type->scale) {
    if (__builtin_mul_overflow(decimal, power_of_ten(type->scale - scale), &decimal)) return false;
  } else if (scale > type->scale) {
    skep_i128 divisor = power_of_ten(scale - type->scale), rest = decimal % divisor;
    decimal /= divisor;
    if (rest < 0 ? -rest >= divisor + rest : rest >= divisor - rest) decimal += rest < 0 ? -1 : 1;
  }
  skep_i128 most = power_of_ten(type->precision) - 1;
  *out = decimal;
  return decimal <= most && decimal >= -most;
}

static bool text_to_decimal(skep_bytes text, const skep_type *type, skep_i128 *out) {
  bool exact;
  skep_i128 most = power_of_ten(type->precision) - 1;
  return skep_parse_decimal(trim(text), type->scale, out, &exact) && *out <= most && *out >= -most;
}

static bool double_to_decimal(double f, bool is_float, const skep_type *type, skep_buf *scratch, skep_i128 *out) {
  if (!isfinite(f)) return false;
  skep_buf_reset(scratch);
  if (is_float) {
    skep_text_f32((float)f, scratch);
  } else {
    skep_text_f64(f, scratch);
  }
  return scratch->status == SKEP_OK && text_to_decimal(skep_bytes_of(scratch->data, scratch->size), type, out);
}

static bool to_decimal(const value *v, const skep_type *type, skep_buf *scratch, skep_i128 *out) {
  switch (v->family) {
    case AS_BOOL:
    case AS_INT:
      return fit_decimal(v->i64, 0, type, out);
    case AS_FLOAT:
    case AS_DOUBLE:
      return double_to_decimal(v->f64, v->family == AS_FLOAT, type, scratch, out);
    case AS_DECIMAL:
      return fit_decimal(v->decimal, v->scale, type, out);
    case AS_TEXT:
      return text_to_decimal(v->bytes, type, out);
    case AS_TS:
      if (v->how.old) return double_to_decimal(seconds_of(v->ts), false, type, scratch, out);
      return fit_decimal((skep_i128)v->ts.seconds * 1000000000 + v->ts.nanos, 9, type, out);
    default:
      return false;
  }
}

/* ---- to points in time ---- */

static bool split_units(skep_i128 amount, skep_i128 per_second, skep_ts *out) {
  skep_i128 seconds = amount / per_second, rest = amount % per_second;
  if (rest < 0) seconds--, rest += per_second;
  if (seconds > 31556889864403199 || seconds < -31557014167219200) return false; /* the range of java.time.Instant */
  *out = (skep_ts){.seconds = (int64_t)seconds, .nanos = (int32_t)(rest * (1000000000 / per_second))};
  return true;
}

/* Whether the text begins as the shape says: 'd' is a digit, others are themselves. */
static bool has_shape(skep_bytes text, const char *shape) {
  for (size_t i = 0; shape[i] != '\0'; i++) {
    if (i == text.left) return false;
    if (shape[i] == 'd' ? text.at[i] < '0' || text.at[i] > '9' : text.at[i] != (uint8_t)shape[i]) return false;
  }
  return true;
}

/* yyyy-MM-dd HH:mm[:ss[.f]], for instants with a zone behind; a date alone is no timestamp. Old: seconds are needed,
 * and fields may lack leading zeros. 24:00:00 is the end of the day. */
static bool text_to_ts(skep_bytes text, bool is_instant, bool old, skep_ts *out) {
  char full[64];
  if (is_instant) {
    bool utc = text.left > 4 && memcmp(text.at + text.left - 4, " UTC", 4) == 0;
    bool z = text.left > 2 && memcmp(text.at + text.left - 2, " Z", 2) == 0;
    if (!utc && !z) return false;
    text.left -= utc ? 4 : 2;
  }
  size_t colons = 0;
  for (size_t i = 0; i < text.left; i++) {
    colons += text.at[i] == ':';
    if (text.at[i] == 'T') return false;
  }
  if (colons == 0 || (old && colons == 1) || text.left > sizeof full - 4) return false;
  if (!old && !has_shape(text, colons == 1 ? "dddd-dd-dd dd:dd" : "dddd-dd-dd dd:dd:dd")) return false;
  memcpy(full, text.at, text.left);
  if (colons == 1) {
    memcpy(full + text.left, ":00", 3);
    text.left += 3;
  }
  bool is_end_of_day = !old && text.left == 19 && memcmp(full + 11, "24:00:00", 8) == 0;
  if (is_end_of_day) full[11] = full[12] = '0';
  if (!skep_parse_ts(skep_bytes_of(full, text.left), out)) return false;
  if (is_end_of_day) out->seconds += 86400;
  return true;
}

/* The day of a point in time in the other calendar, at the same time of day. */
static skep_ts shift_days(skep_ts ts, int64_t (*shift)(int64_t)) {
  int64_t day = ts.seconds / 86400 - (ts.seconds % 86400 < 0);
  ts.seconds += (shift(day) - day) * 86400;
  return ts;
}

static bool to_ts(const value *v, bool is_instant, skep_ts *out) {
  switch (v->family) {
    case AS_BOOL:
    case AS_INT:
      return split_units(v->i64, v->how.old ? 1000 : 1, out);
    case AS_FLOAT:
    case AS_DOUBLE: {
      double millis = floor(v->f64 * 1000 + 0.5); /* Math.round */
      if (!(millis >= -0x1p63 && millis < 0x1p63)) return false;
      return split_units((skep_i128)millis, 1000, out);
    }
    case AS_DECIMAL: {
      skep_i128 nanos = v->decimal, most = power_of_ten(38) - 1;
      if (v->scale > 9) nanos /= power_of_ten(v->scale - 9);
      if (v->scale < 9 && __builtin_mul_overflow(nanos, power_of_ten(9 - v->scale), &nanos)) return false;
      return nanos <= most && nanos >= -most && split_units(nanos, 1000000000, out);
    }
    case AS_TEXT:
      if (!text_to_ts(v->bytes, is_instant, v->how.old, out)) return false;
      if (v->how.hybrid_texts) *out = shift_days(*out, skep_days_proleptic_to_hybrid);
      return true;
    case AS_DATE:
      *out = (skep_ts){.seconds = v->i64 * 86400};
      return true;
    case AS_TS:
      *out = v->ts;
      return true;
    default:
      return false;
  }
}

static bool to_days(const value *v, int64_t *out) {
  if (v->family == AS_TEXT) {
    if (!v->how.old && (v->bytes.left != 10 || !has_shape(v->bytes, "dddd-dd-dd"))) return false;
    if (!skep_parse_date(v->bytes, out)) return false;
    if (v->how.hybrid_texts) *out = skep_days_proleptic_to_hybrid(*out);
    return true;
  }
  if (v->family != AS_TS) return false;
  *out = v->ts.seconds / 86400 - (v->ts.seconds % 86400 < 0);
  return true;
}

/* ---- to text ---- */

static void add_hex(skep_bytes bytes, skep_buf *out) {
  static const char DIGITS[] = "0123456789abcdef";
  for (size_t i = 0; i < bytes.left; i++) {
    if (i > 0) skep_buf_byte(out, ' ');
    skep_buf_byte(out, (uint8_t)DIGITS[bytes.at[i] >> 4]);
    skep_buf_byte(out, (uint8_t)DIGITS[bytes.at[i] & 15]);
  }
}

/* Appends the value's text; false: NULL. */
static bool add_text(const value *v, const skep_type *from, skep_buf *out) {
  switch (v->family) {
    case AS_BOOL:
      return skep_buf_text(out, v->i64 != 0 ? "TRUE" : "FALSE");
    case AS_INT:
      return skep_buf_i64(out, v->i64);
    case AS_FLOAT:
      if (isnan(v->f64)) return false;
      skep_text_f32((float)v->f64, out);
      return true;
    case AS_DOUBLE:
      if (isnan(v->f64)) return false;
      skep_text_f64(v->f64, out);
      return true;
    case AS_DECIMAL:
      skep_text_decimal(v->decimal, v->scale, true, out);
      return true;
    case AS_TEXT:
      return skep_buf_add(out, v->bytes.at, v->bytes.left);
    case AS_BINARY:
      add_hex(v->bytes, out);
      return true;
    case AS_DATE:
      skep_text_date(v->how.hybrid_texts ? skep_days_hybrid_to_proleptic(v->i64) : v->i64, out);
      return true;
    default:
      skep_text_ts(v->how.hybrid_texts ? shift_days(v->ts, skep_days_hybrid_to_proleptic) : v->ts, out);
      if (v->how.old && v->ts.nanos == 0) skep_buf_text(out, ".0"); /* java.sql.Timestamp */
      if (from->kind == SKEP_TIMESTAMP_TZ) skep_buf_text(out, " UTC");
      return true;
  }
}

/* Length in bytes of the first `n` code points (bytes that start one are counted). */
static size_t cut(const uint8_t *text, size_t length, uint32_t n) {
  size_t i = 0;
  for (uint32_t seen = 0; i < length; i++) {
    if ((text[i] & 0xc0) == 0x80) continue;
    if (seen++ == n) break;
  }
  return i;
}

static size_t limit_text(const skep_type *type, const uint8_t *text, size_t length) {
  if (type->kind != SKEP_CHAR && type->kind != SKEP_VARCHAR) return length;
  length = cut(text, length, type->length);
  while (type->kind == SKEP_CHAR && length > 0 && text[length - 1] == ' ') length--;
  return length;
}

/* ---- vectors ---- */

static bool downcast(int64_t v, skep_kind kind, void *data, int64_t i) {
  switch (kind) {
    case SKEP_TINYINT:
      ((int8_t *)data)[i] = (int8_t)v;
      return v == (int8_t)v;
    case SKEP_SMALLINT:
      ((int16_t *)data)[i] = (int16_t)v;
      return v == (int16_t)v;
    case SKEP_INT:
    case SKEP_DATE:
      ((int32_t *)data)[i] = (int32_t)v;
      return v == (int32_t)v;
    default:
      ((int64_t *)data)[i] = v;
      return true;
  }
}

static void put_bool(skep_vec *to, int64_t i, bool bit) {
  uint8_t *data = to->values.data;
  if (to->form == SKEP_FORM_BOOL_BYTES) {
    data[i] = bit;
  } else if (bit) {
    data[i >> 3] |= (uint8_t)(1u << (i & 7));
  }
}

static void put_decimal(skep_vec *to, int64_t i, skep_i128 v) {
  switch (to->form) {
    case SKEP_FORM_I16:
      ((int16_t *)to->values.data)[i] = (int16_t)v;
      return;
    case SKEP_FORM_I32:
      ((int32_t *)to->values.data)[i] = (int32_t)v;
      return;
    case SKEP_FORM_I64:
      ((int64_t *)to->values.data)[i] = (int64_t)v;
      return;
    default:
      ((skep_i128 *)to->values.data)[i] = v;
  }
}

static skep_status put_ts(skep_vec *to, int64_t i, skep_ts ts, skep_err *err) {
  if (to->form == SKEP_FORM_TS) {
    ((skep_ts *)to->values.data)[i] = ts;
    return SKEP_OK;
  }
  skep_i128 units = to->form == SKEP_FORM_TS_US ? (skep_i128)ts.seconds * 1000000 + ts.nanos / 1000
                                                : (skep_i128)ts.seconds * 1000000000 + ts.nanos;
  ((int64_t *)to->values.data)[i] = (int64_t)units;
  if (units == (int64_t)units) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_RANGE, "timestamp of second %lld does not fit 64-bit %s", (long long)ts.seconds,
                   to->form == SKEP_FORM_TS_US ? "microseconds" : "nanoseconds");
}

/* Stores one value of a fixed-width kind; *fits false: NULL. */
static skep_status put(const value *v, skep_vec *to, int64_t i, skep_buf *scratch, bool *fits, skep_err *err) {
  int64_t n = 0;
  double f = 0;
  skep_i128 decimal = 0;
  skep_ts ts = {0};
  skep_status st = SKEP_OK;
  switch (to->type->kind) {
    case SKEP_BOOLEAN:
      *fits = v->family == AS_DECIMAL || to_i64(v, &n);
      put_bool(to, i, *fits && (v->family == AS_DECIMAL ? v->decimal != 0 : n != 0));
      return SKEP_OK;
    case SKEP_FLOAT:
      *fits = to_f64(v, scratch, &f);
      ((float *)to->values.data)[i] = (float)f;
      return SKEP_OK;
    case SKEP_DOUBLE:
      *fits = to_f64(v, scratch, &f);
      ((double *)to->values.data)[i] = f;
      return SKEP_OK;
    case SKEP_DECIMAL:
      *fits = to_decimal(v, to->type, scratch, &decimal);
      put_decimal(to, i, *fits ? decimal : 0);
      return SKEP_OK;
    case SKEP_DATE:
      *fits = to_days(v, &n) && downcast(n, SKEP_DATE, to->values.data, i);
      return SKEP_OK;
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      *fits = to_ts(v, to->type->kind == SKEP_TIMESTAMP_TZ, &ts);
      if (*fits) st = put_ts(to, i, ts, err);
      return st;
    default:
      *fits = to_i64(v, &n) && downcast(n, to->type->kind, to->values.data, i);
      return SKEP_OK;
  }
}

static skep_status make_null(skep_vec *to, int64_t i, skep_err *err) {
  if (!to->has_nulls) {
    SKEP_TRY(skep_vec_need_validity(to, err));
    to->has_nulls = true;
    to->null_count = 0;
  }
  ((uint8_t *)to->validity.data)[i >> 3] &= (uint8_t) ~(1u << (i & 7));
  to->null_count++;
  return SKEP_OK;
}

static skep_status convert_fixed(const skep_vec *from, skep_vec *to, skep_orc_conversion how, skep_err *err) {
  skep_buf scratch;
  skep_buf_init(&scratch, from->ctx, 1 << 16);
  skep_status st = SKEP_OK;
  for (int64_t i = 0; i < from->length && st == SKEP_OK; i++) {
    if (!skep_vec_is_valid(from, i)) continue;
    bool fits = false;
    value v = load(from, i, how);
    st = put(&v, to, i, &scratch, &fits, err);
    if (st == SKEP_OK && !fits) st = make_null(to, i, err);
  }
  skep_buf_fini(&scratch);
  return st;
}

/* Texts are joined in one buffer, then laid out in the form wanted. ends[i]: where entry i ends. */
static skep_status lay_out(skep_vec *to, const skep_buf *texts, const int32_t *ends, int64_t n, skep_err *err) {
  SKEP_TRY(skep_vec_reserve_heap(to, texts->size, err));
  if (texts->size > 0) memcpy(to->heap.data, texts->data, texts->size);
  to->heap_size = texts->size;
  int32_t start = 0;
  if (to->form == SKEP_FORM_STR) ((int32_t *)to->offsets.data)[0] = 0;
  for (int64_t i = 0; i < n; i++) {
    uint32_t length = (uint32_t)(ends[i] - start);
    if (to->form == SKEP_FORM_STR) {
      ((int32_t *)to->offsets.data)[i + 1] = ends[i];
    } else {
      const uint8_t *at = length == 0 ? NULL : (const uint8_t *)to->heap.data + start;
      skep_view view = {.inlined = {.length = length}};
      if (length > 0 && length <= sizeof view.inlined.bytes) memcpy(view.inlined.bytes, at, length);
      if (length > sizeof view.inlined.bytes) {
        memcpy(view.far.prefix, at, sizeof view.far.prefix);
        view.far.at = at;
      }
      ((skep_view *)to->values.data)[i] = view;
    }
    start = ends[i];
  }
  return SKEP_OK;
}

static skep_status convert_text(const skep_vec *from, skep_vec *to, skep_orc_conversion how, skep_err *err) {
  skep_buf texts;
  uint64_t most = from->ctx->limits.max_batch_bytes;
  skep_buf_init(&texts, from->ctx, most > INT32_MAX ? INT32_MAX : (size_t)most);
  int32_t *ends = skep_alloc_zero(from->ctx, (size_t)from->length + 1, sizeof *ends);
  skep_status st = ends == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "converted texts") : SKEP_OK;
  for (int64_t i = 0; i < from->length && st == SKEP_OK; i++) {
    size_t start = texts.size;
    if (skep_vec_is_valid(from, i)) {
      value v = load(from, i, how);
      bool fits = add_text(&v, from->type, &texts);
      st = skep_buf_check(&texts, "converted texts", err);
      if (st == SKEP_OK && fits && texts.size > start)
        texts.size = start + limit_text(to->type, texts.data + start, texts.size - start);
      if (st == SKEP_OK && !fits) st = make_null(to, i, err);
    }
    ends[i] = (int32_t)texts.size;
  }
  if (st == SKEP_OK) st = lay_out(to, &texts, ends, from->length, err);
  skep_release(from->ctx, ends);
  skep_buf_fini(&texts);
  return st;
}

/* Binary takes the bytes of a text as they are. */
static skep_status convert_binary(const skep_vec *from, skep_vec *to, skep_orc_conversion how, skep_err *err) {
  skep_type text = *from->type;
  if (text.kind != SKEP_CHAR) text.kind = SKEP_STRING;
  skep_vec plain = *from;
  plain.type = &text;
  return convert_text(&plain, to, how, err);
}

skep_status skep_orc_convert(const skep_vec *from, skep_vec *to, skep_orc_conversion how, skep_err *err) {
  if (to->form == SKEP_FORM_DICT) to->form = SKEP_FORM_STR;
  SKEP_TRY(skep_vec_reserve(to, from->length, from->has_nulls, err));
  to->length = from->length;
  to->has_nulls = from->has_nulls;
  to->null_count = from->null_count;
  size_t n = (size_t)from->length; /* 0 below empty lists: the buffers may be NULL then */
  if (n > 0 && from->has_nulls) memcpy(to->validity.data, from->validity.data, (n + 7) / 8);
  if (n > 0 && to->form == SKEP_FORM_BOOL_BITS) {
    memset(to->values.data, 0, (n + 7) / 8);
  } else if (n > 0 && skep_form_width(to->form) > 0) {
    memset(to->values.data, 0, n * skep_form_width(to->form));
  }
  if (to->type->kind == SKEP_BINARY) return convert_binary(from, to, how, err);
  if (is_text(to->type->kind)) return convert_text(from, to, how, err);
  return convert_fixed(from, to, how, err);
}
