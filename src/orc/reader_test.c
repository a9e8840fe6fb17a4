/* Whole files: the rows in every mode of reading, against rows that were known before the files were written
 * (tests/data/orc/make.py). */
#include "orc/test_file.h"

#include "support/failing_alloc.h"

#define DATA SKEP_SOURCE_DIR "/tests/data/orc"

static const char *const FILES[] = {"all_none",         "all_zlib",     "all_no_nulls",
                                    "all_mostly_nulls", "nested_nulls", "sorted",
                                    "root_list",        "root_string",  "unions"};
enum { N_FILES = sizeof FILES / sizeof FILES[0] };

static const struct {
  const char *name;
  skep_forms forms;
  int64_t batch_rows;
} MODES[] = {
    {"arrow forms, large batches", {0}, 4096},
    {"one row a batch", {0}, 1},
    {"seven rows a batch", {0}, 7},
    {"views", {.string = SKEP_FORM_VIEW}, 64},
    {"kept dictionaries", {.keep_dictionaries = true}, 100},
    {"narrow decimals, boolean bytes, kept dictionaries, views",
     {.boolean = SKEP_FORM_BOOL_BYTES, .string = SKEP_FORM_VIEW, .keep_dictionaries = true, .narrow_decimals = true},
     33},
};

static void check_text(const char *file, const char *mode, const skep_buf *have, const char *want, size_t size) {
  assert_int_equal(have->status, SKEP_OK);
  size_t n = have->size < size ? have->size : size, at = 0;
  while (at < n && have->data[at] == (uint8_t)want[at]) at++;
  if (at == n && have->size == size) return;
  while (at > 0 && want[at - 1] != '\n') at--;
  fail_msg("%s, %s: want %.300s\nhave %.300s", file, mode, want + at,
           at < have->size ? (const char *)have->data + at : "");
}

static const char *skip_lines(const char *text, uint64_t n) {
  for (; n > 0 && *text != 0; text++) n -= *text == '\n';
  return text;
}

static void every_mode_gives_the_rows_that_were_written(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  for (int f = 0; f < N_FILES; f++) {
    test_bytes bytes = test_load(DATA, FILES[f], ".orc"), rows = test_load(DATA, FILES[f], ".rows");
    assert_non_null(bytes.data);
    for (size_t m = 0; m < sizeof MODES / sizeof MODES[0]; m++) {
      test_file t;
      skep_buf out;
      skep_buf_init(&out, &ctx, SIZE_MAX);
      test_file_open(&t, &ctx, bytes);
      t.opts.forms = MODES[m].forms;
      test_file_read(&t, NULL, NULL);
      test_file_rows(&t, MODES[m].batch_rows, &out);
      if (t.status != SKEP_END) fail_msg("%s, %s: %s", FILES[f], MODES[m].name, t.err.text);
      check_text(FILES[f], MODES[m].name, &out, (const char *)rows.data, rows.size);
      skep_buf_fini(&out);
      test_file_close(&t);
    }
    free(bytes.data);
    free(rows.data);
  }
}

static void a_seek_goes_to_exactly_that_row(void **state) {
  (void)state;
  static const uint64_t ROWS[] = {0, 149, 99, 100, 101, 7, 8, 140, 1, 139};
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  for (int f = 0; f < 5; f++) {
    test_bytes bytes = test_load(DATA, FILES[f], ".orc"), rows = test_load(DATA, FILES[f], ".rows");
    test_file t;
    skep_buf out;
    skep_buf_init(&out, &ctx, SIZE_MAX);
    test_file_open(&t, &ctx, bytes);
    test_file_read(&t, NULL, NULL);
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) { /* forwards and backwards with one reader */
      assert_ok(skep_orc_reader_seek(t.reader, ROWS[i], &t.err), t.err);
      assert_ok(skep_orc_reader_next(t.reader, 3, &t.batch, &t.err), t.err);
      assert_int_equal(t.batch.first_row, ROWS[i]);
      skep_buf_reset(&out);
      skep_text text = {.style = SKEP_TEXT_JSON};
      for (int64_t k = 0; k < t.batch.root.length; k++) {
        assert_ok(skep_text_value(&text, &t.batch.root, k, &out, &t.err), t.err);
        skep_buf_byte(&out, '\n');
      }
      const char *want = skip_lines((const char *)rows.data, ROWS[i]);
      check_text(FILES[f], "seek", &out, want, (size_t)(skip_lines(want, (uint64_t)t.batch.root.length) - want));
    }
    /* Behind the last row there is the end; from there one can seek back. */
    assert_ok(skep_orc_reader_seek(t.reader, t.tail->n_rows, &t.err), t.err);
    assert_int_equal(skep_orc_reader_next(t.reader, 3, &t.batch, &t.err), SKEP_END);
    assert_ok(skep_orc_reader_seek(t.reader, 0, &t.err), t.err);
    assert_ok(skep_orc_reader_next(t.reader, 1, &t.batch, &t.err), t.err);
    assert_int_equal(t.batch.first_row, 0);
    skep_buf_fini(&out);
    test_file_close(&t);
    free(bytes.data);
    free(rows.data);
  }
}

static void only_the_bytes_of_wanted_columns_are_read(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  test_bytes bytes = test_load(DATA, "all_no_nulls", ".orc");
  uint64_t read[2];
  for (int i = 0; i < 2; i++) {
    test_file t;
    skep_buf out;
    skep_buf_init(&out, &ctx, SIZE_MAX);
    test_file_open(&t, &ctx, bytes);
    test_file_read(&t, i == 0 ? NULL : "struct<i:int>", NULL);
    test_file_rows(&t, 1000, &out);
    assert_int_equal(t.status, SKEP_END);
    if (i == 1) assert_memory_equal(out.data, "{\"i\":0}\n{\"i\":3}\n", 16);
    read[i] = skep_orc_reader_stats(t.reader).bytes_read;
    skep_buf_fini(&out);
    test_file_close(&t);
  }
  assert_true(read[0] > 12000 && read[1] < 1500);
  free(bytes.data);
}

/* ---- search arguments ---- */

/* Reads ids of `sorted` (0..2999, 6 row groups of 500) with a predicate; out gets first and last id and their number.
 */
static skep_orc_reader_counts read_sorted(const skep_ctx *ctx, const char *where, int64_t *first, int64_t *last,
                                          int64_t *n) {
  test_bytes bytes = test_load(DATA, "sorted", ".orc");
  test_file t;
  const skep_pred *parsed, *bound;
  test_file_open(&t, ctx, bytes);
  assert_ok(skep_pred_parse(&t.arena, where, strlen(where), &parsed, &t.err), t.err);
  assert_ok(skep_pred_bind(&t.arena, parsed, t.tail->type, &bound, &t.err), t.err);
  t.opts.predicate = bound;
  test_file_read(&t, NULL, NULL);
  *n = 0;
  *first = *last = -1;
  while (t.status == SKEP_OK) {
    t.status = skep_orc_reader_next(t.reader, 300, &t.batch, &t.err);
    if (t.status != SKEP_OK) break;
    const int64_t *ids = t.batch.root.children[0].values.data;
    for (int64_t i = 0; i < t.batch.root.length; i++) assert_int_equal(ids[i], t.batch.first_row + i);
    if (*n == 0) *first = ids[0];
    *last = ids[t.batch.root.length - 1];
    *n += t.batch.root.length;
  }
  assert_int_equal(t.status, SKEP_END);
  skep_orc_reader_counts counts = skep_orc_reader_stats(t.reader);
  test_file_close(&t);
  free(bytes.data);
  return counts;
}

static void predicates_skip_row_groups_and_rows_keep_their_numbers(void **state) {
  (void)state;
  static const struct {
    const char *where;
    int64_t first, last, n;
  } CASES[] = {
      {"id = 1234", 1000, 1499, 500},
      {"id < 500", 0, 499, 500},
      {"id <= 500", 0, 999, 1000},
      {"id < 500 or id > 2700", 0, 2999, 1000},
      {"not (id between 500 and 2400)", 0, 2999, 1500},
      {"id > 5000", -1, -1, 0},
      {"id is null", -1, -1, 0},
      {"id is not null", 0, 2999, 3000},
      {"id in (7, 2999)", 0, 2999, 1000},
      {"day = date '1971-01-01'", 0, 499, 500},
      {"price between 10.00 and 12.5", 1000, 1499, 500},
      {"name = 'name07919'", 0, 499, 500}, /* id 1: by its bloom filter */
      {"name = 'name07920'", -1, -1, 0},   /* nowhere, inside every min and max: by the bloom filters */
  };
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
    int64_t first, last, n;
    skep_orc_reader_counts counts = read_sorted(&ctx, CASES[i].where, &first, &last, &n);
    if (first != CASES[i].first || last != CASES[i].last || n != CASES[i].n)
      fail_msg("%s: rows %lld to %lld, %lld of them", CASES[i].where, (long long)first, (long long)last, (long long)n);
    assert_int_equal(counts.groups_read + counts.groups_skipped,
                     counts.groups_read == 0 && counts.groups_skipped == 0 ? 0 : 6);
  }
}

/* Rows (as a hash over their numbers) for which `filter` is true, read with or without skipping by it. */
static uint64_t selected_rows(test_file *t, const skep_pred *filter, bool skip, uint64_t *n) {
  uint64_t hash = 0;
  int32_t rows[512];
  t->opts.predicate = skip ? filter : NULL;
  test_file_read(t, NULL, NULL);
  assert_int_equal(t->status, SKEP_OK);
  *n = 0;
  while ((t->status = skep_orc_reader_next(t->reader, 512, &t->batch, &t->err)) == SKEP_OK) {
    int64_t n_rows;
    assert_ok(skep_pred_filter(t->ctx, filter, &t->batch.root, rows, &n_rows, &t->err), t->err);
    for (int64_t i = 0; i < n_rows; i++) hash = hash * 31 + (uint64_t)(t->batch.first_row + rows[i]) + 1;
    *n += (uint64_t)n_rows;
  }
  assert_int_equal(t->status, SKEP_END);
  t->status = SKEP_OK;
  skep_orc_reader_close(t->reader);
  skep_vec_fini(&t->batch.root);
  t->reader = NULL;
  return hash;
}

static void skipping_never_loses_a_row_that_the_predicate_selects(void **state) {
  (void)state;
  static const char *const TERMS[] = {
      "b",
      "b is null",
      "t < -100",
      "s = 32767",
      "i between 300 and 330",
      "l <=> null",
      "f >= 900",
      "d < 0",
      "dec = 5296756.44",
      "big > 9e26",
      "str = ''",
      "dict in ('a', 'Z\xc3\xbcrich')",
      "c = 'ab7'",
      "v <> 'v1'",
      "dt < date '1800-01-01'",
      "ts >= timestamp '2060-01-01 00:00:00'",
      "st.x > 250",
      "st.y.z is null",
      "st.y.z = 'z3'",
  };
  enum { N_TERMS = sizeof TERMS / sizeof TERMS[0] };
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  for (int f = 0; f < 4; f++) {
    test_bytes bytes = test_load(DATA, FILES[f], ".orc");
    test_file t;
    test_file_open(&t, &ctx, bytes);
    for (int i = 0; i < N_TERMS * 3; i++) {
      char where[200];
      const char *a = TERMS[i % N_TERMS], *b = TERMS[(i * 7 + 3) % N_TERMS];
      if (i < N_TERMS) (void)snprintf(where, sizeof where, "%s", a);
      if (i >= N_TERMS)
        (void)snprintf(where, sizeof where, i < 2 * N_TERMS ? "not (%s) and %s" : "(%s) or not (%s)", a, b);
      const skep_pred *parsed, *bound;
      uint64_t n[2];
      if (skep_pred_parse(&t.arena, where, strlen(where), &parsed, &t.err) != SKEP_OK)
        fail_msg("%s: %s", where, t.err.text);
      if (skep_pred_bind(&t.arena, parsed, t.tail->type, &bound, &t.err) != SKEP_OK)
        fail_msg("%s: %s", where, t.err.text);
      uint64_t all = selected_rows(&t, bound, false, &n[0]), fewer = selected_rows(&t, bound, true, &n[1]);
      if (all != fewer)
        fail_msg("%s, %s: %llu rows, %llu when skipping", FILES[f], where, (unsigned long long)n[0],
                 (unsigned long long)n[1]);
    }
    test_file_close(&t);
    free(bytes.data);
  }
}

/* ---- evolution ---- */

static void missing_columns_are_null_and_types_widen(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  test_bytes bytes = test_load(DATA, "all_no_nulls", ".orc");
  test_file t;
  skep_buf out;
  skep_buf_init(&out, &ctx, SIZE_MAX);
  test_file_open(&t, &ctx, bytes);
  test_file_read(&t, "struct<NEW:int,I:bigint,t:string,st:struct<extra:array<int>,x:double>,i2:struct<a:int>>", NULL);
  assert_int_equal(t.status, SKEP_OK);
  assert_ok(skep_orc_reader_next(t.reader, 2, &t.batch, &t.err), t.err);
  skep_text text = {.style = SKEP_TEXT_JSON};
  const skep_vec *row = &t.batch.root;
  assert_ok(skep_text_value(&text, &row->children[0], 1, &out, &t.err), t.err);
  assert_ok(skep_text_value(&text, &row->children[1], 1, &out, &t.err), t.err);
  assert_ok(skep_text_value(&text, &row->children[3], 1, &out, &t.err), t.err);
  assert_ok(skep_text_value(&text, &row->children[4], 1, &out, &t.err), t.err);
  assert_string_equal(skep_buf_string(&out), "null3{\"extra\":null,\"x\":1.0}null");
  skep_buf_fini(&out);
  test_file_close(&t);
  free(bytes.data);
}

static void types_that_do_not_convert_are_named(void **state) {
  (void)state;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  test_bytes bytes = test_load(DATA, "all_no_nulls", ".orc");
  test_file t;
  test_file_open(&t, &ctx, bytes);
  test_file_read(&t, "struct<li:int>", NULL);
  assert_int_equal(t.status, SKEP_ERR_ARGUMENT);
  assert_string_equal(t.err.text, "column 17 of type array<int> cannot be read as int");
  test_file_close(&t);
  free(bytes.data);
}

/* ---- failure ---- */

static void every_failing_allocation_is_reported_and_leaks_nothing(void **state) {
  (void)state;
  test_bytes bytes = test_load(DATA, "nested_nulls", ".orc");
  failing_alloc memory;
  skep_ctx ctx;
  failing_alloc_ctx(&memory, &ctx);
  for (uint64_t n = 1;; n++) {
    test_file t;
    skep_buf out;
    skep_buf_init(&out, &ctx, SIZE_MAX);
    failing_alloc_arm(&memory, n);
    test_file_open(&t, &ctx, bytes);
    test_file_read(&t, NULL, NULL);
    while (t.status == SKEP_OK) t.status = skep_orc_reader_next(t.reader, 1000, &t.batch, &t.err);
    test_file_close(&t);
    skep_buf_fini(&out);
    bool fired = failing_alloc_fired(&memory);
    if (t.status != (fired ? SKEP_ERR_NOMEM : SKEP_END))
      fail_msg("allocation %llu: %s", (unsigned long long)n, t.err.text);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!fired) break;
  }
  free(bytes.data);
}

static void prefixes_and_changed_bytes_give_an_error_or_rows(void **state) {
  (void)state;
  static const uint8_t FLIPS[] = {0x01, 0x80, 0xff};
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  for (int f = 7; f < N_FILES; f++) {
    test_bytes bytes = test_load(DATA, FILES[f], ".orc");
    for (size_t at = 0; at < 4 * bytes.size; at++) {
      test_bytes damaged = {.data = malloc(bytes.size), .size = at < bytes.size ? at : bytes.size};
      assert_non_null(damaged.data);
      memcpy(damaged.data, bytes.data, damaged.size);
      if (at >= bytes.size) damaged.data[at % bytes.size] ^= FLIPS[at / bytes.size - 1];
      test_file t;
      skep_buf out;
      skep_buf_init(&out, &ctx, 1 << 24);
      test_file_open(&t, &ctx, damaged);
      test_file_read(&t, NULL, NULL);
      for (int i = 0; i < 20 && t.status == SKEP_OK; i++)
        t.status = skep_orc_reader_next(t.reader, 1000, &t.batch, &t.err);
      assert_true(at >= bytes.size || t.status == SKEP_ERR_CORRUPT || t.status == SKEP_ERR_LIMIT ||
                  t.status == SKEP_ERR_UNSUPPORTED);
      assert_true(t.status == SKEP_OK || t.status == SKEP_END || t.err.text[0] != 0);
      skep_buf_fini(&out);
      test_file_close(&t);
      free(damaged.data);
    }
    free(bytes.data);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_mode_gives_the_rows_that_were_written),
      cmocka_unit_test(a_seek_goes_to_exactly_that_row),
      cmocka_unit_test(only_the_bytes_of_wanted_columns_are_read),
      cmocka_unit_test(predicates_skip_row_groups_and_rows_keep_their_numbers),
      cmocka_unit_test(skipping_never_loses_a_row_that_the_predicate_selects),
      cmocka_unit_test(missing_columns_are_null_and_types_widen),
      cmocka_unit_test(types_that_do_not_convert_are_named),
      cmocka_unit_test(every_failing_allocation_is_reported_and_leaks_nothing),
      cmocka_unit_test(prefixes_and_changed_bytes_give_an_error_or_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
