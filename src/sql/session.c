/* Sessions: opening a warehouse, its connection and engine, and what statements share. The statements themselves start
 * in statement.c. */
#include "sql/session_int.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "db/schema.h"
#include "sql/given.h"
#include "sql/heartbeat.h"
#include "sql/legacy_locks.h"
#include "sql/metastore_place.h"
#include "sql/moves.h"
#include "sql/spill.h"
#include "sql/statement.h"
#include "sql/transaction.h"

enum { SESSION_MAX_NOTES = 100, SESSION_MAX_ARENA = 1 << 30 };

/* ---- opening ---- */

static skep_status copy_text(const skep_ctx *ctx, const char *text, char **out, skep_err *err) {
  *out = skep_strndup(ctx, text, strlen(text));
  return *out != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "a session");
}

/* A directory without '/' at its end ("/" itself becomes ""). */
static skep_status copy_dir(const skep_ctx *ctx, const char *dir, char **out, skep_err *err) {
  size_t length = strlen(dir);
  if (length == 0 || dir[0] != '/') {
    char quoted[300];
    return skep_fail(err, SKEP_ERR_ARGUMENT, "a warehouse needs an absolute path, not '%s'",
                     skep_quote(quoted, sizeof quoted, dir, length));
  }
  while (length > 0 && dir[length - 1] == '/') length--;
  *out = skep_strndup(ctx, dir, length);
  return *out != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "a session");
}

static skep_status open_settings(skep_session *s, const skep_session_opts *opts, skep_err *err) {
  if (opts->config != NULL) {
    SKEP_TRY(skep_config_copy(opts->config, &s->opened_with, err));
  } else {
    SKEP_TRY(skep_config_new(s->ctx, &s->opened_with, err));
  }
  SKEP_TRY(skep_config_copy(s->opened_with, &s->config, err));
  SKEP_TRY(skep_config_new(s->ctx, &s->variables, err));
  for (uint32_t i = 0; i < opts->n_hivevars; i++) {
    char name[SKEP_CONFIG_MAX_NAME_BYTES];
    int length = snprintf(name, sizeof name, "hivevar:%s", opts->hivevars[i].name);
    if (length < 0 || (size_t)length >= sizeof name)
      return skep_fail(err, SKEP_ERR_LIMIT, "the name of a variable is too long");
    SKEP_TRY(skep_config_set(s->variables, name, opts->hivevars[i].value, err));
  }
  return SKEP_OK;
}

/* Where queries spill unless somebody says where: inside the warehouse. */
static skep_status default_temp_dir(skep_session *s, skep_err *err) {
  skep_buf path;
  skep_buf_init(&path, s->ctx, 1 << 16);
  skep_buf_printf(&path, "%s/", s->warehouse);
  skep_spill_name(s->ctx, &path);
  skep_status st = skep_buf_check(&path, "a session", err);
  if (st == SKEP_OK) st = copy_text(s->ctx, skep_buf_string(&path), &s->temp_dir, err);
  skep_buf_fini(&path);
  return st;
}

static skep_status open_texts(skep_session *s, const skep_session_opts *opts, skep_err *err) {
  SKEP_TRY(copy_dir(s->ctx, opts->warehouse_dir, &s->warehouse, err));
  SKEP_TRY(copy_dir(s->ctx, opts->external_dir != NULL ? opts->external_dir : opts->warehouse_dir, &s->external, err));
  SKEP_TRY(copy_text(s->ctx, opts->user != NULL ? opts->user : "anonymous", &s->user, err));
  SKEP_TRY(copy_text(s->ctx, opts->host != NULL ? opts->host : "localhost", &s->host, err));
  SKEP_TRY(copy_text(s->ctx, "default", &s->current_db, err));
  if (opts->temp_dir == NULL) return default_temp_dir(s, err);
  return copy_text(s->ctx, opts->temp_dir, &s->temp_dir, err);
}

static skep_status open_metastore(skep_session *s, const skep_session_opts *opts, skep_err *err) {
  const char *url = opts->metastore_url;
  if (url == NULL) SKEP_TRY(skep_metastore_default(s->ctx, s->fs, &s->arena, s->warehouse, &url, err));
  const skep_db_opts db_opts = {.create = !opts->read_only,
                                .read_only = opts->read_only,
                                .busy_wait_ms = 60000,
                                .checkpoint_pages = 8000,
                                .boot_id = opts->boot_id,
                                .faults = opts->db_faults};
  SKEP_TRY(skep_db_open(s->ctx, url, &db_opts, &s->db, err));
  const char *uri = skep_catalog_uri(&s->arena, s->warehouse);
  if (uri == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a session");
  SKEP_TRY(skep_schema_ensure(s->db, uri, NULL, NULL, err));
  const skep_catalog_opts catalog_opts = {.warehouse = s->warehouse, .external = s->external, .user = s->user};
  return skep_catalog_open(s->ctx, s->db, &catalog_opts, &s->catalog, err);
}

static skep_status open_all(skep_session *s, const skep_session_opts *opts, skep_err *err) {
  skep_arena_init(&s->arena, s->ctx, SESSION_MAX_ARENA);
  skep_arena_init(&s->txn_arena, s->ctx, SESSION_MAX_ARENA);
  SKEP_TRY(open_settings(s, opts, err));
  SKEP_TRY(open_texts(s, opts, err));
  if (!opts->read_only) SKEP_TRY(skep_fs_mkdirs(s->fs, s->warehouse, err));
  SKEP_TRY(open_metastore(s, opts, err));
  s->engine_opts =
      (skep_engine_opts){.temp_dir = s->temp_dir, .memory_limit_bytes = opts->memory_bytes, .threads = opts->threads};
  if (skep_db_is_read_only(s->db)) return SKEP_OK;
  if (opts->metastore_url != NULL) skep_metastore_remember(s->ctx, s->fs, s->warehouse, s->db);
  SKEP_TRY(skep_moves_recover(s, err));
  skep_spill_clean(s);
  return skep_transaction_housekeep(s, err);
}

skep_status skep_session_open(const skep_session_opts *opts, skep_session **out, skep_err *err) {
  *out = NULL;
  if (opts->ctx == NULL || opts->fs == NULL || opts->warehouse_dir == NULL)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "a session needs a context, a file system and a warehouse");
  skep_session *s = skep_alloc_zero(opts->ctx, 1, sizeof *s);
  if (s == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a session");
  if (pthread_mutex_init(&s->cancel_lock, NULL) != 0) {
    skep_release(opts->ctx, s);
    return skep_fail(err, SKEP_ERR_NOMEM, "a session");
  }
  s->ctx = opts->ctx;
  s->fs = opts->fs;
  s->environment = opts->environment;
  s->job_permille = -1;
  s->heartbeats = opts->heartbeats;
  s->number = s->ctx->random(s->ctx->random_self);
  skep_alive_tag(s->process);
  s->no_locks = opts->no_locks;
  s->lock_wait = opts->lock_wait;
  s->lock_wait_self = opts->lock_wait_self;
  skep_status st = open_all(s, opts, err);
  if (st != SKEP_OK) {
    skep_session_close(s);
    return st;
  }
  *out = s;
  return SKEP_OK;
}

static void clear_notes(skep_session *s) {
  for (size_t i = 0; i < s->notes.n; i++) skep_release(s->ctx, s->notes.lines[i]);
  s->notes.n = 0;
}

void skep_session_close(skep_session *s) {
  if (s == NULL) return;
  if (s->txn.txn.id != 0) skep_transaction_abandon(s, false);
  skep_transaction_retry(s);
  skep_heartbeat_stop(s);
  clear_notes(s);
  skep_release(s->ctx, s->notes.lines);
  skep_given_forget(s);
  skep_engine_close(s->engine);
  skep_legacy_forget(s);
  skep_catalog_close(s->catalog);
  skep_db_close(s->db);
  skep_config_free(s->config);
  skep_config_free(s->opened_with);
  skep_config_free(s->variables);
  skep_arena_fini(&s->arena);
  skep_arena_fini(&s->txn_arena);
  skep_release(s->ctx, s->warehouse);
  skep_release(s->ctx, s->external);
  skep_release(s->ctx, s->user);
  skep_release(s->ctx, s->host);
  skep_release(s->ctx, s->current_db);
  skep_release(s->ctx, s->temp_dir);
  (void)pthread_mutex_destroy(&s->cancel_lock);
  skep_release(s->ctx, s);
}

/* ---- running ---- */

enum { STATEMENTS_UNKEPT = 1000, MS_UNKEPT = 60 * 1000 };

/* What is done when a warehouse is opened, now and then in a session that goes on: dead transactions, rows and
 * directories that nobody needs. A failure is no matter of the statement: it is tried again. */
static void keep_house(skep_session *s) {
  int64_t now = s->ctx->clock_ms(s->ctx->clock_self);
  if (s->kept_ms == 0) s->kept_ms = now;
  if (skep_db_is_read_only(s->db)) return;
  if ((++s->n_unkept < STATEMENTS_UNKEPT && now - s->kept_ms < MS_UNKEPT) || s->txn.txn.id != 0) return;
  s->n_unkept = 0;
  s->kept_ms = now;
  skep_err why = {0};
  if (skep_transaction_housekeep(s, &why) != SKEP_OK) skep_log(s->ctx, SKEP_LOG_WARN, "house-keeping: %s", why.text);
}

/* As Hive's query ids, the time readable: operators see them in SHOW LOCKS and SHOW TRANSACTIONS. What tells sessions
 * apart is drawn once, when they open. */
static void new_query_id(skep_session *s) {
  time_t seconds = (time_t)(s->ctx->clock_ms(s->ctx->clock_self) / 1000);
  struct tm t = {0};
  (void)gmtime_r(&seconds, &t);
  snprintf(s->query_id, sizeof s->query_id,
           SKEP_QUERY_ID_PREFIX "%04d%02d%02d%02d%02d%02d_%016" PRIx64 "-%" PRIu64 "%s", t.tm_year + 1900, t.tm_mon + 1,
           t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, s->number, ++s->n_queries, s->process);
}

skep_status skep_session_run(skep_session *s, const char *text, size_t length, skep_result **out, skep_err *err) {
  *out = NULL;
  if (s->has_run) clear_notes(s);
  s->has_run = true;
  if (!s->holds_cancel) __atomic_store_n(&s->cancelled, 0, __ATOMIC_SEQ_CST);
  skep_arena_fini(&s->arena);
  skep_arena_init(&s->arena, s->ctx, SESSION_MAX_ARENA);
  new_query_id(s);
  s->begun_ns = s->ctx->monotonic_ns(s->ctx->clock_self);
  s->has_waited = false;
  skep_transaction_retry(s);
  keep_house(s);
  return skep_statement_execute(s, text, length, out, err);
}

bool skep_session_waits_for(skep_session *s, char *out, size_t size) {
  (void)pthread_mutex_lock(&s->cancel_lock);
  bool waits = s->waits_for[0] != 0;
  snprintf(out, size, "%s", s->waits_for);
  (void)pthread_mutex_unlock(&s->cancel_lock);
  return waits;
}

void skep_session_cancel(skep_session *s) {
  __atomic_store_n(&s->cancelled, 1, __ATOMIC_SEQ_CST);
  skep_engine *engine = __atomic_load_n(&s->engine, __ATOMIC_SEQ_CST);
  if (engine != NULL) skep_engine_interrupt(engine);
  (void)pthread_mutex_lock(&s->cancel_lock);
  if (!s->undoing) skep_db_interrupt(s->db); /* it may wait for another writer */
  (void)pthread_mutex_unlock(&s->cancel_lock);
}

void skep_session_hold_cancel(skep_session *s, bool holds) {
  if (holds) __atomic_store_n(&s->cancelled, 0, __ATOMIC_SEQ_CST);
  s->holds_cancel = holds;
}

double skep_session_progress(const skep_session *s) {
  int permille = __atomic_load_n(&s->job_permille, __ATOMIC_SEQ_CST);
  if (permille >= 0) return permille / 1000.0;
  skep_engine *engine = __atomic_load_n(&s->engine, __ATOMIC_SEQ_CST);
  return engine == NULL ? -1.0 : skep_engine_progress(engine);
}

skep_status skep_session_check(skep_session *s, skep_err *err) {
  if (__atomic_load_n(&s->cancelled, __ATOMIC_SEQ_CST) == 0) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_CANCELLED, "the statement was cancelled");
}

skep_status skep_session_engine(skep_session *s, skep_engine **out, skep_err *err) {
  *out = s->engine;
  if (s->engine != NULL) return SKEP_OK;
  skep_engine *engine;
  SKEP_TRY(skep_engine_open(s->ctx, &s->engine_opts, &engine, err));
  __atomic_store_n(&s->engine, engine, __ATOMIC_SEQ_CST);
  *out = engine;
  return SKEP_OK;
}

/* ---- what others ask ---- */

const char *skep_session_database(const skep_session *s) { return s->current_db; }
bool skep_session_in_transaction(const skep_session *s) { return s->txn.is_explicit; }
const char *skep_session_notice(const skep_session *s, size_t i) { return i < s->notes.n ? s->notes.lines[i] : NULL; }

void skep_session_note(skep_session *s, const char *format, ...) {
  char line[1024];
  va_list args;
  if (s->notes.n >= SESSION_MAX_NOTES) return;
  va_start(args, format);
  int length = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (length < 0) return;
  void *grown = s->notes.lines;
  if (skep_grow(s->ctx, &grown, &s->notes.capacity, s->notes.n + 1, sizeof *s->notes.lines, NULL) != SKEP_OK) return;
  s->notes.lines = grown;
  char *copy = skep_strndup(s->ctx, line, strlen(line));
  if (copy != NULL) s->notes.lines[s->notes.n++] = copy;
}

skep_status skep_use_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  const skep_catalog_db *db;
  (void)out;
  SKEP_TRY(skep_db_begin(s->db, SKEP_DB_READ, err));
  skep_status st = skep_catalog_get_database(s->catalog, &s->arena, statement->use, &db, err);
  skep_db_rollback(s->db);
  if (st == SKEP_ERR_NOT_FOUND) {
    char quoted[300];
    return skep_fail(err, SKEP_ERR_SEMANTIC, "SemanticException [Error 10072]: Database does not exist: %s",
                     skep_quote(quoted, sizeof quoted, statement->use, strlen(statement->use)));
  }
  if (st != SKEP_OK) return st;
  char *name;
  SKEP_TRY(copy_text(s->ctx, db->name, &name, err));
  skep_release(s->ctx, s->current_db);
  s->current_db = name;
  return SKEP_OK;
}
