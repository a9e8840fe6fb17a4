/* Hive's schema as data: between schema_hive.c and schema.c. Module-private. */
#ifndef DB_SCHEMA_INT_H
#define DB_SCHEMA_INT_H

#include <stddef.h>

typedef struct skep_schema_table {
  const char *name;
  const char
      *body; /* what stands in the brackets of CREATE TABLE: columns first, each beginning with its quoted name */
} skep_schema_table;

extern const skep_schema_table skep_schema_tables[];
extern const size_t skep_schema_n_tables;
/* Constraints (the bodies) that refer to a table behind their own. */
extern const skep_schema_table skep_schema_forward[];
extern const size_t skep_schema_n_forward;
extern const char *const skep_schema_indexes[]; /* after CREATE */
extern const size_t skep_schema_n_indexes;

#endif
