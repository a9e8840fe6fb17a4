/* The inside of a session: what the functions that run statements see (ddl, show, describe, insert, update, merge).
 *
 * Invariants:
 * 1. One statement runs at a time. session->arena holds everything that lives as long as it (and its result); it is
 *    emptied when the next one starts.
 * 2. A function that runs a statement leaves no database transaction open, whatever it returns.
 * 3. Files are written and synced before the database says committed; files of a statement that fails are removed, best
 *    effort: they are never visible anyway.
 * 4. A snapshot is taken before directories are listed. */
#ifndef SQL_SESSION_INT_H
#define SQL_SESSION_INT_H

#include <pthread.h>

#include "base/alive.h"
#include "catalog/catalog.h"
#include "db/db.h"
#include "engine/engine.h"
#include "hiveql/ast.h"
#include "lock/lock.h"
#include "sql/session.h"
#include "txn/txn.h"

/* What the open transaction did to one partition, or to a table without partitions: told to the catalog and to the
 * transaction's records when it commits. Texts live in session->txn_arena. */
typedef struct skep_session_change {
  const char *db, *table;
  int64_t table_id;
  skep_table_kind kind;      /* of the table when it was written */
  const char *partition;     /* escaped name; NULL: the table has none */
  int64_t partition_id;      /* the catalog's when the statement began; 0: it had none of this name */
  const char *const *values; /* one for each partition key */
  const char *location;      /* the directory; of a partition */
  bool is_new;               /* the catalog has no such partition yet */
  bool is_overwritten;       /* its former rows and files do not count */
  char op;                   /* 'i', 'u', 'd' */
  int64_t write_id;          /* 0: not a transactional table */
  int64_t n_rows;            /* added, less the removed ones */
  int64_t n_files, n_bytes;  /* added */
  bool is_stale;             /* their rows were not counted */
  bool by_absence;           /* inserted because no row was found: it depends on the whole partition */
} skep_session_change;

/* The open transaction: of the one statement, or of START TRANSACTION. */
typedef struct skep_session_txn {
  skep_txn txn;                /* id 0: none is open */
  bool is_explicit;            /* after START TRANSACTION */
  skep_catalog_table *created; /* CREATE TABLE ... AS: stored with the commit; its changes have table id 0 */
  skep_session_change *changes;
  size_t n_changes, changes_capacity;
  skep_lock_component *locks; /* held by an explicit transaction, in session->txn_arena: not asked for again */
  uint32_t n_locks;
  uint32_t next_statement; /* id; counts over all tables, as Hive's does: observed, golden 05 */
} skep_session_txn;

typedef struct skep_heartbeat skep_heartbeat;

/* What TXN_AGENT_INFO and HL_AGENT_INFO say about a statement of Skep's: this, the time, the session's number, that of
 * its statement, and its process (alive.h). No query id of Hive's begins so: those begin with a user's name and '_'. */
#define SKEP_QUERY_ID_PREFIX "skep-"
enum { SKEP_QUERY_ID_SIZE = 112 };

/* EXPLAIN: the statement runs until it would ask for locks, and tells instead. */
typedef struct skep_explained {
  bool wanted, done;
  skep_result *tables; /* NULL: only locks are wanted; else lines about tables and partitions go in here */
  const skep_lock_component *components; /* in session->arena */
  uint32_t n;
} skep_explained;

/* Lines for the person at the shell. */
typedef struct skep_session_notes {
  char **lines;
  size_t n, capacity;
} skep_session_notes;

struct skep_session {
  const skep_ctx *ctx;
  skep_fs *fs;
  skep_config *config;      /* settings */
  skep_config *opened_with; /* what they were at first: for RESET */
  skep_config *variables;   /* "hivevar:k", "system:k" */
  const char *(*environment)(const char *name);
  char *warehouse; /* absolute, without a '/' at the end */
  char *external;  /* the external warehouse, likewise */
  char *user;
  char *host;
  char *temp_dir;        /* NULL: queries do not spill */
  char *current_db;      /* lower case */
  skep_db *db;           /* this session's connection to the metastore */
  skep_catalog *catalog; /* over db */
  skep_engine *engine;   /* NULL until skep_session_engine; __atomic builtins, for skep_session_cancel */
  skep_engine_opts engine_opts;
  struct skep_given *given; /* given.h: rows of the program's own, a list */
  skep_arena arena;         /* of the running statement */
  skep_arena txn_arena;     /* of the open transaction */
  skep_session_txn txn;
  skep_heartbeats *heartbeats; /* as the caller gave it; or NULL */
  skep_heartbeat *heartbeat;   /* heartbeat.h; NULL until the first transaction */
  /* What the heartbeat tells, __atomic builtins: of the open transaction, and anything that moves when the statement
   * does something else than write rows. */
  uint64_t written_rows, written_bytes, activity;
  struct skep_session_legacy *legacy; /* legacy_locks.h; NULL until a lock is asked for */
  skep_session_notes notes;
  uint64_t number, n_queries;
  char process[SKEP_ALIVE_TAG_SIZE]; /* the end of its query ids */
  int64_t left_txns[8];              /* could not be aborted when they failed: tried again */
  uint32_t n_left_txns;
  char query_id[SKEP_QUERY_ID_SIZE]; /* of the running statement */
  int64_t begun_ns;                  /* when it began */
  bool has_waited;                   /* for its locks: others saw it in SHOW LOCKS, and may have killed it */
  char waits_for[600];               /* whom it waits for, "" when it does not; under cancel_lock */
  skep_explained explained;
  bool no_locks;
  skep_session_wait *lock_wait; /* NULL: sleep */
  void *lock_wait_self;
  const char *text; /* of the running statement, after substitution; borrowed */
  size_t text_length;
  int cancelled;     /* __atomic builtins only */
  bool holds_cancel; /* a new statement does not clear it */
  int job_permille;  /* how far a compaction that the statement does itself is; -1: none. __atomic builtins only */
  /* What undoes a cancelled statement must not be cancelled with it: skep_session_cancel leaves the database alone
   * while undoing is set. Under the lock, so that no interrupt arrives late. */
  pthread_mutex_t cancel_lock;
  bool undoing;
  skep_status ended_with; /* the statement was ended by the heartbeat thread; SKEP_OK: it was not */
  char ended_why[400];
  uint32_t n_unkept;  /* statements since the last house-keeping, which was at */
  int64_t kept_ms;    /* this time */
  bool rolled_back;   /* the metastore is older than its warehouse: rollback.h */
  int64_t noted_txn;  /* how far it had been */
  bool has_note;      /* somebody noted it; else a restored metastore cannot be told from a loss of power */
  bool has_recovered; /* housekeep.c looked for leftovers of a loss of power */
  bool has_run;       /* a statement; notes of the opening stay until then */
};

/* The engine, opened at first use. */
SKEP_NODISCARD skep_status skep_session_engine(skep_session *session, skep_engine **out, skep_err *err);

/* SKEP_ERR_CANCELLED when skep_session_cancel was called: loops over much work ask now and then. */
SKEP_NODISCARD skep_status skep_session_check(skep_session *session, skep_err *err);

/* A line for the person at the shell. */
void skep_session_note(skep_session *session, const char *format, ...) SKEP_PRINTF(2, 3);

/* Settings with Hive's defaults. A malformed value is reported when it is set; here it counts as the default. */
bool skep_session_bool(const skep_session *session, const char *name, bool otherwise);
int64_t skep_session_int(const skep_session *session, const char *name, int64_t otherwise);
const char *skep_session_text(const skep_session *session, const char *name, const char *otherwise);

/* A result of text columns, made row by row: SHOW and DESCRIBE. names and cells are copied. The result is the caller's
 * until it is handed out; free it with skep_result_free on failure. */
SKEP_NODISCARD skep_status skep_result_texts_new(skep_session *session, const char *const *names, uint32_t n_columns,
                                                 skep_result **out, skep_err *err);
/* Cells are NUL-terminated; NULL is NULL. */
SKEP_NODISCARD skep_status skep_result_texts_row(skep_result *result, const char *const *cells, skep_err *err);

/* How a kind of statement is run. *out stays NULL for one without rows. */
typedef skep_status skep_statement_run(skep_session *session, const skep_statement *statement, skep_result **out,
                                       skep_err *err);

/* Of the definitions: CREATE, DROP, ALTER of databases and tables (ddl.h; not CTAS, TRUNCATE),
 * SHOW, DESCRIBE (describe.h). The dispatcher (statement.c) has refused what an explicit transaction forbids.
 */
skep_statement_run skep_create_view_run, skep_alter_view_run, skep_ddl_run, skep_msck_run, skep_show_run,
    skep_describe_run, skep_analyze_run, skep_kill_run;

/* Of this part. */
skep_statement_run skep_query_run, skep_insert_run, skep_load_run, skep_update_run, skep_delete_run, skep_merge_run,
    skep_ctas_run, skep_truncate_run, skep_explain_run, skep_set_run, skep_reset_run, skep_use_run,
    skep_transaction_run;

#endif
