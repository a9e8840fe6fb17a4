#!/usr/bin/env python3
"""Makes the ORC files of this folder, each with its rows as `skep cat --outputformat=json` prints them.

usage: make.py            needs pyarrow 26.0.1 and pyorc 0.12.0 (both write through the C++ ORC library)

The rows come from the values that were handed to the writer, never from reading the file back. Values are chosen so that their text is the
same in every language (floats are multiples of a quarter)."""
import datetime, decimal, json, os, random, zoneinfo
import pyarrow as pa, pyarrow.orc, pyorc

HERE = os.path.dirname(os.path.abspath(__file__))
EPOCH = datetime.date(1970, 1, 1)
UTC = datetime.timezone.utc

def stamp(t, zone=''):
    text = t.strftime('%Y-%m-%d %H:%M:%S').rjust(19, '0')
    return text + '.' + (f'{t.microsecond:06d}'.rstrip('0') or '0') + zone

def text(v, kind):
    """A value as JSON of Skep; kind is a small type tree: a word, [list], {map}, (struct pairs) or ('union', ...)."""
    if v is None: return 'null'
    if isinstance(kind, list): return '[' + ','.join(text(x, kind[0]) for x in v) + ']'
    if isinstance(kind, dict):
        (k, x), = kind.items()
        return '[' + ','.join('{"key":' + text(a, k) + ',"value":' + text(b, x) + '}' for a, b in v) + ']'
    if isinstance(kind, tuple) and kind[0] == 'union':
        return '{"tag":%d,"value":%s}' % (v[0], text(v[1], kind[1 + v[0]]))
    if isinstance(kind, tuple):
        return '{' + ','.join(json.dumps(n, ensure_ascii=False) + ':' + text(x, k) for (n, k), x in zip(kind, v)) + '}'
    if kind == 'binary': return '[' + ','.join(str(b) for b in v) + ']'
    if kind == 'date': return '"' + v.isoformat() + '"'
    if kind == 'ts': return '"' + stamp(v) + '"'
    if kind == 'instant': return '"' + stamp(v, 'Z') + '"'
    if kind.startswith('dec'): return '"' + format(v, f'.{kind[3:]}f') + '"'
    if kind.startswith('char'): return json.dumps(v.ljust(int(kind[4:])), ensure_ascii=False)
    return json.dumps(v, ensure_ascii=False)

def write_rows(name, rows, kind):
    with open(os.path.join(HERE, name + '.rows'), 'w', encoding='utf-8') as f:
        for r in rows: f.write(text(r, kind) + '\n')

def maybe(r, v, p=0.15): return None if r.random() < p else v

def for_pyorc(v, kind):
    if v is None or isinstance(kind, str): return v
    if isinstance(kind, list): return [for_pyorc(x, kind[0]) for x in v]
    if isinstance(kind, dict):
        (k, x), = kind.items()
        return {for_pyorc(a, k): for_pyorc(b, x) for a, b in v}
    if kind[0] == 'union': return for_pyorc(v[1], kind[1 + v[0]])
    return tuple(for_pyorc(x, k) for (n, k), x in zip(kind, v))

def write_pyorc(name, schema, kind, rows, **options):
    with open(os.path.join(HERE, name + '.orc'), 'wb') as f:
        with pyorc.Writer(f, schema, **options) as w:
            for r in rows: w.write(for_pyorc(r, kind))
    write_rows(name, rows, kind)

WORDS = ['', 'a', 'Zürich', 'a longer text than twelve bytes', 'x' * 16, 'y' * 17, '日本', 'the same again']

def everything(n, seed, nulls):
    r = random.Random(seed)
    m = lambda v: maybe(r, v, nulls)
    rows = []
    for i in range(n):
        day = EPOCH + datetime.timedelta(days=r.randrange(-100000, 100000))
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=r.randrange(0, 4 * 10**9), microseconds=r.choice([0, 1, 500000, 123456, 120000]))
        rows.append((m(r.random() < 0.3), m(r.randrange(-128, 128)), m(r.choice([-32768, 32767, r.randrange(-500, 500)])), m(i * 3),
                     m(r.choice([-2**63, 2**63 - 1, i, r.randrange(10**12)])), m(r.randrange(-4000, 4000) / 4), m(r.randrange(-10**7, 10**7) / 4),
                     m(decimal.Decimal(r.randrange(-10**9 + 1, 10**9)).scaleb(-2)), m(decimal.Decimal(r.randrange(-10**37, 10**37)).scaleb(-10)),
                     m('%x' % r.randrange(2**60) * r.randrange(3)), m(WORDS[r.randrange(len(WORDS))]), m('ab%d' % r.randrange(100)), m('v%d' % r.randrange(1000)),
                     m(bytes(r.randrange(256) for _ in range(r.randrange(20)))), m(day), m(moment),
                     m([m(r.randrange(1000)) for _ in range(r.randrange(4))]),
                     m([('k%d' % k, m(r.randrange(9))) for k in range(r.randrange(3))]),
                     m((m(i), m((m('z%d' % (i % 7)),))))))
    return rows

EVERYTHING = (('b', 'bool'), ('t', 'int'), ('s', 'int'), ('i', 'int'), ('l', 'int'), ('f', 'float'), ('d', 'double'), ('dec', 'dec2'),
              ('big', 'dec10'), ('str', 'string'), ('dict', 'string'), ('c', 'char5'), ('v', 'string'), ('bin', 'binary'), ('dt', 'date'), ('ts', 'ts'),
              ('li', ['int']), ('m', {'string': 'int'}), ('st', (('x', 'int'), ('y', (('z', 'string'),)))))
EVERYTHING_SCHEMA = ('struct<b:boolean,t:tinyint,s:smallint,i:int,l:bigint,f:float,d:double,dec:decimal(9,2),big:decimal(38,10),str:string,dict:string,'
                     'c:char(5),v:varchar(7),bin:binary,dt:date,ts:timestamp,li:array<int>,m:map<string,int>,st:struct<x:int,y:struct<z:string>>>')

def main():
    C = pyorc.CompressionKind
    for name, codec, nulls, n in [('all_none', C.NONE, 0.15, 250), ('all_zlib', C.ZLIB, 0.15, 350), ('all_no_nulls', C.NONE, 0.0, 150),
                                  ('all_mostly_nulls', C.SNAPPY, 0.9, 300)]:
        write_pyorc(name, EVERYTHING_SCHEMA, EVERYTHING, everything(n, name, nulls), compression=codec, row_index_stride=100,
                    compression_block_size=65536, dict_key_size_threshold=0.5)
    # bloom filters, several stripes of several row groups: what search arguments skip
    r = random.Random(7)
    rows = [(i, 'name%05d' % (i * 7919 % 100000), EPOCH + datetime.timedelta(days=i), decimal.Decimal(i).scaleb(-2)) for i in range(3000)]
    write_pyorc('sorted', 'struct<id:bigint,name:string,day:date,price:decimal(10,2)>', (('id', 'int'), ('name', 'string'), ('day', 'date'), ('price', 'dec2')),
                rows, compression=C.ZSTD, row_index_stride=500, stripe_size=16384, batch_size=500, bloom_filter_columns=['id', 'name'])
    # pyorc writes NULL unions and unions of a second batch wrongly, so: none
    r = random.Random(3)
    write_pyorc('unions', 'struct<u:uniontype<int,string>,n:int>', (('u', ('union', 'int', 'string')), ('n', 'int')),
                [(r.choice([(0, i), (1, 'u%d' % i)]), i) for i in range(80)], row_index_stride=1000)
    # roots that are no struct
    write_pyorc('root_list', 'array<int>', ['int'], [[i, None, i * i][:i % 4] for i in range(40)])
    write_pyorc('root_string', 'string', 'string', [None if i % 5 == 0 else 's%d' % i for i in range(40)])
    # pyarrow: nested nulls, dictionaries over several stripes
    n = 600
    table = pa.table({'k': pa.array([None if i % 11 == 0 else 'key%d' % (i % 13) for i in range(n)]),
                      's': pa.array([None if i % 7 == 0 else {'a': None if i % 3 == 0 else i, 'l': None if i % 5 == 0 else [i, None][:i % 3]} for i in range(n)],
                                    pa.struct([('a', pa.int32()), ('l', pa.list_(pa.int64()))]))})
    pyarrow.orc.write_table(table, os.path.join(HERE, 'nested_nulls.orc'), compression='lz4', dictionary_key_size_threshold=1.0, row_index_stride=100,
                            stripe_size=4096, batch_size=128)
    write_rows('nested_nulls', [(x['k'], None if x['s'] is None else (x['s']['a'], x['s']['l'])) for x in table.to_pylist()],
               (('k', 'string'), ('s', (('a', 'int'), ('l', ['int'])))))

main()
