/* One process at a time: the cleaner, the initiator, the housekeeper of a metastore that many processes share.
 *
 * On PostgreSQL this is Hive's own mutex: the row of AUX_TABLE with MT_KEY1 = name is locked by a database transaction
 * of a connection of its own, which stays open as long as the mutex is held, so that a Hive and a Skep exclude each
 * other. On SQLite, where an open write transaction would stop everybody, it is a lock of the operating system on a
 * byte of the file "<database>-mutex". Either way the mutex of a holder that dies is free at once.
 *
 * Names of Hive: "Initiator", "Cleaner", "HouseKeeper", "TxnCleaner", "CompactionScheduler", "MaterializationRebuild".
 *
 * Source: txn-protocol 1.8 (TxnStoreMutex). */
#ifndef TXN_MUTEX_H
#define TXN_MUTEX_H

#include "db/db.h"

typedef struct skep_txn_mutex skep_txn_mutex;

/* Waits up to wait_ms (0: not at all) for the mutex `name`. db says which database; it is not used while the mutex is
 * held, and must not be inside a database transaction now. *out is the caller's (skep_txn_mutex_release), NULL on
 * failure. Not tied to a thread.
 * SKEP_ERR_BUSY: somebody else has it. */
SKEP_NODISCARD skep_status skep_txn_mutex_acquire(skep_db *db, const char *name, int64_t wait_ms, skep_txn_mutex **out,
                                                  skep_err *err);

/* Whether it is still held: a connection that broke has lost it. Ask before doing what cannot be undone.
 * SKEP_ERR_BUSY: it is lost. */
SKEP_NODISCARD skep_status skep_txn_mutex_check(skep_txn_mutex *mutex, skep_err *err);

/* Gives it back; accepts NULL. */
void skep_txn_mutex_release(skep_txn_mutex *mutex);

/* Gives it back and notes `stamp_ms` in MT_KEY2 (Hive's Initiator: when its cycle began), for whoever asks
 * skep_txn_mutex_stamp. The mutex is free whatever comes back. */
SKEP_NODISCARD skep_status skep_txn_mutex_release_at(skep_txn_mutex *mutex, int64_t stamp_ms, skep_err *err);

/* The latest stamp, 0: none. */
SKEP_NODISCARD skep_status skep_txn_mutex_stamp(skep_db *db, const char *name, int64_t *out_ms, skep_err *err);

#endif
