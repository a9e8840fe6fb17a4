/* Hive's older transaction manager, DummyTxnManager, in a session: which locks its statements take through
 * hive.lock.manager, LOCK and UNLOCK, SHOW LOCKS.
 *
 * It is on with hive.txn.manager=org.apache.hadoop.hive.ql.lockmgr.DummyTxnManager; transactional tables and explicit
 * transactions are refused then, as in Hive. Its locks are taken before those of the metastore database, which stay as
 * they are: sessions with either manager may be on one warehouse at a time. hive.support.concurrency=false: no locks.
 *
 * Source: Apache Hive 4.0 DummyTxnManager.acquireLocks (txn-protocol 8.1, 8.3). */
#ifndef SQL_LEGACY_LOCKS_H
#define SQL_LEGACY_LOCKS_H

#include "hiveql/ast.h"
#include "lock/legacy.h"
#include "sql/locks.h"
#include "sql/session_int.h"

bool skep_legacy_is_on(const skep_session *session);

/* The locks of entities (sql/locks.h), planned; texts in the arena. Pure. Source: the command table of txn-protocol
 * 8.1: what is read SHARED; written EXCLUSIVE where the whole target is known, SHARED where partitions come up while
 * it runs; definitions as they say. */
SKEP_NODISCARD skep_status skep_legacy_decide(const skep_lock_entity *entities, uint32_t n, skep_arena *arena,
                                              skep_legacy_want **out, size_t *n_out, skep_err *err);

/* Takes a statement's locks, and waits for them: no database transaction may be open. *held NULL: the manager is off or
 * there is nothing to lock; else it is given back with skep_legacy_give_back when the statement has ended.
 * SKEP_ERR_BUSY: not in hive.lock.numretries tries. */
SKEP_NODISCARD skep_status skep_legacy_take(skep_session *session, const skep_lock_entity *entities, uint32_t n,
                                            skep_legacy_held **held, skep_err *err);
void skep_legacy_give_back(skep_session *session, skep_legacy_held **held);
/* Before what a statement did counts: SKEP_ERR_ABORTED when its locks were lost. */
SKEP_NODISCARD skep_status skep_legacy_still_held(skep_session *session, skep_legacy_held *held, skep_err *err);

/* LOCK and UNLOCK, TABLE and DATABASE. */
skep_statement_run skep_lock_run;
/* SHOW LOCKS while the manager is on. */
skep_status skep_show_legacy_locks(skep_session *session, const skep_show *show, skep_result **out, skep_err *err);

void skep_legacy_forget(skep_session *session); /* when the session closes */

#endif
