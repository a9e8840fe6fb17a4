#!/usr/bin/env python3
"""Random transactions of many processes on one warehouse, and the verdict on what they saw.

usage: history.py --drive PATH [--mode x|w|row] [--processes N] [--transactions N] [--seed N] [--metastore URL] [--kill] [--alone] [--compact] [--turns]
                  [--wrong FAULT]... [--harmless] [--keep]

Without --wrong the history must be one of snapshot isolation. With --wrong a rule of transactions is broken in all processes (db/faults.h),
and the checker must notice; the fault is tried on a few seeds. --harmless: it must not show (another rule is enough)."""
import argparse, collections, os, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import check  # noqa: E402


def run(args, seed, here):
    """(exit status, problems, history) of one run."""
    command = [args.drive, here, "--mode", args.mode, "--processes", str(args.processes), "--transactions", str(args.transactions), "--seed", str(seed)]
    command += ["--metastore", args.metastore] if args.metastore else []
    command += ["--kill"] if args.kill else []
    command += [word for wrong in args.wrong for word in ("--wrong", wrong)]
    command += [word for word in ("--alone", "--compact", "--turns") if getattr(args, word[2:])]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    path = os.path.join(here, "history.jsonl")
    if done.returncode == 77:
        sys.exit(77)
    if done.returncode and not (args.wrong and not args.harmless):
        sys.exit(f"seed {seed}: the processes ended with {done.returncode}\n{done.stderr}")
    history = check.History(check.read(path) if os.path.exists(path) else [])
    return history.check(), history


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--drive", required=True)
    parser.add_argument("--mode", default="x", choices=["x", "w", "row"])
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--transactions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(3), "big"))
    parser.add_argument("--metastore")
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--alone", action="store_true", help="no START TRANSACTION")
    parser.add_argument("--compact", action="store_true", help="compactions and cleaning between transactions")
    parser.add_argument("--turns", action="store_true", help="one process moves at a time, as the seed says: transactions overlap on any machine")
    parser.add_argument("--wrong", action="append", default=[])
    parser.add_argument("--harmless", action="store_true")
    parser.add_argument("--keep", action="store_true")
    args = parser.parse_args()
    must_show = args.wrong and not args.harmless
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) and shutil.disk_usage("/dev/shm").free > 1 << 30 else None
    for attempt in range(20 if must_show else 1):
        here = tempfile.mkdtemp(prefix="skep-history-", dir=base)
        problems, history = run(args, args.seed + attempt, here)
        count = collections.Counter(t.status for t in history.txns)
        print(f"seed {args.seed + attempt}, {args.mode}: {len(history.txns)} transactions, {count['ok']} committed, {history.n_dependencies} dependencies, {len(problems)} anomalies")
        for kind, text in problems[: 3 if must_show else 20]:
            print(f"  {kind}: {text[:400]}")
        if problems and not must_show:
            sys.exit(f"not snapshot isolation; kept: {here}")
        if not args.keep:
            shutil.rmtree(here, ignore_errors=True)
        if not must_show and count["ok"] * 4 < len(history.txns):
            sys.exit("three of four transactions failed: that proves nothing")
        if problems:
            return
    if must_show:
        sys.exit(f"{' '.join(args.wrong)} was not noticed")


main()
