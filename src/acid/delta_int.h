/* The delta writer's struct, shared by delta_writer.c and delta_deletes.c. Inside acid only. */
#ifndef ACID_DELTA_INT_H
#define ACID_DELTA_INT_H

#include "acid/bucket_file.h"
#include "acid/delta_writer.h"
#include "acid/events.h"
#include "acid/key_runs.h"
#include "orc/compress.h"

typedef struct skep_delta_bucket {
  int32_t number;
  skep_bucket_file *file; /* NULL: no row yet, or finished */
} skep_delta_bucket;

/* Event columns beside the rows, by position in the batch. */
typedef struct skep_delta_ids {
  size_t capacity;
  int32_t *operations, *buckets;
  int64_t *currents, *write_ids, *row_ids;
} skep_delta_ids;

struct skep_delta_shared {
  const skep_ctx *ctx;
  skep_orc_compressor *compressor; /* NULL: no codec */
  skep_delta_ids ids;
  /* bucketed tables */
  uint32_t *hashes; /* then bucket numbers */
  int32_t *order;
  size_t order_capacity;
  int64_t *ends;
  size_t ends_capacity; /* n_buckets + 1 */
};

struct skep_delta_writer {
  const skep_ctx *ctx;
  skep_fs *fs;
  const char *root;
  skep_delta_writer_opts opts;
  skep_arena arena;
  const skep_type *type; /* of the files */
  skep_orc_writer_opts orc;
  const char *directory; /* its name */
  skep_buf path;         /* to it */
  skep_buf file_path;    /* scratch */
  size_t depth_there;    /* see acid/dir_write.h */
  bool is_made, is_done, has_version;

  uint32_t n_buckets;
  uint32_t current;           /* not bucketed: of the rows that come */
  skep_delta_bucket *buckets; /* by number; DELETE: the one being written */
  skep_delta_shared *shared, *own_shared;
  const skep_vec **bucket_vecs; /* bucketed tables */

  skep_key_runs keys; /* DELETE */

  skep_commit_file *copied; /* by skep_delta_writer_file */
  size_t n_copied, copied_capacity;

  skep_commit_file *files; /* finished */
  uint32_t n_files_room;
  skep_commit_message message;
};

/* Valid until the next call. */
const char *skep_delta_file_path(skep_delta_writer *w, int32_t number);
SKEP_NODISCARD skep_status skep_delta_open_bucket(skep_delta_writer *w, skep_delta_bucket *bucket, skep_err *err);
SKEP_NODISCARD skep_status skep_delta_reserve_ids(skep_delta_writer *w, int64_t n, int32_t operation, skep_err *err);
/* The event vector over the shared ids and `row`, with its children in the array given. */
skep_vec skep_delta_event_vec(const skep_delta_writer *w, skep_vec children[SKEP_EVENT_COLUMNS], const skep_vec *row);

SKEP_NODISCARD skep_status skep_delta_put_version(skep_delta_writer *w, skep_err *err);
/* Room for n files; for one more, when it is not known how many will come. */
SKEP_NODISCARD skep_status skep_delta_reserve_files(skep_delta_writer *w, uint32_t n, skep_err *err);
SKEP_NODISCARD skep_status skep_delta_more_files(skep_delta_writer *w, skep_err *err);
SKEP_NODISCARD skep_status skep_delta_finish_bucket(skep_delta_writer *w, skep_delta_bucket *bucket, skep_err *err);

/* Sorts the keys and writes their files, one after the other. */
SKEP_NODISCARD skep_status skep_delta_write_deletes(skep_delta_writer *w, skep_err *err);

#endif
