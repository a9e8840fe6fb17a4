/* ALTER TABLE: the frame around every kind, and the kinds that change one thing of a table.
 *
 * The table is found, the statement checked and the rows changed in one database transaction. When directories must be
 * renamed as well it is rolled back, the renames are noted (moves.h), and it is run once more, with the renames. */
#include <string.h>

#include "acid/name.h"
#include "sql/compact.h"
#include "sql/ddl_int.h"

/* ---- what the kinds share ---- */

skep_status ddl_alter_write_id(skep_session *s, ddl_alter *a, skep_err *err) {
  a->is_compiled = true;
  if (!skep_table_is_transactional(a->was) && !a->takes_write_id) return SKEP_OK;
  a->takes_write_id = true;
  if (a->write_id != 0) return SKEP_OK;
  return ddl_take_write_id(s, a->was->db, a->was->name, &a->write_id, err);
}

/* ---- RENAME ---- */

static skep_status rename_table(skep_session *s, ddl_alter *a, skep_err *err) {
  const skep_catalog_table *was = a->was;
  const char *db = ddl_db_of(s, &a->ast->new_table), *name = a->ast->new_table.name, *before, *after;
  const skep_catalog_db *target;
  SKEP_TRY(ddl_find_database(s, db, &target, err));
  if (strchr(name, '.') != NULL)
    return ddl_semantic_fail(err, 0, "Line %u:%u Table or database name may not contain dot(.) character '%s'",
                             a->ast->new_table.pos.line, a->ast->new_table.pos.column, ddl_quote(s, name));
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  skep_catalog_table *there;
  skep_status st = skep_catalog_get_table(s->catalog, &s->arena, db, name, &there, NULL);
  if (st == SKEP_OK && there->id == was->id) return SKEP_OK; /* its own name: Hive has nothing against it */
  if (st == SKEP_OK || st == SKEP_ERR_UNSUPPORTED)
    return ddl_task_fail(err, 40013, "Unable to alter table. new table %s.%s already exists", db, ddl_quote(s, name));
  if (st != SKEP_ERR_NOT_FOUND) return skep_fail(err, st, "table %s.%s", db, ddl_quote(s, name));
  a->now->db = target->name;
  a->now->name = name;
  a->is_changed = true;
  SKEP_TRY(skep_txn_rename_table(s->db, was->db, was->name, target->name, name, err));
  if (!ddl_owns_files(was) || strcmp(was->type, "MANAGED_TABLE") != 0) return SKEP_OK;
  SKEP_TRY(skep_catalog_default_location(s->catalog, &s->arena, was->db, was->name, false, &before, err));
  if (strcmp(before, was->location) != 0) return SKEP_OK; /* a place that somebody chose */
  SKEP_TRY(skep_catalog_default_location(s->catalog, &s->arena, db, name, false, &after, err));
  if (a->moves_to != NULL) { /* as it was written down by the first run */
    after = a->moves_to;
    SKEP_TRY(ddl_check_location(s, was, NULL, after, err));
  } else {
    SKEP_TRY(ddl_free_location(s, was, &after, err));
    a->moves_to = after;
  }
  const char *from, *to;
  SKEP_TRY(skep_catalog_path(before, &from, err));
  SKEP_TRY(skep_catalog_path(after, &to, err));
  a->now->location = after;
  return skep_moves_add(s, &a->moves, from, to, err);
}

/* ---- other single things ---- */

static skep_status set_location(skep_session *s, ddl_alter *a, skep_err *err) {
  const char *location;
  bool some;
  SKEP_TRY(ddl_location(s, a->ast->location, &location, err));
  if (a->ast->partition.n > 0) {
    skep_catalog_partition *was;
    SKEP_TRY(ddl_find_partition(s, a->was, &a->ast->partition, &was, err));
    SKEP_TRY(ddl_alter_write_id(s, a, err));
    SKEP_TRY(ddl_check_location(s, a->was, was->name, location, err));
    SKEP_TRY(ddl_attach(s, a->was, location, 0, &some, err));
    skep_catalog_partition now = *was;
    now.location = location;
    SKEP_TRY(ddl_set_param(s, &now.params, "COLUMN_STATS_ACCURATE", NULL, err));
    SKEP_TRY(ddl_touch(s, &now.params, true, err));
    return skep_catalog_alter_partition(s->catalog, a->was, was, &now, err);
  }
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  SKEP_TRY(ddl_check_location(s, a->was, NULL, location, err));
  SKEP_TRY(ddl_attach(s, a->was, location, a->was->partition_keys->n_children, &some, err));
  a->now->location = location;
  a->is_changed = true;
  SKEP_TRY(ddl_set_param(s, &a->now->params, "COLUMN_STATS_ACCURATE", NULL, err));
  return ddl_touch(s, &a->now->params, true, err);
}

static skep_status set_file_format(skep_session *s, ddl_alter *a, skep_err *err) {
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  if (a->ast->file_format.name != NULL && strcmp(a->ast->file_format.name, "orc") == 0) return SKEP_OK;
  return ddl_task_fail(err, 40000, "Changing file format (from ORC) is not supported for table %s",
                       ddl_name(s, a->was));
}

static skep_status set_serde(skep_session *s, ddl_alter *a, skep_err *err) {
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  if (skep_same_text(a->ast->serde, a->was->serde)) return SKEP_OK;
  return ddl_task_fail(err, 40000,
                       "Changing SerDe (from OrcSerde) is not supported for table %s. File format may be incompatible",
                       ddl_name(s, a->was));
}

static skep_status set_serde_properties(skep_session *s, ddl_alter *a, bool set, skep_err *err) {
  for (uint32_t i = 0; i < a->ast->properties.n; i++) {
    const skep_ast_property *p = &a->ast->properties.items[i];
    SKEP_TRY(ddl_set_param(s, &a->now->serde_params, p->key, !set ? NULL : p->value == NULL ? "" : p->value, err));
  }
  a->is_changed = true;
  return ddl_touch(s, &a->now->params, true, err);
}

static skep_status set_owner(skep_session *s, ddl_alter *a, skep_err *err) {
  static const char *const types[] = {"USER", "ROLE", "GROUP"};
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  a->now->owner = a->ast->owner;
  a->now->owner_type = types[a->ast->owner_kind];
  a->is_changed = true;
  return ddl_touch(s, &a->now->params, true, err);
}

static skep_status drop_constraint(skep_session *s, ddl_alter *a, skep_err *err) {
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  skep_catalog_constraint *all = skep_arena_zero(&s->arena, a->was->n_constraints + 1, sizeof *all);
  if (all == NULL) return ddl_nomem(err);
  uint32_t n = 0;
  for (uint32_t i = 0; i < a->was->n_constraints; i++)
    if (strcmp(a->was->constraints[i].name, a->ast->column) != 0) all[n++] = a->was->constraints[i];
  if (n == a->was->n_constraints)
    return ddl_task_fail(err, 40000,
                         "InvalidObjectException(message:The constraint: %s does not exist for the associated "
                         "table: %s)",
                         ddl_quote(s, a->ast->column), ddl_name(s, a->was));
  a->now->constraints = all;
  a->now->n_constraints = n;
  a->is_changed = true;
  return SKEP_OK;
}

static skep_status add_constraint(skep_session *s, ddl_alter *a, skep_err *err) {
  SKEP_TRY(ddl_add_constraint(s, a->statement, a->ast->constraint, NULL, a->now, err));
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  const char *name = a->ast->constraint->name;
  for (uint32_t i = 0; name != NULL && i < a->was->n_constraints; i++)
    if (strcmp(a->was->constraints[i].name, name) == 0)
      return ddl_task_fail(err, 40000, "InvalidObjectException(message:Constraint name already exists: %s)",
                           ddl_quote(s, name));
  a->is_changed = true;
  return SKEP_OK;
}

static skep_status touch(skep_session *s, ddl_alter *a, skep_err *err) {
  if (a->ast->n_partitions == 0) {
    a->is_changed = true;
    return ddl_touch(s, &a->now->params, false, err);
  }
  for (uint32_t i = 0; i < a->ast->n_partitions; i++) {
    skep_catalog_partition *was;
    SKEP_TRY(ddl_find_partition(s, a->was, &a->ast->partitions[i].spec, &was, err));
    skep_catalog_partition now = *was;
    SKEP_TRY(ddl_touch(s, &now.params, false, err));
    SKEP_TRY(skep_catalog_alter_partition(s->catalog, a->was, was, &now, err));
  }
  return SKEP_OK;
}

/* ---- the frame ---- */

static skep_status dispatch(skep_session *s, ddl_alter *a, skep_err *err) {
  switch (a->ast->kind) {
    case SKEP_ALTER_RENAME:
      return rename_table(s, a, err);
    case SKEP_ALTER_ADD_COLUMNS:
    case SKEP_ALTER_REPLACE_COLUMNS:
    case SKEP_ALTER_CHANGE_COLUMN:
    case SKEP_ALTER_UPDATE_COLUMNS:
      return ddl_alter_columns(s, a, err);
    case SKEP_ALTER_ADD_PARTITIONS:
    case SKEP_ALTER_DROP_PARTITIONS:
    case SKEP_ALTER_RENAME_PARTITION:
    case SKEP_ALTER_PARTITION_COLUMN:
      return ddl_alter_partitions(s, a, err);
    case SKEP_ALTER_EXCHANGE_PARTITION:
      return ddl_semantic_fail(err, 10236, "Exchange partition is not allowed with transactional tables");
    case SKEP_ALTER_SET_PROPERTIES:
    case SKEP_ALTER_UNSET_PROPERTIES:
    case SKEP_ALTER_CONVERT:
    case SKEP_ALTER_UPDATE_STATISTICS:
      return ddl_alter_properties(s, a, err);
    case SKEP_ALTER_SET_LOCATION:
      return set_location(s, a, err);
    case SKEP_ALTER_SET_FILE_FORMAT:
      return set_file_format(s, a, err);
    case SKEP_ALTER_SET_SERDE:
      return set_serde(s, a, err);
    case SKEP_ALTER_SET_SERDE_PROPERTIES:
      return set_serde_properties(s, a, true, err);
    case SKEP_ALTER_UNSET_SERDE_PROPERTIES:
      return set_serde_properties(s, a, false, err);
    case SKEP_ALTER_SET_OWNER:
      return set_owner(s, a, err);
    case SKEP_ALTER_ADD_CONSTRAINT:
      return add_constraint(s, a, err);
    case SKEP_ALTER_DROP_CONSTRAINT:
      return drop_constraint(s, a, err);
    case SKEP_ALTER_TOUCH:
      return touch(s, a, err);
    case SKEP_ALTER_CLUSTERED_BY:
    case SKEP_ALTER_NOT_CLUSTERED:
    case SKEP_ALTER_NOT_SORTED:
    case SKEP_ALTER_INTO_BUCKETS:
      return ddl_alter_buckets(s, a, err);
    default:
      return skep_fail(err, SKEP_ERR_UNSUPPORTED, "this form of ALTER TABLE is not supported yet");
  }
}

static skep_status store(skep_session *s, ddl_alter *a, skep_err *err) {
  if (a->is_changed) {
    skep_status st = skep_catalog_alter_table(s->catalog, a->was, a->now, err);
    if (st == SKEP_ERR_NOT_FOUND) { /* a foreign key to nothing */
      skep_err why = {0};
      if (err != NULL) why = *err;
      return ddl_task_fail(err, 40000, "InvalidObjectException(message:%s)", why.text);
    }
    if (st != SKEP_OK) return st;
  }
  return SKEP_OK;
}

static skep_status alter_rows(skep_session *s, ddl_alter *a, skep_err *err) {
  skep_catalog_table *was;
  SKEP_TRY(ddl_find_table(s, &a->ast->table, false, &was, err));
  if (was->kind == SKEP_TABLE_VIEW)
    return ddl_semantic_fail(err, 10131, "To alter a view you need to use the ALTER VIEW command.");
  a->was = was;
  SKEP_TRY(skep_catalog_table_copy(&s->arena, was, &a->now, err));
  SKEP_TRY(dispatch(s, a, err));
  return store(s, a, err);
}

/* The first run finds out what must be renamed: SKEP_END then, to be rolled back. */
static skep_status find_moves(skep_session *s, void *self, skep_err *err) {
  ddl_alter *a = self;
  skep_status st = alter_rows(s, a, err);
  return st == SKEP_OK && a->moves.n > 0 ? SKEP_END : st;
}

static skep_status alter_and_move(skep_session *s, void *self, skep_err *err) {
  ddl_alter *a = self;
  SKEP_TRY(alter_rows(s, a, err));
  skep_status st = skep_moves_do(s, &a->moves, err);
  if (st != SKEP_ERR_EXISTS) return st;
  return ddl_task_fail(err, 40013, "Unable to alter table. New location for this table %s already exists : %s",
                       ddl_name(s, a->now), ddl_quote(s, a->now->location));
}

/* As the statement begins; notes of renames are kept. */
static void start_again(ddl_alter *a) {
  *a = (ddl_alter){.statement = a->statement,
                   .ast = a->ast,
                   .moves_to = a->moves_to,
                   .moves = {.n_noted = a->moves.n_noted, .first = a->moves.first, .n_rows = a->moves.n_rows}};
}

static skep_status run(skep_session *s, ddl_alter *a, skep_err *err) {
  enum { TRIES = 3 };
  ddl_ticket ticket = {0};
  skep_status st = ddl_in_locks(s, a->statement, &ticket, find_moves, a, err);
  if (s->explained.done) return st;
  for (int i = 0; st == SKEP_END || (st == SKEP_ERR_BUSY && a->moves.n > 0 && i < TRIES); i++) {
    st = skep_moves_note(s, &a->moves, err);
    if (st != SKEP_OK) break;
    start_again(a);
    st = ddl_in_locks(s, a->statement, &ticket, alter_and_move, a, err);
    if (st != SKEP_OK && st != SKEP_ERR_IN_DOUBT) skep_moves_undo(s, &a->moves);
  }
  ddl_ticket_end(s, &ticket);
  return st;
}

static skep_status burn(skep_session *s, void *self, skep_err *err) {
  const ddl_alter *a = self;
  int64_t id;
  return ddl_take_write_id(s, a->was->db, a->was->name, &id, err);
}

/* What the statement would take, had it got its locks: found out in a database transaction that is rolled back. */
static void compile(skep_session *s, ddl_alter *a) {
  start_again(a);
  if (skep_db_begin(s->db, SKEP_DB_WRITE, NULL) != SKEP_OK) return;
  skep_status ignored = alter_rows(s, a, NULL); /* why it had failed is not asked for */
  (void)ignored;
  skep_db_rollback(s->db);
}

skep_status ddl_alter_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  *out = NULL;
  skep_alter_kind kind = statement->alter_table->kind;
  if (kind == SKEP_ALTER_COMPACT || kind == SKEP_ALTER_CONCATENATE)
    return skep_compact_statement_run(s, statement, out, err);
  ddl_alter a = {.statement = statement, .ast = statement->alter_table};
  skep_status st = run(s, &a, err);
  if (st == SKEP_ERR_BUSY && !a.is_compiled) compile(s, &a); /* it waited in vain */
  if (st != SKEP_OK && st != SKEP_ERR_IN_DOUBT && a.takes_write_id && a.is_compiled) {
    skep_err why = {0};
    if (ddl_in_transaction(s, SKEP_DB_WRITE, burn, &a, &why) != SKEP_OK)
      skep_log(s->ctx, SKEP_LOG_WARN, "the write id of a failed statement: %s", why.text);
  }
  if (st == SKEP_OK && a.cleans) ddl_clean(s);
  return st;
}
