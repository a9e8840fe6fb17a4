/* MSCK [REPAIR] TABLE: partitions that have a directory and no row in the metastore are added, those whose directory is
 * gone are dropped. What is found and done is said as notes, as Hive writes it into its result file.
 *
 * Source: hiveql 3.5; Hive HiveMetaStoreChecker, Msck; wordings seen in 4.0.1. */
#include <stdlib.h>
#include <string.h>

#include "acid/name.h"
#include "sql/ddl_int.h"

enum { MAX_KEYS = 64, MAX_FOUND = 1 << 20 };

typedef struct found_partition {
  const char *const *values;
  const char *name; /* as SHOW PARTITIONS has it */
  const char *path;
} found_partition;

typedef struct checking {
  skep_session *s;
  const skep_msck *ast;
  const skep_catalog_table *t;
  const char *root;
  const char *validation; /* hive.msck.path.validation: throw, skip, ignore */
  const char *values[MAX_KEYS];
  found_partition *found;
  size_t n, capacity;
} checking;

/* The names of one directory. */
typedef struct level {
  checking *c;
  const char *path;
  uint32_t depth;
  const char **dirs;
  size_t n, capacity;
} level;

static skep_status invalid(checking *c, const char *text, const char *path, skep_err *err) {
  if (ddl_same_word(c->validation, "skip") || ddl_same_word(c->validation, "ignore")) return SKEP_OK;
  return ddl_task_fail(err, 40000, "org.apache.hadoop.hive.metastore.api.MetastoreException: %s file:%s", text,
                       ddl_quote(c->s, path));
}

static skep_status visit(void *self, const skep_entry *entry, skep_err *err) {
  level *l = self;
  checking *c = l->c;
  if (entry->name[0] == '.' || entry->name[0] == '_') return SKEP_OK;
  const char *path = ddl_join(c->s, l->path, "/", entry->name);
  if (path == NULL) return ddl_nomem(err);
  if (entry->kind != SKEP_ENTRY_DIR)
    return invalid(c, "MetaStoreChecker has found a file where a directory of a partition is expected:", path, err);
  void *grown = l->dirs;
  SKEP_TRY(skep_arena_grow(&c->s->arena, &grown, &l->capacity, l->n + 1, sizeof *l->dirs, err));
  l->dirs = grown;
  l->dirs[l->n++] = path + strlen(l->path) + 1;
  return SKEP_OK;
}

/* One more partition of the values gathered on the way. */
static skep_status add_found(checking *c, const char *path, skep_err *err) {
  skep_session *s = c->s;
  uint32_t n_keys = c->t->partition_keys->n_children;
  if (c->n >= MAX_FOUND) return skep_fail(err, SKEP_ERR_LIMIT, "more than %d partitions", MAX_FOUND);
  void *grown = c->found;
  SKEP_TRY(skep_arena_grow(&s->arena, &grown, &c->capacity, c->n + 1, sizeof *c->found, err));
  c->found = grown;
  const char **values = skep_arena_zero(&s->arena, n_keys, sizeof *values);
  if (values == NULL) return ddl_nomem(err);
  memcpy(values, c->values, n_keys * sizeof *values);
  skep_buf name;
  skep_buf_init(&name, s->ctx, 1 << 20);
  skep_catalog_partition_name(c->t->partition_keys, values, &name);
  skep_status st = skep_buf_check(&name, "name of a partition", err);
  if (st == SKEP_OK) {
    found_partition *f = &c->found[c->n++];
    *f = (found_partition){values, skep_buf_copy(&name, &s->arena), path};
    if (f->name == NULL) st = ddl_nomem(err);
  }
  skep_buf_fini(&name);
  return st;
}

/* "k=v" as a directory of this depth: its value. *ok false: passed over. */
static skep_status take_value(checking *c, const char *dir, const char *path, uint32_t depth, bool *ok, skep_err *err) {
  skep_session *s = c->s;
  skep_buf name, value;
  *ok = false;
  skep_buf_init(&name, s->ctx, 1 << 16);
  skep_buf_init(&value, s->ctx, 1 << 16);
  skep_status st = SKEP_OK;
  bool parsed = skep_partition_component_parse(dir, &name, &value) &&
                memchr(value.data == NULL ? (const uint8_t *)"" : value.data, '\0', value.size) == NULL;
  if (!parsed) {
    st = invalid(c, "Invalid partition name", path, err);
  } else if (!ddl_same_word(skep_buf_string(&name), c->t->partition_keys->names[depth])) {
    st = invalid(c, "Unexpected partition key", path, err);
  } else {
    st = skep_buf_check(&value, "value of a partition", err);
    c->values[depth] = st == SKEP_OK ? skep_buf_copy(&value, &s->arena) : NULL;
    if (st == SKEP_OK && c->values[depth] == NULL) st = ddl_nomem(err);
    *ok = st == SKEP_OK;
  }
  skep_buf_fini(&name);
  skep_buf_fini(&value);
  return st;
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Depth is that of the partition keys: bounded. */
static skep_status walk(checking *c, const char *path, uint32_t depth, skep_err *err) {
  level l = {.c = c, .path = path, .depth = depth};
  if (depth == c->t->partition_keys->n_children) return add_found(c, path, err);
  skep_status st = skep_fs_list(c->s->fs, path, false, visit, &l, err);
  if (st == SKEP_ERR_NOT_FOUND && depth == 0) return SKEP_OK;
  if (st != SKEP_OK) return st;
  /* an empty directory is what DROP PARTITION leaves above the last one: Hive, which removes it, would refuse */
  if (l.n > 1) qsort(l.dirs, l.n, sizeof *l.dirs, by_name);
  for (size_t i = 0; i < l.n; i++) {
    bool ok;
    const char *child = ddl_join(c->s, path, "/", l.dirs[i]);
    SKEP_TRY(skep_session_check(c->s, err));
    if (child == NULL) return ddl_nomem(err);
    SKEP_TRY(take_value(c, l.dirs[i], child, depth, &ok, err));
    if (ok) SKEP_TRY(walk(c, child, depth + 1, err));
  }
  return SKEP_OK;
}

/* ---- what differs ---- */

static skep_status is_wanted(checking *c, const char *name, const char *const *values, bool *out, skep_err *err) {
  const skep_catalog_partition p = {.name = name, .values = values};
  return ddl_spec_matches(c->s, c->t, &c->ast->partition, &p, out, err);
}

static bool is_listed(const found_partition *f, const skep_catalog_partition *list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const char *path;
    if (strcmp(list[i].name, f->name) == 0) return true;
    if (skep_catalog_path(list[i].location, &path, NULL) == SKEP_OK && strcmp(path, f->path) == 0) return true;
  }
  return false;
}

static skep_status add_one(checking *c, const found_partition *f, skep_err *err) {
  skep_session *s = c->s;
  skep_catalog_partition p = {.values = f->values, .location = skep_catalog_uri(&s->arena, f->path)};
  bool some;
  if (p.location == NULL) return ddl_nomem(err);
  SKEP_TRY(ddl_check_location(s, c->t, f->name, p.location, err));
  SKEP_TRY(ddl_attach(s, c->t, p.location, 0, &some, err));
  if (skep_table_is_transactional(c->t)) SKEP_TRY(ddl_take_write_id(s, c->t->db, c->t->name, &p.write_id, err));
  SKEP_TRY(skep_catalog_add_partitions(s->catalog, &s->arena, c->t, &p, 1, err));
  skep_session_note(s, "Repair: Added partition to metastore %s.%s:%s", c->t->db, c->t->name, ddl_quote(s, f->name));
  return SKEP_OK;
}

static skep_status add_missing(checking *c, const skep_catalog_partition *list, size_t n, skep_err *err) {
  for (size_t i = 0; i < c->n; i++) {
    const found_partition *f = &c->found[i];
    bool wanted;
    if (is_listed(f, list, n)) continue;
    SKEP_TRY(is_wanted(c, f->name, f->values, &wanted, err));
    if (!wanted) continue;
    if (c->ast->repair) {
      SKEP_TRY(add_one(c, f, err));
    } else {
      skep_session_note(c->s, "Partitions not in metastore: %s:%s", c->t->name, ddl_quote(c->s, f->name));
    }
  }
  return SKEP_OK;
}

static skep_status drop_missing(checking *c, const skep_catalog_partition *list, size_t n, skep_err *err) {
  skep_session *s = c->s;
  for (size_t i = 0; i < n; i++) {
    const char *path;
    skep_stat stat;
    bool wanted;
    SKEP_TRY(skep_catalog_path(list[i].location, &path, err));
    skep_status st = skep_fs_stat(s->fs, path, &stat, err);
    if (st == SKEP_OK) continue;
    if (st != SKEP_ERR_NOT_FOUND) return st;
    SKEP_TRY(is_wanted(c, list[i].name, list[i].values, &wanted, err));
    if (!wanted) continue;
    if (!c->ast->repair) {
      skep_session_note(s, "Partitions missing from filesystem: %s:%s", c->t->name, ddl_quote(s, list[i].name));
      continue;
    }
    SKEP_TRY(skep_catalog_drop_partition(s->catalog, c->t, &list[i], err));
    SKEP_TRY(skep_txn_drop_records(s->db, c->t->db, c->t->name, list[i].name, err));
    skep_session_note(s, "Repair: Dropped partition from metastore hive.%s.%s:%s", c->t->db, c->t->name,
                      ddl_quote(s, list[i].name));
  }
  return SKEP_OK;
}

static skep_status check(skep_session *s, void *self, skep_err *err) {
  const skep_msck *ast = self;
  checking c = {.s = s, .ast = ast, .validation = skep_session_text(s, "hive.msck.path.validation", "throw")};
  skep_catalog_table *t;
  const skep_catalog_partition *list;
  size_t n;
  SKEP_TRY(ddl_find_table(s, &ast->table, true, &t, err));
  if (t->kind == SKEP_TABLE_VIEW || !skep_table_is_partitioned(t)) return SKEP_OK;
  if (t->partition_keys->n_children > MAX_KEYS)
    return skep_fail(err, SKEP_ERR_LIMIT, "more than %d partition keys", MAX_KEYS);
  c.t = t;
  SKEP_TRY(ddl_spec_check(s, t, &ast->partition, err));
  SKEP_TRY(skep_catalog_path(t->location, &c.root, err));
  SKEP_TRY(walk(&c, c.root, 0, err));
  SKEP_TRY(skep_catalog_list_partitions(s->catalog, &s->arena, t, false, &list, &n, err));
  if (!ast->repair || ast->action != SKEP_MSCK_DROP) SKEP_TRY(add_missing(&c, list, n, err));
  if (!ast->repair || ast->action != SKEP_MSCK_ADD) SKEP_TRY(drop_missing(&c, list, n, err));
  return SKEP_OK;
}

skep_status skep_msck_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  skep_msck ast = *statement->msck;
  *out = NULL;
  if (!ast.has_table) return skep_fail(err, SKEP_ERR_UNSUPPORTED, "MSCK without a table is not supported");
  return ddl_in_transaction(s, SKEP_DB_WRITE, check, &ast, err);
}
