/* The queue of compactions: COMPACTION_QUEUE and COMPLETED_COMPACTIONS in Hive's columns and letters, one function for
 * each transition. Hive's own initiator, workers and cleaner may take over after any of them, and the other way round.
 *
 *   (none) --request--> i --next/take--> w --begin, (files), commit--> r --claim, (files), cleaned--> s
 *                       |                |                             |
 *                       abort: x         refuse: c, fail: f,           clean_failed: later, or f
 *                                        retry: i
 *
 * i initiated, w working, r ready for cleaning stand in the queue; s succeeded, f failed, a did not initiate, c
 * refused, x aborted stand in the history. No file is touched here. Every function joins the caller's database
 * transaction or makes its own; texts given are borrowed for the call, those returned live in the arena. Names are
 * lower case, partitions are Hive's escaped names.
 *
 * Source: Apache Hive 4.0 CompactionTxnHandler and its functions (txn-protocol 9), golden 08, 15, 19. */
#ifndef TXN_COMPACTION_H
#define TXN_COMPACTION_H

#include "txn/txn.h"

/* CQ_TYPE. */
enum {
  SKEP_COMPACTION_MINOR = 'i',
  SKEP_COMPACTION_MAJOR = 'a',
  SKEP_COMPACTION_REBALANCE = 'r',
  SKEP_COMPACTION_ABORT_CLEANUP = 'c'
};
const char *skep_compaction_type_name(char type);   /* "MINOR"; "UNKNOWN" */
const char *skep_compaction_state_name(char state); /* "ready for cleaning"; "unknown" */
/* Whether there is such a state, and such a type. Who works on the queue passes over others. */
bool skep_compaction_state_is_known(char state);
bool skep_compaction_type_is_known(char type);

/* Keys in CQ_TBLPROPERTIES that are Skep's own: what they say is more than Hive's columns can. */
#define SKEP_COMPACTION_INCREMENTAL "skep.compact.incremental" /* "true": a minor compaction of some neighbours */
#define SKEP_COMPACTION_LOWEST "skep.compact.lowest"           /* the range's lowest write id, once it is known */
#define SKEP_COMPACTION_ATTEMPTS "skep.compact.attempts"       /* workers that died over it */
#define SKEP_COMPACTION_PRIORITY "skep.compact.priority"       /* higher first; 0 */
/* The table's property and the compaction's: which pool of workers. Source: Hive 4.0 Initiator. */
#define SKEP_COMPACTION_POOL "hive.compactor.worker.pool"

/* A row of either table. Texts NULL and numbers 0 where the column is NULL. */
typedef struct skep_compaction {
  int64_t id;
  const char *database, *table, *partition;
  char state, type;
  const char *properties; /* string_map.h */
  const char *worker_id, *worker_version, *initiator_id, *initiator_version, *run_as;
  const char *job_id; /* CQ_HADOOP_JOB_ID: while Skep works, how far it is ("42% 85 MB/s 31 s") */
  const char *error, *pool, *order_by;
  int64_t enqueued_ms, started_ms, ended_ms; /* ended: history only */
  int64_t highest_write_id;
  bool has_highest;
  int64_t txn_id, next_txn_id, commit_ms;
  int64_t cleaner_start_ms, retry_retention_ms; /* queue only; cleaner_start: 0 or -1, nobody cleans it */
  int32_t n_buckets;
} skep_compaction;

/* The value of a property of the request, in the arena; NULL: none. */
SKEP_NODISCARD skep_status skep_compaction_property(const skep_compaction *c, const char *key, skep_arena *arena,
                                                    const char **out, skep_err *err);

/* --- asking --- */

typedef struct skep_compaction_request {
  const char *database, *table, *partition;
  char type;
  const char *properties; /* string_map.h; NULL or at most 2048 bytes, else SKEP_ERR_LIMIT */
  const char *run_as;
  const char *initiator_id, *initiator_version; /* "<host>-manual" for a statement's */
  const char *pool;                             /* NULL: the default one */
  const char *order_by;                         /* rebalance */
  int32_t n_buckets;                            /* rebalance; 0: none given */
} skep_compaction_request;

typedef struct skep_compaction_answer {
  int64_t id; /* -1 when refused */
  bool accepted;
  int64_t blocking_id; /* of the entry that is in the way, when refused */
  const char *reason;  /* Hive's sentence: "Compaction is already scheduled with state='...' and id=..." */
} skep_compaction_answer;

/* Refused (a status of SKEP_OK, accepted false) while one of the same resource is initiated or working, or is ready for
 * cleaning and nothing was written since. */
SKEP_NODISCARD skep_status skep_compaction_enqueue(skep_db *db, const skep_txn_conf *conf, skep_arena *arena,
                                                   const skep_compaction_request *request, skep_compaction_answer *out,
                                                   skep_err *err);
/* Puts a line into the history instead: 'a', the initiator found a reason not to ask. */
SKEP_NODISCARD skep_status skep_compaction_did_not_initiate(skep_db *db, const skep_compaction_request *request,
                                                            const char *reason, skep_err *err);

/* --- working --- */

typedef struct skep_compaction_worker {
  const char *id; /* "<host>-<thread>", cut at its last '-' by those who show it */
  const char *version;
  const char *pool;        /* only requests of this pool; NULL: those without one, and those that waited too long */
  int64_t pool_timeout_ms; /* for how long a pool's requests are left to its workers */
} skep_compaction_worker;

/* Requests that this worker may take, highest priority first, then by id: at most `limit`. */
SKEP_NODISCARD skep_status skep_compaction_list_waiting(skep_db *db, const skep_compaction_worker *worker,
                                                        uint32_t limit, skep_arena *arena, skep_compaction **out,
                                                        uint32_t *n, skep_err *err);
/* Takes this one, unless somebody was faster: out->id is 0 then. */
SKEP_NODISCARD skep_status skep_compaction_take(skep_db *db, const skep_compaction_worker *worker, int64_t id,
                                                skep_arena *arena, skep_compaction *out, skep_err *err);

/* What a worker reads under. */
typedef struct skep_compaction_snapshot {
  skep_txn txn; /* open, type COMPACTION or REBALANCE_COMPACTION; its number is the `_v` of what is written. It is an
                   exception in its own list: what it writes is not there until it has committed */
  const char *valid_txns;
  skep_txn_ids write_ids; /* the compactor's: aborted ones up to hwm, hwm below the lowest open one */
  const char *valid_write_ids;
} skep_compaction_snapshot;

/* Opens the worker's transaction, takes its snapshot and records both (CQ_TXN_ID, CQ_HIGHEST_WRITE_ID, and the
 * component 'c' which leads a cleaner to the files of a worker that died), inside one database transaction (durable: a
 * transaction number must not be given out twice while files bear it). SKEP_ERR_NOT_FOUND: the entry is not this
 * worker's any more. */
SKEP_NODISCARD skep_status skep_compaction_begin(skep_db *db, const skep_txn_conf *conf, skep_arena *arena,
                                                 const skep_compaction *job, skep_compaction_snapshot *out,
                                                 skep_err *err);
/* The worker lives, and is so far (at most 32 bytes; NULL: nothing new). SKEP_ERR_ABORTED, SKEP_ERR_NOT_FOUND: it was
 * taken for dead, or somebody aborted its transaction: stop. */
SKEP_NODISCARD skep_status skep_compaction_heartbeat(skep_db *db, const skep_compaction *job, int64_t txn,
                                                     const char *progress, skep_err *err);

/* The files are complete and synced: ready for cleaning, and visible for whoever opens a transaction from now on;
 * `also` (may be NULL) runs inside the same database transaction and may still stop it. highest  of the write ids that
 * were compacted; lowest: 0, or the lowest one of an incremental compaction SKEP_ERR_NOT_FOUND, SKEP_ERR_ABORTED: the
 * entry or the transaction is not this worker's any more. */
SKEP_NODISCARD skep_status skep_compaction_commit(skep_db *db, const skep_compaction *job, int64_t txn, int64_t lowest,
                                                  int64_t highest, skep_txn_also *also, void *self, skep_err *err);
/* After a commit whose outcome is not known (SKEP_ERR_IN_DOUBT): aborts the transaction, unless it was committed. One
 * whose row is gone by now is told by its entry in the queue or the history, which a commit marks with its id.
 * SKEP_ERR_IN_DOUBT: there is no such entry any more; nothing may be removed. */
SKEP_NODISCARD skep_status skep_compaction_settle(skep_db *db, const skep_compaction *job, int64_t txn, bool *committed,
                                                  skep_err *err);
/* Into the history as 'f' (or 'c'), with its reason; the transaction (0: none) is aborted. files_gone: nothing bears
 * its number any more. A job that is not the worker's any more stays what it is. */
SKEP_NODISCARD skep_status skep_compaction_fail(skep_db *db, const skep_compaction *job, int64_t txn, bool files_gone,
                                                const char *reason, skep_err *err);
SKEP_NODISCARD skep_status skep_compaction_refuse(skep_db *db, const skep_compaction *job, int64_t txn,
                                                  const char *reason, skep_err *err);
/* Back into the queue: 'i', without worker. died: counts as an attempt. */
SKEP_NODISCARD skep_status skep_compaction_retry(skep_db *db, const skep_compaction *job, int64_t txn, bool files_gone,
                                                 bool died, const char *reason, skep_err *err);

/* Whether an entry's worker is known to be no more: a process of this machine that has ended (base/alive.h: its id ends
 * with the process's tag). */
bool skep_compaction_worker_is_gone(const skep_compaction *c);

/* Entries in 'w' whose transaction is not open any more or whose worker is gone, or which have none and were taken more
 * than timeout_ms ago; those of a worker of Hive are among them after hive.compactor.worker.timeout only. */
SKEP_NODISCARD skep_status skep_compaction_list_dead(skep_db *db, int64_t timeout_ms, int64_t begin_ms,
                                                     skep_arena *arena, skep_compaction **out, uint32_t *n,
                                                     skep_err *err);

/* Entries in 'w' of this worker: while it works on none, they are what it could not bring to an end. */
SKEP_NODISCARD skep_status skep_compaction_list_of_worker(skep_db *db, const char *worker_id, skep_arena *arena,
                                                          skep_compaction **out, uint32_t *n, skep_err *err);

/* --- cleaning --- */

/* Entries in 'r', those of one resource beside each other, by their highest write id, then by id: a cleaner takes the
 * first of a resource. Without those of dropped directories (skep_txn_removal_list). */
SKEP_NODISCARD skep_status skep_compaction_list_ready(skep_db *db, skep_arena *arena, skep_compaction **out,
                                                      uint32_t *n, skep_err *err);
/* Whether every open transaction was born after `txn` had ended: what is asked where CQ_NEXT_TXN_ID is NULL (Hive 4.0.1
 * leaves it so for a rebalance). */
SKEP_NODISCARD skep_status skep_compaction_is_known(skep_db *db, int64_t txn, bool *out, skep_err *err);

/* *mine: nobody has claimed it within the last claim_ms, and now this cleaner has: job->cleaner_start_ms. */
SKEP_NODISCARD skep_status skep_compaction_claim(skep_db *db, skep_compaction *job, int64_t claim_ms, bool *mine,
                                                 skep_err *err);
/* Inside the caller's write transaction: the claim still holds (the row stays locked until its end). */
SKEP_NODISCARD skep_status skep_compaction_check_claim(skep_db *db, const skep_compaction *job, bool *mine,
                                                       skep_err *err);
/* Gives the claim back: the entry waits for the next round. reason (may be NULL) is kept in CQ_ERROR_MESSAGE. */
SKEP_NODISCARD skep_status skep_compaction_unclaim(skep_db *db, const skep_compaction *job, const char *reason,
                                                   skep_err *err);

/* Nothing obsolete is left: into the history as 's'; rows of COMPLETED_TXN_COMPONENTS go, of write ids from `lowest`
 * (1: the beginning) to the highest one, or all when that is not known. SKEP_ERR_NOT_FOUND: the claim is gone. */
SKEP_NODISCARD skep_status skep_compaction_cleaned(skep_db *db, const skep_compaction *job, int64_t lowest,
                                                   skep_err *err);
/* Tries again later (2^k times base_ms), and after max_attempts gives up: into the history as 'f'. */
SKEP_NODISCARD skep_status skep_compaction_clean_failed(skep_db *db, const skep_compaction *job, const char *reason,
                                                        int64_t base_ms, int64_t max_attempts, skep_err *err);

/* Its own transaction did not commit (Hive says 'r' before it commits): into the history as 'f'. */
SKEP_NODISCARD skep_status skep_compaction_never_committed(skep_db *db, const skep_compaction *job, const char *reason,
                                                           skep_err *err);

/* A resource with components of aborted transactions. */
typedef struct skep_compaction_aborts {
  const char *database, *table, *partition;
  uint32_t n;
  int64_t oldest_ms; /* TXN_STARTED of the oldest */
} skep_compaction_aborts;
SKEP_NODISCARD skep_status skep_compaction_list_aborts(skep_db *db, skep_arena *arena, skep_compaction_aborts **out,
                                                       uint32_t *n, skep_err *err);

/* One component of an aborted transaction. */
typedef struct skep_compaction_abort {
  int64_t txn, write_id;
  char op;         /* 'c': files of a worker: what ends in _v<txn> */
  bool by_timeout; /* its process may still be alive, and write: heartbeat_ms is when it was last heard of */
  int64_t heartbeat_ms;
} skep_compaction_abort;
/* Ascending by write id. */
SKEP_NODISCARD skep_status skep_compaction_aborts_of(skep_db *db, const char *database, const char *table,
                                                     const char *partition, skep_arena *arena,
                                                     skep_compaction_abort **out, uint32_t *n, skep_err *err);
/* Its files are gone (or never were): forget it. Only while its transaction is aborted. */
SKEP_NODISCARD skep_status skep_compaction_forget_abort(skep_db *db, const char *database, const char *table,
                                                        const char *partition, const skep_compaction_abort *gone,
                                                        skep_err *err);

/* --- deciding what to ask for --- */

/* A resource that was written and not compacted since. */
typedef struct skep_compaction_candidate {
  const char *database, *table, *partition;
  bool is_queued;           /* one is initiated or working */
  int64_t highest_write_id; /* written */
} skep_compaction_candidate;
/* Those with a commit of a transaction >= since (0: all), or whose last compaction failed or was not asked for; the
 * longest waiting first. */
SKEP_NODISCARD skep_status skep_compaction_candidates(skep_db *db, int64_t since, uint32_t limit, skep_arena *arena,
                                                      skep_compaction_candidate **out, uint32_t *n, skep_err *err);
/* The latest entries of a resource in the history, newest first, at most `limit`: of these states (letters). */
SKEP_NODISCARD skep_status skep_compaction_history(skep_db *db, const char *database, const char *table,
                                                   const char *partition, const char *states, uint32_t limit,
                                                   skep_arena *arena, skep_compaction **out, uint32_t *n,
                                                   skep_err *err);

/* Whether somebody committed a write of the resource with an id above this one. */
SKEP_NODISCARD skep_status skep_compaction_written_above(skep_db *db, const char *database, const char *table,
                                                         const char *partition, int64_t write_id, bool *out,
                                                         skep_err *err);

/* --- looking after it --- */

typedef struct skep_compaction_retention {
  uint32_t succeeded, failed, did_not_initiate, refused; /* rows kept for each resource */
  int64_t timeout_ms; /* unsuccessful ones older than this go once a newer one succeeded */
} skep_compaction_retention;
SKEP_NODISCARD skep_status skep_compaction_purge(skep_db *db, const skep_compaction_retention *retention,
                                                 uint64_t *n_removed, skep_err *err);

/* ABORT COMPACTIONS: only initiated ones can be, and those in no state that there is. *text is Hive's message. */
SKEP_NODISCARD skep_status skep_compaction_abort_request(skep_db *db, int64_t id, const char *by, skep_arena *arena,
                                                         bool *done, const char **text, skep_err *err);

/* All entries of both tables in the order of SHOW COMPACTIONS: the largest of end, start and commit time first (those
 * without come before all), then by enqueue time. id 0: all. */
SKEP_NODISCARD skep_status skep_compaction_list(skep_db *db, int64_t id, skep_arena *arena, skep_compaction **out,
                                                uint32_t *n, skep_err *err);

#endif
