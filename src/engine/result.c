/* Running queries: prepare, start streaming, and hand DuckDB's chunks on as batches. */
#include <inttypes.h>
#include <sched.h>
#include <time.h>

#include "engine/engine_int.h"

struct skep_engine_result {
  skep_engine *engine;
  skep_engine_connection *connection;
  const skep_type *type;
  duckdb_prepared_statement statement;
  duckdb_pending_result pending;
  duckdb_result result;
  bool has_result;
  duckdb_data_chunk chunk; /* NULL: the next one is to be fetched */
  int64_t chunk_rows, at;
  skep_batch batch;
  uint64_t interrupts; /* of the engine, when the query was started */
  int64_t next_row;
  skep_status end; /* SKEP_OK while there may be more */
  skep_err end_err;
};

/* ---- starting ---- */

static skep_status choose_order(skep_engine *e, skep_err *err) {
  uint64_t rows = 0;
  pthread_mutex_lock(&e->lock);
  for (size_t i = 0; i < e->n_sources; i++) rows += e->sources[i]->source->estimated_rows;
  pthread_mutex_unlock(&e->lock);
  bool keep = e->opts.keep_order || rows <= SKEP_ENGINE_ORDERED_ROWS;
  if (keep == e->keeps_order) return SKEP_OK;
  duckdb_result result;
  const char *sql = keep ? "SET preserve_insertion_order = true" : "SET preserve_insertion_order = false";
  skep_status status = SKEP_OK;
  if (skep_duck.query(e->control, sql, &result) != DuckDBSuccess)
    status = skep_engine_unmark_error(e, skep_duck.result_error(&result), SKEP_ERR_INTERNAL, err);
  skep_duck.destroy_result(&result);
  if (status == SKEP_OK) e->keeps_order = keep;
  return status;
}

static skep_status check_columns(skep_engine_result *r, skep_err *err) {
  idx_t n = skep_duck.column_count(&r->result);
  if (n != r->type->n_children)
    return skep_fail(err, SKEP_ERR_INTERNAL, "the query has %" PRIu64 " columns, %" PRIu32 " are expected", n,
                     r->type->n_children);
  for (uint32_t i = 0; i < r->type->n_children; i++) {
    duckdb_logical_type have = skep_duck.column_logical_type(&r->result, i);
    bool same = skep_carrier_matches(r->type->children[i], have);
    if (!same) {
      skep_buf text;
      skep_buf_init(&text, r->engine->ctx, 1 << 16);
      skep_carrier_print_duckdb(have, &text);
      skep_buf_text(&text, ", the carrier of ");
      skep_type_print(r->type->children[i], &text);
      skep_buf_text(&text, " is ");
      skep_engine_print_type(r->type->children[i], &text);
      (void)skep_fail(err, SKEP_ERR_INTERNAL, "column %" PRIu32 " is %s", i + 1, skep_buf_string(&text));
      skep_buf_fini(&text);
    }
    skep_duck.destroy_logical_type(&have);
    if (!same) return SKEP_ERR_INTERNAL;
  }
  return SKEP_OK;
}

/* An interrupt that comes before DuckDB runs the query is forgotten there, so it is looked for here as well. */
static skep_status check_interrupt(const skep_engine_result *r, skep_err *err) {
  if (__atomic_load_n(&r->engine->interrupts, __ATOMIC_ACQUIRE) == r->interrupts) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_CANCELLED, "interrupted");
}

/* Until there is a first chunk: this thread takes its share of the work, and sleeps when the others have taken it all.
 */
static skep_status run_until_ready(skep_engine_result *r, skep_err *err) {
  static const struct timespec nap = {.tv_nsec = 50000};
  for (int idle = 0;;) {
    SKEP_TRY(check_interrupt(r, err));
    duckdb_pending_state state = skep_duck.pending_execute_task(r->pending);
    if (state == DUCKDB_PENDING_ERROR)
      return skep_engine_unmark_error(r->engine, skep_duck.pending_error(r->pending), SKEP_ERR_RUNTIME, err);
    if (skep_duck.pending_execution_is_finished(state)) return SKEP_OK;
    if (state != DUCKDB_PENDING_NO_TASKS_AVAILABLE) {
      idle = 0;
    } else if (idle++ < 50) { /* small queries are over sooner than a nap */
      sched_yield();
    } else {
      nanosleep(&nap, NULL);
    }
  }
}

static skep_status start(skep_engine_result *r, const char *sql, skep_err *err) {
  if (skep_duck.prepare(r->connection->handle, sql, &r->statement) != DuckDBSuccess)
    return skep_engine_unmark_error(r->engine, skep_duck.prepare_error(r->statement), SKEP_ERR_INTERNAL, err);
  if (skep_duck.pending_prepared_streaming(r->statement, &r->pending) != DuckDBSuccess)
    return skep_engine_unmark_error(r->engine, skep_duck.pending_error(r->pending), SKEP_ERR_INTERNAL, err);
  SKEP_TRY(run_until_ready(r, err));
  duckdb_state state = skep_duck.execute_pending(r->pending, &r->result);
  r->has_result = true;
  if (state != DuckDBSuccess)
    return skep_engine_unmark_error(r->engine, skep_duck.result_error(&r->result), SKEP_ERR_INTERNAL, err);
  return check_columns(r, err);
}

skep_status skep_engine_query(skep_engine *e, const char *sql, const skep_type *type, const skep_forms *forms,
                              skep_engine_result **out, skep_err *err) {
  static const skep_forms defaults = {.boolean = 0};
  uint64_t interrupts = __atomic_load_n(&e->interrupts, __ATOMIC_ACQUIRE);
  *out = NULL;
  SKEP_TRY(skep_engine_start(e, err));
  SKEP_TRY(skep_engine_register_functions(e, sql, err));
  SKEP_TRY(choose_order(e, err));
  skep_engine_result *r = skep_alloc_zero(e->ctx, 1, sizeof *r);
  if (r == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "starting a query");
  r->engine = e;
  r->interrupts = interrupts;
  r->type = type;
  skep_status status = skep_vec_init(&r->batch.root, e->ctx, type, forms == NULL ? &defaults : forms, err);
  if (status == SKEP_OK) status = skep_engine_take_connection(e, &r->connection, err);
  if (status == SKEP_OK) status = start(r, sql, err);
  if (status != SKEP_OK) {
    skep_engine_result_close(r);
    return status;
  }
  *out = r;
  return SKEP_OK;
}

/* ---- fetching ---- */

static skep_status fetch(skep_engine_result *r, skep_err *err) {
  SKEP_TRY(check_interrupt(r, err));
  while (r->chunk == NULL || r->at == r->chunk_rows) {
    if (r->chunk != NULL) skep_duck.destroy_data_chunk(&r->chunk);
    r->chunk = skep_duck.fetch_chunk(r->result);
    if (r->chunk == NULL) {
      const char *text = skep_duck.result_error(&r->result);
      return text == NULL || text[0] == '\0' ? SKEP_END
                                             : skep_engine_unmark_error(r->engine, text, SKEP_ERR_RUNTIME, err);
    }
    r->chunk_rows = (int64_t)skep_duck.data_chunk_get_size(r->chunk);
    r->at = 0;
  }
  return SKEP_OK;
}

static skep_status next(skep_engine_result *r, int64_t max_rows, skep_err *err) {
  SKEP_TRY(fetch(r, err));
  int64_t n = r->chunk_rows - r->at;
  if (n > max_rows) n = max_rows;
  for (uint32_t i = 0; i < r->type->n_children; i++) {
    duckdb_vector vector = skep_duck.data_chunk_get_vector(r->chunk, i);
    skep_status status = skep_drain_vector(vector, NULL, r->at, n, &r->batch.root.children[i], err);
    if (status != SKEP_OK) return skep_wrap(err, status, "column %" PRIu32, i + 1);
  }
  r->batch.root.length = n;
  r->batch.first_row = r->next_row;
  r->next_row += n;
  r->at += n;
  return SKEP_OK;
}

skep_status skep_engine_next(skep_engine_result *r, int64_t max_rows, const skep_batch **out, skep_err *err) {
  *out = NULL;
  if (max_rows < 1) return skep_fail(err, SKEP_ERR_ARGUMENT, "batches of %" PRId64 " rows", max_rows);
  if (r->end == SKEP_OK) r->end = next(r, max_rows, &r->end_err);
  if (r->end == SKEP_END) return SKEP_END;
  if (r->end != SKEP_OK) return skep_fail(err, r->end, "%s", r->end_err.text);
  *out = &r->batch;
  return SKEP_OK;
}

/* DuckDB keeps what a half-read or failed result still needs, passes over our sources among it, until the connection's
 * next query: an empty one makes it let go. */
static void let_go(skep_engine_connection *c) {
  duckdb_result none;
  (void)skep_duck.query(c->handle, "SELECT 1", &none);
  skep_duck.destroy_result(&none);
}

void skep_engine_result_close(skep_engine_result *r) {
  if (r == NULL) return;
  skep_engine *e = r->engine;
  bool ran = r->has_result || r->pending != NULL; /* also when it failed on its way to the first chunk */
  skep_vec_fini(&r->batch.root);                  /* before the chunk whose memory it lends */
  if (r->chunk != NULL) skep_duck.destroy_data_chunk(&r->chunk);
  if (r->has_result) skep_duck.destroy_result(&r->result);
  if (r->pending != NULL) skep_duck.destroy_pending(&r->pending);
  if (r->statement != NULL) skep_duck.destroy_prepare(&r->statement);
  if (r->end != SKEP_END && ran) let_go(r->connection);
  skep_engine_give_connection(e, r->connection);
  skep_release(e->ctx, r);
}

/* ---- statements without rows ---- */

skep_status skep_engine_run(skep_engine *e, const char *sql, uint64_t *n_rows, skep_err *err) {
  if (n_rows != NULL) *n_rows = 0;
  SKEP_TRY(skep_engine_start(e, err));
  SKEP_TRY(skep_engine_register_functions(e, sql, err));
  SKEP_TRY(choose_order(e, err));
  skep_engine_connection *c;
  SKEP_TRY(skep_engine_take_connection(e, &c, err));
  duckdb_result result;
  skep_status status = SKEP_OK;
  if (skep_duck.query(c->handle, sql, &result) != DuckDBSuccess)
    status = skep_engine_unmark_error(e, skep_duck.result_error(&result), SKEP_ERR_INTERNAL, err);
  if (status == SKEP_OK && n_rows != NULL) *n_rows = skep_duck.rows_changed(&result);
  skep_duck.destroy_result(&result);
  skep_engine_give_connection(e, c);
  return status;
}
