/* All files and directories below a path, sorted: for commands that look at what is there, not at what a snapshot uses.
 */
#ifndef CLI_TREE_H
#define CLI_TREE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "io/fs.h"

typedef struct skep_cli_tree_entry {
  const char *path; /* below the root, "a/b" */
  skep_entry_kind kind;
  uint64_t size_bytes;
} skep_cli_tree_entry;

typedef struct skep_cli_tree {
  size_t n;
  skep_cli_tree_entry *entries; /* bytewise by path */
} skep_cli_tree;

/* Lives in the arena. SKEP_ERR_LIMIT beyond ctx->limits.max_dir_entries names or 64 levels. */
SKEP_NODISCARD skep_status skep_cli_tree_read(skep_arena *arena, skep_fs *fs, const char *root, skep_cli_tree *out,
                                              skep_err *err);

/* "root/path" in the arena; root alone when path is "". NULL when out of memory. */
const char *skep_cli_join(skep_arena *arena, const char *root, const char *path);

/* The length up to which a data file counts: its own, or what its "_flush_length" side file says (the last whole
 * big-endian 64-bit number in it; source: Hive OrcRecordUpdater). */
SKEP_NODISCARD skep_status skep_cli_logical_length(skep_arena *arena, skep_fs *fs, const char *path,
                                                   uint64_t size_bytes, uint64_t *out, skep_err *err);

/* Makes the failure to read a file's tail clearer when the file does not even begin like an ORC file (acid/foreign.h).
 */
skep_status skep_cli_explain(skep_fs *fs, const char *path, skep_status status, skep_err *err);

#endif
