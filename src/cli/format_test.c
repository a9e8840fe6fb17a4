/* The output formats: bytes for bytes what they print for the same few rows, and what happens when printing is cut
 * short. */
#include "cli/format.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "support/test.h"

static skep_ctx ctx;
static skep_arena arena;
static skep_err err;

static int set_up(void **state) {
  (void)state;
  skep_ctx_init(&ctx);
  skep_arena_init(&arena, &ctx, 1 << 26);
  signal(SIGPIPE, SIG_IGN);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  skep_arena_fini(&arena);
  return 0;
}

/* A column of texts (NULL = SQL NULL) of any primitive type. */
static skep_vec column(const skep_type *type, const char *const *texts, size_t n) {
  static const skep_forms forms = {0};
  skep_vec v;
  assert_ok(skep_vec_init(&v, &ctx, type, &forms, &err), err);
  skep_vec null;
  assert_ok(skep_vec_init(&null, &ctx, type, &forms, &err), err);
  assert_ok(skep_vec_set_null(&null, 1, &err), err);
  for (size_t i = 0; i < n; i++) {
    if (texts[i] == NULL) {
      assert_ok(skep_vec_append(&v, &null, 0, 1, &err), err);
    } else {
      assert_ok(skep_vec_append_text(&v, skep_bytes_of(texts[i], strlen(texts[i])), &err), err);
    }
  }
  skep_vec_fini(&null);
  return v;
}

enum { MAX_COLUMNS = 4, MAX_TEXT = 1 << 16 };
typedef struct rows {
  const char *type;
  size_t n_rows, n_columns;
  const char *const *texts[MAX_COLUMNS];
} rows;

/* What a command would write for the rows, cut into chunks of `step` rows; the printer's limit as given. */
static const char *printed(const rows *t, skep_cli_format format, bool header, uint64_t limit, size_t step) {
  static char out[MAX_TEXT];
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  assert_true(fcntl(ends[1], F_SETPIPE_SZ, MAX_TEXT) >= 0);
  const skep_type *type;
  skep_cli_formatter f;
  skep_cli_printer p;
  skep_cli_output o;
  skep_cli_chunk chunk;
  assert_ok(skep_type_parse(&arena, t->type, strlen(t->type), &type, &err), err);
  assert_ok(skep_cli_formatter_init(&f, &arena, format, type, SKEP_CLI_UTF8_DEFAULT, &err), err);
  assert_ok(skep_cli_output_init(&o, &ctx, ends[1], &err), err);
  assert_ok(skep_cli_printer_init(&p, &ctx, &f, &o, header, limit, &err), err);
  skep_cli_chunk_init(&chunk, &ctx);
  assert_ok(skep_cli_print_begin(&p, &err), err);
  bool more = true;
  for (size_t at = 0; at < t->n_rows && more; at += step) {
    size_t n = t->n_rows - at < step ? t->n_rows - at : step;
    skep_vec vecs[MAX_COLUMNS];
    const skep_vec *columns[MAX_COLUMNS];
    for (size_t i = 0; i < t->n_columns; i++) {
      vecs[i] = column(type->kind == SKEP_STRUCT ? type->children[i] : type, t->texts[i] + at, n);
      columns[i] = &vecs[i];
    }
    assert_ok(skep_cli_format_rows(&f, columns, (int64_t)n, &chunk, &err), err);
    assert_ok(skep_cli_print_chunk(&p, &chunk, &more, &err), err);
    for (size_t i = 0; i < t->n_columns; i++) skep_vec_fini(&vecs[i]);
  }
  assert_ok(skep_cli_print_end(&p, &err), err);
  skep_cli_chunk_fini(&chunk);
  skep_cli_printer_fini(&p);
  skep_cli_output_fini(&o);
  close(ends[1]);
  size_t size = 0;
  for (ssize_t n; (n = read(ends[0], out + size, sizeof out - 1 - size)) > 0;) size += (size_t)n;
  out[size] = '\0';
  close(ends[0]);
  return out;
}

static const char *const ids[] = {"1", "2", NULL};
static const char *const names[] = {"a,\"b\"", NULL, "x\ty\nz"};
static const rows three = {"struct<id:int,name:string>", 3, 2, {ids, names}};

static void each_format_prints_its_own_bytes(void **state) {
  (void)state;
  static const struct {
    skep_cli_format format;
    const char *text;
  } cases[] = {
      {SKEP_CLI_TSV2, "id\tname\n1\ta,\"b\"\n2\tNULL\nNULL\tx\ty\nz\n"},
      {SKEP_CLI_CSV2, "id,name\n1,\"a,\"\"b\"\"\"\n2,NULL\nNULL,\"x\ty\nz\"\n"},
      {SKEP_CLI_COPY, "id\tname\n1\ta,\"b\"\n2\t\\N\n\\N\tx\\ty\\nz\n"},
      {SKEP_CLI_JSON,
       "{\"id\":1,\"name\":\"a,\\\"b\\\"\"}\n{\"id\":2,\"name\":null}\n{\"id\":null,\"name\":\"x\\ty\\nz\"}\n"},
      {SKEP_CLI_VERTICAL, "id    1\nname  a,\"b\"\n\nid    2\nname  NULL\n\nid    NULL\nname  x\ty\nz\n\n"},
      {SKEP_CLI_TABLE,
       "+-------+----------+\n"
       "|  id   |   name   |\n"
       "+-------+----------+\n"
       "| 1     | a,\"b\"    |\n"
       "| 2     | NULL     |\n"
       "| NULL  | x\\ty\\nz  |\n"
       "+-------+----------+\n"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (size_t step = 1; step <= 3; step++) {
      if (cases[i].format == SKEP_CLI_TABLE && step > 3) continue;
      assert_string_equal(printed(&three, cases[i].format, true, UINT64_MAX, step), cases[i].text);
    }
  }
}

static void a_header_can_be_left_out(void **state) {
  (void)state;
  assert_string_equal(printed(&three, SKEP_CLI_TSV2, false, 1, 3), "1\ta,\"b\"\n");
  assert_string_equal(printed(&three, SKEP_CLI_TABLE, false, 1, 3),
                      "+----+--------+\n| 1  | a,\"b\"  |\n+----+--------+\n");
}

static void a_limit_cuts_inside_a_chunk(void **state) {
  (void)state;
  assert_string_equal(printed(&three, SKEP_CLI_COPY, true, 2, 3), "id\tname\n1\ta,\"b\"\n2\t\\N\n");
  assert_string_equal(printed(&three, SKEP_CLI_JSON, true, 0, 3), "");
  assert_string_equal(printed(&three, SKEP_CLI_JSON, true, 1, 1), "{\"id\":1,\"name\":\"a,\\\"b\\\"\"}\n");
}

static void repeated_names_are_numbered_in_json(void **state) {
  (void)state;
  static const char *const one[] = {"1"};
  const rows t = {"struct<a:int,b:int,a:int,a:int>", 1, 4, {one, one, one, one}};
  assert_string_equal(printed(&t, SKEP_CLI_JSON, true, UINT64_MAX, 1), "{\"a\":1,\"b\":1,\"a#2\":1,\"a#3\":1}\n");
}

static void a_root_that_is_no_struct_is_one_bare_value(void **state) {
  (void)state;
  static const char *const texts[] = {"7", NULL};
  const rows t = {"bigint", 2, 1, {texts}};
  assert_string_equal(printed(&t, SKEP_CLI_JSON, true, UINT64_MAX, 2), "7\nnull\n");
  assert_string_equal(printed(&t, SKEP_CLI_TSV2, true, UINT64_MAX, 2), "value\n7\nNULL\n");
}

static void a_table_without_rows_has_its_header(void **state) {
  (void)state;
  const rows t = {"struct<id:int,name:string>", 0, 2, {ids, names}};
  assert_string_equal(printed(&t, SKEP_CLI_TABLE, true, UINT64_MAX, 1),
                      "+-----+-------+\n| id  | name  |\n+-----+-------+\n+-----+-------+\n");
  assert_string_equal(printed(&t, SKEP_CLI_CSV2, true, UINT64_MAX, 1), "id,name\n");
  assert_string_equal(printed(&t, SKEP_CLI_JSON, true, UINT64_MAX, 1), "");
}

/* Two columns for each wide character, none for a combining mark; control characters cannot reach the terminal. */
static void a_table_is_aligned_by_width_on_the_terminal(void **state) {
  (void)state;
  static const char *const texts[] = {"\xe6\x97\xa5\xe6\x9c\xac", "e\xcc\x81", "\x1b[31m", "\xff", "\xf0\x9f\x8e\x88"};
  const rows t = {"struct<s:string>", 5, 1, {texts}};
  assert_string_equal(printed(&t, SKEP_CLI_TABLE, true, UINT64_MAX, 5),
                      "+-----------+\n"
                      "|     s     |\n"
                      "+-----------+\n"
                      "| \xe6\x97\xa5\xe6\x9c\xac      |\n"
                      "| e\xcc\x81         |\n"
                      "| \\x1B[31m  |\n"
                      "| \xef\xbf\xbd         |\n"
                      "| \xf0\x9f\x8e\x88        |\n"
                      "+-----------+\n");
}

/* A right-to-left override would mirror the rest of the line. */
static void what_turns_the_line_around_is_escaped(void **state) {
  (void)state;
  static const char *const texts[] = {"\xe2\x80\xaegpj.exe"};
  const rows t = {"struct<s:string>", 1, 1, {texts}};
  assert_string_equal(printed(&t, SKEP_CLI_TABLE, true, UINT64_MAX, 1),
                      "+----------------+\n"
                      "|       s        |\n"
                      "+----------------+\n"
                      "| \\u202Egpj.exe  |\n"
                      "+----------------+\n");
  const rows named = {"struct<`\x1b[2J\n`:string>", 1, 1, {texts}};
  assert_string_equal(printed(&named, SKEP_CLI_VERTICAL, true, UINT64_MAX, 1), "\\x1B[2J\\n  \xe2\x80\xaegpj.exe\n\n");
}

static void a_later_block_that_needs_more_room_gets_a_new_header(void **state) {
  (void)state;
  static const char *texts[1001];
  for (size_t i = 0; i < 1000; i++) texts[i] = "a";
  texts[1000] = "wider";
  const rows t = {"struct<s:string>", 1001, 1, {texts}};
  const char *out = printed(&t, SKEP_CLI_TABLE, true, UINT64_MAX, 300);
  static const char end[] = "| a  |\n+--------+\n|   s    |\n+--------+\n| wider  |\n+--------+\n";
  assert_int_equal(strncmp(out, "+----+\n| s  |\n+----+\n| a  |\n", 28), 0);
  assert_true(strlen(out) > sizeof end);
  assert_string_equal(out + strlen(out) - (sizeof end - 1), end);
}

static void csv_quotes_only_what_needs_it(void **state) {
  (void)state;
  static const char *const texts[] = {"", "plain", "\"", "a,b", "a\rb", " lead", "''"};
  const rows t = {"struct<s:string>", 7, 1, {texts}};
  assert_string_equal(printed(&t, SKEP_CLI_CSV2, false, UINT64_MAX, 7),
                      "\nplain\n\"\"\"\"\n\"a,b\"\n\"a\rb\"\n lead\n''\n");
}

static void names_cannot_break_the_header(void **state) {
  (void)state;
  static const char *const one[] = {"1"};
  const rows t = {"struct<`a\tb`:int,`c,d`:int>", 1, 2, {one, one}};
  assert_string_equal(printed(&t, SKEP_CLI_COPY, true, UINT64_MAX, 1), "a\\tb\tc,d\n1\t1\n");
  assert_string_equal(printed(&t, SKEP_CLI_CSV2, true, UINT64_MAX, 1), "a\tb,\"c,d\"\n1,1\n");
  assert_string_equal(printed(&t, SKEP_CLI_TABLE, true, UINT64_MAX, 1),
                      "+-------+------+\n| a\\tb  | c,d  |\n+-------+------+\n| 1     | 1    |\n+-------+------+\n");
}

static void invalid_utf8_is_passed_on_replaced_or_refused(void **state) {
  (void)state;
  const skep_type *type;
  static const char *const texts[] = {"ok",
                                      "a\xff"
                                      "b\xe2\x82"
                                      "c\xc3\xa9"};
  static const struct {
    skep_cli_format format;
    skep_cli_utf8 utf8;
    const char *want; /* NULL: fails */
  } cases[] = {{SKEP_CLI_JSON, SKEP_CLI_UTF8_DEFAULT,
                "{\"s\":\"ok\"}\n{\"s\":\"a\xef\xbf\xbd"
                "b\xef\xbf\xbd"
                "c\xc3\xa9\"}\n"},
               {SKEP_CLI_JSON, SKEP_CLI_UTF8_FAIL, NULL},
               {SKEP_CLI_COPY, SKEP_CLI_UTF8_DEFAULT,
                "ok\na\xff"
                "b\xe2\x82"
                "c\xc3\xa9\n"},
               {SKEP_CLI_TSV2, SKEP_CLI_UTF8_REPLACE,
                "ok\na\xef\xbf\xbd"
                "b\xef\xbf\xbd"
                "c\xc3\xa9\n"},
               {SKEP_CLI_COPY, SKEP_CLI_UTF8_FAIL, NULL}};
  skep_cli_chunk chunk;
  assert_ok(skep_type_parse(&arena, "struct<s:string>", 16, &type, &err), err);
  skep_vec v = column(type->children[0], texts, 2);
  const skep_vec *columns[] = {&v};
  skep_cli_chunk_init(&chunk, &ctx);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_cli_formatter f;
    assert_ok(skep_cli_formatter_init(&f, &arena, cases[i].format, type, cases[i].utf8, &err), err);
    if (cases[i].want != NULL) {
      assert_ok(skep_cli_format_rows(&f, columns, 2, &chunk, &err), err);
      assert_int_equal(chunk.replaced_utf8, strstr(cases[i].want, "\xef\xbf\xbd") != NULL);
      assert_string_equal(skep_buf_string(&chunk.text), cases[i].want);
    } else {
      assert_fails(skep_cli_format_rows(&f, columns, 2, &chunk, &err), SKEP_ERR_RANGE, err, "column s");
    }
  }
  skep_vec_fini(&v);
  skep_cli_chunk_fini(&chunk);
}

static void a_full_disk_is_an_error_and_a_closed_pipe_is_none(void **state) {
  (void)state;
  skep_cli_output o;
  int full = open("/dev/full", O_WRONLY);
  if (full >= 0) {
    assert_ok(skep_cli_output_init(&o, &ctx, full, &err), err);
    assert_true(skep_cli_output_write(&o, "abc", 3));
    assert_false(skep_cli_output_flush(&o));
    assert_fails(skep_cli_output_check(&o, &err), SKEP_ERR_IO, err, "cannot write to standard output: No space left");
    skep_cli_output_fini(&o);
    close(full);
  }
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  close(ends[0]);
  assert_ok(skep_cli_output_init(&o, &ctx, ends[1], &err), err);
  assert_true(skep_cli_output_write(&o, "abc", 3));
  assert_false(skep_cli_output_flush(&o));
  assert_false(skep_cli_output_write(&o, "abc", 3));
  assert_ok(skep_cli_output_check(&o, &err), err);
  skep_cli_output_fini(&o);
  close(ends[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_format_prints_its_own_bytes),
      cmocka_unit_test(a_header_can_be_left_out),
      cmocka_unit_test(a_limit_cuts_inside_a_chunk),
      cmocka_unit_test(repeated_names_are_numbered_in_json),
      cmocka_unit_test(a_root_that_is_no_struct_is_one_bare_value),
      cmocka_unit_test(a_table_without_rows_has_its_header),
      cmocka_unit_test(a_table_is_aligned_by_width_on_the_terminal),
      cmocka_unit_test(what_turns_the_line_around_is_escaped),
      cmocka_unit_test(a_later_block_that_needs_more_room_gets_a_new_header),
      cmocka_unit_test(csv_quotes_only_what_needs_it),
      cmocka_unit_test(names_cannot_break_the_header),
      cmocka_unit_test(invalid_utf8_is_passed_on_replaced_or_refused),
      cmocka_unit_test(a_full_disk_is_an_error_and_a_closed_pipe_is_none),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
