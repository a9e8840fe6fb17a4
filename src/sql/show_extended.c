/* SHOW TABLE EXTENDED and SHOW FUNCTIONS.
 *
 * Source of the lines: golden 19-metastore show_table_extended.tsv, and 4.0.1 asked for a partition. */
#include <stdlib.h>
#include <string.h>

#include "bind/functions.h"
#include "sql/show_int.h"

/* ---- functions ---- */

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

skep_status show_functions(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  static const char *const names[] = {"tab_name"};
  size_t n;
  const skep_function *all = skep_function_list(&n);
  const char **sorted = skep_arena_zero(&s->arena, n + 1, sizeof *sorted);
  if (sorted == NULL) return ddl_nomem(err);
  for (size_t i = 0; i < n; i++) sorted[i] = all[i].name;
  if (n > 1) qsort(sorted, n, sizeof *sorted, compare_texts);
  SKEP_TRY(show_new(s, out, err, 1, names));
  for (size_t i = 0; i < n; i++) {
    if (i > 0 && strcmp(sorted[i], sorted[i - 1]) == 0) continue;
    if (show->pattern == NULL || ddl_like(sorted[i], show->pattern)) SKEP_TRY(show_row1(*out, err, sorted[i]));
  }
  return SKEP_OK;
}

/* ---- files ---- */

typedef struct totals {
  skep_session *s;
  const char *dir;
  uint64_t files, bytes, largest, smallest;
  int64_t changed_ms; /* the latest change of a directory */
  uint32_t depth;
} totals;

static skep_status walk(totals *t, const char *dir, skep_err *err);

static skep_status visit(void *self, const skep_entry *entry, skep_err *err) {
  totals *t = self;
  if (entry->kind == SKEP_ENTRY_FILE) {
    t->files++;
    t->bytes += entry->size_bytes;
    if (entry->size_bytes > t->largest) t->largest = entry->size_bytes;
    if (entry->size_bytes < t->smallest || t->files == 1) t->smallest = entry->size_bytes;
    return SKEP_OK;
  }
  if (entry->kind != SKEP_ENTRY_DIR) return SKEP_OK;
  const char *below = ddl_join(t->s, t->dir, "/", entry->name);
  return below == NULL ? ddl_nomem(err) : walk(t, below, err);
}

static skep_status walk(totals *t, const char *dir, skep_err *err) {
  enum { MAX_DEPTH = 64 };
  skep_stat stat;
  SKEP_TRY(skep_session_check(t->s, err));
  if (t->depth == MAX_DEPTH) return skep_fail(err, SKEP_ERR_LIMIT, "more than %d directories in each other", MAX_DEPTH);
  skep_status st = skep_fs_stat(t->s->fs, dir, &stat, err);
  if (st == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (st != SKEP_OK) return st;
  if (stat.mtime_ms > t->changed_ms) t->changed_ms = stat.mtime_ms;
  const char *above = t->dir;
  t->dir = dir;
  t->depth++;
  st = skep_fs_list(t->s->fs, dir, true, visit, t, err);
  t->depth--;
  t->dir = above;
  return st;
}

/* ---- the lines ---- */

/* As Thrift's DDL names types, also inside of others. */
static void put_type(skep_buf *out, const skep_type *type) {
  static const struct {
    skep_kind kind;
    const char *name;
  } names[] = {{SKEP_BOOLEAN, "bool"}, {SKEP_TINYINT, "byte"}, {SKEP_SMALLINT, "i16"}, {SKEP_INT, "i32"},
               {SKEP_BIGINT, "i64"},   {SKEP_LIST, "list"},    {SKEP_MAP, "map"}};
  const char *name = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (names[i].kind == type->kind) name = names[i].name;
  if (!skep_kind_is_nested(type->kind)) {
    if (name != NULL)
      skep_buf_text(out, name);
    else
      skep_type_print(type, out);
    return;
  }
  skep_buf_printf(out, "%s<", name == NULL ? skep_kind_name(type->kind) : name);
  for (uint32_t i = 0; i < type->n_children; i++) {
    if (i > 0) skep_buf_byte(out, ',');
    if (type->kind == SKEP_STRUCT) skep_buf_printf(out, "%s:", type->names[i]);
    put_type(out, type->children[i]);
  }
  skep_buf_byte(out, '>');
}

static void put_struct(skep_buf *out, const char *name, const skep_type *columns) {
  skep_buf_printf(out, "struct %s { ", name);
  for (uint32_t i = 0; i < columns->n_children; i++) {
    if (i > 0) skep_buf_text(out, ", ");
    put_type(out, columns->children[i]);
    skep_buf_printf(out, " %s", columns->names[i]);
  }
  skep_buf_byte(out, '}');
}

static void put_totals(skep_buf *out, const totals *t) {
  skep_buf_printf(
      out,
      "\ntotalNumberFiles:%llu\ntotalFileSize:%llu\nmaxFileSize:%llu\nminFileSize:%llu\nlastAccessTime:%lld\n"
      "lastUpdateTime:%lld",
      (unsigned long long)t->files, (unsigned long long)t->bytes, (unsigned long long)t->largest,
      (unsigned long long)t->smallest, (long long)t->changed_ms, (long long)t->changed_ms);
}

/* Of the table's directory, of one partition, or of all partitions; false when there is none. */
static skep_status add_up(skep_session *s, const skep_catalog_table *t, const skep_catalog_partition *p, totals *sum,
                          bool *some, skep_err *err) {
  const skep_catalog_partition *list = p;
  const char *path;
  size_t n = 1;
  *some = true;
  if (p == NULL && !skep_table_is_partitioned(t)) {
    SKEP_TRY(skep_catalog_path(t->location, &path, err));
    return walk(sum, path, err);
  }
  if (p == NULL) SKEP_TRY(skep_catalog_list_partitions(s->catalog, &s->arena, t, false, &list, &n, err));
  for (size_t i = 0; i < n; i++) {
    SKEP_TRY(skep_catalog_path(list[i].location, &path, err));
    SKEP_TRY(walk(sum, path, err));
  }
  *some = n > 0;
  return SKEP_OK;
}

static skep_status one_table(skep_session *s, const skep_show *show, const skep_catalog_table *t, skep_result *out,
                             skep_err *err) {
  skep_catalog_partition *p = NULL;
  totals sum = {.s = s};
  bool some;
  if (show->partition.n > 0) SKEP_TRY(ddl_find_partition(s, t, &show->partition, &p, err));
  SKEP_TRY(add_up(s, t, p, &sum, &some, err));
  skep_buf text;
  skep_buf_init(&text, s->ctx, 1 << 24);
  skep_buf_printf(&text, "tableName:%s\nowner:%s\nlocation:%s\ninputformat:%s\noutputformat:%s\ncolumns:", t->name,
                  t->owner == NULL ? "null" : t->owner, p == NULL ? t->location : p->location,
                  t->input_format == NULL ? "null" : t->input_format,
                  t->output_format == NULL ? "null" : t->output_format);
  put_struct(&text, "columns", t->columns);
  skep_buf_printf(&text, "\npartitioned:%s\npartitionColumns:", skep_table_is_partitioned(t) ? "true" : "false");
  if (skep_table_is_partitioned(t)) put_struct(&text, "partition_columns", t->partition_keys);
  if (some) put_totals(&text, &sum);
  skep_buf_byte(&text, '\n');
  skep_status st = skep_buf_check(&text, "the description of a table", err);
  if (st == SKEP_OK) st = show_lines(s, out, skep_buf_string(&text), err);
  skep_buf_fini(&text);
  return st;
}

skep_status show_table_extended(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  static const char *const names[] = {"tab_name"};
  const skep_catalog_table_name *list;
  const skep_catalog_db *db;
  size_t n;
  SKEP_TRY(ddl_find_database(s, show->db == NULL ? s->current_db : show->db, &db, err));
  SKEP_TRY(skep_catalog_list_tables(s->catalog, &s->arena, db->name, &list, &n, err));
  SKEP_TRY(show_new(s, out, err, 1, names));
  for (size_t i = 0; i < n; i++) {
    skep_catalog_table *t;
    if (show->pattern != NULL && !ddl_like(list[i].name, show->pattern)) continue;
    SKEP_TRY(skep_catalog_get_table(s->catalog, &s->arena, db->name, list[i].name, &t, err));
    if (t->kind == SKEP_TABLE_VIEW) continue;
    SKEP_TRY(one_table(s, show, t, *out, err));
  }
  return SKEP_OK;
}
