/* Compaction, measured from inside: tables made of the rows of an ORC file, then compacted, copied, read.
 *
 *   bench_compact make FILE DIR N_DELTAS ROWS
 *     -> N_DELTAS deltas of ROWS rows each (the file's rows, over and over)
 *   bench_compact base FILE DIR N_ROWS PER_MILLE [first]
 *     -> a base of so many rows, so many of a thousand deleted (at random, or the first), and a delta of ten rows
 *   bench_compact run KIND FILE DIR LAST THREADS [encode]
 *     -> rows, seconds of wall and of processor, bytes, bytes taken over; LAST is the highest write id
 *   bench_compact cp DIR OUT
 *     -> all data files copied and synced: seconds, bytes
 *   bench_compact avalanche FILE DIR N
 *     -> N directories of 10 rows or one delete event in turn
 *
 * Results of runs are removed again. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "acid/delta_writer.h"
#include "acid/dir_write.h"
#include "acid/name.h"
#include "acid/plan.h"
#include "acid/scan.h"
#include "compact/run.h"
#include "io/posix.h"

enum { BATCH_ROWS = 2000, MAX_BATCHES = 4000, VISIBILITY = 1000 };

typedef struct bench {
  skep_ctx ctx;
  skep_fs *fs;
  skep_arena arena;
  skep_batch *batches;
  size_t n_batches;
  const skep_type *type;
  skep_writer_settings settings;
  skep_err err;
} bench;

static void check(skep_status status, const bench *b) {
  if (status == SKEP_OK) return;
  fprintf(stderr, "%s: %s\n", skep_status_name(status), b->err.text);
  exit(1);
}

static double seconds(clockid_t clock) {
  struct timespec t;
  (void)clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- making tables ---- */

static void load(bench *b, const char *file, bool rows) {
  static const skep_forms forms = {SKEP_FORM_BOOL_BYTES, SKEP_FORM_TS, SKEP_FORM_VIEW, true, true};
  skep_plan_opts opts = {.evolution_by_name = -1, .calendar = -1, .snapshot = {.everything = true}};
  skep_plan *plan;
  skep_scan_cache *cache;
  static const skep_property property = {"orc.compress", "ZLIB"};
  check(skep_plan_make(&b->ctx, b->fs, &file, 1, &opts, &plan, &b->err), b);
  check(skep_scan_cache_new(&b->ctx, b->fs, &cache, &b->err), b);
  check(skep_type_copy(&b->arena, plan->type, &b->type, &b->err), b);
  check(skep_writer_settings_make(&b->arena, b->type, &property, 1, &b->settings, &b->err), b);
  b->batches = calloc(MAX_BATCHES, sizeof *b->batches);
  for (uint32_t i = 0; rows && i < plan->n_splits; i++) {
    skep_scan *scan;
    check(skep_scan_open(cache, &plan->splits[i], &forms, &scan, &b->err), b);
    while (b->n_batches < MAX_BATCHES) {
      skep_batch *batch = &b->batches[b->n_batches];
      check(skep_vec_init(&batch->root, &b->ctx, b->type, &forms, &b->err), b);
      skep_status status = skep_scan_next(scan, BATCH_ROWS, batch, &b->err);
      if (status == SKEP_END) {
        skep_vec_fini(&batch->root);
        break;
      }
      check(status, b);
      b->n_batches++;
    }
    skep_scan_close(scan);
  }
  skep_scan_cache_free(cache);
  skep_plan_free(plan);
}

static skep_delta_writer *open_writer(bench *b, const char *dir, skep_delta_kind kind, int64_t write_id) {
  const skep_delta_writer_opts opts = {
      .kind = kind, .events = true, .write_id = write_id, .row = b->type, .settings = &b->settings};
  skep_delta_writer *w;
  check(skep_delta_writer_open(&b->ctx, b->fs, dir, &opts, &w, &b->err), b);
  return w;
}

static void close_writer(bench *b, skep_delta_writer *w) {
  const skep_commit_message *m;
  check(skep_delta_writer_finish(w, &m, &b->err), b);
  skep_delta_writer_free(w);
}

static void put_rows(bench *b, const char *dir, skep_delta_kind kind, int64_t write_id, uint64_t n, size_t *at) {
  skep_delta_writer *w = open_writer(b, dir, kind, write_id);
  while (n != 0) {
    const skep_batch *batch = &b->batches[*at];
    int64_t part = (uint64_t)batch->root.length < n ? batch->root.length : (int64_t)n;
    check(skep_delta_writer_rows(w, batch, NULL, part, &b->err), b);
    n -= (uint64_t)part;
    *at = (*at + 1) % b->n_batches;
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
    if (wanted) check(skep_delta_writer_deletes(w, &rows_of, &bucket, &i, NULL, 1, &b->err), b);
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

static void run(bench *b, const char *kind, const char *dir, const char *last, const char *threads, bool encode) {
  char list[64];
  skep_compact_result r;
  static const skep_property property = {"orc.compress", "ZLIB"};
  snprintf(list, sizeof list, "d.t:%s:9223372036854775807::", last);
  const skep_compact_job job = {.fs = b->fs,
                                .root = dir,
                                .kind = strcmp(kind, "major") == 0 ? SKEP_COMPACT_MAJOR : SKEP_COMPACT_MINOR,
                                .row = b->type,
                                .write_ids = list,
                                .visibility_txn = VISIBILITY,
                                .properties = &property,
                                .n_properties = 1,
                                .threads = (unsigned)strtoul(threads, NULL, 10),
                                .no_stripe_copy = encode};
  double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
  check(skep_compact_run(&b->ctx, &job, &b->arena, &r, &b->err), b);
  wall = seconds(CLOCK_MONOTONIC) - wall;
  cpu = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
  struct rusage usage;
  (void)getrusage(RUSAGE_SELF, &usage);
  printf("%" PRIu64 " rows %.3f s wall %.3f s cpu %.2f million rows/s, %" PRIu64 " bytes, %" PRIu64
         " copied, %ld MiB resident\n",
         r.rows, wall, cpu, (double)r.rows_read / wall / 1e6, r.bytes_written, r.bytes_copied, usage.ru_maxrss / 1024);
  check(skep_compact_leftovers(&b->ctx, b->fs, dir, VISIBILITY, NULL, &b->err), b);
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
  double wall = seconds(CLOCK_MONOTONIC);
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
  printf("%.3f s, %" PRIu64 " bytes\n", seconds(CLOCK_MONOTONIC) - wall, n);
  (void)unlink(to);
}

int main(int argc, char **argv) {
  bench b = {.fs = NULL};
  skep_ctx_init(&b.ctx);
  skep_arena_init(&b.arena, &b.ctx, SIZE_MAX);
  check(skep_fs_posix_new(&b.ctx, &b.fs, &b.err), &b);
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
    run(&b, argv[2], argv[4], argv[5], argv[6], argc > 7);
  } else if (strcmp(what, "cp") == 0 && argc == 4) {
    copy_all(argv[2], argv[3]);
  } else {
    fprintf(stderr, "bench_compact: see the head of bench/compact.c\n");
    return 2;
  }
  for (size_t i = 0; i < b.n_batches; i++) skep_vec_fini(&b.batches[i].root);
  free(b.batches);
  skep_fs_free(b.fs);
  skep_arena_fini(&b.arena);
  return 0;
}
