/* A table of a warehouse as commands see it that look at its files themselves: what the metastore says, once. */
#ifndef CLI_CHECK_TABLE_H
#define CLI_CHECK_TABLE_H

#include "acid/snapshot.h"
#include "catalog/catalog.h"
#include "cli/warehouse.h"

typedef struct skep_cli_root {
  const char *path;
  const char *name;          /* of the partition, escaped; "": the table has none */
  const char *const *values; /* of the partition keys; NULL: none */
} skep_cli_root;

typedef struct skep_cli_table {
  const skep_catalog_table *t;
  const char *path;             /* the table's directory */
  const char *warehouse;        /* absolute */
  const char *schema;           /* struct<...> of the columns */
  const char *partition_schema; /* or NULL */
  uint32_t n_roots;
  const skep_cli_root *roots;
  skep_snapshot snapshot; /* what is committed now; `everything` of tables that are not transactional */
  int64_t next_write_id;  /* 0: none was given out */
} skep_cli_table;

/* name: "db.table" or "table". Reads the metastore only. SKEP_ERR_NOT_FOUND: no such metastore, database, table. */
SKEP_NODISCARD skep_status skep_cli_table_read(const skep_cli_env *env, skep_arena *arena,
                                               const skep_cli_warehouse *warehouse, const char *name,
                                               skep_cli_table *out, skep_err *err);

/* Whether any transaction is open now: each statement has one as long as its files are on their way. */
SKEP_NODISCARD skep_status skep_cli_any_open(const skep_cli_env *env, skep_arena *arena,
                                             const skep_cli_warehouse *warehouse, bool *out, skep_err *err);

#endif
