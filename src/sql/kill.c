/* KILL QUERY and ABORT TRANSACTIONS: ending what others run.
 *
 * KILL QUERY asks the process that runs the query (txn/progress.h); its heartbeat thread (heartbeat.h) ends the
 * statement within a second or two, or aborts the explicit transaction whose last statement it was. A definition that
 * waits for its locks is reached too; one that is being made is a single database transaction that nobody sees. A
 * process that does not hear any more is ended by ABORT TRANSACTIONS: whatever it does next fails. */
#include <stdio.h>

#include "sql/ddl_int.h"
#include "txn/progress.h"

/* Every query that is there is asked to end; then the first that is not is told. */
static skep_status kill_queries(skep_session *s, const skep_name_list *queries, skep_err *err) {
  char who[200];
  skep_status first = SKEP_OK;
  snprintf(who, sizeof who, "%.80s@%.80s", s->user, s->host);
  for (uint32_t i = 0; i < queries->n; i++) {
    int64_t txn;
    skep_err why = {0};
    skep_status st = skep_txn_kill_query(s->db, queries->items[i], who, &txn, &why);
    if (st == SKEP_OK) {
      skep_session_note(s, "transaction %lld was asked to end query %s", (long long)txn, queries->items[i]);
    } else if (first == SKEP_OK) {
      first = st;
      if (err != NULL) *err = why;
    }
  }
  return first;
}

/* Hive passes over those that are not open, without a word; here a mistyped number does not look like success. */
static skep_status abort_one(skep_session *s, int64_t id, skep_err *err) {
  uint32_t n;
  char state;
  SKEP_TRY(skep_txn_abort_many(s->db, &id, 1, SKEP_ABORT_QUERY, &n, err));
  if (n == 1) return SKEP_OK;
  SKEP_TRY(skep_txn_state(s->db, id, &state, NULL, NULL, err));
  skep_session_note(s, "transaction %lld is not open (%s): nothing was aborted", (long long)id,
                    state == 'c'   ? "it is committed"
                    : state == 'a' ? "it was aborted before"
                                   : "there is none, or it is over");
  return SKEP_OK;
}

static skep_status run_abort(skep_session *s, void *self, skep_err *err) {
  const skep_ids *ids = self;
  for (uint32_t i = 0; i < ids->n; i++) SKEP_TRY(abort_one(s, ids->items[i], err));
  return SKEP_OK;
}

skep_status skep_kill_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  *out = NULL;
  if (statement->kind == SKEP_STMT_KILL_QUERY) return kill_queries(s, &statement->queries, err);
  skep_ids ids = statement->ids;
  return ddl_in_transaction(s, SKEP_DB_ROWS, run_abort, &ids, err);
}
