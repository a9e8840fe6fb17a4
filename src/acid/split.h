/* Splits: a piece of a scan as a plain value that another thread, process or machine can execute.
 *
 * A split names everything it needs: files, snapshot, delete files, types, predicate. Encoded form:
 * docs/split-format.md; versioned, all lengths checked on decoding (bytes may come from strangers). */
#ifndef ACID_SPLIT_H
#define ACID_SPLIT_H

#include "acid/snapshot.h"
#include "base/arena.h"
#include "base/buf.h"
#include "orc/evolution.h"

typedef enum skep_split_kind {
  SKEP_SPLIT_PLAIN, /* ORC rows as they are: no row ids (plain tables, insert-only tables, single files) */
  /* Events of one file with ACID columns, minus deletes. Operations 0 and 1 are rows: a base of Hive 1 or 2 keeps
     updates as they were. Operation 2 is passed over. */
  SKEP_SPLIT_ACID,
  SKEP_SPLIT_ORIGINAL, /* rows without ACID columns in a full-ACID table: synthetic row ids, minus deletes */
  SKEP_SPLIT_MERGE     /* ACID v1: all files of one bucket, merged by key, newest event first */
} skep_split_kind;

/* How the files of a SKEP_SPLIT_MERGE are merged:
 *
 * - The files are all data files of one bucket number in reading order: the base's (or the originals, in the order in
 *   which their rows are numbered), then those of the deltas as Hive sorts them (lowest write id ascending, highest
 *   descending, statement ascending). A bucket without events has no file in a directory; a file may have no rows.
 * - A file is sorted by key (original write id, bucket property, row id), streamed ones only by parts. Inside one file
 *   events of one key stand newest first.
 * - Of the events of one key that the snapshot sees (currentTransaction valid) the newest decides: operation 2 drops
 *   the row, otherwise its values are the row, with the key as row id.
 * - Newest is the highest currentTransaction; between files with the same one the higher `statement` (a missing one
 *   counts lowest), then the later file; inside one file the first.
 * - Deletes apply to the rows that remain, as for other splits: a table may have been upgraded half-way. */

#define SKEP_ALL_STRIPES UINT32_MAX

typedef struct skep_split_file {
  const char *path;                   /* relative to `root`; a single file's split: "" and `root` is the file */
  uint64_t logical_bytes;             /* length to read the tail at */
  int64_t min_write_id, max_write_id; /* of its directory; originals in the root: 0, 0; base: 0, W */
  int32_t statement;                  /* of its directory, -1 none */
  bool is_original;                   /* no ACID columns; synthetic ids */
  int64_t synthetic_write_id;         /* originals */
  int32_t synthetic_bucket;           /* originals: bucket property */
  int64_t first_row_id;               /* originals: row id of the file's first row */
} skep_split_file;

typedef struct skep_split {
  skep_split_kind kind;
  const char *root; /* partition root */
  skep_hive_version hive;
  skep_snapshot snapshot;
  bool check_write_ids; /* rows are checked one by one: the snapshot does not see all of the directory's write ids */
  uint32_t n_files;     /* 1, or many for MERGE */
  const skep_split_file *files;
  uint32_t first_stripe, n_stripes; /* of files[0]; n_stripes SKEP_ALL_STRIPES: to the last; MERGE: all */
  uint32_t n_deletes;               /* delete delta files that can touch this split */
  const skep_split_file *deletes;
  uint32_t delete_set; /* splits of one plan with equal numbers share their delete files; 0 when n_deletes is 0 */
  /* All table columns, no partition columns: `columns` is a projection of it by name (also of nested fields). Positions
     of the evolution count here; columns that only the predicate needs are read by their type here. Never NULL. */
  const skep_type *table;
  const skep_type *columns;     /* projected table columns (target type, no partition columns) */
  skep_orc_evolution evolution; /* is_acid and table are set by the scan, file by file: leave them false and NULL */
  skep_calendar unmarked_calendar;
  /* A struct: the projected partition columns, then those that only the predicate names. NULL: none. */
  const skep_type *partition_columns;
  uint32_t n_partition_columns;        /* how many of them are delivered (the first ones) */
  uint32_t n_partition_values;         /* one for each of partition_columns */
  const char *const *partition_values; /* unescaped text that casts to the column's type; NULL = NULL */
  const char *predicate;               /* text (skep_pred_print), or NULL; over columns and partition columns */
  bool row_ids;                        /* output starts with writeid bigint, bucketid int, rowid bigint */
  uint64_t n_rows_hint;                /* rows before deletes and predicate, 0 if unknown */
} skep_split;

/* Failures stay in `out`. */
void skep_split_encode(const skep_split *split, skep_buf *out);
/* SKEP_ERR_CORRUPT names the field and the byte position; SKEP_ERR_UNSUPPORTED: a later version of the format;
 * SKEP_ERR_LIMIT: a snapshot or type beyond the limits. `bytes` may be freed afterwards. What a split names is not
 * looked at: a decoded split can name any file that the process may read, so take splits only from whom you would take
 * file names. */
SKEP_NODISCARD skep_status skep_split_decode(skep_arena *arena, skep_bytes bytes, skep_split *out, skep_err *err);

/* The row type a split delivers: a struct of [writeid bigint, bucketid int, rowid bigint], columns, partition columns.
 * A plain file whose root is no struct (then `table` and `columns` are that type, without row ids and partitions)
 * delivers its root. */
SKEP_NODISCARD skep_status skep_split_type(skep_arena *arena, const skep_split *split, const skep_type **out,
                                           skep_err *err);

#endif
