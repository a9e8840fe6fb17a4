/* Types: strings both ways, every message with its position, building, looking things up, hostile input. */
#include "column/type.h"

#include "support/failing_alloc.h"
#include "support/test.h"

static skep_ctx ctx;
static skep_arena arena;
static skep_err err;

static int set_up(void **state) {
  (void)state;
  skep_ctx_init(&ctx);
  skep_arena_init(&arena, &ctx, 1 << 28);
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  skep_arena_fini(&arena);
  return 0;
}

static const skep_type *parsed(const char *text) {
  const skep_type *type;
  assert_ok(skep_type_parse(&arena, text, strlen(text), &type, &err), err);
  return type;
}

static void assert_prints(const skep_type *type, const char *expected) {
  skep_buf out;
  skep_buf_init(&out, &ctx, 1 << 24);
  skep_type_print(type, &out);
  assert_string_equal(skep_buf_string(&out), expected);
  skep_buf_fini(&out);
}

static void strings_are_read_and_printed_canonically(void **state) {
  (void)state;
  static const char *const cases[][2] = {
      {"boolean", "boolean"},
      {"tinyint", "tinyint"},
      {"smallint", "smallint"},
      {"int", "int"},
      {"integer", "int"},
      {"bigint", "bigint"},
      {"float", "float"},
      {"double", "double"},
      {"string", "string"},
      {"binary", "binary"},
      {"date", "date"},
      {"timestamp", "timestamp"},
      {"timestamp with local time zone", "timestamp with local time zone"},
      {" TimeStamp  WITH\tlocal TIME\nzone ", "timestamp with local time zone"},
      {"timestamp with local time zone('Asia/Tokyo')", "timestamp with local time zone"},
      {"decimal", "decimal(10,0)"},
      {"decimal(7)", "decimal(7,0)"},
      {"DECIMAL ( 38 , 38 )", "decimal(38,38)"},
      {"char(255)", "char(255)"},
      {"varchar( 65535 )", "varchar(65535)"},
      {"array<int>", "array<int>"},
      {"map<string,array<double>>", "map<string,array<double>>"},
      {"uniontype<int,string>", "uniontype<int,string>"},
      {"struct<>", "struct<>"},
      {"array<struct<>>", "array<struct<>>"},
      {"struct<a:int,b:array<decimal(10,2)>>", "struct<a:int,b:array<decimal(10,2)>>"},
      {" STRUCT < A : INT , b c : map < int , struct < > > > ", "struct<A:int,b c:map<int,struct<>>>"},
      {"struct<a.b:int,timestamp:timestamp,\xc3\xa4\xe6\xbc\xa2:date,1:int,a b.c d:int>",
       "struct<a.b:int,timestamp:timestamp,\xc3\xa4\xe6\xbc\xa2:date,1:int,a b.c d:int>"},
      {"struct<`a`:int,`b``c`:int,` d `:int,`e:f`:int,`<>,`:int,``:int,``` ```:int>",
       "struct<a:int,`b``c`:int,` d `:int,`e:f`:int,`<>,`:int,``:int,``` ```:int>"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const skep_type *type = parsed(cases[i][0]);
    assert_prints(type, cases[i][1]);
    assert_true(skep_type_equal(type, parsed(cases[i][1])));
  }
}

static void wrong_strings_are_refused_with_position_and_expectation(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"", "type string, byte 0: expected a type, found the end"},
      {"  ", "type string, byte 2: expected a type, found the end"},
      {"in", "type string, byte 0: expected a type, found \"in\""},
      {"int2", "type string, byte 0: expected a type, found \"int2\""},
      {"void", "type string, byte 0: expected a type, found \"void\""},
      {"int x", "type string, byte 4: expected the end of the type, found \"x\""},
      {"int,int", "type string, byte 3: expected the end of the type, found \",int\""},
      {"decimal(0)", "type string, byte 8: expected a precision of 1 to 38, found \"0)\""},
      {"decimal(39,1)", "type string, byte 8: expected a precision of 1 to 38, found \"39,1)\""},
      {"decimal(99999999999999999999)", "byte 8: expected a precision of 1 to 38"},
      {"decimal(4,5)", "type string, byte 10: expected a scale of 0 to the precision, found \"5)\""},
      {"decimal(4,-1)", "byte 10: expected a scale of 0 to the precision, found \"-1)\""},
      {"decimal(4", "byte 9: expected ')', found the end"},
      {"decimal()", "byte 8: expected a precision of 1 to 38, found \")\""},
      {"char", "type string, byte 4: expected '(' and the length of a char, found the end"},
      {"char(0)", "byte 5: expected a length of 1 to 255, found \"0)\""},
      {"char(256)", "byte 5: expected a length of 1 to 255, found \"256)\""},
      {"varchar<3>", "byte 7: expected '(' and the length of a varchar, found \"<3>\""},
      {"varchar(65536)", "byte 8: expected a length of 1 to 65535"},
      {"varchar(3", "byte 9: expected ')', found the end"},
      {"timestamp with time zone", "byte 15: expected \"with local time zone\", found \"time zone\""},
      {"timestamp with local time zone(", "byte 31: expected a zone in quotes, found the end"},
      {"timestamp with local time zone('a", "byte 33: expected the closing quote of the zone, found the end"},
      {"timestamp with local time zone('a'", "byte 34: expected ')', found the end"},
      {"array", "byte 5: expected '<', found the end"},
      {"array<>", "byte 6: expected a type, found \">\""},
      {"array<int", "byte 9: expected '>', found the end"},
      {"array<int,int>", "byte 9: expected '>', found \",int>\""},
      {"map<int>", "byte 7: expected ',' and the value type of a map, found \">\""},
      {"map<int,int,int>", "byte 11: expected '>', found \",int>\""},
      {"uniontype<>", "byte 10: expected a type, found \">\""},
      {"uniontype<int;int>", "byte 13: expected ',' or '>', found \";int>\""},
      {"struct<int>", "byte 10: expected ':' after a field name, found \">\""},
      {"struct<a:int b:int>", "byte 13: expected ',' or '>', found \"b:int>\""},
      {"struct<a:int,>", "byte 13: expected a field name, found \">\""},
      {"struct<:int>", "byte 7: expected a field name, found \":int>\""},
      {"struct<a int,b:int>", "byte 12: expected ':' after a field name, found \",b:int>\""},
      {"struct<a`b:int>", "byte 8: expected ':' after a field name, found \"`b:int>\""},
      {"struct<`a:int>", "byte 14: expected the closing back-quote of a field name, found the end"},
      {"struct<`a``:int>", "byte 16: expected the closing back-quote of a field name, found the end"},
      {"struct<`a` b:int>", "byte 11: expected ':' after a field name, found \"b:int>\""},
      {"struct<`` ``:int>", "byte 10: expected ':' after a field name, found \"``:int>\""},
      {"struct<a:int", "byte 12: expected ',' or '>', found the end"},
      {"struct<a", "byte 8: expected ':' after a field name, found the end"},
      {"struct<", "byte 7: expected a field name, found the end"},
      {"struct<a:\x01\xff>", "byte 9: expected a type, found \"\\x01\\xff>\""},
      {"array<array<array<a:int>>>", "byte 18: expected a type, found \"a:int>>>\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const skep_type *type = (const skep_type *)1;
    assert_fails(skep_type_parse(&arena, cases[i].text, strlen(cases[i].text), &type, &err), SKEP_ERR_ARGUMENT, err,
                 cases[i].message);
    assert_null(type);
  }
  const skep_type *type;
  assert_fails(skep_type_parse(&arena, "struct<a\0:int>", 14, &type, &err), SKEP_ERR_ARGUMENT, err, "byte 8");
  assert_fails(skep_type_parse(&arena, "struct<`a\0`:int>", 16, &type, &err), SKEP_ERR_ARGUMENT, err,
               "byte 9: expected a field name without zero bytes");
  assert_fails(skep_type_parse(&arena, "int\0", 4, &type, &err), SKEP_ERR_ARGUMENT, err, "byte 3");
}

static void every_prefix_and_byte_change_gives_a_type_or_a_message(void **state) {
  (void)state;
  static const char text[] =
      "struct<a:map<string,decimal(10,2)>,`b``c`:uniontype<char(3),timestamp with local time zone>>";
  char changed[sizeof text];
  const skep_type *type;
  for (size_t n = 0; n + 1 < sizeof text; n++) {
    assert_fails(skep_type_parse(&arena, text, n, &type, &err), SKEP_ERR_ARGUMENT, err, "type string, byte ");
    for (int c = 0; c < 256; c++) {
      memcpy(changed, text, sizeof text);
      changed[n] = (char)c;
      skep_status st = skep_type_parse(&arena, changed, sizeof text - 1, &type, &err);
      assert_true(st == SKEP_OK ? type != NULL : st == SKEP_ERR_ARGUMENT && type == NULL);
    }
  }
}

static void depth_and_count_are_bounded(void **state) {
  (void)state;
  skep_buf text;
  skep_buf_init(&text, &ctx, 1 << 24);
  const skep_type *type;
  for (int i = 0; i < 63; i++) skep_buf_text(&text, "array<");
  skep_buf_text(&text, "int");
  for (int i = 0; i < 63; i++) skep_buf_text(&text, ">");
  assert_ok(skep_type_parse(&arena, (const char *)text.data, text.size, &type, &err), err);
  assert_int_equal(type->max_id, 63);
  const skep_type *list = type, *deeper;
  skep_type like = {.kind = SKEP_LIST};
  assert_fails(skep_type_make(&arena, &like, &list, NULL, 1, &deeper, &err), SKEP_ERR_LIMIT, err,
               "a type is nested deeper than 64 levels");
  skep_buf_reset(&text);
  for (int i = 0; i < 1000000; i++) skep_buf_text(&text, "array<");
  assert_fails(skep_type_parse(&arena, (const char *)text.data, text.size, &type, &err), SKEP_ERR_LIMIT, err,
               "type string, byte 384: nested deeper than 64 levels");
  skep_buf_reset(&text);
  skep_buf_text(&text, "uniontype<int");
  for (int i = 0; i < 126; i++) skep_buf_text(&text, ",int");
  skep_buf_text(&text, ">");
  assert_ok(skep_type_parse(&arena, (const char *)text.data, text.size, &type, &err), err);
  assert_int_equal(type->n_children, 127);
  text.size--;
  skep_buf_text(&text, ",int>");
  assert_fails(skep_type_parse(&arena, (const char *)text.data, text.size, &type, &err), SKEP_ERR_ARGUMENT, err,
               "expected '>', found \",int>\"");
  skep_buf_reset(&text);
  skep_buf_text(&text, "struct<a:int");
  for (int i = 0; i < 100000; i++) skep_buf_text(&text, ",a:int");
  skep_buf_text(&text, ">");
  assert_fails(skep_type_parse(&arena, (const char *)text.data, text.size, &type, &err), SKEP_ERR_LIMIT, err,
               "more than 65536 types");
  skep_buf_fini(&text);
}

static void names_may_be_a_megabyte(void **state) {
  (void)state;
  enum { SIZE = 1 << 20 };
  skep_buf text;
  skep_buf_init(&text, &ctx, 1 << 24);
  for (int quoted = 0; quoted < 2; quoted++) {
    skep_buf_reset(&text);
    skep_buf_text(&text, quoted ? "struct<`" : "struct<");
    for (int i = 0; i < SIZE; i++) skep_buf_text(&text, quoted ? "``" : "x");
    skep_buf_text(&text, quoted ? "`:int>" : ":int>");
    const skep_type *type;
    assert_ok(skep_type_parse(&arena, (const char *)text.data, text.size, &type, &err), err);
    assert_int_equal(strlen(type->names[0]), SIZE);
    skep_buf printed;
    skep_buf_init(&printed, &ctx, 1 << 24);
    skep_type_print(type, &printed);
    assert_int_equal(printed.size, text.size);
    assert_memory_equal(printed.data, text.data, text.size);
    skep_buf_fini(&printed);
  }
  /* A thousand quoted names cost what they are long, not their number times the text. */
  skep_buf_reset(&text);
  skep_buf_text(&text, "struct<`n`:int");
  for (int i = 0; i < 1000; i++) skep_buf_text(&text, ",`n`:int");
  size_t used = arena.used_bytes;
  skep_buf_text(&text, ">");
  const skep_type *type;
  assert_ok(skep_type_parse(&arena, (const char *)text.data, text.size, &type, &err), err);
  assert_true(arena.used_bytes - used < 500000);
  skep_buf_fini(&text);
}

static void nodes_are_numbered_in_pre_order(void **state) {
  (void)state;
  const skep_type *root = parsed("struct<a:int,b:struct<c:array<string>,d:map<int,bigint>>,e:date>");
  assert_int_equal(root->id, 0);
  assert_int_equal(root->max_id, 8);
  static const skep_kind kinds[] = {SKEP_STRUCT, SKEP_INT, SKEP_STRUCT, SKEP_LIST, SKEP_STRING,
                                    SKEP_MAP,    SKEP_INT, SKEP_BIGINT, SKEP_DATE};
  for (uint32_t id = 0; id <= root->max_id; id++) {
    const skep_type *node = skep_type_by_id(root, id);
    assert_non_null(node);
    assert_int_equal(node->id, id);
    assert_int_equal(node->kind, kinds[id]);
  }
  assert_null(skep_type_by_id(root, 9));
  const skep_type *b = root->children[1];
  assert_int_equal(b->max_id, 7);
  assert_null(skep_type_by_id(b, 1));
  assert_null(skep_type_by_id(b, 8));
  assert_ptr_equal(skep_type_by_id(b, 7), b->children[1]->children[1]);
}

static void children_are_found_by_name(void **state) {
  (void)state;
  const skep_type *type = parsed("struct<Id:int,name:string,ID:date>");
  assert_int_equal(skep_type_child(type, "ID", 2, false), 2);
  assert_int_equal(skep_type_child(type, "id", 2, false), -1);
  assert_int_equal(skep_type_child(type, "iD", 2, true), 0);
  assert_int_equal(skep_type_child(type, "names", 4, true), 1);
  assert_int_equal(skep_type_child(type, "names", 5, true), -1);
  assert_int_equal(skep_type_child(type, "", 0, true), -1);
  assert_int_equal(skep_type_child(type->children[0], "a", 1, true), -1);
}

static void equality_compares_names_and_parameters(void **state) {
  (void)state;
  static const char *const different[] = {
      "int",
      "bigint",
      "decimal(10,2)",
      "decimal(11,2)",
      "decimal(10,3)",
      "char(3)",
      "varchar(3)",
      "char(4)",
      "timestamp",
      "timestamp with local time zone",
      "array<int>",
      "array<bigint>",
      "map<int,int>",
      "struct<>",
      "struct<a:int>",
      "struct<A:int>",
      "struct<a:int,b:int>",
      "uniontype<int>",
      "uniontype<int,int>",
  };
  enum { N = sizeof different / sizeof *different };
  for (size_t i = 0; i < N; i++) {
    for (size_t j = 0; j < N; j++) {
      assert_int_equal(skep_type_equal(parsed(different[i]), parsed(different[j])), i == j);
    }
  }
}

static void trees_are_built_over_children_and_renumbered(void **state) {
  (void)state;
  const skep_type *children[] = {parsed("array<int>"), parsed("decimal(5,1)")};
  char first[] = "x";
  const char *names[] = {first, "a:b"};
  const skep_type *type;
  skep_type like = {.kind = SKEP_STRUCT};
  assert_ok(skep_type_make(&arena, &like, children, names, 2, &type, &err), err);
  first[0] = '?';
  assert_prints(type, "struct<x:array<int>,`a:b`:decimal(5,1)>");
  assert_int_equal(type->children[1]->id, 3);
  assert_int_equal(children[1]->id, 0);
  skep_arena other;
  skep_arena_init(&other, &ctx, 1 << 16);
  const skep_type *copy;
  assert_ok(skep_type_copy(&other, type->children[0], &copy, &err), err);
  assert_int_equal(copy->id, 0);
  assert_int_equal(copy->children[0]->id, 1);
  assert_prints(copy, "array<int>");
  skep_arena_fini(&other);
}

static void impossible_nodes_are_refused(void **state) {
  (void)state;
  const skep_type *child = parsed("int"), *two[] = {child, child}, *type;
  static const char *const names[] = {"a", "b"};
  static const struct {
    skep_type like;
    uint32_t n_children;
    const char *message;
  } cases[] = {
      {{.kind = SKEP_DECIMAL, .precision = 0}, 0, "decimal(0,0): precision is 1 to 38"},
      {{.kind = SKEP_DECIMAL, .precision = 39}, 0, "decimal(39,0)"},
      {{.kind = SKEP_DECIMAL, .precision = 3, .scale = 4}, 0, "decimal(3,4)"},
      {{.kind = SKEP_CHAR}, 0, "char(0): length is 1 to 255"},
      {{.kind = SKEP_CHAR, .length = 256}, 0, "char(256)"},
      {{.kind = SKEP_VARCHAR, .length = 65536}, 0, "varchar(65536): length is 1 to 65535"},
      {{.kind = SKEP_INT}, 1, "int cannot have 1 children"},
      {{.kind = SKEP_LIST}, 0, "array cannot have 0 children"},
      {{.kind = SKEP_LIST}, 2, "array cannot have 2 children"},
      {{.kind = SKEP_MAP}, 1, "map cannot have 1 children"},
      {{.kind = SKEP_UNION}, 0, "uniontype cannot have 0 children"},
      {{.kind = SKEP_KIND_COUNT}, 0, "19 is no kind of type"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    assert_fails(skep_type_make(&arena, &cases[i].like, two, names, cases[i].n_children, &type, &err),
                 SKEP_ERR_ARGUMENT, err, cases[i].message);
    assert_null(type);
  }
  skep_type like = {.kind = SKEP_STRUCT};
  assert_fails(skep_type_make(&arena, &like, two, NULL, 2, &type, &err), SKEP_ERR_ARGUMENT, err,
               "a struct needs 2 field names");
}

static void failing_allocations_leak_nothing(void **state) {
  (void)state;
  static const char text[] = "struct<a:map<string,decimal(10,2)>,`b``c`:uniontype<char(3),array<struct<x:int,y:int>>>>";
  failing_alloc memory;
  skep_ctx failing;
  failing_alloc_ctx(&memory, &failing);
  for (uint64_t n = 1;; n++) {
    skep_arena local;
    const skep_type *type, *copy = NULL;
    failing_alloc_arm(&memory, n);
    skep_arena_init(&local, &failing, 2000); /* small, so that the arena's own maximum is met as well */
    skep_status st = skep_type_parse(&local, text, sizeof text - 1, &type, &err);
    if (st == SKEP_OK) st = skep_type_copy(&local, type, &copy, &err);
    skep_arena_fini(&local);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) break;
    assert_int_equal(st, SKEP_ERR_NOMEM);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(strings_are_read_and_printed_canonically, set_up, tear_down),
      cmocka_unit_test_setup_teardown(wrong_strings_are_refused_with_position_and_expectation, set_up, tear_down),
      cmocka_unit_test_setup_teardown(every_prefix_and_byte_change_gives_a_type_or_a_message, set_up, tear_down),
      cmocka_unit_test_setup_teardown(depth_and_count_are_bounded, set_up, tear_down),
      cmocka_unit_test_setup_teardown(names_may_be_a_megabyte, set_up, tear_down),
      cmocka_unit_test_setup_teardown(nodes_are_numbered_in_pre_order, set_up, tear_down),
      cmocka_unit_test_setup_teardown(children_are_found_by_name, set_up, tear_down),
      cmocka_unit_test_setup_teardown(equality_compares_names_and_parameters, set_up, tear_down),
      cmocka_unit_test_setup_teardown(trees_are_built_over_children_and_renumbered, set_up, tear_down),
      cmocka_unit_test_setup_teardown(impossible_nodes_are_refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(failing_allocations_leak_nothing, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
