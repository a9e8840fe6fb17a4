#!/usr/bin/env python3
"""Make the benchmark's data from a seed: make_data.py DIR [--rows N]. Files that are there already are kept.

lineitem-like rows (16 columns, the shapes and cardinalities of TPC-H's lineitem) as
  flat-{none,snappy,zlib,zstd}.orc   plain ORC, by Apache Arrow's C++ writer
  flat.parquet                       the same rows, zstd, for the predicate query
  acid-base/                         full ACID: all rows in one base
  acid-deltas/                       90 % in a base, 10 % in ten deltas
  acid-deleted/                      all rows in a base, 1 % deleted at random
  acid-50k/                          50,000 delta directories with one small file each"""
import argparse, functools, os, shutil

import numpy as np
import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as parquet

CHUNK = 500_000
WORDS = ("carefully final deposits sleep quickly bold requests furiously even packages express ironic accounts nag pending theodolites "
         "haggle regular instructions among silent foxes cajole slyly unusual pinto beans wake blithely special ideas boost").split()
INSTRUCT = ["DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"]
MODE = ["REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"]


def decimals(unscaled, precision=12, scale=2):
    """decimal128 array from int64 unscaled values, without a Python object a value."""
    halves = np.empty((len(unscaled), 2), dtype=np.int64)
    halves[:, 0] = unscaled
    halves[:, 1] = np.where(unscaled < 0, -1, 0)
    return pa.Array.from_buffers(pa.decimal128(precision, scale), len(unscaled), [None, pa.py_buffer(halves.tobytes())])


def pick(rng, values, n):
    return pa.DictionaryArray.from_arrays(pa.array(rng.integers(0, len(values), n, dtype=np.int32)), pa.array(values)).cast(pa.string())


def comments(rng, n, pool):
    return pool.take(pa.array(rng.integers(0, len(pool), n)))


@functools.lru_cache
def comment_pool(seed):
    rng = np.random.default_rng(seed)
    return pa.array([" ".join(rng.choice(WORDS, rng.integers(2, 7)))[:43] for _ in range(200_000)])


def chunks(rows, seed=20261129):
    rng = np.random.default_rng(seed)
    pool = comment_pool(seed)
    order = 0
    for start in range(0, rows, CHUNK):
        n = min(CHUNK, rows - start)
        lines = rng.integers(1, 8, n)
        numbers = np.concatenate([np.arange(1, k + 1) for k in lines])[:n]
        orders = np.repeat(np.arange(order, order + n), lines)[:n]
        order = int(orders[-1]) + 1
        quantity = rng.integers(1, 51, n)
        part = rng.integers(1, 200_001, n)
        ship = rng.integers(8036, 10561, n)
        yield pa.table({
            "l_orderkey": pa.array(orders.astype(np.int64) * 4 + 1),
            "l_partkey": pa.array(part),
            "l_suppkey": pa.array(rng.integers(1, 10_001, n)),
            "l_linenumber": pa.array(numbers.astype(np.int32)),
            "l_quantity": decimals(quantity * 100),
            "l_extendedprice": decimals(quantity * (90000 + part // 10 % 20001 + 100 * (part % 1000))),
            "l_discount": decimals(rng.integers(0, 11, n)),
            "l_tax": decimals(rng.integers(0, 9, n)),
            "l_returnflag": pick(rng, ["A", "N", "R"], n),
            "l_linestatus": pick(rng, ["F", "O"], n),
            "l_shipdate": pa.array(ship.astype(np.int32)).cast(pa.date32()),
            "l_commitdate": pa.array((ship + rng.integers(-60, 61, n)).astype(np.int32)).cast(pa.date32()),
            "l_receiptdate": pa.array((ship + rng.integers(1, 31, n)).astype(np.int32)).cast(pa.date32()),
            "l_shipinstruct": pick(rng, INSTRUCT, n),
            "l_shipmode": pick(rng, MODE, n),
            "l_comment": comments(rng, n, pool),
        })


class File:
    """A file that appears under its name only when it is whole."""

    def __init__(self, path, compression):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        self.path = path
        self.writer = orc.ORCWriter(path + ".tmp", compression=compression, compression_strategy="speed", dictionary_key_size_threshold=0.8)

    def write(self, table):
        self.writer.write(table)

    def close(self):
        self.writer.close()
        os.rename(self.path + ".tmp", self.path)


def acid(table, operation, write_id, row_ids, current, bucket=536870912):
    n = len(row_ids)
    constant = lambda value, kind: pa.array(np.full(n, value, dtype=kind))
    row = pa.nulls(n, pa.struct([pa.field("x", pa.int32())])) if table is None else table.to_struct_array()
    if isinstance(row, pa.ChunkedArray):
        row = row.combine_chunks()
    ids = constant(write_id, np.int64) if np.isscalar(write_id) else pa.array(write_id)
    return pa.table({"operation": constant(operation, np.int32), "originalTransaction": ids, "bucket": constant(bucket, np.int32),
                     "rowId": pa.array(np.asarray(row_ids, dtype=np.int64)), "currentTransaction": constant(current, np.int64), "row": row})


def make_flat(folder, rows):
    for codec in ("none", "snappy", "zlib", "zstd"):
        path = os.path.join(folder, f"flat-{codec}.orc")
        if not os.path.exists(path):
            out = File(path, "uncompressed" if codec == "none" else codec)
            for table in chunks(rows):
                out.write(table)
            out.close()
    path = os.path.join(folder, "flat.parquet")
    if not os.path.exists(path):
        writer = None
        for table in chunks(rows):
            writer = writer or parquet.ParquetWriter(path + ".tmp", table.schema, compression="zstd")
            writer.write_table(table, row_group_size=122_880)
        writer.close()
        os.rename(path + ".tmp", path)


def make_table(folder, rows, n_deltas=0, delete_share=0.0):
    """A full-ACID table: a base, n_deltas deltas of 1 % each, and one delete delta."""
    if os.path.exists(folder):
        return
    work = folder + ".tmp"
    shutil.rmtree(work, ignore_errors=True)
    n_base = rows - n_deltas * (rows // 100)
    base = File(f"{work}/base_0000001/bucket_00000", "zstd")
    first, delta, out = 0, 0, None
    for table in chunks(rows):
        at = 0
        while at < len(table):
            start = first + at
            if start < n_base:
                n = min(len(table) - at, n_base - start)
                base.write(acid(table.slice(at, n), 0, 1, np.arange(start, start + n), 1))
            else:
                delta, begin = divmod(start - n_base, rows // 100)
                n = min(len(table) - at, rows // 100 - begin)
                w = delta + 2
                if begin == 0:
                    out = File(f"{work}/delta_{w:07d}_{w:07d}_0000/bucket_00000", "zstd")
                out.write(acid(table.slice(at, n), 0, w, np.arange(begin, begin + n), w))
                if begin + n == rows // 100:
                    out.close()
            at += n
        first += len(table)
    base.close()
    if delete_share:
        dead = np.sort(np.random.default_rng(7).choice(rows, int(rows * delete_share), replace=False))
        out = File(f"{work}/delete_delta_0000002_0000002_0000/bucket_00000", "zstd")
        out.write(acid(None, 2, 1, dead, 2))
        out.close()
    os.rename(work, folder)


def make_many(folder, n=50_000):
    if os.path.exists(folder):
        return
    work = folder + ".tmp"
    shutil.rmtree(work, ignore_errors=True)
    first = f"{work}/delta_0000001_0000001_0000"
    out = File(f"{first}/bucket_00000", "zstd")
    out.write(acid(pa.table({"id": pa.array([1], pa.int32())}), 0, 1, [0], 1))
    out.close()
    open(f"{first}/_orc_acid_version", "w").write("2")
    for w in range(2, n + 1):
        d = f"{work}/delta_{w:07d}_{w:07d}_0000"
        os.mkdir(d)
        for name in ("bucket_00000", "_orc_acid_version"):
            os.link(f"{first}/{name}", f"{d}/{name}") if w % 20000 else shutil.copy(f"{first}/{name}", f"{d}/{name}")
        if w % 20000 == 0:
            first = d  # file systems bound the links of one file
    os.rename(work, folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dir")
    parser.add_argument("--rows", type=int, default=6_000_000)
    args = parser.parse_args()
    os.makedirs(args.dir, exist_ok=True)
    make_flat(args.dir, args.rows)
    make_table(os.path.join(args.dir, "acid-base"), args.rows)
    make_table(os.path.join(args.dir, "acid-deltas"), args.rows, n_deltas=10)
    make_table(os.path.join(args.dir, "acid-deleted"), args.rows, delete_share=0.01)
    make_many(os.path.join(args.dir, "acid-50k"))


main()
