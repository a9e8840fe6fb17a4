/* A file system in memory, for tests: what is written is there until the instance is freed. */
#ifndef IO_MEMORY_H
#define IO_MEMORY_H

#include "io/fs.h"

SKEP_NODISCARD skep_status skep_fs_memory_new(const skep_ctx *ctx, skep_fs **out, skep_err *err);

/* Creates or replaces a file with these bytes (copied), with its parent directories. */
SKEP_NODISCARD skep_status skep_fs_memory_put(skep_fs *fs, const char *path, const void *bytes, size_t size,
                                              skep_err *err);

/* What skep_fs_free_bytes says from now on; at first there is room for everything. Writing is not limited by it. */
void skep_fs_memory_set_free(skep_fs *fs, uint64_t free_bytes);

#endif
