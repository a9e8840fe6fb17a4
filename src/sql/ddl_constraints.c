/* Constraints of CREATE TABLE and ALTER TABLE: Hive's checks, and CHECK texts as Hive stores them (columns
 * back-quoted).
 *
 * Source: hiveql 3.2; wordings, flags and texts seen in 4.0.1. */
#include <string.h>

#include "bind/bind.h"
#include "sql/ddl_int.h"

static skep_status syntax_fail(const skep_ast_constraint *c, skep_err *err, const char *text) {
  if (c->kind == SKEP_AST_FOREIGN_KEY) return ddl_semantic_fail(err, 10325, "Invalid Foreign Key syntax %s", text);
  return ddl_semantic_fail(err, 10326, "Invalid Constraint syntax %s", text);
}

static bool is_informational(skep_ast_constraint_kind kind) {
  return kind == SKEP_AST_PRIMARY_KEY || kind == SKEP_AST_UNIQUE || kind == SKEP_AST_FOREIGN_KEY;
}

static skep_status check_switches(const skep_ast_constraint *c, bool external, skep_err *err) {
  if (is_informational(c->kind) && c->enable != SKEP_OFF)
    return syntax_fail(c, err, "ENABLE/ENFORCED feature not supported yet. Please use DISABLE/NOT ENFORCED instead.");
  if (c->validate == SKEP_ON)
    return syntax_fail(c, err, "VALIDATE feature not supported yet. Please use NOVALIDATE instead.");
  if (external && c->enable != SKEP_OFF)
    return syntax_fail(c, err, "Constraints are disallowed with External tables. Only RELY is allowed.");
  return SKEP_OK;
}

static skep_binder binder_of(skep_session *s) {
  return (skep_binder){
      .arena = &s->arena, .current_db = s->current_db, .user = s->user, .now_ms = s->ctx->clock_ms(s->ctx->clock_self)};
}

/* ---- CHECK ---- */

typedef struct rewriting {
  skep_session *s;
  const skep_statement *statement;
  const char *text; /* of the expression, as written */
  size_t start;     /* where it begins in the statement */
  size_t copied;    /* up to here, in the statement */
  skep_buf out;
} rewriting;

/* Copies the text with each column name in back-quotes; names come in order of writing. */
static bool quote_names(void *self, const skep_expr *e) {
  rewriting *r = self;
  if (e->kind != SKEP_EXPR_NAME || e->name.n != 1) return skep_expr_each_child(e, quote_names, self);
  size_t at = e->pos.offset, end = r->start + strlen(r->text);
  if (at < r->copied || at + e->pos.length > end) return true;
  skep_buf_add(&r->out, r->text + (r->copied - r->start), at - r->copied);
  const char *written = r->text + (at - r->start);
  bool quoted = written[0] == '`';
  skep_buf_printf(&r->out, "%s%.*s%s", quoted ? "" : "`", (int)e->pos.length, written, quoted ? "" : "`");
  r->copied = at + e->pos.length;
  return true;
}

/* `n` > 0 AND `n` < 100, from what was written. */
static skep_status check_text(skep_session *s, const skep_statement *statement, const skep_ast_constraint *c,
                              const char **out, skep_err *err) {
  *out = c->expr_text;
  const skep_pos *pos = &c->expr->pos;
  if (statement->text == NULL || (size_t)pos->offset + pos->length > statement->text_length) return SKEP_OK;
  const char *slice = skep_arena_strndup(&s->arena, statement->text + pos->offset, pos->length);
  if (slice == NULL) return ddl_nomem(err);
  const char *inside = strstr(c->expr_text, slice); /* further on when the text has more parentheses */
  if (inside == NULL) return SKEP_OK;
  rewriting r = {.s = s, .statement = statement, .text = c->expr_text};
  r.start = r.copied = pos->offset - (size_t)(inside - c->expr_text);
  skep_buf_init(&r.out, s->ctx, 1 << 20);
  quote_names(&r, c->expr);
  skep_buf_text(&r.out, r.text + (r.copied - r.start));
  skep_status st = skep_buf_check(&r.out, "a CHECK expression", err);
  if (st == SKEP_OK && (*out = skep_buf_copy(&r.out, &s->arena)) == NULL) st = ddl_nomem(err);
  skep_buf_fini(&r.out);
  return st;
}

static bool no_sub_query(void *self, const skep_expr *e) {
  bool query = e->kind == SKEP_EXPR_IN_QUERY || e->kind == SKEP_EXPR_EXISTS || e->kind == SKEP_EXPR_SCALAR_QUERY ||
               e->kind == SKEP_EXPR_QUANTIFIED;
  return !query && skep_expr_each_child(e, no_sub_query, self);
}

static skep_status check_expression(skep_session *s, const skep_statement *statement, const skep_ast_constraint *c,
                                    const skep_type *columns, const char **text, skep_err *err) {
  SKEP_TRY(check_text(s, statement, c, text, err));
  if (strlen(*text) > 255) return syntax_fail(c, err, "Maximum length for CHECK expression allowed is 255");
  if (!no_sub_query(NULL, c->expr))
    return ddl_semantic_fail(err, 10326,
                             "Invalid Constraint syntax Invalid CHECK constraint expression: %s. Invalid Constraint "
                             "syntax Subqueries are not allowed in Check Constraints",
                             ddl_quote(s, *text));
  const skep_binder binder = binder_of(s);
  const skep_bx *bound;
  skep_err why = {0};
  skep_status st = skep_bind_expr(&binder, c->expr, columns, NULL, &bound, &why);
  if (st == SKEP_ERR_SEMANTIC) {
    const char *message = ddl_join(s, "Invalid CHECK constraint expression: ", *text, ". ");
    if (message == NULL) return ddl_nomem(err);
    return ddl_semantic_fail(err, 10326, "Invalid Constraint syntax %s%s", ddl_quote(s, message), why.text);
  }
  if (st != SKEP_OK) return skep_fail(err, st, "%s", why.text);
  if (bound->type->kind == SKEP_BOOLEAN) return SKEP_OK;
  skep_buf type;
  skep_buf_init(&type, s->ctx, 1 << 16);
  skep_bound_type_name(bound->type, &type);
  const char *shown = ddl_quote(s, *text);
  st = ddl_semantic_fail(err, 10326,
                         "Invalid Constraint syntax Invalid CHECK constraint expression: %s. Invalid Constraint syntax "
                         "Only boolean type is supported for CHECK constraint: %s. Found: %s",
                         shown, shown, skep_buf_string(&type));
  skep_buf_fini(&type);
  return st;
}

/* ---- DEFAULT ---- */

static bool is_string(skep_kind kind) { return kind == SKEP_STRING || kind == SKEP_CHAR || kind == SKEP_VARCHAR; }

/* Exactly the column's type; strings of any length; NULL. */
static bool fits(const skep_type *value, const skep_type *column) {
  if (value->kind == SKEP_KIND_VOID || skep_type_equal(value, column)) return true;
  return is_string(value->kind) && is_string(column->kind);
}

static skep_status check_default(skep_session *s, const skep_ast_constraint *c, const skep_type *column,
                                 skep_err *err) {
  if (strlen(c->expr_text) > 255) return syntax_fail(c, err, "Maximum length for DEFAULT value allowed is 255");
  if (skep_kind_is_nested(column->kind)) return syntax_fail(c, err, "Default type should be one of primitive types");
  const skep_binder binder = binder_of(s);
  const skep_bx *bound;
  SKEP_TRY(skep_bind_expr(&binder, c->expr, NULL, NULL, &bound, err));
  if (fits(bound->type, column)) return SKEP_OK;
  skep_buf a, b;
  skep_buf_init(&a, s->ctx, 1 << 16);
  skep_buf_init(&b, s->ctx, 1 << 16);
  skep_bound_type_name(bound->type, &a);
  skep_bound_type_name(column, &b);
  skep_status st = ddl_semantic_fail(err, 10326,
                                     "Invalid Constraint syntax Invalid type: %s for default value: %s. Please make "
                                     "sure that the type is compatible with column type: %s",
                                     skep_buf_string(&a), ddl_quote(s, c->expr_text), skep_buf_string(&b));
  skep_buf_fini(&a);
  skep_buf_fini(&b);
  return st;
}

/* ---- from tree to catalog ---- */

static const skep_constraint_kind kinds[] = {
    [SKEP_AST_NOT_NULL] = SKEP_CONSTRAINT_NOT_NULL, [SKEP_AST_DEFAULT] = SKEP_CONSTRAINT_DEFAULT,
    [SKEP_AST_CHECK] = SKEP_CONSTRAINT_CHECK,       [SKEP_AST_PRIMARY_KEY] = SKEP_CONSTRAINT_PRIMARY_KEY,
    [SKEP_AST_UNIQUE] = SKEP_CONSTRAINT_UNIQUE,     [SKEP_AST_FOREIGN_KEY] = SKEP_CONSTRAINT_FOREIGN_KEY};

static skep_status find_columns(skep_session *s, const skep_ast_constraint *c, const char *column,
                                const skep_catalog_table *t, skep_catalog_constraint *out, skep_err *err) {
  uint32_t n = column != NULL ? 1 : c->columns.n;
  int32_t *columns = skep_arena_zero(&s->arena, n + 1, sizeof *columns);
  if (columns == NULL) return ddl_nomem(err);
  for (uint32_t i = 0; i < n; i++) {
    const char *name = column != NULL ? column : c->columns.items[i];
    int64_t at = skep_type_child(t->columns, name, strlen(name), true);
    if (at < 0) {
      at = skep_type_child(t->partition_keys, name, strlen(name), true);
      if (at < 0 || !is_informational(c->kind))
        return at < 0 ? ddl_task_fail(err, 40000, "InvalidObjectException(message:Parent column not found: %s)",
                                      ddl_quote(s, name))
                      : syntax_fail(c, err,
                                    "NOT NULL,DEFAULT and CHECK Constraints are not allowed with partition columns. ");
      at += t->columns->n_children;
    }
    columns[i] = (int32_t)at;
  }
  out->columns = columns;
  out->n_columns = n;
  return SKEP_OK;
}

static skep_status set_parent(skep_session *s, const skep_ast_constraint *c, const skep_catalog_table *t,
                              skep_catalog_constraint *out, skep_err *err) {
  out->parent_db = c->ref_table.db == NULL ? s->current_db : c->ref_table.db;
  out->parent_table = c->ref_table.name;
  out->parent_columns = c->ref_columns.items;
  (void)t;
  if (c->ref_columns.n != out->n_columns)
    return ddl_semantic_fail(err, 10325,
                             "Invalid Foreign Key syntax The number of foreign key columns should be same as "
                             "number of parent key columns");
  return SKEP_OK;
}

/* column: of a constraint at a column's definition; NULL: the table's. */
static skep_status convert(skep_session *s, const skep_statement *statement, const skep_ast_constraint *c,
                           const char *column, const skep_catalog_table *t, bool external, skep_catalog_constraint *out,
                           skep_err *err) {
  SKEP_TRY(check_switches(c, external, err));
  *out = (skep_catalog_constraint){.kind = kinds[c->kind], .name = c->name};
  out->enable = c->enable != SKEP_OFF;
  out->rely = c->rely == SKEP_ON || (c->rely == SKEP_UNSAID && out->enable);
  SKEP_TRY(find_columns(s, c, column, t, out, err));
  switch (c->kind) {
    case SKEP_AST_CHECK:
      return check_expression(s, statement, c, t->columns, &out->text, err);
    case SKEP_AST_DEFAULT:
      out->text = c->expr_text;
      return check_default(s, c, t->columns->children[out->columns[0]], err);
    case SKEP_AST_FOREIGN_KEY:
      return set_parent(s, c, t, out, err);
    default:
      return SKEP_OK;
  }
}

static skep_status check_keys(skep_session *s, const skep_catalog_constraint *all, uint32_t n, skep_err *err) {
  uint32_t primary = 0;
  for (uint32_t i = 0; i < n; i++) {
    primary += all[i].kind == SKEP_CONSTRAINT_PRIMARY_KEY;
    for (uint32_t k = 0; k < i; k++)
      if (all[i].name != NULL && skep_same_text(all[i].name, all[k].name))
        return ddl_task_fail(err, 40000, "InvalidObjectException(message:Constraint name already exists: %s)",
                             ddl_quote(s, all[i].name));
  }
  if (primary > 1)
    return ddl_semantic_fail(err, 10332,
                             "Invalid constraint definition Cannot exist more than one primary key definition for the "
                             "same table");
  return SKEP_OK;
}

skep_status ddl_constraints(skep_session *s, const skep_statement *statement, const skep_create_table *create,
                            skep_catalog_table *t, skep_err *err) {
  uint32_t n = 0, most = create->columns.n + create->n_constraints;
  skep_catalog_constraint *all = skep_arena_zero(&s->arena, most + 1, sizeof *all);
  if (all == NULL) return ddl_nomem(err);
  for (uint32_t i = 0; i < create->partitioned_by.n; i++) {
    const skep_ast_constraint *c = create->partitioned_by.items[i].constraint;
    if (c != NULL && !is_informational(c->kind))
      return syntax_fail(c, err, "NOT NULL,DEFAULT and CHECK Constraints are not allowed with partition columns. ");
  }
  for (uint32_t i = 0; i < create->columns.n; i++) {
    const skep_column_def *def = &create->columns.items[i];
    if (def->constraint == NULL) continue;
    SKEP_TRY(convert(s, statement, def->constraint, def->name, t, create->external, &all[n++], err));
  }
  for (uint32_t i = 0; i < create->n_constraints; i++)
    SKEP_TRY(convert(s, statement, &create->constraints[i], NULL, t, create->external, &all[n++], err));
  SKEP_TRY(check_keys(s, all, n, err));
  t->constraints = all;
  t->n_constraints = n;
  return SKEP_OK;
}

skep_status ddl_add_constraint(skep_session *s, const skep_statement *statement, const skep_ast_constraint *c,
                               const char *column, skep_catalog_table *t, skep_err *err) {
  skep_catalog_constraint *all = skep_arena_zero(&s->arena, t->n_constraints + 1, sizeof *all);
  if (all == NULL) return ddl_nomem(err);
  for (uint32_t i = 0; i < t->n_constraints; i++) all[i] = t->constraints[i];
  bool external = strcmp(t->type, "EXTERNAL_TABLE") == 0;
  SKEP_TRY(convert(s, statement, c, column, t, external, &all[t->n_constraints], err));
  for (uint32_t i = 0; c->kind == SKEP_AST_PRIMARY_KEY && i < t->n_constraints; i++)
    if (all[i].kind == SKEP_CONSTRAINT_PRIMARY_KEY)
      return ddl_task_fail(err, 40000, "MetaException(message: Primary key already exists for: hive.%s)",
                           ddl_name(s, t));
  SKEP_TRY(check_keys(s, all, t->n_constraints + 1, err));
  t->constraints = all;
  t->n_constraints++;
  return SKEP_OK;
}
