/* Constant columns: a partition value, kept once in Arrow's forms, written n times in the form that the consumer asked
 * for. */
#include "acid/scan_int.h"
#include "column/text.h"

/* A text that is no value of its type reads as NULL, as in Hive. What a default partition means is the planner's
 * knowledge. */
static skep_status partition_value(skep_vec *vec, const char *text, skep_err *err) {
  if (text == NULL) return skep_vec_set_null(vec, 1, err);
  skep_status st = skep_vec_append_text(vec, skep_bytes_of(text, strlen(text)), err);
  if (st != SKEP_ERR_RANGE) return st;
  skep_vec_reset(vec);
  return skep_vec_set_null(vec, 1, err);
}

skep_status skep_split_constants(const skep_ctx *ctx, const skep_split *split, skep_vec *out, skep_err *err) {
  if (split->partition_columns == NULL) return SKEP_OK;
  if (split->partition_columns->kind != SKEP_STRUCT ||
      split->n_partition_values != split->partition_columns->n_children ||
      split->n_partition_columns > split->n_partition_values) {
    return skep_fail(err, SKEP_ERR_ARGUMENT, "split: %u partition values for %u columns", split->n_partition_values,
                     split->partition_columns->n_children);
  }
  const skep_forms forms = {0};
  SKEP_TRY(skep_vec_init(out, ctx, split->partition_columns, &forms, err));
  for (uint32_t i = 0; i < out->n_children; i++) {
    SKEP_TRY(partition_value(&out->children[i], split->partition_values[i], err));
  }
  out->length = 1;
  return SKEP_OK;
}

static skep_status constant_ts(skep_ts ts, int64_t per_second, int64_t nanos_per_unit, int64_t *out, skep_err *err) {
  int64_t seconds;
  if (__builtin_mul_overflow(ts.seconds, per_second, &seconds) ||
      __builtin_add_overflow(seconds, ts.nanos / nanos_per_unit, out)) {
    return skep_fail(err, SKEP_ERR_RANGE,
                     "partition value: a timestamp %lld seconds from 1970 does not fit its 64-bit unit",
                     (long long)ts.seconds);
  }
  return SKEP_OK;
}

/* The value in the form of `out` as at most 16 bytes; strings are done elsewhere. */
static skep_status convert(const skep_vec *out, const skep_vec *constant, void *value, skep_err *err) {
  const void *from = constant->values.data;
  if (out->form == constant->form) {
    memcpy(value, from, skep_form_width(out->form));
    return SKEP_OK;
  }
  if (out->form == SKEP_FORM_BOOL_BYTES && constant->form == SKEP_FORM_BOOL_BITS) {
    *(uint8_t *)value = *(const uint8_t *)from & 1;
    return SKEP_OK;
  }
  if (constant->form == SKEP_FORM_TS && (out->form == SKEP_FORM_TS_US || out->form == SKEP_FORM_TS_NS)) {
    skep_ts ts;
    memcpy(&ts, from, sizeof ts);
    int64_t v = 0;
    skep_status st = out->form == SKEP_FORM_TS_US ? constant_ts(ts, 1000000, 1000, &v, err)
                                                  : constant_ts(ts, 1000000000, 1, &v, err);
    memcpy(value, &v, sizeof v);
    return st;
  }
  if (constant->form == SKEP_FORM_I128) {            /* narrow decimals: the precision says that it fits */
    memcpy(value, from, skep_form_width(out->form)); /* two's complement, little-endian: the low bytes */
    return SKEP_OK;
  }
  return skep_fail(err, SKEP_ERR_INTERNAL, "a partition column in form %d", (int)out->form);
}

static skep_status fill_values(skep_vec *out, const skep_vec *constant, int64_t n, skep_err *err) {
  if (out->form == SKEP_FORM_BOOL_BITS) {
    memset(out->values.data, (*(const uint8_t *)constant->values.data & 1) != 0 ? 0xff : 0, (size_t)((n + 7) / 8));
    return SKEP_OK;
  }
  uint8_t value[16];
  SKEP_TRY(convert(out, constant, value, err));
  size_t width = skep_form_width(out->form);
  uint8_t *to = out->values.data;
  for (int64_t i = 0; i < n; i++) memcpy(to + (size_t)i * width, value, width);
  return SKEP_OK;
}

static skep_status fill_offsets(skep_vec *out, skep_bytes text, int64_t n, skep_err *err) {
  size_t total;
  if (__builtin_mul_overflow(text.left, (size_t)n, &total) || total > INT32_MAX) {
    return skep_fail(err, SKEP_ERR_LIMIT, "%lld copies of a partition value of %zu bytes", (long long)n, text.left);
  }
  SKEP_TRY(skep_vec_reserve_heap(out, total, err));
  int32_t *offsets = out->offsets.data;
  uint8_t *heap = out->heap.data;
  for (int64_t i = 0; i <= n; i++) offsets[i] = (int32_t)(i * (int64_t)text.left);
  for (int64_t i = 0; i < n && text.left != 0; i++) memcpy(heap + offsets[i], text.at, text.left);
  out->heap_size = total;
  return SKEP_OK;
}

static skep_status fill_views(skep_vec *out, skep_bytes text, int64_t n, skep_err *err) {
  skep_view view;
  memset(&view, 0, sizeof view);
  if (text.left <= sizeof view.inlined.bytes) {
    view.inlined.length = (uint32_t)text.left;
    if (text.left != 0) memcpy(view.inlined.bytes, text.at, text.left);
  } else {
    SKEP_TRY(skep_vec_reserve_heap(out, text.left, err));
    memcpy(out->heap.data, text.at, text.left);
    out->heap_size = text.left;
    view.far.length = (uint32_t)text.left;
    memcpy(view.far.prefix, text.at, sizeof view.far.prefix);
    view.far.at = out->heap.data;
  }
  skep_view *views = out->values.data;
  for (int64_t i = 0; i < n; i++) views[i] = view;
  return SKEP_OK;
}

skep_status skep_vec_fill_constant(skep_vec *out, const skep_vec *constant, int64_t n, skep_err *err) {
  skep_vec_reset(out);
  if (!skep_vec_is_valid(constant, 0)) return skep_vec_set_null(out, n, err);
  SKEP_TRY(skep_vec_reserve(out, n, false, err));
  skep_status st;
  if (skep_kind_is_bytes(out->type->kind)) {
    skep_bytes text = skep_vec_bytes(constant, 0);
    st = out->form == SKEP_FORM_VIEW ? fill_views(out, text, n, err) : fill_offsets(out, text, n, err);
  } else {
    st = fill_values(out, constant, n, err);
  }
  out->length = st == SKEP_OK ? n : 0;
  return st;
}
