/* ALTER TABLE ADD, REPLACE, CHANGE COLUMNS, with the changes of types that Hive lets pass.
 *
 * Source: Hive ColumnType.areColTypesCompatible; wordings, order of the checks and what takes a write id: seen
 * in 4.0.1. */
#include <string.h>

#include "sql/ddl_int.h"

/* ---- types ---- */

static bool is_text(skep_kind kind) { return kind == SKEP_STRING || kind == SKEP_CHAR || kind == SKEP_VARCHAR; }
static bool is_time(skep_kind kind) { return kind == SKEP_DATE || kind == SKEP_TIMESTAMP || kind == SKEP_TIMESTAMP_TZ; }

/* The order in which numbers widen: decimal stands below float. 0: no number. */
static int number_rank(skep_kind kind) {
  switch (kind) {
    case SKEP_TINYINT:
      return 1;
    case SKEP_SMALLINT:
      return 2;
    case SKEP_INT:
      return 3;
    case SKEP_BIGINT:
      return 4;
    case SKEP_DECIMAL:
      return 5;
    case SKEP_FLOAT:
      return 6;
    case SKEP_DOUBLE:
      return 7;
    default:
      return 0;
  }
}

static bool compatible(const skep_type *from, const skep_type *to) {
  if (from->kind == to->kind) return true; /* lengths and inner types are not looked at */
  int a = number_rank(from->kind), b = number_rank(to->kind);
  if (a != 0 && b != 0) return a < b;
  if (is_text(to->kind)) return a != 0 || is_text(from->kind) || is_time(from->kind);
  return is_text(from->kind) && to->kind == SKEP_DOUBLE;
}

static skep_status check_types(skep_session *s, const skep_type *was, const skep_type *now, skep_err *err) {
  if (!skep_session_bool(s, "metastore.disallow.incompatible.col.type.changes", true)) return SKEP_OK;
  skep_buf names;
  skep_buf_init(&names, s->ctx, 1 << 16);
  for (uint32_t i = 0; i < was->n_children && i < now->n_children; i++)
    if (!compatible(was->children[i], now->children[i]))
      skep_buf_printf(&names, "%s%s", names.size == 0 ? "" : ",", ddl_quote(s, now->names[i]));
  skep_status st = SKEP_OK;
  if (names.size > 0)
    st = ddl_task_fail(err, 40013,
                       "Unable to alter table. The following columns have types incompatible with the existing columns "
                       "in their respective positions :\n%s",
                       skep_buf_string(&names));
  skep_buf_fini(&names);
  return st;
}

/* ---- lists of columns ---- */

typedef struct columns {
  const skep_type **children;
  const char **names;
  const char **comments;
  uint32_t n;
} columns;

static skep_status columns_new(skep_session *s, const skep_catalog_table *t, uint32_t room, columns *out,
                               skep_err *err) {
  uint32_t n = t->columns->n_children;
  *out = (columns){.children = skep_arena_zero(&s->arena, n + room + 1, sizeof *out->children),
                   .names = skep_arena_zero(&s->arena, n + room + 1, sizeof *out->names),
                   .comments = skep_arena_zero(&s->arena, n + room + 1, sizeof *out->comments)};
  if (out->children == NULL || out->names == NULL || out->comments == NULL) return ddl_nomem(err);
  return SKEP_OK;
}

static void columns_add(columns *c, const skep_type *type, const char *name, const char *comment) {
  c->children[c->n] = type;
  c->names[c->n] = name;
  c->comments[c->n++] = comment;
}

static void columns_add_all(columns *c, const skep_catalog_table *t) {
  for (uint32_t i = 0; i < t->columns->n_children; i++)
    columns_add(c, t->columns->children[i], t->columns->names[i], t->column_comments[i]);
}

static bool columns_have(const columns *c, const char *name) {
  for (uint32_t i = 0; i < c->n; i++)
    if (strcmp(c->names[i], name) == 0) return true;
  return false;
}

static skep_status store(skep_session *s, ddl_alter *a, const columns *c, skep_err *err) {
  const skep_type like = {.kind = SKEP_STRUCT};
  SKEP_TRY(skep_type_make(&s->arena, &like, c->children, c->names, c->n, &a->now->columns, err));
  a->now->column_comments = c->comments;
  SKEP_TRY(check_types(s, a->was->columns, a->now->columns, err));
  if (a->ast->cascade != SKEP_ON && a->write_id != 0) a->now->write_id = a->write_id;
  a->is_changed = true;
  return ddl_touch(s, &a->now->params, true, err);
}

static skep_status check_new(skep_session *s, const ddl_alter *a, const columns *c, const skep_column_def *def,
                             skep_err *err) {
  if (columns_have(c, def->name))
    return ddl_task_fail(err, 10036, "Duplicate column name: %s", ddl_quote(s, def->name));
  if (skep_type_child(a->was->partition_keys, def->name, strlen(def->name), true) >= 0)
    return ddl_task_fail(err, 40000, "Partition column name %s conflicts with table columns.", ddl_quote(s, def->name));
  return SKEP_OK;
}

static skep_status add_columns(skep_session *s, ddl_alter *a, skep_err *err) {
  columns c;
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  SKEP_TRY(columns_new(s, a->was, a->ast->columns.n, &c, err));
  columns_add_all(&c, a->was);
  for (uint32_t i = 0; i < a->ast->columns.n; i++) {
    const skep_column_def *def = &a->ast->columns.items[i];
    SKEP_TRY(check_new(s, a, &c, def, err));
    columns_add(&c, def->type, def->name, def->comment);
  }
  return store(s, a, &c, err);
}

static skep_status replace_columns(skep_session *s, ddl_alter *a, skep_err *err) {
  columns c;
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  if (a->ast->columns.n < a->was->columns->n_children)
    return ddl_task_fail(err, 10313, "Replacing columns cannot drop columns for table %s. SerDe may be incompatible",
                         ddl_name(s, a->was));
  SKEP_TRY(columns_new(s, a->was, a->ast->columns.n, &c, err));
  for (uint32_t i = 0; i < a->ast->columns.n; i++) {
    const skep_column_def *def = &a->ast->columns.items[i];
    SKEP_TRY(check_new(s, a, &c, def, err));
    columns_add(&c, def->type, def->name, def->comment);
  }
  return store(s, a, &c, err);
}

static skep_status change_column(skep_session *s, ddl_alter *a, skep_err *err) {
  const skep_column_def *def = &a->ast->columns.items[0];
  const char *old = a->ast->column;
  columns c;
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  if (a->ast->first || a->ast->after != NULL)
    return ddl_task_fail(err, 10311, "Reordering columns is not supported for table %s. SerDe may be incompatible",
                         ddl_name(s, a->was));
  SKEP_TRY(columns_new(s, a->was, 0, &c, err));
  columns_add_all(&c, a->was);
  if (strcmp(old, def->name) != 0 && columns_have(&c, def->name))
    return ddl_task_fail(err, 10036, "Duplicate column name: %s", ddl_quote(s, def->name));
  int64_t at = skep_type_child(a->was->columns, old, strlen(old), true);
  if (at < 0) return ddl_task_fail(err, 10002, "Invalid column reference %s", ddl_quote(s, old));
  if (skep_type_child(a->was->partition_keys, def->name, strlen(def->name), true) >= 0)
    return ddl_task_fail(err, 40000, "Partition column name %s conflicts with table columns.", ddl_quote(s, def->name));
  c.children[at] = def->type;
  c.names[at] = def->name;
  if (def->comment != NULL) c.comments[at] = def->comment;
  SKEP_TRY(store(s, a, &c, err));
  if (def->constraint == NULL) return SKEP_OK;
  return ddl_add_constraint(s, a->statement, def->constraint, def->name, a->now, err);
}

/* Partitions get the new descriptor: it exists once the table's row is written, so that is done here. */
static skep_status cascade(skep_session *s, ddl_alter *a, skep_err *err) {
  skep_catalog_table *stored;
  SKEP_TRY(skep_catalog_alter_table(s->catalog, a->was, a->now, err));
  a->is_changed = false;
  SKEP_TRY(skep_catalog_get_table(s->catalog, &s->arena, a->now->db, a->now->name, &stored, err));
  return skep_catalog_cascade_columns(s->catalog, stored, err);
}

skep_status ddl_alter_columns(skep_session *s, ddl_alter *a, skep_err *err) {
  if (a->ast->partition.n > 0)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "columns of a single partition are not supported yet: use CASCADE");
  switch (a->ast->kind) {
    case SKEP_ALTER_ADD_COLUMNS:
      SKEP_TRY(add_columns(s, a, err));
      break;
    case SKEP_ALTER_REPLACE_COLUMNS:
      SKEP_TRY(replace_columns(s, a, err));
      break;
    case SKEP_ALTER_CHANGE_COLUMN:
      SKEP_TRY(change_column(s, a, err));
      break;
    default:
      return skep_fail(err, SKEP_ERR_UNSUPPORTED, "ALTER TABLE UPDATE COLUMNS is not supported yet");
  }
  return a->ast->cascade == SKEP_ON && skep_table_is_partitioned(a->was) ? cascade(s, a, err) : SKEP_OK;
}
