/* The rows that statements leave in the metastore, and SHOW of transactions, locks and compactions: golden
 * 19-metastore. Ids and times differ from run to run and are left out, or are the golden ones where the test stores
 * them. */
#include "db/db.h"
#include "support/warehouse.h"

typedef struct fixture {
  warehouse w;
  skep_db *db; /* a second connection to the metastore */
  skep_buf rows;
} fixture;

static int setup(void **state) {
  static fixture f;
  *state = &f;
  warehouse_open(&f.w);
  f.db = warehouse_connect(&f.w);
  skep_buf_init(&f.rows, &f.w.ctx, 1 << 20);
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  skep_buf_fini(&f->rows);
  skep_db_close(f->db);
  warehouse_close(&f->w);
  return 0;
}

/* Rows of a query on the metastore: cells separated by '|', NULL as \N, the warehouse's directory as W. */
static const char *metastore(fixture *f, const char *sql) {
  skep_stmt *stmt = NULL;
  skep_status st;
  skep_buf_reset(&f->rows);
  assert_ok(skep_db_query(f->db, sql, SKEP_NO_PARAMS, &stmt, &f->w.err), f->w.err);
  while ((st = skep_stmt_next(stmt, &f->w.err)) == SKEP_OK) {
    for (int i = 0; i < skep_stmt_n_columns(stmt); i++) {
      const char *text = skep_stmt_text(stmt, i, NULL), *at = text == NULL ? "\\N" : text;
      if (i > 0) skep_buf_byte(&f->rows, '|');
      while (*at != '\0') {
        bool inside = strncmp(at, f->w.dir, strlen(f->w.dir)) == 0;
        skep_buf_byte(&f->rows, (uint8_t)(inside ? 'W' : *at));
        at += inside ? strlen(f->w.dir) : 1;
      }
    }
    skep_buf_byte(&f->rows, '\n');
  }
  assert_int_equal(st, SKEP_END);
  skep_stmt_done(stmt);
  return skep_buf_string(&f->rows);
}

static void make_s19(fixture *f) {
  warehouse_run(&f->w, "CREATE DATABASE s19 COMMENT 'metastore dump' WITH DBPROPERTIES ('owner team'='x')");
  warehouse_run(&f->w,
                "CREATE TABLE s19.t (id INT COMMENT 'the key', v STRING) COMMENT 'a table' STORED AS ORC "
                "TBLPROPERTIES ('transactional'='true','orc.compress'='ZSTD')");
  warehouse_run(&f->w,
                "CREATE TABLE s19.p (id INT, v STRING) PARTITIONED BY (d DATE, s STRING) CLUSTERED BY (id) INTO "
                "2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true')");
  warehouse_run(&f->w,
                "CREATE TABLE s19.cons (id INT NOT NULL, k STRING DEFAULT 'dflt', PRIMARY KEY (id) DISABLE "
                "NOVALIDATE) STORED AS ORC TBLPROPERTIES ('transactional'='true')");
}

static void new_tables_have_the_rows_that_hive_stores(void **state) {
  fixture *f = *state;
  make_s19(f);
  assert_string_equal(metastore(f,
                                "SELECT \"NAME\", \"DESC\", \"DB_LOCATION_URI\", \"OWNER_TYPE\", \"CTLG_NAME\", "
                                "\"TYPE\", \"DATACONNECTOR_NAME\", \"REMOTE_DBNAME\" FROM \"DBS\" ORDER BY \"DB_ID\""),
                      "default|Default Hive database|file:W|ROLE|hive|NATIVE|\\N|\\N\n"
                      "s19|metastore dump|file:W/s19.db|USER|hive|NATIVE|\\N|\\N\n");
  assert_string_equal(metastore(f, "SELECT \"PARAM_KEY\", \"PARAM_VALUE\" FROM \"DATABASE_PARAMS\""), "owner team|x\n");
  assert_string_equal(
      metastore(f,
                "SELECT \"TBL_NAME\", \"TBL_TYPE\", \"LAST_ACCESS_TIME\", \"OWNER_TYPE\", \"RETENTION\", "
                "\"VIEW_EXPANDED_TEXT\", \"IS_REWRITE_ENABLED\", \"WRITE_ID\" FROM \"TBLS\" ORDER BY "
                "\"TBL_ID\""),
      "t|MANAGED_TABLE|0|USER|0|\\N|0|0\np|MANAGED_TABLE|0|USER|0|\\N|0|0\n"
      "cons|MANAGED_TABLE|0|USER|0|\\N|0|0\n");
  assert_string_equal(metastore(f,
                                "SELECT \"INPUT_FORMAT\", \"IS_COMPRESSED\", \"LOCATION\", \"NUM_BUCKETS\", "
                                "\"OUTPUT_FORMAT\", \"IS_STOREDASSUBDIRECTORIES\" FROM \"SDS\" ORDER BY \"SD_ID\""),
                      "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat|0|file:W/s19.db/t|-1|"
                      "org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat|0\n"
                      "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat|0|file:W/s19.db/p|2|"
                      "org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat|0\n"
                      "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat|0|file:W/s19.db/cons|-1|"
                      "org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat|0\n");
  assert_string_equal(
      metastore(f, "SELECT \"NAME\", \"SLIB\", \"DESCRIPTION\", \"SERDE_TYPE\" FROM \"SERDES\" LIMIT 1"),
      "\\N|org.apache.hadoop.hive.ql.io.orc.OrcSerde|\\N|0\n");
  assert_string_equal(metastore(f, "SELECT * FROM \"SERDE_PARAMS\" ORDER BY 1"),
                      "1|serialization.format|1\n2|serialization.format|1\n3|serialization.format|1\n");
  assert_string_equal(metastore(f, "SELECT * FROM \"COLUMNS_V2\" ORDER BY \"CD_ID\", \"INTEGER_IDX\""),
                      "1|the key|id|int|0\n1|\\N|v|string|1\n2|\\N|id|int|0\n2|\\N|v|string|1\n3|\\N|id|int|0\n"
                      "3|\\N|k|string|1\n");
  assert_string_equal(metastore(f, "SELECT * FROM \"PARTITION_KEYS\" ORDER BY \"INTEGER_IDX\""),
                      "2|\\N|d|date|0\n2|\\N|s|string|1\n");
  assert_string_equal(metastore(f, "SELECT * FROM \"BUCKETING_COLS\""), "2|id|0\n");
  assert_string_equal(metastore(f,
                                "SELECT \"PARAM_KEY\", \"PARAM_VALUE\" FROM \"TABLE_PARAMS\" WHERE \"TBL_ID\" = 2 AND "
                                "\"PARAM_KEY\" <> 'transient_lastDdlTime' ORDER BY 1"),
                      "bucketing_version|2\ntransactional|true\ntransactional_properties|default\n");
  assert_string_equal(
      metastore(f,
                "SELECT \"PARENT_CD_ID\", \"PARENT_INTEGER_IDX\", \"PARENT_TBL_ID\", \"POSITION\", "
                "\"CONSTRAINT_TYPE\", \"UPDATE_RULE\", \"ENABLE_VALIDATE_RELY\", \"DEFAULT_VALUE\", "
                "substr(\"CONSTRAINT_NAME\", 1, 13) FROM \"KEY_CONSTRAINTS\" ORDER BY 5"),
      "3|0|3|1|0|\\N|0|\\N|pk_134003840_\n3|0|3|1|3|\\N|5|\\N|nn_134002011_\n3|1|3|1|4|\\N|5|'dflt'|dc_21873294_1\n");
}

static void writes_leave_the_rows_that_hive_leaves(void **state) {
  fixture *f = *state;
  make_s19(f);
  warehouse_run(&f->w,
                "INSERT INTO s19.p VALUES (1,'a','2026-01-01','x'),(2,'b','2026-01-02','y/z'),"
                "(3,'c','2026-01-02',NULL)");
  warehouse_run(&f->w, "INSERT INTO s19.cons (id) VALUES (1)");
  warehouse_run(&f->w, "DELETE FROM s19.p WHERE id = 2");
  assert_string_equal(metastore(f,
                                "SELECT \"PART_NAME\", \"LAST_ACCESS_TIME\", \"WRITE_ID\", \"LOCATION\", "
                                "\"NUM_BUCKETS\", \"CD_ID\" FROM \"PARTITIONS\" P JOIN \"SDS\" S ON S.\"SD_ID\" = "
                                "P.\"SD_ID\" ORDER BY 1"),
                      "d=2026-01-01/s=x|0|1|file:W/s19.db/p/d=2026-01-01/s=x|2|2\n"
                      "d=2026-01-02/s=__HIVE_DEFAULT_PARTITION__|0|1|"
                      "file:W/s19.db/p/d=2026-01-02/s=__HIVE_DEFAULT_PARTITION__|2|2\n"
                      "d=2026-01-02/s=y%2Fz|0|2|file:W/s19.db/p/d=2026-01-02/s=y%2Fz|2|2\n");
  assert_string_equal(metastore(f,
                                "SELECT \"PART_KEY_VAL\", V.\"INTEGER_IDX\" FROM \"PARTITION_KEY_VALS\" V JOIN "
                                "\"PARTITIONS\" P ON P.\"PART_ID\" = V.\"PART_ID\" ORDER BY \"PART_NAME\", 2"),
                      "2026-01-01|0\nx|1\n2026-01-02|0\n__HIVE_DEFAULT_PARTITION__|1\n2026-01-02|0\ny/z|1\n");
  /* golden 19: partition 75, whose one row was deleted: two files, no rows */
  assert_string_equal(
      metastore(f,
                "SELECT \"PARAM_KEY\", \"PARAM_VALUE\" FROM \"PARTITION_PARAMS\" A JOIN \"PARTITIONS\" "
                "P ON P.\"PART_ID\" = A.\"PART_ID\" WHERE \"PART_NAME\" LIKE '%y\\%2Fz' ESCAPE '\\' "
                "AND \"PARAM_KEY\" NOT IN ('totalSize', 'transient_lastDdlTime') ORDER BY 1"),
      "COLUMN_STATS_ACCURATE|{\"BASIC_STATS\":\"true\"}\nnumFiles|2\nnumFilesErasureCoded|0\nnumRows|0\n"
      "rawDataSize|0\n");
  assert_string_equal(metastore(f,
                                "SELECT \"PARAM_KEY\", \"PARAM_VALUE\" FROM \"TABLE_PARAMS\" WHERE \"TBL_ID\" = 3 AND "
                                "\"PARAM_KEY\" NOT IN ('totalSize', 'transient_lastDdlTime') ORDER BY 1"),
                      "COLUMN_STATS_ACCURATE|{\"BASIC_STATS\":\"true\"}\nbucketing_version|2\nnumFiles|1\n"
                      "numFilesErasureCoded|0\nnumRows|1\nrawDataSize|0\ntransactional|true\n"
                      "transactional_properties|default\n");
  assert_string_equal(metastore(f, "SELECT \"WRITE_ID\" FROM \"TBLS\" ORDER BY \"TBL_ID\""), "0\n0\n1\n");
}

static void store(fixture *f, const char *sql) {
  assert_ok(skep_db_run(f->db, sql, SKEP_NO_PARAMS, NULL, &f->w.err), f->w.err);
}

static void locks_are_shown_as_hive_shows_them(void **state) {
  fixture *f = *state;
  store(
      f,
      "INSERT INTO \"HIVE_LOCKS\" VALUES (1761, 1, 4214, 's19', 'p', NULL, 'a', 'r', 0, 1795980351696, 'root', 'vm', "
      "NULL, 'agent1', NULL, NULL), (1762, 1, 4214, 's19', 't', NULL, 'a', 'x', 0, 1795980352408, 'root', 'vm', NULL, "
      "'agent1', NULL, NULL), (1763, 1, 4215, 's19', 't', NULL, 'a', 'r', 0, 1795980353385, 'root', 'vm', NULL, "
      "'agent2', NULL, NULL), (1764, 1, 0, 's19', 't', 'k=1', 'w', 'e', 5, NULL, 'root', 'vm', NULL, 'agent3', 1762, "
      "1)");
#define HEADER                                                                                                        \
  "Lock ID\tDatabase\tTable\tPartition\tState\tBlocked By\tType\tTransaction ID\tLast Heartbeat\tAcquired At\tUser\t" \
  "Hostname\tAgent Info\n"
#define ROW_P "1761.1\ts19\tp\tNULL\tACQUIRED\t            \tSHARED_READ\t4214\t0\t1795980351696\troot\tvm\tagent1\n"
#define ROWS_T                                                                                            \
  "1763.1\ts19\tt\tNULL\tACQUIRED\t            \tSHARED_READ\t4215\t0\t1795980353385\troot\tvm\tagent2\n" \
  "1762.1\ts19\tt\tNULL\tACQUIRED\t            \tEXCL_WRITE\t4214\t0\t1795980352408\troot\tvm\tagent1\n"  \
  "1764.1\ts19\tt\tk=1\tWAITING\t1762.1\tEXCLUSIVE\tNULL\t5\tNULL\troot\tvm\tagent3\n"
  assert_string_equal(warehouse_rows(&f->w, "SHOW LOCKS"), HEADER ROW_P ROWS_T);
  assert_string_equal(warehouse_rows(&f->w, "SHOW LOCKS s19.t EXTENDED"), HEADER ROWS_T);
  assert_string_equal(warehouse_rows(&f->w, "SHOW LOCKS DATABASE s19"), HEADER ROW_P ROWS_T);
  assert_string_equal(warehouse_rows(&f->w, "SHOW LOCKS nope"), HEADER);
}

static void compactions_are_shown_as_hive_shows_them(void **state) {
  fixture *f = *state;
  store(f,
        "INSERT INTO \"COMPLETED_COMPACTIONS\" (\"CC_ID\", \"CC_DATABASE\", \"CC_TABLE\", \"CC_PARTITION\", "
        "\"CC_STATE\", \"CC_TYPE\", \"CC_ENQUEUE_TIME\", \"CC_START\", \"CC_END\", \"CC_HADOOP_JOB_ID\", "
        "\"CC_NEXT_TXN_ID\", \"CC_TXN_ID\", \"CC_COMMIT_TIME\", \"CC_INITIATOR_ID\") VALUES "
        "(30, 's20', 't', NULL, 's', 'i', 1795980269399, 1795980269474, 1795980276570, 'job_local1666411503_0020', "
        "4007, 4007, 1795980274860, 'vm-manual'), (35, 's21', 'r', NULL, 's', 'r', 1795980317615, 1795980317639, "
        "1795980331546, NULL, NULL, 4126, NULL, 'vm-manual'), (38, 's21', 'p', 'p=x', 's', 'a', 1795980333218, "
        "1795980333238, 1795980335156, NULL, 4183, 4180, 1795980333894, 'vm-manual')");
  store(f,
        "INSERT INTO \"COMPACTION_QUEUE\" (\"CQ_ID\", \"CQ_DATABASE\", \"CQ_TABLE\", \"CQ_PARTITION\", \"CQ_STATE\", "
        "\"CQ_TYPE\", \"CQ_ENQUEUE_TIME\", \"CQ_START\", \"CQ_HADOOP_JOB_ID\", \"CQ_NEXT_TXN_ID\", \"CQ_TXN_ID\", "
        "\"CQ_COMMIT_TIME\", \"CQ_INITIATOR_ID\") VALUES (39, 's19', 't', NULL, 'r', 'i', 1795980343883, "
        "1795980343911, 'job_local523677923_0022', 4209, 4209, 1795980349258, 'vm-manual'), (40, 's19', 'p', "
        "'d=2026-01-02/s=y%2Fz', 'i', 'a', 1795980349361, NULL, NULL, NULL, NULL, NULL, 'vm-manual')");
  const char *text = warehouse_rows(&f->w, "SHOW COMPACTIONS");
  const char *end = strchr(text, '\n');
  assert_non_null(end);
  assert_true(strstr(text, "CompactionId\tDatabase\tTable\tPartition\tType\tState\t") == text);
  assert_string_equal(
      end + 1,
      "35\ts21\tr\t --- \tREBALANCE\tsucceeded\t --- \t --- \t1795980317615\t1795980317639\t13907\tNone\t --- "
      "\tvm\tmanual"
      "\tdefault\t4126\t0\t0\t --- \n"
      "40\ts19\tp\td=2026-01-02/s=y%2Fz\tMAJOR\tinitiated\t --- \t --- \t1795980349361\t --- \t --- \tNone\t --- \tvm"
      "\tmanual\tdefault\t0\t0\t0\t --- \n"
      "39\ts19\tt\t --- \tMINOR\tready for cleaning\t --- \t --- \t1795980343883\t1795980343911\t --- "
      "\tjob_local523677923_0022\t --- \tvm\tmanual\tdefault\t4209\t4209\t1795980349258\t --- \n"
      "38\ts21\tp\tp=x\tMAJOR\tsucceeded\t --- \t --- \t1795980333218\t1795980333238\t1918\tNone\t --- \tvm\tmanual"
      "\tdefault\t4180\t4183\t1795980333894\t --- \n"
      "30\ts20\tt\t --- \tMINOR\tsucceeded\t --- \t --- \t1795980269399\t1795980269474\t7096"
      "\tjob_local1666411503_0020\t --- \tvm\tmanual\tdefault\t4007\t4007\t1795980274860\t --- \n");
  assert_non_null(strstr(warehouse_rows(&f->w, "SHOW COMPACTIONS s20.t"), "\n30\t"));
  assert_null(strstr(skep_buf_string(&f->w.text), "\n38\t"));
  assert_non_null(strstr(warehouse_rows(&f->w, "SHOW COMPACTIONS STATUS 'ready for cleaning'"), "\n39\t"));
  assert_null(strstr(skep_buf_string(&f->w.text), "\n30\t"));
}

static void extended_tables_name_their_files(void **state) {
  fixture *f = *state;
  make_s19(f);
  warehouse_run(&f->w, "INSERT INTO s19.t VALUES (1,'a'),(2,'b')");
  const char *text = warehouse_rows(&f->w, "SHOW TABLE EXTENDED IN s19 LIKE 't'");
  assert_true(strncmp(text, "tableName:t\nowner:", 18) == 0);
  /* golden 19 show_table_extended.tsv */
  assert_non_null(strstr(text,
                         "\ncolumns:struct columns { i32 id, string v}\npartitioned:false\npartitionColumns:\n"
                         "totalNumberFiles:2\ntotalFileSize:"));
  assert_non_null(strstr(text, "\nminFileSize:1\n")); /* _orc_acid_version */
  text = warehouse_rows(&f->w, "SHOW TABLE EXTENDED IN s19 LIKE 'p'");
  assert_non_null(strstr(text, "partitioned:true\npartitionColumns:struct partition_columns { date d, string s}\n\n"));
  assert_null(strstr(text, "totalNumberFiles"));
  warehouse_run(&f->w, "ALTER TABLE s19.p ADD PARTITION (d='2026-01-01', s='x')");
  text = warehouse_rows(&f->w, "SHOW TABLE EXTENDED IN s19 LIKE 'p' PARTITION (d='2026-01-01', s='x')");
  assert_non_null(strstr(text, "/p/d=2026-01-01/s=x\n"));
  assert_non_null(strstr(text, "totalNumberFiles:0\ntotalFileSize:0\nmaxFileSize:0\nminFileSize:0\n"));
  assert_string_equal(warehouse_rows(&f->w, "SHOW TABLE EXTENDED LIKE 'nope'"), "");
  assert_string_equal(warehouse_rows(&f->w, "SHOW FUNCTIONS LIKE 'murmur%'"), "murmur_hash\n");
}

static void transactions_are_shown_while_open_or_aborted(void **state) {
  fixture *f = *state;
  skep_session *other;
  warehouse_run(&f->w, "CREATE TABLE t (a INT)");
  assert_ok(skep_session_open(&f->w.opts, &other, &f->w.err), f->w.err);
  assert_int_equal(warehouse_try(&f->w, other, "START TRANSACTION"), SKEP_OK);
  assert_int_equal(warehouse_try(&f->w, other, "INSERT INTO t VALUES (1)"), SKEP_OK);
  const char *text = warehouse_rows(&f->w, "SHOW TRANSACTIONS");
  assert_non_null(
      strstr(text, "Transaction ID\tTransaction State\tStarted Time\tLast Heartbeat Time\tUser\tHostname\tType\t"));
  const char *row = strchr(text, '\n') + 1;
  long long id = strtoll(row, NULL, 10);
  assert_true(id > 0 && strstr(row, "\tOPEN\t") != NULL);
  char sql[64];
  snprintf(sql, sizeof sql, "ABORT TRANSACTIONS %lld 999999", id);
  warehouse_run(&f->w, sql);
  assert_non_null(strstr(warehouse_rows(&f->w, "SHOW TRANSACTIONS"), "\tABORTED\t"));
  assert_int_not_equal(warehouse_try(&f->w, other, "COMMIT"), SKEP_OK);
  skep_session_close(other);
  assert_string_equal(warehouse_rows(&f->w, "SELECT * FROM t"), "");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(new_tables_have_the_rows_that_hive_stores), TEST(writes_leave_the_rows_that_hive_leaves),
      TEST(locks_are_shown_as_hive_shows_them),        TEST(compactions_are_shown_as_hive_shows_them),
      TEST(extended_tables_name_their_files),          TEST(transactions_are_shown_while_open_or_aborted)};
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
