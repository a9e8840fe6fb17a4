/* SQLite behind skep_db: write-ahead log, foreign keys, one writer at a time, in a row (sqlite_queue.h).
 *
 * SQLite does not sync commits (synchronous=NORMAL): durable ones are synced after they left the queue, together with
 * those of others. Without a queue's file `synchronous` FULL does it at once. The log is a sequence: what is synced
 * later makes all before it durable, so a loss of power takes back a suffix of commits, never one out of the middle.
 * SQLite allocates with malloc: its allocator is one for the process and has no context. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "db/db_int.h"
#include "db/local_disk.h"
#include "db/sqlite_queue.h"

typedef struct sqlite_db {
  skep_db base;
  sqlite3 *handle;
  sqlite3_stmt *begin_read, *begin_write, *commit, *rollback;
  bool full;                /* the connection's `synchronous` is FULL, else NORMAL */
  bool has_asked;           /* for a queue: */
  skep_sqlite_queue *queue; /* NULL: writers have none */
  bool wrote;               /* the transaction may have changed something */
  bool suspect;             /* a write or sync of the log failed: what is in it may never reach the disk */
  int64_t busy_wait_ns;     /* limit of the wait for a lock */
  int64_t wait_start_ns;    /* of the wait that goes on */
  _Atomic bool interrupted;
} sqlite_db;

typedef struct sqlite_stmt {
  skep_stmt base;
  sqlite3_stmt *handle;
} sqlite_stmt;

static const skep_dialect dialect = {.name = "SQLite",
                                     .ids_in_order = true,
                                     .is_local = true,
                                     .writers_alone = true,
                                     .for_update = "",
                                     .serial = "INTEGER PRIMARY KEY AUTOINCREMENT",
                                     .id = "INTEGER"};

static sqlite3 *handle_of(skep_db *db) { return ((sqlite_db *)db)->handle; }
static sqlite3_stmt *stmt_of(const skep_stmt *stmt) { return ((const sqlite_stmt *)stmt)->handle; }

/* --- errors --- */

static skep_status status_of(int code) {
  switch (code & 0xff) {
    case SQLITE_OK:
      return SKEP_OK;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return SKEP_ERR_BUSY;
    case SQLITE_NOMEM:
      return SKEP_ERR_NOMEM;
    case SQLITE_INTERRUPT:
      return SKEP_ERR_CANCELLED;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
      return SKEP_ERR_CORRUPT;
    case SQLITE_CONSTRAINT:
      return code == SQLITE_CONSTRAINT_UNIQUE || code == SQLITE_CONSTRAINT_PRIMARYKEY || code == SQLITE_CONSTRAINT_ROWID
                 ? SKEP_ERR_EXISTS
                 : SKEP_ERR_ARGUMENT;
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_NOLFS:
    case SQLITE_PROTOCOL:
    case SQLITE_CANTOPEN:
      return SKEP_ERR_IO;
    case SQLITE_TOOBIG:
      return SKEP_ERR_LIMIT;
    default:
      return SKEP_ERR_INTERNAL;
  }
}

/* The database's own words: they may quote names from the schema, which is a file's content. */
static skep_status fail_with(sqlite3 *handle, int code, skep_err *err) {
  char quoted[400];
  const char *text = handle != NULL ? sqlite3_errmsg(handle) : sqlite3_errstr(code);
  skep_quote(quoted, sizeof quoted, text, strlen(text));
  skep_status status = status_of(code);
  int os = handle != NULL ? sqlite3_system_errno(handle) : 0;
  bool says = status == SKEP_ERR_IO && os != 0;
  return skep_fail(err, status, "%s%s%s%s", quoted, says ? " (" : "", says ? strerrordesc_np(os) : "", says ? ")" : "");
}

/* --- waiting for a lock --- */

/* Sleeps between tries are short and grow to 2 ms; one who has waited for a second tries more often again, so that
 * newcomers do not pass it for long. */
static int on_busy(void *self, int tries) {
  sqlite_db *db = self;
  const skep_ctx *ctx = db->base.ctx;
  int64_t now = ctx->monotonic_ns(ctx->clock_self);
  if (tries == 0) db->wait_start_ns = now;
  int64_t waited = now - db->wait_start_ns;
  if (waited >= db->busy_wait_ns || atomic_load(&db->interrupted)) return 0;
  uint64_t ceiling_ns = 50000ull << (tries < 5 ? tries : 5);
  if (waited > 1000000000) ceiling_ns = 200000;
  uint64_t random = ctx->random(ctx->random_self);
  struct timespec pause = {.tv_nsec = (long)(20000 + random % ceiling_ns)};
  nanosleep(&pause, NULL);
  return 1;
}

static bool wait_ended(sqlite_db *db, int *tries) { return on_busy(db, (*tries)++) == 0; }

/* --- opening --- */

static skep_status run_text(sqlite_db *db, const char *sql, skep_err *err) {
  int code = sqlite3_exec(db->handle, sql, NULL, NULL, NULL);
  return code == SQLITE_OK ? SKEP_OK : fail_with(db->handle, code, err);
}

/* The busy handler is not asked when the journal mode changes: wait here. */
static skep_status use_wal(sqlite_db *db, bool read_only, skep_err *err) {
  if (read_only) return SKEP_OK;
  for (int tries = 0;;) {
    sqlite3_stmt *stmt = NULL;
    int code = sqlite3_prepare_v2(db->handle, "PRAGMA journal_mode=WAL", -1, &stmt, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(stmt);
    const char *mode = code == SQLITE_ROW ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
    bool fine = mode != NULL && (strcmp(mode, "wal") == 0 || strcmp(mode, "memory") == 0);
    skep_status status = SKEP_OK;
    if (code != SQLITE_ROW) {
      status = fail_with(db->handle, code, err);
    } else if (!fine) {
      status = skep_fail(err, SKEP_ERR_UNSUPPORTED, "this file system cannot hold SQLite's write-ahead log");
    }
    sqlite3_finalize(stmt);
    if (status != SKEP_ERR_BUSY || wait_ended(db, &tries)) return status;
  }
}

static skep_status prepare_fixed(sqlite_db *db, const char *sql, sqlite3_stmt **out, skep_err *err) {
  int code = sqlite3_prepare_v3(db->handle, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
  return code == SQLITE_OK ? SKEP_OK : fail_with(db->handle, code, err);
}

static skep_status configure(sqlite_db *db, const skep_db_opts *opts, skep_err *err) {
  sqlite3_extended_result_codes(db->handle, 1);
  sqlite3_busy_handler(db->handle, on_busy, db);
  sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(db->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  /* A quoted name that is no column is an error, not a text. */
  sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
  sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
  /* Of new files. Rows here are small and lie in many trees: a commit logs whole pages, and 2 KiB made transactions a
   * third faster than 4 KiB and faster than 1 KiB (bench/README.md). */
  SKEP_TRY(run_text(db, "PRAGMA page_size=2048", err));
  SKEP_TRY(use_wal(db, opts->read_only, err));
  SKEP_TRY(run_text(db, "PRAGMA foreign_keys=ON; PRAGMA synchronous=FULL; PRAGMA temp_store=MEMORY", err));
  db->full = true;
  int pages = opts->checkpoint_pages > 0 && opts->checkpoint_pages < 1000000 ? (int)opts->checkpoint_pages : 8000;
  sqlite3_wal_autocheckpoint(db->handle, pages);
  SKEP_TRY(prepare_fixed(db, "BEGIN", &db->begin_read, err));
  SKEP_TRY(prepare_fixed(db, "BEGIN IMMEDIATE", &db->begin_write, err));
  SKEP_TRY(prepare_fixed(db, "COMMIT", &db->commit, err));
  return prepare_fixed(db, "ROLLBACK", &db->rollback, err);
}

/* SQLite makes the names of its logs durable itself, that of a new database file it leaves to us. */
static skep_status sync_parent(const char *path, skep_err *err) {
  char dir[4096];
  SKEP_TRY(skep_directory_of(path, dir, sizeof dir, err));
  int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return skep_fail(err, SKEP_ERR_IO, "open the directory: %s", strerrordesc_np(errno));
  int failed = fsync(fd) != 0 ? errno : 0;
  close(fd);
  return failed == 0 ? SKEP_OK : skep_fail(err, SKEP_ERR_IO, "sync the directory: %s", strerrordesc_np(failed));
}

static void sqlite_close(skep_db *base) {
  sqlite_db *db = (sqlite_db *)base;
  skep_sqlite_queue_close(db->queue);
  sqlite3_finalize(db->begin_read);
  sqlite3_finalize(db->begin_write);
  sqlite3_finalize(db->commit);
  sqlite3_finalize(db->rollback);
  sqlite3_close_v2(db->handle);
  skep_release(base->ctx, db);
}

static skep_status open_file(sqlite_db *db, const char *path, const skep_db_opts *opts, skep_err *err) {
  struct stat st;
  bool in_memory = strcmp(path, ":memory:") == 0;
  bool is_new = !in_memory && stat(path, &st) != 0 && errno == ENOENT;
  if (is_new && (!opts->create || opts->read_only)) return skep_fail(err, SKEP_ERR_NOT_FOUND, "no such file");
  if (!in_memory) SKEP_TRY(skep_check_local_disk(path, err));
  int flags = SQLITE_OPEN_NOMUTEX | (opts->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
  if (opts->create && !opts->read_only) flags |= SQLITE_OPEN_CREATE;
  int code = sqlite3_open_v2(path, &db->handle, flags, NULL);
  if (code != SQLITE_OK) return fail_with(db->handle, code, err);
  SKEP_TRY(configure(db, opts, err));
  return is_new ? sync_parent(path, err) : SKEP_OK;
}

static const skep_db_backend backend;

skep_status skep_db_sqlite_open(const skep_ctx *ctx, const char *path, const skep_db_opts *opts, skep_db **out,
                                skep_err *err) {
  sqlite_db *db = skep_alloc_zero(ctx, 1, sizeof *db);
  if (db == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "metastore connection");
  db->base.vt = &backend;
  db->base.ctx = ctx;
  int64_t wait_ms = opts->busy_wait_ms < 0 ? 0 : opts->busy_wait_ms;
  db->busy_wait_ns = wait_ms > INT64_MAX / 1000000 ? INT64_MAX : wait_ms * 1000000;
  skep_status status = open_file(db, path, opts, err);
  if (status != SKEP_OK) {
    sqlite_close(&db->base);
    return status;
  }
  *out = &db->base;
  return SKEP_OK;
}

/* --- statements --- */

/* A table or column that is not there has no code of its own. */
static skep_status fail_prepare(sqlite3 *handle, int code, skep_err *err) {
  const char *text = sqlite3_errmsg(handle);
  bool missing = strncmp(text, "no such table", 13) == 0 || strncmp(text, "no such column", 14) == 0;
  skep_status status = fail_with(handle, code, err);
  if (code != SQLITE_ERROR || !missing) return status;
  if (err != NULL) err->status = SKEP_ERR_NOT_FOUND;
  return SKEP_ERR_NOT_FOUND;
}

static skep_status sqlite_prepare(skep_db *db, const char *sql, skep_stmt **out, skep_err *err) {
  sqlite3_stmt *handle = NULL;
  int code = sqlite3_prepare_v3(handle_of(db), sql, -1, SQLITE_PREPARE_PERSISTENT, &handle, NULL);
  if (code != SQLITE_OK) return fail_prepare(handle_of(db), code, err);
  sqlite_stmt *stmt = skep_alloc_zero(db->ctx, 1, sizeof *stmt);
  if (stmt == NULL) {
    sqlite3_finalize(handle);
    return skep_fail(err, SKEP_ERR_NOMEM, "prepared statement");
  }
  stmt->handle = handle;
  stmt->base.db = db;
  stmt->base.changes = sqlite3_stmt_readonly(handle) == 0;
  *out = &stmt->base;
  return SKEP_OK;
}

static void sqlite_finalize(skep_stmt *stmt) {
  sqlite3_finalize(stmt_of(stmt));
  skep_release(stmt->db->ctx, stmt);
}

static skep_status sqlite_bind(skep_stmt *stmt, const skep_param *params, size_t n, skep_err *err) {
  sqlite3_stmt *s = stmt_of(stmt);
  if (!stmt->db->active) atomic_store(&((sqlite_db *)stmt->db)->interrupted, false);
  if ((size_t)sqlite3_bind_parameter_count(s) != n) {
    return skep_fail(err, SKEP_ERR_INTERNAL, "%zu values for %d parameters: %.200s", n, sqlite3_bind_parameter_count(s),
                     stmt->sql);
  }
  int code = SQLITE_OK;
  for (size_t i = 0; i < n && code == SQLITE_OK; i++) {
    const skep_param *p = &params[i];
    int at = (int)i + 1;
    switch (p->kind) {
      case SKEP_PARAM_NULL:
        code = sqlite3_bind_null(s, at);
        break;
      case SKEP_PARAM_I64:
      case SKEP_PARAM_BOOL:
        code = sqlite3_bind_int64(s, at, p->as.i64);
        break;
      case SKEP_PARAM_F64:
        code = sqlite3_bind_double(s, at, p->as.f64);
        break;
      case SKEP_PARAM_TEXT:
        code = sqlite3_bind_text64(s, at, p->as.bytes, p->length, SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
      case SKEP_PARAM_BLOB:
        code = sqlite3_bind_blob64(s, at, p->as.bytes, p->length, SQLITE_TRANSIENT);
        break;
    }
  }
  return code == SQLITE_OK ? SKEP_OK : fail_with(handle_of(stmt->db), code, err);
}

static skep_status set_full(sqlite_db *db, bool full, skep_err *err) {
  if (db->full == full) return SKEP_OK;
  SKEP_TRY(run_text(db, full ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL", err));
  db->full = full;
  return SKEP_OK;
}

/* A full disk, a failed write, an interrupt: SQLite may have ended the transaction by itself, and what came next would
 * be a transaction of its own each. */
static skep_status still_open(sqlite_db *db, skep_err *err) {
  if (!db->base.active || sqlite3_get_autocommit(db->handle) == 0) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_IO, "the database transaction was rolled back after an earlier failure in it");
}

static skep_status sqlite_step(skep_stmt *stmt, skep_err *err) {
  sqlite_db *db = (sqlite_db *)stmt->db;
  SKEP_TRY(still_open(db, err));
  if (stmt->changes && !db->base.active) SKEP_TRY(set_full(db, true, err));
  db->wrote = db->wrote || stmt->changes;
  int code = sqlite3_step(stmt_of(stmt));
  if (code == SQLITE_ROW) return SKEP_OK;
  if (code == SQLITE_DONE) return SKEP_END;
  return fail_with(db->handle, code, err);
}

static void sqlite_reset(skep_stmt *stmt) {
  sqlite3_reset(stmt_of(stmt));
  sqlite3_clear_bindings(stmt_of(stmt));
}

static int64_t sqlite_n_changed(skep_db *db) { return sqlite3_changes64(handle_of(db)); }
static int64_t sqlite_last_id(skep_db *db) { return sqlite3_last_insert_rowid(handle_of(db)); }
static int sqlite_n_columns(const skep_stmt *stmt) { return sqlite3_column_count(stmt_of(stmt)); }
static const char *sqlite_column_name(skep_stmt *stmt, int i) { return sqlite3_column_name(stmt_of(stmt), i); }
static bool sqlite_is_null(skep_stmt *stmt, int i) { return sqlite3_column_type(stmt_of(stmt), i) == SQLITE_NULL; }
static int64_t sqlite_i64(skep_stmt *stmt, int i) { return sqlite3_column_int64(stmt_of(stmt), i); }
static double sqlite_f64(skep_stmt *stmt, int i) { return sqlite3_column_double(stmt_of(stmt), i); }

static const void *sqlite_bytes(skep_stmt *stmt, int i, bool text, size_t *length) {
  sqlite3_stmt *s = stmt_of(stmt);
  const void *bytes = text ? (const void *)sqlite3_column_text(s, i) : sqlite3_column_blob(s, i);
  *length = bytes != NULL ? (size_t)sqlite3_column_bytes(s, i) : 0;
  return bytes;
}

/* --- transactions --- */

static int run_fixed(sqlite3_stmt *stmt) {
  int code = sqlite3_step(stmt);
  sqlite3_reset(stmt);
  return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* After a failed sync the system may count the log's pages as written although they are not, and a later sync would say
 * nothing about them. So everything is copied into the database file and synced there before anybody here commits
 * again. */
static skep_status make_log_safe(sqlite_db *db, skep_err *err) {
  if (!db->suspect && !skep_sqlite_queue_is_broken(db->queue)) return SKEP_OK;
  SKEP_TRY(set_full(db, true, err));
  int code = sqlite3_wal_checkpoint_v2(db->handle, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
  if (code != SQLITE_OK) {
    skep_status status = fail_with(db->handle, code, err);
    return skep_wrap(err, status, "the write-ahead log cannot be made safe after an earlier failure");
  }
  db->suspect = false;
  skep_sqlite_queue_mended(db->queue);
  return SKEP_OK;
}

static bool is_durable(skep_db_mode mode) { return mode != SKEP_DB_WRITE_LAZY && mode != SKEP_DB_ROWS_LAZY; }

/* Opened with the first write: then the log is there, too. */
static skep_status need_queue(sqlite_db *db, skep_err *err) {
  const char *path = sqlite3_db_filename(db->handle, "main");
  if (!db->has_asked && path != NULL && path[0] != '\0')
    SKEP_TRY(skep_sqlite_queue_open(db->base.ctx, path, db->base.boot_id, &db->queue, err));
  db->has_asked = true;
  return SKEP_OK;
}

static skep_status begin_write(sqlite_db *db, skep_db_mode mode, skep_err *err) {
  SKEP_TRY(need_queue(db, err));
  SKEP_TRY(make_log_safe(db, err));
  skep_status status = skep_sqlite_queue_enter(db->queue, db->busy_wait_ns, &db->interrupted);
  if (status != SKEP_OK) return status;
  db->wrote = false;
  status = set_full(db, db->queue == NULL && is_durable(mode), err);
  if (status == SKEP_OK) {
    int code = run_fixed(db->begin_write);
    if (code == SQLITE_OK) return SKEP_OK;
    status = fail_with(db->handle, code, err);
  }
  skep_sqlite_queue_leave(db->queue);
  return status;
}

static skep_status sqlite_begin(skep_db *base, skep_db_mode mode, skep_err *err) {
  sqlite_db *db = (sqlite_db *)base;
  atomic_store(&db->interrupted, false);
  skep_status status;
  if (mode != SKEP_DB_READ) {
    status = begin_write(db, mode, err);
  } else {
    int code = run_fixed(db->begin_read);
    status = code == SQLITE_OK ? SKEP_OK : fail_with(db->handle, code, err);
  }
  if (status != SKEP_ERR_BUSY && status != SKEP_ERR_CANCELLED) return status;
  if (atomic_load(&db->interrupted))
    return skep_fail(err, SKEP_ERR_CANCELLED, "waiting for the metastore was called off");
  return skep_fail(err, SKEP_ERR_BUSY, "the metastore was locked by another process for %lld ms",
                   (long long)(db->busy_wait_ns / 1000000));
}

static void sqlite_rollback(skep_db *base) {
  sqlite_db *db = (sqlite_db *)base;
  if (sqlite3_get_autocommit(db->handle) == 0) run_fixed(db->rollback);
  skep_sqlite_queue_leave(db->queue);
}

/* SQLite's own file of the log: its first sync makes the name durable, too. */
static skep_status sync_log(void *self, skep_err *err) {
  sqlite_db *db = self;
  sqlite3_file *log = NULL;
  int code = sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (code == SQLITE_OK && (log == NULL || log->pMethods == NULL)) code = SQLITE_IOERR;
  if (code == SQLITE_OK) code = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
  return code == SQLITE_OK ? SKEP_OK : skep_fail(err, SKEP_ERR_IO, "%s", sqlite3_errstr(code & 0xff));
}

/* After COMMIT: the next writer may begin, and the log is synced where the transaction is to be durable. */
static skep_status settle(sqlite_db *db, skep_err *err) {
  if (db->base.mode == SKEP_DB_READ || db->queue == NULL) return SKEP_OK;
  uint64_t commit = skep_sqlite_queue_committed(db->queue);
  skep_sqlite_queue_leave(db->queue);
  if (!is_durable(db->base.mode) || !db->wrote) return SKEP_OK;
  skep_status status = skep_sqlite_queue_sync(db->queue, commit, sync_log, db, err);
  if (status == SKEP_OK) return status;
  db->suspect = true;
  return skep_wrap(err, SKEP_ERR_IN_DOUBT, "the outcome of a commit is not known");
}

/* A failed write or sync of the log's last frames leaves a commit that this connection took back and that a recovery
 * after a crash might find whole. A full disk means that the last frame was not written. */
static skep_status sqlite_commit(skep_db *base, skep_err *err) {
  sqlite_db *db = (sqlite_db *)base;
  if (sqlite3_get_autocommit(db->handle) != 0) {
    skep_sqlite_queue_leave(db->queue);
    return skep_fail(err, SKEP_ERR_IO, "the database transaction was rolled back after an earlier failure in it");
  }
  int code = run_fixed(db->commit);
  if (code == SQLITE_OK) return settle(db, err);
  skep_status status = fail_with(db->handle, code, err);
  bool doubt = (code & 0xff) == SQLITE_IOERR && base->mode != SKEP_DB_READ;
  db->suspect = db->suspect || doubt;
  sqlite_rollback(base);
  if (!doubt) return status;
  return skep_wrap(err, SKEP_ERR_IN_DOUBT, "the outcome of a commit is not known");
}

static skep_status sqlite_exec(skep_db *base, const char *sql, skep_err *err) {
  sqlite_db *db = (sqlite_db *)base;
  SKEP_TRY(still_open(db, err));
  if (!base->active) SKEP_TRY(set_full(db, true, err));
  db->wrote = true;
  return run_text(db, sql, err);
}

static skep_status sqlite_savepoint(skep_db *base, skep_err *err) {
  SKEP_TRY(still_open((sqlite_db *)base, err));
  return run_text((sqlite_db *)base, "SAVEPOINT skep", err);
}

static skep_status sqlite_savepoint_end(skep_db *base, bool keep, skep_err *err) {
  SKEP_TRY(still_open((sqlite_db *)base, err));
  return run_text((sqlite_db *)base, keep ? "RELEASE skep" : "ROLLBACK TO skep; RELEASE skep", err);
}

static void sqlite_interrupt(skep_db *base) {
  sqlite_db *db = (sqlite_db *)base;
  atomic_store(&db->interrupted, true);
  sqlite3_interrupt(db->handle);
}

/* One machine: the database's clock is ours. */
static skep_status sqlite_now_ms(skep_db *db, int64_t *out, skep_err *err) {
  (void)err;
  *out = db->ctx->clock_ms(db->ctx->clock_self);
  return SKEP_OK;
}

/* SQLite has made it absolute, through links. */
static const char *sqlite_path(skep_db *base) { return sqlite3_db_filename(((sqlite_db *)base)->handle, "main"); }

static skep_status sqlite_place(skep_db *base, skep_buf *out, skep_err *err) {
  const char *path = sqlite_path(base);
  if (path == NULL || path[0] == 0) return skep_fail(err, SKEP_ERR_UNSUPPORTED, "a metastore without a file");
  skep_buf_printf(out, "sqlite:%s", path);
  return SKEP_OK;
}

static const skep_db_backend backend = {
    .dialect = &dialect,
    .close = sqlite_close,
    .prepare = sqlite_prepare,
    .finalize = sqlite_finalize,
    .bind = sqlite_bind,
    .step = sqlite_step,
    .reset = sqlite_reset,
    .n_changed = sqlite_n_changed,
    .last_id = sqlite_last_id,
    .n_columns = sqlite_n_columns,
    .column_name = sqlite_column_name,
    .is_null = sqlite_is_null,
    .i64 = sqlite_i64,
    .f64 = sqlite_f64,
    .bytes = sqlite_bytes,
    .exec = sqlite_exec,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .savepoint = sqlite_savepoint,
    .savepoint_end = sqlite_savepoint_end,
    .interrupt = sqlite_interrupt,
    .now_ms = sqlite_now_ms,
    .place = sqlite_place,
    .path = sqlite_path,
};
