/* The parts of a check: check.c (directories and names), check_file.c (one file), check_keys.c (row ids of all files).
 * Inside acid only. */
#ifndef ACID_CHECK_INT_H
#define ACID_CHECK_INT_H

#include "acid/check.h"
#include "base/buf.h"

typedef struct skep_checker {
  const skep_ctx *ctx;
  skep_fs *fs;
  const char *root;
  const skep_check_opts *opts;
  skep_check_totals *totals;
  skep_layout *layout;
  bool dir_is_new;    /* the directory at hand has a file with events of Hive 3 or later */
  bool rows_readable; /* no file was found damaged: row ids of all can be compared */
  skep_buf path;      /* scratch */
} skep_checker;

/* "root/dir/file", valid until the next call. */
const char *skep_checker_path(skep_checker *c, const char *dir, const char *file);

/* A finding at skep_checker_path(dir, file). */
SKEP_NODISCARD skep_status skep_checker_tell(skep_checker *c, skep_check_level level, const char *code,
                                             skep_check_repair repair, const char *dir, const char *file, skep_err *err,
                                             const char *format, ...) SKEP_PRINTF(8, 9);
/* SKEP_ERR_CANCELLED when somebody wants it. */
SKEP_NODISCARD skep_status skep_checker_go_on(const skep_checker *c, skep_err *err);
/* Is this failure about the file alone (else it ends the check)? */
bool skep_check_is_damage(skep_status status);

SKEP_NODISCARD skep_status skep_check_file(skep_checker *c, const skep_layout_dir *dir, const skep_layout_file *file,
                                           skep_err *err);
SKEP_NODISCARD skep_status skep_check_keys(skep_checker *c, skep_err *err);

#endif
