/* Hive's functions as data: one table says for each what it takes, what it gives and how it is printed.
 *
 * To add one: a row in functions.c (and, when DuckDB has nothing with just these semantics, a registered skep_x in
 * src/engine). Only what no letter expresses needs a special rule in bind_call.c. */
#ifndef BIND_FUNCTIONS_H
#define BIND_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum skep_fn_kind { SKEP_FN_SCALAR, SKEP_FN_AGGREGATE, SKEP_FN_WINDOW, SKEP_FN_TABLE } skep_fn_kind;

/* Rules that letters do not express; see bind_call.c. */
typedef enum skep_fn_rule {
  SKEP_FR_PLAIN,
  SKEP_FR_OPERATOR, /* made by the binder only: no name a user can call */
  SKEP_FR_IF,
  SKEP_FR_COALESCE,
  SKEP_FR_NULLIF,
  SKEP_FR_IS_NULL,
  SKEP_FR_GREATEST,
  SKEP_FR_CONCAT,
  SKEP_FR_CONCAT_WS,
  SKEP_FR_ARRAY,
  SKEP_FR_MAP,
  SKEP_FR_STRUCT,
  SKEP_FR_NAMED_STRUCT,
  SKEP_FR_UNION,
  SKEP_FR_SIZE,
  SKEP_FR_HASH,
  SKEP_FR_ROUND,
  SKEP_FR_FLOOR,
  SKEP_FR_TRUNC,
  SKEP_FR_ABS,
  SKEP_FR_SIGN,
  SKEP_FR_NEGATIVE,
  SKEP_FR_ARITH,
  SKEP_FR_BITS,
  SKEP_FR_SHIFT,
  SKEP_FR_ARRAY_SAME,    /* array -> the same array type; further arguments: arrays of it or elements */
  SKEP_FR_ARRAY_ELEMENT, /* array -> its element */
  SKEP_FR_ARRAY_CONTAINS,
  SKEP_FR_MAP_KEYS,
  SKEP_FR_MAP_VALUES,
  SKEP_FR_INDEX,
  SKEP_FR_ELT,
  SKEP_FR_FIELD,
  SKEP_FR_TYPEOF,
  SKEP_FR_CAST,     /* int('7'), bigint(x): `result` is the target's letter */
  SKEP_FR_CONSTANT, /* current_date, current_user, ...: folded by the binder */
  SKEP_FR_FLOOR_UNIT,
  SKEP_FR_EXTRACT,
  SKEP_FR_LENGTH,
  SKEP_FR_HEX,
  SKEP_FR_CASE_TEXT, /* upper, lower: CHAR and VARCHAR keep their type */
  SKEP_FR_DATE_FROM, /* to_date, date */
  SKEP_FR_UNIX_TIMESTAMP,
  SKEP_FR_LOG,
  SKEP_FR_ADD_MONTHS,
  SKEP_FR_SHA2,
  SKEP_FR_CHARSET,
  SKEP_FR_PRINTF,
  SKEP_FR_RAND,
  SKEP_FR_GROUPING,
  SKEP_FR_COUNT,
  SKEP_FR_SUM,
  SKEP_FR_AVG,
  SKEP_FR_MIN_MAX,
  SKEP_FR_COLLECT,
  SKEP_FR_PERCENTILE,
  SKEP_FR_APPROX,
  SKEP_FR_VALUE, /* window functions with the type of their argument: lag, lead, first_value, .. */
  SKEP_FR_EXPLODE,
  SKEP_FR_POSEXPLODE,
  SKEP_FR_INLINE,
  SKEP_FR_STACK,
  SKEP_FR_JSON_TUPLE
} skep_fn_rule;

/* Letters of `params` (one an argument, the last one repeats) and `result`:
 *   s string (any primitive converts)    S string kinds only, no NULL literal    x string kinds or binary
 *   i int (integers; constants that fit) l bigint   d double (numbers, strings)  n number, unchanged (strings: double)
 *   D date   T timestamp (from string, date)   b boolean   y binary   a anything, unchanged
 * result also: 0..9 the type of that argument.
 *
 * `sql` is the printed form: $1 .. $9 an argument, $* all with commas; [..$3..] is printed when the call has that
 * argument. Aggregates: `post` wraps the call (after OVER): $0 is it. */
typedef struct skep_function {
  const char *name;
  skep_fn_kind kind;
  skep_fn_rule rule;
  uint8_t min_args, max_args; /* 255: any number */
  const char *params;
  char result;
  const char *sql;
  const char *post;
} skep_function;

const skep_function *skep_function_list(size_t *n);            /* all of them, in no order */
const skep_function *skep_function_find(const char *name);     /* lower case; NULL: no such function */
bool skep_function_is_missing(const char *name);               /* Hive has it, we do not yet */
const skep_function *skep_function_operator(const char *name); /* of the binder's own: never NULL for a known name */

#endif
