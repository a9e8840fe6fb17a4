/* Spreading packed values by a bitmap: against a loop that takes one value after the other, for both ways of doing it.
 */
#include "orc/spread.h"

#include <stdlib.h>

#include "support/test.h"

enum { MAX = 200 };

static uint32_t next_random(uint32_t *state) { return *state = *state * 1664525 + 1013904223; }

/* n entries, about `density` of 8 valid; in a block of exactly the size so that the address sanitizer sees every step
 * outside. */
static void check(size_t width, size_t n, uint32_t density, uint32_t seed, bool plain) {
  uint8_t *data = malloc(n * width), want[MAX * 16] = {0};
  uint8_t *validity = calloc((n + 7) / 8, 1);
  assert_non_null(data);
  assert_non_null(validity);
  size_t k = 0;
  for (size_t i = 0; i < n; i++) {
    if (next_random(&seed) >> 29 >= density) continue;
    validity[i / 8] |= (uint8_t)(1u << (i % 8));
    for (size_t b = 0; b < width; b++) want[i * width + b] = data[k * width + b] = (uint8_t)(next_random(&seed) >> 24);
    k++;
  }
  for (size_t b = k * width; b < n * width; b++) data[b] = 0xee; /* left over from before */
  (plain ? skep_spread_plain : skep_spread)(data, width, validity, n, k);
  assert_memory_equal(data, want, n * width);
  free(data);
  free(validity);
}

static void values_go_where_the_bitmap_has_them(void **state) {
  (void)state;
  static const size_t WIDTHS[] = {1, 2, 4, 8, 16};
  for (int w = 0; w < 5; w++)
    for (size_t n = 1; n <= MAX; n++)
      for (uint32_t density = 0; density <= 8; density += 2)
        for (int plain = 0; plain < 2; plain++) check(WIDTHS[w], n, density, (uint32_t)(n * 31 + density), plain == 1);
}

static void bits_go_where_the_bitmap_has_them(void **state) {
  (void)state;
  uint32_t seed = 5;
  for (size_t n = 1; n <= MAX; n++) {
    uint8_t validity[MAX / 8 + 1] = {0}, packed[MAX / 8 + 1] = {0}, want[MAX / 8 + 1] = {0}, have[MAX / 8 + 1];
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
      if (next_random(&seed) >> 31 == 0) continue;
      validity[i / 8] |= (uint8_t)(1u << (i % 8));
      if (next_random(&seed) >> 31 != 0) {
        packed[k / 8] |= (uint8_t)(1u << (k % 8));
        want[i / 8] |= (uint8_t)(1u << (i % 8));
      }
      k++;
    }
    skep_spread_bits(packed, have, validity, n);
    assert_memory_equal(have, want, (n + 7) / 8);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_go_where_the_bitmap_has_them),
      cmocka_unit_test(bits_go_where_the_bitmap_has_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
