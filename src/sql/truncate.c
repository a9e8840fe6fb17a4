/* TRUNCATE TABLE, and DELETE FROM without WHERE. A transactional table gets an empty base directory under a new write
 * id (hive.acid.truncate.usebase); readers of older snapshots keep their rows. Refusals: hiveql.md 3.3. */
#include "sql/ddl_int.h"
#include "sql/life_int.h"
#include "sql/target.h"
#include "sql/transaction.h"
#include "sql/update.h"

static skep_status check(const skep_life_table *table, const skep_truncate *truncate, bool is_delete, skep_err *err) {
  const skep_catalog_table *t = table->t;
  if (is_delete && t->kind == SKEP_TABLE_INSERT_ONLY) return SKEP_OK;
  if (t->kind == SKEP_TABLE_VIEW && is_delete) return skep_update_check_table(t, err);
  if (t->kind == SKEP_TABLE_VIEW)
    return skep_fail(err, SKEP_ERR_SEMANTIC, "SemanticException [Error 10146]: Cannot truncate non-managed table %s.",
                     t->name);
  if (truncate->columns.n != 0)
    return skep_fail(err, SKEP_ERR_SEMANTIC,
                     "SemanticException [Error 10237]: Column truncation is only supported for RCFiles: %s", t->name);
  if (t->kind == SKEP_TABLE_EXTERNAL && !truncate->force &&
      !skep_catalog_param_is(&t->params, "external.table.purge", "true"))
    return skep_fail(err, SKEP_ERR_SEMANTIC, "SemanticException [Error 10146]: Cannot truncate non-managed table %s.",
                     t->name);
  if (truncate->partition.n != 0 && !skep_table_is_partitioned(t))
    return skep_fail(err, SKEP_ERR_SEMANTIC,
                     "SemanticException [Error 10148]: Partition spec for non partitioned table %s.", t->name);
  return SKEP_OK;
}

/* The values that the PARTITION clause asks for, normalised; NULL where any will do. */
static skep_status wanted_values(skep_life *life, const skep_life_table *table, const skep_partition_spec *spec,
                                 const char ***out, skep_err *err) {
  const skep_type *keys = table->t->partition_keys;
  char quoted[200];
  const char **wanted = skep_arena_zero(&life->s->arena, keys->n_children + 1, sizeof *wanted);
  if (wanted == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a partition");
  for (uint32_t i = 0; i < spec->n; i++) {
    const skep_partition_value *v = &spec->items[i];
    const char *text;
    int64_t k = skep_type_child(keys, v->name, strlen(v->name), false);
    if (k < 0)
      return skep_fail(err, SKEP_ERR_SEMANTIC,
                       "ValidationFailureSemanticException %s.%s: Partition spec {%s} contains non-partition columns",
                       table->t->db, table->t->name, skep_quote(quoted, sizeof quoted, v->name, strlen(v->name)));
    if (v->value == NULL) continue;
    SKEP_TRY(skep_target_constant(&life->s->arena, v->value, &text, err));
    SKEP_TRY(skep_target_number(&life->s->arena, keys->children[k], v->value, &text, err));
    SKEP_TRY(skep_catalog_partition_value(&life->s->arena, keys->children[k], text, &wanted[k], err));
  }
  *out = wanted;
  return SKEP_OK;
}

static bool matches(const skep_catalog_partition *p, const char *const *wanted, uint32_t n_keys) {
  for (uint32_t k = 0; k < n_keys; k++)
    if (wanted[k] != NULL && strcmp(wanted[k], p->values[k]) != 0) return false;
  return true;
}

/* A plain table's files are replaced by none. */
static skep_status empty_plain(skep_life *life, skep_life_table *table, const skep_catalog_partition *p,
                               skep_err *err) {
  uint32_t n_keys = table->t->partition_keys->n_children;
  skep_bytes *statics = skep_arena_zero(&life->s->arena, n_keys + 1, sizeof *statics);
  skep_life_branch *branch;
  if (statics == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a partition");
  for (uint32_t k = 0; k < n_keys; k++) statics[k] = skep_bytes_of(p->values[k], strlen(p->values[k]));
  return skep_life_branch_open(life, table, SKEP_WRITE_OVERWRITE, 'u', n_keys != 0 ? statics : NULL, &branch, err);
}

/* p: NULL for a table without partitions. */
static skep_status empty_one(skep_life *life, skep_life_table *table, const skep_catalog_partition *p, skep_err *err) {
  const skep_catalog_table *t = table->t;
  if (!skep_table_is_transactional(t)) return empty_plain(life, table, p, err);
  const char *root = table->path;
  if (p != NULL) SKEP_TRY(skep_catalog_path(p->location, &root, err));
  const skep_session_change change = {.db = t->db,
                                      .table = t->name,
                                      .table_id = t->id,
                                      .kind = t->kind,
                                      .partition = p != NULL ? p->name : NULL,
                                      .values = p != NULL ? p->values : NULL,
                                      .location = root,
                                      .is_overwritten = true,
                                      .op = 'u',
                                      .write_id = table->write_id};
  SKEP_TRY(skep_life_made_base(life, root, table->write_id, err));
  SKEP_TRY(skep_truncated_base_write(life->s->ctx, life->s->fs, root, table->write_id, err));
  return skep_transaction_change(life->s, &change, t->partition_keys->n_children, err);
}

/* TRUNCATE names a missing table as DDL does: with its database, without a place. */
static skep_status find(skep_life *life, const skep_table_name *name, bool is_delete, skep_life_table **out,
                        skep_err *err) {
  char table[200], db[200];
  skep_catalog_table *t;
  const char *of = name->db != NULL ? name->db : life->s->current_db;
  if (!is_delete && name->meta == NULL) {
    skep_status st = skep_catalog_get_table(life->s->catalog, &life->s->arena, of, name->name, &t, err);
    if (st == SKEP_ERR_NOT_FOUND) {
      return skep_fail(err, SKEP_ERR_SEMANTIC, "SemanticException [Error 10001]: Table not found %s.%s",
                       skep_quote(db, sizeof db, of, strlen(of)),
                       skep_quote(table, sizeof table, name->name, strlen(name->name)));
    }
    if (st != SKEP_OK) return st;
  }
  return skep_life_find(life, name, out, err);
}

/* The partitions that are emptied. Without WHERE a DELETE locks as other DELETEs do. */
static skep_status lock(skep_life *life, skep_life_table *table, const skep_partition_spec *spec,
                        const char *const *wanted, bool is_delete, skep_err *err) {
  const skep_locks_conf conf = skep_life_locks_conf(life->s);
  bool acid = skep_table_is_transactional(table->t);
  skep_lock_use use =
      is_delete && acid ? SKEP_LOCK_USE_CHANGE : skep_locks_of_ddl(&conf, SKEP_LOCKS_DDL_TRUNCATE, acid);
  uint32_t n = 0;
  SKEP_TRY(skep_life_list(life, table, err));
  const char **names = skep_arena_zero(&life->s->arena, table->n_partitions + 1, sizeof *names);
  if (names == NULL || table->n_partitions > UINT32_MAX) return skep_fail(err, SKEP_ERR_NOMEM, "partitions");
  for (size_t i = 0; i < table->n_partitions; i++)
    if (matches(&table->partitions[i], wanted, table->t->partition_keys->n_children))
      names[n++] = table->partitions[i].name;
  if (n == 0 && spec->n != 0) /* before a write id is taken, as in Hive */
    return skep_fail(err, SKEP_ERR_SEMANTIC, "SemanticException [Error 10006]: Partition not found %s",
                     ddl_spec_text(life->s, spec));
  return skep_life_lock(life, table, use, names, n, err);
}

static skep_status run(skep_life *life, const skep_truncate *truncate, bool is_delete, skep_err *err) {
  skep_life_table *table;
  const char **wanted;
  SKEP_TRY(find(life, &truncate->table, is_delete, &table, err));
  SKEP_TRY(check(table, truncate, is_delete, err));
  SKEP_TRY(wanted_values(life, table, &truncate->partition, &wanted, err));
  SKEP_TRY(skep_life_write(life, table, 'u', err));
  SKEP_TRY(lock(life, table, &truncate->partition, wanted, is_delete, err));
  SKEP_TRY(skep_life_enter(life, err));
  uint32_t n_keys = table->t->partition_keys->n_children;
  if (n_keys == 0) return empty_one(life, table, NULL, err);
  for (size_t i = 0; i < table->n_partitions; i++)
    if (matches(&table->partitions[i], wanted, n_keys)) SKEP_TRY(empty_one(life, table, &table->partitions[i], err));
  return SKEP_OK;
}

skep_status skep_truncate_table(skep_session *s, const skep_truncate *truncate, bool is_delete, skep_err *err) {
  skep_life life = {0};
  skep_status st;
  do {
    st = skep_life_open(&life, s, err);
    if (st == SKEP_OK) st = run(&life, truncate, is_delete, err);
  } while (skep_life_again(&life, &st, err));
  return st == SKEP_OK ? skep_life_commit(&life, err) : skep_life_fail(&life, st);
}

skep_status skep_truncate_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  (void)out;
  return skep_truncate_table(s, statement->truncate, false, err);
}
