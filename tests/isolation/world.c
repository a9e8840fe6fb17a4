/* Sessions in threads: see world.h. */
#include "world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compact/cleaner.h"
#include "io/memory.h"
#include "sql/compact.h"
#include "support/warehouse.h"

world_session *world_find(world *w, const char *name) { return &w->sessions[name[0] - 'A']; }
world_session *world_observer(world *w) { return &w->sessions[SPEC_MAX_SESSIONS]; }

/* ---- clocks: they stand still but for @clock, or a machine that stalls would be taken for one ---- */

static int64_t world_clock(void *self) {
  world *w = self;
  return w->begun_ms + __atomic_load_n(&w->ahead_ms, __ATOMIC_SEQ_CST);
}

static int64_t session_clock(void *self) {
  world_session *s = self;
  int64_t now = world_clock(s->world);
  return __atomic_load_n(&s->stalled, __ATOMIC_SEQ_CST) ? s->stalled_ms : now;
}

/* Time between two moments: it passes with the clock. */
static int64_t session_monotonic(void *self) {
  const world_session *s = self;
  return world_clock(s->world) * 1000000;
}

/* ---- one statement ---- */

static int compare_lines(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Rows in ascending order of their texts: specs compare sets of rows. */
static void sort_lines(skep_buf *text) {
  size_t n = 0, capacity = text->size / 2 + 2;
  char *all = strndup(skep_buf_string(text), text->size);
  char **lines = calloc(capacity, sizeof *lines);
  if (all == NULL || lines == NULL) abort();
  for (char *at = all; *at != '\0'; n++) {
    char *end = strchr(at, '\n');
    lines[n] = at;
    *end = '\0';
    at = end + 1;
  }
  qsort(lines, n, sizeof *lines, compare_lines);
  skep_buf_reset(text);
  for (size_t i = 0; i < n; i++) skep_buf_printf(text, "%s\n", lines[i]);
  free(lines);
  free(all);
}

/* Values as `copy` prints them, '|' between. The rest of the rows, or only the first batch. */
static skep_status print_rows(skep_result *result, bool all, skep_buf *out, skep_err *err) {
  do {
    const skep_batch *batch;
    skep_status st = skep_result_next(result, &batch, err);
    if (st == SKEP_END) return SKEP_OK;
    if (st != SKEP_OK) return st;
    SKEP_TRY(warehouse_print_batch(batch, '|', out, err));
  } while (all);
  return SKEP_OK;
}

static skep_status open_session(world_session *s, skep_err *err);

/* A session that waits for locks by itself. */
static skep_session_opts opts_for(world_session *s, const char *user) {
  return (skep_session_opts){.ctx = &s->ctx,
                             .fs = s->world->fs,
                             .warehouse_dir = "/warehouse",
                             .metastore_url = s->world->metastore.url,
                             .temp_dir = s->world->dir,
                             .threads = 1,
                             .user = user};
}

static skep_status visit(world_session *s) {
  skep_session *visitor;
  const skep_session_opts opts = opts_for(s, "visitor");
  SKEP_TRY(skep_session_open(&opts, &visitor, &s->err));
  skep_session_close(visitor);
  return SKEP_OK;
}

static skep_status run_sql(world_session *s, const char *sql) {
  skep_result *result;
  skep_status st = skep_session_run(s->session, sql, strlen(sql), &result, &s->err);
  if (st == SKEP_OK && result != NULL) st = print_rows(result, true, &s->rows, &s->err);
  skep_result_free(result);
  return st;
}

static skep_status open_result(world_session *s, const char *sql) {
  SKEP_TRY(skep_session_run(s->session, sql, strlen(sql), &s->open, &s->err));
  skep_status st = print_rows(s->open, false, &s->rows, &s->err);
  skep_buf_reset(&s->rows);
  return st;
}

static skep_status read_rest(world_session *s) {
  skep_status st = print_rows(s->open, true, &s->rows, &s->err);
  skep_result_free(s->open);
  s->open = NULL;
  return st;
}

/* One round of the cleaner: how many entries it finished, and how many have to wait for somebody. */
static skep_status clean(world_session *s) {
  skep_compact_session c;
  skep_compact_cleaning done;
  /* where numbers come out of order a second must pass before it is sure that none is missing */
  if (s->world->metastore.is_postgres)
    SKEP_TRY(skep_db_run(s->world->db, "UPDATE \"TXNS\" SET \"TXN_STARTED\" = \"TXN_STARTED\" - 2000", SKEP_NO_PARAMS,
                         NULL, &s->err));
  skep_compact_session_init(&c, s->session, false);
  SKEP_TRY(skep_compact_clean(&c.env, false, &done, &s->err));
  skep_buf_printf(&s->rows, "%u|%u\n", done.n_cleaned, done.n_waiting);
  return SKEP_OK;
}

/* What a session's thread does for one step. */
static skep_status run(world_session *s, const char *sql) {
  if (sql[0] != '@') return run_sql(s, sql);
  if (strncmp(sql, "@open ", 6) == 0) return open_result(s, sql + 6);
  if (strcmp(sql, "@rest") == 0) return read_rest(s);
  if (strcmp(sql, "@clean") == 0) return clean(s);
  if (strcmp(sql, "@housekeep") == 0) return visit(s);
  if (strcmp(sql, "@reopen") == 0) {
    skep_session_close(s->session);
    s->session = NULL;
    return open_session(s, &s->err);
  }
  return skep_fail(&s->err, SKEP_ERR_ARGUMENT, "what is the step %s?", sql);
}

static void *session_thread(void *self) {
  world_session *s = self;
  world *w = s->world;
  pthread_mutex_lock(&w->lock);
  while (!s->stop) {
    if (s->command == NULL) {
      pthread_cond_wait(&s->wake, &w->lock);
      continue;
    }
    const char *sql = s->command;
    pthread_mutex_unlock(&w->lock);
    skep_buf_reset(&s->rows);
    s->err.text[0] = '\0';
    s->status = run(s, sql);
    sort_lines(&s->rows);
    pthread_mutex_lock(&w->lock);
    s->command = NULL;
    s->state = WORLD_IDLE;
    pthread_cond_broadcast(&w->changed);
  }
  pthread_mutex_unlock(&w->lock);
  return NULL;
}

/* skep_session_opts.lock_wait: stands still until told to look. */
static skep_status wait_for_lock(void *self, skep_session *session, const skep_session_waiting *waiting,
                                 skep_err *err) {
  world_session *s = self;
  world *w = s->world;
  (void)session;
  (void)err;
  pthread_mutex_lock(&w->lock);
  snprintf(s->blocker, sizeof s->blocker, "%s", waiting->user);
  s->blocker_type = waiting->blocker_type;
  if (s->since == 0) s->since = ++w->n_waits;
  s->state = WORLD_WAITING;
  pthread_cond_broadcast(&w->changed);
  while (!s->look) pthread_cond_wait(&s->wake, &w->lock);
  s->look = false;
  s->state = WORLD_RUNNING;
  pthread_mutex_unlock(&w->lock);
  return SKEP_OK;
}

/* ---- moving ---- */

static void wait_until_still(world *w, world_session *s) {
  while (s->state == WORLD_RUNNING) pthread_cond_wait(&w->changed, &w->lock);
}

static void start(world *w, world_session *s, const char *sql) {
  pthread_mutex_lock(&w->lock);
  s->command = sql;
  s->since = 0;
  s->state = WORLD_RUNNING;
  pthread_cond_signal(&s->wake);
  wait_until_still(w, s);
  pthread_mutex_unlock(&w->lock);
}

/* One look; true: it waits no more. */
static bool look_again(world *w, world_session *s) {
  pthread_mutex_lock(&w->lock);
  s->look = true;
  s->state = WORLD_RUNNING;
  pthread_cond_signal(&s->wake);
  wait_until_still(w, s);
  bool came = s->state == WORLD_IDLE;
  pthread_mutex_unlock(&w->lock);
  return came;
}

/* Who began to wait first after `after`, or NULL. */
static world_session *next_waiting(world *w, uint64_t after) {
  world_session *best = NULL;
  for (size_t i = 0; i <= SPEC_MAX_SESSIONS; i++) {
    world_session *s = &w->sessions[i];
    if (s->state != WORLD_WAITING || s->since <= after) continue;
    if (best == NULL || s->since < best->since) best = s;
  }
  return best;
}

void world_settle(world *w) {
  for (bool came = true; came;) {
    came = false;
    uint64_t after = 0;
    for (world_session *s; !came && (s = next_waiting(w, after)) != NULL;) {
      after = s->since;
      came = look_again(w, s);
    }
  }
}

static void change_rows(world *w, const char *sql, int64_t ms, const char *user) {
  skep_err err;
  if (skep_db_run(w->db, sql, SKEP_PARAMS(skep_p_i64(ms), skep_p_text(user)), NULL, &err) != SKEP_OK)
    fprintf(stderr, "time: %s\n", err.text);
}

/* A database server has a clock of its own: what should have become older is made older. */
static void age(world *w, int64_t ms) {
  for (size_t i = 0; i < SPEC_MAX_SESSIONS; i++) {
    const world_session *s = &w->sessions[i];
    if (!s->stalled) continue;
    change_rows(w,
                "UPDATE \"TXNS\" SET \"TXN_LAST_HEARTBEAT\" = \"TXN_LAST_HEARTBEAT\" - ? WHERE \"TXN_STATE\" = 'o' AND "
                "\"TXN_USER\" = ?",
                ms, s->name);
    change_rows(
        w,
        "UPDATE \"HIVE_LOCKS\" SET \"HL_LAST_HEARTBEAT\" = \"HL_LAST_HEARTBEAT\" - ? WHERE \"HL_TXNID\" = 0 AND "
        "\"HL_USER\" = ?",
        ms, s->name);
  }
}

/* Heartbeats of all sessions but those that stand still, as if time had passed for them too. */
static void beat(world *w) {
  for (size_t i = 0; i < SPEC_MAX_SESSIONS; i++) {
    const world_session *s = &w->sessions[i];
    if (s->session == NULL || s->stalled) continue;
    change_rows(w, "UPDATE \"TXNS\" SET \"TXN_LAST_HEARTBEAT\" = ? WHERE \"TXN_STATE\" = 'o' AND \"TXN_USER\" = ?",
                world_clock(w), s->name);
    change_rows(w, "UPDATE \"HIVE_LOCKS\" SET \"HL_LAST_HEARTBEAT\" = ? WHERE \"HL_TXNID\" = 0 AND \"HL_USER\" = ?",
                world_clock(w), s->name);
  }
}

static void pass_time(world *w, int64_t seconds) {
  __atomic_add_fetch(&w->ahead_ms, 1000 * seconds, __ATOMIC_SEQ_CST);
  if (w->metastore.is_postgres)
    age(w, 1000 * seconds);
  else
    beat(w);
}

/* Steps that are not the session's thread's: time, and what is done to a session from outside. */
static bool outside(world *w, world_session *s, const char *sql) {
  if (strncmp(sql, "@clock +", 8) == 0) {
    pass_time(w, strtoll(sql + 8, NULL, 10));
  } else if (strcmp(sql, "@stall") == 0) {
    s->stalled_ms = world_clock(w);
    __atomic_store_n(&s->stalled, true, __ATOMIC_SEQ_CST);
  } else if (strcmp(sql, "@wake") == 0) {
    __atomic_store_n(&s->stalled, false, __ATOMIC_SEQ_CST);
  } else if (strncmp(sql, "@cancel ", 8) == 0) {
    for (size_t i = 0; i < SPEC_MAX_SESSIONS; i++)
      if (w->sessions[i].name[0] == sql[8]) skep_session_cancel(w->sessions[i].session);
  } else {
    return false;
  }
  s->status = SKEP_OK;
  skep_buf_reset(&s->rows);
  return true;
}

char *world_with_database(const world *w, const char *sql) {
  skep_buf out;
  skep_buf_init(&out, &w->ctx, 1 << 20);
  for (const char *at = sql; *at != '\0';) {
    bool name = at[0] == '$' && at[1] == 'D';
    if (name) skep_buf_printf(&out, "%s", w->database);
    if (!name) skep_buf_byte(&out, (uint8_t)*at);
    at += name ? 2 : 1;
  }
  char *text = strdup(skep_buf_string(&out));
  skep_buf_fini(&out);
  if (text == NULL) abort();
  return text;
}

void world_start(world *w, world_session *s, const char *sql) {
  if (outside(w, s, sql)) return;
  free(s->text); /* idle: nothing uses it any more */
  s->text = world_with_database(w, sql);
  start(w, s, s->text);
}

/* ---- a run ---- */

static skep_status open_session(world_session *s, skep_err *err) {
  skep_session_opts opts = opts_for(s, s->name);
  opts.lock_wait = wait_for_lock;
  opts.lock_wait_self = s;
  return skep_session_open(&opts, &s->session, err);
}

static bool must(world *w, world_session *s, const char *sql, char *message, size_t size) {
  world_start(w, s, sql);
  if (s->state == WORLD_IDLE && s->status == SKEP_OK) return true;
  snprintf(message, size, "%s: %s: %s", s->name, sql, s->state == WORLD_IDLE ? s->err.text : "waits");
  return false;
}

static bool set_all(world *w, world_session *s, const spec_lines *set, char *message, size_t size) {
  for (size_t i = 0; i < set->n; i++) {
    char sql[600];
    snprintf(sql, sizeof sql, "SET %s", set->line[i]);
    if (!must(w, s, sql, message, size)) return false;
  }
  return true;
}

static bool prepare_session(world *w, world_session *s, const spec *whole, const spec_lines *own, char *message,
                            size_t size) {
  char use[64];
  skep_err err = {0};
  if (s->session == NULL && open_session(s, &err) != SKEP_OK) {
    snprintf(message, size, "session %s: %s", s->name, err.text);
    return false;
  }
  snprintf(use, sizeof use, "USE %s", w->database);
  return must(w, s, "RESET", message, size) && must(w, s, use, message, size) &&
         set_all(w, s, &whole->set, message, size) && (own == NULL || set_all(w, s, own, message, size));
}

bool world_begin(world *w, const spec *s, char *message, size_t size) {
  world_session *z = world_observer(w);
  char sql[64];
  snprintf(w->database, sizeof w->database, "r%u", ++w->n_runs);
  snprintf(sql, sizeof sql, "CREATE DATABASE %s", w->database);
  if (!must(w, z, sql, message, size)) return false;
  snprintf(sql, sizeof sql, "USE %s", w->database);
  if (!must(w, z, sql, message, size)) return false;
  for (size_t i = 0; i < s->setup.n; i++)
    if (!must(w, z, s->setup.line[i], message, size)) return false;
  for (size_t i = 0; i < s->n_sessions; i++) {
    world_session *one = world_find(w, s->sessions[i]);
    if (!prepare_session(w, one, s, &s->session_set[i], message, size)) return false;
  }
  return true;
}

/* Whatever state it is in: no transaction, nothing that waits. */
static void quiet(world *w, world_session *s) {
  for (int i = 0; s->state == WORLD_WAITING && i < 1000; i++) {
    skep_session_cancel(s->session);
    look_again(w, s);
  }
  skep_result_free(s->open);
  s->open = NULL;
  if (s->session != NULL && skep_session_in_transaction(s->session)) start(w, s, "ROLLBACK");
  __atomic_store_n(&s->stalled, false, __ATOMIC_SEQ_CST);
}

bool world_end(world *w, char *message, size_t size) {
  char sql[64];
  for (size_t i = 0; i < SPEC_MAX_SESSIONS; i++) quiet(w, &w->sessions[i]);
  if (!must(w, world_observer(w), "USE default", message, size)) return false;
  snprintf(sql, sizeof sql, "DROP DATABASE %s CASCADE", w->database);
  return must(w, world_observer(w), sql, message, size);
}

/* ---- opening and closing ---- */

static bool start_thread(world *w, world_session *s, char name) {
  s->name[0] = name;
  s->world = w;
  s->ctx = w->ctx;
  s->ctx.clock_ms = session_clock;
  s->ctx.monotonic_ns = session_monotonic;
  s->ctx.clock_self = s;
  skep_buf_init(&s->rows, &w->ctx, 1 << 26);
  return pthread_cond_init(&s->wake, NULL) == 0 && pthread_create(&s->thread, NULL, session_thread, s) == 0;
}

bool world_open(world *w, char *message, size_t size) {
  skep_err err = {0};
  memset(w, 0, sizeof *w);
  skep_ctx_init(&w->ctx);
  w->begun_ms = w->ctx.clock_ms(w->ctx.clock_self);
  snprintf(w->dir, sizeof w->dir, "%s/skep-isolation-XXXXXX", temp_dir_memory());
  if (mkdtemp(w->dir) == NULL) return snprintf(message, size, "no directory for the metastore"), false;
  metastore_new(&w->metastore, &w->ctx, true);
  if (pthread_mutex_init(&w->lock, NULL) != 0 || pthread_cond_init(&w->changed, NULL) != 0) abort();
  for (size_t i = 0; i <= SPEC_MAX_SESSIONS; i++)
    if (!start_thread(w, &w->sessions[i], i < SPEC_MAX_SESSIONS ? (char)('A' + i) : 'Z')) abort();
  world_session *z = world_observer(w);
  if (skep_fs_memory_new(&w->ctx, &w->fs, &err) == SKEP_OK && open_session(z, &err) == SKEP_OK &&
      skep_db_open(&w->ctx, w->metastore.url, NULL, &w->db, &err) == SKEP_OK)
    return true;
  snprintf(message, size, "%s", err.text);
  return false;
}

void world_close(world *w) {
  for (size_t i = 0; i <= SPEC_MAX_SESSIONS; i++) {
    world_session *s = &w->sessions[i];
    pthread_mutex_lock(&w->lock);
    s->stop = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&w->lock);
    pthread_join(s->thread, NULL);
    skep_session_close(s->session);
    skep_buf_fini(&s->rows);
    free(s->text);
    pthread_cond_destroy(&s->wake);
  }
  skep_db_close(w->db);
  metastore_remove(&w->metastore, &w->ctx);
  skep_fs_free(w->fs);
  pthread_cond_destroy(&w->changed);
  pthread_mutex_destroy(&w->lock);
  temp_dir_remove_tree(w->dir);
}
