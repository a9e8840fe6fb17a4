/* See bucket_file.h. */
#include "acid/bucket_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "acid/events.h"

struct skep_bucket_file {
  const skep_ctx *ctx;
  skep_bucket_file_opts opts;
  skep_file *file;
  skep_orc_writer *orc;
  skep_row_file *other; /* instead of orc */
  uint64_t n_rows;      /* of `other` */
  skep_buf key_index;
  /* DELETES: the keys of the rows being added, which begin at row `keys_from` of the file. A stripe may end before
   * them: the last key of the batch before is kept. */
  const skep_row_key *keys;
  uint64_t keys_from;
  skep_row_key last_key;
};

/* ---- the footer's metadata ---- */

void skep_key_index_add(skep_buf *index, const skep_row_key *last) {
  skep_buf_i64(index, last->write_id);
  skep_buf_byte(index, ',');
  skep_buf_i64(index, last->bucket);
  skep_buf_byte(index, ',');
  skep_buf_i64(index, last->row_id);
  skep_buf_byte(index, ';');
}

static skep_status on_stripe(void *self, uint64_t end_row, skep_err *err) {
  skep_bucket_file *b = self;
  skep_row_key key = {.write_id = b->opts.write_id, .bucket = b->opts.bucket, .row_id = (int64_t)end_row - 1};
  if (b->opts.content == SKEP_BUCKET_DELETES)
    key = end_row > b->keys_from ? b->keys[end_row - 1 - b->keys_from] : b->last_key;
  skep_key_index_add(&b->key_index, &key);
  return skep_buf_check(&b->key_index, "key index", err);
}

static skep_status set_text(skep_orc_writer *orc, const char *name, const char *text, skep_err *err) {
  return skep_orc_writer_set_metadata(orc, name, skep_bytes_of(text, strlen(text)), err);
}

skep_status skep_bucket_footer(skep_orc_writer *orc, const skep_buf *key_index, bool deletes, skep_err *err) {
  char stats[64];
  uint64_t n = skep_orc_writer_rows(orc);
  snprintf(stats, sizeof stats, "%" PRIu64 ",0,%" PRIu64, deletes ? 0 : n, deletes ? n : 0);
  skep_bytes index = skep_bytes_of(key_index->data, key_index->size);
  SKEP_TRY(skep_orc_writer_set_metadata(orc, "hive.acid.key.index", index, err));
  SKEP_TRY(set_text(orc, "hive.acid.stats", stats, err));
  return n == 0 ? SKEP_OK : set_text(orc, "hive.acid.version", "2", err);
}

static skep_status on_footer(void *self, skep_orc_writer *orc, skep_err *err) {
  skep_bucket_file *b = self;
  return skep_bucket_footer(orc, &b->key_index, b->opts.content == SKEP_BUCKET_DELETES, err);
}

/* ---- life ---- */

skep_status skep_bucket_file_create(const skep_ctx *ctx, skep_fs *fs, const char *path,
                                    const skep_bucket_file_opts *opts, skep_bucket_file **out, skep_err *err) {
  *out = NULL;
  skep_bucket_file *b = skep_alloc_zero(ctx, 1, sizeof *b);
  if (b == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "writer of a data file");
  b->ctx = ctx;
  b->opts = *opts;
  skep_buf_init(&b->key_index, ctx, SIZE_MAX / 4);
  skep_orc_writer_opts orc = *opts->orc;
  orc.block_size = skep_writer_block_size(&orc, opts->type->max_id + 1);
  orc.self = b;
  if (opts->content != SKEP_BUCKET_ROWS) {
    orc.on_stripe = on_stripe;
    orc.on_footer = on_footer;
  }
  skep_status status = skep_fs_create(fs, path, &b->file, err);
  if (status == SKEP_OK && opts->format != NULL)
    status = opts->format->open(opts->format, ctx, b->file, opts->type, &b->other, err);
  if (status == SKEP_OK && opts->format == NULL)
    status = skep_orc_writer_open(ctx, b->file, opts->type, &orc, &b->orc, err);
  if (status != SKEP_OK) {
    skep_bucket_file_free(b);
    return status;
  }
  *out = b;
  return SKEP_OK;
}

skep_status skep_bucket_file_add(skep_bucket_file *b, const skep_vec *root, const int32_t *rows, int64_t n,
                                 const skep_row_key *keys, skep_err *err) {
  if (n == 0) return SKEP_OK;
  if (b->other != NULL) {
    b->n_rows += (uint64_t)n;
    return b->opts.format->add(b->other, root, rows, n, err);
  }
  b->keys = keys;
  b->keys_from = skep_orc_writer_rows(b->orc);
  SKEP_TRY(rows != NULL ? skep_orc_writer_add_rows(b->orc, root, rows, n, err)
                        : skep_orc_writer_add(b->orc, root, 0, n, err));
  if (keys != NULL) b->last_key = keys[n - 1];
  b->keys = NULL;
  b->keys_from = UINT64_MAX;
  return SKEP_OK;
}

skep_status skep_bucket_file_finish(skep_bucket_file *b, uint64_t *size_bytes, skep_err *err) {
  skep_status status =
      b->other != NULL ? b->opts.format->end(b->other, err) : skep_orc_writer_finish(b->orc, size_bytes, err);
  if (b->other != NULL) *size_bytes = b->file->size_bytes;
  if (status == SKEP_OK) status = skep_file_sync(b->file, err);
  skep_status closed = skep_file_close(b->file, status == SKEP_OK ? err : NULL);
  b->file = NULL;
  return status == SKEP_OK ? closed : status;
}

void skep_bucket_file_free(skep_bucket_file *b) {
  if (b == NULL) return;
  skep_orc_writer_close(b->orc);
  if (b->other != NULL) b->opts.format->close(b->other);
  skep_file_close(b->file, NULL);
  skep_buf_fini(&b->key_index);
  skep_release(b->ctx, b);
}

uint64_t skep_bucket_file_rows(const skep_bucket_file *b) {
  return b->other != NULL ? b->n_rows : skep_orc_writer_rows(b->orc);
}

/* ---- the type ---- */

skep_status skep_event_type_make(skep_arena *arena, const skep_type *row, const skep_type **out, skep_err *err) {
  static const skep_kind kinds[SKEP_EVENT_ROW] = {SKEP_INT, SKEP_BIGINT, SKEP_INT, SKEP_BIGINT, SKEP_BIGINT};
  static const skep_type root = {.kind = SKEP_STRUCT};
  const skep_type *children[SKEP_EVENT_COLUMNS];
  for (int i = 0; i < SKEP_EVENT_ROW; i++) {
    skep_type like = {.kind = kinds[i]};
    SKEP_TRY(skep_type_make(arena, &like, NULL, NULL, 0, &children[i], err));
  }
  children[SKEP_EVENT_ROW] = row;
  return skep_type_make(arena, &root, children, skep_event_column_names, SKEP_EVENT_COLUMNS, out, err);
}
