#!/usr/bin/env python3
"""Statements that change tables, beside DuckDB on its own files (and deltalake where it is installed), in one run.

usage: statements.py --skep PATH [--rows N] [--commits N] [--dir DIR]

  merge    MERGE of 1 % of the rows into a table of N rows: nine in ten match and are updated, the others are inserted
  commits  INSERT of 10 rows, each safe on disk
  start    from starting the program to the first row of a query over a small table

Times are of the statement alone, wall and processor time (of all threads); the second of two runs counts, on fresh copies of the
table."""
import argparse, os, shutil, subprocess, sys, tempfile, time

import duckdb

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "support"))
from session import Session, environment

COLUMNS = "id BIGINT, k {text}, amount DECIMAL(12,2), x DOUBLE, d DATE"


def timed(f, pid="self"):
    """Wall and processor seconds that f takes, of this process or of another."""
    def used():
        fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    start, before = time.monotonic(), used()
    f()
    return time.monotonic() - start, used() - before


def must(session, sql):
    rows, err = session.run(sql)
    if err:
        sys.exit(f"{sql[:100]}: {err}")
    return rows


def skep_merge(args, root):
    table = os.path.join(root, "skep")
    s = Session(args.skep, table, [], environment(args.skep))
    must(s, f"CREATE TABLE t ({COLUMNS.format(text='STRING')}) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    must(s, "INSERT INTO t SELECT n, concat('key', n % 5000), cast(n % 100000 / 100 AS DECIMAL(12,2)), n * 0.5D, "
            f"date_add('2026-01-01', n % 365) FROM (SELECT posexplode(split(space({args.rows - 1}), ' ')) AS (n, e)) q")
    n = args.rows // 100
    must(s, f"CREATE TABLE s STORED AS ORC TBLPROPERTIES ('transactional'='true') AS SELECT n * 111L AS id, concat('new', n) AS k "
            f"FROM (SELECT posexplode(split(space({n - 1}), ' ')) AS (n, e)) q")
    s.close()
    times = []
    for i in range(2):
        copy = os.path.join(root, "run", "skep")
        shutil.rmtree(os.path.dirname(copy), ignore_errors=True)
        os.makedirs(os.path.dirname(copy))
        os.rename(table, copy + ".kept")
        shutil.copytree(copy + ".kept", table)  # the metastore holds the path
        os.sync()
        s = Session(args.skep, table, [], environment(args.skep))
        must(s, "SELECT count(*) FROM s")
        times.append(timed(lambda: must(s, "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET k = s.k, amount = t.amount + 1 "
                                           "WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.k, 0, 0, NULL)"), s.p.pid))
        answer = must(s, "SELECT count(*), sum(amount), sum(if(k LIKE 'new%', 1, 0)) FROM t")
        s.close()
        shutil.rmtree(table)
        os.rename(copy + ".kept", table)
    return times[-1], answer[0].split("\t")


def duckdb_merge(args, root):
    path = os.path.join(root, "native.duckdb")
    c = duckdb.connect(path)
    c.execute(f"CREATE TABLE t ({COLUMNS.format(text='VARCHAR')})")
    c.execute(f"INSERT INTO t SELECT n, 'key' || (n % 5000), (n % 100000) / 100, n * 0.5, DATE '2026-01-01' + (n % 365)::INT FROM range({args.rows}) q(n)")
    c.execute(f"CREATE TABLE s AS SELECT n * 111 AS id, 'new' || n AS k FROM range({args.rows // 100}) q(n)")
    c.close()
    times = []
    for i in range(2):
        shutil.copy(path, path + ".run")
        os.sync()
        c = duckdb.connect(path + ".run")
        c.execute("SELECT count(*) FROM s").fetchall()
        times.append(timed(lambda: c.execute("MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET k = s.k, amount = t.amount + 1 "
                                             "WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.k, 0, 0, NULL)").fetchall()))
        answer = c.execute("SELECT count(*), sum(amount), count(*) FILTER (k LIKE 'new%') FROM t").fetchone()
        c.close()
    return times[-1], [str(x) for x in answer]


def delta_merge(args, root):
    try:
        import deltalake
    except ImportError:
        return None
    path = os.path.join(root, "delta")
    c = duckdb.connect()
    rows = c.execute(f"SELECT n AS id, 'key' || (n % 5000) AS k, ((n % 100000) / 100)::DECIMAL(12,2) AS amount, (n * 0.5)::DOUBLE AS x, "
                     f"DATE '2026-01-01' + (n % 365)::INT AS d FROM range({args.rows}) q(n)").fetch_arrow_table()
    source = c.execute(f"SELECT n * 111 AS id, 'new' || n AS k FROM range({args.rows // 100}) q(n)").fetch_arrow_table()
    deltalake.write_deltalake(path, rows)
    table = deltalake.DeltaTable(path)
    merge = (table.merge(source, "t.id = s.id", source_alias="s", target_alias="t")
             .when_matched_update({"k": "s.k", "amount": "t.amount + 1"}).when_not_matched_insert({"id": "s.id", "k": "s.k"}))
    return timed(merge.execute)


def commits(args, root):
    s = Session(args.skep, os.path.join(root, "commits"), [], environment(args.skep))
    must(s, "CREATE TABLE t (id BIGINT, name STRING, v DOUBLE) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    values = lambda i: ",".join(f"({i * 10 + k},'name {k}',{k}.5)" for k in range(10))
    script = os.path.join(root, "commits.sql")
    with open(script, "w") as f:
        f.writelines(f"INSERT INTO t VALUES {values(i)};\n" for i in range(args.commits))
    s.close()
    command = [args.skep, "-w", os.path.join(root, "commits"), "--silent", "-f", script]
    ours = timed(lambda: subprocess.run(command, check=True))[0]
    c = duckdb.connect(os.path.join(root, "commits.duckdb"))
    c.execute("CREATE TABLE t (id BIGINT, name VARCHAR, v DOUBLE)")
    def theirs():
        for i in range(args.commits):
            c.execute(f"INSERT INTO t VALUES {values(i)}")
    return args.commits / ours, args.commits / timed(theirs)[0]


def start(args, root):
    w = os.path.join(root, "start")
    run = lambda sql: subprocess.run([args.skep, "-w", w, "--silent", "-e", sql], check=True, stdout=subprocess.DEVNULL)
    run("CREATE TABLE t (a INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    run("INSERT INTO t VALUES (1)")
    run("SELECT * FROM t")
    return min(timed(lambda: run("SELECT * FROM t"))[0] for _ in range(5))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--skep", required=True)
    parser.add_argument("--rows", type=int, default=6000000)
    parser.add_argument("--commits", type=int, default=30000)
    parser.add_argument("--dir")
    args = parser.parse_args()
    args.skep = os.path.abspath(args.skep)
    root = tempfile.mkdtemp(prefix="statements-", dir=args.dir)
    try:
        print(f"start to first row: {start(args, root):.3f} s", flush=True)
        ours, answer = skep_merge(args, root)
        theirs, expected = duckdb_merge(args, root)
        if answer != expected:
            sys.exit(f"different answers after the MERGE: skep {answer}, DuckDB {expected}")
        show = lambda t: f"{t[0]:.2f} s ({t[1]:.2f} s of processor time)"
        print(f"merge 1 % into {args.rows} rows: skep {show(ours)}, DuckDB native {show(theirs)}, {ours[0] / theirs[0]:.2f} of its time", flush=True)
        delta = delta_merge(args, root)
        if delta is not None:
            print(f"  deltalake {show(delta)}: {delta[0] / ours[0]:.1f} times ours, {delta[1] / ours[1]:.1f} of processor time", flush=True)
        ours, theirs = commits(args, root)
        print(f"{args.commits} commits of 10 rows: skep {ours:.0f}/s, DuckDB native {theirs:.0f}/s", flush=True)
    finally:
        shutil.rmtree(root, ignore_errors=True)


main()
