/* The table of words: sorted, found in any case, reserved as hiveql.md 1.3 lists them. */
#include "hiveql/keywords.h"

#include "support/test.h"

enum { RESERVED = true, FREE = false };

static void every_word_is_found(void **state) {
  static const struct {
    const char *text;
    skep_keyword keyword;
    bool reserved;
  } words[] = {
#define WORD(text, reserved) {#text, SKEP_KW_##text, reserved},
      SKEP_KEYWORD_TABLE(WORD)
#undef WORD
  };
  (void)state;
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    char lower[32];
    size_t n = strlen(words[i].text);
    if (i > 0) assert_true(strcmp(words[i - 1].text, words[i].text) < 0);
    for (size_t k = 0; k <= n; k++) {
      char c = words[i].text[k];
      lower[k] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    assert_int_equal(skep_keyword_find(words[i].text, n), words[i].keyword);
    assert_int_equal(skep_keyword_find(lower, n), words[i].keyword);
    assert_string_equal(skep_keyword_name(words[i].keyword), words[i].text);
    assert_int_equal(skep_keyword_reserved(words[i].keyword), words[i].reserved);
  }
}

static void other_spellings_are_the_same_word(void **state) {
  (void)state;
  assert_int_equal(skep_keyword_find("Integer", 7), SKEP_KW_INT);
  assert_int_equal(skep_keyword_find("NUMERIC", 7), SKEP_KW_DECIMAL);
  assert_int_equal(skep_keyword_find("seconds", 7), SKEP_KW_SECOND);
  assert_int_equal(skep_keyword_find("disabled", 8), SKEP_KW_DISABLE);
}

static void names_are_no_words(void **state) {
  static const char *const names[] = {
      "", "a", "selec", "selects", "zzz", "current_database", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    assert_int_equal(skep_keyword_find(names[i], strlen(names[i])), SKEP_NO_KEYWORD);
  }
  assert_string_equal(skep_keyword_name(SKEP_NO_KEYWORD), "");
  assert_false(skep_keyword_reserved(SKEP_NO_KEYWORD));
}

/* Source: hiveql.md 1.3, last paragraph. */
static void some_reserved_words_name_functions(void **state) {
  static const char *const functions[] = {
      "IF",   "ARRAY",  "MAP",   "BIGINT", "BINARY",   "BOOLEAN", "CURRENT_DATE", "CURRENT_TIMESTAMP",
      "DATE", "DOUBLE", "FLOAT", "REAL",   "GROUPING", "INT",     "SMALLINT",     "TIMESTAMP"};
  (void)state;
  size_t n = 0;
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    skep_keyword keyword = skep_keyword_find(functions[i], strlen(functions[i]));
    assert_true(skep_keyword_reserved(keyword) && skep_keyword_names_function(keyword));
  }
  for (skep_keyword k = SKEP_NO_KEYWORD; k < SKEP_KW_COUNT; k++) n += skep_keyword_names_function(k);
  assert_int_equal(n, sizeof functions / sizeof functions[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_word_is_found),
      cmocka_unit_test(other_spellings_are_the_same_word),
      cmocka_unit_test(names_are_no_words),
      cmocka_unit_test(some_reserved_words_name_functions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
