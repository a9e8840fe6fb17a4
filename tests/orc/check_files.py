#!/usr/bin/env python3
"""Reads the ORC files of this folder with skep and compares with the rows that are known.

usage: check_files.py --skep PATH [NAME-PART...]

Every files/x.orc with a files/x.rows must give exactly these rows, on one thread and on two, and skep inspect must describe it. Then the lines of
queries.tsv: arguments of skep cat with their answer,
  rows 0-4,9      these lines of x.rows, each with the columns that were asked for; "rows 0-4 of y": of y.rows
  as y            all lines of y.rows
  refused TEXT    exit status 1, a message (with TEXT in it), no signal
The last line counts: "N passed, N failed"."""
import argparse, csv, json, math, os, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
FILES = os.path.join(HERE, "files")


def same(want, have):
    """Values are equal; floats by value; char without its padding (Java's reader strips it)."""
    if isinstance(want, dict) and isinstance(have, dict):
        return set(have) <= set(want) and all(same(want[k], v) for k, v in have.items())
    if isinstance(want, list) and isinstance(have, list):
        return len(want) == len(have) and all(map(same, want, have))
    if isinstance(want, str) and isinstance(have, str):
        return want.rstrip(" ") == have.rstrip(" ")
    if isinstance(want, float) or isinstance(have, float):
        return isinstance(want, (int, float)) and isinstance(have, (int, float)) and math.copysign(1, want) == math.copysign(1, have) and want == have
    return type(want) is type(have) and want == have


def rows_of(name):
    with open(os.path.join(FILES, name + ".rows"), encoding="utf-8") as f:
        return f.read().split("\n")[:-1]


def picked(rows, ranges):
    for part in filter(None, ranges.split(",")):
        first, _, last = part.partition("-")
        yield from rows[int(first):int(last or first) + 1]


def run(skep, *words):
    done = subprocess.run([skep, *words], capture_output=True)
    return done.returncode, done.stdout.decode("utf-8", "surrogateescape"), done.stderr.decode(errors="replace").strip()


def compare(skep, name, arguments, want):
    code, out, message = run(skep, "cat", "--silent", "--outputformat=json", *arguments, os.path.join(FILES, name + ".orc"))
    if code:
        return f"exit {code}: {message[-300:]}"
    have = out.split("\n")[:-1]
    if len(want) != len(have):
        return f"{len(want)} rows wanted, {len(have)} read"
    for i, (w, h) in enumerate(zip(want, have)):
        if w != h and not same(json.loads(w), json.loads(h)):
            return f"row {i}: wanted {w[:200]} read {h[:200]}"
    return ""


def refused(skep, name, arguments, text):
    code, _, message = run(skep, "cat", "--outputformat=json", *arguments, os.path.join(FILES, name + ".orc"))
    if code != 1:
        return f"exit {code} instead of 1"
    return "" if message and text in message else f"message: {message[:300]}"


def answer(skep, name, arguments, expected):
    kind, _, rest = expected.partition(" ")
    if kind == "refused":
        return refused(skep, name, arguments, rest)
    if kind == "as":
        return compare(skep, name, arguments, rows_of(rest))
    ranges, _, other = rest.partition(" of ")
    return compare(skep, name, arguments, list(picked(rows_of(other or name), ranges)))


def inspects(skep, name):
    code, out, message = run(skep, "inspect", "--json", os.path.join(FILES, name + ".orc"))
    if code:
        return f"inspect: exit {code}: {message[:200]}"
    return "" if "type" in json.loads(out) else "inspect: no type"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--skep", required=True)
    parser.add_argument("part", nargs="*")
    a = parser.parse_args()
    with open(os.path.join(HERE, "queries.tsv"), encoding="utf-8") as f:
        queries = [tuple(r.values()) for r in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)]
    special = {name for name, arguments, _ in queries if not arguments}  # a line says how the whole file reads
    names = sorted(n[:-4] for n in os.listdir(FILES) if n.endswith(".orc"))
    passed = failed = 0

    def result(what, why):
        nonlocal passed, failed
        passed, failed = passed + (not why), failed + bool(why)
        if why:
            print(f"FAIL {what}: {why}", flush=True)

    wanted = lambda name: not a.part or any(p in name for p in a.part)
    for name in filter(wanted, names):
        if not name.startswith("bad-"):
            result(name, inspects(a.skep, name))
        if name not in special:
            for threads in "12":
                result(name, compare(a.skep, name, ["--threads", threads], rows_of(name)))
    for name, arguments, expected in queries:
        if wanted(name):
            words = ["--where", arguments[8:]] if arguments.startswith("--where ") else arguments.split()
            result(f"{name} {arguments}", answer(a.skep, name, words, expected))
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed or not passed else 0)


main()
