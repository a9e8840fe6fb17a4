/* Runs of rows, with their ids: ORC files that live as long as a merge. */
#include <string.h>

#include "compact/compact_int.h"
#include "orc/reader.h"
#include "orc/writer.h"

struct skep_compact_row_writer {
  skep_compact_run_state *run;
  skep_arena arena;
  const char *path;
  uint32_t number;
  skep_file *file;
  skep_orc_writer *orc;
};

struct skep_compact_row_reader {
  skep_compact_run_state *run;
  skep_arena arena;
  uint32_t number;
  skep_file *file;
  skep_orc_tail *tail;
  skep_orc_reader *reader;
};

/* ---- writing ---- */

skep_status skep_compact_row_writer_open(skep_compact_run_state *run, const skep_type *type,
                                         skep_compact_row_writer **out, skep_err *err) {
  *out = NULL;
  skep_compact_row_writer *w = skep_alloc_zero(run->ctx, 1, sizeof *w);
  if (w == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "writer of a run");
  w->run = run;
  w->number = skep_compact_run_number(run);
  skep_arena_init(&w->arena, run->ctx, SIZE_MAX);
  skep_orc_writer_opts opts = run->settings.plain;
  opts.codec = SKEP_ORC_LZ4; /* read once, soon */
  opts.level = 0;
  opts.padding_block_bytes = 0;
  opts.pad_char = false;
  opts.bloom_columns = NULL;
  opts.n_bloom_columns = 0;
  opts.row_index_stride = 0;
  opts.block_size = skep_writer_block_size(&opts, type->max_id + 1);
  opts.memory = &run->memory;
  skep_status status = skep_compact_run_path(&w->arena, run->insert_dir, w->number, &w->path, err);
  if (status == SKEP_OK) status = skep_fs_create(run->job->fs, w->path, &w->file, err);
  if (status == SKEP_OK) status = skep_orc_writer_open(run->ctx, w->file, type, &opts, &w->orc, err);
  if (status != SKEP_OK) {
    skep_compact_row_writer_free(w);
    return status;
  }
  *out = w;
  return SKEP_OK;
}

skep_status skep_compact_row_writer_add(skep_compact_row_writer *w, const skep_vec *rows, int64_t first, int64_t count,
                                        skep_err *err) {
  skep_status status = skep_orc_writer_add(w->orc, rows, first, count, err);
  return status == SKEP_OK ? SKEP_OK : skep_wrap(err, status, "%s", w->path);
}

skep_status skep_compact_row_writer_finish(skep_compact_row_writer *w, uint32_t *number, skep_err *err) {
  uint64_t length;
  skep_status status = skep_orc_writer_finish(w->orc, &length, err);
  skep_status closed = skep_file_close(w->file, status == SKEP_OK ? err : NULL);
  w->file = NULL;
  if (status == SKEP_OK) status = closed;
  *number = w->number;
  return status == SKEP_OK ? SKEP_OK : skep_wrap(err, status, "%s", w->path);
}

void skep_compact_row_writer_free(skep_compact_row_writer *w) {
  if (w == NULL) return;
  skep_orc_writer_close(w->orc);
  (void)skep_file_close(w->file, NULL); /* a torso: the run failed, and its directory goes */
  skep_arena_fini(&w->arena);
  skep_release(w->run->ctx, w);
}

/* ---- reading ---- */

static skep_status open_reader(skep_compact_row_reader *r, const skep_type *type, const skep_forms *forms,
                               skep_err *err) {
  const char *path;
  const skep_orc_evolution how = {.positional_levels = 1, .match_case = true}; /* a column may be called as an id is */
  skep_orc_reader_opts opts = SKEP_ORC_READER_OPTS_INIT;
  SKEP_TRY(skep_compact_run_path(&r->arena, r->run->insert_dir, r->number, &path, err));
  SKEP_TRY(skep_fs_open_read(r->run->job->fs, path, &r->file, err));
  SKEP_TRY(skep_orc_tail_read(r->run->ctx, r->file, r->file->size_bytes, &r->tail, err));
  SKEP_TRY(skep_orc_mapping_make(&r->arena, r->tail, type, &how, &opts.mapping, err));
  opts.forms = *forms;
  return skep_orc_reader_open(r->run->ctx, r->file, r->tail, &opts, &r->reader, err);
}

skep_status skep_compact_row_reader_open(skep_compact_run_state *run, uint32_t number, const skep_type *type,
                                         const skep_forms *forms, skep_compact_row_reader **out, skep_err *err) {
  *out = NULL;
  skep_compact_row_reader *r = skep_alloc_zero(run->ctx, 1, sizeof *r);
  if (r == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "reader of a run");
  r->run = run;
  r->number = number;
  skep_arena_init(&r->arena, run->ctx, SIZE_MAX);
  skep_status status = open_reader(r, type, forms, err);
  if (status != SKEP_OK) {
    skep_compact_row_reader_close(r);
    return status;
  }
  *out = r;
  return SKEP_OK;
}

skep_status skep_compact_row_reader_next(skep_compact_row_reader *r, int64_t max_rows, skep_batch *batch,
                                         skep_err *err) {
  return skep_orc_reader_next(r->reader, max_rows, batch, err);
}

void skep_compact_row_reader_close(skep_compact_row_reader *r) {
  if (r == NULL) return;
  skep_orc_reader_close(r->reader);
  skep_orc_tail_unref(r->tail);
  (void)skep_file_close(r->file, NULL); /* it was only read from */
  skep_arena_fini(&r->arena);
  skep_release(r->run->ctx, r);
}
