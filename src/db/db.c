/* What all databases share: opening by URL, the cache of prepared statements, the state of the transaction, the fault
 * door, small helpers over queries. */
#include "db/db.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/hash.h"
#include "db/db_int.h"

enum { MAX_SQL_BYTES = 64 * 1024 };

/* --- the connection --- */

/* What identifies this start of the machine; "" when that cannot be known. */
static void read_boot_id(char *out, size_t size) {
  out[0] = 0;
  int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t n = read(fd, out, size - 1);
  close(fd);
  size_t length = n > 0 ? (size_t)n : 0;
  while (length > 0 && (out[length - 1] == '\n' || out[length - 1] == ' ')) length--;
  out[length] = 0;
}

static const char *after_prefix(const char *url, const char *prefix) {
  size_t n = strlen(prefix);
  return strncmp(url, prefix, n) == 0 ? url + n : NULL;
}

static skep_status open_backend(const skep_ctx *ctx, const char *url, const skep_db_opts *opts, skep_db **out,
                                skep_err *err) {
  char quoted[256];
  const char *path = after_prefix(url, "sqlite:");
  if (path != NULL && path[0] != 0) {
    skep_status status = skep_db_sqlite_open(ctx, path, opts, out, err);
    skep_quote(quoted, sizeof quoted, path, strlen(path));
    return status == SKEP_OK ? SKEP_OK : skep_wrap(err, status, "metastore %s", quoted);
  }
  if (after_prefix(url, "postgresql://") != NULL || after_prefix(url, "postgres://") != NULL)
    return skep_db_postgres_open(ctx, url, opts, out, err);
  skep_quote(quoted, sizeof quoted, url, strlen(url));
  return skep_fail(err, SKEP_ERR_ARGUMENT, "metastore '%s': expected sqlite:PATH or postgresql://...", quoted);
}

skep_status skep_db_open(const skep_ctx *ctx, const char *url, const skep_db_opts *opts, skep_db **out, skep_err *err) {
  *out = NULL;
  skep_db_opts defaults = SKEP_DB_OPTS_DEFAULT;
  if (opts == NULL) opts = &defaults;
  skep_db *db = NULL;
  SKEP_TRY(open_backend(ctx, url, opts, &db, err));
  db->url = skep_strndup(ctx, url, strlen(url));
  if (db->url == NULL) {
    skep_db_close(db);
    return skep_fail(err, SKEP_ERR_NOMEM, "metastore connection");
  }
  if (db->name[0] == 0) skep_quote(db->name, sizeof db->name, url, strlen(url));
  db->faults = opts->faults;
  db->read_only = opts->read_only;
  db->own_clock = opts->own_clock;
  if (opts->boot_id != NULL) {
    size_t n = strnlen(opts->boot_id, sizeof db->boot_id - 1);
    memcpy(db->boot_id, opts->boot_id, n);
    db->boot_id[n] = 0;
  } else {
    read_boot_id(db->boot_id, sizeof db->boot_id);
  }
  *out = db;
  return SKEP_OK;
}

static void finalize(skep_stmt *stmt) {
  skep_db *db = stmt->db;
  skep_release(db->ctx, stmt->sql);
  db->vt->finalize(stmt);
  db->n_statements--;
}

void skep_db_close(skep_db *db) {
  if (db == NULL) return;
  for (size_t i = 0; i < SKEP_DB_CACHE_CHAINS; i++) {
    for (skep_stmt *s = db->cache[i], *next; s != NULL; s = next) {
      next = s->next;
      db->vt->reset(s);
      finalize(s);
    }
  }
  skep_db_rollback(db);
  skep_release(db->ctx, db->url);
  db->vt->close(db);
}

const skep_ctx *skep_db_ctx(const skep_db *db) { return db->ctx; }
const char *skep_db_url(const skep_db *db) { return db->url; }
const char *skep_db_name(const skep_db *db) { return db->name; }

enum { MAX_PLACE = 8192 };

skep_status skep_db_place(skep_db *db, skep_arena *arena, const char **out, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, db->ctx, MAX_PLACE);
  *out = NULL;
  skep_status status = db->vt->place(db, &text, err);
  if (status == SKEP_OK) status = skep_buf_check(&text, "the metastore's URL", err);
  if (status == SKEP_OK) {
    *out = skep_buf_copy(&text, arena);
    if (*out == NULL) status = skep_fail(err, SKEP_ERR_NOMEM, "the metastore's URL");
  }
  skep_buf_fini(&text);
  return status;
}

bool skep_db_is_file(skep_db *db, const char *path) {
  struct stat a, b;
  const char *own = db->vt->path != NULL ? db->vt->path(db) : NULL;
  if (own == NULL || stat(own, &a) != 0 || stat(path, &b) != 0) return false;
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool skep_db_is_read_only(const skep_db *db) { return db->read_only; }
bool skep_db_is_old(const skep_db *db) { return db->legacy.is_old; }
bool skep_db_has_write_ids(const skep_db *db) { return !db->legacy.is_old || db->legacy.has_write_ids; }

/* Statements that were prepared before mean the same: they asked what there is. */
void skep_db_set_legacy(skep_db *db, const skep_legacy *legacy) {
  db->legacy = *legacy;
  db->read_only = true;
}

int64_t *skep_db_memo(skep_db *db) { return db->memo; }
const skep_dialect *skep_db_dialect(const skep_db *db) { return db->vt->dialect; }

skep_status skep_db_now_ms(skep_db *db, int64_t *out, skep_err *err) {
  if (!db->own_clock) return db->vt->now_ms(db, out, err);
  *out = db->ctx->clock_ms(db->ctx->clock_self);
  return SKEP_OK;
}

skep_status skep_db_sent_now(skep_db *db, skep_param *out, skep_err *err) {
  int64_t now;
  *out = skep_p_null();
  if (!db->own_clock) return SKEP_OK;
  SKEP_TRY(skep_db_now_ms(db, &now, err));
  *out = skep_p_i64(now);
  return SKEP_OK;
}

const char *skep_db_boot_id(const skep_db *db) { return db->boot_id; }
void skep_db_interrupt(skep_db *db) { db->vt->interrupt(db); }

/* --- the fault door --- */

bool skep_db_breaks_rules(const skep_db *db) { return db->faults != NULL && db->faults->wrong != 0; }

bool skep_db_goes_wrong(const skep_db *db, unsigned which) {
  return db->faults != NULL && (db->faults->wrong & which) != 0;
}

/* Counts a call that changes the database. True: the call is to be made; then fault_after follows it. */
static bool fault_before(skep_db *db, bool commit, bool *is_mine, skep_status *status, skep_err *err) {
  *is_mine = false;
  if (db->faults == NULL) return true;
  uint64_t call = atomic_fetch_add(&db->faults->calls, 1) + 1;
  if (call != db->faults->at) return true;
  *is_mine = true;
  switch (db->faults->kind) {
    case SKEP_DB_FAULT_EXIT_BEFORE:
      _exit(SKEP_DB_FAULT_CODE);
    case SKEP_DB_FAULT_DOUBT:
      if (commit) return true;
      break;
    case SKEP_DB_FAULT_FAIL:
      break;
    case SKEP_DB_FAULT_NONE:
    case SKEP_DB_FAULT_EXIT_AFTER:
    case SKEP_DB_FAULT_FAIL_AFTER:
      return true;
  }
  *status = skep_fail(err, SKEP_ERR_IO, "injected fault at call %llu", (unsigned long long)call);
  return false;
}

static skep_status fault_after(skep_db *db, bool commit, bool is_mine, skep_status status, skep_err *err) {
  if (!is_mine) return status;
  if (db->faults->kind == SKEP_DB_FAULT_EXIT_AFTER) _exit(SKEP_DB_FAULT_CODE);
  bool after = db->faults->kind == SKEP_DB_FAULT_FAIL_AFTER && (status == SKEP_OK || status == SKEP_END);
  if (commit && (after || (db->faults->kind == SKEP_DB_FAULT_DOUBT && status == SKEP_OK))) {
    return skep_fail(err, SKEP_ERR_IN_DOUBT, "injected fault: the answer to a commit is lost");
  }
  if (after) return skep_fail(err, SKEP_ERR_IO, "injected fault after the call");
  return status;
}

/* --- transactions --- */

skep_status skep_db_begin(skep_db *db, skep_db_mode mode, skep_err *err) {
  if (db->active) return skep_fail(err, SKEP_ERR_INTERNAL, "a database transaction is open already");
  if (mode != SKEP_DB_READ && db->read_only)
    return skep_fail(err, SKEP_ERR_IO, "the metastore is open for reading only");
  bool is_mine = false;
  skep_status status = SKEP_OK;
  if (mode != SKEP_DB_READ && !fault_before(db, false, &is_mine, &status, err)) return status;
  status = db->vt->begin(db, mode, err);
  if (status == SKEP_OK) {
    db->active = true;
    db->mode = mode;
    db->deadline_ns = 0;
  }
  status = fault_after(db, false, is_mine, status, err);
  if (status != SKEP_OK && db->active) skep_db_rollback(db); /* who is told that nothing began ends nothing */
  return status;
}

skep_status skep_db_commit(skep_db *db, skep_err *err) {
  if (!db->active) return skep_fail(err, SKEP_ERR_INTERNAL, "no database transaction to commit");
  bool is_mine = false, writes = db->mode != SKEP_DB_READ;
  skep_status status = SKEP_OK;
  if (writes && !fault_before(db, true, &is_mine, &status, err)) {
    skep_db_rollback(db);
    return status;
  }
  if (db->deadline_ns != 0 && db->ctx->monotonic_ns(db->ctx->clock_self) > db->deadline_ns) {
    skep_db_rollback(db);
    return skep_fail(err, SKEP_ERR_BUSY, "the metastore was too slow for a transaction to begin in time");
  }
  status = db->vt->commit(db, err);
  db->active = false;
  return fault_after(db, true, is_mine, status, err);
}

void skep_db_rollback(skep_db *db) {
  if (!db->active) return;
  db->vt->rollback(db);
  db->active = false;
}

void skep_db_commit_within(skep_db *db, int64_t limit_ms) {
  int64_t at = db->ctx->monotonic_ns(db->ctx->clock_self) + limit_ms * 1000000;
  if (db->active && (db->deadline_ns == 0 || at < db->deadline_ns)) db->deadline_ns = at;
}

skep_status skep_db_savepoint(skep_db *db, skep_err *err) {
  if (!skep_db_in_write(db)) return skep_fail(err, SKEP_ERR_INTERNAL, "a savepoint outside a transaction that writes");
  return db->vt->savepoint(db, err);
}

skep_status skep_db_savepoint_end(skep_db *db, bool keep, skep_err *err) {
  if (!skep_db_in_write(db)) return skep_fail(err, SKEP_ERR_INTERNAL, "a savepoint outside a transaction that writes");
  return db->vt->savepoint_end(db, keep, err);
}

skep_status skep_db_lock_txns(skep_db *db, bool exclusive, skep_err *err) {
  return db->vt->lock_txns == NULL ? SKEP_OK : db->vt->lock_txns(db, exclusive, err);
}

bool skep_db_in_transaction(const skep_db *db) { return db->active; }
bool skep_db_in_write(const skep_db *db) { return db->active && db->mode != SKEP_DB_READ; }

skep_status skep_db_begin_unless(skep_db *db, skep_db_mode mode, bool *joined, skep_err *err) {
  *joined = db->active;
  if (!db->active) return skep_db_begin(db, mode, err);
  if (mode != SKEP_DB_READ && db->mode == SKEP_DB_READ) {
    return skep_fail(err, SKEP_ERR_INTERNAL, "a change inside a database transaction that only reads");
  }
  return SKEP_OK;
}

skep_status skep_db_end(skep_db *db, bool joined, skep_status status, skep_err *err) {
  if (joined) return status;
  if (status == SKEP_OK) return skep_db_commit(db, err);
  skep_db_rollback(db);
  return status;
}

/* --- parameters --- */

skep_param skep_p_i64(int64_t value) { return (skep_param){.kind = SKEP_PARAM_I64, .as.i64 = value}; }
skep_param skep_p_f64(double value) { return (skep_param){.kind = SKEP_PARAM_F64, .as.f64 = value}; }
skep_param skep_p_bool(bool value) { return (skep_param){.kind = SKEP_PARAM_BOOL, .as.i64 = value ? 1 : 0}; }
skep_param skep_p_null(void) { return (skep_param){.kind = SKEP_PARAM_NULL}; }
skep_param skep_p_text(const char *text) { return skep_p_textn(text, text != NULL ? strlen(text) : 0); }

skep_param skep_p_textn(const char *text, size_t length) {
  if (text == NULL) return skep_p_null();
  return (skep_param){.kind = SKEP_PARAM_TEXT, .length = length, .as.bytes = text};
}

skep_param skep_p_blob(const void *bytes, size_t length) {
  if (bytes == NULL) return skep_p_null();
  return (skep_param){.kind = SKEP_PARAM_BLOB, .length = length, .as.bytes = bytes};
}

/* Texts of one letter need storage that outlives the call of this function: a constant table of them. */
skep_param skep_p_char(char c) {
  static const char letters[] =
      "a\0b\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l\0m\0n\0o\0p\0q\0r\0s\0t\0u\0v\0w\0x\0y\0z\0N\0Y\0_\0";
  for (size_t i = 0; i + 1 < sizeof letters; i += 2) {
    if (letters[i] == c) return skep_p_textn(letters + i, 1);
  }
  return skep_p_null();
}

/* --- the cache --- */

static const char for_update[] = "{for_update}";

/* Fills in the dialect's markers; texts of parameters never come here. */
static skep_status expand(const skep_db *db, const char *sql, skep_buf *out, skep_err *err) {
  const skep_dialect *d = db->vt->dialect;
  const struct {
    const char *marker, *text;
  } markers[] = {{for_update, skep_db_in_write(db) ? d->for_update : ""}, {"{serial}", d->serial}, {"{id}", d->id}};
  const char *at = sql;
  while (*at != 0) {
    size_t plain = strcspn(at, "{");
    skep_buf_add(out, at, plain);
    at += plain;
    if (*at == 0) break;
    size_t i = 0, n = sizeof markers / sizeof markers[0];
    while (i < n && after_prefix(at, markers[i].marker) == NULL) i++;
    if (i == n) return skep_fail(err, SKEP_ERR_INTERNAL, "unknown marker in SQL: %.20s", at);
    skep_buf_text(out, markers[i].text);
    at += strlen(markers[i].marker);
  }
  return skep_buf_check(out, "SQL text", err);
}

static skep_status prepare_old(skep_db *db, const char *sql, skep_stmt **out, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, db->ctx, MAX_SQL_BYTES);
  skep_legacy_print(&db->legacy, sql, &text);
  skep_status status = skep_buf_check(&text, "SQL text", err);
  if (status == SKEP_OK) status = db->vt->prepare(db, skep_buf_string(&text), out, err);
  skep_buf_fini(&text);
  return status;
}

static skep_status prepare(skep_db *db, const char *sql, uint64_t hash, skep_stmt **out, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, db->ctx, MAX_SQL_BYTES);
  skep_stmt *stmt = NULL;
  skep_status status = expand(db, sql, &text, err);
  if (status == SKEP_OK && db->legacy.is_old) status = prepare_old(db, skep_buf_string(&text), &stmt, err);
  if (status == SKEP_OK && stmt == NULL) status = db->vt->prepare(db, skep_buf_string(&text), &stmt, err);
  skep_buf_fini(&text);
  if (status != SKEP_OK) return status;
  stmt->hash = hash;
  stmt->varies = strstr(sql, for_update) != NULL;
  stmt->locks = skep_db_in_write(db);
  stmt->sql = skep_strndup(db->ctx, sql, strlen(sql));
  if (stmt->sql == NULL) {
    db->vt->finalize(stmt);
    return skep_fail(err, SKEP_ERR_NOMEM, "prepared statement");
  }
  db->n_statements++;
  skep_stmt **chain = &db->cache[hash % SKEP_DB_CACHE_CHAINS];
  stmt->next = *chain;
  *chain = stmt;
  *out = stmt;
  return SKEP_OK;
}

/* An address says where to look first; the text decides. */
static skep_stmt **recent_slot(skep_db *db, const char *sql) {
  uint64_t h = (uint64_t)(uintptr_t)sql * 0x9e3779b97f4a7c15u;
  return &db->recent[h >> 32 & (SKEP_DB_RECENT - 1)];
}

/* Whether it is free and means what the text means now. */
static bool is_fit(const skep_db *db, const skep_stmt *s, const char *sql) {
  return !s->open && (!s->varies || s->locks == skep_db_in_write(db)) && strcmp(s->sql, sql) == 0;
}

static skep_status find_or_prepare(skep_db *db, const char *sql, skep_stmt **out, skep_err *err) {
  uint64_t hash = skep_fnv_text(SKEP_FNV_START, sql);
  for (skep_stmt *s = db->cache[hash % SKEP_DB_CACHE_CHAINS]; s != NULL; s = s->next) {
    if (s->hash == hash && is_fit(db, s, sql)) {
      *out = s;
      return SKEP_OK;
    }
  }
  return prepare(db, sql, hash, out, err);
}

static skep_status take(skep_db *db, const char *sql, skep_stmt **out, skep_err *err) {
  skep_stmt **slot = recent_slot(db, sql);
  if (*slot != NULL && is_fit(db, *slot, sql)) {
    *out = *slot;
    return SKEP_OK;
  }
  SKEP_TRY(find_or_prepare(db, sql, out, err));
  *slot = *out;
  return SKEP_OK;
}

/* A statement of this text that is free, and may run now. */
static skep_status open_statement(skep_db *db, const char *sql, bool no_result, skep_stmt **out, skep_err *err) {
  skep_stmt *stmt = NULL;
  SKEP_TRY(take(db, sql, &stmt, err));
  if (stmt->changes && (db->read_only || (db->active && db->mode == SKEP_DB_READ))) {
    return skep_fail(err, db->read_only ? SKEP_ERR_IO : SKEP_ERR_INTERNAL,
                     db->read_only ? "the metastore is open for reading only"
                                   : "a change inside a database transaction that only reads");
  }
  stmt->open = true;
  stmt->counted = false;
  stmt->no_result = no_result;
  *out = stmt;
  return SKEP_OK;
}

static skep_status query(skep_db *db, const char *sql, const skep_param *params, size_t n_params, bool no_result,
                         skep_stmt **out, skep_err *err) {
  *out = NULL;
  skep_stmt *stmt = NULL;
  SKEP_TRY(open_statement(db, sql, no_result, &stmt, err));
  skep_status status = db->vt->bind(stmt, params, n_params, err);
  if (status != SKEP_OK) {
    skep_stmt_done(stmt);
    return status;
  }
  *out = stmt;
  return SKEP_OK;
}

skep_status skep_db_query(skep_db *db, const char *sql, const skep_param *params, size_t n_params, skep_stmt **out,
                          skep_err *err) {
  return query(db, sql, params, n_params, false, out, err);
}

skep_status skep_db_send(skep_db *db, const char *sql, const skep_param *params, size_t n_params, skep_stmt **out,
                         skep_err *err) {
  if (db->vt->send == NULL || !db->active) return query(db, sql, params, n_params, false, out, err);
  *out = NULL;
  skep_stmt *stmt = NULL;
  bool is_mine = false;
  skep_status status = SKEP_OK;
  SKEP_TRY(open_statement(db, sql, false, &stmt, err));
  if (stmt->changes) { /* its answer is counted with it */
    stmt->counted = true;
    if (fault_before(db, false, &is_mine, &status, err)) status = SKEP_OK;
  }
  if (status == SKEP_OK) status = fault_after(db, false, is_mine, db->vt->send(stmt, params, n_params, err), err);
  if (status != SKEP_OK) {
    skep_stmt_done(stmt);
    return status;
  }
  *out = stmt;
  return SKEP_OK;
}

skep_status skep_db_learn(skep_db *db, const char *const *sql, size_t n, skep_err *err) {
  skep_stmt *stmts[SKEP_DB_MAX_LEARNED] = {0};
  if (db->vt->learn == NULL) return SKEP_OK;
  if (db->active || n > SKEP_DB_MAX_LEARNED)
    return skep_fail(err, SKEP_ERR_INTERNAL, "%zu statements to be learned", n);
  skep_status status = SKEP_OK;
  for (size_t i = 0; i < n && status == SKEP_OK; i++) status = take(db, sql[i], &stmts[i], err);
  return status == SKEP_OK ? db->vt->learn(db, stmts, n, err) : status;
}

skep_status skep_stmt_next(skep_stmt *stmt, skep_err *err) {
  skep_db *db = stmt->db;
  bool is_mine = false;
  skep_status status = SKEP_OK;
  if (stmt->changes && !stmt->counted) {
    stmt->counted = true;
    if (!fault_before(db, !db->active, &is_mine, &status, err)) return status;
  }
  status = db->vt->step(stmt, err);
  return is_mine ? fault_after(db, !db->active, is_mine, status, err) : status;
}

/* Takes a statement out of the cache when it has grown too large: then one is kept no longer than it is used. */
static void forget(skep_stmt *stmt) {
  skep_stmt **at = &stmt->db->cache[stmt->hash % SKEP_DB_CACHE_CHAINS];
  while (*at != stmt) at = &(*at)->next;
  *at = stmt->next;
  for (size_t i = 0; i < SKEP_DB_RECENT; i++) {
    if (stmt->db->recent[i] == stmt) stmt->db->recent[i] = NULL;
  }
  finalize(stmt);
}

void skep_stmt_done(skep_stmt *stmt) {
  if (stmt == NULL) return;
  stmt->db->vt->reset(stmt);
  stmt->open = false;
  if (stmt->db->n_statements > SKEP_DB_CACHE_MAX) forget(stmt);
}

/* --- columns --- */

bool skep_stmt_is_null(skep_stmt *stmt, int column) { return stmt->db->vt->is_null(stmt, column); }
int64_t skep_stmt_i64(skep_stmt *stmt, int column) { return stmt->db->vt->i64(stmt, column); }
double skep_stmt_f64(skep_stmt *stmt, int column) { return stmt->db->vt->f64(stmt, column); }
bool skep_stmt_bool(skep_stmt *stmt, int column) { return skep_stmt_i64(stmt, column) != 0; }
int skep_stmt_n_columns(const skep_stmt *stmt) { return stmt->db->vt->n_columns(stmt); }
const char *skep_stmt_column_name(skep_stmt *stmt, int column) { return stmt->db->vt->column_name(stmt, column); }

const char *skep_stmt_text(skep_stmt *stmt, int column, size_t *length) {
  size_t unused;
  return stmt->db->vt->bytes(stmt, column, true, length != NULL ? length : &unused);
}

const void *skep_stmt_blob(skep_stmt *stmt, int column, size_t *length) {
  size_t unused;
  return stmt->db->vt->bytes(stmt, column, false, length != NULL ? length : &unused);
}

char skep_stmt_char(skep_stmt *stmt, int column) {
  const char *text = skep_stmt_text(stmt, column, NULL);
  return text != NULL ? text[0] : 0;
}

skep_status skep_stmt_text_copy(skep_stmt *stmt, int column, skep_arena *arena, const char **out, skep_err *err) {
  size_t length = 0;
  const char *text = skep_stmt_text(stmt, column, &length);
  *out = NULL;
  if (text == NULL) return SKEP_OK;
  *out = skep_arena_strndup(arena, text, length);
  return *out != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "text of %zu bytes", length);
}

/* --- helpers over queries --- */

skep_status skep_db_run(skep_db *db, const char *sql, const skep_param *params, size_t n_params, int64_t *n_changed,
                        skep_err *err) {
  if (n_changed != NULL) *n_changed = 0;
  skep_stmt *stmt = NULL;
  SKEP_TRY(query(db, sql, params, n_params, n_changed == NULL && db->active, &stmt, err));
  skep_status status;
  do {
    status = skep_stmt_next(stmt, err);
  } while (status == SKEP_OK);
  if (status == SKEP_END && n_changed != NULL) *n_changed = db->vt->n_changed(db);
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

skep_status skep_db_get_i64(skep_db *db, const char *sql, const skep_param *params, size_t n_params, int64_t *out,
                            bool *found, skep_err *err) {
  *out = 0;
  if (found != NULL) *found = false;
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(db, sql, params, n_params, &stmt, err));
  skep_status status = skep_stmt_next(stmt, err);
  if (status == SKEP_OK && !skep_stmt_is_null(stmt, 0)) {
    *out = skep_stmt_i64(stmt, 0);
    if (found != NULL) *found = true;
  }
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

skep_status skep_db_is_there(skep_db *db, const char *select, bool *out, skep_err *err) {
  skep_stmt *stmt = NULL;
  skep_err reason = {0};
  skep_status status = skep_db_query(db, select, SKEP_NO_PARAMS, &stmt, &reason);
  skep_stmt_done(stmt);
  *out = status == SKEP_OK;
  if (status == SKEP_OK || status == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (err != NULL) *err = reason;
  return status;
}

skep_status skep_db_get_text(skep_db *db, const char *sql, const skep_param *params, size_t n_params, skep_arena *arena,
                             const char **out, skep_err *err) {
  *out = NULL;
  skep_stmt *stmt = NULL;
  SKEP_TRY(skep_db_query(db, sql, params, n_params, &stmt, err));
  skep_status status = skep_stmt_next(stmt, err);
  if (status == SKEP_OK) status = skep_stmt_text_copy(stmt, 0, arena, out, err);
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

int64_t skep_db_last_id(skep_db *db) { return db->vt->last_id(db); }

skep_status skep_db_exec(skep_db *db, const char *sql, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, db->ctx, MAX_SQL_BYTES);
  bool is_mine = false;
  skep_status status = expand(db, sql, &text, err);
  if (status == SKEP_OK && fault_before(db, !db->active, &is_mine, &status, err)) {
    status = fault_after(db, !db->active, is_mine, db->vt->exec(db, skep_buf_string(&text), err), err);
  }
  skep_buf_fini(&text);
  return status;
}

/* --- properties --- */

skep_status skep_db_get_property(skep_db *db, const char *key, char *out, size_t size, skep_err *err) {
  skep_stmt *stmt = NULL;
  out[0] = 0;
  SKEP_TRY(skep_db_query(db, "SELECT \"PROPERTY_VALUE\" FROM \"METASTORE_DB_PROPERTIES\" WHERE \"PROPERTY_KEY\" = ?",
                         SKEP_PARAMS(skep_p_text(key)), &stmt, err));
  skep_status status = skep_stmt_next(stmt, err);
  const char *value = status == SKEP_OK ? skep_stmt_text(stmt, 0, NULL) : NULL;
  if (value != NULL) snprintf(out, size, "%s", value);
  skep_stmt_done(stmt);
  return status == SKEP_END ? SKEP_OK : status;
}

skep_status skep_db_set_property(skep_db *db, const char *key, const char *value, skep_err *err) {
  int64_t changed = 0;
  SKEP_TRY(skep_db_run(db, "UPDATE \"METASTORE_DB_PROPERTIES\" SET \"PROPERTY_VALUE\" = ? WHERE \"PROPERTY_KEY\" = ?",
                       SKEP_PARAMS(skep_p_text(value), skep_p_text(key)), &changed, err));
  if (changed > 0) return SKEP_OK;
  return skep_db_run(db, "INSERT INTO \"METASTORE_DB_PROPERTIES\" (\"PROPERTY_KEY\", \"PROPERTY_VALUE\") VALUES (?, ?)",
                     SKEP_PARAMS(skep_p_text(key), skep_p_text(value)), NULL, err);
}
