/* Event files: what makes a file one, and their events as they are. */
#include "acid/events.h"

#include <strings.h>

#include "orc/reader.h"

const char *const skep_event_column_names[SKEP_EVENT_COLUMNS] = {
    "operation", "originalTransaction", "bucket", "rowId", "currentTransaction", "row",
};

static const skep_kind event_kinds[SKEP_EVENT_COLUMNS] = {
    SKEP_INT, SKEP_BIGINT, SKEP_INT, SKEP_BIGINT, SKEP_BIGINT, SKEP_STRUCT,
};

skep_event_file skep_event_file_kind(const skep_orc_tail *tail, uint32_t *columns) {
  const skep_type *type = tail->type;
  if (type->kind != SKEP_STRUCT || type->n_children != SKEP_EVENT_COLUMNS) return SKEP_EVENT_FILE_NO;
  for (uint32_t i = 0; i < SKEP_EVENT_COLUMNS; i++) {
    int64_t at = skep_type_child(type, skep_event_column_names[i], strlen(skep_event_column_names[i]), true);
    if (at < 0 || type->children[at]->kind != event_kinds[i]) return SKEP_EVENT_FILE_NO;
    if (columns != NULL) columns[i] = type->children[at]->id;
  }
  bool says_acid = skep_orc_tail_metadata(tail, "hive.acid.version") != NULL ||
                   skep_orc_tail_metadata(tail, "hive.acid.key.index") != NULL ||
                   skep_orc_tail_metadata(tail, "hive.acid.stats") != NULL;
  return says_acid ? SKEP_EVENT_FILE_YES : SKEP_EVENT_FILE_SHAPE;
}

int64_t skep_event_file_max_operation(const skep_orc_tail *tail) {
  uint32_t columns[SKEP_EVENT_COLUMNS];
  if (skep_event_file_kind(tail, columns) == SKEP_EVENT_FILE_NO) return -1;
  if (tail->row_index_stride == 0 || tail->file_stats == NULL) return -1;
  const skep_orc_stats *s = &tail->file_stats[columns[SKEP_EVENT_OPERATION]];
  return s->kind == SKEP_ORC_STATS_INT && s->has_max && s->has_min && s->min.i64 >= 0 ? s->max.i64 : -1;
}

struct skep_events {
  const skep_ctx *ctx;
  skep_arena arena;
  char *path;
  skep_file *file;
  skep_orc_tail *tail;
  const skep_type *type;
  skep_orc_reader *reader;
};

/* The six columns under their usual names, over the file's own row type. */
static skep_status events_type(skep_events *e, skep_err *err) {
  const skep_type *children[SKEP_EVENT_COLUMNS];
  for (uint32_t i = 0; i < SKEP_EVENT_COLUMNS; i++) {
    const char *name = skep_event_column_names[i];
    children[i] = e->tail->type->children[skep_type_child(e->tail->type, name, strlen(name), true)];
  }
  return skep_type_make(&e->arena, e->tail->type, children, skep_event_column_names, SKEP_EVENT_COLUMNS, &e->type, err);
}

static skep_status events_start(skep_events *e, skep_fs *fs, uint64_t logical_bytes, skep_err *err) {
  SKEP_TRY(skep_fs_open_read(fs, e->path, &e->file, err));
  SKEP_TRY(skep_orc_tail_read(e->ctx, e->file, logical_bytes, &e->tail, err));
  if (skep_event_file_kind(e->tail, NULL) == SKEP_EVENT_FILE_NO) {
    return skep_fail(err, SKEP_ERR_ARGUMENT,
                     "no ACID columns (operation, originalTransaction, bucket, rowId, currentTransaction, row)");
  }
  SKEP_TRY(events_type(e, err));
  const skep_orc_evolution how = {.is_acid = true, .match_case = true};
  const skep_orc_mapping *mapping;
  SKEP_TRY(skep_orc_mapping_make(&e->arena, e->tail, e->type, &how, &mapping, err));
  skep_orc_reader_opts opts = SKEP_ORC_READER_OPTS_INIT;
  opts.mapping = mapping;
  return skep_orc_reader_open(e->ctx, e->file, e->tail, &opts, &e->reader, err);
}

static skep_status wrap_path(const skep_events *e, skep_status st, skep_err *err) {
  char path[512];
  return st == SKEP_OK || st == SKEP_END
             ? st
             : skep_wrap(err, st, "%s", skep_quote(path, sizeof path, e->path, strlen(e->path)));
}

skep_status skep_events_open(const skep_ctx *ctx, skep_fs *fs, const char *path, uint64_t logical_bytes,
                             skep_events **out, skep_err *err) {
  *out = NULL;
  skep_events *e = skep_alloc_zero(ctx, 1, sizeof *e);
  if (e == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "events of a file");
  e->ctx = ctx;
  skep_arena_init(&e->arena, ctx, SIZE_MAX);
  e->path = skep_arena_strndup(&e->arena, path, strlen(path));
  skep_status st =
      e->path == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "events of a file") : events_start(e, fs, logical_bytes, err);
  if (st != SKEP_OK) {
    if (e->path != NULL) st = wrap_path(e, st, err);
    skep_events_close(e);
    return st;
  }
  *out = e;
  return SKEP_OK;
}

void skep_events_close(skep_events *events) {
  if (events == NULL) return;
  skep_orc_reader_close(events->reader);
  skep_orc_tail_unref(events->tail);
  (void)skep_file_close(events->file, NULL); /* it was only read from */
  skep_arena_fini(&events->arena);
  skep_release(events->ctx, events);
}

const skep_type *skep_events_type(const skep_events *events) { return events->type; }

skep_status skep_events_next(skep_events *events, int64_t max_rows, skep_batch *batch, skep_err *err) {
  return wrap_path(events, skep_orc_reader_next(events->reader, max_rows, batch, err), err);
}
