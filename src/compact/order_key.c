/* See order_key.h: a byte for NULL or not, then the value, most significant byte first; inverted where the order is
 * descending. */
#include "compact/order_key.h"

#include <math.h>

skep_status skep_order_check(const skep_type *row, const skep_compact_order *order, uint32_t n, skep_err *err) {
  for (uint32_t i = 0; i < n; i++) {
    if (order[i].column >= row->n_children)
      return skep_fail(err, SKEP_ERR_ARGUMENT, "ORDER BY column %u of %u", order[i].column + 1, row->n_children);
    char name[128];
    const char *text = row->names[order[i].column];
    if (skep_kind_is_nested(row->children[order[i].column]->kind))
      return skep_fail(err, SKEP_ERR_ARGUMENT, "rows cannot be ordered by %s, which is %s",
                       skep_quote(name, sizeof name, text, strlen(text)),
                       skep_kind_name(row->children[order[i].column]->kind));
  }
  return SKEP_OK;
}

static void put_be(skep_buf *out, uint64_t v, int n_bytes) {
  for (int i = n_bytes - 1; i >= 0; i--) skep_buf_byte(out, (uint8_t)(v >> (8 * i)));
}

static void put_signed(skep_buf *out, int64_t v) { put_be(out, (uint64_t)v ^ (UINT64_C(1) << 63), 8); }

/* Both zeros are equal, NaN is above everything: as Java's Double.compare, but for -0.0. */
static void put_double(skep_buf *out, double v) {
  uint64_t bits;
  if (isnan(v)) v = NAN;
  if (v == 0) v = 0;
  memcpy(&bits, &v, sizeof bits);
  if (isnan(v)) bits = UINT64_C(0x7ff8) << 48;
  put_be(out, bits >> 63 != 0 ? ~bits : bits | UINT64_C(1) << 63, 8);
}

static void put_wide(skep_buf *out, skep_i128 v) {
  put_signed(out, (int64_t)(v >> 64));
  put_be(out, (uint64_t)v, 8);
}

/* A zero inside is marked, the end is two zeros: so a text comes before all that go on behind it. */
static void put_text(skep_buf *out, skep_bytes text) {
  for (size_t i = 0; i < text.left; i++) {
    skep_buf_byte(out, text.at[i]);
    if (text.at[i] == 0) skep_buf_byte(out, 0xff);
  }
  put_be(out, 0, 2);
}

static int64_t int_at(const skep_vec *v, int64_t i) {
  switch (v->form) {
    case SKEP_FORM_BOOL_BITS:
      return ((const uint8_t *)v->values.data)[i >> 3] >> (i & 7) & 1;
    case SKEP_FORM_BOOL_BYTES:
    case SKEP_FORM_I8:
      return ((const int8_t *)v->values.data)[i];
    case SKEP_FORM_I16:
      return ((const int16_t *)v->values.data)[i];
    case SKEP_FORM_I32:
      return ((const int32_t *)v->values.data)[i];
    default:
      return ((const int64_t *)v->values.data)[i];
  }
}

static void put_value(const skep_vec *v, int64_t i, skep_buf *out) {
  switch (v->form) {
    case SKEP_FORM_F32:
      put_double(out, (double)((const float *)v->values.data)[i]);
      return;
    case SKEP_FORM_F64:
      put_double(out, ((const double *)v->values.data)[i]);
      return;
    case SKEP_FORM_I128: {
      skep_i128 wide;
      memcpy(&wide, (const uint8_t *)v->values.data + 16 * i, sizeof wide);
      put_wide(out, wide);
      return;
    }
    case SKEP_FORM_TS: {
      const skep_ts *ts = (const skep_ts *)v->values.data + i;
      put_signed(out, ts->seconds);
      put_be(out, (uint64_t)ts->nanos, 4);
      return;
    }
    case SKEP_FORM_STR:
    case SKEP_FORM_VIEW:
    case SKEP_FORM_DICT:
      put_text(out, skep_vec_bytes(v, i));
      return;
    default:
      put_signed(out, int_at(v, i));
      return;
  }
}

void skep_order_key(const skep_vec *columns, const skep_compact_order *order, uint32_t n, int64_t i, skep_buf *out) {
  for (uint32_t k = 0; k < n; k++) {
    const skep_vec *v = &columns[order[k].column];
    bool is_null = !skep_vec_is_valid(v, i);
    skep_buf_byte(out, is_null == order[k].nulls_last);
    if (is_null) continue;
    size_t from = out->size;
    put_value(v, i, out);
    for (size_t at = from; order[k].descending && at < out->size; at++) out->data[at] = (uint8_t)~out->data[at];
  }
}
