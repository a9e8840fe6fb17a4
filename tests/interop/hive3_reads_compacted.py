#!/usr/bin/env python3
"""Hive 3.1 reads what Skep compacted, and changes it.

usage: hive3_reads_compacted.py --skep PROGRAM --oracle RUN.SH [--verify PROGRAM] [--keep DIR]

Makes the tables of hive_compacts_on.py in a warehouse of Skep, compacts each in each way that Hive 3.1 knows, and lays the directories
below tables of the same definition in a Hive 3.1.3 (RUN.SH 3 DATABASE -o OUT SCRIPT). Hive 3.1 does not know the suffix of a compaction's
transaction: directories lose it on the way. Rows and ROW__IDs are compared; then Hive updates, deletes, inserts and compacts, and the
verifier lets Skep read that. Exit status 77 when there is no such Hive."""
import argparse, collections, os, re, shutil, subprocess, sys, tempfile

from hive_compacts_on import SHAPES, changes, fill, specs
from session import Session, environment

WRITE_ID = 1000  # Hive takes everything below for committed


class Alone:
    """A warehouse of Skep's with the calls of both.Both that make tables."""

    def __init__(self, skep, warehouse):
        self.program, self.warehouse, self.env = skep, warehouse, environment(skep)
        self.session = Session(skep, warehouse, [], self.env)

    def skep(self, *statements):
        for statement in statements:
            self.session.rows(statement)

    def compact(self, kind, tables):
        self.skep(*[f"ALTER TABLE {table}{spec} COMPACT '{kind}'" for shape, table in tables for spec in specs(shape)])
        subprocess.run([self.program, "compact", "-w", self.warehouse, "--once", "--roles", "worker,cleaner", "--silent", "--hiveconf", "hive.compactor.delayed.cleanup.enabled=false"],
                       check=True, env=self.env, stdin=subprocess.DEVNULL)


def laid_out(warehouse, to, table):
    """A copy of the table's directory without suffixes; its partitions as k='v' lists."""
    database, name = table.split(".")
    target = os.path.join(to, name)
    shutil.copytree(os.path.join(warehouse, database + ".db", name), target)
    partitions = set()
    for folder, names, _ in os.walk(target, topdown=False):
        for d in names:
            os.rename(os.path.join(folder, d), os.path.join(folder, re.sub(r"^((?:base|delta|delete_delta)_[0-9_]+)_v[0-9]+$", r"\1", d)))
            if d.startswith(("base_", "delta_")) and folder != target:
                partitions.add(os.path.relpath(folder, target))
    return target, sorted(", ".join(f"{k}='{v}'" for k, v in (part.split("=", 1) for part in p.split("/"))) for p in partitions)


def script(tables, warehouse, work):
    lines = ["DROP DATABASE IF EXISTS bc CASCADE;", "CREATE DATABASE bc;"]
    for shape, table in tables:
        name = table.split(".")[1]
        copy, partitions = laid_out(warehouse, os.path.join(work, "tables"), table)
        lines += [f"CREATE TABLE {table} ({shape.columns}) {shape.tail};", f"--! rm ${{WAREHOUSE}}/bc.db/{name}", f"--! cp {copy} ${{WAREHOUSE}}/bc.db/{name}"]
        lines += [f"ALTER TABLE {table} ADD PARTITION ({p});" for p in partitions]
        where = f"WHERE nwi_database='bc' AND nwi_table='{name}'"
        lines += [f"--! pgsql seeded DELETE FROM txn_to_write_id WHERE t2w_database='bc' AND t2w_table='{name}' RETURNING 1", f"--! pgsql seeded DELETE FROM next_write_id {where} RETURNING 1",
                  f"--! pgsql seeded INSERT INTO next_write_id (nwi_database, nwi_table, nwi_next) VALUES ('bc','{name}',{WRITE_ID}) RETURNING 1"]
        ids = " noid" if name.startswith("mm") else ""
        lines.append(f"--! dump {name} {table}{ids}")
        lines += [s + ";" for s in changes([(shape, table)], "hive3", 2)] + [f"--! dump {name}-changed {table}{ids}"]
        for spec in specs(shape):
            lines += [f"ALTER TABLE {table}{spec} COMPACT 'major';", "--! worker"]
        lines += ["--! cleaner", f"--! dump {name}-compacted {table}{ids}"]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--skep", required=True, type=os.path.abspath)
    parser.add_argument("--oracle", required=True)
    parser.add_argument("--verify", default="")
    parser.add_argument("--keep", type=os.path.abspath)
    args = parser.parse_args()
    if not os.path.exists(args.oracle) or not os.path.exists(os.path.join(os.environ.get("LEGACY_HOME", os.path.expanduser("~/legacy")), "h3", "classes")):
        print("no Hive 3.1 here")
        sys.exit(77)
    work = args.keep or tempfile.mkdtemp(prefix="skep-hive3-")
    os.makedirs(os.path.join(work, "tables"))
    alone = Alone(args.skep, os.path.join(work, "warehouse"))
    alone.skep("CREATE DATABASE bc")
    tables = []
    for kind in ("minor", "major"):
        chosen = [(s, f"bc.{s.name}_{kind}") for s in SHAPES if kind in s.rounds]
        for shape, table in chosen:
            fill(alone, shape, table)
        alone.compact(kind, chosen)
        tables += chosen
    with open(os.path.join(work, "bc.hql"), "w", encoding="utf-8") as f:
        f.write(script(tables, alone.warehouse, work))
    log = subprocess.run([args.oracle, "3", "skepbc", "-o", work, f.name], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    bad = 0
    for shape, table in tables:
        name = table.split(".")[1]
        ids = "" if name.startswith("mm") else "ROW__ID.writeid, ROW__ID.bucketid, ROW__ID.rowid, "
        ours = collections.Counter(alone.session.rows(f"SELECT {ids}t.* FROM {table} t"))
        answer = os.path.join(work, "bc", name, "expected.tsv" if ids else "expected_plain.tsv")
        theirs = collections.Counter(open(answer, encoding="utf-8", errors="surrogateescape").read().split("\n")[1:-1] if os.path.exists(answer) else [])
        print(f"{table}: {sum(ours.values())} rows{' equal' if ours == theirs else ''}")
        if ours != theirs:
            bad += 1
            for who, rows in (("Hive", theirs - ours), ("Skep", ours - theirs)):
                print(*[f"  only {who}: {row}" for row in list(rows)[:5]], sep="\n")
    alone.session.close()
    if bad:
        print(log.stdout[-3000:], log.stderr[-1000:])
    if args.verify:
        bad += subprocess.run([args.verify, "--skep", args.skep, os.path.join(work, "bc")]).returncode
    if not args.keep:
        shutil.rmtree(work)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
