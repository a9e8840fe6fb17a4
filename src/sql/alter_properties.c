/* ALTER TABLE SET and UNSET TBLPROPERTIES, CONVERT TO ACID, UPDATE STATISTICS: what may become of a table's kind.
 *
 * Source: hiveql 3.4; wordings and what takes a write id: seen in 4.0.1. */
#include <stdio.h>
#include <string.h>

#include "acid/name.h"
#include "sql/ddl_int.h"

static const char *property(const skep_ast_property_list *list, const char *key) {
  for (uint32_t i = list->n; i > 0; i--)
    if (strcmp(list->items[i - 1].key, key) == 0)
      return list->items[i - 1].value == NULL ? "" : list->items[i - 1].value;
  return NULL;
}

static bool is_orc(const skep_catalog_table *t) {
  return t->input_format != NULL && strcmp(t->input_format, "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat") == 0;
}

/* ---- conversion: the files ---- */

/* "<digits>_<digits>" with "_copy_<digits>" behind, perhaps: what Hive's writers call files of plain tables. */
static bool is_original_name(const char *name) {
  const char *at = name;
  while (*at >= '0' && *at <= '9') at++;
  if (at == name || *at++ != '_') return false;
  const char *second = at;
  while (*at >= '0' && *at <= '9') at++;
  if (at == second) return false;
  if (*at == '\0') return true;
  if (strncmp(at, "_copy_", 6) != 0) return false;
  const char *third = at += 6;
  while (*at >= '0' && *at <= '9') at++;
  return at != third && *at == '\0';
}

typedef struct file_list {
  skep_session *s;
  ddl_alter *a;
  const char *dir;
  const char **names;
  size_t n, capacity;
} file_list;

static skep_status add_file(void *self, const skep_entry *entry, skep_err *err) {
  file_list *l = self;
  if (entry->name[0] == '.' || entry->name[0] == '_') return SKEP_OK;
  if (entry->kind != SKEP_ENTRY_FILE || !is_original_name(entry->name))
    return ddl_task_fail(err, 40013,
                         "Unable to alter table. Unexpected data file name format.  Cannot convert %s to "
                         "transactional table.  File: %s/%s",
                         ddl_name(l->s, l->a->was), ddl_quote(l->s, l->dir), ddl_quote(l->s, entry->name));
  void *grown = l->names;
  SKEP_TRY(skep_arena_grow(&l->s->arena, &grown, &l->capacity, l->n + 1, sizeof *l->names, err));
  l->names = grown;
  l->names[l->n] = skep_arena_strndup(&l->s->arena, entry->name, strlen(entry->name));
  return l->names[l->n++] == NULL ? ddl_nomem(err) : SKEP_OK;
}

/* Checks the files of one directory; for insert-only they move into the delta of the statement's write id. */
static skep_status convert_directory(skep_session *s, ddl_alter *a, const char *location, bool move, skep_err *err) {
  file_list list = {.s = s, .a = a};
  SKEP_TRY(skep_catalog_path(location, &list.dir, err));
  skep_status st = skep_fs_list(s->fs, list.dir, false, add_file, &list, err);
  if (st == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (st != SKEP_OK || !move) return st;
  char delta[80];
  snprintf(delta, sizeof delta, "/delta_%07lld_%07lld_0000/", (long long)a->write_id, (long long)a->write_id);
  for (size_t i = 0; i < list.n; i++) {
    const char *from = ddl_join(s, list.dir, "/", list.names[i]), *to = ddl_join(s, list.dir, delta, list.names[i]);
    if (from == NULL || to == NULL) return ddl_nomem(err);
    SKEP_TRY(skep_moves_add(s, &a->moves, from, to, err));
  }
  return SKEP_OK;
}

static skep_status convert_files(skep_session *s, ddl_alter *a, bool move, skep_err *err) {
  if (!skep_table_is_partitioned(a->was)) return convert_directory(s, a, a->was->location, move, err);
  const skep_catalog_partition *list;
  size_t n;
  SKEP_TRY(skep_catalog_list_partitions(s->catalog, &s->arena, a->was, false, &list, &n, err));
  for (size_t i = 0; i < n; i++) SKEP_TRY(convert_directory(s, a, list[i].location, move, err));
  return SKEP_OK;
}

/* ---- conversion: the table ---- */

static skep_status check_convertible(skep_session *s, const ddl_alter *a, bool insert_only, skep_err *err) {
  const skep_catalog_table *t = a->now;
  if (strcmp(t->type, "EXTERNAL_TABLE") == 0)
    return ddl_task_fail(err, 40013,
                         "Unable to alter table. %s cannot be declared transactional because it's an external table",
                         ddl_name(s, t));
  if (insert_only) return SKEP_OK;
  if (!is_orc(t))
    return ddl_task_fail(
        err, 40013, "Unable to alter table. The table must be stored using an ACID compliant format (such as ORC): %s",
        ddl_name(s, t));
  if (t->n_sort_columns > 0)
    return ddl_task_fail(err, 40013,
                         "Unable to alter table. Table %s cannot support full ACID functionality since it is sorted.",
                         ddl_name(s, t));
  return SKEP_OK;
}

skep_status ddl_convert(skep_session *s, ddl_alter *a, bool insert_only, skep_err *err) {
  if (insert_only) { /* the files move below it; full ACID leaves them where they are, and takes none */
    a->takes_write_id = true;
    SKEP_TRY(ddl_alter_write_id(s, a, err));
  }
  SKEP_TRY(check_convertible(s, a, insert_only, err));
  SKEP_TRY(convert_files(s, a, insert_only, err));
  /* Files that were there count as older than any write: their rows have write id 0, later ones start behind this. */
  if (!insert_only) SKEP_TRY(skep_txn_seed_write_id(s->db, a->was->db, a->was->name, 10000000, err));
  skep_catalog_params *p = &a->now->params;
  SKEP_TRY(ddl_set_param(s, p, "transactional", "true", err));
  SKEP_TRY(ddl_set_param(s, p, "transactional_properties", insert_only ? "insert_only" : "default", err));
  return ddl_set_param(s, p, "COLUMN_STATS_ACCURATE", NULL, err);
}

/* ---- SET ---- */

/* A transactional table stays one; only insert-only may become full ACID. */
static skep_status set_of_transactional(skep_session *s, ddl_alter *a, const char *acid, const char *kind,
                                        skep_err *err) {
  const skep_catalog_table *t = a->was;
  if (acid != NULL && !ddl_same_word(acid, "true")) {
    if (kind == NULL)
      return ddl_task_fail(err, 40000, "Cannot change 'transactional' without 'transactional_properties'");
    return ddl_task_fail(err, 40013,
                         "Unable to alter table. TBLPROPERTIES with 'transactional'='true' cannot be unset: %s",
                         ddl_name(s, t));
  }
  if (acid != NULL) {
    a->takes_write_id = true;
    SKEP_TRY(ddl_alter_write_id(s, a, err));
    SKEP_TRY(ddl_set_param(s, &a->now->params, "COLUMN_STATS_ACCURATE", NULL, err));
  }
  bool was_insert_only = t->kind == SKEP_TABLE_INSERT_ONLY;
  if (kind == NULL || ddl_same_word(kind, was_insert_only ? "insert_only" : "default")) return SKEP_OK;
  if (was_insert_only && ddl_same_word(kind, "default")) {
    SKEP_TRY(check_convertible(s, a, false, err));
    return ddl_set_param(s, &a->now->params, "transactional_properties", "default", err);
  }
  return ddl_task_fail(
      err, 40013,
      "Unable to alter table. TBLPROPERTIES with 'transactional_properties' cannot be altered after the "
      "table is created");
}

static skep_status set_of_plain(skep_session *s, ddl_alter *a, const char *acid, const char *kind, skep_err *err) {
  bool insert_only = kind != NULL && ddl_same_word(kind, "insert_only");
  if (acid != NULL && ddl_same_word(acid, "true")) {
    if (kind != NULL && !insert_only && !ddl_same_word(kind, "default"))
      return ddl_task_fail(err, 40013,
                           "Unable to alter table. Invalid transactional properties specified for %s with the error "
                           "unknown value %s for transactional_properties",
                           ddl_name(s, a->was), ddl_quote(s, kind));
    return ddl_convert(s, a, insert_only, err);
  }
  if (acid != NULL && !ddl_same_word(acid, "false"))
    return ddl_task_fail(err, 40013,
                         "Unable to alter table. 'transactional' property of TBLPROPERTIES may only have value 'true': "
                         "%s",
                         ddl_name(s, a->was));
  if (acid == NULL && kind != NULL)
    return ddl_task_fail(err, 40000, "Cannot change 'transactional_properties' without 'transactional'");
  return SKEP_OK; /* "false" is what it is; it is not stored */
}

static skep_status set_external(skep_session *s, ddl_alter *a, const char *external, skep_err *err) {
  if (external == NULL) return SKEP_OK;
  if (ddl_same_word(external, "true")) {
    if (skep_catalog_param_is(&a->now->params, "transactional", "true"))
      return ddl_task_fail(
          err, 40013, "Unable to alter table. %s cannot be converted to external table as it is transactional table.",
          ddl_name(s, a->was));
    a->now->type = "EXTERNAL_TABLE";
    return SKEP_OK;
  }
  a->now->type = "MANAGED_TABLE";
  return ddl_set_param(s, &a->now->params, "EXTERNAL", NULL, err);
}

static skep_status set_properties(skep_session *s, ddl_alter *a, const skep_ast_property_list *list, skep_err *err) {
  const char *acid = property(list, "transactional"), *kind = property(list, "transactional_properties");
  const char *external = property(list, "EXTERNAL");
  for (uint32_t i = 0; i < list->n; i++) {
    const char *key = list->items[i].key;
    if (strcmp(key, "transactional") == 0 || strcmp(key, "transactional_properties") == 0) continue;
    SKEP_TRY(ddl_set_param(s, &a->now->params, key, list->items[i].value == NULL ? "" : list->items[i].value, err));
  }
  /* EXTERNAL=FALSE and transactional=true together make a translated table managed and ACID */
  if (external != NULL && !ddl_same_word(external, "true")) SKEP_TRY(set_external(s, a, external, err));
  SKEP_TRY(skep_table_is_transactional(a->was) ? set_of_transactional(s, a, acid, kind, err)
                                               : set_of_plain(s, a, acid, kind, err));
  if (external != NULL && ddl_same_word(external, "true")) SKEP_TRY(set_external(s, a, external, err));
  a->is_changed = true;
  return ddl_touch(s, &a->now->params, true, err);
}

/* ---- UNSET ---- */

static skep_status unset_properties(skep_session *s, ddl_alter *a, skep_err *err) {
  const skep_ast_property_list *list = &a->ast->properties;
  for (uint32_t i = 0; i < list->n; i++)
    if (!a->ast->if_flag && skep_catalog_param_get(&a->was->params, list->items[i].key) == NULL)
      return ddl_semantic_fail(
          err, 10215,
          "Please use the following syntax if not sure whether the property existed or not:\nALTER "
          "TABLE tableName UNSET TBLPROPERTIES IF EXISTS (key1, key2, ...)\n%s",
          ddl_quote(s, list->items[i].key));
  for (uint32_t i = 0; i < list->n; i++) {
    const char *key = list->items[i].key;
    bool kept = strcmp(key, "transactional") == 0 || strcmp(key, "transactional_properties") == 0;
    if (kept && skep_table_is_transactional(a->was))
      return ddl_task_fail(err, 40013,
                           "Unable to alter table. TBLPROPERTIES with 'transactional'='true' cannot be unset: %s",
                           ddl_name(s, a->was));
    SKEP_TRY(ddl_set_param(s, &a->now->params, key, NULL, err));
  }
  a->is_changed = true;
  return ddl_touch(s, &a->now->params, true, err);
}

/* ---- the rest ---- */

static skep_status convert_to(skep_session *s, ddl_alter *a, skep_err *err) {
  if (!ddl_same_word(a->ast->column, "acid"))
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "CONVERT TO %s is not supported", ddl_quote(s, a->ast->column));
  if (skep_table_is_transactional(a->was))
    return ddl_task_fail(err, 40000, "Can not convert table to ACID ,Table is already of that format");
  SKEP_TRY(ddl_convert(s, a, false, err));
  for (uint32_t i = 0; i < a->ast->properties.n; i++) {
    const skep_ast_property *p = &a->ast->properties.items[i];
    SKEP_TRY(ddl_set_param(s, &a->now->params, p->key, p->value == NULL ? "" : p->value, err));
  }
  a->is_changed = true;
  return ddl_touch(s, &a->now->params, true, err);
}

static skep_status update_statistics(skep_session *s, ddl_alter *a, skep_err *err) {
  if (a->ast->column != NULL)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "statistics of columns are not supported yet");
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  const skep_ast_property_list *list = &a->ast->properties;
  if (a->ast->partition.n == 0) {
    a->is_changed = true;
    for (uint32_t i = 0; i < list->n; i++)
      SKEP_TRY(ddl_set_param(s, &a->now->params, list->items[i].key, list->items[i].value, err));
    SKEP_TRY(ddl_set_param(s, &a->now->params, "COLUMN_STATS_ACCURATE", NULL, err));
    return ddl_touch(s, &a->now->params, true, err);
  }
  skep_catalog_partition *was;
  SKEP_TRY(ddl_find_partition(s, a->was, &a->ast->partition, &was, err));
  skep_catalog_partition now = *was;
  for (uint32_t i = 0; i < list->n; i++)
    SKEP_TRY(ddl_set_param(s, &now.params, list->items[i].key, list->items[i].value, err));
  SKEP_TRY(ddl_touch(s, &now.params, true, err));
  return skep_catalog_alter_partition(s->catalog, a->was, was, &now, err);
}

skep_status ddl_alter_properties(skep_session *s, ddl_alter *a, skep_err *err) {
  switch (a->ast->kind) {
    case SKEP_ALTER_SET_PROPERTIES:
      return set_properties(s, a, &a->ast->properties, err);
    case SKEP_ALTER_UNSET_PROPERTIES:
      return unset_properties(s, a, err);
    case SKEP_ALTER_CONVERT:
      return convert_to(s, a, err);
    default:
      return update_statistics(s, a, err);
  }
}
