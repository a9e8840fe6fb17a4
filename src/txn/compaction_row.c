/* Rows of the queue and of the history: reading, moving, what letters and properties mean. */
#include <string.h>

#include "txn/compaction_int.h"
#include "txn/string_map.h"

const char *skep_compaction_type_name(char type) {
  switch (type) {
    case SKEP_COMPACTION_MINOR:
      return "MINOR";
    case SKEP_COMPACTION_MAJOR:
      return "MAJOR";
    case SKEP_COMPACTION_REBALANCE:
      return "REBALANCE";
    case SKEP_COMPACTION_ABORT_CLEANUP:
      return "ABORT_TXN_CLEANUP";
    default:
      return "UNKNOWN";
  }
}

const char *skep_compaction_state_name(char state) {
  switch (state) {
    case 'i':
      return "initiated";
    case 'w':
      return "working";
    case 'r':
      return "ready for cleaning";
    case 'f':
      return "failed";
    case 's':
      return "succeeded";
    case 'a':
      return "did not initiate";
    case 'c':
      return "refused";
    case 'x':
      return "aborted";
    default:
      return "unknown";
  }
}

bool skep_compaction_state_is_known(char state) { return strcmp(skep_compaction_state_name(state), "unknown") != 0; }

bool skep_compaction_type_is_known(char type) { return strcmp(skep_compaction_type_name(type), "UNKNOWN") != 0; }

skep_status skep_compaction_property(const skep_compaction *c, const char *key, skep_arena *arena, const char **out,
                                     skep_err *err) {
  skep_bytes value;
  *out = NULL;
  if (c->properties == NULL || !skep_string_map_get(c->properties, strlen(c->properties), key, &value)) return SKEP_OK;
  *out = skep_arena_strndup(arena, (const char *)value.at, value.left);
  return *out != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "a property of a compaction");
}

/* Cut between characters. */
skep_param skep_compaction_text(const char *text, size_t most) {
  if (text == NULL) return skep_p_null();
  size_t length = strnlen(text, most + 1);
  if (length > most) {
    length = most;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) length--;
  }
  return skep_p_textn(text, length);
}

/* --- reading --- */

typedef enum column {
  C_ID,
  C_DATABASE,
  C_TABLE,
  C_PARTITION,
  C_STATE,
  C_TYPE,
  C_PROPERTIES,
  C_WORKER,
  C_WORKER_VERSION,
  C_INITIATOR,
  C_INITIATOR_VERSION,
  C_RUN_AS,
  C_JOB,
  C_ERROR,
  C_POOL,
  C_ORDER,
  C_ENQUEUED,
  C_STARTED,
  C_ENDED,
  C_HIGHEST,
  C_TXN,
  C_NEXT_TXN,
  C_COMMIT,
  C_CLEANER,
  C_RETENTION,
  C_BUCKETS
} column;

skep_status skep_compaction_read(skep_stmt *stmt, skep_arena *arena, skep_compaction *out, skep_err *err) {
  *out = (skep_compaction){.id = skep_stmt_i64(stmt, C_ID),
                           .state = skep_stmt_char(stmt, C_STATE),
                           .type = skep_stmt_char(stmt, C_TYPE),
                           .enqueued_ms = skep_stmt_i64(stmt, C_ENQUEUED),
                           .started_ms = skep_stmt_i64(stmt, C_STARTED),
                           .ended_ms = skep_stmt_i64(stmt, C_ENDED),
                           .highest_write_id = skep_stmt_i64(stmt, C_HIGHEST),
                           .has_highest = !skep_stmt_is_null(stmt, C_HIGHEST),
                           .txn_id = skep_stmt_i64(stmt, C_TXN),
                           .next_txn_id = skep_stmt_i64(stmt, C_NEXT_TXN),
                           .commit_ms = skep_stmt_i64(stmt, C_COMMIT),
                           .cleaner_start_ms = skep_stmt_i64(stmt, C_CLEANER),
                           .retry_retention_ms = skep_stmt_i64(stmt, C_RETENTION),
                           .n_buckets = (int32_t)skep_stmt_i64(stmt, C_BUCKETS)};
  const struct {
    column column;
    const char **to;
  } texts[] = {{C_DATABASE, &out->database},
               {C_TABLE, &out->table},
               {C_PARTITION, &out->partition},
               {C_PROPERTIES, &out->properties},
               {C_WORKER, &out->worker_id},
               {C_WORKER_VERSION, &out->worker_version},
               {C_INITIATOR, &out->initiator_id},
               {C_INITIATOR_VERSION, &out->initiator_version},
               {C_RUN_AS, &out->run_as},
               {C_JOB, &out->job_id},
               {C_ERROR, &out->error},
               {C_POOL, &out->pool},
               {C_ORDER, &out->order_by}};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
    SKEP_TRY(skep_stmt_text_copy(stmt, (int)texts[i].column, arena, texts[i].to, err));
  return SKEP_OK;
}

skep_status skep_compaction_read_all(skep_stmt *stmt, skep_arena *arena, skep_compaction **out, uint32_t *n,
                                     skep_err *err) {
  skep_status status;
  size_t capacity = 0;
  *out = NULL;
  *n = 0;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    void *items = *out;
    status = *n < UINT32_MAX ? skep_arena_grow(arena, &items, &capacity, *n + 1, sizeof **out, err)
                             : skep_fail(err, SKEP_ERR_LIMIT, "too many compactions");
    if (status != SKEP_OK) break;
    *out = items;
    status = skep_compaction_read(stmt, arena, &(*out)[*n], err);
    if (status != SKEP_OK) break;
    (*n)++;
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

skep_status skep_compaction_get(skep_db *db, int64_t id, skep_arena *arena, skep_compaction *out, skep_err *err) {
  skep_stmt *stmt = NULL;
  *out = (skep_compaction){0};
  SKEP_TRY(skep_db_query(db, "SELECT " SKEP_QUEUE_COLUMNS " FROM \"COMPACTION_QUEUE\" WHERE \"CQ_ID\" = ?{for_update}",
                         SKEP_PARAMS(skep_p_i64(id)), &stmt, err));
  skep_status status = skep_stmt_next(stmt, err);
  if (status == SKEP_OK) status = skep_compaction_read(stmt, arena, out, err);
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

/* --- the history --- */

static skep_param number(int64_t value) { return value != 0 ? skep_p_i64(value) : skep_p_null(); }

skep_status skep_compaction_insert_history(skep_db *db, const skep_compaction *r, skep_err *err) {
  return skep_db_run(
      db,
      "INSERT INTO \"COMPLETED_COMPACTIONS\" (\"CC_ID\", \"CC_DATABASE\", \"CC_TABLE\", \"CC_PARTITION\", "
      "\"CC_STATE\", \"CC_TYPE\", \"CC_TBLPROPERTIES\", \"CC_WORKER_ID\", \"CC_WORKER_VERSION\", \"CC_INITIATOR_ID\", "
      "\"CC_INITIATOR_VERSION\", \"CC_RUN_AS\", \"CC_HADOOP_JOB_ID\", \"CC_ERROR_MESSAGE\", \"CC_POOL_NAME\", "
      "\"CC_ORDER_BY\", \"CC_ENQUEUE_TIME\", \"CC_START\", \"CC_END\", \"CC_HIGHEST_WRITE_ID\", \"CC_TXN_ID\", "
      "\"CC_NEXT_TXN_ID\", \"CC_COMMIT_TIME\", \"CC_NUMBER_OF_BUCKETS\") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
      "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      SKEP_PARAMS(skep_p_i64(r->id), skep_p_text(r->database), skep_p_text(r->table), skep_p_text(r->partition),
                  skep_p_char(r->state), skep_p_char(r->type), skep_p_text(r->properties), skep_p_text(r->worker_id),
                  skep_p_text(r->worker_version), skep_p_text(r->initiator_id), skep_p_text(r->initiator_version),
                  skep_p_text(r->run_as), skep_p_text(r->job_id), skep_p_text(r->error), skep_p_text(r->pool),
                  skep_p_text(r->order_by), number(r->enqueued_ms), number(r->started_ms), number(r->ended_ms),
                  r->has_highest ? skep_p_i64(r->highest_write_id) : skep_p_null(), number(r->txn_id),
                  number(r->next_txn_id), number(r->commit_ms), number(r->n_buckets)),
      NULL, err);
}

skep_status skep_compaction_move(skep_db *db, const skep_compaction *row, char state, const char *reason, int64_t now,
                                 skep_err *err) {
  skep_compaction r = *row;
  r.state = state;
  r.ended_ms = now;
  r.job_id = NULL; /* how far a worker of ours was */
  if (row->job_id != NULL && strncmp(row->job_id, "job_", 4) == 0) r.job_id = row->job_id;
  if (reason != NULL) r.error = reason;
  SKEP_TRY(skep_compaction_insert_history(db, &r, err));
  return skep_db_run(db, "DELETE FROM \"COMPACTION_QUEUE\" WHERE \"CQ_ID\" = ?", SKEP_PARAMS(skep_p_i64(row->id)), NULL,
                     err);
}
