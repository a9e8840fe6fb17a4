"""Files that no library here writes: made from files of the Java library by changing streams, footers and statistics.

SAME must read as before, REFUSED must fail with a message. Each function gets the file (orcfile.OrcFile) and a random.Random; its first
line says which base file, its name becomes the file's name."""
from orcfile import *


def base(name):
    def mark(f):
        f.base = name
        return f
    return mark


# ---- same rows ----

@base("edit")
def no_has_null(f, r):
    """ORC-1796: Trino leaves hasNull out, then NULLs are possible."""
    for s in f.statistics():
        s.ClearField("has_null")

@base("edit")
def streams_in_any_order(f, r):
    for stripe in f.stripes:
        r.shuffle(stripe.streams)
        stripe.streams.sort(key=lambda s: s.kind not in INDEXES)

@base("edit")
def unknown_streams(f, r):
    for stripe in f.stripes:
        stripe.streams.insert(len(stripe.streams) // 2, Stream(77, 1, b"not known yet"))
        stripe.streams.append(Stream(200, 100000, b"nor this column"))
        stripe.streams.sort(key=lambda s: s.kind not in INDEXES)

def of_writer(number, version):
    def change(f, r):
        f.footer.writer, f.postscript.writer_version = number, version
        f.footer.ClearField("software_version")
    return base("edit")(change)

@base("edit")
def no_stride(f, r):
    f.footer.ClearField("row_index_stride")

@base("edit")
def no_indexes(f, r):
    f.without_indexes()

@base("edit")
def some_indexes(f, r):
    for stripe in f.stripes:
        stripe.without(lambda s: s.kind in INDEXES and s.column % 2 == 0)

@base("edit")
def no_stripe_statistics(f, r):
    f.has_metadata = False

@base("edit")
def too_few_stripe_statistics(f, r):
    del f.metadata.stripe_stats[1:]
    del f.metadata.stripe_stats[0].col_stats[5:]

@base("edit")
def too_many_stripe_statistics(f, r):
    for _ in range(3):
        f.metadata.stripe_stats.add().col_stats.add().number_of_values = 5

@base("edit")
def stripe_statistics_unreadable(f, r):
    """ORC-1361: what cannot be parsed (there: above a limit) is gone without."""
    f.raw_metadata = b"\x0a\xff\xff\xff\xff\x0f" + bytes(40)

@base("edit")
def no_statistics(f, r):
    del f.footer.statistics[:]

@base("edit")
def too_few_statistics(f, r):
    del f.footer.statistics[3:]

@base("edit")
def empty_statistics(f, r):
    for s in f.statistics():
        s.Clear()

@base("edit")
def no_magic(f, r):
    f.postscript.ClearField("magic")

@base("edit")
def gaps_between_stripes(f, r):
    f.gap = 17

@base("edit")
def no_empty_streams(f, r):
    for stripe in f.stripes:
        stripe.without(lambda s: not s.data)

@base("edit")
def empty_streams_more(f, r):
    for stripe in f.stripes:
        have = {(s.kind, s.column) for s in stripe.streams}
        stripe.streams += [Stream(k, c, b"") for c in range(len(f.footer.types)) for k in (DATA, LENGTH, SECONDARY) if (k, c) not in have]

@base("edit")
def present_all_true(f, r):
    """A PRESENT stream where nothing is NULL; without indexes, whose positions it would shift."""
    f.without_indexes()
    for stripe in f.stripes:
        have = {(s.kind, s.column) for s in stripe.streams}
        n = (stripe.rows + 7) // 8
        data = bytes([256 - n]) + b"\xff" * n  # up to 128 bytes as they are
        stripe.streams[:0] = [Stream(PRESENT, c, data) for c in [0, *f.footer.types[0].subtypes] if (PRESENT, c) not in have]

def in_chunks(codec, with_empty):
    def change(f, r):
        f.without_indexes()
        f.postscript.compression, f.postscript.compression_block_size = codec, 1024
        f.wrap = lambda data: as_stored_chunks(data, r, with_empty)
    return base("edit")(change)

@base("edit")
def empty_stripes(f, r):
    footer = proto.StripeFooter(columns=[proto.ColumnEncoding(kind=2 if t.kind in (2, 3, 4, 7, 8, 9, 10, 11, 14, 15, 16, 17) else 0) for t in f.footer.types])
    f.has_metadata = False
    for at in (0, 1, len(f.stripes) + 2):
        f.stripes.insert(at, Stripe(proto.StripeFooter.FromString(footer.SerializeToString()), [], 0))

@base("edit")
def no_lengths(f, r):
    for name in ("content_length", "header_length"):
        f.footer.ClearField(name)
    f.postscript.ClearField("compression_block_size")

@base("edit")
def nothing_about_writer(f, r):
    for name in ("writer", "software_version"):
        f.footer.ClearField(name)
    f.postscript.ClearField("writer_version")

# ---- statistics and filters that are known to be wrong ----

@base("edit-negative")
def bloom_of_old_cpp(f, r):
    """ORC-1024: C++ before 1.7.1 hashed negative numbers otherwise. Here its filters say that nothing is there."""
    f.footer.writer, f.postscript.writer_version, f.footer.software_version = 1, 6, b"1.6.11"
    for stripe in f.stripes:
        for s in stripe.streams:
            if s.kind in (BLOOM, BLOOM_UTF8):
                index = proto.BloomFilterIndex.FromString(s.data)
                for b in index.bloom_filter:
                    b.utf8bitset = bytes(len(b.utf8bitset))
                s.data = index.SerializeToString()

@base("edit-negative")
def short_decimals_of_orc_135(f, r):
    """ORC-517: minimum and maximum of short decimals were wrong in this version of the writer."""
    f.postscript.writer_version = 6
    f.footer.writer = 0
    for s in f.statistics():
        if s.HasField("decimal_statistics"):
            s.decimal_statistics.minimum, s.decimal_statistics.maximum = b"0", b"0"

@base("edit-negative")
def texts_before_hive_8732(f, r):
    f.postscript.ClearField("writer_version")
    for s in f.statistics():
        if s.HasField("string_statistics"):
            s.string_statistics.minimum, s.string_statistics.maximum = b"x", b"x"

SAME = {f.__name__: f for f in (
    no_has_null, streams_in_any_order, unknown_streams, no_stride, no_indexes, some_indexes, no_stripe_statistics, too_few_stripe_statistics,
    too_many_stripe_statistics, stripe_statistics_unreadable, no_statistics, too_few_statistics, empty_statistics, no_magic, gaps_between_stripes,
    no_empty_streams, empty_streams_more, present_all_true, empty_stripes, no_lengths, nothing_about_writer, bloom_of_old_cpp,
    short_decimals_of_orc_135, texts_before_hive_8732)}
SAME.update({f"writer_{n}": of_writer(n, v) for n, v in ((1, 6), (2, 6), (3, 6), (4, 7), (5, 7), (6, 9), (99, 1000))})
SAME.update({f"chunks_{n}": in_chunks(c, e) for n, c, e in (("zlib", 1, False), ("snappy", 2, False), ("lzo", 3, False), ("lz4", 4, False), ("zstd", 5, False),
                                                           ("zlib_empty", 1, True), ("zstd_empty", 5, True))})

# ---- hostile files ----

@base("edit-nested")
def type_contains_itself(f, r):
    """ORC-360 (CVE-2018-8015)"""
    f.footer.types[4].subtypes[0] = 4

@base("edit-nested")
def type_contains_root(f, r):
    f.footer.types[4].subtypes[0] = 0

@base("edit-nested")
def type_missing(f, r):
    f.footer.types[4].subtypes[0] = 100

@base("edit-nested")
def union_tag_out_of_range(f, r):
    """ORC-2161"""
    f.without_indexes()
    f.stripes[0].find(DATA, 1).data = bytes([f.stripes[0].rows - 3, 7])

@base("edit-nested")
def list_lengths_overflow(f, r):
    """ORC-2167: two lengths whose sum wraps around (RLE v2, direct, 64 bits)"""
    f.without_indexes()
    f.stripes[0].find(LENGTH, 4).data = bytes([0x7e, 29]) + b"\x7f" + b"\xff" * 7 + b"\x7f" + b"\xff" * 7 + bytes(28 * 8)

@base("edit-nested")
def string_lengths_overflow(f, r):
    f.without_indexes()
    f.stripes[0].find(LENGTH, 6).data = bytes([0x7e, 3]) + b"\x7f" + b"\xff" * 7 + b"\x80" + bytes(7) + bytes(16)

@base("edit-nested")
def dictionary_entry_out_of_range(f, r):
    """ORC-312"""
    f.without_indexes()
    f.stripes[0].find(DATA, 6).data = bytes([0x4e, 29]) + bytes([200] * 30)

@base("edit-nested")
def dictionary_too_large(f, r):
    f.stripes[0].footer.columns[6].dictionary_size = 0xffffffff

@base("edit-nested")
def dictionary_size_missing(f, r):
    f.stripes[0].footer.columns[6].ClearField("dictionary_size")

@base("edit-nested")
def data_missing(f, r):
    """ORC-311"""
    f.stripes[0].without(lambda s: (s.kind, s.column) == (DATA, 5))

@base("edit-nested")
def lengths_missing(f, r):
    f.stripes[0].without(lambda s: (s.kind, s.column) == (LENGTH, 4))

@base("edit-nested")
def stream_runs_out(f, r):
    f.without_indexes()
    s = f.stripes[0].find(DATA, 5)
    s.data = s.data[:len(s.data) // 2]

@base("edit-nested")
def more_rows_than_values(f, r):
    f.without_indexes()
    f.stripes[0].rows = 1 << 40

@base("edit-nested")
def rows_overflow(f, r):
    def last(footer):
        footer.stripes[0].number_of_rows = (1 << 64) - 1
        footer.stripes.add().CopyFrom(footer.stripes[0])
    f.last = last

@base("edit-nested")
def stripe_beyond_file(f, r):
    def last(footer):
        footer.stripes[0].offset = (1 << 64) - 16
    f.last = last

@base("edit-nested")
def stripe_lengths_overflow(f, r):
    def last(footer):
        footer.stripes[0].index_length = footer.stripes[0].data_length = 1 << 63
    f.last = last

@base("edit-nested")
def streams_beyond_stripe(f, r):
    def last(footer):
        footer.stripes[0].data_length //= 2
    f.last = last

@base("edit-nested")
def encoding_unknown(f, r):
    f.stripes[0].footer.columns[5].kind = 9

@base("edit-nested")
def encodings_missing(f, r):
    del f.stripes[0].footer.columns[2:]

@base("edit-nested")
def no_types(f, r):
    del f.footer.types[:]

@base("edit-nested")
def type_unknown(f, r):
    f.footer.types[2].kind = 60

@base("edit-nested")
def codec_unknown(f, r):
    f.postscript.compression = 40

@base("edit-nested")
def version_unknown(f, r):
    f.postscript.version[:] = [3, 0]

@base("edit-nested")
def footer_longer_than_file(f, r):
    whole = f.bytes
    def cut():
        data = whole()
        return data[:3] + data[-60:]
    f.bytes = cut

def zlib_chunk(chunk):
    """ORC-2199, ORC-313: a chunk that is no deflate stream, or that never ends"""
    def change(f, r):
        f.without_indexes()
        f.postscript.compression, f.postscript.compression_block_size = 1, 1024
        f.wrap = as_zlib
        stream = f.stripes[0].find(DATA, 5)
        def wrap(data):
            return chunk if data is stream.data else as_zlib(data)
        f.wrap = wrap
    return base("edit-nested")(change)

def lzo_chunk(chunk):
    """ORC-1879 (CVE-2025-47436): copies from before the start, or more than there is room for"""
    def change(f, r):
        f.without_indexes()
        f.postscript.compression, f.postscript.compression_block_size = 3, 1024
        stream = f.stripes[0].find(DATA, 5)
        def wrap(data):
            return chunk if data is stream.data else as_stored_chunks(data, r, False)
        f.wrap = wrap
    return base("edit-nested")(change)

def chunk_of(data):
    return (len(data) << 1).to_bytes(3, "little") + data

REFUSED = {f.__name__: f for f in (
    type_contains_itself, type_contains_root, type_missing, union_tag_out_of_range, list_lengths_overflow, string_lengths_overflow,
    dictionary_entry_out_of_range, dictionary_too_large, dictionary_size_missing, data_missing, lengths_missing, stream_runs_out, more_rows_than_values,
    rows_overflow, stripe_beyond_file, stripe_lengths_overflow, streams_beyond_stripe, encoding_unknown, encodings_missing, no_types, type_unknown,
    codec_unknown, version_unknown, footer_longer_than_file)}
REFUSED.update({
    "zlib_garbage": zlib_chunk(chunk_of(b"\xff" * 20)),
    "zlib_without_end": zlib_chunk(chunk_of(as_zlib(b"abcdefgh" * 50)[3:-4])),
    "zlib_empty_blocks": zlib_chunk(chunk_of(b"\x00\x00\x00\xff\xff" * 40)),
    "zlib_chunk_beyond_stream": zlib_chunk(b"\xfe\xff\x7f" + b"abc"),
    "zlib_larger_than_block": zlib_chunk(as_zlib(bytes(100000))),
    "lzo_copies_from_before": lzo_chunk(chunk_of(b"\x15abcd" + b"\x3f\xff\xff" + b"\x11\x00\x00")),
    "lzo_length_without_end": lzo_chunk(chunk_of(b"\x00" * 60)),
    "lzo_literals_beyond_input": lzo_chunk(chunk_of(b"\xffabc")),
    "lzo_output_too_large": lzo_chunk(chunk_of(b"\x12a" + b"\x20" + b"\x00" * 200 + b"\x10\x00\x00" + b"\x11\x00\x00")),
})
