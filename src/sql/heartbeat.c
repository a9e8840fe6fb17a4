/* Heartbeats: see heartbeat.h. Source: txn-protocol 5.1: a beat every hive.txn.timeout / 2.
 *
 * Whoever reaps compares wall clocks, so these decide when a beat is due. The thread looks every two seconds or more
 * often: a clock that stood still while the machine was suspended cannot let it sleep on. */
#include "sql/heartbeat.h"

#include <pthread.h>
#include <time.h>

#include "sql/transaction.h"

enum { MAX_NAP_MS = 2000, UNKNOWN_TIMEOUT_MS = 10000 };

struct skep_heartbeat {
  const skep_ctx *ctx;
  char *url;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  /* under the lock */
  int64_t txn;
  int64_t timeout_ms; /* of txn */
  int64_t last_ms;    /* its latest beat, by the wall clock */
  bool idle;          /* the thread waits for a transaction */
  bool stop;
  skep_db *db; /* the thread's own; opened with the first beat */
};

/* Until there is a transaction, and then for a nap: less than a quarter of the time-out. */
static void rest(skep_heartbeat *h) {
  h->idle = true;
  while (h->txn == 0 && !h->stop) (void)pthread_cond_wait(&h->wake, &h->lock);
  h->idle = false;
  if (h->stop) return;
  int64_t nap_ms = h->timeout_ms / 4 < MAX_NAP_MS ? h->timeout_ms / 4 : MAX_NAP_MS;
  struct timespec until;
  (void)clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (time_t)(nap_ms / 1000);
  until.tv_nsec += (long)(nap_ms % 1000) * 1000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    until.tv_sec++;
  }
  (void)pthread_cond_timedwait(&h->wake, &h->lock, &until); /* waking up early does no harm */
}

/* True: said, or there is nothing to say any more. */
static bool beat(skep_heartbeat *h, int64_t txn) {
  const skep_db_opts opts = {.busy_wait_ms = 10000, .checkpoint_pages = 4000};
  skep_err err;
  skep_status st = h->db == NULL ? skep_db_open(h->ctx, h->url, &opts, &h->db, &err) : SKEP_OK;
  if (st == SKEP_OK) st = skep_txn_heartbeat(h->db, &txn, 1, &err);
  /* a transaction that has just ended, or was aborted: its owner finds out by itself */
  if (st == SKEP_OK || st == SKEP_ERR_NOT_FOUND || st == SKEP_ERR_ABORTED) return true;
  skep_log(h->ctx, SKEP_LOG_WARN, "heartbeat of transaction %lld: %s", (long long)txn, err.text);
  return false;
}

static void *beats(void *self) {
  skep_heartbeat *h = self;
  pthread_mutex_lock(&h->lock);
  for (rest(h); !h->stop; rest(h)) {
    int64_t txn = h->txn, now = h->ctx->clock_ms(h->ctx->clock_self);
    if (txn == 0 || (now >= h->last_ms && now - h->last_ms < h->timeout_ms / 2)) continue;
    pthread_mutex_unlock(&h->lock);
    bool done = beat(h, txn);
    pthread_mutex_lock(&h->lock);
    if (done && h->txn == txn) h->last_ms = now;
  }
  pthread_mutex_unlock(&h->lock);
  return NULL;
}

static int init_lock(skep_heartbeat *h) {
  pthread_condattr_t monotonic;
  if (pthread_mutex_init(&h->lock, NULL) != 0) return -1;
  if (pthread_condattr_init(&monotonic) != 0) return -1;
  (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  int failed = pthread_cond_init(&h->wake, &monotonic);
  (void)pthread_condattr_destroy(&monotonic);
  return failed;
}

static void start(skep_session *s) {
  skep_heartbeat *h = skep_alloc_zero(s->ctx, 1, sizeof *h);
  const char *url = skep_db_url(s->db);
  if (h == NULL) return;
  h->ctx = s->ctx;
  h->url = skep_strndup(s->ctx, url, strlen(url));
  if (h->url != NULL && init_lock(h) == 0 && pthread_create(&h->thread, NULL, beats, h) == 0) {
    s->heartbeat = h;
    return;
  }
  skep_release(s->ctx, h->url);
  skep_release(s->ctx, h);
}

/* The shorter one of the own time-out and that in force. */
static int64_t timeout_of(skep_session *s) {
  int64_t own = skep_transaction_conf(s).timeout_ms, agreed;
  if (skep_txn_timeout(s->db, &agreed, NULL) != SKEP_OK) agreed = UNKNOWN_TIMEOUT_MS;
  return own > 0 && own < agreed ? own : agreed;
}

void skep_heartbeat_watch(skep_session *s, int64_t txn) {
  int64_t timeout_ms = txn != 0 ? timeout_of(s) : 0;
  if (s->heartbeat == NULL && txn != 0) start(s);
  skep_heartbeat *h = s->heartbeat;
  if (h == NULL) return;
  pthread_mutex_lock(&h->lock);
  bool sooner = h->idle || timeout_ms < h->timeout_ms;
  h->txn = txn;
  if (txn != 0) {
    h->timeout_ms = timeout_ms;
    h->last_ms = s->ctx->clock_ms(s->ctx->clock_self);
    if (sooner) pthread_cond_signal(&h->wake);
  }
  pthread_mutex_unlock(&h->lock);
}

void skep_heartbeat_stop(skep_session *s) {
  skep_heartbeat *h = s->heartbeat;
  if (h == NULL) return;
  pthread_mutex_lock(&h->lock);
  h->stop = true;
  pthread_cond_signal(&h->wake);
  pthread_mutex_unlock(&h->lock);
  pthread_join(h->thread, NULL);
  skep_db_close(h->db);
  pthread_mutex_destroy(&h->lock);
  pthread_cond_destroy(&h->wake);
  skep_release(s->ctx, h->url);
  skep_release(s->ctx, h);
  s->heartbeat = NULL;
}
