/* See check_table.h. */
#include "cli/check_table.h"

#include <string.h>

#include "compact/env.h"
#include "db/db.h"
#include "txn/txn.h"

typedef struct reading {
  const skep_cli_env *env;
  skep_arena *arena;
  skep_db *db;
  skep_catalog *catalog;
  skep_cli_table *out;
} reading;

static skep_status no_memory(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "out of memory"); }

static skep_status print_type(reading *r, const skep_type *type, const char **out, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, r->env->ctx, 1 << 26);
  skep_type_print(type, &text);
  skep_status st = skep_buf_check(&text, "the columns of a table", err);
  if (st == SKEP_OK) *out = skep_buf_copy(&text, r->arena);
  skep_buf_fini(&text);
  return st == SKEP_OK && *out == NULL ? no_memory(err) : st;
}

static skep_status list_roots(reading *r, skep_err *err) {
  const skep_catalog_table *t = r->out->t;
  const skep_catalog_partition *list;
  size_t n = 1;
  bool partitioned = skep_table_is_partitioned(t);
  if (partitioned) SKEP_TRY(skep_catalog_list_partitions(r->catalog, r->arena, t, false, &list, &n, err));
  if (n > UINT32_MAX - 1) return skep_fail(err, SKEP_ERR_LIMIT, "%zu partitions", n);
  skep_cli_root *roots = skep_arena_zero(r->arena, n + 1, sizeof *roots);
  if (roots == NULL) return no_memory(err);
  if (!partitioned) roots[0] = (skep_cli_root){.path = r->out->path, .name = ""};
  for (size_t i = 0; partitioned && i < n; i++) {
    roots[i] = (skep_cli_root){.name = list[i].name, .values = list[i].values};
    SKEP_TRY(skep_catalog_path(list[i].location, &roots[i].path, err));
  }
  r->out->roots = roots;
  r->out->n_roots = (uint32_t)n;
  return SKEP_OK;
}

static skep_status take_snapshot(reading *r, skep_err *err) {
  const skep_catalog_table *t = r->out->t;
  const skep_txn_conf conf = {.agent = NULL};
  r->out->snapshot.everything = !skep_table_is_transactional(t);
  if (r->out->snapshot.everything) return SKEP_OK;
  SKEP_TRY(skep_compact_snapshot_now(r->db, &conf, r->arena, t->db, t->name, true, &r->out->snapshot, err));
  r->out->next_write_id = r->out->snapshot.write_ids.high_watermark + 1;
  return SKEP_OK;
}

static skep_status read_table(reading *r, const char *name, skep_err *err) {
  const char *dot = strchr(name, '.');
  const char *db = dot == NULL ? "default" : skep_arena_strndup(r->arena, name, (size_t)(dot - name));
  skep_catalog_table *t;
  if (db == NULL) return no_memory(err);
  SKEP_TRY(skep_catalog_get_table(r->catalog, r->arena, db, dot == NULL ? name : dot + 1, &t, err));
  if (t->kind == SKEP_TABLE_VIEW || t->location == NULL)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s.%s has no files: it is a view", t->db, t->name);
  r->out->t = t;
  SKEP_TRY(skep_catalog_path(t->location, &r->out->path, err));
  SKEP_TRY(print_type(r, t->columns, &r->out->schema, err));
  if (skep_table_is_partitioned(t)) SKEP_TRY(print_type(r, t->partition_keys, &r->out->partition_schema, err));
  SKEP_TRY(list_roots(r, err));
  return take_snapshot(r, err);
}

static skep_status open_metastore(reading *r, const skep_cli_warehouse *w, skep_err *err) {
  skep_db_opts opts = SKEP_DB_OPTS_DEFAULT;
  const char *url;
  opts.create = false;
  SKEP_TRY(skep_cli_warehouse_find(r->env, r->arena, w, &r->out->warehouse, &url, err));
  return skep_db_open(r->env->ctx, url, &opts, &r->db, err);
}

skep_status skep_cli_table_read(const skep_cli_env *env, skep_arena *arena, const skep_cli_warehouse *warehouse,
                                const char *name, skep_cli_table *out, skep_err *err) {
  reading r = {.env = env, .arena = arena, .out = out};
  *out = (skep_cli_table){0};
  skep_status st = open_metastore(&r, warehouse, err);
  const skep_catalog_opts opts = {.warehouse = out->warehouse, .user = "skep"};
  if (st == SKEP_OK) st = skep_catalog_open(env->ctx, r.db, &opts, &r.catalog, err);
  if (st == SKEP_OK) st = skep_db_begin(r.db, SKEP_DB_READ, err);
  if (st == SKEP_OK) {
    st = read_table(&r, name, err);
    skep_db_rollback(r.db);
  }
  skep_catalog_close(r.catalog);
  skep_db_close(r.db);
  return st;
}

skep_status skep_cli_any_open(const skep_cli_env *env, skep_arena *arena, const skep_cli_warehouse *warehouse,
                              bool *out, skep_err *err) {
  skep_cli_table ignored = {0};
  reading r = {.env = env, .arena = arena, .out = &ignored};
  int64_t n = 0;
  skep_status st = open_metastore(&r, warehouse, err);
  if (st == SKEP_OK) st = skep_txn_count_open(r.db, &n, err);
  skep_db_close(r.db);
  *out = n > 0;
  return st;
}
