/* Tree to text: HiveQL that parses back to an equal tree (positions aside). For tests, views, messages, EXPLAIN AST.
 *
 * Names are back-quoted where they must be, operands in parentheses where precedence asks for them. Failures (memory)
 * stay in the buffer: ask skep_buf_check. */
#ifndef HIVEQL_PRINT_AST_H
#define HIVEQL_PRINT_AST_H

#include "hiveql/ast.h"

void skep_print_expr(const skep_expr *expr, skep_buf *out);
void skep_print_query(const skep_query *query, skep_buf *out);
void skep_print_statement(const skep_statement *statement, skep_buf *out);

#endif
