#!/usr/bin/env python3
"""Skep beside its peers in one run: bench.py --scan BENCH_SCAN --data DIR [--rounds N] [--json FILE] [NAME-PART...]

Runs in the virtual environment that bench/run makes. Peers: the C++ ORC reader through pyarrow (one stripe at a time, one thread) and
DuckDB on Parquet (one thread). A round runs the peer and Skep one after the other; every table is warmed up first, so files come from
the page cache for both. Both measure themselves, inside the process and after everything was loaded: wall time and processor time (user
and system). Where both sides use one thread the ratio is that of the medians of processor time, which does not depend on who else uses
the machine; with two threads it is that of wall time (peer / skep for scans: higher is better; this / that for wrapper costs: lower is
better)."""
import argparse, json, os, statistics, subprocess, sys, time

SELF = os.path.abspath(__file__)
ALL_COLUMNS = 16
PREDICATE = "l_shipdate >= DATE '1996-01-01' AND l_shipdate < DATE '1996-02-01'"
FOUR = "l_orderkey,l_extendedprice,l_discount,l_shipmode"


def peer_orc(path):
    """One scan by the C++ reader; prints rows, seconds of wall and of processor time."""
    import pyarrow as pa
    import pyarrow.orc as orc
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    wall, cpu = time.monotonic(), time.process_time()
    file = orc.ORCFile(path)
    rows = sum(file.read_stripe(i).num_rows for i in range(file.nstripes))
    print(rows, time.monotonic() - wall, time.process_time() - cpu)


def peer_duckdb(path):
    """The predicate query on Parquet; one query before it to load what DuckDB loads once."""
    import duckdb
    base = duckdb.connect()
    base.execute("SET threads = 1")
    query = f"SELECT {FOUR} FROM read_parquet('{path}') WHERE {PREDICATE}"
    base.execute(query).fetch_arrow_table()
    wall, cpu = time.monotonic(), time.process_time()
    rows = base.execute(query).fetch_arrow_table().num_rows
    print(rows, time.monotonic() - wall, time.process_time() - cpu)


def run(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr.strip()}")
    fields = done.stdout.split()
    return {"rows": int(fields[0]), "wall": float(fields[1]), "cpu": float(fields[2]), "memory_kib": int(fields[3]) if len(fields) > 3 else 0}


class Bench:
    def __init__(self, args):
        self.args, self.results = args, []

    def skep(self, *words):
        return [self.args.scan, *words]

    def peer(self, kind, path):
        return [sys.executable, SELF, "--peer", kind, path]

    def compare(self, name, a, b, goal, higher_is_better, by="cpu"):
        """Ratio of the medians a / b over interleaved rounds. goal None: reported only."""
        if self.args.only and not any(part in name for part in self.args.only):
            return
        run(a), run(b)
        rounds = [(run(a), run(b)) for _ in range(self.args.rounds)]
        if any(x["rows"] != y["rows"] for x, y in rounds) and goal is not None and not name.startswith("plan") and "deleted" not in name:
            sys.exit(f"{name}: {rounds[0][0]['rows']} rows beside {rounds[0][1]['rows']}")
        median = lambda side, what: statistics.median(r[side][what] for r in rounds)
        ratio = median(0, by) / median(1, by)
        reached = "" if goal is None else ("reached" if (ratio >= goal if higher_is_better else ratio <= goal) else "MISSED")
        memory = max(max(r[0]["memory_kib"], r[1]["memory_kib"]) for r in rounds)
        sign = ">=" if higher_is_better else "<="
        print(f"{name:32} {median(0, 'cpu'):6.3f} {median(1, 'cpu'):6.3f}   {median(0, 'wall'):6.3f} {median(1, 'wall'):6.3f}   {ratio:5.2f} ({by})"
              + (f"   goal {sign} {goal:g}: {reached}" if goal else "") + (f"   {memory / 1024:.0f} MiB" if memory else ""), flush=True)
        self.results.append({"name": name, "a": {w: median(0, w) for w in ("cpu", "wall")}, "b": {w: median(1, w) for w in ("cpu", "wall")},
                             "ratio": ratio, "by": by, "goal": goal, "reached": reached, "memory_kib": memory})

    def everything(self):
        data = self.args.data
        path = lambda name: os.path.join(data, name)
        print(f"{'seconds':32} {'processor':>13}   {'wall':>13}   ratio\n{'':32} {'peer':>6} {'skep':>6}   {'peer':>6} {'skep':>6}")
        for codec, goal in (("none", 4), ("zlib", 3), ("snappy", 2), ("zstd", 1.5)):
            file = path(f"flat-{codec}.orc")
            self.compare(f"scan {codec}, 1 thread", self.peer("orc", file), self.skep("--threads", "1", file), goal, True)
            self.compare(f"scan {codec}, 2 threads", self.peer("orc", file), self.skep("--threads", "2", file), None, True, "wall")
        file = path("flat-zstd.orc")
        self.compare("4 columns, predicate (DuckDB)", self.peer("duckdb", path("flat.parquet")),
                     self.skep("--threads", "1", "--columns", FOUR, "--where", PREDICATE, file), 1, True)
        print(f"{'':32} {'this':>6} {'that':>6}   {'this':>6} {'that':>6}")
        flat = self.skep("--threads", "1", file)
        for name, table, goal in (("acid base / flat", "acid-base", 1.05), ("acid 10 deltas / flat", "acid-deltas", 1.10),
                                  ("acid 1 % deleted / flat", "acid-deleted", 1.15)):
            self.compare(name, self.skep("--threads", "1", path(table)), flat, goal, False)
        self.compare("plan 50,000 deltas / walk", self.skep("--plan", path("acid-50k")), self.skep("--walk", path("acid-50k")), 1.5, False)
        worst = max((r["memory_kib"] for r in self.results if r["name"].startswith(("scan", "acid")) and "1 thread" in r["name"] or r["name"].startswith("acid")),
                    default=0)
        print(f"resident memory of a streaming scan, at most: {worst / 1024:.0f} MiB   goal < 100: {'reached' if worst < 100 * 1024 else 'MISSED'}")


def main():
    if sys.argv[1:2] == ["--peer"]:
        return {"orc": peer_orc, "duckdb": peer_duckdb}[sys.argv[2]](sys.argv[3])
    parser = argparse.ArgumentParser()
    parser.add_argument("--scan", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", help="write the figures here")
    parser.add_argument("only", nargs="*")
    args = parser.parse_args()
    bench = Bench(args)
    bench.everything()
    if args.json:
        json.dump(bench.results, open(args.json, "w"), indent=1)


main()
