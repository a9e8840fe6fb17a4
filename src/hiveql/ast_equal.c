/* Structural equality of expressions and queries, positions ignored. */
#include "hiveql/ast.h"

static bool same_names(skep_name_list a, skep_name_list b) {
  if (a.n != b.n) return false;
  for (uint32_t i = 0; i < a.n; i++) {
    if (!skep_same_text(a.items[i], b.items[i])) return false;
  }
  return true;
}

static bool same_exprs(skep_expr_list a, skep_expr_list b) {
  if (a.n != b.n) return false;
  for (uint32_t i = 0; i < a.n; i++) {
    if (!skep_expr_equal(a.items[i], b.items[i])) return false;
  }
  return true;
}

static bool same_order(skep_order_list a, skep_order_list b) {
  if (a.n != b.n) return false;
  for (uint32_t i = 0; i < a.n; i++) {
    const skep_order_item *x = &a.items[i], *y = &b.items[i];
    if (x->descending != y->descending || x->nulls != y->nulls || !skep_expr_equal(x->expr, y->expr)) return false;
  }
  return true;
}

/* ---- expressions ----------------------------------------------------------------------------------------------------
 */

static bool same_window(const skep_window *a, const skep_window *b) {
  if (a == NULL || b == NULL) return a == b;
  if (!skep_same_text(a->base, b->base) || !same_exprs(a->partition_by, b->partition_by) ||
      !same_order(a->order_by, b->order_by) || a->has_frame != b->has_frame) {
    return false;
  }
  if (!a->has_frame) return true;
  return a->is_rows == b->is_rows && a->start.kind == b->start.kind && a->end.kind == b->end.kind &&
         skep_expr_equal(a->start.value, b->start.value) && skep_expr_equal(a->end.value, b->end.value);
}

static bool same_call(const skep_call *a, const skep_call *b) {
  return skep_same_text(a->db, b->db) && skep_same_text(a->name, b->name) && a->star == b->star &&
         a->distinct == b->distinct && a->nulls == b->nulls && same_exprs(a->args, b->args) &&
         same_order(a->within_group, b->within_group) && same_window(a->over, b->over);
}

static bool same_literal(const skep_expr *a, const skep_expr *b) {
  return a->literal.kind == b->literal.kind && a->literal.i64 == b->literal.i64 &&
         a->literal.length == b->literal.length &&
         (a->literal.length == 0 || memcmp(a->literal.bytes, b->literal.bytes, a->literal.length) == 0);
}

static bool same_case(const skep_expr *a, const skep_expr *b) {
  if (a->cases.n_whens != b->cases.n_whens || !skep_expr_equal(a->cases.operand, b->cases.operand) ||
      !skep_expr_equal(a->cases.otherwise, b->cases.otherwise)) {
    return false;
  }
  for (uint32_t i = 0; i < a->cases.n_whens; i++) {
    if (!skep_expr_equal(a->cases.whens[i].when, b->cases.whens[i].when) ||
        !skep_expr_equal(a->cases.whens[i].then, b->cases.whens[i].then)) {
      return false;
    }
  }
  return true;
}

bool skep_expr_equal(const skep_expr *a, const skep_expr *b) {
  if (a == b) return true;
  if (a == NULL || b == NULL || a->kind != b->kind) return false;
  switch (a->kind) {
    case SKEP_EXPR_LITERAL:
      return same_literal(a, b);
    case SKEP_EXPR_NAME:
    case SKEP_EXPR_STAR:
      return same_names(a->name, b->name);
    case SKEP_EXPR_COLUMN_REGEX:
      return skep_same_text(a->regex.qualifier, b->regex.qualifier) &&
             skep_same_text(a->regex.pattern, b->regex.pattern);
    case SKEP_EXPR_UNARY:
      return a->unary.op == b->unary.op && skep_expr_equal(a->unary.operand, b->unary.operand);
    case SKEP_EXPR_BINARY:
      return a->binary.op == b->binary.op && skep_expr_equal(a->binary.left, b->binary.left) &&
             skep_expr_equal(a->binary.right, b->binary.right);
    case SKEP_EXPR_BETWEEN:
      return a->between.negated == b->between.negated && skep_expr_equal(a->between.value, b->between.value) &&
             skep_expr_equal(a->between.low, b->between.low) && skep_expr_equal(a->between.high, b->between.high);
    case SKEP_EXPR_IN_LIST:
      return a->in_list.negated == b->in_list.negated && skep_expr_equal(a->in_list.value, b->in_list.value) &&
             same_exprs(a->in_list.items, b->in_list.items);
    case SKEP_EXPR_IN_QUERY:
      return a->in_query.negated == b->in_query.negated && skep_expr_equal(a->in_query.value, b->in_query.value) &&
             skep_query_equal(a->in_query.query, b->in_query.query);
    case SKEP_EXPR_EXISTS:
    case SKEP_EXPR_SCALAR_QUERY:
      return skep_query_equal(a->query, b->query);
    case SKEP_EXPR_QUANTIFIED:
      return a->quantified.op == b->quantified.op && a->quantified.all == b->quantified.all &&
             skep_expr_equal(a->quantified.value, b->quantified.value) &&
             skep_query_equal(a->quantified.query, b->quantified.query);
    case SKEP_EXPR_LIKE_LIST:
      return a->like_list.all == b->like_list.all && a->like_list.negated == b->like_list.negated &&
             skep_expr_equal(a->like_list.value, b->like_list.value) &&
             same_exprs(a->like_list.patterns, b->like_list.patterns);
    case SKEP_EXPR_CASE:
      return same_case(a, b);
    case SKEP_EXPR_CAST:
      return skep_type_equal(a->cast.type, b->cast.type) && skep_same_text(a->cast.format, b->cast.format) &&
             skep_expr_equal(a->cast.value, b->cast.value);
    case SKEP_EXPR_CALL:
      return same_call(a->call, b->call);
    case SKEP_EXPR_INDEX:
      return skep_expr_equal(a->index.base, b->index.base) && skep_expr_equal(a->index.index, b->index.index);
    case SKEP_EXPR_FIELD:
      return skep_same_text(a->field.name, b->field.name) && skep_expr_equal(a->field.base, b->field.base);
    case SKEP_EXPR_TUPLE:
      return same_exprs(a->tuple, b->tuple);
    case SKEP_EXPR_INTERVAL:
      return a->interval.unit == b->interval.unit && skep_expr_equal(a->interval.value, b->interval.value);
    case SKEP_EXPR_DEFAULT:
    case SKEP_EXPR_PARAMETER:
    case SKEP_EXPR_KIND_COUNT:
      return true;
  }
  return false;
}

/* ---- queries --------------------------------------------------------------------------------------------------------
 */

static bool same_values(const skep_values *a, const skep_values *b) {
  if (a->n_rows != b->n_rows || a->n_columns != b->n_columns ||
      (a->column_names == NULL) != (b->column_names == NULL)) {
    return false;
  }
  for (uint32_t i = 0; a->column_names != NULL && i < a->n_columns; i++) {
    if (!skep_same_text(a->column_names[i], b->column_names[i])) return false;
  }
  for (size_t i = 0; i < (size_t)a->n_rows * a->n_columns; i++) {
    if (!skep_expr_equal(a->cells[i], b->cells[i])) return false;
  }
  return true;
}

static bool same_properties(skep_ast_property_list a, skep_ast_property_list b) {
  if (a.n != b.n) return false;
  for (uint32_t i = 0; i < a.n; i++) {
    if (!skep_same_text(a.items[i].key, b.items[i].key) || !skep_same_text(a.items[i].value, b.items[i].value))
      return false;
  }
  return true;
}

static bool same_sample(const skep_sample *a, const skep_sample *b) {
  if (a == NULL || b == NULL) return a == b;
  return a->kind == b->kind && a->bucket == b->bucket && a->out_of == b->out_of && a->n == b->n &&
         skep_same_text(a->percent, b->percent) && same_exprs(a->on, b->on);
}

static bool same_table(const skep_from *a, const skep_from *b) {
  return skep_same_text(a->table.name.db, b->table.name.db) && skep_same_text(a->table.name.name, b->table.name.name) &&
         skep_same_text(a->table.name.meta, b->table.name.meta) &&
         same_properties(a->table.properties, b->table.properties) && same_sample(a->table.sample, b->table.sample) &&
         a->table.as_of == b->table.as_of && skep_expr_equal(a->table.as_of_value, b->table.as_of_value);
}

static bool same_from(const skep_from *a, const skep_from *b) {
  if (a == b) return true;
  if (a == NULL || b == NULL || a->kind != b->kind || !skep_same_text(a->alias, b->alias) ||
      !same_names(a->column_aliases, b->column_aliases)) {
    return false;
  }
  switch (a->kind) {
    case SKEP_FROM_TABLE:
      return same_table(a, b);
    case SKEP_FROM_QUERY:
      return skep_query_equal(a->query, b->query);
    case SKEP_FROM_VALUES:
      return same_values(a->values, b->values);
    case SKEP_FROM_JOIN:
      return a->join.kind == b->join.kind && same_from(a->join.left, b->join.left) &&
             same_from(a->join.right, b->join.right) && skep_expr_equal(a->join.on, b->join.on) &&
             same_names(a->join.using_columns, b->join.using_columns);
    case SKEP_FROM_LATERAL_VIEW:
      return a->lateral.outer == b->lateral.outer && same_from(a->lateral.source, b->lateral.source) &&
             skep_expr_equal(a->lateral.call, b->lateral.call);
  }
  return false;
}

static bool same_group(const skep_group_by *a, const skep_group_by *b) {
  if (a->kind != b->kind || a->n_sets != b->n_sets || !same_exprs(a->exprs, b->exprs)) return false;
  for (uint32_t i = 0; i < a->n_sets; i++) {
    if (!same_exprs(a->sets[i], b->sets[i])) return false;
  }
  return true;
}

static bool same_select(const skep_select *a, const skep_select *b) {
  if (a->distinct != b->distinct || a->n_items != b->n_items || a->n_windows != b->n_windows ||
      !skep_same_text(a->hint, b->hint)) {
    return false;
  }
  for (uint32_t i = 0; i < a->n_items; i++) {
    const skep_select_item *x = &a->items[i], *y = &b->items[i];
    if (!skep_same_text(x->alias, y->alias) || !same_names(x->aliases, y->aliases) ||
        !skep_expr_equal(x->expr, y->expr)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < a->n_windows; i++) {
    if (!skep_same_text(a->windows[i].name, b->windows[i].name) ||
        !same_window(a->windows[i].window, b->windows[i].window)) {
      return false;
    }
  }
  return same_from(a->from, b->from) && skep_expr_equal(a->where, b->where) && same_group(&a->group_by, &b->group_by) &&
         skep_expr_equal(a->having, b->having) && skep_expr_equal(a->qualify, b->qualify);
}

static bool same_body(const skep_query_body *a, const skep_query_body *b) {
  if (a == b) return true;
  if (a->kind != b->kind) return false;
  switch (a->kind) {
    case SKEP_BODY_SELECT:
      return same_select(a->select, b->select);
    case SKEP_BODY_VALUES:
      return same_values(a->values, b->values);
    case SKEP_BODY_SET_OP:
      return a->set_op.op == b->set_op.op && a->set_op.all == b->set_op.all &&
             same_body(a->set_op.left, b->set_op.left) && same_body(a->set_op.right, b->set_op.right);
    case SKEP_BODY_QUERY:
      return skep_query_equal(a->query, b->query);
  }
  return false;
}

static bool same_ctes(const skep_query *a, const skep_query *b) {
  if (a->n_ctes != b->n_ctes) return false;
  for (uint32_t i = 0; i < a->n_ctes; i++) {
    if (!skep_same_text(a->ctes[i].name, b->ctes[i].name) || !same_names(a->ctes[i].columns, b->ctes[i].columns) ||
        !skep_query_equal(a->ctes[i].query, b->ctes[i].query)) {
      return false;
    }
  }
  return true;
}

bool skep_query_equal(const skep_query *a, const skep_query *b) {
  if (a == b) return true;
  if (a == NULL || b == NULL || a->has_limit != b->has_limit) return false;
  return same_ctes(a, b) && same_body(a->body, b->body) && same_order(a->order_by, b->order_by) &&
         same_order(a->sort_by, b->sort_by) && same_exprs(a->cluster_by, b->cluster_by) &&
         same_exprs(a->distribute_by, b->distribute_by) &&
         (!a->has_limit || (a->limit == b->limit && a->offset == b->offset));
}
