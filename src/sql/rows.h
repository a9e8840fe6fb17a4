/* Rows of the engine on their way into branches: columns picked, rows routed, constraints enforced. */
#ifndef SQL_ROWS_H
#define SQL_ROWS_H

#include "sql/target.h"

/* Some columns of a batch as a batch of its own, without copying. */
typedef struct skep_rows_view {
  skep_batch batch;
  const skep_type *type;
  uint32_t *columns; /* positions in the batch that is viewed */
} skep_rows_view;

/* Columns `lists` one after the other: first[i], count[i]. The view lives in the arena. */
SKEP_NODISCARD skep_status skep_rows_view_init(skep_rows_view *view, skep_life *life, const skep_type *rows,
                                               const uint32_t *columns, uint32_t n_columns, skep_err *err);
/* Borrowed until the batch changes. */
const skep_batch *skep_rows_view_of(skep_rows_view *view, const skep_batch *batch);

/* Rows of a batch that go one way: their positions, and a copy of them where not all rows do. */
typedef struct skep_rows_route {
  skep_batch rows;
  bool is_open; /* rows was initialised */
  int32_t *chosen;
  int64_t n_chosen;
  size_t capacity;
} skep_rows_route;

void skep_rows_route_fini(skep_rows_route *route, skep_life *life);
/* Room to choose among n rows; forgets the former choice. */
SKEP_NODISCARD skep_status skep_rows_route_start(skep_rows_route *route, skep_life *life, int64_t n, skep_err *err);
static inline void skep_rows_route_add(skep_rows_route *route, int64_t row) {
  route->chosen[route->n_chosen++] = (int32_t)row;
}
/* The chosen rows of `batch`: itself when all are, else a copy that lives until the next call. */
SKEP_NODISCARD skep_status skep_rows_route_take(skep_rows_route *route, skep_life *life, const skep_batch *batch,
                                                const skep_batch **out, skep_err *err);

/* NOT NULL of the row image that begins at column `first`, and the check columns from `first_check` on:
 * SKEP_ERR_RUNTIME with Hive's text. */
SKEP_NODISCARD skep_status skep_rows_enforce(const skep_target *target, const skep_batch *batch, uint32_t first,
                                             uint32_t first_check, skep_err *err);

#endif
