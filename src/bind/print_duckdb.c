/* Bound queries as DuckDB SQL. Relations are t<id>, their columns c<position>; nothing of the user's text is printed
 * but literals (escaped) and field names (quoted). */
#include <string.h>

#include "bind/print_int.h"

/* ---- FROM ---- */

static void print_from(printer *p, const skep_brel *rel);

static void absorb(printer *p, const skep_brel *rel, uint32_t by) {
  if (rel == NULL) return;
  if (rel->id < p->n_absorbed) p->absorbed[rel->id] = by + 1;
  if (rel->kind == SKEP_BREL_JOIN) absorb(p, rel->right, by);
  if (rel->kind == SKEP_BREL_JOIN || rel->kind == SKEP_BREL_LATERAL) absorb(p, rel->left, by);
}

/* The columns of everything below, passed on under names that say whose they are. */
static void print_passed(printer *p, const skep_brel *rel, bool *first) {
  if (rel == NULL) return;
  if (rel->kind == SKEP_BREL_JOIN) {
    print_passed(p, rel->left, first);
    bool hidden = rel->join == SKEP_BJOIN_SEMI || rel->join == SKEP_BJOIN_ANTI;
    if (!hidden) print_passed(p, rel->right, first);
    return;
  }
  if (rel->kind == SKEP_BREL_LATERAL) print_passed(p, rel->left, first);
  for (uint32_t i = 0; i < rel->n_columns; i++) {
    if (!rel->used[i]) continue;
    skep_bx column = {.op = SKEP_BX_COLUMN, .type = rel->types[i], .rel = rel, .position = i};
    if (!*first) skep_buf_text(p->out, ", ");
    *first = false;
    skep_print_bx(p, &column);
    skep_buf_printf(p->out, " AS t%uc%u", rel->id, i);
  }
}

/* The list that column `i` of a table function runs over. */
static void print_column_list(printer *p, const skep_brel *rel, uint32_t i) {
  skep_bx *const *args = rel->args;
  const skep_type *type = args[0]->type;
  switch ((int)rel->udtf->rule) {
    case SKEP_FR_POSEXPLODE:
      if (i == 0) {
        skep_buf_text(p->out, type->kind == SKEP_MAP ? "CAST(range(CAST(cardinality(" : "CAST(range(CAST(len(");
        skep_print_bx(p, args[0]);
        skep_buf_text(p->out, ") AS BIGINT)) AS INTEGER[])");
        return;
      }
      i--;
      /* fall through */
    case SKEP_FR_EXPLODE:
      if (type->kind == SKEP_MAP) skep_buf_text(p->out, i == 0 ? "map_keys(" : "map_values(");
      skep_print_bx(p, args[0]);
      if (type->kind == SKEP_MAP) skep_buf_byte(p->out, ')');
      return;
    case SKEP_FR_INLINE:
      p->lambdas++;
      skep_buf_text(p->out, "list_transform(");
      skep_print_bx(p, args[0]);
      skep_buf_printf(p->out, ", lambda v%u: struct_extract_at(v%u, %u))", p->lambdas, p->lambdas, i + 1);
      return;
    case SKEP_FR_STACK: {
      uint64_t rows = args[0]->value.i64 > rel->n_args ? rel->n_args : (uint64_t)args[0]->value.i64;
      skep_buf_byte(p->out, '[');
      for (uint64_t row = 0; row < rows; row++) {
        uint64_t at = 1 + row * rel->n_columns + i;
        if (row != 0) skep_buf_text(p->out, ", ");
        if (at < rel->n_args)
          skep_print_bx(p, args[at]);
        else
          skep_buf_text(p->out, "NULL");
      }
      skep_buf_byte(p->out, ']');
      return;
    }
    default: { /* json_tuple */
      const skep_bx *key = args[i + 1];
      bool simple = key->op == SKEP_BX_CONST && !key->value.is_null && key->value.bytes.left != 0;
      for (size_t k = 0; simple && k < key->value.bytes.left; k++) {
        uint8_t c = key->value.bytes.at[k];
        simple = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
      }
      if (!simple) skep_print_refuse(p, "json_tuple with keys that are no plain constants");
      skep_buf_text(p->out, "[skep_get_json_object(");
      skep_print_bx(p, args[0]);
      skep_buf_text(p->out, ", '$.' || ");
      skep_print_bx(p, key);
      skep_buf_text(p->out, ")]");
      return;
    }
  }
}

/* (SELECT what is below, unnest(...) AS c0, ... FROM below) AS t<id>: keeps the order of rows, unlike a lateral join.
 */
static void print_lateral(printer *p, const skep_brel *rel) {
  skep_buf *out = p->out, below;
  skep_buf_init(&below, out->ctx, out->max_size);
  p->out = &below; /* first: it decides where columns are found */
  if (rel->left != NULL) print_from(p, rel->left);
  p->out = out;
  skep_buf_text(out, "(SELECT ");
  bool first = true;
  print_passed(p, rel->left, &first);
  for (uint32_t i = 0; i < rel->n_columns; i++) {
    skep_buf_printf(out, "%sunnest(%s", first ? "" : ", ", rel->outer_view ? "coalesce(nullif(" : "");
    first = false;
    print_column_list(p, rel, i);
    skep_buf_printf(out, "%s) AS c%u", rel->outer_view ? ", []), [NULL])" : "", i);
  }
  if (rel->left != NULL) {
    skep_buf_text(out, " FROM ");
    skep_buf_add(out, below.data, below.size);
    absorb(p, rel->left, rel->id);
  }
  if (below.status != SKEP_OK) out->status = below.status;
  skep_buf_printf(out, ") AS t%u", rel->id);
  skep_buf_fini(&below);
}

static void print_join(printer *p, const skep_brel *rel) {
  static const char *const words[] = {
      [SKEP_BJOIN_INNER] = " INNER JOIN ",     [SKEP_BJOIN_LEFT] = " LEFT JOIN ", [SKEP_BJOIN_RIGHT] = " RIGHT JOIN ",
      [SKEP_BJOIN_FULL] = " FULL OUTER JOIN ", [SKEP_BJOIN_SEMI] = " SEMI JOIN ", [SKEP_BJOIN_ANTI] = " ANTI JOIN "};
  bool cross = rel->on == NULL && rel->join == SKEP_BJOIN_INNER;
  skep_buf_byte(p->out, '(');
  print_from(p, rel->left);
  skep_buf_text(p->out, cross ? " CROSS JOIN " : words[rel->join]);
  print_from(p, rel->right);
  if (!cross) {
    skep_buf_text(p->out, " ON ");
    if (rel->on != NULL)
      skep_print_bx(p, rel->on);
    else
      skep_buf_text(p->out, "TRUE");
  }
  skep_buf_byte(p->out, ')');
}

static void print_table(printer *p, const skep_brel *rel) {
  bool sampled = rel->sample != NULL || rel->has_sample_rows;
  if (sampled) skep_buf_text(p->out, "(SELECT * FROM ");
  if (p->tables[rel->table].table.relation != NULL) {
    skep_buf_printf(p->out, "%s AS t%u", p->tables[rel->table].table.relation, rel->id);
  } else {
    skep_buf_printf(p->out, "skep_source(%llu) AS t%u", (unsigned long long)p->source_ids[rel->table], rel->id);
  }
  if (rel->sample != NULL) {
    skep_buf_text(p->out, " WHERE ");
    skep_print_bx(p, rel->sample);
  }
  if (rel->has_sample_rows) skep_buf_printf(p->out, " LIMIT %llu", (unsigned long long)rel->sample_rows);
  if (sampled) skep_buf_printf(p->out, ") AS t%u", rel->id);
}

static void print_from(printer *p, const skep_brel *rel) {
  switch (rel->kind) {
    case SKEP_BREL_TABLE:
      print_table(p, rel);
      break;
    case SKEP_BREL_CTE:
      skep_buf_printf(p->out, "q%u AS t%u", rel->cte, rel->id);
      break;
    case SKEP_BREL_JOIN:
      print_join(p, rel);
      break;
    case SKEP_BREL_LATERAL:
      print_lateral(p, rel);
      break;
    default:
      skep_buf_byte(p->out, '(');
      skep_print_bq(p, rel->query);
      skep_buf_printf(p->out, ") AS t%u", rel->id);
      break;
  }
}

/* ---- blocks ---- */

/* The keys of a grouping set, or all of them: a mask of 64 bits has room for those of grouping sets only. */
static void print_keys(printer *p, const skep_bq *q, const uint64_t *set) {
  bool first = true;
  for (uint32_t i = 0; i < q->n_keys; i++) {
    if (set != NULL && (*set >> i & 1) == 0) continue;
    if (!first) skep_buf_text(p->out, ", ");
    first = false;
    bool constant = q->keys[i]->op == SKEP_BX_CONST; /* in parentheses no ordinal */
    if (constant) skep_buf_byte(p->out, '(');
    skep_print_bx(p, q->keys[i]);
    if (constant) skep_buf_byte(p->out, ')');
  }
}

static void print_group(printer *p, const skep_bq *q) {
  if (q->n_sets == 0) {
    if (q->n_keys == 0) return;
    skep_buf_text(p->out, " GROUP BY ");
    print_keys(p, q, NULL);
    return;
  }
  skep_buf_text(p->out, " GROUP BY GROUPING SETS (");
  for (uint32_t i = 0; i < q->n_sets; i++) {
    skep_buf_text(p->out, i == 0 ? "(" : ", (");
    print_keys(p, q, &q->sets[i]);
    skep_buf_byte(p->out, ')');
  }
  skep_buf_byte(p->out, ')');
}

static void print_condition(printer *p, const char *word, const skep_bx *condition) {
  if (condition == NULL) return;
  skep_buf_text(p->out, word);
  skep_print_bx(p, condition);
}

/* With its type: DuckDB takes a function of NULL constants for a NULL of no type. */
static void print_output(printer *p, const skep_bx *bx) {
  bool typed = bx->op == SKEP_BX_COLUMN || bx->op == SKEP_BX_CONST || bx->type->kind == SKEP_BOOLEAN;
  if (!typed) skep_buf_text(p->out, "CAST(");
  skep_print_bx(p, bx);
  if (typed) return;
  skep_buf_text(p->out, " AS ");
  skep_print_carrier(bx->type, p->out);
  skep_buf_byte(p->out, ')');
}

static void print_select(printer *p, const skep_bq *q) {
  skep_buf *out = p->out, from;
  skep_buf_init(&from, out->ctx, out->max_size);
  p->out = &from; /* first, as in print_lateral */
  if (q->from != NULL) print_from(p, q->from);
  p->out = out;
  skep_buf_text(out, q->distinct ? "SELECT DISTINCT " : "SELECT ");
  for (uint32_t i = 0; i < q->n_outputs; i++) {
    if (i != 0) skep_buf_text(out, ", ");
    print_output(p, q->outputs[i]);
    skep_buf_printf(out, " AS c%u", i);
  }
  if (q->n_outputs == 0) skep_buf_text(out, "1 AS c0");
  if (q->from != NULL) {
    skep_buf_text(out, " FROM ");
    skep_buf_add(out, from.data, from.size);
  }
  if (from.status != SKEP_OK) out->status = from.status;
  skep_buf_fini(&from);
  print_condition(p, " WHERE ", q->where);
  if (q->grouped) print_group(p, q);
  if (q->grouped)
    print_condition(p, " HAVING ", q->having);
  else
    print_condition(p, q->where != NULL ? " AND " : " WHERE ", q->having);
  print_condition(p, " QUALIFY ", q->qualify);
}

static void print_values(printer *p, const skep_bq *q) {
  bool bare = p->bare_integers;
  skep_buf_text(p->out, "SELECT * FROM (VALUES ");
  for (uint32_t i = 0; i < q->n_rows; i++) {
    skep_buf_text(p->out, i == 0 ? "(" : ", (");
    p->bare_integers = i != 0; /* the first row's CASTs give the columns their types */
    skep_print_list(p, q->rows[i], q->n_outputs);
    skep_buf_byte(p->out, ')');
  }
  p->bare_integers = bare;
  skep_buf_text(p->out, ") AS v(");
  for (uint32_t i = 0; i < q->n_outputs; i++) skep_buf_printf(p->out, "%sc%u", i == 0 ? "" : ", ", i);
  skep_buf_byte(p->out, ')');
}

static void print_set(printer *p, const skep_bq *q) {
  static const char *const words[] = {
      [SKEP_BSET_UNION] = "UNION", [SKEP_BSET_INTERSECT] = "INTERSECT", [SKEP_BSET_EXCEPT] = "EXCEPT"};
  skep_buf_byte(p->out, '(');
  skep_print_bq(p, q->left);
  skep_buf_printf(p->out, ") %s%s (", words[q->set], q->set_all ? " ALL" : "");
  skep_print_bq(p, q->right);
  skep_buf_byte(p->out, ')');
}

static void print_body(printer *p, const skep_bq *q) {
  if (q->kind == SKEP_BQ_SELECT)
    print_select(p, q);
  else if (q->kind == SKEP_BQ_VALUES)
    print_values(p, q);
  else
    print_set(p, q);
}

/* ORDER BY of a DISTINCT block goes around it: there only outputs are in sight. */
static void print_ordered(printer *p, const skep_bq *q) {
  bool around = q->n_order != 0 && q->distinct;
  if (around) skep_buf_text(p->out, "SELECT * FROM (");
  print_body(p, q);
  if (around) skep_buf_text(p->out, ") AS d");
  for (uint32_t i = 0; i < q->n_order && around; i++) {
    const skep_border *order = &q->order[i];
    const skep_type *type = q->types[order->output];
    const char *wrap = !skep_print_needs_sort_key(type) ? "("
                       : skep_rule_is_string(type)      ? "encode("
                                                        : "skep_sort_key(";
    skep_buf_printf(p->out, "%s%sd.c%d) %s NULLS %s", i == 0 ? " ORDER BY " : ", ", wrap, order->output,
                    order->descending ? "DESC" : "ASC", order->nulls_first ? "FIRST" : "LAST");
  }
  if (q->n_order != 0 && !around) skep_print_order(p, q->order, q->n_order, false);
}

void skep_print_bq(printer *p, const skep_bq *q) {
  for (uint32_t i = 0; i < q->n_ctes; i++) {
    skep_buf_printf(p->out, "%sq%u AS (", i == 0 ? "WITH " : ", ", q->ctes[i].id);
    skep_print_bq(p, q->ctes[i].query);
    skep_buf_byte(p->out, ')');
  }
  if (q->n_ctes != 0) skep_buf_byte(p->out, ' ');
  print_ordered(p, q);
  if (q->has_limit) {
    skep_buf_printf(p->out, " LIMIT %llu", (unsigned long long)q->limit);
    if (q->offset != 0) skep_buf_printf(p->out, " OFFSET %llu", (unsigned long long)q->offset);
  }
}

skep_status skep_bound_query_print(const skep_bound_query *query, const uint64_t *source_ids, skep_buf *out,
                                   skep_err *err) {
  static const uint64_t none[1];
  printer p = {.out = out,
               .source_ids = source_ids != NULL ? source_ids : none,
               .tables = query->tables,
               .n_absorbed = query->n_relations,
               .err = err};
  p.absorbed = skep_alloc_zero(out->ctx, query->n_relations + 1, sizeof *p.absorbed);
  if (p.absorbed == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory to print a query");
  skep_print_bq(&p, query->root);
  skep_release(out->ctx, p.absorbed);
  if (p.status != SKEP_OK) return p.status;
  return skep_buf_check(out, "the query as SQL", err);
}

skep_status skep_bound_expr_print(const skep_bx *expr, const char *prefix, skep_buf *out, skep_err *err) {
  printer p = {.out = out, .prefix = prefix, .err = err};
  skep_print_bx(&p, expr);
  if (p.status != SKEP_OK) return p.status;
  return skep_buf_check(out, "an expression as SQL", err);
}
