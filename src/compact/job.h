/* From an entry of the queue to the job of run.h: properties, formats, ORDER BY. Module-private. */
#ifndef COMPACT_JOB_H
#define COMPACT_JOB_H

#include "compact/env.h"
#include "compact/tiers.h"

/* SKEP_END with a reason in err: an incremental compaction, and no run of neighbours is worth it. SKEP_ERR_ARGUMENT: an
 * ORDER BY or range that the table cannot have. */
SKEP_NODISCARD skep_status skep_compact_job_make(const skep_compact_env *env, skep_arena *arena,
                                                 const skep_compaction *entry, const skep_compact_target *target,
                                                 const skep_compaction_snapshot *snapshot, skep_compact_job *out,
                                                 skep_err *err);

/* What a run of this job would find in its root; freed by the caller. SKEP_ERR_NOT_FOUND: there is no such directory.
 */
SKEP_NODISCARD skep_status skep_compact_job_layout(const skep_compact_env *env, skep_arena *arena,
                                                   const skep_compact_job *job, skep_layout **out, skep_err *err);

/* The ranges of a layout that was read for a compactor, and the run of them that an incremental compaction would merge
 * (run->n 0: none is worth it). */
SKEP_NODISCARD skep_status skep_compact_find_run(const skep_compact_env *env, const skep_layout *layout,
                                                 skep_arena *arena, skep_compact_range **ranges, uint32_t *n,
                                                 skep_compact_run_of *run, skep_err *err);

/* Whether the entry may be worked on now: not while compactions of its table are paused, nor, unless it was asked for
 * by hand, outside of skep.compactor.window. */
SKEP_NODISCARD skep_status skep_compact_admitted(const skep_compact_env *env, skep_arena *arena,
                                                 const skep_compaction *entry, bool *out, skep_err *err);

/* The ORDER BY of a rebalance, as text: "[ORDER BY] column [ASC|DESC] [NULLS FIRST|LAST], ...". */
SKEP_NODISCARD skep_status skep_compact_order_parse(skep_arena *arena, const char *text, const skep_type *columns,
                                                    const skep_compact_order **out, uint32_t *n, skep_err *err);

/* "22:00-06:00", several separated by ',': whether the time of day (minutes since midnight, UTC plus offset) lies in
 * one. A text that is no such list is always open. */
bool skep_compact_window_open(const char *window, int minutes);

/* Whether the table's property skep.compaction.paused stops its compactions. */
bool skep_compact_is_paused(const skep_catalog_table *t);

#endif
