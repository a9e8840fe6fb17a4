/* What the files of the tree printer share. */
#ifndef HIVEQL_PRINT_AST_INT_H
#define HIVEQL_PRINT_AST_INT_H

#include "hiveql/print_ast.h"

void skep_ast_print_name(const char *name, skep_buf *out);      /* back-quoted where it must be */
void skep_ast_print_names(skep_name_list names, skep_buf *out); /* a, b */
void skep_ast_print_table_name(const skep_table_name *name, skep_buf *out);
void skep_ast_print_string(const char *bytes, size_t length, skep_buf *out); /* '...' */
void skep_ast_print_text(const char *text, skep_buf *out);
void skep_ast_print_exprs(skep_expr_list list, skep_buf *out);
void skep_ast_print_order(skep_order_list list, skep_buf *out);
void skep_ast_print_from(const skep_from *from, skep_buf *out);
void skep_ast_print_properties(skep_ast_property_list list, skep_buf *out); /* ('k'='v', ...) */
void skep_ast_print_window(const skep_window *window, skep_buf *out);       /* '(' ... ')' */
void skep_ast_print_ctes(const skep_query *query, skep_buf *out);           /* WITH ..., a blank behind */
void skep_ast_print_query_tail(const skep_query *query, skep_buf *out);
void skep_ast_print_branch(const skep_query *query, skep_buf *out); /* of a multi-insert: without WITH and FROM */
void skep_ast_print_type(const skep_type *type, skep_buf *out);

#endif
