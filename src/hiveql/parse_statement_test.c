/* Statements: every form, read and printed in one spelling, which reads back to the same. The spelling says what the
 * tree holds; fields that a spelling cannot show are looked at one by one below. Forms follow hiveql.md 3 - 6. */
#include "hiveql/parse_testing.h"

typedef struct statement_case {
  skep_statement_kind kind;
  const char *text;
  const char *canonical; /* NULL: the text itself */
} statement_case;

static void check_cases(parse_fixture *f, const statement_case *cases, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const skep_statement *s = parsed(f, cases[i].text);
    const char *expected = cases[i].canonical == NULL ? cases[i].text : cases[i].canonical;
    const char *text = printed(f, s);
    if (strcmp(text, expected) != 0) {
      fail_msg("%s\n  is       %s\n  expected %s", cases[i].text, text, expected);
    }
    if (s->kind != cases[i].kind) fail_msg("%s: is a %s", cases[i].text, skep_statement_name(s));
    const char *again = printed(f, parsed(f, text));
    if (strcmp(again, text) != 0) fail_msg("%s\n  reads back as %s", text, again);
    if (s->kind == SKEP_STMT_QUERY) assert_true(skep_query_equal(s->query, parsed(f, text)->query));
  }
}
#define CHECK(cases) check_cases(*state, cases, sizeof(cases) / sizeof(cases)[0])

static void queries_keep_their_shape(void **state) {
  static const statement_case cases[] = {
      {SKEP_STMT_QUERY, "SELECT 1", NULL},
      {SKEP_STMT_QUERY, "select * from T;", "SELECT * FROM t"},
      {SKEP_STMT_QUERY, "SELECT all a x, b as y, `c d` z from Db.T as u",
       "SELECT a AS x, b AS y, `c d` AS z FROM db.t AS u"},
      {SKEP_STMT_QUERY, "SELECT DISTINCT t.*, db.t.* FROM db.t", NULL},
      {SKEP_STMT_QUERY, "SELECT /*+ MAPJOIN(a) */ a FROM t", NULL},
      {SKEP_STMT_QUERY,
       "SELECT a FROM t WHERE a > 1 GROUP BY a HAVING count(*) > 1 ORDER BY a DESC NULLS LAST, b LIMIT 5", NULL},
      {SKEP_STMT_QUERY, "SELECT a FROM t ORDER BY a ASC NULLS FIRST LIMIT 2, 3",
       "SELECT a FROM t ORDER BY a NULLS FIRST LIMIT 3 OFFSET 2"},
      {SKEP_STMT_QUERY, "SELECT a FROM t LIMIT 3 OFFSET 2", NULL},
      {SKEP_STMT_QUERY, "SELECT a limit FROM t limit LIMIT 1", "SELECT a AS `limit` FROM t AS `limit` LIMIT 1"},
      {SKEP_STMT_QUERY, "SELECT a FROM t sort sort by a", "SELECT a FROM t AS `sort` SORT BY (a)"},
      {SKEP_STMT_QUERY, "SELECT a FROM t CLUSTER BY a, b", NULL},
      {SKEP_STMT_QUERY, "SELECT a FROM t DISTRIBUTE BY (a, b) SORT BY (a desc, b)",
       "SELECT a FROM t DISTRIBUTE BY a, b SORT BY (a DESC, b)"},
      {SKEP_STMT_QUERY, "SELECT a FROM t SORT BY a + 1 DESC", "SELECT a FROM t SORT BY (a + 1 DESC)"},
      {SKEP_STMT_QUERY, "SELECT explode(a) AS (k, v) FROM t", NULL},
      {SKEP_STMT_QUERY, "SELECT a FROM t GROUP BY ()", NULL},
      {SKEP_STMT_QUERY, "SELECT a FROM t GROUP BY a, b WITH ROLLUP", NULL},
      {SKEP_STMT_QUERY, "SELECT a FROM t GROUP BY CUBE(a, b)", "SELECT a FROM t GROUP BY a, b WITH CUBE"},
      {SKEP_STMT_QUERY, "SELECT a FROM t GROUP BY a, b GROUPING SETS ((a, b), a, ())",
       "SELECT a FROM t GROUP BY a, b GROUPING SETS ((a, b), (a), ())"},
      {SKEP_STMT_QUERY,
       "SELECT sum(a) OVER w FROM t WINDOW w AS (PARTITION BY b ORDER BY c DESC), x AS (w ROWS BETWEEN UNBOUNDED "
       "PRECEDING AND CURRENT ROW)",
       NULL},
      {SKEP_STMT_QUERY, "SELECT sum(a) OVER (w DISTRIBUTE BY b SORT BY c RANGE 3 PRECEDING) FROM t",
       "SELECT sum(a) OVER (w PARTITION BY b ORDER BY c RANGE BETWEEN 3 PRECEDING AND CURRENT ROW) FROM t"},
      {SKEP_STMT_QUERY, "SELECT rank() OVER () FROM t QUALIFY rank() OVER (ORDER BY a) = 1", NULL},
      {SKEP_STMT_QUERY, "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a) FROM t", NULL},
      {SKEP_STMT_QUERY, "FROM t SELECT a WHERE b ORDER BY a", "SELECT a FROM t WHERE b ORDER BY a"},
      {SKEP_STMT_QUERY, "SELECT 1 UNION SELECT 2 UNION ALL SELECT 3 INTERSECT SELECT 4",
       "SELECT 1 UNION DISTINCT SELECT 2 UNION ALL SELECT 3 INTERSECT DISTINCT SELECT 4"},
      {SKEP_STMT_QUERY, "SELECT 1 MINUS (SELECT 2 EXCEPT ALL SELECT 3) ORDER BY 1",
       "SELECT 1 EXCEPT DISTINCT (SELECT 2 EXCEPT ALL SELECT 3) ORDER BY 1"},
      {SKEP_STMT_QUERY, "(SELECT a FROM t ORDER BY a LIMIT 1) UNION ALL (SELECT 2) LIMIT 3",
       "(SELECT a FROM t ORDER BY a LIMIT 1) UNION ALL SELECT 2 LIMIT 3"},
      {SKEP_STMT_QUERY, "((SELECT a FROM t LIMIT 1))", "SELECT a FROM t LIMIT 1"},
      {SKEP_STMT_QUERY, "WITH x AS (SELECT 1), y (a, b) AS (SELECT 1, 2) SELECT * FROM x, y", NULL},
      {SKEP_STMT_QUERY,
       "SELECT (SELECT max(b) FROM u WHERE u.a = t.a) AS m FROM t WHERE EXISTS (SELECT 1 FROM u) AND a IN (SELECT b "
       "FROM u)",
       NULL},
      {SKEP_STMT_QUERY, "VALUES (1, 'a'), (2, 'b')", NULL},
  };
  CHECK(cases);
}

static void from_takes_all_sources_and_joins(void **state) {
  static const statement_case cases[] = {
      {SKEP_STMT_QUERY, "SELECT * FROM a, b, c", NULL},
      {SKEP_STMT_QUERY, "SELECT * FROM a JOIN b ON a.x = b.x INNER JOIN c USING (x, y)",
       "SELECT * FROM a JOIN b ON a.x = b.x JOIN c USING (x, y)"},
      {SKEP_STMT_QUERY, "SELECT * FROM a LEFT JOIN b ON true RIGHT OUTER JOIN c ON true FULL JOIN d ON true",
       "SELECT * FROM a LEFT OUTER JOIN b ON TRUE RIGHT OUTER JOIN c ON TRUE FULL OUTER JOIN d ON TRUE"},
      {SKEP_STMT_QUERY, "SELECT * FROM a LEFT SEMI JOIN b ON a.x = b.x LEFT ANTI JOIN c ON a.x = c.x CROSS JOIN d",
       NULL},
      {SKEP_STMT_QUERY, "SELECT * FROM a JOIN (b JOIN c ON b.x = c.x) ON a.x = b.x", NULL},
      {SKEP_STMT_QUERY, "SELECT * FROM (SELECT 1 AS x) AS q, (VALUES (1, 'a')) AS v(i, s)", NULL},
      {SKEP_STMT_QUERY, "SELECT * FROM TABLE(VALUES (1), (2)) AS v (i)", "SELECT * FROM (VALUES (1), (2)) AS v(i)"},
      {SKEP_STMT_QUERY, "SELECT * FROM (VALUES (1 AS a, 'x' b), (2, 'y')) t",
       "SELECT * FROM (VALUES (1 AS a, 'x' AS b), (2, 'y')) AS t"},
      {SKEP_STMT_QUERY, "SELECT * FROM t LATERAL VIEW explode(a) e AS x LATERAL VIEW OUTER posexplode(b) f AS p, v",
       NULL},
      {SKEP_STMT_QUERY, "SELECT * FROM t, LATERAL VIEW explode(a) e", "SELECT * FROM t LATERAL VIEW explode(a) e"},
      {SKEP_STMT_QUERY, "SELECT * FROM t LATERAL TABLE(VALUES (t.a, 1), (t.b, 2)) AS v (x, n)",
       "SELECT * FROM t LATERAL VIEW inline(array(struct(t.a, 1), struct(t.b, 2))) v AS x, n"},
      {SKEP_STMT_QUERY, "SELECT * FROM a JOIN b LATERAL VIEW explode(c) e AS x ON a.i = b.i",
       "SELECT * FROM a JOIN (b LATERAL VIEW explode(c) e AS x) ON a.i = b.i"},
      {SKEP_STMT_QUERY, "SELECT * FROM a JOIN b ON a.i = b.i LATERAL VIEW explode(c) e AS x",
       "SELECT * FROM (a JOIN b ON a.i = b.i) LATERAL VIEW explode(c) e AS x"},
      {SKEP_STMT_QUERY, "SELECT * FROM t ('acid.fetch.deleted.rows'='true') x",
       "SELECT * FROM t ('acid.fetch.deleted.rows'='true') AS x"},
      {SKEP_STMT_QUERY, "SELECT * FROM t TABLESAMPLE(BUCKET 1 OUT OF 4 ON id, rand()) s",
       "SELECT * FROM t TABLESAMPLE(BUCKET 1 OUT OF 4 ON id, rand()) AS s"},
      {SKEP_STMT_QUERY, "SELECT * FROM t TABLESAMPLE(0.1 PERCENT)", NULL},
      {SKEP_STMT_QUERY, "SELECT * FROM t TABLESAMPLE(10 ROWS)", NULL},
      {SKEP_STMT_QUERY, "SELECT * FROM t TABLESAMPLE(2k)", "SELECT * FROM t TABLESAMPLE(2048b)"},
      {SKEP_STMT_QUERY, "SELECT * FROM t FOR SYSTEM_TIME AS OF '2020-01-01' AS x", NULL},
      {SKEP_STMT_QUERY, "SELECT * FROM t FOR SYSTEM_VERSION AS OF 5", NULL},
      {SKEP_STMT_QUERY, "SELECT * FROM db.t.files", NULL},
      {SKEP_STMT_QUERY, "SELECT * FROM (a, b) JOIN c", "SELECT * FROM a, b JOIN c"},
  };
  CHECK(cases);
}

static void rows_are_changed(void **state) {
  static const statement_case cases[] = {
      {SKEP_STMT_INSERT, "INSERT INTO TABLE t VALUES (1, DEFAULT, -2)", "INSERT INTO t VALUES (1, DEFAULT, -2)"},
      {SKEP_STMT_INSERT, "INSERT INTO db.t PARTITION (a='x', b) (c, b) SELECT c, b FROM u", NULL},
      {SKEP_STMT_INSERT, "INSERT INTO t PARTITION (hr=='11') SELECT 1", "INSERT INTO t PARTITION (hr='11') SELECT 1"},
      {SKEP_STMT_INSERT, "INSERT INTO t (SELECT 1 UNION ALL SELECT 2)", "INSERT INTO t SELECT 1 UNION ALL SELECT 2"},
      {SKEP_STMT_INSERT, "INSERT OVERWRITE TABLE t PARTITION (p=-1) IF NOT EXISTS SELECT 1", NULL},
      {SKEP_STMT_INSERT,
       "INSERT OVERWRITE LOCAL DIRECTORY '/d' ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' STORED AS orc SELECT 1",
       NULL},
      {SKEP_STMT_INSERT, "WITH x AS (SELECT 1) INSERT INTO t SELECT * FROM x", NULL},
      {SKEP_STMT_INSERT,
       "FROM s INSERT INTO TABLE a SELECT x WHERE y > 1 LIMIT 2 INSERT OVERWRITE TABLE b PARTITION (p) SELECT z, p "
       "GROUP BY z, p",
       "FROM s INSERT INTO a SELECT x WHERE y > 1 LIMIT 2 INSERT OVERWRITE TABLE b PARTITION (p) SELECT z, p GROUP BY "
       "z, p"},
      {SKEP_STMT_INSERT, "FROM (SELECT 1 AS i) AS s INSERT INTO a SELECT i", NULL},
      {SKEP_STMT_UPDATE, "UPDATE db.t SET a = 1, b = b + 1 * 2, c = (a = 1), d = default WHERE a IN (SELECT x FROM u)",
       "UPDATE db.t SET a = 1, b = (b + 1 * 2), c = (a = 1), d = DEFAULT WHERE a IN (SELECT x FROM u)"},
      {SKEP_STMT_DELETE, "DELETE FROM t", NULL},
      {SKEP_STMT_DELETE, "DELETE FROM t WHERE t.a IS NOT NULL", NULL},
      {SKEP_STMT_MERGE,
       "MERGE INTO t AS a USING s b ON a.x = b.x WHEN MATCHED AND b.d THEN DELETE WHEN MATCHED THEN UPDATE SET y = b.y "
       "+ 1, z = DEFAULT WHEN NOT MATCHED AND b.x > 0 THEN INSERT (x, y) VALUES (b.x, DEFAULT)",
       "MERGE INTO t AS a USING s AS b ON a.x = b.x WHEN MATCHED AND b.d THEN DELETE WHEN MATCHED THEN UPDATE SET y = "
       "(b.y + 1), z = DEFAULT WHEN NOT MATCHED AND b.x > 0 THEN INSERT (x, y) VALUES (b.x, DEFAULT)"},
      {SKEP_STMT_MERGE, "MERGE /*+ semi(x) */ INTO t USING (SELECT 1 AS x) AS s ON t.x = s.x WHEN MATCHED THEN DELETE",
       NULL},
      {SKEP_STMT_LOAD, "LOAD DATA LOCAL INPATH '/f' OVERWRITE INTO TABLE t PARTITION (p=1) INPUTFORMAT 'i' SERDE 's'",
       NULL},
      {SKEP_STMT_EXPORT, "EXPORT TABLE t PARTITION (p='x') TO '/d' FOR METADATA REPLICATION('r')", NULL},
      {SKEP_STMT_IMPORT, "IMPORT EXTERNAL TABLE t FROM '/d' LOCATION '/e'", NULL},
      {SKEP_STMT_IMPORT, "IMPORT FROM '/d'", NULL},
      {SKEP_STMT_TRUNCATE, "TRUNCATE t", "TRUNCATE TABLE t"},
      {SKEP_STMT_TRUNCATE, "TRUNCATE TABLE t PARTITION (p=1) COLUMNS (a, b) FORCE", NULL},
  };
  CHECK(cases);
}

static void objects_are_created_and_dropped(void **state) {
  static const statement_case cases[] = {
      {SKEP_STMT_CREATE_DATABASE,
       "CREATE SCHEMA IF NOT EXISTS d COMMENT 'c' LOCATION '/l' MANAGEDLOCATION '/m' WITH DBPROPERTIES ('k'='v')",
       "CREATE DATABASE IF NOT EXISTS d COMMENT 'c' LOCATION '/l' MANAGEDLOCATION '/m' WITH DBPROPERTIES ('k'='v')"},
      {SKEP_STMT_DROP_DATABASE, "DROP DATABASE IF EXISTS d CASCADE", NULL},
      {SKEP_STMT_DROP_DATABASE, "DROP SCHEMA d RESTRICT", "DROP DATABASE d"},
      {SKEP_STMT_ALTER_DATABASE, "ALTER DATABASE d SET DBPROPERTIES ('k'='v')", NULL},
      {SKEP_STMT_ALTER_DATABASE, "ALTER DATABASE d SET OWNER ROLE r", NULL},
      {SKEP_STMT_ALTER_DATABASE, "ALTER DATABASE d SET MANAGEDLOCATION '/m'", NULL},
      {SKEP_STMT_USE, "USE d", NULL},
      {SKEP_STMT_USE, "use default", "USE `default`"},
      {SKEP_STMT_CREATE_TABLE,
       "CREATE TABLE IF NOT EXISTS db.t (a INT, B STRING COMMENT 'it\\'s') STORED AS ORC TBLPROPERTIES "
       "('transactional'='true')",
       "CREATE TABLE IF NOT EXISTS db.t (a int, b string COMMENT 'it\\'s') STORED AS orc TBLPROPERTIES "
       "('transactional'='true')"},
      {SKEP_STMT_CREATE_TABLE, "CREATE TABLE t (a MAP<STRING,ARRAY<STRUCT<k:INT,v:MAP<INT,STRING>>>>)",
       "CREATE TABLE t (a map<string, array<struct<k:int, v:map<int, string>>>>)"},
      {SKEP_STMT_CREATE_TABLE,
       "CREATE TABLE t (a int) COMMENT 'c' PARTITIONED BY (p string COMMENT 'x', q date) CLUSTERED BY (a) SORTED BY (a "
       "DESC NULLS LAST) INTO 4 BUCKETS SKEWED BY (a) ON (1, 2) STORED AS DIRECTORIES ROW FORMAT DELIMITED FIELDS "
       "TERMINATED BY ',' ESCAPED BY '\\\\' COLLECTION ITEMS TERMINATED BY ';' MAP KEYS TERMINATED BY ':' LINES "
       "TERMINATED BY '\\n' NULL DEFINED AS 'n' STORED AS textfile LOCATION '/l' TBLPROPERTIES ('a'='b', 'c'='d')",
       NULL},
      {SKEP_STMT_CREATE_TABLE,
       "CREATE TABLE t (a int) ROW FORMAT SERDE 's' WITH SERDEPROPERTIES ('k'='v') STORED AS INPUTFORMAT 'i' "
       "OUTPUTFORMAT 'o' INPUTDRIVER 'x' OUTPUTDRIVER 'y'",
       NULL},
      {SKEP_STMT_CREATE_TABLE, "CREATE TABLE t (a int) STORED BY 'h' WITH SERDEPROPERTIES ('k'='v')", NULL},
      {SKEP_STMT_CREATE_TABLE, "CREATE EXTERNAL TABLE t (a int)", NULL},
      {SKEP_STMT_CREATE_TABLE, "CREATE TEMPORARY TABLE t (a int)", NULL},
      {SKEP_STMT_CREATE_TABLE, "CREATE TRANSACTIONAL TABLE t (a int)", NULL},
      {SKEP_STMT_CREATE_TABLE, "CREATE MANAGED TABLE t (a int)", NULL},
      {SKEP_STMT_CREATE_TABLE,
       "CREATE TABLE t (a int NOT NULL, b string DEFAULT 'x', c double CHECK (c > 0 AND  c<1) ENABLE NOVALIDATE RELY, "
       "d int CONSTRAINT n UNIQUE DISABLE NOVALIDATE NORELY, e int PRIMARY KEY DISABLE, f int REFERENCES u (x) "
       "DISABLE)",
       NULL},
      {SKEP_STMT_CREATE_TABLE,
       "CREATE TABLE t (a int, CONSTRAINT k PRIMARY KEY (a) DISABLE NOVALIDATE, UNIQUE (a) DISABLE, CHECK (a > 1), "
       "CONSTRAINT f FOREIGN KEY (a) REFERENCES u (x) DISABLE)",
       NULL},
      {SKEP_STMT_CREATE_TABLE,
       "CREATE TABLE t (a int DEFAULT 5 NOT ENFORCED, b date DEFAULT current_date() COMMENT 'x', c int DEFAULT -1)",
       "CREATE TABLE t (a int DEFAULT 5 DISABLE, b date DEFAULT current_date() COMMENT 'x', c int DEFAULT -1)"},
      {SKEP_STMT_CREATE_TABLE, "CREATE TABLE t LIKE db.u STORED AS orc LOCATION '/l' TBLPROPERTIES ('a'='b')", NULL},
      {SKEP_STMT_CREATE_TABLE, "CREATE TABLE t LIKE FILE orc '/f'", NULL},
      {SKEP_STMT_CREATE_TABLE,
       "CREATE TABLE t PARTITIONED BY (p, q) STORED AS orc AS WITH x AS (SELECT 1) SELECT * FROM x", NULL},
      {SKEP_STMT_CREATE_TABLE, "CREATE TABLE t AS SELECT 1 AS a", NULL},
      {SKEP_STMT_DROP_TABLE, "DROP TABLE IF EXISTS db.t PURGE", NULL},
      {SKEP_STMT_CREATE_VIEW,
       "CREATE OR REPLACE VIEW v (a COMMENT 'x', b) COMMENT 'c' PARTITIONED ON (b) TBLPROPERTIES ('k'='v') AS SELECT "
       "a, b FROM t",
       NULL},
      {SKEP_STMT_CREATE_VIEW, "CREATE VIEW IF NOT EXISTS v AS SELECT a FROM t", NULL},
      {SKEP_STMT_DROP_VIEW, "DROP VIEW IF EXISTS v", NULL},
      {SKEP_STMT_CREATE_MATERIALIZED_VIEW,
       "CREATE MATERIALIZED VIEW v DISABLE REWRITE STORED AS orc TBLPROPERTIES ('transactional'='true') AS SELECT a "
       "FROM t",
       NULL},
      {SKEP_STMT_DROP_MATERIALIZED_VIEW, "DROP MATERIALIZED VIEW v", NULL},
      {SKEP_STMT_ALTER_MATERIALIZED_VIEW, "ALTER MATERIALIZED VIEW v REBUILD", NULL},
      {SKEP_STMT_ALTER_MATERIALIZED_VIEW, "ALTER MATERIALIZED VIEW v ENABLE REWRITE", NULL},
      {SKEP_STMT_ALTER_VIEW, "ALTER VIEW v AS SELECT 2", NULL},
      {SKEP_STMT_ALTER_VIEW, "ALTER VIEW v SELECT 2", "ALTER VIEW v AS SELECT 2"},
      {SKEP_STMT_ALTER_VIEW, "ALTER VIEW v RENAME TO w", NULL},
      {SKEP_STMT_ALTER_VIEW, "ALTER VIEW v SET TBLPROPERTIES ('k'='v')", NULL},
  };
  CHECK(cases);
}

static void tables_are_altered(void **state) {
  static const statement_case cases[] = {
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t RENAME TO db.u", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t PARTITION (p=1) ADD COLUMNS (a int COMMENT 'x', b string) CASCADE", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t REPLACE COLUMNS (a int) RESTRICT", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t CHANGE a b bigint NOT NULL ENABLE COMMENT 'c' AFTER d CASCADE",
       "ALTER TABLE t CHANGE COLUMN a b bigint NOT NULL ENABLE COMMENT 'c' AFTER d CASCADE"},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t CHANGE COLUMN a a int FIRST", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t UPDATE COLUMNS CASCADE", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t PARTITION COLUMN (p int)", NULL},
      {SKEP_STMT_ALTER_TABLE,
       "ALTER TABLE t ADD IF NOT EXISTS PARTITION (p=1, q='x') LOCATION '/l' PARTITION (p=2, q='y')", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t DROP IF EXISTS PARTITION (p >= 1, q <> 'x'), PARTITION (p=7) PURGE", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t DROP PARTITION (p LIKE 'x%')", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t PARTITION (p=1) RENAME TO PARTITION (p=2)", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t TOUCH PARTITION (p=1) PARTITION (p=2)", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t ARCHIVE PARTITION (p=1)", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t EXCHANGE PARTITION (p=1) WITH TABLE u", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t SET TBLPROPERTIES ('a'='b')", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t UNSET TBLPROPERTIES IF EXISTS ('a', 'b')", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t PARTITION (p=1) SET LOCATION '/l'", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t SET FILEFORMAT ORC", "ALTER TABLE t SET FILEFORMAT orc"},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t SET FILEFORMAT INPUTFORMAT 'i' OUTPUTFORMAT 'o' SERDE 's'", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t SET SERDE 's' WITH SERDEPROPERTIES ('k'='v')", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t SET SERDEPROPERTIES ('k'='v')", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t UNSET SERDEPROPERTIES ('k')", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t NOT CLUSTERED", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t NOT SORTED", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t CLUSTERED BY (a, b) SORTED BY (a) INTO 8 BUCKETS", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t INTO 8 BUCKETS", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t SKEWED BY (a, b) ON ((1, 2), (3, 4))", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t NOT SKEWED", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t NOT STORED AS DIRECTORIES", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t ADD CONSTRAINT c CHECK (a > 1) DISABLE", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t ADD CONSTRAINT c PRIMARY KEY (a) DISABLE NOVALIDATE", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t DROP CONSTRAINT c", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t PARTITION (p=1) CONCATENATE", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t UPDATE STATISTICS SET ('numRows'='1')", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t UPDATE STATISTICS FOR COLUMN a SET ('numDVs'='1')", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t SET OWNER USER u", NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t CONVERT TO ACID", "ALTER TABLE t CONVERT TO acid"},
      {SKEP_STMT_ALTER_TABLE,
       "ALTER TABLE t PARTITION (p=1) COMPACT 'MAJOR' CLUSTERED INTO 2 BUCKETS AND WAIT POOL 'x' WITH OVERWRITE "
       "TBLPROPERTIES ('k'='v') ORDER BY a DESC",
       NULL},
      {SKEP_STMT_ALTER_TABLE, "ALTER TABLE t COMPACT 'minor'", NULL},
  };
  CHECK(cases);
}

static void the_rest_is_read(void **state) {
  static const statement_case cases[] = {
      {SKEP_STMT_SHOW, "SHOW SCHEMAS LIKE 'a%'", "SHOW DATABASES LIKE 'a%'"},
      {SKEP_STMT_SHOW, "SHOW TABLES", NULL},
      {SKEP_STMT_SHOW, "SHOW TABLES FROM d 'a*|b'", "SHOW TABLES IN d LIKE 'a*|b'"},
      {SKEP_STMT_SHOW, "SHOW EXTENDED TABLES IN d LIKE 'x'", NULL},
      {SKEP_STMT_SHOW, "SHOW TABLES WHERE table_type = 'MANAGED_TABLE'", NULL},
      {SKEP_STMT_SHOW, "SHOW VIEWS IN d LIKE 'x'", NULL},
      {SKEP_STMT_SHOW, "SHOW MATERIALIZED VIEWS", NULL},
      {SKEP_STMT_SHOW, "SHOW SORTED COLUMNS FROM t IN d LIKE 'a%'", "SHOW SORTED COLUMNS IN d.t LIKE 'a%'"},
      {SKEP_STMT_SHOW, "SHOW PARTITIONS t PARTITION (p=1) WHERE q > 2 ORDER BY q DESC LIMIT 3", NULL},
      {SKEP_STMT_SHOW, "SHOW CREATE TABLE d.t", NULL},
      {SKEP_STMT_SHOW, "SHOW CREATE DATABASE d", NULL},
      {SKEP_STMT_SHOW, "SHOW TBLPROPERTIES t ('k')", NULL},
      {SKEP_STMT_SHOW, "SHOW TBLPROPERTIES t", NULL},
      {SKEP_STMT_SHOW, "SHOW TABLE EXTENDED IN d LIKE 't*' PARTITION (p=1)", NULL},
      {SKEP_STMT_SHOW, "SHOW FUNCTIONS LIKE 'a%'", NULL},
      {SKEP_STMT_SHOW, "SHOW CONF 'hive.x'", NULL},
      {SKEP_STMT_SHOW, "SHOW TRANSACTIONS", NULL},
      {SKEP_STMT_SHOW, "SHOW LOCKS", NULL},
      {SKEP_STMT_SHOW, "SHOW LOCKS d.t PARTITION (p=1) EXTENDED", NULL},
      {SKEP_STMT_SHOW, "SHOW LOCKS DATABASE d", NULL},
      {SKEP_STMT_SHOW, "SHOW COMPACTIONS", NULL},
      {SKEP_STMT_SHOW, "SHOW COMPACTIONS COMPACTIONID = 5", NULL},
      {SKEP_STMT_SHOW,
       "SHOW COMPACTIONS DATABASE d POOL 'p' TYPE 'minor' STATUS 'failed' ORDER BY 'PARTITION' DESC LIMIT 2", NULL},
      {SKEP_STMT_SHOW, "SHOW COMPACTIONS t PARTITION (p=1) STATUS 'succeeded'", NULL},
      {SKEP_STMT_DESCRIBE, "DESC t", "DESCRIBE t"},
      {SKEP_STMT_DESCRIBE, "DESCRIBE FORMATTED d.t PARTITION (p='x')", NULL},
      {SKEP_STMT_DESCRIBE, "DESCRIBE EXTENDED t", NULL},
      {SKEP_STMT_DESCRIBE, "DESCRIBE formatted", "DESCRIBE `formatted`"},
      {SKEP_STMT_DESCRIBE, "DESCRIBE t a.b.$elem$.$value$", "DESCRIBE t a.b.`$elem$`.`$value$`"},
      {SKEP_STMT_DESCRIBE, "DESCRIBE DATABASE EXTENDED d", NULL},
      {SKEP_STMT_DESCRIBE, "DESCRIBE FUNCTION EXTENDED case", "DESCRIBE FUNCTION EXTENDED 'case'"},
      {SKEP_STMT_DESCRIBE, "DESC FUNCTION +", "DESCRIBE FUNCTION '+'"},
      {SKEP_STMT_ANALYZE, "ANALYZE TABLE t PARTITION (p, q=1) COMPUTE STATISTICS FOR COLUMNS a, b", NULL},
      {SKEP_STMT_ANALYZE, "ANALYZE TABLE t COMPUTE STATISTICS NOSCAN", NULL},
      {SKEP_STMT_ANALYZE, "ANALYZE TABLE t CACHE METADATA", NULL},
      {SKEP_STMT_MSCK, "MSCK REPAIR TABLE t SYNC PARTITIONS (p > 1)", NULL},
      {SKEP_STMT_MSCK, "MSCK TABLE t", "MSCK TABLE t ADD PARTITIONS"},
      {SKEP_STMT_EXPLAIN, "EXPLAIN EXTENDED SELECT 1", NULL},
      {SKEP_STMT_EXPLAIN, "explain locks delete from t", "EXPLAIN LOCKS DELETE FROM t"},
      {SKEP_STMT_EXPLAIN, "EXPLAIN ANALYZE TABLE t COMPUTE STATISTICS", NULL},
      {SKEP_STMT_EXPLAIN, "EXPLAIN VECTORIZATION ONLY DETAIL SELECT 1", NULL},
      {SKEP_STMT_LOCK, "LOCK TABLE t PARTITION (p=1) EXCLUSIVE", NULL},
      {SKEP_STMT_LOCK, "LOCK DATABASE d SHARED", NULL},
      {SKEP_STMT_UNLOCK, "UNLOCK TABLE t", NULL},
      {SKEP_STMT_ABORT_TRANSACTIONS, "ABORT TRANSACTIONS 1 2 3", NULL},
      {SKEP_STMT_ABORT_COMPACTIONS, "ABORT COMPACTIONS 7", NULL},
      {SKEP_STMT_KILL_QUERY, "KILL QUERY 'a' 'b'", NULL},
      {SKEP_STMT_START_TRANSACTION, "START TRANSACTION", NULL},
      {SKEP_STMT_START_TRANSACTION, "START TRANSACTION ISOLATION LEVEL SNAPSHOT, READ ONLY", NULL},
      {SKEP_STMT_COMMIT, "COMMIT WORK", "COMMIT"},
      {SKEP_STMT_ROLLBACK, "ROLLBACK", NULL},
      {SKEP_STMT_SET_AUTOCOMMIT, "SET AUTOCOMMIT FALSE", NULL},
      {SKEP_STMT_SET, "  set hive.x = a = 'b' ;", "SET hive.x=a = 'b'"},
      {SKEP_STMT_SET, "SET", NULL},
      {SKEP_STMT_SET, "set -v", "SET -v"},
      {SKEP_STMT_SET, "SET hivevar:x", NULL},
      {SKEP_STMT_SET, "SET x=", NULL},
      {SKEP_STMT_SET, "set autocommit=true", "SET autocommit=true"},
      {SKEP_STMT_RESET, "RESET", NULL},
      {SKEP_STMT_RESET, "reset -d a  b", "RESET -d a b"},
      {SKEP_STMT_PREPARE, "PREPARE p FROM SELECT a FROM t WHERE b = ?", NULL},
      {SKEP_STMT_EXECUTE, "EXECUTE p USING 1, 'x'", NULL},
      {SKEP_STMT_COMMAND, "dfs -ls /", NULL},
      {SKEP_STMT_COMMAND, "add jar x.jar;", "add jar x.jar"},
      {SKEP_STMT_OTHER, "GRANT SELECT ON TABLE t TO USER u", "GRANT"},
      {SKEP_STMT_OTHER, "CREATE TEMPORARY FUNCTION f AS 'c'", "CREATE FUNCTION"},
      {SKEP_STMT_OTHER, "SET ROLE admin", "SET ROLE"},
      {SKEP_STMT_OTHER, "RELOAD FUNCTIONS", NULL},
      {SKEP_STMT_OTHER, "OPTIMIZE TABLE t REWRITE DATA", "OPTIMIZE TABLE"},
      {SKEP_STMT_OTHER, "SHOW ROLES", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    /* OTHER prints its name only, which need not be a statement. */
    if (cases[i].kind != SKEP_STMT_OTHER) {
      check_cases(*state, &cases[i], 1);
      continue;
    }
    const skep_statement *s = parsed(*state, cases[i].text);
    assert_int_equal(s->kind, SKEP_STMT_OTHER);
    assert_string_equal(skep_statement_name(s), cases[i].canonical == NULL ? cases[i].text : cases[i].canonical);
  }
}

static void branches_of_a_multi_insert_are_whole_queries(void **state) {
  const skep_statement *s =
      parsed(*state, "WITH c AS (SELECT 1) FROM c INSERT INTO a SELECT 1 INSERT INTO b SELECT 2 WHERE x");
  const skep_insert *i = s->insert;
  assert_int_equal(i->n_targets, 2);
  for (uint32_t k = 0; k < 2; k++) {
    const skep_query *q = i->targets[k].query;
    assert_int_equal(q->n_ctes, 1);
    assert_ptr_equal(q->body->select->from, i->from);
  }
}

static void texts_of_constraints_and_views_are_kept(void **state) {
  const skep_statement *t =
      parsed(*state, "CREATE TABLE t (a INT DEFAULT  CAST( 1 AS  INT), CHECK ( a>1  AND B is NULL ))");
  assert_string_equal(t->create_table->columns.items[0].constraint->expr_text, "CAST( 1 AS  INT)");
  assert_string_equal(t->create_table->columns.items[0].constraint->columns.items[0], "a");
  assert_string_equal(t->create_table->constraints[0].expr_text, "a>1  AND B is NULL");
  const skep_statement *v = parsed(*state, "CREATE VIEW v AS SELECT  A /* x */ FROM T ;");
  assert_string_equal(v->create_view->query_text, "SELECT  A /* x */ FROM T");
}

static void free_words_are_names(void **state) {
  parse_fixture *f = *state;
  static const char *const free_words[] = {"asc",    "desc", "limit", "offset",  "key",         "default", "check",
                                           "schema", "view", "year",  "string",  "struct",      "status",  "type",
                                           "pool",   "plan", "data",  "matched", "transaction", "sort",    "nulls"};
  static const char *const reserved[] = {"all",      "date", "timestamp", "user", "order",
                                         "interval", "rows", "values",    "end"};
  char text[200];
  const skep_statement *s;
  for (size_t i = 0; i < sizeof free_words / sizeof free_words[0]; i++) {
    const char *w = free_words[i];
    snprintf(text, sizeof text, "SELECT %s.%s AS %s FROM %s.%s AS %s WHERE %s = 1", w, w, w, w, w, w, w);
    parsed(f, text);
    snprintf(text, sizeof text, "CREATE TABLE %s (%s int)", w, w);
    parsed(f, text);
  }
  for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
    snprintf(text, sizeof text, "CREATE TABLE t (%s int)", reserved[i]);
    assert_int_equal(skep_parse_statement(&f->arena, text, strlen(text), NULL, &s, &f->err), SKEP_ERR_SYNTAX);
    snprintf(text, sizeof text, "CREATE TABLE t (`%s` int)", reserved[i]);
    parsed(f, text);
  }
}

static void an_empty_text_is_no_statement(void **state) {
  parse_fixture *f = *state;
  const skep_statement *s;
  static const char *const texts[] = {"", " \n", "-- x", "/* a /* b */ */ -- c\n"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    assert_int_equal(skep_parse_statement(&f->arena, texts[i], strlen(texts[i]), NULL, &s, &f->err), SKEP_END);
    assert_null(s);
  }
}

static void limits_are_kept(void **state) {
  parse_fixture *f = *state;
  const skep_statement *s;
  skep_parse_opts opts = {.max_bytes = 10};
  assert_fails(skep_parse_statement(&f->arena, "SELECT 1234", 11, &opts, &s, &f->err), SKEP_ERR_LIMIT, f->err,
               "statement of 11 bytes, at most 10 are allowed");
  skep_arena small;
  skep_arena_init(&small, &f->ctx, 600);
  assert_fails(
      skep_parse_statement(&small, "SELECT a, b, c, d, e, f, g, h FROM t WHERE a = 1 AND b = 2", 58, NULL, &s, &f->err),
      SKEP_ERR_NOMEM, f->err, "");
  assert_null(s);
  skep_arena_fini(&small);
}

static void words_of_an_explain_are_kept_however_many(void **state) {
  enum { MANY = 700 };
  parse_fixture *f = *state;
  char text[MANY * 9 + 40] = "EXPLAIN ";
  const skep_statement *s;
  for (int i = 0; i < MANY; i++) memcpy(text + 8 + (size_t)i * 9, "EXTENDED ", 10);
  memcpy(text + 8 + MANY * 9, "SELECT 1", 9);
  assert_ok(skep_parse_statement(&f->arena, text, strlen(text), NULL, &s, &f->err), f->err);
  assert_int_equal(strlen(s->explain->options), MANY * 9 - 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, parse_setup, parse_teardown)
      TEST(queries_keep_their_shape),
      TEST(from_takes_all_sources_and_joins),
      TEST(rows_are_changed),
      TEST(objects_are_created_and_dropped),
      TEST(tables_are_altered),
      TEST(the_rest_is_read),
      TEST(branches_of_a_multi_insert_are_whole_queries),
      TEST(texts_of_constraints_and_views_are_kept),
      TEST(free_words_are_names),
      TEST(an_empty_text_is_no_statement),
      TEST(limits_are_kept),
      TEST(words_of_an_explain_are_kept_however_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
