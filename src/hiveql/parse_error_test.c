/* What the parser says about texts that are no statements: Hive's first line, word for word where Hive 4.0.1's is known
 * (tests marked "Hive"), then the line with a caret, then what was expected. */
#include "hiveql/parse_testing.h"

typedef struct error_case {
  skep_status status;
  const char *text;
  const char *message; /* whole */
} error_case;

static void check_cases(parse_fixture *f, const error_case *cases, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const skep_statement *s = (const skep_statement *)&f->ctx;
    memset(&f->err, 0, sizeof f->err);
    skep_status st = skep_parse_statement(&f->arena, cases[i].text, strlen(cases[i].text), NULL, &s, &f->err);
    if (st != cases[i].status || strcmp(f->err.text, cases[i].message) != 0) {
      fail_msg("%s\n%s: %s\nexpected %s: %s", cases[i].text, skep_status_name(st), f->err.text,
               skep_status_name(cases[i].status), cases[i].message);
    }
    assert_null(s);
  }
}
#define CHECK(cases) check_cases(*state, cases, sizeof(cases) / sizeof(cases)[0])

static void the_place_is_shown_with_what_was_expected(void **state) {
  static const error_case cases[] = {
      {SKEP_ERR_SYNTAX, "SELEC 1", /* Hive */
       "ParseException line 1:0 cannot recognize input near 'SELEC' '1' '<EOF>'\n"
       "SELEC 1\n"
       "^\n"
       "expected: a statement (SELECT, INSERT, CREATE, ...)"},
      {SKEP_ERR_SYNTAX, "SHOW TABLE db.t", /* Hive, but for what else it may be */
       "ParseException line 1:11 mismatched input 'db' expecting EXTENDED near 'TABLE' in show statement\n"
       "SHOW TABLE db.t\n"
       "           ^\n"
       "expected: EXTENDED or other words: SHOW TABLES, SHOW CREATE TABLE, DESCRIBE"},
      {SKEP_ERR_SYNTAX, "SELECT 1 +", /* Hive */
       "ParseException line 1:10 cannot recognize input near '<EOF>' '<EOF>' '<EOF>' in expression specification\n"
       "SELECT 1 +\n"
       "          ^\n"
       "expected: an expression"},
      {SKEP_ERR_SYNTAX, "CREATE TABLE s23.badtype (a NOTYPE)", /* Hive */
       "ParseException line 1:28 cannot recognize input near 'NOTYPE' ')' '<EOF>' in column type\n"
       "CREATE TABLE s23.badtype (a NOTYPE)\n"
       "                            ^\n"
       "expected: a type"},
      {SKEP_ERR_SYNTAX, "SELECT a\nFROM t\n  WHERE a = = 1",
       "ParseException line 3:12 cannot recognize input near '=' '=' '1' in expression specification\n"
       "  WHERE a = = 1\n"
       "            ^\n"
       "expected: an expression"},
      {SKEP_ERR_SYNTAX, "CREATE TABLE t (a int NOT NULL DEFAULT 1)",
       "ParseException line 1:31 mismatched input 'DEFAULT' expecting ) near 'NULL' in create table statement\n"
       "CREATE TABLE t (a int NOT NULL DEFAULT 1)\n"
       "                               ^\n"
       "expected: NOT, ENFORCED, ENABLE, DISABLE, RELY, NORELY, COMMENT, ',' or ')'"},
      {SKEP_ERR_SYNTAX, "SELECT\t'\xC3\xA9', \xC3\xA9",
       "ParseException line 1:12 character '\xC3\xA9' not supported here"},
      {SKEP_ERR_SYNTAX, "SELECT\t'\xC3\xA9' FROM",
       "ParseException line 1:15 cannot recognize input near '<EOF>' '<EOF>' '<EOF>' in join source\n"
       "SELECT '\xC3\xA9' FROM\n"
       "               ^\n"
       "expected: '(', TABLE or a name"},
      {SKEP_ERR_SYNTAX, "UPDATE t SET a = 1 = 2",
       "ParseException line 1:19 missing EOF at '=' near '1'\n"
       "UPDATE t SET a = 1 = 2\n"
       "                   ^\n"
       "expected: '[', '.', an operator, ',', WHERE or the end of the statement"},
      {SKEP_ERR_SYNTAX,
       "SELECT aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + FROM "
       "tttttttttttttttttttttttttttttttttttttttt",
       "ParseException line 1:85 cannot recognize input near 'FROM' 'tttttttttttttttttttttttttttttttttttttttt' '<EOF>' "
       "in "
       "expression specification\n"
       "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa + FROM ttttttttttttttttttttttttt\n"
       "                                                            ^\n"
       "expected: an expression"},
  };
  CHECK(cases);
}

static void texts_that_do_not_lex(void **state) {
  static const error_case cases[] = {
      {SKEP_ERR_SYNTAX, "SELECT 'unterminated",
       /* Hive */
       "ParseException line 1:20 character '<EOF>' not supported here\nthe quote ' that begins at line 1:7 is not "
       "closed"},
      {SKEP_ERR_SYNTAX, "SELECT `a",
       "ParseException line 1:9 character '<EOF>' not supported here\nthe quote ` that begins at line 1:7 is not "
       "closed"},
      {SKEP_ERR_SYNTAX, "SELECT 'a\\'",
       "ParseException line 1:11 character '<EOF>' not supported here\nthe quote ' that begins at line 1:7 is not "
       "closed"},
      {SKEP_ERR_SYNTAX, "SELECT 1 /* /* */",
       "ParseException line 1:17 character '<EOF>' not supported here\nthe comment that begins at line 1:9 is not "
       "closed"},
      {SKEP_ERR_SYNTAX, "SELECT 1\n # x", "ParseException line 2:1 character '#' not supported here"},
      {SKEP_ERR_SYNTAX, "SELECT ${x}",
       "ParseException line 1:7 character '$' not supported here\nno variable is called x (--hivevar, SET "
       "hivevar:name=value)"},
      {SKEP_ERR_SYNTAX, "SELECT @a", "ParseException line 1:7 character '@' not supported here"},
      {SKEP_ERR_SYNTAX, "SELECT \x01", "ParseException line 1:7 character '\\x01' not supported here"},
  };
  CHECK(cases);
}

static void what_hive_refuses_before_names_are_looked_at(void **state) {
  static const error_case cases[] = {
      {SKEP_ERR_SEMANTIC, "SELECT 128Y", "SemanticException [Error 10029]: Line 1:7 Invalid numerical constant '128Y'"},
      {SKEP_ERR_SEMANTIC, "SELECT 1,\n 32768S",
       "SemanticException [Error 10029]: Line 2:1 Invalid numerical constant '32768S'"},
      {SKEP_ERR_SEMANTIC, "SELECT 9223372036854775808L",
       "SemanticException [Error 10029]: Line 1:7 Invalid numerical constant '9223372036854775808L'"},
      {SKEP_ERR_SEMANTIC, "CREATE TABLE t (a DATETIME)",
       "SemanticException [Error 10099]: DATETIME type isn't supported yet. Please use DATE or TIMESTAMP instead"},
      {SKEP_ERR_SEMANTIC, "SELECT cast(a AS decimal(39))",
       "SemanticException Decimal precision 39 out of allowed range [1, 38]"},
      {SKEP_ERR_SEMANTIC, "SELECT cast(a AS decimal(3, 4))",
       "SemanticException Decimal scale 4 out of allowed range [0, 3]"},
      {SKEP_ERR_SEMANTIC, "SELECT cast(a AS char(256))",
       "SemanticException Char length 256 out of allowed range [1, 255]"},
      {SKEP_ERR_SEMANTIC, "SELECT cast(a AS varchar(0))",
       "SemanticException Varchar length 0 out of allowed range [1, 65535]"},
      {SKEP_ERR_SEMANTIC, "INSERT INTO t VALUES (1, 2), (3)", "SemanticException Line 1:29 Expected 2 columns. Got 1"},
      {SKEP_ERR_UNSUPPORTED, "SELECT TRANSFORM (a) USING 'cat' FROM t",
       "SELECT TRANSFORM (running programs over rows) is not supported"},
      {SKEP_ERR_SYNTAX, "SET =1", "SET has no name before '='"},
  };
  CHECK(cases);
}

/* Only where and that it fails matters here. */
static void many_texts_are_no_statements(void **state) {
  parse_fixture *f = *state;
  static const struct {
    const char *text, *place;
  } cases[] = {
      {"SELECT", "1:6"},
      {"SELECT FROM t", "1:7"},
      {"SELECT a b c", "1:11"},
      {"SELECT a,, b", "1:8"},
      {"SELECT (a", "1:9"},
      {"SELECT a)", "1:8"},
      {"SELECT a < b < c", "1:13"},
      {"SELECT a IS NULL IS NULL", "1:17"},
      {"SELECT a IN ()", "1:13"},
      {"SELECT a BETWEEN 1 OR 2", "1:19"},
      {"SELECT a LIKE", "1:13"},
      {"SELECT a = NOT b", "1:11"},
      {"SELECT CASE END", "1:12"},
      {"SELECT CASE a ELSE 1 END", "1:14"},
      {"SELECT cast(a int)", "1:14"},
      {"SELECT cast(a AS interval year)", "1:17"},
      {"SELECT f(a", "1:10"},
      {"SELECT a[1", "1:10"},
      {"SELECT _c0", "1:7"},
      {"SELECT 0xAF +", "1:7"},
      {"SELECT .5", "1:7"},
      {"SELECT 1 FROM t GROUP a", "1:22"},
      {"SELECT 1 FROM t ORDER a", "1:22"},
      {"SELECT 1 FROM t LIMIT x", "1:22"},
      {"SELECT 1 FROM t LIMIT 1.5", "1:22"},
      {"SELECT 1 FROM t LIMIT 99999999999999999999", "1:22"},
      {"SELECT 1 FROM (SELECT 1)", "1:24"},
      {"SELECT 1 FROM a JOIN", "1:20"},
      {"SELECT 1 FROM a, b ON true", "1:19"},
      {"SELECT 1 UNION", "1:14"},
      {"WITH a AS SELECT 1 SELECT 2", "1:10"},
      {"SELECT 1; SELECT 2", "1:10"},
      {"INSERT OVERWRITE t SELECT 1", "1:17"},
      {"INSERT OVERWRITE TABLE t (a) SELECT 1", "1:26"},
      {"INSERT INTO t", "1:13"},
      {"INSERT INTO t VALUES", "1:20"},
      {"INSERT INTO t VALUES ()", "1:22"},
      {"INSERT INTO t WITH x AS (SELECT 1) SELECT 1", "1:14"},
      {"UPDATE t a SET b = 1", "1:9"},
      {"UPDATE t SET t.a = 1", "1:14"},
      {"UPDATE t SET a = b AND c", "1:19"},
      {"UPDATE t SET a = 1 FROM u", "1:19"},
      {"DELETE t", "1:7"},
      {"DELETE FROM t LIMIT 1", "1:14"},
      {"MERGE INTO t USING s ON a = b", "1:29"},
      {"MERGE INTO t USING s ON a = b WHEN MATCHED THEN INSERT VALUES (1)", "1:48"},
      {"MERGE INTO t USING s ON a = b WHEN NOT MATCHED THEN DELETE", "1:52"},
      {"MERGE INTO t USING s ON a = b WHEN NOT MATCHED BY SOURCE THEN DELETE", "1:47"},
      {"MERGE INTO t USING s ON a = b WHEN MATCHED THEN UPDATE SET *", "1:59"},
      {"MERGE INTO t USING (SELECT 1) ON a = b WHEN MATCHED THEN DELETE", "1:30"},
      {"CREATE TABLE t (a)", "1:17"},
      {"CREATE TABLE t (a int,)", "1:22"},
      {"CREATE TABLE t (a int) STORED ORC", "1:30"},
      {"CREATE TABLE t (a int) TBLPROPERTIES ('a')", "1:41"},
      {"CREATE TABLE t (a int) STORED AS ORC PARTITIONED BY (p int)", "1:37"},
      {"CREATE TABLE t (a array<int)", "1:27"},
      {"CREATE TABLE t (a map<int>)", "1:25"},
      {"CREATE TABLE t (a struct<int>)", "1:25"},
      {"CREATE INDEX i ON t (a)", "1:7"},
      {"CREATE EXTERNAL VIEW v AS SELECT 1", "1:16"},
      {"DROP t", "1:5"},
      {"ALTER TABLE t", "1:13"},
      {"ALTER TABLE t ADD PARTITION p=1", "1:28"},
      {"ALTER TABLE t COMPACT major", "1:22"},
      {"ALTER TABLE t PARTITION (p=a) CONCATENATE", "1:27"},
      {"SHOW", "1:4"},
      {"SHOW NOTHING", "1:5"},
      {"START TRANSACTION READ", "1:22"},
      {"LOCK TABLE t", "1:12"},
      {"ABORT TRANSACTIONS", "1:18"},
      {"KILL QUERY 5", "1:11"},
      {"EXPLAIN", "1:7"},
      {"USE 'd'", "1:4"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const skep_statement *s;
    char start[60];
    snprintf(start, sizeof start, "ParseException line %s ", cases[i].place);
    skep_status st = skep_parse_statement(&f->arena, cases[i].text, strlen(cases[i].text), NULL, &s, &f->err);
    if (st != SKEP_ERR_SYNTAX || strncmp(f->err.text, start, strlen(start)) != 0) {
      fail_msg("%s: %s, expected at %s", cases[i].text, st == SKEP_OK ? "parses" : f->err.text, cases[i].place);
    }
  }
}

static void bytes_that_names_and_texts_must_not_hold(void **state) {
  parse_fixture *f = *state;
  const skep_statement *s;
  static const struct {
    const char *text;
    size_t length;
    const char *part;
  } cases[] = {
      {"SELECT `a\0b`", 12, "line 1:7 a name must not hold a NUL byte"},
      {"CREATE TABLE t (a int) COMMENT 'a\\0b'", 37, "line 1:31 a NUL byte is not allowed in this string"},
      {"SET a=\0", 7, "a NUL byte in a command"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_fails(skep_parse_statement(&f->arena, cases[i].text, cases[i].length, NULL, &s, &f->err), SKEP_ERR_SYNTAX,
                 f->err, cases[i].part);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, parse_setup, parse_teardown)
      TEST(the_place_is_shown_with_what_was_expected),    TEST(texts_that_do_not_lex),
      TEST(what_hive_refuses_before_names_are_looked_at), TEST(many_texts_are_no_statements),
      TEST(bytes_that_names_and_texts_must_not_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
