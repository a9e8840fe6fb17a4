/* Writer ids as Hive's tasks would have them: a statement that copies rows of a large table without shuffling them
 * writes one file for each task that reads. See table/scan.h. */
#ifndef SQL_TASKS_H
#define SQL_TASKS_H

#include "sql/rows.h"
#include "table/scan.h"

typedef struct skep_tasks {
  const skep_table_task *items; /* by file */
  uint32_t n, n_tasks;          /* n_tasks 1: all rows go to writer 0 */
  skep_rows_route route;
} skep_tasks;

/* Of the source of one table reference. Ends with skep_tasks_fini. */
SKEP_NODISCARD skep_status skep_tasks_find(skep_tasks *tasks, skep_life *life, uint64_t source, skep_err *err);
void skep_tasks_fini(skep_tasks *tasks, skep_life *life);

/* Writes the columns that `view` picks of a batch whose column `file` is INPUT__FILE__NAME. */
SKEP_NODISCARD skep_status skep_tasks_write(skep_tasks *tasks, skep_life *life, skep_table_write *write,
                                            skep_rows_view *view, const skep_batch *batch, uint32_t file,
                                            skep_err *err);

#endif
