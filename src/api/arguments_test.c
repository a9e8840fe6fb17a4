/* NULL in place of whatever a public function takes is refused, or means what its header says: none crashes. */
#include <ctype.h>
#include <stdio.h>

#include "skep/skep.h"
#include "support/temp_dir.h"
#include "support/test.h"

static const char people[] = SKEP_SOURCE_DIR "/tests/data/people";
static const char *const paths[] = {people};

typedef struct fixture {
  temp_dir dir;
  skep_table *table;
  skep_warehouse *warehouse;
  skep_connection *connection;
  struct ArrowArrayStream stream;
  skep_err err;
} fixture;

/* ---- one call each; a place to write to is there, unless it is what is missing ---- */

#define CALL(name) static skep_status name(fixture *f)

static uint8_t *bytes;
static size_t n_bytes;
static const uint8_t no_split[] = {0};

CALL(open_nowhere) { return skep_table_open(paths, 1, NULL, NULL, &f->err); }
CALL(open_nothing) { return skep_table_open(NULL, 0, NULL, &(skep_table *){NULL}, &f->err); }
CALL(schema_nowhere) { return skep_table_schema(f->table, NULL, &f->err); }
CALL(schema_of_nothing) { return skep_table_schema(NULL, &(struct ArrowSchema){0}, &f->err); }
CALL(encode_nowhere) { return skep_table_split_encode(f->table, 0, NULL, &n_bytes, &f->err); }
CALL(encode_without_size) { return skep_table_split_encode(f->table, 0, &bytes, NULL, &f->err); }
CALL(encode_nothing) { return skep_table_split_encode(NULL, 0, &bytes, &n_bytes, &f->err); }
CALL(stream_nowhere) { return skep_table_stream(f->table, NULL, &f->err); }
CALL(stream_nothing) { return skep_table_stream(NULL, &f->stream, &f->err); }
CALL(split_stream_nowhere) { return skep_table_split_stream(f->table, 0, NULL, &f->err); }
CALL(split_stream_of_nothing) { return skep_table_split_stream(NULL, 0, &f->stream, &f->err); }
CALL(bytes_nowhere) { return skep_split_stream(no_split, sizeof no_split, NULL, NULL, &f->err); }
CALL(bytes_missing) { return skep_split_stream(NULL, 0, NULL, &f->stream, &f->err); }
CALL(warehouse_nowhere) { return skep_warehouse_open(f->dir.path, NULL, NULL, &f->err); }
CALL(warehouse_unnamed) { return skep_warehouse_open(NULL, NULL, &(skep_warehouse *){NULL}, &f->err); }
CALL(connect_nowhere) { return skep_connect(f->warehouse, NULL, &f->err); }
CALL(connect_to_nothing) { return skep_connect(NULL, &(skep_connection *){NULL}, &f->err); }
CALL(run_nothing) { return skep_run(f->connection, NULL, &f->stream, &f->err); }
CALL(run_by_nobody) { return skep_run(NULL, "SELECT 1", &f->stream, &f->err); }
CALL(give_nothing) { return skep_give(f->connection, "x", NULL, &f->err); }
CALL(take_back_unnamed) { return skep_take_back(f->connection, NULL, &f->err); }
CALL(take_back_from_nobody) { return skep_take_back(NULL, "x", &f->err); }

CALL(give_unnamed) {
  assert_ok(skep_run(f->connection, "SELECT 1", &f->stream, &f->err), f->err);
  return skep_give(f->connection, NULL, &f->stream, &f->err); /* released all the same */
}

CALL(give_to_nobody) {
  assert_ok(skep_run(f->connection, "SELECT 1", &f->stream, &f->err), f->err);
  return skep_give(NULL, "x", &f->stream, &f->err);
}

CALL(rows_nowhere) { return skep_run(f->connection, "SELECT 1", NULL, &f->err); }

CALL(nothing_is_closed) {
  (void)f;
  skep_table_close(NULL);
  skep_warehouse_close(NULL);
  skep_disconnect(NULL);
  skep_cancel(NULL);
  skep_free_bytes(NULL);
  return SKEP_OK;
}

CALL(nothing_is_told) {
  (void)f;
  assert_null(skep_table_type(NULL));
  assert_null(skep_table_notice(NULL, 0));
  assert_int_equal(skep_table_split_count(NULL), 0);
  assert_int_equal(skep_table_split_rows(NULL, 0), 0);
  assert_int_equal(skep_in_transaction(NULL), 0);
  assert_null(skep_connection_notice(NULL, 0));
  return SKEP_OK;
}

CALL(nothing_is_taken) {
  (void)f;
  assert_non_null(skep_version());
  assert_non_null(skep_status_name(SKEP_OK));
  return SKEP_OK;
}

static const struct {
  const char *functions; /* that are called */
  skep_status (*call)(fixture *f);
  const char *text; /* of the refusal; NULL: it is none */
} cases[] = {
    {"skep_table_open", open_nowhere, "no place for what is asked given"},
    {"skep_table_open", open_nothing, "no path given"},
    {"skep_table_schema", schema_nowhere, "no place for what is asked given"},
    {"skep_table_schema", schema_of_nothing, "no table given"},
    {"skep_table_split_encode", encode_nowhere, "no place for what is asked given"},
    {"skep_table_split_encode", encode_without_size, "no place for what is asked given"},
    {"skep_table_split_encode", encode_nothing, "no table given"},
    {"skep_table_stream", stream_nowhere, "no place for what is asked given"},
    {"skep_table_stream", stream_nothing, "no table given"},
    {"skep_table_split_stream", split_stream_nowhere, "no place for what is asked given"},
    {"skep_table_split_stream", split_stream_of_nothing, "no table given"},
    {"skep_split_stream", bytes_nowhere, "no place for what is asked given"},
    {"skep_split_stream", bytes_missing, "no bytes of a split given"},
    {"skep_warehouse_open", warehouse_nowhere, "no place for a warehouse given"},
    {"skep_warehouse_open", warehouse_unnamed, "no directory given"},
    {"skep_connect", connect_nowhere, "no place for a connection given"},
    {"skep_connect", connect_to_nothing, "no warehouse given"},
    {"skep_run", run_nothing, "no statement given"},
    {"skep_run", run_by_nobody, "no connection given"},
    {"skep_run", rows_nowhere, NULL},
    {"skep_give", give_nothing, "no rows given"},
    {"skep_give", give_unnamed, "no name given"},
    {"skep_give", give_to_nobody, "no connection given"},
    {"skep_take_back", take_back_unnamed, "no name given"},
    {"skep_take_back", take_back_from_nobody, "no connection given"},
    {"skep_table_close skep_warehouse_close skep_disconnect skep_cancel skep_free_bytes", nothing_is_closed, NULL},
    {"skep_table_type skep_table_notice skep_table_split_count skep_table_split_rows skep_in_transaction "
     "skep_connection_notice",
     nothing_is_told, NULL},
    {"skep_version skep_status_name", nothing_is_taken, NULL},
};

static void null_is_refused_or_means_what_the_header_says(void **state) {
  fixture *f = *state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    f->stream = (struct ArrowArrayStream){0};
    f->err = (skep_err){0};
    bytes = NULL;
    skep_status st = cases[i].call(f);
    if (st != (cases[i].text == NULL ? SKEP_OK : SKEP_ERR_ARGUMENT) ||
        (cases[i].text != NULL && strstr(f->err.text, cases[i].text) == NULL))
      fail_msg("%s: %s: %s", cases[i].functions, skep_status_name(st), f->err.text);
    assert_null(f->stream.release);
    assert_null(bytes);
  }
}

/* ---- every function has its cases ---- */

static bool is_in_cases(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (const char *at = cases[i].functions; *at != '\0';) {
      size_t n = strcspn(at, " ");
      if (n == length && memcmp(at, name, n) == 0) return true;
      at += n + strspn(at + n, " ");
    }
  }
  return false;
}

/* The name before the first bracket after SKEP_API. */
static size_t check_line(const char *line) {
  const char *at = strstr(line, "SKEP_API ");
  if (at == NULL || line[0] == '#') return 0;
  const char *end = strchr(at, '('), *begin = end;
  assert_non_null(end);
  while (begin > at && (isalnum((unsigned char)begin[-1]) || begin[-1] == '_')) begin--;
  if (!is_in_cases(begin, (size_t)(end - begin))) fail_msg("no case for %.*s", (int)(end - begin), begin);
  return 1;
}

static void every_public_function_has_cases(void **state) {
  static const char *const headers[] = {"table.h", "warehouse.h", "status.h", "version.h"};
  size_t n = 0;
  (void)state;
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    char path[300], line[400];
    snprintf(path, sizeof path, SKEP_SOURCE_DIR "/include/skep/%s", headers[i]);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL) n += check_line(line);
    fclose(file);
  }
  assert_true(n >= 23);
}

static int set_up(void **state) {
  static fixture f;
  skep_table_opts opts = SKEP_TABLE_OPTS_INIT;
  opts.flags = SKEP_EVERYTHING_COMMITTED;
  temp_dir_make(&f.dir);
  assert_ok(skep_table_open(paths, 1, &opts, &f.table, &f.err), f.err);
  assert_ok(skep_warehouse_open(f.dir.path, NULL, &f.warehouse, &f.err), f.err);
  assert_ok(skep_connect(f.warehouse, &f.connection, &f.err), f.err);
  *state = &f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  skep_disconnect(f->connection);
  skep_warehouse_close(f->warehouse);
  skep_table_close(f->table);
  temp_dir_remove(&f->dir);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(null_is_refused_or_means_what_the_header_says),
      cmocka_unit_test(every_public_function_has_cases),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
