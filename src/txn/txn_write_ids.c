/* Write ids: giving them out, seeding them, and the lists of those that are valid for a reader. */
#include <stdio.h>
#include <stdlib.h>

#include "db/counters.h"
#include "txn/txn_int.h"

/* --- giving out --- */

/* Those of `txns` that have a write id already: none or all. */
static skep_status existing(skep_db *db, const int64_t *txns, uint32_t n, const char *database, const char *table,
                            int64_t *write_ids, bool *all, skep_err *err) {
  uint32_t n_found = 0;
  for (uint32_t i = 0; i < n; i++) {
    bool found = false;
    SKEP_TRY(skep_db_get_i64(db,
                             "SELECT \"T2W_WRITEID\" FROM \"TXN_TO_WRITE_ID\" WHERE \"T2W_DATABASE\" = ? AND "
                             "\"T2W_TABLE\" = ? AND \"T2W_TXNID\" = ?",
                             SKEP_PARAMS(skep_p_text(database), skep_p_text(table), skep_p_i64(txns[i])), &write_ids[i],
                             &found, err));
    n_found += found ? 1 : 0;
  }
  *all = n_found == n;
  if (n_found == 0 || *all) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_INTERNAL, "%u of %u transactions have a write id of %.128s.%.256s already", n_found, n,
                   database, table);
}

static skep_status check_txns(skep_db *db, const int64_t *txns, uint32_t n, skep_err *err) {
  for (uint32_t i = 0; i < n; i++) {
    char state;
    int type;
    if (i > 0 && txns[i] <= txns[i - 1]) return skep_fail(err, SKEP_ERR_ARGUMENT, "transactions are not ascending");
    SKEP_TRY(skep_txn_ensure_open(db, txns[i], &state, &type, err));
    if (type == SKEP_TXN_READ_ONLY) {
      return skep_fail(err, SKEP_ERR_ARGUMENT, "transaction txnid:%lld is read-only", (long long)txns[i]);
    }
  }
  return SKEP_OK;
}

static const char sql_next[] =
    "SELECT \"NWI_NEXT\" FROM \"NEXT_WRITE_ID\" WHERE \"NWI_DATABASE\" = ? AND \"NWI_TABLE\" = ?{for_update}";
static const char sql_insert_next[] =
    "INSERT INTO \"NEXT_WRITE_ID\" (\"NWI_DATABASE\", \"NWI_TABLE\", \"NWI_NEXT\") VALUES (?, ?, ?)";

/* A table that nobody has written yet has no row to lock: two who begin at once both insert it, and the second, whom
 * the unique key refuses, finds it. */
static skep_status make_row(skep_db *db, const char *database, const char *table, skep_err *err) {
  skep_err reason = {0};
  SKEP_TRY(skep_db_savepoint(db, err));
  skep_status status = skep_db_run(
      db, sql_insert_next, SKEP_PARAMS(skep_p_text(database), skep_p_text(table), skep_p_i64(1)), NULL, &reason);
  if (status == SKEP_OK) status = skep_db_savepoint_end(db, true, &reason);
  if (status == SKEP_OK) return SKEP_OK;
  if (status != SKEP_ERR_EXISTS) {
    if (err != NULL) *err = reason;
    return status;
  }
  return skep_db_savepoint_end(db, false, err);
}

/* Takes n ids: *first is the lowest. */
static skep_status take(skep_db *db, uint32_t n, const char *database, const char *table, int64_t *first,
                        skep_err *err) {
  bool found = false;
  SKEP_TRY(skep_db_get_i64(db, sql_next, SKEP_PARAMS(skep_p_text(database), skep_p_text(table)), first, &found, err));
  if (!found && !skep_db_dialect(db)->writers_alone) {
    SKEP_TRY(make_row(db, database, table, err));
    SKEP_TRY(skep_db_get_i64(db, sql_next, SKEP_PARAMS(skep_p_text(database), skep_p_text(table)), first, &found, err));
  }
  if (found && (*first < 1 || *first > INT64_MAX - n)) {
    return skep_fail(err, SKEP_ERR_CORRUPT, "the next write id of %.128s.%.256s is %lld", database, table,
                     (long long)*first);
  }
  if (!found) {
    *first = 1;
    return skep_db_run(db, sql_insert_next,
                       SKEP_PARAMS(skep_p_text(database), skep_p_text(table), skep_p_i64(1 + (int64_t)n)), NULL, err);
  }
  return skep_db_run(db,
                     "UPDATE \"NEXT_WRITE_ID\" SET \"NWI_NEXT\" = ? WHERE \"NWI_DATABASE\" = ? AND \"NWI_TABLE\" = ?",
                     SKEP_PARAMS(skep_p_i64(*first + n), skep_p_text(database), skep_p_text(table)), NULL, err);
}

static skep_status insert_pair(skep_db *db, int64_t txn, const char *database, const char *table, int64_t write_id,
                               skep_err *err) {
  skep_status status = skep_db_run(
      db,
      "INSERT INTO \"TXN_TO_WRITE_ID\" (\"T2W_TXNID\", \"T2W_DATABASE\", \"T2W_TABLE\", \"T2W_WRITEID\") VALUES (?, ?, "
      "?, ?)",
      SKEP_PARAMS(skep_p_i64(txn), skep_p_text(database), skep_p_text(table), skep_p_i64(write_id)), NULL, err);
  if (status != SKEP_ERR_EXISTS) return status;
  char name[420];
  snprintf(name, sizeof name, "NEXT_WRITE_ID, %.128s.%.256s,", database, table);
  return skep_counter_taken(name, write_id, err);
}

skep_status skep_txn_allocate_fresh(skep_db *db, int64_t txn, const char *database, const char *table,
                                    int64_t *write_id, skep_err *err) {
  SKEP_TRY(take(db, 1, database, table, write_id, err));
  return insert_pair(db, txn, database, table, *write_id, err);
}

static skep_status allocate(skep_db *db, const int64_t *txns, uint32_t n, const char *database, const char *table,
                            int64_t *write_ids, skep_err *err) {
  bool all = false;
  SKEP_TRY(check_txns(db, txns, n, err));
  SKEP_TRY(existing(db, txns, n, database, table, write_ids, &all, err));
  if (all) return SKEP_OK;
  int64_t first = 0;
  SKEP_TRY(take(db, n, database, table, &first, err));
  for (uint32_t i = 0; i < n; i++) {
    write_ids[i] = first + i;
    SKEP_TRY(insert_pair(db, txns[i], database, table, write_ids[i], err));
  }
  return SKEP_OK;
}

skep_status skep_txn_allocate_write_ids(skep_db *db, const int64_t *txns, uint32_t n, const char *database,
                                        const char *table, int64_t *write_ids, skep_err *err) {
  if (n == 0) return SKEP_OK;
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_ROWS, &joined, err));
  skep_status status = allocate(db, txns, n, database, table, write_ids, err);
  return skep_db_end(db, joined, status, err);
}

skep_status skep_txn_next_write_id(skep_db *db, const char *database, const char *table, int64_t *out, skep_err *err) {
  bool found = false;
  SKEP_TRY(
      skep_db_get_i64(db, "SELECT \"NWI_NEXT\" FROM \"NEXT_WRITE_ID\" WHERE \"NWI_DATABASE\" = ? AND \"NWI_TABLE\" = ?",
                      SKEP_PARAMS(skep_p_text(database), skep_p_text(table)), out, &found, err));
  if (!found) *out = 1;
  return SKEP_OK;
}

skep_status skep_txn_seed_write_id(skep_db *db, const char *database, const char *table, int64_t n, skep_err *err) {
  if (n < 0 || n >= INT64_MAX - 1) return skep_fail(err, SKEP_ERR_ARGUMENT, "write id %lld", (long long)n);
  bool joined = false;
  int64_t next = 0;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  skep_status status = skep_txn_next_write_id(db, database, table, &next, err);
  if (status == SKEP_OK && next <= n) {
    int64_t first;
    status = take(db, 1, database, table, &first, err); /* makes the row */
    if (status == SKEP_OK) {
      status = skep_db_run(
          db, "UPDATE \"NEXT_WRITE_ID\" SET \"NWI_NEXT\" = ? WHERE \"NWI_DATABASE\" = ? AND \"NWI_TABLE\" = ?",
          SKEP_PARAMS(skep_p_i64(n + 1), skep_p_text(database), skep_p_text(table)), NULL, err);
    }
  }
  return skep_db_end(db, joined, status, err);
}

/* --- lists --- */

skep_status skep_txn_add_pair(skep_arena *arena, skep_txn_pairs *pairs, int64_t txn, int64_t write_id, skep_err *err) {
  void *items = pairs->items;
  SKEP_TRY(skep_arena_grow(arena, &items, &pairs->capacity, pairs->n + 1, sizeof *pairs->items, err));
  pairs->items = items;
  pairs->items[pairs->n++] = (skep_txn_pair){txn, write_id};
  return SKEP_OK;
}

/* Adds what the statement has; a row of a transaction -1 is the next write id. */
static skep_status add_rows(skep_stmt *stmt, skep_arena *arena, skep_txn_pairs *pairs, skep_err *err) {
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    int64_t txn = skep_stmt_i64(stmt, 0), write_id = skep_stmt_i64(stmt, 1);
    if (txn < 0) {
      pairs->next = write_id;
    } else {
      SKEP_TRY(skep_txn_add_pair(arena, pairs, txn, write_id, err));
    }
  }
  return status == SKEP_END ? SKEP_OK : status;
}

/* The rows of one transaction (at most one), or of all from it on. */
static skep_status read_of(skep_txn_pairs *pairs, skep_db *db, skep_arena *arena, const char *database,
                           const char *table, int64_t txn, bool on, skep_err *err) {
  skep_stmt *stmt = NULL;
  SKEP_TRY(
      skep_db_query(db,
                    on ? "SELECT \"T2W_TXNID\", \"T2W_WRITEID\" FROM \"TXN_TO_WRITE_ID\" WHERE \"T2W_DATABASE\" = ? "
                         "AND \"T2W_TABLE\" = ? AND \"T2W_TXNID\" >= ?"
                       : "SELECT \"T2W_TXNID\", \"T2W_WRITEID\" FROM \"TXN_TO_WRITE_ID\" WHERE \"T2W_DATABASE\" = ? "
                         "AND \"T2W_TABLE\" = ? AND \"T2W_TXNID\" = ?",
                    SKEP_PARAMS(skep_p_text(database), skep_p_text(table), skep_p_i64(txn)), &stmt, err));
  skep_status status = add_rows(stmt, arena, pairs, err);
  skep_stmt_done(stmt);
  return status;
}

static int order_pairs(const void *left, const void *right) {
  const skep_txn_pair *a = left, *b = right;
  return (a->write_id > b->write_id) - (a->write_id < b->write_id);
}

/* Questions for one exception each; the rest are answered in one pass over the rows from the first of them on. What
 * came lately is few rows, however many exceptions are among them. */
enum { MAX_SINGLE = 64, LATELY = SKEP_TXN_LATELY };

static int order_ids(const void *left, const void *right) {
  int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
  return (a > b) - (a < b);
}

/* The lowest exceptions, ascending: those that are asked for one by one. *rest: from here on all rows are read. */
static uint32_t split(const skep_txn_ids *txns, int64_t single[2 * MAX_SINGLE], int64_t *rest) {
  uint32_t n = 0, i = 0;
  int64_t lately = txns->hwm > LATELY ? txns->hwm - LATELY : 0;
  for (uint32_t k = 0; k < txns->n_open && k < MAX_SINGLE; k++) single[n++] = txns->open[k];
  for (uint32_t k = 0; k < txns->n_aborted && k < MAX_SINGLE; k++) single[n++] = txns->aborted[k];
  if (n > 1) qsort(single, n, sizeof *single, order_ids);
  while (i < n && i < MAX_SINGLE && single[i] < lately) i++;
  bool more = txns->n_open > MAX_SINGLE || txns->n_aborted > MAX_SINGLE;
  if (i < n || more) { /* recent ones, or too many */
    *rest = i < MAX_SINGLE ? single[i] : single[0];
    return i < MAX_SINGLE ? i : 0;
  }
  *rest = txns->hwm < INT64_MAX ? txns->hwm + 1 : INT64_MAX;
  return n;
}

/* The rows of all transactions that are invalid for `txns`: few, however many rows an old exception keeps from being
 * cleaned. Ascending by write id. */
static skep_status read_invalid(skep_txn_pairs *pairs, skep_db *db, skep_arena *arena, const skep_txn_ids *txns,
                                const char *database, const char *table, skep_err *err) {
  int64_t single[2 * MAX_SINGLE], rest;
  uint32_t n = split(txns, single, &rest);
  for (uint32_t i = 0; i < n; i++) SKEP_TRY(read_of(pairs, db, arena, database, table, single[i], false, err));
  if (rest < INT64_MAX) SKEP_TRY(read_of(pairs, db, arena, database, table, rest, true, err));
  if (pairs->n > 1) qsort(pairs->items, pairs->n, sizeof *pairs->items, order_pairs);
  return SKEP_OK;
}

/* next: that of the table, 0: not known. */
static skep_status read_list(skep_db *db, skep_arena *arena, const skep_txn_ids *txns, const char *database,
                             const char *table, int64_t next, bool in_full, skep_txn_ids *out, skep_err *err) {
  int64_t lowest = 0, ignored;
  bool shorten = false, valid_below = false;
  skep_txn_pairs pairs = {0};
  if (next == 0) SKEP_TRY(skep_txn_next_write_id(db, database, table, &next, err));
  if (next == 1) { /* nothing was ever written */
    *out = (skep_txn_ids){.min_open = INT64_MAX};
    return SKEP_OK;
  }
  SKEP_TRY(read_invalid(&pairs, db, arena, txns, database, table, err));
  SKEP_TRY(skep_txn_decide_write_ids(arena, txns, pairs.items, pairs.n, next - 1, out, &shorten, &lowest, err));
  if (!shorten || in_full) return SKEP_OK;
  SKEP_TRY(skep_db_get_i64(db,
                           "SELECT 1 FROM \"TXN_TO_WRITE_ID\" WHERE \"T2W_DATABASE\" = ? AND \"T2W_TABLE\" = ? AND "
                           "\"T2W_WRITEID\" < ? LIMIT 1",
                           SKEP_PARAMS(skep_p_text(database), skep_p_text(table), skep_p_i64(lowest)), &ignored,
                           &valid_below, err));
  if (!valid_below) skep_txn_shorten(out);
  return SKEP_OK;
}

/* --- lists from rows that were sent for --- */

skep_status skep_txn_read_pairs(skep_stmt *stmt, skep_arena *arena, skep_txn_pairs *out, skep_err *err) {
  *out = (skep_txn_pairs){.next = 1};
  return add_rows(stmt, arena, out, err);
}

skep_status skep_txn_decide_pairs(skep_arena *arena, const skep_txn_ids *txns, skep_txn_pairs *pairs, int64_t next,
                                  skep_txn_ids *out, bool *decided, skep_err *err) {
  int64_t lowest = 0;
  bool shorten = false;
  *decided = true;
  if (next == 1) { /* nothing was ever written */
    *out = (skep_txn_ids){.min_open = INT64_MAX};
    return SKEP_OK;
  }
  if (pairs->n > 1) qsort(pairs->items, pairs->n, sizeof *pairs->items, order_pairs);
  SKEP_TRY(skep_txn_decide_write_ids(arena, txns, pairs->items, pairs->n, next - 1, out, &shorten, &lowest, err));
  *decided = !shorten;
  return SKEP_OK;
}

skep_status skep_txn_valid_write_ids(skep_db *db, skep_arena *arena, const skep_txn_ids *txns, const char *database,
                                     const char *table, skep_txn_ids *out, skep_err *err) {
  return skep_txn_valid_write_ids_below(db, arena, txns, database, table, 0, out, err);
}

skep_status skep_txn_valid_write_ids_below(skep_db *db, skep_arena *arena, const skep_txn_ids *txns,
                                           const char *database, const char *table, int64_t next, skep_txn_ids *out,
                                           skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_READ, &joined, err));
  skep_status status = read_list(db, arena, txns, database, table, next, false, out, err);
  return skep_db_end(db, joined, status, err);
}

skep_status skep_txn_write_ids_in_full(skep_db *db, skep_arena *arena, const skep_txn_ids *txns, const char *database,
                                       const char *table, skep_txn_ids *out, skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_READ, &joined, err));
  return skep_db_end(db, joined, read_list(db, arena, txns, database, table, 0, true, out, err), err);
}
