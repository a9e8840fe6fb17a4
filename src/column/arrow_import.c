/* Foreign Arrow arrays copied into vectors: checking the arrays, validity, nested types and dictionaries.
 *
 * Everything that the C data interface lets us check is checked before it is used: numbers of buffers and children,
 * lengths and offsets against each other, offsets in order, codes and tags in range. The sizes of buffers are not known
 * to a consumer, so an array that lies about its length cannot be caught.
 *
 * Import appends: lists and unions bring their children in range by range. */
#include <stdarg.h>
#include <stdio.h>

#include "column/arrow_int.h"
#include "column/vec_int.h"

skep_status skep_arrow_broken(skep_err *err, const char *format, ...) {
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return skep_fail(err, SKEP_ERR_CORRUPT, "Arrow array: %s", text);
}

/* Validity that comes from above: bit `at` + i says whether the parent of entry i is valid. bits NULL: all are. */
typedef struct mask {
  const void *bits;
  int64_t at;
} mask;

static const mask no_mask = {NULL, 0};

static skep_status import_node(skep_vec *vec, const struct ArrowSchema *schema, const struct ArrowArray *array,
                               int64_t first, int64_t count, mask above, skep_err *err);

static skep_status within(skep_status st, const char *what, skep_err *err) {
  return st == SKEP_OK ? SKEP_OK : skep_wrap(err, st, "%s", what);
}

/* ---- checks ---- */

static bool has_bitmap(const arrow_format *f) { return f->like.kind != SKEP_UNION; }

bool skep_arrow_is_valid(const struct ArrowArray *array, int64_t i) {
  return array->null_count == 0 || array->buffers[0] == NULL || skep_bit_get(array->buffers[0], i);
}

static skep_status check_buffers(const struct ArrowArray *array, int64_t expected, bool bitmap, skep_err *err) {
  bool right = expected >= 0 ? array->n_buffers == expected : array->n_buffers >= 3;
  if (!right || (array->n_buffers > 0 && array->buffers == NULL)) {
    return skep_arrow_broken(err, "%lld buffers where %lld are expected", (long long)array->n_buffers,
                             (long long)(expected < 0 ? 3 : expected));
  }
  if (bitmap && array->buffers[0] == NULL && array->null_count > 0) {
    return skep_arrow_broken(err, "%lld NULLs but no validity bitmap", (long long)array->null_count);
  }
  int64_t n_needed =
      expected < 0 || expected > 2 ? 2 : expected; /* bytes of strings may be absent when there are none */
  for (int64_t i = bitmap; i < n_needed && array->length > 0; i++) {
    if (array->buffers[i] == NULL) return skep_arrow_broken(err, "buffer %lld is NULL", (long long)i);
  }
  return SKEP_OK;
}

static skep_status check_counts(const struct ArrowArray *array, skep_err *err) {
  if (array == NULL || array->release == NULL) return skep_arrow_broken(err, "missing or released");
  int64_t end;
  if (array->length < 0 || array->offset < 0 || array->null_count < -1 || array->null_count > array->length ||
      __builtin_add_overflow(array->length, array->offset, &end) || end > INT64_MAX / 32) {
    return skep_arrow_broken(err, "length %lld, offset %lld, %lld NULLs", (long long)array->length,
                             (long long)array->offset, (long long)array->null_count);
  }
  return SKEP_OK;
}

static skep_status check_array(const struct ArrowSchema *schema, const struct ArrowArray *array, const arrow_format *f,
                               int64_t first, int64_t count, skep_err *err) {
  SKEP_TRY(check_counts(array, err));
  if (first < 0 || count < 0 || first > array->length || count > array->length - first) {
    return skep_arrow_broken(err, "entries %lld to %lld of %lld are asked for", (long long)first,
                             (long long)(first + count), (long long)array->length);
  }
  bool coded = schema->dictionary != NULL;
  if (coded != (array->dictionary != NULL)) return skep_arrow_broken(err, "its schema differs about a dictionary");
  SKEP_TRY(check_buffers(array, coded ? 2 : f->n_buffers, coded || has_bitmap(f), err));
  int64_t n_children = coded ? 0 : schema->n_children;
  if (array->n_children != n_children || (n_children > 0 && array->children == NULL)) {
    return skep_arrow_broken(err, "%lld children where %lld are expected", (long long)array->n_children,
                             (long long)n_children);
  }
  return SKEP_OK;
}

/* The vector is of the type that the schema has, and strings of any kind are bytes. */
static skep_status check_type(const skep_vec *vec, const struct ArrowSchema *schema, const arrow_format *f,
                              skep_err *err) {
  const skep_type *type = vec->type;
  const struct ArrowSchema *own = schema->dictionary != NULL ? schema->dictionary : schema;
  int64_t n_children = f->layout == ARROW_MAP ? 2 : own->n_children;
  bool same = type->kind == f->like.kind || (skep_kind_is_bytes(type->kind) && skep_kind_is_bytes(f->like.kind));
  if (type->kind == SKEP_DECIMAL) same = same && type->precision >= f->like.precision && type->scale == f->like.scale;
  if (same && n_children == type->n_children) return SKEP_OK;
  char quoted[100];
  return skep_fail(err, SKEP_ERR_ARGUMENT, "Arrow format \"%s\" does not fit a column of type %s",
                   skep_quote(quoted, sizeof quoted, own->format, strlen(own->format)), skep_kind_name(type->kind));
}

/* ---- validity ---- */

/* Writes the validity of the entries that are about to be appended; makes room for them. */
static skep_status import_validity(skep_vec *vec, const struct ArrowArray *array, bool bitmap, int64_t first,
                                   int64_t count, mask above, skep_err *err) {
  int64_t at = vec->length;
  bool nulls = above.bits != NULL || (bitmap && array->null_count != 0 && array->buffers[0] != NULL);
  SKEP_TRY(skep_vec_reserve(vec, at + count, nulls || vec->has_nulls, err));
  if (nulls) SKEP_TRY(skep_vec_need_validity(vec, err));
  if (!vec->has_nulls || count == 0) return SKEP_OK;
  void *to = vec->validity.data;
  if (bitmap && array->null_count != 0 && array->buffers[0] != NULL) {
    skep_bits_copy(to, at, array->buffers[0], first, count);
  } else {
    skep_bits_fill(to, at, count);
  }
  for (int64_t i = 0; above.bits != NULL && i < count; i++) {
    if (!skep_bit_get(above.bits, above.at + i)) skep_bit_clear(to, at + i);
  }
  vec->null_count += count - skep_bits_count(to, at, count);
  return SKEP_OK;
}

/* ---- lists and maps ---- */

/* Appends entries start .. start + n - 1 of a list's child. */
static skep_status import_elements(skep_vec *vec, const arrow_source *from, int64_t start, int64_t n, skep_err *err) {
  const struct ArrowArray *child = from->array->children[0];
  if (n == 0) return SKEP_OK;
  if (from->format->layout != ARROW_MAP) {
    return within(import_node(&vec->children[0], from->schema->children[0], child, start, n, no_mask, err), "element",
                  err);
  }
  const struct ArrowSchema *entries = from->schema->children[0];
  static const arrow_format entries_format = {.layout = ARROW_STRUCT, .n_buffers = 1, .like = {.kind = SKEP_STRUCT}};
  SKEP_TRY(check_array(entries, child, &entries_format, start, n, err));
  if (child->buffers[0] != NULL && child->null_count != 0 &&
      skep_bits_count(child->buffers[0], child->offset + start, n) != n) {
    return skep_arrow_broken(err, "an entry of a map is NULL");
  }
  start += child->offset;
  SKEP_TRY(within(import_node(&vec->children[0], entries->children[0], child->children[0], start, n, no_mask, err),
                  "key", err));
  if (vec->children[0].null_count != 0) return skep_arrow_broken(err, "a key of a map is NULL");
  return within(import_node(&vec->children[1], entries->children[1], child->children[1], start, n, no_mask, err),
                "value", err);
}

static skep_status list_range(const arrow_source *from, int64_t i, int64_t *start, int64_t *n, skep_err *err) {
  int64_t width = from->format->width;
  if (from->format->layout == ARROW_LIST_FIXED) {
    *n = width;
    if (!__builtin_mul_overflow(i, width, start)) return SKEP_OK;
    return skep_arrow_broken(err, "entry %lld of lists of %lld elements", (long long)i, (long long)width);
  }
  const uint8_t *at = (const uint8_t *)from->array->buffers[1] + i * width;
  *start = width == 4 ? (int32_t)skep_load_le32(at) : (int64_t)skep_load_le64(at);
  int64_t end = width == 4 ? (int32_t)skep_load_le32(at + 4) : (int64_t)skep_load_le64(at + 8);
  if (*start < 0 || end < *start) {
    return skep_arrow_broken(err, "offsets %lld and %lld at entry %lld do not ascend", (long long)*start,
                             (long long)end, (long long)i);
  }
  *n = end - *start;
  return SKEP_OK;
}

/* Ranges that follow one another are brought in together; what lies below NULLs is left out. */
static skep_status import_lists(skep_vec *vec, const arrow_source *from, skep_err *err) {
  int32_t *offsets = (int32_t *)vec->offsets.data + vec->length;
  int64_t start = 0, pending = 0, end = offsets[0];
  for (int64_t i = 0; i < from->count; i++) {
    int64_t at = 0, n = 0;
    if (skep_vec_is_valid(vec, vec->length + i)) SKEP_TRY(list_range(from, from->first + i, &at, &n, err));
    if (n > INT32_MAX - end) {
      return skep_fail(err, SKEP_ERR_LIMIT, "more than %d list elements in one batch", INT32_MAX);
    }
    if (n != 0 && at != start + pending) {
      SKEP_TRY(import_elements(vec, from, start, pending, err));
      start = at;
      pending = 0;
    }
    pending += n;
    end += n;
    offsets[i + 1] = (int32_t)end;
  }
  return import_elements(vec, from, start, pending, err);
}

/* ---- structs and unions ---- */

static skep_status import_struct(skep_vec *vec, const arrow_source *from, skep_err *err) {
  mask below = {vec->has_nulls ? vec->validity.data : NULL, vec->length};
  for (uint32_t i = 0; i < vec->n_children; i++) {
    const struct ArrowSchema *schema = from->schema->children[i];
    skep_status st =
        import_node(&vec->children[i], schema, from->array->children[i], from->first, from->count, below, err);
    if (st != SKEP_OK) {
      char name[100];
      return skep_wrap(err, st, "column %s", skep_arrow_field(schema, name, sizeof name));
    }
  }
  return SKEP_OK;
}

/* The child and the place in it of union entry i (counted in the buffers). */
static skep_status union_place(const arrow_source *from, int64_t i, int8_t *tag, int64_t *place, skep_err *err) {
  int8_t id = ((const int8_t *)from->array->buffers[0])[i];
  *tag = id < 0 ? -1 : from->format->child_of[id];
  if (*tag < 0)
    return skep_arrow_broken(err, "entry %lld has type id %d, which the union does not have", (long long)i, id);
  *place = i;
  if (from->format->layout == ARROW_UNION_DENSE) {
    *place = (int32_t)skep_load_le32((const uint8_t *)from->array->buffers[1] + i * 4);
  }
  return SKEP_OK;
}

/* Entries that follow one another in one child are brought in together. Entries below NULLs get none. */
static skep_status import_union(skep_vec *vec, const arrow_source *from, skep_err *err) {
  int8_t *tags = (int8_t *)vec->values.data + vec->length;
  int32_t *offsets = (int32_t *)vec->offsets.data + vec->length;
  for (int64_t i = 0; i < from->count;) {
    if (!skep_vec_is_valid(vec, vec->length + i)) {
      tags[i] = 0;
      offsets[i++] = 0;
      continue;
    }
    int8_t tag, next_tag;
    int64_t start, n = 0, place;
    SKEP_TRY(union_place(from, from->first + i, &tag, &start, err));
    skep_vec *child = &vec->children[tag];
    while (i < from->count && skep_vec_is_valid(vec, vec->length + i)) {
      SKEP_TRY(union_place(from, from->first + i, &next_tag, &place, err));
      if (next_tag != tag || place != start + n) break;
      tags[i] = tag;
      offsets[i++] = (int32_t)(child->length + n++);
    }
    skep_status st =
        import_node(child, from->schema->children[tag], from->array->children[tag], start, n, no_mask, err);
    if (st != SKEP_OK) return skep_wrap(err, st, "member %d", tag);
  }
  return SKEP_OK;
}

/* ---- dictionaries ---- */

static skep_status load_code(const arrow_source *from, int64_t i, int64_t *out, skep_err *err) {
  const uint8_t *buffer = from->array->buffers[1];
  uint64_t wide;
  switch (from->schema->format[0]) {
    case 'c':
      *out = (int8_t)buffer[i];
      break;
    case 'C':
      *out = buffer[i];
      break;
    case 's':
      *out = (int16_t)(buffer[2 * i] | buffer[2 * i + 1] << 8);
      break;
    case 'S':
      *out = buffer[2 * i] | buffer[2 * i + 1] << 8;
      break;
    case 'i':
      *out = (int32_t)skep_load_le32(buffer + 4 * i);
      break;
    case 'I':
      *out = skep_load_le32(buffer + 4 * i);
      break;
    default:
      wide = skep_load_le64(buffer + 8 * i);
      *out = wide > INT64_MAX ? -1 : (int64_t)wide;
      break;
  }
  const struct ArrowArray *dictionary = from->array->dictionary;
  if (*out < 0 || *out >= dictionary->length) {
    return skep_arrow_broken(err, "code %lld at entry %lld, the dictionary has %lld entries", (long long)*out,
                             (long long)i, (long long)dictionary->length);
  }
  return SKEP_OK;
}

/* The bytes of entry i; *null where the dictionary's own entry is NULL. */
static skep_status coded_bytes(const arrow_source *from, int64_t i, skep_bytes *out, bool *null, skep_err *err) {
  const struct ArrowArray *dictionary = from->array->dictionary;
  int64_t code;
  SKEP_TRY(load_code(from, i, &code, err));
  code += dictionary->offset;
  *out = (skep_bytes){NULL, 0};
  *null = !skep_arrow_is_valid(dictionary, code);
  return *null ? SKEP_OK : skep_arrow_value_bytes(from->format, dictionary, code, out, err);
}

/* Entry i of those to be appended turns out to be NULL. */
static skep_status clear_entry(skep_vec *vec, int64_t i, int64_t count, skep_err *err) {
  int64_t length = vec->length;
  vec->length += count; /* the bitmap is to cover all of them */
  skep_status st = skep_vec_need_validity(vec, err);
  vec->length = length;
  if (st != SKEP_OK) return st;
  skep_bit_clear(vec->validity.data, length + i);
  vec->null_count++;
  return SKEP_OK;
}

/* From a dictionary of strings: sizes and NULLs first, so that the heap does not move while views are written. */
static skep_status import_coded_strings(skep_vec *vec, const arrow_source *from, skep_err *err) {
  uint64_t size = vec->heap_size, limit = vec->ctx->limits.max_batch_bytes;
  skep_bytes value;
  bool null;
  for (int64_t i = 0; i < from->count && size <= limit; i++) {
    if (!skep_vec_is_valid(vec, vec->length + i)) continue;
    SKEP_TRY(coded_bytes(from, from->first + i, &value, &null, err));
    if (null) SKEP_TRY(clear_entry(vec, i, from->count, err));
    size += value.left;
  }
  SKEP_TRY(skep_vec_reserve_heap(vec, (size_t)size, err));
  for (int64_t i = 0; i < from->count; i++) {
    value = (skep_bytes){NULL, 0};
    if (skep_vec_is_valid(vec, vec->length + i)) SKEP_TRY(coded_bytes(from, from->first + i, &value, &null, err));
    skep_vec_put_bytes(vec, vec->length + i, value);
  }
  return SKEP_OK;
}

/* From a dictionary of anything else: a rarity, so value by value. */
static skep_status append_null(skep_vec *vec, skep_err *err) {
  skep_vec null = {0};
  skep_status st = skep_vec_init_like(&null, vec, err);
  if (st == SKEP_OK) st = skep_vec_set_null(&null, 1, err);
  if (st == SKEP_OK) st = skep_vec_append(vec, &null, 0, 1, err);
  skep_vec_fini(&null);
  return st;
}

static skep_status import_coded(skep_vec *vec, const arrow_source *from, mask above, skep_err *err) {
  for (int64_t i = 0; i < from->count; i++) {
    int64_t code = 0;
    bool valid = skep_arrow_is_valid(from->array, from->first + i) &&
                 (above.bits == NULL || skep_bit_get(above.bits, above.at + i));
    if (valid) {
      SKEP_TRY(load_code(from, from->first + i, &code, err));
      SKEP_TRY(import_node(vec, from->schema->dictionary, from->array->dictionary, code, 1, no_mask, err));
      continue;
    }
    SKEP_TRY(append_null(vec, err));
  }
  return SKEP_OK;
}

/* ---- the tree ---- */

static skep_status import_content(skep_vec *vec, const arrow_source *from, skep_err *err) {
  if (from->count == 0) return SKEP_OK;
  if (from->schema->dictionary != NULL) return import_coded_strings(vec, from, err);
  switch (from->format->layout) {
    case ARROW_LIST:
    case ARROW_LIST_FIXED:
    case ARROW_MAP:
      return import_lists(vec, from, err);
    case ARROW_STRUCT:
      return import_struct(vec, from, err);
    case ARROW_UNION_DENSE:
    case ARROW_UNION_SPARSE:
      return import_union(vec, from, err);
    default:
      return skep_arrow_import_values(vec, from, err);
  }
}

/* Appends entries first .. first + count - 1 of an array, not counting the array's own offset. */
static skep_status import_node(skep_vec *vec, const struct ArrowSchema *schema, const struct ArrowArray *array,
                               int64_t first, int64_t count, mask above, skep_err *err) {
  arrow_format f;
  SKEP_TRY(skep_arrow_format_parse(schema, &f, err));
  SKEP_TRY(check_type(vec, schema, &f, err));
  SKEP_TRY(check_array(schema, array, &f, first, count, err));
  bool coded = schema->dictionary != NULL;
  arrow_source from = {schema, array, &f, array->offset + first, count};
  if (coded) {
    SKEP_TRY(check_array(schema->dictionary, array->dictionary, &f, 0, 0, err));
    if (!skep_kind_is_bytes(vec->type->kind)) return import_coded(vec, &from, above, err);
  }
  SKEP_TRY(import_validity(vec, array, coded || has_bitmap(&f), from.first, count, above, err));
  SKEP_TRY(import_content(vec, &from, err));
  vec->length += count;
  return SKEP_OK;
}

/* Bitmaps that turned out to be full are forgotten. */
static void forget_full_bitmaps(skep_vec *vec) {
  if (vec->null_count == 0) vec->has_nulls = false;
  for (uint32_t i = 0; i < vec->n_children; i++) forget_full_bitmaps(&vec->children[i]);
}

skep_status skep_arrow_import_vec(skep_vec *vec, const struct ArrowSchema *schema, const struct ArrowArray *array,
                                  skep_err *err) {
  skep_vec_reset(vec);
  skep_status st = check_counts(array, err);
  if (st == SKEP_OK) st = import_node(vec, schema, array, 0, array->length, no_mask, err);
  if (st != SKEP_OK) {
    skep_vec_reset(vec);
    return st;
  }
  forget_full_bitmaps(vec);
  return SKEP_OK;
}
