/* A session: one user's connection to a warehouse, running HiveQL statements one at a time. The door of sql/ for the
 * shell, for servers and for tests.
 *
 * Order of calls: open, then run as often as wanted (free each result before the next run), close. One thread uses a
 * session at a time; only skep_session_cancel may be called from another one. Several sessions (in one process or in
 * many) may have one warehouse open. */
#ifndef SQL_SESSION_H
#define SQL_SESSION_H

#include "base/config.h"
#include "base/ctx.h"
#include "column/vec.h"
#include "io/fs.h"

typedef struct skep_session skep_session;
typedef struct skep_result skep_result;

typedef struct skep_session_variable {
  const char *name;
  const char *value;
} skep_session_variable;

/* A statement that waits for a lock, and the first of those that it waits for. Borrowed for the call. */
typedef struct skep_session_waiting {
  int64_t lock_id, txn;    /* of the waiting request; txn 0: a lock outside of a transaction */
  int64_t pause_ms;        /* what the statement would sleep before it looks again */
  int64_t waited_ms;       /* by the context's clock, since it began to wait */
  uint32_t looks;          /* how often it has looked: 1 at the first call */
  const char *database;    /* the object that the other one has locked */
  const char *table;       /* NULL: the whole database */
  const char *partition;   /* NULL: the whole table */
  char blocker_type;       /* r, w, x, e as in HIVE_LOCKS */
  bool blocker_acquired;   /* false: it waits as well, before us */
  int64_t blocker_id;      /* its lock id */
  int64_t blocker_txn;     /* 0: outside of a transaction */
  const char *user, *host; /* "unknown" when nobody said */
  const char *query;       /* HL_AGENT_INFO: the query's id; may be NULL */
} skep_session_waiting;

/* Called on the session's thread instead of sleeping while a statement waits for its locks. No database transaction is
 * open. SKEP_OK: look again now. Anything else ends the statement with it (err is to be set): its request is taken
 * back and its transaction aborted. skep_session_cancel works meanwhile, but the call has to return for that. */
typedef skep_status skep_session_wait(void *self, skep_session *session, const skep_session_waiting *waiting,
                                      skep_err *err);

/* One thread that says for all sessions of a process on one metastore that their transactions are alive, and hears what
 * others want of them (heartbeat.h). A session that is given none makes one of its own. */
typedef struct skep_heartbeats skep_heartbeats;
/* ctx is borrowed until _free; the sessions must be closed before that. Starts nothing yet. */
SKEP_NODISCARD skep_status skep_heartbeats_new(const skep_ctx *ctx, const char *metastore_url, skep_heartbeats **out,
                                               skep_err *err);
void skep_heartbeats_free(skep_heartbeats *heartbeats); /* accepts NULL */

/* Texts are copied. Zero-initialise; what is NULL or 0 has the default named. */
typedef struct skep_session_opts {
  const skep_ctx *ctx;                   /* required; borrowed until close */
  skep_fs *fs;                           /* required; where the tables live; borrowed until close */
  const char *warehouse_dir;             /* required; absolute; made when missing (as hive.metastore.warehouse.dir) */
  const char *external_dir;              /* of tables that are translated to external ones; NULL: warehouse_dir */
  const char *metastore_url;             /* NULL: metastore.sqlite in it, made on first use, or
                                            SKEP_ERR_ARGUMENT (metastore_place.h) */
  bool read_only;                        /* the metastore is not changed: only what reads is allowed. A metastore before
                                            Hive 4 is opened so in any case */
  const skep_config *config;             /* hive-site.xml and --hiveconf: copied; NULL: the defaults */
  const skep_session_variable *hivevars; /* --hivevar */
  uint32_t n_hivevars;
  const char *(*environment)(const char *name); /* for ${env:X}, as getenv; NULL: there are none */
  const char *user;                             /* owner of what is created, TXN_USER; NULL: "anonymous" */
  const char *host;                             /* NULL: "localhost" */
  uint32_t threads;                             /* for queries; 0: as many as there are processors */
  uint64_t memory_bytes;                        /* for queries; 0: the engine's default */
  const char *temp_dir;                         /* where queries spill; made when needed; NULL: inside the warehouse */
  skep_session_wait *lock_wait;                 /* instead of sleeping for a lock; NULL: sleep */
  void *lock_wait_self;
  skep_heartbeats *heartbeats; /* borrowed until close; NULL: one thread for this session */
  bool no_locks; /* tests only: statements ask for no locks, like a program that does not know of them: what is left are
                    the checks of the commit */
  const char *boot_id;              /* tests only: see db/db.h */
  struct skep_db_faults *db_faults; /* tests only: db/faults.h */
} skep_session_opts;

/* Opens a warehouse: makes directory and metastore when they are not there, checks the schema version, aborts
 * transactions of dead processes. hive.txn.timeout is everybody's: another value than the one in force takes effect
 * when a session opens (or keeps house) while no transaction is open; until then it is only waited longer, or beaten
 * oftener.
 *
 * out     a new session (close with skep_session_close), NULL on failure
 * SKEP_ERR_UNSUPPORTED  a metastore of another version; SKEP_ERR_BUSY: another process holds the database too long */
SKEP_NODISCARD skep_status skep_session_open(const skep_session_opts *opts, skep_session **out, skep_err *err);

/* Rolls back a transaction that is open. Accepts NULL. No result may be left. */
void skep_session_close(skep_session *session);

/* Runs one statement (without its ';'; script.h splits texts), after substitution of ${variables}.
 *
 * text    the statement, `length` bytes of untrusted text
 * out     NULL for a statement without rows, else a result (free with skep_result_free before the next statement)
 *
 * A statement that fails leaves nothing behind, and ends an explicit transaction that it was in (SKEP_ERR_ABORTED then
 * is what COMMIT would say: there is none any more). Texts of errors are Hive's where Hive has one, number included.
 * SKEP_ERR_SYNTAX, SKEP_ERR_SEMANTIC   the statement is wrong
 * SKEP_ERR_CONFLICT                    another transaction changed the same data first; may be tried again
 * SKEP_ERR_IN_DOUBT                    the commit was sent and its outcome is not known
 * SKEP_ERR_CANCELLED                   skep_session_cancel
 * SKEP_ERR_RUNTIME                     an expression, a constraint or the cardinality check failed on the data */
SKEP_NODISCARD skep_status skep_session_run(skep_session *session, const char *text, size_t length, skep_result **out,
                                            skep_err *err);

/* Makes the running statement fail soon with SKEP_ERR_CANCELLED. Any thread, also one that waits for signals; no effect
 * when nothing runs. */
void skep_session_cancel(skep_session *session);

/* For a caller that runs several statements as one: from here on a cancellation holds, so that one which comes between
 * two of them lets none begin. holds: false ends that; true forgets what came before. */
void skep_session_hold_cancel(skep_session *session, bool holds);

/* How far the running statement's scans are, 0 to 1, or below 0 when that is not known. Any thread. */
double skep_session_progress(const skep_session *session);

/* Whom the running statement waits for ("EXCL_WRITE on db.t, which is held by txnid:10 of ann at box"), cut to fit; ""
 * and false when it does not wait. Any thread. */
bool skep_session_waits_for(skep_session *session, char *out, size_t size);

/* Names borrowed until the next run. */
const char *skep_session_database(const skep_session *session);
bool skep_session_in_transaction(const skep_session *session); /* after START TRANSACTION */
/* Texts for the person at the shell that the last statement left ("Deprecated ..."), the first one also those of the
 * opening, or NULL when there is no i-th. */
const char *skep_session_notice(const skep_session *session, size_t i);

/* Columns of a result: a struct of names and types, borrowed from the result. */
const skep_type *skep_result_type(const skep_result *result);

/* The next rows, at least one: a batch borrowed until the next call, whose root has one child a column, in Arrow's
 * forms (skep_forms zero-initialised). SKEP_END (sticky) after the last; errors are sticky too. The transaction of a
 * SELECT outside START TRANSACTION ends with SKEP_END or with skep_result_free. */
SKEP_NODISCARD skep_status skep_result_next(skep_result *result, const skep_batch **out, skep_err *err);
void skep_result_free(skep_result *result); /* accepts NULL */

/* For a metastore that was restored from a backup older than its warehouse (sql/rollback.h), or whose numbers are
 * behind its rows (db/counters.h): numbers go on above the rows, write ids and transactions above those of the files
 * that are there.
 *
 * files   what becomes of files that are newer than the metastore
 * say     called with a line about each number, and each table that had such files; borrowed for the call
 * SKEP_ERR_UNSUPPORTED: hiding would hide older rows too; SKEP_ERR_ARGUMENT: there are such files, and
 * SKEP_RESEED_NONE. Nothing was changed in the metastore then. */
typedef enum skep_reseed {
  SKEP_RESEED_NONE,  /* there are to be none */
  SKEP_RESEED_ADOPT, /* they count as committed */
  SKEP_RESEED_HIDE   /* they are renamed to ".skep_hidden_*" and no reader sees them */
} skep_reseed;
typedef void skep_reseed_say(void *self, const char *line);
SKEP_NODISCARD skep_status skep_session_reseed(skep_session *session, skep_reseed files, skep_reseed_say *say,
                                               void *self, skep_err *err);

#endif
