/* Looking at the queue and the history: what SHOW COMPACTIONS shows, and what the initiator asks itself. */
#include <string.h>

#include "base/bytes.h"
#include "txn/compaction_int.h"

/* The order is Hive's expression, NULL when one of its comparisons is; those come first. */
#define HISTORY_LATEST                                                                            \
  "CASE WHEN \"CC_END\" > \"CC_START\" AND \"CC_END\" > \"CC_COMMIT_TIME\" THEN \"CC_END\" ELSE " \
  "CASE WHEN \"CC_START\" > \"CC_COMMIT_TIME\" THEN \"CC_START\" ELSE \"CC_COMMIT_TIME\" END END"
#define QUEUE_LATEST "CASE WHEN \"CQ_START\" > \"CQ_COMMIT_TIME\" THEN \"CQ_START\" ELSE \"CQ_COMMIT_TIME\" END"

skep_status skep_compaction_list(skep_db *db, int64_t id, skep_arena *arena, skep_compaction **out, uint32_t *n,
                                 skep_err *err) {
  static const char all[] =
      "SELECT * FROM (SELECT " SKEP_HISTORY_COLUMNS ", " HISTORY_LATEST
      " AS \"LATEST\" FROM \"COMPLETED_COMPACTIONS\" "
      "UNION ALL SELECT " SKEP_QUEUE_COLUMNS ", " QUEUE_LATEST
      " FROM \"COMPACTION_QUEUE\") Q WHERE ? = 0 OR \"CC_ID\" = ? "
      "ORDER BY CASE WHEN \"LATEST\" IS NULL THEN 0 ELSE 1 END, \"LATEST\" DESC, \"CC_ENQUEUE_TIME\"";
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(db, all, SKEP_PARAMS(skep_p_i64(id), skep_p_i64(id)), &stmt, err));
  return skep_compaction_read_all(stmt, arena, out, n, err);
}

/* --- candidates --- */

static skep_status mark_queued(skep_db *db, skep_arena *arena, skep_compaction_candidate *c, uint32_t n,
                               skep_err *err) {
  skep_stmt *stmt = NULL;
  skep_compaction *rows;
  uint32_t n_rows;
  SKEP_TRY(skep_db_query(db, "SELECT " SKEP_QUEUE_COLUMNS " FROM \"COMPACTION_QUEUE\" WHERE \"CQ_STATE\" IN ('i', 'w')",
                         SKEP_NO_PARAMS, &stmt, err));
  SKEP_TRY(skep_compaction_read_all(stmt, arena, &rows, &n_rows, err));
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t k = 0; k < n_rows && !c[i].is_queued; k++)
      c[i].is_queued = strcmp(rows[k].table, c[i].table) == 0 && strcmp(rows[k].database, c[i].database) == 0 &&
                       skep_same_text(rows[k].partition, c[i].partition);
  return SKEP_OK;
}

skep_status skep_compaction_candidates(skep_db *db, int64_t since, uint32_t limit, skep_arena *arena,
                                       skep_compaction_candidate **out, uint32_t *n, skep_err *err) {
  static const char sql[] =
      "SELECT \"CTC_DATABASE\", \"CTC_TABLE\", \"CTC_PARTITION\", max(\"CTC_WRITEID\"), min(\"CTC_TXNID\") FROM "
      "\"COMPLETED_TXN_COMPONENTS\" WHERE \"CTC_TABLE\" IS NOT NULL GROUP BY \"CTC_DATABASE\", \"CTC_TABLE\", "
      "\"CTC_PARTITION\" HAVING max(\"CTC_TXNID\") >= ? OR EXISTS (SELECT 1 FROM \"COMPLETED_COMPACTIONS\" WHERE "
      "\"CC_DATABASE\" = \"CTC_DATABASE\" AND \"CC_TABLE\" = \"CTC_TABLE\" AND (\"CC_PARTITION\" = \"CTC_PARTITION\" "
      "OR (\"CC_PARTITION\" IS NULL AND \"CTC_PARTITION\" IS NULL)) AND \"CC_STATE\" IN ('a', 'f')) ORDER BY 5, 1, 2, "
      "3";
  skep_stmt *stmt = NULL;
  size_t capacity = 0;
  *out = NULL;
  *n = 0;
  SKEP_TRY(skep_db_query(db, sql, SKEP_PARAMS(skep_p_i64(since)), &stmt, err));
  skep_status status = SKEP_OK;
  while (*n < limit && (status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    void *items = *out;
    status = skep_arena_grow(arena, &items, &capacity, *n + 1, sizeof **out, err);
    if (status != SKEP_OK) break;
    *out = items;
    skep_compaction_candidate *c = &(*out)[*n];
    *c = (skep_compaction_candidate){.highest_write_id = skep_stmt_i64(stmt, 3)};
    status = skep_stmt_text_copy(stmt, 0, arena, &c->database, err);
    if (status == SKEP_OK) status = skep_stmt_text_copy(stmt, 1, arena, &c->table, err);
    if (status == SKEP_OK) status = skep_stmt_text_copy(stmt, 2, arena, &c->partition, err);
    if (status != SKEP_OK) break;
    (*n)++;
  }
  skep_stmt_done(stmt);
  if (status == SKEP_END || status == SKEP_OK) status = mark_queued(db, arena, *out, *n, err);
  return status;
}

skep_status skep_compaction_history(skep_db *db, const char *database, const char *table, const char *partition,
                                    const char *states, uint32_t limit, skep_arena *arena, skep_compaction **out,
                                    uint32_t *n, skep_err *err) {
  static const char of_partition[] =
      "SELECT " SKEP_HISTORY_COLUMNS
      " FROM \"COMPLETED_COMPACTIONS\" WHERE \"CC_DATABASE\" = ? AND \"CC_TABLE\" = ? AND \"CC_PARTITION\" = ? ORDER "
      "BY \"CC_ID\" DESC";
  static const char of_table[] =
      "SELECT " SKEP_HISTORY_COLUMNS
      " FROM \"COMPLETED_COMPACTIONS\" WHERE \"CC_DATABASE\" = ? AND \"CC_TABLE\" = ? AND \"CC_PARTITION\" IS NULL "
      "ORDER BY \"CC_ID\" DESC";
  const skep_param params[] = {skep_p_text(database), skep_p_text(table), skep_p_text(partition)};
  skep_stmt *stmt = NULL;
  uint32_t n_all, kept = 0;
  SKEP_TRY(
      skep_db_query(db, partition != NULL ? of_partition : of_table, params, partition != NULL ? 3 : 2, &stmt, err));
  SKEP_TRY(skep_compaction_read_all(stmt, arena, out, &n_all, err));
  for (uint32_t i = 0; i < n_all && kept < limit; i++)
    if (strchr(states, (*out)[i].state) != NULL) (*out)[kept++] = (*out)[i];
  *n = kept;
  return SKEP_OK;
}

skep_status skep_compaction_written_above(skep_db *db, const char *database, const char *table, const char *partition,
                                          int64_t write_id, bool *out, skep_err *err) {
  static const char of_partition[] =
      "SELECT 1 FROM \"COMPLETED_TXN_COMPONENTS\" WHERE \"CTC_DATABASE\" = ? AND \"CTC_TABLE\" = ? AND "
      "\"CTC_WRITEID\" > ? AND \"CTC_PARTITION\" = ? LIMIT 1";
  static const char of_table[] =
      "SELECT 1 FROM \"COMPLETED_TXN_COMPONENTS\" WHERE \"CTC_DATABASE\" = ? AND \"CTC_TABLE\" = ? AND "
      "\"CTC_WRITEID\" > ? AND \"CTC_PARTITION\" IS NULL LIMIT 1";
  const skep_param params[] = {skep_p_text(database), skep_p_text(table), skep_p_i64(write_id), skep_p_text(partition)};
  int64_t ignored;
  return skep_db_get_i64(db, partition != NULL ? of_partition : of_table, params, partition != NULL ? 4 : 3, &ignored,
                         out, err);
}
