/* The rows of a bound query that is nothing but constants, made without the engine: INSERT ... VALUES of literals. */
#include <string.h>

#include "base/utf8.h"
#include "bind/bind_int.h"

/* VALUES whose every cell is a constant of a primitive type. */
static bool is_constant(const skep_bq *q) {
  if (q->kind != SKEP_BQ_VALUES || q->n_order != 0 || q->has_limit || q->n_ctes != 0 || q->n_rows == 0) return false;
  for (uint32_t j = 0; j < q->n_outputs; j++) {
    if (skep_rule_is_nested(q->types[j])) return false;
  }
  for (uint32_t i = 0; i < q->n_rows; i++) {
    for (uint32_t j = 0; j < q->n_outputs; j++) {
      const skep_bx *cell = q->rows[i][j];
      if (cell->op != SKEP_BX_CONST || !skep_rule_equal(cell->type, q->types[j])) return false;
    }
  }
  return true;
}

/* Blanks that CHAR(n) has behind its carrier. */
static size_t padding(const skep_type *type, skep_bytes text) {
  if (type->kind != SKEP_CHAR) return 0;
  size_t n = 0;
  for (size_t at = 0; at < text.left; n++) {
    size_t length = skep_utf8_length(text.at + at, text.left - at);
    at += length == 0 ? 1 : length;
  }
  return n < type->length ? type->length - n : 0;
}

static skep_status fill_texts(skep_vec *vec, const skep_bq *q, uint32_t column, skep_err *err) {
  size_t size = 0;
  for (uint32_t i = 0; i < q->n_rows; i++) {
    const skep_bx_value *v = &q->rows[i][column]->value;
    if (!v->is_null) size += v->bytes.left + padding(vec->type, v->bytes);
  }
  SKEP_TRY(skep_vec_reserve_heap(vec, size, err));
  int32_t *offsets = vec->offsets.data;
  uint8_t *heap = vec->heap.data;
  size_t at = 0;
  for (uint32_t i = 0; i < q->n_rows; i++) {
    const skep_bx_value *v = &q->rows[i][column]->value;
    offsets[i] = (int32_t)at; /* the heap's limit is below 2 GiB */
    if (v->is_null) continue;
    if (v->bytes.left != 0) memcpy(heap + at, v->bytes.at, v->bytes.left);
    at += v->bytes.left;
    size_t blanks = padding(vec->type, v->bytes);
    if (blanks != 0) memset(heap + at, ' ', blanks);
    at += blanks;
  }
  offsets[q->n_rows] = (int32_t)at;
  vec->heap_size = at;
  return SKEP_OK;
}

static void fill_fixed(skep_vec *vec, int64_t i, const skep_bx_value *v) {
  void *values = vec->values.data;
  switch (vec->form) {
    case SKEP_FORM_BOOL_BITS:
      if (v->i64 != 0) ((uint8_t *)values)[i >> 3] |= (uint8_t)(1u << (i & 7));
      break;
    case SKEP_FORM_I8:
      ((int8_t *)values)[i] = (int8_t)v->i64;
      break;
    case SKEP_FORM_I16:
      ((int16_t *)values)[i] = (int16_t)v->i64;
      break;
    case SKEP_FORM_I32:
      ((int32_t *)values)[i] = (int32_t)v->i64;
      break;
    case SKEP_FORM_I64:
      ((int64_t *)values)[i] = v->i64;
      break;
    case SKEP_FORM_F32:
      ((float *)values)[i] = (float)v->f64;
      break;
    case SKEP_FORM_F64:
      ((double *)values)[i] = v->f64;
      break;
    case SKEP_FORM_I128:
      ((skep_i128 *)values)[i] = v->decimal;
      break;
    default: /* SKEP_FORM_TS */
      ((skep_ts *)values)[i] = v->ts;
      break;
  }
}

static skep_status fill_column(skep_vec *vec, const skep_bq *q, uint32_t column, skep_err *err) {
  int64_t n = q->n_rows, nulls = 0;
  for (int64_t i = 0; i < n; i++) nulls += q->rows[i][column]->value.is_null ? 1 : 0;
  SKEP_TRY(skep_vec_reserve(vec, n, nulls != 0, err));
  if (vec->form == SKEP_FORM_STR) {
    SKEP_TRY(fill_texts(vec, q, column, err));
  } else {
    for (int64_t i = 0; i < n; i++) {
      if (!q->rows[i][column]->value.is_null) fill_fixed(vec, i, &q->rows[i][column]->value);
    }
  }
  vec->length = n;
  if (nulls == 0) return SKEP_OK;
  SKEP_TRY(skep_vec_need_validity(vec, err));
  uint8_t *valid = vec->validity.data;
  for (int64_t i = 0; i < n; i++) {
    if (q->rows[i][column]->value.is_null) valid[i >> 3] &= (uint8_t) ~(1u << (i & 7));
  }
  vec->null_count = nulls;
  return SKEP_OK;
}

skep_status skep_bound_query_rows(const skep_bound_query *query, const skep_ctx *ctx, skep_batch *out, skep_err *err) {
  static const skep_forms arrow = {0};
  const skep_bq *q = query->root;
  *out = (skep_batch){0};
  if (!is_constant(q)) return SKEP_END;
  skep_status st = skep_vec_init(&out->root, ctx, query->type, &arrow, err);
  for (uint32_t j = 0; st == SKEP_OK && j < q->n_outputs; j++) st = fill_column(&out->root.children[j], q, j, err);
  out->root.length = q->n_rows;
  if (st != SKEP_OK) skep_vec_fini(&out->root);
  return st;
}
