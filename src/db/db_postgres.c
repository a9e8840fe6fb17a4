/* PostgreSQL behind skep_db, on libpq: prepared statements, transactions at READ COMMITTED with row locks.
 *
 * Few round trips: BEGIN, the locks of a mode and changes whose count nobody asks for wait in the output until a
 * question needs an answer (db.h says what that means for failures). Values travel as text; libpq allocates with
 * malloc and has no context. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "column/text.h"
#include "db/pg_int.h"

enum { OID_BOOL = 16, OID_BYTEA = 17, OID_INT8 = 20, OID_FLOAT8 = 701, MAX_PARAMS = 4096, CLOCK_KEEP_MS = 10000 };

typedef struct pg_stmt {
  skep_stmt base;
  char *text;          /* the server's, with $1, $2, ... */
  uint64_t generation; /* of the connection that knows it; 0: none */
  char name[24];
  int n_params;
  const char **values;
  int *lengths, *formats;
  Oid *types;        /* of the values that it was prepared with; 0: the server finds it out */
  skep_buf copies;   /* of the values */
  PGresult *result;  /* of this run; NULL: not run yet, or it has no rows to show */
  pg_awaited answer; /* of a run that was sent and not awaited */
  bool ran, is_sent;
  int row;
  uint8_t *bytes; /* of the blob that was asked for last */
  size_t bytes_capacity;
} pg_stmt;

static const skep_dialect dialect = {.name = "PostgreSQL",
                                     .ids_in_order = false,
                                     .is_local = false,
                                     .at_once = true,
                                     .for_update = " FOR UPDATE",
                                     .serial = "BIGSERIAL PRIMARY KEY",
                                     .id = "BIGINT"};

static skep_status failed_before(skep_err *err) {
  return skep_fail(err, SKEP_ERR_IO, "the database transaction was rolled back after an earlier failure in it");
}

/* --- opening --- */

/* "postgresql://user@host:port/database". */
static void set_name(pg_db *db) {
  char text[400];
  const char *host = PQhost(db->conn), *user = PQuser(db->conn), *port = PQport(db->conn), *name = PQdb(db->conn);
  snprintf(text, sizeof text, "postgresql://%s%s%s%s%s/%s", user != NULL ? user : "", user != NULL ? "@" : "",
           host != NULL ? host : "", port != NULL && port[0] != 0 ? ":" : "", port != NULL ? port : "",
           name != NULL ? name : "");
  skep_quote(db->base.name, sizeof db->base.name, text, strlen(text));
}

static void pg_close(skep_db *base) {
  pg_db *db = (pg_db *)base;
  pg_disconnect(db);
  if (db->has_lock) (void)pthread_mutex_destroy(&db->cancel_lock);
  skep_release(base->ctx, db->url);
  skep_release(base->ctx, db);
}

static const skep_db_backend backend;

skep_status skep_db_postgres_open(const skep_ctx *ctx, const char *url, const skep_db_opts *opts, skep_db **out,
                                  skep_err *err) {
  pg_db *db = skep_alloc_zero(ctx, 1, sizeof *db);
  if (db == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "metastore connection");
  db->base.vt = &backend;
  db->base.ctx = ctx;
  db->read_only = opts->read_only;
  db->busy_wait_ms = opts->busy_wait_ms;
  db->url = skep_strndup(ctx, url, strlen(url));
  db->has_lock = pthread_mutex_init(&db->cancel_lock, NULL) == 0;
  skep_err reason = {0};
  skep_status status = db->url == NULL || !db->has_lock ? skep_fail(&reason, SKEP_ERR_NOMEM, "metastore connection")
                                                        : pg_connect(db, &reason);
  if (status != SKEP_OK) {
    pg_close(&db->base);
    if (err != NULL) *err = reason;
    return skep_wrap(err, status, "PostgreSQL metastore");
  }
  set_name(db);
  *out = &db->base;
  return SKEP_OK;
}

/* --- statements --- */

/* `?` outside of quotes becomes $1, $2, ...; returns how many, -1 when there are too many. */
static int number_parameters(const char *sql, skep_buf *out) {
  int n = 0;
  char quote = 0;
  for (const char *at = sql; *at != 0; at++) {
    if (quote != 0) {
      if (*at == quote) quote = 0;
    } else if (*at == '\'' || *at == '"') {
      quote = *at;
    } else if (*at == '?') {
      if (++n > MAX_PARAMS) return -1;
      skep_buf_printf(out, "$%d", n);
      continue;
    }
    skep_buf_byte(out, (uint8_t)*at);
  }
  return n;
}

static bool only_reads(const char *sql) {
  static const char *const words[] = {"SELECT", "VALUES", "SHOW", "EXPLAIN", "TABLE"};
  while (*sql == ' ' || *sql == '(' || *sql == '\n') sql++;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strncmp(sql, words[i], strlen(words[i])) == 0) return true;
  }
  return false;
}

/* BEGIN goes with the first statement, so that a transaction without one costs nothing. */
static skep_status ensure_begun(pg_db *db, skep_err *err) {
  if (!db->base.active || db->begun) return SKEP_OK;
  skep_db_mode mode = db->base.mode;
  db->begun = true;
  if (mode == SKEP_DB_READ) return pg_queue_fixed(db, PG_BEGIN_READ, err);
  SKEP_TRY(pg_queue_fixed(db, PG_BEGIN, err));
  if (mode == SKEP_DB_HOLD) return SKEP_OK;
  bool lazy = mode == SKEP_DB_WRITE_LAZY || mode == SKEP_DB_ROWS_LAZY || mode == SKEP_DB_ROWS_EARLY;
  if (mode == SKEP_DB_WRITE || mode == SKEP_DB_WRITE_LAZY)
    return pg_queue_fixed(db, lazy ? PG_ALONE_LAZY : PG_ALONE, err);
  return pg_queue_fixed(db, lazy ? PG_BESIDE_LAZY : PG_BESIDE, err);
}

/* A connection that can be used, and the transaction begun on it. */
static skep_status get_ready(pg_db *db, skep_err *err) {
  if (!db->base.active) {
    atomic_store(&db->interrupted, false);
    return pg_ensure(db, err);
  }
  bool gone = db->begun && db->n_queued == 0 && !pg_is_lost(db) && PQtransactionStatus(db->conn) != PQTRANS_INTRANS;
  if (gone) db->failed = true; /* ended or spoiled by a text of skep_db_exec */
  if (db->failed) return failed_before(err);
  return ensure_begun(db, err);
}

static skep_status send_prepare(pg_db *db, pg_stmt *s, skep_err *err) {
  snprintf(s->name, sizeof s->name, "s%llu", (unsigned long long)++db->next_name);
  return pg_queued(db, PQsendPrepare(db->conn, s->name, s->text, s->n_params, s->types), err);
}

/* Inside a transaction a table that is not there must not end it. */
static skep_status prepare_inside(pg_db *db, pg_stmt *s, skep_err *err) {
  SKEP_TRY(pg_queue_fixed(db, PG_PREPARE_POINT, err));
  uint32_t before = db->n_queued, done = 0;
  SKEP_TRY(send_prepare(db, s, err));
  SKEP_TRY(pg_queue_fixed(db, PG_PREPARE_RELEASE, err));
  skep_status status = pg_flush(db, NULL, &done, err);
  if (status == SKEP_OK || done < before || pg_is_lost(db)) return status;
  skep_err ignored;
  db->failed = false;
  SKEP_TRY(pg_queue_fixed(db, PG_PREPARE_ROLLBACK, err));
  SKEP_TRY(pg_queue_fixed(db, PG_PREPARE_RELEASE, err));
  return pg_flush(db, NULL, NULL, &ignored) == SKEP_OK ? status : SKEP_ERR_IO;
}

static skep_status make_known(pg_db *db, pg_stmt *s, skep_err *err) {
  if (s->generation == db->generation) return SKEP_OK;
  if (db->base.active) {
    SKEP_TRY(prepare_inside(db, s, err));
  } else {
    SKEP_TRY(send_prepare(db, s, err));
    SKEP_TRY(pg_flush(db, NULL, NULL, err));
  }
  s->generation = db->generation;
  return SKEP_OK;
}

static void pg_finalize(skep_stmt *base) {
  pg_stmt *s = (pg_stmt *)base;
  pg_db *db = (pg_db *)base->db;
  /* The server's part goes between transactions; else with the connection. */
  if (s->generation != 0 && s->generation == db->generation && !db->base.active && !pg_is_lost(db)) {
    char sql[40];
    snprintf(sql, sizeof sql, "DEALLOCATE %s", s->name);
    if (pg_queued(db, PQsendQueryParams(db->conn, sql, 0, NULL, NULL, NULL, NULL, 0), NULL) == SKEP_OK)
      (void)!pg_flush(db, NULL, NULL, NULL);
  }
  PQclear(s->result);
  skep_buf_fini(&s->copies);
  skep_release(base->db->ctx, s->text);
  skep_release(base->db->ctx, s->values);
  skep_release(base->db->ctx, s->lengths);
  skep_release(base->db->ctx, s->formats);
  skep_release(base->db->ctx, s->types);
  skep_release(base->db->ctx, s->bytes);
  skep_release(base->db->ctx, s);
}

static skep_status fill_statement(pg_stmt *s, const char *sql, skep_err *err) {
  const skep_ctx *ctx = s->base.db->ctx;
  skep_buf text;
  skep_buf_init(&text, ctx, 1 << 20);
  s->n_params = number_parameters(sql, &text);
  skep_status status = skep_buf_check(&text, "SQL text", err);
  if (status == SKEP_OK && s->n_params < 0)
    status = skep_fail(err, SKEP_ERR_LIMIT, "more than %d parameters in one statement", MAX_PARAMS);
  if (status == SKEP_OK) {
    size_t n = (size_t)s->n_params + 1;
    s->text = skep_strndup(ctx, skep_buf_string(&text), text.size);
    s->values = skep_alloc_zero(ctx, n, sizeof *s->values);
    s->lengths = skep_alloc_zero(ctx, n, sizeof *s->lengths);
    s->formats = skep_alloc_zero(ctx, n, sizeof *s->formats);
    s->types = skep_alloc_zero(ctx, n, sizeof *s->types);
    if (s->text == NULL || s->values == NULL || s->lengths == NULL || s->formats == NULL || s->types == NULL)
      status = skep_fail(err, SKEP_ERR_NOMEM, "prepared statement");
  }
  skep_buf_fini(&text);
  return status;
}

/* The server learns of it with the first values: their types say what an expression of parameters alone is. */
static skep_status pg_prepare(skep_db *base, const char *sql, skep_stmt **out, skep_err *err) {
  pg_stmt *s = skep_alloc_zero(base->ctx, 1, sizeof *s);
  if (s == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "prepared statement");
  s->base.db = base;
  s->base.changes = !only_reads(sql);
  skep_buf_init(&s->copies, base->ctx, (size_t)1 << 30);
  skep_status status = fill_statement(s, sql, err);
  if (status != SKEP_OK) {
    pg_finalize(&s->base);
    return status;
  }
  *out = &s->base;
  return SKEP_OK;
}

/* --- running --- */

static skep_status send(pg_db *db, pg_stmt *s, skep_err *err) {
  return pg_queued(db, PQsendQueryPrepared(db->conn, s->name, s->n_params, s->values, s->lengths, s->formats, 0), err);
}

static skep_status run_once(pg_db *db, pg_stmt *s, bool defer, skep_err *err) {
  SKEP_TRY(get_ready(db, err));
  /* Outside of a transaction the preparation goes with the first run. */
  bool fresh = !db->base.active && s->generation != db->generation;
  SKEP_TRY(fresh ? send_prepare(db, s, err) : make_known(db, s, err));
  SKEP_TRY(send(db, s, err));
  if (defer) return SKEP_OK;
  PGresult *r = NULL;
  uint32_t done = 0;
  skep_status status = pg_flush(db, &r, &done, err);
  if (fresh && done > 0) s->generation = db->generation;
  if (status == SKEP_ERR_NOT_FOUND) s->generation = 0; /* a table is gone: say so at the next preparation */
  SKEP_TRY(status);
  db->n_changed = pg_number(PQcmdTuples(r));
  if (PQresultStatus(r) == PGRES_TUPLES_OK) {
    s->result = r;
  } else {
    PQclear(r);
  }
  return SKEP_OK;
}

static void end(pg_db *db) {
  db->begun = false;
  db->failed = false;
  db->used = false;
}

/* A question outside a transaction, and the first statement inside one, run again on a new connection. A change that is
 * a transaction of its own does not: it may have been made. */
static skep_status run(pg_db *db, pg_stmt *s, bool defer, skep_err *err) {
  s->ran = true;
  s->row = -1;
  bool first = db->base.active && !db->used && !db->failed;
  skep_status status = run_once(db, s, defer, err);
  db->used = db->used || (db->base.active && status == SKEP_OK);
  if (status != SKEP_ERR_IO || !pg_is_lost(db)) return status;
  if (first && db->base.mode != SKEP_DB_WRITE && db->base.mode != SKEP_DB_WRITE_LAZY) {
    end(db);
    SKEP_TRY(pg_ensure(db, err));
    return run_once(db, s, defer, err);
  }
  if (db->base.active) return status;
  if (!s->base.changes) return run_once(db, s, defer, err);
  return skep_wrap(err, SKEP_ERR_IN_DOUBT, "the connection was lost, the outcome of a change is not known");
}

static const char *number_text(skep_buf *copies, const skep_param *p) {
  char text[40];
  size_t at = copies->size;
  if (p->kind != SKEP_PARAM_F64) {
    snprintf(text, sizeof text, "%lld", (long long)p->as.i64);
  } else {
    double d = p->as.f64;
    if (d != d) {
      memcpy(text, "NaN", 4);
    } else if (d > 1.7976931348623157e308 || d < -1.7976931348623157e308) {
      memcpy(text, d < 0 ? "-Infinity" : "Infinity", d < 0 ? 10 : 9);
    } else {
      snprintf(text, sizeof text, "%.17g", d); /* programs here never set a locale */
    }
  }
  skep_buf_add(copies, text, strlen(text) + 1);
  return (const char *)copies->data + at;
}

static bool is_number(const skep_param *p) {
  return p->kind == SKEP_PARAM_I64 || p->kind == SKEP_PARAM_BOOL || p->kind == SKEP_PARAM_F64;
}

static size_t size_of(const skep_param *p) {
  if (is_number(p)) return 40;
  return p->kind == SKEP_PARAM_NULL ? 0 : p->length + 1;
}

static Oid type_of_value(const skep_param *p) {
  if (p->kind == SKEP_PARAM_I64) return OID_INT8;
  return p->kind == SKEP_PARAM_F64 ? OID_FLOAT8 : p->kind == SKEP_PARAM_BLOB ? OID_BYTEA : 0;
}

/* Values are borrowed for the call, and a change runs later: copied, all in one block that does not move. */
static skep_status copy_values(pg_stmt *s, const skep_param *params, int n, skep_err *err) {
  size_t all = 0;
  for (int i = 0; i < n; i++) {
    if (params[i].length > INT32_MAX) return skep_fail(err, SKEP_ERR_LIMIT, "a value of %zu bytes", params[i].length);
    all += size_of(&params[i]);
  }
  const pg_db *db = (const pg_db *)s->base.db;
  skep_buf_reset(&s->copies);
  if (all > 0) skep_buf_reserve(&s->copies, all);
  SKEP_TRY(skep_buf_check(&s->copies, "values of a statement", err));
  for (int i = 0; i < n; i++) {
    const skep_param *p = &params[i];
    s->formats[i] = p->kind == SKEP_PARAM_BLOB;
    if (s->generation != db->generation) s->types[i] = type_of_value(p);
    s->lengths[i] = (int)p->length;
    s->values[i] = NULL;
    if (p->kind == SKEP_PARAM_NULL) continue;
    if (is_number(p)) {
      s->values[i] = number_text(&s->copies, p);
      continue;
    }
    if (p->kind == SKEP_PARAM_TEXT && p->length > 0 && memchr(p->as.bytes, 0, p->length) != NULL)
      return skep_fail(err, SKEP_ERR_ARGUMENT, "PostgreSQL holds no text with a byte 0");
    s->values[i] = (const char *)s->copies.data + s->copies.size;
    if (p->length > 0) skep_buf_add(&s->copies, p->as.bytes, p->length);
    skep_buf_byte(&s->copies, 0);
  }
  return SKEP_OK;
}

static skep_status pg_learn(skep_db *base, skep_stmt *const *stmts, size_t n, skep_err *err) {
  pg_db *db = (pg_db *)base;
  pg_stmt *fresh[SKEP_DB_MAX_LEARNED];
  size_t n_fresh = 0;
  for (size_t i = 0; i < n; i++) {
    pg_stmt *s = (pg_stmt *)stmts[i];
    if (s->generation != db->generation) fresh[n_fresh++] = s;
  }
  if (n_fresh == 0) return SKEP_OK;
  SKEP_TRY(get_ready(db, err)); /* it may be a new connection now */
  for (size_t i = 0; i < n_fresh; i++) {
    memset(fresh[i]->types, 0, (size_t)fresh[i]->n_params * sizeof *fresh[i]->types);
    SKEP_TRY(send_prepare(db, fresh[i], err));
  }
  SKEP_TRY(pg_flush(db, NULL, NULL, err));
  for (size_t i = 0; i < n_fresh; i++) fresh[i]->generation = db->generation;
  return SKEP_OK;
}

static skep_status check_count(const pg_stmt *s, size_t n, skep_err *err) {
  if (n == (size_t)s->n_params) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_INTERNAL, "%zu values for %d parameters: %.200s", n, s->n_params, s->base.sql);
}

static skep_status pg_bind(skep_stmt *base, const skep_param *params, size_t n, skep_err *err) {
  pg_stmt *s = (pg_stmt *)base;
  pg_db *db = (pg_db *)base->db;
  SKEP_TRY(check_count(s, n, err));
  SKEP_TRY(copy_values(s, params, s->n_params, err));
  if (!base->changes) return run(db, s, false, err);
  if (s->generation == db->generation) return SKEP_OK;
  SKEP_TRY(get_ready(db, err));
  return make_known(db, s, err);
}

static skep_status pg_send(skep_stmt *base, const skep_param *params, size_t n, skep_err *err) {
  pg_stmt *s = (pg_stmt *)base;
  pg_db *db = (pg_db *)base->db;
  SKEP_TRY(check_count(s, n, err));
  SKEP_TRY(copy_values(s, params, s->n_params, err));
  SKEP_TRY(get_ready(db, err));
  SKEP_TRY(make_known(db, s, err));
  SKEP_TRY(send(db, s, err));
  db->used = true;
  pg_await(db, &s->answer);
  s->ran = s->is_sent = true;
  s->row = -1;
  return SKEP_OK;
}

/* The answer of what was sent; who asks before the end of the transaction waits for it. */
static skep_status take_sent(pg_db *db, pg_stmt *s, skep_err *err) {
  s->is_sent = false;
  if (s->answer.result == NULL && db->n_queued > 0) SKEP_TRY(pg_flush(db, NULL, NULL, err));
  if (s->answer.result == NULL) return failed_before(err);
  s->result = s->answer.result;
  return SKEP_OK;
}

static skep_status pg_step(skep_stmt *base, skep_err *err) {
  pg_stmt *s = (pg_stmt *)base;
  pg_db *db = (pg_db *)base->db;
  if (s->is_sent) SKEP_TRY(take_sent(db, s, err));
  if (!s->ran) SKEP_TRY(run(db, s, base->no_result && db->base.active, err));
  if (s->result == NULL || s->row + 1 >= PQntuples(s->result)) return SKEP_END;
  s->row++;
  return SKEP_OK;
}

static void pg_reset(skep_stmt *base) {
  pg_stmt *s = (pg_stmt *)base;
  if (s->is_sent) {
    pg_forget((pg_db *)base->db, &s->answer);
    PQclear(s->answer.result);
    s->is_sent = false;
  }
  PQclear(s->result);
  s->result = NULL;
  s->ran = false;
  if (s->copies.capacity > 1 << 16) {
    skep_buf_fini(&s->copies);
    skep_buf_init(&s->copies, base->db->ctx, (size_t)1 << 30);
  }
}

static int64_t pg_n_changed(skep_db *db) { return ((pg_db *)db)->n_changed; }

/* --- columns --- */

static const char *value(skep_stmt *base, int i) {
  const pg_stmt *s = (const pg_stmt *)base;
  if (s->result == NULL || s->row < 0 || i >= PQnfields(s->result) || PQgetisnull(s->result, s->row, i)) return NULL;
  return PQgetvalue(s->result, s->row, i);
}

static Oid type_of(skep_stmt *base, int i) { return PQftype(((pg_stmt *)base)->result, i); }

static int pg_n_columns(const skep_stmt *base) {
  const pg_stmt *s = (const pg_stmt *)base;
  return s->result != NULL ? PQnfields(s->result) : 0;
}

static const char *pg_column_name(skep_stmt *base, int i) {
  const pg_stmt *s = (const pg_stmt *)base;
  return s->result != NULL ? PQfname(s->result, i) : NULL;
}

static bool pg_is_null(skep_stmt *base, int i) { return value(base, i) == NULL; }

static int64_t pg_i64(skep_stmt *base, int i) {
  const char *text = value(base, i);
  if (text == NULL) return 0;
  if (type_of(base, i) == OID_BOOL) return text[0] == 't';
  return pg_number(text);
}

static double pg_f64(skep_stmt *base, int i) {
  const char *text = value(base, i);
  double number;
  return text != NULL && skep_parse_f64(skep_bytes_of(text, strlen(text)), &number) ? number : 0;
}

/* Bytes of a BYTEA travel as "\x" and two digits each. */
static const void *decode_bytes(pg_stmt *s, const char *text, size_t *length) {
  *length = 0;
  size_t n = 0;
  unsigned char *plain = PQunescapeBytea((const unsigned char *)text, &n);
  if (plain == NULL) return NULL;
  if (n + 1 > s->bytes_capacity) {
    uint8_t *more = skep_alloc_zero(s->base.db->ctx, n + 1, 1);
    if (more == NULL) {
      PQfreemem(plain);
      return NULL;
    }
    skep_release(s->base.db->ctx, s->bytes);
    s->bytes = more;
    s->bytes_capacity = n + 1;
  }
  if (n > 0) memcpy(s->bytes, plain, n);
  s->bytes[n] = 0;
  PQfreemem(plain);
  *length = n;
  return s->bytes;
}

static const void *pg_bytes(skep_stmt *base, int i, bool text, size_t *length) {
  pg_stmt *s = (pg_stmt *)base;
  const char *v = value(base, i);
  (void)text;
  *length = 0;
  if (v == NULL) return NULL;
  if (type_of(base, i) == OID_BYTEA) return decode_bytes(s, v, length);
  if (type_of(base, i) == OID_BOOL) v = v[0] == 't' ? "1" : "0";
  *length = strlen(v);
  return v;
}

/* --- transactions --- */

static skep_status begin_now(pg_db *db, skep_err *err) {
  db->base.active = true;
  skep_status status = ensure_begun(db, err);
  if (status == SKEP_OK) status = pg_flush(db, NULL, NULL, err);
  db->base.active = false;
  return status;
}

static void pg_rollback(skep_db *base) {
  pg_db *db = (pg_db *)base;
  if (db->begun && !pg_is_lost(db)) {
    skep_err ignored;
    /* An answer that fails before it does no harm: the server passes over ROLLBACK then, so it is asked once more. */
    for (int i = 0; i < 2 && !pg_is_lost(db) && PQtransactionStatus(db->conn) != PQTRANS_IDLE; i++) {
      if (pg_queue_fixed(db, PG_ROLLBACK, &ignored) == SKEP_OK) (void)!pg_flush(db, NULL, NULL, &ignored);
    }
  }
  if (db->n_queued > 0) pg_disconnect(db);
  end(db);
}

static skep_status pg_begin(skep_db *base, skep_db_mode mode, skep_err *err) {
  pg_db *db = (pg_db *)base;
  atomic_store(&db->interrupted, false);
  end(db);
  SKEP_TRY(pg_ensure(db, err));
  base->mode = mode;
  if (mode != SKEP_DB_WRITE && mode != SKEP_DB_WRITE_LAZY) return SKEP_OK;
  skep_status status = begin_now(db, err);
  if (status == SKEP_ERR_IO && pg_is_lost(db)) { /* nothing was done yet */
    end(db);
    status = pg_ensure(db, err);
    if (status == SKEP_OK) status = begin_now(db, err);
  }
  if (status == SKEP_OK) return SKEP_OK;
  pg_rollback(base);
  if (status == SKEP_ERR_BUSY)
    return skep_fail(err, status, "the metastore was locked by another process for %lld ms",
                     (long long)db->busy_wait_ms);
  if (status == SKEP_ERR_CANCELLED) return skep_fail(err, status, "waiting for the metastore was called off");
  return status;
}

static skep_status pg_commit(skep_db *base, skep_err *err) {
  pg_db *db = (pg_db *)base;
  if (db->failed) {
    pg_rollback(base);
    return failed_before(err);
  }
  if (!db->begun) return SKEP_OK;
  skep_status status = pg_queue_fixed(db, PG_COMMIT, err);
  bool sent = status == SKEP_OK;
  if (sent && base->mode == SKEP_DB_ROWS_EARLY) status = pg_queue_fixed(db, PG_SYNC, err);
  if (status == SKEP_OK) status = pg_flush(db, NULL, NULL, err);
  bool lost = pg_is_lost(db);
  if (status == SKEP_OK && db->rolled_back) status = failed_before(err);
  if (status != SKEP_OK && !lost) pg_rollback(base);
  end(db);
  /* Lost behind the last change: the server may have got as far as the commit. */
  if (status != SKEP_OK && lost && sent && base->mode != SKEP_DB_READ)
    return skep_wrap(err, SKEP_ERR_IN_DOUBT, "the outcome of a commit is not known");
  return status;
}

static skep_status pg_savepoint(skep_db *base, skep_err *err) {
  pg_db *db = (pg_db *)base;
  SKEP_TRY(get_ready(db, err));
  /* What was queued before must not be counted as a failure since. */
  if (db->n_queued > 0) SKEP_TRY(pg_flush(db, NULL, NULL, err));
  db->used = true;
  return pg_queue_fixed(db, PG_SAVEPOINT, err);
}

static skep_status pg_savepoint_end(skep_db *base, bool keep, skep_err *err) {
  pg_db *db = (pg_db *)base;
  if (keep) {
    SKEP_TRY(get_ready(db, err));
    SKEP_TRY(pg_queue_fixed(db, PG_RELEASE, err));
    return pg_flush(db, NULL, NULL, err);
  }
  if (pg_is_lost(db)) return failed_before(err);
  if (db->n_queued > 0) { /* the savepoint itself may still be among them */
    skep_err ignored;
    (void)!pg_flush(db, NULL, NULL, &ignored);
  }
  db->failed = false;
  SKEP_TRY(pg_queue_fixed(db, PG_ROLLBACK_TO, err));
  SKEP_TRY(pg_queue_fixed(db, PG_RELEASE, err));
  return pg_flush(db, NULL, NULL, err);
}

static skep_status pg_lock_txns(skep_db *base, bool exclusive, skep_err *err) {
  pg_db *db = (pg_db *)base;
  if (!skep_db_in_write(base)) return skep_fail(err, SKEP_ERR_INTERNAL, "a lock outside a transaction that writes");
  SKEP_TRY(get_ready(db, err));
  db->used = true;
  return pg_queue_fixed(db, exclusive ? PG_TXNS_EXCLUSIVE : PG_TXNS_SHARE, err);
}

static skep_status pg_exec(skep_db *base, const char *sql, skep_err *err) {
  pg_db *db = (pg_db *)base;
  SKEP_TRY(get_ready(db, err));
  if (db->n_queued > 0) SKEP_TRY(pg_flush(db, NULL, NULL, err));
  return pg_run_text(db, sql, err);
}

static int64_t pg_last_id(skep_db *base) {
  pg_db *db = (pg_db *)base;
  PGresult *r = NULL;
  skep_err ignored;
  if (get_ready(db, &ignored) != SKEP_OK) return 0;
  int sent = PQsendQueryParams(db->conn, "SELECT pg_catalog.lastval()", 0, NULL, NULL, NULL, NULL, 0);
  if (pg_queued(db, sent, &ignored) != SKEP_OK) return 0;
  if (pg_flush(db, &r, NULL, &ignored) != SKEP_OK) return 0;
  int64_t id = PQntuples(r) == 1 ? pg_number(PQgetvalue(r, 0, 0)) : 0;
  PQclear(r);
  return id;
}

static void pg_interrupt(skep_db *base) {
  pg_db *db = (pg_db *)base;
  char ignored[256];
  atomic_store(&db->interrupted, true);
  (void)pthread_mutex_lock(&db->cancel_lock);
  if (db->cancel != NULL) (void)PQcancel(db->cancel, ignored, sizeof ignored);
  (void)pthread_mutex_unlock(&db->cancel_lock);
}

/* The server's clock, from its distance to the machine's time since the start, which is measured now and then: outside
 * of transactions, or when there is nothing else. */
static skep_status pg_now_ms(skep_db *base, int64_t *out, skep_err *err) {
  pg_db *db = (pg_db *)base;
  int64_t now = pg_boottime_ns();
  if (now - db->measured_ns > (int64_t)CLOCK_KEEP_MS * 1000000 && !db->failed) {
    SKEP_TRY(get_ready(db, err));
    SKEP_TRY(pg_measure_clock(db, err));
    now = pg_boottime_ns();
  }
  *out = db->offset_ms + now / 1000000;
  return SKEP_OK;
}

static skep_status pg_place(skep_db *base, skep_buf *out, skep_err *err) {
  return pg_url_public(((pg_db *)base)->url, out, err);
}

static const skep_db_backend backend = {
    .dialect = &dialect,
    .close = pg_close,
    .prepare = pg_prepare,
    .finalize = pg_finalize,
    .bind = pg_bind,
    .send = pg_send,
    .learn = pg_learn,
    .step = pg_step,
    .reset = pg_reset,
    .n_changed = pg_n_changed,
    .last_id = pg_last_id,
    .n_columns = pg_n_columns,
    .column_name = pg_column_name,
    .is_null = pg_is_null,
    .i64 = pg_i64,
    .f64 = pg_f64,
    .bytes = pg_bytes,
    .exec = pg_exec,
    .begin = pg_begin,
    .commit = pg_commit,
    .rollback = pg_rollback,
    .savepoint = pg_savepoint,
    .savepoint_end = pg_savepoint_end,
    .lock_txns = pg_lock_txns,
    .interrupt = pg_interrupt,
    .now_ms = pg_now_ms,
    .place = pg_place,
};
