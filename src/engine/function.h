/* Functions that SQL may call, for this folder only: how one is written and made known.
 *
 * A functions_*.c file holds bodies and one table of skep_function (skep_aggregate); function.c knows the tables. A
 * body works on a chunk: typed arrays in, a typed array out. Rows with a NULL argument are NULL already unless the
 * function asks for them; a body may compute fixed-width values for them all the same, since nobody looks.
 *
 * Types in `args` and `result`, a letter each:
 *   b BOOLEAN, t TINYINT, s SMALLINT, i INTEGER, l BIGINT, h HUGEINT, f FLOAT, d DOUBLE, D DATE, v VARCHAR, x BLOB,
 *   V LIST(VARCHAR), * any type (args; the body looks at it), . any number of further arguments of any type (args,
 * last), n DECIMAL(p,s) with p and s from the name: skep_decimal_add_12_3 (result; the table has the name without them)
 */
#ifndef ENGINE_FUNCTION_H
#define ENGINE_FUNCTION_H

#include "base/buf.h"
#include "engine/engine_int.h"

enum { SKEP_CALL_ARGS = 8 };

typedef struct skep_function skep_function;

/* One chunk of calls. */
typedef struct skep_call {
  const skep_ctx *ctx;
  const skep_function *function;
  unsigned precision, scale; /* of the result: 'n' */
  int64_t n;                 /* rows */
  uint32_t n_args;
  duckdb_vector args[SKEP_CALL_ARGS]; /* the first ones */
  const void *data[SKEP_CALL_ARGS];
  const uint64_t *valid[SKEP_CALL_ARGS]; /* NULL: no NULLs */
  duckdb_data_chunk chunk;
  duckdb_vector out;
  void *out_data;
  uint64_t *out_valid; /* NULL: none is NULL so far */
  skep_buf *text;      /* for making a string in; reset it */
} skep_call;

typedef skep_status skep_function_body(skep_call *call, skep_err *err);

struct skep_function {
  const char *name;
  const char *args;
  char result;
  skep_function_body *body; /* NULL: a macro */
  bool sees_nulls;          /* the body deals with NULL arguments itself */
  bool is_volatile;         /* not the same for the same arguments */
  const char *macro;        /* "(a, b) AS expression": all before it but name is ignored */
  const void *extra;        /* for bodies that serve several functions */
};

/* An aggregate: one name, one overload. States are plain memory, zeroed at first; DuckDB calls back with its own types,
 * arguments flat (NULLs among them), and _registered says what the name says. Works in windows too, where states are
 * combined along a tree. */
typedef struct skep_aggregate {
  const char *name;
  const char *args; /* '*' too */
  char result;
  uint32_t state_bytes;
  duckdb_aggregate_update_t update;
  duckdb_aggregate_combine_t combine;
  duckdb_aggregate_finalize_t finalize;
} skep_aggregate;

/* What DuckDB keeps beside a function and hands back with every call. */
typedef struct skep_registered {
  const skep_ctx *ctx;
  const skep_function *function;
  const skep_aggregate *aggregate;
  unsigned precision, scale; /* of an 'n' */
  uint64_t mark;             /* the engine's */
} skep_registered;

/* Tables end with a name of NULL. */
extern const skep_aggregate skep_functions_aggregate[];
extern const skep_function skep_functions_number[], skep_functions_decimal[], skep_functions_string[],
    skep_functions_text[], skep_functions_time[], skep_functions_hash[], skep_functions_any[], skep_functions_math[],
    skep_functions_web[], skep_functions_format[], skep_functions_sha2[];

static inline bool skep_arg_valid(const skep_call *c, uint32_t arg, int64_t i) {
  return c->valid[arg] == NULL || (c->valid[arg][i / 64] >> (i % 64) & 1) != 0;
}
/* Is the result of a row to be made? */
static inline bool skep_row_valid(const skep_call *c, int64_t i) {
  return c->out_valid == NULL || (c->out_valid[i / 64] >> (i % 64) & 1) != 0;
}
void skep_call_set_null(skep_call *call, int64_t i);

/* Entry i of an 'n': the width goes by the precision, which the value fits. */
static inline void skep_store_decimal(void *data, uint64_t i, unsigned precision, skep_i128 value) {
  if (precision <= 4) {
    ((int16_t *)data)[i] = (int16_t)value;
  } else if (precision <= 9) {
    ((int32_t *)data)[i] = (int32_t)value;
  } else if (precision <= 18) {
    ((int64_t *)data)[i] = (int64_t)value;
  } else {
    ((skep_huge *)data)[i] = value;
  }
}

/* The bytes of a VARCHAR or BLOB argument. */
static inline skep_bytes skep_arg_bytes(const skep_call *c, uint32_t arg, int64_t i) {
  const skep_view *view = (const skep_view *)c->data[arg] + i;
  size_t n = view->inlined.length;
  return skep_bytes_of(n <= sizeof view->inlined.bytes ? (const void *)view->inlined.bytes : view->far.at, n);
}
void skep_call_put_bytes(skep_call *call, int64_t i, const void *bytes, size_t length);
/* What was appended to call->text becomes the result. */
SKEP_NODISCARD skep_status skep_call_put_text(skep_call *call, int64_t i, skep_err *err);

#endif
