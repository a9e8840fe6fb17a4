/* The beginning of a transaction in one round trip: txn.h, "In one round trip".
 *
 * The steps of txn_open.c and txn_write_ids.c as statements that need no answers between them: numbers go from one to
 * the next in settings of the database transaction, and what would have to be decided here divides by zero when it is
 * not the plain case. */
#include <string.h>

#include "db/faults.h"
#include "txn/txn_int.h"

bool skep_txn_sends(skep_db *db) {
  return skep_db_dialect(db)->at_once && !skep_db_in_transaction(db) && !skep_db_breaks_rules(db) &&
         skep_db_memo(db)[SKEP_TXN_MEMO_STEPS] == 0;
}

bool skep_txn_takes_steps(skep_db *db, skep_status status) {
  if (status == SKEP_ERR_NOT_FOUND) skep_db_memo(db)[SKEP_TXN_MEMO_STEPS] = 1; /* a table that need not be there */
  return status == SKEP_ERR_ARGUMENT || status == SKEP_ERR_NOT_FOUND || status == SKEP_ERR_BUSY ||
         status == SKEP_ERR_EXISTS || status == SKEP_ERR_INTERNAL;
}

/* --- sending --- */

#define NOW "coalesce(?::bigint, " SKEP_DB_SENT_NOW ")"

/* Parameters: user, host, agent, mark, type, clock; then those of MIN_HISTORY_LEVEL's value. */
#define OPEN(lowest)                                                                                                \
  "WITH t AS (INSERT INTO \"TXNS\" (\"TXN_STATE\", \"TXN_STARTED\", \"TXN_LAST_HEARTBEAT\", \"TXN_USER\", "         \
  "\"TXN_HOST\", \"TXN_AGENT_INFO\", \"TXN_META_INFO\", \"TXN_TYPE\") SELECT 'o', c.now, c.now, ?::text, ?::text, " \
  "?::text, ?::text, ?::integer FROM (SELECT " NOW                                                                  \
  " AS now) c RETURNING \"TXN_ID\", \"TXN_STARTED\"), "                                                             \
  "h AS (INSERT INTO \"MIN_HISTORY_LEVEL\" (\"MHL_TXNID\", \"MHL_MIN_OPEN_TXNID\") SELECT t.\"TXN_ID\", "           \
  "least(t.\"TXN_ID\", " lowest ") FROM t) SELECT pg_catalog.set_config('skep.txn', \"TXN_ID\"::text, true) FROM t"
/* What was the lowest open one a moment ago is as good as now. Parameter: it. */
static const char sql_open[] = OPEN("?::bigint");
/* As skep_txn_min_open. Parameters: lowest open, settled, age in ms, settled. */
static const char sql_open_rested[] = OPEN(
    "(SELECT min(\"TXN_ID\") FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o' AND \"TXN_ID\" >= ?::bigint), "
    "greatest(?::bigint, (SELECT max(\"TXN_ID\") FROM \"TXNS\" WHERE \"TXN_STARTED\" < t.\"TXN_STARTED\" - ?::bigint "
    "AND \"TXN_ID\" > ?::bigint)) + 1");

/* Before a number is taken: one that is not used is awaited by everybody for a while. */
static skep_status check_sent(const skep_txn_table *tables, uint32_t n, skep_txn_type type, skep_err *err) {
  const skep_txn_table *sorted[SKEP_TXN_MAX_SENT];
  bool any_write;
  if (n > SKEP_TXN_MAX_SENT) return skep_fail(err, SKEP_ERR_ARGUMENT, "%u tables at once", n);
  SKEP_TRY(skep_txn_check_type(type, err));
  SKEP_TRY(skep_txn_check_tables(tables, n, type, &any_write, err));
  uint32_t n_written = skep_txn_sort_written(tables, n, sorted);
  for (uint32_t i = 1; i < n_written; i++)
    if (skep_txn_order_tables(sorted[i - 1], sorted[i]) == 0)
      return skep_fail(err, SKEP_ERR_ARGUMENT, "a table that is written twice");
  return SKEP_OK;
}

skep_status skep_txn_send_open(skep_db *db, const skep_txn_conf *conf, skep_txn_type type, const skep_txn_table *tables,
                               uint32_t n, skep_txn_sent *sent, skep_err *err) {
  skep_txn_conf c = skep_txn_conf_full(conf);
  const int64_t *memo = skep_db_memo(db);
  char mark[SKEP_TXN_MARK_SIZE];
  skep_param now;
  SKEP_TRY(check_sent(tables, n, type, err));
  SKEP_TRY(skep_db_sent_now(db, &now, err));
  skep_txn_mark_tables(mark, tables, n);
  sent->type = type;
  const skep_ctx *ctx = skep_db_ctx(db);
  bool fresh = memo[SKEP_TXN_MEMO_OPEN] > 0 &&
               ctx->monotonic_ns(ctx->clock_self) - memo[SKEP_TXN_MEMO_SEEN_NS] < c.open_timeout_ms * 1000000;
  const skep_param params[] = {skep_p_textn(c.user, strnlen(c.user, 128)),
                               skep_p_textn(c.host, strnlen(c.host, 128)),
                               skep_p_textn(c.agent, c.agent != NULL ? strnlen(c.agent, 128) : 0),
                               skep_p_text(mark),
                               skep_p_i64(type),
                               now,
                               skep_p_i64(memo[SKEP_TXN_MEMO_OPEN]),
                               skep_p_i64(sent->settled),
                               skep_p_i64(c.open_timeout_ms),
                               skep_p_i64(sent->settled)};
  size_t n_params = sizeof params / sizeof *params;
  return fresh ? skep_db_send(db, sql_open, params, n_params - 3, &sent->opened, err)
               : skep_db_send(db, sql_open_rested, params, n_params, &sent->opened, err);
}

/* A write id, and the placeholder among the components. A table that was never written gets its row; whoever makes it
 * at the same time waits here. */
static const char sql_write_id[] =
    "WITH w AS (INSERT INTO \"NEXT_WRITE_ID\" AS n (\"NWI_DATABASE\", \"NWI_TABLE\", \"NWI_NEXT\") VALUES (?, ?, 2) ON "
    "CONFLICT (\"NWI_DATABASE\", \"NWI_TABLE\") DO UPDATE SET \"NWI_NEXT\" = n.\"NWI_NEXT\" + 1 RETURNING "
    "\"NWI_DATABASE\" AS d, \"NWI_TABLE\" AS t, \"NWI_NEXT\" - 1 AS id), "
    "i AS (INSERT INTO \"TXN_TO_WRITE_ID\" (\"T2W_TXNID\", \"T2W_DATABASE\", \"T2W_TABLE\", \"T2W_WRITEID\") "
    "SELECT " SKEP_DB_SENT_TXN
    ", w.d, w.t, w.id FROM w), "
    "c AS (INSERT INTO \"TXN_COMPONENTS\" (\"TC_TXNID\", \"TC_DATABASE\", \"TC_TABLE\", \"TC_OPERATION_TYPE\", "
    "\"TC_WRITEID\") SELECT " SKEP_DB_SENT_TXN
    ", w.d, w.t, ?::text, w.id FROM w) "
    "SELECT id, 1 / CASE WHEN id > 0 THEN 1 ELSE 0 END FROM w";

static skep_status send_write_ids(skep_db *db, skep_txn_table *tables, uint32_t n, skep_txn_sent *sent, skep_err *err) {
  const skep_txn_table *sorted[SKEP_TXN_MAX_SENT];
  uint32_t n_written = skep_txn_sort_written(tables, n, sorted);
  for (uint32_t i = 0; i < n_written; i++) {
    const skep_txn_table *t = sorted[i];
    SKEP_TRY(skep_db_send(db, sql_write_id,
                          SKEP_PARAMS(skep_p_text(t->database), skep_p_text(t->table), skep_p_char(t->write)),
                          &sent->write_ids[t - tables], err));
  }
  return SKEP_OK;
}

/* (BETWEEN: the planner takes an open end for a third of a table.)
 *
 * The rows of a snapshot, the own one among them, with the time after they were read, and of one table the write ids
 * that they have and its next one. It fails when that is so late that a number could still appear below a row that
 * seems too old for it, or the own number is: it must be there for all to see within the time that others wait for it,
 * or never. Parameters: clock, slow, clock, how long an opening may take; database, table, twice; where the rows begin,
 * settled. */
#define SEEN(pairs, rows)                                                                \
  "SELECT " SKEP_TXN_SEEN_COLUMNS ", " NOW                                               \
  ", 1 / CASE WHEN pg_catalog.clock_timestamp() - pg_catalog.statement_timestamp() < "   \
  "?::bigint * interval '1 millisecond' AND (\"TXN_ID\" <> " SKEP_DB_SENT_TXN " OR " NOW \
  " - \"TXN_STARTED\" < ?::bigint) THEN 1 ELSE 0 END" pairs " FROM " rows " ORDER BY \"TXN_ID\""
/* (>= with an order is what the index by transactions is good for; = might take the other one and read all of it.) */
#define PAIRS                                                                                                 \
  ", (SELECT CASE WHEN \"T2W_TXNID\" = s.\"TXN_ID\" THEN \"T2W_WRITEID\" END FROM \"TXN_TO_WRITE_ID\" WHERE " \
  "\"T2W_DATABASE\" = ?::text AND \"T2W_TABLE\" = ?::text AND \"T2W_TXNID\" >= s.\"TXN_ID\" ORDER BY "        \
  "\"T2W_TXNID\" LIMIT 1), (SELECT \"NWI_NEXT\" FROM \"NEXT_WRITE_ID\" WHERE \"NWI_DATABASE\" = ?::text AND " \
  "\"NWI_TABLE\" = ?::text)"
/* All exceptions are lately: one look along the key. Else committed ones between are passed over. */
#define NEAR                                                                                                         \
  "\"TXNS\" s WHERE \"TXN_ID\" BETWEEN ?::bigint AND 9223372036854775807 AND (\"TXN_STATE\" <> 'c' OR \"TXN_ID\" > " \
  "?::bigint)"
#define FAR                                                                                                      \
  "(SELECT " SKEP_TXN_SEEN_COLUMNS                                                                               \
  " FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o' AND \"TXN_ID\" >= ?::bigint UNION ALL SELECT " SKEP_TXN_SEEN_COLUMNS \
  " FROM \"TXNS\" WHERE \"TXN_STATE\" = 'a' UNION ALL SELECT " SKEP_TXN_SEEN_COLUMNS                             \
  " FROM \"TXNS\" WHERE "                                                                                        \
  "\"TXN_ID\" BETWEEN ?::bigint + 1 AND 9223372036854775807 AND \"TXN_STATE\" NOT IN ('o', 'a')) s"
static const char sql_seen_near[] = SEEN("", NEAR);
static const char sql_seen_far[] = SEEN("", FAR);
static const char sql_pairs_near[] = SEEN(PAIRS, NEAR);
static const char sql_pairs_far[] = SEEN(PAIRS, FAR);

/* Of further tables: the pairs from a transaction on, and the next write id, of one moment that is not before that of
 * the snapshot: whoever is an exception in it is here. */
static const char sql_pairs[] =
    "SELECT \"T2W_TXNID\", \"T2W_WRITEID\" FROM \"TXN_TO_WRITE_ID\" WHERE \"T2W_DATABASE\" = ?::text AND \"T2W_TABLE\" "
    "= "
    "?::text AND \"T2W_TXNID\" BETWEEN ?::bigint AND 9223372036854775807 UNION ALL SELECT -1, \"NWI_NEXT\" FROM "
    "\"NEXT_WRITE_ID\" WHERE \"NWI_DATABASE\" = ?::text AND \"NWI_TABLE\" = ?::text";

/* Only what is open, or was aborted, can be an exception; old ones are asked for one by one. */
static int64_t from(skep_db *db, int64_t settled) {
  int64_t open = skep_db_memo(db)[SKEP_TXN_MEMO_OPEN], lately = settled - SKEP_TXN_LATELY;
  return open > lately ? open : lately > 0 ? lately : 0;
}

/* The first table that needs a list gets its pairs with it. */
static skep_status send_seen(skep_db *db, const skep_txn_conf *c, const skep_txn_table *tables, uint32_t n,
                             skep_txn_sent *sent, skep_err *err) {
  const int64_t *memo = skep_db_memo(db);
  bool near = memo[SKEP_TXN_MEMO_LOW] > 0 && sent->settled - memo[SKEP_TXN_MEMO_LOW] < SKEP_TXN_LATELY;
  const skep_param begin = skep_p_i64(memo[near ? SKEP_TXN_MEMO_LOW : SKEP_TXN_MEMO_OPEN]),
                   settled = skep_p_i64(sent->settled), slow = skep_p_i64(c->opening_ms * 3 / 5),
                   limit = skep_p_i64(c->opening_ms);
  skep_param now;
  SKEP_TRY(skep_db_sent_now(db, &now, err));
  sent->first = 0;
  while (sent->first < n && tables[sent->first].no_list) sent->first++;
  if (sent->first == n)
    return skep_db_send(db, near ? sql_seen_near : sql_seen_far, SKEP_PARAMS(now, slow, now, limit, begin, settled),
                        &sent->seen, err);
  const skep_param database = skep_p_text(tables[sent->first].database), table = skep_p_text(tables[sent->first].table);
  return skep_db_send(db, near ? sql_pairs_near : sql_pairs_far,
                      SKEP_PARAMS(now, slow, now, limit, database, table, database, table, begin, settled), &sent->seen,
                      err);
}

skep_status skep_txn_send_tables(skep_db *db, const skep_txn_conf *conf, skep_txn_table *tables, uint32_t n,
                                 skep_txn_sent *sent, skep_err *err) {
  skep_txn_conf c = skep_txn_conf_full(conf);
  skep_txn_clear_tables(tables, n);
  SKEP_TRY(send_write_ids(db, tables, n, sent, err));
  SKEP_TRY(send_seen(db, &c, tables, n, sent, err));
  sent->from = from(db, sent->settled);
  for (uint32_t i = sent->first + 1; i < n; i++) {
    if (tables[i].no_list) continue;
    const skep_param database = skep_p_text(tables[i].database), table = skep_p_text(tables[i].table);
    SKEP_TRY(skep_db_send(db, sql_pairs, SKEP_PARAMS(database, table, skep_p_i64(sent->from), database, table),
                          &sent->pairs[i], err));
  }
  return SKEP_OK;
}

enum { FEW_OPEN = 10000 }; /* above it, one that is too many is noticed when it is there, and ended again */

/* Their first use would have to wait for an answer, while others wait for us. */
static skep_status learn(skep_db *db, skep_err *err) {
  const char *const known[] = {sql_open,     sql_open_rested, sql_write_id,  sql_seen_near,
                               sql_seen_far, sql_pairs_near,  sql_pairs_far, sql_pairs};
  return skep_db_learn(db, known, sizeof known / sizeof *known, err);
}

skep_status skep_txn_send_begin(skep_db *db, const skep_txn_conf *conf, skep_txn_sent *sent, skep_err *err) {
  skep_txn_conf c = skep_txn_conf_full(conf);
  *sent = (skep_txn_sent){0};
  if (c.max_open < FEW_OPEN) return skep_fail(err, SKEP_ERR_ARGUMENT, "how many are open is counted first");
  SKEP_TRY(skep_txn_first_settled(db, &c, &sent->settled, err));
  SKEP_TRY(learn(db, err));
  SKEP_TRY(skep_db_begin(db, skep_txn_opening_mode(db), err));
  return skep_db_lock_txns(db, false, err);
}

void skep_txn_sent_done(skep_txn_sent *sent) {
  skep_stmt_done(sent->opened);
  skep_stmt_done(sent->seen);
  for (int i = 0; i < SKEP_TXN_MAX_SENT; i++) {
    skep_stmt_done(sent->write_ids[i]);
    skep_stmt_done(sent->pairs[i]);
  }
  *sent = (skep_txn_sent){0};
}

/* --- what came back --- */

static skep_status need_row(skep_stmt *stmt, skep_err *err) {
  skep_status status = skep_stmt_next(stmt, err);
  return status == SKEP_END ? skep_fail(err, SKEP_ERR_INTERNAL, "a transaction began without an answer") : status;
}

/* Rows of the snapshot; pairs: NULL where they were not asked for. */
static skep_status read_seen(skep_arena *arena, skep_stmt *stmt, skep_txn_seen **seen, size_t *n, skep_txn_pairs *pairs,
                             skep_err *err) {
  skep_status status;
  size_t capacity = 0;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    SKEP_TRY(skep_txn_add_seen(arena, seen, &capacity, n, stmt, skep_stmt_i64(stmt, 4), err));
    if (pairs == NULL) continue;
    pairs->next = skep_stmt_is_null(stmt, 7) ? 1 : skep_stmt_i64(stmt, 7);
    if (skep_stmt_is_null(stmt, 6)) continue;
    SKEP_TRY(skep_txn_add_pair(arena, pairs, skep_stmt_i64(stmt, 0), skep_stmt_i64(stmt, 6), err));
  }
  return status == SKEP_END ? SKEP_OK : status;
}

static skep_status take_snapshot(skep_db *db, skep_arena *arena, const skep_txn_conf *c, skep_txn_sent *sent,
                                 skep_txn *txn, skep_txn_pairs *pairs, skep_err *err) {
  skep_txn_seen *seen = NULL;
  size_t n = 0;
  SKEP_TRY(read_seen(arena, sent->seen, &seen, &n, pairs, err));
  SKEP_TRY(skep_txn_decide_snapshot(db, arena, c, seen, n, sent->settled, txn, err));
  return skep_txn_too_many(txn->txns.n_open, c->max_open, err);
}

/* all: the pairs of all exceptions are there. */
static skep_status take_list(skep_db *db, skep_arena *arena, const skep_txn *txn, skep_txn_pairs *pairs, bool all,
                             skep_txn_table *t, skep_err *err) {
  int64_t next = t->write_id > 0 ? t->write_id + 1 : pairs->next;
  bool decided = false;
  if (all) SKEP_TRY(skep_txn_decide_pairs(arena, &txn->txns, pairs, next, &t->ids, &decided, err));
  if (!decided)
    SKEP_TRY(skep_txn_valid_write_ids_below(db, arena, &txn->txns, t->database, t->table, next, &t->ids, err));
  return skep_txn_ids_text(arena, &t->ids, t->database, t->table, &t->valid_write_ids, err);
}

static skep_status take_all(skep_db *db, const skep_txn_conf *c, skep_arena *arena, skep_txn_sent *sent,
                            skep_txn_table *tables, uint32_t n, skep_txn *txn, skep_err *err) {
  skep_txn_pairs first = {.next = 1}, pairs;
  SKEP_TRY(take_snapshot(db, arena, c, sent, txn, sent->first < n ? &first : NULL, err));
  bool all = skep_txn_lowest_invalid(&txn->txns) >= sent->from;
  for (uint32_t i = 0; i < n; i++) {
    if (tables[i].write == 0) continue;
    SKEP_TRY(need_row(sent->write_ids[i], err));
    tables[i].write_id = skep_stmt_i64(sent->write_ids[i], 0);
  }
  if (sent->first < n) SKEP_TRY(take_list(db, arena, txn, &first, true, &tables[sent->first], err));
  for (uint32_t i = sent->first + 1; i < n; i++) {
    if (tables[i].no_list) continue;
    SKEP_TRY(skep_txn_read_pairs(sent->pairs[i], arena, &pairs, err));
    SKEP_TRY(take_list(db, arena, txn, &pairs, all, &tables[i], err));
  }
  return SKEP_OK;
}

/* The transaction is there: what fails now ends it. */
skep_status skep_txn_sent_take(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, skep_txn_sent *sent,
                               skep_txn_table *tables, uint32_t n, skep_txn *txn, skep_err *err) {
  skep_txn_conf c = skep_txn_conf_full(conf);
  skep_txn t = {.type = sent->type};
  skep_err reason = {0};
  SKEP_TRY(need_row(sent->opened, err));
  t.id = skep_stmt_i64(sent->opened, 0);
  skep_txn_note_own(db, t.id);
  skep_status status = take_all(db, &c, arena, sent, tables, n, &t, &reason);
  if (status == SKEP_OK) {
    *txn = t;
    return SKEP_OK;
  }
  if (err != NULL) *err = reason;
  skep_txn_clear_tables(tables, n);
  (void)!skep_txn_abort(db, t.id, SKEP_ABORT_ROLLBACK, true, NULL);
  return status;
}
