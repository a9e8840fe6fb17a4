/* See delete_reader.h: four columns, no predicate, the whole file. */
#include "acid/delete_reader.h"

#include <inttypes.h>

#include "acid/events.h"

enum { BATCH_ROWS = 8192 };

static const skep_event_column wanted[] = {SKEP_EVENT_WRITE_ID, SKEP_EVENT_BUCKET, SKEP_EVENT_ROW_ID,
                                           SKEP_EVENT_CURRENT};
enum { N_WANTED = sizeof wanted / sizeof wanted[0] };

static skep_status open_orc(skep_delete_reader *r, const skep_ctx *ctx, skep_err *err) {
  static const skep_type type_int = {.kind = SKEP_INT}, type_bigint = {.kind = SKEP_BIGINT},
                         type_struct = {.kind = SKEP_STRUCT};
  const skep_type *children[N_WANTED], *type;
  const char *names[N_WANTED];
  for (uint32_t i = 0; i < N_WANTED; i++) {
    children[i] = wanted[i] == SKEP_EVENT_BUCKET ? &type_int : &type_bigint;
    names[i] = skep_event_column_names[wanted[i]];
  }
  SKEP_TRY(skep_type_make(&r->arena, &type_struct, children, names, N_WANTED, &type, err));
  const skep_orc_evolution how = {.is_acid = true};
  skep_orc_reader_opts opts = SKEP_ORC_READER_OPTS_INIT;
  SKEP_TRY(skep_orc_mapping_make(&r->arena, r->tail, type, &how, &opts.mapping, err));
  SKEP_TRY(skep_vec_init(&r->batch.root, ctx, opts.mapping->target, &opts.forms, err));
  return skep_orc_reader_open(ctx, r->file, r->tail, &opts, &r->reader, err);
}

skep_status skep_delete_reader_open(skep_delete_reader *r, const skep_ctx *ctx, skep_fs *fs, const char *path,
                                    uint64_t logical_bytes, skep_err *err) {
  *r = (skep_delete_reader){.file = NULL};
  skep_arena_init(&r->arena, ctx, SIZE_MAX);
  SKEP_TRY(skep_fs_open_read(fs, path, &r->file, err));
  SKEP_TRY(skep_orc_tail_read(ctx, r->file, logical_bytes, &r->tail, err));
  if (r->tail->n_rows == 0) return SKEP_OK;
  if (skep_event_file_kind(r->tail, NULL) == SKEP_EVENT_FILE_NO)
    return skep_fail(err, SKEP_ERR_CORRUPT, "a delete delta's file without ACID columns");
  return open_orc(r, ctx, err);
}

static skep_status check_nulls(const skep_batch *batch, skep_err *err) {
  for (uint32_t i = 0; i < N_WANTED; i++) {
    const skep_vec *c = &batch->root.children[i];
    if (c->has_nulls && c->null_count != 0)
      return skep_fail(err, SKEP_ERR_CORRUPT, "%" PRId64 " delete events have no %s", c->null_count,
                       skep_event_column_names[wanted[i]]);
  }
  return SKEP_OK;
}

skep_status skep_delete_reader_next(skep_delete_reader *r, skep_delete_events *out, skep_err *err) {
  if (r->reader == NULL) return SKEP_END;
  SKEP_TRY(skep_orc_reader_next(r->reader, BATCH_ROWS, &r->batch, err));
  SKEP_TRY(check_nulls(&r->batch, err));
  const skep_vec *c = r->batch.root.children;
  *out = (skep_delete_events){.n = r->batch.root.length,
                              .write_ids = c[0].values.data,
                              .buckets = c[1].values.data,
                              .row_ids = c[2].values.data,
                              .currents = c[3].values.data};
  return SKEP_OK;
}

void skep_delete_reader_close(skep_delete_reader *r) {
  skep_orc_reader_close(r->reader);
  skep_vec_fini(&r->batch.root);
  skep_orc_tail_unref(r->tail);
  (void)skep_file_close(r->file, NULL); /* it was only read from */
  skep_arena_fini(&r->arena);
}
