/* Struct, list, map and union columns. Source: ORC Specification v1, "Struct Columns" to "Union Columns". */
#include "orc/column.h"
#include "orc/spread.h"

enum { SKIP_CHUNK = 1024 };

/* ---- struct ---- */

static skep_status struct_next(skep_orc_column *c, skep_vec *vec, int64_t n, int64_t n_values, skep_err *err) {
  skep_orc_rows rows = {.n = n, .validity = skep_orc_validity(vec), .n_valid = n_values};
  for (uint32_t i = 0; i < c->n_children; i++)
    SKEP_TRY(skep_orc_column_next(&c->children[i], &vec->children[i], &rows, err));
  return SKEP_OK;
}

static skep_status struct_skip(skep_orc_column *c, uint64_t n_values, skep_err *err) {
  for (uint32_t i = 0; i < c->n_children; i++) SKEP_TRY(skep_orc_column_skip(&c->children[i], n_values, err));
  return SKEP_OK;
}

const skep_orc_column_vtab skep_orc_column_struct = {NULL, struct_next, struct_skip, NULL};

/* ---- list and map: lengths ---- */

static skep_status list_start(skep_orc_column *c, skep_err *err) {
  (void)err;
  skep_rle_int_init(c->ints[0], &c->stream[SKEP_ORC_STREAM_FIRST], c->v2, false);
  return SKEP_OK;
}

static skep_status sum_lengths(const skep_orc_column *c, const int32_t *lengths, size_t n, uint64_t *total,
                               skep_err *err) {
  uint64_t sum = 0;
  uint32_t all = 0;
  for (size_t i = 0; i < n; i++) {
    sum += (uint32_t)lengths[i];
    all |= (uint32_t)lengths[i];
  }
  if (all > INT32_MAX) return skep_fail(err, SKEP_ERR_CORRUPT, "column %u: negative length", c->file->id);
  *total = sum;
  return SKEP_OK;
}

static skep_status list_next(skep_orc_column *c, skep_vec *vec, int64_t n, int64_t n_values, skep_err *err) {
  int32_t *offsets = vec->offsets.data, *lengths = offsets + 1;
  uint64_t total;
  SKEP_TRY(skep_rle_int_next_i32(c->ints[0], lengths, (size_t)n_values, err));
  SKEP_TRY(sum_lengths(c, lengths, (size_t)n_values, &total, err));
  if (total > INT32_MAX)
    return skep_fail(err, SKEP_ERR_LIMIT, "column %u: a batch of %llu entries", c->file->id, (unsigned long long)total);
  if (vec->has_nulls) skep_spread(lengths, sizeof *lengths, vec->validity.data, (size_t)n, (size_t)n_values);
  offsets[0] = 0;
  for (int64_t i = 1; i <= n; i++) offsets[i] += offsets[i - 1];
  skep_orc_rows rows = {.n = (int64_t)total, .n_valid = (int64_t)total};
  for (uint32_t i = 0; i < c->n_children; i++)
    SKEP_TRY(skep_orc_column_next(&c->children[i], &vec->children[i], &rows, err));
  return SKEP_OK;
}

static skep_status list_skip(skep_orc_column *c, uint64_t n_values, skep_err *err) {
  int32_t lengths[SKIP_CHUNK];
  while (n_values > 0) {
    size_t n = n_values < SKIP_CHUNK ? (size_t)n_values : SKIP_CHUNK;
    uint64_t total;
    SKEP_TRY(skep_rle_int_next_i32(c->ints[0], lengths, n, err));
    SKEP_TRY(sum_lengths(c, lengths, n, &total, err));
    for (uint32_t i = 0; i < c->n_children; i++) SKEP_TRY(skep_orc_column_skip(&c->children[i], total, err));
    n_values -= n;
  }
  return SKEP_OK;
}

static skep_status list_seek(skep_orc_column *c, skep_orc_positions *at, skep_err *err) {
  return skep_orc_seek_ints(c->ints[0], at, err);
}

const skep_orc_column_vtab skep_orc_column_list = {list_start, list_next, list_skip, list_seek};

/* ---- union: tags ---- */

static skep_status union_start(skep_orc_column *c, skep_err *err) {
  (void)err;
  skep_rle_byte_init(&c->bytes, &c->stream[SKEP_ORC_STREAM_FIRST]);
  return SKEP_OK;
}

static skep_status read_tags(skep_orc_column *c, uint8_t *tags, size_t n, skep_err *err) {
  uint8_t most = 0;
  SKEP_TRY(skep_rle_byte_next(&c->bytes, tags, n, err));
  for (size_t i = 0; i < n; i++) most = tags[i] > most ? tags[i] : most;
  if (n == 0 || most < c->n_children) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_CORRUPT, "column %u: union tag %u of %u", c->file->id, most, c->n_children);
}

static skep_status union_next(skep_orc_column *c, skep_vec *vec, int64_t n, int64_t n_values, skep_err *err) {
  uint8_t *tags = vec->values.data;
  int32_t *offsets = vec->offsets.data, counts[128] = {0};
  const uint8_t *validity = skep_orc_validity(vec);
  SKEP_TRY(read_tags(c, tags, (size_t)n_values, err));
  if (validity != NULL) skep_spread(tags, 1, validity, (size_t)n, (size_t)n_values);
  for (int64_t i = 0; i < n; i++) {
    bool valid = validity == NULL || (validity[i >> 3] >> (i & 7) & 1) != 0;
    offsets[i] = valid ? counts[tags[i]]++ : 0;
  }
  for (uint32_t i = 0; i < c->n_children; i++) {
    skep_orc_rows rows = {.n = counts[i], .n_valid = counts[i]};
    SKEP_TRY(skep_orc_column_next(&c->children[i], &vec->children[i], &rows, err));
  }
  return SKEP_OK;
}

static skep_status union_skip(skep_orc_column *c, uint64_t n_values, skep_err *err) {
  uint8_t tags[SKIP_CHUNK];
  while (n_values > 0) {
    size_t n = n_values < SKIP_CHUNK ? (size_t)n_values : SKIP_CHUNK;
    uint64_t counts[128] = {0};
    SKEP_TRY(read_tags(c, tags, n, err));
    for (size_t i = 0; i < n; i++) counts[tags[i]]++;
    for (uint32_t i = 0; i < c->n_children; i++) SKEP_TRY(skep_orc_column_skip(&c->children[i], counts[i], err));
    n_values -= n;
  }
  return SKEP_OK;
}

static skep_status union_seek(skep_orc_column *c, skep_orc_positions *at, skep_err *err) {
  return skep_orc_seek_bytes(&c->bytes, at, err);
}

const skep_orc_column_vtab skep_orc_column_union = {union_start, union_next, union_skip, union_seek};
