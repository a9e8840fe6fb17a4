/* Says that a session's open transaction is alive, from a thread with a connection of its own: a statement may run, and
 * a person may think, for longer than the time-out in force. */
#ifndef SQL_HEARTBEAT_H
#define SQL_HEARTBEAT_H

#include "sql/session_int.h"

/* The transaction that is open now, 0 for none; it has begun, outside of any database transaction: how often it must
 * beat is asked here (skep_txn_timeout). The thread starts with the first one; failing to start it is no
 * failure, the transaction then lives for the time-out. */
void skep_heartbeat_watch(skep_session *session, int64_t txn);
/* Ends the thread. */
void skep_heartbeat_stop(skep_session *session);

#endif
