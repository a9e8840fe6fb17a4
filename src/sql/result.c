/* The door of results, and results made of rows of texts (SHOW, DESCRIBE, SET). */
#include "sql/result.h"

enum { RESULT_ROWS = 1024 }; /* of one batch */

const skep_type *skep_result_type(const skep_result *result) { return result->type; }

skep_status skep_result_next(skep_result *result, const skep_batch **out, skep_err *err) {
  *out = NULL;
  if (result->ended == SKEP_OK) result->ended = result->vt->next(result, out, &result->failure);
  if (result->ended != SKEP_OK && result->ended != SKEP_END && err != NULL) *err = result->failure;
  return result->ended;
}

void skep_result_free(skep_result *result) {
  if (result != NULL) result->vt->destroy(result);
}

/* ---- rows of texts ---- */

typedef struct text_result {
  skep_result base;
  const skep_ctx *ctx;
  skep_arena arena;  /* the type */
  skep_batch rows;   /* all of them, in vectors of strings */
  skep_batch window; /* the rows handed out last */
  int64_t given;
} text_result;

static void text_destroy(skep_result *result) {
  text_result *r = (text_result *)result;
  skep_vec_fini(&r->rows.root);
  skep_vec_fini(&r->window.root);
  skep_arena_fini(&r->arena);
  skep_release(r->ctx, r);
}

static skep_status text_next(skep_result *result, const skep_batch **out, skep_err *err) {
  text_result *r = (text_result *)result;
  int64_t left = r->rows.root.length - r->given;
  if (left == 0) return SKEP_END;
  if (left > RESULT_ROWS) left = RESULT_ROWS;
  skep_vec_reset(&r->window.root);
  SKEP_TRY(skep_vec_append(&r->window.root, &r->rows.root, r->given, left, err));
  r->window.first_row = r->given;
  r->given += left;
  *out = &r->window;
  return SKEP_OK;
}

static const skep_result_vtab text_vtab = {text_next, text_destroy};

static skep_status text_type(skep_arena *arena, const char *const *names, uint32_t n_columns, const skep_type **out,
                             skep_err *err) {
  const skep_type string = {.kind = SKEP_STRING}, row = {.kind = SKEP_STRUCT};
  const skep_type **children = skep_arena_zero(arena, n_columns + 1, sizeof *children);
  if (children == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "columns of a result");
  for (uint32_t i = 0; i < n_columns; i++) SKEP_TRY(skep_type_make(arena, &string, NULL, NULL, 0, &children[i], err));
  return skep_type_make(arena, &row, children, names, n_columns, out, err);
}

skep_status skep_result_texts_new(skep_session *session, const char *const *names, uint32_t n_columns,
                                  skep_result **out, skep_err *err) {
  *out = NULL;
  text_result *r = skep_alloc_zero(session->ctx, 1, sizeof *r);
  if (r == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a result");
  r->base.vt = &text_vtab;
  r->ctx = session->ctx;
  skep_arena_init(&r->arena, session->ctx, SIZE_MAX);
  const skep_forms forms = {0};
  skep_status st = text_type(&r->arena, names, n_columns, &r->base.type, err);
  if (st == SKEP_OK) st = skep_vec_init(&r->rows.root, session->ctx, r->base.type, &forms, err);
  if (st == SKEP_OK) st = skep_vec_init(&r->window.root, session->ctx, r->base.type, &forms, err);
  if (st == SKEP_OK) {
    *out = &r->base;
    return SKEP_OK;
  }
  text_destroy(&r->base);
  return st;
}

/* One more string (or NULL) behind a vector in Arrow's form. */
static skep_status text_append(skep_vec *vec, skep_bytes cell, skep_err *err) {
  int64_t i = vec->length;
  bool null = cell.at == NULL;
  if (null || vec->has_nulls) {
    SKEP_TRY(skep_vec_need_validity(vec, err));
    SKEP_TRY(skep_vec_reserve(vec, i + 1, true, err));
  } else {
    SKEP_TRY(skep_vec_reserve(vec, i + 1, false, err));
  }
  int32_t *offsets = vec->offsets.data;
  if (cell.left > (size_t)(INT32_MAX - offsets[i])) return skep_fail(err, SKEP_ERR_LIMIT, "a result of too much text");
  SKEP_TRY(skep_vec_reserve_heap(vec, vec->heap_size + cell.left, err));
  if (cell.left != 0) memcpy((uint8_t *)vec->heap.data + vec->heap_size, cell.at, cell.left);
  vec->heap_size += cell.left;
  offsets[i + 1] = offsets[i] + (int32_t)cell.left;
  if (vec->has_nulls) {
    uint8_t *bits = (uint8_t *)vec->validity.data + (i >> 3), bit = (uint8_t)(1u << (i & 7));
    *bits = null ? (uint8_t)(*bits & ~bit) : (uint8_t)(*bits | bit);
    vec->null_count += null;
  }
  vec->length = i + 1;
  return SKEP_OK;
}

skep_status skep_result_texts_row(skep_result *result, const char *const *cells, skep_err *err) {
  text_result *r = (text_result *)result;
  skep_vec *root = &r->rows.root;
  for (uint32_t c = 0; c < root->n_children; c++) {
    skep_bytes cell = {0};
    if (cells[c] != NULL) cell = skep_bytes_of(cells[c], strlen(cells[c]));
    SKEP_TRY(text_append(&root->children[c], cell, err));
  }
  root->length++;
  return SKEP_OK;
}
