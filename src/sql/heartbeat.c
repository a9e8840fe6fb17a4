/* Heartbeats: see heartbeat.h. Source: txn-protocol 5.1: a beat every hive.txn.timeout / 2. */
#include "sql/heartbeat.h"

#include <pthread.h>
#include <time.h>

struct skep_heartbeat {
  const skep_ctx *ctx;
  char *url;
  int64_t interval_ms;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  /* under the lock */
  int64_t txn;
  bool stop;
  skep_db *db; /* the thread's own; opened with the first beat */
};

/* Until the next beat, or the end. True: the end. */
static bool rest(skep_heartbeat *h) {
  struct timespec until;
  (void)clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += (time_t)(h->interval_ms / 1000);
  until.tv_nsec += (long)(h->interval_ms % 1000) * 1000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    until.tv_sec++;
  }
  while (!h->stop)
    if (pthread_cond_timedwait(&h->wake, &h->lock, &until) != 0) break;
  return h->stop;
}

static void beat(skep_heartbeat *h, int64_t txn) {
  const skep_db_opts opts = {.busy_wait_ms = 10000, .checkpoint_pages = 4000};
  skep_err err;
  skep_status st = h->db == NULL ? skep_db_open(h->ctx, h->url, &opts, &h->db, &err) : SKEP_OK;
  if (st == SKEP_OK) st = skep_txn_heartbeat(h->db, &txn, 1, &err);
  /* a transaction that has just ended, or was aborted: its owner finds out by itself */
  if (st != SKEP_OK && st != SKEP_ERR_NOT_FOUND && st != SKEP_ERR_ABORTED)
    skep_log(h->ctx, SKEP_LOG_WARN, "heartbeat of transaction %lld: %s", (long long)txn, err.text);
}

static void *beats(void *self) {
  skep_heartbeat *h = self;
  pthread_mutex_lock(&h->lock);
  while (!rest(h)) {
    int64_t txn = h->txn;
    if (txn == 0) continue;
    pthread_mutex_unlock(&h->lock);
    beat(h, txn);
    pthread_mutex_lock(&h->lock);
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
  int64_t timeout_ms = 0;
  if (h == NULL) return;
  h->ctx = s->ctx;
  h->url = skep_strndup(s->ctx, url, strlen(url));
  if (skep_config_ms(s->config, "hive.txn.timeout", &timeout_ms, NULL) != SKEP_OK || timeout_ms <= 1)
    timeout_ms = 300000;
  h->interval_ms = timeout_ms / 2;
  if (h->url != NULL && init_lock(h) == 0 && pthread_create(&h->thread, NULL, beats, h) == 0) {
    s->heartbeat = h;
    return;
  }
  skep_release(s->ctx, h->url);
  skep_release(s->ctx, h);
}

void skep_heartbeat_watch(skep_session *s, int64_t txn) {
  if (s->heartbeat == NULL && txn != 0) start(s);
  if (s->heartbeat == NULL) return;
  pthread_mutex_lock(&s->heartbeat->lock);
  s->heartbeat->txn = txn;
  pthread_mutex_unlock(&s->heartbeat->lock);
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
