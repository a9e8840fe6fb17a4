/* Values of FNV-1a are stored: they stay. The vectors are those of the authors' own test program. */
#include "base/hash.h"

#include "support/test.h"

static const struct {
  const char *text;
  uint64_t hash;
} cases[] = {
    {"", UINT64_C(0xcbf29ce484222325)},       {"a", UINT64_C(0xaf63dc4c8601ec8c)},
    {"b", UINT64_C(0xaf63df4c8601f1a5)},      {"fo", UINT64_C(0x08985907b541d342)},
    {"foobar", UINT64_C(0x85944171f73967e8)}, {"chongo was here!\n", UINT64_C(0x46810940eff5f915)},
};

static void values_are_those_of_the_authors(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *text = cases[i].text;
    size_t n = strlen(text);
    assert_true(skep_fnv_text(SKEP_FNV_START, text) == cases[i].hash);
    assert_true(skep_fnv_bytes(SKEP_FNV_START, text, n) == cases[i].hash);
    /* in pieces */
    assert_true(skep_fnv_text(skep_fnv_bytes(SKEP_FNV_START, text, n / 2), text + n / 2) == cases[i].hash);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_those_of_the_authors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
