/* See dir_write.h. Names are made durable from the new directory upwards: a file counts as safe when its own sync and
 * those of every directory on the way to one that was there before have returned. */
#include "acid/dir_write.h"

#include <string.h>

enum { MAX_DEPTH = 16 };

void skep_dir_join(skep_buf *out, const char *dir, const char *name) {
  skep_buf_text(out, dir);
  if (name[0] == '\0') return;
  if (dir[0] != '\0' && dir[strlen(dir) - 1] != '/') skep_buf_byte(out, '/');
  skep_buf_text(out, name);
}

/* ---- removing ---- */

/* Names of a directory, NUL-terminated one behind the other: a directory must not change while it is listed. */
typedef struct names {
  skep_buf files, dirs;
} names;

static skep_status collect(void *self, const skep_entry *entry, skep_err *err) {
  names *n = self;
  skep_buf *to = entry->kind == SKEP_ENTRY_DIR ? &n->dirs : &n->files;
  skep_buf_add(to, entry->name, strlen(entry->name) + 1);
  return skep_buf_check(to, "names in a directory", err);
}

static skep_status remove_tree(const skep_ctx *ctx, skep_fs *fs, const char *path, int depth, skep_err *err);

static skep_status remove_listed(const skep_ctx *ctx, skep_fs *fs, const char *path, const names *n, int depth,
                                 skep_err *err) {
  skep_buf child;
  skep_status status = SKEP_OK;
  skep_buf_init(&child, ctx, SIZE_MAX / 4);
  for (size_t at = 0; at < n->files.size + n->dirs.size && status == SKEP_OK;) {
    bool is_dir = at >= n->files.size;
    const char *name = (const char *)(is_dir ? n->dirs.data + (at - n->files.size) : n->files.data + at);
    at += strlen(name) + 1;
    skep_buf_reset(&child);
    skep_dir_join(&child, path, name);
    const char *child_path = skep_buf_string(&child);
    status = skep_buf_check(&child, "path", err);
    if (status != SKEP_OK) break;
    if (is_dir) {
      status = remove_tree(ctx, fs, child_path, depth + 1, err);
    } else {
      status = skep_fs_remove_file(fs, child_path, err);
      if (status == SKEP_ERR_NOT_FOUND) status = SKEP_OK; /* somebody was faster */
    }
  }
  skep_buf_fini(&child);
  return status;
}

static skep_status remove_tree(const skep_ctx *ctx, skep_fs *fs, const char *path, int depth, skep_err *err) {
  if (depth > MAX_DEPTH) return skep_fail(err, SKEP_ERR_LIMIT, "%s: more than %d directories deep", path, MAX_DEPTH);
  names n;
  skep_buf_init(&n.files, ctx, SIZE_MAX / 4);
  skep_buf_init(&n.dirs, ctx, SIZE_MAX / 4);
  skep_status status = skep_fs_list(fs, path, false, collect, &n, err);
  if (status == SKEP_OK) status = remove_listed(ctx, fs, path, &n, depth, err);
  if (status == SKEP_OK) status = skep_fs_remove_dir(fs, path, err);
  skep_buf_fini(&n.files);
  skep_buf_fini(&n.dirs);
  return status == SKEP_ERR_NOT_FOUND ? SKEP_OK : status;
}

skep_status skep_dir_remove(const skep_ctx *ctx, skep_fs *fs, const char *path, skep_err *err) {
  skep_stat st;
  skep_status status = skep_fs_stat(fs, path, &st, err);
  if (status == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (status != SKEP_OK) return status;
  return st.kind == SKEP_ENTRY_DIR ? remove_tree(ctx, fs, path, 0, err) : skep_fs_remove_file(fs, path, err);
}

/* ---- making ---- */

/* Length of the path of the parent; 0: there is none in the text. */
static size_t parent_length(const char *path, size_t length) {
  while (length > 0 && path[length - 1] == '/') length--;
  while (length > 0 && path[length - 1] != '/') length--;
  while (length > 1 && path[length - 1] == '/') length--; /* "/" itself stays */
  return length;
}

static skep_status find_there(skep_fs *fs, char *path, size_t length, size_t *depth_there, skep_err *err) {
  while (length > 0) {
    char cut = path[length];
    skep_stat st;
    path[length] = '\0';
    skep_status status = skep_fs_stat(fs, path, &st, err);
    path[length] = cut;
    if (status != SKEP_ERR_NOT_FOUND) {
      *depth_there = length;
      return status;
    }
    if (length == 1 && path[0] == '/') break;
    length = parent_length(path, length);
  }
  *depth_there = 0;
  return SKEP_OK;
}

skep_status skep_dir_make(const skep_ctx *ctx, skep_fs *fs, const char *path, bool fresh, size_t *depth_there,
                          skep_err *err) {
  size_t length = strlen(path);
  *depth_there = 0;
  if (fresh) SKEP_TRY(skep_dir_remove(ctx, fs, path, err));
  char *copy = skep_strndup(ctx, path, length);
  if (copy == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "path of a directory");
  skep_status status = find_there(fs, copy, fresh ? parent_length(path, length) : length, depth_there, err);
  skep_release(ctx, copy);
  if (status != SKEP_OK) return status;
  /* Another writer that gives up may take an empty parent away between two steps of ours. */
  for (int attempt = 0; attempt < 3; attempt++) {
    status = skep_fs_mkdirs(fs, path, err);
    if (status != SKEP_ERR_NOT_FOUND) break;
  }
  return status;
}

void skep_dir_unmake(const skep_ctx *ctx, skep_fs *fs, const char *path, size_t depth_there) {
  size_t length = strlen(path);
  char *copy = skep_strndup(ctx, path, length);
  while (copy != NULL && length > depth_there) {
    copy[length] = '\0';
    if (skep_fs_remove_dir(fs, copy, NULL) != SKEP_OK) break;
    length = parent_length(copy, length);
  }
  skep_release(ctx, copy);
}

skep_status skep_dir_sync_above(const skep_ctx *ctx, skep_fs *fs, const char *path, skep_err *err) {
  size_t length = strlen(path);
  char *copy = skep_strndup(ctx, path, length);
  if (copy == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "path of a directory");
  skep_status status = SKEP_ERR_NOT_FOUND;
  while (status == SKEP_ERR_NOT_FOUND && length > 0) {
    length = parent_length(copy, length);
    copy[length] = '\0';
    const char *above = length == 0 ? "." : copy;
    if ((skep_fs_promises(fs, above) & SKEP_FS_DURABLE_DIRS) == 0) { /* removals are as durable as they get */
      status = SKEP_OK;
    } else {
      status = skep_fs_sync_dir(fs, above, err);
    }
  }
  skep_release(ctx, copy);
  return status;
}

skep_status skep_dir_sync_up(const skep_ctx *ctx, skep_fs *fs, const char *path, size_t depth_there, skep_err *err) {
  if ((skep_fs_promises(fs, path) & SKEP_FS_DURABLE_DIRS) == 0) return SKEP_OK; /* files bring their names along */
  size_t length = strlen(path);
  char *copy = skep_strndup(ctx, path, length);
  if (copy == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "path of a directory");
  skep_status status = SKEP_OK;
  for (;;) {
    copy[length] = '\0';
    status = skep_fs_sync_dir(fs, length == 0 ? "." : copy, err);
    if (status != SKEP_OK || length <= depth_there) break;
    length = parent_length(copy, length);
  }
  skep_release(ctx, copy);
  return status;
}

skep_status skep_dir_put_file(const skep_ctx *ctx, skep_fs *fs, const char *dir, const char *name, const char *text,
                              bool sync, skep_err *err) {
  skep_buf path;
  skep_file *file = NULL;
  skep_buf_init(&path, ctx, SIZE_MAX / 4);
  skep_dir_join(&path, dir, name);
  const char *full = skep_buf_string(&path);
  skep_status status = skep_buf_check(&path, "path", err);
  if (status == SKEP_OK) status = skep_fs_create(fs, full, &file, err);
  if (file != NULL) {
    status = skep_file_append(file, text, strlen(text), err);
    if (status == SKEP_OK && sync) status = skep_file_sync(file, err);
    skep_status closed = skep_file_close(file, status == SKEP_OK ? err : NULL);
    if (status == SKEP_OK) status = closed;
    if (status != SKEP_OK) status = skep_wrap(err, status, "%s/%s", dir, name);
  }
  skep_buf_fini(&path);
  return status;
}

static skep_status copy_bytes(const skep_ctx *ctx, skep_file *from, skep_file *to, skep_err *err) {
  enum { STEP = 1 << 20 };
  uint8_t *bytes = skep_alloc(ctx, STEP);
  if (bytes == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "copying a file");
  skep_status status = SKEP_OK;
  for (uint64_t at = 0; at < from->size_bytes && status == SKEP_OK;) {
    size_t n = from->size_bytes - at < STEP ? (size_t)(from->size_bytes - at) : STEP;
    status = skep_file_read_at(from, at, bytes, n, err);
    if (status == SKEP_OK) status = skep_file_append(to, bytes, n, err);
    at += n;
  }
  skep_release(ctx, bytes);
  return status == SKEP_OK ? skep_file_sync(to, err) : status;
}

skep_status skep_dir_copy_file(const skep_ctx *ctx, skep_fs *fs, const char *from, const char *dir, const char *name,
                               uint64_t *size_bytes, skep_err *err) {
  skep_buf path;
  skep_file *source = NULL, *target = NULL;
  *size_bytes = 0;
  SKEP_TRY(skep_fs_open_read(fs, from, &source, err));
  skep_buf_init(&path, ctx, SIZE_MAX / 4);
  skep_dir_join(&path, dir, name);
  const char *full = skep_buf_string(&path);
  skep_status status = skep_buf_check(&path, "path", err);
  if (status == SKEP_OK) status = skep_fs_create(fs, full, &target, err);
  if (target != NULL) {
    status = copy_bytes(ctx, source, target, err);
    *size_bytes = target->size_bytes;
    skep_status closed = skep_file_close(target, status == SKEP_OK ? err : NULL);
    if (status == SKEP_OK) status = closed;
    char quoted[400];
    if (status != SKEP_OK) {
      (void)!skep_fs_remove_file(fs, full, NULL);
      status = skep_wrap(err, status, "%s", skep_quote(quoted, sizeof quoted, from, strlen(from)));
    }
  }
  skep_file_close(source, NULL);
  skep_buf_fini(&path);
  return status;
}
