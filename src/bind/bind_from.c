/* Relations (tables, sub queries, joins, lateral views) and the names that they bring into a scope. */
#include <stdio.h>
#include <string.h>

#include "bind/bind_int.h"

/* ---- relations ---- */

static skep_brel *new_rel(binding *b, skep_brel_kind kind, const char *alias, uint32_t n_columns) {
  skep_brel *rel = skep_arena_zero(b->arena, 1, sizeof *rel);
  const char **names = skep_arena_zero(b->arena, n_columns + 1, sizeof *names);
  const skep_type **types = skep_arena_zero(b->arena, n_columns + 1, sizeof *types);
  bool *used = skep_arena_zero(b->arena, n_columns + 1, sizeof *used);
  if (rel == NULL || names == NULL || types == NULL || used == NULL || b->next_rel >= SKEP_BIND_MAX_RELATIONS) {
    return NULL;
  }
  rel->kind = kind;
  rel->id = b->next_rel++;
  rel->alias = alias != NULL ? alias : "";
  rel->n_columns = rel->n_visible = n_columns;
  rel->names = names;
  rel->types = types;
  rel->used = used;
  return rel;
}

static void set_column(skep_brel *rel, uint32_t i, const char *name, const skep_type *type) {
  ((const char **)rel->names)[i] = name; /* still ours: made by new_rel */
  ((const skep_type **)rel->types)[i] = type;
}

static const skep_type *row_id_type(binding *b) {
  static const char *const names[] = {"writeid", "bucketid", "rowid"};
  const skep_type *types[] = {skep_rule_type(SKEP_BIGINT), skep_rule_type(SKEP_INT), skep_rule_type(SKEP_BIGINT)};
  return skep_rule_fields(b->arena, names, types, 3);
}

static skep_status lower_name(binding *b, const char *name, const char **out) {
  char *copy = skep_arena_strndup(b->arena, name, strlen(name));
  if (copy == NULL) return skep_bind_nomem(b);
  for (char *at = copy; *at != '\0'; at++) *at = (char)(*at >= 'A' && *at <= 'Z' ? *at + 32 : *at);
  *out = copy;
  return SKEP_OK;
}

static skep_status add_struct(binding *b, skep_brel *rel, uint32_t *at, const skep_type *columns) {
  for (uint32_t i = 0; columns != NULL && i < columns->n_children; i++) {
    const char *name;
    SKEP_TRY(lower_name(b, columns->names[i], &name));
    set_column(rel, (*at)++, name, columns->children[i]);
  }
  return SKEP_OK;
}

static skep_status add_table(binding *b, const skep_bind_table *table, const char *alias, skep_brel **out) {
  uint32_t n_data = table->columns->n_children;
  uint32_t n_keys = table->partition_keys != NULL ? table->partition_keys->n_children : 0;
  uint32_t n_virtual = table->relation == NULL ? SKEP_VIRTUAL_COUNT : 0; /* only files have them */
  skep_brel *rel = new_rel(b, SKEP_BREL_TABLE, alias, n_data + n_keys + n_virtual);
  const skep_type *row_id = row_id_type(b);
  if (rel == NULL || row_id == NULL) return skep_bind_nomem(b);
  uint32_t at = 0;
  SKEP_TRY(add_struct(b, rel, &at, table->columns));
  SKEP_TRY(add_struct(b, rel, &at, table->partition_keys));
  rel->n_visible = at;
  rel->n_data = n_data;
  if (n_virtual != 0) {
    set_column(rel, at + SKEP_VIRTUAL_ROW_ID, "row__id", row_id);
    set_column(rel, at + SKEP_VIRTUAL_FILE_NAME, "input__file__name", skep_rule_type(SKEP_STRING));
    set_column(rel, at + SKEP_VIRTUAL_BLOCK_OFFSET, "block__offset__inside__file", skep_rule_type(SKEP_BIGINT));
  }
  uint32_t capacity = b->tables_capacity;
  b->table_rels = skep_bind_grow(b->arena, b->table_rels, b->n_tables, &capacity, sizeof(skep_brel *));
  b->tables = skep_bind_grow(b->arena, b->tables, b->n_tables, &b->tables_capacity, sizeof *b->tables);
  if (b->tables == NULL || b->table_rels == NULL) return skep_bind_nomem(b);
  rel->table = b->n_tables;
  rel->db = table->db;
  b->table_rels[b->n_tables] = rel;
  b->tables[b->n_tables++] =
      (skep_bound_table){.table = *table, .alias = alias, .n_columns = rel->n_columns, .needed = rel->used};
  *out = rel;
  return SKEP_OK;
}

skep_status skep_bind_traced_name(binding *b, skep_pos pos, const char *qualifier, const char *name, bool is_star) {
  skep_bind_trace *trace = b->binder->trace;
  if (trace == NULL || b->in_view != 0 || pos.length == 0 || qualifier == NULL || qualifier[0] == '\0') return SKEP_OK;
  trace->items = skep_bind_grow(b->arena, trace->items, trace->n, &trace->capacity, sizeof *trace->items);
  if (trace->items == NULL) return skep_bind_nomem(b);
  trace->items[trace->n++] = (struct skep_bind_traced){pos, qualifier, name, is_star};
  return SKEP_OK;
}

/* A view is its query. It sees no WITH and no outer query of whoever names it. */
static skep_status bind_view(binding *b, scope *s, const skep_from *from, const skep_bind_table *view,
                             const skep_brel **out) {
  skep_bq *query;
  skep_brel *rel;
  const skep_bind_trace *trace = b->binder->trace;
  if (trace != NULL && trace->view != NULL && strcmp(trace->view, view->name) == 0 && strcmp(trace->db, view->db) == 0)
    return skep_fail(b->err, SKEP_ERR_SEMANTIC, "SemanticException Recursive view %s.%s detected", view->db,
                     view->name);
  b->in_view++;
  skep_status st = skep_bind_block(b, NULL, NULL, view->view, &query);
  b->in_view--;
  if (st != SKEP_OK) return skep_wrap(b->err, st, "view %s.%s", view->db, view->name);
  if (query->n_outputs != view->columns->n_children) {
    return skep_fail(b->err, SKEP_ERR_SEMANTIC,
                     "SemanticException view %s.%s has %u columns, its query gives %u: tables below it were changed",
                     view->db, view->name, view->columns->n_children, query->n_outputs);
  }
  SKEP_TRY(skep_bind_query_rel(b, query, from->alias != NULL ? from->alias : from->table.name.name,
                               view->columns->names, &rel));
  *out = rel;
  return skep_scope_add(b, s, rel, from->pos);
}

/* hash(e, ...) or murmur_hash(e, ...), of the bucketing columns when the sample names nothing. */
static const skep_expr *sample_hash(binding *b, const skep_sample *sample, const skep_bind_table *table) {
  const char *hash = table->bucketing_version == 2 ? "murmur_hash" : "hash";
  if (sample->on.n > 0) return skep_expr_call(b->arena, hash, sample->on.items, sample->on.n);
  const skep_expr **columns = skep_arena_zero(b->arena, table->n_bucket_columns + 1, sizeof *columns);
  if (columns == NULL) return NULL;
  for (uint32_t i = 0; i < table->n_bucket_columns; i++) {
    const char *name = table->columns->names[table->bucket_columns[i]];
    columns[i] = skep_expr_column(b->arena, NULL, name);
    if (columns[i] == NULL) return NULL;
  }
  return skep_expr_call(b->arena, hash, columns, table->n_bucket_columns);
}

/* BUCKET x OUT OF y: (hash & 2147483647) % y = x - 1, over the table's columns alone. Hive reads whole files where its
 * buckets are the sample's; the rows are the same when they lie where they belong.
 *
 * ROWS: Hive takes n of every split, and how many there are depends on its engine; here it is n of the table.
 *
 * Source: Hive SemanticAnalyzer.genSamplePredicate and genTablePlan (10060, 10061). */
static skep_status bind_sample(binding *b, const skep_sample *sample, const skep_bind_table *table, skep_brel *rel) {
  char label[160];
  if (sample->kind == SKEP_SAMPLE_ROWS) {
    rel->has_sample_rows = true;
    rel->sample_rows = sample->n;
    return SKEP_OK;
  }
  if (sample->kind != SKEP_SAMPLE_BUCKET)
    return skep_bind_unsupported(b, sample->pos, "TABLESAMPLE by percent or bytes (Hive cuts between blocks of files)");
  skep_quote(label, sizeof label, table->name, strlen(table->name));
  if (sample->on.n == 0 && table->n_bucket_columns == 0)
    return skep_bind_fail(b, sample->pos, 10060, "Sampling expression needed for non-bucketed table. %s", label);
  if (sample->bucket > sample->out_of)
    return skep_bind_fail(b, sample->pos, 10061,
                          "Numerator should not be bigger than denominator in sample clause for table %s", label);
  if (sample->out_of == 0 || sample->out_of > INT32_MAX)
    return skep_bind_unsupported(b, sample->pos, "TABLESAMPLE of so many buckets");
  skep_arena *arena = b->arena;
  const skep_expr *hash = sample_hash(b, sample, table);
  const skep_expr *positive = skep_expr_binary(arena, SKEP_OP_BIT_AND, hash, skep_expr_int(arena, INT32_MAX));
  const skep_expr *bucket =
      skep_expr_binary(arena, SKEP_OP_MODULO, positive, skep_expr_int(arena, (int64_t)sample->out_of));
  const skep_expr *is_wanted =
      skep_expr_binary(arena, SKEP_OP_EQ, bucket, skep_expr_int(arena, (int64_t)sample->bucket - 1));
  if (is_wanted == NULL) return skep_bind_nomem(b);
  scope own = {0};
  skep_bx *condition;
  SKEP_TRY(skep_scope_add(b, &own, rel, sample->pos));
  SKEP_TRY(skep_bind_boolean(b, &own, is_wanted, &condition));
  rel->sample = condition;
  return SKEP_OK;
}

static skep_status bind_table(binding *b, scope *s, const skep_from *from, const skep_brel **out) {
  const skep_table_name *name = &from->table.name;
  char label[160];
  if (from->table.as_of != SKEP_AS_OF_NONE) {
    return skep_bind_fail(b, from->pos, 10429, "Time travel is not supported for tables of this kind");
  }
  if (name->meta != NULL)
    return skep_bind_fail(b, name->pos, 10431, "Table reference with a meta part is not supported");
  if (from->table.properties.n != 0) return skep_bind_unsupported(b, from->pos, "options of a table reference");
  for (const cte_env *at = s->ctes; at != NULL && name->db == NULL; at = at->outer) {
    if (strcmp(at->name, name->name) != 0) continue;
    if (from->table.sample != NULL) return skep_bind_unsupported(b, from->pos, "TABLESAMPLE of a query");
    skep_brel *rel;
    SKEP_TRY(skep_bind_query_rel(b, at->query, from->alias != NULL ? from->alias : name->name, at->names, &rel));
    rel->kind = SKEP_BREL_CTE;
    rel->cte = at->id;
    *out = rel;
    return skep_scope_add(b, s, rel, from->pos);
  }
  skep_bind_table table = {0};
  skep_status st = b->binder->lookup == NULL
                       ? SKEP_ERR_NOT_FOUND
                       : b->binder->lookup(b->binder->lookup_self, b->arena, name->db, name->name, &table, b->err);
  if (st == SKEP_ERR_NOT_FOUND) {
    skep_quote(label, sizeof label, name->name, strlen(name->name));
    return skep_bind_fail(b, name->pos, 10001, "Table not found '%s'", label);
  }
  SKEP_TRY(st);
  SKEP_TRY(skep_bind_traced_name(b, name->pos, table.db, table.name, false));
  if (table.view != NULL && from->table.sample != NULL)
    return skep_bind_unsupported(b, from->pos, "TABLESAMPLE of a view");
  if (table.view != NULL) return bind_view(b, s, from, &table, out);
  skep_brel *rel;
  SKEP_TRY(add_table(b, &table, from->alias != NULL ? from->alias : name->name, &rel));
  if (from->table.sample != NULL) SKEP_TRY(bind_sample(b, from->table.sample, &table, rel));
  *out = rel;
  return skep_scope_add(b, s, *out, from->pos);
}

/* A sub query's second column of a name: the same expression again is _col<position>, another one is a mistake. */
static skep_status name_repeated(binding *b, const skep_bq *query, skep_brel *rel) {
  if (rel->alias[0] == '\0' || query->kind != SKEP_BQ_SELECT || query->n_outputs > 4000) return SKEP_OK;
  for (uint32_t i = 1; i < query->n_outputs; i++) {
    uint32_t j = 0;
    while (j < i && strcmp(query->names[j], query->names[i]) != 0) j++;
    if (j == i) continue;
    char text[200], label[128];
    if (!skep_bx_equal(query->outputs[j], query->outputs[i])) {
      skep_quote(label, sizeof label, query->names[i], strlen(query->names[i]));
      return skep_fail(b->err, SKEP_ERR_SEMANTIC,
                       "SemanticException [Error 10007]: Ambiguous column reference %s in %s", label,
                       skep_quote(text, sizeof text, rel->alias, strlen(rel->alias)));
    }
    int n = snprintf(text, sizeof text, "_col%u", i);
    const char *name = skep_arena_strndup(b->arena, text, (size_t)n);
    if (name == NULL) return skep_bind_nomem(b);
    set_column(rel, i, name, query->types[i]);
  }
  return SKEP_OK;
}

skep_status skep_bind_query_rel(binding *b, const skep_bq *query, const char *alias, const char *const *names,
                                skep_brel **out) {
  skep_brel *rel = new_rel(b, SKEP_BREL_QUERY, alias, query->n_outputs);
  if (rel == NULL) return skep_bind_nomem(b);
  rel->query = query;
  for (uint32_t i = 0; i < query->n_outputs; i++) {
    set_column(rel, i, names != NULL ? names[i] : query->names[i], query->types[i]);
  }
  if (names == NULL) SKEP_TRY(name_repeated(b, query, rel));
  *out = rel;
  return SKEP_OK;
}

/* t(a, b): as many names as columns, or the query's own. */
static skep_status column_aliases(binding *b, const skep_from *from, uint32_t n, const char *const **names) {
  *names = NULL;
  if (from->column_aliases.n == 0) return SKEP_OK;
  if (from->column_aliases.n != n) {
    return skep_bind_fail(b, from->pos, 10425, "%u column names for %u columns", from->column_aliases.n, n);
  }
  *names = from->column_aliases.items;
  return SKEP_OK;
}

static skep_status bind_from_query(binding *b, scope *s, const skep_from *from, const skep_brel **out) {
  skep_bq *query;
  if (from->kind == SKEP_FROM_QUERY) {
    /* A sub query in FROM sees no tables beside it, only what the outer query's sub queries would see. */
    SKEP_TRY(skep_bind_block(b, s->parent, s->ctes, from->query, &query));
  } else {
    SKEP_TRY(skep_bind_values(b, s->parent, s->ctes, from->values, &query));
  }
  const char *const *names;
  skep_brel *rel;
  SKEP_TRY(column_aliases(b, from, query->n_outputs, &names));
  SKEP_TRY(skep_bind_query_rel(b, query, from->alias, names, &rel));
  *out = rel;
  return skep_scope_add(b, s, rel, from->pos);
}

/* ---- joins ---- */

static const skep_bjoin join_kinds[] = {
    [SKEP_JOIN_INNER] = SKEP_BJOIN_INNER,    [SKEP_JOIN_COMMA] = SKEP_BJOIN_INNER,
    [SKEP_JOIN_CROSS] = SKEP_BJOIN_INNER,    [SKEP_JOIN_LEFT] = SKEP_BJOIN_LEFT,
    [SKEP_JOIN_RIGHT] = SKEP_BJOIN_RIGHT,    [SKEP_JOIN_FULL] = SKEP_BJOIN_FULL,
    [SKEP_JOIN_LEFT_SEMI] = SKEP_BJOIN_SEMI, [SKEP_JOIN_LEFT_ANTI] = SKEP_BJOIN_ANTI,
};

/* The column `name` among the relations [first, end) of the scope. */
static skep_status using_side(binding *b, const scope *s, uint32_t first, uint32_t end, const char *name, skep_pos pos,
                              skep_bx **out) {
  *out = NULL;
  for (uint32_t i = 0; i < s->n_usings && first == 0; i++) {
    if (strcmp(s->usings[i].name, name) == 0) {
      *out = s->usings[i].value;
      return SKEP_OK;
    }
  }
  for (uint32_t i = first; i < end; i++) {
    for (uint32_t j = 0; j < s->rels[i]->n_visible; j++) {
      if (strcmp(s->rels[i]->names[j], name) != 0) continue;
      if (*out != NULL) return skep_bind_fail(b, pos, 10007, "Ambiguous column reference %s in USING", name);
      *out = skep_bx_column(b, s->rels[i], j, pos);
      if (*out == NULL) return skep_bind_nomem(b);
    }
  }
  if (*out == NULL) {
    char label[128];
    skep_quote(label, sizeof label, name, strlen(name));
    return skep_bind_fail(b, pos, 10002, "Invalid column reference '%s'", label);
  }
  return SKEP_OK;
}

static skep_status bind_using(binding *b, scope *s, const skep_from *from, uint32_t first, uint32_t middle,
                              skep_bx **on) {
  *on = NULL;
  for (uint32_t i = 0; i < from->join.using_columns.n; i++) {
    const char *name = from->join.using_columns.items[i];
    skep_bx *left, *right, *equal, *value;
    SKEP_TRY(using_side(b, s, first, middle, name, from->pos, &left));
    SKEP_TRY(using_side(b, s, middle, s->n_rels, name, from->pos, &right));
    SKEP_TRY(skep_bind_compare(b, SKEP_OP_EQ, left, right, from->pos, &equal));
    *on = *on == NULL ? equal : skep_bx_operator(b, "and", equal->type, from->pos, *on, equal);
    value = from->join.kind == SKEP_JOIN_RIGHT ? right : left;
    if (from->join.kind == SKEP_JOIN_FULL) {
      skep_bx *args[] = {left, right};
      const skep_type *type;
      SKEP_TRY(skep_bind_common(b, args, 2, from->pos, "USING", &type));
      value = skep_bx_call(b, skep_function_find("coalesce"), type, from->pos, args, 2);
    }
    s->usings = skep_bind_grow(b->arena, s->usings, s->n_usings, &s->usings_capacity, sizeof *s->usings);
    if (*on == NULL || value == NULL || s->usings == NULL) return skep_bind_nomem(b);
    s->usings[s->n_usings++] = (using_column){name, value};
  }
  return SKEP_OK;
}

static skep_status bind_join(binding *b, scope *s, const skep_from *from, const skep_brel **out) {
  const skep_brel *left, *right;
  uint32_t first = s->n_rels;
  SKEP_TRY(skep_bind_from(b, s, from->join.left, &left));
  uint32_t middle = s->n_rels;
  SKEP_TRY(skep_bind_from(b, s, from->join.right, &right));
  skep_brel *rel = new_rel(b, SKEP_BREL_JOIN, NULL, 0);
  if (rel == NULL) return skep_bind_nomem(b);
  rel->join = join_kinds[from->join.kind];
  rel->left = left;
  rel->right = right;
  skep_bx *on = NULL;
  if (from->join.using_columns.n != 0) {
    SKEP_TRY(bind_using(b, s, from, first, middle, &on));
  } else if (from->join.on != NULL) {
    SKEP_TRY(skep_bind_boolean(b, s, from->join.on, &on));
  }
  rel->on = on;
  if (rel->join == SKEP_BJOIN_SEMI || rel->join == SKEP_BJOIN_ANTI) s->n_rels = middle; /* the right side is gone */
  *out = rel;
  return SKEP_OK;
}

/* ---- lateral views ---- */

/* What a table function gives: types and default names; converts its arguments. */
static skep_status udtf_shape(binding *b, const skep_function *fn, skep_bx **args, uint32_t n, skep_pos pos,
                              const char ***names, const skep_type ***types, uint32_t *n_columns) {
  const skep_type *type = args[0]->type;
  uint32_t columns = 1, rows = 0;
  if (fn->rule == SKEP_FR_STACK) {
    if (args[0]->op != SKEP_BX_CONST || !skep_rule_is_integer(type) || args[0]->value.is_null ||
        args[0]->value.i64 < 1) {
      return skep_bind_fail(
          b, pos, 10016,
          "Argument type mismatch: The first argument to STACK() must be a constant integer greater than 0");
    }
    rows = args[0]->value.i64 > n ? n : (uint32_t)args[0]->value.i64;
    columns = (n - 1 + rows - 1) / rows;
  } else if (fn->rule == SKEP_FR_JSON_TUPLE) {
    columns = n - 1;
  } else if (fn->rule == SKEP_FR_INLINE) {
    if (type->kind != SKEP_LIST || type->children[0]->kind != SKEP_STRUCT) {
      return skep_bind_fail(b, pos, 10016, "Argument type mismatch: The sub-inspector of INLINE() must be a struct");
    }
    columns = type->children[0]->n_children;
  } else if (type->kind == SKEP_MAP) {
    columns = 2;
  } else if (type->kind != SKEP_LIST) {
    return skep_bind_fail(b, pos, 10016, "Argument type mismatch: %s() takes an array or a map as a parameter",
                          fn->name);
  }
  if (fn->rule == SKEP_FR_POSEXPLODE) columns++;
  *names = skep_arena_zero(b->arena, columns, sizeof **names);
  *types = skep_arena_zero(b->arena, columns, sizeof **types);
  if (*names == NULL || *types == NULL) return skep_bind_nomem(b);
  *n_columns = columns;
  uint32_t at = 0;
  const skep_type *string = skep_rule_type(SKEP_STRING);
  switch ((int)fn->rule) {
    case SKEP_FR_POSEXPLODE:
      (*names)[at] = "pos";
      (*types)[at++] = skep_rule_type(SKEP_INT);
      /* fall through */
    case SKEP_FR_EXPLODE:
      for (uint32_t i = 0; i < type->n_children; i++) {
        (*names)[at] = type->kind == SKEP_MAP        ? (i == 0 ? "key" : "value")
                       : fn->rule == SKEP_FR_EXPLODE ? "col"
                                                     : "val";
        (*types)[at++] = type->children[i];
      }
      break;
    case SKEP_FR_INLINE:
      for (uint32_t i = 0; i < columns; i++) {
        (*names)[i] = type->children[0]->names[i];
        (*types)[i] = type->children[0]->children[i];
      }
      break;
    default: /* stack, json_tuple */
      for (uint32_t i = 0; i < columns; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, fn->rule == SKEP_FR_STACK ? "col%u" : "c%u", i);
        (*names)[i] = skep_arena_strndup(b->arena, name, (size_t)length);
        if ((*names)[i] == NULL) return skep_bind_nomem(b);
        (*types)[i] = string;
      }
      break;
  }
  if (fn->rule == SKEP_FR_JSON_TUPLE) {
    for (uint32_t i = 0; i < n; i++) SKEP_TRY(skep_bind_convert(b, args[i], string, &args[i]));
  }
  for (uint32_t c = 0; c < columns && fn->rule == SKEP_FR_STACK; c++) {
    const skep_type *common = skep_rule_type(SKEP_KIND_VOID);
    for (uint32_t i = 1 + c; i < n; i += columns) {
      common = skep_rule_common(b->arena, common, args[i]->type);
      if (common == NULL)
        return skep_bind_fail(b, pos, 10016,
                              "Argument type mismatch: values of one column of STACK() have different types");
    }
    if (skep_rule_is_void(common)) common = string;
    for (uint32_t i = 1 + c; i < n; i += columns) SKEP_TRY(skep_bind_convert(b, args[i], common, &args[i]));
    (*types)[c] = common;
  }
  return SKEP_OK;
}

skep_status skep_bind_lateral(binding *b, scope *s, const skep_brel *left, const skep_expr *expr, const char *alias,
                              skep_name_list given, bool outer, skep_brel **out) {
  const skep_call *call = expr->call;
  const skep_function *fn = skep_function_find(call->name);
  if (fn == NULL || fn->kind != SKEP_FN_TABLE) {
    char name[128];
    skep_quote(name, sizeof name, call->name, strlen(call->name));
    return skep_bind_fail(b, expr->pos, fn == NULL ? 10011 : 10077, "%s %s",
                          fn == NULL ? "Invalid function" : "The function in a LATERAL VIEW must be a UDTF:", name);
  }
  uint32_t n = call->args.n, n_columns;
  if (n < fn->min_args || (fn->max_args != 255 && n > fn->max_args)) {
    return skep_bind_fail(b, expr->pos, 10015, "Arguments length mismatch: %s takes %u arguments, got %u", fn->name,
                          fn->min_args, n);
  }
  skep_bx **args = skep_arena_zero(b->arena, n, sizeof *args);
  if (args == NULL) return skep_bind_nomem(b);
  for (uint32_t i = 0; i < n; i++) SKEP_TRY(skep_bind_expression(b, s, call->args.items[i], &args[i]));
  const char **names;
  const skep_type **types;
  SKEP_TRY(udtf_shape(b, fn, args, n, expr->pos, &names, &types, &n_columns));
  if (given.n != 0 && given.n != n_columns) {
    return skep_bind_fail(b, expr->pos, 10083,
                          "The number of aliases supplied in the AS clause does not match the number of columns "
                          "output by the UDTF expected %u aliases but got %u",
                          n_columns, given.n);
  }
  skep_brel *rel = new_rel(b, SKEP_BREL_LATERAL, alias, n_columns);
  if (rel == NULL) return skep_bind_nomem(b);
  for (uint32_t i = 0; i < n_columns; i++) set_column(rel, i, given.n != 0 ? given.items[i] : names[i], types[i]);
  rel->left = left;
  rel->udtf = fn;
  rel->args = args;
  rel->n_args = n;
  rel->outer_view = outer;
  *out = rel;
  return SKEP_OK;
}

static skep_status bind_lateral_view(binding *b, scope *s, const skep_from *from, const skep_brel **out) {
  const skep_brel *left;
  SKEP_TRY(skep_bind_from(b, s, from->lateral.source, &left));
  skep_brel *rel;
  SKEP_TRY(
      skep_bind_lateral(b, s, left, from->lateral.call, from->alias, from->column_aliases, from->lateral.outer, &rel));
  *out = rel;
  return skep_scope_add(b, s, rel, from->pos);
}

skep_status skep_bind_from(binding *b, scope *s, const skep_from *from, const skep_brel **out) {
  if (b->depth >= SKEP_BIND_MAX_DEPTH) return skep_fail(b->err, SKEP_ERR_LIMIT, "too many joins or nested queries");
  b->depth++;
  skep_status st;
  switch (from->kind) {
    case SKEP_FROM_TABLE:
      st = bind_table(b, s, from, out);
      break;
    case SKEP_FROM_JOIN:
      st = bind_join(b, s, from, out);
      break;
    case SKEP_FROM_LATERAL_VIEW:
      st = bind_lateral_view(b, s, from, out);
      break;
    default:
      st = bind_from_query(b, s, from, out);
      break;
  }
  b->depth--;
  return st;
}

/* ---- names ---- */

skep_status skep_scope_add(binding *b, scope *s, const skep_brel *rel, skep_pos pos) {
  for (uint32_t i = 0; i < s->n_rels && rel->alias[0] != '\0'; i++) {
    bool same_db = rel->db == NULL || s->rels[i]->db == NULL || strcmp(rel->db, s->rels[i]->db) == 0;
    if (strcmp(s->rels[i]->alias, rel->alias) == 0 && same_db) {
      char label[128];
      skep_quote(label, sizeof label, rel->alias, strlen(rel->alias));
      if (pos.length > strlen(rel->alias)) pos.column += pos.length - (uint32_t)strlen(rel->alias);
      return skep_bind_fail(b, pos, 10008, "Ambiguous table alias '%s'", label);
    }
  }
  s->rels = skep_bind_grow(b->arena, s->rels, s->n_rels, &s->rels_capacity, sizeof *s->rels);
  if (s->rels == NULL) return skep_bind_nomem(b);
  s->rels[s->n_rels++] = rel;
  return SKEP_OK;
}

static int64_t column_of(const skep_brel *rel, const char *name) {
  for (uint32_t i = 0; i < rel->n_columns; i++) {
    if (strcmp(rel->names[i], name) == 0) return i;
  }
  return -1;
}

static const skep_brel *rel_of(const scope *s, const char *db, const char *alias) {
  for (uint32_t i = 0; i < s->n_rels; i++) {
    const skep_brel *rel = s->rels[i];
    if (strcmp(rel->alias, alias) != 0) continue;
    if (db == NULL || (rel->db != NULL && strcmp(rel->db, db) == 0)) return rel;
  }
  return NULL;
}

static skep_status found(binding *b, const skep_brel *rel, int64_t column, const skep_expr *expr, uint32_t used,
                         skep_bx **out) {
  if (used == expr->name.n)
    SKEP_TRY(skep_bind_traced_name(b, expr->pos, rel->alias, expr->name.items[used - 1], false));
  *out = skep_bx_column(b, rel, (uint32_t)column, expr->pos);
  return *out == NULL ? skep_bind_nomem(b) : SKEP_OK;
}

/* Looks the chain up in one scope. *used: how many names it took; *out stays NULL when nothing matches. */
static skep_status lookup_in(binding *b, const scope *s, const skep_expr *expr, uint32_t *used, skep_bx **out) {
  const skep_name_list *name = &expr->name;
  *out = NULL;
  for (uint32_t parts = 3; parts >= 2; parts--) { /* db.t.c, then t.c */
    if (name->n < parts) continue;
    const skep_brel *rel = rel_of(s, parts == 3 ? name->items[0] : NULL, name->items[parts - 2]);
    int64_t column = rel != NULL ? column_of(rel, name->items[parts - 1]) : -1;
    if (column < 0) continue;
    *used = parts;
    return found(b, rel, column, expr, parts, out);
  }
  *used = 1;
  for (uint32_t i = 0; i < s->n_usings; i++) {
    if (strcmp(s->usings[i].name, name->items[0]) == 0) {
      *out = s->usings[i].value;
      return SKEP_OK;
    }
  }
  const skep_brel *rel = NULL;
  int64_t column = -1;
  for (uint32_t i = 0; i < s->n_rels; i++) {
    int64_t at = column_of(s->rels[i], name->items[0]);
    if (at < 0) continue;
    bool twice = false; /* a sub query may give two columns one name */
    for (uint32_t j = (uint32_t)at + 1; j < s->rels[i]->n_visible; j++) {
      twice = twice || strcmp(s->rels[i]->names[j], name->items[0]) == 0;
    }
    bool is_virtual = at >= s->rels[i]->n_visible;
    if (rel != NULL && is_virtual && column < rel->n_visible) continue;
    if (twice || (rel != NULL && (is_virtual || column < rel->n_visible))) {
      char label[128];
      skep_quote(label, sizeof label, name->items[0], strlen(name->items[0]));
      if (!twice)
        return skep_bind_fail(b, (skep_pos){0}, 0, "Column %s Found in more than One Tables/Subqueries", label);
      return skep_bind_fail(b, expr->pos, 10007, "Ambiguous column reference %s in %s", label, s->rels[i]->alias);
    }
    rel = s->rels[i];
    column = at;
  }
  return rel == NULL ? SKEP_OK : found(b, rel, column, expr, 1, out);
}

static skep_bx *alias_value(const scope *s, const skep_expr *expr) {
  for (uint32_t i = 0; i < s->n_aliases; i++) {
    if (s->alias_names[i] != NULL && strcmp(s->alias_names[i], expr->name.items[0]) == 0) return s->alias_values[i];
  }
  return NULL;
}

static void list_columns(const scope *s, skep_buf *out) {
  bool first = true;
  for (uint32_t i = 0; i < s->n_rels; i++) {
    const skep_brel *rel = s->rels[i];
    for (uint32_t j = 0; j < rel->n_visible && out->size < 700; j++) {
      char label[128];
      if (!first) skep_buf_text(out, ", ");
      if (s->n_rels > 1 && rel->alias[0] != '\0') {
        skep_buf_printf(out, "%s.", skep_quote(label, sizeof label, rel->alias, strlen(rel->alias)));
      }
      skep_buf_text(out, skep_quote(label, sizeof label, rel->names[j], strlen(rel->names[j])));
      first = false;
    }
  }
}

/* Where the k-th name of a chain stands, when it is written without blanks and quotes. */
static skep_pos name_pos(const skep_expr *expr, uint32_t k) {
  skep_pos pos = expr->pos;
  size_t total = 0, before = 0;
  for (uint32_t i = 0; i < expr->name.n; i++) {
    if (i == k) before = total;
    total += strlen(expr->name.items[i]) + (i + 1 < expr->name.n ? 1 : 0);
  }
  if (pos.length == total) pos.column += (uint32_t)before;
  return pos;
}

static skep_status not_found(binding *b, const scope *s, const skep_expr *expr) {
  char label[128];
  const char *first = expr->name.items[0];
  const skep_brel *rel = expr->name.n > 1 ? rel_of(s, NULL, first) : NULL;
  if (rel != NULL) {
    skep_quote(label, sizeof label, expr->name.items[1], strlen(expr->name.items[1]));
    return skep_bind_fail(b, name_pos(expr, 1), 10002, "Invalid column reference '%s'", label);
  }
  if (s->in_select && s->block != NULL && (s->block->grouped || s->grouped_seen) && expr->name.n == 1) {
    skep_quote(label, sizeof label, first, strlen(first));
    return skep_bind_fail(b, expr->pos, 10025, "Expression not in GROUP BY key '%s'", label);
  }
  skep_quote(label, sizeof label, first, strlen(first));
  skep_buf names;
  skep_buf_init(&names, b->arena->ctx, 2048);
  list_columns(s, &names);
  skep_status st = skep_bind_fail(b, expr->pos, 10004,
                                  "Invalid table alias or column reference '%s': (possible column names are: %s)",
                                  label, skep_buf_string(&names));
  skep_buf_fini(&names);
  return st;
}

/* GROUPING__ID: the grouping bits of all keys; the keys are known to the block. */
static skep_status grouping_id(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  const skep_bq *block = s->block;
  *out = NULL;
  if (expr->name.n != 1 || strcmp(expr->name.items[0], "grouping__id") != 0) return SKEP_OK;
  if (block == NULL || block->n_keys == 0) return SKEP_OK;
  *out = skep_bx_new(b, SKEP_BX_GROUPING, skep_rule_type(SKEP_BIGINT), expr->pos, block->n_keys);
  if (*out == NULL) return skep_bind_nomem(b);
  memcpy((*out)->args, block->keys, block->n_keys * sizeof *block->keys);
  (*out)->has_aggregate = true;
  s->grouped_seen = true;
  return SKEP_OK;
}

skep_status skep_bind_name(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  uint32_t used = 1;
  for (scope *at = s; at != NULL; at = at->parent) {
    SKEP_TRY(lookup_in(b, at, expr, &used, out));
    if (*out == NULL && at == s && at->n_aliases != 0) {
      *out = alias_value(at, expr);
      used = 1;
    }
    if (*out == NULL) {
      SKEP_TRY(grouping_id(b, at, expr, out));
      used = 1;
    }
    if (*out == NULL) continue;
    for (scope *inner = s; inner != at; inner = inner->parent) inner->correlated = true;
    break;
  }
  if (*out == NULL) return not_found(b, s, expr);
  for (uint32_t i = used; i < expr->name.n; i++)
    SKEP_TRY(skep_bind_field(b, *out, expr->name.items[i], expr->pos, out));
  return SKEP_OK;
}

skep_status skep_bind_field(binding *b, skep_bx *base, const char *name, skep_pos pos, skep_bx **out) {
  const skep_type *type = base->type;
  bool list = type->kind == SKEP_LIST && type->children[0]->kind == SKEP_STRUCT;
  if (type->kind != SKEP_STRUCT && !list) {
    char label[128];
    skep_quote(label, sizeof label, name, strlen(name));
    return skep_bind_fail(b, pos, 10042, ". Operator is only supported on struct or list of struct types '%s'", label);
  }
  const skep_type *fields = list ? type->children[0] : type;
  int64_t child = skep_type_child(fields, name, strlen(name), true);
  if (child < 0) {
    char label[128];
    skep_quote(label, sizeof label, name, strlen(name));
    skep_buf names;
    skep_buf_init(&names, b->arena->ctx, 2048);
    for (uint32_t i = 0; i < fields->n_children && names.size < 600; i++) {
      char field[128];
      skep_quote(field, sizeof field, fields->names[i], strlen(fields->names[i]));
      skep_buf_printf(&names, "%s%s", i == 0 ? "" : ", ", field);
    }
    skep_status st =
        skep_fail(b->err, SKEP_ERR_SEMANTIC, "RuntimeException cannot find field %s(lowercase form: %s) in [%s]", label,
                  label, skep_buf_string(&names));
    skep_buf_fini(&names);
    return st;
  }
  const skep_type *result = fields->children[child];
  skep_bx *bx = skep_bx_new(b, SKEP_BX_FIELD, list ? skep_rule_list(b->arena, result) : result, pos, 1);
  if (bx == NULL || bx->type == NULL) return skep_bind_nomem(b);
  bx->args[0] = base;
  bx->position = (uint32_t)child;
  skep_bx_mark(bx);
  *out = bx;
  return SKEP_OK;
}
