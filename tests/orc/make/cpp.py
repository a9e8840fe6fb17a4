"""Files of the C++ library (pyorc, pyarrow). The rows are the values that were handed to the writer."""
import datetime, decimal, json, math, random, struct, zoneinfo
import pyarrow as pa, pyarrow.orc, pyorc

EPOCH = datetime.date(1970, 1, 1)
CODECS = pyorc.CompressionKind


def shortest_float(v):
    return next(t for t in (f"{v:.{p}g}" for p in range(1, 10)) if struct.unpack("f", struct.pack("f", float(t)))[0] == v)


def text(v, kind):
    """A value as `skep cat --outputformat=json` writes it; kind is a pyorc type."""
    name = type(kind).__name__.lower()
    if v is None:
        return "null"
    if name == "array":
        return "[" + ",".join(text(x, kind.type) for x in v) + "]"
    if name == "map":
        return "[" + ",".join(f'{{"key":{text(a, kind.key)},"value":{text(b, kind.value)}}}' for a, b in v.items()) + "]"
    if name == "struct":
        return "{" + ",".join(json.dumps(n) + ":" + text(x, k) for (n, k), x in zip(kind.fields.items(), v)) + "}"
    if name in ("float", "double") and not math.isfinite(v):
        return '"NaN"' if math.isnan(v) else '"Infinity"' if v > 0 else '"-Infinity"'
    if name == "float":
        return shortest_float(v) if v else repr(v)
    if name == "binary":
        return "[" + ",".join(map(str, v)) + "]"
    if name in ("date",):
        return f'"{v.isoformat()}"'
    if name.startswith("timestamp"):
        before = datetime.datetime(1970, 1, 1, tzinfo=v.tzinfo) - v
        if datetime.timedelta(0) < before <= datetime.timedelta(milliseconds=999) and v.utcoffset() in (None, datetime.timedelta(0)):
            v += datetime.timedelta(seconds=1)  # what every reader sees in the last second before 1970 (docs/deviations.md)
        fraction = f"{v.microsecond:06d}".rstrip("0") or "0"
        return f'"{v.strftime("%Y-%m-%d %H:%M:%S").rjust(19, "0")}.{fraction}{"Z" if "instant" in name else ""}"'
    if name == "decimal":
        return f'"{v:.{kind.scale}f}"'
    if name == "char":
        return json.dumps(v.ljust(kind.max_length), ensure_ascii=False)
    return json.dumps(v, ensure_ascii=False)


def pyorc_file(path, schema, rows, **options):
    kind = pyorc.TypeDescription.from_string(schema)
    with open(path + ".orc", "wb") as f, pyorc.Writer(f, kind, **options) as w:
        for row in rows:
            w.write(row)
    with open(path + ".rows", "w", encoding="utf-8") as f:
        f.writelines(text(row, kind) + "\n" for row in rows)


ALL = ("struct<bo:boolean,ti:tinyint,si:smallint,it:int,bi:bigint,fl:float,dd:double,st:string,ch:char(4),vc:varchar(5),bn:binary,da:date,ts:timestamp,"
       "d1:decimal(10,2),d2:decimal(38,10),li:array<int>,mp:map<string,bigint>,sr:struct<a:int,b:array<date>>>")


def all_types(seed, n, nulls, zone):
    r = random.Random(seed)
    maybe = lambda v: None if r.random() < nulls else v
    utc = datetime.timezone.utc
    for i in range(n):
        day = EPOCH + datetime.timedelta(days=r.randrange(-60000, 60000))
        moment = datetime.datetime(1902, 1, 1, tzinfo=zone) + datetime.timedelta(seconds=r.randrange(0, 4 * 10**9), microseconds=r.choice([0, 1, 500000]))
        yield (maybe(r.random() < 0.5), maybe(r.randrange(-128, 128)), maybe(r.randrange(-32768, 32768)), maybe(i * i), maybe(r.choice([-2**63, 2**63 - 1, i])),
               maybe(r.choice([0.25, math.nan, math.inf, -math.inf, -0.0])), maybe(r.choice([1e100, math.nan, 0.1, -0.0, i / 4])),
               maybe(r.choice(["", "a", "Zürich", "日本", f"s{i}"])), maybe(r.choice(["ab", "x y", ""])), maybe(r.choice(["vwxyz", "é"])),
               maybe(bytes(r.randrange(256) for _ in range(r.randrange(6)))), maybe(day), maybe(moment),
               maybe(decimal.Decimal(r.randrange(-10**10 + 1, 10**10)).scaleb(-2)), maybe(decimal.Decimal(r.randrange(-10**37, 10**37)).scaleb(-10)),
               maybe([maybe(r.randrange(1000)) for _ in range(r.randrange(4))]), maybe({f"k{k}": maybe(r.randrange(9)) for k in range(r.randrange(3))}),
               maybe((maybe(i), maybe([maybe(day)] * r.randrange(3)))))


def make(out):
    for name, codec in (("none", CODECS.NONE), ("zlib", CODECS.ZLIB), ("snappy", CODECS.SNAPPY), ("lz4", CODECS.LZ4), ("zstd", CODECS.ZSTD)):
        zone = zoneinfo.ZoneInfo("UTC")
        pyorc_file(f"{out}/cpp-all-{name}", ALL, list(all_types(name, 50, 0.2, zone)), compression=codec, row_index_stride=10 if name in ("zlib", "lz4") else 10000,
                   compression_block_size=512, memory_block_size=512, dict_key_size_threshold=1.0 if name in ("zlib", "zstd") else 0.0,
                   stripe_size=1000 if name in ("none", "zlib") else 2**20, batch_size=10)
    pyorc_file(f"{out}/cpp-all-nulls", ALL, list(all_types(1, 60, 0.95, zone)), compression=CODECS.ZLIB, row_index_stride=20)
    pyorc_file(f"{out}/cpp-all-null", ALL, list(all_types(2, 20, 2, zone)), compression=CODECS.ZSTD)
    pyorc_file(f"{out}/cpp-no-stride", ALL, list(all_types(3, 20, 0.1, zone)), compression=CODECS.SNAPPY, row_index_stride=0)
    pyorc_file(f"{out}/cpp-no-rows", ALL, [])
    # the wall clock of the zone that is written into the stripe footers
    for name in ("America/Los_Angeles", "Asia/Kolkata", "Australia/Lord_Howe"):
        zone = zoneinfo.ZoneInfo(name)
        moments = [datetime.datetime(y, m, 15, 3 * k % 24, 29, 59, 999999 * (k % 2), tzinfo=zone) for y in (1950, 1969, 1970, 2014, 2015, 2030) for k, m in enumerate((1, 4, 7, 11))]
        pyorc_file(f"{out}/cpp-zone-{name.lower().replace('/', '-').replace('_', '-')}", "struct<t:timestamp,n:int>", [(t, i) for i, t in enumerate(moments)], timezone=zone)
    # row groups of ten rows, bloom filters: NaN, -0.0, negative numbers, char, NULLs
    special = [math.nan, -0.0, 0.0, -1.5, 2.5, math.inf, None]
    rows = [(i - 100, special[i // 10 % 7], f"c{i // 25}", EPOCH + datetime.timedelta(days=i - 50), decimal.Decimal(i - 100).scaleb(-1),
             datetime.datetime(1969, 12, 31, 23, 58, 20, 500000, tzinfo=zoneinfo.ZoneInfo("UTC")) + datetime.timedelta(seconds=i), None if i % 50 < 20 else i) for i in range(200)]
    pyorc_file(f"{out}/cpp-groups", "struct<i:bigint,f:double,c:char(5),d:date,m:decimal(9,1),t:timestamp,n:int>", rows, row_index_stride=10, batch_size=10,
               bloom_filter_columns=["i", "f", "c", "d", "m", "t", "n"])
    # Arrow's writer: local timestamps, instants, lists of structs, dictionaries
    r = random.Random(9)
    n = 80
    base = datetime.datetime(1969, 12, 31, 12)
    moments = [None if i % 9 == 0 else base + datetime.timedelta(seconds=i * 1234, microseconds=i * 77) for i in range(n)]
    table = pa.table({"t": pa.array(moments, pa.timestamp("us")),
                      "l": pa.array([None if i % 7 == 0 else [{"a": k, "b": None if k else "x"} for k in range(i % 3)] for i in range(n)],
                                    pa.list_(pa.struct([("a", pa.int32()), ("b", pa.string())]))),
                      "s": pa.array([f"word{r.randrange(5)}" for _ in range(n)])})
    for codec in ("uncompressed", "zlib", "snappy", "lz4", "zstd"):
        pa.orc.write_table(table, f"{out}/arrow-{codec}.orc", compression=codec, stripe_size=1024, dictionary_key_size_threshold=1.0, batch_size=16,
                           file_version="0.11" if codec == "snappy" else "0.12", row_index_stride=20)
        kind = pyorc.TypeDescription.from_string("struct<t:timestamp,l:array<struct<a:int,b:string>>,s:string>")
        with open(f"{out}/arrow-{codec}.rows", "w", encoding="utf-8") as f:
            for row in table.to_pylist():
                items = None if row["l"] is None else [(x["a"], x["b"]) for x in row["l"]]
                f.write(text((row["t"], items, row["s"]), kind) + "\n")
