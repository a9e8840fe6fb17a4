/* Transaction lives a second on SQLite: open, snapshot, write id, component, commit with the conflict check, synced.
 * Beside it the bare sequence that each of them needs: as many bytes appended to a file, and one fdatasync.
 *   bench_txn_lives DIRECTORY [LIVES [ROUNDS]] */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "db/schema.h"
#include "txn/txn.h"

static void die(const char *what, const skep_err *err) {
  char text[128];
  fprintf(stderr, "%s: %s\n", what, err != NULL ? err->text : strerror_r(errno, text, sizeof text));
  exit(1);
}

/* `op`: 'd' has a conflict check and a WRITE_SET row, 'i' has none, 0 is a reader. */
static double run_lives(skep_db *db, const skep_txn_conf *conf, char op, int n) {
  skep_err err = {0};
  double start = bench_now();
  for (int i = 0; i < n; i++) {
    skep_arena arena;
    skep_arena_init(&arena, skep_db_ctx(db), 1 << 24);
    skep_txn_table t = {.database = "sales", .table = "orders", .write = op};
    skep_txn txn;
    if (skep_txn_begin(db, conf, &arena, SKEP_TXN_DEFAULT, &t, 1, &txn, &err) != SKEP_OK) die("begin", &err);
    const skep_txn_component c = {"sales", "orders", "day=2026-11-30", op, t.write_id};
    if (skep_txn_commit(db, txn.id, &c, op != 0 ? 1 : 0, NULL, NULL, &err) != SKEP_OK) die("commit", &err);
    skep_arena_fini(&arena);
    if (i % 1000 == 999 && skep_txn_housekeep(db, conf, NULL, &err) != SKEP_OK) die("housekeep", &err);
  }
  return n / (bench_now() - start);
}

/* Appends to one file, over and over from its start: what a write-ahead log does. */
static double run_bare(const char *path, size_t bytes, int n) {
  int fd = open(path, O_RDWR | O_CREAT, 0600);
  char *block = calloc(1, bytes);
  if (fd < 0 || block == NULL) die(path, NULL);
  double start = bench_now();
  off_t at = 0;
  for (int i = 0; i < n; i++) {
    if (pwrite(fd, block, bytes, at) != (ssize_t)bytes || fdatasync(fd) != 0) die(path, NULL);
    at = at > 16 << 20 ? 0 : at + (off_t)bytes;
  }
  double rate = n / (bench_now() - start);
  free(block);
  close(fd);
  return rate;
}

/* Bytes that one life writes into the log, from a short run that ends before a checkpoint. */
static size_t bytes_a_life(skep_db *db, const skep_txn_conf *conf, char op, const char *wal) {
  struct stat before, after;
  skep_err err = {0};
  run_lives(db, conf, op, 1);
  if (skep_db_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", &err) != SKEP_OK) die("checkpoint", &err);
  if (stat(wal, &before) != 0) die(wal, NULL);
  run_lives(db, conf, op, 50);
  if (stat(wal, &after) != 0) die(wal, NULL);
  return (size_t)(after.st_size - before.st_size) / 50;
}

int main(int argc, char **argv) {
  if (argc < 2) return fprintf(stderr, "usage: %s DIRECTORY [LIVES [ROUNDS]]\n", argv[0]), 2;
  int lives = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 3000, rounds = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 3;
  char url[4096], wal[4096], file[4096];
  snprintf(url, sizeof url, "sqlite:%s/bench_txn.sqlite", argv[1]);
  snprintf(wal, sizeof wal, "%s/bench_txn.sqlite-wal", argv[1]);
  snprintf(file, sizeof file, "%s/bench_txn.bare", argv[1]);
  unlink(url + strlen("sqlite:"));
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_err err = {0};
  skep_db *db = NULL;
  if (skep_db_open(&ctx, url, NULL, &db, &err) != SKEP_OK) die("open", &err);
  if (skep_schema_init(db, "file:/warehouse", &err) != SKEP_OK) die("schema", &err);
  const skep_txn_conf conf = {.user = "bench", .host = "localhost"};
  size_t bytes = bytes_a_life(db, &conf, 'd', wal);
  printf("bytes a life\t%zu\n", bytes);
  for (int i = 0; i < rounds; i++) {
    double bare = run_bare(file, bytes, lives);
    double deletes = run_lives(db, &conf, 'd', lives), inserts = run_lives(db, &conf, 'i', lives);
    double readers = run_lives(db, &conf, 0, lives);
    printf("lives/s: update %.0f, insert %.0f, read %.0f; bare write and sync %.0f; update/bare %.2f\n", deletes,
           inserts, readers, bare, deletes / bare);
  }
  skep_db_close(db);
  unlink(url + strlen("sqlite:"));
  unlink(file);
  return 0;
}
