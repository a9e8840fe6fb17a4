/* Loading delete events from files into a set. */
#include "acid/delete_reader.h"
#include "acid/deletes.h"
#include "acid/scan_int.h"

typedef struct loader {
  skep_deletes *deletes;
  const skep_snapshot *snapshot;
  bool check; /* some write ids of the directory's range are not valid */
  skep_delete_reader reader;
} loader;

/* Adds the events that are visible, run by run of equal currentTransaction. */
static skep_status add_visible(loader *l, const skep_delete_events *e, skep_err *err) {
  for (int64_t i = 0, end; i < e->n; i = end) {
    for (end = i + 1; end < e->n && (!l->check || e->currents[end] == e->currents[i]);) end++;
    if (l->check && !skep_snapshot_write_id_valid(l->snapshot, e->currents[i])) continue;
    SKEP_TRY(skep_deletes_add_many(l->deletes, e->write_ids + i, e->buckets + i, e->row_ids + i, end - i, err));
  }
  return SKEP_OK;
}

static skep_status load_events(loader *l, skep_fs *fs, const char *path, uint64_t logical_bytes, skep_err *err) {
  SKEP_TRY(skep_delete_reader_open(&l->reader, skep_deletes_ctx(l->deletes), fs, path, logical_bytes, err));
  for (;;) {
    skep_delete_events events;
    skep_status st = skep_delete_reader_next(&l->reader, &events, err);
    if (st == SKEP_END) return SKEP_OK;
    if (st == SKEP_OK) st = add_visible(l, &events, err);
    if (st != SKEP_OK) return st;
  }
}

skep_status skep_deletes_load(skep_deletes *deletes, skep_fs *fs, const char *root, const skep_split_file *file,
                              const skep_snapshot *snapshot, skep_err *err) {
  if (file->logical_bytes == 0) return SKEP_OK;
  loader l = {.deletes = deletes, .snapshot = snapshot};
  l.check = skep_snapshot_range_valid(snapshot, file->min_write_id, file->max_write_id) != SKEP_RANGE_ALL;
  skep_arena arena;
  skep_arena_init(&arena, skep_deletes_ctx(deletes), SIZE_MAX);
  char *path = skep_split_path(&arena, root, file->path), quoted[512];
  skep_status st = path == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "the name of a file")
                                : load_events(&l, fs, path, file->logical_bytes, err);
  if (st != SKEP_OK && path != NULL) {
    st = skep_wrap(err, st, "%s", skep_quote(quoted, sizeof quoted, path, strlen(path)));
  }
  skep_delete_reader_close(&l.reader);
  skep_arena_fini(&arena);
  return st;
}
