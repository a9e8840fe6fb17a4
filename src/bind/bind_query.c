/* Query blocks: SELECT with its clauses, VALUES, set operations, WITH, ORDER BY and LIMIT. */
#include <stdio.h>
#include <string.h>

#include "bind/bind_int.h"

static skep_bq *new_block(binding *b, skep_bq_kind kind) {
  skep_bq *q = skep_arena_zero(b->arena, 1, sizeof *q);
  if (q != NULL) q->kind = kind;
  return q;
}

static skep_status set_outputs(binding *b, skep_bq *q, uint32_t n) {
  q->n_outputs = n;
  q->names = skep_arena_zero(b->arena, n + 1, sizeof *q->names);
  q->types = skep_arena_zero(b->arena, n + 1, sizeof *q->types);
  return q->names == NULL || q->types == NULL ? skep_bind_nomem(b) : SKEP_OK;
}

static void set_name(skep_bq *q, uint32_t i, const char *name, const skep_type *type) {
  ((const char **)q->names)[i] = name; /* ours: from set_outputs */
  ((const skep_type **)q->types)[i] = type;
}

static const char *numbered_name(binding *b, const char *prefix, uint32_t i) {
  char name[24];
  int length = snprintf(name, sizeof name, "%s%u", prefix, i);
  return skep_arena_strndup(b->arena, name, (size_t)length);
}

/* ---- select lists ---- */

typedef struct select_list {
  skep_bx **outputs;
  const char **names;
  bool *starred, *derived;
  uint32_t n, outputs_capacity, names_capacity, starred_capacity, derived_capacity;
  bool in_star; /* what is added comes from a * or is written t.c: shown with its table */
} select_list;

static skep_status add_output(binding *b, select_list *list, skep_bx *value, const char *name) {
  list->outputs = skep_bind_grow(b->arena, list->outputs, list->n, &list->outputs_capacity, sizeof *list->outputs);
  list->names = skep_bind_grow(b->arena, list->names, list->n, &list->names_capacity, sizeof *list->names);
  list->starred = skep_bind_grow(b->arena, list->starred, list->n, &list->starred_capacity, sizeof *list->starred);
  list->derived = skep_bind_grow(b->arena, list->derived, list->n, &list->derived_capacity, sizeof *list->derived);
  if (list->outputs == NULL || list->names == NULL || list->starred == NULL || list->derived == NULL || value == NULL ||
      name == NULL)
    return skep_bind_nomem(b);
  list->outputs[list->n] = value;
  list->starred[list->n] = list->in_star;
  list->derived[list->n] = false;
  list->names[list->n++] = name;
  return SKEP_OK;
}

static bool is_using(const scope *s, const char *name) {
  for (uint32_t i = 0; i < s->n_usings; i++) {
    if (strcmp(s->usings[i].name, name) == 0) return true;
  }
  return false;
}

static skep_status add_star(binding *b, scope *s, const skep_expr *expr, select_list *list) {
  const skep_name_list *qualifier = &expr->name;
  bool any = false;
  for (uint32_t i = 0; i < s->n_usings && qualifier->n == 0; i++) {
    SKEP_TRY(add_output(b, list, s->usings[i].value, s->usings[i].name));
  }
  for (uint32_t i = 0; i < s->n_rels; i++) {
    const skep_brel *rel = s->rels[i];
    if (qualifier->n != 0 && strcmp(rel->alias, qualifier->items[qualifier->n - 1]) != 0) continue;
    if (qualifier->n > 1 && (rel->db == NULL || strcmp(rel->db, qualifier->items[0]) != 0)) continue;
    any = true;
    for (uint32_t j = 0; j < rel->n_visible; j++) {
      if (qualifier->n == 0 && is_using(s, rel->names[j])) continue;
      SKEP_TRY(skep_bind_traced_name(b, expr->pos, rel->alias, rel->names[j], true));
      SKEP_TRY(add_output(b, list, skep_bx_column(b, rel, j, expr->pos), rel->names[j]));
    }
  }
  if (any) return SKEP_OK;
  if (qualifier->n == 0) return skep_bind_fail(b, expr->pos, 0, "SELECT * needs a FROM");
  char label[128];
  const char *name = qualifier->items[qualifier->n - 1];
  skep_quote(label, sizeof label, name, strlen(name));
  return skep_bind_fail(b, expr->pos, 10009, "Invalid table alias '%s'", label);
}

static bool is_taken(const select_list *list, const char *name) {
  for (uint32_t i = 0; i < list->n; i++) {
    if (strcmp(list->names[i], name) == 0) return true;
  }
  return false;
}

/* Hive names a bare column after itself, x.f after the field, a CAST of a column (and +column) after the column unless
 * something before is called so, everything else _c<position>. */
static const char *output_name(binding *b, const skep_select_item *item, const skep_bx *value, const select_list *list,
                               uint32_t position) {
  if (item->alias != NULL) return item->alias;
  const skep_expr *expr = item->expr;
  if (expr->kind == SKEP_EXPR_NAME) return expr->name.items[expr->name.n - 1];
  if (expr->kind == SKEP_EXPR_FIELD) return expr->field.name;
  const skep_bx *column = value->op == SKEP_BX_CAST && value->variant == 0 ? value->args[0] : value;
  if (column->op == SKEP_BX_COLUMN) {
    const char *name = column->rel->names[column->position];
    if (name[0] != '_' && !is_taken(list, name)) return name;
  }
  return numbered_name(b, "_c", position);
}

static const skep_function *table_function(const skep_expr *expr) {
  if (expr->kind != SKEP_EXPR_CALL || expr->call->over != NULL) return NULL;
  const skep_function *fn = skep_function_find(expr->call->name);
  return fn != NULL && fn->kind == SKEP_FN_TABLE ? fn : NULL;
}

/* SELECT udtf(...) AS (a, b): a lateral view over FROM, all of whose columns are selected. */
static skep_status bind_udtf_list(binding *b, scope *s, const skep_select *select, skep_bq *q, select_list *list) {
  const skep_select_item *item = &select->items[0];
  if (select->n_items != 1) {
    char label[128];
    const skep_select_item *other = table_function(item->expr) != NULL ? &select->items[1] : item;
    return skep_fail(
        b->err, SKEP_ERR_SEMANTIC,
        "SemanticException %u:%u Only a single expression in the SELECT clause is supported with UDTF's. Error "
        "encountered near token '%s'",
        other->pos.line, other->pos.column, skep_bind_label(other->expr, label, sizeof label));
  }
  skep_name_list names = item->aliases;
  if (names.n == 0 && item->alias != NULL) names = (skep_name_list){&item->alias, 1};
  skep_brel *rel;
  SKEP_TRY(skep_bind_lateral(b, s, q->from, item->expr, "", names, false, &rel));
  q->from = rel;
  for (uint32_t i = 0; i < rel->n_columns; i++) {
    SKEP_TRY(add_output(b, list, skep_bx_column(b, rel, i, item->pos), rel->names[i]));
  }
  return SKEP_OK;
}

static skep_status bind_select_list(binding *b, scope *s, const skep_select *select, skep_bq *q, select_list *list) {
  for (uint32_t i = 0; i < select->n_items; i++) {
    if (table_function(select->items[i].expr) != NULL) return bind_udtf_list(b, s, select, q, list);
  }
  s->aggregates = s->windows = s->in_select = true;
  for (uint32_t i = 0; i < select->n_items; i++) {
    const skep_select_item *item = &select->items[i];
    if (item->expr->kind == SKEP_EXPR_STAR) {
      list->in_star = true;
      SKEP_TRY(add_star(b, s, item->expr, list));
      list->in_star = false;
      continue;
    }
    if (item->expr->kind == SKEP_EXPR_COLUMN_REGEX) {
      return skep_bind_unsupported(b, item->pos, "regular expressions over column names");
    }
    skep_bx *value;
    SKEP_TRY(skep_bind_expression(b, s, item->expr, &value));
    bool named = item->alias == NULL && item->expr->kind == SKEP_EXPR_NAME && item->expr->name.n >= 2;
    list->in_star = named && value->op == SKEP_BX_COLUMN; /* t.c is shown as t.c */
    SKEP_TRY(add_output(b, list, value, output_name(b, item, value, list, i)));
    list->derived[list->n - 1] = item->alias == NULL && value->op == SKEP_BX_CAST;
    list->in_star = false;
  }
  s->aggregates = s->windows = s->in_select = false;
  return SKEP_OK;
}

/* ---- grouping ---- */

static bool is_ordinal(const skep_expr *expr) {
  return expr->kind == SKEP_EXPR_LITERAL && expr->literal.kind == SKEP_LITERAL_INT;
}

static skep_status bind_keys(binding *b, scope *s, const skep_select *select, skep_bq *q) {
  const skep_group_by *group = &select->group_by;
  if (group->kind == SKEP_GROUP_NONE) return SKEP_OK;
  q->grouped = true;
  if (group->kind >= SKEP_GROUP_ROLLUP && group->exprs.n > 64) /* a set is a mask of 64 bits */
    return skep_bind_fail(b, group->pos, 10411, "Grouping sets size cannot be greater than 64");
  q->keys = skep_arena_zero(b->arena, group->exprs.n + 1, sizeof *q->keys);
  if (q->keys == NULL) return skep_bind_nomem(b);
  for (uint32_t i = 0; i < group->exprs.n; i++) {
    const skep_expr *expr = group->exprs.items[i];
    if (b->binder->group_ordinals && is_ordinal(expr)) {
      int64_t at = expr->literal.i64;
      if (at < 1 || at > select->n_items || select->items[at - 1].expr->kind == SKEP_EXPR_STAR) {
        return skep_bind_fail(b, expr->pos, 10220, "Invalid position alias in Group By");
      }
      expr = select->items[at - 1].expr;
    }
    SKEP_TRY(skep_bind_expression(b, s, expr, &q->keys[i]));
  }
  q->n_keys = group->exprs.n;
  return SKEP_OK;
}

static skep_status set_of(binding *b, scope *s, const skep_group_by *group, const skep_bq *q, const skep_expr_list *set,
                          uint64_t *bits) {
  *bits = 0;
  for (uint32_t i = 0; i < set->n; i++) {
    skep_bx *value;
    SKEP_TRY(skep_bind_expression(b, s, set->items[i], &value));
    uint32_t at = 0;
    while (at < q->n_keys && !skep_bx_equal(q->keys[at], value)) at++;
    if (at == q->n_keys) {
      return skep_bind_fail(b, group->pos, 10213, "Grouping sets expression is not in GROUP BY key");
    }
    *bits |= (uint64_t)1 << at;
  }
  return SKEP_OK;
}

static skep_status bind_sets(binding *b, scope *s, const skep_group_by *group, skep_bq *q) {
  uint32_t n = q->n_keys;
  if (group->kind < SKEP_GROUP_ROLLUP) return SKEP_OK;
  if (group->kind == SKEP_GROUP_CUBE && n > 12) {
    return skep_bind_unsupported(b, group->pos, "CUBE over more than 12 expressions");
  }
  q->n_sets = group->kind == SKEP_GROUP_ROLLUP ? n + 1 : group->kind == SKEP_GROUP_CUBE ? 1u << n : group->n_sets;
  uint64_t *sets = skep_arena_zero(b->arena, q->n_sets + 1, sizeof *sets);
  if (sets == NULL) return skep_bind_nomem(b);
  for (uint32_t i = 0; i < q->n_sets; i++) {
    if (group->kind == SKEP_GROUP_SETS)
      SKEP_TRY(set_of(b, s, group, q, &group->sets[i], &sets[i]));
    else if (group->kind == SKEP_GROUP_CUBE)
      sets[i] = i;
    else
      sets[i] = n - i == 64 ? ~(uint64_t)0 : ((uint64_t)1 << (n - i)) - 1;
  }
  q->sets = sets;
  return SKEP_OK;
}

static bool is_key(const skep_bq *q, const skep_bx *bx) {
  for (uint32_t i = 0; i < q->n_keys; i++) {
    if (skep_bx_equal(q->keys[i], bx)) return true;
  }
  return false;
}

static bool in_scope(const scope *s, const skep_brel *rel) {
  for (uint32_t i = 0; i < s->n_rels; i++) {
    if (s->rels[i] == rel) return true;
  }
  return false;
}

/* Columns of this block may stand in a grouped block's outputs below an aggregate or as (part of) a key only. */
static skep_status check_grouped(binding *b, const scope *s, const skep_bq *q, const skep_bx *bx) {
  if (bx == NULL || bx->op == SKEP_BX_AGG || is_key(q, bx)) return SKEP_OK;
  for (uint32_t i = 0; bx->op == SKEP_BX_GROUPING && i < bx->n_args; i++) {
    skep_pos pos = {.line = bx->line, .column = bx->column};
    if (!is_key(q, bx->args[i])) {
      return skep_bind_fail(b, pos, 10409, "Expression in GROUPING function not present in GROUP BY");
    }
  }
  if (bx->op == SKEP_BX_GROUPING) return SKEP_OK;
  if (bx->op == SKEP_BX_COLUMN && in_scope(s, bx->rel)) {
    char label[128];
    const char *name = bx->rel->names[bx->position];
    skep_quote(label, sizeof label, name, strlen(name));
    skep_pos pos = {.line = bx->line, .column = bx->column};
    return skep_bind_fail(b, pos, 10025, "Expression not in GROUP BY key '%s'", label);
  }
  for (uint32_t i = 0; i < bx->n_args; i++) SKEP_TRY(check_grouped(b, s, q, bx->args[i]));
  for (uint32_t i = 0; bx->window != NULL && i < bx->window->n_partition; i++) {
    SKEP_TRY(check_grouped(b, s, q, bx->window->partition[i]));
  }
  for (uint32_t i = 0; bx->window != NULL && i < bx->window->n_order; i++) {
    SKEP_TRY(check_grouped(b, s, q, bx->window->order[i].expr));
  }
  return SKEP_OK;
}

/* ---- ORDER BY ---- */

/* SORT BY and CLUSTER BY order within a reducer: one process has one. */
static skep_status order_items(binding *b, const skep_query *query, skep_order_list *out) {
  *out = query->order_by.n != 0 ? query->order_by : query->sort_by;
  if (query->order_by.n != 0 && query->cluster_by.n != 0) {
    return skep_bind_fail(b, query->pos, 10047, "Cannot have both ORDER BY and CLUSTER BY clauses");
  }
  if (query->order_by.n != 0 && query->distribute_by.n != 0) {
    return skep_bind_fail(b, query->pos, 10049, "Cannot have both ORDER BY and DISTRIBUTE BY clauses");
  }
  if (query->order_by.n != 0 && query->sort_by.n != 0) {
    return skep_bind_fail(b, query->pos, 10050, "Cannot have both ORDER BY and SORT BY clauses");
  }
  if (query->cluster_by.n != 0 && query->distribute_by.n != 0) {
    return skep_bind_fail(b, query->pos, 10046, "Cannot have both CLUSTER BY and DISTRIBUTE BY clauses");
  }
  if (query->cluster_by.n != 0 && query->sort_by.n != 0) {
    return skep_bind_fail(b, query->pos, 10048, "Cannot have both CLUSTER BY and SORT BY clauses");
  }
  if (out->n != 0 || query->cluster_by.n == 0) return SKEP_OK;
  skep_order_item *items = skep_arena_zero(b->arena, query->cluster_by.n, sizeof *items);
  if (items == NULL) return skep_bind_nomem(b);
  for (uint32_t i = 0; i < query->cluster_by.n; i++) items[i].expr = query->cluster_by.items[i];
  *out = (skep_order_list){items, query->cluster_by.n};
  return SKEP_OK;
}

static skep_status bind_order_item(binding *b, scope *s, skep_bq *q, const skep_order_item *item, skep_border *out) {
  const skep_expr *expr = item->expr;
  out->descending = item->descending;
  out->nulls_first = skep_bind_nulls_first(b, item);
  out->output = -1;
  if (is_ordinal(expr) && !b->binder->no_order_ordinals) {
    for (uint32_t i = 0; s->select != NULL && i < s->select->n_items; i++) {
      if (s->select->items[i].expr->kind != SKEP_EXPR_STAR) continue;
      return skep_bind_fail(b, (skep_pos){0}, 10219, "Position in ORDER BY is not supported when using SELECT *");
    }
    if (expr->literal.i64 < 1 || expr->literal.i64 > q->n_outputs) {
      return skep_bind_fail(b, (skep_pos){0}, 10221, "Invalid position alias in Order By");
    }
    out->output = (int32_t)expr->literal.i64 - 1;
    out->expr = q->outputs[out->output];
    return SKEP_OK;
  }
  for (uint32_t i = 0; expr->kind == SKEP_EXPR_NAME && expr->name.n == 1 && i < q->n_outputs; i++) {
    if (strcmp(q->names[i], expr->name.items[0]) != 0 || (s->derived != NULL && s->derived[i])) continue;
    out->output = (int32_t)i;
    out->expr = q->outputs[i];
    return SKEP_OK;
  }
  s->aggregates = q->grouped;
  s->windows = true;
  SKEP_TRY(skep_bind_expression(b, s, expr, &out->expr));
  s->aggregates = s->windows = false;
  for (uint32_t i = 0; i < q->n_outputs; i++) {
    if (!skep_bx_equal(q->outputs[i], out->expr)) continue;
    out->output = (int32_t)i;
    return SKEP_OK;
  }
  if (q->distinct) {
    return skep_bind_fail(b, expr->pos, 10004,
                          "ORDER BY of a SELECT DISTINCT names an expression that is not selected");
  }
  return q->grouped ? check_grouped(b, s, q, out->expr) : SKEP_OK;
}

static skep_status bind_order(binding *b, scope *s, skep_bq *q, const skep_query *query) {
  skep_order_list items;
  SKEP_TRY(order_items(b, query, &items));
  skep_border *order = skep_arena_zero(b->arena, items.n + 1, sizeof *order);
  if (order == NULL) return skep_bind_nomem(b);
  s->alias_names = q->names;
  s->alias_values = q->outputs;
  s->n_aliases = q->n_outputs;
  for (uint32_t i = 0; i < items.n; i++) SKEP_TRY(bind_order_item(b, s, q, &items.items[i], &order[i]));
  for (uint32_t i = 0; i < query->distribute_by.n; i++) { /* where rows go: checked, then of no concern */
    skep_bx *ignored;
    SKEP_TRY(skep_bind_expression(b, s, query->distribute_by.items[i], &ignored));
  }
  q->order = order;
  q->n_order = items.n;
  q->has_limit = query->has_limit;
  q->limit = query->limit;
  q->offset = query->offset;
  return SKEP_OK;
}

/* ---- SELECT ---- */

static skep_status bind_filters(binding *b, scope *s, const skep_select *select, skep_bq *q) {
  skep_bx *value;
  s->alias_names = q->names;
  s->alias_values = q->outputs;
  s->n_aliases = q->n_outputs;
  if (select->having != NULL) {
    s->aggregates = true;
    SKEP_TRY(skep_bind_boolean(b, s, select->having, &value));
    s->aggregates = false;
    q->having = value;
    q->grouped = q->grouped || s->grouped_seen;
    if (!q->grouped) return skep_bind_fail(b, (skep_pos){0}, 0, "HAVING specified without GROUP BY");
  }
  if (select->qualify != NULL) {
    s->windows = s->aggregates = true;
    SKEP_TRY(skep_bind_boolean(b, s, select->qualify, &value));
    s->windows = s->aggregates = false;
    q->qualify = value;
  }
  return SKEP_OK;
}

static skep_status check_all_grouped(binding *b, const scope *s, const skep_bq *q) {
  if (!q->grouped) return SKEP_OK;
  for (uint32_t i = 0; i < q->n_outputs; i++) SKEP_TRY(check_grouped(b, s, q, q->outputs[i]));
  SKEP_TRY(check_grouped(b, s, q, q->having));
  return check_grouped(b, s, q, q->qualify);
}

static skep_status bind_select(binding *b, scope *parent, const cte_env *ctes, const skep_select *select,
                               const skep_query *query, skep_bq **out) {
  skep_bq *q = new_block(b, SKEP_BQ_SELECT);
  scope *s = skep_arena_zero(b->arena, 1, sizeof *s); /* not on the stack: queries nest */
  if (q == NULL || s == NULL) return skep_bind_nomem(b);
  *s = (scope){.parent = parent, .ctes = ctes, .select = select, .block = q};
  skep_bx *where = NULL;
  if (select->from != NULL) SKEP_TRY(skep_bind_from(b, s, select->from, &q->from));
  if (select->where != NULL) SKEP_TRY(skep_bind_boolean(b, s, select->where, &where));
  q->where = where;
  q->distinct = select->distinct;
  SKEP_TRY(bind_keys(b, s, select, q));
  SKEP_TRY(bind_sets(b, s, &select->group_by, q));
  select_list list = {0};
  SKEP_TRY(bind_select_list(b, s, select, q, &list));
  q->grouped = q->grouped || s->grouped_seen;
  SKEP_TRY(set_outputs(b, q, list.n));
  q->outputs = list.outputs;
  for (uint32_t i = 0; i < list.n; i++) set_name(q, i, list.names[i], list.outputs[i]->type);
  q->starred = list.starred;
  s->derived = list.derived;
  SKEP_TRY(bind_filters(b, s, select, q));
  SKEP_TRY(check_all_grouped(b, s, q));
  if (query != NULL) SKEP_TRY(bind_order(b, s, q, query));
  SKEP_TRY(skep_bind_sargs(b, q));
  *out = q;
  return SKEP_OK;
}

/* A SELECT of all columns of a query: where a set operation has an ORDER BY, or types must be converted. */
static skep_status wrap(binding *b, const skep_bq *inner, scope *parent, const cte_env *ctes, scope **s_out,
                        skep_bq **out) {
  skep_bq *q = new_block(b, SKEP_BQ_SELECT);
  scope *s = skep_arena_zero(b->arena, 1, sizeof *s);
  skep_brel *rel;
  if (q == NULL || s == NULL) return skep_bind_nomem(b);
  *s = (scope){.parent = parent, .ctes = ctes, .block = q};
  SKEP_TRY(skep_bind_query_rel(b, inner, "", NULL, &rel));
  SKEP_TRY(skep_scope_add(b, s, rel, (skep_pos){0}));
  q->from = rel;
  SKEP_TRY(set_outputs(b, q, inner->n_outputs));
  q->outputs = skep_arena_zero(b->arena, inner->n_outputs + 1, sizeof *q->outputs);
  if (q->outputs == NULL) return skep_bind_nomem(b);
  for (uint32_t i = 0; i < inner->n_outputs; i++) {
    q->outputs[i] = skep_bx_column(b, rel, i, (skep_pos){0});
    if (q->outputs[i] == NULL) return skep_bind_nomem(b);
    set_name(q, i, inner->names[i], inner->types[i]);
  }
  if (s_out != NULL) *s_out = s;
  *out = q;
  return SKEP_OK;
}

skep_status skep_bind_convert_block(binding *b, skep_bq *query, const skep_type *const *types, skep_bq **out) {
  bool same = true;
  for (uint32_t i = 0; i < query->n_outputs; i++) same = same && skep_rule_equal(query->types[i], types[i]);
  *out = query;
  if (same) return SKEP_OK;
  if (query->kind == SKEP_BQ_VALUES && query->n_order == 0) {
    for (uint32_t i = 0; i < query->n_rows; i++) {
      for (uint32_t j = 0; j < query->n_outputs; j++) {
        SKEP_TRY(skep_bind_convert(b, query->rows[i][j], types[j], &query->rows[i][j]));
      }
    }
    for (uint32_t j = 0; j < query->n_outputs; j++) set_name(query, j, query->names[j], types[j]);
    return SKEP_OK;
  }
  bool plain = query->kind == SKEP_BQ_SELECT && query->n_order == 0 && !query->distinct;
  if (!plain) SKEP_TRY(wrap(b, query, NULL, NULL, NULL, &query));
  for (uint32_t i = 0; i < query->n_outputs; i++) {
    SKEP_TRY(skep_bind_convert(b, query->outputs[i], types[i], &query->outputs[i]));
    set_name(query, i, query->names[i], types[i]);
  }
  *out = query;
  return SKEP_OK;
}

/* ---- VALUES ---- */

skep_status skep_bind_values(binding *b, scope *parent, const cte_env *ctes, const skep_values *values, skep_bq **out) {
  skep_bq *q = new_block(b, SKEP_BQ_VALUES);
  scope s = {.parent = parent, .ctes = ctes};
  uint32_t n = values->n_columns;
  if (q == NULL) return skep_bind_nomem(b);
  q->n_rows = values->n_rows;
  q->rows = skep_arena_zero(b->arena, values->n_rows + 1, sizeof *q->rows);
  skep_bx **column = skep_arena_zero(b->arena, values->n_rows + 1, sizeof *column);
  if (q->rows == NULL || column == NULL) return skep_bind_nomem(b);
  SKEP_TRY(set_outputs(b, q, n));
  for (uint32_t i = 0; i < values->n_rows; i++) {
    q->rows[i] = skep_arena_zero(b->arena, n + 1, sizeof **q->rows);
    if (q->rows[i] == NULL) return skep_bind_nomem(b);
    for (uint32_t j = 0; j < n; j++) {
      SKEP_TRY(skep_bind_expression(b, &s, values->cells[(size_t)i * n + j], &q->rows[i][j]));
    }
  }
  for (uint32_t j = 0; j < n; j++) {
    for (uint32_t i = 0; i < values->n_rows; i++) column[i] = q->rows[i][j];
    const skep_type *type;
    SKEP_TRY(skep_bind_common(b, column, values->n_rows, values->pos, "VALUES", &type));
    for (uint32_t i = 0; i < values->n_rows; i++) q->rows[i][j] = column[i];
    const char *name = values->column_names != NULL ? values->column_names[j] : NULL;
    if (name == NULL) name = numbered_name(b, "col", j + 1);
    if (name == NULL) return skep_bind_nomem(b);
    set_name(q, j, name, type);
  }
  *out = q;
  return SKEP_OK;
}

/* ---- set operations ---- */

static skep_status bind_body(binding *b, scope *parent, const cte_env *ctes, const skep_query_body *body,
                             const skep_query *query, skep_bq **out);

static skep_status combine(binding *b, const skep_query_body *body, skep_bq *left, skep_bq *right, skep_bq **out) {
  if (left->n_outputs != right->n_outputs) {
    return skep_bind_fail(b, (skep_pos){0}, 0, "Schema of both sides of union should match.");
  }
  skep_bq *q = new_block(b, SKEP_BQ_SET);
  const skep_type **types = skep_arena_zero(b->arena, left->n_outputs + 1, sizeof *types);
  if (q == NULL || types == NULL) return skep_bind_nomem(b);
  SKEP_TRY(set_outputs(b, q, left->n_outputs));
  for (uint32_t i = 0; i < left->n_outputs; i++) {
    types[i] = skep_rule_union(b->arena, left->types[i], right->types[i]);
    if (types[i] == NULL) {
      char label[128];
      skep_quote(label, sizeof label, left->names[i], strlen(left->names[i]));
      return skep_bind_fail(
          b, (skep_pos){0}, 0,
          "Schema of both sides of union should match: Column %s is of type %s on first table and type "
          "%s on second table. Cannot tell the position of null AST.",
          label, skep_bind_type_text(b, left->types[i]), skep_bind_type_text(b, right->types[i]));
    }
    set_name(q, i, left->names[i], types[i]);
  }
  SKEP_TRY(skep_bind_convert_block(b, left, types, &left));
  SKEP_TRY(skep_bind_convert_block(b, right, types, &right));
  static const skep_bset sets[] = {[SKEP_SET_UNION] = SKEP_BSET_UNION,
                                   [SKEP_SET_INTERSECT] = SKEP_BSET_INTERSECT,
                                   [SKEP_SET_EXCEPT] = SKEP_BSET_EXCEPT};
  q->set = sets[body->set_op.op];
  q->set_all = body->set_op.all;
  q->left = left;
  q->right = right;
  *out = q;
  return SKEP_OK;
}

/* Long chains lean to the left: walked, not recursed into. */
static skep_status bind_set(binding *b, scope *parent, const cte_env *ctes, const skep_query_body *body,
                            skep_bq **out) {
  const skep_query_body **spine = NULL, *at = body;
  uint32_t n = 0, capacity = 0;
  for (; at->kind == SKEP_BODY_SET_OP; at = at->set_op.left) {
    spine = skep_bind_grow(b->arena, spine, n, &capacity, sizeof *spine);
    if (spine == NULL) return skep_bind_nomem(b);
    spine[n++] = at;
  }
  skep_bq *left, *right;
  SKEP_TRY(bind_body(b, parent, ctes, at, NULL, &left));
  while (n-- != 0) {
    SKEP_TRY(bind_body(b, parent, ctes, spine[n]->set_op.right, NULL, &right));
    SKEP_TRY(combine(b, spine[n], left, right, &left));
  }
  *out = left;
  return SKEP_OK;
}

/* query: whose ORDER BY and LIMIT a SELECT takes on; NULL: none. */
static skep_status bind_body(binding *b, scope *parent, const cte_env *ctes, const skep_query_body *body,
                             const skep_query *query, skep_bq **out) {
  switch (body->kind) {
    case SKEP_BODY_SELECT:
      return bind_select(b, parent, ctes, body->select, query, out);
    case SKEP_BODY_VALUES:
      return skep_bind_values(b, parent, ctes, body->values, out);
    case SKEP_BODY_QUERY:
      return skep_bind_block(b, parent, ctes, body->query, out);
    default:
      return bind_set(b, parent, ctes, body, out);
  }
}

static bool has_tail(const skep_query *query) {
  return query->has_limit || query->order_by.n != 0 || query->sort_by.n != 0 || query->cluster_by.n != 0 ||
         query->distribute_by.n != 0;
}

/* One WITH item, visible to the later ones and to the query. */
static skep_status bind_cte(binding *b, scope *parent, const cte_env *outer, const skep_cte *cte, cte_env *env) {
  skep_bq *query;
  SKEP_TRY(skep_bind_block(b, parent, outer, cte->query, &query));
  if (cte->columns.n != 0 && cte->columns.n != query->n_outputs) {
    return skep_bind_fail(b, cte->pos, 10425, "The number of column names of WITH does not match: %u for %u columns",
                          cte->columns.n, query->n_outputs);
  }
  *env = (cte_env){.outer = outer,
                   .name = cte->name,
                   .id = b->next_cte++,
                   .query = query,
                   .names = cte->columns.n != 0 ? cte->columns.items : NULL};
  return SKEP_OK;
}

skep_status skep_bind_block(binding *b, scope *parent, const cte_env *ctes, const skep_query *query, skep_bq **out) {
  if (b->depth >= SKEP_BIND_MAX_DEPTH) return skep_fail(b->err, SKEP_ERR_LIMIT, "queries are nested too deeply");
  cte_env *env = skep_arena_zero(b->arena, query->n_ctes + 1, sizeof *env);
  skep_bcte *list = skep_arena_zero(b->arena, query->n_ctes + 1, sizeof *list);
  if (env == NULL || list == NULL) return skep_bind_nomem(b);
  b->depth++;
  skep_status st = SKEP_OK;
  for (uint32_t i = 0; i < query->n_ctes && st == SKEP_OK; i++) {
    const skep_cte *cte = &query->ctes[i];
    for (uint32_t j = 0; j < i && st == SKEP_OK; j++) {
      if (strcmp(env[j].name, cte->name) == 0)
        st = skep_bind_fail(b, cte->pos, 10008, "Ambiguous table alias '%s'", cte->name);
    }
    if (st != SKEP_OK) break;
    st = bind_cte(b, parent, ctes, &query->ctes[i], &env[i]);
    if (st != SKEP_OK) break;
    list[i] = (skep_bcte){env[i].id, env[i].query};
    ctes = &env[i];
  }
  skep_bq *q = NULL;
  bool select = query->body->kind == SKEP_BODY_SELECT;
  if (st == SKEP_OK) st = bind_body(b, parent, ctes, query->body, select ? query : NULL, &q);
  if (st == SKEP_OK && !select && has_tail(query)) {
    scope *s;
    st = wrap(b, q, parent, ctes, &s, &q);
    if (st == SKEP_OK) st = bind_order(b, s, q, query);
  }
  /* A block in parentheses may carry its own WITH already: then one more block goes around it. */
  if (st == SKEP_OK && query->n_ctes != 0 && q->n_ctes != 0) st = wrap(b, q, parent, ctes, NULL, &q);
  b->depth--;
  if (st != SKEP_OK) return st;
  if (query->n_ctes != 0) {
    q->ctes = list;
    q->n_ctes = query->n_ctes;
  }
  *out = q;
  return SKEP_OK;
}
