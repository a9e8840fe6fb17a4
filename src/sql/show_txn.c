/* SHOW TRANSACTIONS, LOCKS: what Hive's tables hold, with the header line that Hive's shell prints as a
 * row.
 *
 * Source: txn-protocol 0.2 and 10; golden 19-metastore. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock/lock.h"
#include "sql/legacy_locks.h"
#include "sql/show_int.h"
#include "txn/views.h"

/* ---- transactions ---- */

/* Hive's six columns, and ours. */
skep_status show_transactions(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  enum { N = 12 };
  static const char *const names[N] = {"txnid",  "state",       "startedtime",  "lastheartbeattime",
                                       "user",   "host",        "type",         "queryid",
                                       "reason", "rowswritten", "byteswritten", "lastprogress"};
  static const char *const header[N] = {"Transaction ID", "Transaction State", "Started Time",  "Last Heartbeat Time",
                                        "User",           "Hostname",          "Type",          "Query ID",
                                        "Abort Reason",   "Rows Written",      "Bytes Written", "Last Progress"};
  skep_txn_full_row *rows;
  uint32_t n;
  (void)show;
  SKEP_TRY(skep_txn_list_full(s->db, &s->arena, false, &rows, &n, err));
  SKEP_TRY(show_new(s, out, err, N, names));
  SKEP_TRY(skep_result_texts_row(*out, header, err));
  for (uint32_t i = 0; i < n; i++) {
    const skep_txn_row *r = &rows[i].row;
    const skep_txn_progress *p = &rows[i].progress;
    bool told = rows[i].has_progress;
    const char *cells[N] = {ddl_number(s, r->id),
                            r->state == 'o' ? "OPEN" : "ABORTED",
                            ddl_number(s, r->started_ms),
                            ddl_number(s, r->heartbeat_ms),
                            r->user,
                            r->host,
                            skep_txn_type_name(r->type),
                            r->agent,
                            r->reason,
                            told ? ddl_number(s, p->rows) : NULL,
                            told ? ddl_number(s, p->bytes) : NULL,
                            told ? ddl_number(s, p->changed_ms) : NULL};
    SKEP_TRY(skep_result_texts_row(*out, cells, err));
  }
  return SKEP_OK;
}

/* ---- locks ---- */

/* What the locks are shown of: NULL parts match everything, as Hive compares: a partition's locks are a table's too. */
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

static bool same(const char *wanted, const char *name) {
  return wanted == NULL || (name != NULL && strcmp(wanted, name) == 0);
}

static bool is_shown(const lock_filter *f, const skep_lock_row *r) {
  return same(f->db, r->on.database) && same(f->table, r->on.table) && same(f->partition, r->on.partition);
}

/* Acquired before waiting, then by strength (SHARED_READ first), then by id. */
static int by_state_and_strength(const void *left, const void *right) {
  const skep_lock_row *a = left, *b = right;
  if (a->acquired != b->acquired) return a->acquired ? -1 : 1;
  if (a->on.type != b->on.type) return a->on.type < b->on.type ? -1 : 1;
  if (a->ext_id != b->ext_id) return a->ext_id < b->ext_id ? -1 : 1;
  return (a->int_id > b->int_id) - (a->int_id < b->int_id);
}

static skep_status lock_cells(skep_session *s, const skep_lock_row *r, const char **cells, skep_err *err) {
  char id[64], blocked[64] = "            ";
  snprintf(id, sizeof id, "%lld.%lld", (long long)r->ext_id, (long long)r->int_id);
  if (r->blocked_by_ext_id != 0)
    snprintf(blocked, sizeof blocked, "%lld.%lld", (long long)r->blocked_by_ext_id, (long long)r->blocked_by_int_id);
  cells[0] = skep_arena_strndup(&s->arena, id, strlen(id));
  cells[1] = r->on.database;
  cells[2] = r->on.table != NULL ? r->on.table : "NULL";
  cells[3] = r->on.partition != NULL ? r->on.partition : "NULL";
  cells[4] = r->acquired ? "ACQUIRED" : "WAITING";
  cells[5] = skep_arena_strndup(&s->arena, blocked, strlen(blocked));
  cells[6] = skep_lock_name(r->on.type);
  cells[7] = r->txn != 0 ? ddl_number(s, r->txn) : "NULL";
  cells[8] = ddl_number(s, r->heartbeat_ms);
  cells[9] = r->acquired_ms != 0 ? ddl_number(s, r->acquired_ms) : "NULL";
  cells[10] = r->user;
  cells[11] = r->host;
  cells[12] = r->agent != NULL ? r->agent : "NULL";
  if (cells[0] == NULL || cells[5] == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "locks");
  return SKEP_OK;
}

/* EXTENDED says the same, as in Hive; who waits for whom is in sys.locks. */
skep_status show_locks(skep_session *s, const skep_show *show, skep_result **out, skep_err *err) {
  static const char *const names[] = {"lockid",     "database",  "table",          "partition",      "lock_state",
                                      "blocked_by", "lock_type", "transaction_id", "last_heartbeat", "acquired_at",
                                      "user",       "hostname",  "agent_info"};
  static const char *const header[] = {"Lock ID",    "Database", "Table",          "Partition",      "State",
                                       "Blocked By", "Type",     "Transaction ID", "Last Heartbeat", "Acquired At",
                                       "User",       "Hostname", "Agent Info"};
  lock_filter f = {0};
  skep_lock_row *rows;
  uint32_t n;
  if (skep_legacy_is_on(s)) return skep_show_legacy_locks(s, show, out, err);
  SKEP_TRY(filter_of(s, show, &f, err));
  SKEP_TRY(skep_lock_list(s->db, NULL, NULL, NULL, &s->arena, &rows, &n, err));
  if (n > 1) qsort(rows, n, sizeof *rows, by_state_and_strength);
  SKEP_TRY(show_new(s, out, err, 13, names));
  SKEP_TRY(skep_result_texts_row(*out, header, err));
  for (uint32_t i = 0; i < n; i++) {
    const char *cells[13];
    if (!is_shown(&f, &rows[i])) continue;
    SKEP_TRY(lock_cells(s, &rows[i], cells, err));
    SKEP_TRY(skep_result_texts_row(*out, cells, err));
  }
  return SKEP_OK;
}
