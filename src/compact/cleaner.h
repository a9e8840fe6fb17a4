/* The cleaner: removes what no open or future snapshot can need, then forgets it in the metastore.
 *
 * Rules
 * 1. A directory goes only when it is obsolete or aborted in a snapshot that is no newer than that of any open
 *    transaction (txn/README.md, watermarks), and below the highest write id of the compaction that is cleaned.
 * 2. Each removal is a rename inside one write transaction of the database that has looked again: the claim on the
 *    queue entry, the table's id, its location. So a table dropped and made again meanwhile keeps its files, however
 *    long this process was stopped. What was renamed (".skep_removed_*", hidden from every reader) is then deleted at
 *    leisure, and found again by the next round when this process dies.
 * 3. Rows of the metastore go after the files, and an aborted write id is forgotten only when no file that is left
 *    holds rows of it. */
#ifndef COMPACT_CLEANER_H
#define COMPACT_CLEANER_H

#include "compact/env.h"

typedef struct skep_compact_cleaning {
  uint32_t n_cleaned;                /* entries that are finished */
  uint32_t n_waiting;                /* that still need somebody's end */
  uint32_t n_failed;                 /* that could not be cleaned: the reason is in the queue */
  uint32_t n_removals;               /* dropped directories removed */
  uint32_t n_aborts;                 /* components of aborted transactions forgotten */
  uint64_t n_dirs, n_files, n_bytes; /* removed (dry run: that would be) */
} skep_compact_cleaning;

/* Rounds until nothing more can be done. dry_run: lists what would be removed (env->say), and changes nothing. */
SKEP_NODISCARD skep_status skep_compact_clean(const skep_compact_env *env, bool dry_run, skep_compact_cleaning *out,
                                              skep_err *err);

/* Of that only the directories of dropped tables and partitions: what a session does now and then where no service
 * runs. Asks for the mutex only when there is one that may go, and does nothing while another cleaner has it. */
SKEP_NODISCARD skep_status skep_compact_remove_dropped(const skep_compact_env *env, skep_compact_cleaning *out,
                                                       skep_err *err);

/* Transactions up to this one do not see the compaction; 0: not known. */
int64_t skep_compact_last_before(const skep_compaction *job);
/* How many ms its inputs are kept yet: delayed clean-up, a try that failed. */
int64_t skep_compact_retention_left(const skep_compact_env *env, const skep_compaction *job, int64_t now_ms);

#endif
