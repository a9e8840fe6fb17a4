/* Between bind_call.c and bind_aggregate.c: one call, and what its rules share. */
#ifndef BIND_BIND_CALL_INT_H
#define BIND_BIND_CALL_INT_H

#include "bind/bind_int.h"

/* One call being bound. */
typedef struct call_state {
  binding *b;
  scope *s;
  const skep_expr *expr;
  const skep_call *call;
  const skep_function *fn;
  skep_bx *bx; /* the node; its args are bound and not yet converted */
} call_state;

/* 10014 at an argument, or at the call where it has no such one. */
skep_status skep_call_wrong(call_state *c, uint32_t arg, const char *what);
skep_status skep_call_wrong_type(call_state *c, uint32_t arg, const char *wanted);
/* An argument becomes one of a type, or of what a letter of functions.h says. */
skep_status skep_call_convert(call_state *c, uint32_t arg, const skep_type *to);
skep_status skep_call_convert_letter(call_state *c, uint32_t arg, char letter);
/* All by the letters: a function without a rule. */
skep_status skep_call_plain(call_state *c);

/* The rules of aggregates, and of window functions with the type of their argument. */
skep_status skep_call_aggregate(call_state *c);

#endif
