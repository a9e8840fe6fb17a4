/* Predicates: parsing, printing, binding, and filtering against a row-by-row evaluator on random data in every form.
 * Expected truth values follow Hive's rules as predicate_bind.c and README.md state them. */
#include "column/predicate.h"

#include <math.h>

#include "column/predicate_int.h"
#include "column/predicate_testing.h"
#include "column/text_int.h"
#include "column/values_testing.h"

static const skep_pred *parsed(fixture *f, const char *text) {
  const skep_pred *pred = NULL;
  skep_status status = skep_pred_parse(&f->arena, text, strlen(text), &pred, &f->err);
  if (status != SKEP_OK) fail_msg("%s: %s", text, f->err.text);
  return pred;
}

static const skep_pred *bound_to(fixture *f, const skep_type *root, const char *text) {
  const skep_pred *pred = NULL;
  skep_status status = skep_pred_bind(&f->arena, parsed(f, text), root, &pred, &f->err);
  if (status != SKEP_OK) fail_msg("%s: %s", text, f->err.text);
  return pred;
}

static const char *printed(fixture *f, const skep_pred *pred) {
  skep_buf_reset(&f->out);
  skep_pred_print(pred, &f->out);
  assert_int_equal(f->out.status, SKEP_OK);
  return skep_arena_strndup(&f->arena, skep_buf_string(&f->out), f->out.size);
}

static void texts_print_in_one_spelling_that_parses_back(void **state) {
  fixture *f = *state;
  static const char *const cases[][2] = {
      {"a = 1", "a = 1"},
      {"a==1", "a = 1"},
      {"A.b.`c d` <=> 'x'", "A.b.`c d` <=> 'x'"},
      {"1 < a", "a > 1"},
      {"-1 >= a", "a <= -1"},
      {"NULL <=> a", "a <=> NULL"},
      {"a <> 1 and b != 2", "a <> 1 AND b <> 2"},
      {"not a = 1", "a <> 1"},
      {"NOT NOT a = 1", "a = 1"},
      {"! (a < 1)", "NOT (a < 1)"},
      {"a not in (1, 2.50, 'x', null)", "a NOT IN (1, 2.50, 'x', NULL)"},
      {"a between 1 and 2 and b", "a BETWEEN 1 AND 2 AND b = TRUE"},
      {"a not between 1 and 2 or not b", "a NOT BETWEEN 1 AND 2 OR b <> TRUE"},
      {"a like 'x\\%y%' or a not like \"_\"", "a LIKE 'x\\%y%' OR a NOT LIKE '_'"},
      {"a is null or a IS NOT NULL", "a IS NULL OR a IS NOT NULL"},
      {"a = 1 or b = 2 and c = 3", "a = 1 OR (b = 2 AND c = 3)"},
      {"(a = 1 or b = 2) and c = 3", "(a = 1 OR b = 2) AND c = 3"},
      {"((a = 1))", "a = 1"},
      {"true", "TRUE"},
      {"false or null", "FALSE OR NULL"},
      {"a = true and b = FALSE", "a = TRUE AND b = FALSE"},
      {"a = date '2020-01-02' and b < timestamp '2020-01-02 03:04:05.6'",
       "a = DATE '2020-01-02' AND b < TIMESTAMP '2020-01-02 03:04:05.6'"},
      {"date = 1 and timestamp = 2", "date = 1 AND timestamp = 2"},
      {"a = 1.5 and b = 1e3 and c = 1.5D and d = 10L and e = 2S and f = 3Y and g = 1.5BD and h = .5",
       "a = 1.5 AND b = 1e3D AND c = 1.5D AND d = 10 AND e = 2 AND f = 3 AND g = 1.5 AND h = .5"},
      {"a = 'it''s'", "a = 'its'"}, /* pieces are joined: a doubled quote is no escape */
      {"a = 'x' \"y\"", "a = 'xy'"},
      {"a = '\\0\\b\\n\\r\\t\\Z\\\\\\'\\\"\\q'", "a = '\\000\b\\n\\r\\t\x1a\\\\\\'\"q'"},
      {"a = '\\101\\u00e9\\200'",
       "a = 'A\xc3\xa9"
       "200'"}, /* octal only up to \177 */
      {"a = '\\u12'", "a = 'u12'"},
      {"`in` = 1 AND `a``b` = 2 AND `\xc3\xa9` = 3", "`in` = 1 AND `a``b` = 2 AND `\xc3\xa9` = 3"},
      {"a.in = 1", "a.`in` = 1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *text = printed(f, parsed(f, cases[i][0]));
    assert_string_equal(text, cases[i][1]);
    assert_string_equal(printed(f, parsed(f, text)), cases[i][1]);
  }
}

static void mistakes_are_named_with_their_place(void **state) {
  fixture *f = *state;
  static const char *const cases[][2] = {
      {"", "predicate, byte 0: expected a column, found the end"},
      {"a =", "predicate, byte 3: expected a literal, found the end"},
      {"a = b", "predicate, byte 4: expected a literal (text stands in quotes), found \"b\""},
      {"1 = 2", "predicate, byte 4: expected a column, found \"2\""},
      {"1", "predicate, byte 1: expected a comparison, found the end"},
      {"a 1", "predicate, byte 2: expected a comparison, found \"1\""},
      {"a = 1 b", "predicate, byte 6: expected AND, OR or the end, found \"b\""},
      {"a = 1 AND", "predicate, byte 9: expected a column, found the end"},
      {"(a = 1", "predicate, byte 6: expected \")\", AND or OR, found the end"},
      {"a = 1)", "predicate, byte 5: expected AND, OR or the end, found \")\""},
      {"a in 1", "predicate, byte 5: expected \"(\" behind IN, found \"1\""},
      {"a in ()", "predicate, byte 6: expected a literal, found \")\""},
      {"a in (1 2)", "predicate, byte 8: expected \",\" or \")\", found \"2\""},
      {"a between 1 or 2", "predicate, byte 12: expected AND, found \"or\""},
      {"a is 1", "predicate, byte 5: expected NULL or NOT NULL, found \"1\""},
      {"a is not 1", "predicate, byte 9: expected NULL, found \"1\""},
      {"a not = 1", "predicate, byte 6: expected IN, BETWEEN or LIKE, found \"=\""},
      {"a. = 1", "predicate, byte 3: expected a field name, found \"=\""},
      {"and = 1", "predicate, byte 0: expected a column, found \"and\""},
      {"a = 'x", "predicate, byte 4: the string is not closed"},
      {"a = 'x\\'", "predicate, byte 4: the string is not closed"},
      {"`a = 1", "predicate, byte 0: the name is not closed"},
      {"a = date '2020-02-30'", "predicate, byte 9: \"2020-02-30\" is no date"},
      {"a = timestamp 'x'", "predicate, byte 14: \"x\" is no timestamp"},
      {"a = 12x", "predicate, byte 4: expected a literal, found \"12x\""},
      {"a = - 'x'", "predicate, byte 6: expected a number, found \"'x'\""},
      {"a # 1", "predicate, byte 2: expected a comparison, found \"#\""},
      {"a = \x01", "predicate, byte 4: expected a literal, found \"\\x01\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const skep_pred *pred = (const skep_pred *)1;
    assert_int_equal(skep_pred_parse(&f->arena, cases[i][0], strlen(cases[i][0]), &pred, &f->err), SKEP_ERR_ARGUMENT);
    assert_null(pred);
    assert_string_equal(f->err.text, cases[i][1]);
  }
}

static void nesting_is_bounded_and_chains_are_not(void **state) {
  fixture *f = *state;
  char text[20001];
  const skep_pred *pred;
  memset(text, '(', 20000);
  assert_int_equal(skep_pred_parse(&f->arena, text, 20000, &pred, &f->err), SKEP_ERR_LIMIT);
  assert_string_equal(f->err.text, "predicate, byte 64: nested deeper than 64");
  size_t n = 0;
  for (int i = 0; i < 1000; i++) n += (size_t)snprintf(text + n, sizeof text - n, "%sa = %d", i == 0 ? "" : " OR ", i);
  assert_int_equal(skep_pred_parse(&f->arena, text, n, &pred, &f->err), SKEP_OK);
  assert_int_equal(pred->n_children, 1000);
}

static void damaged_texts_and_little_memory_give_a_status(void **state) {
  fixture *f = *state;
  static const char text[] =
      "a.`b` <= -1.5e3 AND NOT (c NOT IN ('x\\u0041', NULL) OR d BETWEEN DATE '2020-01-01' AND 2)";
  const skep_pred *pred;
  for (size_t n = 0; n < sizeof text; n++) (void)!skep_pred_parse(&f->arena, text, n, &pred, &f->err);
  for (size_t i = 0; i + 1 < sizeof text; i++) {
    for (int c = 0; c < 256; c++) {
      char damaged[sizeof text];
      memcpy(damaged, text, sizeof text);
      damaged[i] = (char)c;
      skep_arena arena;
      skep_arena_init(&arena, &f->ctx, 1 << 16);
      if (skep_pred_parse(&arena, damaged, sizeof text - 1, &pred, &f->err) == SKEP_OK) {
        skep_buf_reset(&f->out);
        skep_pred_print(pred, &f->out);
      }
      skep_arena_fini(&arena);
    }
  }
  const skep_type *root = type_of(f, "struct<a:struct<b:int>,c:string,d:date>");
  for (size_t max = 0; max < 8192; max += 64) {
    skep_arena arena;
    skep_arena_init(&arena, &f->ctx, max);
    skep_status status = skep_pred_parse(&arena, "a.b <= 1 AND c IN ('x', 'y') OR d IS NULL", 41, &pred, &f->err);
    if (status == SKEP_OK) status = skep_pred_bind(&arena, pred, root, &pred, &f->err);
    assert_true(status == SKEP_OK || status == SKEP_ERR_NOMEM);
    skep_arena_fini(&arena);
  }
}

static const char schema[] =
    "struct<b:boolean,t:tinyint,i:int,l:bigint,f:float,d:double,m:decimal(5,2),s:string,c:char(5),v:varchar(5),"
    "y:binary,dt:date,ts:timestamp,tz:timestamp with local time zone,n:struct<x:int,`Y "
    "z`:struct<k:string>>,a:array<int>>";

static void literals_become_values_of_the_column(void **state) {
  fixture *f = *state;
  const skep_type *root = type_of(f, schema);
  static const char *const cases[][2] = {
      {"i = 5", "i = 5"},
      {"I = 5.00", "I = 5"},
      {"i = 5e0", "i = 5"},
      {"i = '5'", "i = 5"},
      {"i = ' 5 '", "i = 5"},
      {"i = 1.5", "i IS NULL AND NULL"},
      {"i <> 1.5", "NOT (i IS NULL AND NULL)"},
      {"i <=> 1.5", "FALSE"},
      {"i < 1.5", "i <= 1"},
      {"i <= 1.5", "i <= 1"},
      {"i > 1.5", "i > 1"},
      {"i >= 1.5", "i > 1"},
      {"i < -1.5", "i <= -2"},
      {"i > -1.5", "i > -2"},
      {"i < 1e300", "i IS NOT NULL OR NULL"},
      {"i > 1e300", "i IS NULL AND NULL"},
      {"i >= -1e300", "i IS NOT NULL OR NULL"},
      {"l < 9223372036854775808", "l IS NOT NULL OR NULL"},
      {"l <= 9223372036854775807", "l <= 9223372036854775807"},
      {"i = 'abc'", "NULL"},
      {"i <=> 'abc'", "i IS NULL"},
      {"i = NULL", "NULL"},
      {"i <=> NULL", "i IS NULL"},
      {"i = 'NaN'", "i IS NULL AND NULL"},
      {"i < 'NaN'", "i IS NOT NULL OR NULL"},
      {"i between 1.5 and 3.5", "i > 1 AND i <= 3"},
      {"i between 1 and '3'", "i BETWEEN 1 AND 3"},
      {"i between null and 3", "NULL AND i <= 3"},
      {"i in (3, 1, 2.5, '3', 2)", "i IN (1, 2, 3)"},
      {"i in (2, null)", "i IN (2, NULL)"},
      {"i in (2.5)", "i IS NULL AND NULL"},
      {"i in (null, 'x')", "NULL"},
      {"f = 0.1", "f = 0.1D"},
      {"d = 1", "d = 1.0D"},
      {"d = 'NaN' or d = '-Infinity'", "d = 'NaN' OR d = '-Infinity'"},
      {"d > 1e999", "d > 'Infinity'"},
      {"m = 1.5", "m = 1.50"},
      {"m = 1.234", "m IS NULL AND NULL"},
      {"m < 1.234", "m <= 1.23"},
      {"m > -1.234", "m > -1.24"},
      {"m = '1.5'", "m = 1.50"},
      {"m = 1.5D", "m = 1.50"},
      {"m < 1e40", "m IS NOT NULL OR NULL"},
      {"s = 'x'", "s = 'x'"},
      {"s = 1", "s = 1.0D"},
      {"s > 1e999", "s > 1E999D"},
      {"s = DATE '2020-01-01'", "s = DATE '2020-01-01'"},
      {"s in ('b', 'a', 1)", "s IN (1.0D) OR s IN ('a', 'b')"},
      {"c = 'ab  '", "c = 'ab'"},
      {"v = 'ab  '", "v = 'ab  '"},
      {"y = 'ab'", "y = 'ab'"},
      {"b", "b = TRUE"},
      {"b = 'False'", "b = FALSE"},
      {"b = 1", "b = TRUE"},
      {"dt = '2020-1-2'", "dt = DATE '2020-01-02'"},
      {"dt = '2020-01-02 03:04:05'", "dt = DATE '2020-01-02'"},
      {"dt < TIMESTAMP '2020-01-02 03:04:05'", "dt <= DATE '2020-01-02'"},
      {"dt = TIMESTAMP '2020-01-02 03:04:05'", "dt IS NULL AND NULL"},
      {"dt = 'x'", "NULL"},
      {"ts = '2020-01-02'", "ts = TIMESTAMP '2020-01-02 00:00:00'"},
      {"ts > DATE '2020-01-02'", "ts > TIMESTAMP '2020-01-02 00:00:00'"},
      {"ts = '2014-09-01 09:44.23.23'", "ts = TIMESTAMP '2014-09-01 00:00:00'"},
      {"tz = '2020-01-02 03:04:05Z'", "tz = TIMESTAMP '2020-01-02 03:04:05'"},
      {"n.X = 1 and n.`y Z`.K like 'a%'", "n.X = 1 AND n.`y Z`.K LIKE 'a%'"},
      {"n is null or a is not null", "n IS NULL OR a IS NOT NULL"},
      {"s like null", "NULL"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *text = printed(f, bound_to(f, root, cases[i][0]));
    if (strcmp(text, cases[i][1]) != 0) fail_msg("%s: bound to %s, expected %s", cases[i][0], text, cases[i][1]);
    assert_string_equal(printed(f, bound_to(f, root, text)), cases[i][1]); /* and back */
  }
}

static void what_cannot_be_bound_is_named(void **state) {
  fixture *f = *state;
  const skep_type *root = type_of(f, schema);
  static const char *const cases[][2] = {
      {"q = 1", "predicate, byte 0: there is no column \"q\""},
      {"i = 1 AND n.q = 1", "predicate, byte 10: there is no column \"n.q\""},
      {"i.x = 1", "predicate, byte 0: \"i\" is int and has no fields"},
      {"a.x = 1", "predicate, byte 0: \"a\" is array and has no fields"},
      {"i = DATE '2020-01-01'", "predicate, byte 0: column \"i\" of type int cannot be compared with a date"},
      {"i = TRUE", "predicate, byte 0: column \"i\" of type int cannot be compared with a boolean"},
      {"i in (1, TRUE)", "predicate, byte 0: column \"i\" of type int cannot be compared with a boolean"},
      {"dt = 1", "predicate, byte 0: column \"dt\" of type date cannot be compared with a number"},
      {"ts between 1 and 2", "predicate, byte 0: column \"ts\" of type timestamp cannot be compared with a number"},
      {"b = 2", "predicate, byte 0: column \"b\" of type boolean cannot be compared with a number"},
      {"n = 1", "predicate, byte 0: column \"n\" of type struct cannot be compared with a number"},
      {"a = 'x'", "predicate, byte 0: column \"a\" of type array cannot be compared with a string"},
      {"y = 1", "predicate, byte 0: column \"y\" of type binary cannot be compared with a number"},
      {"i like 'x'", "predicate, byte 0: LIKE needs a string, column \"i\" is int"},
      {"s like 1", "predicate, byte 0: LIKE needs a string, not a number"},
      {"i", "predicate, byte 0: column \"i\" of type int cannot be compared with a boolean"},
      {"`a\x01` = 1", "predicate, byte 0: there is no column \"a\\x01\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const skep_pred *pred = (const skep_pred *)1;
    assert_int_equal(skep_pred_bind(&f->arena, parsed(f, cases[i][0]), root, &pred, &f->err), SKEP_ERR_ARGUMENT);
    assert_null(pred);
    assert_string_equal(f->err.text, cases[i][1]);
  }
}

static void columns_of_a_predicate_are_marked(void **state) {
  fixture *f = *state;
  const skep_type *root = type_of(f, "struct<a:int,n:struct<x:int,y:struct<k:string>>,l:array<int>,z:int>");
  bool wanted[9] = {false}; /* ids: root 0, a 1, n 2, x 3, y 4, k 5, l 6, element 7, z 8 */
  skep_pred_columns(bound_to(f, root, "a = 1 AND (n.y.k = 'x' OR l IS NULL)"), wanted);
  static const bool expected[9] = {false, true, false, false, false, true, true, true, false};
  assert_memory_equal(wanted, expected, sizeof expected);
}

/* ---- filtering ---- */

/* A struct root with one column. */
static void wrap(fixture *f, skep_vec *root, skep_vec *column, const char *type) {
  char text[200];
  snprintf(text, sizeof text, "struct<x:%s>", type);
  *root = (skep_vec){.ctx = &f->ctx,
                     .type = type_of(f, text),
                     .form = SKEP_FORM_STRUCT,
                     .length = column->length,
                     .n_children = 1,
                     .children = column};
}

/* "TFN..." : the truth of a predicate for each row, told from the rows of it and of its negation. */
static void truths(fixture *f, const skep_vec *root, const char *text, char *out) {
  int32_t rows[64];
  int64_t n;
  char negated[400];
  snprintf(negated, sizeof negated, "NOT (%s)", text);
  memset(out, 'N', (size_t)root->length);
  out[root->length] = 0;
  assert_int_equal(skep_pred_filter(&f->ctx, bound_to(f, root->type, text), root, rows, &n, &f->err), SKEP_OK);
  for (int64_t i = 0; i < n; i++) out[rows[i]] = 'T';
  assert_int_equal(skep_pred_filter(&f->ctx, bound_to(f, root->type, negated), root, rows, &n, &f->err), SKEP_OK);
  for (int64_t i = 0; i < n; i++) {
    assert_int_equal(out[rows[i]], 'N');
    out[rows[i]] = 'F';
  }
}

typedef struct filter_case {
  const char *type;
  const char *values[8]; /* ends with END; NULL is NULL */
  const char *expected[12][2];
} filter_case;

static const char END[] = "<end>";

static void rows_are_chosen_as_hive_compares(void **state) {
  fixture *f = *state;
  static const filter_case cases[] = {
      {"int",
       {"-2147483648", "-1", "0", "1", "2147483647", NULL, END},
       {{"x = 1", "FFFTFN"},
        {"x <> 1", "TTTFTN"},
        {"x <=> 1", "FFFTFF"},
        {"x < 0.5", "TTTFFN"},
        {"x > -0.5", "FFTTTN"},
        {"x in (1, -1, null)", "NTNTNN"},
        {"x not in (0)", "TTFTTN"},
        {"x between -1 and 1", "FTTTFN"},
        {"x = 1.5", "FFFFFN"},
        {"x < 3e9", "TTTTTN"},
        {"x is null", "FFFFFT"}}},
      {"tinyint",
       {"-128", "127", "0", NULL, END},
       {{"x >= -128", "TTTN"},
        {"x <= 1000", "TTTN"},
        {"x = 1000", "FFFN"},
        {"x > -1000", "TTTN"},
        {"x <=> null", "FFFT"}}},
      {"boolean",
       {"true", "false", NULL, END},
       {{"x", "TFN"},
        {"x = 'false'", "FTN"},
        {"x < true", "FTN"},
        {"x in (true, false)", "TTN"},
        {"x <= false", "FTN"}}},
      {"float",
       {"0.1", "0.5", "NaN", "-0.0", "Infinity", NULL, END},
       {{"x = 0.1", "FFFFFN"},
        {"x < 0.1000000015", "TFFTFN"},
        {"x = 0.5", "FTFFFN"},
        {"x = 0", "FFFTFN"},
        {"x = 'NaN'", "FFTFFN"},
        {"x > 1e30", "FFTFTN"},
        {"x < 'NaN'", "TTFTTN"},
        {"x >= 'NaN'", "FFTFFN"},
        {"x in (0.0, 'NaN', 0.5)", "FTTTFN"},
        {"x between 0.4 and 'NaN'", "FTTFTN"}}},
      {"double",
       {"1e300", "-1e300", "0.1", "NaN", NULL, END},
       {{"x = 0.1", "FFTFN"},
        {"x > 0", "TFTTN"},
        {"x <= 0.1", "FTTFN"},
        {"x < '-Infinity'", "FFFFN"},
        {"x = '0.1'", "FFTFN"},
        {"x <> 0.1", "TTFTN"},
        {"x > 'Infinity'", "FFFTN"}}},
      {"decimal(5,2)",
       {"1.23", "1.24", "-1.23", "999.99", NULL, END},
       {{"x = 1.230", "TFFFN"},
        {"x > 1.234", "FTFTN"},
        {"x < 1.234", "TFTFN"},
        {"x < 1000", "TTTTN"},
        {"x >= -1.235", "TTTTN"},
        {"x in (1.23, 1.235, 7)", "TFFFN"},
        {"x = 1.24D", "FTFFN"}}},
      {"decimal(38,0)",
       {"99999999999999999999999999999999999999", "0", NULL, END},
       {{"x > 99999999999999999999999999999999999998", "TFN"}, {"x < 1e38", "TTN"}, {"x = 0", "FTN"}}},
      {"string",
       {"", "a", "ab", "10", "\xc3\xa9", NULL, END},
       {{"x = 'a'", "FTFFFN"},
        {"x > 'a'", "FFTFTN"},
        {"x < 'ab'", "TTFTFN"},
        {"x like 'a%'", "FTTFFN"},
        {"x like '_'", "FTFFTN"},
        {"x = 10", "NNNTNN"},
        {"x < 1e2", "NNNTNN"},
        {"x in ('a', '', 'zz')", "TTFFFN"},
        {"x <=> 'a'", "FTFFFF"},
        {"x between 'a' and 'b'", "FTTFFN"},
        {"x like ''", "TFFFFN"}}},
      {"string",
       {"2020-01-02", "2020-01-02 00:00:01", "x", NULL, END},
       {{"x = date '2020-01-02'", "TTNN"}, {"x > timestamp '2020-01-02'", "FTNN"}}},
      {"char(4)",
       {"ab", "ab  ", "abc", "", NULL, END},
       {{"x = 'ab'", "TTFFN"},
        {"x = 'ab '", "TTFFN"},
        {"x < 'abc'", "TTFTN"},
        {"x like 'ab'", "TTFFN"},
        {"x in ('ab   ', '')", "TTFTN"},
        {"x = ''", "FFFTN"}}},
      {"varchar(4)", {"ab", "ab  ", NULL, END}, {{"x = 'ab'", "TFN"}, {"x = 'ab  '", "FTN"}}},
      {"binary", {"\x80", "a", NULL, END}, {{"x > 'a'", "TFN"}, {"x = 'a'", "FTN"}}},
      {"date",
       {"1969-12-31", "2020-02-29", NULL, END},
       {{"x = '1969-12-31'", "TFN"},
        {"x < timestamp '1969-12-31 12:00:00'", "TFN"},
        {"x >= timestamp '1969-12-31 12:00:00'", "FTN"},
        {"x > date '0001-01-01'", "TTN"}}},
      {"timestamp",
       {"1969-12-31 23:59:59.5", "1970-01-01", "1970-01-01 00:00:00.000001", NULL, END},
       {{"x < '1970-01-01'", "TFFN"},
        {"x = date '1970-01-01'", "FTFN"},
        {"x > '1970-01-01'", "FFTN"},
        {"x between '1969-12-31' and '1970-01-01'", "TTFN"},
        {"x < '0001-01-01'", "FFFN"},
        {"x < '9999-12-31'", "TTTN"},
        {"x in ('1970-01-01', '1969-12-31 23:59:59.5')", "TTFN"}}},
  };
  skep_forms forms[3] = {{0},
                         {.boolean = SKEP_FORM_BOOL_BYTES,
                          .timestamp = SKEP_FORM_TS_US,
                          .string = SKEP_FORM_VIEW,
                          .narrow_decimals = true},
                         {.timestamp = SKEP_FORM_TS_NS}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (size_t k = 0; k < 3; k++) {
      size_t n = 0;
      while (cases[i].values[n] != END) n++;
      skep_vec column = {0}, root;
      make_vec(f, &column, cases[i].type, &forms[k], cases[i].values, n);
      wrap(f, &root, &column, cases[i].type);
      for (size_t j = 0; j < 12 && cases[i].expected[j][0] != NULL; j++) {
        char got[64];
        truths(f, &root, cases[i].expected[j][0], got);
        if (strcmp(got, cases[i].expected[j][1]) != 0) {
          fail_msg("%s, form %d: %s gives %s, expected %s", cases[i].type, (int)column.form, cases[i].expected[j][0],
                   got, cases[i].expected[j][1]);
        }
      }
      skep_vec_fini(&column);
    }
  }
}

static void and_or_not_follow_three_valued_logic(void **state) {
  fixture *f = *state;
  skep_vec columns[2] = {{0}, {0}};
  static const char *const a[] = {"true", "true", "true", "false", "false", "false", NULL, NULL, NULL};
  static const char *const b[] = {"true", "false", NULL, "true", "false", NULL, "true", "false", NULL};
  make_vec(f, &columns[0], "boolean", &(skep_forms){0}, a, 9);
  make_vec(f, &columns[1], "boolean", &(skep_forms){0}, b, 9);
  skep_vec root = {.ctx = &f->ctx,
                   .type = type_of(f, "struct<a:boolean,b:boolean>"),
                   .form = SKEP_FORM_STRUCT,
                   .length = 9,
                   .n_children = 2,
                   .children = columns};
  static const char *const cases[][2] = {{"a AND b", "TFNFFFNFN"},     {"a OR b", "TTTTFNTNN"},
                                         {"NOT a AND b", "FFFTFNNFN"}, {"a AND TRUE", "TTTFFFNNN"},
                                         {"a AND NULL", "NNNFFFNNN"},  {"a OR FALSE OR NULL", "TTTNNNNNN"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char got[64];
    truths(f, &root, cases[i][0], got);
    assert_string_equal(got, cases[i][1]);
  }
  skep_vec_fini(&columns[0]);
  skep_vec_fini(&columns[1]);
}

static void patterns_match_like_hive(void **state) {
  (void)state;
  static const struct {
    const char *pattern, *value;
    bool expected;
  } cases[] = {
      {"", "", true},
      {"", "a", false},
      {"%", "", true},
      {"%", "abc", true},
      {"_", "", false},
      {"_", "\xf0\x9f\x8e\x88", true},
      {"_", "\xff", true},
      {"__", "\xc3\xa9", false},
      {"a%", "a", true},
      {"a%", "ba", false},
      {"%a", "ba", true},
      {"%a", "ab", false},
      {"%a%", "bab", true},
      {"a_c", "abc", true},
      {"a_c", "ac", false},
      {"a%b%c", "axxbyyc", true},
      {"a%b%c", "axxbyy", false},
      {"%ab", "aab", true},
      {"%aab", "aaab", true},
      {"a\\%", "a%", true},
      {"a\\%", "ab", false},
      {"a\\_b", "a_b", true},
      {"a\\_b", "axb", false},
      {"a\\b", "a\\b", true},
      {"\\", "\\", true},
      {"%\\%%", "50% off", true},
      {"%\\%%", "50 off", false},
      {"a\n%", "a\nb\nc", true},
      {"%_%_%", "ab", true},
      {"%_%_%", "a", false},
      {"%%%", "", true},
      {"x%%", "x", true},
      {"_%", "a", true},
      {"a%_", "a", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_like like = skep_like_of(text_of(cases[i].pattern));
    if (skep_like_matches(&like, text_of(cases[i].value)) != cases[i].expected) {
      fail_msg("'%s' LIKE '%s'", cases[i].value, cases[i].pattern);
    }
  }
}

/* Keeps dictionaries: the texts as entries of one, chosen by code. */
static void make_dictionary(fixture *f, skep_vec *vec, const char *type, const char *const *texts, uint32_t count,
                            const int32_t *codes, int64_t n) {
  uint32_t *offsets;
  uint8_t *bytes;
  size_t size = 0;
  for (uint32_t i = 0; i < count; i++) size += strlen(texts[i]);
  assert_int_equal(skep_vec_init(vec, &f->ctx, type_of(f, type), &(skep_forms){0}, &f->err), SKEP_OK);
  assert_int_equal(skep_vec_set_null(vec, n, &f->err), SKEP_OK);
  assert_int_equal(skep_dict_new(&f->ctx, count, size, &vec->dict, &offsets, &bytes, &f->err), SKEP_OK);
  offsets[0] = 0;
  for (uint32_t i = 0; i < count; i++) {
    memcpy(bytes + offsets[i], texts[i], strlen(texts[i]));
    offsets[i + 1] = offsets[i] + (uint32_t)strlen(texts[i]);
  }
  vec->form = SKEP_FORM_DICT;
  assert_int_equal(skep_vec_reserve(vec, n, true, &f->err), SKEP_OK);
  for (int64_t i = 0; i < n; i++) {
    ((int32_t *)vec->values.data)[i] = codes[i] < 0 ? 0 : codes[i];
    if (codes[i] < 0) continue;
    ((uint8_t *)vec->validity.data)[i >> 3] |= (uint8_t)(1u << (i & 7));
    vec->null_count--;
  }
}

static void dictionaries_are_tested_by_entry_or_by_row(void **state) {
  fixture *f = *state;
  static const char *const texts[] = {"b", "a", "", "abc"};
  static const int32_t codes[] = {0, 1, -1, 3, 2, 1, 0};
  for (int64_t n = 3; n <= 7; n += 4) {
    skep_vec column = {0}, root;
    make_dictionary(f, &column, "string", texts, 4, codes, n);
    wrap(f, &root, &column, "string");
    char got[64];
    truths(f, &root, "x LIKE 'a%'", got);
    assert_memory_equal(got, "FTNTFTF", (size_t)n);
    truths(f, &root, "x >= 'abc'", got);
    assert_memory_equal(got, "TFNTFFT", (size_t)n);
    skep_vec_fini(&column);
  }
  static const int32_t nulls[] = {-1, -1};
  skep_vec column = {0}, root;
  make_dictionary(f, &column, "string", texts, 0, nulls, 2);
  wrap(f, &root, &column, "string");
  char got[64];
  truths(f, &root, "x = 'a'", got);
  assert_string_equal(got, "NN");
  assert_int_equal(skep_vec_set_null(&column, 2, &f->err), SKEP_OK); /* a column that the next file does not have */
  assert_null(column.dict);
  root.children = &column;
  truths(f, &root, "x = 'a' OR x IS NULL", got);
  assert_string_equal(got, "TT");
  skep_vec_fini(&column);
}

/* ---- against a row-by-row evaluator ---- */

static int naive_order(const skep_vec *vec, int64_t i, const skep_literal *x) {
  const void *v = vec->values.data;
  skep_i128 wide;
  switch (vec->type->kind) {
    case SKEP_FLOAT:
      return skep_pred_compare_f64((double)((const float *)v)[i], x->f64);
    case SKEP_DOUBLE:
      return skep_pred_compare_f64(((const double *)v)[i], x->f64);
    case SKEP_STRING:
      return skep_pred_compare_bytes(skep_vec_bytes(vec, i), x->bytes);
    case SKEP_CHAR: {
      skep_bytes value = skep_vec_bytes(vec, i);
      while (value.left != 0 && value.at[value.left - 1] == ' ') value.left--;
      return skep_pred_compare_bytes(value, x->bytes);
    }
    case SKEP_BOOLEAN:
      wide = ((const uint8_t *)v)[i >> 3] >> (i & 7) & 1;
      break;
    case SKEP_TIMESTAMP: {
      skep_ts ts = ((const skep_ts *)v)[i];
      if (ts.seconds != x->ts.seconds) return ts.seconds < x->ts.seconds ? -1 : 1;
      return (ts.nanos > x->ts.nanos) - (ts.nanos < x->ts.nanos);
    }
    case SKEP_DECIMAL:
      memcpy(&wide, (const char *)v + 16 * i, 16);
      return (wide > x->decimal) - (wide < x->decimal);
    case SKEP_SMALLINT:
      wide = ((const int16_t *)v)[i];
      break;
    case SKEP_BIGINT:
      wide = ((const int64_t *)v)[i];
      break;
    default:
      wide = ((const int32_t *)v)[i];
      break;
  }
  return (wide > x->i64) - (wide < x->i64);
}

static uint8_t naive(const skep_pred *pred, const skep_vec *root, int64_t i) {
  uint8_t result;
  if (pred->op == SKEP_PRED_CONST) return pred->constant == SKEP_TRUE ? 2 : pred->constant == SKEP_FALSE ? 0 : 1;
  if (pred->op == SKEP_PRED_NOT) return (uint8_t)(2 - naive(pred->children[0], root, i));
  if (pred->op == SKEP_PRED_AND || pred->op == SKEP_PRED_OR) {
    result = naive(pred->children[0], root, i);
    for (uint32_t c = 1; c < pred->n_children; c++) {
      uint8_t other = naive(pred->children[c], root, i);
      if (pred->op == SKEP_PRED_AND ? other < result : other > result) result = other;
    }
    return result;
  }
  const skep_vec *vec = &root->children[pred->path[0]];
  bool is_null = !skep_vec_is_valid(vec, i);
  if (pred->op == SKEP_PRED_IS_NULL) return is_null ? 2 : 0;
  if (is_null) return pred->op == SKEP_PRED_NULL_EQ ? 0 : 1;
  if (pred->op == SKEP_PRED_LIKE) { /* the matcher has a test of its own */
    skep_bytes value = skep_vec_bytes(vec, i);
    while (vec->type->kind == SKEP_CHAR && value.left != 0 && value.at[value.left - 1] == ' ') value.left--;
    skep_like like = skep_like_of(pred->literals->bytes);
    return skep_like_matches(&like, value) ? 2 : 0;
  }
  if (pred->op == SKEP_PRED_IN) {
    result = 0;
    for (uint32_t k = 0; k < pred->n_literals; k++) {
      if (pred->literals[k].is_null) {
        result = result == 2 ? 2 : 1;
      } else if (naive_order(vec, i, &pred->literals[k]) == 0) {
        result = 2;
      }
    }
    return result;
  }
  int order = naive_order(vec, i, &pred->literals[0]);
  switch (pred->op) {
    case SKEP_PRED_LT:
      return order < 0 ? 2 : 0;
    case SKEP_PRED_LE:
      return order <= 0 ? 2 : 0;
    case SKEP_PRED_GT:
      return order > 0 ? 2 : 0;
    case SKEP_PRED_GE:
      return order >= 0 ? 2 : 0;
    case SKEP_PRED_BETWEEN:
      return order >= 0 && naive_order(vec, i, &pred->literals[1]) <= 0 ? 2 : 0;
    default:
      return order == 0 ? 2 : 0;
  }
}

enum { N_RANDOM_ROWS = 100 };

static void filtering_agrees_with_row_by_row_evaluation(void **state) {
  fixture *f = *state;
  skep_vec columns[N_RANDOM_TYPES] = {{0}}, root;
  skep_buf text;
  uint64_t seed = 2026;
  skep_buf_init(&text, &f->ctx, 1 << 16);
  make_random_root(f, &seed, N_RANDOM_ROWS, columns, &root);
  const skep_type *type = root.type;
  for (int round = 0; round < 3000; round++) {
    int32_t rows[N_RANDOM_ROWS];
    int64_t n = 0, k = 0;
    skep_buf_reset(&text);
    append_random_predicate(type, &seed, round % 4, &text);
    const skep_pred *bound = bound_to(f, type, skep_buf_string(&text));
    assert_int_equal(skep_pred_filter(&f->ctx, bound, &root, rows, &n, &f->err), SKEP_OK);
    for (int64_t i = 0; i < N_RANDOM_ROWS; i++) {
      bool chosen = k < n && rows[k] == i;
      k += chosen;
      if (chosen != (naive(bound, &root, i) == 2)) fail_msg("row %d of %s", (int)i, skep_buf_string(&text));
    }
    assert_int_equal(k, n);
    const char *back = printed(f, bound); /* binding what was printed gives the same again */
    assert_string_equal(printed(f, bound_to(f, type, back)), back);
  }
  for (size_t c = 0; c < N_RANDOM_TYPES; c++) skep_vec_fini(&columns[c]);
  skep_buf_fini(&text);
}

static void nested_fields_are_followed(void **state) {
  fixture *f = *state;
  skep_vec root = {0};
  assert_int_equal(
      skep_vec_init(&root, &f->ctx, type_of(f, "struct<n:struct<x:int>,l:array<int>>"), &(skep_forms){0}, &f->err),
      SKEP_OK);
  assert_int_equal(skep_vec_set_null(&root, 2, &f->err), SKEP_OK);
  int32_t rows[2];
  int64_t n;
  assert_int_equal(skep_pred_filter(&f->ctx, bound_to(f, root.type, "n.x IS NULL AND n IS NULL AND l IS NULL"), &root,
                                    rows, &n, &f->err),
                   SKEP_OK);
  assert_int_equal(n, 2);
  assert_int_equal(skep_pred_filter(&f->ctx, bound_to(f, root.type, "n.x = 0"), &root, rows, &n, &f->err), SKEP_OK);
  assert_int_equal(n, 0);
  skep_vec_fini(&root);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(texts_print_in_one_spelling_that_parses_back),
      TEST(mistakes_are_named_with_their_place),
      TEST(nesting_is_bounded_and_chains_are_not),
      TEST(damaged_texts_and_little_memory_give_a_status),
      TEST(literals_become_values_of_the_column),
      TEST(what_cannot_be_bound_is_named),
      TEST(columns_of_a_predicate_are_marked),
      TEST(rows_are_chosen_as_hive_compares),
      TEST(and_or_not_follow_three_valued_logic),
      TEST(patterns_match_like_hive),
      TEST(dictionaries_are_tested_by_entry_or_by_row),
      TEST(filtering_agrees_with_row_by_row_evaluation),
      TEST(nested_fields_are_followed),
  };
  return cmocka_run_group_tests_name("predicate", tests, NULL, NULL);
}
