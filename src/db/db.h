/* The metastore database: one connection, prepared statements, transactions. SQLite or PostgreSQL.
 *
 * A skep_db is one connection and belongs to one thread at a time; a second thread opens a second one. Many processes
 * may have one warehouse open. A connection must not cross a fork: the child opens its own.
 *
 * SQL here is written once for all databases: identifiers in "UPPER CASE" quotes, `?` parameters, no functions but
 * count, min, max, coalesce, no upserts. What differs is a marker that the dialect fills in when the text is prepared:
 *   {for_update}     row locks where the database has them, inside a transaction that writes; nothing elsewhere
 *   {serial} {id}    schema only: a generated key, a plain key
 * Values never become text of a statement: they are parameters, always.
 *
 * Rules of transactions:
 * - skep_db_begin .. skep_db_commit or skep_db_rollback. They do not nest; a function that needs one asks
 *   skep_db_in_transaction and joins the caller's (skep_db_begin_unless and its counterpart do that).
 * - SKEP_DB_WRITE takes the write lock at once (SQLite: BEGIN IMMEDIATE; PostgreSQL: an advisory lock that all of
 * Skep's writers take), so what is read inside stays true until commit, as far as Skep's own programs go. It waits for
 * other writers up to the limit of the options and is SKEP_ERR_BUSY then.
 * - SKEP_DB_ROWS is for functions that lock the rows on which they decide ({for_update}, skep_db_lock_txns,
 * skep_db_lock_table): several of them run at once where the database can do that. Statements see what others commit
 * meanwhile (READ COMMITTED). On SQLite it is SKEP_DB_WRITE.
 * - Inside a transaction the failure of a change whose count nobody asked for may be told by a later call, at the
 * latest by skep_db_commit. A failed statement may end the transaction: what follows fails, and so does the commit. Who
 * wants to go on after a failure asks skep_db_savepoint first.
 * - Outside a transaction a statement is one of its own (durable).
 * - A connection that is lost between transactions is made again silently. Inside one the transaction fails.
 *
 * Statuses: SKEP_ERR_BUSY (somebody else held the lock for too long, or two waited for each other: begin again),
 * SKEP_ERR_EXISTS (a unique key is there), SKEP_ERR_ARGUMENT (another constraint, a value that the column cannot hold),
 * SKEP_ERR_IO (disk full, no permission, read-only, connection lost), SKEP_ERR_CORRUPT, SKEP_ERR_NOMEM,
 * SKEP_ERR_CANCELLED (skep_db_interrupt), SKEP_ERR_IN_DOUBT (skep_db_commit, and a change outside a transaction). */
#ifndef DB_DB_H
#define DB_DB_H

#include "base/arena.h"
#include "base/ctx.h"

typedef struct skep_db skep_db;
typedef struct skep_stmt skep_stmt;
typedef struct skep_db_faults skep_db_faults; /* db/faults.h: tests make calls fail or end the process */

typedef struct skep_db_opts {
  bool create;               /* SQLite: make the file (and its directory's entry durable) when it is missing */
  bool read_only;            /* refuse every change: SKEP_ERR_IO */
  int64_t busy_wait_ms;      /* how long to wait for another writer before SKEP_ERR_BUSY */
  uint32_t checkpoint_pages; /* SQLite: pages of write-ahead log before they are copied into the file */
  const char *boot_id;       /* what identifies this start of the machine; NULL: the kernel's own. Copied */
  bool own_clock;            /* tests: the context's clock instead of the database server's */
  skep_db_faults *faults;    /* borrowed, or NULL */
} skep_db_opts;
#define SKEP_DB_OPTS_DEFAULT \
  { .create = true, .busy_wait_ms = 60000, .checkpoint_pages = 8000 }

/* url: "sqlite:PATH" (PATH relative or absolute; on a network file system it is SKEP_ERR_UNSUPPORTED unless a file
 * PATH-one-machine is there), or what libpq takes: "postgresql://[user[:password]@][host][:port]
 * [,...]/database[?option=value&...]" (also "postgres://"), with all its options (sslmode, passfile, service,
 * target_session_attrs, options, ...) and PG* variables of the environment. opts may be NULL. *out is NULL on failure.
 * SKEP_ERR_ARGUMENT: no such kind of database; SKEP_ERR_NOT_FOUND: no file, and not asked to make one. */
SKEP_NODISCARD skep_status skep_db_open(const skep_ctx *ctx, const char *url, const skep_db_opts *opts, skep_db **out,
                                        skep_err *err);
void skep_db_close(skep_db *db); /* accepts NULL; rolls back what is open */

const skep_ctx *skep_db_ctx(const skep_db *db);
const char *skep_db_url(const skep_db *db);   /* as given: for opening a second connection; it may hold a password */
bool skep_db_is_read_only(const skep_db *db); /* by the options, or because its schema can only be read */
/* Whether the schema is older than Hive 4: skep_schema_check has said so (schema.h). */
bool skep_db_is_old(const skep_db *db);
bool skep_db_has_write_ids(const skep_db *db); /* since Hive 3 */
const char *skep_db_name(const skep_db *db);   /* for messages: the URL without what is secret */

/* The URL as it may be written down where others read it: without passwords, and a file's path is absolute. Whoever has
 * the password from elsewhere (PGPASSWORD, a password file) opens the same database with it. In the arena. */
SKEP_NODISCARD skep_status skep_db_place(skep_db *db, skep_arena *arena, const char **out, skep_err *err);
/* Whether it is the database file of that path, however both are spelled. */
bool skep_db_is_file(skep_db *db, const char *path);

/* What differs between databases and matters to callers' decisions. */
typedef struct skep_dialect {
  const char *name; /* "SQLite" */
  /* Generated transaction ids become visible in ascending order and without holes other than cleaned rows: nobody can
   * be "about to appear" below the highest id. (SQLite: writers are alone, and a rollback gives its numbers back.) */
  bool ids_in_order;
  /* Ends with this machine: a loss of power takes commits of SKEP_DB_WRITE_LAZY and all processes together. Elsewhere
   * a process may outlive what the database lost, so whoever goes on with a number needs it durable. */
  bool is_local;
  /* Transactions that write never run at the same time: nothing has to be locked to stay as it was read. */
  bool writers_alone;
  /* What a database transaction does can be sent whole (skep_db_send), and SQL knows enough to do without us between:
   * changes inside WITH, values kept in settings of the transaction, and a division by zero that ends it all. */
  bool at_once;
  const char *for_update; /* text of the markers */
  const char *serial;
  const char *id;
} skep_dialect;
const skep_dialect *skep_db_dialect(const skep_db *db);

/* The database's clock: milliseconds since 1970 UTC. All times that processes compare come from it. */
SKEP_NODISCARD skep_status skep_db_now_ms(skep_db *db, int64_t *out, skep_err *err);
/* Identifies this start of the machine that the database is on; see txn/README.md, "After a loss of power". */
const char *skep_db_boot_id(const skep_db *db);

/* --- transactions --- */

typedef enum skep_db_mode {
  SKEP_DB_READ,       /* one consistent view, no lock that anybody waits for */
  SKEP_DB_WRITE,      /* alone; on disk when skep_db_commit returns */
  SKEP_DB_WRITE_LAZY, /* atomic and ordered, but a loss of power may take it back (never a crash of a process); it is
                         on disk as soon as a later durable commit of any process is */
  SKEP_DB_ROWS,       /* beside others that write other rows; durable as SKEP_DB_WRITE */
  SKEP_DB_ROWS_EARLY, /* durable when skep_db_commit returns, but others may see it, and its locks are free, before: for
                         what means nothing to anybody else until its owner goes on */
  SKEP_DB_ROWS_LAZY,  /* the same, as durable as SKEP_DB_WRITE_LAZY */
  SKEP_DB_HOLD        /* for row locks that are held for long: no writer waits for anything but these rows */
} skep_db_mode;

SKEP_NODISCARD skep_status skep_db_begin(skep_db *db, skep_db_mode mode, skep_err *err);
/* Ends the transaction in any case. SKEP_ERR_IN_DOUBT: the database may or may not have committed; what was written
 * must neither be relied on nor removed until it has been asked again. Any other failure: rolled back. */
SKEP_NODISCARD skep_status skep_db_commit(skep_db *db, skep_err *err);
void skep_db_rollback(skep_db *db); /* no transaction: nothing happens */
bool skep_db_in_transaction(const skep_db *db);
bool skep_db_in_write(const skep_db *db);

/* For functions that join: begins unless the caller did; *joined says which. _end commits what it began when status is
 * SKEP_OK and rolls back otherwise; joined transactions are left alone. Returns the status of the whole. After
 * skep_db_begin `joined` is false. */
SKEP_NODISCARD skep_status skep_db_begin_unless(skep_db *db, skep_db_mode mode, bool *joined, skep_err *err);
SKEP_NODISCARD skep_status skep_db_end(skep_db *db, bool joined, skep_status status, skep_err *err);

/* A point inside the transaction to which a failure can be taken back; they do not nest. _savepoint_end with keep false
 * undoes what was done since, also after a failed statement; with keep true it says what failed since. */
SKEP_NODISCARD skep_status skep_db_savepoint(skep_db *db, skep_err *err);
SKEP_NODISCARD skep_status skep_db_savepoint_end(skep_db *db, bool keep, skep_err *err);

/* Hive's lock TXN_LOCK_TBL, until the end of the transaction: shared by those who open transactions, exclusive for a
 * commit that must know the newest one. Nothing happens on databases whose writers are alone.
 * Source: txn-protocol 1.7, 2.1, 6.3. */
SKEP_NODISCARD skep_status skep_db_lock_txns(skep_db *db, bool exclusive, skep_err *err);

/* The transaction must be committed within so many milliseconds from now: skep_db_commit fails with SKEP_ERR_BUSY and
 * rolls back when it is later. Once set the shorter one counts, until the end of the transaction. */
void skep_db_commit_within(skep_db *db, int64_t limit_ms);

/* Numbers that a layer above keeps with the connection; 0 at first and whenever the connection is a new one. */
enum { SKEP_DB_MEMO_SIZE = 21 };
int64_t *skep_db_memo(skep_db *db);

/* Safe from any thread: the running call ends with SKEP_ERR_CANCELLED. The connection must not be closing. */
void skep_db_interrupt(skep_db *db);

/* --- parameters --- */

typedef enum skep_param_kind {
  SKEP_PARAM_NULL,
  SKEP_PARAM_I64,
  SKEP_PARAM_BOOL, /* in i64: 0 or 1 */
  SKEP_PARAM_F64,
  SKEP_PARAM_TEXT,
  SKEP_PARAM_BLOB
} skep_param_kind;
typedef struct skep_param {
  skep_param_kind kind;
  size_t length; /* bytes of text or blob */
  union {
    int64_t i64;
    double f64;
    const void *bytes; /* borrowed for the call */
  } as;
} skep_param;

skep_param skep_p_i64(int64_t value);
skep_param skep_p_f64(double value);
skep_param skep_p_bool(bool value);                       /* for BOOLEAN columns; SQLite stores 0 and 1 */
skep_param skep_p_text(const char *text);                 /* NULL: SQL NULL */
skep_param skep_p_textn(const char *text, size_t length); /* NULL: SQL NULL */
skep_param skep_p_blob(const void *bytes, size_t length);
skep_param skep_p_char(char c); /* one letter, as Hive's char(1) columns */
skep_param skep_p_null(void);

/* Two arguments at once: SKEP_PARAMS(skep_p_i64(7), skep_p_text("t")) is the array and its length. */
#define SKEP_PARAMS(...) \
  (const skep_param[]){__VA_ARGS__}, sizeof((const skep_param[]){__VA_ARGS__}) / sizeof(skep_param)
#define SKEP_NO_PARAMS NULL, 0

/* --- statements --- */

/* Prepares (or takes from the connection's cache) and binds. The statement is the caller's until skep_stmt_done; the
 * same text may be open more than once. The text is the key of the cache. A table or column that is not there is
 * SKEP_ERR_NOT_FOUND. */
SKEP_NODISCARD skep_status skep_db_query(skep_db *db, const char *sql, const skep_param *params, size_t n_params,
                                         skep_stmt **out, skep_err *err);
/* (INSERT ... RETURNING is a query too: its first skep_stmt_next inserts.) */
/* The same for where the answer is not needed to go on: inside a transaction it is sent with what comes next, at the
 * latest with the commit, and skep_stmt_next says the rows afterwards, also when the transaction is over. A failure may
 * be told by whatever is called before. skep_stmt_done, before the transaction ends, means: they are not wanted. Where
 * skep_dialect.at_once says no, it is skep_db_query: the answer is that of the moment in which it is read. */
SKEP_NODISCARD skep_status skep_db_send(skep_db *db, const char *sql, const skep_param *params, size_t n_params,
                                        skep_stmt **out, skep_err *err);
/* Outside of a transaction: makes sure that the server knows these texts, so that skep_db_send of them (and skep_db_run
 * without a count) waits for nothing. One round trip when any is new. A table that is not there: SKEP_ERR_NOT_FOUND. */
SKEP_NODISCARD skep_status skep_db_learn(skep_db *db, const char *const *sql, size_t n, skep_err *err);

/* For statements that are sent at once: the number of the transaction that one of them opened (a setting of the
 * database transaction), the server's clock in milliseconds, and the value to put before it, coalesce(?::bigint, ...):
 * NULL, or the time of a clock of our own (skep_db_opts). */
#define SKEP_DB_SENT_TXN "pg_catalog.current_setting('skep.txn')::bigint"
#define SKEP_DB_SENT_NOW "(pg_catalog.date_part('epoch', pg_catalog.clock_timestamp()) * 1000)::bigint"
SKEP_NODISCARD skep_status skep_db_sent_now(skep_db *db, skep_param *out, skep_err *err);
/* The next row: SKEP_OK, or SKEP_END. */
SKEP_NODISCARD skep_status skep_stmt_next(skep_stmt *stmt, skep_err *err);
void skep_stmt_done(skep_stmt *stmt); /* accepts NULL; the statement goes back into the cache */

/* Columns of the current row, from 0. Texts and blobs are borrowed until the next call on the statement; a text is
 * NUL-terminated and NULL for SQL NULL; length may be NULL. Numbers of SQL NULL are 0. */
bool skep_stmt_is_null(skep_stmt *stmt, int column);
int64_t skep_stmt_i64(skep_stmt *stmt, int column);
double skep_stmt_f64(skep_stmt *stmt, int column);
bool skep_stmt_bool(skep_stmt *stmt, int column);
const char *skep_stmt_text(skep_stmt *stmt, int column, size_t *length);
const void *skep_stmt_blob(skep_stmt *stmt, int column, size_t *length);
char skep_stmt_char(skep_stmt *stmt, int column); /* first byte of a text, 0 when NULL or empty */
int skep_stmt_n_columns(const skep_stmt *stmt);
const char *skep_stmt_column_name(skep_stmt *stmt, int column);
/* A copy in the arena. *out is NULL for SQL NULL. */
SKEP_NODISCARD skep_status skep_stmt_text_copy(skep_stmt *stmt, int column, skep_arena *arena, const char **out,
                                               skep_err *err);

/* A statement without rows, whole; n_changed (may be NULL): rows inserted, updated or deleted. */
SKEP_NODISCARD skep_status skep_db_run(skep_db *db, const char *sql, const skep_param *params, size_t n_params,
                                       int64_t *n_changed, skep_err *err);
/* The first column of the first row as a number; *found (may be NULL) is false when there is no row or it is NULL, and
 * *out is 0 then. */
SKEP_NODISCARD skep_status skep_db_get_i64(skep_db *db, const char *sql, const skep_param *params, size_t n_params,
                                           int64_t *out, bool *found, skep_err *err);
/* The first column of the first row as a text in the arena, or NULL. */
SKEP_NODISCARD skep_status skep_db_get_text(skep_db *db, const char *sql, const skep_param *params, size_t n_params,
                                            skep_arena *arena, const char **out, skep_err *err);
/* Whether the tables and columns are there that a SELECT (a text without data and without rows) names. */
SKEP_NODISCARD skep_status skep_db_is_there(skep_db *db, const char *select, bool *out, skep_err *err);
/* The key that the last INSERT into a table with a generated key ({serial}) made. */
int64_t skep_db_last_id(skep_db *db);

/* Runs statements whose text is made at run time (schema scripts); not cached. Never give it data. */
SKEP_NODISCARD skep_status skep_db_exec(skep_db *db, const char *sql, skep_err *err);

/* Rows of METASTORE_DB_PROPERTIES, for Skep's own keys (Hive passes over those it does not know). The value, cut to
 * size - 1 bytes; "" when there is none. */
SKEP_NODISCARD skep_status skep_db_get_property(skep_db *db, const char *key, char *out, size_t size, skep_err *err);
/* Made or changed, inside the caller's write transaction. */
SKEP_NODISCARD skep_status skep_db_set_property(skep_db *db, const char *key, const char *value, skep_err *err);

/* Ids of catalog objects, as Hive's object layer hands them out: `n` consecutive ids for the model class ("MTable"),
 * *first is the lowest. Joins the caller's transaction (a write one). Hive takes blocks of 10 from SEQUENCE_TABLE and
 * loses what is left of a block; here exactly n are taken: any block size is allowed to each client.
 * Source: txn-protocol 1.5, observed: names are "org.apache.hadoop.hive.metastore.model." + class, first value 1. */
SKEP_NODISCARD skep_status skep_db_next_ids(skep_db *db, const char *model_class, int64_t n, int64_t *first,
                                            skep_err *err);

#endif
