/* Rows of sys.transactions: see views.h. */
#include "txn/views.h"

#include "txn/txn_int.h"

const char *skep_txn_type_name(skep_txn_type type) {
  switch (type) {
    case SKEP_TXN_DEFAULT:
      return "DEFAULT";
    case SKEP_TXN_REPL_CREATED:
      return "REPL_CREATED";
    case SKEP_TXN_READ_ONLY:
      return "READ_ONLY";
    case SKEP_TXN_COMPACTION:
      return "COMPACTION";
    case SKEP_TXN_MATER_VIEW_REBUILD:
      return "MATER_VIEW_REBUILD";
    case SKEP_TXN_SOFT_DELETE:
      return "SOFT_DELETE";
    case SKEP_TXN_REBALANCE_COMPACTION:
      return "REBALANCE_COMPACTION";
  }
  return "UNKNOWN";
}

typedef struct viewing {
  skep_arena *arena;
  skep_txn_full_row *known; /* open, aborted and forgotten ones, ascending */
  uint32_t n_known, next;   /* known[next] has not been passed */
  skep_txn_view_row *items;
  size_t n, capacity;
} viewing;

static skep_status add(viewing *v, const skep_txn_view_row *row, skep_err *err) {
  void *items = v->items;
  SKEP_TRY(skep_arena_grow(v->arena, &items, &v->capacity, v->n + 1, sizeof *v->items, err));
  v->items = items;
  v->items[v->n++] = *row;
  return SKEP_OK;
}

/* Forgotten ones below `txn` get their lines; what is known of `txn` itself goes into *row. */
static skep_status pass(viewing *v, int64_t txn, skep_txn_full_row *row, skep_err *err) {
  for (; v->next < v->n_known && v->known[v->next].row.id < txn; v->next++) {
    const skep_txn_view_row line = {.txn = v->known[v->next], .meta = v->known[v->next].row.reason};
    if (line.txn.is_forgotten) SKEP_TRY(add(v, &line, err));
  }
  if (v->next < v->n_known && v->known[v->next].row.id == txn) *row = v->known[v->next];
  return SKEP_OK;
}

static skep_status read_line(viewing *v, skep_stmt *stmt, skep_err *err) {
  skep_txn_view_row line = {0};
  SKEP_TRY(pass(v, skep_stmt_i64(stmt, 0), &line.txn, err));
  skep_txn_row *r = &line.txn.row;
  r->id = skep_stmt_i64(stmt, 0);
  r->state = skep_stmt_char(stmt, 1);
  r->started_ms = skep_stmt_i64(stmt, 2);
  r->heartbeat_ms = skep_stmt_i64(stmt, 3);
  SKEP_TRY(skep_stmt_text_copy(stmt, 4, v->arena, &r->user, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 5, v->arena, &r->host, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 6, v->arena, &r->agent, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 7, v->arena, &line.meta, err));
  if (r->state == 'o' && skep_txn_is_mark(line.meta)) line.meta = NULL; /* nothing for people */
  line.has_type = !skep_stmt_is_null(stmt, 8);
  r->type = (skep_txn_type)skep_stmt_i64(stmt, 8);
  SKEP_TRY(skep_stmt_text_copy(stmt, 9, v->arena, &line.database, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 10, v->arena, &line.table, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 11, v->arena, &line.partition, err));
  line.op = skep_stmt_char(stmt, 12);
  line.write_id = skep_stmt_i64(stmt, 13);
  return add(v, &line, err);
}

static skep_status view(viewing *v, skep_db *db, skep_err *err) {
  skep_stmt *stmt = NULL;
  skep_txn_full_row ignored = {0};
  SKEP_TRY(skep_txn_list_full(db, v->arena, true, &v->known, &v->n_known, err));
  SKEP_TRY(skep_db_query(
      db,
      "SELECT DISTINCT T.\"TXN_ID\", T.\"TXN_STATE\", T.\"TXN_STARTED\", T.\"TXN_LAST_HEARTBEAT\", T.\"TXN_USER\", "
      "T.\"TXN_HOST\", T.\"TXN_AGENT_INFO\", T.\"TXN_META_INFO\", T.\"TXN_TYPE\", C.\"TC_DATABASE\", C.\"TC_TABLE\", "
      "C.\"TC_PARTITION\", C.\"TC_OPERATION_TYPE\", C.\"TC_WRITEID\" FROM \"TXNS\" T LEFT JOIN \"TXN_COMPONENTS\" C ON "
      "C.\"TC_TXNID\" = T.\"TXN_ID\" ORDER BY 1, 10, 11, 12, 13",
      SKEP_NO_PARAMS, &stmt, err));
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK)
    if ((status = read_line(v, stmt, err)) != SKEP_OK) break;
  skep_stmt_done(stmt);
  return status == SKEP_END ? pass(v, INT64_MAX, &ignored, err) : status;
}

skep_status skep_txn_view(skep_db *db, skep_arena *arena, skep_txn_view_row **out, size_t *n, skep_err *err) {
  viewing v = {.arena = arena};
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_READ, &joined, err));
  SKEP_TRY(skep_db_end(db, joined, view(&v, db, err), err));
  *out = v.items;
  *n = v.n;
  return SKEP_OK;
}
