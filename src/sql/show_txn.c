/* SHOW TRANSACTIONS, LOCKS: what Hive's tables hold, with the header line that Hive's shell prints as a
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
