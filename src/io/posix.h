/* The local file system (and whatever is mounted in it). */
#ifndef IO_POSIX_H
#define IO_POSIX_H

#include "base/arena.h"
#include "io/fs.h"

SKEP_NODISCARD skep_status skep_fs_posix_new(const skep_ctx *ctx, skep_fs **out, skep_err *err);

/* An absolute path of what may be relative to the current directory, without "./" before it: in the arena, or `path`
 * itself. Places that a metastore records come from it. SKEP_ERR_IO: the current directory is not known. */
SKEP_NODISCARD skep_status skep_posix_absolute(skep_arena *arena, const char *path, const char **out, skep_err *err);

#endif
