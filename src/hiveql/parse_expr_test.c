/* Expressions: literals, precedence, every operator and form of operand, as trees in prefix form. The grouping expected
 * follows hiveql.md 1.5; literals follow 1.4 and what Hive 4.0.1 answered (tests/data/hive/functions.tsv). */
#include "hiveql/parse_testing.h"

/* ---- trees in prefix form
 * --------------------------------------------------------------------------------------------- */

static void show(const skep_expr *e, skep_buf *out);

static void show_list(skep_expr_list list, skep_buf *out) {
  for (uint32_t i = 0; i < list.n; i++) {
    skep_buf_byte(out, ' ');
    show(list.items[i], out);
  }
}

static void show_op(const char *op, const skep_expr *a, const skep_expr *b, const skep_expr *c, skep_buf *out) {
  skep_buf_printf(out, "(%s", op);
  const skep_expr *const parts[] = {a, b, c};
  for (size_t i = 0; i < 3; i++) {
    if (parts[i] == NULL) continue;
    skep_buf_byte(out, ' ');
    show(parts[i], out);
  }
  skep_buf_byte(out, ')');
}

static void show_literal(const skep_expr *e, skep_buf *out) {
  static const char *const kinds[] = {"null", "bool",   "tiny",   "small", "int",       "big",
                                      "dec",  "double", "string", "date",  "timestamp", "tz"};
  skep_buf_printf(out, "%s", kinds[e->literal.kind]);
  if (e->literal.kind == SKEP_LITERAL_NULL) return;
  if (e->literal.bytes == NULL)
    skep_buf_printf(out, ":%lld", (long long)e->literal.i64);
  else
    skep_buf_printf(out, ":%s", e->literal.bytes);
}

static void show_names(skep_name_list names, skep_buf *out) {
  for (uint32_t i = 0; i < names.n; i++) skep_buf_printf(out, "%s%s", i > 0 ? "." : "", names.items[i]);
}

static void show_call(const skep_call *call, skep_buf *out) {
  static const char *const nulls[] = {"", " ignore-nulls", " respect-nulls"};
  skep_buf_printf(out, "(%s%s%s%s%s%s", call->db == NULL ? "" : call->db, call->db == NULL ? "" : ".", call->name,
                  call->star ? " *" : "", call->distinct ? " distinct" : "", nulls[call->nulls]);
  show_list(call->args, out);
  skep_buf_byte(out, ')');
}

static void show(const skep_expr *e, skep_buf *out) {
  static const char *const unary[] = {"not",      "neg",          "pos",        "~",
                                      "is-null",  "is-not-null",  "is-true",    "is-not-true",
                                      "is-false", "is-not-false", "is-unknown", "is-not-unknown"};
  static const char *const binary[] = {"or",    "and", "=", "<>", "<=>", "distinct", "<", "<=", ">", ">=",  "like",
                                       "rlike", "|",   "&", "||", "+",   "-",        "*", "/",  "%", "div", "^"};
  static const char *const units[] = {"year", "month", "day", "hour", "minute", "second", "year-month", "day-second"};
  switch (e->kind) {
    case SKEP_EXPR_LITERAL:
      show_literal(e, out);
      break;
    case SKEP_EXPR_NAME:
      show_names(e->name, out);
      break;
    case SKEP_EXPR_STAR:
      show_names(e->name, out);
      skep_buf_text(out, e->name.n > 0 ? ".*" : "*");
      break;
    case SKEP_EXPR_UNARY:
      show_op(unary[e->unary.op], e->unary.operand, NULL, NULL, out);
      break;
    case SKEP_EXPR_BINARY:
      show_op(binary[e->binary.op], e->binary.left, e->binary.right, NULL, out);
      break;
    case SKEP_EXPR_BETWEEN:
      show_op(e->between.negated ? "not-between" : "between", e->between.value, e->between.low, e->between.high, out);
      break;
    case SKEP_EXPR_IN_LIST:
      skep_buf_text(out, e->in_list.negated ? "(not-in " : "(in ");
      show(e->in_list.value, out);
      show_list(e->in_list.items, out);
      skep_buf_byte(out, ')');
      break;
    case SKEP_EXPR_IN_QUERY:
      show_op(e->in_query.negated ? "not-in-query" : "in-query", e->in_query.value, NULL, NULL, out);
      break;
    case SKEP_EXPR_EXISTS:
      skep_buf_text(out, "(exists)");
      break;
    case SKEP_EXPR_SCALAR_QUERY:
      skep_buf_text(out, "(query)");
      break;
    case SKEP_EXPR_QUANTIFIED:
      skep_buf_printf(out, "(%s-%s ", binary[e->quantified.op], e->quantified.all ? "all" : "any");
      show(e->quantified.value, out);
      skep_buf_byte(out, ')');
      break;
    case SKEP_EXPR_LIKE_LIST:
      skep_buf_printf(out, "(%slike-%s ", e->like_list.negated ? "not-" : "", e->like_list.all ? "all" : "any");
      show(e->like_list.value, out);
      show_list(e->like_list.patterns, out);
      skep_buf_byte(out, ')');
      break;
    case SKEP_EXPR_CASE:
      skep_buf_text(out, "(case");
      if (e->cases.operand != NULL) show_list((skep_expr_list){&e->cases.operand, 1}, out);
      for (uint32_t i = 0; i < e->cases.n_whens; i++) {
        skep_buf_byte(out, ' ');
        show_op("when", e->cases.whens[i].when, e->cases.whens[i].then, NULL, out);
      }
      if (e->cases.otherwise != NULL) show_list((skep_expr_list){&e->cases.otherwise, 1}, out);
      skep_buf_byte(out, ')');
      break;
    case SKEP_EXPR_CAST:
      skep_buf_text(out, "(cast ");
      show(e->cast.value, out);
      skep_buf_byte(out, ' ');
      skep_type_print(e->cast.type, out);
      if (e->cast.format != NULL) skep_buf_printf(out, " '%s'", e->cast.format);
      skep_buf_byte(out, ')');
      break;
    case SKEP_EXPR_CALL:
      show_call(e->call, out);
      break;
    case SKEP_EXPR_INDEX:
      show_op("index", e->index.base, e->index.index, NULL, out);
      break;
    case SKEP_EXPR_FIELD:
      skep_buf_printf(out, "(.%s ", e->field.name);
      show(e->field.base, out);
      skep_buf_byte(out, ')');
      break;
    case SKEP_EXPR_TUPLE:
      skep_buf_text(out, "(tuple");
      show_list(e->tuple, out);
      skep_buf_byte(out, ')');
      break;
    case SKEP_EXPR_INTERVAL:
      show_op(units[e->interval.unit], e->interval.value, NULL, NULL, out);
      break;
    case SKEP_EXPR_COLUMN_REGEX:
      skep_buf_printf(out, "(regex %s)", e->regex.pattern);
      break;
    case SKEP_EXPR_DEFAULT:
      skep_buf_text(out, "default");
      break;
    case SKEP_EXPR_PARAMETER:
      skep_buf_text(out, "?");
      break;
    case SKEP_EXPR_KIND_COUNT:
      break;
  }
}

typedef struct expr_case {
  const char *text, *tree;
} expr_case;

static void check_cases(parse_fixture *f, const expr_case *cases, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const skep_expr *e = parsed_expr(f, cases[i].text);
    show(e, &f->out);
    const char *tree = taken(f);
    if (strcmp(tree, cases[i].tree) != 0) {
      fail_msg("%s\n  is       %s\n  expected %s", cases[i].text, tree, cases[i].tree);
    }
    const char *text = printed_expr(f, e);
    if (!skep_expr_equal(e, parsed_expr(f, text)))
      fail_msg("%s printed as %s reads as another tree", cases[i].text, text);
  }
}

/* ---- tests
 * ------------------------------------------------------------------------------------------------------------ */

static void literals_have_the_kind_that_hive_gives_them(void **state) {
  static const expr_case cases[] = {
      {"NULL", "null"},
      {"true", "bool:1"},
      {"FALSE", "bool:0"},
      {"0", "int:0"},
      {"007", "int:7"},
      {"2147483647", "int:2147483647"},
      {"2147483648", "big:2147483648"},
      {"9223372036854775807", "big:9223372036854775807"},
      {"9223372036854775808", "dec:9223372036854775808"},
      {"99999999999999999999999999999999999999", "dec:99999999999999999999999999999999999999"},
      {"999999999999999999999999999999999999999", "double:999999999999999999999999999999999999999"},
      {"1.5", "dec:1.5"},
      {"1.", "dec:1."},
      {"0.00", "dec:0.00"},
      {"1e3", "double:1e3"},
      {"1.5E-2", "double:1.5E-2"},
      {"4.9E-324", "double:4.9E-324"},
      {"127Y", "tiny:127"},
      {"5y", "tiny:5"},
      {"32767S", "small:32767"},
      {"9223372036854775807L", "big:9223372036854775807"},
      {"5l", "big:5"},
      {"5D", "double:5"},
      {"1.5d", "double:1.5"},
      {"1e16D", "double:1e16"},
      {"1.50BD", "dec:1.50"},
      {"5bd", "dec:5"},
      {"-5", "(neg int:5)"},
      {"- -5", "(neg (neg int:5))"},
      {"+-~5", "(pos (neg (~ int:5)))"},
      {"DATE '2020-02-30'", "date:2020-02-30"},
      {"timestamp '2020-01-01 00:00:00'", "timestamp:2020-01-01 00:00:00"},
      {"TIMESTAMPLOCALTZ '2020-01-01 00:00:00 UTC'", "tz:2020-01-01 00:00:00 UTC"},
      {"?", "?"},
  };
  check_cases(*state, cases, sizeof cases / sizeof cases[0]);
}

static void strings_resolve_escapes_and_join(void **state) {
  static const expr_case cases[] = {
      {"'it\\'s'", "string:it's"},
      {"\"it's\"", "string:it's"},
      {"'say \"hi\"'", "string:say \"hi\""},
      {"'a' 'b'", "string:ab"},
      {"'a''b'", "string:ab"},
      {"'a' -- comment\n \"b\" /* and /* more */ */ 'c'", "string:abc"},
      {"'\\n\\r\\t\\b\\Z\\\\'", "string:\n\r\t\b\x1A\\"},
      {"'\\%\\_\\x\\1'", "string:\\%\\_x1"},
      {"'\\101\\177'", "string:A\177"},
      {"'\\201'", "string:201"},
      {"'\\u00e9\\u65e5'", "string:\xC3\xA9\xE6\x97\xA5"},
      {"'\\uD83C\\uDF88'", "string:\xF0\x9F\x8E\x88"},
      {"'\\uD83Cx'", "string:?x"},
      {"'\\u12'", "string:u12"},
      {"''", "string:"},
      {"'a;b--c/*d*/'", "string:a;b--c/*d*/"},
  };
  check_cases(*state, cases, sizeof cases / sizeof cases[0]);
  const skep_expr *nul = parsed_expr(*state, "'a\\0b\\000\\060'");
  assert_int_equal(nul->literal.length, 5);
  assert_memory_equal(nul->literal.bytes,
                      "a\0b\0"
                      "0",
                      5);
  parse_fixture *f = *state;
  assert_true(skep_expr_equal(nul, parsed_expr(f, printed_expr(f, nul))));
}

static void operators_bind_as_in_hive_4(void **state) {
  static const expr_case cases[] = {
      {"a or b and c or d", "(or (or a (and b c)) d)"},
      {"not a and b", "(and (not a) b)"},
      {"not a = b", "(not (= a b))"},
      {"! a is null", "(not (is-null a))"},
      {"not not a", "(not (not a))"},
      {"a = b is null", "(is-null (= a b))"},
      {"a = b = c", "(= (= a b) c)"},
      {"a == b <=> c <> d != e", "(<> (<> (<=> (= a b) c) d) e)"},
      {"a is distinct from b", "(distinct a b)"},
      {"a is not distinct from b = c", "(= (<=> a b) c)"},
      {"a = b < c", "(= a (< b c))"},
      {"a < b = c", "(= (< a b) c)"},
      {"a | b & c || d + e * f ^ g", "(| a (& b (|| c (+ d (* e (^ f g))))))"},
      {"a ^ b * c + d || e & f | g", "(| (& (|| (+ (* (^ a b) c) d) e) f) g)"},
      {"a - b - c", "(- (- a b) c)"},
      {"a - (b - c)", "(- a (- b c))"},
      {"a / b % c div d", "(div (% (/ a b) c) d)"},
      {"-a ^ b", "(^ (neg a) b)"},
      {"-a.b[1]", "(neg (index a.b int:1))"},
      {"a < b and c > d", "(and (< a b) (> c d))"},
      {"a < b + 1", "(< a (+ b int:1))"},
      {"a is not true or b is false", "(or (is-not-true a) (is-false b))"},
      {"a is unknown", "(is-unknown a)"},
      {"a is not unknown", "(is-not-unknown a)"},
      {"a like 'x' || 'y'", "(like a (|| string:x string:y))"},
      {"a not like b", "(not (like a b))"},
      {"a rlike b and c regexp d and e not regexp f", "(and (and (rlike a b) (rlike c d)) (not (rlike e f)))"},
      {"a between 1 and 2 and b", "(and (between a int:1 int:2) b)"},
      {"a not between b | 1 and c + 1 or d", "(or (not-between a (| b int:1) (+ c int:1)) d)"},
      {"a in (1, 2) = b", "(= (in a int:1 int:2) b)"},
      {"a not in (b)", "(not-in a b)"},
      {"a like any ('x', 'y')", "(like-any a string:x string:y)"},
      {"a not like all ('x')", "(not-like-all a string:x)"},
      {"a + 1 in (2)", "(in (+ a int:1) int:2)"},
      {"(a, b) in ((1, 2), (3, 4))", "(in (tuple a b) (tuple int:1 int:2) (tuple int:3 int:4))"},
      {"exists (select 1) and not exists (select 2)", "(and (exists) (not (exists)))"},
      {"a in (select b from t)", "(in-query a)"},
      {"a not in ((select b from t) union all (select c from u))", "(not-in-query a)"},
      {"a = any (select b from t)", "(=-any a)"},
      {"a >= all (select b from t) and c <> some (select 1)", "(and (>=-all a) (<>-any c))"},
      {"a = (select max(b) from t)", "(= a (query))"},
      {"((select 1) + 1) * 2", "(* (+ (query) int:1) int:2)"},
      {"((select 1))", "(query)"},
      {"(((a)))", "a"},
  };
  check_cases(*state, cases, sizeof cases / sizeof cases[0]);
}

static void operands_take_all_their_forms(void **state) {
  static const expr_case cases[] = {
      {"A.B.`C d`", "a.b.c d"},
      {"`a``b`", "a`b"},
      {"2nd", "2nd"},
      {"1e5x", "1e5x"},
      {"a[1][b].c[d + 1]", "(index (.c (index (index a int:1) b)) (+ d int:1))"},
      {"ROW__ID.writeId", "row__id.writeid"},
      {"f(x).y.z", "(.z (.y (f x)))"},
      {"count(*)", "(count *)"},
      {"count(distinct a, b)", "(count distinct a b)"},
      {"count(all a)", "(count a)"},
      {"F()", "(f)"},
      {"db.F(a)", "(db.f a)"},
      {"count(t.*)", "(count t.*)"},
      {"if(a, b, c)", "(if a b c)"},
      {"array(1, 2)", "(array int:1 int:2)"},
      {"map('a', 1)", "(map string:a int:1)"},
      {"date('2020-01-01')", "(date string:2020-01-01)"},
      {"int(a)", "(int a)"},
      {"grouping(a, b)", "(grouping a b)"},
      {"year(a) + month", "(+ (year a) month)"},
      {"day", "day"},
      {"default", "default"},
      {"current_date", "(current_date)"},
      {"current_date()", "(current_date)"},
      {"current_timestamp", "(current_timestamp)"},
      {"extract(day from a)", "(day a)"},
      {"extract(dayofweek from a)", "(dayofweek a)"},
      {"extract(week from a)", "(weekofyear a)"},
      {"floor(a)", "(floor a)"},
      {"floor(a to month)", "(floor_month a)"},
      {"trim(a)", "(trim a)"},
      {"trim(leading 'x' from a)", "(ltrim a string:x)"},
      {"trim(trailing from a)", "(rtrim a)"},
      {"trim(both 'x' from a)", "(trim a string:x)"},
      {"trim('x' from a)", "(trim a string:x)"},
      {"lag(a ignore nulls) over (order by b)", "(lag ignore-nulls a)"},
      {"lag(a) respect nulls over w", "(lag respect-nulls a)"},
      {"cast(a as int)", "(cast a int)"},
      {"cast(a as decimal(10, 2))", "(cast a decimal(10,2))"},
      {"cast(a as dec)", "(cast a decimal(10,0))"},
      {"cast(a as double precision)", "(cast a double)"},
      {"cast(a as timestamp with local time zone)", "(cast a timestamp with local time zone)"},
      {"cast(a as char(3))", "(cast a char(3))"},
      {"cast(null as map<int,array<struct<a:int comment 'x',b:string>>>)",
       "(cast null map<int,array<struct<a:int,b:string>>>)"},
      {"cast(a as uniontype<int,string>)", "(cast a uniontype<int,string>)"},
      {"cast(a as date format 'yyyy')", "(cast a date 'yyyy')"},
      {"case when a then 1 end", "(case (when a int:1))"},
      {"case a when 1 then 'x' when 2 then 'y' else 'z' end",
       "(case a (when int:1 string:x) (when int:2 string:y) string:z)"},
      {"interval '1-2' year to month", "(year-month string:1-2)"},
      {"interval '3 4:05:06.7' day to second", "(day-second string:3 4:05:06.7)"},
      {"interval 5 days", "(day int:5)"},
      {"5 hours", "(hour int:5)"},
      {"'5' minute", "(minute string:5)"},
      {"(5) second", "(second int:5)"},
      {"interval (a + 1) month", "(month (+ a int:1))"},
      {"a + interval '1' day", "(+ a (day string:1))"},
  };
  check_cases(*state, cases, sizeof cases / sizeof cases[0]);
}

static void positions_cover_the_text_of_each_part(void **state) {
  const char *text = "a +\n  f(b,\n 'x') * 2";
  const skep_expr *e = parsed_expr(*state, text);
  assert_int_equal(e->pos.line, 1);
  assert_int_equal(e->pos.column, 0);
  assert_int_equal(e->pos.length, strlen(text));
  const skep_expr *call = e->binary.right->binary.left;
  assert_int_equal(call->pos.line, 2);
  assert_int_equal(call->pos.column, 2);
  assert_int_equal(call->pos.offset, 6);
  assert_int_equal(call->pos.length, strlen("f(b,\n 'x')"));
  const skep_expr *x = call->call->args.items[1];
  assert_int_equal(x->pos.line, 3);
  assert_int_equal(x->pos.column, 1);
  assert_int_equal(x->pos.length, 3);
}

static void columns_count_characters(void **state) {
  const skep_expr *e = parsed_expr(*state, "'\xC3\xA9\xE6\x97\xA5' || b");
  assert_int_equal(e->binary.right->pos.column, 8);
}

/* Trees stay shallow enough to walk: long chains of AND and OR are balanced. */
static uint32_t height(const skep_expr *e) {
  if (e->kind != SKEP_EXPR_BINARY) return 1;
  uint32_t left = height(e->binary.left), right = height(e->binary.right);
  return 1 + (left > right ? left : right);
}

static void long_chains_become_balanced(void **state) {
  parse_fixture *f = *state;
  for (int i = 0; i < 20000; i++) skep_buf_printf(&f->out, "%sa = %d", i > 0 ? " OR " : "", i);
  const char *text = taken(f);
  const skep_expr *e = parsed_expr(f, text);
  assert_in_range(height(e), 10, 100);
  assert_string_equal(printed_expr(f, e->binary.left) != NULL ? "printed" : "", "printed");
}

static void nesting_is_limited(void **state) {
  parse_fixture *f = *state;
  static char text[200001];
  const skep_expr *e;
  static const char *const openers[] = {"(", "-", "NOT ", "f(", "CASE WHEN ", "a[", "CAST(", "(SELECT "};
  for (size_t i = 0; i < sizeof openers / sizeof openers[0]; i++) {
    size_t n = strlen(openers[i]);
    size_t at = 0;
    for (; at + n < sizeof text; at += n) memcpy(text + at, openers[i], n);
    if (openers[i][0] == '-') {
      for (size_t k = 0; k < at; k++) text[k] = k % 2 == 0 ? '-' : ' ';
    }
    assert_fails(skep_parse_expression(&f->arena, text, at, NULL, &e, &f->err), SKEP_ERR_LIMIT, f->err, "deep");
    assert_null(e);
  }
  for (size_t at = 0; at + 2 < sizeof text; at += 2) memcpy(text + at, "1+", 2);
  assert_fails(skep_parse_expression(&f->arena, text, 200000, NULL, &e, &f->err), SKEP_ERR_LIMIT, f->err, "in a row");
  size_t at = 5;
  memcpy(text, "WITH ", at);
  for (; at + 16 < sizeof text; at += 16) memcpy(text + at, "c AS (SELECT 1),", 16);
  const skep_statement *s;
  assert_fails(skep_parse_statement(&f->arena, text, at, NULL, &s, &f->err), SKEP_ERR_LIMIT, f->err,
               "more than 500 items of WITH");
}

static void quoting_follows_the_setting(void **state) {
  parse_fixture *f = *state;
  const skep_expr *e;
  skep_parse_opts standard = {.quoting = SKEP_QUOTING_STANDARD}, none = {.quoting = SKEP_QUOTING_NONE};
  assert_ok(skep_parse_expression(&f->arena, "\"A\"\"b\"", 6, &standard, &e, &f->err), f->err);
  assert_int_equal(e->kind, SKEP_EXPR_NAME);
  assert_string_equal(e->name.items[0], "a\"b");
  assert_ok(skep_parse_expression(&f->arena, "`(A|b)?+.+`", 11, &none, &e, &f->err), f->err);
  assert_int_equal(e->kind, SKEP_EXPR_COLUMN_REGEX);
  assert_string_equal(e->regex.pattern, "(A|b)?+.+");
  assert_ok(skep_parse_expression(&f->arena, "`Ab_1`", 6, &none, &e, &f->err), f->err);
  assert_int_equal(e->kind, SKEP_EXPR_NAME);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, parse_setup, parse_teardown)
      TEST(literals_have_the_kind_that_hive_gives_them),
      TEST(strings_resolve_escapes_and_join),
      TEST(operators_bind_as_in_hive_4),
      TEST(operands_take_all_their_forms),
      TEST(positions_cover_the_text_of_each_part),
      TEST(columns_count_characters),
      TEST(long_chains_become_balanced),
      TEST(nesting_is_limited),
      TEST(quoting_follows_the_setting),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
