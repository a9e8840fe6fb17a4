#!/usr/bin/env python3
"""A real Hive uses the statistics of columns that Skep stores, and both compute and show the same.

usage: hive_reads_statistics.py --skep PROGRAM --oracle RUN.SH [--keep DIR] [PART...]

After ANALYZE ... FOR COLUMNS and after a major compaction by either, DESCRIBE FORMATTED of every column is compared letter for letter, and
the rows of TAB_COL_STATS and PART_COL_STATS value by value: Hive's own of the same table beside ours (its numbers of different values are
estimates with bit vectors, ours are counted; its compaction counts columns only without hive.stats.autogather). Hive plans and answers queries out of ours. Exit status 77 when there is no such Hive."""
from both import ACID, run

COLUMNS = ("id INT, t TINYINT, s SMALLINT, l BIGINT, f FLOAT, x DOUBLE, n DECIMAL(10,3), m DECIMAL(38,0), b BOOLEAN, d DATE, ts TIMESTAMP, "
           "v STRING, vc VARCHAR(9), c CHAR(5), bin BINARY, a ARRAY<INT>, nothing INT, silent STRING, nix DECIMAL(5,2), nowhere DOUBLE, never DATE")
NAMES = [c.split(" ")[0] for c in COLUMNS.split(", ")]
WITHOUT = ("a",)  # no statistics of this type
ROW = ("id, cast(id % 100 - 50 as tinyint), cast(id * 7 - 900 as smallint), id * 10000000019L, cast(id / 4 - 3 as float), id / 8 - 1.5, cast(id * 1.25 - 2 as decimal(10,3)), "
       "cast(id as decimal(38,0)) * 100000000000000000000, id % 3 = 0, date_add(DATE '1969-12-25', id * 11), cast(concat('2026-02-03 04:', lpad(id % 60, 2, '0'), ':06.789') as timestamp), "
       "concat('zwölf ', id % 17), concat('v', id), concat('c', id % 7), unhex('00ff80'), array(id), cast(null as int), cast(null as string), cast(null as decimal(5,2)), cast(null as double), cast(null as date)")
ODD = "id, " + ", ".join("array(id)" if n == "a" else "null" for n in NAMES[1:])
WHERES = ("id > 200", "x < 10", "v = 'zwölf 7'", "b", "nothing IS NULL", "d > DATE '1975-01-01' AND n < 100")
# columns of both tables; Hive's NUM_DISTINCTS are estimates
STORED = ("COLUMN_NAME", "COLUMN_TYPE", "LONG_LOW_VALUE", "LONG_HIGH_VALUE", "DOUBLE_LOW_VALUE", "DOUBLE_HIGH_VALUE", "BIG_DECIMAL_LOW_VALUE", "BIG_DECIMAL_HIGH_VALUE",
          "NUM_NULLS", "NUM_DISTINCTS", "AVG_COL_LEN", "MAX_COL_LEN", "NUM_TRUES", "NUM_FALSES", "ENGINE", "CAT_NAME", "DB_NAME", "TABLE_NAME")


def rows_of(n, first=0):
    return f"(SELECT pos + {first} AS id FROM (SELECT posexplode(split(space({n - 1}), ' ')) AS (pos, e)) q) r"


def fill(w, table, part=""):
    """300 rows with values and 9 of NULLs, so that means and numbers of NULLs are no round ones."""
    keys = {"": ("", ""), "p": ("PARTITIONED BY (p STRING) ", " PARTITION (p)")}[part]
    last = ", if(id % 2 = 0, 'even', 'odd')" if part else ""
    w.skep(f"DROP TABLE IF EXISTS {table}", f"CREATE TABLE {table} ({COLUMNS}) {keys[0]}{ACID}", f"INSERT INTO {table}{keys[1]} SELECT {ROW}{last} FROM {rows_of(300)}",
           f"INSERT INTO {table}{keys[1]} SELECT {ODD}{last} FROM {rows_of(9, 1000)}", f"DELETE FROM {table} WHERE id IN (0, 299)")


def stored(w, table, of="TAB"):
    """What the metastore keeps, a row a column (and partition)."""
    database, name = table.split(".")
    columns = STORED if of == "TAB" else STORED + ("PARTITION_NAME",)
    picked = ", ".join(f'"{c}"' for c in columns)
    rows = w.hive.psql(f"""SELECT {picked} FROM "{of}_COL_STATS" WHERE "DB_NAME" = '{database}' AND "TABLE_NAME" = '{name}' ORDER BY "COLUMN_NAME" """ + ', "PARTITION_NAME"' * (of == "PART"))
    return [dict(zip(columns, r.split("\t"))) for r in rows]


def tidy(rows):
    return [tuple(c.strip() for c in r.split("\t")) for r in rows]


def described(w, tables, after, bit_vector=""):
    """Both show the same of each column. tables: with PARTITION (...) after the name, if of one."""
    asks = [f"DESCRIBE FORMATTED {table} {name}" for table in tables for name in NAMES]
    answers = w.hive.run(*asks)
    for ask, answer in zip(asks, answers):
        ours, theirs = tidy(w.skep(ask)), tidy(answer.rows)
        if bit_vector:  # shown where Hive computed it; Skep shows none
            theirs = [(r[0], "") if r[0] == "bit_vector" and r[1] == bit_vector else r for r in theirs]
        w.compared += 1
        w.expect(f"{ask} {after}", ours == theirs and not answer.error, "\n".join(f"  Skep {o}\n  Hive {t}" for o, t in zip(ours, theirs) if o != t) + f"{len(ours)} {len(theirs)} lines {answer.error}")
    print(f"  {after}: {len(asks)} columns described", flush=True)


def near(a, b):
    """Hive's estimate of the number of different values."""
    return a == b or ("" not in (a, b) and abs(int(a) - int(b)) <= 0.06 * int(b) + 1)


def stored_equal(w, what, ours, theirs):
    w.expect(f"{what}: rows of as many columns", [r["COLUMN_NAME"] for r in ours] == [r["COLUMN_NAME"] for r in theirs], f"{len(ours)} {len(theirs)}")
    for o, t in zip(ours, theirs):
        for c in o:
            w.compared += 1
            w.expect(f"{what}: {c} of {o['COLUMN_NAME']}", near(t[c], o[c]) if c == "NUM_DISTINCTS" else o[c] == t[c], f"Skep {o[c]!r}, Hive {t[c]!r}")


def plans(w, table, where, after):
    """Hive's planner believes ours: it says that it knows all columns, and how many rows come out."""
    rows = w.hives("--! session P", "SET hive.fetch.task.conversion=none", "SET hive.stats.fetch.column.stats=true", "SET hive.explain.user=false", f"EXPLAIN SELECT id, v FROM {table} WHERE {where}",
                   "--! session A")
    seen = [r.strip() for r in rows if "Column stats:" in r]
    w.compared += 1
    w.expect(f"Hive plans with them {after}", seen != [] and all("Column stats: COMPLETE" in r for r in seen), "\n".join(rows))
    return [r.split(" Data size")[0] for r in seen]


def answers(w, table, after):
    """Hive answers out of them, without a look at the rows; what it says is true."""
    ask = f"SELECT count(*), min(id), max(id), min(l), max(l), min(x), max(x), min(d), max(d), count(v), count(b) FROM {table}"
    without = w.hives("SET hive.compute.query.using.stats=false", ask)
    plan = w.hives("SET hive.compute.query.using.stats=true", f"EXPLAIN {ask}")
    by_stats = w.hives(ask)
    w.hives("SET hive.compute.query.using.stats=false")
    w.compared += 1
    w.expect(f"Hive's answer by statistics is right {after}", by_stats == without == w.skep(ask), f"{by_stats}\n{without}\n{w.skep(ask)}")
    return not any("TableScan" in r for r in plan)


def table(w):
    """Not partitioned: analysed by Skep, by Hive, compacted by each."""
    w.skep("CREATE DATABASE IF NOT EXISTS st")
    t = "st.flat"
    fill(w, t)
    described(w, [t], "before ANALYZE")
    w.expect("DESCRIBE of a column, not formatted", tidy(w.skep(f"DESCRIBE {t} id")) == tidy(w.hives(f"DESCRIBE {t} id")))
    w.skep(f"ANALYZE TABLE {t} COMPUTE STATISTICS FOR COLUMNS")
    described(w, [t], "after Skep's ANALYZE")
    planned = [plans(w, t, where, "after Skep's ANALYZE") for where in WHERES]
    w.expect("Hive needs no look at the rows after Skep's ANALYZE", answers(w, t, "after Skep's ANALYZE"))
    ours = stored(w, t)
    w.expect("all columns but those of nested types", [r["COLUMN_NAME"] for r in ours] == sorted(n for n in NAMES if n not in WITHOUT), str(len(ours)))
    w.hives(f"ANALYZE TABLE {t} COMPUTE STATISTICS FOR COLUMNS")
    stored_equal(w, "ANALYZE", ours, stored(w, t))
    described(w, [t], "after Hive's ANALYZE", "HL")
    by_hive = [plans(w, t, where, "after Hive's ANALYZE") for where in WHERES]
    w.expect("Hive expects as many rows by Skep's statistics as by its own", planned == by_hive, f"{planned}\n{by_hive}")
    w.skep(f"UPDATE {t} SET x = 1000, v = 'longer than anything that was there', b = true WHERE id = 5", f"DELETE FROM {t} WHERE id = 1000", f"ALTER TABLE {t} COMPACT 'major'")
    w.compactor("worker", "cleaner")
    described(w, [t], "after Skep's major compaction")
    plans(w, t, WHERES[0], "after Skep's major compaction")
    w.expect("Hive needs no look at the rows after Skep's major compaction", answers(w, t, "after Skep's major compaction"))
    ours = stored(w, t)
    w.expect("what the compaction found", [(r["DOUBLE_HIGH_VALUE"], r["NUM_NULLS"]) for r in ours if r["COLUMN_NAME"] == "x"] == [("1000", "8")], str(ours[-1]))
    w.hives(f"ANALYZE TABLE {t} COMPUTE STATISTICS FOR COLUMNS")
    stored_equal(w, "Skep's major compaction", ours, stored(w, t))
    w.same(t, after="Hive's major compaction", then=[f"UPDATE {t} SET x = 2000, n = null WHERE id IN (6, 8)", f"ALTER TABLE {t} COMPACT 'major'",
                                                  "SET hive.stats.autogather=false", "--! worker", "SET hive.stats.autogather=true", "--! cleaner"])
    described(w, [t], "after Hive's major compaction", "HL")
    theirs = stored(w, t)
    w.skep(f"ANALYZE TABLE {t} COMPUTE STATISTICS FOR COLUMNS")
    stored_equal(w, "Hive's major compaction", stored(w, t), theirs)


def partitions(w):
    """One partition's and the whole table's, analysed in part and whole, by either."""
    w.skep("CREATE DATABASE IF NOT EXISTS st")
    t = "st.parts"
    fill(w, t, "p")
    even, odd = f"{t} PARTITION (p='even')", f"{t} PARTITION (p='odd')"
    w.skep(f"ANALYZE TABLE {even} COMPUTE STATISTICS FOR COLUMNS")
    described(w, [t, even, odd], "one partition of two by Skep")
    for ask in (f"DESCRIBE {t} id", f"DESCRIBE {even} id"):  # Hive refuses its partition column here, and Skep does not
        ours, theirs = tidy(w.skep(ask)), tidy(w.hives(ask))
        w.expect(ask, ours == theirs, f"Skep {ours}\nHive {theirs}")
    w.skep(f"ANALYZE TABLE {odd} COMPUTE STATISTICS FOR COLUMNS")
    described(w, [t, even, odd], "both partitions by Skep")
    plans(w, t, "id = 7 AND p = 'odd'", "of a partition")
    plans(w, t, "v = 'zwölf 7'", "of both partitions")
    w.expect("Hive needs no look at the rows of partitions", answers(w, t, "of partitions"))
    ours = stored(w, t, "PART")
    w.hives(f"ANALYZE TABLE {t} COMPUTE STATISTICS FOR COLUMNS")
    stored_equal(w, "ANALYZE of partitions", ours, stored(w, t, "PART"))
    described(w, [t, odd], "both partitions by Hive", "HL")
    w.skep(f"UPDATE {t} SET n = -77.125 WHERE id = 6", f"ALTER TABLE {even} COMPACT 'major'")
    w.compactor("worker", "cleaner")
    described(w, [t, even], "one by Skep's compaction, one by Hive", "HL")
    w.skep(f"INSERT INTO {t} PARTITION (p) SELECT {ROW}, 'third' FROM {rows_of(20, 400)}", f"ANALYZE TABLE {t} PARTITION (p='third') COMPUTE STATISTICS FOR COLUMNS")
    described(w, [t], "three partitions", "HL")


PARTS = {f.__name__: f for f in (table, partitions)}

if __name__ == "__main__":
    run(__doc__, PARTS, {})
