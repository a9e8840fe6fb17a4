/* INSERT as steps that CREATE TABLE ... AS uses too: rows of one bound query into one target. */
#ifndef SQL_INSERT_H
#define SQL_INSERT_H

#include "sql/tasks.h"

typedef struct skep_insert_job {
  skep_target target;
  bool overwrite;
  bool if_not_exists;
  uint32_t n_ways; /* branches: 1, or one for each side of a UNION ALL (output 0 of the query says which, from 0) */
  const skep_query *query; /* what was bound, columns in place */
  skep_bound_query *bound;
  const uint64_t *ids;
  bool with_file; /* output 0 is INPUT__FILE__NAME: rows go to the writers of `tasks` */
  skep_tasks tasks;
} skep_insert_job;

/* Binds: job->target and the flags are set. */
SKEP_NODISCARD skep_status skep_insert_bind(skep_insert_job *job, skep_life *life, const skep_query *query,
                                            const skep_name_list *columns, skep_err *err);
/* After skep_life_enter and skep_life_sources: opens the branches, runs, writes. */
SKEP_NODISCARD skep_status skep_insert_write(skep_insert_job *job, skep_life *life, skep_err *err);

/* All of an INSERT between skep_life_open and skep_life_commit. */
SKEP_NODISCARD skep_status skep_insert_into(skep_life *life, const skep_insert *insert, skep_err *err);

#endif
