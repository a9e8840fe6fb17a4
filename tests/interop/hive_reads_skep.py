#!/usr/bin/env python3
"""Real Hive reads what Skep wrote.

usage: hive_reads_skep.py --skep PROGRAM --oracle RUN.SH [--keep DIR]

Runs hive_reads_skep.sql with skep, lays each table's directory below a table of the same definition in a real Hive 4.0.1
(run by the script given) whose write ids are moved past Skep's, and compares rows and ROW__IDs. Exit status 77 when there
is no such Hive."""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from session import Refused, Session, environment  # noqa: E402

WRITE_ID = 1000  # Hive takes everything below for committed


def statements(path):
    """The script's statements: none of them has a ';' inside."""
    text = "\n".join(line for line in open(path, encoding="utf-8") if not line.startswith("--"))
    return [s.strip() for s in text.split(";\n") if s.strip()]


def hive_script(tables, partitions, warehouse):
    lines = ["DROP DATABASE IF EXISTS si CASCADE;", "CREATE DATABASE si;"]
    for table, definition in tables.items():
        lines.append(definition + ";")
        lines.append(f"--! rm ${{WAREHOUSE}}/si.db/{table}")
        lines.append(f"--! cp {warehouse}/si.db/{table} ${{WAREHOUSE}}/si.db/{table}")
        lines += [f"ALTER TABLE si.{table} ADD PARTITION ({p});" for p in partitions.get(table, [])]
        lines.append(f"--! pgsql seeded DELETE FROM \"TXN_TO_WRITE_ID\" WHERE \"T2W_DATABASE\"='si' AND \"T2W_TABLE\"='{table}' RETURNING 1")
        lines.append(f"--! pgsql seeded DELETE FROM \"NEXT_WRITE_ID\" WHERE \"NWI_DATABASE\"='si' AND \"NWI_TABLE\"='{table}' RETURNING 1")
        lines.append("--! pgsql seeded INSERT INTO \"NEXT_WRITE_ID\" (\"NWI_DATABASE\",\"NWI_TABLE\",\"NWI_NEXT\") "
                     f"VALUES ('si','{table}',{WRITE_ID}) RETURNING 1")
        lines.append(f"--! dump {table} si.{table}" + (" noid" if table == "mm" else ""))
    return "\n".join(lines) + "\n"


def partition_specs(warehouse, table):
    """k='v' lists of the partition directories below a table."""
    root = os.path.join(warehouse, "si.db", table)
    specs = set()
    for folder, names, _ in os.walk(root):
        keys = re.findall(r"([a-z]+)=([^/]+)", os.path.relpath(folder, root))
        if len(keys) == 2:
            specs.add(", ".join(f"{k}='{re.sub('%(..)', lambda m: chr(int(m[1], 16)), v)}'" for k, v in keys))
    return sorted(specs)


def rows_of(path):
    return collections.Counter(open(path, "rb").read().decode(errors="surrogateescape").split("\n")[1:-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skep", required=True)
    parser.add_argument("--oracle", required=True)
    parser.add_argument("--keep")
    args = parser.parse_args()
    home = os.environ.get("ORACLE_HOME", os.path.expanduser("~/oracle"))
    if not os.path.exists(args.oracle) or not os.path.exists(os.path.join(home, "lib", ".done")):
        print("no real Hive here")
        sys.exit(77)
    work = args.keep or tempfile.mkdtemp(prefix="skep-hive-")
    warehouse = os.path.join(work, "warehouse")
    script = statements(os.path.join(HERE, "hive_reads_skep.sql"))
    tables = {m[1]: s for s in script if (m := re.match(r"CREATE TABLE si\.(\w+)", s))}
    session = Session(args.skep, warehouse, [], environment(args.skep))
    for statement in script:
        session.rows(statement)
    ours = {}
    for table in tables:
        ids = "" if table == "mm" else "ROW__ID.writeid, ROW__ID.bucketid, ROW__ID.rowid, "
        ours[table] = collections.Counter(session.rows(f"SELECT {ids}t.* FROM si.{table} t"))
    session.close()
    path = os.path.join(work, "si.hql")
    with open(path, "w", encoding="utf-8") as f:
        f.write(hive_script(tables, {"parts": partition_specs(warehouse, "parts")}, warehouse))
    log = subprocess.run([args.oracle, "-o", work, path], capture_output=True, text=True, env=dict(os.environ, QUIET="1"))
    bad = 0
    for table in tables:
        name = "expected_plain.tsv" if table == "mm" else "expected.tsv"
        expected = os.path.join(work, "si", table, name)
        if not os.path.exists(expected):
            print(f"{table}: no answer from Hive\n{log.stdout[-2000:]}{log.stderr[-2000:]}")
            bad += 1
            continue
        theirs = rows_of(expected)
        if theirs == ours[table]:
            print(f"{table}: {sum(theirs.values())} rows equal, row ids too" if name == "expected.tsv" else f"{table}: {sum(theirs.values())} rows equal")
            continue
        bad += 1
        print(f"{table}: Hive has {sum(theirs.values())} rows, Skep {sum(ours[table].values())}")
        for label, rows in (("only Hive", theirs - ours[table]), ("only Skep", ours[table] - theirs)):
            for row in list(rows)[:5]:
                print(f"  {label}: {row}")
    if not args.keep:
        shutil.rmtree(work)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    try:
        main()
    except Refused as error:
        print(error)
        sys.exit(1)
