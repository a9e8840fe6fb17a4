/* Predicates over a row: comparisons of columns with literals under AND, OR and NOT, in SQL's three-valued logic.
 *
 * One tree serves three users: exact filtering of batches (here), search arguments that skip stripes and row groups
 * (orc/sarg.h) and partition pruning. A parsed predicate has names and untyped literals; binding resolves the names
 * against a row type and types the literals with Hive's comparison rules, once. */
#ifndef COLUMN_PREDICATE_H
#define COLUMN_PREDICATE_H

#include "column/vec.h"

typedef enum skep_pred_op {
  SKEP_PRED_AND,     /* 1.. children */
  SKEP_PRED_OR,      /* 1.. children */
  SKEP_PRED_NOT,     /* 1 child */
  SKEP_PRED_EQ,      /* = */
  SKEP_PRED_NULL_EQ, /* <=> */
  SKEP_PRED_LT,
  SKEP_PRED_LE,
  SKEP_PRED_GT, /* <> is NOT EQ */
  SKEP_PRED_GE,
  SKEP_PRED_BETWEEN, /* 2 literals, inclusive */
  SKEP_PRED_IN,      /* 1.. literals */
  SKEP_PRED_LIKE,    /* 1 literal; % and _, backslash escapes */
  SKEP_PRED_IS_NULL,
  SKEP_PRED_CONST /* TRUE, FALSE or NULL (after binding also for comparisons that can have one answer only) */
} skep_pred_op;

typedef enum skep_truth { SKEP_FALSE, SKEP_TRUE, SKEP_UNKNOWN } skep_truth;

/* A literal after binding: comparable with the column without conversion. Which member holds depends on the column's
 * kind: i64 (boolean, integers, date days, timestamps use ts), f64 (float, double), decimal at `scale`, bytes. */
typedef struct skep_literal {
  bool is_null;
  enum { SKEP_LIT_I64, SKEP_LIT_F64, SKEP_LIT_DECIMAL, SKEP_LIT_BYTES, SKEP_LIT_TS, SKEP_LIT_BOOL } kind;
  int64_t i64;
  double f64;
  skep_i128 decimal;
  unsigned scale;
  skep_bytes bytes;
  skep_ts ts;
} skep_literal;

typedef struct skep_pred skep_pred;
struct skep_pred {
  skep_pred_op op;
  skep_truth constant; /* SKEP_PRED_CONST */
  uint32_t n_children;
  const skep_pred *const *children;
  /* Leaves: the column as a path of field names; after binding also of child indexes below the root type. */
  uint32_t path_length;
  const char *const *names;
  const uint32_t *path;  /* NULL before binding */
  const skep_type *type; /* the column's type; NULL before binding */
  uint32_t n_literals;
  const skep_literal *literals;
  size_t position; /* byte offset in the parsed text, for messages */
};

/* Parses "a = 1 AND b.c LIKE 'x%' OR NOT (d BETWEEN 1 AND 2)". Names may be back-quoted; literals: numbers, 'text' or
 * "text" with Hive's escapes, DATE '...', TIMESTAMP '...', TRUE, FALSE, NULL. Column on the left or right of a
 * comparison. Errors name the byte position and what was expected. Depth is bounded by ctx->limits.max_type_depth. */
SKEP_NODISCARD skep_status skep_pred_parse(skep_arena *arena, const char *text, size_t length, const skep_pred **out,
                                           skep_err *err);

/* Resolves names (case-insensitive, as Hive) and types literals against a row type (a struct). SKEP_ERR_ARGUMENT names
 * the unknown column or the literal that cannot be compared. `root` is borrowed by the result. */
SKEP_NODISCARD skep_status skep_pred_bind(skep_arena *arena, const skep_pred *pred, const skep_type *root,
                                          const skep_pred **out, skep_err *err);

/* Appends a text that parses back to the same predicate. */
void skep_pred_print(const skep_pred *pred, skep_buf *out);

/* Marks in `wanted` (root->max_id + 1 flags) the ids of the leaf columns that a bound predicate reads. */
void skep_pred_columns(const skep_pred *bound, bool *wanted);

/* Rows of `root` (the bound root type) for which a bound predicate is TRUE, as ascending positions; rows has room for
 * root->length. Vectors may be in any form. */
SKEP_NODISCARD skep_status skep_pred_filter(const skep_ctx *ctx, const skep_pred *bound, const skep_vec *root,
                                            int32_t *rows, int64_t *n_rows, skep_err *err);

#endif
