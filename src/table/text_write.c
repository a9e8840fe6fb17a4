/* Rows as lines into a file, a buffer at a time. */
#include "table/text_write.h"

#include "base/err.h"
#include "table/csv.h"
#include "table/text_format.h"

enum { BUFFER_BYTES = 256 << 10, ROWS_AT_ONCE = 256 };

struct skep_row_file {
  const skep_ctx *ctx;
  const skep_text_format *format;
  skep_file *file;
  skep_buf buf;
};

static skep_status text_open(const skep_row_codec *format, const skep_ctx *ctx, skep_file *file, const skep_type *row,
                             skep_row_file **out, skep_err *err) {
  (void)row;
  skep_row_file *f = *out = skep_alloc_zero(ctx, 1, sizeof *f);
  if (f == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "writer of a text file");
  f->ctx = ctx;
  f->format = (const skep_text_format *)format;
  f->file = file;
  skep_buf_init(&f->buf, ctx, SIZE_MAX / 4);
  return SKEP_OK;
}

static skep_status flush(skep_row_file *f, skep_err *err) {
  SKEP_TRY(skep_buf_check(&f->buf, "lines of a text file", err));
  if (f->buf.size != 0) SKEP_TRY(skep_file_append(f->file, f->buf.data, f->buf.size, err));
  skep_buf_reset(&f->buf);
  return SKEP_OK;
}

static skep_status text_add(skep_row_file *f, const skep_vec *root, const int32_t *rows, int64_t n, skep_err *err) {
  int32_t plain[ROWS_AT_ONCE];
  for (int64_t from = 0; from < n; from += ROWS_AT_ONCE) {
    int64_t count = n - from < ROWS_AT_ONCE ? n - from : ROWS_AT_ONCE;
    const int32_t *some = rows != NULL ? rows + from : plain;
    for (int64_t i = 0; rows == NULL && i < count; i++) plain[i] = (int32_t)(from + i);
    SKEP_TRY(f->format->serde == SKEP_SERDE_LAZY ? skep_lazy_write(&f->format->lazy, root, some, count, &f->buf, err)
                                                 : skep_csv_write(&f->format->csv, root, some, count, &f->buf, err));
    if (f->buf.size >= BUFFER_BYTES || f->buf.status != SKEP_OK) SKEP_TRY(flush(f, err));
  }
  return SKEP_OK;
}

static void text_close(skep_row_file *f) {
  if (f == NULL) return;
  skep_buf_fini(&f->buf);
  skep_release(f->ctx, f);
}

const skep_row_codec skep_text_row_codec = {.open = text_open, .add = text_add, .end = flush, .close = text_close};
