/* The parts of the engine, for this folder only.
 *
 * engine.c opens DuckDB and knows the sources, source.c is the table function over them, fill.c writes our vectors into
 * DuckDB's and drain.c reads them back, carrier.c knows the types, result.c runs queries, function*.c are the
 * registered functions. */
#ifndef ENGINE_ENGINE_INT_H
#define ENGINE_ENGINE_INT_H

#include <pthread.h>

#include "base/buf.h"
#include "engine/engine.h"
#include "engine/library.h"

/* A HUGEINT or a wide decimal in DuckDB's memory, which is aligned to 8 bytes only: pointers to skep_i128 would promise
 * the compiler 16. */
typedef skep_i128 skep_huge __attribute__((aligned(8)));

typedef struct skep_engine_source {
  uint32_t references; /* atomic: the engine's list, binds and passes; DuckDB's threads may let go of those late */
  uint64_t id;
  skep_source *source;
  skep_engine *engine;
  const skep_ctx *ctx;
  uint64_t mark;      /* the engine's */
  uint64_t rows_read; /* atomic, of the latest run: for progress */
} skep_engine_source;

/* A connection, in the list of its engine while a query may run on it. */
typedef struct skep_engine_connection {
  duckdb_connection handle;
  bool in_use;
} skep_engine_connection;

struct skep_engine {
  const skep_ctx *ctx;
  skep_engine_opts opts; /* texts owned */
  duckdb_database database;
  bool is_open;
  bool keeps_order;     /* what DuckDB is set to */
  pthread_mutex_t lock; /* sources and connections: callbacks and interrupts come from other threads */
  skep_engine_source **sources;
  size_t n_sources, sources_capacity;
  uint64_t last_id;
  uint64_t mark; /* random: of our errors */
  skep_engine_connection **connections;
  size_t n_connections, connections_capacity;
  uint64_t interrupts;       /* atomic: how often skep_engine_interrupt was called */
  duckdb_connection control; /* registers functions, changes settings */
  char **registered;         /* names of functions that DuckDB knows */
  size_t n_registered, registered_capacity;
};

/* ---- engine.c ---- */

/* Opens the library and the database if that is still to do. */
SKEP_NODISCARD skep_status skep_engine_start(skep_engine *engine, skep_err *err);
/* The source of an id, NULL when there is none. Any thread. */
/* With a reference for the caller; NULL when there is none. */
skep_engine_source *skep_engine_find_source(skep_engine *engine, uint64_t id);
skep_engine_source *skep_engine_ref_source(skep_engine_source *source);
void skep_engine_unref_source(skep_engine_source *source); /* accepts NULL; the last one frees it */
SKEP_NODISCARD skep_status skep_engine_take_connection(skep_engine *engine, skep_engine_connection **out,
                                                       skep_err *err);
void skep_engine_give_connection(skep_engine *engine, skep_engine_connection *connection); /* accepts NULL */

/* Errors cross DuckDB as texts. Ours are marked with their status and the engine's random number, so that they
 * come out as they went in, and no text of a user that DuckDB repeats passes for one. */
enum { SKEP_ENGINE_ERROR_SIZE = 1200 };
const char *skep_engine_mark_error(uint64_t mark, char *out, size_t size, skep_status status, const char *text);
/* Takes a text of DuckDB apart: a marked error within, or DuckDB's own. fallback: status of what is neither known nor
 * marked. */
skep_status skep_engine_unmark_error(const skep_engine *engine, const char *text, skep_status fallback, skep_err *err);

/* ---- source.c ---- */

SKEP_NODISCARD skep_status skep_engine_register_source(skep_engine *engine, duckdb_connection connection,
                                                       skep_err *err);

/* ---- carrier.c ---- */

/* The caller destroys the type. NULL: out of memory. */
duckdb_logical_type skep_carrier_type(const skep_ctx *ctx, const skep_type *type);
/* Whether a DuckDB type is the carrier of ours; names of fields aside. */
bool skep_carrier_matches(const skep_type *type, duckdb_logical_type carrier);
/* A DuckDB type as text, for messages. */
void skep_carrier_print_duckdb(duckdb_logical_type type, skep_buf *out);

/* ---- fill.c ---- */

/* Views of a dictionary's entries, made once for each dictionary of a column. Zero-initialise. */
typedef struct skep_fill_dict {
  skep_dict *dict; /* one reference held */
  skep_view *views;
} skep_fill_dict;

/* What filling keeps between batches: one for a column tree. Zero but for the context, from which its memory comes. */
typedef struct skep_fill {
  const skep_ctx *ctx;
  skep_fill_dict dict;
  uint32_t n_children;
  struct skep_fill *children;
} skep_fill;
void skep_fill_fini(skep_fill *fill);

/* Writes `count` entries of `from`, from `first` on, into a flat DuckDB vector at `at`. Strings of the vector point
 * into the batch. */
SKEP_NODISCARD skep_status skep_fill_vector(skep_fill *fill, const skep_vec *from, int64_t first, int64_t count,
                                            duckdb_vector to, uint64_t at, skep_err *err);

/* ---- drain.c ---- */

/* Reads `count` entries of a flat DuckDB vector into `to` (initialised with type and forms, reset here): those at
 * rows[0..count), or from `first` on when rows is NULL. Buffers may be lent by the DuckDB vector. */
SKEP_NODISCARD skep_status skep_drain_vector(duckdb_vector from, const uint32_t *rows, int64_t first, int64_t count,
                                             skep_vec *to, skep_err *err);

/* ---- function.c ---- */

/* Registers the functions that an SQL text names and that are not registered yet. */
SKEP_NODISCARD skep_status skep_engine_register_functions(skep_engine *engine, const char *sql, skep_err *err);
void skep_engine_forget_functions(skep_engine *engine);

#endif
