/* The binder's entries: a query, an INSERT's query, one expression; and the helpers that its files share. */
#include "bind/bind.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bind/bind_int.h"

/* ---- messages ---- */

skep_status skep_bind_nomem(binding *b) {
  if (b->next_rel >= SKEP_BIND_MAX_RELATIONS) {
    return skep_fail(b->err, SKEP_ERR_LIMIT, "a statement with more than %d relations", SKEP_BIND_MAX_RELATIONS);
  }
  return skep_fail(b->err, SKEP_ERR_NOMEM, "no memory to bind a statement");
}

skep_status skep_bind_fail(binding *b, skep_pos pos, int code, const char *format, ...) {
  char text[900], number[32] = "", place[48] = "";
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (code != 0) snprintf(number, sizeof number, " [Error %d]:", code);
  if (pos.line != 0) snprintf(place, sizeof place, " Line %u:%u", pos.line, pos.column);
  return skep_fail(b->err, SKEP_ERR_SEMANTIC, "SemanticException%s%s %s", number, place, text);
}

skep_status skep_bind_unsupported(binding *b, skep_pos pos, const char *what) {
  if (pos.line == 0) return skep_fail(b->err, SKEP_ERR_UNSUPPORTED, "%s is not supported yet", what);
  return skep_fail(b->err, SKEP_ERR_UNSUPPORTED, "Line %u:%u %s is not supported yet", pos.line, pos.column, what);
}

const char *skep_bind_label(const skep_expr *expr, char *out, size_t size) {
  char inner[80];
  switch (expr->kind) {
    case SKEP_EXPR_NAME:
      return skep_quote(out, size, expr->name.items[0], strlen(expr->name.items[0]));
    case SKEP_EXPR_LITERAL:
      if (expr->literal.kind == SKEP_LITERAL_NULL) return skep_quote(out, size, "TOK_NULL", 8);
      if (expr->literal.kind == SKEP_LITERAL_STRING) {
        skep_quote(inner, sizeof inner, expr->literal.bytes, expr->literal.length);
        snprintf(out, size, "'%s'", inner);
        return out;
      }
      if (expr->literal.kind <= SKEP_LITERAL_BIGINT && expr->literal.kind >= SKEP_LITERAL_TINYINT) {
        snprintf(out, size, "%lld", (long long)expr->literal.i64);
        return out;
      }
      if (expr->literal.kind == SKEP_LITERAL_BOOLEAN) return skep_quote(out, size, "TOK_BOOLEAN", 11);
      return skep_quote(out, size, expr->literal.bytes, expr->literal.length);
    case SKEP_EXPR_CALL:
      return skep_quote(out, size, expr->call->name, strlen(expr->call->name));
    default:
      return skep_quote(out, size, "expression", 10);
  }
}

const char *skep_bx_label(const skep_bx *bx, char *out, size_t size) {
  while (bx->op == SKEP_BX_CAST) bx = bx->args[0];
  if (bx->op == SKEP_BX_COLUMN) {
    const char *name = bx->rel->names[bx->position];
    return skep_quote(out, size, name, strlen(name));
  }
  if (bx->op == SKEP_BX_CALL || bx->op == SKEP_BX_AGG) return skep_quote(out, size, bx->fn->name, strlen(bx->fn->name));
  if (bx->op == SKEP_BX_CONST && bx->type->kind == SKEP_BOOLEAN && !bx->value.is_null) {
    return skep_quote(out, size, bx->value.i64 != 0 ? "true" : "false", bx->value.i64 != 0 ? 4 : 5);
  }
  if (bx->op == SKEP_BX_CONST && skep_rule_is_integer(bx->type) && !bx->value.is_null) {
    snprintf(out, size, "%lld", (long long)bx->value.i64);
    return out;
  }
  if (bx->op == SKEP_BX_CONST && bx->type->kind == SKEP_STRING && !bx->value.is_null) {
    char inner[80];
    skep_quote(inner, sizeof inner, bx->value.bytes.at, bx->value.bytes.left);
    snprintf(out, size, "'%s'", inner);
    return out;
  }
  return skep_quote(out, size, "expression", 10);
}

void skep_bound_type_name(const skep_type *type, skep_buf *out) {
  const char *extra = type->kind == SKEP_KIND_VOID          ? "void"
                      : type->kind == SKEP_KIND_INTERVAL_YM ? "interval_year_month"
                      : type->kind == SKEP_KIND_INTERVAL_DT ? "interval_day_time"
                                                            : NULL;
  if (extra != NULL) {
    skep_buf_text(out, extra);
    return;
  }
  if (!skep_rule_is_nested(type)) {
    skep_type_print(type, out);
    return;
  }
  skep_buf_printf(out, "%s<", skep_kind_name(type->kind));
  for (uint32_t i = 0; i < type->n_children; i++) {
    if (i != 0) skep_buf_byte(out, ',');
    if (type->kind == SKEP_STRUCT) skep_buf_printf(out, "%s:", type->names[i]);
    skep_bound_type_name(type->children[i], out);
  }
  skep_buf_byte(out, '>');
}

const char *skep_bind_type_text(binding *b, const skep_type *type) {
  skep_buf buf;
  skep_buf_init(&buf, b->arena->ctx, 1 << 16);
  skep_bound_type_name(type, &buf);
  const char *text = skep_buf_copy(&buf, b->arena);
  skep_buf_fini(&buf);
  return text != NULL ? text : "";
}

void *skep_bind_grow(skep_arena *arena, void *items, uint32_t n, uint32_t *capacity, size_t size) {
  if (n < *capacity) return items;
  uint32_t larger = *capacity == 0 ? 8 : *capacity * 2;
  void *copy = skep_arena_zero(arena, larger, size);
  if (copy == NULL) return NULL;
  if (n != 0) memcpy(copy, items, n * size);
  *capacity = larger;
  return copy;
}

/* ---- nodes ---- */

skep_bx *skep_bx_new(binding *b, skep_bx_op op, const skep_type *type, skep_pos pos, uint32_t n_args) {
  skep_bx *bx = skep_arena_zero(b->arena, 1, sizeof *bx);
  if (bx == NULL) return NULL;
  bx->op = op;
  bx->type = type;
  bx->line = pos.line;
  bx->column = pos.column;
  bx->n_args = n_args;
  if (n_args != 0) {
    bx->args = skep_arena_zero(b->arena, n_args, sizeof *bx->args);
    if (bx->args == NULL) return NULL;
  }
  return bx;
}

/* How often a template prints an argument, at least once. */
static uint32_t times_printed(const skep_bx *bx, uint32_t arg) {
  if (bx->op != SKEP_BX_CALL || bx->fn == NULL || bx->fn->sql == NULL || arg > 8) return 1;
  uint32_t n = 0;
  for (const char *at = bx->fn->sql; (at = strchr(at, '$')) != NULL; at++) n += at[1] == (char)('1' + arg) ? 1 : 0;
  return n == 0 ? 1 : n;
}

void skep_bx_mark(skep_bx *bx) {
  bx->weight = 1;
  for (uint32_t i = 0; i < bx->n_args; i++) {
    const skep_bx *arg = bx->args[i];
    uint64_t weight = bx->weight + (uint64_t)(arg->weight == 0 ? 1 : arg->weight) * times_printed(bx, i);
    bx->weight = weight > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)weight;
    bx->has_aggregate = bx->has_aggregate || arg->has_aggregate;
    bx->has_window = bx->has_window || arg->has_window;
    bx->has_subquery = bx->has_subquery || arg->has_subquery;
  }
}

skep_bx *skep_bx_call(binding *b, const skep_function *fn, const skep_type *type, skep_pos pos, skep_bx *const *args,
                      uint32_t n) {
  skep_bx *bx = skep_bx_new(b, SKEP_BX_CALL, type, pos, n);
  if (bx == NULL || type == NULL || fn == NULL) return NULL;
  bx->fn = fn;
  memcpy(bx->args, args, n * sizeof *args);
  skep_bx_mark(bx);
  return bx;
}

skep_bx *skep_bx_operator(binding *b, const char *name, const skep_type *type, skep_pos pos, skep_bx *left,
                          skep_bx *right) {
  skep_bx *args[] = {left, right};
  return skep_bx_call(b, skep_function_operator(name), type, pos, args, right == NULL ? 1 : 2);
}

skep_bx *skep_bx_column(binding *b, const skep_brel *rel, uint32_t position, skep_pos pos) {
  skep_bx *bx = skep_bx_new(b, SKEP_BX_COLUMN, rel->types[position], pos, 0);
  if (bx == NULL) return NULL;
  bx->rel = rel;
  bx->position = position;
  rel->used[position] = true;
  return bx;
}

static bool equal_values(const skep_bx *a, const skep_bx *b) {
  const skep_bx_value *l = &a->value, *r = &b->value;
  if (l->is_null || r->is_null) return l->is_null == r->is_null;
  if (l->kind != r->kind) return false;
  switch (l->kind) {
    case SKEP_LIT_F64:
      return memcmp(&l->f64, &r->f64, sizeof l->f64) == 0;
    case SKEP_LIT_DECIMAL:
      return l->decimal == r->decimal;
    case SKEP_LIT_BYTES:
      return l->bytes.left == r->bytes.left &&
             (l->bytes.left == 0 || memcmp(l->bytes.at, r->bytes.at, l->bytes.left) == 0);
    case SKEP_LIT_TS:
      return l->ts.seconds == r->ts.seconds && l->ts.nanos == r->ts.nanos;
    default:
      return l->i64 == r->i64;
  }
}

bool skep_bx_equal(const skep_bx *a, const skep_bx *b) {
  if (a == b) return true;
  if (a->op != b->op || a->n_args != b->n_args || a->fn != b->fn || !skep_rule_equal(a->type, b->type)) return false;
  if (a->op == SKEP_BX_SUBQUERY || a->op == SKEP_BX_WINDOW) return false; /* not the same node: not known to be equal */
  if (a->rel != b->rel || a->position != b->position || a->variant != b->variant) return false;
  if (a->distinct != b->distinct || a->negated != b->negated) return false;
  if (a->op == SKEP_BX_CONST && !equal_values(a, b)) return false;
  for (uint32_t i = 0; i < a->n_args; i++) {
    if (!skep_bx_equal(a->args[i], b->args[i])) return false;
  }
  return true;
}

/* ---- results ---- */

/* What the engine gives for a bound type: VOID and intervals as texts, at any depth. */
static const skep_type *result_type(binding *b, const skep_type *type) {
  if (skep_rule_is_void(type) || skep_rule_is_interval(type)) return skep_rule_type(SKEP_STRING);
  if (!skep_rule_is_nested(type)) return type;
  const skep_type **children = skep_arena_zero(b->arena, type->n_children + 1, sizeof *children);
  if (children == NULL) return NULL;
  for (uint32_t i = 0; i < type->n_children; i++) {
    children[i] = result_type(b, type->children[i]);
    if (children[i] == NULL) return NULL;
  }
  if (type->kind == SKEP_LIST) return skep_rule_list(b->arena, children[0]);
  if (type->kind == SKEP_MAP) return skep_rule_map(b->arena, children[0], children[1]);
  return skep_rule_fields(b->arena, type->names, children, type->n_children);
}

/* A name that is there already (of the same table, or of none) becomes name_1, name_2. */
static skep_status name_repeated(binding *b, skep_bq *q, const char *const *qualifiers) {
  const char **before_names = skep_arena_zero(b->arena, q->n_outputs + 1, sizeof *before_names);
  if (before_names == NULL) return skep_bind_nomem(b);
  for (uint32_t i = 0; i < q->n_outputs; i++) before_names[i] = q->names[i];
  for (uint32_t i = 1; i < q->n_outputs && q->n_outputs < 4000; i++) {
    uint32_t before = 0;
    for (uint32_t j = 0; j < i; j++) {
      bool none = qualifiers[i] == NULL || qualifiers[j] == NULL;
      bool same = none || strcmp(qualifiers[i], qualifiers[j]) == 0;
      if (same && strcmp(before_names[i], before_names[j]) == 0) before++;
    }
    if (before == 0) continue;
    char name[300];
    int n = snprintf(name, sizeof name, "%.200s_%u", before_names[i], before);
    const char *copy = skep_arena_strndup(b->arena, name, (size_t)n);
    if (copy == NULL) return skep_bind_nomem(b);
    ((const char **)q->names)[i] = copy;
  }
  return SKEP_OK;
}

static skep_status finish(binding *b, skep_bq *q, skep_bound_query **out) {
  skep_bound_query *result = skep_arena_zero(b->arena, 1, sizeof *result);
  const char **type_names = skep_arena_zero(b->arena, q->n_outputs + 1, sizeof *type_names);
  const char **qualifiers = skep_arena_zero(b->arena, q->n_outputs + 1, sizeof *qualifiers);
  const skep_type **types = skep_arena_zero(b->arena, q->n_outputs + 1, sizeof *types);
  if (result == NULL || type_names == NULL || qualifiers == NULL || types == NULL) return skep_bind_nomem(b);
  for (uint32_t i = 0; i < q->n_outputs; i++) {
    type_names[i] = skep_bind_type_text(b, q->types[i]);
    types[i] = result_type(b, q->types[i]);
    if (types[i] == NULL) return skep_bind_nomem(b);
    const skep_bx *value = q->starred != NULL && q->starred[i] ? q->outputs[i] : NULL;
    if (value != NULL && value->op == SKEP_BX_COLUMN && value->rel->alias[0] != '\0') qualifiers[i] = value->rel->alias;
  }
  SKEP_TRY(name_repeated(b, q, qualifiers));
  SKEP_TRY(skep_bind_convert_block(b, q, types, &q));
  const skep_type like = {.kind = SKEP_STRUCT};
  SKEP_TRY(skep_type_make(b->arena, &like, types, q->names, q->n_outputs, &result->type, b->err));
  result->root = q;
  result->n_outputs = q->n_outputs;
  result->names = q->names;
  result->qualifiers = qualifiers;
  result->type_names = type_names;
  result->n_tables = b->n_tables;
  result->tables = b->tables;
  result->n_relations = b->next_rel;
  result->ordered = q->n_order != 0;
  *out = result;
  return SKEP_OK;
}

static binding start(const skep_binder *binder, skep_err *err) {
  return (binding){.binder = binder, .arena = binder->arena, .err = err};
}

skep_status skep_bind_query(const skep_binder *binder, const skep_query *query, skep_bound_query **out, skep_err *err) {
  *out = NULL;
  binding b = start(binder, err);
  skep_bq *q;
  SKEP_TRY(skep_bind_block(&b, NULL, NULL, query, &q));
  return finish(&b, q, out);
}

/* ---- INSERT ---- */

static skep_status insert_mismatch(binding *b, const skep_bind_target *target, const char *reason) {
  char label[128];
  skep_quote(label, sizeof label, target->label, strlen(target->label));
  skep_pos pos = {.line = target->line, .column = target->column};
  return skep_bind_fail(b, pos, 10044,
                        "Cannot insert into target table because column number/types are different '%s': %s", label,
                        reason);
}

/* Nested values must have the very type, which NULL by itself has not; primitives whatever CAST takes. */
static bool insertable(const binding *b, const skep_type *from, const skep_type *to) {
  if (!skep_rule_is_primitive(to)) return skep_rule_equal(from, to);
  skep_castable castable = skep_rule_castable(from, to);
  if (castable == SKEP_CAST_NEVER) return false;
  return castable == SKEP_CAST_OK || b->binder->loose_timestamps;
}

static skep_status insert_types(binding *b, const skep_bind_target *target, skep_bq *q, const skep_type ***out) {
  uint32_t n = target->types->n_children;
  char reason[300];
  if (q->n_outputs != n + target->n_skip) {
    snprintf(reason, sizeof reason, "Table insclause-0 has %u columns, but query has %u columns.", n,
             q->n_outputs < target->n_skip ? 0 : q->n_outputs - target->n_skip);
    return insert_mismatch(b, target, reason);
  }
  const skep_type **types = skep_arena_zero(b->arena, q->n_outputs + 1, sizeof *types);
  if (types == NULL) return skep_bind_nomem(b);
  for (uint32_t i = 0; i < q->n_outputs; i++) {
    types[i] = i < target->n_skip ? q->types[i] : target->types->children[i - target->n_skip];
    if (i >= target->n_skip && !insertable(b, q->types[i], types[i])) {
      snprintf(reason, sizeof reason, "Cannot convert column %u from %s to %s.", i - target->n_skip,
               skep_bind_type_text(b, q->types[i]), skep_bind_type_text(b, types[i]));
      return insert_mismatch(b, target, reason);
    }
  }
  *out = types;
  return SKEP_OK;
}

/* A number that its target, an integer type, cannot hold. */
static bool is_outside(const skep_bx *cell, skep_kind to) {
  unsigned bits = to == SKEP_TINYINT ? 8 : to == SKEP_SMALLINT ? 16 : to == SKEP_INT ? 32 : to == SKEP_BIGINT ? 64 : 0;
  if (bits == 0) return false;
  skep_i128 limit = (skep_i128)1 << (bits - 1), value;
  if (skep_rule_is_integer(cell->type)) {
    value = cell->value.i64;
  } else if (cell->type->kind == SKEP_DECIMAL) {
    value = cell->value.decimal;
    for (uint32_t i = 0; i < cell->type->scale; i++) value /= 10;
  } else {
    return skep_rule_is_float(cell->type) &&
           (cell->value.f64 >= (double)limit || cell->value.f64 <= -(double)limit - 1);
  }
  return value < -limit || value >= limit;
}

/* Before they are converted. */
static skep_status look_at_values(binding *b, const skep_bq *q, const skep_type *const *types,
                                  const skep_bound_given **out) {
  *out = NULL;
  if (q->kind != SKEP_BQ_VALUES || q->n_order != 0 || q->has_limit) return SKEP_OK;
  skep_bound_given *given = skep_arena_zero(b->arena, q->n_outputs + 1, sizeof *given);
  if (given == NULL) return skep_bind_nomem(b);
  for (uint32_t i = 0; i < q->n_rows; i++) {
    for (uint32_t j = 0; j < q->n_outputs; j++) {
      const skep_bx *cell = q->rows[i][j];
      if (cell->op != SKEP_BX_CONST) {
        given[j].n_nulls = -1;
      } else if (cell->value.is_null) {
        if (given[j].n_nulls >= 0) given[j].n_nulls++;
      } else if (is_outside(cell, types[j]->kind)) {
        given[j].n_outside++;
      }
    }
  }
  *out = given;
  return SKEP_OK;
}

/* The names that one CHECK sees: those of target->types from `from` on, of equal ones the first. */
static void show_names(const skep_bind_target *target, uint32_t from, const char **names) {
  const skep_type *types = target->types;
  for (uint32_t i = 0; i < target->n_skip + types->n_children; i++) names[i] = "";
  for (uint32_t i = from; i < types->n_children; i++) {
    bool seen = false;
    for (uint32_t k = from; k < i && !seen; k++) seen = strcmp(types->names[k], types->names[i]) == 0;
    if (!seen) names[target->n_skip + i] = types->names[i];
  }
}

/* SELECT outputs..., check, check, ... FROM (query): the expressions see the target's columns by name. */
static skep_status add_checks(binding *b, const skep_bind_target *target, skep_bq **query) {
  skep_bq *inner = *query, *q = skep_arena_zero(b->arena, 1, sizeof *q);
  uint32_t n = inner->n_outputs + target->n_checks;
  const char **inner_names = skep_arena_zero(b->arena, n + 1, sizeof *inner_names);
  const char **names = skep_arena_zero(b->arena, n + 1, sizeof *names);
  const skep_type **types = skep_arena_zero(b->arena, n + 1, sizeof *types);
  skep_bx **outputs = skep_arena_zero(b->arena, n + 1, sizeof *outputs);
  if (q == NULL || names == NULL || types == NULL || outputs == NULL || inner_names == NULL) return skep_bind_nomem(b);
  skep_brel *rel;
  SKEP_TRY(skep_bind_query_rel(b, inner, "", NULL, &rel));
  skep_brel *view = skep_arena_zero(b->arena, 1, sizeof *view);
  if (view == NULL) return skep_bind_nomem(b);
  *view = *rel; /* the same relation under the names that a CHECK sees */
  view->names = inner_names;
  scope s = {.block = q};
  SKEP_TRY(skep_scope_add(b, &s, view, (skep_pos){0}));
  for (uint32_t i = 0; i < n; i++) {
    if (i < inner->n_outputs) {
      outputs[i] = skep_bx_column(b, rel, i, (skep_pos){0});
      if (outputs[i] == NULL) return skep_bind_nomem(b);
    } else {
      uint32_t check = i - inner->n_outputs;
      show_names(target, target->check_from != NULL ? target->check_from[check] : 0, inner_names);
      SKEP_TRY(skep_bind_boolean(b, &s, target->checks[check], &outputs[i]));
    }
    names[i] = i < inner->n_outputs ? inner->names[i] : "check";
    types[i] = outputs[i]->type;
  }
  *q = (skep_bq){
      .kind = SKEP_BQ_SELECT, .n_outputs = n, .names = names, .types = types, .outputs = outputs, .from = rel};
  *query = q;
  return SKEP_OK;
}

skep_status skep_bind_insert(const skep_binder *binder, const skep_query *query, const skep_bind_target *target,
                             skep_bound_query **out, skep_err *err) {
  *out = NULL;
  binding b = start(binder, err);
  skep_bq *q;
  const skep_type **types;
  SKEP_TRY(skep_bind_block(&b, NULL, NULL, query, &q));
  const skep_bound_given *given;
  SKEP_TRY(insert_types(&b, target, q, &types));
  SKEP_TRY(look_at_values(&b, q, types, &given));
  SKEP_TRY(skep_bind_convert_block(&b, q, types, &q));
  if (target->n_checks != 0) SKEP_TRY(add_checks(&b, target, &q));
  SKEP_TRY(finish(&b, q, out));
  (*out)->given = given;
  return SKEP_OK;
}

/* ---- one expression ---- */

skep_status skep_bind_expr(const skep_binder *binder, const skep_expr *expr, const skep_type *columns,
                           const skep_type *target, const skep_bx **out, skep_err *err) {
  *out = NULL;
  binding b = start(binder, err);
  scope s = {0};
  if (columns != NULL) {
    skep_bq shape = {.n_outputs = columns->n_children, .names = columns->names, .types = columns->children};
    skep_brel *rel;
    SKEP_TRY(skep_bind_query_rel(&b, &shape, "", NULL, &rel));
    SKEP_TRY(skep_scope_add(&b, &s, rel, (skep_pos){0}));
  }
  skep_bx *value;
  SKEP_TRY(skep_bind_expression(&b, &s, expr, &value));
  if (value->has_subquery) return skep_bind_unsupported(&b, expr->pos, "a sub query here");
  if (target != NULL) SKEP_TRY(skep_bind_cast(&b, value, target, expr->pos, &value));
  *out = value;
  return SKEP_OK;
}
