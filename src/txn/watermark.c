/* A table's horizon: see watermark.h.
 *
 * Two things could happen at once: a cleaner decides that nobody below its horizon uses the table, and an older
 * transaction touches it for the first time. Both therefore hold the row of TXN_LOCK_TBL from before they look until
 * they commit: either the cleaner sees the touch, or the touch sees what the cleaner published. Who is new needs no
 * lock: its number is above every horizon (where numbers come out of order, the horizon stays below those that are too
 * young).
 *
 * Published: AUX_TABLE, MT_KEY1 "skep.clean." + the table's letters, MT_KEY2 the horizon. */
#include "txn/watermark.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "txn/txn_int.h"

/* --- marks --- */

#define MARK "skep:"
enum { MARK_LENGTH = 5, LETTERS = 8, KEY_SIZE = 64 };

/* 48 bits of FNV-1a over "db.table", six a letter. */
static void letters_of(const char *database, const char *table, char out[LETTERS + 1]) {
  static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
  uint64_t hash = skep_fnv_text(SKEP_FNV_START, database);
  hash = skep_fnv_text(skep_fnv_step(hash, '.'), table);
  hash ^= hash >> 32;
  for (int i = 0; i < LETTERS; i++) out[i] = alphabet[hash >> (6 * i) & 63];
  out[LETTERS] = '\0';
}

bool skep_txn_is_mark(const char *mark) { return mark != NULL && strncmp(mark, MARK, MARK_LENGTH) == 0; }

static bool says_everything(const char *mark) { return strchr(mark + MARK_LENGTH, '*') != NULL; }

static bool lists(const char *mark, const char letters[LETTERS + 1]) {
  for (const char *at = mark + MARK_LENGTH; strlen(at) >= LETTERS; at += LETTERS)
    if (memcmp(at, letters, LETTERS) == 0) return true;
  return false;
}

/* Whether it says so of this table, or of all. */
static bool says(const char *mark, const char letters[LETTERS + 1]) {
  return says_everything(mark) || lists(mark, letters);
}

static void mark_add(char mark[SKEP_TXN_MARK_SIZE], const char *database, const char *table) {
  char letters[LETTERS + 1];
  letters_of(database, table, letters);
  if (says(mark, letters)) return;
  size_t n = strlen(mark);
  const char *more = n + LETTERS + 1 < SKEP_TXN_MARK_SIZE ? letters : "*"; /* one place is kept for the star */
  snprintf(mark + n, SKEP_TXN_MARK_SIZE - n, "%s", more);
}

void skep_txn_mark_tables(char mark[SKEP_TXN_MARK_SIZE], const skep_txn_table *tables, uint32_t n) {
  snprintf(mark, SKEP_TXN_MARK_SIZE, "%s", MARK);
  for (uint32_t i = 0; i < n; i++) mark_add(mark, tables[i].database, tables[i].table);
}

/* --- further tables --- */

/* What TXN_META_INFO of an open transaction says; "" when it says nothing. */
static skep_status read_mark(skep_db *db, int64_t txn, char mark[SKEP_TXN_MARK_SIZE], skep_err *err) {
  skep_stmt *stmt = NULL;
  mark[0] = '\0';
  SKEP_TRY(skep_db_query(db, "SELECT \"TXN_META_INFO\" FROM \"TXNS\" WHERE \"TXN_ID\" = ? AND \"TXN_STATE\" = 'o'",
                         SKEP_PARAMS(skep_p_i64(txn)), &stmt, err));
  skep_status status = skep_stmt_next(stmt, err);
  const char *text = status == SKEP_OK ? skep_stmt_text(stmt, 0, NULL) : NULL;
  if (text != NULL) snprintf(mark, SKEP_TXN_MARK_SIZE, "%s", text);
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

static skep_status write_mark(skep_db *db, int64_t txn, const char *mark, skep_err *err) {
  return skep_db_run(db, "UPDATE \"TXNS\" SET \"TXN_META_INFO\" = ? WHERE \"TXN_ID\" = ? AND \"TXN_STATE\" = 'o'",
                     SKEP_PARAMS(skep_p_text(mark), skep_p_i64(txn)), NULL, err);
}

static skep_status lock_horizons(skep_db *db, skep_err *err) {
  int64_t ignored;
  return skep_db_get_i64(db, "SELECT \"TXN_LOCK\" FROM \"TXN_LOCK_TBL\"{for_update}", SKEP_NO_PARAMS, &ignored, NULL,
                         err);
}

static void key_of(const char letters[LETTERS + 1], char key[KEY_SIZE]) {
  snprintf(key, KEY_SIZE, "skep.clean.%s", letters);
}

static skep_status published(skep_db *db, const char letters[LETTERS + 1], int64_t *out, skep_err *err) {
  char key[KEY_SIZE];
  key_of(letters, key);
  return skep_db_get_i64(db, "SELECT max(\"MT_KEY2\") FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = ?",
                         SKEP_PARAMS(skep_p_text(key)), out, NULL, err);
}

static skep_status publish(skep_db *db, const char letters[LETTERS + 1], int64_t horizon, skep_err *err) {
  char key[KEY_SIZE];
  int64_t before = 0;
  SKEP_TRY(published(db, letters, &before, err));
  if (before >= horizon) return SKEP_OK;
  key_of(letters, key);
  SKEP_TRY(
      skep_db_run(db, "DELETE FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" = ?", SKEP_PARAMS(skep_p_text(key)), NULL, err));
  return skep_db_run(db, "INSERT INTO \"AUX_TABLE\" (\"MT_KEY1\", \"MT_KEY2\") VALUES (?, ?)",
                     SKEP_PARAMS(skep_p_text(key), skep_p_i64(horizon)), NULL, err);
}

static skep_status too_old(int64_t txn, const skep_txn_table *t, int64_t horizon, skep_err *err) {
  char name[400], quoted[450];
  snprintf(name, sizeof name, "%.128s.%.256s", t->database, t->table);
  return skep_fail(
      err, SKEP_ERR_CONFLICT,
      "Snapshot too old: transaction txnid:%lld touches %s for the first time, and what transactions below "
      "%lld could read there may have been cleaned up; run it again in a new transaction",
      (long long)txn, skep_quote(quoted, sizeof quoted, name, strlen(name)), (long long)horizon);
}

/* Whether all tables are in the mark already: the star holds back what is touched after it, but says nothing of what
 * was cleaned before. An unmarked transaction holds back everything as it is. */
static bool knows_all(const char *mark, const skep_txn_table *tables, uint32_t n) {
  char letters[LETTERS + 1];
  if (!skep_txn_is_mark(mark)) return true;
  for (uint32_t i = 0; i < n; i++) {
    letters_of(tables[i].database, tables[i].table, letters);
    if (!lists(mark, letters)) return false;
  }
  return true;
}

skep_status skep_txn_touch(skep_db *db, int64_t txn, const skep_txn_table *tables, uint32_t n, skep_err *err) {
  char mark[SKEP_TXN_MARK_SIZE], letters[LETTERS + 1];
  SKEP_TRY(read_mark(db, txn, mark, err));
  if (knows_all(mark, tables, n)) return SKEP_OK;
  SKEP_TRY(lock_horizons(db, err));
  for (uint32_t i = 0; i < n; i++) {
    int64_t horizon = 0;
    letters_of(tables[i].database, tables[i].table, letters);
    if (lists(mark, letters)) continue;
    SKEP_TRY(published(db, letters, &horizon, err));
    if (txn < horizon) return too_old(txn, &tables[i], horizon, err);
    mark_add(mark, tables[i].database, tables[i].table);
  }
  return write_mark(db, txn, mark, err);
}

skep_status skep_txn_touch_needed(skep_db *db, int64_t txn, const skep_txn_table *tables, uint32_t n, bool *out,
                                  skep_err *err) {
  char mark[SKEP_TXN_MARK_SIZE];
  SKEP_TRY(read_mark(db, txn, mark, err));
  *out = !knows_all(mark, tables, n);
  return SKEP_OK;
}

static skep_status register_tables(skep_db *db, int64_t txn, const skep_txn_table *tables, uint32_t n, skep_err *err) {
  char state, mark[SKEP_TXN_MARK_SIZE];
  SKEP_TRY(skep_txn_ensure_open(db, txn, &state, NULL, err));
  SKEP_TRY(read_mark(db, txn, mark, err));
  if (skep_txn_is_mark(mark)) return skep_txn_touch(db, txn, tables, n, err);
  skep_txn_mark_tables(mark, tables, n); /* it has held back everything until now: nothing can be gone */
  return write_mark(db, txn, mark, err);
}

skep_status skep_txn_register(skep_db *db, int64_t txn, const skep_txn_table *tables, uint32_t n, skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE_LAZY, &joined, err));
  return skep_db_end(db, joined, register_tables(db, txn, tables, n, err), err);
}

/* --- a table that gets another name --- */

typedef struct renamed {
  int64_t txn;
  char mark[SKEP_TXN_MARK_SIZE];
} renamed;

/* The first open transaction above `after` that says it uses the table under its old name. */
static skep_status find_user(skep_db *db, int64_t after, const char letters[LETTERS + 1], renamed *out, bool *found,
                             skep_err *err) {
  skep_stmt *stmt = NULL;
  *found = false;
  SKEP_TRY(
      skep_db_query(db,
                    "SELECT \"TXN_ID\", \"TXN_META_INFO\" FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o' AND \"TXN_ID\" > "
                    "? ORDER BY \"TXN_ID\"",
                    SKEP_PARAMS(skep_p_i64(after)), &stmt, err));
  skep_status status = SKEP_OK;
  while (!*found && (status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    const char *text = skep_stmt_text(stmt, 1, NULL);
    if (!skep_txn_is_mark(text) || !says(text, letters)) continue;
    *found = true;
    out->txn = skep_stmt_i64(stmt, 0);
    snprintf(out->mark, sizeof out->mark, "%s", text);
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

skep_status skep_txn_rename_marks(skep_db *db, const char *database, const char *table, const char *new_database,
                                  const char *new_table, skep_err *err) {
  char letters[LETTERS + 1], new_letters[LETTERS + 1];
  int64_t horizon = 0;
  letters_of(database, table, letters);
  letters_of(new_database, new_table, new_letters);
  SKEP_TRY(lock_horizons(db, err));
  SKEP_TRY(published(db, letters, &horizon, err)); /* what was cleaned is missing under the new name, too */
  if (horizon > 0) SKEP_TRY(publish(db, new_letters, horizon, err));
  renamed r = {0};
  for (bool found = true; found;) {
    SKEP_TRY(find_user(db, r.txn, letters, &r, &found, err));
    if (!found) break;
    mark_add(r.mark, new_database, new_table);
    SKEP_TRY(write_mark(db, r.txn, r.mark, err));
  }
  return SKEP_OK;
}

/* --- the horizon --- */

typedef struct looking {
  skep_db *db;
  const skep_txn_conf *conf;
  skep_arena *arena;
  char letters[LETTERS + 1];
  int64_t now_ms;
  skep_txn_holder *holders;
  int64_t up_to;        /* not further than this; 0: as far as can be */
  int64_t lowest_other; /* the lowest open transaction that does not use the table, and still could */
  bool others_below;    /* it is below the horizon */
  skep_txn_horizon *out;
} looking;

static skep_status keep_holder(looking *l, skep_stmt *stmt, const char *mark, skep_err *err) {
  skep_txn_horizon *h = l->out;
  if (h->n_holding++ >= SKEP_TXN_MAX_HOLDERS) return SKEP_OK;
  skep_txn_holder *to = &l->holders[h->n_holders];
  *to = (skep_txn_holder){.txn = skep_stmt_i64(stmt, 0),
                          .type = (skep_txn_type)skep_stmt_i64(stmt, 1),
                          .is_ours = skep_txn_is_mark(mark),
                          .is_everything = !skep_txn_is_mark(mark) || says_everything(mark),
                          .started_ms = skep_stmt_i64(stmt, 2),
                          .heartbeat_ms = skep_stmt_i64(stmt, 3)};
  to->age_ms = l->now_ms > to->started_ms ? l->now_ms - to->started_ms : 0;
  to->silent_ms = l->now_ms > to->heartbeat_ms ? l->now_ms - to->heartbeat_ms : 0;
  SKEP_TRY(skep_stmt_text_copy(stmt, 4, l->arena, &to->user, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 5, l->arena, &to->host, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 6, l->arena, &to->query, err));
  h->n_holders++;
  return SKEP_OK;
}

/* Ascending: the first holder is the horizon. */
static skep_status read_open(looking *l, int64_t boundary, skep_err *err) {
  skep_txn_horizon *h = l->out;
  skep_stmt *stmt = NULL;
  h->min_txn = h->global_min_txn = boundary + 1;
  SKEP_TRY(skep_db_query(l->db,
                         "SELECT \"TXN_ID\", \"TXN_TYPE\", \"TXN_STARTED\", \"TXN_LAST_HEARTBEAT\", \"TXN_USER\", "
                         "\"TXN_HOST\", \"TXN_AGENT_INFO\", \"TXN_META_INFO\" FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o' "
                         "ORDER BY \"TXN_ID\"",
                         SKEP_NO_PARAMS, &stmt, err));
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    int64_t txn = skep_stmt_i64(stmt, 0);
    const char *mark = skep_stmt_text(stmt, 7, NULL);
    if (txn < h->global_min_txn) h->global_min_txn = txn;
    if (skep_txn_is_mark(mark) && !says(mark, l->letters)) {
      if (txn < l->lowest_other) l->lowest_other = txn;
      continue;
    }
    if (txn < h->min_txn) h->min_txn = txn;
    status = keep_holder(l, stmt, mark, err);
    if (status != SKEP_OK) break;
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

/* Inside a database transaction. */
static skep_status look(looking *l, const char *database, const char *table, skep_err *err) {
  skep_txn_horizon *h = l->out;
  skep_txn_conf c = skep_txn_conf_full(l->conf);
  int64_t boundary = 0;
  *h = (skep_txn_horizon){0};
  l->lowest_other = INT64_MAX;
  letters_of(database, table, l->letters);
  l->holders = skep_arena_zero(l->arena, SKEP_TXN_MAX_HOLDERS, sizeof *l->holders);
  if (l->holders == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a horizon");
  SKEP_TRY(skep_db_now_ms(l->db, &l->now_ms, err));
  SKEP_TRY(skep_txn_id_boundary(l->db, &c, &boundary, err));
  SKEP_TRY(read_open(l, boundary, err));
  h->holders = l->holders;
  if (l->up_to > 0 && h->min_txn > l->up_to) h->min_txn = l->up_to;
  l->others_below = l->lowest_other < h->min_txn;
  SKEP_TRY(skep_txn_list_below(l->db, l->arena, h->min_txn, &h->txns, err));
  SKEP_TRY(skep_txn_ids_text(l->arena, &h->txns, NULL, NULL, &h->valid_txns, err));
  SKEP_TRY(skep_txn_valid_write_ids(l->db, l->arena, &h->txns, database, table, &h->write_ids, err));
  return skep_txn_ids_text(l->arena, &h->write_ids, database, table, &h->valid_write_ids, err);
}

skep_status skep_txn_cleaner_horizon(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, const char *database,
                                     const char *table, skep_txn_horizon *out, skep_err *err) {
  looking l = {.db = db, .conf = conf, .arena = arena, .out = out};
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_READ, &joined, err));
  return skep_db_end(db, joined, look(&l, database, table, err), err);
}

/* Under the lock: nobody touches the table between the look and what is published. */
static skep_status look_and_publish(looking *l, const char *database, const char *table, skep_err *err) {
  SKEP_TRY(lock_horizons(l->db, err));
  SKEP_TRY(look(l, database, table, err));
  return l->others_below ? publish(l->db, l->letters, l->out->min_txn, err) : SKEP_OK;
}

skep_status skep_txn_cleaner_claim(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, const char *database,
                                   const char *table, int64_t up_to, skep_txn_horizon *out, skep_err *err) {
  looking l = {.db = db, .conf = conf, .arena = arena, .up_to = up_to, .out = out};
  if (skep_db_in_transaction(db)) return skep_fail(err, SKEP_ERR_ARGUMENT, "a cleaner's claim inside a transaction");
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_READ, &joined, err));
  SKEP_TRY(skep_db_end(db, joined, look(&l, database, table, err), err));
  if (!l.others_below) return SKEP_OK; /* whoever comes has a higher number */
  SKEP_TRY(skep_db_begin(db, SKEP_DB_WRITE, err));
  return skep_db_end(db, false, look_and_publish(&l, database, table, err), err);
}

skep_status skep_txn_oldest_users(skep_db *db, const skep_txn_conf *conf, skep_txn_user *of, size_t n, skep_err *err) {
  skep_txn_conf c = skep_txn_conf_full(conf);
  size_t n_left = n;
  int64_t boundary;
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_txn_id_boundary(db, &c, &boundary, err));
  for (size_t i = 0; i < n; i++) {
    of[i].txn = boundary + 1;
    letters_of(of[i].database, of[i].table, of[i].letters);
  }
  SKEP_TRY(skep_db_query(db,
                         "SELECT \"TXN_ID\", \"TXN_META_INFO\" FROM \"TXNS\" WHERE \"TXN_STATE\" = 'o' ORDER BY "
                         "\"TXN_ID\"",
                         SKEP_NO_PARAMS, &stmt, err));
  skep_status status = SKEP_OK;
  while (n_left > 0 && (status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    const char *mark = skep_stmt_text(stmt, 1, NULL);
    int64_t txn = skep_stmt_i64(stmt, 0);
    if (txn > boundary) break;
    for (size_t i = 0; i < n; i++) {
      if (of[i].txn <= boundary || (skep_txn_is_mark(mark) && !says(mark, of[i].letters))) continue;
      of[i].txn = txn;
      n_left--;
    }
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

skep_status skep_txn_clean_horizons(skep_db *db, int64_t min_open, skep_err *err) {
  return skep_db_run(db, "DELETE FROM \"AUX_TABLE\" WHERE \"MT_KEY1\" LIKE 'skep.clean.%' AND \"MT_KEY2\" <= ?",
                     SKEP_PARAMS(skep_p_i64(min_open)), NULL, err);
}

/* --- in words --- */

static void print_duration(skep_buf *out, int64_t ms) {
  if (ms < 120000) {
    skep_buf_printf(out, "%lld s", (long long)(ms / 1000));
  } else if (ms < 7200000) {
    skep_buf_printf(out, "%lld minutes", (long long)(ms / 60000));
  } else if (ms < 172800000) {
    skep_buf_printf(out, "%lld hours", (long long)(ms / 3600000));
  } else {
    skep_buf_printf(out, "%lld days", (long long)(ms / 86400000));
  }
}

static void print_quoted(skep_buf *out, const char *text) {
  char quoted[300];
  if (text == NULL || text[0] == '\0') text = "?";
  skep_buf_text(out, skep_quote(quoted, sizeof quoted, text, strlen(text)));
}

void skep_txn_holder_print(const skep_txn_holder *h, skep_buf *out) {
  skep_buf_printf(out, "transaction %lld of ", (long long)h->txn);
  print_quoted(out, h->user);
  skep_buf_text(out, "@");
  print_quoted(out, h->host);
  if (h->query != NULL && h->query[0] != '\0') {
    skep_buf_text(out, " (query ");
    print_quoted(out, h->query);
    skep_buf_text(out, ")");
  }
  skep_buf_text(out, ", open for ");
  print_duration(out, h->age_ms);
  skep_buf_text(out, ", last heard of ");
  print_duration(out, h->silent_ms);
  skep_buf_text(out, " ago");
  if (!h->is_ours) skep_buf_text(out, ", not Skep's: it may read any table");
  if (h->is_ours && h->is_everything) skep_buf_text(out, ", uses more tables than it can list");
}
