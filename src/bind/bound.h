/* The bound, typed tree: what a query means after names are resolved and Hive's types and conversions are put in.
 *
 * Nodes live in the arena of the binding and are immutable once the query is bound. Every expression has a type; every
 * conversion is a node (SKEP_BX_CAST). Relations are numbered within one bound query; a column is (relation, position).
 * The printer (print_duckdb.h) turns the tree into DuckDB SQL over the carriers of engine/engine.h.
 *
 * Types are skep_type trees with three kinds more than tables can have: expressions only. They never leave through
 * skep_bound_query.type (see there). Source: hiveql.md 2. */
#ifndef BIND_BOUND_H
#define BIND_BOUND_H

#include "column/predicate.h"
#include "column/type.h"

#define SKEP_KIND_VOID ((skep_kind)64)        /* the type of NULL until context gives one */
#define SKEP_KIND_INTERVAL_YM ((skep_kind)65) /* INTERVAL YEAR TO MONTH: months */
#define SKEP_KIND_INTERVAL_DT ((skep_kind)66) /* INTERVAL DAY TO SECOND: nanoseconds */

typedef struct skep_bx skep_bx;             /* a bound expression */
typedef struct skep_bq skep_bq;             /* a bound query block */
typedef struct skep_brel skep_brel;         /* a relation in FROM */
typedef struct skep_function skep_function; /* functions.h */

typedef enum skep_bx_op {
  SKEP_BX_COLUMN,   /* rel, position */
  SKEP_BX_CONST,    /* value */
  SKEP_BX_CALL,     /* fn over args */
  SKEP_BX_CAST,     /* args[0] to type, with Hive's CAST rules */
  SKEP_BX_CASE,     /* args: when, then, ... [, else] (odd count: with else); conditions are boolean */
  SKEP_BX_IN,       /* args[0] IN (args[1..]), all of one type; negated */
  SKEP_BX_FIELD,    /* args[0].field, by index in the struct type (position) */
  SKEP_BX_AGG,      /* fn over args, aggregate; distinct */
  SKEP_BX_WINDOW,   /* fn over args OVER window */
  SKEP_BX_SUBQUERY, /* sub, query, args: operands of IN and quantified comparisons */
  SKEP_BX_GROUPING  /* grouping bit set of args: grouping(a, b) and GROUPING__ID */
} skep_bx_op;

typedef enum skep_bx_sub { SKEP_SUB_SCALAR, SKEP_SUB_EXISTS, SKEP_SUB_IN, SKEP_SUB_ANY, SKEP_SUB_ALL } skep_bx_sub;

/* A constant. `literal` as column/predicate.h: i64 (boolean as BOOL, integers, date days, interval months), f64,
 * decimal at type->scale, bytes, ts; day-time intervals as decimal with scale 9 (nanoseconds). */
typedef skep_literal skep_bx_value;

typedef enum skep_frame_bound {
  SKEP_FRAME_UNBOUNDED_PRECEDING,
  SKEP_FRAME_PRECEDING,
  SKEP_FRAME_CURRENT_ROW,
  SKEP_FRAME_FOLLOWING,
  SKEP_FRAME_UNBOUNDED_FOLLOWING
} skep_frame_bound;

typedef struct skep_border { /* one ORDER BY item */
  skep_bx *expr;
  bool descending;
  bool nulls_first;
  int32_t output; /* query level: >= 0 the position of the output column to order by instead of expr; else -1 */
} skep_border;

typedef struct skep_bwindow {
  uint32_t n_partition;
  skep_bx **partition;
  uint32_t n_order;
  skep_border *order;
  bool has_frame;
  bool rows; /* else RANGE */
  skep_frame_bound start, end;
  skep_bx *start_value, *end_value; /* constants for PRECEDING and FOLLOWING */
} skep_bwindow;

struct skep_bx {
  skep_bx_op op;
  const skep_type *type;
  uint32_t line, column; /* where in the statement, from 1 and from 0; 0,0 when made by the binder */
  uint32_t n_args;
  skep_bx **args;
  const skep_brel *rel; /* SKEP_BX_COLUMN */
  uint32_t position;    /* SKEP_BX_COLUMN: within rel; SKEP_BX_FIELD: child index */
  uint32_t outer;       /* SKEP_BX_COLUMN: how many query blocks out the relation is; 0 = this one */
  skep_bx_value value;  /* SKEP_BX_CONST */
  const skep_function *fn;
  bool negated;  /* IN, SUBQUERY */
  bool distinct; /* AGG, WINDOW */
  bool ignore_nulls;
  uint32_t variant; /* CALL: what the function's entry makes of it (unit of extract, ...); ANY/ALL: the comparison */
  const skep_bwindow *window;
  skep_bx_sub sub;
  const skep_bq *query;
  uint32_t weight; /* how many nodes are printed for it: operands that stand twice count twice */
  bool has_aggregate, has_window, has_subquery; /* somewhere below (not inside sub queries) */
};

typedef enum skep_brel_kind {
  SKEP_BREL_TABLE,   /* table: index into skep_bound_query.tables */
  SKEP_BREL_QUERY,   /* a sub query in FROM */
  SKEP_BREL_CTE,     /* a WITH query, by number */
  SKEP_BREL_JOIN,    /* left, right, join, on */
  SKEP_BREL_LATERAL, /* left, then a table-generating function per row */
  SKEP_BREL_ONE_ROW  /* SELECT without FROM */
} skep_brel_kind;

typedef enum skep_bjoin {
  SKEP_BJOIN_INNER,
  SKEP_BJOIN_LEFT,
  SKEP_BJOIN_RIGHT,
  SKEP_BJOIN_FULL,
  SKEP_BJOIN_SEMI,
  SKEP_BJOIN_ANTI
} skep_bjoin;

struct skep_brel {
  skep_brel_kind kind;
  uint32_t id;       /* printed as t<id>; columns as c<position> */
  const char *alias; /* lower case; "" when it has none */
  const char *db;    /* of a table; else NULL */
  uint32_t n_columns;
  const char *const *names;
  const skep_type *const *types;
  uint32_t n_visible; /* what * means: the first n_visible columns; virtual columns follow */
  uint32_t n_data;    /* of a table: data columns; partition columns follow up to n_visible */
  bool *used;         /* n_columns flags, set while names are resolved */
  uint32_t table;
  const skep_bx *sample; /* of a table, or NULL: TABLESAMPLE(BUCKET ...), only rows for which it is true */
  bool has_sample_rows;  /* of a table: TABLESAMPLE(n ROWS), the first ones, before any filter */
  uint64_t sample_rows;
  const skep_bq *query;
  uint32_t cte;
  skep_bjoin join;
  const skep_brel *left, *right;
  const skep_bx *on;         /* NULL: none */
  const skep_function *udtf; /* SKEP_BREL_LATERAL */
  uint32_t n_args;
  skep_bx **args;
  bool outer_view; /* LATERAL VIEW OUTER */
};

typedef enum skep_bq_kind { SKEP_BQ_SELECT, SKEP_BQ_SET, SKEP_BQ_VALUES } skep_bq_kind;
typedef enum skep_bset { SKEP_BSET_UNION, SKEP_BSET_INTERSECT, SKEP_BSET_EXCEPT } skep_bset;

typedef struct skep_bcte {
  uint32_t id; /* printed as q<id> */
  const skep_bq *query;
} skep_bcte;

struct skep_bq {
  skep_bq_kind kind;
  uint32_t n_ctes; /* printed before this block */
  const skep_bcte *ctes;
  uint32_t n_outputs; /* visible ones */
  const char *const *names;
  const skep_type *const *types;
  /* SELECT */
  bool distinct;
  skep_bx **outputs;
  const bool *starred;   /* n_outputs flags: comes from a *; NULL: none does */
  uint32_t n_hidden;     /* outputs[n_outputs ..]: only for ORDER BY */
  const skep_brel *from; /* NULL: one row */
  const skep_bx *where, *having, *qualify;
  bool grouped; /* GROUP BY is there, or an aggregate */
  uint32_t n_keys;
  skep_bx **keys;
  uint32_t n_sets;      /* 0: one plain set of all keys */
  const uint64_t *sets; /* bit i: key i is in the set */
  /* SET: two inputs with equal types; VALUES: rows of constants */
  skep_bset set;
  bool set_all;
  const skep_bq *left, *right;
  uint32_t n_rows;
  skep_bx ***rows;
  /* all */
  uint32_t n_order;
  const skep_border *order;
  bool has_limit;
  uint64_t limit, offset;
};

#endif
