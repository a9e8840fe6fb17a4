/* PostgreSQL: the connection, the round trips on it, what its errors mean. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "db/pg_int.h"

enum { RECONNECT_MS = 15000, PAUSE_MS = 100, IDLE_PROBE_MS = 30000 };

/* Every writer of Skep takes this advisory lock, exclusive or shared: "SKEP", 1. Advisory locks are a database's. */
#define SKEP_ADVISORY "(6001255440183427073)"
#define LAZY "pg_catalog.set_config('synchronous_commit', 'off', true)"

static const struct {
  const char *name, *sql;
} fixed[PG_N_FIXED] = {
    [PG_BEGIN_READ] = {"skep_begin_read", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"},
    [PG_BEGIN] = {"skep_begin", "BEGIN ISOLATION LEVEL READ COMMITTED"},
    [PG_COMMIT] = {"skep_commit", "COMMIT"},
    [PG_ROLLBACK] = {"skep_rollback", "ROLLBACK"},
    [PG_ALONE] = {"skep_alone", "SELECT pg_catalog.pg_advisory_xact_lock" SKEP_ADVISORY},
    [PG_BESIDE] = {"skep_beside", "SELECT pg_catalog.pg_advisory_xact_lock_shared" SKEP_ADVISORY},
    [PG_ALONE_LAZY] = {"skep_alone_lazy", "SELECT " LAZY ", pg_catalog.pg_advisory_xact_lock" SKEP_ADVISORY},
    [PG_BESIDE_LAZY] = {"skep_beside_lazy", "SELECT " LAZY ", pg_catalog.pg_advisory_xact_lock_shared" SKEP_ADVISORY},
    [PG_SYNC] = {"skep_sync", "SELECT pg_catalog.pg_logical_emit_message(true, 'skep', '')"},
    /* Hive's is SHARE. What both wait for, and make wait, is EXCLUSIVE, and this one is a fast-path lock: the server
     * need not look through all its sessions each time. */
    [PG_TXNS_SHARE] = {"skep_txns_share", "LOCK TABLE \"TXN_LOCK_TBL\" IN ROW SHARE MODE"},
    [PG_TXNS_EXCLUSIVE] = {"skep_txns_exclusive", "LOCK TABLE \"TXN_LOCK_TBL\" IN EXCLUSIVE MODE"},
    [PG_SAVEPOINT] = {"skep_savepoint", "SAVEPOINT skep"},
    [PG_RELEASE] = {"skep_release", "RELEASE SAVEPOINT skep"},
    [PG_ROLLBACK_TO] = {"skep_rollback_to", "ROLLBACK TO SAVEPOINT skep"},
    [PG_PREPARE_POINT] = {"skep_prepare_point", "SAVEPOINT skep_prepare"},
    [PG_PREPARE_RELEASE] = {"skep_prepare_release", "RELEASE SAVEPOINT skep_prepare"},
    [PG_PREPARE_ROLLBACK] = {"skep_prepare_rollback", "ROLLBACK TO SAVEPOINT skep_prepare"},
};

int64_t pg_boottime_ns(void) {
  struct timespec t;
  (void)clock_gettime(CLOCK_BOOTTIME, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t pg_number(const char *text) {
  bool negative = *text == '-';
  int64_t n = 0;
  for (text += negative || *text == '+' ? 1 : 0; *text >= '0' && *text <= '9'; text++) {
    int digit = *text - '0';
    if (n < (INT64_MIN + digit) / 10) return negative ? INT64_MIN : INT64_MAX;
    n = n * 10 - digit; /* below zero, where there is one more */
  }
  if (negative) return n;
  return n == INT64_MIN ? INT64_MAX : -n;
}

/* --- errors --- */

/* Source: PostgreSQL 15 documentation, appendix A: classes are the first two letters. */
skep_status pg_status_of(const char *sqlstate) {
  static const struct {
    const char *begins;
    skep_status status;
  } known[] = {
      {"23505", SKEP_ERR_EXISTS},    /* unique_violation */
      {"42P07", SKEP_ERR_EXISTS},    /* duplicate_table: two programs made the schema */
      {"42710", SKEP_ERR_EXISTS},    /* duplicate_object */
      {"42P04", SKEP_ERR_EXISTS},    /* duplicate_database */
      {"42P01", SKEP_ERR_NOT_FOUND}, /* undefined_table */
      {"42703", SKEP_ERR_NOT_FOUND}, /* undefined_column */
      {"3F000", SKEP_ERR_NOT_FOUND}, /* invalid_schema_name */
      {"3D000", SKEP_ERR_NOT_FOUND}, /* invalid_catalog_name: no such database */
      {"40001", SKEP_ERR_BUSY},      /* serialization_failure */
      {"40P01", SKEP_ERR_BUSY},      /* deadlock_detected */
      {"55P03", SKEP_ERR_BUSY},      /* lock_not_available: lock_timeout */
      {"57014", SKEP_ERR_CANCELLED}, /* query_canceled */
      {"53200", SKEP_ERR_NOMEM},     /* out_of_memory, the server's */
      {"54", SKEP_ERR_LIMIT},        /* program_limit_exceeded */
      {"22", SKEP_ERR_ARGUMENT},     /* data_exception: too long, not UTF-8, out of range */
      {"23", SKEP_ERR_ARGUMENT},     /* other constraints */
      {"XX001", SKEP_ERR_CORRUPT},   /* data_corrupted */
      {"XX002", SKEP_ERR_CORRUPT},   /* index_corrupted */
      {"08", SKEP_ERR_IO},           /* connections */
      {"25", SKEP_ERR_IO},           /* a transaction that failed, or only reads */
      {"28", SKEP_ERR_IO},           /* authorization */
      {"40", SKEP_ERR_IO},           /* rolled back */
      {"42501", SKEP_ERR_IO},        /* insufficient_privilege */
      {"53", SKEP_ERR_IO},           /* disk_full, too_many_connections */
      {"57", SKEP_ERR_IO},           /* the server shuts down */
      {"58", SKEP_ERR_IO},           /* the server's system failed */
  };
  if (sqlstate == NULL) return SKEP_ERR_IO;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strncmp(sqlstate, known[i].begins, strlen(known[i].begins)) == 0) return known[i].status;
  }
  return SKEP_ERR_INTERNAL;
}

bool pg_is_lost(const pg_db *db) { return db->conn == NULL || PQstatus(db->conn) == CONNECTION_BAD; }

/* libpq's messages have several lines, some with a tab before them: here one, cut to fit. Returns its length. */
static size_t join_lines(const char *text, char *out, size_t size) {
  size_t n = 0;
  for (; *text != 0 && n + 1 < size; text++) {
    bool is_space = *text == '\n' || *text == '\r' || *text == '\t' || *text == ' ';
    if (is_space && (n == 0 || out[n - 1] == ' ')) continue;
    out[n++] = is_space ? ' ' : *text;
  }
  while (n > 0 && out[n - 1] == ' ') n--;
  return n;
}

skep_status pg_fail(pg_db *db, const PGresult *result, skep_err *err) {
  char quoted[400], line[400];
  const char *state = result != NULL ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
  const char *text = result != NULL ? PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY) : NULL;
  if (text == NULL && result != NULL) text = PQresultErrorMessage(result);
  if (text == NULL || text[0] == 0) text = db->conn != NULL ? PQerrorMessage(db->conn) : "";
  size_t n = join_lines(text, line, sizeof line);
  if (n == 0) n = join_lines("the connection to the metastore was lost", line, sizeof line);
  return skep_fail(err, pg_is_lost(db) ? SKEP_ERR_IO : pg_status_of(state), "%s",
                   skep_quote(quoted, sizeof quoted, line, n));
}

/* --- round trips --- */

skep_status pg_queued(pg_db *db, int sent, skep_err *err) {
  if (sent == 0) return pg_fail(db, NULL, err);
  db->n_queued++;
  return SKEP_OK;
}

skep_status pg_queue_fixed(pg_db *db, pg_fixed what, skep_err *err) {
  return pg_queued(db, PQsendQueryPrepared(db->conn, fixed[what].name, 0, NULL, NULL, NULL, 0), err);
}

void pg_await(pg_db *db, pg_awaited *a) {
  pg_awaited **end = &db->awaited;
  while (*end != NULL) end = &(*end)->next;
  *a = (pg_awaited){.position = db->n_queued - 1};
  *end = a;
}

void pg_forget(pg_db *db, pg_awaited *a) {
  for (pg_awaited **at = &db->awaited; *at != NULL; at = &(*at)->next) {
    if (*at != a) continue;
    *at = a->next;
    return;
  }
}

/* What comes of an answer: kept by whoever awaits it, else the last one is. */
static void take_answer(pg_db *db, PGresult *r, uint32_t position, PGresult **last) {
  PQclear(*last);
  *last = NULL;
  if (db->awaited == NULL || db->awaited->position != position) {
    *last = r;
    return;
  }
  db->awaited->result = r;
  db->awaited = db->awaited->next;
}

/* The answers up to that of the flush. A lost connection ends them, too. */
static void read_answers(pg_db *db, PGresult **last, PGresult **failure, uint32_t *n_done) {
  uint64_t bound = (uint64_t)db->n_queued * 2 + 16;
  for (uint64_t i = 0; i < bound; i++) {
    PGresult *r = PQgetResult(db->conn);
    if (r == NULL) {
      if (pg_is_lost(db)) return;
      continue; /* the end of one command's answers */
    }
    ExecStatusType status = PQresultStatus(r);
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) {
      db->rolled_back = db->rolled_back || strcmp(PQcmdStatus(r), "ROLLBACK") == 0;
      take_answer(db, r, (*n_done)++, last);
    } else if (status == PGRES_PIPELINE_SYNC) {
      PQclear(r);
      return;
    } else if (status != PGRES_PIPELINE_ABORTED && *failure == NULL) {
      *failure = r;
    } else {
      PQclear(r);
    }
  }
}

skep_status pg_flush(pg_db *db, PGresult **last, uint32_t *n_done, skep_err *err) {
  PGresult *answer = NULL, *failure = NULL;
  uint32_t done = 0, n = db->n_queued;
  db->rolled_back = false;
  if (last != NULL) *last = NULL;
  skep_status status = SKEP_OK;
  if (pg_is_lost(db) || PQpipelineSync(db->conn) == 0) {
    status = pg_fail(db, NULL, err);
  } else {
    read_answers(db, &answer, &failure, &done);
    if (failure != NULL || done != n || pg_is_lost(db)) status = pg_fail(db, failure, err);
  }
  db->n_queued = 0;
  db->awaited = NULL;
  db->last_use_ns = pg_boottime_ns();
  if (n_done != NULL) *n_done = done;
  if (status != SKEP_OK && db->base.active) db->failed = true;
  PQclear(failure);
  if (status == SKEP_OK && last != NULL) {
    *last = answer;
  } else {
    PQclear(answer);
  }
  return status;
}

skep_status pg_run_text(pg_db *db, const char *sql, skep_err *err) {
  if (PQexitPipelineMode(db->conn) == 0) return pg_fail(db, NULL, err);
  PGresult *r = PQexec(db->conn, sql);
  ExecStatusType code = PQresultStatus(r);
  skep_status status = SKEP_OK;
  if (code != PGRES_COMMAND_OK && code != PGRES_TUPLES_OK && code != PGRES_EMPTY_QUERY) status = pg_fail(db, r, err);
  PQclear(r);
  if (!pg_is_lost(db) && PQenterPipelineMode(db->conn) == 0 && status == SKEP_OK) status = pg_fail(db, NULL, err);
  if (status != SKEP_OK && db->base.active) db->failed = true;
  return status;
}

/* --- connecting --- */

static void be_silent(void *self, const char *message) {
  (void)self;
  (void)message;
}

static skep_status prepare_fixed(pg_db *db, skep_err *err) {
  for (int i = 0; i < PG_N_FIXED; i++) {
    /* A schema of Hive 3 has no TXN_LOCK_TBL, an empty database has none yet; LOCK is looked at when it runs. */
    SKEP_TRY(pg_queued(db, PQsendPrepare(db->conn, fixed[i].name, fixed[i].sql, 0, NULL), err));
  }
  return pg_flush(db, NULL, NULL, err);
}

/* Every statement finds its rows by values: one plan for all of them is as good as one for each, which the server
 * would otherwise make anew each time once its tables have grown (a quarter of its work for a transaction's life). */
static const char one_plan[] = "; SET plan_cache_mode TO force_generic_plan"; /* since PostgreSQL 12 */

static skep_status set_up(pg_db *db, skep_err *err) {
  char sql[300];
  int64_t wait_ms = db->busy_wait_ms < 1 ? 1 : db->busy_wait_ms > INT32_MAX ? INT32_MAX : db->busy_wait_ms;
  int version = PQserverVersion(db->conn);
  if (version < 100000)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "PostgreSQL %d: 10 or newer is needed", version / 10000);
  snprintf(sql, sizeof sql, "SET lock_timeout TO %lld; SET standard_conforming_strings TO on%s%s", (long long)wait_ms,
           version >= 120000 ? one_plan : "", db->read_only ? "; SET default_transaction_read_only TO on" : "");
  if (PQenterPipelineMode(db->conn) == 0) return pg_fail(db, NULL, err);
  SKEP_TRY(pg_run_text(db, sql, err));
  SKEP_TRY(prepare_fixed(db, err));
  return pg_measure_clock(db, err);
}

static void keep_cancel(pg_db *db) {
  PGcancel *fresh = db->conn != NULL ? PQgetCancel(db->conn) : NULL;
  (void)pthread_mutex_lock(&db->cancel_lock);
  PGcancel *old = db->cancel;
  db->cancel = fresh;
  (void)pthread_mutex_unlock(&db->cancel_lock);
  PQfreeCancel(old);
}

void pg_disconnect(pg_db *db) {
  PQfinish(db->conn);
  db->conn = NULL;
  db->n_queued = 0;
  db->awaited = NULL;
  if (db->has_lock) keep_cancel(db);
}

/* Defaults stand before the URL, which may say otherwise; what must be so stands behind it. */
skep_status pg_connect(pg_db *db, skep_err *err) {
  static const char *const keys[] = {"fallback_application_name", "connect_timeout", "dbname", "client_encoding", NULL};
  const char *const values[] = {"skep", "20", db->url, "UTF8", NULL};
  pg_disconnect(db);
  db->conn = PQconnectdbParams(keys, values, 1);
  if (db->conn == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "metastore connection");
  PQsetNoticeProcessor(db->conn, be_silent, NULL);
  skep_status status = pg_is_lost(db) ? pg_fail(db, NULL, err) : set_up(db, err);
  if (status != SKEP_OK) {
    bool missing = err != NULL && strstr(err->text, "does not exist") != NULL && strstr(err->text, "database") != NULL;
    pg_disconnect(db);
    if (!missing) return status;
    err->status = SKEP_ERR_NOT_FOUND;
    return SKEP_ERR_NOT_FOUND;
  }
  keep_cancel(db);
  db->generation++;
  memset(db->base.memo, 0, sizeof db->base.memo);
  return SKEP_OK;
}

/* Looks into the socket: an idle connection has nothing to say but that it ends (or a change of settings). */
static bool is_alive(pg_db *db) {
  if (pg_is_lost(db)) return false;
  for (int i = 0; i < 8; i++) {
    char byte;
    ssize_t n = recv(PQsocket(db->conn), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
    if (n == 0 || PQconsumeInput(db->conn) == 0) return false;
    (void)PQisBusy(db->conn); /* takes it in */
    if (pg_is_lost(db)) return false;
  }
  return true;
}

static bool answers(pg_db *db) {
  skep_err ignored;
  return pg_flush(db, NULL, NULL, &ignored) == SKEP_OK;
}

skep_status pg_ensure(pg_db *db, skep_err *err) {
  bool rested = pg_boottime_ns() - db->last_use_ns > (int64_t)IDLE_PROBE_MS * 1000000;
  if (is_alive(db) && (!rested || answers(db))) return SKEP_OK;
  int64_t start = pg_boottime_ns();
  for (;;) {
    skep_status status = pg_connect(db, err);
    if (status != SKEP_ERR_IO) return status;
    if (atomic_load(&db->interrupted)) return skep_fail(err, SKEP_ERR_CANCELLED, "connecting was called off");
    if (pg_boottime_ns() - start > (int64_t)RECONNECT_MS * 1000000)
      return skep_wrap(err, status, "%s cannot be reached any more", db->base.name);
    struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
    (void)nanosleep(&pause, NULL);
  }
}

/* --- the clock --- */

skep_status pg_measure_clock(pg_db *db, skep_err *err) {
  static const char sql[] = "SELECT pg_catalog.round(extract(epoch FROM pg_catalog.clock_timestamp()) * 1000)::bigint";
  PGresult *r = NULL;
  int64_t before = pg_boottime_ns();
  SKEP_TRY(pg_queued(db, PQsendQueryParams(db->conn, sql, 0, NULL, NULL, NULL, NULL, 0), err));
  SKEP_TRY(pg_flush(db, &r, NULL, err));
  int64_t after = pg_boottime_ns();
  int64_t server_ms = PQntuples(r) == 1 ? pg_number(PQgetvalue(r, 0, 0)) : 0;
  PQclear(r);
  if (server_ms <= 0) return skep_fail(err, SKEP_ERR_INTERNAL, "the metastore's clock has no time");
  db->offset_ms = server_ms - (before / 2 + after / 2) / 1000000;
  db->measured_ns = after;
  return SKEP_OK;
}
