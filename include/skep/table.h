/* Reading a table: plan it, then take its rows as Arrow record batches, whole or split by split.
 *
 *   skep_err err;
 *   skep_table *table;
 *   struct ArrowArrayStream stream;
 *   struct ArrowArray batch;
 *   skep_table_opts opts = SKEP_TABLE_OPTS_INIT;
 *   opts.snapshot = "sales.orders:17:9223372036854775807::";
 *   const char *path = "/warehouse/sales.db/orders";
 *   if (skep_table_open(&path, 1, &opts, &table, &err) != SKEP_OK) ...          err.text says why
 *   if (skep_table_stream(table, &stream, &err) != SKEP_OK) ...
 *   while (stream.get_next(&stream, &batch) == 0 && batch.release != NULL) ...  use it, then batch.release(&batch)
 *   stream.release(&stream);
 *   skep_table_close(table);
 *
 * README.md beside this file has it as whole programs, for C and Python.
 *
 * A table is planned when it is opened: which files hold the rows of the snapshot is decided then, and cut into splits.
 * A split encodes to bytes that name everything it needs; another thread, process or machine that sees the same paths
 * can decode and run it. Running all splits gives the table's rows, each once; rows of one split come in the order of
 * its file.
 *
 * Threads: a skep_table may be used by many threads at the same time. A stream is used by one thread at a time. Streams
 * keep what they need of their table: they may outlive it.
 *
 * Failures: every call that fails says so by its status and fills err, which may be NULL; outputs are then untouched
 * or, where they are pointers to objects, NULL. NULL for what a call needs, outputs too, is SKEP_ERR_ARGUMENT; calls
 * without a status answer NULL or 0. Streams report through get_last_error, as the Arrow C stream interface says. */
#ifndef SKEP_TABLE_H
#define SKEP_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "skep/arrow_abi.h"
#include "skep/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct skep_table skep_table;

/* Bits of `flags`. */
enum {
  /* There is no snapshot: everything on disk counts as committed. Without this flag, a transactional table without a
   * snapshot is SKEP_ERR_SNAPSHOT. Plain tables and single files need neither. */
  SKEP_EVERYTHING_COMMITTED = 1,
  SKEP_ROW_IDS = 2,           /* columns writeid bigint, bucketid int, rowid bigint come first */
  SKEP_KEEP_DICTIONARIES = 4, /* strings become Arrow dictionaries, in every batch: the file's where it has one. Batches
                                 of one stream have different ones */
  SKEP_INSERT_ONLY = 8        /* the table is insert-only; otherwise that is seen from its files */
};

typedef enum skep_hive {
  SKEP_HIVE_DEFAULT = 0, /* 4 */
  SKEP_HIVE_1_2 = 1,
  SKEP_HIVE_2_3 = 2,
  SKEP_HIVE_3_1 = 3,
  SKEP_HIVE_4_0 = 4
} skep_hive;

typedef enum skep_evolution_mode {
  SKEP_EVOLUTION_DEFAULT = 0, /* as that Hive version does */
  SKEP_EVOLUTION_POSITION = 1,
  SKEP_EVOLUTION_NAME = 2
} skep_evolution_mode;

typedef enum skep_calendar_mode {
  SKEP_CALENDAR_DEFAULT = 0, /* as that Hive version does */
  SKEP_CALENDAR_IS_HYBRID = 1,
  SKEP_CALENDAR_IS_PROLEPTIC = 2
} skep_calendar_mode;

typedef enum skep_time_unit {
  SKEP_TIME_US = 0, /* nanoseconds are cut off towards the past */
  SKEP_TIME_NS = 1  /* a timestamp outside of 1677-09-21 to 2262-04-11 is SKEP_ERR_RANGE and named */
} skep_time_unit;

typedef enum skep_utf8_policy {
  SKEP_UTF8_POLICY_REPLACE = 0, /* bytes of strings that are no UTF-8 become U+FFFD; `warn` is told once a stream */
  SKEP_UTF8_POLICY_FAIL = 1,    /* SKEP_ERR_RANGE, naming column and row */
  SKEP_UTF8_POLICY_AS_IS = 2    /* passed on */
} skep_utf8_policy;

/* Upper bounds against hostile or huge input; exceeding one is SKEP_ERR_LIMIT. 0 = the default. */
typedef struct skep_table_limits {
  uint64_t max_tail_bytes;   /* an ORC file tail, decompressed */
  uint64_t max_value_bytes;  /* one string or binary value; one dictionary */
  uint64_t max_batch_bytes;  /* one column of one record batch */
  uint64_t max_delete_bytes; /* the delete events of one partition in memory */
  uint64_t max_dir_entries;  /* names below one partition directory */
} skep_table_limits;

/* How rows are handed out: what does not travel with a split. */
typedef struct skep_read_opts {
  size_t size;    /* of this struct; set by the initialiser */
  uint32_t flags; /* SKEP_KEEP_DICTIONARIES; others are ignored */
  skep_time_unit time_unit;
  skep_utf8_policy utf8;
  int64_t batch_rows; /* rows of a record batch at most, 1 to 1048576; 0 = 16384 */
  uint32_t threads;   /* of a whole-table stream; 0 = as many as there are processors, 1 = none besides the caller's */
  skep_table_limits limits;
  /* Receives one line without line end; may be called from any thread. NULL: warnings are dropped. */
  void (*warn)(void *warn_self, const char *line);
  void *warn_self;
} skep_read_opts;

#define SKEP_READ_OPTS_INIT \
  { sizeof(skep_read_opts), 0, SKEP_TIME_US, SKEP_UTF8_POLICY_REPLACE, 0, 0, {0, 0, 0, 0, 0}, NULL, NULL }

/* Strings are NUL-terminated UTF-8 and borrowed for the call of skep_table_open; NULL where not given. */
typedef struct skep_table_opts {
  size_t size;                  /* of this struct; set by the initialiser */
  uint32_t flags;               /* SKEP_EVERYTHING_COMMITTED | SKEP_ROW_IDS | ... */
  skep_hive hive;               /* read as this version would; also the spelling of valid_txns */
  const char *snapshot;         /* Hive's valid write ids of this table: "[txn$]db.t:hwm:min-open:open:aborted" */
  const char *valid_txns;       /* Hive's valid transactions; alone: the table is ACID v1 (Hive 1 and 2) */
  const char *schema;           /* columns as a Hive type, "struct<a:int,b:string>"; NULL: from the files */
  const char *partition_schema; /* partition columns likewise; NULL: strings, names from the directories */
  const char *const *columns;   /* projection: "a", "b.c", in the order of the table; n_columns 0 = all */
  size_t n_columns;
  const char *predicate;         /* "a > 1 AND b LIKE 'x%'": exactly the rows for which it is true */
  const char *const *partitions; /* "k=v": only these, those of one column are alternatives; values unescaped */
  size_t n_partitions;
  skep_evolution_mode evolution;
  skep_calendar_mode calendar;
  uint64_t split_bytes; /* file bytes a split should have, about; 0 = 64 MiB */
  skep_read_opts read;
} skep_table_opts;

#define SKEP_TABLE_OPTS_INIT                                                                       \
  {                                                                                                \
    sizeof(skep_table_opts), 0, SKEP_HIVE_DEFAULT, NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, 0, \
        SKEP_EVOLUTION_DEFAULT, SKEP_CALENDAR_DEFAULT, 0, SKEP_READ_OPTS_INIT                      \
  }

/* Plans a scan of table directories, partition trees or ORC files; several paths must have the same columns.
 *
 * paths   n_paths >= 1 local paths
 * opts    from SKEP_TABLE_OPTS_INIT; NULL = that
 * out     a new table (close with skep_table_close), NULL on failure
 *
 * - SKEP_ERR_ARGUMENT: a malformed option; unknown column; row ids of a table that has none; paths that differ (says
 *   how)
 * - SKEP_ERR_NOT_FOUND: a path does not exist
 * - SKEP_ERR_SNAPSHOT: a transactional table and neither a snapshot nor SKEP_EVERYTHING_COMMITTED; or a snapshot whose
 *   history has been compacted away
 * - SKEP_ERR_UNSUPPORTED: files that are not ORC, or of a version that is not read
 * - SKEP_ERR_CORRUPT, SKEP_ERR_LIMIT, SKEP_ERR_IO, SKEP_ERR_NOMEM */
SKEP_API SKEP_NODISCARD skep_status skep_table_open(const char *const *paths, size_t n_paths,
                                                    const skep_table_opts *opts, skep_table **out, skep_err *err);
SKEP_API void skep_table_close(skep_table *table); /* accepts NULL */

/* What record batches have: [row ids], columns, partition columns. As a Hive type string (borrowed from the table), and
 * as an Arrow schema (the caller releases it) of the whole-table stream. */
SKEP_API const char *skep_table_type(const skep_table *table);
SKEP_API SKEP_NODISCARD skep_status skep_table_schema(const skep_table *table, struct ArrowSchema *out, skep_err *err);

/* What the plan has to report (unknown names, ...): the i-th text, or NULL when there are no more. Borrowed from the
 * table. */
SKEP_API const char *skep_table_notice(const skep_table *table, size_t i);

SKEP_API size_t skep_table_split_count(const skep_table *table);
/* Rows in the files of a split before deletes and predicate; 0 when not known. */
SKEP_API uint64_t skep_table_split_rows(const skep_table *table, size_t split);
/* Bytes of the i-th split; free with skep_free_bytes. SKEP_ERR_ARGUMENT when there is no such split. */
SKEP_API SKEP_NODISCARD skep_status skep_table_split_encode(const skep_table *table, size_t split, uint8_t **bytes,
                                                            size_t *n_bytes, skep_err *err);
SKEP_API void skep_free_bytes(uint8_t *bytes); /* accepts NULL */

/* All rows, in the order of the splits. `out` must be released by the caller. Threads start with the first get_next. */
SKEP_API SKEP_NODISCARD skep_status skep_table_stream(const skep_table *table, struct ArrowArrayStream *out,
                                                      skep_err *err);
/* The rows of one split. */
SKEP_API SKEP_NODISCARD skep_status skep_table_split_stream(const skep_table *table, size_t split,
                                                            struct ArrowArrayStream *out, skep_err *err);

/* Runs a split from its bytes, without the table. Bytes may come from strangers: anything malformed is
 * SKEP_ERR_CORRUPT. A split names files; whoever may hand in splits may read what this process may read. opts: NULL =
 * SKEP_READ_OPTS_INIT. */
SKEP_API SKEP_NODISCARD skep_status skep_split_stream(const uint8_t *bytes, size_t n_bytes, const skep_read_opts *opts,
                                                      struct ArrowArrayStream *out, skep_err *err);

#ifdef __cplusplus
}
#endif
#endif
