/* The roles of `skep compact`: each in a thread with a connection of its own, which is opened again when it breaks. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alive.h"
#include "cli/compact_int.h"
#include "cli/interrupts.h"
#include "compact/cleaner.h"
#include "compact/housekeeper.h"
#include "compact/initiator.h"
#include "compact/worker.h"
#include "db/schema.h"
#include "sql/analyze.h"
#include "sql/rollback.h"
#include "sql/session.h"

enum { MAX_THREADS = 100, MAX_ARENA = 1 << 30, RETRY_MS = 5000, IDLE_MS = 1000, ALIVE_MS = 10000 };

typedef struct service {
  const skep_cli_env *env;
  const skep_compact_args *args;
  skep_config *config;
  const char *warehouse, *url;
  char host[256];
  char process[SKEP_ALIVE_TAG_SIZE]; /* so that others see when this one is gone */
  char agent[80];
  unsigned roles, n_workers;
  skep_cancel cancel;
  pthread_mutex_t lock;                 /* of what is below, and of what is printed */
  skep_session *gathering[MAX_THREADS]; /* by the number of the seat: to be cancelled */
  pthread_cond_t wake;
  bool stop;
  bool failed;
  int permille; /* of one job; __atomic builtins */
  uint64_t n_jobs_failed;
  skep_compact_counters counters;
} service;

/* ---- what is said ---- */

static void say(void *self, const char *line) {
  service *s = self;
  if (s->args->silent) return;
  pthread_mutex_lock(&s->lock);
  fputs(line, stdout);
  putc('\n', stdout);
  fflush(stdout);
  pthread_mutex_unlock(&s->lock);
}

static void complain(service *s, const char *role, const skep_err *err) {
  pthread_mutex_lock(&s->lock);
  fprintf(stderr, "skep: %s: %s\n", role, err->text);
  pthread_mutex_unlock(&s->lock);
}

static void progress(void *self, const skep_compaction *job, const skep_compact_progress *p) {
  service *s = self;
  (void)job;
  int permille = p->bytes_all > 0 ? (int)(1000.0 * (double)p->bytes_done / (double)p->bytes_all) : -1;
  __atomic_store_n(&s->permille, permille, __ATOMIC_SEQ_CST);
}

/* ---- statistics of columns ---- */

static const char *user_name(void);

static void session_opts(const service *s, skep_session_opts *opts) {
  *opts = (skep_session_opts){.ctx = s->env->ctx,
                              .fs = s->env->fs,
                              .warehouse_dir = s->warehouse,
                              .metastore_url = s->url,
                              .config = s->config,
                              .user = user_name(),
                              .host = s->host};
}

/* A session is opened for it: few tables have such statistics, and a session has an engine. */
static skep_status gather(void *self, const char *database, const char *table, const char *partition, skep_err *err) {
  skep_compact_seat *seat = self;
  service *s = seat->owner;
  skep_session_opts opts;
  skep_session *session = NULL;
  session_opts(s, &opts);
  SKEP_TRY(skep_session_open(&opts, &session, err));
  pthread_mutex_lock(&s->lock);
  s->gathering[seat->number] = session;
  bool stop = s->stop;
  pthread_mutex_unlock(&s->lock);
  skep_status status = stop ? skep_fail(err, SKEP_ERR_CANCELLED, "interrupted")
                            : skep_analyze_again(session, database, table, partition, err);
  pthread_mutex_lock(&s->lock);
  s->gathering[seat->number] = NULL;
  pthread_mutex_unlock(&s->lock);
  skep_session_close(session);
  return status;
}

/* ---- connections ---- */

static const char *user_name(void) {
  const char *name = skep_cli_user();
  return name != NULL ? name : "anonymous";
}

static skep_status open_seat(service *s, int number, skep_compact_seat *seat, skep_err *err) {
  skep_db_opts opts = SKEP_DB_OPTS_DEFAULT;
  const skep_catalog_opts catalog = {.warehouse = s->warehouse, .user = user_name()};
  opts.create = false;
  *seat = (skep_compact_seat){0};
  skep_status status = skep_db_open(s->env->ctx, s->url, &opts, &seat->db, err);
  if (status == SKEP_OK) status = skep_schema_check(seat->db, NULL, err);
  if (status == SKEP_OK)
    status = skep_rollback_refuse(s->env->ctx, s->env->fs, s->warehouse, seat->db, err); /* restored meanwhile? */
  if (status == SKEP_OK) status = skep_catalog_open(s->env->ctx, seat->db, &catalog, &seat->catalog, err);
  if (status != SKEP_OK) {
    skep_compact_seat_close(seat);
    return status;
  }
  snprintf(seat->worker_id, sizeof seat->worker_id, "%.60s-%ld.%d%s", s->host, (long)getpid(), number, s->process);
  seat->env = (skep_compact_env){.ctx = s->env->ctx,
                                 .fs = s->env->fs,
                                 .db = seat->db,
                                 .catalog = seat->catalog,
                                 .config = s->config,
                                 .conf = {.user = user_name(), .host = s->host, .agent = s->agent},
                                 .worker_id = seat->worker_id,
                                 .version = SKEP_COMPACT_VERSION,
                                 .cancel = &s->cancel,
                                 .say = say,
                                 .say_self = s,
                                 .progress = progress,
                                 .progress_self = s,
                                 .gather = gather,
                                 .gather_self = seat};
  seat->owner = s;
  seat->number = number;
  return SKEP_OK;
}

void skep_compact_seat_close(skep_compact_seat *seat) {
  skep_catalog_close(seat->catalog);
  skep_db_close(seat->db);
  *seat = (skep_compact_seat){0};
}

static skep_status open_exporter_seat(void *self, skep_compact_seat *seat, skep_err *err) {
  return open_seat(self, 99, seat, err);
}

/* ---- one round of each role ---- */

static skep_status initiator_round(service *s, const skep_compact_env *env, skep_err *err) {
  skep_compact_initiated done;
  int64_t begun = skep_compact_cycle_begin(env->ctx, &s->counters, SKEP_CYCLE_INITIATOR);
  skep_status status = skep_compact_initiate(env, s->args->dry_run, &done, err);
  skep_compact_cycle_end(env->ctx, &s->counters, SKEP_CYCLE_INITIATOR, begun, status != SKEP_OK);
  if (status != SKEP_OK) return status;
  if (s->args->once)
    skep_compact_note(env, "initiator: %u looked at, %u %s, %u queued already, %u failed", done.n_candidates,
                      done.n_enqueued, s->args->dry_run ? "would be asked for" : "asked for", done.n_refused,
                      done.n_failed);
  return SKEP_OK;
}

static void count_job(service *s, const skep_compact_env *env, const skep_compact_done *done, int64_t begun) {
  bool is_over = done->state == 'r' || done->state == 'c' || done->state == 'f';
  if (is_over)
    skep_compact_cycle_end(env->ctx, &s->counters, skep_compact_cycle_of(done->type), begun, done->state == 'f');
  if (done->txn != 0)
    atomic_fetch_add(is_over && done->state != 'f' ? &s->counters.committed : &s->counters.aborted, 1);
  pthread_mutex_lock(&s->lock);
  if (done->state == 'f') s->n_jobs_failed++;
  pthread_mutex_unlock(&s->lock);
}

/* *worked: there was a job. */
static skep_status worker_round(service *s, const skep_compact_env *env, bool *worked, skep_err *err) {
  skep_arena arena;
  skep_compact_done done = {0};
  skep_arena_init(&arena, env->ctx, MAX_ARENA);
  int64_t begun = skep_compact_cycle_begin(env->ctx, &s->counters, SKEP_CYCLE_MINOR);
  skep_status status = skep_compact_work_once(env, 0, s->args->pool, &arena, &done, err);
  __atomic_store_n(&s->permille, -1, __ATOMIC_SEQ_CST);
  *worked = status == SKEP_OK && done.id != 0 && done.state != 'i'; /* put back: not again at once */
  if (status == SKEP_OK && done.id != 0 && done.state == 'i' && done.reason != NULL)
    skep_compact_note(env, "compaction %lld %s", (long long)done.id, done.reason);
  if (done.id != 0) count_job(s, env, &done, begun);
  skep_arena_fini(&arena);
  return status;
}

static skep_status cleaner_round(service *s, const skep_compact_env *env, skep_err *err) {
  skep_compact_cleaning done;
  int64_t begun = skep_compact_cycle_begin(env->ctx, &s->counters, SKEP_CYCLE_CLEANER);
  skep_status status = skep_compact_clean(env, s->args->dry_run, &done, err);
  skep_compact_cycle_end(env->ctx, &s->counters, SKEP_CYCLE_CLEANER, begun, status != SKEP_OK || done.n_failed > 0);
  if (status != SKEP_OK) return status;
  bool anything = done.n_cleaned + done.n_failed + done.n_removals + done.n_aborts > 0 || done.n_dirs > 0;
  if (s->args->once || anything)
    skep_compact_note(env,
                      "cleaner: %u cleaned, %u waiting, %u failed; %llu directories, %llu files, %llu bytes %s; %u "
                      "dropped places, %u components of aborted transactions",
                      done.n_cleaned, done.n_waiting, done.n_failed, (unsigned long long)done.n_dirs,
                      (unsigned long long)done.n_files, (unsigned long long)done.n_bytes,
                      s->args->dry_run ? "would be removed" : "removed", done.n_removals, done.n_aborts);
  return SKEP_OK;
}

static skep_status housekeeper_round(service *s, const skep_compact_env *env, skep_err *err) {
  skep_compact_housekeeping done;
  if (s->args->dry_run) return SKEP_OK;
  SKEP_TRY(skep_compact_keep_house(env, &done, err));
  atomic_fetch_add(&s->counters.timed_out, done.txn.timed_out);
  atomic_fetch_add(&s->counters.aborted, done.txn.timed_out + done.n_stalled_aborted);
  if (!s->args->once && done.txn.timed_out == 0) return SKEP_OK;
  skep_compact_note(env, "housekeeper: %llu transactions timed out, %llu old ones and %llu lines of history removed",
                    (unsigned long long)done.txn.timed_out, (unsigned long long)done.txn.txns,
                    (unsigned long long)done.n_history);
  return SKEP_OK;
}

/* What dead workers left goes back into the queue; so does what this one could not bring to an end itself, when its
 * connection broke (first: it has none yet). */
static skep_status revive(const skep_compact_env *env, bool first, skep_err *err) {
  skep_arena arena;
  skep_arena_init(&arena, env->ctx, MAX_ARENA);
  skep_status status = first ? skep_compact_revive_own(env, &arena, err) : SKEP_OK;
  if (status == SKEP_OK) status = skep_compact_revive(env, &arena, NULL, err);
  skep_arena_fini(&arena);
  return status;
}

/* ---- once ---- */

static skep_status work_all(service *s, const skep_compact_env *env, skep_err *err) {
  bool worked = true;
  SKEP_TRY(revive(env, false, err));
  while (worked) SKEP_TRY(worker_round(s, env, &worked, err));
  return SKEP_OK;
}

static skep_status run_once(service *s, skep_err *err) {
  skep_compact_seat seat;
  SKEP_TRY(open_seat(s, 0, &seat, err));
  skep_status status = SKEP_OK;
  if ((s->roles & SKEP_ROLE_HOUSEKEEPER) != 0) status = housekeeper_round(s, &seat.env, err);
  if (status == SKEP_OK && (s->roles & SKEP_ROLE_INITIATOR) != 0) status = initiator_round(s, &seat.env, err);
  if (status == SKEP_OK && (s->roles & SKEP_ROLE_WORKER) != 0 && !s->args->dry_run)
    status = work_all(s, &seat.env, err);
  if (status == SKEP_OK && (s->roles & SKEP_ROLE_CLEANER) != 0) status = cleaner_round(s, &seat.env, err);
  if (status == SKEP_OK && s->args->metrics != NULL)
    status = skep_compact_export_file(&seat.env, &s->counters, s->args->metrics, err);
  skep_compact_seat_close(&seat);
  return status;
}

/* ---- until it is told to stop ---- */

/* True: time to stop. */
static bool nap(service *s, int64_t ms) {
  struct timespec until;
  (void)clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += ms / 1000;
  until.tv_nsec += (ms % 1000) * 1000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_nsec -= 1000000000;
    until.tv_sec++;
  }
  pthread_mutex_lock(&s->lock);
  int waited = 0;
  while (!s->stop && waited == 0) waited = pthread_cond_timedwait(&s->wake, &s->lock, &until);
  bool stop = s->stop;
  pthread_mutex_unlock(&s->lock);
  return stop;
}

typedef struct thread {
  service *s;
  unsigned role;
  int number;
  pthread_t id;
} thread;

static const char *role_name(unsigned role) {
  if (role == SKEP_ROLE_INITIATOR) return "initiator";
  if (role == SKEP_ROLE_WORKER) return "worker";
  return role == SKEP_ROLE_CLEANER ? "cleaner" : "housekeeper";
}

static int64_t interval(const service *s, unsigned role) {
  const skep_compact_env env = {.config = s->config};
  if (role == SKEP_ROLE_INITIATOR) return skep_compact_ms(&env, "hive.compactor.check.interval", 1000, 300000);
  if (role == SKEP_ROLE_CLEANER) return skep_compact_ms(&env, "hive.compactor.cleaner.run.interval", 1, 5000);
  if (role == SKEP_ROLE_WORKER) return IDLE_MS;
  return skep_compact_housekeeper_interval_ms(&env);
}

/* That a worker is alive is said now and then, also while there is nothing to do; and whether others are is asked. */
static skep_status say_alive(const skep_compact_env *env, int64_t *last_ms, skep_err *err) {
  int64_t now = env->ctx->monotonic_ns(env->ctx->clock_self) / 1000000;
  bool first = *last_ms == 0;
  if (!first && now - *last_ms < ALIVE_MS) return SKEP_OK;
  *last_ms = now;
  SKEP_TRY(skep_compact_worker_beat(env->db, false, err));
  return revive(env, first, err);
}

static skep_status round_of(service *s, unsigned role, const skep_compact_env *env, int64_t *last_ms, bool *again,
                            skep_err *err) {
  *again = false;
  switch (role) {
    case SKEP_ROLE_INITIATOR:
      return initiator_round(s, env, err);
    case SKEP_ROLE_CLEANER:
      return cleaner_round(s, env, err);
    case SKEP_ROLE_HOUSEKEEPER:
      return housekeeper_round(s, env, err);
    default:
      SKEP_TRY(say_alive(env, last_ms, err));
      return worker_round(s, env, again, err);
  }
}

/* Rounds over one connection, until it breaks or the end comes: true. */
static bool rounds(thread *t, skep_compact_seat *seat, int64_t *pause_ms) {
  service *s = t->s;
  int64_t last_ms = 0;
  for (;;) {
    skep_err err = {0};
    bool again = false;
    skep_status status = round_of(s, t->role, &seat->env, &last_ms, &again, &err);
    if (status == SKEP_ERR_CANCELLED) return true;
    if (status != SKEP_OK) {
      complain(s, role_name(t->role), &err);
      if (*pause_ms < 60000) *pause_ms *= 2;
      return nap(s, *pause_ms);
    }
    *pause_ms = RETRY_MS;
    if (nap(s, again ? 0 : interval(s, t->role))) return true;
  }
}

static void *run_thread(void *self) {
  thread *t = self;
  int64_t pause_ms = RETRY_MS;
  bool over = false;
  while (!over) {
    skep_compact_seat seat;
    skep_err err = {0};
    if (open_seat(t->s, t->number, &seat, &err) != SKEP_OK) {
      complain(t->s, role_name(t->role), &err);
      over = nap(t->s, pause_ms);
      continue;
    }
    over = rounds(t, &seat, &pause_ms);
    if (over && t->role == SKEP_ROLE_WORKER) (void)!skep_compact_worker_beat(seat.db, true, NULL);
    skep_compact_seat_close(&seat);
  }
  return NULL;
}

static void wait_for_end(service *s) {
  pthread_mutex_lock(&s->lock);
  while (!s->stop) pthread_cond_wait(&s->wake, &s->lock);
  pthread_mutex_unlock(&s->lock);
}

static skep_status run_daemon(service *s, skep_err *err) {
  static const unsigned single[] = {SKEP_ROLE_INITIATOR, SKEP_ROLE_CLEANER, SKEP_ROLE_HOUSEKEEPER};
  thread threads[MAX_THREADS];
  int n = 0, started = 0;
  skep_compact_exporter *exporter = NULL;
  for (size_t i = 0; i < 3; i++)
    if ((s->roles & single[i]) != 0) threads[n++] = (thread){.s = s, .role = single[i]};
  for (unsigned i = 0; (s->roles & SKEP_ROLE_WORKER) != 0 && i < s->n_workers; i++)
    threads[n++] = (thread){.s = s, .role = SKEP_ROLE_WORKER};
  if (s->args->metrics != NULL)
    SKEP_TRY(skep_compact_exporter_start(s->env->ctx, s->args->metrics, &s->counters, open_exporter_seat, s, &exporter,
                                         err));
  skep_status status = SKEP_OK;
  for (; status == SKEP_OK && started < n; started++) {
    threads[started].number = started + 1;
    if (pthread_create(&threads[started].id, NULL, run_thread, &threads[started]) == 0) continue;
    status = skep_fail(err, SKEP_ERR_NOMEM, "a thread");
    break;
  }
  if (status == SKEP_OK) wait_for_end(s);
  pthread_mutex_lock(&s->lock);
  s->stop = true;
  pthread_cond_broadcast(&s->wake);
  pthread_mutex_unlock(&s->lock);
  for (int i = 0; i < started; i++) pthread_join(threads[i].id, NULL);
  skep_compact_exporter_stop(exporter);
  return status;
}

/* ---- begin and end ---- */

static void on_signal(void *self) {
  service *s = self;
  skep_cancel_ask(&s->cancel); /* a running compaction is put back, its files removed */
  pthread_mutex_lock(&s->lock);
  s->stop = true;
  for (int i = 0; i < MAX_THREADS; i++)
    if (s->gathering[i] != NULL) skep_session_cancel(s->gathering[i]);
  pthread_cond_broadcast(&s->wake);
  pthread_mutex_unlock(&s->lock);
}

static double how_far(void *self) {
  service *s = self;
  int permille = __atomic_load_n(&s->permille, __ATOMIC_SEQ_CST);
  return permille < 0 ? -1.0 : permille / 1000.0;
}

/* --roles wins over Hive's switches; where neither says anything, everything runs. */
static void choose_roles(service *s) {
  const skep_compact_env env = {.config = s->config};
  int64_t threads = skep_compact_int(&env, "hive.compactor.worker.threads", 0);
  s->roles = s->args->roles;
  if (s->roles == 0) {
    if (skep_compact_bool(&env, "hive.compactor.initiator.on", false)) s->roles |= SKEP_ROLE_INITIATOR;
    if (skep_compact_bool(&env, "hive.compactor.cleaner.on", false)) s->roles |= SKEP_ROLE_CLEANER;
    if (threads > 0) s->roles |= SKEP_ROLE_WORKER;
    if (skep_compact_bool(&env, "hive.metastore.housekeeping.threads.on", false)) s->roles |= SKEP_ROLE_HOUSEKEEPER;
  }
  if (s->roles == 0) s->roles = SKEP_ROLE_ALL;
  s->n_workers = s->args->n_workers > 0 ? s->args->n_workers : threads > 0 && threads <= 64 ? (unsigned)threads : 1;
}

/* As a session does when it opens a warehouse: schema, and what a loss of power left. */
static skep_status open_warehouse(service *s, skep_err *err) {
  skep_session_opts opts;
  skep_session *session = NULL;
  session_opts(s, &opts);
  if (s->args->warehouse.url == NULL) {
    skep_stat there;
    skep_status status = skep_fs_stat(s->env->fs, s->url + strlen("sqlite:"), &there, err);
    if (status != SKEP_OK) return skep_wrap(err, status, "no warehouse");
  }
  SKEP_TRY(skep_session_open(&opts, &session, err));
  skep_status status = skep_rollback_check(session, err);
  skep_session_close(session);
  return status;
}

static skep_status run_service(service *s, skep_arena *arena, skep_err *err) {
  SKEP_TRY(skep_config_new(s->env->ctx, &s->config, err));
  SKEP_TRY(skep_cli_read_settings(s->env, arena, s->args->conf, &s->args->settings, s->config, err));
  SKEP_TRY(skep_cli_warehouse_find(s->env, arena, &s->args->warehouse, &s->warehouse, &s->url, err));
  choose_roles(s);
  SKEP_TRY(open_warehouse(s, err));
  return s->args->once ? run_once(s, err) : run_daemon(s, err);
}

int skep_compact_main(const skep_cli_env *env, const skep_compact_args *args, skep_arena *arena) {
  service s = {.env = env, .args = args, .host = "localhost", .permille = -1};
  skep_interrupts interrupts = {0};
  skep_err err = {0};
  if (gethostname(s.host, sizeof s.host) != 0) snprintf(s.host, sizeof s.host, "localhost");
  s.host[sizeof s.host - 1] = '\0';
  skep_alive_tag(s.process);
  snprintf(s.agent, sizeof s.agent, "skep compact%s", s.process);
  if (pthread_mutex_init(&s.lock, NULL) != 0 || pthread_cond_init(&s.wake, NULL) != 0) return SKEP_CLI_FAILED;
  bool watched = args->once && !args->silent && isatty(STDERR_FILENO);
  skep_status status = skep_interrupts_start(&interrupts, env->ctx, watched ? SKEP_SHOW_TIME : SKEP_SHOW_NOTHING, &err);
  if (status == SKEP_OK) {
    skep_interrupts_begin(&interrupts, on_signal, how_far, &s);
    status = run_service(&s, arena, &err);
    skep_interrupts_end(&interrupts);
  }
  skep_interrupts_stop(&interrupts);
  int code = SKEP_CLI_OK;
  if (args->daemon && s.stop && (status == SKEP_OK || status == SKEP_ERR_CANCELLED)) {
    code = SKEP_CLI_OK; /* as asked */
  } else if (status != SKEP_OK) {
    code = skep_cli_failed(&err);
  } else if (s.n_jobs_failed > 0) {
    code = SKEP_CLI_FAILED;
  }
  skep_config_free(s.config);
  pthread_cond_destroy(&s.wake);
  pthread_mutex_destroy(&s.lock);
  return code;
}
