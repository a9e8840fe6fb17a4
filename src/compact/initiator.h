/* The initiator: looks at what was written since its last round and asks for compactions. */
#ifndef COMPACT_INITIATOR_H
#define COMPACT_INITIATOR_H

#include "compact/env.h"

typedef struct skep_compact_initiated {
  uint32_t n_candidates, n_enqueued, n_refused,
      n_failed; /* failed: could not be looked at; the reason is in the history */
} skep_compact_initiated;

/* One round. dry_run: says what it would ask for and changes nothing. SKEP_OK with zeroes when another one is at it
 * (mutex "Initiator"). */
SKEP_NODISCARD skep_status skep_compact_initiate(const skep_compact_env *env, bool dry_run, skep_compact_initiated *out,
                                                 skep_err *err);

/* What one table or partition would need now: a letter of CQ_TYPE, or 0; *why (in the arena) says it in words.
 * *incremental: of a minor compaction, a run of neighbours instead of everything. Used by round and statement (COMPACT
 * of a whole partitioned table asks for the partitions that need it). */
SKEP_NODISCARD skep_status skep_compact_assess(const skep_compact_env *env, const skep_compact_target *target,
                                               skep_arena *arena, char *type, bool *incremental, const char **why,
                                               skep_err *err);

#endif
