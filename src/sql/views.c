/* CREATE VIEW, ALTER VIEW: the query's text is stored as written, and with every name made to say where it belongs, so
 * that it means the same in any database, also to Hive. The binder tells what the names are (bind.h, trace).
 *
 * Source: hiveql 3.6; wordings, and the expanded texts: seen in 4.0.1. */
#include "sql/views.h"

#include <stdlib.h>
#include <string.h>

#include "hiveql/parse.h"
#include "sql/ddl_int.h"
#include "sql/life.h"

enum { MAX_TEXT = 1 << 26 };

/* ---- reading ---- */

skep_status skep_view_bind(skep_session *s, const skep_catalog_table *view, skep_bind_table *out, skep_err *err) {
  const char *text = view->view_expanded_text != NULL ? view->view_expanded_text : view->view_text;
  *out = (skep_bind_table){.db = view->db, .name = view->name, .columns = view->columns};
  if (strcmp(view->type, "VIRTUAL_VIEW") != 0 || text == NULL)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "%s is a %s, which is not supported yet", ddl_name(s, view),
                     strcmp(view->type, "MATERIALIZED_VIEW") == 0 ? "materialized view" : "view without a text");
  skep_status st = skep_parse_query(&s->arena, text, strlen(text), NULL, &out->view, err);
  return st == SKEP_OK ? st : skep_wrap(err, st, "view %s", ddl_name(s, view));
}

/* ---- the expanded text ---- */

static int by_offset(const void *a, const void *b) {
  const struct skep_bind_traced *x = a, *y = b;
  if (x->pos.offset != y->pos.offset) return x->pos.offset < y->pos.offset ? -1 : 1;
  return x < y ? -1 : x > y;
}

static void put_traced(skep_buf *out, const struct skep_bind_traced *t) {
  skep_buf_quoted(out, '`', t->qualifier);
  skep_buf_byte(out, '.');
  skep_buf_quoted(out, '`', t->name);
}

/* text: what was parsed; its names replaced. A star that was bound twice has its columns twice: the first run counts.
 */
static void expand(const char *text, const skep_bind_trace *trace, skep_buf *out) {
  size_t length = strlen(text), at = 0;
  for (uint32_t i = 0; i < trace->n;) {
    const struct skep_bind_traced *t = &trace->items[i];
    uint32_t end = i + 1;
    while (end < trace->n && trace->items[end].pos.offset == t->pos.offset) end++;
    if (t->pos.offset < at || t->pos.offset > length || t->pos.length > length - t->pos.offset) {
      i = end; /* inside of what was replaced */
      continue;
    }
    skep_buf_add(out, text + at, t->pos.offset - at);
    put_traced(out, t);
    for (uint32_t k = i + 1; t->is_star && k < end; k++) {
      const struct skep_bind_traced *more = &trace->items[k];
      if (strcmp(more->qualifier, t->qualifier) == 0 && strcmp(more->name, t->name) == 0) break;
      skep_buf_text(out, ", ");
      put_traced(out, more);
    }
    at = t->pos.offset + t->pos.length;
    i = end;
  }
  skep_buf_add(out, text + at, length - at);
}

/* ---- making ---- */

typedef struct making {
  skep_session *s;
  const skep_table_name *name;
  const skep_column_list *given; /* or NULL */
  const char *text;
  const skep_query *query; /* of the text, as parsed with the statement around it */
  skep_catalog_table *view;
  const skep_create_view *create; /* or NULL: ALTER VIEW */
} making;

static skep_status name_columns(making *m, const skep_bound_query *bound, skep_err *err) {
  skep_session *s = m->s;
  uint32_t n = bound->n_outputs;
  const char **names = skep_arena_zero(&s->arena, n + 1, sizeof *names);
  const char **comments = skep_arena_zero(&s->arena, n + 1, sizeof *comments);
  if (names == NULL || comments == NULL) return ddl_nomem(err);
  if (m->given != NULL && m->given->n != 0 && m->given->n != n)
    return ddl_semantic_fail(err, 0,
                             "%u:%u The number of columns produced by the SELECT clause does not match the number of "
                             "column names specified by CREATE VIEW",
                             m->name->pos.line, m->name->pos.column);
  bool named = m->given != NULL && m->given->n != 0;
  for (uint32_t i = 0; i < n; i++) {
    names[i] = named ? m->given->items[i].name : bound->names[i];
    comments[i] = named ? m->given->items[i].comment : NULL;
    for (uint32_t k = 0; k < i; k++)
      if (strcmp(names[k], names[i]) == 0)
        return ddl_semantic_fail(err, 10036, "Duplicate column name: %s", ddl_quote(s, names[i]));
  }
  m->view->column_comments = comments;
  const skep_type *made;
  SKEP_TRY(skep_type_make(&s->arena, bound->type, bound->type->children, names, n, &made, err));
  return skep_type_copy(&s->arena, made, &m->view->columns, err);
}

/* Binds the text: columns, and the text with full names. */
static skep_status read_query(making *m, skep_life *life, skep_err *err) {
  skep_session *s = m->s;
  const skep_query *query = m->query;
  skep_bound_query *bound;
  skep_bind_trace trace = {.db = ddl_db_of(s, m->name), .view = m->name->name};
  skep_buf expanded;
  size_t start = query->pos.offset, length = strlen(m->text);
  if (start > s->text_length || length > s->text_length - start || memcmp(s->text + start, m->text, length) != 0) {
    SKEP_TRY(skep_parse_query(&s->arena, m->text, length, NULL, &query, err)); /* places are those in the text then */
    start = 0;
  }
  life->binder.trace = &trace;
  SKEP_TRY(skep_bind_query(&life->binder, query, &bound, err));
  SKEP_TRY(name_columns(m, bound, err));
  for (uint32_t i = 0; i < trace.n; i++) trace.items[i].pos.offset -= (uint32_t)start;
  if (trace.n > 1) qsort(trace.items, trace.n, sizeof *trace.items, by_offset);
  skep_buf_init(&expanded, s->ctx, MAX_TEXT);
  expand(m->text, &trace, &expanded);
  m->view->view_text = m->text;
  m->view->view_expanded_text = skep_buf_copy(&expanded, &s->arena);
  skep_status st = skep_buf_check(&expanded, "the text of a view", err);
  skep_buf_fini(&expanded);
  return st != SKEP_OK || m->view->view_expanded_text != NULL ? st : ddl_nomem(err);
}

static skep_status bind_query(making *m, skep_err *err) {
  skep_life life = {0};
  skep_status st = skep_life_open(&life, m->s, err);
  if (st == SKEP_OK) st = read_query(m, &life, err);
  return skep_life_fail(&life, st); /* nothing was begun: the database transaction ends */
}

/* ---- storing ---- */

static skep_status same_view(making *m, const skep_catalog_table *was, bool replace, skep_err *err) {
  if (replace && strcmp(was->type, "VIRTUAL_VIEW") == 0) return SKEP_OK;
  if (replace && strcmp(was->type, "MATERIALIZED_VIEW") == 0)
    return ddl_semantic_fail(err, 10401, "A materialized view cannot be replaced by a view: %s", ddl_name(m->s, was));
  return ddl_task_fail(err, 10073, "Table already exists: %s", ddl_name(m->s, was));
}

static skep_status finish(making *m, skep_err *err) {
  skep_session *s = m->s;
  skep_catalog_table *v = m->view;
  static const skep_type row = {.kind = SKEP_STRUCT};
  SKEP_TRY(skep_type_make(&s->arena, &row, NULL, NULL, 0, &v->partition_keys, err));
  v->db = ddl_db_of(s, m->name);
  v->name = m->name->name;
  v->type = "VIRTUAL_VIEW";
  v->kind = SKEP_TABLE_VIEW;
  v->n_buckets = -1;
  v->bucketing_version = 2;
  v->input_format = "org.apache.hadoop.mapred.TextInputFormat";
  v->output_format = "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat";
  SKEP_TRY(ddl_set_param(s, &v->params, "bucketing_version", "2", err));
  for (uint32_t i = 0; i < m->create->properties.n; i++) {
    const skep_ast_property *p = &m->create->properties.items[i];
    SKEP_TRY(ddl_set_param(s, &v->params, p->key, p->value == NULL ? "" : p->value, err));
  }
  return m->create->comment == NULL ? SKEP_OK : ddl_set_param(s, &v->params, "comment", m->create->comment, err);
}

/* Who has bound the view and not entered yet sees by the ids of locks that something has changed (life_enter.c). */
static skep_status count_on(skep_session *s, skep_err *err) {
  skep_lock_state state;
  return skep_lock_pass(s->db, NULL, 0, &s->arena, &state, NULL, err);
}

static skep_status store(skep_session *s, void *self, skep_err *err) {
  making *m = self;
  SKEP_TRY(count_on(s, err));
  skep_catalog_table *was;
  const skep_catalog_db *db;
  SKEP_TRY(finish(m, err));
  SKEP_TRY(ddl_find_database(s, m->view->db, &db, err));
  skep_status st = skep_catalog_get_table(s->catalog, &s->arena, m->view->db, m->view->name, &was, err);
  if (st == SKEP_ERR_NOT_FOUND) return skep_catalog_create_table(s->catalog, &s->arena, m->view, err);
  if (st != SKEP_OK) return st;
  if (m->create->if_not_exists) return SKEP_OK;
  SKEP_TRY(same_view(m, was, m->create->or_replace, err));
  skep_catalog_table now = *m->view;
  now.id = was->id;
  now.sd_id = was->sd_id;
  now.cd_id = was->cd_id;
  now.serde_id = was->serde_id;
  now.db_id = was->db_id;
  now.owner = was->owner;
  now.owner_type = was->owner_type;
  now.create_time_s = was->create_time_s;
  SKEP_TRY(ddl_touch(s, &now.params, true, err));
  return skep_catalog_alter_table(s->catalog, was, &now, err);
}

skep_status skep_create_view_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  const skep_create_view *create = statement->create_view;
  making m = {.s = s,
              .name = &create->view,
              .given = &create->columns,
              .text = create->query_text,
              .query = create->query,
              .create = create};
  *out = NULL;
  if (create->or_replace && create->if_not_exists)
    return ddl_semantic_fail(err, 0, "Can't combine IF NOT EXISTS and OR REPLACE.");
  if (create->partitioned_on.n != 0)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "views with PARTITIONED ON are not supported");
  m.view = skep_arena_zero(&s->arena, 1, sizeof *m.view);
  if (m.view == NULL) return ddl_nomem(err);
  SKEP_TRY(bind_query(&m, err));
  return ddl_in_transaction(s, SKEP_DB_WRITE, store, &m, err);
}

/* ---- ALTER VIEW ---- */

typedef struct altering {
  const skep_alter_table *ast;
  making m;
} altering;

static skep_status alter_properties(skep_session *s, const skep_alter_table *ast, skep_catalog_table *now,
                                    skep_err *err) {
  bool set = ast->kind == SKEP_ALTER_SET_PROPERTIES;
  for (uint32_t i = 0; i < ast->properties.n; i++) {
    const skep_ast_property *p = &ast->properties.items[i];
    SKEP_TRY(ddl_set_param(s, &now->params, p->key, set ? (p->value == NULL ? "" : p->value) : NULL, err));
  }
  return SKEP_OK;
}

static skep_status alter(skep_session *s, void *self, skep_err *err) {
  altering *a = self;
  skep_catalog_table *was, *now, *there;
  SKEP_TRY(count_on(s, err));
  SKEP_TRY(ddl_find_table(s, &a->ast->table, false, &was, err));
  if (strcmp(was->type, "VIRTUAL_VIEW") != 0)
    return ddl_semantic_fail(err, 10132, "To alter a base table you need to use the ALTER TABLE command.");
  SKEP_TRY(skep_catalog_table_copy(&s->arena, was, &now, err));
  switch (a->ast->kind) {
    case SKEP_ALTER_AS_QUERY:
      now->columns = a->m.view->columns;
      now->column_comments = a->m.view->column_comments;
      now->view_text = a->m.view->view_text;
      now->view_expanded_text = a->m.view->view_expanded_text;
      break;
    case SKEP_ALTER_RENAME:
      now->db = a->ast->new_table.db != NULL ? a->ast->new_table.db : was->db;
      now->name = a->ast->new_table.name;
      if (skep_catalog_get_table(s->catalog, &s->arena, now->db, now->name, &there, NULL) == SKEP_OK)
        return ddl_task_fail(err, 40013, "Unable to alter table. new table %s already exists", ddl_name(s, now));
      break;
    case SKEP_ALTER_SET_PROPERTIES:
    case SKEP_ALTER_UNSET_PROPERTIES:
      SKEP_TRY(alter_properties(s, a->ast, now, err));
      break;
    default:
      return skep_fail(err, SKEP_ERR_UNSUPPORTED, "this form of ALTER VIEW is not supported yet");
  }
  SKEP_TRY(ddl_touch(s, &now->params, true, err));
  return skep_catalog_alter_table(s->catalog, was, now, err);
}

skep_status skep_alter_view_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  altering a = {.ast = statement->alter_table};
  *out = NULL;
  if (a.ast->kind == SKEP_ALTER_AS_QUERY) {
    a.m = (making){.s = s, .name = &a.ast->table, .text = a.ast->as_text, .query = a.ast->as};
    a.m.view = skep_arena_zero(&s->arena, 1, sizeof *a.m.view);
    if (a.m.view == NULL) return ddl_nomem(err);
    SKEP_TRY(bind_query(&a.m, err));
  }
  return ddl_in_transaction(s, SKEP_DB_WRITE, alter, &a, err);
}
