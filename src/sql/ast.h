/* The tree of a HiveQL statement, as the parser makes it and as rewrites build it by hand.
 *
 * Everything of one statement lives in one arena and is immutable once linked: sub trees may be shared between places
 * of a tree and between trees of one arena (a MERGE becomes several queries over the same expressions). Arrays are
 * pointer and count; an empty array is {NULL, 0}; an absent part is NULL.
 *
 * Names (tables, columns, aliases, functions, struct fields) are NUL-terminated, never hold a NUL byte, and are in
 * lower case, as Hive keeps them, quoted or not. String literals are bytes with a length and may hold anything. Texts
 * that become metadata (comments, locations, property keys and values) are NUL-terminated; the parser refuses a NUL in
 * them.
 *
 * Positions are those of the statement's text: `line` counts from 1, `column` from 0 as Hive prints them, `offset` and
 * `length` are bytes. Parts built by hand carry the position of what they stand for, or zeros.
 *
 * The tree says what was written and decides nothing: whether a column exists or an operand fits is the binder's. Only
 * what needs no name is settled here: literals are classified, types parsed, precedence resolved.
 *
 * Grammar: sql/README.md. Source of the language: Hive 4.0's grammar and what Hive 4.0.1 was seen to accept. */
#ifndef SQL_AST_H
#define SQL_AST_H

#include "base/arena.h"
#include "base/buf.h"
#include "column/type.h"

typedef struct skep_expr skep_expr;
typedef struct skep_query skep_query;
typedef struct skep_query_body skep_query_body;
typedef struct skep_from skep_from;
typedef struct skep_statement skep_statement;

typedef struct skep_pos {
  uint32_t line;   /* from 1; 0: built by hand */
  uint32_t column; /* bytes from the start of the line, from 0 */
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

/* ---- pieces of statements ---------------------------------------------------------------------------------------- */

typedef struct skep_partition_value {
  skep_pos pos;
  const char *name;
  skep_binary_op op;      /* EQ in specs; EQ NE LT LE GT GE LIKE in DROP PARTITION, MSCK */
  const skep_expr *value; /* a constant (literal, or unary minus over one); NULL: PARTITION (k), dynamic or any */
} skep_partition_value;

typedef struct skep_partition_spec {
  skep_pos pos;
  const skep_partition_value *items;
  uint32_t n; /* 0: no PARTITION clause */
} skep_partition_spec;

typedef enum skep_ast_constraint_kind {
  SKEP_AST_NOT_NULL,
  SKEP_AST_DEFAULT,
  SKEP_AST_CHECK,
  SKEP_AST_PRIMARY_KEY,
  SKEP_AST_UNIQUE,
  SKEP_AST_FOREIGN_KEY,
} skep_ast_constraint_kind;

typedef enum skep_switch { SKEP_UNSAID, SKEP_ON, SKEP_OFF } skep_switch;

typedef struct skep_ast_constraint {
  skep_pos pos;
  skep_ast_constraint_kind kind;
  const char *name;       /* CONSTRAINT n, or NULL */
  skep_name_list columns; /* table level, and the column itself at column level */
  const skep_expr *expr;  /* DEFAULT, CHECK */
  const char *expr_text;  /* its source text, without CHECK's parentheses */
  skep_table_name ref_table;
  skep_name_list ref_columns;
  skep_switch enable;   /* ENABLE, ENFORCED / DISABLE, NOT ENFORCED */
  skep_switch validate; /* VALIDATE / NOVALIDATE */
  skep_switch rely;     /* RELY / NORELY */
} skep_ast_constraint;

typedef struct skep_column_def {
  skep_pos pos;
  const char *name;
  const skep_type *type;                 /* NULL: PARTITIONED BY (col) of a CTAS, view column lists */
  const char *comment;                   /* or NULL */
  const skep_ast_constraint *constraint; /* at most one, or NULL */
} skep_column_def;

typedef struct skep_column_list {
  const skep_column_def *items;
  uint32_t n;
} skep_column_list;

typedef struct skep_sort_column {
  const char *name;
  bool descending;
  skep_nulls nulls;
} skep_sort_column;

typedef struct skep_bucketing {
  bool present;
  skep_name_list columns;
  const skep_sort_column *sorted_by;
  uint32_t n_sorted_by;
  int64_t n_buckets;
} skep_bucketing;

typedef enum skep_row_format_kind {
  SKEP_ROW_FORMAT_NONE,
  SKEP_ROW_FORMAT_DELIMITED,
  SKEP_ROW_FORMAT_SERDE
} skep_row_format_kind;

typedef struct skep_row_format {
  skep_row_format_kind kind;
  const char *serde;
  skep_ast_property_list serde_properties;
  const char *fields, *escape, *items, *map_keys, *lines, *null_as; /* DELIMITED; NULL where not given */
} skep_row_format;

typedef struct skep_file_format {
  const char *name; /* STORED AS name (lower case), or NULL */
  const char *input_format, *output_format, *input_driver, *output_driver, *serde;
  const char *handler; /* STORED BY */
  skep_ast_property_list handler_properties;
} skep_file_format;

typedef struct skep_skew {
  bool present;
  skep_name_list columns;
  skep_expr_list values; /* literals, or TUPLEs of them */
  bool as_directories;
} skep_skew;

typedef struct skep_assignment {
  skep_pos pos;
  const char *column;
  const skep_expr *value; /* may be DEFAULT */
} skep_assignment;

typedef struct skep_assignment_list {
  const skep_assignment *items;
  uint32_t n;
} skep_assignment_list;

/* ---- statements -------------------------------------------------------------------------------------------------- */

/* Symbol, name in messages. */
#define SKEP_STATEMENT_TABLE(X)                                     \
  X(SKEP_STMT_QUERY, "SELECT")                                      \
  X(SKEP_STMT_INSERT, "INSERT")                                     \
  X(SKEP_STMT_UPDATE, "UPDATE")                                     \
  X(SKEP_STMT_DELETE, "DELETE")                                     \
  X(SKEP_STMT_MERGE, "MERGE")                                       \
  X(SKEP_STMT_LOAD, "LOAD DATA")                                    \
  X(SKEP_STMT_EXPORT, "EXPORT")                                     \
  X(SKEP_STMT_IMPORT, "IMPORT")                                     \
  X(SKEP_STMT_CREATE_DATABASE, "CREATE DATABASE")                   \
  X(SKEP_STMT_DROP_DATABASE, "DROP DATABASE")                       \
  X(SKEP_STMT_ALTER_DATABASE, "ALTER DATABASE")                     \
  X(SKEP_STMT_USE, "USE")                                           \
  X(SKEP_STMT_CREATE_TABLE, "CREATE TABLE")                         \
  X(SKEP_STMT_DROP_TABLE, "DROP TABLE")                             \
  X(SKEP_STMT_TRUNCATE, "TRUNCATE TABLE")                           \
  X(SKEP_STMT_ALTER_TABLE, "ALTER TABLE")                           \
  X(SKEP_STMT_CREATE_VIEW, "CREATE VIEW")                           \
  X(SKEP_STMT_DROP_VIEW, "DROP VIEW")                               \
  X(SKEP_STMT_ALTER_VIEW, "ALTER VIEW")                             \
  X(SKEP_STMT_CREATE_MATERIALIZED_VIEW, "CREATE MATERIALIZED VIEW") \
  X(SKEP_STMT_DROP_MATERIALIZED_VIEW, "DROP MATERIALIZED VIEW")     \
  X(SKEP_STMT_ALTER_MATERIALIZED_VIEW, "ALTER MATERIALIZED VIEW")   \
  X(SKEP_STMT_SHOW, "SHOW")                                         \
  X(SKEP_STMT_DESCRIBE, "DESCRIBE")                                 \
  X(SKEP_STMT_ANALYZE, "ANALYZE TABLE")                             \
  X(SKEP_STMT_MSCK, "MSCK")                                         \
  X(SKEP_STMT_EXPLAIN, "EXPLAIN")                                   \
  X(SKEP_STMT_LOCK, "LOCK")                                         \
  X(SKEP_STMT_UNLOCK, "UNLOCK")                                     \
  X(SKEP_STMT_ABORT_TRANSACTIONS, "ABORT TRANSACTIONS")             \
  X(SKEP_STMT_ABORT_COMPACTIONS, "ABORT COMPACTIONS")               \
  X(SKEP_STMT_KILL_QUERY, "KILL QUERY")                             \
  X(SKEP_STMT_START_TRANSACTION, "START TRANSACTION")               \
  X(SKEP_STMT_COMMIT, "COMMIT")                                     \
  X(SKEP_STMT_ROLLBACK, "ROLLBACK")                                 \
  X(SKEP_STMT_SET_AUTOCOMMIT, "SET AUTOCOMMIT")                     \
  X(SKEP_STMT_SET, "SET")                                           \
  X(SKEP_STMT_RESET, "RESET")                                       \
  X(SKEP_STMT_PREPARE, "PREPARE")                                   \
  X(SKEP_STMT_EXECUTE, "EXECUTE")                                   \
  X(SKEP_STMT_COMMAND, "command")                                   \
  X(SKEP_STMT_OTHER, "other")

typedef enum skep_statement_kind {
#define SKEP_STATEMENT_ENUM(symbol, name) symbol,
  SKEP_STATEMENT_TABLE(SKEP_STATEMENT_ENUM)
#undef SKEP_STATEMENT_ENUM
      SKEP_STMT_KIND_COUNT
} skep_statement_kind;

/* One target of an INSERT. A FROM-first (multi-) insert has one per INSERT clause; each `query` is whole in itself: its
 * select points to the statement's shared FROM tree and its ctes are the statement's. */
typedef struct skep_insert_target {
  skep_pos pos;
  bool overwrite;
  bool if_not_exists;
  bool is_directory, is_local; /* INSERT OVERWRITE [LOCAL] DIRECTORY */
  const char *directory;
  skep_row_format row_format;   /* directory */
  skep_file_format file_format; /* directory */
  skep_table_name table;
  skep_partition_spec partition;
  skep_name_list columns; /* (c, ...); has_columns tells () from none */
  bool has_columns;
  const skep_query *query; /* the body is VALUES for INSERT ... VALUES */
} skep_insert_target;

typedef struct skep_insert {
  const skep_from *from; /* the source shared by all targets; NULL for the plain form */
  const skep_insert_target *targets;
  uint32_t n_targets;
} skep_insert;

typedef struct skep_update {
  skep_table_name table;
  skep_assignment_list set;
  const skep_expr *where;
} skep_update;

typedef struct skep_delete {
  skep_table_name table;
  const skep_expr *where;
} skep_delete;

typedef enum skep_merge_action { SKEP_MERGE_UPDATE, SKEP_MERGE_DELETE, SKEP_MERGE_INSERT } skep_merge_action;

typedef struct skep_merge_when {
  skep_pos pos;
  bool matched;
  skep_merge_action action;
  const skep_expr *condition; /* AND p, or NULL */
  skep_assignment_list set;   /* UPDATE */
  skep_name_list columns;     /* INSERT (c, ...); none: all */
  bool has_columns;
  skep_expr_list values; /* INSERT VALUES (...) */
} skep_merge_when;

typedef struct skep_merge_into {
  const char *hint;
  skep_table_name table;
  const char *alias;       /* or NULL */
  const skep_from *source; /* TABLE or QUERY */
  const skep_expr *on;
  const skep_merge_when *whens;
  uint32_t n_whens;
} skep_merge_into;

typedef struct skep_load {
  bool is_local, overwrite;
  const char *path;
  skep_table_name table;
  skep_partition_spec partition;
  const char *input_format, *serde; /* or NULL */
} skep_load;

typedef struct skep_export {
  skep_table_name table;
  skep_partition_spec partition;
  const char *path;
  bool for_replication, metadata_only;
  const char *replication_id;
} skep_export;

typedef struct skep_import {
  bool has_table, external;
  skep_table_name table;
  skep_partition_spec partition;
  const char *path, *location;
} skep_import;

typedef struct skep_create_database {
  bool if_not_exists;
  const char *name, *comment, *location, *managed_location; /* texts or NULL */
  skep_ast_property_list properties;
} skep_create_database;

typedef struct skep_drop_database {
  bool if_exists, cascade;
  const char *name;
} skep_drop_database;

typedef enum skep_owner_kind { SKEP_OWNER_USER, SKEP_OWNER_ROLE, SKEP_OWNER_GROUP } skep_owner_kind;

typedef enum skep_alter_database_kind {
  SKEP_ALTER_DATABASE_PROPERTIES,
  SKEP_ALTER_DATABASE_OWNER,
  SKEP_ALTER_DATABASE_LOCATION,
  SKEP_ALTER_DATABASE_MANAGED_LOCATION,
} skep_alter_database_kind;

typedef struct skep_alter_database {
  skep_alter_database_kind kind;
  const char *name;
  skep_ast_property_list properties;
  skep_owner_kind owner_kind;
  const char *owner;
  const char *location;
} skep_alter_database;

typedef struct skep_create_table {
  bool temporary, transactional, external, managed; /* words after CREATE */
  bool if_not_exists;
  skep_table_name table;
  bool has_columns; /* a column list was written */
  skep_column_list columns;
  const skep_ast_constraint *constraints; /* table level */
  uint32_t n_constraints;
  const char *comment;
  skep_column_list partitioned_by; /* type NULL where names only (CTAS) */
  skep_bucketing bucketing;
  skep_skew skew;
  skep_row_format row_format;
  skep_file_format file_format;
  const char *location;
  skep_ast_property_list properties;
  bool is_like;
  skep_table_name like;                     /* LIKE other */
  const char *like_file_format, *like_file; /* LIKE FILE fmt 'path' */
  const skep_query *as;                     /* CTAS, or NULL */
} skep_create_table;

typedef struct skep_drop { /* DROP TABLE, VIEW, MATERIALIZED VIEW */
  bool if_exists, purge;
  skep_table_name table;
} skep_drop;

typedef struct skep_truncate {
  skep_table_name table;
  skep_partition_spec partition;
  skep_name_list columns;
  bool force;
} skep_truncate;

typedef enum skep_alter_kind {
  SKEP_ALTER_RENAME,                 /* new_table */
  SKEP_ALTER_ADD_COLUMNS,            /* columns, cascade */
  SKEP_ALTER_REPLACE_COLUMNS,        /* columns, cascade */
  SKEP_ALTER_CHANGE_COLUMN,          /* column, columns[0] the new definition, first, after, cascade */
  SKEP_ALTER_UPDATE_COLUMNS,         /* cascade */
  SKEP_ALTER_PARTITION_COLUMN,       /* columns[0] */
  SKEP_ALTER_ADD_PARTITIONS,         /* if_flag (IF NOT EXISTS), partitions[] */
  SKEP_ALTER_DROP_PARTITIONS,        /* if_flag (IF EXISTS), partitions[], purge */
  SKEP_ALTER_RENAME_PARTITION,       /* partition, partitions[0] */
  SKEP_ALTER_TOUCH,                  /* partitions[] */
  SKEP_ALTER_ARCHIVE,                /* partitions[] */
  SKEP_ALTER_UNARCHIVE,              /* partitions[] */
  SKEP_ALTER_EXCHANGE_PARTITION,     /* partitions[0], new_table the source */
  SKEP_ALTER_SET_PROPERTIES,         /* properties */
  SKEP_ALTER_UNSET_PROPERTIES,       /* properties (keys), if_flag (IF EXISTS) */
  SKEP_ALTER_SET_LOCATION,           /* location */
  SKEP_ALTER_SET_FILE_FORMAT,        /* file_format */
  SKEP_ALTER_SET_SERDE,              /* serde, properties */
  SKEP_ALTER_SET_SERDE_PROPERTIES,   /* properties */
  SKEP_ALTER_UNSET_SERDE_PROPERTIES, /* properties (keys) */
  SKEP_ALTER_NOT_CLUSTERED,
  SKEP_ALTER_NOT_SORTED,
  SKEP_ALTER_CLUSTERED_BY, /* bucketing */
  SKEP_ALTER_INTO_BUCKETS, /* bucketing.n_buckets */
  SKEP_ALTER_SKEWED_BY,    /* skew */
  SKEP_ALTER_NOT_SKEWED,
  SKEP_ALTER_NOT_STORED_AS_DIRECTORIES,
  SKEP_ALTER_SET_SKEWED_LOCATION,
  SKEP_ALTER_ADD_CONSTRAINT,  /* constraint */
  SKEP_ALTER_DROP_CONSTRAINT, /* column: the constraint's name */
  SKEP_ALTER_CONCATENATE,
  SKEP_ALTER_UPDATE_STATISTICS, /* column or NULL, properties */
  SKEP_ALTER_SET_OWNER,         /* owner_kind, owner */
  SKEP_ALTER_CONVERT,           /* column: "acid" or "iceberg", properties */
  SKEP_ALTER_COMPACT,           /* compact */
  SKEP_ALTER_AS_QUERY,          /* ALTER VIEW v AS select: as */
  SKEP_ALTER_ICEBERG,           /* branches, tags, EXECUTE, partition specs: `word` says which; refused */
} skep_alter_kind;

typedef struct skep_alter_partition {
  skep_partition_spec spec;
  const char *location; /* ADD ... LOCATION, or NULL */
} skep_alter_partition;

typedef struct skep_compact {
  const char *type; /* as written: 'minor', 'MAJOR', ... */
  bool wait;
  int64_t n_buckets; /* CLUSTERED INTO n BUCKETS; 0: none */
  const char *pool;
  skep_ast_property_list properties; /* WITH OVERWRITE TBLPROPERTIES */
  skep_order_list order_by;
  const skep_expr *where;
} skep_compact;

typedef struct skep_alter_table { /* ALTER TABLE, ALTER VIEW */
  skep_alter_kind kind;
  skep_table_name table;
  skep_partition_spec partition; /* before the action, n = 0 if none */
  skep_table_name new_table;
  skep_column_list columns;
  const char *column;
  bool first;
  const char *after;
  skep_switch cascade; /* CASCADE / RESTRICT */
  bool if_flag, purge;
  const skep_alter_partition *partitions;
  uint32_t n_partitions;
  skep_ast_property_list properties;
  const char *location, *serde;
  skep_file_format file_format;
  skep_bucketing bucketing;
  skep_skew skew;
  const skep_ast_constraint *constraint;
  skep_owner_kind owner_kind;
  const char *owner;
  const skep_compact *compact;
  const skep_query *as;
  const char *as_text; /* source text of `as` */
  const char *word;
} skep_alter_table;

typedef struct skep_create_view { /* CREATE VIEW, CREATE MATERIALIZED VIEW */
  bool or_replace, if_not_exists, disable_rewrite;
  skep_table_name view;
  skep_column_list columns; /* names and comments */
  const char *comment;
  skep_name_list partitioned_on, clustered_on, distributed_on, sorted_on;
  skep_row_format row_format;
  skep_file_format file_format;
  const char *location;
  skep_ast_property_list properties;
  const skep_query *query;
  const char *query_text; /* source text */
} skep_create_view;

typedef enum skep_view_action {
  SKEP_VIEW_ENABLE_REWRITE,
  SKEP_VIEW_DISABLE_REWRITE,
  SKEP_VIEW_REBUILD
} skep_view_action;

typedef struct skep_alter_materialized_view {
  skep_table_name view;
  skep_view_action action;
} skep_alter_materialized_view;

typedef enum skep_show_kind {
  SKEP_SHOW_DATABASES,          /* pattern */
  SKEP_SHOW_TABLES,             /* db, pattern, table_type, extended */
  SKEP_SHOW_VIEWS,              /* db, pattern */
  SKEP_SHOW_MATERIALIZED_VIEWS, /* db, pattern */
  SKEP_SHOW_COLUMNS,            /* table (db in it), pattern, sorted */
  SKEP_SHOW_PARTITIONS,         /* table, partition, where, order_by, limit */
  SKEP_SHOW_CREATE_TABLE,       /* table */
  SKEP_SHOW_CREATE_DATABASE,    /* db */
  SKEP_SHOW_TBLPROPERTIES,      /* table, key or NULL */
  SKEP_SHOW_TABLE_EXTENDED,     /* db, pattern, partition */
  SKEP_SHOW_FUNCTIONS,          /* pattern */
  SKEP_SHOW_CONF,               /* key */
  SKEP_SHOW_TRANSACTIONS,
  SKEP_SHOW_LOCKS,       /* table or db or neither, partition, extended */
  SKEP_SHOW_COMPACTIONS, /* has_id + id, or db, or table + partition; pool, type, status, order_by, limit */
} skep_show_kind;

typedef struct skep_show {
  skep_show_kind kind;
  const char *db; /* or NULL */
  bool has_table;
  skep_table_name table;
  const char *pattern; /* case as written, or NULL */
  const char *table_type;
  const char *key;
  bool extended, sorted;
  skep_partition_spec partition;
  const skep_expr *where;
  skep_order_list order_by;
  bool has_limit;
  uint64_t limit;
  bool has_id;
  int64_t id;
  const char *pool, *type, *status;
} skep_show;

typedef enum skep_describe_kind {
  SKEP_DESCRIBE_TABLE,
  SKEP_DESCRIBE_DATABASE,
  SKEP_DESCRIBE_FUNCTION
} skep_describe_kind;

typedef struct skep_describe {
  skep_describe_kind kind;
  bool extended, formatted;
  skep_table_name table; /* TABLE */
  skep_name_list column; /* column, then fields and $elem$, $key$, $value$ */
  skep_partition_spec partition;
  const char *name; /* DATABASE, FUNCTION */
} skep_describe;

typedef struct skep_analyze {
  skep_table_name table;
  skep_partition_spec partition;
  bool noscan, cache_metadata, for_columns;
  skep_name_list columns; /* FOR COLUMNS c, ...; none: all */
} skep_analyze;

typedef enum skep_msck_action { SKEP_MSCK_ADD, SKEP_MSCK_DROP, SKEP_MSCK_SYNC } skep_msck_action;

typedef struct skep_msck {
  bool repair;
  bool has_table;
  skep_table_name table;
  skep_msck_action action;
  skep_partition_spec partition;
} skep_msck;

typedef struct skep_explain {
  const char *options; /* words between EXPLAIN and the statement, upper case, one blank between; "" if none */
  const skep_statement *statement;
} skep_explain;

typedef struct skep_lock { /* LOCK, UNLOCK */
  bool is_database, exclusive;
  skep_table_name table; /* the database is `name` where is_database */
  skep_partition_spec partition;
} skep_lock;

typedef struct skep_ids {
  const int64_t *items;
  uint32_t n;
} skep_ids;

typedef struct skep_start_transaction {
  bool snapshot, read_only, read_write;
} skep_start_transaction;

/* SET, from the text of the line: no SQL tokens. */
typedef enum skep_set_kind { SKEP_SET_ALL, SKEP_SET_VERBOSE, SKEP_SET_PRINT, SKEP_SET_ASSIGN } skep_set_kind;

typedef struct skep_set {
  skep_set_kind kind;
  const char *key;   /* with its prefix (hivevar:, ...), case as written */
  const char *value; /* ASSIGN: the rest of the line, trimmed */
} skep_set;

typedef struct skep_reset {
  bool all_defaults;   /* RESET -d */
  skep_name_list keys; /* none: everything */
} skep_reset;

typedef struct skep_prepare {
  const char *name;
  const skep_query *query; /* PREPARE */
  skep_expr_list values;   /* EXECUTE ... USING */
} skep_prepare;

typedef struct skep_command { /* DFS, ADD, LIST, DELETE JAR, RELOAD, COMPILE, !, ... */
  const char *word;           /* lower case: "dfs", "add", "!" ... */
  const char *rest;           /* what follows, trimmed */
} skep_command;

typedef struct skep_other { /* parsed as far as its name: a later version's, or out of scope */
  const char *what;         /* "GRANT", "CREATE FUNCTION", ... */
} skep_other;

struct skep_statement {
  skep_statement_kind kind;
  skep_pos pos;     /* from the first to the last token */
  const char *text; /* the text it was parsed from (copied into the arena); NULL when built by hand */
  size_t text_length;
  union {
    const skep_query *query;
    const skep_insert *insert;
    const skep_update *update;
    const skep_delete *delete_;
    const skep_merge_into *merge;
    const skep_load *load;
    const skep_export *export_;
    const skep_import *import;
    const skep_create_database *create_database;
    const skep_drop_database *drop_database;
    const skep_alter_database *alter_database;
    const char *use; /* the database */
    const skep_create_table *create_table;
    const skep_drop *drop; /* DROP_TABLE, DROP_VIEW, DROP_MATERIALIZED_VIEW */
    const skep_truncate *truncate;
    const skep_alter_table *alter_table; /* ALTER_TABLE, ALTER_VIEW */
    const skep_create_view *create_view; /* CREATE_VIEW, CREATE_MATERIALIZED_VIEW */
    const skep_alter_materialized_view *alter_materialized_view;
    const skep_show *show;
    const skep_describe *describe;
    const skep_analyze *analyze;
    const skep_msck *msck;
    const skep_explain *explain;
    const skep_lock *lock;  /* LOCK, UNLOCK */
    skep_ids ids;           /* ABORT_TRANSACTIONS, ABORT_COMPACTIONS */
    skep_name_list queries; /* KILL_QUERY */
    skep_start_transaction start_transaction;
    bool autocommit; /* SET_AUTOCOMMIT */
    skep_set set;
    skep_reset reset;
    skep_prepare prepare; /* PREPARE, EXECUTE */
    skep_command command;
    skep_other other;
  };
};

/* "CREATE TABLE": for messages. An OTHER statement's own name is in other.what. */
const char *skep_statement_name(const skep_statement *statement);

/* ---- building by hand -------------------------------------------------------------------------------------------- */

/* Every constructor returns NULL when the arena is out of memory and also when a required part is NULL, so that a chain
 * of them is checked once, at its end. Names and texts are borrowed (arena or static), except where said. Positions are
 * zero; skep_expr_at sets one. */
skep_expr *skep_expr_new(skep_arena *arena, skep_expr_kind kind, skep_pos pos); /* zeroed otherwise */
const skep_expr *skep_expr_null(skep_arena *arena);
const skep_expr *skep_expr_bool(skep_arena *arena, bool value);
const skep_expr *skep_expr_int(skep_arena *arena, int64_t value); /* INT, or BIGINT when it needs one */
const skep_expr *skep_expr_string(skep_arena *arena, const char *bytes, size_t length); /* copied */
const skep_expr *skep_expr_default(skep_arena *arena);

/* A column, with its qualifier unless `table` is NULL; skep_expr_path: any chain of n names. */
const skep_expr *skep_expr_column(skep_arena *arena, const char *table, const char *column);
const skep_expr *skep_expr_path(skep_arena *arena, const char *const *names, uint32_t n);
const skep_expr *skep_expr_star(skep_arena *arena, const char *table); /* table may be NULL */
const skep_expr *skep_expr_field(skep_arena *arena, const skep_expr *base, const char *name);

const skep_expr *skep_expr_unary(skep_arena *arena, skep_unary_op op, const skep_expr *operand);
const skep_expr *skep_expr_binary(skep_arena *arena, skep_binary_op op, const skep_expr *left, const skep_expr *right);
const skep_expr *skep_expr_call(skep_arena *arena, const char *name, const skep_expr *const *args,
                                uint32_t n); /* array copied */
const skep_expr *skep_expr_cast(skep_arena *arena, const skep_expr *value, const skep_type *type);
/* CASE WHEN w THEN t ... ELSE otherwise END; whens copied, otherwise may be NULL. */
const skep_expr *skep_expr_case(skep_arena *arena, const skep_when *whens, uint32_t n, const skep_expr *otherwise);
const skep_expr *skep_expr_scalar_query(skep_arena *arena, const skep_query *query);

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
