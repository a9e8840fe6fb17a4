#!/usr/bin/env python3
"""Tables that Skep compacted are read equal by a real Hive, changed by it and compacted again, and so on in turn.

usage: hive_compacts_on.py --skep PROGRAM --oracle RUN.SH [--keep DIR] [PART...]

Each round makes tables of many shapes, lets Skep compact them in one way, and compares rows and ROW__IDs (Hive reads with both of its
readers) after: Skep's compaction, Hive's changes, Hive's minor, Hive's major, Skep's changes and minor, Skep's major, Hive's deletes.
Exit status 77 when there is no such Hive."""
from both import ACID, MM, SPACES, run

TYPES = ("id INT, b BOOLEAN, t TINYINT, s SMALLINT, l BIGINT, f FLOAT, x DOUBLE, n DECIMAL(38,10), m DECIMAL(5,2), c CHAR(6), v STRING, vc VARCHAR(5), bin BINARY, d DATE, ts TIMESTAMP, "
         "a ARRAY<INT>, mp MAP<STRING,INT>, st STRUCT<x:INT,y:STRING,z:ARRAY<STRING>>, u UNIONTYPE<INT,STRING>")
TYPE_ROW = ("SELECT pos, pos % 2 = 0, cast(pos % 100 as tinyint), cast(pos * 3 as smallint), pos * 1000000007L, cast(pos / 4 as float), pos / 8, cast(pos as decimal(38,10)) / 7, cast(pos % 900 as decimal(5,2)), "
            "concat('c', pos % 50), concat('str ', pos), concat('v', pos % 1000), unhex('00ff80'), date_add(DATE '1969-12-01', pos), timestamp '2026-02-03 04:05:06.123456789', "
            "array(pos, cast(null as int)), map(concat('k', pos % 3), pos), named_struct('x', pos, 'y', 'why', 'z', array('p', concat('q', pos))), create_union(1, pos, concat('seven', pos)) FROM ")
SETTLED = "'orc.stripe.size'='1048576', 'orc.rows.between.memory.checks'='100'"  # stripes large enough to be taken over whole


class Shape:
    def __init__(self, name, columns, tail, value, part="", keys=(), rounds=("minor", "major")):
        self.name, self.columns, self.tail, self.value, self.part, self.keys, self.rounds = name, columns, tail, value, part, keys, rounds

    def insert(self, table, first, n):
        """Rows first to first + n - 1."""
        spaces = SPACES.format(n - 1)
        into = f"INSERT INTO {table}" + (f" PARTITION ({self.part})" if self.part else "")
        return f"{into} {self.value} (SELECT pos + {first} AS pos FROM {spaces}) r"


ALL = ("minor", "major", "incremental", "rebalance")
SHAPES = [
    Shape("flat", "id INT, v STRING", ACID, "SELECT pos, concat('v', pos) FROM", rounds=ALL),
    Shape("parts", "id INT, v STRING", "PARTITIONED BY (p INT, q STRING) " + ACID, "SELECT pos, concat('v', pos), pos % 2, 'x y' FROM", part="p, q", keys=("p=0,q='x y'", "p=1,q='x y'"), rounds=("minor", "major", "incremental")),
    Shape("buckets", "id INT, v STRING", "CLUSTERED BY (id) INTO 3 BUCKETS " + ACID, "SELECT pos, concat('v', pos) FROM", rounds=("minor", "major", "incremental")),
    Shape("types", TYPES, ACID, TYPE_ROW, rounds=ALL),
    Shape("snappy", "id INT, v STRING, x DOUBLE", ACID[:-1] + ", 'orc.compress'='SNAPPY', 'orc.row.index.stride'='1000', 'orc.bloom.filter.columns'='id,v')", "SELECT pos, concat('v', pos % 37), pos / 8 FROM", rounds=ALL),
    Shape("mm", "id INT, v STRING", MM, "SELECT pos, concat('v', pos) FROM", rounds=("major",)),
    Shape("mmp", "id INT, v STRING", "PARTITIONED BY (p INT) " + MM, "SELECT pos, concat('v', pos), pos % 2 FROM", part="p", keys=("p=0", "p=1"), rounds=("minor",)),
]


def specs(shape):
    return [f" PARTITION ({', '.join(k.split(','))})" for k in shape.keys] or [""]


def fill(w, shape, table):
    """Deltas and delete deltas of statements, of an explicit transaction and of aborted ones."""
    full = not shape.name.startswith("mm")
    w.skep(f"DROP TABLE IF EXISTS {table}", f"CREATE TABLE {table} ({shape.columns}) {shape.tail}", shape.insert(table, 0, 60), shape.insert(table, 100, 40))
    if full:
        w.skep(f"UPDATE {table} SET v = concat(v, ' upd') WHERE id % 7 = 1", f"DELETE FROM {table} WHERE id % 11 = 3")
    w.skep("START TRANSACTION", shape.insert(table, 500, 20), "ROLLBACK", "START TRANSACTION", shape.insert(table, 200, 30))
    if full:
        w.skep(f"UPDATE {table} SET v = 'same txn' WHERE id IN (201, 105)", f"DELETE FROM {table} WHERE id IN (202, 106)")
    w.skep("COMMIT")
    if full:
        w.skep("START TRANSACTION", f"DELETE FROM {table} WHERE id % 2 = 0", f"UPDATE {table} SET v = 'never'", "ROLLBACK", f"UPDATE {table} SET v = concat(v, ' again') WHERE id % 7 = 1 OR id = 201")
    w.skep(shape.insert(table, 300, 10))


def compact(w, tables, kind):
    """By Skep, all of them."""
    for shape, table in tables:
        for spec in specs(shape):
            w.skep(f"ALTER TABLE {table}{spec} COMPACT '{kind}'")
    said = w.compactor("worker")
    left = w.hive.psql("""SELECT "CC_TABLE", "CC_STATE", "CC_ERROR_MESSAGE" FROM "COMPLETED_COMPACTIONS" WHERE "CC_DATABASE" = 'bc' AND "CC_STATE" IN ('f', 'r')""")
    w.expect(f"Skep's {kind} compactions succeeded", left == [], "\n".join(left) + said)


def by_hive(tables, kind):
    statements = []
    for shape, table in tables:
        statements += [f"ALTER TABLE {table}{spec} COMPACT '{kind}'" for spec in specs(shape)]
    return statements + ["--! worker"] * (len(statements) + 1)


def changes(tables, mark, k):
    """Each statement is seconds of work for Hive."""
    statements = []
    for shape, table in tables:
        if shape.name.startswith("mm") or k % 2 == 1:
            statements.append(shape.insert(table, 1000 * k, 15))
        if not shape.name.startswith("mm"):
            statements += [f"UPDATE {table} SET v = '{mark}' WHERE id % 5 = {k % 5}", f"DELETE FROM {table} WHERE id % 13 = {k}"]
    return statements


def rounds(w, kind):
    tables = [(s, f"bc.{s.name}_{kind}") for s in SHAPES if kind in s.rounds]
    names = [t for _, t in tables]
    w.skep("CREATE DATABASE IF NOT EXISTS bc")
    for shape, table in tables:
        fill(w, shape, table)
    if kind != "rebalance":
        w.same(*names, after="filled")
    compact(w, tables, kind)
    w.same(*names, after=f"Skep's {kind}", vectors=True)
    w.compactor("cleaner")
    w.same(*names, after=f"Skep's {kind} cleaned")
    w.same(*names, after="Hive's changes and minor", then=changes(tables, "hive", 2) + by_hive(tables, "minor"))
    w.compactor("cleaner")
    w.same(*names, after="more of Hive, its major", then=changes(tables, "hive2", 3) + by_hive(tables, "major") + ["--! cleaner"])
    w.skep(*changes(tables, "skep", 4))
    compact(w, tables, "minor")
    w.same(*names, after="Skep's minor on Hive's major", vectors=True)
    w.compactor("cleaner")
    w.skep(*changes(tables, "skep2", 5))
    compact(w, tables, "major")
    w.compactor("cleaner")
    w.same(*names, after="Skep's major on that")


def originals(w):
    """Plain tables that became transactional, and files laid into a table with LOAD DATA."""
    tables = []
    w.skep("CREATE DATABASE IF NOT EXISTS bc")
    for name, tail in (("flat_o", ""), ("parts_o", "PARTITIONED BY (p INT)"), ("buckets_o", "CLUSTERED BY (id) INTO 2 BUCKETS")):
        t = f"bc.{name}"
        value = "SELECT pos, concat('v', pos)" + (", pos % 2" if "p INT" in tail else "") + " FROM"
        shape = Shape(name[:-2], "", "", value, part="p" if "p INT" in tail else "", keys=("p=0", "p=1") if "p INT" in tail else ())
        tables.append((shape, t))
        w.hives(f"DROP TABLE IF EXISTS {t}", f"CREATE TABLE {t} (id INT, v STRING) {tail} STORED AS ORC", shape.insert(t, 0, 40), shape.insert(t, 100, 30),
                f"ALTER TABLE {t} SET TBLPROPERTIES ('transactional'='true')")
    names = [t for _, t in tables]
    w.same(*names, after="converted")
    w.skep(*changes(tables, "skep", 2))
    w.same(*names, after="converted, changed by Skep")
    compact(w, tables, "minor")
    w.same(*names, after="originals, Skep's minor", vectors=True)
    w.compactor("cleaner")
    w.skep(*changes(tables, "skep1", 3))
    compact(w, tables, "major")
    w.same(*names, after="originals, Skep's major", vectors=True)
    w.compactor("cleaner")
    w.same(*names, after="Hive's changes and minor", then=changes(tables, "hive2", 4) + by_hive(tables, "minor") + ["--! cleaner"])
    w.same(*names, after="Hive's major", then=by_hive(tables, "major") + ["--! cleaner"])
    w.skep(*changes(tables, "skep2", 6))
    compact(w, tables, "major")
    w.same(*names, after="Skep's major on Hive's", vectors=True)


def stripes(w):
    """Tables whose stripes are large enough to be taken over as they are."""
    tables = []
    w.skep("CREATE DATABASE IF NOT EXISTS bc")
    thousand = SPACES.format(999).replace("pos, e", "i, e")
    for name, tail in (("flat_big", ""), ("buckets_big", "CLUSTERED BY (id) INTO 2 BUCKETS ")):
        t = f"bc.{name}"
        rows = f"SELECT a.i * 1000 + b.i + {{first}}, concat(md5(cast(a.i * 1000 + b.i as string)), md5(cast(b.i as string)), a.i), (a.i * 1000 + b.i) / 8 FROM (SELECT posexplode(split(space({{n}}), ' ')) AS (i, e)) a CROSS JOIN (SELECT posexplode(split(space(999), ' ')) AS (i, e)) b"
        w.skep(f"DROP TABLE IF EXISTS {t}", f"CREATE TABLE {t} (id INT, v STRING, x DOUBLE) {tail}{ACID[:-1]}, {SETTLED})")
        for first in (0, 40000, 80000):
            w.skep(f"INSERT INTO {t} " + rows.format(first=first, n=29))
        w.skep(f"INSERT INTO {t} VALUES (-1, 'small', 0), (-2, 'small', 0)", f"DELETE FROM {t} WHERE id BETWEEN 40100 AND 40110", f"UPDATE {t} SET v = 'changed' WHERE id = 5")
        tables.append((Shape(name, "", "", ""), t))
    names = [t for _, t in tables]
    compact(w, tables, "minor")
    w.same(*names, after="stripes, Skep's minor", vectors=True)
    w.compactor("cleaner")
    change = [s for t in names for s in (f"DELETE FROM {t} WHERE id BETWEEN 100 AND 120", f"UPDATE {t} SET v = 'by hive' WHERE id IN (80001, 99999, -1)")]
    w.same(*names, after="stripes, Hive's changes", then=change)
    w.expect("what Hive finds by key", [r for t in names for r in w.hives(f"SELECT count(*) FROM {t} WHERE id BETWEEN 90 AND 130")] == ["20", "20"])
    compact(w, tables, "major")
    w.same(*names, after="stripes, Skep's major", vectors=True)
    w.compactor("cleaner")
    w.same(*names, after="stripes, Hive's major on it", then=[s.replace("100 AND 120", "200 AND 220").replace("80001", "80002") for s in change] + by_hive(tables, "major") + ["--! cleaner"])
    w.skep(*[s.replace("100 AND 120", "300 AND 320").replace("80001", "80003").replace("hive", "skep") for s in change])
    compact(w, tables, "major")
    w.same(*names, after="stripes, Skep's major on Hive's", vectors=True)


PARTS = {"minor": lambda w: rounds(w, "minor"), "major": lambda w: rounds(w, "major"), "incremental": lambda w: rounds(w, "incremental"),
         "rebalance": lambda w: rounds(w, "rebalance"), "originals": originals, "stripes": stripes}

if __name__ == "__main__":
    run(__doc__, PARTS, {})
