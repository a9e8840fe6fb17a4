/* The rows of an ORC file in memory, for programs that write them. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include <stdio.h>
#include <stdlib.h>

#include "acid/plan.h"
#include "acid/scan.h"
#include "io/posix.h"

typedef struct bench_rows {
  skep_ctx ctx;
  skep_fs *fs;
  skep_arena arena;
  skep_batch *batches;
  size_t n_batches;
  const skep_type *type;
  skep_err err;
} bench_rows;

static inline void bench_check(skep_status status, const bench_rows *b) {
  if (status == SKEP_OK) return;
  fprintf(stderr, "%s: %s\n", skep_status_name(status), b->err.text);
  exit(1);
}

static inline void bench_rows_open(bench_rows *b) {
  *b = (bench_rows){.n_batches = 0};
  skep_ctx_init(&b->ctx);
  skep_arena_init(&b->arena, &b->ctx, SIZE_MAX);
  bench_check(skep_fs_posix_new(&b->ctx, &b->fs, &b->err), b);
}

/* The file's type, and its rows in at most `most` batches of batch_rows, in the forms of column/source.h. */
static inline void bench_rows_load(bench_rows *b, const char *file, int64_t batch_rows, size_t most,
                                   bool keep_dictionaries) {
  const skep_forms forms = {SKEP_FORM_BOOL_BYTES, SKEP_FORM_TS, SKEP_FORM_VIEW, keep_dictionaries, true};
  const skep_plan_opts opts = {.evolution_by_name = -1, .calendar = -1, .snapshot = {.everything = true}};
  skep_plan *plan;
  skep_scan_cache *cache;
  bench_check(skep_plan_make(&b->ctx, b->fs, &file, 1, &opts, &plan, &b->err), b);
  bench_check(skep_scan_cache_new(&b->ctx, b->fs, &cache, &b->err), b);
  bench_check(skep_type_copy(&b->arena, plan->type, &b->type, &b->err), b);
  b->batches = calloc(most + 1, sizeof *b->batches);
  for (uint32_t i = 0; i < plan->n_splits && b->n_batches < most; i++) {
    skep_scan *scan;
    bench_check(skep_scan_open(cache, &plan->splits[i], &forms, &scan, &b->err), b);
    while (b->n_batches < most) {
      skep_batch *batch = &b->batches[b->n_batches];
      bench_check(skep_vec_init(&batch->root, &b->ctx, b->type, &forms, &b->err), b);
      skep_status status = skep_scan_next(scan, batch_rows, batch, &b->err);
      if (status == SKEP_END) {
        skep_vec_fini(&batch->root);
        break;
      }
      bench_check(status, b);
      b->n_batches++;
    }
    skep_scan_close(scan);
  }
  skep_scan_cache_free(cache);
  skep_plan_free(plan);
}

static inline void bench_rows_close(bench_rows *b) {
  for (size_t i = 0; i < b->n_batches; i++) skep_vec_fini(&b->batches[i].root);
  free(b->batches);
  skep_fs_free(b->fs);
  skep_arena_fini(&b->arena);
}

#endif
