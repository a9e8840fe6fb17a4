/* Rows to partitions.
 *
 * Columns say where rows differ from the row before (tight loops); only there the keys' values are looked up, as bytes
 * first; only what was never met is turned into text, a name and a target. Then one counting sort groups the rows of
 * the batch. Source of names and texts: acid-format facts 8, golden 02-partitioned. */
#include <inttypes.h>
#include <string.h>

#include "acid/name.h"
#include "column/text.h"
#include "table/write_int.h"

/* ---- where keys change ---- */

#define MARK(type)                                                               \
  do {                                                                           \
    const type *v = vec->values.data;                                            \
    for (int64_t i = 1; i < n; i++) changed[i] = changed[i] || v[i] != v[i - 1]; \
  } while (0)

static bool same_bytes(skep_bytes a, skep_bytes b) {
  return a.left == b.left && (a.left == 0 || memcmp(a.at, b.at, a.left) == 0);
}

static void mark_wide(const skep_vec *vec, int64_t n, size_t width, bool *changed) {
  const uint8_t *v = vec->values.data;
  for (int64_t i = 1; i < n; i++)
    changed[i] = changed[i] || memcmp(v + (size_t)i * width, v + (size_t)(i - 1) * width, width) != 0;
}

/* More may be marked than differs, never less: below NULLs any value may stand. */
static void mark_changes(const skep_vec *vec, int64_t n, bool *changed) {
  switch (vec->form) {
    case SKEP_FORM_BOOL_BYTES:
    case SKEP_FORM_I8:
      MARK(uint8_t);
      break;
    case SKEP_FORM_I16:
      MARK(uint16_t);
      break;
    case SKEP_FORM_I32:
    case SKEP_FORM_F32:
      MARK(uint32_t);
      break;
    case SKEP_FORM_I64:
    case SKEP_FORM_F64:
    case SKEP_FORM_TS_US:
    case SKEP_FORM_TS_NS:
      MARK(uint64_t);
      break;
    case SKEP_FORM_DICT:
      MARK(int32_t); /* equal codes are equal values */
      break;
    case SKEP_FORM_I128:
    case SKEP_FORM_TS:
      mark_wide(vec, n, 16, changed);
      break;
    case SKEP_FORM_STR:
    case SKEP_FORM_VIEW:
      for (int64_t i = 1; i < n; i++)
        changed[i] = changed[i] || !skep_vec_is_valid(vec, i) || !skep_vec_is_valid(vec, i - 1) ||
                     !same_bytes(skep_vec_bytes(vec, i), skep_vec_bytes(vec, i - 1));
      break;
    default:
      for (int64_t i = 1; i < n; i++) changed[i] = true;
      break;
  }
  for (int64_t i = 1; vec->has_nulls && i < n; i++)
    changed[i] = changed[i] || skep_vec_is_valid(vec, i) != skep_vec_is_valid(vec, i - 1);
}

/* ---- keys as bytes ---- */

static void put_key(const skep_vec *vec, int64_t i, skep_buf *out) {
  if (!skep_vec_is_valid(vec, i)) {
    skep_buf_byte(out, 0);
    return;
  }
  skep_buf_byte(out, 1);
  if (vec->form == SKEP_FORM_STR || vec->form == SKEP_FORM_VIEW || vec->form == SKEP_FORM_DICT) {
    skep_bytes value = skep_vec_bytes(vec, i);
    uint64_t size = value.left;
    skep_buf_add(out, &size, sizeof size);
    if (value.left != 0) skep_buf_add(out, value.at, value.left);
  } else if (vec->form == SKEP_FORM_BOOL_BITS) {
    skep_buf_byte(out, ((const uint8_t *)vec->values.data)[i >> 3] >> (i & 7) & 1);
  } else {
    size_t width = skep_form_width(vec->form);
    skep_buf_add(out, (const uint8_t *)vec->values.data + (size_t)i * width, width);
  }
}

/* ---- keys as text ---- */

static skep_i128 decimal_of(const skep_vec *vec, int64_t i) {
  skep_i128 wide;
  switch (vec->form) {
    case SKEP_FORM_I16:
      return ((const int16_t *)vec->values.data)[i];
    case SKEP_FORM_I32:
      return ((const int32_t *)vec->values.data)[i];
    case SKEP_FORM_I64:
      return ((const int64_t *)vec->values.data)[i];
    default:
      memcpy(&wide, (const uint8_t *)vec->values.data + 16 * (size_t)i, sizeof wide);
      return wide;
  }
}

static void put_char(const skep_vec *vec, int64_t i, skep_buf *out) {
  skep_bytes value = skep_vec_bytes(vec, i);
  size_t chars = 0;
  for (size_t k = 0; k < value.left; k++) chars += (value.at[k] & 0xc0) != 0x80;
  if (value.left != 0) skep_buf_add(out, value.at, value.left);
  for (; chars < vec->type->length; chars++) skep_buf_byte(out, ' ');
}

/* Decimals lose the zeros at the end of their fraction, CHAR keeps its padding, all else is as Hive prints it. */
static skep_status put_text(const skep_vec *vec, int64_t i, skep_buf *out, skep_err *err) {
  skep_text style = {.style = SKEP_TEXT_HIVE};
  if (vec->type->kind == SKEP_DECIMAL) {
    skep_text_decimal(decimal_of(vec, i), vec->type->scale, true, out);
  } else if (vec->type->kind == SKEP_CHAR) {
    put_char(vec, i, out);
  } else {
    SKEP_TRY(skep_text_value(&style, vec, i, out, err));
  }
  return SKEP_OK;
}

/* ---- targets ---- */

static skep_status too_many(const skep_table_write *w, uint32_t most, skep_err *err) {
  return skep_fail(err, SKEP_ERR_RUNTIME,
                   "[Error 20004]: Fatal error occurred when node tried to create too many dynamic partitions. The "
                   "maximum number of dynamic partitions is controlled by hive.exec.max.dynamic.partitions and "
                   "hive.exec.max.dynamic.partitions.pernode. Maximum was set to %u partitions per node, number of "
                   "dynamic partitions on this node: %u",
                   most, w->n_targets + 1);
}

static const char *copy_text(skep_table_write *w, const skep_buf *text, skep_err *err) {
  const char *copy = text->status == SKEP_OK
                         ? skep_arena_strndup(&w->arena, text->size == 0 ? "" : (const char *)text->data, text->size)
                         : NULL;
  if (copy == NULL) (void)skep_fail(err, SKEP_ERR_NOMEM, "text of %zu bytes", text->size);
  return copy;
}

/* Where the partition w->name is: as the catalog says, or below the table. */
static skep_status locate(skep_table_write *w, skep_written_partition *p, skep_err *err) {
  p->location = NULL;
  if (w->opts.find_partition != NULL) SKEP_TRY(w->opts.find_partition(w->opts.find_self, p->name, &p->location, err));
  p->is_new = p->location == NULL;
  if (p->location != NULL) return SKEP_OK;
  size_t table = strlen(w->opts.location), name = strlen(p->name);
  bool slash = table != 0 && w->opts.location[table - 1] != '/';
  char *path = skep_arena_alloc(&w->arena, table + slash + name + 1);
  if (path == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "path of a partition");
  memcpy(path, w->opts.location, table);
  if (slash) path[table] = '/';
  memcpy(path + table + slash, p->name, name + 1);
  p->location = path;
  return SKEP_OK;
}

/* Two partitions of one directory: what this write made there for the first is no leftover to be cleared. */
static skep_status take_place(skep_table_write *w, const char *location, skep_err *err) {
  size_t size = strlen(location);
  char quoted[400];
  if (w->opts.format == SKEP_WRITE_PLAIN && w->opts.kind != SKEP_WRITE_OVERWRITE) return SKEP_OK; /* _copy_N */
  uint32_t other = skep_key_map_find(&w->by_place, location, size);
  if (other == UINT32_MAX) return skep_key_map_add(w, &w->by_place, location, size, w->n_targets, err);
  return skep_fail(err, SKEP_ERR_UNSUPPORTED, "%s: one statement cannot write two partitions of one directory: %s",
                   w->opts.table_name, skep_quote(quoted, sizeof quoted, location, size));
}

static skep_status add_target(skep_table_write *w, const skep_bytes *values, uint32_t *number, skep_err *err) {
  uint32_t most = w->opts.max_partitions == 0 ? 1000 : w->opts.max_partitions;
  if (w->opts.kind != SKEP_WRITE_DELETE && w->n_dynamic != 0 && w->n_targets >= most) return too_many(w, most, err);
  SKEP_TRY(
      skep_grow(w->ctx, (void **)&w->targets, &w->targets_capacity, (size_t)w->n_targets + 1, sizeof *w->targets, err));
  skep_write_target *target = skep_arena_zero(&w->arena, 1, sizeof *target);
  if (target == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "partition");
  target->out.values = values;
  target->out.n_values = w->n_keys;
  target->out.name = copy_text(w, &w->name, err);
  if (target->out.name == NULL) return SKEP_ERR_NOMEM;
  if (w->n_keys != 0) {
    SKEP_TRY(locate(w, &target->out, err));
    SKEP_TRY(take_place(w, target->out.location, err));
  } else {
    target->out.location = w->opts.location;
  }
  SKEP_TRY(skep_key_map_add(w, &w->by_name, w->name.data, w->name.size, w->n_targets, err));
  *number = w->n_targets;
  w->targets[w->n_targets++] = target;
  return SKEP_OK;
}

/* One more "key=value" of w->name. */
static void put_component(skep_table_write *w, uint32_t key, skep_bytes value) {
  const char *name = w->opts.partitions->names[key], *fallback = w->opts.default_partition;
  skep_buf lower;
  if (key != 0) skep_buf_byte(&w->name, '/');
  skep_buf_init(&lower, w->ctx, SIZE_MAX / 4);
  for (const char *at = name; *at != '\0'; at++)
    skep_buf_byte(&lower, (uint8_t)(*at >= 'A' && *at <= 'Z' ? *at + 32 : *at));
  skep_partition_escape(skep_buf_string(&lower), lower.size, &w->name);
  skep_buf_byte(&w->name, '=');
  if (strlen(fallback) == value.left && memcmp(fallback, value.at, value.left) == 0) {
    skep_buf_add(&w->name, value.at, value.left);
  } else {
    skep_partition_escape((const char *)value.at, value.left, &w->name);
  }
  if (lower.status != SKEP_OK) w->name.status = lower.status;
  skep_buf_fini(&lower);
}

/* The text of one key's value into the arena. keys: the dynamic ones' columns. */
static skep_status value_text(skep_table_write *w, uint32_t key, const skep_vec *column, int64_t row, skep_bytes *out,
                              skep_err *err) {
  const char *fallback = w->opts.default_partition;
  skep_buf_reset(&w->text);
  if (column == NULL) {
    skep_buf_add(&w->text, w->opts.static_values[key].at, w->opts.static_values[key].left);
  } else if (skep_vec_is_valid(column, row)) {
    SKEP_TRY(put_text(column, row, &w->text, err));
  }
  if (w->text.size == 0) skep_buf_text(&w->text, fallback);
  SKEP_TRY(skep_buf_check(&w->text, "value of a partition key", err));
  if (memchr(w->text.data, '\0', w->text.size) != NULL) /* the catalog keeps texts that end at it */
    return skep_fail(err, SKEP_ERR_RUNTIME, "%s: a partition value with a NUL byte for key %s", w->opts.table_name,
                     w->opts.partitions->names[key]);
  const char *copy = copy_text(w, &w->text, err);
  if (copy == NULL) return SKEP_ERR_NOMEM;
  *out = skep_bytes_of(copy, w->text.size);
  return SKEP_OK;
}

/* The target of a row by its values' texts: found by name, or made. */
static skep_status target_of_row(skep_table_write *w, const skep_vec *keys, int64_t row, uint32_t *number,
                                 skep_err *err) {
  skep_bytes *values = skep_arena_zero(&w->arena, (size_t)w->n_keys + 1, sizeof *values);
  if (values == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "values of a partition");
  skep_buf_reset(&w->name);
  for (uint32_t key = 0, d = 0; key < w->n_keys; key++) {
    bool is_dynamic = d < w->n_dynamic && w->dynamic[d] == key;
    SKEP_TRY(value_text(w, key, is_dynamic ? &keys[d] : NULL, row, &values[key], err));
    put_component(w, key, values[key]);
    d += is_dynamic;
  }
  SKEP_TRY(skep_buf_check(&w->name, "name of a partition", err));
  *number = skep_key_map_find(&w->by_name, w->name.data, w->name.size);
  return *number != UINT32_MAX ? SKEP_OK : add_target(w, values, number, err);
}

skep_status skep_write_static_target(skep_table_write *w, uint32_t *number, skep_err *err) {
  if (w->n_targets != 0) {
    *number = 0;
    return SKEP_OK;
  }
  return target_of_row(w, NULL, 0, number, err);
}

/* ---- rows ---- */

static skep_status look_up(skep_table_write *w, const skep_vec *keys, int64_t row, uint32_t *number, skep_err *err) {
  skep_buf_reset(&w->key);
  for (uint32_t d = 0; d < w->n_dynamic; d++) put_key(&keys[d], row, &w->key);
  SKEP_TRY(skep_buf_check(&w->key, "key of a partition", err));
  *number = skep_key_map_find(&w->by_key, w->key.data, w->key.size);
  if (*number != UINT32_MAX) return SKEP_OK;
  SKEP_TRY(target_of_row(w, keys, row, number, err));
  return skep_key_map_add(w, &w->by_key, w->key.data, w->key.size, *number, err);
}

static skep_status reserve_batch(skep_table_write *w, int64_t n, skep_err *err) {
  if ((size_t)n <= w->batch_capacity) return SKEP_OK;
  size_t size = (size_t)n + (size_t)n / 2;
  w->batch_capacity = 0;
  skep_release(w->ctx, w->route);
  skep_release(w->ctx, w->changed);
  skep_release(w->ctx, w->order);
  w->route = skep_alloc(w->ctx, size * sizeof *w->route);
  w->changed = skep_alloc(w->ctx, size * sizeof *w->changed);
  w->order = skep_alloc(w->ctx, size * sizeof *w->order);
  if (w->route == NULL || w->changed == NULL || w->order == NULL)
    return skep_fail(err, SKEP_ERR_NOMEM, "routes of %zu rows", size);
  w->batch_capacity = size;
  return SKEP_OK;
}

skep_status skep_write_route(skep_table_write *w, const skep_vec *keys, int64_t n, uint32_t *only, skep_err *err) {
  if (w->n_dynamic == 0) return skep_write_static_target(w, only, err);
  SKEP_TRY(reserve_batch(w, n, err));
  memset(w->changed, 0, (size_t)n * sizeof *w->changed);
  for (uint32_t d = 0; d < w->n_dynamic; d++) mark_changes(&keys[d], n, w->changed);
  w->changed[0] = true;
  *only = UINT32_MAX;
  bool one = true;
  for (int64_t i = 0; i < n; i++) {
    if (w->changed[i]) {
      SKEP_TRY(look_up(w, keys, i, &w->route[i], err));
    } else {
      w->route[i] = w->route[i - 1];
    }
    one = one && w->route[i] == w->route[0];
  }
  if (one) *only = w->route[0];
  return SKEP_OK;
}

skep_status skep_write_group(skep_table_write *w, int64_t n, skep_err *err) {
  SKEP_TRY(skep_grow(w->ctx, (void **)&w->ends, &w->ends_capacity, (size_t)w->n_targets + 1, sizeof *w->ends, err));
  memset(w->ends, 0, ((size_t)w->n_targets + 1) * sizeof *w->ends);
  for (int64_t i = 0; i < n; i++) w->ends[w->route[i] + 1]++;
  for (uint32_t t = 0; t < w->n_targets; t++) w->ends[t + 1] += w->ends[t];
  for (int64_t i = 0; i < n; i++) w->order[w->ends[w->route[i]]++] = (int32_t)i;
  return SKEP_OK;
}
