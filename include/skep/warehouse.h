/* Statements on a warehouse: Hive's transactions in this process, without a server.
 *
 *   skep_err err;
 *   skep_warehouse *warehouse;
 *   skep_connection *connection;
 *   struct ArrowArrayStream rows;
 *   struct ArrowArray batch;
 *   if (skep_warehouse_open("/data/warehouse", NULL, &warehouse, &err) != SKEP_OK) ...      err.text says why
 *   if (skep_connect(warehouse, &connection, &err) != SKEP_OK) ...
 *   if (skep_run(connection, "SELECT id, amount FROM sales.orders", &rows, &err) != SKEP_OK) ...
 *   if (rows.release != NULL) {                                                  the statement has rows
 *     while (rows.get_next(&rows, &batch) == 0 && batch.release != NULL) ...     use it, then batch.release(&batch)
 *     rows.release(&rows);
 *   }
 *   skep_disconnect(connection);
 *   skep_warehouse_close(warehouse);
 *
 * README.md beside this file has it as whole programs, for C and Python.
 *
 * A connection is one user's session: it has a current database, settings (SET), and at most one explicit transaction
 * (START TRANSACTION ... COMMIT); every other statement is a transaction of its own. Any number of connections, of any
 * number of processes and, with a PostgreSQL metastore, machines may work on one warehouse at a time.
 *
 * Rows go both ways as Arrow streams: results come as one, and skep_give makes one readable under a name, for INSERT
 * INTO orders SELECT * FROM given, or MERGE INTO orders USING given.
 *
 * Threads: a warehouse may be used by many threads at the same time; a connection with its result by one at a time, but
 * for skep_cancel: a call that comes while another runs is refused with SKEP_ERR_ARGUMENT. A process that forks opens
 * its warehouses afterwards: what a child inherits is refused there, and closing it in the child does nothing.
 *
 * Failures: as in table.h. */
#ifndef SKEP_WAREHOUSE_H
#define SKEP_WAREHOUSE_H

#include <stddef.h>
#include <stdint.h>

#include "skep/arrow_abi.h"
#include "skep/status.h"
#include "skep/table.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct skep_warehouse skep_warehouse;
typedef struct skep_connection skep_connection;

typedef struct skep_setting {
  const char *name, *value;
} skep_setting;

/* Bits of `flags`. */
enum { SKEP_READ_ONLY = 1 /* the metastore is not changed; the only way to look at one from before Hive 4 */ };

/* Strings are NUL-terminated and copied; what is NULL or 0 has the default named. */
typedef struct skep_warehouse_opts {
  size_t size;                  /* of this struct; set by the initialiser */
  uint32_t flags;               /* SKEP_READ_ONLY */
  uint32_t threads;             /* of a query, 256 at most; 0 = as many as there are processors */
  uint64_t memory_bytes;        /* of a query, beyond which it spills; 0 = the engine's default */
  const char *metastore;        /* sqlite:PATH or postgresql://...; NULL: metastore.sqlite in the warehouse */
  const char *site_file;        /* settings from a hive-site.xml */
  const skep_setting *settings; /* more of them under Hive's names, as SET takes them; they win over the file's */
  size_t n_settings;
  const char *user;           /* owner of what is created, and shown by SHOW TRANSACTIONS; NULL: "anonymous" */
  const skep_read_opts *read; /* how results are handed out: time_unit, utf8, batch_rows, warn; NULL: the defaults */
} skep_warehouse_opts;

#define SKEP_WAREHOUSE_OPTS_INIT \
  { sizeof(skep_warehouse_opts), 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL }

/* A warehouse in a local directory, which the first connection makes where it is missing, with its metastore.
 *
 * opts    from SKEP_WAREHOUSE_OPTS_INIT; NULL = that
 * out     a new warehouse (close with skep_warehouse_close), NULL on failure
 *
 * SKEP_ERR_ARGUMENT   a malformed option, a setting that is not understood; no metastore is named, and the warehouse
 * was used with another one than its own SKEP_ERR_NOT_FOUND, SKEP_ERR_IO, SKEP_ERR_CORRUPT: the site file;
 * SKEP_ERR_NOMEM */
SKEP_API SKEP_NODISCARD skep_status skep_warehouse_open(const char *dir, const skep_warehouse_opts *opts,
                                                        skep_warehouse **out, skep_err *err);
/* Accepts NULL. Connections that are open keep what they need. */
SKEP_API void skep_warehouse_close(skep_warehouse *warehouse);

/* SKEP_ERR_ARGUMENT: no metastore was named, and the warehouse has got another than its own since it was opened;
 * SKEP_ERR_UNSUPPORTED: a metastore of another version, or on a file system of many machines; SKEP_ERR_BUSY: another
 * process holds the metastore too long; SKEP_ERR_IO, SKEP_ERR_NOT_FOUND: it cannot be reached. */
SKEP_API SKEP_NODISCARD skep_status skep_connect(skep_warehouse *warehouse, skep_connection **out, skep_err *err);
/* Accepts NULL. An explicit transaction that is open is rolled back. A result that is still open has no more rows. */
SKEP_API void skep_disconnect(skep_connection *connection);

/* Runs statements of HiveQL, one or several with ';' between them, in order, until one fails. On SKEP_OK they are done
 * and, outside of an explicit transaction, committed and on disk; the rows of a SELECT are made while they are fetched.
 *
 * sql     NUL-terminated, untrusted
 * rows    receives the rows of the last statement, to be released by the caller before the next call; release is NULL
 *         when it has none. May be NULL: they are dropped, as those of the statements before, but made: one that
 *         fails (assert_true) ends the call
 *
 * A statement that fails leaves nothing behind, and ends an explicit transaction that it was in. Texts of errors are
 * Hive's where Hive has one, number included.
 * SKEP_ERR_SYNTAX, SKEP_ERR_SEMANTIC   the statement is wrong
 * SKEP_ERR_CONFLICT    another transaction changed the same data first; may be tried again
 * SKEP_ERR_ABORTED     the transaction was ended by somebody else or by a time-out
 * SKEP_ERR_IN_DOUBT    the commit was sent and its outcome is not known
 * SKEP_ERR_CANCELLED   skep_cancel, or KILL QUERY of somebody else
 * SKEP_ERR_RUNTIME     an expression, a constraint or the cardinality check failed on the data
 * SKEP_ERR_ARGUMENT    the rows of the statement before are not released */
SKEP_API SKEP_NODISCARD skep_status skep_run(skep_connection *connection, const char *sql,
                                             struct ArrowArrayStream *rows, skep_err *err);

/* Makes the running skep_run (or the fetching of its rows) fail soon with SKEP_ERR_CANCELLED: the statement that runs
 * ends, unless it is being committed, and none that follows begins. From any thread, while the connection is
 * open; no effect when nothing runs. */
SKEP_API void skep_cancel(skep_connection *connection);

/* Makes rows readable under a name, by the statements of this connection: FROM name, without a database; it hides a
 * table of that name, but not as a target: INSERT INTO t SELECT * FROM t, UPDATE t. They are read whole and kept in
 * memory until skep_take_back or skep_disconnect.
 *
 * name    a Hive identifier; case does not matter
 * rows    record batches; released in any case
 *
 * SKEP_ERR_ARGUMENT: no identifier, no column or two of one name, or rows of a statement that are not released;
 * SKEP_ERR_EXISTS: given already; SKEP_ERR_UNSUPPORTED: a type that Hive does not have; SKEP_ERR_CORRUPT: an array that
 * contradicts its schema; SKEP_ERR_IO: the stream failed, with its own text */
SKEP_API SKEP_NODISCARD skep_status skep_give(skep_connection *connection, const char *name,
                                              struct ArrowArrayStream *rows, skep_err *err);
/* Forgets them; an unknown name is ignored. SKEP_ERR_ARGUMENT: the rows of a statement are not released. */
SKEP_API SKEP_NODISCARD skep_status skep_take_back(skep_connection *connection, const char *name, skep_err *err);

/* Whether an explicit transaction is open. */
SKEP_API int skep_in_transaction(const skep_connection *connection);
/* What the last statement has to report besides rows: the i-th line, or NULL when there are no more. Borrowed until the
 * next statement. */
SKEP_API const char *skep_connection_notice(const skep_connection *connection, size_t i);

#ifdef __cplusplus
}
#endif
#endif
