/* The pool: a ring of tasks under one lock. Tasks are large (a split, a row group), so one lock is no bottleneck. */
#include "base/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

typedef struct queued {
  skep_task *task;
  void *self;
} queued;

struct skep_pool {
  const skep_ctx *ctx;
  pthread_mutex_t lock; /* guards all below */
  pthread_cond_t work;  /* a task was queued, or the pool closes */
  pthread_cond_t room;  /* the queue has room */
  pthread_cond_t idle;  /* nothing is queued or running */
  queued *ring;
  size_t capacity, head, n_queued, n_running;
  bool closing;
  skep_status failure; /* of the first task that failed; SKEP_OK until then */
  skep_err failure_err;
  skep_cancel cancel;
  unsigned n_threads;
  pthread_t threads[];
};

skep_status skep_cancel_check(const skep_cancel *cancel, skep_err *err) {
  return skep_cancel_asked(cancel) ? skep_fail(err, SKEP_ERR_CANCELLED, "cancelled") : SKEP_OK;
}

unsigned skep_cpu_count(void) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1; /* more than CPU_SETSIZE processors */
  int n = CPU_COUNT(&set);
  return n < 1 ? 1 : (unsigned)n;
}

/* Runs one task without the lock, and notes its failure. Called and returns with the lock held. */
static void run_one(skep_pool *pool) {
  queued next = pool->ring[pool->head];
  pool->head = (pool->head + 1) % pool->capacity;
  pool->n_queued--;
  pool->n_running++;
  pthread_cond_signal(&pool->room);
  pthread_mutex_unlock(&pool->lock);
  skep_err err = {0};
  skep_status status = next.task(next.self, &pool->cancel, &err);
  pthread_mutex_lock(&pool->lock);
  pool->n_running--;
  if (status != SKEP_OK && pool->failure == SKEP_OK && !skep_cancel_asked(&pool->cancel)) {
    pool->failure = status;
    pool->failure_err = err;
    skep_cancel_ask(&pool->cancel);
    pthread_cond_broadcast(&pool->room);
  }
  if (pool->n_queued == 0 && pool->n_running == 0) pthread_cond_broadcast(&pool->idle);
}

static void *worker(void *self) {
  skep_pool *pool = self;
  pthread_mutex_lock(&pool->lock);
  for (;;) {
    while (pool->n_queued == 0 && !pool->closing) pthread_cond_wait(&pool->work, &pool->lock);
    if (pool->n_queued == 0) break;
    run_one(pool);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

/* Starts the threads with all signals blocked; pool->n_threads counts those that run. */
static skep_status start(skep_pool *pool, unsigned n_threads, skep_err *err) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = 0;
  while (pool->n_threads < n_threads && error == 0) {
    error = pthread_create(&pool->threads[pool->n_threads], NULL, worker, pool);
    if (error == 0) pool->n_threads++;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (error == 0) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_IO, "cannot start thread %u of %u: error %d", pool->n_threads + 1, n_threads, error);
}

skep_status skep_pool_new(const skep_ctx *ctx, unsigned n_threads, size_t max_queued, skep_pool **out, skep_err *err) {
  *out = NULL;
  if (n_threads == 0 || n_threads > SKEP_POOL_MAX_THREADS || max_queued == 0) {
    return skep_fail(err, SKEP_ERR_ARGUMENT,
                     "a pool of %u threads with %zu waiting tasks; 1 to %d threads, at least one task", n_threads,
                     max_queued, SKEP_POOL_MAX_THREADS);
  }
  skep_pool *pool = skep_alloc_zero(ctx, 1, sizeof *pool + n_threads * sizeof(pthread_t));
  queued *ring = skep_alloc_zero(ctx, max_queued, sizeof *ring);
  if (pool == NULL || ring == NULL) {
    skep_release(ctx, pool);
    skep_release(ctx, ring);
    return skep_fail(err, SKEP_ERR_NOMEM, "out of memory for a pool of %u threads", n_threads);
  }
  pool->ctx = ctx;
  pool->ring = ring;
  pool->capacity = max_queued;
  pthread_mutex_init(&pool->lock, NULL); /* default attributes: these cannot fail on Linux */
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->room, NULL);
  pthread_cond_init(&pool->idle, NULL);
  skep_status status = start(pool, n_threads, err);
  if (status != SKEP_OK) {
    skep_pool_free(pool);
    return status;
  }
  *out = pool;
  return SKEP_OK;
}

skep_status skep_pool_submit(skep_pool *pool, skep_task *task, void *self, skep_err *err) {
  pthread_mutex_lock(&pool->lock);
  while (pool->n_queued == pool->capacity && !skep_cancel_asked(&pool->cancel)) {
    pthread_cond_wait(&pool->room, &pool->lock);
  }
  skep_status status = skep_cancel_check(&pool->cancel, err);
  if (status == SKEP_OK) {
    pool->ring[(pool->head + pool->n_queued) % pool->capacity] = (queued){task, self};
    pool->n_queued++;
    pthread_cond_signal(&pool->work);
  }
  pthread_mutex_unlock(&pool->lock);
  return status;
}

skep_status skep_pool_wait(skep_pool *pool, skep_err *err) {
  pthread_mutex_lock(&pool->lock);
  while (pool->n_queued != 0 || pool->n_running != 0) pthread_cond_wait(&pool->idle, &pool->lock);
  skep_status status = pool->failure;
  if (status != SKEP_OK && err != NULL) *err = pool->failure_err;
  if (status == SKEP_OK) status = skep_cancel_check(&pool->cancel, err);
  pool->failure = SKEP_OK;
  atomic_store(&pool->cancel.asked, false);
  pthread_mutex_unlock(&pool->lock);
  return status;
}

void skep_pool_cancel(skep_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  skep_cancel_ask(&pool->cancel);
  pthread_cond_broadcast(&pool->room);
  pthread_mutex_unlock(&pool->lock);
}

void skep_pool_free(skep_pool *pool) {
  if (pool == NULL) return;
  skep_pool_cancel(pool);
  pthread_mutex_lock(&pool->lock);
  pool->closing = true;
  pthread_cond_broadcast(&pool->work);
  pthread_mutex_unlock(&pool->lock);
  for (unsigned i = 0; i < pool->n_threads; i++) pthread_join(pool->threads[i], NULL);
  pthread_cond_destroy(&pool->idle);
  pthread_cond_destroy(&pool->room);
  pthread_cond_destroy(&pool->work);
  pthread_mutex_destroy(&pool->lock);
  skep_release(pool->ctx, pool->ring);
  skep_release(pool->ctx, pool);
}
