/* Statistics of columns: TAB_COL_STATS and PART_COL_STATS.
 *
 * Source: golden 19-metastore (TAB_COL_STATS after ANALYZE), txn-protocol 1.5; Hive's StatObjectConverter for what goes
 * where by type. BIT_VECTOR and HISTOGRAM stay NULL, as a Hive leaves them that computes none: estimates are made from
 * NUM_DISTINCTS then. */
#include <math.h>
#include <string.h>

#include "catalog/catalog_int.h"

/* Columns of both tables, after their owner's id. */
#define COLUMNS                                                                                                      \
  "\"COLUMN_NAME\", \"COLUMN_TYPE\", \"LONG_LOW_VALUE\", \"LONG_HIGH_VALUE\", \"DOUBLE_LOW_VALUE\", "                \
  "\"DOUBLE_HIGH_VALUE\", \"BIG_DECIMAL_LOW_VALUE\", \"BIG_DECIMAL_HIGH_VALUE\", \"NUM_NULLS\", \"NUM_DISTINCTS\", " \
  "\"AVG_COL_LEN\", \"MAX_COL_LEN\", \"NUM_TRUES\", \"NUM_FALSES\", \"LAST_ANALYZED\""
#define MARKS "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?"
enum { N_COLUMNS = 15 };

/* ---- writing ---- */

static skep_param number(bool is_set, int64_t value) { return is_set ? skep_p_i64(value) : skep_p_null(); }
static skep_param real(bool is_set, double value) { return is_set ? skep_p_f64(value) : skep_p_null(); }

static size_t fill(const skep_catalog_column_stats *c, int64_t now_s, skep_param *p) {
  bool is_long = c->range == SKEP_COLUMN_LONGS, is_double = c->range == SKEP_COLUMN_DOUBLES;
  bool is_decimal = c->range == SKEP_COLUMN_DECIMALS;
  const skep_param all[N_COLUMNS] = {skep_p_text(c->column),
                                     skep_p_text(c->type),
                                     number(is_long, c->low),
                                     number(is_long, c->high),
                                     real(is_double, c->low_double),
                                     real(is_double, c->high_double),
                                     is_decimal ? skep_p_text(c->low_decimal) : skep_p_null(),
                                     is_decimal ? skep_p_text(c->high_decimal) : skep_p_null(),
                                     skep_p_i64(c->n_nulls),
                                     number(c->has_distinct, c->n_distinct),
                                     real(c->has_length, c->avg_length),
                                     number(c->has_length, c->max_length),
                                     number(c->has_bools, c->n_trues),
                                     number(c->has_bools, c->n_falses),
                                     skep_p_i64(now_s)};
  memcpy(p, all, sizeof all);
  return N_COLUMNS;
}

static skep_status delete_one(skep_catalog *catalog, const skep_catalog_table *t, const skep_catalog_partition *p,
                              const char *column, skep_err *err) {
  return skep_db_run(catalog->db,
                     p == NULL ? "DELETE FROM \"TAB_COL_STATS\" WHERE \"TBL_ID\" = ? AND \"COLUMN_NAME\" = ?"
                               : "DELETE FROM \"PART_COL_STATS\" WHERE \"PART_ID\" = ? AND \"COLUMN_NAME\" = ?",
                     SKEP_PARAMS(skep_p_i64(p == NULL ? t->id : p->id), skep_p_text(column)), NULL, err);
}

/* Up to 4.0 the rows name their table (and partition); later ones have its id alone. */
static skep_status insert_one(skep_catalog *catalog, const skep_catalog_table *t, const skep_catalog_partition *p,
                              const skep_catalog_column_stats *c, int64_t id, int64_t now_s, bool have_names,
                              skep_err *err) {
  static const char *const texts[2][2] = {
      {"INSERT INTO \"TAB_COL_STATS\" (\"CS_ID\", \"TBL_ID\", \"ENGINE\", " COLUMNS ") VALUES (?, ?, 'hive', " MARKS
       ")",
       "INSERT INTO \"TAB_COL_STATS\" (\"CS_ID\", \"TBL_ID\", \"ENGINE\", " COLUMNS
       ", \"CAT_NAME\", \"DB_NAME\", \"TABLE_NAME\") VALUES (?, ?, 'hive', " MARKS ", 'hive', ?, ?)"},
      {"INSERT INTO \"PART_COL_STATS\" (\"CS_ID\", \"PART_ID\", \"ENGINE\", " COLUMNS ") VALUES (?, ?, 'hive', " MARKS
       ")",
       "INSERT INTO \"PART_COL_STATS\" (\"CS_ID\", \"PART_ID\", \"ENGINE\", " COLUMNS
       ", \"CAT_NAME\", \"DB_NAME\", \"TABLE_NAME\", \"PARTITION_NAME\") VALUES (?, ?, 'hive', " MARKS
       ", 'hive', ?, ?, ?)"}};
  skep_param params[N_COLUMNS + 5] = {skep_p_i64(id), skep_p_i64(p == NULL ? t->id : p->id)};
  size_t n = 2 + fill(c, now_s, params + 2);
  if (have_names) {
    params[n++] = skep_p_text(t->db);
    params[n++] = skep_p_text(t->name);
    if (p != NULL) params[n++] = skep_p_text(p->name);
  }
  return skep_db_run(catalog->db, texts[p != NULL][have_names], params, n, NULL, err);
}

static skep_status have_names(skep_catalog *catalog, bool *out, skep_err *err) {
  return skep_db_is_there(catalog->db, "SELECT \"DB_NAME\" FROM \"TAB_COL_STATS\" WHERE 1 = 0", out, err);
}

skep_status skep_catalog_put_column_stats(skep_catalog *catalog, const skep_catalog_table *table,
                                          const skep_catalog_partition *partition,
                                          const skep_catalog_column_stats *stats, size_t n, skep_err *err) {
  int64_t first, now_s;
  bool names;
  if (n == 0) return SKEP_OK;
  SKEP_TRY(have_names(catalog, &names, err));
  SKEP_TRY(catalog_now_s(catalog, &now_s, err));
  SKEP_TRY(skep_db_next_ids(catalog->db, partition == NULL ? "MTableColumnStatistics" : "MPartitionColumnStatistics",
                            (int64_t)n, &first, err));
  for (size_t i = 0; i < n; i++) {
    SKEP_TRY(delete_one(catalog, table, partition, stats[i].column, err));
    SKEP_TRY(insert_one(catalog, table, partition, &stats[i], first + (int64_t)i, now_s, names, err));
  }
  return SKEP_OK;
}

/* ---- reading ---- */

static skep_status read_one(skep_stmt *stmt, skep_arena *arena, skep_catalog_column_stats *out, skep_err *err) {
  *out = (skep_catalog_column_stats){.low = skep_stmt_i64(stmt, 2),
                                     .high = skep_stmt_i64(stmt, 3),
                                     .low_double = skep_stmt_is_null(stmt, 4) ? NAN : skep_stmt_f64(stmt, 4),
                                     .high_double = skep_stmt_is_null(stmt, 5) ? NAN : skep_stmt_f64(stmt, 5),
                                     .n_nulls = skep_stmt_i64(stmt, 8),
                                     .has_distinct = !skep_stmt_is_null(stmt, 9),
                                     .n_distinct = skep_stmt_i64(stmt, 9),
                                     .has_length = !skep_stmt_is_null(stmt, 11),
                                     .avg_length = skep_stmt_f64(stmt, 10),
                                     .max_length = skep_stmt_i64(stmt, 11),
                                     .has_bools = !skep_stmt_is_null(stmt, 12),
                                     .n_trues = skep_stmt_i64(stmt, 12),
                                     .n_falses = skep_stmt_i64(stmt, 13)};
  if (!skep_stmt_is_null(stmt, 2)) out->range = SKEP_COLUMN_LONGS;
  if (!skep_stmt_is_null(stmt, 4) || !skep_stmt_is_null(stmt, 5))
    out->range = SKEP_COLUMN_DOUBLES; /* SQLite: NaN is NULL */
  SKEP_TRY(skep_stmt_text_copy(stmt, 0, arena, &out->column, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 1, arena, &out->type, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 6, arena, &out->low_decimal, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 7, arena, &out->high_decimal, err));
  if (out->low_decimal != NULL && out->high_decimal != NULL) out->range = SKEP_COLUMN_DECIMALS;
  return out->column != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_CORRUPT, "statistics of a column without a name");
}

skep_status skep_catalog_list_column_stats(skep_catalog *catalog, skep_arena *arena, const skep_catalog_table *table,
                                           const skep_catalog_partition *partition, const char *column,
                                           const skep_catalog_column_stats **out, size_t *n, skep_err *err) {
  static const char of_table[] = "SELECT " COLUMNS " FROM \"TAB_COL_STATS\" WHERE \"TBL_ID\" = ?";
  static const char of_partition[] = "SELECT " COLUMNS " FROM \"PART_COL_STATS\" WHERE \"PART_ID\" = ?";
  static const char of_partitions[] = "SELECT " COLUMNS
                                      " FROM \"PART_COL_STATS\" WHERE \"PART_ID\" IN (SELECT \"PART_ID\" FROM "
                                      "\"PARTITIONS\" WHERE \"TBL_ID\" = ?)";
  skep_buf sql;
  skep_stmt *stmt = NULL;
  catalog_list list = {0};
  const char *text = partition != NULL                       ? of_partition
                     : table->partition_keys->n_children > 0 ? of_partitions
                                                             : of_table;
  skep_buf_init(&sql, catalog->ctx, 4096);
  skep_buf_printf(&sql, "%s%s AND \"ENGINE\" = 'hive' ORDER BY \"COLUMN_NAME\"", text,
                  column != NULL ? " AND \"COLUMN_NAME\" = ?" : "");
  skep_status st = skep_buf_check(&sql, "a query", err);
  const skep_param params[] = {skep_p_i64(partition != NULL ? partition->id : table->id), skep_p_text(column)};
  if (st == SKEP_OK) st = skep_db_query(catalog->db, skep_buf_string(&sql), params, column != NULL ? 2 : 1, &stmt, err);
  while (st == SKEP_OK && (st = skep_stmt_next(stmt, err)) == SKEP_OK) {
    skep_catalog_column_stats *c = catalog_list_add(arena, &list, sizeof *c);
    st = c != NULL ? read_one(stmt, arena, c, err) : catalog_nomem(err);
  }
  if (stmt != NULL) skep_stmt_done(stmt);
  skep_buf_fini(&sql);
  *out = list.items;
  *n = list.n;
  return st == SKEP_END ? SKEP_OK : st;
}

/* ---- what changes of the table do to them ---- */

skep_status catalog_rename_column_stats(skep_catalog *catalog, const skep_catalog_table *now, skep_err *err) {
  bool names;
  SKEP_TRY(have_names(catalog, &names, err));
  if (!names) return SKEP_OK;
  static const char *const updates[] = {
      "UPDATE \"TAB_COL_STATS\" SET \"DB_NAME\" = ?, \"TABLE_NAME\" = ? WHERE \"TBL_ID\" = ?",
      "UPDATE \"PART_COL_STATS\" SET \"DB_NAME\" = ?, \"TABLE_NAME\" = ? WHERE \"PART_ID\" IN (SELECT \"PART_ID\" FROM "
      "\"PARTITIONS\" WHERE \"TBL_ID\" = ?)"};
  for (size_t i = 0; i < 2; i++)
    SKEP_TRY(skep_db_run(catalog->db, updates[i],
                         SKEP_PARAMS(skep_p_text(now->db), skep_p_text(now->name), skep_p_i64(now->id)), NULL, err));
  return SKEP_OK;
}

skep_status catalog_rename_partition_stats(skep_catalog *catalog, const skep_catalog_partition *now, skep_err *err) {
  bool names;
  SKEP_TRY(have_names(catalog, &names, err));
  if (!names) return SKEP_OK;
  return skep_db_run(catalog->db, "UPDATE \"PART_COL_STATS\" SET \"PARTITION_NAME\" = ? WHERE \"PART_ID\" = ?",
                     SKEP_PARAMS(skep_p_text(now->name), skep_p_i64(now->id)), NULL, err);
}

static bool is_kept(const skep_type *columns, const char *name, const skep_type *was) {
  int64_t at = skep_type_child(columns, name, strlen(name), true);
  return at >= 0 && skep_type_equal(columns->children[at], was);
}

const char *skep_catalog_accurate_key(skep_arena *arena, const char *column) {
  size_t n = 0;
  char *out = skep_arena_alloc(arena, 2 * strlen(column) + 16);
  if (out == NULL) return NULL;
  out[n++] = '"';
  for (const char *at = column; *at != '\0'; at++) {
    if (*at == '"' || *at == '\\') out[n++] = '\\';
    out[n++] = *at;
  }
  memcpy(out + n, "\":\"true\"", sizeof "\":\"true\"");
  return out;
}

/* {"BASIC_STATS":"true","COLUMN_STATS":{"a":"true","b":"true"}} without one of the columns. Hive's own text, from a
 * database: what looks otherwise is left alone. */
static const char *without_column(skep_arena *arena, const char *text, const char *name) {
  static const char begin[] = ",\"COLUMN_STATS\":{";
  const char *columns = strstr(text, begin);
  const char *key = skep_catalog_accurate_key(arena, name);
  if (key == NULL || columns == NULL) return key == NULL ? NULL : text;
  size_t n = strlen(key);
  const char *at = strstr(columns + sizeof begin - 1, key), *end = at != NULL ? at + n : NULL;
  if (at == NULL || (at[-1] != '{' && at[-1] != ',') || (*end != ',' && *end != '}')) return text;
  if (at[-1] == ',') {
    at--;
  } else if (*end == ',') {
    end++;
  } else { /* the last one */
    at = columns;
    end++;
  }
  const char *before = skep_arena_strndup(arena, text, (size_t)(at - text));
  return before != NULL ? skep_arena_join(arena, before, end, "") : NULL;
}

static skep_status drop_of_column(skep_catalog *catalog, const skep_catalog_table *t, const char *column, bool *some,
                                  skep_err *err) {
  static const char *const deletes[] = {
      "DELETE FROM \"TAB_COL_STATS\" WHERE \"COLUMN_NAME\" = ? AND \"TBL_ID\" = ?",
      "DELETE FROM \"PART_COL_STATS\" WHERE \"COLUMN_NAME\" = ? AND \"PART_ID\" IN (SELECT \"PART_ID\" FROM "
      "\"PARTITIONS\" WHERE \"TBL_ID\" = ?)"};
  for (size_t k = 0; k < 2; k++) {
    int64_t n = 0;
    SKEP_TRY(skep_db_run(catalog->db, deletes[k], SKEP_PARAMS(skep_p_text(column), skep_p_i64(t->id)), &n, err));
    if (k == 0) *some = n > 0;
  }
  return SKEP_OK;
}

skep_status catalog_drop_changed_column_stats(skep_catalog *catalog, skep_arena *arena, const skep_catalog_table *was,
                                              const skep_type *columns, skep_err *err) {
  const char *accurate = skep_catalog_param_get(&was->params, "COLUMN_STATS_ACCURATE"), *text = accurate;
  for (uint32_t i = 0; i < was->columns->n_children; i++) {
    bool some = false;
    if (is_kept(columns, was->columns->names[i], was->columns->children[i])) continue;
    SKEP_TRY(drop_of_column(catalog, was, was->columns->names[i], &some, err));
    if (some && text != NULL) text = without_column(arena, text, was->columns->names[i]);
    if (some && accurate != NULL && text == NULL) return catalog_nomem(err);
  }
  const skep_catalog_param param = {"COLUMN_STATS_ACCURATE", text};
  if (text == accurate) return SKEP_OK;
  return catalog_put_param(catalog, &catalog_table_params, was->id, &param, err);
}
