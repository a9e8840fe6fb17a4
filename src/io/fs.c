/* The wrappers around the method tables: arguments, cleared outputs, missing methods, bounds of reads. */
#include "io/fs.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/fs_int.h"

enum { QUOTED_PATH_BYTES = 512 };

skep_status skep_fs_fail(skep_err *err, skep_status status, const char *path, const char *format, ...) {
  if (err == NULL) return status;
  char fact[sizeof err->text], quoted[QUOTED_PATH_BYTES];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(fact, sizeof fact, format, args);
  va_end(args);
  if (n < 0) fact[0] = '\0';
  if (path == NULL) return skep_fail(err, status, "%s", fact);
  return skep_fail(err, status, "%s: %s", skep_quote(quoted, sizeof quoted, path, strlen(path)), fact);
}

static skep_status check_path(const char *path, skep_err *err) {
  if (path == NULL || path[0] == '\0') return skep_fail(err, SKEP_ERR_ARGUMENT, "empty path");
  return SKEP_OK;
}

static skep_status missing(const skep_fs *fs, const char *path, const char *method, skep_err *err) {
  return skep_fs_fail(err, SKEP_ERR_UNSUPPORTED, path, "the %s file system cannot %s", fs->vt->name, method);
}

skep_status skep_fs_open_read(skep_fs *fs, const char *path, skep_file **out, skep_err *err) {
  *out = NULL;
  SKEP_TRY(check_path(path, err));
  return fs->vt->open_read(fs, path, out, err);
}

skep_status skep_fs_create(skep_fs *fs, const char *path, skep_file **out, skep_err *err) {
  *out = NULL;
  SKEP_TRY(check_path(path, err));
  if (fs->vt->create == NULL) return missing(fs, path, "create files", err);
  return fs->vt->create(fs, path, out, err);
}

skep_status skep_fs_stat(skep_fs *fs, const char *path, skep_stat *out, skep_err *err) {
  *out = (skep_stat){0};
  SKEP_TRY(check_path(path, err));
  return fs->vt->stat(fs, path, out, err);
}

skep_status skep_fs_list(skep_fs *fs, const char *path, bool sizes, skep_entry_visitor *visit, void *self,
                         skep_err *err) {
  SKEP_TRY(check_path(path, err));
  return fs->vt->list(fs, path, sizes, visit, self, err);
}

skep_status skep_fs_mkdirs(skep_fs *fs, const char *path, skep_err *err) {
  SKEP_TRY(check_path(path, err));
  if (fs->vt->mkdirs == NULL) return missing(fs, path, "make directories", err);
  return fs->vt->mkdirs(fs, path, err);
}

skep_status skep_fs_rename_new(skep_fs *fs, const char *from, const char *to, skep_err *err) {
  SKEP_TRY(check_path(from, err));
  SKEP_TRY(check_path(to, err));
  if (fs->vt->rename_new == NULL) return missing(fs, from, "rename", err);
  return fs->vt->rename_new(fs, from, to, err);
}

skep_status skep_fs_remove_file(skep_fs *fs, const char *path, skep_err *err) {
  SKEP_TRY(check_path(path, err));
  if (fs->vt->remove_file == NULL) return missing(fs, path, "remove files", err);
  return fs->vt->remove_file(fs, path, err);
}

skep_status skep_fs_remove_dir(skep_fs *fs, const char *path, skep_err *err) {
  SKEP_TRY(check_path(path, err));
  if (fs->vt->remove_dir == NULL) return missing(fs, path, "remove directories", err);
  return fs->vt->remove_dir(fs, path, err);
}

skep_status skep_fs_sync_dir(skep_fs *fs, const char *path, skep_err *err) {
  SKEP_TRY(check_path(path, err));
  if (fs->vt->sync_dir == NULL) return missing(fs, path, "sync directories", err);
  return fs->vt->sync_dir(fs, path, err);
}

skep_status skep_fs_free_bytes(skep_fs *fs, const char *path, uint64_t *out, skep_err *err) {
  *out = 0;
  SKEP_TRY(check_path(path, err));
  if (fs->vt->free_bytes == NULL) return missing(fs, path, "say how much is free", err);
  return fs->vt->free_bytes(fs, path, out, err);
}

unsigned skep_fs_promises(skep_fs *fs, const char *path) { return fs->vt->promises(fs, path); }

void skep_fs_free(skep_fs *fs) {
  if (fs != NULL) fs->vt->destroy(fs);
}

skep_status skep_file_read_at(skep_file *file, uint64_t offset, void *out, size_t length, skep_err *err) {
  if (file->vt->read_at == NULL) return skep_fail(err, SKEP_ERR_UNSUPPORTED, "this file was opened for appending");
  if (length > file->size_bytes || offset > file->size_bytes - length) {
    return skep_fail(err, SKEP_ERR_CORRUPT, "%zu bytes at offset %" PRIu64 " were asked of a file of %" PRIu64 " bytes",
                     length, offset, file->size_bytes);
  }
  if (length == 0) return SKEP_OK;
  return file->vt->read_at(file, offset, out, length, err);
}

skep_status skep_file_append(skep_file *file, const void *bytes, size_t length, skep_err *err) {
  if (file->vt->append == NULL) return skep_fail(err, SKEP_ERR_UNSUPPORTED, "this file was opened for reading");
  if (length > INT64_MAX - file->size_bytes) {
    return skep_fail(err, SKEP_ERR_LIMIT, "a file of more than 2^63-1 bytes");
  }
  if (length == 0) return SKEP_OK;
  return file->vt->append(file, bytes, length, err);
}

skep_status skep_file_sync(skep_file *file, skep_err *err) {
  if (file->vt->sync == NULL) return skep_fail(err, SKEP_ERR_UNSUPPORTED, "this file was opened for reading");
  return file->vt->sync(file, err);
}

skep_status skep_file_close(skep_file *file, skep_err *err) {
  if (file == NULL) return SKEP_OK;
  return file->vt->close(file, err);
}

skep_status skep_fs_read_whole(skep_fs *fs, const char *path, skep_buf *out, skep_err *err) {
  skep_file *file;
  SKEP_TRY(skep_fs_open_read(fs, path, &file, err));
  char quoted[QUOTED_PATH_BYTES];
  skep_quote(quoted, sizeof quoted, path, strlen(path));
  uint64_t size = file->size_bytes;
  skep_status status;
  if (size > SIZE_MAX || !skep_buf_reserve(out, (size_t)size)) {
    status = size > out->max_size ? skep_fail(err, SKEP_ERR_LIMIT, "%s: %" PRIu64 " bytes, at most %zu are read",
                                              quoted, size, out->max_size)
                                  : skep_buf_check(out, quoted, err);
  } else {
    status = skep_file_read_at(file, 0, out->data + out->size, (size_t)size, err);
    if (status == SKEP_OK) {
      out->size += (size_t)size;
    } else {
      skep_wrap(err, status, "%s", quoted);
    }
  }
  skep_file_close(file, NULL); /* nothing to lose: it was only read */
  return status;
}
