/* Stripes taken over: a file made of another's stripes is that file, byte for byte, statistics included; mixed with
 * rows that are encoded it reads as all of them; what differs is refused with its reason. */
#include "orc/stripe_copy.h"

#include "io/faulty.h"
#include "orc/test_file.h"
#include "support/failing_alloc.h"
#include "support/vec_testing.h"

static const char all_types[] =
    "struct<b:boolean,t:tinyint,s:smallint,i:int,l:bigint,f:float,d:double,n:decimal(4,2),n18:decimal(18,5),"
    "n38:decimal(38,10),str:string,c:char(5),v:varchar(7),bin:binary,day:date,ts:timestamp,li:array<int>,"
    "m:map<string,array<bigint>>,st:struct<x:int,y:struct<z:string,w:boolean>>,u:uniontype<int,string,array<double>>>";

typedef struct fixture {
  skep_ctx ctx;
  failing_alloc memory;
  skep_arena arena;
  skep_fs *fs;
  skep_err err;
  const skep_type *type;
  skep_vec rows;
} fixture;

/* What the format cannot tell from the second after 1970 is moved out of its way. */
static void make_storable(skep_vec *vec) {
  for (int64_t i = 0; i < vec->length; i++) {
    if (vec->form == SKEP_FORM_TS && ((skep_ts *)vec->values.data)[i].seconds == -1)
      ((skep_ts *)vec->values.data)[i].seconds = 7;
    if (vec->type->kind == SKEP_DATE) ((int32_t *)vec->values.data)[i] %= 100000;
  }
  for (uint32_t c = 0; c < vec->n_children; c++) make_storable(&vec->children[c]);
}

static void setup(fixture *f, const char *type, int64_t n_rows) {
  static const skep_forms forms = {0};
  memset(f, 0, sizeof *f);
  failing_alloc_ctx(&f->memory, &f->ctx);
  skep_arena_init(&f->arena, &f->ctx, SIZE_MAX);
  assert_ok(skep_fs_memory_new(&f->ctx, &f->fs, &f->err), f->err);
  assert_ok(skep_type_parse(&f->arena, type, strlen(type), &f->type, &f->err), f->err);
  assert_ok(skep_vec_init(&f->rows, &f->ctx, f->type, &forms, &f->err), f->err);
  for (uint32_t c = 0; c < f->rows.n_children; c++)
    vec_random_fill(&f->rows.children[c], n_rows, c + 1, c % 3 == 2 ? 0 : 10);
  f->rows.length = n_rows;
  make_storable(&f->rows);
}

static void teardown(fixture *f) {
  skep_vec_fini(&f->rows);
  skep_fs_free(f->fs);
  skep_arena_fini(&f->arena);
  assert_int_equal(failing_alloc_live(&f->memory), 0);
}

typedef struct output {
  skep_file *file;
  skep_orc_writer *w;
} output;

static output create(fixture *f, const char *path, const skep_orc_writer_opts *opts) {
  output o;
  assert_ok(skep_fs_create(f->fs, path, &o.file, &f->err), f->err);
  assert_ok(skep_orc_writer_open(&f->ctx, o.file, f->type, opts, &o.w, &f->err), f->err);
  return o;
}

static void finish(fixture *f, output *o) {
  uint64_t length;
  assert_ok(skep_orc_writer_finish(o->w, &length, &f->err), f->err);
  skep_orc_writer_close(o->w);
  assert_ok(skep_file_close(o->file, &f->err), f->err);
}

/* All rows, a stripe every `per_stripe` of them. */
static void write_rows(fixture *f, const char *path, const skep_orc_writer_opts *opts, int64_t per_stripe) {
  output o = create(f, path, opts);
  for (int64_t at = 0; at < f->rows.length; at += per_stripe) {
    int64_t n = f->rows.length - at < per_stripe ? f->rows.length - at : per_stripe;
    assert_ok(skep_orc_writer_add(o.w, &f->rows, at, n, &f->err), f->err);
    assert_ok(skep_orc_writer_end_stripe(o.w, &f->err), f->err);
  }
  finish(f, &o);
}

typedef struct input {
  skep_file *file;
  skep_orc_tail *tail;
} input;

static input open_input(fixture *f, const char *path) {
  input in;
  assert_ok(skep_fs_open_read(f->fs, path, &in.file, &f->err), f->err);
  assert_ok(skep_orc_tail_read(&f->ctx, in.file, in.file->size_bytes, &in.tail, &f->err), f->err);
  return in;
}

static void close_input(input *in) {
  skep_orc_tail_unref(in->tail);
  skep_file_close(in->file, NULL);
}

static void assert_equal_files(fixture *f, const char *a, const char *b) {
  skep_buf x, y;
  skep_buf_init(&x, &f->ctx, SIZE_MAX / 4);
  skep_buf_init(&y, &f->ctx, SIZE_MAX / 4);
  assert_ok(skep_fs_read_whole(f->fs, a, &x, &f->err), f->err);
  assert_ok(skep_fs_read_whole(f->fs, b, &y, &f->err), f->err);
  assert_int_equal(x.size, y.size);
  assert_memory_equal(x.data, y.data, x.size);
  skep_buf_fini(&x);
  skep_buf_fini(&y);
}

static void test_a_file_of_all_stripes_is_that_file(void **state) {
  (void)state;
  static const skep_orc_codec codecs[] = {SKEP_ORC_NONE, SKEP_ORC_ZLIB, SKEP_ORC_ZSTD};
  static const char *const blooms[] = {"i", "str"};
  for (size_t k = 0; k < 4; k++) {
    fixture f;
    uint8_t room[1000];
    skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
    setup(&f, all_types, 3000);
    opts.codec = codecs[k % 3];
    opts.block_size = 4096;
    opts.row_index_stride = 1000;
    opts.bloom_columns = blooms;
    opts.n_bloom_columns = k == 3 ? 2 : 0;
    write_rows(&f, "a", &opts, 700);
    input in = open_input(&f, "a");
    assert_int_equal(in.tail->n_stripes, 5);
    output o = create(&f, "b", &opts);
    assert_null(skep_orc_copy_obstacle(o.w, in.tail));
    for (uint32_t s = 0; s < in.tail->n_stripes; s++) {
      bool may;
      assert_ok(skep_orc_may_copy_stripe(o.w, in.file, in.tail, s, &may, &f.err), f.err);
      assert_true(may);
      assert_ok(skep_orc_writer_copy_stripe(o.w, in.file, in.tail, s, room, sizeof room, &f.err), f.err);
    }
    finish(&f, &o);
    assert_equal_files(&f, "a", "b");
    close_input(&in);
    teardown(&f);
  }
}

/* Rows 0..700 encoded, the second stripe taken over, the rest encoded: the same as encoding all of it. */
static void test_stripes_and_rows_can_be_mixed(void **state) {
  (void)state;
  fixture f;
  uint8_t room[64 << 10];
  skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
  setup(&f, all_types, 2000);
  opts.block_size = 4096;
  opts.dictionary_threshold = 0; /* whether there is a dictionary is decided once a file */
  write_rows(&f, "a", &opts, 700);
  input in = open_input(&f, "a");
  output o = create(&f, "b", &opts);
  assert_ok(skep_orc_writer_add(o.w, &f.rows, 0, 700, &f.err), f.err);
  assert_ok(skep_orc_writer_copy_stripe(o.w, in.file, in.tail, 1, room, sizeof room, &f.err), f.err);
  assert_int_equal(skep_orc_writer_rows(o.w), 1400);
  assert_ok(skep_orc_writer_add(o.w, &f.rows, 1400, 600, &f.err), f.err);
  finish(&f, &o);
  assert_equal_files(&f, "a", "b");
  close_input(&in);
  teardown(&f);
}

typedef struct obstacle {
  const char *type, *expected;
  skep_orc_codec codec;
  uint32_t block, stride;
  skep_calendar calendar;
} obstacle;

static void test_what_differs_is_an_obstacle(void **state) {
  (void)state;
  static const char day[] = "struct<i:int,day:date>";
  static const obstacle cases[] = {
      {day, NULL, SKEP_ORC_ZLIB, 8192, 1000, SKEP_CALENDAR_HYBRID},
      {day, NULL, SKEP_ORC_ZLIB, 16384, 1000, SKEP_CALENDAR_HYBRID},
      {day, "larger blocks", SKEP_ORC_ZLIB, 4096, 1000, SKEP_CALENDAR_HYBRID},
      {day, "another codec", SKEP_ORC_SNAPPY, 8192, 1000, SKEP_CALENDAR_HYBRID},
      {day, "row groups of another size", SKEP_ORC_ZLIB, 8192, 2000, SKEP_CALENDAR_HYBRID},
      {day, "another calendar", SKEP_ORC_ZLIB, 8192, 1000, SKEP_CALENDAR_PROLEPTIC},
      {"struct<i:bigint,day:date>", "other columns", SKEP_ORC_ZLIB, 8192, 1000, SKEP_CALENDAR_HYBRID},
      {"struct<i:int,DAY:date>", "other columns", SKEP_ORC_ZLIB, 8192, 1000, SKEP_CALENDAR_HYBRID},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    fixture f;
    uint8_t room[100];
    skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
    setup(&f, day, 100);
    opts.block_size = 8192;
    opts.row_index_stride = 1000;
    write_rows(&f, "a", &opts, 50);
    input in = open_input(&f, "a");
    opts.block_size = cases[k].block;
    opts.codec = cases[k].codec;
    opts.row_index_stride = cases[k].stride;
    opts.calendar = cases[k].calendar;
    assert_ok(skep_type_parse(&f.arena, cases[k].type, strlen(cases[k].type), &f.type, &f.err), f.err);
    output o = create(&f, "b", &opts);
    const char *found = skep_orc_copy_obstacle(o.w, in.tail);
    if (cases[k].expected == NULL) {
      assert_null(found);
    } else {
      assert_string_equal(found, cases[k].expected);
      assert_fails(skep_orc_writer_copy_stripe(o.w, in.file, in.tail, 0, room, sizeof room, &f.err), SKEP_ERR_ARGUMENT,
                   f.err, cases[k].expected);
    }
    skep_orc_writer_close(o.w);
    skep_file_close(o.file, NULL);
    close_input(&in);
    teardown(&f);
  }
}

static void test_a_stripe_without_wanted_bloom_filters_is_not_taken(void **state) {
  (void)state;
  static const char *const blooms[] = {"i"};
  fixture f;
  bool may = true;
  skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
  setup(&f, "struct<i:int,s:string>", 100);
  write_rows(&f, "a", &opts, 50);
  input in = open_input(&f, "a");
  opts.bloom_columns = blooms;
  opts.n_bloom_columns = 1;
  output o = create(&f, "b", &opts);
  assert_null(skep_orc_copy_obstacle(o.w, in.tail));
  assert_ok(skep_orc_may_copy_stripe(o.w, in.file, in.tail, 0, &may, &f.err), f.err);
  assert_false(may);
  skep_orc_writer_close(o.w);
  skep_file_close(o.file, NULL);
  close_input(&in);
  teardown(&f);
}

static void test_a_failed_copy_sticks(void **state) {
  (void)state;
  fixture f;
  uint8_t room[64];
  skep_fs *faulty;
  input in;
  skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
  setup(&f, "struct<i:int,s:string>", 100);
  write_rows(&f, "a", &opts, 50);
  assert_ok(skep_fs_faulty_new(&f.ctx, f.fs, &faulty, &f.err), f.err);
  assert_ok(skep_fs_open_read(faulty, "a", &in.file, &f.err), f.err);
  assert_ok(skep_orc_tail_read(&f.ctx, in.file, in.file->size_bytes, &in.tail, &f.err), f.err);
  output o = create(&f, "b", &opts);
  skep_fs_faulty_fail_nth(faulty, 2, false);
  assert_int_equal(skep_orc_writer_copy_stripe(o.w, in.file, in.tail, 0, room, sizeof room, &f.err), SKEP_ERR_IO);
  assert_fails(skep_orc_writer_copy_stripe(o.w, in.file, in.tail, 0, room, sizeof room, &f.err), SKEP_ERR_IO, f.err,
               "writer failed before");
  skep_orc_writer_close(o.w);
  skep_file_close(o.file, NULL);
  close_input(&in);
  skep_fs_free(faulty);
  teardown(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_a_file_of_all_stripes_is_that_file),
      cmocka_unit_test(test_stripes_and_rows_can_be_mixed),
      cmocka_unit_test(test_what_differs_is_an_obstacle),
      cmocka_unit_test(test_a_stripe_without_wanted_bloom_filters_is_not_taken),
      cmocka_unit_test(test_a_failed_copy_sticks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
