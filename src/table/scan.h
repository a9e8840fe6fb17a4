/* A table at a snapshot as a source of rows: full ACID, insert-only and plain tables, partitioned or not.
 *
 * The directories are listed and cut into splits when the source is made; readers pull splits, so that any number of
 * threads keeps busy until the last one. One reader delivers partitions in the order given, files of each in the order
 * in which Hive numbers their rows. */
#ifndef TABLE_SCAN_H
#define TABLE_SCAN_H

#include "acid/plan.h"
#include "acid/scan.h"
#include "column/source.h"
#include "table/text_format.h"

typedef enum skep_table_scan_kind {
  SKEP_TABLE_SCAN_PLAIN,      /* not transactional: every file counts */
  SKEP_TABLE_SCAN_FULL_ACID,  /* rows have ids */
  SKEP_TABLE_SCAN_INSERT_ONLY /* base and delta directories with raw files */
} skep_table_scan_kind;

typedef struct skep_table_scan_partition {
  const char *location;      /* directory, as the file system wants it */
  const char *const *values; /* one text for each partition column, unescaped, as in the metastore; NULL without any */
} skep_table_scan_partition;

/* All is copied but the cache, which is borrowed and must outlive the source. Zero-initialise. */
typedef struct skep_table_scan_opts {
  const char *name; /* "db.t", for messages */
  skep_table_scan_kind kind;
  const skep_type *columns;           /* struct: the table's own columns */
  const skep_type *partition_columns; /* struct, or NULL */
  uint32_t n_partitions;              /* pruned already; a table without partition columns has 1: its own directory */
  const skep_table_scan_partition *partitions;
  const char *write_ids;        /* valid write id list, Hive's text; NULL: everything on disk counts (plain tables) */
  const char *valid_txns;       /* valid transaction list, Hive 4's text, or NULL */
  const skep_text_format *text; /* NULL: ORC files; not FULL_ACID. Borrowed: it must outlive the source */
  /* Text of column/predicate.h over columns and partition columns, or NULL: rows for which it is not TRUE are left out
   * (of text tables they are delivered), stripes and partitions that cannot hold any are not read. */
  const char *predicate;
  bool row_ids;            /* ROW__ID of a full-ACID table will be asked for */
  const char *file_prefix; /* stands before INPUT__FILE__NAME ("file:"), NULL: nothing */
  bool by_name; /* top-level columns of old files by name (orc.force.positional.evolution=false), else by position */
  bool as_hive; /* one reader delivers the files of a partition in the order in which Hive's tasks read them, largest
                   first: rows that a statement copies are numbered in it (observed: golden 01, 16) */
  skep_scan_cache *cache;  /* shared by the scans of a session; NULL: one of its own */
  uint64_t split_bytes;    /* 0: 16 MiB */
  uint64_t estimated_rows; /* from the table's statistics; 0: guessed from the sizes of files */
} skep_table_scan_opts;

/* Columns of the source's type: the table's columns, its partition columns, then the virtual columns:
 *   ROW__ID                     struct<writeid:bigint,bucketid:int,rowid:bigint>; NULL in other than full-ACID tables
 *   INPUT__FILE__NAME           string, the file's whole path
 *   BLOCK__OFFSET__INSIDE__FILE bigint: a run that asks for it is SKEP_ERR_UNSUPPORTED
 * What a run does not ask for is not read. SKEP_ERR_NOT_FOUND does not occur: a directory that is not there has no
 * rows. SKEP_ERR_SNAPSHOT: files that the snapshot needs are gone. */
SKEP_NODISCARD skep_status skep_table_source_new(const skep_ctx *ctx, skep_fs *fs, const skep_table_scan_opts *opts,
                                                 skep_source **out, skep_err *err);

/* Which of Hive's tasks would read which file: a new table's rows go into one file a task (its writer id). Tez gives a
 * task files of about 50 MB, counted uncompressed in Java's sizes; that is estimated here from types and row counts.
 * Source: Tez TezSplitGrouper (tez.grouping.min-size), ORC ReaderImpl.getRawDataSize; golden 16. */
typedef struct skep_table_task {
  const char *file; /* as INPUT__FILE__NAME has it */
  uint32_t task;    /* from 0 */
} skep_table_task;
/* Sorted by file; strings in the arena. *n_tasks is 1 for all but large tables, and *n is 0 then. */
SKEP_NODISCARD skep_status skep_table_source_tasks(const skep_source *source, skep_arena *arena,
                                                   const skep_table_task **tasks, uint32_t *n, uint32_t *n_tasks,
                                                   skep_err *err);

/* How many virtual columns follow, and their names in order. */
enum { SKEP_TABLE_ROW_ID, SKEP_TABLE_FILE_NAME, SKEP_TABLE_BLOCK_OFFSET, SKEP_TABLE_VIRTUAL_COLUMNS };
const char *skep_table_virtual_name(uint32_t i);

#endif
