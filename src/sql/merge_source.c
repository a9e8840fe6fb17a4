/* The source of a MERGE: see merge_source.h. */
#include "sql/merge_source.h"

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
    *out = skep_arena_strndup(&life->s->arena, skep_buf_string(&text), text.size);
    if (*out == NULL) st = skep_fail(err, SKEP_ERR_NOMEM, "a source");
  }
  skep_buf_fini(&text);
  return st;
}

skep_status skep_merge_source_bind(skep_merge_source *source, skep_life *life, const skep_from *from, skep_err *err) {
  skep_arena *arena = &life->s->arena;
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

/* CREATE TEMP TABLE skep_merge_source AS SELECT * FROM (query) q(c0, c1, ..) */
static skep_status print_fill(const skep_merge_source *source, const uint64_t *ids, skep_buf *sql, skep_err *err) {
  skep_buf_text(sql, "CREATE OR REPLACE TEMP TABLE skep_merge_source AS SELECT * FROM (");
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

bool skep_merge_source_has(const skep_merge_source *source, const char *column) {
  return skep_type_child(source->type, column, strlen(column), false) >= 0;
}
