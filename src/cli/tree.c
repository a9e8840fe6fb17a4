/* Walking a directory tree. */
#include "cli/tree.h"

#include <stdlib.h>
#include <string.h>

#include "acid/foreign.h"
#include "cli/output.h"

enum { MAX_DEPTH = 64 };

typedef struct walk {
  skep_arena *arena;
  skep_fs *fs;
  const char *root;
  size_t n, capacity;
  skep_cli_tree_entry *entries; /* from the context's allocator while it grows */
  const char *below;            /* the directory being listed, relative to root */
  size_t *open;                 /* a stack of entries: directories that are not listed yet */
  size_t n_open, open_capacity;
} walk;

const char *skep_cli_join(skep_arena *arena, const char *root, const char *path) {
  size_t n = strlen(root), m = strlen(path);
  while (n > 1 && root[n - 1] == '/') n--;
  char *out = skep_arena_alloc(arena, n + m + 2);
  if (out == NULL) return NULL;
  memcpy(out, root, n);
  if (m == 0) {
    out[n] = '\0';
    return out;
  }
  if (n > 0 && out[n - 1] != '/') out[n++] = '/';
  memcpy(out + n, path, m + 1);
  return out;
}

static skep_status visit(void *self, const skep_entry *entry, skep_err *err) {
  walk *w = self;
  const skep_ctx *ctx = w->arena->ctx;
  if (w->n >= ctx->limits.max_dir_entries) {
    return skep_fail(err, SKEP_ERR_LIMIT, "more than %llu names", (unsigned long long)ctx->limits.max_dir_entries);
  }
  void *block = w->entries;
  SKEP_TRY(skep_grow(ctx, &block, &w->capacity, w->n + 1, sizeof *w->entries, err));
  w->entries = block;
  const char *path = w->below[0] == '\0' ? skep_arena_strndup(w->arena, entry->name, strlen(entry->name))
                                         : skep_cli_join(w->arena, w->below, entry->name);
  if (path == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for the names of a directory tree");
  if (entry->kind == SKEP_ENTRY_DIR) {
    SKEP_TRY(skep_grow(ctx, (void **)&w->open, &w->open_capacity, w->n_open + 1, sizeof *w->open, err));
    w->open[w->n_open++] = w->n;
  }
  w->entries[w->n++] = (skep_cli_tree_entry){.path = path, .kind = entry->kind, .size_bytes = entry->size_bytes};
  return SKEP_OK;
}

static unsigned depth_of(const char *path) {
  unsigned depth = 1;
  for (; *path != '\0'; path++) depth += *path == '/';
  return depth;
}

/* Depth first, with a stack of its own: where links lead round in circles, the limit of depth is met soon. */
static skep_status walk_all(walk *w, skep_err *err) {
  w->below = "";
  SKEP_TRY(skep_fs_list(w->fs, w->root, true, visit, w, err));
  while (w->n_open > 0) {
    if (skep_cli_interrupted()) return skep_fail(err, SKEP_ERR_CANCELLED, "interrupted");
    w->below = w->entries[w->open[--w->n_open]].path;
    if (depth_of(w->below) > MAX_DEPTH)
      return skep_fail(err, SKEP_ERR_LIMIT, "directories nest deeper than %d levels", MAX_DEPTH);
    const char *full = skep_cli_join(w->arena, w->root, w->below);
    if (full == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a path");
    SKEP_TRY(skep_fs_list(w->fs, full, true, visit, w, err));
  }
  return SKEP_OK;
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const skep_cli_tree_entry *)a)->path, ((const skep_cli_tree_entry *)b)->path);
}

skep_status skep_cli_tree_read(skep_arena *arena, skep_fs *fs, const char *root, skep_cli_tree *out, skep_err *err) {
  *out = (skep_cli_tree){0};
  walk w = {.arena = arena, .fs = fs, .root = root};
  skep_status status = walk_all(&w, err);
  if (status == SKEP_OK && w.n > 0) {
    out->entries = skep_arena_zero(arena, w.n, sizeof *w.entries);
    if (out->entries == NULL) status = skep_fail(err, SKEP_ERR_NOMEM, "no memory for %zu names", w.n);
  }
  if (status == SKEP_OK && w.n > 0) {
    memcpy(out->entries, w.entries, w.n * sizeof *w.entries);
    out->n = w.n;
    qsort(out->entries, out->n, sizeof *out->entries, by_path);
  }
  skep_release(arena->ctx, w.entries);
  skep_release(arena->ctx, w.open);
  if (status == SKEP_OK) return status;
  char quoted[300];
  return skep_wrap(err, status, "%s", skep_quote(quoted, sizeof quoted, root, strlen(root)));
}

skep_status skep_cli_logical_length(skep_arena *arena, skep_fs *fs, const char *path, uint64_t size_bytes,
                                    uint64_t *out, skep_err *err) {
  enum { MAX_SIDE_BYTES = 64 << 20 };
  *out = size_bytes;
  size_t n = strlen(path);
  char *side = skep_arena_alloc(arena, n + sizeof "_flush_length");
  if (side == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a path");
  memcpy(side, path, n);
  memcpy(side + n, "_flush_length", sizeof "_flush_length");
  skep_buf bytes;
  skep_buf_init(&bytes, arena->ctx, MAX_SIDE_BYTES);
  skep_status status = skep_fs_read_whole(fs, side, &bytes, err);
  size_t n_lengths = bytes.size / 8;
  if (status == SKEP_OK && n_lengths == 0)
    status = skep_fail(err, SKEP_ERR_CORRUPT, "its side file has %zu bytes, and a length needs 8", bytes.size);
  if (status == SKEP_OK) *out = skep_load_be64(bytes.data + (n_lengths - 1) * 8);
  skep_buf_fini(&bytes);
  if (status == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  SKEP_TRY(status);
  if (*out <= size_bytes) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_CORRUPT, "its side file says that %llu bytes are flushed, but it has %llu",
                   (unsigned long long)*out, (unsigned long long)size_bytes);
}

skep_status skep_cli_explain(skep_fs *fs, const char *path, skep_status status, skep_err *err) {
  skep_file *file = NULL;
  if (status != SKEP_ERR_CORRUPT || skep_fs_open_read(fs, path, &file, NULL) != SKEP_OK) return status;
  status = skep_foreign_explain(file, status, err);
  skep_file_close(file, NULL);
  return status;
}
