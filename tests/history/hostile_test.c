/* Hostile strings in every name and every call (cases.md 6.7, 68: CVE-2025-62728): quotes, backslashes, percent signs,
 * NUL, control bytes, 10 kB. They are data or they are refused with a message; they never become SQL of the metastore
 * or of the engine, and never a path elsewhere. After each of them a table that had nothing to do with it is as it was.
 */
#include "db/db.h"
#include "lock/lock.h"
#include "support/warehouse.h"
#include "txn/txn.h"

static char long_x[10241], long_quotes[10241];

static const char *const hostile[] = {
    "'",
    "''",
    "\"",
    "\"\"",
    "`",
    "\\",
    "\\'",
    "x'; DROP TABLE \"TXNS\"; --",
    "x\"; DROP TABLE \"TXNS\"; --",
    "x` INT); DROP TABLE canary; --",
    "' OR '1'='1",
    "%s%n%x%%",
    "../../../etc/passwd",
    "a/../b",
    "..",
    "$(reboot) ${env:HOME} `id`",
    "a\tb\nc\rd",
    "\x01\x02\x7f",
    "\xe2\x80\xae txt.exe",
    "\xff\xfe not UTF-8",
    "SELECT * FROM duckdb_settings()",
    "?",
    "?1",
    ":a",
    "@a",
    "$1",
    "{for_update}",
    "{id}",
    long_x,
    long_quotes,
};
enum { N_HOSTILE = sizeof hostile / sizeof *hostile };

static int setup(void **state) {
  static warehouse w;
  memset(long_x, 'x', sizeof long_x - 1);
  memset(long_quotes, '\'', sizeof long_quotes - 1);
  warehouse_open(&w);
  warehouse_run(&w, "CREATE TABLE canary (id INT, x INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  warehouse_run(&w, "INSERT INTO canary VALUES (1, 7)");
  *state = &w;
  return 0;
}

static int teardown(void **state) {
  warehouse_close(*state);
  return 0;
}

/* Nothing happened to the others, and nothing is left open. */
static void check_canary(warehouse *w, const char *after) {
  skep_status st = warehouse_try(w, w->session, "SELECT id, x FROM canary");
  if (st != SKEP_OK || strcmp(skep_buf_string(&w->text), "1\t7\n") != 0)
    fail_msg("after %.200s: %s", after, st == SKEP_OK ? skep_buf_string(&w->text) : w->err.text);
}

/* "before", the string with its quotes and backslashes escaped, "after". */
static const char *with(skep_buf *sql, const char *before, const char *text, char quote, const char *after) {
  skep_buf_reset(sql);
  skep_buf_text(sql, before);
  for (const char *at = text; *at != '\0'; at++) {
    if (*at == quote) skep_buf_byte(sql, quote == '`' ? '`' : '\\');
    if (*at == '\\' && quote == '\'') skep_buf_byte(sql, '\\');
    skep_buf_byte(sql, (uint8_t)*at);
  }
  skep_buf_text(sql, after);
  return skep_buf_string(sql);
}

/* A statement that may be refused, but only with words, and never by the metastore's or the engine's own parser. */
static bool harmless(warehouse *w, const char *sql) {
  skep_status st = warehouse_try(w, w->session, sql);
  if (st != SKEP_OK) {
    assert_true(w->err.text[0] != '\0');
    for (const char *at = w->err.text; *at != '\0'; at++)
      if ((unsigned char)*at < ' ' && *at != '\n' && *at != '\t') fail_msg("a raw byte %d in: %s", *at, w->err.text);
    static const char *const leaks[] = {"syntax error",   "Parser Error",       "Binder Error",
                                        "no such column", "unrecognized token", "Catalog Error"};
    for (size_t i = 0; i < sizeof leaks / sizeof *leaks; i++)
      if (strstr(w->err.text, leaks[i]) != NULL) fail_msg("%.300s\n  %s", sql, w->err.text);
  }
  return st == SKEP_OK;
}

typedef struct place {
  const char *before;
  char quote;
  const char *after;
} place;

/* Names and texts in statements. */
static const place places[] = {
    {"CREATE DATABASE `", '`', "`"},
    {"USE `", '`', "`"},
    {"DROP DATABASE `", '`', "`"},
    {"CREATE DATABASE IF NOT EXISTS hd COMMENT '", '\'', "'"},
    {"ALTER DATABASE default SET DBPROPERTIES ('", '\'', "'='v')"},
    {"ALTER DATABASE default SET DBPROPERTIES ('k'='", '\'', "')"},
    {"CREATE TABLE `", '`', "` (a INT) STORED AS ORC"},
    {"DROP TABLE `", '`', "`"},
    {"SELECT * FROM `", '`', "`"},
    {"SELECT `", '`', "` FROM canary"},
    {"SELECT 1 AS `", '`', "`"},
    {"SELECT c.`x` FROM canary AS `", '`', "`"},
    {"SELECT count(*) FROM canary WHERE cast(id AS STRING) = '", '\'', "'"},
    {"SELECT `", '`', "`(1)"},
    {"INSERT INTO `", '`', "` VALUES (1, 1)"},
    {"INSERT INTO canary (`", '`', "`) VALUES (1)"},
    {"UPDATE canary SET `", '`', "` = 1"},
    {"DELETE FROM canary WHERE cast(x AS STRING) = '", '\'', "'"},
    {"MERGE INTO canary USING (SELECT 9 AS `", '`', "`) s ON canary.id = s.id WHEN MATCHED THEN DELETE"},
    {"ALTER TABLE canary RENAME TO `", '`', "`"},
    {"ALTER TABLE canary ADD PARTITION (`", '`', "`='1')"},
    {"ALTER TABLE canary COMPACT '", '\'', "'"},
    {"SHOW TABLES LIKE '", '\'', "'"},
    {"SHOW DATABASES LIKE '", '\'', "'"},
    {"SHOW LOCKS `", '`', "`"},
    {"SHOW LOCKS DATABASE `", '`', "`"},
    {"SHOW PARTITIONS `", '`', "`"},
    {"SHOW TBLPROPERTIES canary('", '\'', "')"},
    {"SHOW COLUMNS IN `", '`', "`"},
    {"SHOW COMPACTIONS DATABASE `", '`', "`"},
    {"SHOW COMPACTIONS canary STATUS '", '\'', "'"},
    {"DESCRIBE `", '`', "`"},
    {"DESCRIBE canary `", '`', "`"},
    {"DESCRIBE DATABASE `", '`', "`"},
    {"KILL QUERY '", '\'', "'"},
    {"ANALYZE TABLE `", '`', "` COMPUTE STATISTICS"},
    {"TRUNCATE TABLE `", '`', "`"},
    {"SET hivevar:h=", 0, ""},
    {"SET hive.session.id=", 0, ""},
    {"ABORT TRANSACTIONS ", 0, ""},
    {"LOAD DATA INPATH '", '\'', "' INTO TABLE canary"},
    {"CREATE EXTERNAL TABLE IF NOT EXISTS hx (a INT) STORED AS ORC LOCATION '", '\'', "'"},
};

static void names_in_statements_are_data_or_refused(void **state) {
  warehouse *w = *state;
  skep_buf sql;
  skep_buf_init(&sql, &w->ctx, 1 << 20);
  for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
    for (size_t i = 0; i < N_HOSTILE; i++) {
      bool ok = harmless(w, with(&sql, places[p].before, hostile[i], places[p].quote, places[p].after));
      (void)warehouse_try(w, w->session, "USE default");
      if (ok && strstr(places[p].before, "RENAME") != NULL)
        assert_string_equal(warehouse_rows(w, with(&sql, "ALTER TABLE `", hostile[i], '`', "` RENAME TO canary")), "");
    }
    check_canary(w, places[p].before);
  }
  skep_buf_fini(&sql);
}

/* A table of such a name, where it is allowed (hive.support.special.characters.tablename), is a table like others. */
static void tables_of_any_name_work(void **state) {
  warehouse *w = *state;
  skep_buf sql;
  int made = 0;
  skep_buf_init(&sql, &w->ctx, 1 << 20);
  for (size_t i = 0; i < N_HOSTILE; i++) {
    if (!harmless(w, with(&sql, "CREATE TABLE `", hostile[i], '`',
                          "` (k INT, x INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")))
      continue;
    made++;
    assert_string_equal(warehouse_rows(w, with(&sql, "INSERT INTO `", hostile[i], '`', "` VALUES (1, 5), (2, 6)")), "");
    warehouse_run(w, "START TRANSACTION");
    assert_string_equal(warehouse_rows(w, with(&sql, "UPDATE `", hostile[i], '`', "` SET x = 9 WHERE k = 2")), "");
    assert_string_equal(warehouse_rows(w, with(&sql, "SELECT sum(x) FROM `", hostile[i], '`', "`")), "14\n");
    warehouse_run(w, "COMMIT");
    assert_string_equal(warehouse_rows(w, with(&sql, "SELECT k FROM `", hostile[i], '`', "` WHERE x = 9")), "2\n");
    assert_int_equal(warehouse_try(w, w->session, with(&sql, "SHOW LOCKS `", hostile[i], '`', "`")), SKEP_OK);
    assert_string_equal(warehouse_rows(w, with(&sql, "TRUNCATE TABLE `", hostile[i], '`', "`")), "");
    assert_string_equal(warehouse_rows(w, with(&sql, "DROP TABLE `", hostile[i], '`', "`")), "");
    check_canary(w, hostile[i]);
  }
  assert_true(made >= 5);
  skep_buf_fini(&sql);
}

/* A column of such a name, where it is allowed, is a column like others: it is written, read, changed, described. */
static void columns_of_any_name_work(void **state) {
  warehouse *w = *state;
  skep_buf sql;
  int made = 0;
  skep_buf_init(&sql, &w->ctx, 1 << 20);
  for (size_t i = 0; i < N_HOSTILE; i++) {
    if (!harmless(w, with(&sql, "CREATE TABLE h (k INT, `", hostile[i], '`',
                          "` INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")))
      continue;
    made++;
    assert_string_equal(warehouse_rows(w, "INSERT INTO h VALUES (1, 5), (2, 6)"), "");
    assert_string_equal(warehouse_rows(w, with(&sql, "SELECT `", hostile[i], '`', "` + 1 FROM h WHERE k = 1")), "6\n");
    assert_string_equal(warehouse_rows(w, with(&sql, "UPDATE h SET `", hostile[i], '`', "` = 9 WHERE k = 2")), "");
    assert_string_equal(warehouse_rows(w, with(&sql, "SELECT k FROM h WHERE `", hostile[i], '`', "` = 9")), "2\n");
    assert_string_equal(warehouse_rows(w, with(&sql, "DELETE FROM h WHERE `", hostile[i], '`', "` = 9")), "");
    assert_string_equal(warehouse_rows(w, "SELECT count(*) FROM h"), "1\n");
    assert_int_equal(warehouse_try(w, w->session, "DESCRIBE FORMATTED h"), SKEP_OK);
    assert_int_equal(warehouse_try(w, w->session, "SHOW CREATE TABLE h"), SKEP_OK);
    warehouse_run(w, "DROP TABLE h");
    check_canary(w, hostile[i]);
  }
  assert_true(made >= 10);
  skep_buf_fini(&sql);
}

/* Strings as values, properties and comments come back byte by byte. */
static void values_come_back_as_they_were(void **state) {
  warehouse *w = *state;
  skep_buf sql;
  skep_buf_init(&sql, &w->ctx, 1 << 20);
  warehouse_run(w, "CREATE TABLE v (n INT, s STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  for (size_t i = 0; i < N_HOSTILE; i++) {
    char n[40];
    snprintf(n, sizeof n, "INSERT INTO v VALUES (%zu, '", i);
    if (!harmless(w, with(&sql, n, hostile[i], '\'', "')"))) continue;
    snprintf(n, sizeof n, "SELECT n FROM v WHERE n = %zu AND s = '", i);
    const char *rows = warehouse_rows(w, with(&sql, n, hostile[i], '\'', "'"));
    char want[20];
    snprintf(want, sizeof want, "%zu\n", i);
    assert_string_equal(rows, want);
    (void)harmless(w, with(&sql, "ALTER TABLE v SET TBLPROPERTIES ('k'='", hostile[i], '\'', "')"));
    (void)harmless(w, with(&sql, "ALTER TABLE v SET TBLPROPERTIES ('", hostile[i], '\'', "'='v')"));
    (void)harmless(w, with(&sql, "ALTER TABLE v CHANGE COLUMN s s STRING COMMENT '", hostile[i], '\'', "'"));
  }
  assert_int_equal(warehouse_try(w, w->session, "DESCRIBE FORMATTED v"), SKEP_OK);
  warehouse_run(w, "DROP TABLE v");
  check_canary(w, "values");
  skep_buf_fini(&sql);
}

/* Partition values become directory names, rows of the metastore, components, locks: all of them data. */
static void partitions_of_any_value_work(void **state) {
  warehouse *w = *state;
  skep_buf sql;
  int made = 0;
  skep_buf_init(&sql, &w->ctx, 1 << 20);
  warehouse_run(
      w, "CREATE TABLE p (x INT) PARTITIONED BY (d STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  for (size_t i = 0; i < N_HOSTILE; i++) {
    if (!harmless(w, with(&sql, "INSERT INTO p PARTITION (d='", hostile[i], '\'', "') VALUES (1)"))) continue;
    made++;
    assert_string_equal(warehouse_rows(w, with(&sql, "UPDATE p SET x = x + 1 WHERE d = '", hostile[i], '\'', "'")), "");
    assert_string_equal(warehouse_rows(w, with(&sql, "SELECT x FROM p WHERE d = '", hostile[i], '\'', "'")), "2\n");
    assert_int_equal(warehouse_try(w, w->session, "SHOW PARTITIONS p"), SKEP_OK);
    assert_int_equal(warehouse_try(w, w->session, "SHOW LOCKS p"), SKEP_OK);
    warehouse_run(w, "START TRANSACTION");
    assert_string_equal(warehouse_rows(w, with(&sql, "DELETE FROM p WHERE d = '", hostile[i], '\'', "'")), "");
    warehouse_run(w, "COMMIT");
    assert_string_equal(warehouse_rows(w, "SELECT count(*) FROM p"), "0\n");
    assert_string_equal(warehouse_rows(w, with(&sql, "INSERT INTO p VALUES (3, '", hostile[i], '\'', "')")),
                        ""); /* dynamic */
    assert_string_equal(warehouse_rows(w, with(&sql, "TRUNCATE TABLE p PARTITION (d='", hostile[i], '\'', "')")), "");
    assert_string_equal(warehouse_rows(w, with(&sql, "ALTER TABLE p DROP PARTITION (d='", hostile[i], '\'', "')")), "");
    assert_string_equal(warehouse_rows(w, "SELECT count(*) FROM p"), "0\n");
  }
  assert_true(made >= 15);
  warehouse_run(w, "DROP TABLE p");
  check_canary(w, "partitions");
  skep_buf_fini(&sql);
}

/* The byte 0 in the middle of a statement: wherever it stands, it ends no text early. */
static void a_nul_ends_nothing_early(void **state) {
  warehouse *w = *state;
  static const struct {
    const char *sql;
    size_t length;
  } statements[] = {
#define S(text) {text, sizeof(text) - 1}
      S("DELETE FROM canary WHERE id = 1\0 AND id = 2"),
      S("DELETE FROM canary WHERE cast(x AS STRING) = '7\0'"),
      S("DROP TABLE canary\0x"),
      S("DROP TABLE `canary\0x`"),
      S("SELECT '\0'"),
      S("UPDATE canary SET x = 0 WHERE `id\0` = 1"),
      S("INSERT INTO `canary\0` VALUES (2, 2)"),
      S("ALTER TABLE canary SET TBLPROPERTIES ('a\0b'='c\0d')"),
      S("CREATE TABLE n\0n (a INT)"),
      S("ALTER TABLE canary RENAME TO `a\0b`"),
      S("SET hive.x\0y=1"),
      S("KILL QUERY 'a\0b'"),
#undef S
  };
  for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
    skep_result *result;
    skep_status st = skep_session_run(w->session, statements[i].sql, statements[i].length, &result, &w->err);
    if (st == SKEP_OK && result != NULL) st = warehouse_print(result, &w->text, &w->err);
    skep_result_free(result);
    check_canary(w, statements[i].sql);
  }
}

/* Who one is: TXN_USER, TXN_HOST, owners of tables, HL_USER. */
static void users_and_hosts_are_data(void **state) {
  warehouse *w = *state;
  for (size_t i = 0; i < N_HOSTILE; i++) {
    skep_session_opts opts = w->opts;
    skep_session *session;
    opts.user = hostile[i];
    opts.host = hostile[(i + 1) % N_HOSTILE];
    if (skep_session_open(&opts, &session, &w->err) != SKEP_OK) {
      assert_true(w->err.text[0] != '\0');
      continue;
    }
    static const char *const statements[] = {
        "CREATE TABLE IF NOT EXISTS hu (a INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')",
        "START TRANSACTION",
        "UPDATE canary SET x = x WHERE id = 1",
        "SHOW TRANSACTIONS",
        "SHOW LOCKS",
        "SELECT current_user()",
        "COMMIT",
        "DROP TABLE IF EXISTS hu"};
    for (size_t k = 0; k < sizeof statements / sizeof *statements; k++)
      if (warehouse_try(w, session, statements[k]) != SKEP_OK)
        fail_msg("as %.100s: %s: %s", hostile[i], statements[k], w->err.text);
    skep_session_close(session);
    check_canary(w, hostile[i]);
  }
}

/* The calls below SQL: names are parameters. */
static void names_in_calls_are_data(void **state) {
  warehouse *w = *state;
  skep_db *db = warehouse_connect(w);
  skep_arena arena;
  skep_err err = {0};
  skep_arena_init(&arena, &w->ctx, 1 << 26);
  for (size_t i = 0; i < N_HOSTILE; i++) {
    const char *name = strlen(hostile[i]) < 128 ? hostile[i] : "'x'"; /* the columns of Hive's tables hold 128 */
    const skep_txn_conf conf = {.user = name, .host = name, .agent = name};
    skep_txn_table t = {.database = name, .table = name, .write = 'd'};
    skep_txn txn;
    assert_ok(skep_txn_begin(db, &conf, &arena, SKEP_TXN_DEFAULT, &t, 1, &txn, &err), err);
    const skep_lock_owner owner = {.txn = txn.id, .user = name, .host = name, .agent = name};
    const skep_lock_component c = {.database = name, .table = name, .partition = name, .type = SKEP_LOCK_EXCL_WRITE};
    skep_lock_state granted;
    int64_t id;
    assert_ok(skep_lock_request(db, &owner, &c, 1, &arena, &id, &granted, NULL, &err), err);
    assert_int_equal(granted, SKEP_LOCK_ACQUIRED);
    skep_lock_row *locks;
    uint32_t n;
    assert_ok(skep_lock_list(db, name, name, name, &arena, &locks, &n, &err), err);
    assert_int_equal(n, 1);
    assert_string_equal(locks[0].on.partition, name);
    assert_string_equal(locks[0].user, name);
    skep_txn_component done = {.database = name, .table = name, .partition = name, .op = 'd', .write_id = t.write_id};
    assert_ok(skep_txn_commit(db, txn.id, &done, 1, NULL, NULL, &err), err);
    assert_ok(skep_txn_rename_table(db, name, name, "other", name, &err), err);
    assert_ok(skep_txn_drop_records(db, "other", name, name, &err), err);
    assert_ok(skep_txn_drop_records(db, "other", NULL, NULL, &err), err);
  }
  skep_arena_fini(&arena);
  skep_db_close(db);
  check_canary(w, "calls");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(names_in_statements_are_data_or_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(tables_of_any_name_work, setup, teardown),
      cmocka_unit_test_setup_teardown(columns_of_any_name_work, setup, teardown),
      cmocka_unit_test_setup_teardown(values_come_back_as_they_were, setup, teardown),
      cmocka_unit_test_setup_teardown(partitions_of_any_value_work, setup, teardown),
      cmocka_unit_test_setup_teardown(a_nul_ends_nothing_early, setup, teardown),
      cmocka_unit_test_setup_teardown(users_and_hosts_are_data, setup, teardown),
      cmocka_unit_test_setup_teardown(names_in_calls_are_data, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
