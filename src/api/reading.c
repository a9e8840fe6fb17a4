/* The shared part of tables and streams: options become a context, forms and limits. */
#include "api/reading.h"

#include <string.h>

#include "base/pool.h"
#include "io/posix.h"

enum { DEFAULT_BATCH_ROWS = 16384, MAX_BATCH_ROWS = 1 << 20, MAX_ARENA_BYTES = 1 << 30, MAX_KEEPING_THREADS = 64 };

/* Buffers that consumers gave back and the next batches will need. */
#define KEPT_BYTES ((size_t)8 << 20)
#define KEPT_BYTES_PER_THREAD ((size_t)4 << 20)

static void forward_log(void *self, skep_log_level level, const char *line) {
  const skep_reading *r = self;
  if (level >= SKEP_LOG_WARN) r->read.warn(r->read.warn_self, line);
}

/* Options of a caller that was compiled against an older header are shorter: the rest has its defaults. */
static skep_status take_opts(skep_reading *r, const skep_read_opts *opts, skep_err *err) {
  r->read = (skep_read_opts)SKEP_READ_OPTS_INIT;
  if (opts != NULL) {
    if (opts->size < sizeof opts->size || opts->size > sizeof *opts) {
      return skep_fail(err, SKEP_ERR_ARGUMENT, "read options of %zu bytes: not made with SKEP_READ_OPTS_INIT",
                       opts->size);
    }
    memcpy(&r->read, opts, opts->size);
  }
  skep_read_opts *o = &r->read;
  if (o->batch_rows == 0) o->batch_rows = DEFAULT_BATCH_ROWS;
  if (o->batch_rows < 0 || o->batch_rows > MAX_BATCH_ROWS) {
    return skep_fail(err, SKEP_ERR_ARGUMENT, "batch_rows %lld is not from 1 to %d", (long long)o->batch_rows,
                     MAX_BATCH_ROWS);
  }
  if (o->time_unit != SKEP_TIME_US && o->time_unit != SKEP_TIME_NS) {
    return skep_fail(err, SKEP_ERR_ARGUMENT, "unknown time unit %d", (int)o->time_unit);
  }
  if (o->threads == 0) o->threads = skep_cpu_count();
  r->forms = (skep_forms){.timestamp = o->time_unit == SKEP_TIME_NS ? SKEP_FORM_TS_NS : SKEP_FORM_TS_US,
                          .keep_dictionaries = (o->flags & SKEP_KEEP_DICTIONARIES) != 0};
  switch (o->utf8) {
    case SKEP_UTF8_POLICY_REPLACE:
      r->utf8 = SKEP_UTF8_REPLACE;
      return SKEP_OK;
    case SKEP_UTF8_POLICY_FAIL:
      r->utf8 = SKEP_UTF8_FAIL;
      return SKEP_OK;
    case SKEP_UTF8_POLICY_AS_IS:
      r->utf8 = SKEP_UTF8_AS_IS;
      return SKEP_OK;
    default:
      return skep_fail(err, SKEP_ERR_ARGUMENT, "unknown UTF-8 policy %d", (int)o->utf8);
  }
}

static void set_limit(uint64_t given, uint64_t *limit) {
  if (given != 0) *limit = given;
}

skep_status skep_reading_new(const skep_read_opts *opts, skep_reading **out, skep_err *err) {
  *out = NULL;
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_reading *r = skep_alloc_zero(&ctx, 1, sizeof *r);
  if (r == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory to open a table");
  r->references = 1;
  r->ctx = ctx;
  skep_arena_init(&r->arena, &r->ctx, MAX_ARENA_BYTES);
  skep_status status = take_opts(r, opts, err);
  if (status == SKEP_OK) {
    const skep_table_limits *l = &r->read.limits;
    set_limit(l->max_tail_bytes, &r->ctx.limits.max_tail_bytes);
    set_limit(l->max_value_bytes, &r->ctx.limits.max_value_bytes);
    set_limit(l->max_batch_bytes, &r->ctx.limits.max_batch_bytes);
    set_limit(l->max_delete_bytes, &r->ctx.limits.max_delete_bytes);
    set_limit(l->max_dir_entries, &r->ctx.limits.max_dir_entries);
    if (r->read.warn != NULL) {
      r->ctx.log = forward_log;
      r->ctx.log_self = r;
      r->ctx.log_level = SKEP_LOG_WARN;
    }
    size_t threads = r->read.threads < MAX_KEEPING_THREADS ? r->read.threads : MAX_KEEPING_THREADS;
    status = skep_recycler_new(&ctx.allocator, KEPT_BYTES + threads * KEPT_BYTES_PER_THREAD, &r->recycler, err);
  }
  if (status == SKEP_OK) {
    r->ctx.allocator = skep_recycler_allocator(r->recycler);
    status = skep_fs_posix_new(&r->ctx, &r->fs, err);
  }
  if (status == SKEP_OK) status = skep_scan_cache_new(&r->ctx, r->fs, &r->cache, err);
  if (status != SKEP_OK) {
    skep_reading_unref(r);
    return status;
  }
  *out = r;
  return SKEP_OK;
}

skep_reading *skep_reading_ref(skep_reading *reading) {
  __atomic_add_fetch(&reading->references, 1, __ATOMIC_RELAXED);
  return reading;
}

void skep_reading_unref(skep_reading *r) {
  if (r == NULL || __atomic_sub_fetch(&r->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  skep_scan_cache_free(r->cache);
  skep_plan_free(r->plan);
  skep_fs_free(r->fs);
  skep_arena_fini(&r->arena);
  skep_recycler_close(r->recycler);
  skep_ctx ctx; /* the reading itself came from malloc */
  skep_ctx_init(&ctx);
  skep_release(&ctx, r);
}
