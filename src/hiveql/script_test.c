/* Splitting at every chunk size, commands, substitution. Rules: hiveql.md 1.6. */
#include "hiveql/script.h"

#include "support/failing_alloc.h"
#include "support/test.h"

typedef struct split_case {
  const char *script;
  const char *statements; /* each on a line of its own as "line:text", newlines inside shown as '|' */
} split_case;

static const split_case split_cases[] = {
    {"a;b;c", "1:a\n1:b\n1:c\n"},
    {" a ;\n\n b\n;\n", "1:a\n3:b\n"},
    {";;\n;a;;", "2:a\n"},
    {"", ""},
    {" \n-- only a comment; with a semicolon\n/* ; */ /* ; /* ; */ ; */", ""},
    {"-- c\nSELECT 1 -- d; e\n;\nSELECT 2", "2:SELECT 1 -- d; e\n4:SELECT 2\n"},
    {"SELECT /* ; */ 1; /* x */ SELECT 2;", "1:SELECT /* ; */ 1\n1:SELECT 2\n"},
    {"/*+ h */ a;", "1:a\n"},
    {"SELECT 'a;b', \"c;d\", `e;f`;x", "1:SELECT 'a;b', \"c;d\", `e;f`\n1:x\n"},
    {"'a\\';b';'c\\\\';d", "1:'a\\';b'\n1:'c\\\\'\n1:d\n"},
    {"`a\\`;b", "1:`a\\`\n1:b\n"},
    {"'a''b;c';`a``b;c`;d", "1:'a''b;c'\n1:`a``b;c`\n1:d\n"},
    {"'--';'/*';a - - b;a / b;a -", "1:'--'\n1:'/*'\n1:a - - b\n1:a / b\n1:a -\n"},
    {"SET x=a\\;b;c", "1:SET x=a;b\n1:c\n"},
    {"\\;a;b", "1:;a\n1:b\n"},
    {"'a\\;b';c", "1:'a\\;b'\n1:c\n"},
    {"!ls -l; 'x\n!pwd\nSELECT !a;", "1:!ls -l; 'x\n2:!pwd\n3:SELECT !a\n"},
    {"!ls;\nb", "1:!ls\n2:b\n"},
    {"SELECT\n 'x\ny'\n;z", "1:SELECT| 'x|y'\n4:z\n"},
    {"SELECT 'open ; quote", "1:SELECT 'open ; quote\n"},
    {"a\r\n;\r\nb;\r\n", "1:a\n3:b\n"},
    {"a /* open ; comment", "1:a /* open ; comment\n"},
    {"\xE6\x97\xA5;\xC3\xA9", "1:\xE6\x97\xA5\n1:\xC3\xA9\n"},
};

static void add_statement(skep_buf *out, const skep_script_statement *s) {
  assert_int_equal(s->text[s->length], '\0');
  skep_buf_printf(out, "%u:", s->line);
  for (size_t i = 0; i < s->length; i++) skep_buf_byte(out, (uint8_t)(s->text[i] == '\n' ? '|' : s->text[i]));
  skep_buf_byte(out, '\n');
}

static void split(const skep_ctx *ctx, const char *script, size_t length, size_t chunk, skep_buf *out) {
  skep_splitter splitter;
  skep_script_statement one;
  skep_err err;
  skep_status st;
  skep_splitter_init(&splitter, ctx, 1 << 20);
  for (size_t at = 0; at < length; at += chunk) {
    size_t n = length - at < chunk ? length - at : chunk;
    assert_ok(skep_splitter_feed(&splitter, script + at, n, &err), err);
    while ((st = skep_splitter_next(&splitter, &one, &err)) == SKEP_OK) add_statement(out, &one);
    assert_int_equal(st, SKEP_END);
  }
  while ((st = skep_splitter_finish(&splitter, &one, &err)) == SKEP_OK) add_statement(out, &one);
  assert_int_equal(st, SKEP_END);
  skep_splitter_fini(&splitter);
}

static void statements_are_the_same_for_every_size_of_chunk(void **state) {
  static const size_t chunks[] = {1, 2, 3, 7, 1000};
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_buf out;
  skep_buf_init(&out, &ctx, 1 << 20);
  for (size_t i = 0; i < sizeof split_cases / sizeof split_cases[0]; i++) {
    for (size_t k = 0; k < sizeof chunks / sizeof chunks[0]; k++) {
      skep_buf_reset(&out);
      split(&ctx, split_cases[i].script, strlen(split_cases[i].script), chunks[k], &out);
      if (strcmp(skep_buf_string(&out), split_cases[i].statements) != 0) {
        fail_msg("%s\nin chunks of %zu is\n%s\nexpected\n%s", split_cases[i].script, chunks[k], skep_buf_string(&out),
                 split_cases[i].statements);
      }
    }
  }
  skep_buf_fini(&out);
}

static void a_prompt_can_ask_what_is_open(void **state) {
  static const struct {
    const char *text;
    bool pending;
    char open;
  } cases[] = {
      {"", false, 0},    {" -- x\n", false, 0}, {"a", true, 0},      {"a;", false, 0},          {"a 'b", true, '\''},
      {"\"", true, '"'}, {"`", true, '`'},      {"/* x", true, '*'}, {"a /* /* */", true, '*'}, {"a 'b'", true, 0},
  };
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_splitter splitter;
    skep_script_statement one;
    skep_err err;
    skep_splitter_init(&splitter, &ctx, 1 << 20);
    assert_ok(skep_splitter_feed(&splitter, cases[i].text, strlen(cases[i].text), &err), err);
    while (skep_splitter_next(&splitter, &one, &err) == SKEP_OK) continue;
    assert_int_equal(skep_splitter_pending(&splitter), cases[i].pending);
    assert_int_equal(skep_splitter_open(&splitter), cases[i].open);
    skep_splitter_reset(&splitter);
    assert_false(skep_splitter_pending(&splitter));
    assert_ok(skep_splitter_feed(&splitter, "b;", 2, &err), err);
    assert_ok(skep_splitter_next(&splitter, &one, &err), err);
    assert_string_equal(one.text, "b");
    skep_splitter_fini(&splitter);
  }
}

static void a_statement_has_a_maximum(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_splitter splitter;
  skep_script_statement one;
  skep_err err;
  skep_splitter_init(&splitter, &ctx, 10);
  assert_ok(skep_splitter_feed(&splitter, "1234567890;\n12345678901;", 24, &err), err);
  assert_ok(skep_splitter_next(&splitter, &one, &err), err);
  assert_fails(skep_splitter_next(&splitter, &one, &err), SKEP_ERR_LIMIT, err,
               "line 2: a statement of more than 10 bytes");
  skep_splitter_fini(&splitter);
}

static void commands_are_told_from_sql(void **state) {
  static const struct {
    const char *text;
    skep_command_kind kind;
    const char *rest;
  } cases[] = {
      {"set a=b", SKEP_COMMAND_SET, "a=b"},
      {"/* x */ -- y\n SET\n a = b ", SKEP_COMMAND_SET, "a = b"},
      {"SET", SKEP_COMMAND_SET, ""},
      {"SET AUTOCOMMIT TRUE", SKEP_COMMAND_NONE, NULL},
      {"set autocommit = true", SKEP_COMMAND_SET, "autocommit = true"},
      {"set role admin", SKEP_COMMAND_NONE, NULL},
      {"settle a", SKEP_COMMAND_NONE, NULL},
      {"reset", SKEP_COMMAND_RESET, ""},
      {"dfs -ls /", SKEP_COMMAND_DFS, "-ls /"},
      {"ADD JAR x.jar", SKEP_COMMAND_ADD, "JAR x.jar"},
      {"list jars", SKEP_COMMAND_LIST, "jars"},
      {"delete jar x", SKEP_COMMAND_DELETE, "jar x"},
      {"delete from jar", SKEP_COMMAND_NONE, NULL},
      {"reload", SKEP_COMMAND_RELOAD, ""},
      {"reload functions", SKEP_COMMAND_NONE, NULL},
      {"compile `x`", SKEP_COMMAND_COMPILE, "`x`"},
      {"!ls", SKEP_COMMAND_SHELL, "ls"},
      {"source f.hql", SKEP_COMMAND_SOURCE, "f.hql"},
      {"quit", SKEP_COMMAND_QUIT, ""},
      {"exit;", SKEP_COMMAND_QUIT, ";"},
      {"exit now", SKEP_COMMAND_NONE, NULL},
      {"SELECT 1", SKEP_COMMAND_NONE, NULL},
      {"", SKEP_COMMAND_NONE, NULL},
      {"/* open", SKEP_COMMAND_NONE, NULL},
      {"'set' x", SKEP_COMMAND_NONE, NULL},
  };
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const char *rest;
    size_t length;
    skep_command_kind kind = skep_command_of(cases[i].text, strlen(cases[i].text), &rest, &length);
    if (kind != cases[i].kind) fail_msg("%s: command %d", cases[i].text, (int)kind);
    if (cases[i].rest != NULL) {
      assert_int_equal(length, strlen(cases[i].rest));
      assert_memory_equal(rest, cases[i].rest, length);
    }
    assert_int_equal(skep_command_of(cases[i].text, strlen(cases[i].text), NULL, NULL), kind);
  }
}

/* hivevar a=1, b=${a}x, loop=${loop}; hiveconf a=conf; env HOME=/h */
static const char *look_up(void *self, const char *space, const char *name) {
  static const char *const values[][3] = {
      {"hivevar", "a", "1"},    {"hivevar", "b", "${a}x"}, {"hivevar", "loop", "${loop}"},
      {"hivevar", "empty", ""}, {"hiveconf", "a", "conf"}, {"env", "HOME", "/h"},
      {"system", "x.y", "sys"}, {"hivevar", "name", "a"},  {"hivevar", "big", "${big}${big}"},
  };
  (void)self;
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    if (strcmp(values[i][0], space) == 0 && strcmp(values[i][1], name) == 0) return values[i][2];
  }
  return NULL;
}

static void variables_are_replaced(void **state) {
  static const char *const cases[][2] = {
      {"no variables $ { } ${", "no variables $ { } ${"},
      {"${a}", "1"},
      {"${hivevar:a} ${hiveconf:a} ${env:HOME} ${system:x.y}", "1 conf /h sys"},
      {"'${a}' -- ${a}", "'1' -- 1"},
      {"<${b}>", "<1x>"},
      {"<${empty}>", "<>"},
      {"${unknown} ${env:none} ${a}", "${unknown} ${env:none} 1"},
      {"${a b} ${a$b} ${}", "${a b} ${a$b} ${}"},
      {"${${name}}", "1"},
      {"$${a}", "$1"},
      {"${metaconf:a}", "${metaconf:a}"},
      {"", ""},
  };
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_err err;
  skep_buf out;
  skep_buf_init(&out, &ctx, 1 << 16);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_buf_reset(&out);
    assert_ok(skep_substitute(cases[i][0], strlen(cases[i][0]), look_up, NULL, &out, &err), err);
    assert_string_equal(skep_buf_string(&out), cases[i][1]);
  }
  skep_buf_reset(&out);
  assert_fails(skep_substitute("${loop}", 7, look_up, NULL, &out, &err), SKEP_ERR_SEMANTIC, err,
               "variables refer to each other more than 40 deep");
  assert_fails(skep_substitute("${big}", 6, look_up, NULL, &out, &err), SKEP_ERR_LIMIT, err, "");
  skep_buf_fini(&out);
}

static void allocation_failures_are_reported(void **state) {
  (void)state;
  failing_alloc memory;
  skep_ctx ctx;
  failing_alloc_ctx(&memory, &ctx);
  for (uint64_t n = 1;; n++) {
    skep_err err;
    skep_buf out;
    skep_splitter splitter;
    skep_script_statement one;
    failing_alloc_arm(&memory, n);
    skep_buf_init(&out, &ctx, 1 << 16);
    skep_splitter_init(&splitter, &ctx, 1 << 16);
    skep_status st = skep_splitter_feed(&splitter, "SELECT ${b}", 11, &err);
    if (st == SKEP_OK) st = skep_splitter_finish(&splitter, &one, &err);
    if (st == SKEP_OK) st = skep_substitute(one.text, one.length, look_up, NULL, &out, &err);
    bool fired = failing_alloc_fired(&memory);
    skep_splitter_fini(&splitter);
    skep_buf_fini(&out);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!fired) {
      assert_int_equal(st, SKEP_OK);
      break;
    }
    assert_int_equal(st, SKEP_ERR_NOMEM);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statements_are_the_same_for_every_size_of_chunk),
      cmocka_unit_test(a_prompt_can_ask_what_is_open),
      cmocka_unit_test(a_statement_has_a_maximum),
      cmocka_unit_test(commands_are_told_from_sql),
      cmocka_unit_test(variables_are_replaced),
      cmocka_unit_test(allocation_failures_are_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
