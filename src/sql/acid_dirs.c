/* Directories of writes at a location: see acid_dirs.h. */
#include "sql/acid_dirs.h"

/* Paths of the directories in a directory. */
typedef struct paths {
  skep_arena *arena;
  const char *dir;
  const char **items;
  size_t n, capacity;
} paths;

static skep_status collect(void *self, const skep_entry *entry, skep_err *err) {
  paths *list = self;
  if (entry->kind != SKEP_ENTRY_DIR) return SKEP_OK;
  void *grown = list->items;
  SKEP_TRY(skep_arena_grow(list->arena, &grown, &list->capacity, list->n + 1, sizeof *list->items, err));
  list->items = grown;
  const char *path = skep_arena_join(list->arena, list->dir, "/", entry->name);
  if (path == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a directory");
  list->items[list->n++] = path;
  return SKEP_OK;
}

skep_status skep_acid_dirs(skep_session *s, skep_arena *arena, const char *dir, uint32_t levels,
                           skep_acid_dir_visitor *visit, void *self, skep_err *err) {
  paths list = {.arena = arena, .dir = dir};
  skep_status st = skep_fs_list(s->fs, dir, false, collect, &list, err);
  if (st == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  if (st != SKEP_OK) return st;
  for (size_t i = 0; i < list.n; i++) {
    skep_acid_dir found = {.parent = dir, .path = list.items[i]};
    if (skep_dir_name_parse(strrchr(found.path, '/') + 1, &found.name, NULL) != SKEP_OK) continue;
    if (found.name.kind != SKEP_DIR_OTHER) {
      SKEP_TRY(visit(self, &found, err));
    } else if (levels > 0) {
      SKEP_TRY(skep_acid_dirs(s, arena, found.path, levels - 1, visit, self, err));
    }
  }
  return SKEP_OK;
}

static uint32_t count_parts(const char *path) {
  uint32_t n = 0;
  while (*path != '\0') {
    size_t part = strcspn(path, "/");
    if (part > 1 || (part == 1 && path[0] != '.')) n++;
    path += part;
    while (*path == '/') path++;
  }
  return n;
}

/* Whether the walk below a table's location comes to a partition's directory. */
static bool is_on_the_way(const char *path, const char *root, uint32_t levels) {
  return skep_catalog_relate(path, root) == SKEP_CATALOG_INSIDE && count_parts(path) - count_parts(root) <= levels;
}

skep_status skep_acid_dirs_of_table(skep_session *s, skep_arena *arena, const skep_catalog_table *t,
                                    skep_acid_dir_visitor *visit, void *self, skep_err *err) {
  const skep_catalog_partition *partitions = NULL;
  const char *root, *path;
  uint32_t levels = t->partition_keys->n_children;
  size_t n = 0;
  bool walks = t->location != NULL && skep_catalog_path(t->location, &root, NULL) == SKEP_OK;
  if (walks) SKEP_TRY(skep_acid_dirs(s, arena, root, levels, visit, self, err));
  if (skep_table_is_partitioned(t))
    SKEP_TRY(skep_catalog_list_partitions(s->catalog, arena, t, false, &partitions, &n, err));
  for (size_t i = 0; i < n; i++) {
    if (partitions[i].location == NULL || skep_catalog_path(partitions[i].location, &path, NULL) != SKEP_OK) continue;
    if (walks && is_on_the_way(path, root, levels)) continue;
    SKEP_TRY(skep_acid_dirs(s, arena, path, 0, visit, self, err));
  }
  return SKEP_OK;
}
