/* CREATE TABLE: from the statement to the table that Hive would store, with its checks in its words.
 *
 * Which kind of table results (hiveql 3.2): properties decide where they speak; CREATE TRANSACTIONAL and CREATE MANAGED
 * ask for a transactional one; else metastore.create.as.acid (true here, false in Hive) makes it full ACID where that
 * is possible. Without it the table is plain and managed; with Hive's metadata transformer
 * (metastore.metadata.transformer.class) it would be an external one: see translate. */
#include <string.h>

#include "base/config.h"
#include "sql/ddl_int.h"
#include "sql/text_tables.h"

#define TRANSFORMER "org.apache.hadoop.hive.metastore.MetastoreDefaultTransformer"

typedef struct builder {
  skep_session *s;
  const skep_statement *statement;
  const skep_create_table *ast;
  skep_catalog_table *t;
  bool wants_acid;   /* TRANSACTIONAL, MANAGED, or the default */
  bool must_be_acid; /* by words or properties */
} builder;

/* ---- formats ---- */

typedef struct format {
  const char *name, *input, *output, *serde;
} format;

static const format formats[] = {
    {"orc", "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat", "org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat",
     "org.apache.hadoop.hive.ql.io.orc.OrcSerde"},
    {"textfile", "org.apache.hadoop.mapred.TextInputFormat",
     "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
     "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"},
    {"parquet", "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
     "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
     "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"},
    {"avro", "org.apache.hadoop.hive.ql.io.avro.AvroContainerInputFormat",
     "org.apache.hadoop.hive.ql.io.avro.AvroContainerOutputFormat", "org.apache.hadoop.hive.serde2.avro.AvroSerDe"},
    {"sequencefile", "org.apache.hadoop.mapred.SequenceFileInputFormat",
     "org.apache.hadoop.hive.ql.io.HiveSequenceFileOutputFormat", "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe"},
    {"rcfile", "org.apache.hadoop.hive.ql.io.RCFileInputFormat", "org.apache.hadoop.hive.ql.io.RCFileOutputFormat",
     "org.apache.hadoop.hive.serde2.columnar.LazyBinaryColumnarSerDe"},
    {"jsonfile", "org.apache.hadoop.mapred.TextInputFormat",
     "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat", "org.apache.hadoop.hive.serde2.JsonSerDe"}};

/* The format of a table that names none: Hive's settings, where somebody set them; ORC when tables are made ACID, but
 * what a row format is written for is text. */
static const char *default_format(builder *b) {
  bool is_text = b->ast->row_format.kind != SKEP_ROW_FORMAT_NONE && !b->must_be_acid;
  const char *managed = skep_session_text(b->s, "hive.default.fileformat.managed", "none");
  if (!b->ast->external && !ddl_same_word(managed, "none")) return managed;
  const char *set = skep_session_text(b->s, "hive.default.fileformat", NULL);
  if (b->wants_acid && !is_text && (set == NULL || ddl_same_word(set, "textfile"))) return "orc";
  return set == NULL ? "textfile" : set;
}

static skep_status set_serde_param(builder *b, const char *key, const char *value, skep_err *err) {
  return value == NULL ? SKEP_OK : ddl_set_param(b->s, &b->t->serde_params, key, value, err);
}

/* ROW FORMAT, after the format's own SerDe is set. Source: Hive BaseSemanticAnalyzer.RowFormatParams. */
static skep_status set_row_format(builder *b, skep_err *err) {
  const skep_row_format *r = &b->ast->row_format;
  if (r->kind == SKEP_ROW_FORMAT_SERDE) {
    b->t->serde = r->serde;
    for (uint32_t i = 0; i < r->serde_properties.n; i++) {
      const skep_ast_property *p = &r->serde_properties.items[i];
      SKEP_TRY(set_serde_param(b, p->key, p->value == NULL ? "" : p->value, err));
    }
    return SKEP_OK;
  }
  if (r->kind != SKEP_ROW_FORMAT_DELIMITED) return SKEP_OK;
  if (r->lines != NULL && strcmp(r->lines, "\n") != 0 && strcmp(r->lines, "10") != 0)
    return ddl_semantic_fail(err, 10064, "LINES TERMINATED BY only supports newline '\\n' right now");
  SKEP_TRY(set_serde_param(b, "field.delim", r->fields, err));
  SKEP_TRY(set_serde_param(b, "serialization.format", r->fields, err));
  SKEP_TRY(set_serde_param(b, "escape.delim", r->escape, err));
  SKEP_TRY(set_serde_param(b, "collection.delim", r->items, err));
  SKEP_TRY(set_serde_param(b, "mapkey.delim", r->map_keys, err));
  SKEP_TRY(set_serde_param(b, "line.delim", r->lines, err));
  return set_serde_param(b, "serialization.null.format", r->null_as, err);
}

static skep_status set_format(builder *b, skep_err *err) {
  const skep_file_format *f = &b->ast->file_format;
  if (f->handler != NULL) return skep_fail(err, SKEP_ERR_UNSUPPORTED, "STORED BY is not supported yet");
  if (f->input_format != NULL) {
    b->t->input_format = f->input_format;
    b->t->output_format = f->output_format;
    b->t->serde = f->serde != NULL ? f->serde : formats[1].serde;
    SKEP_TRY(set_serde_param(b, "serialization.format", "1", err));
    return set_row_format(b, err);
  }
  const char *name = f->name == NULL ? default_format(b) : f->name;
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
    if (!ddl_same_word(name, formats[i].name)) continue;
    b->t->input_format = formats[i].input;
    b->t->output_format = formats[i].output;
    b->t->serde = formats[i].serde;
    SKEP_TRY(set_serde_param(b, "serialization.format", "1", err));
    return set_row_format(b, err);
  }
  return ddl_semantic_fail(err, 0, "Unrecognized file format in STORED AS clause: '%s'", ddl_quote(b->s, name));
}

static bool is_orc(const skep_catalog_table *t) {
  return t->input_format != NULL && strcmp(t->input_format, formats[0].input) == 0;
}

/* ---- columns ---- */

/* Source: Hive's grammar, columnNameTypeConstraint. */
static skep_status check_characters(builder *b, const skep_column_list *list, skep_err *err) {
  for (uint32_t i = 0; i < list->n; i++)
    if (strpbrk(list->items[i].name, ".:") != NULL)
      return skep_fail(
          err, SKEP_ERR_SYNTAX,
          "ParseException line %u:%u Failed to recognize predicate ')'. Failed rule: '[., :] can not be used "
          "in column name in create table statement.' in column specification: %s",
          list->items[i].pos.line, list->items[i].pos.column, ddl_quote(b->s, list->items[i].name));
  return SKEP_OK;
}

static skep_status check_names(builder *b, skep_err *err) {
  const skep_type *c = b->t->columns, *p = b->t->partition_keys;
  for (uint32_t i = 0; i < c->n_children; i++) {
    if (strlen(c->names[i]) > 767)
      return ddl_semantic_fail(err, 0, "Column name of %zu characters: at most 767", strlen(c->names[i]));
    if (skep_type_child(c, c->names[i], strlen(c->names[i]), true) != (int64_t)i)
      return ddl_semantic_fail(err, 10036, "Duplicate column name: %s", ddl_quote(b->s, c->names[i]));
  }
  for (uint32_t i = 0; i < p->n_children; i++) {
    size_t length = strlen(p->names[i]);
    if (skep_type_child(p, p->names[i], length, true) != (int64_t)i ||
        skep_type_child(c, p->names[i], length, true) >= 0)
      return ddl_semantic_fail(err, 10035, "Column repeated in partitioning columns");
    SKEP_TRY(ddl_check_key_type(b->s, p->names[i], p->children[i], err));
  }
  return SKEP_OK;
}

static skep_status make_struct(skep_session *s, const skep_type *const *children, const char *const *names, uint32_t n,
                               const skep_type **out, skep_err *err) {
  const skep_type like = {.kind = SKEP_STRUCT};
  return skep_type_make(&s->arena, &like, children, names, n, out, err);
}

static skep_status from_definitions(skep_session *s, const skep_column_list *list, const skep_type **type,
                                    const char *const **comments, skep_err *err) {
  const skep_type **children = skep_arena_zero(&s->arena, list->n + 1, sizeof *children);
  const char **names = skep_arena_zero(&s->arena, list->n + 1, sizeof *names);
  const char **texts = skep_arena_zero(&s->arena, list->n + 1, sizeof *texts);
  if (children == NULL || names == NULL || texts == NULL) return ddl_nomem(err);
  for (uint32_t i = 0; i < list->n; i++) {
    if (list->items[i].type == NULL)
      return ddl_semantic_fail(err, 10062, "Need to specify the type of partition column %s",
                               ddl_quote(s, list->items[i].name));
    children[i] = list->items[i].type;
    names[i] = list->items[i].name;
    texts[i] = list->items[i].comment;
  }
  *comments = texts;
  return make_struct(s, children, names, list->n, type, err);
}

/* Of CREATE TABLE ... AS: PARTITIONED BY (a, b) takes columns of the query to the end. */
static skep_status from_query(builder *b, const skep_type *query, skep_err *err) {
  const skep_column_list *keys = &b->ast->partitioned_by;
  uint32_t n = query->n_children, n_columns = 0;
  const skep_type **children = skep_arena_zero(&b->s->arena, n + keys->n + 1, sizeof *children);
  const char **names = skep_arena_zero(&b->s->arena, n + keys->n + 1, sizeof *names);
  const char **none = skep_arena_zero(&b->s->arena, n + keys->n + 1, sizeof *none);
  if (children == NULL || names == NULL || none == NULL) return ddl_nomem(err);
  for (uint32_t i = 0; i < n; i++) {
    bool is_key = false;
    for (uint32_t k = 0; k < keys->n; k++) is_key = is_key || strcmp(keys->items[k].name, query->names[i]) == 0;
    if (is_key) continue;
    children[n_columns] = query->children[i];
    names[n_columns++] = query->names[i];
  }
  for (uint32_t k = 0; k < keys->n; k++) {
    int64_t at = skep_type_child(query, keys->items[k].name, strlen(keys->items[k].name), true);
    if (at < 0)
      return ddl_semantic_fail(err, 10002, "Invalid column reference %s", ddl_quote(b->s, keys->items[k].name));
    children[n_columns + k] = query->children[at];
    names[n_columns + k] = query->names[at];
  }
  b->t->column_comments = b->t->partition_comments = none;
  SKEP_TRY(make_struct(b->s, children, names, n_columns, &b->t->columns, err));
  return make_struct(b->s, children + n_columns, names + n_columns, keys->n, &b->t->partition_keys, err);
}

/* ---- kinds ---- */

/* Properties of the statement; the names that mean something are taken in any case. */
static skep_status read_properties(builder *b, skep_err *err) {
  static const char *const known[] = {"transactional", "transactional_properties", "bucketing_version"};
  const skep_ast_property_list *list = &b->ast->properties;
  for (uint32_t i = 0; i < list->n; i++) {
    const char *key = list->items[i].key, *value = list->items[i].value == NULL ? "" : list->items[i].value;
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
      if (ddl_same_word(key, known[k])) key = known[k];
    SKEP_TRY(ddl_set_param(b->s, &b->t->params, key, value, err));
  }
  return SKEP_OK;
}

static bool can_be_full_acid(const skep_catalog_table *t) { return is_orc(t) && t->n_sort_columns == 0; }

/* What the metastore's transactional listener says of a table that asks to be transactional. */
static skep_status check_transactional(builder *b, const char *kind, skep_err *err) {
  const skep_catalog_table *t = b->t;
  bool insert_only = kind != NULL && ddl_same_word(kind, "insert_only");
  if (b->ast->external)
    return ddl_task_fail(err, 40000,
                         "MetaException(message:%s cannot be declared transactional because it's an "
                         "external table)",
                         ddl_name(b->s, t));
  if (!insert_only && !is_orc(t))
    return ddl_task_fail(err, 40000,
                         "MetaException(message:The table must be stored using an ACID compliant format "
                         "(such as ORC): %s)",
                         ddl_name(b->s, t));
  if (!insert_only && t->n_sort_columns > 0)
    return ddl_task_fail(err, 40000,
                         "MetaException(message:Table %s cannot support full ACID functionality since it "
                         "is sorted.)",
                         ddl_name(b->s, t));
  if (kind != NULL && !insert_only && !ddl_same_word(kind, "default"))
    return ddl_task_fail(err, 40000,
                         "MetaException(message:Invalid transactional properties specified for %s with the "
                         "error unknown value %s for transactional_properties)",
                         ddl_name(b->s, t), ddl_quote(b->s, kind));
  return SKEP_OK;
}

/* A plain CREATE TABLE: full ACID, insert-only or plain by the settings. TRANSACTIONAL and MANAGED insist. */
static skep_status choose_kind(builder *b, skep_err *err) {
  skep_catalog_params *p = &b->t->params;
  const char *said = skep_catalog_param_get(p, "transactional"),
             *kind = skep_catalog_param_get(p, "transactional_properties");
  if (said == NULL && kind != NULL && !b->must_be_acid)
    return ddl_semantic_fail(err, 0, "Cannot specify transactional_properties without transactional");
  if (said != NULL && !ddl_same_word(said, "true") && !ddl_same_word(said, "false"))
    return ddl_task_fail(err, 40000,
                         "MetaException(message:'transactional' property of TBLPROPERTIES may only have value "
                         "'true': %s)",
                         ddl_name(b->s, b->t));
  if (said == NULL && b->wants_acid) {
    bool insert_only =
        b->must_be_acid ? !can_be_full_acid(b->t) : skep_session_bool(b->s, "hive.create.as.insert.only", false);
    if (!insert_only && !can_be_full_acid(b->t)) return SKEP_OK;
    if (kind == NULL) kind = insert_only ? "insert_only" : "default";
    said = "true";
  }
  if (said == NULL || ddl_same_word(said, "false")) {
    SKEP_TRY(ddl_set_param(b->s, p, "transactional_properties", NULL, err));
    return ddl_set_param(b->s, p, "transactional", NULL, err); /* not stored: seen in 4.0.1 */
  }
  SKEP_TRY(check_transactional(b, kind, err));
  SKEP_TRY(ddl_set_param(b->s, p, "transactional", "true", err));
  bool insert_only = kind != NULL && ddl_same_word(kind, "insert_only");
  return ddl_set_param(b->s, p, "transactional_properties", insert_only ? "insert_only" : "default", err);
}

/* With Hive's transformer a managed table that is not transactional is stored as an external one that owns its files.
 * Off by default here: such tables stay managed, which conversion to ACID needs. */
static skep_status translate(builder *b, skep_err *err) {
  const char *transformer = skep_session_text(b->s, "metastore.metadata.transformer.class", "");
  b->t->type = b->ast->external ? "EXTERNAL_TABLE" : "MANAGED_TABLE";
  bool external = b->ast->external;
  if (!external && b->t->kind == SKEP_TABLE_PLAIN && strcmp(transformer, TRANSFORMER) == 0) {
    external = true;
    SKEP_TRY(ddl_set_param(b->s, &b->t->params, "external.table.purge", "TRUE", err));
    SKEP_TRY(ddl_set_param(b->s, &b->t->params, "TRANSLATED_TO_EXTERNAL", "TRUE", err));
  }
  if (!external) return SKEP_OK;
  b->t->type = "EXTERNAL_TABLE";
  b->t->kind = SKEP_TABLE_EXTERNAL;
  return ddl_set_param(b->s, &b->t->params, "EXTERNAL", "TRUE", err);
}

static skep_status finish_params(builder *b, skep_err *err) {
  skep_catalog_params *p = &b->t->params;
  const char *version = skep_catalog_param_get(p, "bucketing_version");
  if (version == NULL) SKEP_TRY(ddl_set_param(b->s, p, "bucketing_version", version = "2", err));
  if (strcmp(version, "1") != 0 && strcmp(version, "2") != 0)
    return ddl_task_fail(err, 40000, "MetaException(message:Unknown bucketing version '%s')", ddl_quote(b->s, version));
  b->t->bucketing_version = version[0] - '0';
  if (b->ast->comment != NULL) SKEP_TRY(ddl_set_param(b->s, p, "comment", b->ast->comment, err));
  if (b->t->n_sort_columns > 0 && !b->ast->is_like)
    SKEP_TRY(ddl_set_param(b->s, p, "SORTBUCKETCOLSPREFIX", "TRUE", err));
  if (skep_table_is_partitioned(b->t)) return SKEP_OK;
  if (b->ast->as != NULL) return SKEP_OK; /* its rows will say */
  return ddl_empty_stats(b->s, b->t->columns, p, err);
}

static skep_status has_writes(builder *b, bool *out, skep_err *err) {
  *out = false;
  if (!skep_table_is_transactional(b->t)) return SKEP_OK;
  return ddl_has_writes(b->s, b->t->location, b->t->partition_keys->n_children, out, err);
}

/* The usual place, or one beside it when that is taken, or when somebody left writes there (a CREATE TABLE AS that
 * died, files copied by hand): nobody knows which of them were committed. */
static skep_status default_location(builder *b, skep_err *err) {
  skep_session *s = b->s;
  skep_catalog_table *t = b->t;
  bool writes;
  int64_t now_ms;
  SKEP_TRY(skep_catalog_default_location(s->catalog, &s->arena, t->db, t->name, t->kind == SKEP_TABLE_EXTERNAL,
                                         &t->location, err));
  SKEP_TRY(ddl_free_location(s, t, &t->location, err));
  SKEP_TRY(has_writes(b, &writes, err));
  if (!writes) return SKEP_OK;
  const char *usual = t->location;
  SKEP_TRY(skep_db_now_ms(s->db, &now_ms, err));
  const char *now = ddl_number(s, now_ms);
  if (now == NULL || (t->location = ddl_join(s, usual, ".v", now)) == NULL) return ddl_nomem(err);
  SKEP_TRY(ddl_free_location(s, t, &t->location, err));
  SKEP_TRY(has_writes(b, &writes, err));
  if (writes) return skep_fail(err, SKEP_ERR_EXISTS, "%s holds files that are no table's", ddl_quote(s, t->location));
  skep_session_note(s, "%s holds files that are no table's; %s goes to %s (to attach them, say LOCATION)",
                    ddl_quote(s, usual), ddl_name(s, t), ddl_quote(s, t->location));
  return SKEP_OK;
}

/* Where it goes: LOCATION, when that is free. */
static skep_status choose_location(builder *b, skep_err *err) {
  skep_session *s = b->s;
  skep_catalog_table *t = b->t;
  bool writes = false;
  SKEP_TRY(ddl_location(s, b->ast->location, &t->location, err));
  if (t->location == NULL) return default_location(b, err);
  SKEP_TRY(ddl_check_location(s, t, NULL, t->location, err));
  if (b->ast->as != NULL) SKEP_TRY(has_writes(b, &writes, err));
  if (!writes) return SKEP_OK; /* create_table attaches what is there */
  return ddl_semantic_fail(err, 10304,
                           "CREATE-TABLE-AS-SELECT cannot create table with location to a non-empty directory.");
}

/* ---- what is refused ---- */

/* Source of the characters: Hive MetaStoreUtils.validateName with special characters allowed. */
static bool is_table_name(const char *name) {
  for (const char *at = name; *at != '\0'; at++) {
    unsigned char c = (unsigned char)*at;
    bool word = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    if (!word && (c < 0x20 || c >= 0x7f || strchr("%&'()*+,-./:;<=>?[]_|{}$^!~#@ ", c) == NULL)) return false;
  }
  return *name != '\0' && strlen(name) <= 256;
}

static skep_status check_statement(builder *b, skep_err *err) {
  const skep_create_table *c = b->ast;
  if (strchr(c->table.name, '.') != NULL)
    return ddl_semantic_fail(err, 0, "Line %u:%u Table or database name may not contain dot(.) character '%s'",
                             c->table.pos.line, c->table.pos.column, ddl_quote(b->s, c->table.name));
  if (!is_table_name(c->table.name))
    return ddl_task_fail(err, 40000,
                         "org.apache.hadoop.hive.ql.metadata.HiveException: [%s]: is not a valid table name",
                         ddl_quote(b->s, c->table.name));
  if (c->temporary) return skep_fail(err, SKEP_ERR_UNSUPPORTED, "temporary tables are not supported yet");
  if (c->like_file != NULL) return skep_fail(err, SKEP_ERR_UNSUPPORTED, "CREATE TABLE LIKE FILE is not supported yet");
  if (c->skew.present) return skep_fail(err, SKEP_ERR_UNSUPPORTED, "SKEWED BY is not supported yet");
  if (c->as != NULL && c->has_columns)
    return ddl_semantic_fail(err, 10065,
                             "CREATE TABLE AS SELECT command cannot specify the list of columns for the "
                             "target table");
  if (c->as != NULL && c->is_like)
    return ddl_semantic_fail(err, 10063, "CREATE TABLE LIKE command cannot be combined with AS SELECT");
  if (c->as != NULL && c->external)
    return ddl_semantic_fail(err, 10070, "CREATE-TABLE-AS-SELECT cannot create external table");
  for (uint32_t i = 0; c->as != NULL && i < c->partitioned_by.n; i++)
    if (c->partitioned_by.items[i].type != NULL)
      return ddl_semantic_fail(err, 10068, "CREATE-TABLE-AS-SELECT does not support partitioning in the target table");
  return SKEP_OK;
}

/* What the catalog can hold and statements cannot use. */
static skep_status check_supported(builder *b, skep_err *err) {
  const skep_text_format *text;
  skep_status st = skep_text_table(b->s, b->t, &text, err);
  if (st != SKEP_OK && b->ast->file_format.name == NULL && b->ast->row_format.kind == SKEP_ROW_FORMAT_NONE)
    return skep_wrap(err, st, "(the format is hive.default.fileformat's)");
  if (st == SKEP_OK && text == NULL && b->t->serde != NULL && strcmp(b->t->serde, formats[0].serde) != 0)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "ORC files with the SerDe %s", ddl_quote(b->s, b->t->serde));
  return st;
}

/* ---- CREATE TABLE LIKE ---- */

static skep_status copy_like(builder *b, skep_err *err) {
  skep_catalog_table *from;
  SKEP_TRY(ddl_find_table(b->s, &b->ast->like, false, &from, err));
  if (from->kind == SKEP_TABLE_VIEW)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "CREATE TABLE LIKE a view is not supported yet");
  skep_catalog_table *t = b->t;
  t->columns = from->columns;
  t->column_comments = from->column_comments;
  t->partition_keys = from->partition_keys;
  t->partition_comments = from->partition_comments;
  t->bucket_columns = from->bucket_columns;
  t->n_bucket_columns = from->n_bucket_columns;
  t->n_buckets = from->n_buckets;
  t->sort_columns = from->sort_columns;
  t->n_sort_columns = from->n_sort_columns;
  if (b->ast->file_format.name == NULL) {
    t->input_format = from->input_format;
    t->output_format = from->output_format;
    t->serde = from->serde;
    /* what full-ACID tables hand out has no serialization.format: seen in 4.0.1, also in what LIKE stores */
    if (from->kind != SKEP_TABLE_FULL_ACID) t->serde_params = from->serde_params;
  } else {
    SKEP_TRY(set_format(b, err));
  }
  static const char *const copied[] = {"transactional", "transactional_properties", "bucketing_version"};
  for (size_t i = 0; i < sizeof copied / sizeof copied[0]; i++) {
    const char *value = skep_catalog_param_get(&from->params, copied[i]);
    if (value != NULL && skep_catalog_param_get(&t->params, copied[i]) == NULL)
      SKEP_TRY(ddl_set_param(b->s, &t->params, copied[i], value, err));
  }
  return SKEP_OK;
}

/* ---- putting it together ---- */

static skep_status set_shape(builder *b, const skep_type *query, skep_err *err) {
  if (b->ast->is_like) return copy_like(b, err);
  SKEP_TRY(set_format(b, err));
  if (query != NULL) {
    SKEP_TRY(from_query(b, query, err));
  } else {
    SKEP_TRY(from_definitions(b->s, &b->ast->columns, &b->t->columns, &b->t->column_comments, err));
    SKEP_TRY(from_definitions(b->s, &b->ast->partitioned_by, &b->t->partition_keys, &b->t->partition_comments, err));
  }
  SKEP_TRY(check_characters(b, &b->ast->columns, err));
  SKEP_TRY(check_characters(b, &b->ast->partitioned_by, err));
  SKEP_TRY(check_names(b, err));
  if (b->t->columns->n_children == 0)
    return ddl_semantic_fail(err, 0, "Either list of columns or a custom serializer should be specified");
  return ddl_buckets(b->s, &b->ast->bucketing, b->t, err);
}

static skep_status build(builder *b, const skep_type *query, skep_err *err) {
  const skep_create_table *c = b->ast;
  b->must_be_acid = c->transactional || c->managed;
  bool by_default = skep_session_bool(b->s, "metastore.create.as.acid", true) ||
                    skep_session_bool(b->s, "hive.create.as.acid", false);
  b->wants_acid = !c->external && (b->must_be_acid || by_default);
  SKEP_TRY(read_properties(b, err));
  SKEP_TRY(set_shape(b, query, err));
  if (!c->is_like) SKEP_TRY(ddl_constraints(b->s, b->statement, c, b->t, err));
  SKEP_TRY(choose_kind(b, err));
  b->t->kind = skep_catalog_kind(c->external ? "EXTERNAL_TABLE" : "MANAGED_TABLE", &b->t->params);
  return translate(b, err);
}

skep_status skep_ddl_new_table(skep_session *s, const skep_statement *statement, const skep_type *columns,
                               skep_catalog_table **out, skep_err *err) {
  *out = NULL;
  const skep_create_table *c = statement->create_table;
  builder b = {.s = s, .statement = statement, .ast = c, .t = skep_arena_zero(&s->arena, 1, sizeof *b.t)};
  if (b.t == NULL) return ddl_nomem(err);
  b.t->db = ddl_db_of(s, &c->table);
  b.t->name = c->table.name;
  SKEP_TRY(check_statement(&b, err));
  const skep_catalog_db *db;
  SKEP_TRY(ddl_find_database(s, b.t->db, &db, err));
  skep_catalog_table *there = NULL;
  skep_status st = skep_catalog_get_table(s->catalog, &s->arena, b.t->db, b.t->name, &there, NULL);
  bool exists = st == SKEP_OK || st == SKEP_ERR_UNSUPPORTED; /* one that we cannot read is there all the same */
  if (exists && c->if_not_exists) return SKEP_OK;
  SKEP_TRY(build(&b, columns, err));
  if (exists && c->as != NULL)
    return ddl_semantic_fail(err, 0, "org.apache.hadoop.hive.ql.parse.SemanticException: Table already exists: %s.%s",
                             ddl_quote(s, b.t->db), ddl_quote(s, b.t->name));
  if (exists)
    return ddl_task_fail(err, 40000, "AlreadyExistsException(message:Table hive.%s.%s already exists)",
                         ddl_quote(s, b.t->db), ddl_quote(s, b.t->name));
  SKEP_TRY(check_supported(&b, err));
  SKEP_TRY(finish_params(&b, err));
  SKEP_TRY(choose_location(&b, err));
  *out = b.t;
  return SKEP_OK;
}

skep_status skep_ddl_check_place(skep_session *s, const skep_catalog_table *table, skep_err *err) {
  return ddl_check_location(s, table, NULL, table->location, err);
}

skep_status skep_ddl_store_table(skep_session *s, skep_catalog_table *table, skep_err *err) {
  skep_status st = skep_catalog_create_table(s->catalog, &s->arena, table, err);
  if (st == SKEP_ERR_EXISTS)
    return ddl_task_fail(err, 40000, "AlreadyExistsException(message:Table hive.%s.%s already exists)", table->db,
                         ddl_quote(s, table->name));
  if (st == SKEP_ERR_NOT_FOUND) {
    skep_err why = {0};
    if (err != NULL) why = *err;
    return ddl_task_fail(err, 40000, "InvalidObjectException(message:%s)", why.text);
  }
  if (st != SKEP_OK) return st;
  return ddl_make_directory(s, table->location, NULL, err);
}

typedef struct creation {
  const skep_statement *statement;
  const char *location; /* of a directory that was made, or NULL */
} creation;

typedef struct counted {
  int64_t n, bytes;
} counted;

static skep_status count_file(void *self, const skep_entry *entry, skep_err *err) {
  counted *c = self;
  (void)err;
  if (entry->kind != SKEP_ENTRY_FILE || entry->name[0] == '.' || entry->name[0] == '_') return SKEP_OK;
  c->n++;
  c->bytes += (int64_t)entry->size_bytes;
  return SKEP_OK;
}

/* A table made over files that are there: their number and size is known, their rows are not. */
static skep_status count_files(skep_session *s, skep_catalog_table *t, skep_err *err) {
  counted c = {0, 0};
  const char *path;
  SKEP_TRY(skep_catalog_path(t->location, &path, err));
  skep_status st = skep_fs_list(s->fs, path, true, count_file, &c, err);
  if (st == SKEP_ERR_NOT_FOUND || (st == SKEP_OK && c.n == 0)) return SKEP_OK;
  if (st != SKEP_OK) return st;
  static const char *const unknown[] = {"COLUMN_STATS_ACCURATE", "numFilesErasureCoded", "numRows", "rawDataSize"};
  for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
    SKEP_TRY(ddl_set_param(s, &t->params, unknown[i], NULL, err));
  const char *n = ddl_number(s, c.n), *bytes = ddl_number(s, c.bytes);
  if (n == NULL || bytes == NULL) return ddl_nomem(err);
  SKEP_TRY(ddl_set_param(s, &t->params, "numFiles", n, err));
  return ddl_set_param(s, &t->params, "totalSize", bytes, err);
}

static skep_status create_table(skep_session *s, void *self, skep_err *err) {
  creation *c = self;
  skep_catalog_table *t;
  SKEP_TRY(skep_ddl_new_table(s, c->statement, NULL, &t, err));
  if (t == NULL) return SKEP_OK;
  bool made = false, some = false;
  if (c->statement->create_table->location != NULL)
    SKEP_TRY(ddl_attach(s, t, t->location, t->partition_keys->n_children, &some, err));
  if (some) SKEP_TRY(ddl_set_param(s, &t->params, "COLUMN_STATS_ACCURATE", NULL, err));
  if (c->statement->create_table->location != NULL && !skep_table_is_transactional(t) && !skep_table_is_partitioned(t))
    SKEP_TRY(count_files(s, t, err));
  SKEP_TRY(ddl_make_directory(s, t->location, &made, err));
  if (made) c->location = t->location;
  return skep_ddl_store_table(s, t, err);
}

skep_status ddl_create_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  *out = NULL;
  creation c = {.statement = statement};
  skep_status st = ddl_in_locks(s, statement, NULL, create_table, &c, err);
  if (st != SKEP_OK && st != SKEP_ERR_IN_DOUBT && c.location != NULL) ddl_remove_empty(s, c.location);
  return st;
}
