/* The parts of a scan, for this layer only: the cache's handles, the shape of a split's rows, one file being read, and
 * what the merge of ACID v1 events needs. */
#ifndef ACID_SCAN_INT_H
#define ACID_SCAN_INT_H

#include "acid/deletes.h"
#include "acid/scan.h"

/* ---- scan_cache.c ---- */

/* A thing in the cache with one reference held: an open file with its tail, or a delete set. */
typedef struct skep_cached skep_cached;

SKEP_NODISCARD skep_status skep_cache_open(skep_scan_cache *cache, const char *path, uint64_t logical_bytes,
                                           skep_cached **out, skep_err *err);
/* The delete events of a split's delete files. Splits with equal root, delete files and snapshot share one set. */
SKEP_NODISCARD skep_status skep_cache_deletes(skep_scan_cache *cache, const skep_split *split, skep_cached **out,
                                              skep_err *err);
/* The same, through what the caller keeps. */
SKEP_NODISCARD skep_status skep_cache_deletes_kept(skep_scan_cache *cache, const skep_split *split,
                                                   skep_scan_keeper *keeper, skep_cached **out, skep_err *err);
void skep_cache_release(skep_scan_cache *cache, skep_cached *item); /* accepts NULL */

skep_file *skep_cached_file(const skep_cached *item);
const skep_orc_tail *skep_cached_tail(const skep_cached *item);
const skep_deletes *skep_cached_deletes(const skep_cached *item);
const skep_ctx *skep_cache_ctx(const skep_scan_cache *cache);
skep_fs *skep_cache_fs(const skep_scan_cache *cache);

/* "root/path" as fs wants it, in the arena; NULL when memory is out. */
char *skep_split_path(skep_arena *arena, const char *root, const char *path);

/* ---- scan_shape.c ---- */

/* What is read, tested and delivered: the same for all files of a split. */
typedef struct skep_scan_shape {
  const skep_type *output; /* skep_split_type */
  const skep_type *read;   /* columns of a row that are read: those of split->columns in order, widened by what only the
                              predicate needs (also inside structs), then further columns that only it needs */
  uint32_t n_row_ids;      /* 0 or 3: leading output columns */
  uint32_t n_columns;      /* output columns that come from the file */
  bool is_table;           /* rows are structs; false for ORC files with another root, delivered as they are */
  const skep_pred
      *predicate;     /* unbound, over `read` only: what partition columns decide is folded in. NULL: every row */
  bool never;         /* the predicate cannot be TRUE in this partition */
  skep_vec constants; /* one row of split->partition_columns, in Arrow's forms */
} skep_scan_shape;

SKEP_NODISCARD skep_status skep_scan_shape_make(skep_arena *arena, const skep_split *split, skep_scan_shape *out,
                                                skep_err *err);
void skep_scan_shape_fini(skep_scan_shape *shape); /* safe on a zeroed one */

/* ---- scan_file.c ---- */

/* A set of positions in a batch. */
typedef struct skep_rows {
  int32_t *at;
  int64_t n;
  bool is_all; /* every row of the batch: `at` is not filled */
} skep_rows;

enum { SKEP_KEY_WRITE_ID, SKEP_KEY_BUCKET, SKEP_KEY_ROW_ID, SKEP_KEY_COLUMNS }; /* the columns of a row's key */

typedef struct skep_file_scan_opts {
  const skep_split *split;
  const skep_split_file *file;
  bool has_acid_columns;
  const skep_type *row;       /* columns to read, or NULL: none (events without their rows) */
  const skep_pred *predicate; /* unbound, or NULL */
  bool want_operation, want_keys, want_current;
  bool skip_delete_events;     /* operations are read as well unless statistics say that there is no delete event */
  bool may_use_constants;      /* write ids and buckets need not be read where statistics say that they are all equal */
  const skep_deletes *deletes; /* keys are read as well when these may touch the stripes; NULL: none */
  uint32_t first_stripe, n_stripes;
  skep_forms forms;
} skep_file_scan_opts;

/* One open file and its current batch. */
typedef struct skep_file_scan {
  skep_scan_cache *cache;
  skep_cached *item;
  skep_arena arena;
  const skep_split_file *file;
  const skep_pred *predicate; /* bound to the type of the row */
  skep_orc_reader *reader;
  skep_batch batch;
  int32_t operation, current, row; /* children of batch.root, -1: not read */
  int32_t key[SKEP_KEY_COLUMNS];   /* the same; write id and bucket are both read, or both constants */
  int64_t constant_write_id;       /* has_constants */
  int32_t constant_bucket;
  bool has_constants; /* the whole file has one write id and one bucket property */
  bool is_touched;    /* rows must be looked up in opts.deletes */
} skep_file_scan;

/* An opened scan of no file (nothing committed, or no rows) has reader == NULL. On failure nothing is left to close. */
SKEP_NODISCARD skep_status skep_file_scan_open(skep_scan_cache *cache, const skep_file_scan_opts *opts,
                                               skep_file_scan *out, skep_err *err);
void skep_file_scan_close(skep_file_scan *scan); /* safe on a zeroed one */
/* The vector of the row: the root, or its child `row`. */
skep_vec *skep_file_scan_row(skep_file_scan *scan);
/* SKEP_ERR_CORRUPT when an ACID column of the batch holds a NULL, or an operation none has heard of. */
SKEP_NODISCARD skep_status skep_file_scan_check(const skep_file_scan *scan, skep_err *err);

/* ---- scan_merge.c ---- */

/* ACID v1: which events of a split's files are the newest of their rows. */
typedef struct skep_merge {
  skep_deletes *changed; /* rows with a visible update or delete event */
  skep_deletes *newest;  /* update events that are the newest of their row: (file number, 0, row in file) */
  int64_t base_write_id; /* events of deltas up to it are in the base already; INT64_MIN: no base */
} skep_merge;

SKEP_NODISCARD skep_status skep_merge_load(skep_scan_cache *cache, const skep_split *split, skep_merge *out,
                                           skep_err *err);
void skep_merge_fini(skep_merge *merge); /* safe on a zeroed one */
/* Is the current event of a file in a v1 base? */
bool skep_merge_is_base(const skep_split_file *file);
/* Narrows `rows` (at has room for the batch; is_all on entry) to the events of file number `number` that are the newest
 * of their rows, visible and no deletes. */
void skep_merge_filter(const skep_merge *merge, const skep_split *split, uint32_t number, const skep_file_scan *scan,
                       int32_t *scratch, skep_rows *rows);

#endif
