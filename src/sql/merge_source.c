/* The source of a MERGE: see merge_source.h. */
#include "sql/merge_source.h"

#include <stdio.h>

#include "column/text.h"

/* SELECT * FROM source */
static const skep_query *whole(skep_arena *arena, const skep_from *from) {
  skep_select_item *items = skep_arena_zero(arena, 1, sizeof *items);
  if (items == NULL) return NULL;
  items[0].expr = skep_expr_star(arena, NULL);
  const skep_select select = {.items = items, .n_items = 1, .from = from};
  return items[0].expr == NULL ? NULL : skep_query_select(arena, &select);
}

static skep_status source_type(skep_merge_source *source, skep_arena *arena, skep_err *err) {
  const skep_bound_query *bound = source->bound;
  uint32_t n = bound->n_outputs;
  const skep_type **children = skep_arena_zero(arena, n + 1, sizeof *children);
  const char **names = skep_arena_zero(arena, n + 1, sizeof *names);
  const skep_type bigint = {.kind = SKEP_BIGINT}, row = {.kind = SKEP_STRUCT};
  if (children == NULL || names == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a source");
  for (uint32_t i = 0; i < n; i++) {
    children[i] = bound->type->children[i];
    names[i] = bound->names[i];
  }
  SKEP_TRY(skep_type_make(arena, &bigint, NULL, NULL, 0, &children[n], err));
  names[n] = SKEP_MERGE_SOURCE_ROW;
  return skep_type_make(arena, &row, children, names, n + 1, &source->type, err);
}

static skep_status relation_text(const skep_merge_source *source, skep_life *life, const char **out, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, life->s->ctx, 1 << 20);
  skep_buf_printf(&text, "(SELECT *, rowid AS c%u FROM skep_merge_source)", source->bound->n_outputs);
  skep_status st = skep_buf_check(&text, "a source", err);
  if (st == SKEP_OK) {
    *out = skep_buf_copy(&text, &life->s->arena);
    if (*out == NULL) st = skep_fail(err, SKEP_ERR_NOMEM, "a source");
  }
  skep_buf_fini(&text);
  return st;
}

static skep_status number_sides(skep_merge_source *source, skep_arena *arena, const skep_from **from, skep_err *err) {
  const skep_query *numbered;
  source->n_ways = 1;
  if ((*from)->kind != SKEP_FROM_QUERY || (*from)->column_aliases.n != 0) return SKEP_OK;
  SKEP_TRY(skep_union_ways(arena, (*from)->query, &numbered, &source->n_ways, err));
  if (source->n_ways == 1) return SKEP_OK;
  skep_from *made = skep_arena_zero(arena, 1, sizeof *made);
  if (made == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a source");
  *made = **from;
  made->query = numbered;
  *from = made;
  return SKEP_OK;
}

skep_status skep_merge_source_bind(skep_merge_source *source, skep_life *life, const skep_from *from, bool apart,
                                   skep_err *err) {
  skep_arena *arena = &life->s->arena;
  source->n_ways = 1;
  if (apart) SKEP_TRY(number_sides(source, arena, &from, err));
  source->alias = from->alias;
  if (source->alias == NULL && from->kind == SKEP_FROM_TABLE) source->alias = from->table.name.name;
  if (source->alias == NULL) source->alias = SKEP_MERGE_SOURCE_TABLE;
  const skep_query *query = whole(arena, from);
  skep_bind_table *table = skep_arena_zero(arena, 1, sizeof *table);
  if (query == NULL || table == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a source");
  SKEP_TRY(skep_bind_query(&life->binder, query, &source->bound, err));
  SKEP_TRY(source_type(source, arena, err));
  *table = (skep_bind_table){.db = "", .name = SKEP_MERGE_SOURCE_TABLE, .columns = source->type};
  SKEP_TRY(relation_text(source, life, &table->relation, err));
  life->own_relation = table;
  return SKEP_OK;
}

/* CREATE TABLE skep_merge_source AS SELECT * FROM (query) q(c0, c1, ..) */
static skep_status print_fill(const skep_merge_source *source, const uint64_t *ids, skep_buf *sql, skep_err *err) {
  skep_buf_text(sql, "CREATE OR REPLACE TABLE skep_merge_source AS SELECT * FROM (");
  SKEP_TRY(skep_bound_query_print(source->bound, ids, sql, err));
  skep_buf_text(sql, ") q(");
  for (uint32_t i = 0; i < source->bound->n_outputs; i++) skep_buf_printf(sql, "%sc%u", i == 0 ? "" : ", ", i);
  skep_buf_text(sql, ")");
  return skep_buf_check(sql, "a source", err);
}

skep_status skep_merge_source_fill(skep_merge_source *source, skep_life *life, skep_err *err) {
  const uint64_t *ids;
  skep_engine *engine;
  skep_buf sql;
  SKEP_TRY(skep_life_sources(life, source->bound, &ids, err));
  SKEP_TRY(skep_session_engine(life->s, &engine, err));
  SKEP_TRY(skep_session_check(life->s, err));
  skep_buf_init(&sql, life->s->ctx, 1 << 30);
  skep_status st = print_fill(source, ids, &sql, err);
  if (st == SKEP_OK) st = skep_engine_run(engine, skep_buf_string(&sql), NULL, err);
  if (st == SKEP_OK) source->is_made = true;
  skep_buf_fini(&sql);
  return st;
}

void skep_merge_source_drop(skep_merge_source *source, skep_session *s) {
  skep_err ignored;
  if (!source->is_made) return;
  (void)!skep_engine_run(s->engine, "DROP TABLE skep_merge_source", NULL, &ignored);
  source->is_made = false;
}

/* ---- what the source's keys say about the target ---- */

enum { MAX_LISTED = 64 };

static bool is_integer(skep_kind kind) { return kind >= SKEP_TINYINT && kind <= SKEP_BIGINT; }

/* Kinds whose values compare in the target as they do in the join. */
static bool limits(const skep_type *source, const skep_type *target) {
  if (is_integer(source->kind) && is_integer(target->kind)) return true;
  if (source->kind != target->kind) return false;
  return source->kind == SKEP_STRING || source->kind == SKEP_DATE || source->kind == SKEP_TIMESTAMP;
}

/* A string literal of a predicate; false when it holds bytes that are better left alone. */
static bool print_quoted(skep_bytes text, skep_buf *out) {
  skep_buf_byte(out, '\'');
  for (size_t i = 0; i < text.left; i++) {
    uint8_t c = text.at[i];
    if (c < 0x20 || c == 0x7f) return false;
    if (c == '\'' || c == '\\') skep_buf_byte(out, '\\');
    skep_buf_byte(out, c);
  }
  skep_buf_byte(out, '\'');
  return true;
}

static bool print_literal(const skep_vec *vec, int64_t i, skep_buf *out) {
  skep_text text = {.style = SKEP_TEXT_HIVE, .null_text = "NULL"};
  if (vec->type->kind == SKEP_STRING) return print_quoted(skep_vec_bytes(vec, i), out);
  if (vec->type->kind == SKEP_DATE) skep_buf_text(out, "DATE '");
  if (vec->type->kind == SKEP_TIMESTAMP) skep_buf_text(out, "TIMESTAMP '");
  if (skep_text_value(&text, vec, i, out, NULL) != SKEP_OK) return false;
  if (!is_integer(vec->type->kind)) skep_buf_byte(out, '\'');
  return true;
}

/* All rows of a small query over one column into `out`, as literals with `between` between them. *n: how many; more
 * than `most` end it. *fine: all could be printed. */
static skep_status print_values(skep_life *life, const skep_type *row, const char *sql, const char *between,
                                uint32_t most, skep_buf *out, uint32_t *n, bool *fine, skep_err *err) {
  skep_engine *engine;
  skep_engine_result *rows;
  const skep_forms forms = {0};
  const skep_batch *batch;
  *n = 0;
  *fine = true;
  SKEP_TRY(skep_session_engine(life->s, &engine, err));
  SKEP_TRY(skep_engine_query(engine, sql, row, &forms, &rows, err));
  skep_status st;
  while (*fine && *n <= most && (st = skep_engine_next(rows, 1024, &batch, err)) == SKEP_OK) {
    for (int64_t i = 0; i < batch->root.length && *fine && *n <= most; i++) {
      const skep_vec *vec = &batch->root.children[0];
      if ((*n)++ != 0) skep_buf_text(out, between);
      *fine = skep_vec_is_valid(vec, i) && print_literal(vec, i, out);
    }
  }
  if (*fine && *n <= most && st != SKEP_END) {
    skep_engine_result_close(rows);
    return st;
  }
  skep_engine_result_close(rows);
  return SKEP_OK;
}

static skep_status print_limit(skep_life *life, const skep_type *row, uint32_t column, const char *name, skep_buf *out,
                               skep_err *err) {
  char sql[300];
  uint32_t n;
  bool fine;
  size_t start = out->size;
  if (start != 0) skep_buf_text(out, " AND ");
  skep_buf_printf(out, "`%s` IN (", name);
  (void)snprintf(sql, sizeof sql, "SELECT DISTINCT c%u FROM skep_merge_source WHERE c%u IS NOT NULL LIMIT %d", column,
                 column, MAX_LISTED + 1);
  SKEP_TRY(print_values(life, row, sql, ", ", MAX_LISTED, out, &n, &fine, err));
  skep_buf_text(out, ")");
  if (fine && n != 0 && n <= MAX_LISTED) return SKEP_OK;
  out->size = start; /* too many for a list */
  if (!fine || n == 0) return SKEP_OK;
  if (start != 0) skep_buf_text(out, " AND ");
  skep_buf_printf(out, "`%s` BETWEEN ", name);
  (void)snprintf(sql, sizeof sql,
                 "SELECT min(c%u) FROM skep_merge_source UNION ALL SELECT max(c%u) FROM skep_merge_source ORDER BY 1",
                 column, column);
  SKEP_TRY(print_values(life, row, sql, " AND ", 2, out, &n, &fine, err));
  if (!fine || n != 2) out->size = start;
  return SKEP_OK;
}

skep_status skep_merge_source_limit(const skep_merge_source *source, skep_life *life, uint32_t column, const char *name,
                                    const skep_type *type, skep_buf *out, skep_err *err) {
  const skep_type *from = source->type->children[column], *row;
  const skep_type like = {.kind = SKEP_STRUCT};
  if (!limits(from, type) || strchr(name, '`') != NULL) return SKEP_OK;
  SKEP_TRY(skep_type_make(&life->s->arena, &like, &from, &name, 1, &row, err));
  return print_limit(life, row, column, name, out, err);
}

bool skep_merge_source_has(const skep_merge_source *source, const char *column) {
  return skep_type_child(source->type, column, strlen(column), false) >= 0;
}
