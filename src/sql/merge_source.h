/* The source of a MERGE: a temporary table of the engine, which the binder sees as a table. */
#ifndef SQL_MERGE_SOURCE_H
#define SQL_MERGE_SOURCE_H

#include "sql/life.h"
#include "sql/union_ways.h"

/* Names that no statement can write: they hold a blank. */
#define SKEP_MERGE_SOURCE_TABLE "merge source"
#define SKEP_MERGE_SOURCE_ROW "merge source row" /* a column: the row's number in the source's order */

typedef struct skep_merge_source {
  const char *alias;       /* as ON and the clauses call it */
  const skep_type *type;   /* struct: its columns, then SKEP_MERGE_SOURCE_ROW */
  skep_bound_query *bound; /* what fills it */
  uint32_t n_ways;         /* sides of a UNION ALL that are written apart; over 1: the number of a row's side is the
                              source's column SKEP_UNION_WAY */
  bool is_made;
} skep_merge_source;

/* Binds the source and makes the life's lookup answer for SKEP_MERGE_SOURCE_TABLE. `apart`: sides of a union are
 * numbered. */
SKEP_NODISCARD skep_status skep_merge_source_bind(skep_merge_source *source, skep_life *life, const skep_from *from,
                                                  bool apart, skep_err *err);
/* After skep_life_enter: reads it into the engine. */
SKEP_NODISCARD skep_status skep_merge_source_fill(skep_merge_source *source, skep_life *life, skep_err *err);
void skep_merge_source_drop(skep_merge_source *source, skep_session *session); /* safe on a zeroed one */

/* Rows of the source can only meet rows of the target whose column `name` (of type `type`) has a value that the
 * source's column has: appends a predicate of column/predicate.h that says so, " AND " before it when *out is not
 * empty. A list of values when there are few, else the lowest and the highest. Nothing for types whose text would not
 * compare alike. After skep_merge_source_fill. */
SKEP_NODISCARD skep_status skep_merge_source_limit(const skep_merge_source *source, skep_life *life, uint32_t column,
                                                   const char *name, const skep_type *type, skep_buf *out,
                                                   skep_err *err);

bool skep_merge_source_has(const skep_merge_source *source, const char *column);

#endif
