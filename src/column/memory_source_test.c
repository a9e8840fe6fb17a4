/* Rows in memory: every row comes once, whatever pieces and threads ask for it; streams that fail or lie are told. */
#include "column/memory_source.h"

#include "support/test.h"

#include <errno.h>
#include <stdlib.h>

#include "support/failing_alloc.h"

static skep_ctx ctx;
static skep_err err;

/* ---- a stream of batches with two columns, N bigint and S string, counting on ---- */

typedef struct counting {
  const int64_t *lengths; /* of the batches, up to one below 0 */
  int64_t next;
  int fails_with; /* instead of the end */
  bool lies;      /* a batch says that it is longer than its buffers' offsets allow */
  bool no_columns;
  const char *name; /* of the second column */
  const skep_ctx *ctx;
  skep_arena arena;
  const skep_type *type;
} counting;

static int counting_schema(struct ArrowArrayStream *self, struct ArrowSchema *out) {
  counting *c = self->private_data;
  const skep_forms forms = {0};
  return skep_arrow_export_schema(&ctx, c->type, &forms, out, &err) == SKEP_OK ? 0 : EIO;
}

static int counting_next(struct ArrowArrayStream *self, struct ArrowArray *out) {
  counting *c = self->private_data;
  const skep_forms forms = {0};
  memset(out, 0, sizeof *out);
  int64_t n = *c->lengths;
  if (n < 0) return c->fails_with;
  c->lengths++;
  skep_vec root = {0};
  assert_ok(skep_vec_init(&root, &ctx, c->type, &forms, &err), err);
  for (int i = 0; i < 2; i++) assert_ok(skep_vec_reserve(&root.children[i], n, false, &err), err);
  assert_ok(skep_vec_reserve_heap(&root.children[1], (size_t)n * 20, &err), err);
  for (int64_t i = 0; i < n; i++) {
    char text[21];
    int length = snprintf(text, sizeof text, "%0*lld", c->next % 2 == 0 ? 3 : 20, (long long)c->next);
    ((int64_t *)root.children[0].values.data)[i] = c->next++;
    memcpy((char *)root.children[1].heap.data + root.children[1].heap_size, text, (size_t)length);
    root.children[1].heap_size += (size_t)length;
    ((int32_t *)root.children[1].offsets.data)[i + 1] = (int32_t)root.children[1].heap_size;
  }
  root.length = root.children[0].length = root.children[1].length = n;
  if (c->lies) ((int32_t *)root.children[1].offsets.data)[1] = -5;
  assert_ok(skep_arrow_export_vec(&root, &forms, SKEP_UTF8_REPLACE, out, &err), err);
  skep_vec_fini(&root);
  return 0;
}

static const char *counting_error(struct ArrowArrayStream *self) {
  const counting *c = self->private_data;
  return c->fails_with == 0 ? NULL : "the far end\nhung up";
}

static struct ArrowArrayStream counting_stream(counting *c) {
  char text[100];
  skep_ctx_init(&ctx);
  skep_arena_init(&c->arena, &ctx, 1 << 20);
  snprintf(text, sizeof text, c->no_columns ? "struct<>" : "struct<N:bigint,%s:string>",
           c->name != NULL ? c->name : "s");
  assert_ok(skep_type_parse(&c->arena, text, strlen(text), &c->type, &err), err);
  return (struct ArrowArrayStream){
      .get_schema = counting_schema, .get_next = counting_next, .get_last_error = counting_error, .private_data = c};
}

static skep_status made(counting *c, const skep_ctx *with, skep_source **out) {
  struct ArrowArrayStream stream = counting_stream(c);
  skep_status status = skep_memory_source_new(with, &stream, out, &err);
  skep_arena_fini(&c->arena);
  return status;
}

/* ---- reading ---- */

enum { MAX_ROWS = 40000 };

/* Marks the rows that a reader delivers next; false: it has no more. */
static bool read_some(skep_source *source, skep_source_reader *reader, int64_t max_rows, uint8_t *seen, int64_t *last) {
  const skep_batch *batch;
  skep_status status = source->vt->next(reader, max_rows, &batch, &err);
  if (status == SKEP_END) return false;
  assert_ok(status, err);
  assert_in_range(batch->root.length, 1, max_rows);
  for (int64_t i = 0; i < batch->root.length; i++) {
    char text[24];
    skep_bytes bytes = skep_vec_bytes(&batch->root.children[0], i);
    int64_t number = ((const int64_t *)batch->root.children[1].values.data)[i];
    assert_in_range(number, 0, MAX_ROWS - 1);
    assert_int_equal(seen[number]++, 0);
    int length = snprintf(text, sizeof text, "%0*lld", number % 2 == 0 ? 3 : 20, (long long)number);
    assert_int_equal(bytes.left, length);
    assert_memory_equal(bytes.at, text, bytes.left);
    if (last != NULL) assert_int_equal(number, *last + 1);
    if (last != NULL) *last = number;
  }
  return true;
}

static void every_row_comes_once(void **state) {
  (void)state;
  static const int64_t lengths[][6] = {{-1}, {1, -1}, {0, 3, 0, -1}, {8192, 8192, 1, -1}, {20000, 5, 8193, 0, 100, -1}};
  static const int64_t rows[] = {0, 1, 3, 16385, 28298};
  static const uint32_t columns[] = {1, 0}; /* in the order asked for */
  uint8_t *seen = malloc(MAX_ROWS);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    for (uint32_t readers = 1; readers <= 3; readers++) {
      for (int64_t piece = 700; piece <= 100000; piece *= 50) {
        counting c = {.lengths = lengths[k]};
        skep_source *source;
        skep_source_run *run;
        skep_source_reader *reader[3];
        assert_ok(made(&c, &ctx, &source), err);
        assert_int_equal(source->estimated_rows, rows[k]);
        assert_string_equal(source->type->names[0], "n"); /* lower case */
        assert_ok(source->vt->run(source, columns, 2, &run, &err), err);
        memset(seen, 0, MAX_ROWS);
        int64_t last = -1;
        for (uint32_t i = 0; i < readers; i++) assert_ok(source->vt->open(run, &reader[i], &err), err);
        for (bool more = true; more;) {
          more = false;
          for (uint32_t i = 0; i < readers; i++)
            more |= read_some(source, reader[i], piece, seen, readers == 1 ? &last : NULL);
        }
        for (int64_t i = 0; i < MAX_ROWS; i++) assert_int_equal(seen[i], i < rows[k]);
        for (uint32_t i = 0; i < readers; i++) source->vt->close(reader[i]);
        source->vt->run_free(run);
        skep_source_free(source);
      }
    }
  }
  free(seen);
}

static void without_columns_rows_are_counted(void **state) {
  (void)state;
  static const int64_t lengths[] = {10000, 7, -1};
  counting c = {.lengths = lengths};
  skep_source *source;
  skep_source_run *run;
  skep_source_reader *reader;
  const skep_batch *batch;
  int64_t n = 0;
  assert_ok(made(&c, &ctx, &source), err);
  assert_ok(source->vt->run(source, NULL, 0, &run, &err), err);
  assert_ok(source->vt->open(run, &reader, &err), err);
  while (source->vt->next(reader, 2048, &batch, &err) == SKEP_OK) n += batch->root.length;
  assert_int_equal(n, 10007);
  source->vt->close(reader);
  source->vt->run_free(run);
  source->vt->close(NULL);
  source->vt->run_free(NULL);
  skep_source_free(source);
}

static void what_is_wrong_with_a_stream_is_told(void **state) {
  (void)state;
  static const int64_t lengths[] = {5, -1};
  skep_source *source;
  counting fails = {.lengths = lengths, .fails_with = EIO};
  assert_fails(made(&fails, &ctx, &source), SKEP_ERR_IO, err, "the far end\\x0ahung up");
  assert_null(source);
  counting lies = {.lengths = lengths, .lies = true};
  assert_fails(made(&lies, &ctx, &source), SKEP_ERR_CORRUPT, err, "column s: Arrow array: offsets 0 and -5");
  assert_null(source);
  counting twice = {.lengths = lengths, .name = "n"};
  assert_fails(made(&twice, &ctx, &source), SKEP_ERR_ARGUMENT, err, "two columns are called n");
  assert_null(source);
  counting none = {.lengths = lengths, .no_columns = true};
  assert_fails(made(&none, &ctx, &source), SKEP_ERR_ARGUMENT, err, "rows without columns");
  assert_null(source);
}

static void memory_that_runs_out_leaves_nothing_behind(void **state) {
  (void)state;
  static const int64_t lengths[] = {300, 3, -1};
  for (uint64_t nth = 1;; nth++) {
    failing_alloc memory;
    skep_ctx failing;
    counting c = {.lengths = lengths};
    skep_source *source;
    failing_alloc_ctx(&memory, &failing);
    failing_alloc_arm(&memory, nth);
    skep_status status = made(&c, &failing, &source);
    if (status == SKEP_OK) {
      skep_source_free(source);
    } else {
      assert_int_equal(status, SKEP_ERR_NOMEM);
    }
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) return;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_row_comes_once),
      cmocka_unit_test(without_columns_rows_are_counted),
      cmocka_unit_test(what_is_wrong_with_a_stream_is_told),
      cmocka_unit_test(memory_that_runs_out_leaves_nothing_behind),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
