/* Which side of a UNION ALL a row comes from. Hive writes the sides apart where no shuffle lies between the union and
 * the file: under INSERT and MERGE each gets a statement id of its own (observed, golden 05, 20, 31-unions). */
#ifndef SQL_UNION_WAYS_H
#define SQL_UNION_WAYS_H

#include <stdbool.h>

#include "base/err.h"
#include "hiveql/ast_query.h"

/* The column of the side's number. No statement can write the name: it holds a blank. */
#define SKEP_UNION_WAY "union way"

/* *out: the query with the number of the side, from 0, as first column, *n: how many there are. The query itself and 1
 * when it is no UNION ALL, perhaps under a plain SELECT, that Hive splits. Sides without FROM count as one, the last,
 * where there are several; one with WHERE FALSE does not count. */
SKEP_NODISCARD skep_status skep_union_ways(skep_arena *arena, const skep_query *query, const skep_query **out,
                                           uint32_t *n, skep_err *err);

/* ORDER, SORT, CLUSTER, DISTRIBUTE BY or LIMIT. */
bool skep_query_has_tail(const skep_query *query);

#endif
