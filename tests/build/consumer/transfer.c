/* How a program changes tables: the example of include/skep/README.md, whole. Moves an amount between two accounts in
 * one transaction, and tries again when somebody else was there first.
 *
 *   cc transfer.c $(pkg-config --cflags --libs skep) -o transfer
 *   ./transfer /data/warehouse 1 2 20.00 */
#include <inttypes.h>
#include <skep/skep.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const char *what) {
  fprintf(stderr, "transfer: %s\n", what);
  return 1;
}

static skep_status transfer(skep_connection *c, long from, long to, double amount, skep_err *err) {
  char sql[400];
  snprintf(sql, sizeof sql,
           "START TRANSACTION;"
           "UPDATE accounts SET balance = balance + CASE id WHEN %ld THEN -%.2f ELSE %.2f END WHERE id IN (%ld, %ld);"
           "COMMIT",
           from, amount, amount, from, to);
  return skep_run(c, sql, NULL, err);
}

/* Prints how many accounts there are: the only column of the only row. */
static int print_count(skep_connection *c, skep_err *err) {
  struct ArrowArrayStream rows;
  struct ArrowArray batch;
  if (skep_run(c, "SELECT count(*) FROM accounts WHERE balance >= 0", &rows, err) != SKEP_OK) return fail(err->text);
  if (rows.get_next(&rows, &batch) != 0) {
    fail(rows.get_last_error(&rows));
    rows.release(&rows);
    return 1;
  }
  printf("%" PRId64 " accounts are not overdrawn\n", ((const int64_t *)batch.children[0]->buffers[1])[0]);
  batch.release(&batch);
  rows.release(&rows);
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 5) return fail("usage: transfer WAREHOUSE FROM TO AMOUNT");
  skep_err err;
  skep_warehouse *warehouse;
  skep_connection *c;
  if (skep_warehouse_open(argv[1], NULL, &warehouse, &err) != SKEP_OK) return fail(err.text);
  skep_status status = skep_connect(warehouse, &c, &err);
  skep_warehouse_close(warehouse); /* the connection keeps what it needs */
  if (status != SKEP_OK) return fail(err.text);
  do {
    status = transfer(c, strtol(argv[2], NULL, 10), strtol(argv[3], NULL, 10), strtod(argv[4], NULL), &err);
  } while (status == SKEP_ERR_CONFLICT);
  int code = status == SKEP_OK ? print_count(c, &err) : fail(err.text);
  skep_disconnect(c); /* rolls back what is open */
  return code;
}
