/* A thread pool with a bounded queue, and the flag by which work is called off. One pool per owner, never a global one.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stdatomic.h>

#include "base/ctx.h"

/* A request to stop: made by anyone, also in a signal handler, and looked at by long work between steps. */
typedef struct skep_cancel {
  _Atomic bool asked;
} skep_cancel;

static inline void skep_cancel_ask(skep_cancel *cancel) {
  atomic_store_explicit(&cancel->asked, true, memory_order_release);
}
/* Accepts NULL: then nobody can ask. */
static inline bool skep_cancel_asked(const skep_cancel *cancel) {
  return cancel != NULL && atomic_load_explicit(&cancel->asked, memory_order_acquire);
}
/* SKEP_ERR_CANCELLED when it was asked. */
SKEP_NODISCARD skep_status skep_cancel_check(const skep_cancel *cancel, skep_err *err);

typedef struct skep_pool skep_pool;

/* One piece of work. Every task that was submitted is called exactly once, so that what `self` owns has one place to be
 * freed; when `cancel` is asked already it should do no more than that. It must not submit to, or wait for, its own
 * pool. */
typedef skep_status skep_task(void *self, const skep_cancel *cancel, skep_err *err);

/* Starts 1 to SKEP_POOL_MAX_THREADS threads; they block all signals, which stay with the program's own threads. At most
 * `max_queued` (at least 1) tasks wait. */
enum { SKEP_POOL_MAX_THREADS = 1024 };
SKEP_NODISCARD skep_status skep_pool_new(const skep_ctx *ctx, unsigned n_threads, size_t max_queued, skep_pool **out,
                                         skep_err *err);

/* Hands a task over; waits while the queue is full. SKEP_ERR_CANCELLED: a task failed or the pool was cancelled; the
 * task was not taken and is still the caller's. */
SKEP_NODISCARD skep_status skep_pool_submit(skep_pool *pool, skep_task *task, void *self, skep_err *err);

/* Waits until every submitted task has returned. Gives the status and error of the one that failed first, or
 * SKEP_ERR_CANCELLED after skep_pool_cancel, and makes the pool ready for new work. */
SKEP_NODISCARD skep_status skep_pool_wait(skep_pool *pool, skep_err *err);

/* Asks all tasks to stop; returns at once. */
void skep_pool_cancel(skep_pool *pool);

/* Cancels, waits and frees. Accepts NULL. */
void skep_pool_free(skep_pool *pool);

/* Processors this process may run on; at least 1. */
unsigned skep_cpu_count(void);

#endif
