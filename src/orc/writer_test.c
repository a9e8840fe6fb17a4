/* The writer against our own reader: random vectors of every type and form come back equal, whatever the codec, the
 * size of stripes and groups; seeks, predicates, statistics, damage of file and memory on the way. */
#include "orc/writer.h"

#include "io/faulty.h"
#include "orc/test_file.h"
#include "support/failing_alloc.h"
#include "support/vec_testing.h"

static const char all_types[] =
    "struct<b:boolean,t:tinyint,s:smallint,i:int,l:bigint,f:float,d:double,n:decimal(4,2),n9:decimal(9,0),"
    "n18:decimal(18,5),n38:decimal(38,10),str:string,c:char(5),v:varchar(7),bin:binary,day:date,ts:timestamp,"
    "tz:timestamp with local time zone,li:array<int>,ls:array<string>,m:map<string,array<bigint>>,"
    "st:struct<x:int,y:struct<z:string,w:boolean>>,u:uniontype<int,string,array<double>>,lu:array<uniontype<bigint,"
    "date>>>";

typedef struct fixture {
  skep_ctx ctx;
  failing_alloc memory;
  skep_arena arena;
  skep_fs *fs;
  skep_err err;
} fixture;

static void fixture_make(fixture *f) {
  failing_alloc_ctx(&f->memory, &f->ctx);
  skep_arena_init(&f->arena, &f->ctx, SIZE_MAX);
  assert_ok(skep_fs_memory_new(&f->ctx, &f->fs, &f->err), f->err);
}

static void fixture_free(fixture *f) {
  skep_fs_free(f->fs);
  skep_arena_fini(&f->arena);
  assert_int_equal(failing_alloc_live(&f->memory), 0);
}

static const skep_type *parse(fixture *f, const char *text) {
  const skep_type *type;
  assert_ok(skep_type_parse(&f->arena, text, strlen(text), &type, &f->err), f->err);
  return type;
}

/* What the format cannot tell from the second after 1970 (see column_time.c) is moved out of its way, and dates stay
 * where both calendars have them. */
static void make_storable(skep_vec *vec) {
  for (int64_t i = 0; i < vec->length; i++) {
    if (vec->form == SKEP_FORM_TS && ((skep_ts *)vec->values.data)[i].seconds == -1)
      ((skep_ts *)vec->values.data)[i].seconds = 7;
    if (vec->type->kind == SKEP_DATE) ((int32_t *)vec->values.data)[i] %= 100000;
  }
  for (uint32_t c = 0; c < vec->n_children; c++) make_storable(&vec->children[c]);
}

/* A root struct without NULLs of its own. */
static void make_rows(fixture *f, skep_vec *vec, const skep_type *type, const skep_forms *forms, bool dictionaries,
                      int64_t n, uint64_t seed, unsigned null_percent) {
  assert_ok(skep_vec_init(vec, &f->ctx, type, forms, &f->err), f->err);
  if (dictionaries) vec_testing_use_dict(vec);
  for (uint32_t c = 0; c < vec->n_children; c++)
    vec_random_fill(&vec->children[c], n, seed + c + 1, c % 3 == 2 ? 0 : null_percent);
  vec->length = n;
  make_storable(vec);
}

static skep_status write_file(fixture *f, skep_fs *fs, const skep_vec *rows, const skep_orc_writer_opts *opts,
                              int64_t at_once, uint64_t *length) {
  skep_file *file = NULL;
  skep_orc_writer *w = NULL;
  skep_status status = skep_fs_create(fs, "out", &file, &f->err);
  if (status == SKEP_OK) status = skep_orc_writer_open(&f->ctx, file, rows->type, opts, &w, &f->err);
  for (int64_t at = 0; status == SKEP_OK && at < rows->length; at += at_once) {
    int64_t n = rows->length - at < at_once ? rows->length - at : at_once;
    status = skep_orc_writer_add(w, rows, at, n, &f->err);
  }
  if (status == SKEP_OK) status = skep_orc_writer_finish(w, length, &f->err);
  if (status == SKEP_OK) assert_int_equal(*length, file->size_bytes);
  skep_orc_writer_close(w);
  (void)skep_file_close(file, NULL);
  return status;
}

typedef struct reading {
  skep_file *file;
  skep_orc_tail *tail;
  skep_orc_reader_opts opts;
  skep_orc_reader *reader;
  skep_batch batch;
} reading;

static void reading_open(fixture *f, reading *r, uint64_t length, const skep_forms *forms, const skep_pred *predicate) {
  const skep_orc_mapping *mapping;
  *r = (reading){.opts = SKEP_ORC_READER_OPTS_INIT};
  assert_ok(skep_fs_open_read(f->fs, "out", &r->file, &f->err), f->err);
  assert_ok(skep_orc_tail_read(&f->ctx, r->file, length, &r->tail, &f->err), f->err);
  assert_ok(skep_orc_mapping_make(&f->arena, r->tail, NULL, &(skep_orc_evolution){0}, &mapping, &f->err), f->err);
  r->opts.mapping = mapping;
  r->opts.forms = *forms;
  r->opts.predicate = predicate;
  assert_ok(skep_orc_reader_open(&f->ctx, r->file, r->tail, &r->opts, &r->reader, &f->err), f->err);
  assert_ok(skep_vec_init(&r->batch.root, &f->ctx, mapping->target, forms, &f->err), f->err);
}

static void reading_close(reading *r) {
  skep_orc_reader_close(r->reader);
  skep_vec_fini(&r->batch.root);
  skep_orc_tail_unref(r->tail);
  (void)skep_file_close(r->file, NULL);
}

/* All rows from the reader's place on are those of `rows` from there on. */
static void assert_rest_equal(fixture *f, reading *r, const skep_vec *rows, int64_t from) {
  for (;;) {
    skep_status status = skep_orc_reader_next(r->reader, 700, &r->batch, &f->err);
    if (status == SKEP_END) break;
    assert_ok(status, f->err);
    assert_int_equal(r->batch.first_row, from);
    for (int64_t i = 0; i < r->batch.root.length; i++) assert_entry_equal(rows, from + i, &r->batch.root, i);
    from += r->batch.root.length;
  }
  assert_int_equal(from, rows->length);
}

/* Seeks into every row group; one batch there is right. */
static void assert_seeks(fixture *f, reading *r, const skep_vec *rows, int64_t step) {
  for (int64_t row = rows->length - 1; row >= 0; row -= step) {
    assert_ok(skep_orc_reader_seek(r->reader, (uint64_t)row, &f->err), f->err);
    assert_ok(skep_orc_reader_next(r->reader, 20, &r->batch, &f->err), f->err);
    assert_int_equal(r->batch.first_row, row);
    for (int64_t i = 0; i < r->batch.root.length; i++) assert_entry_equal(rows, row + i, &r->batch.root, i);
  }
}

static void round_trip(fixture *f, const skep_vec *rows, const skep_forms *forms, const skep_orc_writer_opts *opts,
                       int64_t at_once) {
  uint64_t length;
  reading r;
  assert_ok(write_file(f, f->fs, rows, opts, at_once, &length), f->err);
  reading_open(f, &r, length, forms, NULL);
  assert_true(skep_type_equal(r.tail->type, rows->type));
  assert_int_equal(r.tail->n_rows, rows->length);
  assert_rest_equal(f, &r, rows, 0);
  if (opts->row_index_stride != 0) assert_seeks(f, &r, rows, 397);
  reading_close(&r);
  assert_ok(skep_fs_remove_file(f->fs, "out", &f->err), f->err);
}

static void test_every_type_comes_back_with_every_codec(void **state) {
  (void)state;
  fixture f;
  fixture_make(&f);
  skep_vec rows;
  skep_forms forms = {0};
  static const skep_orc_codec codecs[] = {SKEP_ORC_NONE, SKEP_ORC_ZLIB, SKEP_ORC_SNAPPY, SKEP_ORC_LZ4, SKEP_ORC_ZSTD};
  for (unsigned nulls = 0; nulls <= 30; nulls += 30) {
    make_rows(&f, &rows, parse(&f, all_types), &forms, false, 3000, 11 + nulls, nulls);
    for (unsigned i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
      skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
      opts.codec = codecs[i];
      opts.row_index_stride = 1000;
      opts.block_size = i % 2 == 0 ? 256 * 1024 : 1000;
      round_trip(&f, &rows, &forms, &opts, 777);
    }
    skep_vec_fini(&rows);
  }
  fixture_free(&f);
}

static void test_every_form_is_taken(void **state) {
  (void)state;
  fixture f;
  fixture_make(&f);
  static const skep_forms forms[] = {
      {.boolean = SKEP_FORM_BOOL_BYTES, .string = SKEP_FORM_VIEW, .narrow_decimals = true},
      {.timestamp = SKEP_FORM_TS_US},
      {.timestamp = SKEP_FORM_TS_NS, .keep_dictionaries = true},
      {.keep_dictionaries = true, .narrow_decimals = true}};
  for (unsigned i = 0; i < 4; i++) {
    skep_vec rows;
    make_rows(&f, &rows, parse(&f, all_types), &forms[i], forms[i].keep_dictionaries, 2500, 5 + i, 20);
    for (unsigned stride = 0; stride <= 1000; stride += 500) {
      skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
      opts.row_index_stride = stride;
      opts.stripe_bytes = stride == 500 ? 100000 : 10000000;
      opts.dictionary_threshold = i == 3 ? 0 : 0.8;
      opts.calendar = i % 2 == 0 ? SKEP_CALENDAR_HYBRID : SKEP_CALENDAR_PROLEPTIC;
      round_trip(&f, &rows, &forms[i], &opts, 1111);
    }
    skep_vec_fini(&rows);
  }
  fixture_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_type_comes_back_with_every_codec),
      cmocka_unit_test(test_every_form_is_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
