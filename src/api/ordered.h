/* Many threads, one order: runs the splits of a plan and hands out the results batch by batch, in the order of the
 * splits.
 *
 * Each batch passes two steps: decode (skep_scan_next, one thread a split at a time) and transform (the caller's
 * function: printing as text, moving out as Arrow), which any thread may do. So one large split keeps several threads
 * busy, and so do many small ones. What is in flight is bounded: a number of batches in all, half of which only the
 * first unfinished split may take, so that read-ahead can never starve what has to come next. */
#ifndef API_ORDERED_H
#define API_ORDERED_H

#include "acid/scan.h"

typedef struct skep_ordered skep_ordered;

typedef struct skep_ordered_opts {
  uint32_t n_threads; /* 0 or 1: no threads are made, skep_ordered_next does the work itself */
  int64_t batch_rows; /* rows a batch at most; 0 = 4096 */
  skep_forms forms;   /* what `transform` gets */
  size_t item_size;   /* bytes of one result; zeroed once, then reused from batch to batch */
  /* Turns a batch into a result. Called from many threads, with different batches and items. The batch may be emptied
   * (its buffers moved out); the item holds what an earlier batch left in it. Required. */
  skep_status (*transform)(void *self, skep_batch *batch, void *item, skep_err *err);
  void (*item_fini)(void *self, void *item); /* once an item, at close; also for one that no batch ever filled */
  /* Called by skep_ordered_next about every 100 ms while it waits, and between batches. False: SKEP_ERR_CANCELLED.
   * NULL: never. */
  bool (*tick)(void *self, const skep_ordered *ordered);
  void *self;
} skep_ordered_opts;

/* cache, splits and what opts->self points to are borrowed and must outlive the result. opts is copied. */
SKEP_NODISCARD skep_status skep_ordered_open(const skep_ctx *ctx, skep_scan_cache *cache, const skep_split *splits,
                                             uint32_t n_splits, const skep_ordered_opts *opts, skep_ordered **out,
                                             skep_err *err);

/* The next result, valid until the next call or close. SKEP_END after the last; errors come where they belong in the
 * order and are sticky. One thread at a time. */
SKEP_NODISCARD skep_status skep_ordered_next(skep_ordered *ordered, void **item, skep_err *err);

/* Stops and joins the threads. Accepts NULL. */
void skep_ordered_close(skep_ordered *ordered);

/* For progress; callable from `tick`. */
typedef struct skep_ordered_progress {
  uint32_t splits_done;
  uint64_t rows_read; /* from files, before deletes and predicate; of finished and of running splits */
} skep_ordered_progress;
skep_ordered_progress skep_ordered_progress_of(const skep_ordered *ordered);

#endif
