/* Trees built by hand: the constructors, walks, equality; and random trees, whose text must read back to an equal tree.
 */
#include "hiveql/print_ast.h"

#include <stdlib.h>

#include "hiveql/parse_testing.h"

/* ---- random trees
 * ------------------------------------------------------------------------------------------------------ */

typedef struct maker {
  skep_arena *arena;
  uint64_t state;
} maker;

static uint32_t dice(maker *m, uint32_t sides) {
  m->state = m->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(m->state >> 33) % sides;
}

static const char *random_name(maker *m) {
  static const char *const names[] = {"a",   "b", "t",        "c_1", "select", "year",
                                      "x y", "`", "\xC3\xA9", "1st", "if",     "default"};
  return names[dice(m, sizeof names / sizeof names[0])];
}

static const skep_expr *random_text(maker *m, skep_literal_kind kind) {
  static const char *const texts[] = {"", "x", "it's", "\\", "\\%", "a\nb", "\t", "--", "\xF0\x9F\x8E\x88", "\"", ";"};
  const char *text = texts[dice(m, sizeof texts / sizeof texts[0])];
  skep_expr *e = skep_expr_new(m->arena, SKEP_EXPR_LITERAL, (skep_pos){0});
  e->literal.kind = kind;
  e->literal.bytes = text;
  e->literal.length = strlen(text);
  return e;
}

static const skep_expr *random_number(maker *m, skep_literal_kind kind) {
  static const char *const decimals[] = {"1.5", "0.00", "12345678901234567890", "7", "1e3"};
  static const char *const doubles[] = {"1e3", "1.5E-2", "2", "2.5", "999999999999999999999999999999999999999"};
  skep_expr *e = skep_expr_new(m->arena, SKEP_EXPR_LITERAL, (skep_pos){0});
  e->literal.kind = kind;
  e->literal.bytes = kind == SKEP_LITERAL_DECIMAL ? decimals[dice(m, 5)] : doubles[dice(m, 5)];
  e->literal.length = strlen(e->literal.bytes);
  return e;
}

static const skep_expr *random_literal(maker *m) {
  skep_expr *e = skep_expr_new(m->arena, SKEP_EXPR_LITERAL, (skep_pos){0});
  skep_literal_kind kind = dice(m, SKEP_LITERAL_TIMESTAMP_TZ + 1);
  switch (kind) {
    case SKEP_LITERAL_NULL:
      break;
    case SKEP_LITERAL_BOOLEAN:
      e->literal.i64 = dice(m, 2);
      break;
    case SKEP_LITERAL_TINYINT:
    case SKEP_LITERAL_SMALLINT:
    case SKEP_LITERAL_INT:
    case SKEP_LITERAL_BIGINT:
      e->literal.i64 = dice(m, 128);
      break;
    case SKEP_LITERAL_DECIMAL:
    case SKEP_LITERAL_DOUBLE:
      return random_number(m, kind);
    default:
      return random_text(m, kind);
  }
  e->literal.kind = kind;
  return e;
}

static const skep_expr *random_expr(maker *m, int depth);

static skep_expr_list random_list(maker *m, int depth, uint32_t least, uint32_t most) {
  uint32_t n = least + dice(m, most - least + 1);
  const skep_expr **items = skep_arena_zero(m->arena, n + 1, sizeof *items);
  for (uint32_t i = 0; i < n; i++) items[i] = random_expr(m, depth - 1);
  return (skep_expr_list){n == 0 ? NULL : items, n};
}

static skep_order_list random_order(maker *m, int depth, uint32_t n) {
  skep_order_item *items = skep_arena_zero(m->arena, n + 1, sizeof *items);
  for (uint32_t i = 0; i < n; i++) items[i] = (skep_order_item){random_expr(m, depth - 1), dice(m, 2) == 1, dice(m, 3)};
  return (skep_order_list){n == 0 ? NULL : items, n};
}

static const skep_query *random_query(maker *m, int depth) {
  skep_select s = {0};
  skep_select_item *items = skep_arena_zero(m->arena, 2, sizeof *items);
  items[0].expr = dice(m, 4) == 0 ? skep_expr_star(m->arena, dice(m, 2) ? "t" : NULL) : random_expr(m, depth - 1);
  items[1].expr = random_expr(m, depth - 1);
  items[1].alias = random_name(m);
  s.items = items;
  s.n_items = 2;
  s.distinct = dice(m, 2);
  s.from = skep_from_table(m->arena, NULL, random_name(m), dice(m, 2) ? random_name(m) : NULL);
  if (dice(m, 2)) {
    s.from = skep_from_join(m->arena, dice(m, 8), s.from, skep_from_table(m->arena, "d", random_name(m), NULL), NULL);
  }
  if (dice(m, 2)) s.where = random_expr(m, depth - 1);
  if (dice(m, 3) == 0) {
    s.group_by = (skep_group_by){.kind = SKEP_GROUP_PLAIN + dice(m, 3), .exprs = random_list(m, depth, 1, 2)};
  }
  const skep_query *q = skep_query_select(m->arena, &s);
  return dice(m, 4) == 0 && depth > 2 ? skep_query_union_all(m->arena, q, random_query(m, depth - 1)) : q;
}

static const skep_expr *random_call(maker *m, int depth) {
  skep_call *call = skep_arena_zero(m->arena, 1, sizeof *call);
  skep_expr *e = skep_expr_new(m->arena, SKEP_EXPR_CALL, (skep_pos){0});
  e->call = call;
  call->name = dice(m, 3) == 0 ? "floor" : dice(m, 2) == 0 ? "trim" : random_name(m);
  call->db = dice(m, 6) == 0 ? random_name(m) : NULL;
  call->star = dice(m, 5) == 0;
  if (!call->star) call->args = random_list(m, depth, 0, 3);
  call->distinct = !call->star && call->args.n > 0 && dice(m, 4) == 0;
  if (dice(m, 4) == 0) {
    skep_window *w = skep_arena_zero(m->arena, 1, sizeof *w);
    w->base = dice(m, 3) == 0 ? "w" : NULL;
    w->partition_by = random_list(m, depth, 0, 2);
    w->order_by = random_order(m, depth, dice(m, 3));
    w->has_frame = dice(m, 2);
    w->is_rows = dice(m, 2);
    w->end.kind = SKEP_BOUND_CURRENT_ROW;
    call->over = w;
    call->nulls = dice(m, 3);
  }
  return e;
}

static const skep_type *random_type(maker *m) {
  static const char *const types[] = {"int",
                                      "decimal(5,2)",
                                      "char(3)",
                                      "timestamp with local time zone",
                                      "map<string,array<struct<a:int,`x y`:date>>>",
                                      "uniontype<int,double>"};
  const char *text = types[dice(m, 6)];
  const skep_type *type = NULL;
  skep_err err;
  assert_ok(skep_type_parse(m->arena, text, strlen(text), &type, &err), err);
  return type;
}

static const skep_expr *random_case(maker *m, int depth) {
  skep_when whens[2] = {{random_expr(m, depth - 1), random_expr(m, depth - 1)},
                        {random_expr(m, depth - 1), random_expr(m, depth - 1)}};
  const skep_expr *made =
      skep_expr_case(m->arena, whens, 1 + dice(m, 2), dice(m, 2) ? random_expr(m, depth - 1) : NULL);
  skep_expr *e = skep_expr_new(m->arena, SKEP_EXPR_CASE, (skep_pos){0});
  e->cases = made->cases;
  if (dice(m, 2)) e->cases.operand = random_expr(m, depth - 1);
  return e;
}

static const skep_expr *random_expr(maker *m, int depth) {
  if (depth <= 0) {
    const char *names[3] = {random_name(m), random_name(m), random_name(m)};
    return dice(m, 2) ? random_literal(m) : skep_expr_path(m->arena, names, 1 + dice(m, 3));
  }
  skep_expr *e = skep_expr_new(m->arena, dice(m, SKEP_EXPR_KIND_COUNT), (skep_pos){0});
  switch (e->kind) {
    case SKEP_EXPR_UNARY:
      return skep_expr_unary(m->arena, dice(m, SKEP_OP_IS_NOT_UNKNOWN + 1), random_expr(m, depth - 1));
    case SKEP_EXPR_BETWEEN:
      e->between.value = random_expr(m, depth - 1);
      e->between.low = random_expr(m, depth - 1);
      e->between.high = random_expr(m, depth - 1);
      e->between.negated = dice(m, 2);
      return e;
    case SKEP_EXPR_IN_LIST:
      e->in_list.value = random_expr(m, depth - 1);
      e->in_list.items = random_list(m, depth, 2, 3); /* one sub query in brackets would be IN (query) */
      e->in_list.negated = dice(m, 2);
      return e;
    case SKEP_EXPR_IN_QUERY:
      e->in_query.value = random_expr(m, depth - 1);
      e->in_query.query = random_query(m, depth - 1);
      e->in_query.negated = dice(m, 2);
      return e;
    case SKEP_EXPR_EXISTS:
      e->query = random_query(m, depth - 1);
      return e;
    case SKEP_EXPR_SCALAR_QUERY:
      e->query = random_query(m, depth - 1);
      return e;
    case SKEP_EXPR_QUANTIFIED: {
      static const skep_binary_op ops[] = {SKEP_OP_EQ, SKEP_OP_NE, SKEP_OP_LT, SKEP_OP_LE, SKEP_OP_GT, SKEP_OP_GE};
      e->quantified.value = random_expr(m, depth - 1);
      e->quantified.query = random_query(m, depth - 1);
      e->quantified.op = ops[dice(m, 6)];
      e->quantified.all = dice(m, 2);
      return e;
    }
    case SKEP_EXPR_LIKE_LIST:
      e->like_list.value = random_expr(m, depth - 1);
      e->like_list.patterns = random_list(m, depth, 1, 2);
      e->like_list.all = dice(m, 2);
      e->like_list.negated = dice(m, 2);
      return e;
    case SKEP_EXPR_CASE:
      return random_case(m, depth);
    case SKEP_EXPR_CAST:
      return skep_expr_cast(m->arena, random_expr(m, depth - 1), random_type(m));
    case SKEP_EXPR_CALL:
      return random_call(m, depth);
    case SKEP_EXPR_INDEX:
      e->index.base = random_expr(m, depth - 1);
      e->index.index = random_expr(m, depth - 1);
      return e;
    case SKEP_EXPR_FIELD:
      e->field.base = random_expr(m, depth - 1);
      e->field.name = random_name(m);
      return e;
    case SKEP_EXPR_TUPLE:
      e->tuple = random_list(m, depth, 2, 3);
      return e;
    case SKEP_EXPR_INTERVAL:
      e->interval.value = random_expr(m, depth - 1);
      e->interval.unit = dice(m, SKEP_UNIT_DAY_TO_SECOND + 1);
      return e;
    default:
      return skep_expr_binary(m->arena, dice(m, SKEP_OP_BINARY_COUNT), random_expr(m, depth - 1),
                              random_expr(m, depth - 1));
  }
}

static void random_trees_read_back_equal(void **state) {
  parse_fixture *f = *state;
  const char *given = getenv("SKEP_TEST_SEED");
  uint64_t seed = 20261129;
  for (size_t i = 0; given != NULL && given[i] >= '0' && given[i] <= '9'; i++)
    seed = seed * 10 + (uint64_t)(given[i] - '0');
  for (int round = 0; round < 4000; round++) {
    skep_arena_fini(&f->arena);
    skep_arena_init(&f->arena, &f->ctx, (size_t)1 << 24);
    maker m = {&f->arena, seed + (uint64_t)round};
    const skep_expr *e = random_expr(&m, 1 + round % 6);
    const char *text = printed_expr(f, e);
    const skep_expr *again = NULL;
    skep_status st = skep_parse_expression(&f->arena, text, strlen(text), NULL, &again, &f->err);
    if (st != SKEP_OK) fail_msg("seed %llu: %s\n%s", (unsigned long long)m.state, text, f->err.text);
    if (!skep_expr_equal(e, again)) fail_msg("round %d: %s\nreads back as\n%s", round, text, printed_expr(f, again));
  }
}

/* ---- by hand
 * ------------------------------------------------------------------------------------------------------------ */

static const skep_expr *field(skep_arena *arena, const skep_expr *base, const char *name) {
  skep_expr *e = skep_expr_new(arena, SKEP_EXPR_FIELD, (skep_pos){0});
  e->field.base = base;
  e->field.name = name;
  return e;
}

static void constructors_build_what_the_parser_reads(void **state) {
  parse_fixture *f = *state;
  skep_arena *a = &f->arena;
  const skep_expr *id = skep_expr_column(a, "t", "id");
  const skep_expr *args[2] = {id, skep_expr_bool(a, true)};
  skep_when when = {skep_expr_unary(a, SKEP_OP_IS_NOT_NULL, field(a, skep_expr_column(a, NULL, "row__id"), "rowid")),
                    skep_expr_call(a, "concat", args, 2)};
  const skep_expr *e = skep_expr_case(a, &when, 1, skep_expr_null(a));
  assert_string_equal(printed_expr(f, e),
                      "CASE WHEN (row__id).rowid IS NOT NULL THEN concat(t.id, TRUE) ELSE NULL END");
  skep_select_item items[2] = {{.expr = e, .alias = "x"}, {.expr = skep_expr_star(a, "t")}};
  skep_select s = {.items = items, .n_items = 2};
  s.from = skep_from_join(a, SKEP_JOIN_LEFT, skep_from_table(a, "db", "t", "t"), skep_from_table(a, NULL, "s", NULL),
                          skep_expr_binary(a, SKEP_OP_EQ, id, skep_expr_int(a, 5000000000)));
  const skep_query *q = skep_query_select(a, &s);
  skep_print_query(skep_query_union_all(a, q, q), &f->out);
  const char *text = taken(f);
  static const char side[] =
      "SELECT CASE WHEN (row__id).rowid IS NOT NULL THEN concat(t.id, TRUE) ELSE NULL END AS x, t.* FROM db.t AS t "
      "LEFT OUTER JOIN s ON t.id = 5000000000L";
  char expected[1000];
  snprintf(expected, sizeof expected, "%s UNION ALL %s", side, side);
  assert_string_equal(text, expected);
}

static void negative_numbers_by_hand_keep_their_place(void **state) {
  parse_fixture *f = *state;
  skep_arena *a = &f->arena;
  const skep_expr *minus = skep_expr_int(a, -5);
  assert_string_equal(printed_expr(f, skep_expr_unary(a, SKEP_OP_NEGATE, minus)), "- -5");
  assert_string_equal(printed_expr(f, skep_expr_binary(a, SKEP_OP_SUBTRACT, minus, minus)), "-5 - -5");
  assert_string_equal(printed_expr(f, field(a, minus, "x")), "(-5).x");
}

static void a_missing_part_makes_the_whole_missing(void **state) {
  parse_fixture *f = *state;
  skep_arena *a = &f->arena;
  const skep_expr *one = skep_expr_int(a, 1), *parts[2] = {one, NULL};
  skep_when when = {one, NULL};
  assert_null(skep_expr_binary(a, SKEP_OP_AND, one, NULL));
  assert_null(skep_expr_unary(a, SKEP_OP_NOT, NULL));
  assert_null(skep_expr_call(a, "f", parts, 2));
  assert_null(skep_expr_case(a, &when, 1, NULL));
  assert_null(skep_expr_cast(a, NULL, NULL));
  assert_null(skep_from_query(a, NULL, "x"));
  assert_null(skep_from_join(a, SKEP_JOIN_INNER, NULL, NULL, NULL));
  assert_null(skep_query_union_all(a, NULL, NULL));
  skep_arena full;
  skep_arena_init(&full, &f->ctx, 10);
  assert_null(skep_expr_int(&full, 1));
  assert_null(skep_from_table(&full, NULL, "t", NULL));
  skep_arena_fini(&full);
}

static bool count_child(void *self, const skep_expr *child) {
  (void)child;
  return ++*(int *)self < 3;
}

static void children_are_visited_in_order_and_until_told(void **state) {
  static const struct {
    const char *text;
    int n;
  } cases[] = {{"1", 0},
               {"a.b", 0},
               {"-a", 1},
               {"a + b", 2},
               {"f(a, b, c, d)", 3},
               {"a BETWEEN b AND c", 3},
               {"CASE a WHEN b THEN c END", 3},
               {"EXISTS (SELECT a)", 0},
               {"a IN (SELECT b)", 1},
               {"a IN (b)", 2},
               {"CAST(a AS int)", 1},
               {"a[b]", 2},
               {"f().x", 1},
               {"(a, b)", 2},
               {"INTERVAL (a) DAY", 1},
               {"sum(a) OVER (PARTITION BY b)", 2},
               {"a LIKE ANY ('x')", 2},
               {"a = ALL (SELECT 1)", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int n = 0;
    bool all = skep_expr_each_child(parsed_expr(*state, cases[i].text), count_child, &n);
    assert_int_equal(n, cases[i].n);
    assert_int_equal(all, n < 3);
  }
}

static void different_trees_are_not_equal(void **state) {
  static const char *const texts[] = {"1",
                                      "1L",
                                      "2",
                                      "'1'",
                                      "a",
                                      "a.b",
                                      "b",
                                      "-a",
                                      "+a",
                                      "a + b",
                                      "b + a",
                                      "a - b",
                                      "f(a)",
                                      "f(DISTINCT a)",
                                      "f(a, a)",
                                      "f(*)",
                                      "d.f(a)",
                                      "f(a) OVER ()",
                                      "f(a) OVER (ORDER BY b)",
                                      "f(a) OVER (ORDER BY b DESC)",
                                      "CAST(a AS int)",
                                      "CAST(a AS bigint)",
                                      "CAST(a AS date FORMAT 'x')",
                                      "CASE WHEN a THEN b END",
                                      "CASE WHEN a THEN b ELSE c END",
                                      "a IN (b)",
                                      "a NOT IN (b)",
                                      "a IN (SELECT b)",
                                      "a IN (SELECT c)",
                                      "a = ANY (SELECT b)",
                                      "a = ALL (SELECT b)",
                                      "a BETWEEN b AND c",
                                      "a NOT BETWEEN b AND c",
                                      "a[1]",
                                      "a[2]",
                                      "f(a).x",
                                      "f(a).y",
                                      "(a, b)",
                                      "INTERVAL 1 DAY",
                                      "INTERVAL 1 MONTH",
                                      "(SELECT a)",
                                      "(SELECT DISTINCT a)",
                                      "(SELECT a FROM t)",
                                      "(SELECT a FROM t AS u)",
                                      "(SELECT a FROM d.t)",
                                      "(SELECT a FROM t, u)",
                                      "(SELECT a FROM t JOIN u)",
                                      "(SELECT a FROM t JOIN u ON b)",
                                      "(SELECT a FROM t LIMIT 1)",
                                      "(SELECT a FROM t LIMIT 2)",
                                      "(SELECT a FROM t ORDER BY a)",
                                      "(SELECT a AS b FROM t)",
                                      "(SELECT a FROM t WHERE b)",
                                      "(SELECT a FROM t GROUP BY a)",
                                      "(SELECT a FROM t GROUP BY a WITH CUBE)",
                                      "(SELECT a UNION SELECT b)",
                                      "(SELECT a UNION ALL SELECT b)",
                                      "(WITH x AS (SELECT 1) SELECT a)",
                                      "(VALUES (1))",
                                      "(VALUES (1), (2))",
                                      "a LIKE ANY ('x')",
                                      "a LIKE ALL ('x')",
                                      "a LIKE 'x'",
                                      "a RLIKE 'x'",
                                      "a IS NULL",
                                      "NULL",
                                      "?"};
  enum { N = sizeof texts / sizeof texts[0] };
  const skep_expr *exprs[N], *again[N];
  for (size_t i = 0; i < N; i++) {
    exprs[i] = parsed_expr(*state, texts[i]);
    again[i] = parsed_expr(*state, texts[i]);
  }
  for (size_t i = 0; i < N; i++) {
    for (size_t k = 0; k < N; k++) {
      if (skep_expr_equal(exprs[i], again[k]) != (i == k)) fail_msg("%s and %s", texts[i], texts[k]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, parse_setup, parse_teardown)
      TEST(random_trees_read_back_equal),
      TEST(constructors_build_what_the_parser_reads),
      TEST(negative_numbers_by_hand_keep_their_place),
      TEST(a_missing_part_makes_the_whole_missing),
      TEST(children_are_visited_in_order_and_until_told),
      TEST(different_trees_are_not_equal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
