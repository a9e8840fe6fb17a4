/* Whole commits a second: INSERT of ten rows through a session, each safe on disk when it returns; beside it, in the
 * same rounds, the bare sequence of writes and syncs that such a commit needs: directory, data file, version file,
 * their syncs, the metastore's log and its sync, with as many bytes. bench_commits DIRECTORY [COMMITS [ROUNDS]] */
#include <string.h>

#include "bench.h"
#include "io/posix.h"
#include "sql/session.h"

static void run(skep_session *s, const char *sql) {
  skep_err err = {0};
  skep_result *result = NULL;
  if (skep_session_run(s, sql, strlen(sql), &result, &err) != SKEP_OK) {
    fprintf(stderr, "%s: %s\n", sql, err.text);
    exit(1);
  }
  skep_result_free(result);
}

static void insert_ten(skep_session *s, int64_t i) {
  char sql[1000];
  int n = snprintf(sql, sizeof sql, "INSERT INTO t VALUES ");
  for (int k = 0; k < 10; k++)
    n += snprintf(sql + n, sizeof sql - (size_t)n, "%s(%" PRId64 ", 'row %d', %d.25)", k == 0 ? "" : ", ", i * 10 + k,
                  k, k);
  run(s, sql);
}

static off_t size_of(const char *dir, const char *name) {
  char path[1200];
  struct stat st;
  snprintf(path, sizeof path, "%s/%s", dir, name);
  return stat(path, &st) == 0 ? st.st_size : 0;
}

typedef struct bare {
  char dir[1000];
  int root, log;
  off_t at;
  void *bytes;
  size_t file_bytes, log_bytes;
} bare;

static void bare_commit(bare *b, int64_t write_id) {
  bench_delta d = bench_delta_make(b->dir, write_id, b->bytes, b->file_bytes);
  size_t half = b->log_bytes / 2; /* one transaction begins, unsynced, the other commits */
  if (pwrite(b->log, b->bytes, half, b->at) != (ssize_t)half || fsync(d.file) != 0 || fsync(d.dir) != 0 ||
      fsync(b->root) != 0 ||
      pwrite(b->log, b->bytes, b->log_bytes - half, b->at + (off_t)half) != (ssize_t)(b->log_bytes - half) ||
      fdatasync(b->log) != 0)
    bench_die(b->dir);
  b->at = b->at > 16 << 20 ? 0 : b->at + (off_t)b->log_bytes;
  bench_delta_close(d);
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "usage: %s DIRECTORY [COMMITS [ROUNDS]]\n", argv[0]), 2;
  long commits = argc > 2 ? strtol(argv[2], NULL, 10) : 1000, rounds = argc > 3 ? strtol(argv[3], NULL, 10) : 3;
  char warehouse[1000], log_path[1200];
  snprintf(warehouse, sizeof warehouse, "%s/bench_commits", argv[1]);
  snprintf(log_path, sizeof log_path, "%s/bench_commits.log", argv[1]);
  skep_ctx ctx;
  skep_fs *fs;
  skep_session *s;
  skep_err err = {0};
  bare b = {.at = 0};
  skep_ctx_init(&ctx);
  if (skep_fs_posix_new(&ctx, &fs, &err) != SKEP_OK) bench_die(err.text);
  const skep_session_opts opts = {.ctx = &ctx, .fs = fs, .warehouse_dir = warehouse};
  if (skep_session_open(&opts, &s, &err) != SKEP_OK) bench_die(err.text);
  run(s, "CREATE TABLE t (id BIGINT, name STRING, x DOUBLE)");
  int64_t next = 1;
  for (; next <= 10; next++) insert_ten(s, next);
  off_t before = size_of(warehouse, "metastore.sqlite-wal");
  for (; next <= 30; next++) insert_ten(s, next);
  off_t after = size_of(warehouse, "metastore.sqlite-wal");
  b.log_bytes = after > before ? (size_t)(after - before) / 20 : 44000;
  b.file_bytes = (size_t)size_of(warehouse, "t/delta_0000020_0000020_0000/bucket_00000");
  b.bytes = calloc(1, b.log_bytes + b.file_bytes);
  snprintf(b.dir, sizeof b.dir, "%s/bench_commits.bare", argv[1]);
  if (b.bytes == NULL || mkdir(b.dir, 0777) != 0) bench_die(b.dir);
  b.root = open(b.dir, O_RDONLY | O_DIRECTORY);
  b.log = open(log_path, O_RDWR | O_CREAT, 0600);
  if (b.root < 0 || b.log < 0) bench_die(log_path);
  printf("bytes a commit: data file %zu, log %zu\n", b.file_bytes, b.log_bytes);
  int64_t bare_next = 1;
  for (long r = 0; r < rounds; r++) {
    double start = bench_now();
    for (long i = 0; i < commits; i++) bare_commit(&b, bare_next++);
    double middle = bench_now();
    for (long i = 0; i < commits; i++) insert_ten(s, next++);
    double end = bench_now();
    printf("whole commits/s %.0f, bare %.0f, ratio %.2f\n", (double)commits / (end - middle),
           (double)commits / (middle - start), (middle - start) / (end - middle));
    fflush(stdout);
  }
  skep_session_close(s);
  skep_fs_free(fs);
  free(b.bytes);
  return 0;
}
