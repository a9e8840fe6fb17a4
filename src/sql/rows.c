/* Rows on their way into branches: see rows.h. */
#include "sql/rows.h"

skep_status skep_rows_view_init(skep_rows_view *view, skep_life *life, const skep_type *rows, const uint32_t *columns,
                                uint32_t n_columns, skep_err *err) {
  skep_arena *arena = &life->s->arena;
  const skep_type **children = skep_arena_zero(arena, n_columns + 1, sizeof *children);
  const char **names = skep_arena_zero(arena, n_columns + 1, sizeof *names);
  skep_vec *vecs = skep_arena_zero(arena, n_columns + 1, sizeof *vecs);
  uint32_t *copy = skep_arena_zero(arena, n_columns + 1, sizeof *copy);
  if (children == NULL || names == NULL || vecs == NULL || copy == NULL)
    return skep_fail(err, SKEP_ERR_NOMEM, "columns");
  for (uint32_t i = 0; i < n_columns; i++) {
    copy[i] = columns[i];
    children[i] = rows->children[columns[i]];
    names[i] = rows->names[columns[i]];
  }
  const skep_type like = {.kind = SKEP_STRUCT};
  SKEP_TRY(skep_type_make(arena, &like, children, names, n_columns, &view->type, err));
  view->columns = copy;
  view->batch = (skep_batch){.root = {.ctx = life->s->ctx,
                                      .type = view->type,
                                      .form = SKEP_FORM_STRUCT,
                                      .n_children = n_columns,
                                      .children = vecs}};
  return SKEP_OK;
}

const skep_batch *skep_rows_view_of(skep_rows_view *view, const skep_batch *batch) {
  skep_vec *root = &view->batch.root;
  root->length = batch->root.length;
  for (uint32_t i = 0; i < root->n_children; i++) root->children[i] = batch->root.children[view->columns[i]];
  view->batch.first_row = batch->first_row;
  return &view->batch;
}

void skep_rows_route_fini(skep_rows_route *route, skep_life *life) {
  if (route->is_open) skep_vec_fini(&route->rows.root);
  skep_release(life->s->ctx, route->chosen);
  *route = (skep_rows_route){0};
}

skep_status skep_rows_route_start(skep_rows_route *route, skep_life *life, int64_t n, skep_err *err) {
  void *grown = route->chosen;
  route->n_chosen = 0;
  SKEP_TRY(skep_grow(life->s->ctx, &grown, &route->capacity, (size_t)n, sizeof *route->chosen, err));
  route->chosen = grown;
  return SKEP_OK;
}

skep_status skep_rows_route_take(skep_rows_route *route, skep_life *life, const skep_batch *batch,
                                 const skep_batch **out, skep_err *err) {
  *out = batch;
  if (route->n_chosen == batch->root.length) return SKEP_OK;
  if (!route->is_open) {
    SKEP_TRY(skep_vec_init(&route->rows.root, life->s->ctx, batch->root.type, &skep_life_forms, err));
    route->is_open = true;
  }
  skep_vec_reset(&route->rows.root);
  SKEP_TRY(skep_vec_append(&route->rows.root, &batch->root, 0, batch->root.length, err));
  SKEP_TRY(skep_vec_select(&route->rows.root, route->chosen, route->n_chosen, err));
  *out = &route->rows;
  return SKEP_OK;
}

/* ---- constraints ---- */

static skep_status violated(const skep_target *target, const char *what, skep_err *err) {
  return skep_fail(err, SKEP_ERR_RUNTIME,
                   "DataConstraintViolationError: Either CHECK or NOT NULL constraint violated! (%s of %s.%s)", what,
                   target->table->t->db, target->table->t->name);
}

static bool has_null(const skep_vec *vec) {
  if (!vec->has_nulls) return false;
  if (vec->null_count != 0) return true;
  for (int64_t i = 0; i < vec->length; i++)
    if (!skep_vec_is_valid(vec, i)) return true;
  return false;
}

static bool has_false(const skep_vec *vec) {
  const uint8_t *values = vec->values.data;
  bool bits = vec->form == SKEP_FORM_BOOL_BITS;
  for (int64_t i = 0; i < vec->length; i++) {
    bool value = bits ? (values[i >> 3] >> (i & 7) & 1) != 0 : values[i] != 0;
    if (!value && skep_vec_is_valid(vec, i)) return true;
  }
  return false;
}

skep_status skep_rows_enforce(const skep_target *target, const skep_batch *batch, uint32_t first, uint32_t first_check,
                              skep_err *err) {
  const skep_vec *columns = batch->root.children;
  for (uint32_t i = 0; target->not_null != NULL && i < target->n_columns; i++)
    if (target->not_null[i] && has_null(&columns[first + i]))
      return violated(target, target->table->t->columns->names[i], err);
  for (uint32_t i = 0; i < target->bind.n_checks; i++)
    if (has_false(&columns[first_check + i])) return violated(target, "a CHECK", err);
  return SKEP_OK;
}
