/* A listed partition root, classified for a snapshot: every entry has a verdict and a reason.
 *
 * The same value feeds the reader, `inspect`, and later the compactor, the cleaner and `check`.
 * Source: Hive AcidUtils.getAcidState (acid-format facts, section 2). Deciding (skep_layout_decide) is pure. */
#ifndef ACID_LAYOUT_H
#define ACID_LAYOUT_H

#include "acid/name.h"
#include "acid/snapshot.h"
#include "io/fs.h"

typedef enum skep_verdict {
  SKEP_USED,
  SKEP_OBSOLETE,    /* replaced by something newer that is used */
  SKEP_NOT_VISIBLE, /* written by something the snapshot does not see */
  SKEP_ABORTED,
  SKEP_IGNORED,     /* hidden names, staging directories, side files */
  SKEP_NAME_UNKNOWN /* reported */
} skep_verdict;

typedef struct skep_layout_file {
  const char *path; /* relative to the directory entry ("bucket_00000", "HIVE_UNION_SUBDIR_1/000000_0"); originals in the root:
                       relative to the root */
  uint64_t size_bytes;
  uint64_t logical_bytes; /* = size_bytes, or the flushed length where a side file says so; 0 = nothing committed */
  skep_file_name name;
  skep_verdict verdict;
  const char *reason;
} skep_layout_file;

typedef enum skep_dir_content { SKEP_CONTENT_ACID, SKEP_CONTENT_RAW } skep_dir_content; /* raw: files without ACID columns */

typedef struct skep_layout_dir {
  const char *name; /* relative to the root; "" stands for the root's own files (originals, plain tables) */
  skep_dir_name parsed;
  skep_verdict verdict;
  const char *reason; /* in words: "obsolete: base_0000005 covers write ids up to 5" */
  bool has_metadata;  /* _metadata_acid present */
  const char *data_format; /* its dataFormat: "compacted", "truncated", "dropped"; or NULL */
  bool is_compacted;  /* a base with _v or marked compacted */
  skep_dir_content content; /* decided for used directories when their files are looked at (scan), from the files */
  uint32_t n_files;
  skep_layout_file *files; /* data files first in the order rows are numbered (bytewise by path), then the others */
} skep_layout_dir;

typedef struct skep_layout {
  skep_arena arena;
  const char *root;
  bool is_transactional_layout; /* a base, delta or delete_delta was seen */
  uint32_t n_dirs;
  skep_layout_dir *dirs; /* used ones first, in reading order: base or originals, then deltas as Hive sorts them; then the rest by name */
} skep_layout;

typedef struct skep_layout_opts {
  const skep_snapshot *snapshot;
  skep_hive_version hive;
  bool is_insert_only; /* files at directory level only; originals in the root do not count beside deltas */
} skep_layout_opts;

/* Lists the root (recursively, one pass) and decides. SKEP_ERR_SNAPSHOT: "not enough history". */
SKEP_NODISCARD skep_status skep_layout_read(const skep_ctx *ctx, skep_fs *fs, const char *root, const skep_layout_opts *opts,
                                            skep_layout **out, skep_err *err);
void skep_layout_free(skep_layout *layout); /* accepts NULL */

/* The pure part, over names already listed (files filled in or not): sets verdicts, reasons and order. For tests and planning. */
SKEP_NODISCARD skep_status skep_layout_decide(skep_layout *layout, const skep_layout_opts *opts, skep_err *err);

#endif
