/* DESCRIBE: three columns of text with Hive's blocks, padding and escapes; NULL where Hive leaves a cell out.
 *
 * Source: describe_formatted.txt of the golden tables, golden 19-metastore, and 4.0.1 asked for constraints. */
#include "sql/describe.h"

#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "column/calendar.h"
#include "column/text.h"
#include "sql/column_stats.h"
#include "sql/show_int.h"

static const char *const column_names[] = {"col_name", "data_type", "comment"};

typedef struct writer {
  skep_session *s;
  skep_result *out;
  skep_err *err;
  skep_status status; /* of the first failure: rows after it are dropped */
} writer;

static void row(writer *w, const char *a, const char *b, const char *c) {
  if (w->status == SKEP_OK) w->status = show_row3(w->out, w->err, a, b, c);
}

static void blank(writer *w) { row(w, "", NULL, NULL); }
static void heading(writer *w, const char *text) { row(w, text, NULL, NULL); }
static const char *pad(const writer *w, const char *text) { return show_pad(w->s, text); }
/* "Name:    ", "value   ", NULL */
static void line(writer *w, const char *name, const char *value) { row(w, pad(w, name), pad(w, value), NULL); }

static const char *from_buf(writer *w, skep_buf *buf) {
  const char *out = skep_buf_copy(buf, &w->s->arena);
  skep_buf_fini(buf);
  if (out == NULL && w->status == SKEP_OK) w->status = ddl_nomem(w->err);
  return out == NULL ? "" : out;
}

static void buf_of(writer *w, skep_buf *buf) { skep_buf_init(buf, w->s->ctx, 1 << 26); }

/* The code point at *at, moved behind it; a byte that is no UTF-8 counts as itself. */
static unsigned code_point(const unsigned char **at) {
  const unsigned char *p = *at;
  unsigned c = *p, n = c < 0x80 ? 0 : (c & 0xe0) == 0xc0 ? 1 : (c & 0xf0) == 0xe0 ? 2 : (c & 0xf8) == 0xf0 ? 3 : 0;
  unsigned value = n == 0 ? c : c & (0x3fu >> n);
  for (unsigned i = 1; i <= n; i++) {
    if ((p[i] & 0xc0) != 0x80) {
      (*at)++;
      return c;
    }
    value = value << 6 | (p[i] & 0x3f);
  }
  *at += n + 1;
  return value;
}

/* Java's escapes: quotes, backslashes, control characters, \uXXXX beyond ASCII. Source: commons-lang escapeJava. */
static const char *escape_java(writer *w, const char *text) {
  skep_buf out;
  buf_of(w, &out);
  const unsigned char *at = (const unsigned char *)text;
  while (*at != '\0') {
    unsigned c = code_point(&at);
    static const char letters[] = "bt\nvfr";
    if (c == '"' || c == '\\') {
      skep_buf_printf(&out, "\\%c", (int)c);
    } else if (c == '\n' || c == '\t' || c == '\r' || c == '\b' || c == '\f') {
      skep_buf_printf(&out, "\\%c", c == '\n' ? 'n' : letters[c - 8]);
    } else if (c >= 0x20 && c < 0x7f) {
      skep_buf_byte(&out, (uint8_t)c);
    } else if (c > 0xffff) {
      skep_buf_printf(&out, "\\u%04X\\u%04X", 0xd7c0 + (c >> 10), 0xdc00 + (c & 0x3ff));
    } else {
      skep_buf_printf(&out, "\\u%04X", c);
    }
  }
  return from_buf(w, &out);
}

/* "Sun Nov 29 19:25:37 UTC 2026" */
static const char *date_text(writer *w, int64_t seconds) {
  static const char *const days[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
  static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  int64_t day = seconds / 86400, second = seconds % 86400;
  if (second < 0) {
    day--;
    second += 86400;
  }
  skep_buf out;
  buf_of(w, &out);
  skep_civil civil = skep_civil_from_days(day);
  skep_buf_printf(&out, "%s %s %02d %02d:%02d:%02d UTC %lld", days[((day % 7) + 7) % 7], months[civil.month - 1],
                  (int)civil.day, (int)(second / 3600), (int)(second / 60 % 60), (int)(second % 60),
                  (long long)civil.year);
  return from_buf(w, &out);
}

const skep_catalog_params *show_serde_params(const skep_catalog_table *t) {
  static const skep_catalog_params none = {NULL, 0};
  bool only_format = t->serde_params.n == 1 && strcmp(t->serde_params.items[0].key, "serialization.format") == 0;
  return t->kind == SKEP_TABLE_FULL_ACID && only_format ? &none : &t->serde_params;
}

static const char *or_null(const char *text) { return text == NULL ? "null" : text; }

/* ---- columns ---- */

/* A comment of several lines makes several rows. */
static void put_column(writer *w, const char *name, const char *type, const char *comment) {
  for (const char *at = comment;;) {
    const char *end = strchr(at, '\n');
    const char *part = end == NULL ? at : skep_arena_strndup(&w->s->arena, at, (size_t)(end - at));
    if (part == NULL) {
      w->status = w->status == SKEP_OK ? ddl_nomem(w->err) : w->status;
      return;
    }
    bool first = at == comment;
    row(w, pad(w, first ? name : ""), pad(w, first ? type : ""), pad(w, part));
    if (end == NULL) return;
    at = end + 1;
  }
}

static void put_columns(writer *w, const skep_type *columns, const char *const *comments) {
  for (uint32_t i = 0; i < columns->n_children; i++)
    put_column(w, columns->names[i], ddl_type(w->s, columns->children[i]), comments[i] == NULL ? "" : comments[i]);
}

static void column_heading(writer *w) { row(w, "# col_name            ", pad(w, "data_type"), pad(w, "comment")); }

static void partition_information(writer *w, const skep_catalog_table *t) {
  if (!skep_table_is_partitioned(t)) return;
  blank(w);
  heading(w, "# Partition Information");
  column_heading(w);
  put_columns(w, t->partition_keys, t->partition_comments);
}

/* ---- FORMATTED ---- */

static void put_params(writer *w, const skep_catalog_params *params) {
  for (size_t i = 0; i < params->n; i++) {
    const skep_catalog_param *p = &params->items[i];
    if (strcmp(p->key, "numFilesErasureCoded") == 0 && strcmp(p->value, "0") == 0) continue;
    row(w, "", pad(w, p->key), pad(w, escape_java(w, p->value)));
  }
}

static const char *bracketed(writer *w, const skep_catalog_table *t, bool sort) {
  skep_buf out;
  buf_of(w, &out);
  skep_buf_byte(&out, '[');
  for (uint32_t i = 0; i < (sort ? t->n_sort_columns : t->n_bucket_columns); i++) {
    if (i > 0) skep_buf_text(&out, ", ");
    if (sort)
      skep_buf_printf(&out, "Order(col:%s, order:%d)", t->columns->names[t->sort_columns[i].column],
                      t->sort_columns[i].ascending);
    else
      skep_buf_text(&out, t->columns->names[t->bucket_columns[i]]);
  }
  skep_buf_byte(&out, ']');
  return from_buf(w, &out);
}

static void storage_information(writer *w, const skep_catalog_table *t, const skep_catalog_params *serde) {
  blank(w);
  heading(w, "# Storage Information");
  line(w, "SerDe Library:", t->serde == NULL ? "null" : t->serde);
  line(w, "InputFormat:", t->input_format == NULL ? "null" : t->input_format);
  line(w, "OutputFormat:", t->output_format == NULL ? "null" : t->output_format);
  line(w, "Compressed:", "No");
  line(w, "Num Buckets:", ddl_number(w->s, t->n_buckets));
  line(w, "Bucket Columns:", bracketed(w, t, false));
  line(w, "Sort Columns:", bracketed(w, t, true));
  if (serde->n != 0) {
    heading(w, "Storage Desc Params:");
    put_params(w, serde);
  }
  if (t->kind != SKEP_TABLE_VIEW) return;
  blank(w);
  heading(w, "# View Information");
  line(w, "Original Query:", t->view_text == NULL ? "null" : t->view_text);
  line(w, "Expanded Query:", t->view_expanded_text == NULL ? "null" : t->view_expanded_text);
}

static int64_t number_of(const skep_catalog_params *params, const char *key) {
  const char *text = skep_catalog_param_get(params, key);
  int64_t value = 0;
  return text != NULL && skep_parse_int(text, &value) ? value : 0;
}

/* Statistics of a partitioned table are sums over its partitions; accurate when all of them are. Returns how many there
 * are. */
static size_t add_sums(writer *w, const skep_catalog_table *t, skep_catalog_params *params) {
  static const char *const summed[] = {"numFiles", "numRows", "rawDataSize", "totalSize"};
  const skep_catalog_partition *list;
  size_t n = 0;
  int64_t sums[4] = {0};
  bool accurate = true;
  w->status = skep_catalog_list_partitions(w->s->catalog, &w->s->arena, t, true, &list, &n, w->err);
  for (size_t i = 0; w->status == SKEP_OK && i < n; i++) {
    accurate = accurate && skep_catalog_stats_accurate(&list[i].params) != NULL;
    for (size_t k = 0; k < 4; k++) sums[k] += number_of(&list[i].params, summed[k]);
  }
  for (size_t k = 0; w->status == SKEP_OK && k < 4; k++)
    w->status = ddl_set_param(w->s, params, summed[k], ddl_number(w->s, sums[k]), w->err);
  if (w->status == SKEP_OK)
    w->status = ddl_set_param(w->s, params, "numPartitions", ddl_number(w->s, (int64_t)n), w->err);
  if (w->status == SKEP_OK)
    w->status =
        ddl_set_param(w->s, params, "COLUMN_STATS_ACCURATE", accurate ? "{\"BASIC_STATS\":\"true\"}" : NULL, w->err);
  return n;
}

static void table_information(writer *w, const skep_catalog_table *t) {
  skep_catalog_params params = t->params;
  if (skep_table_is_partitioned(t)) (void)add_sums(w, t, &params);
  blank(w);
  heading(w, "# Detailed Table Information");
  line(w, "Database:", t->db);
  line(w, "OwnerType:", t->owner_type == NULL ? "USER" : t->owner_type);
  line(w, "Owner:", t->owner == NULL ? "null" : t->owner);
  line(w, "CreateTime:", date_text(w, t->create_time_s));
  line(w, "LastAccessTime:", t->last_access_time_s == 0 ? "UNKNOWN" : date_text(w, t->last_access_time_s));
  line(w, "Retention:", ddl_number(w->s, t->retention));
  if (t->location != NULL) line(w, "Location:", t->location);
  line(w, "Table Type:", t->type);
  if (params.n == 0) return;
  heading(w, "Table Parameters:");
  put_params(w, &params);
}

static void partition_details(writer *w, const skep_catalog_table *t, const skep_catalog_partition *p) {
  skep_buf values;
  buf_of(w, &values);
  for (uint32_t i = 0; i < t->partition_keys->n_children; i++)
    skep_buf_printf(&values, "%s%s", i == 0 ? "[" : ", ", p->values[i]);
  skep_buf_byte(&values, ']');
  blank(w);
  heading(w, "# Detailed Partition Information");
  line(w, "Partition Value:", from_buf(w, &values));
  line(w, "Database:", t->db);
  line(w, "Table:", t->name);
  line(w, "CreateTime:", date_text(w, p->create_time_s));
  line(w, "LastAccessTime:", p->last_access_time_s == 0 ? "UNKNOWN" : date_text(w, p->last_access_time_s));
  line(w, "Location:", p->location);
  if (p->params.n == 0) return;
  heading(w, "Partition Parameters:");
  put_params(w, &p->params);
}

/* ---- constraints ---- */

static const char *joined(writer *w, const char *a, const char *b, const char *c) {
  const char *out = ddl_join(w->s, a, b, c);
  if (out == NULL && w->status == SKEP_OK) w->status = ddl_nomem(w->err);
  return out == NULL ? "" : out;
}

static void constraint_columns(writer *w, const skep_catalog_table *t, const skep_catalog_constraint *c) {
  for (uint32_t i = 0; i < (c->n_columns == 0 ? 1 : c->n_columns); i++) {
    const char *name = c->n_columns == 0 ? "null" : show_column(t, c->columns[i]);
    const char *column = pad(w, joined(w, "Column Name:", name, ""));
    const char *key = pad(w, joined(w, "Key Sequence:", ddl_number(w->s, (int64_t)i + 1), ""));
    switch (c->kind) {
      case SKEP_CONSTRAINT_PRIMARY_KEY:
      case SKEP_CONSTRAINT_NOT_NULL:
        line(w, "Column Name:", name);
        break;
      case SKEP_CONSTRAINT_FOREIGN_KEY: {
        const char *parent = joined(w, c->parent_db, ".", c->parent_table);
        parent = joined(w, parent, ".", c->parent_columns[i] == NULL ? "" : c->parent_columns[i]);
        row(w, pad(w, joined(w, "Parent Column Name:", parent, "")), column, key);
        break;
      }
      case SKEP_CONSTRAINT_UNIQUE:
        row(w, column, key, NULL);
        break;
      case SKEP_CONSTRAINT_DEFAULT:
        row(w, column, pad(w, joined(w, "Default Value:", or_null(c->text), "")), NULL);
        break;
      case SKEP_CONSTRAINT_CHECK:
        row(w, column, pad(w, joined(w, "Check Value:", or_null(c->text), "")), NULL);
        break;
    }
  }
}

typedef struct constraint_block {
  skep_constraint_kind kind;
  const char *heading;
} constraint_block;

static void put_block(writer *w, const skep_catalog_table *t, const constraint_block *block, bool *some) {
  bool first = true;
  for (uint32_t i = 0; i < t->n_constraints; i++) {
    const skep_catalog_constraint *c = &t->constraints[i];
    if (c->kind != block->kind) continue;
    if (!*some) {
      blank(w);
      heading(w, "# Constraints");
    }
    *some = true;
    if (first) {
      blank(w);
      heading(w, block->heading);
      line(w, "Table:", joined(w, t->db, ".", t->name));
    }
    first = false;
    line(w, "Constraint Name:", c->name);
    constraint_columns(w, t, c);
    if (c->kind != SKEP_CONSTRAINT_PRIMARY_KEY) blank(w);
  }
}

static void constraints(writer *w, const skep_catalog_table *t) {
  static const constraint_block blocks[] = {
      {SKEP_CONSTRAINT_PRIMARY_KEY, "# Primary Key"},     {SKEP_CONSTRAINT_FOREIGN_KEY, "# Foreign Keys"},
      {SKEP_CONSTRAINT_UNIQUE, "# Unique Constraints"},   {SKEP_CONSTRAINT_NOT_NULL, "# Not Null Constraints"},
      {SKEP_CONSTRAINT_DEFAULT, "# Default Constraints"}, {SKEP_CONSTRAINT_CHECK, "# Check Constraints"}};
  bool some = false;
  for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) put_block(w, t, &blocks[i], &some);
}

/* ---- EXTENDED ---- */

static int32_t java_hash(const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  uint32_t hash = 0;
  while (*at != '\0') {
    unsigned c = code_point(&at);
    if (c > 0xffff) hash = hash * 31 + (0xd7c0 + (c >> 10));
    hash = hash * 31 + (c > 0xffff ? 0xdc00 + (c & 0x3ff) : c);
  }
  return (int32_t)hash;
}

void skep_describe_java_map(const skep_catalog_params *params, skep_buf *out) {
  uint32_t capacity = 1;
  while ((uint64_t)capacity * 3 < (uint64_t)params->n * 4 + 3) capacity *= 2;
  bool first = true;
  skep_buf_byte(out, '{');
  for (uint32_t bucket = 0; bucket < capacity; bucket++)
    for (size_t i = 0; i < params->n; i++) {
      uint32_t hash = (uint32_t)java_hash(params->items[i].key);
      if (((hash ^ hash >> 16) & (capacity - 1)) != bucket) continue;
      skep_buf_printf(out, "%s%s=%s", first ? "" : ", ", params->items[i].key, params->items[i].value);
      first = false;
    }
  skep_buf_byte(out, '}');
}

static void put_fields(writer *w, skep_buf *out, const skep_type *columns, const char *const *comments) {
  for (uint32_t i = 0; i < columns->n_children; i++)
    skep_buf_printf(out, "%sFieldSchema(name:%s, type:%s, comment:%s)", i == 0 ? "" : ", ", columns->names[i],
                    ddl_type(w->s, columns->children[i]), comments[i] == NULL ? "null" : comments[i]);
}

static void put_storage(writer *w, skep_buf *out, const skep_catalog_table *t, const char *location,
                        const skep_catalog_params *serde) {
  skep_buf_text(out, "sd:StorageDescriptor(cols:[");
  put_fields(w, out, t->columns, t->column_comments);
  skep_buf_printf(out,
                  "], location:%s, inputFormat:%s, outputFormat:%s, compressed:false, numBuckets:%d, "
                  "serdeInfo:SerDeInfo(name:null, serializationLib:%s, parameters:",
                  or_null(location), or_null(t->input_format), or_null(t->output_format), t->n_buckets,
                  or_null(t->serde));
  skep_describe_java_map(serde, out);
  skep_buf_printf(out,
                  "), bucketCols:%s, sortCols:%s, parameters:{}, skewedInfo:SkewedInfo(skewedColNames:[], "
                  "skewedColValues:[], skewedColValueLocationMaps:{}), storedAsSubDirectories:false)",
                  bracketed(w, t, false), bracketed(w, t, true));
}

static void extended_table(writer *w, const skep_catalog_table *t) {
  skep_buf out;
  buf_of(w, &out);
  skep_buf_printf(
      &out, "Table(tableName:%s, dbName:%s, owner:%s, createTime:%lld, lastAccessTime:%lld, retention:%lld, ", t->name,
      t->db, or_null(t->owner), (long long)t->create_time_s, (long long)t->last_access_time_s, (long long)t->retention);
  put_storage(w, &out, t, t->location, show_serde_params(t));
  skep_buf_text(&out, ", partitionKeys:[");
  put_fields(w, &out, t->partition_keys, t->partition_comments);
  skep_buf_text(&out, "], parameters:");
  skep_describe_java_map(&t->params, &out);
  skep_buf_printf(&out,
                  ", viewOriginalText:%s, viewExpandedText:%s, tableType:%s, rewriteEnabled:false, catName:hive, "
                  "ownerType:%s, writeId:%lld, id:%lld)",
                  or_null(t->view_text), or_null(t->view_expanded_text), t->type, or_null(t->owner_type),
                  (long long)t->write_id, (long long)t->id);
  blank(w);
  row(w, "Detailed Table Information", escape_java(w, from_buf(w, &out)), "");
}

static void extended_partition(writer *w, const skep_catalog_table *t, const skep_catalog_partition *p) {
  static const skep_catalog_params none = {NULL, 0};
  skep_buf out;
  buf_of(w, &out);
  skep_buf_text(&out, "Partition(values:[");
  for (uint32_t i = 0; i < t->partition_keys->n_children; i++)
    skep_buf_printf(&out, "%s%s", i == 0 ? "" : ", ", p->values[i]);
  skep_buf_printf(&out, "], dbName:%s, tableName:%s, createTime:%lld, lastAccessTime:%lld, ", t->db, t->name,
                  (long long)p->create_time_s, (long long)p->last_access_time_s);
  put_storage(w, &out, t, p->location, t->kind == SKEP_TABLE_FULL_ACID ? &none : &t->serde_params);
  skep_buf_text(&out, ", parameters:");
  skep_describe_java_map(&p->params, &out);
  skep_buf_printf(&out, ", catName:hive, writeId:%lld)", (long long)p->write_id);
  blank(w);
  row(w, "Detailed Partition Information", from_buf(w, &out), "");
}

/* "(Column Name: u, Key Sequence: 1)" and the like. */
static void extended_columns(skep_buf *out, const skep_catalog_table *t, const skep_catalog_constraint *c) {
  for (uint32_t i = 0; i < (c->n_columns == 0 ? 1 : c->n_columns); i++) {
    const char *name = c->n_columns == 0 ? "null" : show_column(t, c->columns[i]);
    switch (c->kind) {
      case SKEP_CONSTRAINT_UNIQUE:
        skep_buf_printf(out, ", (Column Name: %s, Key Sequence: %u)", name, i + 1);
        break;
      case SKEP_CONSTRAINT_FOREIGN_KEY:
        skep_buf_printf(out, ", (Parent Column Name: %s.%s.%s, Column Name: %s, Key Sequence: %u)", c->parent_db,
                        c->parent_table, or_null(c->parent_columns[i]), name, i + 1);
        break;
      case SKEP_CONSTRAINT_DEFAULT:
        skep_buf_printf(out, ", (Column Name: %s, Default Value: %s)", name, or_null(c->text));
        break;
      case SKEP_CONSTRAINT_CHECK:
        skep_buf_printf(out, ", (Column Name: %s, Check Expression : %s)", name, or_null(c->text));
        break;
      default:
        skep_buf_printf(out, ", Column Name: %s", name);
        break;
    }
  }
}

/* One line a kind: "Primary Key for db.t:[a,b], Constraint Name: pk", "Unique Constraints for db.t:[ {...}, {...}]". */
static void extended_constraints(writer *w, const skep_catalog_table *t) {
  static const char *const titles[] = {"Primary Key",          "Foreign Keys",        "Unique Constraints",
                                       "Not Null Constraints", "Default Constraints", "Check Constraints"};
  bool first = true;
  for (int kind = 0; kind <= SKEP_CONSTRAINT_CHECK; kind++) {
    skep_buf out;
    bool some = false;
    buf_of(w, &out);
    for (uint32_t i = 0; i < t->n_constraints; i++) {
      const skep_catalog_constraint *c = &t->constraints[i];
      if ((int)c->kind != kind) continue;
      if (!some) skep_buf_printf(&out, "%s for %s.%s:[", titles[kind], t->db, t->name);
      if (c->kind == SKEP_CONSTRAINT_PRIMARY_KEY) {
        for (uint32_t k = 0; k < c->n_columns; k++)
          skep_buf_printf(&out, "%s%s", k == 0 ? "" : ",", show_column(t, c->columns[k]));
        skep_buf_printf(&out, "], Constraint Name: %s", c->name);
      } else {
        skep_buf_printf(&out, "%s{Constraint Name: %s", some ? ", " : " ", c->name);
        extended_columns(&out, t, c);
        skep_buf_byte(&out, '}');
      }
      some = true;
    }
    if (some && kind != SKEP_CONSTRAINT_PRIMARY_KEY) skep_buf_byte(&out, ']');
    const char *text = from_buf(w, &out);
    if (!some) continue;
    if (first)
      row(w, "Constraints", text, NULL);
    else
      row(w, text, NULL, NULL);
    first = false;
  }
}

/* ---- one column ---- */

/* The type that a path of fields and $elem$, $key$, $value$ leads to. */
static const skep_type *follow(const skep_type *type, const skep_name_list *path) {
  for (uint32_t i = 1; i < path->n && type != NULL; i++) {
    const char *step = path->items[i];
    if (type->kind == SKEP_LIST && strcmp(step, "$elem$") == 0)
      type = type->children[0];
    else if (type->kind == SKEP_MAP && strcmp(step, "$key$") == 0)
      type = type->children[0];
    else if (type->kind == SKEP_MAP && strcmp(step, "$value$") == 0)
      type = type->children[1];
    else if (type->kind == SKEP_STRUCT && skep_type_child(type, step, strlen(step), true) >= 0)
      type = type->children[skep_type_child(type, step, strlen(step), true)];
    else
      type = NULL;
  }
  return type;
}

/* DESCRIBE FORMATTED t c has two columns. */
static void property(writer *w, const char *name, const char *value) {
  if (w->status == SKEP_OK) w->status = show_row2(w->out, w->err, pad(w, name), pad(w, value));
}

/* The table's property with this column, or the table's alone: of a partitioned table Hive says nothing of BASIC_STATS
 * here unless the table itself does. */
static const char *accurate_with(writer *w, const skep_catalog_table *t, const char *name, bool complete) {
  const char *old = skep_catalog_param_get(&t->params, "COLUMN_STATS_ACCURATE"), *key, *out;
  int64_t at = skep_type_child(t->columns, name, strlen(name), true);
  const uint32_t child = (uint32_t)at;
  const skep_stats_columns one = {.at = &child, .n = 1};
  if (!complete || at < 0) return old != NULL ? old : "{}";
  if (old != NULL) {
    out = skep_stats_accurate(w->s, t->columns, &one, old);
  } else {
    key = skep_catalog_accurate_key(&w->s->arena, t->columns->names[at]);
    out = key != NULL ? skep_arena_join(&w->s->arena, "{\"COLUMN_STATS\":{", key, "}}") : NULL;
  }
  if (out == NULL) w->status = ddl_nomem(w->err);
  return out;
}

/* Of a partitioned table without a partition: the sums over all, accurate when every partition has some. */
static void column_statistics(writer *w, const skep_catalog_table *t, const skep_catalog_partition *p, const char *name,
                              const skep_type *type, const char **cells, const char **accurate) {
  const skep_catalog_column_stats *found;
  const skep_catalog_partition *partitions;
  skep_catalog_column_stats sum;
  size_t n = 0, n_partitions = 0;
  if (w->status != SKEP_OK) return;
  w->status = skep_catalog_list_column_stats(w->s->catalog, &w->s->arena, t, p, name, &found, &n, w->err);
  if (w->status != SKEP_OK) return;
  if (n > 0) skep_stats_sum(found, n, &sum);
  w->status = skep_stats_shown(w->s, type, n > 0 ? &sum : NULL, cells, w->err);
  if (!skep_table_is_partitioned(t) || p != NULL || w->status != SKEP_OK) return;
  w->status = skep_catalog_list_partitions(w->s->catalog, &w->s->arena, t, false, &partitions, &n_partitions, w->err);
  if (w->status == SKEP_OK) *accurate = accurate_with(w, t, name, n == n_partitions);
}

static void one_column(writer *w, const skep_describe *d, const skep_catalog_table *t,
                       const skep_catalog_partition *p) {
  const char *name = d->column.items[0], *comment = "from deserializer", *stored = NULL;
  int64_t at = skep_type_child(t->columns, name, strlen(name), true);
  const skep_type *type = at >= 0 ? t->columns->children[at] : NULL;
  if (at >= 0 && d->column.n == 1) stored = t->columns->names[at];
  if (at < 0 && (at = skep_type_child(t->partition_keys, name, strlen(name), true)) >= 0) {
    type = t->partition_keys->children[at];
    comment = t->partition_comments[at] == NULL ? "" : t->partition_comments[at];
  }
  type = type == NULL ? NULL : follow(type, &d->column);
  if (type == NULL) {
    w->status = ddl_task_fail(w->err, 40000, "Error in getting fields from serde.Invalid Field %s",
                              ddl_quote(w->s, d->column.items[d->column.n - 1]));
    return;
  }
  const char *stats = skep_catalog_param_get(&t->params, "COLUMN_STATS_ACCURATE"); /* the table's, of a partition too */
  name = d->column.items[d->column.n - 1];
  if (!d->formatted) {
    row(w, pad(w, name), pad(w, ddl_type(w->s, type)), pad(w, comment));
    if (stats != NULL) row(w, "COLUMN_STATS_ACCURATE", escape_java(w, stats), NULL);
    return;
  }
  static const char *const labels[] = {"min",         "max",       "num_nulls",  "distinct_count", "avg_col_len",
                                       "max_col_len", "num_trues", "num_falses", "bit_vector"};
  property(w, "col_name", name);
  property(w, "data_type", ddl_type(w->s, type));
  const char *cells[SKEP_N_STATS_SHOWN] = {"", "", "", "", "", "", "", "", ""};
  if (stored != NULL) column_statistics(w, t, p, stored, type, cells, &stats);
  for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) property(w, labels[i], cells[i]);
  property(w, "comment", comment);
  if (stats != NULL) property(w, "COLUMN_STATS_ACCURATE", escape_java(w, stats));
}

/* ---- tables, databases ---- */

static void formatted(writer *w, const skep_catalog_table *t, const skep_catalog_partition *p) {
  static const skep_catalog_params none = {NULL, 0};
  column_heading(w);
  put_columns(w, t->columns, t->column_comments);
  partition_information(w, t);
  if (p != NULL) {
    partition_details(w, t, p);
    storage_information(w, t, t->kind == SKEP_TABLE_FULL_ACID ? &none : &t->serde_params);
    return;
  }
  table_information(w, t);
  storage_information(w, t, show_serde_params(t));
  constraints(w, t);
}

static void plain(writer *w, const skep_describe *d, const skep_catalog_table *t, const skep_catalog_partition *p) {
  put_columns(w, t->columns, t->column_comments);
  put_columns(w, t->partition_keys, t->partition_comments);
  partition_information(w, t);
  if (!d->extended) return;
  if (p != NULL)
    extended_partition(w, t, p);
  else
    extended_table(w, t);
  if (p == NULL) extended_constraints(w, t);
}

static skep_status describe_table(skep_session *s, const skep_describe *d, skep_result **out, skep_err *err) {
  skep_catalog_table *t;
  skep_catalog_partition *p = NULL;
  SKEP_TRY(ddl_find_table(s, &d->table, false, &t, err));
  if (d->partition.n > 0) SKEP_TRY(ddl_find_partition(s, t, &d->partition, &p, err));
  static const char *const properties[] = {"column_property", "value"};
  bool of_column = d->formatted && d->column.n > 0;
  SKEP_TRY(show_new(s, out, err, of_column ? 2 : 3, of_column ? properties : column_names));
  writer w = {.s = s, .out = *out, .err = err, .status = SKEP_OK};
  if (d->column.n > 0)
    one_column(&w, d, t, p);
  else if (d->formatted)
    formatted(&w, t, p);
  else
    plain(&w, d, t, p);
  return w.status;
}

static skep_status describe_database(skep_session *s, const skep_describe *d, skep_result **out, skep_err *err) {
  static const char *const names[] = {"db_name",    "comment",        "location",      "managedlocation", "owner_name",
                                      "owner_type", "connector_name", "remote_dbname", "parameters"};
  const skep_catalog_db *db;
  SKEP_TRY(ddl_find_database(s, d->name, &db, err));
  uint32_t n = d->extended ? 9 : 8;
  SKEP_TRY(show_new(s, out, err, n, names));
  writer w = {.s = s, .out = *out, .err = err, .status = SKEP_OK};
  skep_buf params;
  buf_of(&w, &params);
  for (size_t i = 0; i < db->params.n; i++)
    skep_buf_printf(&params, "%s%s=%s", i == 0 ? "{" : ", ", db->params.items[i].key, db->params.items[i].value);
  if (db->params.n > 0) skep_buf_byte(&params, '}');
  const char *cells[] = {db->name,
                         db->comment == NULL ? "" : escape_java(&w, db->comment),
                         db->location,
                         db->managed_location == NULL ? "" : db->managed_location,
                         db->owner == NULL ? "" : db->owner,
                         db->owner_type == NULL ? "" : db->owner_type,
                         "",
                         "",
                         from_buf(&w, &params)};
  if (w.status != SKEP_OK) return w.status;
  return skep_result_texts_row(*out, cells, err);
}

typedef struct describe_job {
  const skep_describe *describe;
  skep_result *out;
} describe_job;

static skep_status run(skep_session *s, void *self, skep_err *err) {
  describe_job *job = self;
  switch (job->describe->kind) {
    case SKEP_DESCRIBE_TABLE:
      return describe_table(s, job->describe, &job->out, err);
    case SKEP_DESCRIBE_DATABASE:
      return describe_database(s, job->describe, &job->out, err);
    default:
      return skep_fail(err, SKEP_ERR_UNSUPPORTED, "DESCRIBE FUNCTION is not supported yet");
  }
}

skep_status skep_describe_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  *out = NULL;
  describe_job job = {.describe = statement->describe};
  skep_status st = ddl_in_transaction(s, SKEP_DB_READ, run, &job, err);
  if (st != SKEP_OK) {
    skep_result_free(job.out);
    return st;
  }
  *out = job.out;
  return SKEP_OK;
}
