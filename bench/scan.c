/* The benchmark's reader: scans a table through the public C API as Arrow record batches, or walks a directory tree.
 *
 *   bench_scan [--threads N] [--columns a,b] [--where PRED] [--repeat N] [--snapshot IDS --valid-txns TXNS] PATH...
 *       one line a repetition: rows, seconds (wall), seconds (processor), peak resident memory in KiB
 *   bench_scan --plan PATH     plans a table (no rows are read): seconds
 *   bench_scan --walk PATH     names every file below PATH, nothing else: what planning is measured against */
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "skep/table.h"

enum { MAX_COLUMNS = 64 };

static double seconds(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const char *what, const char *why) {
  fprintf(stderr, "bench_scan: %s: %s\n", what, why);
  exit(1);
}

/* Entries below a directory, by readdir alone. */
static size_t walk(const char *path) {
  DIR *dir = opendir(path);
  if (dir == NULL) die(path, "cannot be listed");
  size_t n = 0;
  struct dirent *entry;
  while ((entry = readdir(dir)) != NULL) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    n++;
    if (entry->d_type != DT_DIR) continue;
    char below[4096];
    snprintf(below, sizeof below, "%s/%s", path, entry->d_name);
    n += walk(below);
  }
  closedir(dir);
  return n;
}

static int64_t drain(struct ArrowArrayStream *stream) {
  int64_t rows = 0;
  for (;;) {
    struct ArrowArray batch = {0};
    if (stream->get_next(stream, &batch) != 0) die("scan", stream->get_last_error(stream));
    if (batch.release == NULL) return rows;
    rows += batch.length;
    batch.release(&batch);
  }
}

static int64_t scan(const char *const *paths, size_t n_paths, const skep_table_opts *opts, bool plan_only) {
  skep_err err;
  skep_table *table;
  if (skep_table_open(paths, n_paths, opts, &table, &err) != SKEP_OK) die(paths[0], err.text);
  int64_t rows = 0;
  if (!plan_only) {
    struct ArrowArrayStream stream;
    if (skep_table_stream(table, &stream, &err) != SKEP_OK) die(paths[0], err.text);
    rows = drain(&stream);
    stream.release(&stream);
  }
  skep_table_close(table);
  return rows;
}

int main(int argc, char **argv) {
  skep_table_opts opts = SKEP_TABLE_OPTS_INIT;
  const char *columns[MAX_COLUMNS];
  const char *paths[256];
  size_t n_paths = 0;
  int repeat = 1;
  bool plan_only = false, walk_only = false;
  opts.flags = SKEP_EVERYTHING_COMMITTED;
  opts.read.threads = 1;
  for (int i = 1; i < argc; i++) {
    const char *word = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
    if (strcmp(word, "--threads") == 0) {
      opts.read.threads = (uint32_t)strtoul(value, NULL, 10), i++;
    } else if (strcmp(word, "--repeat") == 0) {
      repeat = (int)strtol(value, NULL, 10), i++;
    } else if (strcmp(word, "--where") == 0) {
      opts.predicate = value, i++;
    } else if (strcmp(word, "--snapshot") == 0) {
      opts.snapshot = value, opts.flags = 0, i++;
    } else if (strcmp(word, "--valid-txns") == 0) {
      opts.valid_txns = value, i++;
    } else if (strcmp(word, "--columns") == 0) {
      char *list = strdup(value), *rest = list, *name;
      while ((name = strsep(&rest, ",")) != NULL && opts.n_columns < MAX_COLUMNS) columns[opts.n_columns++] = name;
      opts.columns = columns, i++;
    } else if (strcmp(word, "--plan") == 0) {
      plan_only = true;
    } else if (strcmp(word, "--walk") == 0) {
      walk_only = true;
    } else if (n_paths < 256) {
      paths[n_paths++] = word;
    }
  }
  if (n_paths == 0) die("usage", "no path");
  for (int i = 0; i < repeat; i++) {
    double wall = seconds(CLOCK_MONOTONIC), cpu = seconds(CLOCK_PROCESS_CPUTIME_ID);
    int64_t rows = walk_only ? (int64_t)walk(paths[0]) : scan(paths, n_paths, &opts, plan_only);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%lld %.6f %.6f %ld\n", (long long)rows, seconds(CLOCK_MONOTONIC) - wall,
           seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu, usage.ru_maxrss);
    fflush(stdout);
  }
  return 0;
}
