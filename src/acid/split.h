/* Splits: a piece of a scan as a plain value that another thread, process or machine can execute.
 *
 * A split names everything it needs: files, snapshot, delete files, types, predicate. Encoded form: docs/split-format.md;
 * versioned, all lengths checked on decoding (bytes may come from strangers). */
#ifndef ACID_SPLIT_H
#define ACID_SPLIT_H

#include "acid/snapshot.h"
#include "base/arena.h"
#include "base/buf.h"
#include "orc/evolution.h"

typedef enum skep_split_kind {
  SKEP_SPLIT_PLAIN,    /* ORC rows as they are: no row ids (plain tables, insert-only tables, single files) */
  SKEP_SPLIT_ACID,     /* insert events of one file, minus deletes */
  SKEP_SPLIT_ORIGINAL, /* rows without ACID columns in a full-ACID table: synthetic row ids, minus deletes */
  SKEP_SPLIT_MERGE     /* ACID v1: all files of one bucket, merged by key, newest event first */
} skep_split_kind;

typedef struct skep_split_file {
  const char *path;        /* relative to `root` */
  uint64_t logical_bytes;  /* length to read the tail at */
  int64_t min_write_id, max_write_id; /* of its directory; originals in the root: 0, 0; base: 0, W */
  int32_t statement;       /* of its directory, -1 none */
  bool is_original;        /* MERGE: no ACID columns; synthetic ids */
  int64_t synthetic_write_id; /* originals */
  int32_t synthetic_bucket;   /* originals: bucket property */
  int64_t first_row_id;       /* originals: row id of the file's first row */
} skep_split_file;

typedef struct skep_split {
  skep_split_kind kind;
  const char *root;       /* partition root */
  skep_hive_version hive;
  skep_snapshot snapshot;
  bool check_write_ids;   /* rows must be checked against the snapshot one by one (the directory's range is not wholly valid) */
  uint32_t n_files;       /* 1, or many for MERGE */
  const skep_split_file *files;
  uint32_t first_stripe, n_stripes; /* of files[0]; MERGE: all */
  uint32_t n_deletes;     /* delete delta files that can touch this split */
  const skep_split_file *deletes;
  uint32_t delete_set;    /* splits with equal numbers of one plan share their delete files: load once, share */
  /* All table columns, no partition columns: `columns` is a projection of it by name (also of nested fields). Positions of the
     evolution count here; columns that only the predicate needs are read by their type here. Never NULL. */
  const skep_type *table;
  const skep_type *columns;         /* projected table columns (target type, no partition columns) */
  skep_orc_evolution evolution;     /* is_acid and table are set by the scan, file by file: leave them false and NULL */
  skep_calendar unmarked_calendar;
  const skep_type *partition_columns; /* struct: the projected ones, then those that only the predicate names; or NULL */
  uint32_t n_partition_columns;       /* how many of them are delivered (the first ones) */
  uint32_t n_partition_values;        /* one for each of partition_columns */
  const char *const *partition_values; /* unescaped text; NULL = default partition */
  const char *predicate;  /* text (skep_pred_print), or NULL; over columns and partition columns */
  bool row_ids;           /* output starts with writeid bigint, bucketid int, rowid bigint */
  uint64_t n_rows_hint;   /* rows before deletes and predicate, 0 if unknown */
} skep_split;

void skep_split_encode(const skep_split *split, skep_buf *out);
SKEP_NODISCARD skep_status skep_split_decode(skep_arena *arena, skep_bytes bytes, skep_split *out, skep_err *err);

/* The row type a split delivers: [row ids], columns, partition columns. */
SKEP_NODISCARD skep_status skep_split_type(skep_arena *arena, const skep_split *split, const skep_type **out, skep_err *err);

#endif
