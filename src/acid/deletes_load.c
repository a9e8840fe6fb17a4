/* Loading delete events from files: four columns, no predicate, whole file. */
#include <inttypes.h>

#include "acid/deletes.h"
#include "acid/events.h"
#include "acid/scan_int.h"
#include "orc/reader.h"

enum { BATCH_ROWS = 8192 };

typedef struct loader {
  skep_deletes *deletes;
  const skep_ctx *ctx;
  const skep_split_file *source;
  const skep_snapshot *snapshot;
  bool check; /* some write ids of the directory's range are not valid */
  skep_arena arena;
  skep_file *file;
  skep_orc_tail *tail;
  skep_orc_reader *reader;
  skep_batch batch;
} loader;

static const skep_event_column loaded[] = {SKEP_EVENT_WRITE_ID, SKEP_EVENT_BUCKET, SKEP_EVENT_ROW_ID,
                                           SKEP_EVENT_CURRENT};
enum { N_LOADED = sizeof loaded / sizeof loaded[0] };

static skep_status open_reader(loader *l, skep_err *err) {
  static const skep_type type_int = {.kind = SKEP_INT}, type_bigint = {.kind = SKEP_BIGINT},
                         type_struct = {.kind = SKEP_STRUCT};
  const skep_type *children[N_LOADED];
  const char *names[N_LOADED];
  for (uint32_t i = 0; i < N_LOADED; i++) {
    children[i] = loaded[i] == SKEP_EVENT_BUCKET ? &type_int : &type_bigint;
    names[i] = skep_event_column_names[loaded[i]];
  }
  const skep_type *type;
  SKEP_TRY(skep_type_make(&l->arena, &type_struct, children, names, N_LOADED, &type, err));
  const skep_orc_evolution how = {.is_acid = true};
  skep_orc_reader_opts opts = SKEP_ORC_READER_OPTS_INIT;
  SKEP_TRY(skep_orc_mapping_make(&l->arena, l->tail, type, &how, &opts.mapping, err));
  SKEP_TRY(skep_vec_init(&l->batch.root, l->ctx, opts.mapping->target, &opts.forms, err));
  return skep_orc_reader_open(l->ctx, l->file, l->tail, &opts, &l->reader, err);
}

/* Adds the events of rows [first, end) that are visible, run by run of equal currentTransaction. */
static skep_status add_visible(loader *l, skep_err *err) {
  const skep_vec *c = l->batch.root.children;
  const int64_t *write_ids = c[0].values.data, *row_ids = c[2].values.data, *current = c[3].values.data;
  const int32_t *buckets = c[1].values.data;
  int64_t n = l->batch.root.length;
  for (int64_t i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && (!l->check || current[end] == current[i]);) end++;
    if (l->check && !skep_snapshot_write_id_valid(l->snapshot, current[i])) continue;
    SKEP_TRY(skep_deletes_add_many(l->deletes, write_ids + i, buckets + i, row_ids + i, end - i, err));
  }
  return SKEP_OK;
}

static skep_status check_nulls(const loader *l, skep_err *err) {
  for (uint32_t i = 0; i < N_LOADED; i++) {
    const skep_vec *c = &l->batch.root.children[i];
    if (c->has_nulls && c->null_count != 0) {
      return skep_fail(err, SKEP_ERR_CORRUPT, "%" PRId64 " delete events have no %s", c->null_count,
                       skep_event_column_names[loaded[i]]);
    }
  }
  return SKEP_OK;
}

static skep_status load_events(loader *l, skep_fs *fs, const char *path, skep_err *err) {
  SKEP_TRY(skep_fs_open_read(fs, path, &l->file, err));
  SKEP_TRY(skep_orc_tail_read(l->ctx, l->file, l->source->logical_bytes, &l->tail, err));
  if (l->tail->n_rows == 0) return SKEP_OK;
  if (skep_event_file_kind(l->tail, NULL) == SKEP_EVENT_FILE_NO) {
    return skep_fail(err, SKEP_ERR_CORRUPT, "a delete delta's file without ACID columns");
  }
  SKEP_TRY(open_reader(l, err));
  for (;;) {
    skep_status st = skep_orc_reader_next(l->reader, BATCH_ROWS, &l->batch, err);
    if (st == SKEP_END) return SKEP_OK;
    if (st == SKEP_OK) st = check_nulls(l, err);
    if (st == SKEP_OK) st = add_visible(l, err);
    if (st != SKEP_OK) return st;
  }
}

skep_status skep_deletes_load(skep_deletes *deletes, skep_fs *fs, const char *root, const skep_split_file *file,
                              const skep_snapshot *snapshot, skep_err *err) {
  if (file->logical_bytes == 0) return SKEP_OK;
  loader l = {.deletes = deletes, .ctx = skep_deletes_ctx(deletes), .source = file, .snapshot = snapshot};
  l.check = skep_snapshot_range_valid(snapshot, file->min_write_id, file->max_write_id) != SKEP_RANGE_ALL;
  skep_arena_init(&l.arena, l.ctx, SIZE_MAX);
  char *path = skep_split_path(&l.arena, root, file->path), quoted[512];
  skep_status st = path == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "the name of a file") : load_events(&l, fs, path, err);
  if (st != SKEP_OK && path != NULL) {
    st = skep_wrap(err, st, "%s", skep_quote(quoted, sizeof quoted, path, strlen(path)));
  }
  skep_orc_reader_close(l.reader);
  skep_vec_fini(&l.batch.root);
  skep_orc_tail_unref(l.tail);
  (void)skep_file_close(l.file, NULL); /* it was only read from */
  skep_arena_fini(&l.arena);
  return st;
}
