/* Reading a table: one statement for the row of TBLS and what it points to, one for all that hangs on it. */
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog_int.h"

/* The second statement's kinds of rows. */
enum {
  ROW_COLUMN,
  ROW_PARTITION_KEY,
  ROW_TABLE_PARAM,
  ROW_SERDE_PARAM,
  ROW_BUCKET_COLUMN,
  ROW_SORT_COLUMN,
  ROW_CONSTRAINT,
  ROW_FOREIGN_KEY,
  ROW_KINDS
};

/* One row of the second statement: what a and b and c mean depends on the kind. */
typedef struct row {
  int64_t kind, index;
  const char *a, *b, *c, *d; /* NULL: SQL NULL */
  int64_t x, y;
} row;

static const char find_table[] =
    "SELECT T.\"TBL_ID\", T.\"CREATE_TIME\", T.\"LAST_ACCESS_TIME\", T.\"OWNER\", T.\"OWNER_TYPE\", T.\"RETENTION\", "
    "T.\"TBL_NAME\", T.\"TBL_TYPE\", T.\"VIEW_EXPANDED_TEXT\", T.\"VIEW_ORIGINAL_TEXT\", T.\"WRITE_ID\", S.\"SD_ID\", "
    "S.\"CD_ID\", S.\"SERDE_ID\", S.\"INPUT_FORMAT\", S.\"OUTPUT_FORMAT\", S.\"LOCATION\", S.\"NUM_BUCKETS\", "
    "R.\"SLIB\", D.\"DB_ID\", D.\"NAME\" FROM \"DBS\" D JOIN \"TBLS\" T ON T.\"DB_ID\" = D.\"DB_ID\" "
    "LEFT JOIN \"SDS\" S ON S.\"SD_ID\" = T.\"SD_ID\" LEFT JOIN \"SERDES\" R ON R.\"SERDE_ID\" = S.\"SERDE_ID\" "
    "WHERE D.\"NAME\" = ? AND D.\"CTLG_NAME\" = 'hive' AND T.\"TBL_NAME\" = ?";

/* Columns: kind, index, a, b, c, d, x, y. Parameters: CD, TBL, TBL, SERDE, SD, SD, TBL, TBL. */
static const char find_details[] =
    "SELECT 0, \"INTEGER_IDX\", \"COLUMN_NAME\", \"TYPE_NAME\", \"COMMENT\", NULL, 0, 0 FROM \"COLUMNS_V2\" "
    "WHERE \"CD_ID\" = ? "
    "UNION ALL SELECT 1, \"INTEGER_IDX\", \"PKEY_NAME\", \"PKEY_TYPE\", \"PKEY_COMMENT\", NULL, 0, 0 "
    "FROM \"PARTITION_KEYS\" WHERE \"TBL_ID\" = ? "
    "UNION ALL SELECT 2, 0, \"PARAM_KEY\", \"PARAM_VALUE\", NULL, NULL, 0, 0 FROM \"TABLE_PARAMS\" WHERE \"TBL_ID\" = "
    "? "
    "UNION ALL SELECT 3, 0, \"PARAM_KEY\", \"PARAM_VALUE\", NULL, NULL, 0, 0 FROM \"SERDE_PARAMS\" "
    "WHERE \"SERDE_ID\" = ? "
    "UNION ALL SELECT 4, \"INTEGER_IDX\", \"BUCKET_COL_NAME\", NULL, NULL, NULL, 0, 0 FROM \"BUCKETING_COLS\" "
    "WHERE \"SD_ID\" = ? "
    "UNION ALL SELECT 5, \"INTEGER_IDX\", \"COLUMN_NAME\", NULL, NULL, NULL, \"ORDER\", 0 FROM \"SORT_COLS\" "
    "WHERE \"SD_ID\" = ? "
    "UNION ALL SELECT 6, \"POSITION\", \"CONSTRAINT_NAME\", \"DEFAULT_VALUE\", NULL, NULL, "
    "\"CONSTRAINT_TYPE\" * 8 + \"ENABLE_VALIDATE_RELY\", "
    "CASE WHEN \"PARENT_CD_ID\" IS NULL AND \"PARENT_INTEGER_IDX\" >= 0 THEN -2 - \"PARENT_INTEGER_IDX\" "
    "ELSE \"PARENT_INTEGER_IDX\" END FROM \"KEY_CONSTRAINTS\" WHERE \"PARENT_TBL_ID\" = ? AND \"CONSTRAINT_TYPE\" <> 1 "
    "UNION ALL SELECT 7, K.\"POSITION\", K.\"CONSTRAINT_NAME\", D.\"NAME\", T.\"TBL_NAME\", C.\"COLUMN_NAME\", "
    "K.\"CONSTRAINT_TYPE\" * 8 + K.\"ENABLE_VALIDATE_RELY\", K.\"CHILD_INTEGER_IDX\" FROM \"KEY_CONSTRAINTS\" K "
    "JOIN \"TBLS\" T ON T.\"TBL_ID\" = K.\"PARENT_TBL_ID\" JOIN \"DBS\" D ON D.\"DB_ID\" = T.\"DB_ID\" "
    "LEFT JOIN \"COLUMNS_V2\" C ON C.\"CD_ID\" = K.\"PARENT_CD_ID\" AND C.\"INTEGER_IDX\" = K.\"PARENT_INTEGER_IDX\" "
    "WHERE K.\"CHILD_TBL_ID\" = ? AND K.\"CONSTRAINT_TYPE\" = 1";

/* The order in which Hive lists rows of a kind: by index, properties and constraints by name. */
static int compare_rows(const void *left, const void *right) {
  const row *a = left, *b = right;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  bool by_name = a->kind == ROW_TABLE_PARAM || a->kind == ROW_SERDE_PARAM || a->kind >= ROW_CONSTRAINT;
  if (a->kind >= ROW_CONSTRAINT && a->x / 8 != b->x / 8) return a->x / 8 < b->x / 8 ? -1 : 1;
  int order = by_name ? strcmp(a->a, b->a) : 0;
  if (order != 0) return order;
  return a->index < b->index ? -1 : a->index > b->index;
}

static skep_status read_row(skep_stmt *stmt, skep_arena *arena, row *r, skep_err *err) {
  r->kind = skep_stmt_i64(stmt, 0);
  r->index = skep_stmt_i64(stmt, 1);
  SKEP_TRY(skep_stmt_text_copy(stmt, 2, arena, &r->a, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 3, arena, &r->b, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 4, arena, &r->c, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 5, arena, &r->d, err));
  r->x = skep_stmt_i64(stmt, 6);
  r->y = skep_stmt_i64(stmt, 7);
  if (r->a == NULL) r->a = "";
  return SKEP_OK;
}

/* All rows, sorted; starts[k] is where kind k begins, starts[ROW_KINDS] their number. */
static skep_status read_details(skep_catalog *catalog, skep_arena *arena, const skep_catalog_table *t, const row **rows,
                                size_t *starts, skep_err *err) {
  skep_stmt *stmt;
  SKEP_TRY(
      skep_db_query(catalog->db, find_details,
                    SKEP_PARAMS(skep_p_i64(t->cd_id), skep_p_i64(t->id), skep_p_i64(t->id), skep_p_i64(t->serde_id),
                                skep_p_i64(t->sd_id), skep_p_i64(t->sd_id), skep_p_i64(t->id), skep_p_i64(t->id)),
                    &stmt, err));
  catalog_list list = {0};
  skep_status st;
  while ((st = skep_stmt_next(stmt, err)) == SKEP_OK) {
    row *r = list.n < CATALOG_MAX_ROWS_OF_TABLE ? catalog_list_add(arena, &list, sizeof *r) : NULL;
    st = r == NULL ? catalog_nomem(err) : read_row(stmt, arena, r, err);
    if (st != SKEP_OK) break;
  }
  skep_stmt_done(stmt);
  if (st != SKEP_END) return st;
  row *all = list.items;
  if (list.n > 1) qsort(all, list.n, sizeof *all, compare_rows);
  size_t at = 0;
  for (int64_t kind = 0; kind < ROW_KINDS; kind++) {
    starts[kind] = at;
    while (at < list.n && all[at].kind == kind) at++;
  }
  starts[ROW_KINDS] = at;
  *rows = all;
  return SKEP_OK;
}

/* A struct type of rows with name and type text, and their comments. */
static skep_status build_struct(skep_arena *arena, const row *rows, size_t n, const skep_type **type,
                                const char *const **comments, skep_err *err) {
  const skep_type **children = skep_arena_zero(arena, n + 1, sizeof *children);
  const char **names = skep_arena_zero(arena, n + 1, sizeof *names);
  const char **texts = skep_arena_zero(arena, n + 1, sizeof *texts);
  if (children == NULL || names == NULL || texts == NULL) return catalog_nomem(err);
  for (size_t i = 0; i < n; i++) {
    const char *text = rows[i].b == NULL ? "" : rows[i].b;
    skep_status st = skep_type_parse(arena, text, strlen(text), &children[i], err);
    if (st != SKEP_OK) {
      char quoted[120];
      return skep_wrap(err, st == SKEP_ERR_ARGUMENT ? SKEP_ERR_UNSUPPORTED : st, "column %s",
                       skep_quote(quoted, sizeof quoted, rows[i].a, strlen(rows[i].a)));
    }
    names[i] = rows[i].a;
    texts[i] = rows[i].c;
  }
  skep_type like = {.kind = SKEP_STRUCT};
  SKEP_TRY(skep_type_make(arena, &like, children, names, (uint32_t)n, type, err));
  *comments = texts;
  return SKEP_OK;
}

static skep_status build_params(skep_arena *arena, const row *rows, size_t n, skep_catalog_params *out, skep_err *err) {
  skep_catalog_param *items = skep_arena_zero(arena, n + 1, sizeof *items);
  if (items == NULL) return catalog_nomem(err);
  for (size_t i = 0; i < n; i++) items[i] = (skep_catalog_param){rows[i].a, rows[i].b == NULL ? "" : rows[i].b};
  *out = (skep_catalog_params){items, n};
  return SKEP_OK;
}

static skep_status column_of(const skep_catalog_table *t, const row *r, uint32_t *out, skep_err *err) {
  int64_t at = skep_type_child(t->columns, r->a, strlen(r->a), true);
  if (at < 0) {
    char quoted[120];
    return skep_fail(err, SKEP_ERR_CORRUPT, "table %s.%s is clustered by a column %s that it has not", t->db, t->name,
                     skep_quote(quoted, sizeof quoted, r->a, strlen(r->a)));
  }
  *out = (uint32_t)at;
  return SKEP_OK;
}

static skep_status build_buckets(skep_arena *arena, skep_catalog_table *t, const row *bucket_rows, size_t n_bucket,
                                 const row *sort_rows, size_t n_sort, skep_err *err) {
  uint32_t *buckets = skep_arena_zero(arena, n_bucket + 1, sizeof *buckets);
  skep_catalog_sort *sorts = skep_arena_zero(arena, n_sort + 1, sizeof *sorts);
  if (buckets == NULL || sorts == NULL) return catalog_nomem(err);
  for (size_t i = 0; i < n_bucket; i++) SKEP_TRY(column_of(t, &bucket_rows[i], &buckets[i], err));
  for (size_t i = 0; i < n_sort; i++) {
    SKEP_TRY(column_of(t, &sort_rows[i], &sorts[i].column, err));
    sorts[i].ascending = sort_rows[i].x == 1;
  }
  t->bucket_columns = buckets;
  t->n_bucket_columns = (uint32_t)n_bucket;
  t->sort_columns = sorts;
  t->n_sort_columns = (uint32_t)n_sort;
  return SKEP_OK;
}

/* Several rows with one name are one constraint over several columns. */
static skep_status build_constraint(skep_arena *arena, const skep_catalog_table *t, const row *rows, size_t n,
                                    skep_catalog_constraint *c, skep_err *err) {
  int64_t kind = rows[0].x / 8, flags = rows[0].x % 8;
  if (kind < 0 || kind > SKEP_CONSTRAINT_CHECK)
    return skep_fail(err, SKEP_ERR_CORRUPT, "constraint of kind %lld", (long long)kind);
  bool foreign = rows[0].kind == ROW_FOREIGN_KEY;
  *c = (skep_catalog_constraint){.kind = (skep_constraint_kind)kind,
                                 .name = rows[0].a,
                                 .text = foreign ? NULL : rows[0].b,
                                 .enable = (flags & 4) != 0,
                                 .validate = (flags & 2) != 0,
                                 .rely = (flags & 1) != 0};
  const char **parents = skep_arena_zero(arena, n, sizeof *parents);
  int32_t *columns = skep_arena_zero(arena, n, sizeof *columns);
  if (columns == NULL || parents == NULL) return catalog_nomem(err);
  c->columns = columns;
  int64_t n_all = (int64_t)t->columns->n_children + t->partition_keys->n_children;
  for (size_t i = 0; i < n; i++) {
    int64_t column = rows[i].y <= -2 ? -2 - rows[i].y + t->columns->n_children : rows[i].y;
    if (column >= n_all) return skep_fail(err, SKEP_ERR_CORRUPT, "constraint over column %lld", (long long)column);
    parents[i] = rows[i].d;
    if (column >= 0) columns[c->n_columns++] = (int32_t)column;
  }
  if (foreign) {
    c->parent_db = rows[0].b;
    c->parent_table = rows[0].c;
    c->parent_columns = parents;
  }
  return SKEP_OK;
}

static int compare_constraints(const void *left, const void *right) {
  const skep_catalog_constraint *a = left, *b = right;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  return strcmp(a->name, b->name);
}

static skep_status build_constraints(skep_arena *arena, skep_catalog_table *t, const row *rows, size_t n,
                                     skep_err *err) {
  skep_catalog_constraint *all = skep_arena_zero(arena, n + 1, sizeof *all);
  if (all == NULL) return catalog_nomem(err);
  uint32_t n_all = 0;
  for (size_t at = 0; at < n;) {
    size_t end = at + 1;
    while (end < n && rows[end].kind == rows[at].kind && rows[end].x / 8 == rows[at].x / 8 &&
           strcmp(rows[end].a, rows[at].a) == 0)
      end++;
    SKEP_TRY(build_constraint(arena, t, rows + at, end - at, &all[n_all++], err));
    at = end;
  }
  if (n_all > 1) qsort(all, n_all, sizeof *all, compare_constraints);
  t->constraints = all;
  t->n_constraints = n_all;
  return SKEP_OK;
}

static skep_status build_table(skep_arena *arena, skep_catalog_table *t, const row *rows, const size_t *starts,
                               skep_err *err) {
#define ROWS(kind) rows + starts[kind], starts[(kind) + 1] - starts[kind]
  SKEP_TRY(build_struct(arena, ROWS(ROW_COLUMN), &t->columns, &t->column_comments, err));
  SKEP_TRY(build_struct(arena, ROWS(ROW_PARTITION_KEY), &t->partition_keys, &t->partition_comments, err));
  SKEP_TRY(build_params(arena, ROWS(ROW_TABLE_PARAM), &t->params, err));
  SKEP_TRY(build_params(arena, ROWS(ROW_SERDE_PARAM), &t->serde_params, err));
  SKEP_TRY(build_buckets(arena, t, ROWS(ROW_BUCKET_COLUMN), ROWS(ROW_SORT_COLUMN), err));
  SKEP_TRY(build_constraints(arena, t, rows + starts[ROW_CONSTRAINT], starts[ROW_KINDS] - starts[ROW_CONSTRAINT], err));
#undef ROWS
  t->kind = skep_catalog_kind(t->type, &t->params);
  const char *version = skep_catalog_param_get(&t->params, "bucketing_version");
  t->bucketing_version = version != NULL && strcmp(version, "2") == 0 ? 2 : 1;
  return SKEP_OK;
}

static skep_status read_table(skep_stmt *stmt, skep_arena *arena, skep_catalog_table *t, skep_err *err) {
  t->id = skep_stmt_i64(stmt, 0);
  t->create_time_s = skep_stmt_i64(stmt, 1);
  t->last_access_time_s = skep_stmt_i64(stmt, 2);
  t->retention = skep_stmt_i64(stmt, 5);
  t->write_id = skep_stmt_i64(stmt, 10);
  t->sd_id = skep_stmt_i64(stmt, 11);
  t->cd_id = skep_stmt_i64(stmt, 12);
  t->serde_id = skep_stmt_i64(stmt, 13);
  int64_t buckets = skep_stmt_i64(stmt, 17);
  t->n_buckets = buckets < -1 || buckets > 1 << 20 ? -1 : (int32_t)buckets;
  t->db_id = skep_stmt_i64(stmt, 19);
  const struct {
    int column;
    const char **to;
  } texts[] = {{3, &t->owner},
               {4, &t->owner_type},
               {6, &t->name},
               {7, &t->type},
               {8, &t->view_expanded_text},
               {9, &t->view_text},
               {14, &t->input_format},
               {15, &t->output_format},
               {16, &t->location},
               {18, &t->serde},
               {20, &t->db}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    SKEP_TRY(skep_stmt_text_copy(stmt, texts[i].column, arena, texts[i].to, err));
  if (t->type == NULL) t->type = "MANAGED_TABLE";
  if (t->location == NULL && strcmp(t->type, "VIRTUAL_VIEW") != 0) t->location = ""; /* of a storage handler: no path */
  return SKEP_OK;
}

skep_status skep_catalog_get_table(skep_catalog *catalog, skep_arena *arena, const char *db, const char *name,
                                   skep_catalog_table **out, skep_err *err) {
  *out = NULL;
  const char *lower_db = catalog_lower(arena, db), *lower_name = catalog_lower(arena, name);
  skep_catalog_table *t = skep_arena_zero(arena, 1, sizeof *t);
  if (lower_db == NULL || lower_name == NULL || t == NULL) return catalog_nomem(err);
  skep_stmt *stmt;
  SKEP_TRY(
      skep_db_query(catalog->db, find_table, SKEP_PARAMS(skep_p_text(lower_db), skep_p_text(lower_name)), &stmt, err));
  skep_status st = skep_stmt_next(stmt, err);
  if (st == SKEP_OK) st = read_table(stmt, arena, t, err);
  skep_stmt_done(stmt);
  if (st == SKEP_END) {
    char a[160], b[300];
    return skep_fail(err, SKEP_ERR_NOT_FOUND, "Table not found %s.%s",
                     skep_quote(a, sizeof a, lower_db, strlen(lower_db)),
                     skep_quote(b, sizeof b, lower_name, strlen(lower_name)));
  }
  if (st != SKEP_OK) return st;
  const row *rows;
  size_t starts[ROW_KINDS + 1];
  SKEP_TRY(read_details(catalog, arena, t, &rows, starts, err));
  st = build_table(arena, t, rows, starts, err);
  if (st != SKEP_OK) return skep_wrap(err, st, "table %s.%s", lower_db, lower_name);
  *out = t;
  return SKEP_OK;
}

static int compare_table_names(const void *a, const void *b) {
  return strcmp(((const skep_catalog_table_name *)a)->name, ((const skep_catalog_table_name *)b)->name);
}

skep_status skep_catalog_list_tables(skep_catalog *catalog, skep_arena *arena, const char *db,
                                     const skep_catalog_table_name **out, size_t *n, skep_err *err) {
  const skep_catalog_db *found;
  SKEP_TRY(skep_catalog_get_database(catalog, arena, db, &found, err));
  skep_stmt *stmt;
  SKEP_TRY(skep_db_query(catalog->db, "SELECT \"TBL_NAME\", \"TBL_TYPE\" FROM \"TBLS\" WHERE \"DB_ID\" = ?",
                         SKEP_PARAMS(skep_p_i64(found->id)), &stmt, err));
  catalog_list list = {0};
  skep_status st;
  while ((st = skep_stmt_next(stmt, err)) == SKEP_OK) {
    skep_catalog_table_name *item = catalog_list_add(arena, &list, sizeof *item);
    st = item == NULL ? catalog_nomem(err) : skep_stmt_text_copy(stmt, 0, arena, &item->name, err);
    if (st == SKEP_OK) st = skep_stmt_text_copy(stmt, 1, arena, &item->type, err);
    if (st != SKEP_OK) break;
    if (item->name == NULL) item->name = "";
    if (item->type == NULL) item->type = "MANAGED_TABLE";
  }
  skep_stmt_done(stmt);
  if (st != SKEP_END) return st;
  if (list.n > 1) qsort(list.items, list.n, sizeof(skep_catalog_table_name), compare_table_names);
  *out = list.items;
  *n = list.n;
  return SKEP_OK;
}

skep_status skep_catalog_locations(skep_catalog *catalog, skep_arena *arena, const skep_catalog_location **out,
                                   size_t *n, skep_err *err) {
  skep_stmt *stmt;
  SKEP_TRY(skep_db_query(catalog->db,
                         "SELECT \"TBLS\".\"TBL_ID\", \"SDS\".\"LOCATION\" FROM \"TBLS\" JOIN \"SDS\" ON "
                         "\"SDS\".\"SD_ID\" = \"TBLS\".\"SD_ID\" WHERE \"SDS\".\"LOCATION\" IS NOT NULL UNION ALL "
                         "SELECT \"PARTITIONS\".\"TBL_ID\", \"SDS\".\"LOCATION\" FROM \"PARTITIONS\" JOIN \"SDS\" ON "
                         "\"SDS\".\"SD_ID\" = \"PARTITIONS\".\"SD_ID\" WHERE \"SDS\".\"LOCATION\" IS NOT NULL",
                         SKEP_NO_PARAMS, &stmt, err));
  catalog_list list = {0};
  skep_status st;
  while ((st = skep_stmt_next(stmt, err)) == SKEP_OK) {
    skep_catalog_location *item = catalog_list_add(arena, &list, sizeof *item);
    if (item == NULL) st = catalog_nomem(err);
    if (item != NULL) {
      item->table_id = skep_stmt_i64(stmt, 0);
      st = skep_stmt_text_copy(stmt, 1, arena, &item->location, err);
    }
    if (st != SKEP_OK) break;
  }
  skep_stmt_done(stmt);
  if (st != SKEP_END) return st;
  *out = list.items;
  *n = list.n;
  return SKEP_OK;
}

/* ---- copies ---- */

static bool copy_array(skep_arena *arena, const void **array, size_t n, size_t size) {
  if (n == 0) return true;
  void *copy = skep_arena_alloc(arena, n * size);
  if (copy == NULL) return false;
  memcpy(copy, *array, n * size);
  *array = copy;
  return true;
}

static bool copy_texts(skep_arena *arena, const char *const **texts, size_t n) {
  const char **copy = skep_arena_zero(arena, n + 1, sizeof *copy);
  if (copy == NULL) return false;
  for (size_t i = 0; i < n; i++) {
    copy[i] = *texts == NULL ? NULL : (*texts)[i];
    if (!catalog_copy_text(arena, &copy[i])) return false;
  }
  *texts = copy;
  return true;
}

static bool copy_constraint(skep_arena *arena, skep_catalog_constraint *c) {
  const void *columns = c->columns;
  if (!copy_array(arena, &columns, c->n_columns, sizeof *c->columns)) return false;
  c->columns = columns;
  if (c->parent_columns != NULL && !copy_texts(arena, &c->parent_columns, c->n_columns)) return false;
  return catalog_copy_text(arena, &c->name) && catalog_copy_text(arena, &c->text) &&
         catalog_copy_text(arena, &c->parent_db) && catalog_copy_text(arena, &c->parent_table);
}

static bool copy_rest(skep_arena *arena, skep_catalog_table *t) {
  const char **texts[] = {&t->db,
                          &t->name,
                          &t->owner,
                          &t->owner_type,
                          &t->type,
                          &t->location,
                          &t->input_format,
                          &t->output_format,
                          &t->serde,
                          &t->view_text,
                          &t->view_expanded_text};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    if (!catalog_copy_text(arena, texts[i])) return false;
  const void *buckets = t->bucket_columns, *sorts = t->sort_columns;
  if (!copy_texts(arena, &t->column_comments, t->columns->n_children) ||
      !copy_texts(arena, &t->partition_comments, t->partition_keys->n_children) ||
      !copy_array(arena, &buckets, t->n_bucket_columns, sizeof(uint32_t)) ||
      !copy_array(arena, &sorts, t->n_sort_columns, sizeof(skep_catalog_sort)) ||
      !catalog_params_copy(arena, &t->serde_params) || !catalog_params_copy(arena, &t->params))
    return false;
  t->bucket_columns = buckets;
  t->sort_columns = sorts;
  skep_catalog_constraint *constraints = skep_arena_zero(arena, t->n_constraints + 1, sizeof *constraints);
  if (constraints == NULL) return false;
  for (uint32_t i = 0; i < t->n_constraints; i++) {
    constraints[i] = t->constraints[i];
    if (!copy_constraint(arena, &constraints[i])) return false;
  }
  t->constraints = constraints;
  return true;
}

skep_status skep_catalog_table_copy(skep_arena *arena, const skep_catalog_table *table, skep_catalog_table **out,
                                    skep_err *err) {
  *out = NULL;
  skep_catalog_table *t = skep_arena_zero(arena, 1, sizeof *t);
  if (t == NULL) return catalog_nomem(err);
  *t = *table;
  SKEP_TRY(skep_type_copy(arena, table->columns, &t->columns, err));
  SKEP_TRY(skep_type_copy(arena, table->partition_keys, &t->partition_keys, err));
  if (!copy_rest(arena, t)) return catalog_nomem(err);
  *out = t;
  return SKEP_OK;
}
