#!/usr/bin/env python3
"""Load libskep into Python and take its Arrow streams over with pyarrow: another implementation reads what we hand out.

usage: pyarrow_test.py --libskep libskep.so --venv DIR --golden DIR --archives DIR [--orc DIR]

Makes a virtual environment below DIR with pyarrow in it (once), and runs itself there. Exit status 77 (skipped) only when pip can
reach no package. Compares tables written by real Hive with Hive's answers, and - where the folder is there - ORC files with what
pyarrow's own ORC reader (the C++ library) makes of them."""
import argparse, collections, ctypes, datetime, decimal, glob, json, os, subprocess, sys, traceback

PYARROW = "pyarrow==26.0.1"


def run_in_venv(args):
    python = os.path.join(args.venv, "bin", "python")
    if subprocess.run([python, "-c", "import pyarrow"], capture_output=True).returncode if os.path.exists(python) else True:
        subprocess.run([sys.executable, "-m", "venv", args.venv], check=True)
        pip = subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", PYARROW], capture_output=True, text=True)
        if pip.returncode:
            unreachable = ("Could not find a version", "No matching distribution", "Failed to establish", "Temporary failure", "timed out")
            print(pip.stdout + pip.stderr)
            sys.exit(77 if any(u in pip.stderr for u in unreachable) and not reaches_anything(python) else 1)
    os.execv(python, [python, os.path.abspath(__file__), *sys.argv[1:], "--in-venv"])


def reaches_anything(python):
    return subprocess.run([python, "-m", "pip", "download", "-q", "--no-deps", "-d", "/tmp/skep-pip-probe", "six"], capture_output=True).returncode == 0


# --- the C API, as include/skep/table.h has it ---

class Err(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 1024)]


class Limits(ctypes.Structure):
    _fields_ = [(n, ctypes.c_uint64) for n in ("max_tail_bytes", "max_value_bytes", "max_batch_bytes", "max_delete_bytes", "max_dir_entries")]


WARN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)


class ReadOpts(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("flags", ctypes.c_uint32), ("time_unit", ctypes.c_int), ("utf8", ctypes.c_int),
                ("batch_rows", ctypes.c_int64), ("threads", ctypes.c_uint32), ("limits", Limits), ("warn", WARN), ("warn_self", ctypes.c_void_p)]


class TableOpts(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("flags", ctypes.c_uint32), ("hive", ctypes.c_int), ("snapshot", ctypes.c_char_p),
                ("valid_txns", ctypes.c_char_p), ("schema", ctypes.c_char_p), ("partition_schema", ctypes.c_char_p),
                ("columns", ctypes.POINTER(ctypes.c_char_p)), ("n_columns", ctypes.c_size_t), ("predicate", ctypes.c_char_p),
                ("partitions", ctypes.POINTER(ctypes.c_char_p)), ("n_partitions", ctypes.c_size_t), ("evolution", ctypes.c_int),
                ("calendar", ctypes.c_int), ("split_bytes", ctypes.c_uint64), ("read", ReadOpts)]


EVERYTHING, ROW_IDS, KEEP_DICTIONARIES = 1, 2, 4
ERR_ARGUMENT, ERR_UNSUPPORTED, ERR_RANGE, ERR_SNAPSHOT, ERR_CONFLICT = 2, 6, 8, 12, 16


class SkepError(Exception):
    def __init__(self, status, text):
        super().__init__(f"{status}: {text}")
        self.status, self.text = status, text


class Skep:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.skep_table_type.restype = ctypes.c_char_p
        self.lib.skep_table_notice.restype = ctypes.c_char_p
        self.lib.skep_table_split_count.restype = ctypes.c_size_t
        self.lib.skep_table_close.argtypes = [ctypes.c_void_p]
        self.lib.skep_free_bytes.argtypes = [ctypes.c_void_p]

    def call(self, name, *args):
        err = Err()
        status = getattr(self.lib, name)(*args, ctypes.byref(err))
        if status:
            raise SkepError(status, err.text.decode())

    def read_opts(self, ns=False, batch_rows=0, threads=0, flags=0, utf8=0, warn=None):
        return ReadOpts(size=ctypes.sizeof(ReadOpts), flags=flags, time_unit=int(ns), utf8=utf8, batch_rows=batch_rows, threads=threads,
                        warn=WARN(warn) if warn else WARN())

    def open(self, paths, flags=EVERYTHING, columns=(), read=None, **texts):
        paths = [paths] if isinstance(paths, str) else paths
        opts = TableOpts(size=ctypes.sizeof(TableOpts), flags=flags, read=read or self.read_opts())
        for name, value in texts.items():
            setattr(opts, name, value.encode() if isinstance(value, str) else value)
        if columns:
            opts.columns = (ctypes.c_char_p * len(columns))(*[c.encode() for c in columns])
            opts.n_columns = len(columns)
        table = ctypes.c_void_p()
        self.call("skep_table_open", (ctypes.c_char_p * len(paths))(*[p.encode() for p in paths]), ctypes.c_size_t(len(paths)), ctypes.byref(opts),
                  ctypes.byref(table))
        return Table(self, table, read)  # the table calls read.warn later


class ArrayStream(ctypes.Structure):
    """struct ArrowArrayStream: four functions and the private data. pyarrow moves it out."""
    _fields_ = [(n, ctypes.c_void_p) for n in ("get_schema", "get_next", "get_last_error", "release", "private_data")]


def take_over(fill):
    """Calls fill(an ArrowArrayStream) and imports what it made."""
    import pyarrow
    stream = ArrayStream()
    fill(ctypes.byref(stream))
    return pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream))


class Table:
    def __init__(self, skep, handle, kept):
        self.skep, self.handle, self.kept = skep, handle, kept

    def __enter__(self): return self
    def __exit__(self, *_): self.skep.lib.skep_table_close(self.handle)

    def stream(self): return take_over(lambda to: self.skep.call("skep_table_stream", self.handle, to))
    def split_stream(self, i): return take_over(lambda to: self.skep.call("skep_table_split_stream", self.handle, ctypes.c_size_t(i), to))
    def split_count(self): return self.skep.lib.skep_table_split_count(self.handle)

    def split_bytes(self, i):
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        self.skep.call("skep_table_split_encode", self.handle, ctypes.c_size_t(i), ctypes.byref(data), ctypes.byref(size))
        copy = ctypes.string_at(data, size.value)
        self.skep.lib.skep_free_bytes(data)
        return copy


# --- Hive's text of a value, from Python's ---

def digits(value, scale): return f"{value:.{scale}f}"


def text_of(value, type_, hive):
    """What golden/README.md calls the encoding, without the escapes; floats and nested values stay comparable by value."""
    if value is None: return "\\N"
    if hive == "boolean": return "true" if value else "false"
    if hive.startswith("decimal"): return format(value, "f")
    if hive == "binary": return value.hex().upper()
    if hive == "date": return f"{value.year:04}-{value.month:02}-{value.day:02}"
    if hive == "timestamp":
        micros = f".{value.microsecond:06}".rstrip("0").rstrip(".")
        return f"{value.year:04}-{value.month:02}-{value.day:02} {value.hour:02}:{value.minute:02}:{value.second:02}{micros}"
    return str(value)


def comparable(text, hive):
    """The expected text as far as Arrow carries it: microseconds; float and double by value."""
    if text == "\\N": return text
    if hive in ("float", "double"): return repr(float(text.replace("Infinity", "inf")))
    if hive == "timestamp" and "." in text:
        base, fraction = text.split(".")
        return base + ("." + fraction[:6].rstrip("0") if fraction[:6].rstrip("0") else "")
    return text


UNESCAPE = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r", "0": "\0"}


def unescape(text):
    if text == "\\N": return text
    out, at = [], 0
    while at < len(text):
        if text[at] == "\\": out.append(UNESCAPE[text[at + 1]]); at += 2
        else: out.append(text[at]); at += 1
    return "".join(out)


def float32(text):
    import struct
    return struct.unpack("f", struct.pack("f", float(text)))[0] if text not in ("\\N",) else text


def primitive(hive): return not hive.startswith(("array", "map", "struct", "uniontype"))


def rows_of(table, types):
    """Rows as tuples of texts, primitive columns only."""
    columns = []
    for i, hive in enumerate(types):
        if not primitive(hive): continue
        values = table.column(i).to_pylist()
        if hive == "float": columns.append([v if v is None else repr(float32(str(v))) for v in values])
        elif hive == "double": columns.append([v if v is None else repr(v) for v in values])
        else: columns.append([text_of(v, None, hive) for v in values])
    columns = [["\\N" if v is None else v for v in c] for c in columns]
    return collections.Counter(zip(*columns)) if columns else collections.Counter()


def expected_rows(path, types):
    out = collections.Counter()
    with open(path, "rb") as f:
        for line in f.read().decode("utf-8", "replace").split("\n")[1:-1]:
            fields = [unescape(x) for x in line.split("\t")]
            row = []
            for text, hive in zip(fields, types):
                if not primitive(hive): continue
                if hive == "float" and text != "\\N": row.append(repr(float32(text.replace("Infinity", "inf"))))
                else: row.append(comparable(text, hive))
            out[tuple(row)] += 1
    return out


# --- the tests ---

def unpack(args, name):
    target = os.path.join(args.golden, name)
    if not os.path.isdir(target):
        os.makedirs(args.golden, exist_ok=True)
        unzip = subprocess.Popen(["zstd", "-dcq", os.path.join(args.archives, name + ".tar.zst")], stdout=subprocess.PIPE)
        subprocess.run(["tar", "-xf", "-", "-C", args.golden], stdin=unzip.stdout, check=True)
        assert unzip.wait() == 0
    return target


def struct(columns): return "struct<" + ",".join(f"{c['name']}:{c['type']}" for c in columns) + ">"


HIVE = {"4": 4, "3": 3, "2": 2, "1": 1}


def golden_opts(meta):
    opts = {"schema": struct(meta["columns"]), "hive": HIVE[meta["hive_version"][0]]}
    if meta.get("partition_columns"): opts["partition_schema"] = struct(meta["partition_columns"])
    if meta.get("valid_write_ids"): opts["snapshot"] = meta["valid_write_ids"]
    if meta.get("valid_txn_list"): opts["valid_txns"] = meta["valid_txn_list"]
    return opts


def test_tables_of_hive_read_as_hive_reads_them(skep, args):
    compared = 0
    for scenario in ("01-basic", "02-partitioned", "03-bucketed", "04-types", "05-merge-multi", "07-compaction", "10-evolution", "11-original",
                     "13-insert-only", "20-hive2-basic", "21-hive3-types", "22-hive2-upgraded-a"):
        folder = unpack(args, scenario)
        for meta_path in sorted(glob.glob(os.path.join(folder, "*", "meta.json"))):
            snapshot, meta = os.path.dirname(meta_path), json.load(open(meta_path))
            has = lambda name: os.path.exists(os.path.join(snapshot, name))
            if has("not_compared.txt") or has("cat_options.txt") or not os.path.isdir(os.path.join(snapshot, "table")): continue
            if "orc" not in meta.get("input_format", "orc").lower(): continue
            acid = has("expected.tsv") and not has("ids_not_compared.txt")
            answer = os.path.join(snapshot, "expected.tsv" if acid else "expected_plain.tsv")
            if not os.path.exists(answer): continue
            types = (["bigint", "int", "bigint"] if acid else []) + [c["type"] for c in meta["columns"] + (meta.get("partition_columns") or [])]
            with skep.open(os.path.join(snapshot, "table"), flags=ROW_IDS if acid else 0, **golden_opts(meta)) as table:
                got = table.stream().read_all()
            got.validate(full=True)
            want, have = expected_rows(answer, types), rows_of(got, types)
            assert want == have, f"{snapshot}: missing {list((want - have))[:2]} extra {list((have - want))[:2]}"
            compared += 1
    assert compared > 60, compared


def test_the_documented_example_reads_a_table(skep, args):
    example = os.path.join(os.path.dirname(os.path.abspath(__file__)), "read_table.py")
    path = os.path.join(unpack(args, "01-basic"), "04-more", "table")
    for snapshot, n in ((None, 7), ("s01.people:1:9223372036854775807::", 5)):
        ran = subprocess.run([sys.executable, example, path] + ([snapshot] if snapshot else []), env={**os.environ, "LIBSKEP": args.libskep},
                             capture_output=True, text=True, check=True)
        rows = [eval(line, {"Decimal": decimal.Decimal}) for line in ran.stdout.splitlines()]
        assert len(rows) == n and list(rows[0]) == ["id", "name", "age", "balance"], rows


def test_the_documented_example_changes_tables_and_takes_rows(skep, args):
    import datetime as dt, importlib, shutil, tempfile
    import pyarrow as pa
    os.environ["LIBSKEP"] = args.libskep
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    example = importlib.import_module("warehouse")
    given = pa.table({
        "ID": pa.array(range(50000), pa.int64()),
        "name": pa.array([None if i % 7 == 0 else f"name {i % 100}" for i in range(50000)]).dictionary_encode(),
        "amount": pa.array([decimal.Decimal(i) / 100 for i in range(50000)], pa.decimal128(12, 2)),
        "at": pa.array([dt.datetime(2024, 1, 1) + dt.timedelta(microseconds=i) for i in range(50000)], pa.timestamp("us")),
        "day": pa.array([dt.date(2024, 1, 1 + i % 3) for i in range(50000)]),
        "tags": pa.array([[f"t{i % 5}", None] if i % 2 else [] for i in range(50000)], pa.list_(pa.large_string())),
        "point": pa.array([{"x": i, "y": i % 2 == 0} for i in range(50000)]),
    })
    here = tempfile.mkdtemp(prefix="skep-warehouse-")
    try:
        c = example.Connection(here)
        assert c.run("CREATE TABLE t (id BIGINT, name STRING, amount DECIMAL(12,2), at TIMESTAMP, day DATE, tags ARRAY<STRING>, "
                     "point STRUCT<x:BIGINT,y:BOOLEAN>)") is None
        c.give("Batch", given)
        c.run("INSERT INTO t SELECT * FROM batch")
        back = c.query("SELECT * FROM t ORDER BY id")
        assert [n.rpartition(".")[2] for n in back.column_names] == [n.lower() for n in given.column_names], back.column_names
        for ours, theirs in zip(back.columns, given.columns):
            assert ours.to_pylist() == theirs.to_pylist(), ours.type
        c.take_back("batch")
        c.give("batch", pa.table({"id": pa.array([1, 2, 70000], pa.int64()), "gone": [True, False, False]}))
        c.run("MERGE INTO t USING batch b ON t.id = b.id WHEN MATCHED AND b.gone THEN DELETE WHEN MATCHED THEN UPDATE SET name = 'merged' "
              "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (b.id, 'new')")
        assert c.query("SELECT id, name FROM t WHERE id < 3 OR name IN ('merged', 'new') ORDER BY id").to_pydict() == {
            "id": [0, 2, 70000], "name": [None, "merged", "new"]}
        try:
            c.give("later", pa.table({"id": pa.array([1], pa.duration("s"))}))
            raise AssertionError("a duration was taken")
        except example.SkepError as e:
            assert e.status == ERR_UNSUPPORTED, e
        other = example.Connection(here)
        c.run("SET hive.txn.xlock.write=false; START TRANSACTION; UPDATE t SET name = 'a' WHERE id = 0")
        other.run("SET hive.txn.xlock.write=false; UPDATE t SET name = 'b' WHERE id = 0")
        try:
            c.run("COMMIT")
            raise AssertionError("two changed one row")
        except example.SkepError as e:
            assert e.status == ERR_CONFLICT, e
        assert c.query("SELECT name FROM t WHERE id = 0").to_pydict() == {"name": ["b"]}
        other.close()
        c.close()
    finally:
        shutil.rmtree(here)


def test_splits_from_bytes_give_the_rows_of_the_table(skep, args):
    import pyarrow
    path = os.path.join(unpack(args, "05-merge-multi"), "03-final", "table")
    path = path if os.path.isdir(path) else sorted(glob.glob(os.path.join(args.golden, "05-merge-multi", "*", "table")))[-1]
    read = skep.read_opts()
    with skep.open(path) as table:
        whole = table.stream().read_all()
        pieces = []
        for i in range(table.split_count()):
            data = table.split_bytes(i)
            pieces.append(take_over(lambda to: skep.call("skep_split_stream", data, ctypes.c_size_t(len(data)), ctypes.byref(read), to)).read_all())
        assert pyarrow.concat_tables(pieces).equals(whole) if pieces else whole.num_rows == 0
        assert pyarrow.concat_tables([table.split_stream(i).read_all() for i in range(table.split_count())]).equals(whole)


def test_threads_and_batch_sizes_change_nothing(skep, args):
    path = os.path.join(unpack(args, "16-large"))
    path = sorted(glob.glob(os.path.join(path, "*", "table")))[-1]
    results = []
    for threads, rows in ((1, 0), (4, 1000), (3, 65536)):
        with skep.open(path, read=skep.read_opts(threads=threads, batch_rows=rows)) as table:
            results.append(table.stream().read_all())
    assert all(r.equals(results[0]) for r in results[1:]) and results[0].num_rows > 1000


def test_dictionaries_are_kept_on_request(skep, args):
    import pyarrow
    path = sorted(glob.glob(os.path.join(unpack(args, "16-large"), "*", "table")))[-1]
    with skep.open(path) as plain, skep.open(path, read=skep.read_opts(flags=KEEP_DICTIONARIES)) as kept:
        a, b = plain.stream().read_all(), kept.stream().read_all()
    assert any(pyarrow.types.is_dictionary(f.type) for f in b.schema)
    for name in a.column_names:
        column = b.column(name)
        if pyarrow.types.is_dictionary(column.type): column = column.cast(column.type.value_type)
        assert column.combine_chunks().equals(a.column(name).combine_chunks()), name


def test_nanoseconds_outside_of_their_range_are_an_error_that_names_the_value(skep, args):
    path = os.path.join(unpack(args, "04-types"), "01-insert", "table")
    with skep.open(path, read=skep.read_opts(ns=True)) as table:
        try:
            table.stream().read_all()
            assert False, "0001-01-01 fits no 64-bit nanoseconds"
        except Exception as e:
            assert "0001-01-01" in str(e), e
    with skep.open(path, columns=["c_ts"]) as table:
        years = {v.year for v in table.stream().read_all().column(0).to_pylist() if v}
        assert 1 in years, years


def test_a_missing_snapshot_is_refused(skep, args):
    path = os.path.join(unpack(args, "01-basic"), "07-final", "table")
    try:
        skep.open(path, flags=0)
        assert False, "opened"
    except SkepError as e:
        assert e.status == ERR_SNAPSHOT, e


def test_strings_that_are_no_utf8_are_replaced_or_refused(skep, args):
    path = sorted(glob.glob(os.path.join(unpack(args, "23-hive1-basic"), "01-*", "table")))[0]
    said = []
    with skep.open(path, hive=1, read=skep.read_opts(warn=lambda _, line: said.append(line))) as table:
        table.stream().read_all().validate(full=True)
    assert len(said) == 1, said
    with skep.open(path, hive=1, read=skep.read_opts(utf8=1)) as table:
        try:
            table.stream().read_all()
            assert False, "invalid UTF-8 passed"
        except Exception as e:
            assert "UTF-8" in str(e), e


def same_value(a, b):
    if isinstance(a, float) and isinstance(b, float): return a == b or (a != a and b != b)
    if isinstance(a, dict) and isinstance(b, dict): return list(a) == list(b) and all(same_value(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)): return len(a) == len(b) and all(map(same_value, a, b))
    return a == b


def test_orc_files_read_as_the_cpp_library_reads_them(skep, args):
    """Up to 3000 rows a file. Left out: what pyarrow cannot read (no struct at the root, lzo, damaged files), files whose timestamps
    the C++ library shifts to UTC, and unions (a NULL union is written differently)."""
    import pyarrow, pyarrow.orc
    if not args.orc or not os.path.isdir(args.orc):
        print("   (no folder of ORC files)")
        return
    compared = 0
    for path in sorted(glob.glob(os.path.join(args.orc, "*.orc"))):
        name = os.path.basename(path)
        try:
            file = pyarrow.orc.ORCFile(path)
            types = [f.type for f in file.schema]
            if any("union" in str(t) for t in types) or file.nrows == 0: continue
            theirs = file.read_stripe(0).slice(0, 3000)
        except (pyarrow.ArrowInvalid, OSError, NotImplementedError):
            continue
        with skep.open(path) as table:
            ours = table.stream().read_next_batch().slice(0, 3000)
        n = min(ours.num_rows, theirs.num_rows)
        for i, field in enumerate(theirs.schema):
            if "timestamp" in str(field.type) or (str(field.type).startswith("decimal") and "orc-file-11" in name): continue
            a, b = theirs.column(i).slice(0, n).to_pylist(), ours.column(i).slice(0, n).to_pylist()
            if str(field.type) == "string": a, b = [v and v.rstrip(" ") for v in a], [v and v.rstrip(" ") for v in b]
            bad = [k for k in range(n) if not same_value(a[k], b[k])]
            assert not bad, f"{name} column {field.name}: row {bad[0]}: {a[bad[0]]!r} for C++, {b[bad[0]]!r} for skep"
        compared += 1
    assert compared > 15, compared


def main():
    parser = argparse.ArgumentParser()
    for name in ("--libskep", "--venv", "--golden", "--archives"): parser.add_argument(name, required=True)
    parser.add_argument("--orc")
    parser.add_argument("--in-venv", action="store_true")
    args = parser.parse_args()
    if not args.in_venv: run_in_venv(args)
    skep, failed = Skep(args.libskep), 0
    for name, test in list(globals().items()):
        if not name.startswith("test_"): continue
        try:
            test(skep, args)
            print("ok  ", name, flush=True)
        except Exception:
            failed += 1
            print("FAIL", name, traceback.format_exc(limit=-2), flush=True)
    sys.exit(1 if failed else 0)


main()
