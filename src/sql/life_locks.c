/* What a statement locks: its tables and partitions as entities for locks.h. */
#include <stdlib.h>

#include "acid/name.h"
#include "column/predicate.h"
#include "column/text.h"
#include "sql/conflict.h"
#include "sql/legacy_locks.h"
#include "sql/life_int.h"

/* ---- settings ---- */

skep_locks_conf skep_life_locks_conf(const skep_session *s) {
  skep_locks_conf c = SKEP_LOCKS_CONF_DEFAULT;
  const char *max = skep_config_get(s->config, "hive.locks.max.partitions");
  const struct {
    const char *name;
    bool *out;
  } switches[] = {{"hive.txn.xlock.write", &c.xlock_write},
                  {"hive.txn.xlock.iow", &c.xlock_iow},
                  {"hive.txn.xlock.ctas", &c.xlock_ctas},
                  {"hive.txn.xlock.mergeinsert", &c.xlock_mergeinsert},
                  {"hive.txn.strict.locking.mode", &c.strict_locking},
                  {"hive.acid.lockless.reads.enabled", &c.lockless_reads},
                  {"hive.txn.read.locks", &c.read_locks},
                  {"hive.txn.nonacid.read.locks", &c.nonacid_read_locks},
                  {"hive.txn.ext.locking.enabled", &c.ext_locking},
                  {"hive.acid.truncate.usebase", &c.truncate_base},
                  {"hive.acid.createtable.softdelete", &c.soft_drop},
                  {"hive.acid.droppartition.usebase", &c.drop_partition_base},
                  {"hive.acid.renamepartition.makecopy", &c.rename_partition_copy}};
  for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
    *switches[i].out = skep_session_bool(s, switches[i].name, *switches[i].out);
  if (max != NULL) c.max_partitions = skep_session_int(s, "hive.locks.max.partitions", c.max_partitions);
  c.row_conflicts = skep_conflict_by_rows(s);
  if (c.row_conflicts) c.xlock_write = false; /* UPDATE and DELETE go side by side: the commit compares rows */
  c.exclusive = skep_session_text(s, "hive.query.exclusive.lock", NULL);
  if (c.exclusive != NULL && c.exclusive[0] == 0) c.exclusive = NULL;
  return c;
}

bool skep_life_takes_locks(const skep_session *s) { return !s->no_locks && !skep_legacy_is_on(s); }

skep_lock_object skep_life_object(const skep_catalog_table *t) {
  switch (t->kind) {
    case SKEP_TABLE_FULL_ACID:
    case SKEP_TABLE_INSERT_ONLY:
      return SKEP_LOCK_OBJECT_ACID;
    case SKEP_TABLE_EXTERNAL:
      return SKEP_LOCK_OBJECT_EXTERNAL;
    case SKEP_TABLE_VIEW:
      return SKEP_LOCK_OBJECT_VIEW;
    case SKEP_TABLE_PLAIN:
      break;
  }
  return SKEP_LOCK_OBJECT_PLAIN;
}

/* ---- partitions ---- */

int skep_life_partition_order(const void *a, const void *b) {
  return strcmp(((const skep_catalog_partition *)a)->name, ((const skep_catalog_partition *)b)->name);
}

/* New partitions of this very transaction, which the catalog does not have yet. */
static size_t own_partitions(const skep_session *s, const skep_catalog_table *t, skep_catalog_partition *out) {
  size_t n = 0;
  for (size_t i = 0; i < s->txn.n_changes; i++) {
    const skep_session_change *c = &s->txn.changes[i];
    if (!c->is_new || c->table_id != t->id) continue;
    if (out != NULL)
      out[n] = (skep_catalog_partition){.name = c->partition, .values = c->values, .location = c->location};
    n++;
  }
  return n;
}

/* The catalog's list and the own new ones, one of each name: another transaction may have made the same since. */
static skep_status with_own(skep_life *life, skep_life_table *table, size_t n_own, skep_err *err) {
  size_t n = table->n_partitions, kept = 0;
  skep_catalog_partition *all = skep_arena_zero(&life->s->arena, n + n_own, sizeof *all);
  if (all == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "partitions");
  if (n != 0) memcpy(all, table->partitions, n * sizeof *all);
  own_partitions(life->s, table->t, all + n);
  qsort(all, n + n_own, sizeof *all, skep_life_partition_order);
  for (size_t i = 0; i < n + n_own; i++)
    if (kept == 0 || skep_life_partition_order(&all[kept - 1], &all[i]) != 0) all[kept++] = all[i];
  table->partitions = all;
  table->n_partitions = kept;
  return SKEP_OK;
}

skep_status skep_life_list(skep_life *life, skep_life_table *table, skep_err *err) {
  skep_session *s = life->s;
  if (table->is_listed || table->t->id == 0 || !skep_table_is_partitioned(table->t)) return SKEP_OK;
  SKEP_TRY(skep_catalog_list_partitions(s->catalog, &s->arena, table->t, false, &table->partitions,
                                        &table->n_partitions, err));
  table->n_stamp = (int64_t)table->n_partitions;
  table->max_stamp = 0;
  for (size_t i = 0; i < table->n_partitions; i++)
    if (table->partitions[i].id > table->max_stamp) table->max_stamp = table->partitions[i].id;
  size_t n_own = own_partitions(s, table->t, NULL);
  if (n_own != 0) SKEP_TRY(with_own(life, table, n_own, err));
  table->is_listed = true;
  return SKEP_OK;
}

static bool is_text(const skep_type *type) {
  return type->kind == SKEP_STRING || type->kind == SKEP_CHAR || type->kind == SKEP_VARCHAR;
}

/* A partition's value as its column has it: what does not convert is NULL, as in a scan. */
static skep_status append_value(skep_vec *column, const char *text, const skep_vec *null, skep_err *err) {
  if (is_text(column->type) || strcmp(text, SKEP_DEFAULT_PARTITION) != 0) {
    skep_status st = skep_vec_append_text(column, skep_bytes_of(text, strlen(text)), err);
    if (st != SKEP_ERR_RANGE) return st;
  }
  return skep_vec_append(column, null, 0, 1, err);
}

static skep_status fill_column(skep_vec *column, const skep_life_table *table, uint32_t k, const skep_ctx *ctx,
                               skep_err *err) {
  static const skep_forms forms = {.boolean = 0};
  skep_vec null;
  SKEP_TRY(skep_vec_init(&null, ctx, column->type, &forms, err));
  skep_status st = skep_vec_set_null(&null, 1, err);
  for (size_t i = 0; st == SKEP_OK && i < table->n_partitions; i++)
    st = append_value(column, table->partitions[i].values[k], &null, err);
  skep_vec_fini(&null);
  return st;
}

/* Marks the partitions for which a predicate over the partition columns is TRUE. */
static skep_status mark(skep_life *life, skep_life_table *table, const skep_pred *pred, skep_err *err) {
  static const skep_forms forms = {.boolean = 0};
  const skep_ctx *ctx = life->s->ctx;
  const skep_type *keys = table->t->partition_keys;
  int32_t *rows = skep_arena_alloc(&life->s->arena, (table->n_partitions + 1) * sizeof *rows);
  int64_t n_rows = 0;
  skep_vec root;
  if (rows == NULL || table->n_partitions > INT32_MAX) return skep_fail(err, SKEP_ERR_NOMEM, "partitions");
  SKEP_TRY(skep_vec_init(&root, ctx, keys, &forms, err));
  skep_status st = SKEP_OK;
  for (uint32_t k = 0; st == SKEP_OK && k < keys->n_children; k++)
    st = fill_column(&root.children[k], table, k, ctx, err);
  root.length = (int64_t)table->n_partitions;
  if (st == SKEP_OK) st = skep_pred_filter(ctx, pred, &root, rows, &n_rows, err);
  skep_vec_fini(&root);
  for (int64_t i = 0; st == SKEP_OK && i < n_rows; i++) table->touched[rows[i]] = true;
  return st;
}

static void mark_all(skep_life_table *table) {
  for (size_t i = 0; i < table->n_partitions; i++) table->touched[i] = true;
}

/* One reference to a partitioned table. A predicate that cannot be judged here leaves all partitions. */
static skep_status read_reference(skep_life *life, skep_life_table *table, const char *predicate, skep_err *err) {
  const skep_pred *pred;
  SKEP_TRY(skep_life_list(life, table, err));
  if (table->touched == NULL) {
    table->touched = skep_arena_zero(&life->s->arena, table->n_partitions + 1, sizeof *table->touched);
    if (table->touched == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "partitions");
  }
  if (predicate == NULL || skep_pred_parse(&life->s->arena, predicate, strlen(predicate), &pred, NULL) != SKEP_OK ||
      skep_pred_bind(&life->s->arena, pred, table->t->partition_keys, &pred, NULL) != SKEP_OK) {
    mark_all(table);
    return SKEP_OK;
  }
  return table->n_partitions == 0 ? SKEP_OK : mark(life, table, pred, err);
}

static skep_life_table *table_of(const skep_life *life, const void *handle) {
  for (size_t i = 0; i < life->n_tables; i++)
    if (life->tables[i] == handle) return life->tables[i];
  return NULL;
}

skep_status skep_life_reads(skep_life *life, const skep_bound_query *bound, skep_err *err) {
  for (uint32_t i = 0; i < bound->n_tables; i++) {
    skep_life_table *table = table_of(life, bound->tables[i].table.handle);
    if (table == NULL || table->t->id == 0) continue;
    table->is_bound = true;
    if (skep_table_is_partitioned(table->t))
      SKEP_TRY(read_reference(life, table, bound->tables[i].partition_predicate, err));
  }
  return SKEP_OK;
}

/* ---- entities ---- */

static skep_status add_entity(skep_life *life, const skep_lock_entity *entity, skep_err *err) {
  void *grown = life->locks;
  SKEP_TRY(skep_grow(life->s->ctx, &grown, &life->locks_capacity, life->n_locks + 1, sizeof *life->locks, err));
  life->locks = grown;
  life->locks[life->n_locks++] = *entity;
  return SKEP_OK;
}

skep_status skep_life_lock(skep_life *life, const skep_life_table *table, skep_lock_use use,
                           const char *const *partitions, uint32_t n, skep_err *err) {
  const skep_lock_entity entity = {.database = table->t->db,
                                   .table = table->t->name,
                                   .object = skep_life_object(table->t),
                                   .use = use,
                                   .partitions = partitions,
                                   .n_partitions = n,
                                   .is_partitioned = skep_table_is_partitioned(table->t)};
  return add_entity(life, &entity, err);
}

skep_status skep_life_lock_database(skep_life *life, const char *database, skep_lock_use use, skep_err *err) {
  const skep_lock_entity entity = {.database = database, .object = SKEP_LOCK_OBJECT_DATABASE, .use = use};
  return add_entity(life, &entity, err);
}

/* The partitions that bound queries read; none when the table is read whole. */
static skep_status touched_names(skep_life *life, const skep_life_table *table, skep_lock_entity *entity,
                                 skep_err *err) {
  if (!table->is_bound || table->touched == NULL || table->n_partitions > UINT32_MAX) return SKEP_OK;
  const char **names = skep_arena_zero(&life->s->arena, table->n_partitions + 1, sizeof *names);
  if (names == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "partitions");
  uint32_t n = 0;
  for (size_t i = 0; i < table->n_partitions; i++)
    if (table->touched[i]) names[n++] = table->partitions[i].name;
  entity->partitions = names;
  entity->n_partitions = n;
  return SKEP_OK;
}

static bool is_changed(const skep_life *life, const skep_life_table *table) {
  for (uint32_t i = 0; i < life->n_locks; i++)
    if (life->locks[i].use == SKEP_LOCK_USE_CHANGE && life->locks[i].table == table->t->name) return true;
  return false;
}

/* What is only read, beside what the statement said. The rows that an UPDATE reads of its own table are locked by its
 * write. */
static skep_status read_entities(skep_life *life, skep_err *err) {
  uint32_t n_said = life->n_locks;
  for (size_t i = 0; i < life->n_tables; i++) {
    const skep_life_table *table = life->tables[i];
    if (!table->is_read || table->t->id == 0 || is_changed(life, table)) continue;
    skep_lock_entity entity = {.database = table->t->db,
                               .table = table->t->name,
                               .object = skep_life_object(table->t),
                               .use = SKEP_LOCK_USE_READ};
    SKEP_TRY(touched_names(life, table, &entity, err));
    SKEP_TRY(add_entity(life, &entity, err));
  }
  for (uint32_t i = 0; i < n_said; i++) {
    skep_lock_entity *e = &life->locks[i];
    if (e->use != SKEP_LOCK_USE_CHANGE || e->n_partitions != 0) continue;
    for (size_t k = 0; k < life->n_tables; k++)
      if (life->tables[k]->t->name == e->table) SKEP_TRY(touched_names(life, life->tables[k], e, err));
  }
  return SKEP_OK;
}

skep_status skep_life_components(skep_life *life, skep_lock_component **out, uint32_t *n, skep_err *err) {
  const skep_locks_conf conf = skep_life_locks_conf(life->s);
  *n = 0;
  SKEP_TRY(read_entities(life, err)); /* for the older locks too */
  if (!skep_life_takes_locks(life->s)) return SKEP_OK;
  return skep_locks_decide(&conf, life->locks, life->n_locks, &life->s->arena, out, n, err);
}
