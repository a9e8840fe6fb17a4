/* Bloom filters against the bit positions that the Java and the C++ implementations agree on: apache/orc,
 * TestBloomFilter testBasicOperations (128 expected entries, 5 %: 832 bits, 5 hashes). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "orc/stats.h"

enum { N_WORDS = 13, N_HASHES = 5 };

typedef struct bits {
  uint64_t words[N_WORDS];
} bits;

static skep_orc_bloom filter_of(const bits *b) { return (skep_orc_bloom){N_HASHES, N_WORDS, b->words, true}; }

static void set(bits *b, unsigned position) { b->words[position / 64] |= UINT64_C(1) << (position % 64); }
static void unset(bits *b, unsigned position) { b->words[position / 64] &= ~(UINT64_C(1) << (position % 64)); }

static bool may_contain_i64(const bits *b, const void *value) {
  skep_orc_bloom bloom = filter_of(b);
  return skep_orc_bloom_may_contain_i64(&bloom, *(const int64_t *)value);
}
static bool may_contain_f64(const bits *b, const void *value) {
  skep_orc_bloom bloom = filter_of(b);
  return skep_orc_bloom_may_contain_f64(&bloom, *(const double *)value);
}
static bool may_contain_text(const bits *b, const void *value) {
  skep_orc_bloom bloom = filter_of(b);
  return skep_orc_bloom_may_contain_bytes(&bloom, skep_bytes_of(value, strlen(value)));
}

/* Exactly these positions decide: with them the answer is yes, without any one of them it is no. */
static void check(bool (*may_contain)(const bits *, const void *), const void *value,
                  const unsigned positions[N_HASHES]) {
  bits b = {{0}};
  for (int i = 0; i < N_HASHES; i++) set(&b, positions[i]);
  assert_true(may_contain(&b, value));
  for (int i = 0; i < N_HASHES; i++) {
    unset(&b, positions[i]);
    assert_false(may_contain(&b, value));
    set(&b, positions[i]);
  }
}

static void whole_numbers_are_hashed_as_in_java(void **state) {
  (void)state;
  static const struct {
    int64_t value;
    unsigned positions[N_HASHES];
  } cases[] = {{1, {567, 288, 246, 306, 228}},
               {11, {228, 285, 342, 399, 456}},
               {111, {802, 630, 458, 545, 717}},
               {1111, {826, 526, 40, 480, 86}},
               {0, {0, 0, 0, 0, 0}},
               {-1, {120, 308, 335, 108, 535}},
               {-11, {323, 685, 215, 577, 107}},
               {-111, {357, 318, 279, 15, 54}},
               {-1111, {572, 680, 818, 434, 232}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(may_contain_i64, &cases[i].value, cases[i].positions);
}

static void doubles_are_hashed_by_their_bits(void **state) {
  (void)state;
  static const struct {
    double value;
    unsigned positions[N_HASHES];
  } cases[] = {{1.1, {522, 692, 12, 370, 753}},
               {11.11, {210, 188, 89, 720, 389}},
               {111.111, {831, 252, 583, 500, 335}},
               {1111.1111, {725, 175, 374, 92, 642}},
               {0.0, {0, 0, 0, 0, 0}},
               {-1.1, {636, 163, 565, 206, 679}},
               {-11.11, {473, 192, 743, 462, 181}},
               {-111.111, {167, 152, 472, 295, 24}},
               {-1111.1111, {308, 346, 384, 422, 371}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(may_contain_f64, &cases[i].value, cases[i].positions);
}

static void strings_are_hashed_with_murmur3(void **state) {
  (void)state;
  static const struct {
    const char *value;
    unsigned positions[N_HASHES];
  } cases[] = {{"", {656, 807, 480, 151, 304}},
               {"english", {576, 221, 68, 729, 392}},
               {"\xe4\xb8\xad\xe5\x9b\xbd\xe5\xad\x97", {602, 636, 44, 362, 318}}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(may_contain_text, cases[i].value, cases[i].positions);
}

static void filters_without_bits_or_hashes_exclude_nothing(void **state) {
  (void)state;
  uint64_t word = 0;
  assert_true(skep_orc_bloom_may_contain_i64(&(skep_orc_bloom){5, 0, NULL, true}, 1));
  assert_true(skep_orc_bloom_may_contain_i64(&(skep_orc_bloom){0, 1, &word, true}, 1));
  assert_true(skep_orc_bloom_may_contain_i64(&(skep_orc_bloom){5, UINT32_MAX, &word, true}, 1));
  assert_false(skep_orc_bloom_may_contain_i64(&(skep_orc_bloom){5, 1, &word, true}, 1));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_numbers_are_hashed_as_in_java),
      cmocka_unit_test(doubles_are_hashed_by_their_bits),
      cmocka_unit_test(strings_are_hashed_with_murmur3),
      cmocka_unit_test(filters_without_bits_or_hashes_exclude_nothing),
  };
  return cmocka_run_group_tests_name("bloom", tests, NULL, NULL);
}
