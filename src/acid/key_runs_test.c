/* Keys of deleted rows under a small budget: they come back as a plain sort has them, however often they spilled. */
#include "acid/key_runs.h"

#include <stdlib.h>

#include "acid/delta_testing.h"
#include "acid/name.h"
#include "acid/row_key_sort.h"

enum { SPILLS = 8192 * 48 }; /* a budget whose half is 4096 keys in memory */

static uint32_t next_random(uint32_t *seed) { return *seed = *seed * 1664525u + 1013904223u; }

static skep_row_key random_key(uint32_t *seed) {
  return (skep_row_key){.write_id = 1 + next_random(seed) % 5,
                        .bucket = skep_bucket_encode((int32_t)(next_random(seed) >> 8) % 4, 0),
                        .row_id = next_random(seed) >> 4};
}

static int compare(const void *a, const void *b) {
  return skep_row_key_less(a, b) ? -1 : skep_row_key_less(b, a) ? 1 : 0;
}

static skep_status add(skep_key_runs *r, const skep_row_key *keys, size_t n, size_t at_once, skep_err *err) {
  for (size_t done = 0, part; done < n; done += part) {
    skep_row_key *room;
    part = n - done < at_once ? n - done : at_once;
    SKEP_TRY(skep_key_runs_room(r, part, &room, err));
    memcpy(room, keys + done, part * sizeof *keys);
    skep_key_runs_grow(r, part);
  }
  return SKEP_OK;
}

static void expect_sorted(writing *t, skep_key_runs *r, skep_row_key *model, size_t n_model) {
  const skep_row_key *keys;
  size_t n, at = 0;
  qsort(model, n_model, sizeof *model, compare);
  assert_ok(skep_key_runs_start(r, &t->err), t->err);
  do {
    assert_ok(skep_key_runs_next(r, &keys, &n, &t->err), t->err);
    assert_true(n <= SKEP_KEY_RUNS_AT_ONCE && at + n <= n_model);
    for (size_t i = 0; i < n; i++, at++) assert_true(skep_row_key_equal(&keys[i], &model[at]));
  } while (n != 0);
  assert_int_equal(at, n_model);
}

static void spilled_keys_come_back_in_order(void **state) {
  static const struct {
    size_t n, at_once;
    uint64_t budget;
    bool in_order;
  } cases[] = {{0, 1, SPILLS, false},    {1, 1, SPILLS, false},        {4096, 256, SPILLS, false},
               {4097, 1, SPILLS, false}, {40000, 1000, SPILLS, false}, {40000, 3000, SPILLS, true},
               {200000, 700, 48, false}, /* hardly a budget: a run of 1024 keys or so each, merged in between */
               {40000, 1000, 0, false}};
  writing *t = *state;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    uint32_t seed = 20261130u + (uint32_t)c;
    skep_write_budget budget;
    skep_key_runs r;
    skep_row_key *model = calloc(cases[c].n + 1, sizeof *model);
    for (size_t i = 0; i < cases[c].n; i++) model[i] = random_key(&seed);
    if (cases[c].in_order) qsort(model, cases[c].n, sizeof *model, compare);
    skep_write_budget_init(&budget, &t->ctx, t->fs, "spill", cases[c].budget);
    skep_key_runs_init(&r, &t->ctx, &budget);
    assert_ok(add(&r, model, cases[c].n, cases[c].at_once, &t->err), t->err);
    assert_int_equal(r.n_runs != 0, cases[c].n > 4096 && cases[c].budget != 0);
    assert_true(r.n_runs <= 128);
    expect_sorted(t, &r, model, cases[c].n);
    skep_key_runs_fini(&r);
    assert_int_equal(budget.key_bytes, 0);
    assert_null(budget.first);
    skep_write_budget_fini(&budget);
    assert_string_equal(writing_tree(t, "spill"), "");
    free(model);
  }
}

static void writers_share_the_budget_and_the_largest_spills(void **state) {
  enum { WRITERS = 7, PER_WRITER = 9000 };
  writing *t = *state;
  uint32_t seed = 42;
  skep_write_budget budget;
  skep_key_runs r[WRITERS];
  size_t n[WRITERS] = {0};
  static skep_row_key model[WRITERS][PER_WRITER];
  skep_write_budget_init(&budget, &t->ctx, t->fs, "spill", SPILLS);
  assert_int_equal(budget.stripes.max_bytes, SPILLS);
  for (int i = 0; i < WRITERS; i++) skep_key_runs_init(&r[i], &t->ctx, &budget);
  assert_int_equal(budget.stripes.max_bytes, SPILLS / 2); /* the other half is for keys */
  for (int round = 0; round < 2000; round++) {
    size_t w = next_random(&seed) >> 8, part = (next_random(&seed) >> 8) % 40;
    w %= w % 3 == 0 ? 1 : WRITERS; /* the first one gets most */
    if (n[w] + part > PER_WRITER) continue;
    for (size_t i = 0; i < part; i++) model[w][n[w] + i] = random_key(&seed);
    assert_ok(add(&r[w], model[w] + n[w], part, part + 1, &t->err), t->err);
    n[w] += part;
    /* beyond it by writers that are too small for a file of their own */
    assert_true(budget.key_bytes <= SPILLS / 2 + (uint64_t)WRITERS * 2 * 1024 * 48);
  }
  assert_true(budget.n_spilled > 2);
  for (int i = 0; i < WRITERS; i++) {
    expect_sorted(t, &r[i], model[i], n[i]);
    skep_key_runs_fini(&r[i]);
  }
  skep_write_budget_fini(&budget);
  assert_string_equal(writing_tree(t, "spill"), "");
}

static skep_status scenario(writing *t, const skep_row_key *keys, size_t n, size_t *n_out) {
  skep_write_budget budget;
  skep_key_runs r;
  const skep_row_key *out;
  size_t part = 1;
  *n_out = 0;
  skep_write_budget_init(&budget, &t->ctx, t->fs, "spill", SPILLS);
  skep_key_runs_init(&r, &t->ctx, &budget);
  skep_status status = add(&r, keys, n, 512, &t->err);
  if (status == SKEP_OK) status = skep_key_runs_start(&r, &t->err);
  while (status == SKEP_OK && part != 0) {
    status = skep_key_runs_next(&r, &out, &part, &t->err);
    if (status == SKEP_OK) *n_out += part;
  }
  skep_key_runs_fini(&r);
  skep_write_budget_fini(&budget);
  return status;
}

static void failing_calls_and_allocations_are_reported(void **state) {
  enum { N = 20000 };
  static skep_row_key keys[N];
  writing *t = *state;
  uint32_t seed = 7;
  size_t n;
  for (int i = 0; i < N; i++) keys[i] = random_key(&seed);
  uint64_t nth = 1;
  for (;; nth++) {
    skep_fs_faulty_fail_nth(t->fs, nth, false);
    uint64_t before = skep_fs_faulty_counts(t->fs).calls;
    skep_status status = scenario(t, keys, N, &n);
    skep_fs_faulty_fail_nth(t->fs, 0, false);
    if (skep_fs_faulty_counts(t->fs).calls - before < nth) break;
    /* a file that cannot be removed fails nothing */
    assert_true(status == SKEP_ERR_IO || (status == SKEP_OK && n == N));
    if (status == SKEP_OK) writing_again(t);
    assert_string_equal(writing_tree(t, "spill"), "");
    writing_again(t);
  }
  assert_true(nth > 20);
  assert_int_equal(n, N);
  for (nth = 1;; nth++) {
    failing_alloc_arm(&t->memory, nth);
    skep_status status = scenario(t, keys, N, &n);
    bool fired = failing_alloc_fired(&t->memory);
    failing_alloc_arm(&t->memory, 0);
    if (!fired) break;
    assert_true(status == SKEP_ERR_NOMEM || (status == SKEP_OK && n == N));
    writing_again(t);
  }
  assert_true(nth > 20);
}

/* What the machine lost or somebody changed under us is no wrong answer: a run that is too short is an error. */
static void a_run_that_was_cut_is_an_error(void **state) {
  enum { N = 10000 };
  static skep_row_key keys[N];
  writing *t = *state;
  uint32_t seed = 9;
  skep_write_budget budget;
  skep_key_runs r;
  skep_file *file;
  for (int i = 0; i < N; i++) keys[i] = random_key(&seed);
  skep_write_budget_init(&budget, &t->ctx, t->fs, "spill", SPILLS);
  skep_key_runs_init(&r, &t->ctx, &budget);
  assert_ok(add(&r, keys, N, 512, &t->err), t->err);
  assert_true(r.n_runs >= 1);
  assert_ok(skep_fs_remove_file(t->fs, "spill/deletes-0", &t->err), t->err);
  assert_ok(skep_fs_create(t->fs, "spill/deletes-0", &file, &t->err), t->err);
  assert_ok(skep_file_append(file, "short", 5, &t->err), t->err);
  assert_ok(skep_file_close(file, &t->err), t->err);
  assert_int_equal(skep_key_runs_start(&r, &t->err), SKEP_ERR_CORRUPT);
  skep_key_runs_fini(&r);
  skep_write_budget_fini(&budget);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, writing_setup, writing_teardown)
  const struct CMUnitTest tests[] = {
      TEST(spilled_keys_come_back_in_order),
      TEST(writers_share_the_budget_and_the_largest_spills),
      TEST(failing_calls_and_allocations_are_reported),
      TEST(a_run_that_was_cut_is_an_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
