/* Queries over a table through the engine: time of each, rows and a checksum of the result.
 *
 * query [-t THREADS] TABLE_DIR SQL...: in SQL the table is $T, a table function over the columns c0, c1, ...; results
 * are read as bigint columns. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "acid/plan.h"
#include "engine/engine.h"
#include "io/posix.h"
#include "table/scan.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void check(skep_status status, const skep_err *err) {
  if (status == SKEP_OK) return;
  fprintf(stderr, "%s\n", err->text);
  exit(1);
}

/* The columns of a directory's files. */
static const skep_type *columns_of(skep_ctx *ctx, skep_fs *fs, const char *dir, skep_plan **plan) {
  skep_err err;
  skep_plan_opts opts = {.snapshot = {.everything = true}, .evolution_by_name = -1, .calendar = -1};
  check(skep_plan_make(ctx, fs, &dir, 1, &opts, plan, &err), &err);
  return (*plan)->columns;
}

static void run(skep_engine *e, const char *sql, const skep_type *type) {
  skep_err err;
  skep_engine_result *r;
  const skep_batch *batch;
  skep_status status;
  uint64_t rows = 0, sum = 0;
  double start = now(), first = 0;
  check(skep_engine_query(e, sql, type, NULL, &r, &err), &err);
  while ((status = skep_engine_next(r, 1 << 20, &batch, &err)) == SKEP_OK) {
    if (rows == 0) first = now() - start;
    rows += (uint64_t)batch->root.length;
    const int64_t *v = batch->root.children[0].values.data;
    for (int64_t i = 0; type->n_children == 1 && i < batch->root.length; i++) sum += (uint64_t)v[i];
  }
  if (status != SKEP_END) check(status, &err);
  skep_engine_result_close(r);
  printf("%.3f s, first row %.3f s, %" PRIu64 " rows, sum %" PRIu64 "\n", now() - start, first, rows, sum);
}

int main(int argc, char **argv) {
  skep_ctx ctx;
  skep_fs *fs;
  skep_err err;
  skep_engine *e;
  skep_source *source;
  skep_plan *plan;
  uint64_t id;
  skep_engine_opts opts = {.threads = 1};
  double start = now();
  int at = 1;
  if (argc > 3 && strcmp(argv[1], "-t") == 0) {
    opts.threads = (uint32_t)strtoul(argv[2], NULL, 10);
    at = 3;
  }
  if (argc < at + 2) {
    fprintf(stderr, "usage: query [-t THREADS] TABLE_DIR SQL...\n");
    return 2;
  }
  skep_ctx_init(&ctx);
  check(skep_fs_posix_new(&ctx, &fs, &err), &err);
  skep_table_scan_partition root = {.location = argv[at]};
  skep_table_scan_opts scan = {.name = "t",
                               .kind = SKEP_TABLE_SCAN_FULL_ACID,
                               .columns = columns_of(&ctx, fs, argv[at], &plan),
                               .n_partitions = 1,
                               .partitions = &root};
  check(skep_table_source_new(&ctx, fs, &scan, &source, &err), &err);
  printf("%u columns, about %" PRIu64 " rows, planned in %.3f s\n", plan->columns->n_children, source->estimated_rows,
         now() - start);
  check(skep_engine_open(&ctx, &opts, &e, &err), &err);
  check(skep_engine_add_source(e, source, &id, &err), &err);
  skep_arena arena;
  skep_arena_init(&arena, &ctx, 1 << 20);
  const skep_type *type;
  check(skep_type_parse(&arena, "struct<n:bigint>", 16, &type, &err), &err);
  for (at++; at < argc; at++) {
    char sql[4000], name[40];
    const char *mark = strstr(argv[at], "$T");
    snprintf(name, sizeof name, "skep_source(%" PRIu64 ")", id);
    if (mark == NULL) {
      snprintf(sql, sizeof sql, "%s", argv[at]);
    } else {
      snprintf(sql, sizeof sql, "%.*s%s%s", (int)(mark - argv[at]), argv[at], name, mark + 2);
    }
    run(e, sql + (sql[0] == '*'), sql[0] == '*' ? plan->columns : type);
  }
  skep_engine_close(e);
  skep_plan_free(plan);
  skep_fs_free(fs);
  skep_arena_fini(&arena);
  return 0;
}
