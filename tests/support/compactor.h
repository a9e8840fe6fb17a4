/* The steps of compaction on a test's warehouse, from a connection of their own.
 *
 *   compactor c;
 *   compactor_open(&c, &w, NULL);
 *   compactor_set(&c, "hive.compactor.delta.num.threshold", "2");
 *   assert_int_equal(compactor_work(&c).state, 'r');
 *   skep_compact_cleaning done = compactor_clean(&c);
 *   compactor_close(&c); */
#ifndef SUPPORT_COMPACTOR_H
#define SUPPORT_COMPACTOR_H

#include "compact/cleaner.h"
#include "compact/initiator.h"
#include "compact/worker.h"
#include "support/metastore.h"
#include "support/warehouse.h"

typedef struct compactor {
  skep_db *db;
  skep_catalog *catalog;
  skep_config *config;
  skep_compact_env env;
  skep_arena arena;
  skep_buf said; /* what the steps said, a line each */
  skep_err err;
} compactor;

static void compactor_say(void *self, const char *line) {
  skep_buf *said = self;
  skep_buf_text(said, line);
  skep_buf_byte(said, '\n');
}

static inline void compactor_open(compactor *c, warehouse *w, skep_db_faults *faults) {
  static const skep_catalog_opts none;
  char url[400];
  skep_db_opts opts = SKEP_DB_OPTS_DEFAULT;
  skep_catalog_opts catalog = none;
  memset(c, 0, sizeof *c);
  opts.faults = faults;
  catalog.warehouse = w->opts.warehouse_dir;
  catalog.user = "root";
  warehouse_url(w, url, sizeof url);
  assert_ok(skep_db_open(&w->ctx, url, &opts, &c->db, &c->err), c->err);
  assert_ok(skep_catalog_open(&w->ctx, c->db, &catalog, &c->catalog, &c->err), c->err);
  assert_ok(skep_config_new(&w->ctx, &c->config, &c->err), c->err);
  skep_arena_init(&c->arena, &w->ctx, 1 << 30);
  skep_buf_init(&c->said, &w->ctx, 1 << 24);
  c->env = (skep_compact_env){.ctx = &w->ctx,
                              .fs = w->fs,
                              .db = c->db,
                              .catalog = c->catalog,
                              .config = c->config,
                              .conf = {.user = "root", .host = "vm"},
                              .worker_id = "vm-7",
                              .version = SKEP_COMPACT_VERSION,
                              .say = compactor_say,
                              .say_self = &c->said};
}

static inline void compactor_close(compactor *c) {
  skep_catalog_close(c->catalog);
  skep_db_close(c->db);
  skep_config_free(c->config);
  skep_buf_fini(&c->said);
  skep_arena_fini(&c->arena);
}

static inline void compactor_set(compactor *c, const char *name, const char *value) {
  assert_ok(skep_config_set(c->config, name, value, &c->err), c->err);
}

/* The next job. */
static inline skep_compact_done compactor_work(compactor *c) {
  skep_compact_done done;
  assert_ok(skep_compact_work_once(&c->env, 0, NULL, &c->arena, &done, &c->err), c->err);
  return done;
}

static inline skep_compact_cleaning compactor_clean(compactor *c) {
  skep_compact_cleaning done;
  metastore_settle(c->db);
  assert_ok(skep_compact_clean(&c->env, false, &done, &c->err), c->err);
  return done;
}

static inline skep_compact_initiated compactor_initiate(compactor *c) {
  skep_compact_initiated done;
  assert_ok(skep_compact_initiate(&c->env, false, &done, &c->err), c->err);
  return done;
}

static inline int64_t compactor_number(compactor *c, const char *sql) {
  int64_t out = -1;
  assert_ok(skep_db_get_i64(c->db, sql, SKEP_NO_PARAMS, &out, NULL, &c->err), c->err);
  return out;
}

static inline void compactor_sql(compactor *c, const char *sql) {
  assert_ok(skep_db_run(c->db, sql, SKEP_NO_PARAMS, NULL, &c->err), c->err);
}

/* Names in a directory below the warehouse, sorted, a blank behind each; in the arena. Hidden ones too. */
typedef struct compactor_names {
  char list[256][128];
  size_t n;
} compactor_names;

static skep_status compactor_visit(void *self, const skep_entry *entry, skep_err *err) {
  compactor_names *names = self;
  (void)err;
  assert_true(names->n < 256);
  snprintf(names->list[names->n++], sizeof names->list[0], "%s", entry->name);
  return SKEP_OK;
}

static int compactor_by_name(const void *a, const void *b) { return strcmp(a, b); }

static inline const char *compactor_ls(compactor *c, warehouse *w, const char *dir) {
  static compactor_names names;
  char path[256];
  skep_buf text;
  names.n = 0;
  snprintf(path, sizeof path, "%s/%s", w->opts.warehouse_dir, dir);
  skep_status st = skep_fs_list(w->fs, path, false, compactor_visit, &names, &c->err);
  if (st == SKEP_ERR_NOT_FOUND) return "";
  assert_ok(st, c->err);
  qsort(names.list, names.n, sizeof names.list[0], compactor_by_name);
  skep_buf_init(&text, &w->ctx, 1 << 20);
  for (size_t i = 0; i < names.n; i++) skep_buf_printf(&text, "%s ", names.list[i]);
  const char *out = skep_arena_strndup(&c->arena, skep_buf_string(&text), text.size);
  skep_buf_fini(&text);
  return out;
}

#endif
