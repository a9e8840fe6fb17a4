-- All statements of the golden scripts (Hive 1.2, 2.3, 3.1 and 4.0.1), for the parser's tests. A statement that Hive
-- refuses to parse stands behind a line '--! syntax error'. The one with an open quote is in src/hiveql/parse_error_test.c.

-- 01-basic
-- Full ACID, unpartitioned, unbucketed: INSERT, UPDATE, DELETE in several transactions.
DROP DATABASE IF EXISTS s01 CASCADE;
CREATE DATABASE s01;
CREATE TABLE s01.people (id INT, name STRING, age INT, balance DECIMAL(12,2)) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s01.people VALUES (1,'Ada',36,100.50),(2,'Brendan',41,-3.25),(3,'Chen',29,0),(4,NULL,NULL,NULL),(5,'Édith',55,9999999999.99);
UPDATE s01.people SET balance = balance + 10, name = upper(name) WHERE id IN (1,3);
DELETE FROM s01.people WHERE id = 2;
INSERT INTO s01.people SELECT id + 10, concat(name, '-copy'), age + 1, balance FROM s01.people WHERE name IS NOT NULL;
INSERT INTO s01.people (id, name) VALUES (20,'partial'),(21,'columns');
UPDATE s01.people SET age = 0 WHERE age IS NULL;
UPDATE s01.people SET age = age + 1;
DELETE FROM s01.people WHERE id > 12 AND id < 20;
DELETE FROM s01.people WHERE id = 12345;
UPDATE s01.people SET age = 1 WHERE id = 12345;
DELETE FROM s01.people;
INSERT INTO s01.people VALUES (100,'again',1,1.1);

-- 02-partitioned
-- Partitioned tables: date partition; two partition columns with special characters and the default partition.
DROP DATABASE IF EXISTS s02 CASCADE;
CREATE DATABASE s02;
CREATE TABLE s02.orders (id BIGINT, customer STRING, amount DECIMAL(10,2)) PARTITIONED BY (d DATE) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s02.orders PARTITION (d='2026-01-01') VALUES (1,'a',10.00),(2,'b',20.50);
INSERT INTO s02.orders PARTITION (d='2026-01-02') VALUES (3,'c',30.00);
INSERT INTO s02.orders VALUES (4,'d',40.00,'2026-01-01'),(5,'e',50.00,'2026-01-03'),(6,'f',60.00,'1969-12-31'),(7,'g',70,NULL);
UPDATE s02.orders SET amount = amount * 2 WHERE id IN (1, 3, 5, 7);
DELETE FROM s02.orders WHERE d = '2026-01-03';
UPDATE s02.orders SET customer = 'z' WHERE d < '2026-01-01';
ALTER TABLE s02.orders DROP PARTITION (d='2026-01-02');
INSERT OVERWRITE TABLE s02.orders PARTITION (d='2026-01-01') VALUES (11,'over',1.00);
CREATE TABLE s02.logs (id INT, msg STRING) PARTITIONED BY (app STRING, code INT) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s02.logs VALUES
 (1,'plain','web',200),(2,'slash','a/b',404),(3,'colon eq','k=v:1',0),(4,'percent','100%',-1),(5,'space','with space',7),
 (6,'quote','it''s "q"',7),(7,'hash','#?{}[]^*',7),(8,'unicode','naïve-日本',7),(9,'empty','',1),(10,'null',NULL,1),
 (11,'nullcode','web',NULL),(12,'both',NULL,NULL),(13,'amp','a&b;c|d<e>~,f.',3),(14,'backslash','c:\\x',3),(15,'plus','a+b',3),(16,'upper','WEB',200);
INSERT INTO s02.logs SELECT id + 100, msg, app, code + 1 FROM s02.logs WHERE code IS NOT NULL AND id < 6;
UPDATE s02.logs SET msg = concat(msg,'!') WHERE id % 2 = 0;
DELETE FROM s02.logs WHERE app = 'web' AND code = 200;
DELETE FROM s02.logs WHERE app IS NULL AND code = 1;
SELECT count(*), sum(id) FROM s02.logs WHERE app = 'k=v:1';
SELECT app, code, count(*) c, sum(id) s FROM s02.logs GROUP BY app, code ORDER BY app, code;
CREATE TABLE s02.manytypes (v STRING) PARTITIONED BY (pb BOOLEAN, pd DECIMAL(6,2), pt TIMESTAMP) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s02.manytypes VALUES ('a',true,1.50,'2026-01-01 00:00:00'),('b',false,-2,'2026-01-01 10:20:30.5'),('c',NULL,0.05,NULL),('d',true,100,'1969-12-31 23:59:59.999999999');
INSERT INTO s02.manytypes PARTITION (pb=true, pd=1.5, pt='2026-01-01 00:00:00') VALUES ('static');
DELETE FROM s02.manytypes WHERE pd = 100;
CREATE TABLE s02.chars (v INT) PARTITIONED BY (pc CHAR(6), pv VARCHAR(8)) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s02.chars VALUES (1,'ab','cd'),(2,'ab  ','cd'),(3,'abcdef','x y'),(4,'a','trunc to');
UPDATE s02.chars SET v = v + 10 WHERE pc = 'ab';
CREATE TABLE s02.nums (v STRING) PARTITIONED BY (pt TINYINT, pbi BIGINT, pdbl DOUBLE) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s02.nums VALUES ('a',1,9223372036854775807,1.0),('b',-5,-1,1e10),('c',7,0,0.1),('d',NULL,5,1e-7);
INSERT INTO s02.nums PARTITION (pt='01', pbi='007', pdbl='1') VALUES ('static');

-- 03-bucketed
-- Bucketed full ACID tables, bucketing_version 2 and 1, with updates and deletes.
DROP DATABASE IF EXISTS s03 CASCADE;
CREATE DATABASE s03;
CREATE TABLE s03.b2 (id INT, k STRING, v DOUBLE) CLUSTERED BY (id) INTO 4 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s03.b2 VALUES (1,'a',1.5),(2,'b',2.5),(3,'c',3.5),(4,'d',4.5),(5,'e',5.5),(6,'f',6.5),(7,'g',7.5),(8,'h',8.5),(-1,'neg',0),(NULL,'null',NULL),(2147483647,'max',1e308),(-2147483648,'min',-1e308);
INSERT INTO s03.b2 VALUES (9,'i',9.5),(10,'j',10.5),(11,'k',11.5);
UPDATE s03.b2 SET v = v * 10 WHERE id % 2 = 0;
DELETE FROM s03.b2 WHERE id IN (3, 9);
UPDATE s03.b2 SET k = 'upd' WHERE id IS NULL OR id < 0;
CREATE TABLE s03.b1 (id INT, k STRING, v DOUBLE) CLUSTERED BY (k) INTO 4 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO s03.b1 VALUES (1,'a',1.5),(2,'b',2.5),(3,'c',3.5),(4,'d',4.5),(5,'é',5.5),(6,'日本',6.5),(7,'',7.5),(8,NULL,8.5),(9,'long key with spaces',9.5);
UPDATE s03.b1 SET v = 0 WHERE id > 5;
DELETE FROM s03.b1 WHERE id = 1;
CREATE TABLE s03.two (a STRING, b BIGINT, c DATE, n INT) PARTITIONED BY (p STRING) CLUSTERED BY (a, b, c) INTO 3 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s03.two PARTITION (p) SELECT concat('k', cast(x AS STRING)), x * 100000000000, date_add('2020-02-27', x), x, concat('p', cast(x % 2 AS STRING)) FROM (SELECT stack(12, 0,1,2,3,4,5,6,7,8,9,10,11) AS x) t;
MERGE INTO s03.two t USING (SELECT stack(4, 'k1', 1, 'k2', 2, 'k50', 50, 'k51', 51) AS (a, n)) s ON t.n = s.n
 WHEN MATCHED AND s.n = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET n = t.n + 1000 WHEN NOT MATCHED THEN INSERT VALUES (s.a, s.n, NULL, s.n, 'p0');
INSERT OVERWRITE TABLE s03.b2 SELECT id, k, v FROM s03.b2 WHERE id < 7;
INSERT INTO s03.b2 VALUES (77,'after',7);
CREATE TABLE s03.many (id BIGINT, s STRING) CLUSTERED BY (id) INTO 16 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s03.many SELECT pos, concat('v', cast(pos AS STRING)) FROM (SELECT posexplode(split(space(999), ' ')) AS (pos, e)) t;
DELETE FROM s03.many WHERE id % 7 = 0;
UPDATE s03.many SET s = 'upd' WHERE id % 13 = 0;

-- 04-types
-- Every column type, NULLs, an update of one column and a delete.
DROP DATABASE IF EXISTS s04 CASCADE;
CREATE DATABASE s04;
CREATE TABLE s04.types (
 id INT, c_bool BOOLEAN, c_tiny TINYINT, c_small SMALLINT, c_int INT, c_big BIGINT, c_float FLOAT, c_double DOUBLE,
 c_dec1 DECIMAL(10,2), c_dec2 DECIMAL(38,18), c_str STRING, c_char CHAR(10), c_varchar VARCHAR(20), c_bin BINARY,
 c_date DATE, c_ts TIMESTAMP,
 c_arr ARRAY<INT>, c_map MAP<STRING,DOUBLE>, c_struct STRUCT<a:INT,b:STRING,c:ARRAY<STRUCT<x:BIGINT,y:STRING>>>)
 STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s04.types SELECT 1, true, 127Y, 32767S, 2147483647, 9223372036854775807, cast(3.4028235e38 as float), 1.7976931348623157E308,
 99999999.99, cast('12345678901234567890.123456789012345678' as decimal(38,18)), 'hello', 'char', 'varchar', cast('binary' as binary),
 date '2026-11-29', timestamp '2026-11-29 12:34:56.123456789',
 array(1,2,3), map('k1',1.5D,'k2',-2.25D), named_struct('a',1,'b','s','c',array(named_struct('x',10L,'y','u'),named_struct('x',20L,'y',cast(null as string))));
INSERT INTO s04.types SELECT 2, false, cast(-128 as tinyint), cast(-32768 as smallint), cast(-2147483648 as int), cast('-9223372036854775808' as bigint), cast(-1.4e-45 as float), 4.9E-324,
 -99999999.99, cast('-0.000000000000000001' as decimal(38,18)), '', '', '', unhex('00FF80C3287F'),
 date '0001-01-01', timestamp '0001-01-01 00:00:00',
 array(cast(null as int)), map('', cast(null as double)), named_struct('a',cast(null as int),'b',cast(null as string),'c',array(cast(null as struct<x:bigint,y:string>)));
INSERT INTO s04.types (id) VALUES (3);
INSERT INTO s04.types SELECT 5, true, 0Y, 0S, 0, 0, cast('NaN' as float), cast('NaN' as double), 0, 0, 'tab\tnl\nback\\slash"quote''', 'trail   ', 'trail   ', unhex(''),
 date '1582-10-04', timestamp '1582-10-04 23:59:59.999999999',
 array_remove(array(1),1), map('z',1D,'a',2D), named_struct('a',7,'b','','c',array(named_struct('x',5L,'y','')));
INSERT INTO s04.types SELECT 6, true, 1Y, 1S, 1, 1, cast('Infinity' as float), cast('-Infinity' as double), 0.01, 1, '日本語 🎈 é', '日本', 'é🎈', unhex('F09F8E88'),
 date '1582-10-15', timestamp '1582-10-15 00:00:00', array(0,-1,2147483647), map('日',0D), named_struct('a',-1,'b','é','c',array(named_struct('x',-1L,'y',''))) ;
INSERT INTO s04.types SELECT 7, false, -1Y, -1S, -1, -1, cast(0.1 as float), 0.1D, 0.10, 0.1, 'x', 'x', 'x', cast('x' as binary),
 date '1900-01-01', timestamp '1969-12-31 23:59:59.000000001', array(5), map('a',1D), named_struct('a',1,'b','b','c',array(named_struct('x',1L,'y','y')));
INSERT INTO s04.types SELECT 8, false, 5Y, 5S, 5, 5, cast(16777217 as float), 1e16D, 5, 5, 'y', 'y', 'y', cast('y' as binary),
 date '9999-12-31', timestamp '9999-12-31 23:59:59.999999999', array(5,6,7,8,9,10,11,12,13,14,15), map('a',1D,'b',2D,'c',3D), named_struct('a',1,'b','b','c',array(named_struct('x',1L,'y','y')));
INSERT INTO s04.types (id, c_date, c_ts) VALUES (9, '1500-02-28', '1899-12-31 23:59:59.123');
UPDATE s04.types SET c_str = 'updated' WHERE id IN (1, 3, 6);
UPDATE s04.types SET c_dec2 = NULL, c_date = '2000-02-29' WHERE id = 7;
DELETE FROM s04.types WHERE id = 8;
-- many rows with pseudo-random values of every scalar type, NULL in every 7th
CREATE TABLE s04.wide (id INT, c_bool BOOLEAN, c_tiny TINYINT, c_small SMALLINT, c_int INT, c_big BIGINT, c_float FLOAT, c_double DOUBLE,
 c_dec1 DECIMAL(10,2), c_dec2 DECIMAL(38,18), c_dec3 DECIMAL(18,0), c_str STRING, c_char CHAR(10), c_varchar VARCHAR(20), c_bin BINARY, c_date DATE, c_ts TIMESTAMP, c_arr ARRAY<STRING>, c_map MAP<INT,STRING>)
 STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s04.wide SELECT n, if(n%7=0,null,n%3=0), if(n%7=1,null,cast(pmod(h,255)-127 as tinyint)), if(n%7=2,null,cast(pmod(h,65535)-32767 as smallint)), if(n%7=3,null,h), if(n%7=4,null,h*4294967311L),
 if(n%7=5,null,cast(h/1000 as float)), if(n%7=6,null,h/7.0D), if(n%7=0,null,cast(h/100.0 as decimal(10,2))), if(n%7=1,null,cast(h as decimal(38,18))*cast(0.000001 as decimal(10,6))), if(n%7=2,null,cast(h as decimal(18,0))*1000003),
 if(n%7=3,null,concat('str',h)), if(n%7=4,null,cast(hex(h) as char(10))), if(n%7=5,null,cast(repeat('v',pmod(h,25)) as varchar(20))), if(n%7=6,null,unhex(lpad(hex(h),8,'0'))),
 if(n%7=0,null,date_add('1970-01-01',cast(pmod(h,80000)-40000 as int))), if(n%7=1,null,cast(from_unixtime(h) as timestamp)), if(n%7=2,null,split(cast(h as string),'1')), if(n%7=3,null,map(n,cast(h as string),n+1,cast(null as string)))
 FROM (SELECT n, murmur_hash(n) AS h FROM (SELECT posexplode(split(space(799), ' ')) AS (n, e)) a) b;
DELETE FROM s04.wide WHERE id % 10 = 3;
UPDATE s04.wide SET c_str = NULL, c_int = id WHERE id % 10 = 7;
CREATE TABLE s04.un (id INT, u UNIONTYPE<INT,STRING,DOUBLE>) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s04.un SELECT 1, create_union(0, 5, 'a', 1.5D);
INSERT INTO s04.un SELECT 2, create_union(1, 5, 'str', 1.5D);
INSERT INTO s04.un SELECT 3, create_union(2, 5, 'a', 2.5D);
INSERT INTO s04.un SELECT 4, create_union(0, cast(null as int), 'a', 1.5D);
DELETE FROM s04.un WHERE id = 1;
CREATE TABLE s04.nest (id INT, m MAP<STRING,ARRAY<STRUCT<k:INT,v:MAP<INT,STRING>>>>, a ARRAY<ARRAY<DECIMAL(5,1)>>, s STRUCT<d:DATE,t:TIMESTAMP,b:BINARY,c:CHAR(4),n:STRUCT<deep:STRUCT<er:BOOLEAN>>>) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s04.nest SELECT 1, map('x', array(named_struct('k',1,'v',map(1,'a',2,cast(null as string))))), array(array(cast(1.5 as decimal(5,1)), cast(null as decimal(5,1))), cast(null as array<decimal(5,1)>)), named_struct('d',date '2020-01-01','t',timestamp '2020-01-01 01:02:03.4','b',unhex('0102'),'c',cast('ab' as char(4)),'n',named_struct('deep',named_struct('er',true)));
INSERT INTO s04.nest (id) VALUES (2);
UPDATE s04.nest SET id = 3 WHERE id = 1;
-- Hive 4.0.1 writes TIMESTAMP WITH LOCAL TIME ZONE to ORC but cannot read it back ("Unknown type TIMESTAMP_INSTANT")
CREATE TABLE s04.tsl (id INT, t TIMESTAMP WITH LOCAL TIME ZONE) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s04.tsl SELECT 1, cast('2026-11-29 12:34:56.123456789 UTC' as timestamp with local time zone);
INSERT INTO s04.tsl SELECT 2, cast('1900-01-01 00:00:00 Asia/Tokyo' as timestamp with local time zone);

-- 05-merge-multi
-- MERGE with all clauses, multi-insert into one table, two inserts in one statement: statement ids.
DROP DATABASE IF EXISTS s05 CASCADE;
CREATE DATABASE s05;
CREATE TABLE s05.target (id INT, name STRING, qty INT) STORED AS ORC TBLPROPERTIES ('transactional'='true');
CREATE TABLE s05.source (id INT, name STRING, qty INT, op STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s05.target VALUES (1,'one',10),(2,'two',20),(3,'three',30),(4,'four',40),(5,'five',50);
INSERT INTO s05.source VALUES (2,'TWO',200,'u'),(3,'x',0,'d'),(6,'six',60,'i'),(7,'seven',70,'i'),(5,'FIVE',-1,'u');
MERGE INTO s05.target t USING s05.source s ON t.id = s.id
 WHEN MATCHED AND s.op = 'd' THEN DELETE
 WHEN MATCHED AND s.op = 'u' THEN UPDATE SET name = s.name, qty = t.qty + s.qty
 WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.name, s.qty);
MERGE INTO s05.target t USING (SELECT * FROM s05.source WHERE op <> 'd') s ON t.id = s.id WHEN MATCHED THEN DELETE;
MERGE INTO s05.target t USING s05.source s ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, concat('re-',s.name), s.qty);
-- cardinality violation: error, nothing visible
MERGE INTO s05.target t USING (SELECT 1 AS id, 'a' AS name UNION ALL SELECT 1, 'b') s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name;
-- refused by Hive: the same output twice
FROM s05.source s
 INSERT INTO TABLE s05.target SELECT s.id + 100, s.name, s.qty WHERE s.op = 'u'
 INSERT INTO TABLE s05.target SELECT s.id + 200, s.name, s.qty WHERE s.op <> 'u'
 INSERT INTO TABLE s05.target SELECT s.id + 300, 'third', 0;
INSERT INTO s05.target SELECT id + 1000, name, qty FROM s05.source UNION ALL SELECT id + 2000, name, qty FROM s05.source WHERE op = 'i';
CREATE TABLE s05.parts (id INT, v STRING) PARTITIONED BY (p STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true');
FROM s05.source s
 INSERT INTO TABLE s05.parts PARTITION (p='a') SELECT s.id, s.name WHERE s.op = 'u'
 INSERT INTO TABLE s05.parts PARTITION (p='b') SELECT s.id, s.name WHERE s.op <> 'u'
 INSERT INTO TABLE s05.parts PARTITION (p) SELECT s.id + 50, s.name, s.op;
MERGE INTO s05.parts t USING s05.source s ON t.id = s.id
 WHEN MATCHED AND t.p = 'a' THEN UPDATE SET v = concat(t.v, '+')
 WHEN MATCHED THEN DELETE
 WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.name, 'new');
-- several statements in one explicit transaction
START TRANSACTION;
INSERT INTO s05.target VALUES (9001,'t1',1);
UPDATE s05.target SET qty = 77 WHERE id = 9001 OR id = 1;
DELETE FROM s05.target WHERE id = 4;
INSERT INTO s05.target VALUES (9002,'t2',2);
UPDATE s05.target SET name = 't2b' WHERE id = 9002;
DELETE FROM s05.target WHERE id = 9001;
COMMIT;

-- 06-overwrite-truncate
-- INSERT OVERWRITE (base_x), TRUNCATE (base with only _metadata_acid), INSERT after them, empty overwrite.
DROP DATABASE IF EXISTS s06 CASCADE;
CREATE DATABASE s06;
CREATE TABLE s06.t (a INT, b STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s06.t VALUES (1,'a'),(2,'b');
INSERT OVERWRITE TABLE s06.t SELECT a * 10, b FROM s06.t;
INSERT INTO s06.t VALUES (3,'c');
UPDATE s06.t SET b = 'upd' WHERE a = 10;
TRUNCATE TABLE s06.t;
INSERT INTO s06.t VALUES (4,'after truncate');
INSERT OVERWRITE TABLE s06.t SELECT * FROM s06.t WHERE false;
INSERT INTO s06.t VALUES (5,'e'),(6,'f');
DELETE FROM s06.t WHERE a = 5;
CREATE TABLE s06.p (a INT) PARTITIONED BY (p INT) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s06.p VALUES (1,1),(2,1),(3,2),(4,3);
INSERT OVERWRITE TABLE s06.p PARTITION (p) SELECT a + 100, p FROM s06.p WHERE p < 3;
TRUNCATE TABLE s06.p PARTITION (p=3);
INSERT INTO s06.p VALUES (9,3);
-- an aborted overwrite and an aborted truncate stay invisible

START TRANSACTION;
INSERT INTO s06.t VALUES (777,'aborted');
ROLLBACK;
CREATE TABLE s06.ctas STORED AS ORC TBLPROPERTIES ('transactional'='true') AS SELECT a, b, a * 1.5 AS c FROM s06.t;
INSERT INTO s06.ctas VALUES (1,'x',2.5);

-- 07-compaction
-- Minor and major compaction, before and after cleaning; MapReduce and query-based.
DROP DATABASE IF EXISTS s07 CASCADE;
CREATE DATABASE s07;
CREATE TABLE s07.mr (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO s07.mr VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d');
INSERT INTO s07.mr VALUES (5,'e'),(6,'f');
UPDATE s07.mr SET v = 'upd1' WHERE id IN (1,5);
DELETE FROM s07.mr WHERE id = 2;
INSERT INTO s07.mr VALUES (7,'g');
INSERT INTO s07.mr VALUES (8,'h');
DELETE FROM s07.mr WHERE id IN (3, 7);
UPDATE s07.mr SET v = 'upd2' WHERE id = 4;
UPDATE s07.mr SET v = 'upd3' WHERE id = 8;
INSERT INTO s07.mr VALUES (9,'i');
DELETE FROM s07.mr;
SET hive.compactor.crud.query.based=true;
CREATE TABLE s07.qb (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO s07.qb VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d');
INSERT INTO s07.qb VALUES (5,'e'),(6,'f');
UPDATE s07.qb SET v = 'upd1' WHERE id IN (1,5);
DELETE FROM s07.qb WHERE id = 2;
INSERT INTO s07.qb VALUES (7,'g'),(8,'h');
DELETE FROM s07.qb WHERE id IN (3,7);
INSERT INTO s07.qb VALUES (9,'i');
UPDATE s07.qb SET v = 'last' WHERE id = 6;
SET hive.compactor.crud.query.based=false;
CREATE TABLE s07.parts (id INT, v STRING) PARTITIONED BY (p STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO s07.parts VALUES (1,'a','x'),(2,'b','x'),(3,'c','y'),(4,'d','z');
INSERT INTO s07.parts VALUES (5,'e','x'),(6,'f','y');
UPDATE s07.parts SET v = 'u' WHERE id < 4;
DELETE FROM s07.parts WHERE id IN (1, 6);

-- 08-aborted-open
-- Aborted and open transactions' deltas; a snapshot that excludes a committed id in the middle; compaction around them.
DROP DATABASE IF EXISTS s08 CASCADE;
CREATE DATABASE s08;
CREATE TABLE s08.t (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO s08.t VALUES (1,'a'),(2,'b'),(3,'c');
START TRANSACTION;
INSERT INTO s08.t VALUES (100,'aborted insert');
DELETE FROM s08.t WHERE id = 1;
ROLLBACK;
INSERT INTO s08.t VALUES (4,'d');
START TRANSACTION;
INSERT INTO s08.t VALUES (200,'open insert');
UPDATE s08.t SET v = 'open update' WHERE id = 2;
INSERT INTO s08.t VALUES (5,'e');
START TRANSACTION;
SELECT count(*) FROM s08.t;
COMMIT;
COMMIT;
START TRANSACTION;
INSERT INTO s08.t VALUES (300,'still open');
INSERT INTO s08.t VALUES (6,'f');
UPDATE s08.t SET v = 'upd6' WHERE id = 6;
SHOW TRANSACTIONS;
SHOW LOCKS;
SHOW COMPACTIONS;
ROLLBACK;

-- 09-streaming
-- Streaming ingest: one transaction batch per open; commits, an abort inside a batch, an unfinished batch with
-- its _flush_length side file, partitioned and bucketed targets, compaction.
DROP DATABASE IF EXISTS s09 CASCADE;
CREATE DATABASE s09;
CREATE TABLE s09.t (id INT, s STRING, d DOUBLE, dt DATE) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO s09.t VALUES (1,'by insert',1.5,'2026-01-01');
UPDATE s09.t SET s = 'updated stream row' WHERE id IN (100, 203);
DELETE FROM s09.t WHERE id = 201;
DELETE FROM s09.t WHERE id BETWEEN 602 AND 605;
CREATE TABLE s09.b (id INT, name STRING, big BIGINT, de DECIMAL(10,2), ts TIMESTAMP, fl FLOAT, bo BOOLEAN, arr ARRAY<INT>) PARTITIONED BY (p STRING) CLUSTERED BY (id) INTO 3 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
ALTER TABLE s09.b ADD PARTITION (p='x');
ALTER TABLE s09.b ADD PARTITION (p='y');
INSERT INTO s09.b PARTITION (p='x') SELECT 5, 'ins', 5, 5, '2026-01-01 00:00:00', 5, true, array(5);

-- 10-evolution
-- Schema evolution after data exists.
DROP DATABASE IF EXISTS s10 CASCADE;
CREATE DATABASE s10;
CREATE TABLE s10.t (id INT, a SMALLINT, b STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s10.t VALUES (1,10,'x'),(2,20,'y'),(3,NULL,'z');
ALTER TABLE s10.t ADD COLUMNS (c DOUBLE, d ARRAY<STRING>);
INSERT INTO s10.t SELECT 4, 40, 'w', 4.5, array('p','q');
UPDATE s10.t SET c = 1.25 WHERE id = 1;
ALTER TABLE s10.t CHANGE COLUMN a a BIGINT;
ALTER TABLE s10.t CHANGE COLUMN id id BIGINT;
INSERT INTO s10.t (id, a, b) VALUES (5000000000, 9000000000, 'big');
UPDATE s10.t SET a = a + 8000000000 WHERE id = 2;
DELETE FROM s10.t WHERE id = 3;
CREATE TABLE s10.conv (id INT, i INT, f FLOAT, s STRING, de DECIMAL(5,2), dt DATE, vc VARCHAR(5), ti TINYINT) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s10.conv VALUES (1, 5, 1.1, 'text', 1.25, '2026-01-02', 'abcde', 7), (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL), (3, -2147483648, 16777216, '12', 999.99, '1500-01-01', '', -128);
ALTER TABLE s10.conv CHANGE COLUMN i i STRING;
ALTER TABLE s10.conv CHANGE COLUMN f f DOUBLE;
ALTER TABLE s10.conv CHANGE COLUMN de de DECIMAL(12,4);
ALTER TABLE s10.conv CHANGE COLUMN dt dt STRING;
ALTER TABLE s10.conv CHANGE COLUMN vc vc STRING;
ALTER TABLE s10.conv CHANGE COLUMN ti ti DECIMAL(5,1);
UPDATE s10.conv SET s = 'u' WHERE id = 1;
CREATE TABLE s10.ren (id INT, old_name STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s10.ren VALUES (1,'before');
ALTER TABLE s10.ren CHANGE COLUMN old_name new_name STRING;
INSERT INTO s10.ren VALUES (2,'after');
CREATE TABLE s10.p (id INT, v STRING) PARTITIONED BY (p INT) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s10.p VALUES (1,'a',1),(2,'b',2);
ALTER TABLE s10.p ADD COLUMNS (extra INT);
INSERT INTO s10.p VALUES (3,'c',30,1),(4,'d',40,3);
UPDATE s10.p SET extra = 99 WHERE id = 1;
ALTER TABLE s10.p ADD COLUMNS (extra2 STRING) CASCADE;
INSERT INTO s10.p VALUES (5,'e',50,'z',2);
CREATE TABLE s10.st (id INT, s STRUCT<a:INT,b:STRING>) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s10.st SELECT 1, named_struct('a',1,'b','x');
ALTER TABLE s10.st CHANGE COLUMN s s STRUCT<a:INT,b:STRING,c:DOUBLE>;
INSERT INTO s10.st SELECT 2, named_struct('a',2,'b','y','c',2.5D);

-- 11-original
-- Non-transactional ORC tables converted to ACID: original files, synthetic row ids, copies, sub-directories, LOAD DATA.
DROP DATABASE IF EXISTS s11 CASCADE;
CREATE DATABASE s11;
CREATE TABLE s11.plain (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='false');
INSERT INTO s11.plain VALUES (1,'a'),(2,'b'),(3,'c');
INSERT INTO s11.plain VALUES (4,'d'),(5,'e');
INSERT INTO s11.plain VALUES (6,'f');
ALTER TABLE s11.plain SET TBLPROPERTIES ('transactional'='true');
UPDATE s11.plain SET v = 'upd' WHERE id IN (2, 5);
DELETE FROM s11.plain WHERE id = 6;
INSERT INTO s11.plain VALUES (7,'new');
CREATE TABLE s11.buck (id INT, v STRING) CLUSTERED BY (id) INTO 3 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='false');
INSERT INTO s11.buck SELECT pos, concat('v', cast(pos as string)) FROM (SELECT posexplode(split(space(19), ' ')) AS (pos, e)) t;
INSERT INTO s11.buck SELECT pos + 100, concat('w', cast(pos as string)) FROM (SELECT posexplode(split(space(9), ' ')) AS (pos, e)) t;
INSERT INTO s11.buck SELECT pos + 200, concat('x', cast(pos as string)) FROM (SELECT posexplode(split(space(9), ' ')) AS (pos, e)) t;
ALTER TABLE s11.buck SET TBLPROPERTIES ('transactional'='true');
DELETE FROM s11.buck WHERE id % 5 = 0;
UPDATE s11.buck SET v = 'upd' WHERE id % 7 = 3;
CREATE TABLE s11.uni (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='false');
SET hive.merge.tezfiles=false;
INSERT OVERWRITE TABLE s11.uni SELECT 1 AS id, 'u1' AS v UNION ALL SELECT 2, 'u2' UNION ALL SELECT id, v FROM s11.buck WHERE id < 4;
ALTER TABLE s11.uni SET TBLPROPERTIES ('transactional'='true');
DELETE FROM s11.uni WHERE id = 2;
CREATE TABLE s11.part (id INT, v STRING) PARTITIONED BY (p STRING) STORED AS ORC TBLPROPERTIES ('transactional'='false');
INSERT INTO s11.part VALUES (1,'a','x'),(2,'b','x'),(3,'c','y');
INSERT INTO s11.part VALUES (4,'d','x'),(5,'e','y');
ALTER TABLE s11.part SET TBLPROPERTIES ('transactional'='true');
INSERT INTO s11.part VALUES (6,'f','x'),(7,'g','z');
UPDATE s11.part SET v = 'U' WHERE id IN (1,4,6);
DELETE FROM s11.part WHERE p = 'y' AND id = 3;
INSERT OVERWRITE TABLE s11.part PARTITION (p='y') VALUES (50,'over');
-- LOAD DATA into an ACID table: raw files in a delta / base
CREATE TABLE s11.src (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='false');
INSERT INTO s11.src VALUES (1,'l1'),(2,'l2'),(3,'l3');
INSERT INTO s11.src VALUES (4,'l4');
CREATE TABLE s11.load (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s11.load VALUES (100,'before');
LOAD DATA LOCAL INPATH '${FILES}/src' INTO TABLE s11.load;
DELETE FROM s11.load WHERE id = 2;
UPDATE s11.load SET v = 'upd' WHERE id IN (3,4);
LOAD DATA LOCAL INPATH '${FILES}/src2' OVERWRITE INTO TABLE s11.load;
INSERT INTO s11.load VALUES (200,'after');
DELETE FROM s11.load WHERE id = 1;

-- 12-orc-settings
-- ORC settings: codecs, small stripes and row index strides, bloom filters.
DROP DATABASE IF EXISTS s12 CASCADE;
CREATE DATABASE s12;
CREATE TABLE s12.c_none (id INT, h INT, s STRING, d DECIMAL(12,3), dt DATE, x DOUBLE) STORED AS ORC TBLPROPERTIES ('transactional'='true','orc.compress'='NONE','orc.row.index.stride'='1000','orc.compress.size'='8192');
INSERT INTO s12.c_none SELECT n, h, concat('row number ', cast(n as string), ' ', repeat('abc', pmod(h, 9))), cast(h/1000 as decimal(12,3)), date_add('2000-01-01', n), h/3.0D FROM (SELECT n, murmur_hash(n) AS h FROM (SELECT posexplode(split(space(1999), ' ')) AS (n, e)) a) b;
UPDATE s12.c_none SET s = 'updated' WHERE id % 100 = 1;
DELETE FROM s12.c_none WHERE id BETWEEN 500 AND 1500;
CREATE TABLE s12.c_zlib (id INT, h INT, s STRING, d DECIMAL(12,3), dt DATE, x DOUBLE) STORED AS ORC TBLPROPERTIES ('transactional'='true','orc.compress'='ZLIB','orc.row.index.stride'='1000','orc.compress.size'='8192');
INSERT INTO s12.c_zlib SELECT n, h, concat('row number ', cast(n as string), ' ', repeat('abc', pmod(h, 9))), cast(h/1000 as decimal(12,3)), date_add('2000-01-01', n), h/3.0D FROM (SELECT n, murmur_hash(n) AS h FROM (SELECT posexplode(split(space(1999), ' ')) AS (n, e)) a) b;
UPDATE s12.c_zlib SET s = 'updated' WHERE id % 100 = 1;
DELETE FROM s12.c_zlib WHERE id BETWEEN 500 AND 1500;
CREATE TABLE s12.c_snappy (id INT, h INT, s STRING, d DECIMAL(12,3), dt DATE, x DOUBLE) STORED AS ORC TBLPROPERTIES ('transactional'='true','orc.compress'='SNAPPY','orc.row.index.stride'='1000','orc.compress.size'='8192');
INSERT INTO s12.c_snappy SELECT n, h, concat('row number ', cast(n as string), ' ', repeat('abc', pmod(h, 9))), cast(h/1000 as decimal(12,3)), date_add('2000-01-01', n), h/3.0D FROM (SELECT n, murmur_hash(n) AS h FROM (SELECT posexplode(split(space(1999), ' ')) AS (n, e)) a) b;
UPDATE s12.c_snappy SET s = 'updated' WHERE id % 100 = 1;
DELETE FROM s12.c_snappy WHERE id BETWEEN 500 AND 1500;
CREATE TABLE s12.c_zstd (id INT, h INT, s STRING, d DECIMAL(12,3), dt DATE, x DOUBLE) STORED AS ORC TBLPROPERTIES ('transactional'='true','orc.compress'='ZSTD','orc.row.index.stride'='1000','orc.compress.size'='8192');
INSERT INTO s12.c_zstd SELECT n, h, concat('row number ', cast(n as string), ' ', repeat('abc', pmod(h, 9))), cast(h/1000 as decimal(12,3)), date_add('2000-01-01', n), h/3.0D FROM (SELECT n, murmur_hash(n) AS h FROM (SELECT posexplode(split(space(1999), ' ')) AS (n, e)) a) b;
UPDATE s12.c_zstd SET s = 'updated' WHERE id % 100 = 1;
DELETE FROM s12.c_zstd WHERE id BETWEEN 500 AND 1500;
CREATE TABLE s12.c_lz4 (id INT, h INT, s STRING, d DECIMAL(12,3), dt DATE, x DOUBLE) STORED AS ORC TBLPROPERTIES ('transactional'='true','orc.compress'='LZ4','orc.row.index.stride'='1000','orc.compress.size'='8192');
INSERT INTO s12.c_lz4 SELECT n, h, concat('row number ', cast(n as string), ' ', repeat('abc', pmod(h, 9))), cast(h/1000 as decimal(12,3)), date_add('2000-01-01', n), h/3.0D FROM (SELECT n, murmur_hash(n) AS h FROM (SELECT posexplode(split(space(1999), ' ')) AS (n, e)) a) b;
UPDATE s12.c_lz4 SET s = 'updated' WHERE id % 100 = 1;
DELETE FROM s12.c_lz4 WHERE id BETWEEN 500 AND 1500;
CREATE TABLE s12.stripes (id INT, s STRING, x DOUBLE) STORED AS ORC TBLPROPERTIES ('transactional'='true','orc.stripe.size'='65536','orc.row.index.stride'='1000','orc.compress.size'='4096','orc.bloom.filter.columns'='id,s','orc.bloom.filter.fpp'='0.05');
INSERT INTO s12.stripes SELECT n, concat(cast(h as string), '-', sha2(cast(n as string), 256)), h/7.0D FROM (SELECT n, murmur_hash(n) AS h FROM (SELECT posexplode(split(space(7999), ' ')) AS (n, e)) a) b;
DELETE FROM s12.stripes WHERE id % 10 = 0;
UPDATE s12.stripes SET x = -1 WHERE id BETWEEN 5000 AND 5100;
SELECT count(*), sum(id), min(s), max(s) FROM s12.stripes WHERE id > 6000;
SELECT * FROM s12.stripes WHERE id = 7654;
CREATE TABLE s12.noindex (id INT, s STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','orc.create.index'='false','orc.row.index.stride'='0');
INSERT INTO s12.noindex SELECT n, cast(h as string) FROM (SELECT n, murmur_hash(n) AS h FROM (SELECT posexplode(split(space(4999), ' ')) AS (n, e)) a) b;
DELETE FROM s12.noindex WHERE id < 100;
CREATE TABLE s12.dict (id INT, low STRING, high STRING, rle INT, delta BIGINT, patched BIGINT, b BOOLEAN) STORED AS ORC TBLPROPERTIES ('transactional'='true','orc.compress'='NONE','orc.row.index.stride'='1000');
INSERT INTO s12.dict SELECT n, concat('v', pmod(h, 5)), sha2(cast(n as string), 256), 7, n * 3L, if(n % 97 = 0, 1000000000000L + n, pmod(h, 50)), n % 3 = 0 FROM (SELECT n, murmur_hash(n) AS h FROM (SELECT posexplode(split(space(4999), ' ')) AS (n, e)) a) b;
DELETE FROM s12.dict WHERE id % 1000 = 5;

-- 13-insert-only
-- Insert-only (micro-managed) tables in several formats; overwrite, abort, truncate, compaction.
DROP DATABASE IF EXISTS s13 CASCADE;
CREATE DATABASE s13;
CREATE TABLE s13.orc (id INT, s STRING, d DECIMAL(10,2), dt DATE, b BOOLEAN, x DOUBLE) STORED AS ORC TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only','no_auto_compaction'='true');
INSERT INTO s13.orc VALUES (1,'a',1.25,'2026-01-01',true,0.5),(2,NULL,NULL,NULL,NULL,NULL);
INSERT INTO s13.orc VALUES (3,'tab and é',-3.5,'1969-07-20',false,-1e10);
INSERT OVERWRITE TABLE s13.orc SELECT id + 10, s, d, dt, b, x FROM s13.orc;
INSERT INTO s13.orc VALUES (20,'after overwrite',0,'2000-02-29',true,1);
START TRANSACTION;
INSERT INTO s13.orc VALUES (666,'aborted',0,NULL,NULL,NULL);
ROLLBACK;
INSERT INTO s13.orc VALUES (21,'b',0.01,'9999-12-31',false,2),(22,'c',99999999.99,'0001-01-01',false,3);
INSERT INTO s13.orc VALUES (30,'x',1,'2020-01-01',true,4);
CREATE TABLE s13.text (id INT, s STRING, d DECIMAL(10,2), dt DATE, b BOOLEAN, x DOUBLE) STORED AS TEXTFILE TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only','no_auto_compaction'='true');
INSERT INTO s13.text VALUES (1,'a',1.25,'2026-01-01',true,0.5),(2,NULL,NULL,NULL,NULL,NULL);
INSERT INTO s13.text VALUES (3,'tab and é',-3.5,'1969-07-20',false,-1e10);
INSERT OVERWRITE TABLE s13.text SELECT id + 10, s, d, dt, b, x FROM s13.text;
INSERT INTO s13.text VALUES (20,'after overwrite',0,'2000-02-29',true,1);
START TRANSACTION;
INSERT INTO s13.text VALUES (666,'aborted',0,NULL,NULL,NULL);
ROLLBACK;
INSERT INTO s13.text VALUES (21,'b',0.01,'9999-12-31',false,2),(22,'c',99999999.99,'0001-01-01',false,3);
INSERT INTO s13.text VALUES (30,'x',1,'2020-01-01',true,4);
CREATE TABLE s13.parquet (id INT, s STRING, d DECIMAL(10,2), dt DATE, b BOOLEAN, x DOUBLE) STORED AS PARQUET TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only','no_auto_compaction'='true');
INSERT INTO s13.parquet VALUES (1,'a',1.25,'2026-01-01',true,0.5),(2,NULL,NULL,NULL,NULL,NULL);
INSERT INTO s13.parquet VALUES (3,'tab and é',-3.5,'1969-07-20',false,-1e10);
INSERT OVERWRITE TABLE s13.parquet SELECT id + 10, s, d, dt, b, x FROM s13.parquet;
INSERT INTO s13.parquet VALUES (20,'after overwrite',0,'2000-02-29',true,1);
START TRANSACTION;
INSERT INTO s13.parquet VALUES (666,'aborted',0,NULL,NULL,NULL);
ROLLBACK;
INSERT INTO s13.parquet VALUES (21,'b',0.01,'9999-12-31',false,2),(22,'c',99999999.99,'0001-01-01',false,3);
INSERT INTO s13.parquet VALUES (30,'x',1,'2020-01-01',true,4);
CREATE TABLE s13.avro (id INT, s STRING, d DECIMAL(10,2), dt DATE, b BOOLEAN, x DOUBLE) STORED AS AVRO TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only','no_auto_compaction'='true');
INSERT INTO s13.avro VALUES (1,'a',1.25,'2026-01-01',true,0.5),(2,NULL,NULL,NULL,NULL,NULL);
INSERT INTO s13.avro VALUES (3,'tab and é',-3.5,'1969-07-20',false,-1e10);
INSERT OVERWRITE TABLE s13.avro SELECT id + 10, s, d, dt, b, x FROM s13.avro;
INSERT INTO s13.avro VALUES (20,'after overwrite',0,'2000-02-29',true,1);
START TRANSACTION;
INSERT INTO s13.avro VALUES (666,'aborted',0,NULL,NULL,NULL);
ROLLBACK;
INSERT INTO s13.avro VALUES (21,'b',0.01,'9999-12-31',false,2),(22,'c',99999999.99,'0001-01-01',false,3);
CREATE TABLE s13.seq (id INT, s STRING, d DECIMAL(10,2), dt DATE, b BOOLEAN, x DOUBLE) STORED AS SEQUENCEFILE TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only','no_auto_compaction'='true');
INSERT INTO s13.seq VALUES (1,'a',1.25,'2026-01-01',true,0.5),(2,NULL,NULL,NULL,NULL,NULL);
INSERT INTO s13.seq VALUES (3,'tab and é',-3.5,'1969-07-20',false,-1e10);
INSERT OVERWRITE TABLE s13.seq SELECT id + 10, s, d, dt, b, x FROM s13.seq;
INSERT INTO s13.seq VALUES (20,'after overwrite',0,'2000-02-29',true,1);
START TRANSACTION;
INSERT INTO s13.seq VALUES (666,'aborted',0,NULL,NULL,NULL);
ROLLBACK;
INSERT INTO s13.seq VALUES (21,'b',0.01,'9999-12-31',false,2),(22,'c',99999999.99,'0001-01-01',false,3);
CREATE TABLE s13.rc (id INT, s STRING, d DECIMAL(10,2), dt DATE, b BOOLEAN, x DOUBLE) STORED AS RCFILE TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only','no_auto_compaction'='true');
INSERT INTO s13.rc VALUES (1,'a',1.25,'2026-01-01',true,0.5),(2,NULL,NULL,NULL,NULL,NULL);
INSERT INTO s13.rc VALUES (3,'tab and é',-3.5,'1969-07-20',false,-1e10);
INSERT OVERWRITE TABLE s13.rc SELECT id + 10, s, d, dt, b, x FROM s13.rc;
INSERT INTO s13.rc VALUES (20,'after overwrite',0,'2000-02-29',true,1);
START TRANSACTION;
INSERT INTO s13.rc VALUES (666,'aborted',0,NULL,NULL,NULL);
ROLLBACK;
INSERT INTO s13.rc VALUES (21,'b',0.01,'9999-12-31',false,2),(22,'c',99999999.99,'0001-01-01',false,3);
CREATE TABLE s13.part (id INT, s STRING) PARTITIONED BY (p STRING) STORED AS TEXTFILE TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only');
INSERT INTO s13.part VALUES (1,'a','x'),(2,'b','y'),(3,'c',NULL);
INSERT OVERWRITE TABLE s13.part PARTITION (p='y') VALUES (4,'d');
INSERT INTO s13.part SELECT id + 10, s, 'u' FROM s13.part UNION ALL SELECT id + 20, s, 'u' FROM s13.part WHERE p = 'x';
FROM s13.part INSERT INTO TABLE s13.part PARTITION (p='m') SELECT id, s WHERE id = 1;
TRUNCATE TABLE s13.part PARTITION (p='x');
INSERT INTO s13.part VALUES (99,'after truncate','x');
CREATE TABLE s13.buck (id INT, s STRING) CLUSTERED BY (id) INTO 3 BUCKETS STORED AS TEXTFILE TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only');
INSERT INTO s13.buck VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d'),(5,'e'),(6,'f'),(NULL,'n');
INSERT INTO s13.buck VALUES (7,'g');
CREATE TABLE s13.conv (id INT, s STRING) STORED AS TEXTFILE TBLPROPERTIES ('transactional'='false');
INSERT INTO s13.conv VALUES (1,'a');
INSERT INTO s13.conv VALUES (2,'b');
ALTER TABLE s13.conv SET TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only');
INSERT INTO s13.conv VALUES (3,'c');
--| 1loaded
--| 2\N
CREATE TABLE s13.load (id INT, s STRING) STORED AS TEXTFILE TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only');
LOAD DATA LOCAL INPATH '${FILES}/in1.txt' INTO TABLE s13.load;
LOAD DATA LOCAL INPATH '${FILES}/in1.txt' INTO TABLE s13.load;
LOAD DATA LOCAL INPATH '${FILES}/in1.txt' OVERWRITE INTO TABLE s13.load;

-- 14-external
-- External and plain non-transactional tables: delimited text, CSV, JSON, partitioned, other formats.
DROP DATABASE IF EXISTS s14 CASCADE;
CREATE DATABASE s14;
--| 1|hello|1.5|2026-01-01|a,b,c|k1:1,k2:2|x
--| 2|\N|\N|\N|\N|\N|\N
--| 3||||||
--| 4|esc\|aped|notanumber|2026-13-45|one|k:|y
--| 5|short
--| 6|long|1|2026-01-02|a|k:1|x|extra|fields
--| x|bad int|1e3|1999-12-31|a,,b|:5|z
--|  7 | spaces | 2.50 | 2026-01-03 | a , b | k : 9 | q 
CREATE EXTERNAL TABLE s14.text1 (id INT, s STRING, d DOUBLE, dt DATE, arr ARRAY<STRING>, m MAP<STRING,INT>, c CHAR(3))
 ROW FORMAT DELIMITED FIELDS TERMINATED BY '|' ESCAPED BY '\\' COLLECTION ITEMS TERMINATED BY ',' MAP KEYS TERMINATED BY ':' LINES TERMINATED BY '\n'
 STORED AS TEXTFILE LOCATION '${EXTERNAL}/s14/text1';
CREATE EXTERNAL TABLE s14.text2 (id INT, b BOOLEAN, t TINYINT, sm SMALLINT, bi BIGINT, f FLOAT, d DOUBLE, de DECIMAL(10,2), ts TIMESTAMP, dt DATE, bin BINARY, st STRUCT<a:INT,b:STRING>, vc VARCHAR(4), tsl TIMESTAMP WITH LOCAL TIME ZONE) STORED AS TEXTFILE LOCATION '${EXTERNAL}/s14/text2';
INSERT INTO s14.text2 SELECT 1, true, 1Y, 2S, 3L, 1.5, 2.5, 3.25, '2026-01-01 01:02:03.456', '2026-01-01', unhex('00FF'), named_struct('a',1,'b','x'), 'abcd', cast('2026-01-01 00:00:00 Europe/Paris' as timestamp with local time zone);
INSERT INTO s14.text2 (id) VALUES (2);
INSERT INTO s14.text2 SELECT 3, false, -1Y, -2S, -3L, cast('NaN' as float), cast('Infinity' as double), -0.01, '1969-12-31 23:59:59', '1500-01-01', unhex(''), named_struct('a',cast(null as int),'b',cast(null as string)), 'tab\tnl\n', cast('1900-01-01 00:00:00 UTC' as timestamp with local time zone);
--| true;127;32767;9223372036854775807;2026-01-01 10:00:00;AAEC
--| TRUE;128;32768;9223372036854775808;2026-01-01;notbase64
--| t;1.5;1e2;0x10;2026-01-01T10:00:00;
--| 1;+5;-0;007;10:00:00;=
--| NULL;null;NaN;-;bad;\N
CREATE EXTERNAL TABLE s14.text3 (b BOOLEAN, t TINYINT, s SMALLINT, l BIGINT, ts TIMESTAMP, bin BINARY) ROW FORMAT DELIMITED FIELDS TERMINATED BY ';' STORED AS TEXTFILE LOCATION '${EXTERNAL}/s14/text3';
CREATE EXTERNAL TABLE s14.textnull (id INT, s STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' NULL DEFINED AS 'nil' STORED AS TEXTFILE LOCATION '${EXTERNAL}/s14/textnull' TBLPROPERTIES ('skip.header.line.count'='1','skip.footer.line.count'='1');
--| id,s
--| 1,nil
--| nil,x
--| 3,\N
--| footer,f
--| 1,"quoted, comma",3.5
--| 2,"he said ""hi""",x
--| 3,plain,
--| 4,"",""
--| 5,back\\slash,"esc\"aped"
--| 6
--|  7 , lead ," sp "
CREATE EXTERNAL TABLE s14.csv (id STRING, s STRING, d STRING) ROW FORMAT SERDE 'org.apache.hadoop.hive.serde2.OpenCSVSerde' STORED AS TEXTFILE LOCATION '${EXTERNAL}/s14/csv';
INSERT INTO s14.csv VALUES ('9','w "q", c',NULL);
--| {"id":1,"s":"text","d":1.5,"arr":[1,2,null],"m":{"a":1},"st":{"x":1,"y":"z"},"ts":"2026-01-01 00:00:00"}
--| {"ID":2,"S":null,"extra":true}
--| {"id":3,"s":"unié\n\"q\"","d":"2.5","arr":[],"m":{},"st":{"x":null}}
--| {"id":"4","s":5,"d":7,"arr":null}
CREATE EXTERNAL TABLE s14.json (id INT, s STRING, d DOUBLE, arr ARRAY<INT>, m MAP<STRING,INT>, st STRUCT<x:INT,y:STRING>, ts TIMESTAMP) ROW FORMAT SERDE 'org.apache.hadoop.hive.serde2.JsonSerDe' STORED AS TEXTFILE LOCATION '${EXTERNAL}/s14/json';
INSERT INTO s14.json SELECT 9, 'w"\n', 1.25, array(1), map('k',1), named_struct('x',1,'y','q'), '2026-01-01 00:00:00.5';
CREATE EXTERNAL TABLE s14.part (id INT, s STRING) PARTITIONED BY (y INT, m STRING) ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' STORED AS TEXTFILE LOCATION '${EXTERNAL}/s14/part';
INSERT INTO s14.part VALUES (1,'a',2026,'01'),(2,'b',2026,'02'),(3,'c',NULL,'x y');
--| 7,added
MSCK REPAIR TABLE s14.part;
CREATE EXTERNAL TABLE s14.orc (id INT, s STRING, d DECIMAL(10,2), ts TIMESTAMP, dt DATE) STORED AS ORC LOCATION '${EXTERNAL}/s14/orc';
INSERT INTO s14.orc VALUES (1,'a',1.5,'2026-01-01 00:00:00','2026-01-01'),(2,NULL,NULL,NULL,NULL),(3,'old',0,'1500-01-01 00:00:00','1500-01-01');
CREATE EXTERNAL TABLE s14.parquet (id INT, s STRING, d DECIMAL(10,2), ts TIMESTAMP, dt DATE, a ARRAY<INT>, m MAP<STRING,INT>, st STRUCT<x:INT>) STORED AS PARQUET LOCATION '${EXTERNAL}/s14/parquet';
INSERT INTO s14.parquet SELECT 1,'a',1.5,'2026-01-01 00:00:00','2026-01-01',array(1,null),map('k',1),named_struct('x',5);
INSERT INTO s14.parquet (id) VALUES (2);

-- 15-worked-example
-- The worked example of the Hive 3 ACID document, as written there.
DROP DATABASE IF EXISTS sales CASCADE;
CREATE DATABASE sales;
CREATE TABLE sales.orders (
  order_id    BIGINT,
  customer_id BIGINT,
  status      STRING,
  amount      DECIMAL(12,2),
  updated_at  TIMESTAMP
)
PARTITIONED BY (order_date DATE)
STORED AS ORC
TBLPROPERTIES ('transactional'='true');
CREATE TABLE sales.clicks_raw (line STRING)
STORED AS TEXTFILE
TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only');
CREATE EXTERNAL TABLE landing_orders_csv (line STRING) LOCATION '${EXTERNAL}/landing/orders';
INSERT INTO sales.orders PARTITION (order_date='2026-10-01')
VALUES (1, 10, 'NEW', 20.00, '2026-10-01 09:00:00'),
       (2, 11, 'NEW', 35.50, '2026-10-01 09:05:00');
SELECT ROW__ID, order_id, status FROM sales.orders WHERE order_date='2026-10-01';
UPDATE sales.orders SET status='PAID' WHERE order_id=1 AND order_date='2026-10-01';
DELETE FROM sales.orders WHERE order_id=2 AND order_date='2026-10-01';
SELECT ROW__ID, order_id, status FROM sales.orders WHERE order_date='2026-10-01';
SHOW COMPACTIONS;
INSERT INTO sales.clicks_raw VALUES ('click 1'),('click 2');
INSERT INTO sales.clicks_raw VALUES ('click 3');
SHOW TRANSACTIONS;
SHOW LOCKS EXTENDED;
DROP TABLE landing_orders_csv;
-- the same statements without direct insert: files without the attempt suffix, as Hive 3 names them
-- (hive.split.update=false, the Hive 3 way of UPDATE, writes shifted columns in Hive 4.0.1 and is not used here)
SET hive.acid.direct.insert.enabled=false;
CREATE TABLE sales.orders3 (order_id BIGINT, customer_id BIGINT, status STRING, amount DECIMAL(12,2), updated_at TIMESTAMP)
PARTITIONED BY (order_date DATE) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO sales.orders3 PARTITION (order_date='2026-10-01')
VALUES (1, 10, 'NEW', 20.00, '2026-10-01 09:00:00'),
       (2, 11, 'NEW', 35.50, '2026-10-01 09:05:00');
UPDATE sales.orders3 SET status='PAID' WHERE order_id=1 AND order_date='2026-10-01';
DELETE FROM sales.orders3 WHERE order_id=2 AND order_date='2026-10-01';

-- 16-large
-- 200k rows in several deltas with about 10 % deleted; only aggregate answers.
DROP DATABASE IF EXISTS s16 CASCADE;
CREATE DATABASE s16;
CREATE TABLE s16.big (id BIGINT, grp INT, k STRING, amount DECIMAL(14,2), x DOUBLE, d DATE, flag BOOLEAN) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true','orc.stripe.size'='1048576');
INSERT INTO s16.big SELECT n, pmod(h, 100), concat('k', pmod(h, 5000)), cast(pmod(h, 1000000)/100 as decimal(14,2)), pmod(h, 1000)/8.0D, date_add('2020-01-01', pmod(n, 1000)), n % 3 = 0 FROM (SELECT n, murmur_hash(n) AS h FROM (SELECT posexplode(split(space(99999), ' ')) AS (n, e)) a) b;
INSERT INTO s16.big SELECT n + 100000, pmod(h, 100), concat('k', pmod(h, 5000)), cast(pmod(h, 1000000)/100 as decimal(14,2)), pmod(h, 1000)/8.0D, date_add('2020-01-01', pmod(n, 1000)), n % 3 = 0 FROM (SELECT n, murmur_hash(n + 100000) AS h FROM (SELECT posexplode(split(space(49999), ' ')) AS (n, e)) a) b;
DELETE FROM s16.big WHERE id % 20 = 7;
INSERT INTO s16.big SELECT n + 150000, pmod(h, 100), concat('k', pmod(h, 5000)), cast(pmod(h, 1000000)/100 as decimal(14,2)), pmod(h, 1000)/8.0D, date_add('2020-01-01', pmod(n, 1000)), n % 3 = 0 FROM (SELECT n, murmur_hash(n + 150000) AS h FROM (SELECT posexplode(split(space(49999), ' ')) AS (n, e)) a) b;
UPDATE s16.big SET amount = amount + 1, k = concat('u', k) WHERE grp = 17;
DELETE FROM s16.big WHERE pmod(murmur_hash(id), 20) = 3;
SELECT count(*) c, sum(id) s_id, sum(grp) s_grp, sum(amount) s_amount, sum(x) s_x, min(id) mn_id, max(id) mx_id, min(k) mn_k, max(k) mx_k, min(d) mn_d, max(d) mx_d, count(distinct k) dk, sum(if(flag,1,0)) s_flag, sum(cast(murmur_hash(k) as bigint)) h_k, sum(cast(murmur_hash(amount) as bigint)) h_amount FROM s16.big;
SELECT sum(ROW__ID.writeid) s_w, sum(cast(ROW__ID.bucketid as bigint)) s_b, sum(ROW__ID.rowid) s_r, min(ROW__ID.rowid) mn_r, max(ROW__ID.rowid) mx_r FROM s16.big;
SELECT grp, count(*) c, sum(amount) s, min(id) mn, max(id) mx, avg(x) ax FROM s16.big GROUP BY grp ORDER BY grp;
SELECT ROW__ID.writeid w, ROW__ID.bucketid b, count(*) c, min(ROW__ID.rowid) mn, max(ROW__ID.rowid) mx FROM s16.big GROUP BY ROW__ID.writeid, ROW__ID.bucketid ORDER BY w, b;
SELECT count(*), sum(amount), min(id), max(id) FROM s16.big WHERE id BETWEEN 120000 AND 120500;

-- 17-hash-vectors
-- Bucket hash values: hash() (bucketing_version 1) and murmur_hash() (version 2) and the bucket file of each row.
DROP DATABASE IF EXISTS s17 CASCADE;
CREATE DATABASE s17;
CREATE TABLE s17.h_boolean_1 (id INT, x boolean) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO s17.h_boolean_1 SELECT inline(array(struct(0, cast(true as boolean)), struct(1, cast(false as boolean)), struct(2, cast(null as boolean)))) AS (id, x);
CREATE TABLE s17.h_boolean_2 (id INT, x boolean) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='2');
INSERT INTO s17.h_boolean_2 SELECT inline(array(struct(0, cast(true as boolean)), struct(1, cast(false as boolean)), struct(2, cast(null as boolean)))) AS (id, x);
SELECT 'boolean' AS type, a.id, a.v AS value, a.h1, a.h2, b.b AS bucket8_v1, c.b AS bucket8_v2 FROM (SELECT id, cast(x as string) v, hash(x) h1, murmur_hash(x) h2 FROM (SELECT inline(array(struct(0, cast(true as boolean)), struct(1, cast(false as boolean)), struct(2, cast(null as boolean)))) AS (id, x)) z) a JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_boolean_1) b ON a.id = b.id JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_boolean_2) c ON a.id = c.id ORDER BY a.id;
CREATE TABLE s17.h_tinyint_1 (id INT, x tinyint) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO s17.h_tinyint_1 SELECT inline(array(struct(0, cast(0 as tinyint)), struct(1, cast(1 as tinyint)), struct(2, cast(-1 as tinyint)), struct(3, cast(127 as tinyint)), struct(4, cast(-128 as tinyint)), struct(5, cast(5 as tinyint)), struct(6, cast(null as tinyint)))) AS (id, x);
CREATE TABLE s17.h_tinyint_2 (id INT, x tinyint) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='2');
INSERT INTO s17.h_tinyint_2 SELECT inline(array(struct(0, cast(0 as tinyint)), struct(1, cast(1 as tinyint)), struct(2, cast(-1 as tinyint)), struct(3, cast(127 as tinyint)), struct(4, cast(-128 as tinyint)), struct(5, cast(5 as tinyint)), struct(6, cast(null as tinyint)))) AS (id, x);
SELECT 'tinyint' AS type, a.id, a.v AS value, a.h1, a.h2, b.b AS bucket8_v1, c.b AS bucket8_v2 FROM (SELECT id, cast(x as string) v, hash(x) h1, murmur_hash(x) h2 FROM (SELECT inline(array(struct(0, cast(0 as tinyint)), struct(1, cast(1 as tinyint)), struct(2, cast(-1 as tinyint)), struct(3, cast(127 as tinyint)), struct(4, cast(-128 as tinyint)), struct(5, cast(5 as tinyint)), struct(6, cast(null as tinyint)))) AS (id, x)) z) a JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_tinyint_1) b ON a.id = b.id JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_tinyint_2) c ON a.id = c.id ORDER BY a.id;
CREATE TABLE s17.h_smallint_1 (id INT, x smallint) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO s17.h_smallint_1 SELECT inline(array(struct(0, cast(0 as smallint)), struct(1, cast(1 as smallint)), struct(2, cast(-1 as smallint)), struct(3, cast(300 as smallint)), struct(4, cast(-32768 as smallint)), struct(5, cast(32767 as smallint)), struct(6, cast(255 as smallint)), struct(7, cast(256 as smallint)), struct(8, cast(null as smallint)))) AS (id, x);
CREATE TABLE s17.h_smallint_2 (id INT, x smallint) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='2');
INSERT INTO s17.h_smallint_2 SELECT inline(array(struct(0, cast(0 as smallint)), struct(1, cast(1 as smallint)), struct(2, cast(-1 as smallint)), struct(3, cast(300 as smallint)), struct(4, cast(-32768 as smallint)), struct(5, cast(32767 as smallint)), struct(6, cast(255 as smallint)), struct(7, cast(256 as smallint)), struct(8, cast(null as smallint)))) AS (id, x);
SELECT 'smallint' AS type, a.id, a.v AS value, a.h1, a.h2, b.b AS bucket8_v1, c.b AS bucket8_v2 FROM (SELECT id, cast(x as string) v, hash(x) h1, murmur_hash(x) h2 FROM (SELECT inline(array(struct(0, cast(0 as smallint)), struct(1, cast(1 as smallint)), struct(2, cast(-1 as smallint)), struct(3, cast(300 as smallint)), struct(4, cast(-32768 as smallint)), struct(5, cast(32767 as smallint)), struct(6, cast(255 as smallint)), struct(7, cast(256 as smallint)), struct(8, cast(null as smallint)))) AS (id, x)) z) a JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_smallint_1) b ON a.id = b.id JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_smallint_2) c ON a.id = c.id ORDER BY a.id;
CREATE TABLE s17.h_int_1 (id INT, x int) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO s17.h_int_1 SELECT inline(array(struct(0, cast(0 as int)), struct(1, cast(1 as int)), struct(2, cast(2 as int)), struct(3, cast(3 as int)), struct(4, cast(-1 as int)), struct(5, cast(300000 as int)), struct(6, cast(2147483647 as int)), struct(7, cast(-2147483648 as int)), struct(8, cast(65536 as int)), struct(9, cast(16777216 as int)), struct(10, cast(123456789 as int)), struct(11, cast(-123456789 as int)), struct(12, cast(null as int)))) AS (id, x);
CREATE TABLE s17.h_int_2 (id INT, x int) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='2');
INSERT INTO s17.h_int_2 SELECT inline(array(struct(0, cast(0 as int)), struct(1, cast(1 as int)), struct(2, cast(2 as int)), struct(3, cast(3 as int)), struct(4, cast(-1 as int)), struct(5, cast(300000 as int)), struct(6, cast(2147483647 as int)), struct(7, cast(-2147483648 as int)), struct(8, cast(65536 as int)), struct(9, cast(16777216 as int)), struct(10, cast(123456789 as int)), struct(11, cast(-123456789 as int)), struct(12, cast(null as int)))) AS (id, x);
SELECT 'int' AS type, a.id, a.v AS value, a.h1, a.h2, b.b AS bucket8_v1, c.b AS bucket8_v2 FROM (SELECT id, cast(x as string) v, hash(x) h1, murmur_hash(x) h2 FROM (SELECT inline(array(struct(0, cast(0 as int)), struct(1, cast(1 as int)), struct(2, cast(2 as int)), struct(3, cast(3 as int)), struct(4, cast(-1 as int)), struct(5, cast(300000 as int)), struct(6, cast(2147483647 as int)), struct(7, cast(-2147483648 as int)), struct(8, cast(65536 as int)), struct(9, cast(16777216 as int)), struct(10, cast(123456789 as int)), struct(11, cast(-123456789 as int)), struct(12, cast(null as int)))) AS (id, x)) z) a JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_int_1) b ON a.id = b.id JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_int_2) c ON a.id = c.id ORDER BY a.id;
CREATE TABLE s17.h_bigint_1 (id INT, x bigint) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO s17.h_bigint_1 SELECT inline(array(struct(0, cast(0 as bigint)), struct(1, cast(1 as bigint)), struct(2, cast(-1 as bigint)), struct(3, cast(300000000000 as bigint)), struct(4, cast(9223372036854775807 as bigint)), struct(5, cast('-9223372036854775808' as bigint)), struct(6, cast(4294967296 as bigint)), struct(7, cast(4294967295 as bigint)), struct(8, cast(2147483648 as bigint)), struct(9, cast(-4294967297 as bigint)), struct(10, cast(123456789012345 as bigint)), struct(11, cast(null as bigint)))) AS (id, x);
CREATE TABLE s17.h_bigint_2 (id INT, x bigint) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='2');
INSERT INTO s17.h_bigint_2 SELECT inline(array(struct(0, cast(0 as bigint)), struct(1, cast(1 as bigint)), struct(2, cast(-1 as bigint)), struct(3, cast(300000000000 as bigint)), struct(4, cast(9223372036854775807 as bigint)), struct(5, cast('-9223372036854775808' as bigint)), struct(6, cast(4294967296 as bigint)), struct(7, cast(4294967295 as bigint)), struct(8, cast(2147483648 as bigint)), struct(9, cast(-4294967297 as bigint)), struct(10, cast(123456789012345 as bigint)), struct(11, cast(null as bigint)))) AS (id, x);
SELECT 'bigint' AS type, a.id, a.v AS value, a.h1, a.h2, b.b AS bucket8_v1, c.b AS bucket8_v2 FROM (SELECT id, cast(x as string) v, hash(x) h1, murmur_hash(x) h2 FROM (SELECT inline(array(struct(0, cast(0 as bigint)), struct(1, cast(1 as bigint)), struct(2, cast(-1 as bigint)), struct(3, cast(300000000000 as bigint)), struct(4, cast(9223372036854775807 as bigint)), struct(5, cast('-9223372036854775808' as bigint)), struct(6, cast(4294967296 as bigint)), struct(7, cast(4294967295 as bigint)), struct(8, cast(2147483648 as bigint)), struct(9, cast(-4294967297 as bigint)), struct(10, cast(123456789012345 as bigint)), struct(11, cast(null as bigint)))) AS (id, x)) z) a JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_bigint_1) b ON a.id = b.id JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_bigint_2) c ON a.id = c.id ORDER BY a.id;
CREATE TABLE s17.h_float_1 (id INT, x float) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO s17.h_float_1 SELECT inline(array(struct(0, cast(0 as float)), struct(1, cast(1 as float)), struct(2, cast(-1 as float)), struct(3, cast(12.34 as float)), struct(4, cast('NaN' as float)), struct(5, cast('Infinity' as float)), struct(6, cast('-Infinity' as float)), struct(7, cast('-0.0' as float)), struct(8, cast(0.1 as float)), struct(9, cast(3.4028235e38 as float)), struct(10, cast(1.4e-45 as float)), struct(11, cast(16777217 as float)), struct(12, cast(null as float)))) AS (id, x);
CREATE TABLE s17.h_float_2 (id INT, x float) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='2');
INSERT INTO s17.h_float_2 SELECT inline(array(struct(0, cast(0 as float)), struct(1, cast(1 as float)), struct(2, cast(-1 as float)), struct(3, cast(12.34 as float)), struct(4, cast('NaN' as float)), struct(5, cast('Infinity' as float)), struct(6, cast('-Infinity' as float)), struct(7, cast('-0.0' as float)), struct(8, cast(0.1 as float)), struct(9, cast(3.4028235e38 as float)), struct(10, cast(1.4e-45 as float)), struct(11, cast(16777217 as float)), struct(12, cast(null as float)))) AS (id, x);
SELECT 'float' AS type, a.id, a.v AS value, a.h1, a.h2, b.b AS bucket8_v1, c.b AS bucket8_v2 FROM (SELECT id, cast(x as string) v, hash(x) h1, murmur_hash(x) h2 FROM (SELECT inline(array(struct(0, cast(0 as float)), struct(1, cast(1 as float)), struct(2, cast(-1 as float)), struct(3, cast(12.34 as float)), struct(4, cast('NaN' as float)), struct(5, cast('Infinity' as float)), struct(6, cast('-Infinity' as float)), struct(7, cast('-0.0' as float)), struct(8, cast(0.1 as float)), struct(9, cast(3.4028235e38 as float)), struct(10, cast(1.4e-45 as float)), struct(11, cast(16777217 as float)), struct(12, cast(null as float)))) AS (id, x)) z) a JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_float_1) b ON a.id = b.id JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_float_2) c ON a.id = c.id ORDER BY a.id;
CREATE TABLE s17.h_double_1 (id INT, x double) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO s17.h_double_1 SELECT inline(array(struct(0, cast(0 as double)), struct(1, cast(1 as double)), struct(2, cast(-1 as double)), struct(3, cast(12.34 as double)), struct(4, cast('NaN' as double)), struct(5, cast('Infinity' as double)), struct(6, cast('-Infinity' as double)), struct(7, cast('-0.0' as double)), struct(8, cast(0.1 as double)), struct(9, cast(1.7976931348623157e308 as double)), struct(10, cast(4.9e-324 as double)), struct(11, cast(1e16 as double)), struct(12, cast(null as double)))) AS (id, x);
CREATE TABLE s17.h_double_2 (id INT, x double) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='2');
INSERT INTO s17.h_double_2 SELECT inline(array(struct(0, cast(0 as double)), struct(1, cast(1 as double)), struct(2, cast(-1 as double)), struct(3, cast(12.34 as double)), struct(4, cast('NaN' as double)), struct(5, cast('Infinity' as double)), struct(6, cast('-Infinity' as double)), struct(7, cast('-0.0' as double)), struct(8, cast(0.1 as double)), struct(9, cast(1.7976931348623157e308 as double)), struct(10, cast(4.9e-324 as double)), struct(11, cast(1e16 as double)), struct(12, cast(null as double)))) AS (id, x);
SELECT 'double' AS type, a.id, a.v AS value, a.h1, a.h2, b.b AS bucket8_v1, c.b AS bucket8_v2 FROM (SELECT id, cast(x as string) v, hash(x) h1, murmur_hash(x) h2 FROM (SELECT inline(array(struct(0, cast(0 as double)), struct(1, cast(1 as double)), struct(2, cast(-1 as double)), struct(3, cast(12.34 as double)), struct(4, cast('NaN' as double)), struct(5, cast('Infinity' as double)), struct(6, cast('-Infinity' as double)), struct(7, cast('-0.0' as double)), struct(8, cast(0.1 as double)), struct(9, cast(1.7976931348623157e308 as double)), struct(10, cast(4.9e-324 as double)), struct(11, cast(1e16 as double)), struct(12, cast(null as double)))) AS (id, x)) z) a JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_double_1) b ON a.id = b.id JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_double_2) c ON a.id = c.id ORDER BY a.id;
CREATE TABLE s17.h_decimal_10_2_1 (id INT, x decimal(10,2)) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO s17.h_decimal_10_2_1 SELECT inline(array(struct(0, cast(0 as decimal(10,2))), struct(1, cast(1 as decimal(10,2))), struct(2, cast(1.5 as decimal(10,2))), struct(3, cast(1.50 as decimal(10,2))), struct(4, cast(-1.5 as decimal(10,2))), struct(5, cast(12345678.99 as decimal(10,2))), struct(6, cast(-12345678.99 as decimal(10,2))), struct(7, cast(0.01 as decimal(10,2))), struct(8, cast(100 as decimal(10,2))), struct(9, cast(1000000 as decimal(10,2))), struct(10, cast(null as decimal(10,2))))) AS (id, x);
CREATE TABLE s17.h_decimal_10_2_2 (id INT, x decimal(10,2)) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='2');
INSERT INTO s17.h_decimal_10_2_2 SELECT inline(array(struct(0, cast(0 as decimal(10,2))), struct(1, cast(1 as decimal(10,2))), struct(2, cast(1.5 as decimal(10,2))), struct(3, cast(1.50 as decimal(10,2))), struct(4, cast(-1.5 as decimal(10,2))), struct(5, cast(12345678.99 as decimal(10,2))), struct(6, cast(-12345678.99 as decimal(10,2))), struct(7, cast(0.01 as decimal(10,2))), struct(8, cast(100 as decimal(10,2))), struct(9, cast(1000000 as decimal(10,2))), struct(10, cast(null as decimal(10,2))))) AS (id, x);
SELECT 'decimal(10,2)' AS type, a.id, a.v AS value, a.h1, a.h2, b.b AS bucket8_v1, c.b AS bucket8_v2 FROM (SELECT id, cast(x as string) v, hash(x) h1, murmur_hash(x) h2 FROM (SELECT inline(array(struct(0, cast(0 as decimal(10,2))), struct(1, cast(1 as decimal(10,2))), struct(2, cast(1.5 as decimal(10,2))), struct(3, cast(1.50 as decimal(10,2))), struct(4, cast(-1.5 as decimal(10,2))), struct(5, cast(12345678.99 as decimal(10,2))), struct(6, cast(-12345678.99 as decimal(10,2))), struct(7, cast(0.01 as decimal(10,2))), struct(8, cast(100 as decimal(10,2))), struct(9, cast(1000000 as decimal(10,2))), struct(10, cast(null as decimal(10,2))))) AS (id, x)) z) a JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_decimal_10_2_1) b ON a.id = b.id JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_decimal_10_2_2) c ON a.id = c.id ORDER BY a.id;
CREATE TABLE s17.h_decimal_38_18_1 (id INT, x decimal(38,18)) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO s17.h_decimal_38_18_1 SELECT inline(array(struct(0, cast('0' as decimal(38,18))), struct(1, cast('1.5' as decimal(38,18))), struct(2, cast('-1.5' as decimal(38,18))), struct(3, cast('12345678901234567890.123456789012345678' as decimal(38,18))), struct(4, cast('-0.000000000000000001' as decimal(38,18))), struct(5, cast('99999999999999999999' as decimal(38,18))), struct(6, cast('123.456' as decimal(38,18))), struct(7, cast('18446744073709551616' as decimal(38,18))), struct(8, cast(null as decimal(38,18))))) AS (id, x);
CREATE TABLE s17.h_decimal_38_18_2 (id INT, x decimal(38,18)) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='2');
INSERT INTO s17.h_decimal_38_18_2 SELECT inline(array(struct(0, cast('0' as decimal(38,18))), struct(1, cast('1.5' as decimal(38,18))), struct(2, cast('-1.5' as decimal(38,18))), struct(3, cast('12345678901234567890.123456789012345678' as decimal(38,18))), struct(4, cast('-0.000000000000000001' as decimal(38,18))), struct(5, cast('99999999999999999999' as decimal(38,18))), struct(6, cast('123.456' as decimal(38,18))), struct(7, cast('18446744073709551616' as decimal(38,18))), struct(8, cast(null as decimal(38,18))))) AS (id, x);
SELECT 'decimal(38,18)' AS type, a.id, a.v AS value, a.h1, a.h2, b.b AS bucket8_v1, c.b AS bucket8_v2 FROM (SELECT id, cast(x as string) v, hash(x) h1, murmur_hash(x) h2 FROM (SELECT inline(array(struct(0, cast('0' as decimal(38,18))), struct(1, cast('1.5' as decimal(38,18))), struct(2, cast('-1.5' as decimal(38,18))), struct(3, cast('12345678901234567890.123456789012345678' as decimal(38,18))), struct(4, cast('-0.000000000000000001' as decimal(38,18))), struct(5, cast('99999999999999999999' as decimal(38,18))), struct(6, cast('123.456' as decimal(38,18))), struct(7, cast('18446744073709551616' as decimal(38,18))), struct(8, cast(null as decimal(38,18))))) AS (id, x)) z) a JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_decimal_38_18_1) b ON a.id = b.id JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_decimal_38_18_2) c ON a.id = c.id ORDER BY a.id;
CREATE TABLE s17.h_string_1 (id INT, x string) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO s17.h_string_1 SELECT inline(array(struct(0, cast('' as string)), struct(1, cast('a' as string)), struct(2, cast('b' as string)), struct(3, cast('test string' as string)), struct(4, cast('é' as string)), struct(5, cast('日本語' as string)), struct(6, cast('🎈' as string)), struct(7, cast('abcd' as string)), struct(8, cast('abc' as string)), struct(9, cast('ab' as string)), struct(10, cast('a b c d e f g' as string)), struct(11, cast(' ' as string)), struct(12, cast('A' as string)), struct(13, cast('longer string with more than sixteen bytes' as string)), struct(14, cast(null as string)))) AS (id, x);
CREATE TABLE s17.h_string_2 (id INT, x string) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='2');
INSERT INTO s17.h_string_2 SELECT inline(array(struct(0, cast('' as string)), struct(1, cast('a' as string)), struct(2, cast('b' as string)), struct(3, cast('test string' as string)), struct(4, cast('é' as string)), struct(5, cast('日本語' as string)), struct(6, cast('🎈' as string)), struct(7, cast('abcd' as string)), struct(8, cast('abc' as string)), struct(9, cast('ab' as string)), struct(10, cast('a b c d e f g' as string)), struct(11, cast(' ' as string)), struct(12, cast('A' as string)), struct(13, cast('longer string with more than sixteen bytes' as string)), struct(14, cast(null as string)))) AS (id, x);
SELECT 'string' AS type, a.id, a.v AS value, a.h1, a.h2, b.b AS bucket8_v1, c.b AS bucket8_v2 FROM (SELECT id, cast(x as string) v, hash(x) h1, murmur_hash(x) h2 FROM (SELECT inline(array(struct(0, cast('' as string)), struct(1, cast('a' as string)), struct(2, cast('b' as string)), struct(3, cast('test string' as string)), struct(4, cast('é' as string)), struct(5, cast('日本語' as string)), struct(6, cast('🎈' as string)), struct(7, cast('abcd' as string)), struct(8, cast('abc' as string)), struct(9, cast('ab' as string)), struct(10, cast('a b c d e f g' as string)), struct(11, cast(' ' as string)), struct(12, cast('A' as string)), struct(13, cast('longer string with more than sixteen bytes' as string)), struct(14, cast(null as string)))) AS (id, x)) z) a JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_string_1) b ON a.id = b.id JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_string_2) c ON a.id = c.id ORDER BY a.id;
CREATE TABLE s17.h_varchar_50_1 (id INT, x varchar(50)) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO s17.h_varchar_50_1 SELECT inline(array(struct(0, cast('' as varchar(50))), struct(1, cast('a' as varchar(50))), struct(2, cast('test string' as varchar(50))), struct(3, cast('é' as varchar(50))), struct(4, cast('日本語' as varchar(50))), struct(5, cast(' trail  ' as varchar(50))), struct(6, cast('abcd' as varchar(50))), struct(7, cast(null as varchar(50))))) AS (id, x);
CREATE TABLE s17.h_varchar_50_2 (id INT, x varchar(50)) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='2');
INSERT INTO s17.h_varchar_50_2 SELECT inline(array(struct(0, cast('' as varchar(50))), struct(1, cast('a' as varchar(50))), struct(2, cast('test string' as varchar(50))), struct(3, cast('é' as varchar(50))), struct(4, cast('日本語' as varchar(50))), struct(5, cast(' trail  ' as varchar(50))), struct(6, cast('abcd' as varchar(50))), struct(7, cast(null as varchar(50))))) AS (id, x);
SELECT 'varchar(50)' AS type, a.id, a.v AS value, a.h1, a.h2, b.b AS bucket8_v1, c.b AS bucket8_v2 FROM (SELECT id, cast(x as string) v, hash(x) h1, murmur_hash(x) h2 FROM (SELECT inline(array(struct(0, cast('' as varchar(50))), struct(1, cast('a' as varchar(50))), struct(2, cast('test string' as varchar(50))), struct(3, cast('é' as varchar(50))), struct(4, cast('日本語' as varchar(50))), struct(5, cast(' trail  ' as varchar(50))), struct(6, cast('abcd' as varchar(50))), struct(7, cast(null as varchar(50))))) AS (id, x)) z) a JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_varchar_50_1) b ON a.id = b.id JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_varchar_50_2) c ON a.id = c.id ORDER BY a.id;
CREATE TABLE s17.h_char_20_1 (id INT, x char(20)) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO s17.h_char_20_1 SELECT inline(array(struct(0, cast('' as char(20))), struct(1, cast('a' as char(20))), struct(2, cast('test string' as char(20))), struct(3, cast('é' as char(20))), struct(4, cast('日本語' as char(20))), struct(5, cast(' trail  ' as char(20))), struct(6, cast('abcd' as char(20))), struct(7, cast(null as char(20))))) AS (id, x);
CREATE TABLE s17.h_char_20_2 (id INT, x char(20)) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='2');
INSERT INTO s17.h_char_20_2 SELECT inline(array(struct(0, cast('' as char(20))), struct(1, cast('a' as char(20))), struct(2, cast('test string' as char(20))), struct(3, cast('é' as char(20))), struct(4, cast('日本語' as char(20))), struct(5, cast(' trail  ' as char(20))), struct(6, cast('abcd' as char(20))), struct(7, cast(null as char(20))))) AS (id, x);
SELECT 'char(20)' AS type, a.id, a.v AS value, a.h1, a.h2, b.b AS bucket8_v1, c.b AS bucket8_v2 FROM (SELECT id, cast(x as string) v, hash(x) h1, murmur_hash(x) h2 FROM (SELECT inline(array(struct(0, cast('' as char(20))), struct(1, cast('a' as char(20))), struct(2, cast('test string' as char(20))), struct(3, cast('é' as char(20))), struct(4, cast('日本語' as char(20))), struct(5, cast(' trail  ' as char(20))), struct(6, cast('abcd' as char(20))), struct(7, cast(null as char(20))))) AS (id, x)) z) a JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_char_20_1) b ON a.id = b.id JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_char_20_2) c ON a.id = c.id ORDER BY a.id;
CREATE TABLE s17.h_binary_1 (id INT, x binary) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO s17.h_binary_1 SELECT inline(array(struct(0, cast('' as binary)), struct(1, cast('a' as binary)), struct(2, cast('test string' as binary)), struct(3, unhex('00')), struct(4, unhex('FF')), struct(5, unhex('80FF007F01')), struct(6, unhex('C3A9')), struct(7, cast(null as binary)))) AS (id, x);
CREATE TABLE s17.h_binary_2 (id INT, x binary) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='2');
INSERT INTO s17.h_binary_2 SELECT inline(array(struct(0, cast('' as binary)), struct(1, cast('a' as binary)), struct(2, cast('test string' as binary)), struct(3, unhex('00')), struct(4, unhex('FF')), struct(5, unhex('80FF007F01')), struct(6, unhex('C3A9')), struct(7, cast(null as binary)))) AS (id, x);
SELECT 'binary' AS type, a.id, a.v AS value, a.h1, a.h2, b.b AS bucket8_v1, c.b AS bucket8_v2 FROM (SELECT id, cast(hex(x) as string) v, hash(x) h1, murmur_hash(x) h2 FROM (SELECT inline(array(struct(0, cast('' as binary)), struct(1, cast('a' as binary)), struct(2, cast('test string' as binary)), struct(3, unhex('00')), struct(4, unhex('FF')), struct(5, unhex('80FF007F01')), struct(6, unhex('C3A9')), struct(7, cast(null as binary)))) AS (id, x)) z) a JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_binary_1) b ON a.id = b.id JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_binary_2) c ON a.id = c.id ORDER BY a.id;
CREATE TABLE s17.h_date_1 (id INT, x date) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO s17.h_date_1 SELECT inline(array(struct(0, cast('1970-01-01' as date)), struct(1, cast('2015-11-19' as date)), struct(2, cast('1950-11-19' as date)), struct(3, cast('0001-01-01' as date)), struct(4, cast('9999-12-31' as date)), struct(5, cast('1582-10-04' as date)), struct(6, cast('1582-10-15' as date)), struct(7, cast('2026-11-29' as date)), struct(8, cast(null as date)))) AS (id, x);
CREATE TABLE s17.h_date_2 (id INT, x date) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='2');
INSERT INTO s17.h_date_2 SELECT inline(array(struct(0, cast('1970-01-01' as date)), struct(1, cast('2015-11-19' as date)), struct(2, cast('1950-11-19' as date)), struct(3, cast('0001-01-01' as date)), struct(4, cast('9999-12-31' as date)), struct(5, cast('1582-10-04' as date)), struct(6, cast('1582-10-15' as date)), struct(7, cast('2026-11-29' as date)), struct(8, cast(null as date)))) AS (id, x);
SELECT 'date' AS type, a.id, a.v AS value, a.h1, a.h2, b.b AS bucket8_v1, c.b AS bucket8_v2 FROM (SELECT id, cast(x as string) v, hash(x) h1, murmur_hash(x) h2 FROM (SELECT inline(array(struct(0, cast('1970-01-01' as date)), struct(1, cast('2015-11-19' as date)), struct(2, cast('1950-11-19' as date)), struct(3, cast('0001-01-01' as date)), struct(4, cast('9999-12-31' as date)), struct(5, cast('1582-10-04' as date)), struct(6, cast('1582-10-15' as date)), struct(7, cast('2026-11-29' as date)), struct(8, cast(null as date)))) AS (id, x)) z) a JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_date_1) b ON a.id = b.id JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_date_2) c ON a.id = c.id ORDER BY a.id;
CREATE TABLE s17.h_timestamp_1 (id INT, x timestamp) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO s17.h_timestamp_1 SELECT inline(array(struct(0, cast('1970-01-01 00:00:00' as timestamp)), struct(1, cast('2015-11-19 05:06:07.123' as timestamp)), struct(2, cast('1800-11-04 05:06:07.123' as timestamp)), struct(3, cast('9999-12-31 23:59:59.999999999' as timestamp)), struct(4, cast('0001-01-01 00:00:00' as timestamp)), struct(5, cast('1969-12-31 23:59:59.999999999' as timestamp)), struct(6, cast('1970-01-01 00:00:00.000000001' as timestamp)), struct(7, cast('2026-11-29 12:00:00' as timestamp)), struct(8, cast('2038-01-19 03:14:08' as timestamp)), struct(9, cast('1999-12-31 23:59:59.5' as timestamp)), struct(10, cast(null as timestamp)))) AS (id, x);
CREATE TABLE s17.h_timestamp_2 (id INT, x timestamp) CLUSTERED BY (x) INTO 8 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='2');
INSERT INTO s17.h_timestamp_2 SELECT inline(array(struct(0, cast('1970-01-01 00:00:00' as timestamp)), struct(1, cast('2015-11-19 05:06:07.123' as timestamp)), struct(2, cast('1800-11-04 05:06:07.123' as timestamp)), struct(3, cast('9999-12-31 23:59:59.999999999' as timestamp)), struct(4, cast('0001-01-01 00:00:00' as timestamp)), struct(5, cast('1969-12-31 23:59:59.999999999' as timestamp)), struct(6, cast('1970-01-01 00:00:00.000000001' as timestamp)), struct(7, cast('2026-11-29 12:00:00' as timestamp)), struct(8, cast('2038-01-19 03:14:08' as timestamp)), struct(9, cast('1999-12-31 23:59:59.5' as timestamp)), struct(10, cast(null as timestamp)))) AS (id, x);
SELECT 'timestamp' AS type, a.id, a.v AS value, a.h1, a.h2, b.b AS bucket8_v1, c.b AS bucket8_v2 FROM (SELECT id, cast(x as string) v, hash(x) h1, murmur_hash(x) h2 FROM (SELECT inline(array(struct(0, cast('1970-01-01 00:00:00' as timestamp)), struct(1, cast('2015-11-19 05:06:07.123' as timestamp)), struct(2, cast('1800-11-04 05:06:07.123' as timestamp)), struct(3, cast('9999-12-31 23:59:59.999999999' as timestamp)), struct(4, cast('0001-01-01 00:00:00' as timestamp)), struct(5, cast('1969-12-31 23:59:59.999999999' as timestamp)), struct(6, cast('1970-01-01 00:00:00.000000001' as timestamp)), struct(7, cast('2026-11-29 12:00:00' as timestamp)), struct(8, cast('2038-01-19 03:14:08' as timestamp)), struct(9, cast('1999-12-31 23:59:59.5' as timestamp)), struct(10, cast(null as timestamp)))) AS (id, x)) z) a JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_timestamp_1) b ON a.id = b.id JOIN (SELECT id, cast(regexp_extract(INPUT__FILE__NAME,'bucket_([0-9]+)',1) as int) b FROM s17.h_timestamp_2) c ON a.id = c.id ORDER BY a.id;
SELECT 'expr' AS type, 0 AS id, 'array(5,8,13)' AS value, hash(array(5,8,13)) AS h1, murmur_hash(array(5,8,13)) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'array(5Y,8Y)' AS value, hash(array(5Y,8Y)) AS h1, murmur_hash(array(5Y,8Y)) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'array(cast(5 as smallint),cast(8 as smallint),cast(13 as smallint))' AS value, hash(array(cast(5 as smallint),cast(8 as smallint),cast(13 as smallint))) AS h1, murmur_hash(array(cast(5 as smallint),cast(8 as smallint),cast(13 as smallint))) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'array(cast(null as int))' AS value, hash(array(cast(null as int))) AS h1, murmur_hash(array(cast(null as int))) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'array(\'a\',\'b\')' AS value, hash(array('a','b')) AS h1, murmur_hash(array('a','b')) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'array(array(10L,20L),array(-10L,-20L))' AS value, hash(array(array(10L,20L),array(-10L,-20L))) AS h1, murmur_hash(array(array(10L,20L),array(-10L,-20L))) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'map(\'key\',123L)' AS value, hash(map('key',123L)) AS h1, murmur_hash(map('key',123L)) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'map(\'key\',123L,\'key2\',123456789L,\'key3\',-123456L)' AS value, hash(map('key',123L,'key2',123456789L,'key3',-123456L)) AS h1, murmur_hash(map('key',123L,'key2',123456789L,'key3',-123456L)) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'map(1,\'a\')' AS value, hash(map(1,'a')) AS h1, murmur_hash(map(1,'a')) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'map(\'a\',array(1,2))' AS value, hash(map('a',array(1,2))) AS h1, murmur_hash(map('a',array(1,2))) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'named_struct(\'a\',1,\'b\',\'x\')' AS value, hash(named_struct('a',1,'b','x')) AS h1, murmur_hash(named_struct('a',1,'b','x')) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'named_struct(\'a\',cast(null as int),\'b\',\'x\')' AS value, hash(named_struct('a',cast(null as int),'b','x')) AS h1, murmur_hash(named_struct('a',cast(null as int),'b','x')) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'named_struct(\'a\',named_struct(\'b\',1L))' AS value, hash(named_struct('a',named_struct('b',1L))) AS h1, murmur_hash(named_struct('a',named_struct('b',1L))) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'array(map(\'k\',1))' AS value, hash(array(map('k',1))) AS h1, murmur_hash(array(map('k',1))) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'create_union(0,5,\'a\')' AS value, hash(create_union(0,5,'a')) AS h1, murmur_hash(create_union(0,5,'a')) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'array(1.5,2.25)' AS value, hash(array(1.5,2.25)) AS h1, murmur_hash(array(1.5,2.25)) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'array(date \'2015-11-19\')' AS value, hash(array(date '2015-11-19')) AS h1, murmur_hash(array(date '2015-11-19')) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'array(timestamp \'2015-11-19 05:06:07.123\')' AS value, hash(array(timestamp '2015-11-19 05:06:07.123')) AS h1, murmur_hash(array(timestamp '2015-11-19 05:06:07.123')) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'interval \'1\' day' AS value, hash(interval '1' day) AS h1, murmur_hash(interval '1' day) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'interval \'1-2\' year to month' AS value, hash(interval '1-2' year to month) AS h1, murmur_hash(interval '1-2' year to month) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'array(1.5D)' AS value, hash(array(1.5D)) AS h1, murmur_hash(array(1.5D)) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'map(\'d\',1.5D)' AS value, hash(map('d',1.5D)) AS h1, murmur_hash(map('d',1.5D)) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'map(\'s\',\'v\')' AS value, hash(map('s','v')) AS h1, murmur_hash(map('s','v')) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'map(\'t\',timestamp \'2015-11-19 05:06:07.123\')' AS value, hash(map('t',timestamp '2015-11-19 05:06:07.123')) AS h1, murmur_hash(map('t',timestamp '2015-11-19 05:06:07.123')) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'expr' AS type, 0 AS id, 'map(\'dec\',1.50)' AS value, hash(map('dec',1.50)) AS h1, murmur_hash(map('dec',1.50)) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'columns' AS type, 0 AS id, '12.34 float, array(5,8,13) smallint, map(key:123)' AS value, hash(cast(12.34 as float), array(cast(5 as smallint),cast(8 as smallint),cast(13 as smallint)), map('key',123L)) AS h1, murmur_hash(cast(12.34 as float), array(cast(5 as smallint),cast(8 as smallint),cast(13 as smallint)), map('key',123L)) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'columns' AS type, 0 AS id, '1, \'a\'' AS value, hash(1, 'a') AS h1, murmur_hash(1, 'a') AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'columns' AS type, 0 AS id, '\'a\', 1' AS value, hash('a', 1) AS h1, murmur_hash('a', 1) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'columns' AS type, 0 AS id, 'null, 1' AS value, hash(cast(null as int), 1) AS h1, murmur_hash(cast(null as int), 1) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'columns' AS type, 0 AS id, '1, null' AS value, hash(1, cast(null as int)) AS h1, murmur_hash(1, cast(null as int)) AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'columns' AS type, 0 AS id, '\'k1\', 100000000000, date 2020-02-28' AS value, hash('k1', 100000000000, date '2020-02-28') AS h1, murmur_hash('k1', 100000000000, date '2020-02-28') AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;
SELECT 'columns' AS type, 0 AS id, '1.50 decimal(10,2), \'é\'' AS value, hash(cast(1.50 as decimal(10,2)), 'é') AS h1, murmur_hash(cast(1.50 as decimal(10,2)), 'é') AS h2, cast(null as int) AS bucket8_v1, cast(null as int) AS bucket8_v2;

-- 18-functions
-- Hive's own answers for expressions: SELECT <expr>
SET hive.strict.timestamp.conversion=false;
SET hive.strict.timestamp.conversion=true;
-- the same without constant folding
SET hive.cbo.enable=false;
SET hive.optimize.constant.propagation=false;
SET hive.cbo.enable=true;
SET hive.optimize.constant.propagation=true;

-- 19-metastore
-- State of the metastore database and the SHOW commands with open, aborted and committed transactions, locks and a compaction queue.
DROP DATABASE IF EXISTS s19 CASCADE;
CREATE DATABASE s19 COMMENT 'metastore dump' WITH DBPROPERTIES ('owner team'='x');
CREATE TABLE s19.t (id INT COMMENT 'the key', v STRING) COMMENT 'a table' STORED AS ORC TBLPROPERTIES ('transactional'='true','orc.compress'='ZSTD');
CREATE TABLE s19.p (id INT, v STRING) PARTITIONED BY (d DATE, s STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true');
CREATE TABLE s19.mm (line STRING) STORED AS TEXTFILE TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only');
CREATE EXTERNAL TABLE s19.ext (a STRING, b INT) PARTITIONED BY (y INT) ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' STORED AS TEXTFILE LOCATION '${EXTERNAL}/s19/ext';
CREATE VIEW s19.v AS SELECT id, v FROM s19.t WHERE id > 1;
CREATE TABLE s19.cons (id INT NOT NULL, k STRING DEFAULT 'dflt', PRIMARY KEY (id) DISABLE NOVALIDATE) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s19.t VALUES (1,'a'),(2,'b'),(3,'c');
INSERT INTO s19.p VALUES (1,'a','2026-01-01','x'),(2,'b','2026-01-02','y/z'),(3,'c','2026-01-02',NULL);
INSERT INTO s19.mm VALUES ('l1');
INSERT INTO s19.ext VALUES ('a',1,2025),('b',2,2026);
INSERT INTO s19.cons (id) VALUES (1);
SELECT * FROM s19.cons;
UPDATE s19.t SET v = 'u' WHERE id = 1;
DELETE FROM s19.p WHERE id = 2;
MERGE INTO s19.t t USING (SELECT 2 AS id, 'm' AS v UNION ALL SELECT 9, 'n') s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v);
ALTER TABLE s19.p PARTITION (d='2026-01-02', s='y/z') COMPACT 'major';
ALTER TABLE s19.cons COMPACT 'minor';
ANALYZE TABLE s19.t COMPUTE STATISTICS FOR COLUMNS;
ALTER TABLE s19.ext ADD COLUMNS (c DOUBLE);
START TRANSACTION;
INSERT INTO s19.t VALUES (50,'aborted');
DELETE FROM s19.t WHERE id = 3;
ROLLBACK;
START TRANSACTION;
INSERT INTO s19.p VALUES (60,'open','2026-01-03','x');
UPDATE s19.t SET v = 'open' WHERE id = 3;
START TRANSACTION;
SELECT * FROM s19.t;
SHOW TRANSACTIONS;
SHOW LOCKS;
SHOW LOCKS EXTENDED;
SHOW LOCKS s19.t;
SHOW COMPACTIONS;
SHOW DATABASES;
SHOW TABLES IN s19;
DESCRIBE DATABASE EXTENDED s19;
DESCRIBE s19.p;
DESCRIBE EXTENDED s19.t;
DESCRIBE FORMATTED s19.p PARTITION (d='2026-01-01', s='x');
SHOW TBLPROPERTIES s19.t;
SHOW COLUMNS IN s19.p;
SHOW FUNCTIONS;
SHOW TABLE EXTENDED IN s19 LIKE 't';
SHOW CREATE TABLE s19.v;
EXPLAIN SELECT v, count(*) FROM s19.t WHERE id > 1 GROUP BY v;
COMMIT;
COMMIT;

-- 20-hive2-basic
-- ACID version 1 (no split-update): insert, update and delete in several transactions, 2 buckets.
DROP DATABASE IF EXISTS v1basic CASCADE;
CREATE DATABASE v1basic;
CREATE TABLE v1basic.people (id INT, name STRING, age INT, balance DECIMAL(12,2)) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v1basic.people VALUES (1,'Ada',36,100.50),(2,'Brendan',41,-3.25),(3,'Chen',29,0),(4,NULL,NULL,NULL),(5,'Édith',55,9999999999.99);
UPDATE v1basic.people SET balance = balance + 10, name = upper(name) WHERE id IN (1,3);
DELETE FROM v1basic.people WHERE id = 2;
INSERT INTO v1basic.people SELECT id + 10, concat(name, '-copy'), age + 1, balance FROM v1basic.people WHERE name IS NOT NULL;
INSERT INTO v1basic.people (id, name) VALUES (20,'partial'),(21,'columns');
UPDATE v1basic.people SET age = 0 WHERE age IS NULL;
UPDATE v1basic.people SET age = age + 1;
UPDATE v1basic.people SET age = age * 2, name = NULL WHERE id IN (1, 13);
DELETE FROM v1basic.people WHERE id > 12 AND id < 20;
UPDATE v1basic.people SET name = 'third change' WHERE id = 1;
DELETE FROM v1basic.people WHERE id = 12345;
UPDATE v1basic.people SET age = 1 WHERE id = 12345;
DELETE FROM v1basic.people;
INSERT INTO v1basic.people VALUES (100,'again',1,1.1);

-- 20-hive2-buckets
-- Four buckets by two columns, sorted-by is refused; 200 rows; buckets without rows; updates that touch one bucket only.
DROP DATABASE IF EXISTS v1buck CASCADE;
CREATE DATABASE v1buck;
CREATE TABLE v1buck.n (k INT, s STRING, d DOUBLE, v BIGINT) CLUSTERED BY (k, s) INTO 4 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v1buck.n SELECT pos, concat('s', cast(pos % 17 as string)), pos / 8, pos * 1000000007 FROM (SELECT posexplode(split(space(199), ' ')) AS (pos, e)) t;
UPDATE v1buck.n SET d = -d WHERE k % 10 = 3;
DELETE FROM v1buck.n WHERE k BETWEEN 40 AND 59;
UPDATE v1buck.n SET v = NULL WHERE k % 20 = 3;
CREATE TABLE v1buck.one (id BIGINT, v STRING) CLUSTERED BY (id) INTO 1 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v1buck.one VALUES (1,'a'),(2,'b'),(-9223372036854775808,'min'),(NULL,'null');
UPDATE v1buck.one SET v = concat(v,v) WHERE id > 0 OR id IS NULL;
DELETE FROM v1buck.one WHERE id = 1;
CREATE TABLE v1buck.seven (id STRING, v INT) CLUSTERED BY (id) INTO 7 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v1buck.seven VALUES ('a',1),('b',2);
INSERT INTO v1buck.seven VALUES ('c',3),('é',4),(NULL,5),('',6);
UPDATE v1buck.seven SET v = v + 100 WHERE id IN ('a','é');

-- 20-hive2-compaction
-- Minor and major compaction before and after cleaning, below an open transaction, and of a base with deltas.
DROP DATABASE IF EXISTS v1comp CASCADE;
CREATE DATABASE v1comp;
CREATE TABLE v1comp.t (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v1comp.t VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d');
INSERT INTO v1comp.t VALUES (5,'e'),(6,'f');
UPDATE v1comp.t SET v = 'upd1' WHERE id IN (1,5);
UPDATE v1comp.t SET v = 'upd2' WHERE id = 1;
DELETE FROM v1comp.t WHERE id = 2;
INSERT INTO v1comp.t VALUES (8,'h');
DELETE FROM v1comp.t WHERE id IN (3, 1);
UPDATE v1comp.t SET v = 'upd3' WHERE id = 4;
UPDATE v1comp.t SET v = 'upd4' WHERE id IN (8, 4);
INSERT INTO v1comp.t VALUES (9,'i');
DELETE FROM v1comp.t WHERE id = 9;
START TRANSACTION;
INSERT INTO v1comp.t VALUES (50,'open');
UPDATE v1comp.t SET v = 'beside open' WHERE id = 6;
SHOW COMPACTIONS;
COMMIT;
DELETE FROM v1comp.t;

-- 20-hive2-evolution
-- Columns added and renamed after data exists. Row structs in v1 deltas name their fields _col0, _col1 ... (matched by position).
DROP DATABASE IF EXISTS v1evo CASCADE;
CREATE DATABASE v1evo;
CREATE TABLE v1evo.t (id INT, a SMALLINT, b STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v1evo.t VALUES (1,10,'x'),(2,20,'y'),(3,NULL,'z');
UPDATE v1evo.t SET b = 'yy' WHERE id = 2;
ALTER TABLE v1evo.t ADD COLUMNS (c DOUBLE, d STRING);
INSERT INTO v1evo.t VALUES (4, 40, 'w', 4.5, 'p');
UPDATE v1evo.t SET c = 1.25 WHERE id = 1;
ALTER TABLE v1evo.t CHANGE COLUMN a a BIGINT;
ALTER TABLE v1evo.t CHANGE COLUMN b bee STRING;
INSERT INTO v1evo.t VALUES (5, 9000000000, 'big', NULL, NULL);
DELETE FROM v1evo.t WHERE id = 3;
-- (Hive 2.3.10 fails to compact this table: NullPointerException in the ORC writer, for the columns the older files lack)

-- 20-hive2-merge
-- MERGE: update, delete and insert branches of one statement are statement ids 0, 1, 2 of one transaction.
DROP DATABASE IF EXISTS v1merge CASCADE;
CREATE DATABASE v1merge;
CREATE TABLE v1merge.target (id INT, name STRING, qty INT) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
CREATE TABLE v1merge.source (id INT, name STRING, qty INT, op STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v1merge.target VALUES (1,'one',10),(2,'two',20),(3,'three',30),(4,'four',40),(5,'five',50);
INSERT INTO v1merge.source VALUES (2,'TWO',200,'u'),(3,'x',0,'d'),(6,'six',60,'i'),(7,'seven',70,'i'),(5,'FIVE',-1,'u');
MERGE INTO v1merge.target t USING v1merge.source s ON t.id = s.id
 WHEN MATCHED AND s.op = 'd' THEN DELETE
 WHEN MATCHED AND s.op = 'u' THEN UPDATE SET name = s.name, qty = t.qty + s.qty
 WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.name, s.qty);
MERGE INTO v1merge.target t USING (SELECT * FROM v1merge.source WHERE op <> 'd') s ON t.id = s.id WHEN MATCHED THEN DELETE;
MERGE INTO v1merge.target t USING v1merge.source s ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, concat('re-',s.name), s.qty);

-- 20-hive2-metastore
-- The whole metastore database (schema 2.3.0, PostgreSQL) with committed, aborted and open transactions, locks and a compaction queue: input of an upgrade test.
DROP DATABASE IF EXISTS v1meta CASCADE;
CREATE DATABASE v1meta COMMENT 'metastore dump' WITH DBPROPERTIES ('owner team'='x');
CREATE TABLE v1meta.t (id INT COMMENT 'the key', v STRING) COMMENT 'a table' CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','orc.compress'='SNAPPY');
CREATE TABLE v1meta.p (id INT, v STRING) PARTITIONED BY (d DATE, s STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true');
CREATE TABLE v1meta.split (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','transactional_properties'='default');
CREATE TABLE v1meta.plain (id INT, v STRING) STORED AS ORC;
CREATE EXTERNAL TABLE v1meta.ext (a STRING, b INT) PARTITIONED BY (y INT) ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' STORED AS TEXTFILE LOCATION '${EXTERNAL}/v1meta/ext';
CREATE VIEW v1meta.v AS SELECT id, v FROM v1meta.t WHERE id > 1;
INSERT INTO v1meta.t VALUES (1,'a'),(2,'b'),(3,'c');
INSERT INTO v1meta.p PARTITION (d, s) VALUES (1,'a','2026-01-01','x'),(2,'b','2026-01-02','y/z'),(3,'c','2026-01-02',NULL);
INSERT INTO v1meta.split VALUES (1,'a'),(2,'b');
INSERT INTO v1meta.plain VALUES (1,'a');
INSERT INTO v1meta.ext PARTITION (y) VALUES ('a',1,2025),('b',2,2026);
UPDATE v1meta.t SET v = 'u' WHERE id = 1;
UPDATE v1meta.split SET v = 'u' WHERE id = 1;
DELETE FROM v1meta.p WHERE id = 2;
MERGE INTO v1meta.t t USING (SELECT 2 AS id, 'm' AS v UNION ALL SELECT 9, 'n') s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v);
ALTER TABLE v1meta.p PARTITION (d='2026-01-02', s='y/z') COMPACT 'major';
ANALYZE TABLE v1meta.plain COMPUTE STATISTICS FOR COLUMNS;
START TRANSACTION;
INSERT INTO v1meta.t VALUES (50,'aborted');
DELETE FROM v1meta.t WHERE id = 3;
ROLLBACK;
START TRANSACTION;
INSERT INTO v1meta.p PARTITION (d, s) VALUES (60,'open','2026-01-03','x');
UPDATE v1meta.t SET v = 'open' WHERE id = 3;
SHOW TRANSACTIONS;
SHOW LOCKS;
SHOW COMPACTIONS;
COMMIT;

-- 20-hive2-original
-- Bucketed ORC tables written before they became transactional: original files, synthetic row ids (transaction 0).
DROP DATABASE IF EXISTS v1orig CASCADE;
CREATE DATABASE v1orig;
CREATE TABLE v1orig.b (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC;
INSERT INTO v1orig.b VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d'),(5,'e'),(6,'f');
ALTER TABLE v1orig.b SET TBLPROPERTIES ('transactional'='true');
UPDATE v1orig.b SET v = 'upd' WHERE id IN (2, 5);
DELETE FROM v1orig.b WHERE id = 6;
INSERT INTO v1orig.b VALUES (7,'new'),(8,'new2');
UPDATE v1orig.b SET v = 'upd again' WHERE id IN (5, 7);
CREATE TABLE v1orig.c (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC;
INSERT INTO v1orig.c VALUES (1,'a'),(2,'b'),(3,'c');
INSERT INTO v1orig.c VALUES (4,'d'),(5,'e');
ALTER TABLE v1orig.c SET TBLPROPERTIES ('transactional'='true');
INSERT INTO v1orig.c VALUES (6,'f');
-- Hive 2.3 gives all rows of a copied bucket file the bucket id -1 and counts row ids anew; it cannot update them (the two errors)
DELETE FROM v1orig.c WHERE id IN (1,4);
UPDATE v1orig.c SET v = 'U' WHERE id = 5;
CREATE TABLE v1orig.p (id INT, v STRING) PARTITIONED BY (p INT) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC;
INSERT INTO v1orig.p PARTITION (p) VALUES (1,'a',1),(2,'b',1),(3,'c',2);
ALTER TABLE v1orig.p SET TBLPROPERTIES ('transactional'='true');
INSERT INTO v1orig.p PARTITION (p) VALUES (4,'d',2),(5,'e',3);
DELETE FROM v1orig.p WHERE id = 2;
UPDATE v1orig.p SET v = 'U' WHERE id IN (3, 4);
-- compacted while every delta is at or above an open transaction: base_-9223372036854775808 holds the original files only
CREATE TABLE v1orig.m (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC;
INSERT INTO v1orig.m VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d');
ALTER TABLE v1orig.m SET TBLPROPERTIES ('transactional'='true');
UPDATE v1orig.m SET v = 'U' WHERE id IN (1,2);
DELETE FROM v1orig.m WHERE id = 3;

-- 20-hive2-partitioned
-- Partitioned and bucketed: dynamic and static partitions, special characters, dropped partition.
DROP DATABASE IF EXISTS v1part CASCADE;
CREATE DATABASE v1part;
CREATE TABLE v1part.orders (id BIGINT, customer STRING, amount DECIMAL(10,2)) PARTITIONED BY (d DATE) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v1part.orders PARTITION (d='2026-01-01') VALUES (1,'a',10.00),(2,'b',20.50);
INSERT INTO v1part.orders PARTITION (d='2026-01-02') VALUES (3,'c',30.00);
INSERT INTO v1part.orders PARTITION (d) VALUES (4,'d',40.00,'2026-01-01'),(5,'e',50.00,'2026-01-03'),(6,'f',60.00,'1969-12-31'),(7,'g',70,NULL);
UPDATE v1part.orders SET amount = amount * 2 WHERE id IN (1, 3, 5, 7);
DELETE FROM v1part.orders WHERE d = '2026-01-03';
UPDATE v1part.orders SET customer = 'z' WHERE d < '2026-01-01';
ALTER TABLE v1part.orders DROP PARTITION (d='2026-01-02');
UPDATE v1part.orders SET amount = 0.01 WHERE id IN (4, 6);
CREATE TABLE v1part.logs (id INT, msg STRING) PARTITIONED BY (app STRING, code INT) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v1part.logs PARTITION (app, code) VALUES (1,'plain','web',200),(2,'slash','a/b',404),(3,'colon eq','k=v:1',0),(4,'percent','100%',-1),(5,'space','with space',7),(6,'null',NULL,1),(7,'unicode','日本',7),(8,'upper','WEB',200);
UPDATE v1part.logs SET msg = concat(msg,'!') WHERE id % 2 = 0;
DELETE FROM v1part.logs WHERE app = 'web' AND code = 200;

-- 20-hive2-refused
-- What Hive 2.3 refuses on transactional tables (the answers are in the log).
DROP DATABASE IF EXISTS v1no CASCADE;
CREATE DATABASE v1no;
CREATE TABLE v1no.unbucketed (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true');
CREATE TABLE v1no.text (id INT) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS TEXTFILE TBLPROPERTIES ('transactional'='true');
CREATE TABLE v1no.sorted (id INT) CLUSTERED BY (id) SORTED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true');
CREATE TABLE v1no.t (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v1no.t VALUES (1,'a'),(2,'b');
INSERT OVERWRITE TABLE v1no.t SELECT 3, 'c';
UPDATE v1no.t SET id = 5 WHERE id = 1;
ALTER TABLE v1no.t SET TBLPROPERTIES ('transactional'='false');
ALTER TABLE v1no.t SET TBLPROPERTIES ('transactional_properties'='default');
TRUNCATE TABLE v1no.t;

-- 20-hive2-split-update
-- Hive 2.3 with 'transactional_properties'='default': split-update (delete_delta) already, but bucket fields and no version file as in v1.
DROP DATABASE IF EXISTS v1split CASCADE;
CREATE DATABASE v1split;
CREATE TABLE v1split.t (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','transactional_properties'='default','no_auto_compaction'='true');
INSERT INTO v1split.t VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d');
UPDATE v1split.t SET v = 'upd' WHERE id IN (1, 2);
DELETE FROM v1split.t WHERE id = 3;
UPDATE v1split.t SET v = 'upd2' WHERE id = 2;
INSERT INTO v1split.t VALUES (5,'e');
DELETE FROM v1split.t WHERE id = 1;

-- 20-hive2-streaming
-- Hive Streaming (HCatalog API) into ACID v1 tables: one delta per transaction batch, _flush_length side files, aborts.
DROP DATABASE IF EXISTS v1stream CASCADE;
CREATE DATABASE v1stream;
CREATE TABLE v1stream.t (id INT, s STRING, d DOUBLE, dt DATE, ts TIMESTAMP, de DECIMAL(10,2)) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v1stream.t VALUES (1,'by insert',1.5,'2026-01-01','2026-01-01 00:00:00',1);
UPDATE v1stream.t SET s = 'updated' WHERE id IN (101, 203);
DELETE FROM v1stream.t WHERE id IN (201, 102);
CREATE TABLE v1stream.p (id INT, name STRING) PARTITIONED BY (p STRING) CLUSTERED BY (id) INTO 3 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');

-- 20-hive2-timezone-la
-- Written by a JVM in America/Los_Angeles: ORC timestamps are local times in the writer's zone (stripe footer); around DST changes and before 1970.
DROP DATABASE IF EXISTS v1tz CASCADE;
CREATE DATABASE v1tz;
CREATE TABLE v1tz.t (id INT, ts TIMESTAMP, dt DATE, s STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v1tz.t VALUES (1,'2026-11-29 12:34:56.123456789','2026-11-29','2026-11-29 12:34:56.123456789'),(2,'2026-07-04 00:00:00','2026-07-04','2026-07-04 00:00:00'),(3,'2026-03-08 01:59:59.999','2026-03-08','2026-03-08 01:59:59.999'),(4,'2026-03-08 03:00:00','2026-03-08','2026-03-08 03:00:00'),(5,'2026-11-01 00:30:00','2026-11-01','2026-11-01 00:30:00'),(6,'2026-11-01 02:00:00','2026-11-01','2026-11-01 02:00:00'),(7,'1969-12-31 16:00:00','1969-12-31','1969-12-31 16:00:00'),(8,'1969-12-31 15:59:58.5','1969-12-31','1969-12-31 15:59:58.5'),(9,'1900-01-01 00:00:00','1900-01-01','1900-01-01 00:00:00'),(10,'1883-11-18 11:00:00','1883-11-18','1883-11-18 11:00:00'),(11,'2015-01-01 00:00:00','2015-01-01','2015-01-01 00:00:00'),(12,'2014-12-31 23:59:59.9','2014-12-31','2014-12-31 23:59:59.9'),(13,NULL,NULL,NULL),(14,'2100-06-01 10:00:00','2100-06-01','2100-06-01 10:00:00'),(15,'2026-11-01 01:30:00','2026-11-01','2026-11-01 01:30:00');
UPDATE v1tz.t SET ts = '1970-01-01 00:00:00', s = '1970-01-01 00:00:00' WHERE id = 13;
DELETE FROM v1tz.t WHERE id = 2;
CREATE TABLE v1tz.plain (id INT, ts TIMESTAMP, s STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC;
INSERT INTO v1tz.plain SELECT id, ts, s FROM v1tz.t;
ALTER TABLE v1tz.plain SET TBLPROPERTIES ('transactional'='true');
DELETE FROM v1tz.plain WHERE id = 1;

-- 20-hive2-transactions
-- Several events on one row: in one transaction (statement ids), in different deltas, in transactions that were aborted or are open.
DROP DATABASE IF EXISTS v1txn CASCADE;
CREATE DATABASE v1txn;
CREATE TABLE v1txn.t (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v1txn.t VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d'),(5,'e'),(6,'f');
START TRANSACTION;
UPDATE v1txn.t SET v = 'upd1' WHERE id IN (1,2);
UPDATE v1txn.t SET v = concat(v,'+upd2') WHERE id = 1;
DELETE FROM v1txn.t WHERE id = 2;
INSERT INTO v1txn.t VALUES (7,'g'),(8,'h');
UPDATE v1txn.t SET v = 'own insert updated' WHERE id = 7;
DELETE FROM v1txn.t WHERE id = 8;
COMMIT;
START TRANSACTION;
INSERT INTO v1txn.t VALUES (100,'aborted insert');
DELETE FROM v1txn.t WHERE id = 3;
UPDATE v1txn.t SET v = 'aborted update' WHERE id = 4;
ROLLBACK;
UPDATE v1txn.t SET v = 'after abort' WHERE id = 4;
START TRANSACTION;
INSERT INTO v1txn.t VALUES (200,'open insert');
INSERT INTO v1txn.t VALUES (9,'i');
UPDATE v1txn.t SET v = 'upd9' WHERE id = 9;
START TRANSACTION;
SELECT count(*) FROM v1txn.t;
COMMIT;
COMMIT;
SHOW TRANSACTIONS;
DELETE FROM v1txn.t WHERE id IN (1, 200);

-- 20-hive2-types
-- Every column type, NULLs, updates and deletes; JVM time zone UTC.
DROP DATABASE IF EXISTS v1types CASCADE;
CREATE DATABASE v1types;
CREATE TABLE v1types.types (
 id INT, c_bool BOOLEAN, c_tiny TINYINT, c_small SMALLINT, c_int INT, c_big BIGINT, c_float FLOAT, c_double DOUBLE,
 c_dec1 DECIMAL(10,2), c_dec2 DECIMAL(38,18), c_str STRING, c_char CHAR(10), c_varchar VARCHAR(20), c_bin BINARY,
 c_date DATE, c_ts TIMESTAMP,
 c_arr ARRAY<INT>, c_map MAP<STRING,DOUBLE>, c_struct STRUCT<a:INT,b:STRING,c:ARRAY<STRUCT<x:BIGINT,y:STRING>>>)
 CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v1types.types SELECT 1, true, 127Y, 32767S, 2147483647, 9223372036854775807, cast(3.4028235e38 as float), 1.7976931348623157E308,
 99999999.99, cast('12345678901234567890.123456789012345678' as decimal(38,18)), 'hello', 'char', 'varchar', cast('binary' as binary),
 date '2026-11-29', timestamp '2026-11-29 12:34:56.123456789',
 array(1,2,3), map('k1',1.5D,'k2',-2.25D), named_struct('a',1,'b','s','c',array(named_struct('x',10L,'y','u'),named_struct('x',20L,'y',cast(null as string))));
INSERT INTO v1types.types SELECT 2, false, cast(-128 as tinyint), cast(-32768 as smallint), cast(-2147483648 as int), cast('-9223372036854775808' as bigint), cast(-1.4e-45 as float), 4.9E-324,
 -99999999.99, cast('-0.000000000000000001' as decimal(38,18)), '', '', '', unhex('00FF80C3287F'),
 date '0001-01-01', timestamp '0001-01-01 00:00:00',
 array(cast(null as int)), map('', cast(null as double)), named_struct('a',cast(null as int),'b',cast(null as string),'c',array(if(id0 > 5, named_struct('x',1L,'y','u'), null))) FROM (SELECT 1 AS id0) z;
INSERT INTO v1types.types SELECT 5, true, 0Y, 0S, 0, 0L, cast('NaN' as float), cast('NaN' as double), 0, 0, 'tab\tnl\nback\\slash"quote', 'trail   ', 'trail   ', unhex(''),
 date '1582-10-04', timestamp '1582-10-04 23:59:59.999999999',
 array(7), map('z',1D,'a',2D), named_struct('a',7,'b','','c',array(named_struct('x',5L,'y','')));
INSERT INTO v1types.types SELECT 6, true, 1Y, 1S, 1, 1L, cast('Infinity' as float), cast('-Infinity' as double), 0.01, 1, '日本語 🎈 é', '日本', 'é🎈', unhex('F09F8E88'),
 date '1582-10-15', timestamp '1582-10-15 00:00:00', array(1,cast(null as int)), map('日',-0.0D), named_struct('a',0,'b','ü','c',array(named_struct('x',0L,'y','z')));
INSERT INTO v1types.types SELECT 7, null, null, null, null, null, null, null, null, null, null, null, null, null, date '1969-12-31', timestamp '1969-12-30 23:59:59.5', if(false, array(1), null), if(false, map('a',1.5D), null), if(false, named_struct('a',1,'b','s','c',array(named_struct('x',10L,'y','u'))), null);
INSERT INTO v1types.types SELECT 8, null, null, null, null, null, null, null, null, null, null, null, null, null, date '9999-12-31', timestamp '9999-12-31 23:59:59.999999999', if(false, array(1), null), if(false, map('a',1.5D), null), if(false, named_struct('a',1,'b','s','c',array(named_struct('x',10L,'y','u'))), null);
INSERT INTO v1types.types SELECT 9, null, null, null, null, null, null, null, null, null, null, null, null, null, date '1899-12-31', timestamp '1969-12-31 23:59:58.75', if(false, array(1), null), if(false, map('a',1.5D), null), if(false, named_struct('a',1,'b','s','c',array(named_struct('x',10L,'y','u'))), null);
UPDATE v1types.types SET c_str = 'changed', c_ts = timestamp '2000-02-29 00:00:00.001', c_arr = array(9,8) WHERE id IN (2, 7);
UPDATE v1types.types SET c_map = map('n', cast(null as double)), c_dec2 = c_dec2 + 1 WHERE id IN (1, 5, 6);
DELETE FROM v1types.types WHERE id = 8;
CREATE TABLE v1types.un (id INT, u UNIONTYPE<INT,STRING,DOUBLE>, n MAP<INT,ARRAY<STRUCT<d:DATE,t:TIMESTAMP,b:BINARY,c:CHAR(4)>>>) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v1types.un SELECT 1, create_union(0, 5, 'a', 1.5D), map(1, array(named_struct('d',date '2020-01-01','t',timestamp '2020-01-01 01:02:03.4','b',unhex('0102'),'c',cast('ab' as char(4)))));
INSERT INTO v1types.un SELECT 2, create_union(1, 5, 'str', 1.5D), if(false, map(1, array(named_struct('d',date '2020-01-01','t',timestamp '2020-01-01 01:02:03.4','b',unhex('0102'),'c',cast('ab' as char(4))))), null);
INSERT INTO v1types.un SELECT 3, create_union(2, 5, 'a', 2.5D), if(false, map(1, array(named_struct('d',date '2020-01-01','t',timestamp '2020-01-01 01:02:03.4','b',unhex('0102'),'c',cast('ab' as char(4))))), null);
DELETE FROM v1types.un WHERE id = 3;
CREATE TABLE v1types.wide (id INT, c_bool BOOLEAN, c_big BIGINT, c_double DOUBLE, c_dec DECIMAL(18,6), c_str STRING, c_vc VARCHAR(12), c_date DATE, c_ts TIMESTAMP) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','orc.compress'='SNAPPY','orc.row.index.stride'='1000');
INSERT INTO v1types.wide SELECT n, if(n%7=0,null,n%2=0), if(n%7=1,null,cast(n*n as bigint)*7919), if(n%7=2,null,n/16), if(n%7=3,null,cast(n as decimal(18,6))/7), if(n%7=4,null,concat('str',n%50)), if(n%7=5,null,cast(repeat('v',n%13) as varchar(12))), if(n%7=6,null,date_add('1970-01-01',n*17-20000)), if(n%7=0,null,cast(from_unixtime(n*86413L) as timestamp))
 FROM (SELECT posexplode(split(space(2499), ' ')) AS (n, e)) a;
UPDATE v1types.wide SET c_str = NULL, c_big = id WHERE id % 50 = 7;
DELETE FROM v1types.wide WHERE id % 10 = 3;
-- ORC quirks before 1970: the writer divides towards zero, so the last second before the epoch comes back after it (ids 1, 2);
-- Hive 2.3's reader also takes a second off times with 1 to 999999 nanoseconds (ids 3, 4), later readers do not
CREATE TABLE v1types.quirk (id INT, t TIMESTAMP, s STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v1types.quirk VALUES (1,'1969-12-31 23:59:59.5','1969-12-31 23:59:59.5'),(2,'1969-12-31 23:59:59.000000001','1969-12-31 23:59:59.000000001'),(3,'1969-12-31 23:59:58.000000001','1969-12-31 23:59:58.000000001'),(4,'1900-01-01 00:00:00.000999999','1900-01-01 00:00:00.000999999'),(5,'1900-01-01 00:00:00.001','1900-01-01 00:00:00.001'),(6,'1969-12-31 23:59:58.5','1969-12-31 23:59:58.5');

-- 20-multi-writer
-- Unbucketed tables written by several tasks: bucket_00000 .. bucket_00003, updates and deletes across writer ids.
DROP DATABASE IF EXISTS s20 CASCADE;
CREATE DATABASE s20;
CREATE TABLE s20.src (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO s20.src SELECT n, concat('v', cast(n as string)) FROM (SELECT posexplode(split(space(59), ' ')) AS (n, e)) a;
CREATE TABLE s20.t (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
SET mapreduce.job.reduces=4;
INSERT INTO s20.t SELECT id, v FROM s20.src DISTRIBUTE BY id;
SET mapreduce.job.reduces=2;
INSERT INTO s20.t SELECT id + 100 AS id2, v FROM s20.src WHERE id < 20 DISTRIBUTE BY id2;
SET mapreduce.job.reduces=3;
UPDATE s20.t SET v = 'upd' WHERE id % 6 = 1;
DELETE FROM s20.t WHERE id % 5 = 0;
SET mapreduce.job.reduces=-1;
UPDATE s20.t SET v = concat(v, '!') WHERE id > 100;
MERGE INTO s20.t t USING (SELECT id, v FROM s20.src WHERE id BETWEEN 30 AND 65 UNION ALL SELECT id + 1000, v FROM s20.src WHERE id < 3) s ON t.id = s.id WHEN MATCHED AND t.id % 2 = 0 THEN UPDATE SET v = 'merged' WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v);
DELETE FROM s20.t WHERE v = 'merged';
CREATE TABLE s20.p (id INT, v STRING) PARTITIONED BY (g INT) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
SET mapreduce.job.reduces=3;
INSERT INTO s20.p SELECT id, v, id % 2 FROM s20.src DISTRIBUTE BY id;
SET mapreduce.job.reduces=-1;
INSERT OVERWRITE TABLE s20.p PARTITION (g=1) SELECT id, v FROM s20.src WHERE id < 5;
UPDATE s20.p SET v = 'u' WHERE id % 3 = 0;

-- 21-hive3-aborted-open
-- Aborted and open transactions, a snapshot that excludes a committed id in the middle, compaction around them.
DROP DATABASE IF EXISTS a3open CASCADE;
CREATE DATABASE a3open;
CREATE TABLE a3open.t (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3open.t VALUES (1,'a'),(2,'b'),(3,'c');
START TRANSACTION;
INSERT INTO a3open.t VALUES (100,'aborted insert');
DELETE FROM a3open.t WHERE id = 1;
ROLLBACK;
INSERT INTO a3open.t VALUES (4,'d');
START TRANSACTION;
INSERT INTO a3open.t VALUES (200,'open insert');
INSERT INTO a3open.t VALUES (5,'e');
UPDATE a3open.t SET v = 'u2' WHERE id = 2;
START TRANSACTION;
SELECT count(*) FROM a3open.t;
COMMIT;
COMMIT;
START TRANSACTION;
INSERT INTO a3open.t VALUES (300,'still open');
INSERT INTO a3open.t VALUES (6,'f');
UPDATE a3open.t SET v = 'upd6' WHERE id = 6;
SHOW TRANSACTIONS;
SHOW COMPACTIONS;
ROLLBACK;

-- 21-hive3-basic
-- Full ACID of Hive 3.1, unpartitioned, unbucketed: insert, update, delete in several transactions.
DROP DATABASE IF EXISTS a3basic CASCADE;
CREATE DATABASE a3basic;
CREATE TABLE a3basic.items (sku BIGINT, title STRING, qty SMALLINT, price DECIMAL(9,3)) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3basic.items VALUES (1,'Anvil',3,100.125),(2,'Bolt',1000,0.05),(3,'Crate',0,12),(4,NULL,NULL,NULL),(5,'Épée',1,999999.999);
UPDATE a3basic.items SET price = price * 2, title = upper(title) WHERE sku IN (1,3);
DELETE FROM a3basic.items WHERE sku = 2;
INSERT INTO a3basic.items SELECT sku + 10, concat(title, '-copy'), qty, price FROM a3basic.items WHERE title IS NOT NULL;
INSERT INTO a3basic.items (sku, title) VALUES (20,'partial'),(21,'columns');
UPDATE a3basic.items SET qty = 0 WHERE qty IS NULL;
UPDATE a3basic.items SET qty = qty + 1;
DELETE FROM a3basic.items WHERE sku > 12 AND sku < 20;
DELETE FROM a3basic.items WHERE sku = 12345;
UPDATE a3basic.items SET qty = 1 WHERE sku = 12345;
DELETE FROM a3basic.items;
INSERT INTO a3basic.items VALUES (100,'again',1,1.1);

-- 21-hive3-bucketed
-- Buckets: bucketing_version 2 (Murmur hash) and 1 (Java hash), several columns and types.
DROP DATABASE IF EXISTS a3buck CASCADE;
CREATE DATABASE a3buck;
CREATE TABLE a3buck.two (k INT, s STRING, v BIGINT) CLUSTERED BY (k) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3buck.two SELECT pos, concat('s', cast(pos % 17 as string)), pos * 1000003 FROM (SELECT posexplode(split(space(59), ' ')) AS (pos, e)) t;
UPDATE a3buck.two SET v = -v WHERE k % 10 = 3;
DELETE FROM a3buck.two WHERE k BETWEEN 20 AND 29;
CREATE TABLE a3buck.one (k INT, s STRING, v BIGINT) CLUSTERED BY (k, s) INTO 4 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','bucketing_version'='1');
INSERT INTO a3buck.one SELECT k, s, v FROM a3buck.two;
UPDATE a3buck.one SET v = 0 WHERE k % 7 = 0;
DELETE FROM a3buck.one WHERE k % 7 = 1;
CREATE TABLE a3buck.mix (id STRING, d DECIMAL(8,2), t TIMESTAMP, v INT) CLUSTERED BY (id, d) INTO 3 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3buck.mix VALUES ('a',1.5,'2026-01-01 00:00:00',1),('é',-2,NULL,2),(NULL,NULL,'1969-12-31 23:59:59.5',3),('',0,NULL,4);
UPDATE a3buck.mix SET v = 10 WHERE id = 'é';

-- 21-hive3-compaction
-- Minor and major compaction of Hive 3.1 (no _v suffix), before and after cleaning.
DROP DATABASE IF EXISTS a3comp CASCADE;
CREATE DATABASE a3comp;
CREATE TABLE a3comp.t (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3comp.t VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d');
INSERT INTO a3comp.t VALUES (5,'e'),(6,'f');
UPDATE a3comp.t SET v = 'upd1' WHERE id IN (1,5);
DELETE FROM a3comp.t WHERE id = 2;
INSERT INTO a3comp.t VALUES (7,'g');
INSERT INTO a3comp.t VALUES (8,'h');
DELETE FROM a3comp.t WHERE id IN (3, 7);
UPDATE a3comp.t SET v = 'upd2' WHERE id = 4;
UPDATE a3comp.t SET v = 'upd3' WHERE id = 8;
INSERT INTO a3comp.t VALUES (9,'i');
DELETE FROM a3comp.t;
CREATE TABLE a3comp.b (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3comp.b VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d');
INSERT INTO a3comp.b VALUES (5,'e'),(6,'f');
UPDATE a3comp.b SET v = 'upd1' WHERE id IN (1,5);
DELETE FROM a3comp.b WHERE id = 2;
INSERT INTO a3comp.b VALUES (7,'g'),(8,'h');
UPDATE a3comp.b SET v = 'last' WHERE id = 6;
CREATE TABLE a3comp.p (id INT, v STRING) PARTITIONED BY (p STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3comp.p VALUES (1,'a','x'),(2,'b','x'),(3,'c','y'),(4,'d','z');
INSERT INTO a3comp.p VALUES (5,'e','x'),(6,'f','y');
UPDATE a3comp.p SET v = 'u' WHERE id < 4;
DELETE FROM a3comp.p WHERE id IN (1, 6);

-- 21-hive3-evolution
-- Columns added, widened and renamed after data exists.
DROP DATABASE IF EXISTS a3evo CASCADE;
CREATE DATABASE a3evo;
CREATE TABLE a3evo.t (id INT, a SMALLINT, b STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3evo.t VALUES (1,10,'x'),(2,20,'y'),(3,NULL,'z');
ALTER TABLE a3evo.t ADD COLUMNS (c DOUBLE, d STRING);
INSERT INTO a3evo.t VALUES (4, 40, 'w', 4.5, 'p');
UPDATE a3evo.t SET c = 1.25 WHERE id = 1;
ALTER TABLE a3evo.t CHANGE COLUMN a a BIGINT;
ALTER TABLE a3evo.t CHANGE COLUMN b bee STRING;
INSERT INTO a3evo.t VALUES (5, 9000000000, 'big', NULL, NULL);
DELETE FROM a3evo.t WHERE id = 3;

-- 21-hive3-insert-only
-- Insert-only (micro-managed) tables of Hive 3.1 in ORC, text and Parquet.
DROP DATABASE IF EXISTS a3mm CASCADE;
CREATE DATABASE a3mm;
CREATE TABLE a3mm.orc (id INT, s STRING, d DECIMAL(10,2), dt DATE, b BOOLEAN, x DOUBLE) STORED AS ORC TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only','no_auto_compaction'='true');
INSERT INTO a3mm.orc VALUES (1,'a',1.25,'2026-01-01',true,0.5),(2,NULL,NULL,NULL,NULL,NULL);
INSERT INTO a3mm.orc VALUES (3,'tab and é',-3.5,'1969-07-20',false,-1e10);
INSERT OVERWRITE TABLE a3mm.orc SELECT id + 10, s, d, dt, b, x FROM a3mm.orc;
INSERT INTO a3mm.orc VALUES (20,'after overwrite',0,'2000-02-29',true,1);
START TRANSACTION;
INSERT INTO a3mm.orc VALUES (666,'aborted',0,NULL,NULL,NULL);
ROLLBACK;
INSERT INTO a3mm.orc VALUES (21,'b',0.01,'9999-12-31',false,2),(22,'c',99999999.99,'0001-01-01',false,3);
INSERT INTO a3mm.orc VALUES (30,'x',1,'2020-01-01',true,4);
CREATE TABLE a3mm.text (id INT, s STRING, d DECIMAL(10,2), dt DATE, b BOOLEAN, x DOUBLE) STORED AS TEXTFILE TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only','no_auto_compaction'='true');
INSERT INTO a3mm.text VALUES (1,'a',1.25,'2026-01-01',true,0.5),(2,NULL,NULL,NULL,NULL,NULL);
INSERT INTO a3mm.text VALUES (3,'tab and é',-3.5,'1969-07-20',false,-1e10);
INSERT OVERWRITE TABLE a3mm.text SELECT id + 10, s, d, dt, b, x FROM a3mm.text;
INSERT INTO a3mm.text VALUES (20,'after overwrite',0,'2000-02-29',true,1);
START TRANSACTION;
INSERT INTO a3mm.text VALUES (666,'aborted',0,NULL,NULL,NULL);
ROLLBACK;
INSERT INTO a3mm.text VALUES (21,'b',0.01,'9999-12-31',false,2),(22,'c',99999999.99,'0001-01-01',false,3);
INSERT INTO a3mm.text VALUES (30,'x',1,'2020-01-01',true,4);
CREATE TABLE a3mm.parquet (id INT, s STRING, d DECIMAL(10,2), dt DATE, b BOOLEAN, x DOUBLE) STORED AS PARQUET TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only','no_auto_compaction'='true');
INSERT INTO a3mm.parquet VALUES (1,'a',1.25,'2026-01-01',true,0.5),(2,NULL,NULL,NULL,NULL,NULL);
INSERT INTO a3mm.parquet VALUES (3,'tab and é',-3.5,'1969-07-20',false,-1e10);
INSERT OVERWRITE TABLE a3mm.parquet SELECT id + 10, s, d, dt, b, x FROM a3mm.parquet;
INSERT INTO a3mm.parquet VALUES (20,'after overwrite',0,'2000-02-29',true,1);
START TRANSACTION;
INSERT INTO a3mm.parquet VALUES (666,'aborted',0,NULL,NULL,NULL);
ROLLBACK;
INSERT INTO a3mm.parquet VALUES (21,'b',0.01,'9999-12-31',false,2),(22,'c',99999999.99,'0001-01-01',false,3);
CREATE TABLE a3mm.part (id INT, s STRING) PARTITIONED BY (p STRING) STORED AS TEXTFILE TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only');
INSERT INTO a3mm.part VALUES (1,'a','x'),(2,'b','y'),(3,'c',NULL);
INSERT OVERWRITE TABLE a3mm.part PARTITION (p='y') VALUES (4,'d');
INSERT INTO a3mm.part SELECT id + 10, s, 'u' FROM a3mm.part UNION ALL SELECT id + 20, s, 'u' FROM a3mm.part WHERE p = 'x';
CREATE TABLE a3mm.conv (id INT, s STRING) STORED AS TEXTFILE;
INSERT INTO a3mm.conv VALUES (1,'a');
INSERT INTO a3mm.conv VALUES (2,'b');
ALTER TABLE a3mm.conv SET TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only');
INSERT INTO a3mm.conv VALUES (3,'c');

-- 21-hive3-merge
-- MERGE with all clauses, multi-insert, UNION ALL, several statements in one explicit transaction.
DROP DATABASE IF EXISTS a3merge CASCADE;
CREATE DATABASE a3merge;
CREATE TABLE a3merge.target (id INT, name STRING, qty INT) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
CREATE TABLE a3merge.source (id INT, name STRING, qty INT, op STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3merge.target VALUES (1,'one',10),(2,'two',20),(3,'three',30),(4,'four',40),(5,'five',50);
INSERT INTO a3merge.source VALUES (2,'TWO',200,'u'),(3,'x',0,'d'),(6,'six',60,'i'),(7,'seven',70,'i'),(5,'FIVE',-1,'u');
MERGE INTO a3merge.target t USING a3merge.source s ON t.id = s.id
 WHEN MATCHED AND s.op = 'd' THEN DELETE
 WHEN MATCHED AND s.op = 'u' THEN UPDATE SET name = s.name, qty = t.qty + s.qty
 WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.name, s.qty);
MERGE INTO a3merge.target t USING (SELECT * FROM a3merge.source WHERE op <> 'd') s ON t.id = s.id WHEN MATCHED THEN DELETE;
MERGE INTO a3merge.target t USING a3merge.source s ON t.id = s.id WHEN NOT MATCHED THEN INSERT VALUES (s.id, concat('re-',s.name), s.qty);
INSERT INTO a3merge.target SELECT id + 1000, name, qty FROM a3merge.source UNION ALL SELECT id + 2000, name, qty FROM a3merge.source WHERE op = 'i';
START TRANSACTION;
INSERT INTO a3merge.target VALUES (9001,'t1',1);
UPDATE a3merge.target SET qty = 77 WHERE id = 9001 OR id = 1;
DELETE FROM a3merge.target WHERE id = 4;
INSERT INTO a3merge.target VALUES (9002,'t2',2);
UPDATE a3merge.target SET name = 't2b' WHERE id = 9002;
DELETE FROM a3merge.target WHERE id = 9001;
COMMIT;
CREATE TABLE a3merge.parts (id INT, v STRING) PARTITIONED BY (p STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
FROM a3merge.source s
 INSERT INTO TABLE a3merge.parts PARTITION (p='a') SELECT s.id, s.name WHERE s.op = 'u'
 INSERT INTO TABLE a3merge.parts PARTITION (p='b') SELECT s.id, s.name WHERE s.op <> 'u';
MERGE INTO a3merge.parts t USING a3merge.source s ON t.id = s.id
 WHEN MATCHED AND t.p = 'a' THEN UPDATE SET v = concat(t.v, '+')
 WHEN MATCHED THEN DELETE
 WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.name, 'new');

-- 21-hive3-metastore
-- The whole metastore database (schema 3.1.0, PostgreSQL) with committed, aborted and open transactions, locks and a compaction queue: input of an upgrade test.
DROP DATABASE IF EXISTS a3meta CASCADE;
CREATE DATABASE a3meta COMMENT 'metastore dump' WITH DBPROPERTIES ('owner team'='x');
CREATE TABLE a3meta.t (id INT COMMENT 'the key', v STRING) COMMENT 'a table' STORED AS ORC TBLPROPERTIES ('transactional'='true','orc.compress'='SNAPPY');
CREATE TABLE a3meta.p (id INT, v STRING) PARTITIONED BY (d DATE, s STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true');
CREATE TABLE a3meta.mm (line STRING, v STRING) STORED AS TEXTFILE TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only');
CREATE TABLE a3meta.plain (id INT, v STRING) STORED AS ORC;
CREATE EXTERNAL TABLE a3meta.ext (a STRING, b INT) PARTITIONED BY (y INT) ROW FORMAT DELIMITED FIELDS TERMINATED BY ',' STORED AS TEXTFILE LOCATION '${EXTERNAL}/a3meta/ext';
CREATE VIEW a3meta.v AS SELECT id, v FROM a3meta.t WHERE id > 1;
INSERT INTO a3meta.t VALUES (1,'a'),(2,'b'),(3,'c');
INSERT INTO a3meta.p PARTITION (d, s) VALUES (1,'a','2026-01-01','x'),(2,'b','2026-01-02','y/z'),(3,'c','2026-01-02',NULL);
INSERT INTO a3meta.mm VALUES ('l1','a'),('l2','b');
INSERT INTO a3meta.plain VALUES (1,'a');
INSERT INTO a3meta.ext PARTITION (y) VALUES ('a',1,2025),('b',2,2026);
UPDATE a3meta.t SET v = 'u' WHERE id = 1;
DELETE FROM a3meta.p WHERE id = 2;
MERGE INTO a3meta.t t USING (SELECT 2 AS id, 'm' AS v UNION ALL SELECT 9, 'n') s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v);
ALTER TABLE a3meta.p PARTITION (d='2026-01-02', s='y/z') COMPACT 'major';
ANALYZE TABLE a3meta.plain COMPUTE STATISTICS FOR COLUMNS;
START TRANSACTION;
INSERT INTO a3meta.t VALUES (50,'aborted');
DELETE FROM a3meta.t WHERE id = 3;
ROLLBACK;
START TRANSACTION;
INSERT INTO a3meta.p PARTITION (d, s) VALUES (60,'open','2026-01-03','x');
UPDATE a3meta.t SET v = 'open' WHERE id = 3;
SHOW TRANSACTIONS;
SHOW LOCKS;
SHOW COMPACTIONS;
COMMIT;

-- 21-hive3-original
-- Non-transactional ORC tables converted to ACID: original files, copies, synthetic row ids; LOAD DATA.
DROP DATABASE IF EXISTS a3orig CASCADE;
CREATE DATABASE a3orig;
CREATE TABLE a3orig.plain (id INT, v STRING) STORED AS ORC;
INSERT INTO a3orig.plain VALUES (1,'a'),(2,'b'),(3,'c');
INSERT INTO a3orig.plain VALUES (4,'d'),(5,'e');
INSERT INTO a3orig.plain VALUES (6,'f');
ALTER TABLE a3orig.plain SET TBLPROPERTIES ('transactional'='true');
UPDATE a3orig.plain SET v = 'upd' WHERE id IN (2, 5);
DELETE FROM a3orig.plain WHERE id = 6;
INSERT INTO a3orig.plain VALUES (7,'new');
CREATE TABLE a3orig.buck (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC;
INSERT INTO a3orig.buck SELECT pos, concat('v', cast(pos as string)) FROM (SELECT posexplode(split(space(9), ' ')) AS (pos, e)) t;
INSERT INTO a3orig.buck SELECT pos + 100, concat('w', cast(pos as string)) FROM (SELECT posexplode(split(space(4), ' ')) AS (pos, e)) t;
ALTER TABLE a3orig.buck SET TBLPROPERTIES ('transactional'='true');
DELETE FROM a3orig.buck WHERE id % 5 = 0;
UPDATE a3orig.buck SET v = 'upd' WHERE id % 7 = 3;
CREATE TABLE a3orig.part (id INT, v STRING) PARTITIONED BY (p STRING) STORED AS ORC;
INSERT INTO a3orig.part VALUES (1,'a','x'),(2,'b','x'),(3,'c','y');
INSERT INTO a3orig.part VALUES (4,'d','x'),(5,'e','y');
ALTER TABLE a3orig.part SET TBLPROPERTIES ('transactional'='true');
INSERT INTO a3orig.part VALUES (6,'f','x'),(7,'g','z');
UPDATE a3orig.part SET v = 'U' WHERE id IN (1,4,6);
DELETE FROM a3orig.part WHERE p = 'y' AND id = 3;
CREATE TABLE a3orig.first (id INT, v STRING) STORED AS ORC;
INSERT INTO a3orig.first VALUES (1,'a'),(2,'b');
ALTER TABLE a3orig.first SET TBLPROPERTIES ('transactional'='true');
DELETE FROM a3orig.first WHERE id = 1;
INSERT INTO a3orig.first VALUES (3,'c');
CREATE TABLE a3orig.src (id INT, v STRING) STORED AS ORC;
INSERT INTO a3orig.src VALUES (1,'l1'),(2,'l2'),(3,'l3');
CREATE TABLE a3orig.load (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3orig.load VALUES (100,'before');
LOAD DATA LOCAL INPATH '${FILES}/src' INTO TABLE a3orig.load;
DELETE FROM a3orig.load WHERE id = 2;
UPDATE a3orig.load SET v = 'upd' WHERE id = 3;
LOAD DATA LOCAL INPATH '${FILES}/src2' OVERWRITE INTO TABLE a3orig.load;
INSERT INTO a3orig.load VALUES (200,'after');
DELETE FROM a3orig.load WHERE id = 1;

-- 21-hive3-overwrite
-- INSERT OVERWRITE (base_x written by a statement), TRUNCATE, CTAS.
DROP DATABASE IF EXISTS a3over CASCADE;
CREATE DATABASE a3over;
CREATE TABLE a3over.t (a INT, b STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3over.t VALUES (1,'a'),(2,'b');
INSERT OVERWRITE TABLE a3over.t SELECT a * 10, b FROM a3over.t;
INSERT INTO a3over.t VALUES (3,'c');
UPDATE a3over.t SET b = 'upd' WHERE a = 10;
INSERT OVERWRITE TABLE a3over.t SELECT * FROM a3over.t WHERE a > 1000;
INSERT INTO a3over.t VALUES (5,'e'),(6,'f');
DELETE FROM a3over.t WHERE a = 5;
TRUNCATE TABLE a3over.t;
INSERT INTO a3over.t VALUES (7,'after truncate');
CREATE TABLE a3over.p (a INT) PARTITIONED BY (p INT) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3over.p VALUES (1,1),(2,1),(3,2),(4,3);
INSERT OVERWRITE TABLE a3over.p PARTITION (p) SELECT a + 100, p FROM a3over.p WHERE p < 3;
INSERT INTO a3over.p VALUES (9,3);
CREATE TABLE a3over.ctas STORED AS ORC TBLPROPERTIES ('transactional'='true') AS SELECT a, b, a * 1.5 AS c FROM a3over.t;
INSERT INTO a3over.ctas VALUES (1,'x',2.5);

-- 21-hive3-partitioned
-- Partitions by date and by string and int with special characters.
DROP DATABASE IF EXISTS a3part CASCADE;
CREATE DATABASE a3part;
CREATE TABLE a3part.visits (id BIGINT, who STRING, secs DOUBLE) PARTITIONED BY (d DATE) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3part.visits PARTITION (d='2026-01-01') VALUES (1,'a',10.5),(2,'b',20.25);
INSERT INTO a3part.visits PARTITION (d='2026-01-02') VALUES (3,'c',30);
INSERT INTO a3part.visits VALUES (4,'d',40,'2026-01-01'),(5,'e',50,'2026-01-03'),(6,'f',60,'1969-12-31'),(7,'g',70,NULL);
UPDATE a3part.visits SET secs = secs * 2 WHERE id IN (1, 3, 5, 7);
DELETE FROM a3part.visits WHERE d = '2026-01-03';
UPDATE a3part.visits SET who = 'z' WHERE d < '2026-01-01';
ALTER TABLE a3part.visits DROP PARTITION (d='2026-01-02');
INSERT OVERWRITE TABLE a3part.visits PARTITION (d='2026-01-01') VALUES (11,'over',1);
INSERT INTO a3part.visits VALUES (12,'after','3.5','2026-01-01');
CREATE TABLE a3part.logs (id INT, msg STRING) PARTITIONED BY (app STRING, code INT) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3part.logs VALUES (1,'plain','web',200),(2,'slash','a/b',404),(3,'colon eq','k=v:1',0),(4,'percent','100%',-1),(5,'space','with space',7),(6,'null',NULL,1),(7,'unicode','日本',7),(8,'upper','WEB',200),(9,'both',NULL,NULL);
UPDATE a3part.logs SET msg = concat(msg,'!') WHERE id % 2 = 0;
DELETE FROM a3part.logs WHERE app = 'web' AND code = 200;

-- 21-hive3-streaming
-- Streaming into Hive 3.1: HCatalog API (bucketed) and the new streaming API (unbucketed, partitioned).
DROP DATABASE IF EXISTS a3stream CASCADE;
CREATE DATABASE a3stream;
CREATE TABLE a3stream.h (id INT, s STRING, d DOUBLE, dt DATE, ts TIMESTAMP) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
UPDATE a3stream.h SET s = 'updated' WHERE id IN (101, 203);
CREATE TABLE a3stream.n (id INT, s STRING, de DECIMAL(10,2), ts TIMESTAMP) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3stream.n VALUES (1,'by insert',1.5,'2026-01-01 00:00:00');
DELETE FROM a3stream.n WHERE id IN (101, 202);
CREATE TABLE a3stream.p (id INT, name STRING) PARTITIONED BY (p STRING) CLUSTERED BY (id) INTO 3 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');

-- 21-hive3-timezone-la
-- Written by a JVM in America/Los_Angeles with Hive 3.1: see orc_timezones.tsv for the zone in the stripe footers.
DROP DATABASE IF EXISTS a3tz CASCADE;
CREATE DATABASE a3tz;
CREATE TABLE a3tz.t (id INT, ts TIMESTAMP, dt DATE, s STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3tz.t VALUES (1,'2026-11-29 12:34:56.123456789','2026-11-29','2026-11-29 12:34:56.123456789'),(2,'2026-07-04 00:00:00','2026-07-04','2026-07-04 00:00:00'),(3,'2026-03-08 01:59:59.999','2026-03-08','2026-03-08 01:59:59.999'),(4,'2026-03-08 03:00:00','2026-03-08','2026-03-08 03:00:00'),(5,'2026-11-01 00:30:00','2026-11-01','2026-11-01 00:30:00'),(6,'2026-11-01 02:00:00','2026-11-01','2026-11-01 02:00:00'),(7,'1969-12-31 16:00:00','1969-12-31','1969-12-31 16:00:00'),(8,'1969-12-31 15:59:58.5','1969-12-31','1969-12-31 15:59:58.5'),(9,'1900-01-01 00:00:00','1900-01-01','1900-01-01 00:00:00'),(10,'1883-11-18 11:00:00','1883-11-18','1883-11-18 11:00:00'),(11,'2015-01-01 00:00:00','2015-01-01','2015-01-01 00:00:00'),(12,'2014-12-31 23:59:59.9','2014-12-31','2014-12-31 23:59:59.9'),(13,NULL,NULL,NULL),(14,'2100-06-01 10:00:00','2100-06-01','2100-06-01 10:00:00'),(15,'2026-11-01 01:30:00','2026-11-01','2026-11-01 01:30:00');
UPDATE a3tz.t SET ts = '1970-01-01 00:00:00', s = '1970-01-01 00:00:00' WHERE id = 13;
DELETE FROM a3tz.t WHERE id = 2;
CREATE TABLE a3tz.plain (id INT, ts TIMESTAMP, s STRING) STORED AS ORC;
INSERT INTO a3tz.plain SELECT id, ts, s FROM a3tz.t;
ALTER TABLE a3tz.plain SET TBLPROPERTIES ('transactional'='true');
DELETE FROM a3tz.plain WHERE id = 1;

-- 21-hive3-types
-- Hive 3.1: every column type, NULLs, updates and deletes; JVM time zone UTC.
DROP DATABASE IF EXISTS a3types CASCADE;
CREATE DATABASE a3types;
CREATE TABLE a3types.types (
 id INT, c_bool BOOLEAN, c_tiny TINYINT, c_small SMALLINT, c_int INT, c_big BIGINT, c_float FLOAT, c_double DOUBLE,
 c_dec1 DECIMAL(10,2), c_dec2 DECIMAL(38,18), c_str STRING, c_char CHAR(10), c_varchar VARCHAR(20), c_bin BINARY,
 c_date DATE, c_ts TIMESTAMP,
 c_arr ARRAY<INT>, c_map MAP<STRING,DOUBLE>, c_struct STRUCT<a:INT,b:STRING,c:ARRAY<STRUCT<x:BIGINT,y:STRING>>>)
 STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3types.types SELECT 1, true, 127Y, 32767S, 2147483647, 9223372036854775807, cast(3.4028235e38 as float), 1.7976931348623157E308,
 99999999.99, cast('12345678901234567890.123456789012345678' as decimal(38,18)), 'hello', 'char', 'varchar', cast('binary' as binary),
 date '2026-11-29', timestamp '2026-11-29 12:34:56.123456789',
 array(1,2,3), map('k1',1.5D,'k2',-2.25D), named_struct('a',1,'b','s','c',array(named_struct('x',10L,'y','u'),named_struct('x',20L,'y',cast(null as string))));
INSERT INTO a3types.types SELECT 2, false, cast(-128 as tinyint), cast(-32768 as smallint), cast(-2147483648 as int), cast('-9223372036854775808' as bigint), cast(-1.4e-45 as float), 4.9E-324,
 -99999999.99, cast('-0.000000000000000001' as decimal(38,18)), '', '', '', unhex('00FF80C3287F'),
 date '0001-01-01', timestamp '0001-01-01 00:00:00',
 array(cast(null as int)), map('', cast(null as double)), named_struct('a',cast(null as int),'b',cast(null as string),'c',array(if(id0 > 5, named_struct('x',1L,'y','u'), null))) FROM (SELECT 1 AS id0) z;
INSERT INTO a3types.types SELECT 5, true, 0Y, 0S, 0, 0L, cast('NaN' as float), cast('NaN' as double), 0, 0, 'tab\tnl\nback\\slash"quote', 'trail   ', 'trail   ', unhex(''),
 date '1582-10-04', timestamp '1582-10-04 23:59:59.999999999',
 array(7), map('z',1D,'a',2D), named_struct('a',7,'b','','c',array(named_struct('x',5L,'y','')));
INSERT INTO a3types.types SELECT 6, true, 1Y, 1S, 1, 1L, cast('Infinity' as float), cast('-Infinity' as double), 0.01, 1, '日本語 🎈 é', '日本', 'é🎈', unhex('F09F8E88'),
 date '1582-10-15', timestamp '1582-10-15 00:00:00', array(1,cast(null as int)), map('日',-0.0D), named_struct('a',0,'b','ü','c',array(named_struct('x',0L,'y','z')));
INSERT INTO a3types.types SELECT 7, null, null, null, null, null, null, null, null, null, null, null, null, null, date '1969-12-31', timestamp '1969-12-30 23:59:59.5', if(false, array(1), null), if(false, map('a',1.5D), null), if(false, named_struct('a',1,'b','s','c',array(named_struct('x',10L,'y','u'))), null);
INSERT INTO a3types.types SELECT 8, null, null, null, null, null, null, null, null, null, null, null, null, null, date '9999-12-31', timestamp '9999-12-31 23:59:59.999999999', if(false, array(1), null), if(false, map('a',1.5D), null), if(false, named_struct('a',1,'b','s','c',array(named_struct('x',10L,'y','u'))), null);
INSERT INTO a3types.types SELECT 9, null, null, null, null, null, null, null, null, null, null, null, null, null, date '1899-12-31', timestamp '1969-12-31 23:59:58.75', if(false, array(1), null), if(false, map('a',1.5D), null), if(false, named_struct('a',1,'b','s','c',array(named_struct('x',10L,'y','u'))), null);
UPDATE a3types.types SET c_str = 'changed', c_ts = timestamp '2000-02-29 00:00:00.001', c_arr = array(9,8) WHERE id IN (2, 7);
UPDATE a3types.types SET c_map = map('n', cast(null as double)), c_dec2 = c_dec2 + 1 WHERE id IN (1, 5, 6);
DELETE FROM a3types.types WHERE id = 8;
CREATE TABLE a3types.un (id INT, u UNIONTYPE<INT,STRING,DOUBLE>, n MAP<INT,ARRAY<STRUCT<d:DATE,t:TIMESTAMP,b:BINARY,c:CHAR(4)>>>) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3types.un SELECT 1, create_union(0, 5, 'a', 1.5D), map(1, array(named_struct('d',date '2020-01-01','t',timestamp '2020-01-01 01:02:03.4','b',unhex('0102'),'c',cast('ab' as char(4)))));
INSERT INTO a3types.un SELECT 2, create_union(1, 5, 'str', 1.5D), if(false, map(1, array(named_struct('d',date '2020-01-01','t',timestamp '2020-01-01 01:02:03.4','b',unhex('0102'),'c',cast('ab' as char(4))))), null);
INSERT INTO a3types.un SELECT 3, create_union(2, 5, 'a', 2.5D), if(false, map(1, array(named_struct('d',date '2020-01-01','t',timestamp '2020-01-01 01:02:03.4','b',unhex('0102'),'c',cast('ab' as char(4))))), null);
DELETE FROM a3types.un WHERE id = 3;
CREATE TABLE a3types.wide (id INT, c_bool BOOLEAN, c_big BIGINT, c_double DOUBLE, c_dec DECIMAL(18,6), c_str STRING, c_vc VARCHAR(12), c_date DATE, c_ts TIMESTAMP) STORED AS ORC TBLPROPERTIES ('transactional'='true','orc.compress'='SNAPPY','orc.row.index.stride'='1000');
INSERT INTO a3types.wide SELECT n, if(n%7=0,null,n%2=0), if(n%7=1,null,cast(n*n as bigint)*7919), if(n%7=2,null,n/16), if(n%7=3,null,cast(n as decimal(18,6))/7), if(n%7=4,null,concat('str',n%50)), if(n%7=5,null,cast(repeat('v',n%13) as varchar(12))), if(n%7=6,null,date_add('1970-01-01',n*17-20000)), if(n%7=0,null,cast(from_unixtime(n*86413L) as timestamp))
 FROM (SELECT posexplode(split(space(2499), ' ')) AS (n, e)) a;
UPDATE a3types.wide SET c_str = NULL, c_big = id WHERE id % 50 = 7;
DELETE FROM a3types.wide WHERE id % 10 = 3;
-- ORC quirks before 1970: the writer divides towards zero, so the last second before the epoch comes back after it (ids 1, 2);
-- Hive 2.3's reader also takes a second off times with 1 to 999999 nanoseconds (ids 3, 4), later readers do not
CREATE TABLE a3types.quirk (id INT, t TIMESTAMP, s STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO a3types.quirk VALUES (1,'1969-12-31 23:59:59.5','1969-12-31 23:59:59.5'),(2,'1969-12-31 23:59:59.000000001','1969-12-31 23:59:59.000000001'),(3,'1969-12-31 23:59:58.000000001','1969-12-31 23:59:58.000000001'),(4,'1900-01-01 00:00:00.000999999','1900-01-01 00:00:00.000999999'),(5,'1900-01-01 00:00:00.001','1900-01-01 00:00:00.001'),(6,'1969-12-31 23:59:58.5','1969-12-31 23:59:58.5');

-- 21-query-compaction
-- Query-based minor and major compaction with aborted and open ids around, and rebalance compaction.
DROP DATABASE IF EXISTS s21 CASCADE;
CREATE DATABASE s21;
SET hive.compactor.crud.query.based=true;
CREATE TABLE s21.t (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO s21.t VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d'),(5,'e');
INSERT INTO s21.t VALUES (6,'f'),(7,'g');
START TRANSACTION;
DELETE FROM s21.t WHERE id = 1;
INSERT INTO s21.t VALUES (100,'aborted');
UPDATE s21.t SET v = 'aborted' WHERE id = 6;
ROLLBACK;
DELETE FROM s21.t WHERE id = 2;
UPDATE s21.t SET v = 'upd' WHERE id IN (3,7);
INSERT INTO s21.t VALUES (8,'h');
START TRANSACTION;
INSERT INTO s21.t VALUES (200,'open');
DELETE FROM s21.t WHERE id = 4;
INSERT INTO s21.t VALUES (9,'i');
COMMIT;
CREATE TABLE s21.r (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
SET mapreduce.job.reduces=3;
INSERT INTO s21.r SELECT n, concat('v', cast(n as string)) FROM (SELECT posexplode(split(space(29), ' ')) AS (n, e)) a DISTRIBUTE BY if(n < 20, 0, n);
SET mapreduce.job.reduces=-1;
INSERT INTO s21.r VALUES (1000,'x'),(1001,'y');
DELETE FROM s21.r WHERE id % 7 = 3;
UPDATE s21.r SET v = 'u' WHERE id IN (5, 25);
DELETE FROM s21.r WHERE id = 6;
UPDATE s21.r SET v = 'after' WHERE id = 1000;
CREATE TABLE s21.p (id INT, v STRING, ar ARRAY<INT>) PARTITIONED BY (p STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO s21.p SELECT 1, 'a', array(1,2), 'x';
INSERT INTO s21.p SELECT 2, 'b', array(3), 'x';
INSERT INTO s21.p SELECT 3, 'c', array(4), 'y';
UPDATE s21.p SET v = 'u' WHERE id = 1;
DELETE FROM s21.p WHERE id = 3;
INSERT INTO s21.p SELECT 4, 'd', array(5,6), 'y';

-- 22-evolution-names
-- Columns of old files are matched by position (HiveConf orc.force.positional.evolution = true), struct fields by name.
DROP DATABASE IF EXISTS s22 CASCADE;
CREATE DATABASE s22;
CREATE TABLE s22.swap (id INT, a STRING, b STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO s22.swap VALUES (1,'was a','was b'),(2,'2a','2b');
ALTER TABLE s22.swap CHANGE COLUMN a x STRING;
ALTER TABLE s22.swap CHANGE COLUMN b a STRING;
INSERT INTO s22.swap VALUES (3,'now x','now a');
SET orc.force.positional.evolution=false;
SET orc.force.positional.evolution=true;
UPDATE s22.swap SET x = 'upd' WHERE id = 2;
CREATE TABLE s22.st (id INT, s STRUCT<a:INT,b:STRING>, t STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO s22.st SELECT 1, named_struct('a',1,'b','x'), 't1';
ALTER TABLE s22.st CHANGE COLUMN s s2 STRUCT<b:STRING,a:INT>;
INSERT INTO s22.st SELECT 2, named_struct('b','y','a',2), 't2';
CREATE TABLE s22.case1 (Id INT, CamelCase STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO s22.case1 VALUES (1,'x');
ALTER TABLE s22.case1 REPLACE COLUMNS (id INT, camelcase STRING, extra INT);
INSERT INTO s22.case1 VALUES (2,'y',5);
-- a plain ORC table: same rule one level up
CREATE TABLE s22.plain (id INT, a STRING, b STRING) STORED AS ORC TBLPROPERTIES ('transactional'='false');
INSERT INTO s22.plain VALUES (1,'was a','was b');
ALTER TABLE s22.plain CHANGE COLUMN a x STRING;
ALTER TABLE s22.plain CHANGE COLUMN b a STRING;
ALTER TABLE s22.plain ADD COLUMNS (c INT);
INSERT INTO s22.plain VALUES (2,'now x','now a',7);
ALTER TABLE s22.plain SET TBLPROPERTIES ('transactional'='true');
DELETE FROM s22.plain WHERE id = 99;
UPDATE s22.plain SET c = 8 WHERE id = 1;

-- 22-hive2-upgraded-a
-- Part 1 (Hive 2.3): tables before the upgrade to Hive 3. Those with update events are compacted (major) first, as the upgrade demands.
DROP DATABASE IF EXISTS up CASCADE;
CREATE DATABASE up;
CREATE TABLE up.compacted (id INT, v STRING, ts TIMESTAMP) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO up.compacted VALUES (1,'a','2020-01-01 00:00:00'),(2,'b','2020-06-01 00:00:00'),(3,'c',NULL),(4,'d','1980-01-01 00:00:00.5'),(5,'e',NULL);
UPDATE up.compacted SET v = 'updated by 2.3' WHERE id IN (1, 2);
DELETE FROM up.compacted WHERE id = 3;
CREATE TABLE up.inserts (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO up.inserts VALUES (1,'a'),(2,'b'),(3,'c');
INSERT INTO up.inserts VALUES (4,'d'),(5,'e');
CREATE TABLE up.split (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','transactional_properties'='default','no_auto_compaction'='true');
INSERT INTO up.split VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d');
UPDATE up.split SET v = 'updated by 2.3' WHERE id IN (1, 2);
DELETE FROM up.split WHERE id = 3;
CREATE TABLE up.orig (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC;
INSERT INTO up.orig VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d');
ALTER TABLE up.orig SET TBLPROPERTIES ('transactional'='true');
INSERT INTO up.orig VALUES (5,'e');

-- 22-hive2-upgraded-b
-- Part 2 (Hive 3.1 on the same warehouse, metastore upgraded 2.3.0 -> 3.0.0 -> 3.1.0): read, then change.
UPDATE up.compacted SET v = 'updated by 3.1' WHERE id IN (2, 4);
DELETE FROM up.compacted WHERE id = 5;
INSERT INTO up.compacted VALUES (6,'f','2021-01-01 00:00:00');
UPDATE up.inserts SET v = 'updated by 3.1' WHERE id IN (2, 4);
INSERT INTO up.inserts VALUES (6,'f');
DELETE FROM up.inserts WHERE id = 1;
UPDATE up.split SET v = 'updated by 3.1' WHERE id IN (2, 4);
DELETE FROM up.split WHERE id = 1;
UPDATE up.orig SET v = 'updated by 3.1' WHERE id IN (2, 5);
DELETE FROM up.orig WHERE id = 1;

-- 23-conflicts-errors
-- Lock waits, write-write conflicts and the texts, codes and SQL states of common errors (log.txt).
DROP DATABASE IF EXISTS s23 CASCADE;
CREATE DATABASE s23;
CREATE TABLE s23.t (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true');
CREATE TABLE s23.p (id INT, v STRING) PARTITIONED BY (d STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true');
CREATE TABLE s23.b (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true');
CREATE TABLE s23.mm (id INT, v STRING) STORED AS TEXTFILE TBLPROPERTIES ('transactional'='true','transactional_properties'='insert_only');
CREATE TABLE s23.plain (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='false');
INSERT INTO s23.t VALUES (1,'a'),(2,'b');
INSERT INTO s23.p VALUES (1,'a','x'),(2,'b','y');
-- run with hive.lock.numretries=3 (ORACLE_CONF), otherwise the waits below take very long
-- exclusive write locks (the default): the second writer waits and gives up
START TRANSACTION;
UPDATE s23.t SET v = 'B' WHERE id = 1;
UPDATE s23.t SET v = 'A' WHERE id = 2;
SELECT * FROM s23.t;
INSERT INTO s23.t VALUES (3,'insert passes');
INSERT OVERWRITE TABLE s23.t VALUES (9,'overwrite waits');
TRUNCATE TABLE s23.t;
DROP TABLE s23.t;
ALTER TABLE s23.t ADD COLUMNS (c INT);
SHOW LOCKS s23.t;
COMMIT;
SELECT * FROM s23.t;
-- optimistic: hive.txn.xlock.write=false, first committer wins
SET hive.txn.xlock.write=false;
SET hive.txn.xlock.write=false;
START TRANSACTION;
UPDATE s23.t SET v = 'B2' WHERE id = 1;
SHOW LOCKS s23.t;
UPDATE s23.t SET v = 'A2' WHERE id = 2;
COMMIT;
SELECT * FROM s23.t;
-- different partitions do not conflict
START TRANSACTION;
UPDATE s23.p SET v = 'B' WHERE d = 'x';
UPDATE s23.p SET v = 'A' WHERE d = 'y';
COMMIT;
SELECT * FROM s23.p;
START TRANSACTION;
DELETE FROM s23.p WHERE d = 'x';
INSERT INTO s23.p VALUES (5,'ins','x');
INSERT INTO s23.p VALUES (6,'ins','x');
COMMIT;
COMMIT;
ROLLBACK;
START TRANSACTION;
CREATE TABLE s23.nope (a INT);
START TRANSACTION;
ROLLBACK;
SET hive.txn.xlock.write=true;
SELECT * FROM s23.missing;
SELECT nocol FROM s23.t;
SELECT nofunc(1);
SELECT * FROM nodb.t;
USE nodb;
CREATE TABLE s23.t (a INT);
CREATE DATABASE s23;
DROP TABLE s23.missing;
DROP TABLE IF EXISTS s23.missing;
DROP DATABASE s23;
INSERT INTO s23.t VALUES (1);
INSERT INTO s23.t VALUES (1,2,3);
INSERT INTO s23.t VALUES ('x','y');
INSERT INTO s23.p PARTITION (nope='x') VALUES (1,'a');
UPDATE s23.plain SET v = 'x';
DELETE FROM s23.plain;
UPDATE s23.mm SET v = 'x';
DELETE FROM s23.mm WHERE id = 1;
UPDATE s23.b SET id = 5;
UPDATE s23.p SET d = 'z';
UPDATE s23.t SET nocol = 1;
UPDATE s23.t SET v = 1/0;
MERGE INTO s23.plain t USING s23.t s ON t.id = s.id WHEN MATCHED THEN DELETE;
MERGE INTO s23.t t USING s23.p s ON t.id = s.id WHEN MATCHED THEN DELETE WHEN MATCHED THEN UPDATE SET v = 'x';
ALTER TABLE s23.t SET TBLPROPERTIES ('transactional'='false');
ALTER TABLE s23.t SET TBLPROPERTIES ('transactional_properties'='insert_only');
ALTER TABLE s23.plain COMPACT 'major';
ALTER TABLE s23.p COMPACT 'major';
ALTER TABLE s23.t COMPACT 'nonsense';
ALTER TABLE s23.t CHANGE COLUMN id id STRING;
ALTER TABLE s23.t CHANGE COLUMN v v INT;
ALTER TABLE s23.t ADD COLUMNS (v INT);
ALTER TABLE s23.t REPLACE COLUMNS (id INT);
CREATE TABLE s23.txt (a INT) STORED AS TEXTFILE TBLPROPERTIES ('transactional'='true');
CREATE EXTERNAL TABLE s23.ext (a INT) STORED AS ORC TBLPROPERTIES ('transactional'='true');
CREATE TABLE s23.sorted (a INT) CLUSTERED BY (a) SORTED BY (a) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true');
CREATE TABLE s23.dup (a INT, a STRING);
--! syntax error
CREATE TABLE s23.badtype (a NOTYPE);
--! syntax error
SELECT 1 +;
--! syntax error
SELEC 1;
SELECT a FROM (SELECT 1 AS a) t GROUP BY b;
SELECT id, count(*) FROM s23.t;
SELECT sum(v), id FROM s23.t GROUP BY v;
SELECT * FROM s23.t t1 JOIN s23.t t2;
SELECT id FROM s23.t UNION ALL SELECT id, v FROM s23.t;
SELECT * FROM s23.t ORDER BY 5;
SELECT cast('a' AS array<int>);
SHOW PARTITIONS s23.t;
DESCRIBE s23.missing;
ABORT TRANSACTIONS 999999;
LOCK TABLE s23.t EXCLUSIVE;
UNLOCK TABLE s23.t;
ANALYZE TABLE s23.missing COMPUTE STATISTICS;
TRUNCATE TABLE s23.missing;

-- 23-hive1-basic
-- Hive 1.2: ACID version 1 without statement ids (delta_x_y) (no split-update): insert, update and delete in several transactions, 2 buckets.
DROP DATABASE IF EXISTS v0basic CASCADE;
CREATE DATABASE v0basic;
CREATE TABLE v0basic.people (id INT, name STRING, age INT, balance DECIMAL(12,2)) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v0basic.people VALUES (1,'Ada',36,100.50),(2,'Brendan',41,-3.25),(3,'Chen',29,0),(4,NULL,NULL,NULL),(5,'Édith',55,9999999999.99);
UPDATE v0basic.people SET balance = balance + 10, name = upper(name) WHERE id IN (1,3);
DELETE FROM v0basic.people WHERE id = 2;
INSERT INTO v0basic.people SELECT id + 10, concat(name, '-copy'), age + 1, balance FROM v0basic.people WHERE name IS NOT NULL;
INSERT INTO v0basic.people (id, name) VALUES (20,'partial'),(21,'columns');
UPDATE v0basic.people SET age = 0 WHERE age IS NULL;
UPDATE v0basic.people SET age = age + 1;
UPDATE v0basic.people SET age = age * 2, name = NULL WHERE id IN (1, 13);
DELETE FROM v0basic.people WHERE id > 12 AND id < 20;
UPDATE v0basic.people SET name = 'third change' WHERE id = 1;
DELETE FROM v0basic.people WHERE id = 12345;
UPDATE v0basic.people SET age = 1 WHERE id = 12345;
DELETE FROM v0basic.people;
INSERT INTO v0basic.people VALUES (100,'again',1,1.1);

-- 23-hive1-compaction
-- Hive 1.2: several events per row in different deltas, minor and major compaction before and after cleaning.
DROP DATABASE IF EXISTS v0comp CASCADE;
CREATE DATABASE v0comp;
CREATE TABLE v0comp.t (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','NO_AUTO_COMPACTION'='true');
INSERT INTO TABLE v0comp.t VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d');
INSERT INTO TABLE v0comp.t VALUES (5,'e'),(6,'f');
UPDATE v0comp.t SET v = 'upd1' WHERE id IN (1,5);
UPDATE v0comp.t SET v = 'upd2' WHERE id = 1;
DELETE FROM v0comp.t WHERE id = 2;
INSERT INTO TABLE v0comp.t VALUES (8,'h');
DELETE FROM v0comp.t WHERE id IN (3, 1);
UPDATE v0comp.t SET v = 'upd3' WHERE id = 4;
UPDATE v0comp.t SET v = 'upd4' WHERE id IN (8, 4);
INSERT INTO TABLE v0comp.t VALUES (9,'i');
DELETE FROM v0comp.t WHERE id = 9;

-- 23-hive1-metastore
-- The metastore database of schema 1.2.0 with ACID v1 tables: input of an upgrade test.
DROP DATABASE IF EXISTS v0meta CASCADE;
CREATE DATABASE v0meta COMMENT 'metastore dump';
CREATE TABLE v0meta.t (id INT COMMENT 'the key', v STRING) COMMENT 'a table' CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true');
CREATE TABLE v0meta.p (id INT, v STRING) PARTITIONED BY (d DATE, s STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO TABLE v0meta.t VALUES (1,'a'),(2,'b'),(3,'c');
INSERT INTO TABLE v0meta.p PARTITION (d, s) VALUES (1,'a','2026-01-01','x'),(2,'b','2026-01-02','y/z'),(3,'c','2026-01-02',NULL);
UPDATE v0meta.t SET v = 'u' WHERE id = 1;
DELETE FROM v0meta.p WHERE id = 2;
ALTER TABLE v0meta.p PARTITION (d='2026-01-02', s='y/z') COMPACT 'major';
SHOW TRANSACTIONS;
SHOW LOCKS;
SHOW COMPACTIONS;

-- 23-hive1-original
-- Bucketed ORC tables written before they became transactional: original files, synthetic row ids (transaction 0).
DROP DATABASE IF EXISTS v0orig CASCADE;
CREATE DATABASE v0orig;
CREATE TABLE v0orig.b (id INT, v STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC;
INSERT INTO v0orig.b VALUES (1,'a'),(2,'b'),(3,'c'),(4,'d'),(5,'e'),(6,'f');
ALTER TABLE v0orig.b SET TBLPROPERTIES ('transactional'='true');
UPDATE v0orig.b SET v = 'upd' WHERE id IN (2, 5);
DELETE FROM v0orig.b WHERE id = 6;
INSERT INTO v0orig.b VALUES (7,'new'),(8,'new2');
UPDATE v0orig.b SET v = 'upd again' WHERE id IN (5, 7);

-- 23-hive1-partitioned
-- Partitioned and bucketed: dynamic and static partitions, special characters, dropped partition.
DROP DATABASE IF EXISTS v0part CASCADE;
CREATE DATABASE v0part;
CREATE TABLE v0part.orders (id BIGINT, customer STRING, amount DECIMAL(10,2)) PARTITIONED BY (d DATE) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v0part.orders PARTITION (d='2026-01-01') VALUES (1,'a',10.00),(2,'b',20.50);
INSERT INTO v0part.orders PARTITION (d='2026-01-02') VALUES (3,'c',30.00);
INSERT INTO v0part.orders PARTITION (d) VALUES (4,'d',40.00,'2026-01-01'),(5,'e',50.00,'2026-01-03'),(6,'f',60.00,'1969-12-31'),(7,'g',70,NULL);
UPDATE v0part.orders SET amount = amount * 2 WHERE id IN (1, 3, 5, 7);
DELETE FROM v0part.orders WHERE d = '2026-01-03';
UPDATE v0part.orders SET customer = 'z' WHERE d < '2026-01-01';
UPDATE v0part.orders SET amount = 0.01 WHERE id IN (4, 6);
CREATE TABLE v0part.logs (id INT, msg STRING) PARTITIONED BY (app STRING, code INT) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v0part.logs PARTITION (app, code) VALUES (1,'plain','web',200),(2,'slash','a/b',404),(3,'colon eq','k=v:1',0),(4,'percent','100%',-1),(5,'space','with space',7),(6,'null',NULL,1),(7,'unicode','日本',7),(8,'upper','WEB',200);
UPDATE v0part.logs SET msg = concat(msg,'!') WHERE id % 2 = 0;
DELETE FROM v0part.logs WHERE app = 'web' AND code = 200;

-- 23-hive1-streaming
-- Hive Streaming (HCatalog API) into ACID v1 tables: one delta per transaction batch, _flush_length side files, aborts.
DROP DATABASE IF EXISTS v0stream CASCADE;
CREATE DATABASE v0stream;
CREATE TABLE v0stream.t (id INT, s STRING, d DOUBLE, dt DATE, ts TIMESTAMP, de DECIMAL(10,2)) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v0stream.t VALUES (1,'by insert',1.5,'2026-01-01','2026-01-01 00:00:00',1);
UPDATE v0stream.t SET s = 'updated' WHERE id IN (101, 203);
DELETE FROM v0stream.t WHERE id IN (201, 102);
CREATE TABLE v0stream.p (id INT, name STRING) PARTITIONED BY (p STRING) CLUSTERED BY (id) INTO 3 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');

-- 23-hive1-timezone-la
-- Written by a JVM in America/Los_Angeles: ORC timestamps are local times in the writer's zone (stripe footer); around DST changes and before 1970.
DROP DATABASE IF EXISTS v0tz CASCADE;
CREATE DATABASE v0tz;
CREATE TABLE v0tz.t (id INT, ts TIMESTAMP, dt DATE, s STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','no_auto_compaction'='true');
INSERT INTO v0tz.t VALUES (1,'2026-11-29 12:34:56.123456789','2026-11-29','2026-11-29 12:34:56.123456789'),(2,'2026-07-04 00:00:00','2026-07-04','2026-07-04 00:00:00'),(3,'2026-03-08 01:59:59.999','2026-03-08','2026-03-08 01:59:59.999'),(4,'2026-03-08 03:00:00','2026-03-08','2026-03-08 03:00:00'),(5,'2026-11-01 00:30:00','2026-11-01','2026-11-01 00:30:00'),(6,'2026-11-01 02:00:00','2026-11-01','2026-11-01 02:00:00'),(7,'1969-12-31 16:00:00','1969-12-31','1969-12-31 16:00:00'),(8,'1969-12-31 15:59:58.5','1969-12-31','1969-12-31 15:59:58.5'),(9,'1900-01-01 00:00:00','1900-01-01','1900-01-01 00:00:00'),(10,'1883-11-18 11:00:00','1883-11-18','1883-11-18 11:00:00'),(11,'2015-01-01 00:00:00','2015-01-01','2015-01-01 00:00:00'),(12,'2014-12-31 23:59:59.9','2014-12-31','2014-12-31 23:59:59.9'),(13,NULL,NULL,NULL),(14,'2100-06-01 10:00:00','2100-06-01','2100-06-01 10:00:00'),(15,'2026-11-01 01:30:00','2026-11-01','2026-11-01 01:30:00');
UPDATE v0tz.t SET ts = '1970-01-01 00:00:00', s = '1970-01-01 00:00:00' WHERE id = 13;
DELETE FROM v0tz.t WHERE id = 2;
CREATE TABLE v0tz.plain (id INT, ts TIMESTAMP, s STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC;
INSERT INTO v0tz.plain SELECT id, ts, s FROM v0tz.t;
ALTER TABLE v0tz.plain SET TBLPROPERTIES ('transactional'='true');
DELETE FROM v0tz.plain WHERE id = 1;

-- 23-hive1-types
-- Every column type, NULLs, updates and deletes; JVM time zone UTC.
DROP DATABASE IF EXISTS v0types CASCADE;
CREATE DATABASE v0types;
CREATE TABLE v0types.types (
 id INT, c_bool BOOLEAN, c_tiny TINYINT, c_small SMALLINT, c_int INT, c_big BIGINT, c_float FLOAT, c_double DOUBLE,
 c_dec1 DECIMAL(10,2), c_dec2 DECIMAL(38,18), c_str STRING, c_char CHAR(10), c_varchar VARCHAR(20), c_bin BINARY,
 c_date DATE, c_ts TIMESTAMP,
 c_arr ARRAY<INT>, c_map MAP<STRING,DOUBLE>, c_struct STRUCT<a:INT,b:STRING,c:ARRAY<STRUCT<x:BIGINT,y:STRING>>>)
 CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','NO_AUTO_COMPACTION'='true');
INSERT INTO v0types.types SELECT 1, true, 127Y, 32767S, 2147483647, 9223372036854775807, cast(3.4028235e38 as float), 1.7976931348623157E308,
 99999999.99, cast('12345678901234567890.123456789012345678' as decimal(38,18)), 'hello', 'char', 'varchar', cast('binary' as binary),
 date '2026-11-29', timestamp '2026-11-29 12:34:56.123456789',
 array(1,2,3), map('k1',cast(1.5 as double),'k2',cast(-2.25 as double)), named_struct('a',1,'b','s','c',array(named_struct('x',10L,'y','u'),named_struct('x',20L,'y',cast(null as string)))) FROM (SELECT 1 AS id0) z;
INSERT INTO v0types.types SELECT 2, false, cast(-128 as tinyint), cast(-32768 as smallint), cast(-2147483648 as int), cast('-9223372036854775808' as bigint), cast(-1.4e-45 as float), 4.9E-324,
 -99999999.99, cast('-0.000000000000000001' as decimal(38,18)), '', '', '', unhex('00FF80C3287F'),
 date '0001-01-01', timestamp '0001-01-01 00:00:00',
 array(cast(null as int)), map('', cast(null as double)), named_struct('a',cast(null as int),'b',cast(null as string),'c',array(if(id0 > 5, named_struct('x',1L,'y','u'), null))) FROM (SELECT 1 AS id0) z;
INSERT INTO v0types.types SELECT 5, true, 0Y, 0S, 0, 0L, cast('NaN' as float), cast('NaN' as double), 0, 0, 'tab\tnl\nback\\slash"quote', 'trail   ', 'trail   ', unhex(''),
 date '1582-10-04', timestamp '1582-10-04 23:59:59.999999999',
 array(7), map('z',cast(1 as double),'a',cast(2 as double)), named_struct('a',7,'b','','c',array(named_struct('x',5L,'y',''))) FROM (SELECT 1 AS id0) z;
INSERT INTO v0types.types SELECT 6, true, 1Y, 1S, 1, 1L, cast('Infinity' as float), cast('-Infinity' as double), 0.01, 1, '日本語 🎈 é', '日本', 'é🎈', unhex('F09F8E88'),
 date '1582-10-15', timestamp '1582-10-15 00:00:00', array(1,cast(null as int)), map('日',cast(-0.0 as double)), named_struct('a',0,'b','ü','c',array(named_struct('x',0L,'y','z'))) FROM (SELECT 1 AS id0) z;
INSERT INTO v0types.types SELECT 7, null, null, null, null, null, null, null, null, null, null, null, null, null, date '1969-12-31', timestamp '1969-12-30 23:59:59.5', if(false, array(1), null), if(false, map('a',cast(1.5 as double)), null), if(false, named_struct('a',1,'b','s','c',array(named_struct('x',10L,'y','u'))), null) FROM (SELECT 1 AS id0) z;
INSERT INTO v0types.types SELECT 8, null, null, null, null, null, null, null, null, null, null, null, null, null, date '9999-12-31', timestamp '9999-12-31 23:59:59.999999999', if(false, array(1), null), if(false, map('a',cast(1.5 as double)), null), if(false, named_struct('a',1,'b','s','c',array(named_struct('x',10L,'y','u'))), null) FROM (SELECT 1 AS id0) z;
INSERT INTO v0types.types SELECT 9, null, null, null, null, null, null, null, null, null, null, null, null, null, date '1899-12-31', timestamp '1969-12-31 23:59:58.75', if(false, array(1), null), if(false, map('a',cast(1.5 as double)), null), if(false, named_struct('a',1,'b','s','c',array(named_struct('x',10L,'y','u'))), null) FROM (SELECT 1 AS id0) z;
UPDATE v0types.types SET c_str = 'changed', c_ts = timestamp '2000-02-29 00:00:00.001', c_arr = array(9,8) WHERE id IN (2, 7);
UPDATE v0types.types SET c_map = map('n', cast(null as double)), c_dec2 = c_dec2 + 1 WHERE id IN (1, 5, 6);
DELETE FROM v0types.types WHERE id = 8;
CREATE TABLE v0types.un (id INT, u UNIONTYPE<INT,STRING,DOUBLE>, n MAP<INT,ARRAY<STRUCT<d:DATE,t:TIMESTAMP,b:BINARY,c:CHAR(4)>>>) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','NO_AUTO_COMPACTION'='true');
INSERT INTO v0types.un SELECT 1, create_union(0, 5, 'a', cast(1.5 as double)), map(1, array(named_struct('d',date '2020-01-01','t',timestamp '2020-01-01 01:02:03.4','b',unhex('0102'),'c',cast('ab' as char(4))))) FROM (SELECT 1 AS id0) z;
INSERT INTO v0types.un SELECT 2, create_union(1, 5, 'str', cast(1.5 as double)), if(false, map(1, array(named_struct('d',date '2020-01-01','t',timestamp '2020-01-01 01:02:03.4','b',unhex('0102'),'c',cast('ab' as char(4))))), null) FROM (SELECT 1 AS id0) z;
INSERT INTO v0types.un SELECT 3, create_union(2, 5, 'a', cast(2.5 as double)), if(false, map(1, array(named_struct('d',date '2020-01-01','t',timestamp '2020-01-01 01:02:03.4','b',unhex('0102'),'c',cast('ab' as char(4))))), null) FROM (SELECT 1 AS id0) z;
DELETE FROM v0types.un WHERE id = 3;
CREATE TABLE v0types.wide (id INT, c_bool BOOLEAN, c_big BIGINT, c_double DOUBLE, c_dec DECIMAL(18,6), c_str STRING, c_vc VARCHAR(12), c_date DATE, c_ts TIMESTAMP) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','orc.compress'='SNAPPY','orc.row.index.stride'='1000');
INSERT INTO v0types.wide SELECT n, if(n%7=0,null,n%2=0), if(n%7=1,null,cast(n*n as bigint)*7919), if(n%7=2,null,n/16), if(n%7=3,null,cast(n as decimal(18,6))/7), if(n%7=4,null,concat('str',n%50)), if(n%7=5,null,cast(repeat('v',n%13) as varchar(12))), if(n%7=6,null,date_add('1970-01-01',n*17-20000)), if(n%7=0,null,cast(from_unixtime(n*86413L) as timestamp))
 FROM (SELECT posexplode(split(space(2499), ' ')) AS (n, e)) a;
UPDATE v0types.wide SET c_str = NULL, c_big = id WHERE id % 50 = 7;
DELETE FROM v0types.wide WHERE id % 10 = 3;
-- ORC quirks before 1970: the writer divides towards zero, so the last second before the epoch comes back after it (ids 1, 2);
-- Hive 2.3's reader also takes a second off times with 1 to 999999 nanoseconds (ids 3, 4), later readers do not
CREATE TABLE v0types.quirk (id INT, t TIMESTAMP, s STRING) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true','NO_AUTO_COMPACTION'='true');
INSERT INTO v0types.quirk VALUES (1,'1969-12-31 23:59:59.5','1969-12-31 23:59:59.5'),(2,'1969-12-31 23:59:59.000000001','1969-12-31 23:59:59.000000001'),(3,'1969-12-31 23:59:58.000000001','1969-12-31 23:59:58.000000001'),(4,'1900-01-01 00:00:00.000999999','1900-01-01 00:00:00.000999999'),(5,'1900-01-01 00:00:00.001','1900-01-01 00:00:00.001'),(6,'1969-12-31 23:59:58.5','1969-12-31 23:59:58.5');
