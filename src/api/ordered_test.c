/* The ordered parallel scan over scans that the test makes itself: order, bounds, errors, cancelling. The skep_scan_...
 * functions here take the place of acid/scan.c in this program. */
#include "api/ordered.h"

#include <sched.h>

#include "support/failing_alloc.h"
#include "support/test.h"

static skep_ctx ctx;
static failing_alloc memory;
static skep_arena arena;
static const skep_type *row_type;
static _Atomic int open_scans, most_open_scans, opened;

/* A fake split is described by its fields: n_rows_hint rows; first_stripe = batch that fails to decode (0: none). */
struct skep_scan {
  const skep_split *split;
  uint64_t next, batch;
};

void skep_scan_keeper_release(skep_scan_cache *cache, skep_scan_keeper *keeper) {
  (void)cache;
  *keeper = (skep_scan_keeper){.deletes = NULL};
}

skep_status skep_scan_open_kept(skep_scan_cache *cache, const skep_split *split, const skep_forms *forms,
                                skep_scan_keeper *keeper, skep_scan **out, skep_err *err) {
  (void)cache, (void)forms, (void)keeper;
  *out = NULL;
  atomic_fetch_add(&opened, 1);
  if (split->first_stripe == UINT32_MAX) return skep_fail(err, SKEP_ERR_IO, "cannot open");
  skep_scan *s = skep_alloc_zero(&ctx, 1, sizeof *s);
  if (s == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a scan");
  s->split = split;
  int n = atomic_fetch_add(&open_scans, 1) + 1, most = atomic_load(&most_open_scans);
  while (n > most && !atomic_compare_exchange_weak(&most_open_scans, &most, n)) {
  }
  *out = s;
  return SKEP_OK;
}

void skep_scan_close(skep_scan *scan) {
  if (scan == NULL) return;
  atomic_fetch_sub(&open_scans, 1);
  skep_release(&ctx, scan);
}

const skep_type *skep_scan_type(const skep_scan *scan) {
  (void)scan;
  return row_type;
}

uint64_t skep_scan_rows_read(const skep_scan *scan) { return scan->next; }

/* Rows are the numbers 1000000 * split + row; every third batch lets other threads go first. */
skep_status skep_scan_next(skep_scan *scan, int64_t max_rows, skep_batch *batch, skep_err *err) {
  skep_vec *v = &batch->root.children[0];
  skep_vec_reset(&batch->root);
  scan->batch++;
  if (scan->batch == scan->split->first_stripe)
    return skep_fail(err, SKEP_ERR_CORRUPT, "batch %d is bad", (int)scan->batch);
  if (scan->next == scan->split->n_rows_hint) return SKEP_END;
  int64_t n = 0;
  SKEP_TRY(skep_vec_reserve(v, max_rows, false, err));
  for (; n < max_rows && scan->next < scan->split->n_rows_hint; n++) {
    ((int64_t *)v->values.data)[n] = (int64_t)scan->split->delete_set * 1000000 + (int64_t)scan->next++;
  }
  v->length = batch->root.length = n;
  if (scan->batch % 3 == 0) sched_yield();
  return SKEP_OK;
}

typedef struct item {
  int64_t n;
  int64_t *rows;
} item;

static skep_status copy_rows(void *self, skep_batch *batch, void *to, skep_err *err) {
  item *it = to;
  const skep_vec *v = &batch->root.children[0];
  int64_t *fail_at = self;
  skep_release(&ctx, it->rows);
  it->n = v->length;
  it->rows = skep_alloc_zero(&ctx, (size_t)v->length + 1, sizeof *it->rows);
  if (it->rows == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for an item");
  memcpy(it->rows, v->values.data, (size_t)v->length * sizeof *it->rows);
  if (it->rows[0] == *fail_at) return skep_fail(err, SKEP_ERR_RANGE, "row %lld cannot be shown", (long long)*fail_at);
  if (it->rows[0] % 7 == 0) sched_yield();
  return SKEP_OK;
}

static void item_fini(void *self, void *to) {
  (void)self;
  skep_release(&ctx, ((item *)to)->rows);
}

/* Runs the splits to the end; checks that rows come in order without gap until `status`; returns how many came. */
static uint64_t run(const skep_split *splits, uint32_t n, uint32_t threads, int64_t fail_at, skep_status expected,
                    const char *text) {
  skep_err err = {0};
  skep_ordered *o;
  skep_ordered_opts opts = {.n_threads = threads,
                            .batch_rows = 5,
                            .item_size = sizeof(item),
                            .transform = copy_rows,
                            .item_fini = item_fini,
                            .self = &fail_at};
  assert_ok(skep_ordered_open(&ctx, NULL, splits, n, &opts, &o, &err), err);
  uint64_t rows = 0;
  uint32_t split = 0;
  uint64_t row = 0;
  skep_status status;
  void *got;
  while ((status = skep_ordered_next(o, &got, &err)) == SKEP_OK) {
    const item *it = got;
    for (int64_t i = 0; i < it->n; i++, row++, rows++) {
      while (split < n && row == splits[split].n_rows_hint) split++, row = 0;
      assert_int_equal(it->rows[i], (int64_t)split * 1000000 + (int64_t)row);
    }
  }
  assert_int_equal(status, expected);
  if (expected != SKEP_END) {
    assert_string_equal(err.text, text);
    memset(&err, 0, sizeof err);
    assert_int_equal(skep_ordered_next(o, &got, &err), expected); /* sticky */
    assert_string_equal(err.text, text);
  } else {
    assert_int_equal(skep_ordered_progress_of(o).splits_done, n);
    assert_int_equal(skep_ordered_progress_of(o).rows_read, rows);
  }
  skep_ordered_close(o);
  assert_int_equal(open_scans, 0);
  return rows;
}

enum { MOST_SPLITS = 60 };
static skep_split splits[MOST_SPLITS];

static uint64_t make(uint32_t n, uint64_t rows_of(uint32_t)) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    splits[i] = (skep_split){.delete_set = i, .n_rows_hint = rows_of(i)};
    sum += splits[i].n_rows_hint;
  }
  return sum;
}

static uint64_t one_large(uint32_t i) { return i == 3 ? 400 : 2; }
static uint64_t many_small(uint32_t i) { return i % 4; }
static uint64_t none(uint32_t i) { return i * 0; }
static uint64_t all_large(uint32_t i) { return 100 + i; }

static void rows_come_in_the_order_of_the_splits(void **state) {
  (void)state;
  static uint64_t (*const shapes[])(uint32_t) = {one_large, many_small, none, all_large};
  static const uint32_t threads[] = {0, 1, 2, 3, 8};
  for (size_t s = 0; s < 4; s++) {
    for (size_t t = 0; t < 5; t++) {
      for (uint32_t n = 0; n <= MOST_SPLITS; n += 12) {
        uint64_t rows = make(n, shapes[s]);
        assert_int_equal(run(splits, n, threads[t], -1, SKEP_END, NULL), rows);
      }
    }
  }
}

static void a_failure_comes_after_the_rows_before_it(void **state) {
  (void)state;
  for (uint32_t threads = 0; threads <= 4; threads++) {
    make(MOST_SPLITS, all_large);
    splits[4].first_stripe = 3; /* 10 good rows */
    splits[6].first_stripe = UINT32_MAX;
    assert_int_equal(run(splits, MOST_SPLITS, threads, -1, SKEP_ERR_CORRUPT, "batch 3 is bad"),
                     100 + 101 + 102 + 103 + 10);
    make(MOST_SPLITS, all_large);
    splits[2].first_stripe = UINT32_MAX;
    assert_int_equal(run(splits, MOST_SPLITS, threads, -1, SKEP_ERR_IO, "cannot open"), 100 + 101);
    make(MOST_SPLITS, all_large);
    assert_int_equal(run(splits, MOST_SPLITS, threads, 1000000 + 50, SKEP_ERR_RANGE, "row 1000050 cannot be shown"),
                     150);
  }
}

static void read_ahead_is_bounded(void **state) {
  (void)state;
  skep_err err = {0};
  skep_ordered *o;
  int64_t fail_at = -1;
  skep_ordered_opts opts = {.n_threads = 2,
                            .batch_rows = 5,
                            .item_size = sizeof(item),
                            .transform = copy_rows,
                            .item_fini = item_fini,
                            .self = &fail_at};
  make(MOST_SPLITS, many_small);
  opened = most_open_scans = 0;
  assert_ok(skep_ordered_open(&ctx, NULL, splits, MOST_SPLITS, &opts, &o, &err), err);
  void *got;
  assert_ok(skep_ordered_next(o, &got, &err), err);
  for (int i = 0; i < 10000; i++) sched_yield();
  assert_true(opened <= 2 + 2 * 2 + 2); /* two finished (the first has no rows), and the window */
  skep_ordered_close(o);                /* in the middle: threads stop, everything is freed */
  assert_int_equal(open_scans, 0);
}

static bool stop_at_once(void *self, const skep_ordered *ordered) {
  (void)self;
  (void)skep_ordered_progress_of(ordered); /* may be asked from here */
  return false;
}

static void a_tick_can_cancel(void **state) {
  (void)state;
  skep_err err = {0};
  skep_ordered *o;
  int64_t fail_at = -1;
  skep_ordered_opts opts = {.batch_rows = 5,
                            .item_size = sizeof(item),
                            .transform = copy_rows,
                            .item_fini = item_fini,
                            .tick = stop_at_once,
                            .self = &fail_at};
  make(3, all_large);
  assert_ok(skep_ordered_open(&ctx, NULL, splits, 3, &opts, &o, &err), err);
  void *got;
  assert_fails(skep_ordered_next(o, &got, &err), SKEP_ERR_CANCELLED, err, "stopped");
  skep_ordered_close(o);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  make(4, one_large);
  for (uint64_t n = 1;; n++) {
    skep_err err = {0};
    skep_ordered *o;
    int64_t fail_at = -1;
    void *got;
    skep_ordered_opts opts = {.n_threads = (uint32_t)(n % 3),
                              .batch_rows = 50,
                              .item_size = sizeof(item),
                              .transform = copy_rows,
                              .item_fini = item_fini,
                              .self = &fail_at};
    uint64_t live = failing_alloc_live(&memory);
    failing_alloc_arm(&memory, n);
    skep_status status = skep_ordered_open(&ctx, NULL, splits, 4, &opts, &o, &err);
    while (status == SKEP_OK) status = skep_ordered_next(o, &got, &err);
    skep_ordered_close(o);
    bool fired = failing_alloc_fired(&memory);
    failing_alloc_arm(&memory, 0);
    assert_int_equal(failing_alloc_live(&memory), live);
    if (!fired) {
      assert_int_equal(status, SKEP_END);
      break;
    }
    assert_int_equal(status, SKEP_ERR_NOMEM);
  }
}

static int set_up(void **state) {
  (void)state;
  skep_err err = {0};
  failing_alloc_ctx(&memory, &ctx);
  skep_arena_init(&arena, &ctx, 1 << 20);
  assert_ok(skep_type_parse(&arena, "struct<a:bigint>", 16, &row_type, &err), err);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  skep_arena_fini(&arena);
  return (int)failing_alloc_live(&memory);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_come_in_the_order_of_the_splits),
      cmocka_unit_test(a_failure_comes_after_the_rows_before_it),
      cmocka_unit_test(read_ahead_is_bounded),
      cmocka_unit_test(a_tick_can_cancel),
      cmocka_unit_test(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
