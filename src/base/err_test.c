/* Error texts: wrapping order, cutting, quoting of hostile bytes. */
#include "base/err.h"

#include "support/test.h"

static void fail_states_the_fact_and_returns_its_status(void **state) {
  (void)state;
  skep_err err = {0};
  assert_int_equal(skep_fail(&err, SKEP_ERR_CORRUPT, "length %d exceeds %d", 200, 17), SKEP_ERR_CORRUPT);
  assert_int_equal(err.status, SKEP_ERR_CORRUPT);
  assert_string_equal(err.text, "length 200 exceeds 17");
}

static void wrap_reads_from_the_outside_in(void **state) {
  (void)state;
  skep_err err = {0};
  skep_status status = skep_fail(&err, SKEP_ERR_CORRUPT, "run needs 12 bytes");
  status = skep_wrap(&err, status, "column %d", 5);
  status = skep_wrap(&err, status, "%s", "bucket_0");
  assert_int_equal(status, SKEP_ERR_CORRUPT);
  assert_string_equal(err.text, "bucket_0: column 5: run needs 12 bytes");
}

static void a_missing_error_is_accepted(void **state) {
  (void)state;
  assert_int_equal(skep_fail(NULL, SKEP_ERR_IO, "x"), SKEP_ERR_IO);
  assert_int_equal(skep_wrap(NULL, SKEP_ERR_IO, "x"), SKEP_ERR_IO);
}

static void wrap_says_the_same_context_once(void **state) {
  (void)state;
  skep_err err = {0};
  skep_status status = skep_fail(&err, SKEP_ERR_IO, "%s: cannot open", "t/bucket_0");
  assert_int_equal(skep_wrap(&err, status, "%s", "t/bucket_0"), SKEP_ERR_IO);
  assert_string_equal(err.text, "t/bucket_0: cannot open");
  assert_int_equal(skep_wrap(&err, SKEP_ERR_NOT_FOUND, "t/bucket_0"), SKEP_ERR_NOT_FOUND);
  assert_int_equal(err.status, SKEP_ERR_NOT_FOUND);
  skep_wrap(&err, status, "t");
  assert_string_equal(err.text, "t: t/bucket_0: cannot open");
}

static void an_argument_may_be_the_error_itself(void **state) {
  (void)state;
  skep_err err = {0};
  skep_fail(&err, SKEP_ERR_IO, "inner");
  skep_fail(&err, SKEP_ERR_IO, "<%s>", err.text);
  assert_string_equal(err.text, "<inner>");
}

static void long_texts_are_cut_to_whole_characters(void **state) {
  (void)state;
  skep_err err = {0};
  char text[1025];
  for (size_t i = 0; i < 1024; i += 2) memcpy(text + i, "\xc3\xa4", 2);
  text[1024] = '\0';
  skep_fail(&err, SKEP_ERR_IO, "%s", text);
  assert_int_equal(strlen(err.text), 1022); /* 1023 would end in half a character */
  skep_wrap(&err, SKEP_ERR_IO, "ab");
  assert_int_equal(strlen(err.text), 1022);
  skep_wrap(&err, SKEP_ERR_IO, "%s", text);
  assert_int_equal(strlen(err.text), 1023);
  assert_string_equal(err.text + 1020, "\xc3\xa4:");
}

static void quote_escapes_what_a_terminal_would_obey(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t length;
    const char *expected;
  } cases[] = {
      {"plain name", 10, "plain name"},
      {"", 0, ""},
      {"a\n\x1b[31m", 7, "a\\x0a\\x1b[31m"},
      {"nul\0end", 7, "nul\\x00end"},
      {"\xc3\xa4", 2, "\xc3\xa4"},
      {"\xc3", 1, "\\xc3"},
      {"\xc0\x80", 2, "\\xc0\\x80"},                   /* overlong */
      {"\xed\xa0\x80", 3, "\\xed\\xa0\\x80"},          /* a surrogate */
      {"\xf4\x90\x80\x80", 4, "\\xf4\\x90\\x80\\x80"}, /* above U+10FFFF */
      {"\xf0\x9f\x90\x9d", 4, "\xf0\x9f\x90\x9d"},
      {"\xc2\x9b", 2, "\\xc2\\x9b"},          /* CSI as one C1 character */
      {"\xe2\x80\xae", 3, "\\xe2\\x80\\xae"}, /* right-to-left override */
      {"a\\b", 3, "a\\\\b"},
      {"\x7f", 1, "\\x7f"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char out[64];
    assert_string_equal(skep_quote(out, sizeof out, cases[i].bytes, cases[i].length), cases[i].expected);
  }
}

static void quote_marks_what_does_not_fit(void **state) {
  (void)state;
  static const struct {
    size_t out_size;
    const char *expected;
  } cases[] = {{1, ""},     {2, "."},         {4, "..."},         {5, "a..."},
               {8, "a..."}, {9, "a\\x01..."}, {10, "a\\x01b..."}, {11, "a\\x01bcdefg"}};
  for (size_t i = 0; i + 1 < sizeof cases / sizeof *cases; i++) {
    char out[16];
    memset(out, '#', sizeof out);
    assert_string_equal(skep_quote(out, cases[i].out_size,
                                   "a\x01"
                                   "bcdefg",
                                   8),
                        cases[i].expected);
    assert_int_equal(out[cases[i].out_size], '#');
  }
  char out[12];
  assert_string_equal(skep_quote(out, sizeof out,
                                 "a\x01"
                                 "bcdefg",
                                 8),
                      "a\\x01bcdefg");
}

static void every_status_has_a_name(void **state) {
  (void)state;
  assert_string_equal(skep_status_name(SKEP_ERR_CORRUPT), "corrupt");
  assert_string_equal(skep_status_name(SKEP_OK), "ok");
  assert_string_equal(skep_status_name((skep_status)999), "unknown");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fail_states_the_fact_and_returns_its_status),
      cmocka_unit_test(wrap_reads_from_the_outside_in),
      cmocka_unit_test(wrap_says_the_same_context_once),
      cmocka_unit_test(a_missing_error_is_accepted),
      cmocka_unit_test(an_argument_may_be_the_error_itself),
      cmocka_unit_test(long_texts_are_cut_to_whole_characters),
      cmocka_unit_test(quote_escapes_what_a_terminal_would_obey),
      cmocka_unit_test(quote_marks_what_does_not_fit),
      cmocka_unit_test(every_status_has_a_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
