/* Boolean, tinyint, smallint, int, bigint, float and double columns. Source: ORC Specification v1, "Column Encodings".
 */
#include "orc/column.h"
#include "orc/spread.h"

static void spread(skep_vec *vec, size_t width, int64_t n, int64_t n_values) {
  if (vec->has_nulls) skep_spread(vec->values.data, width, vec->validity.data, (size_t)n, (size_t)n_values);
}

/* ---- boolean: bits ---- */

static skep_status boolean_start(skep_orc_column *c, skep_err *err) {
  (void)err;
  skep_rle_bit_init(&c->bits, &c->stream[SKEP_ORC_STREAM_FIRST]);
  return SKEP_OK;
}

static skep_status boolean_next(skep_orc_column *c, skep_vec *vec, int64_t n, int64_t n_values, skep_err *err) {
  bool direct = vec->form == SKEP_FORM_BOOL_BITS && !vec->has_nulls;
  void *packed = vec->values.data;
  size_t n_set;
  if (!direct) SKEP_TRY(skep_orc_column_scratch(c, 0, (size_t)n_values / 8 + 9, 1, &packed, err));
  SKEP_TRY(skep_rle_bit_next(&c->bits, packed, 0, (size_t)n_values, &n_set, err));
  if (vec->form == SKEP_FORM_BOOL_BYTES) {
    skep_bits_to_bytes(packed, vec->values.data, (size_t)n_values);
    spread(vec, 1, n, n_values);
  } else if (!direct) {
    skep_spread_bits(packed, vec->values.data, vec->validity.data, (size_t)n);
  }
  return SKEP_OK;
}

static skep_status boolean_skip(skep_orc_column *c, uint64_t n_values, skep_err *err) {
  return skep_rle_bit_skip(&c->bits, n_values, NULL, err);
}

static skep_status boolean_seek(skep_orc_column *c, skep_orc_positions *at, skep_err *err) {
  return skep_orc_seek_bits(&c->bits, at, err);
}

const skep_orc_column_vtab skep_orc_column_boolean = {boolean_start, boolean_next, boolean_skip, boolean_seek};

/* ---- tinyint: byte runs ---- */

static skep_status tinyint_start(skep_orc_column *c, skep_err *err) {
  (void)err;
  skep_rle_byte_init(&c->bytes, &c->stream[SKEP_ORC_STREAM_FIRST]);
  return SKEP_OK;
}

static skep_status tinyint_next(skep_orc_column *c, skep_vec *vec, int64_t n, int64_t n_values, skep_err *err) {
  SKEP_TRY(skep_rle_byte_next(&c->bytes, vec->values.data, (size_t)n_values, err));
  spread(vec, 1, n, n_values);
  return SKEP_OK;
}

static skep_status tinyint_skip(skep_orc_column *c, uint64_t n_values, skep_err *err) {
  return skep_rle_byte_skip(&c->bytes, n_values, err);
}

static skep_status tinyint_seek(skep_orc_column *c, skep_orc_positions *at, skep_err *err) {
  return skep_orc_seek_bytes(&c->bytes, at, err);
}

const skep_orc_column_vtab skep_orc_column_tinyint = {tinyint_start, tinyint_next, tinyint_skip, tinyint_seek};

/* ---- integers: signed runs ---- */

static skep_status integer_start(skep_orc_column *c, skep_err *err) {
  (void)err;
  skep_rle_int_init(c->ints[0], &c->stream[SKEP_ORC_STREAM_FIRST], c->v2, true);
  return SKEP_OK;
}

static skep_status integer_next(skep_orc_column *c, skep_vec *vec, int64_t n, int64_t n_values, skep_err *err) {
  size_t count = (size_t)n_values;
  switch (vec->form) {
    case SKEP_FORM_I16:
      SKEP_TRY(skep_rle_int_next_i16(c->ints[0], vec->values.data, count, err));
      break;
    case SKEP_FORM_I32:
      SKEP_TRY(skep_rle_int_next_i32(c->ints[0], vec->values.data, count, err));
      break;
    default:
      SKEP_TRY(skep_rle_int_next(c->ints[0], vec->values.data, count, err));
  }
  spread(vec, skep_form_width(vec->form), n, n_values);
  return SKEP_OK;
}

static skep_status integer_skip(skep_orc_column *c, uint64_t n_values, skep_err *err) {
  return skep_rle_int_skip(c->ints[0], n_values, err);
}

static skep_status integer_seek(skep_orc_column *c, skep_orc_positions *at, skep_err *err) {
  return skep_orc_seek_ints(c->ints[0], at, err);
}

const skep_orc_column_vtab skep_orc_column_integer = {integer_start, integer_next, integer_skip, integer_seek};

/* ---- float and double: little-endian IEEE 754, as they are in memory ---- */

static size_t float_width(const skep_orc_column *c) { return c->file->kind == SKEP_FLOAT ? 4 : 8; }

static skep_status float_next(skep_orc_column *c, skep_vec *vec, int64_t n, int64_t n_values, skep_err *err) {
  size_t width = float_width(c);
  SKEP_TRY(skep_orc_stream_copy(&c->stream[SKEP_ORC_STREAM_FIRST], vec->values.data, (size_t)n_values * width, err));
  spread(vec, width, n, n_values);
  return SKEP_OK;
}

static skep_status float_skip(skep_orc_column *c, uint64_t n_values, skep_err *err) {
  skep_orc_stream *s = &c->stream[SKEP_ORC_STREAM_FIRST];
  uint64_t width = float_width(c);
  if (n_values > UINT64_MAX / width) return skep_orc_stream_short(s, SIZE_MAX, "values", err);
  return skep_orc_stream_skip(s, n_values * width, err);
}

static skep_status float_seek(skep_orc_column *c, skep_orc_positions *at, skep_err *err) {
  return skep_orc_seek_stream(&c->stream[SKEP_ORC_STREAM_FIRST], at, err);
}

const skep_orc_column_vtab skep_orc_column_float = {NULL, float_next, float_skip, float_seek};
