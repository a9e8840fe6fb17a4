/* Queries and FROM as HiveQL. */
#include "hiveql/print_ast_int.h"

static void print_keyword_exprs(const char *words, skep_expr_list list, skep_buf *out) {
  if (list.n == 0) return;
  skep_buf_text(out, words);
  skep_ast_print_exprs(list, out);
}

static void print_keyword_order(const char *words, skep_order_list list, skep_buf *out) {
  if (list.n == 0) return;
  skep_buf_text(out, words);
  skep_ast_print_order(list, out);
}

static void print_keyword_expr(const char *words, const skep_expr *expr, skep_buf *out) {
  if (expr == NULL) return;
  skep_buf_text(out, words);
  skep_print_expr(expr, out);
}

/* ---- FROM
 * ------------------------------------------------------------------------------------------------------------ */

static void print_values(const skep_values *v, skep_buf *out) {
  skep_buf_text(out, "VALUES ");
  for (uint32_t row = 0; row < v->n_rows; row++) {
    skep_buf_text(out, row > 0 ? ", (" : "(");
    for (uint32_t i = 0; i < v->n_columns; i++) {
      if (i > 0) skep_buf_text(out, ", ");
      skep_print_expr(v->cells[(size_t)row * v->n_columns + i], out);
      if (row == 0 && v->column_names != NULL && v->column_names[i] != NULL) {
        skep_buf_text(out, " AS ");
        skep_ast_print_name(v->column_names[i], out);
      }
    }
    skep_buf_byte(out, ')');
  }
}

static void print_sample(const skep_sample *s, skep_buf *out) {
  skep_buf_text(out, " TABLESAMPLE(");
  switch (s->kind) {
    case SKEP_SAMPLE_BUCKET:
      skep_buf_printf(out, "BUCKET %llu OUT OF %llu", (unsigned long long)s->bucket, (unsigned long long)s->out_of);
      print_keyword_exprs(" ON ", s->on, out);
      break;
    case SKEP_SAMPLE_PERCENT:
      skep_buf_printf(out, "%s PERCENT", s->percent);
      break;
    case SKEP_SAMPLE_ROWS:
      skep_buf_printf(out, "%llu ROWS", (unsigned long long)s->n);
      break;
    case SKEP_SAMPLE_BYTES:
      skep_buf_printf(out, "%llub", (unsigned long long)s->n);
      break;
  }
  skep_buf_byte(out, ')');
}

static void print_alias(const skep_from *from, skep_buf *out) {
  if (from->alias == NULL) return;
  skep_buf_text(out, " AS ");
  skep_ast_print_name(from->alias, out);
  if (from->column_aliases.n == 0) return;
  skep_buf_byte(out, '(');
  skep_ast_print_names(from->column_aliases, out);
  skep_buf_byte(out, ')');
}

static void print_table(const skep_from *from, skep_buf *out) {
  skep_ast_print_table_name(&from->table.name, out);
  if (from->table.properties.n > 0) {
    skep_buf_byte(out, ' ');
    skep_ast_print_properties(from->table.properties, out);
  }
  if (from->table.sample != NULL) print_sample(from->table.sample, out);
  if (from->table.as_of != SKEP_AS_OF_NONE) {
    bool version = from->table.as_of == SKEP_AS_OF_VERSION;
    print_keyword_expr(version ? " FOR SYSTEM_VERSION AS OF " : " FOR SYSTEM_TIME AS OF ", from->table.as_of_value,
                       out);
  }
  print_alias(from, out);
}

static void print_bracketed(const skep_from *from, bool brackets, skep_buf *out) {
  if (brackets) skep_buf_byte(out, '(');
  skep_ast_print_from(from, out);
  if (brackets) skep_buf_byte(out, ')');
}

/* Joins group to the left without brackets. A lateral view's column list would swallow a comma behind it. */
static void print_join(const skep_from *from, skep_buf *out) {
  static const char *const words[] = {
      [SKEP_JOIN_INNER] = " JOIN ",
      [SKEP_JOIN_COMMA] = ", ",
      [SKEP_JOIN_CROSS] = " CROSS JOIN ",
      [SKEP_JOIN_LEFT] = " LEFT OUTER JOIN ",
      [SKEP_JOIN_RIGHT] = " RIGHT OUTER JOIN ",
      [SKEP_JOIN_FULL] = " FULL OUTER JOIN ",
      [SKEP_JOIN_LEFT_SEMI] = " LEFT SEMI JOIN ",
      [SKEP_JOIN_LEFT_ANTI] = " LEFT ANTI JOIN ",
  };
  const skep_from *left = from->join.left, *right = from->join.right;
  print_bracketed(left, left->kind == SKEP_FROM_LATERAL_VIEW, out);
  skep_buf_text(out, words[from->join.kind]);
  print_bracketed(right, right->kind == SKEP_FROM_LATERAL_VIEW || right->kind == SKEP_FROM_JOIN, out);
  print_keyword_expr(" ON ", from->join.on, out);
  if (from->join.using_columns.n > 0) {
    skep_buf_text(out, " USING (");
    skep_ast_print_names(from->join.using_columns, out);
    skep_buf_byte(out, ')');
  }
}

static void print_lateral(const skep_from *from, skep_buf *out) {
  print_bracketed(from->lateral.source, from->lateral.source->kind == SKEP_FROM_JOIN, out);
  skep_buf_text(out, from->lateral.outer ? " LATERAL VIEW OUTER " : " LATERAL VIEW ");
  skep_print_expr(from->lateral.call, out);
  skep_buf_byte(out, ' ');
  skep_ast_print_name(from->alias, out);
  if (from->column_aliases.n == 0) return;
  skep_buf_text(out, " AS ");
  skep_ast_print_names(from->column_aliases, out);
}

void skep_ast_print_from(const skep_from *from, skep_buf *out) {
  switch (from->kind) {
    case SKEP_FROM_TABLE:
      print_table(from, out);
      break;
    case SKEP_FROM_QUERY:
      skep_buf_byte(out, '(');
      skep_print_query(from->query, out);
      skep_buf_byte(out, ')');
      print_alias(from, out);
      break;
    case SKEP_FROM_VALUES:
      skep_buf_byte(out, '(');
      print_values(from->values, out);
      skep_buf_byte(out, ')');
      print_alias(from, out);
      break;
    case SKEP_FROM_JOIN:
      print_join(from, out);
      break;
    case SKEP_FROM_LATERAL_VIEW:
      print_lateral(from, out);
      break;
  }
}

/* ---- SELECT
 * ---------------------------------------------------------------------------------------------------------- */

static void print_item(const skep_select_item *item, skep_buf *out) {
  skep_print_expr(item->expr, out);
  if (item->alias != NULL) {
    skep_buf_text(out, " AS ");
    skep_ast_print_name(item->alias, out);
  } else if (item->aliases.n > 0) {
    skep_buf_text(out, " AS (");
    skep_ast_print_names(item->aliases, out);
    skep_buf_byte(out, ')');
  }
}

static void print_sets(const skep_group_by *g, skep_buf *out) {
  skep_buf_text(out, " GROUPING SETS (");
  for (uint32_t i = 0; i < g->n_sets; i++) {
    skep_buf_text(out, i > 0 ? ", (" : "(");
    skep_ast_print_exprs(g->sets[i], out);
    skep_buf_byte(out, ')');
  }
  skep_buf_byte(out, ')');
}

static void print_group_by(const skep_group_by *g, skep_buf *out) {
  if (g->kind == SKEP_GROUP_NONE) return;
  skep_buf_text(out, g->exprs.n == 0 ? " GROUP BY ()" : " GROUP BY ");
  skep_ast_print_exprs(g->exprs, out);
  if (g->kind == SKEP_GROUP_ROLLUP) skep_buf_text(out, " WITH ROLLUP");
  if (g->kind == SKEP_GROUP_CUBE) skep_buf_text(out, " WITH CUBE");
  if (g->kind == SKEP_GROUP_SETS) print_sets(g, out);
}

static void print_windows(const skep_select *s, skep_buf *out) {
  for (uint32_t i = 0; i < s->n_windows; i++) {
    skep_buf_text(out, i == 0 ? " WINDOW " : ", ");
    skep_ast_print_name(s->windows[i].name, out);
    skep_buf_text(out, " AS ");
    skep_ast_print_window(s->windows[i].window, out);
  }
}

static void print_select(const skep_select *s, skep_buf *out) {
  skep_buf_text(out, "SELECT ");
  if (s->hint != NULL) skep_buf_printf(out, "/*+%s*/ ", s->hint);
  if (s->distinct) skep_buf_text(out, "DISTINCT ");
  for (uint32_t i = 0; i < s->n_items; i++) {
    if (i > 0) skep_buf_text(out, ", ");
    print_item(&s->items[i], out);
  }
  if (s->from != NULL) {
    skep_buf_text(out, " FROM ");
    skep_ast_print_from(s->from, out);
  }
  print_keyword_expr(" WHERE ", s->where, out);
  print_group_by(&s->group_by, out);
  print_keyword_expr(" HAVING ", s->having, out);
  print_windows(s, out);
  print_keyword_expr(" QUALIFY ", s->qualify, out);
}

/* ---- queries
 * --------------------------------------------------------------------------------------------------------- */

static void print_body(const skep_query_body *b, bool right_side, skep_buf *out);

static void print_set_op(const skep_query_body *b, skep_buf *out) {
  static const char *const words[] = {
      [SKEP_SET_UNION] = " UNION ", [SKEP_SET_INTERSECT] = " INTERSECT ", [SKEP_SET_EXCEPT] = " EXCEPT "};
  print_body(b->set_op.left, false, out);
  skep_buf_text(out, words[b->set_op.op]);
  skep_buf_text(out, b->set_op.all ? "ALL " : "DISTINCT ");
  print_body(b->set_op.right, true, out);
}

static void print_body(const skep_query_body *b, bool right_side, skep_buf *out) {
  bool brackets = b->kind == SKEP_BODY_QUERY || (b->kind == SKEP_BODY_SET_OP && right_side);
  if (brackets) skep_buf_byte(out, '(');
  switch (b->kind) {
    case SKEP_BODY_SELECT:
      print_select(b->select, out);
      break;
    case SKEP_BODY_VALUES:
      print_values(b->values, out);
      break;
    case SKEP_BODY_SET_OP:
      print_set_op(b, out);
      break;
    case SKEP_BODY_QUERY:
      skep_print_query(b->query, out);
      break;
  }
  if (brackets) skep_buf_byte(out, ')');
}

void skep_ast_print_ctes(const skep_query *q, skep_buf *out) {
  for (uint32_t i = 0; i < q->n_ctes; i++) {
    const skep_cte *cte = &q->ctes[i];
    skep_buf_text(out, i == 0 ? "WITH " : ", ");
    skep_ast_print_name(cte->name, out);
    if (cte->columns.n > 0) {
      skep_buf_text(out, " (");
      skep_ast_print_names(cte->columns, out);
      skep_buf_byte(out, ')');
    }
    skep_buf_text(out, " AS (");
    skep_print_query(cte->query, out);
    skep_buf_byte(out, ')');
  }
  if (q->n_ctes > 0) skep_buf_byte(out, ' ');
}

void skep_ast_print_query_tail(const skep_query *q, skep_buf *out) {
  print_keyword_order(" ORDER BY ", q->order_by, out);
  print_keyword_exprs(" CLUSTER BY ", q->cluster_by, out);
  print_keyword_exprs(" DISTRIBUTE BY ", q->distribute_by, out);
  if (q->sort_by.n > 0) { /* in brackets, so that a tuple stays one */
    print_keyword_order(" SORT BY (", q->sort_by, out);
    skep_buf_byte(out, ')');
  }
  if (!q->has_limit) return;
  skep_buf_printf(out, " LIMIT %llu", (unsigned long long)q->limit);
  if (q->offset > 0) skep_buf_printf(out, " OFFSET %llu", (unsigned long long)q->offset);
}

void skep_print_query(const skep_query *q, skep_buf *out) {
  skep_ast_print_ctes(q, out);
  print_body(q->body, false, out);
  skep_ast_print_query_tail(q, out);
}

/* One branch of a multi-insert: its query without the FROM that all share. */
void skep_ast_print_branch(const skep_query *q, skep_buf *out) {
  skep_query branch = *q;
  skep_query_body body = *q->body;
  skep_select select;
  if (body.kind == SKEP_BODY_SELECT) {
    select = *body.select;
    select.from = NULL;
    body.select = &select;
    branch.body = &body;
  }
  branch.n_ctes = 0;
  skep_print_query(&branch, out);
}
