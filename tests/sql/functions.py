#!/usr/bin/env python3
"""Expressions and what Hive 4.0.1 answered (golden 18-functions), asked again: the same value and type, or a clear refusal.

usage: functions.py --skep PATH --archives DIR [--verbose] [--refused]

An answer that differs is a failure, unless functions_known.txt names the expression (one a line, with the reason after a tab); a
function that is not there yet is refused, which is counted and printed. Where Hive refuses, Skep must."""
import argparse, collections, os, re, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from session import Session, environment  # noqa: E402

SEVERAL = r"(json_tuple|inline|posexplode|stack)\("  # of functions with several columns the golden file has the first
HERE = os.path.dirname(os.path.abspath(__file__))


def unescape(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}.get(m[1], m[1]), text)


def load(archives):
    with tempfile.TemporaryDirectory() as here:
        unzip = subprocess.Popen(["zstd", "-dcq", os.path.join(archives, "18-functions.tar.zst")], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-xf", "-", "-C", here], stdin=unzip.stdout, check=True)
        lines = open(os.path.join(here, "18-functions", "functions.tsv"), encoding="utf-8").read().split("\n")[1:]
    return [line.split("\t") for line in lines if line]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--skep", required=True)
    parser.add_argument("--archives", required=True)
    parser.add_argument("--verbose", action="store_true", help="print every answer that differs, the known ones too")
    parser.add_argument("--refused", action="store_true", help="print what is refused")
    args = parser.parse_args()
    args.skep = os.path.abspath(args.skep)
    path = os.path.join(HERE, "functions_known.txt")
    known = {line.split("\t")[0] for line in open(path, encoding="utf-8").read().split("\n") if line and not line.startswith("#")}
    n, wrong, unused = collections.Counter(), [], set(known)
    with tempfile.TemporaryDirectory() as here:
        session = Session(args.skep, os.path.join(here, "warehouse"), [], environment(args.skep))
        for expression, kind, want in load(args.archives):
            rows, err = session.run("SELECT " + unescape(expression))
            if "the program ended" in err:
                sys.exit(f"the program ended at SELECT {expression}: {err}")
            if kind == "ERROR":
                result = "right" if err else "wrong"
                have = rows
            elif err:
                result, have = "refused", err.strip()
                if args.refused:
                    print(f"refused: {expression}: {have[:200]}")
            else:
                first = [row.split("\t")[0] for row in rows] if re.match(SEVERAL, expression) else rows
                result, have = ("right" if first == [want] else "wrong"), rows
            if result == "wrong":
                unused.discard(expression)
                result = "known" if expression in known else "wrong"
                if args.verbose or result == "wrong":
                    print(f"{result}: {expression}: Hive has {kind} {want[:150]}, we {have}")
            n[result] += 1
        session.close()
    print(", ".join(f"{count} {result}" for result, count in sorted(n.items())))
    for expression in sorted(unused):
        print(f"no longer wrong, take it out of functions_known.txt: {expression}")
    sys.exit(1 if n["wrong"] or not n["right"] else 0)


main()
