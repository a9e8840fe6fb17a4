#!/usr/bin/env python3
"""How Python reads a table: libskep through ctypes, the rows through pyarrow. The example of include/skep/README.md.

usage: read_table.py TABLE [SNAPSHOT]      (LIBSKEP: the library, when it is not where the system looks)"""
import ctypes, os, sys
import pyarrow as pa

skep = ctypes.CDLL(os.environ.get("LIBSKEP", "libskep.so.0.1"))
EVERYTHING_COMMITTED = 1


class Opts(ctypes.Structure):  # the first fields of skep_table_opts: `size` says how many, the others keep their defaults
    _fields_ = [("size", ctypes.c_size_t), ("flags", ctypes.c_uint32), ("hive", ctypes.c_int), ("snapshot", ctypes.c_char_p)]


class Err(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 1024)]


def read_table(path, snapshot=None):
    """A pyarrow.RecordBatchReader of the table's rows. Without a snapshot everything on disk counts as committed."""
    opts = Opts(ctypes.sizeof(Opts), 0 if snapshot else EVERYTHING_COMMITTED, 0, snapshot.encode() if snapshot else None)
    paths, err, table = (ctypes.c_char_p * 1)(os.fsencode(path)), Err(), ctypes.c_void_p()
    stream = (ctypes.c_void_p * 5)()  # room for a struct ArrowArrayStream
    if skep.skep_table_open(paths, ctypes.c_size_t(1), ctypes.byref(opts), ctypes.byref(table), ctypes.byref(err)):
        raise RuntimeError(err.text.decode())
    status = skep.skep_table_stream(table, stream, ctypes.byref(err))
    skep.skep_table_close(table)  # the stream keeps what it needs
    if status:
        raise RuntimeError(err.text.decode())
    return pa.RecordBatchReader._import_from_c(ctypes.addressof(stream))


if __name__ == "__main__":
    for row in read_table(*sys.argv[1:3]).read_all().to_pylist():
        print(row)
