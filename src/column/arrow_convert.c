/* Forms that Arrow does not have, brought to those it has: one function per form, on whole vectors. */
#include "base/utf8.h"
#include "column/arrow.h"
#include "column/arrow_int.h"
#include "column/vec_int.h"

void skep_arrow_say_replaced(const skep_ctx *ctx) {
  skep_log(ctx, SKEP_LOG_WARN, "strings that are no UTF-8: invalid sequences were replaced by U+FFFD");
}

/* ---- fixed-width values ---- */

/* Puts a new values buffer in the place of the old one. */
static void replace_values(skep_vec *vec, void *data, size_t capacity, skep_form form) {
  if (!vec->values.lent) skep_release(vec->ctx, vec->values.data);
  vec->values = (skep_vbuf){.data = data, .capacity = capacity};
  vec->form = form;
}

static skep_status new_values(skep_vec *vec, size_t size, void **out, skep_err *err) {
  *out = skep_alloc_zero(vec->ctx, 1, size + SKEP_VEC_SLACK);
  if (*out == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for an Arrow buffer of %zu bytes", size);
  return SKEP_OK;
}

static skep_status bytes_to_bits(skep_vec *vec, skep_err *err) {
  size_t size = ((size_t)vec->length + 7) / 8;
  const uint8_t *bytes = vec->values.data;
  void *bits;
  SKEP_TRY(new_values(vec, size, &bits, err));
  for (int64_t i = 0; i < vec->length; i++) ((uint8_t *)bits)[i >> 3] |= (uint8_t)((bytes[i] & 1) << (i & 7));
  replace_values(vec, bits, size, SKEP_FORM_BOOL_BITS);
  return SKEP_OK;
}

static skep_status widen_decimals(skep_vec *vec, skep_err *err) {
  size_t size = (size_t)vec->length * sizeof(skep_i128);
  void *data;
  SKEP_TRY(new_values(vec, size, &data, err));
  skep_i128 *wide = data;
  const void *from = vec->values.data;
  switch (vec->form) {
    case SKEP_FORM_I16:
      for (int64_t i = 0; i < vec->length; i++) wide[i] = ((const int16_t *)from)[i];
      break;
    case SKEP_FORM_I32:
      for (int64_t i = 0; i < vec->length; i++) wide[i] = ((const int32_t *)from)[i];
      break;
    default:
      for (int64_t i = 0; i < vec->length; i++) wide[i] = ((const int64_t *)from)[i];
      break;
  }
  replace_values(vec, data, size, SKEP_FORM_I128);
  return SKEP_OK;
}

/* In place: no entry of the result is longer than what it comes from. What lies below a NULL is converted, or 0 when it
 * does not fit. Inlined with constants, so that no
 * division by a variable is left in the loop. */
static inline __attribute__((always_inline)) skep_status convert_times(skep_vec *vec, skep_form from,
                                                                       int64_t from_units, int64_t units,
                                                                       skep_err *err) {
  uint8_t *data = vec->values.data;
  for (int64_t i = 0; i < vec->length; i++) {
    skep_ts ts = {0};
    int64_t value = 0;
    if (from == SKEP_FORM_TS) {
      memcpy(&ts, data + (size_t)i * sizeof ts, sizeof ts);
    } else {
      memcpy(&value, data + (size_t)i * sizeof value, sizeof value);
      ts = skep_ts_from(value, from_units);
    }
    if (!skep_ts_to_units(ts, units, &value)) {
      if (skep_vec_is_valid(vec, i)) {
        return skep_wrap(err, skep_arrow_ts_range(vec->ctx, ts, units, err), "row %lld", (long long)i);
      }
      value = 0;
    }
    memcpy(data + (size_t)i * sizeof value, &value, sizeof value);
  }
  return SKEP_OK;
}

static skep_status times_to(skep_vec *vec, skep_form to, skep_err *err) {
  enum { MICRO = 1000000, NANO = 1000000000 };
  skep_status st;
  if (vec->form == SKEP_FORM_TS) {
    st = to == SKEP_FORM_TS_NS ? convert_times(vec, SKEP_FORM_TS, 1, NANO, err)
                               : convert_times(vec, SKEP_FORM_TS, 1, MICRO, err);
  } else {
    st = to == SKEP_FORM_TS_NS ? convert_times(vec, SKEP_FORM_TS_US, MICRO, NANO, err)
                               : convert_times(vec, SKEP_FORM_TS_NS, NANO, MICRO, err);
  }
  if (st == SKEP_OK) vec->form = to;
  return st;
}

/* ---- strings ---- */

/* Takes over strings, offsets and heap of a plain string vector in place of whatever the vector held. */
static void take_strings(skep_vec *vec, skep_vec *plain) {
  skep_release(vec->ctx, vec->offsets.data); /* strings are never lent */
  skep_release(vec->ctx, vec->heap.data);
  vec->form = SKEP_FORM_STR;
  vec->offsets = plain->offsets;
  vec->heap = plain->heap;
  vec->heap_size = plain->heap_size;
  plain->offsets = plain->heap = (skep_vbuf){0};
  skep_dict_unref(vec->dict);
  vec->dict = NULL;
  skep_vec_fini(plain);
}

/* Views, or codes whose dictionary is not kept, as plain strings. */
static skep_status to_plain_strings(skep_vec *vec, skep_err *err) {
  skep_vec plain = {.ctx = vec->ctx, .type = vec->type, .form = SKEP_FORM_STR};
  skep_status st = skep_vec_append(&plain, vec, 0, vec->length, err);
  if (st != SKEP_OK) {
    skep_vec_fini(&plain);
    return st;
  }
  take_strings(vec, &plain);
  return SKEP_OK;
}

static bool is_ascii(const uint8_t *at, size_t n) {
  uint64_t high = 0;
  for (; n >= 32; at += 32, n -= 32) {
    high |= skep_load_le64(at) | skep_load_le64(at + 8) | skep_load_le64(at + 16) | skep_load_le64(at + 24);
  }
  for (; n > 0; at++, n--) high |= *at;
  return (high & UINT64_C(0x8080808080808080)) == 0;
}

/* Whether n strings that follow one another are UTF-8, each for itself: all bytes together are, and no string starts
 * inside a character. */
static bool all_valid(const uint8_t *bytes, const uint32_t *offsets, int64_t n) {
  size_t start = offsets[0], size = offsets[n] - start;
  if (size == 0 || is_ascii(bytes + start, size)) return true;
  if (skep_utf8_valid_length(bytes + start, size) != size) return false;
  for (int64_t i = 0; i < n; i++) {
    if (offsets[i] < offsets[n] && (bytes[offsets[i]] & 0xc0) == 0x80) return false;
  }
  return true;
}

/* Length of a string with U+FFFD in the place of what is broken; written to `out` unless that is NULL. */
static size_t replace_broken(skep_bytes text, uint8_t *out) {
  size_t size = 0;
  while (text.left != 0) {
    size_t good = skep_utf8_valid_length(text.at, text.left);
    if (out != NULL) memcpy(out + size, text.at, good);
    size += good;
    text.at += good;
    text.left -= good;
    if (text.left == 0) break;
    size_t broken = skep_utf8_broken_length(text.at, text.left);
    if (out != NULL) memcpy(out + size, "\xef\xbf\xbd", 3);
    size += 3;
    text.at += broken;
    text.left -= broken;
  }
  return size;
}

static skep_status put_replaced(skep_vec *plain, const skep_vec *from, skep_err *err) {
  int64_t n = from->length;
  uint64_t size = 0;
  for (int64_t i = 0; i < n; i++) size += replace_broken(skep_vec_bytes(from, i), NULL);
  SKEP_TRY(skep_vec_reserve(plain, n, false, err));
  SKEP_TRY(skep_vec_reserve_heap(plain, (size_t)size, err));
  int32_t *offsets = plain->offsets.data;
  for (int64_t i = 0; i < n; i++) {
    skep_bytes text = skep_vec_bytes(from, i);
    if (text.left != 0) plain->heap_size += replace_broken(text, (uint8_t *)plain->heap.data + plain->heap_size);
    offsets[i + 1] = (int32_t)plain->heap_size;
  }
  return SKEP_OK;
}

static skep_status not_utf8(const skep_vec *vec, skep_err *err) {
  for (int64_t i = 0; i < vec->length; i++) {
    if (!skep_vec_is_valid(vec, i)) continue;
    skep_bytes text = skep_vec_bytes(vec, i);
    size_t at = skep_utf8_valid_length(text.at, text.left);
    if (at == text.left) continue;
    char quoted[80];
    return skep_fail(err, SKEP_ERR_RANGE, "row %lld: invalid UTF-8 at byte %zu of the string \"%s\"", (long long)i, at,
                     skep_quote(quoted, sizeof quoted, text.at, text.left));
  }
  return SKEP_OK; /* the broken bytes are below NULLs or in unused entries of a dictionary */
}

static skep_status clean_strings(arrow_exporter *x, skep_vec *vec) {
  if (vec->length == 0 || all_valid(vec->heap.data, vec->offsets.data, vec->length)) return SKEP_OK;
  if (x->utf8 == SKEP_UTF8_FAIL) SKEP_TRY(not_utf8(vec, x->err));
  skep_vec plain = {.ctx = vec->ctx, .type = vec->type, .form = SKEP_FORM_STR};
  skep_status st = put_replaced(&plain, vec, x->err);
  if (st != SKEP_OK) {
    skep_vec_fini(&plain);
    return st;
  }
  take_strings(vec, &plain);
  if (x->utf8 == SKEP_UTF8_REPLACE) x->replaced = true;
  return SKEP_OK;
}

static bool dict_is_valid(skep_dict *dict) {
  enum { UNKNOWN, YES, NO };
  uint32_t known = __atomic_load_n(&dict->utf8, __ATOMIC_RELAXED);
  if (known == UNKNOWN) {
    known = all_valid(dict->bytes, dict->offsets, dict->count) ? YES : NO;
    __atomic_store_n(&dict->utf8, known, __ATOMIC_RELAXED);
  }
  return known == YES;
}

/* A dictionary with broken entries gets a clean copy, under the same codes. */
static skep_status clean_dictionary(arrow_exporter *x, skep_vec *vec) {
  const skep_dict *dict = vec->dict;
  uint64_t size = 0;
  for (uint32_t i = 0; i < dict->count; i++) {
    size +=
        replace_broken(skep_bytes_of(dict->bytes + dict->offsets[i], dict->offsets[i + 1] - dict->offsets[i]), NULL);
  }
  skep_dict *clean;
  uint32_t *offsets;
  uint8_t *bytes;
  SKEP_TRY(skep_dict_new(vec->ctx, dict->count, (size_t)size, &clean, &offsets, &bytes, x->err));
  offsets[0] = 0;
  for (uint32_t i = 0; i < dict->count; i++) {
    skep_bytes text = skep_bytes_of(dict->bytes + dict->offsets[i], dict->offsets[i + 1] - dict->offsets[i]);
    offsets[i + 1] = offsets[i] + (uint32_t)replace_broken(text, bytes + offsets[i]);
  }
  skep_dict_unref(vec->dict);
  vec->dict = clean;
  if (x->utf8 == SKEP_UTF8_REPLACE) x->replaced = true;
  return SKEP_OK;
}

static skep_status convert_strings(arrow_exporter *x, skep_vec *vec) {
  bool keep = x->forms->keep_dictionaries && vec->form == SKEP_FORM_DICT;
  if (!keep && vec->form != SKEP_FORM_STR) SKEP_TRY(to_plain_strings(vec, x->err));
  if (vec->type->kind == SKEP_BINARY || x->utf8 == SKEP_UTF8_AS_IS) return SKEP_OK;
  if (!keep) return clean_strings(x, vec);
  if (vec->dict == NULL || dict_is_valid(vec->dict)) return SKEP_OK;
  if (x->utf8 == SKEP_UTF8_FAIL) SKEP_TRY(not_utf8(vec, x->err));
  return clean_dictionary(x, vec);
}

/* ---- unions ---- */

/* Arrow's unions have no validity: a NULL becomes a NULL of the first child, at its place among that child's entries,
 * since offsets ascend in each child. */
static skep_status null_members(skep_vec *vec, skep_vec *first, const skep_vec *null, skep_err *err) {
  const int8_t *tags = vec->values.data;
  int32_t *offsets = vec->offsets.data;
  int32_t pending = 0, moved = 0; /* entries of the old first child that are to be appended, and those that were */
  for (int64_t i = 0; i < vec->length; i++) {
    if (skep_vec_is_valid(vec, i)) {
      if (tags[i] != 0) continue;
      offsets[i] = (int32_t)first->length + pending++;
      continue;
    }
    SKEP_TRY(skep_vec_append(first, &vec->children[0], moved, pending, err));
    moved += pending;
    pending = 0;
    offsets[i] = (int32_t)first->length;
    SKEP_TRY(skep_vec_append(first, null, 0, 1, err));
  }
  return skep_vec_append(first, &vec->children[0], moved, pending, err);
}

static skep_status convert_union(skep_vec *vec, skep_err *err) {
  if (!vec->has_nulls || vec->null_count == 0) return SKEP_OK;
  skep_vec first = {0}, null = {0};
  skep_status st = skep_vec_init_like(&first, &vec->children[0], err);
  if (st == SKEP_OK) st = skep_vec_init_like(&null, &vec->children[0], err);
  if (st == SKEP_OK) st = skep_vec_set_null(&null, 1, err);
  if (st == SKEP_OK) st = null_members(vec, &first, &null, err);
  if (st == SKEP_OK) {
    skep_vec_fini(&vec->children[0]);
    vec->children[0] = first;
    first = (skep_vec){0};
    vec->has_nulls = false;
  }
  skep_vec_fini(&first);
  skep_vec_fini(&null);
  return st;
}

skep_status skep_arrow_convert(arrow_exporter *x, skep_vec *vec) {
  skep_form times = x->forms->timestamp == SKEP_FORM_TS_NS ? SKEP_FORM_TS_NS : SKEP_FORM_TS_US;
  switch (vec->type->kind) {
    case SKEP_BOOLEAN:
      return vec->form == SKEP_FORM_BOOL_BYTES ? bytes_to_bits(vec, x->err) : SKEP_OK;
    case SKEP_DECIMAL:
      return vec->form == SKEP_FORM_I128 ? SKEP_OK : widen_decimals(vec, x->err);
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      return vec->form == times ? SKEP_OK : times_to(vec, times, x->err);
    case SKEP_UNION:
      return convert_union(vec, x->err);
    default:
      return skep_kind_is_bytes(vec->type->kind) ? convert_strings(x, vec) : SKEP_OK;
  }
}
