/* Splits: bytes and back, row types, and bytes from strangers. */
#include "acid/split.h"

#include "support/failing_alloc.h"
#include "support/test.h"

typedef struct fixture {
  skep_ctx ctx;
  skep_arena arena;
  skep_buf bytes;
  skep_err err;
} fixture;

static int setup(void **state) {
  static fixture f;
  memset(&f, 0, sizeof f);
  skep_ctx_init(&f.ctx);
  skep_arena_init(&f.arena, &f.ctx, 256 << 20);
  skep_buf_init(&f.bytes, &f.ctx, 1 << 20);
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  skep_buf_fini(&f->bytes);
  skep_arena_fini(&f->arena);
  return 0;
}

static const skep_type *type_of(fixture *f, const char *text) {
  const skep_type *type;
  assert_ok(skep_type_parse(&f->arena, text, strlen(text), &type, &f->err), f->err);
  return type;
}

static skep_split a_merge_split(fixture *f) {
  static const skep_split_file files[] = {
      {.path = "000001_0",
       .logical_bytes = UINT64_MAX,
       .statement = -1,
       .is_original = true,
       .synthetic_bucket = 1,
       .first_row_id = 70000},
      {.path = "delta_0000005_0000009/bucket_00001",
       .logical_bytes = 0,
       .min_write_id = 5,
       .max_write_id = 9,
       .statement = -1},
      {.path = "delta_0000010_0000010_0003/bucket_00001",
       .logical_bytes = 1234567,
       .min_write_id = 10,
       .max_write_id = INT64_MAX,
       .statement = 3},
  };
  static const skep_split_file deletes[] = {{.path = "delete_delta_7_7_0/bucket_00001_0",
                                             .logical_bytes = UINT64_MAX,
                                             .min_write_id = INT64_MIN,
                                             .max_write_id = 7}};
  static const char *const values[] = {"1", NULL, "a/b=\xc3\xa9"};
  skep_split s = {.kind = SKEP_SPLIT_MERGE,
                  .root = "/w/db.db/t/k=1",
                  .hive = SKEP_HIVE_2,
                  .check_write_ids = true,
                  .n_files = 3,
                  .files = files,
                  .first_stripe = 0,
                  .n_stripes = SKEP_ALL_STRIPES,
                  .n_deletes = 1,
                  .deletes = deletes,
                  .delete_set = 4,
                  .evolution = {.positional_levels = 1, .match_case = true},
                  .unmarked_calendar = SKEP_CALENDAR_PROLEPTIC,
                  .n_partition_columns = 2,
                  .n_partition_values = 3,
                  .partition_values = values,
                  .predicate = "`a` = 1",
                  .row_ids = true,
                  .n_rows_hint = 99};
  s.table = type_of(f, "struct<a:int,b:array<decimal(10,2)>,c:string>");
  s.columns = type_of(f, "struct<a:int,c:string>");
  s.partition_columns = type_of(f, "struct<k:int,d:date,s:string>");
  assert_ok(skep_snapshot_parse(&f->arena, NULL, "83:81:55:56:81:82:83", SKEP_HIVE_2, &s.snapshot, &f->err), f->err);
  return s;
}

static skep_split a_plain_split(fixture *f) {
  static const skep_split_file file = {.path = "", .logical_bytes = 5, .statement = -1};
  skep_split s = {.root = "f.orc", .n_files = 1, .files = &file, .first_stripe = 3, .n_stripes = 4};
  s.snapshot.everything = true;
  s.table = s.columns = type_of(f, "timestamp");
  return s;
}

static void assert_same_text(const char *a, const char *b) {
  assert_int_equal(a == NULL, b == NULL);
  if (a != NULL) assert_string_equal(a, b);
}

static void assert_same_files(const skep_split_file *a, const skep_split_file *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    assert_string_equal(a[i].path, b[i].path);
    assert_true(a[i].logical_bytes == b[i].logical_bytes);
    assert_true(a[i].min_write_id == b[i].min_write_id && a[i].max_write_id == b[i].max_write_id);
    assert_int_equal(a[i].statement, b[i].statement);
    assert_int_equal(a[i].is_original, b[i].is_original);
    assert_true(a[i].synthetic_write_id == b[i].synthetic_write_id && a[i].first_row_id == b[i].first_row_id);
    assert_int_equal(a[i].synthetic_bucket, b[i].synthetic_bucket);
  }
}

static void assert_same_split(const skep_split *a, const skep_split *b) {
  assert_int_equal(a->kind, b->kind);
  assert_string_equal(a->root, b->root);
  assert_int_equal(a->hive, b->hive);
  assert_int_equal(a->check_write_ids, b->check_write_ids);
  assert_int_equal(a->n_files, b->n_files);
  assert_same_files(a->files, b->files, a->n_files);
  assert_int_equal(a->first_stripe, b->first_stripe);
  assert_int_equal(a->n_stripes, b->n_stripes);
  assert_int_equal(a->n_deletes, b->n_deletes);
  assert_same_files(a->deletes, b->deletes, a->n_deletes);
  assert_int_equal(a->delete_set, b->delete_set);
  assert_true(skep_type_equal(a->table, b->table));
  assert_true(skep_type_equal(a->columns, b->columns));
  assert_int_equal(a->evolution.positional_levels, b->evolution.positional_levels);
  assert_int_equal(a->evolution.match_case, b->evolution.match_case);
  assert_int_equal(a->unmarked_calendar, b->unmarked_calendar);
  assert_int_equal(a->partition_columns == NULL, b->partition_columns == NULL);
  assert_int_equal(a->n_partition_columns, b->n_partition_columns);
  assert_int_equal(a->n_partition_values, b->n_partition_values);
  for (uint32_t i = 0; i < a->n_partition_values; i++) assert_same_text(a->partition_values[i], b->partition_values[i]);
  assert_same_text(a->predicate, b->predicate);
  assert_int_equal(a->row_ids, b->row_ids);
  assert_true(a->n_rows_hint == b->n_rows_hint);
  assert_int_equal(a->snapshot.everything, b->snapshot.everything);
  assert_int_equal(a->snapshot.has_write_ids, b->snapshot.has_write_ids);
  assert_int_equal(a->snapshot.write_ids_are_txns, b->snapshot.write_ids_are_txns);
}

static void bytes_give_the_same_split(void **state) {
  fixture *f = *state;
  skep_split splits[] = {a_merge_split(f), a_plain_split(f), a_merge_split(f)};
  assert_ok(skep_snapshot_parse(&f->arena, "a:b.t:9:4:4:2", "50:3:3:", SKEP_HIVE_4, &splits[2].snapshot, &f->err),
            f->err);
  splits[2].snapshot.for_compactor = true;
  for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
    skep_buf_reset(&f->bytes);
    skep_split_encode(&splits[i], &f->bytes);
    assert_ok(skep_buf_check(&f->bytes, "split", &f->err), f->err);
    skep_split back;
    assert_ok(skep_split_decode(&f->arena, skep_bytes_of(f->bytes.data, f->bytes.size), &back, &f->err), f->err);
    assert_same_split(&splits[i], &back);
  }
  skep_split back;
  assert_ok(skep_split_decode(&f->arena, skep_bytes_of(f->bytes.data, f->bytes.size), &back, &f->err), f->err);
  assert_string_equal(back.snapshot.table, "a:b.t");
  assert_true(back.snapshot.for_compactor);
  assert_false(skep_snapshot_write_id_valid(&back.snapshot, 4));
  assert_true(skep_snapshot_write_id_aborted(&back.snapshot, 2));
}

static void row_types_are_ids_then_columns_then_partitions(void **state) {
  fixture *f = *state;
  skep_split s = a_merge_split(f);
  const skep_type *type;
  assert_ok(skep_split_type(&f->arena, &s, &type, &f->err), f->err);
  assert_true(skep_type_equal(
      type, type_of(f, "struct<writeid:bigint,bucketid:int,rowid:bigint,a:int,c:string,k:int,d:date>")));
  assert_int_equal(type->max_id, 7);
  s.row_ids = false;
  s.partition_columns = NULL;
  assert_ok(skep_split_type(&f->arena, &s, &type, &f->err), f->err);
  assert_true(skep_type_equal(type, type_of(f, "struct<a:int,c:string>")));
  s = a_plain_split(f);
  assert_ok(skep_split_type(&f->arena, &s, &type, &f->err), f->err);
  assert_int_equal(type->kind, SKEP_TIMESTAMP);
}

static void prefixes_fail_and_changed_bytes_give_a_split_or_an_error(void **state) {
  fixture *f = *state;
  skep_split splits[] = {a_merge_split(f), a_plain_split(f)};
  for (size_t i = 0; i < 2; i++) {
    skep_buf_reset(&f->bytes);
    skep_split_encode(&splits[i], &f->bytes);
    size_t size = f->bytes.size;
    uint8_t *copy = skep_alloc(&f->ctx, size); /* its own block, so that a sanitizer sees reads beyond it */
    for (size_t n = 0; n <= size; n++) {
      uint8_t *prefix = skep_alloc(&f->ctx, n);
      memcpy(prefix, f->bytes.data, n);
      skep_split back;
      skep_status status = skep_split_decode(&f->arena, skep_bytes_of(prefix, n), &back, &f->err);
      assert_int_equal(status, n == size ? SKEP_OK : SKEP_ERR_CORRUPT);
      if (n < size) assert_non_null(strstr(f->err.text, "split"));
      skep_release(&f->ctx, prefix);
    }
    for (size_t at = 0; at < size; at++) {
      for (unsigned bit = 0; bit < 8; bit++) {
        memcpy(copy, f->bytes.data, size);
        copy[at] ^= (uint8_t)(1u << bit);
        skep_split back;
        skep_arena scratch;
        skep_arena_init(&scratch, &f->ctx, 1 << 26);
        skep_status status = skep_split_decode(&scratch, skep_bytes_of(copy, size), &back, &f->err);
        if (status != SKEP_OK) {
          assert_null(back.root);
          assert_int_equal(f->err.status, status);
        }
        skep_arena_fini(&scratch);
      }
    }
    skep_release(&f->ctx, copy);
  }
}

static void wrong_bytes_are_named(void **state) {
  fixture *f = *state;
  skep_split s = a_plain_split(f), back;
  skep_split_encode(&s, &f->bytes);
  static const struct {
    size_t at;
    uint8_t byte;
    skep_status status;
    const char *message;
  } cases[] = {
      {0, 'x', SKEP_ERR_CORRUPT, "these bytes are no split"},
      {4, 2, SKEP_ERR_UNSUPPORTED, "split of format version 2, this program reads 1"},
      {5, 4, SKEP_ERR_CORRUPT, "kind: unknown value"},
      {6, 4, SKEP_ERR_CORRUPT, "Hive version: unknown value"},
      {7, 2, SKEP_ERR_CORRUPT, "calendar: unknown value"},
      {8, 32, SKEP_ERR_CORRUPT, "flags: unknown value"},
      {8, 2, SKEP_ERR_CORRUPT, "table type: no struct type"}, /* row ids of a root that is a timestamp */
      {9, 0x7f, SKEP_ERR_CORRUPT, "root: number too large"},
      {10, 0, SKEP_ERR_CORRUPT, "root: a NUL in a text"},
      {15, 8, SKEP_ERR_CORRUPT, "snapshot flags: unknown value"},
      {16, 0, SKEP_ERR_CORRUPT, "files: their number does not suit the kind"},
      {16, 100, SKEP_ERR_CORRUPT, "files: more items than bytes"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint8_t kept = f->bytes.data[cases[i].at];
    f->bytes.data[cases[i].at] = cases[i].byte;
    assert_fails(skep_split_decode(&f->arena, skep_bytes_of(f->bytes.data, f->bytes.size), &back, &f->err),
                 cases[i].status, f->err, cases[i].message);
    f->bytes.data[cases[i].at] = kept;
  }
  skep_buf_byte(&f->bytes, 0);
  assert_fails(skep_split_decode(&f->arena, skep_bytes_of(f->bytes.data, f->bytes.size), &back, &f->err),
               SKEP_ERR_CORRUPT, f->err, "end: bytes follow");
}

static void running_out_of_memory_is_a_status(void **state) {
  fixture *f = *state;
  skep_split s = a_merge_split(f);
  skep_split_encode(&s, &f->bytes);
  failing_alloc memory;
  skep_ctx ctx;
  failing_alloc_ctx(&memory, &ctx);
  for (uint64_t n = 1;; n++) {
    failing_alloc_arm(&memory, n);
    skep_arena arena;
    skep_arena_init(&arena, &ctx, 1 << 20);
    skep_split back;
    skep_status status = skep_split_decode(&arena, skep_bytes_of(f->bytes.data, f->bytes.size), &back, &f->err);
    skep_arena_fini(&arena);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) break;
    assert_int_equal(status, SKEP_ERR_NOMEM);
  }
  for (uint64_t n = 1;; n++) {
    skep_buf out;
    skep_buf_init(&out, &ctx, 1 << 20);
    failing_alloc_arm(&memory, n);
    skep_split_encode(&s, &out);
    skep_status status = out.status;
    skep_buf_fini(&out);
    assert_int_equal(failing_alloc_live(&memory), 0);
    if (!failing_alloc_fired(&memory)) break;
    assert_int_equal(status, SKEP_ERR_NOMEM);
  }
}

int main(void) {
  static const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(bytes_give_the_same_split, setup, teardown),
      cmocka_unit_test_setup_teardown(row_types_are_ids_then_columns_then_partitions, setup, teardown),
      cmocka_unit_test_setup_teardown(prefixes_fail_and_changed_bytes_give_a_split_or_an_error, setup, teardown),
      cmocka_unit_test_setup_teardown(wrong_bytes_are_named, setup, teardown),
      cmocka_unit_test_setup_teardown(running_out_of_memory_is_a_status, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
