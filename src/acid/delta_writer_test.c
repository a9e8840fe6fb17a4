/* Directories written by the delta writer: names, events and footers as Hive's, rows read back, failures. */
#include "acid/delta_writer.h"

#include "acid/delta_testing.h"
#include "acid/name.h"
#include "orc/reader.h"

#define PEOPLE "struct<id:int,name:string,age:int,balance:decimal(12,2)>"
#define ALL "db.t:99:9223372036854775807::"

static skep_delta_writer_opts options(writing *t, skep_delta_kind kind, int64_t write_id, int32_t statement,
                                      const char *row) {
  skep_delta_writer_opts o = {
      .kind = kind, .events = kind != SKEP_DELTA_PLAIN, .write_id = write_id, .statement = statement};
  o.row = writing_type(t, row);
  o.settings = writing_settings(t, o.row, NULL, 0);
  return o;
}

/* Writes rows of cells (NULL: none) and finishes; returns the message, which lives as long as *out. */
static const skep_commit_message *write_rows(writing *t, const skep_delta_writer_opts *o, const char *const *cells,
                                             size_t n, skep_delta_writer **out) {
  const skep_commit_message *message;
  skep_batch batch;
  assert_ok(skep_delta_writer_open(&t->ctx, t->fs, "t", o, out, &t->err), t->err);
  writing_batch(t, &batch, o->row, cells, n);
  assert_ok(skep_delta_writer_rows(*out, &batch, NULL, (int64_t)n, &t->err), t->err);
  skep_vec_fini(&batch.root);
  assert_ok(skep_delta_writer_finish(*out, &message, &t->err), t->err);
  return message;
}

static void write_deletes(writing *t, const skep_delta_writer_opts *o, const int64_t *write_ids, const int32_t *buckets,
                          const int64_t *row_ids, int64_t n) {
  skep_delta_writer *w;
  const skep_commit_message *message;
  assert_ok(skep_delta_writer_open(&t->ctx, t->fs, "t", o, &w, &t->err), t->err);
  assert_ok(skep_delta_writer_deletes(w, write_ids, buckets, row_ids, NULL, n, &t->err), t->err);
  assert_ok(skep_delta_writer_finish(w, &message, &t->err), t->err);
  assert_int_equal(message->n_rows, n);
  skep_delta_writer_free(w);
}

/* The same statements that golden 01-basic ran: every event, every footer as in Hive's files. */
static void files_are_those_that_hive_writes_for_the_same_rows(void **state) {
  static const char *const inserted[] = {"1",
                                         "Ada",
                                         "36",
                                         "100.50",
                                         "2",
                                         "Brendan",
                                         "41",
                                         "-3.25",
                                         "3",
                                         "Chen",
                                         "29",
                                         "0",
                                         "4",
                                         NULL,
                                         NULL,
                                         NULL,
                                         "5",
                                         "\xc3\x89"
                                         "dith",
                                         "55",
                                         "9999999999.99"};
  static const char *const updated[] = {"1", "ADA", "36", "110.50", "3", "CHEN", "29", "10.00"};
  static const int64_t write_ids[] = {1, 1}, row_ids[] = {2, 0};
  static const int32_t buckets[] = {536870912, 536870912};
  static const char *const dirs[] = {"delta_0000001_0000001_0000", "delete_delta_0000002_0000002_0000",
                                     "delta_0000002_0000002_0001"};
  writing *t = *state;
  skep_delta_writer *w;
  skep_delta_writer_opts o = options(t, SKEP_DELTA_INSERT, 1, 0, PEOPLE);
  write_rows(t, &o, inserted, 5, &w);
  skep_delta_writer_free(w);
  o = options(t, SKEP_DELTA_DELETE, 2, 0, PEOPLE);
  write_deletes(t, &o, write_ids, buckets, row_ids, 2);
  o = options(t, SKEP_DELTA_INSERT, 2, 1, PEOPLE);
  write_rows(t, &o, updated, 2, &w);
  skep_delta_writer_free(w);

  assert_string_equal(writing_tree(t, "t"),
                      "delete_delta_0000002_0000002_0000/_orc_acid_version\n"
                      "delete_delta_0000002_0000002_0000/bucket_00000\n"
                      "delta_0000001_0000001_0000/_orc_acid_version\n"
                      "delta_0000001_0000001_0000/bucket_00000\n"
                      "delta_0000002_0000002_0001/_orc_acid_version\n"
                      "delta_0000002_0000002_0001/bucket_00000\n");
  skep_fs *posix;
  assert_ok(skep_fs_posix_new(&t->ctx, &posix, &t->err), t->err);
  for (size_t i = 0; i < 3; i++) {
    char ours[256], hives[512];
    snprintf(ours, sizeof ours, "t/%s/bucket_00000", dirs[i]);
    snprintf(hives, sizeof hives, "%s/tests/data/people/%s/bucket_00000_0", SKEP_SOURCE_DIR, dirs[i]);
    char *want = strdup(writing_events(t, posix, hives));
    assert_string_equal(writing_events(t, t->below, ours), want);
    free(want);
    want = strdup(writing_footer(t, posix, hives));
    assert_string_equal(writing_footer(t, t->below, ours), want);
    free(want);
  }
  skep_fs_free(posix);
}

static void messages_tell_what_was_written(void **state) {
  static const char *const cells[] = {"1", "2", "3"};
  writing *t = *state;
  skep_delta_writer *w;
  skep_delta_writer_opts o = options(t, SKEP_DELTA_INSERT, 12345678, 7, "struct<x:int>");
  const skep_commit_message *m = write_rows(t, &o, cells, 3, &w);
  assert_string_equal(m->root, "t");
  assert_string_equal(m->directory, "delta_12345678_12345678_0007");
  assert_int_equal(m->n_files, 1);
  assert_string_equal(m->files[0].name, "bucket_00000");
  assert_int_equal(m->files[0].n_rows, 3);
  assert_int_equal(m->n_rows, 3);
  skep_stat st;
  assert_ok(skep_fs_stat(t->fs, "t/delta_12345678_12345678_0007/bucket_00000", &st, &t->err), t->err);
  assert_int_equal(m->n_bytes, st.size_bytes);

  skep_buf bytes;
  skep_commit_message back;
  skep_buf_init(&bytes, &t->ctx, 1 << 20);
  skep_commit_message_encode(m, &bytes);
  assert_ok(skep_commit_message_decode(&t->arena, skep_bytes_of(bytes.data, bytes.size), &back, &t->err), t->err);
  assert_string_equal(back.directory, m->directory);
  assert_string_equal(back.files[0].name, "bucket_00000");
  assert_int_equal(back.n_bytes, m->n_bytes);
  assert_int_equal(back.statement, 7);
  for (size_t n = 0; n < bytes.size; n++)
    assert_int_equal(skep_commit_message_decode(&t->arena, skep_bytes_of(bytes.data, n), &back, &t->err),
                     SKEP_ERR_CORRUPT);
  for (size_t i = 0; i < bytes.size; i++) {
    bytes.data[i] ^= 0x81;
    skep_status status = skep_commit_message_decode(&t->arena, skep_bytes_of(bytes.data, bytes.size), &back, &t->err);
    assert_true(status == SKEP_OK || status == SKEP_ERR_CORRUPT);
    bytes.data[i] ^= 0x81;
  }
  skep_buf_fini(&bytes);
  skep_delta_writer_free(w);
}

static void rows_that_were_selected_are_written_and_no_others(void **state) {
  static const char *const cells[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  static const int32_t odd[] = {1, 3, 5, 7, 9}, even[] = {0, 2, 4, 6, 8};
  writing *t = *state;
  skep_delta_writer *w;
  const skep_commit_message *m;
  skep_batch batch;
  skep_delta_writer_opts o = options(t, SKEP_DELTA_INSERT, 3, 2, "struct<x:int>");
  assert_ok(skep_delta_writer_open(&t->ctx, t->fs, "t", &o, &w, &t->err), t->err);
  writing_batch(t, &batch, o.row, cells, 10);
  assert_ok(skep_delta_writer_rows(w, &batch, odd, 5, &t->err), t->err);
  assert_ok(skep_delta_writer_rows(w, &batch, even, 2, &t->err), t->err);
  assert_ok(skep_delta_writer_rows(w, &batch, even, 0, &t->err), t->err);
  skep_vec_fini(&batch.root);
  assert_ok(skep_delta_writer_finish(w, &m, &t->err), t->err);
  skep_delta_writer_free(w);
  assert_string_equal(writing_table(t, "t", ALL, &(skep_plan_opts){0}, true),
                      "3 536870914 0 1\n3 536870914 1 3\n3 536870914 2 5\n3 536870914 3 7\n3 536870914 4 9\n"
                      "3 536870914 5 0\n3 536870914 6 2\n");
}

/* Buckets as golden 03-bucketed/v2 has them for int keys: 4 buckets, version 2. */
static void bucketed_rows_go_where_hive_looks_for_them(void **state) {
  static const uint32_t columns[] = {1};
  static const char *const cells[] = {"a", "0", "b", "1", "c", "2", "d", "3", "e", "-1", "f", NULL};
  writing *t = *state;
  skep_delta_writer *w;
  skep_delta_writer_opts o = options(t, SKEP_DELTA_INSERT, 1, 0, "struct<s:string,k:int>");
  o.n_buckets = 8;
  o.n_bucket_columns = 1;
  o.bucket_columns = columns;
  o.bucketing_version = 2;
  const skep_commit_message *m = write_rows(t, &o, cells, 6, &w);
  assert_int_equal(m->n_files, 5);
  skep_delta_writer_free(w);
  /* buckets of tests/data/hive/bucket_hash.tsv: 0 -> 1, 1 -> 5, 2 -> 4, 3 -> 6, -1 -> 5, NULL -> 0 */
  assert_string_equal(writing_table(t, "t", ALL, &(skep_plan_opts){0}, true),
                      "1 536870912 0 f NULL\n1 536936448 0 a 0\n1 537133056 0 c 2\n1 537198592 0 b 1\n"
                      "1 537198592 1 e -1\n1 537264128 0 d 3\n");
  assert_string_equal(writing_tree(t, "t"),
                      "delta_0000001_0000001_0000/_orc_acid_version\ndelta_0000001_0000001_0000/bucket_00000\n"
                      "delta_0000001_0000001_0000/bucket_00001\ndelta_0000001_0000001_0000/bucket_00004\n"
                      "delta_0000001_0000001_0000/bucket_00005\ndelta_0000001_0000001_0000/bucket_00006\n");
}

/* Tasks of Hive that write into one directory: a file each, row ids from 0 in each. */
static void rows_go_to_the_writer_id_in_use(void **state) {
  static const char *const cells[] = {"0", "1", "2"};
  static const int32_t second[] = {1}, third[] = {2};
  writing *t = *state;
  skep_delta_writer *w;
  const skep_commit_message *m;
  skep_batch batch;
  skep_delta_writer_opts o = options(t, SKEP_DELTA_INSERT, 1, 0, "struct<x:int>");
  assert_ok(skep_delta_writer_open(&t->ctx, t->fs, "t", &o, &w, &t->err), t->err);
  writing_batch(t, &batch, o.row, cells, 3);
  assert_ok(skep_delta_writer_rows(w, &batch, NULL, 1, &t->err), t->err);
  assert_ok(skep_delta_writer_use(w, 2, &t->err), t->err);
  assert_ok(skep_delta_writer_rows(w, &batch, second, 1, &t->err), t->err);
  assert_ok(skep_delta_writer_use(w, 0, &t->err), t->err);
  assert_ok(skep_delta_writer_rows(w, &batch, third, 1, &t->err), t->err);
  assert_int_equal(skep_delta_writer_use(w, 4096, &t->err), SKEP_ERR_ARGUMENT);
  assert_ok(skep_delta_writer_finish(w, &m, &t->err), t->err);
  assert_int_equal(m->n_files, 2);
  assert_string_equal(m->files[1].name, "bucket_00002");
  skep_delta_writer_free(w);
  skep_vec_fini(&batch.root);
  assert_string_equal(writing_table(t, "t", ALL, &(skep_plan_opts){0}, true),
                      "1 536870912 0 0\n1 536870912 1 2\n1 537001984 0 1\n");
}

static void an_overwrite_without_rows_leaves_files_without_rows(void **state) {
  writing *t = *state;
  skep_delta_writer *w;
  skep_delta_writer_opts o = options(t, SKEP_DELTA_BASE, 7, 0, "struct<a:int,b:string>");
  o.empty_files = true;
  const skep_commit_message *m = write_rows(t, &o, NULL, 0, &w);
  assert_string_equal(m->directory, "base_0000007");
  skep_delta_writer_free(w);
  assert_string_equal(writing_tree(t, "t"), "base_0000007/bucket_00000\n");
  /* golden 06-overwrite-truncate/05-empty-overwrite/orc.tsv */
  assert_string_equal(writing_footer(t, t->below, "t/base_0000007/bucket_00000"),
                      "rows=0 stripes=0 codec=1 block=262144 stride=10000\n"
                      "struct<operation:int,originalTransaction:bigint,bucket:int,rowId:bigint,"
                      "currentTransaction:bigint,row:struct<a:int,b:string>>\n"
                      "hive.acid.key.index=\nhive.acid.stats=0,0,0");
}

static void writers_without_rows_leave_nothing(void **state) {
  static const skep_delta_kind kinds[] = {SKEP_DELTA_INSERT, SKEP_DELTA_BASE, SKEP_DELTA_DELETE};
  writing *t = *state;
  for (size_t i = 0; i < 3; i++) {
    skep_delta_writer *w;
    const skep_commit_message *m;
    skep_delta_writer_opts o = options(t, kinds[i], 7, 0, "struct<a:int>");
    assert_ok(skep_delta_writer_open(&t->ctx, t->fs, "t", &o, &w, &t->err), t->err);
    assert_ok(skep_delta_writer_finish(w, &m, &t->err), t->err);
    assert_string_equal(m->directory, "");
    assert_int_equal(m->n_files, 0);
    skep_delta_writer_free(w);
    assert_string_equal(writing_tree(t, "t"), "");
  }
}

static void plain_rows_have_no_events(void **state) {
  static const char *const cells[] = {"1", "x", "2", NULL};
  writing *t = *state;
  skep_delta_writer *w;
  skep_delta_writer_opts o = options(t, SKEP_DELTA_INSERT, 1, 0, "struct<id:int,s:string>");
  o.events = false;
  write_rows(t, &o, cells, 2, &w);
  skep_delta_writer_free(w);
  assert_string_equal(writing_tree(t, "t"), "delta_0000001_0000001_0000/000000_0\n");
  /* golden 13-insert-only/orc-01-inserts: plain settings, no metadata */
  assert_string_equal(writing_footer(t, t->below, "t/delta_0000001_0000001_0000/000000_0"),
                      "rows=2 stripes=1 codec=1 block=262144 stride=10000\nstruct<id:int,s:string>");
}

static void a_truncated_base_holds_hives_marker(void **state) {
  writing *t = *state;
  skep_buf content;
  assert_ok(skep_truncated_base_write(&t->ctx, t->fs, "t", 11, &t->err), t->err);
  assert_string_equal(writing_tree(t, "t"), "base_0000011/_metadata_acid\n");
  skep_buf_init(&content, &t->ctx, 1000);
  assert_ok(skep_fs_read_whole(t->fs, "t/base_0000011/_metadata_acid", &content, &t->err), t->err);
  assert_string_equal(skep_buf_string(&content), "{\"thisFileVersion\":\"0\",\"dataFormat\":\"truncated\"}");
  skep_buf_fini(&content);
}

/* Reads the table at `root` of `from` and writes its rows as write id 1. */
static void write_again(writing *t, skep_fs *from, const char *root, const skep_delta_writer_opts *o) {
  static const skep_forms forms = {SKEP_FORM_BOOL_BYTES, SKEP_FORM_TS, SKEP_FORM_VIEW, true, true};
  skep_plan_opts opts = {.evolution_by_name = -1, .calendar = -1};
  skep_plan *plan;
  skep_scan_cache *cache;
  skep_scan *scan;
  skep_delta_writer *w;
  const skep_commit_message *m;
  skep_batch batch = {.first_row = 0};
  assert_ok(skep_snapshot_parse(&t->arena, ALL, NULL, SKEP_HIVE_4, &opts.snapshot, &t->err), t->err);
  assert_ok(skep_plan_make(&t->ctx, from, &root, 1, &opts, &plan, &t->err), t->err);
  assert_int_equal(plan->n_splits, 1);
  assert_ok(skep_scan_cache_new(&t->ctx, from, &cache, &t->err), t->err);
  assert_ok(skep_scan_open(cache, &plan->splits[0], &forms, &scan, &t->err), t->err);
  assert_ok(skep_vec_init(&batch.root, &t->ctx, skep_scan_type(scan), &forms, &t->err), t->err);
  assert_ok(skep_delta_writer_open(&t->ctx, t->fs, "t", o, &w, &t->err), t->err);
  while (skep_scan_next(scan, 700, &batch, &t->err) == SKEP_OK)
    assert_ok(skep_delta_writer_rows(w, &batch, NULL, batch.root.length, &t->err), t->err);
  assert_ok(skep_delta_writer_finish(w, &m, &t->err), t->err);
  skep_delta_writer_free(w);
  skep_vec_fini(&batch.root);
  skep_scan_close(scan);
  skep_scan_cache_free(cache);
  skep_plan_free(plan);
}

/* Column, kind, length and a sum over the bytes of every stream but the indexes, whose statistics differ in decimals.
 */
static const char *streams_of(writing *t, skep_fs *fs, const char *path) {
  skep_file *file;
  skep_orc_tail *tail;
  skep_orc_stripe_info info;
  skep_buf_reset(&t->text);
  assert_ok(skep_fs_open_read(fs, path, &file, &t->err), t->err);
  assert_ok(skep_orc_tail_read(&t->ctx, file, file->size_bytes, &tail, &t->err), t->err);
  for (uint32_t stripe = 0; stripe < tail->n_stripes; stripe++) {
    assert_ok(skep_orc_stripe_info_read(&t->arena, file, tail, stripe, &info, &t->err), t->err);
    for (uint32_t i = 0; i < info.n_streams; i++) {
      const skep_orc_stream_info *s = &info.streams[i];
      uint8_t *bytes = calloc((size_t)s->length + 1, 1);
      uint64_t sum = 0;
      if (strcmp(skep_orc_stream_kind_name(s->kind), "ROW_INDEX") != 0 && s->length != 0) {
        assert_ok(skep_file_read_at(file, s->offset, bytes, (size_t)s->length, &t->err), t->err);
        for (uint64_t k = 0; k < s->length; k++) sum = sum * 1099511628211u + bytes[k];
        skep_buf_printf(&t->text, "%u %s %" PRIu64 " %016" PRIx64 "\n", s->column, skep_orc_stream_kind_name(s->kind),
                        s->length, sum);
      }
      free(bytes);
    }
  }
  skep_orc_tail_unref(tail);
  skep_file_close(file, NULL);
  return skep_buf_string(&t->text);
}

/* 2000 rows of numbers, texts, decimals, dates and doubles. */
static void streams_are_hives_byte_for_byte(void **state) {
  static const char root[] = SKEP_SOURCE_DIR "/tests/data/hive/codec_none";
  static const char hives[] = SKEP_SOURCE_DIR "/tests/data/hive/codec_none/delta_0000001_0000001_0000/bucket_00000_0";
  static const skep_property properties[] = {
      {"orc.compress", "NONE"}, {"orc.row.index.stride", "1000"}, {"orc.compress.size", "8192"}};
  writing *t = *state;
  skep_fs *posix;
  skep_delta_writer_opts o =
      options(t, SKEP_DELTA_INSERT, 1, 0, "struct<id:int,h:int,s:string,d:decimal(12,3),dt:date,x:double>");
  o.settings = writing_settings(t, o.row, properties, 3);
  assert_ok(skep_fs_posix_new(&t->ctx, &posix, &t->err), t->err);
  write_again(t, posix, root, &o);
  char *want = strdup(streams_of(t, posix, hives));
  assert_non_null(strstr(want, "9 DATA 55361 "));
  assert_string_equal(streams_of(t, t->below, "t/delta_0000001_0000001_0000/bucket_00000"), want);
  free(want);
  want = strdup(writing_footer(t, posix, hives));
  assert_string_equal(writing_footer(t, t->below, "t/delta_0000001_0000001_0000/bucket_00000"), want);
  free(want);
  skep_fs_free(posix);
}

/* ---- deletes ---- */

static void deletes_are_sorted_into_the_files_of_their_buckets(void **state) {
  static const int64_t write_ids[] = {3, 1, 3, 1, 2, 1, 1};
  static const int32_t buckets[] = {536936448, 536936449, 536870912, 536936448, 536870913, 1, 536936448};
  static const int64_t row_ids[] = {9, 5, 0, 7, 4, 2, 6};
  writing *t = *state;
  skep_delta_writer_opts o = options(t, SKEP_DELTA_DELETE, 4, 2, "struct<x:int,n:struct<a:int>>");
  write_deletes(t, &o, write_ids, buckets, row_ids, 7);
  assert_string_equal(writing_tree(t, "t"),
                      "delete_delta_0000004_0000004_0002/_orc_acid_version\n"
                      "delete_delta_0000004_0000004_0002/bucket_00000\n"
                      "delete_delta_0000004_0000004_0002/bucket_00001\n");
  assert_string_equal(writing_events(t, t->below, "t/delete_delta_0000004_0000004_0002/bucket_00000"),
                      "2 2 536870913 4 4 NULL\n2 3 536870912 0 4 NULL\n");
  assert_string_equal(writing_events(t, t->below, "t/delete_delta_0000004_0000004_0002/bucket_00001"),
                      "2 1 1 2 4 NULL\n2 1 536936448 6 4 NULL\n2 1 536936448 7 4 NULL\n2 1 536936449 5 4 NULL\n"
                      "2 3 536936448 9 4 NULL\n");
  assert_string_equal(writing_footer(t, t->below, "t/delete_delta_0000004_0000004_0002/bucket_00001"),
                      "rows=5 stripes=1 codec=1 block=262144 stride=10000\n"
                      "struct<operation:int,originalTransaction:bigint,bucket:int,rowId:bigint,"
                      "currentTransaction:bigint,row:struct<x:int,n:struct<a:int>>>\n"
                      "hive.acid.key.index=3,536936448,9;\nhive.acid.stats=0,0,5\nhive.acid.version=2");
}

static void many_deletes_in_any_order_come_out_sorted(void **state) {
  enum { N = 20000 };
  static int64_t write_ids[N], row_ids[N];
  static int32_t buckets[N], rows[N];
  writing *t = *state;
  uint32_t seed = 20260101;
  for (int i = 0; i < N; i++) {
    seed = seed * 1664525u + 1013904223u;
    write_ids[i] = 1 + (seed >> 20) % 7;
    buckets[i] = skep_bucket_encode((int32_t)(seed >> 24) % 3, (int32_t)(seed >> 16) % 2);
    row_ids[i] = i; /* no row twice */
    rows[i] = N - 1 - i;
  }
  skep_delta_writer *w;
  const skep_commit_message *m;
  skep_delta_writer_opts o = options(t, SKEP_DELTA_DELETE, 9, 0, "struct<x:int>");
  assert_ok(skep_delta_writer_open(&t->ctx, t->fs, "t", &o, &w, &t->err), t->err);
  assert_ok(skep_delta_writer_deletes(w, write_ids, buckets, row_ids, rows, N, &t->err), t->err);
  assert_ok(skep_delta_writer_finish(w, &m, &t->err), t->err);
  assert_int_equal(m->n_files, 3);
  assert_int_equal(m->n_rows, N);
  for (uint32_t f = 0; f < 3; f++) {
    char path[128];
    long long last[3] = {0}, at[3], op, current;
    snprintf(path, sizeof path, "t/%s/%s", m->directory, m->files[f].name);
    const char *line = writing_events(t, t->below, path);
    for (; *line != '\0'; line = strchr(line, '\n') + 1) {
      assert_int_equal(sscanf(line, "%lld %lld %lld %lld %lld", &op, &at[0], &at[1], &at[2], &current), 5);
      assert_int_equal((at[1] >> 16) & 0xfff, m->files[f].bucket);
      assert_true(at[0] > last[0] || (at[0] == last[0] && (at[1] > last[1] || (at[1] == last[1] && at[2] > last[2]))));
      memcpy(last, at, sizeof last);
    }
  }
  skep_delta_writer_free(w);
}

static void deleting_a_row_twice_names_it(void **state) {
  static const int64_t write_ids[] = {1, 1, 1}, row_ids[] = {5, 6, 5};
  static const int32_t buckets[] = {536870912, 536870912, 536870912};
  writing *t = *state;
  skep_delta_writer *w;
  const skep_commit_message *m;
  skep_delta_writer_opts o = options(t, SKEP_DELTA_DELETE, 2, 0, "struct<x:int>");
  assert_ok(skep_delta_writer_open(&t->ctx, t->fs, "t", &o, &w, &t->err), t->err);
  assert_ok(skep_delta_writer_deletes(w, write_ids, buckets, row_ids, NULL, 3, &t->err), t->err);
  assert_int_equal(skep_delta_writer_finish(w, &m, &t->err), SKEP_ERR_RUNTIME);
  assert_string_equal(t->err.text,
                      "Cardinality Violation: one statement changes the row "
                      "{\"writeid\":1,\"bucketid\":536870912,\"rowid\":5} twice");
  skep_delta_writer_abort(w);
  skep_delta_writer_free(w);
  assert_string_equal(writing_tree(t, "t"), "");
}

static void a_bucket_property_that_is_none_is_refused(void **state) {
  static const int64_t ids[] = {1};
  static const int32_t buckets[] = {-5};
  writing *t = *state;
  skep_delta_writer *w;
  skep_delta_writer_opts o = options(t, SKEP_DELTA_DELETE, 2, 0, "struct<x:int>");
  assert_ok(skep_delta_writer_open(&t->ctx, t->fs, "t", &o, &w, &t->err), t->err);
  assert_int_equal(skep_delta_writer_deletes(w, ids, buckets, ids, NULL, 1, &t->err), SKEP_ERR_CORRUPT);
  assert_string_equal(t->err.text, "bucket property -5 of a row to delete");
  skep_delta_writer_free(w);
}

/* ---- settings ---- */

/* Stripes of golden 12-orc-settings/stripes: an eighth of the table's sizes, one key for each stripe. */
static void properties_of_the_table_reach_the_files(void **state) {
  static const skep_property properties[] = {{"orc.stripe.size", "65536"},     {"orc.row.index.stride", "1000"},
                                             {"orc.compress.size", "4096"},    {"orc.bloom.filter.columns", "id, S"},
                                             {"orc.bloom.filter.fpp", "0.05"}, {"comment", "orc"}};
  writing *t = *state;
  skep_delta_writer *w;
  const skep_commit_message *m;
  skep_batch batch;
  skep_delta_writer_opts o = options(t, SKEP_DELTA_INSERT, 1, 0, "struct<id:int,s:string>");
  o.settings = writing_settings(t, o.row, properties, 6);
  const char *cells[2000];
  char texts[2000][24];
  for (int i = 0; i < 2000; i++) {
    snprintf(texts[i], sizeof texts[i], i % 2 == 0 ? "%d" : "text %d", i * 7919);
    cells[i] = texts[i];
  }
  assert_ok(skep_delta_writer_open(&t->ctx, t->fs, "t", &o, &w, &t->err), t->err);
  writing_batch(t, &batch, o.row, cells, 1000);
  for (int i = 0; i < 8; i++) assert_ok(skep_delta_writer_rows(w, &batch, NULL, 1000, &t->err), t->err);
  assert_ok(skep_delta_writer_finish(w, &m, &t->err), t->err);
  skep_vec_fini(&batch.root);
  skep_delta_writer_free(w);
  const char *footer = writing_footer(t, t->below, "t/delta_0000001_0000001_0000/bucket_00000");
  assert_non_null(strstr(footer, "rows=8000 stripes=2 codec=1 block=512 stride=1000\n"));
  assert_non_null(strstr(footer, "hive.acid.key.index=1,536870912,4999;1,536870912,7999;\nhive.acid.stats=8000,0,0\n"));
}

static void wrong_properties_are_named(void **state) {
  static const struct {
    skep_property property;
    skep_status status;
    const char *text;
  } cases[] = {
      {{"orc.compress", "zip"},
       SKEP_ERR_ARGUMENT,
       "table property orc.compress = 'zip': NONE, ZLIB, SNAPPY, LZ4 or ZSTD is expected"},
      {{"orc.compress", "lzo"},
       SKEP_ERR_UNSUPPORTED,
       "table property orc.compress = 'lzo': Skep does not write this codec"},
      {{"orc.stripe.size", "64MB"},
       SKEP_ERR_ARGUMENT,
       "table property orc.stripe.size = '64MB': a number from 1 to 9223372036854775807 is expected"},
      {{"orc.bloom.filter.fpp", "1.5"},
       SKEP_ERR_ARGUMENT,
       "table property orc.bloom.filter.fpp = '1.5': a part of 1 is expected"},
      {{"orc.row.index.stride", "999"},
       SKEP_ERR_ARGUMENT,
       "table property orc.row.index.stride = '999': Row stride must be at least 1000"},
      {{"orc.encrypt", "key:a"},
       SKEP_ERR_UNSUPPORTED,
       "table property orc.encrypt: Skep does not write encrypted columns"},
  };
  writing *t = *state;
  const skep_type *row = writing_type(t, "struct<a:int>");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    assert_int_equal(skep_writer_settings_make(&t->arena, row, &cases[i].property, 1, &t->settings, &t->err),
                     cases[i].status);
    assert_string_equal(t->err.text, cases[i].text);
  }
}

static void settings_follow_hives_defaults_and_properties(void **state) {
  static const skep_property properties[] = {{"orc.compress", "snappy"},
                                             {"orc.create.index", "FALSE"},
                                             {"orc.bloom.filter.columns", "b.c,nothing, A ,"},
                                             {"orc.compress.size", "100"},
                                             {"orc.dictionary.key.threshold", "0"}};
  writing *t = *state;
  const skep_type *row = writing_type(t, "struct<a:int,b:struct<c:int>>");
  const skep_writer_settings *s = writing_settings(t, row, NULL, 0);
  assert_int_equal(s->plain.block_size, 262144);
  assert_int_equal(s->delta.block_size, 32768);
  assert_int_equal(s->delta.stripe_bytes, 8 << 20);
  assert_int_equal(s->delta.padding_block_bytes, 0);
  assert_int_equal(skep_writer_block_size(&s->delta, 8), 32768);
  assert_int_equal(skep_writer_block_size(&s->plain, 207), 16384); /* ORC Java: 64 MiB / (20 * 207) */
  assert_int_equal(skep_writer_block_size(&s->delta, 207), 4096);
  s = writing_settings(t, row, properties, 5);
  assert_int_equal(s->plain.codec, SKEP_ORC_SNAPPY);
  assert_int_equal(s->plain.row_index_stride, 0);
  assert_int_equal(s->plain.n_bloom_columns, 2);
  assert_string_equal(s->plain.bloom_columns[0], "b.c");
  assert_string_equal(s->plain.bloom_columns[1], "A");
  assert_string_equal(s->event_blooms[1], "row.A");
  assert_int_equal(s->delta.block_size, 64);
  assert_true(s->plain.dictionary_threshold == 0);
}

static void wrong_options_are_named(void **state) {
  static const uint32_t columns[] = {3};
  writing *t = *state;
  skep_delta_writer *w;
  skep_delta_writer_opts good = options(t, SKEP_DELTA_INSERT, 1, 0, "struct<a:int>"), o = good;
  o.write_id = 0;
  assert_int_equal(skep_delta_writer_open(&t->ctx, t->fs, "t", &o, &w, &t->err), SKEP_ERR_ARGUMENT);
  assert_null(w);
  assert_string_equal(t->err.text, "write id 0: 1 or more");
  o = good;
  o.statement = 4096;
  assert_int_equal(skep_delta_writer_open(&t->ctx, t->fs, "t", &o, &w, &t->err), SKEP_ERR_ARGUMENT);
  assert_string_equal(t->err.text, "statement id 4096: 0 to 4095");
  o = good;
  o.n_buckets = 2;
  o.n_bucket_columns = 1;
  o.bucket_columns = columns;
  assert_int_equal(skep_delta_writer_open(&t->ctx, t->fs, "t", &o, &w, &t->err), SKEP_ERR_ARGUMENT);
  assert_string_equal(t->err.text, "bucket column 3 of 1 columns");
}

/* ---- values ---- */

static void chars_are_padded_and_every_type_comes_back(void **state) {
  static const char *const cells[] = {"true",
                                      "-7",
                                      "300",
                                      "70000",
                                      "5000000000",
                                      "1.5",
                                      "-0.0",
                                      "12.345",
                                      "text",
                                      "ab",
                                      "vc",
                                      "2024-02-29",
                                      "2024-01-02 03:04:05.123456789",
                                      NULL,
                                      NULL,
                                      NULL,
                                      NULL,
                                      NULL,
                                      NULL,
                                      NULL,
                                      NULL,
                                      NULL,
                                      "\xc3\xa9",
                                      NULL,
                                      "0001-01-01",
                                      "9999-12-31 23:59:59.999999999"};
  writing *t = *state;
  skep_delta_writer *w;
  skep_delta_writer_opts o = options(t, SKEP_DELTA_INSERT, 1, 0,
                                     "struct<b:boolean,t:tinyint,s:smallint,i:int,l:bigint,f:float,d:double,"
                                     "n:decimal(20,3),x:string,c:char(4),v:varchar(9),dt:date,ts:timestamp>");
  write_rows(t, &o, cells, 2, &w);
  skep_delta_writer_free(w);
  assert_string_equal(writing_events(t, t->below, "t/delta_0000001_0000001_0000/bucket_00000"),
                      "0 1 536870912 0 1 {\"b\":true,\"t\":-7,\"s\":300,\"i\":70000,\"l\":5000000000,\"f\":1.5,"
                      "\"d\":-0.0,\"n\":12.345,\"x\":\"text\",\"c\":\"ab  \",\"v\":\"vc\",\"dt\":\"2024-02-29\","
                      "\"ts\":\"2024-01-02 03:04:05.123456789\"}\n"
                      "0 1 536870912 1 1 {\"b\":null,\"t\":null,\"s\":null,\"i\":null,\"l\":null,\"f\":null,"
                      "\"d\":null,\"n\":null,\"x\":null,\"c\":\"\xc3\xa9   \",\"v\":null,\"dt\":\"0001-01-01\","
                      "\"ts\":\"9999-12-31 23:59:59.999999999\"}\n");
}

/* ---- leftovers and failures ---- */

static void leftovers_of_the_same_name_are_removed_first(void **state) {
  static const char *const cells[] = {"1"};
  writing *t = *state;
  skep_delta_writer *w;
  assert_ok(skep_fs_memory_put(t->below, "t/delta_0000001_0000001_0000/bucket_00003", "junk", 4, &t->err), t->err);
  assert_ok(skep_fs_memory_put(t->below, "t/delta_0000001_0000001_0000/sub/bucket_00000", "junk", 4, &t->err), t->err);
  assert_ok(skep_fs_memory_put(t->below, "t/delta_0000001_0000001_0001/bucket_00003", "other", 5, &t->err), t->err);
  skep_delta_writer_opts o = options(t, SKEP_DELTA_INSERT, 1, 0, "struct<x:int>");
  write_rows(t, &o, cells, 1, &w);
  skep_delta_writer_free(w);
  assert_string_equal(writing_tree(t, "t"),
                      "delta_0000001_0000001_0000/_orc_acid_version\ndelta_0000001_0000001_0000/bucket_00000\n"
                      "delta_0000001_0000001_0001/bucket_00003\n");
}

static void aborting_removes_what_was_written(void **state) {
  static const char *const cells[] = {"1", "2"};
  writing *t = *state;
  skep_delta_writer *w;
  skep_batch batch;
  skep_delta_writer_opts o = options(t, SKEP_DELTA_INSERT, 1, 0, "struct<x:int>");
  assert_ok(skep_fs_memory_put(t->below, "t/delta_0000009_0000009_0000/bucket_00000", "other", 5, &t->err), t->err);
  for (int finished = 0; finished < 2; finished++) {
    const skep_commit_message *m;
    assert_ok(skep_delta_writer_open(&t->ctx, t->fs, "t/p=1", &o, &w, &t->err), t->err);
    writing_batch(t, &batch, o.row, cells, 2);
    assert_ok(skep_delta_writer_rows(w, &batch, NULL, 2, &t->err), t->err);
    if (finished) assert_ok(skep_delta_writer_finish(w, &m, &t->err), t->err);
    skep_delta_writer_abort(w);
    assert_int_equal(skep_delta_writer_rows(w, &batch, NULL, 2, &t->err), SKEP_ERR_ARGUMENT);
    assert_int_equal(skep_delta_writer_finish(w, &m, &t->err), SKEP_ERR_ARGUMENT);
    skep_delta_writer_free(w);
    skep_vec_fini(&batch.root);
    assert_string_equal(writing_tree(t, "t"), "delta_0000009_0000009_0000/bucket_00000\n");
  }
}

/* Inserts, deletes and an overwrite of a new partition; on failure aborts. */
static skep_status scenario(writing *t, const skep_delta_writer_opts *o, const skep_batch *batch) {
  static const int64_t ids[] = {3, 2, 1};
  static const int32_t buckets[] = {536870912, 536936448, 536870912};
  skep_delta_writer *w;
  const skep_commit_message *m;
  SKEP_TRY(skep_delta_writer_open(&t->ctx, t->fs, "t/p=1", o, &w, &t->err));
  skep_status status = o->kind == SKEP_DELTA_DELETE
                           ? skep_delta_writer_deletes(w, ids, buckets, ids, NULL, 3, &t->err)
                           : skep_delta_writer_rows(w, batch, NULL, batch->root.length, &t->err);
  if (status == SKEP_OK) status = skep_delta_writer_finish(w, &m, &t->err);
  if (status != SKEP_OK) skep_delta_writer_abort(w);
  skep_delta_writer_free(w);
  return status;
}

static const skep_delta_kind all_kinds[] = {SKEP_DELTA_INSERT, SKEP_DELTA_DELETE, SKEP_DELTA_BASE};

static void any_failing_call_is_reported_and_leaves_nothing(void **state) {
  static const char *const cells[] = {"1", "a", "2", "b", "3", NULL};
  static const uint32_t columns[] = {0};
  writing *t = *state;
  for (size_t k = 0; k < 3; k++) {
    skep_batch batch;
    skep_delta_writer_opts o = options(t, all_kinds[k], 4, 0, "struct<x:int,s:string>");
    o.n_buckets = 4;
    o.n_bucket_columns = 1;
    o.bucket_columns = columns;
    o.bucketing_version = 1;
    writing_batch(t, &batch, o.row, cells, 3);
    uint64_t nth = 1;
    for (;; nth++) {
      skep_fs_faulty_fail_nth(t->fs, nth, false);
      uint64_t before = skep_fs_faulty_counts(t->fs).calls;
      skep_status status = scenario(t, &o, &batch);
      skep_fs_faulty_fail_nth(t->fs, 0, false);
      if (status == SKEP_OK && skep_fs_faulty_counts(t->fs).calls - before < nth) break;
      assert_int_equal(status, SKEP_ERR_IO);
      assert_non_null(strstr(t->err.text, "fails as requested"));
      assert_string_equal(writing_tree(t, "t"), "");
      writing_again(t);
    }
    assert_true(nth > 8);
    writing_again(t);
    skep_vec_fini(&batch.root);
  }
}

static void any_failing_allocation_is_reported_and_leaves_nothing(void **state) {
  static const char *const cells[] = {"1", "a", "2", "b", "3", NULL};
  writing *t = *state;
  skep_fs *posix_like = t->below; /* memory, whose allocations fail too */
  (void)posix_like;
  for (size_t k = 0; k < 3; k++) {
    skep_batch batch;
    skep_delta_writer_opts o = options(t, all_kinds[k], 4, 0, "struct<x:int,s:string>");
    writing_batch(t, &batch, o.row, cells, 3);
    for (uint64_t nth = 1;; nth++) {
      uint64_t live = failing_alloc_live(&t->memory);
      failing_alloc_arm(&t->memory, nth);
      skep_status status = scenario(t, &o, &batch);
      bool fired = failing_alloc_fired(&t->memory);
      failing_alloc_arm(&t->memory, 0);
      if (!fired) break;
      if (status == SKEP_OK) { /* the failure hit a clean-up or a try that may fail */
        writing_again(t);
        continue;
      }
      assert_int_equal(status, SKEP_ERR_NOMEM);
      skep_fs_free(t->fs);
      skep_fs_free(t->below);
      assert_ok(skep_fs_memory_new(&t->ctx, &t->below, &t->err), t->err);
      assert_ok(skep_fs_faulty_new(&t->ctx, t->below, &t->fs, &t->err), t->err);
      assert_int_equal(failing_alloc_live(&t->memory) <= live, true);
    }
    writing_again(t);
    skep_vec_fini(&batch.root);
  }
}

/* Every file is synced after its last byte, every directory after its last name, from below upwards to one that was
 * there before; and nothing more is done. (The version file's content is not worth a sync: see the writer.) */
static void files_and_names_are_safe_before_finish_returns(void **state) {
  static const char *const cells[] = {"1", "2"};
  static const int64_t ids[] = {1, 2};
  static const int32_t buckets[] = {536870912, 536936448};
  writing *t = *state;
  writing_log_fs log_fs;
  skep_buf log;
  skep_batch batch;
  skep_delta_writer *w;
  const skep_commit_message *m;
  skep_buf_init(&log, &t->ctx, 1 << 20);
  writing_log_init(&log_fs, t, &log);
  assert_ok(skep_fs_mkdirs(t->below, "w/t", &t->err), t->err);
  skep_delta_writer_opts o = options(t, SKEP_DELTA_INSERT, 1, 0, "struct<x:int>");
  writing_batch(t, &batch, o.row, cells, 2);
  assert_ok(skep_delta_writer_open(&t->ctx, &log_fs.fs, "w/t/p=1/q=2", &o, &w, &t->err), t->err);
  assert_ok(skep_delta_writer_rows(w, &batch, NULL, 2, &t->err), t->err);
  assert_ok(skep_delta_writer_finish(w, &m, &t->err), t->err);
  skep_delta_writer_free(w);
  assert_string_equal(skep_buf_string(&log),
                      "mkdirs w/t/p=1/q=2/delta_0000001_0000001_0000\n"
                      "create w/t/p=1/q=2/delta_0000001_0000001_0000/bucket_00000\n"
                      "create w/t/p=1/q=2/delta_0000001_0000001_0000/_orc_acid_version\n"
                      "append _orc_acid_version\n"
                      "append bucket_00000\n"
                      "sync bucket_00000\n"
                      "sync_dir w/t/p=1/q=2/delta_0000001_0000001_0000\n"
                      "sync_dir w/t/p=1/q=2\n"
                      "sync_dir w/t/p=1\n"
                      "sync_dir w/t\n");
  skep_buf_reset(&log);
  o = options(t, SKEP_DELTA_DELETE, 2, 0, "struct<x:int>");
  assert_ok(skep_delta_writer_open(&t->ctx, &log_fs.fs, "w/t/p=1/q=2", &o, &w, &t->err), t->err);
  assert_ok(skep_delta_writer_deletes(w, ids, buckets, ids, NULL, 2, &t->err), t->err);
  assert_ok(skep_delta_writer_finish(w, &m, &t->err), t->err);
  skep_delta_writer_free(w);
  assert_string_equal(skep_buf_string(&log),
                      "mkdirs w/t/p=1/q=2/delete_delta_0000002_0000002_0000\n"
                      "create w/t/p=1/q=2/delete_delta_0000002_0000002_0000/bucket_00000\n"
                      "create w/t/p=1/q=2/delete_delta_0000002_0000002_0000/_orc_acid_version\n"
                      "append _orc_acid_version\n"
                      "append bucket_00000\n"
                      "sync bucket_00000\n"
                      "create w/t/p=1/q=2/delete_delta_0000002_0000002_0000/bucket_00001\n"
                      "append bucket_00001\n"
                      "sync bucket_00001\n"
                      "sync_dir w/t/p=1/q=2/delete_delta_0000002_0000002_0000\n"
                      "sync_dir w/t/p=1/q=2\n");
  skep_buf_reset(&log);
  assert_ok(skep_truncated_base_write(&t->ctx, &log_fs.fs, "w/t/p=1/q=2", 3, &t->err), t->err);
  assert_string_equal(skep_buf_string(&log),
                      "mkdirs w/t/p=1/q=2/base_0000003\ncreate w/t/p=1/q=2/base_0000003/_metadata_acid\n"
                      "append _metadata_acid\nsync _metadata_acid\nsync_dir w/t/p=1/q=2/base_0000003\n"
                      "sync_dir w/t/p=1/q=2\n");
  skep_buf_fini(&log);
  skep_vec_fini(&batch.root);
}

static void memory_stays_bounded_with_many_buckets_open(void **state) {
  static const uint32_t columns[] = {0};
  writing *t = *state;
  skep_orc_write_memory shared = {.max_bytes = 4 << 20};
  skep_delta_writer_opts o = options(t, SKEP_DELTA_INSERT, 1, 0, "struct<x:int,s:string>");
  o.n_buckets = 64;
  o.n_bucket_columns = 1;
  o.bucket_columns = columns;
  o.bucketing_version = 2;
  o.memory = &shared;
  enum { N = 4000 };
  const char **cells = calloc(2 * N, sizeof *cells);
  char(*texts)[2][48] = calloc(N, sizeof *texts);
  skep_delta_writer *w;
  const skep_commit_message *m;
  skep_fs *posix;
  skep_batch batch;
  for (int i = 0; i < N; i++) {
    uint32_t u = (uint32_t)i;
    snprintf(texts[i][0], sizeof texts[i][0], "%d", i);
    snprintf(texts[i][1], sizeof texts[i][1], "%08x%08x%08x%08x", u * 2654435761u, u * 40503u, ~u * 97u, u * 31u);
    cells[2 * i] = texts[i][0];
    cells[2 * i + 1] = texts[i][1];
  }
  writing_batch(t, &batch, o.row, cells, N);
  assert_ok(skep_fs_posix_new(&t->ctx, &posix, &t->err), t->err);
  assert_ok(skep_delta_writer_open(&t->ctx, t->fs, "t", &o, &w, &t->err), t->err);
  for (int i = 0; i < 30; i++) assert_ok(skep_delta_writer_rows(w, &batch, NULL, N, &t->err), t->err);
  assert_ok(skep_delta_writer_finish(w, &m, &t->err), t->err);
  assert_int_equal(m->n_files, 64);
  assert_int_equal(m->n_rows, 30 * N);
  assert_int_equal(shared.wanted_bytes, 0);
  skep_delta_writer_free(w);
  skep_vec_fini(&batch.root);
  skep_fs_free(posix);
  free(cells);
  free(texts);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, writing_setup, writing_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(files_are_those_that_hive_writes_for_the_same_rows),
      TEST(streams_are_hives_byte_for_byte),
      TEST(messages_tell_what_was_written),
      TEST(rows_that_were_selected_are_written_and_no_others),
      TEST(bucketed_rows_go_where_hive_looks_for_them),
      TEST(rows_go_to_the_writer_id_in_use),
      TEST(an_overwrite_without_rows_leaves_files_without_rows),
      TEST(writers_without_rows_leave_nothing),
      TEST(plain_rows_have_no_events),
      TEST(a_truncated_base_holds_hives_marker),
      TEST(deletes_are_sorted_into_the_files_of_their_buckets),
      TEST(many_deletes_in_any_order_come_out_sorted),
      TEST(deleting_a_row_twice_names_it),
      TEST(a_bucket_property_that_is_none_is_refused),
      TEST(properties_of_the_table_reach_the_files),
      TEST(wrong_properties_are_named),
      TEST(settings_follow_hives_defaults_and_properties),
      TEST(wrong_options_are_named),
      TEST(chars_are_padded_and_every_type_comes_back),
      TEST(leftovers_of_the_same_name_are_removed_first),
      TEST(aborting_removes_what_was_written),
      TEST(any_failing_call_is_reported_and_leaves_nothing),
      TEST(any_failing_allocation_is_reported_and_leaves_nothing),
      TEST(files_and_names_are_safe_before_finish_returns),
      TEST(memory_stays_bounded_with_many_buckets_open),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
