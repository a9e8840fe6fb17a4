/* Raw ACID events of delta, delete-delta and base files, unfiltered: for `skep events`, `check` and tests. */
#ifndef ACID_EVENTS_H
#define ACID_EVENTS_H

#include "column/vec.h"
#include "io/fs.h"

/* Batches have struct<operation:int,originalTransaction:bigint,bucket:int,rowId:bigint,currentTransaction:bigint,row:struct<...>>
 * with the file's own row type. */
typedef struct skep_events skep_events;
SKEP_NODISCARD skep_status skep_events_open(const skep_ctx *ctx, skep_fs *fs, const char *path, uint64_t logical_bytes,
                                            skep_events **out, skep_err *err); /* SKEP_ERR_ARGUMENT: no ACID file */
void skep_events_close(skep_events *events);
const skep_type *skep_events_type(const skep_events *events);
SKEP_NODISCARD skep_status skep_events_next(skep_events *events, int64_t max_rows, skep_batch *batch, skep_err *err);

#endif
