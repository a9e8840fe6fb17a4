/* Says that a session's open transaction is alive, from a thread with a connection of its own: a statement may run, and
 * a person may think, for longer than hive.txn.timeout. */
#ifndef SQL_HEARTBEAT_H
#define SQL_HEARTBEAT_H

#include "sql/session_int.h"

/* The transaction that is open now, 0 for none. The thread starts with the first one; failing to start it is no
 * failure, the transaction then lives for hive.txn.timeout. */
void skep_heartbeat_watch(skep_session *session, int64_t txn);
/* Ends the thread. */
void skep_heartbeat_stop(skep_session *session);

#endif
