/* DDL: the dispatcher, databases, DROP TABLE, and what the other files of DDL share. */
#include "sql/ddl.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sql/column_stats.h"
#include "sql/ddl_int.h"
#include "sql/rollback.h"
#include "sql/transaction.h"

/* ---- Hive's words ---- */

skep_status ddl_task_fail(skep_err *err, int code, const char *format, ...) {
  char text[900];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  return skep_fail(err, SKEP_ERR_SEMANTIC,
                   "Execution Error, return code %d from org.apache.hadoop.hive.ql.ddl.DDLTask. %s", code, text);
}

skep_status ddl_semantic_fail(skep_err *err, int code, const char *format, ...) {
  char text[900];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (code == 0) return skep_fail(err, SKEP_ERR_SEMANTIC, "SemanticException %s", text);
  return skep_fail(err, SKEP_ERR_SEMANTIC, "SemanticException [Error %d]: %s", code, text);
}

skep_status ddl_nomem(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "a statement: out of memory"); }

const char *ddl_quote(skep_session *s, const char *text) {
  size_t length = strlen(text), size = length > 200 ? 400 : length * 4 + 8;
  char *out = skep_arena_alloc(&s->arena, size);
  return out == NULL ? "?" : skep_quote(out, size, text, length);
}

const char *ddl_name(skep_session *s, const skep_catalog_table *t) {
  const char *name = ddl_join(s, t->db, ".", t->name);
  return name == NULL ? "?" : ddl_quote(s, name);
}

bool ddl_same_word(const char *a, const char *b) {
  for (; *a != '\0' && *b != '\0'; a++, b++) {
    char x = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a;
    char y = *b >= 'A' && *b <= 'Z' ? (char)(*b - 'A' + 'a') : *b;
    if (x != y) return false;
  }
  return *a == *b;
}

const char *ddl_join(skep_session *s, const char *a, const char *b, const char *c) {
  return skep_arena_join(&s->arena, a, b, c);
}

const char *ddl_number(skep_session *s, int64_t value) {
  char text[32];
  int n = snprintf(text, sizeof text, "%lld", (long long)value);
  return skep_arena_strndup(&s->arena, text, (size_t)n);
}

const char *ddl_type(skep_session *s, const skep_type *type) {
  skep_buf buf;
  skep_buf_init(&buf, s->ctx, 1 << 20);
  skep_type_print(type, &buf);
  const char *out = skep_buf_copy(&buf, &s->arena);
  skep_buf_fini(&buf);
  return out == NULL ? "?" : out;
}

/* ---- names ---- */

const char *ddl_db_of(const skep_session *s, const skep_table_name *name) {
  return name->db == NULL ? s->current_db : name->db;
}

skep_status ddl_find_table(skep_session *s, const skep_table_name *name, bool as_written, skep_catalog_table **out,
                           skep_err *err) {
  *out = NULL;
  if (name->meta != NULL)
    return ddl_semantic_fail(err, 10431, "Meta table references are not supported: %s", ddl_quote(s, name->meta));
  skep_status st = skep_catalog_get_table(s->catalog, &s->arena, ddl_db_of(s, name), name->name, out, err);
  if (st != SKEP_ERR_NOT_FOUND) return st;
  if (as_written && name->db == NULL)
    return ddl_semantic_fail(err, 10001, "Table not found %s", ddl_quote(s, name->name));
  return ddl_semantic_fail(err, 10001, "Table not found %s.%s", ddl_quote(s, ddl_db_of(s, name)),
                           ddl_quote(s, name->name));
}

skep_status ddl_find_database(skep_session *s, const char *name, const skep_catalog_db **out, skep_err *err) {
  skep_status st = skep_catalog_get_database(s->catalog, &s->arena, name, out, err);
  if (st != SKEP_ERR_NOT_FOUND) return st;
  return ddl_semantic_fail(err, 10072, "Database does not exist: %s", ddl_quote(s, name));
}

/* ---- transactions ---- */

skep_status ddl_in_transaction(skep_session *s, skep_db_mode mode, ddl_body *run, void *self, skep_err *err) {
  SKEP_TRY(skep_db_begin(s->db, mode, err));
  return skep_db_end(s->db, false, run(s, self, err), err);
}

skep_status ddl_take_write_id(skep_session *s, const char *db, const char *table, int64_t *out, skep_err *err) {
  const skep_txn_conf conf = {.user = s->user, .host = s->host};
  int64_t txn;
  uint32_t n;
  SKEP_TRY(skep_rollback_check(s, err));
  SKEP_TRY(skep_txn_open(s->db, &conf, SKEP_TXN_DEFAULT, 1, &txn, &n, err));
  SKEP_TRY(skep_txn_allocate_write_ids(s->db, &txn, 1, db, table, out, err));
  return skep_txn_commit(s->db, txn, NULL, 0, NULL, NULL, err);
}

/* ---- properties ---- */

skep_status ddl_set_param(skep_session *s, skep_catalog_params *params, const char *key, const char *value,
                          skep_err *err) {
  return skep_catalog_param_set(&s->arena, params, key, value, err);
}

skep_status ddl_touch(skep_session *s, skep_catalog_params *params, bool modified, skep_err *err) {
  int64_t now_ms;
  SKEP_TRY(skep_db_now_ms(s->db, &now_ms, err));
  const char *now = ddl_number(s, now_ms / 1000);
  if (now == NULL) return ddl_nomem(err);
  SKEP_TRY(ddl_set_param(s, params, "transient_lastDdlTime", now, err));
  if (!modified) return SKEP_OK;
  SKEP_TRY(ddl_set_param(s, params, "last_modified_by", s->user, err));
  return ddl_set_param(s, params, "last_modified_time", now, err);
}

skep_status ddl_empty_stats(skep_session *s, const skep_type *columns, skep_catalog_params *params, skep_err *err) {
  const char *accurate = skep_stats_accurate(s, columns, NULL, NULL);
  if (accurate == NULL) return ddl_nomem(err);
  SKEP_TRY(ddl_set_param(s, params, "COLUMN_STATS_ACCURATE", accurate, err));
  static const char *const zeroes[] = {"numFiles", "numFilesErasureCoded", "numRows", "rawDataSize", "totalSize"};
  for (size_t i = 0; i < sizeof zeroes / sizeof zeroes[0]; i++) SKEP_TRY(ddl_set_param(s, params, zeroes[i], "0", err));
  return SKEP_OK;
}

/* ---- files ---- */

skep_status ddl_make_directory(skep_session *s, const char *location, bool *made, skep_err *err) {
  const char *path;
  skep_stat stat;
  SKEP_TRY(skep_catalog_path(location, &path, err));
  skep_status st = skep_fs_stat(s->fs, path, &stat, err);
  if (made != NULL) *made = st == SKEP_ERR_NOT_FOUND;
  if (st == SKEP_OK) {
    if (stat.kind == SKEP_ENTRY_DIR) return SKEP_OK;
    return skep_fail(err, SKEP_ERR_EXISTS, "%s is there and no directory", ddl_quote(s, path));
  }
  if (st != SKEP_ERR_NOT_FOUND) return st;
  SKEP_TRY(skep_fs_mkdirs(s->fs, path, err));
  const char *slash = strrchr(path, '/');
  const char *parent =
      slash == NULL || slash == path ? "/" : skep_arena_strndup(&s->arena, path, (size_t)(slash - path));
  if (parent == NULL) return ddl_nomem(err);
  return skep_fs_sync_dir(s->fs, parent, err);
}

void ddl_remove_empty(skep_session *s, const char *location) {
  const char *path;
  if (location == NULL || skep_catalog_path(location, &path, NULL) != SKEP_OK) return;
  skep_status ignored = skep_fs_remove_dir(s->fs, path, NULL);
  (void)ignored;
}

void ddl_clean(skep_session *s) {
  skep_err why = {0};
  if (skep_transaction_housekeep(s, &why) != SKEP_OK)
    skep_log(s->ctx, SKEP_LOG_WARN, "cleaning up after a statement: %s", why.text);
}

/* ---- databases ---- */

static skep_status params_of(skep_session *s, const skep_ast_property_list *list, skep_catalog_params *out,
                             skep_err *err) {
  for (uint32_t i = 0; i < list->n; i++)
    SKEP_TRY(ddl_set_param(s, out, list->items[i].key, list->items[i].value == NULL ? "" : list->items[i].value, err));
  return SKEP_OK;
}

static skep_status database_location(skep_session *s, const char *text, const char **out, skep_err *err) {
  SKEP_TRY(ddl_location(s, text, out, err));
  return *out == NULL ? SKEP_OK : ddl_check_location(s, NULL, NULL, *out, err);
}

/* ASCII without what has a meaning in paths and in "db.table". */
static bool is_database_name(const char *name) {
  for (const char *at = name; *at != '\0'; at++)
    if (*at < 0x20 || *at >= 0x7f || strchr("/.:\\\"'`", *at) != NULL) return false;
  return *name != '\0' && strlen(name) <= 128;
}

static skep_status create_database(skep_session *s, void *self, skep_err *err) {
  const skep_create_database *c = self;
  skep_catalog_db db = {.name = c->name, .comment = c->comment};
  if (strchr(c->name, '.') != NULL)
    return ddl_semantic_fail(err, 10420, "Table or database name may not contain dot(.) character '%s'",
                             ddl_quote(s, c->name));
  if (!is_database_name(c->name))
    return ddl_task_fail(err, 40000, "InvalidObjectException(message:%s is not a valid database name)",
                         ddl_quote(s, c->name));
  SKEP_TRY(database_location(s, c->location, &db.location, err));
  SKEP_TRY(database_location(s, c->managed_location, &db.managed_location, err));
  SKEP_TRY(params_of(s, &c->properties, &db.params, err));
  skep_status st = skep_catalog_create_database(s->catalog, &db, err);
  if (st == SKEP_ERR_EXISTS) {
    if (c->if_not_exists) return SKEP_OK;
    return ddl_task_fail(err, 10242, "Database %s already exists", ddl_quote(s, c->name));
  }
  if (st != SKEP_OK) return st;
  const skep_catalog_db *made;
  SKEP_TRY(skep_catalog_get_database(s->catalog, &s->arena, c->name, &made, err));
  SKEP_TRY(ddl_make_directory(s, made->location, NULL, err));
  return made->managed_location == NULL ? SKEP_OK : ddl_make_directory(s, made->managed_location, NULL, err);
}

static skep_status alter_database(skep_session *s, void *self, skep_err *err) {
  static const char *const owners[] = {"USER", "ROLE", "GROUP"};
  const skep_alter_database *a = self;
  const skep_catalog_db *was;
  SKEP_TRY(ddl_find_database(s, a->name, &was, err));
  skep_catalog_db now = *was;
  switch (a->kind) {
    case SKEP_ALTER_DATABASE_PROPERTIES:
      SKEP_TRY(params_of(s, &a->properties, &now.params, err));
      break;
    case SKEP_ALTER_DATABASE_OWNER:
      now.owner = a->owner;
      now.owner_type = owners[a->owner_kind];
      break;
    case SKEP_ALTER_DATABASE_LOCATION:
      SKEP_TRY(database_location(s, a->location, &now.location, err));
      break;
    case SKEP_ALTER_DATABASE_MANAGED_LOCATION:
      SKEP_TRY(database_location(s, a->location, &now.managed_location, err));
      break;
  }
  return skep_catalog_alter_database(s->catalog, &now, err);
}

/* ---- dropping ---- */

bool ddl_owns_files(const skep_catalog_table *t) {
  if (t->kind == SKEP_TABLE_VIEW || t->location == NULL || t->location[0] == '\0') return false;
  return strcmp(t->type, "EXTERNAL_TABLE") != 0 || skep_catalog_param_is(&t->params, "external.table.purge", "true");
}

/* Partitions that lie elsewhere have a removal of their own. */
static skep_status remove_outside(skep_session *s, const skep_catalog_table *t, skep_err *err) {
  const skep_catalog_partition *partitions;
  size_t n, prefix = strlen(t->location);
  if (!skep_table_is_partitioned(t)) return SKEP_OK;
  SKEP_TRY(skep_catalog_list_partitions(s->catalog, &s->arena, t, false, &partitions, &n, err));
  for (size_t i = 0; i < n; i++) {
    bool inside = strncmp(partitions[i].location, t->location, prefix) == 0 && partitions[i].location[prefix] == '/';
    if (!inside)
      SKEP_TRY(skep_txn_removal_add(s->db, 0, t->db, t->name, partitions[i].name, partitions[i].location, err));
  }
  return SKEP_OK;
}

skep_status ddl_drop_table(skep_session *s, const skep_catalog_table *t, skep_err *err) {
  if (ddl_owns_files(t)) {
    SKEP_TRY(remove_outside(s, t, err));
    SKEP_TRY(skep_txn_removal_add(s->db, 0, t->db, t->name, NULL, t->location, err));
  }
  SKEP_TRY(skep_catalog_drop_table(s->catalog, t, err));
  return skep_txn_drop_records(s->db, t->db, t->name, NULL, err);
}

static skep_status drop_table(skep_session *s, void *self, skep_err *err) {
  const skep_drop *d = self;
  skep_catalog_table *t = NULL;
  skep_status st = skep_catalog_get_table(s->catalog, &s->arena, ddl_db_of(s, &d->table), d->table.name, &t, err);
  if (st == SKEP_ERR_NOT_FOUND) {
    if (d->if_exists || skep_session_bool(s, "hive.exec.drop.ignorenonexistent", true)) return SKEP_OK;
    return ddl_find_table(s, &d->table, false, &t, err);
  }
  if (st != SKEP_OK) return st;
  if (t->kind == SKEP_TABLE_VIEW) return ddl_task_fail(err, 40000, "Cannot drop a view with DROP TABLE");
  return ddl_drop_table(s, t, err);
}

static skep_status drop_view(skep_session *s, void *self, skep_err *err) {
  const skep_drop *d = self;
  skep_catalog_table *t = NULL;
  skep_status st = skep_catalog_get_table(s->catalog, &s->arena, ddl_db_of(s, &d->table), d->table.name, &t, err);
  if (st == SKEP_ERR_NOT_FOUND && (d->if_exists || skep_session_bool(s, "hive.exec.drop.ignorenonexistent", true)))
    return SKEP_OK;
  if (st == SKEP_ERR_NOT_FOUND) return ddl_find_table(s, &d->table, false, &t, err);
  if (st != SKEP_OK) return st;
  if (t->kind != SKEP_TABLE_VIEW) return ddl_task_fail(err, 40000, "Cannot drop a base table with DROP VIEW");
  return ddl_drop_table(s, t, err);
}

typedef struct database_drop {
  const skep_drop_database *ast;
  const skep_catalog_db *db; /* what was dropped, or NULL */
} database_drop;

static skep_status drop_tables_of(skep_session *s, const skep_catalog_db *db, skep_err *err) {
  const skep_catalog_table_name *tables;
  size_t n;
  SKEP_TRY(skep_catalog_list_tables(s->catalog, &s->arena, db->name, &tables, &n, err));
  for (size_t i = 0; i < n; i++) {
    skep_catalog_table *t;
    SKEP_TRY(skep_session_check(s, err));
    SKEP_TRY(skep_catalog_get_table(s->catalog, &s->arena, db->name, tables[i].name, &t, err));
    SKEP_TRY(ddl_drop_table(s, t, err));
  }
  return SKEP_OK;
}

static skep_status drop_database(skep_session *s, void *self, skep_err *err) {
  database_drop *d = self;
  const skep_catalog_db *db;
  skep_status st = skep_catalog_get_database(s->catalog, &s->arena, d->ast->name, &db, err);
  if (st == SKEP_ERR_NOT_FOUND && d->ast->if_exists) return SKEP_OK;
  if (st != SKEP_OK) return ddl_find_database(s, d->ast->name, &db, err);
  if (strcmp(db->name, "default") == 0)
    return ddl_task_fail(err, 40000, "MetaException(message:Can not drop default database in catalog hive)");
  if (d->ast->cascade) SKEP_TRY(drop_tables_of(s, db, err));
  st = skep_catalog_drop_database(s->catalog, db, err);
  if (st == SKEP_ERR_ARGUMENT)
    return ddl_task_fail(
        err, 40000, "InvalidOperationException(message:Database %s is not empty. One or more tables exist.)", db->name);
  if (st != SKEP_OK) return st;
  d->db = db;
  return skep_txn_drop_records(s->db, db->name, NULL, NULL, err);
}

/* Directories of tables that no reader uses go at once; then the database's own, if nothing else is in it. */
static skep_status run_drop_database(skep_session *s, const skep_statement *statement, skep_err *err) {
  database_drop d = {.ast = statement->drop_database};
  SKEP_TRY(ddl_in_locks(s, statement, NULL, drop_database, &d, err));
  if (d.db == NULL) return SKEP_OK;
  ddl_clean(s);
  ddl_remove_empty(s, d.db->managed_location);
  ddl_remove_empty(s, d.db->location);
  if (strcmp(s->current_db, d.db->name) != 0) return SKEP_OK;
  char *name = skep_strndup(s->ctx, "default", strlen("default"));
  if (name == NULL) return ddl_nomem(err);
  skep_release(s->ctx, s->current_db);
  s->current_db = name;
  return SKEP_OK;
}

/* ---- the dispatcher ---- */

static skep_status run_drop_table(skep_session *s, const skep_statement *statement, skep_err *err) {
  skep_drop drop = *statement->drop;
  SKEP_TRY(ddl_in_locks(s, statement, NULL, drop_table, &drop, err));
  ddl_clean(s);
  return SKEP_OK;
}

skep_status skep_ddl_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  *out = NULL;
  skep_create_database create;
  skep_alter_database alter;
  skep_drop drop;
  switch (statement->kind) {
    case SKEP_STMT_CREATE_DATABASE:
      create = *statement->create_database;
      return ddl_in_locks(s, statement, NULL, create_database, &create, err);
    case SKEP_STMT_ALTER_DATABASE:
      alter = *statement->alter_database;
      return ddl_in_locks(s, statement, NULL, alter_database, &alter, err);
    case SKEP_STMT_DROP_DATABASE:
      return run_drop_database(s, statement, err);
    case SKEP_STMT_CREATE_TABLE:
      return ddl_create_run(s, statement, out, err);
    case SKEP_STMT_DROP_TABLE:
      return run_drop_table(s, statement, err);
    case SKEP_STMT_DROP_VIEW:
      drop = *statement->drop;
      return ddl_in_locks(s, statement, NULL, drop_view, &drop, err);
    case SKEP_STMT_ALTER_TABLE:
      return ddl_alter_run(s, statement, out, err);
    default:
      return skep_fail(err, SKEP_ERR_UNSUPPORTED, "%s is not supported yet", skep_statement_name(statement));
  }
}
