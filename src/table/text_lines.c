/* Lines of text files: a window over the file's bytes that moves forward. See text_lines.h. */
#include "table/text_lines.h"

#include <inttypes.h>

#include "table/text_unpack.h"

enum { READ_BYTES = 256 << 10, MAX_FOOTER = 100 };

struct skep_lines {
  const skep_ctx *ctx;
  skep_file *file; /* NULL: all of it is in `data` */
  skep_lines_opts opts;
  uint8_t *data;
  size_t capacity, size, at; /* data[at, size) is not delivered */
  size_t lf_from, lf; /* data[lf_from, lf) has no LF: lines that end with CR do not look for it again and again */
  uint64_t base;      /* of data[0] in the file */
  uint64_t length;    /* of the file */
  bool at_end;        /* everything is read */
};

bool skep_lines_can_cut(const char *path) { return skep_text_packing(path) == SKEP_TEXT_PLAIN; }

static skep_status refuse_footer(const skep_lines_opts *o, skep_err *err) {
  if (o->footer_lines <= MAX_FOOTER) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_UNSUPPORTED, "footer number exceeds the limit defined in hive.file.max.footer");
}

static skep_status too_long(const skep_lines *l, skep_err *err) {
  return skep_fail(err, SKEP_ERR_LIMIT, "a line of more than %" PRIu64 " bytes", l->ctx->limits.max_value_bytes);
}

/* Reads on behind data[size). The window keeps what is not delivered yet, and grows when that is all of it. */
static skep_status read_more(skep_lines *l, skep_err *err) {
  if (l->at != 0) {
    if (l->size != l->at) memmove(l->data, l->data + l->at, l->size - l->at);
    l->base += l->at;
    l->size -= l->at;
    l->lf_from = l->lf_from > l->at ? l->lf_from - l->at : 0;
    l->lf = l->lf > l->at ? l->lf - l->at : 0;
    l->at = 0;
  }
  uint64_t left = l->length - l->base - l->size;
  size_t n = l->size < READ_BYTES ? READ_BYTES : l->size; /* a long line is looked over a few times only */
  if (left < n) n = (size_t)left;
  if (l->size > l->ctx->limits.max_value_bytes) return too_long(l, err);
  if (l->size + n > l->capacity) {
    size_t capacity = l->capacity < READ_BYTES ? READ_BYTES * 2 : l->capacity * 2;
    while (capacity < l->size + n) capacity *= 2;
    uint8_t *grown = skep_resize(l->ctx, l->data, capacity);
    if (grown == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%zu bytes of lines", capacity);
    l->data = grown;
    l->capacity = capacity;
  }
  if (n != 0) SKEP_TRY(skep_file_read_at(l->file, l->base + l->size, l->data + l->size, n, err));
  l->size += n;
  l->at_end = l->base + l->size == l->length;
  return SKEP_OK;
}

/* The first LF in data[from, size), or size. */
static size_t find_lf(skep_lines *l, size_t from) {
  if (from < l->lf_from || from > l->lf) l->lf_from = l->lf = from;
  const uint8_t *lf = l->lf == l->size ? NULL : memchr(l->data + l->lf, '\n', l->size - l->lf);
  l->lf = lf == NULL ? l->size : (size_t)(lf - l->data);
  return l->lf;
}

/* The line at data[from): its length and where the next one begins. False: its end is not in the window yet. */
static bool find_end(skep_lines *l, size_t from, size_t *length, size_t *next) {
  size_t to = find_lf(l, from) - from;
  bool is_lf = from + to < l->size;
  const uint8_t *start = l->data + from, *cr = to == 0 ? NULL : memchr(start, '\r', to);
  if (cr != NULL) {
    *length = (size_t)(cr - start);
    *next = from + *length + 1;
    if (*next == l->size) return l->at_end; /* a LF may follow */
    if (l->data[*next] == '\n') (*next)++;
    return true;
  }
  *length = to;
  *next = from + to + is_lf;
  return is_lf || l->at_end;
}

static skep_status skip_line(skep_lines *l, skep_err *err) {
  size_t length, next;
  while (!find_end(l, l->at, &length, &next)) SKEP_TRY(read_more(l, err));
  l->at = next;
  return SKEP_OK;
}

static skep_status begin(skep_lines *l, skep_err *err) {
  if (l->opts.start != 0) SKEP_TRY(skip_line(l, err)); /* the range before has it */
  for (uint32_t i = 0; l->opts.start == 0 && i < l->opts.header_lines; i++) SKEP_TRY(skip_line(l, err));
  return SKEP_OK;
}

static skep_status open_plain(skep_lines *l, skep_fs *fs, const char *path, skep_err *err) {
  SKEP_TRY(skep_fs_open_read(fs, path, &l->file, err));
  l->length = l->file->size_bytes;
  if (l->opts.start > l->length) l->opts.start = l->length;
  l->base = l->opts.start;
  l->at_end = l->base == l->length;
  return SKEP_OK;
}

static skep_status open_packed(skep_lines *l, skep_fs *fs, const char *path, skep_err *err) {
  if (l->opts.start != 0) return skep_fail(err, SKEP_ERR_INTERNAL, "a range of a compressed file");
  l->opts.end = UINT64_MAX;
  l->at_end = true;
  skep_status st = skep_text_unpack(l->ctx, fs, path, &l->data, &l->size, err);
  l->length = l->capacity = l->size;
  return st;
}

skep_status skep_lines_open(const skep_ctx *ctx, skep_fs *fs, const char *path, const skep_lines_opts *opts,
                            skep_lines **out, skep_err *err) {
  *out = NULL;
  SKEP_TRY(refuse_footer(opts, err));
  skep_lines *l = skep_alloc_zero(ctx, 1, sizeof *l);
  if (l == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "lines of a file");
  l->ctx = ctx;
  l->opts = *opts;
  skep_status st = skep_lines_can_cut(path) ? open_plain(l, fs, path, err) : open_packed(l, fs, path, err);
  if (st == SKEP_OK) st = begin(l, err);
  if (st != SKEP_OK) {
    skep_lines_close(l);
    return st;
  }
  *out = l;
  return SKEP_OK;
}

void skep_lines_close(skep_lines *l) {
  if (l == NULL) return;
  skep_file_close(l->file, NULL);
  skep_release(l->ctx, l->data);
  skep_release(l->ctx, l);
}

/* Is there a line of ours at data[from)? */
static bool is_ours(const skep_lines *l, size_t from) {
  uint64_t position = l->base + from;
  return position < l->length && position <= l->opts.end;
}

/* Lines in the window from `at` on, at most max; *next: where the one behind them begins. */
static int64_t gather(skep_lines *l, int64_t max, skep_bytes *out, size_t *next) {
  int64_t n = 0;
  *next = l->at;
  while (n < max && is_ours(l, *next)) {
    size_t length, from = *next, after;
    if (!find_end(l, from, &length, &after)) break;
    if (length > l->ctx->limits.max_value_bytes) max = n + 1; /* the last one: refused by the caller */
    out[n] = skep_bytes_of(l->data + from, length);
    n++;
    *next = after;
  }
  return n;
}

/* The n last lines are the file's footer, unless enough others follow in the window. */
static int64_t hold_footer(skep_lines *l, int64_t n, const skep_bytes *out, size_t *next) {
  size_t at = *next, length, after;
  int64_t behind = 0;
  while (behind < l->opts.footer_lines && is_ours(l, at) && find_end(l, at, &length, &after)) {
    at = after;
    behind++;
  }
  int64_t held = l->opts.footer_lines - behind;
  if (held <= 0) return n;
  n = held < n ? n - held : 0;
  *next = n == 0 ? l->at : (size_t)(out[n].at - l->data);
  return n;
}

skep_status skep_lines_next(skep_lines *l, int64_t max, skep_bytes *out, int64_t *n, skep_err *err) {
  static const uint8_t nothing[1];
  for (;;) {
    size_t next;
    *n = gather(l, max, out, &next);
    if (*n != 0 && out[*n - 1].left > l->ctx->limits.max_value_bytes) return too_long(l, err);
    if (l->opts.footer_lines != 0 && *n != 0) *n = hold_footer(l, *n, out, &next);
    if (*n != 0) {
      for (int64_t i = 0; i < *n; i++)
        if (out[i].at == NULL) out[i].at = nothing;
      l->at = next;
      return SKEP_OK;
    }
    if (l->at_end || !is_ours(l, l->at)) return SKEP_END;
    SKEP_TRY(read_more(l, err));
  }
}
