/* How a program reads a table: the example of include/skep/README.md, whole. Prints the table's type and number of
 * rows.
 *
 *   cc read_table.c $(pkg-config --cflags --libs skep) -o read_table
 *   ./read_table warehouse/sales.db/orders 'sales.orders:17:9223372036854775807::' */
#include <inttypes.h>
#include <skep/skep.h>
#include <stdio.h>

static int fail(const char *what) {
  fprintf(stderr, "read_table: %s\n", what);
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 2) return fail("usage: read_table TABLE [SNAPSHOT]");
  skep_err err;
  skep_table *table;
  struct ArrowArrayStream stream;
  struct ArrowArray batch;
  const char *path = argv[1];
  skep_table_opts opts = SKEP_TABLE_OPTS_INIT;
  opts.snapshot = argc > 2 ? argv[2] : NULL;
  if (opts.snapshot == NULL) opts.flags = SKEP_EVERYTHING_COMMITTED;

  if (skep_table_open(&path, 1, &opts, &table, &err) != SKEP_OK) return fail(err.text);
  printf("%s\n", skep_table_type(table));
  skep_status status = skep_table_stream(table, &stream, &err);
  skep_table_close(table); /* the stream keeps what it needs */
  if (status != SKEP_OK) return fail(err.text);

  int64_t n_rows = 0;
  int code;
  while ((code = stream.get_next(&stream, &batch)) == 0 && batch.release != NULL) {
    n_rows += batch.length; /* batch.children[i] is the i-th column, as the Arrow C data interface has it */
    batch.release(&batch);
  }
  if (code != 0) fail(stream.get_last_error(&stream));
  stream.release(&stream);
  if (code == 0) printf("%" PRId64 " rows\n", n_rows);
  return code == 0 ? 0 : 1;
}
