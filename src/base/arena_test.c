/* The arena: alignment, its maximum, no leak whatever allocation fails. */
#include "base/arena.h"

#include "support/failing_alloc.h"
#include "support/test.h"

static void blocks_are_aligned_and_disjoint(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_arena arena;
  skep_arena_init(&arena, &ctx, 1 << 24);
  uint8_t *parts[600];
  for (size_t i = 0; i < 600; i++) {
    size_t size = (i * 37) % 300 + (i % 100 == 99 ? 100000 : 0);
    parts[i] = skep_arena_alloc(&arena, size);
    assert_non_null(parts[i]);
    assert_int_equal((uintptr_t)parts[i] % 16, 0);
    memset(parts[i], (int)(i & 0xff), size);
  }
  for (size_t i = 0; i < 600; i++) {
    size_t size = (i * 37) % 300 + (i % 100 == 99 ? 100000 : 0);
    for (size_t j = 0; j < size; j++) assert_int_equal(parts[i][j], i & 0xff);
  }
  skep_arena_fini(&arena);
  skep_arena_fini(&arena);
}

static void a_request_beyond_the_maximum_fails(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_arena arena;
  skep_arena_init(&arena, &ctx, 100);
  assert_null(skep_arena_alloc(&arena, 101));
  assert_non_null(skep_arena_alloc(&arena, 60));
  assert_null(skep_arena_alloc(&arena, 41));
  assert_non_null(skep_arena_alloc(&arena, 40));
  assert_null(skep_arena_alloc(&arena, 0)); /* counts as one byte */
  assert_int_equal(arena.used_bytes, 100);
  skep_arena_fini(&arena);
  skep_arena_init(&arena, &ctx, SIZE_MAX);
  assert_null(skep_arena_alloc(&arena, SIZE_MAX));
  assert_null(skep_arena_alloc(&arena, SIZE_MAX - 20));
  assert_null(skep_arena_zero(&arena, SIZE_MAX / 4, 5));
  assert_null(skep_arena_strndup(&arena, "", SIZE_MAX));
  skep_arena_fini(&arena);
}

static void strings_and_zeroed_blocks(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_arena arena;
  skep_arena_init(&arena, &ctx, 1000);
  assert_string_equal(skep_arena_strndup(&arena, "honeycomb", 5), "honey");
  assert_string_equal(skep_arena_strndup(&arena, NULL, 0), "");
  const uint8_t *zero = skep_arena_zero(&arena, 9, 9);
  for (size_t i = 0; i < 81; i++) assert_int_equal(zero[i], 0);
  skep_arena_fini(&arena);
}

static void three_texts_are_joined(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_arena arena;
  skep_ctx_init(&ctx);
  skep_arena_init(&arena, &ctx, 20);
  assert_string_equal(skep_arena_join(&arena, "/dir", "/", "name"), "/dir/name");
  assert_string_equal(skep_arena_join(&arena, "", "", ""), "");
  assert_null(skep_arena_join(&arena, "/dir", "/", "name"));
  skep_arena_fini(&arena);
}

static void a_list_grows_and_keeps_what_it_has(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_arena arena;
  skep_err err = {0};
  skep_ctx_init(&ctx);
  skep_arena_init(&arena, &ctx, 1000);
  void *block = NULL;
  size_t capacity = 0;
  assert_int_equal(skep_arena_grow(&arena, &block, &capacity, 1, sizeof(uint32_t), &err), SKEP_OK);
  assert_int_equal(capacity, 8);
  for (uint32_t i = 0; i < 8; i++) ((uint32_t *)block)[i] = i;
  void *was = block;
  assert_int_equal(skep_arena_grow(&arena, &block, &capacity, 8, sizeof(uint32_t), &err), SKEP_OK);
  assert_ptr_equal(block, was);
  assert_int_equal(skep_arena_grow(&arena, &block, &capacity, 9, sizeof(uint32_t), &err), SKEP_OK);
  assert_int_equal(capacity, 16);
  for (uint32_t i = 0; i < 16; i++) assert_int_equal(((const uint32_t *)block)[i], i < 8 ? i : 0);
  was = block;
  assert_int_equal(skep_arena_grow(&arena, &block, &capacity, SIZE_MAX, sizeof(uint32_t), &err), SKEP_ERR_NOMEM);
  assert_int_equal(skep_arena_grow(&arena, &block, &capacity, 500, sizeof(uint32_t), &err), SKEP_ERR_NOMEM);
  assert_string_equal(err.text, "out of memory for 500 elements of 4 bytes");
  assert_ptr_equal(block, was);
  assert_int_equal(capacity, 16);
  skep_arena_fini(&arena);
}

static void a_zeroed_arena_may_be_finished(void **state) {
  (void)state;
  skep_arena arena = {0};
  skep_arena_fini(&arena);
}

static void failing_allocations_leave_the_arena_usable(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  failing_alloc_ctx(&memory, &ctx);
  for (uint64_t n = 1;; n++) {
    skep_arena arena;
    skep_arena_init(&arena, &ctx, 1 << 20);
    failing_alloc_arm(&memory, n);
    size_t failed = 0;
    for (size_t i = 0; i < 40; i++) failed += skep_arena_alloc(&arena, 1000 + 300 * i) == NULL;
    skep_arena_fini(&arena);
    assert_int_equal(failing_alloc_live(&memory), 0);
    assert_int_equal(failed, failing_alloc_fired(&memory) ? 1 : 0);
    if (failed == 0) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_are_aligned_and_disjoint),
      cmocka_unit_test(a_request_beyond_the_maximum_fails),
      cmocka_unit_test(strings_and_zeroed_blocks),
      cmocka_unit_test(three_texts_are_joined),
      cmocka_unit_test(a_list_grows_and_keeps_what_it_has),
      cmocka_unit_test(a_zeroed_arena_may_be_finished),
      cmocka_unit_test(failing_allocations_leave_the_arena_usable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
