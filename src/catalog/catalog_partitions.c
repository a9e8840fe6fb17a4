/* Partitions: lists, additions, removals, renames. */
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog_int.h"

enum { NAME_BYTES = 1 << 20 };

/* ---- reading ---- */

static int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/* The text between at and end with %XX resolved, in the arena. */
static const char *unescape(skep_arena *arena, const char *at, const char *end) {
  char *out = skep_arena_alloc(arena, (size_t)(end - at) + 1), *to = out;
  if (out == NULL) return NULL;
  while (at < end) {
    int high = *at == '%' && end - at > 2 ? hex_value(at[1]) : -1, low = high < 0 ? -1 : hex_value(at[2]);
    if (low > 0 || (low == 0 && high > 0)) {
      *to++ = (char)(high * 16 + low);
      at += 3;
    } else {
      *to++ = *at++;
    }
  }
  *to = '\0';
  return out;
}

/* The values in a name: makePartName made it from them, so nothing is lost and PARTITION_KEY_VALS need not be asked. */
static skep_status split_name(skep_arena *arena, const skep_catalog_table *t, skep_catalog_partition *p,
                              skep_err *err) {
  uint32_t n = t->partition_keys->n_children, at = 0;
  const char **values = skep_arena_zero(arena, n + 1, sizeof *values);
  if (values == NULL) return catalog_nomem(err);
  for (const char *part = p->name; part != NULL && at <= n; at++) {
    const char *slash = strchr(part, '/'), *end = slash == NULL ? part + strlen(part) : slash;
    const char *equals = memchr(part, '=', (size_t)(end - part));
    if (equals == NULL || at == n) {
      at = n + 1;
      break;
    }
    if ((values[at] = unescape(arena, equals + 1, end)) == NULL) return catalog_nomem(err);
    part = slash == NULL ? NULL : slash + 1;
  }
  if (at != n) {
    char quoted[300];
    return skep_fail(err, SKEP_ERR_CORRUPT, "table %s.%s: partition name %s does not fit its %u keys", t->db, t->name,
                     skep_quote(quoted, sizeof quoted, p->name, strlen(p->name)), n);
  }
  p->values = values;
  return SKEP_OK;
}

#define SELECT_PARTITIONS                                                                                           \
  "SELECT P.\"PART_ID\", P.\"PART_NAME\", P.\"CREATE_TIME\", P.\"LAST_ACCESS_TIME\", P.\"WRITE_ID\", P.\"SD_ID\", " \
  "S.\"CD_ID\", S.\"LOCATION\" FROM \"PARTITIONS\" P JOIN \"SDS\" S ON S.\"SD_ID\" = P.\"SD_ID\" WHERE "            \
  "P.\"TBL_ID\" = ?"

static skep_status read_partition(skep_stmt *stmt, skep_arena *arena, const skep_catalog_table *t,
                                  skep_catalog_partition *p, skep_err *err) {
  p->id = skep_stmt_i64(stmt, 0);
  SKEP_TRY(skep_stmt_text_copy(stmt, 1, arena, &p->name, err));
  p->create_time_s = skep_stmt_i64(stmt, 2);
  p->last_access_time_s = skep_stmt_i64(stmt, 3);
  p->write_id = skep_stmt_i64(stmt, 4);
  p->sd_id = skep_stmt_i64(stmt, 5);
  p->cd_id = skep_stmt_i64(stmt, 6);
  SKEP_TRY(skep_stmt_text_copy(stmt, 7, arena, &p->location, err));
  if (p->name == NULL || p->location == NULL)
    return skep_fail(err, SKEP_ERR_CORRUPT, "table %s.%s: partition %lld has no name or place", t->db, t->name,
                     (long long)p->id);
  return split_name(arena, t, p, err);
}

static int compare_partition_names(const void *a, const void *b) {
  return strcmp(((const skep_catalog_partition *)a)->name, ((const skep_catalog_partition *)b)->name);
}

static int compare_ids(const void *left, const void *right) {
  const skep_catalog_partition *a = *(skep_catalog_partition *const *)left,
                               *b = *(skep_catalog_partition *const *)right;
  return a->id < b->id ? -1 : a->id > b->id;
}

/* Gives each partition its rows of one ordered result (PART_ID, key, value). */
static skep_status spread_params(skep_stmt *stmt, skep_arena *arena, skep_catalog_partition **by_id, size_t n,
                                 skep_err *err) {
  catalog_list list = {0};
  size_t at = 0;
  skep_status st;
  while ((st = skep_stmt_next(stmt, err)) == SKEP_OK) {
    int64_t id = skep_stmt_i64(stmt, 0);
    while (at < n && by_id[at]->id < id) {
      catalog_params_sort(list.items, list.n);
      by_id[at++]->params = (skep_catalog_params){list.items, list.n};
      list = (catalog_list){0};
    }
    if (at == n || by_id[at]->id != id) continue;
    skep_catalog_param *p = catalog_list_add(arena, &list, sizeof *p);
    if (p == NULL) return catalog_nomem(err);
    SKEP_TRY(skep_stmt_text_copy(stmt, 1, arena, &p->key, err));
    SKEP_TRY(skep_stmt_text_copy(stmt, 2, arena, &p->value, err));
    if (p->key == NULL) p->key = "";
    if (p->value == NULL) p->value = "";
  }
  if (st != SKEP_END) return st;
  if (at < n) {
    catalog_params_sort(list.items, list.n);
    by_id[at]->params = (skep_catalog_params){list.items, list.n};
  }
  return SKEP_OK;
}

static skep_status read_params(skep_catalog *catalog, skep_arena *arena, const char *sql, int64_t id,
                               skep_catalog_partition *partitions, size_t n, skep_err *err) {
  skep_catalog_partition **by_id = skep_arena_zero(arena, n + 1, sizeof *by_id);
  if (by_id == NULL) return catalog_nomem(err);
  for (size_t i = 0; i < n; i++) by_id[i] = &partitions[i];
  if (n > 1) qsort(by_id, n, sizeof *by_id, compare_ids);
  skep_stmt *stmt;
  SKEP_TRY(skep_db_query(catalog->db, sql, SKEP_PARAMS(skep_p_i64(id)), &stmt, err));
  skep_status st = spread_params(stmt, arena, by_id, n, err);
  skep_stmt_done(stmt);
  return st;
}

skep_status skep_catalog_partition_stamp(skep_catalog *catalog, const skep_catalog_table *table, int64_t *n,
                                         int64_t *max_id, skep_err *err) {
  skep_stmt *stmt;
  SKEP_TRY(skep_db_query(catalog->db, "SELECT count(*), max(\"PART_ID\") FROM \"PARTITIONS\" WHERE \"TBL_ID\" = ?",
                         SKEP_PARAMS(skep_p_i64(table->id)), &stmt, err));
  skep_status st = skep_stmt_next(stmt, err);
  if (st == SKEP_OK) {
    *n = skep_stmt_i64(stmt, 0);
    *max_id = skep_stmt_i64(stmt, 1);
  }
  skep_stmt_done(stmt);
  return st;
}

skep_status skep_catalog_list_partitions(skep_catalog *catalog, skep_arena *arena, const skep_catalog_table *table,
                                         bool with_params, const skep_catalog_partition **out, size_t *n,
                                         skep_err *err) {
  skep_stmt *stmt;
  SKEP_TRY(skep_db_query(catalog->db, SELECT_PARTITIONS, SKEP_PARAMS(skep_p_i64(table->id)), &stmt, err));
  catalog_list list = {0};
  skep_status st;
  while ((st = skep_stmt_next(stmt, err)) == SKEP_OK) {
    skep_catalog_partition *p = catalog_list_add(arena, &list, sizeof *p);
    st = p == NULL ? catalog_nomem(err) : read_partition(stmt, arena, table, p, err);
    if (st != SKEP_OK) break;
  }
  skep_stmt_done(stmt);
  if (st != SKEP_END) return st;
  if (list.n > 1) qsort(list.items, list.n, sizeof(skep_catalog_partition), compare_partition_names);
  if (with_params && list.n > 0)
    SKEP_TRY(read_params(catalog, arena,
                         "SELECT \"PART_ID\", \"PARAM_KEY\", \"PARAM_VALUE\" FROM \"PARTITION_PARAMS\" WHERE "
                         "\"PART_ID\" IN (SELECT \"PART_ID\" FROM \"PARTITIONS\" WHERE \"TBL_ID\" = ?) ORDER BY "
                         "\"PART_ID\"",
                         table->id, list.items, list.n, err));
  *out = list.items;
  *n = list.n;
  return SKEP_OK;
}

skep_status skep_catalog_get_partition(skep_catalog *catalog, skep_arena *arena, const skep_catalog_table *table,
                                       const char *name, skep_catalog_partition **out, skep_err *err) {
  *out = NULL;
  skep_catalog_partition *p = skep_arena_zero(arena, 1, sizeof *p);
  if (p == NULL) return catalog_nomem(err);
  skep_stmt *stmt;
  SKEP_TRY(skep_db_query(catalog->db, SELECT_PARTITIONS " AND P.\"PART_NAME\" = ?",
                         SKEP_PARAMS(skep_p_i64(table->id), skep_p_text(name)), &stmt, err));
  skep_status st = skep_stmt_next(stmt, err);
  if (st == SKEP_OK) st = read_partition(stmt, arena, table, p, err);
  skep_stmt_done(stmt);
  if (st == SKEP_END) {
    char quoted[300];
    return skep_fail(err, SKEP_ERR_NOT_FOUND, "Partition not found %s.%s %s", table->db, table->name,
                     skep_quote(quoted, sizeof quoted, name, strlen(name)));
  }
  if (st != SKEP_OK) return st;
  SKEP_TRY(read_params(catalog, arena,
                       "SELECT \"PART_ID\", \"PARAM_KEY\", \"PARAM_VALUE\" FROM \"PARTITION_PARAMS\" WHERE \"PART_ID\" "
                       "= ?",
                       p->id, p, 1, err));
  *out = p;
  return SKEP_OK;
}

/* ---- changing ---- */

static skep_status make_name(skep_arena *arena, const skep_catalog_table *t, skep_catalog_partition *p, skep_err *err) {
  for (uint32_t i = 0; i < t->partition_keys->n_children; i++) {
    const char *value = p->values[i];
    if (value != NULL && strlen(value) > 4000)
      return skep_fail(err, SKEP_ERR_LIMIT, "a partition value of %zu bytes", strlen(value));
  }
  skep_buf buf;
  skep_buf_init(&buf, arena->ctx, NAME_BYTES);
  skep_catalog_partition_name(t->partition_keys, p->values, &buf);
  skep_status st = skep_buf_check(&buf, "a partition name", err);
  if (st == SKEP_OK && (p->name = skep_buf_copy(&buf, arena)) == NULL) st = catalog_nomem(err);
  skep_buf_fini(&buf);
  return st;
}

static skep_status insert_values(skep_catalog *catalog, const skep_catalog_table *t, const skep_catalog_partition *p,
                                 skep_err *err) {
  for (uint32_t i = 0; i < t->partition_keys->n_children; i++) {
    bool none = p->values[i] == NULL || p->values[i][0] == '\0';
    SKEP_TRY(skep_db_run(
        catalog->db,
        "INSERT INTO \"PARTITION_KEY_VALS\" (\"PART_ID\", \"PART_KEY_VAL\", \"INTEGER_IDX\") VALUES (?, ?, ?)",
        SKEP_PARAMS(skep_p_i64(p->id), skep_p_text(none ? "__HIVE_DEFAULT_PARTITION__" : p->values[i]), skep_p_i64(i)),
        NULL, err));
  }
  return SKEP_OK;
}

/* Ids for one partition after another come from blocks taken at once. */
typedef struct id_blocks {
  int64_t partition, sd, serde;
} id_blocks;

static skep_status insert_partition(skep_catalog *catalog, const skep_catalog_table *t, skep_catalog_partition *p,
                                    int64_t serde_id, skep_err *err) {
  catalog_storage storage = {p->sd_id, p->cd_id, serde_id, p->location, t, t->kind == SKEP_TABLE_FULL_ACID};
  SKEP_TRY(catalog_insert_storage(catalog, &storage, err));
  SKEP_TRY(skep_db_run(
      catalog->db,
      "INSERT INTO \"PARTITIONS\" (\"PART_ID\", \"CREATE_TIME\", \"LAST_ACCESS_TIME\", \"PART_NAME\", \"SD_ID\", "
      "\"TBL_ID\", \"WRITE_ID\") VALUES (?, ?, ?, ?, ?, ?, ?)",
      SKEP_PARAMS(skep_p_i64(p->id), skep_p_i64(p->create_time_s), skep_p_i64(p->last_access_time_s),
                  skep_p_text(p->name), skep_p_i64(p->sd_id), skep_p_i64(t->id), skep_p_i64(p->write_id)),
      NULL, err));
  SKEP_TRY(insert_values(catalog, t, p, err));
  return catalog_insert_params(catalog, catalog_partition_params.insert, p->id, &p->params, err);
}

static skep_status check_is_new(skep_catalog *catalog, const skep_catalog_table *t, const char *name, skep_err *err) {
  int64_t id;
  bool found;
  SKEP_TRY(skep_db_get_i64(catalog->db,
                           "SELECT \"PART_ID\" FROM \"PARTITIONS\" WHERE \"TBL_ID\" = ? AND \"PART_NAME\" = ?",
                           SKEP_PARAMS(skep_p_i64(t->id), skep_p_text(name)), &id, &found, err));
  if (!found) return SKEP_OK;
  char quoted[300];
  return skep_fail(err, SKEP_ERR_EXISTS, "Partition already exists: %s.%s %s", t->db, t->name,
                   skep_quote(quoted, sizeof quoted, name, strlen(name)));
}

skep_status skep_catalog_add_partitions(skep_catalog *catalog, skep_arena *arena, const skep_catalog_table *t,
                                        skep_catalog_partition *partitions, size_t n, skep_err *err) {
  if (n == 0) return SKEP_OK;
  int64_t now;
  SKEP_TRY(catalog_now_s(catalog, &now, err));
  const char *time = catalog_number(arena, now);
  if (time == NULL) return catalog_nomem(err);
  id_blocks ids;
  SKEP_TRY(skep_db_next_ids(catalog->db, "MPartition", (int64_t)n, &ids.partition, err));
  SKEP_TRY(skep_db_next_ids(catalog->db, "MStorageDescriptor", (int64_t)n, &ids.sd, err));
  SKEP_TRY(skep_db_next_ids(catalog->db, "MSerDeInfo", (int64_t)n, &ids.serde, err));
  for (size_t i = 0; i < n; i++) {
    skep_catalog_partition *p = &partitions[i];
    SKEP_TRY(make_name(arena, t, p, err));
    SKEP_TRY(check_is_new(catalog, t, p->name, err));
    if (p->location == NULL && (p->location = skep_arena_join(arena, t->location, "/", p->name)) == NULL)
      return catalog_nomem(err);
    if (p->create_time_s == 0) p->create_time_s = now;
    SKEP_TRY(skep_catalog_param_set(arena, &p->params, "transient_lastDdlTime", time, err));
    p->id = ids.partition + (int64_t)i;
    p->sd_id = ids.sd + (int64_t)i;
    p->cd_id = t->cd_id;
    SKEP_TRY(insert_partition(catalog, t, p, ids.serde + (int64_t)i, err));
  }
  return SKEP_OK;
}

skep_status skep_catalog_drop_partition(skep_catalog *catalog, const skep_catalog_table *t,
                                        const skep_catalog_partition *p, skep_err *err) {
  int64_t serde_id;
  SKEP_TRY(skep_db_get_i64(catalog->db, "SELECT \"SERDE_ID\" FROM \"SDS\" WHERE \"SD_ID\" = ?",
                           SKEP_PARAMS(skep_p_i64(p->sd_id)), &serde_id, NULL, err));
  static const char *const deletes[] = {"DELETE FROM \"PARTITION_KEY_VALS\" WHERE \"PART_ID\" = ?",
                                        "DELETE FROM \"PARTITION_PARAMS\" WHERE \"PART_ID\" = ?",
                                        "DELETE FROM \"PART_COL_STATS\" WHERE \"PART_ID\" = ?",
                                        "DELETE FROM \"PART_PRIVS\" WHERE \"PART_ID\" = ?",
                                        "DELETE FROM \"PART_COL_PRIVS\" WHERE \"PART_ID\" = ?",
                                        "DELETE FROM \"PARTITIONS\" WHERE \"PART_ID\" = ?"};
  for (size_t i = 0; i < sizeof deletes / sizeof deletes[0]; i++)
    SKEP_TRY(skep_db_run(catalog->db, deletes[i], SKEP_PARAMS(skep_p_i64(p->id)), NULL, err));
  SKEP_TRY(catalog_delete_storage(catalog, p->sd_id, serde_id, err));
  return p->cd_id == t->cd_id ? SKEP_OK : catalog_delete_unused_columns(catalog, p->cd_id, err);
}

static skep_status alter_partition(skep_catalog *catalog, skep_arena *arena, const skep_catalog_table *t,
                                   const skep_catalog_partition *was, skep_catalog_partition *now, skep_err *err) {
  SKEP_TRY(make_name(arena, t, now, err));
  if (strcmp(now->name, was->name) != 0) {
    SKEP_TRY(check_is_new(catalog, t, now->name, err));
    SKEP_TRY(skep_db_run(catalog->db, "DELETE FROM \"PARTITION_KEY_VALS\" WHERE \"PART_ID\" = ?",
                         SKEP_PARAMS(skep_p_i64(was->id)), NULL, err));
    SKEP_TRY(insert_values(catalog, t, now, err));
    SKEP_TRY(catalog_rename_partition_stats(catalog, now, err));
  }
  SKEP_TRY(skep_db_run(catalog->db,
                       "UPDATE \"PARTITIONS\" SET \"PART_NAME\" = ?, \"LAST_ACCESS_TIME\" = ?, \"WRITE_ID\" = ? WHERE "
                       "\"PART_ID\" = ?",
                       SKEP_PARAMS(skep_p_text(now->name), skep_p_i64(now->last_access_time_s),
                                   skep_p_i64(now->write_id), skep_p_i64(was->id)),
                       NULL, err));
  SKEP_TRY(skep_db_run(catalog->db, "UPDATE \"SDS\" SET \"LOCATION\" = ?, \"CD_ID\" = ? WHERE \"SD_ID\" = ?",
                       SKEP_PARAMS(skep_p_text(now->location), skep_p_i64(now->cd_id), skep_p_i64(was->sd_id)), NULL,
                       err));
  if (now->cd_id != was->cd_id) SKEP_TRY(catalog_delete_unused_columns(catalog, was->cd_id, err));
  return catalog_diff_params(catalog, &catalog_partition_params, was->id, &was->params, &now->params, err);
}

skep_status skep_catalog_alter_partition(skep_catalog *catalog, const skep_catalog_table *table,
                                         const skep_catalog_partition *was, const skep_catalog_partition *now,
                                         skep_err *err) {
  skep_arena arena;
  skep_arena_init(&arena, catalog->ctx, NAME_BYTES);
  skep_catalog_partition p = *now;
  p.id = was->id;
  skep_status st = alter_partition(catalog, &arena, table, was, &p, err);
  skep_arena_fini(&arena);
  return st;
}

skep_status skep_catalog_update_partition_params(skep_catalog *catalog, const skep_catalog_table *table,
                                                 const skep_catalog_partition *partition,
                                                 const skep_catalog_param *params, size_t n, int64_t write_id,
                                                 skep_err *err) {
  (void)table;
  for (size_t i = 0; i < n; i++)
    SKEP_TRY(catalog_put_param(catalog, &catalog_partition_params, partition->id, &params[i], err));
  if (write_id <= 0) return SKEP_OK;
  return skep_db_run(catalog->db, "UPDATE \"PARTITIONS\" SET \"WRITE_ID\" = ? WHERE \"PART_ID\" = ?",
                     SKEP_PARAMS(skep_p_i64(write_id), skep_p_i64(partition->id)), NULL, err);
}

skep_status skep_catalog_cascade_columns(skep_catalog *catalog, const skep_catalog_table *table, skep_err *err) {
  skep_arena arena;
  skep_arena_init(&arena, catalog->ctx, SIZE_MAX);
  const skep_catalog_partition *partitions;
  size_t n;
  skep_status st = skep_catalog_list_partitions(catalog, &arena, table, false, &partitions, &n, err);
  for (size_t i = 0; st == SKEP_OK && i < n; i++) {
    if (partitions[i].cd_id == table->cd_id) continue;
    st = skep_db_run(catalog->db, "UPDATE \"SDS\" SET \"CD_ID\" = ? WHERE \"SD_ID\" = ?",
                     SKEP_PARAMS(skep_p_i64(table->cd_id), skep_p_i64(partitions[i].sd_id)), NULL, err);
    if (st == SKEP_OK) st = catalog_delete_unused_columns(catalog, partitions[i].cd_id, err);
  }
  skep_arena_fini(&arena);
  return st;
}
