/* The two halves of skep inspect. */
#ifndef CLI_INSPECT_H
#define CLI_INSPECT_H

#include "acid/snapshot.h"
#include "cli/cli.h"
#include "cli/report.h"

typedef struct skep_inspect_opts {
  bool json;
  bool verbose;         /* row indexes of all columns, stripe statistics */
  uint32_t n_row_index; /* columns whose row index and bloom filters are shown: ids or names */
  const char *const *row_index;
  skep_snapshot snapshot;
  skep_hive_version hive;
  bool insert_only;
} skep_inspect_opts;

SKEP_NODISCARD skep_status skep_inspect_file(const skep_cli_env *env, const char *path, uint64_t size_bytes,
                                             const skep_inspect_opts *opts, skep_report *report, skep_err *err);

/* Text goes to `out` as a table; JSON through the report. */
SKEP_NODISCARD skep_status skep_inspect_dir(const skep_cli_env *env, const char *path, const skep_inspect_opts *opts,
                                            skep_cli_output *out, skep_err *err);

#endif
