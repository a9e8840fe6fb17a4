/* Compaction, measured from inside: tables made of the rows of an ORC file, then compacted, copied, read.
 *
 *   bench_compact make FILE DIR N_DELTAS ROWS
 *     -> N_DELTAS deltas of ROWS rows each (the file's rows, over and over)
 *   bench_compact base FILE DIR N_ROWS PER_MILLE [first]
 *     -> a base of so many rows, so many of a thousand deleted (at random, or the first), and a delta of ten rows
 *   bench_compact run KIND FILE DIR LAST THREADS [encode] [keep] [MEMORY_MIB]
 *     -> rows, seconds of wall and of processor, bytes, bytes taken over; LAST is the highest write id
 *   bench_compact cp DIR OUT
 *     -> all data files copied and synced: seconds, bytes
 *   bench_compact avalanche FILE DIR N
 *     -> N directories of 10 rows or one delete event in turn
 *
 * Results of runs are removed again, unless they are to be kept. */
#include <dirent.h>
#include <string.h>
#include <sys/resource.h>

#include "acid/delta_writer.h"
#include "acid/name.h"
#include "bench.h"
#include "compact/run.h"
#include "rows.h"

enum { BATCH_ROWS = 2000, MAX_BATCHES = 4000, VISIBILITY = 1000 };

typedef struct bench {
  bench_rows rows;
  skep_writer_settings settings;
} bench;

/* ---- making tables ---- */

static void load(bench *b, const char *file, bool rows) {
  static const skep_property property = {"orc.compress", "ZLIB"};
  bench_rows_load(&b->rows, file, BATCH_ROWS, rows ? MAX_BATCHES : 0, true);
  bench_check(skep_writer_settings_make(&b->rows.arena, b->rows.type, &property, 1, &b->settings, &b->rows.err),
              &b->rows);
}

static skep_delta_writer *open_writer(bench *b, const char *dir, skep_delta_kind kind, int64_t write_id) {
  const skep_delta_writer_opts opts = {
      .kind = kind, .events = true, .write_id = write_id, .row = b->rows.type, .settings = &b->settings};
  skep_delta_writer *w;
  bench_check(skep_delta_writer_open(&b->rows.ctx, b->rows.fs, dir, &opts, &w, &b->rows.err), &b->rows);
  return w;
}

static void close_writer(bench *b, skep_delta_writer *w) {
  const skep_commit_message *m;
  bench_check(skep_delta_writer_finish(w, &m, &b->rows.err), &b->rows);
  skep_delta_writer_free(w);
}

static void put_rows(bench *b, const char *dir, skep_delta_kind kind, int64_t write_id, uint64_t n, size_t *at) {
  skep_delta_writer *w = open_writer(b, dir, kind, write_id);
  while (n != 0) {
    const skep_batch *batch = &b->rows.batches[*at];
    int64_t part = (uint64_t)batch->root.length < n ? batch->root.length : (int64_t)n;
    bench_check(skep_delta_writer_rows(w, batch, NULL, part, &b->rows.err), &b->rows);
    n -= (uint64_t)part;
    *at = (*at + 1) % b->rows.n_batches;
  }
  close_writer(b, w);
}

static void make_deltas(bench *b, const char *dir, int64_t n_deltas, uint64_t rows) {
  size_t at = 0;
  for (int64_t id = 1; id <= n_deltas; id++) put_rows(b, dir, SKEP_DELTA_INSERT, id, rows, &at);
}

static void delete_rows(bench *b, const char *dir, int64_t write_id, int64_t rows_of, int64_t n_rows,
                        unsigned per_mille, bool first) {
  skep_delta_writer *w = open_writer(b, dir, SKEP_DELTA_DELETE, write_id);
  uint64_t state = (uint64_t)write_id;
  int32_t bucket = skep_bucket_encode(0, 0);
  for (int64_t i = 0; i < n_rows; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    bool wanted = first ? i < n_rows / 1000 * per_mille : (state >> 33) % 1000 < per_mille;
    if (wanted) bench_check(skep_delta_writer_deletes(w, &rows_of, &bucket, &i, NULL, 1, &b->rows.err), &b->rows);
  }
  close_writer(b, w);
}

static void make_avalanche(bench *b, const char *dir, int64_t n) {
  size_t at = 0;
  for (int64_t id = 1; id <= n; id++) {
    if (id % 2 == 1) {
      put_rows(b, dir, SKEP_DELTA_INSERT, id, 10, &at);
    } else {
      delete_rows(b, dir, id, id - 1, 10, 100, false);
    }
  }
}

/* ---- measuring ---- */

static void run(bench *b, char **words, int n_words) {
  const char *kind = words[0], *dir = words[2], *last = words[3], *threads = words[4];
  bool encode = false, keep = false;
  uint64_t memory_mib = 0;
  for (int i = 5; i < n_words; i++) {
    encode = encode || strcmp(words[i], "encode") == 0;
    keep = keep || strcmp(words[i], "keep") == 0;
    memory_mib += strtoull(words[i], NULL, 10);
  }
  char list[64];
  skep_compact_result r;
  static const skep_property property = {"orc.compress", "ZLIB"};
  snprintf(list, sizeof list, "d.t:%s:9223372036854775807::", last);
  const skep_compact_job job = {.fs = b->rows.fs,
                                .root = dir,
                                .kind = strcmp(kind, "major") == 0 ? SKEP_COMPACT_MAJOR : SKEP_COMPACT_MINOR,
                                .row = b->rows.type,
                                .write_ids = list,
                                .visibility_txn = VISIBILITY,
                                .properties = &property,
                                .n_properties = 1,
                                .threads = (unsigned)strtoul(threads, NULL, 10),
                                .memory_bytes = memory_mib << 20,
                                .no_stripe_copy = encode};
  double wall = bench_seconds(CLOCK_MONOTONIC), cpu = bench_seconds(CLOCK_PROCESS_CPUTIME_ID);
  bench_check(skep_compact_run(&b->rows.ctx, &job, &b->rows.arena, &r, &b->rows.err), &b->rows);
  wall = bench_seconds(CLOCK_MONOTONIC) - wall;
  cpu = bench_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  struct rusage usage;
  (void)getrusage(RUSAGE_SELF, &usage);
  printf("%" PRIu64 " rows %.3f s wall %.3f s cpu %.2f million rows/s, %" PRIu64 " bytes, %" PRIu64
         " copied, %ld MiB resident\n",
         r.rows, wall, cpu, (double)r.rows_read / wall / 1e6, r.bytes_written, r.bytes_copied, usage.ru_maxrss / 1024);
  if (!keep)
    bench_check(skep_compact_leftovers(&b->rows.ctx, b->rows.fs, dir, VISIBILITY, NULL, &b->rows.err), &b->rows);
}

static uint64_t copy_file(const char *from, int out) {
  static char room[1 << 20];
  int in = open(from, O_RDONLY);
  uint64_t n = 0;
  for (ssize_t got; in >= 0 && (got = read(in, room, sizeof room)) > 0; n += (uint64_t)got)
    if (write(out, room, (size_t)got) != got) exit(1);
  (void)close(in);
  return n;
}

/* As cp of all bucket files into one, and fsync. */
static void copy_all(const char *dir, const char *to) {
  char path[4096];
  uint64_t n = 0;
  double wall = bench_seconds(CLOCK_MONOTONIC);
  int out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  DIR *d = opendir(dir);
  for (struct dirent *e; d != NULL && out >= 0 && (e = readdir(d)) != NULL;) {
    if (strstr(e->d_name, "delta_") == NULL && strstr(e->d_name, "base_") == NULL) continue;
    snprintf(path, sizeof path, "%s/%s/bucket_00000", dir, e->d_name);
    n += copy_file(path, out);
  }
  if (d != NULL) (void)closedir(d);
  if (fsync(out) != 0) exit(1);
  (void)close(out);
  printf("%.3f s, %" PRIu64 " bytes\n", bench_seconds(CLOCK_MONOTONIC) - wall, n);
  (void)unlink(to);
}

int main(int argc, char **argv) {
  bench b;
  bench_rows_open(&b.rows);
  const char *what = argc > 1 ? argv[1] : "";
  size_t at = 0;
  if (strcmp(what, "make") == 0 && argc == 6) {
    load(&b, argv[2], true);
    make_deltas(&b, argv[3], strtoll(argv[4], NULL, 10), strtoull(argv[5], NULL, 10));
  } else if (strcmp(what, "base") == 0 && argc >= 6) {
    int64_t n = strtoll(argv[4], NULL, 10);
    load(&b, argv[2], true);
    put_rows(&b, argv[3], SKEP_DELTA_BASE, 1, (uint64_t)n, &at);
    delete_rows(&b, argv[3], 2, 1, n, (unsigned)strtoul(argv[5], NULL, 10), argc > 6);
    put_rows(&b, argv[3], SKEP_DELTA_INSERT, 3, 10, &at);
  } else if (strcmp(what, "avalanche") == 0 && argc == 5) {
    load(&b, argv[2], true);
    make_avalanche(&b, argv[3], strtoll(argv[4], NULL, 10));
  } else if (strcmp(what, "run") == 0 && argc >= 7) {
    load(&b, argv[3], false);
    run(&b, argv + 2, argc - 2);
  } else if (strcmp(what, "cp") == 0 && argc == 4) {
    copy_all(argv[2], argv[3]);
  } else {
    fprintf(stderr, "bench_compact: see the head of bench/compact.c\n");
    return 2;
  }
  bench_rows_close(&b.rows);
  return 0;
}
