/* KILL QUERY and ABORT TRANSACTIONS: ending what others run.
 *
 * KILL QUERY asks the process that runs the query (txn/progress.h); its heartbeat thread (heartbeat.h) ends the
 * statement within a second or two. A process that does not hear any more is ended by ABORT TRANSACTIONS: whatever it
 * does next fails. */
#include <stdio.h>

#include "sql/ddl_int.h"
#include "txn/progress.h"

typedef struct kill_job {
  const char *query;
  const char *who;
  int64_t txn;
} kill_job;

static skep_status run_kill(skep_session *s, void *self, skep_err *err) {
  kill_job *job = self;
  return skep_txn_kill_query(s->db, job->query, job->who, &job->txn, err);
}

/* Every query that is there is asked to end; then the first that is not is told. */
static skep_status kill_queries(skep_session *s, const skep_name_list *queries, skep_err *err) {
  char who[200];
  skep_status first = SKEP_OK;
  snprintf(who, sizeof who, "%.80s@%.80s", s->user, s->host);
  for (uint32_t i = 0; i < queries->n; i++) {
    kill_job job = {.query = queries->items[i], .who = who};
    skep_err why = {0};
    skep_status st = ddl_in_transaction(s, SKEP_DB_WRITE_LAZY, run_kill, &job, &why);
    if (st == SKEP_OK) {
      skep_session_note(s, "transaction %lld was asked to end query %s", (long long)job.txn, job.query);
    } else if (first == SKEP_OK) {
      first = st;
      if (err != NULL) *err = why;
    }
  }
  return first;
}

static skep_status run_abort(skep_session *s, void *self, skep_err *err) {
  const skep_ids *ids = self;
  return skep_txn_abort_many(s->db, ids->items, ids->n, SKEP_ABORT_QUERY, NULL, err);
}

skep_status skep_kill_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  *out = NULL;
  if (statement->kind == SKEP_STMT_KILL_QUERY) return kill_queries(s, &statement->queries, err);
  skep_ids ids = statement->ids;
  return ddl_in_transaction(s, SKEP_DB_WRITE, run_abort, &ids, err);
}
