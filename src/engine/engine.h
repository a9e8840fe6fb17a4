/* The engine: a DuckDB instance that reads our sources and answers in our batches. The only door to DuckDB.
 *
 * Opening is cheap: the library is loaded (dlopen) and an in-memory database is made with the first query. One engine
 * serves one session: one thread at a time, except for skep_engine_interrupt. Several results may be open at a time;
 * DuckDB's own threads read the sources.
 *
 * In SQL a source is the table function skep_source(id); its columns are c0, c1, ... by position in source->type. Only
 * the columns that a query names are asked from the source.
 *
 * Carriers, the DuckDB type that a Hive type travels in:
 *   boolean, tinyint .. bigint, float, double, date   the same
 *   decimal(p,s)                                      DECIMAL(p,s)
 *   string, varchar(n)                                VARCHAR, bytes untouched: they may be no UTF-8
 *   char(n)                                           VARCHAR without trailing blanks (padded again on the way out)
 *   binary                                            BLOB
 *   timestamp, timestamp with local time zone         HUGEINT: nanoseconds since 1970-01-01, 0001 to 9999
 *   array<t>, map<k,v>                                LIST, MAP
 *   struct<a:t,..>                                    STRUCT of the same names (two that differ in case only: suffix)
 *   uniontype<t0,..>                                  STRUCT(tag TINYINT, f0 t0, f1 t1, ..): fields but the tagged one
 *                                                     are NULL
 * What DuckDB sorts by goes through a binary key and back: sort keys (also of windows' partitions) that are strings are
 * printed as encode(x), which is the same bytes as BLOB, and doubles and floats as skep_sort_key(x).
 *
 * Functions that are registered for SQL, all of them called skep_...: README.md. */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "column/source.h"

typedef struct skep_engine skep_engine;
typedef struct skep_engine_result skep_engine_result;

/* Zero-initialise for defaults. Texts are copied. */
typedef struct skep_engine_opts {
  const char *library;  /* path of libduckdb; NULL: the one that was built with, else the system's */
  const char *temp_dir; /* where joins and sorts spill: made when needed (its parent must be there) and removed at the
                           end. NULL: they do not spill */
  uint64_t memory_limit_bytes; /* 0: DuckDB's own choice, 80 % of the machine's */
  uint32_t threads;            /* 0: one a processor; 256 at most */
  bool keep_order;             /* rows of a query without ORDER BY in the order of the sources, which one thread reads
                                  then; small sources (SKEP_ENGINE_ORDERED_ROWS) are read like that in any case */
} skep_engine_opts;

/* Estimated rows of all sources together up to which a query without ORDER BY keeps their order, though one thread
 * reads them then: rows of small tables come out the same each time, and are numbered the same when they are inserted.
 */
enum { SKEP_ENGINE_ORDERED_ROWS = 200000 };

SKEP_NODISCARD skep_status skep_engine_open(const skep_ctx *ctx, const skep_engine_opts *opts, skep_engine **out,
                                            skep_err *err);
/* Accepts NULL; no result may be left open. Sources that are still there are freed. */
void skep_engine_close(skep_engine *engine);

/* Makes a source known. On SKEP_OK the engine owns it until skep_engine_remove_source; on failure it is the caller's.
 */
SKEP_NODISCARD skep_status skep_engine_add_source(skep_engine *engine, skep_source *source, uint64_t *id,
                                                  skep_err *err);
/* Frees a source; no open result may read it. An unknown id is ignored. */
void skep_engine_remove_source(skep_engine *engine, uint64_t id);

/* Starts a query. Rows stream: they are made while they are fetched, memory stays bounded.
 *
 * sql     one statement without parameters: literals are part of it, printed with the functions below
 * type    a struct: the Hive types of the result's columns; borrowed, must outlive the result. DuckDB's columns must be
 *         of their carriers, else SKEP_ERR_INTERNAL names the column and both types
 * forms   of the batches; strings as views cost no copy
 *
 * Failures of a source (of its readers too) come with their own status and text, here or from skep_engine_next.
 * SKEP_ERR_CANCELLED: interrupted. SKEP_ERR_RUNTIME: a function refused a value. SKEP_ERR_NOMEM: beyond the memory
 * limit. SKEP_ERR_INTERNAL: DuckDB does not understand the SQL (a mistake of whoever printed it).
 * SKEP_ERR_NOT_FOUND: no libduckdb; the text says where it was looked for. */
SKEP_NODISCARD skep_status skep_engine_query(skep_engine *engine, const char *sql, const skep_type *type,
                                             const skep_forms *forms, skep_engine_result **out, skep_err *err);

/* The next 1..max_rows rows, borrowed until the next call or close; their buffers may be DuckDB's own (lent): select
 * and append from them, do not grow them. first_row counts from 0. SKEP_END and errors are sticky. */
SKEP_NODISCARD skep_status skep_engine_next(skep_engine_result *result, int64_t max_rows, const skep_batch **out,
                                            skep_err *err);
void skep_engine_result_close(skep_engine_result *result); /* accepts NULL; stops what still runs */

/* Runs a statement that has no rows (SET, CREATE TABLE ... AS, DROP TABLE). *n_rows, when not NULL: how many it wrote.
 * Tables live in memory (and spill), hold carriers, and are seen by all later queries of this engine; TEMP tables are
 * not: a query may run on another connection. */
SKEP_NODISCARD skep_status skep_engine_run(skep_engine *engine, const char *sql, uint64_t *n_rows, skep_err *err);

/* Stops all queries of the engine; from any thread. A query that is started later is not concerned. */
void skep_engine_interrupt(skep_engine *engine);

/* From 0 to 1, or a negative number when DuckDB cannot say; from any thread. */
double skep_engine_progress(skep_engine *engine);

/* ---- printing SQL ---- */

/* Appends the carrier type of a Hive type as DuckDB writes it: for CAST. Failures stay in `out`. */
void skep_engine_print_type(const skep_type *type, skep_buf *out);
/* Appends a VARCHAR expression with exactly these bytes, whatever they are ('it''s', or a decoded blob). */
void skep_engine_print_string(skep_bytes text, skep_buf *out);
void skep_engine_print_identifier(const char *name, skep_buf *out); /* "a""b" */

#endif
