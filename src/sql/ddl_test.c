/* What DDL does to directories, rows and write ids; kinds of tables that result; readers of what is dropped. The texts
 * are compared in ddl_log_test.c. */
#include <sys/stat.h>

#include "db/db.h"
#include "support/warehouse.h"
#include "txn/mutex.h"

static int setup(void **state) {
  static warehouse w;
  *state = &w;
  warehouse_open(&w);
  return 0;
}

static int setup_without_locks(void **state) {
  int failed = setup(state);
  if (failed == 0) warehouse_without_locks(*state);
  return failed;
}

static int teardown(void **state) {
  warehouse_close(*state);
  return 0;
}

static bool there(const warehouse *w, const char *path) {
  char full[400];
  snprintf(full, sizeof full, "%s/%s", w->dir, path);
  return access(full, F_OK) == 0;
}

static void assert_rows(warehouse *w, const char *sql, const char *rows) {
  assert_string_equal(warehouse_rows(w, sql), rows);
}

static void make_file(const warehouse *w, const char *path) {
  char full[400];
  snprintf(full, sizeof full, "%s/%s", w->dir, path);
  FILE *file = fopen(full, "wb");
  assert_non_null(file);
  fclose(file);
}

static void directories_come_and_go_with_their_objects(void **state) {
  warehouse *w = *state;
  warehouse_run(w, "CREATE DATABASE d");
  assert_true(there(w, "d.db"));
  warehouse_run(w, "CREATE TABLE d.t (a INT)");
  assert_true(there(w, "d.db/t"));
  warehouse_run(w, "CREATE TABLE t (a INT)");
  assert_true(there(w, "t"));
  warehouse_run(w, "CREATE TABLE d.p (a INT) PARTITIONED BY (k STRING)");
  warehouse_run(w, "ALTER TABLE d.p ADD PARTITION (k='x/y') PARTITION (k='z')");
  assert_true(there(w, "d.db/p/k=x%2Fy") && there(w, "d.db/p/k=z"));
  warehouse_run(w, "ALTER TABLE d.p DROP PARTITION (k='z')");
  assert_true(there(w, "d.db/p/k=x%2Fy") && !there(w, "d.db/p/k=z"));
  warehouse_run(w, "INSERT INTO d.t VALUES (1)");
  warehouse_run(w, "DROP TABLE d.t");
  assert_false(there(w, "d.db/t"));
  warehouse_run(w, "USE d");
  warehouse_run(w, "DROP DATABASE d CASCADE");
  assert_false(there(w, "d.db"));
  assert_rows(w, "SELECT current_database()", "default\n");
  assert_true(there(w, "t"));
}

static void a_failed_create_leaves_nothing(void **state) {
  warehouse *w = *state;
  warehouse_fails(w, "CREATE TABLE t (a INT, PRIMARY KEY (b) DISABLE NOVALIDATE)", "Parent column not found: b");
  assert_false(there(w, "t"));
  warehouse_fails(w, "CREATE TABLE t (a INT, CONSTRAINT fk FOREIGN KEY (a) REFERENCES nope (b) DISABLE NOVALIDATE)",
                  "Table not found default.nope");
  assert_false(there(w, "t"));
  warehouse_fails(w, "CREATE TABLE t (a INT) STORED AS TEXTFILE TBLPROPERTIES ('transactional'='true')",
                  "The table must be stored using an ACID compliant format (such as ORC): default.t");
  assert_false(there(w, "t"));
  make_file(w, "t");
  warehouse_fails(w, "CREATE TABLE t (a INT)", "no directory");
  assert_rows(w, "SHOW TABLES", "");
}

/* What a table owns goes with it. */
static void location_is_nobody_elses(void **state) {
  warehouse *w = *state;
  warehouse_run(w, "CREATE DATABASE d");
  warehouse_run(w, "CREATE TABLE t (a INT) PARTITIONED BY (k INT)");
  warehouse_run(w, "INSERT INTO t VALUES (1, 1)");
  static const struct {
    const char *sql, *text;
  } cases[] = {
      {"CREATE TABLE x (a INT) LOCATION '%s'", "it is, or contains, the warehouse"},
      {"CREATE TABLE x (a INT) LOCATION '/'", "it is, or contains, the warehouse"},
      {"CREATE TABLE x (a INT) LOCATION '%s/metastore.sqlite'", "the metastore"},
      {"CREATE DATABASE e LOCATION '%s'", "it is, or contains, the warehouse"},
      {"ALTER TABLE t SET LOCATION '%s/'", "it is, or contains, the warehouse"},
      {"ALTER TABLE t ADD PARTITION (k=2) LOCATION '%s'", "it is, or contains, the warehouse"},
      {"CREATE TABLE x STORED AS ORC LOCATION '%s' AS SELECT 1 AS a", "it is, or contains, the warehouse"},
      {"CREATE TABLE x (a INT) LOCATION '%s/./y'", "'.' and '..' are not allowed"},
      {"CREATE TABLE x (a INT) LOCATION '%s/y/..'", "'.' and '..' are not allowed"},
      {"CREATE TABLE x (a INT) LOCATION '%s/d.db'", "the directory of database d"},
      {"CREATE TABLE x (a INT) LOCATION '%s/t'", "the directory of default.t"},
      {"CREATE TABLE x (a INT) LOCATION 'file://%s//t/y'", "the directory of default.t"},
      {"CREATE DATABASE e LOCATION '%s/t/e'", "the directory of default.t"},
      {"ALTER TABLE t PARTITION (k=1) SET LOCATION '%s/t'", "the directory of default.t"},
      {"ALTER TABLE t SET LOCATION '%s/t/k=1'", "the directory of default.t k=1"},
      {"ALTER TABLE t ADD PARTITION (k=2) LOCATION '%s/t/k=1/y'", "the directory of default.t"},
      {"ALTER TABLE t ADD PARTITION (k=2) LOCATION '%s/t/k=3'", "the directory of default.t"},
      {"ALTER TABLE t ADD PARTITION (k=2) LOCATION 'k=3'", "the directory of default.t"},
  };
  char sql[400];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const char *hole = strstr(cases[i].sql, "%s");
    if (hole == NULL)
      snprintf(sql, sizeof sql, "%s", cases[i].sql);
    else
      snprintf(sql, sizeof sql, "%.*s%s%s", (int)(hole - cases[i].sql), cases[i].sql, w->dir, hole + 2);
    warehouse_fails(w, sql, cases[i].text);
  }
  static const char *const fine[] = {"CREATE TABLE x (a INT) LOCATION '%s/d.db/y'",
                                     "ALTER TABLE t ADD PARTITION (k=2) LOCATION '%s/t/y'",
                                     "ALTER TABLE t ADD PARTITION (k=3) LOCATION '%s/t/k=3'",
                                     "ALTER TABLE t ADD PARTITION (k=4) LOCATION '%s/t4'",
                                     "ALTER TABLE t PARTITION (k=3) SET LOCATION '%s/t/k=3'",
                                     "ALTER TABLE t SET LOCATION '%s/t'",
                                     "CREATE DATABASE e LOCATION '%s/e'"};
  for (size_t i = 0; i < sizeof fine / sizeof fine[0]; i++) {
    const char *hole = strstr(fine[i], "%s");
    snprintf(sql, sizeof sql, "%.*s%s%s", (int)(hole - fine[i]), fine[i], w->dir, hole + 2);
    warehouse_run(w, sql);
  }
  /* Somebody else has the usual place. */
  snprintf(sql, sizeof sql, "CREATE TABLE z (a INT) LOCATION '%s/u'", w->dir);
  warehouse_run(w, sql);
  warehouse_run(w, "CREATE TABLE u (a INT)");
  warehouse_run(w, "INSERT INTO u VALUES (5)");
  warehouse_run(w, "DROP TABLE z");
  assert_rows(w, "SELECT * FROM u", "5\n");
  assert_rows(w, "SELECT * FROM t", "1\t1\n");
}

static const char *kind_of(warehouse *w, const char *table) {
  char sql[200];
  snprintf(sql, sizeof sql, "SHOW TBLPROPERTIES %s", table);
  const char *text = warehouse_rows(w, sql);
  if (strstr(text, "TRANSLATED_TO_EXTERNAL\tTRUE") != NULL) return "translated";
  if (strstr(text, "transactional\ttrue") == NULL) return "plain";
  return strstr(text, "transactional_properties\tinsert_only") != NULL ? "insert-only" : "full";
}

static void the_kind_of_a_table_follows_words_properties_and_settings(void **state) {
  warehouse *w = *state;
  static const struct {
    const char *setting, *statement, *kind;
  } cases[] = {{"true", "CREATE TABLE %s (a INT)", "full"},
               {"true", "CREATE TABLE %s (a INT) STORED AS ORC", "full"},
               {"true", "CREATE TABLE %s (a INT) CLUSTERED BY (a) SORTED BY (a) INTO 2 BUCKETS", "plain"},
               {"true", "CREATE TABLE %s (a INT) TBLPROPERTIES ('transactional'='false')", "plain"},
               {"true", "CREATE MANAGED TABLE %s (a INT) CLUSTERED BY (a) SORTED BY (a) INTO 2 BUCKETS", "insert-only"},
               {"false", "CREATE TABLE %s (a INT) STORED AS ORC", "plain"},
               {"false", "CREATE TRANSACTIONAL TABLE %s (a INT) STORED AS ORC", "full"},
               {"false", "CREATE TABLE %s (a INT) STORED AS ORC TBLPROPERTIES ('TRANSACTIONAL'='TRUE')", "full"},
               {"false",
                "CREATE TABLE %s (a INT) STORED AS ORC TBLPROPERTIES ('transactional'='true', "
                "'transactional_properties'='insert_only')",
                "insert-only"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char sql[300], name[20];
    snprintf(sql, sizeof sql, "SET metastore.create.as.acid=%s", cases[i].setting);
    warehouse_run(w, sql);
    snprintf(name, sizeof name, "t%zu", i);
    const char *hole = strstr(cases[i].statement, "%s");
    snprintf(sql, sizeof sql, "%.*s%s%s", (int)(hole - cases[i].statement), cases[i].statement, name, hole + 2);
    warehouse_run(w, sql);
    if (strcmp(kind_of(w, name), cases[i].kind) != 0) fail_msg("%s: %s", sql, kind_of(w, name));
  }
  warehouse_fails(w, "CREATE TABLE x (a INT) STORED AS AVRO", "AvroContainerInputFormat is not known");
  warehouse_run(w,
                "SET metastore.metadata.transformer.class="
                "org.apache.hadoop.hive.metastore.MetastoreDefaultTransformer");
  warehouse_run(w, "CREATE TABLE tr (a INT) STORED AS ORC");
  assert_string_equal(kind_of(w, "tr"), "translated");
}

/* Who opens a warehouse puts back renames that were not finished; a finished one leaves no note of it. */
static void open_again(warehouse *w) {
  skep_session_close(w->session);
  assert_ok(skep_session_open(&w->opts, &w->session, &w->err), w->err);
}

static void a_renamed_table_keeps_rows_and_write_ids(void **state) {
  warehouse *w = *state;
  warehouse_run(w, "CREATE DATABASE d");
  warehouse_run(w, "CREATE TABLE t (a INT)");
  warehouse_run(w, "INSERT INTO t VALUES (1)");
  warehouse_run(w, "ALTER TABLE t RENAME TO d.u");
  open_again(w);
  assert_true(there(w, "d.db/u/delta_0000001_0000001_0000") && !there(w, "t"));
  warehouse_run(w, "INSERT INTO d.u VALUES (2)");
  /* the rename took write id 2 */
  assert_rows(w, "SELECT a, ROW__ID.writeid FROM d.u ORDER BY a", "1\t1\n2\t3\n");
  warehouse_fails(w, "SELECT * FROM t", "Table not found");
  warehouse_run(w, "CREATE TABLE t (a INT)");
  warehouse_run(w, "INSERT INTO t VALUES (5)");
  assert_rows(w, "SELECT a, ROW__ID.writeid FROM t", "5\t1\n");
}

static void a_rename_into_a_directory_that_is_there_changes_nothing(void **state) {
  warehouse *w = *state;
  warehouse_run(w, "CREATE TABLE t (a INT)");
  warehouse_run(w, "INSERT INTO t VALUES (1)");
  char path[200];
  snprintf(path, sizeof path, "%s/u", w->dir);
  assert_int_equal(mkdir(path, 0777), 0);
  warehouse_fails(w, "ALTER TABLE t RENAME TO u", "New location for this table default.u already exists");
  assert_rows(w, "SELECT a FROM t", "1\n");
  assert_rows(w, "SHOW TABLES", "t\n");
}

static void renamed_partitions_take_their_files_along(void **state) {
  warehouse *w = *state;
  warehouse_run(w, "CREATE TABLE p (a INT) PARTITIONED BY (k STRING, n INT)");
  warehouse_run(w, "INSERT INTO p VALUES (1,'x',1),(2,'y',2)");
  warehouse_run(w, "ALTER TABLE p PARTITION (k='x', n=1) RENAME TO PARTITION (k='z/z', n=7)");
  open_again(w);
  assert_true(there(w, "p/k=z%2Fz/n=7/delta_0000001_0000001_0000") && !there(w, "p/k=x/n=1"));
  assert_rows(w, "SELECT * FROM p ORDER BY a", "1\tz/z\t7\n2\ty\t2\n");
  warehouse_run(w, "DELETE FROM p WHERE k = 'z/z'");
  assert_rows(w, "SELECT * FROM p", "2\ty\t2\n");
}

/* Which statements take one, also when they fail at run time: seen in Hive 4.0.1. */
static void transactional_ddl_takes_write_ids(void **state) {
  warehouse *w = *state;
  static const struct {
    const char *statement, *error;
    int ids;
  } cases[] = {{"ALTER TABLE t ADD COLUMNS (b INT)", NULL, 1},
               {"ALTER TABLE t ADD COLUMNS (b INT)", "Duplicate column name: b", 1},
               {"ALTER TABLE t CHANGE COLUMN b c BIGINT", NULL, 1},
               {"ALTER TABLE t REPLACE COLUMNS (a INT)", "cannot drop columns", 1},
               {"ALTER TABLE t SET TBLPROPERTIES ('x'='y')", NULL, 0},
               {"ALTER TABLE t SET TBLPROPERTIES ('transactional'='true')", NULL, 1},
               {"ALTER TABLE t SET TBLPROPERTIES ('transactional'='false')", "Cannot change 'transactional'", 0},
               {"ALTER TABLE t UNSET TBLPROPERTIES ('x')", NULL, 0},
               {"ALTER TABLE t UNSET TBLPROPERTIES ('nope')", "Error 10215", 0},
               {"ALTER TABLE t SET OWNER USER joe", NULL, 1},
               {"ALTER TABLE t SET FILEFORMAT PARQUET", "Changing file format", 1},
               {"ALTER TABLE t ADD CONSTRAINT pk PRIMARY KEY (a) DISABLE NOVALIDATE", NULL, 1},
               {"ALTER TABLE t DROP CONSTRAINT pk", NULL, 1},
               {"ALTER TABLE t DROP CONSTRAINT pk", "does not exist", 1},
               {"ALTER TABLE t RENAME TO nodb.u", "Error 10072", 0},
               {"ALTER TABLE t RENAME TO t", NULL, 1},
               {"ALTER TABLE t TOUCH", NULL, 0},
               {"ANALYZE TABLE t COMPUTE STATISTICS", NULL, 1}};
  int id = 1;
  warehouse_run(w, "CREATE TABLE t (a INT)");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    if (cases[i].error == NULL)
      warehouse_run(w, cases[i].statement);
    else
      warehouse_fails(w, cases[i].statement, cases[i].error);
    id += cases[i].ids;
    warehouse_run(w, "INSERT INTO t (a) VALUES (1)");
    char expected[32];
    snprintf(expected, sizeof expected, "%d\n", id++);
    if (strcmp(warehouse_rows(w, "SELECT max(ROW__ID.writeid) FROM t"), expected) != 0)
      fail_msg("%s: write id %s, expected %s", cases[i].statement, skep_buf_string(&w->text), expected);
  }
}

static void columns_change_as_hive_lets_them(void **state) {
  warehouse *w = *state;
  warehouse_run(w, "CREATE TABLE p (a SMALLINT, b STRING) PARTITIONED BY (k INT)");
  warehouse_run(w, "INSERT INTO p VALUES (1,'x',1)");
  warehouse_run(w, "ALTER TABLE p ADD COLUMNS (c DOUBLE COMMENT 'new')");
  warehouse_run(w, "ALTER TABLE p CHANGE COLUMN a a BIGINT");
  warehouse_run(w, "ALTER TABLE p CHANGE COLUMN b bee VARCHAR(10)");
  warehouse_run(w, "INSERT INTO p VALUES (20000000000,'y',1.5,1)");
  assert_rows(w, "SELECT a, bee, c, k FROM p ORDER BY a", "1\tx\t\\N\t1\n20000000000\ty\t1.5\t1\n");
  static const struct {
    const char *from, *to;
    bool allowed;
  } cases[] = {{"INT", "BIGINT", true},           {"INT", "SMALLINT", false},
               {"BIGINT", "DECIMAL(20,0)", true}, {"DECIMAL(5,2)", "FLOAT", true},
               {"FLOAT", "DECIMAL(5,2)", false},  {"INT", "STRING", true},
               {"STRING", "INT", false},          {"STRING", "DOUBLE", true},
               {"DATE", "STRING", true},          {"TIMESTAMP", "VARCHAR(30)", true},
               {"STRING", "DATE", false},         {"BOOLEAN", "STRING", false},
               {"CHAR(3)", "STRING", true},       {"BINARY", "STRING", false},
               {"ARRAY<INT>", "STRING", false},   {"STRUCT<x:INT>", "STRUCT<x:INT,y:INT>", true}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char sql[200];
    snprintf(sql, sizeof sql, "CREATE TABLE t%zu (a %s)", i, cases[i].from);
    warehouse_run(w, sql);
    snprintf(sql, sizeof sql, "ALTER TABLE t%zu CHANGE COLUMN a a %s", i, cases[i].to);
    if (cases[i].allowed)
      warehouse_run(w, sql);
    else
      warehouse_fails(w, sql, "types incompatible with the existing columns in their respective positions :\na");
  }
}

static void a_plain_table_becomes_acid_with_its_files_as_they_are(void **state) {
  warehouse *w = *state;
  warehouse_run(w, "CREATE TABLE t (a INT, b STRING) TBLPROPERTIES ('transactional'='false')");
  warehouse_run(w, "INSERT INTO t VALUES (1,'x'),(2,'y')");
  assert_true(there(w, "t/000000_0"));
  warehouse_fails(w, "UPDATE t SET b = 'z' WHERE a = 1", "Error 10297");
  warehouse_run(w, "ALTER TABLE t SET TBLPROPERTIES ('transactional'='true')");
  assert_true(there(w, "t/000000_0"));
  assert_rows(w, "SELECT a, ROW__ID.writeid, ROW__ID.rowid FROM t ORDER BY a", "1\t0\t0\n2\t0\t1\n");
  warehouse_run(w, "UPDATE t SET b = 'z' WHERE a = 1");
  assert_rows(w, "SELECT a, b, ROW__ID.writeid FROM t ORDER BY a", "1\tz\t10000001\n2\ty\t0\n");
  warehouse_run(w, "CREATE TABLE odd (a INT) TBLPROPERTIES ('transactional'='false')");
  make_file(w, "odd/data.orc");
  warehouse_fails(w, "ALTER TABLE odd CONVERT TO ACID", "Unexpected data file name format");
  assert_string_equal(kind_of(w, "odd"), "plain");
}

static void a_plain_table_becomes_insert_only_with_its_files_in_a_delta(void **state) {
  warehouse *w = *state;
  warehouse_run(w, "CREATE TABLE x (a INT) STORED AS TEXTFILE TBLPROPERTIES ('transactional'='false')");
  warehouse_run(w, "INSERT INTO x VALUES (1)");
  warehouse_fails(w, "ALTER TABLE x SET TBLPROPERTIES ('transactional'='true')",
                  "ACID compliant format"); /* takes none */
  warehouse_run(w, "ALTER TABLE x SET TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only')");
  assert_true(there(w, "x/delta_0000001_0000001_0000/000000_0"));
  warehouse_run(w, "CREATE TABLE p (a INT) PARTITIONED BY (k INT) TBLPROPERTIES ('transactional'='false')");
  warehouse_run(w, "INSERT INTO p VALUES (1,1),(2,2)");
  warehouse_run(w, "ALTER TABLE p SET TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only')");
  assert_true(there(w, "p/k=1/delta_0000001_0000001_0000/000000_0") && !there(w, "p/k=1/000000_0"));
  assert_rows(w, "SELECT a, k FROM p ORDER BY a", "1\t1\n2\t2\n");
  warehouse_run(w, "INSERT INTO p VALUES (3,1)");
  assert_rows(w, "SELECT a, k FROM p ORDER BY a", "1\t1\n2\t2\n3\t1\n");
  warehouse_run(w, "ALTER TABLE p SET TBLPROPERTIES ('transactional_properties'='default')");
  assert_string_equal(kind_of(w, "p"), "full");
  warehouse_run(w, "DELETE FROM p WHERE a = 2");
  assert_rows(w, "SELECT a, k FROM p ORDER BY a", "1\t1\n3\t1\n");
}

static void a_reader_keeps_what_is_dropped(void **state) {
  warehouse *w = *state;
  skep_session *other;
  warehouse_run(w, "CREATE TABLE t (a INT)");
  warehouse_run(w, "INSERT INTO t VALUES (1),(2)");
  assert_ok(skep_session_open(&w->opts, &other, &w->err), w->err);
  assert_int_equal(warehouse_try(w, other, "START TRANSACTION"), SKEP_OK);
  assert_int_equal(warehouse_try(w, other, "SELECT * FROM t"), SKEP_OK);
  warehouse_run(w, "DROP TABLE t");
  assert_true(there(w, "t")); /* its files may still be read */
  warehouse_run(w, "CREATE TABLE t (a INT)");
  warehouse_run(w, "INSERT INTO t VALUES (3)");
  assert_false(there(w, "t/delta_0000002_0000002_0000"));
  assert_rows(w, "SELECT * FROM t", "3\n");
  assert_int_equal(warehouse_try(w, other, "COMMIT"), SKEP_OK);
  skep_session_close(other);
  warehouse_run(w, "CREATE TABLE u (a INT)");
  warehouse_run(w, "DROP TABLE u"); /* cleans up */
  assert_false(there(w, "t"));
  assert_rows(w, "SELECT * FROM t", "3\n");
}

/* Nor is it taken from the cleaner, who would have to wait for an hour then. */
static void what_is_dropped_while_a_cleaner_works_is_left_to_it(void **state) {
  warehouse *w = *state;
  skep_txn_mutex *mutex;
  skep_db *db = warehouse_connect(w);
  warehouse_run(w, "CREATE TABLE t (a INT)");
  warehouse_run(w, "INSERT INTO t VALUES (1)");
  assert_ok(skep_txn_mutex_acquire(db, "Cleaner", 0, &mutex, &w->err), w->err);
  warehouse_run(w, "DROP TABLE t");
  assert_true(there(w, "t"));
  skep_txn_mutex_release(mutex);
  skep_db_close(db);
  warehouse_run(w, "CREATE TABLE u (a INT)");
  warehouse_run(w, "DROP TABLE u"); /* cleans up */
  assert_false(there(w, "t"));
}

static void a_partition_waits_for_the_files_of_its_predecessor(void **state) {
  warehouse *w = *state;
  skep_session *other;
  warehouse_run(w, "CREATE TABLE p (a INT) PARTITIONED BY (k INT)");
  warehouse_run(w, "INSERT INTO p VALUES (1,1)");
  assert_ok(skep_session_open(&w->opts, &other, &w->err), w->err);
  assert_int_equal(warehouse_try(w, other, "START TRANSACTION"), SKEP_OK);
  assert_int_equal(warehouse_try(w, other, "SELECT * FROM p"), SKEP_OK);
  warehouse_run(w, "ALTER TABLE p DROP PARTITION (k=1)");
  assert_true(there(w, "p/k=1"));
  warehouse_fails(w, "ALTER TABLE p ADD PARTITION (k=1)", "still in use");
  warehouse_fails(w, "INSERT INTO p VALUES (2,1)", "still in use");
  warehouse_run(w, "INSERT INTO p VALUES (2,2)");
  assert_int_equal(warehouse_try(w, other, "COMMIT"), SKEP_OK);
  skep_session_close(other);
  warehouse_run(w, "ALTER TABLE p DROP PARTITION (k=9)"); /* cleans up */
  assert_false(there(w, "p/k=1"));
  warehouse_run(w, "INSERT INTO p VALUES (3,1)");
  assert_rows(w, "SELECT * FROM p ORDER BY a", "2\t2\n3\t1\n");
}

/* Until locks come, who changes a table under an open transaction makes that one fail at its commit. */
static void a_writer_whose_table_went_away_fails_at_its_commit(void **state) {
  warehouse *w = *state;
  static const char *const changes[] = {"DROP TABLE t", "ALTER TABLE t RENAME TO u", "DROP TABLE t"};
  for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
    skep_session *other;
    warehouse_run(w, "CREATE TABLE t (a INT)");
    warehouse_run(w, "INSERT INTO t VALUES (1)");
    assert_ok(skep_session_open(&w->opts, &other, &w->err), w->err);
    assert_int_equal(warehouse_try(w, other, "START TRANSACTION"), SKEP_OK);
    assert_int_equal(warehouse_try(w, other, "INSERT INTO t VALUES (2)"), SKEP_OK);
    warehouse_run(w, changes[i]);
    if (i == 2) warehouse_run(w, "CREATE TABLE t (a INT)"); /* another one of that name */
    assert_int_equal(warehouse_try(w, other, "COMMIT"), SKEP_ERR_CONFLICT);
    if (strstr(w->err.text, "dropped or renamed") == NULL) fail_msg("%s", w->err.text);
    skep_session_close(other);
    if (i == 1) {
      assert_rows(w, "SELECT * FROM u", "1\n");
      warehouse_run(w, "DROP TABLE u");
    }
    if (i == 2) assert_rows(w, "SELECT * FROM t", "");
    warehouse_run(w, "DROP TABLE IF EXISTS t");
  }
}

static void an_added_column_is_null_in_rows_of_a_writer_who_did_not_know_it(void **state) {
  warehouse *w = *state;
  skep_session *other;
  warehouse_run(w, "CREATE TABLE t (a INT)");
  assert_ok(skep_session_open(&w->opts, &other, &w->err), w->err);
  assert_int_equal(warehouse_try(w, other, "START TRANSACTION"), SKEP_OK);
  assert_int_equal(warehouse_try(w, other, "INSERT INTO t VALUES (1)"), SKEP_OK);
  warehouse_run(w, "ALTER TABLE t ADD COLUMNS (b STRING)");
  assert_int_equal(warehouse_try(w, other, "INSERT INTO t VALUES (2,'x')"), SKEP_OK);
  assert_int_equal(warehouse_try(w, other, "COMMIT"), SKEP_OK);
  skep_session_close(other);
  assert_rows(w, "SELECT * FROM t ORDER BY a", "1\t\\N\n2\tx\n");
}

static void no_name_leads_out_of_the_warehouse(void **state) {
  warehouse *w = *state;
  warehouse_fails(w, "CREATE TABLE `..` (a INT)", "may not contain dot(.) character");
  warehouse_run(w, "CREATE TABLE `a/b` (a INT)");
  assert_true(there(w, "a-47-b"));
  warehouse_fails(w, "CREATE DATABASE `a/b`", "is not a valid database name");
  warehouse_fails(w, "CREATE DATABASE `..`", "may not contain dot(.) character");
  warehouse_run(w, "CREATE TABLE p (a INT) PARTITIONED BY (k STRING)");
  warehouse_run(w, "INSERT INTO p VALUES (1,'..'),(2,'../../x')");
  assert_true(there(w, "p/k=..") && there(w, "p/k=..%2F..%2Fx"));
  assert_rows(w, "SELECT * FROM p ORDER BY a", "1\t..\n2\t../../x\n");
}

static void ddl_is_refused_inside_a_transaction(void **state) {
  warehouse *w = *state;
  warehouse_run(w, "START TRANSACTION");
  warehouse_fails(w, "CREATE TABLE t (a INT)", "Operation CREATETABLE is not allowed in a transaction");
  warehouse_fails(w, "COMMIT", "20008");
  assert_rows(w, "SHOW TABLES", "");
}

static void statistics_follow_writes_and_counts(void **state) {
  warehouse *w = *state;
  warehouse_run(w, "CREATE TABLE p (a INT) PARTITIONED BY (k INT)");
  warehouse_run(w, "INSERT INTO p VALUES (1,1),(2,1),(3,2),(4,NULL)");
  warehouse_run(w, "DELETE FROM p WHERE a = 2");
  const char *text = warehouse_rows(w, "DESCRIBE FORMATTED p");
  assert_non_null(strstr(text, "\tnumRows             \t3  "));
  assert_non_null(strstr(text, "\tnumFiles            \t4  "));
  assert_non_null(strstr(text, "\tnumPartitions       \t3  "));
  warehouse_run(w, "ALTER TABLE p PARTITION (k=1) UPDATE STATISTICS SET ('numRows'='99','numFiles'='99')");
  warehouse_run(w, "ANALYZE TABLE p PARTITION (k) COMPUTE STATISTICS");
  text = warehouse_rows(w, "DESCRIBE FORMATTED p");
  assert_non_null(strstr(text, "\tnumRows             \t3  "));
  assert_non_null(strstr(text, "\tnumFiles            \t4  "));
  assert_non_null(strstr(text, "COLUMN_STATS_ACCURATE"));
  warehouse_fails(w, "ANALYZE TABLE p CACHE METADATA", "not supported yet");
  warehouse_fails(w, "ANALYZE TABLE nope COMPUTE STATISTICS", "Table not found nope");
}

/* A table of another warehouse, or of Hive, is a directory with writes in it. */
static void put_away(warehouse *w, const char *name, const char *as) {
  char from[400], to[400];
  snprintf(from, sizeof from, "%s/%s", w->dir, name);
  snprintf(to, sizeof to, "%s/%s", w->dir, as);
  assert_int_equal(rename(from, to), 0);
}

static void run_at(warehouse *w, const char *format, const char *path) {
  char sql[600];
  const char *hole = strstr(format, "%s");
  snprintf(sql, sizeof sql, "%.*s'%s/%s'%s", (int)(hole - format), format, w->dir, path, hole + 2);
  warehouse_run(w, sql);
}

/* What is there was made by three writes; drops the table that made it. */
static void make_writes(warehouse *w, const char *as) {
  warehouse_run(w, "CREATE TABLE maker (a INT)");
  warehouse_run(w, "INSERT OVERWRITE TABLE maker VALUES (1)");
  warehouse_run(w, "INSERT INTO maker VALUES (2)");
  warehouse_run(w, "INSERT INTO maker VALUES (3)");
  put_away(w, "maker", as);
  warehouse_run(w, "DROP TABLE maker");
}

static void writes_at_a_location_are_attached_below_the_next_write_id(void **state) {
  warehouse *w = *state;
  make_writes(w, "x");
  run_at(w, "CREATE TABLE t (a INT) LOCATION %s", "x");
  assert_rows(w, "SELECT a, ROW__ID.writeid FROM t ORDER BY a", "1\t1\n2\t2\n3\t3\n");
  warehouse_run(w, "INSERT INTO t VALUES (4)");
  assert_rows(w, "SELECT a, ROW__ID.writeid FROM t ORDER BY a", "1\t1\n2\t2\n3\t3\n4\t4\n");
  w->opts.boot_id = "another start";
  warehouse_reopen(w);
  assert_rows(w, "SELECT a FROM t ORDER BY a", "1\n2\n3\n4\n");
}

static void writes_at_the_location_of_a_partition_are_attached(void **state) {
  warehouse *w = *state;
  make_writes(w, "x");
  make_writes(w, "y");
  make_writes(w, "z");
  warehouse_run(w, "CREATE TABLE p (a INT) PARTITIONED BY (k INT)");
  run_at(w, "ALTER TABLE p ADD PARTITION (k=1) LOCATION %s", "x"); /* takes write id 1 */
  warehouse_run(w, "ALTER TABLE p ADD PARTITION (k=2)");
  run_at(w, "ALTER TABLE p PARTITION (k=2) SET LOCATION %s", "y");
  warehouse_run(w, "INSERT INTO p VALUES (4, 1), (4, 2)");
  assert_rows(w, "SELECT a, k, ROW__ID.writeid FROM p ORDER BY k, a",
              "1\t1\t1\n2\t1\t2\n3\t1\t3\n4\t1\t6\n1\t2\t1\n2\t2\t2\n3\t2\t3\n4\t2\t6\n");
  warehouse_run(w, "CREATE TABLE t (a INT)");
  run_at(w, "ALTER TABLE t SET LOCATION %s", "z");
  w->opts.boot_id = "another start";
  warehouse_reopen(w);
  assert_rows(w, "SELECT count(*) FROM p", "8\n");
  assert_rows(w, "SELECT a, ROW__ID.writeid FROM t ORDER BY a", "1\t1\n2\t2\n3\t3\n");
}

static void a_write_with_the_id_of_an_aborted_one_is_not_attached(void **state) {
  warehouse *w = *state;
  char sql[400];
  make_writes(w, "x");
  warehouse_run(w, "CREATE TABLE t (a INT)");
  warehouse_run(w, "START TRANSACTION");
  warehouse_run(w, "INSERT INTO t VALUES (9)"); /* write id 1 */
  warehouse_run(w, "ROLLBACK");
  snprintf(sql, sizeof sql, "ALTER TABLE t SET LOCATION '%s/x'", w->dir);
  warehouse_fails(w, sql, "is open or was aborted");
  assert_rows(w, "SELECT * FROM t", "");
}

static void writes_that_somebody_left_are_not_taken_over(void **state) {
  warehouse *w = *state;
  make_writes(w, "t");
  warehouse_run(w, "CREATE TABLE t (a INT)");
  assert_non_null(strstr(skep_session_notice(w->session, 0), "holds files that are no table's"));
  warehouse_run(w, "INSERT INTO t VALUES (7)");
  assert_rows(w, "SELECT a, ROW__ID.writeid FROM t", "7\t1\n");
  w->opts.boot_id = "another start";
  warehouse_reopen(w);
  assert_true(there(w, "t/base_0000001") && there(w, "t/delta_0000003_0000003_0000"));
  char sql[400];
  snprintf(sql, sizeof sql, "CREATE TABLE c LOCATION '%s/t' AS SELECT 1 AS a", w->dir);
  warehouse_fails(w, sql, "[Error 10304]");
  make_writes(w, "k=1");
  warehouse_run(w, "CREATE TABLE p (a INT) PARTITIONED BY (k INT)");
  put_away(w, "k=1", "p/k=1");
  warehouse_fails(w, "ALTER TABLE p ADD PARTITION (k=1)", "say LOCATION to attach them");
  run_at(w, "ALTER TABLE p ADD PARTITION (k=1) LOCATION %s", "p/k=1");
  assert_rows(w, "SELECT a FROM p ORDER BY a", "1\n2\n3\n");
}

static void run_sql(warehouse *w, const char *sql) {
  skep_db *db = warehouse_connect(w);
  assert_ok(skep_db_run(db, sql, SKEP_NO_PARAMS, NULL, &w->err), w->err);
  skep_db_close(db);
}

static void start_of_the_machine(warehouse *w, const char *id) {
  w->opts.boot_id = id;
  warehouse_reopen(w);
}

static void make_dir(const warehouse *w, const char *path) {
  char full[400];
  snprintf(full, sizeof full, "%s/%s", w->dir, path);
  assert_int_equal(mkdir(full, 0777), 0);
}

static void a_start_of_the_machine_removes_what_only_the_table_can_have_written(void **state) {
  warehouse *w = *state;
  warehouse_run(w, "CREATE TABLE t (a INT)");
  warehouse_run(w, "INSERT INTO t VALUES (1)");
  warehouse_run(w, "CREATE TABLE a (a INT) PARTITIONED BY (k INT)");
  warehouse_run(w, "INSERT INTO a VALUES (1, 1)");
  warehouse_run(w, "CREATE TABLE b (a INT) PARTITIONED BY (k INT)");
  for (int i = 0; i < 3; i++) warehouse_run(w, "INSERT INTO b VALUES (2, 2)");
  warehouse_run(w, "ALTER TABLE b ADD PARTITION (k=1)");
  /* no statement does that; older versions did, and Hive */
  run_sql(w, "UPDATE \"SDS\" SET \"LOCATION\" = replace(\"LOCATION\", '/b/k=1', '/a//k=1/.')");
  warehouse_run(w, "INSERT INTO b VALUES (5, 1)"); /* write id 5, into the directory of a */
  make_dir(w, "t/delta_0000002_0000002_0000");
  make_dir(w, "a/k=2");
  make_dir(w, "a/k=2/delta_0000002_0000002_0000");
  start_of_the_machine(w, "2");
  assert_false(there(w, "t/delta_0000002_0000002_0000") || there(w, "a/k=2/delta_0000002_0000002_0000"));
  assert_true(there(w, "t/delta_0000001_0000001_0000") && there(w, "a/k=1/delta_0000005_0000005_0000"));
  assert_rows(w, "SELECT a FROM b WHERE k = 1 ORDER BY a", "1\n5\n");
  for (int i = 0; i < 6; i++) warehouse_run(w, "INSERT INTO a VALUES (1, 3)"); /* past write id 5 */
  assert_rows(w, "SELECT a FROM a WHERE k = 1", "1\n");
}

static void leftovers_outside_of_the_warehouse_stay_and_are_never_visible(void **state) {
  warehouse *w = *state;
  char inside[200];
  snprintf(inside, sizeof inside, "%s/wh", w->dir);
  w->opts.warehouse_dir = inside;
  warehouse_reopen(w);
  run_at(w, "CREATE TABLE t (a INT) PARTITIONED BY (k INT) LOCATION %s", "out");
  warehouse_run(w, "INSERT INTO t VALUES (1, 1)");
  warehouse_run(w, "INSERT INTO t VALUES (2, 2)");
  put_away(w, "out/k=2/delta_0000002_0000002_0000", "out/k=2/delta_0000005_0000005_0000");
  start_of_the_machine(w, "2");
  assert_true(there(w, "out/k=2/delta_0000005_0000005_0000"));
  for (int i = 0; i < 3; i++) warehouse_run(w, "INSERT INTO t VALUES (1, 1)");
  assert_rows(w, "SELECT DISTINCT k FROM t", "1\n");
  assert_rows(w, "SELECT count(*) FROM t", "4\n");
  start_of_the_machine(w, "3");
  assert_rows(w, "SELECT count(*) FROM t", "4\n");
}

static void a_table_that_cannot_be_looked_at_keeps_nobody_out(void **state) {
  warehouse *w = *state;
  warehouse_run(w, "CREATE TABLE t (a INT)");
  warehouse_run(w, "CREATE TABLE far (a INT)");
  warehouse_run(w, "CREATE TABLE odd (b INT)");
  warehouse_run(w, "CREATE TABLE nowhere (a INT)");
  run_sql(w, "UPDATE \"SDS\" SET \"LOCATION\" = 'hdfs://h/far' WHERE \"LOCATION\" LIKE '%/far'");
  run_sql(w, "UPDATE \"SDS\" SET \"LOCATION\" = NULL WHERE \"LOCATION\" LIKE '%/nowhere'");
  make_dir(w, "t/delta_0000001_0000001_0000");
  start_of_the_machine(w, "2");
  assert_false(there(w, "t/delta_0000001_0000001_0000"));
  assert_rows(w, "SELECT count(*) FROM t", "0\n");
  assert_null(skep_session_notice(w->session, 0));
  run_sql(w, "UPDATE \"COLUMNS_V2\" SET \"TYPE_NAME\" = 'geometry' WHERE \"COLUMN_NAME\" = 'b'");
  for (int i = 0; i < 2; i++) { /* not recovered: tried again */
    make_dir(w, "t/delta_0000001_0000001_0000");
    start_of_the_machine(w, "3");
    assert_false(there(w, "t/delta_0000001_0000001_0000"));
    assert_rows(w, "SELECT count(*) FROM t", "0\n");
    assert_non_null(strstr(skep_session_notice(w->session, 0), "default.odd could not be looked at"));
    assert_rows(w, "SELECT count(*) FROM t", "0\n");
    assert_null(skep_session_notice(w->session, 0));
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
#define TEST_WITHOUT_LOCKS(name) cmocka_unit_test_setup_teardown(name, setup_without_locks, teardown)
  const struct CMUnitTest tests[] = {
      TEST(directories_come_and_go_with_their_objects),
      TEST(a_failed_create_leaves_nothing),
      TEST(location_is_nobody_elses),
      TEST(the_kind_of_a_table_follows_words_properties_and_settings),
      TEST(a_renamed_table_keeps_rows_and_write_ids),
      TEST(a_rename_into_a_directory_that_is_there_changes_nothing),
      TEST(renamed_partitions_take_their_files_along),
      TEST(transactional_ddl_takes_write_ids),
      TEST(columns_change_as_hive_lets_them),
      TEST(a_plain_table_becomes_acid_with_its_files_as_they_are),
      TEST(a_plain_table_becomes_insert_only_with_its_files_in_a_delta),
      TEST_WITHOUT_LOCKS(a_reader_keeps_what_is_dropped),
      TEST(what_is_dropped_while_a_cleaner_works_is_left_to_it),
      TEST_WITHOUT_LOCKS(a_partition_waits_for_the_files_of_its_predecessor),
      TEST_WITHOUT_LOCKS(a_writer_whose_table_went_away_fails_at_its_commit),
      TEST_WITHOUT_LOCKS(an_added_column_is_null_in_rows_of_a_writer_who_did_not_know_it),
      TEST(no_name_leads_out_of_the_warehouse),
      TEST(ddl_is_refused_inside_a_transaction),
      TEST(writes_at_a_location_are_attached_below_the_next_write_id),
      TEST(writes_at_the_location_of_a_partition_are_attached),
      TEST(a_write_with_the_id_of_an_aborted_one_is_not_attached),
      TEST(a_start_of_the_machine_removes_what_only_the_table_can_have_written),
      TEST(leftovers_outside_of_the_warehouse_stay_and_are_never_visible),
      TEST(a_table_that_cannot_be_looked_at_keeps_nobody_out),
      TEST(writes_that_somebody_left_are_not_taken_over),
      TEST(statistics_follow_writes_and_counts)};
#undef TEST
#undef TEST_WITHOUT_LOCKS
  return cmocka_run_group_tests(tests, NULL, NULL);
}
