#!/usr/bin/env python3
"""Make the first inputs of the fuzz corpora (pyarrow and pyorc needed): make_corpus.py. Found crashes are added by hand."""
import datetime, decimal, io, os

import pyarrow as pa
import pyarrow.orc as arrow_orc
import pyorc

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "corpus")


def put(target, name, data):
    os.makedirs(os.path.join(HERE, target), exist_ok=True)
    with open(os.path.join(HERE, target, name), "wb") as f:
        f.write(data if isinstance(data, bytes) else data.encode())


def by_pyorc(schema, rows, **options):
    out = io.BytesIO()
    with pyorc.Writer(out, schema, struct_repr=pyorc.StructRepr.TUPLE, **options) as writer:
        for row in rows:
            writer.write(row)
    return out.getvalue()


def by_arrow(table, **options):
    out = pa.BufferOutputStream()
    arrow_orc.write_table(table, out, **options)
    return out.getvalue().to_pybytes()


def files():
    D, T = decimal.Decimal, datetime.datetime
    kind = pyorc.CompressionKind
    numbers = "struct<b:boolean,t:tinyint,s:smallint,i:int,l:bigint,f:float,d:double>"
    put("whole_file", "numbers-none", by_pyorc(numbers, [(i % 2 == 0, i, -i, i * i, i << 40, i / 4, -i / 8) for i in range(20)],
                                               compression=kind.NONE))
    put("whole_file", "nulls-zlib", by_pyorc(numbers, [(None,) * 7 if i % 3 else (True, 1, 2, 3, 4, 5.0, 6.0) for i in range(20)],
                                             compression=kind.ZLIB))
    texts = "struct<s:string,c:char(4),v:varchar(6),y:binary>"
    put("whole_file", "texts-snappy", by_pyorc(texts, [("x" * (i % 5), "ab", "v%d" % i, b"\x00\xff" * (i % 3)) for i in range(12)],
                                               compression=kind.SNAPPY))
    put("whole_file", "dictionary-zstd", by_pyorc("struct<s:string>", [(("one", "two", None)[i % 3],) for i in range(60)],
                                                  compression=kind.ZSTD, dict_key_size_threshold=1.0))
    times = "struct<d:date,t:timestamp,e:decimal(9,2),g:decimal(38,10)>"
    put("whole_file", "times-decimals-lz4", by_pyorc(times, [(datetime.date(1969 + i, 1, 1), T(1960 + i, 3, 1, 1, 2, 3, 450000, datetime.timezone.utc),
                                                               D(i) / 4, D("12345678901234567890.5") * i) for i in range(8)],
                                                     compression=kind.LZ4))
    nested = "struct<a:array<int>,m:map<string,bigint>,s:struct<x:int,y:array<string>>,u:uniontype<int,string>>"
    put("whole_file", "nested-none", by_pyorc(nested, [([1, None, i], {"k": i}, (i, ["a", None]), i if i % 2 else "u") for i in range(6)],
                                              compression=kind.NONE))
    put("whole_file", "row-index-bloom", by_pyorc("struct<i:int,s:string>", [(i, "s%d" % (i // 4)) for i in range(64)], row_index_stride=16,
                                                  bloom_filter_columns=(1, 2), compression=kind.NONE))
    put("whole_file", "root-int", by_pyorc("int", list(range(30)), compression=kind.NONE))
    ids = pa.table({"operation": pa.array([0, 0], pa.int32()), "originalTransaction": pa.array([1, 1]), "bucket": pa.array([536870912] * 2, pa.int32()),
                    "rowId": pa.array([0, 1]), "currentTransaction": pa.array([1, 1]),
                    "row": pa.array([{"id": 1, "v": "a"}, {"id": 2, "v": None}], pa.struct([("id", pa.int32()), ("v", pa.string())]))})
    put("whole_file", "acid-zlib", by_arrow(ids, compression="zlib"))
    put("whole_file", "two-stripes", by_pyorc("struct<i:int>", [(i // 50,) for i in range(4000)], stripe_size=1, batch_size=1024,
                                              compression=kind.NONE, row_index_stride=0))


def tails():
    for name in sorted(os.listdir(os.path.join(HERE, "whole_file"))):
        data = open(os.path.join(HERE, "whole_file", name), "rb").read()
        size = data[-1]
        postscript, footer_size, at = data[-1 - size:-1], 0, 1
        shift = 0
        while True:
            byte = postscript[at]
            footer_size |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                break
        footer = data[-1 - size - footer_size:-1 - size]
        if name.endswith("-none") or name == "root-int":
            put("tail", name, b"\x01" + footer)


def texts():
    for name, text in [("compare", "i = 1 AND l <> 2 OR NOT (d >= 1.5e3)"), ("in", "x IN ('a', \"b\\n\", 'c''d') AND t NOT IN (1, 2, NULL)"),
                       ("between", "day BETWEEN DATE '2020-01-01' AND '2021-02-03' AND ts < TIMESTAMP '2020-01-01 00:00:00.123456789'"),
                       ("like", "x LIKE 'a%_\\\\%' AND v NOT LIKE '%z'"), ("null", "n.a IS NULL AND n.b IS NOT NULL AND b <=> NULL"),
                       ("reversed", "5 < i AND 'q' = `x` AND b = true"), ("decimal", "e > 123456789012345.678 OR f = 0.1"), ("bad", "i = = 3")]:
        put("predicate", name, text)


files()
tails()
texts()
