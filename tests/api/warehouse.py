#!/usr/bin/env python3
"""Transactions from Python: libskep through ctypes, rows both ways through pyarrow. The example of include/skep/README.md.

usage: warehouse.py DIR SQL      (LIBSKEP: the library, when it is not where the system looks)"""
import ctypes, os, sys
import pyarrow as pa

skep = ctypes.CDLL(os.environ.get("LIBSKEP", "libskep.so.0.1"))
skep.skep_connection_notice.restype = ctypes.c_char_p


class Err(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 1024)]


class SkepError(RuntimeError):
    def __init__(self, err):
        super().__init__(err.text.decode())
        self.status = err.status  # SKEP_ERR_CONFLICT and the others, by number


def call(function, *args):
    err = Err()
    if function(*args, ctypes.byref(err)):
        raise SkepError(err)


class Connection:
    """One session on a warehouse, of its own."""

    def __init__(self, path):
        warehouse, self.handle = ctypes.c_void_p(), ctypes.c_void_p()
        call(skep.skep_warehouse_open, os.fsencode(path), None, ctypes.byref(warehouse))
        try:
            call(skep.skep_connect, warehouse, ctypes.byref(self.handle))
        finally:
            skep.skep_warehouse_close(warehouse)  # the connection keeps what it needs

    def run(self, sql):
        """Runs statements; the rows of the last as a pyarrow.RecordBatchReader, or None. Close the reader before the next call."""
        stream = (ctypes.c_void_p * 5)()  # room for a struct ArrowArrayStream; its fourth field is `release`
        call(skep.skep_run, self.handle, sql.encode(), stream)
        return pa.RecordBatchReader._import_from_c(ctypes.addressof(stream)) if stream[3] else None

    def query(self, sql):
        """The rows of a statement as a pyarrow.Table."""
        with self.run(sql) as rows:
            return rows.read_all()

    def give(self, name, data):
        """Makes a pyarrow Table or RecordBatchReader readable as `FROM name`, for this connection."""
        stream = (ctypes.c_void_p * 5)()
        reader = data.to_reader() if isinstance(data, pa.Table) else data
        reader._export_to_c(ctypes.addressof(stream))
        call(skep.skep_give, self.handle, name.encode(), stream)

    def take_back(self, name):
        call(skep.skep_take_back, self.handle, name.encode())

    def close(self):
        skep.skep_disconnect(self.handle)
        self.handle = None


if __name__ == "__main__":
    connection = Connection(sys.argv[1])
    rows = connection.run(sys.argv[2])
    for row in rows.read_all().to_pylist() if rows else []:
        print(row)
    connection.close()
