/* Inside the catalog: what its files share. */
#ifndef CATALOG_CATALOG_INT_H
#define CATALOG_CATALOG_INT_H

#include "catalog/catalog.h"
#include "db/db.h"

/* Bounds on what rows of a database may make us hold: beyond one is SKEP_ERR_LIMIT. */
enum {
  CATALOG_MAX_ROWS_OF_TABLE = 1 << 20, /* columns, properties, constraints of one table */
  CATALOG_MAX_NAMES = 1 << 22          /* tables of a database, partitions of a table */
};

struct skep_catalog {
  const skep_ctx *ctx;
  skep_db *db;
  skep_arena arena; /* the three below */
  const char *warehouse;
  const char *external;
  const char *user;
};

/* Seconds of the database's clock. */
skep_status catalog_now_s(skep_catalog *catalog, int64_t *out, skep_err *err);
/* Decimal text of a number, in the arena; NULL when memory is out. */
const char *catalog_number(skep_arena *arena, int64_t value);
/* A lower-case copy; NULL when memory is out. */
const char *catalog_lower(skep_arena *arena, const char *text);
/* Copies, NULL stays NULL. False: memory is out. */
bool catalog_copy_text(skep_arena *arena, const char **text);
/* SKEP_ERR_NOMEM with the words of this layer. */
skep_status catalog_nomem(skep_err *err);

/* A list of unknown length in an arena: rows of a statement. Doubles; the halves left behind go with the arena. */
typedef struct catalog_list {
  void *items;
  size_t n, capacity;
} catalog_list;
/* A new zeroed item of `size` bytes at the end. NULL: memory is out, or CATALOG_MAX_NAMES reached. */
void *catalog_list_add(skep_arena *arena, catalog_list *list, size_t size);

/* Sorts by key. */
void catalog_params_sort(skep_catalog_param *items, size_t n);
bool catalog_params_copy(skep_arena *arena, skep_catalog_params *params);

/* Writes the properties of one owner: `sql` inserts (owner, key, value). */
skep_status catalog_insert_params(skep_catalog *catalog, const char *sql, int64_t owner,
                                  const skep_catalog_params *params, skep_err *err);

/* A storage descriptor: the rows of SDS, SERDES and what hangs on them. */
typedef struct catalog_storage {
  int64_t sd_id, cd_id, serde_id;
  const char *location;
  const skep_catalog_table *like; /* formats, buckets, sorting, SerDe */
  bool plain_serde;               /* without SERDE_PARAMS: what Hive leaves for partitions of full-ACID tables */
} catalog_storage;
skep_status catalog_insert_storage(skep_catalog *catalog, const catalog_storage *storage, skep_err *err);
skep_status catalog_delete_storage(skep_catalog *catalog, int64_t sd_id, int64_t serde_id, skep_err *err);
/* A column descriptor with the columns of `table`; *cd_id is its id. */
skep_status catalog_insert_columns(skep_catalog *catalog, const skep_catalog_table *table, int64_t *cd_id,
                                   skep_err *err);
/* Removes a column descriptor that no storage descriptor uses any more. */
skep_status catalog_delete_unused_columns(skep_catalog *catalog, int64_t cd_id, skep_err *err);

skep_status catalog_rewrite_bucketing(skep_catalog *catalog, int64_t sd_id, const skep_catalog_table *table,
                                      skep_err *err);
skep_status catalog_insert_partition_keys(skep_catalog *catalog, const skep_catalog_table *table, skep_err *err);

/* Statistics of columns when a table or partition gets another name, or a column another name or type. */
skep_status catalog_rename_column_stats(skep_catalog *catalog, const skep_catalog_table *now, skep_err *err);
skep_status catalog_rename_partition_stats(skep_catalog *catalog, const skep_catalog_partition *now, skep_err *err);
skep_status catalog_drop_changed_column_stats(skep_catalog *catalog, skep_arena *arena, const skep_catalog_table *was,
                                              const skep_type *columns, skep_err *err);

/* Constraints without a name get one. */
skep_status catalog_insert_constraints(skep_catalog *catalog, skep_arena *arena, const skep_catalog_table *table,
                                       skep_err *err);
/* Those of the table; with also_pointing_here the foreign keys of others that refer to it too. */
skep_status catalog_delete_constraints(skep_catalog *catalog, int64_t table_id, bool also_pointing_here, skep_err *err);

/* Applies the difference of two lists: `set` updates (value, owner, key), `insert` adds (owner, key, value), `add` does
 * so when it is not there (owner, key, value, owner, key), `remove` deletes (owner, key). */
typedef struct catalog_params_sql {
  const char *set, *insert, *add, *remove;
} catalog_params_sql;
extern const catalog_params_sql catalog_table_params, catalog_partition_params, catalog_serde_params;
skep_status catalog_diff_params(skep_catalog *catalog, const catalog_params_sql *sql, int64_t owner,
                                const skep_catalog_params *was, const skep_catalog_params *now, skep_err *err);
skep_status catalog_put_param(skep_catalog *catalog, const catalog_params_sql *sql, int64_t owner,
                              const skep_catalog_param *param, skep_err *err);

#endif
