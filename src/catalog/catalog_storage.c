/* Storage descriptors, column descriptors and constraints: rows that tables and partitions share. */
#include <string.h>

#include "catalog/catalog_int.h"

static skep_status insert_bucketing(skep_catalog *catalog, int64_t sd_id, const skep_catalog_table *t, skep_err *err) {
  for (uint32_t i = 0; i < t->n_bucket_columns; i++)
    SKEP_TRY(
        skep_db_run(catalog->db,
                    "INSERT INTO \"BUCKETING_COLS\" (\"SD_ID\", \"BUCKET_COL_NAME\", \"INTEGER_IDX\") VALUES (?, ?, ?)",
                    SKEP_PARAMS(skep_p_i64(sd_id), skep_p_text(t->columns->names[t->bucket_columns[i]]), skep_p_i64(i)),
                    NULL, err));
  for (uint32_t i = 0; i < t->n_sort_columns; i++)
    SKEP_TRY(skep_db_run(
        catalog->db,
        "INSERT INTO \"SORT_COLS\" (\"SD_ID\", \"COLUMN_NAME\", \"ORDER\", \"INTEGER_IDX\") VALUES (?, ?, ?, ?)",
        SKEP_PARAMS(skep_p_i64(sd_id), skep_p_text(t->columns->names[t->sort_columns[i].column]),
                    skep_p_i64(t->sort_columns[i].ascending), skep_p_i64(i)),
        NULL, err));
  return SKEP_OK;
}

skep_status catalog_insert_storage(skep_catalog *catalog, const catalog_storage *s, skep_err *err) {
  const skep_catalog_table *t = s->like;
  SKEP_TRY(skep_db_run(
      catalog->db, "INSERT INTO \"SERDES\" (\"SERDE_ID\", \"NAME\", \"SLIB\", \"SERDE_TYPE\") VALUES (?, NULL, ?, 0)",
      SKEP_PARAMS(skep_p_i64(s->serde_id), skep_p_text(t->serde)), NULL, err));
  SKEP_TRY(skep_db_run(
      catalog->db,
      "INSERT INTO \"SDS\" (\"SD_ID\", \"INPUT_FORMAT\", \"IS_COMPRESSED\", \"LOCATION\", \"NUM_BUCKETS\", "
      "\"OUTPUT_FORMAT\", \"SERDE_ID\", \"CD_ID\", \"IS_STOREDASSUBDIRECTORIES\") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
      SKEP_PARAMS(skep_p_i64(s->sd_id), skep_p_text(t->input_format), skep_p_bool(false), skep_p_text(s->location),
                  skep_p_i64(t->n_buckets), skep_p_text(t->output_format), skep_p_i64(s->serde_id),
                  skep_p_i64(s->cd_id), skep_p_bool(false)),
      NULL, err));
  if (!s->plain_serde)
    SKEP_TRY(catalog_insert_params(
        catalog, "INSERT INTO \"SERDE_PARAMS\" (\"SERDE_ID\", \"PARAM_KEY\", \"PARAM_VALUE\") VALUES (?, ?, ?)",
        s->serde_id, &t->serde_params, err));
  return insert_bucketing(catalog, s->sd_id, t, err);
}

skep_status catalog_rewrite_bucketing(skep_catalog *catalog, int64_t sd_id, const skep_catalog_table *t,
                                      skep_err *err) {
  SKEP_TRY(skep_db_run(catalog->db, "DELETE FROM \"BUCKETING_COLS\" WHERE \"SD_ID\" = ?",
                       SKEP_PARAMS(skep_p_i64(sd_id)), NULL, err));
  SKEP_TRY(skep_db_run(catalog->db, "DELETE FROM \"SORT_COLS\" WHERE \"SD_ID\" = ?", SKEP_PARAMS(skep_p_i64(sd_id)),
                       NULL, err));
  return insert_bucketing(catalog, sd_id, t, err);
}

skep_status catalog_delete_storage(skep_catalog *catalog, int64_t sd_id, int64_t serde_id, skep_err *err) {
  static const char *const of_sd[] = {"DELETE FROM \"BUCKETING_COLS\" WHERE \"SD_ID\" = ?",
                                      "DELETE FROM \"SORT_COLS\" WHERE \"SD_ID\" = ?",
                                      "DELETE FROM \"SD_PARAMS\" WHERE \"SD_ID\" = ?",
                                      "DELETE FROM \"SKEWED_COL_NAMES\" WHERE \"SD_ID\" = ?",
                                      "DELETE FROM \"SKEWED_VALUES\" WHERE \"SD_ID_OID\" = ?",
                                      "DELETE FROM \"SKEWED_COL_VALUE_LOC_MAP\" WHERE \"SD_ID\" = ?",
                                      "DELETE FROM \"SDS\" WHERE \"SD_ID\" = ?"};
  static const char *const of_serde[] = {"DELETE FROM \"SERDE_PARAMS\" WHERE \"SERDE_ID\" = ?",
                                         "DELETE FROM \"SERDES\" WHERE \"SERDE_ID\" = ?"};
  for (size_t i = 0; i < sizeof of_sd / sizeof of_sd[0]; i++)
    SKEP_TRY(skep_db_run(catalog->db, of_sd[i], SKEP_PARAMS(skep_p_i64(sd_id)), NULL, err));
  for (size_t i = 0; i < sizeof of_serde / sizeof of_serde[0]; i++)
    SKEP_TRY(skep_db_run(catalog->db, of_serde[i], SKEP_PARAMS(skep_p_i64(serde_id)), NULL, err));
  return SKEP_OK;
}

/* ---- columns ---- */

static skep_status insert_column(skep_catalog *catalog, const char *sql, int64_t owner, const skep_type *type,
                                 const char *name, const char *comment, uint32_t index, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, catalog->ctx, 1 << 20);
  skep_type_print(type, &text);
  skep_status st = skep_buf_check(&text, "a column type", err);
  if (st == SKEP_OK)
    st = skep_db_run(catalog->db, sql,
                     SKEP_PARAMS(skep_p_i64(owner), skep_p_text(comment), skep_p_text(name),
                                 skep_p_text(skep_buf_string(&text)), skep_p_i64(index)),
                     NULL, err);
  skep_buf_fini(&text);
  return st;
}

skep_status catalog_insert_columns(skep_catalog *catalog, const skep_catalog_table *t, int64_t *cd_id, skep_err *err) {
  SKEP_TRY(skep_db_next_ids(catalog->db, "MColumnDescriptor", 1, cd_id, err));
  SKEP_TRY(skep_db_run(catalog->db, "INSERT INTO \"CDS\" (\"CD_ID\") VALUES (?)", SKEP_PARAMS(skep_p_i64(*cd_id)), NULL,
                       err));
  for (uint32_t i = 0; i < t->columns->n_children; i++)
    SKEP_TRY(insert_column(catalog,
                           "INSERT INTO \"COLUMNS_V2\" (\"CD_ID\", \"COMMENT\", \"COLUMN_NAME\", \"TYPE_NAME\", "
                           "\"INTEGER_IDX\") VALUES (?, ?, ?, ?, ?)",
                           *cd_id, t->columns->children[i], t->columns->names[i], t->column_comments[i], i, err));
  return SKEP_OK;
}

skep_status catalog_insert_partition_keys(skep_catalog *catalog, const skep_catalog_table *t, skep_err *err) {
  for (uint32_t i = 0; i < t->partition_keys->n_children; i++)
    SKEP_TRY(insert_column(catalog,
                           "INSERT INTO \"PARTITION_KEYS\" (\"TBL_ID\", \"PKEY_COMMENT\", \"PKEY_NAME\", "
                           "\"PKEY_TYPE\", \"INTEGER_IDX\") VALUES (?, ?, ?, ?, ?)",
                           t->id, t->partition_keys->children[i], t->partition_keys->names[i], t->partition_comments[i],
                           i, err));
  return SKEP_OK;
}

skep_status catalog_delete_unused_columns(skep_catalog *catalog, int64_t cd_id, skep_err *err) {
  int64_t users;
  SKEP_TRY(skep_db_get_i64(catalog->db, "SELECT count(*) FROM \"SDS\" WHERE \"CD_ID\" = ?",
                           SKEP_PARAMS(skep_p_i64(cd_id)), &users, NULL, err));
  if (users > 0) return SKEP_OK;
  SKEP_TRY(skep_db_run(catalog->db, "DELETE FROM \"COLUMNS_V2\" WHERE \"CD_ID\" = ?", SKEP_PARAMS(skep_p_i64(cd_id)),
                       NULL, err));
  return skep_db_run(catalog->db, "DELETE FROM \"CDS\" WHERE \"CD_ID\" = ?", SKEP_PARAMS(skep_p_i64(cd_id)), NULL, err);
}

/* ---- constraints ---- */

/* The name that Hive makes up: kind, a hash of "{db,table,column,kind}" (Java's String.hashCode, 28 bits),
 * milliseconds, a counter. Source: Hive ObjectStore.generateConstraintName; seen: nn_134002011_1795980337328_0 of
 * s19.cons.id. */
static const char *make_name(skep_catalog *catalog, skep_arena *arena, const skep_catalog_table *t,
                             const skep_catalog_constraint *c, int64_t now_ms) {
  static const char *const suffixes[] = {"pk", "fk", "uk", "nn", "dc", "dc"};
  const char *column = c->n_columns == 0 ? "null" : "";
  if (c->n_columns > 0 && c->columns[0] < (int32_t)t->columns->n_children) column = t->columns->names[c->columns[0]];
  skep_buf buf;
  skep_buf_init(&buf, catalog->ctx, 1 << 16);
  skep_buf_printf(&buf, "{%s,%s,%s,%s}", t->db, t->name, column, suffixes[c->kind]);
  bool hashed = buf.status == SKEP_OK;
  uint32_t hash = 0;
  for (size_t i = 0; i < buf.size; i++) hash = hash * 31 + buf.data[i];
  skep_buf_reset(&buf);
  skep_buf_printf(&buf, "%s_%u_%lld_0", suffixes[c->kind], (unsigned)(hash & 0xfffffff), (long long)now_ms);
  const char *name = NULL;
  if (hashed) name = skep_buf_copy(&buf, arena);
  skep_buf_fini(&buf);
  return name;
}

/* One row of KEY_CONSTRAINTS. parent: the constrained table, or the one a foreign key points to. */
typedef struct constraint_row {
  skep_param child_cd, child_index, child_table, parent_cd;
  int64_t parent_index, parent_table, position;
} constraint_row;

static skep_status insert_row(skep_catalog *catalog, const skep_catalog_constraint *c, const constraint_row *r,
                              skep_err *err) {
  bool foreign = c->kind == SKEP_CONSTRAINT_FOREIGN_KEY;
  int64_t flags = (c->enable ? 4 : 0) + (c->validate ? 2 : 0) + (c->rely ? 1 : 0);
  return skep_db_run(
      catalog->db,
      "INSERT INTO \"KEY_CONSTRAINTS\" (\"CHILD_CD_ID\", \"CHILD_INTEGER_IDX\", \"CHILD_TBL_ID\", \"PARENT_CD_ID\", "
      "\"PARENT_INTEGER_IDX\", \"PARENT_TBL_ID\", \"POSITION\", \"CONSTRAINT_NAME\", \"CONSTRAINT_TYPE\", "
      "\"UPDATE_RULE\", \"DELETE_RULE\", \"ENABLE_VALIDATE_RELY\", \"DEFAULT_VALUE\") "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      SKEP_PARAMS(r->child_cd, r->child_index, r->child_table, r->parent_cd, skep_p_i64(r->parent_index),
                  skep_p_i64(r->parent_table), skep_p_i64(r->position), skep_p_text(c->name), skep_p_i64(c->kind),
                  foreign ? skep_p_i64(0) : skep_p_null(), foreign ? skep_p_i64(0) : skep_p_null(), skep_p_i64(flags),
                  skep_p_text(c->text)),
      NULL, err);
}

static skep_status insert_own(skep_catalog *catalog, const skep_catalog_table *t, const skep_catalog_constraint *c,
                              skep_err *err) {
  int64_t n_columns = t->columns->n_children;
  for (uint32_t i = 0; i < (c->n_columns == 0 ? 1 : c->n_columns); i++) {
    constraint_row r = {skep_p_null(), skep_p_null(), skep_p_null(), skep_p_null(), -1, t->id, (int64_t)i + 1};
    if (c->n_columns > 0) {
      bool in_columns = c->columns[i] < n_columns;
      r.parent_index = in_columns ? c->columns[i] : c->columns[i] - n_columns;
      if (in_columns) r.parent_cd = skep_p_i64(t->cd_id);
    }
    SKEP_TRY(insert_row(catalog, c, &r, err));
  }
  return SKEP_OK;
}

static skep_status insert_foreign(skep_catalog *catalog, skep_arena *arena, const skep_catalog_table *t,
                                  const skep_catalog_constraint *c, skep_err *err) {
  skep_catalog_table *parent;
  SKEP_TRY(skep_catalog_get_table(catalog, arena, c->parent_db, c->parent_table, &parent, err));
  for (uint32_t i = 0; i < c->n_columns; i++) {
    const char *name = c->parent_columns[i];
    int64_t at = name == NULL ? -1 : skep_type_child(parent->columns, name, strlen(name), true);
    if (at < 0) {
      char quoted[160];
      return skep_fail(err, SKEP_ERR_NOT_FOUND, "Parent column not found: %s",
                       skep_quote(quoted, sizeof quoted, name == NULL ? "" : name, name == NULL ? 0 : strlen(name)));
    }
    constraint_row r = {
        skep_p_i64(t->cd_id), skep_p_i64(c->columns[i]), skep_p_i64(t->id), skep_p_i64(parent->cd_id), at, parent->id,
        (int64_t)i + 1};
    SKEP_TRY(insert_row(catalog, c, &r, err));
  }
  return SKEP_OK;
}

skep_status catalog_insert_constraints(skep_catalog *catalog, skep_arena *arena, const skep_catalog_table *t,
                                       skep_err *err) {
  int64_t now_ms = 0;
  if (t->n_constraints > 0) SKEP_TRY(skep_db_now_ms(catalog->db, &now_ms, err));
  for (uint32_t i = 0; i < t->n_constraints; i++) {
    skep_catalog_constraint c = t->constraints[i];
    if (c.name == NULL && (c.name = make_name(catalog, arena, t, &c, now_ms)) == NULL) return catalog_nomem(err);
    SKEP_TRY(c.kind == SKEP_CONSTRAINT_FOREIGN_KEY ? insert_foreign(catalog, arena, t, &c, err)
                                                   : insert_own(catalog, t, &c, err));
  }
  return SKEP_OK;
}

skep_status catalog_delete_constraints(skep_catalog *catalog, int64_t table_id, bool also_pointing_here,
                                       skep_err *err) {
  SKEP_TRY(skep_db_run(catalog->db,
                       "DELETE FROM \"KEY_CONSTRAINTS\" WHERE \"PARENT_TBL_ID\" = ? AND \"CONSTRAINT_TYPE\" <> 1",
                       SKEP_PARAMS(skep_p_i64(table_id)), NULL, err));
  SKEP_TRY(skep_db_run(catalog->db,
                       "DELETE FROM \"KEY_CONSTRAINTS\" WHERE \"CHILD_TBL_ID\" = ? AND \"CONSTRAINT_TYPE\" = 1",
                       SKEP_PARAMS(skep_p_i64(table_id)), NULL, err));
  if (!also_pointing_here) return SKEP_OK;
  return skep_db_run(catalog->db, "DELETE FROM \"KEY_CONSTRAINTS\" WHERE \"PARENT_TBL_ID\" = ?",
                     SKEP_PARAMS(skep_p_i64(table_id)), NULL, err);
}
