/* Which locks a statement takes: see locks.h. */
#include "sql/locks.h"

static bool is_never_locked(const skep_locks_conf *conf, const skep_lock_entity *e) {
  if (e->object == SKEP_LOCK_OBJECT_EXTERNAL) return !conf->ext_locking;
  if (e->use != SKEP_LOCK_USE_READ) return false;
  if (e->object == SKEP_LOCK_OBJECT_VIEW || !conf->read_locks) return true;
  if (e->object == SKEP_LOCK_OBJECT_ACID) return conf->lockless_reads;
  return e->object == SKEP_LOCK_OBJECT_PLAIN && !conf->nonacid_read_locks;
}

static skep_lock_type of_insert(const skep_locks_conf *conf, bool acid) {
  if (!acid) return conf->strict_locking ? SKEP_LOCK_EXCLUSIVE : SKEP_LOCK_SHARED_READ;
  return conf->xlock_write && !conf->lockless_reads ? SKEP_LOCK_SHARED_READ : SKEP_LOCK_SHARED_WRITE;
}

/* False: none. */
static bool type_of(const skep_locks_conf *conf, const skep_lock_entity *e, skep_lock_type *out) {
  bool acid = e->object == SKEP_LOCK_OBJECT_ACID;
  skep_lock_type write = conf->xlock_write && !conf->row_conflicts ? SKEP_LOCK_EXCL_WRITE : SKEP_LOCK_SHARED_WRITE;
  if (is_never_locked(conf, e)) return false;
  switch (e->use) {
    case SKEP_LOCK_USE_READ:
    case SKEP_LOCK_USE_DDL_SHARED:
      *out = SKEP_LOCK_SHARED_READ;
      return true;
    case SKEP_LOCK_USE_MERGE_INSERT:
      *out = acid && conf->xlock_mergeinsert ? write : of_insert(conf, acid);
      return true;
    case SKEP_LOCK_USE_INSERT:
      *out = of_insert(conf, acid);
      return true;
    case SKEP_LOCK_USE_INSERT_OVERWRITE:
      *out = acid && !(conf->xlock_iow && conf->xlock_write && !conf->lockless_reads) ? SKEP_LOCK_EXCL_WRITE
                                                                                      : SKEP_LOCK_EXCLUSIVE;
      return true;
    case SKEP_LOCK_USE_CHANGE:
      *out = acid ? write : SKEP_LOCK_EXCL_WRITE;
      return true;
    case SKEP_LOCK_USE_CTAS:
      *out = acid ? SKEP_LOCK_EXCL_WRITE : SKEP_LOCK_EXCLUSIVE;
      return !acid || conf->xlock_ctas;
    case SKEP_LOCK_USE_DDL_EXCL_WRITE:
      *out = SKEP_LOCK_EXCL_WRITE;
      return true;
    case SKEP_LOCK_USE_DDL_EXCLUSIVE:
      *out = SKEP_LOCK_EXCLUSIVE;
      return true;
    case SKEP_LOCK_USE_DDL_NONE:
      break;
  }
  return false;
}

static bool as_partitions(const skep_locks_conf *conf, const skep_lock_entity *e) {
  return e->n_partitions != 0 && (conf->max_partitions <= 0 || e->n_partitions < conf->max_partitions);
}

skep_status skep_locks_decide(const skep_locks_conf *conf, const skep_lock_entity *entities, uint32_t n,
                              skep_arena *arena, skep_lock_component **out, uint32_t *n_out, skep_err *err) {
  size_t room = conf->exclusive != NULL ? 1 : 0, count = 0;
  for (uint32_t i = 0; i < n; i++) room += as_partitions(conf, &entities[i]) ? entities[i].n_partitions : 1;
  if (room > UINT32_MAX / 2) return skep_fail(err, SKEP_ERR_LIMIT, "%zu locks in one statement", room);
  skep_lock_component *all = skep_arena_zero(arena, room + 1, sizeof *all);
  if (all == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%zu locks", room);
  for (uint32_t i = 0; i < n; i++) {
    const skep_lock_entity *e = &entities[i];
    skep_lock_type type;
    if (!type_of(conf, e, &type)) continue;
    bool parts = as_partitions(conf, e);
    for (uint32_t k = 0; k < (parts ? e->n_partitions : 1); k++)
      all[count++] = (skep_lock_component){e->database, e->table, parts ? e->partitions[k] : NULL, type};
  }
  if (conf->exclusive != NULL)
    all[count++] = (skep_lock_component){"GLOBAL_LOCKS", conf->exclusive, NULL, SKEP_LOCK_EXCLUSIVE};
  *n_out = skep_lock_merge(all, (uint32_t)count);
  *out = all;
  return SKEP_OK;
}

skep_lock_use skep_locks_of_ddl(const skep_locks_conf *conf, skep_locks_ddl ddl, bool transactional) {
  bool lockless = conf->lockless_reads && transactional, keeps_readers = false;
  switch (ddl) {
    case SKEP_LOCKS_DDL_NONE:
    case SKEP_LOCKS_DDL_COUNT:
      return SKEP_LOCK_USE_DDL_NONE;
    case SKEP_LOCKS_DDL_CREATE_TABLE:
    case SKEP_LOCKS_DDL_ADD_PARTITION:
    case SKEP_LOCKS_DDL_PROPERTIES:
      return SKEP_LOCK_USE_DDL_SHARED;
    case SKEP_LOCKS_DDL_ADD_PARTITION_IF:
      return transactional ? SKEP_LOCK_USE_DDL_EXCL_WRITE : SKEP_LOCK_USE_DDL_SHARED;
    case SKEP_LOCKS_DDL_DROP_TABLE:
      keeps_readers = lockless || (transactional && conf->soft_drop);
      break;
    case SKEP_LOCKS_DDL_TRUNCATE:
      keeps_readers = lockless || (transactional && conf->truncate_base);
      break;
    case SKEP_LOCKS_DDL_DROP_PARTITION:
      keeps_readers = lockless || (transactional && conf->drop_partition_base);
      break;
    case SKEP_LOCKS_DDL_RENAME_PARTITION:
      keeps_readers = lockless || (transactional && conf->rename_partition_copy);
      break;
    case SKEP_LOCKS_DDL_DEFINITION:
      keeps_readers = lockless;
      break;
    case SKEP_LOCKS_DDL_DROP_CONSTRAINT:
      keeps_readers = transactional;
      break;
    case SKEP_LOCKS_DDL_DROP_DATABASE:
    case SKEP_LOCKS_DDL_PLACE:
    case SKEP_LOCKS_DDL_CONVERT:
      break;
  }
  return keeps_readers ? SKEP_LOCK_USE_DDL_EXCL_WRITE : SKEP_LOCK_USE_DDL_EXCLUSIVE;
}
