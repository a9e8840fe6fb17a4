/* Statements as HiveQL. */
#include "hiveql/print_ast_int.h"

/* ---- pieces
 * ---------------------------------------------------------------------------------------------------------- */

static void flag(bool there, const char *words, skep_buf *out) {
  if (there) skep_buf_text(out, words);
}

static void text_of(const char *words, const char *text, skep_buf *out) {
  if (text == NULL) return;
  skep_buf_text(out, words);
  skep_ast_print_text(text, out);
}

static void name_of(const char *words, const char *name, skep_buf *out) {
  if (name == NULL) return;
  skep_buf_text(out, words);
  skep_ast_print_name(name, out);
}

static void table_of(const char *words, const skep_table_name *table, skep_buf *out) {
  skep_buf_text(out, words);
  skep_ast_print_table_name(table, out);
}

static void expr_of(const char *words, const skep_expr *expr, skep_buf *out) {
  if (expr == NULL) return;
  skep_buf_text(out, words);
  skep_print_expr(expr, out);
}

static void names_in(const char *words, skep_name_list names, skep_buf *out) {
  skep_buf_text(out, words);
  skep_buf_byte(out, '(');
  skep_ast_print_names(names, out);
  skep_buf_byte(out, ')');
}

static void properties_of(const char *words, skep_ast_property_list list, skep_buf *out) {
  if (list.n == 0) return;
  skep_buf_text(out, words);
  skep_ast_print_properties(list, out);
}

static void order_and_limit(skep_order_list order, bool has_limit, uint64_t limit, skep_buf *out) {
  if (order.n > 0) {
    skep_buf_text(out, " ORDER BY ");
    skep_ast_print_order(order, out);
  }
  if (has_limit) skep_buf_printf(out, " LIMIT %llu", (unsigned long long)limit);
}

/* '(' k op v, ... ')' */
static void partition_values(const skep_partition_spec *spec, skep_buf *out) {
  static const char *const ops[SKEP_OP_BINARY_COUNT] = {
      [SKEP_OP_EQ] = "=",   [SKEP_OP_NE] = " <> ", [SKEP_OP_LT] = " < ",      [SKEP_OP_LE] = " <= ",
      [SKEP_OP_GT] = " > ", [SKEP_OP_GE] = " >= ", [SKEP_OP_LIKE] = " LIKE ",
  };
  skep_buf_byte(out, '(');
  for (uint32_t i = 0; i < spec->n; i++) {
    flag(i > 0, ", ", out);
    skep_ast_print_name(spec->items[i].name, out);
    expr_of(ops[spec->items[i].op], spec->items[i].value, out);
  }
  skep_buf_byte(out, ')');
}

static void partition(const char *words, const skep_partition_spec *spec, skep_buf *out) {
  if (spec->n == 0) return;
  skep_buf_text(out, words);
  partition_values(spec, out);
}

static void switch_of(skep_switch value, const char *on, const char *off, skep_buf *out) {
  if (value != SKEP_UNSAID) skep_buf_text(out, value == SKEP_ON ? on : off);
}

static void constraint(const skep_ast_constraint *c, bool table_level, skep_buf *out) {
  name_of("CONSTRAINT ", c->name, out);
  flag(c->name != NULL, " ", out);
  switch (c->kind) {
    case SKEP_AST_NOT_NULL:
      skep_buf_text(out, "NOT NULL");
      break;
    case SKEP_AST_DEFAULT:
      skep_buf_printf(out, "DEFAULT %s", c->expr_text);
      break;
    case SKEP_AST_CHECK:
      skep_buf_printf(out, "CHECK (%s)", c->expr_text);
      break;
    case SKEP_AST_PRIMARY_KEY:
      skep_buf_text(out, "PRIMARY KEY");
      break;
    case SKEP_AST_UNIQUE:
      skep_buf_text(out, "UNIQUE");
      break;
    case SKEP_AST_FOREIGN_KEY:
      flag(table_level, "FOREIGN KEY", out);
      break;
  }
  if (table_level && c->kind != SKEP_AST_CHECK) names_in(" ", c->columns, out);
  if (c->kind == SKEP_AST_FOREIGN_KEY) {
    table_of(table_level ? " REFERENCES " : "REFERENCES ", &c->ref_table, out);
    names_in(" ", c->ref_columns, out);
  }
  switch_of(c->enable, " ENABLE", " DISABLE", out);
  switch_of(c->validate, " VALIDATE", " NOVALIDATE", out);
  switch_of(c->rely, " RELY", " NORELY", out);
}

static void column(const skep_column_def *c, skep_buf *out) {
  skep_ast_print_name(c->name, out);
  if (c->type != NULL) {
    skep_buf_byte(out, ' ');
    skep_ast_print_type(c->type, out);
  }
  if (c->constraint != NULL) {
    skep_buf_byte(out, ' ');
    constraint(c->constraint, false, out);
  }
  text_of(" COMMENT ", c->comment, out);
}

static void columns_in(const char *words, skep_column_list list, skep_buf *out) {
  skep_buf_text(out, words);
  skep_buf_byte(out, '(');
  for (uint32_t i = 0; i < list.n; i++) {
    flag(i > 0, ", ", out);
    column(&list.items[i], out);
  }
  skep_buf_byte(out, ')');
}

static void bucketing(const skep_bucketing *b, skep_buf *out) {
  names_in("CLUSTERED BY ", b->columns, out);
  for (uint32_t i = 0; i < b->n_sorted_by; i++) {
    const skep_sort_column *c = &b->sorted_by[i];
    name_of(i == 0 ? " SORTED BY (" : ", ", c->name, out);
    flag(c->descending, " DESC", out);
    flag(c->nulls == SKEP_NULLS_FIRST, " NULLS FIRST", out);
    flag(c->nulls == SKEP_NULLS_LAST, " NULLS LAST", out);
  }
  flag(b->n_sorted_by > 0, ")", out);
  skep_buf_printf(out, " INTO %lld BUCKETS", (long long)b->n_buckets);
}

static void skew(const skep_skew *s, skep_buf *out) {
  names_in("SKEWED BY ", s->columns, out);
  skep_buf_text(out, " ON (");
  skep_ast_print_exprs(s->values, out);
  skep_buf_byte(out, ')');
  flag(s->as_directories, " STORED AS DIRECTORIES", out);
}

static void row_format(const skep_row_format *f, skep_buf *out) {
  if (f->kind == SKEP_ROW_FORMAT_SERDE) {
    text_of(" ROW FORMAT SERDE ", f->serde, out);
    properties_of(" WITH SERDEPROPERTIES ", f->serde_properties, out);
  } else if (f->kind == SKEP_ROW_FORMAT_DELIMITED) {
    skep_buf_text(out, " ROW FORMAT DELIMITED");
    text_of(" FIELDS TERMINATED BY ", f->fields, out);
    text_of(" ESCAPED BY ", f->escape, out);
    text_of(" COLLECTION ITEMS TERMINATED BY ", f->items, out);
    text_of(" MAP KEYS TERMINATED BY ", f->map_keys, out);
    text_of(" LINES TERMINATED BY ", f->lines, out);
    text_of(" NULL DEFINED AS ", f->null_as, out);
  }
}

static void file_format(const skep_file_format *f, skep_buf *out) {
  text_of(" STORED BY ", f->handler, out);
  properties_of(" WITH SERDEPROPERTIES ", f->handler_properties, out);
  name_of(" STORED AS ", f->name, out);
  text_of(" STORED AS INPUTFORMAT ", f->input_format, out);
  text_of(" OUTPUTFORMAT ", f->output_format, out);
  text_of(" INPUTDRIVER ", f->input_driver, out);
  text_of(" OUTPUTDRIVER ", f->output_driver, out);
}

/* ---- rows
 * ------------------------------------------------------------------------------------------------------------ */

static void insert_target(const skep_insert_target *t, skep_buf *out) {
  if (t->is_directory) {
    text_of(t->is_local ? "INSERT OVERWRITE LOCAL DIRECTORY " : "INSERT OVERWRITE DIRECTORY ", t->directory, out);
    row_format(&t->row_format, out);
    file_format(&t->file_format, out);
    return;
  }
  table_of(t->overwrite ? "INSERT OVERWRITE TABLE " : "INSERT INTO ", &t->table, out);
  partition(" PARTITION ", &t->partition, out);
  flag(t->if_not_exists, " IF NOT EXISTS", out);
  if (t->has_columns) names_in(" ", t->columns, out);
}

static void insert(const skep_insert *i, skep_buf *out) {
  skep_ast_print_ctes(i->targets[0].query, out);
  if (i->from == NULL) {
    skep_query query = *i->targets[0].query;
    query.n_ctes = 0;
    insert_target(&i->targets[0], out);
    skep_buf_byte(out, ' ');
    skep_print_query(&query, out);
    return;
  }
  skep_buf_text(out, "FROM ");
  skep_ast_print_from(i->from, out);
  for (uint32_t k = 0; k < i->n_targets; k++) {
    skep_buf_byte(out, ' ');
    insert_target(&i->targets[k], out);
    skep_buf_byte(out, ' ');
    skep_ast_print_branch(i->targets[k].query, out);
  }
}

/* Right sides parse at the additive level: anything looser goes into brackets, which are always allowed. */
static void assignments(skep_assignment_list set, skep_buf *out) {
  skep_buf_text(out, " SET ");
  for (uint32_t i = 0; i < set.n; i++) {
    const skep_expr *value = set.items[i].value;
    bool bare = value->kind == SKEP_EXPR_DEFAULT || value->kind == SKEP_EXPR_LITERAL || value->kind == SKEP_EXPR_NAME ||
                value->kind == SKEP_EXPR_CALL;
    flag(i > 0, ", ", out);
    skep_ast_print_name(set.items[i].column, out);
    skep_buf_text(out, bare ? " = " : " = (");
    skep_print_expr(value, out);
    flag(!bare, ")", out);
  }
}

static void update(const skep_update *u, skep_buf *out) {
  table_of("UPDATE ", &u->table, out);
  assignments(u->set, out);
  expr_of(" WHERE ", u->where, out);
}

static void merge_when(const skep_merge_when *w, skep_buf *out) {
  skep_buf_text(out, w->matched ? " WHEN MATCHED" : " WHEN NOT MATCHED");
  expr_of(" AND ", w->condition, out);
  switch (w->action) {
    case SKEP_MERGE_DELETE:
      skep_buf_text(out, " THEN DELETE");
      break;
    case SKEP_MERGE_UPDATE:
      skep_buf_text(out, " THEN UPDATE");
      assignments(w->set, out);
      break;
    case SKEP_MERGE_INSERT:
      skep_buf_text(out, " THEN INSERT");
      if (w->has_columns) names_in(" ", w->columns, out);
      skep_buf_text(out, " VALUES (");
      skep_ast_print_exprs(w->values, out);
      skep_buf_byte(out, ')');
      break;
  }
}

static void merge(const skep_merge_into *m, skep_buf *out) {
  skep_buf_text(out, "MERGE ");
  if (m->hint != NULL) skep_buf_printf(out, "/*+%s*/ ", m->hint);
  table_of("INTO ", &m->table, out);
  name_of(" AS ", m->alias, out);
  skep_buf_text(out, " USING ");
  skep_ast_print_from(m->source, out);
  expr_of(" ON ", m->on, out);
  for (uint32_t i = 0; i < m->n_whens; i++) merge_when(&m->whens[i], out);
}

static void load(const skep_load *l, skep_buf *out) {
  text_of(l->is_local ? "LOAD DATA LOCAL INPATH " : "LOAD DATA INPATH ", l->path, out);
  table_of(l->overwrite ? " OVERWRITE INTO TABLE " : " INTO TABLE ", &l->table, out);
  partition(" PARTITION ", &l->partition, out);
  text_of(" INPUTFORMAT ", l->input_format, out);
  text_of(" SERDE ", l->serde, out);
}

static void export_(const skep_export *e, skep_buf *out) {
  table_of("EXPORT TABLE ", &e->table, out);
  partition(" PARTITION ", &e->partition, out);
  text_of(" TO ", e->path, out);
  if (!e->for_replication) return;
  text_of(e->metadata_only ? " FOR METADATA REPLICATION(" : " FOR REPLICATION(", e->replication_id, out);
  skep_buf_byte(out, ')');
}

static void import(const skep_import *i, skep_buf *out) {
  skep_buf_text(out, "IMPORT");
  if (i->has_table) {
    table_of(i->external ? " EXTERNAL TABLE " : " TABLE ", &i->table, out);
    partition(" PARTITION ", &i->partition, out);
  }
  text_of(" FROM ", i->path, out);
  text_of(" LOCATION ", i->location, out);
}

/* ---- CREATE
 * ---------------------------------------------------------------------------------------------------------- */

static void create_database(const skep_create_database *d, skep_buf *out) {
  name_of(d->if_not_exists ? "CREATE DATABASE IF NOT EXISTS " : "CREATE DATABASE ", d->name, out);
  text_of(" COMMENT ", d->comment, out);
  text_of(" LOCATION ", d->location, out);
  text_of(" MANAGEDLOCATION ", d->managed_location, out);
  properties_of(" WITH DBPROPERTIES ", d->properties, out);
}

static void principal(skep_owner_kind kind, const char *name, skep_buf *out) {
  static const char *const words[] = {
      [SKEP_OWNER_USER] = " OWNER USER ", [SKEP_OWNER_ROLE] = " OWNER ROLE ", [SKEP_OWNER_GROUP] = " OWNER GROUP "};
  name_of(words[kind], name, out);
}

static void alter_database(const skep_alter_database *d, skep_buf *out) {
  name_of("ALTER DATABASE ", d->name, out);
  skep_buf_text(out, " SET");
  switch (d->kind) {
    case SKEP_ALTER_DATABASE_PROPERTIES:
      properties_of(" DBPROPERTIES ", d->properties, out);
      break;
    case SKEP_ALTER_DATABASE_OWNER:
      principal(d->owner_kind, d->owner, out);
      break;
    case SKEP_ALTER_DATABASE_LOCATION:
      text_of(" LOCATION ", d->location, out);
      break;
    case SKEP_ALTER_DATABASE_MANAGED_LOCATION:
      text_of(" MANAGEDLOCATION ", d->location, out);
      break;
  }
}

static void table_items(const skep_create_table *t, skep_buf *out) {
  skep_buf_text(out, " (");
  for (uint32_t i = 0; i < t->columns.n; i++) {
    flag(i > 0, ", ", out);
    column(&t->columns.items[i], out);
  }
  for (uint32_t i = 0; i < t->n_constraints; i++) {
    flag(i > 0 || t->columns.n > 0, ", ", out);
    constraint(&t->constraints[i], true, out);
  }
  skep_buf_byte(out, ')');
}

static void create_table(const skep_create_table *t, skep_buf *out) {
  skep_buf_text(out, "CREATE ");
  flag(t->temporary, "TEMPORARY ", out);
  flag(t->transactional, "TRANSACTIONAL ", out);
  flag(t->external, "EXTERNAL ", out);
  flag(t->managed, "MANAGED ", out);
  table_of(t->if_not_exists ? "TABLE IF NOT EXISTS " : "TABLE ", &t->table, out);
  if (t->like_file != NULL) {
    name_of(" LIKE FILE ", t->like_file_format, out);
    text_of(" ", t->like_file, out);
  } else if (t->is_like) {
    table_of(" LIKE ", &t->like, out);
  }
  if (t->has_columns) table_items(t, out);
  text_of(" COMMENT ", t->comment, out);
  if (t->partitioned_by.n > 0) columns_in(" PARTITIONED BY ", t->partitioned_by, out);
  if (t->bucketing.present) {
    skep_buf_byte(out, ' ');
    bucketing(&t->bucketing, out);
  }
  if (t->skew.present) {
    skep_buf_byte(out, ' ');
    skew(&t->skew, out);
  }
  row_format(&t->row_format, out);
  file_format(&t->file_format, out);
  text_of(" LOCATION ", t->location, out);
  properties_of(" TBLPROPERTIES ", t->properties, out);
  if (t->as == NULL) return;
  skep_buf_text(out, " AS ");
  skep_print_query(t->as, out);
}

static void names_on(const char *words, skep_name_list names, skep_buf *out) {
  if (names.n > 0) names_in(words, names, out);
}

static void create_view(const skep_create_view *v, bool materialized, skep_buf *out) {
  skep_buf_text(out, "CREATE ");
  flag(v->or_replace, "OR REPLACE ", out);
  flag(materialized, "MATERIALIZED ", out);
  table_of(v->if_not_exists ? "VIEW IF NOT EXISTS " : "VIEW ", &v->view, out);
  if (v->columns.n > 0) columns_in(" ", v->columns, out);
  flag(v->disable_rewrite, " DISABLE REWRITE", out);
  text_of(" COMMENT ", v->comment, out);
  names_on(" PARTITIONED ON ", v->partitioned_on, out);
  names_on(" CLUSTERED ON ", v->clustered_on, out);
  names_on(" DISTRIBUTED ON ", v->distributed_on, out);
  names_on(" SORTED ON ", v->sorted_on, out);
  row_format(&v->row_format, out);
  file_format(&v->file_format, out);
  text_of(" LOCATION ", v->location, out);
  properties_of(" TBLPROPERTIES ", v->properties, out);
  skep_buf_text(out, " AS ");
  skep_print_query(v->query, out);
}

static void drop(const char *what, const skep_drop *d, skep_buf *out) {
  skep_buf_printf(out, "DROP %s ", what);
  flag(d->if_exists, "IF EXISTS ", out);
  skep_ast_print_table_name(&d->table, out);
  flag(d->purge, " PURGE", out);
}

static void truncate(const skep_truncate *t, skep_buf *out) {
  table_of("TRUNCATE TABLE ", &t->table, out);
  partition(" PARTITION ", &t->partition, out);
  if (t->columns.n > 0) names_in(" COLUMNS ", t->columns, out);
  flag(t->force, " FORCE", out);
}

/* ---- ALTER TABLE
 * ----------------------------------------------------------------------------------------------------- */

static void partitions(const skep_alter_table *a, const char *join, skep_buf *out) {
  for (uint32_t i = 0; i < a->n_partitions; i++) {
    flag(i > 0, join, out);
    partition(" PARTITION ", &a->partitions[i].spec, out);
    text_of(" LOCATION ", a->partitions[i].location, out);
  }
}

static void change(const skep_alter_table *a, skep_buf *out) {
  name_of(" CHANGE COLUMN ", a->column, out);
  skep_buf_byte(out, ' ');
  column(&a->columns.items[0], out);
  flag(a->first, " FIRST", out);
  name_of(" AFTER ", a->after, out);
}

static void compact(const skep_compact *c, skep_buf *out) {
  text_of(" COMPACT ", c->type, out);
  if (c->n_buckets > 0) skep_buf_printf(out, " CLUSTERED INTO %lld BUCKETS", (long long)c->n_buckets);
  flag(c->wait, " AND WAIT", out);
  text_of(" POOL ", c->pool, out);
  properties_of(" WITH OVERWRITE TBLPROPERTIES ", c->properties, out);
  expr_of(" WHERE ", c->where, out);
  order_and_limit(c->order_by, false, 0, out);
}

static void set_format(const skep_file_format *f, skep_buf *out) {
  name_of(" SET FILEFORMAT ", f->name, out);
  text_of(" SET FILEFORMAT INPUTFORMAT ", f->input_format, out);
  text_of(" OUTPUTFORMAT ", f->output_format, out);
  text_of(" SERDE ", f->serde, out);
}

static void alter_action(const skep_alter_table *a, skep_buf *out) {
  switch (a->kind) {
    case SKEP_ALTER_RENAME:
      table_of(" RENAME TO ", &a->new_table, out);
      break;
    case SKEP_ALTER_ADD_COLUMNS:
      columns_in(" ADD COLUMNS ", a->columns, out);
      break;
    case SKEP_ALTER_REPLACE_COLUMNS:
      columns_in(" REPLACE COLUMNS ", a->columns, out);
      break;
    case SKEP_ALTER_CHANGE_COLUMN:
      change(a, out);
      break;
    case SKEP_ALTER_UPDATE_COLUMNS:
      skep_buf_text(out, " UPDATE COLUMNS");
      break;
    case SKEP_ALTER_PARTITION_COLUMN:
      columns_in(" PARTITION COLUMN ", a->columns, out);
      break;
    case SKEP_ALTER_ADD_PARTITIONS:
      skep_buf_text(out, a->if_flag ? " ADD IF NOT EXISTS" : " ADD");
      partitions(a, "", out);
      break;
    case SKEP_ALTER_DROP_PARTITIONS:
      skep_buf_text(out, a->if_flag ? " DROP IF EXISTS" : " DROP");
      partitions(a, ",", out);
      flag(a->purge, " PURGE", out);
      break;
    case SKEP_ALTER_RENAME_PARTITION:
      skep_buf_text(out, " RENAME TO");
      partitions(a, "", out);
      break;
    case SKEP_ALTER_TOUCH:
      skep_buf_text(out, " TOUCH");
      partitions(a, "", out);
      break;
    case SKEP_ALTER_ARCHIVE:
      skep_buf_text(out, " ARCHIVE");
      partitions(a, "", out);
      break;
    case SKEP_ALTER_UNARCHIVE:
      skep_buf_text(out, " UNARCHIVE");
      partitions(a, "", out);
      break;
    case SKEP_ALTER_EXCHANGE_PARTITION:
      skep_buf_text(out, " EXCHANGE");
      partitions(a, "", out);
      table_of(" WITH TABLE ", &a->new_table, out);
      break;
    case SKEP_ALTER_SET_PROPERTIES:
      properties_of(" SET TBLPROPERTIES ", a->properties, out);
      break;
    case SKEP_ALTER_UNSET_PROPERTIES:
      properties_of(a->if_flag ? " UNSET TBLPROPERTIES IF EXISTS " : " UNSET TBLPROPERTIES ", a->properties, out);
      break;
    case SKEP_ALTER_SET_LOCATION:
      text_of(" SET LOCATION ", a->location, out);
      break;
    case SKEP_ALTER_SET_FILE_FORMAT:
      set_format(&a->file_format, out);
      break;
    case SKEP_ALTER_SET_SERDE:
      text_of(" SET SERDE ", a->serde, out);
      properties_of(" WITH SERDEPROPERTIES ", a->properties, out);
      break;
    case SKEP_ALTER_SET_SERDE_PROPERTIES:
      properties_of(" SET SERDEPROPERTIES ", a->properties, out);
      break;
    case SKEP_ALTER_UNSET_SERDE_PROPERTIES:
      properties_of(a->if_flag ? " UNSET SERDEPROPERTIES IF EXISTS " : " UNSET SERDEPROPERTIES ", a->properties, out);
      break;
    case SKEP_ALTER_NOT_CLUSTERED:
      skep_buf_text(out, " NOT CLUSTERED");
      break;
    case SKEP_ALTER_NOT_SORTED:
      skep_buf_text(out, " NOT SORTED");
      break;
    case SKEP_ALTER_CLUSTERED_BY:
      skep_buf_byte(out, ' ');
      bucketing(&a->bucketing, out);
      break;
    case SKEP_ALTER_INTO_BUCKETS:
      skep_buf_printf(out, " INTO %lld BUCKETS", (long long)a->bucketing.n_buckets);
      break;
    case SKEP_ALTER_SKEWED_BY:
      skep_buf_byte(out, ' ');
      skew(&a->skew, out);
      break;
    case SKEP_ALTER_NOT_SKEWED:
      skep_buf_text(out, " NOT SKEWED");
      break;
    case SKEP_ALTER_NOT_STORED_AS_DIRECTORIES:
      skep_buf_text(out, " NOT STORED AS DIRECTORIES");
      break;
    case SKEP_ALTER_SET_SKEWED_LOCATION:
      skep_buf_text(out, " SET SKEWED LOCATION ()");
      break;
    case SKEP_ALTER_ADD_CONSTRAINT:
      skep_buf_text(out, " ADD ");
      constraint(a->constraint, true, out);
      break;
    case SKEP_ALTER_DROP_CONSTRAINT:
      name_of(" DROP CONSTRAINT ", a->column, out);
      break;
    case SKEP_ALTER_CONCATENATE:
      skep_buf_text(out, " CONCATENATE");
      break;
    case SKEP_ALTER_UPDATE_STATISTICS:
      skep_buf_text(out, " UPDATE STATISTICS");
      name_of(" FOR COLUMN ", a->column, out);
      properties_of(" SET ", a->properties, out);
      break;
    case SKEP_ALTER_SET_OWNER:
      skep_buf_text(out, " SET");
      principal(a->owner_kind, a->owner, out);
      break;
    case SKEP_ALTER_CONVERT:
      name_of(" CONVERT TO ", a->column, out);
      properties_of(" TBLPROPERTIES ", a->properties, out);
      break;
    case SKEP_ALTER_COMPACT:
      compact(a->compact, out);
      break;
    case SKEP_ALTER_AS_QUERY:
      skep_buf_text(out, " AS ");
      skep_print_query(a->as, out);
      break;
    case SKEP_ALTER_ICEBERG:
      skep_buf_printf(out, " %s", a->word);
      break;
  }
  switch_of(a->cascade, " CASCADE", " RESTRICT", out);
}

static void alter_table(const char *what, const skep_alter_table *a, skep_buf *out) {
  skep_buf_text(out, what);
  skep_ast_print_table_name(&a->table, out);
  partition(" PARTITION ", &a->partition, out);
  alter_action(a, out);
}

/* ---- SHOW, DESCRIBE, ...
 * --------------------------------------------------------------------------------------------- */

static void show_subject(const skep_show *h, skep_buf *out) {
  name_of(" DATABASE ", h->has_table ? NULL : h->db, out);
  if (h->has_table) table_of(" ", &h->table, out);
  partition(" PARTITION ", &h->partition, out);
}

static void show(const skep_show *h, skep_buf *out) {
  skep_buf_text(out, "SHOW");
  switch (h->kind) {
    case SKEP_SHOW_DATABASES:
      skep_buf_text(out, " DATABASES");
      break;
    case SKEP_SHOW_TABLES:
      skep_buf_text(out, h->extended ? " EXTENDED TABLES" : " TABLES");
      break;
    case SKEP_SHOW_VIEWS:
      skep_buf_text(out, " VIEWS");
      break;
    case SKEP_SHOW_MATERIALIZED_VIEWS:
      skep_buf_text(out, " MATERIALIZED VIEWS");
      break;
    case SKEP_SHOW_COLUMNS:
      table_of(h->sorted ? " SORTED COLUMNS IN " : " COLUMNS IN ", &h->table, out);
      break;
    case SKEP_SHOW_PARTITIONS:
      table_of(" PARTITIONS ", &h->table, out);
      partition(" PARTITION ", &h->partition, out);
      expr_of(" WHERE ", h->where, out);
      break;
    case SKEP_SHOW_CREATE_TABLE:
      table_of(" CREATE TABLE ", &h->table, out);
      return;
    case SKEP_SHOW_CREATE_DATABASE:
      name_of(" CREATE DATABASE ", h->db, out);
      return;
    case SKEP_SHOW_TBLPROPERTIES:
      table_of(" TBLPROPERTIES ", &h->table, out);
      text_of(" (", h->key, out);
      flag(h->key != NULL, ")", out);
      return;
    case SKEP_SHOW_TABLE_EXTENDED:
      skep_buf_text(out, " TABLE EXTENDED");
      break;
    case SKEP_SHOW_FUNCTIONS:
      skep_buf_text(out, " FUNCTIONS");
      break;
    case SKEP_SHOW_CONF:
      text_of(" CONF ", h->key, out);
      return;
    case SKEP_SHOW_TRANSACTIONS:
      skep_buf_text(out, " TRANSACTIONS");
      return;
    case SKEP_SHOW_LOCKS:
      skep_buf_text(out, " LOCKS");
      show_subject(h, out);
      flag(h->extended, " EXTENDED", out);
      return;
    case SKEP_SHOW_COMPACTIONS:
      skep_buf_text(out, " COMPACTIONS");
      if (h->has_id) skep_buf_printf(out, " COMPACTIONID = %lld", (long long)h->id);
      show_subject(h, out);
      text_of(" POOL ", h->pool, out);
      text_of(" TYPE ", h->type, out);
      text_of(" STATUS ", h->status, out);
      break;
  }
  bool in_table = h->has_table || h->kind == SKEP_SHOW_COMPACTIONS;
  name_of(" IN ", in_table ? NULL : h->db, out);
  text_of(" LIKE ", h->pattern, out);
  text_of(" WHERE table_type = ", h->table_type, out);
  if (h->kind == SKEP_SHOW_TABLE_EXTENDED) partition(" PARTITION ", &h->partition, out);
  order_and_limit(h->order_by, h->has_limit, h->limit, out);
}

static void describe(const skep_describe *d, skep_buf *out) {
  skep_buf_text(out, "DESCRIBE");
  switch (d->kind) {
    case SKEP_DESCRIBE_DATABASE:
      name_of(d->extended ? " DATABASE EXTENDED " : " DATABASE ", d->name, out);
      return;
    case SKEP_DESCRIBE_FUNCTION:
      text_of(d->extended ? " FUNCTION EXTENDED " : " FUNCTION ", d->name, out);
      return;
    case SKEP_DESCRIBE_TABLE:
      break;
  }
  table_of(d->extended ? " EXTENDED " : d->formatted ? " FORMATTED " : " ", &d->table, out);
  partition(" PARTITION ", &d->partition, out);
  for (uint32_t i = 0; i < d->column.n; i++) name_of(i == 0 ? " " : ".", d->column.items[i], out);
}

static void analyze(const skep_analyze *a, skep_buf *out) {
  table_of("ANALYZE TABLE ", &a->table, out);
  partition(" PARTITION ", &a->partition, out);
  skep_buf_text(out, a->cache_metadata ? " CACHE METADATA" : " COMPUTE STATISTICS");
  flag(a->noscan, " NOSCAN", out);
  flag(a->for_columns, " FOR COLUMNS", out);
  flag(a->columns.n > 0, " ", out);
  skep_ast_print_names(a->columns, out);
}

static void msck(const skep_msck *m, skep_buf *out) {
  static const char *const actions[] = {[SKEP_MSCK_ADD] = " ADD PARTITIONS",
                                        [SKEP_MSCK_DROP] = " DROP PARTITIONS",
                                        [SKEP_MSCK_SYNC] = " SYNC PARTITIONS"};
  skep_buf_text(out, m->repair ? "MSCK REPAIR" : "MSCK");
  if (!m->has_table) return;
  table_of(" TABLE ", &m->table, out);
  skep_buf_text(out, actions[m->action]);
  partition(" ", &m->partition, out);
}

static void lock(const skep_lock *l, bool is_lock, skep_buf *out) {
  skep_buf_text(out, is_lock ? "LOCK" : "UNLOCK");
  table_of(l->is_database ? " DATABASE " : " TABLE ", &l->table, out);
  partition(" PARTITION ", &l->partition, out);
  if (is_lock) skep_buf_text(out, l->exclusive ? " EXCLUSIVE" : " SHARED");
}

static void ids(const char *words, skep_ids list, skep_buf *out) {
  skep_buf_text(out, words);
  for (uint32_t i = 0; i < list.n; i++) skep_buf_printf(out, " %lld", (long long)list.items[i]);
}

static void start_transaction(const skep_start_transaction *t, skep_buf *out) {
  const char *join = " ";
  skep_buf_text(out, "START TRANSACTION");
  if (t->snapshot) {
    skep_buf_text(out, " ISOLATION LEVEL SNAPSHOT");
    join = ", ";
  }
  if (t->read_only) {
    skep_buf_printf(out, "%sREAD ONLY", join);
    join = ", ";
  }
  if (t->read_write) skep_buf_printf(out, "%sREAD WRITE", join);
}

static void alter_materialized_view(const skep_alter_materialized_view *v, skep_buf *out) {
  static const char *const actions[] = {[SKEP_VIEW_ENABLE_REWRITE] = " ENABLE REWRITE",
                                        [SKEP_VIEW_DISABLE_REWRITE] = " DISABLE REWRITE",
                                        [SKEP_VIEW_REBUILD] = " REBUILD"};
  table_of("ALTER MATERIALIZED VIEW ", &v->view, out);
  skep_buf_text(out, actions[v->action]);
}

static void set(const skep_set *s, skep_buf *out) {
  skep_buf_text(out, "SET");
  flag(s->kind == SKEP_SET_VERBOSE, " -v", out);
  if (s->key != NULL) skep_buf_printf(out, " %s", s->key);
  if (s->kind == SKEP_SET_ASSIGN) skep_buf_printf(out, "=%s", s->value);
}

static void reset(const skep_reset *r, skep_buf *out) {
  skep_buf_text(out, r->all_defaults ? "RESET -d" : "RESET");
  for (uint32_t i = 0; i < r->keys.n; i++) skep_buf_printf(out, " %s", r->keys.items[i]);
}

static void prepare(const skep_statement *s, skep_buf *out) {
  bool prepares = s->kind == SKEP_STMT_PREPARE;
  name_of(prepares ? "PREPARE " : "EXECUTE ", s->prepare.name, out);
  skep_buf_text(out, prepares ? " FROM " : " USING ");
  if (prepares)
    skep_print_query(s->prepare.query, out);
  else
    skep_ast_print_exprs(s->prepare.values, out);
}

void skep_print_statement(const skep_statement *s, skep_buf *out) {
  switch (s->kind) {
    case SKEP_STMT_QUERY:
      skep_print_query(s->query, out);
      break;
    case SKEP_STMT_INSERT:
      insert(s->insert, out);
      break;
    case SKEP_STMT_UPDATE:
      update(s->update, out);
      break;
    case SKEP_STMT_DELETE:
      table_of("DELETE FROM ", &s->delete_->table, out);
      expr_of(" WHERE ", s->delete_->where, out);
      break;
    case SKEP_STMT_MERGE:
      merge(s->merge, out);
      break;
    case SKEP_STMT_LOAD:
      load(s->load, out);
      break;
    case SKEP_STMT_EXPORT:
      export_(s->export_, out);
      break;
    case SKEP_STMT_IMPORT:
      import(s->import, out);
      break;
    case SKEP_STMT_CREATE_DATABASE:
      create_database(s->create_database, out);
      break;
    case SKEP_STMT_DROP_DATABASE:
      name_of(s->drop_database->if_exists ? "DROP DATABASE IF EXISTS " : "DROP DATABASE ", s->drop_database->name, out);
      flag(s->drop_database->cascade, " CASCADE", out);
      break;
    case SKEP_STMT_ALTER_DATABASE:
      alter_database(s->alter_database, out);
      break;
    case SKEP_STMT_USE:
      name_of("USE ", s->use, out);
      break;
    case SKEP_STMT_CREATE_TABLE:
      create_table(s->create_table, out);
      break;
    case SKEP_STMT_DROP_TABLE:
      drop("TABLE", s->drop, out);
      break;
    case SKEP_STMT_TRUNCATE:
      truncate(s->truncate, out);
      break;
    case SKEP_STMT_ALTER_TABLE:
      alter_table("ALTER TABLE ", s->alter_table, out);
      break;
    case SKEP_STMT_CREATE_VIEW:
      create_view(s->create_view, false, out);
      break;
    case SKEP_STMT_DROP_VIEW:
      drop("VIEW", s->drop, out);
      break;
    case SKEP_STMT_ALTER_VIEW:
      alter_table("ALTER VIEW ", s->alter_table, out);
      break;
    case SKEP_STMT_CREATE_MATERIALIZED_VIEW:
      create_view(s->create_view, true, out);
      break;
    case SKEP_STMT_DROP_MATERIALIZED_VIEW:
      drop("MATERIALIZED VIEW", s->drop, out);
      break;
    case SKEP_STMT_ALTER_MATERIALIZED_VIEW:
      alter_materialized_view(s->alter_materialized_view, out);
      break;
    case SKEP_STMT_SHOW:
      show(s->show, out);
      break;
    case SKEP_STMT_DESCRIBE:
      describe(s->describe, out);
      break;
    case SKEP_STMT_ANALYZE:
      analyze(s->analyze, out);
      break;
    case SKEP_STMT_MSCK:
      msck(s->msck, out);
      break;
    case SKEP_STMT_EXPLAIN:
      skep_buf_printf(out, "EXPLAIN %s%s", s->explain->options, s->explain->options[0] != '\0' ? " " : "");
      skep_print_statement(s->explain->statement, out);
      break;
    case SKEP_STMT_LOCK:
      lock(s->lock, true, out);
      break;
    case SKEP_STMT_UNLOCK:
      lock(s->lock, false, out);
      break;
    case SKEP_STMT_ABORT_TRANSACTIONS:
      ids("ABORT TRANSACTIONS", s->ids, out);
      break;
    case SKEP_STMT_ABORT_COMPACTIONS:
      ids("ABORT COMPACTIONS", s->ids, out);
      break;
    case SKEP_STMT_KILL_QUERY:
      skep_buf_text(out, "KILL QUERY");
      for (uint32_t i = 0; i < s->queries.n; i++) text_of(" ", s->queries.items[i], out);
      break;
    case SKEP_STMT_START_TRANSACTION:
      start_transaction(&s->start_transaction, out);
      break;
    case SKEP_STMT_COMMIT:
      skep_buf_text(out, "COMMIT");
      break;
    case SKEP_STMT_ROLLBACK:
      skep_buf_text(out, "ROLLBACK");
      break;
    case SKEP_STMT_SET_AUTOCOMMIT:
      skep_buf_text(out, s->autocommit ? "SET AUTOCOMMIT TRUE" : "SET AUTOCOMMIT FALSE");
      break;
    case SKEP_STMT_SET:
      set(&s->set, out);
      break;
    case SKEP_STMT_RESET:
      reset(&s->reset, out);
      break;
    case SKEP_STMT_PREPARE:
    case SKEP_STMT_EXECUTE:
      prepare(s, out);
      break;
    case SKEP_STMT_COMMAND:
      skep_buf_printf(out, "%s %s", s->command.word, s->command.rest);
      break;
    case SKEP_STMT_OTHER:
      skep_buf_text(out, s->other.what);
      break;
    case SKEP_STMT_KIND_COUNT:
      break;
  }
}
