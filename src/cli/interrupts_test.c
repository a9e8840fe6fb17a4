/* Signals: they cancel what runs, end a read, and are forgotten once taken. */
#include "cli/interrupts.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "cli/output.h"
#include "support/test.h"

typedef struct statement {
  int n_cancels; /* __atomic builtins only */
} statement;

static void cancel(void *self) { __atomic_add_fetch(&((statement *)self)->n_cancels, 1, __ATOMIC_SEQ_CST); }

static double progress(void *self) {
  (void)self;
  return 0.5;
}

static skep_interrupts *started(skep_ctx *ctx) {
  static skep_interrupts it;
  skep_err err = {0};
  skep_ctx_init(ctx);
  assert_int_equal(skep_interrupts_start(&it, ctx, SKEP_SHOW_NOTHING, &err), SKEP_OK);
  return &it;
}

static void wait_until_pending(skep_interrupts *it) {
  while (!skep_interrupts_pending(it)) usleep(1000);
}

static void a_signal_cancels_the_statement_that_runs_and_is_forgotten_once_taken(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_interrupts *it = started(&ctx);
  statement s = {0};
  bool terminated = true;
  assert_false(skep_interrupts_take(it, &terminated));
  assert_false(terminated);
  skep_interrupts_begin(it, cancel, progress, &s);
  kill(getpid(), SIGINT);
  while (__atomic_load_n(&s.n_cancels, __ATOMIC_SEQ_CST) == 0) usleep(1000);
  skep_interrupts_end(it);             /* the signal's work is done: it cancels first, then says so */
  assert_true(skep_cli_interrupted()); /* a blocked write ends */
  assert_true(skep_interrupts_take(it, &terminated));
  assert_false(terminated);
  assert_false(skep_cli_interrupted());
  assert_false(skep_interrupts_take(it, &terminated));
  skep_interrupts_stop(it);
}

static void a_statement_that_was_only_beginning_is_cancelled_again(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_interrupts *it = started(&ctx);
  statement s = {0};
  bool terminated;
  skep_interrupts_begin(it, cancel, progress, &s);
  kill(getpid(), SIGINT);
  while (__atomic_load_n(&s.n_cancels, __ATOMIC_SEQ_CST) < 3) usleep(1000);
  skep_interrupts_end(it);
  assert_true(skep_interrupts_take(it, &terminated));
  skep_interrupts_stop(it);
}

static void between_statements_a_signal_cancels_nothing_and_ends_a_read(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_interrupts *it = started(&ctx);
  bool terminated;
  int ends[2];
  char byte;
  assert_int_equal(pipe(ends), 0);
  assert_int_equal(write(ends[1], "x", 1), 1);
  assert_int_equal(skep_interrupts_read(it, ends[0], &byte, 1), 1);
  kill(getpid(), SIGINT);
  errno = 0;
  assert_int_equal(skep_interrupts_read(it, ends[0], &byte, 1), -1);
  assert_int_equal(errno, EINTR);
  assert_false(skep_cli_interrupted());
  assert_true(skep_interrupts_take(it, &terminated));
  close(ends[1]);
  assert_int_equal(skep_interrupts_read(it, ends[0], &byte, 1), 0); /* the end */
  close(ends[0]);
  skep_interrupts_stop(it);
}

static void sigterm_is_not_forgotten(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_interrupts *it = started(&ctx);
  bool terminated = false;
  kill(getpid(), SIGTERM);
  wait_until_pending(it);
  assert_true(skep_interrupts_take(it, &terminated));
  assert_true(terminated);
  assert_false(skep_interrupts_take(it, &terminated));
  assert_true(terminated);
  skep_interrupts_stop(it);
  skep_interrupts_stop(it); /* twice does no harm */
}

/* Seconds pass whenever somebody looks at the clock. */
static int64_t quick_ns(void *self) {
  static int64_t now; /* __atomic builtins only */
  (void)self;
  return __atomic_add_fetch(&now, 1000000000, __ATOMIC_SEQ_CST);
}

static bool waits(void *self, char *out, size_t size) {
  __atomic_add_fetch(&((statement *)self)->n_cancels, 1, __ATOMIC_SEQ_CST);
  snprintf(out, size, "EXCLUSIVE on db.t");
  return true;
}

static void where_nobody_watches_a_wait_is_told_once(void **state) {
  (void)state;
  static const char line[] = "The statement waits for a lock: EXCLUSIVE on db.t\n";
  skep_ctx ctx;
  skep_err err = {0};
  skep_interrupts it;
  statement s = {0};
  char text[200] = "";
  int ends[2], was = dup(STDERR_FILENO);
  skep_ctx_init(&ctx);
  ctx.monotonic_ns = quick_ns;
  assert_int_equal(pipe(ends), 0);
  assert_ok(skep_interrupts_start(&it, &ctx, SKEP_SHOW_WAITS, &err), err);
  it.waits = waits;
  assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
  skep_interrupts_begin(&it, cancel, progress, &s);
  assert_int_equal(read(ends[0], text, sizeof text - 1), (int)strlen(line));
  int looks = __atomic_load_n(&s.n_cancels, __ATOMIC_SEQ_CST);
  usleep(500000); /* some more ticks */
  skep_interrupts_end(&it);
  assert_int_equal(__atomic_load_n(&s.n_cancels, __ATOMIC_SEQ_CST), looks);
  skep_interrupts_stop(&it);
  assert_int_equal(dup2(was, STDERR_FILENO), STDERR_FILENO);
  assert_string_equal(text, line);
  close(was);
  close(ends[0]);
  close(ends[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_signal_cancels_the_statement_that_runs_and_is_forgotten_once_taken),
      cmocka_unit_test(a_statement_that_was_only_beginning_is_cancelled_again),
      cmocka_unit_test(between_statements_a_signal_cancels_nothing_and_ends_a_read),
      cmocka_unit_test(sigterm_is_not_forgotten),
      cmocka_unit_test(where_nobody_watches_a_wait_is_told_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
