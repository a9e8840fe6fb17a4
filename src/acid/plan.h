/* Planning a scan: paths -> partitions -> layouts -> splits. No database.
 *
 * A path is an ORC file, a table directory, or a partition tree. */
#ifndef ACID_PLAN_H
#define ACID_PLAN_H

#include "acid/layout.h"
#include "acid/split.h"

/* A partition root that somebody knows, a metastore for instance: nothing above it is listed. */
typedef struct skep_plan_root {
  const char *path;
  const char *const *values; /* unescaped texts, one for each of the partition schema's columns; NULL without any */
} skep_plan_root;

typedef struct skep_plan_opts {
  skep_snapshot snapshot;
  skep_hive_version hive;
  const char *schema;           /* Hive type string of the table's columns (struct<...>), or NULL: from the files;
                                   without files there are no columns (and no rows) */
  const char *partition_schema; /* struct<...> of partition columns in order, or NULL: strings, from directory names */
  uint32_t n_partition_filters; /* "k=v": only these partitions (values unescaped, compared as typed values) */
  const char *const *partition_filters;
  uint32_t n_columns; /* projection: paths like "a", "b.c"; 0 = all */
  const char *const *columns;
  const char *predicate; /* text or NULL */
  bool row_ids;          /* SKEP_ERR_ARGUMENT for tables that have none */
  int evolution_by_name; /* 1 by name, 0 by position, -1 as the Hive version does */
  int calendar;          /* skep_calendar of unmarked files, or -1: as the Hive version does */
  bool insert_only;      /* force; otherwise recognised from the files */
  /* Instead of paths (n_paths is 0 then): partition roots (or single files), read in this order. Needs `schema`, and
   * `partition_schema` when there are values. Those that the predicate rules out are not listed; one that is not there
   * has no rows. */
  uint32_t n_roots;
  const skep_plan_root *roots;
  uint64_t split_bytes; /* aim for splits of about this many file bytes; 0 = one stripe or more, 64 MiB */
  /* Not 0: the files are not ORC. None is looked into; those that may_cut (NULL: none) agrees to are cut every so many
   * bytes, and first_stripe and n_stripes of splits count such ranges. Somebody else reads the splits. */
  uint64_t range_bytes;
  bool (*may_cut)(const char *path);
} skep_plan_opts;

/* A report for the user: unknown names, no snapshot given, and the like. */
typedef struct skep_plan_notice {
  const char *path;
  const char *text;
} skep_plan_notice;

typedef struct skep_plan {
  skep_arena arena;
  const skep_type *type;    /* what batches have: [row ids], columns, partition columns */
  const skep_type *columns; /* all table columns, before projection */
  bool is_full_acid, is_v1;
  bool is_transactional; /* some path has base or delta directories: full ACID or insert-only; without a snapshot there
                            is a notice */
  uint32_t n_splits;
  skep_split *splits;
  uint32_t n_notices;
  const skep_plan_notice *notices;
  uint64_t n_files, total_bytes;
} skep_plan;

/* SKEP_ERR_ARGUMENT when several paths have different schemas (says how they differ); SKEP_ERR_UNSUPPORTED for files
 * that are not ORC (says what they look like); SKEP_ERR_NOT_FOUND. */
SKEP_NODISCARD skep_status skep_plan_make(const skep_ctx *ctx, skep_fs *fs, const char *const *paths, uint32_t n_paths,
                                          const skep_plan_opts *opts, skep_plan **out, skep_err *err);
void skep_plan_free(skep_plan *plan); /* accepts NULL */

#endif
