/* Opening the catalog, databases, and the small helpers of this layer. */
#include "catalog/catalog.h"

#include <stdlib.h>
#include <string.h>

#include "catalog/catalog_int.h"

enum { OWN_STRINGS_BYTES = 1 << 20 };

skep_status catalog_nomem(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "catalog: out of memory"); }

skep_status catalog_now_s(skep_catalog *catalog, int64_t *out, skep_err *err) {
  int64_t ms;
  SKEP_TRY(skep_db_now_ms(catalog->db, &ms, err));
  *out = ms / 1000;
  return SKEP_OK;
}

const char *catalog_number(skep_arena *arena, int64_t value) {
  char digits[24];
  size_t at = sizeof digits;
  uint64_t rest = value < 0 ? (uint64_t)0 - (uint64_t)value : (uint64_t)value;
  do {
    digits[--at] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (value < 0) digits[--at] = '-';
  return skep_arena_strndup(arena, digits + at, sizeof digits - at);
}

const char *catalog_lower(skep_arena *arena, const char *text) {
  char *copy = skep_arena_strndup(arena, text, strlen(text));
  for (char *at = copy; at != NULL && *at != '\0'; at++)
    if (*at >= 'A' && *at <= 'Z') *at = (char)(*at - 'A' + 'a');
  return copy;
}

bool catalog_copy_text(skep_arena *arena, const char **text) {
  if (*text == NULL) return true;
  *text = skep_arena_strndup(arena, *text, strlen(*text));
  return *text != NULL;
}

void *catalog_list_add(skep_arena *arena, catalog_list *list, size_t size) {
  if (list->n == list->capacity) {
    size_t capacity = list->capacity == 0 ? 8 : list->capacity * 2;
    if (capacity > CATALOG_MAX_NAMES) return NULL;
    void *items = skep_arena_zero(arena, capacity, size);
    if (items == NULL) return NULL;
    if (list->n > 0) memcpy(items, list->items, list->n * size);
    list->items = items;
    list->capacity = capacity;
  }
  return (uint8_t *)list->items + size * list->n++;
}

skep_status catalog_insert_params(skep_catalog *catalog, const char *sql, int64_t owner,
                                  const skep_catalog_params *params, skep_err *err) {
  for (size_t i = 0; i < params->n; i++)
    SKEP_TRY(skep_db_run(
        catalog->db, sql,
        SKEP_PARAMS(skep_p_i64(owner), skep_p_text(params->items[i].key), skep_p_text(params->items[i].value)), NULL,
        err));
  return SKEP_OK;
}

/* ---- opening ---- */

/* As Hive's server on its first start: database default, owned by the role public. */
static skep_status ensure_default(skep_catalog *catalog, skep_err *err) {
  int64_t id;
  bool found;
  const char *sql = "SELECT \"DB_ID\" FROM \"DBS\" WHERE \"NAME\" = 'default' AND \"CTLG_NAME\" = 'hive'";
  SKEP_TRY(skep_db_get_i64(catalog->db, sql, SKEP_NO_PARAMS, &id, &found, err));
  if (found || skep_db_is_read_only(catalog->db)) return SKEP_OK;
  bool joined;
  SKEP_TRY(skep_db_begin_unless(catalog->db, SKEP_DB_WRITE, &joined, err));
  skep_status st = skep_db_get_i64(catalog->db, sql, SKEP_NO_PARAMS, &id, &found, err);
  if (st == SKEP_OK && !found) {
    skep_arena arena;
    skep_arena_init(&arena, catalog->ctx, OWN_STRINGS_BYTES);
    skep_catalog_db db = {
        .name = "default", .comment = "Default Hive database", .owner = "public", .owner_type = "ROLE"};
    db.location = skep_catalog_uri(&arena, catalog->external);
    if (db.location == NULL) st = catalog_nomem(err);
    if (st == SKEP_OK) st = skep_catalog_create_database(catalog, &db, err);
    skep_arena_fini(&arena);
  }
  return skep_db_end(catalog->db, joined, st, err);
}

skep_status skep_catalog_open(const skep_ctx *ctx, skep_db *db, const skep_catalog_opts *opts, skep_catalog **out,
                              skep_err *err) {
  *out = NULL;
  if (opts->warehouse == NULL || opts->warehouse[0] != '/')
    return skep_fail(err, SKEP_ERR_ARGUMENT, "catalog: the warehouse must be an absolute path");
  skep_catalog *catalog = skep_alloc_zero(ctx, 1, sizeof *catalog);
  if (catalog == NULL) return catalog_nomem(err);
  catalog->ctx = ctx;
  catalog->db = db;
  skep_arena_init(&catalog->arena, ctx, OWN_STRINGS_BYTES);
  catalog->warehouse = opts->warehouse;
  catalog->external = opts->external == NULL ? opts->warehouse : opts->external;
  catalog->user = opts->user == NULL ? "anonymous" : opts->user;
  skep_status st = SKEP_OK;
  if (!catalog_copy_text(&catalog->arena, &catalog->warehouse) ||
      !catalog_copy_text(&catalog->arena, &catalog->external) || !catalog_copy_text(&catalog->arena, &catalog->user))
    st = catalog_nomem(err);
  if (st == SKEP_OK) st = ensure_default(catalog, err);
  if (st != SKEP_OK) {
    skep_catalog_close(catalog);
    return st;
  }
  *out = catalog;
  return SKEP_OK;
}

void skep_catalog_close(skep_catalog *catalog) {
  if (catalog == NULL) return;
  skep_arena_fini(&catalog->arena);
  skep_release(catalog->ctx, catalog);
}

/* ---- databases ---- */

static skep_status read_params(skep_catalog *catalog, skep_arena *arena, const char *sql, int64_t owner,
                               skep_catalog_params *out, skep_err *err) {
  skep_stmt *stmt;
  SKEP_TRY(skep_db_query(catalog->db, sql, SKEP_PARAMS(skep_p_i64(owner)), &stmt, err));
  catalog_list list = {0};
  skep_status st;
  while ((st = skep_stmt_next(stmt, err)) == SKEP_OK) {
    skep_catalog_param *p = catalog_list_add(arena, &list, sizeof *p);
    if (p == NULL) {
      st = catalog_nomem(err);
      break;
    }
    if ((st = skep_stmt_text_copy(stmt, 0, arena, &p->key, err)) != SKEP_OK) break;
    if ((st = skep_stmt_text_copy(stmt, 1, arena, &p->value, err)) != SKEP_OK) break;
    if (p->key == NULL) p->key = "";
    if (p->value == NULL) p->value = "";
  }
  skep_stmt_done(stmt);
  if (st != SKEP_END) return st;
  catalog_params_sort(list.items, list.n);
  *out = (skep_catalog_params){list.items, list.n};
  return SKEP_OK;
}

static skep_status read_database(skep_stmt *stmt, skep_arena *arena, skep_catalog_db *db, skep_err *err) {
  db->id = skep_stmt_i64(stmt, 0);
  SKEP_TRY(skep_stmt_text_copy(stmt, 1, arena, &db->name, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 2, arena, &db->comment, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 3, arena, &db->location, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 4, arena, &db->managed_location, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 5, arena, &db->owner, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 6, arena, &db->owner_type, err));
  db->create_time_s = skep_stmt_i64(stmt, 7);
  return SKEP_OK;
}

skep_status skep_catalog_get_database(skep_catalog *catalog, skep_arena *arena, const char *name,
                                      const skep_catalog_db **out, skep_err *err) {
  *out = NULL;
  const char *lower = catalog_lower(arena, name);
  skep_catalog_db *db = skep_arena_zero(arena, 1, sizeof *db);
  if (lower == NULL || db == NULL) return catalog_nomem(err);
  skep_stmt *stmt;
  SKEP_TRY(skep_db_query(catalog->db,
                         "SELECT \"DB_ID\", \"NAME\", \"DESC\", \"DB_LOCATION_URI\", \"DB_MANAGED_LOCATION_URI\", "
                         "\"OWNER_NAME\", \"OWNER_TYPE\", \"CREATE_TIME\" FROM \"DBS\" WHERE \"NAME\" = ? AND "
                         "\"CTLG_NAME\" = 'hive'",
                         SKEP_PARAMS(skep_p_text(lower)), &stmt, err));
  skep_status st = skep_stmt_next(stmt, err);
  if (st == SKEP_OK) st = read_database(stmt, arena, db, err);
  skep_stmt_done(stmt);
  if (st == SKEP_END) {
    char quoted[300];
    return skep_fail(err, SKEP_ERR_NOT_FOUND, "Database does not exist: %s",
                     skep_quote(quoted, sizeof quoted, lower, strlen(lower)));
  }
  if (st != SKEP_OK) return st;
  SKEP_TRY(read_params(catalog, arena,
                       "SELECT \"PARAM_KEY\", \"PARAM_VALUE\" FROM \"DATABASE_PARAMS\" WHERE \"DB_ID\" = ?", db->id,
                       &db->params, err));
  *out = db;
  return SKEP_OK;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

skep_status skep_catalog_list_databases(skep_catalog *catalog, skep_arena *arena, const char *const **names, size_t *n,
                                        skep_err *err) {
  skep_stmt *stmt;
  SKEP_TRY(skep_db_query(catalog->db, "SELECT \"NAME\" FROM \"DBS\" WHERE \"CTLG_NAME\" = 'hive'", SKEP_NO_PARAMS,
                         &stmt, err));
  catalog_list list = {0};
  skep_status st;
  while ((st = skep_stmt_next(stmt, err)) == SKEP_OK) {
    const char **name = catalog_list_add(arena, &list, sizeof *name);
    st = name == NULL ? catalog_nomem(err) : skep_stmt_text_copy(stmt, 0, arena, name, err);
    if (st != SKEP_OK) break;
    if (*name == NULL) *name = "";
  }
  skep_stmt_done(stmt);
  if (st != SKEP_END) return st;
  if (list.n > 1) qsort(list.items, list.n, sizeof(char *), compare_names);
  *names = list.items;
  *n = list.n;
  return SKEP_OK;
}

/* Locations of a new database: <external>/x.db, and <warehouse>/x.db as the managed one where the two differ. */
static bool default_locations(skep_catalog *catalog, skep_arena *arena, skep_catalog_db *db) {
  const char *file = skep_arena_join(arena, "/", db->name, ".db");
  if (file == NULL) return false;
  if (db->location == NULL && (db->location = skep_arena_join(arena, "file:", catalog->external, file)) == NULL)
    return false;
  bool apart = strcmp(catalog->warehouse, catalog->external) != 0 && strcmp(db->name, "default") != 0;
  if (db->managed_location == NULL && apart)
    return (db->managed_location = skep_arena_join(arena, "file:", catalog->warehouse, file)) != NULL;
  return true;
}

static skep_status insert_database(skep_catalog *catalog, skep_arena *arena, skep_catalog_db *db, skep_err *err) {
  if (!default_locations(catalog, arena, db)) return catalog_nomem(err);
  if (db->create_time_s == 0) SKEP_TRY(catalog_now_s(catalog, &db->create_time_s, err));
  int64_t taken;
  bool found;
  SKEP_TRY(skep_db_get_i64(catalog->db, "SELECT \"DB_ID\" FROM \"DBS\" WHERE \"NAME\" = ? AND \"CTLG_NAME\" = 'hive'",
                           SKEP_PARAMS(skep_p_text(db->name)), &taken, &found, err));
  if (found) {
    char quoted[300];
    return skep_fail(err, SKEP_ERR_EXISTS, "Database %s already exists",
                     skep_quote(quoted, sizeof quoted, db->name, strlen(db->name)));
  }
  SKEP_TRY(skep_db_next_ids(catalog->db, "MDatabase", 1, &db->id, err));
  SKEP_TRY(skep_db_run(
      catalog->db,
      "INSERT INTO \"DBS\" (\"DB_ID\", \"DESC\", \"DB_LOCATION_URI\", \"NAME\", \"OWNER_NAME\", \"OWNER_TYPE\", "
      "\"CTLG_NAME\", \"CREATE_TIME\", \"DB_MANAGED_LOCATION_URI\", \"TYPE\") VALUES (?, ?, ?, ?, ?, ?, 'hive', ?, ?, "
      "'NATIVE')",
      SKEP_PARAMS(skep_p_i64(db->id), skep_p_text(db->comment), skep_p_text(db->location), skep_p_text(db->name),
                  skep_p_text(db->owner == NULL ? catalog->user : db->owner),
                  skep_p_text(db->owner_type == NULL ? "USER" : db->owner_type), skep_p_i64(db->create_time_s),
                  skep_p_text(db->managed_location)),
      NULL, err));
  return catalog_insert_params(
      catalog, "INSERT INTO \"DATABASE_PARAMS\" (\"DB_ID\", \"PARAM_KEY\", \"PARAM_VALUE\") VALUES (?, ?, ?)", db->id,
      &db->params, err);
}

skep_status skep_catalog_create_database(skep_catalog *catalog, const skep_catalog_db *db, skep_err *err) {
  skep_arena arena;
  skep_arena_init(&arena, catalog->ctx, OWN_STRINGS_BYTES);
  skep_catalog_db row = *db;
  row.name = catalog_lower(&arena, db->name);
  skep_status st = row.name == NULL ? catalog_nomem(err) : insert_database(catalog, &arena, &row, err);
  skep_arena_fini(&arena);
  return st;
}

skep_status skep_catalog_alter_database(skep_catalog *catalog, const skep_catalog_db *db, skep_err *err) {
  SKEP_TRY(
      skep_db_run(catalog->db,
                  "UPDATE \"DBS\" SET \"DESC\" = ?, \"DB_LOCATION_URI\" = ?, \"DB_MANAGED_LOCATION_URI\" = ?, "
                  "\"OWNER_NAME\" = ?, \"OWNER_TYPE\" = ? WHERE \"DB_ID\" = ?",
                  SKEP_PARAMS(skep_p_text(db->comment), skep_p_text(db->location), skep_p_text(db->managed_location),
                              skep_p_text(db->owner), skep_p_text(db->owner_type), skep_p_i64(db->id)),
                  NULL, err));
  SKEP_TRY(skep_db_run(catalog->db, "DELETE FROM \"DATABASE_PARAMS\" WHERE \"DB_ID\" = ?",
                       SKEP_PARAMS(skep_p_i64(db->id)), NULL, err));
  return catalog_insert_params(
      catalog, "INSERT INTO \"DATABASE_PARAMS\" (\"DB_ID\", \"PARAM_KEY\", \"PARAM_VALUE\") VALUES (?, ?, ?)", db->id,
      &db->params, err);
}

skep_status skep_catalog_drop_database(skep_catalog *catalog, const skep_catalog_db *db, skep_err *err) {
  int64_t tables;
  SKEP_TRY(skep_db_get_i64(catalog->db, "SELECT count(*) FROM \"TBLS\" WHERE \"DB_ID\" = ?",
                           SKEP_PARAMS(skep_p_i64(db->id)), &tables, NULL, err));
  if (tables > 0)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "Database %s is not empty. One or more tables exist.", db->name);
  static const char *const deletes[] = {"DELETE FROM \"DATABASE_PARAMS\" WHERE \"DB_ID\" = ?",
                                        "DELETE FROM \"DB_PRIVS\" WHERE \"DB_ID\" = ?",
                                        "DELETE FROM \"DBS\" WHERE \"DB_ID\" = ?"};
  for (size_t i = 0; i < sizeof deletes / sizeof deletes[0]; i++)
    SKEP_TRY(skep_db_run(catalog->db, deletes[i], SKEP_PARAMS(skep_p_i64(db->id)), NULL, err));
  return SKEP_OK;
}

skep_status skep_catalog_lock_table(skep_catalog *catalog, int64_t table_id, skep_err *err) {
  int64_t ignored;
  if (skep_db_dialect(catalog->db)->writers_alone) return SKEP_OK;
  return skep_db_get_i64(catalog->db, "SELECT \"TBL_ID\" FROM \"TBLS\" WHERE \"TBL_ID\" = ?{for_update}",
                         SKEP_PARAMS(skep_p_i64(table_id)), &ignored, NULL, err);
}
