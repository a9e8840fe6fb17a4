/* Directories that are dropped while a reader may still use them: recorded with the drop, removable later. */
#include <string.h>

#include "txn/txn_int.h"

enum { MAX_LOCATION_BYTES = 1900, MAX_PROPERTIES_BYTES = 2048 };

/* --- Hive's map as text (StringableMap): "<n>:" and n times "<keylen>:<key><valuelen>:<value>" --- */

static void print_text(skep_buf *out, const char *text) { skep_buf_printf(out, "%zu:%s", strlen(text), text); }

/* "<number>:" */
static bool parse_length(const char **at, const char *end, size_t *out) {
  size_t n = 0;
  const char *p = *at;
  if (p < end && *p == '-') { /* a sibling of the class writes -1 for null */
    if (end - p < 3 || p[1] != '1' || p[2] != ':') return false;
    *at = p + 3;
    *out = 0;
    return true;
  }
  for (; p < end && *p >= '0' && *p <= '9'; p++) {
    if (n > MAX_PROPERTIES_BYTES) return false;
    n = n * 10 + (size_t)(*p - '0');
  }
  if (p == *at || p == end || *p != ':') return false;
  *at = p + 1;
  *out = n;
  return true;
}

/* Lengths count UTF-16 units in Java and bytes here when the text is ASCII; for others we walk characters: a byte that
 * does not continue one is a unit, one of four bytes counts two. */
static bool parse_text(const char **at, const char *end, const char **text, size_t *length) {
  size_t units;
  if (!parse_length(at, end, &units)) return false;
  const char *p = *at;
  while (units > 0 && p < end) {
    unsigned char c = (unsigned char)*p++;
    units -= c >= 0xf0 && units > 1 ? 2 : 1;
    while (p < end && ((unsigned char)*p & 0xc0) == 0x80) p++;
  }
  if (units > 0) return false;
  *text = *at;
  *length = (size_t)(p - *at);
  *at = p;
  return true;
}

static size_t java_length(const char *text) {
  size_t units = 0;
  for (const char *p = text; *p != 0; p++) {
    unsigned char c = (unsigned char)*p;
    if ((c & 0xc0) != 0x80) units += c >= 0xf0 ? 2 : 1;
  }
  return units;
}

/* The value of `location`, borrowed from the text; false: none, or no such map. */
static bool find_location(const char *map, size_t size, const char **out, size_t *length) {
  const char *at = map, *end = map + size, *key, *value;
  size_t n, key_length, value_length;
  bool found = false;
  if (!parse_length(&at, end, &n)) return false;
  for (size_t i = 0; i < n; i++) {
    if (!parse_text(&at, end, &key, &key_length) || !parse_text(&at, end, &value, &value_length)) return false;
    if (key_length != 8 || memcmp(key, "location", 8) != 0) continue;
    *out = value;
    *length = value_length;
    found = value_length > 0;
  }
  return found;
}

/* --- adding --- */

static skep_status next_queue_id(skep_db *db, int64_t *out, skep_err *err) {
  bool found = false;
  SKEP_TRY(skep_db_get_i64(db, "SELECT \"NCQ_NEXT\" FROM \"NEXT_COMPACTION_QUEUE_ID\"{for_update}", SKEP_NO_PARAMS, out,
                           &found, err));
  if (!found || *out < 1 || *out == INT64_MAX) {
    return skep_fail(err, SKEP_ERR_CORRUPT, "NEXT_COMPACTION_QUEUE_ID has no usable row");
  }
  return skep_db_run(db, "UPDATE \"NEXT_COMPACTION_QUEUE_ID\" SET \"NCQ_NEXT\" = ?", SKEP_PARAMS(skep_p_i64(*out + 1)),
                     NULL, err);
}

static skep_status insert_removal(skep_db *db, int64_t txn, const char *database, const char *table,
                                  const char *partition, const char *properties, skep_err *err) {
  int64_t id, now, newest, next_write_id;
  SKEP_TRY(next_queue_id(db, &id, err));
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
  skep_buf_init(&text, skep_db_ctx(db), MAX_PROPERTIES_BYTES);
  skep_buf_printf(&text, "2:8:location%zu:%s", java_length(location), location);
  print_text(&text, "ifPurge");
  print_text(&text, "true");
  skep_status status = skep_buf_check(&text, "properties of a removal", err);
  if (status == SKEP_OK) {
    status = insert_removal(db, txn, database, table, partition, skep_buf_string(&text), err);
  }
  skep_buf_fini(&text);
  return skep_db_end(db, joined, status, err);
}

/* --- looking --- */

static const char sql_removals[] =
    "SELECT \"CQ_ID\", \"CQ_DATABASE\", \"CQ_TABLE\", \"CQ_PARTITION\", \"CQ_TBLPROPERTIES\" FROM \"COMPACTION_QUEUE\" "
    "WHERE \"CQ_STATE\" = 'r' AND \"CQ_TBLPROPERTIES\" LIKE '%8:location%' AND \"CQ_NEXT_TXN_ID\" < ? AND "
    "(\"CQ_CLEANER_START\" IS NULL OR \"CQ_CLEANER_START\" < ?) ORDER BY \"CQ_ID\"";

enum { CLAIM_MS = 3600 * 1000 };

static skep_status read_removal(skep_stmt *stmt, skep_arena *arena, skep_txn_removal *out, bool *is_one,
                                skep_err *err) {
  size_t size = 0, length = 0;
  const char *map = skep_stmt_text(stmt, 4, &size), *location = NULL;
  *is_one = map != NULL && find_location(map, size, &location, &length);
  if (!*is_one) return SKEP_OK;
  *out = (skep_txn_removal){.id = skep_stmt_i64(stmt, 0)};
  out->location = skep_arena_strndup(arena, location, length);
  if (out->location == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "list of removals");
  SKEP_TRY(skep_stmt_text_copy(stmt, 1, arena, &out->database, err));
  SKEP_TRY(skep_stmt_text_copy(stmt, 2, arena, &out->table, err));
  return skep_stmt_text_copy(stmt, 3, arena, &out->partition, err);
}

static skep_status read_removals(skep_db *db, int64_t min_open, int64_t now, skep_arena *arena, uint32_t limit,
                                 skep_txn_removal **out, uint32_t *n, skep_err *err) {
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(db, sql_removals, SKEP_PARAMS(skep_p_i64(min_open), skep_p_i64(now - CLAIM_MS)), &stmt, err));
  size_t capacity = 0;
  skep_status status = SKEP_OK;
  while (*n < limit && (status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    void *items = *out;
    bool is_one = false;
    status = skep_txn_grow(arena, &items, &capacity, *n, sizeof **out, err);
    if (status != SKEP_OK) break;
    *out = items;
    status = read_removal(stmt, arena, &(*out)[*n], &is_one, err);
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
  if (status == SKEP_OK) status = skep_txn_min_open(db, conf, &min_open, err);
  if (status == SKEP_OK) status = read_removals(db, min_open, now, arena, limit, out, n, err);
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

skep_status skep_txn_removal_forget(skep_db *db, int64_t id, skep_err *err) {
  bool joined = false;
  SKEP_TRY(skep_db_begin_unless(db, SKEP_DB_WRITE_LAZY, &joined, err));
  skep_status status = skep_db_run(db,
                                   "DELETE FROM \"COMPACTION_QUEUE\" WHERE \"CQ_ID\" = ? AND \"CQ_STATE\" = 'r' AND "
                                   "\"CQ_TBLPROPERTIES\" LIKE '%8:location%'",
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
  SKEP_TRY(skep_db_query(db,
                         "SELECT \"CQ_TBLPROPERTIES\" FROM \"COMPACTION_QUEUE\" WHERE \"CQ_STATE\" = 'r' AND "
                         "\"CQ_TBLPROPERTIES\" LIKE '%8:location%'",
                         SKEP_NO_PARAMS, &stmt, err));
  skep_status status = SKEP_OK;
  while (!*pending && (status = skep_stmt_next(stmt, err)) == SKEP_OK) {
    size_t size = 0, length = 0;
    const char *map = skep_stmt_text(stmt, 0, &size), *there = NULL;
    if (map == NULL || !find_location(map, size, &there, &length)) continue;
    *pending = overlap(there, length, location, strlen(location));
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}
