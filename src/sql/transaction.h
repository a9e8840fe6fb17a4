/* Transactions of a session: opened by a statement or by START TRANSACTION, and how each of them ends. */
#ifndef SQL_TRANSACTION_H
#define SQL_TRANSACTION_H

#include "sql/session_int.h"

/* Who opens transactions, for the calls of txn/txn.h. Borrowed from the session. */
skep_txn_conf skep_transaction_conf(const skep_session *session);

/* Remembers a change for the commit; `change` is copied with its texts (n_values of them). */
SKEP_NODISCARD skep_status skep_transaction_change(skep_session *session, const skep_session_change *change,
                                                   uint32_t n_values, skep_err *err);

/* Inside a database transaction: the table is still there and of the kind that t says, else SKEP_ERR_CONFLICT. */
SKEP_NODISCARD skep_status skep_transaction_same_table(skep_session *session, const skep_catalog_table *t,
                                                       skep_err *err);

/* Commits what is open: partitions and statistics go into the catalog with it. Whatever comes back, no transaction is
 * open afterwards; SKEP_ERR_CONFLICT and SKEP_ERR_IN_DOUBT as session.h says. */
SKEP_NODISCARD skep_status skep_transaction_commit(skep_session *session, skep_err *err);

/* After the last row of a query in an explicit transaction: SKEP_ERR_ABORTED when somebody aborted it meanwhile, since
 * files of its snapshot may be gone then and rows be missing. A statement's own transaction is asked by its commit. */
SKEP_NODISCARD skep_status skep_transaction_check(skep_session *session, skep_err *err);

/* Aborts what is open, reason "rollback". Files must be removed before, or are left to a cleaner; files_gone: all of
 * them are, durably (skep_txn_abort). Never fails for the
 * caller: a transaction that cannot be aborted now times out. */
void skep_transaction_abandon(skep_session *session, bool files_gone);

/* skep_txn_abort with reason "rollback" that skep_session_cancel does not call off: a statement that was cancelled must
 * not leave its transaction open because the cancelling goes on. */
skep_status skep_transaction_undo(skep_session *session, int64_t txn, bool files_gone, skep_err *err);

/* A transaction that could not be aborted when it should have been: its locks are in everybody's way. It is tried again
 * before the session's next statement. */
void skep_transaction_leave(skep_session *session, int64_t txn);
void skep_transaction_retry(skep_session *session);

/* When a warehouse is opened: transactions of dead processes are aborted, leftovers of a loss of power removed, dropped
 * directories that nobody reads any more removed. */
SKEP_NODISCARD skep_status skep_transaction_housekeep(skep_session *session, skep_err *err);

#endif
