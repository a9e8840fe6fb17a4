/* The bucket of a row: Hive's two bucketing hashes over typed columns.
 *
 * bucket = (hash & 0x7fffffff) mod n_buckets; hash = the columns' hashes h combined as 31 * h + next, 32-bit
 * wrap-around, in the order of CLUSTERED BY; NULL hashes to 0. Version 1 is Java's hashCode of the values, version 2
 * Murmur3 over their bytes (both as Hive computes them, oddities included). Any form of vector is taken;
 * the work is done column by column.
 *
 * Source: Hive ObjectInspectorUtils.getBucketHashCode(Old), Murmur3; checked against golden 17-hash-vectors. */
#ifndef COLUMN_BUCKET_HASH_H
#define COLUMN_BUCKET_HASH_H

#include "column/vec.h"

/* hashes[i] of the entries first + i, or (rows != NULL) rows[first + i], of n_columns vectors. version: 1 or 2
 * (SKEP_ERR_UNSUPPORTED for others). With no columns all hashes are 0. */
SKEP_NODISCARD skep_status skep_bucket_hash(const skep_vec *const *columns, uint32_t n_columns, int version,
                                            const int32_t *rows, int64_t first, int64_t n, uint32_t *hashes,
                                            skep_err *err);

static inline uint32_t skep_bucket_of_hash(uint32_t hash, uint32_t n_buckets) {
  return (hash & 0x7fffffffu) % n_buckets;
}

#endif
