/* The catalog: databases, tables, partitions, columns and statistics in the tables of Hive's metastore, as a Hive
 * metastore on the same database would read and write them.
 *
 * A catalog sits on one skep_db and is used by one thread at a time. Every function runs inside the database
 * transaction that the caller opened (skep_db_begin): readers see one state, changes are seen by others when the caller
 * commits. The catalog remembers nothing between two calls: a caller that rolls back needs to do nothing more.
 *
 * What is handed out lives in the arena given and is the caller's to change; names come and go in lower case. Locations
 * are URIs as Hive stores them ("file:/warehouse/sales.db/orders"); skep_catalog_path turns one into a path.
 *
 * Statuses a caller may want to tell apart: SKEP_ERR_NOT_FOUND, SKEP_ERR_EXISTS; SKEP_ERR_UNSUPPORTED for rows that are
 * valid in Hive and mean nothing here (an unknown type, a location that is no file). Texts are bare facts ("Table not
 * found sales.orders"); src/sql puts Hive's words around them.
 *
 * Source of tables, columns and values: hive-schema-4.0.0, and the database dump of a Hive 4.0.1 (tests/golden). */
#ifndef CATALOG_CATALOG_H
#define CATALOG_CATALOG_H

#include "base/arena.h"
#include "base/buf.h"
#include "column/type.h"

typedef struct skep_db skep_db; /* db/db.h */
typedef struct skep_catalog skep_catalog;

typedef struct skep_catalog_opts {
  const char *warehouse; /* absolute path of the managed warehouse, no trailing slash */
  const char *external;  /* the same for external tables; NULL: the managed one */
  const char *user;      /* owner of what is made */
} skep_catalog_opts;

/* db is borrowed. Strings are copied. The database has Hive's schema (db/schema.h). */
SKEP_NODISCARD skep_status skep_catalog_open(const skep_ctx *ctx, skep_db *db, const skep_catalog_opts *opts,
                                             skep_catalog **out, skep_err *err);
void skep_catalog_close(skep_catalog *catalog); /* accepts NULL */

/* Properties (TABLE_PARAMS, SERDE_PARAMS, ...), sorted by key, bytewise. */
typedef struct skep_catalog_param {
  const char *key;
  const char *value;
} skep_catalog_param;
typedef struct skep_catalog_params {
  const skep_catalog_param *items;
  size_t n;
} skep_catalog_params;

/* The value of a key, or NULL. skep_catalog_param_is compares the value in any case ("TRUE" is "true"). */
const char *skep_catalog_param_get(const skep_catalog_params *params, const char *key);
bool skep_catalog_param_is(const skep_catalog_params *params, const char *key, const char *value);
/* Sets (or with value NULL removes) one key: a new sorted list in the arena, the old one is left alone. */
SKEP_NODISCARD skep_status skep_catalog_param_set(skep_arena *arena, skep_catalog_params *params, const char *key,
                                                  const char *value, skep_err *err);

/* ---- databases ---- */

typedef struct skep_catalog_db {
  int64_t id;
  const char *name;
  const char *comment;          /* NULL: none */
  const char *location;         /* DB_LOCATION_URI: where external tables go */
  const char *managed_location; /* DB_MANAGED_LOCATION_URI; NULL: location serves managed tables too */
  const char *owner;
  const char *owner_type; /* "USER", "ROLE", "GROUP" */
  int64_t create_time_s;
  skep_catalog_params params;
} skep_catalog_db;

/* "default" always exists (made by skep_catalog_open in a new metastore). */
SKEP_NODISCARD skep_status skep_catalog_get_database(skep_catalog *catalog, skep_arena *arena, const char *name,
                                                     const skep_catalog_db **out, skep_err *err);
/* Names, ascending. */
SKEP_NODISCARD skep_status skep_catalog_list_databases(skep_catalog *catalog, skep_arena *arena,
                                                       const char *const **names, size_t *n, skep_err *err);
/* Fields left NULL or 0 are filled in: locations below the warehouses, owner, time. `id` is given by the catalog. */
SKEP_NODISCARD skep_status skep_catalog_create_database(skep_catalog *catalog, const skep_catalog_db *db,
                                                        skep_err *err);
/* Rewrites all but name and id of the database with db->id. */
SKEP_NODISCARD skep_status skep_catalog_alter_database(skep_catalog *catalog, const skep_catalog_db *db, skep_err *err);
/* The rows of a database without tables. SKEP_ERR_ARGUMENT when there are any. */
SKEP_NODISCARD skep_status skep_catalog_drop_database(skep_catalog *catalog, const skep_catalog_db *db, skep_err *err);

/* ---- tables ---- */

/* What the table is to a statement, from its type and properties. */
typedef enum skep_table_kind {
  SKEP_TABLE_PLAIN,       /* managed, not transactional */
  SKEP_TABLE_FULL_ACID,   /* transactional=true and not insert-only */
  SKEP_TABLE_INSERT_ONLY, /* transactional_properties=insert_only */
  SKEP_TABLE_EXTERNAL,
  SKEP_TABLE_VIEW /* VIRTUAL_VIEW and MATERIALIZED_VIEW: shown, not read */
} skep_table_kind;

/* Source: Hive 4.0 ConstraintType order as KEY_CONSTRAINTS.CONSTRAINT_TYPE stores it (MConstraint). */
typedef enum skep_constraint_kind {
  SKEP_CONSTRAINT_PRIMARY_KEY = 0,
  SKEP_CONSTRAINT_FOREIGN_KEY = 1,
  SKEP_CONSTRAINT_UNIQUE = 2,
  SKEP_CONSTRAINT_NOT_NULL = 3,
  SKEP_CONSTRAINT_DEFAULT = 4,
  SKEP_CONSTRAINT_CHECK = 5
} skep_constraint_kind;

typedef struct skep_catalog_constraint {
  skep_constraint_kind kind;
  const char *name;       /* NULL when creating: made up as Hive does */
  const int32_t *columns; /* index into the columns, after them the partition keys; a table-level CHECK has none */
  uint32_t n_columns;
  const char *text; /* DEFAULT and CHECK: HiveQL text; else NULL */
  bool enable, validate, rely;
  /* foreign keys only, else NULL: the referenced table and columns */
  const char *parent_db, *parent_table;
  const char *const *parent_columns; /* n_columns */
} skep_catalog_constraint;

typedef struct skep_catalog_sort {
  uint32_t column;
  bool ascending;
} skep_catalog_sort;

typedef struct skep_catalog_table {
  int64_t id;
  const char *db, *name;
  const char *owner, *owner_type;
  const char *type; /* "MANAGED_TABLE", "EXTERNAL_TABLE", "VIRTUAL_VIEW", "MATERIALIZED_VIEW" */
  skep_table_kind kind;
  int64_t create_time_s;
  int64_t last_access_time_s;
  int64_t retention;
  int64_t write_id;                   /* TBLS.WRITE_ID: the last write whose statistics are stored */
  const char *location;               /* NULL: a view; "": none (storage handlers), which skep_catalog_path refuses */
  const skep_type *columns;           /* struct, without the partition keys */
  const char *const *column_comments; /* NULL entries: none */
  const skep_type *partition_keys;    /* struct; no children: not partitioned */
  const char *const *partition_comments;
  const uint32_t *bucket_columns; /* index into columns */
  uint32_t n_bucket_columns;
  int32_t n_buckets; /* -1: not bucketed */
  const skep_catalog_sort *sort_columns;
  uint32_t n_sort_columns;
  int32_t bucketing_version;                        /* 1 or 2, from the properties */
  const char *input_format, *output_format, *serde; /* Java class names, may be NULL */
  skep_catalog_params serde_params;
  skep_catalog_params params;
  const skep_catalog_constraint *constraints; /* in Hive's order of listing: by kind, then name */
  uint32_t n_constraints;
  const char *view_text, *view_expanded_text; /* views */
  int64_t sd_id, cd_id, serde_id, db_id;      /* row ids, for this layer */
} skep_catalog_table;

static inline bool skep_table_is_partitioned(const skep_catalog_table *t) { return t->partition_keys->n_children > 0; }
static inline bool skep_table_is_transactional(const skep_catalog_table *t) {
  return t->kind == SKEP_TABLE_FULL_ACID || t->kind == SKEP_TABLE_INSERT_ONLY;
}

/* What skep_catalog_table.kind is for this type and these properties. */
skep_table_kind skep_catalog_kind(const char *table_type, const skep_catalog_params *params);

/* Names are looked up in lower case. Two statements: the table's row, and all that hangs on it. */
SKEP_NODISCARD skep_status skep_catalog_get_table(skep_catalog *catalog, skep_arena *arena, const char *db,
                                                  const char *name, skep_catalog_table **out, skep_err *err);
/* A deep copy, to change and hand to skep_catalog_alter_table. */
SKEP_NODISCARD skep_status skep_catalog_table_copy(skep_arena *arena, const skep_catalog_table *table,
                                                   skep_catalog_table **out, skep_err *err);

/* Nobody else who asks for it changes the table's rows until the end of the database transaction; more than one in
 * ascending order. Nothing happens where writers are alone anyway, or when there is no such table. */
SKEP_NODISCARD skep_status skep_catalog_lock_table(skep_catalog *catalog, int64_t table_id, skep_err *err);

typedef struct skep_catalog_table_name {
  const char *name;
  const char *type; /* "MANAGED_TABLE", ... */
} skep_catalog_table_name;
/* Ascending by name. SKEP_ERR_NOT_FOUND: no such database. */
SKEP_NODISCARD skep_status skep_catalog_list_tables(skep_catalog *catalog, skep_arena *arena, const char *db,
                                                    const skep_catalog_table_name **out, size_t *n, skep_err *err);

typedef struct skep_catalog_location {
  int64_t table_id;
  const char *location; /* of the table, or of a partition */
} skep_catalog_location;
/* Every location that the metastore knows, in no order: also of tables that skep_catalog_get_table cannot read. */
SKEP_NODISCARD skep_status skep_catalog_locations(skep_catalog *catalog, skep_arena *arena,
                                                  const skep_catalog_location **out, size_t *n, skep_err *err);

/* Stores a new table. Filled in here: ids, owner and times that are NULL or 0, the location that Hive would choose
 * (from database and type) when it is NULL, names of constraints. Properties are stored as they are given;
 * transient_lastDdlTime is set. *table is filled in likewise (strings in `arena`). The directory is the caller's to
 * make. */
SKEP_NODISCARD skep_status skep_catalog_create_table(skep_catalog *catalog, skep_arena *arena,
                                                     skep_catalog_table *table, skep_err *err);
/* The location that skep_catalog_create_table would choose. */
SKEP_NODISCARD skep_status skep_catalog_default_location(skep_catalog *catalog, skep_arena *arena, const char *db,
                                                         const char *table, bool external, const char **out,
                                                         skep_err *err);
/* All rows of the table and its partitions. Directories and transaction records are the caller's matter. */
SKEP_NODISCARD skep_status skep_catalog_drop_table(skep_catalog *catalog, const skep_catalog_table *table,
                                                   skep_err *err);
/* Writes `now` over the rows of `was` (as read in this transaction; same id): name and database, owner, type, columns
 * and comments (a new column descriptor when they differ, as Hive; partitions keep theirs), buckets, sorting, formats,
 * location, properties, constraints. Partition rows are left alone, except their locations when the name or database
 * changed and they were below the old location. */
SKEP_NODISCARD skep_status skep_catalog_alter_table(skep_catalog *catalog, const skep_catalog_table *was,
                                                    const skep_catalog_table *now, skep_err *err);

/* Statistics and other properties of a table alone, without rewriting it: sets (value NULL: removes) the given ones.
 * write_id > 0 is stored as the table's (or partition's). */
SKEP_NODISCARD skep_status skep_catalog_update_table_params(skep_catalog *catalog, const skep_catalog_table *table,
                                                            const skep_catalog_param *params, size_t n,
                                                            int64_t write_id, skep_err *err);

/* ---- partitions ---- */

typedef struct skep_catalog_partition {
  int64_t id;
  const char *name;          /* escaped, "d=2026-01-01/s=x%2Fy" */
  const char *const *values; /* one a partition key, unescaped; __HIVE_DEFAULT_PARTITION__ for NULL */
  const char *location;
  int64_t create_time_s;
  int64_t last_access_time_s;
  int64_t write_id;
  skep_catalog_params params; /* filled by skep_catalog_get_partition, and by _list_ when asked for */
  int64_t sd_id, cd_id;
} skep_catalog_partition;

/* How many partitions a table has, and the highest id of one: two looks that agree saw the same partitions, unless some
 * were dropped and as many made (a drop takes an exclusive lock). */
SKEP_NODISCARD skep_status skep_catalog_partition_stamp(skep_catalog *catalog, const skep_catalog_table *table,
                                                        int64_t *n, int64_t *max_id, skep_err *err);

/* Ascending by name. One statement (two with properties). The table must not be older than the transaction. */
SKEP_NODISCARD skep_status skep_catalog_list_partitions(skep_catalog *catalog, skep_arena *arena,
                                                        const skep_catalog_table *table, bool with_params,
                                                        const skep_catalog_partition **out, size_t *n, skep_err *err);
/* By escaped name (skep_catalog_partition_name). */
SKEP_NODISCARD skep_status skep_catalog_get_partition(skep_catalog *catalog, skep_arena *arena,
                                                      const skep_catalog_table *table, const char *name,
                                                      skep_catalog_partition **out, skep_err *err);
/* Adds partitions; name is made from the values, a NULL location is <table>/<name>, times of 0 are now; params are
 * stored as given, with transient_lastDdlTime. SKEP_ERR_EXISTS names the first that is there. Fields are filled in. */
SKEP_NODISCARD skep_status skep_catalog_add_partitions(skep_catalog *catalog, skep_arena *arena,
                                                       const skep_catalog_table *table,
                                                       skep_catalog_partition *partitions, size_t n, skep_err *err);
SKEP_NODISCARD skep_status skep_catalog_drop_partition(skep_catalog *catalog, const skep_catalog_table *table,
                                                       const skep_catalog_partition *partition, skep_err *err);
/* Renames (values, name) and moves (location), and rewrites the properties. */
SKEP_NODISCARD skep_status skep_catalog_alter_partition(skep_catalog *catalog, const skep_catalog_table *table,
                                                        const skep_catalog_partition *was,
                                                        const skep_catalog_partition *now, skep_err *err);
SKEP_NODISCARD skep_status skep_catalog_update_partition_params(skep_catalog *catalog, const skep_catalog_table *table,
                                                                const skep_catalog_partition *partition,
                                                                const skep_catalog_param *params, size_t n,
                                                                int64_t write_id, skep_err *err);
/* Gives all partitions the column descriptor of the table (ALTER TABLE ... CASCADE). */
SKEP_NODISCARD skep_status skep_catalog_cascade_columns(skep_catalog *catalog, const skep_catalog_table *table,
                                                        skep_err *err);

/* ---- statistics ---- */

/* What a write did to one table or partition, in the words of Hive's basic statistics. */
typedef struct skep_catalog_stats {
  int64_t n_rows;       /* rows inserted minus deleted */
  int64_t n_files;      /* files added, those of delete events too */
  int64_t size_bytes;   /* their bytes */
  bool is_stale;        /* something was written since they were counted: not accurate */
  bool set_rows;        /* the three are what is there now (overwrite, truncate, analyze) instead of what was added */
  const char *accurate; /* what COLUMN_STATS_ACCURATE says, when they are: NULL: {"BASIC_STATS":"true"} alone, since
                           whoever writes makes statistics of columns inaccurate */
} skep_catalog_stats;

/* What COLUMN_STATS_ACCURATE says, if that is that the basic statistics are accurate; else NULL. */
const char *skep_catalog_stats_accurate(const skep_catalog_params *params);

/* The properties that Hive leaves after such a write: numFiles, numFilesErasureCoded, numRows, rawDataSize, totalSize,
 * COLUMN_STATS_ACCURATE {"BASIC_STATS":"true"}, transient_lastDdlTime. A number stays unknown, and a sum not accurate,
 * when it was. `partition` is NULL for a table without partitions. */
SKEP_NODISCARD skep_status skep_catalog_update_stats(skep_catalog *catalog, const skep_catalog_table *table,
                                                     const skep_catalog_partition *partition,
                                                     const skep_catalog_stats *stats, int64_t write_id, skep_err *err);

/* What is known of one column's values. Which of it depends on the type: numbers, dates (days since 1970-01-01) and
 * timestamps (seconds) have a range and a count of different values, texts lengths and a count, binary lengths only,
 * booleans how many are true and false. */
typedef enum skep_column_range {
  SKEP_COLUMN_NO_RANGE, /* none by its type, or no value that is not NULL */
  SKEP_COLUMN_LONGS,
  SKEP_COLUMN_DOUBLES,
  SKEP_COLUMN_DECIMALS
} skep_column_range;

typedef struct skep_catalog_column_stats {
  const char *column, *type; /* as Hive spells it */
  skep_column_range range;
  int64_t low, high;
  double low_double, high_double;
  const char *low_decimal, *high_decimal; /* plain, without trailing zeros */
  int64_t n_nulls;
  bool has_distinct, has_length, has_bools;
  int64_t n_distinct;
  double avg_length; /* NULL counts as 0 */
  int64_t max_length;
  int64_t n_trues, n_falses;
} skep_catalog_column_stats;

/* Stores them, in place of what was known of these columns. `partition` is NULL for a table without partitions. Whether
 * they are accurate is said by the property COLUMN_STATS_ACCURATE (skep_catalog_stats.accurate). */
SKEP_NODISCARD skep_status skep_catalog_put_column_stats(skep_catalog *catalog, const skep_catalog_table *table,
                                                         const skep_catalog_partition *partition,
                                                         const skep_catalog_column_stats *stats, size_t n,
                                                         skep_err *err);
/* By name; of one column, or of all (NULL). A partitioned table without a partition: those of all its partitions, a
 * line each. A drop removes them, as does a change of the column's name or type. */
SKEP_NODISCARD skep_status skep_catalog_list_column_stats(skep_catalog *catalog, skep_arena *arena,
                                                          const skep_catalog_table *table,
                                                          const skep_catalog_partition *partition, const char *column,
                                                          const skep_catalog_column_stats **out, size_t *n,
                                                          skep_err *err);
/* How COLUMN_STATS_ACCURATE names a column: "name":"true". NULL: memory is out. */
const char *skep_catalog_accurate_key(skep_arena *arena, const char *column);

/* ---- names and places ---- */

/* Appends "k=v/k2=v2", escaped as Hive's FileUtils.makePartName; a NULL or empty value is __HIVE_DEFAULT_PARTITION__.
 */
void skep_catalog_partition_name(const skep_type *keys, const char *const *values, skep_buf *out);
/* Appends one name or value, escaped as FileUtils.escapePathName. */
void skep_catalog_escape(const char *text, skep_buf *out);
/* The text that Hive stores for a partition value of a key type ("007" of an int is "7", "1.50" of decimal(6,2) is
 * "1.5"); SKEP_ERR_RANGE when the text is no such value. NULL and "" become __HIVE_DEFAULT_PARTITION__. */
SKEP_NODISCARD skep_status skep_catalog_partition_value(skep_arena *arena, const skep_type *key, const char *text,
                                                        const char **out, skep_err *err);

/* The path in a location: "file:/a/b", "file:///a/b", "/a/b" are "/a/b". SKEP_ERR_UNSUPPORTED: another scheme. The
 * result points into `location`. */
SKEP_NODISCARD skep_status skep_catalog_path(const char *location, const char **path, skep_err *err);
/* How two absolute paths lie to each other, part by part ("//" and "/./" are "/"). */
typedef enum skep_catalog_relation {
  SKEP_CATALOG_APART,
  SKEP_CATALOG_SAME,
  SKEP_CATALOG_INSIDE, /* a in b */
  SKEP_CATALOG_AROUND  /* b in a */
} skep_catalog_relation;
skep_catalog_relation skep_catalog_relate(const char *a, const char *b);

/* A table or partition whose directory is a path, lies in it or around it. */
typedef struct skep_catalog_place {
  int64_t sd_id, table_id;
  const char *db, *table, *partition; /* partition NULL: the table's own directory */
  const char *path;
  skep_catalog_relation relation; /* of the path that was asked for to this one */
} skep_catalog_place;
/* All of them: a look at every location of the catalog, and one more statement for each that is found. */
SKEP_NODISCARD skep_status skep_catalog_list_places(skep_catalog *catalog, skep_arena *arena, const char *path,
                                                    const skep_catalog_place **out, size_t *n, skep_err *err);

/* "file:" + path, in the arena; NULL when out of memory. */
const char *skep_catalog_uri(skep_arena *arena, const char *path);

#endif
