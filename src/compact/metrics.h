/* The state of transactions, locks and compactions as numbers, in Prometheus' text form (exposition format 0.0.4).
 *
 * Names are those of Hive's metastore (txn-protocol 12, MetricsConstants); what Hive puts into a name (a pool, a table)
 * is a label here. */
#ifndef COMPACT_METRICS_H
#define COMPACT_METRICS_H

#include <stdatomic.h>

#include "compact/env.h"

/* What is timed: a round of the initiator or the cleaner, a job of a worker by its kind. */
typedef enum skep_compact_cycle {
  SKEP_CYCLE_INITIATOR,
  SKEP_CYCLE_CLEANER,
  SKEP_CYCLE_MINOR,
  SKEP_CYCLE_MAJOR,
  SKEP_CYCLE_REBALANCE,
  SKEP_N_CYCLES
} skep_compact_cycle;

/* What one process has done since it began; all zero in the beginning. Any thread adds to it. */
typedef struct skep_compact_counters {
  struct {
    _Atomic uint64_t n, ms, failures;
    _Atomic int64_t begun_ms; /* monotonic, of the one that runs; 0: none (of workers: not kept) */
  } cycles[SKEP_N_CYCLES];
  _Atomic uint64_t committed, aborted, timed_out; /* transactions */
} skep_compact_counters;

/* Around a cycle: when it begins, and how it ended. */
int64_t skep_compact_cycle_begin(const skep_ctx *ctx, skep_compact_counters *c, skep_compact_cycle which);
void skep_compact_cycle_end(const skep_ctx *ctx, skep_compact_counters *c, skep_compact_cycle which, int64_t begun_ms,
                            bool failed);
/* The cycle of a worker's job: of CQ_TYPE. */
skep_compact_cycle skep_compact_cycle_of(char type);

/* Appends all metrics. Reads only, in one view of the database. counters: of this process; NULL: without them. */
SKEP_NODISCARD skep_status skep_compact_metrics(const skep_compact_env *env, const skep_compact_counters *counters,
                                                skep_buf *out, skep_err *err);

#endif
