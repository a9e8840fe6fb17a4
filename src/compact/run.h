/* The file work of one compaction: directories of one partition root read, merged and written anew. No database.
 *
 * The caller has taken the job from the queue, opened the transaction whose number becomes the `_v` suffix and made the
 * compactor's list of write ids; afterwards it commits that transaction (the result is visible from then on) or, when
 * it cannot, calls skep_compact_leftovers. Nothing that is there is changed or removed by a run. When it returns
 * SKEP_OK all files and directory names of the result are safe on disk; when it fails or is cancelled, what it had made
 * is gone again, as far as the file system allows.
 *
 * Source: Hive 4.0 CompactorMR, QueryCompactor, OrcRawRecordMerger (acid-format facts 9), and what tables compacted by
 * real Hive hold (src/compact/README.md, "What a result looks like"). */
#ifndef COMPACT_RUN_H
#define COMPACT_RUN_H

#include "acid/writer_settings.h"
#include "base/pool.h"
#include "io/fs.h"

typedef enum skep_compact_kind {
  SKEP_COMPACT_MINOR,      /* the deltas above the base: delta_X_Y_vT and delete_delta_X_Y_vT */
  SKEP_COMPACT_MAJOR,      /* everything up to the highest write id: base_W_vT */
  SKEP_COMPACT_REBALANCE,  /* full ACID, not bucketed: base_W_vT with rows spread evenly and numbered anew */
  SKEP_COMPACT_INCREMENTAL /* a range of neighbouring deltas, as minor: min_write_id .. max_write_id of the job */
} skep_compact_kind;

/* What files of an insert-only table are. Full-ACID tables are ORC. */
typedef enum skep_compact_format {
  SKEP_COMPACT_ORC,
  SKEP_COMPACT_TEXT, /* lines; files that are compressed (a known suffix) are taken over whole */
  SKEP_COMPACT_FILES /* any other: files are taken over whole, never looked into */
} skep_compact_format;

/* REBALANCE ... ORDER BY */
typedef struct skep_compact_order {
  uint32_t column; /* position in the job's `row` */
  bool descending;
  bool nulls_last; /* Hive's default: false ascending, true descending */
} skep_compact_order;

typedef struct skep_compact_progress {
  uint64_t rows;                  /* read so far */
  uint64_t bytes_done, bytes_all; /* of input files */
  uint64_t bytes_written;
  int64_t elapsed_ns;
} skep_compact_progress;

typedef struct skep_compact_job {
  skep_fs *fs;
  const char *root; /* the table's or partition's directory */
  skep_compact_kind kind;
  bool insert_only;
  skep_compact_format format; /* insert-only tables */
  const skep_type *row;       /* a struct, id 0: the table's columns, no partition columns, as the table has them now */
  const char *write_ids;      /* the compactor's list, "db.t:hwm:minOpen:open:aborted": hwm below the lowest open id */
  const char *txns;           /* valid transactions, which decide over `_v` of inputs */
  int64_t visibility_txn;     /* 1 or more */
  int64_t min_write_id, max_write_id; /* INCREMENTAL: both inclusive */
  uint32_t
      n_buckets; /* of the table; 0: not bucketed (compaction keeps rows in their buckets: for REBALANCE's check) */
  uint32_t rebalance_buckets; /* REBALANCE: 0: as many as there are now */
  uint32_t n_order;           /* REBALANCE; 0: the order of row ids */
  const skep_compact_order *order;
  const skep_property
      *properties; /* "orc.*" of the table, then those of WITH OVERWRITE TBLPROPERTIES; later ones win */
  uint32_t n_properties;
  bool query_names; /* ranges in names as Hive's query-based compactor forms them (hive.compactor.crud.query.based): up
                       to the list's high watermark, not only to the highest write id there is */
  bool evolution_by_name; /* orc.force.positional.evolution = false */

  unsigned threads;              /* 0: one a processor */
  uint64_t memory_bytes;         /* for buffers of readers and writers together; 0: 256 MiB */
  uint64_t max_bytes_per_second; /* written; 0: no limit */
  uint64_t reserve_bytes;        /* free space that must be left over; asked before anything is written */
  const skep_cancel *cancel;     /* or NULL */
  /* Called now and then (at most some ten times a second) by one thread at a time, never by two; may be NULL. A status
   * other than SKEP_OK stops the run with it: the place for a heartbeat that finds the transaction gone. */
  skep_status (*progress)(void *self, const skep_compact_progress *progress, skep_err *err);
  void *progress_self;
  uint32_t max_open_files;     /* of inputs, by all threads together, but at least 4 each; 0: 96 */
  uint64_t small_stripe_bytes; /* stripes and files below are merged rather than taken over; 0: 512 KiB (tests) */
  bool no_stripe_copy;         /* decode and encode every row (tests, benches) */
} skep_compact_job;

typedef struct skep_compact_result {
  bool nothing_to_do;      /* Hive's isEnoughToCompact is false, or there is nothing: no directory was made */
  const char *reason;      /* then: why, in words */
  uint64_t missing_bytes;  /* with SKEP_ERR_LIMIT: so much free space is lacking; nothing was made. Else 0 */
  int64_t min_write_id;    /* of the result's name; a base: its write id */
  int64_t max_write_id;    /* the highest write id that was compacted: for COMPACTION_QUEUE's CQ_HIGHEST_WRITE_ID */
  uint32_t n_dirs;         /* 0 to 2 */
  const char *const *dirs; /* names in the root */
  uint32_t n_files;
  uint64_t rows;          /* insert events or rows in the result */
  bool rows_unknown;      /* files were taken over that cannot be looked into: `rows` are those of the others */
  uint64_t deletes;       /* delete events in it */
  uint64_t rows_read;     /* events read (in copied stripes too) */
  uint64_t bytes_read;    /* of input files */
  uint64_t bytes_written; /* sizes of the files */
  uint64_t bytes_copied;  /* of these taken over as whole stripes or files */
} skep_compact_result;

/* `out` and what it points to live in `arena`; it is filled as far as known on failure too.
 * SKEP_ERR_SNAPSHOT: the files that the list needs are gone ("not enough history"). SKEP_ERR_LIMIT with
 * out->missing_bytes: not enough room. SKEP_ERR_CANCELLED. SKEP_ERR_UNSUPPORTED: REBALANCE of a bucketed or insert-only
 * table, tables of ACID v1 with updates or deletes. SKEP_ERR_ARGUMENT: a range for INCREMENTAL that no result may have.
 */
SKEP_NODISCARD skep_status skep_compact_run(const skep_ctx *ctx, const skep_compact_job *job, skep_arena *arena,
                                            skep_compact_result *out, skep_err *err);

/* Removes what a dead worker left of a compaction: every directory in `root` whose name ends in _v<visibility_txn>.
 * Only for a transaction that is known to be aborted. *n_removed may be NULL. */
SKEP_NODISCARD skep_status skep_compact_leftovers(const skep_ctx *ctx, skep_fs *fs, const char *root,
                                                  int64_t visibility_txn, uint32_t *n_removed, skep_err *err);

#endif
