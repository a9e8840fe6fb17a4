/* Widening: against plain C, for every length and for bounds at the edges. */
#include "orc/widen.h"

#include <stdlib.h>

#include "support/test.h"

static void values_keep_their_sign_and_bounds_are_exact(void **state) {
  (void)state;
  static const int64_t BOUNDS[] = {0, 9, 999999999999, 999999999999999999, INT64_MAX};
  uint64_t seed = 11;
  for (size_t b = 0; b < sizeof BOUNDS / sizeof BOUNDS[0]; b++) {
    for (size_t n = 0; n <= 40; n++) {
      for (size_t bad = 0; bad <= n; bad++) { /* n: none is outside */
        int64_t *in = malloc((n + 1) * sizeof *in);
        __int128 *out = malloc((n + 1) * sizeof *out), *plain = malloc((n + 1) * sizeof *plain);
        assert_true(in != NULL && out != NULL && plain != NULL);
        for (size_t i = 0; i < n; i++) {
          seed = seed * 6364136223846793005u + 1442695040888963407u;
          in[i] = (int64_t)(seed >> 1) % (BOUNDS[b] == 0 ? 1 : BOUNDS[b]);
          if ((seed & 3) == 0) in[i] = -in[i];
          if ((seed & 12) == 0) in[i] = (seed & 16) != 0 ? BOUNDS[b] : -BOUNDS[b];
        }
        bool outside = bad < n && BOUNDS[b] != INT64_MAX;
        if (outside) in[bad] = bad % 2 == 0 ? BOUNDS[b] + 1 : -BOUNDS[b] - 1;
        assert_int_equal(skep_widen(in, BOUNDS[b], out, n), !outside);
        assert_int_equal(skep_widen_plain(in, BOUNDS[b], plain, n), !outside);
        for (size_t i = 0; i < n && !outside; i++) assert_true(out[i] == in[i] && plain[i] == in[i]);
        free(in);
        free(out);
        free(plain);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_keep_their_sign_and_bounds_are_exact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
