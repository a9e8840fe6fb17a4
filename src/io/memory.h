/* A file system in memory, for tests: what is written is there until the instance is freed. */
#ifndef IO_MEMORY_H
#define IO_MEMORY_H

#include "io/fs.h"

SKEP_NODISCARD skep_status skep_fs_memory_new(const skep_ctx *ctx, skep_fs **out, skep_err *err);

/* Creates or replaces a file with these bytes (copied), with its parent directories. */
SKEP_NODISCARD skep_status skep_fs_memory_put(skep_fs *fs, const char *path, const void *bytes, size_t size,
                                              skep_err *err);

#endif
