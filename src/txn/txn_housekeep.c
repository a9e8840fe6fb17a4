/* House-keeping: dead processes' transactions, rows that nobody needs any more, leftovers of a loss of power. */
#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "db/schema.h"
#include "txn/txn_int.h"

/* --- transactions whose process died --- */

enum { BATCH = 1000, DEFAULT_TIMEOUT_MS = 300000 };

skep_status skep_txn_timeout(skep_db *db, int64_t *out_ms, skep_err *err) {
  char stored[24];
  int64_t ms;
  *out_ms = DEFAULT_TIMEOUT_MS;
  SKEP_TRY(skep_db_get_property(db, SKEP_TIMEOUT_PROPERTY, stored, sizeof stored, err));
  if (skep_parse_int(stored, &ms) && ms > 0) *out_ms = ms; /* else nobody agreed on anything */
  return SKEP_OK;
}

static skep_status agree(skep_db *db, int64_t wanted_ms, skep_err *err) {
  int64_t n_open = 0;
  char text[24];
  SKEP_TRY(skep_txn_count_open(db, &n_open, err));
  if (n_open > 0) return SKEP_OK;
  snprintf(text, sizeof text, "%lld", (long long)wanted_ms);
  return skep_db_set_property(db, SKEP_TIMEOUT_PROPERTY, text, err);
}

skep_status skep_txn_agree_timeout(skep_db *db, int64_t wanted_ms, skep_err *err) {
  int64_t current;
  bool joined = false;
  if (wanted_ms <= 0) wanted_ms = DEFAULT_TIMEOUT_MS;
  SKEP_TRY(skep_txn_timeout(db, &current, err));
  if (current == wanted_ms) return SKEP_OK;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  return skep_db_end(db, joined, agree(db, wanted_ms, err), err);
}

/* Open ones without a heartbeat since the cutoff of their type, at most BATCH. */
static skep_status find_dead(skep_db *db, int64_t cutoff, int64_t repl_cutoff, int64_t *ids, uint32_t *n,
                             skep_err *err) {
  skep_stmt *stmt = NULL;
  *n = 0;
  SKEP_TRY(skep_db_query(db,
                         "SELECT \"TXN_ID\" FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o' AND \"TXN_LAST_HEARTBEAT\" < "
                         "CASE WHEN \"TXN_TYPE\" = 1 THEN ? ELSE ? END ORDER BY \"TXN_ID\" LIMIT 1000",
                         SKEP_PARAMS(skep_p_i64(repl_cutoff), skep_p_i64(cutoff)), &stmt, err));
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK && *n < BATCH) ids[(*n)++] = skep_stmt_i64(stmt, 0);
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

static skep_status time_out(skep_db *db, const skep_txn_conf *c, uint64_t *n_done, skep_err *err) {
  int64_t now, timeout, ids[BATCH];
  uint32_t n = 0;
  SKEP_TRY(skep_txn_timeout(db, &timeout, err));
  if (timeout < c->timeout_ms) timeout = c->timeout_ms; /* to wait longer harms nobody who lives */
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  do {
    SKEP_TRY(find_dead(db, now - timeout, now - c->repl_timeout_ms, ids, &n, err));
    for (uint32_t i = 0; i < n; i++) {
      int64_t changed = 0;
      /* those found by the longer cutoff of replication are below this one too; who beat since lives */
      SKEP_TRY(skep_txn_abort_rows(db, ids[i], SKEP_ABORT_TIMEOUT, now - timeout, &changed, err));
      *n_done += (uint64_t)changed;
    }
  } while (n == BATCH);
  /* A transaction's locks go in one database transaction with it: those of one that is not open are damage, and would
   * block for ever. */
  return skep_db_run(db,
                     "DELETE FROM \"HIVE_LOCKS\" WHERE (\"HL_TXNID\" = 0 AND \"HL_LAST_HEARTBEAT\" < ?) OR "
                     "(\"HL_TXNID\" <> 0 AND NOT EXISTS (SELECT 1 FROM \"TXNS\" WHERE \"TXN_ID\" = \"HL_TXNID\" AND "
                     "\"TXN_STATE\" = 'o'))",
                     SKEP_PARAMS(skep_p_i64(now - timeout)), NULL, err);
}

/* --- rows without use --- */

/* What every open transaction was born knowing as open is at or above this. Without the history table only the end of
 * all open transactions says the same. */
static skep_status min_seen_open(skep_db *db, int64_t min_open, int64_t *out, skep_err *err) {
  bool found = false;
  skep_err reason = {0};
  skep_status status = skep_db_get_i64(db, "SELECT min(\"MHL_MIN_OPEN_TXNID\") FROM \"MIN_HISTORY_LEVEL\"",
                                       SKEP_NO_PARAMS, out, &found, &reason);
  if (status == SKEP_ERR_NOT_FOUND) {
    int64_t n_open = 0;
    SKEP_TRY(skep_txn_count_open(db, &n_open, err));
    *out = n_open > 0 ? 0 : min_open;
    return SKEP_OK;
  }
  if (status != SKEP_OK) {
    if (err != NULL) *err = reason;
    return status;
  }
  if (!found || *out > min_open) *out = min_open;
  return SKEP_OK;
}

static skep_status clean_write_ids(skep_db *db, int64_t min_open, int64_t *n, skep_err *err) {
  int64_t limit = 0, aborted = 0;
  bool found = false;
  SKEP_TRY(min_seen_open(db, min_open, &limit, err));
  SKEP_TRY(skep_db_get_i64(db, "SELECT min(\"TXN_ID\") FROM \"TXNS\" WHERE \"TXN_STATE\" = 'a'", SKEP_NO_PARAMS,
                           &aborted, &found, err));
  if (found && aborted < limit) limit = aborted;
  return skep_db_run(db, "DELETE FROM \"TXN_TO_WRITE_ID\" WHERE \"T2W_TXNID\" < ?", SKEP_PARAMS(skep_p_i64(limit)), n,
                     err);
}

/* Never the newest row: it carries the high watermark, and on SQLite the next number. Where ids come out of order, none
 * that is anywhere near as young as an opening may take: its clock and a
 * reader's differ. */
enum { CLEANED_AFTER = 10 };

static skep_status clean_txns(skep_db *db, const skep_txn_conf *c, int64_t *n, skep_err *err) {
  int64_t now, boundary = 0;
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  if (skep_db_dialect(db)->ids_in_order) {
    SKEP_TRY(skep_txn_max_id(db, &boundary, err));
  } else {
    SKEP_TRY(skep_db_get_i64(db, "SELECT max(\"TXN_ID\") FROM \"TXNS\" WHERE \"TXN_STARTED\" < ?",
                             SKEP_PARAMS(skep_p_i64(now - CLEANED_AFTER * c->open_timeout_ms)), &boundary, NULL, err));
  }
  return skep_db_run(
      db,
      "DELETE FROM \"TXNS\" WHERE \"TXN_STATE\" IN ('a', 'c') AND \"TXN_ID\" < ? AND NOT EXISTS (SELECT 1 "
      "FROM \"TXN_COMPONENTS\" WHERE \"TC_TXNID\" = \"TXN_ID\")",
      SKEP_PARAMS(skep_p_i64(boundary)), n, err);
}

/* --- COMPLETED_TXN_COMPONENTS --- */

typedef struct resource {
  const char *database, *table, *partition;
  int64_t highest, highest_change; /* write ids; of rows marked Y, 0: none */
} resource;

static skep_status read_resources(skep_db *db, skep_arena *arena, resource **out, size_t *n, skep_err *err) {
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(
      db,
      "SELECT \"CTC_DATABASE\", \"CTC_TABLE\", \"CTC_PARTITION\", max(\"CTC_WRITEID\"), max(CASE WHEN "
      "\"CTC_UPDATE_DELETE\" = 'Y' THEN \"CTC_WRITEID\" ELSE 0 END) FROM \"COMPLETED_TXN_COMPONENTS\" GROUP BY "
      "\"CTC_DATABASE\", \"CTC_TABLE\", \"CTC_PARTITION\" HAVING count(*) > 2",
      SKEP_NO_PARAMS, &stmt, err));
  size_t capacity = 0;
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    void *items = *out;
    status = skep_arena_grow(arena, &items, &capacity, *n + 1, sizeof **out, err);
    if (status != SKEP_OK) break;
    *out = items;
    resource *r = &(*out)[(*n)++];
    *r = (resource){.highest = skep_stmt_i64(stmt, 3), .highest_change = skep_stmt_i64(stmt, 4)};
    status = skep_stmt_text_copy(stmt, 0, arena, &r->database, err);
    if (status == SKEP_OK) status = skep_stmt_text_copy(stmt, 1, arena, &r->table, err);
    if (status == SKEP_OK) status = skep_stmt_text_copy(stmt, 2, arena, &r->partition, err);
    if (status != SKEP_OK) break;
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

static const char sql_clean_partition[] =
    "DELETE FROM \"COMPLETED_TXN_COMPONENTS\" WHERE \"CTC_DATABASE\" = ? AND \"CTC_TABLE\" = ? AND \"CTC_WRITEID\" < "
    "CASE "
    "WHEN \"CTC_UPDATE_DELETE\" = 'Y' THEN ? ELSE ? END AND \"CTC_PARTITION\" = ?";
static const char sql_clean_table[] =
    "DELETE FROM \"COMPLETED_TXN_COMPONENTS\" WHERE \"CTC_DATABASE\" = ? AND \"CTC_TABLE\" = ? AND \"CTC_WRITEID\" < "
    "CASE "
    "WHEN \"CTC_UPDATE_DELETE\" = 'Y' THEN ? ELSE ? END AND \"CTC_PARTITION\" IS NULL";

/* Of each resource the rows of the highest write id stay, and those of the highest that updated or deleted. */
static skep_status clean_completed(skep_db *db, skep_arena *arena, uint64_t *n_done, skep_err *err) {
  resource *items = NULL;
  size_t n = 0;
  SKEP_TRY(read_resources(db, arena, &items, &n, err));
  for (size_t i = 0; i < n; i++) {
    const resource *r = &items[i];
    const skep_param params[] = {skep_p_text(r->database), skep_p_text(r->table), skep_p_i64(r->highest_change),
                                 skep_p_i64(r->highest), skep_p_text(r->partition)};
    int64_t changed = 0;
    if (r->table == NULL) continue;
    SKEP_TRY(skep_db_run(db, r->partition != NULL ? sql_clean_partition : sql_clean_table, params,
                         r->partition != NULL ? 5 : 4, &changed, err));
    *n_done += (uint64_t)changed;
  }
  return SKEP_OK;
}

static skep_status housekeep(skep_db *db, const skep_txn_conf *c, skep_arena *arena, skep_txn_housekeeping *done,
                             skep_err *err) {
  int64_t min_open = 0, n = 0;
  SKEP_TRY(time_out(db, c, &done->timed_out, err));
  SKEP_TRY(skep_txn_min_open(db, c, &min_open, err));
  SKEP_TRY(skep_db_run(db, "DELETE FROM \"WRITE_SET\" WHERE \"WS_COMMIT_ID\" < ?", SKEP_PARAMS(skep_p_i64(min_open)),
                       &n, err));
  done->write_set = (uint64_t)n;
  SKEP_TRY(skep_txn_clean_horizons(db, min_open, err));
  SKEP_TRY(clean_write_ids(db, min_open, &n, err));
  done->write_ids = (uint64_t)n;
  SKEP_TRY(skep_txn_keep_foreign_aborts(db, arena, err));
  SKEP_TRY(clean_txns(db, c, &n, err));
  SKEP_TRY(skep_txn_clean_notes(db, err));
  done->txns = (uint64_t)n;
  return clean_completed(db, arena, &done->components, err);
}

skep_status skep_txn_housekeep(skep_db *db, const skep_txn_conf *conf, skep_txn_housekeeping *done, skep_err *err) {
  skep_txn_conf c = skep_txn_conf_full(conf);
  skep_txn_housekeeping counts = {0};
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE_LAZY, &joined, err));
  skep_arena arena;
  skep_arena_init(&arena, skep_db_ctx(db), (size_t)1 << 30);
  skep_status status = housekeep(db, &c, &arena, &counts, err);
  skep_arena_fini(&arena);
  status = skep_db_end(db, joined, status, err);
  if (done != NULL) *done = status == SKEP_OK ? counts : (skep_txn_housekeeping){0};
  return status;
}

/* --- after a loss of power --- */

/* Whether this start of the machine is the one that was recovered; a start that cannot be told never is. */
skep_status skep_txn_is_recovered(skep_db *db, bool *out, skep_err *err) {
  char stored[80]; /* longer than any that is ours */
  const char *boot = skep_db_boot_id(db);
  SKEP_TRY(skep_db_get_property(db, SKEP_BOOT_PROPERTY, stored, sizeof stored, err));
  *out = boot[0] != 0 && strcmp(stored, boot) == 0;
  return SKEP_OK;
}

skep_status skep_txn_recovery_needed(skep_db *db, bool *needed, skep_err *err) {
  bool recovered = false;
  *needed = false;
  SKEP_TRY(skep_txn_is_recovered(db, &recovered, err));
  if (recovered || skep_db_boot_id(db)[0] == 0) return SKEP_OK;
  SKEP_TRY(skep_db_begin(db, SKEP_DB_WRITE, err));
  skep_status status = skep_txn_is_recovered(db, &recovered, err);
  *needed = status == SKEP_OK && !recovered;
  if (!*needed) skep_db_rollback(db);
  return status;
}

skep_status skep_txn_recovery_done(skep_db *db, bool ok, skep_err *err) {
  if (!ok) {
    skep_db_rollback(db);
    return SKEP_OK;
  }
  return skep_db_end(db, false, skep_db_set_property(db, SKEP_BOOT_PROPERTY, skep_db_boot_id(db), err), err);
}
