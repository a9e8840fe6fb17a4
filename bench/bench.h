/* What the programs of the benchmark share: time, and the files of a small commit by system calls alone. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static inline double bench_seconds(clockid_t clock) {
  struct timespec t;
  (void)clock_gettime(clock, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double bench_now(void) { return bench_seconds(CLOCK_MONOTONIC); }

static inline _Noreturn void bench_die(const char *what) {
  perror(what);
  exit(1);
}

/* A new delta directory with its version file and a data file of these bytes, open and not synced. */
typedef struct bench_delta {
  int dir, version, file;
} bench_delta;

static inline bench_delta bench_delta_make(const char *table, int64_t write_id, const void *bytes, size_t size) {
  char path[1100];
  snprintf(path, sizeof path, "%s/delta_%07" PRId64 "_%07" PRId64 "_0000", table, write_id, write_id);
  if (mkdir(path, 0777) != 0) bench_die(path);
  bench_delta d = {.dir = open(path, O_RDONLY | O_DIRECTORY)};
  d.version = openat(d.dir, "_orc_acid_version", O_WRONLY | O_CREAT | O_EXCL, 0666);
  d.file = openat(d.dir, "bucket_00000", O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (d.dir < 0 || d.version < 0 || d.file < 0 || write(d.version, "2", 1) != 1 ||
      write(d.file, bytes, size) != (ssize_t)size)
    bench_die(path);
  return d;
}

static inline void bench_delta_close(bench_delta d) {
  close(d.version);
  close(d.file);
  close(d.dir);
}

#endif
