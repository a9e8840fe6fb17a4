/* Queries.
 *
 *   query    := [with] body (setop body)* tail
 *   with     := WITH name ['(' names ')'] AS '(' query ')' (',' ...)*
 *   body     := select | values | '(' query ')'
 *   setop    := (UNION | INTERSECT | EXCEPT | MINUS) [ALL | DISTINCT]                one precedence, left to right
 *   tail     := [ORDER BY orders] [CLUSTER BY exprs] [DISTRIBUTE BY exprs] [SORT BY orders] [limit]
 *   limit    := LIMIT n | LIMIT offset ',' n | LIMIT n OFFSET offset
 *   select   := SELECT [hint] [ALL | DISTINCT] item (',' item)* [FROM from] rest      FROM from SELECT items rest
 *   item     := '*' | name ('.' name)* '.' '*' | expr [[AS] name | AS '(' names ')']
 *   rest     := [WHERE expr] [GROUP BY group] [HAVING expr] [WINDOW name AS window (',' ...)*] [QUALIFY expr]
 *   group    := '(' ')' | (ROLLUP | CUBE) '(' exprs ')' | exprs [WITH ROLLUP | WITH CUBE | GROUPING SETS '(' set (','
 * set)* ')'] values   := VALUES '(' cell (',' cell)* ')' (',' ...)*          cell := DEFAULT | expr [[AS] name]  (names
 * in row one)
 *
 * Source: hiveql.md 5.1, 5.5. */
#include "hiveql/parse_int.h"

/* ---- select items -------------------------------------------------------------------------------------------------
 */

static bool item(skep_parser *p, skep_select_item *out) {
  *out = (skep_select_item){.pos = skep_p_begin(p)};
  p->context = "select clause";
  out->expr = skep_p_at_star(p) ? skep_p_star_item(p) : skep_p_expr(p);
  if (out->expr == NULL) return false;
  p->context = "selection target";
  if (out->expr->kind == SKEP_EXPR_STAR) return true;
  if (skep_p_keyword(p, 0) == SKEP_KW_AS && skep_p_kind(p, 1) == SKEP_TOKEN_LPAREN) {
    skep_p_next(p);
    return skep_p_paren_names(p, &out->aliases);
  }
  out->alias = skep_p_alias(p);
  return p->status == SKEP_OK;
}

/* A comma belongs to the list when an item can follow it. */
static bool more_items(skep_parser *p) {
  if (!skep_p_at(p, SKEP_TOKEN_COMMA)) return false;
  switch (skep_p_kind(p, 1)) {
    case SKEP_TOKEN_COMMA:
    case SKEP_TOKEN_RPAREN:
    case SKEP_TOKEN_SEMICOLON:
    case SKEP_TOKEN_EOF:
      return false;
    default:
      break;
  }
  if (skep_p_keyword(p, 1) == SKEP_KW_FROM) return false;
  skep_p_next(p);
  return true;
}

/* What can stand behind an item without a name: a comma, a clause, an end. */
static bool item_may_end(skep_parser *p) {
  static const skep_keyword clauses[] = {SKEP_KW_FROM,       SKEP_KW_WHERE,   SKEP_KW_GROUP, SKEP_KW_HAVING,
                                         SKEP_KW_WINDOW,     SKEP_KW_QUALIFY, SKEP_KW_UNION, SKEP_KW_INTERSECT,
                                         SKEP_KW_EXCEPT,     SKEP_KW_MINUS,   SKEP_KW_ORDER, SKEP_KW_CLUSTER,
                                         SKEP_KW_DISTRIBUTE, SKEP_KW_SORT,    SKEP_KW_LIMIT, SKEP_KW_INSERT};
  static const skep_token_kind ends[] = {SKEP_TOKEN_COMMA, SKEP_TOKEN_RPAREN, SKEP_TOKEN_SEMICOLON, SKEP_TOKEN_EOF};
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    if (skep_p_kind(p, 0) == ends[i]) return true;
  }
  for (size_t i = 0; i < sizeof clauses / sizeof clauses[0]; i++) {
    if (skep_p_at_kw(p, clauses[i])) return true;
  }
  return false;
}

/* Something else stands there: Hive shows it together with an item of one token. */
static bool item_end(skep_parser *p, const skep_select_item *it, size_t first) {
  if (it->alias != NULL || it->aliases.n > 0 || item_may_end(p)) return true;
  if (p->at == first + 1) p->decision = first;
  if (it->expr->kind == SKEP_EXPR_LITERAL) p->context = "constant";
  if (it->expr->kind == SKEP_EXPR_BINARY && skep_p_kind(p, 0) >= SKEP_TOKEN_EQ) p->context = "expression specification";
  skep_p_syntax(p);
  return false;
}

static bool items(skep_parser *p, skep_select *s) {
  size_t mark = skep_p_mark(p);
  do {
    skep_select_item one;
    size_t first = p->at;
    if (!item(p, &one) || !item_end(p, &one, first)) return false;
    one.pos = skep_p_end(p, one.pos);
    if (!skep_p_push(p, &one, sizeof one)) return false;
  } while (more_items(p));
  p->context = "statement";
  s->items = skep_p_take(p, mark, sizeof *s->items, &s->n_items);
  return p->status == SKEP_OK;
}

/* ---- GROUP BY ------------------------------------------------------------------------------------------------------
 */

static bool grouping_set(skep_parser *p, skep_expr_list *out) {
  *out = (skep_expr_list){0};
  if (!skep_p_at(p, SKEP_TOKEN_LPAREN) || skep_p_at_query(p)) {
    const skep_expr *one = skep_p_expr(p);
    size_t mark = skep_p_mark(p);
    if (one == NULL || !skep_p_push(p, &one, sizeof one)) return false;
    out->items = skep_p_take(p, mark, sizeof *out->items, &out->n);
    return p->status == SKEP_OK;
  }
  skep_p_next(p);
  if (skep_p_accept(p, SKEP_TOKEN_RPAREN)) return true;
  return skep_p_exprs(p, out) && skep_p_expect(p, SKEP_TOKEN_RPAREN);
}

static bool grouping_sets(skep_parser *p, skep_group_by *g) {
  size_t mark = skep_p_mark(p);
  g->kind = SKEP_GROUP_SETS;
  if (!skep_p_expect(p, SKEP_TOKEN_LPAREN)) return false;
  do {
    skep_expr_list set;
    if (!grouping_set(p, &set) || !skep_p_push(p, &set, sizeof set)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  g->sets = skep_p_take(p, mark, sizeof *g->sets, &g->n_sets);
  return skep_p_expect(p, SKEP_TOKEN_RPAREN);
}

static bool group_by(skep_parser *p, skep_group_by *g) {
  g->pos = skep_p_begin(p);
  g->kind = SKEP_GROUP_PLAIN;
  p->context = "expression specification";
  if (skep_p_kind(p, 0) == SKEP_TOKEN_LPAREN && skep_p_kind(p, 1) == SKEP_TOKEN_RPAREN) {
    skep_p_next(p);
    skep_p_next(p);
    return true;
  }
  bool rollup = skep_p_accept_kw(p, SKEP_KW_ROLLUP);
  if (rollup || skep_p_accept_kw(p, SKEP_KW_CUBE)) {
    g->kind = rollup ? SKEP_GROUP_ROLLUP : SKEP_GROUP_CUBE;
    return skep_p_expect(p, SKEP_TOKEN_LPAREN) && skep_p_exprs(p, &g->exprs) && skep_p_expect(p, SKEP_TOKEN_RPAREN);
  }
  if (!skep_p_exprs(p, &g->exprs)) return false;
  if (skep_p_accept_kw2(p, SKEP_KW_WITH, SKEP_KW_ROLLUP)) g->kind = SKEP_GROUP_ROLLUP;
  if (skep_p_accept_kw2(p, SKEP_KW_WITH, SKEP_KW_CUBE)) g->kind = SKEP_GROUP_CUBE;
  if (g->kind == SKEP_GROUP_PLAIN && skep_p_accept_kw2(p, SKEP_KW_GROUPING, SKEP_KW_SETS)) return grouping_sets(p, g);
  return true;
}

/* ---- what follows the items ----------------------------------------------------------------------------------------
 */

static bool windows(skep_parser *p, skep_select *s) {
  size_t mark = skep_p_mark(p);
  do {
    skep_named_window w = {.name = skep_p_name(p)};
    if (w.name == NULL || !skep_p_expect_kw(p, SKEP_KW_AS)) return false;
    w.window = skep_p_window_spec(p);
    if (w.window == NULL || !skep_p_push(p, &w, sizeof w)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  s->windows = skep_p_take(p, mark, sizeof *s->windows, &s->n_windows);
  return p->status == SKEP_OK;
}

static bool optional_expr(skep_parser *p, skep_keyword keyword, const skep_expr **out) {
  if (!skep_p_accept_kw(p, keyword)) return true;
  p->context = "expression specification";
  *out = skep_p_expr(p);
  p->context = "statement";
  return *out != NULL;
}

static bool rest(skep_parser *p, skep_select *s) {
  if (!optional_expr(p, SKEP_KW_WHERE, &s->where)) return false;
  if (skep_p_accept_by(p, SKEP_KW_GROUP)) {
    if (!group_by(p, &s->group_by)) return false;
    p->context = "statement";
  }
  if (!optional_expr(p, SKEP_KW_HAVING, &s->having)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_WINDOW) && !windows(p, s)) return false;
  return optional_expr(p, SKEP_KW_QUALIFY, &s->qualify);
}

static const char *hint(skep_parser *p) {
  const skep_token *token = skep_p_peek(p, 0);
  if (token->kind != SKEP_TOKEN_HINT) return NULL;
  const char *text = skep_arena_strndup(p->arena, p->text + token->offset + 3, token->length - 5);
  if (text == NULL) skep_p_no_memory(p);
  skep_p_next(p);
  return text;
}

/* from: what stood before SELECT in the FROM-first form, or NULL. */
static bool select(skep_parser *p, const skep_from *from, skep_select *s) {
  *s = (skep_select){.pos = skep_p_begin(p), .from = from};
  if (!skep_p_expect_kw(p, SKEP_KW_SELECT)) return false;
  s->hint = hint(p);
  if (skep_p_keyword(p, 0) == SKEP_KW_TRANSFORM) {
    skep_p_refuse(p, SKEP_ERR_UNSUPPORTED, "SELECT TRANSFORM (running programs over rows) is not supported");
    return false;
  }
  s->distinct = skep_p_accept_kw(p, SKEP_KW_DISTINCT);
  if (!s->distinct) (void)skep_p_accept_kw(p, SKEP_KW_ALL);
  if (!items(p, s)) return false;
  if (from == NULL && skep_p_accept_kw(p, SKEP_KW_FROM)) {
    p->context = "statement";
    s->from = skep_p_from_source(p);
    if (s->from == NULL) return false;
  }
  if (!rest(p, s)) return false;
  s->pos = skep_p_end(p, s->pos);
  return true;
}

/* ---- VALUES ---------------------------------------------------------------------------------------------------------
 */

/* A row's cells go to the parser's list; names of the first row to *names (n of them, NULL where none). */
static bool row(skep_parser *p, bool first, uint32_t *n, bool *named, const char **last_name) {
  *n = 0;
  skep_p_decide(p);
  if (!skep_p_accept(p, SKEP_TOKEN_LPAREN)) {
    skep_p_syntax(p);
    return false;
  }
  do {
    const skep_expr *cell = skep_p_expr_or_default(p, false);
    if (cell == NULL) return false;
    *last_name = first ? skep_p_alias(p) : NULL;
    if (*last_name != NULL) *named = true;
    if (p->status != SKEP_OK || !skep_p_push(p, &cell, sizeof cell)) return false;
    if (first && !skep_p_push(p, last_name, sizeof *last_name)) return false;
    ++*n;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  return skep_p_expect(p, SKEP_TOKEN_RPAREN);
}

/* The first row lies in the list as cell, name, cell, name: take the names out. */
static bool first_row(skep_parser *p, size_t mark, skep_values *v) {
  const char *last;
  bool named = false;
  uint32_t n = 0;
  if (!row(p, true, &v->n_columns, &named, &last)) return false;
  const void *const *pairs = skep_p_take(p, mark, sizeof *pairs, &n);
  const char **column_names = named ? skep_arena_zero(p->arena, v->n_columns, sizeof *column_names) : NULL;
  if (pairs == NULL || (named && column_names == NULL)) {
    skep_p_no_memory(p);
    return false;
  }
  for (uint32_t i = 0; i < v->n_columns; i++) {
    if (named) column_names[i] = pairs[2 * i + 1];
    if (!skep_p_push(p, &pairs[2 * i], sizeof *pairs)) return false;
  }
  v->column_names = column_names;
  return true;
}

const skep_values *skep_p_values(skep_parser *p) {
  const char *saved = p->context;
  skep_values v = {.pos = skep_p_begin(p), .n_rows = 1};
  size_t mark = skep_p_mark(p);
  p->context = "values table constructor";
  if (!skep_p_expect_kw(p, SKEP_KW_VALUES) || !first_row(p, mark, &v)) return NULL;
  while (skep_p_accept(p, SKEP_TOKEN_COMMA)) {
    skep_pos pos = skep_p_begin(p);
    uint32_t n;
    bool named = false;
    const char *last;
    if (!row(p, false, &n, &named, &last)) return NULL;
    if (n != v.n_columns) {
      skep_p_refuse(p, SKEP_ERR_SEMANTIC, "SemanticException Line %u:%u Expected %u columns. Got %u", pos.line,
                    pos.column, v.n_columns, n);
      return NULL;
    }
    v.n_rows++;
  }
  uint32_t n_cells;
  v.cells = skep_p_take(p, mark, sizeof *v.cells, &n_cells);
  v.pos = skep_p_end(p, v.pos);
  p->context = saved;
  return SKEP_P_NEW(p, v);
}

/* ---- bodies, set operations -----------------------------------------------------------------------------------------
 */

static bool is_bare(const skep_query *q) {
  return q->n_ctes == 0 && q->order_by.n == 0 && q->sort_by.n == 0 && q->cluster_by.n == 0 && q->distribute_by.n == 0 &&
         !q->has_limit;
}

static const skep_query_body *paren_body(skep_parser *p) {
  skep_query_body b = {.kind = SKEP_BODY_QUERY, .pos = skep_p_begin(p)};
  b.query = skep_p_paren_query(p);
  if (b.query == NULL) return NULL;
  if (is_bare(b.query)) return b.query->body;
  b.pos = skep_p_end(p, b.pos);
  return SKEP_P_NEW(p, b);
}

static const skep_query_body *body(skep_parser *p, const skep_from *from) {
  skep_query_body b = {.kind = SKEP_BODY_SELECT, .pos = skep_p_begin(p)};
  if (from == NULL && skep_p_at(p, SKEP_TOKEN_LPAREN)) return paren_body(p);
  if (from == NULL && skep_p_at_kw(p, SKEP_KW_VALUES)) {
    b.kind = SKEP_BODY_VALUES;
    b.values = skep_p_values(p);
    if (b.values == NULL) return NULL;
  } else {
    skep_select s;
    if (from == NULL && !skep_p_at_kw(p, SKEP_KW_SELECT) && !skep_p_at_kw(p, SKEP_KW_FROM)) {
      p->context = "statement";
      skep_p_syntax(p);
      return NULL;
    }
    if (from == NULL && skep_p_accept_kw(p, SKEP_KW_FROM)) {
      from = skep_p_from_source(p);
      if (from == NULL) return NULL;
    }
    if (!select(p, from, &s)) return NULL;
    b.select = SKEP_P_NEW(p, s);
    if (b.select == NULL) return NULL;
  }
  b.pos = skep_p_end(p, b.pos);
  return SKEP_P_NEW(p, b);
}

static bool set_operator(skep_parser *p, skep_set_op_kind *op, bool *all) {
  if (skep_p_accept_kw(p, SKEP_KW_UNION)) {
    *op = SKEP_SET_UNION;
  } else if (skep_p_accept_kw(p, SKEP_KW_INTERSECT)) {
    *op = SKEP_SET_INTERSECT;
  } else if (skep_p_accept_kw(p, SKEP_KW_EXCEPT) || skep_p_accept_kw(p, SKEP_KW_MINUS)) {
    *op = SKEP_SET_EXCEPT;
  } else {
    return false;
  }
  *all = skep_p_accept_kw(p, SKEP_KW_ALL);
  if (!*all) (void)skep_p_accept_kw(p, SKEP_KW_DISTINCT);
  return true;
}

static const skep_query_body *set_operations(skep_parser *p, const skep_query_body *left) {
  skep_query_body b = {.kind = SKEP_BODY_SET_OP};
  uint32_t height = 0;
  while (left != NULL && set_operator(p, &b.set_op.op, &b.set_op.all)) {
    if (++height > SKEP_P_MAX_HEIGHT) {
      skep_p_refuse(p, SKEP_ERR_LIMIT, "ParseException line %u:%u more than %d set operations in a row", left->pos.line,
                    left->pos.column, SKEP_P_MAX_HEIGHT);
      return NULL;
    }
    b.pos = left->pos;
    b.set_op.left = left;
    b.set_op.right = body(p, NULL);
    if (b.set_op.right == NULL) return NULL;
    b.pos = skep_p_end(p, b.pos);
    left = SKEP_P_NEW(p, b);
  }
  return left;
}

/* ---- tail -----------------------------------------------------------------------------------------------------------
 */

/* exprs, or the same in brackets */
static bool expr_list(skep_parser *p, skep_expr_list *out) {
  if (!skep_p_exprs(p, out)) return false;
  if (out->n == 1 && out->items[0]->kind == SKEP_EXPR_TUPLE) *out = out->items[0]->tuple;
  return true;
}

/* SORT BY '(' orders ')' or orders: a bracket here is always the list's, as in Hive. */
static bool sort_by(skep_parser *p, skep_order_list *out) {
  if (!skep_p_accept(p, SKEP_TOKEN_LPAREN)) return skep_p_order_items(p, out);
  return skep_p_order_items(p, out) && skep_p_expect(p, SKEP_TOKEN_RPAREN);
}

static bool limit(skep_parser *p, skep_query *q) {
  p->context = "limit clause";
  q->has_limit = true;
  if (!skep_p_integer(p, &q->limit)) return false;
  if (skep_p_accept(p, SKEP_TOKEN_COMMA)) {
    q->offset = q->limit;
    return skep_p_integer(p, &q->limit);
  }
  return !skep_p_accept_kw(p, SKEP_KW_OFFSET) || skep_p_integer(p, &q->offset);
}

static bool tail(skep_parser *p, skep_query *q) {
  if (skep_p_accept_by(p, SKEP_KW_ORDER)) {
    p->context = "order by clause";
    if (!skep_p_order_items(p, &q->order_by)) return false;
  }
  if (skep_p_accept_kw2(p, SKEP_KW_CLUSTER, SKEP_KW_BY)) {
    p->context = "cluster by clause";
    if (!expr_list(p, &q->cluster_by)) return false;
  }
  if (skep_p_accept_kw2(p, SKEP_KW_DISTRIBUTE, SKEP_KW_BY)) {
    p->context = "distribute by clause";
    if (!expr_list(p, &q->distribute_by)) return false;
  }
  if (skep_p_accept_kw2(p, SKEP_KW_SORT, SKEP_KW_BY)) {
    p->context = "sort by clause";
    if (!sort_by(p, &q->sort_by)) return false;
  }
  if (skep_p_accept_kw(p, SKEP_KW_LIMIT)) {
    if (!limit(p, q)) return false;
    p->context = "statement";
  }
  return p->status == SKEP_OK;
}

/* ---- doors ----------------------------------------------------------------------------------------------------------
 */

static bool cte(skep_parser *p) {
  skep_cte c = {.pos = skep_p_begin(p), .name = skep_p_name(p)};
  if (c.name == NULL) return false;
  if (skep_p_at(p, SKEP_TOKEN_LPAREN) && !skep_p_paren_names(p, &c.columns)) return false;
  if (!skep_p_expect_kw(p, SKEP_KW_AS)) return false;
  if (skep_p_keyword(p, 0) == SKEP_KW_SELECT) {
    skep_p_missing(p, "(");
    return false;
  }
  c.query = skep_p_paren_query(p);
  c.pos = skep_p_end(p, c.pos);
  return c.query != NULL && skep_p_push(p, &c, sizeof c);
}

bool skep_p_with(skep_parser *p, const skep_cte **ctes, uint32_t *n) {
  size_t mark = skep_p_mark(p);
  *ctes = NULL;
  *n = 0;
  if (!skep_p_accept_kw(p, SKEP_KW_WITH)) return true;
  p->context = "with clause";
  uint32_t items = 0;
  do {
    if (++items > SKEP_P_MAX_CTES) { /* planning takes the cube of their number */
      skep_pos pos = skep_p_begin(p);
      skep_p_refuse(p, SKEP_ERR_LIMIT, "ParseException line %u:%u more than %d items of WITH", pos.line, pos.column,
                    SKEP_P_MAX_CTES);
      return false;
    }
    if (!cte(p)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  *ctes = skep_p_take(p, mark, sizeof **ctes, n);
  p->context = "statement";
  return p->status == SKEP_OK;
}

/* The rest of a query whose WITH (and FROM of the FROM-first form) is read already. */
const skep_query *skep_p_query_after(skep_parser *p, const skep_cte *ctes, uint32_t n_ctes, const skep_from *from) {
  skep_query q = {.pos = skep_p_begin(p), .ctes = ctes, .n_ctes = n_ctes};
  if (!skep_p_enter(p)) return NULL;
  bool bracket = from == NULL && skep_p_kind(p, 0) == SKEP_TOKEN_LPAREN;
  q.body = set_operations(p, body(p, from));
  bool done = q.body != NULL && tail(p, &q);
  skep_p_leave(p);
  if (!done) return NULL;
  q.pos = skep_p_end(p, q.pos);
  /* ((q)): nothing of its own around q's ORDER BY, LIMIT or WITH. */
  if (bracket && q.body->kind == SKEP_BODY_QUERY && is_bare(&q)) return q.body->query;
  return SKEP_P_NEW(p, q);
}

const skep_query *skep_p_query(skep_parser *p) {
  const char *saved = p->context;
  const skep_cte *ctes;
  uint32_t n;
  if (!skep_p_with(p, &ctes, &n)) return NULL;
  const skep_query *query = skep_p_query_after(p, ctes, n, NULL);
  if (query != NULL) p->context = saved;
  return query;
}

const skep_query *skep_p_paren_query(skep_parser *p) {
  if (!skep_p_expect(p, SKEP_TOKEN_LPAREN)) return NULL;
  const skep_query *query = skep_p_query(p);
  return query != NULL && skep_p_expect(p, SKEP_TOKEN_RPAREN) ? query : NULL;
}
