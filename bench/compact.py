#!/usr/bin/env python3
"""Compaction beside its peers, on the same rows: compact.py --compact PATH --file FILE.orc --work DIR [--rows N]

Ten deltas of 600,000 rows into one (stripes taken over; encoded anew), beside cp + fsync of the same bytes, deltalake's OPTIMIZE of ten
Parquet files and DuckDB's COPY of them; a thousand deltas of 1,000 rows; major compaction of six million rows with 0, 1, 10 %
deleted at random and 1 % at the start. Seconds of wall and of processor (all threads): on a machine that others share look at the latter."""
import argparse, os, resource, shutil, subprocess, sys, time


def child(*words):
    """Output, wall, processor seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    out = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out.strip(), time.monotonic() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


PEERS = {
    "make": """
import sys, pyarrow.orc as orc, pyarrow as pa
from deltalake import write_deltalake
t = orc.ORCFile(sys.argv[1]).read(); n = int(sys.argv[3]) // 10
t = pa.concat_tables([t] * (n // len(t) + 1)) if len(t) < n else t
for i in range(10): write_deltalake(sys.argv[2], t.slice(0, n), mode="append")
""",
    "deltalake OPTIMIZE": """
import sys
from deltalake import DeltaTable
DeltaTable(sys.argv[2]).optimize.compact()
""",
    "DuckDB COPY (Parquet, snappy)": """
import sys, duckdb
c = duckdb.connect(); c.execute("SET threads=2; SET preserve_insertion_order=true")
c.execute(f"COPY (SELECT * FROM '{sys.argv[2]}/*.parquet') TO '{sys.argv[2]}.one.parquet' (FORMAT parquet)")
""",
}


def peers(args, python):
    table = os.path.join(args.work, "delta-lake")
    shutil.rmtree(table, ignore_errors=True)
    for name, text in PEERS.items():
        if name == "deltalake OPTIMIZE":  # the copy reads what is there before
            continue
        _, wall, cpu = child(python, "-c", text, args.file, table, str(args.rows))
        if name != "make":
            print(f"{name:60} {wall:7.2f} s wall {cpu:7.2f} s cpu {args.rows / wall / 1e6:6.2f} million rows/s")
    _, wall, cpu = child(python, "-c", PEERS["deltalake OPTIMIZE"], args.file, table, str(args.rows))
    print(f"{'deltalake OPTIMIZE':60} {wall:7.2f} s wall {cpu:7.2f} s cpu {args.rows / wall / 1e6:6.2f} million rows/s")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--compact", required=True)
    p.add_argument("--file", required=True)
    p.add_argument("--work", required=True)
    p.add_argument("--rows", type=int, default=6_000_000)
    p.add_argument("--threads", default="2")
    args = p.parse_args()
    os.makedirs(args.work, exist_ok=True)
    work = lambda name: os.path.join(args.work, name)
    tables = {"ten": ("make", "10", str(args.rows // 10)), "thousand": ("make", "1000", "1000"), "base0": ("base", str(args.rows), "0"),
              "base10": ("base", str(args.rows), "10"), "base100": ("base", str(args.rows), "100"), "first10": ("base", str(args.rows), "10", "first")}
    for name, (what, *rest) in tables.items():
        if not os.path.isdir(work(name)):
            child(args.compact, what, args.file, work(name), *rest)
    cases = [("minor, 10 deltas, stripes taken over", "minor", "ten", "10", ()), ("minor, 10 deltas, encoded", "minor", "ten", "10", ("encode",)),
             ("minor, 1,000 deltas of 1,000 rows", "minor", "thousand", "1000", ()), ("major, nothing deleted", "major", "base0", "3", ()),
             ("major, 1 % deleted at random", "major", "base10", "3", ()), ("major, 10 % deleted at random", "major", "base100", "3", ()),
             ("major, the first 1 % deleted", "major", "first10", "3", ())]
    print(f"{'cp and fsync of the 10 deltas':60} {child(args.compact, 'cp', work('ten'), work('copy'))[0]}")
    for text, kind, table, last, more in cases:
        print(f"{text:60} {child(args.compact, 'run', kind, args.file, work(table), last, args.threads, *more)[0]}")
    sys.stdout.flush()
    try:
        peers(args, sys.executable)
    except subprocess.CalledProcessError as e:
        print(f"peers: {e}")


if __name__ == "__main__":
    main()
