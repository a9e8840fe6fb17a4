/* Locks in HIVE_LOCKS: queueing a request, looking whether it can be granted, releasing it. */
#include "lock/lock.h"

#include <inttypes.h>
#include <string.h>

#include "db/counters.h"

/* Fails unless the transaction is open: with the reason when it was aborted. */
static skep_status need_open(skep_db *db, int64_t txn, skep_err *err) {
  skep_stmt *stmt;
  SKEP_TRY(skep_db_query(db, "SELECT \"TXN_STATE\", \"TXN_META_INFO\" FROM \"TXNS\" WHERE \"TXN_ID\" = ? {for_update}",
                         SKEP_PARAMS(skep_p_i64(txn)), &stmt, err));
  skep_status st = skep_stmt_next(stmt, err);
  if (st == SKEP_END) {
    st = skep_fail(err, SKEP_ERR_NOT_FOUND, "No such transaction txnid:%" PRId64, txn);
  } else if (st == SKEP_OK && skep_stmt_char(stmt, 0) != 'o') {
    char reason[160];
    size_t length = 0;
    const char *text = skep_stmt_text(stmt, 1, &length);
    skep_quote(reason, sizeof reason, text == NULL ? "" : text, length);
    bool aborted = skep_stmt_char(stmt, 0) == 'a';
    st = skep_fail(err, aborted ? SKEP_ERR_ABORTED : SKEP_ERR_NOT_FOUND, "Transaction txnid:%" PRId64 " %s%s%s%s", txn,
                   aborted ? "already aborted" : "is committed", text == NULL ? "" : " (", text == NULL ? "" : reason,
                   text == NULL ? "" : ")");
  }
  skep_stmt_done(stmt);
  return st;
}

#define LOCK_COLUMNS                                                                                          \
  "\"HL_LOCK_EXT_ID\", \"HL_LOCK_INT_ID\", \"HL_TXNID\", \"HL_DB\", \"HL_TABLE\", \"HL_PARTITION\", "         \
  "\"HL_LOCK_STATE\", \"HL_LOCK_TYPE\", \"HL_LAST_HEARTBEAT\", \"HL_ACQUIRED_AT\", \"HL_BLOCKEDBY_EXT_ID\", " \
  "\"HL_BLOCKEDBY_INT_ID\", \"HL_USER\", \"HL_HOST\", \"HL_AGENT_INFO\""

/* The row that a statement over LOCK_COLUMNS stands on. A type that nobody knows counts as the strongest. */
static skep_status read_row(skep_stmt *stmt, skep_arena *arena, skep_lock_row *row, skep_err *err) {
  *row = (skep_lock_row){.ext_id = skep_stmt_i64(stmt, 0),
                         .int_id = skep_stmt_i64(stmt, 1),
                         .txn = skep_stmt_i64(stmt, 2),
                         .acquired = skep_stmt_char(stmt, 6) == 'a',
                         .heartbeat_ms = skep_stmt_i64(stmt, 8),
                         .acquired_ms = skep_stmt_i64(stmt, 9),
                         .blocked_by_ext_id = skep_stmt_i64(stmt, 10),
                         .blocked_by_int_id = skep_stmt_i64(stmt, 11)};
  if (!skep_lock_of_letter(skep_stmt_char(stmt, 7), &row->on.type)) row->on.type = SKEP_LOCK_EXCLUSIVE;
  const struct {
    int column;
    const char **out;
  } texts[] = {{3, &row->on.database}, {4, &row->on.table}, {5, &row->on.partition},
               {12, &row->user},       {13, &row->host},    {14, &row->agent}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    SKEP_TRY(skep_stmt_text_copy(stmt, texts[i].column, arena, texts[i].out, err));
  return SKEP_OK;
}

/* Rows of a statement into a growing array of the arena. */
static skep_status read_rows(skep_stmt *stmt, skep_arena *arena, skep_lock_row **out, uint32_t *n, skep_err *err) {
  skep_lock_row *rows = NULL;
  uint32_t count = 0, room = 0;
  skep_status st;
  while ((st = skep_stmt_next(stmt, err)) == SKEP_OK) {
    if (count == room) {
      uint32_t more = room == 0 ? 16 : room * 2;
      skep_lock_row *wider = skep_arena_zero(arena, more, sizeof *wider);
      if (wider == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%" PRIu32 " locks", more);
      if (count != 0) memcpy(wider, rows, count * sizeof *rows);
      rows = wider;
      room = more;
    }
    SKEP_TRY(read_row(stmt, arena, &rows[count], err));
    count++;
  }
  if (st != SKEP_END) return st;
  *out = rows;
  *n = count;
  return SKEP_OK;
}

/* --- who is in the way --- */

typedef struct found_blocker {
  bool found;
  uint32_t at; /* which of the components waits */
  skep_lock_type wanted;
  skep_lock_row by;
  int64_t last_ext_id;
} found_blocker;

/* Rows before `ext_id` that can overlap with the table, or with anything in the database. */
static skep_status earlier_rows(skep_db *db, int64_t ext_id, const skep_lock_component *on, skep_arena *arena,
                                skep_lock_row **rows, uint32_t *n, skep_err *err) {
  skep_param params[] = {skep_p_i64(ext_id), skep_p_text(on->database), skep_p_text(on->table)};
  skep_stmt *stmt;
  *rows = NULL;
  *n = 0;
  SKEP_TRY(skep_db_query(
      db,
      on->table == NULL ? "SELECT " LOCK_COLUMNS " FROM \"HIVE_LOCKS\" WHERE \"HL_LOCK_EXT_ID\" < ? AND \"HL_DB\" = ? "
                          "ORDER BY \"HL_LOCK_EXT_ID\", \"HL_LOCK_INT_ID\""
                        : "SELECT " LOCK_COLUMNS " FROM \"HIVE_LOCKS\" WHERE \"HL_LOCK_EXT_ID\" < ? AND \"HL_DB\" = ? "
                          "AND (\"HL_TABLE\" IS NULL OR \"HL_TABLE\" = ?) "
                          "ORDER BY \"HL_LOCK_EXT_ID\", \"HL_LOCK_INT_ID\"",
      params, on->table == NULL ? 2 : 3, &stmt, err));
  skep_status st = read_rows(stmt, arena, rows, n, err);
  skep_stmt_done(stmt);
  return st;
}

static bool is_in_the_way(const skep_lock_component *wanted, int64_t txn, const skep_lock_row *row) {
  return (txn == 0 || row->txn != txn) && skep_lock_overlap(wanted, &row->on) &&
         skep_lock_conflicts(wanted->type, wanted->table == NULL, row->on.type, row->on.table == NULL);
}

static bool same_table(const skep_lock_component *a, const skep_lock_component *b) {
  if (strcmp(a->database, b->database) != 0 || (a->table == NULL) != (b->table == NULL)) return false;
  return a->table == NULL || strcmp(a->table, b->table) == 0;
}

/* The first lock, in the order of ids, that the first waiting component of a request has to wait for. One statement a
 * table, however many of its partitions stand there side by side. */
static skep_status find_blocker(skep_db *db, const skep_lock_component *components, uint32_t n, int64_t txn,
                                int64_t ext_id, skep_arena *arena, found_blocker *out, skep_err *err) {
  *out = (found_blocker){0};
  for (uint32_t i = 0, end; i < n; i = end) {
    skep_lock_row *rows;
    uint32_t n_rows;
    SKEP_TRY(earlier_rows(db, ext_id, &components[i], arena, &rows, &n_rows, err));
    for (end = i; end < n && same_table(&components[i], &components[end]); end++) {
      for (uint32_t k = 0; k < n_rows; k++) {
        if (!is_in_the_way(&components[end], txn, &rows[k])) continue;
        if (!out->found) *out = (found_blocker){true, end, components[end].type, rows[k], 0};
        out->last_ext_id = rows[k].ext_id;
      }
      if (out->found) return SKEP_OK;
    }
  }
  return SKEP_OK;
}

static void tell(const found_blocker *found, skep_lock_state *state, skep_lock_blocker *blocker) {
  const skep_lock_row *by = &found->by;
  *state = found->found ? SKEP_LOCK_WAITING : SKEP_LOCK_ACQUIRED;
  if (found->found && blocker != NULL)
    *blocker = (skep_lock_blocker){.ext_id = by->ext_id,
                                   .int_id = by->int_id,
                                   .txn = by->txn,
                                   .type = by->on.type,
                                   .acquired = by->acquired,
                                   .database = by->on.database,
                                   .table = by->on.table,
                                   .partition = by->on.partition,
                                   .user = by->user,
                                   .host = by->host,
                                   .agent = by->agent,
                                   .wanted = found->wanted,
                                   .last_ext_id = found->last_ext_id};
}

/* --- requesting --- */

static skep_status read_next_id(skep_db *db, bool to_change, int64_t *out, skep_err *err) {
  bool found;
  SKEP_TRY(skep_db_get_i64(
      db,
      to_change ? "SELECT \"NL_NEXT\" FROM \"NEXT_LOCK_ID\" {for_update}" : "SELECT \"NL_NEXT\" FROM \"NEXT_LOCK_ID\"",
      SKEP_NO_PARAMS, out, &found, err));
  return found ? SKEP_OK : skep_fail(err, SKEP_ERR_CORRUPT, "NEXT_LOCK_ID has no row");
}

skep_status skep_lock_next_id(skep_db *db, int64_t *out, skep_err *err) { return read_next_id(db, false, out, err); }

static skep_status take_id(skep_db *db, int64_t id, skep_err *err) {
  return skep_db_run(db, "UPDATE \"NEXT_LOCK_ID\" SET \"NL_NEXT\" = ?", SKEP_PARAMS(skep_p_i64(id + 1)), NULL, err);
}

static skep_status insert_row(skep_db *db, const skep_lock_owner *owner, const skep_lock_component *c, int64_t ext_id,
                              int64_t int_id, int64_t now, const found_blocker *found, skep_err *err) {
  bool blocked = found->found && found->at + 1 == int_id;
  skep_status status = skep_db_run(
      db,
      "INSERT INTO \"HIVE_LOCKS\" (\"HL_LOCK_EXT_ID\", \"HL_LOCK_INT_ID\", \"HL_TXNID\", \"HL_DB\", \"HL_TABLE\", "
      "\"HL_PARTITION\", \"HL_LOCK_STATE\", \"HL_LOCK_TYPE\", \"HL_LAST_HEARTBEAT\", \"HL_ACQUIRED_AT\", "
      "\"HL_BLOCKEDBY_EXT_ID\", \"HL_BLOCKEDBY_INT_ID\", \"HL_USER\", \"HL_HOST\", \"HL_AGENT_INFO\") "
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      SKEP_PARAMS(skep_p_i64(ext_id), skep_p_i64(int_id), skep_p_i64(owner->txn), skep_p_text(c->database),
                  skep_p_text(c->table), skep_p_text(c->partition), skep_p_char(found->found ? 'w' : 'a'),
                  skep_p_char(skep_lock_letter(c->type)), skep_p_i64(owner->txn != 0 ? 0 : now),
                  found->found ? skep_p_null() : skep_p_i64(now),
                  blocked ? skep_p_i64(found->by.ext_id) : skep_p_null(),
                  blocked ? skep_p_i64(found->by.int_id) : skep_p_null(),
                  skep_p_text(owner->user == NULL ? "unknown" : owner->user),
                  skep_p_text(owner->host == NULL ? "unknown" : owner->host), skep_p_text(owner->agent)),
      NULL, err);
  return status == SKEP_ERR_EXISTS ? skep_counter_taken("NEXT_LOCK_ID", ext_id, err) : status;
}

/* The row of NEXT_LOCK_ID is locked first: whoever asked before has ended its database transaction then, so all lower
 * ids are seen. */
static skep_status request_in_transaction(skep_db *db, const skep_lock_owner *owner,
                                          const skep_lock_component *components, uint32_t n, skep_arena *arena,
                                          int64_t *ext_id, skep_lock_state *state, skep_lock_blocker *blocker,
                                          skep_err *err) {
  int64_t now;
  found_blocker found;
  if (owner->txn != 0 && !owner->is_new) SKEP_TRY(need_open(db, owner->txn, err));
  SKEP_TRY(read_next_id(db, true, ext_id, err));
  SKEP_TRY(find_blocker(db, components, n, owner->txn, *ext_id, arena, &found, err));
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  for (uint32_t i = 0; i < n; i++)
    SKEP_TRY(insert_row(db, owner, &components[i], *ext_id, (int64_t)i + 1, now, &found, err));
  tell(&found, state, blocker);
  return take_id(db, *ext_id, err);
}

skep_status skep_lock_request(skep_db *db, const skep_lock_owner *owner, const skep_lock_component *components,
                              uint32_t n, skep_arena *arena, int64_t *ext_id, skep_lock_state *state,
                              skep_lock_blocker *blocker, skep_err *err) {
  if (n == 0) return skep_fail(err, SKEP_ERR_ARGUMENT, "a lock request without components");
  bool joined;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_ROWS_LAZY, &joined, err));
  return skep_db_end(db, joined, request_in_transaction(db, owner, components, n, arena, ext_id, state, blocker, err),
                     err);
}

skep_status skep_lock_pass(skep_db *db, const skep_lock_component *components, uint32_t n, skep_arena *arena,
                           skep_lock_state *state, skep_lock_blocker *blocker, skep_err *err) {
  int64_t id;
  found_blocker found;
  if (!skep_db_in_write(db)) return skep_fail(err, SKEP_ERR_ARGUMENT, "locks without a transaction to hold them");
  SKEP_TRY(read_next_id(db, true, &id, err));
  SKEP_TRY(find_blocker(db, components, n, 0, id, arena, &found, err));
  tell(&found, state, blocker);
  return found.found ? SKEP_OK : take_id(db, id, err);
}

skep_status skep_lock_move(skep_db *db, int64_t ext_id, int64_t from_txn, int64_t to_txn, skep_err *err) {
  int64_t changed;
  SKEP_TRY(skep_db_run(db,
                       "UPDATE \"HIVE_LOCKS\" SET \"HL_TXNID\" = ? WHERE \"HL_TXNID\" = ? AND \"HL_LOCK_EXT_ID\" = ?",
                       SKEP_PARAMS(skep_p_i64(to_txn), skep_p_i64(from_txn), skep_p_i64(ext_id)), &changed, err));
  return changed != 0 ? SKEP_OK : skep_fail(err, SKEP_ERR_NOT_FOUND, "No such lock lockid:%" PRId64, ext_id);
}

skep_status skep_lock_presence_of(skep_db *db, int64_t ext_id, skep_lock_presence *out, skep_err *err) {
  skep_stmt *stmt;
  *out = SKEP_LOCK_GONE;
  SKEP_TRY(skep_db_query(db, "SELECT \"HL_LOCK_STATE\" FROM \"HIVE_LOCKS\" WHERE \"HL_LOCK_EXT_ID\" = ? LIMIT 1",
                         SKEP_PARAMS(skep_p_i64(ext_id)), &stmt, err));
  skep_status st = skep_stmt_next(stmt, err);
  if (st == SKEP_OK) *out = skep_stmt_char(stmt, 0) == 'a' ? SKEP_LOCK_HELD : SKEP_LOCK_QUEUED;
  skep_stmt_done(stmt);
  return st == SKEP_END ? SKEP_OK : st;
}

/* --- waiting --- */

/* A request that is there, and who is in its way. */
typedef struct standing {
  skep_lock_row *rows;
  uint32_t n;
  found_blocker found;
} standing;

static skep_status look_at(skep_db *db, int64_t ext_id, skep_arena *arena, standing *out, skep_err *err) {
  skep_stmt *stmt;
  SKEP_TRY(skep_db_query(db,
                         "SELECT " LOCK_COLUMNS " FROM \"HIVE_LOCKS\" WHERE \"HL_LOCK_EXT_ID\" = ? "
                         "ORDER BY \"HL_LOCK_INT_ID\"",
                         SKEP_PARAMS(skep_p_i64(ext_id)), &stmt, err));
  *out = (standing){0};
  skep_status st = read_rows(stmt, arena, &out->rows, &out->n, err);
  skep_stmt_done(stmt);
  SKEP_TRY(st);
  if (out->n == 0) return skep_fail(err, SKEP_ERR_NOT_FOUND, "No such lock lockid:%" PRId64, ext_id);
  if (out->rows[0].acquired) return SKEP_OK;
  skep_lock_component *wanted = skep_arena_zero(arena, out->n, sizeof *wanted);
  if (wanted == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a request of %" PRIu32 " locks", out->n);
  for (uint32_t i = 0; i < out->n; i++) wanted[i] = out->rows[i].on;
  return find_blocker(db, wanted, out->n, out->rows[0].txn, ext_id, arena, &out->found, err);
}

skep_status skep_lock_look(skep_db *db, int64_t ext_id, skep_arena *arena, skep_lock_state *state,
                           skep_lock_blocker *blocker, skep_err *err) {
  bool joined;
  standing s;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_READ, &joined, err));
  SKEP_TRY(skep_db_end(db, joined, look_at(db, ext_id, arena, &s, err), err));
  tell(&s.found, state, blocker);
  return SKEP_OK;
}

static skep_status stay_alive(skep_db *db, const skep_lock_row *row, int64_t now, skep_err *err) {
  if (row->txn == 0) return skep_lock_heartbeat(db, row->ext_id, err);
  SKEP_TRY(need_open(db, row->txn, err));
  return skep_db_run(db, "UPDATE \"TXNS\" SET \"TXN_LAST_HEARTBEAT\" = ? WHERE \"TXN_ID\" = ?",
                     SKEP_PARAMS(skep_p_i64(now), skep_p_i64(row->txn)), NULL, err);
}

/* Whom the blocked component waits for, where somebody may see it (SHOW LOCKS). */
static skep_status note_blocker(skep_db *db, const standing *s, skep_err *err) {
  const skep_lock_row *row = &s->rows[s->found.at], *by = &s->found.by;
  if (row->blocked_by_ext_id == by->ext_id && row->blocked_by_int_id == by->int_id) return SKEP_OK;
  return skep_db_run(
      db,
      "UPDATE \"HIVE_LOCKS\" SET \"HL_BLOCKEDBY_EXT_ID\" = ?, \"HL_BLOCKEDBY_INT_ID\" = ? "
      "WHERE \"HL_LOCK_EXT_ID\" = ? AND \"HL_LOCK_INT_ID\" = ?",
      SKEP_PARAMS(skep_p_i64(by->ext_id), skep_p_i64(by->int_id), skep_p_i64(row->ext_id), skep_p_i64(row->int_id)),
      NULL, err);
}

static skep_status grant(skep_db *db, const standing *s, int64_t now, skep_err *err) {
  int64_t changed, ext_id = s->rows[0].ext_id;
  SKEP_TRY(skep_db_run(
      db,
      "UPDATE \"HIVE_LOCKS\" SET \"HL_LOCK_STATE\" = ?, \"HL_ACQUIRED_AT\" = ?, \"HL_LAST_HEARTBEAT\" = ?, "
      "\"HL_BLOCKEDBY_EXT_ID\" = NULL, \"HL_BLOCKEDBY_INT_ID\" = NULL WHERE \"HL_LOCK_EXT_ID\" = ?",
      SKEP_PARAMS(skep_p_char('a'), skep_p_i64(now), skep_p_i64(s->rows[0].txn != 0 ? 0 : now), skep_p_i64(ext_id)),
      &changed, err));
  return changed == (int64_t)s->n ? SKEP_OK
                                  : skep_fail(err, SKEP_ERR_NOT_FOUND, "No such lock lockid:%" PRId64, ext_id);
}

static skep_status check_in_transaction(skep_db *db, int64_t ext_id, skep_arena *arena, skep_lock_state *state,
                                        skep_lock_blocker *blocker, skep_err *err) {
  standing s;
  int64_t now;
  SKEP_TRY(look_at(db, ext_id, arena, &s, err));
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  SKEP_TRY(stay_alive(db, &s.rows[0], now, err));
  tell(&s.found, state, blocker);
  if (s.found.found) return note_blocker(db, &s, err);
  return s.rows[0].acquired ? SKEP_OK : grant(db, &s, now, err);
}

skep_status skep_lock_check(skep_db *db, int64_t ext_id, skep_arena *arena, skep_lock_state *state,
                            skep_lock_blocker *blocker, skep_err *err) {
  bool joined;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_ROWS_LAZY, &joined, err));
  return skep_db_end(db, joined, check_in_transaction(db, ext_id, arena, state, blocker, err), err);
}

static skep_status release_in_transaction(skep_db *db, int64_t ext_id, skep_err *err) {
  int64_t removed;
  SKEP_TRY(skep_db_run(db,
                       "DELETE FROM \"HIVE_LOCKS\" WHERE \"HL_LOCK_EXT_ID\" = ? AND "
                       "(\"HL_TXNID\" = 0 OR \"HL_LOCK_STATE\" = 'w')",
                       SKEP_PARAMS(skep_p_i64(ext_id)), &removed, err));
  if (removed != 0) return SKEP_OK;
  int64_t left;
  SKEP_TRY(skep_db_get_i64(db, "SELECT count(*) FROM \"HIVE_LOCKS\" WHERE \"HL_LOCK_EXT_ID\" = ?",
                           SKEP_PARAMS(skep_p_i64(ext_id)), &left, NULL, err));
  if (left == 0) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_ARGUMENT, "lockid:%" PRId64 " belongs to a transaction: it ends with it", ext_id);
}

skep_status skep_lock_release(skep_db *db, int64_t ext_id, skep_err *err) {
  bool joined;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_ROWS_LAZY, &joined, err));
  return skep_db_end(db, joined, release_in_transaction(db, ext_id, err), err);
}

skep_status skep_lock_heartbeat(skep_db *db, int64_t ext_id, skep_err *err) {
  int64_t now, changed;
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  SKEP_TRY(skep_db_run(
      db, "UPDATE \"HIVE_LOCKS\" SET \"HL_LAST_HEARTBEAT\" = ? WHERE \"HL_LOCK_EXT_ID\" = ? AND \"HL_TXNID\" = 0",
      SKEP_PARAMS(skep_p_i64(now), skep_p_i64(ext_id)), &changed, err));
  if (changed == 0) return skep_fail(err, SKEP_ERR_NOT_FOUND, "No such lock lockid:%" PRId64, ext_id);
  return SKEP_OK;
}

skep_status skep_lock_list(skep_db *db, const char *database, const char *table, const char *partition,
                           skep_arena *arena, skep_lock_row **out, uint32_t *n, skep_err *err) {
  *out = NULL;
  *n = 0;
  skep_stmt *stmt;
  SKEP_TRY(skep_db_query(db,
                         "SELECT " LOCK_COLUMNS " FROM \"HIVE_LOCKS\" ORDER BY \"HL_LOCK_EXT_ID\", \"HL_LOCK_INT_ID\"",
                         SKEP_NO_PARAMS, &stmt, err));
  skep_lock_row *rows = NULL;
  uint32_t count = 0, kept = 0;
  skep_status st = read_rows(stmt, arena, &rows, &count, err);
  skep_stmt_done(stmt);
  SKEP_TRY(st);
  for (uint32_t i = 0; i < count; i++) {
    const skep_lock_component *on = &rows[i].on;
    if (database != NULL && strcmp(on->database, database) != 0) continue;
    if (table != NULL && (on->table == NULL || strcmp(on->table, table) != 0)) continue;
    if (partition != NULL && (on->partition == NULL || strcmp(on->partition, partition) != 0)) continue;
    rows[kept++] = rows[i];
  }
  *out = rows;
  *n = kept;
  return SKEP_OK;
}
