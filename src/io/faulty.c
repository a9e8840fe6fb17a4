/* The failing file system: counts each call, fails the one it was told to, passes the others on. */
#include "io/faulty.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <unistd.h>

#include "io/fs_int.h"

typedef struct faulty_fs {
  skep_fs fs;
  skep_fs *below;
  _Atomic uint64_t calls, opens, reads, read_bytes, lists;
  _Atomic uint64_t fail_at; /* value of `calls` that fails; 0: none */
  _Atomic bool sticky;
  _Atomic uint64_t changes;
  _Atomic uint64_t stop_at; /* value of `changes` that ends the process; 0: none */
} faulty_fs;

typedef struct faulty_file {
  skep_file file;
  faulty_fs *fs;
  skep_file *below;
} faulty_file;

/* Counts one call; SKEP_ERR_IO when it is the one to fail. `path` may be NULL. */
static skep_status enter(faulty_fs *f, const char *path, skep_err *err) {
  uint64_t call = atomic_fetch_add(&f->calls, 1) + 1;
  uint64_t at = atomic_load(&f->fail_at);
  if (at == 0 || call < at || (call > at && !atomic_load(&f->sticky))) return SKEP_OK;
  return skep_fs_fail(err, SKEP_ERR_IO, path, "call %" PRIu64 " fails as requested", call);
}

/* Counts one call that changes something; true when the process ends with it. */
static bool stops(faulty_fs *f) {
  uint64_t call = atomic_fetch_add(&f->changes, 1) + 1;
  return call == atomic_load(&f->stop_at);
}

/* As enter, for calls that change something. */
static skep_status enter_change(faulty_fs *f, const char *path, skep_err *err) {
  if (stops(f)) _exit(SKEP_FS_FAULT_CODE);
  return enter(f, path, err);
}

/* --- files --- */

static skep_status faulty_read_at(skep_file *base, uint64_t offset, void *out, size_t length, skep_err *err) {
  faulty_file *file = (faulty_file *)base;
  SKEP_TRY(enter(file->fs, NULL, err));
  atomic_fetch_add(&file->fs->reads, 1);
  atomic_fetch_add(&file->fs->read_bytes, length);
  return skep_file_read_at(file->below, offset, out, length, err);
}

static skep_status faulty_append(skep_file *base, const void *bytes, size_t length, skep_err *err) {
  faulty_file *file = (faulty_file *)base;
  if (stops(file->fs)) {
    (void)!skep_file_append(file->below, bytes, length / 2, NULL);
    _exit(SKEP_FS_FAULT_CODE);
  }
  SKEP_TRY(enter(file->fs, NULL, err));
  skep_status status = skep_file_append(file->below, bytes, length, err);
  base->size_bytes = file->below->size_bytes;
  return status;
}

static skep_status faulty_sync(skep_file *base, skep_err *err) {
  faulty_file *file = (faulty_file *)base;
  SKEP_TRY(enter_change(file->fs, NULL, err));
  return skep_file_sync(file->below, err);
}

static skep_status faulty_close(skep_file *base, skep_err *err) {
  faulty_file *file = (faulty_file *)base;
  skep_status status = skep_file_close(file->below, err);
  skep_release(file->fs->fs.ctx, file);
  return status;
}

static const skep_file_vtab reader_vtab = {.read_at = faulty_read_at, .close = faulty_close};
static const skep_file_vtab writer_vtab = {.append = faulty_append, .sync = faulty_sync, .close = faulty_close};

/* Wraps *out; takes the file below over, also on failure. */
static skep_status wrap_file(faulty_fs *f, const skep_file_vtab *vt, skep_file *below, const char *path,
                             skep_file **out, skep_err *err) {
  faulty_file *file = skep_alloc_zero(f->fs.ctx, 1, sizeof *file);
  if (file == NULL) {
    skep_file_close(below, NULL);
    return skep_fs_fail(err, SKEP_ERR_NOMEM, path, "out of memory for a file handle");
  }
  *file = (faulty_file){.file = {.vt = vt, .size_bytes = below->size_bytes}, .fs = f, .below = below};
  *out = &file->file;
  return SKEP_OK;
}

/* --- methods --- */

static skep_status faulty_open_read(skep_fs *fs, const char *path, skep_file **out, skep_err *err) {
  faulty_fs *f = (faulty_fs *)fs;
  SKEP_TRY(enter(f, path, err));
  atomic_fetch_add(&f->opens, 1);
  skep_file *below;
  SKEP_TRY(skep_fs_open_read(f->below, path, &below, err));
  return wrap_file(f, &reader_vtab, below, path, out, err);
}

static skep_status faulty_create(skep_fs *fs, const char *path, skep_file **out, skep_err *err) {
  faulty_fs *f = (faulty_fs *)fs;
  SKEP_TRY(enter_change(f, path, err));
  skep_file *below;
  SKEP_TRY(skep_fs_create(f->below, path, &below, err));
  return wrap_file(f, &writer_vtab, below, path, out, err);
}

static skep_status faulty_stat(skep_fs *fs, const char *path, skep_stat *out, skep_err *err) {
  faulty_fs *f = (faulty_fs *)fs;
  SKEP_TRY(enter(f, path, err));
  return skep_fs_stat(f->below, path, out, err);
}

static skep_status faulty_list(skep_fs *fs, const char *path, bool sizes, skep_entry_visitor *visit, void *self,
                               skep_err *err) {
  faulty_fs *f = (faulty_fs *)fs;
  SKEP_TRY(enter(f, path, err));
  atomic_fetch_add(&f->lists, 1);
  return skep_fs_list(f->below, path, sizes, visit, self, err);
}

static skep_status faulty_mkdirs(skep_fs *fs, const char *path, skep_err *err) {
  faulty_fs *f = (faulty_fs *)fs;
  SKEP_TRY(enter_change(f, path, err));
  return skep_fs_mkdirs(f->below, path, err);
}

static skep_status faulty_rename_new(skep_fs *fs, const char *from, const char *to, skep_err *err) {
  faulty_fs *f = (faulty_fs *)fs;
  SKEP_TRY(enter_change(f, from, err));
  return skep_fs_rename_new(f->below, from, to, err);
}

static skep_status faulty_remove_file(skep_fs *fs, const char *path, skep_err *err) {
  faulty_fs *f = (faulty_fs *)fs;
  SKEP_TRY(enter_change(f, path, err));
  return skep_fs_remove_file(f->below, path, err);
}

static skep_status faulty_remove_dir(skep_fs *fs, const char *path, skep_err *err) {
  faulty_fs *f = (faulty_fs *)fs;
  SKEP_TRY(enter_change(f, path, err));
  return skep_fs_remove_dir(f->below, path, err);
}

static skep_status faulty_sync_dir(skep_fs *fs, const char *path, skep_err *err) {
  faulty_fs *f = (faulty_fs *)fs;
  SKEP_TRY(enter_change(f, path, err));
  return skep_fs_sync_dir(f->below, path, err);
}

static skep_status faulty_free_bytes(skep_fs *fs, const char *path, uint64_t *out, skep_err *err) {
  faulty_fs *f = (faulty_fs *)fs;
  SKEP_TRY(enter(f, path, err));
  return skep_fs_free_bytes(f->below, path, out, err);
}

static unsigned faulty_promises(skep_fs *fs, const char *path) {
  return skep_fs_promises(((faulty_fs *)fs)->below, path);
}

static void faulty_destroy(skep_fs *fs) { skep_release(fs->ctx, fs); }

static const skep_fs_vtab faulty_vtab = {
    .name = "faulty",
    .promises = faulty_promises,
    .open_read = faulty_open_read,
    .create = faulty_create,
    .stat = faulty_stat,
    .list = faulty_list,
    .mkdirs = faulty_mkdirs,
    .rename_new = faulty_rename_new,
    .remove_file = faulty_remove_file,
    .remove_dir = faulty_remove_dir,
    .sync_dir = faulty_sync_dir,
    .free_bytes = faulty_free_bytes,
    .destroy = faulty_destroy,
};

skep_status skep_fs_faulty_new(const skep_ctx *ctx, skep_fs *below, skep_fs **out, skep_err *err) {
  *out = NULL;
  faulty_fs *f = skep_alloc_zero(ctx, 1, sizeof *f);
  if (f == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory for a file system");
  f->fs = (skep_fs){.vt = &faulty_vtab, .ctx = ctx};
  f->below = below;
  *out = &f->fs;
  return SKEP_OK;
}

void skep_fs_faulty_fail_nth(skep_fs *fs, uint64_t nth, bool sticky) {
  faulty_fs *f = (faulty_fs *)fs;
  atomic_store(&f->sticky, sticky);
  atomic_store(&f->fail_at, nth == 0 ? 0 : atomic_load(&f->calls) + nth);
}

void skep_fs_faulty_stop_nth(skep_fs *fs, uint64_t nth) {
  faulty_fs *f = (faulty_fs *)fs;
  atomic_store(&f->stop_at, nth == 0 ? 0 : atomic_load(&f->changes) + nth);
}

skep_fs_counts skep_fs_faulty_counts(const skep_fs *fs) {
  const faulty_fs *f = (const faulty_fs *)fs;
  return (skep_fs_counts){.calls = atomic_load(&f->calls),
                          .opens = atomic_load(&f->opens),
                          .reads = atomic_load(&f->reads),
                          .read_bytes = atomic_load(&f->read_bytes),
                          .lists = atomic_load(&f->lists),
                          .changes = atomic_load(&f->changes)};
}
