/* Values of columns as bytes that sort as ORDER BY sorts them (memcmp): for sorting rows of any type. Inside compact
 * only.
 */
#ifndef COMPACT_ORDER_KEY_H
#define COMPACT_ORDER_KEY_H

#include "column/vec.h"
#include "compact/run.h"

/* SKEP_ERR_ARGUMENT names a column that rows cannot be ordered by. */
SKEP_NODISCARD skep_status skep_order_check(const skep_type *row, const skep_compact_order *order, uint32_t n,
                                            skep_err *err);
/* Appends the key of entry i; columns: the children of `row` as vectors, in any forms. No key is the beginning of
 * another. Failures stay in `out`. */
void skep_order_key(const skep_vec *columns, const skep_compact_order *order, uint32_t n, int64_t i, skep_buf *out);

#endif
