/* Which neighbouring deltas an incremental compaction merges. Pure.
 *
 * Size-tiered: a run of neighbours is merged when `fan` of them are of its highest level of size (each level is `fan`
 * times the one below), so that each row is rewritten O(log n) times over a table's life. A run is a whole
 * range of write ids with all its deltas, delete deltas and statements. It never is the range of a directory that
 * exists (Hive takes what lies inside a result's range for obsolete, and twins of one range for one another). */
#ifndef COMPACT_TIERS_H
#define COMPACT_TIERS_H

#include <stdbool.h>
#include <stdint.h>

#include "acid/layout.h"

/* What has one range of write ids: deltas, delete deltas, statements of it. */
typedef struct skep_compact_range {
  int64_t min, max;
  uint64_t bytes;
  uint32_t n_dirs;
} skep_compact_range;

typedef struct skep_compact_run_of {
  uint32_t first, n; /* of the ranges */
} skep_compact_run_of;

/* The best run, n 0: none is worth it. ranges: ascending, not overlapping. fan: at least 2. */
skep_compact_run_of skep_compact_choose_run(const skep_compact_range *ranges, uint32_t n, uint32_t fan);

/* The ranges above the base of a layout that was read for a compactor; those that overlap are one. */
SKEP_NODISCARD skep_status skep_compact_ranges(const skep_layout *layout, skep_arena *arena, skep_compact_range **out,
                                               uint32_t *n, skep_err *err);

#endif
