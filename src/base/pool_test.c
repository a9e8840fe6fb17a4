/* The pool: every task runs once, the first failure wins, cancelling and freeing never lose a task. */
#include "base/pool.h"

#include "support/failing_alloc.h"
#include "support/test.h"

typedef struct shared {
  _Atomic int runs, cancelled;
  int fail_at; /* the run that fails, 0: none */
} shared;

static skep_status count_run(void *self, const skep_cancel *cancel, skep_err *err) {
  shared *s = self;
  int run = atomic_fetch_add(&s->runs, 1) + 1;
  if (skep_cancel_asked(cancel)) {
    atomic_fetch_add(&s->cancelled, 1);
    return skep_cancel_check(cancel, err);
  }
  if (run == s->fail_at) return skep_fail(err, SKEP_ERR_CORRUPT, "run %d is bad", run);
  return SKEP_OK;
}

static skep_status wait_for_cancel(void *self, const skep_cancel *cancel, skep_err *err) {
  shared *s = self;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  atomic_fetch_add(&s->runs, 1);
  while (!skep_cancel_asked(cancel)) ctx.sleep_ms(NULL, 1);
  return skep_cancel_check(cancel, err);
}

static void every_task_runs_once(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_err err = {0};
  for (unsigned threads = 1; threads <= 4; threads++) {
    for (size_t queue = 1; queue <= 9; queue += 4) {
      shared s = {0};
      skep_pool *pool;
      assert_ok(skep_pool_new(&ctx, threads, queue, &pool, &err), err);
      for (int i = 0; i < 200; i++) assert_ok(skep_pool_submit(pool, count_run, &s, &err), err);
      assert_ok(skep_pool_wait(pool, &err), err);
      assert_int_equal(s.runs, 200);
      assert_ok(skep_pool_submit(pool, count_run, &s, &err), err);
      skep_pool_free(pool); /* without a wait */
      assert_int_equal(s.runs, 201);
    }
  }
}

static void the_first_failure_is_reported_and_stops_the_rest(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_err err = {0};
  shared s = {.fail_at = 5};
  skep_pool *pool;
  assert_ok(skep_pool_new(&ctx, 2, 3, &pool, &err), err);
  int taken = 0;
  skep_status status = SKEP_OK;
  while (status == SKEP_OK) {
    status = skep_pool_submit(pool, count_run, &s, &err);
    taken += status == SKEP_OK;
  }
  assert_int_equal(status, SKEP_ERR_CANCELLED);
  assert_fails(skep_pool_wait(pool, &err), SKEP_ERR_CORRUPT, err, "run 5 is bad");
  assert_int_equal(s.runs, taken);
  assert_ok(skep_pool_submit(pool, count_run, &s, &err), err); /* ready again */
  assert_ok(skep_pool_wait(pool, &err), err);
  skep_pool_free(pool);
}

static void cancelling_wakes_tasks_and_a_waiting_submitter(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_err err = {0};
  shared s = {0};
  skep_pool *pool;
  assert_ok(skep_pool_new(&ctx, 2, 4, &pool, &err), err);
  for (int i = 0; i < 4; i++) assert_ok(skep_pool_submit(pool, wait_for_cancel, &s, &err), err);
  skep_pool_cancel(pool);
  assert_fails(skep_pool_submit(pool, wait_for_cancel, &s, &err), SKEP_ERR_CANCELLED, err, "cancelled");
  assert_fails(skep_pool_wait(pool, &err), SKEP_ERR_CANCELLED, err, "cancelled");
  assert_int_equal(s.runs, 4);
  assert_ok(skep_pool_submit(pool, wait_for_cancel, &s, &err), err);
  skep_pool_free(pool); /* ends a task that runs */
  assert_int_equal(s.runs, 5);
}

static void impossible_sizes_are_refused(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_err err = {0};
  skep_pool *pool;
  assert_fails(skep_pool_new(&ctx, 0, 1, &pool, &err), SKEP_ERR_ARGUMENT, err, "a pool of 0 threads");
  assert_fails(skep_pool_new(&ctx, 1025, 1, &pool, &err), SKEP_ERR_ARGUMENT, err, "a pool of 1025 threads");
  assert_fails(skep_pool_new(&ctx, 1, 0, &pool, &err), SKEP_ERR_ARGUMENT, err, "0 waiting tasks");
  assert_fails(skep_pool_new(&ctx, 1, SIZE_MAX, &pool, &err), SKEP_ERR_NOMEM, err, "out of memory");
  assert_null(pool);
  skep_pool_free(NULL);
  assert_true(skep_cpu_count() >= 1);
  assert_false(skep_cancel_asked(NULL));
}

static void a_failing_allocation_leaves_no_thread(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  failing_alloc_ctx(&memory, &ctx);
  for (uint64_t n = 1;; n++) {
    skep_pool *pool;
    failing_alloc_arm(&memory, n);
    skep_status status = skep_pool_new(&ctx, 2, 2, &pool, NULL);
    skep_pool_free(pool);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) break;
    assert_int_equal(status, SKEP_ERR_NOMEM);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_task_runs_once),
      cmocka_unit_test(the_first_failure_is_reported_and_stops_the_rest),
      cmocka_unit_test(cancelling_wakes_tasks_and_a_waiting_submitter),
      cmocka_unit_test(impossible_sizes_are_refused),
      cmocka_unit_test(a_failing_allocation_leaves_no_thread),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
