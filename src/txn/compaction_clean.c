/* From a result that is ready for cleaning to the history, what aborted transactions left, and how long the history is.
 */
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "txn/compaction_int.h"

/* --- ready --- */

skep_status skep_compaction_list_ready(skep_db *db, skep_arena *arena, skep_compaction **out, uint32_t *n,
                                       skep_err *err) {
  skep_stmt *stmt = NULL;
  SKEP_TRY(
      skep_db_query(db,
                    "SELECT " SKEP_QUEUE_COLUMNS
                    " FROM \"COMPACTION_QUEUE\" WHERE \"CQ_STATE\" = 'r' AND \"CQ_TYPE\" <> 'c' "
                    "AND " SKEP_NOT_A_REMOVAL
                    " ORDER BY \"CQ_DATABASE\", \"CQ_TABLE\", \"CQ_PARTITION\", \"CQ_HIGHEST_WRITE_ID\", \"CQ_ID\"",
                    SKEP_NO_PARAMS, &stmt, err));
  return skep_compaction_read_all(stmt, arena, out, n, err);
}

skep_status skep_compaction_is_known(skep_db *db, int64_t txn, bool *out, skep_err *err) {
  int64_t before = 0;
  skep_err why = {0};
  skep_status status =
      skep_db_get_i64(db, "SELECT count(*) FROM \"MIN_HISTORY_LEVEL\" WHERE \"MHL_MIN_OPEN_TXNID\" <= ?",
                      SKEP_PARAMS(skep_p_i64(txn)), &before, NULL, &why);
  if (status == SKEP_ERR_NOT_FOUND) /* without that table only the end of all is an answer */
    status = skep_txn_count_open(db, &before, &why);
  if (status != SKEP_OK && err != NULL) *err = why;
  *out = before == 0;
  return status;
}

/* --- claims --- */

skep_status skep_compaction_claim(skep_db *db, skep_compaction *job, int64_t claim_ms, bool *mine, skep_err *err) {
  int64_t now, changed = 0;
  bool joined = false;
  *mine = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE_LAZY, &joined, err));
  skep_status status = skep_db_now_ms(db, &now, err);
  if (status == SKEP_OK && now <= job->cleaner_start_ms) now = job->cleaner_start_ms + 1; /* a claim is its own */
  if (status == SKEP_OK)
    status = skep_db_run(db,
                         "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_CLEANER_START\" = ? WHERE \"CQ_ID\" = ? AND "
                         "\"CQ_STATE\" = 'r' AND (\"CQ_CLEANER_START\" IS NULL OR \"CQ_CLEANER_START\" < ?)",
                         SKEP_PARAMS(skep_p_i64(now), skep_p_i64(job->id), skep_p_i64(now - claim_ms)), &changed, err);
  status = skep_db_end(db, joined, status, err);
  *mine = status == SKEP_OK && changed > 0;
  if (*mine) job->cleaner_start_ms = now;
  return status;
}

skep_status skep_compaction_check_claim(skep_db *db, const skep_compaction *job, bool *mine, skep_err *err) {
  int64_t start = 0;
  bool found = false;
  SKEP_TRY(skep_db_get_i64(
      db,
      "SELECT \"CQ_CLEANER_START\" FROM \"COMPACTION_QUEUE\" WHERE \"CQ_ID\" = ? AND \"CQ_STATE\" = 'r'{for_update}",
      SKEP_PARAMS(skep_p_i64(job->id)), &start, &found, err));
  *mine = found && start == job->cleaner_start_ms;
  return SKEP_OK;
}

skep_status skep_compaction_unclaim(skep_db *db, const skep_compaction *job, const char *reason, skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE_LAZY, &joined, err));
  skep_status status = skep_db_run(
      db,
      "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_CLEANER_START\" = -1, \"CQ_ERROR_MESSAGE\" = ? WHERE \"CQ_ID\" = ? AND "
      "\"CQ_STATE\" = 'r' AND \"CQ_CLEANER_START\" = ?",
      SKEP_PARAMS(skep_p_text(reason), skep_p_i64(job->id), skep_p_i64(job->cleaner_start_ms)), NULL, err);
  return skep_db_end(db, joined, status, err);
}

/* --- cleaned --- */

#define OF_RESOURCE(p) "\"" p "_DATABASE\" = ? AND \"" p "_TABLE\" = ? AND "

static skep_status claimed(skep_db *db, skep_arena *arena, const skep_compaction *job, skep_compaction *now,
                           skep_err *err) {
  SKEP_TRY(skep_compaction_get(db, job->id, arena, now, err));
  if (now->id == job->id && now->state == 'r' && now->cleaner_start_ms == job->cleaner_start_ms) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_NOT_FOUND, "compaction %lld is cleaned by somebody else", (long long)job->id);
}

static skep_status forget_completed(skep_db *db, const skep_compaction *c, int64_t lowest, skep_err *err) {
  static const char of_partition[] = "DELETE FROM \"COMPLETED_TXN_COMPONENTS\" WHERE " OF_RESOURCE(
      "CTC") "\"CTC_WRITEID\" >= ? AND \"CTC_WRITEID\" <= ? AND \"CTC_PARTITION\" = ?";
  static const char of_table[] = "DELETE FROM \"COMPLETED_TXN_COMPONENTS\" WHERE " OF_RESOURCE(
      "CTC") "\"CTC_WRITEID\" >= ? AND \"CTC_WRITEID\" <= ? AND \"CTC_PARTITION\" IS NULL";
  const skep_param params[] = {skep_p_text(c->database), skep_p_text(c->table), skep_p_i64(lowest > 1 ? lowest : 0),
                               skep_p_i64(c->has_highest ? c->highest_write_id : INT64_MAX), skep_p_text(c->partition)};
  return c->partition != NULL ? skep_db_run(db, of_partition, params, 5, NULL, err)
                              : skep_db_run(db, of_table, params, 4, NULL, err);
}

static skep_status cleaned(skep_db *db, skep_arena *arena, const skep_compaction *job, int64_t lowest, skep_err *err) {
  skep_compaction now;
  int64_t time;
  SKEP_TRY(claimed(db, arena, job, &now, err));
  SKEP_TRY(skep_db_now_ms(db, &time, err));
  now.error = NULL; /* why it had to wait */
  SKEP_TRY(skep_compaction_move(db, &now, 's', NULL, time, err));
  return forget_completed(db, &now, lowest, err);
}

skep_status skep_compaction_cleaned(skep_db *db, const skep_compaction *job, int64_t lowest, skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  skep_arena arena;
  skep_arena_init(&arena, skep_db_ctx(db), 1 << 20);
  skep_status status = cleaned(db, &arena, job, lowest, err);
  skep_arena_fini(&arena);
  return skep_db_end(db, joined, status, err);
}

/* The k-th failure: 2^k times the base. */
static int64_t next_retention(int64_t current, int64_t base_ms, int64_t *attempt) {
  int64_t next = base_ms > 0 ? base_ms : 1;
  *attempt = 1;
  while (next <= current && next < INT64_MAX / 4) {
    next *= 2;
    (*attempt)++;
  }
  return next;
}

static skep_status clean_failed(skep_db *db, skep_arena *arena, const skep_compaction *job, const char *reason,
                                int64_t base_ms, int64_t max_attempts, skep_err *err) {
  skep_compaction now;
  int64_t time, attempt;
  SKEP_TRY(claimed(db, arena, job, &now, err));
  SKEP_TRY(skep_db_now_ms(db, &time, err));
  int64_t retention = next_retention(now.retry_retention_ms, base_ms, &attempt);
  if (attempt > max_attempts) return skep_compaction_move(db, &now, 'f', reason, time, err);
  return skep_db_run(
      db,
      "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_CLEANER_START\" = -1, \"CQ_RETRY_RETENTION\" = ?, \"CQ_ERROR_MESSAGE\" = ? "
      "WHERE \"CQ_ID\" = ?",
      SKEP_PARAMS(skep_p_i64(retention), skep_p_text(reason), skep_p_i64(job->id)), NULL, err);
}

skep_status skep_compaction_clean_failed(skep_db *db, const skep_compaction *job, const char *reason, int64_t base_ms,
                                         int64_t max_attempts, skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  skep_arena arena;
  skep_arena_init(&arena, skep_db_ctx(db), 1 << 20);
  skep_status status = clean_failed(db, &arena, job, reason, base_ms, max_attempts, err);
  skep_arena_fini(&arena);
  return skep_db_end(db, joined, status, err);
}

/* A row whose own transaction did not commit: it was "ready" a moment too early (Hive writes 'r' first). */
skep_status skep_compaction_never_committed(skep_db *db, const skep_compaction *job, const char *reason,
                                            skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  skep_arena arena;
  skep_arena_init(&arena, skep_db_ctx(db), 1 << 20);
  skep_compaction now;
  int64_t time;
  skep_status status = claimed(db, &arena, job, &now, err);
  if (status == SKEP_OK) status = skep_db_now_ms(db, &time, err);
  if (status == SKEP_OK) status = skep_compaction_move(db, &now, 'f', reason, time, err);
  skep_arena_fini(&arena);
  return skep_db_end(db, joined, status, err);
}

/* --- aborted transactions --- */

skep_status skep_compaction_list_aborts(skep_db *db, skep_arena *arena, skep_compaction_aborts **out, uint32_t *n,
                                        skep_err *err) {
  skep_stmt *stmt = NULL;
  size_t capacity = 0;
  *out = NULL;
  *n = 0;
  SKEP_TRY(skep_db_query(db,
                         "SELECT \"TC_DATABASE\", \"TC_TABLE\", \"TC_PARTITION\", count(*), min(\"TXN_STARTED\") FROM "
                         "\"TXN_COMPONENTS\" JOIN \"TXNS\" ON \"TXN_ID\" = \"TC_TXNID\" WHERE \"TXN_STATE\" = 'a' "
                         "GROUP BY \"TC_DATABASE\", \"TC_TABLE\", \"TC_PARTITION\" ORDER BY 1, 2, 3",
                         SKEP_NO_PARAMS, &stmt, err));
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    void *items = *out;
    status = skep_arena_grow(arena, &items, &capacity, *n + 1, sizeof **out, err);
    if (status != SKEP_OK) break;
    *out = items;
    skep_compaction_aborts *a = &(*out)[*n];
    int64_t count = skep_stmt_i64(stmt, 3);
    *a = (skep_compaction_aborts){.n = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX,
                                  .oldest_ms = skep_stmt_i64(stmt, 4)};
    status = skep_stmt_text_copy(stmt, 0, arena, &a->database, err);
    if (status == SKEP_OK) status = skep_stmt_text_copy(stmt, 1, arena, &a->table, err);
    if (status == SKEP_OK) status = skep_stmt_text_copy(stmt, 2, arena, &a->partition, err);
    if (status != SKEP_OK) break;
    if (a->table != NULL) (*n)++;
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

skep_status skep_compaction_aborts_of(skep_db *db, const char *database, const char *table, const char *partition,
                                      skep_arena *arena, skep_compaction_abort **out, uint32_t *n, skep_err *err) {
#define ABORTS                                                                                                  \
  "SELECT \"TC_TXNID\", \"TC_WRITEID\", \"TC_OPERATION_TYPE\", \"TXN_META_INFO\", \"TXN_LAST_HEARTBEAT\" FROM " \
  "\"TXN_COMPONENTS\" JOIN \"TXNS\" ON \"TXN_ID\" = \"TC_TXNID\" WHERE \"TXN_STATE\" = 'a' AND " OF_RESOURCE("TC")
  static const char of_partition[] = ABORTS "\"TC_PARTITION\" = ? ORDER BY \"TC_WRITEID\", \"TC_TXNID\"";
  static const char of_table[] = ABORTS "\"TC_PARTITION\" IS NULL ORDER BY \"TC_WRITEID\", \"TC_TXNID\"";
#undef ABORTS
  const skep_param params[] = {skep_p_text(database), skep_p_text(table), skep_p_text(partition)};
  skep_stmt *stmt = NULL;
  size_t capacity = 0;
  *out = NULL;
  *n = 0;
  SKEP_TRY(
      skep_db_query(db, partition != NULL ? of_partition : of_table, params, partition != NULL ? 3 : 2, &stmt, err));
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    void *items = *out;
    status = skep_arena_grow(arena, &items, &capacity, *n + 1, sizeof **out, err);
    if (status != SKEP_OK) break;
    *out = items;
    const char *reason = skep_stmt_text(stmt, 3, NULL);
    (*out)[(*n)++] = (skep_compaction_abort){
        .txn = skep_stmt_i64(stmt, 0),
        .write_id = skep_stmt_i64(stmt, 1),
        .op = skep_stmt_char(stmt, 2),
        .by_timeout = reason != NULL && strcmp(reason, skep_txn_abort_text(SKEP_ABORT_TIMEOUT)) == 0,
        .heartbeat_ms = skep_stmt_i64(stmt, 4)};
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

skep_status skep_compaction_forget_abort(skep_db *db, const char *database, const char *table, const char *partition,
                                         const skep_compaction_abort *gone, skep_err *err) {
#define FORGET                                                                                                     \
  "DELETE FROM \"TXN_COMPONENTS\" WHERE \"TC_TXNID\" = ? AND \"TC_OPERATION_TYPE\" = ? AND EXISTS (SELECT 1 FROM " \
  "\"TXNS\" WHERE \"TXN_ID\" = \"TC_TXNID\" AND \"TXN_STATE\" = 'a') AND " OF_RESOURCE("TC")
  static const char of_partition[] = FORGET "\"TC_PARTITION\" = ?";
  static const char of_table[] = FORGET "\"TC_PARTITION\" IS NULL";
#undef FORGET
  const skep_param params[] = {skep_p_i64(gone->txn), skep_p_char(gone->op), skep_p_text(database), skep_p_text(table),
                               skep_p_text(partition)};
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  skep_status status =
      skep_db_run(db, partition != NULL ? of_partition : of_table, params, partition != NULL ? 5 : 4, NULL, err);
  return skep_db_end(db, joined, status, err);
}

/* --- the history --- */

/* Of one resource, newest first. */
typedef struct purge {
  const skep_compaction_retention *keep;
  int64_t now;
  const char *database, *table, *partition;
  uint32_t succeeded, failed, did_not, refused;
  bool major_succeeded, minor_succeeded; /* later than the row that is looked at */
} purge;

static bool goes(purge *p, const skep_compaction *c) {
  if (!skep_same_text(p->database, c->database) || !skep_same_text(p->table, c->table) ||
      !skep_same_text(p->partition, c->partition))
    *p = (purge){.keep = p->keep, .now = p->now, .database = c->database, .table = c->table, .partition = c->partition};
  bool is_old = p->keep->timeout_ms > 0 && c->ended_ms < p->now - p->keep->timeout_ms &&
                (p->major_succeeded || (p->minor_succeeded && c->type == SKEP_COMPACTION_MINOR));
  switch (c->state) {
    case 's':
      p->major_succeeded = p->major_succeeded || c->type != SKEP_COMPACTION_MINOR;
      p->minor_succeeded = p->minor_succeeded || c->type == SKEP_COMPACTION_MINOR;
      return ++p->succeeded > p->keep->succeeded;
    case 'f':
      return ++p->failed > p->keep->failed || is_old;
    case 'c':
      return ++p->refused > p->keep->refused || is_old;
    default: /* 'a', and 'x', of which Hive says nothing */
      return ++p->did_not > p->keep->did_not_initiate || is_old;
  }
}

static skep_status purge_rows(skep_db *db, skep_arena *arena, const skep_compaction_retention *keep,
                              uint64_t *n_removed, skep_err *err) {
  skep_stmt *stmt = NULL;
  skep_compaction *rows;
  uint32_t n;
  purge p = {.keep = keep};
  SKEP_TRY(skep_db_now_ms(db, &p.now, err));
  SKEP_TRY(skep_db_query(db,
                         "SELECT " SKEP_HISTORY_COLUMNS
                         " FROM \"COMPLETED_COMPACTIONS\" ORDER BY \"CC_DATABASE\", \"CC_TABLE\", \"CC_PARTITION\", "
                         "\"CC_ID\" DESC",
                         SKEP_NO_PARAMS, &stmt, err));
  SKEP_TRY(skep_compaction_read_all(stmt, arena, &rows, &n, err));
  for (uint32_t i = 0; i < n; i++) {
    if (!goes(&p, &rows[i])) continue;
    SKEP_TRY(skep_db_run(db, "DELETE FROM \"COMPLETED_COMPACTIONS\" WHERE \"CC_ID\" = ?",
                         SKEP_PARAMS(skep_p_i64(rows[i].id)), NULL, err));
    (*n_removed)++;
  }
  return SKEP_OK;
}

skep_status skep_compaction_purge(skep_db *db, const skep_compaction_retention *retention, uint64_t *n_removed,
                                  skep_err *err) {
  bool joined = false;
  uint64_t removed = 0;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE_LAZY, &joined, err));
  skep_arena arena;
  skep_arena_init(&arena, skep_db_ctx(db), (size_t)1 << 30);
  skep_status status = skep_db_end(db, joined, purge_rows(db, &arena, retention, &removed, err), err);
  skep_arena_fini(&arena);
  if (n_removed != NULL) *n_removed = status == SKEP_OK ? removed : 0;
  return status;
}

/* --- ABORT COMPACTIONS --- */

static skep_status abort_request(skep_db *db, int64_t id, const char *by, skep_arena *arena, bool *done,
                                 const char **text, skep_err *err) {
  skep_compaction row;
  char message[200];
  int64_t now;
  SKEP_TRY(skep_compaction_get(db, id, arena, &row, err));
  *done = row.id == id && id != 0 && (row.state == 'i' || !skep_compaction_state_is_known(row.state));
  if (*done) {
    SKEP_TRY(skep_db_now_ms(db, &now, err));
    snprintf(message, sizeof message, "Compaction aborted by %.128s", by);
    SKEP_TRY(skep_compaction_move(db, &row, 'x', message, now, err));
    *text = "Successfully aborted compaction";
    return SKEP_OK;
  }
  if (row.id != id || id == 0) {
    *text = "No Such Compaction Id Available";
    return SKEP_OK;
  }
  snprintf(message, sizeof message, "Error while aborting compaction as compaction is in state-%s",
           skep_compaction_state_name(row.state));
  *text = skep_arena_strndup(arena, message, strlen(message));
  return *text != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "a message");
}

skep_status skep_compaction_abort_request(skep_db *db, int64_t id, const char *by, skep_arena *arena, bool *done,
                                          const char **text, skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  skep_status status = skep_db_end(db, joined, abort_request(db, id, by, arena, done, text, err), err);
  if (status != SKEP_OK) *done = false;
  return status;
}
