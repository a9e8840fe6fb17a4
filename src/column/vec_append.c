/* Copying entries of one vector to the end of another: validity, values and nested children, range by range. */
#include "column/vec_int.h"

void skep_bits_copy(void *to, int64_t at, const void *from, int64_t first, int64_t n) {
  uint8_t *target = to;
  const uint8_t *source = from;
  if ((at & 7) == 0 && (first & 7) == 0) {
    if (n != 0) memcpy(target + (at >> 3), source + (first >> 3), ((size_t)n + 7) / 8);
    return;
  }
  for (; n > 0 && (at & 7) != 0; at++, first++, n--) {
    if (skep_bit_get(source, first)) {
      skep_bit_set(target, at);
    } else {
      skep_bit_clear(target, at);
    }
  }
  unsigned shift = (unsigned)first & 7;
  for (; n > 0; at += 8, first += 8, n -= 8) { /* a whole byte of `to` each, from two of `from` */
    unsigned byte = (unsigned)source[first >> 3] >> shift;
    if (shift != 0 && n > 8 - (int64_t)shift) byte |= (unsigned)source[(first >> 3) + 1] << (8 - shift);
    target[at >> 3] = (uint8_t)byte;
  }
}

void skep_bits_fill(void *bits, int64_t at, int64_t n) {
  for (; n > 0 && (at & 7) != 0; at++, n--) skep_bit_set(bits, at);
  if (n > 0) memset((uint8_t *)bits + (at >> 3), 0xff, ((size_t)n + 7) / 8);
}

static skep_status append_node(skep_vec *to, const skep_vec *from, int64_t first, int64_t count, skep_err *err);

static void append_validity(skep_vec *to, const skep_vec *from, int64_t first, int64_t count) {
  if (!to->has_nulls) return;
  if (from->has_nulls) {
    skep_bits_copy(to->validity.data, to->length, from->validity.data, first, count);
    to->null_count += count - skep_bits_count(from->validity.data, first, count);
  } else {
    skep_bits_fill(to->validity.data, to->length, count);
  }
}

static skep_status append_strings(skep_vec *to, const skep_vec *from, int64_t first, int64_t count, skep_err *err) {
  const int32_t *source = (const int32_t *)from->offsets.data + first;
  size_t size = (size_t)(source[count] - source[0]);
  SKEP_TRY(skep_vec_reserve_heap(to, to->heap_size + size, err));
  if (size != 0) memcpy((uint8_t *)to->heap.data + to->heap_size, (const uint8_t *)from->heap.data + source[0], size);
  int32_t *target = (int32_t *)to->offsets.data + to->length;
  int32_t end = (int32_t)to->heap_size;
  for (int64_t i = 0; i <= count; i++) target[i] = source[i] - source[0] + end;
  to->heap_size += size;
  return SKEP_OK;
}

/* Any pair of string forms, value by value, into plain strings or views. */
static skep_status append_values(skep_vec *to, const skep_vec *from, int64_t first, int64_t count, skep_err *err) {
  size_t size = to->heap_size;
  for (int64_t i = first; i < first + count; i++) {
    if (!skep_vec_is_valid(from, i)) continue;
    size_t length = skep_vec_bytes(from, i).left;
    if (to->form == SKEP_FORM_STR || length > sizeof((skep_view *)NULL)->inlined.bytes) size += length;
    if (size > to->ctx->limits.max_batch_bytes) break; /* refused by the next call; no sum can overflow */
  }
  SKEP_TRY(skep_vec_reserve_heap(to, size, err));
  for (int64_t i = 0; i < count; i++) {
    skep_bytes value = {NULL, 0};
    if (skep_vec_is_valid(from, first + i)) value = skep_vec_bytes(from, first + i);
    skep_vec_put_bytes(to, to->length + i, value);
  }
  return SKEP_OK;
}

/* Codes can be copied when both share one dictionary, or when `to` is still empty and takes it over. */
static bool shares_dictionary(skep_vec *to, const skep_vec *from) {
  if (to->form != SKEP_FORM_DICT || from->form != SKEP_FORM_DICT) return false;
  if (to->length == 0 && to->dict != from->dict) {
    skep_dict_unref(to->dict);
    to->dict = skep_dict_ref(from->dict);
  }
  return to->dict == from->dict;
}

static skep_status append_list(skep_vec *to, const skep_vec *from, int64_t first, int64_t count, skep_err *err) {
  const int32_t *source = (const int32_t *)from->offsets.data + first;
  int32_t *target = (int32_t *)to->offsets.data + to->length;
  int64_t end = target[0], inner = source[count] - source[0];
  if (end + inner > INT32_MAX) {
    return skep_fail(err, SKEP_ERR_LIMIT, "%lld list elements in one batch, the limit is %d", (long long)(end + inner),
                     INT32_MAX);
  }
  for (int64_t i = 0; i <= count; i++) target[i] = source[i] - source[0] + (int32_t)end;
  for (uint32_t c = 0; c < to->n_children; c++) {
    SKEP_TRY(append_node(&to->children[c], &from->children[c], source[0], inner, err));
  }
  return SKEP_OK;
}

/* Entries of one child that follow one another there are appended together. */
static skep_status append_union(skep_vec *to, const skep_vec *from, int64_t first, int64_t count, skep_err *err) {
  const int8_t *tags = (const int8_t *)from->values.data + first;
  const int32_t *offsets = (const int32_t *)from->offsets.data + first;
  int8_t *to_tags = (int8_t *)to->values.data + to->length;
  int32_t *to_offsets = (int32_t *)to->offsets.data + to->length;
  for (int64_t i = 0; i < count;) {
    if (!skep_vec_is_valid(from, first + i)) {
      to_tags[i] = 0;
      to_offsets[i++] = 0;
      continue;
    }
    int8_t tag = tags[i];
    int32_t start = offsets[i], n = 0;
    skep_vec *child = &to->children[tag];
    while (i < count && skep_vec_is_valid(from, first + i) && tags[i] == tag && offsets[i] == start + n) {
      to_tags[i] = tag;
      to_offsets[i] = (int32_t)child->length + n;
      i++;
      n++;
    }
    SKEP_TRY(append_node(child, &from->children[tag], start, n, err));
  }
  return SKEP_OK;
}

static skep_status append_content(skep_vec *to, const skep_vec *from, int64_t first, int64_t count, skep_err *err) {
  size_t width = skep_form_width(to->form);
  switch (to->form) {
    case SKEP_FORM_NONE:
      break;
    case SKEP_FORM_BOOL_BITS:
      skep_bits_copy(to->values.data, to->length, from->values.data, first, count);
      break;
    case SKEP_FORM_STR:
      return from->form == SKEP_FORM_STR ? append_strings(to, from, first, count, err)
                                         : append_values(to, from, first, count, err);
    case SKEP_FORM_VIEW:
      return append_values(to, from, first, count, err);
    case SKEP_FORM_LIST:
      return append_list(to, from, first, count, err);
    case SKEP_FORM_UNION:
      return append_union(to, from, first, count, err);
    case SKEP_FORM_STRUCT:
      for (uint32_t c = 0; c < to->n_children; c++) {
        SKEP_TRY(append_node(&to->children[c], &from->children[c], first, count, err));
      }
      break;
    default:
      memcpy((uint8_t *)to->values.data + (size_t)to->length * width,
             (const uint8_t *)from->values.data + (size_t)first * width, (size_t)count * width);
      break;
  }
  return SKEP_OK;
}

static skep_status append_node(skep_vec *to, const skep_vec *from, int64_t first, int64_t count, skep_err *err) {
  if (count == 0) return SKEP_OK;
  bool strings = skep_kind_is_bytes(to->type->kind);
  if (strings && to->form == SKEP_FORM_DICT && !shares_dictionary(to, from)) {
    SKEP_TRY(skep_vec_flatten(to, from->form == SKEP_FORM_VIEW ? SKEP_FORM_VIEW : SKEP_FORM_STR, err));
  }
  if (to->n_children != from->n_children || (!strings && to->form != from->form)) {
    return skep_fail(err, SKEP_ERR_INTERNAL, "a column of form %d cannot be appended to one of form %d",
                     (int)from->form, (int)to->form);
  }
  bool nulls = to->has_nulls || (from->has_nulls && skep_bits_count(from->validity.data, first, count) != count);
  SKEP_TRY(skep_vec_reserve(to, to->length + count, nulls, err));
  if (nulls) SKEP_TRY(skep_vec_need_validity(to, err));
  append_validity(to, from, first, count);
  SKEP_TRY(append_content(to, from, first, count, err));
  to->length += count;
  return SKEP_OK;
}

skep_status skep_vec_append(skep_vec *to, const skep_vec *from, int64_t first, int64_t count, skep_err *err) {
  return append_node(to, from, first, count, err);
}
