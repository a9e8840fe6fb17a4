/* Columns of structs, lists, maps and unions: what they store themselves, and which entries their children get.
 * Source: ORC Specification v1, "Struct Columns", "List Columns", "Map Columns", "Union Columns". */
#include "column/vec_int.h"
#include "orc/writer_column.h"

static skep_status write_children(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  for (uint32_t i = 0; i < c->n_children; i++)
    SKEP_TRY(skep_orc_wcolumn_write(&c->children[i], &vec->children[i], e, err));
  return SKEP_OK;
}

/* ---- struct ---- */

static skep_status struct_write(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  c->group.count += (uint64_t)e->n;
  return write_children(c, vec, e, err);
}

const skep_orc_wcolumn_vtab skep_orc_wcolumn_struct = {struct_write, NULL, NULL, NULL};

/* ---- list, map ---- */

static int64_t put_lengths(skep_orc_wcolumn *c, const int32_t *offsets, const skep_orc_entries *e) {
  int64_t lengths[SKEP_ORC_BLOCK], sum = 0;
  for (int64_t from = 0; from < e->n; from += SKEP_ORC_BLOCK) {
    int64_t n = e->n - from < SKEP_ORC_BLOCK ? e->n - from : SKEP_ORC_BLOCK;
    for (int64_t i = 0; i < n; i++) {
      int64_t at = skep_orc_entry(e, from + i);
      lengths[i] = offsets[at + 1] - offsets[at];
      sum += lengths[i];
    }
    skep_orc_tally_ints(&c->group, lengths, (size_t)n);
    skep_int_encoder_put(c->ints[1], lengths, (size_t)n);
  }
  return sum;
}

/* The entries of the children that belong to these lists: a range, or a list where others lie between. */
static skep_status elements(skep_orc_wcolumn *c, const int32_t *offsets, const skep_orc_entries *e, int64_t n,
                            skep_orc_entries *out, skep_err *err) {
  int64_t first = offsets[skep_orc_entry(e, 0)], end = offsets[skep_orc_entry(e, e->n - 1) + 1];
  *out = (skep_orc_entries){NULL, first, n};
  if (end - first == n) return SKEP_OK;
  SKEP_TRY(skep_grow(c->env->ctx, (void **)&c->inner, &c->inner_capacity, (size_t)n, sizeof *c->inner, err));
  int64_t at = 0;
  for (int64_t i = 0; i < e->n; i++) {
    int64_t list = skep_orc_entry(e, i);
    for (int32_t k = offsets[list]; k < offsets[list + 1]; k++) c->inner[at++] = k;
  }
  *out = (skep_orc_entries){c->inner, 0, n};
  return SKEP_OK;
}

static skep_status list_write(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  const int32_t *offsets = vec->offsets.data;
  skep_orc_entries inside;
  int64_t n = put_lengths(c, offsets, e);
  SKEP_TRY(elements(c, offsets, e, n, &inside, err));
  return write_children(c, vec, &inside, err);
}

static uint64_t *list_position(skep_orc_wcolumn *c, uint64_t *at) { return skep_int_encoder_position(c->ints[1], at); }

static skep_status list_end(skep_orc_wcolumn *c, skep_err *err) {
  (void)err;
  skep_int_encoder_flush(c->ints[1]);
  return SKEP_OK;
}

const skep_orc_wcolumn_vtab skep_orc_wcolumn_list = {list_write, list_position, NULL, list_end};

/* ---- union ---- */

static skep_status put_tags(skep_orc_wcolumn *c, const int8_t *tags, const skep_orc_entries *e, skep_err *err) {
  uint8_t bytes[SKEP_ORC_BLOCK];
  for (int64_t from = 0; from < e->n; from += SKEP_ORC_BLOCK) {
    int64_t n = e->n - from < SKEP_ORC_BLOCK ? e->n - from : SKEP_ORC_BLOCK;
    for (int64_t i = 0; i < n; i++) {
      bytes[i] = (uint8_t)tags[skep_orc_entry(e, from + i)];
      if (bytes[i] >= c->n_children)
        return skep_fail(err, SKEP_ERR_ARGUMENT, "column %u: tag %u of a union of %u types", c->type->id, bytes[i],
                         c->n_children);
    }
    skep_byte_encoder_put(&c->bytes, bytes, (size_t)n);
  }
  return SKEP_OK;
}

static skep_status union_write(skep_orc_wcolumn *c, const skep_vec *vec, const skep_orc_entries *e, skep_err *err) {
  const int8_t *tags = vec->values.data;
  const int32_t *offsets = vec->offsets.data;
  SKEP_TRY(put_tags(c, tags, e, err));
  c->group.count += (uint64_t)e->n;
  SKEP_TRY(skep_grow(c->env->ctx, (void **)&c->inner, &c->inner_capacity, (size_t)e->n, sizeof *c->inner, err));
  for (uint32_t child = 0; child < c->n_children; child++) {
    int64_t n = 0;
    for (int64_t i = 0; i < e->n; i++) {
      int64_t at = skep_orc_entry(e, i);
      if ((uint32_t)tags[at] == child) c->inner[n++] = offsets[at];
    }
    skep_orc_entries inside = {c->inner, 0, n};
    SKEP_TRY(skep_orc_wcolumn_write(&c->children[child], &vec->children[child], &inside, err));
  }
  return SKEP_OK;
}

static uint64_t *union_position(skep_orc_wcolumn *c, uint64_t *at) { return skep_byte_encoder_position(&c->bytes, at); }

static skep_status union_end(skep_orc_wcolumn *c, skep_err *err) {
  (void)err;
  skep_byte_encoder_flush(&c->bytes);
  return SKEP_OK;
}

const skep_orc_wcolumn_vtab skep_orc_wcolumn_union = {union_write, union_position, NULL, union_end};
