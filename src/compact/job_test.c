/* The pure parts of a job: ORDER BY, windows of time, runs of neighbouring deltas. */
#include "compact/job.h"

#include <stdlib.h>

#include "compact/tiers.h"
#include "support/test.h"

static void windows_are_open_between_their_times(void **state) {
  (void)state;
  static const struct {
    const char *window;
    int hour, minute;
    bool open;
  } cases[] = {
      {"22:00-06:00", 23, 0, true},
      {"22:00-06:00", 5, 59, true},
      {"22:00-06:00", 6, 0, false},
      {"22:00-06:00", 12, 0, false},
      {"01:00-02:30", 2, 29, true},
      {"01:00-02:30", 2, 30, false},
      {"00:00-00:00", 0, 0, false},
      {"00:00-24:00", 23, 59, true},
      {"01:00-02:00, 12:00-13:00", 12, 30, true},
      {"", 3, 0, false},
      {"25:00-26:00", 3, 0, true /* no such time: open */},
      {"night", 12, 0, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
    if (skep_compact_window_open(cases[i].window, cases[i].hour * 60 + cases[i].minute) != cases[i].open)
      fail_msg("%s at %02d:%02d", cases[i].window, cases[i].hour, cases[i].minute);
}

static void order_by_is_read_as_hive_stores_it(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_arena arena;
  const skep_type *columns;
  const skep_compact_order *keys;
  uint32_t n;
  skep_err err = {0};
  skep_ctx_init(&ctx);
  skep_arena_init(&arena, &ctx, 1 << 20);
  static const char type[] = "struct<id:int,v:string>";
  assert_ok(skep_type_parse(&arena, type, sizeof type - 1, &columns, &err), err);
  assert_ok(skep_compact_order_parse(&arena, "ORDER BY `v` DESC, t.ID asc nulls last", columns, &keys, &n, &err), err);
  assert_int_equal(n, 2);
  assert_int_equal(keys[0].column, 1);
  assert_true(keys[0].descending);
  assert_true(keys[0].nulls_last);
  assert_int_equal(keys[1].column, 0);
  assert_false(keys[1].descending);
  assert_true(keys[1].nulls_last);
  static const char *const bad[] = {"", "ORDER v", "nope", "v +", "v nulls", "v,", "order by"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_int_equal(skep_compact_order_parse(&arena, bad[i], columns, &keys, &n, &err), SKEP_ERR_ARGUMENT);
  skep_arena_fini(&arena);
}

/* ---- tiers ---- */

enum { MB = 1 << 20 };

static void the_run_of_the_smallest_neighbours_is_chosen(void **state) {
  (void)state;
  static const struct {
    uint64_t megabytes[12]; /* 0 ends */
    uint32_t first, n;
  } cases[] = {
      {{1, 1, 1}, 0, 0}, /* fewer than the fan of four */
      {{1, 1, 1, 1}, 0, 4},
      {{100, 1, 1, 1, 1}, 1, 4},      /* the large one stays */
      {{100, 1, 1, 1, 100, 1}, 0, 0}, /* two of a level do not pay */
      {{64, 64, 64, 64, 1, 1, 1, 1, 1}, 4, 5},
      {{64, 1, 64, 1, 64, 1, 64}, 0, 7}, /* small ones between go with them */
      {{4, 4, 4, 4}, 0, 4},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_compact_range ranges[12];
    uint32_t n = 0;
    while (n < 12 && cases[i].megabytes[n] != 0) {
      ranges[n] = (skep_compact_range){.min = n + 1, .max = n + 1, .bytes = cases[i].megabytes[n] * MB, .n_dirs = 1};
      n++;
    }
    skep_compact_run_of run = skep_compact_choose_run(ranges, n, 4);
    if (run.n != cases[i].n || (run.n > 0 && run.first != cases[i].first))
      fail_msg("case %zu: %u from %u", i, run.n, run.first);
  }
}

/* 5,000 writes of a megabyte, merged whenever it is worth it: every row is written O(log n) times. */
static void the_total_cost_of_merging_is_n_log_n(void **state) {
  (void)state;
  enum { WRITES = 5000, FAN = 4 };
  static skep_compact_range ranges[WRITES];
  uint32_t n = 0;
  uint64_t rewritten = 0;
  for (int64_t i = 1; i <= WRITES; i++) {
    ranges[n++] = (skep_compact_range){.min = i, .max = i, .bytes = MB, .n_dirs = 1};
    skep_compact_run_of run;
    while ((run = skep_compact_choose_run(ranges, n, FAN)).n > 0) {
      skep_compact_range sum = ranges[run.first];
      for (uint32_t k = run.first + 1; k < run.first + run.n; k++) sum.bytes += ranges[k].bytes;
      sum.max = ranges[run.first + run.n - 1].max;
      rewritten += sum.bytes;
      ranges[run.first] = sum;
      memmove(&ranges[run.first + 1], &ranges[run.first + run.n], (n - run.first - run.n) * sizeof *ranges);
      n -= run.n - 1;
    }
    assert_true(n < 40); /* FAN - 1 of each of log4(5000) levels */
  }
  assert_true(rewritten / MB < WRITES * 8ull); /* log4(5000) is 6.1 */
}

static void a_long_row_of_deltas_is_looked_at_in_one_pass(void **state) {
  (void)state;
  enum { N = 50000 };
  skep_compact_range *ranges = calloc(N, sizeof *ranges);
  for (int64_t i = 0; i < N; i++) ranges[i] = (skep_compact_range){.min = i + 1, .max = i + 1, .bytes = 1000};
  skep_compact_run_of run = skep_compact_choose_run(ranges, N, 4);
  assert_int_equal(run.first, 0);
  assert_int_equal(run.n, N);
  free(ranges);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(windows_are_open_between_their_times),
                                     cmocka_unit_test(order_by_is_read_as_hive_stores_it),
                                     cmocka_unit_test(the_run_of_the_smallest_neighbours_is_chosen),
                                     cmocka_unit_test(the_total_cost_of_merging_is_n_log_n),
                                     cmocka_unit_test(a_long_row_of_deltas_is_looked_at_in_one_pass)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
