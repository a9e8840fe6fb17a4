/* Hive's map as text: golden 19's own texts, other spellings, texts that are none. */
#include "txn/string_map.h"

#include <stdlib.h>

#include "support/test.h"

static void values_are_found_by_their_keys(void **state) {
  (void)state;
  static const struct {
    const char *map, *key, *value; /* NULL: none */
  } cases[] = {
      {"1:1:a2:xy", "a", "xy"}, /* StringableMap's own example */
      {"0:", "a", NULL},
      {"", "a", NULL},
      {"2:8:location13:file:/a/b c/d7:ifPurge4:true", "location", "file:/a/b c/d"},
      {"2:8:location13:file:/a/b c/d7:ifPurge4:true", "ifPurge", "true"},
      {"1:1:a-1:", "a", NULL},                              /* a sibling class writes -1 for null */
      {"1:1:a0:", "a", NULL},                               /* empty is null */
      {"1:1:k2:\xc3\xa4\xc3\xb6", "k", "\xc3\xa4\xc3\xb6"}, /* lengths count characters */
      {"1:1:k2:\xf0\x9f\x90\x9d", "k", "\xf0\x9f\x90\x9d"}, /* of UTF-16: a bee is two */
      {"2:1:a1:x1:a1:y", "a", "y"},
      {"1:1:a9:xy", "a", NULL},
      {"1:1:a", "a", NULL},
      {"9999999999999999999999:1:a1:x", "a", NULL},
      {"x", "x", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_bytes value = {0};
    bool found = skep_string_map_get(cases[i].map, strlen(cases[i].map), cases[i].key, &value);
    if (found != (cases[i].value != NULL)) fail_msg("%s: %s", cases[i].map, cases[i].key);
    if (found) {
      assert_int_equal(value.left, strlen(cases[i].value));
      assert_memory_equal(value.at, cases[i].value, value.left);
    }
  }
  skep_bytes none;
  assert_false(skep_string_map_get(NULL, 0, "a", &none));
}

static void a_pair_is_added_replaced_and_removed(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_buf out;
  skep_ctx_init(&ctx);
  skep_buf_init(&out, &ctx, 1000);
  static const struct {
    const char *map, *key, *value, *expected;
  } cases[] = {
      {NULL, "a", "1", "1:1:a1:1"},
      {"1:1:a1:1", "a", "22", "1:1:a2:22"},
      {"2:1:a1:11:b1:2", "a", NULL, "1:1:b1:2"},
      {"1:1:b1:2", "\xc3\xa4", "\xf0\x9f\x90\x9d",
       "2:1:b1:21:\xc3\xa4"
       "2:\xf0\x9f\x90\x9d"},
      {"nonsense", "a", "1", "1:1:a1:1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_buf_reset(&out);
    skep_string_map_with(cases[i].map, cases[i].map != NULL ? strlen(cases[i].map) : 0, cases[i].key, cases[i].value,
                         &out);
    assert_string_equal(skep_buf_string(&out), cases[i].expected);
  }
  skep_buf_fini(&out);
}

/* Every prefix and every changed byte of a good text: an answer, and no byte beyond. */
static void damaged_texts_are_read_within_their_bounds(void **state) {
  (void)state;
  static const char good[] = "2:8:location13:file:/a/b c/d7:ifPurge4:true";
  char copy[sizeof good];
  skep_bytes key, value;
  for (size_t n = 0; n < sizeof good; n++) {
    char *exact = malloc(n + 1);
    memcpy(exact, good, n);
    size_t at = 0;
    for (int i = 0; i < 10 && skep_string_map_next(exact, n, &at, &key, &value); i++) assert_true(at <= n);
    free(exact);
    for (int c = 0; c < 256; c += 5) {
      memcpy(copy, good, sizeof good);
      copy[n] = (char)c;
      at = 0;
      for (int i = 0; i < 10 && skep_string_map_next(copy, sizeof good - 1, &at, &key, &value); i++)
        assert_true(at < sizeof good);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_found_by_their_keys),
                                     cmocka_unit_test(a_pair_is_added_replaced_and_removed),
                                     cmocka_unit_test(damaged_texts_are_read_within_their_bounds)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
