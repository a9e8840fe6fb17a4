/* Columns of numbers, dates, timestamps and decimals: blocks of values are gathered from any form, tallied, encoded.
 *
 * Sources: ORC Specification v1, "Column Encodings"; ORC Java's TimestampTreeWriter for seconds and nanoseconds. */
#include "column/calendar.h"
#include "column/text.h"
#include "column/vec_int.h"
#include "orc/writer_column.h"

enum { DAY = 86400, ORC_EPOCH = 1420070400 /* 2015-01-01 00:00:00 UTC */ };

/* ---- gathering ---- */

#define GATHER(type, out)                                                         \
  do {                                                                            \
    const type *gathered = vec->values.data;                                      \
    for (int64_t i = 0; i < e->n; i++) (out)[i] = gathered[skep_orc_entry(e, i)]; \
  } while (0)

static skep_status bad_form(const skep_orc_wcolumn *c, const skep_vec *vec, skep_err *err) {
  return skep_fail(err, SKEP_ERR_ARGUMENT, "column %u: %s in form %d", c->type->id, skep_kind_name(c->type->kind),
                   (int)vec->form);
}

static bool gather_ints(const skep_vec *vec, const skep_orc_entries *e, int64_t *out) {
  switch (vec->form) {
    case SKEP_FORM_I8:
      GATHER(int8_t, out);
      return true;
    case SKEP_FORM_I16:
      GATHER(int16_t, out);
      return true;
    case SKEP_FORM_I32:
      GATHER(int32_t, out);
      return true;
    case SKEP_FORM_I64:
      GATHER(int64_t, out);
      return true;
    default:
      return false;
  }
}

static void gather_decimals(const skep_vec *vec, const skep_orc_entries *e, skep_i128 *out) {
  const uint8_t *values = vec->values.data;
  for (int64_t i = 0; i < e->n; i++) /* lent memory need not be aligned to 16 bytes */
    memcpy(&out[i], values + sizeof *out * (size_t)skep_orc_entry(e, i), sizeof *out);
}

static skep_ts from_units(int64_t v, int64_t per_second) {
  int64_t seconds = v / per_second, rest = v % per_second;
  if (rest < 0) seconds--, rest += per_second;
  return (skep_ts){.seconds = seconds, .nanos = (int32_t)(rest * (1000000000 / per_second))};
}

static bool gather_times(const skep_vec *vec, const skep_orc_entries *e, skep_ts *out) {
  if (vec->form == SKEP_FORM_TS) {
    GATHER(skep_ts, out);
    return true;
  }
  if (vec->form != SKEP_FORM_TS_US && vec->form != SKEP_FORM_TS_NS) return false;
  int64_t per_second = vec->form == SKEP_FORM_TS_US ? 1000000 : 1000000000;
  const int64_t *values = vec->values.data;
  for (int64_t i = 0; i < e->n; i++) out[i] = from_units(values[skep_orc_entry(e, i)], per_second);
  return true;
}

/* Calls `block` with at most SKEP_ORC_BLOCK entries at a time. */
typedef skep_status write_block(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err);

static skep_status in_blocks(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, write_block *block,
                             skep_err *err) {
  for (int64_t from = 0; from < e->n; from += SKEP_ORC_BLOCK) {
    int64_t n = e->n - from < SKEP_ORC_BLOCK ? e->n - from : SKEP_ORC_BLOCK;
    skep_orc_entries part = skep_orc_entries_part(e, from, n);
    SKEP_TRY(block(c, vec, &part, err));
  }
  return SKEP_OK;
}

static void bloom_ints(skep_orc_wcolumn *c, const int64_t *values, size_t n) {
  for (size_t i = 0; c->bloom.words != NULL && i < n; i++) skep_orc_bloom_add_i64(&c->bloom, values[i]);
}

/* ---- boolean ---- */

static skep_status boolean_block(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  uint8_t bits[SKEP_ORC_BLOCK];
  int64_t n_true = 0;
  if (vec->form != SKEP_FORM_BOOL_BITS && vec->form != SKEP_FORM_BOOL_BYTES) return bad_form(c, vec, err);
  for (int64_t i = 0; i < e->n; i++) {
    int64_t at = skep_orc_entry(e, i);
    bits[i] = vec->form == SKEP_FORM_BOOL_BITS ? skep_bit_get(vec->values.data, at)
                                               : ((const uint8_t *)vec->values.data)[at] != 0;
    n_true += bits[i];
  }
  skep_bit_encoder_put(&c->bits, bits, (size_t)e->n);
  c->group.count += (uint64_t)e->n;
  c->group.sum += n_true;
  return SKEP_OK;
}

static skep_status boolean_write(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  return in_blocks(c, vec, e, boolean_block, err);
}

static uint64_t *boolean_position(skep_orc_wcolumn *c, uint64_t *at) { return skep_bit_encoder_position(&c->bits, at); }

static skep_status boolean_end(skep_orc_wcolumn *c, skep_err *err) {
  (void)err;
  skep_bit_encoder_flush(&c->bits);
  return SKEP_OK;
}

const skep_orc_wcolumn_vtab skep_orc_wcolumn_boolean = {boolean_write, boolean_position, NULL, boolean_end};

/* ---- tinyint: bytes ---- */

static skep_status tinyint_block(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  int64_t values[SKEP_ORC_BLOCK];
  uint8_t bytes[SKEP_ORC_BLOCK];
  if (!gather_ints(vec, e, values)) return bad_form(c, vec, err);
  for (int64_t i = 0; i < e->n; i++) bytes[i] = (uint8_t)values[i];
  skep_byte_encoder_put(&c->bytes, bytes, (size_t)e->n);
  skep_orc_tally_ints(&c->group, values, (size_t)e->n);
  bloom_ints(c, values, (size_t)e->n);
  return SKEP_OK;
}

static skep_status tinyint_write(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  return in_blocks(c, vec, e, tinyint_block, err);
}

static uint64_t *tinyint_position(skep_orc_wcolumn *c, uint64_t *at) {
  return skep_byte_encoder_position(&c->bytes, at);
}

static skep_status tinyint_end(skep_orc_wcolumn *c, skep_err *err) {
  (void)err;
  skep_byte_encoder_flush(&c->bytes);
  return SKEP_OK;
}

const skep_orc_wcolumn_vtab skep_orc_wcolumn_tinyint = {tinyint_write, tinyint_position, NULL, tinyint_end};

/* ---- smallint, int, bigint, date ---- */

static skep_status integer_block(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  int64_t values[SKEP_ORC_BLOCK];
  size_t n = (size_t)e->n;
  if (!gather_ints(vec, e, values)) return bad_form(c, vec, err);
  for (size_t i = 0; c->type->kind == SKEP_DATE && c->env->hybrid && i < n; i++)
    if (values[i] < SKEP_GREGORIAN_START_DAY) values[i] = skep_days_proleptic_to_hybrid(values[i]);
  skep_orc_tally_ints(&c->group, values, n);
  bloom_ints(c, values, n);
  skep_int_encoder_put(c->ints[0], values, n);
  return SKEP_OK;
}

static skep_status integer_write(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  return in_blocks(c, vec, e, integer_block, err);
}

static uint64_t *integer_position(skep_orc_wcolumn *c, uint64_t *at) {
  return skep_int_encoder_position(c->ints[0], at);
}

static skep_status integer_end(skep_orc_wcolumn *c, skep_err *err) {
  (void)err;
  skep_int_encoder_flush(c->ints[0]);
  return SKEP_OK;
}

const skep_orc_wcolumn_vtab skep_orc_wcolumn_integer = {integer_write, integer_position, NULL, integer_end};

/* ---- float, double: IEEE, little-endian ---- */

static void put_le64(skep_orc_out *out, const double *values, size_t n) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  skep_orc_out_put(out, values, n * sizeof *values);
#else
  uint64_t bits[SKEP_ORC_BLOCK];
  memcpy(bits, values, n * sizeof *bits);
  for (size_t i = 0; i < n; i++) bits[i] = __builtin_bswap64(bits[i]);
  skep_orc_out_put(out, bits, n * sizeof *bits);
#endif
}

static void put_le32(skep_orc_out *out, const float *values, size_t n) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  skep_orc_out_put(out, values, n * sizeof *values);
#else
  uint32_t bits[SKEP_ORC_BLOCK];
  memcpy(bits, values, n * sizeof *bits);
  for (size_t i = 0; i < n; i++) bits[i] = __builtin_bswap32(bits[i]);
  skep_orc_out_put(out, bits, n * sizeof *bits);
#endif
}

static skep_status float_block(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  double values[SKEP_ORC_BLOCK];
  float narrow[SKEP_ORC_BLOCK];
  size_t n = (size_t)e->n;
  if (vec->form != (c->type->kind == SKEP_FLOAT ? SKEP_FORM_F32 : SKEP_FORM_F64)) return bad_form(c, vec, err);
  if (vec->form == SKEP_FORM_F32) {
    GATHER(float, narrow);
    for (size_t i = 0; i < n; i++) values[i] = (double)narrow[i];
    put_le32(&c->outs[SKEP_ORC_OUT_DATA], narrow, n);
  } else {
    GATHER(double, values);
    put_le64(&c->outs[SKEP_ORC_OUT_DATA], values, n);
  }
  skep_orc_tally_doubles(&c->group, values, n);
  for (size_t i = 0; c->bloom.words != NULL && i < n; i++) skep_orc_bloom_add_f64(&c->bloom, values[i]);
  return SKEP_OK;
}

static skep_status float_write(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  return in_blocks(c, vec, e, float_block, err);
}

static uint64_t *float_position(skep_orc_wcolumn *c, uint64_t *at) {
  return skep_orc_out_position(&c->outs[SKEP_ORC_OUT_DATA], at);
}

const skep_orc_wcolumn_vtab skep_orc_wcolumn_float = {float_write, float_position, NULL, NULL};

/* ---- timestamps ---- */

/* Two or more zeros at the end of nine digits are cut off: the low 3 bits say how many, less one. */
static int64_t pack_nanos(int32_t nanos) {
  if (nanos == 0) return 0;
  if (nanos % 100 != 0) return (int64_t)nanos << 3;
  int64_t rest = nanos / 100;
  int64_t zeros = 1;
  for (; rest % 10 == 0 && zeros < 7; zeros++) rest /= 10;
  return rest << 3 | zeros;
}

/* Java divides milliseconds by 1000 and so rounds towards zero; readers know. What lies less than a second before 1970
 * cannot be told from what lies after it: this is the format's flaw (docs/deviations.md#timestamps), not ours to mend.
 */
static int64_t stored_seconds(skep_ts ts) {
  int64_t seconds = ts.seconds + (ts.seconds < 0 && ts.nanos > 999999 ? 1 : 0);
  return (int64_t)((uint64_t)seconds - (uint64_t)ORC_EPOCH);
}

static void to_hybrid(skep_ts *ts, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (ts[i].seconds >= (int64_t)SKEP_GREGORIAN_START_DAY * DAY) continue;
    int64_t day = ts[i].seconds / DAY, rest = ts[i].seconds % DAY;
    if (rest < 0) day--, rest += DAY;
    if (day < SKEP_GREGORIAN_START_DAY) ts[i].seconds = skep_days_proleptic_to_hybrid(day) * DAY + rest;
  }
}

static void bloom_times(skep_orc_wcolumn *c, const skep_ts *ts, size_t n) {
  for (size_t i = 0; i < n; i++) /* milliseconds; nonsense wraps */
    skep_orc_bloom_add_i64(&c->bloom, (int64_t)((uint64_t)ts[i].seconds * 1000 + (uint64_t)(ts[i].nanos / 1000000)));
}

static skep_status timestamp_block(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  skep_ts ts[SKEP_ORC_BLOCK];
  int64_t seconds[SKEP_ORC_BLOCK], nanos[SKEP_ORC_BLOCK];
  size_t n = (size_t)e->n;
  if (!gather_times(vec, e, ts)) return bad_form(c, vec, err);
  if (c->env->hybrid) to_hybrid(ts, n);
  for (size_t i = 0; i < n; i++) {
    seconds[i] = stored_seconds(ts[i]);
    nanos[i] = pack_nanos(ts[i].nanos);
  }
  skep_orc_tally_times(&c->group, ts, n);
  if (c->bloom.words != NULL) bloom_times(c, ts, n);
  skep_int_encoder_put(c->ints[0], seconds, n);
  skep_int_encoder_put(c->ints[1], nanos, n);
  return SKEP_OK;
}

static skep_status timestamp_write(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  return in_blocks(c, vec, e, timestamp_block, err);
}

static uint64_t *timestamp_position(skep_orc_wcolumn *c, uint64_t *at) {
  return skep_int_encoder_position(c->ints[1], skep_int_encoder_position(c->ints[0], at));
}

static skep_status both_ints_end(skep_orc_wcolumn *c, skep_err *err) {
  (void)err;
  skep_int_encoder_flush(c->ints[0]);
  skep_int_encoder_flush(c->ints[1]);
  return SKEP_OK;
}

const skep_orc_wcolumn_vtab skep_orc_wcolumn_timestamp = {timestamp_write, timestamp_position, NULL, both_ints_end};

/* ---- decimals: zigzag varints of the unscaled value, and its scale ---- */

enum { LONGEST = 19, VARINTS_AT_ONCE = 256 };

static uint8_t *put_varint(uint8_t *at, unsigned __int128 v) {
  for (; v >= 128; v >>= 7) *at++ = (uint8_t)(v | 0x80);
  *at++ = (uint8_t)v;
  return at;
}

static void put_varints(skep_orc_out *out, const skep_i128 *values, size_t n) {
  uint8_t bytes[VARINTS_AT_ONCE * LONGEST];
  for (size_t from = 0; from < n; from += VARINTS_AT_ONCE) {
    uint8_t *at = bytes;
    for (size_t i = from; i < n && i < from + VARINTS_AT_ONCE; i++)
      at = put_varint(at, (unsigned __int128)values[i] << 1 ^ (unsigned __int128)(values[i] >> 127));
    skep_orc_out_put(out, bytes, (size_t)(at - bytes));
  }
}

/* Seven bits a byte, for numbers below 2^56. */
static uint64_t spread_sevens(uint64_t v) {
  v = (v & UINT64_C(0x000000000fffffff)) | (v & UINT64_C(0x00fffffff0000000)) << 4;
  v = (v & UINT64_C(0x00003fff00003fff)) | (v & UINT64_C(0x0fffc0000fffc000)) << 2;
  return (v & UINT64_C(0x007f007f007f007f)) | (v & UINT64_C(0x3f803f803f803f80)) << 1;
}

/* Up to 56 bits without a branch: eight bytes are stored, the next number overwrites those that are too many. */
static void put_narrow_varints(skep_orc_out *out, const int64_t *values, size_t n) {
  uint8_t bytes[VARINTS_AT_ONCE * LONGEST];
  for (size_t from = 0; from < n; from += VARINTS_AT_ONCE) {
    uint8_t *at = bytes;
    for (size_t i = from; i < n && i < from + VARINTS_AT_ONCE; i++) {
      uint64_t v = skep_zigzag(values[i]);
      if (v >> 56 != 0) {
        at = put_varint(at, v);
        continue;
      }
      unsigned n_bytes = (63 - (unsigned)__builtin_clzll(v | 1)) / 7 + 1;
      uint64_t word = spread_sevens(v) | (UINT64_C(0x8080808080808080) & ((UINT64_C(1) << (8 * (n_bytes - 1))) - 1));
      for (unsigned k = 0; k < 8; k++) at[k] = (uint8_t)(word >> (8 * k)); /* one store */
      at += n_bytes;
    }
    skep_orc_out_put(out, bytes, (size_t)(at - bytes));
  }
}

/* Hashed as the text that Java prints: without trailing zeros. */
static skep_status bloom_decimals(skep_orc_wcolumn *c, const skep_i128 *values, size_t n, skep_err *err) {
  skep_buf *text = &c->env->scratch;
  for (size_t i = 0; i < n; i++) {
    skep_buf_reset(text);
    skep_text_decimal(values[i], c->type->scale, true, text);
    SKEP_TRY(skep_buf_check(text, "bloom filter", err));
    skep_orc_bloom_add_bytes(&c->bloom, skep_bytes_of(text->data, text->size));
  }
  return SKEP_OK;
}

static skep_status wide_decimals(skep_orc_wcolumn *c, const skep_i128 *values, size_t n, skep_err *err) {
  skep_orc_tally_decimals(&c->group, values, n);
  put_varints(&c->outs[SKEP_ORC_OUT_DATA], values, n);
  return c->bloom.words != NULL ? bloom_decimals(c, values, n, err) : SKEP_OK;
}

static skep_status narrow_decimals(skep_orc_wcolumn *c, const int64_t *values, size_t n, skep_err *err) {
  skep_i128 wide[SKEP_ORC_BLOCK];
  skep_orc_tally_narrow_decimals(&c->group, values, n);
  put_narrow_varints(&c->outs[SKEP_ORC_OUT_DATA], values, n);
  if (c->bloom.words == NULL) return SKEP_OK;
  for (size_t i = 0; i < n; i++) wide[i] = values[i];
  return bloom_decimals(c, wide, n, err);
}

static skep_status decimal_block(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  skep_i128 wide[SKEP_ORC_BLOCK];
  int64_t narrow[SKEP_ORC_BLOCK];
  size_t n = (size_t)e->n;
  if (vec->form == SKEP_FORM_I128) {
    gather_decimals(vec, e, wide);
    SKEP_TRY(wide_decimals(c, wide, n, err));
  } else {
    if (!gather_ints(vec, e, narrow)) return bad_form(c, vec, err);
    SKEP_TRY(narrow_decimals(c, narrow, n, err));
  }
  for (size_t i = 0; i < n; i++) narrow[i] = c->type->scale;
  skep_int_encoder_put(c->ints[1], narrow, n);
  return SKEP_OK;
}

static skep_status decimal_write(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  return in_blocks(c, vec, e, decimal_block, err);
}

static uint64_t *decimal_position(skep_orc_wcolumn *c, uint64_t *at) {
  return skep_int_encoder_position(c->ints[1], skep_orc_out_position(&c->outs[SKEP_ORC_OUT_DATA], at));
}

const skep_orc_wcolumn_vtab skep_orc_wcolumn_decimal = {decimal_write, decimal_position, NULL, both_ints_end};
