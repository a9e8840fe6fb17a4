-- Tables that Skep writes and real Hive reads: every type, partitions, buckets, updates, deletes, merges, overwrites.
CREATE DATABASE si;
CREATE TABLE si.types (id INT, b BOOLEAN, t TINYINT, s SMALLINT, i BIGINT, f FLOAT, d DOUBLE, n DECIMAL(38,10), m DECIMAL(5,2), c CHAR(6), v VARCHAR(5), str STRING, bin BINARY, dt DATE, ts TIMESTAMP, a ARRAY<INT>, mp MAP<STRING,INT>, st STRUCT<x:INT,y:STRING,z:ARRAY<STRING>>, u UNIONTYPE<INT,STRING>) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO si.types SELECT 1, true, 127Y, cast(-32768 as smallint), 9223372036854775807, cast(1.5 as float), 1e300, 1234567890123456789012345678.0123456789, 999.99, 'ab', 'héllo', 'straße', unhex('00ff80'), DATE '1969-12-31', TIMESTAMP '2026-02-03 04:05:06.123456789', array(1,2,cast(null as int)), map('k',1), named_struct('x',1,'y','why','z',array('p','q')), create_union(0, 7, 'seven');
INSERT INTO si.types SELECT 2, false, cast(-128 as tinyint), 32767S, -9223372036854775807, cast('NaN' as float), cast('-Infinity' as double), -0.0000000001, -999.99, 'abcdef', 'v', '', unhex(''), DATE '0001-01-01', TIMESTAMP '0001-01-01 00:00:00.000000001', array(3), map('a',2), named_struct('x',2,'y','','z',array('')), create_union(1, 8, 'eight');
INSERT INTO si.types (id) VALUES (3);
INSERT INTO si.types (id, dt, ts, d) VALUES (4, DATE '9999-12-31', TIMESTAMP '9999-12-31 23:59:59.999999999', -0.0), (5, DATE '1582-10-15', TIMESTAMP '1969-12-31 23:59:59.5', 4.9E-324), (6, DATE '2000-02-29', TIMESTAMP '1970-01-01 00:00:00', 0.1);
UPDATE si.types SET str = 'updated' WHERE id IN (1, 4);
DELETE FROM si.types WHERE id = 6;
CREATE TABLE si.parts (id INT, v STRING) PARTITIONED BY (d DATE, s STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO si.parts PARTITION (d='2026-01-01', s='a') VALUES (1,'one'),(2,'two');
INSERT INTO si.parts PARTITION (d, s) VALUES (3,'three','2026-01-02','y/z'),(4,'four','2026-01-02','a b'),(5,'five','2026-01-01','a');
UPDATE si.parts SET v = upper(v) WHERE id IN (1,3,5);
DELETE FROM si.parts WHERE id = 2;
INSERT OVERWRITE TABLE si.parts PARTITION (d='2026-01-02', s='a b') VALUES (40,'forty'),(41,'forty-one');
CREATE TABLE si.buckets (id INT, k STRING, v BIGINT) CLUSTERED BY (id, k) INTO 4 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO si.buckets SELECT n, concat('k', n % 7), n * 10 FROM (SELECT posexplode(split(space(499), ' ')) AS (n, e)) x;
UPDATE si.buckets SET v = v + 1 WHERE id % 10 = 3;
DELETE FROM si.buckets WHERE id % 10 = 4;
CREATE TABLE si.src (id INT, k STRING, v BIGINT, op STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO si.src VALUES (3,'k3',-3,'u'),(13,'k6',-13,'u'),(5,'k5',0,'d'),(1000,'new',1000,'i'),(1001,'new',1001,'i');
MERGE INTO si.buckets t USING si.src s ON t.id = s.id AND t.k = s.k
 WHEN MATCHED AND s.op = 'd' THEN DELETE
 WHEN MATCHED THEN UPDATE SET v = s.v
 WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.k, s.v);
CREATE TABLE si.overw (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true');
INSERT INTO si.overw VALUES (1,'a'),(2,'b');
INSERT OVERWRITE TABLE si.overw SELECT id + 10, v FROM si.overw;
INSERT INTO si.overw VALUES (3,'c');
TRUNCATE TABLE si.overw;
INSERT INTO si.overw VALUES (4,'d'),(5,'e');
START TRANSACTION;
INSERT INTO si.overw VALUES (6,'f');
UPDATE si.overw SET v = 'F' WHERE id IN (4, 6);
DELETE FROM si.overw WHERE id = 5;
COMMIT;
CREATE TABLE si.mm (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only');
INSERT INTO si.mm VALUES (1,'a'),(2,'b');
INSERT INTO si.mm SELECT id + 10, v FROM si.mm;
CREATE TABLE si.big (id BIGINT, k STRING, x DOUBLE, ts TIMESTAMP) STORED AS ORC TBLPROPERTIES ('transactional'='true', 'orc.stripe.size'='1048576');
INSERT INTO si.big SELECT n, concat('key ', n % 1000), n / 8, timestamp '2026-01-01 00:00:00' FROM (SELECT a.i * 1000 + b.j AS n FROM (SELECT posexplode(split(space(99), ' ')) AS (i, x)) a CROSS JOIN (SELECT posexplode(split(space(999), ' ')) AS (j, y)) b) q;
DELETE FROM si.big WHERE id % 100 = 7;
UPDATE si.big SET k = 'changed' WHERE id % 1000 = 8;
