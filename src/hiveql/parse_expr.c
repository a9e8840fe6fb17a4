/* Expressions: operators, by precedence climbing over one table.
 *
 *   expr     := operand operator operand ...    as operators.h orders them, lowest first:
 *     1 OR   2 AND   3 NOT e, ! e   4 IS [NOT] (NULL | TRUE | FALSE | UNKNOWN)
 *     5 = == <=> <> != IS [NOT] DISTINCT FROM
 *     6 < <= > >=  [NOT] (LIKE | RLIKE | REGEXP) e   [NOT] LIKE (ANY | ALL) '(' exprs ')'   [NOT] IN '(' query | exprs
 * ')' [NOT] BETWEEN e AND e   comparison (ANY | SOME | ALL) '(' query ')'   EXISTS '(' query ')' 7 |   8 &   9 ||   10
 * + -   11 * / % DIV   12 ^   13 + e, - e, ~ e   14 e '[' e ']', e '.' name Levels 4 and 6 do not chain (a < b < c is
 * an error); the others are left-associative.
 *
 *   order    := e [ASC | DESC] [NULLS (FIRST | LAST)]
 *   window   := '(' [name] [(PARTITION | DISTRIBUTE) BY exprs] [(ORDER | SORT) BY order (, order)*] [frame] ')'
 *   frame    := (ROWS | RANGE) (bound | BETWEEN bound AND bound)
 *   bound    := UNBOUNDED (PRECEDING | FOLLOWING) | CURRENT ROW | constant (PRECEDING | FOLLOWING)
 *
 * Source: hiveql.md 1.5: the grammar of Hive 4 (before, IS bound tightest). */
#include "hiveql/operators.h"
#include "hiveql/parse_int.h"

typedef struct operator_row {
  skep_level level;
  skep_binary_op op;
} operator_row;

static operator_row row_of(skep_binary_op op) { return (operator_row){skep_operators[op].level, op}; }

/* Operators that are one token between two operands; SKEP_LEVEL_NONE where there is none. */
static operator_row token_operator(skep_token_kind kind) {
  switch (kind) {
    case SKEP_TOKEN_EQ:
      return row_of(SKEP_OP_EQ);
    case SKEP_TOKEN_NE:
      return row_of(SKEP_OP_NE);
    case SKEP_TOKEN_NULL_SAFE_EQ:
      return row_of(SKEP_OP_NULL_SAFE_EQ);
    case SKEP_TOKEN_LT:
      return row_of(SKEP_OP_LT);
    case SKEP_TOKEN_LE:
      return row_of(SKEP_OP_LE);
    case SKEP_TOKEN_GT:
      return row_of(SKEP_OP_GT);
    case SKEP_TOKEN_GE:
      return row_of(SKEP_OP_GE);
    case SKEP_TOKEN_BAR:
      return row_of(SKEP_OP_BIT_OR);
    case SKEP_TOKEN_AMPERSAND:
      return row_of(SKEP_OP_BIT_AND);
    case SKEP_TOKEN_CONCAT:
      return row_of(SKEP_OP_CONCAT);
    case SKEP_TOKEN_PLUS:
      return row_of(SKEP_OP_ADD);
    case SKEP_TOKEN_MINUS:
      return row_of(SKEP_OP_SUBTRACT);
    case SKEP_TOKEN_STAR:
      return row_of(SKEP_OP_MULTIPLY);
    case SKEP_TOKEN_DIVIDE:
      return row_of(SKEP_OP_DIVIDE);
    case SKEP_TOKEN_PERCENT:
      return row_of(SKEP_OP_MODULO);
    case SKEP_TOKEN_CARET:
      return row_of(SKEP_OP_BIT_XOR);
    default:
      return (operator_row){SKEP_LEVEL_NONE, SKEP_OP_EQ};
  }
}

static const skep_expr *climb(skep_parser *p, skep_level least);

static operator_row keyword_operator(skep_keyword keyword) {
  switch (keyword) {
    case SKEP_KW_OR:
      return row_of(SKEP_OP_OR);
    case SKEP_KW_AND:
      return row_of(SKEP_OP_AND);
    case SKEP_KW_DIV:
      return row_of(SKEP_OP_INT_DIVIDE);
    case SKEP_KW_LIKE:
      return row_of(SKEP_OP_LIKE);
    case SKEP_KW_RLIKE:
    case SKEP_KW_REGEXP:
      return row_of(SKEP_OP_RLIKE);
    case SKEP_KW_IN:
    case SKEP_KW_BETWEEN:
      return (operator_row){SKEP_LEVEL_SIMILAR, SKEP_OP_EQ};
    default:
      return (operator_row){SKEP_LEVEL_NONE, SKEP_OP_EQ};
  }
}

static bool at_not(const skep_parser *p) {
  return skep_p_keyword(p, 0) == SKEP_KW_NOT || skep_p_kind(p, 0) == SKEP_TOKEN_BANG;
}

/* The level of the operator at the cursor, 0 when there is none. */
static skep_level level_at(const skep_parser *p) {
  skep_level by_kind = token_operator(skep_p_kind(p, 0)).level;
  if (by_kind != 0) {
    skep_keyword behind = skep_p_keyword(p, 1);
    bool quantified =
        by_kind <= SKEP_LEVEL_SIMILAR && (behind == SKEP_KW_ANY || behind == SKEP_KW_SOME || behind == SKEP_KW_ALL);
    return quantified ? SKEP_LEVEL_SIMILAR : by_kind;
  }
  if (skep_p_keyword(p, 0) == SKEP_KW_IS) {
    size_t behind = skep_p_keyword(p, 1) == SKEP_KW_NOT ? 2 : 1;
    return skep_p_keyword(p, behind) == SKEP_KW_DISTINCT ? SKEP_LEVEL_EQUAL : SKEP_LEVEL_IS;
  }
  if (at_not(p)) return SKEP_LEVEL_SIMILAR;
  return keyword_operator(skep_p_keyword(p, 0)).level;
}

/* ---- building -----------------------------------------------------------------------------------------------------
 */

static const skep_expr *finish(skep_parser *p, skep_expr expr, skep_pos start) {
  expr.pos = skep_p_end(p, start);
  return SKEP_P_NEW(p, expr);
}

static const skep_expr *binary(skep_parser *p, skep_binary_op op, const skep_expr *left, const skep_expr *right) {
  if (left == NULL || right == NULL) return NULL;
  skep_expr expr = {.kind = SKEP_EXPR_BINARY, .pos = left->pos};
  expr.pos.length = right->pos.offset + right->pos.length - left->pos.offset;
  expr.binary.op = op;
  expr.binary.left = left;
  expr.binary.right = right;
  return SKEP_P_NEW(p, expr);
}

static const skep_expr *unary(skep_parser *p, skep_unary_op op, const skep_expr *operand, skep_pos start) {
  if (operand == NULL) return NULL;
  skep_expr expr = {.kind = SKEP_EXPR_UNARY};
  expr.unary.op = op;
  expr.unary.operand = operand;
  return finish(p, expr, start);
}

/* n operands under one AND or OR. A long chain becomes a balanced tree: trees are walked recursively, and AND and OR
 * may be grouped freely. */
static const skep_expr *chain(skep_parser *p, skep_binary_op op, const skep_expr *const *operands, uint32_t n) {
  enum { LONG_CHAIN = 64 };
  if (p->status != SKEP_OK) return NULL;
  if (n > LONG_CHAIN) {
    uint32_t half = n / 2;
    return binary(p, op, chain(p, op, operands, half), chain(p, op, operands + half, n - half));
  }
  const skep_expr *all = operands[0];
  for (uint32_t i = 1; i < n; i++) all = binary(p, op, all, operands[i]);
  return all;
}

static const skep_expr *logical(skep_parser *p, const skep_expr *left, operator_row row) {
  skep_keyword keyword = row.op == SKEP_OP_AND ? SKEP_KW_AND : SKEP_KW_OR;
  size_t mark = skep_p_mark(p);
  uint32_t n;
  if (!skep_p_push(p, &left, sizeof left)) return NULL;
  while (skep_p_accept_kw(p, keyword)) {
    p->context = "expression specification";
    const skep_expr *right = climb(p, row.level + 1);
    if (right == NULL || !skep_p_push(p, &right, sizeof right)) return NULL;
  }
  const skep_expr *const *operands = skep_p_take(p, mark, sizeof *operands, &n);
  return operands == NULL ? NULL : chain(p, row.op, operands, n);
}

/* ---- operators with words -----------------------------------------------------------------------------------------
 */

static const skep_expr *is_condition(skep_parser *p, const skep_expr *value, skep_pos start) {
  static const struct {
    skep_keyword keyword;
    skep_unary_op op, negated;
  } conditions[] = {
      {SKEP_KW_NULL, SKEP_OP_IS_NULL, SKEP_OP_IS_NOT_NULL},
      {SKEP_KW_TRUE, SKEP_OP_IS_TRUE, SKEP_OP_IS_NOT_TRUE},
      {SKEP_KW_FALSE, SKEP_OP_IS_FALSE, SKEP_OP_IS_NOT_FALSE},
      {SKEP_KW_UNKNOWN, SKEP_OP_IS_UNKNOWN, SKEP_OP_IS_NOT_UNKNOWN},
  };
  skep_p_next(p);
  bool negated = skep_p_accept_kw(p, SKEP_KW_NOT);
  for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
    if (skep_p_accept_kw(p, conditions[i].keyword)) {
      return unary(p, negated ? conditions[i].negated : conditions[i].op, value, start);
    }
  }
  skep_p_expected(p, "DISTINCT FROM");
  skep_p_syntax(p);
  return NULL;
}

static const skep_expr *is_distinct(skep_parser *p, const skep_expr *value) {
  skep_p_next(p);
  bool negated = skep_p_accept_kw(p, SKEP_KW_NOT);
  if (!skep_p_expect_kw(p, SKEP_KW_DISTINCT) || !skep_p_expect_kw(p, SKEP_KW_FROM)) return NULL;
  return binary(p, negated ? SKEP_OP_NULL_SAFE_EQ : SKEP_OP_DISTINCT, value, climb(p, SKEP_LEVEL_SIMILAR));
}

static bool paren_exprs(skep_parser *p, skep_expr_list *out) {
  skep_p_decide(p);
  if (!skep_p_accept(p, SKEP_TOKEN_LPAREN)) {
    skep_p_syntax(p);
    return false;
  }
  return skep_p_exprs(p, out) && skep_p_expect(p, SKEP_TOKEN_RPAREN);
}

static const skep_expr *in_condition(skep_parser *p, const skep_expr *value, bool negated, skep_pos start) {
  skep_expr expr = {0};
  if (skep_p_at_query(p)) {
    expr.kind = SKEP_EXPR_IN_QUERY;
    expr.in_query.value = value;
    expr.in_query.negated = negated;
    expr.in_query.query = skep_p_paren_query(p);
    return expr.in_query.query == NULL ? NULL : finish(p, expr, start);
  }
  expr.kind = SKEP_EXPR_IN_LIST;
  expr.in_list.value = value;
  expr.in_list.negated = negated;
  return paren_exprs(p, &expr.in_list.items) ? finish(p, expr, start) : NULL;
}

static const skep_expr *between(skep_parser *p, const skep_expr *value, bool negated, skep_pos start) {
  skep_expr expr = {.kind = SKEP_EXPR_BETWEEN};
  expr.between.value = value;
  expr.between.negated = negated;
  expr.between.low = climb(p, SKEP_LEVEL_BIT_OR);
  if (expr.between.low == NULL || !skep_p_expect_kw(p, SKEP_KW_AND)) return NULL;
  expr.between.high = climb(p, SKEP_LEVEL_BIT_OR);
  return expr.between.high == NULL ? NULL : finish(p, expr, start);
}

static const skep_expr *like_list(skep_parser *p, const skep_expr *value, bool negated, skep_pos start) {
  skep_expr expr = {.kind = SKEP_EXPR_LIKE_LIST};
  expr.like_list.value = value;
  expr.like_list.negated = negated;
  expr.like_list.all = skep_p_keyword(p, 0) == SKEP_KW_ALL;
  skep_p_next(p);
  return paren_exprs(p, &expr.like_list.patterns) ? finish(p, expr, start) : NULL;
}

static const skep_expr *quantified(skep_parser *p, const skep_expr *value, skep_binary_op op, skep_pos start) {
  skep_expr expr = {.kind = SKEP_EXPR_QUANTIFIED};
  expr.quantified.value = value;
  expr.quantified.op = op;
  expr.quantified.all = skep_p_keyword(p, 0) == SKEP_KW_ALL;
  skep_p_next(p);
  expr.quantified.query = skep_p_paren_query(p);
  return expr.quantified.query == NULL ? NULL : finish(p, expr, start);
}

/* [NOT] LIKE, RLIKE, IN, BETWEEN */
static const skep_expr *word_condition(skep_parser *p, const skep_expr *value, skep_pos start) {
  bool negated = at_not(p);
  if (negated) skep_p_next(p);
  skep_keyword keyword = skep_p_keyword(p, 0);
  p->context = "expression specification";
  if (keyword_operator(keyword).level != SKEP_LEVEL_SIMILAR) {
    skep_p_syntax(p);
    return NULL;
  }
  if (keyword != SKEP_KW_IN && keyword != SKEP_KW_BETWEEN) skep_p_decide(p);
  skep_p_next(p);
  if (keyword == SKEP_KW_IN) return in_condition(p, value, negated, start);
  if (keyword == SKEP_KW_BETWEEN) return between(p, value, negated, start);
  if (keyword == SKEP_KW_LIKE && (skep_p_keyword(p, 0) == SKEP_KW_ANY || skep_p_keyword(p, 0) == SKEP_KW_ALL)) {
    return like_list(p, value, negated, start);
  }
  const skep_expr *like = binary(p, keyword_operator(keyword).op, value, climb(p, SKEP_LEVEL_BIT_OR));
  return negated ? unary(p, SKEP_OP_NOT, like, start) : like;
}

/* ---- climbing -----------------------------------------------------------------------------------------------------
 */

static const skep_expr *apply(skep_parser *p, const skep_expr *left, skep_level at, skep_pos start) {
  if (at == SKEP_LEVEL_IS) return is_condition(p, left, start);
  if (skep_p_keyword(p, 0) == SKEP_KW_IS) return is_distinct(p, left);
  skep_token_kind kind = skep_p_kind(p, 0);
  operator_row token = token_operator(kind);
  operator_row row = token.level != SKEP_LEVEL_NONE ? token : keyword_operator(skep_p_keyword(p, 0));
  if (at <= SKEP_LEVEL_AND) return logical(p, left, row);
  if (token.level == SKEP_LEVEL_NONE && at == SKEP_LEVEL_SIMILAR) return word_condition(p, left, start);
  if (row.level <= SKEP_LEVEL_SIMILAR) skep_p_decide(p);
  skep_p_next(p);
  p->context = "expression specification";
  if (row.level <= SKEP_LEVEL_SIMILAR) {
    skep_keyword behind = skep_p_keyword(p, 0);
    if (behind == SKEP_KW_ANY || behind == SKEP_KW_SOME || behind == SKEP_KW_ALL) {
      return quantified(p, left, row.op, start);
    }
  }
  return binary(p, row.op, left, climb(p, row.level + 1));
}

static const skep_expr *prefix(skep_parser *p, skep_level least, skep_level *at);

/* + e, - e, ~ e */
static const skep_expr *sign(skep_parser *p, skep_unary_op op) {
  skep_pos start = skep_p_begin(p);
  skep_level at;
  skep_p_next(p);
  if (!skep_p_enter(p)) return NULL;
  const skep_expr *operand = prefix(p, SKEP_LEVEL_UNARY, &at);
  skep_p_leave(p);
  return unary(p, op, operand, start);
}

static const skep_expr *exists(skep_parser *p) {
  skep_expr expr = {.kind = SKEP_EXPR_EXISTS};
  skep_pos start = skep_p_begin(p);
  skep_p_next(p);
  expr.query = skep_p_paren_query(p);
  return expr.query == NULL ? NULL : finish(p, expr, start);
}

/* An operand with what stands before it; *at is the level it ends up with. */
static const skep_expr *prefix(skep_parser *p, skep_level least, skep_level *at) {
  if (least <= SKEP_LEVEL_NOT && at_not(p)) {
    skep_pos start = skep_p_begin(p);
    *at = SKEP_LEVEL_NOT;
    skep_p_next(p);
    return unary(p, SKEP_OP_NOT, climb(p, SKEP_LEVEL_NOT), start);
  }
  if (least <= SKEP_LEVEL_SIMILAR && skep_p_keyword(p, 0) == SKEP_KW_EXISTS) {
    *at = SKEP_LEVEL_SIMILAR;
    return exists(p);
  }
  *at = SKEP_LEVEL_UNARY;
  switch (skep_p_kind(p, 0)) {
    case SKEP_TOKEN_PLUS:
      return sign(p, SKEP_OP_PLUS);
    case SKEP_TOKEN_MINUS:
      return sign(p, SKEP_OP_NEGATE);
    case SKEP_TOKEN_TILDE:
      return sign(p, SKEP_OP_BIT_NOT);
    default:
      *at = SKEP_LEVEL_POSTFIX;
      return skep_p_postfix(p);
  }
}

/* Operators of level `least` and tighter. */
static const skep_expr *climb(skep_parser *p, skep_level least) {
  skep_pos start = skep_p_begin(p);
  skep_level at, next;
  uint32_t height = 0;
  if (!skep_p_enter(p)) return NULL;
  const skep_expr *left = prefix(p, least, &at);
  while (left != NULL && (next = level_at(p)) >= least && next != 0) {
    bool chains = next != SKEP_LEVEL_IS && next != SKEP_LEVEL_SIMILAR;
    if (next > at || (next == at && !chains)) break;
    if (++height > SKEP_P_MAX_HEIGHT) {
      skep_p_refuse(p, SKEP_ERR_LIMIT, "ParseException line %u:%u more than %d operators in a row", start.line,
                    start.column, SKEP_P_MAX_HEIGHT);
      left = NULL;
      break;
    }
    left = apply(p, left, next, start);
    at = next;
  }
  if (left != NULL && p->recording) skep_p_expected(p, "an operator");
  skep_p_leave(p);
  return p->status == SKEP_OK ? left : NULL;
}

const skep_expr *skep_p_expr(skep_parser *p) {
  const char *saved = p->context;
  const skep_expr *expr = climb(p, SKEP_LEVEL_OR);
  if (expr != NULL) p->context = saved;
  return expr;
}

const skep_expr *skep_p_signed(skep_parser *p) { return climb(p, SKEP_LEVEL_UNARY); }
const skep_expr *skep_p_additive(skep_parser *p) { return climb(p, SKEP_LEVEL_ADD); }

/* DEFAULT is a word like others: a column default.x, a function default(...) stay possible. */
const skep_expr *skep_p_expr_or_default(skep_parser *p, bool additive) {
  skep_token_kind behind = skep_p_kind(p, 1);
  if (skep_p_at_kw(p, SKEP_KW_DEFAULT) && behind != SKEP_TOKEN_DOT && behind != SKEP_TOKEN_LPAREN) {
    skep_expr *expr = skep_expr_new(p->arena, SKEP_EXPR_DEFAULT, skep_p_begin(p));
    if (expr == NULL) skep_p_no_memory(p);
    skep_p_next(p);
    return expr;
  }
  return additive ? skep_p_additive(p) : skep_p_expr(p);
}

/* constant := ['-'] literal */
const skep_expr *skep_p_constant(skep_parser *p) {
  const char *saved = p->context;
  skep_token_kind kind = skep_p_kind(p, 0);
  p->context = "constant";
  if (skep_p_is_name(p, 0) || kind == SKEP_TOKEN_LPAREN) {
    skep_p_expected(p, "a constant");
    skep_p_syntax(p);
    return NULL;
  }
  const skep_expr *value = climb(p, SKEP_LEVEL_UNARY);
  const skep_expr *inner = value;
  while (inner != NULL && inner->kind == SKEP_EXPR_UNARY) inner = inner->unary.operand;
  bool fits = inner != NULL &&
              (inner->kind == SKEP_EXPR_LITERAL || inner->kind == SKEP_EXPR_INTERVAL ||
               (inner->kind == SKEP_EXPR_CALL && inner->call->args.n == 0) || inner->kind == SKEP_EXPR_PARAMETER);
  if (value != NULL && !fits) {
    skep_p_refuse(p, SKEP_ERR_SYNTAX, "ParseException line %u:%u a constant is expected here", value->pos.line,
                  value->pos.column);
    return NULL;
  }
  if (value != NULL) p->context = saved;
  return value;
}

bool skep_p_exprs(skep_parser *p, skep_expr_list *out) {
  size_t mark = skep_p_mark(p);
  do {
    const skep_expr *expr = skep_p_expr(p);
    if (expr == NULL || !skep_p_push(p, &expr, sizeof expr)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  out->items = skep_p_take(p, mark, sizeof *out->items, &out->n);
  return p->status == SKEP_OK;
}

/* ---- ORDER BY, windows ------------------------------------------------------------------------------------------- */

static bool order_item(skep_parser *p, skep_order_item *out) {
  *out = (skep_order_item){.expr = skep_p_expr(p)};
  if (out->expr == NULL) return false;
  out->descending = skep_p_accept_kw(p, SKEP_KW_DESC);
  if (!out->descending) (void)skep_p_accept_kw(p, SKEP_KW_ASC);
  if (!skep_p_accept_kw(p, SKEP_KW_NULLS)) return true;
  out->nulls = skep_p_at_kw(p, SKEP_KW_FIRST) ? SKEP_NULLS_FIRST : SKEP_NULLS_LAST;
  if (out->nulls == SKEP_NULLS_FIRST) skep_p_next(p);
  return out->nulls == SKEP_NULLS_FIRST || skep_p_expect_kw(p, SKEP_KW_LAST);
}

bool skep_p_order_items(skep_parser *p, skep_order_list *out) {
  size_t mark = skep_p_mark(p);
  do {
    skep_order_item item;
    if (!order_item(p, &item) || !skep_p_push(p, &item, sizeof item)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  out->items = skep_p_take(p, mark, sizeof *out->items, &out->n);
  return p->status == SKEP_OK;
}

static bool frame_bound(skep_parser *p, skep_window_bound *out) {
  if (skep_p_accept_kw(p, SKEP_KW_CURRENT)) {
    out->kind = SKEP_BOUND_CURRENT_ROW;
    return skep_p_expect_kw(p, SKEP_KW_ROW);
  }
  bool unbounded = skep_p_accept_kw(p, SKEP_KW_UNBOUNDED);
  if (!unbounded) {
    out->value = skep_p_constant(p);
    if (out->value == NULL) return false;
  }
  if (skep_p_accept_kw(p, SKEP_KW_PRECEDING)) {
    out->kind = unbounded ? SKEP_BOUND_UNBOUNDED_PRECEDING : SKEP_BOUND_PRECEDING;
    return true;
  }
  out->kind = unbounded ? SKEP_BOUND_UNBOUNDED_FOLLOWING : SKEP_BOUND_FOLLOWING;
  return skep_p_expect_kw(p, SKEP_KW_FOLLOWING);
}

static bool frame(skep_parser *p, skep_window *w) {
  w->is_rows = skep_p_accept_kw(p, SKEP_KW_ROWS);
  if (!w->is_rows && !skep_p_accept_kw(p, SKEP_KW_RANGE)) return true;
  w->has_frame = true;
  w->end.kind = SKEP_BOUND_CURRENT_ROW;
  if (!skep_p_accept_kw(p, SKEP_KW_BETWEEN)) return frame_bound(p, &w->start);
  return frame_bound(p, &w->start) && skep_p_expect_kw(p, SKEP_KW_AND) && frame_bound(p, &w->end);
}

/* CLUSTER BY x in a window is PARTITION BY x ORDER BY x. */
static bool cluster_window(skep_parser *p, skep_window *w) {
  if (!skep_p_exprs(p, &w->partition_by)) return false;
  skep_order_item *items = skep_arena_zero(p->arena, w->partition_by.n, sizeof *items);
  if (items == NULL) {
    skep_p_no_memory(p);
    return false;
  }
  for (uint32_t i = 0; i < w->partition_by.n; i++) items[i].expr = w->partition_by.items[i];
  w->order_by = (skep_order_list){items, w->partition_by.n};
  return true;
}

static bool window_order(skep_parser *p, skep_window *w) {
  if (skep_p_accept_kw2(p, SKEP_KW_CLUSTER, SKEP_KW_BY)) return cluster_window(p, w);
  if ((skep_p_accept_kw2(p, SKEP_KW_PARTITION, SKEP_KW_BY) || skep_p_accept_kw2(p, SKEP_KW_DISTRIBUTE, SKEP_KW_BY)) &&
      !skep_p_exprs(p, &w->partition_by)) {
    return false;
  }
  if (!skep_p_accept_kw2(p, SKEP_KW_ORDER, SKEP_KW_BY) && !skep_p_accept_kw2(p, SKEP_KW_SORT, SKEP_KW_BY)) return true;
  return skep_p_order_items(p, &w->order_by);
}

const skep_window *skep_p_window_spec(skep_parser *p) {
  skep_window w = {.pos = skep_p_begin(p)};
  if (!skep_p_expect(p, SKEP_TOKEN_LPAREN)) return NULL;
  if (skep_p_is_name(p, 0) && skep_p_keyword(p, 1) != SKEP_KW_BY) {
    w.base = skep_p_name(p);
    if (w.base == NULL) return NULL;
  }
  if (!window_order(p, &w) || !frame(p, &w) || !skep_p_expect(p, SKEP_TOKEN_RPAREN)) return NULL;
  w.pos = skep_p_end(p, w.pos);
  return SKEP_P_NEW(p, w);
}
