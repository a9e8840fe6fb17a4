/* Locks of the metastore database, as Hive 4's DbTxnManager takes them: one request a statement with all its
 * components, first come first served by the request's id, granted whole or not at all.
 *
 *   skep_lock_merge(components)                    one component an object, the strongest
 *   skep_lock_request(db, ...)                     -> id, and whether it is granted
 *   not granted: skep_lock_look(db, id) again and again, with pauses (the caller makes them), then skep_lock_check
 *   the end of the transaction releases its locks (skep_txn_commit, skep_txn_abort); locks outside of one:
 *   skep_lock_release
 *
 * A change that fits into one database transaction needs no rows: skep_lock_pass asks whether it may be made now.
 *
 * Rows of HIVE_LOCKS are Hive's own, so Skep and Hive wait for each other on one database. Every function joins the
 * caller's database transaction or makes its own. Names are lower case, partitions are Hive's escaped names; texts
 * given are borrowed for the call.
 *
 * Source: Apache Hive 4.0 EnqueueLockFunction, CheckLockFunction, LockTypeUtil, LockRequestBuilder (txn-protocol 7). */
#ifndef LOCK_LOCK_H
#define LOCK_LOCK_H

#include "db/db.h"

/* In order of strength; HIVE_LOCKS.HL_LOCK_TYPE has the letters r, w, x, e. */
typedef enum skep_lock_type {
  SKEP_LOCK_SHARED_READ,
  SKEP_LOCK_SHARED_WRITE,
  SKEP_LOCK_EXCL_WRITE,
  SKEP_LOCK_EXCLUSIVE
} skep_lock_type;

char skep_lock_letter(skep_lock_type type);
/* false: no such letter (Hive writes 'z' for a type it does not know). */
bool skep_lock_of_letter(char letter, skep_lock_type *out);
const char *skep_lock_name(skep_lock_type type); /* "SHARED_READ" */

typedef struct skep_lock_component {
  const char *database;
  const char *table;     /* NULL: the whole database */
  const char *partition; /* NULL: the whole table */
  skep_lock_type type;
} skep_lock_component;

/* Whether a request for `wanted` has to wait for an existing lock, waiting or acquired, of another owner on an
 * overlapping object. on_database: the lock has no table (shared locks of databases and exclusive ones of tables do not
 * meet, so that tables can be made and dropped side by side). Source: txn-protocol 7.1. */
bool skep_lock_conflicts(skep_lock_type wanted, bool wanted_on_database, skep_lock_type existing,
                         bool existing_on_database);

/* Whether two locks are on objects of which one holds the other. */
bool skep_lock_overlap(const skep_lock_component *a, const skep_lock_component *b);

/* Sorts by object and keeps one component an object, the strongest; returns how many are left. */
uint32_t skep_lock_merge(skep_lock_component *components, uint32_t n);

typedef struct skep_lock_owner {
  int64_t txn;       /* 0: outside of a transaction; kept alive by skep_lock_heartbeat */
  bool is_new;       /* txn was opened in this very database transaction: it is not looked up */
  const char *user;  /* NULL: "unknown" */
  const char *host;  /* NULL: "unknown" */
  const char *agent; /* the query's id; or NULL */
} skep_lock_owner;

/* Whom a request waits for. */
typedef struct skep_lock_blocker {
  int64_t ext_id, int_id, txn;
  skep_lock_type type;
  bool acquired;
  const char *database, *table, *partition; /* in the arena, as all texts; NULL as in a component */
  const char *user, *host, *agent;
  skep_lock_type wanted; /* what was asked for and is in its way */
  int64_t last_ext_id;   /* the last request before ours that is in the way: nothing is granted while it is there */
} skep_lock_blocker;

typedef enum skep_lock_state { SKEP_LOCK_ACQUIRED, SKEP_LOCK_WAITING } skep_lock_state;

/* Puts a request into the queue and looks whether it can be granted, in one database transaction.
 *
 * components  merged; 1..n
 * ext_id      the request's id: ids are given in the order in which requests become visible
 * blocker     filled when *state is SKEP_LOCK_WAITING; may be NULL
 * SKEP_ERR_ABORTED, SKEP_ERR_NOT_FOUND   the owner's transaction is not open any more; nothing was queued */
SKEP_NODISCARD skep_status skep_lock_request(skep_db *db, const skep_lock_owner *owner,
                                             const skep_lock_component *components, uint32_t n, skep_arena *arena,
                                             int64_t *ext_id, skep_lock_state *state, skep_lock_blocker *blocker,
                                             skep_err *err);

/* The same where the database can do all at once (skep_dialect.at_once), for a transaction that is opened in the
 * same database transaction (txn/txn.h, "In one round trip"). First the id is taken and looked whether anybody is in
 * the way: then the database transaction fails, with whatever status, and the caller takes the steps. *id: its first
 * row's first column is the request's id, afterwards; the caller's to be done with, also on failure; NULL when n is 0.
 * Then, behind skep_txn_send_open, the rows, granted. Nothing is waited for. */
SKEP_NODISCARD skep_status skep_lock_send_request(skep_db *db, const skep_lock_component *components, uint32_t n,
                                                  skep_stmt **id, skep_err *err);
/* Before skep_txn_send_begin: the server is told of the statements. */
SKEP_NODISCARD skep_status skep_lock_send_learn(skep_db *db, skep_err *err);
/* owner->txn is passed over. */
SKEP_NODISCARD skep_status skep_lock_send_rows(skep_db *db, const skep_lock_owner *owner,
                                               const skep_lock_component *components, uint32_t n, skep_err *err);

/* Whether skep_lock_check would grant the request now: reads only, so that a waiter disturbs nobody. What is free stays
 * free, since only requests before it matter. SKEP_ERR_NOT_FOUND: the request is gone (its transaction was aborted, or
 * it timed out). */
SKEP_NODISCARD skep_status skep_lock_look(skep_db *db, int64_t ext_id, skep_arena *arena, skep_lock_state *state,
                                          skep_lock_blocker *blocker, skep_err *err);

/* What has become of a request: the cheapest question a waiter can ask. */
typedef enum skep_lock_presence { SKEP_LOCK_GONE, SKEP_LOCK_QUEUED, SKEP_LOCK_HELD } skep_lock_presence;
SKEP_NODISCARD skep_status skep_lock_presence_of(skep_db *db, int64_t ext_id, skep_lock_presence *out, skep_err *err);

/* The id that the next request will get, or a change by skep_lock_pass. Unchanged since an earlier look: nobody has
 * asked for a lock meanwhile, so no definition can have changed. */
SKEP_NODISCARD skep_status skep_lock_next_id(skep_db *db, int64_t *out, skep_err *err);

/* Inside the caller's database transaction, which makes the change and ends at once: whether it may be made. No rows
 * are left, but the id counts on. SKEP_LOCK_WAITING: nothing was done, not even that. No other request is granted
 * before the caller's transaction ends. */
SKEP_NODISCARD skep_status skep_lock_pass(skep_db *db, const skep_lock_component *components, uint32_t n,
                                          skep_arena *arena, skep_lock_state *state, skep_lock_blocker *blocker,
                                          skep_err *err);

/* A request changes hands inside a database transaction: from one open transaction to another, its place in the queue
 * kept. */
SKEP_NODISCARD skep_status skep_lock_move(skep_db *db, int64_t ext_id, int64_t from_txn, int64_t to_txn, skep_err *err);

/* Looks again, and takes the locks when it can. Says that the owner is alive, too: its transaction, or the lock where
 * there is none. SKEP_ERR_ABORTED the transaction was aborted meanwhile; SKEP_ERR_NOT_FOUND the request is gone (timed
 * out). */
SKEP_NODISCARD skep_status skep_lock_check(skep_db *db, int64_t ext_id, skep_arena *arena, skep_lock_state *state,
                                           skep_lock_blocker *blocker, skep_err *err);

/* Takes a request back: one that waits, or one outside of a transaction. Gone already: SKEP_OK. A transaction's
 * acquired locks end with it: SKEP_ERR_ARGUMENT. */
SKEP_NODISCARD skep_status skep_lock_release(skep_db *db, int64_t ext_id, skep_err *err);

/* Locks outside of transactions: SKEP_ERR_NOT_FOUND when it is gone. Those whose owners did not beat for the time-out
 * of transactions are removed by skep_txn_housekeep. */
SKEP_NODISCARD skep_status skep_lock_heartbeat(skep_db *db, int64_t ext_id, skep_err *err);

/* --- SHOW LOCKS, and deadlocks --- */

typedef struct skep_lock_row {
  int64_t ext_id, int_id, txn;
  skep_lock_component on;
  bool acquired;
  int64_t heartbeat_ms, acquired_ms;            /* 0: none */
  int64_t blocked_by_ext_id, blocked_by_int_id; /* 0: none */
  const char *user, *host, *agent;              /* agent may be NULL */
} skep_lock_row;

/* All locks by id, or those on one object and what is inside it (NULL: not asked). */
SKEP_NODISCARD skep_status skep_lock_list(skep_db *db, const char *database, const char *table, const char *partition,
                                          skep_arena *arena, skep_lock_row **out, uint32_t *n, skep_err *err);

/* The transactions of a cycle of waiters that `txn` is part of: ascending, *n 0 when there is none. rows: of
 * skep_lock_list, whole. Pure. Every conflict counts, not only the one that HL_BLOCKEDBY names: a request waits for all
 * of them. */
SKEP_NODISCARD skep_status skep_lock_cycle(const skep_lock_row *rows, uint32_t n_rows, int64_t txn, skep_arena *arena,
                                           int64_t **txns, uint32_t *n, skep_err *err);

#endif
