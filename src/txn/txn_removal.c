/* Directories that are dropped while a reader may still use them: recorded with the drop, removable later. */
#include <stdlib.h>
#include <string.h>

#include "db/counters.h"
#include "txn/string_map.h"
#include "txn/txn_int.h"

enum { MAX_LOCATION_BYTES = 1900 };

/* --- adding --- */

skep_status skep_txn_next_queue_id(skep_db *db, int64_t *out, skep_err *err) {
  int64_t queued = 0, over = 0;
  skep_stmt *stmt = NULL;
  SKEP_TRY(
      skep_db_query(db,
                    "SELECT \"NCQ_NEXT\", (SELECT max(\"CQ_ID\") FROM \"COMPACTION_QUEUE\"), (SELECT max(\"CC_ID\") "
                    "FROM \"COMPLETED_COMPACTIONS\") FROM \"NEXT_COMPACTION_QUEUE_ID\"{for_update}",
                    SKEP_NO_PARAMS, &stmt, err));
  skep_status status = skep_stmt_next(stmt, err);
  *out = 0;
  if (status == SKEP_OK) {
    *out = skep_stmt_i64(stmt, 0);
    queued = skep_stmt_i64(stmt, 1);
    over = skep_stmt_i64(stmt, 2);
  }
  skep_stmt_done(stmt);
  if (status != SKEP_OK && status != SKEP_END) return status;
  if (*out < 1 || *out == INT64_MAX)
    return skep_fail(err, SKEP_ERR_CORRUPT, "NEXT_COMPACTION_QUEUE_ID has no usable row");
  if (*out <= queued || *out <= over) return skep_counter_taken("NEXT_COMPACTION_QUEUE_ID", *out, err);
  return skep_db_run(db, "UPDATE \"NEXT_COMPACTION_QUEUE_ID\" SET \"NCQ_NEXT\" = ?", SKEP_PARAMS(skep_p_i64(*out + 1)),
                     NULL, err);
}

static skep_status insert_removal(skep_db *db, int64_t txn, const char *database, const char *table,
                                  const char *partition, const char *properties, skep_err *err) {
  int64_t id, now, newest, next_write_id;
  SKEP_TRY(skep_txn_next_queue_id(db, &id, err));
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  SKEP_TRY(skep_txn_max_id(db, &newest, err));
  SKEP_TRY(skep_txn_next_write_id(db, database, table, &next_write_id, err));
  return skep_db_run(
      db,
      "INSERT INTO \"COMPACTION_QUEUE\" (\"CQ_ID\", \"CQ_DATABASE\", \"CQ_TABLE\", \"CQ_PARTITION\", \"CQ_STATE\", "
      "\"CQ_TYPE\", \"CQ_TBLPROPERTIES\", \"CQ_ENQUEUE_TIME\", \"CQ_HIGHEST_WRITE_ID\", \"CQ_TXN_ID\", "
      "\"CQ_NEXT_TXN_ID\", \"CQ_COMMIT_TIME\", \"CQ_RETRY_RETENTION\") VALUES (?, ?, ?, ?, 'r', 'a', ?, ?, ?, ?, ?, ?, "
      "0)",
      SKEP_PARAMS(skep_p_i64(id), skep_p_text(database), skep_p_text(table), skep_p_text(partition),
                  skep_p_text(properties), skep_p_i64(now), skep_p_i64(next_write_id - 1),
                  txn > 0 ? skep_p_i64(txn) : skep_p_null(), skep_p_i64(newest), skep_p_i64(now)),
      NULL, err);
}

skep_status skep_txn_removal_add(skep_db *db, int64_t txn, const char *database, const char *table,
                                 const char *partition, const char *location, skep_err *err) {
  size_t length = strlen(location);
  if (length == 0 || length > MAX_LOCATION_BYTES) {
    return skep_fail(err, SKEP_ERR_LIMIT, "a location of %zu bytes cannot be recorded for removal: 1 to %d are allowed",
                     length, MAX_LOCATION_BYTES);
  }
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE, &joined, err));
  skep_buf text;
  skep_buf_init(&text, skep_db_ctx(db), SKEP_STRING_MAP_MAX_BYTES);
  skep_string_map_begin(&text, 2);
  skep_string_map_add(&text, skep_bytes_of("location", 8), skep_bytes_of(location, length));
  skep_string_map_add(&text, skep_bytes_of("ifPurge", 7), skep_bytes_of("true", 4));
  skep_status status = skep_buf_check(&text, "properties of a removal", err);
  if (status == SKEP_OK) {
    status = insert_removal(db, txn, database, table, partition, skep_buf_string(&text), err);
  }
  skep_buf_fini(&text);
  return skep_db_end(db, joined, status, err);
}

/* --- looking --- */

/* $1: all transactions below are over; $2: none below can appear any more. */
static const char sql_removals[] =
    "SELECT \"CQ_ID\", \"CQ_DATABASE\", \"CQ_TABLE\", \"CQ_PARTITION\", \"CQ_TBLPROPERTIES\", \"CQ_NEXT_TXN_ID\" FROM "
    "\"COMPACTION_QUEUE\" WHERE " SKEP_IS_A_REMOVAL
    " AND (\"CQ_NEXT_TXN_ID\" < ? OR (\"CQ_HIGHEST_WRITE_ID\" > 0 AND \"CQ_NEXT_TXN_ID\" < ?)) AND "
    "(\"CQ_CLEANER_START\" IS NULL OR \"CQ_CLEANER_START\" < ?) ORDER BY \"CQ_ID\"";
/* Of those the tables for which it has to be asked who uses them. */
static const char sql_tables[] =
    "SELECT DISTINCT \"CQ_DATABASE\", \"CQ_TABLE\" FROM \"COMPACTION_QUEUE\" WHERE " SKEP_IS_A_REMOVAL
    " AND \"CQ_HIGHEST_WRITE_ID\" > 0 AND \"CQ_NEXT_TXN_ID\" >= ? AND \"CQ_NEXT_TXN_ID\" < ?";

enum { CLAIM_MS = 3600 * 1000 };

typedef struct users {
  skep_txn_user *of; /* by table, then database */
  size_t n;
  int64_t min_open;
} users;

static int by_name(const void *left, const void *right) {
  const skep_txn_user *a = left, *b = right;
  int order = strcmp(a->table, b->table);
  return order != 0 ? order : strcmp(a->database, b->database);
}

static skep_status read_tables(skep_db *db, int64_t next, skep_arena *arena, users *u, skep_err *err) {
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(db, sql_tables, SKEP_PARAMS(skep_p_i64(u->min_open), skep_p_i64(next)), &stmt, err));
  size_t capacity = 0;
  skep_status status;
  while ((status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    void *items = u->of;
    const char *database = NULL, *table = NULL;
    status = skep_arena_grow(arena, &items, &capacity, u->n + 1, sizeof *u->of, err);
    if (status == SKEP_OK) status = skep_stmt_text_copy(stmt, 0, arena, &database, err);
    if (status == SKEP_OK) status = skep_stmt_text_copy(stmt, 1, arena, &table, err);
    if (status != SKEP_OK) break;
    u->of = items;
    if (database != NULL && table != NULL) u->of[u->n++] = (skep_txn_user){.database = database, .table = table};
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

/* Below this number a row's drop must be. */
static int64_t oldest_user(const users *u, const skep_txn_removal *r) {
  const skep_txn_user wanted = {.database = r->database, .table = r->table};
  const skep_txn_user *found = u->n == 0 || r->database == NULL || r->table == NULL
                                   ? NULL
                                   : bsearch(&wanted, u->of, u->n, sizeof *u->of, by_name);
  return found != NULL ? found->txn : u->min_open;
}

/* *is_one: it can be removed, and was read. */
static skep_status read_removal(skep_stmt *stmt, const users *u, skep_arena *arena, skep_txn_removal *out, bool *is_one,
                                skep_err *err) {
  size_t size = 0;
  skep_bytes location = {0};
  const char *map = skep_stmt_text(stmt, 4, &size);
  int64_t dropped = skep_stmt_i64(stmt, 5);
  *is_one = false;
  if (!skep_string_map_get(map, size, "location", &location)) return SKEP_OK;
  *out = (skep_txn_removal){
      .id = skep_stmt_i64(stmt, 0), .database = skep_stmt_text(stmt, 1, NULL), .table = skep_stmt_text(stmt, 2, NULL)};
  if (dropped >= u->min_open && dropped >= oldest_user(u, out)) return SKEP_OK;
  *is_one = true;
  out->location = skep_arena_strndup(arena, (const char *)location.at, location.left);
  if (out->location == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "list of removals");
  SKEP_TRY(skep_stmt_text_copy(stmt, 1, arena, &out->database, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 2, arena, &out->table, err));
  return skep_stmt_text_copy(stmt, 3, arena, &out->partition, err);
}

/* What everybody is over with goes; before that what was a transactional table's when none of those that were open
 * uses it (watermark.h): no other can begin to, since the catalog does not have it any more. Of plain tables nobody
 * says that he reads them. However many rows have to wait, those behind them are found. */
static skep_status read_removals(skep_db *db, const skep_txn_conf *conf, int64_t min_open, int64_t now,
                                 skep_arena *arena, uint32_t limit, skep_txn_removal **out, uint32_t *n,
                                 skep_err *err) {
  skep_txn_conf c = skep_txn_conf_full(conf);
  users u = {.min_open = min_open};
  size_t capacity = 0;
  int64_t boundary;
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_txn_id_boundary(db, &c, &boundary, err));
  SKEP_TRY(read_tables(db, boundary + 1, arena, &u, err));
  SKEP_TRY(skep_txn_oldest_users(db, conf, u.of, u.n, err));
  if (u.n > 1) qsort(u.of, u.n, sizeof *u.of, by_name);
  SKEP_TRY(skep_db_query(db, sql_removals,
                         SKEP_PARAMS(skep_p_i64(min_open), skep_p_i64(boundary + 1), skep_p_i64(now - CLAIM_MS)), &stmt,
                         err));
  skep_status status = SKEP_OK;
  while (*n < limit && (status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    void *items = *out;
    bool is_one = false;
    status = skep_arena_grow(arena, &items, &capacity, *n + 1, sizeof **out, err);
    if (status != SKEP_OK) break;
    *out = items;
    status = read_removal(stmt, &u, arena, &(*out)[*n], &is_one, err);
    if (status != SKEP_OK) break;
    *n += is_one ? 1 : 0;
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

/* Reads; in a write transaction also marks them as being removed. */
static skep_status list_removals(skep_db *db, const skep_txn_conf *conf, skep_db_mode mode, skep_arena *arena,
                                 uint32_t limit, skep_txn_removal **out, uint32_t *n, skep_err *err) {
  *out = NULL;
  *n = 0;
  bool joined = false;
  int64_t min_open = 0, now = 0;
  SKEP_TRY(skep_db_begin_unless(db, mode, &joined, err));
  skep_status status = skep_db_now_ms(db, &now, err);
  if (status == SKEP_OK) status = skep_txn_settle(db, conf, err);
  if (status == SKEP_OK) status = skep_txn_min_open(db, conf, &min_open, err);
  if (status == SKEP_OK) status = read_removals(db, conf, min_open, now, arena, limit, out, n, err);
  for (uint32_t i = 0; mode != SKEP_DB_READ && i < *n && status == SKEP_OK; i++) {
    status = skep_db_run(db, "UPDATE \"COMPACTION_QUEUE\" SET \"CQ_CLEANER_START\" = ? WHERE \"CQ_ID\" = ?",
                         SKEP_PARAMS(skep_p_i64(now), skep_p_i64((*out)[i].id)), NULL, err);
  }
  status = skep_db_end(db, joined, status, err);
  if (status != SKEP_OK) *n = 0;
  return status;
}

/* Looks first: mostly there is nothing, and then nobody needs the write lock. */
skep_status skep_txn_removal_list(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, uint32_t limit,
                                  skep_txn_removal **out, uint32_t *n, skep_err *err) {
  if (!skep_db_in_transaction(db)) {
    SKEP_TRY(list_removals(db, conf, SKEP_DB_READ, arena, limit, out, n, err));
    if (*n == 0) return SKEP_OK;
  }
  return list_removals(db, conf, SKEP_DB_WRITE_LAZY, arena, limit, out, n, err);
}

skep_status skep_txn_removal_any(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, bool *any, skep_err *err) {
  skep_txn_removal *ignored;
  uint32_t n;
  *any = false;
  SKEP_TRY(list_removals(db, conf, SKEP_DB_READ, arena, 1, &ignored, &n, err));
  *any = n > 0;
  return SKEP_OK;
}

skep_status skep_txn_removal_forget(skep_db *db, int64_t id, skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE_LAZY, &joined, err));
  skep_status status = skep_db_run(db, "DELETE FROM \"COMPACTION_QUEUE\" WHERE \"CQ_ID\" = ? AND " SKEP_IS_A_REMOVAL,
                                   SKEP_PARAMS(skep_p_i64(id)), NULL, err);
  return skep_db_end(db, joined, status, err);
}

/* The next part of a path that is not "" or "."; its length is 0 at the end. */
static const char *next_part(const char *at, const char *end, size_t *length) {
  for (;;) {
    while (at < end && *at == '/') at++;
    const char *slash = at < end ? memchr(at, '/', (size_t)(end - at)) : NULL;
    *length = (size_t)((slash != NULL ? slash : end) - at);
    if (*length != 1 || *at != '.') return at;
    at++;
  }
}

static const char *skip_scheme(const char *at, const char *end) {
  return end - at >= 5 && memcmp(at, "file:", 5) == 0 ? at + 5 : at;
}

/* Whether one location is the other or lies in it: part by part, since "file:/w/t", "file:///w/t" and "/w/./t/" are one
 * place. */
static bool overlap(const char *a, size_t a_length, const char *b, size_t b_length) {
  const char *a_end = a + a_length, *b_end = b + b_length;
  a = skip_scheme(a, a_end);
  b = skip_scheme(b, b_end);
  for (;;) {
    size_t na, nb;
    a = next_part(a, a_end, &na);
    b = next_part(b, b_end, &nb);
    if (na == 0 || nb == 0) return true;
    if (na != nb || memcmp(a, b, na) != 0) return false;
    a += na;
    b += nb;
  }
}

skep_status skep_txn_removal_pending(skep_db *db, const char *location, bool *pending, skep_err *err) {
  *pending = false;
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(db, "SELECT \"CQ_TBLPROPERTIES\" FROM \"COMPACTION_QUEUE\" WHERE " SKEP_IS_A_REMOVAL,
                         SKEP_NO_PARAMS, &stmt, err));
  skep_status status = SKEP_OK;
  while (!*pending && (status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    size_t size = 0;
    skep_bytes there = {0};
    const char *map = skep_stmt_text(stmt, 0, &size);
    if (!skep_string_map_get(map, size, "location", &there)) continue;
    *pending = overlap((const char *)there.at, there.left, location, strlen(location));
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}
