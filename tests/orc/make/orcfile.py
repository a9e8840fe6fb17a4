"""Takes an uncompressed ORC file apart into streams and writes it again, so that edit.py can change what writers never would.

The messages are those of src/orc/orc_proto.proto, compiled by make.py."""
import zlib
import orc_proto_pb2 as proto

PRESENT, DATA, LENGTH, DICTIONARY, SECONDARY, ROW_INDEX, BLOOM, BLOOM_UTF8 = 0, 1, 2, 3, 5, 6, 7, 8
INDEXES = (ROW_INDEX, BLOOM, BLOOM_UTF8)


class Stream:
    def __init__(self, kind, column, data):
        self.kind, self.column, self.data = kind, column, data


class Stripe:
    def __init__(self, footer, streams, rows):
        self.footer, self.streams, self.rows = footer, streams, rows

    def find(self, kind, column):
        return next(s for s in self.streams if (s.kind, s.column) == (kind, column))

    def without(self, unwanted):
        self.streams = [s for s in self.streams if not unwanted(s)]


class OrcFile:
    def __init__(self, data):
        n = data[-1]
        self.postscript = proto.PostScript.FromString(data[-1 - n:-1])
        assert self.postscript.compression == 0
        end = len(data) - 1 - n
        self.footer = proto.Footer.FromString(data[end - self.postscript.footer_length:end])
        end -= self.postscript.footer_length
        self.metadata = proto.Metadata.FromString(data[end - self.postscript.metadata_length:end])
        self.stripes = []
        for i in self.footer.stripes:
            at = i.offset + i.index_length + i.data_length
            footer, at, streams = proto.StripeFooter.FromString(data[at:at + i.footer_length]), i.offset, []
            for s in footer.streams:
                streams.append(Stream(s.kind, s.column, data[at:at + s.length]))
                at += s.length
            self.stripes.append(Stripe(footer, streams, i.number_of_rows))
        self.has_metadata, self.gap = True, 0
        self.wrap = lambda data: data              # what compression does to every stream and message
        self.last = lambda footer: None            # changes the footer after the stripes are laid out
        self.raw_metadata = None

    def statistics(self):
        """All statistics of the file, its stripes and its row groups, to be changed in place."""
        yield from self.footer.statistics
        for s in self.metadata.stripe_stats:
            yield from s.col_stats
        for stripe in self.stripes:
            for s in stripe.streams:
                if s.kind != ROW_INDEX:
                    continue
                index = proto.RowIndex.FromString(s.data)
                yield from (e.statistics for e in index.entry if e.HasField("statistics"))
                s.data = index.SerializeToString()

    def without_indexes(self):
        for stripe in self.stripes:
            stripe.without(lambda s: s.kind in INDEXES)

    def bytes(self):
        out = bytearray(b"ORC")
        del self.footer.stripes[:]
        for stripe in self.stripes:
            out += bytes(self.gap)
            info = self.footer.stripes.add(offset=len(out), number_of_rows=stripe.rows, index_length=0, data_length=0)
            del stripe.footer.streams[:]
            for s in stripe.streams:
                data = self.wrap(s.data)
                stripe.footer.streams.add(kind=s.kind, column=s.column, length=len(data))
                out += data
                if s.kind in INDEXES:
                    info.index_length += len(data)
                else:
                    info.data_length += len(data)
            footer = self.wrap(stripe.footer.SerializeToString())
            info.footer_length = len(footer)
            out += footer
        out += bytes(self.gap)
        if self.footer.HasField("content_length"):
            self.footer.content_length = len(out) - 3
        self.last(self.footer)
        metadata = self.wrap(self.metadata.SerializeToString()) if self.raw_metadata is None else self.raw_metadata
        footer = self.wrap(self.footer.SerializeToString())
        self.postscript.metadata_length, self.postscript.footer_length = len(metadata), len(footer)
        if not self.has_metadata:
            metadata = b""
            self.postscript.ClearField("metadata_length")
        postscript = self.postscript.SerializeToString()
        return bytes(out + metadata + footer + postscript + bytes([len(postscript)]))


def as_stored_chunks(data, r, with_empty):
    """Chunks that say "stored as it is", of random sizes, some of 0 bytes."""
    def head(n):
        return (n << 1 | 1).to_bytes(3, "little")
    out, i = b"", 0
    while i < len(data):
        if with_empty and r.random() < 0.3:
            out += head(0)
        n = min(r.choice([1, 2, 3, 7, 20, 100, 1000]), len(data) - i)
        out += head(n) + data[i:i + n]
        i += n
    return out + (head(0) if with_empty and data else b"")


def as_zlib(data):
    c = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = c.compress(data) + c.flush()
    return (len(packed) << 1).to_bytes(3, "little") + packed if data else b""
