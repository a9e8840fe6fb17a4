/* Runs the file work of one compaction on a directory, without a database: for golden_compaction.py and by hand.
 *
 * usage: compact_dir KIND ROOT COLUMNS WRITE_IDS TXNS OWN_TXN [option=value...]
 * KIND: minor, major, rebalance, incremental; COLUMNS: struct<...>; options: insert_only, text, query, by_name,
 * no_copy, buckets=N, min=N, max=N, threads=N, limit=BYTES; any "orc.*" property. Prints what was made. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compact/run.h"
#include "io/posix.h"

enum { MAX_PROPERTIES = 32 };

static int fail(const char *text) {
  fprintf(stderr, "compact_dir: %s\n", text);
  return 1;
}

static bool set_kind(skep_compact_job *job, const char *text) {
  static const char *const names[] = {"minor", "major", "rebalance", "incremental"};
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (strcmp(text, names[i]) != 0) continue;
    job->kind = (skep_compact_kind)i;
    return true;
  }
  return false;
}

static void set_option(skep_compact_job *job, const char *name, const char *value) {
  long long number = strtoll(value, NULL, 10);
  if (strcmp(name, "insert_only") == 0) job->insert_only = true;
  if (strcmp(name, "text") == 0) job->format = SKEP_COMPACT_TEXT;
  if (strcmp(name, "files") == 0) job->format = SKEP_COMPACT_FILES;
  if (strcmp(name, "query") == 0) job->query_names = true;
  if (strcmp(name, "by_name") == 0) job->evolution_by_name = true;
  if (strcmp(name, "no_copy") == 0) job->no_stripe_copy = true;
  if (strcmp(name, "buckets") == 0) job->rebalance_buckets = (uint32_t)number;
  if (strcmp(name, "min") == 0) job->min_write_id = number;
  if (strcmp(name, "max") == 0) job->max_write_id = number;
  if (strcmp(name, "threads") == 0) job->threads = (unsigned)number;
  if (strcmp(name, "limit") == 0) job->max_bytes_per_second = (uint64_t)number;
  if (strcmp(name, "memory") == 0) job->memory_bytes = (uint64_t)number;
}

static int run(const skep_ctx *ctx, skep_compact_job *job) {
  skep_arena arena;
  skep_err err = {.status = SKEP_OK};
  skep_compact_result r;
  skep_arena_init(&arena, ctx, SIZE_MAX);
  int64_t start = ctx->monotonic_ns(ctx->clock_self);
  skep_status status = skep_compact_run(ctx, job, &arena, &r, &err);
  double seconds = (double)(ctx->monotonic_ns(ctx->clock_self) - start) / 1e9;
  if (status != SKEP_OK) {
    fprintf(stderr, "compact_dir: %s: %s\n", skep_status_name(status), err.text);
  } else if (r.nothing_to_do) {
    printf("nothing\t%s\n", r.reason);
  } else {
    for (uint32_t i = 0; i < r.n_dirs; i++) printf("dir\t%s\n", r.dirs[i]);
    printf("rows\t%" PRIu64 "\ndeletes\t%" PRIu64 "\nfiles\t%" PRIu32 "\nread\t%" PRIu64 "\nwritten\t%" PRIu64
           "\ncopied\t%" PRIu64 "\nhighest\t%" PRId64 "\nseconds\t%.3f\n",
           r.rows, r.deletes, r.n_files, r.bytes_read, r.bytes_written, r.bytes_copied, r.max_write_id, seconds);
  }
  skep_arena_fini(&arena);
  return status == SKEP_OK ? 0 : 1;
}

int main(int argc, char **argv) {
  skep_ctx ctx;
  skep_err err;
  skep_arena arena;
  skep_property properties[MAX_PROPERTIES];
  skep_compact_job job = {.properties = properties};
  if (argc < 7 || !set_kind(&job, argv[1])) return fail("KIND ROOT COLUMNS WRITE_IDS TXNS OWN_TXN [option=value...]");
  skep_ctx_init(&ctx);
  skep_arena_init(&arena, &ctx, SIZE_MAX);
  if (skep_fs_posix_new(&ctx, &job.fs, &err) != SKEP_OK) return fail(err.text);
  if (skep_type_parse(&arena, argv[3], strlen(argv[3]), &job.row, &err) != SKEP_OK) return fail(err.text);
  job.root = argv[2];
  job.write_ids = argv[4];
  job.txns = argv[5];
  job.visibility_txn = strtoll(argv[6], NULL, 10);
  for (int i = 7; i < argc; i++) {
    char *value = strchr(argv[i], '=');
    if (value != NULL) *value++ = '\0';
    if (strncmp(argv[i], "orc.", 4) == 0 && job.n_properties < MAX_PROPERTIES) {
      properties[job.n_properties++] = (skep_property){argv[i], value == NULL ? "" : value};
    } else {
      set_option(&job, argv[i], value == NULL ? "1" : value);
    }
  }
  int code = run(&ctx, &job);
  skep_fs_free(job.fs);
  skep_arena_fini(&arena);
  return code;
}
