/* Statements that change tables, as lists of statement and answer. An answer is the rows (`copy` text, tab between
 * columns, newline after each), or "!" and a part of the error. Right answers: hiveql.md 3.3, 4; golden 01 to 06,
 * 15, 23. */
#include "support/warehouse.h"

typedef struct line {
  const char *sql;
  const char *answer; /* NULL: no rows */
} line;

static void play(const line *lines, size_t n) {
  static warehouse w;
  warehouse_open(&w);
  for (size_t i = 0; i < n; i++) {
    if (lines[i].answer != NULL && lines[i].answer[0] == '!') {
      warehouse_fails(&w, lines[i].sql, lines[i].answer + 1);
      continue;
    }
    const char *rows = warehouse_rows(&w, lines[i].sql), *want = lines[i].answer != NULL ? lines[i].answer : "";
    if (strcmp(rows, want) != 0) fail_msg("%s\nanswers\n%sexpected\n%s", lines[i].sql, rows, want);
  }
  warehouse_close(&w);
}
#define PLAY(...)                              \
  do {                                         \
    static const line lines[] = {__VA_ARGS__}; \
    play(lines, sizeof lines / sizeof *lines); \
  } while (0)

#define ACID " STORED AS ORC TBLPROPERTIES ('transactional'='true')"
#define PLAIN " STORED AS ORC TBLPROPERTIES ('transactional'='false')"

/* ---- INSERT ---- */

static void insert_takes_column_lists_and_defaults(void **state) {
  (void)state;
  PLAY({"CREATE TABLE t (a INT, b STRING DEFAULT 'dflt', c DOUBLE)" ACID, NULL},
       {"INSERT INTO t (c, a) VALUES (1.5, 1), (2, 2)", NULL}, {"INSERT INTO t VALUES (3, DEFAULT, DEFAULT)", NULL},
       {"INSERT INTO t (b, a) SELECT concat('x', cast(a AS STRING)), a + 10 FROM t WHERE a < 3", NULL},
       {"SELECT * FROM t ORDER BY a", "1\tdflt\t1.5\n2\tdflt\t2.0\n3\tdflt\t\\N\n11\tx1\t\\N\n12\tx2\t\\N\n"},
       {"INSERT INTO t (a, nope) VALUES (1, 2)", "!'[nope]' in insert schema specification"},
       {"INSERT INTO t (a, a) VALUES (1, 2)", "!10036"}, {"INSERT INTO t (a, b) VALUES (1)", "!Error 10044"},
       {"INSERT INTO t VALUES (1)",
        "!SemanticException [Error 10044]: Line 1:12 Cannot insert into target table because column number/types are "
        "different 't': Table insclause-0 has 3 columns, but query has 1 columns."},
       {"INSERT INTO nope VALUES (1)", "!SemanticException [Error 10001]: Line 1:12 Table not found 'nope'"},
       {"SELECT count(*) FROM t", "5\n"});
}

static void insert_converts_as_cast_does(void **state) {
  (void)state;
  PLAY({"CREATE TABLE t (i INT, s STRING, d DECIMAL(5,2), c CHAR(3), v VARCHAR(2), dt DATE, ts TIMESTAMP, b "
        "BOOLEAN)" ACID,
        NULL},
       {"INSERT INTO t VALUES ('12', 5, '1.239', 'abcd', 'xyz', '2026-01-02', '2026-01-02 03:04:05.678901234', true)",
        NULL},
       {"INSERT INTO t VALUES ('x', 1.5, 99999, 'a', '', 'no date', NULL, NULL)", NULL},
       {"SELECT * FROM t ORDER BY s",
        "\\N\t1.5\t\\N\ta  \t\t\\N\t\\N\t\\N\n12\t5\t1.24\tabc\txy\t2026-01-02\t2026-01-02 03:04:05.678901234\ttrue\n"},
       {"INSERT INTO t SELECT array(1), '', 0, '', '', NULL, NULL, NULL", "!Error 10044"});
}

static void partitions_are_static_or_dynamic(void **state) {
  (void)state;
  PLAY({"CREATE TABLE p (a INT) PARTITIONED BY (d DATE, n INT)" ACID, NULL},
       {"INSERT INTO p PARTITION (d='2026-01-01', n=7) VALUES (1)", NULL},
       {"INSERT INTO p PARTITION (d='2026-01-01', n) VALUES (2, 8), (3, '007')", NULL},
       {"INSERT INTO p VALUES (4, '2026-01-02', 7), (5, NULL, 7)", NULL},
       {"INSERT INTO p PARTITION (d, n) (a, n) VALUES (6, 9)", NULL},
       {"SELECT * FROM p ORDER BY a",
        "1\t2026-01-01\t7\n2\t2026-01-01\t8\n3\t2026-01-01\t7\n4\t2026-01-02\t7\n5\t\\N\t7\n6\t\\N\t9\n"},
       {"SELECT a FROM p WHERE d = '2026-01-01' AND n = 7 ORDER BY a", "1\n3\n"},
       {"INSERT INTO p PARTITION (d, n=1) VALUES (1, '2026-01-01')", "!Error 10094"},
       {"INSERT INTO p PARTITION (nope='x') VALUES (1)",
        "!ValidationFailureSemanticException default.p: Partition spec {nope=x} contains non-partition columns"},
       {"INSERT INTO p PARTITION (d='2026-01-01', n='seven') VALUES (1)", "!Error 10248"},
       {"SET hive.exec.dynamic.partition.mode=strict", NULL},
       {"INSERT INTO p PARTITION (d, n) VALUES (1, '2026-01-01', 1)", "!Error 10096"},
       {"INSERT INTO p VALUES (7, '2026-01-03', 1)", NULL}, /* Hive 4.0.1 asks who wrote the clause only */
       {"RESET", NULL}, {"SET hive.exec.max.dynamic.partitions=2", NULL},
       {"INSERT INTO p VALUES (1, '2026-01-01', 1),(1, '2026-01-01', 2),(1, '2026-01-01', 3)", "!20004"},
       {"RESET", NULL}, {"SET hive.exec.max.dynamic.partitions.pernode=2", NULL},
       {"INSERT INTO p VALUES (1, '2026-01-01', 1),(1, '2026-01-01', 2),(1, '2026-01-01', 3)", "!20004"},
       {"SELECT count(*) FROM p", "7\n"});
}

static void overwrite_replaces_what_it_names(void **state) {
  (void)state;
  PLAY({"CREATE TABLE t (a INT)" ACID, NULL}, {"INSERT INTO t VALUES (1),(2)", NULL},
       {"INSERT OVERWRITE TABLE t SELECT a * 10 FROM t", NULL}, {"SELECT * FROM t ORDER BY a", "10\n20\n"},
       {"INSERT OVERWRITE TABLE t SELECT * FROM t WHERE false", NULL}, {"SELECT count(*) FROM t", "0\n"},
       {"CREATE TABLE p (a INT) PARTITIONED BY (n INT)" ACID, NULL}, {"INSERT INTO p VALUES (1,1),(2,2),(3,3)", NULL},
       {"INSERT OVERWRITE TABLE p VALUES (20,2)", NULL}, {"SELECT * FROM p ORDER BY n", "1\t1\n20\t2\n3\t3\n"},
       {"INSERT OVERWRITE TABLE p PARTITION (n=1) SELECT a FROM p WHERE false", NULL},
       {"SELECT * FROM p ORDER BY n", "20\t2\n3\t3\n"},
       {"INSERT OVERWRITE TABLE p PARTITION (n=2) IF NOT EXISTS VALUES (99)", NULL},
       {"INSERT OVERWRITE TABLE p PARTITION (n=4) IF NOT EXISTS VALUES (44)", NULL},
       {"INSERT OVERWRITE TABLE p PARTITION (n) IF NOT EXISTS VALUES (44,5)", "!Error 10127"},
       {"SELECT * FROM p ORDER BY n", "20\t2\n3\t3\n44\t4\n"});
}

static void one_statement_may_have_several_targets(void **state) {
  (void)state;
  PLAY({"CREATE TABLE s (id INT, op STRING)" ACID, NULL}, {"CREATE TABLE a (id INT)" ACID, NULL},
       {"CREATE TABLE p (id INT) PARTITIONED BY (x STRING)" ACID, NULL},
       {"INSERT INTO s VALUES (1,'u'),(2,'d'),(3,'u')", NULL},
       {"FROM s INSERT INTO TABLE a SELECT id WHERE op = 'u' INSERT INTO TABLE p PARTITION (x='d') SELECT id WHERE op "
        "= 'd' "
        "INSERT INTO TABLE p PARTITION (x) SELECT id + 10, op",
        NULL},
       {"SELECT ROW__ID.bucketid, id FROM a ORDER BY id", "536870912\t1\n536870912\t3\n"},
       {"SELECT ROW__ID.bucketid, id, x FROM p ORDER BY id",
        "536870913\t2\td\n536870914\t11\tu\n536870914\t12\td\n536870914\t13\tu\n"},
       /* the targets are read as they were before the statement */
       {"FROM (SELECT * FROM a) q INSERT INTO TABLE a SELECT id + 100 INSERT INTO TABLE s SELECT id, 'copy'", NULL},
       {"SELECT count(*) FROM s WHERE op = 'copy'", "2\n"},
       {"FROM s INSERT INTO TABLE a SELECT id INSERT INTO TABLE a SELECT id",
        "!SemanticException [Error 10087]: The same output cannot be present multiple times:  a"},
       {"SELECT count(*) FROM a", "4\n"}, {"INSERT INTO a VALUES (1000)", NULL},
       /* the refused one used up write id 3, as in Hive */
       {"SELECT ROW__ID.writeid FROM a WHERE id = 1000", "4\n"});
}

static void sides_of_a_union_have_statement_ids_of_their_own(void **state) {
  (void)state;
  PLAY({"CREATE TABLE t (a INT, b STRING)" ACID, NULL}, {"CREATE TABLE s (k INT)" ACID, NULL},
       {"INSERT INTO s VALUES (0)", NULL},
       {"INSERT INTO t SELECT 1, 'x' FROM s UNION ALL SELECT 2, 'y' FROM s UNION ALL SELECT 3, 'z' FROM s", NULL},
       {"SELECT ROW__ID.bucketid, ROW__ID.rowid, a FROM t ORDER BY a",
        "536870913\t0\t1\n536870914\t0\t2\n536870915\t0\t3\n"},
       {"INSERT INTO t (b) SELECT 'p' FROM s UNION ALL SELECT 'q'", NULL},
       {"SELECT ROW__ID.bucketid, a, b FROM t WHERE a IS NULL ORDER BY b", "536870913\t\\N\tp\n536870914\t\\N\tq\n"},
       {"INSERT INTO t SELECT 1 AS a, 'u' AS b UNION SELECT 1, 'u'", NULL},
       {"SELECT ROW__ID.bucketid FROM t WHERE b = 'u'", "536870912\n"});
}

/* ---- UPDATE and DELETE ---- */

static void update_carries_what_is_not_assigned(void **state) {
  (void)state;
  PLAY({"CREATE TABLE t (id INT, ts TIMESTAMP, c CHAR(5), d DOUBLE, u UNIONTYPE<INT,STRING>, m MAP<STRING,ARRAY<INT>>, "
        "s STRUCT<a:INT,b:STRING>, x DECIMAL(38,18))" ACID,
        NULL},
       {"INSERT INTO t SELECT 1, timestamp '0001-01-01 00:00:00.000000001', 'ab', cast('NaN' AS DOUBLE), "
        "create_union(1, 5, 'u'), map('k', array(1, cast(NULL AS INT))), named_struct('a', 1, 'b', cast(NULL AS "
        "STRING)), "
        "cast('12345678901234567890.123456789012345678' AS DECIMAL(38,18))",
        NULL},
       {"UPDATE t SET id = 2 WHERE id = 1", NULL},
       {"SELECT * FROM t",
        "2\t0001-01-01 00:00:00.000000001\tab   \tNaN\t{1:\"u\"}\t{\"k\":[1,null]}\t{\"a\":1,\"b\":null}\t"
        "12345678901234567890.123456789012345678\n"});
}

static void right_sides_see_the_old_row(void **state) {
  (void)state;
  PLAY(
      {"CREATE TABLE t (a INT, b INT DEFAULT 9, c STRING)" ACID, NULL},
      {"INSERT INTO t VALUES (1, 2, 'x'), (3, 4, 'y')", NULL}, {"UPDATE t SET a = b, b = a", NULL},
      {"SELECT * FROM t ORDER BY a", "2\t1\tx\n4\t3\ty\n"}, {"UPDATE t SET b = DEFAULT, c = DEFAULT WHERE a = 2", NULL},
      {"SELECT * FROM t ORDER BY a", "2\t9\t\\N\n4\t3\ty\n"},
      {"UPDATE t SET a = (SELECT max(a) FROM t) + 1 WHERE t.a IN (SELECT a FROM t WHERE c IS NULL)", NULL},
      {"SELECT a FROM t ORDER BY a", "4\n5\n"}, {"UPDATE t SET b = 1/0", NULL}, {"SELECT count(b) FROM t", "0\n"},
      {"UPDATE t SET nocol = 1",
       "!SemanticException [Error 10408]: Target column \"nocol\" of set clause is not found in table \"default.t\"."});
}

static void what_acid_forbids_is_refused(void **state) {
  (void)state;
  PLAY({"CREATE TABLE plain (id INT, v STRING)" PLAIN, NULL},
       {"CREATE TABLE mm (id INT, v STRING) STORED AS ORC TBLPROPERTIES "
        "('transactional'='true','transactional_properties'='insert_only')",
        NULL},
       {"CREATE TABLE b (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS" ACID, NULL},
       {"CREATE TABLE p (id INT, v STRING) PARTITIONED BY (d STRING)" ACID, NULL},
       {"UPDATE plain SET v = 'x'",
        "!SemanticException [Error 10297]: Attempt to do update or delete on table plain that is not transactional"},
       {"DELETE FROM plain WHERE id = 1", "!Error 10297"},
       {"MERGE INTO plain t USING b s ON t.id = s.id WHEN MATCHED THEN DELETE", "!Error 10297"},
       {"UPDATE mm SET v = 'x'",
        "!SemanticException [Error 10414]: Attempt to do update or delete on table mm that is insert-only "
        "transactional"},
       {"DELETE FROM mm WHERE id = 1", "!Error 10414"},
       {"UPDATE b SET id = 5",
        "!SemanticException [Error 10302]: Updating values of bucketing columns is not supported.  Column id."},
       {"UPDATE p SET d = 'z'",
        "!SemanticException [Error 10292]: Updating values of partition columns is not supported"},
       {"LOAD DATA INPATH '/x' INTO TABLE b", "!No files matching path file:/x"},
       {"EXPLAIN FORMATTED SELECT 1", "!not supported"});
}

static void plain_tables_are_read_and_written(void **state) {
  (void)state;
  PLAY({"CREATE TABLE t (a INT, b STRING)" PLAIN, NULL}, {"INSERT INTO t VALUES (1,'x')", NULL},
       {"INSERT INTO t VALUES (2,'y')", NULL}, {"SELECT * FROM t ORDER BY a", "1\tx\n2\ty\n"},
       {"INSERT OVERWRITE TABLE t SELECT a + 10, b FROM t", NULL}, {"SELECT * FROM t ORDER BY a", "11\tx\n12\ty\n"},
       {"TRUNCATE TABLE t", NULL}, {"SELECT count(*) FROM t", "0\n"}, {"INSERT INTO t VALUES (3,'z')", NULL},
       {"SELECT * FROM t", "3\tz\n"}, {"CREATE TABLE p (a INT) PARTITIONED BY (n INT)" PLAIN, NULL},
       {"INSERT INTO p VALUES (1,1),(2,2)", NULL}, {"INSERT OVERWRITE TABLE p VALUES (20,2)", NULL},
       {"SELECT * FROM p ORDER BY n", "1\t1\n20\t2\n"}, {"START TRANSACTION", NULL},
       {"INSERT INTO t VALUES (4,'w')", "!20007"}, {"SELECT count(*) FROM t", "1\n"});
}

static void deleting_everything_truncates(void **state) {
  (void)state;
  PLAY({"CREATE TABLE t (a INT)" ACID, NULL}, {"INSERT INTO t VALUES (1),(2)", NULL}, {"DELETE FROM t", NULL},
       {"SELECT count(*) FROM t", "0\n"}, {"INSERT INTO t VALUES (3)", NULL},
       {"SELECT ROW__ID.writeid, a FROM t", "3\t3\n"}, {"CREATE TABLE p (a INT) PARTITIONED BY (n INT)" ACID, NULL},
       {"INSERT INTO p VALUES (1,1),(2,2)", NULL}, {"TRUNCATE TABLE p PARTITION (n=1)", NULL},
       {"SELECT * FROM p", "2\t2\n"}, {"TRUNCATE TABLE p PARTITION (n=9)", "!Error 10006]: Partition not found {n=9}"},
       {"TRUNCATE TABLE t PARTITION (n=9)", "!Error 10148"}, {"TRUNCATE TABLE p", NULL}, {"SELECT * FROM p", NULL},
       {"TRUNCATE TABLE nope", "!Error 10001"});
}

/* ---- constraints ---- */

static void constraints_are_enforced_on_every_way_in(void **state) {
  (void)state;
  PLAY({"CREATE TABLE t (id INT NOT NULL, v INT CHECK (v > 0), w STRING)" ACID, NULL},
       {"INSERT INTO t VALUES (1, 5, 'a'), (2, NULL, 'b')", NULL}, /* a CHECK that is NULL passes */
       {"INSERT INTO t VALUES (NULL, 1, 'x')",
        "!DataConstraintViolationError: Either CHECK or NOT NULL constraint violated!"},
       {"INSERT INTO t VALUES (3, 0, 'x')", "!constraint violated"},
       {"UPDATE t SET v = v - 5 WHERE id = 1", "!constraint violated"},
       {"UPDATE t SET id = NULL", "!constraint violated"},
       {"INSERT OVERWRITE TABLE t VALUES (1, -1, NULL)", "!constraint violated"},
       {"FROM t INSERT INTO TABLE t SELECT id, v, w WHERE id = 1 INSERT OVERWRITE TABLE t SELECT id, -1, w", "!10087"},
       {"MERGE INTO t USING (SELECT 1 AS k, -3 AS x) s ON t.id = s.k WHEN MATCHED THEN UPDATE SET v = s.x "
        "WHEN NOT MATCHED THEN INSERT VALUES (s.k, 1, 'm')",
        "!constraint violated"},
       {"MERGE INTO t USING (SELECT 9 AS k, -3 AS x) s ON t.id = s.k WHEN MATCHED THEN UPDATE SET v = 1 "
        "WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.x, 'm')",
        "!constraint violated"},
       {"MERGE INTO t USING (SELECT 9 AS k, 3 AS x) s ON t.id = s.k WHEN MATCHED THEN UPDATE SET v = 1 "
        "WHEN NOT MATCHED THEN INSERT VALUES (s.k, s.x, 'm')",
        NULL},
       {"SELECT * FROM t ORDER BY id", "1\t5\ta\n2\t\\N\tb\n9\t3\tm\n"});
}

/* ---- MERGE ---- */

static void merge_has_all_clauses(void **state) {
  (void)state;
  PLAY(
      {"CREATE TABLE t (id INT, name STRING, qty INT)" ACID, NULL},
      {"CREATE TABLE s (id INT, name STRING, qty INT, op STRING)" ACID, NULL},
      {"INSERT INTO t VALUES (1,'one',10),(2,'two',20),(3,'three',30),(4,'four',40),(5,'five',50)", NULL},
      {"INSERT INTO s VALUES (2,'TWO',200,'u'),(3,'x',0,'d'),(6,'six',60,'i'),(7,'seven',70,'i'),(5,'FIVE',-1,'u')",
       NULL},
      {"MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND s.op = 'd' THEN DELETE WHEN MATCHED AND s.op = 'u' THEN "
       "UPDATE "
       "SET name = s.name, qty = t.qty + s.qty WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.name, s.qty)",
       NULL},
      {"SELECT ROW__ID.writeid, ROW__ID.bucketid, ROW__ID.rowid, * FROM t ORDER BY id",
       "1\t536870912\t0\t1\tone\t10\n2\t536870914\t0\t2\tTWO\t220\n1\t536870912\t3\t4\tfour\t40\n"
       "2\t536870914\t1\t5\tFIVE\t49\n2\t536870915\t0\t6\tsix\t60\n2\t536870915\t1\t7\tseven\t70\n"},
      {"MERGE INTO t AS x USING (SELECT * FROM s WHERE id > 5) AS y ON x.id = y.id WHEN MATCHED THEN DELETE", NULL},
      {"MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED AND s.id > 3 THEN INSERT (qty, id) VALUES (DEFAULT, s.id)",
       NULL},
      {"SELECT * FROM t ORDER BY id", "1\tone\t10\n2\tTWO\t220\n4\tfour\t40\n5\tFIVE\t49\n6\t\\N\t\\N\n7\t\\N\t\\N\n"});
}

static void merge_chooses_branches_as_hive_does(void **state) {
  (void)state;
  PLAY({"CREATE TABLE t (id INT, v INT)" ACID, NULL}, {"INSERT INTO t VALUES (1,1),(2,2),(3,3),(NULL,0)", NULL},
       /* a first condition that is NULL lets neither branch fire */
       {"MERGE INTO t USING (SELECT 1 AS k, cast(NULL AS INT) AS x UNION ALL SELECT 2, 0 UNION ALL SELECT 3, 1) s ON "
        "t.id = s.k "
        "WHEN MATCHED AND s.x = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET v = v + 100",
        NULL},
       {"SELECT * FROM t WHERE id IS NOT NULL ORDER BY id", "1\t1\n2\t102\n"},
       {"MERGE INTO t USING (SELECT 1 AS k UNION ALL SELECT 1) s ON t.id = s.k WHEN MATCHED THEN UPDATE SET v = 0",
        "!Cardinality Violation in Merge statement: [1, 536870912, 0]"},
       /* by ON alone, whatever the other conditions say */
       {"MERGE INTO t USING (SELECT 1 AS k, 1 AS x UNION ALL SELECT 1, 2) s ON t.id = s.k WHEN MATCHED AND s.x = 1 "
        "THEN DELETE",
        "!Cardinality Violation"},
       {"MERGE INTO t USING (SELECT 7 AS k UNION ALL SELECT 7) s ON t.id = s.k WHEN NOT MATCHED THEN INSERT VALUES (k, "
        "7)",
        NULL},
       {"SELECT count(*) FROM t WHERE id = 7", "2\n"}, {"SET hive.merge.cardinality.check=false", NULL},
       {"MERGE INTO t USING (SELECT 1 AS k, 1 AS x UNION ALL SELECT 1, 2) s ON t.id = s.k WHEN MATCHED AND s.x = 1 "
        "THEN DELETE",
        NULL},
       {"SELECT count(*) FROM t WHERE id = 1", "0\n"});
}

static void merge_refuses_what_hive_refuses(void **state) {
  (void)state;
  PLAY(
      {"CREATE TABLE t (id INT, v INT)" ACID, NULL}, {"CREATE TABLE s (id INT)" ACID, NULL},
      {"MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN MATCHED THEN UPDATE SET v = 1",
       "!SemanticException [Error 10404]: MERGE statement with both UPDATE and DELETE clauses requires \"AND "
       "<boolean>\" on the "
       "1st WHEN MATCHED clause of <MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE"},
      {"MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND v=1 THEN DELETE WHEN MATCHED THEN DELETE", "!Error 10405"},
      {"MERGE INTO t USING s ON t.id = s.id WHEN MATCHED AND v=1 THEN UPDATE SET v=1 WHEN MATCHED THEN UPDATE SET v=2",
       "!Error 10406"},
      {"MERGE INTO t USING s ON s.id = 1 WHEN NOT MATCHED THEN INSERT VALUES (1, 1)", "!Error 10149"},
      {"MERGE INTO t USING s ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (1)", "!Error 10044"},
      {"MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET nope = 1", "!Error 10408"},
      {"MERGE INTO t USING nope ON t.id = nope.id WHEN MATCHED THEN DELETE", "!Error 10001"});
}

static void merge_follows_partitions(void **state) {
  (void)state;
  PLAY(
      {"CREATE TABLE t (id INT, v STRING) PARTITIONED BY (d DATE) CLUSTERED BY (id) INTO 2 BUCKETS" ACID, NULL},
      {"INSERT INTO t VALUES (1,'a','2026-01-01'),(2,'b','2026-01-01'),(1,'c','2026-01-02')", NULL},
      {"MERGE INTO t USING (SELECT 1 AS k, date '2026-01-02' AS dd UNION ALL SELECT 5, date '2026-01-03') s "
       "ON t.id = s.k AND t.d = s.dd WHEN MATCHED THEN UPDATE SET v = concat(v, '!') "
       "WHEN NOT MATCHED THEN INSERT VALUES (s.k, 'new', s.dd)",
       NULL},
      {"SELECT * FROM t ORDER BY d, id", "1\ta\t2026-01-01\n2\tb\t2026-01-01\n1\tc!\t2026-01-02\n5\tnew\t2026-01-03\n"},
      /* the same row id in two partitions is no violation */
      {"MERGE INTO t USING (SELECT 1 AS k) s ON t.id = s.k WHEN MATCHED THEN UPDATE SET v = 'both'", NULL},
      {"SELECT v FROM t WHERE id = 1", "both\nboth\n"});
}

/* ---- transactions ---- */

static void a_transaction_sees_its_own_writes(void **state) {
  (void)state;
  PLAY({"CREATE TABLE t (id INT, v INT)" ACID, NULL}, {"CREATE TABLE p (id INT) PARTITIONED BY (n INT)" ACID, NULL},
       {"INSERT INTO t VALUES (1,1),(2,2)", NULL}, {"START TRANSACTION", NULL}, {"INSERT INTO t VALUES (3,3)", NULL},
       {"UPDATE t SET v = v * 10 WHERE id >= 2", NULL}, {"DELETE FROM t WHERE id = 1", NULL},
       {"INSERT INTO p SELECT id, v FROM t", NULL}, {"UPDATE p SET id = id + 100", NULL},
       {"SELECT * FROM t ORDER BY id", "2\t20\n3\t30\n"}, {"SELECT * FROM p ORDER BY n", "102\t20\n103\t30\n"},
       {"COMMIT", NULL}, {"SELECT * FROM p ORDER BY n", "102\t20\n103\t30\n"}, {"START TRANSACTION", NULL},
       {"DELETE FROM t", NULL}, {"SELECT count(*) FROM t", "0\n"}, {"INSERT INTO p VALUES (1, 99)", NULL},
       {"ROLLBACK", NULL}, {"SELECT count(*) FROM t", "2\n"}, {"SELECT count(*) FROM p", "2\n"},
       {"COMMIT", "!LockException [Error 20008]: Operation COMMIT is not allowed without an active transaction"},
       {"ROLLBACK", "!20008"});
}

static void a_failed_statement_ends_its_transaction(void **state) {
  (void)state;
  PLAY({"CREATE TABLE t (id INT)" ACID, NULL}, {"START TRANSACTION", NULL}, {"INSERT INTO t VALUES (1)", NULL},
       {"CREATE TABLE x (a INT)", "!20007"}, {"COMMIT", "!20008"}, {"SELECT count(*) FROM t", "0\n"},
       {"START TRANSACTION", NULL}, {"INSERT INTO t VALUES (1)", NULL}, {"SELECT nope FROM t", "!10004"},
       {"ROLLBACK", "!20008"}, {"SELECT * FROM t", NULL}, {"START TRANSACTION", NULL}, {"START TRANSACTION", "!20007"},
       {"INSERT INTO t VALUES (5)", NULL}, {"SELECT * FROM t", "5\n"});
}

/* ---- CREATE TABLE AS ---- */

static void a_table_is_made_from_a_query(void **state) {
  (void)state;
  PLAY({"CREATE TABLE s (a INT, b STRING)" ACID, NULL}, {"INSERT INTO s VALUES (1,'x'),(2,'y')", NULL},
       {"CREATE TABLE t" ACID " AS SELECT a, b, a * 1.5 AS c FROM s", NULL},
       {"SELECT ROW__ID.writeid, * FROM t ORDER BY a", "1\t1\tx\t1.5\n1\t2\ty\t3.0\n"},
       {"INSERT INTO t VALUES (3,'z',0)", NULL}, {"SELECT count(*) FROM t", "3\n"},
       {"CREATE TABLE p PARTITIONED BY (a)" ACID " AS SELECT a, b FROM s", NULL},
       {"SELECT * FROM p ORDER BY a", "x\t1\ny\t2\n"}, {"CREATE TABLE e" ACID " AS SELECT * FROM s WHERE false", NULL},
       {"SELECT * FROM e", NULL}, {"CREATE TABLE v" ACID " AS SELECT NULL AS n", "!10305"},
       {"SELECT * FROM v", "!10001"}, {"CREATE TABLE t" ACID " AS SELECT 1 AS x", "!already exists"},
       {"CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS x", NULL},
       {"CREATE TABLE plain" PLAIN " AS SELECT a FROM s", NULL}, {"SELECT * FROM plain ORDER BY a", "1\n2\n"});
}

/* ---- settings ---- */

static void settings_are_printed_as_hive_does(void **state) {
  (void)state;
  PLAY({"SET x.y=1", NULL}, {"SET x.y", "x.y=1\n"}, {"SET no.such", "no.such is undefined\n"},
       {"SET hivevar:who=world", NULL},
       {"SELECT 'hello ${who} ${hivevar:who} ${hiveconf:x.y} ${nope}'", "hello world world 1 ${nope}\n"},
       {"SET hivevar:who", "hivevar:who=world\n"}, {"SET", "x.y=1\nhivevar:who=world\n"},
       {"SET env:HOME=x", "!env:* variables"}, {"RESET x.y", NULL}, {"SET x.y", "x.y is undefined\n"},
       {"SET hive.merge.cardinality.check=perhaps", "!not true or false"}, {"CREATE DATABASE d", NULL}, {"USE d", NULL},
       {"SELECT current_database()", "d\n"}, {"USE nope", "!Error 10072"}, {"CREATE TABLE t (a INT)" ACID, NULL},
       {"USE default", NULL}, {"SELECT * FROM d.t", NULL}, {"SELECT * FROM t", "!10001"});
}

/* Hive says nothing. */
static void values_that_do_not_fit_their_column_are_told(void **state) {
  static const struct {
    const char *rows, *notices[3];
  } cases[] = {
      {"(99999999999, 'x', 'c', 'notadate'), (1, NULL, 'y', '2026-01-01')",
       {"column a: 1 value is outside of the range of int: what is stored differs, as in Hive",
        "column b: 1 value is no bigint and became NULL, as in Hive",
        "column d: 1 value is no date and became the default partition's, as in Hive"}},
      {"(-2147483649, '1', 'c', '2026-01-01'), (2147483648.5, ' 2', 'c', '2026-01-01')",
       {"column a: 2 values are outside of the range of int: what is stored differs, as in Hive"}},
      {"(-2147483648, '9223372036854775807', NULL, NULL), (2147483647, NULL, '', DATE '2026-01-01')", {NULL}},
      {"(1.5, '2.5', 3, '2026-01-01')", {NULL}},
  };
  static warehouse here, *w = &here;
  (void)state;
  warehouse_open(w);
  warehouse_run(w, "CREATE TABLE lost (a INT, b BIGINT, c STRING) PARTITIONED BY (d DATE)");
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char sql[400];
    snprintf(sql, sizeof sql, "INSERT INTO lost VALUES %s", cases[i].rows);
    warehouse_run(w, sql);
    for (size_t k = 0; k < 3; k++) {
      const char *said = skep_session_notice(w->session, k), *expected = cases[i].notices[k];
      if ((said == NULL) != (expected == NULL) || (said != NULL && strcmp(said, expected) != 0))
        fail_msg("%s: %s", sql, said != NULL ? said : "nothing");
      if (said == NULL) break;
    }
  }
  warehouse_close(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(insert_takes_column_lists_and_defaults),
      cmocka_unit_test(insert_converts_as_cast_does),
      cmocka_unit_test(values_that_do_not_fit_their_column_are_told),
      cmocka_unit_test(partitions_are_static_or_dynamic),
      cmocka_unit_test(overwrite_replaces_what_it_names),
      cmocka_unit_test(one_statement_may_have_several_targets),
      cmocka_unit_test(sides_of_a_union_have_statement_ids_of_their_own),
      cmocka_unit_test(update_carries_what_is_not_assigned),
      cmocka_unit_test(right_sides_see_the_old_row),
      cmocka_unit_test(what_acid_forbids_is_refused),
      cmocka_unit_test(plain_tables_are_read_and_written),
      cmocka_unit_test(deleting_everything_truncates),
      cmocka_unit_test(constraints_are_enforced_on_every_way_in),
      cmocka_unit_test(merge_has_all_clauses),
      cmocka_unit_test(merge_chooses_branches_as_hive_does),
      cmocka_unit_test(merge_refuses_what_hive_refuses),
      cmocka_unit_test(merge_follows_partitions),
      cmocka_unit_test(a_transaction_sees_its_own_writes),
      cmocka_unit_test(a_failed_statement_ends_its_transaction),
      cmocka_unit_test(a_table_is_made_from_a_query),
      cmocka_unit_test(settings_are_printed_as_hive_does),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
