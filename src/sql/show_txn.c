/* SHOW TRANSACTIONS, LOCKS, COMPACTIONS: what Hive's tables hold, with the header line that Hive's shell prints as a
 * row.
 *
 * Source: txn-protocol 0.2 and 10; golden 19-metastore. */
#include <stdio.h>
#include <string.h>

#include "sql/show_int.h"

static const char *number_or(skep_session *s, skep_stmt *stmt, int column, const char *missing) {
  if (skep_stmt_is_null(stmt, column)) return missing;
  const char *text = ddl_number(s, skep_stmt_i64(stmt, column));
  return text == NULL ? "?" : text;
}

static const char *text_or(skep_session *s, skep_stmt *stmt, int column, const char *missing) {
  const char *text;
  if (skep_stmt_text_copy(stmt, column, &s->arena, &text, NULL) != SKEP_OK) return "?";
  return text == NULL ? missing : text;
}

/* ---- transactions ---- */

skep_status show_transactions(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  static const char *const names[] = {"txnid", "state", "startedtime", "lastheartbeattime", "user", "host"};
  static const char *const header[] = {"Transaction ID", "Transaction State", "Started Time", "Last Heartbeat Time",
                                       "User",           "Hostname"};
  skep_txn_row *rows;
  uint32_t n;
  (void)show;
  SKEP_TRY(skep_txn_list(s->db, &s->arena, &rows, &n, err));
  SKEP_TRY(show_new(s, out, err, 6, names));
  SKEP_TRY(skep_result_texts_row(*out, header, err));
  for (uint32_t i = 0; i < n; i++) {
    const char *cells[] = {ddl_number(s, rows[i].id),
                           rows[i].state == 'o' ? "OPEN" : "ABORTED",
                           ddl_number(s, rows[i].started_ms),
                           ddl_number(s, rows[i].heartbeat_ms),
                           rows[i].user,
                           rows[i].host};
    SKEP_TRY(skep_result_texts_row(*out, cells, err));
  }
  return SKEP_OK;
}

/* ---- locks ---- */

static const char *lock_type(char letter) {
  switch (letter) {
    case 'r':
      return "SHARED_READ";
    case 'w':
      return "SHARED_WRITE";
    case 'x':
      return "EXCL_WRITE";
    case 'e':
      return "EXCLUSIVE";
    default:
      return "UNKNOWN";
  }
}

static skep_status lock_row(skep_session *s, skep_stmt *stmt, skep_result *out, skep_err *err) {
  char id[64], blocked[64] = "            ";
  snprintf(id, sizeof id, "%lld.%lld", (long long)skep_stmt_i64(stmt, 0), (long long)skep_stmt_i64(stmt, 1));
  if (!skep_stmt_is_null(stmt, 13))
    snprintf(blocked, sizeof blocked, "%lld.%lld", (long long)skep_stmt_i64(stmt, 13),
             (long long)skep_stmt_i64(stmt, 14));
  const char *cells[] = {id,
                         text_or(s, stmt, 3, "NULL"),
                         text_or(s, stmt, 4, "NULL"),
                         text_or(s, stmt, 5, "NULL"),
                         skep_stmt_char(stmt, 6) == 'a' ? "ACQUIRED" : "WAITING",
                         blocked,
                         lock_type(skep_stmt_char(stmt, 7)),
                         skep_stmt_i64(stmt, 2) == 0 ? "NULL" : number_or(s, stmt, 2, "NULL"),
                         number_or(s, stmt, 8, "0"),
                         number_or(s, stmt, 9, "NULL"),
                         text_or(s, stmt, 10, "NULL"),
                         text_or(s, stmt, 11, "NULL"),
                         text_or(s, stmt, 12, "NULL")};
  return skep_result_texts_row(out, cells, err);
}

/* What the locks are shown of: NULL parts match everything. */
typedef struct lock_filter {
  const char *db, *table, *partition;
} lock_filter;

static skep_status filter_of(skep_session *s, const skep_show *show, lock_filter *f, skep_err *err) {
  if (show->has_table) {
    f->db = ddl_db_of(s, &show->table);
    f->table = show->table.name;
    if (show->partition.n == 0) return SKEP_OK;
    skep_catalog_table *t;
    skep_catalog_partition *p;
    SKEP_TRY(ddl_find_table(s, &show->table, false, &t, err));
    SKEP_TRY(ddl_find_partition(s, t, &show->partition, &p, err));
    f->partition = p->name;
    return SKEP_OK;
  }
  f->db = show->db;
  return SKEP_OK;
}

/* Acquired before waiting, then by strength (SHARED_READ first), then by id: the letters' order is none of these. */
skep_status show_locks(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  static const char *const names[] = {"lockid",     "database",  "table",          "partition",      "lock_state",
                                      "blocked_by", "lock_type", "transaction_id", "last_heartbeat", "acquired_at",
                                      "user",       "hostname",  "agent_info"};
  static const char *const header[] = {"Lock ID",    "Database", "Table",          "Partition",      "State",
                                       "Blocked By", "Type",     "Transaction ID", "Last Heartbeat", "Acquired At",
                                       "User",       "Hostname", "Agent Info"};
  static const char sql[] =
      "SELECT \"HL_LOCK_EXT_ID\", \"HL_LOCK_INT_ID\", \"HL_TXNID\", \"HL_DB\", \"HL_TABLE\", \"HL_PARTITION\", "
      "\"HL_LOCK_STATE\", \"HL_LOCK_TYPE\", \"HL_LAST_HEARTBEAT\", \"HL_ACQUIRED_AT\", \"HL_USER\", \"HL_HOST\", "
      "\"HL_AGENT_INFO\", \"HL_BLOCKEDBY_EXT_ID\", \"HL_BLOCKEDBY_INT_ID\" FROM \"HIVE_LOCKS\" ORDER BY "
      "\"HL_LOCK_STATE\", CASE \"HL_LOCK_TYPE\" WHEN 'r' THEN 1 WHEN 'w' THEN 2 WHEN 'x' THEN 3 ELSE 4 END, "
      "\"HL_LOCK_EXT_ID\", \"HL_LOCK_INT_ID\"";
  lock_filter f = {0};
  SKEP_TRY(filter_of(s, show, &f, err));
  SKEP_TRY(show_new(s, out, err, 13, names));
  SKEP_TRY(skep_result_texts_row(*out, header, err));
  skep_stmt *stmt;
  SKEP_TRY(skep_db_query(s->db, sql, SKEP_NO_PARAMS, &stmt, err));
  skep_status st;
  while ((st = skep_stmt_next(stmt, err)) == SKEP_OK) {
    const char *db = text_or(s, stmt, 3, ""), *table = text_or(s, stmt, 4, ""), *part = text_or(s, stmt, 5, "");
    bool shown = (f.db == NULL || strcmp(db, f.db) == 0) && (f.table == NULL || strcmp(table, f.table) == 0) &&
                 (f.partition == NULL || strcmp(part, f.partition) == 0);
    if (shown && (st = lock_row(s, stmt, *out, err)) != SKEP_OK) break;
  }
  skep_stmt_done(stmt);
  return st == SKEP_END ? SKEP_OK : st;
}

/* ---- compactions ---- */

static const char none[] = " --- ";

static const char *compaction_type(char letter) {
  switch (letter) {
    case 'i':
      return "MINOR";
    case 'a':
      return "MAJOR";
    case 'r':
      return "REBALANCE";
    case 'c':
      return "ABORT_TXN_CLEANUP";
    default:
      return "UNKNOWN";
  }
}

static const char *compaction_state(char letter) {
  switch (letter) {
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

/* "host-thread" cut at its last '-'. */
static const char *id_part(skep_session *s, skep_stmt *stmt, int column, bool host) {
  const char *id = text_or(s, stmt, column, NULL);
  if (id == NULL) return none;
  const char *cut = strrchr(id, '-');
  if (cut == NULL) return host ? id : none;
  if (!host) return cut + 1;
  const char *out = skep_arena_strndup(&s->arena, id, (size_t)(cut - id));
  return out == NULL ? "?" : out;
}

static const char *duration(skep_session *s, skep_stmt *stmt) {
  if (skep_stmt_is_null(stmt, 9) || skep_stmt_is_null(stmt, 8)) return none;
  return ddl_number(s, skep_stmt_i64(stmt, 9) - skep_stmt_i64(stmt, 8));
}

static skep_status compaction_row(skep_session *s, skep_stmt *stmt, const skep_show *show, skep_result *out,
                                  bool *given, skep_err *err) {
  const char *db = text_or(s, stmt, 1, none), *table = text_or(s, stmt, 2, none), *part = text_or(s, stmt, 3, none);
  const char *type = compaction_type(skep_stmt_char(stmt, 5)), *state = compaction_state(skep_stmt_char(stmt, 4));
  const char *pool = text_or(s, stmt, 13, "default");
  *given = false;
  if (show->has_id && skep_stmt_i64(stmt, 0) != show->id) return SKEP_OK;
  if (show->has_table && (strcmp(db, ddl_db_of(s, &show->table)) != 0 || strcmp(table, show->table.name) != 0))
    return SKEP_OK;
  if (show->db != NULL && strcmp(db, show->db) != 0) return SKEP_OK;
  if (show->pool != NULL && strcmp(pool, show->pool) != 0) return SKEP_OK;
  if (show->type != NULL && !ddl_same_word(type, show->type)) return SKEP_OK;
  if (show->status != NULL && !ddl_same_word(state, show->status)) return SKEP_OK;
  *given = true;
  const char *cells[] = {ddl_number(s, skep_stmt_i64(stmt, 0)),
                         db,
                         table,
                         part,
                         type,
                         state,
                         id_part(s, stmt, 6, true),
                         id_part(s, stmt, 6, false),
                         number_or(s, stmt, 7, none),
                         number_or(s, stmt, 8, none),
                         duration(s, stmt),
                         text_or(s, stmt, 10, "None"),
                         text_or(s, stmt, 11, none),
                         id_part(s, stmt, 12, true),
                         id_part(s, stmt, 12, false),
                         pool,
                         number_or(s, stmt, 14, "0"),
                         number_or(s, stmt, 15, "0"),
                         number_or(s, stmt, 16, "0"),
                         none};
  return skep_result_texts_row(out, cells, err);
}

skep_status show_compactions(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  static const char *const names[] = {
      "compactionid", "dbname",      "tabname",   "partname",  "type",        "state",          "workerhost",
      "workerid",     "enqueuetime", "starttime", "duration",  "hadoopjobid", "errormessage",   "initiatorhost",
      "initiatorid",  "poolname",    "txnid",     "nexttxnid", "committime",  "hightestwriteid"};
  static const char *const header[] = {
      "CompactionId", "Database",     "Table",      "Partition",    "Type",        "State",          "Worker host",
      "Worker",       "Enqueue Time", "Start Time", "Duration(ms)", "HadoopJobId", "Error message",  "Initiator host",
      "Initiator",    "Pool name",    "TxnId",      "Next TxnId",   "Commit Time", "Highest WriteId"};
  /* The order is Hive's expression, NULL when one of its comparisons is; those come first. */
#define LATEST(end, start, commit)                                                                         \
  "CASE WHEN " end " > " start " AND " end " > " commit " THEN " end " ELSE CASE WHEN " start " > " commit \
  " THEN " start " ELSE " commit " END END"
  static const char sql[] =
      "SELECT * FROM (SELECT \"CC_ID\", \"CC_DATABASE\", \"CC_TABLE\", \"CC_PARTITION\", \"CC_STATE\", \"CC_TYPE\", "
      "\"CC_WORKER_ID\", \"CC_ENQUEUE_TIME\" AS \"ENQUEUED\", \"CC_START\", \"CC_END\", \"CC_HADOOP_JOB_ID\", "
      "\"CC_ERROR_MESSAGE\", \"CC_INITIATOR_ID\", \"CC_POOL_NAME\", \"CC_TXN_ID\", \"CC_NEXT_TXN_ID\", "
      "\"CC_COMMIT_TIME\", " LATEST("\"CC_END\"", "\"CC_START\"", "\"CC_COMMIT_TIME\"") " AS \"LATEST\" "
      "FROM \"COMPLETED_COMPACTIONS\" UNION ALL SELECT \"CQ_ID\", \"CQ_DATABASE\", \"CQ_TABLE\", \"CQ_PARTITION\", "
      "\"CQ_STATE\", \"CQ_TYPE\", \"CQ_WORKER_ID\", \"CQ_ENQUEUE_TIME\", \"CQ_START\", NULL, \"CQ_HADOOP_JOB_ID\", "
      "\"CQ_ERROR_MESSAGE\", \"CQ_INITIATOR_ID\", \"CQ_POOL_NAME\", \"CQ_TXN_ID\", \"CQ_NEXT_TXN_ID\", "
      "\"CQ_COMMIT_TIME\", CASE WHEN \"CQ_START\" > \"CQ_COMMIT_TIME\" THEN \"CQ_START\" ELSE \"CQ_COMMIT_TIME\" END "
      "FROM \"COMPACTION_QUEUE\") Q ORDER BY CASE WHEN \"LATEST\" IS NULL THEN 0 ELSE 1 END, \"LATEST\" DESC, "
      "\"ENQUEUED\"";
#undef LATEST
  if (show->order_by.n > 0)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "SHOW COMPACTIONS ORDER BY is not supported yet");
  SKEP_TRY(show_new(s, out, err, 20, names));
  SKEP_TRY(skep_result_texts_row(*out, header, err));
  skep_stmt *stmt;
  SKEP_TRY(skep_db_query(s->db, sql, SKEP_NO_PARAMS, &stmt, err));
  skep_status st = SKEP_OK;
  uint64_t left = show->has_limit ? show->limit : UINT64_MAX;
  while (left > 0 && (st = skep_stmt_next(stmt, err)) == SKEP_OK) {
    bool given;
    if ((st = compaction_row(s, stmt, show, *out, &given, err)) != SKEP_OK) break;
    left -= given;
  }
  skep_stmt_done(stmt);
  return st == SKEP_END ? SKEP_OK : st;
}
