/* The state of a transaction: asking for it, aborting, heartbeats. */
#include <string.h>

#include "txn/txn_int.h"

const char *skep_txn_abort_text(skep_txn_abort_reason reason) {
  switch (reason) {
    case SKEP_ABORT_NONE:
      return "none";
    case SKEP_ABORT_QUERY:
      return "abort by query command";
    case SKEP_ABORT_CONCURRENT:
      return "concurrent committed transaction";
    case SKEP_ABORT_WRITE_CONFLICT:
      return "write conflicts";
    case SKEP_ABORT_TIMEOUT:
      return "heartbeat time-out";
    case SKEP_ABORT_ROLLBACK:
      return "rollback";
    case SKEP_ABORT_COMPACTION:
      return "compaction transaction abort";
    case SKEP_ABORT_MSCK:
      return "msck transaction abort";
    case SKEP_ABORT_MIGRATION:
      return "managed migration transaction abort";
    case SKEP_ABORT_STALLED:
      return "stalled";
    case SKEP_ABORT_KILLED:
      return "query killed";
    case SKEP_ABORT_DIED:
      return "process ended";
    case SKEP_ABORT_DEADLOCK:
      return "deadlock: it was the youngest of transactions that waited for each other";
  }
  return "none";
}

/* --- state --- */

/* locks: the row, where the database locks rows. */
static skep_status read_state(skep_db *db, int64_t txn, bool locks, char *state, int *type, char *reason,
                              size_t reason_size, skep_err *err) {
#define READ_STATE "SELECT \"TXN_STATE\", \"TXN_TYPE\", \"TXN_META_INFO\" FROM \"TXNS\" WHERE \"TXN_ID\" = ?"
  skep_stmt *stmt = NULL;
  *state = 0;
  reason[0] = 0;
  SKEP_TRY(skep_db_query(db, locks ? READ_STATE "{for_update}" : READ_STATE, SKEP_PARAMS(skep_p_i64(txn)), &stmt, err));
#undef READ_STATE
  skep_status status = skep_stmt_next(stmt, err);
  if (status == SKEP_OK) {
    *state = skep_stmt_char(stmt, 0);
    if (type != NULL) *type = (int)skep_stmt_i64(stmt, 1);
    size_t length = 0;
    const char *text = skep_stmt_text(stmt, 2, &length);
    if (text != NULL && *state == 'a') skep_quote(reason, reason_size, text, length);
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

/* Its row is gone; perhaps somebody kept why. */
static skep_status no_such(skep_db *db, int64_t txn, skep_err *err) {
  skep_arena arena;
  skep_arena_init(&arena, skep_db_ctx(db), (size_t)1 << 16);
  const char *reason = NULL;
  char quoted[160] = "";
  if (skep_txn_kept_reason(db, &arena, txn, &reason, NULL) == SKEP_OK && reason != NULL)
    skep_quote(quoted, sizeof quoted, reason, strlen(reason));
  skep_arena_fini(&arena);
  return skep_fail(err, SKEP_ERR_NOT_FOUND, "No such transaction: txnid:%lld%s%s%s", (long long)txn,
                   quoted[0] != '\0' ? " (it was aborted due to " : "", quoted, quoted[0] != '\0' ? ")" : "");
}

skep_status skep_txn_ensure_open(skep_db *db, int64_t txn, char *state, int *type, skep_err *err) {
  char reason[160];
  SKEP_TRY(read_state(db, txn, true, state, type, reason, sizeof reason, err));
  if (*state == 'o') return SKEP_OK;
  if (*state == 'a') {
    return skep_fail(
        err, SKEP_ERR_ABORTED,
        "Transaction manager has aborted the transaction txnid:%lld.  Reason: Transaction txnid:%lld already "
        "aborted due to %s",
        (long long)txn, (long long)txn, reason[0] != 0 ? reason : "none");
  }
  if (*state == 'c')
    return skep_fail(err, SKEP_ERR_NOT_FOUND, "No such transaction: txnid:%lld (it is committed)", (long long)txn);
  return no_such(db, txn, err);
}

skep_status skep_txn_state(skep_db *db, int64_t txn, char *state, skep_arena *arena, const char **reason,
                           skep_err *err) {
  char text[160];
  SKEP_TRY(read_state(db, txn, false, state, NULL, text, sizeof text, err));
  if (reason == NULL) return SKEP_OK;
  *reason = text[0] != 0 ? skep_arena_strndup(arena, text, strlen(text)) : NULL;
  return text[0] != 0 && *reason == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "abort reason") : SKEP_OK;
}

/* --- abort --- */

skep_status skep_txn_forget_history(skep_db *db, int64_t txn, skep_err *err) {
  SKEP_TRY(skep_txn_run_optional(db, "DELETE FROM \"MIN_HISTORY_LEVEL\" WHERE \"MHL_TXNID\" = ?",
                                 SKEP_PARAMS(skep_p_i64(txn)), err));
  SKEP_TRY(skep_txn_run_optional(db, "DELETE FROM \"MIN_HISTORY_WRITE_ID\" WHERE \"MH_TXNID\" = ?",
                                 SKEP_PARAMS(skep_p_i64(txn)), err));
  return skep_db_run(db, "DELETE FROM \"HIVE_LOCKS\" WHERE \"HL_TXNID\" = ?", SKEP_PARAMS(skep_p_i64(txn)), NULL, err);
}

skep_status skep_txn_abort_rows(skep_db *db, int64_t txn, skep_txn_abort_reason reason, int64_t silent_since,
                                int64_t *n_changed, skep_err *err) {
  SKEP_TRY(skep_db_run(db,
                       "UPDATE \"TXNS\" SET \"TXN_STATE\" = 'a', \"TXN_META_INFO\" = ? WHERE \"TXN_ID\" = ? AND "
                       "\"TXN_STATE\" = 'o' AND \"TXN_LAST_HEARTBEAT\" < ?",
                       SKEP_PARAMS(skep_p_text(skep_txn_abort_text(reason)), skep_p_i64(txn), skep_p_i64(silent_since)),
                       n_changed, err));
  if (*n_changed == 0) return SKEP_OK;
  SKEP_TRY(skep_txn_keep_abort(db, txn, err));
  return skep_txn_forget_history(db, txn, err);
}

/* Whether the transaction has written anything that is not committed yet. */
static skep_status has_components(skep_db *db, int64_t txn, bool *out, skep_err *err) {
  int64_t ignored = 0;
  return skep_db_get_i64(db, "SELECT 1 FROM \"TXN_COMPONENTS\" WHERE \"TC_TXNID\" = ? LIMIT 1",
                         SKEP_PARAMS(skep_p_i64(txn)), &ignored, out, err);
}

static skep_status abort_one(skep_db *db, int64_t txn, skep_txn_abort_reason reason, bool files_gone, skep_err *err) {
  char state = 0;
  skep_err why = {0};
  skep_status status = skep_txn_ensure_open(db, txn, &state, NULL, &why);
  int64_t changed = 0;
  if (status == SKEP_OK) status = skep_txn_abort_rows(db, txn, reason, INT64_MAX, &changed, &why);
  if (state == 'a') status = SKEP_OK;
  if (status == SKEP_OK && files_gone) {
    status = skep_db_run(db, "DELETE FROM \"TXN_COMPONENTS\" WHERE \"TC_TXNID\" = ?", SKEP_PARAMS(skep_p_i64(txn)),
                         NULL, &why);
  }
  if (status != SKEP_OK && err != NULL) *err = why;
  return status;
}

/* The end of a reader need not be durable. That of a writer is: a commit in doubt is written over by it. */
skep_status skep_txn_abort(skep_db *db, int64_t txn, skep_txn_abort_reason reason, bool files_gone, skep_err *err) {
  bool joined = false, wrote = true;
  if (!skep_db_in_transaction(db)) SKEP_TRY(has_components(db, txn, &wrote, err));
  SKEP_TRY(skep_db_begin_unless(db, wrote ? SKEP_DB_ROWS : SKEP_DB_ROWS_LAZY, &joined, err));
  skep_status status = abort_one(db, txn, reason, files_gone, err);
  return skep_db_end(db, joined, status, err);
}

skep_status skep_txn_abort_many(skep_db *db, const int64_t *txns, uint32_t n, skep_txn_abort_reason reason,
                                uint32_t *n_aborted, skep_err *err) {
  bool joined = false;
  uint32_t aborted = 0;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  skep_status status = SKEP_OK;
  for (uint32_t i = 0; i < n && status == SKEP_OK; i++) {
    int64_t changed = 0;
    status = skep_txn_abort_rows(db, txns[i], reason, INT64_MAX, &changed, err);
    aborted += changed > 0 ? 1 : 0;
  }
  status = skep_db_end(db, joined, status, err);
  if (n_aborted != NULL) *n_aborted = status == SKEP_OK ? aborted : 0;
  return status;
}

/* --- heartbeat --- */

static skep_status beat(skep_db *db, const int64_t *txns, uint32_t n, uint32_t *first_dead, skep_err *err) {
  int64_t now;
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  for (uint32_t i = 0; i < n; i++) {
    int64_t changed = 0;
    SKEP_TRY(skep_db_run(db,
                         "UPDATE \"TXNS\" SET \"TXN_LAST_HEARTBEAT\" = ? WHERE \"TXN_ID\" = ? AND \"TXN_STATE\" = 'o'",
                         SKEP_PARAMS(skep_p_i64(now), skep_p_i64(txns[i])), &changed, err));
    if (changed == 0 && *first_dead == n) *first_dead = i;
  }
  return SKEP_OK;
}

skep_status skep_txn_heartbeat(skep_db *db, const int64_t *txns, uint32_t n, skep_err *err) {
  bool joined = false;
  uint32_t first_dead = n;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_ROWS_LAZY, &joined, err));
  skep_status status = beat(db, txns, n, &first_dead, err);
  SKEP_TRY(skep_db_end(db, joined, status, err));
  if (first_dead == n) return SKEP_OK;
  char state;
  return skep_txn_ensure_open(db, txns[first_dead], &state, NULL, err);
}
