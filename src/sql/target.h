/* What a written table asks of its rows: which columns in which order, which values are fixed by the statement, what is
 * checked. Between the trees of INSERT, UPDATE, MERGE and the branches that write. */
#ifndef SQL_TARGET_H
#define SQL_TARGET_H

#include "sql/life.h"

typedef struct skep_target {
  skep_life_table *table;
  const skep_type *row;      /* struct: all columns, then the partition keys that rows bring */
  uint32_t n_columns;        /* of the table, at the front of `row` */
  const skep_bytes *statics; /* one a partition key (at == NULL: dynamic); NULL: all are dynamic */
  bool all_static;           /* every key has a value; also for tables without keys */
  const char *partition;     /* all_static of a partitioned table: its escaped name; else NULL */
  const bool *not_null;      /* one a child of `row`; NULL: none is */
  skep_bind_target bind;     /* for skep_bind_insert: label, position, types, checks */
} skep_target;

/* spec: the PARTITION clause; NULL: rows bring all keys (UPDATE, MERGE). Errors of the clause have Hive's numbers. */
SKEP_NODISCARD skep_status skep_target_init(skep_target *target, skep_life *life, skep_life_table *table,
                                            const skep_table_name *name, const skep_partition_spec *spec,
                                            skep_err *err);

/* What DEFAULT, or a column that is not listed, stands for: the column's enabled DEFAULT, else NULL. column: in row. */
SKEP_NODISCARD skep_status skep_target_default(const skep_target *target, skep_life *life, uint32_t column,
                                               const skep_expr **out, skep_err *err);

/* The position of a name in row, or -1. */
int64_t skep_target_column(const skep_target *target, const char *name);

/* The text of a constant in a PARTITION clause: NULL for NULL. */
SKEP_NODISCARD skep_status skep_target_constant(skep_arena *arena, const skep_expr *expr, const char **out,
                                                skep_err *err);

/* A numeric constant as Hive casts it to the type of an integer key: 1.5 is 1, 99999999999 of an INT is 1215752191.
 * Other texts, and numbers that no cast makes an integer of, stay as they are. */
SKEP_NODISCARD skep_status skep_target_number(skep_arena *arena, const skep_type *key, const skep_expr *value,
                                              const char **text, skep_err *err);

/* Several row images side by side as one struct type. */
SKEP_NODISCARD skep_status skep_target_images(skep_arena *arena, const skep_type *const *images, uint32_t n,
                                              const skep_type **out, skep_err *err);

#endif
