/* Hive's schema in an empty database; versions; what is missing is named. */
#include "db/schema.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "db/counters.h"
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

/* As after rows were restored, or numbers changed by hand. */
static void numbers_behind_their_rows_are_told_and_set_right(void **state) {
  static const char behind[] =
      "UPDATE \"NEXT_LOCK_ID\" SET \"NL_NEXT\" = 3;"
      "INSERT INTO \"HIVE_LOCKS\" (\"HL_LOCK_EXT_ID\", \"HL_LOCK_INT_ID\", \"HL_TXNID\", \"HL_DB\", "
      "\"HL_LOCK_STATE\", \"HL_LOCK_TYPE\", \"HL_LAST_HEARTBEAT\", \"HL_USER\", \"HL_HOST\") "
      "VALUES (5, 1, 0, 'd', 'a', 'r', 0, 'u', 'h');"
      "INSERT INTO \"COMPLETED_COMPACTIONS\" (\"CC_ID\", \"CC_DATABASE\", \"CC_TABLE\", \"CC_STATE\", "
      "\"CC_TYPE\") VALUES (7, 'd', 't', 's', 'a');"
      "INSERT INTO \"CDS\" (\"CD_ID\") VALUES (12);"
      "INSERT INTO \"SEQUENCE_TABLE\" (\"SEQUENCE_NAME\", \"NEXT_VAL\") VALUES "
      "('org.apache.hadoop.hive.metastore.model.MColumnDescriptor', 12);"
      "INSERT INTO \"SERDES\" (\"SERDE_ID\") VALUES (1);"
      "INSERT INTO \"NEXT_WRITE_ID\" (\"NWI_DATABASE\", \"NWI_TABLE\", \"NWI_NEXT\") VALUES ('d', 't', 4), ('d', "
      "'fine', 2);"
      "INSERT INTO \"TXN_TO_WRITE_ID\" (\"T2W_TXNID\", \"T2W_DATABASE\", \"T2W_TABLE\", \"T2W_WRITEID\") VALUES "
      "(1, 'd', 't', 4), (2, 'd', 't', 6), (1, 'd', 'fine', 1), (1, 'd', 'v', 1)";
  skep_ctx ctx;
  skep_db *db = new_database(&ctx);
  skep_err err = {0};
  skep_buf lines;
  uint64_t n = 0;
  int64_t first;
  (void)state;
  skep_buf_init(&lines, &ctx, 1 << 16);
  assert_ok(skep_schema_init(db, "file:/w", &err), err);
  assert_ok(skep_db_exec(db, behind, &err), err);
  assert_ok(skep_counters_check(db, add_line, &lines, &n, &err), err);
  const char *at = strstr(skep_buf_string(&lines), "write ids");
  assert_non_null(at);
  size_t before = (size_t)(at - skep_buf_string(&lines));
  assert_true(strncmp(skep_buf_string(&lines),
                      "NEXT_LOCK_ID: the next is 3, and 5 is there: skep metastore reseed\n"
                      "NEXT_COMPACTION_QUEUE_ID: the next is 1, and 7 is there: skep metastore reseed\n"
                      "SEQUENCE_TABLE, MSerDeInfo: the next is 1, and 1 is there: skep metastore reseed\n"
                      "SEQUENCE_TABLE, MColumnDescriptor: the next is 12, and 12 is there: skep metastore reseed\n",
                      before) == 0);
  assert_non_null(strstr(at, "write ids of d.t: the next is 4, and 6 is there: skep metastore reseed\n"));
  assert_non_null(strstr(at, "write ids of d.v: the next is 1, and 1 is there: skep metastore reseed\n"));
  assert_int_equal(n, 6);
  if (place.is_postgres) { /* SQLite's keys go on above the rows */
    assert_ok(skep_db_exec(db,
                           "INSERT INTO \"TXNS\" (\"TXN_ID\", \"TXN_STATE\", \"TXN_STARTED\", "
                           "\"TXN_LAST_HEARTBEAT\", \"TXN_USER\", \"TXN_HOST\") VALUES (50, 'c', 0, 0, '', '')",
                           &err),
              err);
    assert_ok(skep_counters_check(db, add_line, &lines, &n, &err), err);
    assert_non_null(strstr(skep_buf_string(&lines), "the sequence of TXNS.TXN_ID: the next is 1, and 50 is there"));
  }
  assert_fails(skep_db_next_ids(db, "MColumnDescriptor", 1, &first, &err), SKEP_ERR_CORRUPT, err,
               "SEQUENCE_TABLE, MColumnDescriptor, of the metastore gave 12, which is there already");
  assert_fails(skep_db_next_ids(db, "MSerDeInfo", 1, &first, &err), SKEP_ERR_CORRUPT, err, "skep metastore reseed");
  skep_buf_reset(&lines);
  assert_ok(skep_db_begin(db, SKEP_DB_WRITE, &err), err);
  assert_ok(skep_db_end(db, false, skep_counters_raise(db, add_line, &lines, &err), &err), err);
  assert_non_null(strstr(skep_buf_string(&lines), "NEXT_COMPACTION_QUEUE_ID: goes on from 8\n"));
  assert_ok(skep_counters_check(db, add_line, &lines, &n, &err), err);
  assert_int_equal(n, 0);
  assert_ok(skep_db_next_ids(db, "MColumnDescriptor", 1, &first, &err), err);
  assert_int_equal(first, 13);
  assert_ok(skep_db_next_ids(db, "MSerDeInfo", 1, &first, &err), err);
  assert_int_equal(first, 2);
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
      cmocka_unit_test(numbers_behind_their_rows_are_told_and_set_right),
      cmocka_unit_test(ids_of_objects_count_from_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
