/* What the files of the queue share: columns, rows. Module-private. */
#ifndef TXN_COMPACTION_INT_H
#define TXN_COMPACTION_INT_H

#include "txn/compaction.h"
#include "txn/txn_int.h"

/* Both tables in one order of columns; ENDED and CLEANER are those that only one has. */
#define SKEP_COMPACTION_COLUMNS(p, ended, cleaner, retention)                                                     \
  "\"" p "_ID\", \"" p "_DATABASE\", \"" p "_TABLE\", \"" p "_PARTITION\", \"" p "_STATE\", \"" p "_TYPE\", \"" p \
  "_TBLPROPERTIES\", \"" p "_WORKER_ID\", \"" p "_WORKER_VERSION\", \"" p "_INITIATOR_ID\", \"" p                 \
  "_INITIATOR_VERSION\", \"" p "_RUN_AS\", \"" p "_HADOOP_JOB_ID\", \"" p "_ERROR_MESSAGE\", \"" p                \
  "_POOL_NAME\", \"" p "_ORDER_BY\", \"" p "_ENQUEUE_TIME\", \"" p "_START\", " ended ", \"" p                    \
  "_HIGHEST_WRITE_ID\", \"" p "_TXN_ID\", \"" p "_NEXT_TXN_ID\", \"" p "_COMMIT_TIME\", " cleaner ", " retention  \
  ", \"" p "_NUMBER_OF_BUCKETS\""
#define SKEP_QUEUE_COLUMNS SKEP_COMPACTION_COLUMNS("CQ", "NULL", "\"CQ_CLEANER_START\"", "\"CQ_RETRY_RETENTION\"")
#define SKEP_HISTORY_COLUMNS SKEP_COMPACTION_COLUMNS("CC", "\"CC_END\"", "NULL", "0")

/* The current row of a statement that selected those columns first. */
skep_status skep_compaction_read(skep_stmt *stmt, skep_arena *arena, skep_compaction *out, skep_err *err);
/* All rows of a statement, which is done afterwards. */
skep_status skep_compaction_read_all(skep_stmt *stmt, skep_arena *arena, skep_compaction **out, uint32_t *n,
                                     skep_err *err);
/* One row of the queue; out->id is 0 when there is none. Locked where the database locks rows. */
skep_status skep_compaction_get(skep_db *db, int64_t id, skep_arena *arena, skep_compaction *out, skep_err *err);

/* The row goes into the history with this state; `now` is CC_END. Inside a write transaction. */
skep_status skep_compaction_move(skep_db *db, const skep_compaction *row, char state, const char *reason, int64_t now,
                                 skep_err *err);
/* A history row alone. */
skep_status skep_compaction_insert_history(skep_db *db, const skep_compaction *row, skep_err *err);

/* 0, or the length of a text that fits a column of `most` characters. */
skep_param skep_compaction_text(const char *text, size_t most);

#endif
