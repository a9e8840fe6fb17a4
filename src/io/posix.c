/* The local file system. Only regular files are opened: a pipe or device in a table directory must not block us. */
#include "io/posix.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "io/fs_int.h"

typedef struct posix_file {
  skep_file file;
  const skep_ctx *ctx;
  int fd;
  bool failed; /* a write or sync failed: see fs.h */
} posix_file;

/* A status for errno; the text is libc's untranslated one, whatever the program's locale. */
static skep_status fail_errno(skep_err *err, int error, const char *path, const char *doing) {
  skep_status status = SKEP_ERR_IO;
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      status = SKEP_ERR_NOT_FOUND;
      break;
    case EEXIST:
    case ENOTEMPTY:
      status = SKEP_ERR_EXISTS;
      break;
    case EISDIR:
    case ENAMETOOLONG:
    case ELOOP:
      status = SKEP_ERR_ARGUMENT;
      break;
    case ENOMEM:
      status = SKEP_ERR_NOMEM;
      break;
    default:
      break;
  }
  const char *text = strerrordesc_np(error);
  if (text == NULL) return skep_fs_fail(err, status, path, "cannot %s: error %d", doing, error);
  return skep_fs_fail(err, status, path, "cannot %s: %s", doing, text);
}

/* --- files --- */

static skep_status posix_read_at(skep_file *base, uint64_t offset, void *out, size_t length, skep_err *err) {
  posix_file *file = (posix_file *)base;
  size_t done = 0;
  while (done < length) { /* offset + length <= size_bytes, which came from an off_t */
    ssize_t n = pread(file->fd, (char *)out + done, length - done, (off_t)(offset + done));
    if (n > 0) {
      done += (size_t)n;
    } else if (n == 0) {
      return skep_fail(err, SKEP_ERR_CORRUPT,
                       "the file ends at %" PRIu64 ", %zu bytes before the end of a read; it had %" PRIu64
                       " bytes when it was opened",
                       offset + done, length - done, base->size_bytes);
    } else if (errno != EINTR) {
      return fail_errno(err, errno, NULL, "read");
    }
  }
  return SKEP_OK;
}

static skep_status check_usable(const posix_file *file, skep_err *err) {
  if (!file->failed) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_IO, "an earlier write to this file failed");
}

static skep_status posix_append(skep_file *base, const void *bytes, size_t length, skep_err *err) {
  posix_file *file = (posix_file *)base;
  SKEP_TRY(check_usable(file, err));
  size_t done = 0;
  while (done < length) {
    ssize_t n = write(file->fd, (const char *)bytes + done, length - done);
    if (n >= 0) {
      done += (size_t)n;
      base->size_bytes += (uint64_t)n;
    } else if (errno != EINTR) {
      file->failed = true;
      return fail_errno(err, errno, NULL, "write");
    }
  }
  return SKEP_OK;
}

static skep_status posix_sync(skep_file *base, skep_err *err) {
  posix_file *file = (posix_file *)base;
  SKEP_TRY(check_usable(file, err));
  if (fsync(file->fd) == 0) return SKEP_OK;
  file->failed = true; /* the kernel may have dropped the pages: a second fsync would succeed without them */
  return fail_errno(err, errno, NULL, "sync");
}

static skep_status posix_close(skep_file *base, skep_err *err) {
  posix_file *file = (posix_file *)base;
  int rc = close(file->fd);
  int error = errno;
  skep_release(file->ctx, file);
  if (rc != 0 && error != EINTR) return fail_errno(err, error, NULL, "close");
  return SKEP_OK;
}

static const skep_file_vtab reader_vtab = {.read_at = posix_read_at, .close = posix_close};
static const skep_file_vtab writer_vtab = {.append = posix_append, .sync = posix_sync, .close = posix_close};

/* Takes fd over, also on failure. */
static skep_status wrap_fd(skep_fs *fs, int fd, uint64_t size, const skep_file_vtab *vt, const char *path,
                           skep_file **out, skep_err *err) {
  posix_file *file = skep_alloc_zero(fs->ctx, 1, sizeof *file);
  if (file == NULL) {
    close(fd);
    return skep_fs_fail(err, SKEP_ERR_NOMEM, path, "out of memory for a file handle");
  }
  file->file = (skep_file){.vt = vt, .size_bytes = size};
  file->ctx = fs->ctx;
  file->fd = fd;
  *out = &file->file;
  return SKEP_OK;
}

static skep_status posix_open_read(skep_fs *fs, const char *path, skep_file **out, skep_err *err) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return fail_errno(err, errno, path, "open");
  struct stat st;
  if (fstat(fd, &st) != 0) {
    int error = errno;
    close(fd);
    return fail_errno(err, error, path, "stat");
  }
  if (!S_ISREG(st.st_mode)) {
    close(fd);
    return skep_fs_fail(err, SKEP_ERR_ARGUMENT, path, "%s",
                        S_ISDIR(st.st_mode) ? "is a directory" : "is not a regular file");
  }
  return wrap_fd(fs, fd, (uint64_t)st.st_size, &reader_vtab, path, out, err);
}

static skep_status posix_create(skep_fs *fs, const char *path, skep_file **out, skep_err *err) {
  int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) return fail_errno(err, errno, path, "create");
  return wrap_fd(fs, fd, 0, &writer_vtab, path, out, err);
}

/* --- names --- */

static skep_entry_kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return SKEP_ENTRY_FILE;
  return S_ISDIR(mode) ? SKEP_ENTRY_DIR : SKEP_ENTRY_OTHER;
}

static skep_status posix_stat(skep_fs *fs, const char *path, skep_stat *out, skep_err *err) {
  (void)fs;
  struct stat st;
  if (stat(path, &st) != 0) return fail_errno(err, errno, path, "stat");
  out->kind = kind_of(st.st_mode);
  out->size_bytes = out->kind == SKEP_ENTRY_FILE ? (uint64_t)st.st_size : 0;
  out->mtime_ms = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
  return SKEP_OK;
}

/* Fills `entry` from a directory entry; asks the file system only where the entry's type does not say enough.
 * SKEP_END: the name is gone again. */
static skep_status describe(int dir_fd, const struct dirent *d, bool sizes, const char *path, skep_entry *entry,
                            skep_err *err) {
  *entry = (skep_entry){.name = d->d_name, .kind = SKEP_ENTRY_OTHER};
  if (d->d_type == DT_DIR) entry->kind = SKEP_ENTRY_DIR;
  if (d->d_type == DT_REG) entry->kind = SKEP_ENTRY_FILE;
  bool ask = d->d_type == DT_UNKNOWN || d->d_type == DT_LNK || (d->d_type == DT_REG && sizes);
  if (!ask) return SKEP_OK;
  struct stat st;
  if (fstatat(dir_fd, d->d_name, &st, 0) == 0) {
    entry->kind = kind_of(st.st_mode);
    if (sizes && entry->kind == SKEP_ENTRY_FILE) entry->size_bytes = (uint64_t)st.st_size;
    return SKEP_OK;
  }
  int error = errno;
  if (error != ENOENT && error != ELOOP && error != ENOTDIR) return fail_errno(err, error, path, "stat an entry of it");
  /* A link to nowhere is a name that is there; anything else was removed since it was read. */
  return fstatat(dir_fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? SKEP_OK : SKEP_END;
}

static bool is_dot_name(const char *name) {
  return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

static skep_status list_open(DIR *dir, const char *path, bool sizes, skep_entry_visitor *visit, void *self,
                             skep_err *err) {
  for (;;) {
    errno = 0;
    const struct dirent *d = readdir(dir);
    if (d == NULL) {
      if (errno != 0) return fail_errno(err, errno, path, "list");
      return SKEP_OK;
    }
    if (is_dot_name(d->d_name)) continue;
    skep_entry entry;
    skep_status status = describe(dirfd(dir), d, sizes, path, &entry, err);
    if (status == SKEP_END) continue;
    if (status == SKEP_OK) status = visit(self, &entry, err);
    if (status != SKEP_OK) return status;
  }
}

static skep_status posix_list(skep_fs *fs, const char *path, bool sizes, skep_entry_visitor *visit, void *self,
                              skep_err *err) {
  (void)fs;
  DIR *dir = opendir(path);
  if (dir == NULL) {
    int error = errno;
    struct stat st;
    if (error == ENOTDIR && stat(path, &st) == 0) {
      return skep_fs_fail(err, SKEP_ERR_ARGUMENT, path, "is not a directory");
    }
    return fail_errno(err, error, path, "list");
  }
  skep_status status = list_open(dir, path, sizes, visit, self, err);
  closedir(dir);
  return status;
}

static skep_status make_one(const char *path, skep_err *err) {
  if (mkdir(path, 0777) == 0) return SKEP_OK;
  int error = errno;
  struct stat st;
  if (stat(path, &st) != 0) return fail_errno(err, error, path, "make a directory");
  if (!S_ISDIR(st.st_mode)) return skep_fs_fail(err, SKEP_ERR_EXISTS, path, "is there and is not a directory");
  return SKEP_OK;
}

static skep_status posix_mkdirs(skep_fs *fs, const char *path, skep_err *err) {
  if (mkdir(path, 0777) == 0) return SKEP_OK; /* the usual case: the parent is there */
  char *copy = skep_strndup(fs->ctx, path, strlen(path));
  if (copy == NULL) return skep_fs_fail(err, SKEP_ERR_NOMEM, path, "out of memory for a path");
  skep_status status = SKEP_OK;
  for (size_t i = 1; copy[i] != '\0' && status == SKEP_OK; i++) {
    if (copy[i] != '/' || copy[i - 1] == '/') continue;
    copy[i] = '\0';
    status = make_one(copy, err);
    copy[i] = '/';
  }
  if (status == SKEP_OK) status = make_one(copy, err);
  skep_release(fs->ctx, copy);
  return status;
}

/* Where renameat2 is unknown to the file system: a second name for a file is as atomic. Directories have no such way.
 */
static skep_status rename_by_link(const char *from, const char *to, skep_err *err) {
  struct stat st;
  if (stat(from, &st) != 0) return fail_errno(err, errno, from, "stat");
  size_t length = strlen(from);
  if (strncmp(from, to, length) == 0 && to[length] == '/') { /* EINVAL has this second meaning */
    return skep_fs_fail(err, SKEP_ERR_ARGUMENT, from, "cannot be moved into itself");
  }
  if (S_ISDIR(st.st_mode)) {
    return skep_fs_fail(err, SKEP_ERR_UNSUPPORTED, from, "this file system has no rename that refuses to replace");
  }
  if (link(from, to) != 0) return fail_errno(err, errno, to, "link");
  if (unlink(from) != 0) return fail_errno(err, errno, from, "remove");
  return SKEP_OK;
}

static skep_status posix_rename_new(skep_fs *fs, const char *from, const char *to, skep_err *err) {
  (void)fs;
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return SKEP_OK;
  int error = errno;
  if (error == EINVAL || error == ENOSYS) return rename_by_link(from, to, err);
  return fail_errno(err, error, error == EEXIST ? to : from, error == EEXIST ? "rename to it" : "rename");
}

static skep_status posix_remove_file(skep_fs *fs, const char *path, skep_err *err) {
  (void)fs;
  if (unlink(path) != 0) return fail_errno(err, errno, path, "remove");
  return SKEP_OK;
}

static skep_status posix_remove_dir(skep_fs *fs, const char *path, skep_err *err) {
  (void)fs;
  if (rmdir(path) == 0) return SKEP_OK;
  int error = errno;
  struct stat st;
  if (error == ENOTDIR && lstat(path, &st) == 0) {
    return skep_fs_fail(err, SKEP_ERR_ARGUMENT, path, "is not a directory");
  }
  return fail_errno(err, error, path, "remove");
}

static skep_status posix_sync_dir(skep_fs *fs, const char *path, skep_err *err) {
  (void)fs;
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return fail_errno(err, errno, path, "open");
  int rc = fsync(fd);
  int error = errno;
  close(fd);
  if (rc == 0) return SKEP_OK;
  if (error == EINVAL) {
    return skep_fs_fail(err, SKEP_ERR_UNSUPPORTED, path, "this file system cannot sync a directory");
  }
  return fail_errno(err, error, path, "sync");
}

/* True for file systems that other machines may change under us. Numbers: statfs(2) and linux/magic.h. */
static bool is_shared(uint32_t magic) {
  static const uint32_t shared[] = {NFS_SUPER_MAGIC,  SMB_SUPER_MAGIC,         CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC,
                                    V9FS_MAGIC,       CEPH_SUPER_MAGIC,        AFS_SUPER_MAGIC,  CODA_SUPER_MAGIC,
                                    FUSE_SUPER_MAGIC, 0x0BD00BD0 /* Lustre */, 0x47504653 /* GPFS */};
  for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
    if (magic == shared[i]) return true;
  }
  return false;
}

static unsigned posix_promises(skep_fs *fs, const char *path) {
  (void)fs;
  struct statfs st;
  unsigned promises = SKEP_FS_ATOMIC_RENAME | SKEP_FS_DURABLE_DIRS;
  if (statfs(path, &st) == 0 && !is_shared((uint32_t)st.f_type)) promises |= SKEP_FS_LOCAL;
  return promises;
}

static skep_status posix_free_bytes(skep_fs *fs, const char *path, uint64_t *out, skep_err *err) {
  (void)fs;
  struct statvfs st;
  if (statvfs(path, &st) != 0) return fail_errno(err, errno, path, "look at");
  if (__builtin_mul_overflow((uint64_t)st.f_bavail, (uint64_t)st.f_frsize, out)) *out = UINT64_MAX;
  return SKEP_OK;
}

static void posix_destroy(skep_fs *fs) { skep_release(fs->ctx, fs); }

static const skep_fs_vtab posix_vtab = {
    .name = "posix",
    .promises = posix_promises,
    .open_read = posix_open_read,
    .create = posix_create,
    .stat = posix_stat,
    .list = posix_list,
    .mkdirs = posix_mkdirs,
    .rename_new = posix_rename_new,
    .remove_file = posix_remove_file,
    .remove_dir = posix_remove_dir,
    .sync_dir = posix_sync_dir,
    .free_bytes = posix_free_bytes,
    .destroy = posix_destroy,
};

skep_status skep_fs_posix_new(const skep_ctx *ctx, skep_fs **out, skep_err *err) {
  *out = skep_alloc(ctx, sizeof **out);
  if (*out == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory for a file system");
  **out = (skep_fs){.vt = &posix_vtab, .ctx = ctx};
  return SKEP_OK;
}

skep_status skep_posix_absolute(skep_arena *arena, const char *path, const char **out, skep_err *err) {
  enum { ROOM = 4096 };
  *out = path;
  if (path[0] == '/') return SKEP_OK;
  while (path[0] == '.' && path[1] == '/') {
    for (path += 2; *path == '/';) path++;
  }
  size_t length = strlen(path);
  char *made = skep_arena_alloc(arena, ROOM + length + 2);
  if (made == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory");
  if (getcwd(made, ROOM) == NULL) return skep_fail(err, SKEP_ERR_IO, "the current directory is not known");
  size_t used = strlen(made);
  if (length > 0 && strcmp(path, ".") != 0) {
    if (used > 1) made[used++] = '/';
    memcpy(made + used, path, length + 1);
  }
  *out = made;
  return SKEP_OK;
}
