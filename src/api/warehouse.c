/* The calls of include/skep/warehouse.h: sessions of sql/, their results as Arrow streams. */
#include "skep/warehouse.h"

#include <string.h>
#include <unistd.h>

#include "api/reading.h"
#include "column/memory_source.h"
#include "hiveql/script.h"
#include "io/posix.h"
#include "io/site_file.h"
#include "sql/given.h"
#include "sql/metastore_place.h"
#include "sql/session.h"

enum { MAX_STATEMENT_BYTES = 1 << 30 };

struct skep_warehouse {
  uint32_t references;   /* atomic: connections and the caller */
  skep_reading *reading; /* context, file system, and how rows are handed out; its arena has the texts */
  skep_config *config;
  skep_heartbeats *heartbeats;
  skep_session_opts opts; /* of every session */
  pid_t process;          /* that opened it; a child of it must not use it: threads and database are not there */
  char host[256];
};

typedef struct rows_of rows_of;

struct skep_connection {
  skep_warehouse *warehouse;
  skep_session *session;
  rows_of *rows; /* not released yet; or NULL */
  bool busy;     /* atomic: a call runs */
};

/* ---- warehouses ---- */

static skep_warehouse *ref(skep_warehouse *w) {
  __atomic_add_fetch(&w->references, 1, __ATOMIC_RELAXED);
  return w;
}

static void unref(skep_warehouse *w) {
  if (w == NULL || __atomic_sub_fetch(&w->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  skep_heartbeats_free(w->heartbeats);
  skep_config_free(w->config);
  skep_reading_unref(w->reading); /* with the arena that w is in */
}

/* A copy that is NULL for NULL. */
static skep_status copy_text(skep_warehouse *w, const char *text, const char **out, skep_err *err) {
  *out = text == NULL ? NULL : skep_arena_strndup(&w->reading->arena, text, strlen(text));
  return text == NULL || *out != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "no memory to open a warehouse");
}

static skep_status place(skep_warehouse *w, const char *dir, const char **out, skep_err *err) {
  if (dir[0] == '\0') return skep_fail(err, SKEP_ERR_ARGUMENT, "the name of a warehouse's directory is empty");
  SKEP_TRY(skep_posix_absolute(&w->reading->arena, dir, &dir, err));
  return copy_text(w, dir, out, err);
}

static skep_status take_settings(skep_warehouse *w, const skep_warehouse_opts *o, skep_err *err) {
  const skep_reading *r = w->reading;
  SKEP_TRY(skep_config_new(&r->ctx, &w->config, err));
  if (o->site_file != NULL) SKEP_TRY(skep_site_file_read(r->fs, &r->ctx, o->site_file, w->config, err));
  if (o->settings == NULL && o->n_settings != 0)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%zu settings, but NULL for the array", o->n_settings);
  for (size_t i = 0; i < o->n_settings; i++) {
    if (o->settings[i].name == NULL || o->settings[i].value == NULL)
      return skep_fail(err, SKEP_ERR_ARGUMENT, "settings: name or value of number %zu is NULL", i);
    SKEP_TRY(skep_config_set(w->config, o->settings[i].name, o->settings[i].value, err));
  }
  w->opts.config = w->config;
  return SKEP_OK;
}

static skep_status open_warehouse(skep_warehouse *w, const char *dir, const skep_warehouse_opts *o, skep_err *err) {
  skep_reading *r = w->reading;
  w->opts = (skep_session_opts){.ctx = &r->ctx,
                                .fs = r->fs,
                                .read_only = (o->flags & SKEP_READ_ONLY) != 0,
                                .threads = o->threads,
                                .memory_bytes = o->memory_bytes};
  if ((o->flags & ~(uint32_t)SKEP_READ_ONLY) != 0)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "unknown flags %#x", (unsigned)o->flags);
  if (gethostname(w->host, sizeof w->host) == 0) {
    w->host[sizeof w->host - 1] = '\0';
    w->opts.host = w->host;
  }
  SKEP_TRY(place(w, dir, &w->opts.warehouse_dir, err));
  SKEP_TRY(copy_text(w, o->user, &w->opts.user, err));
  SKEP_TRY(copy_text(w, o->metastore, &w->opts.metastore_url, err));
  SKEP_TRY(take_settings(w, o, err));
  const char *url = w->opts.metastore_url;
  if (url == NULL) SKEP_TRY(skep_metastore_default(&r->ctx, r->fs, &r->arena, w->opts.warehouse_dir, &url, err));
  SKEP_TRY(skep_heartbeats_new(&r->ctx, url, &w->heartbeats, err));
  w->opts.heartbeats = w->heartbeats;
  return SKEP_OK;
}

skep_status skep_warehouse_open(const char *dir, const skep_warehouse_opts *opts, skep_warehouse **out, skep_err *err) {
  skep_warehouse_opts all = SKEP_WAREHOUSE_OPTS_INIT;
  skep_reading *r;
  if (out == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "no place for a warehouse given");
  *out = NULL;
  if (opts != NULL) {
    if (opts->size < sizeof opts->size || opts->size > sizeof *opts)
      return skep_fail(err, SKEP_ERR_ARGUMENT, "warehouse options of %zu bytes: not made with SKEP_WAREHOUSE_OPTS_INIT",
                       opts->size);
    memcpy(&all, opts, opts->size);
  }
  if (dir == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "no directory given for a warehouse");
  SKEP_TRY(skep_reading_new(all.read, &r, err));
  skep_warehouse *w = skep_arena_zero(&r->arena, 1, sizeof *w);
  if (w == NULL) {
    skep_reading_unref(r);
    return skep_fail(err, SKEP_ERR_NOMEM, "no memory to open a warehouse");
  }
  w->references = 1;
  w->process = getpid();
  w->reading = r;
  skep_status status = open_warehouse(w, dir, &all, err);
  if (status != SKEP_OK) {
    unref(w);
    return status;
  }
  *out = w;
  return SKEP_OK;
}

static bool is_inherited(const skep_warehouse *w) { return w->process != getpid(); }

static skep_status check_process(const skep_warehouse *w, skep_err *err) {
  if (!is_inherited(w)) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_ARGUMENT,
                   "the warehouse was opened by process %ld: a process that forks opens its warehouses afterwards",
                   (long)w->process);
}

void skep_warehouse_close(skep_warehouse *warehouse) {
  if (warehouse != NULL && !is_inherited(warehouse)) unref(warehouse);
}

/* ---- one call at a time ---- */

static skep_status enter(skep_connection *c, skep_err *err) {
  if (c == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "no connection given");
  SKEP_TRY(check_process(c->warehouse, err));
  if (!__atomic_exchange_n(&c->busy, true, __ATOMIC_ACQUIRE)) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_ARGUMENT, "another call of this connection is not over: give each thread its own");
}

static void leave(skep_connection *c) { __atomic_store_n(&c->busy, false, __ATOMIC_RELEASE); }

/* ---- rows of a statement ---- */

struct rows_of {
  skep_connection *connection; /* NULL: it was closed */
  skep_warehouse *warehouse;   /* one reference: the context, which the arrays' stream needs to its end */
  skep_result *result;
  const skep_batch *from; /* the result's, of which rows from `at` on are left; NULL: the next one is to be fetched */
  int64_t at;
  skep_arena arena; /* of the type, which outlives the result */
};

static skep_status fetch(rows_of *r, skep_err *err) {
  if (r->from != NULL && r->at < r->from->root.length) return SKEP_OK;
  r->at = 0;
  return skep_result_next(r->result, &r->from, err);
}

/* Batches of a result are cut, and several make one, up to batch_rows. Rows that came before a failure are handed out
 * before it. */
static skep_status fill(rows_of *r, skep_vec *to, skep_err *err) {
  int64_t most = r->warehouse->reading->read.batch_rows;
  while (to->length < most) {
    skep_status status = fetch(r, err);
    if (status != SKEP_OK) return to->length != 0 ? SKEP_OK : status;
    int64_t n = r->from->root.length - r->at;
    if (n > most - to->length) n = most - to->length;
    SKEP_TRY(skep_vec_append(to, &r->from->root, r->at, n, err));
    r->at += n;
  }
  return SKEP_OK;
}

static skep_status next_rows(void *self, skep_batch *batch, skep_err *err) {
  rows_of *r = self;
  skep_connection *c = r->connection;
  if (c == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "the connection of these rows is closed");
  SKEP_TRY(enter(c, err));
  skep_status status = fill(r, &batch->root, err);
  leave(c);
  return status;
}

static void end_rows(rows_of *r) {
  skep_result_free(r->result);
  r->result = NULL;
  r->connection->rows = NULL;
  r->connection = NULL;
}

static void release_rows(void *self) {
  rows_of *r = self;
  skep_warehouse *w = r->warehouse;
  if (is_inherited(w)) return;
  if (r->connection != NULL) end_rows(r);
  skep_arena_fini(&r->arena);
  skep_release(&w->reading->ctx, r);
  unref(w);
}

/* The stream is the rows' owner from here on, also on failure. */
static skep_status stream_rows(skep_connection *c, skep_result *result, struct ArrowArrayStream *out, skep_err *err) {
  const skep_reading *reading = c->warehouse->reading;
  const skep_type *type;
  rows_of *r = skep_alloc_zero(&reading->ctx, 1, sizeof *r);
  if (r == NULL) {
    skep_result_free(result);
    return skep_fail(err, SKEP_ERR_NOMEM, "no memory for the rows of a statement");
  }
  *r = (rows_of){.connection = c, .warehouse = ref(c->warehouse), .result = result};
  c->rows = r;
  skep_arena_init(&r->arena, &reading->ctx, (size_t)1 << 30);
  const skep_batch_source source = {.next = next_rows, .release = release_rows, .self = r};
  skep_status status = skep_type_copy(&r->arena, skep_result_type(result), &type, err);
  if (status == SKEP_OK)
    return skep_arrow_stream(&reading->ctx, type, &reading->forms, reading->utf8, source, out, err);
  release_rows(r);
  return status;
}

/* ---- connections ---- */

skep_status skep_connect(skep_warehouse *warehouse, skep_connection **out, skep_err *err) {
  if (out == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "no place for a connection given");
  *out = NULL;
  if (warehouse == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "no warehouse given");
  SKEP_TRY(check_process(warehouse, err));
  const skep_ctx *ctx = &warehouse->reading->ctx;
  skep_connection *c = skep_alloc_zero(ctx, 1, sizeof *c);
  if (c == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a connection");
  skep_status status = skep_session_open(&warehouse->opts, &c->session, err);
  if (status != SKEP_OK) {
    skep_release(ctx, c);
    return status;
  }
  c->warehouse = ref(warehouse);
  *out = c;
  return SKEP_OK;
}

void skep_disconnect(skep_connection *c) {
  if (c == NULL || is_inherited(c->warehouse)) return;
  skep_warehouse *w = c->warehouse;
  if (c->rows != NULL) end_rows(c->rows);
  skep_session_close(c->session);
  skep_release(&w->reading->ctx, c);
  unref(w);
}

static skep_status check_idle(const skep_connection *c, skep_err *err) {
  if (c->rows == NULL) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_ARGUMENT, "the rows of the statement before are not released");
}

/* ---- statements ---- */

typedef struct statements {
  skep_script_statement *items; /* with texts of their own */
  size_t n, capacity;
} statements;

static skep_status add_statement(skep_arena *arena, statements *all, const skep_script_statement *s, skep_err *err) {
  void *grown = all->items;
  SKEP_TRY(skep_arena_grow(arena, &grown, &all->capacity, all->n + 1, sizeof *all->items, err));
  all->items = grown;
  all->items[all->n] = *s;
  all->items[all->n].text = skep_arena_strndup(arena, s->text, s->length);
  if (all->items[all->n].text == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a statement");
  all->n++;
  return SKEP_OK;
}

static skep_status split(skep_splitter *splitter, skep_arena *arena, const char *sql, statements *all, skep_err *err) {
  skep_script_statement s;
  skep_status status;
  SKEP_TRY(skep_splitter_feed(splitter, sql, strlen(sql), err));
  while ((status = skep_splitter_next(splitter, &s, err)) == SKEP_OK) SKEP_TRY(add_statement(arena, all, &s, err));
  if (status != SKEP_END) return status;
  status = skep_splitter_finish(splitter, &s, err);
  if (status != SKEP_END) return status == SKEP_OK ? add_statement(arena, all, &s, err) : status;
  return all->n != 0 ? SKEP_OK : skep_fail(err, SKEP_ERR_ARGUMENT, "there is no statement in the text");
}

/* Rows that nobody takes are made all the same: they may fail, as those of a SELECT assert_true(..). */
static skep_status drop_rows(skep_result **result, skep_err *err) {
  const skep_batch *ignored;
  skep_status status = *result != NULL ? SKEP_OK : SKEP_END;
  while (status == SKEP_OK) status = skep_result_next(*result, &ignored, err);
  skep_result_free(*result);
  *result = NULL;
  return status == SKEP_END ? SKEP_OK : status;
}

static skep_status run_all(skep_connection *c, const statements *all, bool keeps_last, skep_result **last,
                           skep_err *err) {
  for (size_t i = 0; i < all->n; i++) {
    skep_status status = skep_session_run(c->session, all->items[i].text, all->items[i].length, last, err);
    if (status == SKEP_OK && (i + 1 < all->n || !keeps_last)) status = drop_rows(last, err);
    if (status != SKEP_OK) return all->n == 1 ? status : skep_wrap(err, status, "statement %zu", i + 1);
  }
  return SKEP_OK;
}

static skep_status run_text(skep_connection *c, const char *sql, struct ArrowArrayStream *rows, skep_err *err) {
  const skep_ctx *ctx = &c->warehouse->reading->ctx;
  skep_splitter splitter;
  statements all = {0};
  skep_result *result = NULL;
  SKEP_TRY(check_idle(c, err));
  skep_arena arena;
  skep_arena_init(&arena, ctx, SIZE_MAX);
  skep_splitter_init(&splitter, ctx, MAX_STATEMENT_BYTES);
  skep_status status = split(&splitter, &arena, sql, &all, err);
  skep_splitter_fini(&splitter);
  skep_session_hold_cancel(c->session, true);
  if (status == SKEP_OK) status = run_all(c, &all, rows != NULL, &result, err);
  skep_session_hold_cancel(c->session, false);
  skep_arena_fini(&arena);
  return result != NULL ? stream_rows(c, result, rows, err) : status;
}

skep_status skep_run(skep_connection *c, const char *sql, struct ArrowArrayStream *rows, skep_err *err) {
  if (rows != NULL) *rows = (struct ArrowArrayStream){0};
  if (sql == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "no statement given");
  SKEP_TRY(enter(c, err));
  skep_status status = run_text(c, sql, rows, err);
  leave(c);
  return status;
}

void skep_cancel(skep_connection *connection) {
  if (connection != NULL) skep_session_cancel(connection->session);
}

int skep_in_transaction(const skep_connection *connection) {
  return connection != NULL && skep_session_in_transaction(connection->session);
}

const char *skep_connection_notice(const skep_connection *connection, size_t i) {
  return connection != NULL ? skep_session_notice(connection->session, i) : NULL;
}

/* ---- rows for statements ---- */

static skep_status give(skep_connection *c, const char *name, struct ArrowArrayStream *rows, skep_err *err) {
  skep_source *source;
  SKEP_TRY(check_idle(c, err));
  SKEP_TRY(skep_memory_source_new(&c->warehouse->reading->ctx, rows, &source, err));
  skep_status status = skep_given_add(c->session, name, source, err);
  if (status != SKEP_OK) skep_source_free(source);
  return status;
}

skep_status skep_give(skep_connection *connection, const char *name, struct ArrowArrayStream *rows, skep_err *err) {
  if (rows == NULL || rows->release == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "no rows given");
  skep_status status = SKEP_OK;
  if (name == NULL) status = skep_fail(err, SKEP_ERR_ARGUMENT, "no name given for rows");
  if (status == SKEP_OK) status = enter(connection, err);
  if (status == SKEP_OK) {
    status = give(connection, name, rows, err);
    leave(connection);
  }
  rows->release(rows);
  return status;
}

skep_status skep_take_back(skep_connection *connection, const char *name, skep_err *err) {
  if (name == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "no name given");
  SKEP_TRY(enter(connection, err));
  skep_status status = check_idle(connection, err);
  if (status == SKEP_OK) skep_given_remove(connection->session, name);
  leave(connection);
  return status;
}
