/* Bloom filters: hashing, testing, adding. Source: ORC Specification v1, "Bloom Filter Index": strings and binaries are
 * hashed with the 64-bit variant of Murmur3 (seed 104729), whole numbers and the bits of doubles with Thomas Wang's
 * integer hash; the two halves of the hash give the k positions. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "base/err.h"
#include "orc/bloom.h"

enum { MURMUR_SEED = 104729 };
enum { MAX_WORDS = 1 << 22, MAX_HASHES = 64 };

static uint64_t rotate_left(uint64_t v, unsigned n) { return v << n | v >> (64 - n); }

static uint64_t murmur_mix(uint64_t k) {
  return rotate_left(k * UINT64_C(0x87c37b91114253d5), 31) * UINT64_C(0x4cf5ad432745937f);
}

static uint64_t hash_bytes(skep_bytes value) {
  uint64_t h = MURMUR_SEED, length = value.left;
  for (; value.left >= 8; value.at += 8, value.left -= 8) {
    h = rotate_left(h ^ murmur_mix(skep_load_le64(value.at)), 27) * 5 + 0x52dce729;
  }
  if (value.left != 0) {
    uint64_t k = 0;
    for (size_t i = 0; i < value.left; i++) k |= (uint64_t)value.at[i] << (8 * i);
    h ^= murmur_mix(k);
  }
  h ^= length;
  h = (h ^ h >> 33) * UINT64_C(0xff51afd7ed558ccd);
  h = (h ^ h >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
  return h ^ h >> 33;
}

/* Arithmetic right shift of a two's complement number. */
static uint64_t shift_signed(uint64_t v, unsigned n) { return (uint64_t)((int64_t)v >> n); }

static uint64_t hash_i64(int64_t value) {
  uint64_t key = (uint64_t)value;
  key = ~key + (key << 21);
  key ^= shift_signed(key, 24);
  key += (key << 3) + (key << 8);
  key ^= shift_signed(key, 14);
  key += (key << 2) + (key << 4);
  key ^= shift_signed(key, 28);
  return key + (key << 31);
}

/* Position of hash number i (from 1) in a filter of n_bits. */
static uint32_t position_of(uint64_t hash, uint32_t i, uint32_t n_bits) {
  uint32_t combined = (uint32_t)hash + i * (uint32_t)(hash >> 32); /* wraps around, as Java's int does */
  if (combined >> 31 != 0) combined = ~combined;
  return combined % n_bits;
}

static bool test_hash(const skep_orc_bloom *bloom, uint64_t hash) {
  if (bloom->n_words == 0 || bloom->n_words > UINT32_MAX / 64) return true;
  for (uint32_t i = 1; i <= bloom->n_hashes; i++) {
    uint32_t position = position_of(hash, i, bloom->n_words * 64);
    if ((bloom->words[position >> 6] >> (position & 63) & 1) == 0) return false;
  }
  return true;
}

bool skep_orc_bloom_may_contain_bytes(const skep_orc_bloom *bloom, skep_bytes value) {
  return test_hash(bloom, hash_bytes(value));
}

bool skep_orc_bloom_may_contain_i64(const skep_orc_bloom *bloom, int64_t value) {
  return test_hash(bloom, hash_i64(value));
}

bool skep_orc_bloom_may_contain_f64(const skep_orc_bloom *bloom, double value) {
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return test_hash(bloom, hash_i64(bits));
}

/* ---- adding ---- */

skep_status skep_orc_bloom_build_init(skep_orc_bloom_build *b, const skep_ctx *ctx, uint32_t n_values, double fpp,
                                      skep_err *err) {
  double n_bits = -(double)n_values * log(fpp) / (log(2) * log(2));
  double n_words = floor(n_bits / 64) + 1; /* one more where it is a multiple already, as in Java */
  if (!(n_words >= 1) || n_words > MAX_WORDS)
    return skep_fail(err, SKEP_ERR_LIMIT, "bloom filter of %.0f bits for %u values", n_bits, n_values);
  *b = (skep_orc_bloom_build){.n_words = (uint32_t)n_words};
  double n_hashes = round(n_words * 64 / n_values * log(2));
  b->n_hashes = n_hashes < 1 ? 1 : n_hashes > MAX_HASHES ? MAX_HASHES : (uint32_t)n_hashes;
  b->words = skep_alloc_zero(ctx, b->n_words, sizeof *b->words);
  if (b->words == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "bloom filter of %u words", b->n_words);
  return SKEP_OK;
}

static void add_hash(skep_orc_bloom_build *b, uint64_t hash) {
  for (uint32_t i = 1; i <= b->n_hashes; i++) {
    uint32_t position = position_of(hash, i, b->n_words * 64);
    b->words[position >> 6] |= UINT64_C(1) << (position & 63);
  }
}

void skep_orc_bloom_add_bytes(skep_orc_bloom_build *b, skep_bytes value) { add_hash(b, hash_bytes(value)); }

void skep_orc_bloom_add_i64(skep_orc_bloom_build *b, int64_t value) { add_hash(b, hash_i64(value)); }

void skep_orc_bloom_add_f64(skep_orc_bloom_build *b, double value) {
  int64_t bits;
  memcpy(&bits, &value, sizeof bits);
  add_hash(b, hash_i64(bits));
}
