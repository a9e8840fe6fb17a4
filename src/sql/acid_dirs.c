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
