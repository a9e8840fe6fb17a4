/* Rows of AUX_TABLE about transactions: see progress.h. Comments hold 255 characters. */
#include "txn/progress.h"

#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "txn/txn_int.h"

enum { COMMENT_SIZE = 256, MAX_ROWS = 100000 };

/* At most `most` bytes of a text, whole characters of UTF-8, without line ends: appended to a line of a comment. */
static void put_line(char *out, size_t size, const char *text, size_t most) {
  size_t at = strlen(out), n = 0;
  if (text == NULL) text = "";
  size_t length = strnlen(text, most);
  while (length > 0 && ((uint8_t)text[length] & 0xc0) == 0x80) length--;
  for (; n < length && at + 2 < size; n++) out[at++] = text[n] == '\n' || text[n] == '\r' ? ' ' : text[n];
  out[at++] = '\n';
  out[at] = '\0';
}

/* The next line of a comment, as a copy in the arena; an empty one is NULL. */
static skep_status take_line(const char **at, skep_arena *arena, const char **out, skep_err *err) {
  size_t n = strcspn(*at, "\n");
  *out = NULL;
  if (n > 0) {
    *out = skep_arena_strndup(arena, *at, n);
    if (*out == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a note about a transaction");
  }
  *at += n + ((*at)[n] != '\0' ? 1 : 0);
  return SKEP_OK;
}

/* The next number of a comment, 0 when there is none. */
static int64_t take_number(const char **at) {
  int64_t value = 0;
  char digits[24];
  while (**at == ' ' || **at == '\n') (*at)++;
  size_t n = strspn(*at, "0123456789");
  if (n > 0 && n < sizeof digits) {
    memcpy(digits, *at, n);
    digits[n] = '\0';
    if (!skep_parse_int(digits, &value)) value = 0;
  }
  *at += n;
  return value;
}

/* --- notes by transaction --- */

static skep_status put_note(skep_db *db, const char *key, int64_t txn, const char *comment, skep_err *err) {
  int64_t changed = 0;
  SKEP_TRY(skep_db_run(db, "UPDATE \"AUX_TABLE\" SET \"MT_COMMENT\" = ? WHERE \"MT_KEY1\" = ? AND \"MT_KEY2\" = ?",
                       SKEP_PARAMS(skep_p_text(comment), skep_p_text(key), skep_p_i64(txn)), &changed, err));
  if (changed > 0) return SKEP_OK;
  return skep_db_run(db, "INSERT INTO \"AUX_TABLE\" (\"MT_KEY1\", \"MT_KEY2\", \"MT_COMMENT\") VALUES (?, ?, ?)",
                     SKEP_PARAMS(skep_p_text(key), skep_p_i64(txn), skep_p_text(comment)), NULL, err);
}

static skep_status get_note(skep_db *db, skep_arena *arena, const char *key, int64_t txn, const char **out,
                            skep_err *err) {
  return skep_db_get_text(db, "SELECT \"MT_COMMENT\" FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = ? AND \"MT_KEY2\" = ?",
                          SKEP_PARAMS(skep_p_text(key), skep_p_i64(txn)), arena, out, err);
}

/* --- how far --- */

static skep_status put_progress(skep_db *db, int64_t txn, const skep_txn_progress *p, skep_err *err) {
  char comment[COMMENT_SIZE];
  snprintf(comment, sizeof comment, "%lld %lld %lld", (long long)p->rows, (long long)p->bytes,
           (long long)p->changed_ms);
  return put_note(db, "skep.progress", txn, comment, err);
}

static skep_txn_progress parse_progress(const char *comment) {
  skep_txn_progress p = {.rows = take_number(&comment)};
  p.bytes = take_number(&comment);
  p.changed_ms = take_number(&comment);
  return p;
}

skep_status skep_txn_beat(skep_db *db, int64_t txn, const skep_txn_progress *progress, skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_ROWS_LAZY, &joined, err)); /* rows of its own */
  skep_status status = skep_txn_heartbeat(db, &txn, 1, err);
  if (status == SKEP_OK && progress != NULL) status = put_progress(db, txn, progress, err);
  return skep_db_end(db, joined, status, err);
}

skep_status skep_txn_set_query(skep_db *db, int64_t txn, const char *query, skep_err *err) {
  return skep_db_run(db, "UPDATE \"TXNS\" SET \"TXN_AGENT_INFO\" = ? WHERE \"TXN_ID\" = ? AND \"TXN_STATE\" = 'o'",
                     SKEP_PARAMS(skep_p_textn(query, query != NULL ? strnlen(query, 128) : 0), skep_p_i64(txn)), NULL,
                     err);
}

/* --- ending a query from outside --- */

/* The open transaction that runs the query; *mark is what it says about its tables. */
static skep_status find_query(skep_db *db, const char *query, int64_t *txn, bool *is_ours, skep_err *err) {
  skep_stmt *stmt = NULL;
  *txn = 0;
  SKEP_TRY(skep_db_query(db,
                         "SELECT \"TXN_ID\", \"TXN_META_INFO\" FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o' AND "
                         "\"TXN_AGENT_INFO\" = ? ORDER BY \"TXN_ID\" DESC",
                         SKEP_PARAMS(skep_p_text(query)), &stmt, err));
  skep_status status = skep_stmt_next(stmt, err);
  if (status == SKEP_OK) {
    *txn = skep_stmt_i64(stmt, 0);
    *is_ours = skep_txn_is_mark(skep_stmt_text(stmt, 1, NULL));
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

static skep_status kill_query(skep_db *db, const char *query, const char *who, int64_t *txn, skep_err *err) {
  char quoted[200], comment[COMMENT_SIZE] = "";
  bool is_ours = false;
  SKEP_TRY(find_query(db, query, txn, &is_ours, err));
  skep_quote(quoted, sizeof quoted, query, strlen(query));
  if (*txn == 0) return skep_fail(err, SKEP_ERR_NOT_FOUND, "no query runs with id '%s'", quoted);
  if (!is_ours)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED,
                     "query '%s' is not run by Skep: ABORT TRANSACTIONS %lld ends its transaction", quoted,
                     (long long)*txn);
  put_line(comment, sizeof comment, query, 128);
  put_line(comment, sizeof comment, who, 100);
  return put_note(db, "skep.kill", *txn, comment, err);
}

skep_status skep_txn_kill_query(skep_db *db, const char *query, const char *who, int64_t *txn, skep_err *err) {
  bool joined = false;
  skep_err why = {0};
  /* Waits for nobody but who asks for the same: the query may stand in everybody's way. */
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_HOLD, &joined, err));
  skep_status status = skep_db_end(db, joined, kill_query(db, query, who, txn, &why), &why);
  if (status == SKEP_ERR_EXISTS && !joined) return SKEP_OK; /* another one has asked this very moment */
  if (status != SKEP_OK && err != NULL) *err = why;
  return status;
}

skep_status skep_txn_kills(skep_db *db, skep_arena *arena, skep_txn_kill **out, uint32_t *n, skep_err *err) {
  skep_stmt *stmt = NULL;
  size_t count = 0, capacity = 0;
  *out = NULL;
  *n = 0;
  SKEP_TRY(skep_db_query(db, "SELECT \"MT_KEY2\", \"MT_COMMENT\" FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = 'skep.kill'",
                         SKEP_NO_PARAMS, &stmt, err));
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK && count < MAX_ROWS) {
    void *items = *out;
    const char *comment = skep_stmt_text(stmt, 1, NULL);
    status = skep_arena_grow(arena, &items, &capacity, count + 1, sizeof **out, err);
    if (status != SKEP_OK) break;
    *out = items;
    skep_txn_kill *kill = &(*out)[count++];
    *kill = (skep_txn_kill){.txn = skep_stmt_i64(stmt, 0)};
    if (comment == NULL) continue;
    status = take_line(&comment, arena, &kill->query, err);
    if (status == SKEP_OK) status = take_line(&comment, arena, &kill->who, err);
    if (status != SKEP_OK) break;
  }
  skep_stmt_done(stmt);
  *n = (uint32_t)count;
  return status == SKEP_END ? SKEP_OK : status;
}

skep_status skep_txn_kill_done(skep_db *db, int64_t txn, skep_err *err) {
  return skep_db_run(db, "DELETE FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = 'skep.kill' AND \"MT_KEY2\" = ?",
                     SKEP_PARAMS(skep_p_i64(txn)), NULL, err);
}

/* --- aborted ones --- */

/* Reason, user, host and query of a row of TXNS, and when, as a comment. */
static skep_status describe_abort(skep_db *db, int64_t txn, char comment[COMMENT_SIZE], skep_err *err) {
  skep_stmt *stmt = NULL;
  int64_t now;
  comment[0] = '\0';
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  SKEP_TRY(skep_db_query(db,
                         "SELECT \"TXN_META_INFO\", \"TXN_USER\", \"TXN_HOST\", \"TXN_AGENT_INFO\", \"TXN_STARTED\" "
                         "FROM \"TXNS\" WHERE \"TXN_ID\" = ?",
                         SKEP_PARAMS(skep_p_i64(txn)), &stmt, err));
  skep_status status = skep_stmt_next(stmt, err);
  if (status == SKEP_OK) {
    static const size_t most[] = {60, 40, 40, 60};
    char times[64];
    for (int i = 0; i < 4; i++) put_line(comment, COMMENT_SIZE, skep_stmt_text(stmt, i, NULL), most[i]);
    snprintf(times, sizeof times, "%lld\n%lld", (long long)skep_stmt_i64(stmt, 4), (long long)now);
    put_line(comment, COMMENT_SIZE, times, 40);
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

skep_status skep_txn_keep_abort(skep_db *db, int64_t txn, skep_err *err) {
  char comment[COMMENT_SIZE];
  SKEP_TRY(describe_abort(db, txn, comment, err));
  return put_note(db, "skep.aborted", txn, comment, err);
}

static skep_status parse_abort(const char *comment, skep_arena *arena, skep_txn_full_row *row, skep_err *err) {
  SKEP_TRY(take_line(&comment, arena, &row->row.reason, err));
  SKEP_TRY(take_line(&comment, arena, &row->row.user, err));
  SKEP_TRY(take_line(&comment, arena, &row->row.host, err));
  SKEP_TRY(take_line(&comment, arena, &row->row.agent, err));
  row->row.started_ms = take_number(&comment);
  row->aborted_ms = take_number(&comment);
  return SKEP_OK;
}

skep_status skep_txn_kept_reason(skep_db *db, skep_arena *arena, int64_t txn, const char **reason, skep_err *err) {
  const char *comment;
  *reason = NULL;
  SKEP_TRY(get_note(db, arena, "skep.aborted", txn, &comment, err));
  return comment != NULL ? take_line(&comment, arena, reason, err) : SKEP_OK;
}

skep_status skep_txn_abort_reason_of(skep_db *db, skep_arena *arena, int64_t txn, const char **reason, skep_err *err) {
  char state;
  SKEP_TRY(skep_txn_state(db, txn, &state, arena, reason, err));
  return *reason == NULL ? skep_txn_kept_reason(db, arena, txn, reason, err) : SKEP_OK;
}

/* --- the list --- */

typedef struct listing {
  skep_arena *arena;
  skep_txn_full_row *items;
  size_t n, capacity;
  size_t n_rows; /* those from TXNS come first, ascending */
} listing;

static skep_status add(listing *l, const skep_txn_full_row *row, skep_err *err) {
  void *items = l->items;
  if (l->n >= UINT32_MAX) return skep_fail(err, SKEP_ERR_LIMIT, "too many transactions");
  SKEP_TRY(skep_arena_grow(l->arena, &items, &l->capacity, l->n + 1, sizeof *l->items, err));
  l->items = items;
  l->items[l->n++] = *row;
  return SKEP_OK;
}

static skep_txn_full_row *find(listing *l, int64_t txn) {
  size_t low = 0, high = l->n_rows;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (l->items[middle].row.id < txn) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < l->n_rows && l->items[low].row.id == txn ? &l->items[low] : NULL;
}

static skep_status take_note(listing *l, const char *key, int64_t txn, const char *comment, bool forgotten,
                             skep_err *err) {
  skep_txn_full_row *row = find(l, txn), note = {0};
  if (strcmp(key, "skep.progress") == 0) {
    if (row == NULL || row->row.state != 'o') return SKEP_OK;
    row->has_progress = true;
    row->progress = parse_progress(comment);
    return SKEP_OK;
  }
  if (row == NULL && !forgotten) return SKEP_OK;
  SKEP_TRY(parse_abort(comment, l->arena, &note, err));
  if (row != NULL) {
    row->aborted_ms = note.aborted_ms;
    return SKEP_OK;
  }
  note.row.id = txn;
  note.row.state = 'a';
  note.is_forgotten = true;
  return add(l, &note, err);
}

static skep_status read_notes(listing *l, skep_db *db, bool forgotten, skep_err *err) {
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(db,
                         "SELECT \"MT_KEY1\", \"MT_KEY2\", \"MT_COMMENT\" FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" IN "
                         "('skep.progress', 'skep.aborted') ORDER BY \"MT_KEY2\"",
                         SKEP_NO_PARAMS, &stmt, err));
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    const char *key = skep_stmt_text(stmt, 0, NULL), *comment = skep_stmt_text(stmt, 2, NULL);
    if (key == NULL || comment == NULL) continue;
    status = take_note(l, key, skep_stmt_i64(stmt, 1), comment, forgotten, err);
    if (status != SKEP_OK) break;
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

/* Both halves ascend. */
static skep_status merge_rows(listing *l, skep_txn_full_row **out, skep_err *err) {
  skep_txn_full_row *sorted = skep_arena_zero(l->arena, l->n + 1, sizeof *sorted);
  if (sorted == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "transactions");
  size_t a = 0, b = l->n_rows;
  for (size_t i = 0; i < l->n; i++) {
    bool first = b >= l->n || (a < l->n_rows && l->items[a].row.id < l->items[b].row.id);
    sorted[i] = first ? l->items[a++] : l->items[b++];
  }
  *out = sorted;
  return SKEP_OK;
}

static skep_status list_full(listing *l, skep_db *db, bool forgotten, skep_err *err) {
  skep_txn_row *rows;
  uint32_t n;
  SKEP_TRY(skep_txn_list(db, l->arena, &rows, &n, err));
  for (uint32_t i = 0; i < n; i++) {
    const skep_txn_full_row row = {.row = rows[i]};
    SKEP_TRY(add(l, &row, err));
  }
  l->n_rows = l->n;
  return read_notes(l, db, forgotten, err);
}

skep_status skep_txn_list_full(skep_db *db, skep_arena *arena, bool forgotten, skep_txn_full_row **out, uint32_t *n,
                               skep_err *err) {
  listing l = {.arena = arena};
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_READ, &joined, err));
  SKEP_TRY(skep_db_end(db, joined, list_full(&l, db, forgotten, err), err));
  *n = (uint32_t)l.n;
  return merge_rows(&l, out, err);
}

/* --- house-keeping --- */

skep_status skep_txn_clean_notes(skep_db *db, skep_err *err) {
  int64_t n = 0, last = 0;
  SKEP_TRY(skep_db_run(db,
                       "DELETE FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" IN ('skep.progress', 'skep.kill') AND NOT EXISTS "
                       "(SELECT 1 FROM \"TXNS\" WHERE \"TXN_ID\" = \"MT_KEY2\" AND \"TXN_STATE\" = 'o')",
                       SKEP_NO_PARAMS, NULL, err));
  SKEP_TRY(skep_db_get_i64(db, "SELECT count(*) FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = 'skep.aborted'", SKEP_NO_PARAMS,
                           &n, NULL, err));
  if (n <= SKEP_TXN_MAX_ABORTS) return SKEP_OK;
  SKEP_TRY(skep_db_get_i64(
      db,
      "SELECT \"MT_KEY2\" FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = 'skep.aborted' ORDER BY \"MT_KEY2\" DESC LIMIT 1 "
      "OFFSET ?",
      SKEP_PARAMS(skep_p_i64(SKEP_TXN_MAX_ABORTS)), &last, NULL, err));
  return skep_db_run(db, "DELETE FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = 'skep.aborted' AND \"MT_KEY2\" <= ?",
                     SKEP_PARAMS(skep_p_i64(last)), NULL, err);
}

/* Aborted by others (a Hive): before their rows go. Not those that are older than all notes that are kept. */
skep_status skep_txn_keep_foreign_aborts(skep_db *db, skep_arena *arena, skep_err *err) {
  skep_stmt *stmt = NULL;
  int64_t *ids = NULL, n_notes = 0, oldest = 0;
  size_t n = 0, capacity = 0;
  SKEP_TRY(skep_db_get_i64(db, "SELECT count(*) FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = 'skep.aborted'", SKEP_NO_PARAMS,
                           &n_notes, NULL, err));
  if (n_notes >= SKEP_TXN_MAX_ABORTS)
    SKEP_TRY(skep_db_get_i64(db, "SELECT min(\"MT_KEY2\") FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = 'skep.aborted'",
                             SKEP_NO_PARAMS, &oldest, NULL, err));
  SKEP_TRY(skep_db_query(
      db,
      "SELECT \"TXN_ID\" FROM \"TXNS\" WHERE \"TXN_STATE\" = 'a' AND \"TXN_ID\" > ? AND NOT EXISTS (SELECT 1 "
      "FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = 'skep.aborted' AND \"MT_KEY2\" = \"TXN_ID\")",
      SKEP_PARAMS(skep_p_i64(oldest)), &stmt, err));
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK && n < SKEP_TXN_MAX_ABORTS) {
    void *items = ids;
    status = skep_arena_grow(arena, &items, &capacity, n + 1, sizeof *ids, err);
    if (status != SKEP_OK) break;
    ids = items;
    ids[n++] = skep_stmt_i64(stmt, 0);
  }
  skep_stmt_done(stmt);
  if (status != SKEP_OK && status != SKEP_END) return status;
  for (size_t i = 0; i < n; i++) SKEP_TRY(skep_txn_keep_abort(db, ids[i], err));
  return SKEP_OK;
}

/* --- those that live and do nothing --- */

static int64_t last_change(const skep_txn_full_row *row) {
  bool later = row->has_progress && row->progress.changed_ms > row->row.started_ms;
  return later ? row->progress.changed_ms : row->row.started_ms;
}

/* Only a transaction that says how far it is can be said to stand still. */
static bool is_stalled(const skep_txn_full_row *row, int64_t now_ms, int64_t stall_ms) {
  return row->row.state == 'o' && row->has_progress && now_ms - last_change(row) >= stall_ms;
}

skep_status skep_txn_find_stalled(skep_db *db, skep_arena *arena, int64_t stall_ms, skep_txn_stalled **out, uint32_t *n,
                                  skep_err *err) {
  skep_txn_full_row *rows;
  uint32_t n_rows;
  int64_t now;
  *n = 0;
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  SKEP_TRY(skep_txn_list_full(db, arena, false, &rows, &n_rows, err));
  *out = skep_arena_zero(arena, (size_t)n_rows + 1, sizeof **out);
  if (*out == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "transactions");
  for (uint32_t i = 0; i < n_rows; i++) {
    if (!is_stalled(&rows[i], now, stall_ms)) continue;
    (*out)[(*n)++] = (skep_txn_stalled){.txn = rows[i].row.id,
                                        .idle_ms = now - last_change(&rows[i]),
                                        .user = rows[i].row.user,
                                        .host = rows[i].row.host,
                                        .query = rows[i].row.agent};
  }
  return SKEP_OK;
}

static skep_status abort_stalled(skep_db *db, skep_arena *arena, int64_t txn, int64_t stall_ms, bool *aborted,
                                 skep_err *err) {
  const char *comment;
  char state;
  int64_t now, changed = 0;
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  if (skep_txn_ensure_open(db, txn, &state, NULL, NULL) != SKEP_OK) return SKEP_OK;
  SKEP_TRY(get_note(db, arena, "skep.progress", txn, &comment, err));
  if (comment == NULL || now - parse_progress(comment).changed_ms < stall_ms) return SKEP_OK;
  SKEP_TRY(skep_txn_abort_rows(db, txn, SKEP_ABORT_STALLED, INT64_MAX, &changed, err));
  *aborted = changed > 0;
  return SKEP_OK;
}

skep_status skep_txn_abort_stalled(skep_db *db, int64_t txn, int64_t stall_ms, bool *aborted, skep_err *err) {
  bool joined = false;
  *aborted = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  skep_arena arena;
  skep_arena_init(&arena, skep_db_ctx(db), (size_t)1 << 20);
  skep_status status = abort_stalled(db, &arena, txn, stall_ms, aborted, err);
  skep_arena_fini(&arena);
  return skep_db_end(db, joined, status, err);
}
