/* Writing rows into a table: batches -> partitions -> files. What a statement's INSERT, UPDATE, DELETE, MERGE or
 * OVERWRITE leaves on disk; no database.
 *
 * One skep_table_write is one branch of a statement with its own statement id: INSERT has one; UPDATE two (the old rows
 * as DELETE with statement s, the new ones as INSERT with s + 1); MERGE one for each clause. The caller (sql) takes
 * write id and statement ids from the transaction, opens the branches, gives them rows, finishes all of them, adds new
 * partitions to the catalog and the touched ones to the transaction, and commits; after any failure it aborts all of
 * them. Between _finish and commit nobody sees the rows of a transactional table. Plain tables have no such cover:
 * their files are written into a staging directory and moved into place by _finish.
 *
 * NOT NULL, CHECK and types are checked by sql; so is what a table's kind forbids, with Hive's error numbers. */
#ifndef TABLE_WRITE_H
#define TABLE_WRITE_H

#include "acid/delta_writer.h"
#include "table/text_format.h"

typedef enum skep_write_format {
  SKEP_WRITE_FULL_ACID,
  SKEP_WRITE_INSERT_ONLY, /* INSERT and OVERWRITE only */
  SKEP_WRITE_PLAIN        /* INSERT and OVERWRITE only; write id and statement id are not used */
} skep_write_format;

typedef enum skep_write_kind { SKEP_WRITE_INSERT, SKEP_WRITE_OVERWRITE, SKEP_WRITE_DELETE } skep_write_kind;

/* Where a partition is, asked once for each that is written to. name: "k=v/k2=v2", escaped. Sets *location (it must
 * stay until the write is freed) to the partition's directory as `fs` wants it, or to NULL when the catalog has no such
 * partition: then it is new, in the table's directory under its name. */
typedef skep_status skep_find_partition(void *self, const char *name, const char **location, skep_err *err);

/* PLAIN: around the moment in which the files of one directory move into place. _begin says whether they still may (the
 * table is what it was) and keeps it so until _end, which follows each _begin that returned SKEP_OK. */
typedef skep_status skep_write_place_begin(void *self, skep_err *err);
typedef void skep_write_place_end(void *self);

typedef struct skep_table_write_opts {
  /* the table; all borrowed until _free */
  const char *table_name; /* "db.table", for messages */
  const char *location;   /* the table's directory as `fs` wants it */
  skep_write_format format;
  const skep_type *columns;    /* struct, id 0: without partition keys, the catalog's names */
  const skep_type *partitions; /* struct, id 0: partition keys; NULL or without children: not partitioned */
  uint32_t n_buckets, n_bucket_columns;
  const uint32_t *bucket_columns; /* positions in columns */
  int bucketing_version;          /* 1 or 2; property bucketing_version, 1 when absent */
  const skep_property *properties;
  uint32_t n_properties;
  const skep_text_format *text; /* NULL: ORC files; not FULL_ACID */

  /* the branch */
  skep_write_kind kind;
  int64_t write_id;
  int32_t statement;
  /* PARTITION (a='x', b): a value for each partition key, unescaped text as Hive normalises it (at == NULL: dynamic);
   * or NULL: all are dynamic. DELETE: NULL. */
  const skep_bytes *static_values;
  uint32_t max_partitions;             /* hive.exec.max.dynamic.partitions; 0: 1000 */
  const char *default_partition;       /* hive.exec.default.partition.name; NULL: __HIVE_DEFAULT_PARTITION__ */
  skep_find_partition *find_partition; /* NULL: all are new */
  void *find_self;
  skep_write_place_begin *place_begin; /* PLAIN; NULL: nobody to ask */
  skep_write_place_end *place_end;
  void *place_self;
  skep_write_budget *budget; /* memory of all branches of the statement; outlives them. NULL: the branch has its own, of
                                512 MiB for stripes, and the keys of deleted rows have no limit */
} skep_table_write_opts;

/* One directory that was written to: a partition, or the table itself (name "", no values). */
typedef struct skep_written_partition {
  const char *name; /* "k=v/k2=v2" escaped; "" when the table is not partitioned */
  uint32_t n_values;
  const skep_bytes *values;  /* unescaped text, as the catalog stores it; NUL-terminated as well */
  const char *location;      /* directory */
  bool is_new;               /* the catalog does not have it */
  bool is_overwritten;       /* its former rows do not count any more */
  uint64_t n_rows;           /* rows added, or deleted */
  uint64_t n_files, n_bytes; /* added */
} skep_written_partition;

typedef struct skep_table_write skep_table_write;

/* Touches no file. SKEP_ERR_ARGUMENT names what is wrong; SKEP_ERR_UNSUPPORTED a property that asks for what we do not
 * write. */
SKEP_NODISCARD skep_status skep_table_write_open(const skep_ctx *ctx, skep_fs *fs, const skep_table_write_opts *opts,
                                                 skep_table_write **out, skep_err *err);

/* INSERT, OVERWRITE. Children of batch->root: all columns, then the dynamic partition keys in the order of the table's
 * keys, of the types of opts (names do not matter), in any forms of column/source.h. A row is encoded from where it is.
 * SKEP_ERR_RUNTIME with Hive's error 20004 beyond max_partitions. */
SKEP_NODISCARD skep_status skep_table_write_rows(skep_table_write *w, const skep_batch *batch, skep_err *err);

/* Not bucketed, not DELETE: the writer id of the rows that follow (acid/delta_writer.h); 0 at first. */
void skep_table_write_use(skep_table_write *w, uint32_t writer);

/* INSERT, OVERWRITE, no dynamic keys: a file in the table's format becomes part of it under `name`, copied as it is
 * (LOAD DATA); where a plain table has that name, it is name_copy_1 and so on. Not together with rows. Its rows are not
 * counted. */
SKEP_NODISCARD skep_status skep_table_write_file(skep_table_write *w, const char *path, const char *name,
                                                 skep_err *err);

/* DELETE. Children: the row id as bigint, int, bigint (write id, bucket property, row id; or one struct of these
 * three), then all partition keys. Twice the same row is SKEP_ERR_RUNTIME, found by _finish. A NULL row id is
 * SKEP_ERR_ARGUMENT. */
SKEP_NODISCARD skep_status skep_table_write_deletes(skep_table_write *w, const skep_batch *batch, skep_err *err);

/* Everything is safe on disk afterwards. The list is by name, borrowed from w: what got rows, and without any rows the
 * table of an OVERWRITE without partitions, or the partition whose keys are all static (INSERT makes it, OVERWRITE
 * empties it too). */
SKEP_NODISCARD skep_status skep_table_write_finish(skep_table_write *w, const skep_written_partition **partitions,
                                                   uint32_t *n_partitions, skep_err *err);

/* Removes what was written; after _finish too: then a plain table's files are taken out of their places, and what they
 * replaced comes back, which readers may see halfway. Then _free. */
bool skep_table_write_abort(skep_table_write *w); /* true: as skep_delta_writer_abort */
/* Accepts NULL. What a plain table's OVERWRITE replaced is kept until here, so that _abort can bring it back: call it
 * after the commit. */
void skep_table_write_free(skep_table_write *w);

uint64_t skep_table_write_row_count(const skep_table_write *w); /* rows added or deleted so far */

#endif
