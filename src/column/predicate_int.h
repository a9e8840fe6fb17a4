/* Shared by the predicate files of this folder, and by orc/sarg.c through column/predicate.h only.
 *
 * Before binding a literal is one of: BYTES (a string), BOOL, I64 (DATE, in days), TS (TIMESTAMP), DECIMAL or F64 (a
 * number; its source text, sign included, is kept in `bytes`, so that binding can read it exactly for any column type).
 */
#ifndef COLUMN_PREDICATE_INT_H
#define COLUMN_PREDICATE_INT_H

#include "column/like.h"
#include "column/predicate.h"

/* Three-valued logic in one byte: AND is the minimum, OR the maximum, NOT is 2 - x. */
enum { PRED_FALSE = 0, PRED_UNKNOWN = 1, PRED_TRUE = 2 };

static inline bool pred_is_leaf(const skep_pred *pred) {
  return pred->op > SKEP_PRED_NOT && pred->op != SKEP_PRED_CONST;
}

/* Words that are no column names unless they are put in back-quotes. */
bool skep_pred_is_reserved(const char *name, size_t length);

/* Orders: negative, 0, positive. Bytes are unsigned. Doubles as Java's Double.compare, but for -0.0 = 0.0: NaN equals
 * NaN and is above everything else (Hive's ObjectInspectorUtils; its vectorised readers compare as IEEE 754 instead).
 */
int skep_pred_compare_bytes(skep_bytes a, skep_bytes b);
int skep_pred_compare_f64(double a, double b);

#endif
