/* From our vectors to DuckDB's: fixed-width values are copied whole, strings by their views (DuckDB's string_t has the
 * layout of skep_view), timestamps become 128-bit nanoseconds.
 *
 * Lists are filled behind what the DuckDB vector holds already, so that pieces of a column (the runs of equal tags in a
 * union) can be written one after the other. */
#include <inttypes.h>
#include <limits.h>

#include "engine/engine_int.h"

_Static_assert(sizeof(skep_view) == sizeof(duckdb_string_t), "views are DuckDB's strings");
_Static_assert(sizeof(skep_i128) == sizeof(duckdb_hugeint), "128-bit integers are DuckDB's");
_Static_assert(offsetof(skep_view, far.at) == offsetof(duckdb_string_t, value.pointer.ptr),
               "views are DuckDB's strings");

static skep_status no_memory(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "handing rows to the engine"); }

static void dict_fini(skep_fill_dict *d, const skep_ctx *ctx) {
  skep_dict_unref(d->dict);
  skep_release(ctx, d->views);
  *d = (skep_fill_dict){.dict = NULL};
}

void skep_fill_fini(skep_fill *fill) {
  if (fill->ctx == NULL) return;
  dict_fini(&fill->dict, fill->ctx);
  for (uint32_t i = 0; i < fill->n_children; i++) skep_fill_fini(&fill->children[i]);
  skep_release(fill->ctx, fill->children);
  *fill = (skep_fill){.ctx = NULL};
}

static skep_status need_children(skep_fill *fill, const skep_vec *from, skep_err *err) {
  if (fill->n_children == from->n_children) return SKEP_OK;
  fill->children = skep_alloc_zero(fill->ctx, from->n_children, sizeof *fill->children);
  if (fill->children == NULL) return no_memory(err);
  for (uint32_t i = 0; i < from->n_children; i++) fill->children[i].ctx = fill->ctx;
  fill->n_children = from->n_children;
  return SKEP_OK;
}

/* ---- validity ---- */

static uint64_t *writable_validity(duckdb_vector to) {
  skep_duck.vector_ensure_validity_writable(to);
  return skep_duck.vector_get_validity(to);
}

static bool is_valid_bit(const uint8_t *bits, int64_t i) { return bits[i >> 3] >> (i & 7) & 1; }

/* Bits below `at` stay. New masks are all valid, so only NULLs are written. */
static void fill_validity(const skep_vec *from, int64_t first, int64_t count, duckdb_vector to, uint64_t at) {
  if (!from->has_nulls || count == 0) return;
  const uint8_t *bits = from->validity.data;
  uint64_t *mask = writable_validity(to);
  if (at % 8 == 0 && first % 8 == 0) {
    uint8_t *out = (uint8_t *)mask + at / 8;
    memcpy(out, bits + first / 8, (size_t)count / 8);
    for (int64_t i = count & ~INT64_C(7); i < count; i++) {
      if (!is_valid_bit(bits, first + i)) out[i >> 3] &= (uint8_t) ~(1u << (i & 7));
    }
    return;
  }
  for (int64_t i = 0; i < count; i++) {
    uint64_t k = at + (uint64_t)i;
    if (!is_valid_bit(bits, first + i)) mask[k / 64] &= ~(UINT64_C(1) << (k % 64));
  }
}

/* ---- fixed-width values ---- */

static void fill_bits(const skep_vec *from, int64_t first, int64_t count, uint8_t *to) {
  const uint8_t *bits = from->values.data;
  for (int64_t i = 0; i < count; i++) to[i] = is_valid_bit(bits, first + i);
}

static void fill_ts(const skep_vec *from, int64_t first, int64_t count, skep_huge *to) {
  const skep_ts *values = (const skep_ts *)from->values.data + first;
  for (int64_t i = 0; i < count; i++) to[i] = (skep_i128)values[i].seconds * 1000000000 + values[i].nanos;
}

static void fill_ts_unit(const skep_vec *from, int64_t first, int64_t count, int64_t factor, skep_huge *to) {
  const int64_t *values = (const int64_t *)from->values.data + first;
  for (int64_t i = 0; i < count; i++) to[i] = (skep_i128)values[i] * factor;
}

/* A decimal that came wider than DuckDB keeps it: the value fits, by its type. */
static void narrow_decimals(const skep_vec *from, int64_t first, int64_t count, size_t width, void *to) {
  const skep_i128 *values = (const skep_i128 *)from->values.data + first;
  for (int64_t i = 0; i < count; i++) {
    if (width == 2) ((int16_t *)to)[i] = (int16_t)values[i];
    if (width == 4) ((int32_t *)to)[i] = (int32_t)values[i];
    if (width == 8) ((int64_t *)to)[i] = (int64_t)values[i];
  }
}

static size_t decimal_width(unsigned precision) {
  return precision <= 4 ? 2 : precision <= 9 ? 4 : precision <= 18 ? 8 : 16;
}

static skep_status fill_fixed(const skep_vec *from, int64_t first, int64_t count, duckdb_vector to, uint64_t at,
                              skep_err *err) {
  uint8_t *data = skep_duck.vector_get_data(to);
  size_t width = skep_form_width(from->form);
  switch (from->form) {
    case SKEP_FORM_BOOL_BITS:
      fill_bits(from, first, count, data + at);
      return SKEP_OK;
    case SKEP_FORM_TS:
      fill_ts(from, first, count, (skep_huge *)data + at);
      return SKEP_OK;
    case SKEP_FORM_TS_US:
      fill_ts_unit(from, first, count, 1000, (skep_huge *)data + at);
      return SKEP_OK;
    case SKEP_FORM_TS_NS:
      fill_ts_unit(from, first, count, 1, (skep_huge *)data + at);
      return SKEP_OK;
    default:
      break;
  }
  if (width == 0) return skep_fail(err, SKEP_ERR_INTERNAL, "a source sent values in form %d", (int)from->form);
  if (from->type->kind == SKEP_DECIMAL && decimal_width(from->type->precision) != width) {
    width = decimal_width(from->type->precision);
    if (from->form != SKEP_FORM_I128) return skep_fail(err, SKEP_ERR_INTERNAL, "decimals in form %d", (int)from->form);
    narrow_decimals(from, first, count, width, data + at * width);
    return SKEP_OK;
  }
  const uint8_t *values = from->values.data;
  if (count != 0) memcpy(data + at * width, values + (uint64_t)first * width, (size_t)count * width);
  return SKEP_OK;
}

/* ---- strings ---- */

/* Without the blanks at its end. */
static skep_view strip_view(skep_view view) {
  const uint8_t *bytes =
      view.inlined.length <= sizeof view.inlined.bytes ? (const uint8_t *)view.inlined.bytes : view.far.at;
  size_t length = view.inlined.length;
  while (length > 0 && bytes[length - 1] == ' ') length--;
  return length == view.inlined.length ? view : skep_view_of(skep_bytes_of(bytes, length));
}

/* The views of a dictionary, CHARs stripped. */
static skep_status dict_views(skep_fill *fill, const skep_vec *from, const skep_view **out, skep_err *err) {
  skep_fill_dict *d = &fill->dict;
  skep_dict *dict = from->dict;
  if (d->dict != dict) {
    dict_fini(d, fill->ctx);
    d->views = skep_alloc(fill->ctx, ((size_t)dict->count + 1) * sizeof *d->views);
    if (d->views == NULL) return no_memory(err);
    d->dict = skep_dict_ref(dict);
    memset(&d->views[dict->count], 0, sizeof *d->views);
    d->views[0] = d->views[dict->count]; /* codes below NULLs are 0, also in an empty dictionary */
    for (uint32_t i = 0; i < dict->count; i++) {
      d->views[i] =
          skep_view_of(skep_bytes_of(dict->bytes + dict->offsets[i], dict->offsets[i + 1] - dict->offsets[i]));
      if (from->type->kind == SKEP_CHAR) d->views[i] = strip_view(d->views[i]);
    }
  }
  *out = d->views;
  return SKEP_OK;
}

static skep_status fill_strings(skep_fill *fill, const skep_vec *from, int64_t first, int64_t count, duckdb_vector to,
                                uint64_t at, skep_err *err) {
  skep_view *data = (skep_view *)skep_duck.vector_get_data(to) + at;
  bool is_char = from->type->kind == SKEP_CHAR;
  if (from->form == SKEP_FORM_DICT) {
    const skep_view *views;
    const int32_t *codes = (const int32_t *)from->values.data + first;
    SKEP_TRY(dict_views(fill, from, &views, err));
    for (int64_t i = 0; i < count; i++) data[i] = views[codes[i]];
    return SKEP_OK;
  }
  if (from->form == SKEP_FORM_VIEW) {
    const skep_view *views = (const skep_view *)from->values.data + first;
    if (count != 0) memcpy(data, views, (size_t)count * sizeof *data);
    if (!is_char) return SKEP_OK;
  } else if (from->form == SKEP_FORM_STR) {
    const int32_t *offsets = (const int32_t *)from->offsets.data + first;
    const uint8_t *heap = from->heap.data;
    for (int64_t i = 0; i < count; i++)
      data[i] = skep_view_of(skep_bytes_of(heap + offsets[i], (size_t)(offsets[i + 1] - offsets[i])));
  } else {
    return skep_fail(err, SKEP_ERR_INTERNAL, "a source sent strings in form %d", (int)from->form);
  }
  for (int64_t i = 0; is_char && i < count; i++) {
    if (skep_vec_is_valid(from, first + i)) data[i] = strip_view(data[i]);
  }
  return SKEP_OK;
}

/* ---- nested values ---- */

static skep_status fill_list(skep_fill *fill, const skep_vec *from, int64_t first, int64_t count, duckdb_vector to,
                             uint64_t at, skep_err *err) {
  duckdb_list_entry *entries = (duckdb_list_entry *)skep_duck.vector_get_data(to) + at;
  const int32_t *offsets = (const int32_t *)from->offsets.data + first;
  uint64_t base = skep_duck.list_vector_get_size(to);
  int64_t begin = offsets[0], n = offsets[count] - begin;
  for (int64_t i = 0; i < count; i++) {
    entries[i].offset = base + (uint64_t)(offsets[i] - begin);
    entries[i].length = (uint64_t)(offsets[i + 1] - offsets[i]);
  }
  if (skep_duck.list_vector_reserve(to, base + (uint64_t)n) != DuckDBSuccess ||
      skep_duck.list_vector_set_size(to, base + (uint64_t)n) != DuckDBSuccess)
    return no_memory(err);
  duckdb_vector child = skep_duck.list_vector_get_child(to);
  if (from->type->kind == SKEP_LIST)
    return skep_fill_vector(&fill->children[0], &from->children[0], begin, n, child, base, err);
  for (uint32_t k = 0; k < 2; k++) {
    duckdb_vector part = skep_duck.struct_vector_get_child(child, k);
    SKEP_TRY(skep_fill_vector(&fill->children[k], &from->children[k], begin, n, part, base, err));
  }
  return SKEP_OK;
}

static skep_status fill_struct(skep_fill *fill, const skep_vec *from, int64_t first, int64_t count, duckdb_vector to,
                               uint64_t at, skep_err *err) {
  for (uint32_t i = 0; i < from->n_children; i++) {
    duckdb_vector child = skep_duck.struct_vector_get_child(to, i);
    SKEP_TRY(skep_fill_vector(&fill->children[i], &from->children[i], first, count, child, at, err));
  }
  return SKEP_OK;
}

/* Makes `count` entries of a whole vector tree NULL; lists are empty. */
static void fill_nulls(const skep_type *type, duckdb_vector to, uint64_t at, int64_t count) {
  uint64_t *mask = writable_validity(to);
  for (int64_t i = 0; i < count; i++) {
    uint64_t k = at + (uint64_t)i;
    mask[k / 64] &= ~(UINT64_C(1) << (k % 64));
  }
  if (type->kind == SKEP_LIST || type->kind == SKEP_MAP) {
    duckdb_list_entry *entries = (duckdb_list_entry *)skep_duck.vector_get_data(to) + at;
    for (int64_t i = 0; i < count; i++) entries[i] = (duckdb_list_entry){0, 0};
  }
  uint32_t extra = type->kind == SKEP_UNION ? 1 : 0;
  if (type->kind != SKEP_STRUCT && extra == 0) return;
  static const skep_type tag = {.kind = SKEP_TINYINT};
  for (uint32_t i = 0; i < type->n_children + extra; i++)
    fill_nulls(i < extra ? &tag : type->children[i - extra], skep_duck.struct_vector_get_child(to, i), at, count);
}

/* STRUCT(tag, f0, ..): by runs of rows that have the same tag. */
static skep_status fill_union(skep_fill *fill, const skep_vec *from, int64_t first, int64_t count, duckdb_vector to,
                              uint64_t at, skep_err *err) {
  const int8_t *tags = from->values.data;
  const int32_t *offsets = from->offsets.data;
  duckdb_vector tag_vector = skep_duck.struct_vector_get_child(to, 0);
  int8_t *tag_data = skep_duck.vector_get_data(tag_vector);
  for (int64_t i = first, end; i < first + count; i = end) {
    bool valid = skep_vec_is_valid(from, i);
    for (end = i + 1; end < first + count && skep_vec_is_valid(from, end) == valid && (!valid || tags[end] == tags[i]);)
      end++;
    uint64_t k = at + (uint64_t)(i - first);
    static const skep_type tag = {.kind = SKEP_TINYINT};
    if (valid) {
      memset(tag_data + k, tags[i], (size_t)(end - i));
    } else {
      fill_nulls(&tag, tag_vector, k, end - i);
    }
    for (uint32_t c = 0; c < from->n_children; c++) {
      duckdb_vector child = skep_duck.struct_vector_get_child(to, c + 1);
      if (valid && tags[i] == (int8_t)c) {
        SKEP_TRY(skep_fill_vector(&fill->children[c], &from->children[c], offsets[i], end - i, child, k, err));
      } else {
        fill_nulls(from->type->children[c], child, k, end - i);
      }
    }
  }
  return SKEP_OK;
}

skep_status skep_fill_vector(skep_fill *fill, const skep_vec *from, int64_t first, int64_t count, duckdb_vector to,
                             uint64_t at, skep_err *err) {
  if (from->n_children != 0) SKEP_TRY(need_children(fill, from, err));
  fill_validity(from, first, count, to, at);
  switch (from->type->kind) {
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
    case SKEP_BINARY:
      return fill_strings(fill, from, first, count, to, at, err);
    case SKEP_LIST:
    case SKEP_MAP:
      return fill_list(fill, from, first, count, to, at, err);
    case SKEP_STRUCT:
      return fill_struct(fill, from, first, count, to, at, err);
    case SKEP_UNION:
      return fill_union(fill, from, first, count, to, at, err);
    default:
      return fill_fixed(from, first, count, to, at, err);
  }
}
