/* The life of a statement: see life.h. */
#include "sql/life.h"

#include <stdlib.h>

#include "acid/dir_write.h"
#include "acid/name.h"
#include "sql/given.h"
#include "sql/heartbeat.h"
#include "sql/legacy_locks.h"
#include "sql/life_int.h"
#include "sql/rollback.h"
#include "sql/sys_views.h"
#include "sql/text_tables.h"
#include "sql/transaction.h"
#include "sql/views.h"
#include "table/scan.h"
#include "txn/progress.h"

const skep_forms skep_life_forms = {
    .boolean = SKEP_FORM_BOOL_BYTES, .string = SKEP_FORM_VIEW, .keep_dictionaries = true, .narrow_decimals = true};

/* ---- tables ---- */

static skep_status find_format(skep_life *life, skep_life_table *table, skep_err *err) {
  const skep_catalog_table *t = table->t;
  SKEP_TRY(skep_text_table(life->s, t, &table->text, err));
  if (table->text == NULL || t->kind != SKEP_TABLE_FULL_ACID) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_UNSUPPORTED, "%s.%s is full ACID and not stored as ORC", t->db, t->name);
}

skep_status skep_life_add(skep_life *life, skep_life_table *table, skep_err *err) {
  if (life->n_tables >= SKEP_LIFE_MAX_TABLES)
    return skep_fail(err, SKEP_ERR_LIMIT, "more than %d tables in one statement", SKEP_LIFE_MAX_TABLES);
  SKEP_TRY(find_format(life, table, err));
  void *grown = life->tables;
  SKEP_TRY(skep_grow(life->s->ctx, &grown, &life->tables_capacity, life->n_tables + 1, sizeof *life->tables, err));
  life->tables = grown;
  life->tables[life->n_tables++] = table;
  return SKEP_OK;
}

static skep_status add_table(skep_life *life, const char *db, const char *name, skep_life_table **out, skep_err *err) {
  skep_session *s = life->s;
  if (db == NULL) db = s->current_db;
  for (size_t i = 0; i < life->n_tables; i++) {
    *out = life->tables[i];
    if (strcmp((*out)->t->name, name) == 0 && strcmp((*out)->t->db, db) == 0) return SKEP_OK;
  }
  skep_catalog_table *t;
  SKEP_TRY(skep_catalog_get_table(s->catalog, &s->arena, db, name, &t, err));
  if (skep_table_is_transactional(t) &&
      (skep_legacy_is_on(s) || !skep_session_bool(s, "hive.support.concurrency", true)))
    return skep_fail(
        err, SKEP_ERR_SEMANTIC,
        "SemanticException [Error 10265]: This command is not allowed on an ACID table %s.%s with a non-ACID "
        "transaction manager",
        t->db, t->name);
  skep_life_table *table = skep_arena_zero(&s->arena, 1, sizeof *table);
  if (table == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a statement");
  table->t = t;
  *out = table;
  if (t->kind == SKEP_TABLE_VIEW) return SKEP_OK; /* nothing is read or written there */
  if (t->location != NULL) SKEP_TRY(skep_catalog_path(t->location, &table->path, err));
  SKEP_TRY(skep_life_add(life, table, err));
  return SKEP_OK;
}

/* Nobody locks a view: enter looks whether it still is what was bound. */
static skep_status bind_view(skep_life *life, const skep_catalog_table *view, skep_bind_table *out, skep_err *err) {
  void *grown = life->views;
  if (life->n_views == SKEP_LIFE_MAX_TABLES)
    return skep_fail(err, SKEP_ERR_LIMIT, "more than %d views in a statement", SKEP_LIFE_MAX_TABLES);
  SKEP_TRY(
      skep_arena_grow(&life->s->arena, &grown, &life->views_capacity, life->n_views + 1, sizeof *life->views, err));
  life->views = grown;
  life->views[life->n_views++] = view;
  return skep_view_bind(life->s, view, out, err);
}

/* The binder's question; a table that it asks for is read. */
static skep_status lookup(void *self, skep_arena *arena, const char *db, const char *name, skep_bind_table *out,
                          skep_err *err) {
  skep_life *life = self;
  skep_life_table *table;
  if (skep_sys_view_is(db != NULL ? db : life->s->current_db, name))
    return skep_sys_view_table(life->s, arena, name, out, err);
  if (db == NULL && life->own_relation != NULL && strcmp(name, life->own_relation->name) == 0) {
    *out = *life->own_relation;
    return SKEP_OK;
  }
  const skep_bind_table *given = db == NULL ? skep_given_find(life->s, name) : NULL;
  if (given != NULL) {
    if (life->binder.trace != NULL)
      return skep_fail(err, SKEP_ERR_SEMANTIC, "a view cannot read %s: only this connection knows these rows", name);
    *out = *given;
    return SKEP_OK;
  }
  SKEP_TRY(add_table(life, db, name, &table, err));
  if (table->t->kind == SKEP_TABLE_VIEW) return bind_view(life, table->t, out, err);
  table->is_read = true;
  *out = (skep_bind_table){.db = table->t->db,
                           .name = table->t->name,
                           .columns = table->t->columns,
                           .partition_keys = table->t->partition_keys,
                           .is_acid = table->t->kind == SKEP_TABLE_FULL_ACID,
                           .bucket_columns = table->t->bucket_columns,
                           .n_bucket_columns = table->t->n_bucket_columns,
                           .bucketing_version = table->t->bucketing_version,
                           .handle = table};
  return SKEP_OK;
}

skep_status skep_life_find(skep_life *life, const skep_table_name *name, skep_life_table **out, skep_err *err) {
  char quoted[300];
  if (name->meta != NULL)
    return skep_fail(err, SKEP_ERR_SEMANTIC, "SemanticException [Error 10431]: Metadata table of %s",
                     skep_quote(quoted, sizeof quoted, name->name, strlen(name->name)));
  skep_status st = add_table(life, name->db, name->name, out, err);
  if (st != SKEP_ERR_NOT_FOUND) return st;
  return skep_fail(err, SKEP_ERR_SEMANTIC, "SemanticException [Error 10001]: Line %u:%u Table not found '%s'",
                   name->pos.line, name->pos.column, skep_quote(quoted, sizeof quoted, name->name, strlen(name->name)));
}

/* 'd' is stronger than 'u', 'u' than 'i'. */
static char stronger(char a, char b) {
  if (a == 'd' || b == 'd') return 'd';
  return a == 'u' || b == 'u' ? 'u' : 'i';
}

skep_status skep_life_write(skep_life *life, skep_life_table *table, char op, skep_err *err) {
  const skep_session *s = life->s;
  const skep_catalog_table *t = table->t;
  SKEP_TRY(skep_rollback_check(s, err));
  table->write = stronger(table->write, op);
  if (!s->txn.is_explicit) return SKEP_OK;
  if (!skep_table_is_transactional(t))
    return skep_fail(err, SKEP_ERR_SEMANTIC,
                     "LockException [Error 20007]: writing %s.%s, which is not transactional, is not allowed in a "
                     "transaction (txnid:%lld)",
                     t->db, t->name, (long long)s->txn.txn.id);
  for (size_t i = 0; i < s->txn.n_changes; i++)
    if (s->txn.changes[i].table_id == t->id && s->txn.changes[i].is_overwritten)
      return skep_fail(err, SKEP_ERR_UNSUPPORTED,
                       "%s.%s was overwritten in this transaction and cannot be written again before COMMIT", t->db,
                       t->name);
  return SKEP_OK;
}

/* ---- open ---- */

skep_status skep_life_open(skep_life *life, skep_session *s, skep_err *err) {
  *life = (skep_life){.s = s, .tries = life->tries};
  life->binder = (skep_binder){.arena = &s->arena,
                               .lookup = lookup,
                               .lookup_self = life,
                               .current_db = s->current_db,
                               .user = s->user,
                               .time_zone = skep_session_text(s, "hive.local.time.zone", NULL),
                               .now_ms = s->ctx->clock_ms(s->ctx->clock_self),
                               .loose_timestamps = !skep_session_bool(s, "hive.strict.timestamp.conversion", true),
                               .nulls_first = !skep_session_bool(s, "hive.default.nulls.last", true),
                               .no_order_ordinals = !skep_session_bool(s, "hive.orderby.position.alias", true),
                               .group_ordinals = skep_session_bool(s, "hive.groupby.position.alias", false)};
  if (life->binder.time_zone != NULL && strcmp(life->binder.time_zone, "LOCAL") == 0) life->binder.time_zone = NULL;
  return skep_life_begin_lookup(life, err);
}

/* ---- sources ---- */

skep_status skep_life_both_predicates(skep_life *life, const char *a, const char *b, const char **out, skep_err *err) {
  size_t na = a != NULL ? strlen(a) : 0, nb = b != NULL ? strlen(b) : 0;
  *out = NULL;
  if (a == NULL && b == NULL) return SKEP_OK;
  if (a == NULL || b == NULL) {
    *out = skep_arena_strndup(&life->s->arena, a != NULL ? a : b, na + nb);
    return *out != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "a predicate");
  }
  char *text = skep_arena_alloc(&life->s->arena, na + nb + 10);
  if (text == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a predicate");
  char *at = text;
  *at++ = '(';
  memcpy(at, a, na);
  at += na;
  memcpy(at, ") AND (", 7);
  at += 7;
  memcpy(at, b, nb);
  at += nb;
  memcpy(at, ")", 2);
  *out = text;
  return SKEP_OK;
}

static skep_table_scan_kind scan_kind(const skep_catalog_table *t) {
  if (t->kind == SKEP_TABLE_FULL_ACID) return SKEP_TABLE_SCAN_FULL_ACID;
  return t->kind == SKEP_TABLE_INSERT_ONLY ? SKEP_TABLE_SCAN_INSERT_ONLY : SKEP_TABLE_SCAN_PLAIN;
}

static skep_status scan_partitions(skep_life *life, const skep_life_table *table, skep_table_scan_opts *opts,
                                   skep_err *err) {
  bool partitioned = skep_table_is_partitioned(table->t);
  size_t n = partitioned ? table->n_partitions : 1;
  if (n > UINT32_MAX) return skep_fail(err, SKEP_ERR_LIMIT, "%zu partitions", n);
  skep_table_scan_partition *parts = skep_arena_zero(&life->s->arena, n + 1, sizeof *parts);
  if (parts == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "partitions");
  if (!partitioned) parts[0].location = table->path;
  for (size_t i = 0; partitioned && i < n; i++) {
    SKEP_TRY(skep_catalog_path(table->partitions[i].location, &parts[i].location, err));
    parts[i].values = table->partitions[i].values;
  }
  opts->partitions = parts;
  opts->n_partitions = (uint32_t)n;
  opts->partition_columns = partitioned ? table->t->partition_keys : NULL;
  return SKEP_OK;
}

static skep_status table_name(skep_life *life, const skep_catalog_table *t, const char **out, skep_err *err) {
  *out = skep_arena_join(&life->s->arena, t->db, ".", t->name);
  return *out != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "a name");
}

static skep_status add_source(skep_life *life, skep_source *source, uint64_t *id, skep_err *err) {
  skep_session *s = life->s;
  skep_engine *engine;
  void *grown = life->sources;
  skep_status st = skep_grow(s->ctx, &grown, &life->sources_capacity, life->n_sources + 1, sizeof *life->sources, err);
  if (st == SKEP_OK) {
    life->sources = grown;
    grown = life->source_objects;
    st = skep_grow(s->ctx, &grown, &life->objects_capacity, life->n_sources + 1, sizeof *life->source_objects, err);
  }
  if (st == SKEP_OK) {
    life->source_objects = grown;
    st = skep_session_engine(s, &engine, err);
  }
  if (st == SKEP_OK) st = skep_engine_add_source(engine, source, id, err);
  if (st != SKEP_OK) {
    skep_source_free(source);
    return st;
  }
  life->source_objects[life->n_sources] = source;
  life->sources[life->n_sources++] = *id;
  return SKEP_OK;
}

static skep_status open_source(skep_life *life, const skep_bound_table *bound, uint64_t *id, skep_err *err) {
  skep_session *s = life->s;
  const skep_life_table *table = bound->table.handle;
  skep_table_scan_opts opts = {.kind = scan_kind(table->t),
                               .columns = table->t->columns,
                               .write_ids = table->valid_write_ids,
                               .valid_txns = s->txn.txn.valid_txns,
                               .row_ids = table->t->kind == SKEP_TABLE_FULL_ACID,
                               .file_prefix = "file:",
                               .text = table->text,
                               .by_name = !skep_session_bool(s, "orc.force.positional.evolution", true),
                               .as_hive = life->as_hive};
  SKEP_TRY(table_name(life, table->t, &opts.name, err));
  SKEP_TRY(skep_life_both_predicates(life, bound->predicate, bound->partition_predicate, &opts.predicate, err));
  SKEP_TRY(scan_partitions(life, table, &opts, err));
  skep_source *source;
  SKEP_TRY(skep_table_source_new(s->ctx, s->fs, &opts, &source, err));
  return add_source(life, source, id, err);
}

skep_status skep_life_sources(skep_life *life, const skep_bound_query *bound, const uint64_t **ids, skep_err *err) {
  uint64_t *all = skep_arena_zero(&life->s->arena, bound->n_tables + 1, sizeof *all);
  if (all == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "sources");
  for (uint32_t i = 0; i < bound->n_tables; i++)
    if (bound->tables[i].table.relation == NULL) SKEP_TRY(open_source(life, &bound->tables[i], &all[i], err));
  *ids = all;
  return SKEP_OK;
}

const skep_source *skep_life_source(const skep_life *life, uint64_t id) {
  for (size_t i = 0; i < life->n_sources; i++)
    if (life->sources[i] == id) return life->source_objects[i];
  return NULL;
}

skep_status skep_life_query(skep_life *life, const skep_bound_query *bound, const uint64_t *ids,
                            const skep_forms *forms, skep_engine_result **out, skep_err *err) {
  skep_session *s = life->s;
  skep_engine *engine;
  *out = NULL;
  SKEP_TRY(skep_session_check(s, err));
  SKEP_TRY(skep_session_engine(s, &engine, err));
  skep_buf sql;
  skep_buf_init(&sql, s->ctx, 1 << 30);
  skep_status st = skep_bound_query_print(bound, ids, &sql, err);
  if (st == SKEP_OK) st = skep_buf_check(&sql, "a statement for the engine", err);
  if (st == SKEP_OK) st = skep_engine_query(engine, skep_buf_string(&sql), bound->type, forms, out, err);
  skep_buf_fini(&sql);
  return st;
}

/* ---- branches ---- */

/* A new partition must not get the directory of a dropped one that somebody is still going to remove. One that is
 * dropped from now on waits for our transaction. */
static skep_status check_free(const skep_life_table *table, const char *name, skep_err *err) {
  skep_session *s = table->s;
  skep_buf location;
  bool pending = false;
  skep_buf_init(&location, s->ctx, 1 << 20);
  skep_buf_printf(&location, "%s/%s", table->t->location, name);
  skep_status st = skep_buf_check(&location, "a location", err);
  if (st == SKEP_OK) st = skep_txn_removal_pending(s->db, skep_buf_string(&location), &pending, err);
  if (st == SKEP_OK && pending) {
    char quoted[400];
    st = skep_fail(err, SKEP_ERR_BUSY, "%s: the files of the dropped partition are still in use; try again later",
                   skep_quote(quoted, sizeof quoted, location.data, location.size));
  }
  skep_buf_fini(&location);
  return st;
}

/* As listed; NULL: there is none. */
static const skep_catalog_partition *listed_partition(const skep_life_table *table, const char *name) {
  const skep_catalog_partition key = {.name = name};
  if (table->n_partitions == 0) return NULL;
  return bsearch(&key, table->partitions, table->n_partitions, sizeof key, skep_life_partition_order);
}

static skep_status find_partition(void *self, const char *name, const char **location, skep_err *err) {
  const skep_life_table *table = self;
  const skep_catalog_partition *found = listed_partition(table, name);
  *location = NULL;
  return found == NULL ? check_free(table, name, err) : skep_catalog_path(found->location, location, err);
}

/* A plain table has no snapshot that hides what a statement placed in it too late: files move only while the database's
 * write lock says that the table is still there and still plain. A conversion comes before, and the statement fails, or
 * after, and finds the files: it lists and renames under the same lock (sql/alter.c). */
static skep_status place_begin(void *self, skep_err *err) {
  const skep_life_table *table = self;
  skep_session *s = table->s;
  if (table->t->id == 0) return SKEP_OK; /* not stored yet: nobody else knows it */
  SKEP_TRY(skep_db_begin(s->db, SKEP_DB_WRITE, err));
  skep_status st = skep_transaction_same_table(s, table->t, err);
  if (st != SKEP_OK) skep_db_rollback(s->db);
  return st;
}

static void place_end(void *self) {
  const skep_life_table *table = self;
  skep_db_rollback(table->s->db); /* nothing was written */
}

static skep_write_format write_format(const skep_catalog_table *t) {
  if (t->kind == SKEP_TABLE_FULL_ACID) return SKEP_WRITE_FULL_ACID;
  return t->kind == SKEP_TABLE_INSERT_ONLY ? SKEP_WRITE_INSERT_ONLY : SKEP_WRITE_PLAIN;
}

static skep_status keep_branch(skep_life *life, skep_life_branch *branch, skep_err *err) {
  if (life->n_branches >= SKEP_LIFE_MAX_BRANCHES)
    return skep_fail(err, SKEP_ERR_LIMIT, "more than %d targets in one statement", SKEP_LIFE_MAX_BRANCHES);
  void *grown = life->branches;
  SKEP_TRY(
      skep_grow(life->s->ctx, &grown, &life->branches_capacity, life->n_branches + 1, sizeof *life->branches, err));
  life->branches = grown;
  life->branches[life->n_branches++] = branch;
  return SKEP_OK;
}

/* One memory for all branches. What they spill goes beside what the engine spills. */
static skep_status need_budget(skep_life *life, skep_err *err) {
  skep_session *s = life->s;
  uint64_t max_bytes = 0;
  char *dir = NULL;
  if (life->has_budget) return SKEP_OK;
  SKEP_TRY(skep_config_bytes(s->config, "skep.write.memory", &max_bytes, err));
  if (s->temp_dir != NULL) {
    skep_buf path;
    skep_buf_init(&path, s->ctx, 1 << 16);
    skep_buf_printf(&path, "%s-rows", s->temp_dir);
    skep_status st = skep_buf_check(&path, "a directory", err);
    if (st == SKEP_OK) dir = skep_buf_copy(&path, &s->arena);
    skep_buf_fini(&path);
    if (st != SKEP_OK) return st;
    if (dir == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a statement");
  }
  skep_write_budget_init(&life->budget, s->ctx, s->fs, dir, max_bytes);
  life->budget.written_rows = &s->written_rows;
  life->budget.stripes.written_bytes = &s->written_bytes;
  life->has_budget = true;
  return SKEP_OK;
}

skep_status skep_life_branch_open(skep_life *life, skep_life_table *table, skep_write_kind kind, char op,
                                  const skep_bytes *statics, skep_life_branch **out, skep_err *err) {
  skep_session *s = life->s;
  const skep_catalog_table *t = table->t;
  skep_table_write_opts opts = {.location = table->path,
                                .format = write_format(t),
                                .columns = t->columns,
                                .n_properties = (uint32_t)t->params.n,
                                .partitions = t->partition_keys,
                                .text = table->text,
                                .n_buckets = t->n_buckets > 0 ? (uint32_t)t->n_buckets : 0,
                                .n_bucket_columns = t->n_bucket_columns,
                                .bucket_columns = t->bucket_columns,
                                .bucketing_version = t->bucketing_version,
                                .kind = kind,
                                .write_id = table->write_id,
                                .statement = (int32_t)s->txn.next_statement,
                                .static_values = statics,
                                .default_partition = skep_session_text(s, "hive.exec.default.partition.name", NULL),
                                .find_partition = find_partition,
                                .find_self = table,
                                .place_begin = place_begin,
                                .place_end = place_end,
                                .place_self = table,
                                .budget = &life->budget};
  SKEP_TRY(need_budget(life, err));
  int64_t max = skep_session_int(s, "hive.exec.max.dynamic.partitions", 0);
  int64_t of_node = skep_session_int(s, "hive.exec.max.dynamic.partitions.pernode", 0); /* there is one */
  if (of_node > 0 && (max <= 0 || of_node < max)) max = of_node;
  if (max > 0 && max < INT32_MAX) opts.max_partitions = (uint32_t)max;
  if (table->write == 'd') opts.max_partitions = UINT32_MAX; /* rows stay where they are: no limit on new partitions */
  SKEP_TRY(table_name(life, t, &opts.table_name, err));
  SKEP_TRY(skep_table_properties(s, &t->params, &opts.properties, err));
  skep_life_branch *branch = skep_arena_zero(&s->arena, 1, sizeof *branch);
  if (branch == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a statement");
  *branch = (skep_life_branch){.table = table, .kind = kind, .op = op};
  table->s = s;
  SKEP_TRY(keep_branch(life, branch, err));
  SKEP_TRY(skep_table_write_open(s->ctx, s->fs, &opts, &branch->write, err));
  s->txn.next_statement++;
  *out = branch;
  return SKEP_OK;
}

skep_status skep_life_made_base(skep_life *life, const char *root, int64_t write_id, skep_err *err) {
  skep_session *s = life->s;
  void *grown = life->made;
  SKEP_TRY(skep_grow(s->ctx, &grown, &life->made_capacity, life->n_made + 1, sizeof *life->made, err));
  life->made = grown;
  const skep_dir_name name = {
      .kind = SKEP_DIR_BASE, .min_write_id = write_id, .max_write_id = write_id, .statement = -1};
  skep_buf path;
  skep_buf_init(&path, s->ctx, 1 << 16);
  skep_buf_printf(&path, "%s/", root);
  skep_dir_name_print(&name, &path);
  skep_status st = skep_buf_check(&path, "a directory", err);
  if (st == SKEP_OK) {
    life->made[life->n_made] = skep_buf_copy(&path, &s->arena);
    if (life->made[life->n_made++] == NULL) st = skep_fail(err, SKEP_ERR_NOMEM, "a directory");
  }
  skep_buf_fini(&path);
  return st;
}

/* ---- the end ---- */

/* What was written so far is of no use. True: nothing of the statement is left, and that is durable. */
static bool remove_files(skep_life *life) {
  const skep_ctx *ctx = life->s->ctx;
  skep_fs *fs = life->s->fs;
  bool gone = true;
  for (size_t i = 0; i < life->n_branches; i++)
    if (life->branches[i]->write != NULL && !skep_table_write_abort(life->branches[i]->write)) gone = false;
  for (size_t i = 0; i < life->n_made; i++)
    if (life->made[i] != NULL && (skep_dir_remove(ctx, fs, life->made[i], NULL) != SKEP_OK ||
                                  skep_dir_sync_above(ctx, fs, life->made[i], NULL) != SKEP_OK))
      gone = false;
  return gone;
}

/* Two static partitions of one directory in one statement: the second base_N took the place of the first. */
static skep_status check_place(const skep_life *life, size_t first, const skep_session_change *change, skep_err *err) {
  const skep_session_txn *txn = &life->s->txn;
  char quoted[400];
  if (change->write_id == 0 || change->partition == NULL) return SKEP_OK;
  for (size_t i = first; i < txn->n_changes; i++) {
    const skep_session_change *c = &txn->changes[i];
    if (c->table_id != change->table_id || (!c->is_overwritten && !change->is_overwritten)) continue;
    if (strcmp(c->location, change->location) == 0)
      return skep_fail(err, SKEP_ERR_UNSUPPORTED,
                       "%s.%s: one statement cannot write two partitions of one directory: %s", change->db,
                       change->table, skep_quote(quoted, sizeof quoted, c->location, strlen(c->location)));
  }
  return SKEP_OK;
}

/* The catalog's id of a partition; 0: it has none, or only this transaction's. */
static int64_t partition_id(const skep_life_table *table, const char *name) {
  const skep_catalog_partition *found = listed_partition(table, name);
  return found != NULL ? found->id : 0;
}

/* What a finished branch did, for the commit. first: where the changes of earlier branches begin. */
static skep_status record_branch(skep_life *life, const skep_life_branch *branch, size_t first, skep_err *err) {
  const skep_written_partition *written;
  uint32_t n;
  SKEP_TRY(skep_table_write_finish(branch->write, &written, &n, err));
  const skep_catalog_table *t = branch->table->t;
  for (uint32_t i = 0; i < n; i++) {
    const skep_written_partition *w = &written[i];
    const char **values = skep_arena_zero(&life->s->arena, w->n_values + 1, sizeof *values);
    if (values == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a partition");
    for (uint32_t k = 0; k < w->n_values; k++) values[k] = (const char *)w->values[k].at;
    int64_t rows = (int64_t)w->n_rows;
    const skep_session_change change = {.db = t->db,
                                        .table = t->name,
                                        .table_id = t->id,
                                        .kind = t->kind,
                                        .partition = w->n_values != 0 ? w->name : NULL,
                                        .partition_id = w->n_values != 0 ? partition_id(branch->table, w->name) : 0,
                                        .values = values,
                                        .location = w->location,
                                        .is_new = w->is_new && w->n_values != 0,
                                        .is_overwritten = w->is_overwritten,
                                        .op = branch->op,
                                        .by_absence = branch->by_absence && rows > 0,
                                        .write_id = branch->table->write_id,
                                        .n_rows = branch->kind == SKEP_WRITE_DELETE ? -rows : rows,
                                        .n_files = (int64_t)w->n_files,
                                        .n_bytes = (int64_t)w->n_bytes,
                                        .is_stale = branch->is_stale};
    SKEP_TRY(check_place(life, first, &change, err));
    SKEP_TRY(skep_transaction_change(life->s, &change, w->n_values, err));
  }
  return SKEP_OK;
}

static void release(skep_life *life) {
  skep_session *s = life->s;
  skep_legacy_give_back(s, &life->legacy);
  for (size_t i = 0; i < life->n_branches; i++) skep_table_write_free(life->branches[i]->write);
  skep_write_budget_fini(&life->budget);
  for (size_t i = 0; i < life->n_sources; i++) skep_engine_remove_source(s->engine, life->sources[i]);
  skep_release(s->ctx, life->branches);
  skep_release(s->ctx, life->made);
  skep_release(s->ctx, life->sources);
  skep_release(s->ctx, life->source_objects);
  skep_release(s->ctx, life->tables);
  skep_release(s->ctx, life->locks);
  *life = (skep_life){.s = s, .tries = life->tries};
}

enum { MAX_TRIES = 20 };

bool skep_life_again(skep_life *life, skep_status *st, skep_err *err) {
  if (*st == SKEP_OK || !life->again) return false;
  skep_db_rollback(life->s->db);
  if (life->owns_txn) {
    skep_transaction_abandon(life->s, true);
  } else if (life->lock_id != 0) {
    skep_status released = skep_lock_release(life->s->db, life->lock_id, err);
    if (released != SKEP_OK) {
      *st = released;
      return false;
    }
  }
  life->tries++;
  release(life);
  if (life->tries < MAX_TRIES) return true;
  *st = skep_fail(err, SKEP_ERR_BUSY, "the tables of the statement were changed %u times before it could lock them",
                  life->tries);
  return false;
}

/* What was asked to end before its commit begins, ends. A statement that nobody had the time to name is not asked
 * after: that costs a round trip. */
static skep_status last_look(skep_session *s, skep_err *err) {
  enum { SHORT_NS = 1000000000 };
  bool is_short = s->ctx->monotonic_ns(s->ctx->clock_self) - s->begun_ns < SHORT_NS;
  if (s->txn.txn.id == 0 || (is_short && !s->has_waited)) return skep_session_check(s, err);
  return skep_heartbeat_hear(s, err);
}

skep_status skep_life_commit(skep_life *life, skep_err *err) {
  skep_session *s = life->s;
  skep_db_rollback(s->db); /* a statement that found nothing to do did not enter */
  skep_status st = skep_session_check(s, err);
  if (st == SKEP_OK) st = skep_legacy_still_held(s, life->legacy, err);
  size_t first = s->txn.n_changes;
  for (size_t i = 0; st == SKEP_OK && i < life->n_branches; i++)
    st = record_branch(life, life->branches[i], first, err);
  if (st == SKEP_OK) st = last_look(s, err);
  if (st != SKEP_OK) return skep_life_fail(life, st);
  if (life->owns_txn) {
    int64_t txn = s->txn.txn.id;
    st = skep_transaction_commit(s, err);
    life->owns_txn = false;
    /* after a commit in doubt files must stay: txn/txn.h, rule 4 */
    if (st != SKEP_OK && st != SKEP_ERR_IN_DOUBT && remove_files(life))
      (void)!skep_transaction_undo(s, txn, true, NULL); /* aborted already: nothing to remember */
  }
  release(life);
  return st;
}

skep_status skep_life_fail(skep_life *life, skep_status st) {
  skep_session *s = life->s;
  if (s == NULL) return st;
  skep_db_rollback(s->db);
  if (s->explained.done) { /* nothing was begun */
    release(life);
    return st;
  }
  bool gone = remove_files(life) && life->owns_txn; /* earlier statements of a transaction have files too */
  if (s->txn.txn.id != 0) skep_transaction_abandon(s, gone);
  release(life);
  return st;
}
