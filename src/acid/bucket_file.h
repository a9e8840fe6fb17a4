/* One data file being written: events with their ids and the footer's ACID metadata, or plain rows. Inside acid
 * and compact only.
 *
 * Source: Hive OrcRecordUpdater (acid-format facts 4.1 to 4.3): key index = the last key of every stripe, stats =
 * inserts, updates, deletes; the version is only in files with rows. */
#ifndef ACID_BUCKET_FILE_H
#define ACID_BUCKET_FILE_H

#include "acid/delta_writer.h"
#include "acid/writer_settings.h"
#include "column/vec.h"
#include "io/fs.h"

typedef struct skep_row_key {
  int64_t write_id, row_id;
  int32_t bucket; /* property */
} skep_row_key;

/* The order of a bucket file. */
static inline bool skep_row_key_below(const skep_row_key *a, const skep_row_key *b) {
  if (a->write_id != b->write_id) return a->write_id < b->write_id;
  if (a->bucket != b->bucket) return a->bucket < b->bucket;
  return a->row_id < b->row_id;
}

static inline bool skep_row_key_equal(const skep_row_key *a, const skep_row_key *b) {
  return a->write_id == b->write_id && a->bucket == b->bucket && a->row_id == b->row_id;
}

/* The footer's metadata: an entry for each stripe, then all of it. */
void skep_key_index_add(skep_buf *index, const skep_row_key *last);
SKEP_NODISCARD skep_status skep_bucket_footer(skep_orc_writer *orc, const skep_buf *key_index, bool deletes,
                                              skep_err *err);

typedef enum skep_bucket_content { SKEP_BUCKET_ROWS, SKEP_BUCKET_INSERTS, SKEP_BUCKET_DELETES } skep_bucket_content;

typedef struct skep_bucket_file skep_bucket_file;

typedef struct skep_bucket_file_opts {
  skep_bucket_content content;
  const skep_type *type;           /* of the file: events or rows */
  const skep_orc_writer_opts *orc; /* callbacks and block size are set here */
  const skep_row_codec *format;    /* NULL: ORC */
  int64_t write_id;                /* events */
  int32_t bucket;                  /* property of inserted rows */
} skep_bucket_file_opts;

/* Creates the file. On failure nothing is left of it but perhaps its name. */
SKEP_NODISCARD skep_status skep_bucket_file_create(const skep_ctx *ctx, skep_fs *fs, const char *path,
                                                   const skep_bucket_file_opts *opts, skep_bucket_file **out,
                                                   skep_err *err);
/* root: of the file's type; positions rows[0..n), or (NULL) the first n. DELETES: `keys` are those of the n rows. */
SKEP_NODISCARD skep_status skep_bucket_file_add(skep_bucket_file *b, const skep_vec *root, const int32_t *rows,
                                                int64_t n, const skep_row_key *keys, skep_err *err);
/* Ends, syncs and closes the file; its size. */
SKEP_NODISCARD skep_status skep_bucket_file_finish(skep_bucket_file *b, uint64_t *size_bytes, skep_err *err);
void skep_bucket_file_free(skep_bucket_file *b); /* accepts NULL; leaves a torso when it was not finished */
uint64_t skep_bucket_file_rows(const skep_bucket_file *b);

/* struct<operation:int,...,row:ROW> */
SKEP_NODISCARD skep_status skep_event_type_make(skep_arena *arena, const skep_type *row, const skep_type **out,
                                                skep_err *err);

#endif
