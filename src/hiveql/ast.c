/* Building trees by hand: constructors, and the walk over an expression's children. Equality is in ast_equal.c. */
#include "hiveql/ast.h"

const char *skep_statement_name(const skep_statement *statement) {
  static const char *const names[SKEP_STMT_KIND_COUNT] = {
#define STATEMENT_NAME(symbol, name) [symbol] = name,
      SKEP_STATEMENT_TABLE(STATEMENT_NAME)
#undef STATEMENT_NAME
  };
  if (statement->kind == SKEP_STMT_OTHER) return statement->other.what;
  return statement->kind < SKEP_STMT_KIND_COUNT ? names[statement->kind] : "unknown";
}

/* A copy of `size` bytes in the arena; NULL stays NULL. */
static void *copied(skep_arena *arena, const void *from, size_t n, size_t size) {
  void *to = from == NULL ? NULL : skep_arena_zero(arena, n, size);
  if (to != NULL) memcpy(to, from, n * size);
  return to;
}

skep_expr *skep_expr_new(skep_arena *arena, skep_expr_kind kind, skep_pos pos) {
  skep_expr *expr = skep_arena_zero(arena, 1, sizeof *expr);
  if (expr == NULL) return NULL;
  expr->kind = kind;
  expr->pos = pos;
  return expr;
}

static skep_expr *by_hand(skep_arena *arena, skep_expr_kind kind) { return skep_expr_new(arena, kind, (skep_pos){0}); }

static skep_expr *literal(skep_arena *arena, skep_literal_kind kind, int64_t value) {
  skep_expr *expr = by_hand(arena, SKEP_EXPR_LITERAL);
  if (expr == NULL) return NULL;
  expr->literal.kind = kind;
  expr->literal.i64 = value;
  return expr;
}

const skep_expr *skep_expr_null(skep_arena *arena) { return literal(arena, SKEP_LITERAL_NULL, 0); }
const skep_expr *skep_expr_bool(skep_arena *arena, bool value) { return literal(arena, SKEP_LITERAL_BOOLEAN, value); }

const skep_expr *skep_expr_int(skep_arena *arena, int64_t value) {
  bool fits = value >= INT32_MIN && value <= INT32_MAX;
  return literal(arena, fits ? SKEP_LITERAL_INT : SKEP_LITERAL_BIGINT, value);
}

static const skep_expr *names_of(skep_arena *arena, skep_expr_kind kind, const char *const *names, uint32_t n) {
  skep_expr *expr = by_hand(arena, kind);
  const char *const *items = n == 0 ? NULL : copied(arena, names, n, sizeof *names);
  if (expr == NULL || (n > 0 && items == NULL)) return NULL;
  expr->name = (skep_name_list){items, n};
  return expr;
}

const skep_expr *skep_expr_path(skep_arena *arena, const char *const *names, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (names[i] == NULL) return NULL;
  }
  return n == 0 ? NULL : names_of(arena, SKEP_EXPR_NAME, names, n);
}

const skep_expr *skep_expr_column(skep_arena *arena, const char *table, const char *column) {
  const char *names[2] = {table, column};
  return table == NULL ? skep_expr_path(arena, &column, 1) : skep_expr_path(arena, names, 2);
}

const skep_expr *skep_expr_star(skep_arena *arena, const char *table) {
  return names_of(arena, SKEP_EXPR_STAR, &table, table == NULL ? 0 : 1);
}

const skep_expr *skep_expr_unary(skep_arena *arena, skep_unary_op op, const skep_expr *operand) {
  skep_expr *expr = operand == NULL ? NULL : by_hand(arena, SKEP_EXPR_UNARY);
  if (expr == NULL) return NULL;
  expr->unary.op = op;
  expr->unary.operand = operand;
  return expr;
}

const skep_expr *skep_expr_binary(skep_arena *arena, skep_binary_op op, const skep_expr *left, const skep_expr *right) {
  skep_expr *expr = left == NULL || right == NULL ? NULL : by_hand(arena, SKEP_EXPR_BINARY);
  if (expr == NULL) return NULL;
  expr->binary.op = op;
  expr->binary.left = left;
  expr->binary.right = right;
  return expr;
}

static bool list_of(skep_arena *arena, const skep_expr *const *items, uint32_t n, skep_expr_list *out) {
  *out = (skep_expr_list){0};
  if (n == 0) return true;
  for (uint32_t i = 0; i < n; i++) {
    if (items[i] == NULL) return false;
  }
  *out = (skep_expr_list){copied(arena, items, n, sizeof *items), n};
  return out->items != NULL;
}

const skep_expr *skep_expr_call(skep_arena *arena, const char *name, const skep_expr *const *args, uint32_t n) {
  skep_call *call = name == NULL ? NULL : skep_arena_zero(arena, 1, sizeof *call);
  skep_expr *expr = by_hand(arena, SKEP_EXPR_CALL);
  if (call == NULL || expr == NULL || !list_of(arena, args, n, &call->args)) return NULL;
  call->name = name;
  expr->call = call;
  return expr;
}

const skep_expr *skep_expr_cast(skep_arena *arena, const skep_expr *value, const skep_type *type) {
  skep_expr *expr = value == NULL || type == NULL ? NULL : by_hand(arena, SKEP_EXPR_CAST);
  if (expr == NULL) return NULL;
  expr->cast.value = value;
  expr->cast.type = type;
  return expr;
}

const skep_expr *skep_expr_case(skep_arena *arena, const skep_when *whens, uint32_t n, const skep_expr *otherwise) {
  for (uint32_t i = 0; i < n; i++) {
    if (whens[i].when == NULL || whens[i].then == NULL) return NULL;
  }
  skep_expr *expr = n == 0 ? NULL : by_hand(arena, SKEP_EXPR_CASE);
  const skep_when *copy = n == 0 ? NULL : copied(arena, whens, n, sizeof *whens);
  if (expr == NULL || copy == NULL) return NULL;
  expr->cases.whens = copy;
  expr->cases.n_whens = n;
  expr->cases.otherwise = otherwise;
  return expr;
}

const skep_expr *skep_expr_at(skep_arena *arena, const skep_expr *expr, skep_pos pos) {
  skep_expr *copy = copied(arena, expr, 1, sizeof *expr);
  if (copy != NULL) copy->pos = pos;
  return copy;
}

static skep_from *from_new(skep_arena *arena, skep_from_kind kind) {
  skep_from *from = skep_arena_zero(arena, 1, sizeof *from);
  if (from != NULL) from->kind = kind;
  return from;
}

const skep_from *skep_from_table(skep_arena *arena, const char *db, const char *name, const char *alias) {
  skep_from *from = name == NULL ? NULL : from_new(arena, SKEP_FROM_TABLE);
  if (from == NULL) return NULL;
  from->alias = alias;
  from->table.name.db = db;
  from->table.name.name = name;
  return from;
}

const skep_from *skep_from_query(skep_arena *arena, const skep_query *query, const char *alias) {
  skep_from *from = query == NULL ? NULL : from_new(arena, SKEP_FROM_QUERY);
  if (from == NULL) return NULL;
  from->alias = alias;
  from->query = query;
  return from;
}

const skep_from *skep_from_join(skep_arena *arena, skep_join_kind kind, const skep_from *left, const skep_from *right,
                                const skep_expr *on) {
  skep_from *from = left == NULL || right == NULL ? NULL : from_new(arena, SKEP_FROM_JOIN);
  if (from == NULL) return NULL;
  from->join.kind = kind;
  from->join.left = left;
  from->join.right = right;
  from->join.on = on;
  return from;
}

static skep_query_body *body_new(skep_arena *arena, skep_body_kind kind) {
  skep_query_body *body = skep_arena_zero(arena, 1, sizeof *body);
  if (body != NULL) body->kind = kind;
  return body;
}

static const skep_query *query_of(skep_arena *arena, const skep_query_body *body) {
  skep_query *query = body == NULL ? NULL : skep_arena_zero(arena, 1, sizeof *query);
  if (query == NULL) return NULL;
  query->pos = body->pos;
  query->body = body;
  return query;
}

const skep_query *skep_query_select(skep_arena *arena, const skep_select *select) {
  const skep_select *copy = copied(arena, select, 1, sizeof *select);
  skep_query_body *body = body_new(arena, SKEP_BODY_SELECT);
  if (copy == NULL || body == NULL) return NULL;
  body->pos = copy->pos;
  body->select = copy;
  return query_of(arena, body);
}

/* The query as one side of a set operation. */
static const skep_query_body *side_of(skep_arena *arena, const skep_query *query) {
  bool bare = query->n_ctes == 0 && query->order_by.n == 0 && query->sort_by.n == 0 && query->cluster_by.n == 0 &&
              query->distribute_by.n == 0 && !query->has_limit;
  if (bare) return query->body;
  skep_query_body *body = body_new(arena, SKEP_BODY_QUERY);
  if (body == NULL) return NULL;
  body->pos = query->pos;
  body->query = query;
  return body;
}

const skep_query *skep_query_union_all(skep_arena *arena, const skep_query *left, const skep_query *right) {
  skep_query_body *body = left == NULL || right == NULL ? NULL : body_new(arena, SKEP_BODY_SET_OP);
  if (body == NULL) return NULL;
  body->set_op.op = SKEP_SET_UNION;
  body->set_op.all = true;
  body->set_op.left = side_of(arena, left);
  body->set_op.right = side_of(arena, right);
  return body->set_op.left == NULL || body->set_op.right == NULL ? NULL : query_of(arena, body);
}

/* ---- walking ------------------------------------------------------------------------------------------------------
 */

typedef struct walk {
  skep_expr_visit *visit;
  void *self;
} walk;

static bool visit_one(walk w, const skep_expr *child) { return child == NULL || w.visit(w.self, child); }

static bool visit_list(walk w, skep_expr_list list) {
  for (uint32_t i = 0; i < list.n; i++) {
    if (!visit_one(w, list.items[i])) return false;
  }
  return true;
}

static bool visit_order(walk w, skep_order_list list) {
  for (uint32_t i = 0; i < list.n; i++) {
    if (!visit_one(w, list.items[i].expr)) return false;
  }
  return true;
}

static bool visit_call(walk w, const skep_call *call) {
  if (!visit_list(w, call->args) || !visit_order(w, call->within_group)) return false;
  const skep_window *over = call->over;
  return over == NULL || (visit_list(w, over->partition_by) && visit_order(w, over->order_by) &&
                          visit_one(w, over->start.value) && visit_one(w, over->end.value));
}

static bool visit_case(walk w, const skep_expr *expr) {
  if (!visit_one(w, expr->cases.operand)) return false;
  for (uint32_t i = 0; i < expr->cases.n_whens; i++) {
    if (!visit_one(w, expr->cases.whens[i].when) || !visit_one(w, expr->cases.whens[i].then)) return false;
  }
  return visit_one(w, expr->cases.otherwise);
}

bool skep_expr_each_child(const skep_expr *expr, skep_expr_visit *visit, void *self) {
  walk w = {visit, self};
  switch (expr->kind) {
    case SKEP_EXPR_LITERAL:
    case SKEP_EXPR_NAME:
    case SKEP_EXPR_STAR:
    case SKEP_EXPR_COLUMN_REGEX:
    case SKEP_EXPR_EXISTS:
    case SKEP_EXPR_SCALAR_QUERY:
    case SKEP_EXPR_DEFAULT:
    case SKEP_EXPR_PARAMETER:
    case SKEP_EXPR_KIND_COUNT:
      return true;
    case SKEP_EXPR_UNARY:
      return visit_one(w, expr->unary.operand);
    case SKEP_EXPR_BINARY:
      return visit_one(w, expr->binary.left) && visit_one(w, expr->binary.right);
    case SKEP_EXPR_BETWEEN:
      return visit_one(w, expr->between.value) && visit_one(w, expr->between.low) && visit_one(w, expr->between.high);
    case SKEP_EXPR_IN_LIST:
      return visit_one(w, expr->in_list.value) && visit_list(w, expr->in_list.items);
    case SKEP_EXPR_IN_QUERY:
      return visit_one(w, expr->in_query.value);
    case SKEP_EXPR_QUANTIFIED:
      return visit_one(w, expr->quantified.value);
    case SKEP_EXPR_LIKE_LIST:
      return visit_one(w, expr->like_list.value) && visit_list(w, expr->like_list.patterns);
    case SKEP_EXPR_CASE:
      return visit_case(w, expr);
    case SKEP_EXPR_CAST:
      return visit_one(w, expr->cast.value);
    case SKEP_EXPR_CALL:
      return visit_call(w, expr->call);
    case SKEP_EXPR_INDEX:
      return visit_one(w, expr->index.base) && visit_one(w, expr->index.index);
    case SKEP_EXPR_FIELD:
      return visit_one(w, expr->field.base);
    case SKEP_EXPR_TUPLE:
      return visit_list(w, expr->tuple);
    case SKEP_EXPR_INTERVAL:
      return visit_one(w, expr->interval.value);
  }
  return true;
}
