/* Creating, dropping and altering tables. */
#include <string.h>

#include "catalog/catalog_int.h"

#define PARAMS_SQL(table, id)                                                                                          \
  {                                                                                                                    \
    "UPDATE \"" table "\" SET \"PARAM_VALUE\" = ? WHERE \"" id "\" = ? AND \"PARAM_KEY\" = ?",                         \
        "INSERT INTO \"" table "\" (\"" id "\", \"PARAM_KEY\", \"PARAM_VALUE\") VALUES (?, ?, ?)",                     \
        "INSERT INTO \"" table "\" (\"" id                                                                             \
        "\", \"PARAM_KEY\", \"PARAM_VALUE\") SELECT ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM \"" table "\" WHERE \"" id \
        "\" = ? AND \"PARAM_KEY\" = ?)",                                                                               \
        "DELETE FROM \"" table "\" WHERE \"" id "\" = ? AND \"PARAM_KEY\" = ?"                                         \
  }
const catalog_params_sql catalog_table_params = PARAMS_SQL("TABLE_PARAMS", "TBL_ID");
const catalog_params_sql catalog_partition_params = PARAMS_SQL("PARTITION_PARAMS", "PART_ID");
const catalog_params_sql catalog_serde_params = PARAMS_SQL("SERDE_PARAMS", "SERDE_ID");

static skep_status remove_param(skep_catalog *catalog, const catalog_params_sql *sql, int64_t owner, const char *key,
                                skep_err *err) {
  return skep_db_run(catalog->db, sql->remove, SKEP_PARAMS(skep_p_i64(owner), skep_p_text(key)), NULL, err);
}

skep_status catalog_put_param(skep_catalog *catalog, const catalog_params_sql *sql, int64_t owner,
                              const skep_catalog_param *p, skep_err *err) {
  if (p->value == NULL) return remove_param(catalog, sql, owner, p->key, err);
  /* How many rows it changed is not asked: the answer is a round trip of a server, for each property of a commit. */
  SKEP_TRY(skep_db_run(catalog->db, sql->set,
                       SKEP_PARAMS(skep_p_text(p->value), skep_p_i64(owner), skep_p_text(p->key)), NULL, err));
  return skep_db_run(catalog->db, sql->add,
                     SKEP_PARAMS(skep_p_i64(owner), skep_p_text(p->key), skep_p_text(p->value), skep_p_i64(owner),
                                 skep_p_text(p->key)),
                     NULL, err);
}

skep_status catalog_diff_params(skep_catalog *catalog, const catalog_params_sql *sql, int64_t owner,
                                const skep_catalog_params *was, const skep_catalog_params *now, skep_err *err) {
  size_t i = 0, j = 0;
  while (i < was->n || j < now->n) {
    int order = i == was->n ? 1 : j == now->n ? -1 : strcmp(was->items[i].key, now->items[j].key);
    if (order < 0) {
      SKEP_TRY(remove_param(catalog, sql, owner, was->items[i++].key, err));
    } else {
      if (order > 0 || strcmp(was->items[i].value, now->items[j].value) != 0)
        SKEP_TRY(catalog_put_param(catalog, sql, owner, &now->items[j], err));
      i += order == 0;
      j++;
    }
  }
  return SKEP_OK;
}

/* ---- create ---- */

/* A table's name as a directory: what is no letter, digit or '_' becomes "-<code>-", so that no name leaves the
 * database's directory. Source: Hive Warehouse.encodeTableName. */
static const char *directory_name(skep_catalog *catalog, skep_arena *arena, const char *table) {
  const char *lower = catalog_lower(arena, table), *out = NULL;
  skep_buf buf;
  skep_buf_init(&buf, catalog->ctx, 1 << 16);
  for (const unsigned char *at = (const unsigned char *)lower; at != NULL && *at != '\0'; at++) {
    bool plain = (*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9') || *at == '_' || *at >= 0x80;
    if (plain)
      skep_buf_byte(&buf, *at);
    else
      skep_buf_printf(&buf, "-%u-", *at);
  }
  if (lower != NULL) out = skep_buf_copy(&buf, arena);
  skep_buf_fini(&buf);
  return out;
}

skep_status skep_catalog_default_location(skep_catalog *catalog, skep_arena *arena, const char *db, const char *table,
                                          bool external, const char **out, skep_err *err) {
  *out = NULL;
  const skep_catalog_db *found;
  SKEP_TRY(skep_catalog_get_database(catalog, arena, db, &found, err));
  const char *name = directory_name(catalog, arena, table), *base = found->location;
  if (!external && strcmp(found->name, "default") == 0) base = skep_catalog_uri(arena, catalog->warehouse);
  if (!external && found->managed_location != NULL) base = found->managed_location;
  if (name == NULL || base == NULL || (*out = skep_arena_join(arena, base, "/", name)) == NULL)
    return catalog_nomem(err);
  return SKEP_OK;
}

/* The privileges of the owner, as Hive's SQL standard authorization grants them to who creates a table. */
static skep_status insert_privileges(skep_catalog *catalog, const skep_catalog_table *t, skep_err *err) {
  static const char *const privileges[] = {"INSERT", "SELECT", "UPDATE", "DELETE"};
  int64_t id;
  SKEP_TRY(skep_db_next_ids(catalog->db, "MTablePrivilege", 4, &id, err));
  for (int64_t i = 0; i < 4; i++)
    SKEP_TRY(skep_db_run(
        catalog->db,
        "INSERT INTO \"TBL_PRIVS\" (\"TBL_GRANT_ID\", \"CREATE_TIME\", \"GRANT_OPTION\", \"GRANTOR\", "
        "\"GRANTOR_TYPE\", \"PRINCIPAL_NAME\", \"PRINCIPAL_TYPE\", \"TBL_PRIV\", \"TBL_ID\", \"AUTHORIZER\") "
        "VALUES (?, ?, 1, ?, 'USER', ?, 'USER', ?, ?, 'SQL')",
        SKEP_PARAMS(skep_p_i64(id + i), skep_p_i64(t->create_time_s), skep_p_text(catalog->user),
                    skep_p_text(catalog->user), skep_p_text(privileges[i]), skep_p_i64(t->id)),
        NULL, err));
  return SKEP_OK;
}

/* What the caller left out. */
static skep_status fill_in(skep_catalog *catalog, skep_arena *arena, skep_catalog_table *t, skep_err *err) {
  int64_t now;
  SKEP_TRY(catalog_now_s(catalog, &now, err));
  if (t->create_time_s == 0) t->create_time_s = now;
  if (t->owner == NULL) t->owner = catalog->user;
  if (t->owner_type == NULL) t->owner_type = "USER";
  if (t->db == NULL || t->name == NULL || t->type == NULL || t->columns == NULL)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "catalog: a table needs database, name, type and columns");
  t->db = catalog_lower(arena, t->db);
  t->name = catalog_lower(arena, t->name);
  const char *time = catalog_number(arena, now);
  if (t->db == NULL || t->name == NULL || time == NULL) return catalog_nomem(err);
  if (t->location == NULL && t->kind != SKEP_TABLE_VIEW)
    SKEP_TRY(skep_catalog_default_location(catalog, arena, t->db, t->name, strcmp(t->type, "EXTERNAL_TABLE") == 0,
                                           &t->location, err));
  SKEP_TRY(skep_catalog_param_set(arena, &t->params, "transient_lastDdlTime", time, err));
  const skep_catalog_db *db;
  SKEP_TRY(skep_catalog_get_database(catalog, arena, t->db, &db, err));
  t->db_id = db->id;
  return SKEP_OK;
}

static skep_status check_is_new(skep_catalog *catalog, const skep_catalog_table *t, skep_err *err) {
  int64_t id;
  bool found;
  SKEP_TRY(skep_db_get_i64(catalog->db, "SELECT \"TBL_ID\" FROM \"TBLS\" WHERE \"DB_ID\" = ? AND \"TBL_NAME\" = ?",
                           SKEP_PARAMS(skep_p_i64(t->db_id), skep_p_text(t->name)), &id, &found, err));
  if (!found) return SKEP_OK;
  char a[160], b[300];
  return skep_fail(err, SKEP_ERR_EXISTS, "Table hive.%s.%s already exists",
                   skep_quote(a, sizeof a, t->db, strlen(t->db)), skep_quote(b, sizeof b, t->name, strlen(t->name)));
}

skep_status skep_catalog_create_table(skep_catalog *catalog, skep_arena *arena, skep_catalog_table *t, skep_err *err) {
  SKEP_TRY(fill_in(catalog, arena, t, err));
  SKEP_TRY(check_is_new(catalog, t, err));
  SKEP_TRY(skep_db_next_ids(catalog->db, "MTable", 1, &t->id, err));
  SKEP_TRY(skep_db_next_ids(catalog->db, "MStorageDescriptor", 1, &t->sd_id, err));
  SKEP_TRY(skep_db_next_ids(catalog->db, "MSerDeInfo", 1, &t->serde_id, err));
  SKEP_TRY(catalog_insert_columns(catalog, t, &t->cd_id, err));
  catalog_storage storage = {t->sd_id, t->cd_id, t->serde_id, t->location, t, false};
  SKEP_TRY(catalog_insert_storage(catalog, &storage, err));
  SKEP_TRY(skep_db_run(
      catalog->db,
      "INSERT INTO \"TBLS\" (\"TBL_ID\", \"CREATE_TIME\", \"DB_ID\", \"LAST_ACCESS_TIME\", \"OWNER\", \"OWNER_TYPE\", "
      "\"RETENTION\", \"SD_ID\", \"TBL_NAME\", \"TBL_TYPE\", \"VIEW_EXPANDED_TEXT\", \"VIEW_ORIGINAL_TEXT\", "
      "\"IS_REWRITE_ENABLED\", \"WRITE_ID\") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      SKEP_PARAMS(skep_p_i64(t->id), skep_p_i64(t->create_time_s), skep_p_i64(t->db_id),
                  skep_p_i64(t->last_access_time_s), skep_p_text(t->owner), skep_p_text(t->owner_type),
                  skep_p_i64(t->retention), skep_p_i64(t->sd_id), skep_p_text(t->name), skep_p_text(t->type),
                  skep_p_text(t->view_expanded_text), skep_p_text(t->view_text), skep_p_bool(false),
                  skep_p_i64(t->write_id)),
      NULL, err));
  SKEP_TRY(catalog_insert_params(catalog, catalog_table_params.insert, t->id, &t->params, err));
  SKEP_TRY(catalog_insert_partition_keys(catalog, t, err));
  SKEP_TRY(catalog_insert_constraints(catalog, arena, t, err));
  return insert_privileges(catalog, t, err);
}

/* ---- drop ---- */

/* Storage and column descriptors of all partitions: SD_ID, CD_ID, SERDE_ID. */
typedef struct storage_ids {
  int64_t sd, cd, serde;
} storage_ids;

static skep_status partition_storages(skep_catalog *catalog, skep_arena *arena, int64_t table_id, catalog_list *out,
                                      skep_err *err) {
  skep_stmt *stmt;
  SKEP_TRY(skep_db_query(catalog->db,
                         "SELECT S.\"SD_ID\", S.\"CD_ID\", S.\"SERDE_ID\" FROM \"PARTITIONS\" P JOIN \"SDS\" S ON "
                         "S.\"SD_ID\" = P.\"SD_ID\" WHERE P.\"TBL_ID\" = ? ORDER BY S.\"CD_ID\"",
                         SKEP_PARAMS(skep_p_i64(table_id)), &stmt, err));
  skep_status st;
  while ((st = skep_stmt_next(stmt, err)) == SKEP_OK) {
    storage_ids *ids = catalog_list_add(arena, out, sizeof *ids);
    if (ids == NULL) {
      st = catalog_nomem(err);
      break;
    }
    *ids = (storage_ids){skep_stmt_i64(stmt, 0), skep_stmt_i64(stmt, 1), skep_stmt_i64(stmt, 2)};
  }
  skep_stmt_done(stmt);
  return st == SKEP_END ? SKEP_OK : st;
}

/* Rows that point to the table or its partitions, the pointing ones first. */
static skep_status delete_dependants(skep_catalog *catalog, int64_t table_id, skep_err *err) {
#define OF_PARTITIONS(table) \
  "DELETE FROM \"" table "\" WHERE \"PART_ID\" IN (SELECT \"PART_ID\" FROM \"PARTITIONS\" WHERE \"TBL_ID\" = ?)"
  static const char *const deletes[] = {OF_PARTITIONS("PARTITION_KEY_VALS"),
                                        OF_PARTITIONS("PARTITION_PARAMS"),
                                        OF_PARTITIONS("PART_COL_STATS"),
                                        OF_PARTITIONS("PART_PRIVS"),
                                        OF_PARTITIONS("PART_COL_PRIVS"),
                                        "DELETE FROM \"PARTITIONS\" WHERE \"TBL_ID\" = ?",
                                        "DELETE FROM \"PARTITION_KEYS\" WHERE \"TBL_ID\" = ?",
                                        "DELETE FROM \"TABLE_PARAMS\" WHERE \"TBL_ID\" = ?",
                                        "DELETE FROM \"TAB_COL_STATS\" WHERE \"TBL_ID\" = ?",
                                        "DELETE FROM \"TBL_PRIVS\" WHERE \"TBL_ID\" = ?",
                                        "DELETE FROM \"TBL_COL_PRIVS\" WHERE \"TBL_ID\" = ?",
                                        "DELETE FROM \"TBLS\" WHERE \"TBL_ID\" = ?"};
#undef OF_PARTITIONS
  for (size_t i = 0; i < sizeof deletes / sizeof deletes[0]; i++)
    SKEP_TRY(skep_db_run(catalog->db, deletes[i], SKEP_PARAMS(skep_p_i64(table_id)), NULL, err));
  return SKEP_OK;
}

static skep_status drop_rows(skep_catalog *catalog, skep_arena *arena, const skep_catalog_table *t, skep_err *err) {
  catalog_list storages = {0};
  SKEP_TRY(partition_storages(catalog, arena, t->id, &storages, err));
  SKEP_TRY(catalog_delete_constraints(catalog, t->id, true, err));
  SKEP_TRY(delete_dependants(catalog, t->id, err));
  const storage_ids *ids = storages.items;
  for (size_t i = 0; i < storages.n; i++) {
    SKEP_TRY(catalog_delete_storage(catalog, ids[i].sd, ids[i].serde, err));
    bool last_of_cd = i + 1 == storages.n || ids[i + 1].cd != ids[i].cd;
    if (last_of_cd && ids[i].cd != t->cd_id) SKEP_TRY(catalog_delete_unused_columns(catalog, ids[i].cd, err));
  }
  SKEP_TRY(catalog_delete_storage(catalog, t->sd_id, t->serde_id, err));
  return catalog_delete_unused_columns(catalog, t->cd_id, err);
}

skep_status skep_catalog_drop_table(skep_catalog *catalog, const skep_catalog_table *table, skep_err *err) {
  skep_arena arena;
  skep_arena_init(&arena, catalog->ctx, SIZE_MAX);
  skep_status st = drop_rows(catalog, &arena, table, err);
  skep_arena_fini(&arena);
  return st;
}

/* ---- alter ---- */

static bool same_columns(const skep_type *a, const char *const *a_comments, const skep_type *b,
                         const char *const *b_comments) {
  if (!skep_type_equal(a, b)) return false;
  for (uint32_t i = 0; i < a->n_children; i++)
    if (!skep_same_text(a_comments[i], b_comments[i])) return false;
  return true;
}

static bool same_buckets(const skep_catalog_table *a, const skep_catalog_table *b) {
  if (a->n_bucket_columns != b->n_bucket_columns || a->n_sort_columns != b->n_sort_columns) return false;
  for (uint32_t i = 0; i < a->n_bucket_columns; i++)
    if (strcmp(a->columns->names[a->bucket_columns[i]], b->columns->names[b->bucket_columns[i]]) != 0) return false;
  for (uint32_t i = 0; i < a->n_sort_columns; i++)
    if (strcmp(a->columns->names[a->sort_columns[i].column], b->columns->names[b->sort_columns[i].column]) != 0 ||
        a->sort_columns[i].ascending != b->sort_columns[i].ascending)
      return false;
  return true;
}

static bool same_constraints(const skep_catalog_table *a, const skep_catalog_table *b) {
  if (a->n_constraints != b->n_constraints) return false;
  for (uint32_t i = 0; i < a->n_constraints; i++) {
    const skep_catalog_constraint *x = &a->constraints[i], *y = &b->constraints[i];
    if (x->kind != y->kind || !skep_same_text(x->name, y->name) || !skep_same_text(x->text, y->text) ||
        x->n_columns != y->n_columns || x->enable != y->enable || x->rely != y->rely || x->validate != y->validate)
      return false;
    for (uint32_t k = 0; k < x->n_columns; k++)
      if (x->columns[k] != y->columns[k]) return false;
  }
  return true;
}

/* New columns are a new descriptor: partitions keep the one they were made with. */
static skep_status alter_columns(skep_catalog *catalog, const skep_catalog_table *was, const skep_catalog_table *now,
                                 int64_t *cd_id, skep_err *err) {
  *cd_id = was->cd_id;
  if (same_columns(was->columns, was->column_comments, now->columns, now->column_comments)) return SKEP_OK;
  SKEP_TRY(catalog_insert_columns(catalog, now, cd_id, err));
  static const char *const updates[] = {
      "UPDATE \"SDS\" SET \"CD_ID\" = ? WHERE \"SD_ID\" = ?",
      "UPDATE \"KEY_CONSTRAINTS\" SET \"PARENT_CD_ID\" = ? WHERE \"PARENT_CD_ID\" = ?",
      "UPDATE \"KEY_CONSTRAINTS\" SET \"CHILD_CD_ID\" = ? WHERE \"CHILD_CD_ID\" = ?"};
  for (size_t i = 0; i < 3; i++)
    SKEP_TRY(skep_db_run(catalog->db, updates[i],
                         SKEP_PARAMS(skep_p_i64(*cd_id), skep_p_i64(i == 0 ? was->sd_id : was->cd_id)), NULL, err));
  return catalog_delete_unused_columns(catalog, was->cd_id, err);
}

static skep_status alter_storage(skep_catalog *catalog, const skep_catalog_table *was, const skep_catalog_table *now,
                                 skep_err *err) {
  SKEP_TRY(skep_db_run(catalog->db,
                       "UPDATE \"SDS\" SET \"INPUT_FORMAT\" = ?, \"OUTPUT_FORMAT\" = ?, \"LOCATION\" = ?, "
                       "\"NUM_BUCKETS\" = ? WHERE \"SD_ID\" = ?",
                       SKEP_PARAMS(skep_p_text(now->input_format), skep_p_text(now->output_format),
                                   skep_p_text(now->location), skep_p_i64(now->n_buckets), skep_p_i64(was->sd_id)),
                       NULL, err));
  if (!skep_same_text(was->serde, now->serde))
    SKEP_TRY(skep_db_run(catalog->db, "UPDATE \"SERDES\" SET \"SLIB\" = ? WHERE \"SERDE_ID\" = ?",
                         SKEP_PARAMS(skep_p_text(now->serde), skep_p_i64(was->serde_id)), NULL, err));
  SKEP_TRY(
      catalog_diff_params(catalog, &catalog_serde_params, was->serde_id, &was->serde_params, &now->serde_params, err));
  if (!same_buckets(was, now)) SKEP_TRY(catalog_rewrite_bucketing(catalog, was->sd_id, now, err));
  return SKEP_OK;
}

/* Partitions that lie below the old directory move with it. */
static skep_status move_partitions(skep_catalog *catalog, skep_arena *arena, const skep_catalog_table *was,
                                   const skep_catalog_table *now, skep_err *err) {
  if (skep_same_text(was->location, now->location) || was->location == NULL || now->location == NULL) return SKEP_OK;
  if (skep_same_text(was->db, now->db) && skep_same_text(was->name, now->name)) return SKEP_OK;
  const skep_catalog_partition *partitions;
  size_t n, prefix = strlen(was->location);
  SKEP_TRY(skep_catalog_list_partitions(catalog, arena, was, false, &partitions, &n, err));
  for (size_t i = 0; i < n; i++) {
    const char *at = partitions[i].location;
    if (at == NULL || strncmp(at, was->location, prefix) != 0 || at[prefix] != '/') continue;
    const char *moved = skep_arena_join(arena, now->location, at + prefix, "");
    if (moved == NULL) return catalog_nomem(err);
    SKEP_TRY(skep_db_run(catalog->db, "UPDATE \"SDS\" SET \"LOCATION\" = ? WHERE \"SD_ID\" = ?",
                         SKEP_PARAMS(skep_p_text(moved), skep_p_i64(partitions[i].sd_id)), NULL, err));
  }
  return SKEP_OK;
}

static skep_status alter_rows(skep_catalog *catalog, skep_arena *arena, const skep_catalog_table *was,
                              const skep_catalog_table *now, skep_err *err) {
  skep_catalog_table t = *now;
  const skep_catalog_db *db;
  SKEP_TRY(skep_catalog_get_database(catalog, arena, now->db, &db, err));
  t.id = was->id;
  t.db_id = db->id;
  if (!skep_same_text(was->name, now->name) || was->db_id != t.db_id) SKEP_TRY(check_is_new(catalog, &t, err));
  SKEP_TRY(skep_db_run(
      catalog->db,
      "UPDATE \"TBLS\" SET \"DB_ID\" = ?, \"TBL_NAME\" = ?, \"OWNER\" = ?, \"OWNER_TYPE\" = ?, \"TBL_TYPE\" = ?, "
      "\"LAST_ACCESS_TIME\" = ?, \"RETENTION\" = ?, \"WRITE_ID\" = ?, \"VIEW_EXPANDED_TEXT\" = ?, "
      "\"VIEW_ORIGINAL_TEXT\" = ? WHERE \"TBL_ID\" = ?",
      SKEP_PARAMS(skep_p_i64(t.db_id), skep_p_text(t.name), skep_p_text(t.owner), skep_p_text(t.owner_type),
                  skep_p_text(t.type), skep_p_i64(t.last_access_time_s), skep_p_i64(t.retention),
                  skep_p_i64(t.write_id), skep_p_text(t.view_expanded_text), skep_p_text(t.view_text),
                  skep_p_i64(t.id)),
      NULL, err));
  if (!skep_same_text(was->name, now->name) || was->db_id != t.db_id)
    SKEP_TRY(catalog_rename_column_stats(catalog, &t, err));
  SKEP_TRY(alter_columns(catalog, was, now, &t.cd_id, err));
  SKEP_TRY(alter_storage(catalog, was, now, err));
  SKEP_TRY(catalog_diff_params(catalog, &catalog_table_params, t.id, &was->params, &now->params, err));
  if (!skep_type_equal(was->columns, now->columns))
    SKEP_TRY(catalog_drop_changed_column_stats(catalog, arena, was, now->columns, err));
  if (!same_columns(was->partition_keys, was->partition_comments, now->partition_keys, now->partition_comments)) {
    SKEP_TRY(skep_db_run(catalog->db, "DELETE FROM \"PARTITION_KEYS\" WHERE \"TBL_ID\" = ?",
                         SKEP_PARAMS(skep_p_i64(t.id)), NULL, err));
    SKEP_TRY(catalog_insert_partition_keys(catalog, &t, err));
  }
  if (!same_constraints(was, now)) {
    SKEP_TRY(catalog_delete_constraints(catalog, t.id, false, err));
    SKEP_TRY(catalog_insert_constraints(catalog, arena, &t, err));
  }
  return move_partitions(catalog, arena, was, now, err);
}

skep_status skep_catalog_alter_table(skep_catalog *catalog, const skep_catalog_table *was,
                                     const skep_catalog_table *now, skep_err *err) {
  skep_arena arena;
  skep_arena_init(&arena, catalog->ctx, SIZE_MAX);
  skep_status st = alter_rows(catalog, &arena, was, now, err);
  skep_arena_fini(&arena);
  return st;
}

skep_status skep_catalog_update_table_params(skep_catalog *catalog, const skep_catalog_table *table,
                                             const skep_catalog_param *params, size_t n, int64_t write_id,
                                             skep_err *err) {
  for (size_t i = 0; i < n; i++)
    SKEP_TRY(catalog_put_param(catalog, &catalog_table_params, table->id, &params[i], err));
  if (write_id <= 0) return SKEP_OK;
  return skep_db_run(catalog->db, "UPDATE \"TBLS\" SET \"WRITE_ID\" = ? WHERE \"TBL_ID\" = ?",
                     SKEP_PARAMS(skep_p_i64(write_id), skep_p_i64(table->id)), NULL, err);
}
