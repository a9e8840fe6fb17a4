/* The recycling allocator: what it keeps, what it gives back, and that blocks outlive its owner. */
#include "base/recycler.h"

#include <pthread.h>

#include "support/failing_alloc.h"
#include "support/test.h"

enum { MIB = 1 << 20 };

static skep_recycler *make(failing_alloc *memory, skep_ctx *ctx, size_t max_kept) {
  skep_recycler *r;
  skep_err err;
  failing_alloc_ctx(memory, ctx);
  assert_ok(skep_recycler_new(&ctx->allocator, max_kept, &r, &err), err);
  ctx->allocator = skep_recycler_allocator(r);
  return r;
}

static void a_released_block_is_the_next_of_its_size(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  skep_recycler *r = make(&memory, &ctx, MIB);
  for (size_t size = SKEP_RECYCLER_MIN_BYTES; size <= MIB / 2; size += size / 3) {
    uint8_t *a = skep_alloc(&ctx, size);
    memset(a, 7, size);
    assert_int_equal((uintptr_t)a % SKEP_RECYCLER_ALIGNMENT, 0);
    skep_release(&ctx, a);
    assert_ptr_equal(skep_alloc(&ctx, size), a);
    skep_release(&ctx, a);
  }
  assert_true(memory.live_bytes <= MIB + MIB / 4);
  skep_recycler_close(r);
  assert_int_equal(failing_alloc_live(&memory), 0);
}

static void small_and_huge_blocks_are_not_kept(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  skep_recycler *r = make(&memory, &ctx, 64 * MIB);
  static const size_t SIZES[] = {0, 1, SKEP_RECYCLER_MIN_BYTES - 1, 16 * MIB + 1};
  for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
    void *a = skep_alloc(&ctx, SIZES[i]);
    assert_non_null(a);
    assert_int_equal((uintptr_t)a % _Alignof(max_align_t), 0);
    assert_int_equal(failing_alloc_live(&memory), 2);
    skep_release(&ctx, a);
    assert_int_equal(failing_alloc_live(&memory), 1);
  }
  assert_null(skep_alloc(&ctx, SIZE_MAX - 8));
  skep_recycler_close(r);
  assert_int_equal(failing_alloc_live(&memory), 0);
}

/* Every size around the ends of the classes, after a block of every smaller size was given back. */
static void a_block_is_as_large_as_asked_for(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  skep_recycler *r = make(&memory, &ctx, 64 * MIB);
  for (size_t size = SKEP_RECYCLER_MIN_BYTES; size <= 16 * MIB; size += size / 4) {
    for (size_t asked = size - 1; asked <= size + 1; asked++) {
      void *block = skep_alloc(&ctx, asked);
      assert_true(((const size_t *)block)[-2] >= asked); /* the header: its first field is the block's size */
      memset(block, 1, asked);
      skep_release(&ctx, block);
    }
  }
  skep_recycler_close(r);
  assert_int_equal(failing_alloc_live(&memory), 0);
}

static void no_more_is_kept_than_allowed(void **state) {
  (void)state;
  enum { N = 100, SIZE = 64 << 10, KEPT = 10 * SIZE };
  failing_alloc memory;
  skep_ctx ctx;
  skep_recycler *r = make(&memory, &ctx, KEPT);
  void *blocks[N];
  for (int i = 0; i < N; i++) blocks[i] = skep_alloc(&ctx, SIZE);
  for (int i = 0; i < N; i++) skep_release(&ctx, blocks[i]);
  assert_int_equal(failing_alloc_live(&memory), 1 + 10);
  skep_recycler_close(r);
  assert_int_equal(failing_alloc_live(&memory), 0);
}

static void sizes_that_are_out_of_use_make_room(void **state) {
  (void)state;
  enum { KEPT = 100000 };
  failing_alloc memory;
  skep_ctx ctx;
  skep_recycler *r = make(&memory, &ctx, KEPT);
  for (size_t size = 5000; size < KEPT / 2; size += 5000) {
    void *a = skep_alloc(&ctx, size), *b = skep_alloc(&ctx, size);
    skep_release(&ctx, a);
    skep_release(&ctx, b);
    assert_ptr_equal(skep_alloc(&ctx, size), b);
    skep_release(&ctx, b);
    assert_true(memory.live_bytes < KEPT + KEPT / 10);
  }
  skep_recycler_close(r);
  assert_int_equal(failing_alloc_live(&memory), 0);
}

static void blocks_outlive_the_owner(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  skep_recycler *r = make(&memory, &ctx, MIB);
  uint8_t *kept = skep_alloc(&ctx, 10000), *out = skep_alloc(&ctx, 20000), *small = skep_alloc(&ctx, 10);
  skep_release(&ctx, kept);
  skep_recycler_close(r);
  memset(out, 1, 20000);
  memset(small, 1, 10);
  skep_release(&ctx, out);
  assert_int_equal(failing_alloc_live(&memory), 2);
  skep_release(&ctx, small);
  assert_int_equal(failing_alloc_live(&memory), 0);
  skep_recycler_close(NULL);
}

static void content_survives_a_change_of_size(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  skep_recycler *r = make(&memory, &ctx, MIB);
  uint8_t *a = NULL;
  size_t had = 0;
  for (size_t size = 1; size < 300000; size = size * 2 + 1) {
    a = skep_resize(&ctx, a, size);
    for (size_t i = 0; i < had; i++) assert_int_equal(a[i], i % 251);
    for (size_t i = 0; i < size; i++) a[i] = (uint8_t)(i % 251);
    had = size;
  }
  failing_alloc_arm(&memory, 1);
  assert_null(skep_resize(&ctx, a, MIB));
  assert_int_equal(a[had - 1], (had - 1) % 251);
  a = skep_resize(&ctx, a, 5000);
  for (size_t i = 0; i < 5000; i++) assert_int_equal(a[i], i % 251);
  skep_release(&ctx, a);
  skep_recycler_close(r);
  assert_int_equal(failing_alloc_live(&memory), 0);
}

static void failure_is_reported(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  skep_err err;
  skep_recycler *r;
  failing_alloc_ctx(&memory, &ctx);
  failing_alloc_arm(&memory, 1);
  assert_fails(skep_recycler_new(&ctx.allocator, MIB, &r, &err), SKEP_ERR_NOMEM, err, "allocator");
  assert_null(r);
}

/* Blocks go from thread to thread through one place. */
typedef struct exchange {
  skep_allocator allocator;
  void *_Atomic place;
} exchange;

static void *pass_blocks_on(void *self) {
  exchange *x = self;
  for (size_t i = 0; i < 2000; i++) {
    size_t size = SKEP_RECYCLER_MIN_BYTES << i % 5;
    uint8_t *mine = x->allocator.alloc(x->allocator.self, size);
    assert_non_null(mine);
    memset(mine, (int)i, size);
    x->allocator.release(x->allocator.self, atomic_exchange(&x->place, mine));
  }
  return NULL;
}

static void threads_may_release_what_others_took(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  skep_recycler *r = make(&memory, &ctx, MIB);
  exchange x = {.allocator = ctx.allocator};
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, pass_blocks_on, &x), 0);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
  skep_recycler_close(r);
  skep_release(&ctx, x.place);
  assert_int_equal(failing_alloc_live(&memory), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_released_block_is_the_next_of_its_size), cmocka_unit_test(small_and_huge_blocks_are_not_kept),
      cmocka_unit_test(a_block_is_as_large_as_asked_for),         cmocka_unit_test(no_more_is_kept_than_allowed),
      cmocka_unit_test(sizes_that_are_out_of_use_make_room),      cmocka_unit_test(blocks_outlive_the_owner),
      cmocka_unit_test(content_survives_a_change_of_size),        cmocka_unit_test(failure_is_reported),
      cmocka_unit_test(threads_may_release_what_others_took),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
