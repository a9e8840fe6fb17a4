/* Reading a whole ORC file that lies in memory, for fuzz targets: limits are small, so that a few bytes cannot ask for
 * much. */
#ifndef FUZZ_ORC_READ_ALL_H
#define FUZZ_ORC_READ_ALL_H

#include <string.h>

#include "fuzz/fuzz.h"
#include "orc/reader.h"

typedef struct fuzz_file {
  skep_file file;
  const uint8_t *data;
} fuzz_file;

static skep_status fuzz_read_at(skep_file *file, uint64_t offset, void *out, size_t length, skep_err *err) {
  const fuzz_file *f = (const fuzz_file *)file;
  if (offset > file->size_bytes || length > file->size_bytes - offset)
    return skep_fail(err, SKEP_ERR_CORRUPT, "%zu bytes at %llu of %llu", length, (unsigned long long)offset,
                     (unsigned long long)file->size_bytes);
  if (length != 0) memcpy(out, f->data + offset, length);
  return SKEP_OK;
}

static skep_status fuzz_close(skep_file *file, skep_err *err) {
  (void)file;
  (void)err;
  return SKEP_OK;
}

static const skep_file_vtab fuzz_file_vtab = {.read_at = fuzz_read_at, .close = fuzz_close};

/* Batches until the end, an error, or as many rows as any honest file of this size has. */
static void fuzz_read_rows(const skep_ctx *ctx, skep_file *file, const skep_orc_tail *tail,
                           const skep_orc_mapping *mapping, skep_forms forms, uint64_t seek_to) {
  skep_err err = {0};
  skep_orc_reader *reader;
  skep_orc_reader_opts opts = SKEP_ORC_READER_OPTS_INIT;
  opts.mapping = mapping;
  opts.forms = forms;
  skep_batch batch = {0};
  if (skep_orc_reader_open(ctx, file, tail, &opts, &reader, &err) != SKEP_OK) return;
  if (skep_vec_init(&batch.root, ctx, mapping->target, &forms, &err) == SKEP_OK) {
    skep_status st = seek_to == 0 ? SKEP_OK : skep_orc_reader_seek(reader, seek_to, &err);
    for (int n = 0; st == SKEP_OK && n < 200; n++) {
      st = skep_orc_reader_next(reader, 1000, &batch, &err);
      FUZZ_CHECK(st != SKEP_OK || (batch.root.length > 0 && batch.root.length <= 1000));
    }
    FUZZ_CHECK(st == SKEP_OK || st == SKEP_END || err.text[0] != '\0');
  }
  skep_vec_fini(&batch.root);
  skep_orc_reader_close(reader);
}

static void fuzz_inspect(const skep_ctx *ctx, skep_file *file, const skep_orc_tail *tail) {
  for (uint32_t s = 0; s < tail->n_stripes && s < 3; s++) {
    skep_arena arena;
    skep_arena_init(&arena, ctx, 8 << 20);
    skep_err err;
    skep_orc_stripe_info info;
    (void)!skep_orc_stripe_info_read(&arena, file, tail, s, &info, &err);
    for (uint32_t c = 0; c <= tail->type->max_id && c < 8; c++) {
      uint32_t n;
      const skep_orc_row_group *groups;
      const skep_orc_bloom *blooms;
      (void)!skep_orc_row_index_read(&arena, file, tail, s, c, &n, &groups, &err);
      (void)!skep_orc_bloom_read(&arena, file, tail, s, c, &n, &blooms, &err);
    }
    skep_arena_fini(&arena);
  }
}

static void fuzz_read_file(const uint8_t *data, size_t size) {
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  ctx.limits.max_tail_bytes = ctx.limits.max_stripe_meta_bytes = 1 << 20;
  ctx.limits.max_chunk_bytes = 1 << 20;
  ctx.limits.max_value_bytes = ctx.limits.max_batch_bytes = 4 << 20;
  ctx.limits.max_types = 1000;
  fuzz_file f = {{&fuzz_file_vtab, size}, data};
  skep_err err = {0};
  skep_orc_tail *tail;
  if (skep_orc_tail_read(&ctx, &f.file, size, &tail, &err) != SKEP_OK) {
    FUZZ_CHECK(tail == NULL && err.text[0] != '\0');
    return;
  }
  skep_arena arena;
  skep_arena_init(&arena, &ctx, 8 << 20);
  const skep_orc_mapping *mapping;
  skep_orc_evolution how = {0};
  if (skep_orc_mapping_make(&arena, tail, NULL, &how, &mapping, &err) == SKEP_OK) {
    fuzz_read_rows(&ctx, &f.file, tail, mapping, (skep_forms){0}, 0);
    skep_forms other = {.boolean = SKEP_FORM_BOOL_BYTES,
                        .timestamp = SKEP_FORM_TS_US,
                        .string = SKEP_FORM_VIEW,
                        .keep_dictionaries = true,
                        .narrow_decimals = true};
    fuzz_read_rows(&ctx, &f.file, tail, mapping, other, tail->n_rows / 2);
  }
  fuzz_inspect(&ctx, &f.file, tail);
  skep_arena_fini(&arena);
  skep_orc_tail_unref(tail);
}

#endif
