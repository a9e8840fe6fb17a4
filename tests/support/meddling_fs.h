/* A file system over another one that calls the test whenever a directory is listed: a statement lists behind its
 * snapshot, so what the test does then is what a faster process would have done. */
#ifndef SUPPORT_MEDDLING_FS_H
#define SUPPORT_MEDDLING_FS_H

#include <string.h>

#include "io/fs.h"

typedef struct meddling_fs {
  skep_fs base; /* first */
  skep_fs *below;
  void (*meddle)(void *self);
  void *self;
  const char *ending; /* only for directories whose paths end so; NULL: for all */
  int times;          /* how often it still is called; __atomic */
} meddling_fs;

static inline skep_fs *meddling_below(skep_fs *fs) { return ((meddling_fs *)fs)->below; }
static inline unsigned meddling_promises(skep_fs *fs, const char *path) {
  return skep_fs_promises(meddling_below(fs), path);
}
static inline skep_status meddling_open(skep_fs *fs, const char *path, skep_file **out, skep_err *err) {
  return skep_fs_open_read(meddling_below(fs), path, out, err);
}
static inline skep_status meddling_create(skep_fs *fs, const char *path, skep_file **out, skep_err *err) {
  return skep_fs_create(meddling_below(fs), path, out, err);
}
static inline skep_status meddling_stat(skep_fs *fs, const char *path, skep_stat *out, skep_err *err) {
  return skep_fs_stat(meddling_below(fs), path, out, err);
}
static inline skep_status meddling_list(skep_fs *fs, const char *path, bool sizes, skep_entry_visitor *visit,
                                        void *self, skep_err *err) {
  meddling_fs *m = (meddling_fs *)fs;
  size_t length = strlen(path), n = m->ending != NULL ? strlen(m->ending) : 0;
  bool meant = length >= n && memcmp(path + length - n, m->ending != NULL ? m->ending : "", n) == 0;
  if (meant && __atomic_load_n(&m->times, __ATOMIC_SEQ_CST) > 0) {
    __atomic_sub_fetch(&m->times, 1, __ATOMIC_SEQ_CST);
    m->meddle(m->self);
  }
  return skep_fs_list(m->below, path, sizes, visit, self, err);
}
static inline skep_status meddling_mkdirs(skep_fs *fs, const char *path, skep_err *err) {
  return skep_fs_mkdirs(meddling_below(fs), path, err);
}
static inline skep_status meddling_rename(skep_fs *fs, const char *from, const char *to, skep_err *err) {
  return skep_fs_rename_new(meddling_below(fs), from, to, err);
}
static inline skep_status meddling_remove_file(skep_fs *fs, const char *path, skep_err *err) {
  return skep_fs_remove_file(meddling_below(fs), path, err);
}
static inline skep_status meddling_remove_dir(skep_fs *fs, const char *path, skep_err *err) {
  return skep_fs_remove_dir(meddling_below(fs), path, err);
}
static inline skep_status meddling_sync_dir(skep_fs *fs, const char *path, skep_err *err) {
  return skep_fs_sync_dir(meddling_below(fs), path, err);
}
static inline skep_status meddling_free_bytes(skep_fs *fs, const char *path, uint64_t *out, skep_err *err) {
  return skep_fs_free_bytes(meddling_below(fs), path, out, err);
}
static inline void meddling_destroy(skep_fs *fs) { (void)fs; }

/* m is the caller's; it does not own `below`. Meddles once m->times is set. */
static inline void meddling_init(meddling_fs *m, const skep_ctx *ctx, skep_fs *below, void (*meddle)(void *self),
                                 void *self) {
  static const skep_fs_vtab vtab = {.name = "meddling",
                                    .promises = meddling_promises,
                                    .open_read = meddling_open,
                                    .create = meddling_create,
                                    .stat = meddling_stat,
                                    .list = meddling_list,
                                    .mkdirs = meddling_mkdirs,
                                    .rename_new = meddling_rename,
                                    .remove_file = meddling_remove_file,
                                    .remove_dir = meddling_remove_dir,
                                    .sync_dir = meddling_sync_dir,
                                    .free_bytes = meddling_free_bytes,
                                    .destroy = meddling_destroy};
  *m = (meddling_fs){.base = {.vt = &vtab, .ctx = ctx}, .below = below, .meddle = meddle, .self = self};
}

#endif
