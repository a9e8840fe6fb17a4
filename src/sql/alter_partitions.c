/* ALTER TABLE ADD, DROP and RENAME PARTITION; PARTITION COLUMN, the type of a key. */
#include <stdio.h>
#include <string.h>

#include "acid/name.h"
#include "sql/ddl_int.h"

/* ---- ADD ---- */

static bool same_values(const skep_catalog_table *t, const skep_catalog_partition *a, const skep_catalog_partition *b) {
  for (uint32_t i = 0; i < t->partition_keys->n_children; i++)
    if (strcmp(a->values[i], b->values[i]) != 0) return false;
  return true;
}

static const char *values_text(skep_session *s, const skep_catalog_table *t, const char *const *values) {
  skep_buf buf;
  skep_buf_init(&buf, s->ctx, 1 << 16);
  for (uint32_t i = 0; i < t->partition_keys->n_children; i++)
    skep_buf_printf(&buf, "%s%s", i == 0 ? "" : ", ", ddl_quote(s, values[i]));
  const char *out = skep_buf_copy(&buf, &s->arena);
  skep_buf_fini(&buf);
  return out == NULL ? "?" : out;
}

static const char *name_of(skep_session *s, const skep_catalog_table *t, const char *const *values) {
  skep_buf buf;
  skep_buf_init(&buf, s->ctx, 1 << 20);
  skep_catalog_partition_name(t->partition_keys, values, &buf);
  const char *out = skep_buf_copy(&buf, &s->arena);
  skep_buf_fini(&buf);
  return out;
}

static skep_status find(skep_session *s, const skep_catalog_table *t, const char *const *values,
                        skep_catalog_partition **out, skep_err *err) {
  *out = NULL;
  const char *name = name_of(s, t, values);
  if (name == NULL) return ddl_nomem(err);
  skep_status st = skep_catalog_get_partition(s->catalog, &s->arena, t, name, out, err);
  return st == SKEP_ERR_NOT_FOUND ? SKEP_OK : st;
}

/* Every key needs a value that is not empty. */
static skep_status check_values(skep_session *s, const skep_catalog_table *t, const skep_partition_spec *spec,
                                skep_err *err) {
  for (uint32_t i = 0; i < spec->n; i++) {
    const char *text = NULL;
    if (spec->items[i].value != NULL) SKEP_TRY(ddl_constant_text(s, spec->items[i].value, &text, err));
    if (text == NULL || text[0] == '\0')
      return ddl_task_fail(err, 40000, "partition spec is invalid; field %s does not exist or is empty",
                           ddl_quote(s, spec->items[i].name));
  }
  (void)t;
  return SKEP_OK;
}

/* LOCATION as written (relative: below the table), or the table's directory and the name; not where a dropped
 * partition's files still wait for their last reader. */
static skep_status choose_location(skep_session *s, const skep_catalog_table *t, const char *written,
                                   skep_catalog_partition *p, skep_err *err) {
  const char *name = name_of(s, t, p->values);
  bool pending;
  if (name == NULL) return ddl_nomem(err);
  if (written != NULL && strchr(written, ':') == NULL && written[0] != '/' &&
      (written = ddl_join(s, t->location, "/", written)) == NULL)
    return ddl_nomem(err);
  if (written != NULL) {
    SKEP_TRY(ddl_location(s, written, &p->location, err));
    return ddl_check_location(s, t, name, p->location, err);
  }
  if ((p->location = ddl_join(s, t->location, "/", name)) == NULL) return ddl_nomem(err);
  SKEP_TRY(skep_txn_removal_pending(s->db, p->location, &pending, err));
  if (!pending) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_BUSY, "%s %s: the files of the dropped partition are still in use; try again later",
                   ddl_name(s, t), ddl_quote(s, name));
}

static skep_status prepare(skep_session *s, ddl_alter *a, const skep_alter_partition *ast, skep_catalog_partition *p,
                           skep_err *err) {
  SKEP_TRY(check_values(s, a->was, &ast->spec, err));
  SKEP_TRY(choose_location(s, a->was, ast->location, p, err));
  p->write_id = a->write_id;
  bool some = false;
  if (ast->location != NULL) {
    SKEP_TRY(ddl_attach(s, a->was, p->location, 0, &some, err));
  } else {
    SKEP_TRY(ddl_check_unattached(s, a->was, p->location, a->write_id, err));
  }
  SKEP_TRY(ddl_empty_stats(s, a->was->columns, &p->params, err));
  if (some) SKEP_TRY(ddl_set_param(s, &p->params, "COLUMN_STATS_ACCURATE", NULL, err));
  return ddl_make_directory(s, p->location, NULL, err);
}

static skep_status refuse_existing(skep_session *s, const skep_catalog_table *t, const char *const *values,
                                   skep_err *err) {
  return ddl_task_fail(err, 40000,
                       "AlreadyExistsException(message:Partition already exists: Partition(values:[%s], dbName:%s, "
                       "tableName:%s))",
                       values_text(s, t, values), t->db, t->name);
}

/* The partition of NULL comes with rows only. */
static skep_status check_reserved(skep_session *s, const skep_partition_spec *spec, skep_err *err) {
  const char *reserved = skep_session_text(s, "hive.exec.default.partition.name", SKEP_DEFAULT_PARTITION);
  for (uint32_t i = 0; i < spec->n; i++) {
    const char *text = NULL;
    if (spec->items[i].value != NULL) SKEP_TRY(ddl_constant_text(s, spec->items[i].value, &text, err));
    if (text != NULL && strcmp(text, reserved) == 0)
      return ddl_semantic_fail(err, 10111,
                               "Partition value contains a reserved substring (User value: %s Reserved substring: %s)",
                               ddl_quote(s, text), ddl_quote(s, reserved));
  }
  return SKEP_OK;
}

static skep_status add_partitions(skep_session *s, ddl_alter *a, skep_err *err) {
  const skep_catalog_table *t = a->was;
  skep_catalog_partition *all = skep_arena_zero(&s->arena, a->ast->n_partitions + 1, sizeof *all);
  size_t n = 0;
  if (all == NULL) return ddl_nomem(err);
  for (uint32_t i = 0; i < a->ast->n_partitions; i++) {
    SKEP_TRY(ddl_spec_values(s, t, &a->ast->partitions[i].spec, true, &all[i].values, err));
    SKEP_TRY(check_reserved(s, &a->ast->partitions[i].spec, err));
  }
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  for (uint32_t i = 0; i < a->ast->n_partitions; i++) {
    skep_catalog_partition p = {.values = all[i].values}, *there;
    SKEP_TRY(check_values(s, t, &a->ast->partitions[i].spec, err));
    SKEP_TRY(find(s, t, p.values, &there, err));
    bool repeated = there != NULL;
    for (size_t k = 0; k < n; k++) repeated = repeated || same_values(t, &all[k], &p);
    if (repeated && a->ast->if_flag) continue;
    if (repeated) return refuse_existing(s, t, p.values, err);
    SKEP_TRY(prepare(s, a, &a->ast->partitions[i], &p, err));
    all[n++] = p;
  }
  return skep_catalog_add_partitions(s->catalog, &s->arena, t, all, n, err);
}

/* ---- DROP ---- */

static skep_status drop_one(skep_session *s, const skep_catalog_table *t, const skep_catalog_partition *p,
                            skep_err *err) {
  if (ddl_owns_files(t)) SKEP_TRY(skep_txn_removal_add(s->db, 0, t->db, t->name, p->name, p->location, err));
  SKEP_TRY(skep_catalog_drop_partition(s->catalog, t, p, err));
  return skep_txn_drop_records(s->db, t->db, t->name, p->name, err);
}

static skep_status check_filter(skep_session *s, const skep_catalog_table *t, const skep_partition_spec *spec,
                                skep_err *err) {
  for (uint32_t i = 0; i < spec->n; i++)
    if (skep_type_child(t->partition_keys, spec->items[i].name, strlen(spec->items[i].name), true) < 0)
      return ddl_semantic_fail(err, 0, "Column %s is not a partition key", ddl_quote(s, spec->items[i].name));
  return SKEP_OK;
}

/* "(a = 5)", "((a = 5) and (b > 'x'))" */
static const char *filter_text(skep_session *s, const skep_partition_spec *spec) {
  skep_buf buf;
  skep_buf_init(&buf, s->ctx, 1 << 16);
  for (uint32_t i = 0; i < spec->n; i++) {
    const skep_partition_value *v = &spec->items[i];
    const char *text = NULL, *op = v->op == SKEP_OP_NE   ? "<>"
                                   : v->op == SKEP_OP_LT ? "<"
                                   : v->op == SKEP_OP_LE ? "<="
                                   : v->op == SKEP_OP_GT ? ">"
                                   : v->op == SKEP_OP_GE ? ">="
                                                         : "=";
    bool known = v->value != NULL && ddl_constant_text(s, v->value, &text, NULL) == SKEP_OK && text != NULL;
    bool quoted =
        v->value != NULL && v->value->kind == SKEP_EXPR_LITERAL && v->value->literal.kind >= SKEP_LITERAL_STRING;
    const char *quote = quoted ? "'" : "";
    skep_buf_printf(&buf, "%s(%s %s %s%s%s)", i == 0 ? (spec->n > 1 ? "(" : "") : " and ", v->name, op, quote,
                    known ? ddl_quote(s, text) : "null", quote);
  }
  if (spec->n > 1) skep_buf_byte(&buf, ')');
  const char *out = skep_buf_copy(&buf, &s->arena);
  skep_buf_fini(&buf);
  return out == NULL ? "?" : out;
}

static skep_status drop_partitions(skep_session *s, ddl_alter *a, skep_err *err) {
  const skep_catalog_table *t = a->was;
  const skep_catalog_partition *list;
  size_t n;
  SKEP_TRY(skep_catalog_list_partitions(s->catalog, &s->arena, t, false, &list, &n, err));
  bool *doomed = skep_arena_zero(&s->arena, n + 1, sizeof *doomed);
  if (doomed == NULL) return ddl_nomem(err);
  bool quiet = a->ast->if_flag || skep_session_bool(s, "hive.exec.drop.ignorenonexistent", true);
  for (uint32_t k = 0; k < a->ast->n_partitions; k++) {
    bool some = false, matches;
    SKEP_TRY(check_filter(s, t, &a->ast->partitions[k].spec, err));
    for (size_t i = 0; i < n; i++) {
      SKEP_TRY(ddl_spec_matches(s, t, &a->ast->partitions[k].spec, &list[i], &matches, err));
      doomed[i] = doomed[i] || matches;
      some = some || matches;
    }
    if (!some && !quiet)
      return ddl_semantic_fail(err, 10006, "Partition not found %s", filter_text(s, &a->ast->partitions[k].spec));
  }
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  for (size_t i = 0; i < n; i++)
    if (doomed[i]) SKEP_TRY(drop_one(s, t, &list[i], err));
  a->cleans = true;
  return SKEP_OK;
}

/* ---- RENAME ---- */

static skep_status rename_partition(skep_session *s, ddl_alter *a, skep_err *err) {
  const skep_catalog_table *t = a->was;
  const char *const *from, *const *to;
  SKEP_TRY(ddl_spec_values(s, t, &a->ast->partition, true, &from, err));
  SKEP_TRY(ddl_spec_values(s, t, &a->ast->partitions[0].spec, true, &to, err));
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  skep_catalog_partition *was, *there;
  SKEP_TRY(find(s, t, from, &was, err));
  const char *old_name = name_of(s, t, from), *new_name = name_of(s, t, to);
  if (old_name == NULL || new_name == NULL) return ddl_nomem(err);
  if (was == NULL)
    return ddl_task_fail(err, 40000, "Rename partition: source partition [%s] does not exist.", ddl_quote(s, old_name));
  SKEP_TRY(find(s, t, to, &there, err));
  if (there != NULL)
    return ddl_task_fail(err, 40000, "Unable to rename partition. Partition already exists:%s.[%s]", ddl_name(s, t),
                         values_text(s, t, to));
  skep_catalog_partition now = *was;
  now.values = to;
  now.name = new_name;
  now.write_id = a->write_id;
  SKEP_TRY(ddl_touch(s, &now.params, false, err));
  const char *usual = ddl_join(s, t->location, "/", old_name), *target = ddl_join(s, t->location, "/", new_name);
  if (usual == NULL || target == NULL) return ddl_nomem(err);
  if (ddl_owns_files(t) && strcmp(usual, was->location) == 0) {
    const char *old_path, *new_path;
    bool pending;
    SKEP_TRY(skep_txn_removal_pending(s->db, target, &pending, err));
    if (pending)
      return skep_fail(err, SKEP_ERR_BUSY,
                       "%s %s: the files of the dropped partition are still in use; try again later", ddl_name(s, t),
                       ddl_quote(s, new_name));
    SKEP_TRY(skep_catalog_path(usual, &old_path, err));
    SKEP_TRY(skep_catalog_path(target, &new_path, err));
    SKEP_TRY(skep_moves_add(s, &a->moves, old_path, new_path, err));
    now.location = target;
  }
  SKEP_TRY(skep_txn_rename_partition(s->db, t->db, t->name, old_name, new_name, err));
  return skep_catalog_alter_partition(s->catalog, t, was, &now, err);
}

/* ---- PARTITION COLUMN ---- */

/* Every value must be one of the new type, and be spelled as that type spells it: statements find the partition of a
 * row by the name that its values make, so rows of d=01 would be written to d=1 (as they are in Hive). */
static skep_status check_new_type(skep_session *s, ddl_alter *a, uint32_t at, const skep_type *type, skep_err *err) {
  const skep_catalog_partition *list;
  const char *value;
  size_t n;
  SKEP_TRY(skep_catalog_list_partitions(s->catalog, &s->arena, a->was, false, &list, &n, err));
  for (size_t i = 0; i < n; i++) {
    if (strcmp(list[i].values[at], SKEP_DEFAULT_PARTITION) == 0) continue;
    skep_status st = skep_catalog_partition_value(&s->arena, type, list[i].values[at], &value, NULL);
    if (st != SKEP_OK)
      return ddl_task_fail(err, 40000,
                           "Exception while checking type conversion of existing partition values to FieldSchema("
                           "name:%s, type:%s, comment:null) : Exception while converting string to %s for partition : "
                           "%s, index: %u",
                           ddl_quote(s, a->was->partition_keys->names[at]), ddl_type(s, type), ddl_type(s, type),
                           ddl_quote(s, list[i].name), at);
    if (strcmp(value, list[i].values[at]) != 0)
      return skep_fail(err, SKEP_ERR_UNSUPPORTED,
                       "%s: as %s the value of partition %s would be written %s; rename the partition first",
                       ddl_name(s, a->was), ddl_type(s, type), ddl_quote(s, list[i].name), ddl_quote(s, value));
  }
  return SKEP_OK;
}

/* Source: Hive AlterTableAlterPartitionAnalyzer and its operation. */
static skep_status partition_column(skep_session *s, ddl_alter *a, skep_err *err) {
  const skep_column_def *def = &a->ast->columns.items[0];
  const skep_type *keys = a->was->partition_keys, like = {.kind = SKEP_STRUCT};
  int64_t at = skep_type_child(keys, def->name, strlen(def->name), true);
  if (at < 0) return ddl_semantic_fail(err, 10002, "Invalid column reference %s", ddl_quote(s, def->name));
  SKEP_TRY(ddl_check_key_type(s, def->name, def->type, err));
  SKEP_TRY(ddl_alter_write_id(s, a, err));
  SKEP_TRY(check_new_type(s, a, (uint32_t)at, def->type, err));
  const skep_type **children = skep_arena_zero(&s->arena, keys->n_children, sizeof *children);
  const char **comments = skep_arena_zero(&s->arena, keys->n_children, sizeof *comments);
  if (children == NULL || comments == NULL) return ddl_nomem(err);
  for (uint32_t i = 0; i < keys->n_children; i++) {
    children[i] = i == at ? def->type : keys->children[i];
    comments[i] = i == at ? def->comment : a->was->partition_comments[i];
  }
  SKEP_TRY(skep_type_make(&s->arena, &like, children, keys->names, keys->n_children, &a->now->partition_keys, err));
  a->now->partition_comments = comments;
  a->is_changed = true;
  return ddl_touch(s, &a->now->params, true, err);
}

skep_status ddl_alter_partitions(skep_session *s, ddl_alter *a, skep_err *err) {
  switch (a->ast->kind) {
    case SKEP_ALTER_ADD_PARTITIONS:
      return add_partitions(s, a, err);
    case SKEP_ALTER_DROP_PARTITIONS:
      return drop_partitions(s, a, err);
    case SKEP_ALTER_PARTITION_COLUMN:
      return partition_column(s, a, err);
    default:
      return rename_partition(s, a, err);
  }
}
