/* Vectors: their memory. What happens to their content is in vec_select.c, vec_append.c and vec_ops.c. */
#include "column/vec.h"

#include "base/checked.h"
#include "column/vec_int.h"

/* ---- dictionaries ---- */

skep_status skep_dict_new(const skep_ctx *ctx, uint32_t count, size_t n_bytes, skep_dict **out, uint32_t **offsets,
                          uint8_t **bytes, skep_err *err) {
  *out = NULL;
  size_t size = 0;
  bool fits = n_bytes <= ctx->limits.max_value_bytes && n_bytes <= UINT32_MAX &&
              skep_mul_size((size_t)count + 1, sizeof(uint32_t), &size) && skep_add_size(size, n_bytes, &size) &&
              skep_add_size(size, sizeof(skep_dict) + SKEP_VEC_SLACK, &size);
  if (!fits) {
    return skep_fail(err, SKEP_ERR_LIMIT, "a dictionary of %u entries needs %zu bytes, the limit is %llu", count,
                     n_bytes, (unsigned long long)ctx->limits.max_value_bytes);
  }
  skep_dict *dict = skep_alloc(ctx, size);
  if (dict == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a dictionary of %zu bytes", size);
  uint32_t *dict_offsets = (uint32_t *)(void *)(dict + 1);
  uint8_t *dict_bytes = (uint8_t *)(dict_offsets + (size_t)count + 1);
  memset(dict_bytes + n_bytes, 0, SKEP_VEC_SLACK);
  *dict = (skep_dict){
      .references = 1, .allocator = ctx->allocator, .count = count, .offsets = dict_offsets, .bytes = dict_bytes};
  *out = dict;
  *offsets = dict_offsets;
  *bytes = dict_bytes;
  return SKEP_OK;
}

skep_dict *skep_dict_ref(skep_dict *dict) {
  if (dict != NULL) __atomic_add_fetch(&dict->references, 1, __ATOMIC_RELAXED);
  return dict;
}

void skep_dict_unref(skep_dict *dict) {
  if (dict == NULL) return;
  if (__atomic_sub_fetch(&dict->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  skep_allocator allocator = dict->allocator;
  allocator.release(allocator.self, dict);
}

/* ---- forms ---- */

static skep_form decimal_form(const skep_type *type, const skep_forms *forms) {
  if (!forms->narrow_decimals || type->precision > 18) return SKEP_FORM_I128;
  if (type->precision <= 4) return SKEP_FORM_I16;
  return type->precision <= 9 ? SKEP_FORM_I32 : SKEP_FORM_I64;
}

skep_form skep_form_of(const skep_type *type, const skep_forms *forms) {
  switch (type->kind) {
    case SKEP_BOOLEAN:
      return forms->boolean == SKEP_FORM_BOOL_BYTES ? SKEP_FORM_BOOL_BYTES : SKEP_FORM_BOOL_BITS;
    case SKEP_TINYINT:
      return SKEP_FORM_I8;
    case SKEP_SMALLINT:
      return SKEP_FORM_I16;
    case SKEP_INT:
    case SKEP_DATE:
      return SKEP_FORM_I32;
    case SKEP_BIGINT:
      return SKEP_FORM_I64;
    case SKEP_FLOAT:
      return SKEP_FORM_F32;
    case SKEP_DOUBLE:
      return SKEP_FORM_F64;
    case SKEP_DECIMAL:
      return decimal_form(type, forms);
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
    case SKEP_BINARY:
      return forms->string == SKEP_FORM_VIEW ? SKEP_FORM_VIEW : SKEP_FORM_STR;
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      if (forms->timestamp == SKEP_FORM_TS_US || forms->timestamp == SKEP_FORM_TS_NS) return forms->timestamp;
      return SKEP_FORM_TS;
    case SKEP_LIST:
    case SKEP_MAP:
      return SKEP_FORM_LIST;
    case SKEP_STRUCT:
      return SKEP_FORM_STRUCT;
    case SKEP_UNION:
      return SKEP_FORM_UNION;
    case SKEP_KIND_COUNT:
      break;
  }
  return SKEP_FORM_NONE;
}

size_t skep_form_width(skep_form form) {
  switch (form) {
    case SKEP_FORM_BOOL_BYTES:
    case SKEP_FORM_I8:
    case SKEP_FORM_UNION:
      return 1;
    case SKEP_FORM_I16:
      return 2;
    case SKEP_FORM_I32:
    case SKEP_FORM_F32:
    case SKEP_FORM_DICT:
      return 4;
    case SKEP_FORM_I64:
    case SKEP_FORM_F64:
    case SKEP_FORM_TS_US:
    case SKEP_FORM_TS_NS:
      return 8;
    case SKEP_FORM_I128:
    case SKEP_FORM_TS:
    case SKEP_FORM_VIEW:
      return 16;
    case SKEP_FORM_NONE:
    case SKEP_FORM_BOOL_BITS:
    case SKEP_FORM_STR:
    case SKEP_FORM_LIST:
    case SKEP_FORM_STRUCT:
      break;
  }
  return 0;
}

/* ---- life ---- */

static skep_status init_node(skep_vec *vec, const skep_ctx *ctx, const skep_type *type, const skep_forms *forms,
                             uint32_t depth, skep_err *err) {
  *vec = (skep_vec){.ctx = ctx, .type = type, .form = skep_form_of(type, forms)};
  if (depth > ctx->limits.max_type_depth) {
    return skep_fail(err, SKEP_ERR_LIMIT, "a type is nested deeper than %u levels", ctx->limits.max_type_depth);
  }
  if (type->n_children == 0) return SKEP_OK;
  vec->children = skep_alloc_zero(ctx, type->n_children, sizeof *vec->children);
  if (vec->children == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for %u columns", type->n_children);
  vec->n_children = type->n_children;
  for (uint32_t i = 0; i < type->n_children; i++) {
    SKEP_TRY(init_node(&vec->children[i], ctx, type->children[i], forms, depth + 1, err));
  }
  return SKEP_OK;
}

skep_status skep_vec_init(skep_vec *vec, const skep_ctx *ctx, const skep_type *type, const skep_forms *forms,
                          skep_err *err) {
  skep_status st = init_node(vec, ctx, type, forms, 1, err);
  if (st != SKEP_OK) skep_vec_fini(vec);
  return st;
}

static void free_buffer(const skep_ctx *ctx, skep_vbuf *buf) {
  if (!buf->lent) skep_release(ctx, buf->data);
}

void skep_vec_fini(skep_vec *vec) {
  if (vec->ctx == NULL) return; /* zeroed: never initialised, or finished before */
  for (uint32_t i = 0; i < vec->n_children; i++) skep_vec_fini(&vec->children[i]);
  skep_release(vec->ctx, vec->children);
  free_buffer(vec->ctx, &vec->validity);
  free_buffer(vec->ctx, &vec->values);
  free_buffer(vec->ctx, &vec->offsets);
  free_buffer(vec->ctx, &vec->heap);
  skep_dict_unref(vec->dict);
  *vec = (skep_vec){0};
}

void skep_vec_reset(skep_vec *vec) {
  vec->length = 0;
  vec->has_nulls = false;
  vec->null_count = 0;
  vec->heap_size = 0;
  skep_dict_unref(vec->dict);
  vec->dict = NULL;
  if (vec->offsets.capacity >= sizeof(int32_t)) memset(vec->offsets.data, 0, sizeof(int32_t));
  for (uint32_t i = 0; i < vec->n_children; i++) skep_vec_reset(&vec->children[i]);
}

/* ---- memory ---- */

/* Views point into the heap: when it moves, those that point into the old block follow. */
static void move_views(skep_vec *vec, const uint8_t *from, const uint8_t *to) {
  skep_view *views = vec->values.data;
  for (int64_t i = 0; i < vec->length; i++) {
    if (views[i].far.length > sizeof views[i].inlined.bytes && skep_vec_is_valid(vec, i)) {
      views[i].far.at = to + (views[i].far.at - from);
    }
  }
}

/* Garbage where a producer promised to write: one that does not is seen by tests. */
static void spoil(uint8_t *data, size_t n) {
#ifdef NDEBUG
  (void)data, (void)n;
#else
  memset(data, 0xa5, n);
#endif
}

/* A larger block with the first `keep` bytes of the old one. Beyond them it is zeroed, so that entries below NULLs and
 * the bits after the last one never show old memory to a consumer; `unset`: only the slack is. */
static skep_status grow_buffer(skep_vec *vec, skep_vbuf *buf, size_t need, size_t keep, bool unset, skep_err *err) {
  const skep_ctx *ctx = vec->ctx;
  if (need <= buf->capacity) return SKEP_OK;
  if (buf->lent) {
    return skep_fail(err, SKEP_ERR_LIMIT, "a lent buffer holds %zu bytes, %zu are needed", buf->capacity, need);
  }
  uint64_t limit = ctx->limits.max_batch_bytes;
  if (need > limit || need > SIZE_MAX / 2 - SKEP_VEC_SLACK) {
    return skep_fail(err, SKEP_ERR_LIMIT, "a column needs %zu bytes in one batch, the limit is %llu", need,
                     (unsigned long long)limit);
  }
  size_t capacity = buf->capacity > need / 2 ? buf->capacity * 2 : need;
  if (capacity > limit) capacity = (size_t)limit;
  if (capacity < SIZE_MAX / 2 - SKEP_VEC_SLACK) capacity = (capacity + 63) & ~(size_t)63;
  uint8_t *data = skep_alloc(ctx, capacity + SKEP_VEC_SLACK);
  if (data == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a column of %zu bytes", capacity);
  if (keep > buf->capacity) keep = buf->capacity;
  if (keep != 0) memcpy(data, buf->data, keep);
  if (buf == &vec->heap && vec->form == SKEP_FORM_VIEW && keep != 0) move_views(vec, buf->data, data);
  if (unset) spoil(data + keep, capacity - keep);
  size_t zero_from = unset ? capacity : keep;
  memset(data + zero_from, 0, capacity + SKEP_VEC_SLACK - zero_from);
  skep_release(ctx, buf->data);
  *buf = (skep_vbuf){.data = data, .capacity = capacity};
  return SKEP_OK;
}

static size_t bitmap_bytes(int64_t n) { return ((size_t)n + 7) / 8; }

size_t skep_vec_values_bytes(skep_form form, int64_t n) {
  return form == SKEP_FORM_BOOL_BITS ? bitmap_bytes(n) : skep_form_width(form) * (size_t)n;
}

size_t skep_vec_offsets_bytes(skep_form form, int64_t n) {
  if (form == SKEP_FORM_STR || form == SKEP_FORM_LIST) return ((size_t)n + 1) * sizeof(int32_t);
  return form == SKEP_FORM_UNION ? (size_t)n * sizeof(int32_t) : 0;
}

static skep_status reserve(skep_vec *vec, int64_t length, bool with_validity, bool unset, skep_err *err) {
  if (length < 0 || length > INT32_MAX) {
    return skep_fail(err, SKEP_ERR_LIMIT, "a column of %lld entries in one batch, the limit is %d", (long long)length,
                     INT32_MAX);
  }
  size_t values = skep_vec_values_bytes(vec->form, length), offsets = skep_vec_offsets_bytes(vec->form, length);
  size_t kept_offsets = vec->offsets.capacity == 0 ? 0 : skep_vec_offsets_bytes(vec->form, vec->length);
  bool unset_values = unset && vec->form != SKEP_FORM_BOOL_BITS; /* bitmaps are written by single bits, and small */
  SKEP_TRY(grow_buffer(vec, &vec->values, values, skep_vec_values_bytes(vec->form, vec->length), unset_values, err));
  SKEP_TRY(grow_buffer(vec, &vec->offsets, offsets, kept_offsets, unset, err));
  if (!with_validity) return SKEP_OK;
  size_t kept_bits = vec->has_nulls ? bitmap_bytes(vec->length) : 0;
  return grow_buffer(vec, &vec->validity, bitmap_bytes(length), kept_bits, false, err);
}

skep_status skep_vec_reserve(skep_vec *vec, int64_t length, bool with_validity, skep_err *err) {
  return reserve(vec, length, with_validity, false, err);
}

skep_status skep_vec_reserve_unset(skep_vec *vec, int64_t length, bool with_validity, skep_err *err) {
  return reserve(vec, length, with_validity, true, err);
}

skep_status skep_vec_reserve_heap(skep_vec *vec, size_t n_bytes, skep_err *err) {
  if (n_bytes > INT32_MAX && vec->form != SKEP_FORM_VIEW) {
    return skep_fail(err, SKEP_ERR_LIMIT, "a column has %zu bytes of strings in one batch, the limit is %d", n_bytes,
                     INT32_MAX);
  }
  return grow_buffer(vec, &vec->heap, n_bytes, vec->heap_size, true, err);
}

skep_status skep_vec_grow_values(skep_vec *vec, size_t n_bytes, skep_err *err) {
  return grow_buffer(vec, &vec->values, n_bytes, skep_vec_values_bytes(vec->form, vec->length), false, err);
}

skep_status skep_vec_need_validity(skep_vec *vec, skep_err *err) {
  if (vec->has_nulls)
    return grow_buffer(vec, &vec->validity, bitmap_bytes(vec->length), bitmap_bytes(vec->length), false, err);
  SKEP_TRY(grow_buffer(vec, &vec->validity, bitmap_bytes(vec->length), 0, false, err));
  if (vec->length != 0) memset(vec->validity.data, 0xff, bitmap_bytes(vec->length));
  vec->has_nulls = true;
  vec->null_count = 0;
  return SKEP_OK;
}

skep_bytes skep_vec_bytes(const skep_vec *vec, int64_t i) {
  switch (vec->form) {
    case SKEP_FORM_STR: {
      const int32_t *offsets = vec->offsets.data;
      size_t size = (size_t)(offsets[i + 1] - offsets[i]);
      return size == 0 ? (skep_bytes){NULL, 0} : (skep_bytes){(const uint8_t *)vec->heap.data + offsets[i], size};
    }
    case SKEP_FORM_VIEW: {
      const skep_view *view = (const skep_view *)vec->values.data + i;
      if (view->inlined.length > sizeof view->inlined.bytes) return (skep_bytes){view->far.at, view->far.length};
      return (skep_bytes){(const uint8_t *)view->inlined.bytes, view->inlined.length};
    }
    case SKEP_FORM_DICT: {
      int32_t code = ((const int32_t *)vec->values.data)[i];
      const uint32_t *offsets = vec->dict->offsets + code;
      return (skep_bytes){vec->dict->bytes + offsets[0], offsets[1] - offsets[0]};
    }
    default:
      return (skep_bytes){NULL, 0};
  }
}
