/* Whole queries through parser, binder, printer and engine: rows as Hive gives them, errors as Hive words them. Tables
 * are VALUES here; golden scripts on real tables are run by tests/sql. */
#include "support/test.h"

#include <stdlib.h>

#include "bind/bind.h"
#include "column/text.h"
#include "engine/engine.h"
#include "hiveql/parse.h"

typedef struct fixture {
  skep_ctx ctx;
  skep_engine *engine;
  skep_err err;
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  skep_ctx_init(&f->ctx);
  assert_ok(skep_engine_open(&f->ctx, &(skep_engine_opts){.threads = 1, .keep_order = true}, &f->engine, &f->err),
            f->err);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  skep_engine_close(f->engine);
  free(f);
  return 0;
}

/* The tables that names may mean: for messages and search arguments, never read. */
static skep_status lookup(void *self, skep_arena *arena, const char *db, const char *name, skep_bind_table *out,
                          skep_err *err) {
  (void)self;
  const char *columns = NULL, *keys = NULL;
  if (strcmp(name, "t") == 0) columns = "struct<id:int,v:string,d:decimal(10,2),big:bigint,x:double>";
  if (strcmp(name, "u") == 0) columns = "struct<id:int,w:string>";
  if (strcmp(name, "p") == 0) {
    columns = "struct<id:int,v:string,day:date>";
    keys = "struct<k:string,n:int>";
  }
  if (columns == NULL || (db != NULL && strcmp(db, "default") != 0)) return SKEP_ERR_NOT_FOUND;
  *out = (skep_bind_table){.db = "default", .name = name, .is_acid = true};
  SKEP_TRY(skep_type_parse(arena, columns, strlen(columns), &out->columns, err));
  if (keys != NULL) SKEP_TRY(skep_type_parse(arena, keys, strlen(keys), &out->partition_keys, err));
  return SKEP_OK;
}

static skep_status bind(fixture *f, skep_arena *arena, const char *sql, skep_bound_query **out) {
  const skep_statement *statement;
  skep_binder *binder = skep_arena_zero(arena, 1, sizeof *binder);
  *binder = (skep_binder){.arena = arena, .lookup = lookup, .now_ms = 1700000000000};
  SKEP_TRY(skep_parse_statement(arena, sql, strlen(sql), NULL, &statement, &f->err));
  return skep_bind_query(binder, statement->query, out, &f->err);
}

/* Rows as "a|b;c|d", or the failure's text. */
static void run(fixture *f, const char *sql, skep_buf *out) {
  skep_arena arena;
  skep_arena_init(&arena, &f->ctx, 1 << 24);
  skep_bound_query *query;
  skep_buf printed;
  skep_buf_init(&printed, &f->ctx, 1 << 20);
  skep_engine_result *result = NULL;
  skep_status st = bind(f, &arena, sql, &query);
  if (st == SKEP_OK) st = skep_bound_query_print(query, NULL, &printed, &f->err);
  if (getenv("SKEP_SHOW_SQL") != NULL) print_message("%s\n  -> %s\n", sql, skep_buf_string(&printed));
  skep_forms forms = {0};
  if (st == SKEP_OK)
    st = skep_engine_query(f->engine, skep_buf_string(&printed), query->type, &forms, &result, &f->err);
  const skep_batch *batch;
  bool first = true;
  while (st == SKEP_OK && (st = skep_engine_next(result, 100, &batch, &f->err)) == SKEP_OK) {
    skep_text text = {.style = SKEP_TEXT_HIVE, .null_text = "NULL"};
    for (int64_t i = 0; i < batch->root.length; i++) {
      if (!first) skep_buf_byte(out, ';');
      first = false;
      for (uint32_t c = 0; c < batch->root.n_children; c++) {
        if (c != 0) skep_buf_byte(out, '|');
        assert_ok(skep_text_value(&text, &batch->root.children[c], i, out, &f->err), f->err);
      }
    }
  }
  if (st != SKEP_END) skep_buf_printf(out, "%s", f->err.text);
  skep_engine_result_close(result);
  skep_buf_fini(&printed);
  skep_arena_fini(&arena);
}

typedef struct run_case {
  const char *sql, *rows;
} run_case;

static void check_all(fixture *f, const run_case *cases, size_t n) {
  unsigned failed = 0;
  for (size_t i = 0; i < n; i++) {
    skep_buf out;
    skep_buf_init(&out, &f->ctx, 1 << 20);
    run(f, cases[i].sql, &out);
    if (strcmp(skep_buf_string(&out), cases[i].rows) != 0) {
      failed++;
      print_message("%s\n  want %s\n  got  %s\n", cases[i].sql, cases[i].rows, skep_buf_string(&out));
    }
    skep_buf_fini(&out);
  }
  assert_int_equal(failed, 0);
}

#define T1 "(VALUES (1, 'a', 10), (2, 'b', 20), (2, 'c', NULL), (NULL, 'd', 40)) AS t1(k, s, n)"
#define T2 "(VALUES (1, 'one'), (2, 'two'), (3, 'three')) AS t2(k, w)"

static void queries_give_hives_rows(void **state) {
  static const run_case cases[] = {
      {"SELECT * FROM " T1 " WHERE k = 2 ORDER BY s", "2|b|20;2|c|NULL"},
      {"SELECT t1.s, t2.w FROM " T1 " JOIN " T2 " ON t1.k = t2.k ORDER BY s", "a|one;b|two;c|two"},
      {"SELECT t1.s, t2.w FROM " T1 " LEFT JOIN " T2 " ON t1.k = t2.k ORDER BY s DESC", "d|NULL;c|two;b|two;a|one"},
      {"SELECT s, w FROM " T1 " FULL OUTER JOIN " T2 " ON t1.k = t2.k ORDER BY s, w",
       "a|one;b|two;c|two;d|NULL;NULL|three"},
      {"SELECT w FROM " T2 " LEFT SEMI JOIN " T1 " ON t1.k = t2.k ORDER BY w", "one;two"},
      {"SELECT w FROM " T2 " LEFT ANTI JOIN " T1 " ON t1.k = t2.k", "three"},
      {"SELECT * FROM " T1 " JOIN " T2 " USING (k) ORDER BY s", "1|a|10|one;2|b|20|two;2|c|NULL|two"},
      {"SELECT k, count(*) c, sum(n), avg(n), min(s), max(s) FROM " T1 " GROUP BY k ORDER BY k",
       "1|1|10|10.0|a|a;2|2|20|20.0|b|c;NULL|1|40|40.0|d|d"},
      {"SELECT k, count(*) c FROM " T1 " GROUP BY k HAVING c > 1", "2|2"},
      {"SELECT count(DISTINCT k), count(n), count(DISTINCT k, n) FROM " T1, "2|3|2"},
      {"SELECT k, n, sum(n), GROUPING__ID FROM " T1 " WHERE k IS NOT NULL GROUP BY k, n WITH ROLLUP ORDER BY k, n, 4",
       "1|10|10|0;1|NULL|10|1;2|20|20|0;2|NULL|NULL|0;2|NULL|20|1;NULL|NULL|30|3"},
      {"SELECT s, row_number() OVER (ORDER BY s DESC) r, sum(n) OVER (PARTITION BY k) FROM " T1 " ORDER BY s",
       "a|4|10;b|3|20;c|2|20;d|1|40"},
      {"SELECT s FROM " T1 " QUALIFY row_number() OVER (ORDER BY s DESC) = 1", "d"},
      {"SELECT s, lag(n, 1, 0) OVER (ORDER BY s), first_value(s) OVER (ORDER BY s) FROM " T1 " ORDER BY s",
       "a|0|a;b|10|a;c|20|a;d|NULL|a"},
      {"SELECT 1 UNION ALL SELECT 2.5 ORDER BY 1", "1.0;2.5"},
      {"SELECT 1 UNION SELECT 1 UNION ALL SELECT 1", "1;1"},
      {"SELECT k FROM " T1 " INTERSECT SELECT k FROM " T2 " ORDER BY k", "1;2"},
      {"SELECT k FROM " T2 " EXCEPT SELECT k FROM " T1, "3"},
      {"WITH a AS (SELECT 1 x), b AS (SELECT x + 1 y FROM a) SELECT x, y FROM a, b", "1|2"},
      {"SELECT w FROM " T2 " WHERE k IN (SELECT k FROM " T1 ") ORDER BY w", "one;two"},
      {"SELECT w FROM " T2 " WHERE k NOT IN (SELECT k FROM " T1 ")", ""},
      {"SELECT w FROM " T2 " WHERE NOT EXISTS (SELECT 1 FROM " T1 " WHERE t1.k = t2.k)", "three"},
      {"SELECT w, (SELECT max(n) FROM " T1 " WHERE t1.k = t2.k) m FROM " T2 " ORDER BY w", "one|10;three|NULL;two|20"},
      {"SELECT w FROM " T2 " WHERE k >= ALL (SELECT k FROM " T2 ")", "three"},
      {"SELECT pos, e FROM (SELECT posexplode(split('a b c', ' ')) AS (pos, e)) a", "0|a;1|b;2|c"},
      {"SELECT x FROM (SELECT stack(3, 1, 2, 3) AS x) t", "1;2;3"},
      {"SELECT inline(array(struct(1, 'a'), struct(2, 'b'))) AS (i, s)", "1|a;2|b"},
      {"SELECT s, e FROM " T1 " LATERAL VIEW explode(array(k, n)) x AS e WHERE s < 'c' ORDER BY s, e",
       "a|1;a|10;b|2;b|20"},
      {"SELECT t.s, x.e FROM (SELECT 'q' s, array() l) t LATERAL VIEW OUTER explode(l) x AS e", "q|NULL"},
      {"SELECT t.s, x.e FROM (SELECT 'q' s, array() l) t LATERAL VIEW explode(l) x AS e", ""},
      {"SELECT a, b FROM (SELECT 1 i) t LATERAL VIEW explode(array(1,2)) x AS a LATERAL VIEW explode(array(a, 10)) y "
       "AS b",
       "1|1;1|10;2|2;2|10"},
      {"SELECT k, v FROM (SELECT map('x', 1, 'y', 2) m) t LATERAL VIEW explode(m) e AS k, v ORDER BY k", "x|1;y|2"},
      {"SELECT DISTINCT k FROM " T1 " ORDER BY k DESC", "NULL;2;1"},
      {"SELECT DISTINCT s FROM " T1 " ORDER BY s LIMIT 2", "a;b"},
      {"SELECT s FROM " T1 " ORDER BY n NULLS FIRST LIMIT 1", "c"},
      {"SELECT s FROM " T1 " ORDER BY s LIMIT 1, 2", "b;c"},
      {"SELECT n + 1 AS m FROM " T1 " WHERE n > 5 ORDER BY m DESC", "41;21;11"},
      {"SELECT sum(n) / count(*) FROM " T1, "17.5"},
      {"SELECT CASE WHEN n > 15 THEN 'big' WHEN n IS NULL THEN 'none' ELSE 'small' END FROM " T1 " ORDER BY s",
       "small;big;none;big"},
      {"SELECT collect_list(n) FROM " T1, "[10,20,40]"},
      {"SELECT collect_list(n) FROM " T1 " WHERE k = 77", "[]"},
      {"SELECT max(struct(k, s)) FROM " T1 " WHERE k < 5", "{\"col1\":2,\"col2\":\"c\"}"},
      {"SELECT named_struct('a', 1).a, map('x', array(5))['x'][0], array(1, 2)[9]", "1|5|NULL"},
      {"SELECT 1 WHERE 1 = 2", ""},
      {"SELECT cast(1.5 as decimal(3,1)) + 2 FROM " T2 " WHERE w = 'one'", "3.5"},
  };
  check_all(*state, cases, sizeof cases / sizeof *cases);
}

/* 10411 is about the bits of a grouping set: plain keys have none. */
static void only_grouping_sets_are_limited_to_64_keys(void **state) {
  char keys[1024] = "", rolled[2048], plain[2048];
  size_t at = 0;
  for (int i = 0; i < 65; i++) at += (size_t)snprintf(keys + at, sizeof keys - at, "%sk + %d", i == 0 ? "" : ", ", i);
  snprintf(plain, sizeof plain, "SELECT k, count(*) FROM " T1 " WHERE k = 2 GROUP BY k, %s", keys);
  snprintf(rolled, sizeof rolled, "SELECT count(*) FROM " T1 " GROUP BY %s WITH ROLLUP", keys);
  const run_case cases[] = {
      {plain, "2|2"},
      {rolled, "SemanticException [Error 10411]: Line 1:114 Grouping sets size cannot be greater than 64"}};
  check_all(*state, cases, 2);
}

static void assert_true_is_evaluated_where_it_is_selected(void **state) {
  static const char failed[] = "Invalid Input Error: ASSERT_TRUE(): assertion failed.";
  const run_case cases[] = {
      {"SELECT assert_true(true), 1", "NULL|1"},
      {"SELECT assert_true(false)", failed},
      {"SELECT assert_true(k > 0) FROM " T1 " WHERE k = 2", "NULL;NULL"},
      {"SELECT assert_true(k > 1) FROM " T1, failed},
      {"SELECT assert_true(count(*) = 0) FROM " T1, failed},
      {"SELECT assert_true(k > 1), k FROM " T1 " ORDER BY k", failed},
      {"SELECT DISTINCT assert_true(k > 1) FROM " T1, failed},
      {"SELECT a FROM (SELECT assert_true(k > 1) AS a FROM " T1 ") s", failed},
      {"SELECT if(k > 1, NULL, assert_true(k > 1)) FROM " T1, failed},
      {"SELECT coalesce(assert_true(k > 1), 5) FROM " T1, failed},
      {"SELECT 1 FROM " T1 " WHERE assert_true(k > 1) IS NULL", failed},
  };
  check_all(*state, cases, sizeof cases / sizeof *cases);
}

static void mistakes_are_named_as_hive_does(void **state) {
  static const run_case cases[] = {
      {"SELECT * FROM missing", "SemanticException [Error 10001]: Line 1:14 Table not found 'missing'"},
      {"SELECT nocol FROM u",
       "SemanticException [Error 10004]: Line 1:7 Invalid table alias or column reference 'nocol': "
       "(possible column names are: id, w)"},
      {"SELECT nofunc(1)", "SemanticException [Error 10011]: Invalid function nofunc"},
      {"SELECT id FROM t, u", "SemanticException Column id Found in more than One Tables/Subqueries"},
      {"SELECT t.nope FROM t", "SemanticException [Error 10002]: Line 1:9 Invalid column reference 'nope'"},
      {"SELECT v, count(*) FROM t GROUP BY id",
       "SemanticException [Error 10025]: Line 1:7 Expression not in GROUP BY key 'v'"},
      {"SELECT id FROM t WHERE count(*) > 1",
       "SemanticException [Error 10128]: Line 1:23 Not yet supported place for UDAF 'count'"},
      {"SELECT x.* FROM t", "SemanticException [Error 10009]: Line 1:7 Invalid table alias 'x'"},
      {"SELECT 1 UNION ALL SELECT 'a'",
       "SemanticException Schema of both sides of union should match: Column _c0 is of type int on first table and "
       "type "
       "string on second table. Cannot tell the position of null AST."},
      {"SELECT id FROM t UNION ALL SELECT id, v FROM t",
       "SemanticException Schema of both sides of union should match."},
      {"SELECT * FROM t ORDER BY 5",
       "SemanticException [Error 10219]: Position in ORDER BY is not supported when using SELECT *"},
      {"SELECT a FROM (SELECT 1 AS a) t GROUP BY b",
       "SemanticException [Error 10004]: Line 1:41 Invalid table alias or column reference 'b': (possible column names "
       "are: "
       "a)"},
      {"SELECT id, count(*) FROM t", "SemanticException [Error 10025]: Line 1:7 Expression not in GROUP BY key 'id'"},
      {"SELECT sum(d), id FROM t GROUP BY d",
       "SemanticException [Error 10025]: Line 1:15 Expression not in GROUP BY key 'id'"},
      {"SELECT id FROM (SELECT t.id, u.id FROM t, u) x",
       "SemanticException [Error 10007]: Ambiguous column reference id in x"},
  };
  check_all(*state, cases, sizeof cases / sizeof *cases);
}

static void filters_reach_the_scan(void **state) {
  static const struct {
    const char *sql, *predicate, *keys;
  } cases[] = {
      {"SELECT id FROM t WHERE id = 5 AND v > 'a' AND x < 1.5D", "`v` > 'a' AND `id` = 5", NULL},
      {"SELECT id FROM p WHERE k = 'x' AND n IN (1, 2) AND id IS NOT NULL", "`id` IS NOT NULL",
       "`n` IN (1, 2) AND `k` = 'x'"},
      {"SELECT id FROM p WHERE day >= '2026-01-01' AND 3 < id", "`id` > 3 AND `day` >= DATE '2026-01-01'", NULL},
      {"SELECT id FROM t WHERE id > 3 OR v = 'x'", "(`id` > 3 OR `v` = 'x')", NULL},
      {"SELECT id FROM p WHERE id > 3 OR k = 'x'", NULL, NULL},
      {"SELECT t.id FROM t JOIN u ON t.id = u.id AND t.v = 'a_b' AND u.id < 9", "`v` = 'a_b'", NULL},
      {"SELECT t.id FROM t LEFT JOIN u ON t.id = u.id AND t.v = 'a'", NULL, NULL},
      {"SELECT t.id FROM t RIGHT JOIN u ON t.id = u.id AND t.v = 'a' WHERE t.id = 5", "`v` = 'a'", NULL},
      {"SELECT id FROM t WHERE id BETWEEN 1 AND 3", "`id` <= 3 AND `id` >= 1", NULL},
      {"SELECT t.id FROM t LEFT JOIN u ON t.id = u.id WHERE t.id = 1 AND u.id = 1", "`id` = 1", NULL},
      {"SELECT y FROM (SELECT id y, v z FROM t WHERE d > 1) s WHERE y = 7 AND z IN ('a', 'b')",
       "`v` IN ('a', 'b') AND `id` = 7 AND `d` > 1.00", NULL},
      {"SELECT y FROM (SELECT id y FROM t LIMIT 5) s WHERE y = 7", NULL, NULL},
      {"SELECT y FROM (SELECT id y, row_number() OVER (ORDER BY v) r FROM t) s WHERE y = 7", NULL, NULL},
      {"SELECT c FROM (SELECT max(id) c FROM t) s WHERE c = 7", NULL, NULL},
      {"SELECT u.id FROM u LEFT JOIN (SELECT id FROM t) s ON u.id = s.id WHERE s.id IS NULL", NULL, NULL},
      {"SELECT id FROM t WHERE id = '12'", "`id` = 12", NULL},
      {"SELECT id FROM t WHERE id = '1.5'", NULL, NULL},
      {"SELECT id FROM t WHERE big = 3 AND d > 1.5", "`d` > 1.50 AND `big` = 3", NULL},
  };
  fixture *f = *state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_arena arena;
    skep_arena_init(&arena, &f->ctx, 1 << 24);
    skep_bound_query *query;
    assert_ok(bind(f, &arena, cases[i].sql, &query), f->err);
    const char *got = query->tables[0].predicate, *keys = query->tables[0].partition_predicate;
    print_message("%s: %s; %s\n", cases[i].sql, got != NULL ? got : "-", keys != NULL ? keys : "-");
    assert_string_equal(got != NULL ? got : "", cases[i].predicate != NULL ? cases[i].predicate : "");
    assert_string_equal(keys != NULL ? keys : "", cases[i].keys != NULL ? cases[i].keys : "");
    skep_arena_fini(&arena);
  }
}

/* Binds the query of an INSERT into these types. */
static skep_status bind_insert(fixture *f, skep_arena *arena, const char *sql, const char *types,
                               skep_bound_query **out) {
  const skep_statement *statement;
  skep_binder *binder = skep_arena_zero(arena, 1, sizeof *binder);
  skep_bind_target *target = skep_arena_zero(arena, 1, sizeof *target);
  *binder = (skep_binder){.arena = arena, .lookup = lookup, .now_ms = 1700000000000};
  *target = (skep_bind_target){.label = "t", .line = 1, .column = 12};
  SKEP_TRY(skep_type_parse(arena, types, strlen(types), &target->types, &f->err));
  SKEP_TRY(skep_parse_statement(arena, sql, strlen(sql), NULL, &statement, &f->err));
  return skep_bind_insert(binder, statement->insert->targets[0].query, target, out, &f->err);
}

static void literals_become_rows_without_the_engine(void **state) {
  static const struct {
    const char *values, *types, *rows; /* rows NULL: for the engine */
  } cases[] = {
      {"(1, 'a', 1.5), (NULL, 'b', NULL)", "struct<a:int,b:string,c:decimal(10,2)>", "1|a|1.50;NULL|b|NULL"},
      {"('12', 7, '-1.005')", "struct<a:bigint,b:string,c:decimal(5,2)>", "12|7|-1.01"},
      {"(300, 1.9, 2147483648)", "struct<a:tinyint,b:int,c:int>", "44|1|-2147483648"},
      {"('abcdef', 'ab', 'x')", "struct<a:varchar(3),b:char(4),c:char(1)>", "abc|ab  |x"},
      {"('2026-01-31', '2026-01-31 10:11:12.5', true)", "struct<a:date,b:timestamp,c:boolean>",
       "2026-01-31|2026-01-31 10:11:12.5|true"},
      {"(1.5, 1, 2.5D)", "struct<a:double,b:float,c:double>", "1.5|1.0|2.5"},
      {"(upper('a'))", "struct<a:string>", NULL},
      {"(' 12 ')", "struct<a:int>", NULL},
      {"(array(1))", "struct<a:array<int>>", NULL},
  };
  fixture *f = *state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_arena arena;
    skep_arena_init(&arena, &f->ctx, 1 << 24);
    char sql[400];
    snprintf(sql, sizeof sql, "INSERT INTO t VALUES %s", cases[i].values);
    skep_bound_query *query;
    assert_ok(bind_insert(f, &arena, sql, cases[i].types, &query), f->err);
    skep_batch batch;
    skep_status st = skep_bound_query_rows(query, &f->ctx, &batch, &f->err);
    assert_int_equal(st, cases[i].rows != NULL ? SKEP_OK : SKEP_END);
    skep_buf out;
    skep_buf_init(&out, &f->ctx, 1 << 16);
    skep_text text = {.style = SKEP_TEXT_HIVE, .null_text = "NULL"};
    for (int64_t row = 0; row < batch.root.length; row++) {
      if (row != 0) skep_buf_byte(&out, ';');
      for (uint32_t c = 0; c < batch.root.n_children; c++) {
        if (c != 0) skep_buf_byte(&out, '|');
        assert_ok(skep_text_value(&text, &batch.root.children[c], row, &out, &f->err), f->err);
      }
    }
    assert_string_equal(skep_buf_string(&out), cases[i].rows != NULL ? cases[i].rows : "");
    skep_buf_fini(&out);
    skep_vec_fini(&batch.root);
    skep_arena_fini(&arena);
  }
}

static void inserts_refuse_what_does_not_fit(void **state) {
  static const struct {
    const char *sql, *types, *text;
  } cases[] = {
      {"INSERT INTO t VALUES (1)", "struct<a:int,b:string>",
       "SemanticException [Error 10044]: Line 1:12 Cannot insert into target table because column number/types are "
       "different "
       "'t': Table insclause-0 has 2 columns, but query has 1 columns."},
      {"INSERT INTO t SELECT array(1)", "struct<a:int>",
       "SemanticException [Error 10044]: Line 1:12 Cannot insert into target table because column number/types are "
       "different "
       "'t': Cannot convert column 0 from array<int> to int."},
      {"INSERT INTO t SELECT array('x')", "struct<a:array<int>>",
       "SemanticException [Error 10044]: Line 1:12 Cannot insert into target table because column number/types are "
       "different "
       "'t': Cannot convert column 0 from array<string> to array<int>."},
      {"INSERT INTO t SELECT 1, NULL", "struct<a:int,b:map<string,int>>",
       "SemanticException [Error 10044]: Line 1:12 Cannot insert into target table because column number/types are "
       "different "
       "'t': Cannot convert column 1 from void to map<string,int>."},
  };
  fixture *f = *state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    skep_arena arena;
    skep_arena_init(&arena, &f->ctx, 1 << 24);
    skep_bound_query *query;
    assert_int_equal(bind_insert(f, &arena, cases[i].sql, cases[i].types, &query), SKEP_ERR_SEMANTIC);
    assert_string_equal(f->err.text, cases[i].text);
    skep_arena_fini(&arena);
  }
}

static void expressions_that_unfold_too_far_are_refused(void **state) {
  fixture *f = *state;
  skep_arena arena;
  skep_arena_init(&arena, &f->ctx, 1 << 26);
  char sql[4096] = "id";
  for (int i = 0; i < 40; i++) {
    char inner[4096];
    snprintf(inner, sizeof inner, "%s", sql);
    snprintf(sql, sizeof sql, "nullif(%s, 7)", inner);
  }
  char query[4200];
  snprintf(query, sizeof query, "SELECT %s FROM t", sql);
  skep_bound_query *bound;
  assert_int_equal(bind(f, &arena, query, &bound), SKEP_ERR_LIMIT);
  assert_non_null(strstr(f->err.text, "unfolds to more than 500000 parts"));
  skep_arena_fini(&arena);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(queries_give_hives_rows),
      TEST(assert_true_is_evaluated_where_it_is_selected),
      TEST(mistakes_are_named_as_hive_does),
      TEST(filters_reach_the_scan),
      TEST(literals_become_rows_without_the_engine),
      TEST(inserts_refuse_what_does_not_fit),
      TEST(expressions_that_unfold_too_far_are_refused),
      TEST(only_grouping_sets_are_limited_to_64_keys),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
