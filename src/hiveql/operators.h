/* Operators: how tightly each binds and how it is written. The one table of them, for the parser and for the printer.
 * Source: hiveql.md 1.5, the grammar of Hive 4. */
#ifndef HIVEQL_OPERATORS_H
#define HIVEQL_OPERATORS_H

#include "hiveql/ast.h"

/* Lowest first. */
typedef enum skep_level {
  SKEP_LEVEL_NONE, /* no operator */
  SKEP_LEVEL_OR,
  SKEP_LEVEL_AND,
  SKEP_LEVEL_NOT,
  SKEP_LEVEL_IS,
  SKEP_LEVEL_EQUAL,
  SKEP_LEVEL_SIMILAR,
  SKEP_LEVEL_BIT_OR,
  SKEP_LEVEL_BIT_AND,
  SKEP_LEVEL_CONCAT,
  SKEP_LEVEL_ADD,
  SKEP_LEVEL_MULTIPLY,
  SKEP_LEVEL_XOR,
  SKEP_LEVEL_UNARY,
  SKEP_LEVEL_POSTFIX,
} skep_level;

typedef struct skep_operator {
  skep_level level;
  const char *text;
} skep_operator;

extern const skep_operator skep_operators[SKEP_OP_BINARY_COUNT];

#endif
