/* The local file system (and whatever is mounted in it). */
#ifndef IO_POSIX_H
#define IO_POSIX_H

#include "io/fs.h"

SKEP_NODISCARD skep_status skep_fs_posix_new(const skep_ctx *ctx, skep_fs **out, skep_err *err);

#endif
