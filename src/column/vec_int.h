/* What the files of this layer share about the memory of vectors. */
#ifndef COLUMN_VEC_INT_H
#define COLUMN_VEC_INT_H

#include "column/vec.h"

/* Bytes that n entries take in `values` and in `offsets`. */
size_t skep_vec_values_bytes(skep_form form, int64_t n);
size_t skep_vec_offsets_bytes(skep_form form, int64_t n);

/* Writes entry `at` of plain strings or views; entries before it are written. Room in the vector and its heap was made.
 */
static inline void skep_vec_put_bytes(skep_vec *to, int64_t at, skep_bytes value) {
  uint8_t *heap_end = (uint8_t *)to->heap.data + to->heap_size;
  if (to->form == SKEP_FORM_STR) {
    if (value.left != 0) memcpy(heap_end, value.at, value.left);
    to->heap_size += value.left;
    ((int32_t *)to->offsets.data)[at + 1] = (int32_t)to->heap_size;
    return;
  }
  skep_view view = {.inlined = {(uint32_t)value.left, {0}}};
  if (value.left <= sizeof view.inlined.bytes) {
    if (value.left != 0) memcpy(view.inlined.bytes, value.at, value.left);
  } else {
    memcpy(heap_end, value.at, value.left);
    memcpy(view.far.prefix, value.at, sizeof view.far.prefix);
    view.far.at = heap_end;
    to->heap_size += value.left;
  }
  ((skep_view *)to->values.data)[at] = view;
}

/* An empty vector of the same type and forms as `vec`. */
SKEP_NODISCARD skep_status skep_vec_init_like(skep_vec *out, const skep_vec *vec, skep_err *err);

/* Room for n_bytes in `values`; what the form keeps there for `length` entries stays. For changes of form. */
SKEP_NODISCARD skep_status skep_vec_grow_values(skep_vec *vec, size_t n_bytes, skep_err *err);

static inline bool skep_bit_get(const void *bits, int64_t i) { return ((const uint8_t *)bits)[i >> 3] >> (i & 7) & 1; }
static inline void skep_bit_set(void *bits, int64_t i) { ((uint8_t *)bits)[i >> 3] |= (uint8_t)(1u << (i & 7)); }
static inline void skep_bit_clear(void *bits, int64_t i) { ((uint8_t *)bits)[i >> 3] &= (uint8_t) ~(1u << (i & 7)); }

/* Number of 1 bits among n bits from bit `first`. Reads no byte that holds none of them. */
int64_t skep_bits_count(const void *bits, int64_t first, int64_t n);

/* Copies n bits between bitmaps that do not overlap. Bits of `to` below `at` stay, those after the copied ones are
 * unspecified. */
void skep_bits_copy(void *to, int64_t at, const void *from, int64_t first, int64_t n);

/* Sets n bits from bit `at` on; those after them are unspecified. */
void skep_bits_fill(void *bits, int64_t at, int64_t n);

#endif
