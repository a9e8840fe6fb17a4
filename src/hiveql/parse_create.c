/* CREATE, DROP, TRUNCATE.
 *
 *   create  := CREATE (DATABASE | SCHEMA) [IF NOT EXISTS] name [COMMENT STRING] [LOCATION STRING] [MANAGEDLOCATION
 * STRING] [WITH DBPROPERTIES properties] | CREATE [TEMPORARY] [TRANSACTIONAL] [EXTERNAL | MANAGED] TABLE [IF NOT
 * EXISTS] table
 *              ([columns] | LIKE table | LIKE FILE name STRING) table-tail [AS query]
 *            | CREATE [OR REPLACE] VIEW [IF NOT EXISTS] table [view-columns] [COMMENT STRING] [PARTITIONED ON names]
 *              [TBLPROPERTIES properties] AS query
 *            | CREATE MATERIALIZED VIEW [IF NOT EXISTS] table [DISABLE REWRITE] [COMMENT STRING] [PARTITIONED ON names]
 *              [CLUSTERED ON names | DISTRIBUTED ON names SORTED ON names] [row format] [stored] [LOCATION STRING]
 *              [TBLPROPERTIES properties] AS query
 *   columns := '(' (column | table-constraint) (',' ...)* ')'
 *   table-tail := [COMMENT STRING] [PARTITIONED BY '(' ... ')'] [bucketing] [skew] [row format] [stored] [LOCATION
 * STRING] [TBLPROPERTIES properties] drop    := DROP (DATABASE | SCHEMA) [IF EXISTS] name [RESTRICT | CASCADE] | DROP
 * TABLE [IF EXISTS] table [PURGE] | DROP [MATERIALIZED] VIEW [IF EXISTS] table truncate := TRUNCATE [TABLE] table
 * [partition] [COLUMNS '(' names ')'] [FORCE]
 *
 * Source: hiveql.md 3.1 - 3.3, 3.6. */
#include "hiveql/parse_int.h"

static bool optional_text(skep_parser *p, skep_keyword keyword, const char **out) {
  if (!skep_p_accept_kw(p, keyword)) return true;
  *out = skep_p_string(p);
  return *out != NULL;
}

static bool optional_properties(skep_parser *p, skep_ast_property_list *out) {
  return !skep_p_accept_kw(p, SKEP_KW_TBLPROPERTIES) || skep_p_properties(p, true, out);
}

/* ---- databases ------------------------------------------------------------------------------------------------------
 */

static bool create_database(skep_parser *p, skep_statement *s) {
  skep_create_database d = {0};
  s->kind = SKEP_STMT_CREATE_DATABASE;
  p->context = "create database statement";
  if (!skep_p_if_not_exists(p, &d.if_not_exists)) return false;
  d.name = skep_p_name(p);
  if (d.name == NULL) return false;
  if (!optional_text(p, SKEP_KW_COMMENT, &d.comment) || !optional_text(p, SKEP_KW_LOCATION, &d.location) ||
      !optional_text(p, SKEP_KW_MANAGEDLOCATION, &d.managed_location)) {
    return false;
  }
  if (skep_p_accept_kw2(p, SKEP_KW_WITH, SKEP_KW_DBPROPERTIES) && !skep_p_properties(p, true, &d.properties)) {
    return false;
  }
  s->create_database = SKEP_P_NEW(p, d);
  return s->create_database != NULL;
}

static bool drop_database(skep_parser *p, skep_statement *s) {
  skep_drop_database d = {0};
  s->kind = SKEP_STMT_DROP_DATABASE;
  p->context = "drop database statement";
  if (!skep_p_if_exists(p, &d.if_exists)) return false;
  d.name = skep_p_name(p);
  if (d.name == NULL) return false;
  d.cascade = skep_p_accept_kw(p, SKEP_KW_CASCADE);
  if (!d.cascade) (void)skep_p_accept_kw(p, SKEP_KW_RESTRICT);
  s->drop_database = SKEP_P_NEW(p, d);
  return s->drop_database != NULL;
}

/* ---- tables ---------------------------------------------------------------------------------------------------------
 */

static bool at_table_constraint(const skep_parser *p) {
  switch (skep_p_keyword(p, 0)) {
    case SKEP_KW_CONSTRAINT:
    case SKEP_KW_PRIMARY:
    case SKEP_KW_FOREIGN:
    case SKEP_KW_UNIQUE:
      return true;
    case SKEP_KW_CHECK:
      return skep_p_kind(p, 1) == SKEP_TOKEN_LPAREN;
    default:
      return false;
  }
}

/* Columns and constraints may stand mixed; a list of each is made from two passes over what was read. */
typedef struct table_item {
  bool is_constraint;
  skep_column_def column;
  skep_ast_constraint constraint;
} table_item;

static bool split_items(skep_parser *p, const table_item *items, uint32_t n, skep_create_table *t) {
  size_t mark = skep_p_mark(p);
  for (uint32_t i = 0; i < n; i++) {
    if (!items[i].is_constraint && !skep_p_push(p, &items[i].column, sizeof items[i].column)) return false;
  }
  t->columns.items = skep_p_take(p, mark, sizeof *t->columns.items, &t->columns.n);
  for (uint32_t i = 0; i < n; i++) {
    if (items[i].is_constraint && !skep_p_push(p, &items[i].constraint, sizeof items[i].constraint)) return false;
  }
  t->constraints = skep_p_take(p, mark, sizeof *t->constraints, &t->n_constraints);
  return p->status == SKEP_OK;
}

static bool table_items(skep_parser *p, skep_create_table *t) {
  size_t mark = skep_p_mark(p);
  uint32_t n;
  t->has_columns = true;
  if (!skep_p_expect(p, SKEP_TOKEN_LPAREN)) return false;
  do {
    table_item item = {.is_constraint = at_table_constraint(p)};
    p->context = "column name or constraint";
    if (!(item.is_constraint ? skep_p_table_constraint(p, &item.constraint)
                             : skep_p_column_def(p, SKEP_P_COLUMN_FULL, &item.column)) ||
        !skep_p_push(p, &item, sizeof item)) {
      return false;
    }
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  const table_item *items = skep_p_take(p, mark, sizeof *items, &n);
  p->context = "create table statement";
  return skep_p_expect(p, SKEP_TOKEN_RPAREN) && split_items(p, items, n, t);
}

static bool partitioned_by(skep_parser *p, skep_column_list *out) {
  size_t mark = skep_p_mark(p);
  if (!skep_p_accept_kw(p, SKEP_KW_PARTITIONED)) return true;
  p->context = "partition specification";
  if (!skep_p_expect_kw(p, SKEP_KW_BY)) return false;
  if (skep_p_keyword(p, 0) == SKEP_KW_SPEC) {
    skep_p_refuse(p, SKEP_ERR_UNSUPPORTED, "PARTITIONED BY SPEC belongs to Iceberg tables, which are not supported");
    return false;
  }
  if (!skep_p_expect(p, SKEP_TOKEN_LPAREN)) return false;
  do {
    skep_column_def column;
    if (!skep_p_column_def(p, SKEP_P_COLUMN_ANY, &column) || !skep_p_push(p, &column, sizeof column)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  out->items = skep_p_take(p, mark, sizeof *out->items, &out->n);
  return skep_p_expect(p, SKEP_TOKEN_RPAREN);
}

static bool table_tail(skep_parser *p, skep_create_table *t) {
  p->context = "create table statement";
  if (!optional_text(p, SKEP_KW_COMMENT, &t->comment) || !partitioned_by(p, &t->partitioned_by)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_CLUSTERED) && !skep_p_bucketing(p, &t->bucketing)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_SKEWED) && !skep_p_skew(p, &t->skew)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_ROW) && !skep_p_row_format(p, &t->row_format)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_STORED) && !skep_p_stored(p, &t->file_format)) return false;
  p->context = "create table statement";
  return optional_text(p, SKEP_KW_LOCATION, &t->location) && optional_properties(p, &t->properties);
}

static bool like(skep_parser *p, skep_create_table *t) {
  t->is_like = true;
  if (skep_p_keyword(p, 0) != SKEP_KW_FILE || !skep_p_is_name(p, 1)) return skep_p_table_name(p, &t->like);
  skep_p_next(p);
  t->like_file_format = skep_p_name(p);
  if (t->like_file_format == NULL) return false;
  t->like_file = skep_p_string(p);
  return t->like_file != NULL;
}

/* Behind TABLE; the words before it are in t. */
static bool create_table(skep_parser *p, skep_create_table t, skep_statement *s) {
  s->kind = SKEP_STMT_CREATE_TABLE;
  p->context = "create table statement";
  if (!skep_p_if_not_exists(p, &t.if_not_exists) || !skep_p_table_name(p, &t.table)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_LIKE)) {
    if (!like(p, &t)) return false;
  } else if (skep_p_at(p, SKEP_TOKEN_LPAREN) && !table_items(p, &t)) {
    return false;
  }
  if (!table_tail(p, &t)) return false;
  p->context = "statement";
  if (skep_p_accept_kw(p, SKEP_KW_AS)) {
    t.as = skep_p_query(p);
    if (t.as == NULL) return false;
  }
  s->create_table = SKEP_P_NEW(p, t);
  return s->create_table != NULL;
}

/* ---- views ----------------------------------------------------------------------------------------------------------
 */

static bool view_columns(skep_parser *p, skep_column_list *out) {
  size_t mark = skep_p_mark(p);
  if (!skep_p_accept(p, SKEP_TOKEN_LPAREN)) return true;
  do {
    skep_column_def column;
    if (!skep_p_column_def(p, SKEP_P_COLUMN_NAME, &column) || !skep_p_push(p, &column, sizeof column)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  out->items = skep_p_take(p, mark, sizeof *out->items, &out->n);
  return skep_p_expect(p, SKEP_TOKEN_RPAREN);
}

static bool names_on(skep_parser *p, skep_keyword keyword, skep_name_list *out) {
  if (!skep_p_accept_kw(p, keyword)) return true;
  return skep_p_expect_kw(p, SKEP_KW_ON) && skep_p_paren_names(p, out);
}

static bool view_query(skep_parser *p, skep_create_view *v) {
  p->context = "statement";
  if (!skep_p_expect_kw(p, SKEP_KW_AS)) return false;
  size_t first = p->at;
  v->query = skep_p_query(p);
  if (v->query == NULL) return false;
  v->query_text = skep_p_source(p, first, p->at);
  return v->query_text != NULL;
}

static bool create_view(skep_parser *p, bool or_replace, skep_statement *s) {
  skep_create_view v = {.or_replace = or_replace};
  s->kind = SKEP_STMT_CREATE_VIEW;
  p->context = "create view statement";
  if (!skep_p_if_not_exists(p, &v.if_not_exists) || !skep_p_table_name(p, &v.view) || !view_columns(p, &v.columns)) {
    return false;
  }
  if (!optional_text(p, SKEP_KW_COMMENT, &v.comment) || !names_on(p, SKEP_KW_PARTITIONED, &v.partitioned_on) ||
      !optional_properties(p, &v.properties) || !view_query(p, &v)) {
    return false;
  }
  s->create_view = SKEP_P_NEW(p, v);
  return s->create_view != NULL;
}

static bool create_materialized_view(skep_parser *p, skep_statement *s) {
  skep_create_view v = {0};
  s->kind = SKEP_STMT_CREATE_MATERIALIZED_VIEW;
  p->context = "create materialized view statement";
  if (!skep_p_expect_kw(p, SKEP_KW_VIEW) || !skep_p_if_not_exists(p, &v.if_not_exists) ||
      !skep_p_table_name(p, &v.view)) {
    return false;
  }
  v.disable_rewrite = skep_p_accept_kw2(p, SKEP_KW_DISABLE, SKEP_KW_REWRITE);
  if (!optional_text(p, SKEP_KW_COMMENT, &v.comment) || !names_on(p, SKEP_KW_PARTITIONED, &v.partitioned_on) ||
      !names_on(p, SKEP_KW_CLUSTERED, &v.clustered_on) || !names_on(p, SKEP_KW_DISTRIBUTED, &v.distributed_on) ||
      !names_on(p, SKEP_KW_SORTED, &v.sorted_on)) {
    return false;
  }
  if (skep_p_accept_kw(p, SKEP_KW_ROW) && !skep_p_row_format(p, &v.row_format)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_STORED) && !skep_p_stored(p, &v.file_format)) return false;
  if (!optional_text(p, SKEP_KW_LOCATION, &v.location) || !optional_properties(p, &v.properties) ||
      !view_query(p, &v)) {
    return false;
  }
  s->create_view = SKEP_P_NEW(p, v);
  return s->create_view != NULL;
}

/* ---- CREATE, DROP, TRUNCATE
 * ------------------------------------------------------------------------------------------ */

/* CREATE and DROP of things that are known by name only: behind the first word, the name starts at the cursor. */
static bool other_object(skep_parser *p, bool create, skep_statement *s) {
  static const struct {
    skep_keyword keyword;
    const char *create, *drop;
  } objects[] = {
      {SKEP_KW_FUNCTION, "CREATE FUNCTION", "DROP FUNCTION"},
      {SKEP_KW_MACRO, "CREATE TEMPORARY MACRO", "DROP TEMPORARY MACRO"},
      {SKEP_KW_ROLE, "CREATE ROLE", "DROP ROLE"},
      {SKEP_KW_RESOURCE, "CREATE RESOURCE PLAN", "DROP RESOURCE PLAN"},
      {SKEP_KW_POOL, "CREATE POOL", "DROP POOL"},
      {SKEP_KW_TRIGGER, "CREATE TRIGGER", "DROP TRIGGER"},
      {SKEP_KW_SCHEDULED, "CREATE SCHEDULED QUERY", "DROP SCHEDULED QUERY"},
      {SKEP_KW_CONNECTOR, "CREATE CONNECTOR", "DROP CONNECTOR"},
      {SKEP_KW_REMOTE, "CREATE REMOTE DATABASE", "DROP REMOTE DATABASE"},
      {SKEP_KW_USER, "CREATE USER MAPPING", "DROP USER MAPPING"},
  };
  for (size_t i = 0; i < sizeof objects / sizeof objects[0]; i++) {
    if (skep_p_keyword(p, 0) == objects[i].keyword) {
      return skep_p_other(p, s, create ? objects[i].create : objects[i].drop);
    }
  }
  p->context = "ddl statement";
  skep_p_syntax(p);
  return false;
}

bool skep_p_create(skep_parser *p, skep_statement *s) {
  skep_create_table t = {0};
  if (skep_p_accept_kw(p, SKEP_KW_DATABASE) || skep_p_accept_kw(p, SKEP_KW_SCHEMA)) return create_database(p, s);
  if (skep_p_accept_kw2(p, SKEP_KW_OR, SKEP_KW_REPLACE)) {
    p->context = "create view statement";
    return skep_p_expect_kw(p, SKEP_KW_VIEW) && create_view(p, true, s);
  }
  if (skep_p_accept_kw(p, SKEP_KW_VIEW)) return create_view(p, false, s);
  if (skep_p_accept_kw(p, SKEP_KW_MATERIALIZED)) return create_materialized_view(p, s);
  t.temporary = skep_p_accept_kw(p, SKEP_KW_TEMPORARY);
  t.transactional = skep_p_accept_kw(p, SKEP_KW_TRANSACTIONAL);
  t.external = skep_p_accept_kw(p, SKEP_KW_EXTERNAL);
  if (!t.external) t.managed = skep_p_accept_kw(p, SKEP_KW_MANAGED);
  if (skep_p_accept_kw(p, SKEP_KW_TABLE)) return create_table(p, t, s);
  if (t.transactional || t.external || t.managed) {
    skep_p_syntax(p);
    return false;
  }
  return other_object(p, true, s);
}

static bool drop_object(skep_parser *p, skep_statement_kind kind, skep_statement *s) {
  skep_drop d = {0};
  s->kind = kind;
  p->context = "drop statement";
  if (!skep_p_if_exists(p, &d.if_exists) || !skep_p_table_name(p, &d.table)) return false;
  if (kind == SKEP_STMT_DROP_TABLE) d.purge = skep_p_accept_kw(p, SKEP_KW_PURGE);
  s->drop = SKEP_P_NEW(p, d);
  return s->drop != NULL;
}

bool skep_p_drop(skep_parser *p, skep_statement *s) {
  if (skep_p_accept_kw(p, SKEP_KW_DATABASE) || skep_p_accept_kw(p, SKEP_KW_SCHEMA)) return drop_database(p, s);
  if (skep_p_accept_kw(p, SKEP_KW_TABLE)) return drop_object(p, SKEP_STMT_DROP_TABLE, s);
  if (skep_p_accept_kw(p, SKEP_KW_VIEW)) return drop_object(p, SKEP_STMT_DROP_VIEW, s);
  if (skep_p_accept_kw2(p, SKEP_KW_MATERIALIZED, SKEP_KW_VIEW)) {
    return drop_object(p, SKEP_STMT_DROP_MATERIALIZED_VIEW, s);
  }
  (void)skep_p_accept_kw(p, SKEP_KW_TEMPORARY);
  return other_object(p, false, s);
}

bool skep_p_truncate(skep_parser *p, skep_statement *s) {
  skep_truncate t = {0};
  s->kind = SKEP_STMT_TRUNCATE;
  p->context = "truncate statement";
  (void)skep_p_accept_kw(p, SKEP_KW_TABLE);
  if (!skep_p_table_name(p, &t.table) || !skep_p_optional_partition(p, &t.partition)) return false;
  if (skep_p_accept_kw(p, SKEP_KW_COLUMNS) && !skep_p_paren_names(p, &t.columns)) return false;
  t.force = skep_p_accept_kw(p, SKEP_KW_FORCE);
  s->truncate = SKEP_P_NEW(p, t);
  return s->truncate != NULL;
}
