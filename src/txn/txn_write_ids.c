/* Write ids: giving them out, seeding them, and the lists of those that are valid for a reader. */
#include <string.h>

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

/* Takes n ids: *first is the lowest. */
static skep_status take(skep_db *db, uint32_t n, const char *database, const char *table, int64_t *first,
                        skep_err *err) {
  bool found = false;
  SKEP_TRY(skep_db_get_i64(
      db, "SELECT \"NWI_NEXT\" FROM \"NEXT_WRITE_ID\" WHERE \"NWI_DATABASE\" = ? AND \"NWI_TABLE\" = ?{for_update}",
      SKEP_PARAMS(skep_p_text(database), skep_p_text(table)), first, &found, err));
  if (found && (*first < 1 || *first > INT64_MAX - n)) {
    return skep_fail(err, SKEP_ERR_CORRUPT, "the next write id of %.128s.%.256s is %lld", database, table,
                     (long long)*first);
  }
  if (!found) {
    *first = 1;
    return skep_db_run(db,
                       "INSERT INTO \"NEXT_WRITE_ID\" (\"NWI_DATABASE\", \"NWI_TABLE\", \"NWI_NEXT\") VALUES (?, ?, ?)",
                       SKEP_PARAMS(skep_p_text(database), skep_p_text(table), skep_p_i64(1 + (int64_t)n)), NULL, err);
  }
  return skep_db_run(db,
                     "UPDATE \"NEXT_WRITE_ID\" SET \"NWI_NEXT\" = ? WHERE \"NWI_DATABASE\" = ? AND \"NWI_TABLE\" = ?",
                     SKEP_PARAMS(skep_p_i64(*first + n), skep_p_text(database), skep_p_text(table)), NULL, err);
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
    SKEP_TRY(skep_db_run(
        db,
        "INSERT INTO \"TXN_TO_WRITE_ID\" (\"T2W_TXNID\", \"T2W_DATABASE\", \"T2W_TABLE\", "
        "\"T2W_WRITEID\") VALUES (?, ?, ?, ?)",
        SKEP_PARAMS(skep_p_i64(txns[i]), skep_p_text(database), skep_p_text(table), skep_p_i64(write_ids[i])), NULL,
        err));
  }
  return SKEP_OK;
}

skep_status skep_txn_allocate_write_ids(skep_db *db, const int64_t *txns, uint32_t n, const char *database,
                                        const char *table, int64_t *write_ids, skep_err *err) {
  if (n == 0) return SKEP_OK;
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
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

static skep_status read_pairs(skep_db *db, skep_arena *arena, const char *database, const char *table, int64_t lowest,
                              skep_txn_pair **out, size_t *n, skep_err *err) {
  skep_stmt *stmt = NULL;
  SKEP_TRY(
      skep_db_query(db,
                    "SELECT \"T2W_TXNID\", \"T2W_WRITEID\" FROM \"TXN_TO_WRITE_ID\" WHERE \"T2W_DATABASE\" = ? AND "
                    "\"T2W_TABLE\" = ? AND \"T2W_TXNID\" >= ? ORDER BY \"T2W_WRITEID\"",
                    SKEP_PARAMS(skep_p_text(database), skep_p_text(table), skep_p_i64(lowest)), &stmt, err));
  size_t capacity = 0;
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    void *items = *out;
    status = skep_txn_grow(arena, &items, &capacity, *n, sizeof **out, err);
    if (status != SKEP_OK) break;
    *out = items;
    (*out)[(*n)++] = (skep_txn_pair){skep_stmt_i64(stmt, 0), skep_stmt_i64(stmt, 1)};
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

static skep_status read_list(skep_db *db, skep_arena *arena, const skep_txn_ids *txns, const char *database,
                             const char *table, skep_txn_ids *out, skep_err *err) {
  int64_t next = 1, lowest = skep_txn_lowest_invalid(txns), ignored;
  skep_txn_pair *pairs = NULL;
  size_t n = 0;
  bool older = false;
  SKEP_TRY(skep_txn_next_write_id(db, database, table, &next, err));
  if (next == 1) { /* nothing was ever written */
    *out = (skep_txn_ids){.min_open = INT64_MAX};
    return SKEP_OK;
  }
  SKEP_TRY(read_pairs(db, arena, database, table, lowest, &pairs, &n, err));
  if (n > 0) {
    SKEP_TRY(skep_db_get_i64(db,
                             "SELECT 1 FROM \"TXN_TO_WRITE_ID\" WHERE \"T2W_DATABASE\" = ? AND \"T2W_TABLE\" = ? AND "
                             "\"T2W_TXNID\" < ? LIMIT 1",
                             SKEP_PARAMS(skep_p_text(database), skep_p_text(table), skep_p_i64(lowest)), &ignored,
                             &older, err));
  }
  return skep_txn_decide_write_ids(arena, txns, pairs, n, older, next - 1, out, err);
}

skep_status skep_txn_valid_write_ids(skep_db *db, skep_arena *arena, const skep_txn_ids *txns, const char *database,
                                     const char *table, skep_txn_ids *out, skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_READ, &joined, err));
  skep_status status = read_list(db, arena, txns, database, table, out, err);
  return skep_db_end(db, joined, status, err);
}
