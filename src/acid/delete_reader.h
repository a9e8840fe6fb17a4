/* One file of delete events being read: which row each deletes, and which write id does so. Inside acid and compact
 * only.
 *
 * Source: Hive OrcRecordUpdater (the columns of events.h); `operation` and `row` say nothing in a delete event. */
#ifndef ACID_DELETE_READER_H
#define ACID_DELETE_READER_H

#include "column/vec.h"
#include "io/fs.h"
#include "orc/reader.h"

typedef struct skep_delete_reader {
  skep_arena arena;
  skep_file *file;
  skep_orc_tail *tail;
  skep_orc_reader *reader; /* NULL: the file has no rows */
  skep_batch batch;
} skep_delete_reader;

/* The events of one batch, arrays of one length without NULLs; they stay until the next call. */
typedef struct skep_delete_events {
  int64_t n;
  const int64_t *write_ids, *row_ids, *currents;
  const int32_t *buckets;
} skep_delete_events;

/* `r` is to be closed after failures too. SKEP_ERR_CORRUPT: not an event file. */
SKEP_NODISCARD skep_status skep_delete_reader_open(skep_delete_reader *r, const skep_ctx *ctx, skep_fs *fs,
                                                   const char *path, uint64_t logical_bytes, skep_err *err);
/* SKEP_END after the last. SKEP_ERR_CORRUPT: an event without a key. */
SKEP_NODISCARD skep_status skep_delete_reader_next(skep_delete_reader *r, skep_delete_events *out, skep_err *err);
void skep_delete_reader_close(skep_delete_reader *r);

#endif
