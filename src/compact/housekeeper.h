/* The housekeeper: ends what dead processes left open, and keeps the metastore's tables short. Hive's AcidHouseKeeper,
 * AcidTxnCleaner and CompactionHouseKeeper in one (txn-protocol 5.4): time-outs of transactions and of locks outside of
 * them, rows of WRITE_SET and TXN_TO_WRITE_ID, empty transactions, repeated rows of COMPLETED_TXN_COMPONENTS, the
 * history of compactions, notes about transactions; and transactions that live and do nothing:
 *
 *   skep.txn.stall.timeout   after so long without a row, a byte or a statement (0, the default: never)
 *   skep.txn.stall.action    "report" (the default), or "abort"
 *
 * Files are the cleaner's (cleaner.h). Of many housekeepers on one metastore, Hive's included, one works at a time:
 * mutex "HouseKeeper" (txn/mutex.h). */
#ifndef COMPACT_HOUSEKEEPER_H
#define COMPACT_HOUSEKEEPER_H

#include "compact/env.h"

typedef struct skep_compact_housekeeping {
  bool is_leader; /* false: another process is at it; nothing was done */
  skep_txn_housekeeping txn;
  uint64_t n_history;                    /* lines of COMPLETED_COMPACTIONS removed */
  uint32_t n_stalled, n_stalled_aborted; /* transactions that stand still; of them aborted now */
} skep_compact_housekeeping;

/* One round. What stands still, and what was ended, is said through env->say. */
SKEP_NODISCARD skep_status skep_compact_keep_house(const skep_compact_env *env, skep_compact_housekeeping *out,
                                                   skep_err *err);

/* How long to wait between two rounds: hive.metastore.acid.housekeeper.interval, 60 s. */
int64_t skep_compact_housekeeper_interval_ms(const skep_compact_env *env);

#endif
