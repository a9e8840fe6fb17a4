/* Compaction statements, and a session as the environment of the steps of compact/. */
#ifndef SQL_COMPACT_H
#define SQL_COMPACT_H

#include "compact/worker.h"
#include "sql/session_int.h"

typedef struct skep_compact_session {
  skep_session *s;
  skep_compact_env env;
  skep_cancel cancel; /* asked when the session's statement is cancelled, at the next sign of progress */
  char worker_id[160], initiator_id[128];
} skep_compact_session;

/* The session must stay where it is. chatty: what the steps have to say becomes notices. */
void skep_compact_session_init(skep_compact_session *c, skep_session *session, bool chatty);

/* ALTER TABLE ... COMPACT and CONCATENATE; ABORT COMPACTIONS. */
skep_statement_run skep_compact_statement_run, skep_abort_compactions_run;

/* SHOW COMPACTIONS (compact_show.c). */
skep_status skep_show_compactions(skep_session *session, const skep_show *show, skep_result **out, skep_err *err);

#endif
