/* Reports: the same facts as text and as JSON; the progress line. */
#include "cli/report.h"

#include <unistd.h>

#include "cli/progress.h"
#include "support/test.h"

static const char *shown(bool json) {
  static char out[4096];
  skep_ctx ctx;
  skep_err err = {0};
  skep_cli_output o;
  skep_report r;
  int ends[2];
  skep_ctx_init(&ctx);
  assert_int_equal(pipe(ends), 0);
  assert_ok(skep_cli_output_init(&o, &ctx, ends[1], &err), err);
  skep_report_begin(&r, &o, json);
  skep_report_text(&r, "name", "a\n\"b\"");
  skep_report_open_list(&r, "empty");
  skep_report_close(&r);
  skep_report_open(&r, "object");
  skep_report_u64(&r, "n", UINT64_MAX);
  skep_report_i64(&r, "i", INT64_MIN);
  skep_report_bool(&r, "b", true);
  skep_report_close(&r);
  skep_report_open_list(&r, "items");
  for (uint64_t i = 0; i < 2; i++) {
    skep_report_open(&r, NULL);
    skep_report_u64(&r, "item", i);
    skep_report_open_list(&r, "lines");
    skep_report_open_inline(&r, NULL);
    skep_report_u64(&r, "x", 1);
    skep_report_hex(&r, "h", skep_bytes_of("\x00\xff", 2));
    skep_report_close(&r);
    skep_report_close(&r);
    skep_report_close(&r);
  }
  skep_report_close(&r);
  assert_ok(skep_report_end(&r, &err), err);
  skep_cli_output_fini(&o);
  close(ends[1]);
  ssize_t n = read(ends[0], out, sizeof out - 1);
  assert_true(n >= 0);
  out[n] = '\0';
  close(ends[0]);
  return out;
}

static void text_is_indented_and_quoted(void **state) {
  (void)state;
  assert_string_equal(shown(false),
                      "name: a\\x0a\"b\"\n"
                      "empty:\n"
                      "object:\n"
                      "  n: 18446744073709551615\n"
                      "  i: -9223372036854775808\n"
                      "  b: yes\n"
                      "items:\n"
                      "  - item: 0\n"
                      "    lines:\n"
                      "      - x 1, h 00ff\n"
                      "  - item: 1\n"
                      "    lines:\n"
                      "      - x 1, h 00ff\n");
}

static void json_is_valid_and_holds_the_same(void **state) {
  (void)state;
  assert_string_equal(shown(true),
                      "{\n"
                      "  \"name\": \"a\\n\\\"b\\\"\",\n"
                      "  \"empty\": [],\n"
                      "  \"object\": {\n"
                      "    \"n\": 18446744073709551615,\n"
                      "    \"i\": -9223372036854775808,\n"
                      "    \"b\": true\n"
                      "  },\n"
                      "  \"items\": [\n"
                      "    {\n"
                      "      \"item\": 0,\n"
                      "      \"lines\": [\n"
                      "        {\"x\": 1, \"h\": \"00ff\"}\n"
                      "      ]\n"
                      "    },\n"
                      "    {\n"
                      "      \"item\": 1,\n"
                      "      \"lines\": [\n"
                      "        {\"x\": 1, \"h\": \"00ff\"}\n"
                      "      ]\n"
                      "    }\n"
                      "  ]\n"
                      "}\n");
}

static void progress_fits_the_terminal(void **state) {
  (void)state;
  char line[200];
  assert_string_equal(skep_cli_progress_line(line, sizeof line, 80, 1, 2, 1500000, 3),
                      "[============>           ]  50%  1.5M rows  500k/s  ETA 0:03");
  assert_string_equal(skep_cli_progress_line(line, sizeof line, 40, 0, 2, 0, 0), "  0%  0 rows  0/s  ETA ?");
  assert_string_equal(skep_cli_progress_line(line, sizeof line, 40, 5, 2, 999, 1), "100%  999 rows  999/s  ETA 0:00");
  assert_string_equal(skep_cli_progress_line(line, sizeof line, 40, 1, 10, 1000, 4000),
                      " 10%  1.0k rows  0/s  ETA 10h00m");
  assert_true(strlen(skep_cli_progress_line(line, sizeof line, 300, 1, 2, UINT64_MAX, 1)) < 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text_is_indented_and_quoted),
      cmocka_unit_test(json_is_valid_and_holds_the_same),
      cmocka_unit_test(progress_fits_the_terminal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
