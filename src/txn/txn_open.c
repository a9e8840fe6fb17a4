/* Opening transactions and taking snapshots. */
#include <stdlib.h>
#include <string.h>

#include "db/faults.h"
#include "txn/txn_int.h"

skep_txn_conf skep_txn_conf_full(const skep_txn_conf *conf) {
  skep_txn_conf c = conf != NULL ? *conf : (skep_txn_conf){0};
  if (c.user == NULL || c.user[0] == 0) c.user = "unknown";
  if (c.host == NULL || c.host[0] == 0) c.host = "unknown";
  if (c.timeout_ms <= 0) c.timeout_ms = 300000;
  if (c.repl_timeout_ms <= 0) c.repl_timeout_ms = INT64_C(11) * 24 * 3600 * 1000;
  if (c.open_timeout_ms <= 0) c.open_timeout_ms = 1000;
  if (c.opening_ms <= 0) c.opening_ms = c.open_timeout_ms / 2;
  if (c.max_open_batch <= 0) c.max_open_batch = 1000;
  if (c.max_open <= 0) c.max_open = 100000;
  return c;
}

skep_status skep_txn_run_optional(skep_db *db, const char *sql, const skep_param *params, size_t n_params,
                                  skep_err *err) {
  skep_err reason = {0};
  skep_status status = skep_db_run(db, sql, params, n_params, NULL, &reason);
  if (status == SKEP_OK || status == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (err != NULL) *err = reason;
  return status;
}

skep_status skep_txn_max_id(skep_db *db, int64_t *out, skep_err *err) {
  return skep_db_get_i64(db, "SELECT max(\"TXN_ID\") FROM \"TXNS\"", SKEP_NO_PARAMS, out, NULL, err);
}

skep_status skep_txn_count_open(skep_db *db, int64_t *out, skep_err *err) {
  return skep_db_get_i64(db, "SELECT count(*) FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o'", SKEP_NO_PARAMS, out, NULL, err);
}

/* The highest transaction that started longer ago than an opening may take: an id up to it cannot appear any more. */
static skep_status low_boundary(skep_db *db, int64_t open_timeout_ms, int64_t *out, skep_err *err) {
  int64_t now;
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  return skep_db_get_i64(db, "SELECT max(\"TXN_ID\") FROM \"TXNS\" WHERE \"TXN_STARTED\" < ?",
                         SKEP_PARAMS(skep_p_i64(now - open_timeout_ms)), out, NULL, err);
}

/* What the connection has seen without a gap counts too: see skep_txn_first_settled. */
static int64_t at_least_settled(skep_db *db, int64_t boundary) {
  int64_t settled = skep_db_memo(db)[SKEP_TXN_MEMO_SETTLED];
  return settled > boundary ? settled : boundary;
}

skep_status skep_txn_id_boundary(skep_db *db, const skep_txn_conf *conf, int64_t *out, skep_err *err) {
  if (skep_db_dialect(db)->ids_in_order) return skep_txn_max_id(db, out, err);
  SKEP_TRY(low_boundary(db, conf->open_timeout_ms, out, err));
  *out = at_least_settled(db, *out);
  return SKEP_OK;
}

/* The oldest open transaction (0: none) and the boundary, in one question. */
static skep_status read_both(skep_db *db, int64_t open_timeout_ms, int64_t *open, int64_t *boundary, skep_err *err) {
  int64_t now;
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  const int64_t *memo = skep_db_memo(db);
  SKEP_TRY(skep_db_query(db,
                         "SELECT (SELECT min(\"TXN_ID\") FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o' AND \"TXN_ID\" >= ?), "
                         "(SELECT max(\"TXN_ID\") FROM \"TXNS\" WHERE \"TXN_STARTED\" < ? AND \"TXN_ID\" > ?)",
                         SKEP_PARAMS(skep_p_i64(memo[SKEP_TXN_MEMO_OPEN]), skep_p_i64(now - open_timeout_ms),
                                     skep_p_i64(memo[SKEP_TXN_MEMO_SETTLED])),
                         &stmt, err));
  skep_status status = skep_stmt_next(stmt, err);
  if (status == SKEP_OK) {
    *open = skep_stmt_i64(stmt, 0);
    *boundary = at_least_settled(db, skep_stmt_i64(stmt, 1));
  }
  skep_stmt_done(stmt);
  return status;
}

skep_status skep_txn_min_open(skep_db *db, const skep_txn_conf *conf, int64_t *out, skep_err *err) {
  skep_txn_conf c = skep_txn_conf_full(conf);
  int64_t open = 0, boundary = 0;
  if (skep_db_dialect(db)->ids_in_order) {
    SKEP_TRY(skep_db_get_i64(db, "SELECT min(\"TXN_ID\") FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o'", SKEP_NO_PARAMS,
                             &open, NULL, err));
    SKEP_TRY(skep_txn_max_id(db, &boundary, err));
  } else {
    SKEP_TRY(read_both(db, c.open_timeout_ms, &open, &boundary, err));
  }
  *out = open > 0 && open <= boundary ? open : boundary + 1;
  return SKEP_OK;
}

/* --- opening --- */

/* mark: which tables it uses (watermark.h); NULL: it does not say. */
static skep_status insert_txn(skep_db *db, const skep_txn_conf *c, skep_txn_type type, int64_t min_open, int64_t now,
                              const char *mark, int64_t *id, skep_err *err) {
  /* The columns hold 128 characters. */
  SKEP_TRY(skep_db_get_i64(
      db,
      "INSERT INTO \"TXNS\" (\"TXN_STATE\", \"TXN_STARTED\", \"TXN_LAST_HEARTBEAT\", \"TXN_USER\", "
      "\"TXN_HOST\", \"TXN_AGENT_INFO\", \"TXN_META_INFO\", \"TXN_TYPE\") VALUES ('o', ?, ?, ?, ?, ?, ?, ?) "
      "RETURNING \"TXN_ID\"",
      SKEP_PARAMS(skep_p_i64(now), skep_p_i64(now), skep_p_textn(c->user, strnlen(c->user, 128)),
                  skep_p_textn(c->host, strnlen(c->host, 128)),
                  skep_p_textn(c->agent, c->agent != NULL ? strnlen(c->agent, 128) : 0), skep_p_text(mark),
                  skep_p_i64(type)),
      id, NULL, err));
  skep_txn_note_own(db, *id);
  return skep_txn_run_optional(
      db, "INSERT INTO \"MIN_HISTORY_LEVEL\" (\"MHL_TXNID\", \"MHL_MIN_OPEN_TXNID\") VALUES (?, ?)",
      SKEP_PARAMS(skep_p_i64(*id), skep_p_i64(min_open < *id ? min_open : *id)), err);
}

/* Before a number is taken: commits that have to know the newest one wait for us or we for them, and the number becomes
 * visible within the time that readers allow for that, or never. */
static skep_status before_number(skep_db *db, skep_err *err) {
  if (skep_db_dialect(db)->ids_in_order) return SKEP_OK;
  return skep_db_lock_txns(db, false, err);
}

static void after_number(skep_db *db, const skep_txn_conf *c) {
  if (!skep_db_dialect(db)->ids_in_order) skep_db_commit_within(db, c->opening_ms);
}

skep_status skep_txn_check_type(skep_txn_type type, skep_err *err) {
  if ((int)type >= SKEP_TXN_DEFAULT && type <= SKEP_TXN_REBALANCE_COMPACTION) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_ARGUMENT, "transaction type %d", (int)type);
}

skep_status skep_txn_too_many(int64_t n, int64_t limit, skep_err *err) {
  if (n < limit) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_LIMIT, "%lld transactions are open: hive.max.open.txns is %lld", (long long)n,
                   (long long)limit);
}

static skep_status open_many(skep_db *db, const skep_txn_conf *c, skep_txn_type type, uint32_t n, int64_t *ids,
                             skep_err *err) {
  int64_t min_open = 0, now = 0, n_open = 0;
  SKEP_TRY(skep_txn_count_open(db, &n_open, err));
  SKEP_TRY(skep_txn_too_many(n_open, c->max_open, err));
  SKEP_TRY(before_number(db, err));
  SKEP_TRY(skep_txn_min_open(db, c, &min_open, err));
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  after_number(db, c);
  for (uint32_t i = 0; i < n; i++) SKEP_TRY(insert_txn(db, c, type, min_open, now, NULL, &ids[i], err));
  return SKEP_OK;
}

skep_status skep_txn_open(skep_db *db, const skep_txn_conf *conf, skep_txn_type type, uint32_t n, int64_t *ids,
                          uint32_t *n_opened, skep_err *err) {
  *n_opened = 0;
  skep_txn_conf c = skep_txn_conf_full(conf);
  SKEP_TRY(skep_txn_check_type(type, err));
  if (n == 0) return skep_fail(err, SKEP_ERR_ARGUMENT, "opening 0 transactions");
  if (n > c.max_open_batch) n = (uint32_t)c.max_open_batch;
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, skep_txn_opening_mode(db), &joined, err));
  skep_status status = open_many(db, &c, type, n, ids, err);
  status = skep_db_end(db, joined, status, err);
  if (status == SKEP_OK) *n_opened = n;
  return status;
}

/* --- snapshots --- */

/* Committed rows matter for the gap rule only, and there are many of them: of those up to `settled`, below which no
 * number can appear any more, none are read. */
#define SEEN "SELECT " SKEP_TXN_SEEN_COLUMNS " FROM \"TXNS\" WHERE "
static const char sql_not_committed[] = SEEN "\"TXN_STATE\" = 'o' UNION ALL " SEEN "\"TXN_STATE\" = 'a' ORDER BY 1";
static const char sql_unsettled[] =
    SEEN "\"TXN_STATE\" = 'o' AND \"TXN_ID\" >= ? UNION ALL " SEEN "\"TXN_STATE\" = 'a' UNION ALL " SEEN
         "\"TXN_ID\" > ? AND \"TXN_STATE\" NOT IN ('o', 'a') ORDER BY 1";

skep_status skep_txn_add_seen(skep_arena *arena, skep_txn_seen **seen, size_t *capacity, size_t *n, skep_stmt *stmt,
                              int64_t now, skep_err *err) {
  void *items = *seen;
  SKEP_TRY(skep_arena_grow(arena, &items, capacity, *n + 1, sizeof **seen, err));
  *seen = items;
  (*seen)[(*n)++] = (skep_txn_seen){.id = skep_stmt_i64(stmt, 0),
                                    .state = skep_stmt_char(stmt, 1),
                                    .type = (int)skep_stmt_i64(stmt, 2), /* NULL counts as DEFAULT */
                                    .age_ms = now - skep_stmt_i64(stmt, 3)};
  return SKEP_OK;
}

static skep_status read_rows(skep_db *db, skep_arena *arena, bool gaps, int64_t settled, int64_t now,
                             skep_txn_seen **out, size_t *n, skep_err *err) {
  const skep_param params[] = {skep_p_i64(skep_db_memo(db)[SKEP_TXN_MEMO_OPEN]), skep_p_i64(settled)};
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(db, gaps ? sql_unsettled : sql_not_committed, params, gaps ? 2 : 0, &stmt, err));
  size_t capacity = 0;
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK)
    if ((status = skep_txn_add_seen(arena, out, &capacity, n, stmt, now, err)) != SKEP_OK) break;
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

enum { MAX_READS = 5, SLOW_MS = 50 };

/* Ages are those of the moment in which the rows were read. Where they matter, a reading that took long is repeated: a
 * machine that stood still in it would let numbers be awaited that are long gone. */
static skep_status read_seen(skep_db *db, skep_arena *arena, bool gaps, int64_t settled, skep_txn_seen **out, size_t *n,
                             skep_err *err) {
  int64_t before, after;
  for (int i = 0; i < MAX_READS; i++) {
    *n = 0;
    *out = NULL;
    SKEP_TRY(skep_db_now_ms(db, &before, err));
    SKEP_TRY(read_rows(db, arena, gaps, settled, before, out, n, err));
    if (!gaps) return SKEP_OK;
    SKEP_TRY(skep_db_now_ms(db, &after, err));
    if (after - before < SLOW_MS) return SKEP_OK;
  }
  return SKEP_OK;
}

enum { SETTLED_AFTER = 3 }; /* times what an opening may take */

/* The highest number of which is known that none below can appear any more: kept with the connection, since rows only
 * grow older. At first a row that is old enough says so. */
skep_status skep_txn_first_settled(skep_db *db, const skep_txn_conf *c, int64_t *out, skep_err *err) {
  *out = skep_db_memo(db)[SKEP_TXN_MEMO_SETTLED];
  if (*out > 0) return SKEP_OK;
  return low_boundary(db, SETTLED_AFTER * c->open_timeout_ms, out, err);
}

/* Numbers that this connection took lately: who is not there was rolled back by ourselves, and nobody awaits it. */
void skep_txn_note_own(skep_db *db, int64_t id) {
  int64_t *own = skep_db_memo(db) + SKEP_TXN_MEMO_OWN;
  memmove(own + 1, own, (SKEP_DB_MEMO_SIZE - SKEP_TXN_MEMO_OWN - 1) * sizeof *own);
  *own = id;
}

static bool is_own(skep_db *db, int64_t id) {
  const int64_t *memo = skep_db_memo(db);
  for (int i = SKEP_TXN_MEMO_OWN; i < SKEP_DB_MEMO_SIZE; i++)
    if (memo[i] == id) return true;
  return false;
}

/* Whether nobody can appear between the two. */
static bool is_closed(skep_db *db, int64_t below, int64_t above) {
  if (above - below > SKEP_DB_MEMO_SIZE) return false;
  for (int64_t id = below + 1; id < above; id++)
    if (!is_own(db, id)) return false;
  return true;
}

/* And below which one none is open, now or later. */
static void keep_settled(skep_db *db, const skep_txn_conf *c, const skep_txn_seen *seen, size_t n, int64_t settled) {
  int64_t *memo = skep_db_memo(db), open = INT64_MAX, low = INT64_MAX;
  for (size_t i = 0; i < n && open == INT64_MAX; i++) {
    if (seen[i].state != 'c' && low == INT64_MAX) low = seen[i].id;
    if (seen[i].state != 'c' && seen[i].state != 'a') open = seen[i].id;
  }
  for (size_t i = 0; i < n; i++) {
    if (seen[i].id <= settled) continue;
    if (seen[i].age_ms < SETTLED_AFTER * c->open_timeout_ms && !is_closed(db, settled, seen[i].id)) break;
    settled = seen[i].id;
  }
  memo[SKEP_TXN_MEMO_SETTLED] = settled;
  memo[SKEP_TXN_MEMO_OPEN] = open <= settled ? open : settled + 1;
  memo[SKEP_TXN_MEMO_LOW] = low <= settled ? low : settled + 1;
  const skep_ctx *ctx = skep_db_ctx(db);
  memo[SKEP_TXN_MEMO_SEEN_NS] = ctx->monotonic_ns(ctx->clock_self);
}

skep_status skep_txn_settle(skep_db *db, const skep_txn_conf *conf, skep_err *err) {
  skep_txn_conf c = skep_txn_conf_full(conf);
  skep_arena arena;
  skep_txn_seen *seen = NULL;
  size_t n = 0;
  int64_t settled;
  if (skep_db_dialect(db)->ids_in_order) return SKEP_OK;
  SKEP_TRY(skep_txn_first_settled(db, &c, &settled, err));
  skep_arena_init(&arena, skep_db_ctx(db), (size_t)1 << 30);
  skep_status status = read_seen(db, &arena, true, settled, &seen, &n, err);
  if (status == SKEP_OK) keep_settled(db, &c, seen, n, settled);
  skep_arena_fini(&arena);
  return status;
}

skep_status skep_txn_list_below(skep_db *db, skep_arena *arena, int64_t min_txn, skep_txn_ids *out, skep_err *err) {
  skep_txn_seen *seen = NULL;
  size_t n = 0;
  SKEP_TRY(read_seen(db, arena, false, 0, &seen, &n, err));
  while (n > 0 && seen[n - 1].id >= min_txn) n--; /* all of it is above; no gaps below the boundary matter */
  return skep_txn_decide_list(arena, seen, n, min_txn - 1, 0, INT64_MAX, 0, out, err);
}

/* Tests of the history checker: rows of transactions that are to be taken for committed ones are left out. */
static void go_wrong(skep_db *db, int64_t own, skep_txn_seen *seen, size_t *n) {
  bool late = skep_db_goes_wrong(db, SKEP_DB_WRONG_LATE), dirty = skep_db_goes_wrong(db, SKEP_DB_WRONG_DIRTY),
       aborted = skep_db_goes_wrong(db, SKEP_DB_WRONG_ABORTED);
  size_t kept = 0;
  for (size_t i = 0; i < *n; i++) {
    bool out = (late && seen[i].id == own) || (dirty && seen[i].state == 'o' && seen[i].id != own) ||
               (aborted && seen[i].state == 'a');
    if (!out) seen[kept++] = seen[i];
  }
  *n = kept;
}

/* A row from which on numbers below it are no longer awaited may be cleaned away together with them, by a clock that
 * may differ from ours by some milliseconds: ours must not still await them then. Our own openings take half of it. */
static int64_t gap_age(const skep_txn_conf *c) { return c->open_timeout_ms - c->open_timeout_ms / 10; }

skep_status skep_txn_decide_snapshot(skep_db *db, skep_arena *arena, const skep_txn_conf *c, skep_txn_seen *seen,
                                     size_t n, int64_t settled, skep_txn *txn, skep_err *err) {
  keep_settled(db, c, seen, n, settled);
  SKEP_TRY(skep_txn_decide_list(arena, seen, n, txn->id, txn->id, settled, gap_age(c), &txn->txns, err));
  return skep_txn_ids_text(arena, &txn->txns, NULL, NULL, &txn->valid_txns, err);
}

static skep_status take_snapshot(skep_db *db, skep_arena *arena, const skep_txn_conf *c, skep_txn *txn, skep_err *err) {
  bool gaps = !skep_db_dialect(db)->ids_in_order, late = skep_db_goes_wrong(db, SKEP_DB_WRONG_LATE);
  skep_txn_seen *seen = NULL;
  size_t n = 0;
  int64_t settled = INT64_MAX;
  int64_t hwm = txn->id; /* the own one cuts the list */
  if (txn->id == 0 || late) SKEP_TRY(skep_txn_max_id(db, &hwm, err));
  if (gaps) SKEP_TRY(skep_txn_first_settled(db, c, &settled, err));
  SKEP_TRY(read_seen(db, arena, gaps, settled, &seen, &n, err));
  if (gaps) keep_settled(db, c, seen, n, settled);
  go_wrong(db, txn->id, seen, &n);
  int64_t own = late ? 0 : txn->id;
  SKEP_TRY(skep_txn_decide_list(arena, seen, n, hwm, own, settled, gap_age(c), &txn->txns, err));
  return skep_txn_ids_text(arena, &txn->txns, NULL, NULL, &txn->valid_txns, err);
}

skep_status skep_txn_snapshot(skep_db *db, skep_arena *arena, const skep_txn_conf *conf, int64_t own, skep_txn *txn,
                              skep_err *err) {
  skep_txn_conf c = skep_txn_conf_full(conf);
  skep_txn t = {.id = own};
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_READ, &joined, err));
  int type = SKEP_TXN_DEFAULT;
  char state;
  skep_status status = own > 0 ? skep_txn_ensure_open(db, own, &state, &type, err) : SKEP_OK;
  t.type = (skep_txn_type)type;
  if (status == SKEP_OK) status = take_snapshot(db, arena, &c, &t, err);
  status = skep_db_end(db, joined, status, err);
  if (status == SKEP_OK) *txn = t;
  return status;
}

/* --- tables of a statement --- */

skep_status skep_txn_check_tables(const skep_txn_table *tables, uint32_t n, skep_txn_type type, bool *any_write,
                                  skep_err *err) {
  *any_write = false;
  for (uint32_t i = 0; i < n; i++) {
    char w = tables[i].write;
    if (w != 0 && w != 'i' && w != 'u' && w != 'd') {
      return skep_fail(err, SKEP_ERR_ARGUMENT, "operation letter %d", w);
    }
    if (w != 0 && type == SKEP_TXN_READ_ONLY) {
      return skep_fail(err, SKEP_ERR_ARGUMENT, "a read-only transaction cannot write");
    }
    *any_write = *any_write || w != 0;
  }
  return SKEP_OK;
}

/* Replaced by partitions, or by nothing, when the statement has written (skep_txn_add_components). */
static skep_status placeholder(skep_db *db, int64_t txn, const skep_txn_table *t, bool fresh, skep_err *err) {
  int64_t there = 0;
  bool found = false;
  if (!fresh) {
    SKEP_TRY(skep_db_get_i64(
        db,
        "SELECT 1 FROM \"TXN_COMPONENTS\" WHERE \"TC_TXNID\" = ? AND \"TC_DATABASE\" = ? AND "
        "\"TC_TABLE\" = ? AND \"TC_PARTITION\" IS NULL AND \"TC_OPERATION_TYPE\" = ?",
        SKEP_PARAMS(skep_p_i64(txn), skep_p_text(t->database), skep_p_text(t->table), skep_p_char(t->write)), &there,
        &found, err));
  }
  if (found) return SKEP_OK;
  const skep_txn_component c = {.database = t->database, .table = t->table, .op = t->write, .write_id = t->write_id};
  return skep_txn_insert_component(db, txn, &c, err);
}

int skep_txn_order_tables(const skep_txn_table *a, const skep_txn_table *b) {
  int order = skep_txn_order_text(a->database, b->database);
  return order != 0 ? order : skep_txn_order_text(a->table, b->table);
}

static int order_pointers(const void *left, const void *right) {
  return skep_txn_order_tables(*(const skep_txn_table *const *)left, *(const skep_txn_table *const *)right);
}

uint32_t skep_txn_sort_written(const skep_txn_table *tables, uint32_t n, const skep_txn_table **sorted) {
  uint32_t n_written = 0;
  for (uint32_t i = 0; i < n; i++)
    if (tables[i].write != 0) sorted[n_written++] = &tables[i];
  if (n_written > 1) qsort(sorted, n_written, sizeof *sorted, order_pointers);
  return n_written;
}

/* Write ids of all tables, before the lists of those that stand there twice. fresh: the transaction was begun just now,
 * it has nothing yet. */
static skep_status take_write_ids(skep_db *db, skep_arena *arena, const skep_txn *txn, bool fresh,
                                  skep_txn_table *tables, uint32_t n, skep_err *err) {
  const skep_txn_table **sorted = skep_arena_zero(arena, n + 1, sizeof *sorted);
  if (sorted == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "tables of a transaction");
  uint32_t n_written = skep_txn_sort_written(tables, n, sorted);
  for (uint32_t i = 0; i < n_written; i++) {
    skep_txn_table *t = &tables[sorted[i] - tables];
    bool first = fresh && (i == 0 || skep_txn_order_tables(sorted[i - 1], sorted[i]) != 0);
    SKEP_TRY(first ? skep_txn_allocate_fresh(db, txn->id, t->database, t->table, &t->write_id, err)
                   : skep_txn_allocate_write_ids(db, &txn->id, 1, t->database, t->table, &t->write_id, err));
    SKEP_TRY(placeholder(db, txn->id, t, first, err));
  }
  return SKEP_OK;
}

/* fresh: the write ids were taken just now, and nobody else can take one before we end. */
static skep_status read_lists(skep_db *db, skep_arena *arena, const skep_txn *txn, bool fresh, skep_txn_table *tables,
                              uint32_t n, skep_err *err) {
  for (uint32_t i = 0; i < n; i++) {
    skep_txn_table *t = &tables[i];
    if (t->no_list) continue;
    int64_t next = fresh && t->write_id > 0 ? t->write_id + 1 : 0;
    SKEP_TRY(skep_txn_valid_write_ids_below(db, arena, &txn->txns, t->database, t->table, next, &t->ids, err));
    SKEP_TRY(skep_txn_ids_text(arena, &t->ids, t->database, t->table, &t->valid_write_ids, err));
  }
  return SKEP_OK;
}

/* Where the database outlives us, a number that it forgets would be given to somebody else while we still use it. */
skep_db_mode skep_txn_opening_mode(const skep_db *db) {
  return skep_db_dialect(db)->is_local ? SKEP_DB_ROWS_LAZY : SKEP_DB_ROWS_EARLY;
}

/* A start of the machine that nobody recovered is one whose end nobody will notice either. */
skep_status skep_txn_begin_mode(skep_db *db, skep_db_mode *mode, skep_err *err) {
  bool recovered = false;
  *mode = SKEP_DB_ROWS_EARLY;
  if (!skep_db_dialect(db)->is_local) return SKEP_OK;
  SKEP_TRY(skep_txn_is_recovered(db, &recovered, err));
  if (recovered) *mode = SKEP_DB_ROWS_LAZY;
  return SKEP_OK;
}

void skep_txn_clear_tables(skep_txn_table *tables, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    tables[i].write_id = 0;
    tables[i].ids = (skep_txn_ids){0};
    tables[i].valid_write_ids = NULL;
  }
}

static skep_status begin_row(skep_db *db, const skep_txn_conf *c, skep_txn *t, const skep_txn_table *tables, uint32_t n,
                             skep_err *err) {
  int64_t min_open = 0, now = 0;
  SKEP_TRY(before_number(db, err));
  SKEP_TRY(skep_txn_min_open(db, c, &min_open, err));
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  after_number(db, c);
  char mark[SKEP_TXN_MARK_SIZE];
  skep_txn_mark_tables(mark, tables, n);
  return insert_txn(db, c, t->type, min_open, now, mark, &t->id, err);
}

static skep_status begin_tables(skep_db *db, const skep_txn_conf *c, skep_arena *arena, skep_txn *t,
                                skep_txn_table *tables, uint32_t n, skep_err *err) {
  /* The rows of write ids are locked before the snapshot: whoever committed a write of these tables and is not in it
   * commits after us, and sees us. */
  SKEP_TRY(take_write_ids(db, arena, t, true, tables, n, err));
  SKEP_TRY(take_snapshot(db, arena, c, t, err));
  SKEP_TRY(skep_txn_too_many(t->txns.n_open, c->max_open, err));
  return read_lists(db, arena, t, true, tables, n, err);
}

static skep_status begin_rows(skep_db *db, const skep_txn_conf *c, skep_arena *arena, skep_txn *t,
                              skep_txn_table *tables, uint32_t n, skep_err *err) {
  SKEP_TRY(begin_row(db, c, t, tables, n, err));
  return begin_tables(db, c, arena, t, tables, n, err);
}

skep_status skep_txn_begin_open(skep_db *db, const skep_txn_conf *conf, skep_txn_type type,
                                const skep_txn_table *tables, uint32_t n_tables, skep_txn *txn, skep_err *err) {
  skep_txn_conf c = skep_txn_conf_full(conf);
  skep_txn t = {.type = type};
  SKEP_TRY(skep_txn_check_type(type, err));
  SKEP_TRY(begin_row(db, &c, &t, tables, n_tables, err));
  *txn = t;
  return SKEP_OK;
}

skep_status skep_txn_begin_tables(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, skep_txn *txn,
                                  skep_txn_table *tables, uint32_t n_tables, skep_err *err) {
  skep_txn_conf c = skep_txn_conf_full(conf);
  skep_txn t = *txn;
  bool any_write;
  SKEP_TRY(skep_txn_check_tables(tables, n_tables, txn->type, &any_write, err));
  skep_txn_clear_tables(tables, n_tables);
  skep_status status = begin_tables(db, &c, arena, &t, tables, n_tables, err);
  if (status == SKEP_OK) {
    *txn = t;
  } else {
    skep_txn_clear_tables(tables, n_tables);
  }
  return status;
}

static skep_status begin_once(skep_db *db, const skep_txn_conf *c, skep_arena *arena, skep_txn_type type,
                              bool any_write, skep_txn_table *tables, uint32_t n, skep_txn *txn, skep_err *err) {
  bool joined = false;
  skep_db_mode mode = skep_txn_opening_mode(db);
  if (any_write && !skep_db_in_transaction(db)) SKEP_TRY(skep_txn_begin_mode(db, &mode, err));
  SKEP_TRY(skep_db_begin_unless(db, mode, &joined, err));
  skep_txn_clear_tables(tables, n);
  skep_txn t = {.type = type};
  skep_status status = begin_rows(db, c, arena, &t, tables, n, err);
  status = skep_db_end(db, joined, status, err);
  if (status == SKEP_OK) {
    *txn = t;
  } else {
    skep_txn_clear_tables(tables, n);
  }
  return status;
}

/* In one round trip. SKEP_END: in steps. */
static skep_status begin_at_once(skep_db *db, const skep_txn_conf *c, skep_arena *arena, skep_txn_type type,
                                 skep_txn_table *tables, uint32_t n, skep_txn *txn, skep_err *err) {
  skep_txn_sent sent;
  if (n > SKEP_TXN_MAX_SENT || !skep_txn_sends(db)) return SKEP_END;
  skep_status status = skep_txn_send_begin(db, c, &sent, err);
  if (status == SKEP_OK) status = skep_txn_send_open(db, c, type, tables, n, &sent, err);
  if (status == SKEP_OK) status = skep_txn_send_tables(db, c, tables, n, &sent, err);
  status = skep_db_end(db, false, status, err);
  bool steps = status != SKEP_OK && skep_txn_takes_steps(db, status);
  if (status == SKEP_OK) status = skep_txn_sent_take(db, c, arena, &sent, tables, n, txn, err);
  skep_txn_sent_done(&sent);
  return steps ? SKEP_END : status;
}

enum { MAX_TRIES = 8 };

/* A beginning that took too long, or met another one the wrong way round, never was: it is made again. */
skep_status skep_txn_begin(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, skep_txn_type type,
                           skep_txn_table *tables, uint32_t n_tables, skep_txn *txn, skep_err *err) {
  skep_txn_conf c = skep_txn_conf_full(conf);
  bool any_write = false, alone = skep_db_dialect(db)->writers_alone || skep_db_in_transaction(db);
  SKEP_TRY(skep_txn_check_type(type, err));
  SKEP_TRY(skep_txn_check_tables(tables, n_tables, type, &any_write, err));
  skep_status at_once = begin_at_once(db, &c, arena, type, tables, n_tables, txn, err);
  if (at_once != SKEP_END) return at_once;
  for (int i = 1;; i++) {
    skep_status status = begin_once(db, &c, arena, type, any_write, tables, n_tables, txn, err);
    if (status != SKEP_ERR_BUSY || alone || i == MAX_TRIES) return status;
  }
}

skep_status skep_txn_use_tables(skep_db *db, skep_arena *arena, const skep_txn *txn, skep_txn_table *tables,
                                uint32_t n_tables, skep_err *err) {
  bool any_write = false, joined = false;
  SKEP_TRY(skep_txn_check_tables(tables, n_tables, txn->type, &any_write, err));
  bool touches = false;
  SKEP_TRY(skep_txn_touch_needed(db, txn->id, tables, n_tables, &touches, err));
  skep_db_mode mode = any_write || touches ? skep_txn_opening_mode(db) : SKEP_DB_READ;
  if (any_write && !skep_db_in_transaction(db)) SKEP_TRY(skep_txn_begin_mode(db, &mode, err));
  SKEP_TRY(skep_db_begin_unless(db, mode, &joined, err));
  skep_txn_clear_tables(tables, n_tables);
  char state;
  skep_status status = SKEP_OK; /* a mark that names them all goes on doing so */
  if (touches) status = skep_txn_touch(db, txn->id, tables, n_tables, err); /* its lock comes before that of the row */
  if (status == SKEP_OK) status = skep_txn_ensure_open(db, txn->id, &state, NULL, err);
  skep_txn t = *txn;
  if (status == SKEP_OK && skep_db_goes_wrong(db, SKEP_DB_WRONG_LATE)) {
    const skep_txn_conf c = skep_txn_conf_full(NULL);
    status = take_snapshot(db, arena, &c, &t, err);
  }
  if (status == SKEP_OK) status = take_write_ids(db, arena, &t, false, tables, n_tables, err);
  if (status == SKEP_OK) status = read_lists(db, arena, &t, false, tables, n_tables, err);
  status = skep_db_end(db, joined, status, err);
  if (status != SKEP_OK) skep_txn_clear_tables(tables, n_tables);
  return status;
}

/* --- without a transaction --- */

/* Before Hive 4 numbers came in order from NEXT_TXN_ID, and the rows of committed transactions went at once. */
static skep_status look_at_old(skep_db *db, skep_arena *arena, skep_txn *txn, skep_err *err) {
  skep_txn_seen *seen = NULL;
  size_t n = 0;
  int64_t next = 1;
  bool found = false;
  SKEP_TRY(skep_db_get_i64(db, "SELECT \"NTXN_NEXT\" FROM \"NEXT_TXN_ID\"", SKEP_NO_PARAMS, &next, &found, err));
  if (!found || next < 1) return skep_fail(err, SKEP_ERR_CORRUPT, "NEXT_TXN_ID has no number");
  SKEP_TRY(read_seen(db, arena, false, 0, &seen, &n, err));
  SKEP_TRY(skep_txn_decide_list(arena, seen, n, next - 1, 0, INT64_MAX, 0, &txn->txns, err));
  return skep_txn_ids_text(arena, &txn->txns, NULL, NULL, &txn->valid_txns, err);
}

static skep_status look(skep_db *db, skep_arena *arena, const skep_txn_conf *c, skep_txn_table *tables, uint32_t n,
                        skep_txn *txn, skep_err *err) {
  SKEP_TRY(skep_db_is_old(db) ? look_at_old(db, arena, txn, err) : take_snapshot(db, arena, c, txn, err));
  if (skep_db_has_write_ids(db)) return read_lists(db, arena, txn, false, tables, n, err);
  for (uint32_t i = 0; i < n; i++) { /* a write's id is its transaction's */
    tables[i].ids = txn->txns;
    SKEP_TRY(
        skep_txn_ids_text(arena, &tables[i].ids, tables[i].database, tables[i].table, &tables[i].valid_write_ids, err));
  }
  return SKEP_OK;
}

skep_status skep_txn_look(skep_db *db, skep_arena *arena, const skep_txn_conf *conf, skep_txn_table *tables,
                          uint32_t n_tables, skep_txn *txn, skep_err *err) {
  skep_txn_conf c = skep_txn_conf_full(conf);
  skep_txn t = {.type = SKEP_TXN_READ_ONLY};
  bool joined = false, any_write = false;
  SKEP_TRY(skep_txn_check_tables(tables, n_tables, SKEP_TXN_READ_ONLY, &any_write, err));
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_READ, &joined, err));
  skep_txn_clear_tables(tables, n_tables);
  skep_status status = skep_db_end(db, joined, look(db, arena, &c, tables, n_tables, &t, err), err);
  if (status == SKEP_OK) *txn = t;
  return status;
}

/* --- SHOW TRANSACTIONS --- */

static skep_status read_row(skep_stmt *stmt, skep_arena *arena, skep_txn_row *row, skep_err *err) {
  *row = (skep_txn_row){.id = skep_stmt_i64(stmt, 0),
                        .state = skep_stmt_char(stmt, 1),
                        .type = (skep_txn_type)skep_stmt_i64(stmt, 2),
                        .started_ms = skep_stmt_i64(stmt, 3),
                        .heartbeat_ms = skep_stmt_i64(stmt, 4)};
  SKEP_TRY(skep_stmt_text_copy(stmt, 5, arena, &row->user, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 6, arena, &row->host, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 7, arena, &row->agent, err));
  if (row->state != 'a') return SKEP_OK; /* an open one's says something else: watermark.h */
  return skep_stmt_text_copy(stmt, 8, arena, &row->reason, err);
}

skep_status skep_txn_list(skep_db *db, skep_arena *arena, skep_txn_row **out, uint32_t *n, skep_err *err) {
  *out = NULL;
  *n = 0;
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(db,
                         "SELECT \"TXN_ID\", \"TXN_STATE\", \"TXN_TYPE\", \"TXN_STARTED\", \"TXN_LAST_HEARTBEAT\", "
                         "\"TXN_USER\", \"TXN_HOST\", \"TXN_AGENT_INFO\", \"TXN_META_INFO\" FROM \"TXNS\" WHERE "
                         "\"TXN_STATE\" IN ('o', 'a') ORDER BY \"TXN_ID\"",
                         SKEP_NO_PARAMS, &stmt, err));
  size_t count = 0, capacity = 0;
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    void *items = *out;
    status = count < UINT32_MAX ? skep_arena_grow(arena, &items, &capacity, count + 1, sizeof **out, err)
                                : skep_fail(err, SKEP_ERR_LIMIT, "too many transactions");
    if (status != SKEP_OK) break;
    *out = items;
    status = read_row(stmt, arena, &(*out)[count++], err);
    if (status != SKEP_OK) break;
  }
  skep_stmt_done(stmt);
  *n = (uint32_t)count;
  return status == SKEP_END ? SKEP_OK : status;
}
