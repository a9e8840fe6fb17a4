/* Directories that a writer makes: fresh, and safe on disk. Inside acid, and for src/table. */
#ifndef ACID_DIR_WRITE_H
#define ACID_DIR_WRITE_H

#include "base/buf.h"
#include "io/fs.h"

/* Makes the directory `path`, with its parents. fresh: what is there under this name is a leftover and removed first,
 * whatever it is; else it may be there. *depth_there: length of the part of `path` that was a directory before (0: the
 * working directory or the root), for skep_dir_sync_up. */
SKEP_NODISCARD skep_status skep_dir_make(const skep_ctx *ctx, skep_fs *fs, const char *path, bool fresh,
                                         size_t *depth_there, skep_err *err);

/* Removes `path` and the directories above it down to depth_there, as long as they are empty. */
void skep_dir_unmake(const skep_ctx *ctx, skep_fs *fs, const char *path, size_t depth_there);

/* Makes the names in `path`, and in the directories above it down from the one that was there before, durable. */
SKEP_NODISCARD skep_status skep_dir_sync_up(const skep_ctx *ctx, skep_fs *fs, const char *path, size_t depth_there,
                                            skep_err *err);

/* After something was removed at `path`: makes that durable in the nearest directory above that is still there. */
SKEP_NODISCARD skep_status skep_dir_sync_above(const skep_ctx *ctx, skep_fs *fs, const char *path, skep_err *err);

/* Removes a directory and all below it, or a file; nothing there is fine. Goes as deep as 16 levels. */
SKEP_NODISCARD skep_status skep_dir_remove(const skep_ctx *ctx, skep_fs *fs, const char *path, skep_err *err);

/* A new small file with these bytes; synced when asked. */
SKEP_NODISCARD skep_status skep_dir_put_file(const skep_ctx *ctx, skep_fs *fs, const char *dir, const char *name,
                                             const char *text, bool sync, skep_err *err);

/* Copies a file to "dir/name", which is new, and syncs it. On failure what was made is removed, as far as it goes. */
SKEP_NODISCARD skep_status skep_dir_copy_file(const skep_ctx *ctx, skep_fs *fs, const char *from, const char *dir,
                                              const char *name, uint64_t *size_bytes, skep_err *err);

/* Appends "dir/name" (NUL-terminated by skep_buf_string); name "" gives dir. */
void skep_dir_join(skep_buf *out, const char *dir, const char *name);

#endif
