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
 * Grammar: hiveql/README.md. Source of the language: Hive 4.0's grammar and what Hive 4.0.1 was seen to accept. */
#ifndef HIVEQL_AST_H
#define HIVEQL_AST_H

#include "hiveql/ast_query.h"

typedef struct skep_statement skep_statement;

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
  skep_pos path_pos;
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

#endif
