/* Checking a partition root: whether what is there is what Hive's rules say, file by file and row id by row id.
 *
 * A finding is told through a callback as soon as it is known; nothing is changed. What a repair may do without asking
 * anybody is marked: leftovers that no snapshot will ever see, and side files that readers can do without.
 *
 * Source: acid-format facts 11.2 (invariants a verifier can test), 1 to 4. */
#ifndef ACID_CHECK_H
#define ACID_CHECK_H

#include "acid/layout.h"
#include "column/type.h"

typedef enum skep_check_level {
  SKEP_CHECK_NOTE,    /* as it may be: what waits for a cleaner, what is being written */
  SKEP_CHECK_WARNING, /* readers manage, but no writer of ours or Hive's leaves it so */
  SKEP_CHECK_ERROR    /* rows are lost, wrong or unreadable, or may become so */
} skep_check_level;
const char *skep_check_level_name(skep_check_level level); /* "note", "warning", "error" */

typedef enum skep_check_repair {
  SKEP_REPAIR_NONE,
  SKEP_REPAIR_REMOVE,      /* remove `path`, with all below it */
  SKEP_REPAIR_ADD_VERSION, /* write _orc_acid_version into the directory `path` */
  SKEP_REPAIR_MSCK         /* MSCK REPAIR TABLE (metastore and directories differ) */
} skep_check_repair;

typedef struct skep_check_finding {
  skep_check_level level;
  const char *code; /* a short word for programs: "order", "duplicate", ... */
  const char *path; /* as the file system wants it */
  const char *text; /* in words; untrusted bytes are quoted */
  skep_check_repair repair;
  uint64_t bytes; /* that the path holds, where it is a leftover; else 0 */
} skep_check_finding;

/* A status other than SKEP_OK ends the check and is passed on. */
typedef skep_status skep_check_report(void *self, const skep_check_finding *finding, skep_err *err);

typedef enum skep_check_table { SKEP_CHECK_PLAIN, SKEP_CHECK_FULL_ACID, SKEP_CHECK_INSERT_ONLY } skep_check_table;

typedef struct skep_check_opts {
  const skep_snapshot *snapshot; /* what is committed; `everything` where nobody knows */
  skep_check_table table;
  bool is_orc;                   /* else files are not looked into */
  bool maybe_other;              /* files that do not begin as ORC are passed over: nobody knows the format */
  const char *schema;            /* Hive type string of the columns, or NULL: from the files */
  uint32_t n_buckets;            /* CLUSTERED BY .. INTO n BUCKETS; 0: not bucketed */
  bool quick;                    /* names, side files and tails; no rows */
  const char *spill_dir;         /* for row ids beyond max_bytes; NULL: all in memory */
  uint64_t max_bytes;            /* for row ids; 0: 512 MiB */
  bool (*cancelled)(void *self); /* asked now and then; or NULL */
  void *cancelled_self;
  skep_check_report *report;
  void *self;
} skep_check_opts;

/* Added to by each call: start from zero. */
typedef struct skep_check_totals {
  uint64_t n_errors, n_warnings, n_notes;
  uint64_t n_dirs, n_files, n_rows, n_deletes; /* used ones; data rows before deletes, delete events */
  uint64_t n_other;                            /* files of another format */
  uint64_t used_bytes, obsolete_bytes, leftover_bytes;
  int64_t max_write_id; /* in any directory's name */
} skep_check_totals;

/* A finding of the caller's own, counted with the others. */
SKEP_NODISCARD skep_status skep_check_tell(const skep_check_opts *opts, skep_check_totals *totals,
                                           const skep_check_finding *finding, skep_err *err);

/* Checks one partition root (or a table without partitions). Damaged files are findings, no failures;
 * SKEP_ERR_NOT_FOUND when there is no such directory, SKEP_ERR_CANCELLED, SKEP_ERR_NOMEM, SKEP_ERR_IO. */
SKEP_NODISCARD skep_status skep_check_root(const skep_ctx *ctx, skep_fs *fs, const char *root,
                                           const skep_check_opts *opts, skep_check_totals *totals, skep_err *err);

#endif
