/* Transactions, write ids, snapshots and conflicts: Hive's protocol over a metastore database, one function a step,
 * named as Hive names it. No files are touched here.
 *
 * The life of a statement, in two database transactions:
 *
 *   INSERT, UPDATE, ...     skep_txn_begin(type, tables it writes and reads)     -> id, snapshot, write ids, lists
 *                           files are written and synced (acid/delta_writer.h)
 *                           skep_txn_commit(components, catalog changes)         -> visible, or SKEP_ERR_CONFLICT
 *   SELECT                  skep_txn_begin(tables it reads), run, skep_txn_commit(nothing)
 *   START TRANSACTION       skep_txn_begin(no tables); each statement: skep_txn_use_tables, write files; at last
 *                           skep_txn_commit(components of all statements, catalog changes)
 *   failure                 skep_txn_abort
 *
 * Every function joins a database transaction that the caller has open (skep_db_begin with SKEP_DB_WRITE where it
 * changes something) and makes its own otherwise. Names of databases and tables are lower case, partitions are Hive's
 * escaped names ("d=2026-01-02/s=y%2Fz"); both are data, never SQL. Strings given are borrowed for the call, strings
 * and arrays returned live in the arena given.
 *
 * Rules for those who write files (txn/README.md proves them):
 * 1. A write id is in the database, and its table is among the transaction's components, before the first file of it is
 *    made (skep_txn_begin and skep_txn_use_tables do both).
 * 2. Files and their directory entries are synced before skep_txn_commit.
 * 3. A directory of one's own fresh write id that is there already is the leftover of a write id that the database
 *    forgot when power was lost: it is removed before writing. The same for leftovers in other partitions is done once
 *    after such an event: skep_txn_recovery_needed.
 * 4. After SKEP_ERR_IN_DOUBT nothing is removed until skep_txn_abort or skep_txn_state says how it ended.
 *
 * Source: Apache Hive 4.0 TxnHandler and its functions (txn-protocol 2 to 6), and what a real 4.0.1 stored (golden
 * 19-metastore). */
#ifndef TXN_TXN_H
#define TXN_TXN_H

#include "base/arena.h"
#include "base/buf.h"
#include "db/db.h"

/* TXNS.TXN_TYPE. Source: txn-protocol 0.1. */
typedef enum skep_txn_type {
  SKEP_TXN_DEFAULT = 0,
  SKEP_TXN_REPL_CREATED = 1,
  SKEP_TXN_READ_ONLY = 2,
  SKEP_TXN_COMPACTION = 3,
  SKEP_TXN_MATER_VIEW_REBUILD = 4,
  SKEP_TXN_SOFT_DELETE = 5,
  SKEP_TXN_REBALANCE_COMPACTION = 6
} skep_txn_type;

/* Why a transaction was aborted: TXN_META_INFO gets the text. Source: Hive TxnErrorMsg. */
typedef enum skep_txn_abort_reason {
  SKEP_ABORT_NONE = 50000,           /* "none" */
  SKEP_ABORT_QUERY = 50001,          /* "abort by query command" */
  SKEP_ABORT_CONCURRENT = 50002,     /* "concurrent committed transaction" */
  SKEP_ABORT_WRITE_CONFLICT = 50003, /* "write conflicts" */
  SKEP_ABORT_TIMEOUT = 50004,        /* "heartbeat time-out" */
  SKEP_ABORT_ROLLBACK = 50005,       /* "rollback": ROLLBACK, and a statement that failed */
  SKEP_ABORT_COMPACTION = 50006,     /* "compaction transaction abort" */
  SKEP_ABORT_MSCK = 50007,           /* "msck transaction abort" */
  SKEP_ABORT_MIGRATION = 50008,      /* "managed migration transaction abort" */
  /* Skep's own */
  SKEP_ABORT_STALLED = 59001,  /* "stalled": it lived and did nothing for skep.txn.stall.timeout */
  SKEP_ABORT_KILLED = 59002,   /* "query killed": KILL QUERY */
  SKEP_ABORT_DEADLOCK = 59003, /* "deadlock: ..." */
  SKEP_ABORT_DIED = 59004      /* "process ended": the one that ran it is no more */
} skep_txn_abort_reason;
const char *skep_txn_abort_text(skep_txn_abort_reason reason);

/* Who and how. Zero-initialise; NULL and 0 stand for the defaults named. */
typedef struct skep_txn_conf {
  const char *user;        /* TXN_USER; NULL: "unknown" */
  const char *host;        /* TXN_HOST; NULL: "unknown" */
  const char *agent;       /* TXN_AGENT_INFO; NULL stays NULL as Hive leaves it */
  int64_t timeout_ms;      /* hive.txn.timeout; 0: 300 s. The one in force counts when it is longer */
  int64_t repl_timeout_ms; /* hive.repl.txn.timeout; 0: 11 days */
  int64_t open_timeout_ms; /* hive.txn.opentxn.timeout; 0: 1 s. Databases with ids out of order only */
  int64_t opening_ms;      /* what an opening of our own may take of it; 0: half. Tests: as long as the machine needs */
  int64_t max_open_batch;  /* hive.txn.max.open.batch; 0: 1000 */
  int64_t max_open;        /* hive.max.open.txns; 0: 100000 */
} skep_txn_conf;

/* --- snapshots --- */

/* One list of ids: i is valid when i <= hwm and it is in neither list. Ascending, without repetition. */
typedef struct skep_txn_ids {
  int64_t hwm;
  int64_t min_open; /* the lowest of open; INT64_MAX: none */
  uint32_t n_open, n_aborted;
  const int64_t *open, *aborted;
} skep_txn_ids;

bool skep_txn_ids_valid(const skep_txn_ids *ids, int64_t id);
bool skep_txn_ids_aborted(const skep_txn_ids *ids, int64_t id);
/* Hive's forms: "hwm:minOpen:open,open:aborted,aborted", for a table with "db.table:" before it. Failures stay in out.
 */
void skep_txn_ids_print(const skep_txn_ids *ids, const char *database, const char *table, skep_buf *out);

/* A table that a statement reads, or writes (and perhaps reads). */
typedef struct skep_txn_table {
  const char *database, *table;
  char write;   /* 0: reads only. Else the strongest thing that will be done: 'i' insert; 'u' INSERT OVERWRITE,
                   LOAD OVERWRITE, TRUNCATE; 'd' UPDATE, DELETE, MERGE with either (Hive records those as d) */
  bool no_list; /* the list of valid write ids is not needed: an INSERT that does not read its target */
  /* out */
  int64_t write_id;            /* of the own transaction; 0 when it does not write */
  skep_txn_ids ids;            /* valid write ids; the own one is among them */
  const char *valid_write_ids; /* Hive's text "db.table:hwm:minOpen:open:aborted" */
} skep_txn_table;

typedef struct skep_txn {
  int64_t id;
  skep_txn_type type;
  skep_txn_ids txns;      /* which transactions are valid for it */
  const char *valid_txns; /* the same as Hive's text "hwm:minOpen:open:aborted" */
} skep_txn;

/* Opens a transaction, takes its snapshot, allocates write ids of the tables it writes, records them as components
 * without a partition (so that a crash leaves a trace; skep_txn_add_components and _commit replace them), and gives the
 * lists of all tables: one database transaction. Not durable by itself, unless it must be (see recovery below).
 * txn and tables[].out are set on SKEP_OK only.
 * SKEP_ERR_LIMIT: hive.max.open.txns; SKEP_ERR_ARGUMENT: a type or letter that is none, READ_ONLY with writes. */
SKEP_NODISCARD skep_status skep_txn_begin(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, skep_txn_type type,
                                          skep_txn_table *tables, uint32_t n_tables, skep_txn *txn, skep_err *err);
/* The two halves of skep_txn_begin, for a caller that asks for locks in between, so that the snapshot is not older than
 * the grant: the row alone (txn->id), then snapshot, write ids and lists. Both within the caller's own write
 * transaction of the database (skep_txn_begin_mode). */
SKEP_NODISCARD skep_status skep_txn_begin_open(skep_db *db, const skep_txn_conf *conf, skep_txn_type type,
                                               const skep_txn_table *tables, uint32_t n_tables, skep_txn *txn,
                                               skep_err *err);
SKEP_NODISCARD skep_status skep_txn_begin_tables(skep_db *db, const skep_txn_conf *conf, skep_arena *arena,
                                                 skep_txn *txn, skep_txn_table *tables, uint32_t n_tables,
                                                 skep_err *err);
/* How a database transaction that is to hold skep_txn_begin or _use_tables with writes must be begun
 * (SKEP_DB_WRITE_LAZY, or SKEP_DB_WRITE while a recovery is due): for callers that make their own. */
SKEP_NODISCARD skep_status skep_txn_begin_mode(skep_db *db, skep_db_mode *mode, skep_err *err);

/* In one round trip: the same as the two halves, where the database can do all at once, and nobody is in the way. What
 * fails, with a status for which skep_txn_takes_steps says so, has done nothing: the caller takes the steps, which wait
 * where they must and say what is wrong.
 *
 *   if (skep_txn_sends(db)) {
 *     status = skep_txn_send_begin(db, conf, &sent)         the database transaction
 *     (skep_lock_send_request)                              lock/lock.h, where there are locks to ask for
 *     skep_txn_send_open(...)
 *     (skep_lock_send_rows)
 *     skep_txn_send_tables(...)
 *     skep_db_commit, or when any of them failed skep_db_rollback
 *     skep_txn_sent_take(...) after the commit
 *     skep_txn_sent_done, in any case */
enum { SKEP_TXN_MAX_SENT = 8 }; /* tables */
typedef struct skep_txn_sent {
  skep_txn_type type;
  int64_t settled; /* numbers up to it were settled before */
  int64_t from;    /* pairs of transactions from it on were asked for */
  uint32_t first;  /* of the tables that need a list */
  skep_stmt *opened, *seen, *write_ids[SKEP_TXN_MAX_SENT], *pairs[SKEP_TXN_MAX_SENT];
} skep_txn_sent;

/* Outside of a database transaction: whether it can be tried. */
bool skep_txn_sends(skep_db *db);
/* Whether what failed with this status did nothing and may be done in steps. */
bool skep_txn_takes_steps(skep_db *db, skep_status status);
SKEP_NODISCARD skep_status skep_txn_send_begin(skep_db *db, const skep_txn_conf *conf, skep_txn_sent *sent,
                                               skep_err *err);
/* tables: as skep_txn_begin_open. SKEP_ERR_ARGUMENT as skep_txn_begin, and when there are too many tables. */
SKEP_NODISCARD skep_status skep_txn_send_open(skep_db *db, const skep_txn_conf *conf, skep_txn_type type,
                                              const skep_txn_table *tables, uint32_t n, skep_txn_sent *sent,
                                              skep_err *err);
SKEP_NODISCARD skep_status skep_txn_send_tables(skep_db *db, const skep_txn_conf *conf, skep_txn_table *tables,
                                                uint32_t n, skep_txn_sent *sent, skep_err *err);
/* After skep_db_commit. What fails here has ended the transaction again. */
SKEP_NODISCARD skep_status skep_txn_sent_take(skep_db *db, const skep_txn_conf *conf, skep_arena *arena,
                                              skep_txn_sent *sent, skep_txn_table *tables, uint32_t n, skep_txn *txn,
                                              skep_err *err);
void skep_txn_sent_done(skep_txn_sent *sent);

/* Further tables under the same snapshot (later statements of START TRANSACTION). A table that has its write id already
 * gets the same one again. SKEP_ERR_ABORTED and SKEP_ERR_NOT_FOUND as skep_txn_commit says. */
SKEP_NODISCARD skep_status skep_txn_use_tables(skep_db *db, skep_arena *arena, const skep_txn *txn,
                                               skep_txn_table *tables, uint32_t n_tables, skep_err *err);

/* What a statement sees without a transaction, in a database that is open for reading only (also of a schema before
 * Hive 4, whose committed transactions have no rows): txn->id is 0, the tables get lists and no write ids. Nothing
 * protects what is read from a cleaner: a long statement may find files gone. */
SKEP_NODISCARD skep_status skep_txn_look(skep_db *db, skep_arena *arena, const skep_txn_conf *conf,
                                         skep_txn_table *tables, uint32_t n_tables, skep_txn *txn, skep_err *err);

/* A snapshot alone: as skep_txn_begin's for the transaction `own` that is open, or with own 0 for a look from outside
 * (nothing is then protected from clean-up: for SHOW, tests and tools). */
SKEP_NODISCARD skep_status skep_txn_snapshot(skep_db *db, skep_arena *arena, const skep_txn_conf *conf, int64_t own,
                                             skep_txn *txn, skep_err *err);
/* The write ids of a table that are valid for `txns`. Where none is, the list is Hive's short form: its high watermark
 * is the lowest exception, which alone is named. */
SKEP_NODISCARD skep_status skep_txn_valid_write_ids(skep_db *db, skep_arena *arena, const skep_txn_ids *txns,
                                                    const char *database, const char *table, skep_txn_ids *out,
                                                    skep_err *err);
/* The same, never shortened: for whom an id that was aborted is something else than one that is not known yet. */
SKEP_NODISCARD skep_status skep_txn_write_ids_in_full(skep_db *db, skep_arena *arena, const skep_txn_ids *txns,
                                                      const char *database, const char *table, skep_txn_ids *out,
                                                      skep_err *err);

/* --- the single steps --- */

/* Opens up to `n` transactions (conf->max_open_batch at most): ids, ascending, into ids[0 .. *n_opened). */
SKEP_NODISCARD skep_status skep_txn_open(skep_db *db, const skep_txn_conf *conf, skep_txn_type type, uint32_t n,
                                         int64_t *ids, uint32_t *n_opened, skep_err *err);
/* One write id a transaction, consecutive in ascending order of transactions; those that have one get it again (all or
 * none must have one). write_ids[i] is that of txns[i]; txns ascending. SKEP_ERR_ABORTED, SKEP_ERR_NOT_FOUND. */
SKEP_NODISCARD skep_status skep_txn_allocate_write_ids(skep_db *db, const int64_t *txns, uint32_t n,
                                                       const char *database, const char *table, int64_t *write_ids,
                                                       skep_err *err);
/* The id that the next allocation would give: 1 where there is no row. */
SKEP_NODISCARD skep_status skep_txn_next_write_id(skep_db *db, const char *database, const char *table, int64_t *out,
                                                  skep_err *err);
/* After a conversion to ACID: the next id is n + 1 (10000000 for files that were there: acid-format 3.4). Keeps a
 * higher one. */
SKEP_NODISCARD skep_status skep_txn_seed_write_id(skep_db *db, const char *database, const char *table, int64_t n,
                                                  skep_err *err);

/* What a statement wrote. */
typedef struct skep_txn_component {
  const char *database, *table;
  const char *partition; /* escaped name; NULL: the table is not partitioned */
  char op;               /* 'i', 'u', 'd'. Both branches of an UPDATE are 'd', as Hive records them. 's': see
                            skep_txn_commit_opts */
  int64_t write_id;
} skep_txn_component;

/* Records them, instead of the placeholders of those tables. */
SKEP_NODISCARD skep_status skep_txn_add_components(skep_db *db, int64_t txn, const skep_txn_component *components,
                                                   uint32_t n, skep_err *err);

/* Runs inside the database transaction of the commit, after the conflict check: new partitions, statistics. */
typedef skep_status skep_txn_also(void *self, skep_db *db, skep_err *err);

/* Commits: components recorded, conflicts checked, CTC and WRITE_SET rows, state 'c', in one database transaction that
 * is durable when the transaction wrote anything (or `also` is given). A commit that was made already is SKEP_OK again.
 *
 * SKEP_ERR_CONFLICT  somebody committed an overlapping update or delete of the same table or partition first; the text
 *                    is Hive's, naming both. The transaction is aborted (reason 50003); when the caller's database
 *                    transaction was joined: the caller rolls back, then calls skep_txn_abort with that reason.
 * SKEP_ERR_ABORTED   it was aborted before; the text has the reason
 * SKEP_ERR_NOT_FOUND no such transaction (aborted and cleaned up)
 * SKEP_ERR_IN_DOUBT  the outcome is not known: see skep_txn_state
 * `also` failed      its status; rolled back, the transaction is still open: abort it. */
SKEP_NODISCARD skep_status skep_txn_commit(skep_db *db, int64_t txn, const skep_txn_component *components, uint32_t n,
                                           skep_txn_also *also, void *self, skep_err *err);

/* Somebody committed a change while this transaction was open, in an object that it changed too. */
typedef struct skep_txn_meeting {
  int64_t txn, commit_id, write_id;         /* theirs; commit_id 0: not known */
  int64_t my_commit_id;                     /* what ours would be */
  const char *database, *table, *partition; /* partition NULL: the table has none */
  char mine, op;                            /* letters; op 0: it left no trace but its write id (a TRUNCATE by Hive, or
                                               a statement that changed nothing): its files say what it did */
} skep_txn_meeting;

/* A commit that looks closer than Hive's. Zero-initialise. */
typedef struct skep_txn_commit_opts {
  const skep_txn_component *components;
  uint32_t n;
  skep_txn_also *also;
  void *self;
  /* `also` locks the rows it decides on ({for_update}): several such commits run side by side where the database can do
   * that, and it may be called again after a deadlock, when all it had done was rolled back. Otherwise one with `also`
   * runs alone. */
  bool beside;
  /* The transaction's snapshot: writes that it does not see and that left no letter are looked for as well. NULL: not.
   */
  const skep_txn_ids *snapshot;
  /* Two transactions that updated or deleted in one partition ('d' and 'd') are no conflict yet: it depends on the
   * rows. A component 's' says that what was inserted depended on the whole partition (MERGE with INSERT); it goes into
   * WRITE_SET only, where Hive passes over it. */
  bool by_rows;
  /* Those the caller has looked at and found harmless. */
  const skep_txn_meeting *pardoned;
  size_t n_pardoned;
} skep_txn_commit_opts;

/* As skep_txn_commit. SKEP_ERR_BUSY with *n_meetings > 0: nothing was changed, the transaction is open; the caller
 * judges the meetings (which live in the arena) by files, and either ends the transaction (skep_txn_meeting_fail says
 * why) or commits again with all of them pardoned, the earlier ones too. */
SKEP_NODISCARD skep_status skep_txn_commit_with(skep_db *db, int64_t txn, const skep_txn_commit_opts *opts,
                                                skep_arena *arena, skep_txn_meeting **meetings, size_t *n_meetings,
                                                skep_err *err);
/* Hive's sentence about a conflict; what: the row, or NULL. Returns SKEP_ERR_CONFLICT. */
skep_status skep_txn_meeting_fail(int64_t txn, const skep_txn_meeting *meeting, const char *what, skep_err *err);

/* Whether skep_txn_commit with these components would find a conflict now: SKEP_ERR_CONFLICT with its text, so that a
 * statement of a long transaction need not run in vain. A partition NULL stands for the table without partitions: give
 * nothing where it is not known which partitions will be written. Reads only. */
SKEP_NODISCARD skep_status skep_txn_would_conflict(skep_db *db, int64_t txn, const skep_txn_component *components,
                                                   uint32_t n, skep_err *err);

/* Aborts. files_gone: every file the transaction wrote is removed and the directories are synced, so nothing of it
 * needs to be remembered. One that was aborted already is SKEP_OK; committed or unknown is SKEP_ERR_NOT_FOUND. After an
 * SKEP_ERR_IN_DOUBT this is how to settle: SKEP_OK means it never happened, SKEP_ERR_NOT_FOUND that it was committed.
 */
SKEP_NODISCARD skep_status skep_txn_abort(skep_db *db, int64_t txn, skep_txn_abort_reason reason, bool files_gone,
                                          skep_err *err);
/* The command ABORT TRANSACTIONS: ids that are not open are passed over; *n_aborted may be NULL. */
SKEP_NODISCARD skep_status skep_txn_abort_many(skep_db *db, const int64_t *txns, uint32_t n,
                                               skep_txn_abort_reason reason, uint32_t *n_aborted, skep_err *err);

/* TXNS.TXN_STATE: 'o' open, 'a' aborted, 'c' committed, 0: no row. An 'o' after SKEP_ERR_IN_DOUBT is no answer yet:
 * settle with skep_txn_abort. reason (may be NULL) is TXN_META_INFO in the arena, or NULL. */
SKEP_NODISCARD skep_status skep_txn_state(skep_db *db, int64_t txn, char *state, skep_arena *arena, const char **reason,
                                          skep_err *err);

/* How many transactions are open. */
SKEP_NODISCARD skep_status skep_txn_count_open(skep_db *db, int64_t *out, skep_err *err);

/* The time-out that is in force in this database, in ms; 300 s until one was agreed on. Who beats must do so at least
 * twice as often, who reaps waits for no less (skep_txn_housekeep sees to that). It stays as it is while any
 * transaction is open: who asks after a transaction has begun knows it until the end. */
SKEP_NODISCARD skep_status skep_txn_timeout(skep_db *db, int64_t *out_ms, skep_err *err);
/* Puts another one in force, unless a transaction is open: then nothing changes. 0: 300 s. */
SKEP_NODISCARD skep_status skep_txn_agree_timeout(skep_db *db, int64_t wanted_ms, skep_err *err);

/* Says that open transactions are alive: at least every skep_txn_timeout / 2. SKEP_ERR_ABORTED, SKEP_ERR_NOT_FOUND name
 * the first that is not; the others are beaten all the same. */
SKEP_NODISCARD skep_status skep_txn_heartbeat(skep_db *db, const int64_t *txns, uint32_t n, skep_err *err);

/* --- house-keeping --- */

typedef struct skep_txn_housekeeping {
  uint64_t timed_out;  /* open transactions of dead processes, aborted */
  uint64_t write_set;  /* rows that no open or future transaction can conflict with */
  uint64_t write_ids;  /* TXN_TO_WRITE_ID rows that are valid for everybody */
  uint64_t txns;       /* empty committed and aborted rows */
  uint64_t components; /* repeated rows of COMPLETED_TXN_COMPONENTS */
} skep_txn_housekeeping;

/* When a warehouse is opened, and now and then in a long session (every minute or 1000 statements). done may be NULL.
 */
SKEP_NODISCARD skep_status skep_txn_housekeep(skep_db *db, const skep_txn_conf *conf, skep_txn_housekeeping *done,
                                              skep_err *err);
/* Every transaction below it is over for everybody, now and later: min(open), or the next id. Source: txn-protocol 2.3.
 */
SKEP_NODISCARD skep_status skep_txn_min_open(skep_db *db, const skep_txn_conf *conf, int64_t *out, skep_err *err);

/* --- after a loss of power --- */

/* skep_txn_begin writes lazily, so a loss of power can take back write ids whose files are on disk already (they were
 * never committed). Such an id would be given out again, and a leftover of it in a partition that the new owner does
 * not write would become visible. So the first who opens a warehouse after the machine started asks here:
 *   *needed false: nothing to do.
 *   *needed true: a write transaction of the database is open now, and everybody else waits. The caller removes, in
 *   every transactional table, the directories whose write id is skep_txn_next_write_id or higher, then calls
 *   skep_txn_recovery_done, which commits (ok) or rolls back. Who could not look at all tables calls skep_db_commit
 *   instead: the recovery stays due.
 * Until somebody has done that, skep_txn_begin is durable: safe, and slower. */
SKEP_NODISCARD skep_status skep_txn_recovery_needed(skep_db *db, bool *needed, skep_err *err);
SKEP_NODISCARD skep_status skep_txn_recovery_done(skep_db *db, bool ok, skep_err *err);

/* --- removing files that a reader may still use --- */

typedef struct skep_txn_removal {
  int64_t id;
  const char *database, *table, *partition; /* partition NULL: the table's own */
  const char *location;                     /* as it was given */
} skep_txn_removal;

/* Inside the database transaction that drops a table or partition, before its records go: the location is removable
 * once every transaction opened until now is over that uses the table; of one without write ids every transaction.
 * Hive's soft delete: a COMPACTION_QUEUE row, state 'r', type 'a', with the property `location`, which a Hive cleaner
 * on the same database understands. txn: that of the drop, or 0. SKEP_ERR_LIMIT: a location of more than 1900 bytes. */
SKEP_NODISCARD skep_status skep_txn_removal_add(skep_db *db, int64_t txn, const char *database, const char *table,
                                                const char *partition, const char *location, skep_err *err);
/* Those that can be removed now, at most `limit`, oldest first, claimed for this caller: nobody else is given them for
 * an hour, and the location stays pending until it is forgotten, so that no new table gets a directory that somebody
 * still removes. What could not be removed comes back after that hour. */
SKEP_NODISCARD skep_status skep_txn_removal_list(skep_db *db, const skep_txn_conf *conf, skep_arena *arena,
                                                 uint32_t limit, skep_txn_removal **out, uint32_t *n, skep_err *err);
/* Whether that would give any now. Nothing is claimed. */
SKEP_NODISCARD skep_status skep_txn_removal_any(skep_db *db, const skep_txn_conf *conf, skep_arena *arena, bool *any,
                                                skep_err *err);
/* It is gone from the file system: forget it. */
SKEP_NODISCARD skep_status skep_txn_removal_forget(skep_db *db, int64_t id, skep_err *err);
/* Whether the location, or one above or below it, waits to be removed: a new table then needs another directory,
 * "<location>.v%07d" with its transaction's id (Hive's soft-delete suffix). */
SKEP_NODISCARD skep_status skep_txn_removal_pending(skep_db *db, const char *location, bool *pending, skep_err *err);

/* --- objects that go or change their name (inside the caller's database transaction) --- */

/* partition NULL: the table; table NULL: the database. Removals that wait are kept. Source: Hive
 * CleanupRecordsFunction. */
SKEP_NODISCARD skep_status skep_txn_drop_records(skep_db *db, const char *database, const char *table,
                                                 const char *partition, skep_err *err);
/* A table gets another name (and perhaps database). Source: Hive OnRenameFunction. */
SKEP_NODISCARD skep_status skep_txn_rename_table(skep_db *db, const char *database, const char *table,
                                                 const char *new_database, const char *new_table, skep_err *err);
SKEP_NODISCARD skep_status skep_txn_rename_partition(skep_db *db, const char *database, const char *table,
                                                     const char *partition, const char *new_partition, skep_err *err);

/* --- SHOW TRANSACTIONS --- */

typedef struct skep_txn_row {
  int64_t id;
  char state; /* 'o' or 'a' */
  skep_txn_type type;
  int64_t started_ms, heartbeat_ms;
  const char *user, *host;
  const char *agent, *reason; /* or NULL */
} skep_txn_row;
/* Open and aborted ones, ascending. */
SKEP_NODISCARD skep_status skep_txn_list(skep_db *db, skep_arena *arena, skep_txn_row **out, uint32_t *n,
                                         skep_err *err);

#endif
