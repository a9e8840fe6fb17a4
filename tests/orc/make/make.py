#!/usr/bin/env python3
"""Makes ../files and ../queries.tsv again. Not run by ./check: it needs Java libraries of several releases, pyorc, pyarrow and protobuf.

usage: make.py LIBS     LIBS/orc-1.5.13, LIBS/orc-1.9.5, LIBS/orc-2.0.2: folders with the jars of orc-core (mvn dependency:copy-dependencies),
                        hadoop-client-api, hadoop-client-runtime, hive-storage-api and, from 1.9 on, protobuf-java

cases.tsv lists what MakeOrc.java writes; cpp.py what the C++ library writes; edit.py what is changed afterwards; queries() the predicates,
whose answers are computed here from the rows."""
import datetime, glob, json, os, random, re, shutil, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
OUT = os.path.join(HERE, "..", "files")


def java(libs, build):
    for release in ("1.5.13", "1.9.5", "2.0.2"):
        classes, jars = os.path.join(build, release), os.path.join(libs, f"orc-{release}", "*")
        sources = [os.path.join(HERE, f"{n}.java") for n in ("MakeOrc", "DumpOrc", "EncryptOrc") if n != "EncryptOrc" or release > "1.6"]
        subprocess.run(["javac", "-nowarn", "-cp", jars, "-d", classes, *sources], check=True)
        subprocess.run(["java", "-cp", f"{classes}:{jars}", "MakeOrc", os.path.join(HERE, "cases.tsv"), release, OUT], check=True)


def edited():
    import edit, orcfile
    lines = []
    for functions, refused in ((edit.SAME, False), (edit.REFUSED, True)):
        for name, change in functions.items():
            with open(os.path.join(OUT, change.base + ".orc"), "rb") as f:
                orc = orcfile.OrcFile(f.read())
            change(orc, random.Random(name))
            name = ("bad-" if refused else "edited-") + name.replace("_", "-")
            with open(os.path.join(OUT, name + ".orc"), "wb") as f:
                f.write(orc.bytes())
            if refused:
                lines.append((name, "", "refused"))
            else:
                lines.append((name, "", "as " + change.base))
    return lines


def load(name):
    with open(os.path.join(OUT, name + ".rows"), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def ranges(numbers):
    out = []
    for n in numbers:
        if out and out[-1][1] == n - 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in out)


def queries():
    """(file, arguments, answer): predicates with the numbers of the rows for which they hold."""
    lines = []

    def ask(name, where, holds, rows_of=None):
        hits = [i for i, row in enumerate(load(rows_of or name)) if holds(row)]
        lines.append((name, "--where " + where, "rows " + ranges(hits) + (f" of {rows_of}" if rows_of else "")))

    some = lambda key, test: lambda row: row[key] is not None and test(row[key])
    g = load("groups")
    a = [x["a"] for x in g if x["a"] is not None]
    middle, last = a[len(a) // 2], a[-1]
    ask("groups", f"a = {middle}", some("a", lambda v: v == middle))
    ask("groups", f"a > {last - 3}", some("a", lambda v: v > last - 3))
    ask("groups", f"a < {a[0] + 3} or a in ({middle}, {last})", some("a", lambda v: v < a[0] + 3 or v in (middle, last)))
    t = next(x["t"] for x in g[1500:] if x["t"])  # ORC-135, ORC-705: statistics in UTC, values in the writer's zone
    ask("groups", f"t = timestamp '{t}'", some("t", lambda v: v == t))
    ask("groups", f"t > timestamp '{t}'", some("t", lambda v: v > t))
    ask("groups", f"t <= timestamp '{t}' and d is null", lambda row: row["t"] is not None and row["t"] <= t and row["d"] is None)
    d = next(x["d"] for x in g[2100:] if x["d"])
    ask("groups", f"d = {d}", some("d", lambda v: v == d))
    ask("groups", f"not (d < {d}) and a between {middle} and {last}",
        lambda row: row["d"] is not None and row["a"] is not None and float(row["d"]) >= float(d) and middle <= row["a"] <= last)
    # calendars: the same year, month and day whatever the file's calendar
    for name in ("calendar-hybrid-us-pacific", "calendar-hybrid-utc", "calendar-proleptic-us-pacific", "calendar-proleptic-utc"):
        for key, literal in (("a", "date '%s'"), ("b", "timestamp '%s'")):
            for value in sorted({x[key] for x in load(name) if x[key] is not None})[::25]:
                for op, test in (("=", lambda v, w: v == w), ("<", lambda v, w: v < w), (">=", lambda v, w: v >= w)):
                    ask(name, f"{key} {op} {literal % value}", some(key, lambda v: test(v, value)))
    # C++ row groups of ten rows
    n = "cpp-groups"
    for v in (-100, -1, 0, 99):
        ask(n, f"i = {v}", some("i", lambda x: x == v))
    ask(n, "f = -0.0", some("f", lambda x: x in (0.0, -0.0) and not isinstance(x, str)))
    ask(n, "f < 0", some("f", lambda x: x == "-Infinity" or (not isinstance(x, str) and x < 0)))
    ask(n, "f = 2.5", some("f", lambda x: x == 2.5))
    ask(n, "c = 'c3'", some("c", lambda x: x.rstrip() == "c3"))
    ask(n, "d = date '1969-12-31'", some("d", lambda x: x == "1969-12-31"))
    ask(n, "m = -0.1", some("m", lambda x: x == "-0.1"))
    ask(n, "m between -0.2 and 0.2", some("m", lambda x: abs(float(x)) <= 0.2))
    ask(n, "n is null", lambda row: row["n"] is None)
    ask(n, "n is not null and i < -60", lambda row: row["n"] is not None and row["i"] < -60)
    # ORC-2151: the last second before 1970 reads one second late, also under a predicate
    ask(n, "t < timestamp '1970-01-01 00:00:00'", some("t", lambda x: x < "1970-01-01 00:00:00"))
    ask(n, "t >= timestamp '1970-01-01 00:00:00'", some("t", lambda x: x >= "1970-01-01 00:00:00"))
    # ORC-1796
    for key in ("ts", "it", "st"):
        ask("edited-no-has-null", f"{key} is null", lambda row: row[key] is None, "edit")
    # wrong on purpose
    negative = load("edit-negative")
    for name in ("edited-bloom-of-old-cpp", "edited-short-decimals-of-orc-135", "edited-texts-before-hive-8732", "edit-negative"):
        low = min(x["a"] for x in negative if x["a"] is not None)
        ask(name, f"a = {low}", some("a", lambda x: x == low), "edit-negative")
        high = max((x["d"] for x in negative if x["d"] is not None), key=float)
        ask(name, f"d = {high}", some("d", lambda x: x == high), "edit-negative")
        ask(name, "s = 'ppp' or s < 'b'", some("s", lambda x: x == "ppp" or x < "b"), "edit-negative")
    # encrypted columns: the others can be read
    for name, hidden, others in (("encrypted-nullify", "b", "a,c"), ("encrypted-redact", "a", "b,c")):
        lines.append((name, "", f'refused ("{hidden}") is encrypted'))
        lines.append((name, f"--columns {hidden}", f'refused ("{hidden}") is encrypted'))
        lines.append((name, f"--columns {others}", f"rows 0-{len(load(name)) - 1}"))
    return lines


def main():
    libs = os.path.abspath(sys.argv[1])
    shutil.rmtree(OUT, ignore_errors=True)
    os.makedirs(OUT)
    with tempfile.TemporaryDirectory() as build:
        subprocess.run(["protoc", "-I", os.path.join(HERE, "../../../src/orc"), f"--python_out={build}", "orc_proto.proto"], check=True)
        sys.path.insert(0, build)
        import cpp
        java(libs, build)
        cpp.make(OUT)
        lines = edited() + queries()
    for crc in glob.glob(os.path.join(OUT, ".*.crc")):
        os.remove(crc)
    with open(os.path.join(HERE, "..", "queries.tsv"), "w", encoding="utf-8") as f:
        f.write("file\targuments\tanswer\n")
        f.writelines("\t".join(line) + "\n" for line in lines)


main()
