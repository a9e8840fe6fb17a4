/* SHOW CREATE TABLE and DATABASE, letter for letter as Hive 4.0.1 prints them, trailing blanks and mistakes included:
 * its lines for DEFAULT constraints name the table twice and no constraint.
 *
 * Source: show_create.txt of the golden tables; constraints: seen in 4.0.1. */
#include <string.h>

#include "sql/show_int.h"

enum { TEXT_BYTES = 1 << 26 };

/* In quotes: ' and ; get a backslash, line ends become letters. Source: HiveStringUtils.escapeHiveCommand; seen. */
static void put_quoted(skep_buf *out, const char *text) {
  for (const char *at = text; *at != '\0'; at++) {
    if (*at == '\'' || *at == ';' || *at == '\n' || *at == '\r') skep_buf_byte(out, '\\');
    skep_buf_byte(out, (uint8_t)(*at == '\n' ? 'n' : *at == '\r' ? 'r' : *at));
  }
}

/* Here alone the fields of structs are in back-quotes, and there are blanks between them and between a union's types.
 */
static void put_type(skep_buf *out, const skep_type *type) {
  if (!skep_kind_is_nested(type->kind)) {
    skep_type_print(type, out);
    return;
  }
  skep_buf_printf(out, "%s<", skep_kind_name(type->kind));
  for (uint32_t i = 0; i < type->n_children; i++) {
    if (type->kind == SKEP_STRUCT)
      skep_buf_printf(out, "%s`%s`:", i == 0 ? "" : ", ", type->names[i]);
    else if (i > 0)
      skep_buf_text(out, type->kind == SKEP_UNION ? ", " : ",");
    put_type(out, type->children[i]); /* the type's depth is bounded: it was parsed */
  }
  skep_buf_byte(out, '>');
}

/* What Java's escapeJava makes of a text, then put_quoted. Source: seen for SerDe properties (golden 14). */
static void put_java(skep_buf *out, const char *text) {
  for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
    static const char letters[] = "btn\0fr";
    if (*at == '\\' || *at == '"') {
      skep_buf_printf(out, "\\%c", *at);
    } else if (*at >= 8 && *at <= 13 && *at != 11) {
      skep_buf_printf(out, "\\%c", letters[*at - 8]);
    } else if (*at < 32) {
      skep_buf_printf(out, "\\u%04X", *at);
    } else {
      if (*at == '\'' || *at == ';') skep_buf_byte(out, '\\');
      skep_buf_byte(out, *at);
    }
  }
}

static void put_column(skep_buf *out, const char *name, const skep_type *type, const char *comment) {
  skep_buf_printf(out, "  `%s` ", name);
  put_type(out, type);
  if (comment == NULL || comment[0] == '\0') return;
  skep_buf_text(out, " COMMENT '");
  put_quoted(out, comment);
  skep_buf_byte(out, '\'');
}

static void put_columns(skep_buf *out, const skep_type *columns, const char *const *comments) {
  for (uint32_t i = 0; i < columns->n_children; i++) {
    if (i > 0) skep_buf_text(out, ", \n");
    put_column(out, columns->names[i], columns->children[i], comments[i]);
  }
}

/* `  'k'='v', ` a line each, in order; false when there are none. */
static bool put_params(skep_buf *out, const skep_catalog_params *params, const char *const *hidden, size_t n_hidden) {
  bool some = false;
  for (size_t i = 0; i < params->n; i++) {
    bool hide = false;
    for (size_t k = 0; k < n_hidden; k++) hide = hide || strcmp(params->items[i].key, hidden[k]) == 0;
    if (hide) continue;
    skep_buf_text(out, some ? ", \n  '" : "  '");
    put_quoted(out, params->items[i].key);
    skep_buf_text(out, "'='");
    put_quoted(out, params->items[i].value);
    skep_buf_byte(out, '\'');
    some = true;
  }
  return some;
}

static void put_clustering(skep_buf *out, const skep_catalog_table *t) {
  if (t->n_bucket_columns == 0) return;
  skep_buf_text(out, "CLUSTERED BY (\n");
  for (uint32_t i = 0; i < t->n_bucket_columns; i++)
    skep_buf_printf(out, "%s  `%s`", i == 0 ? "" : ",\n", t->columns->names[t->bucket_columns[i]]);
  skep_buf_text(out, ")\n");
  if (t->n_sort_columns > 0) {
    skep_buf_text(out, "SORTED BY ( \n");
    for (uint32_t i = 0; i < t->n_sort_columns; i++)
      skep_buf_printf(out, "%s  `%s` %s", i == 0 ? "" : ", \n", t->columns->names[t->sort_columns[i].column],
                      t->sort_columns[i].ascending ? "ASC" : "DESC");
    skep_buf_text(out, ") \n");
  }
  skep_buf_printf(out, "INTO %d BUCKETS\n", t->n_buckets);
}

static void put_storage(skep_buf *out, const skep_catalog_table *t) {
  skep_buf_printf(out, "ROW FORMAT SERDE \n  '%s' \n", t->serde == NULL ? "" : t->serde);
  const skep_catalog_params *serde = &t->serde_params;
  bool plain = serde->n == 0 || (serde->n == 1 && strcmp(serde->items[0].key, "serialization.format") == 0 &&
                                 strcmp(serde->items[0].value, "1") == 0);
  if (!plain) {
    skep_buf_text(out, "WITH SERDEPROPERTIES ( \n");
    for (size_t i = 0; i < serde->n; i++) {
      skep_buf_text(out, i == 0 ? "  '" : ", \n  '");
      put_quoted(out, serde->items[i].key);
      skep_buf_text(out, "'='");
      put_java(out, serde->items[i].value);
      skep_buf_byte(out, '\'');
    }
    skep_buf_text(out, ") \n");
  }
  skep_buf_printf(out, "STORED AS INPUTFORMAT \n  '%s' \nOUTPUTFORMAT \n  '%s'\nLOCATION\n  '",
                  t->input_format == NULL ? "" : t->input_format, t->output_format == NULL ? "" : t->output_format);
  put_quoted(out, t->location == NULL ? "" : t->location);
  skep_buf_text(out, "'\n");
}

/* ---- constraints ---- */

static const skep_type *type_of(const skep_catalog_table *t, int32_t at) {
  int32_t n = (int32_t)t->columns->n_children;
  return at < n ? t->columns->children[at] : t->partition_keys->children[at - n];
}

static void put_switches(skep_buf *out, const skep_catalog_constraint *c) {
  skep_buf_printf(out, " %s %s %s;", c->enable ? "ENABLE" : "DISABLE", c->validate ? "VALIDATE" : "NOVALIDATE",
                  c->rely ? "RELY" : "NORELY");
}

static void put_names(skep_buf *out, const skep_catalog_table *t, const skep_catalog_constraint *c) {
  const char *comma = c->kind == SKEP_CONSTRAINT_FOREIGN_KEY ? ", " : ",";
  for (uint32_t i = 0; i < c->n_columns; i++)
    skep_buf_printf(out, "%s`%s`", i == 0 ? "" : comma, show_column(t, c->columns[i]));
}

static void put_change_column(skep_buf *out, const skep_catalog_table *t, const skep_catalog_constraint *c,
                              const char *database, const char *name) {
  const char *column = show_column(t, c->columns[0]);
  skep_buf_printf(out, "ALTER TABLE `%s`.`%s` CHANGE COLUMN `%s` `%s` ", database, t->name, column, column);
  put_type(out, type_of(t, c->columns[0]));
  skep_buf_printf(out, " CONSTRAINT %s ", name);
}

static void put_constraint(skep_session *s, skep_buf *out, const skep_catalog_table *t,
                           const skep_catalog_constraint *c) {
  const char *name = ddl_join(s, "`", c->name, "`");
  if (name == NULL) name = "?";
  if (c->kind == SKEP_CONSTRAINT_DEFAULT) {
    put_change_column(out, t, c, t->name, "");
    skep_buf_printf(out, "DEFAULT %s", c->text == NULL ? "" : c->text);
    put_switches(out, c);
    return;
  }
  if (c->kind == SKEP_CONSTRAINT_NOT_NULL) {
    put_change_column(out, t, c, t->db, name);
    skep_buf_text(out, "NOT NULL");
    put_switches(out, c);
    return;
  }
  skep_buf_printf(out, "ALTER TABLE `%s`.`%s` ADD CONSTRAINT %s ", t->db, t->name, name);
  if (c->kind == SKEP_CONSTRAINT_CHECK) {
    skep_buf_printf(out, "CHECK (%s)", c->text == NULL ? "" : c->text);
  } else {
    static const char *const words[] = {"PRIMARY KEY (", "FOREIGN KEY (", "UNIQUE ("};
    skep_buf_text(out, words[c->kind]);
    put_names(out, t, c);
    skep_buf_byte(out, ')');
    if (c->kind == SKEP_CONSTRAINT_FOREIGN_KEY) {
      skep_buf_printf(out, " REFERENCES `%s`.`%s`(", c->parent_db, c->parent_table);
      for (uint32_t i = 0; i < c->n_columns; i++)
        skep_buf_printf(out, "%s`%s`", i == 0 ? "" : ", ", c->parent_columns[i] == NULL ? "" : c->parent_columns[i]);
      skep_buf_byte(out, ')');
    }
  }
  put_switches(out, c);
}

/* Only constraints to be relied on; NOT NULL last, as Hive has it. */
static void put_constraints(skep_session *s, skep_buf *out, const skep_catalog_table *t) {
  static const skep_constraint_kind order[] = {SKEP_CONSTRAINT_PRIMARY_KEY, SKEP_CONSTRAINT_FOREIGN_KEY,
                                               SKEP_CONSTRAINT_UNIQUE,      SKEP_CONSTRAINT_DEFAULT,
                                               SKEP_CONSTRAINT_CHECK,       SKEP_CONSTRAINT_NOT_NULL};
  for (size_t k = 0; k < sizeof order / sizeof order[0]; k++)
    for (uint32_t i = 0; i < t->n_constraints; i++)
      if (t->constraints[i].kind == order[k] && t->constraints[i].rely) {
        skep_buf_byte(out, '\n');
        put_constraint(s, out, t, &t->constraints[i]);
      }
}

/* ---- the statements ---- */

static void put_table(skep_session *s, skep_buf *out, const skep_catalog_table *t, bool with_db) {
  static const char *const hidden[] = {
      "COLUMN_STATS_ACCURATE", "EXTERNAL", "SORTBUCKETCOLSPREFIX", "comment",  "numFiles", "numFilesErasureCoded",
      "numPartitions",         "numRows",  "rawDataSize",          "totalSize"};
  skep_buf_printf(out, "CREATE %sTABLE ", strcmp(t->type, "EXTERNAL_TABLE") == 0 ? "EXTERNAL " : "");
  if (with_db) skep_buf_printf(out, "`%s`.", t->db);
  skep_buf_printf(out, "`%s`(\n", t->name);
  put_columns(out, t->columns, t->column_comments);
  skep_buf_text(out, ")\n");
  const char *comment = skep_catalog_param_get(&t->params, "comment");
  if (comment != NULL) {
    skep_buf_text(out, "COMMENT '");
    put_quoted(out, comment);
    skep_buf_text(out, "'\n");
  }
  if (skep_table_is_partitioned(t)) {
    skep_buf_text(out, "PARTITIONED BY ( \n");
    put_columns(out, t->partition_keys, t->partition_comments);
    skep_buf_text(out, ")\n");
  }
  put_clustering(out, t);
  put_storage(out, t);
  skep_buf_text(out, "TBLPROPERTIES (\n");
  put_params(out, &t->params, hidden, sizeof hidden / sizeof hidden[0]);
  skep_buf_byte(out, ')');
  put_constraints(s, out, t);
}

static void put_view(skep_buf *out, const skep_catalog_table *t, bool with_db) {
  skep_buf_text(out, "CREATE VIEW ");
  if (with_db) skep_buf_printf(out, "`%s`.", t->db);
  skep_buf_printf(out, "`%s` AS %s", t->name, t->view_expanded_text == NULL ? "" : t->view_expanded_text);
}

skep_status show_create_table(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  static const char *const names[] = {"createtab_stmt"};
  skep_catalog_table *t;
  SKEP_TRY(ddl_find_table(s, &show->table, true, &t, err));
  SKEP_TRY(show_new(s, out, err, 1, names));
  skep_buf text;
  skep_buf_init(&text, s->ctx, TEXT_BYTES);
  if (t->kind == SKEP_TABLE_VIEW)
    put_view(&text, t, show->table.db != NULL);
  else
    put_table(s, &text, t, show->table.db != NULL);
  skep_status st = skep_buf_check(&text, "the statement that creates a table", err);
  if (st == SKEP_OK) st = show_lines(s, *out, skep_buf_string(&text), err);
  skep_buf_fini(&text);
  return st;
}

skep_status show_create_database(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  static const char *const names[] = {"createdb_stmt"};
  const skep_catalog_db *db;
  SKEP_TRY(ddl_find_database(s, show->db, &db, err));
  SKEP_TRY(show_new(s, out, err, 1, names));
  skep_buf text;
  skep_buf_init(&text, s->ctx, TEXT_BYTES);
  skep_buf_printf(&text, "CREATE DATABASE `%s`", db->name);
  if (db->comment != NULL) {
    skep_buf_text(&text, "\nCOMMENT\n  '");
    put_quoted(&text, db->comment);
    skep_buf_byte(&text, '\'');
  }
  skep_buf_text(&text, "\nLOCATION\n  '");
  put_quoted(&text, db->location);
  skep_buf_byte(&text, '\'');
  if (db->managed_location != NULL) {
    skep_buf_text(&text, "\nMANAGEDLOCATION\n  '");
    put_quoted(&text, db->managed_location);
    skep_buf_byte(&text, '\'');
  }
  if (db->params.n > 0) {
    skep_buf_text(&text, "\nWITH DBPROPERTIES (\n");
    put_params(&text, &db->params, NULL, 0);
    skep_buf_byte(&text, ')');
  }
  skep_status st = skep_buf_check(&text, "the statement that creates a database", err);
  if (st == SKEP_OK) st = show_lines(s, *out, skep_buf_string(&text), err);
  skep_buf_fini(&text);
  return st;
}
