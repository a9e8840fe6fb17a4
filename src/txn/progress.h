/* What Skep knows about transactions and Hive's tables have no room for: how far they are, that somebody wants them
 * ended, why they were aborted long ago. Rows of Hive's AUX_TABLE, a general store of (key, number, comment), so that
 * no table is added to a metastore that others use:
 *
 *   MT_KEY1           MT_KEY2   MT_COMMENT
 *   skep.progress     txn       "rows bytes changed_ms"              while it is open
 *   skep.kill         txn       query id, line end, who asks         until the owner has seen it
 *   skep.aborted      txn       reason, user, host, query, started_ms, aborted_ms, a line each; the newest
 *                               SKEP_TXN_MAX_ABORTS are kept
 *
 * Other keys of Skep's: skep.move (sql/moves.h), skep.clean.* (watermark.h). */
#ifndef TXN_PROGRESS_H
#define TXN_PROGRESS_H

#include "txn/txn.h"

/* --- how far --- */

typedef struct skep_txn_progress {
  int64_t rows, bytes; /* written so far, by statements that are not over included */
  int64_t changed_ms;  /* when anything last happened, by the database's clock: a row, a statement */
} skep_txn_progress;

/* Beats like skep_txn_heartbeat for one transaction, and says how far it is; progress NULL: only that it lives.
 * SKEP_ERR_ABORTED, SKEP_ERR_NOT_FOUND. */
SKEP_NODISCARD skep_status skep_txn_beat(skep_db *db, int64_t txn, const skep_txn_progress *progress, skep_err *err);

/* TXN_AGENT_INFO: which statement an explicit transaction runs now. */
SKEP_NODISCARD skep_status skep_txn_set_query(skep_db *db, int64_t txn, const char *query, skep_err *err);

/* --- ending a query from outside --- */

/* Asks the process that runs the query to end it: its heartbeat thread looks every second or two. who: for its
 * message. *txn is the query's transaction.
 * SKEP_ERR_NOT_FOUND: no open transaction has this query id; SKEP_ERR_UNSUPPORTED: it is not one of Skep's. */
SKEP_NODISCARD skep_status skep_txn_kill_query(skep_db *db, const char *query, const char *who, int64_t *txn,
                                               skep_err *err);
typedef struct skep_txn_kill {
  int64_t txn;
  const char *query, *who;
} skep_txn_kill;
/* All that wait, in the arena. Reads only. */
SKEP_NODISCARD skep_status skep_txn_kills(skep_db *db, skep_arena *arena, skep_txn_kill **out, uint32_t *n,
                                          skep_err *err);
/* The owner has seen it. */
SKEP_NODISCARD skep_status skep_txn_kill_done(skep_db *db, int64_t txn, skep_err *err);

/* --- SHOW TRANSACTIONS, sys.transactions --- */

typedef struct skep_txn_full_row {
  skep_txn_row row;  /* state: 'o' or 'a'; the reason of an aborted one */
  bool is_forgotten; /* aborted, and gone from TXNS: known from skep.aborted only */
  bool has_progress;
  skep_txn_progress progress;
  int64_t aborted_ms; /* 0: not known */
} skep_txn_full_row;
/* Open and aborted ones, ascending; forgotten: those too whose rows Hive's tables do not have any more. */
SKEP_NODISCARD skep_status skep_txn_list_full(skep_db *db, skep_arena *arena, bool forgotten, skep_txn_full_row **out,
                                              uint32_t *n, skep_err *err);
/* Why a transaction was aborted, also long ago; *reason is NULL when nobody knows. */
SKEP_NODISCARD skep_status skep_txn_abort_reason_of(skep_db *db, skep_arena *arena, int64_t txn, const char **reason,
                                                    skep_err *err);

/* --- house-keeping --- */

enum { SKEP_TXN_MAX_ABORTS = 10000 };

/* A transaction that lives but does nothing. */
typedef struct skep_txn_stalled {
  int64_t txn;
  int64_t idle_ms;
  const char *user, *host, *query;
} skep_txn_stalled;
/* Open transactions of Skep's whose heart beats and nothing of which changed for stall_ms. */
SKEP_NODISCARD skep_status skep_txn_find_stalled(skep_db *db, skep_arena *arena, int64_t stall_ms,
                                                 skep_txn_stalled **out, uint32_t *n, skep_err *err);
/* Aborts it, with "stalled" as the reason; *aborted is false when something happened in it meanwhile. */
SKEP_NODISCARD skep_status skep_txn_abort_stalled(skep_db *db, int64_t txn, int64_t stall_ms, bool *aborted,
                                                  skep_err *err);

#endif
