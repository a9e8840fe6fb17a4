/* ACID event files: recognising them, and their raw events, unfiltered: for `skep events`, `check` and tests. */
#ifndef ACID_EVENTS_H
#define ACID_EVENTS_H

#include "column/vec.h"
#include "io/fs.h"
#include "orc/tail.h"

/* The six top-level columns of an event file, in their order in the schema. Source: Hive OrcRecordUpdater. Query-based
 * compaction writes the names in lower case, so names are compared ignoring case. */
typedef enum skep_event_column {
  SKEP_EVENT_OPERATION, /* int: 0 insert, 1 update (ACID v1), 2 delete */
  SKEP_EVENT_WRITE_ID,  /* originalTransaction bigint: the write id that inserted the row */
  SKEP_EVENT_BUCKET,    /* bucket int: bucket property */
  SKEP_EVENT_ROW_ID,    /* rowId bigint */
  SKEP_EVENT_CURRENT,   /* currentTransaction bigint: the write id of the event */
  SKEP_EVENT_ROW,       /* row struct: NULL in delete events */
  SKEP_EVENT_COLUMNS
} skep_event_column;
extern const char *const skep_event_column_names[SKEP_EVENT_COLUMNS];

typedef enum skep_event_file {
  SKEP_EVENT_FILE_NO,    /* not the six columns: plain rows */
  SKEP_EVENT_FILE_SHAPE, /* the six columns, but nothing in the footer says ACID: a user's table could look like this.
                            The file's name decides: bucket_N is an event file, 000000_0 is not */
  SKEP_EVENT_FILE_YES    /* the six columns and hive.acid.* metadata in the footer */
} skep_event_file;
/* columns: ORC column ids by skep_event_column when the answer is not NO; may be NULL. */
skep_event_file skep_event_file_kind(const skep_orc_tail *tail, uint32_t *columns);

/* Largest operation code in an event file by its statistics; -1 when they cannot be trusted (files written without a
 * row index have none) or the file is no event file. Above 0 in an insert delta: ACID v1. */
int64_t skep_event_file_max_operation(const skep_orc_tail *tail);

/* Batches have
 * struct<operation:int,originalTransaction:bigint,bucket:int,rowId:bigint,currentTransaction:bigint,row:struct<...>>
 * with the file's own row type, in Arrow's forms. */
typedef struct skep_events skep_events;
SKEP_NODISCARD skep_status skep_events_open(const skep_ctx *ctx, skep_fs *fs, const char *path, uint64_t logical_bytes,
                                            skep_events **out, skep_err *err); /* SKEP_ERR_ARGUMENT: no ACID file */
void skep_events_close(skep_events *events);                                   /* accepts NULL */
const skep_type *skep_events_type(const skep_events *events);                  /* borrowed from `events` */
/* SKEP_END after the last; `batch` is initialised with skep_events_type. */
SKEP_NODISCARD skep_status skep_events_next(skep_events *events, int64_t max_rows, skep_batch *batch, skep_err *err);

#endif
