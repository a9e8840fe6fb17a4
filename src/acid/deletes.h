/* The visible delete events of some delete deltas as bitmaps keyed by (write id, bucket property, high half of the row id).
 *
 * Immutable once loaded and shared by threads. Memory per deleted row is bounded by Roaring's containers (at most 2 bytes a row
 * in dense ranges, 16 bits plus container overhead in sparse ones); the total by ctx->limits.max_delete_bytes. */
#ifndef ACID_DELETES_H
#define ACID_DELETES_H

#include "acid/split.h"
#include "io/fs.h"

typedef struct skep_deletes skep_deletes;

SKEP_NODISCARD skep_status skep_deletes_new(const skep_ctx *ctx, skep_deletes **out, skep_err *err);
void skep_deletes_free(skep_deletes *deletes); /* accepts NULL */

SKEP_NODISCARD skep_status skep_deletes_add(skep_deletes *deletes, int64_t write_id, int32_t bucket, int64_t row_id, skep_err *err);
/* Events of one delete file, valid in the snapshot. */
SKEP_NODISCARD skep_status skep_deletes_load(skep_deletes *deletes, skep_fs *fs, const char *root, const skep_split_file *file,
                                             const skep_snapshot *snapshot, skep_err *err);

bool skep_deletes_contains(const skep_deletes *deletes, int64_t write_id, int32_t bucket, int64_t row_id);
/* True when some row of (write_id, bucket) with first <= row id <= last may be deleted: the cheap test per batch. */
bool skep_deletes_touch(const skep_deletes *deletes, int64_t write_id, int32_t bucket, int64_t first, int64_t last);
uint64_t skep_deletes_count(const skep_deletes *deletes);
uint64_t skep_deletes_memory(const skep_deletes *deletes); /* bytes */

/* Positions (ascending) of the rows that are not deleted among n rows with these keys. Runs of equal (write id, bucket) and
 * consecutive row ids - the normal case - are tested as ranges. */
int64_t skep_deletes_filter(const skep_deletes *deletes, const int64_t *write_ids, const int32_t *buckets, const int64_t *row_ids,
                            int64_t n, int32_t *rows);

#endif
