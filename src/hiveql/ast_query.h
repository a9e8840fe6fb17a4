/* The part of the tree that computes: expressions, queries, FROM. Rules of the whole tree (ownership, names,
 * positions): hiveql/ast.h. */
#ifndef HIVEQL_AST_QUERY_H
#define HIVEQL_AST_QUERY_H

#include "base/arena.h"
#include "base/buf.h"
#include "column/type.h"

typedef struct skep_expr skep_expr;
typedef struct skep_query skep_query;
typedef struct skep_query_body skep_query_body;
typedef struct skep_from skep_from;

typedef struct skep_pos {
  uint32_t line;   /* from 1; 0: built by hand */
  uint32_t column; /* characters from the start of the line, from 0 */
  uint32_t offset; /* bytes from the start of the statement's text */
  uint32_t length; /* bytes */
} skep_pos;

/* A list of expressions, of names. */
typedef struct skep_expr_list {
  const skep_expr *const *items;
  uint32_t n;
} skep_expr_list;
typedef struct skep_name_list {
  const char *const *items;
  uint32_t n;
} skep_name_list;

/* ---- expressions ------------------------------------------------------------------------------------------------ */

/* Every kind of expression: symbol, and which member of skep_expr's union it uses. */
typedef enum skep_expr_kind {
  SKEP_EXPR_LITERAL, /* literal */
  SKEP_EXPR_NAME,    /* name: a chain of plain identifiers; the binder says which are database, table, column, field */
  SKEP_EXPR_STAR,    /* name: `*` (0 parts), `t.*` (the qualifier); select lists only, count(*) is call.star */
  SKEP_EXPR_COLUMN_REGEX, /* regex: quoted text where hive.support.quoted.identifiers=none */
  SKEP_EXPR_UNARY,        /* unary */
  SKEP_EXPR_BINARY,       /* binary */
  SKEP_EXPR_BETWEEN,      /* between */
  SKEP_EXPR_IN_LIST,      /* in_list */
  SKEP_EXPR_IN_QUERY,     /* in_query */
  SKEP_EXPR_EXISTS,       /* query */
  SKEP_EXPR_SCALAR_QUERY, /* query */
  SKEP_EXPR_QUANTIFIED,   /* quantified: x < ALL (query) */
  SKEP_EXPR_LIKE_LIST,    /* like_list: x LIKE ANY ('a%', ...) */
  SKEP_EXPR_CASE,         /* cases */
  SKEP_EXPR_CAST,         /* cast */
  SKEP_EXPR_CALL,      /* call: also IF, extract -> year(x), floor(x TO day) -> floor_day(x), trim(LEADING c FROM s) ->
                          ltrim(s, c) */
  SKEP_EXPR_INDEX,     /* index: base[i] */
  SKEP_EXPR_FIELD,     /* field: base.name where base is no plain name chain */
  SKEP_EXPR_TUPLE,     /* tuple: (a, b), at least two */
  SKEP_EXPR_INTERVAL,  /* interval */
  SKEP_EXPR_DEFAULT,   /* DEFAULT in VALUES, UPDATE SET, MERGE */
  SKEP_EXPR_PARAMETER, /* ? (PREPARE) */
  SKEP_EXPR_KIND_COUNT
} skep_expr_kind;

typedef enum skep_literal_kind {
  SKEP_LITERAL_NULL,
  SKEP_LITERAL_BOOLEAN,      /* i64: 0 or 1 */
  SKEP_LITERAL_TINYINT,      /* i64; 5Y */
  SKEP_LITERAL_SMALLINT,     /* i64; 5S */
  SKEP_LITERAL_INT,          /* i64; no suffix, fits 32 bits */
  SKEP_LITERAL_BIGINT,       /* i64; suffix L, or fits 64 bits only */
  SKEP_LITERAL_DECIMAL,      /* bytes: digits with an optional point and exponent, no suffix; the type follows from the
                                digits */
  SKEP_LITERAL_DOUBLE,       /* bytes: the number's text without suffix */
  SKEP_LITERAL_STRING,       /* bytes, escapes resolved, neighbours joined */
  SKEP_LITERAL_DATE,         /* bytes of the string after DATE, unchecked */
  SKEP_LITERAL_TIMESTAMP,    /* bytes, unchecked */
  SKEP_LITERAL_TIMESTAMP_TZ, /* bytes, unchecked */
} skep_literal_kind;

typedef enum skep_unary_op {
  SKEP_OP_NOT,
  SKEP_OP_NEGATE,
  SKEP_OP_PLUS,
  SKEP_OP_BIT_NOT,
  SKEP_OP_IS_NULL,
  SKEP_OP_IS_NOT_NULL,
  SKEP_OP_IS_TRUE,
  SKEP_OP_IS_NOT_TRUE,
  SKEP_OP_IS_FALSE,
  SKEP_OP_IS_NOT_FALSE,
  SKEP_OP_IS_UNKNOWN,
  SKEP_OP_IS_NOT_UNKNOWN,
} skep_unary_op;

typedef enum skep_binary_op {
  SKEP_OP_OR,
  SKEP_OP_AND,
  SKEP_OP_EQ,           /* = == */
  SKEP_OP_NE,           /* <> != */
  SKEP_OP_NULL_SAFE_EQ, /* <=>, IS NOT DISTINCT FROM */
  SKEP_OP_DISTINCT,     /* IS DISTINCT FROM */
  SKEP_OP_LT,
  SKEP_OP_LE,
  SKEP_OP_GT,
  SKEP_OP_GE,
  SKEP_OP_LIKE,  /* NOT LIKE is NOT over it */
  SKEP_OP_RLIKE, /* RLIKE, REGEXP */
  SKEP_OP_BIT_OR,
  SKEP_OP_BIT_AND,
  SKEP_OP_CONCAT, /* || */
  SKEP_OP_ADD,
  SKEP_OP_SUBTRACT,
  SKEP_OP_MULTIPLY,
  SKEP_OP_DIVIDE,
  SKEP_OP_MODULO,
  SKEP_OP_INT_DIVIDE, /* DIV */
  SKEP_OP_BIT_XOR,    /* ^ */
  SKEP_OP_BINARY_COUNT
} skep_binary_op;

typedef enum skep_unit {
  SKEP_UNIT_YEAR,
  SKEP_UNIT_MONTH,
  SKEP_UNIT_DAY,
  SKEP_UNIT_HOUR,
  SKEP_UNIT_MINUTE,
  SKEP_UNIT_SECOND,
  SKEP_UNIT_YEAR_TO_MONTH,
  SKEP_UNIT_DAY_TO_SECOND,
} skep_unit;

typedef enum skep_nulls { SKEP_NULLS_DEFAULT, SKEP_NULLS_FIRST, SKEP_NULLS_LAST } skep_nulls;

typedef struct skep_order_item {
  const skep_expr *expr;
  bool descending;
  skep_nulls nulls; /* DEFAULT: hive.default.nulls.last decides */
} skep_order_item;

typedef struct skep_order_list {
  const skep_order_item *items;
  uint32_t n;
} skep_order_list;

typedef enum skep_bound_kind {
  SKEP_BOUND_UNBOUNDED_PRECEDING,
  SKEP_BOUND_PRECEDING,
  SKEP_BOUND_CURRENT_ROW,
  SKEP_BOUND_FOLLOWING,
  SKEP_BOUND_UNBOUNDED_FOLLOWING,
} skep_bound_kind;

typedef struct skep_window_bound {
  skep_bound_kind kind;
  const skep_expr *value; /* PRECEDING, FOLLOWING: a literal */
} skep_window_bound;

/* OVER w, OVER (...), and the definitions of the WINDOW clause. */
typedef struct skep_window {
  skep_pos pos;
  const char *base;            /* the named window this one starts from, or NULL; OVER w is {base = w} alone */
  skep_expr_list partition_by; /* PARTITION BY, DISTRIBUTE BY */
  skep_order_list order_by;    /* ORDER BY, SORT BY; CLUSTER BY x is both */
  bool has_frame;
  bool is_rows;                 /* else RANGE */
  skep_window_bound start, end; /* `ROWS start` ends at CURRENT ROW */
} skep_window;

typedef enum skep_null_treatment { SKEP_TREAT_DEFAULT, SKEP_TREAT_IGNORE, SKEP_TREAT_RESPECT } skep_null_treatment;

typedef struct skep_call {
  const char *db;   /* of `db.f(x)`, or NULL */
  const char *name; /* lower case */
  bool star;        /* f(*) */
  bool distinct;
  skep_expr_list args;
  skep_null_treatment nulls;
  skep_order_list within_group; /* WITHIN GROUP (ORDER BY ...) */
  const skep_window *over;      /* or NULL */
} skep_call;

typedef struct skep_when {
  const skep_expr *when, *then;
} skep_when;

struct skep_expr {
  skep_expr_kind kind;
  skep_pos pos; /* the whole expression; for a binary operator line and column are those of its left operand */
  union {
    struct {
      skep_literal_kind kind;
      int64_t i64;
      const char *bytes; /* NUL-terminated behind `length` for convenience */
      size_t length;
    } literal;
    skep_name_list name;
    struct {
      const char *qualifier; /* or NULL */
      const char *pattern;   /* Java regular expression, case as written */
    } regex;
    struct {
      skep_unary_op op;
      const skep_expr *operand;
    } unary;
    struct {
      skep_binary_op op;
      const skep_expr *left, *right;
    } binary;
    struct {
      const skep_expr *value, *low, *high;
      bool negated;
    } between;
    struct {
      const skep_expr *value;
      skep_expr_list items;
      bool negated;
    } in_list;
    struct {
      const skep_expr *value; /* may be a TUPLE */
      const skep_query *query;
      bool negated;
    } in_query;
    const skep_query *query;
    struct {
      const skep_expr *value;
      const skep_query *query;
      skep_binary_op op; /* EQ NE LT LE GT GE NULL_SAFE_EQ */
      bool all;          /* else ANY, SOME */
    } quantified;
    struct {
      const skep_expr *value;
      skep_expr_list patterns;
      bool all; /* else ANY */
      bool negated;
    } like_list;
    struct {
      const skep_expr *operand; /* CASE operand WHEN ...; NULL for the searched form */
      const skep_when *whens;
      uint32_t n_whens;
      const skep_expr *otherwise; /* or NULL */
    } cases;
    struct {
      const skep_expr *value;
      const skep_type *type;
      const char *format; /* CAST(x AS t FORMAT '...'), or NULL */
    } cast;
    const skep_call *call;
    struct {
      const skep_expr *base, *index;
    } index;
    struct {
      const skep_expr *base;
      const char *name;
    } field;
    skep_expr_list tuple;
    struct {
      const skep_expr *value; /* a string or number literal, or an expression in parentheses */
      skep_unit unit;
    } interval;
  };
};

/* ---- queries ---------------------------------------------------------------------------------------------------- */

/* Names of tables and views as written; db NULL: the current one. */
typedef struct skep_table_name {
  skep_pos pos;
  const char *db;
  const char *name;
  const char *meta; /* third part (error 10431 for native tables), or NULL */
} skep_table_name;

typedef struct skep_ast_property {
  const char *key;   /* case as written */
  const char *value; /* NULL where only a key stands (UNSET) */
} skep_ast_property;

typedef struct skep_ast_property_list {
  const skep_ast_property *items;
  uint32_t n;
} skep_ast_property_list;

typedef struct skep_select_item {
  skep_pos pos;
  const skep_expr *expr;
  const char *alias;      /* or NULL */
  skep_name_list aliases; /* udtf(...) AS (a, b); then alias is NULL */
} skep_select_item;

typedef enum skep_group_kind {
  SKEP_GROUP_NONE,   /* no GROUP BY */
  SKEP_GROUP_PLAIN,  /* exprs; none of them: GROUP BY () */
  SKEP_GROUP_ROLLUP, /* exprs */
  SKEP_GROUP_CUBE,   /* exprs */
  SKEP_GROUP_SETS,   /* exprs, and sets over them */
} skep_group_kind;

typedef struct skep_group_by {
  skep_pos pos;
  skep_group_kind kind;
  skep_expr_list exprs;
  const skep_expr_list *sets;
  uint32_t n_sets;
} skep_group_by;

typedef struct skep_named_window {
  const char *name;
  const skep_window *window;
} skep_named_window;

typedef struct skep_select {
  skep_pos pos;
  const char *hint; /* text between the hint marks, ignored; or NULL */
  bool distinct;
  const skep_select_item *items;
  uint32_t n_items;
  const skep_from *from; /* or NULL */
  const skep_expr *where;
  skep_group_by group_by;
  const skep_expr *having;
  const skep_named_window *windows;
  uint32_t n_windows;
  const skep_expr *qualify;
} skep_select;

/* VALUES (...), (...): cells row by row, all rows of n_columns (the parser checks). */
typedef struct skep_values {
  skep_pos pos;
  uint32_t n_rows, n_columns;
  const skep_expr *const *cells;   /* n_rows * n_columns; SKEP_EXPR_DEFAULT where DEFAULT was written */
  const char *const *column_names; /* of `(1 AS a, 2)`: n_columns, NULL where none; or NULL */
} skep_values;

typedef enum skep_set_op_kind { SKEP_SET_UNION, SKEP_SET_INTERSECT, SKEP_SET_EXCEPT } skep_set_op_kind;

typedef enum skep_body_kind {
  SKEP_BODY_SELECT, /* select */
  SKEP_BODY_VALUES, /* values */
  SKEP_BODY_SET_OP, /* set_op */
  SKEP_BODY_QUERY,  /* query: in parentheses, with an ORDER BY, LIMIT or WITH of its own */
} skep_body_kind;

struct skep_query_body {
  skep_body_kind kind;
  skep_pos pos;
  union {
    const skep_select *select;
    const skep_values *values;
    struct {
      skep_set_op_kind op;
      bool all;
      const skep_query_body *left, *right;
    } set_op;
    const skep_query *query;
  };
};

typedef struct skep_cte {
  skep_pos pos;
  const char *name;
  skep_name_list columns; /* or none */
  const skep_query *query;
} skep_cte;

struct skep_query {
  skep_pos pos;
  const skep_cte *ctes; /* a later one may use earlier ones */
  uint32_t n_ctes;
  const skep_query_body *body;
  skep_order_list order_by;
  skep_order_list sort_by;
  skep_expr_list cluster_by;
  skep_expr_list distribute_by;
  bool has_limit;
  uint64_t limit;
  uint64_t offset; /* 0 without a limit */
};

typedef enum skep_join_kind {
  SKEP_JOIN_INNER, /* JOIN, INNER JOIN, also without ON */
  SKEP_JOIN_COMMA,
  SKEP_JOIN_CROSS,
  SKEP_JOIN_LEFT,
  SKEP_JOIN_RIGHT,
  SKEP_JOIN_FULL,
  SKEP_JOIN_LEFT_SEMI,
  SKEP_JOIN_LEFT_ANTI,
} skep_join_kind;

typedef enum skep_from_kind {
  SKEP_FROM_TABLE,  /* table */
  SKEP_FROM_QUERY,  /* query; alias always set, except by hand */
  SKEP_FROM_VALUES, /* values: TABLE(VALUES ...) AS t(a, b) and (VALUES ...) AS t; columns col1, col2, ... without names
                     */
  SKEP_FROM_JOIN,   /* join */
  SKEP_FROM_LATERAL_VIEW, /* lateral: LATERAL VIEW f(x) alias AS columns, over `source` */
} skep_from_kind;

typedef enum skep_sample_kind {
  SKEP_SAMPLE_BUCKET,
  SKEP_SAMPLE_PERCENT,
  SKEP_SAMPLE_ROWS,
  SKEP_SAMPLE_BYTES
} skep_sample_kind;

typedef struct skep_sample {
  skep_pos pos;
  skep_sample_kind kind;
  uint64_t bucket, out_of; /* BUCKET x OUT OF y */
  skep_expr_list on;       /* BUCKET ... ON e, ... */
  const char *percent;     /* number text */
  uint64_t n;              /* ROWS, BYTES */
} skep_sample;

typedef enum skep_as_of_kind { SKEP_AS_OF_NONE, SKEP_AS_OF_TIME, SKEP_AS_OF_VERSION } skep_as_of_kind;

struct skep_from {
  skep_from_kind kind;
  skep_pos pos;
  const char *alias;             /* TABLE, QUERY, VALUES: as written, or NULL; LATERAL_VIEW: the view's alias */
  skep_name_list column_aliases; /* t(a, b); LATERAL_VIEW: AS a, b */
  union {
    struct {
      skep_table_name name;
      skep_ast_property_list properties; /* t ('acid.fetch.deleted.rows'='true') */
      const skep_sample *sample;
      skep_as_of_kind as_of;
      const skep_expr *as_of_value;
    } table;
    const skep_query *query;
    const skep_values *values;
    struct {
      skep_join_kind kind;
      const skep_from *left, *right;
      const skep_expr *on;
      skep_name_list using_columns;
    } join;
    struct {
      const skep_from *source;
      bool outer;
      const skep_expr *call; /* SKEP_EXPR_CALL */
    } lateral;
  };
};

/* ---- building by hand -------------------------------------------------------------------------------------------- */

/* Every constructor returns NULL when the arena is out of memory and also when a required part is NULL, so that a chain
 * of them is checked once, at its end. Names and texts are borrowed (arena or static), except where said. Positions are
 * zero; skep_expr_at sets one. */
skep_expr *skep_expr_new(skep_arena *arena, skep_expr_kind kind, skep_pos pos); /* zeroed otherwise */
const skep_expr *skep_expr_null(skep_arena *arena);
const skep_expr *skep_expr_bool(skep_arena *arena, bool value);
const skep_expr *skep_expr_int(skep_arena *arena, int64_t value); /* INT, or BIGINT when it needs one */

/* A column, with its qualifier unless `table` is NULL; skep_expr_path: any chain of n names. */
const skep_expr *skep_expr_column(skep_arena *arena, const char *table, const char *column);
const skep_expr *skep_expr_path(skep_arena *arena, const char *const *names, uint32_t n);
const skep_expr *skep_expr_star(skep_arena *arena, const char *table); /* table may be NULL */

const skep_expr *skep_expr_unary(skep_arena *arena, skep_unary_op op, const skep_expr *operand);
const skep_expr *skep_expr_binary(skep_arena *arena, skep_binary_op op, const skep_expr *left, const skep_expr *right);
const skep_expr *skep_expr_call(skep_arena *arena, const char *name, const skep_expr *const *args,
                                uint32_t n); /* array copied */
const skep_expr *skep_expr_cast(skep_arena *arena, const skep_expr *value, const skep_type *type);
/* CASE WHEN w THEN t ... ELSE otherwise END; whens copied, otherwise may be NULL. */
const skep_expr *skep_expr_case(skep_arena *arena, const skep_when *whens, uint32_t n, const skep_expr *otherwise);

/* Shallow copy at another place of the text. */
const skep_expr *skep_expr_at(skep_arena *arena, const skep_expr *expr, skep_pos pos);

const skep_from *skep_from_table(skep_arena *arena, const char *db, const char *name,
                                 const char *alias); /* db, alias may be NULL */
const skep_from *skep_from_query(skep_arena *arena, const skep_query *query, const char *alias);
const skep_from *skep_from_join(skep_arena *arena, skep_join_kind kind, const skep_from *left, const skep_from *right,
                                const skep_expr *on); /* on may be NULL */

/* A query of one select; `select` is copied, its arrays borrowed. */
const skep_query *skep_query_select(skep_arena *arena, const skep_select *select);
/* left UNION ALL right, each in its own parentheses where it must be. */
const skep_query *skep_query_union_all(skep_arena *arena, const skep_query *left, const skep_query *right);

/* Structural equality, positions ignored. NULL equals NULL only. */
bool skep_expr_equal(const skep_expr *a, const skep_expr *b);
bool skep_query_equal(const skep_query *a, const skep_query *b);

/* Calls `visit` for each direct child expression of `expr`, in order of writing; not into sub queries. Stops, returning
 * false, when a visit returns false. */
typedef bool skep_expr_visit(void *self, const skep_expr *child);
bool skep_expr_each_child(const skep_expr *expr, skep_expr_visit *visit, void *self);

#endif
