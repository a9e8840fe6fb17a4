/* Waiting for the locks of a statement: how long, how often to look, who is told what, and what happens to transactions
 * that wait for each other. No database transaction is open while a statement waits. */
#ifndef SQL_WAIT_H
#define SQL_WAIT_H

#include "lock/lock.h"
#include "sql/session_int.h"

/* A request that stands in the queue. */
typedef struct skep_wait {
  int64_t ext_id, txn;
  const skep_lock_component *components;
  uint32_t n;
} skep_wait;

/* Returns when skep_lock_check would grant the request; skep_lock_check may still say that it has to wait, where
 * somebody of another program was served before. Otherwise the caller aborts the transaction, which takes the request
 * back:
 * SKEP_ERR_BUSY       longer than the session's limit; the text has Hive's words and names whom it waits for
 * SKEP_ERR_CONFLICT   transactions wait for each other, and this one was chosen to end (it is aborted already)
 * SKEP_ERR_ABORTED    somebody aborted it
 * SKEP_ERR_CANCELLED  skep_session_cancel; else what the session's hook returned */
SKEP_NODISCARD skep_status skep_wait_for_locks(skep_session *session, const skep_wait *wait, skep_err *err);

/* For a statement that was told not to wait: SKEP_ERR_BUSY, naming the one in its way. */
skep_status skep_wait_refuse(const skep_lock_blocker *blocker, skep_err *err);

/* How long a statement may wait, in ms: skep.lock.wait.timeout, and no longer than Hive's client would try
 * (hive.lock.numretries looks, pauses of 100 ms doubling up to hive.lock.sleep.between.retries). Where neither is set:
 * 50 s, as other databases do; Hive's default would be an hour and a half. */
int64_t skep_wait_limit_ms(const skep_session *session);

/* "EXCL_WRITE on db.t/k=1" in out (quoted). */
const char *skep_wait_object(char *out, size_t size, skep_lock_type type, const char *database, const char *table,
                             const char *partition);

#endif
