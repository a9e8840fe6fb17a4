/* Hive's tasks: in which order they read the files of a table, and how many there are. See scan.h. */
#include <stdlib.h>

#include "acid/dir_write.h"
#include "orc/tail.h"
#include "table/scan_int.h"

static skep_status no_memory(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "tasks of a scan"); }

/* ---- order ---- */

typedef struct place {
  const skep_split *split;
  uint32_t root; /* number of the partition */
  uint32_t at;
} place;

static int by_size(const void *a, const void *b) {
  const place *x = a, *y = b;
  if (x->root != y->root) return x->root < y->root ? -1 : 1;
  uint64_t nx = x->split->files[0].logical_bytes, ny = y->split->files[0].logical_bytes;
  if (nx != ny) return nx > ny ? -1 : 1;
  return x->at < y->at ? -1 : x->at > y->at;
}

skep_status skep_table_sort_splits(table_source *t, skep_err *err) {
  uint32_t n = t->plan->n_splits;
  if (n < 2) return SKEP_OK;
  place *places = skep_alloc_zero(t->ctx, n, sizeof *places);
  skep_split *sorted = skep_arena_zero(&t->plan->arena, n, sizeof *sorted);
  if (places == NULL || sorted == NULL) {
    skep_release(t->ctx, places);
    return no_memory(err);
  }
  for (uint32_t i = 0; i < n; i++) {
    const skep_split *s = &t->plan->splits[i];
    bool same = i != 0 && strcmp(s->root, t->plan->splits[i - 1].root) == 0;
    places[i] = (place){s, i == 0 ? 0 : places[i - 1].root + !same, i};
  }
  qsort(places, n, sizeof *places, by_size);
  for (uint32_t i = 0; i < n; i++) sorted[i] = *places[i].split;
  t->plan->splits = sorted;
  skep_release(t->ctx, places);
  return SKEP_OK;
}

/* ---- sizes ---- */

enum { TEXT_BYTES = 8, DEPTH = 100 }; /* an average text, beyond Java's share */

/* Bytes of one value as ORC's reader counts them. Source: ORC 1.8 JavaDataModel (64 bit), ReaderImpl. */
static uint64_t value_bytes(const skep_type *type, unsigned depth) {
  uint64_t n = 0;
  switch (type->kind) {
    case SKEP_BOOLEAN:
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_FLOAT:
      return 4;
    case SKEP_BIGINT:
    case SKEP_DOUBLE:
      return 8;
    case SKEP_DECIMAL:
      return 112;
    case SKEP_DATE:
      return 56;
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      return 40;
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
      return 84 + TEXT_BYTES;
    case SKEP_BINARY:
      return TEXT_BYTES;
    default:
      for (uint32_t i = 0; i < type->n_children && depth < DEPTH; i++) n += value_bytes(type->children[i], depth + 1);
      return n;
  }
}

enum { EVENT_BYTES = 4 + 8 + 4 + 8 + 8, TASK_BYTES = 50 << 20 };

/* ---- tasks ---- */

/* One file, in the order of reading. */
typedef struct file {
  const char *root;
  const skep_split_file *file;
  uint64_t bytes; /* uncompressed, about */
} file;

static bool same_file(const file *a, const skep_split *s) {
  return strcmp(a->root, s->root) == 0 && strcmp(a->file->path, s->files[0].path) == 0;
}

static skep_status full_path(const table_source *t, const file *f, const char *prefix, skep_arena *arena,
                             const char **out, skep_err *err) {
  skep_buf path;
  skep_buf_init(&path, t->ctx, 1 << 20);
  skep_buf_text(&path, prefix);
  skep_dir_join(&path, f->root, f->file->path);
  skep_status st = skep_buf_check(&path, "a path", err);
  if (st == SKEP_OK) {
    *out = skep_buf_copy(&path, arena);
    if (*out == NULL) st = no_memory(err);
  }
  skep_buf_fini(&path);
  return st;
}

static skep_status size_file(const table_source *t, file *f, uint64_t row_bytes, skep_err *err) {
  skep_arena arena;
  const char *path;
  skep_orc_tail *tail;
  skep_arena_init(&arena, t->ctx, 1 << 21);
  skep_status st = full_path(t, f, "", &arena, &path, err);
  if (st == SKEP_OK) st = skep_scan_cache_tail(t->cache, path, f->file->logical_bytes, &tail, err);
  if (st == SKEP_OK) {
    f->bytes = tail->n_rows > UINT64_MAX / row_bytes ? UINT64_MAX / 2 : tail->n_rows * row_bytes;
    skep_orc_tail_unref(tail);
  }
  skep_arena_fini(&arena);
  return st;
}

static skep_status list_files(const table_source *t, file *files, uint32_t *n, uint64_t *total, skep_err *err) {
  uint64_t row_bytes = EVENT_BYTES + value_bytes(t->plan->columns, 0);
  *n = 0;
  *total = 0;
  for (uint32_t i = 0; i < t->plan->n_splits; i++) {
    const skep_split *s = &t->plan->splits[i];
    if (*n != 0 && same_file(&files[*n - 1], s)) continue;
    file *f = &files[(*n)++];
    *f = (file){.root = s->root, .file = &s->files[0]};
    SKEP_TRY(size_file(t, f, row_bytes, err));
    if (f->bytes > UINT64_MAX / 2 - *total) return skep_fail(err, SKEP_ERR_LIMIT, "a table of too many bytes");
    *total += f->bytes;
  }
  return SKEP_OK;
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const skep_table_task *)a)->file, ((const skep_table_task *)b)->file);
}

/* Files one after the other until a task has its share. */
static skep_status group_files(const table_source *t, skep_arena *arena, const file *files, uint32_t n, uint64_t share,
                               const skep_table_task **out, uint32_t *n_tasks, skep_err *err) {
  skep_table_task *tasks = skep_arena_zero(arena, (size_t)n + 1, sizeof *tasks);
  uint64_t sum = 0;
  uint32_t task = 0;
  if (tasks == NULL) return no_memory(err);
  for (uint32_t i = 0; i < n; i++) {
    if (sum != 0 && sum + files[i].bytes > share + share / 20) { /* sizes are estimates */
      task++;
      sum = 0;
    }
    sum += files[i].bytes;
    tasks[i].task = task;
    SKEP_TRY(full_path(t, &files[i], t->file_prefix, arena, &tasks[i].file, err));
  }
  qsort(tasks, n, sizeof *tasks, by_name);
  *out = tasks;
  *n_tasks = task + 1;
  return SKEP_OK;
}

skep_status skep_table_source_tasks(const skep_source *source, skep_arena *arena, const skep_table_task **tasks,
                                    uint32_t *n, uint32_t *n_tasks, skep_err *err) {
  const table_source *t = (const table_source *)source;
  *tasks = NULL;
  *n = 0;
  *n_tasks = 1;
  if (t->plan->total_bytes < TASK_BYTES / 100) return SKEP_OK; /* it does not compress that well */
  if (t->text != NULL) return SKEP_OK;                         /* its rows get no ids: one file is as good as several */
  file *files = skep_alloc_zero(t->ctx, (size_t)t->plan->n_splits + 1, sizeof *files);
  uint64_t total;
  uint32_t n_files;
  if (files == NULL) return no_memory(err);
  skep_status st = list_files(t, files, &n_files, &total, err);
  uint64_t wanted = st == SKEP_OK ? total / TASK_BYTES + 1 : 1;
  if (st == SKEP_OK && wanted > 1 && n_files > 1) {
    st = group_files(t, arena, files, n_files, total / wanted, tasks, n_tasks, err);
    *n = n_files;
  }
  skep_release(t->ctx, files);
  return st;
}
