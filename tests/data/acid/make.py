#!/usr/bin/env python3
"""Makes the event files of this folder with pyorc (the C++ ORC writer): python3 -m venv V; V/bin/pip install pyorc; V/bin/python make.py

Hand-made cases that real Hive tables of a reasonable size do not show; real ones are in tests/golden. Answers are computed by the
tests from the rules below, not read from files."""
import os
import pyorc

HERE = os.path.dirname(os.path.abspath(__file__))
PROPERTY = 536870912  # bucket 0, statement 0


def write(name, schema, rows, metadata=None, stride=1000, **options):
    with open(os.path.join(HERE, name), 'wb') as f:
        w = pyorc.Writer(f, schema, row_index_stride=stride, struct_repr=pyorc.StructRepr.TUPLE,
                         compression=pyorc.CompressionKind.ZLIB, **options)
        for key, value in (metadata or {}).items():
            w.set_user_metadata(**{key: value})
        for r in rows:
            w.write(r)
        w.close()


def acid(row, lower=False):
    names = ['operation', 'originalTransaction', 'bucket', 'rowId', 'currentTransaction', 'row']
    types = ['int', 'bigint', 'int', 'bigint', 'bigint', row]
    return 'struct<' + ','.join(f'{n.lower() if lower else n}:{t}' for n, t in zip(names, types)) + '>'


VERSION = {'hive.acid.version': b'2'}

# 1. ten thousand rows in ten row groups: x = row id, s names it, a nested struct, v is NULL in every fifth row
ROW = 'struct<x:bigint,s:string,n:struct<a:int,b:string>,v:int>'


def row(i):
    return (i, f'row {i}', (i % 10, f'b{i % 3}'), None if i % 5 == 0 else i * 2)


write('insert.orc', acid(ROW), [(0, 1, PROPERTY, i, 1, row(i)) for i in range(10000)], VERSION)
write('plain.orc', ROW, [row(i) for i in range(10000)])
# 2. every seventh row deleted: some in every row group
write('delete.orc', acid(ROW), [(2, 1, PROPERTY, i, 2, None) for i in range(3, 10000, 7)], VERSION)
# the same against rows of the plain file in a converted table (write id 0)
write('delete_original.orc', acid(ROW), [(2, 0, PROPERTY, i, 2, None) for i in range(3, 10000, 7)], VERSION)
# deletes by the transaction that wrote the rows
write('delete_own.orc', acid(ROW), [(2, 1, PROPERTY, i, 1, None) for i in range(3, 10000, 7)], VERSION)
# 3. a streaming delta of write ids 1 to 10, 20 rows each; and deletes by 11 to 14 of one row of each
write('wide.orc', acid('struct<x:bigint>'), [(0, w, PROPERTY, i, w, (w * 100 + i,)) for w in range(1, 11) for i in range(20)], VERSION)
write('wide_delete.orc', acid('struct<>'), [(2, w, PROPERTY, d, 11 + d, None) for w in range(1, 11) for d in range(4)], VERSION)
# 4. keys at the edges of their types, lower-case names as query-based compaction writes them; every second one deleted
EDGES = [(w, b, r) for w in (-2**63, -1, 0, 2**63 - 1) for b in (-2**31, -1, 2**31 - 1)
         for r in (-2**63, -1, 0, 2**32 - 1, 2**32, 2**63 - 2, 2**63 - 1)]
write('edges.orc', acid('struct<x:int>', True), [(0, w, b, r, 1, (i,)) for i, (w, b, r) in enumerate(EDGES)])
write('edges_delete.orc', acid('struct<x:int>', True), [(2, w, b, r, 2, None) for i, (w, b, r) in enumerate(EDGES) if i % 2 == 1])
# 5. ACID v1: a base up to 5 with operations 0 and 1, deltas with all three, fields named by position
write('v1_base.orc', acid('struct<id:int,t:string>'),
      [(0, 1, 0, 0, 1, (0, 'base')), (1, 1, 0, 1, 4, (1, 'updated in base')), (0, 1, 0, 2, 1, (2, 'base')),
       (0, 5, 0, 0, 5, (3, 'base')), (0, 5, 0, 1, 5, (4, 'base'))])
write('v1_insert.orc', acid('struct<_col0:int,_col1:string>'), [(0, 6, 0, 0, 6, (5, 'new')), (0, 6, 0, 1, 6, (6, 'new'))])
write('v1_update.orc', acid('struct<_col1:int,_col2:string>'),
      [(1, 1, 0, 0, 7, (0, 'update 7')), (1, 5, 0, 0, 7, (3, 'update 7')), (1, 6, 0, 0, 7, (5, 'update 7'))])
write('v1_delete.orc', acid('struct<>'), [(2, 1, 0, 2, 8, None), (2, 5, 0, 0, 8, None), (2, 0, 0, 1, 8, None)])
# a minor compaction: several events of a row with one currentTransaction, the newest first; and not in key order
write('v1_minor.orc', acid('struct<id:int,t:string>'),
      [(1, 6, 0, 1, 9, (6, 'second of 9')), (1, 6, 0, 1, 9, (6, 'first of 9')), (0, 9, 0, 0, 9, (7, 'new 9')),
       (2, 9, 0, 1, 10, None), (0, 9, 0, 1, 9, (8, 'new and gone')), (1, 1, 0, 0, 10, (0, 'update 10'))])
# what a base up to 5 holds already: not more rows
write('v1_overlap.orc', acid('struct<id:int,t:string>'), [(0, 5, 0, 1, 5, (4, 'again')), (1, 1, 0, 1, 3, (1, 'older'))])
# 6. a table whose own columns have the six names
write('six_names.orc', acid('struct<a:int>'), [(i % 3, i, i, i, i, (i,)) for i in range(5)])
# 7. an insert delta with a delete event, which only ACID v1 has; and an event without a key
write('mixed.orc', acid('struct<x:int>'), [(0, 1, 0, 0, 1, (1,)), (2, 1, 0, 0, 1, None)])
write('no_key.orc', acid('struct<x:int>'), [(0, 1, None, 0, 1, (1,))])
# 8. one bucket, two statements of write id 1 in one file, as a compaction leaves them; then write id 2 changes it with two more
# statements, each with a delete delta and a delta of its own (x = write id * 100 + statement * 10 + row id)
def statement(write_id, s, rows):
    return [(0, write_id, PROPERTY + s, r, write_id, (write_id * 100 + s * 10 + r,)) for r in rows]


def gone(s, rows):
    return [(2, 1, PROPERTY + s, r, 2, None) for r in rows]


write('statements.orc', acid('struct<x:bigint>'), statement(1, 0, range(5)) + statement(1, 1, range(5)), VERSION)
write('statement_1.orc', acid('struct<x:bigint>'), statement(2, 1, range(2)), VERSION)
write('statement_3.orc', acid('struct<x:bigint>'), statement(2, 3, range(2)), VERSION)
write('statement_0_delete.orc', acid('struct<>'), gone(0, [1, 2]), VERSION)
write('statement_2_delete.orc', acid('struct<>'), gone(0, [4]) + gone(1, [0]), VERSION)
# 9. deletes of insert.orc whose rows are NULL structs of 200 columns
write('wide_row_delete.orc', acid('struct<' + ','.join(f'c{i}:string' for i in range(200)) + '>'),
      [(2, 1, PROPERTY, i, 2, None) for i in range(3, 10000, 7)], VERSION)
