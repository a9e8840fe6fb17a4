/* For tests: vectors with random content of any type and form, and a comparison of entries that knows nothing of forms
 * that hold the same values. Slow and plain on purpose. */
#ifndef SUPPORT_VEC_TESTING_H
#define SUPPORT_VEC_TESTING_H

#include "column/vec_int.h"
#include "support/test.h"

typedef struct vec_random {
  uint64_t state; /* xorshift; not 0 */
  unsigned null_percent;
} vec_random;

static inline uint64_t vec_random_next(vec_random *r) {
  r->state ^= r->state << 13;
  r->state ^= r->state >> 7;
  r->state ^= r->state << 17;
  return r->state >> 8;
}

/* A dictionary of 8 entries: empty, short, inline-sized and long ones. */
static inline skep_dict *vec_testing_dict(const skep_ctx *ctx) {
  static const size_t sizes[] = {0, 1, 12, 13, 5, 40, 100, 3};
  skep_dict *dict;
  uint32_t *offsets;
  uint8_t *bytes;
  skep_err err;
  assert_ok(skep_dict_new(ctx, 8, 174, &dict, &offsets, &bytes, &err), err);
  offsets[0] = 0;
  for (uint32_t i = 0; i < 8; i++) {
    offsets[i + 1] = offsets[i] + (uint32_t)sizes[i];
    for (size_t k = 0; k < sizes[i]; k++) bytes[offsets[i] + k] = (uint8_t)('a' + (i * 5 + k) % 26);
  }
  return dict;
}

static inline void vec_testing_put_bytes(skep_vec *vec, const uint8_t *bytes, size_t size) {
  skep_err err;
  assert_ok(skep_vec_reserve_heap(vec, vec->heap_size + size, &err), err);
  uint8_t *end = (uint8_t *)vec->heap.data + vec->heap_size;
  if (size != 0) memcpy(end, bytes, size);
  if (vec->form == SKEP_FORM_STR) {
    vec->heap_size += size;
    ((int32_t *)vec->offsets.data)[vec->length + 1] = (int32_t)vec->heap_size;
    return;
  }
  skep_view view = {.inlined = {(uint32_t)size, {0}}};
  if (size <= 12) {
    if (size != 0) memcpy(view.inlined.bytes, bytes, size);
  } else {
    memcpy(view.far.prefix, bytes, 4);
    view.far.at = end;
    vec->heap_size += size;
  }
  ((skep_view *)vec->values.data)[vec->length] = view;
}

/* Appends one random entry; `null` forces a NULL. */
static inline void vec_random_append(skep_vec *vec, vec_random *r, bool null) {
  skep_err err;
  int64_t at = vec->length;
  if (!null) null = vec_random_next(r) % 100 < r->null_percent;
  assert_ok(skep_vec_reserve(vec, at + 1, true, &err), err);
  if (null && !vec->has_nulls) assert_ok(skep_vec_need_validity(vec, &err), err);
  if (vec->has_nulls) {
    assert_ok(skep_vec_reserve(vec, at + 1, true, &err), err);
    if (null) {
      skep_bit_clear(vec->validity.data, at);
      vec->null_count++;
    } else {
      skep_bit_set(vec->validity.data, at);
    }
  }
  uint64_t low = null ? 0 : vec_random_next(r), high = null ? 0 : vec_random_next(r);
  switch (vec->form) {
    case SKEP_FORM_NONE:
      fail_msg("no form");
      break;
    case SKEP_FORM_BOOL_BITS:
      skep_bit_clear(vec->values.data, at);
      if (low & 1) skep_bit_set(vec->values.data, at);
      break;
    case SKEP_FORM_BOOL_BYTES:
      ((uint8_t *)vec->values.data)[at] = low & 1;
      break;
    case SKEP_FORM_TS:
      ((skep_ts *)vec->values.data)[at] =
          (skep_ts){(int64_t)(low % 20000000000) - 10000000000, (int32_t)(high % 1000000000), 0};
      break;
    case SKEP_FORM_TS_US:
    case SKEP_FORM_TS_NS:
      ((int64_t *)vec->values.data)[at] = (int64_t)low - (INT64_C(1) << 55);
      break;
    case SKEP_FORM_F32: {
      float v = (float)(int64_t)low / 3;
      memcpy((float *)vec->values.data + at, &v, sizeof v);
      break;
    }
    case SKEP_FORM_F64: {
      double v = (double)low / 3;
      memcpy((double *)vec->values.data + at, &v, sizeof v);
      break;
    }
    case SKEP_FORM_I8:
    case SKEP_FORM_I16:
    case SKEP_FORM_I32:
    case SKEP_FORM_I64:
    case SKEP_FORM_I128: {
      size_t width = skep_form_width(vec->form);
      skep_i128 v = (skep_i128)low, most = 1;
      for (unsigned i = 0; i < vec->type->precision; i++) most *= 10;
      if (vec->type->kind == SKEP_DECIMAL) v = v * (skep_i128)high * (high & 1024 ? -1 : 1) % most;
      memcpy((uint8_t *)vec->values.data + width * (size_t)at, &v, width);
      break;
    }
    case SKEP_FORM_DICT:
      if (vec->dict == NULL) vec->dict = vec_testing_dict(vec->ctx);
      ((int32_t *)vec->values.data)[at] = (int32_t)(low % 8);
      break;
    case SKEP_FORM_STR:
    case SKEP_FORM_VIEW: {
      uint8_t bytes[64];
      size_t size = null ? 0 : high % 4 == 0 ? high / 4 % 60 : high / 4 % 10;
      for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)('a' + (low >> (i % 40)) % 26);
      vec_testing_put_bytes(vec, bytes, size);
      break;
    }
    case SKEP_FORM_LIST: {
      int32_t *offsets = vec->offsets.data, n = null ? 0 : (int32_t)(low % 4);
      offsets[at + 1] = offsets[at] + n;
      for (uint32_t c = 0; c < vec->n_children; c++) {
        bool key = vec->type->kind == SKEP_MAP && c == 0;
        vec_random inner = {.state = r->state + c + 1, .null_percent = key ? 0 : r->null_percent};
        for (int32_t i = 0; i < n; i++) vec_random_append(&vec->children[c], &inner, false);
      }
      break;
    }
    case SKEP_FORM_STRUCT:
      for (uint32_t c = 0; c < vec->n_children; c++) vec_random_append(&vec->children[c], r, null);
      break;
    case SKEP_FORM_UNION: {
      int8_t tag = (int8_t)(low % vec->n_children);
      ((int8_t *)vec->values.data)[at] = tag;
      ((int32_t *)vec->offsets.data)[at] = null ? 0 : (int32_t)vec->children[tag].length;
      if (!null) vec_random_append(&vec->children[tag], r, false);
      break;
    }
  }
  vec->length++;
}

static inline void vec_random_fill(skep_vec *vec, int64_t n, uint64_t seed, unsigned null_percent) {
  vec_random r = {.state = seed * 0x9e3779b97f4a7c15u + 1, .null_percent = null_percent};
  for (int64_t i = 0; i < n; i++) vec_random_append(vec, &r, false);
}

/* Sets every string node of the tree to dictionary form (before anything is appended). */
static inline void vec_testing_use_dict(skep_vec *vec) {
  if (skep_kind_is_bytes(vec->type->kind)) vec->form = SKEP_FORM_DICT;
  for (uint32_t i = 0; i < vec->n_children; i++) vec_testing_use_dict(&vec->children[i]);
}

static inline void assert_entry_equal(const skep_vec *a, int64_t i, const skep_vec *b, int64_t j) {
  assert_true(i < a->length && j < b->length);
  assert_int_equal(a->type->kind, b->type->kind);
  assert_int_equal(skep_vec_is_valid(a, i), skep_vec_is_valid(b, j));
  if (skep_kind_is_bytes(a->type->kind)) {
    if (!skep_vec_is_valid(a, i)) return;
    skep_bytes left = skep_vec_bytes(a, i), right = skep_vec_bytes(b, j);
    assert_int_equal(left.left, right.left);
    if (left.left != 0) assert_memory_equal(left.at, right.at, left.left);
    return;
  }
  assert_int_equal(a->form, b->form);
  size_t width = skep_form_width(a->form);
  switch (a->form) {
    case SKEP_FORM_BOOL_BITS:
      if (skep_vec_is_valid(a, i)) {
        assert_int_equal(skep_bit_get(a->values.data, i), skep_bit_get(b->values.data, j));
      }
      break;
    case SKEP_FORM_LIST: {
      const int32_t *left = (const int32_t *)a->offsets.data + i, *right = (const int32_t *)b->offsets.data + j;
      assert_int_equal(left[1] - left[0], right[1] - right[0]);
      if (!skep_vec_is_valid(a, i)) assert_int_equal(left[1], left[0]);
      for (int32_t k = 0; k < left[1] - left[0]; k++) {
        for (uint32_t c = 0; c < a->n_children; c++) {
          assert_entry_equal(&a->children[c], left[0] + k, &b->children[c], right[0] + k);
        }
      }
      break;
    }
    case SKEP_FORM_STRUCT:
      for (uint32_t c = 0; c < a->n_children; c++) assert_entry_equal(&a->children[c], i, &b->children[c], j);
      break;
    case SKEP_FORM_UNION: {
      if (!skep_vec_is_valid(a, i)) break;
      int8_t tag = ((const int8_t *)a->values.data)[i];
      assert_int_equal(tag, ((const int8_t *)b->values.data)[j]);
      assert_entry_equal(&a->children[tag], ((const int32_t *)a->offsets.data)[i], &b->children[tag],
                         ((const int32_t *)b->offsets.data)[j]);
      break;
    }
    default:
      if (!skep_vec_is_valid(a, i)) break;
      assert_memory_equal((const uint8_t *)a->values.data + width * (size_t)i,
                          (const uint8_t *)b->values.data + width * (size_t)j, width);
      break;
  }
}

/* The invariants of vec.h, in the whole tree. */
static inline void assert_vec_sound(const skep_vec *vec) {
  if (vec->has_nulls) {
    int64_t nulls = 0;
    for (int64_t i = 0; i < vec->length; i++) nulls += !skep_vec_is_valid(vec, i);
    assert_int_equal(nulls, vec->null_count);
  }
  const int32_t *offsets = vec->offsets.data;
  if ((vec->form == SKEP_FORM_STR || vec->form == SKEP_FORM_LIST) && offsets != NULL) {
    assert_int_equal(offsets[0], 0);
    for (int64_t i = 0; i < vec->length; i++) assert_true(offsets[i] <= offsets[i + 1]);
    if (vec->form == SKEP_FORM_STR) assert_int_equal(offsets[vec->length], vec->heap_size);
  }
  int64_t used[128] = {0};
  for (int64_t i = 0; vec->form == SKEP_FORM_UNION && i < vec->length; i++) {
    int8_t tag = ((const int8_t *)vec->values.data)[i];
    assert_true(tag >= 0 && (uint32_t)tag < vec->n_children);
    if (skep_vec_is_valid(vec, i)) {
      assert_int_equal(offsets[i], used[tag]++);
    } else {
      assert_true(offsets[i] == 0);
    }
  }
  for (uint32_t c = 0; c < vec->n_children; c++) {
    const skep_vec *child = &vec->children[c];
    if (vec->form == SKEP_FORM_STRUCT) assert_int_equal(child->length, vec->length);
    if (vec->form == SKEP_FORM_LIST) assert_int_equal(child->length, offsets == NULL ? 0 : offsets[vec->length]);
    if (vec->form == SKEP_FORM_UNION) assert_int_equal(child->length, used[c]);
    assert_vec_sound(child);
  }
}

#endif
