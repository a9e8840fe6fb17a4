/* The parts of planning, for this layer only: what a plan is made from while it is made.
 *
 * plan_tree.c walks paths to partition roots (units), plan_file.c looks into files, plan_type.c settles the columns,
 * plan_split.c cuts units into splits with the delete files that plan_deletes.c finds for them, plan.c is the door. */
#ifndef ACID_PLAN_INT_H
#define ACID_PLAN_INT_H

#include "acid/plan.h"
#include "column/predicate.h"

/* A partition root, or a single file. */
typedef struct skep_plan_unit {
  uint32_t path_index; /* of the path it was found below */
  const char *root;    /* directory, or the file itself */
  skep_layout *layout; /* owned; NULL: a file */
  uint64_t size_bytes; /* a file's */
  const char **values; /* of the table's partition columns, as in skep_split.partition_values */
} skep_plan_unit;

typedef struct skep_planner {
  const skep_ctx *ctx;
  skep_fs *fs;
  const skep_plan_opts *opts;
  const char *const *paths;
  uint32_t n_paths;
  skep_plan *plan;
  skep_arena *arena;          /* the plan's */
  const skep_pred *predicate; /* parsed, unbound; or NULL */

  skep_plan_unit *units;
  size_t n_units, units_capacity;
  uint64_t n_walked; /* partition directories, of all levels and paths */
  skep_plan_notice *notices;
  size_t n_notices, notices_capacity;
  size_t n_unknown_names; /* those of the notices that tell of names not understood: the first ones */
  skep_split *splits;
  size_t n_splits, splits_capacity;
  uint32_t n_delete_sets;

  /* Partition columns: from the options, or strings named by the directories above the first unit. NULL: none known
   * yet. */
  const skep_type *partitions;
  bool only_types;     /* a second walk, past filters and snapshot, that ends at the first unit with a data file */
  bool is_acid;        /* rows have row ids: full ACID */
  bool has_no_columns; /* no schema is given and no file has one: there are no rows */
  const skep_type *table, *columns;
  skep_split common; /* what all splits share */
} skep_planner;

/* "a/b" in the plan's arena; an empty part adds nothing. NULL when memory is out. */
const char *skep_plan_join(skep_planner *p, const char *a, const char *b);
/* `path` is copied and quoted for messages. */
SKEP_NODISCARD skep_status skep_plan_notify(skep_planner *p, const char *path, const char *text, skep_err *err);
/* For struct{T *items; size_t n, capacity}: room for one more. */
SKEP_NODISCARD skep_status skep_plan_no_memory(skep_err *err);

/* ---- plan_file.c ---- */

/* The tail of a data file. SKEP_ERR_UNSUPPORTED names the format a file that is not ORC seems to have. The caller
 * unrefs it. */
SKEP_NODISCARD skep_status skep_plan_tail(skep_planner *p, const char *path, uint64_t length, skep_orc_tail **out,
                                          skep_err *err);

/* What the statistics of an event file say about where it comes from. */
typedef struct skep_plan_events {
  bool is_empty;   /* no events */
  bool is_coded;   /* written by Hive 3 or later: all bucket properties are coded, or the footer says so */
  bool may_change; /* updates or deletes among its events, or the statistics do not say */
  int32_t writer_min, writer_max; /* writer ids in its bucket properties; everything when the statistics do not say */
} skep_plan_events;
SKEP_NODISCARD skep_status skep_plan_events_read(skep_planner *p, const char *path, uint64_t length,
                                                 skep_plan_events *out, skep_err *err);

/* ---- plan_tree.c ---- */

/* Fills units, partitions and notices. */
SKEP_NODISCARD skep_status skep_plan_walk(skep_planner *p, skep_err *err);

/* Adds units until one has a data file, whatever filters, predicate and snapshot say: for their types only. */
SKEP_NODISCARD skep_status skep_plan_walk_for_types(skep_planner *p, skep_err *err);

/* ---- plan_type.c ---- */

/* Settles table, columns, predicate, the plan's types and `common`, from options and files. */
SKEP_NODISCARD skep_status skep_plan_types(skep_planner *p, skep_err *err);

/* ---- plan_deletes.c ---- */

/* Delete files that the rows of one writer id (bucket number) can meet. */
typedef struct skep_plan_delete_group {
  int64_t bucket;
  bool is_made;
  const skep_split_file *files; /* in the plan's arena */
  uint32_t n_files;
  uint32_t set; /* skep_split.delete_set */
  int64_t max_write_id;
} skep_plan_delete_group;

typedef struct skep_plan_delete_file {
  skep_split_file file;
  int32_t writer_min, writer_max; /* of its events */
} skep_plan_delete_file;

/* The delete files of one partition root. Zero-initialise. */
typedef struct skep_plan_deletes {
  skep_planner *p;
  const char *root;
  skep_plan_delete_file *files;
  size_t n_files, files_capacity;
  bool by_writer; /* events of a file were found to have its bucket number: groups hold what their bucket needs */
  skep_plan_delete_group *groups; /* by bucket, ascending; one for all when not by_writer */
  size_t n_groups;
} skep_plan_deletes;

SKEP_NODISCARD skep_status skep_plan_deletes_add(skep_plan_deletes *d, const skep_split_file *file, skep_err *err);
/* After the last add: makes the groups. buckets: of the data files, ascending, without repetition. */
SKEP_NODISCARD skep_status skep_plan_deletes_group(skep_plan_deletes *d, const int64_t *buckets, size_t n,
                                                   skep_err *err);
/* Sets the delete files of a split with rows of this bucket and write ids from min_write_id on. */
SKEP_NODISCARD skep_status skep_plan_deletes_set(skep_plan_deletes *d, int64_t bucket, int64_t min_write_id,
                                                 skep_split *split, skep_err *err);
void skep_plan_deletes_fini(skep_plan_deletes *d);

/* ---- plan_split.c ---- */

SKEP_NODISCARD skep_status skep_plan_cut(skep_planner *p, const skep_plan_unit *unit, skep_err *err);

#endif
