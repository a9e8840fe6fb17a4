/* Registered functions: expressions, and what Hive 4.0.1 says they are (golden 18-functions where they stand there). */
#include "support/test.h"

#include <stdlib.h>

#include "column/text.h"
#include "engine/engine.h"

typedef struct fixture {
  skep_ctx ctx;
  skep_arena arena;
  skep_engine *engine;
  skep_err err;
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  skep_ctx_init(&f->ctx);
  skep_arena_init(&f->arena, &f->ctx, 1 << 26);
  assert_ok(skep_engine_open(&f->ctx, &(skep_engine_opts){.threads = 2}, &f->engine, &f->err), f->err);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  skep_engine_close(f->engine);
  skep_arena_fini(&f->arena);
  free(f);
  return 0;
}

typedef struct example {
  const char *sql;
  const char *type;     /* Hive's */
  const char *expected; /* as `copy` text; NULL is \N */
} example;

/* Each twice: folded, and over a column of a table, where it is run. */
static void check(fixture *f, const example *examples, size_t n) {
  skep_buf found;
  skep_text style = {.style = SKEP_TEXT_COPY};
  skep_buf_init(&found, &f->ctx, 1 << 20);
  for (size_t i = 0; i < n; i++) {
    for (int folded = 0; folded < 2; folded++) {
      char text[100], sql[2000];
      const skep_type *type;
      skep_engine_result *r;
      const skep_batch *batch;
      snprintf(text, sizeof text, "struct<x:%s>", examples[i].type);
      snprintf(sql, sizeof sql, "SELECT %s FROM (SELECT %s)", examples[i].sql,
               folded ? "1 AS one" : "range AS r FROM range(3)");
      assert_ok(skep_type_parse(&f->arena, text, strlen(text), &type, &f->err), f->err);
      skep_status status = skep_engine_query(f->engine, sql, type, NULL, &r, &f->err);
      if (status == SKEP_OK) status = skep_engine_next(r, 10, &batch, &f->err);
      if (status != SKEP_OK) fail_msg("%s: %s", examples[i].sql, f->err.text);
      skep_buf_reset(&found);
      assert_ok(skep_text_value(&style, &batch->root.children[0], 0, &found, &f->err), f->err);
      if (strcmp(skep_buf_string(&found), examples[i].expected) != 0)
        fail_msg("%s: expected %s, found %s", examples[i].sql, examples[i].expected, skep_buf_string(&found));
      skep_engine_result_close(r);
    }
  }
  skep_buf_fini(&found);
}
#define CHECK(f, examples) check(f, examples, sizeof(examples) / sizeof((examples)[0]))

static void integers_wrap_around(void **state) {
  static const example examples[] = {
      {"skep_add(127::TINYINT, 1::TINYINT)", "tinyint", "-128"},
      {"skep_add(32767::SMALLINT, 1::SMALLINT)", "smallint", "-32768"},
      {"skep_add(2147483647, 1)", "int", "-2147483648"},
      {"skep_mul(2147483647, 2)", "int", "-2"},
      {"skep_add(9223372036854775807, 1::BIGINT)", "bigint", "-9223372036854775808"},
      {"skep_mul(9223372036854775807, 2::BIGINT)", "bigint", "-2"},
      {"skep_sub((-128)::TINYINT, 1::TINYINT)", "tinyint", "127"},
      {"skep_neg((-128)::TINYINT)", "tinyint", "-128"},
      {"skep_add(1, NULL::INTEGER)", "int", "\\N"},
      {"skep_wrap_i8(300)", "tinyint", "44"},
      {"skep_wrap_i64(18446744073709551617::HUGEINT)", "bigint", "1"},
  };
  CHECK(*state, examples);
}

static void division_and_modulo_by_zero_are_null(void **state) {
  static const example examples[] = {
      {"skep_div(7, 2)", "double", "3.5"},
      {"skep_div(7, 0)", "double", "\\N"},
      {"skep_mod(7, 0)", "int", "\\N"},
      {"skep_mod(-7, 3)", "int", "-1"},
      {"skep_mod((-9223372036854775808)::BIGINT, (-1)::BIGINT)", "bigint", "0"},
      {"skep_pmod(-7, 3)", "int", "2"},
      {"skep_pmod(7, -3)", "int", "-2"},
      {"skep_pmod(126::TINYINT, 127::TINYINT)", "tinyint", "126"},
      {"skep_pmod(1, 0)", "int", "\\N"},
      {"skep_mod(5.5::DOUBLE, 2::DOUBLE)", "double", "1.5"},
      {"skep_mod(5.5::DOUBLE, 0::DOUBLE)", "double", "\\N"},
      {"skep_pmod((-5.5)::DOUBLE, 2::DOUBLE)", "double", "0.5"},
      {"skep_intdiv(7, -2)", "bigint", "-3"},
      {"skep_intdiv((-9223372036854775808)::BIGINT, (-1)::BIGINT)", "bigint", "-9223372036854775808"},
  };
  CHECK(*state, examples);
  fixture *f = *state;
  const skep_type *type;
  skep_engine_result *r = NULL;
  const skep_batch *batch;
  assert_ok(skep_type_parse(&f->arena, "struct<x:bigint>", 16, &type, &f->err), f->err);
  skep_status status =
      skep_engine_query(f->engine, "SELECT skep_intdiv(7, range - range) FROM range(3)", type, NULL, &r, &f->err);
  if (status == SKEP_OK) status = skep_engine_next(r, 10, &batch, &f->err);
  assert_int_equal(status, SKEP_ERR_RUNTIME);
  assert_string_equal(f->err.text, "/ by zero");
  skep_engine_result_close(r);
}

static void doubles_become_integers_as_in_java(void **state) {
  static const example examples[] = {
      {"skep_f64_i32('NaN'::DOUBLE)", "int", "0"},
      {"skep_f64_i32(1e10)", "int", "2147483647"},
      {"skep_f64_i64(-1e30)", "bigint", "-9223372036854775808"},
      {"skep_f64_i64(-1.9)", "bigint", "-1"},
      {"skep_floor(-1.5)", "bigint", "-2"},
      {"skep_ceil(1.2)", "bigint", "2"},
      {"skep_sort_key('-0.0'::DOUBLE) < skep_sort_key(0.0::DOUBLE)", "boolean", "true"},
      {"skep_sort_key('NaN'::FLOAT) > skep_sort_key('Infinity'::FLOAT)", "boolean", "true"},
      {"skep_sort_key((-2)::DOUBLE) < skep_sort_key((-1)::DOUBLE)", "boolean", "true"},
  };
  CHECK(*state, examples);
}

static void decimals_have_their_types_and_round_half_up(void **state) {
  static const example examples[] = {
      {"skep_decimal_add_11_2(1::DECIMAL(10,2), 1::DECIMAL(10,2))", "decimal(11,2)", "2.00"},
      {"skep_decimal_mul_21_4(1::DECIMAL(10,2), 1::DECIMAL(10,2))", "decimal(21,4)", "1.0000"},
      {"skep_decimal_div_23_13(1::DECIMAL(10,2), 3::DECIMAL(10,2))", "decimal(23,13)", "0.3333333333333"},
      {"skep_decimal_div_38_6(1::DECIMAL(38,10), 3::DECIMAL(38,10))", "decimal(38,6)", "0.333333"},
      {"skep_decimal_mul_38_6(1::DECIMAL(38,10), 3::DECIMAL(38,10))", "decimal(38,6)", "3.000000"},
      {"skep_decimal_add_38_6(1::DECIMAL(38,10), 3::DECIMAL(38,0))", "decimal(38,6)", "4.000000"},
      {"skep_decimal_mul_38_17(1::DECIMAL(20,10), 3::DECIMAL(20,10))", "decimal(38,17)", "3.00000000000000000"},
      {"skep_decimal_add_38_0(99999999999999999999999999999999999999::DECIMAL(38,0), 1::DECIMAL(38,0))",
       "decimal(38,0)", "\\N"},
      {"skep_decimal_mul_38_0(99999999999999999999999999999999999999::DECIMAL(38,0), 2)", "decimal(38,0)", "\\N"},
      {"skep_decimal_add_11_2(1::DECIMAL(10,2), 1)", "decimal(11,2)", "2.00"},
      {"skep_decimal_div_14_6(1::DECIMAL(10,2), 3)", "decimal(14,6)", "0.333333"},
      {"skep_decimal_mod_4_2(10::DECIMAL(3,1), 3::DECIMAL(4,2))", "decimal(4,2)", "1.00"},
      {"skep_decimal_mod_4_2(10::DECIMAL(3,1), 0)", "decimal(4,2)", "\\N"},
      {"skep_decimal_div_4_2(10::DECIMAL(3,1), 0)", "decimal(4,2)", "\\N"},
      {"skep_decimal_div_38_6(5::DECIMAL(38,18), 7::DECIMAL(38,18))", "decimal(38,6)", "0.714286"},
      {"skep_decimal_div_38_6(99999999999999999999999999999999999999::DECIMAL(38,0), 0.00000000000000000001)",
       "decimal(38,6)", "\\N"},
      {"skep_decimal_pmod_5_1((-5)::DECIMAL(5,1), 3::DECIMAL(5,1))", "decimal(5,1)", "1.0"},
      {"skep_decimal_sub_4_1(1.5::DECIMAL(2,1), 100)", "decimal(4,1)", "-98.5"},
      {"skep_to_decimal_5_1(123.456)", "decimal(5,1)", "123.5"},
      {"skep_to_decimal_4_2(123.456)", "decimal(4,2)", "\\N"},
      {"skep_to_decimal_5_1(-123.45)", "decimal(5,1)", "-123.5"},
      {"skep_to_decimal_5_2(0.005)", "decimal(5,2)", "0.01"},
      {"skep_to_decimal_12_1(1e10)", "decimal(12,1)", "10000000000.0"},
      {"skep_to_decimal_10_2('1e2')", "decimal(10,2)", "100.00"},
      {"skep_to_decimal_10_2('abc')", "decimal(10,2)", "\\N"},
      {"skep_to_decimal_10_2(' 12.5 ')", "decimal(10,2)", "12.50"},
      {"skep_to_decimal_10_0(2.5::DOUBLE)", "decimal(10,0)", "3"},
      {"skep_to_decimal_20_18(0.1::DOUBLE)", "decimal(20,18)", "0.100000000000000000"},
      {"skep_to_decimal_20_18(0.1::FLOAT)", "decimal(20,18)", "0.100000000000000000"},
      {"skep_to_decimal_3_1(true)", "decimal(3,1)", "1.0"},
      {"skep_to_decimal_3_2(9.999)", "decimal(3,2)", "\\N"},
      {"skep_decimal_round_5_1(123.456::DECIMAL(6,3), 1)", "decimal(5,1)", "123.5"},
      {"skep_decimal_round_4_0(123.456::DECIMAL(6,3), -1)", "decimal(4,0)", "120"},
      {"skep_decimal_bround_2_0(2.5, 0)", "decimal(2,0)", "2"},
      {"skep_decimal_trunc_6_2(1234.567, 2)", "decimal(6,2)", "1234.56"},
      {"skep_decimal_trunc_4_0(1234.567, -2)", "decimal(4,0)", "1200"},
      {"skep_decimal_trunc_4_0(-1234.567, 0)", "decimal(4,0)", "-1234"},
      {"skep_decimal_floor_3_0(-1.5)", "decimal(3,0)", "-2"},
      {"skep_decimal_ceil_3_0(1.2)", "decimal(3,0)", "2"},
      {"skep_decimal_i32(12345678901.5)", "int", "\\N"},
      {"skep_decimal_i32(-1.9)", "int", "-1"},
      {"skep_decimal_f64(0.1)", "double", "0.1"},
      {"skep_decimal_str(1.50::DECIMAL(10,4))", "string", "1.5000"},
  };
  CHECK(*state, examples);
}

static void strings_are_counted_in_characters(void **state) {
  static const example examples[] = {
      {"skep_length('naïve')", "int", "5"},
      {"skep_length('日本')", "int", "2"},
      {"skep_length('\\x01\\x02'::BLOB)", "int", "2"},
      {"skep_length(skep_text('\\xFF\\xC3'::BLOB))", "int", "2"},
      {"skep_substr('hello', 2)", "string", "ello"},
      {"skep_substr('hello', 2, 3)", "string", "ell"},
      {"skep_substr('hello', 0, 2)", "string", "he"},
      {"skep_substr('hello', -3, 2)", "string", "ll"},
      {"skep_substr('hello', -10, 7)", "string", ""},
      {"skep_substr('hello', 10)", "string", ""},
      {"skep_substr('hello', 2, -1)", "string", ""},
      {"skep_substr('日本語', 2, 1)", "string", "本"},
      {"skep_substr('hello', NULL)", "string", "\\N"},
      {"skep_substr('a string of some length, longer than twelve', 3)", "string",
       "string of some length, longer than twelve"},
      {"skep_substring_index('a.b.c', '.', 2)", "string", "a.b"},
      {"skep_substring_index('a.b.c', '.', -1)", "string", "c"},
      {"skep_substring_index('a.b.c', '.', 0)", "string", ""},
      {"skep_substring_index('abc', 'x', 1)", "string", "abc"},
      {"skep_substring_index('www.apache.org', '.', -2)", "string", "apache.org"},
      {"skep_instr('hello', 'l')", "int", "3"},
      {"skep_instr('hello', 'z')", "int", "0"},
      {"skep_instr('hello', '')", "int", "1"},
      {"skep_instr('日本語', '語')", "int", "3"},
      {"skep_locate('l', 'hello', 4)", "int", "4"},
      {"skep_locate('l', 'hello', 5)", "int", "0"},
      {"skep_locate('', 'hello', 1)", "int", "1"},
      {"skep_locate('l', 'hello', -1)", "int", "0"},
      {"skep_locate('l', 'hello', NULL)", "int", "0"},
      {"skep_locate('l', NULL, 1)", "int", "\\N"},
      {"skep_trim('  a b  ')", "string", "a b"},
      {"skep_ltrim('  a ')", "string", "a "},
      {"skep_rtrim(' a  ')", "string", " a"},
      {"skep_trim('xxaxx', 'x')", "string", "a"},
      {"skep_rtrim('xxaé', 'é')", "string", "xxa"},
      {"skep_trim('\ta\n')", "string", "\\ta\\n"},
      {"skep_lpad('hi', 5, '?')", "string", "???hi"},
      {"skep_lpad('hi', 1, '?')", "string", "h"},
      {"skep_lpad('hi', 5, 'ab')", "string", "abahi"},
      {"skep_lpad('hi', 5, '')", "string", "\\N"},
      {"skep_rpad('hi', 5, 'abc')", "string", "hiabc"},
      {"skep_repeat('ab', 3)", "string", "ababab"},
      {"skep_repeat('ab', -1)", "string", ""},
      {"skep_reverse('日本')", "string", "本日"},
      {"skep_space(3)", "string", "   "},
      {"skep_ascii('A')", "int", "65"},
      {"skep_ascii('é')", "int", "-61"},
      {"skep_chr(256)", "string", "\\0"},
      {"skep_chr(233)", "string", "é"},
      {"skep_replace('aXbX', 'X', 'y')", "string", "ayby"},
      {"skep_replace('abc', '', 'x')", "string", "xaxbxcx"},
      {"skep_replace('abc', 'b', '')", "string", "ac"},
      {"skep_translate('abcabc', 'ab', 'xy')", "string", "xycxyc"},
      {"skep_translate('abc', 'abc', 'x')", "string", "x"},
      {"skep_translate('naïve', 'ï', 'i')", "string", "naive"},
      {"skep_find_in_set('b', 'a,b,c')", "int", "2"},
      {"skep_find_in_set('', 'a,,c')", "int", "2"},
      {"skep_find_in_set('a,b', 'a,b,c')", "int", "0"},
      {"skep_levenshtein('kitten', 'sitting')", "int", "3"},
      {"skep_soundex('Robert')", "string", "R163"},
      {"skep_upper('straße')", "string", "STRASSE"},
      {"skep_lower('ÀÉ')", "string", "àé"},
      {"skep_initcap('hello wORLD foo-bar')", "string", "Hello World Foo-bar"},
      {"skep_initcap('élan ÀLA  ßa\u3000Ωω o''NEIL')", "string", "Élan Àla  ßa\u3000Ωω O'neil"},
      {"skep_java_rand(7, 1)", "double", "0.7306990420600421"},
      {"skep_java_rand(7, 3)", "double", "0.34830970303125697"},
      {"skep_sha2_224('abc')", "string", "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"},
      {"skep_sha2_224(''::BLOB)", "string", "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"},
      {"skep_sha2_224(repeat('x', 119))", "string", "d75fd32c9a5ddf823b9f5b99b5170d51f8d9103d1436b5996c62b504"},
      {"skep_sha2_384('abc')", "string",
       "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"},
      {"skep_sha2_384(repeat('x', 111))", "string",
       "dfec6588f894c2b089119e1884a23941e5aa69ed38702839cf7352ac6d155d315693bb5d26b7468d8b69ecf4631ef419"},
      {"skep_sha2_512('abc'::BLOB)", "string",
       "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80"
       "e2"
       "a9ac94fa54ca49f"},
      {"skep_sha2_512(repeat('x', 1000))", "string",
       "ae13575c5d98bfa689617bb19f0f55efdd52b39397fd620bcd1fbc03fda979e6b69bfba24698176eafe766d31c48b70273b031980643230"
       "82e"
       "04cc4eb9126310"},
      {"skep_sha2_512(NULL::BLOB)", "string", "\\N"},
      {"skep_concat_ws(',', ['a', NULL, 'b'])", "string", "a,b"},
      {"skep_concat_ws('-', ['', 'a'])", "string", "-a"},
      {"skep_concat_ws(',', []::VARCHAR[])", "string", ""},
      {"skep_concat_ws(NULL, ['a'])", "string", "\\N"},
      {"skep_concat_ws(skep_text('\\xFE'::BLOB), ['a', skep_text('\\xFF'::BLOB), repeat('b', 20)])", "string",
       "a\xfe\xff\xfe"
       "bbbbbbbbbbbbbbbbbbbb"},
      {"skep_split('a,b', skep_text('\\xFE'::BLOB))", "array<string>", "[\"a,b\"]"},
      {"skep_cut('日本語', 2)", "string", "日本"},
      {"skep_rtrim_blanks('ab  ')", "string", "ab"},
      {"skep_utf8(skep_text('a\\xFFb'::BLOB))", "string",
       "a\xef\xbf\xbd"
       "b"},
      {"skep_text('a\\xFFb, and more of it'::BLOB)", "string",
       "a\xff"
       "b, and more of it"},
  };
  CHECK(*state, examples);
}

static void patterns_match_as_in_java(void **state) {
  static const example examples[] = {
      {"skep_like('abc', 'a%')", "boolean", "true"},
      {"skep_like('a%c', 'a\\%c')", "boolean", "true"},
      {"skep_like('abc', 'a\\%c')", "boolean", "false"},
      {"skep_like('', '')", "boolean", "true"},
      {"skep_like('a\nb', 'a%b')", "boolean", "true"},
      {"skep_like('ab', 'a_%_')", "boolean", "false"},
      {"skep_like('日本', '_本')", "boolean", "true"},
      {"skep_like(NULL, 'a')", "boolean", "\\N"},
      {"skep_regexp_like('abc', '^a.c$')", "boolean", "true"},
      {"skep_regexp_like('abc', '')", "boolean", "true"},
      {"skep_regexp_like('12', '\\d+')", "boolean", "true"},
      {"skep_regexp_like(NULL, 'a')", "boolean", "\\N"},
      {"skep_regexp_replace('abc123', '[0-9]+', '#')", "string", "abc#"},
      {"skep_regexp_replace('abc', '(a)(b)', '$2$1')", "string", "bac"},
      {"skep_regexp_replace('a.b.c', '\\.', '-')", "string", "a-b-c"},
      {"skep_regexp_replace('abc', '', '-')", "string", "-a-b-c-"},
      {"skep_regexp_replace('hello', 'l+', '<$0>')", "string", "he<ll>o"},
      {"skep_regexp_extract('foothebar', 'foo(.*?)(bar)', 1)", "string", "the"},
      {"skep_regexp_extract('foothebar', 'foo(.*?)(bar)', 0)", "string", "foothebar"},
      {"skep_regexp_extract('abc', 'x', 0)", "string", ""},
      {"skep_split('a,b,c', ',')", "array<string>", "[\"a\",\"b\",\"c\"]"},
      {"skep_split('a,b', '')", "array<string>", "[\"a\",\",\",\"b\",\"\"]"},
      {"skep_split('a.b', '\\.')", "array<string>", "[\"a\",\"b\"]"},
      {"skep_split('a,,b,,', ',')", "array<string>", "[\"a\",\"\",\"b\",\"\",\"\"]"},
      {"skep_split('', ',')", "array<string>", "[\"\"]"},
      {"skep_split(NULL, ',')", "array<string>", "\\N"},
      {"skep_split('aXbXXc', 'X+')", "array<string>", "[\"a\",\"b\",\"c\"]"},
  };
  CHECK(*state, examples);
}

static void strings_are_cast_as_hive_does(void **state) {
  static const example examples[] = {
      {"skep_parse_i32(' 12 ')", "int", "12"},
      {"skep_parse_i32('-12.7')", "int", "-12"},
      {"skep_parse_i32('1e3')", "int", "\\N"},
      {"skep_parse_i32('')", "int", "\\N"},
      {"skep_parse_i32('2147483648')", "int", "\\N"},
      {"skep_parse_i32('0x10')", "int", "\\N"},
      {"skep_parse_i32('+5')", "int", "5"},
      {"skep_parse_i64('9223372036854775808')", "bigint", "\\N"},
      {"skep_parse_i8('127')", "tinyint", "127"},
      {"skep_parse_i8('128')", "tinyint", "\\N"},
      {"skep_parse_f64('1.5f')", "double", "1.5"},
      {"skep_parse_f64(' 1.5')", "double", "1.5"},
      {"skep_parse_f64('1e400')", "double", "Infinity"},
      {"skep_parse_f64('-Infinity')", "double", "-Infinity"},
      {"skep_parse_f64('abc')", "double", "\\N"},
      {"skep_parse_f64('')", "double", "\\N"},
      {"skep_parse_f64('d')", "double", "\\N"},
      {"skep_parse_f32('16777217')", "float", "1.6777216E7"},
      {"skep_parse_bool('FALSE')", "boolean", "false"},
      {"skep_parse_bool('off')", "boolean", "false"},
      {"skep_parse_bool(' ')", "boolean", "true"},
      {"skep_parse_bool('f')", "boolean", "true"},
      {"skep_parse_date('2020-1-5')", "date", "2020-01-05"},
      {"skep_parse_date('2020-02-30')", "date", "\\N"},
      {"skep_parse_date(' 2020-01-01 ')", "date", "2020-01-01"},
      {"skep_parse_date('2020-01-01T12:34:56')", "date", "2020-01-01"},
      {"skep_parse_date('20200101')", "date", "\\N"},
      {"skep_parse_date('10000-01-01')", "date", "\\N"},
      {"skep_parse_ts('2020-01-01')", "timestamp", "2020-01-01 00:00:00"},
      {"skep_parse_ts('2020-01-01 10:20')", "timestamp", "2020-01-01 00:00:00"},
      {"skep_parse_ts('2020-01-01 1:2:3')", "timestamp", "2020-01-01 01:02:03"},
      {"skep_parse_ts('2020-01-01T01:02:03')", "timestamp", "2020-01-01 01:02:03"},
      {"skep_parse_ts('2020-01-01 01:02:03.1234567891')", "timestamp", "2020-01-01 01:02:03.123456789"},
      {"skep_parse_ts('2020-01-01 25:00:00')", "timestamp", "2020-01-01 00:00:00"},
      {"skep_parse_ts('2020-01-01 01:02:03Z')", "timestamp", "2020-01-01 01:02:03"},
      {"skep_parse_ts('2020-01-01 01:02:03 UTC')", "timestamp", "2020-01-01 01:02:03"},
      {"skep_parse_ts('bad')", "timestamp", "\\N"},
      {"skep_parse_ts('1500-01-01 00:00:00')", "timestamp", "1500-01-01 00:00:00"},
      {"skep_str(1e20::DOUBLE)", "string", "1.0E20"},
      {"skep_str(1.1::FLOAT)", "string", "1.1"},
      {"skep_str(true)", "string", "TRUE"},
      {"skep_str('0001-01-01'::DATE)", "string", "0001-01-01"},
      {"skep_str(skep_parse_ts('2020-01-01 00:00:00.100'))", "string", "2020-01-01 00:00:00.1"},
  };
  CHECK(*state, examples);
}

static void numbers_and_bytes_have_other_notations(void **state) {
  static const example examples[] = {
      {"skep_hex(255)", "string", "FF"},
      {"skep_hex(-1)", "string", "FFFFFFFFFFFFFFFF"},
      {"skep_hex('abc')", "string", "616263"},
      {"skep_hex(skep_unhex('0aff'))", "string", "0AFF"},
      {"skep_unhex('4D7953')", "binary", "4D7953"},
      {"skep_unhex('G1')", "binary", "\\N"},
      {"skep_unhex('123')", "binary", "0123"},
      {"skep_bin(13)", "string", "1101"},
      {"skep_conv('ff', 16, 10)", "string", "255"},
      {"skep_conv('-10', 10, 16)", "string", "FFFFFFFFFFFFFFF6"},
      {"skep_conv('zz', 36, 10)", "string", "1295"},
      {"skep_conv('abc', 10, 16)", "string", "0"},
      {"skep_conv('-1', 10, -10)", "string", "-1"},
      {"skep_conv('12', 10, 1)", "string", "\\N"},
      {"skep_conv('18446744073709551615', 10, 16)", "string", "FFFFFFFFFFFFFFFF"},
      {"skep_conv('FFFFFFFFFFFFFFFF', 16, -10)", "string", "-1"},
      {"skep_conv('', 10, 16)", "string", "\\N"},
      {"skep_base64('abc'::BLOB)", "string", "YWJj"},
      {"skep_base64('\\x00\\xFF'::BLOB)", "string", "AP8="},
      {"skep_hex(skep_unbase64('AP8='))", "string", "00FF"},
      {"skep_crc32('abc'::BLOB)", "bigint", "891568578"},
      {"skep_md5('abc')", "string", "900150983cd24fb0d6963f7d28e17f72"},
      {"skep_quote('it''s')", "string", "'it\\\\'s'"},
      {"skep_mask('Abc-123')", "string", "Xxx-nnn"},
      {"skep_mask_first_n('Abc123', 2)", "string", "Xxc123"},
      {"skep_mask_last_n('Abc123', 2)", "string", "Abc1nn"},
      {"skep_format_number(1234567.891, 2)", "string", "1,234,567.89"},
      {"skep_format_number(1234567.891, 0)", "string", "1,234,568"},
      {"skep_format_number(-0.5, 0)", "string", "-0"},
      {"skep_format_number(1.005, 2)", "string", "1.00"},
      {"skep_format_number(0, 2)", "string", "0.00"},
      {"skep_factorial(5)", "bigint", "120"},
      {"skep_factorial(21)", "bigint", "\\N"},
      {"skep_round(2.5::DOUBLE, 0)", "double", "3.0"},
      {"skep_round(1.005::DOUBLE, 2)", "double", "1.01"},
      {"skep_round(-2.5::DOUBLE, 0)", "double", "-3.0"},
      {"skep_round(1234.5::DOUBLE, -2)", "double", "1200.0"},
      {"skep_round(1e300::DOUBLE, 2)", "double", "1.0E300"},
      {"skep_round(1.5e-10::DOUBLE, 2)", "double", "0.0"},
      {"skep_bround(2.5::DOUBLE, 0)", "double", "2.0"},
      {"skep_bround(3.5::DOUBLE, 0)", "double", "4.0"},
      {"skep_round(12345, -2)", "bigint", "12300"},
      {"skep_round(12350, -2)", "bigint", "12400"},
      {"skep_bround(12250, -2)", "bigint", "12200"},
      {"skep_round(5, 3)", "bigint", "5"},
  };
  CHECK(*state, examples);
}

#define TS(text) "skep_parse_ts('" text "')"
#define DATE(text) "'" text "'::DATE"

static void dates_and_times_are_taken_apart(void **state) {
  static const example examples[] = {
      {"skep_year(" DATE("2024-02-29") ")", "int", "2024"},
      {"skep_month(" TS("2024-02-29 10:11:12") ")", "int", "2"},
      {"skep_day(" TS("1969-02-28 10:11:12") ")", "int", "28"},
      {"skep_hour(" TS("1969-12-31 10:11:12.5") ")", "int", "10"},
      {"skep_hour('10:11:12')", "int", "10"},
      {"skep_hour('2024-02-29')", "int", "0"},
      {"skep_minute('2024-02-29 10:11:12')", "int", "11"},
      {"skep_second('2024-02-29 10:11:12.9')", "int", "12"},
      {"skep_quarter(" DATE("2024-05-01") ")", "int", "2"},
      {"skep_weekofyear(" DATE("2024-12-31") ")", "int", "1"},
      {"skep_weekofyear(" DATE("2021-01-01") ")", "int", "53"},
      {"skep_weekofyear(" DATE("2020-12-31") ")", "int", "53"},
      {"skep_weekofyear(" DATE("2024-02-29") ")", "int", "9"},
      {"skep_dayofweek(" DATE("2024-02-29") ")", "int", "5"},
      {"skep_dayofweek(" DATE("2024-03-03") ")", "int", "1"},
      {"skep_ts_date(" TS("1969-12-31 23:59:59.9") ")", "date", "1969-12-31"},
      {"skep_date_ts(" DATE("0001-01-01") ")", "timestamp", "0001-01-01 00:00:00"},
      {"skep_ts_seconds(" TS("1969-12-31 23:59:59.5") ")", "bigint", "-1"},
  };
  CHECK(*state, examples);
}

static void dates_are_counted_as_hive_does(void **state) {
  static const example examples[] = {
      {"skep_date_add(" DATE("2024-02-28") ", 2)", "date", "2024-03-01"},
      {"skep_date_add(" DATE("2024-02-28") ", -60)", "date", "2023-12-30"},
      {"skep_date_add(" DATE("9999-12-31") ", 1)", "date", "+10000-01-01"},
      {"skep_datediff(" DATE("2023-01-01") ", " DATE("2024-01-01") ")", "int", "-365"},
      {"skep_add_months_text(" DATE("2024-01-31") ", 1)", "string", "2024-02-29"},
      {"skep_add_months_text(" DATE("2024-02-29") ", 12)", "string", "2025-02-28"},
      {"skep_add_months_text(" DATE("2024-02-29") ", -1)", "string", "2024-01-31"},
      {"skep_add_months_text(" DATE("2024-02-28") ", 1)", "string", "2024-03-28"},
      {"skep_add_months(" DATE("2024-02-29") ", -1)", "date", "2024-01-29"},
      {"skep_add_months(" TS("2024-03-31 01:02:03.4") ", -1)", "timestamp", "2024-02-29 01:02:03.4"},
      {"skep_add_ns(" TS("2024-03-10 02:30:00") ", 3600000000000)", "timestamp", "2024-03-10 03:30:00"},
      {"skep_last_day(" DATE("2024-02-03") ")", "date", "2024-02-29"},
      {"skep_next_day(" DATE("2024-02-29") ", 'MO')", "date", "2024-03-04"},
      {"skep_next_day(" DATE("2024-02-29") ", 'thu')", "date", "2024-03-07"},
      {"skep_next_day(" DATE("2024-02-29") ", 'FRIDAY')", "date", "2024-03-01"},
      {"skep_next_day(" DATE("2024-02-29") ", 'xx')", "date", "\\N"},
      {"skep_months_between(" TS("2024-03-31") ", " TS("2024-02-29") ", true)", "double", "1.0"},
      {"skep_months_between(" TS("1997-02-28 10:30:00") ", " TS("1996-10-30") ", true)", "double", "3.94959677"},
      {"skep_months_between(" TS("2024-01-01") ", " TS("2024-02-15") ", false)", "double", "-1.4516129032258065"},
      {"skep_months_between(" TS("2024-01-01 12:00:00") ", " TS("2024-01-01") ", true)", "double", "0.0"},
      {"skep_months_between(" TS("2024-02-29") ", " TS("2023-02-28") ", true)", "double", "12.0"},
      {"skep_trunc(" DATE("2024-05-15") ", 'MM')", "date", "2024-05-01"},
      {"skep_trunc(" DATE("2024-05-15") ", 'YY')", "date", "2024-01-01"},
      {"skep_trunc(" DATE("2024-05-15") ", 'Q')", "date", "2024-04-01"},
      {"skep_trunc(" DATE("2024-05-15") ", 'DD')", "date", "\\N"},
      {"skep_floor_ts(" TS("2024-02-29 13:14:15") ", 'hour')", "timestamp", "2024-02-29 13:00:00"},
      {"skep_floor_ts(" TS("2024-02-29 13:14:15") ", 'week')", "timestamp", "2024-02-26 00:00:00"},
      {"skep_floor_ts(" TS("2024-02-29 13:14:15") ", 'quarter')", "timestamp", "2024-01-01 00:00:00"},
      {"skep_str_months(14)", "string", "1-2"},
      {"skep_str_months(-3)", "string", "-0-3"},
      {"skep_str_interval(93784500000000)", "string", "1 02:03:04.500000000"},
  };
  CHECK(*state, examples);
}

static void patterns_and_zones_are_javas(void **state) {
  static const example examples[] = {
      {"skep_date_format(" TS("2024-02-29 13:14:15.678") ", 'yyyy-MM-dd HH:mm:ss.SSS')", "string",
       "2024-02-29 13:14:15.678"},
      {"skep_date_format(" TS("2024-02-29") ", 'yyyyMMdd')", "string", "20240229"},
      {"skep_date_format(" TS("2024-02-29") ", 'E')", "string", "Thu"},
      {"skep_date_format(" TS("2024-02-29") ", 'EEEE, MMMM d, yyyy')", "string", "Thursday, February 29, 2024"},
      {"skep_date_format(" TS("2024-02-29 03:04:05") ", 'hh:mm a')", "string", "03:04 AM"},
      {"skep_date_format(" TS("2024-02-29") ", 'u')", "string", "2024"},
      {"skep_date_format(" TS("2024-02-29") ", 'D')", "string", "60"},
      {"skep_date_format(" TS("2024-12-30") ", 'YYYY')", "string", "2025"},
      {"skep_date_format(" TS("2024-02-29") ", 'Q')", "string", "1"},
      {"skep_date_format(" TS("2024-02-29") ", 'yy/M/d')", "string", "24/2/29"},
      {"skep_date_format(" TS("2024-02-29") ", 'd ''of'' MMM ''''')", "string", "29 of Feb '"},
      {"skep_date_format(" TS("2024-02-29") ", 'bbb')", "string", "\\N"},
      {"skep_date_format(" TS("0001-01-01") ", 'yyyy-MM-dd')", "string", "0001-01-01"},
      {"skep_from_unixtime(1700000000)", "string", "2023-11-14 22:13:20"},
      {"skep_from_unixtime(-1)", "string", "1969-12-31 23:59:59"},
      {"skep_from_unixtime(253402300800)", "string", "+10000-01-01 00:00:00"},
      {"skep_from_unixtime(1700000000, 'EEE dd MMM')", "string", "Tue 14 Nov"},
      {"skep_unix_timestamp('2024-02-29 00:00:00')", "bigint", "1709164800"},
      {"skep_unix_timestamp('2024-02-29')", "bigint", "\\N"},
      {"skep_unix_timestamp('2024-02-29', 'yyyy-MM-dd')", "bigint", "1709164800"},
      {"skep_unix_timestamp('20240229', 'yyyyMMdd')", "bigint", "1709164800"},
      {"skep_unix_timestamp('29/02/2024 10', 'dd/MM/yyyy HH')", "bigint", "1709200800"},
      {"skep_unix_timestamp('2024-02', 'yyyy-MM')", "bigint", "\\N"},
      {"skep_unix_timestamp('bad', 'yyyy')", "bigint", "\\N"},
      {"skep_unix_timestamp('0001-01-01 00:00:00')", "bigint", "-62135596800"},
      {"skep_to_utc_timestamp(" TS("2020-07-01 12:00:00") ", 'America/New_York')", "timestamp", "2020-07-01 16:00:00"},
      {"skep_from_utc_timestamp(" TS("2020-07-01 12:00:00") ", 'America/New_York')", "timestamp",
       "2020-07-01 08:00:00"},
      {"skep_from_utc_timestamp(" TS("2020-01-01 00:00:00") ", 'Asia/Kolkata')", "timestamp", "2020-01-01 05:30:00"},
      {"skep_str_tstz(skep_parse_tstz('2020-01-01 12:00:00 America/New_York', 'UTC'), 'UTC')", "string",
       "2020-01-01 17:00:00.0 UTC"},
      {"skep_epoch_text(" TS("2020-01-01 00:00:00.25") ")", "string", "1577836800.25"},
      {"skep_epoch_milli(" TS("1969-12-31 23:59:59.5") ")", "bigint", "-500"},
      {"skep_str_tstz(skep_parse_tstz('2020-07-01 12:00:00.25', 'UTC'), 'UTC')", "string",
       "2020-07-01 12:00:00.25 UTC"},
  };
  CHECK(*state, examples);
}

/* Golden 17-hash-vectors and 18-functions. */
static void values_hash_as_in_hive(void **state) {
  static const example examples[] = {
      {"skep_hash1(1)", "int", "1"},
      {"skep_hash1('a')", "int", "97"},
      {"31 * skep_hash1(1) + skep_hash1('a')", "int", "128"},
      {"skep_mhash1(1)", "int", "1321152925"},
      {"skep_mul(31, skep_mhash1('a')) + skep_mhash1(2)", "int", "-922372438"},
      {"skep_hash1(NULL::VARCHAR)", "int", "0"},
      {"skep_hash1([1, 2])", "int", "33"},
      {"skep_mhash1(true)", "int", "1"},
      /* Fields and elements that are the same in all rows may come as one value. */
      {"(SELECT count(*) FROM range(100) WHERE skep_hash1({'a': 7, 'b': range}) <> "
       "skep_hash1({'a': 7 + range - range, 'b': range}))",
       "bigint", "0"},
      {"(SELECT count(*) FROM range(100) WHERE skep_hash1([[7], [range]]) <> skep_hash1([[7 + range - range], "
       "[range]]))",
       "bigint", "0"},
      {"(SELECT count(*) FROM range(100) WHERE skep_hash1({'x': {'a': 'text of some length', 'b': range}}) <> "
       "skep_hash1({'x': {'a': 'text of some len' || repeat('gth', range - range + 1), 'b': range}}))",
       "bigint", "0"},
      {"(SELECT count(*) FROM range(100) WHERE skep_concat_ws('-', list_slice(['a', range::VARCHAR, 'c'], 2, 3)) <> "
       "range || '-c')",
       "bigint", "0"},
      {"(SELECT count(*) FROM (SELECT range AS r, list_sort(['b', range::VARCHAR, 'a']) AS l FROM range(100)) WHERE "
       "skep_concat_ws('-', l) <> r || '-a-b')",
       "bigint", "0"},
  };
  CHECK(*state, examples);
}

static void documents_are_looked_into_by_paths(void **state) {
#define DOCUMENT "'{\"a\":{\"b\":[1,2,{\"c\":\"x\"}]}}'"
  static const example examples[] = {
      {"skep_get_json_object(" DOCUMENT ", '$.a.b[2].c')", "string", "x"},
      {"skep_get_json_object(" DOCUMENT ", '$.a.b')", "string", "[1,2,{\"c\":\"x\"}]"},
      {"skep_get_json_object(" DOCUMENT ", '$.a.b[*].c')", "string", "[\"x\"]"},
      {"skep_get_json_object(" DOCUMENT ", '$.a.b.c')", "string", "[\"x\"]"},
      {"skep_get_json_object(" DOCUMENT ", '$.a.b[7]')", "string", "\\N"},
      {"skep_get_json_object(" DOCUMENT ", 'a')", "string", "\\N"},
      {"skep_get_json_object(" DOCUMENT ", '$a')", "string", "\\N"},
      {"skep_get_json_object('{\"a\":1.50}', '$.a')", "string", "1.5"},
      {"skep_get_json_object('{\"a\":[1e3,-0.0,12345678901234567890]}', '$.a')", "string",
       "[1000.0,-0.0,12345678901234567890]"},
      {"skep_get_json_object('{\"a\":\"q\\\"u\"}', '$.a')", "string", "q\"u"},
      {"skep_get_json_object('{\"a\":\"\\u00e9\\ud83c\\udf88\"}', '$.a')", "string", "é🎈"},
      {"skep_get_json_object('{\"a\":true,\"n\":null}', '$.a')", "string", "true"},
      {"skep_get_json_object('{\"a\":true,\"n\":null}', '$.n')", "string", "\\N"},
      {"skep_get_json_object('{\"a\":1,\"b\":2,\"a\":{\"n\":null}}', '$')", "string", "{\"a\":{\"n\":null},\"b\":2}"},
      {"skep_get_json_object('{\"a\":1', '$.a')", "string", "\\N"},
      {"skep_get_json_object('{\"a\":01}', '$.a')", "string", "\\N"},
      {"skep_get_json_object('{\"a\":\"x', '$.a')", "string", "\\N"},
      {"skep_get_json_object('bad', '$.a')", "string", "\\N"},
      {"skep_get_json_object('[1,2]', '$[1]')", "string", "2"},
      {"skep_get_json_object('[[1,2],[3]]', '$[*][0]')", "string", "[1,3]"},
      {"skep_get_json_object(repeat('[', 100000), '$[0]')", "string", "\\N"},
      {"skep_parse_url('http://h.com/p/q?k=v&x=y#r', 'HOST')", "string", "h.com"},
      {"skep_parse_url('http://h.com/p/q?k=v&x=y#r', 'QUERY', 'x')", "string", "y"},
      {"skep_parse_url('http://u@h.com:80/p/q?k=v#r', 'AUTHORITY')", "string", "u@h.com:80"},
      {"skep_parse_url('http://u@h.com:80/p/q?k=v#r', 'USERINFO')", "string", "u"},
      {"skep_parse_url('http://u@h.com:80/p/q?k=v#r', 'FILE')", "string", "/p/q?k=v"},
      {"skep_parse_url('http://h.com/p/q?k=v#r', 'REF')", "string", "r"},
      {"skep_parse_url('http://h.com', 'QUERY')", "string", "\\N"},
      {"skep_parse_url('notaurl', 'HOST')", "string", "\\N"},
      {"skep_str_to_map('a=1,b=2', ',', '=')", "map<string,string>", "{\"a\":\"1\",\"b\":\"2\"}"},
      {"skep_str_to_map('a:1,b')", "map<string,string>", "{\"a\":\"1\",\"b\":null}"},
      {"skep_str_to_map('a:1:2;b:', ';')", "map<string,string>", "{\"a\":\"1:2\",\"b\":\"\"}"},
      {"skep_exp(1)", "double", "2.7182818284590455"},
      {"skep_exp(-1000)", "double", "0.0"},
  };
  CHECK(*state, examples);
}

static void texts_are_formatted_as_java_does(void **state) {
  static const example examples[] = {
      {"skep_printf('%d-%s-%05.2f', 5, 'x', 3.14159)", "string", "5-x-03.14"},
      {"skep_printf('%5d|%-5d|%05d|%+d|%,d', 42, 42, -42, 42, 1234567)", "string", "   42|42   |-0042|+42|1,234,567"},
      {"skep_printf('%x %X %o', 255, -1, 8::BIGINT)", "string", "ff FFFFFFFF 10"},
      {"skep_printf('%s %S %b %c', true, 'abc', NULL::VARCHAR, 65)", "string", "true ABC false A"},
      {"skep_printf('%2$s %1$s %%', 'a', 'b')", "string", "b a %"},
      {"skep_printf('%.3s|%5s|%-5s|', 'abcdef', 'ä', 'b')", "string", "abc|    ä|b    |"},
      {"skep_printf('%f %.1f %.0f', 0.5::DOUBLE, 0.25::DOUBLE, 2.5::DOUBLE)", "string", "0.500000 0.3 3"},
      {"skep_printf('%e', 12345.678::DOUBLE)", "string", "1.234568e+04"},
      {"skep_printf('%.2f', 'NaN'::DOUBLE)", "string", "NaN"},
      {"skep_printf('%s', 1e7::DOUBLE)", "string", "1.0E7"},
      {"skep_printf('none')", "string", "none"},
      {"skep_printf(NULL, 1)", "string", "\\N"},
  };
  CHECK(*state, examples);
}

static void maps_lose_repeated_keys(void **state) {
  static const example examples[] = {
      {"skep_map_entries([{'key': 1, 'value': 'a'}, {'key': 2, 'value': 'b'}, {'key': 1, 'value': 'c'}])",
       "array<struct<key:int,value:string>>", "[{\"key\":1,\"value\":\"c\"},{\"key\":2,\"value\":\"b\"}]"},
      {"skep_map_entries([{'key': NULL::INTEGER, 'value': 'a'}])", "array<struct<key:int,value:string>>", "[]"},
      {"map_from_entries(skep_map_entries([{'key': 7, 'value': 'a'}, {'key': 7, 'value': NULL}]))", "map<int,string>",
       "{7:null}"},
  };
  CHECK(*state, examples);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(integers_wrap_around),
      TEST(division_and_modulo_by_zero_are_null),
      TEST(doubles_become_integers_as_in_java),
      TEST(decimals_have_their_types_and_round_half_up),
      TEST(strings_are_counted_in_characters),
      TEST(patterns_match_as_in_java),
      TEST(strings_are_cast_as_hive_does),
      TEST(numbers_and_bytes_have_other_notations),
      TEST(dates_and_times_are_taken_apart),
      TEST(dates_are_counted_as_hive_does),
      TEST(patterns_and_zones_are_javas),
      TEST(values_hash_as_in_hive),
      TEST(documents_are_looked_into_by_paths),
      TEST(texts_are_formatted_as_java_does),
      TEST(maps_lose_repeated_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
