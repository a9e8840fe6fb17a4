/* The older manager's command table: what entities of statements lock. Right values: txn-protocol 8.1. */
#include "sql/legacy_locks.h"

#include "support/test.h"

static void statements_lock_what_hives_table_says(void **state) {
  static const char *const two[] = {"p=1", "p=2/q=x"};
  static const struct {
    skep_lock_entity entity;
    const char *locks;
  } cases[] = {
      {{"d", "t", SKEP_LOCK_OBJECT_PLAIN, SKEP_LOCK_USE_READ, NULL, 0, false}, "d S, d/t S"},
      {{"d", "t", SKEP_LOCK_OBJECT_EXTERNAL, SKEP_LOCK_USE_READ, two, 2, true},
       "d S, d/t S, d/t/p=1 S, d/t/p=2 S, d/t/p=2/q=x S"},
      {{"d", "v", SKEP_LOCK_OBJECT_VIEW, SKEP_LOCK_USE_READ, NULL, 0, false}, ""},
      {{"d", "t", SKEP_LOCK_OBJECT_PLAIN, SKEP_LOCK_USE_INSERT, NULL, 0, false}, "d S, d/t E"},
      {{"d", "t", SKEP_LOCK_OBJECT_PLAIN, SKEP_LOCK_USE_INSERT, two, 1, true}, "d S, d/t S, d/t/p=1 E"},
      {{"d", "t", SKEP_LOCK_OBJECT_PLAIN, SKEP_LOCK_USE_INSERT, NULL, 0, true}, "d S, d/t S"}, /* dynamic */
      {{"d", "t", SKEP_LOCK_OBJECT_PLAIN, SKEP_LOCK_USE_INSERT_OVERWRITE, NULL, 0, true}, "d S, d/t S"},
      {{"d", "t", SKEP_LOCK_OBJECT_PLAIN, SKEP_LOCK_USE_INSERT_OVERWRITE, NULL, 0, false}, "d S, d/t E"},
      {{"d", "t", SKEP_LOCK_OBJECT_PLAIN, SKEP_LOCK_USE_CTAS, NULL, 0, false}, "d S, d/t E"},
      {{"d", "t", SKEP_LOCK_OBJECT_PLAIN, SKEP_LOCK_USE_DDL_NONE, NULL, 0, false}, ""},
      {{"d", "t", SKEP_LOCK_OBJECT_PLAIN, SKEP_LOCK_USE_DDL_SHARED, NULL, 0, true}, "d S, d/t S"},
      {{"d", "t", SKEP_LOCK_OBJECT_PLAIN, SKEP_LOCK_USE_DDL_EXCLUSIVE, NULL, 0, true}, "d S, d/t E"},
      {{"d", "t", SKEP_LOCK_OBJECT_PLAIN, SKEP_LOCK_USE_DDL_EXCL_WRITE, two, 1, true}, "d S, d/t S, d/t/p=1 E"},
      {{"d", NULL, SKEP_LOCK_OBJECT_DATABASE, SKEP_LOCK_USE_DDL_EXCLUSIVE, NULL, 0, false}, "d E"},
  };
  skep_ctx ctx;
  skep_arena arena;
  skep_err err = {0};
  (void)state;
  skep_ctx_init(&ctx);
  skep_arena_init(&arena, &ctx, 1 << 20);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_legacy_want *wants;
    size_t n;
    skep_buf text;
    skep_buf_init(&text, &ctx, 1000);
    assert_ok(skep_legacy_decide(&cases[i].entity, 1, &arena, &wants, &n, &err), err);
    for (size_t k = 0; k < n; k++)
      skep_buf_printf(&text, "%s%s %c", k == 0 ? "" : ", ", wants[k].object,
                      wants[k].mode == SKEP_LEGACY_EXCLUSIVE ? 'E' : 'S');
    assert_string_equal(skep_buf_string(&text), cases[i].locks);
    skep_buf_fini(&text);
  }
  skep_arena_fini(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(statements_lock_what_hives_table_says)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
