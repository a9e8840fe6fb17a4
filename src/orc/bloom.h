/* Filling bloom filters; testing them is stats.h. Inside orc only. */
#ifndef ORC_BLOOM_H
#define ORC_BLOOM_H

#include "orc/stats.h"

typedef struct skep_orc_bloom_build {
  uint32_t n_hashes, n_words;
  uint64_t *words; /* NULL: no filter */
} skep_orc_bloom_build;

/* Sized for n_values (at least 1) different values with `fpp` (between 0 and 1) false positives, as ORC Java's
 * BloomFilter does. Release b->words. */
SKEP_NODISCARD skep_status skep_orc_bloom_build_init(skep_orc_bloom_build *b, const skep_ctx *ctx, uint32_t n_values,
                                                     double fpp, skep_err *err);
void skep_orc_bloom_add_bytes(skep_orc_bloom_build *b, skep_bytes value);
void skep_orc_bloom_add_i64(skep_orc_bloom_build *b, int64_t value);
void skep_orc_bloom_add_f64(skep_orc_bloom_build *b, double value);

#endif
