/* The printer's inside: shared by print_duckdb.c (queries), print_expr.c (expressions), print_cast.c (conversions). */
#ifndef BIND_PRINT_INT_H
#define BIND_PRINT_INT_H

#include "bind/bind.h"
#include "bind/functions.h"
#include "bind/type_rules.h"
#include "engine/engine.h"

typedef struct printer {
  skep_buf *out;
  const uint64_t *source_ids;
  const skep_bound_table *tables;
  const char *prefix;  /* of one expression's columns; NULL in queries */
  uint32_t *absorbed;  /* by relation id: the lateral relation + 1 that now carries its columns; NULL: none */
  uint32_t n_absorbed; /* length of absorbed */
  bool bare_integers;  /* in VALUES: INT constants need no CAST, nothing there is an ordinal */
  uint32_t lambdas;    /* names of lambda variables in use */
  uint64_t n_nodes;    /* printed so far: bounded */
  skep_status status;  /* sticky */
  skep_err *err;
} printer;

/* What a conversion is applied to: an expression, a lambda's variable, or a part of another operand. */
typedef struct operand {
  const skep_bx *bx;
  uint32_t variable; /* 1..; 0: not one */
  const struct operand *parent;
  uint32_t field; /* struct_extract_at(parent, field), from 1 */
} operand;

void skep_print_bx(printer *p, const skep_bx *bx);
void skep_print_list(printer *p, skep_bx *const *list, uint32_t n);
void skep_print_bq(printer *p, const skep_bq *q);
void skep_print_cast(printer *p, const operand *from, const skep_type *from_type, const skep_type *to);
void skep_print_carrier(const skep_type *type, skep_buf *out);
void skep_print_order(printer *p, const skep_border *order, uint32_t n, bool raw);
/* A key of sorting: wrapped where DuckDB's own order of the carrier is not Hive's. */
bool skep_print_needs_sort_key(const skep_type *type);
void skep_print_sort_key(printer *p, const skep_bx *bx);
void skep_print_refuse(printer *p, const char *what);

#endif
