/* The worker: one job from the queue to its end. Any number of threads and processes may work beside each other, one
 * job a table or partition.
 *
 * Steps (txn-protocol 9.5): take; refuse what cannot be compacted; transaction, snapshot, lock SHARED_READ (rebalance
 * EXCL_WRITE) and component, in one database transaction; the file work (run.h), beating; then the new state, the end
 * of the transaction and the statistics in one database transaction, which looks again whether table and directory are
 * still the same. A job that fails goes into the history with its reason, and its files are gone. */
#ifndef COMPACT_WORKER_H
#define COMPACT_WORKER_H

#include "compact/env.h"

typedef struct skep_compact_done {
  int64_t id;  /* of the job; 0: there was none */
  char type;   /* its */
  char state;  /* what it became: 'r', 'f', 'c'; 'i' when it was put back (no room, no lock, outside the window) */
  int64_t txn; /* the worker's transaction, or 0 */
  const char *reason; /* why it is not 'r'; in the arena */
  skep_compact_result result;
} skep_compact_done;

/* One job: the one with this id (unless somebody was faster), or with id 0 the next of the pool (NULL: the default).
 * The status is that of the machinery (database, memory, SKEP_ERR_CANCELLED: the job is back in the queue); a job that
 * failed is SKEP_OK with its state. */
SKEP_NODISCARD skep_status skep_compact_work_once(const skep_compact_env *env, int64_t id, const char *pool,
                                                  skep_arena *arena, skep_compact_done *out, skep_err *err);

/* Jobs of dead workers: their leftovers are removed, the job is tried again or, after
 * skep.compactor.max.attempts (3) deaths, failed. Part of each initiator's round, and of AND WAIT. */
SKEP_NODISCARD skep_status skep_compact_revive(const skep_compact_env *env, skep_arena *arena, uint32_t *n_found,
                                               skep_err *err);

/* The same for what this worker itself took and could not bring to an end: the database was not there to be told. For a
 * worker that is not at work; its id must be its alone. */
SKEP_NODISCARD skep_status skep_compact_revive_own(const skep_compact_env *env, skep_arena *arena, skep_err *err);

/* Whether a worker of Skep's has said within the last 30 s that it lives; and saying so. */
SKEP_NODISCARD skep_status skep_compact_worker_alive(skep_db *db, bool *alive, skep_err *err);
SKEP_NODISCARD skep_status skep_compact_worker_beat(skep_db *db, bool leaves, skep_err *err);

#endif
