/* A listed partition root, classified for a snapshot: every entry has a verdict and a reason.
 *
 * The same value feeds the reader, `inspect`, and later the compactor, the cleaner and `check`.
 * Source: Hive AcidUtils.getAcidState (acid-format facts, section 2). Deciding (skep_layout_decide) is pure. */
#ifndef ACID_LAYOUT_H
#define ACID_LAYOUT_H

#include "acid/name.h"
#include "acid/snapshot.h"
#include "base/bytes.h"
#include "io/fs.h"

typedef enum skep_verdict {
  SKEP_USED,
  SKEP_OBSOLETE,    /* replaced by something newer that is used */
  SKEP_NOT_VISIBLE, /* written by something the snapshot does not see */
  SKEP_ABORTED,
  SKEP_IGNORED,     /* hidden names, staging directories, side files, empty files and directories */
  SKEP_NAME_UNKNOWN /* reported */
} skep_verdict;
/* "used", "obsolete", "not visible", "aborted", "ignored", "unknown name". */
const char *skep_verdict_name(skep_verdict verdict);

typedef struct skep_layout_file {
  const char *path; /* relative to the directory entry ("bucket_00000", "HIVE_UNION_SUBDIR_1/000000_0"); originals in
                       the root: relative to the root */
  uint64_t size_bytes;
  uint64_t logical_bytes; /* = size_bytes, or the flushed length where a side file says so; 0 = nothing committed */
  skep_file_name name;
  bool is_dir;     /* a directory that was not entered: hidden, an inner copy, or an ACID one where none belongs */
  bool is_special; /* neither a file nor a directory, such as a link to nowhere; with is_dir: a directory named
                      bucket_N. Readers that need it must fail */
  bool has_side_file;
  skep_verdict verdict; /* SKEP_USED: a data file to read. Other than used directories: the directory's */
  const char *reason;   /* in words, never NULL; does not repeat the verdict */
} skep_layout_file;

typedef enum skep_dir_content {
  SKEP_CONTENT_ACID,
  SKEP_CONTENT_RAW
} skep_dir_content; /* raw: files without ACID columns */

typedef struct skep_layout_dir {
  const char *name; /* relative to the root; "" stands for the root's own files (originals, plain tables), with those of
                       its ordinary subdirectories */
  skep_dir_name parsed;
  skep_verdict verdict;
  const char *reason;       /* in words, never NULL: "base_0000005 covers write ids up to 5" */
  bool is_malformed;        /* starts like an ACID directory but is none: Hive fails, readers must too */
  bool is_empty;            /* holds no file: Hive 4's recursive listing does not see it, so it hides nothing */
  bool is_misplaced;        /* holds no file, but directories of an ACID table: readers that need it must fail */
  bool is_gone;             /* removed while it was listed: only while a layout is made, none that is done has one */
  bool has_metadata;        /* _metadata_acid present */
  const char *data_format;  /* its dataFormat: "compacted", "truncated", "dropped"; or NULL (only bases are read) */
  bool is_compacted;        /* a base with _v, or marked compacted; ACID v1: every base */
  skep_dir_content content; /* by the names of its files: a bucket_N makes it ACID, otherwise raw */
  uint32_t n_files;
  skep_layout_file *files; /* data files first in the order rows are numbered (bytewise by path), then the others */
} skep_layout_dir;

typedef struct skep_layout {
  skep_arena arena;
  const char *root;
  bool is_transactional_layout; /* a base, delta or delete_delta was seen */
  uint32_t n_dirs;
  uint32_t n_used;       /* dirs[0 .. n_used) */
  skep_layout_dir *dirs; /* used ones first, in reading order: base or originals, then deltas as Hive sorts them; then
                            the rest by name */
  uint32_t n_partitions; /* > 0: the root is no partition root but holds these "name=value" directories (not entered) */
  const char *const *partitions; /* bytewise */
} skep_layout;

#define SKEP_PARTITIONS_AUTO UINT32_MAX

typedef struct skep_layout_opts {
  const skep_snapshot *snapshot;
  skep_hive_version hive;
  bool is_insert_only; /* every visible file of a base or delta is data, files in the root do not count beside them */
  /* Levels of "name=value" directories from here down. 0: the root is a partition root, such directories hold originals
   * (list bucketing). SKEP_PARTITIONS_AUTO: partitions when there are such directories and neither ACID directories nor
   * files with content. */
  uint32_t partition_levels;
  /* Nobody is going to read: a base beyond the snapshot is no failure, though older directories may be gone already.
   * For cleaners, whose snapshot is cut where a compaction ended. */
  bool any_history;
} skep_layout_opts;

/* Lists the root (recursively, one pass) and decides. SKEP_ERR_SNAPSHOT: "not enough history". SKEP_ERR_CORRUPT: a side
 * file or _metadata_acid cannot be used. SKEP_ERR_NOT_FOUND: no such directory. Malformed names are no failure here. */
SKEP_NODISCARD skep_status skep_layout_read(const skep_ctx *ctx, skep_fs *fs, const char *root,
                                            const skep_layout_opts *opts, skep_layout **out, skep_err *err);
void skep_layout_free(skep_layout *layout); /* accepts NULL */

/* Of all files in the directory, whatever their verdicts. */
uint64_t skep_layout_dir_bytes(const skep_layout_dir *dir);

/* What the used files hold, by the names of directories and files. Only rows without ids: an insert-only table, a
 * full-ACID one that was only loaded into, or (without base and delta directories) a plain or converted one. */
typedef struct skep_layout_rows {
  bool with_ids, without_ids;
} skep_layout_rows;
skep_layout_rows skep_layout_rows_of(const skep_layout *layout);

/* The pure part, over names already listed (files filled in or not): sets verdicts, reasons and order. For tests and
 * planning. */
SKEP_NODISCARD skep_status skep_layout_decide(skep_layout *layout, const skep_layout_opts *opts, skep_err *err);

/* The dataFormat of a _metadata_acid document, one of the static strings above. SKEP_ERR_CORRUPT: no such document. */
SKEP_NODISCARD skep_status skep_metadata_acid_parse(skep_bytes text, const char **data_format, skep_err *err);

#endif
