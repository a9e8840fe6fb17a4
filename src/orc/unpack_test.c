/* Bit unpacking: every width, size and implementation against a reader of single bits. */
#include "orc/unpack.h"
#include "orc/test_encode.h"
#include "orc/test_source.h"

static uint64_t by_bits(const uint8_t *in, uint32_t width, size_t i) {
  uint64_t v = 0;
  for (size_t bit = i * width; bit < (i + 1) * width; bit++) v = v << 1 | ((uint32_t)in[bit / 8] >> (7 - bit % 8) & 1);
  return v;
}

/* Blocks of exactly the promised size, so that the sanitizer sees a read or write beyond. */
static void check_64(skep_unpack_kind kind, uint32_t width, bool zigzag, size_t n, uint64_t *seed) {
  size_t bytes = (n * width + 7) / 8;
  uint8_t *in = malloc(bytes + SKEP_ORC_WINDOW_SLACK);
  uint64_t *out = malloc(n * sizeof *out);
  for (size_t i = 0; i < bytes + SKEP_ORC_WINDOW_SLACK; i++) in[i] = (uint8_t)test_random(seed);
  skep_unpack_u64_as(kind, in, width, zigzag, out, n);
  for (size_t i = 0; i < n; i++) {
    uint64_t v = by_bits(in, width, i), want = zigzag ? (uint64_t)skep_unzigzag(v) : v;
    if (out[i] != want) fail_msg("kind %d width %u zigzag %d n %zu: value %zu", (int)kind, width, zigzag, n, i);
  }
  free(in);
  free(out);
}

static void check_32(skep_unpack_kind kind, uint32_t width, bool zigzag, size_t n, uint64_t *seed) {
  size_t bytes = (n * width + 7) / 8;
  uint8_t *in = malloc(bytes + SKEP_ORC_WINDOW_SLACK);
  uint32_t *out = malloc(n * sizeof *out);
  for (size_t i = 0; i < bytes + SKEP_ORC_WINDOW_SLACK; i++) in[i] = (uint8_t)test_random(seed);
  skep_unpack_u32_as(kind, in, width, zigzag, out, n);
  for (size_t i = 0; i < n; i++) {
    uint64_t v = by_bits(in, width, i);
    uint32_t want = (uint32_t)(zigzag ? (uint64_t)skep_unzigzag(v) : v);
    if (out[i] != want) fail_msg("kind %d width %u zigzag %d n %zu: value %zu", (int)kind, width, zigzag, n, i);
  }
  free(in);
  free(out);
}

static void test_every_width_size_and_kind_agrees_with_single_bits(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 23, 31, 33, 64, 511, 512};
  uint64_t seed = 1;
  for (skep_unpack_kind kind = SKEP_UNPACK_PLAIN; kind < SKEP_UNPACK_KINDS; kind++) {
    if (!skep_unpack_is_usable(kind)) continue;
    for (uint32_t width = 1; width <= 64; width++) {
      for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        check_64(kind, width, false, sizes[k], &seed);
        check_64(kind, width, true, sizes[k], &seed);
        if (width > 32) continue;
        check_32(kind, width, false, sizes[k], &seed);
        check_32(kind, width, true, sizes[k], &seed);
      }
    }
  }
}

static void test_sums_agree_with_addition(void **state) {
  (void)state;
  static const size_t sizes[] = {1, 7, 8, 9, 63, 510};
  uint64_t seed = 2;
  for (skep_unpack_kind kind = SKEP_UNPACK_PLAIN; kind < SKEP_UNPACK_KINDS; kind++) {
    for (uint32_t width = 1; width <= 64 && skep_unpack_is_usable(kind); width++) {
      for (size_t k = 0; k < 2 * sizeof sizes / sizeof sizes[0]; k++) {
        size_t n = sizes[k / 2], bytes = (n * width + 7) / 8;
        bool down = k % 2 == 1;
        uint8_t *in = malloc(bytes + SKEP_ORC_WINDOW_SLACK);
        uint64_t *out = malloc(n * sizeof *out), sum = test_random(&seed);
        for (size_t i = 0; i < bytes + SKEP_ORC_WINDOW_SLACK; i++) in[i] = (uint8_t)test_random(&seed);
        skep_unpack_sums_as(kind, in, width, sum, down, out, n);
        for (size_t i = 0; i < n; i++) {
          sum = down ? sum - by_bits(in, width, i) : sum + by_bits(in, width, i);
          if (out[i] != sum) fail_msg("kind %d width %u down %d n %zu: sum %zu", (int)kind, width, down, n, i);
        }
        free(in);
        free(out);
      }
    }
  }
}

static void test_the_default_is_one_of_them(void **state) {
  (void)state;
  uint8_t in[16 + SKEP_ORC_WINDOW_SLACK] = {0x01, 0x23, 0x45, 0x67};
  uint64_t u64[4];
  uint32_t u32[4];
  int64_t i64[4];
  int32_t i32[4];
  skep_unpack_u64(in, 8, u64, 4);
  skep_unpack_u32(in, 8, u32, 4);
  skep_unpack_zigzag_i64(in, 8, i64, 4);
  skep_unpack_zigzag_i32(in, 8, i32, 4);
  assert_memory_equal(u64, ((uint64_t[]){0x01, 0x23, 0x45, 0x67}), sizeof u64);
  assert_memory_equal(u32, ((uint32_t[]){0x01, 0x23, 0x45, 0x67}), sizeof u32);
  assert_memory_equal(i64, ((int64_t[]){-1, -18, -35, -52}), sizeof i64);
  assert_memory_equal(i32, ((int32_t[]){-1, -18, -35, -52}), sizeof i32);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_width_size_and_kind_agrees_with_single_bits),
      cmocka_unit_test(test_sums_agree_with_addition),
      cmocka_unit_test(test_the_default_is_one_of_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
