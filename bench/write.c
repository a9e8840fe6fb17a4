/* Writing, measured from inside: rows of an ORC file, read into memory first, are written as ORC; or small commits.
 *
 *   bench_write orc FILE OUT CODEC [ROUNDS]   -> rows, median seconds of wall and of processor time, bytes
 *   bench_write acid FILE OUT CODEC [ROUNDS]  -> the same rows as one INSERT into a full-ACID table
 *   bench_write commits DIR N [bare]          -> N directories with one file of 10 rows, each safe on disk: commits,
 * seconds; bare: only the system calls of it, with the same bytes */
#include <string.h>

#include "acid/delta_writer.h"
#include "bench.h"
#include "column/text.h"
#include "rows.h"

enum { BATCH_ROWS = 2048, MAX_BATCHES = 10000, MAX_ROUNDS = 100 };

static int by_value(const void *a, const void *b) {
  double x, y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return (x > y) - (x < y);
}

static double median(double *values, int n) {
  qsort(values, (size_t)n, sizeof *values, by_value);
  return values[n / 2];
}

static skep_writer_settings settings_of(bench_rows *b, const char *codec) {
  const skep_property properties[] = {{"orc.compress", codec}};
  skep_writer_settings settings;
  bench_check(skep_writer_settings_make(&b->arena, b->type, properties, 1, &settings, &b->err), b);
  return settings;
}

static uint64_t write_orc(bench_rows *b, const char *out, const skep_writer_settings *settings) {
  skep_file *file;
  skep_orc_writer *w;
  uint64_t length;
  (void)unlink(out);
  bench_check(skep_fs_create(b->fs, out, &file, &b->err), b);
  bench_check(skep_orc_writer_open(&b->ctx, file, b->type, &settings->plain, &w, &b->err), b);
  for (size_t i = 0; i < b->n_batches; i++)
    bench_check(skep_orc_writer_add(w, &b->batches[i].root, 0, b->batches[i].root.length, &b->err), b);
  bench_check(skep_orc_writer_finish(w, &length, &b->err), b);
  skep_orc_writer_close(w);
  bench_check(skep_file_close(file, &b->err), b);
  return length;
}

static uint64_t write_acid(bench_rows *b, const char *out, const skep_writer_settings *settings) {
  skep_delta_writer_opts o = {
      .kind = SKEP_DELTA_INSERT, .events = true, .write_id = 1, .row = b->type, .settings = settings};
  skep_delta_writer *w;
  const skep_commit_message *m;
  bench_check(skep_delta_writer_open(&b->ctx, b->fs, out, &o, &w, &b->err), b);
  for (size_t i = 0; i < b->n_batches; i++)
    bench_check(skep_delta_writer_rows(w, &b->batches[i], NULL, b->batches[i].root.length, &b->err), b);
  bench_check(skep_delta_writer_finish(w, &m, &b->err), b);
  uint64_t length = m->n_bytes;
  skep_delta_writer_free(w);
  return length;
}

static void measure(bench_rows *b, const char *out, const char *codec, bool acid, int rounds) {
  double wall[MAX_ROUNDS], cpu[MAX_ROUNDS];
  skep_writer_settings settings = settings_of(b, codec);
  uint64_t length = 0, rows = 0;
  for (size_t i = 0; i < b->n_batches; i++) rows += (uint64_t)b->batches[i].root.length;
  for (int i = 0; i < rounds; i++) {
    double w = bench_seconds(CLOCK_MONOTONIC), c = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
    length = acid ? write_acid(b, out, &settings) : write_orc(b, out, &settings);
    wall[i] = bench_seconds(CLOCK_MONOTONIC) - w;
    cpu[i] = bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - c;
  }
  printf("%" PRIu64 " %.4f %.4f %" PRIu64 "\n", rows, median(wall, rounds), median(cpu, rounds), length);
}

/* ---- small commits ---- */

static void ten_rows(bench_rows *b, skep_batch *batch) {
  static const char type[] = "struct<id:bigint,name:string,amount:decimal(10,2),at:timestamp>";
  static const char *const cells[] = {"17", "some name", "12.50", "2026-01-02 03:04:05.678"};
  static const skep_forms forms = {SKEP_FORM_BOOL_BYTES, SKEP_FORM_TS, SKEP_FORM_VIEW, false, true};
  bench_check(skep_type_parse(&b->arena, type, sizeof type - 1, &b->type, &b->err), b);
  bench_check(skep_vec_init(&batch->root, &b->ctx, b->type, &forms, &b->err), b);
  for (int i = 0; i < 10; i++)
    for (uint32_t c = 0; c < 4; c++)
      bench_check(skep_vec_append_text(&batch->root.children[c], skep_bytes_of(cells[c], strlen(cells[c])), &b->err),
                  b);
  batch->root.length = 10;
}

static void commit(bench_rows *b, const char *dir, int64_t write_id, const skep_batch *batch,
                   const skep_writer_settings *settings) {
  skep_delta_writer_opts o = {
      .kind = SKEP_DELTA_INSERT, .events = true, .write_id = write_id, .row = b->type, .settings = settings};
  skep_delta_writer *w;
  const skep_commit_message *m;
  bench_check(skep_delta_writer_open(&b->ctx, b->fs, dir, &o, &w, &b->err), b);
  bench_check(skep_delta_writer_rows(w, batch, NULL, batch->root.length, &b->err), b);
  bench_check(skep_delta_writer_finish(w, &m, &b->err), b);
  skep_delta_writer_free(w);
}

/* mkdir; write and sync the data file; write the version file; sync both directories. */
static void bare_commit(const char *dir, int root, int64_t write_id, const void *bytes, size_t size) {
  bench_delta d = bench_delta_make(dir, write_id, bytes, size);
  if (fsync(d.file) != 0 || fsync(d.dir) != 0 || fsync(root) != 0) bench_die(dir);
  bench_delta_close(d);
}

static void commits(bench_rows *b, const char *dir, int64_t n, bool bare) {
  skep_batch batch = {.first_row = 0};
  skep_buf one;
  char path[600];
  ten_rows(b, &batch);
  skep_writer_settings settings = settings_of(b, "ZLIB");
  if (mkdir(dir, 0777) != 0) bench_die(dir);
  commit(b, dir, 1, &batch, &settings);
  skep_buf_init(&one, &b->ctx, 1 << 20);
  snprintf(path, sizeof path, "%s/delta_0000001_0000001_0000/bucket_00000", dir);
  bench_check(skep_fs_read_whole(b->fs, path, &one, &b->err), b);
  int root = open(dir, O_RDONLY | O_DIRECTORY);
  double wall = bench_seconds(CLOCK_MONOTONIC), cpu = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
  for (int64_t i = 2; i < n + 2; i++) {
    if (bare) {
      bare_commit(dir, root, i, one.data, one.size);
    } else {
      commit(b, dir, i, &batch, &settings);
    }
  }
  printf("%" PRId64 " %.4f %.4f\n", n, bench_seconds(CLOCK_MONOTONIC) - wall,
         bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu);
  close(root);
  skep_buf_fini(&one);
  skep_vec_fini(&batch.root);
}

int main(int argc, char **argv) {
  bench_rows b;
  bench_rows_open(&b);
  if (argc >= 4 && strcmp(argv[1], "commits") == 0) {
    commits(&b, argv[2], strtoll(argv[3], NULL, 10), argc > 4 && strcmp(argv[4], "bare") == 0);
  } else if (argc >= 5 && (strcmp(argv[1], "orc") == 0 || strcmp(argv[1], "acid") == 0)) {
    long rounds = argc > 5 ? strtol(argv[5], NULL, 10) : 3;
    bench_rows_load(&b, argv[2], BATCH_ROWS, MAX_BATCHES, false); /* without dictionaries, as the peer has them */
    measure(&b, argv[3], argv[4], argv[1][0] == 'a', rounds < 1 ? 1 : rounds > MAX_ROUNDS ? MAX_ROUNDS : (int)rounds);
  } else {
    fprintf(stderr, "usage: bench_write orc|acid FILE OUT CODEC [ROUNDS], or commits DIR N [bare]\n");
    return 2;
  }
  bench_rows_close(&b);
  return 0;
}
