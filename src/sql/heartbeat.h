/* Says that the open transactions of a process are alive, how far they are, and hears what others want of them: one
 * thread with a connection of its own, for all sessions that share it (session.h, skep_heartbeats). A statement may
 * run, and a person may think, for longer than the time-out in force.
 *
 * Once a second, while any transaction is open, the thread
 * - beats for those whose last beat is half of the time-out old (txn-protocol 5.1),
 * - says how far they are when that has changed, at most every few seconds (txn/progress.h); a transaction that is over
 *   within two seconds says nothing,
 * - looks whether somebody has aborted one: its statement ends then with SKEP_ERR_ABORTED and the reason,
 * - looks for KILL QUERY: its statement ends then with SKEP_ERR_CANCELLED, naming who asked; an explicit transaction
 *   between two statements, of which the last one with tables is named, is aborted. */
#ifndef SQL_HEARTBEAT_H
#define SQL_HEARTBEAT_H

#include "sql/session_int.h"

/* The transaction that is open now, 0 for none; it has begun, outside of any database transaction: how often it must
 * beat is asked here (skep_txn_timeout). The thread starts with the first one; failing to start it is no
 * failure, the transaction then lives for the time-out. */
void skep_heartbeat_watch(skep_session *session, int64_t txn);

/* The open transaction bears session->query_id in the metastore now: what KILL QUERY can name. */
void skep_heartbeat_listed(skep_session *session);

/* Whether KILL QUERY has asked for the end of what is listed and the thread has not heard it yet: SKEP_ERR_CANCELLED,
 * naming who asked. Before what cannot be taken back; outside of any database transaction. */
SKEP_NODISCARD skep_status skep_heartbeat_hear(skep_session *session, skep_err *err);

/* A statement begins (session->query_id), or the session does nothing any more. What was said before of the last
 * statement (skep_heartbeat_why) is forgotten with the next. */
void skep_heartbeat_runs(skep_session *session, bool runs);

/* A statement failed with st: where it was ended from outside, the status and text that say by whom. */
skep_status skep_heartbeat_why(skep_session *session, skep_status st, skep_err *err);

/* The session ends: the thread forgets it, and ends when it was the session's own. */
void skep_heartbeat_stop(skep_session *session);

#endif
