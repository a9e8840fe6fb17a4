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

/* ---- statistics ---- */

typedef struct scan_result {
  uint64_t n_values, n_nulls;
  int64_t least, most, sum;
} scan_result;

static scan_result scan_ints(const skep_vec *vec, int64_t from, int64_t n) {
  scan_result r = {.least = INT64_MAX, .most = INT64_MIN};
  for (int64_t i = from; i < from + n; i++) {
    if (!skep_vec_is_valid(vec, i)) {
      r.n_nulls++;
      continue;
    }
    int32_t v = ((const int32_t *)vec->values.data)[i];
    r.n_values++;
    r.sum += v;
    if (v < r.least) r.least = v;
    if (v > r.most) r.most = v;
  }
  return r;
}

static void assert_ints_as_scanned(const skep_orc_stats *stats, const skep_vec *vec, int64_t from, int64_t n) {
  scan_result r = scan_ints(vec, from, n);
  assert_int_equal(stats->count, r.n_values);
  assert_true(stats->has_null_known);
  assert_int_equal(stats->has_null, r.n_nulls != 0);
  assert_int_equal(stats->kind, SKEP_ORC_STATS_INT);
  if (r.n_values == 0) return;
  assert_true(stats->has_min && stats->min.i64 == r.least && stats->has_max && stats->max.i64 == r.most);
  assert_true(stats->has_sum && stats->sum.i64 == r.sum);
}

static void test_statistics_of_file_stripes_and_groups_are_those_of_a_scan(void **state) {
  (void)state;
  fixture f;
  fixture_make(&f);
  skep_vec rows;
  skep_forms forms = {0};
  make_rows(&f, &rows, parse(&f, "struct<i:int,s:string,l:array<int>>"), &forms, false, 12000, 3, 10);
  skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
  opts.row_index_stride = 300;
  opts.stripe_bytes = 20000;
  uint64_t length;
  assert_ok(write_file(&f, f.fs, &rows, &opts, 12000, &length), f.err);
  reading r;
  reading_open(&f, &r, length, &forms, NULL);
  assert_int_equal(r.tail->n_stripes, 3); /* memory is looked at every 5000 rows, as by ORC Java */
  assert_int_equal(r.tail->stripes[0].n_rows, 5000);
  assert_ints_as_scanned(&r.tail->file_stats[1], &rows.children[0], 0, rows.length);
  assert_int_equal(r.tail->file_stats[0].count, rows.length);
  assert_true(r.tail->file_stats[1].has_bytes_on_disk);
  for (uint32_t s = 0; s < r.tail->n_stripes; s++) {
    const skep_orc_stripe *stripe = &r.tail->stripes[s];
    uint32_t n_groups;
    const skep_orc_row_group *groups;
    assert_ints_as_scanned(&r.tail->stripe_stats[s][1], &rows.children[0], (int64_t)stripe->first_row,
                           (int64_t)stripe->n_rows);
    assert_ok(skep_orc_row_index_read(&f.arena, r.file, r.tail, s, 1, &n_groups, &groups, &f.err), f.err);
    assert_int_equal(n_groups, (stripe->n_rows + 299) / 300);
    for (uint32_t g = 0; g < n_groups; g++) {
      uint64_t left = stripe->n_rows - g * 300;
      assert_ints_as_scanned(&groups[g].stats, &rows.children[0], (int64_t)stripe->first_row + g * 300,
                             (int64_t)(left < 300 ? left : 300));
    }
  }
  reading_close(&r);
  skep_vec_fini(&rows);
  fixture_free(&f);
}

/* One string column of these values, and its statistics in the file. */
static skep_orc_stats stats_of_strings(fixture *f, const skep_bytes *values, size_t n) {
  skep_vec rows;
  skep_forms forms = {0};
  assert_ok(skep_vec_init(&rows, &f->ctx, parse(f, "struct<s:string>"), &forms, &f->err), f->err);
  skep_vec *s = &rows.children[0];
  assert_ok(skep_vec_reserve(s, (int64_t)n, false, &f->err), f->err);
  for (size_t i = 0; i < n; i++) {
    vec_testing_put_bytes(s, values[i].at, values[i].left);
    s->length++;
  }
  rows.length = (int64_t)n;
  skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
  uint64_t length;
  reading r;
  assert_ok(write_file(f, f->fs, &rows, &opts, 100, &length), f->err);
  reading_open(f, &r, length, &forms, NULL);
  skep_orc_stats stats = r.tail->file_stats[1];
  for (skep_bytes *b = &stats.min.bytes; stats.has_min && b != NULL;
       b = b == &stats.min.bytes ? &stats.max.bytes : NULL) {
    uint8_t *copy = skep_arena_alloc(&f->arena, b->left + 1);
    assert_non_null(copy);
    memcpy(copy, b->at, b->left);
    b->at = copy;
  }
  reading_close(&r);
  skep_vec_fini(&rows);
  assert_ok(skep_fs_remove_file(f->fs, "out", &f->err), f->err);
  return stats;
}

static void test_long_texts_are_cut_to_bounds_at_whole_characters(void **state) {
  (void)state;
  fixture f;
  fixture_make(&f);
  static uint8_t text[1100];
  memset(text, 'a', sizeof text);
  memcpy(text + 1021, "\xed\x9f\xbf", 3); /* U+D7FF: its successor that is a character is U+E000 */
  skep_orc_stats s = stats_of_strings(&f, &(skep_bytes){text, sizeof text}, 1);
  assert_true(s.has_min && s.min_is_bound && s.min.bytes.left == 1024 && s.has_max && s.max_is_bound);
  assert_int_equal(s.max.bytes.left, 1024);
  assert_memory_equal(s.min.bytes.at, text, 1024);
  assert_memory_equal(s.max.bytes.at + 1020, "a\xee\x80\x80", 4);
  memcpy(text + 1022, "\xc3\xbf\xc3", 3); /* the limit falls behind U+00FF */
  memcpy(text + 1021, "z", 1);
  s = stats_of_strings(&f, &(skep_bytes){text, sizeof text}, 1);
  assert_int_equal(s.max.bytes.left, 1024);
  assert_memory_equal(s.max.bytes.at + 1021, "z\xc4\x80", 3);
  /* No UTF-8: bounds that are, or no statistics at all where nothing is known to be above. */
  skep_bytes broken[2] = {skep_bytes_of("b\xff", 2), skep_bytes_of("c", 1)};
  s = stats_of_strings(&f, broken, 2);
  assert_true(s.min_is_bound && s.min.bytes.left == 1 && s.min.bytes.at[0] == 'b' && !s.max_is_bound);
  s = stats_of_strings(&f, &(skep_bytes){(const uint8_t *)"\xff", 1}, 1);
  assert_true(!s.has_min && !s.has_max && s.count == 1);
  fixture_free(&f);
}

/* ---- predicates ---- */

static uint64_t selected_ids(fixture *f, const skep_type *type, const char *where, uint64_t length, bool skip,
                             uint64_t *groups_skipped) {
  const skep_pred *parsed, *bound;
  const skep_forms forms = {0};
  static int32_t picked[1000];
  uint64_t sum = 0;
  reading r;
  assert_ok(skep_pred_parse(&f->arena, where, strlen(where), &parsed, &f->err), f->err);
  assert_ok(skep_pred_bind(&f->arena, parsed, type, &bound, &f->err), f->err);
  reading_open(f, &r, length, &forms, skip ? bound : NULL);
  for (;;) {
    int64_t n;
    skep_status status = skep_orc_reader_next(r.reader, 1000, &r.batch, &f->err);
    if (status == SKEP_END) break;
    assert_ok(status, f->err);
    assert_ok(skep_pred_filter(&f->ctx, bound, &r.batch.root, picked, &n, &f->err), f->err);
    for (int64_t i = 0; i < n; i++) sum += (uint64_t)(r.batch.first_row + picked[i] + 1) * 2654435761u;
  }
  *groups_skipped = skep_orc_reader_stats(r.reader).groups_skipped;
  reading_close(&r);
  return sum;
}

static void test_predicates_skip_by_statistics_and_bloom_filters_and_lose_nothing(void **state) {
  (void)state;
  fixture f;
  fixture_make(&f);
  skep_vec rows;
  skep_forms forms = {0};
  static const char *const blooms[] = {"I", "s", "n", "st.x", "ts", "d"};
  make_rows(
      &f, &rows,
      parse(&f, "struct<id:int,i:bigint,s:string,n:decimal(10,3),d:double,ts:timestamp,st:struct<x:int,y:string>>"),
      &forms, false, 4000, 77, 5);
  for (int64_t i = 0; i < rows.length; i++) ((int32_t *)rows.children[0].values.data)[i] = (int32_t)i;
  rows.children[0].has_nulls = false;
  int64_t *i64s = rows.children[1].values.data;
  for (int64_t i = 0; i < rows.length; i++) i64s[i] = i * 7919 % 4001;
  skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
  opts.row_index_stride = 500;
  opts.bloom_columns = blooms;
  opts.n_bloom_columns = 6;
  uint64_t length, skipped, none;
  assert_ok(write_file(&f, f.fs, &rows, &opts, 900, &length), f.err);
  static const char *const wheres[] = {"id = 1234",
                                       "id > 3500",
                                       "i = 17",
                                       "i IN (5, 3000)",
                                       "s = 'abc'",
                                       "n = 1.5",
                                       "d = 0.5",
                                       "s IS NULL",
                                       "st.x = 3",
                                       "NOT (id < 600)",
                                       "ts = TIMESTAMP '2001-01-01 00:00:00'"};
  for (size_t i = 0; i < sizeof wheres / sizeof wheres[0]; i++) {
    uint64_t all = selected_ids(&f, rows.type, wheres[i], length, false, &none);
    assert_true(selected_ids(&f, rows.type, wheres[i], length, true, &skipped) == all);
    if (i < 3) assert_true(skipped >= 4); /* i = 17 only by its bloom filters: every group spans all numbers */
  }
  skep_vec_fini(&rows);
  fixture_free(&f);
}

/* ---- footers ---- */

typedef struct watcher {
  fixture *f;
  uint64_t ends[16];
  unsigned n_ends, n_footers;
} watcher;

static skep_status watch_stripe(void *self, uint64_t end_row, skep_err *err) {
  watcher *w = self;
  (void)err;
  w->ends[w->n_ends++] = end_row;
  return SKEP_OK;
}

static skep_status watch_footer(void *self, skep_orc_writer *writer, skep_err *err) {
  watcher *w = self;
  char text[32];
  int n = snprintf(text, sizeof text, "%u stripes", w->n_ends);
  w->n_footers++;
  SKEP_TRY(skep_orc_writer_set_metadata(writer, "z.last", skep_bytes_of("z", 1), err));
  return skep_orc_writer_set_metadata(writer, "key.index", skep_bytes_of(text, (size_t)n), err);
}

static void test_intermediate_footers_make_whole_files_on_the_way(void **state) {
  (void)state;
  fixture f;
  fixture_make(&f);
  skep_vec rows;
  skep_forms forms = {0};
  make_rows(&f, &rows, parse(&f, all_types), &forms, false, 900, 8, 15);
  watcher watch = {.f = &f};
  skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
  opts.on_stripe = watch_stripe;
  opts.on_footer = watch_footer;
  opts.self = &watch;
  skep_file *file;
  skep_orc_writer *w;
  uint64_t lengths[5];
  assert_ok(skep_fs_create(f.fs, "out", &file, &f.err), f.err);
  assert_ok(skep_orc_writer_open(&f.ctx, file, rows.type, &opts, &w, &f.err), f.err);
  assert_ok(skep_orc_writer_intermediate_footer(w, &lengths[0], &f.err), f.err);
  for (unsigned i = 1; i <= 3; i++) {
    uint64_t again;
    assert_ok(skep_orc_writer_add(w, &rows, (int64_t)(i - 1) * 300, 300, &f.err), f.err);
    assert_ok(skep_orc_writer_intermediate_footer(w, &lengths[i], &f.err), f.err);
    assert_ok(skep_orc_writer_intermediate_footer(w, &again, &f.err), f.err);
    assert_int_equal(again, lengths[i]);
  }
  assert_ok(skep_orc_writer_finish(w, &lengths[4], &f.err), f.err);
  assert_fails(skep_orc_writer_add(w, &rows, 0, 1, &f.err), SKEP_ERR_ARGUMENT, f.err, "file is finished");
  skep_orc_writer_close(w);
  assert_ok(skep_file_close(file, &f.err), f.err);
  assert_int_equal(watch.n_ends, 3);
  assert_int_equal(watch.ends[2], 900);
  assert_int_equal(watch.n_footers, 5);
  for (unsigned i = 0; i < 5; i++) {
    reading r;
    skep_vec part = rows;
    part.length = i < 4 ? (int64_t)i * 300 : 900;
    reading_open(&f, &r, lengths[i], &forms, NULL);
    assert_rest_equal(&f, &r, &part, 0);
    assert_int_equal(r.tail->n_metadata, 2);
    assert_string_equal(r.tail->metadata[0].name, "key.index");
    char text[32];
    snprintf(text, sizeof text, "%u stripes", i < 4 ? i : 3);
    assert_memory_equal(r.tail->metadata[0].value.at, text, strlen(text));
    reading_close(&r);
  }
  skep_vec_fini(&rows);
  fixture_free(&f);
}

static void test_memory_is_shared_among_open_writers(void **state) {
  (void)state;
  fixture f;
  fixture_make(&f);
  skep_vec rows;
  skep_forms forms = {0};
  make_rows(&f, &rows, parse(&f, "struct<a:bigint,b:string>"), &forms, false, 30000, 8, 0);
  skep_orc_write_memory memory = {.max_bytes = 200000};
  skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
  opts.memory = &memory;
  opts.stripe_bytes = 1 << 20;
  opts.codec = SKEP_ORC_NONE;
  skep_file *files[2];
  skep_orc_writer *writers[2];
  for (unsigned i = 0; i < 2; i++) {
    assert_ok(skep_fs_create(f.fs, i == 0 ? "out" : "other", &files[i], &f.err), f.err);
    assert_ok(skep_orc_writer_open(&f.ctx, files[i], rows.type, &opts, &writers[i], &f.err), f.err);
  }
  assert_int_equal(memory.wanted_bytes, 2 << 20);
  for (int64_t at = 0; at < rows.length; at += 1000)
    for (unsigned i = 0; i < 2; i++) {
      assert_ok(skep_orc_writer_add(writers[i], &rows, at, 1000, &f.err), f.err);
      assert_true(skep_orc_writer_memory_bytes(writers[i]) <= 100000);
    }
  for (unsigned i = 0; i < 2; i++) {
    uint64_t length;
    assert_ok(skep_orc_writer_finish(writers[i], &length, &f.err), f.err);
    skep_orc_writer_close(writers[i]);
    assert_ok(skep_file_close(files[i], &f.err), f.err);
  }
  assert_int_equal(memory.wanted_bytes, 0);
  skep_vec_fini(&rows);
  fixture_free(&f);
}

/* ---- failures ---- */

static void test_wrong_options_are_named(void **state) {
  (void)state;
  fixture f;
  fixture_make(&f);
  const skep_type *type = parse(&f, "struct<a:int,b:struct<c:string>>");
  static const char *const unknown[] = {"b.x"};
  static const struct {
    uint32_t block;
    int level;
    double fpp;
    const char *text;
  } cases[] = {{1 << 23, 0, 0.1, "compression block of 8388608 bytes"},
               {4096, 99, 0.1, "level 99 of codec zlib"},
               {4096, 0, 1, "bloom filters with 1 false positives"},
               {4096, 0, 0.1, "no column b.x for a bloom filter"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_file *file;
    skep_orc_writer *w;
    skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
    opts.block_size = cases[i].block;
    opts.level = cases[i].level;
    opts.bloom_fpp = cases[i].fpp;
    opts.bloom_columns = unknown;
    opts.n_bloom_columns = 1;
    assert_ok(skep_fs_create(f.fs, "out", &file, &f.err), f.err);
    assert_fails(skep_orc_writer_open(&f.ctx, file, type, &opts, &w, &f.err), SKEP_ERR_ARGUMENT, f.err, cases[i].text);
    assert_null(w);
    assert_ok(skep_file_close(file, &f.err), f.err);
    assert_ok(skep_fs_remove_file(f.fs, "out", &f.err), f.err);
  }
  fixture_free(&f);
}

static void test_a_vector_of_another_type_is_refused_and_the_failure_sticks(void **state) {
  (void)state;
  fixture f;
  fixture_make(&f);
  skep_vec rows;
  skep_forms forms = {0};
  make_rows(&f, &rows, parse(&f, "struct<a:int,b:string>"), &forms, false, 3, 1, 0);
  skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
  skep_file *file;
  skep_orc_writer *w;
  uint64_t length;
  assert_ok(skep_fs_create(f.fs, "out", &file, &f.err), f.err);
  assert_ok(skep_orc_writer_open(&f.ctx, file, parse(&f, "struct<a:int,b:date>"), &opts, &w, &f.err), f.err);
  assert_fails(skep_orc_writer_add(w, &rows, 2, 2, &f.err), SKEP_ERR_ARGUMENT, f.err, "rows 2 to 4 of a vector of 3");
  assert_fails(skep_orc_writer_add(w, &rows, 0, 3, &f.err), SKEP_ERR_ARGUMENT, f.err, "column 2 is date");
  assert_fails(skep_orc_writer_finish(w, &length, &f.err), SKEP_ERR_ARGUMENT, f.err, "writer failed before: column 2");
  skep_orc_writer_close(w);
  assert_ok(skep_file_close(file, &f.err), f.err);
  skep_vec_fini(&rows);
  fixture_free(&f);
}

static void test_each_allocation_may_fail(void **state) {
  (void)state;
  fixture f;
  fixture_make(&f);
  skep_vec rows;
  skep_forms forms = {.keep_dictionaries = true};
  static const char *const blooms[] = {"i"};
  make_rows(&f, &rows, parse(&f, all_types), &forms, true, 60, 2, 20);
  skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
  opts.row_index_stride = 25;
  opts.bloom_columns = blooms;
  opts.n_bloom_columns = 1;
  opts.codec = SKEP_ORC_LZ4;
  uint64_t live = failing_alloc_live(&f.memory), n = 1;
  for (;; n++) {
    uint64_t length;
    skep_fs *fs;
    skep_ctx plain;
    skep_ctx_init(&plain); /* the file system's own memory is not the matter */
    assert_ok(skep_fs_memory_new(&plain, &fs, &f.err), f.err);
    failing_alloc_arm(&f.memory, n);
    skep_status status = write_file(&f, fs, &rows, &opts, 20, &length);
    bool fired = failing_alloc_fired(&f.memory);
    failing_alloc_arm(&f.memory, 0);
    skep_fs_free(fs);
    assert_int_equal(failing_alloc_live(&f.memory), live);
    if (!fired) break;
    assert_int_equal(status, SKEP_ERR_NOMEM);
  }
  assert_true(n > 100);
  skep_vec_fini(&rows);
  fixture_free(&f);
}

static void test_each_write_may_fail(void **state) {
  (void)state;
  fixture f;
  fixture_make(&f);
  skep_vec rows;
  skep_forms forms = {0};
  make_rows(&f, &rows, parse(&f, "struct<a:int,b:array<string>>"), &forms, false, 20000, 2, 20);
  skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
  opts.codec = SKEP_ORC_NONE; /* small pieces are written together: many bytes make many writes */
  opts.stripe_bytes = 100000;
  skep_status status = SKEP_ERR_IO;
  uint64_t n = 1;
  for (; status != SKEP_OK; n++) {
    uint64_t length;
    skep_fs *fs;
    assert_ok(skep_fs_faulty_new(&f.ctx, f.fs, &fs, &f.err), f.err);
    skep_fs_faulty_fail_nth(fs, n, false);
    status = write_file(&f, fs, &rows, &opts, 20, &length);
    skep_fs_free(fs);
    if (n > 1) assert_ok(skep_fs_remove_file(f.fs, "out", &f.err), f.err);
    if (status != SKEP_OK) assert_int_equal(status, SKEP_ERR_IO);
  }
  assert_true(n > 8);
  skep_vec_fini(&rows);
  fixture_free(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_type_comes_back_with_every_codec),
      cmocka_unit_test(test_every_form_is_taken),
      cmocka_unit_test(test_statistics_of_file_stripes_and_groups_are_those_of_a_scan),
      cmocka_unit_test(test_long_texts_are_cut_to_bounds_at_whole_characters),
      cmocka_unit_test(test_predicates_skip_by_statistics_and_bloom_filters_and_lose_nothing),
      cmocka_unit_test(test_intermediate_footers_make_whole_files_on_the_way),
      cmocka_unit_test(test_memory_is_shared_among_open_writers),
      cmocka_unit_test(test_wrong_options_are_named),
      cmocka_unit_test(test_a_vector_of_another_type_is_refused_and_the_failure_sticks),
      cmocka_unit_test(test_each_allocation_may_fail),
      cmocka_unit_test(test_each_write_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
