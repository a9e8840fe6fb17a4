/* The file system interface: a method table and an instance; backends are posix.h, memory.h and faulty.h.
 *
 * Paths are UTF-8 (any bytes but NUL), separated by '/', absolute or relative to the backend's root.
 * Call the wrappers, never the table: they check arguments, clear outputs and turn a missing optional method into
 * SKEP_ERR_UNSUPPORTED with the backend's name. An instance may be used by many threads; a file by many threads for
 * reading, by one for appending; both must be closed before the instance is freed. Errors of calls that take a path
 * begin with it, quoted; errors of calls on a file do not know it: wrap them. One contract test (fs_contract_test.c)
 * runs over every backend. */
#ifndef IO_FS_H
#define IO_FS_H

#include "base/buf.h"
#include "base/ctx.h"

typedef struct skep_fs skep_fs;
typedef struct skep_file skep_file;

typedef enum skep_entry_kind { SKEP_ENTRY_FILE, SKEP_ENTRY_DIR, SKEP_ENTRY_OTHER } skep_entry_kind;

typedef struct skep_stat {
  skep_entry_kind kind;
  uint64_t size_bytes; /* files only */
  int64_t mtime_ms;
} skep_stat;

/* One name in a directory. `name` is borrowed for the call of the visitor. */
typedef struct skep_entry {
  const char *name;
  skep_entry_kind kind; /* symbolic links are followed */
  uint64_t size_bytes;  /* files only, and only when the list asked for sizes; else 0 */
} skep_entry;

/* Called once a name, in no particular order, without "." and "..". A status other than SKEP_OK ends the listing and is
 * passed on. */
typedef skep_status skep_entry_visitor(void *self, const skep_entry *entry, skep_err *err);

/* What a backend promises; the core asks before it relies on one. */
enum skep_fs_promise {
  SKEP_FS_ATOMIC_RENAME = 1, /* rename_new appears whole or not at all */
  SKEP_FS_DURABLE_DIRS = 2,  /* sync_dir makes names durable */
  SKEP_FS_LOCAL = 4          /* not shared with other machines */
};

typedef struct skep_fs_vtab {
  const char *name;                                    /* for messages */
  unsigned (*promises)(skep_fs *fs, const char *path); /* required */
  /* SKEP_ERR_NOT_FOUND when missing; SKEP_ERR_ARGUMENT when it is a directory. Required. */
  skep_status (*open_read)(skep_fs *fs, const char *path, skep_file **out, skep_err *err);
  /* Creates a file for appending; SKEP_ERR_EXISTS when the name is taken, SKEP_ERR_NOT_FOUND when the parent is
   * missing. Optional. */
  skep_status (*create)(skep_fs *fs, const char *path, skep_file **out, skep_err *err);
  skep_status (*stat)(skep_fs *fs, const char *path, skep_stat *out, skep_err *err); /* required; follows links */
  /* SKEP_ERR_NOT_FOUND when missing, SKEP_ERR_ARGUMENT when it is no directory. Required. */
  skep_status (*list)(skep_fs *fs, const char *path, bool sizes, skep_entry_visitor *visit, void *self, skep_err *err);
  /* With parents; there already is fine, a file in the way is SKEP_ERR_EXISTS. Optional. */
  skep_status (*mkdirs)(skep_fs *fs, const char *path, skep_err *err);
  /* Atomic; SKEP_ERR_EXISTS when `to` is there (also for directories), SKEP_ERR_ARGUMENT when a directory would go into
   * itself. Optional. */
  skep_status (*rename_new)(skep_fs *fs, const char *from, const char *to, skep_err *err);
  skep_status (*remove_file)(skep_fs *fs, const char *path, skep_err *err); /* optional */
  /* Empty directories only: SKEP_ERR_EXISTS when something is in it. Optional. */
  skep_status (*remove_dir)(skep_fs *fs, const char *path, skep_err *err);
  skep_status (*sync_dir)(skep_fs *fs, const char *path, skep_err *err); /* optional */
  /* Bytes that this process may still write where `path` is. Optional. */
  skep_status (*free_bytes)(skep_fs *fs, const char *path, uint64_t *out, skep_err *err);
  void (*destroy)(skep_fs *fs); /* required */
} skep_fs_vtab;

struct skep_fs {
  const skep_fs_vtab *vt; /* first member of every implementation */
  const skep_ctx *ctx;
};

typedef struct skep_file_vtab {
  /* Exactly `length` bytes at `offset`; a short file is SKEP_ERR_CORRUPT with the numbers. Thread-safe. */
  skep_status (*read_at)(skep_file *file, uint64_t offset, void *out, size_t length, skep_err *err);
  /* After a failed append or sync every later one fails too: what is on disk is not known any more. */
  skep_status (*append)(skep_file *file, const void *bytes, size_t length, skep_err *err);
  skep_status (*sync)(skep_file *file, skep_err *err);  /* what was appended is durable afterwards */
  skep_status (*close)(skep_file *file, skep_err *err); /* frees the file whatever it returns */
} skep_file_vtab;

struct skep_file {
  const skep_file_vtab *vt; /* first member of every implementation */
  uint64_t size_bytes;      /* at open for readers; grows with append for writers */
};

SKEP_NODISCARD skep_status skep_fs_open_read(skep_fs *fs, const char *path, skep_file **out, skep_err *err);
SKEP_NODISCARD skep_status skep_fs_create(skep_fs *fs, const char *path, skep_file **out, skep_err *err);
SKEP_NODISCARD skep_status skep_fs_stat(skep_fs *fs, const char *path, skep_stat *out, skep_err *err);
SKEP_NODISCARD skep_status skep_fs_list(skep_fs *fs, const char *path, bool sizes, skep_entry_visitor *visit,
                                        void *self, skep_err *err);
SKEP_NODISCARD skep_status skep_fs_mkdirs(skep_fs *fs, const char *path, skep_err *err);
SKEP_NODISCARD skep_status skep_fs_rename_new(skep_fs *fs, const char *from, const char *to, skep_err *err);
SKEP_NODISCARD skep_status skep_fs_remove_file(skep_fs *fs, const char *path, skep_err *err);
SKEP_NODISCARD skep_status skep_fs_remove_dir(skep_fs *fs, const char *path, skep_err *err);
SKEP_NODISCARD skep_status skep_fs_sync_dir(skep_fs *fs, const char *path, skep_err *err);
/* *out is 0 on failure. */
SKEP_NODISCARD skep_status skep_fs_free_bytes(skep_fs *fs, const char *path, uint64_t *out, skep_err *err);
unsigned skep_fs_promises(skep_fs *fs, const char *path);
void skep_fs_free(skep_fs *fs); /* accepts NULL */

SKEP_NODISCARD skep_status skep_file_read_at(skep_file *file, uint64_t offset, void *out, size_t length, skep_err *err);
SKEP_NODISCARD skep_status skep_file_append(skep_file *file, const void *bytes, size_t length, skep_err *err);
SKEP_NODISCARD skep_status skep_file_sync(skep_file *file, skep_err *err);
skep_status skep_file_close(skep_file *file, skep_err *err); /* accepts NULL */

/* Appends a whole small file to `out`; SKEP_ERR_LIMIT when it is longer than `out` may become. */
SKEP_NODISCARD skep_status skep_fs_read_whole(skep_fs *fs, const char *path, skep_buf *out, skep_err *err);

#endif
