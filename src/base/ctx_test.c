/* The context: allocation through it, its clocks, its log. */
#include "base/ctx.h"

#include "support/failing_alloc.h"
#include "support/test.h"

static void allocation_goes_through_the_context(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  failing_alloc_ctx(&memory, &ctx);
  void *a = skep_alloc(&ctx, 0);
  char *b = skep_strndup(&ctx, "bee hive", 3);
  assert_non_null(a);
  assert_string_equal(b, "bee");
  assert_int_equal(failing_alloc_live(&memory), 2);
  failing_alloc_arm(&memory, 1);
  assert_null(skep_resize(&ctx, b, 100));
  assert_string_equal(b, "bee");
  b = skep_resize(&ctx, b, 100);
  assert_string_equal(b, "bee");
  skep_release(&ctx, a);
  skep_release(&ctx, b);
  skep_release(&ctx, NULL);
  assert_int_equal(failing_alloc_live(&memory), 0);
  assert_int_equal(memory.live_bytes, 0);
}

static void zeroed_blocks_check_the_product(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  assert_null(skep_alloc_zero(&ctx, SIZE_MAX / 2, 3));
  uint8_t *block = skep_alloc_zero(&ctx, 3, 5);
  for (size_t i = 0; i < 15; i++) assert_int_equal(block[i], 0);
  skep_release(&ctx, block);
}

static void grow_doubles_and_keeps_the_block_on_failure(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  failing_alloc_ctx(&memory, &ctx);
  skep_err err = {0};
  void *block = NULL;
  size_t capacity = 0;
  assert_ok(skep_grow(&ctx, &block, &capacity, 1, 4, &err), err);
  assert_int_equal(capacity, 8);
  assert_ok(skep_grow(&ctx, &block, &capacity, 17, 4, &err), err);
  assert_int_equal(capacity, 32);
  void *before = block;
  failing_alloc_arm(&memory, 1);
  assert_fails(skep_grow(&ctx, &block, &capacity, 33, 4, &err), SKEP_ERR_NOMEM, err, "33 elements of 4 bytes");
  assert_fails(skep_grow(&ctx, &block, &capacity, SIZE_MAX / 2, 4, &err), SKEP_ERR_NOMEM, err, "out of memory");
  assert_ptr_equal(block, before);
  assert_int_equal(capacity, 32);
  skep_release(&ctx, block);
}

static void clocks_and_random_bits_move(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  assert_true(ctx.clock_ms(ctx.clock_self) > INT64_C(1600000000000)); /* after 2020 */
  int64_t start = ctx.monotonic_ns(ctx.clock_self);
  ctx.sleep_ms(ctx.clock_self, 2);
  assert_true(ctx.monotonic_ns(ctx.clock_self) - start >= 2000000);
  assert_true(ctx.random(ctx.random_self) != ctx.random(ctx.random_self));
}

static void keep_line(void *self, skep_log_level level, const char *line) { snprintf(self, 64, "%d %s", level, line); }

static void the_log_has_a_level_and_may_be_absent(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_log(&ctx, SKEP_LOG_ERROR, "nobody listens");
  char line[64] = "";
  ctx.log = keep_line;
  ctx.log_self = line;
  skep_log(&ctx, SKEP_LOG_INFO, "below the level");
  assert_string_equal(line, "");
  skep_log(&ctx, SKEP_LOG_WARN, "unknown name %s", "x");
  assert_string_equal(line, "2 unknown name x");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(allocation_goes_through_the_context),         cmocka_unit_test(zeroed_blocks_check_the_product),
      cmocka_unit_test(grow_doubles_and_keeps_the_block_on_failure), cmocka_unit_test(clocks_and_random_bits_move),
      cmocka_unit_test(the_log_has_a_level_and_may_be_absent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
