/* Numbering the sides of a UNION ALL on the tree: see union_ways.h. */
#include "sql/union_ways.h"

#include <string.h>

#include "bind/functions.h"

enum { MAX_SIDES = 500, MAX_DEPTH = 20 };

typedef struct numbering {
  skep_arena *arena;
  const skep_query *query; /* whose CTEs may be unions */
  uint32_t next, depth;
} numbering;

/* ---- what is split ---- */

static bool is_union_all(const skep_query_body *body) {
  return body->kind == SKEP_BODY_SET_OP && body->set_op.op == SKEP_SET_UNION && body->set_op.all;
}

bool skep_query_has_tail(const skep_query *query) {
  return query->order_by.n != 0 || query->sort_by.n != 0 || query->cluster_by.n != 0 || query->distribute_by.n != 0 ||
         query->has_limit;
}

/* Computed from one row: no aggregate, window, table function or sub query. */
static bool is_of_row(void *self, const skep_expr *expr) {
  switch (expr->kind) {
    case SKEP_EXPR_IN_QUERY:
    case SKEP_EXPR_EXISTS:
    case SKEP_EXPR_SCALAR_QUERY:
    case SKEP_EXPR_QUANTIFIED:
      return false;
    case SKEP_EXPR_CALL: {
      const skep_function *f = skep_function_find(expr->call->name);
      if (f == NULL || f->kind != SKEP_FN_SCALAR || expr->call->over != NULL) return false;
      break;
    }
    default:
      break;
  }
  return skep_expr_each_child(expr, is_of_row, self);
}

/* What FROM reads, when it is a sub query or a CTE; else NULL. */
static const skep_query *read_query(const skep_query *query, const skep_from *from) {
  if (from == NULL || from->column_aliases.n != 0) return NULL;
  if (from->kind == SKEP_FROM_QUERY) return from->query;
  if (from->kind != SKEP_FROM_TABLE || from->table.name.db != NULL || from->table.sample != NULL) return NULL;
  for (uint32_t i = query->n_ctes; i > 0; i--) {
    const skep_cte *cte = &query->ctes[i - 1];
    if (strcmp(cte->name, from->table.name.name) == 0) return cte->columns.n == 0 ? cte->query : NULL;
  }
  return NULL;
}

/* SELECT .. FROM (.. UNION ALL ..) q WHERE ..: rows pass through. */
static bool is_plain_over_union(const skep_query *query, const skep_select *s) {
  const skep_query *read = read_query(query, s->from);
  if (read == NULL || !is_union_all(read->body) || skep_query_has_tail(read)) return false;
  if (s->distinct || s->group_by.kind != SKEP_GROUP_NONE || s->having != NULL || s->qualify != NULL) return false;
  if (s->where != NULL && !is_of_row(NULL, s->where)) return false;
  for (uint32_t i = 0; i < s->n_items; i++) {
    /* a star shows the number by itself, and the number must be there once and first */
    if (s->items[i].expr->kind == SKEP_EXPR_STAR) return s->n_items == 1;
    if (s->items[i].aliases.n != 0 || !is_of_row(NULL, s->items[i].expr)) return false;
  }
  return true;
}

static bool is_never(const skep_query_body *side) {
  if (side->kind != SKEP_BODY_SELECT || side->select->where == NULL) return false;
  const skep_expr *where = side->select->where;
  return where->kind == SKEP_EXPR_LITERAL && where->literal.kind == SKEP_LITERAL_BOOLEAN && where->literal.i64 == 0 &&
         side->select->group_by.kind == SKEP_GROUP_NONE;
}

static bool is_constant(const skep_query_body *side) {
  return side->kind == SKEP_BODY_SELECT && side->select->from == NULL;
}

/* Sides, from left to right; 0 when there are too many. */
static uint32_t sides_of(const skep_query_body *body, const skep_query_body **sides) {
  uint32_t n = 0, depth = 0;
  const skep_query_body *stack[MAX_SIDES];
  stack[depth++] = body;
  while (depth != 0) {
    const skep_query_body *top = stack[--depth];
    if (is_union_all(top)) {
      if (depth + 2 > MAX_SIDES) return 0;
      stack[depth++] = top->set_op.right;
      stack[depth++] = top->set_op.left;
    } else {
      if (n == MAX_SIDES) return 0;
      sides[n++] = top;
    }
  }
  return n;
}

/* ---- numbering ---- */

/* SELECT <number>, q.* FROM (side) q */
static const skep_query *with_number(skep_arena *arena, const skep_query_body *side, uint32_t number) {
  skep_query *query = skep_arena_zero(arena, 1, sizeof *query);
  skep_select_item *items = skep_arena_zero(arena, 2, sizeof *items);
  if (query == NULL || items == NULL) return NULL;
  *query = (skep_query){.pos = side->pos, .body = side};
  items[0].expr = skep_expr_int(arena, number);
  items[0].alias = SKEP_UNION_WAY;
  items[1].expr = skep_expr_star(arena, "q");
  const skep_select select = {.items = items,
                              .n_items = 2,
                              .from = skep_from_query(arena, side->kind == SKEP_BODY_QUERY ? side->query : query, "q")};
  return items[0].expr == NULL || items[1].expr == NULL || select.from == NULL ? NULL
                                                                               : skep_query_select(arena, &select);
}

static const skep_query *number_body(numbering *n, const skep_query_body *body);

static const skep_query *number_select(numbering *n, const skep_select *s) {
  skep_arena *arena = n->arena;
  bool star = s->n_items == 1 && s->items[0].expr->kind == SKEP_EXPR_STAR;
  skep_select_item *items = skep_arena_zero(arena, (size_t)s->n_items + 1, sizeof *items);
  skep_from *from = skep_arena_zero(arena, 1, sizeof *from);
  skep_query *inner = skep_arena_zero(arena, 1, sizeof *inner);
  const skep_query *read = read_query(n->query, s->from), *numbered = number_body(n, read->body);
  if (items == NULL || from == NULL || inner == NULL || numbered == NULL) return NULL;
  uint32_t at = 0;
  if (!star) {
    items[at].expr = skep_expr_column(arena, NULL, SKEP_UNION_WAY);
    if (items[at++].expr == NULL) return NULL;
  }
  for (uint32_t i = 0; i < s->n_items; i++) items[at++] = s->items[i];
  *inner = *read;
  inner->body = numbered->body;
  *from = (skep_from){.kind = SKEP_FROM_QUERY, .pos = s->from->pos, .alias = s->from->alias, .query = inner};
  if (from->alias == NULL) from->alias = s->from->table.name.name; /* a CTE: sub queries have aliases */
  skep_select select = *s;
  select.items = items;
  select.n_items = at;
  select.from = from;
  return skep_query_select(arena, &select);
}

static const skep_query *number_union(numbering *n, const skep_query_body *body) {
  const skep_query_body *sides[MAX_SIDES];
  uint32_t n_sides = sides_of(body, sides), n_constant = 0;
  if (n_sides == 0) return NULL;
  for (uint32_t i = 0; i < n_sides; i++) n_constant += is_constant(sides[i]);
  const skep_query **numbered = skep_arena_zero(n->arena, n_sides, sizeof *numbered);
  if (numbered == NULL) return NULL;
  for (uint32_t i = 0; i < n_sides; i++) {
    if (is_constant(sides[i]) && n_constant > 1) continue;
    numbered[i] = is_never(sides[i]) ? with_number(n->arena, sides[i], 0) : number_body(n, sides[i]);
    if (numbered[i] == NULL) return NULL;
  }
  const skep_query *all = NULL;
  for (uint32_t i = 0; i < n_sides; i++) {
    if (numbered[i] == NULL) numbered[i] = with_number(n->arena, sides[i], n->next);
    if (numbered[i] == NULL) return NULL;
    all = all == NULL ? numbered[i] : skep_query_union_all(n->arena, all, numbered[i]);
    if (all == NULL) return NULL;
  }
  if (n_constant > 1) n->next++;
  return all;
}

/* NULL: out of memory, or too much of it. */
static const skep_query *number_body(numbering *n, const skep_query_body *body) {
  const skep_query *out;
  if (n->depth == MAX_DEPTH) return NULL;
  n->depth++;
  if (is_union_all(body)) {
    out = number_union(n, body);
  } else if (body->kind == SKEP_BODY_SELECT && is_plain_over_union(n->query, body->select)) {
    out = number_select(n, body->select);
  } else {
    out = with_number(n->arena, body, n->next++);
  }
  n->depth--;
  return out;
}

skep_status skep_union_ways(skep_arena *arena, const skep_query *query, const skep_query **out, uint32_t *n,
                            skep_err *err) {
  numbering all = {.arena = arena, .query = query};
  *out = query;
  *n = 1;
  bool splits = is_union_all(query->body) ||
                (query->body->kind == SKEP_BODY_SELECT && is_plain_over_union(query, query->body->select));
  if (!splits || skep_query_has_tail(query)) return SKEP_OK;
  const skep_query *numbered = number_body(&all, query->body);
  if (numbered == NULL || all.next < 2) return SKEP_OK; /* as if it were one: the rows are the same */
  skep_query *made = skep_arena_zero(arena, 1, sizeof *made);
  if (made == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a statement");
  *made = *numbered;
  made->pos = query->pos;
  made->ctes = query->ctes;
  made->n_ctes = query->n_ctes;
  *out = made;
  *n = all.next;
  return SKEP_OK;
}
