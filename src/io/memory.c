/* A tree of nodes under one lock. A file's content is shared by its node and its open handles, so that removing or
 * replacing it leaves a reader what it opened, as on a local disk. */
#include "io/memory.h"

#include <pthread.h>
#include <string.h>

#include "base/arena.h"
#include "io/fs_int.h"

typedef struct content {
  size_t refs; /* guarded by the file system's lock, as everything below */
  skep_buf bytes;
} content;

typedef struct node {
  char *name;
  content *content;       /* files; NULL for directories */
  struct node **children; /* directories; sorted by name */
  size_t n_children, capacity;
  int64_t mtime_ms;
} node;

typedef struct memory_fs {
  skep_fs fs;
  pthread_mutex_t lock;
  node root;
  uint64_t free_bytes; /* what is said when asked */
} memory_fs;

typedef struct memory_file {
  skep_file file;
  memory_fs *fs;
  content *content;
} memory_file;

static void content_drop(const skep_ctx *ctx, content *c) {
  if (c == NULL || --c->refs > 0) return;
  skep_buf_fini(&c->bytes);
  skep_release(ctx, c);
}

static content *content_new(const skep_ctx *ctx) {
  content *c = skep_alloc_zero(ctx, 1, sizeof *c);
  if (c == NULL) return NULL;
  c->refs = 1;
  skep_buf_init(&c->bytes, ctx, SIZE_MAX);
  return c;
}

/* Frees a node without children. */
static void node_free(const skep_ctx *ctx, node *n) {
  if (n == NULL) return;
  content_drop(ctx, n->content);
  skep_release(ctx, n->name);
  skep_release(ctx, n->children);
  skep_release(ctx, n);
}

/* --- the tree --- */

static int compare_name(const char *name, const char *other, size_t length) {
  int order = strncmp(name, other, length);
  return order != 0 ? order : name[length] != '\0';
}

/* Where the name is, or where it would be inserted. */
static size_t child_position(const node *dir, const char *name, size_t length, bool *found) {
  size_t low = 0, high = dir->n_children;
  *found = false;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = compare_name(dir->children[middle]->name, name, length);
    if (order == 0) *found = true;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/* The next component of *path, skipping slashes and "."; false at the end. */
static bool next_component(const char **path, const char **name, size_t *length) {
  for (;;) {
    while (**path == '/') (*path)++;
    if (**path == '\0') return false;
    *name = *path;
    while (**path != '/' && **path != '\0') (*path)++;
    *length = (size_t)(*path - *name);
    if (*length != 1 || **name != '.') return true;
  }
}

static node *find(memory_fs *m, const char *path) {
  node *at = &m->root;
  const char *name;
  size_t length;
  while (next_component(&path, &name, &length)) {
    if (at->content != NULL) return NULL;
    bool found;
    size_t i = child_position(at, name, length, &found);
    if (!found) return NULL;
    at = at->children[i];
  }
  return at;
}

/* Splits a path into the node of its parent directory and its last name. NULL parent: missing, or a file. */
static node *find_parent(memory_fs *m, const char *path, const char **name, size_t *length) {
  const char *next_name;
  size_t next_length;
  node *at = &m->root;
  if (!next_component(&path, name, length)) return NULL; /* the root has no parent */
  while (next_component(&path, &next_name, &next_length)) {
    bool found;
    size_t i = child_position(at, *name, *length, &found);
    if (!found || at->children[i]->content != NULL) return NULL;
    at = at->children[i];
    *name = next_name;
    *length = next_length;
  }
  return at;
}

static bool insert_child(memory_fs *m, node *dir, node *child) {
  const skep_ctx *ctx = m->fs.ctx;
  void *children = dir->children;
  if (skep_grow(ctx, &children, &dir->capacity, dir->n_children + 1, sizeof *dir->children, NULL) != SKEP_OK) {
    return false;
  }
  dir->children = children;
  bool found;
  size_t i = child_position(dir, child->name, strlen(child->name), &found);
  memmove(dir->children + i + 1, dir->children + i, (dir->n_children - i) * sizeof *dir->children);
  dir->children[i] = child;
  dir->n_children++;
  dir->mtime_ms = ctx->clock_ms(ctx->clock_self);
  return true;
}

/* Takes the child out of its directory; the caller owns it. */
static node *remove_child(node *dir, size_t i) {
  node *child = dir->children[i];
  memmove(dir->children + i, dir->children + i + 1, (dir->n_children - i - 1) * sizeof *dir->children);
  dir->n_children--;
  return child;
}

/* A new node in `dir`; `c` is taken over, also on failure (NULL makes a directory). NULL when out of memory. */
static node *add_node(memory_fs *m, node *dir, const char *name, size_t length, content *c) {
  const skep_ctx *ctx = m->fs.ctx;
  node *n = skep_alloc_zero(ctx, 1, sizeof *n);
  if (n == NULL) {
    content_drop(ctx, c);
    return NULL;
  }
  n->content = c;
  n->mtime_ms = ctx->clock_ms(ctx->clock_self);
  n->name = skep_strndup(ctx, name, length);
  if (n->name == NULL || !insert_child(m, dir, n)) {
    node_free(ctx, n);
    return NULL;
  }
  return n;
}

static skep_status out_of_memory(const char *path, skep_err *err) {
  return skep_fs_fail(err, SKEP_ERR_NOMEM, path, "out of memory");
}

static skep_status not_found(const char *path, skep_err *err) {
  return skep_fs_fail(err, SKEP_ERR_NOT_FOUND, path, "no such file or directory");
}

/* "x/.." would need links to be right; nobody needs it here. */
static skep_status check_dots(const char *path, skep_err *err) {
  const char *name, *at = path;
  size_t length;
  while (next_component(&at, &name, &length)) {
    if (length == 2 && memcmp(name, "..", 2) == 0) {
      return skep_fs_fail(err, SKEP_ERR_ARGUMENT, path, "'..' is not supported in memory");
    }
  }
  return SKEP_OK;
}

/* --- files --- */

static skep_status memory_read_at(skep_file *base, uint64_t offset, void *out, size_t length, skep_err *err) {
  (void)err;
  memory_file *file = (memory_file *)base;
  pthread_mutex_lock(&file->fs->lock);
  memcpy(out, file->content->bytes.data + offset, length); /* content never shrinks below the size at open */
  pthread_mutex_unlock(&file->fs->lock);
  return SKEP_OK;
}

static skep_status memory_append(skep_file *base, const void *bytes, size_t length, skep_err *err) {
  memory_file *file = (memory_file *)base;
  pthread_mutex_lock(&file->fs->lock);
  skep_status status = SKEP_OK;
  if (skep_buf_add(&file->content->bytes, bytes, length)) {
    base->size_bytes += length;
  } else {
    status = skep_buf_check(&file->content->bytes, "a file in memory", err);
  }
  pthread_mutex_unlock(&file->fs->lock);
  return status;
}

static skep_status memory_sync(skep_file *base, skep_err *err) {
  memory_file *file = (memory_file *)base;
  pthread_mutex_lock(&file->fs->lock);
  skep_status status = skep_buf_check(&file->content->bytes, "a file in memory", err);
  pthread_mutex_unlock(&file->fs->lock);
  return status;
}

static skep_status memory_close(skep_file *base, skep_err *err) {
  (void)err;
  memory_file *file = (memory_file *)base;
  memory_fs *m = file->fs;
  pthread_mutex_lock(&m->lock);
  content_drop(m->fs.ctx, file->content);
  pthread_mutex_unlock(&m->lock);
  skep_release(m->fs.ctx, file);
  return SKEP_OK;
}

static const skep_file_vtab reader_vtab = {.read_at = memory_read_at, .close = memory_close};
static const skep_file_vtab writer_vtab = {.append = memory_append, .sync = memory_sync, .close = memory_close};

/* A handle on `c`, which gets one more reference. */
static skep_status open_content(memory_fs *m, content *c, const skep_file_vtab *vt, const char *path, skep_file **out,
                                skep_err *err) {
  memory_file *file = skep_alloc_zero(m->fs.ctx, 1, sizeof *file);
  if (file == NULL) return out_of_memory(path, err);
  file->file = (skep_file){.vt = vt, .size_bytes = c->bytes.size};
  file->fs = m;
  file->content = c;
  c->refs++;
  *out = &file->file;
  return SKEP_OK;
}

/* --- methods; each `locked_` function runs under the lock --- */

static skep_status locked_open_read(memory_fs *m, const char *path, skep_file **out, skep_err *err) {
  node *n = find(m, path);
  if (n == NULL) return not_found(path, err);
  if (n->content == NULL) return skep_fs_fail(err, SKEP_ERR_ARGUMENT, path, "is a directory");
  return open_content(m, n->content, &reader_vtab, path, out, err);
}

static skep_status memory_open_read(skep_fs *fs, const char *path, skep_file **out, skep_err *err) {
  memory_fs *m = (memory_fs *)fs;
  SKEP_TRY(check_dots(path, err));
  pthread_mutex_lock(&m->lock);
  skep_status status = locked_open_read(m, path, out, err);
  pthread_mutex_unlock(&m->lock);
  return status;
}

static skep_status locked_create(memory_fs *m, const char *path, skep_file **out, skep_err *err) {
  if (find(m, path) != NULL) return skep_fs_fail(err, SKEP_ERR_EXISTS, path, "is there already");
  const char *name;
  size_t length;
  node *parent = find_parent(m, path, &name, &length);
  if (parent == NULL) return not_found(path, err);
  content *c = content_new(m->fs.ctx);
  if (c == NULL) return out_of_memory(path, err);
  skep_status status = open_content(m, c, &writer_vtab, path, out, err);
  if (status != SKEP_OK) {
    content_drop(m->fs.ctx, c);
    return status;
  }
  if (add_node(m, parent, name, length, c) != NULL) return SKEP_OK;
  content_drop(m->fs.ctx, c); /* the handle's reference */
  skep_release(m->fs.ctx, *out);
  *out = NULL;
  return out_of_memory(path, err);
}

static skep_status memory_create(skep_fs *fs, const char *path, skep_file **out, skep_err *err) {
  memory_fs *m = (memory_fs *)fs;
  SKEP_TRY(check_dots(path, err));
  pthread_mutex_lock(&m->lock);
  skep_status status = locked_create(m, path, out, err);
  pthread_mutex_unlock(&m->lock);
  return status;
}

static skep_status memory_stat(skep_fs *fs, const char *path, skep_stat *out, skep_err *err) {
  memory_fs *m = (memory_fs *)fs;
  SKEP_TRY(check_dots(path, err));
  pthread_mutex_lock(&m->lock);
  const node *n = find(m, path);
  if (n != NULL) {
    out->kind = n->content == NULL ? SKEP_ENTRY_DIR : SKEP_ENTRY_FILE;
    out->size_bytes = n->content == NULL ? 0 : n->content->bytes.size;
    out->mtime_ms = n->mtime_ms;
  }
  pthread_mutex_unlock(&m->lock);
  return n == NULL ? not_found(path, err) : SKEP_OK;
}

/* The names of a directory, copied, so that the visitor runs without the lock and may call us. */
typedef struct names {
  skep_arena arena;
  skep_entry *entries;
  size_t n;
} names;

static skep_status locked_names(memory_fs *m, const char *path, bool sizes, names *out, skep_err *err) {
  const node *dir = find(m, path);
  if (dir == NULL) return not_found(path, err);
  if (dir->content != NULL) return skep_fs_fail(err, SKEP_ERR_ARGUMENT, path, "is not a directory");
  out->entries = skep_arena_zero(&out->arena, dir->n_children, sizeof *out->entries);
  if (out->entries == NULL) return out_of_memory(path, err);
  for (size_t i = 0; i < dir->n_children; i++) {
    const node *child = dir->children[i];
    const char *name = skep_arena_strndup(&out->arena, child->name, strlen(child->name));
    if (name == NULL) return out_of_memory(path, err);
    bool is_dir = child->content == NULL;
    out->entries[i] = (skep_entry){name, is_dir ? SKEP_ENTRY_DIR : SKEP_ENTRY_FILE,
                                   sizes && !is_dir ? child->content->bytes.size : 0};
  }
  out->n = dir->n_children;
  return SKEP_OK;
}

static skep_status memory_list(skep_fs *fs, const char *path, bool sizes, skep_entry_visitor *visit, void *self,
                               skep_err *err) {
  memory_fs *m = (memory_fs *)fs;
  SKEP_TRY(check_dots(path, err));
  names found = {0};
  skep_arena_init(&found.arena, fs->ctx, SIZE_MAX);
  pthread_mutex_lock(&m->lock);
  skep_status status = locked_names(m, path, sizes, &found, err);
  pthread_mutex_unlock(&m->lock);
  for (size_t i = 0; i < found.n && status == SKEP_OK; i++) status = visit(self, &found.entries[i], err);
  skep_arena_fini(&found.arena);
  return status;
}

static skep_status locked_mkdirs(memory_fs *m, const char *path, size_t stop_before, skep_err *err) {
  node *at = &m->root;
  const char *name, *rest = path;
  size_t length;
  while (next_component(&rest, &name, &length)) {
    if ((size_t)(name - path) >= stop_before) break;
    bool found;
    size_t i = child_position(at, name, length, &found);
    node *next = found ? at->children[i] : add_node(m, at, name, length, NULL);
    if (next == NULL) return out_of_memory(path, err);
    if (next->content != NULL) return skep_fs_fail(err, SKEP_ERR_EXISTS, path, "a file is in the way");
    at = next;
  }
  return SKEP_OK;
}

static skep_status memory_mkdirs(skep_fs *fs, const char *path, skep_err *err) {
  memory_fs *m = (memory_fs *)fs;
  SKEP_TRY(check_dots(path, err));
  pthread_mutex_lock(&m->lock);
  skep_status status = locked_mkdirs(m, path, SIZE_MAX, err);
  pthread_mutex_unlock(&m->lock);
  return status;
}

/* True when `at` is `dir` or below it. */
static bool is_inside(const node *dir, const node *at) {
  if (dir == at) return true;
  for (size_t i = 0; i < dir->n_children; i++) {
    if (is_inside(dir->children[i], at)) return true;
  }
  return false;
}

static skep_status locked_rename(memory_fs *m, const char *from, const char *to, skep_err *err) {
  const char *from_name, *to_name;
  size_t from_length, to_length;
  node *moved = find(m, from);
  node *from_dir = find_parent(m, from, &from_name, &from_length);
  if (moved == NULL || from_dir == NULL) return not_found(from, err);
  if (find(m, to) != NULL) return skep_fs_fail(err, SKEP_ERR_EXISTS, to, "is there already");
  node *to_dir = find_parent(m, to, &to_name, &to_length);
  if (to_dir == NULL) return not_found(to, err);
  if (is_inside(moved, to_dir)) return skep_fs_fail(err, SKEP_ERR_ARGUMENT, from, "cannot be moved into itself");
  char *name = skep_strndup(m->fs.ctx, to_name, to_length);
  if (name == NULL) return out_of_memory(to, err);
  char *old_name = moved->name;
  bool found;
  remove_child(from_dir, child_position(from_dir, from_name, from_length, &found));
  moved->name = name;
  if (!insert_child(m, to_dir, moved)) {
    moved->name = old_name;
    insert_child(m, from_dir, moved); /* cannot fail: its slot was just freed */
    skep_release(m->fs.ctx, name);
    return out_of_memory(to, err);
  }
  skep_release(m->fs.ctx, old_name);
  return SKEP_OK;
}

static skep_status memory_rename_new(skep_fs *fs, const char *from, const char *to, skep_err *err) {
  memory_fs *m = (memory_fs *)fs;
  SKEP_TRY(check_dots(from, err));
  SKEP_TRY(check_dots(to, err));
  pthread_mutex_lock(&m->lock);
  skep_status status = locked_rename(m, from, to, err);
  pthread_mutex_unlock(&m->lock);
  return status;
}

static skep_status locked_remove(memory_fs *m, const char *path, bool dirs, skep_err *err) {
  const char *name;
  size_t length;
  const node *n = find(m, path);
  node *parent = find_parent(m, path, &name, &length);
  if (n == NULL) return not_found(path, err);
  if (parent == NULL) return skep_fs_fail(err, SKEP_ERR_ARGUMENT, path, "the root cannot be removed");
  if (dirs && n->content != NULL) return skep_fs_fail(err, SKEP_ERR_ARGUMENT, path, "is not a directory");
  if (!dirs && n->content == NULL) return skep_fs_fail(err, SKEP_ERR_ARGUMENT, path, "is a directory");
  if (n->n_children != 0) return skep_fs_fail(err, SKEP_ERR_EXISTS, path, "is not empty");
  bool found;
  node_free(m->fs.ctx, remove_child(parent, child_position(parent, name, length, &found)));
  return SKEP_OK;
}

static skep_status memory_remove(skep_fs *fs, const char *path, bool dirs, skep_err *err) {
  memory_fs *m = (memory_fs *)fs;
  SKEP_TRY(check_dots(path, err));
  pthread_mutex_lock(&m->lock);
  skep_status status = locked_remove(m, path, dirs, err);
  pthread_mutex_unlock(&m->lock);
  return status;
}

static skep_status memory_remove_file(skep_fs *fs, const char *path, skep_err *err) {
  return memory_remove(fs, path, false, err);
}

static skep_status memory_remove_dir(skep_fs *fs, const char *path, skep_err *err) {
  return memory_remove(fs, path, true, err);
}

static skep_status memory_sync_dir(skep_fs *fs, const char *path, skep_err *err) {
  skep_stat st = {0};
  SKEP_TRY(memory_stat(fs, path, &st, err));
  if (st.kind != SKEP_ENTRY_DIR) return skep_fs_fail(err, SKEP_ERR_NOT_FOUND, path, "is not a directory");
  return SKEP_OK;
}

static skep_status memory_free_bytes(skep_fs *fs, const char *path, uint64_t *out, skep_err *err) {
  skep_stat st = {0};
  SKEP_TRY(memory_stat(fs, path, &st, err));
  *out = ((memory_fs *)fs)->free_bytes;
  return SKEP_OK;
}

static unsigned memory_promises(skep_fs *fs, const char *path) {
  (void)fs;
  (void)path;
  return SKEP_FS_ATOMIC_RENAME | SKEP_FS_DURABLE_DIRS | SKEP_FS_LOCAL;
}

/* Frees everything below `dir`, depth first. */
static void free_children(const skep_ctx *ctx, node *dir) {
  for (size_t i = 0; i < dir->n_children; i++) {
    free_children(ctx, dir->children[i]);
    node_free(ctx, dir->children[i]);
  }
  dir->n_children = 0;
}

static void memory_destroy(skep_fs *fs) {
  memory_fs *m = (memory_fs *)fs;
  free_children(fs->ctx, &m->root);
  skep_release(fs->ctx, m->root.children);
  pthread_mutex_destroy(&m->lock);
  skep_release(fs->ctx, m);
}

static const skep_fs_vtab memory_vtab = {
    .name = "memory",
    .promises = memory_promises,
    .open_read = memory_open_read,
    .create = memory_create,
    .stat = memory_stat,
    .list = memory_list,
    .mkdirs = memory_mkdirs,
    .rename_new = memory_rename_new,
    .remove_file = memory_remove_file,
    .remove_dir = memory_remove_dir,
    .sync_dir = memory_sync_dir,
    .free_bytes = memory_free_bytes,
    .destroy = memory_destroy,
};

skep_status skep_fs_memory_new(const skep_ctx *ctx, skep_fs **out, skep_err *err) {
  *out = NULL;
  memory_fs *m = skep_alloc_zero(ctx, 1, sizeof *m);
  if (m == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory for a file system");
  if (pthread_mutex_init(&m->lock, NULL) != 0) {
    skep_release(ctx, m);
    return skep_fail(err, SKEP_ERR_IO, "cannot make a lock");
  }
  m->fs = (skep_fs){.vt = &memory_vtab, .ctx = ctx};
  m->free_bytes = UINT64_MAX;
  *out = &m->fs;
  return SKEP_OK;
}

void skep_fs_memory_set_free(skep_fs *fs, uint64_t free_bytes) { ((memory_fs *)fs)->free_bytes = free_bytes; }

static skep_status locked_put(memory_fs *m, const char *path, const void *bytes, size_t size, skep_err *err) {
  const char *name;
  size_t length;
  node *n = find(m, path);
  if (n != NULL && n->content == NULL) return skep_fs_fail(err, SKEP_ERR_ARGUMENT, path, "is a directory");
  const char *slash = strrchr(path, '/');
  if (slash != NULL) SKEP_TRY(locked_mkdirs(m, path, (size_t)(slash - path), err));
  node *parent = find_parent(m, path, &name, &length);
  if (parent == NULL) return skep_fs_fail(err, SKEP_ERR_ARGUMENT, path, "names no file");
  content *c = content_new(m->fs.ctx);
  if (c == NULL) return out_of_memory(path, err);
  if (!skep_buf_add(&c->bytes, bytes, size)) {
    content_drop(m->fs.ctx, c);
    return out_of_memory(path, err);
  }
  if (n == NULL) return add_node(m, parent, name, length, c) == NULL ? out_of_memory(path, err) : SKEP_OK;
  content_drop(m->fs.ctx, n->content);
  n->content = c;
  n->mtime_ms = m->fs.ctx->clock_ms(m->fs.ctx->clock_self);
  return SKEP_OK;
}

skep_status skep_fs_memory_put(skep_fs *fs, const char *path, const void *bytes, size_t size, skep_err *err) {
  memory_fs *m = (memory_fs *)fs;
  SKEP_TRY(check_dots(path, err));
  pthread_mutex_lock(&m->lock);
  skep_status status = locked_put(m, path, bytes, size, err);
  pthread_mutex_unlock(&m->lock);
  return status;
}
