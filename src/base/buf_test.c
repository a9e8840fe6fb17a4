/* The growable buffer: content, its maximum, sticky failure. */
#include "base/buf.h"

#include "support/failing_alloc.h"
#include "support/test.h"

static void appends_gather(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_buf buf;
  skep_buf_init(&buf, &ctx, 10000);
  assert_string_equal(skep_buf_string(&buf), "");
  assert_true(skep_buf_text(&buf, "hive "));
  assert_true(skep_buf_byte(&buf, '#'));
  assert_true(skep_buf_i64(&buf, INT64_MIN));
  assert_true(skep_buf_byte(&buf, ' '));
  assert_true(skep_buf_i64(&buf, 0));
  assert_true(skep_buf_printf(&buf, " %0300d", 7)); /* longer than the room that was there */
  assert_true(skep_buf_add(&buf, NULL, 0));
  assert_int_equal(buf.size, 329);
  assert_memory_equal(skep_buf_string(&buf), "hive #-9223372036854775808 0 000", 32);
  assert_int_equal(strlen(skep_buf_string(&buf)), 329);
  skep_buf_reset(&buf);
  assert_string_equal(skep_buf_string(&buf), "");
  skep_buf_i64(&buf, INT64_MAX);
  assert_string_equal(skep_buf_string(&buf), "9223372036854775807");
  skep_buf_reset(&buf);
  assert_true(skep_buf_quoted(&buf, '`', "a`b\"``"));
  assert_true(skep_buf_quoted(&buf, '"', "a`\""));
  assert_true(skep_buf_quoted(&buf, '`', ""));
  assert_string_equal(skep_buf_string(&buf), "`a``b\"`````\"a`\"\"\"``");
  skep_buf_fini(&buf);
  skep_buf_fini(&buf);
}

static void integers_are_printed_as_printf_does(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_buf buf;
  skep_buf_init(&buf, &ctx, 100);
  for (int sign = 0; sign < 2; sign++) {
    uint64_t power = 1;
    for (int digits = 0; digits < 19; digits++, power *= 10) {
      for (uint64_t off = 0; off < 203; off++) {
        int64_t value = (int64_t)(power - 101 + off);
        char expected[32];
        if (sign == 1) value = -value;
        snprintf(expected, sizeof expected, "%lld", (long long)value);
        skep_buf_reset(&buf);
        skep_buf_i64(&buf, value);
        assert_string_equal(skep_buf_string(&buf), expected);
      }
    }
  }
  skep_buf_fini(&buf);
}

static void the_maximum_can_be_reached_but_not_passed(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_err err = {0};
  skep_buf buf;
  skep_buf_init(&buf, &ctx, 100);
  assert_true(skep_buf_printf(&buf, "%099d", 1));
  assert_true(skep_buf_byte(&buf, 'x'));
  assert_int_equal(strlen(skep_buf_string(&buf)), 100);
  assert_ok(skep_buf_check(&buf, "line", &err), err);
  assert_false(skep_buf_byte(&buf, 'y'));
  assert_false(skep_buf_add(&buf, "", 0)); /* failure is sticky */
  assert_string_equal(skep_buf_string(&buf), "");
  assert_fails(skep_buf_check(&buf, "line", &err), SKEP_ERR_LIMIT, err, "line is longer than 100 bytes");
  skep_buf_reset(&buf);
  assert_false(skep_buf_printf(&buf, "%0101d", 1));
  skep_buf_reset(&buf);
  assert_false(skep_buf_reserve(&buf, SIZE_MAX));
  skep_buf_reset(&buf);
  assert_true(skep_buf_reserve(&buf, 100));
  skep_buf_fini(&buf);
}

static void a_copy_of_what_failed_is_none(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_arena arena;
  skep_buf buf;
  skep_ctx_init(&ctx);
  skep_arena_init(&arena, &ctx, 100);
  skep_buf_init(&buf, &ctx, 5);
  assert_string_equal(skep_buf_copy(&buf, &arena), "");
  skep_buf_text(&buf, "hive");
  char *copy = skep_buf_copy(&buf, &arena);
  assert_string_equal(copy, "hive");
  assert_ptr_not_equal(copy, buf.data);
  skep_buf_text(&buf, " acid"); /* too long: the four bytes that are there count no more */
  assert_int_equal(buf.size, 4);
  assert_null(skep_buf_copy(&buf, &arena));
  skep_buf_fini(&buf);
  skep_arena_fini(&arena);
}

static void running_out_of_memory_keeps_the_content_until_the_end(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  failing_alloc_ctx(&memory, &ctx);
  for (uint64_t n = 1;; n++) {
    skep_err err = {0};
    skep_buf buf;
    skep_buf_init(&buf, &ctx, SIZE_MAX);
    failing_alloc_arm(&memory, n);
    for (int i = 0; i < 100; i++) skep_buf_printf(&buf, "%d line %d, ", i, i);
    skep_status status = skep_buf_check(&buf, "text", &err);
    skep_buf_fini(&buf);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) {
      assert_int_equal(status, SKEP_OK);
      break;
    }
    assert_int_equal(status, SKEP_ERR_NOMEM);
    assert_non_null(strstr(err.text, "out of memory for text"));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(appends_gather),
      cmocka_unit_test(integers_are_printed_as_printf_does),
      cmocka_unit_test(the_maximum_can_be_reached_but_not_passed),
      cmocka_unit_test(a_copy_of_what_failed_is_none),
      cmocka_unit_test(running_out_of_memory_keeps_the_content_until_the_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
