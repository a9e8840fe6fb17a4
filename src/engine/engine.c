/* Opening DuckDB, its settings, the sources and connections of an engine, and how errors cross it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "column/text.h"
#include "engine/engine_int.h"

enum { MAX_THREADS = 256 }; /* of a query; DuckDB starts as many as it is told to */

/* ---- errors ---- */

#define MARK "\x1d"
enum { MAX_MARKED = SKEP_ENGINE_ERROR_SIZE - 40 };

/* DuckDB puts words before a text, and part of the query behind it. */
const char *skep_engine_mark_error(uint64_t mark, char *out, size_t size, skep_status status, const char *text) {
  snprintf(out, size, MARK "%016" PRIx64 MARK "%d" MARK "%.*s" MARK, mark, (int)status, MAX_MARKED, text);
  return out;
}

static bool begins(const char *text, const char *word) { return strncmp(text, word, strlen(word)) == 0; }

/* DuckDB's exceptions by the first words of their texts. */
static skep_status status_of(const char *text, skep_status fallback) {
  static const struct {
    const char *words;
    skep_status status;
  } known[] = {{"Out of Memory Error", SKEP_ERR_NOMEM},
               {"INTERRUPT Error", SKEP_ERR_CANCELLED},
               {"Conversion Error", SKEP_ERR_RUNTIME},
               {"Out of Range Error", SKEP_ERR_RUNTIME},
               {"Invalid Input Error", SKEP_ERR_RUNTIME},
               {"Constraint Error", SKEP_ERR_RUNTIME},
               {"IO Error", SKEP_ERR_IO},
               {"Parser Error", SKEP_ERR_INTERNAL},
               {"Binder Error", SKEP_ERR_INTERNAL},
               {"Catalog Error", SKEP_ERR_INTERNAL},
               {"Not implemented Error", SKEP_ERR_UNSUPPORTED},
               {"INTERNAL Error", SKEP_ERR_INTERNAL}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (begins(text, known[i].words)) return known[i].status;
  }
  return fallback;
}

skep_status skep_engine_unmark_error(const skep_engine *engine, const char *text, skep_status fallback, skep_err *err) {
  char quoted[900], prefix[32];
  if (text == NULL) return skep_fail(err, fallback, "DuckDB failed and does not say why");
  snprintf(prefix, sizeof prefix, MARK "%016" PRIx64 MARK, engine->mark);
  const char *mark = strstr(text, prefix);
  const char *number = mark == NULL ? NULL : mark + strlen(prefix);
  const char *end = number == NULL ? NULL : strchr(number, MARK[0]);
  if (end != NULL) {
    int64_t status = 0;
    bool is_number = skep_parse_i64(skep_bytes_of(number, (size_t)(end - number)), &status);
    if (is_number && status > SKEP_END && status <= SKEP_ERR_RUNTIME)
      return skep_fail(err, (skep_status)status, "%.*s", (int)strcspn(end + 1, MARK), end + 1);
  }
  if (strstr(text, "More than one row returned by a subquery") != NULL) /* Hive's words */
    return skep_fail(err, SKEP_ERR_RUNTIME, "Scalar subquery expression returns more than one row.");
  skep_status status = status_of(text, fallback);
  if (status == SKEP_ERR_CANCELLED) return skep_fail(err, status, "interrupted");
  return skep_fail(err, status, "%s%s", status == SKEP_ERR_INTERNAL ? "DuckDB refused: " : "",
                   skep_quote(quoted, sizeof quoted, text, strlen(text)));
}

/* ---- opening ---- */

static skep_status no_memory(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "opening the engine"); }

static char *copy_text(const skep_ctx *ctx, const char *text) {
  return text == NULL ? NULL : skep_strndup(ctx, text, strlen(text));
}

skep_status skep_engine_open(const skep_ctx *ctx, const skep_engine_opts *opts, skep_engine **out, skep_err *err) {
  static const skep_engine_opts defaults = {.threads = 0};
  *out = NULL;
  if (opts == NULL) opts = &defaults;
  skep_engine *e = skep_alloc_zero(ctx, 1, sizeof *e);
  if (e == NULL) return no_memory(err);
  e->ctx = ctx;
  e->opts = *opts;
  e->mark = ctx->random(ctx->random_self);
  e->opts.library = copy_text(ctx, opts->library);
  e->opts.temp_dir = copy_text(ctx, opts->temp_dir);
  bool copied =
      (opts->library == NULL) == (e->opts.library == NULL) && (opts->temp_dir == NULL) == (e->opts.temp_dir == NULL);
  if (!copied || pthread_mutex_init(&e->lock, NULL) != 0) {
    skep_release(ctx, (void *)(uintptr_t)e->opts.library);
    skep_release(ctx, (void *)(uintptr_t)e->opts.temp_dir);
    skep_release(ctx, e);
    return no_memory(err);
  }
  *out = e;
  return SKEP_OK;
}

skep_engine_source *skep_engine_ref_source(skep_engine_source *s) {
  __atomic_add_fetch(&s->references, 1, __ATOMIC_RELAXED);
  return s;
}

void skep_engine_unref_source(skep_engine_source *s) {
  if (s == NULL || __atomic_sub_fetch(&s->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  const skep_ctx *ctx = s->ctx;
  skep_source_free(s->source);
  skep_release(ctx, s);
}

void skep_engine_close(skep_engine *e) {
  if (e == NULL) return;
  const skep_ctx *ctx = e->ctx;
  for (size_t i = 0; i < e->n_connections; i++) {
    skep_duck.disconnect(&e->connections[i]->handle);
    skep_release(ctx, e->connections[i]);
  }
  if (e->control != NULL) skep_duck.disconnect(&e->control);
  if (e->is_open) skep_duck.close(&e->database);
  for (size_t i = 0; i < e->n_sources; i++) skep_engine_unref_source(e->sources[i]);
  skep_engine_forget_functions(e);
  skep_release(ctx, e->sources);
  skep_release(ctx, e->connections);
  skep_release(ctx, (void *)(uintptr_t)e->opts.library);
  skep_release(ctx, (void *)(uintptr_t)e->opts.temp_dir);
  pthread_mutex_destroy(&e->lock);
  skep_release(ctx, e);
}

static skep_status set_option(duckdb_config config, const char *name, const char *value, skep_err *err) {
  char quoted[200];
  if (skep_duck.set_config(config, name, value) == DuckDBSuccess) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_ARGUMENT, "DuckDB refuses %s = %s", name,
                   skep_quote(quoted, sizeof quoted, value, strlen(value)));
}

/* No extension is fetched or loaded. What depends on settings elsewhere (null order, division) the binder prints in
 * full. */
static skep_status set_options(skep_engine *e, duckdb_config config, skep_err *err) {
  static const char *const fixed[][2] = {{"autoinstall_known_extensions", "false"},
                                         {"autoload_known_extensions", "false"},
                                         {"allow_community_extensions", "false"},
                                         {"ieee_floating_point_ops", "true"},
                                         {"integer_division", "false"},
                                         {"default_null_order", "nulls_last"},
                                         {"scalar_subquery_error_on_multiple_rows", "true"},
                                         {"allocator_background_threads", "false"}};
  char number[32];
  if (e->opts.threads != 0) {
    snprintf(number, sizeof number, "%" PRIu32, e->opts.threads < MAX_THREADS ? e->opts.threads : MAX_THREADS);
    SKEP_TRY(set_option(config, "threads", number, err));
  }
  if (e->opts.memory_limit_bytes != 0) {
    snprintf(number, sizeof number, "%" PRIu64 "KiB", e->opts.memory_limit_bytes / 1024);
    SKEP_TRY(set_option(config, "memory_limit", number, err));
  }
  SKEP_TRY(set_option(config, "temp_directory", e->opts.temp_dir == NULL ? "" : e->opts.temp_dir, err));
  SKEP_TRY(set_option(config, "preserve_insertion_order", "true", err)); /* skep_engine_query decides anew */
  e->keeps_order = true;
  for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
    SKEP_TRY(set_option(config, fixed[i][0], fixed[i][1], err));
  return SKEP_OK;
}

static skep_status open_database(skep_engine *e, skep_err *err) {
  duckdb_config config;
  if (skep_duck.create_config(&config) != DuckDBSuccess) return no_memory(err);
  char *text = NULL;
  skep_status status = set_options(e, config, err);
  if (status == SKEP_OK && skep_duck.open_ext(NULL, &e->database, config, &text) != DuckDBSuccess)
    status = skep_engine_unmark_error(e, text, SKEP_ERR_INTERNAL, err);
  if (text != NULL) skep_duck.free(text);
  skep_duck.destroy_config(&config);
  e->is_open = status == SKEP_OK;
  return status;
}

static skep_status set(const skep_engine *e, duckdb_connection connection, const char *sql, skep_err *err) {
  duckdb_result result;
  skep_status status = SKEP_OK;
  if (skep_duck.query(connection, sql, &result) != DuckDBSuccess)
    status = skep_engine_unmark_error(e, skep_duck.result_error(&result), SKEP_ERR_INTERNAL, err);
  skep_duck.destroy_result(&result);
  return status;
}

skep_status skep_engine_start(skep_engine *e, skep_err *err) {
  if (!e->is_open) {
    SKEP_TRY(skep_duckdb_load(e->opts.library, err));
    SKEP_TRY(open_database(e, err));
  }
  if (e->control != NULL) return SKEP_OK;
  if (skep_duck.connect(e->database, &e->control) != DuckDBSuccess) return no_memory(err);
  /* From now on SQL reaches no file. Said here: DuckDB then goes on allowing the directory for spilling, which it does
   * not when this is among the options it is opened with. */
  skep_status status = set(e, e->control, "SET enable_external_access = false", err);
  if (status == SKEP_OK) status = skep_engine_register_source(e, e->control, err);
  if (status != SKEP_OK) skep_duck.disconnect(&e->control);
  return status;
}

/* ---- sources ---- */

skep_status skep_engine_add_source(skep_engine *e, skep_source *source, uint64_t *id, skep_err *err) {
  skep_engine_source *s = skep_alloc_zero(e->ctx, 1, sizeof *s);
  if (s == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "adding a source");
  pthread_mutex_lock(&e->lock);
  skep_status status = skep_grow(e->ctx, (void **)&e->sources, &e->sources_capacity, e->n_sources + 1,
                                 sizeof(skep_engine_source *), err);
  if (status == SKEP_OK) {
    *s = (skep_engine_source){
        .references = 1, .id = ++e->last_id, .source = source, .engine = e, .ctx = e->ctx, .mark = e->mark};
    *id = s->id;
    e->sources[e->n_sources++] = s;
  }
  pthread_mutex_unlock(&e->lock);
  if (status != SKEP_OK) skep_release(e->ctx, s);
  return status;
}

void skep_engine_remove_source(skep_engine *e, uint64_t id) {
  skep_engine_source *found = NULL;
  pthread_mutex_lock(&e->lock);
  for (size_t i = 0; i < e->n_sources && found == NULL; i++) {
    if (e->sources[i]->id != id) continue;
    found = e->sources[i];
    e->sources[i] = e->sources[--e->n_sources];
  }
  pthread_mutex_unlock(&e->lock);
  skep_engine_unref_source(found);
}

skep_engine_source *skep_engine_find_source(skep_engine *e, uint64_t id) {
  skep_engine_source *found = NULL;
  pthread_mutex_lock(&e->lock);
  for (size_t i = 0; i < e->n_sources && found == NULL; i++) {
    if (e->sources[i]->id == id) found = skep_engine_ref_source(e->sources[i]);
  }
  pthread_mutex_unlock(&e->lock);
  return found;
}

/* ---- connections ---- */

static skep_engine_connection *idle_connection(skep_engine *e) {
  for (size_t i = 0; i < e->n_connections; i++) {
    if (!e->connections[i]->in_use) return e->connections[i];
  }
  return NULL;
}

static skep_status add_connection(skep_engine *e, skep_engine_connection **out, skep_err *err) {
  SKEP_TRY(skep_grow(e->ctx, (void **)&e->connections, &e->connections_capacity, e->n_connections + 1,
                     sizeof(skep_engine_connection *), err));
  skep_engine_connection *c = skep_alloc_zero(e->ctx, 1, sizeof *c);
  if (c == NULL) return no_memory(err);
  if (skep_duck.connect(e->database, &c->handle) != DuckDBSuccess) {
    skep_release(e->ctx, c);
    return no_memory(err);
  }
  e->connections[e->n_connections++] = c;
  *out = c;
  /* As deep as HiveQL's parser allows: 2,000 operators in a row, several levels each (seen to fit 8 MiB of stack). */
  return set(e, c->handle, "SET max_expression_depth = 10000", err);
}

skep_status skep_engine_take_connection(skep_engine *e, skep_engine_connection **out, skep_err *err) {
  skep_status status = SKEP_OK;
  pthread_mutex_lock(&e->lock);
  skep_engine_connection *c = idle_connection(e);
  if (c == NULL) status = add_connection(e, &c, err);
  if (status == SKEP_OK) c->in_use = true;
  pthread_mutex_unlock(&e->lock);
  *out = c;
  return status;
}

void skep_engine_give_connection(skep_engine *e, skep_engine_connection *c) {
  if (c == NULL) return;
  pthread_mutex_lock(&e->lock);
  c->in_use = false;
  pthread_mutex_unlock(&e->lock);
}

void skep_engine_interrupt(skep_engine *e) {
  __atomic_add_fetch(&e->interrupts, 1, __ATOMIC_RELEASE);
  pthread_mutex_lock(&e->lock);
  for (size_t i = 0; i < e->n_connections; i++) {
    if (e->connections[i]->in_use) skep_duck.interrupt(e->connections[i]->handle);
  }
  pthread_mutex_unlock(&e->lock);
}

/* DuckDB does not ask table functions how far they are: rows are counted here, against what the sources expect. */
double skep_engine_progress(skep_engine *e) {
  uint64_t expected = 0, read = 0;
  bool known = true;
  pthread_mutex_lock(&e->lock);
  for (size_t i = 0; i < e->n_sources; i++) {
    skep_engine_source *s = e->sources[i];
    uint64_t rows = __atomic_load_n(&s->rows_read, __ATOMIC_RELAXED), all = s->source->estimated_rows;
    known = known && all != 0;
    expected += all;
    read += rows < all ? rows : all;
  }
  pthread_mutex_unlock(&e->lock);
  return !known || expected == 0 ? -1.0 : (double)read / (double)expected;
}
