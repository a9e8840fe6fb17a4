/* The visible delete events of some delete deltas as bitmaps keyed by (write id, bucket property, high half of the row
 * id).
 *
 * Filled by one thread, then finished, immutable and shared. Memory per deleted row is bounded by Roaring's containers:
 * at most 2 bytes a row in ranges where more than 1 in 65536 rows is deleted by the thousand, down to nothing in dense
 * ranges; a lonely delete costs some 60 bytes (its container). The total is bounded by ctx->limits.max_delete_bytes
 * (SKEP_ERR_LIMIT). Roaring allocates with malloc, not with the context's allocator: its memory is measured instead. */
#ifndef ACID_DELETES_H
#define ACID_DELETES_H

#include "acid/split.h"
#include "io/fs.h"

typedef struct skep_deletes skep_deletes;

SKEP_NODISCARD skep_status skep_deletes_new(const skep_ctx *ctx, skep_deletes **out, skep_err *err);
void skep_deletes_free(skep_deletes *deletes); /* accepts NULL */
const skep_ctx *skep_deletes_ctx(const skep_deletes *deletes);

SKEP_NODISCARD skep_status skep_deletes_add(skep_deletes *deletes, int64_t write_id, int32_t bucket, int64_t row_id,
                                            skep_err *err);
/* n keys at once: fast when neighbours share write id and bucket, as in files; any order is right, repeats are
 * harmless. */
SKEP_NODISCARD skep_status skep_deletes_add_many(skep_deletes *deletes, const int64_t *write_ids,
                                                 const int32_t *buckets, const int64_t *row_ids, int64_t n,
                                                 skep_err *err);
/* The events of one delete file whose currentTransaction is valid in the snapshot; whatever bucket they name. The file
 * is read up to logical_bytes (0: nothing). SKEP_ERR_CORRUPT for a file without ACID columns. */
SKEP_NODISCARD skep_status skep_deletes_load(skep_deletes *deletes, skep_fs *fs, const char *root,
                                             const skep_split_file *file, const skep_snapshot *snapshot, skep_err *err);
/* Compresses what was added. More may be added afterwards. */
SKEP_NODISCARD skep_status skep_deletes_finish(skep_deletes *deletes, skep_err *err);

bool skep_deletes_contains(const skep_deletes *deletes, int64_t write_id, int32_t bucket, int64_t row_id);
/* True when some row of (write_id, bucket) with first <= row id <= last is deleted: the cheap test per batch. */
bool skep_deletes_touch(const skep_deletes *deletes, int64_t write_id, int32_t bucket, int64_t first, int64_t last);

/* A box of keys, all bounds inclusive. */
typedef struct skep_key_box {
  int64_t min_write_id, max_write_id;
  int32_t min_bucket, max_bucket;
  int64_t min_row_id, max_row_id;
} skep_key_box;
/* False only when no deleted row lies in the box: the cheap test per file or stripe. */
bool skep_deletes_touch_box(const skep_deletes *deletes, const skep_key_box *box);

uint64_t skep_deletes_count(const skep_deletes *deletes); /* distinct rows; goes through all bitmaps */
bool skep_deletes_is_empty(const skep_deletes *deletes);
uint64_t skep_deletes_memory(
    const skep_deletes *deletes); /* bytes; exact after skep_deletes_finish, an upper estimate before */

/* Positions (ascending) of the rows that are not deleted among n rows with these keys. Runs of equal (write id, bucket)
 * and consecutive row ids - the normal case - are tested as ranges. rows has room for n; returns how many were kept. */
int64_t skep_deletes_filter(const skep_deletes *deletes, const int64_t *write_ids, const int32_t *buckets,
                            const int64_t *row_ids, int64_t n, int32_t *rows);
/* The same for n rows with one write id and bucket. */
int64_t skep_deletes_filter_rows(const skep_deletes *deletes, int64_t write_id, int32_t bucket, const int64_t *row_ids,
                                 int64_t n, int32_t *rows);
/* The same when they have the row ids first, first + 1, ... */
int64_t skep_deletes_filter_range(const skep_deletes *deletes, int64_t write_id, int32_t bucket, int64_t first,
                                  int64_t n, int32_t *rows);

#endif
