/* Waiting for locks: see wait.h. Source of the limits: Hive DbLockManager (txn-protocol 7.5); the pauses are shorter
 * here, since looking costs a waiter next to nothing and nobody else anything. */
#include "sql/wait.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sql/heartbeat.h"

enum {
  DEFAULT_LIMIT_MS = 50000,
  HIVE_FIRST_PAUSE_MS = 100,
  HIVE_LEAST_CAP_MS = 15000,
  PAUSE_MS = 10,      /* once it has doubled from 1 */
  LATE_PAUSE_MS = 25, /* after LATE_MS */
  LATE_MS = 5000,
  /* Who is next, behind one that holds its locks, wakes faster: of two hundred waiters that is one, and with many short
   * statements these pauses are most of what the queue costs. For a second, on a database of this machine. */
  NEXT_PAUSE_MS = 2,
  NEXT_MS = 1000,
  CYCLE_EVERY_MS = 1000, /* who closes a cycle finds it at once: this is for those that other programs close */
  MAX_SCRATCH = 256 << 20
};

/* ---- limits ---- */

/* The sum of the pauses of Hive's client. */
static int64_t hive_limit_ms(int64_t retries, int64_t cap_ms) {
  int64_t sum = 0, pause = HIVE_FIRST_PAUSE_MS;
  if (cap_ms < HIVE_LEAST_CAP_MS) cap_ms = HIVE_LEAST_CAP_MS;
  while (retries > 0 && pause < cap_ms) {
    sum += pause;
    pause *= 2;
    retries--;
  }
  if (retries > (INT64_MAX / 4) / cap_ms) return INT64_MAX / 2;
  return sum + (retries > 0 ? retries * cap_ms : 0);
}

int64_t skep_wait_limit_ms(const skep_session *s) {
  int64_t own = DEFAULT_LIMIT_MS, cap = 60000, ms;
  const char *retries = skep_config_get(s->config, "hive.lock.numretries");
  if (skep_config_ms(s->config, "skep.lock.wait.timeout", &ms, NULL) == SKEP_OK && ms >= 0) {
    own = ms;
  } else if (retries != NULL) {
    own = INT64_MAX / 2;
  }
  if (skep_config_ms(s->config, "hive.lock.sleep.between.retries", &ms, NULL) == SKEP_OK) cap = ms;
  int64_t hive = hive_limit_ms(skep_session_int(s, "hive.lock.numretries", 100), cap);
  return own < hive ? own : hive;
}

/* ---- words ---- */

const char *skep_wait_object(char *out, size_t size, skep_lock_type type, const char *database, const char *table,
                             const char *partition) {
  char name[600], quoted[700];
  snprintf(name, sizeof name, "%.128s%s%.128s%s%.300s", database, table != NULL ? "." : "", table != NULL ? table : "",
           partition != NULL ? "/" : "", partition != NULL ? partition : "");
  snprintf(out, size, "%s on %s", skep_lock_name(type), skep_quote(quoted, sizeof quoted, name, strlen(name)));
  return out;
}

/* "EXCL_WRITE on s23.t, which txnid:10 of ann at box has (query skep-...)" */
static void describe(char *out, size_t size, const skep_lock_blocker *b) {
  char object[300], user[100], host[100], query[140], owner[48];
  const char *agent = b->agent != NULL ? b->agent : "";
  skep_wait_object(object, sizeof object, b->type, b->database, b->table, b->partition);
  if (b->txn != 0) {
    snprintf(owner, sizeof owner, "txnid:%" PRId64, b->txn);
  } else {
    snprintf(owner, sizeof owner, "lockid:%" PRId64, b->ext_id);
  }
  snprintf(out, size, "%s, %s %s of %s at %s%s%s%s", object,
           b->acquired ? "which is held by" : "for which waits before it", owner,
           skep_quote(user, sizeof user, b->user, strlen(b->user)),
           skep_quote(host, sizeof host, b->host, strlen(b->host)), agent[0] != 0 ? " (query " : "",
           skep_quote(query, sizeof query, agent, strlen(agent)), agent[0] != 0 ? ")" : "");
}

/* ---- the state of one wait ---- */

typedef struct waiting {
  skep_session *s;
  const skep_wait *w;
  skep_arena scratch; /* of the latest look */
  skep_lock_blocker blocker;
  int64_t start_ns, limit_ms, cycle_ms; /* cycle_ms: when cycles were last looked for */
  int64_t beat_ms;                      /* by the wall clock: when the transaction was last said to be alive */
  uint32_t looks;
  int64_t next_id, next_ms; /* the request that holds what we are next to get (0: none), and since when we are */
  bool told_foreign;
} waiting;

static int64_t waited_ms(const waiting *w) {
  const skep_ctx *ctx = w->s->ctx;
  return (ctx->monotonic_ns(ctx->clock_self) - w->start_ns) / 1000000;
}

static void renew_scratch(waiting *w) {
  skep_arena_fini(&w->scratch);
  skep_arena_init(&w->scratch, w->s->ctx, MAX_SCRATCH);
}

/* What other threads may show: skep_session_waits_for. */
static void publish(skep_session *s, const char *text) {
  (void)pthread_mutex_lock(&s->cancel_lock);
  snprintf(s->waits_for, sizeof s->waits_for, "%s", text);
  (void)pthread_mutex_unlock(&s->cancel_lock);
}

static skep_status took_too_long(const waiting *w, skep_err *err) {
  char wanted[300], blocker[700];
  const skep_lock_component *c = &w->w->components[0];
  char more[40] = "";
  skep_wait_object(wanted, sizeof wanted, c->type, c->database, c->table, c->partition);
  if (w->w->n > 1) snprintf(more, sizeof more, " and %" PRIu32 " more", w->w->n - 1);
  describe(blocker, sizeof blocker, &w->blocker);
  return skep_fail(err, SKEP_ERR_BUSY,
                   "LockException [Error 10307]: Error in acquiring locks: Lock acquisition for %s%s (txnid:%" PRId64
                   ") timed out after %" PRId64 "ms.  LockResponse(lockid:%" PRId64 ", state:WAITING). It waits for %s",
                   wanted, more, w->w->txn, waited_ms(w), w->w->ext_id, blocker);
}

skep_status skep_wait_refuse(const skep_lock_blocker *blocker, skep_err *err) {
  char text[700];
  describe(text, sizeof text, blocker);
  return skep_fail(err, SKEP_ERR_BUSY,
                   "LockException: Error in acquiring locks: %s could not be acquired at once; in its way is %s",
                   skep_lock_name(blocker->wanted), text);
}

/* The request is gone: why its transaction is over. */
static skep_status gone(const waiting *w, skep_err *err) {
  char state;
  const char *reason = NULL;
  skep_arena arena;
  skep_arena_init(&arena, w->s->ctx, 1 << 20);
  skep_status st = skep_txn_state(w->s->db, w->w->txn, &state, &arena, &reason, err);
  if (st == SKEP_OK) {
    bool deadlock = reason != NULL && strcmp(reason, skep_txn_abort_text(SKEP_ABORT_DEADLOCK)) == 0;
    st = skep_fail(err, deadlock ? SKEP_ERR_CONFLICT : SKEP_ERR_ABORTED,
                   "LockException [Error 10263]: Transaction manager has aborted the transaction txnid:%" PRId64
                   " while it waited for a lock.  Reason: %s",
                   w->w->txn, reason != NULL ? reason : "unknown");
  }
  skep_arena_fini(&arena);
  return st;
}

/* ---- transactions that wait for each other ---- */

static bool is_ours(const char *agent) {
  return agent != NULL && strncmp(agent, SKEP_QUERY_ID_PREFIX, strlen(SKEP_QUERY_ID_PREFIX)) == 0;
}

/* Who waits always waits for requests before its own: a cycle needs a transaction that waits with one request, and
 * holds, or waits with, an earlier one. Without one there is nothing to look for, however many wait. */
static bool can_have_cycle(const skep_lock_row *rows, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (rows[i].acquired || rows[i].txn == 0) continue;
    for (uint32_t k = 0; k < i; k++)
      if (rows[k].txn == rows[i].txn && rows[k].ext_id != rows[i].ext_id) return true;
  }
  return false;
}

/* The youngest of Skep's own transactions in a cycle, 0: none is. */
static int64_t victim_of(const skep_lock_row *rows, uint32_t n_rows, const int64_t *txns, uint32_t n) {
  for (uint32_t i = n; i-- > 0;)
    for (uint32_t k = 0; k < n_rows; k++)
      if (rows[k].txn == txns[i] && is_ours(rows[k].agent)) return txns[i];
  return 0;
}

static void print_cycle(char *out, size_t size, const int64_t *txns, uint32_t n) {
  size_t at = 0;
  for (uint32_t i = 0; i < n && i < 20 && at < size; i++) {
    int length = snprintf(out + at, size - at, "%stxnid:%" PRId64, i == 0 ? "" : ", ", txns[i]);
    if (length < 0) return;
    at += (size_t)length;
  }
}

static skep_status find_cycle(waiting *w, const skep_lock_row *rows, uint32_t n_rows, int64_t **txns, uint32_t *n,
                              skep_err *err) {
  SKEP_TRY(skep_lock_cycle(rows, n_rows, w->w->txn, &w->scratch, txns, n, err));
  if (*n != 0 || w->told_foreign) return SKEP_OK;
  /* one that we stand behind: nobody here can end it */
  for (uint32_t i = 0; i < n_rows && rows[i].ext_id < w->w->ext_id; i++) {
    if (rows[i].acquired || rows[i].txn == 0 || is_ours(rows[i].agent)) continue;
    int64_t *others;
    uint32_t n_others;
    SKEP_TRY(skep_lock_cycle(rows, n_rows, rows[i].txn, &w->scratch, &others, &n_others, err));
    if (n_others == 0 || victim_of(rows, n_rows, others, n_others) != 0) continue;
    char list[300];
    print_cycle(list, sizeof list, others, n_others);
    skep_session_note(w->s,
                      "transactions of another program wait for each other, and this statement behind them: %s "
                      "(ABORT TRANSACTIONS ends one)",
                      list);
    w->told_foreign = true;
    break;
  }
  return SKEP_OK;
}

/* Inside a write transaction, where the cycle is looked for again: it may have ended meanwhile. *victim 0: it has. */
static skep_status break_cycle(waiting *w, int64_t *victim, char *list, size_t list_size, skep_err *err) {
  skep_lock_row *rows;
  uint32_t n_rows, n;
  int64_t *txns;
  *victim = 0;
  SKEP_TRY(skep_lock_list(w->s->db, NULL, NULL, NULL, &w->scratch, &rows, &n_rows, err));
  SKEP_TRY(find_cycle(w, rows, n_rows, &txns, &n, err));
  if (n == 0) return SKEP_OK;
  *victim = victim_of(rows, n_rows, txns, n);
  print_cycle(list, list_size, txns, n);
  if (*victim == 0) return SKEP_OK;
  skep_status st = skep_txn_abort(w->s->db, *victim, SKEP_ABORT_DEADLOCK, false, err);
  return st == SKEP_ERR_NOT_FOUND ? SKEP_OK : st; /* it has just ended */
}

static skep_status look_for_cycle(waiting *w, skep_err *err) {
  skep_db *db = w->s->db;
  skep_lock_row *rows;
  uint32_t n_rows, n = 0;
  int64_t *txns, victim;
  char list[500] = "", blocker[400];
  w->cycle_ms = waited_ms(w);
  SKEP_TRY(skep_lock_list(db, NULL, NULL, NULL, &w->scratch, &rows, &n_rows, err));
  if (!can_have_cycle(rows, n_rows)) return SKEP_OK;
  SKEP_TRY(find_cycle(w, rows, n_rows, &txns, &n, err));
  if (n == 0) return SKEP_OK;
  SKEP_TRY(skep_db_begin(db, SKEP_DB_WRITE, err));
  SKEP_TRY(skep_db_end(db, false, break_cycle(w, &victim, list, sizeof list, err), err));
  if (victim != w->w->txn) return SKEP_OK;
  describe(blocker, sizeof blocker, &w->blocker);
  return skep_fail(err, SKEP_ERR_CONFLICT,
                   "LockException [Error 10263]: deadlock: transactions %s wait for each other; txnid:%" PRId64
                   " was aborted, the youngest of them, and can be tried again. It waited for %s",
                   list, victim, blocker);
}

/* ---- processes that are no more ---- */

/* A process of this machine that has ended: what it had in our way is taken away. True: look again at once. */
static skep_status bury(waiting *w, bool *done, skep_err *err) {
  const skep_lock_blocker *b = &w->blocker;
  *done = false;
  if (b->txn == 0 || b->agent == NULL || !skep_alive_is_over(b->agent)) return SKEP_OK;
  skep_status st = skep_txn_abort(w->s->db, b->txn, SKEP_ABORT_DIED, false, err);
  if (st != SKEP_OK && st != SKEP_ERR_NOT_FOUND) return st;
  *done = st == SKEP_OK;
  return SKEP_OK;
}

/* ---- the loop ---- */

static skep_status call_hook(waiting *w, int64_t pause_ms, skep_err *err) {
  const skep_lock_blocker *b = &w->blocker;
  const skep_session_waiting told = {.lock_id = w->w->ext_id,
                                     .txn = w->w->txn,
                                     .pause_ms = pause_ms,
                                     .waited_ms = waited_ms(w),
                                     .looks = w->looks,
                                     .database = b->database,
                                     .table = b->table,
                                     .partition = b->partition,
                                     .blocker_type = skep_lock_letter(b->type),
                                     .blocker_acquired = b->acquired,
                                     .blocker_id = b->ext_id,
                                     .blocker_txn = b->txn,
                                     .user = b->user,
                                     .host = b->host,
                                     .query = b->agent};
  return w->s->lock_wait(w->s->lock_wait_self, w->s, &told, err);
}

/* behind: what the last request in the way does. */
static int64_t next_pause(waiting *w, int64_t pause, skep_lock_presence behind) {
  if (behind != SKEP_LOCK_HELD || w->next_id != w->blocker.last_ext_id) w->next_id = 0;
  if (behind == SKEP_LOCK_HELD && skep_db_dialect(w->s->db)->is_local) {
    if (w->next_id == 0) w->next_ms = waited_ms(w);
    w->next_id = w->blocker.last_ext_id;
    if (waited_ms(w) - w->next_ms < NEXT_MS) return NEXT_PAUSE_MS;
  }
  if (waited_ms(w) > LATE_MS) return LATE_PAUSE_MS;
  return pause * 2 < PAUSE_MS ? pause * 2 : PAUSE_MS;
}

/* Sleeps until something has changed: the request is gone, or the last one in its way is. */
static skep_status rest(waiting *w, skep_err *err) {
  const skep_ctx *ctx = w->s->ctx;
  int64_t pause = 1;
  if (w->s->lock_wait != NULL) return call_hook(w, pause, err);
  for (;;) {
    skep_lock_presence behind, mine = SKEP_LOCK_QUEUED;
    int64_t waited = waited_ms(w);
    if (waited >= w->limit_ms) return SKEP_OK;
    ctx->sleep_ms(ctx->clock_self, pause < w->limit_ms - waited ? pause : w->limit_ms - waited);
    SKEP_TRY(skep_session_check(w->s, err));
    SKEP_TRY(skep_lock_presence_of(w->s->db, w->blocker.last_ext_id, &behind, err));
    if (behind != SKEP_LOCK_GONE) SKEP_TRY(skep_lock_presence_of(w->s->db, w->w->ext_id, &mine, err));
    if (behind == SKEP_LOCK_GONE || mine == SKEP_LOCK_GONE || waited_ms(w) - w->cycle_ms >= CYCLE_EVERY_MS)
      return SKEP_OK;
    pause = next_pause(w, pause, behind);
  }
}

/* The session's thread beats too; here nobody depends on its being scheduled, nor on its clock. */
static void stay_alive(waiting *w) {
  enum { BEAT_EVERY_MS = 5000 };
  const skep_ctx *ctx = w->s->ctx;
  int64_t now = ctx->clock_ms(ctx->clock_self);
  if (now - w->beat_ms < BEAT_EVERY_MS && now >= w->beat_ms) return;
  w->beat_ms = now;
  skep_status ignored = skep_txn_heartbeat(w->s->db, &w->w->txn, 1, NULL); /* what is wrong is found below */
  (void)ignored;
}

static skep_status look(waiting *w, skep_lock_state *state, skep_err *err) {
  char text[sizeof w->s->waits_for];
  renew_scratch(w);
  SKEP_TRY(skep_session_check(w->s, err));
  stay_alive(w);
  bool buried = true;
  while (buried) {
    skep_status st = skep_lock_look(w->s->db, w->w->ext_id, &w->scratch, state, &w->blocker, err);
    if (st == SKEP_ERR_NOT_FOUND) return gone(w, err);
    if (st != SKEP_OK || *state == SKEP_LOCK_ACQUIRED) return st;
    SKEP_TRY(bury(w, &buried, err));
  }
  w->looks++;
  describe(text, sizeof text, &w->blocker);
  publish(w->s, text);
  if (w->looks == 1 || w->s->lock_wait != NULL || waited_ms(w) - w->cycle_ms >= CYCLE_EVERY_MS)
    SKEP_TRY(look_for_cycle(w, err));
  return waited_ms(w) >= w->limit_ms ? took_too_long(w, err) : SKEP_OK;
}

skep_status skep_wait_for_locks(skep_session *s, const skep_wait *wait, skep_err *err) {
  waiting w = {.s = s, .w = wait, .limit_ms = skep_wait_limit_ms(s)};
  skep_lock_state state = SKEP_LOCK_WAITING;
  w.start_ns = s->ctx->monotonic_ns(s->ctx->clock_self);
  w.beat_ms = s->ctx->clock_ms(s->ctx->clock_self);
  skep_arena_init(&w.scratch, s->ctx, MAX_SCRATCH);
  skep_status st = look(&w, &state, err);
  while (st == SKEP_OK && state == SKEP_LOCK_WAITING) {
    st = rest(&w, err);
    __atomic_add_fetch(&s->activity, 1, __ATOMIC_RELAXED); /* who waits does not stand still: heartbeat.h */
    if (st == SKEP_OK) st = look(&w, &state, err);
  }
  publish(s, "");
  skep_arena_fini(&w.scratch);
  if (w.looks > 0) s->has_waited = true;
  /* what it waited for may have become free before the heartbeat heard that it is to end */
  return st == SKEP_OK && w.looks > 0 ? skep_heartbeat_hear(s, err) : st;
}
