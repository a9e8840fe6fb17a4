/* Results: how rows leave a session. A result is a method table and an instance, as a source is. */
#ifndef SQL_RESULT_H
#define SQL_RESULT_H

#include "sql/session_int.h"

typedef struct skep_result_vtab {
  skep_status (*next)(skep_result *result, const skep_batch **out, skep_err *err);
  void (*destroy)(skep_result *result);
} skep_result_vtab;

struct skep_result {
  const skep_result_vtab *vt;
  const skep_type *type; /* struct: names and types */
  bool runs;             /* its rows are still being made: the statement runs until they end */
  skep_status ended;     /* SKEP_OK while there may be more; kept here so that it is sticky */
  skep_err failure;      /* when ended is an error */
};

#endif
