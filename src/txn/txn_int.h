/* What the files of txn share. Module-private. */
#ifndef TXN_TXN_INT_H
#define TXN_TXN_INT_H

#include "txn/txn.h"

/* Settings with the defaults filled in. */
skep_txn_conf skep_txn_conf_full(const skep_txn_conf *conf);

/* What is kept with a connection (skep_db_memo), where numbers come out of order. */
enum {
  SKEP_TXN_MEMO_SETTLED, /* up to it, no number can appear any more */
  SKEP_TXN_MEMO_OPEN,    /* below it, no transaction is open, or can be opened */
  SKEP_TXN_MEMO_LOW,     /* below it, all are committed, now and later */
  SKEP_TXN_MEMO_SEEN_NS, /* when that was seen, by the context's clock */
  SKEP_TXN_MEMO_STEPS,   /* 1: nothing is sent at once here */
  SKEP_TXN_MEMO_OWN      /* from here on: numbers that this connection took lately */
};

/* A row of TXNS as the snapshot sees it. */
typedef struct skep_txn_seen {
  int64_t id;
  char state; /* o, a, c, _ */
  int type;
  int64_t age_ms; /* since it was started; only looked at where ids are out of order */
} skep_txn_seen;

enum { SKEP_TXN_LATELY = 256 }; /* so many transactions ago is lately */

#define SKEP_TXN_SEEN_COLUMNS "\"TXN_ID\", \"TXN_STATE\", \"TXN_TYPE\", \"TXN_STARTED\""
/* Adds a row that begins with these, and was read at `now`. */
skep_status skep_txn_add_seen(skep_arena *arena, skep_txn_seen **seen, size_t *capacity, size_t *n, skep_stmt *stmt,
                              int64_t now, skep_err *err);
skep_status skep_txn_first_settled(skep_db *db, const skep_txn_conf *c, int64_t *out, skep_err *err);
/* The snapshot of txn->id from these rows; what they say about numbers is kept with the connection. */
skep_status skep_txn_decide_snapshot(skep_db *db, skep_arena *arena, const skep_txn_conf *c, skep_txn_seen *seen,
                                     size_t n, int64_t settled, skep_txn *txn, skep_err *err);
void skep_txn_note_own(skep_db *db, int64_t id);

skep_status skep_txn_check_type(skep_txn_type type, skep_err *err);
skep_status skep_txn_check_tables(const skep_txn_table *tables, uint32_t n, skep_txn_type type, bool *any_write,
                                  skep_err *err);
skep_status skep_txn_too_many(int64_t n, int64_t limit, skep_err *err);
void skep_txn_clear_tables(skep_txn_table *tables, uint32_t n);
int skep_txn_order_tables(const skep_txn_table *a, const skep_txn_table *b); /* by name */
/* Those that are written, in that order: two who write the same tables lock them in the same order. Room for all. */
uint32_t skep_txn_sort_written(const skep_txn_table *tables, uint32_t n, const skep_txn_table **sorted);

/* The list of a reader whose own transaction is `own` (0: none), from rows in ascending order.
 *
 * settled   INT64_MAX where ids are in order: then the rows that are not committed are enough. Elsewhere the gap rule
 *           applies: ids above settled without a row, below a row younger than open_timeout_ms, count as open; `seen`
 *           has all rows above settled, and of the others those that are not committed
 * hwm       the highest id of the table
 * Source: txn-protocol 3.1 (OpenTxnList), 3.2 (TxnCommonUtils.createValidReadTxnList). */
skep_status skep_txn_decide_list(skep_arena *arena, const skep_txn_seen *seen, size_t n, int64_t hwm, int64_t own,
                                 int64_t settled, int64_t open_timeout_ms, skep_txn_ids *out, skep_err *err);

/* skep_txn_ids_print into the arena. */
skep_status skep_txn_ids_text(skep_arena *arena, const skep_txn_ids *ids, const char *database, const char *table,
                              const char **out, skep_err *err);

/* A row of TXN_TO_WRITE_ID. */
typedef struct skep_txn_pair {
  int64_t txn;
  int64_t write_id;
} skep_txn_pair;

/* Rows of TXN_TO_WRITE_ID of one table, and its next write id. */
typedef struct skep_txn_pairs {
  skep_txn_pair *items;
  size_t n, capacity;
  int64_t next; /* 1: it was never written */
} skep_txn_pairs;
skep_status skep_txn_add_pair(skep_arena *arena, skep_txn_pairs *pairs, int64_t txn, int64_t write_id, skep_err *err);
/* The next write id: in a row of a transaction -1. */
skep_status skep_txn_read_pairs(skep_stmt *stmt, skep_arena *arena, skep_txn_pairs *out, skep_err *err);
/* The valid write ids from these rows, which have those of all exceptions. *decided false: whether it is to be
 * shortened depends on rows that are not here. */
skep_status skep_txn_decide_pairs(skep_arena *arena, const skep_txn_ids *txns, skep_txn_pairs *pairs, int64_t next,
                                  skep_txn_ids *out, bool *decided, skep_err *err);

/* The write ids of a table that are valid for `txns`.
 *
 * rows       ascending by write id: all whose transaction is invalid for `txns`; valid ones among them do no harm
 * highest    the highest id given out (NWI_NEXT - 1), 0: none
 * *shorten   set when the exceptions reach from the lowest one to the high watermark without a hole. When the table has
 *            no row below *lowest either, nothing valid was found and skep_txn_shorten gives Hive's form of it
 * Source: txn-protocol 3.5; where it goes further than Hive: txn/README.md, "Lists of write ids". */
skep_status skep_txn_decide_write_ids(skep_arena *arena, const skep_txn_ids *txns, const skep_txn_pair *rows, size_t n,
                                      int64_t highest, skep_txn_ids *out, bool *shorten, int64_t *lowest,
                                      skep_err *err);
void skep_txn_shorten(skep_txn_ids *ids);

/* The lowest transaction that can be invalid for `txns`: the first exception, or the first above the high watermark. */
int64_t skep_txn_lowest_invalid(const skep_txn_ids *txns);

/* SKEP_OK when the transaction is open (its row is locked where the database locks rows); *type may be NULL. Otherwise
 * SKEP_ERR_ABORTED with the reason, or SKEP_ERR_NOT_FOUND; *state says which (0: no row). */
skep_status skep_txn_ensure_open(skep_db *db, int64_t txn, char *state, int *type, skep_err *err);

/* --- which tables an open transaction uses (watermark.c) --- */

enum { SKEP_TXN_MARK_SIZE = 129 }; /* TXN_META_INFO holds 128 characters */
/* The text that says so of these tables. */
void skep_txn_mark_tables(char mark[SKEP_TXN_MARK_SIZE], const skep_txn_table *tables, uint32_t n);
/* Adds tables to what the open transaction says, inside a write transaction; SKEP_ERR_CONFLICT: snapshot too old. */
skep_status skep_txn_touch(skep_db *db, int64_t txn, const skep_txn_table *tables, uint32_t n, skep_err *err);
/* Whether the text is one; NULL is none. */
bool skep_txn_is_mark(const char *text);
/* Whether it would have to write. */
skep_status skep_txn_touch_needed(skep_db *db, int64_t txn, const skep_txn_table *tables, uint32_t n, bool *out,
                                  skep_err *err);
/* Who uses the table goes on doing so under its new name. */
skep_status skep_txn_rename_marks(skep_db *db, const char *database, const char *table, const char *new_database,
                                  const char *new_table, skep_err *err);
/* Of each table the lowest open transaction that uses it or may (one that does not say); the next number where there is
 * none. Inside a database transaction. Unlike a horizon it holds nobody off: for what no transaction can begin to use.
 */
typedef struct skep_txn_user {
  const char *database, *table;
  int64_t txn;      /* the answer */
  char letters[16]; /* watermark.c's own */
} skep_txn_user;
skep_status skep_txn_oldest_users(skep_db *db, const skep_txn_conf *conf, skep_txn_user *of, size_t n, skep_err *err);
/* Published horizons that no open transaction is below. */
skep_status skep_txn_clean_horizons(skep_db *db, int64_t min_open, skep_err *err);

/* No transaction with a number up to this can appear any more. */
skep_status skep_txn_id_boundary(skep_db *db, const skep_txn_conf *conf, int64_t *out, skep_err *err);
/* The list of a reader that began when every transaction below min_txn was over: hwm min_txn - 1. */
skep_status skep_txn_list_below(skep_db *db, skep_arena *arena, int64_t min_txn, skep_txn_ids *out, skep_err *err);

/* What makes a row of COMPACTION_QUEUE one of a dropped directory (txn_removal.c), and what does not. */
#define SKEP_MARK_OF_REMOVAL "'%8:location%'"
#define SKEP_IS_A_REMOVAL "\"CQ_STATE\" = 'r' AND \"CQ_TBLPROPERTIES\" LIKE " SKEP_MARK_OF_REMOVAL
#define SKEP_NOT_A_REMOVAL "(\"CQ_TBLPROPERTIES\" IS NULL OR \"CQ_TBLPROPERTIES\" NOT LIKE " SKEP_MARK_OF_REMOVAL ")"
/* NEXT_COMPACTION_QUEUE_ID, moved on. Inside a write transaction. */
skep_status skep_txn_next_queue_id(skep_db *db, int64_t *out, skep_err *err);

/* Looks how far numbers are there without a gap: a cleaner need not wait then for the time that an opening may take. */
skep_status skep_txn_settle(skep_db *db, const skep_txn_conf *conf, skep_err *err);

/* How transactions are opened by those who write nothing; skep_txn_begin_mode for the others. */
skep_db_mode skep_txn_opening_mode(const skep_db *db);

/* max(TXN_ID). */
skep_status skep_txn_max_id(skep_db *db, int64_t *out, skep_err *err);

/* The steps of an abort, inside a write transaction: state (with the reason), locks, history, the note of the reason.
 * Only when it is open and was not heard of since silent_since (INT64_MAX: in any case). */
skep_status skep_txn_abort_rows(skep_db *db, int64_t txn, skep_txn_abort_reason reason, int64_t silent_since,
                                int64_t *n_changed, skep_err *err);

/* --- notes (progress.c) --- */

/* Keeps why it was aborted, from its row of TXNS. */
skep_status skep_txn_keep_abort(skep_db *db, int64_t txn, skep_err *err);
/* What skep_txn_keep_abort kept; NULL: nothing. */
skep_status skep_txn_kept_reason(skep_db *db, skep_arena *arena, int64_t txn, const char **reason, skep_err *err);
skep_status skep_txn_keep_foreign_aborts(skep_db *db, skep_arena *arena, skep_err *err);
/* Notes about transactions that are over, and too old reasons. */
skep_status skep_txn_clean_notes(skep_db *db, skep_err *err);

/* Rows that open transactions have in MIN_HISTORY_LEVEL and MIN_HISTORY_WRITE_ID, and their locks. */
skep_status skep_txn_forget_history(skep_db *db, int64_t txn, skep_err *err);

/* Runs a change of a table that need not exist: SKEP_ERR_NOT_FOUND counts as done. */
skep_status skep_txn_run_optional(skep_db *db, const char *sql, const skep_param *params, size_t n_params,
                                  skep_err *err);

/* Whether the machine's present start was recovered (or needs no recovery). */
skep_status skep_txn_is_recovered(skep_db *db, bool *out, skep_err *err);

/* skep_txn_valid_write_ids where the next write id of the table is known, and stays so (0: it is not). */
skep_status skep_txn_valid_write_ids_below(skep_db *db, skep_arena *arena, const skep_txn_ids *txns,
                                           const char *database, const char *table, int64_t next, skep_txn_ids *out,
                                           skep_err *err);

/* One write id for a transaction that is known to be open and to have none of this table; inside a write transaction.
 */
skep_status skep_txn_allocate_fresh(skep_db *db, int64_t txn, const char *database, const char *table,
                                    int64_t *write_id, skep_err *err);

/* --- components (txn_conflict.c) --- */

typedef struct skep_txn_component_list {
  skep_txn_component *items;
  size_t n, capacity;
} skep_txn_component_list;

skep_status skep_txn_component_add(skep_arena *arena, skep_txn_component_list *list, const skep_txn_component *c,
                                   skep_err *err);
/* A row of TXN_COMPONENTS. Write id 0: it has none; with 'c' that is the highest one that a compaction reads. */
skep_status skep_txn_insert_component(skep_db *db, int64_t txn, const skep_txn_component *c, skep_err *err);
bool skep_txn_same_table(const skep_txn_component *a, const skep_txn_component *b);
int skep_txn_order_text(const char *a, const char *b); /* NULL first */
/* For qsort: database, table, partition, letter. */
int skep_txn_order_components(const void *left, const void *right);

/* old: the rows that are there; *kept: those that stay, *added: those to be written (txn_commit.c). */
skep_status skep_txn_merge_components(skep_arena *arena, const skep_txn_component_list *old,
                                      const skep_txn_component *given, uint32_t n, skep_txn_component_list *kept,
                                      skep_txn_component_list *added, skep_err *err);
/* Whether a commit can be tried in one round trip, and that. A status for which skep_txn_takes_steps says so: nothing
 * was done, and the steps say why. */
bool skep_txn_commit_sends(skep_db *db, const skep_txn_commit_opts *opts);
skep_status skep_txn_commit_at_once(skep_db *db, int64_t txn, const skep_txn_commit_opts *opts, skep_err *err);

/* What the components change, each resource and letter once, sorted. */
skep_status skep_txn_resources(skep_arena *arena, const skep_txn_component_list *all, skep_txn_component_list *out,
                               skep_err *err);
/* FROM: transactions that have committed (a row that is gone was committed, or wrote nothing), that had a write id of
 * the table, and left neither a row in WRITE_SET nor one in COMPLETED_TXN_COMPONENTS. Parameters: database, table, from
 * which transaction on, own; then those of `more`. */
#define SKEP_TXN_SILENT(text, number, more)                                                                            \
  "FROM \"TXN_TO_WRITE_ID\" I LEFT JOIN \"TXNS\" T ON T.\"TXN_ID\" = I.\"T2W_TXNID\" WHERE I.\"T2W_DATABASE\" = " text \
  " AND I.\"T2W_TABLE\" = " text " AND I.\"T2W_TXNID\" >= " number " AND I.\"T2W_TXNID\" <> " number                   \
  " AND coalesce(T.\"TXN_STATE\", 'c') = 'c'" more                                                                     \
  " AND NOT EXISTS (SELECT 1 FROM \"WRITE_SET\" W WHERE W.\"WS_TXNID\" = I.\"T2W_TXNID\" AND W.\"WS_DATABASE\" = "     \
  "I.\"T2W_DATABASE\" AND W.\"WS_TABLE\" = I.\"T2W_TABLE\") AND NOT EXISTS (SELECT 1 FROM "                            \
  "\"COMPLETED_TXN_COMPONENTS\" C WHERE C.\"CTC_DATABASE\" = I.\"T2W_DATABASE\" AND C.\"CTC_TABLE\" = "                \
  "I.\"T2W_TABLE\" AND C.\"CTC_TXNID\" = I.\"T2W_TXNID\")"
/* SELECT: whether a table has partitions: what it has among the components without one is a placeholder
 * (txn_commit.c). Parameters: database, table. */
#define SKEP_TXN_HAS_PARTITIONS(text)                                                               \
  "SELECT 1 FROM \"DBS\" D JOIN \"TBLS\" T ON T.\"DB_ID\" = D.\"DB_ID\" JOIN \"PARTITION_KEYS\" K " \
  "ON K.\"TBL_ID\" = T.\"TBL_ID\" WHERE D.\"NAME\" = " text " AND D.\"CTLG_NAME\" = 'hive' AND T.\"TBL_NAME\" = " text

/* Whether any of them can meet what others commit meanwhile: TXN_LOCK_TBL is taken for it. */
bool skep_txn_more_than_inserts(const skep_txn_component_list *resources);
enum { SKEP_TXN_LETTERS_SIZE = 5 };
/* The letters in WRITE_SET that a component with this one never meets, whatever the write ids are. */
void skep_txn_harmless(char op, char letters[SKEP_TXN_LETTERS_SIZE]);
/* What is compared, and what comes of it. */
typedef struct skep_txn_check {
  skep_db *db;
  skep_arena *arena;
  int64_t txn, commit_id;           /* the newest transaction */
  const skep_txn_commit_opts *opts; /* or NULL: letters alone */
  skep_txn_meeting *meetings;       /* to be judged */
  size_t n_meetings, capacity;
} skep_txn_check;
/* SKEP_ERR_CONFLICT when somebody was first. Otherwise what needs a closer look is in check->meetings. Inside a write
 * transaction. */
skep_status skep_txn_check_conflicts(skep_txn_check *check, const skep_txn_component_list *resources, skep_err *err);
/* What later committers that overlap have to know. */
skep_status skep_txn_insert_write_set(skep_db *db, int64_t txn, int64_t commit_id,
                                      const skep_txn_component_list *resources, skep_err *err);

#endif
