/* Between the files of a statement's life: life.c, life_locks.c, life_enter.c, and EXPLAIN. */
#ifndef SQL_LIFE_INT_H
#define SQL_LIFE_INT_H

#include "sql/life.h"

/* Begins the database transaction in which names are looked up: a reading one, and after some rounds a writing one,
 * in which nothing can change before the locks are asked for. */
SKEP_NODISCARD skep_status skep_life_begin_lookup(skep_life *life, skep_err *err);

/* The lock components of the statement, merged, in session->arena. */
SKEP_NODISCARD skep_status skep_life_components(skep_life *life, skep_lock_component **out, uint32_t *n, skep_err *err);

/* For bsearch and qsort over skep_catalog_partition: by name. */
int skep_life_partition_order(const void *a, const void *b);

/* False: hive.txn.manager is DummyTxnManager, whose locks are others (lock/legacy.h); or a test said so. */
bool skep_life_takes_locks(const skep_session *session);
/* Hive's switches as the session has them; `exclusive` is borrowed from its settings. */
skep_locks_conf skep_life_locks_conf(const skep_session *session);
/* What a table is to the rules of locks. */
skep_lock_object skep_life_object(const skep_catalog_table *t);

/* EXPLAIN (explain.c), where locks would be asked for: takes the components down; SKEP_END. */
skep_status skep_life_explain(skep_session *session, const skep_lock_component *components, uint32_t n);
/* And before, when more than locks is wanted: lines about the statement's tables and partitions. */
SKEP_NODISCARD skep_status skep_life_explain_tables(skep_life *life, skep_err *err);

#endif
