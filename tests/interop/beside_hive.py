#!/usr/bin/env python3
"""Skep and a real Hive write the same tables of one metastore, in turn and at once.

usage: beside_hive.py --skep PROGRAM --oracle RUN.SH [--keep DIR] [PART...]

The metastore is the PostgreSQL database that the Hive uses, its schema made by Hive's own tools. After each step both are asked
for rows and ROW__IDs. Exit status 77 when there is no such Hive. Parts: see PARTS at the end."""
import collections, os, subprocess, threading, time

from both import ACID, MM, run
from hive import Pause

def definitions(w):
    """Databases and tables made by one are used, changed and dropped by the other."""
    w.hives("DROP DATABASE IF EXISTS bh CASCADE", "DROP DATABASE IF EXISTS bs CASCADE", "CREATE DATABASE bh")
    w.skep("CREATE DATABASE bs")
    w.expect("Hive sees Skep's database", "bs" in w.hives("SHOW DATABASES"))
    w.expect("Skep sees Hive's database", "bh" in w.skep("SHOW DATABASES"))
    shapes = {"flat": f"(id INT, v STRING, n DECIMAL(10,2)) {ACID}", "parts": f"(id INT, v STRING) PARTITIONED BY (p INT, s STRING) {ACID}",
              "buckets": f"(id INT, v STRING) CLUSTERED BY (id) INTO 3 BUCKETS {ACID}", "mm": f"(id INT, v STRING) {MM}",
              "plain": "(id INT, v STRING) STORED AS ORC",
              "types": "(id INT, b BOOLEAN, f DOUBLE, d DATE, ts TIMESTAMP, c CHAR(4), vc VARCHAR(3), bin BINARY, a ARRAY<INT>, m MAP<STRING,INT>, st STRUCT<x:INT,y:STRING>) " + ACID}
    for name, shape in shapes.items():
        w.skep(f"CREATE TABLE bh.{name}_s {shape}", f"CREATE TABLE bs.{name}_s {shape}")
    w.hives(*[f"CREATE TABLE {db}.{name}_h {shape}" for name, shape in shapes.items() for db in ("bh", "bs")])
    for db in ("bh", "bs"):
        w.expect(f"tables of {db}", w.skep(f"SHOW TABLES IN {db}") == w.hives(f"SHOW TABLES IN {db}"))
    names = [f"bh.{name}_{by}" for name in shapes for by in "sh"]
    for name, theirs in zip(names, w.hive.run(*[f"DESCRIBE {n}" for n in names])):
        ours = w.skep(f"DESCRIBE {name}")
        w.expect(f"DESCRIBE {name}", [[c.strip() for c in r.split("\t")] for r in ours] == [[c.strip() for c in r.split("\t")] for r in theirs.rows], f"{ours}\n{theirs.rows}{theirs.error}")
    w.same(*names, after="empty")
    # ALTER by one, used by the other
    w.skep("ALTER TABLE bh.flat_h ADD COLUMNS (extra BIGINT)", "ALTER TABLE bh.flat_s RENAME TO bh.flat_r", "ALTER TABLE bh.parts_h ADD PARTITION (p=1, s='x y')",
           "ALTER TABLE bh.types_h SET TBLPROPERTIES ('k'='v \\'1\\'')")
    rows = w.hives("INSERT INTO bh.flat_h VALUES (1, 'a', 1.5, 7)", "INSERT INTO bh.flat_r VALUES (1, 'a', 1.5)", "INSERT INTO bh.parts_h PARTITION (p=1, s='x y') VALUES (1, 'one')",
                   "ALTER TABLE bh.flat_r RENAME TO bh.flat_s", "ALTER TABLE bs.parts_s ADD PARTITION (p=2, s='z/z')", "ALTER TABLE bs.flat_s ADD COLUMNS (more_v STRING)", "SHOW TBLPROPERTIES bh.types_h('k')")
    w.expect("Hive sees a property that Skep set", rows and "v '1'" in rows[0], str(rows))
    w.skep("INSERT INTO bs.parts_s PARTITION (p=2, s='z/z') VALUES (2, 'two')", "INSERT INTO bs.flat_s VALUES (1, 'a', 2.25, 'm')")
    w.same("bh.flat_h", "bh.flat_s", "bh.parts_h", "bs.parts_s", "bs.flat_s", after="altered")
    w.expect("partitions", w.skep("SHOW PARTITIONS bs.parts_s") == w.hives("SHOW PARTITIONS bs.parts_s"))
    w.skep("ALTER TABLE bh.parts_h DROP PARTITION (p=1, s='x y')")
    w.hives("ALTER TABLE bs.parts_s DROP PARTITION (p=2, s='z/z')")
    w.same("bh.parts_h", "bs.parts_s", after="partition dropped")
    # views
    w.skep("CREATE VIEW bh.view_s AS SELECT id, upper(v) u FROM bh.flat_h")
    w.hives("CREATE VIEW bh.view_h AS SELECT id, upper(v) u FROM bh.flat_h")
    for view in ("bh.view_s", "bh.view_h"):
        w.expect(view, w.skep(f"SELECT * FROM {view}") == w.hives(f"SELECT * FROM {view}"))
    # dropped by the other, made again
    w.skep("DROP VIEW bh.view_h", "DROP TABLE bs.flat_h", f"CREATE TABLE bs.flat_h {shapes['flat']}", "INSERT INTO bs.flat_h VALUES (5, 'five', 5)")
    w.hives("DROP VIEW bh.view_s", "DROP TABLE bs.flat_s", f"CREATE TABLE bs.flat_s {shapes['flat']}", "INSERT INTO bs.flat_s VALUES (5, 'five', 5)")
    w.same("bs.flat_h", "bs.flat_s", after="dropped and made again")


def in_turn(w):
    """Each changes what the other wrote; after every step both see the same."""
    for table in ("bh.flat_s", "bh.flat_h", "bs.flat_s"):
        w.hives(f"DROP TABLE IF EXISTS {table}")
    shape = f"(id INT, v STRING, n DECIMAL(10,2)) {ACID}"
    w.skep(f"CREATE TABLE bh.flat_s {shape}", f"CREATE TABLE bs.flat_s {shape}")
    w.hives(f"CREATE TABLE bh.flat_h {shape}")
    for t in ("bh.flat_s", "bh.flat_h", "bs.flat_s"):
        w.skep(f"INSERT INTO {t} VALUES (1,'a',1.5),(2,'b',2.5),(3,'c',NULL)")
        w.same(t, after="Skep's insert, Hive's update", then=[f"UPDATE {t} SET v = 'hive' WHERE id = 2", f"INSERT INTO {t} VALUES (4,'d',4),(5,'e',5)"])
        w.skep(f"UPDATE {t} SET n = n + 1 WHERE id IN (2, 4)", f"DELETE FROM {t} WHERE id = 1")
        w.same(t, after="Skep's update and delete", then=[f"DELETE FROM {t} WHERE id = 5"])
        source = f"(SELECT 2 AS id, 'm2' AS v UNION ALL SELECT 3, 'm3' UNION ALL SELECT 9, 'm9')"
        merge = f"MERGE INTO {t} USING {source} s ON {t.split('.')[1]}.id = s.id WHEN MATCHED AND s.id = 3 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v, 0)"
        merge = merge.replace(f"INTO {t} USING", f"INTO {t} x USING").replace(f"{t.split('.')[1]}.id", "x.id")
        w.skep(merge)
        w.same(t, after="Skep's merge, Hive's merge", then=[merge.replace("9", "10").replace("'m2'", "'hm2'")])
        w.skep("START TRANSACTION", f"INSERT INTO {t} VALUES (20,'t',1),(21,'t',2)", f"UPDATE {t} SET v = 'in txn' WHERE id IN (4, 20)", f"DELETE FROM {t} WHERE id = 21")
        w.expect("Hive does not see Skep's open transaction", w.hives(f"SELECT id FROM {t} WHERE id = 20") == [])
        w.skep("COMMIT")
        w.same(t, after="Skep's explicit transaction, Hive's", then=["START TRANSACTION", f"INSERT INTO {t} VALUES (30,'t',1),(31,'t',2)", f"UPDATE {t} SET v = 'in hive txn' WHERE id IN (4, 30)", f"DELETE FROM {t} WHERE id = 31", "COMMIT"])
        w.skep("START TRANSACTION", f"INSERT INTO {t} VALUES (40,'gone',1)", f"DELETE FROM {t} WHERE id = 4", "ROLLBACK")
        w.same(t, after="aborted by both", then=["START TRANSACTION", f"INSERT INTO {t} VALUES (41,'gone',1)", f"DELETE FROM {t} WHERE id = 4", "ROLLBACK", f"INSERT INTO {t} VALUES (50,'z',1)"])
        w.skep(f"INSERT OVERWRITE TABLE {t} SELECT id + 100, v, n FROM {t}")
        w.same(t, after="overwritten by Skep, then Hive", then=[f"INSERT INTO {t} VALUES (51,'z',1)", f"INSERT OVERWRITE TABLE {t} SELECT id + 100, v, n FROM {t} WHERE id <> 51"])
        w.skep(f"TRUNCATE TABLE {t}", f"INSERT INTO {t} VALUES (1,'after',1)")
        w.same(t, after="truncated by Skep")
        w.skep(f"INSERT INTO {t} SELECT pos, concat('x', pos), pos FROM (SELECT posexplode(split(space(199), ' ')) AS (pos, e)) q")
        w.same(t, after="counted", then=[f"UPDATE {t} SET v = 'tenth' WHERE id % 10 = 3", f"DELETE FROM {t} WHERE id % 10 = 4"])
        w.skep(f"UPDATE {t} SET v = concat(v, '!') WHERE id % 7 = 3")
        w.same(t, after="end")


def partitions_in_turn(w):
    """Partitions, buckets, insert-only and plain tables."""
    for t in ("bh.parts_s", "bs.parts_h"):
        w.skep(f"INSERT INTO {t} PARTITION (p, s) VALUES (1,'a',1,'x'),(2,'b',2,'y z'),(3,'c',2,'ü/%')")
        w.same(t, after="dynamic", then=[f"INSERT INTO {t} PARTITION (p, s) VALUES (4,'d',1,'x'),(5,'e',3,'new:=')", f"UPDATE {t} SET v = 'hu' WHERE id IN (1, 3)"])
        w.skep(f"UPDATE {t} SET v = concat(v, '+') WHERE p = 2 OR s = 'new:='", f"DELETE FROM {t} WHERE id = 4")
        w.same(t, after="updated", then=[f"INSERT OVERWRITE TABLE {t} PARTITION (p=2, s='y z') VALUES (22,'ow')"])
        w.skep(f"INSERT OVERWRITE TABLE {t} PARTITION (p, s) SELECT 33, 'dow', 3, 'new:='")
        merge = f"MERGE INTO {t} x USING (SELECT 1 AS id, 1 AS p UNION ALL SELECT 77, 7) q ON x.id = q.id AND x.p = q.p WHEN MATCHED THEN UPDATE SET v = 'merged' WHEN NOT MATCHED THEN INSERT VALUES (q.id, 'ins', q.p, 'mm')"
        w.skep(merge)
        w.same(t, after="merged", then=[merge.replace("77", "78").replace("'merged'", "'hmerged'")])
        w.expect(f"partitions of {t}", w.skep(f"SHOW PARTITIONS {t}") == w.hives(f"SHOW PARTITIONS {t}"))
    for t in ("bh.buckets_s", "bs.buckets_h"):
        w.skep(f"INSERT INTO {t} SELECT pos, concat('x', pos) FROM (SELECT posexplode(split(space(49), ' ')) AS (pos, e)) q")
        w.same(t, after="buckets", then=[f"INSERT INTO {t} VALUES (100,'h'),(101,'h'),(102,'h')", f"UPDATE {t} SET v = 'hu' WHERE id % 5 = 1"])
        w.skep(f"DELETE FROM {t} WHERE id % 5 = 2", f"UPDATE {t} SET v = 'su' WHERE id % 10 = 1")
        w.same(t, after="buckets changed")
    for t in ("bh.mm_s", "bs.mm_h", "bh.plain_s", "bs.plain_h"):
        w.skep(f"INSERT INTO {t} VALUES (1,'a'),(2,'b')")
        w.same(t, after="inserted", then=[f"INSERT INTO {t} VALUES (3,'c')", f"INSERT INTO {t} SELECT id + 10, v FROM {t}"])
        w.skep(f"INSERT OVERWRITE TABLE {t} SELECT id, concat(v, v) FROM {t} WHERE id > 1")
        w.same(t, after="overwritten", then=[f"INSERT INTO {t} VALUES (4,'d')"])
    row = "named_struct('x', {0}, 'y', 'why{0}')"
    insert = ("INSERT INTO {t} SELECT {0}, true, {0}.5, DATE '1969-12-31', TIMESTAMP '2026-02-03 04:05:06.123456789', 'ab', 'xyz', unhex('00ff'), array({0}, cast(null as int)), map('k', {0}), " + row)
    for t in ("bh.types_s", "bh.types_h"):
        w.skep(insert.format(1, t=t), f"INSERT INTO {t} (id) VALUES (2)")
        w.same(t, after="types", then=[insert.format(3, t=t), f"UPDATE {t} SET b = false WHERE id IN (1, 2)"])
        w.skep(f"UPDATE {t} SET f = -0.0 WHERE id IN (1, 3)")
        w.same(t, after="types updated")


def statistics(w):
    """Hive answers counts from the statistics that Skep keeps, and the reverse: they must be right or said to be wrong."""
    w.hives("DROP TABLE IF EXISTS bh.counted", f"CREATE TABLE bh.counted (id INT, v STRING) {ACID}", "DROP TABLE IF EXISTS bh.countedp", f"CREATE TABLE bh.countedp (id INT) PARTITIONED BY (p INT) {ACID}")
    by_stats = "SET hive.compute.query.using.stats=true"
    steps = [("S", "INSERT INTO bh.counted VALUES (1,'a'),(2,'b'),(3,'c')"), ("H", "INSERT INTO bh.counted VALUES (4,'d')"), ("S", "DELETE FROM bh.counted WHERE id = 1"), ("H", "UPDATE bh.counted SET v = 'x'"),
             ("S", "UPDATE bh.counted SET v = 'y' WHERE id = 2"), ("H", "DELETE FROM bh.counted WHERE id = 2"), ("S", "INSERT OVERWRITE TABLE bh.counted VALUES (7,'g'),(8,'h')"), ("H", "ANALYZE TABLE bh.counted COMPUTE STATISTICS"),
             ("S", "DELETE FROM bh.counted WHERE id = 7"), ("S", "TRUNCATE TABLE bh.counted"), ("H", "INSERT INTO bh.counted VALUES (9,'i')"), ("H", "ANALYZE TABLE bh.counted COMPUTE STATISTICS FOR COLUMNS"), ("S", "INSERT INTO bh.counted VALUES (10,'j')"),
             ("S", "ANALYZE TABLE bh.counted COMPUTE STATISTICS FOR COLUMNS"),
             ("S", "DELETE FROM bh.counted WHERE id = 9"),
             ("S", "INSERT INTO bh.countedp PARTITION (p) VALUES (1,1),(2,1),(3,2)"), ("H", "INSERT INTO bh.countedp PARTITION (p) VALUES (4,2),(5,3)"), ("S", "DELETE FROM bh.countedp WHERE id = 2"), ("H", "DELETE FROM bh.countedp WHERE id = 4")]
    for who, statement in steps:
        table = "bh.countedp" if "countedp" in statement else "bh.counted"
        queries = [f"SELECT count(*) FROM {table}", f"SELECT max(id), min(id) FROM {table}"]
        if who == "S":
            w.skep(statement)
        answers = w.hive.run(*([statement] if who == "H" else []), by_stats, *queries)[-2:]
        for query, answer in zip(queries, answers):
            ours = w.skep(query)
            w.expect(f"{query} after {who}: {statement}", ours == answer.rows, f"Skep {ours}, Hive by statistics {answer.rows}{answer.error}")


def cut(rows, n):
    return sorted("\t".join(c.strip() for c in r.split("\t")[:n]) for r in rows if not r.startswith(("CompactionId", "Transaction", "Lock")))


def locks_of(rows, skip=()):
    """What both must say alike of each lock: all but ids inside, times, user, host."""
    return sorted(tuple(c.strip() for c in r.split("\t")[:8]) for r in rows if not r.startswith("Lock ID") and r.strip())


def locks(w):
    """One waits for the other's locks, sees the same queue, and goes on with what was committed."""
    w.hives("DROP TABLE IF EXISTS bh.l", f"CREATE TABLE bh.l (id INT, v INT) {ACID}", "INSERT INTO bh.l VALUES (1, 0), (2, 0)")
    # Hive waits for Skep
    w.skep("START TRANSACTION", "UPDATE bh.l SET v = v + 1 WHERE id = 1")
    job = w.hive.begin("UPDATE bh.l SET v = v + 10 WHERE id = 1")
    w.expect("Hive waits for Skep's update", not job.ended(6))
    seen = w.skep("SHOW LOCKS bh.l", session=w.b)
    w.expect("Skep shows both", any("ACQUIRED" in r for r in seen) and any("WAITING" in r for r in seen), "\n".join(seen))
    w.skep("COMMIT")
    w.expect("Hive's update went on", job.answers()[0].error == "", job.log())
    w.same("bh.l", after="Hive waited for Skep")
    w.expect("nothing was lost", w.skep("SELECT v FROM bh.l WHERE id = 1") == ["11"], "")
    # Skep waits for Hive
    job = w.hive.begin("START TRANSACTION", "UPDATE bh.l SET v = v + 100 WHERE id = 1", Pause("held"), "--! session B", "SHOW LOCKS", "SHOW TRANSACTIONS", "--! session A", Pause("more"), "COMMIT")
    w.expect("Hive holds its lock", job.reached("held"))
    waiter = []
    thread = threading.Thread(target=lambda: waiter.append(w.a.run("UPDATE bh.l SET v = v + 1000 WHERE id = 1")))
    thread.start()
    time.sleep(3)
    w.expect("Skep waits for Hive's update", waiter == [], str(waiter))
    ours = w.skep("SHOW LOCKS", session=w.b), w.skep("SHOW TRANSACTIONS", session=w.b)
    job.go("held")
    w.expect("Hive showed", job.reached("more"))
    w.expect("Skep still waits", waiter == [], str(waiter))
    job.go("more")
    answers = job.answers()
    thread.join()
    w.expect("Skep's update went on", waiter[0][1] == "", waiter[0][1])
    w.expect("SHOW LOCKS is the same from both sides", locks_of(ours[0]) == locks_of(answers[2].rows), "\n".join(ours[0] + answers[2].rows) + answers[2].error)
    w.expect("SHOW TRANSACTIONS is the same from both sides", cut(ours[1], 2) == cut(answers[3].rows, 2), "\n".join(ours[1] + answers[3].rows) + answers[3].error)
    w.same("bh.l", after="Skep waited for Hive")
    w.expect("nothing was lost", w.skep("SELECT v FROM bh.l WHERE id = 1") == ["1111"])
    # readers do not wait; a DROP does
    w.skep("START TRANSACTION", "SELECT * FROM bh.l")
    job = w.hive.begin("SELECT v FROM bh.l WHERE id = 1", Pause("read"), "DROP TABLE bh.l")
    w.expect("Hive reads beside a reader", job.reached("read"))
    job.go("read")
    w.expect("Hive's DROP waits for Skep's reader", not job.ended(5))
    w.expect("the reader goes on reading", w.skep("SELECT v FROM bh.l WHERE id = 1") == ["1111"])
    w.skep("COMMIT")
    w.expect("Hive's DROP went on", job.answers()[1].error == "")
    w.expect("gone", "l" not in w.skep("SHOW TABLES IN bh"))
    w.hives(f"CREATE TABLE bh.l (id INT, v INT) {ACID}", "INSERT INTO bh.l VALUES (1, 0), (2, 0)")
    job = w.hive.begin("START TRANSACTION", "SELECT * FROM bh.l", Pause("held"), "COMMIT")
    w.expect("Hive reads", job.reached("held"))
    waiter = []
    thread = threading.Thread(target=lambda: waiter.append(w.a.run("DROP TABLE bh.l")))
    thread.start()
    time.sleep(2)
    w.expect("Skep's DROP waits for Hive's reader", waiter == [], str(waiter))
    job.go("held")
    job.answers()
    thread.join()
    w.expect("Skep's DROP went on", waiter[0][1] == "", waiter[0][1])
    # each of two waits for the other: the youngest of Skep's own goes
    w.hives(f"CREATE TABLE bh.l (id INT, v INT) {ACID}", f"CREATE TABLE IF NOT EXISTS bh.l2 (id INT, v INT) {ACID}", "INSERT INTO bh.l VALUES (1, 0)", "INSERT INTO bh.l2 VALUES (1, 0)")
    job = w.hive.begin("START TRANSACTION", "UPDATE bh.l SET v = 1", Pause("held"), "UPDATE bh.l2 SET v = 1", "COMMIT")
    w.expect("Hive holds one", job.reached("held"))
    w.skep("START TRANSACTION", "UPDATE bh.l2 SET v = 2")
    thread = threading.Thread(target=lambda: waiter.append(w.a.run("UPDATE bh.l SET v = 2")))
    thread.start()
    job.go("held")
    thread.join()
    w.expect("Skep's transaction is the victim", "deadlock" in waiter[1][1], waiter[1][1])
    w.expect("Hive's goes on", [a.error for a in job.answers()] == [""] * 4, job.log())
    w.same("bh.l", "bh.l2", after="deadlock")


def conflicts(w):
    """The first committer wins, whoever it is."""
    w.hives("DROP TABLE IF EXISTS bh.c", f"CREATE TABLE bh.c (id INT, v INT) {ACID}", "INSERT INTO bh.c VALUES (1, 0), (2, 0)")
    # an explicit transaction of Hive has its snapshot; Skep commits an update; Hive's update must not happen
    job = w.hive.begin("START TRANSACTION", "SELECT v FROM bh.c WHERE id = 1", Pause("seen"), "UPDATE bh.c SET v = v + 10 WHERE id = 1", "COMMIT")
    w.expect("Hive has its snapshot", job.reached("seen"))
    w.skep("UPDATE bh.c SET v = v + 1 WHERE id = 1")
    job.go("seen")
    answers = job.answers()
    w.expect("Hive's late update is refused", answers[2].error != "" or answers[3].error != "", job.log())
    print(answers[2].error, answers[3].error)
    w.same("bh.c", after="Hive refused")
    w.expect("only the first", w.skep("SELECT v FROM bh.c WHERE id = 1") == ["1"])
    # the reverse
    w.skep("START TRANSACTION", "SELECT v FROM bh.c WHERE id = 1")
    w.hives("UPDATE bh.c SET v = v + 10 WHERE id = 1")
    w.expect("Skep's snapshot stays", w.skep("SELECT v FROM bh.c WHERE id = 1") == ["1"])
    rows, err = w.a.run("UPDATE bh.c SET v = v + 100 WHERE id = 1")
    if not err:
        rows, err = w.a.run("COMMIT")
    w.expect("Skep's late update is refused", err != "", "")
    print(err.strip())
    w.a.run("ROLLBACK")
    w.same("bh.c", after="Skep refused")
    w.expect("only the first", w.skep("SELECT v FROM bh.c WHERE id = 1") == ["11"])


def shared_writes(w):
    """Without exclusive write locks both run, and the commit decides."""
    w.start({"hive.txn.xlock.write": "false"})
    w.hives("DROP TABLE IF EXISTS bh.c", f"CREATE TABLE bh.c (id INT, v INT) {ACID}", "INSERT INTO bh.c VALUES (1, 0), (2, 0)")
    w.skep("SET hive.txn.xlock.write=false", "START TRANSACTION", "UPDATE bh.c SET v = v + 100 WHERE id = 1")
    answers = w.hive.run("UPDATE bh.c SET v = v + 10 WHERE id = 1")
    w.expect("Hive's update commits first", answers[0].error == "", answers[0].error)
    rows, err = w.a.run("COMMIT")
    w.expect("Skep's commit is refused, and names both", "write conflict on bh/c" in err, err)
    w.a.run("ROLLBACK")
    job = w.hive.begin("START TRANSACTION", "UPDATE bh.c SET v = v + 1000 WHERE id = 1", Pause("written"), "COMMIT")
    w.expect("Hive has written", job.reached("written"))
    w.skep("UPDATE bh.c SET v = v + 100 WHERE id = 1")
    job.go("written")
    answers = job.answers()
    w.expect("Hive's commit is refused", "write conflict on bh/c" in answers[2].error, job.log())
    w.same("bh.c", after="commits refused")
    w.expect("the winners", w.skep("SELECT v FROM bh.c WHERE id = 1") == ["110"], str(w.skep("SELECT v FROM bh.c WHERE id = 1")))
    job = w.hive.begin("START TRANSACTION", "UPDATE bh.c SET v = v + 1000 WHERE id = 2", Pause("written"), "COMMIT")
    w.expect("Hive has written", job.reached("written"))
    w.skep("INSERT INTO bh.c VALUES (3, 0)")
    job.go("written")
    w.expect("inserts conflict with nothing", [a.error for a in job.answers()] == [""] * 3, job.log())
    w.same("bh.c", after="inserted beside an update")
    w.skep("SET hive.txn.xlock.write=true")
    w.start({})


def aborts(w):
    """Each sees and ends the other's transactions."""
    w.hives("DROP TABLE IF EXISTS bh.ab", f"CREATE TABLE bh.ab (id INT, v INT) {ACID}", "INSERT INTO bh.ab VALUES (1, 0)")
    w.skep("START TRANSACTION", "INSERT INTO bh.ab VALUES (2, 2)")
    number = w.hive.psql("""SELECT max("TC_TXNID") FROM "TXN_COMPONENTS" WHERE "TC_TABLE" = 'ab'""")[0]
    shown = w.hives("SHOW TRANSACTIONS")
    w.expect("Hive shows Skep's transaction", any(r.split("\t")[0].strip() == number and "OPEN" in r for r in shown), "\n".join(shown))
    w.hives(f"ABORT TRANSACTIONS {number}")
    rows, err = w.a.run("INSERT INTO bh.ab VALUES (3, 3)")
    if not err:
        rows, err = w.a.run("COMMIT")
    w.expect("Skep's transaction was aborted by Hive", err != "", "")
    print(err.strip())
    w.a.run("ROLLBACK")
    w.same("bh.ab", after="Hive aborted Skep")
    job = w.hive.begin("START TRANSACTION", "INSERT INTO bh.ab VALUES (4, 4)", Pause("written"), "COMMIT")
    w.expect("Hive has written", job.reached("written"))
    number = w.hive.psql("""SELECT max("TC_TXNID") FROM "TXN_COMPONENTS" WHERE "TC_TABLE" = 'ab'""")[0]
    shown = w.skep("SHOW TRANSACTIONS")
    w.expect("Skep shows Hive's transaction", any(r.split("\t")[0].strip() == number and "OPEN" in r for r in shown), "\n".join(shown))
    w.skep(f"ABORT TRANSACTIONS {number}")
    job.go("written")
    answers = job.answers()
    w.expect("Hive's transaction was aborted by Skep", answers[2].error != "", job.log())
    print(answers[2].error)
    w.same("bh.ab", after="Skep aborted Hive")


def at_once(w):
    """Hive and two Skeps count in the same rows, insert and delete, while files are compacted; nothing is lost."""
    for t, part in (("bh.once", ""), ("bh.oncep", "PARTITIONED BY (p INT)")):
        w.hives(f"DROP TABLE IF EXISTS {t}", f"CREATE TABLE {t} (id INT, v INT) {part} {ACID}")
        w.skep(f"INSERT INTO {t} VALUES " + ", ".join(f"({i}, 0{', ' + str(i % 2) if part else ''})" for i in range(4)))
        last = ", 1" if part else ""
        done, stop = collections.Counter(), threading.Event()

        def skeps(session, base):
            i = 0
            while not stop.is_set():
                i += 1
                for statement, key in ((f"UPDATE {t} SET v = v + 1 WHERE id = {i % 4}", i % 4), (f"INSERT INTO {t} VALUES ({base + i}, 0{last})", "inserted"), (f"DELETE FROM {t} WHERE id = {base + i - 1} AND id > 100", None)):
                    rows, err = session.run(statement)
                    if key is not None and not err:
                        done[key] += 1
                    if err:
                        done["refused"] += 1
                        refusals.add(err.strip()[:300])
                if i > 1:
                    done["deleted"] += 1
        refusals = set()
        threads = [threading.Thread(target=skeps, args=(s, base)) for s, base in ((w.a, 10000), (w.b, 20000))]
        for thread in threads:
            thread.start()
        batch = []
        for i in range(4):
            batch += [f"UPDATE {t} SET v = v + 1 WHERE id = {i % 4}", f"INSERT INTO {t} VALUES ({30000 + i}, 0{last})"]
        compact = [f"--! compact minor {t}" + (" p=1" if part else ""), "--! cleaner"]
        half = len(batch) // 2
        answers = w.hive.run(*batch[:half], *compact, *batch[half:], *compact)
        stop.set()
        for thread in threads:
            thread.join()
        for i, answer in enumerate(answers):
            if answer.error:
                refusals.add(answer.error[:300])
            else:
                done[i // 2 % 4 if i % 2 == 0 else "inserted"] += 1
        w.same(t, after="at once")
        for key in range(4):
            w.expect(f"{t}: counter {key}", w.skep(f"SELECT v FROM {t} WHERE id = {key}") == [str(done[key])], f"{w.skep(f'SELECT v FROM {t} WHERE id = {key}')} {dict(done)}")
        print(t, dict(done), *refusals, sep="\n  ")


def compactions(w):
    """Queued by one, done by the other, cleaned by either."""
    ways = [("SHS", "minor"), ("HSH", "major"), ("HSS", "minor"), ("SHH", "major"), ("SSH", "minor"), ("HHS", "major")]  # who queues, works, cleans
    todo = []
    for n, (who, kind) in enumerate(ways):
        t, part, spec = (f"bh.q{n}", "", "") if n % 2 else (f"bs.q{n}", "PARTITIONED BY (p INT)", " PARTITION (p=1)")
        into = f"INSERT INTO {t}{spec}"
        w.skep(f"DROP TABLE IF EXISTS {t}", f"CREATE TABLE {t} (id INT, v STRING) {part} {ACID}", f"{into} VALUES (1,'a'),(2,'b')", f"{into} VALUES (3,'c'),(4,'d'),(5,'e')", f"DELETE FROM {t} WHERE id = 1")
        todo.append((who, kind, t, "p=1" if part else "", f"ALTER TABLE {t}{spec} COMPACT '{kind}'"))
    tables = [t for _, _, t, _, _ in todo]
    w.same(*tables, after="changed by both", then=[f"UPDATE {t} SET v = 'u' WHERE id IN (2, 3)" for t in tables])
    state = lambda column, table, t: w.hive.psql(f"""SELECT "{column}" FROM "{table}" WHERE "{column[:2]}_TABLE" = '{t.split(".")[1]}'""")
    w.skep(*[ask for who, _, _, _, ask in todo if who[0] == "S" and who[1] == "H"])
    w.hives(*[ask for who, _, _, _, ask in todo if who[0] == "H" and who[1] == "H"], *["--! worker"] * 4)
    w.skep(*[ask for who, _, _, _, ask in todo if who[0] == "S" and who[1] == "S"])
    w.hives(*[ask for who, _, _, _, ask in todo if who[0] == "H" and who[1] == "S"])
    w.compactor("worker")
    w.same(*tables, after="compacted by one or the other")
    for who, kind, t, _, _ in todo:
        w.expect(f"{t} {who} {kind}: ready for cleaning", state("CQ_STATE", "COMPACTION_QUEUE", t) == ["r"], str(state("CQ_STATE", "COMPACTION_QUEUE", t)))
    # half of them each: what one is not to clean is hidden from it
    for by, job in (("S", lambda: w.compactor("cleaner")), ("H", lambda: w.hives("--! cleaner"))):
        names = ", ".join(f"'{t.split('.')[1]}'" for who, _, t, _, _ in todo if who[2] != by)
        w.hive.psql(f"""UPDATE "COMPACTION_QUEUE" SET "CQ_STATE" = 'x' WHERE "CQ_TABLE" IN ({names}) AND "CQ_STATE" = 'r'""")
        job()
        w.hive.psql(f"""UPDATE "COMPACTION_QUEUE" SET "CQ_STATE" = 'r' WHERE "CQ_TABLE" IN ({names}) AND "CQ_STATE" = 'x'""")
    for who, kind, t, part, _ in todo:
        w.expect(f"{t} {who} {kind}: succeeded", state("CC_STATE", "COMPLETED_COMPACTIONS", t) == ["s"], str(state("CC_STATE", "COMPLETED_COMPACTIONS", t)))
        left = w.directories(t, part)
        w.expect(f"{t} {who} {kind}: old directories are gone", len(left) == (2 if kind == "minor" else 1), str(left))
    w.skep(*[f"UPDATE {t} SET v = 'later' WHERE id = 5" for t in tables])
    w.same(*tables, after="cleaned, and changed again", then=[f"DELETE FROM {t} WHERE id = 4" for t in tables])
    # of ours only: Hive prints names that are not ASCII by the low bytes of their letters
    ours, theirs = ([r for r in rows if r.split("\t")[1:2] in (["bh"], ["bs"])] for rows in (w.skep("SHOW COMPACTIONS"), w.hives("SHOW COMPACTIONS")))
    w.expect("SHOW COMPACTIONS is the same from both sides", cut(ours, 6) == cut(theirs, 6), "\n".join(sorted(set(cut(ours, 6)) ^ set(cut(theirs, 6)))) + f"\n{len(ours)} {len(theirs)}")


def readers(w):
    """What a reader of one still needs, the other's cleaner leaves."""
    def made(t):
        w.skep(f"DROP TABLE IF EXISTS {t}", f"CREATE TABLE {t} (id INT, v STRING) {ACID}", *[f"INSERT INTO {t} VALUES ({i}, 'v')" for i in range(4)], f"DELETE FROM {t} WHERE id = 0")

    made("bh.rs")  # Skep reads, Hive compacts and cleans
    w.skep("START TRANSACTION", "SELECT count(*) FROM bh.rs")
    before = w.directories("bh.rs")
    w.hives("UPDATE bh.rs SET v = 'new' WHERE id = 1", "ALTER TABLE bh.rs COMPACT 'major'", "--! worker", "--! cleaner")
    w.expect("Hive's cleaner waits for Skep's reader", set(before) <= set(w.directories("bh.rs")), str(w.directories("bh.rs")))
    w.expect("Skep's reader still has its rows", w.skep("SELECT id, v FROM bh.rs ORDER BY id") == ["1\tv", "2\tv", "3\tv"])
    why = subprocess.run([w.args.skep, "why", "-w", w.warehouse, "--metastore", w.hive.url, "bh.rs"], capture_output=True, text=True, env=w.env)
    w.expect("skep why names Skep's reader", why.returncode == 0 and "tester" in why.stdout, why.stdout + why.stderr)
    w.skep("COMMIT")
    w.same("bh.rs", after="read by Skep, cleaned by Hive", then=["--! cleaner"])
    w.expect("then it is cleaned", len(w.directories("bh.rs")) == 1, str(w.directories("bh.rs")))
    made("bh.rh")  # the reverse
    job = w.hive.begin("START TRANSACTION", "SELECT id, v FROM bh.rh ORDER BY id", Pause("reading"), "SELECT id, v FROM bh.rh ORDER BY id", "COMMIT")
    w.expect("Hive reads", job.reached("reading"))
    before = w.directories("bh.rh")
    w.skep("UPDATE bh.rh SET v = 'new' WHERE id = 1", "ALTER TABLE bh.rh COMPACT 'major'")
    w.compactor("worker", "cleaner")
    w.expect("Skep's cleaner waits for Hive's reader", set(before) <= set(w.directories("bh.rh")), str(w.directories("bh.rh")))
    why = subprocess.run([w.args.skep, "why", "-w", w.warehouse, "--metastore", w.hive.url, "bh.rh"], capture_output=True, text=True, env=w.env)
    w.expect("skep why names Hive's reader", why.returncode == 0 and "not Skep's" in why.stdout, why.stdout + why.stderr)
    job.go("reading")
    answers = job.answers()
    w.expect("Hive's reader still has its rows", answers[2].rows == answers[1].rows == ["1\tv", "2\tv", "3\tv"], job.log())
    w.compactor("cleaner")
    w.same("bh.rh", after="read by Hive, cleaned by Skep")
    w.expect("then it is cleaned", len(w.directories("bh.rh")) == 1, str(w.directories("bh.rh")))


def initiators(w):
    """Each one's initiator sees what the other wrote; each one's cleaner takes away what the other aborted."""
    settings = ACID[:-1] + ", 'compactorthreshold.hive.compactor.delta.num.threshold'='4', 'compactorthreshold.hive.compactor.delta.pct.threshold'='1000')"
    for t in ("bh.ini_s", "bh.ini_h", "bh.abo_s", "bh.abo_h"):
        w.skep(f"DROP TABLE IF EXISTS {t}", f"CREATE TABLE {t} (id INT, v STRING) {settings}", f"INSERT OVERWRITE TABLE {t} VALUES (0, 'first')")
    queued = lambda t: w.hive.psql(f"""SELECT "CQ_TYPE" || "CQ_STATE" FROM "COMPACTION_QUEUE" WHERE "CQ_TABLE" = '{t}'""")
    w.skep(*[f"INSERT INTO bh.ini_s VALUES ({i}, 's')" for i in range(1, 7)])
    w.hives(*[f"INSERT INTO bh.ini_h VALUES ({i}, 'h')" for i in range(1, 7)], "--! initiator")
    print("Hive's initiator:", queued("ini_s"), queued("ini_h"))
    w.expect("Hive's initiator saw Skep's deltas", queued("ini_s") == ["ii"], str(queued("ini_s")))
    w.hive.psql("""DELETE FROM "COMPACTION_QUEUE" WHERE "CQ_TABLE" IN ('ini_h')""")
    w.compactor("initiator")
    w.expect("Skep's initiator saw Hive's deltas", queued("ini_h") == ["ii"], str(queued("ini_h")))
    w.same("bh.ini_s", "bh.ini_h", after="initiated", then=["--! worker", "--! worker", "--! worker", "--! cleaner"])
    # aborted: Skep's cleaned by Hive and the reverse
    w.skep("START TRANSACTION", "INSERT INTO bh.abo_s VALUES (9, 'gone')")
    number = w.hive.psql("""SELECT max("TC_TXNID") FROM "TXN_COMPONENTS" WHERE "TC_TABLE" = 'abo_s'""")[0]
    w.hives(f"ABORT TRANSACTIONS {number}", "START TRANSACTION", "INSERT INTO bh.abo_h VALUES (9, 'gone')", "ROLLBACK")
    w.a.run("ROLLBACK")
    w.hive.psql("""UPDATE "TXNS" SET "TXN_STARTED" = "TXN_STARTED" - 90000000 WHERE "TXN_STATE" = 'a' AND "TXN_ID" IN (SELECT "TC_TXNID" FROM "TXN_COMPONENTS" WHERE "TC_DATABASE" = 'bh')""")  # a day ago
    components = lambda t: w.hive.psql(f"""SELECT count(*) FROM "TXN_COMPONENTS" WHERE "TC_TABLE" = '{t}'""")
    print("aborted:", w.directories("bh.abo_s"), w.directories("bh.abo_h"), components("abo_s"), components("abo_h"))
    w.hives("--! initiator", "--! cleaner")
    w.expect("Hive forgot Skep's aborted transaction and its files", components("abo_s") == ["0"] and len(w.directories("bh.abo_s")) == 1, str(components("abo_s")) + str(w.directories("bh.abo_s")))
    w.compactor("initiator", "worker", "cleaner")
    w.expect("Skep forgot Hive's aborted transaction and its files", components("abo_h") == ["0"] and len(w.directories("bh.abo_h")) == 1, str(components("abo_h")) + str(w.directories("bh.abo_h")))
    w.same("bh.abo_s", "bh.abo_h", after="aborts cleaned", then=["INSERT INTO bh.abo_s VALUES (10, 'later')", "INSERT INTO bh.abo_h VALUES (10, 'later')"])


BIG = "SELECT a.i * 1000 + b.i, concat(repeat(md5(cast(a.i * 1000 + b.i as string)), 8), {}) FROM (SELECT posexplode(split(space(9), ' ')) AS (i, e)) a CROSS JOIN (SELECT posexplode(split(space(999), ' ')) AS (i, e)) b"


def queue(w, table, column="CQ_STATE"):
    return w.hive.psql(f"""SELECT "{column}" FROM "COMPACTION_QUEUE" WHERE "CQ_TABLE" = '{table.split(".")[1]}'""")


def slow_worker(w, table):
    """A worker of Skep in the middle of a job of the table: its result has begun to be there. Its process and transaction."""
    w.skep(f"DROP TABLE IF EXISTS {table}", f"CREATE TABLE {table} (id INT, v STRING) {ACID[:-1]}, 'orc.compress'='NONE')", *[f"INSERT INTO {table} " + BIG.format(i) for i in range(3)],
           f"DELETE FROM {table} WHERE id % 3 = 1", f"ALTER TABLE {table} COMPACT 'major'")
    worker = subprocess.Popen([w.args.skep, "compact", "-w", w.warehouse, *w.metastore, "--once", "--roles", "worker", "--hiveconf", "skep.compactor.max.mb.per.sec=1"], env=w.env,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    end, place = time.monotonic() + 120, w.place(table)
    while not any(d.startswith("base_") for d in os.listdir(place)) and time.monotonic() < end:
        time.sleep(0.002)
    w.expect(f"{table}: at work", queue(w, table) == ["w"], str(queue(w, table)) + str(w.directories(table)))
    return worker, queue(w, table, "CQ_TXN_ID")[0]


def killed(w, table):
    worker, number = slow_worker(w, table)
    worker.kill()
    worker.wait()
    w.expect(f"{table}: killed at work", queue(w, table) == ["w"], str(queue(w, table)))
    return number


def works(w):
    """As many rounds of Hive's worker as there are jobs."""
    return ["--! worker"] * (1 + int(w.hive.psql("""SELECT count(*) FROM "COMPACTION_QUEUE" WHERE "CQ_STATE" = 'i'""")[0]))


def half_way(w):
    """Workers of Skep that were killed: Hive's services take their jobs over, and what they left does no harm."""
    w.skep("CREATE DATABASE IF NOT EXISTS bh")
    here, there = "bh.half_here", "bh.half_there"
    numbers = [killed(w, there)]
    w.hive.psql("""UPDATE "COMPACTION_QUEUE" SET "CQ_WORKER_ID" = 'elsewhere-1.0' WHERE "CQ_TABLE" = 'half_there'""")  # of another machine
    numbers.append(killed(w, here))
    w.same(here, there, after="workers killed")
    w.hives("--! initiator")  # revokeFromLocalWorkers
    w.expect("the job of this machine is free when Hive's initiator has begun", queue(w, here) == ["i"], str(queue(w, here)))
    w.expect("that of another machine is not", queue(w, there) == ["w"], str(queue(w, there)))
    time.sleep(3)
    w.hives("SET hive.compactor.worker.timeout=2s", "--! initiator", "SET hive.compactor.worker.timeout=86400s")  # revokeTimedoutWorkers
    w.expect("that of another machine is free after the time-out", queue(w, there) == ["i"], str(queue(w, there)))
    w.same(here, there, after="Hive took the jobs over", then=works(w))
    for t in (here, there):
        w.expect(f"{t}: done by Hive", queue(w, t) == ["r"], str(queue(w, t)))
    w.hives("--! cleaner")
    w.expect("the dead workers' transactions hold the cleaner", all(queue(w, t) == ["r"] for t in (here, there)), str([queue(w, t) for t in (here, there)]))
    w.hive.psql(f"""UPDATE "TXNS" SET "TXN_LAST_HEARTBEAT" = 0 WHERE "TXN_STATE" = 'o' AND "TXN_ID" IN ({", ".join(numbers)})""")  # time passes
    said = w.compactor("housekeeper")
    states = w.hive.psql(f"""SELECT "TXN_STATE" FROM "TXNS" WHERE "TXN_ID" IN ({", ".join(numbers)}) AND "TXN_STATE" = 'o'""")
    w.expect("the dead workers' transactions have ended", states == [], str(states) + said)
    w.same(here, there, after="and cleaned", then=["--! cleaner", *[f"DELETE FROM {t} WHERE id % 3 = 2" for t in (here, there)]])
    for t in (here, there):
        w.expect(f"{t}: cleaned by Hive", queue(w, t) == [] and len(w.directories(t)) == 2, str(queue(w, t)) + str(w.directories(t)))
        w.skep(f"ALTER TABLE {t} COMPACT 'major'")
    said = w.compactor("worker")
    for _ in range(2):
        time.sleep(1.1)  # metastore.txn.opentxn.timeout: a number that is missing could still appear
        said += w.compactor("cleaner")
    w.same(here, there, after="Skep's next")
    for t in (here, there):
        w.expect(f"{t}: one directory is left", len(w.directories(t)) == 1, str(w.directories(t)) + said)


def alive(w):
    """A worker of Skep that lives, and whose job Hive's initiator takes away: somebody does it again, and one result counts."""
    t = "bh.half_alive"
    w.skep("CREATE DATABASE IF NOT EXISTS bh")
    worker, number = slow_worker(w, t)
    w.hives("--! initiator")
    w.expect("Hive's initiator takes the job away", queue(w, t) in (["i"], []), str(queue(w, t)))
    w.same(t, after="a job was taken from a worker that lives", then=works(w))
    said = worker.communicate(timeout=300)[0]
    states = w.hive.psql(f"""SELECT "TXN_STATE" FROM "TXNS" WHERE "TXN_ID" = {number}""")
    w.expect("that worker's transaction did not commit", states in ([], ["a"]), str(states) + said)
    w.expect("the job is done, once", queue(w, t) == ["r"], str(queue(w, t)) + said)
    w.expect("that worker says so", "not this worker's any more" in said, said)
    w.same(t, after="both ended, and cleaned", then=["--! cleaner"])
    w.expect("one base", len(w.directories(t)) == 1, str(w.directories(t)))
    w.same(t, after="changed by both", then=[f"UPDATE {t} SET v = 'hive' WHERE id = 5"])


def hive_killed(w):
    """A Hive that was killed in the middle of a job: Skep takes it over when the transaction has timed out, and not before."""
    t = "bh.half_hive"
    w.skep("CREATE DATABASE IF NOT EXISTS bh", f"DROP TABLE IF EXISTS {t}", f"CREATE TABLE {t} (id INT, v STRING) {ACID}", *[f"INSERT INTO {t} " + BIG.format(i) for i in range(2)],
           f"DELETE FROM {t} WHERE id % 3 = 1", f"ALTER TABLE {t} COMPACT 'major'")
    w.hive.begin("--! worker")
    end = time.monotonic() + 120
    while queue(w, t, "CQ_TXN_ID") in ([""], ["0"]) and time.monotonic() < end:
        time.sleep(0.05)
    w.hive.kill()
    number = queue(w, t, "CQ_TXN_ID")[0]
    w.expect("killed at work", queue(w, t) == ["w"], str(queue(w, t)))
    w.compactor("housekeeper", "worker")
    w.expect("Skep leaves the job to it", queue(w, t) == ["w"], str(queue(w, t)))
    w.hive.psql(f"""UPDATE "TXNS" SET "TXN_LAST_HEARTBEAT" = 0 WHERE "TXN_ID" = {number}""")
    said = w.compactor("housekeeper") + w.compactor("worker")
    w.expect("Skep takes the job over", queue(w, t) == ["r"], str(queue(w, t)) + said)
    w.start({})
    w.same(t, after="Skep took Hive's job over")
    for _ in range(2):
        time.sleep(1.1)
        said += w.compactor("cleaner")
    w.expect("one directory is left", len(w.directories(t)) == 1, str(w.directories(t)) + said)
    w.same(t, after="cleaned by Skep, changed by Hive", then=[f"UPDATE {t} SET v = 'hive' WHERE id = 5"])


PARTS = {f.__name__: f for f in (definitions, in_turn, partitions_in_turn, statistics, locks, conflicts, shared_writes, aborts, at_once, readers, initiators, half_way, alive, hive_killed, compactions)}


if __name__ == "__main__":
    run(__doc__, PARTS, {"hive.lock.sleep.between.retries": "2s"})
