/* Smaller operations on whole vectors: all NULL, dictionaries expanded, bits counted. */
#include "column/vec_int.h"

int64_t skep_bits_count(const void *bits, int64_t first, int64_t n) {
  const uint8_t *at = bits;
  int64_t count = 0;
  for (; n > 0 && (first & 7) != 0; first++, n--) count += skep_bit_get(at, first);
  if (n <= 0) return count;
  at += first >> 3;
  for (; n >= 64; at += 8, n -= 64) count += __builtin_popcountll(skep_load_le64(at));
  for (; n >= 8; at++, n -= 8) count += __builtin_popcount(*at);
  if (n > 0) count += __builtin_popcount(*at & ((1u << n) - 1));
  return count;
}

static void same_forms(skep_vec *to, const skep_vec *from) {
  to->form = from->form;
  for (uint32_t i = 0; i < to->n_children; i++) same_forms(&to->children[i], &from->children[i]);
}

skep_status skep_vec_init_like(skep_vec *out, const skep_vec *vec, skep_err *err) {
  static const skep_forms any = {0};
  SKEP_TRY(skep_vec_init(out, vec->ctx, vec->type, &any, err));
  same_forms(out, vec);
  return SKEP_OK;
}

/* ---- all NULL ---- */

static skep_status set_null(skep_vec *vec, int64_t length, skep_err *err) {
  skep_vec_reset(vec);
  SKEP_TRY(skep_vec_reserve(vec, length, true, err));
  size_t values = skep_vec_values_bytes(vec->form, length), offsets = skep_vec_offsets_bytes(vec->form, length);
  if (values != 0) memset(vec->values.data, 0, values);
  if (offsets != 0) memset(vec->offsets.data, 0, offsets);
  if (length != 0) memset(vec->validity.data, 0, ((size_t)length + 7) / 8);
  vec->length = length;
  vec->has_nulls = length != 0;
  vec->null_count = length;
  if (vec->form != SKEP_FORM_STRUCT) return SKEP_OK; /* lists and unions have no entries below NULLs */
  for (uint32_t i = 0; i < vec->n_children; i++) SKEP_TRY(set_null(&vec->children[i], length, err));
  return SKEP_OK;
}

skep_status skep_vec_set_null(skep_vec *vec, int64_t length, skep_err *err) { return set_null(vec, length, err); }

/* ---- dictionaries expanded ---- */

static void expand_to_strings(skep_vec *vec) {
  const int32_t *codes = vec->values.data;
  int32_t *offsets = vec->offsets.data, end = 0;
  uint8_t *heap = vec->heap.data;
  for (int64_t i = 0; i < vec->length; i++) {
    offsets[i] = end;
    if (!skep_vec_is_valid(vec, i)) continue;
    uint32_t start = vec->dict->offsets[codes[i]], size = vec->dict->offsets[codes[i] + 1] - start;
    if (size == 0) continue;
    memcpy(heap + end, vec->dict->bytes + start, size);
    end += (int32_t)size;
  }
  offsets[vec->length] = end;
  vec->heap_size = (size_t)end;
}

/* Bytes of all valid entries; stops counting beyond what any heap may hold. */
static size_t expanded_bytes(const skep_vec *vec) {
  const int32_t *codes = vec->values.data;
  uint64_t size = 0;
  for (int64_t i = 0; i < vec->length && size <= vec->ctx->limits.max_batch_bytes; i++) {
    if (!skep_vec_is_valid(vec, i)) continue;
    size += vec->dict->offsets[codes[i] + 1] - vec->dict->offsets[codes[i]];
  }
  return (size_t)size;
}

static skep_status flatten_to_strings(skep_vec *vec, skep_err *err) {
  vec->heap_size = 0;
  SKEP_TRY(skep_vec_reserve_heap(vec, expanded_bytes(vec), err));
  skep_form codes = vec->form;
  vec->form = SKEP_FORM_STR;
  skep_status st = skep_vec_reserve(vec, vec->length, false, err);
  if (st != SKEP_OK) {
    vec->form = codes;
    return st;
  }
  expand_to_strings(vec);
  return SKEP_OK;
}

/* The dictionary's bytes go to the heap once, and views of all entries point there: no bytes are copied per entry. The
 * views overwrite the codes from the end on, which needs no second buffer (and so works in a lent one). */
static skep_status flatten_to_views(skep_vec *vec, skep_err *err) {
  const skep_dict *dict = vec->dict;
  size_t n_bytes = dict == NULL ? 0 : dict->offsets[dict->count];
  vec->heap_size = 0;
  SKEP_TRY(skep_vec_reserve_heap(vec, n_bytes, err));
  uint8_t *heap = vec->heap.data;
  if (n_bytes != 0) memcpy(heap, dict->bytes, n_bytes);
  SKEP_TRY(skep_vec_grow_values(vec, (size_t)vec->length * sizeof(skep_view), err));
  const int32_t *codes = vec->values.data;
  skep_view *views = vec->values.data;
  for (int64_t i = vec->length - 1; i >= 0; i--) {
    skep_view view = {.inlined = {0, {0}}};
    if (skep_vec_is_valid(vec, i)) {
      uint32_t start = dict->offsets[codes[i]], size = dict->offsets[codes[i] + 1] - start;
      view.inlined.length = size;
      if (size > sizeof view.inlined.bytes) {
        memcpy(view.far.prefix, heap + start, sizeof view.far.prefix);
        view.far.at = heap + start;
      } else if (size != 0) {
        memcpy(view.inlined.bytes, heap + start, size);
      }
    }
    memcpy(&views[i], &view, sizeof view);
  }
  vec->heap_size = n_bytes;
  vec->form = SKEP_FORM_VIEW;
  return SKEP_OK;
}

skep_status skep_vec_flatten(skep_vec *vec, skep_form string_form, skep_err *err) {
  for (uint32_t i = 0; i < vec->n_children; i++) SKEP_TRY(skep_vec_flatten(&vec->children[i], string_form, err));
  if (vec->form != SKEP_FORM_DICT) return SKEP_OK;
  SKEP_TRY(string_form == SKEP_FORM_VIEW ? flatten_to_views(vec, err) : flatten_to_strings(vec, err));
  skep_dict_unref(vec->dict);
  vec->dict = NULL;
  return SKEP_OK;
}
