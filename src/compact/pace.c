/* Progress, cancelling and the bandwidth limit of a run. */
#include "compact/compact_int.h"

enum { REPORT_EVERY_NS = 100 * 1000 * 1000, NAP_MS = 50 };

void skep_compact_pace_init(skep_compact_pace *pace, const skep_ctx *ctx, const skep_compact_job *job,
                            uint64_t bytes_all) {
  *pace = (skep_compact_pace){.ctx = ctx, .job = job, .so_far = {.bytes_all = bytes_all}};
  pthread_mutex_init(&pace->lock, NULL);
  pace->started_ns = pace->reported_ns = ctx->monotonic_ns(ctx->clock_self);
}

void skep_compact_pace_fini(skep_compact_pace *pace) {
  if (pace->ctx != NULL) pthread_mutex_destroy(&pace->lock);
}

static skep_status check(const skep_compact_pace *pace, const skep_cancel *other, skep_err *err) {
  SKEP_TRY(skep_cancel_check(pace->job->cancel, err));
  return skep_cancel_check(other, err);
}

/* Waits until so many bytes may have been written since the start. */
static skep_status wait_for_turn(skep_compact_pace *pace, uint64_t written, const skep_cancel *other, skep_err *err) {
  const skep_ctx *ctx = pace->ctx;
  uint64_t limit = pace->job->max_bytes_per_second;
  if (limit == 0) return SKEP_OK;
  double due_ns = (double)written / (double)limit * 1e9;
  for (;;) {
    double ahead_ms = (due_ns - (double)(ctx->monotonic_ns(ctx->clock_self) - pace->started_ns)) / 1e6;
    if (ahead_ms < 1) return SKEP_OK;
    SKEP_TRY(check(pace, other, err));
    ctx->sleep_ms(ctx->clock_self, ahead_ms < NAP_MS ? (int64_t)ahead_ms : NAP_MS);
  }
}

skep_status skep_compact_pace_add(skep_compact_pace *pace, uint64_t rows, uint64_t bytes_read, uint64_t bytes_written,
                                  const skep_cancel *other, skep_err *err) {
  const skep_compact_job *job = pace->job;
  SKEP_TRY(check(pace, other, err));
  int64_t now = pace->ctx->monotonic_ns(pace->ctx->clock_self);
  pthread_mutex_lock(&pace->lock);
  skep_compact_progress *p = &pace->so_far;
  p->rows += rows;
  p->bytes_done += bytes_read;
  if (p->bytes_done > p->bytes_all) p->bytes_done = p->bytes_all;
  p->bytes_written += bytes_written;
  p->elapsed_ns = now - pace->started_ns;
  skep_compact_progress copy = *p;
  bool report = job->progress != NULL && !pace->is_reporting && now - pace->reported_ns >= REPORT_EVERY_NS;
  if (report) {
    pace->is_reporting = true;
    pace->reported_ns = now;
  }
  pthread_mutex_unlock(&pace->lock);
  if (report) {
    skep_status status = job->progress(job->progress_self, &copy, err);
    pthread_mutex_lock(&pace->lock);
    pace->is_reporting = false;
    pthread_mutex_unlock(&pace->lock);
    if (status != SKEP_OK) return status;
  }
  return wait_for_turn(pace, copy.bytes_written, other, err);
}
