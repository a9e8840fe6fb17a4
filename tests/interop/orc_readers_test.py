#!/usr/bin/env python3
"""Files that Skep wrote, read by the C++ library through pyarrow and pyorc: every value must be the one that was written.

usage: orc_readers_test.py --samples PROGRAM --venv DIR --out DIR

PROGRAM writes pairs NAME.orc, NAME.jsonl into DIR. Makes a virtual environment below DIR with the readers in it (once), and runs
itself there; exit status 77 (skipped) only when pip cannot reach any package."""
import argparse, datetime, decimal, glob, json, math, os, shutil, struct, subprocess, sys

READERS = ["pyarrow==26.0.1", "pyorc==0.12.0"]


def run_in_venv(args):
    python = os.path.join(args.venv, "bin", "python")
    have = os.path.exists(python) and subprocess.run([python, "-c", "import pyarrow, pyorc"], capture_output=True).returncode == 0
    if not have:
        subprocess.run([sys.executable, "-m", "venv", args.venv], check=True)
        pip = subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *READERS], capture_output=True, text=True)
        if pip.returncode:
            unreachable = ("Could not find a version", "No matching distribution", "Failed to establish", "Temporary failure", "timed out")
            print(pip.stdout + pip.stderr)
            sys.exit(77 if any(u in pip.stderr for u in unreachable) else 1)
    os.execv(python, [python, os.path.abspath(__file__), *sys.argv[1:], "--in-venv"])


def nanos_of(text):
    """'2001-02-03 04:05:06.7' -> nanoseconds since 1970."""
    head, _, fraction = text.rstrip("Z").replace("T", " ").partition(".")
    seconds = (datetime.datetime.fromisoformat(head) - datetime.datetime(1970, 1, 1)) // datetime.timedelta(seconds=1)
    return seconds * 10**9 + int((fraction + "0" * 9)[:9])


def same_float(want, got):
    want = float(want)
    if math.isnan(want):
        return math.isnan(got)
    return got in (want, struct.unpack("f", struct.pack("f", want))[0] if abs(want) < 3.4e38 else want)


def same(want, got):
    """want: from JSON; got: what a reader made of it."""
    if isinstance(want, dict) and set(want) == {"tag", "value"}:
        return same(want["value"], got)
    if want is None or got is None:
        return want is None and got is None
    if isinstance(got, bool) or isinstance(want, bool):
        return want is got
    if isinstance(got, decimal.Decimal):
        return decimal.Decimal(want) == got
    if isinstance(got, float):
        return same_float(want, got)
    if isinstance(got, datetime.datetime):
        got = got.replace(tzinfo=None)
        return nanos_of(want) // 1000 == (got - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)
    if isinstance(got, datetime.date):
        return got.isoformat() == want
    if isinstance(got, bytes):
        return bytes(want) == got
    if isinstance(want, list) and want and isinstance(want[0], dict) and set(want[0]) == {"key", "value"}:
        return same_map(want, got)
    if isinstance(want, list):
        return len(want) == len(got) and (isinstance(got, dict) or all(map(same, want, got)))
    if isinstance(want, dict):
        return set(want) == set(got) and all(same(want[k], got[k]) for k in want)
    return type(want) is type(got) and want == got


def same_map(want, got):
    """A reader whose maps are Python's keeps the last of equal keys."""
    if isinstance(got, dict):
        last = {entry["key"]: entry["value"] for entry in want}
        return set(last) == set(got) and all(same(last[k], got[k]) for k in last)
    return len(want) == len(got) and all(same(w["key"], k) and same(w["value"], v) for w, (k, v) in zip(want, got))


def compare(reader, name, want, got):
    assert len(want) == len(got), f"{reader} {name}: {len(got)} rows of {len(want)}"
    for number, (w, g) in enumerate(zip(want, got)):
        for column in w:
            if not same(w[column], g[column]):
                raise AssertionError(f"{reader} {name}: row {number} {column}: wrote {w[column]!r}, read {g[column]!r}")


def with_pyarrow(path, name, want):
    import pyarrow as pa
    import pyarrow.orc
    table = pa.orc.ORCFile(path).read()
    columns = {}
    for column in table.column_names:
        values = table.column(column)
        if pa.types.is_timestamp(values.type):  # Python's own would lose nanoseconds
            got = values.cast(pa.int64()).to_pylist()
            for w, g in zip(want, got):
                assert (w[column] is None) == (g is None) and (g is None or nanos_of(w[column]) == g), \
                    f"pyarrow {name}: {column}: wrote {w[column]}, read {g}"
        else:
            columns[column] = values.to_pylist()
    want = [{c: w[c] for c in columns} for w in want]
    compare("pyarrow", name, want, [dict(zip(columns, row)) for row in zip(*columns.values())])


def with_pyorc(path, name, want):
    import pyorc
    with open(path, "rb") as file:
        reader = pyorc.Reader(file, struct_repr=pyorc.StructRepr.DICT)
        compare("pyorc", name, want, list(reader))
    with open(path, "rb") as file:  # statistics of the first column: read as the C++ library understands them
        reader = pyorc.Reader(file)
        first = next(iter(want[0]))
        nulls = any(w[first] is None for w in want)
        stats = reader[1].statistics
        assert stats["has_null"] == nulls and stats["number_of_values"] == sum(w[first] is not None for w in want), f"{name}: {stats}"


def main():
    parser = argparse.ArgumentParser()
    for option in ("--samples", "--venv", "--out"):
        parser.add_argument(option, required=True)
    parser.add_argument("--in-venv", action="store_true")
    args = parser.parse_args()
    if not args.in_venv:
        run_in_venv(args)
    shutil.rmtree(args.out, ignore_errors=True)
    os.makedirs(args.out)
    subprocess.run([args.samples, args.out], check=True)
    paths = sorted(glob.glob(os.path.join(args.out, "*.orc")))
    assert paths
    for path in paths:
        name = os.path.basename(path)
        with open(path[:-4] + ".jsonl", encoding="utf-8") as rows:
            want = [json.loads(line) for line in rows]
        with_pyorc(path, name, want)
        if name != "unions.orc":  # pyarrow does not read unions
            with_pyarrow(path, name, want)
        print(f"{name}: {len(want)} rows equal")


main()
