/* See run.h: what a dead worker left. A result is known by the `_v` of its transaction alone, so nothing else can be
 * meant. */
#include <string.h>

#include "acid/dir_write.h"
#include "acid/name.h"
#include "compact/run.h"

typedef struct found {
  int64_t visibility_txn;
  skep_buf names; /* NUL-terminated, one behind the other: a directory must not change while it is listed */
} found;

static skep_status collect(void *self, const skep_entry *entry, skep_err *err) {
  found *f = self;
  skep_dir_name name;
  if (entry->kind != SKEP_ENTRY_DIR) return SKEP_OK;
  if (skep_dir_name_parse(entry->name, &name, NULL) != SKEP_OK) return SKEP_OK; /* not a compactor's */
  if (name.kind == SKEP_DIR_OTHER || name.visibility_txn != f->visibility_txn) return SKEP_OK;
  skep_buf_add(&f->names, entry->name, strlen(entry->name) + 1);
  return skep_buf_check(&f->names, "names of directories", err);
}

static skep_status remove_all(const skep_ctx *ctx, skep_fs *fs, const char *root, const skep_buf *names,
                              uint32_t *n_removed, skep_err *err) {
  skep_buf path;
  skep_status status = SKEP_OK;
  skep_buf_init(&path, ctx, SIZE_MAX / 4);
  for (size_t at = 0; at < names->size && status == SKEP_OK;) {
    const char *name = (const char *)names->data + at;
    at += strlen(name) + 1;
    skep_buf_reset(&path);
    skep_dir_join(&path, root, name);
    const char *full = skep_buf_string(&path);
    status = skep_buf_check(&path, "path", err);
    if (status == SKEP_OK) status = skep_dir_remove(ctx, fs, full, err);
    if (status == SKEP_OK) status = skep_dir_sync_above(ctx, fs, full, err);
    if (status == SKEP_OK) (*n_removed)++;
  }
  skep_buf_fini(&path);
  return status;
}

skep_status skep_compact_leftovers(const skep_ctx *ctx, skep_fs *fs, const char *root, int64_t visibility_txn,
                                   uint32_t *n_removed, skep_err *err) {
  uint32_t n = 0;
  if (n_removed != NULL) *n_removed = 0;
  if (visibility_txn < 1) return skep_fail(err, SKEP_ERR_ARGUMENT, "a compaction's transaction is 1 or more");
  found f = {.visibility_txn = visibility_txn};
  skep_buf_init(&f.names, ctx, SIZE_MAX / 4);
  skep_status status = skep_fs_list(fs, root, false, collect, &f, err);
  if (status == SKEP_ERR_NOT_FOUND) {
    status = SKEP_OK; /* the table is gone, and all leftovers with it */
  } else if (status == SKEP_OK) {
    status = remove_all(ctx, fs, root, &f.names, &n, err);
  }
  skep_buf_fini(&f.names);
  if (n_removed != NULL) *n_removed = n;
  return status;
}
