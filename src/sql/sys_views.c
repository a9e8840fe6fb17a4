/* sys.transactions, sys.locks, sys.compactions: see sys_views.h. A view's rows become constants of the query. */
#include "sql/sys_views.h"

#include <stdio.h>

#include "column/text.h"
#include "lock/lock.h"
#include "txn/compaction.h"
#include "txn/views.h"

enum { MAX_VIEW_BYTES = 256 << 20 };

typedef struct view_column {
  const char *name;
  skep_kind kind; /* SKEP_STRING, SKEP_BIGINT, SKEP_INT */
} view_column;

/* Rows being printed: "(1,'a',NULL)". */
typedef struct printing {
  skep_session *s;
  skep_buf *out;
  uint32_t column;
  size_t n_rows;
} printing;

static void begin_row(printing *p) {
  skep_buf_text(p->out, p->n_rows++ == 0 ? "(" : ", (");
  p->column = 0;
}

static void begin_cell(printing *p) {
  if (p->column++ > 0) skep_buf_byte(p->out, ',');
}

static void put_null(printing *p) {
  begin_cell(p);
  skep_buf_text(p->out, "NULL");
}

static void put_text(printing *p, const char *text) {
  if (text == NULL) {
    put_null(p);
    return;
  }
  begin_cell(p);
  skep_engine_print_string(skep_bytes_of(text, strlen(text)), p->out);
}

static void put_number(printing *p, int64_t value) {
  begin_cell(p);
  skep_buf_printf(p->out, "%lld", (long long)value);
}

/* 0: NULL, as where Hive's tables have none. */
static void put_some(printing *p, int64_t value) {
  if (value != 0) {
    put_number(p, value);
  } else {
    put_null(p);
  }
}

static void put_time(printing *p, int64_t ms) {
  if (ms <= 0) {
    put_null(p);
    return;
  }
  begin_cell(p);
  skep_buf_byte(p->out, '\'');
  skep_text_ts((skep_ts){.seconds = ms / 1000, .nanos = (int32_t)(ms % 1000) * 1000000}, p->out);
  skep_buf_byte(p->out, '\'');
}

/* ---- sys.transactions ---- */

static const view_column transaction_columns[] = {{"txn_id", SKEP_BIGINT},
                                                  {"state", SKEP_STRING},
                                                  {"started", SKEP_STRING},
                                                  {"last_heartbeat", SKEP_STRING},
                                                  {"user", SKEP_STRING},
                                                  {"host", SKEP_STRING},
                                                  {"agent_info", SKEP_STRING},
                                                  {"meta_info", SKEP_STRING},
                                                  {"heartbeat_count", SKEP_INT},
                                                  {"type", SKEP_STRING},
                                                  {"tc_database", SKEP_STRING},
                                                  {"tc_table", SKEP_STRING},
                                                  {"tc_partition", SKEP_STRING},
                                                  {"tc_operation_type", SKEP_STRING},
                                                  {"tc_writeid", SKEP_BIGINT},
                                                  /* ours */
                                                  {"reason", SKEP_STRING},
                                                  {"aborted", SKEP_STRING},
                                                  {"rows_written", SKEP_BIGINT},
                                                  {"bytes_written", SKEP_BIGINT},
                                                  {"last_progress", SKEP_STRING}};

/* Hive's words, its spelling included. */
static const char *state_word(char letter) {
  return letter == 'o' ? "open" : letter == 'a' ? "aborted" : letter == 'c' ? "commited" : "UNKNOWN";
}

static const char *operation_word(char letter) {
  switch (letter) {
    case 's':
      return "SELECT";
    case 'i':
      return "INSERT";
    case 'u':
      return "UPDATE";
    case 'd':
      return "DELETE"; /* Hive's view has no word for it */
    case 'c':
      return "COMPACT";
    default:
      return NULL;
  }
}

static void put_transaction(printing *p, const skep_txn_view_row *v) {
  const skep_txn_row *r = &v->txn.row;
  begin_row(p);
  put_number(p, r->id);
  put_text(p, state_word(r->state));
  put_time(p, r->started_ms);
  put_time(p, r->heartbeat_ms);
  put_text(p, r->user);
  put_text(p, r->host);
  put_text(p, r->agent);
  put_text(p, v->meta);
  put_null(p);
  put_text(p, v->has_type ? skep_txn_type_name(r->type) : NULL);
  put_text(p, v->database);
  put_text(p, v->table);
  put_text(p, v->partition);
  put_text(p, operation_word(v->op));
  put_some(p, v->write_id);
  put_text(p, r->state == 'a' ? v->meta : NULL);
  put_time(p, v->txn.aborted_ms);
  if (v->txn.has_progress) {
    put_number(p, v->txn.progress.rows);
    put_number(p, v->txn.progress.bytes);
    put_time(p, v->txn.progress.changed_ms);
  } else {
    for (int i = 0; i < 3; i++) put_null(p);
  }
  skep_buf_byte(p->out, ')');
}

static skep_status print_transactions(printing *p, skep_err *err) {
  skep_txn_view_row *rows;
  size_t n;
  SKEP_TRY(skep_txn_view(p->s->db, &p->s->arena, &rows, &n, err));
  for (size_t i = 0; i < n; i++) put_transaction(p, &rows[i]);
  return SKEP_OK;
}

/* ---- sys.locks ---- */

static const view_column lock_columns[] = {{"lock_ext_id", SKEP_BIGINT},
                                           {"lock_int_id", SKEP_BIGINT},
                                           {"txnid", SKEP_BIGINT},
                                           {"db", SKEP_STRING},
                                           {"table", SKEP_STRING},
                                           {"partition", SKEP_STRING},
                                           {"lock_state", SKEP_STRING},
                                           {"lock_type", SKEP_STRING},
                                           {"last_heartbeat", SKEP_STRING},
                                           {"acquired_at", SKEP_STRING},
                                           {"user", SKEP_STRING},
                                           {"host", SKEP_STRING},
                                           {"heartbeat_count", SKEP_INT},
                                           {"agent_info", SKEP_STRING},
                                           {"blockedby_ext_id", SKEP_BIGINT},
                                           {"blockedby_int_id", SKEP_BIGINT},
                                           /* ours */
                                           {"waits_for_txn", SKEP_BIGINT},
                                           {"waits_for", SKEP_STRING},
                                           {"held_ms", SKEP_BIGINT}};

static const char *lock_word(skep_lock_type type) {
  switch (type) {
    case SKEP_LOCK_SHARED_READ:
      return "shared_read";
    case SKEP_LOCK_SHARED_WRITE:
      return "shared_write";
    case SKEP_LOCK_EXCL_WRITE:
      return "excl_write";
    case SKEP_LOCK_EXCLUSIVE:
      return "exclusive";
  }
  return NULL;
}

/* Who has, or wants before it, what the lock waits for. */
static const skep_lock_row *find_blocker(const skep_lock_row *rows, uint32_t n, const skep_lock_row *r) {
  for (uint32_t i = 0; i < n && r->blocked_by_ext_id != 0; i++)
    if (rows[i].ext_id == r->blocked_by_ext_id && rows[i].int_id == r->blocked_by_int_id) return &rows[i];
  return NULL;
}

static void put_more_of_lock(printing *p, const skep_lock_row *r, const skep_lock_row *by, int64_t now_ms) {
  char text[600], user[200], host[200];
  put_some(p, by != NULL ? by->txn : 0);
  if (by != NULL)
    snprintf(text, sizeof text, "%s@%s", skep_quote(user, sizeof user, by->user, strlen(by->user)),
             skep_quote(host, sizeof host, by->host, strlen(by->host)));
  put_text(p, by != NULL ? text : NULL);
  if (r->acquired_ms != 0) {
    put_number(p, now_ms > r->acquired_ms ? now_ms - r->acquired_ms : 0);
  } else {
    put_null(p);
  }
}

static void put_lock(printing *p, const skep_lock_row *r) {
  begin_row(p);
  put_number(p, r->ext_id);
  put_number(p, r->int_id);
  put_number(p, r->txn);
  put_text(p, r->on.database);
  put_text(p, r->on.table);
  put_text(p, r->on.partition);
  put_text(p, r->acquired ? "acquired" : "waiting");
  put_text(p, lock_word(r->on.type));
  put_time(p, r->heartbeat_ms);
  put_time(p, r->acquired_ms);
  put_text(p, r->user);
  put_text(p, r->host);
  put_null(p);
  put_text(p, r->agent);
  put_some(p, r->blocked_by_ext_id);
  put_some(p, r->blocked_by_int_id);
}

static skep_status print_locks(printing *p, skep_err *err) {
  skep_lock_row *rows;
  uint32_t n;
  int64_t now_ms;
  SKEP_TRY(skep_db_now_ms(p->s->db, &now_ms, err));
  SKEP_TRY(skep_lock_list(p->s->db, NULL, NULL, NULL, &p->s->arena, &rows, &n, err));
  for (uint32_t i = 0; i < n; i++) {
    put_lock(p, &rows[i]);
    put_more_of_lock(p, &rows[i], find_blocker(rows, n, &rows[i]), now_ms);
    skep_buf_byte(p->out, ')');
  }
  return SKEP_OK;
}

/* ---- sys.compactions ---- */

static const view_column compaction_columns[] = {{"c_id", SKEP_BIGINT},
                                                 {"c_catalog", SKEP_STRING},
                                                 {"c_database", SKEP_STRING},
                                                 {"c_table", SKEP_STRING},
                                                 {"c_partition", SKEP_STRING},
                                                 {"c_type", SKEP_STRING},
                                                 {"c_state", SKEP_STRING},
                                                 {"c_worker_host", SKEP_STRING},
                                                 {"c_worker_id", SKEP_STRING},
                                                 {"c_worker_version", SKEP_STRING},
                                                 {"c_enqueue_time", SKEP_STRING},
                                                 {"c_start", SKEP_STRING},
                                                 {"c_duration", SKEP_STRING},
                                                 {"c_hadoop_job_id", SKEP_STRING},
                                                 {"c_run_as", SKEP_STRING},
                                                 {"c_error_message", SKEP_STRING},
                                                 {"c_next_txn_id", SKEP_BIGINT},
                                                 {"c_txn_id", SKEP_BIGINT},
                                                 {"c_commit_time", SKEP_STRING},
                                                 {"c_highest_write_id", SKEP_BIGINT},
                                                 {"c_initiator_host", SKEP_STRING},
                                                 {"c_initiator_id", SKEP_STRING},
                                                 {"c_initiator_version", SKEP_STRING},
                                                 {"c_cleaner_start", SKEP_STRING},
                                                 {"c_pool_name", SKEP_STRING},
                                                 {"c_number_of_buckets", SKEP_STRING},
                                                 {"c_tblproperties", SKEP_STRING}};

/* Hive's view has words for the first two only. */
static const char *compaction_word(char type) {
  switch (type) {
    case SKEP_COMPACTION_MINOR:
      return "minor";
    case SKEP_COMPACTION_MAJOR:
      return "major";
    case SKEP_COMPACTION_REBALANCE:
      return "rebalance";
    case SKEP_COMPACTION_ABORT_CLEANUP:
      return "abort_txn_cleanup";
    default:
      return "UNKNOWN";
  }
}

/* Two cells of "<host>-<thread>": cut at the last '-', as SHOW COMPACTIONS does (Hive's view cuts names of hosts). */
static void put_host_and_thread(printing *p, const char *id) {
  const char *dash = id != NULL ? strrchr(id, '-') : NULL;
  if (dash == NULL) {
    put_text(p, id);
    put_text(p, id);
    return;
  }
  begin_cell(p);
  skep_engine_print_string(skep_bytes_of(id, (size_t)(dash - id)), p->out);
  put_text(p, dash + 1);
}

/* A number as text; 0: NULL. */
static void put_number_text(printing *p, int64_t value) {
  if (value == 0) {
    put_null(p);
    return;
  }
  begin_cell(p);
  skep_buf_printf(p->out, "'%lld'", (long long)value);
}

static void put_duration(printing *p, const skep_compaction *c) {
  if (c->ended_ms <= 0) {
    put_null(p);
    return;
  }
  begin_cell(p);
  skep_buf_printf(p->out, "'%lld'", (long long)(c->started_ms > 0 ? c->ended_ms - c->started_ms : 0));
}

static void put_compaction(printing *p, const skep_compaction *c) {
  begin_row(p);
  put_number(p, c->id);
  put_text(p, "default");
  put_text(p, c->database);
  put_text(p, c->table);
  put_text(p, c->partition);
  put_text(p, compaction_word(c->type));
  put_text(p, skep_compaction_state_name(c->state));
  put_host_and_thread(p, c->worker_id);
  put_text(p, c->worker_version);
  put_time(p, c->enqueued_ms);
  put_time(p, c->started_ms);
  put_duration(p, c);
  put_text(p, c->job_id);
  put_text(p, c->run_as);
  put_text(p, c->error);
  put_some(p, c->next_txn_id);
  put_some(p, c->txn_id);
  put_time(p, c->commit_ms);
  if (c->has_highest) {
    put_number(p, c->highest_write_id);
  } else {
    put_null(p);
  }
  put_host_and_thread(p, c->initiator_id);
  put_text(p, c->initiator_version);
  put_time(p, c->cleaner_start_ms);
  put_text(p, c->pool != NULL ? c->pool : "default");
  put_number_text(p, c->n_buckets);
  put_text(p, c->properties);
  skep_buf_byte(p->out, ')');
}

static skep_status print_compactions(printing *p, skep_err *err) {
  skep_compaction *rows;
  uint32_t n;
  SKEP_TRY(skep_compaction_list(p->s->db, 0, &p->s->arena, &rows, &n, err));
  for (uint32_t i = 0; i < n; i++) put_compaction(p, &rows[i]);
  return SKEP_OK;
}

/* ---- all ---- */

typedef struct sys_view {
  const char *name;
  const view_column *columns;
  uint32_t n_columns;
  skep_status (*print)(printing *p, skep_err *err);
} sys_view;

#define COLUMNS(c) c, sizeof(c) / sizeof *(c)
static const sys_view views[] = {
    {"transactions", COLUMNS(transaction_columns), print_transactions},
    {"locks", COLUMNS(lock_columns), print_locks},
    {"compactions", COLUMNS(compaction_columns), print_compactions},
};

static const sys_view *find(const char *name) {
  for (size_t i = 0; i < sizeof views / sizeof *views; i++)
    if (strcmp(views[i].name, name) == 0) return &views[i];
  return NULL;
}

bool skep_sys_view_is(const char *db, const char *name) {
  return db != NULL && strcmp(db, "sys") == 0 && find(name) != NULL;
}

static skep_status view_type(const sys_view *view, skep_arena *arena, const skep_type **out, skep_err *err) {
  const skep_type row = {.kind = SKEP_STRUCT};
  const skep_type **children = skep_arena_zero(arena, view->n_columns + 1, sizeof *children);
  const char **names = skep_arena_zero(arena, view->n_columns + 1, sizeof *names);
  if (children == NULL || names == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a view");
  for (uint32_t i = 0; i < view->n_columns; i++) {
    const skep_type type = {.kind = view->columns[i].kind};
    names[i] = view->columns[i].name;
    SKEP_TRY(skep_type_make(arena, &type, NULL, NULL, 0, &children[i], err));
  }
  return skep_type_make(arena, &row, children, names, view->n_columns, out, err);
}

/* (SELECT c0::BIGINT AS c0, .. FROM (VALUES (..), ..) v(c0, ..)): with one row of NULLs that is left out, so that there
 * is always one. */
static skep_status print_view(skep_session *s, const sys_view *view, skep_buf *out, skep_err *err) {
  printing p = {.s = s, .out = out};
  skep_buf_text(out, "(SELECT ");
  for (uint32_t i = 0; i < view->n_columns; i++) {
    const skep_type type = {.kind = view->columns[i].kind};
    skep_buf_printf(out, "%sc%u::", i > 0 ? ", " : "", i);
    skep_engine_print_type(&type, out);
    skep_buf_printf(out, " AS c%u", i);
  }
  skep_buf_text(out, " FROM (VALUES ");
  SKEP_TRY(view->print(&p, err));
  begin_row(&p);
  for (uint32_t i = 0; i < view->n_columns; i++) put_null(&p);
  skep_buf_text(out, ")) v(");
  for (uint32_t i = 0; i < view->n_columns; i++) skep_buf_printf(out, "%sc%u", i > 0 ? ", " : "", i);
  skep_buf_text(out, ") WHERE v.c0 IS NOT NULL)");
  return skep_buf_check(out, "a view of sys", err);
}

skep_status skep_sys_view_table(skep_session *s, skep_arena *arena, const char *name, skep_bind_table *out,
                                skep_err *err) {
  const sys_view *view = find(name);
  if (view == NULL) return skep_fail(err, SKEP_ERR_NOT_FOUND, "no such view of sys");
  *out = (skep_bind_table){.db = "sys", .name = view->name};
  SKEP_TRY(view_type(view, arena, &out->columns, err));
  skep_buf text;
  skep_buf_init(&text, s->ctx, MAX_VIEW_BYTES);
  skep_status st = print_view(s, view, &text, err);
  if (st == SKEP_OK) {
    out->relation = skep_buf_copy(&text, arena);
    if (out->relation == NULL) st = skep_fail(err, SKEP_ERR_NOMEM, "a view of sys");
  }
  skep_buf_fini(&text);
  return st;
}
