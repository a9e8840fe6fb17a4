/* The binder's door: names become columns, expressions get Hive's types, the result can be printed for DuckDB.
 *
 * The binder knows no catalog: it asks a callback for tables, so that it can be tested without one and so that the
 * session decides which snapshot of the catalog it sees. A binding lives in one arena; nothing is kept between two.
 *
 * Failures are SKEP_ERR_SEMANTIC with Hive's text and number ("SemanticException [Error 10004]: Line 1:7 Invalid table
 * alias or column reference 'x': (possible column names are: a, b)"), or SKEP_ERR_UNSUPPORTED for what Hive has and we
 * do not have yet. Source: hiveql.md 2, 5, 8; golden 18-functions. */
#ifndef BIND_BIND_H
#define BIND_BIND_H

#include "bind/bound.h"
#include "hiveql/ast_query.h"

typedef struct skep_query skep_query; /* hiveql/ast.h */
typedef struct skep_expr skep_expr;

/* What the callback says about one table. All of it lives as long as the binding. */
typedef struct skep_bind_table {
  const char *db, *name;           /* lower case, as the catalog has them */
  const skep_type *columns;        /* struct: the data columns */
  const skep_type *partition_keys; /* struct; NULL or no children: not partitioned */
  bool is_acid;                    /* ROW__ID has values (else it is NULL) */
  const uint32_t *bucket_columns;  /* TABLESAMPLE: positions in columns, */
  uint32_t n_bucket_columns;       /* 0: not bucketed */
  int bucketing_version;           /* 2: by murmur_hash, else by hash */
  const char *relation;            /* NULL: printed as skep_source(id); else this SQL text of a relation with columns
                                      c0, c1, ... (a temporary table of the engine), without virtual columns */
  /* A view: its query, whose outputs are called as `columns`, and nothing else is used. NULL: a table. */
  const skep_query *view;
  const void *handle; /* the caller's own; handed back in skep_bound_table */
} skep_bind_table;

/* db is NULL for an unqualified name (the current database). SKEP_ERR_NOT_FOUND: no such table (the binder makes error
 * 10001 of it); other failures pass through. */
typedef skep_status skep_bind_lookup(void *self, skep_arena *arena, const char *db, const char *name,
                                     skep_bind_table *out, skep_err *err);

/* What the names of a query's text are, for the text of a view that other databases can read too: at pos stands
 * `qualifier`.`name`, a table of a database or a column of a table's alias; a star stands for all entries of its pos.
 * In the arena of the binding; in no order, and names that are bound twice are there twice. */
typedef struct skep_bind_trace {
  const char *db, *view; /* what is being made: a query that reads it, also through others, is refused; or NULL */
  struct skep_bind_traced {
    skep_pos pos;
    const char *qualifier, *name;
    bool is_star;
  } * items;
  uint32_t n, capacity;
} skep_bind_trace;

typedef struct skep_binder {
  skep_arena *arena; /* of the whole binding: tree, texts, result */
  skep_bind_lookup *lookup;
  void *lookup_self;
  const char *current_db; /* current_database(); NULL: "default" */
  const char *user;       /* current_user(); NULL: "anonymous" */
  const char *time_zone;  /* hive.local.time.zone; NULL: UTC */
  int64_t now_ms;         /* current_timestamp: one for the statement */
  bool loose_timestamps;  /* hive.strict.timestamp.conversion=false */
  bool nulls_first;       /* hive.default.nulls.last=false */
  bool no_order_ordinals; /* hive.orderby.position.alias=false */
  bool group_ordinals;    /* hive.groupby.position.alias=true */
  skep_bind_trace *trace; /* NULL: nobody asks */
} skep_binder;

/* Columns of a table as a relation (and as engine sources have them, table/scan.h): data columns, partition columns,
 * then these. */
typedef enum skep_virtual_column {
  SKEP_VIRTUAL_ROW_ID, /* struct<writeid:bigint,bucketid:int,rowid:bigint> */
  SKEP_VIRTUAL_FILE_NAME,
  SKEP_VIRTUAL_BLOCK_OFFSET,
  SKEP_VIRTUAL_COUNT
} skep_virtual_column;

typedef struct skep_bound_table { /* one table reference; the same table twice is two */
  skep_bind_table table;
  const char *alias;
  uint32_t n_columns;    /* data + partition + SKEP_VIRTUAL_COUNT (0 where relation is set) */
  const bool *needed;    /* n_columns flags: read somewhere */
  const char *predicate; /* for skep_pred_parse, over data columns by name; NULL: none. Rows for which it is not
                            TRUE may be left out of the scan; the SQL filters as well */
  const char *partition_predicate; /* the same over partition columns: partitions for which it is not TRUE need no
                                      listing; NULL: all */
} skep_bound_table;

/* What is known when it is bound of an output of INSERT ... VALUES. */
typedef struct skep_bound_given {
  int64_t n_outside; /* numbers that are no value of the target's integer type: what is stored is another one */
  int64_t n_nulls;   /* NULLs among the cells; -1: not known, some cell is no constant */
} skep_bound_given;

typedef struct skep_bound_query {
  const skep_bq *root;
  uint32_t n_outputs;
  const char *const *names;      /* Hive's output names: alias, column name, _c0 */
  const char *const *qualifiers; /* of what * selects the table's alias, for "t.c" headers; NULLs */
  const char *const *type_names; /* Hive's names, also "void" and "interval_day_time" */
  const skep_type *type; /* struct of what skep_engine_query gives: VOID comes as string, intervals as their text */
  uint32_t n_tables;
  skep_bound_table *tables;
  uint32_t n_relations;          /* relation ids are below it */
  bool ordered;                  /* ORDER BY at the top: row order means something */
  const skep_bound_given *given; /* for each output, by skep_bind_insert; NULL: the query is no VALUES */
} skep_bound_query;

/* Binds a whole query (WITH, set operations, ORDER BY, LIMIT included). */
SKEP_NODISCARD skep_status skep_bind_query(const skep_binder *binder, const skep_query *query, skep_bound_query **out,
                                           skep_err *err);

/* What an INSERT (or the insert half of UPDATE and MERGE) asks of its rows. */
typedef struct skep_bind_target {
  const char *label;      /* in messages: the table's name as Hive prints it ("t" in "Table insclause-0") */
  uint32_t line, column;  /* of the target in the statement, for messages */
  const skep_type *types; /* struct: names and types of the n leading outputs */
  uint32_t n_skip;        /* so many leading outputs of the query are passed on as they are (action, ROW__ID, ..) */
  uint32_t n_checks;      /* CHECK expressions over the names of `types` */
  const skep_expr *const *checks;
  const uint32_t *check_from; /* NULL: zeros. checks[i] names the children of `types` from check_from[i] on, the first
                                 of a name: MERGE has two row images side by side */
} skep_bind_target;

/* As skep_bind_query; then outputs n_skip .. are cast to the target's types with INSERT's rules and CHECK expressions
 * are added as boolean outputs behind them (false: violated; NULL and true: fine). A different count, or a type with no
 * conversion, is error 10044 with Hive's text. */
SKEP_NODISCARD skep_status skep_bind_insert(const skep_binder *binder, const skep_query *query,
                                            const skep_bind_target *target, skep_bound_query **out, skep_err *err);

/* One expression over given columns (NULL: none may be named), printed as DuckDB SQL over columns c0, c1, ... of the
 * relation `prefix` ("t0"; NULL: no prefix), cast to `target` when that is not NULL. For CHECK constraints, DEFAULT
 * texts, partition values and filters. No aggregates, windows, sub queries. */
SKEP_NODISCARD skep_status skep_bind_expr(const skep_binder *binder, const skep_expr *expr, const skep_type *columns,
                                          const skep_type *target, const skep_bx **out, skep_err *err);

/* Hive's name of a type, the three extra kinds included. */
void skep_bound_type_name(const skep_type *type, skep_buf *out);

/* Appends the DuckDB SQL of a bound query; source_ids[i] is the engine's number (skep_source(id)) of tables[i]. */
SKEP_NODISCARD skep_status skep_bound_query_print(const skep_bound_query *query, const uint64_t *source_ids,
                                                  skep_buf *out, skep_err *err);

/* The rows of a query that is nothing but constants (INSERT ... VALUES of literals, converted): all of them, in Arrow's
 * forms, without the engine. *out is the caller's (skep_vec_fini of its root); query->type must outlive it. SKEP_END,
 * with *out empty: it is no such query, ask the engine. */
SKEP_NODISCARD skep_status skep_bound_query_rows(const skep_bound_query *query, const skep_ctx *ctx, skep_batch *out,
                                                 skep_err *err);

/* Appends the DuckDB SQL of one expression from skep_bind_expr; its columns print as <prefix>.c<position>. */
SKEP_NODISCARD skep_status skep_bound_expr_print(const skep_bx *expr, const char *prefix, skep_buf *out, skep_err *err);

#endif
