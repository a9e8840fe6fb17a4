#!/usr/bin/env python3
"""Hive 3.1 reads what Skep compacted, changes it and compacts it again; Skep reads that.

usage: hive3_reads_compacted.py --skep PROGRAM --oracle RUN.SH [--keep DIR] [PART...]

A part makes the tables of hive_compacts_on.py in a warehouse of Skep, compacts each in its way, and lays the directories below tables of the
same definition in a Hive 3.1.3 (RUN.SH 3 DATABASE -o OUT SCRIPT). Hive 3.1 does not know the suffix of a compaction's transaction: directories
lose it on the way. Rows and ROW__IDs are compared; then Hive updates, deletes, inserts and compacts, and after each `skep cat` reads what lies
there with the snapshot that Hive read with. Exit status 77 when there is no such Hive."""
import json, os, re, shutil, subprocess

from both import Warehouse, frame, ids_of
from hive_compacts_on import SHAPES, changes, fill, specs

WRITE_ID = 1000  # Hive takes everything below for committed
LEGACY = os.environ.get("LEGACY_HOME", os.path.expanduser("~/legacy"))
SERVER = os.path.join(os.environ.get("LEGACY_PG", "/var/lib/skep-legacy-pg"), "data")


def control(*words):
    """pg_ctl of the server with that Hive's metastores; whether it says yes."""
    command = f"{os.environ.get('PGBIN', '/usr/lib/postgresql/15/bin')}/pg_ctl -D {SERVER} -l {os.path.dirname(SERVER)}/log {' '.join(words)}"
    return subprocess.run(["su", "postgres", "-c", command], cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def missing(oracle):
    if not os.access(oracle, os.X_OK) or not os.path.exists(os.path.join(LEGACY, "h3", "classes")) or not os.path.exists(SERVER):
        return "no Hive 3.1 here"
    return None


class Alone(Warehouse):
    """A warehouse of Skep's own, and the server that a Hive 3.1 needs."""

    def __init__(self, args, here):
        self.started = not control("status") and control("-w", "start")
        super().__init__(args, here)
        self.skep("CREATE DATABASE bc")

    def end(self):
        super().end()
        if self.started:
            control("-m", "fast", "stop")

    def laid_out(self, table):
        """A copy of the table's directory without suffixes; its partitions as k='v' lists."""
        database, name = table.split(".")
        target = os.path.join(self.here, "tables", name)
        shutil.copytree(os.path.join(self.warehouse, database + ".db", name), target)
        partitions = set()
        for folder, names, _ in os.walk(target, topdown=False):
            for d in names:
                os.rename(os.path.join(folder, d), os.path.join(folder, re.sub(r"^((?:base|delta|delete_delta)_[0-9_]+)_v[0-9]+$", r"\1", d)))
                if d.startswith(("base_", "delta_")) and folder != target:
                    partitions.add(os.path.relpath(folder, target))
        return target, sorted(", ".join(f"{k}='{v}'" for k, v in (part.split("=", 1) for part in p.split("/"))) for p in partitions)

    def cat(self, snapshot):
        """What Skep reads in a snapshot of Hive's; rows, text of the error."""
        meta = json.load(open(os.path.join(snapshot, "meta.json"), encoding="utf-8"))
        struct = lambda columns: "struct<" + ",".join(f"{c['name']}:{c['type']}" for c in columns) + ">"
        command = [self.args.skep, "cat", "--hive", meta["hive_version"], "--outputformat=copy", "--showHeader=false", "--schema", struct(meta["columns"]),
                   "--snapshot", meta["valid_write_ids"]]
        command += ["--partition-schema", struct(meta["partition_columns"])] if meta.get("partition_columns") else []
        command += ["--row-ids"] if os.path.exists(os.path.join(snapshot, "expected.tsv")) else []
        done = subprocess.run([*command, os.path.join(snapshot, "table")], capture_output=True, env=self.env, stdin=subprocess.DEVNULL)
        return done.stdout.decode(errors="surrogateescape").split("\n")[:-1], done.stderr.decode(errors="replace") if done.returncode else ""


def answer(snapshot):
    """Hive's; None: it gave none."""
    for name in ("expected.tsv", "expected_plain.tsv"):
        if os.path.exists(os.path.join(snapshot, name)):
            return open(os.path.join(snapshot, name), encoding="utf-8", errors="surrogateescape").read().split("\n")[1:-1]
    return None


def script(w, tables):
    """Snapshots are called after the table: as Skep left it, -changed by Hive, -compacted by Hive."""
    lines = ["DROP DATABASE IF EXISTS bc CASCADE;", "CREATE DATABASE bc;"]
    for shape, table in tables:
        name = table.split(".")[1]
        copy, partitions = w.laid_out(table)
        lines += [f"CREATE TABLE {table} ({shape.columns}) {shape.tail};", f"--! rm ${{WAREHOUSE}}/bc.db/{name}", f"--! cp {copy} ${{WAREHOUSE}}/bc.db/{name}"]
        lines += [f"ALTER TABLE {table} ADD PARTITION ({p});" for p in partitions]
        where = f"WHERE nwi_database='bc' AND nwi_table='{name}'"
        lines += [f"--! pgsql seeded DELETE FROM txn_to_write_id WHERE t2w_database='bc' AND t2w_table='{name}' RETURNING 1", f"--! pgsql seeded DELETE FROM next_write_id {where} RETURNING 1",
                  f"--! pgsql seeded INSERT INTO next_write_id (nwi_database, nwi_table, nwi_next) VALUES ('bc','{name}',{WRITE_ID}) RETURNING 1"]
        dump = lambda state: f"--! dump {name}{state} {table}{'' if ids_of(table) else ' noid'}"
        lines += [dump("")] + [s + ";" for s in changes([(shape, table)], "hive3", 2)] + [dump("-changed")]
        for spec in specs(shape):
            lines += [f"ALTER TABLE {table}{spec} COMPACT 'major';", "--! worker"]
        lines += ["--! cleaner", dump("-compacted")]
    return "\n".join(lines) + "\n"


def compacted(w, kind):
    tables = [(s, f"bc.{s.name}_{kind}") for s in SHAPES if kind in s.rounds]
    for shape, table in tables:
        fill(w, shape, table)
    w.skep(*[f"ALTER TABLE {table}{spec} COMPACT '{kind}'" for shape, table in tables for spec in specs(shape)])
    w.compactor("worker", "cleaner")
    path = os.path.join(w.here, f"bc_{kind}.hql")
    with open(path, "w", encoding="utf-8") as f:
        f.write(script(w, tables))
    done = subprocess.run([w.args.oracle, "3", "skepbc", "-o", w.here, path], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    bad = w.failed
    for _, table in tables:
        name = table.split(".")[1]
        for state in ("", "-changed", "-compacted"):
            snapshot = os.path.join(w.here, f"bc_{kind}", name + state)
            theirs = answer(snapshot)
            if not w.expect(f"{table}{state}: Hive read it", theirs is not None):
                continue
            rows, err = w.a.run(f"SELECT {ids_of(table)}t.* FROM {table} t") if state == "" else w.cat(snapshot)
            w.compared, w.rows = w.compared + 1, w.rows + len(rows)
            w.equal(f"{table}{state}", rows, theirs, err)
        print(f"  {table}: {w.rows} rows so far", flush=True)
    if bad != w.failed:
        print(done.stdout[-3000:], done.stderr[-1000:])


PARTS = {kind: lambda w, kind=kind: compacted(w, kind) for kind in ("minor", "major")}

if __name__ == "__main__":
    frame(__doc__, PARTS, missing, Alone)
