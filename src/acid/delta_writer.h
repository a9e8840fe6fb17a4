/* Writing one statement's part of one partition: a base, delta or delete delta directory with a file a bucket.
 *
 * One writer makes one directory. It appears with the first row (or by empty_files), files grow stripe by stripe
 * with any number of buckets open, and nothing in it counts before the transaction commits: readers do not see its
 * write id. _finish leaves files and directory entries safe on disk; then, and only then, may the transaction commit.
 * A directory of that name that is there already is what a crashed process left of a write id that the database gave
 * out again: it is removed first. One writer is used by one thread.
 *
 * Source: Hive OrcRecordUpdater, AcidUtils (acid-format facts 1, 3, 4, 6). Files are called bucket_NNNNN, without the
 * attempt number of Hive 4's direct insert, so that Hive 3.1 reads them too. */
#ifndef ACID_DELTA_WRITER_H
#define ACID_DELTA_WRITER_H

#include "acid/write_budget.h"
#include "acid/writer_settings.h"
#include "column/vec.h"
#include "io/fs.h"

typedef enum skep_delta_kind {
  SKEP_DELTA_INSERT, /* delta_W_W_SSSS */
  SKEP_DELTA_DELETE, /* delete_delta_W_W_SSSS */
  SKEP_DELTA_BASE,   /* base_W: INSERT OVERWRITE */
  SKEP_DELTA_PLAIN   /* no directory of its own: files straight in `root` (plain tables; a staging directory) */
} skep_delta_kind;

/* What the writers of one branch of a statement (one kind, write id and table, one thread) need only once: room for the
 * ids of a batch, and the state of the codec. It outlives them. */
typedef struct skep_delta_shared skep_delta_shared;
SKEP_NODISCARD skep_status skep_delta_shared_new(const skep_ctx *ctx, const skep_writer_settings *settings,
                                                 skep_delta_shared **out, skep_err *err);
void skep_delta_shared_free(skep_delta_shared *shared); /* accepts NULL */

/* Files of plain rows in another format than ORC, made by whoever knows it. The file is the caller's: it syncs and
 * closes it after `end`. */
typedef struct skep_row_file skep_row_file;
typedef struct skep_row_codec skep_row_codec;
struct skep_row_codec {
  skep_status (*open)(const skep_row_codec *format, const skep_ctx *ctx, skep_file *file, const skep_type *row,
                      skep_row_file **out, skep_err *err);
  skep_status (*add)(skep_row_file *f, const skep_vec *root, const int32_t *rows, int64_t n, skep_err *err);
  skep_status (*end)(skep_row_file *f, skep_err *err); /* everything is appended to the file afterwards */
  void (*close)(skep_row_file *f);                     /* accepts NULL */
};

typedef struct skep_delta_writer_opts {
  skep_delta_kind kind;
  bool empty_files;  /* BASE, PLAIN: buckets without rows get a file too, as Hive's overwrite leaves them where the
                        partition is not dynamic; without it a writer that gets no rows leaves nothing at all */
  bool events;       /* full ACID: files bucket_N of events. Else plain rows in NNNNNN_0: insert-only, plain tables */
  int64_t write_id;  /* 1 or more; PLAIN: not used */
  int32_t statement; /* 0..4095 */
  const skep_type *row; /* a struct, id 0: the table's columns with the table's names, no partition columns */
  uint32_t n_buckets;   /* 0: not bucketed, all rows go to bucket 0; at most 4096 */
  uint32_t n_bucket_columns;
  const uint32_t *bucket_columns; /* positions in `row`, in the order of CLUSTERED BY */
  int bucketing_version;          /* 1 or 2 */
  const skep_row_codec *format;   /* NULL: ORC; not with `events` */
  const skep_writer_settings *settings;
  skep_orc_write_memory *memory; /* shared by all writers of a statement; or NULL */
  skep_write_budget *budget;     /* DELETE: its keys count in it, and spill; NULL: no limit. Outlives the writer */
  skep_delta_shared *shared;     /* NULL: the writer has its own */
} skep_delta_writer_opts;

typedef struct skep_delta_writer skep_delta_writer;

/* What a writer did, as a plain value: for statistics, and for a coordinator when writers run elsewhere. */
typedef struct skep_commit_file {
  const char *name; /* in the directory */
  int32_t bucket;
  uint64_t n_rows;
  uint64_t size_bytes;
} skep_commit_file;

typedef struct skep_commit_message {
  skep_delta_kind kind;
  int64_t write_id;
  int32_t statement;
  const char *root;      /* partition root */
  const char *directory; /* in `root`; "" for PLAIN, and when nothing was written */
  uint32_t n_files;
  const skep_commit_file *files; /* by bucket; then those that were copied, with bucket -1 */
  uint64_t n_rows, n_bytes;      /* of all files */
} skep_commit_message;

/* root, opts and what they point to are borrowed until _free, `opts` itself is copied. Touches no file. `root` need not
 * exist: it is made with the directory. SKEP_ERR_ARGUMENT names what is wrong with the options. */
SKEP_NODISCARD skep_status skep_delta_writer_open(const skep_ctx *ctx, skep_fs *fs, const char *root,
                                                  const skep_delta_writer_opts *opts, skep_delta_writer **out,
                                                  skep_err *err);

/* Adds rows (not for DELETE): children of batch->root are the columns of opts->row in order, in any forms of
 * column/source.h; names do not matter, further children are passed over. rows: n_rows positions in the batch in
 * ascending order, or NULL for its first n_rows. CHAR is padded. Values are encoded from where they are, nothing is
 * kept of the batch. */
SKEP_NODISCARD skep_status skep_delta_writer_rows(skep_delta_writer *w, const skep_batch *batch, const int32_t *rows,
                                                  int64_t n_rows, skep_err *err);

/* A file that is there, copied as `name` (LOAD DATA): rows in the table's format, without ACID columns; nothing looks
 * into it, and its rows are not counted. Not for DELETE. */
SKEP_NODISCARD skep_status skep_delta_writer_file(skep_delta_writer *w, const char *path, const char *name,
                                                  skep_err *err);

/* Not bucketed: the writer id (0..4095) of the rows that follow, whose file is bucket_<writer>; 0 at first. What
 * several tasks of Hive write in one statement are several writer ids. */
SKEP_NODISCARD skep_status skep_delta_writer_use(skep_delta_writer *w, uint32_t writer, skep_err *err);

/* Adds n delete events (DELETE only) by the rows' ids, those at positions rows[i] of the arrays, or (NULL) the first n:
 * kept until _finish, in memory (48 bytes each at most) or spilled (opts.budget), which sorts them into the file of
 * each row's bucket. A bucket property that is none is SKEP_ERR_CORRUPT. */
SKEP_NODISCARD skep_status skep_delta_writer_deletes(skep_delta_writer *w, const int64_t *write_ids,
                                                     const int32_t *buckets, const int64_t *row_ids,
                                                     const int32_t *rows, int64_t n, skep_err *err);

/* Ends and syncs the files, then the directories above them up to one that was there before. `out` is borrowed from
 * the writer. SKEP_ERR_RUNTIME when one row was deleted twice, naming its id. */
SKEP_NODISCARD skep_status skep_delta_writer_finish(skep_delta_writer *w, const skep_commit_message **out,
                                                    skep_err *err);

/* Removes what was written, as far as it goes (what is left is invisible and the cleaner's): call it after a failure,
 * or after _finish when the statement as a whole fails. The writer can only be freed afterwards. True: nothing is left,
 * and that is durable, so the transaction need not be remembered (skep_txn_abort, files_gone); never for PLAIN. */
bool skep_delta_writer_abort(skep_delta_writer *w);
void skep_delta_writer_free(skep_delta_writer *w); /* accepts NULL; removes no files */

/* TRUNCATE and DELETE of all rows: base_W with _metadata_acid alone, synced. Source: Hive TruncateTableHandler. */
SKEP_NODISCARD skep_status skep_truncated_base_write(const skep_ctx *ctx, skep_fs *fs, const char *root,
                                                     int64_t write_id, skep_err *err);

/* A message as bytes and back. Encoding failures stay in `out`. Decoding checks everything: SKEP_ERR_CORRUPT;
 * strings are copied to the arena. */
void skep_commit_message_encode(const skep_commit_message *message, skep_buf *out);
SKEP_NODISCARD skep_status skep_commit_message_decode(skep_arena *arena, skep_bytes bytes, skep_commit_message *out,
                                                      skep_err *err);

#endif
