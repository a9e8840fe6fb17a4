/* Writer ids as Hive's tasks: see tasks.h. */
#include "sql/tasks.h"

enum { MAX_WRITER = 4095 };

skep_status skep_tasks_find(skep_tasks *tasks, skep_life *life, uint64_t source, skep_err *err) {
  *tasks = (skep_tasks){.n_tasks = 1};
  const skep_source *s = skep_life_source(life, source);
  if (s == NULL) return SKEP_OK;
  return skep_table_source_tasks(s, &life->s->arena, &tasks->items, &tasks->n, &tasks->n_tasks, err);
}

void skep_tasks_fini(skep_tasks *tasks, skep_life *life) { skep_rows_route_fini(&tasks->route, life); }

static uint32_t task_of(const skep_tasks *tasks, skep_bytes file) {
  uint32_t low = 0, high = tasks->n;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const char *name = tasks->items[middle].file;
    size_t length = strlen(name), common = length < file.left ? length : file.left;
    int order = common == 0 ? 0 : memcmp(name, file.at, common);
    if (order == 0) order = (length > file.left) - (length < file.left);
    if (order == 0) return tasks->items[middle].task < MAX_WRITER ? tasks->items[middle].task : MAX_WRITER;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return 0;
}

static bool same_bytes(skep_bytes a, skep_bytes b) {
  return a.left == b.left && (a.at == b.at || a.left == 0 || memcmp(a.at, b.at, a.left) == 0);
}

skep_status skep_tasks_write(skep_tasks *tasks, skep_life *life, skep_table_write *write, skep_rows_view *view,
                             const skep_batch *batch, uint32_t file, skep_err *err) {
  const skep_vec *files = &batch->root.children[file];
  int64_t n = batch->root.length, at = 0;
  while (at < n) { /* runs of rows of one file: mostly whole batches */
    skep_bytes name = skep_vec_bytes(files, at);
    const skep_batch *rows;
    SKEP_TRY(skep_rows_route_start(&tasks->route, life, n, err));
    for (; at < n && same_bytes(name, skep_vec_bytes(files, at)); at++) skep_rows_route_add(&tasks->route, at);
    SKEP_TRY(skep_rows_route_take(&tasks->route, life, batch, &rows, err));
    skep_table_write_use(write, task_of(tasks, name));
    SKEP_TRY(skep_table_write_rows(write, skep_rows_view_of(view, rows), err));
  }
  return SKEP_OK;
}
