/* See text_scan.h. */
#include "table/text_scan.h"

#include <inttypes.h>

#include "acid/dir_write.h"
#include "acid/scan.h"
#include "base/err.h"
#include "table/text_lines.h"

struct skep_text_scan {
  const skep_ctx *ctx;
  const skep_split *split;
  const skep_text_format *format;
  skep_arena arena;
  const skep_type *type;
  uint32_t n_columns;
  uint32_t *positions; /* of the split's columns in the table's */
  skep_vec constants;  /* one row of the partition columns */
  skep_lines *lines;
  skep_bytes *texts; /* of the batch at hand */
  int64_t capacity;
};

static skep_status find_columns(skep_text_scan *s, skep_err *err) {
  const skep_type *columns = s->split->columns, *table = s->split->table;
  s->n_columns = columns->n_children;
  s->positions = skep_arena_zero(&s->arena, (size_t)s->n_columns + 1, sizeof *s->positions);
  if (s->positions == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "scan of a text file");
  for (uint32_t i = 0; i < s->n_columns; i++) {
    int64_t at = skep_type_child(table, columns->names[i], strlen(columns->names[i]), false);
    if (at < 0 || (i > 0 && at <= s->positions[i - 1]))
      return skep_fail(err, SKEP_ERR_INTERNAL, "column %" PRIu32 " of a text scan is none of the table", i);
    s->positions[i] = (uint32_t)at;
  }
  return SKEP_OK;
}

static skep_status open_lines(skep_text_scan *s, skep_fs *fs, skep_err *err) {
  const skep_split *split = s->split;
  const skep_split_file *file = &split->files[0];
  skep_buf path;
  skep_lines_opts opts = {.start = split->first_stripe * SKEP_TEXT_RANGE_BYTES,
                          .end = UINT64_MAX,
                          .header_lines = s->format->header_lines,
                          .footer_lines = s->format->footer_lines};
  if (split->n_stripes != SKEP_ALL_STRIPES)
    opts.end = ((uint64_t)split->first_stripe + split->n_stripes) * SKEP_TEXT_RANGE_BYTES;
  skep_buf_init(&path, s->ctx, 1 << 20);
  skep_dir_join(&path, split->root, file->path);
  skep_status st = skep_buf_check(&path, "a path", err);
  if (st == SKEP_OK) st = skep_lines_open(s->ctx, fs, skep_buf_string(&path), &opts, &s->lines, err);
  skep_buf_fini(&path);
  return st;
}

static skep_status build(skep_text_scan *s, skep_fs *fs, skep_err *err) {
  const skep_split *split = s->split;
  if (split->n_files != 1 || split->kind != SKEP_SPLIT_PLAIN || split->row_ids)
    return skep_fail(err, SKEP_ERR_INTERNAL, "a split of a text table with row ids");
  SKEP_TRY(skep_split_type(&s->arena, split, &s->type, err));
  SKEP_TRY(find_columns(s, err));
  SKEP_TRY(skep_split_constants(s->ctx, split, &s->constants, err));
  return open_lines(s, fs, err);
}

skep_status skep_text_scan_open(const skep_ctx *ctx, skep_fs *fs, const skep_text_format *format,
                                const skep_split *split, skep_text_scan **out, skep_err *err) {
  *out = NULL;
  skep_text_scan *s = skep_alloc_zero(ctx, 1, sizeof *s);
  if (s == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "scan of a text file");
  s->ctx = ctx;
  s->split = split;
  s->format = format;
  skep_arena_init(&s->arena, ctx, SIZE_MAX / 2);
  skep_status st = build(s, fs, err);
  if (st != SKEP_OK) {
    skep_text_scan_close(s);
    return st;
  }
  *out = s;
  return SKEP_OK;
}

void skep_text_scan_close(skep_text_scan *s) {
  if (s == NULL) return;
  skep_lines_close(s->lines);
  skep_vec_fini(&s->constants);
  skep_release(s->ctx, s->texts);
  skep_arena_fini(&s->arena);
  skep_release(s->ctx, s);
}

const skep_type *skep_text_scan_type(const skep_text_scan *s) { return s->type; }

skep_status skep_text_scan_next(skep_text_scan *s, int64_t max_rows, skep_batch *batch, skep_err *err) {
  int64_t n;
  if (s->capacity < max_rows) {
    skep_bytes *grown = skep_resize(s->ctx, s->texts, (size_t)max_rows * sizeof *grown);
    if (grown == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%" PRId64 " lines", max_rows);
    s->texts = grown;
    s->capacity = max_rows;
  }
  skep_vec_reset(&batch->root);
  skep_status st = skep_lines_next(s->lines, max_rows, s->texts, &n, err);
  if (st == SKEP_OK)
    st = skep_text_read(s->format, s->split->table, s->positions, s->n_columns, s->texts, n, batch->root.children, err);
  for (uint32_t i = 0; i < s->split->n_partition_columns && st == SKEP_OK; i++)
    st = skep_vec_fill_constant(&batch->root.children[s->n_columns + i], &s->constants.children[i], n, err);
  if (st == SKEP_OK) batch->root.length = n;
  if (st == SKEP_OK || st == SKEP_END) return st;
  char root[400], file[200];
  const skep_split *split = s->split;
  return skep_wrap(err, st, "%s%s%s", skep_quote(root, sizeof root, split->root, strlen(split->root)),
                   split->files[0].path[0] != '\0' ? "/" : "",
                   skep_quote(file, sizeof file, split->files[0].path, strlen(split->files[0].path)));
}
