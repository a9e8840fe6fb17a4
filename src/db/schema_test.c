/* Hive's schema in an empty database; versions; what is missing is named. */
#include "db/schema.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "support/failing_alloc.h"
#include "support/metastore.h"
#include "support/test.h"

static metastore place; /* of the test that runs */

static skep_db *new_database(skep_ctx *ctx) {
  skep_ctx_init(ctx);
  skep_err err = {0};
  skep_db *db = NULL;
  metastore_new(&place, ctx, true);
  assert_ok(skep_db_open(ctx, place.url, NULL, &db, &err), err);
  return db;
}

static void remove_database(skep_ctx *ctx, skep_db *db) {
  skep_db_close(db);
  metastore_remove(&place, ctx);
}

static skep_status add_line(void *self, const char *line, skep_err *err) {
  (void)err;
  skep_buf_printf(self, "%s\n", line);
  return SKEP_OK;
}

static void an_empty_database_gets_the_schema_once(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_db *db = new_database(&ctx);
  skep_err err = {0};
  skep_schema_info info;
  assert_fails(skep_schema_check(db, &info, &err), SKEP_ERR_NOT_FOUND, err, "no Hive schema");
  bool created = false;
  assert_ok(skep_schema_ensure(db, "file:/w", &info, &created, &err), err);
  assert_true(created);
  assert_string_equal(info.version, "4.0.0");
  assert_string_equal(info.comment, "Hive release version 4.0.0");
  assert_true(info.major == 4 && info.minor == 0);
  assert_true(info.stats_have_names && info.has_min_history_level && info.has_min_history_write_id);
  assert_fails(skep_schema_init(db, "file:/w", &err), SKEP_ERR_EXISTS, err, "already");
  assert_ok(skep_schema_ensure(db, "file:/w", &info, &created, &err), err);
  assert_false(created);
  skep_buf lines;
  skep_buf_init(&lines, &ctx, 1 << 16);
  uint64_t n = 1;
  assert_ok(skep_schema_validate(db, add_line, &lines, &n, &err), err);
  assert_string_equal(skep_buf_string(&lines), "");
  assert_int_equal(n, 0);
  skep_buf_fini(&lines);
  remove_database(&ctx, db);
}

/* What golden 19-metastore had before its first statement: the rows that do not come from statements. */
static void the_seed_rows_are_hives(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_db *db = new_database(&ctx);
  skep_err err = {0};
  assert_ok(skep_schema_init(db, "file:/warehouse", &err), err);
  const struct {
    const char *sql;
    const char *row;
  } cases[] = {
      {"SELECT \"CTLG_ID\", \"NAME\", \"DESC\", \"LOCATION_URI\", \"CREATE_TIME\" FROM \"CTLGS\"",
       "1|hive|Default catalog for Hive|file:/warehouse|\\N"},
      {"SELECT * FROM \"TXNS\"", "0|c|0|0|||\\N|\\N|\\N|\\N"},
      {"SELECT * FROM \"VERSION\"", "1|4.0.0|Hive release version 4.0.0"},
      {"SELECT * FROM \"NEXT_LOCK_ID\"", "1"},
      {"SELECT * FROM \"NEXT_COMPACTION_QUEUE_ID\"", "1"},
      {"SELECT * FROM \"TXN_LOCK_TBL\"", "1"},
      {"SELECT * FROM \"NOTIFICATION_SEQUENCE\"", "1|1"},
      {"SELECT * FROM \"SEQUENCE_TABLE\" WHERE \"SEQUENCE_NAME\" LIKE '%MNotificationLog'",
       "org.apache.hadoop.hive.metastore.model.MNotificationLog|1"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_stmt *stmt = NULL;
    assert_ok(skep_db_query(db, cases[i].sql, SKEP_NO_PARAMS, &stmt, &err), err);
    assert_ok(skep_stmt_next(stmt, &err), err);
    char row[512] = "";
    for (int c = 0; c < skep_stmt_n_columns(stmt); c++) {
      const char *text = skep_stmt_text(stmt, c, NULL);
      size_t at = strlen(row);
      snprintf(row + at, sizeof row - at, "%s%s", c > 0 ? "|" : "", text != NULL ? text : "\\N");
    }
    assert_string_equal(row, cases[i].row);
    assert_int_equal(skep_stmt_next(stmt, &err), SKEP_END);
    skep_stmt_done(stmt);
  }
  remove_database(&ctx, db);
}

static void versions_are_told_apart(void **state) {
  (void)state;
  const struct {
    const char *version;
    skep_status status;
    const char *text;
  } cases[] = {
      {"4.0.1", SKEP_OK, ""},
      {"4.1.0", SKEP_OK, ""},
      {"4.2.0", SKEP_OK, ""},
      {"4.3.0", SKEP_ERR_UNSUPPORTED, "4.3.0: 4.0, 4.1 and 4.2 are known"},
      {"1.1.0", SKEP_ERR_UNSUPPORTED, "1.1.0"},
      {"four\n", SKEP_ERR_UNSUPPORTED, "'four\\x0a' is not known"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_ctx ctx;
    skep_db *db = new_database(&ctx);
    skep_err err = {0};
    assert_ok(skep_schema_init(db, "file:/w", &err), err);
    assert_ok(skep_db_run(db, "UPDATE \"VERSION\" SET \"SCHEMA_VERSION\" = ?",
                          SKEP_PARAMS(skep_p_text(cases[i].version)), NULL, &err),
              err);
    if (cases[i].status == SKEP_OK) {
      assert_ok(skep_schema_check(db, NULL, &err), err);
    } else {
      assert_fails(skep_schema_check(db, NULL, &err), cases[i].status, err, cases[i].text);
    }
    remove_database(&ctx, db);
  }
}

static void columns_that_4_1_dropped_are_not_needed(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_db *db = new_database(&ctx);
  skep_err err = {0};
  assert_ok(skep_schema_init(db, "file:/w", &err), err);
  assert_ok(skep_db_exec(db,
                         "DROP INDEX \"TAB_COL_STATS_IDX\"; ALTER TABLE \"TAB_COL_STATS\" DROP COLUMN \"CAT_NAME\";"
                         "ALTER TABLE \"TAB_COL_STATS\" DROP COLUMN \"DB_NAME\";"
                         "ALTER TABLE \"TAB_COL_STATS\" DROP COLUMN \"TABLE_NAME\"; DROP TABLE \"MIN_HISTORY_LEVEL\"",
                         &err),
            err);
  skep_schema_info info;
  assert_ok(skep_schema_check(db, &info, &err), err);
  assert_false(info.stats_have_names);
  assert_false(info.has_min_history_level);
  remove_database(&ctx, db);
}

static void what_is_missing_is_named(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_db *db = new_database(&ctx);
  skep_err err = {0};
  assert_ok(skep_schema_init(db, "file:/w", &err), err);
  assert_ok(
      skep_db_exec(db,
                   place.is_postgres ? "ALTER TABLE \"TXN_COMPONENTS\" DROP CONSTRAINT \"TXN_COMPONENTS_TC_TXNID_fkey\""
                                     : "PRAGMA foreign_keys=OFF",
                   &err),
      err);
  assert_ok(skep_db_exec(db,
                         "ALTER TABLE \"TXNS\" DROP COLUMN \"TXN_META_INFO\"; DROP TABLE \"WM_MAPPING\";"
                         "DELETE FROM \"NEXT_LOCK_ID\";"
                         "INSERT INTO \"TXN_COMPONENTS\" (\"TC_TXNID\", \"TC_DATABASE\", \"TC_OPERATION_TYPE\") "
                         "VALUES (99, 'd', 'i')",
                         &err),
            err);
  assert_fails(skep_schema_check(db, NULL, &err), SKEP_ERR_CORRUPT, err,
               "table TXNS of the metastore has no column TXN_META_INFO");
  skep_buf lines;
  skep_buf_init(&lines, &ctx, 1 << 16);
  uint64_t n = 0;
  assert_ok(skep_schema_validate(db, add_line, &lines, &n, &err), err);
  /* SQLite looks at foreign keys, PostgreSQL's cannot be broken. */
  char *more = strstr(skep_buf_string(&lines), "table TXN_COMPONENTS: row 1 points to nothing in table TXNS\n");
  assert_true((more != NULL) == !place.is_postgres);
  if (more != NULL) *more = 0;
  assert_string_equal(skep_buf_string(&lines),
                      "table TXNS has no column TXN_META_INFO\ntable WM_MAPPING is missing\n0 rows in NEXT_LOCK_ID\n"
                      "1 components of transactions that do not exist\n");
  assert_int_equal(n, place.is_postgres ? 4 : 5);
  skep_buf_fini(&lines);
  remove_database(&ctx, db);
}

static void ids_of_objects_count_from_one(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_db *db = new_database(&ctx);
  skep_err err = {0};
  assert_ok(skep_schema_init(db, "file:/w", &err), err);
  int64_t first = 0;
  assert_ok(skep_db_next_ids(db, "MTable", 1, &first, &err), err);
  assert_int_equal(first, 1);
  assert_ok(skep_db_next_ids(db, "MTable", 10, &first, &err), err);
  assert_int_equal(first, 2);
  assert_ok(skep_db_next_ids(db, "MTable", 1, &first, &err), err);
  assert_int_equal(first, 12);
  assert_ok(skep_db_next_ids(db, "MDatabase", 1, &first, &err), err);
  assert_int_equal(first, 1);
  assert_ok(
      skep_db_run(db, "UPDATE \"SEQUENCE_TABLE\" SET \"NEXT_VAL\" = ?", SKEP_PARAMS(skep_p_i64(INT64_MAX)), NULL, &err),
      err);
  assert_fails(skep_db_next_ids(db, "MTable", 1, &first, &err), SKEP_ERR_CORRUPT, err, "next value of MTable");
  remove_database(&ctx, db);
}

int main(void) {
  if (metastore_missing()) return METASTORE_SKIPPED;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_database_gets_the_schema_once),
      cmocka_unit_test(the_seed_rows_are_hives),
      cmocka_unit_test(versions_are_told_apart),
      cmocka_unit_test(columns_that_4_1_dropped_are_not_needed),
      cmocka_unit_test(what_is_missing_is_named),
      cmocka_unit_test(ids_of_objects_count_from_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
