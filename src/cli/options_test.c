/* Command lines: where options may stand, how values are given, what is said about mistakes. */
#include "cli/options.h"

#include "cli/common.h"
#include "support/test.h"

static const skep_cli_option options[] = {{0, "limit", "N", ""},
                                          {1, "row-ids", NULL, ""},
                                          {2, "showHeader", "BOOL", ""},
                                          {3, "where", "PRED", ""},
                                          {4, "w", "DIR", ""}};

/* Parses the words and writes what came out: "limit=3 row-ids path:a ...", or "!message". */
static const char *parsed(char *const *words, int n) {
  static char out[512];
  skep_cli_args args = {.options = options, .n_options = 5, .argc = n, .argv = (char **)(uintptr_t)words};
  skep_err err = {0};
  const char *value;
  size_t at = 0;
  int id;
  out[0] = '\0';
  while ((id = skep_cli_next_arg(&args, &value, &err)) != SKEP_CLI_DONE) {
    const char *space = at > 0 ? " " : "";
    if (id == SKEP_CLI_WRONG) {
      snprintf(out + at, sizeof out - at, "%s!%s", space, err.text);
      break;
    }
    const char *name = id == SKEP_CLI_OPERAND ? "path" : options[id].name;
    at += (size_t)snprintf(out + at, sizeof out - at, "%s%s%s%s", space, name, value != NULL ? "=" : "",
                           value != NULL ? value : "");
  }
  return out;
}

#define PARSED(...) parsed((char *[]){__VA_ARGS__}, (int)(sizeof((char *[]){__VA_ARGS__}) / sizeof(char *)))

static void options_may_stand_before_between_and_after_operands(void **state) {
  (void)state;
  assert_string_equal(PARSED("--limit", "3", "a", "--row-ids", "b", "--limit=4"),
                      "limit=3 path=a row-ids path=b limit=4");
}

static void values_may_be_empty_look_like_options_or_hold_equal_signs(void **state) {
  (void)state;
  assert_string_equal(PARSED("--where=", "--where", "--limit", "--where=a = 'b=c'"),
                      "where= where=--limit where=a = 'b=c'");
}

static void two_dashes_end_the_options_and_one_dash_is_an_operand(void **state) {
  (void)state;
  assert_string_equal(PARSED("-", "--", "--limit", "--", "-x"), "path=- path=--limit path=-- path=-x");
}

static void a_name_of_one_letter_has_one_dash(void **state) {
  (void)state;
  assert_string_equal(PARSED("-w", "d", "-w=e", "f"), "w=d w=e path=f");
  assert_string_equal(PARSED("--w", "d"), "!unknown option --w");
  assert_string_equal(PARSED("-w"), "!option -w needs a value: -w DIR");
  assert_string_equal(PARSED("-wd"), "!unknown option -wd");
  assert_string_equal(PARSED("-limit", "3"), "!unknown option -limit (did you mean --limit?)");
}

static void mistakes_are_named(void **state) {
  (void)state;
  assert_string_equal(PARSED("--limt", "3"), "!unknown option --limt (did you mean --limit?)");
  assert_string_equal(PARSED("--showheader=true"), "!unknown option --showheader (did you mean --showHeader?)");
  assert_string_equal(PARSED("--frobnicate"), "!unknown option --frobnicate");
  assert_string_equal(PARSED("-v"), "!unknown option -v");
  assert_string_equal(PARSED("--lim=3"), "!unknown option --lim (did you mean --limit?)");
  assert_string_equal(PARSED("a", "--limit"), "path=a !option --limit needs a value: --limit N");
  assert_string_equal(PARSED("--row-ids=yes"), "!option --row-ids takes no value");
  assert_string_equal(PARSED("--a\nb"), "!unknown option --a\\x0ab");
}

static void counts_and_booleans_are_strict(void **state) {
  (void)state;
  uint64_t n;
  bool b;
  assert_true(skep_cli_parse_count("18446744073709551615", &n));
  assert_true(n == UINT64_MAX);
  static const char *const bad[] = {"", "-1", "+1", " 1", "1 ", "1e3", "18446744073709551616", "0x1"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) assert_false(skep_cli_parse_count(bad[i], &n));
  assert_true(skep_cli_parse_bool("true", &b) && b);
  assert_true(skep_cli_parse_bool("no", &b) && !b);
  assert_false(skep_cli_parse_bool("TRUE", &b));
}

static void hive_versions_are_recognised_by_their_first_number(void **state) {
  (void)state;
  skep_hive_version v;
  static const struct {
    const char *text;
    int version; /* -1: refused */
  } cases[] = {{"4", SKEP_HIVE_4},
               {"4.0.1", SKEP_HIVE_4},
               {"3.1", SKEP_HIVE_3},
               {"3.1.3", SKEP_HIVE_3},
               {"2.3.10", SKEP_HIVE_2},
               {"1.2", SKEP_HIVE_1},
               {"5", -1},
               {"", -1},
               {"4x", -1},
               {"4.", -1},
               {"4..1", -1},
               {"40", -1},
               {"0.13", -1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    bool ok = skep_cli_parse_hive(cases[i].text, &v);
    if (ok != (cases[i].version >= 0) || (ok && (int)v != cases[i].version)) fail_msg("%s", cases[i].text);
  }
}

static void lists_are_cut_at_commas_outside_of_back_quotes(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_arena arena;
  skep_err err;
  skep_cli_words words = {0};
  skep_ctx_init(&ctx);
  skep_arena_init(&arena, &ctx, 1 << 20);
  assert_true(skep_cli_split_commas(&arena, "a, b.c ,`x,y`", &words, &err));
  assert_true(skep_cli_split_commas(&arena, "last", &words, &err));
  static const char *const expected[] = {"a", "b.c", "`x,y`", "last"};
  assert_int_equal(words.n, 4);
  for (size_t i = 0; i < 4; i++) assert_string_equal(words.items[i], expected[i]);
  skep_arena_fini(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(options_may_stand_before_between_and_after_operands),
      cmocka_unit_test(values_may_be_empty_look_like_options_or_hold_equal_signs),
      cmocka_unit_test(two_dashes_end_the_options_and_one_dash_is_an_operand),
      cmocka_unit_test(a_name_of_one_letter_has_one_dash),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(counts_and_booleans_are_strict),
      cmocka_unit_test(hive_versions_are_recognised_by_their_first_number),
      cmocka_unit_test(lists_are_cut_at_commas_outside_of_back_quotes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
