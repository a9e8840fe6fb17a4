/* The state of transactions, locks and compactions as numbers, in Prometheus' text form (exposition format 0.0.4).
 *
 * Names are those of Hive's metastore (txn-protocol 12, MetricsConstants); what Hive puts into a name (a pool, a table)
 * is a label here. */
#ifndef COMPACT_METRICS_H
#define COMPACT_METRICS_H

#include "compact/env.h"

/* Appends all metrics. Reads only, in one view of the database. */
SKEP_NODISCARD skep_status skep_compact_metrics(const skep_compact_env *env, skep_buf *out, skep_err *err);

#endif
