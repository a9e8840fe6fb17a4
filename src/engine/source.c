/* The table function skep_source(id): binds to a source, runs it with the columns that the query needs, one reader a
 * thread.
 *
 * Batches of several of DuckDB's vectors are read in one go and handed on in pieces: decoding a few thousand rows at a
 * time is cheaper. A piece points into the batch, which lives until the reader is asked for the next one; whatever
 * DuckDB keeps beyond a call of the function it copies. */
#include <inttypes.h>
#include <stdio.h>

#include "engine/engine_int.h"

enum { VECTORS_A_BATCH = 4 };

/* The bind data: which source. */
typedef struct bound {
  skep_engine_source *entry;
} bound;

/* One pass; shared by the readers, freed with the last of them or with DuckDB's own hold on it. */
typedef struct pass {
  uint32_t references; /* atomic */
  const skep_ctx *ctx;
  skep_engine_source *entry;
  skep_source_run *run;
  uint32_t n_columns; /* DuckDB's, which may ask for its row number too (it asks for that when it needs no column) */
  uint32_t *from;     /* child of the batch for each of DuckDB's columns; UINT32_MAX: none */
  uint32_t n_wanted;
} pass;

/* One thread's reader, opened by its first call: DuckDB does not show the pass to the call that makes it. */
typedef struct reader {
  const skep_ctx *ctx;
  pass *pass; /* NULL: not opened yet */
  skep_source_reader *reader;
  const skep_batch *batch; /* NULL: the next one is to be read */
  int64_t at;              /* rows of it that were handed on */
  skep_fill *fills;        /* n_columns */
} reader;

static void fail_bind(duckdb_bind_info info, uint64_t mark, const skep_err *err) {
  char marked[SKEP_ENGINE_ERROR_SIZE];
  skep_duck.bind_set_error(info, skep_engine_mark_error(mark, marked, sizeof marked, err->status, err->text));
}

static void fail_init(duckdb_init_info info, uint64_t mark, const skep_err *err) {
  char marked[SKEP_ENGINE_ERROR_SIZE];
  skep_duck.init_set_error(info, skep_engine_mark_error(mark, marked, sizeof marked, err->status, err->text));
}

static void fail_read(duckdb_function_info info, uint64_t mark, const skep_err *err) {
  char marked[SKEP_ENGINE_ERROR_SIZE];
  skep_duck.function_set_error(info, skep_engine_mark_error(mark, marked, sizeof marked, err->status, err->text));
}

/* ---- bind ---- */

static void bound_free(void *data) {
  bound *b = data;
  const skep_ctx *ctx = b->entry->ctx;
  skep_engine_unref_source(b->entry);
  skep_release(ctx, b);
}

static skep_status add_columns(duckdb_bind_info info, const skep_engine *e, const skep_type *type, skep_err *err) {
  for (uint32_t i = 0; i < type->n_children; i++) {
    char name[16];
    snprintf(name, sizeof name, "c%" PRIu32, i);
    duckdb_logical_type carrier = skep_carrier_type(e->ctx, type->children[i]);
    if (carrier == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "binding a source");
    skep_duck.bind_add_result_column(info, name, carrier);
    skep_duck.destroy_logical_type(&carrier);
  }
  return SKEP_OK;
}

static skep_status bind(duckdb_bind_info info, skep_err *err) {
  skep_engine *e = skep_duck.bind_get_extra_info(info);
  duckdb_value value = skep_duck.bind_get_parameter(info, 0);
  int64_t id = skep_duck.get_int64(value);
  skep_duck.destroy_value(&value);
  skep_engine_source *entry = id <= 0 ? NULL : skep_engine_find_source(e, (uint64_t)id);
  if (entry == NULL) return skep_fail(err, SKEP_ERR_INTERNAL, "there is no source %" PRId64, id);
  skep_status status = add_columns(info, e, entry->source->type, err);
  bound *b = status == SKEP_OK ? skep_alloc_zero(e->ctx, 1, sizeof *b) : NULL;
  if (b == NULL) {
    skep_engine_unref_source(entry);
    return status != SKEP_OK ? status : skep_fail(err, SKEP_ERR_NOMEM, "binding a source");
  }
  b->entry = entry;
  skep_duck.bind_set_bind_data(info, b, bound_free);
  if (entry->source->estimated_rows != 0) skep_duck.bind_set_cardinality(info, entry->source->estimated_rows, false);
  return SKEP_OK;
}

static void on_bind(duckdb_bind_info info) {
  skep_err err;
  const skep_engine *e = skep_duck.bind_get_extra_info(info);
  if (bind(info, &err) != SKEP_OK) fail_bind(info, e->mark, &err);
}

/* ---- init: one pass ---- */

static void pass_unref(void *data) {
  pass *p = data;
  if (p == NULL || __atomic_sub_fetch(&p->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  if (p->run != NULL) p->entry->source->vt->run_free(p->run);
  skep_engine_unref_source(p->entry);
  skep_release(p->ctx, p->from);
  skep_release(p->ctx, p);
}

static skep_status start_run(duckdb_init_info info, pass *p, skep_err *err) {
  skep_source *source = p->entry->source;
  idx_t n = skep_duck.init_get_column_count(info);
  if (n > UINT32_MAX) return skep_fail(err, SKEP_ERR_LIMIT, "too many columns");
  p->n_columns = (uint32_t)n;
  p->from = skep_alloc(p->ctx, ((size_t)n + 1) * sizeof *p->from);
  uint32_t *wanted = skep_alloc(p->ctx, ((size_t)n + 1) * sizeof *wanted);
  if (p->from == NULL || wanted == NULL) {
    skep_release(p->ctx, wanted);
    return skep_fail(err, SKEP_ERR_NOMEM, "starting a scan");
  }
  for (idx_t i = 0; i < n; i++) {
    idx_t column = skep_duck.init_get_column_index(info, i);
    bool is_ours = column < source->type->n_children;
    p->from[i] = is_ours ? p->n_wanted : UINT32_MAX;
    if (is_ours) wanted[p->n_wanted++] = (uint32_t)column;
  }
  __atomic_store_n(&p->entry->rows_read, 0, __ATOMIC_RELAXED);
  skep_status status = source->vt->run(source, wanted, p->n_wanted, &p->run, err);
  skep_release(p->ctx, wanted);
  return status;
}

static skep_status init(duckdb_init_info info, skep_err *err) {
  const bound *b = skep_duck.init_get_bind_data(info);
  const skep_ctx *ctx = b->entry->ctx;
  pass *p = skep_alloc_zero(ctx, 1, sizeof *p);
  if (p == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "starting a scan");
  *p = (pass){.references = 1, .ctx = ctx, .entry = skep_engine_ref_source(b->entry)};
  skep_status status = start_run(info, p, err);
  if (status != SKEP_OK) {
    pass_unref(p);
    return status;
  }
  /* For open_reader's thread, also in the eyes of who cannot see DuckDB's locks. */
  __atomic_store_n(&p->references, 1, __ATOMIC_RELEASE);
  skep_duck.init_set_init_data(info, p, pass_unref);
  uint32_t threads = b->entry->source->max_threads;
  skep_duck.init_set_max_threads(info, threads == 0 ? 1 : threads);
  return SKEP_OK;
}

static void on_init(duckdb_init_info info) {
  skep_err err;
  const bound *b = skep_duck.init_get_bind_data(info);
  if (init(info, &err) != SKEP_OK) fail_init(info, b->entry->mark, &err);
}

/* ---- local init: one reader ---- */

static void reader_free(void *data) {
  reader *r = data;
  const skep_ctx *ctx = r->ctx;
  if (r->reader != NULL) r->pass->entry->source->vt->close(r->reader);
  for (uint32_t i = 0; r->fills != NULL && i < r->pass->n_columns; i++) skep_fill_fini(&r->fills[i]);
  skep_release(ctx, r->fills);
  pass_unref(r->pass);
  skep_release(ctx, r);
}

static void on_local_init(duckdb_init_info info) {
  const bound *b = skep_duck.init_get_bind_data(info);
  const skep_ctx *ctx = b->entry->ctx;
  reader *r = skep_alloc_zero(ctx, 1, sizeof *r);
  if (r == NULL) {
    skep_err err;
    (void)skep_fail(&err, SKEP_ERR_NOMEM, "starting a scan");
    fail_init(info, b->entry->mark, &err);
    return;
  }
  r->ctx = ctx;
  skep_duck.init_set_init_data(info, r, reader_free);
}

static skep_status open_reader(reader *r, pass *p, skep_err *err) {
  __atomic_add_fetch(&p->references, 1, __ATOMIC_ACQ_REL);
  r->pass = p;
  r->fills = skep_alloc_zero(r->ctx, (size_t)p->n_columns + 1, sizeof *r->fills);
  if (r->fills == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "starting a scan");
  for (uint32_t i = 0; i < p->n_columns; i++) r->fills[i].ctx = r->ctx;
  return p->entry->source->vt->open(p->run, &r->reader, err);
}

/* ---- reading ---- */

/* The next batch with rows left, or none. */
static skep_status need_batch(reader *r, skep_err *err) {
  if (r->batch != NULL && r->at < r->batch->root.length) return SKEP_OK;
  pass *p = r->pass;
  int64_t rows = VECTORS_A_BATCH * (int64_t)skep_duck.vector_size();
  r->batch = NULL;
  r->at = 0;
  skep_status status = p->entry->source->vt->next(r->reader, rows, &r->batch, err);
  if (status != SKEP_OK) return status;
  __atomic_add_fetch(&p->entry->rows_read, (uint64_t)r->batch->root.length, __ATOMIC_RELAXED);
  if (r->batch->root.n_children == p->n_wanted) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_INTERNAL, "source %s sent %" PRIu32 " columns for %" PRIu32,
                   p->entry->source->vt->name, r->batch->root.n_children, p->n_wanted);
}

static skep_status read_rows(reader *r, duckdb_data_chunk chunk, skep_err *err) {
  skep_status status = need_batch(r, err);
  if (status == SKEP_END) {
    skep_duck.data_chunk_set_size(chunk, 0);
    return SKEP_OK;
  }
  if (status != SKEP_OK) return status;
  const pass *p = r->pass;
  int64_t n = r->batch->root.length - r->at;
  if (n > (int64_t)skep_duck.vector_size()) n = (int64_t)skep_duck.vector_size();
  for (uint32_t i = 0; i < p->n_columns; i++) {
    if (p->from[i] == UINT32_MAX) continue; /* a row number nobody looks at */
    SKEP_TRY(skep_fill_vector(&r->fills[i], &r->batch->root.children[p->from[i]], r->at, n,
                              skep_duck.data_chunk_get_vector(chunk, i), 0, err));
  }
  r->at += n;
  skep_duck.data_chunk_set_size(chunk, (idx_t)n);
  return SKEP_OK;
}

static void on_read(duckdb_function_info info, duckdb_data_chunk chunk) {
  reader *r = skep_duck.function_get_local_init_data(info);
  skep_err err;
  skep_status status = SKEP_OK;
  if (r->reader == NULL) status = open_reader(r, skep_duck.function_get_init_data(info), &err);
  if (status == SKEP_OK) status = read_rows(r, chunk, &err);
  const pass *p = skep_duck.function_get_init_data(info);
  if (status != SKEP_OK) fail_read(info, p->entry->mark, &err);
}

/* ---- registering ---- */

skep_status skep_engine_register_source(skep_engine *e, duckdb_connection connection, skep_err *err) {
  duckdb_table_function function = skep_duck.create_table_function();
  duckdb_logical_type id = skep_duck.create_logical_type(DUCKDB_TYPE_BIGINT);
  skep_duck.table_function_set_name(function, "skep_source");
  skep_duck.table_function_add_parameter(function, id);
  skep_duck.table_function_set_extra_info(function, e, NULL);
  skep_duck.table_function_set_bind(function, on_bind);
  skep_duck.table_function_set_init(function, on_init);
  skep_duck.table_function_set_local_init(function, on_local_init);
  skep_duck.table_function_set_function(function, on_read);
  skep_duck.table_function_supports_projection_pushdown(function, true);
  duckdb_state state = skep_duck.register_table_function(connection, function);
  skep_duck.destroy_logical_type(&id);
  skep_duck.destroy_table_function(&function);
  return state == DuckDBSuccess ? SKEP_OK : skep_fail(err, SKEP_ERR_INTERNAL, "DuckDB takes no table function");
}
