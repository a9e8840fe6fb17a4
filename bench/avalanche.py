#!/usr/bin/env python3
"""Reads of a table of very many deltas before, during and after its compaction: avalanche.py --compact PATH --scan PATH --file FILE.orc --work DIR [--n N]

The table (bench_compact avalanche: directories of ten rows, or one delete event, in turn) is read whole, then read over and over while a minor and then a
major compaction run, read when the base is there beside its inputs, and when a cleaner has removed those. Seconds of wall and processor, peak memory in MiB and the
most files that were open, of each side. Rows must be the same all the time. Children run with at most --open-files open files."""
import argparse, os, re, resource, shutil, subprocess, threading, time


class Child:
    """A process that is watched: wall, processor, memory, open files."""

    def __init__(self, words, limit):
        self.start, self.open_files, self.words = time.monotonic(), 0, words
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True,
                                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
        self.watcher = threading.Thread(target=self.watch)
        self.watcher.start()

    def watch(self):
        while self.process.poll() is None:
            try:
                self.open_files = max(self.open_files, len(os.listdir(f"/proc/{self.process.pid}/fd")))
            except OSError:
                return
            time.sleep(0.02)

    def wait(self):
        out = self.process.stdout.read().strip()
        if self.process.wait() != 0:
            raise SystemExit(f"{' '.join(self.words)}: exit {self.process.returncode}")
        self.watcher.join()
        self.wall = time.monotonic() - self.start
        return out


def main():
    p = argparse.ArgumentParser()
    for name in ("compact", "scan", "file", "work"):
        p.add_argument("--" + name, required=True)
    p.add_argument("--n", type=int, default=50_000)
    p.add_argument("--threads", default="2")
    p.add_argument("--open-files", type=int, default=256)
    args = p.parse_args()
    table = os.path.join(args.work, f"avalanche-{args.n}")
    if not os.path.isdir(table):
        subprocess.run([args.compact, "avalanche", args.file, table, str(args.n)], check=True)
    expected = None

    def remove_results():
        for name in os.listdir(table):
            if re.search(r"_v0*1000$", name):
                shutil.rmtree(os.path.join(table, name))

    def read(txns=999):  # 1000 is the compactions' transaction
        nonlocal expected
        snapshot = ["--snapshot", f"d.t:{args.n}:9223372036854775807::", "--valid-txns", f"{txns}:9223372036854775807::"]
        child = Child([args.scan, "--threads", args.threads, *snapshot, table], args.open_files)
        rows, wall, cpu, kib = child.wait().split()[:4]
        if expected not in (None, rows):
            raise SystemExit(f"{rows} rows, there were {expected}")
        expected = rows
        return float(wall), float(cpu), int(kib) / 1024, child.open_files

    def show(what, wall, cpu, mib, files):
        print(f"{what:50} {wall:7.2f} s wall {cpu:7.2f} s cpu {mib:5.0f} MiB {files:4} open files", flush=True)

    remove_results()  # of a bench that was ended
    show(f"read before ({args.n} directories)", *read())
    for kind in ("minor", "major"):
        worker = Child([args.compact, "run", kind, args.file, table, str(args.n), args.threads, "keep"], args.open_files)
        reads = []
        while worker.process.poll() is None:
            reads.append(read())
        out = worker.wait()
        mib, cpu = (float(re.search(r"([\d.]+) " + unit, out).group(1)) for unit in ("MiB", "s cpu"))
        show(f"{kind} compaction, beside reads", worker.wall, cpu, mib, worker.open_files)
        for name, of in (("fastest", min), ("slowest", max)):
            show(f"{name} of {len(reads)} reads meanwhile", *of(reads))
        show(f"read after {kind}, inputs still there", *read(1000))
        if kind == "minor":
            remove_results()
    for name in os.listdir(table):
        if not name.startswith("base_"):
            shutil.rmtree(os.path.join(table, name))
    show("read when the inputs are gone", *read(1000))
    shutil.rmtree(table)


if __name__ == "__main__":
    main()
