/* Values of foreign Arrow arrays copied into vectors: every layout without children, checked value by value where a
 * value could be wrong. Foreign buffers may have any alignment. */
#include "column/arrow_int.h"
#include "column/vec_int.h"

static const uint8_t *at_entry(const arrow_source *from, int buffer, int64_t i) {
  return (const uint8_t *)from->array->buffers[buffer] + (from->first + i) * from->format->width;
}

static bool is_valid(const skep_vec *vec, int64_t i) { return skep_vec_is_valid(vec, vec->length + i); }

/* ---- numbers ---- */

static void copy_fixed(skep_vec *vec, const arrow_source *from, size_t width) {
  memcpy((uint8_t *)vec->values.data + (size_t)vec->length * width, at_entry(from, 1, 0), (size_t)from->count * width);
}

static void import_bools(skep_vec *vec, const arrow_source *from) {
  const void *bits = from->array->buffers[1];
  if (vec->form == SKEP_FORM_BOOL_BITS) {
    skep_bits_copy(vec->values.data, vec->length, bits, from->first, from->count);
    return;
  }
  uint8_t *bytes = (uint8_t *)vec->values.data + vec->length;
  for (int64_t i = 0; i < from->count; i++) bytes[i] = skep_bit_get(bits, from->first + i);
}

/* Each goes to the type of twice the width, which holds them all; 64 bits to a decimal of 20 digits. */
static void import_unsigned(skep_vec *vec, const arrow_source *from) {
  int64_t n = from->count;
  for (int64_t i = 0; i < n; i++) {
    const uint8_t *at = at_entry(from, 1, i);
    int64_t to = vec->length + i;
    switch (from->format->width) {
      case 1:
        ((int16_t *)vec->values.data)[to] = *at;
        break;
      case 2: {
        uint16_t v;
        memcpy(&v, at, sizeof v);
        ((int32_t *)vec->values.data)[to] = v;
        break;
      }
      case 4: {
        uint32_t v;
        memcpy(&v, at, sizeof v);
        ((int64_t *)vec->values.data)[to] = v;
        break;
      }
      default: {
        uint64_t v;
        memcpy(&v, at, sizeof v);
        ((skep_i128 *)vec->values.data)[to] = v;
        break;
      }
    }
  }
}

static skep_i128 load_signed(const uint8_t *at, int64_t width) {
  int32_t narrow;
  int64_t middle;
  skep_i128 wide;
  switch (width) {
    case 4:
      memcpy(&narrow, at, sizeof narrow);
      return narrow;
    case 8:
      memcpy(&middle, at, sizeof middle);
      return middle;
    default:
      memcpy(&wide, at, sizeof wide);
      return wide;
  }
}

/* Digits are checked: nothing in Arrow keeps a value within its precision, and narrow forms rely on it. */
static skep_status import_decimals(skep_vec *vec, const arrow_source *from, skep_err *err) {
  skep_i128 most = 1;
  for (unsigned i = 0; i < vec->type->precision; i++) most *= 10;
  size_t width = skep_form_width(vec->form);
  uint8_t *to = (uint8_t *)vec->values.data + (size_t)vec->length * width;
  for (int64_t i = 0; i < from->count; i++, to += width) {
    skep_i128 value = 0;
    if (is_valid(vec, i)) value = load_signed(at_entry(from, 1, i), from->format->width);
    if (value >= most || value <= -most) {
      return skep_fail(err, SKEP_ERR_RANGE, "row %lld: a decimal has more than %u digits", (long long)(vec->length + i),
                       vec->type->precision);
    }
    memcpy(to, &value, width); /* little-endian: the low bytes come first */
  }
  return SKEP_OK;
}

/* ---- dates and timestamps ---- */

static skep_status import_dates_ms(skep_vec *vec, const arrow_source *from, skep_err *err) {
  int32_t *days = (int32_t *)vec->values.data + vec->length;
  for (int64_t i = 0; i < from->count; i++) {
    int64_t ms = 0;
    if (is_valid(vec, i)) memcpy(&ms, at_entry(from, 1, i), sizeof ms);
    int64_t day = ms / 86400000 - (ms % 86400000 < 0);
    if (day < INT32_MIN || day > INT32_MAX) {
      return skep_fail(err, SKEP_ERR_RANGE, "row %lld: a date of %lld days does not fit", (long long)(vec->length + i),
                       (long long)day);
    }
    days[i] = (int32_t)day;
  }
  return SKEP_OK;
}

static skep_status import_times(skep_vec *vec, const arrow_source *from, skep_err *err) {
  int64_t from_units = from->format->per_second;
  int64_t to_units = vec->form == SKEP_FORM_TS_NS ? 1000000000 : 1000000;
  for (int64_t i = 0; i < from->count; i++) {
    int64_t value = 0;
    if (is_valid(vec, i)) memcpy(&value, at_entry(from, 1, i), sizeof value);
    skep_ts ts = skep_ts_from(value, from_units);
    if (vec->form == SKEP_FORM_TS) {
      ((skep_ts *)vec->values.data)[vec->length + i] = ts;
    } else if (!skep_ts_to_units(ts, to_units, (int64_t *)vec->values.data + vec->length + i)) {
      return skep_wrap(err, skep_arrow_ts_range(vec->ctx, ts, to_units, err), "row %lld", (long long)(vec->length + i));
    }
  }
  return SKEP_OK;
}

/* ---- strings ---- */

static int64_t load_offset(const struct ArrowArray *array, int64_t width, int64_t i) {
  const uint8_t *at = (const uint8_t *)array->buffers[1] + i * width;
  return width == 4 ? (int32_t)skep_load_le32(at) : (int64_t)skep_load_le64(at);
}

/* Views: int32 length; up to 12 bytes follow, or 4 bytes of prefix, int32 buffer, int32 offset.
 * Source: Apache Arrow, "Variable-size Binary View Layout"; the last buffer holds the sizes of the data buffers. */
static skep_status view_bytes(const struct ArrowArray *array, int64_t i, skep_bytes *out, skep_err *err) {
  const uint8_t *view = (const uint8_t *)array->buffers[1] + i * 16;
  int32_t length = (int32_t)skep_load_le32(view), buffer = (int32_t)skep_load_le32(view + 8),
          offset = (int32_t)skep_load_le32(view + 12);
  if (length >= 0 && length <= 12) {
    *out = skep_bytes_of(view + 4, (size_t)length);
    return SKEP_OK;
  }
  int64_t n_data = array->n_buffers - 3, size = 0;
  if (length < 0 || offset < 0 || buffer < 0 || buffer >= n_data) {
    return skep_arrow_broken(err, "view %lld has length %d in buffer %d of %lld at %d", (long long)i, length, buffer,
                             (long long)n_data, offset);
  }
  const uint8_t *sizes = array->buffers[array->n_buffers - 1], *data = array->buffers[2 + buffer];
  if (sizes != NULL) size = (int64_t)skep_load_le64(sizes + (size_t)buffer * 8);
  if (data == NULL || (int64_t)offset + length > size) {
    return skep_arrow_broken(err, "view %lld ends at %lld, its buffer has %lld bytes", (long long)i,
                             (long long)offset + length, (long long)size);
  }
  *out = skep_bytes_of(data + offset, (size_t)length);
  return SKEP_OK;
}

skep_status skep_arrow_value_bytes(const arrow_format *format, const struct ArrowArray *array, int64_t i,
                                   skep_bytes *out, skep_err *err) {
  if (format->layout == ARROW_VIEW) return view_bytes(array, i, out, err);
  const uint8_t *data;
  int64_t start, end;
  if (format->layout == ARROW_FIXED) {
    data = array->buffers[1];
    if (__builtin_mul_overflow(i, format->width, &start) || __builtin_add_overflow(start, format->width, &end)) {
      return skep_arrow_broken(err, "entry %lld of %lld bytes each", (long long)i, (long long)format->width);
    }
  } else {
    data = array->buffers[2];
    start = load_offset(array, format->width, i);
    end = load_offset(array, format->width, i + 1);
  }
  if (start < 0 || end < start) {
    return skep_arrow_broken(err, "offsets %lld and %lld at entry %lld do not ascend", (long long)start, (long long)end,
                             (long long)i);
  }
  if (end > start && data == NULL) return skep_arrow_broken(err, "strings are there but no buffer with bytes");
  *out = start == end ? (skep_bytes){NULL, 0} : skep_bytes_of(data + start, (size_t)(end - start));
  return SKEP_OK;
}

/* All ranges follow one another when every entry is valid: one copy. The offsets are checked on the way. */
static skep_status import_plain_strings(skep_vec *vec, const arrow_source *from, skep_err *err) {
  int64_t width = from->format->width, n = from->count;
  int64_t start = load_offset(from->array, width, from->first), before = start;
  int32_t *to = (int32_t *)vec->offsets.data + vec->length;
  int64_t heap_end = (int64_t)vec->heap_size;
  for (int64_t i = 1; i <= n; i++) {
    int64_t at = load_offset(from->array, width, from->first + i);
    if (before < 0 || at < before) {
      return skep_arrow_broken(err, "offsets %lld and %lld at entry %lld do not ascend", (long long)before,
                               (long long)at, (long long)(from->first + i - 1));
    }
    to[i] = (int32_t)(heap_end + at - start); /* wraps only where the reservation below fails */
    before = at;
  }
  size_t size = (size_t)(before - start);
  SKEP_TRY(skep_vec_reserve_heap(vec, vec->heap_size + size, err));
  if (size == 0) return SKEP_OK;
  const uint8_t *data = from->array->buffers[2];
  if (data == NULL) return skep_arrow_broken(err, "strings are there but no buffer with bytes");
  memcpy((uint8_t *)vec->heap.data + vec->heap_size, data + start, size);
  vec->heap_size += size;
  return SKEP_OK;
}

static skep_status import_strings(skep_vec *vec, const arrow_source *from, skep_err *err) {
  if (from->format->layout == ARROW_BYTES && vec->form == SKEP_FORM_STR && !vec->has_nulls) {
    return import_plain_strings(vec, from, err);
  }
  uint64_t size = vec->heap_size, limit = vec->ctx->limits.max_batch_bytes;
  skep_bytes value;
  for (int64_t i = 0; i < from->count && size <= limit; i++) {
    if (!is_valid(vec, i)) continue;
    SKEP_TRY(skep_arrow_value_bytes(from->format, from->array, from->first + i, &value, err));
    size += value.left;
  }
  SKEP_TRY(skep_vec_reserve_heap(vec, (size_t)size, err));
  for (int64_t i = 0; i < from->count; i++) {
    value = (skep_bytes){NULL, 0};
    if (is_valid(vec, i)) SKEP_TRY(skep_arrow_value_bytes(from->format, from->array, from->first + i, &value, err));
    skep_vec_put_bytes(vec, vec->length + i, value);
  }
  return SKEP_OK;
}

skep_status skep_arrow_import_values(skep_vec *vec, const arrow_source *from, skep_err *err) {
  switch (from->format->layout) {
    case ARROW_BOOL:
      import_bools(vec, from);
      return SKEP_OK;
    case ARROW_INT:
    case ARROW_FLOAT:
    case ARROW_DOUBLE:
      copy_fixed(vec, from, (size_t)from->format->width);
      return SKEP_OK;
    case ARROW_UINT:
      import_unsigned(vec, from);
      return SKEP_OK;
    case ARROW_DECIMAL:
      return import_decimals(vec, from, err);
    case ARROW_DATE_MS:
      return import_dates_ms(vec, from, err);
    case ARROW_TIME:
      return import_times(vec, from, err);
    case ARROW_BYTES:
    case ARROW_VIEW:
    case ARROW_FIXED:
      return import_strings(vec, from, err);
    default:
      return skep_fail(err, SKEP_ERR_INTERNAL, "Arrow layout %d has children", (int)from->format->layout);
  }
}
