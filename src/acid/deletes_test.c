/* Delete sets against a naive list of keys: every question is asked of both. `--long` measures memory with 100 million
 * rows. */
#include "acid/deletes.h"

#include <inttypes.h>
#include <stdlib.h>

#include "support/failing_alloc.h"
#include "support/test.h"

typedef struct key {
  int64_t write_id;
  int32_t bucket;
  int64_t row_id;
} key;

/* Deterministic randomness: xorshift64*. */
static uint64_t next_random(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(0x2545f4914f6cdd1d);
}

static bool naive_contains(const key *keys, size_t n, key k) {
  for (size_t i = 0; i < n; i++) {
    if (keys[i].write_id == k.write_id && keys[i].bucket == k.bucket && keys[i].row_id == k.row_id) return true;
  }
  return false;
}

static void random_sets_agree_with_a_naive_list(void **state) {
  (void)state;
  static const int64_t bases[] = {0, 1000, INT64_C(4294967290), INT64_C(0x7ffffffffffffff0), -20, INT64_MIN};
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  uint64_t seed = 42;
  for (int round = 0; round < 60; round++) {
    skep_deletes *d;
    assert_int_equal(skep_deletes_new(&ctx, &d, NULL), SKEP_OK);
    key dead[160];
    size_t n_dead = next_random(&seed) % 160;
    for (size_t i = 0; i < n_dead; i++) {
      dead[i] = (key){.write_id = (int64_t)(next_random(&seed) % 3) - 1,
                      .bucket = (int32_t)(next_random(&seed) % 2),
                      .row_id = (int64_t)((uint64_t)bases[next_random(&seed) % 6] + next_random(&seed) % 16)};
      assert_int_equal(skep_deletes_add(d, dead[i].write_id, dead[i].bucket, dead[i].row_id, NULL), SKEP_OK);
    }
    if (round % 2 == 1) assert_int_equal(skep_deletes_finish(d, NULL), SKEP_OK);
    /* rows: runs of consecutive ids, some going back, some across 2^32 */
    enum { N = 400 };
    static int64_t w[N], r[N];
    static int32_t b[N], got[N], want[N];
    key k = {0, 0, 0};
    for (int i = 0; i < N; i++) {
      if (i == 0 || next_random(&seed) % 12 == 0) {
        k = (key){.write_id = (int64_t)(next_random(&seed) % 3) - 1,
                  .bucket = (int32_t)(next_random(&seed) % 2),
                  .row_id = (int64_t)((uint64_t)bases[next_random(&seed) % 6] + next_random(&seed) % 8)};
      } else {
        k.row_id = (int64_t)((uint64_t)k.row_id + 1);
      }
      w[i] = k.write_id;
      b[i] = k.bucket;
      r[i] = k.row_id;
    }
    int64_t n_want = 0;
    for (int i = 0; i < N; i++) {
      bool is_dead = naive_contains(dead, n_dead, (key){w[i], b[i], r[i]});
      assert_int_equal(skep_deletes_contains(d, w[i], b[i], r[i]), is_dead);
      if (!is_dead) want[n_want++] = i;
    }
    assert_int_equal(skep_deletes_filter(d, w, b, r, N, got), n_want);
    assert_memory_equal(got, want, (size_t)n_want * sizeof *want);
    for (int i = 0; i < N; i++) { /* ranges of 1 to 8 rows */
      int64_t last = r[i] > INT64_MAX - 7 ? INT64_MAX : r[i] + (int64_t)(next_random(&seed) % 8), n = 0;
      bool touches = false;
      for (int64_t id = r[i];; id++) {
        bool is_dead = naive_contains(dead, n_dead, (key){w[i], b[i], id});
        touches |= is_dead;
        if (!is_dead) want[n++] = (int32_t)(id - r[i]);
        if (id == last) break;
      }
      assert_int_equal(skep_deletes_touch(d, w[i], b[i], r[i], last), touches);
      skep_key_box box = {w[i], w[i], b[i], b[i], r[i], last};
      assert_int_equal(skep_deletes_touch_box(d, &box), touches);
      assert_int_equal(skep_deletes_filter_range(d, w[i], b[i], r[i], last - r[i] + 1, got), n);
      if (n != 0) assert_memory_equal(got, want, (size_t)n * sizeof *want);
    }
    skep_deletes_free(d);
  }
}

static void a_range_wider_than_the_set_is_answered_from_the_set(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_deletes *d;
  assert_int_equal(skep_deletes_new(&ctx, &d, NULL), SKEP_OK);
  assert_false(skep_deletes_touch(d, 1, 0, INT64_MIN, INT64_MAX));
  assert_int_equal(skep_deletes_add(d, 1, 0, INT64_C(1) << 40, NULL), SKEP_OK);
  assert_true(skep_deletes_touch(d, 1, 0, INT64_MIN, INT64_MAX));
  assert_false(skep_deletes_touch(d, 1, 0, INT64_MIN, (INT64_C(1) << 40) - 1));
  assert_false(skep_deletes_touch(d, 1, 1, INT64_MIN, INT64_MAX));
  assert_false(skep_deletes_touch(d, 1, 0, 5, 4));
  skep_key_box box = {0, 9, 0, 0, INT64_MIN, INT64_MAX};
  assert_true(skep_deletes_touch_box(d, &box));
  box.min_write_id = 2;
  assert_false(skep_deletes_touch_box(d, &box));
  skep_deletes_free(d);
}

static void many_at_once_equal_one_by_one(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  enum { N = 20000 };
  int64_t *w = calloc(N, sizeof *w), *r = calloc(N, sizeof *r);
  int32_t *b = calloc(N, sizeof *b);
  assert_non_null(w);
  assert_non_null(r);
  assert_non_null(b);
  uint64_t seed = 7;
  for (int i = 0; i < N; i++) { /* consecutive stretches, sparse ones, steps to another write id, repeats */
    w[i] = 1 + i / 5000;
    b[i] = 536870912;
    r[i] = i % 5000 < 2000 ? i : (int64_t)(next_random(&seed) % 100000);
  }
  skep_deletes *many, *single;
  assert_int_equal(skep_deletes_new(&ctx, &many, NULL), SKEP_OK);
  assert_int_equal(skep_deletes_new(&ctx, &single, NULL), SKEP_OK);
  assert_int_equal(skep_deletes_add_many(many, w, b, r, N, NULL), SKEP_OK);
  for (int i = 0; i < N; i++) assert_int_equal(skep_deletes_add(single, w[i], b[i], r[i], NULL), SKEP_OK);
  assert_int_equal(skep_deletes_finish(many, NULL), SKEP_OK);
  assert_true(skep_deletes_count(many) == skep_deletes_count(single));
  for (int64_t id = 0; id < 100000; id++) {
    for (int64_t t = 1; t <= 4; t++) {
      assert_int_equal(skep_deletes_contains(many, t, 536870912, id), skep_deletes_contains(single, t, 536870912, id));
    }
  }
  skep_deletes_free(many);
  skep_deletes_free(single);
  free(w);
  free(r);
  free(b);
}

static void memory_is_bounded_by_the_limit(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  ctx.limits.max_delete_bytes = 1 << 20;
  skep_deletes *d;
  skep_err err;
  assert_int_equal(skep_deletes_new(&ctx, &d, &err), SKEP_OK);
  skep_status st = SKEP_OK;
  for (int64_t i = 0; st == SKEP_OK && i < 100000; i++)
    st = skep_deletes_add(d, i * 7, 0, i, &err); /* a bitmap for each */
  assert_int_equal(st, SKEP_ERR_LIMIT);
  assert_non_null(strstr(err.text, "more than the limit of 1048576"));
  assert_true(skep_deletes_memory(d) < (2 << 20));
  skep_deletes_free(d);

  assert_int_equal(skep_deletes_new(&ctx, &d, &err), SKEP_OK);
  st = SKEP_OK;
  for (int64_t i = 0; st == SKEP_OK && i < 10000000; i++)
    st = skep_deletes_add(d, 1, 0, i * 65536, &err); /* a container each */
  assert_int_equal(st, SKEP_ERR_LIMIT);
  skep_deletes_free(d);
}

static void dense_deletes_cost_almost_nothing(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_deletes *d;
  assert_int_equal(skep_deletes_new(&ctx, &d, NULL), SKEP_OK);
  for (int64_t i = 0; i < 1000000; i++) assert_int_equal(skep_deletes_add(d, 1, 0, i, NULL), SKEP_OK);
  assert_int_equal(skep_deletes_finish(d, NULL), SKEP_OK);
  assert_true(skep_deletes_count(d) == 1000000);
  assert_true(skep_deletes_memory(d) < 10000);
  skep_deletes_free(d);
}

static void running_out_of_memory_is_a_status(void **state) {
  (void)state;
  skep_ctx ctx;
  failing_alloc memory;
  failing_alloc_ctx(&memory, &ctx);
  for (uint64_t n = 1;; n++) {
    failing_alloc_arm(&memory, n);
    skep_deletes *d;
    skep_status st = skep_deletes_new(&ctx, &d, NULL);
    for (int64_t i = 0; st == SKEP_OK && i < 100; i++) st = skep_deletes_add(d, i, 0, i, NULL);
    skep_deletes_free(d);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) break;
    assert_int_equal(st, SKEP_ERR_NOMEM);
  }
  skep_deletes_free(NULL);
}

/* ---- --long ---- */

static size_t resident_bytes(void) {
  FILE *f = fopen("/proc/self/statm", "r");
  unsigned long pages = 0, resident = 0;
  if (f != NULL && fscanf(f, "%lu %lu", &pages, &resident) != 2) resident = 0;
  if (f != NULL) fclose(f);
  return resident * 4096;
}

/* Deletes n rows, one in `step`, exactly or at random; false when a row costs more than max_bytes. */
static bool measure(const char *what, int64_t n, int64_t step, bool is_random, double max_bytes) {
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_deletes *d;
  skep_err err;
  enum { BATCH = 4096 };
  static int64_t w[BATCH], r[BATCH];
  static int32_t b[BATCH];
  uint64_t seed = 1;
  int64_t id = 0, start = ctx.monotonic_ns(NULL);
  size_t before = resident_bytes();
  assert_ok(skep_deletes_new(&ctx, &d, &err), err);
  for (int64_t done = 0; done < n; done += BATCH) {
    for (int i = 0; i < BATCH; i++) {
      id += is_random ? 1 + (int64_t)(next_random(&seed) % (uint64_t)(2 * step - 1)) : step;
      w[i] = 1 + id / 1000000000;
      b[i] = 536870912;
      r[i] = id % 1000000000;
    }
    assert_ok(skep_deletes_add_many(d, w, b, r, BATCH, &err), err);
  }
  size_t after = resident_bytes();
  assert_ok(skep_deletes_finish(d, &err), err);
  double rows = (double)skep_deletes_count(d), ns = (double)(ctx.monotonic_ns(NULL) - start);
  double bytes = (double)skep_deletes_memory(d) / rows, grown = after > before ? (double)(after - before) / rows : 0;
  printf("%-22s %9.0f rows: %6.2f bytes a row (resident while loading %6.2f), %5.1f ns a row\n", what, rows, bytes,
         grown, ns / rows);
  skep_deletes_free(d);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  grown = 0; /* a sanitizer keeps what is freed, and shadows the rest */
#endif
  return bytes <= max_bytes && grown <= max_bytes * 1.2;
}

static void a_hundred_million_deletes_fit(void **state) {
  (void)state;
  bool ok = measure("all rows", 100000000, 1, false, 0.01);
  ok &= measure("every 2nd", 100000000, 2, false, 0.3);
  ok &= measure("every 100th", 100000000, 100, false, 2.2);
  ok &= measure("1 % at random", 100000000, 100, true, 2.2);
  ok &= measure("1 in 10000 at random", 100000000, 10000, true, 11);
  ok &= measure("1 in 100000 at random", 10000000, 100000, true, 50);
  assert_true(ok);
}

int main(int argc, char **argv) {
  const struct CMUnitTest long_tests[] = {cmocka_unit_test(a_hundred_million_deletes_fit)};
  if (argc > 1 && strcmp(argv[1], "--long") == 0) return cmocka_run_group_tests(long_tests, NULL, NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(random_sets_agree_with_a_naive_list),
      cmocka_unit_test(a_range_wider_than_the_set_is_answered_from_the_set),
      cmocka_unit_test(many_at_once_equal_one_by_one),
      cmocka_unit_test(memory_is_bounded_by_the_limit),
      cmocka_unit_test(dense_deletes_cost_almost_nothing),
      cmocka_unit_test(running_out_of_memory_is_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
