/* SHOW: databases, tables, columns, partitions, properties. CREATE statements, transactions and locks have files of
 * their own.
 *
 * Every SHOW runs in one reading database transaction. Texts and column names: golden 19-metastore. */
#include <stdlib.h>
#include <string.h>

#include "base/config.h"
#include "sql/compact.h"
#include "sql/ddl_int.h"
#include "sql/show_int.h"

/* ---- rows ---- */

skep_status show_new(skep_session *s, skep_result **out, skep_err *err, uint32_t n, const char *const *names) {
  return skep_result_texts_new(s, names, n, out, err);
}

skep_status show_row1(skep_result *r, skep_err *err, const char *a) {
  const char *cells[] = {a};
  return skep_result_texts_row(r, cells, err);
}

skep_status show_row2(skep_result *r, skep_err *err, const char *a, const char *b) {
  const char *cells[] = {a, b};
  return skep_result_texts_row(r, cells, err);
}

skep_status show_row3(skep_result *r, skep_err *err, const char *a, const char *b, const char *c) {
  const char *cells[] = {a, b, c};
  return skep_result_texts_row(r, cells, err);
}

const char *show_column(const skep_catalog_table *t, int32_t at) {
  int32_t n = (int32_t)t->columns->n_children;
  return at < n ? t->columns->names[at] : t->partition_keys->names[at - n];
}

const char *show_pad(skep_session *s, const char *text) {
  size_t length = strlen(text), width = 0;
  for (size_t i = 0; i < length; i++) width += ((unsigned char)text[i] & 0xc0) != 0x80;
  if (width >= 20) return text;
  size_t blanks = 20 - width;
  char *out = skep_arena_alloc(&s->arena, length + blanks + 1);
  if (out == NULL) return text;
  memcpy(out, text, length);
  memset(out + length, ' ', blanks);
  out[length + blanks] = '\0';
  return out;
}

skep_status show_lines(skep_session *s, skep_result *r, const char *text, skep_err *err) {
  for (const char *at = text;;) {
    const char *end = strchr(at, '\n');
    size_t length = end == NULL ? strlen(at) : (size_t)(end - at);
    const char *line = skep_arena_strndup(&s->arena, at, length);
    if (line == NULL) return ddl_nomem(err);
    SKEP_TRY(show_row1(r, err, line));
    if (end == NULL) return SKEP_OK;
    at = end + 1;
  }
}

/* Lower case, for names: which are. */
static const char *lower(skep_session *s, const char *text) {
  char *out = skep_arena_strndup(&s->arena, text, strlen(text));
  for (char *at = out; at != NULL && *at != '\0'; at++)
    if (*at >= 'A' && *at <= 'Z') *at = (char)(*at - 'A' + 'a');
  return out;
}

/* ---- databases, tables ---- */

static skep_status show_databases(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  static const char *const names[] = {"database_name"};
  const char *const *list;
  size_t n;
  const char *pattern = show->pattern == NULL ? "%" : lower(s, show->pattern);
  if (pattern == NULL) return ddl_nomem(err);
  SKEP_TRY(skep_catalog_list_databases(s->catalog, &s->arena, &list, &n, err));
  SKEP_TRY(show_new(s, out, err, 1, names));
  for (size_t i = 0; i < n; i++)
    if (ddl_like(list[i], pattern)) SKEP_TRY(show_row1(*out, err, list[i]));
  return SKEP_OK;
}

static skep_status show_tables(skep_session *s, const skep_show *show, const char *type, skep_result **out,
                               skep_err *err) {
  static const char *const names[] = {"tab_name"}, *const extended[] = {"tab_name", "table_type"};
  const skep_catalog_table_name *list;
  const skep_catalog_db *db;
  size_t n;
  const char *pattern = show->pattern == NULL ? "%" : lower(s, show->pattern);
  if (pattern == NULL) return ddl_nomem(err);
  SKEP_TRY(ddl_find_database(s, show->db == NULL ? s->current_db : show->db, &db, err));
  SKEP_TRY(skep_catalog_list_tables(s->catalog, &s->arena, db->name, &list, &n, err));
  SKEP_TRY(show_new(s, out, err, show->extended ? 2 : 1, show->extended ? extended : names));
  if (show->extended) SKEP_TRY(show_row2(*out, err, show_pad(s, "# Table Name"), show_pad(s, "Table Type")));
  for (size_t i = 0; i < n; i++) {
    if (!ddl_like(list[i].name, pattern) || (type != NULL && !ddl_same_word(list[i].type, type))) continue;
    SKEP_TRY(show->extended ? show_row2(*out, err, show_pad(s, list[i].name), show_pad(s, list[i].type))
                            : show_row1(*out, err, list[i].name));
  }
  return SKEP_OK;
}

/* ---- columns ---- */

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* `*` for any text, `|` between alternatives: what SHOW COLUMNS LIKE has kept. */
static bool old_like(const char *text, const char *pattern) {
  for (const char *at = pattern;;) {
    const char *bar = strchr(at, '|'), *end = bar == NULL ? at + strlen(at) : bar;
    const char *t = text, *p = at, *star = NULL, *resume = NULL;
    bool ok = true;
    while (ok && (*t != '\0' || (p < end && *p == '*'))) {
      if (p < end && *p == '*') {
        star = ++p;
        resume = t;
        if (p == end) break;
      } else if (p < end && *t != '\0' && (*p == *t || *p == '.')) {
        p++;
        t++;
      } else if (star != NULL && *t != '\0') {
        p = star;
        t = ++resume;
      } else {
        ok = false;
      }
    }
    if (ok && (p == end)) return true;
    if (bar == NULL) return false;
    at = bar + 1;
  }
}

static skep_status show_columns(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  static const char *const names[] = {"field"};
  skep_catalog_table *t;
  SKEP_TRY(ddl_find_table(s, &show->table, true, &t, err));
  uint32_t n_columns = t->columns->n_children, n = n_columns + t->partition_keys->n_children;
  const char **all = skep_arena_zero(&s->arena, n + 1, sizeof *all);
  const char *pattern = show->pattern == NULL ? "*" : lower(s, show->pattern);
  if (all == NULL || pattern == NULL) return ddl_nomem(err);
  for (uint32_t i = 0; i < n; i++)
    all[i] = i < n_columns ? t->columns->names[i] : t->partition_keys->names[i - n_columns];
  if (show->sorted && n > 1) qsort(all, n, sizeof *all, compare_texts);
  SKEP_TRY(show_new(s, out, err, 1, names));
  for (uint32_t i = 0; i < n; i++)
    if (old_like(all[i], pattern)) SKEP_TRY(show_row1(*out, err, show_pad(s, all[i])));
  return SKEP_OK;
}

/* ---- partitions ---- */

/* WHERE of SHOW PARTITIONS: comparisons of a key with a constant, joined by AND, as a spec. */
static skep_status spec_of(skep_session *s, const skep_expr *e, skep_partition_value *items, uint32_t *n, uint32_t most,
                           skep_err *err) {
  if (e->kind == SKEP_EXPR_BINARY && e->binary.op == SKEP_OP_AND) {
    SKEP_TRY(spec_of(s, e->binary.left, items, n, most, err));
    return spec_of(s, e->binary.right, items, n, most, err);
  }
  bool comparison = e->kind == SKEP_EXPR_BINARY &&
                    (e->binary.op == SKEP_OP_EQ || e->binary.op == SKEP_OP_NE || e->binary.op == SKEP_OP_LT ||
                     e->binary.op == SKEP_OP_LE || e->binary.op == SKEP_OP_GT || e->binary.op == SKEP_OP_GE ||
                     e->binary.op == SKEP_OP_LIKE);
  if (!comparison || e->binary.left->kind != SKEP_EXPR_NAME || e->binary.left->name.n != 1 || *n == most)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED,
                     "SHOW PARTITIONS WHERE takes comparisons of a partition key with a constant, joined by AND");
  items[(*n)++] = (skep_partition_value){
      .pos = e->pos, .name = e->binary.left->name.items[0], .op = e->binary.op, .value = e->binary.right};
  return SKEP_OK;
}

/* ORDER BY of SHOW PARTITIONS: keys and their directions. Each item to sort points to it. */
typedef struct sort_keys {
  const skep_type *types;
  const uint32_t *keys;
  const bool *descending;
  uint32_t n;
} sort_keys;

typedef struct sort_item {
  const sort_keys *by;
  skep_catalog_partition partition;
} sort_item;

/* NULL counts as larger than everything: Hive 4's default, last when ascending. */
static int compare_items(const void *left, const void *right) {
  const sort_item *a = left, *b = right;
  for (uint32_t i = 0; i < a->by->n; i++) {
    uint32_t key = a->by->keys[i];
    const char *x = a->partition.values[key], *y = b->partition.values[key];
    bool x_null = strcmp(x, "__HIVE_DEFAULT_PARTITION__") == 0, y_null = strcmp(y, "__HIVE_DEFAULT_PARTITION__") == 0;
    int order = x_null || y_null ? x_null - y_null : ddl_compare_values(a->by->types->children[key], x, y);
    if (order != 0) return a->by->descending[i] ? -order : order;
  }
  return strcmp(a->partition.name, b->partition.name);
}

static skep_status sort_partitions(skep_session *s, const skep_catalog_table *t, const skep_show *show,
                                   const skep_catalog_partition **list, size_t n, skep_err *err) {
  uint32_t n_keys = show->order_by.n;
  if (n_keys == 0) return SKEP_OK;
  uint32_t *keys = skep_arena_zero(&s->arena, n_keys, sizeof *keys);
  bool *descending = skep_arena_zero(&s->arena, n_keys, sizeof *descending);
  sort_item *items = skep_arena_zero(&s->arena, n + 1, sizeof *items);
  skep_catalog_partition *sorted = skep_arena_zero(&s->arena, n + 1, sizeof *sorted);
  if (keys == NULL || descending == NULL || items == NULL || sorted == NULL) return ddl_nomem(err);
  for (uint32_t i = 0; i < n_keys; i++) {
    const skep_expr *e = show->order_by.items[i].expr;
    const char *name = e->kind == SKEP_EXPR_NAME && e->name.n == 1 ? e->name.items[0] : NULL;
    int64_t at = name == NULL ? -1 : skep_type_child(t->partition_keys, name, strlen(name), true);
    if (at < 0) return skep_fail(err, SKEP_ERR_UNSUPPORTED, "SHOW PARTITIONS ORDER BY takes names of partition keys");
    keys[i] = (uint32_t)at;
    descending[i] = show->order_by.items[i].descending;
  }
  const sort_keys by = {t->partition_keys, keys, descending, n_keys};
  for (size_t i = 0; i < n; i++) items[i] = (sort_item){&by, (*list)[i]};
  if (n > 1) qsort(items, n, sizeof *items, compare_items);
  for (size_t i = 0; i < n; i++) sorted[i] = items[i].partition;
  *list = sorted;
  return SKEP_OK;
}

static skep_status show_partitions(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  static const char *const names[] = {"partition"};
  enum { MOST = 64 };
  skep_catalog_table *t;
  const skep_catalog_partition *list;
  skep_partition_value *items = skep_arena_zero(&s->arena, MOST, sizeof *items);
  skep_partition_spec where = {.items = items};
  size_t n;
  if (items == NULL) return ddl_nomem(err);
  SKEP_TRY(ddl_find_table(s, &show->table, true, &t, err));
  if (!skep_table_is_partitioned(t))
    return ddl_task_fail(err, 10241, "Table %s%s%s is not a partitioned table", show->table.db == NULL ? "" : t->db,
                         show->table.db == NULL ? "" : ".", t->name);
  if (show->where != NULL) SKEP_TRY(spec_of(s, show->where, items, &where.n, MOST, err));
  SKEP_TRY(ddl_spec_check(s, t, &show->partition, err));
  SKEP_TRY(ddl_spec_check(s, t, &where, err));
  SKEP_TRY(skep_catalog_list_partitions(s->catalog, &s->arena, t, false, &list, &n, err));
  SKEP_TRY(sort_partitions(s, t, show, &list, n, err));
  SKEP_TRY(show_new(s, out, err, 1, names));
  uint64_t left = show->has_limit ? show->limit : UINT64_MAX;
  for (size_t i = 0; i < n && left > 0; i++) {
    bool a, b;
    SKEP_TRY(ddl_spec_matches(s, t, &show->partition, &list[i], &a, err));
    SKEP_TRY(ddl_spec_matches(s, t, &where, &list[i], &b, err));
    if (!a || !b) continue;
    SKEP_TRY(show_row1(*out, err, list[i].name));
    left--;
  }
  return SKEP_OK;
}

/* ---- properties ---- */

static skep_status show_properties(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  static const char *const names[] = {"prpt_name", "prpt_value"};
  skep_catalog_table *t;
  SKEP_TRY(ddl_find_table(s, &show->table, false, &t, err));
  SKEP_TRY(show_new(s, out, err, 2, names));
  if (show->key == NULL) {
    for (size_t i = 0; i < t->params.n; i++)
      SKEP_TRY(show_row2(*out, err, t->params.items[i].key, t->params.items[i].value));
    return SKEP_OK;
  }
  const char *value = skep_catalog_param_get(&t->params, show->key);
  if (value != NULL) return show_row2(*out, err, show->key, value);
  const char *name = ddl_join(s, t->db, ".", t->name);
  const char *text = name == NULL ? NULL : ddl_join(s, "Table ", name, " does not have property: ");
  if (text == NULL || (text = ddl_join(s, text, show->key, "")) == NULL) return ddl_nomem(err);
  return show_row2(*out, err, text, NULL);
}

static skep_status show_conf(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  static const char *const names[] = {"default", "type", "desc"};
  static const char *const kinds[] = {"STRING", "BOOLEAN", "INT", "BYTES", "TIME", "TIME"};
  size_t n;
  const skep_config_property *known = skep_config_known(&n);
  for (size_t i = 0; i < n; i++) {
    if (strcmp(known[i].name, show->key) != 0) continue;
    SKEP_TRY(show_new(s, out, err, 3, names));
    return show_row3(*out, err, known[i].value, kinds[known[i].kind], known[i].meaning);
  }
  return ddl_task_fail(err, 40000, "invalid conf name %s", ddl_quote(s, show->key));
}

/* ---- the dispatcher ---- */

static skep_status show_dispatch(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  switch (show->kind) {
    case SKEP_SHOW_DATABASES:
      return show_databases(s, show, out, err);
    case SKEP_SHOW_TABLES:
      return show_tables(s, show, show->table_type, out, err);
    case SKEP_SHOW_VIEWS:
      return show_tables(s, show, "VIRTUAL_VIEW", out, err);
    case SKEP_SHOW_MATERIALIZED_VIEWS:
      return show_tables(s, show, "MATERIALIZED_VIEW", out, err);
    case SKEP_SHOW_COLUMNS:
      return show_columns(s, show, out, err);
    case SKEP_SHOW_PARTITIONS:
      return show_partitions(s, show, out, err);
    case SKEP_SHOW_CREATE_TABLE:
      return show_create_table(s, show, out, err);
    case SKEP_SHOW_CREATE_DATABASE:
      return show_create_database(s, show, out, err);
    case SKEP_SHOW_TBLPROPERTIES:
      return show_properties(s, show, out, err);
    case SKEP_SHOW_TABLE_EXTENDED:
      return show_table_extended(s, show, out, err);
    case SKEP_SHOW_FUNCTIONS:
      return show_functions(s, show, out, err);
    case SKEP_SHOW_CONF:
      return show_conf(s, show, out, err);
    case SKEP_SHOW_TRANSACTIONS:
      return show_transactions(s, show, out, err);
    case SKEP_SHOW_LOCKS:
      return show_locks(s, show, out, err);
    case SKEP_SHOW_COMPACTIONS:
      return skep_show_compactions(s, show, out, err);
    default:
      return skep_fail(err, SKEP_ERR_UNSUPPORTED, "this form of SHOW is not supported yet");
  }
}

typedef struct show_job {
  const skep_show *show;
  skep_result *out;
} show_job;

static skep_status run_show(skep_session *s, void *self, skep_err *err) {
  show_job *job = self;
  return show_dispatch(s, job->show, &job->out, err);
}

skep_status skep_show_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  *out = NULL;
  if (statement->kind != SKEP_STMT_SHOW)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "%s is not supported yet", skep_statement_name(statement));
  show_job job = {.show = statement->show};
  skep_status st = ddl_in_transaction(s, SKEP_DB_READ, run_show, &job, err);
  if (st != SKEP_OK) {
    skep_result_free(job.out);
    return st;
  }
  *out = job.out;
  return SKEP_OK;
}
