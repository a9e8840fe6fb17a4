/* Column statistics (file, stripe, row group) and bloom filters.
 *
 * Statistics that a writer version is known to get wrong are dropped when they are read, so that users of this struct
 * need not know about writers. Source: ORC Specification v1, "Column Statistics", "Bloom Filter Index". */
#ifndef ORC_STATS_H
#define ORC_STATS_H

#include "column/vec.h"

typedef struct skep_orc_stats {
  bool has_count; /* number of non-NULL values known */
  uint64_t count;
  bool has_null_known; /* false: the writer did not say; then NULLs must be assumed possible */
  bool has_null;
  bool has_bytes_on_disk;
  uint64_t bytes_on_disk;
  enum {
    SKEP_ORC_STATS_NONE,
    SKEP_ORC_STATS_INT,     /* i64 */
    SKEP_ORC_STATS_DOUBLE,  /* f64 */
    SKEP_ORC_STATS_STRING,  /* bytes; min may be a lower bound, max an upper bound (then *_is_bound) */
    SKEP_ORC_STATS_BOOLEAN, /* true_count */
    SKEP_ORC_STATS_DECIMAL, /* decimal text parsed */
    SKEP_ORC_STATS_DATE,    /* i64: days, in the file's calendar */
    SKEP_ORC_STATS_BINARY,  /* sum only */
    SKEP_ORC_STATS_TS,      /* ts: UTC wall clock; min is rounded down, max up to the next resolution that was stored */
    SKEP_ORC_STATS_COLLECTION
  } kind;
  bool has_min, has_max, has_sum;
  bool min_is_bound, max_is_bound;
  union {
    int64_t i64;
    double f64;
    skep_bytes bytes;
    skep_ts ts;
    struct {
      skep_i128 unscaled;
      unsigned scale;
    } decimal;
  } min, max;
  union {
    int64_t i64;
    double f64;
    skep_bytes decimal_text;
  } sum;
  uint64_t true_count;
  uint64_t min_children, max_children, total_children; /* collections */
} skep_orc_stats;

/* A bloom filter over one row group. Bits as 64-bit words. */
typedef struct skep_orc_bloom {
  uint32_t n_hashes;
  uint32_t n_words;
  const uint64_t *words;
  bool utf8; /* BLOOM_FILTER_UTF8: strings hashed as UTF-8; decimals and timestamps in UTC */
} skep_orc_bloom;

bool skep_orc_bloom_may_contain_bytes(const skep_orc_bloom *bloom, skep_bytes value);
bool skep_orc_bloom_may_contain_i64(const skep_orc_bloom *bloom, int64_t value);
bool skep_orc_bloom_may_contain_f64(const skep_orc_bloom *bloom, double value);

#endif
