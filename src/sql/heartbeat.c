/* Heartbeats, progress, and what others want of our transactions: see heartbeat.h.
 *
 * Whoever reaps compares wall clocks, so these decide when a beat is due. The thread looks every second or more often:
 * a clock that stood still while the machine was suspended cannot let it sleep on.
 *
 * Locks: the thread's own (heartbeats->lock) is held while it touches a session, so that a session which leaves
 * (skep_heartbeat_stop) is not touched any more; never while it asks the database. A session's cancel_lock comes after
 * it. */
#include "sql/heartbeat.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "sql/transaction.h"
#include "txn/progress.h"

enum { MAX_NAP_MS = 1000, UNKNOWN_TIMEOUT_MS = 10000, QUIET_MS = 2000, TELL_MS = 5000, ARENA_BYTES = 1 << 22 };

/* One session's open transaction. Under the thread's lock. */
struct skep_heartbeat {
  skep_session *s;
  skep_heartbeats *in;
  skep_heartbeat *next;            /* of all that share the thread */
  int64_t txn;                     /* 0: none */
  char listed[SKEP_QUERY_ID_SIZE]; /* the query that the metastore names for txn: not SET or SHOW, which came later */
  int64_t timeout_ms;              /* of txn */
  int64_t last_ms;                 /* its latest beat, by the wall clock */
  int64_t begun_ms;                /* when the thread was told of it */
  int64_t told_ms;                 /* when it last said how far it is; 0: never */
  bool runs;                       /* a statement */
  uint64_t n_statements;
  bool is_lost; /* aborted by others: its owner was told */
  /* as of the last look */
  skep_txn_progress progress;
  uint64_t seen_statements, seen_activity;
  double seen_scanned;
};

struct skep_heartbeats {
  const skep_ctx *ctx;
  char *url;
  bool is_own; /* one session's: ends with it */
  bool is_running;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  /* under the lock */
  skep_heartbeat *first;
  bool idle; /* the thread waits for a transaction */
  bool stop;
  skep_db *db; /* the thread's own; opened with the first beat */
};

/* What is to be done for one transaction, taken out of the lock. */
typedef struct task {
  int64_t txn;
  bool beats, tells;
  skep_txn_progress progress;
} task;

/* --- when --- */

static bool any_open(const skep_heartbeats *h, int64_t *nap_ms) {
  bool any = false;
  *nap_ms = MAX_NAP_MS;
  for (const skep_heartbeat *w = h->first; w != NULL; w = w->next) {
    if (w->txn == 0) continue;
    any = true;
    if (w->timeout_ms / 4 < *nap_ms) *nap_ms = w->timeout_ms / 4;
  }
  return any;
}

/* Until there is a transaction, and then for a nap: less than a quarter of the shortest time-out. */
static void rest(skep_heartbeats *h) {
  int64_t nap_ms;
  h->idle = true;
  while (!any_open(h, &nap_ms) && !h->stop) (void)pthread_cond_wait(&h->wake, &h->lock);
  h->idle = false;
  if (h->stop) return;
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

/* What the session has done since the last look. */
static void look_at(skep_heartbeat *w, int64_t now) {
  skep_session *s = w->s;
  int64_t rows = (int64_t)__atomic_load_n(&s->written_rows, __ATOMIC_RELAXED);
  int64_t bytes = (int64_t)__atomic_load_n(&s->written_bytes, __ATOMIC_RELAXED);
  uint64_t activity = __atomic_load_n(&s->activity, __ATOMIC_RELAXED);
  double scanned = w->runs ? skep_session_progress(s) : 0;
  bool same = rows == w->progress.rows && bytes == w->progress.bytes && w->n_statements == w->seen_statements &&
              activity == w->seen_activity && scanned <= w->seen_scanned && scanned >= w->seen_scanned;
  if (same && w->progress.changed_ms != 0) return;
  w->progress = (skep_txn_progress){.rows = rows, .bytes = bytes, .changed_ms = now};
  w->seen_statements = w->n_statements;
  w->seen_activity = activity;
  w->seen_scanned = scanned;
}

static bool is_past(int64_t now, int64_t since, int64_t ms) { return now < since || now - since >= ms; }

static task task_of(skep_heartbeat *w, int64_t now) {
  look_at(w, now);
  bool new_things = w->told_ms == 0 || w->progress.changed_ms > w->told_ms;
  return (task){.txn = w->txn,
                .beats = is_past(now, w->last_ms, w->timeout_ms / 2),
                .tells = is_past(now, w->begun_ms, QUIET_MS) && new_things && is_past(now, w->told_ms, TELL_MS),
                .progress = w->progress};
}

/* --- what others want --- */

/* The session's statement ends: with this status and text. Under the thread's lock. */
static void end_statement(skep_heartbeat *w, skep_status st, const char *text) {
  skep_session *s = w->s;
  (void)pthread_mutex_lock(&s->cancel_lock);
  s->ended_with = st;
  snprintf(s->ended_why, sizeof s->ended_why, "%s", text);
  (void)pthread_mutex_unlock(&s->cancel_lock);
  skep_session_cancel(s);
}

static skep_heartbeat *find(const skep_heartbeats *h, int64_t txn) {
  skep_heartbeat *w = h->first;
  while (w != NULL && w->txn != txn) w = w->next;
  return w;
}

static bool names(const skep_txn_kill *kill, const skep_heartbeat *w) {
  return w->txn != 0 && kill->query != NULL && strcmp(w->listed, kill->query) == 0;
}

/* By its query: one that has waited has got another transaction since. */
static skep_heartbeat *find_query(const skep_heartbeats *h, const skep_txn_kill *kill) {
  skep_heartbeat *w = h->first;
  while (w != NULL && !names(kill, w)) w = w->next;
  return w;
}

static void print_killed(char *text, size_t size, const skep_txn_kill *kill) {
  char query[100], who[200];
  const char *by = kill->who != NULL ? kill->who : "?";
  snprintf(text, size, "query %s was killed by %s", skep_quote(query, sizeof query, kill->query, strlen(kill->query)),
           skep_quote(who, sizeof who, by, strlen(by)));
}

/* False: another process's. A query that is over already: nothing to end. *idle: its transaction, which is between two
 * statements; 0: it is not. */
static bool kill_one(skep_heartbeats *h, const skep_txn_kill *kill, int64_t *idle) {
  char text[sizeof h->first->s->ended_why];
  (void)pthread_mutex_lock(&h->lock);
  skep_heartbeat *w = find_query(h, kill);
  bool is_here = w != NULL || find(h, kill->txn) != NULL;
  *idle = w != NULL && !w->runs ? w->txn : 0;
  if (w != NULL && w->runs) {
    print_killed(text, sizeof text, kill);
    end_statement(w, SKEP_ERR_CANCELLED, text);
  }
  (void)pthread_mutex_unlock(&h->lock);
  return is_here;
}

static skep_status hear_kills(skep_heartbeats *h, skep_arena *arena, skep_err *err) {
  skep_txn_kill *kills;
  uint32_t n;
  SKEP_TRY(skep_txn_kills(h->db, arena, &kills, &n, err));
  for (uint32_t i = 0; i < n; i++) {
    int64_t idle;
    if (!kill_one(h, &kills[i], &idle)) continue;
    /* Who asks means the transaction as it is listed; the next statement in it says what became of it. */
    skep_status st = idle != 0 ? skep_txn_abort(h->db, idle, SKEP_ABORT_KILLED, false, err) : SKEP_OK;
    if (st != SKEP_OK && st != SKEP_ERR_NOT_FOUND) return st;
    SKEP_TRY(skep_txn_kill_done(h->db, kills[i].txn, err));
  }
  return SKEP_OK;
}

/* Aborted by somebody else: an operator, a housekeeper, a deadlock's end. Its own end is not: committed, or gone. */
static skep_status hear_abort(skep_heartbeats *h, skep_arena *arena, int64_t txn, skep_err *err) {
  char state, text[sizeof h->first->s->ended_why], quoted[200];
  const char *reason;
  SKEP_TRY(skep_txn_state(h->db, txn, &state, arena, &reason, err));
  if (state == 'o' || state == 'c') return SKEP_OK;
  if (state == 0) SKEP_TRY(skep_txn_abort_reason_of(h->db, arena, txn, &reason, err));
  if (reason == NULL) return SKEP_OK;
  /* a deadlock's end is the same to its owner whoever notices it first, this thread or the waiter (wait.c) */
  bool deadlock = strcmp(reason, skep_txn_abort_text(SKEP_ABORT_DEADLOCK)) == 0;
  snprintf(
      text, sizeof text,
      "Transaction manager has aborted the transaction txnid:%lld.  Reason: Transaction txnid:%lld already aborted "
      "due to %s",
      (long long)txn, (long long)txn, skep_quote(quoted, sizeof quoted, reason, strlen(reason)));
  (void)pthread_mutex_lock(&h->lock);
  skep_heartbeat *w = find(h, txn);
  if (w != NULL && w->runs && !w->is_lost) {
    w->is_lost = true;
    end_statement(w, deadlock ? SKEP_ERR_CONFLICT : SKEP_ERR_ABORTED, text);
  }
  (void)pthread_mutex_unlock(&h->lock);
  return SKEP_OK;
}

/* --- the thread --- */

static skep_status say(skep_heartbeats *h, const task *t, skep_err *err) {
  skep_status st = skep_txn_beat(h->db, t->txn, t->tells ? &t->progress : NULL, err);
  /* a transaction that has just ended, or was aborted: hear_abort finds out */
  return st == SKEP_ERR_NOT_FOUND || st == SKEP_ERR_ABORTED ? SKEP_OK : st;
}

static void note_said(skep_heartbeats *h, const task *t, int64_t now) {
  (void)pthread_mutex_lock(&h->lock);
  skep_heartbeat *w = find(h, t->txn);
  if (w != NULL) {
    w->last_ms = now;
    if (t->tells) w->told_ms = now;
  }
  (void)pthread_mutex_unlock(&h->lock);
}

static skep_status open_db(skep_heartbeats *h, skep_err *err) {
  const skep_db_opts opts = {.busy_wait_ms = 10000, .checkpoint_pages = 4000};
  return h->db == NULL ? skep_db_open(h->ctx, h->url, &opts, &h->db, err) : SKEP_OK;
}

/* Everything but the lock: n tasks, of which those due say something. */
static skep_status do_tasks(skep_heartbeats *h, skep_arena *arena, const task *tasks, size_t n, int64_t now,
                            skep_err *err) {
  SKEP_TRY(open_db(h, err));
  SKEP_TRY(hear_kills(h, arena, err)); /* first: what follows may have to wait for a row of a commit that waits */
  for (size_t i = 0; i < n; i++) {
    if (!tasks[i].beats && !tasks[i].tells) continue;
    SKEP_TRY(say(h, &tasks[i], err));
    note_said(h, &tasks[i], now);
  }
  for (size_t i = 0; i < n; i++) SKEP_TRY(hear_abort(h, arena, tasks[i].txn, err));
  return SKEP_OK;
}

/* A statement that was cancelled may have been just between two calls that can be interrupted: it is told again, every
 * round until it ends. Under the lock. */
static void insist(skep_heartbeat *w) {
  if (w->runs && __atomic_load_n(&w->s->cancelled, __ATOMIC_SEQ_CST) != 0) skep_session_cancel(w->s);
}

/* The open transactions, and what each has to say: under the lock. NULL: no memory, this round is left out. */
static task *collect(skep_heartbeats *h, skep_arena *arena, int64_t now, size_t *n) {
  size_t most = 0;
  *n = 0;
  for (skep_heartbeat *w = h->first; w != NULL; w = w->next) most += w->txn != 0;
  task *tasks = skep_arena_zero(arena, most + 1, sizeof *tasks);
  if (tasks == NULL) return NULL;
  for (skep_heartbeat *w = h->first; w != NULL; w = w->next) {
    if (w->txn == 0) continue;
    insist(w);
    tasks[(*n)++] = task_of(w, now);
  }
  return tasks;
}

static void *beats(void *self) {
  skep_heartbeats *h = self;
  pthread_mutex_lock(&h->lock);
  for (rest(h); !h->stop; rest(h)) {
    skep_arena arena;
    skep_err err = {0};
    size_t n;
    int64_t now = h->ctx->clock_ms(h->ctx->clock_self);
    skep_arena_init(&arena, h->ctx, ARENA_BYTES);
    const task *tasks = collect(h, &arena, now, &n);
    pthread_mutex_unlock(&h->lock);
    if (tasks != NULL && n > 0 && do_tasks(h, &arena, tasks, n, now, &err) != SKEP_OK)
      skep_log(h->ctx, SKEP_LOG_WARN, "heartbeat of transaction %lld: %s", (long long)tasks[0].txn, err.text);
    skep_arena_fini(&arena);
    pthread_mutex_lock(&h->lock);
  }
  pthread_mutex_unlock(&h->lock);
  return NULL;
}

/* --- life --- */

static int init_lock(skep_heartbeats *h) {
  pthread_condattr_t monotonic;
  if (pthread_mutex_init(&h->lock, NULL) != 0) return -1;
  if (pthread_condattr_init(&monotonic) != 0) return -1;
  (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  int failed = pthread_cond_init(&h->wake, &monotonic);
  (void)pthread_condattr_destroy(&monotonic);
  return failed;
}

skep_status skep_heartbeats_new(const skep_ctx *ctx, const char *metastore_url, skep_heartbeats **out, skep_err *err) {
  *out = NULL;
  skep_heartbeats *h = skep_alloc_zero(ctx, 1, sizeof *h);
  if (h == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "heartbeats");
  h->ctx = ctx;
  h->url = skep_strndup(ctx, metastore_url, strlen(metastore_url));
  if (h->url == NULL || init_lock(h) != 0) {
    skep_release(ctx, h->url);
    skep_release(ctx, h);
    return skep_fail(err, SKEP_ERR_NOMEM, "heartbeats");
  }
  *out = h;
  return SKEP_OK;
}

void skep_heartbeats_free(skep_heartbeats *h) {
  if (h == NULL) return;
  if (h->is_running) {
    pthread_mutex_lock(&h->lock);
    h->stop = true;
    pthread_cond_signal(&h->wake);
    pthread_mutex_unlock(&h->lock);
    pthread_join(h->thread, NULL);
  }
  skep_db_close(h->db);
  pthread_mutex_destroy(&h->lock);
  pthread_cond_destroy(&h->wake);
  skep_release(h->ctx, h->url);
  skep_release(h->ctx, h);
}

/* The session joins the thread it was given, or one of its own. */
static void join(skep_session *s) {
  skep_heartbeats *h = s->heartbeats;
  skep_heartbeat *w = skep_alloc_zero(s->ctx, 1, sizeof *w);
  if (w == NULL) return;
  if (h == NULL && skep_heartbeats_new(s->ctx, skep_db_url(s->db), &h, NULL) != SKEP_OK) {
    skep_release(s->ctx, w);
    return;
  }
  h->is_own = h->is_own || s->heartbeats == NULL;
  *w = (skep_heartbeat){.s = s, .in = h};
  pthread_mutex_lock(&h->lock);
  if (!h->is_running) h->is_running = pthread_create(&h->thread, NULL, beats, h) == 0;
  w->next = h->first;
  h->first = w;
  pthread_mutex_unlock(&h->lock);
  s->heartbeat = w;
}

/* The shorter one of the own time-out and that in force. */
static int64_t timeout_of(skep_session *s) {
  int64_t own = skep_transaction_conf(s).timeout_ms, agreed;
  if (skep_txn_timeout(s->db, &agreed, NULL) != SKEP_OK) agreed = UNKNOWN_TIMEOUT_MS;
  return own > 0 && own < agreed ? own : agreed;
}

void skep_heartbeat_watch(skep_session *s, int64_t txn) {
  int64_t timeout_ms = txn != 0 ? timeout_of(s) : 0;
  if (s->heartbeat == NULL && txn != 0) join(s);
  skep_heartbeat *w = s->heartbeat;
  if (w == NULL) return;
  skep_heartbeats *h = w->in;
  int64_t now = s->ctx->clock_ms(s->ctx->clock_self), nap_ms;
  pthread_mutex_lock(&h->lock);
  bool sooner = h->idle || (any_open(h, &nap_ms) && timeout_ms / 4 < nap_ms);
  if (w->txn != txn) {
    w->begun_ms = now;
    w->told_ms = 0;
    w->progress = (skep_txn_progress){0};
    w->is_lost = false;
    w->runs = true; /* a statement has begun it */
    snprintf(w->listed, sizeof w->listed, "%s", s->query_id);
  }
  w->txn = txn;
  if (txn != 0) {
    w->timeout_ms = timeout_ms;
    w->last_ms = now;
    if (sooner) pthread_cond_signal(&h->wake);
  }
  pthread_mutex_unlock(&h->lock);
}

void skep_heartbeat_listed(skep_session *s) {
  skep_heartbeat *w = s->heartbeat;
  if (w == NULL) return;
  pthread_mutex_lock(&w->in->lock);
  snprintf(w->listed, sizeof w->listed, "%s", s->query_id);
  pthread_mutex_unlock(&w->in->lock);
}

/* The thread takes a note away after it has told the session: whoever finds none looks at skep_session_check next. */
skep_status skep_heartbeat_hear(skep_session *s, skep_err *err) {
  skep_txn_kill *kills;
  uint32_t n;
  if (s->heartbeat == NULL) return SKEP_OK; /* no transaction, or no memory for its beats */
  SKEP_TRY(skep_txn_kills(s->db, &s->arena, &kills, &n, err));
  for (uint32_t i = 0; i < n; i++) {
    if (!names(&kills[i], s->heartbeat)) continue; /* only this thread sets what is listed */
    (void)pthread_mutex_lock(&s->cancel_lock);
    s->ended_with = SKEP_ERR_CANCELLED;
    print_killed(s->ended_why, sizeof s->ended_why, &kills[i]);
    skep_status st = skep_fail(err, SKEP_ERR_CANCELLED, "%s", s->ended_why);
    (void)pthread_mutex_unlock(&s->cancel_lock);
    return st;
  }
  return skep_session_check(s, err);
}

void skep_heartbeat_runs(skep_session *s, bool runs) {
  if (runs) {
    (void)pthread_mutex_lock(&s->cancel_lock);
    s->ended_with = SKEP_OK;
    s->ended_why[0] = '\0';
    (void)pthread_mutex_unlock(&s->cancel_lock);
  }
  skep_heartbeat *w = s->heartbeat;
  if (w == NULL) return;
  pthread_mutex_lock(&w->in->lock);
  w->runs = runs;
  w->n_statements += runs;
  pthread_mutex_unlock(&w->in->lock);
}

skep_status skep_heartbeat_why(skep_session *s, skep_status st, skep_err *err) {
  if (st != SKEP_ERR_CANCELLED) return st;
  (void)pthread_mutex_lock(&s->cancel_lock);
  if (s->ended_with != SKEP_OK) st = skep_fail(err, s->ended_with, "%s", s->ended_why);
  (void)pthread_mutex_unlock(&s->cancel_lock);
  return st;
}

void skep_heartbeat_stop(skep_session *s) {
  skep_heartbeat *w = s->heartbeat;
  if (w == NULL) return;
  skep_heartbeats *h = w->in;
  pthread_mutex_lock(&h->lock);
  skep_heartbeat **at = &h->first;
  while (*at != w) at = &(*at)->next;
  *at = w->next;
  pthread_mutex_unlock(&h->lock);
  skep_release(s->ctx, w);
  s->heartbeat = NULL;
  if (h->is_own) skep_heartbeats_free(h);
}
