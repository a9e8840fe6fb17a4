/* The source of a table's rows, inside: shared by scan.c and scan_tasks.c. */
#ifndef TABLE_SCAN_INT_H
#define TABLE_SCAN_INT_H

#include "table/scan.h"

typedef struct table_source {
  skep_source source;
  const skep_ctx *ctx;
  skep_arena arena;
  const char *name;
  const char *file_prefix;
  skep_table_scan_kind kind;
  bool row_ids;
  uint32_t n_columns, n_partition_columns;
  const skep_type *partition_columns; /* a struct, also without any */
  skep_plan *plan;
  skep_fs *fs;
  const skep_text_format *text; /* NULL: ORC */
  skep_scan_cache *cache;
  bool owns_cache;
} table_source;

/* Splits of one partition in the order of Hive's tasks: larger files first. */
SKEP_NODISCARD skep_status skep_table_sort_splits(table_source *t, skep_err *err);

#endif
