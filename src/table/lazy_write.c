/* Delimited text, writing. Source: LazySimpleSerDe.serialize, LazyUtils.writePrimitiveUTF8; files of golden 13, 14. */
#include "base/err.h"
#include "column/base64.h"
#include "column/text.h"
#include "table/lazy.h"

typedef struct writing {
  const skep_lazy_format *format;
  bool needs_escape[256];
  skep_text style;
  skep_buf *out;
} writing;

static void put_escaped(writing *w, skep_bytes t) {
  const skep_lazy_format *f = w->format;
  if (t.left == 0) return;
  if (!f->is_escaped) {
    skep_buf_add(w->out, t.at, t.left);
    return;
  }
  for (size_t i = 0, from = 0; i <= t.left; i++) {
    if (i < t.left && !w->needs_escape[t.at[i]]) continue;
    skep_buf_add(w->out, t.at + from, i - from);
    from = i;
    if (i == t.left) break;
    skep_buf_byte(w->out, f->escape);
    if (t.at[i] != '\r' && t.at[i] != '\n') continue;
    skep_buf_byte(w->out, t.at[i] == '\r' ? 'r' : 'n');
    from = i + 1;
  }
}

static void put_char(writing *w, skep_bytes t, uint32_t length) {
  size_t chars = 0;
  for (size_t k = 0; k < t.left; k++) chars += (t.at[k] & 0xc0) != 0x80;
  put_escaped(w, t);
  for (; chars < length; chars++) put_escaped(w, skep_bytes_of(" ", 1)); /* a blank may be a separator */
}

static skep_status put_value(writing *w, const skep_vec *vec, int64_t i, uint32_t level, skep_err *err);

/* Entries [from, to) of a child, parted by the level's separator. */
static skep_status put_list(writing *w, const skep_vec *vec, int64_t i, uint32_t level, skep_err *err) {
  const int32_t *offsets = vec->offsets.data;
  const uint8_t *separators = w->format->separators;
  bool is_map = vec->type->kind == SKEP_MAP;
  for (int64_t e = offsets[i]; e < offsets[i + 1]; e++) {
    if (e > offsets[i]) skep_buf_byte(w->out, separators[level]);
    SKEP_TRY(put_value(w, &vec->children[0], e, is_map ? level + 2 : level + 1, err));
    if (!is_map) continue;
    skep_buf_byte(w->out, separators[level + 1]);
    SKEP_TRY(put_value(w, &vec->children[1], e, level + 2, err));
  }
  return SKEP_OK;
}

static skep_status put_struct(writing *w, const skep_vec *vec, int64_t i, uint32_t level, skep_err *err) {
  for (uint32_t c = 0; c < vec->n_children; c++) {
    if (c > 0) skep_buf_byte(w->out, w->format->separators[level]);
    SKEP_TRY(put_value(w, &vec->children[c], i, level + 1, err));
  }
  return SKEP_OK;
}

static skep_status put_union(writing *w, const skep_vec *vec, int64_t i, uint32_t level, skep_err *err) {
  int8_t tag = ((const int8_t *)vec->values.data)[i];
  skep_buf_i64(w->out, tag);
  skep_buf_byte(w->out, w->format->separators[level]);
  return put_value(w, &vec->children[tag], ((const int32_t *)vec->offsets.data)[i], level + 1, err);
}

static skep_status put_value(writing *w, const skep_vec *vec, int64_t i, uint32_t level, skep_err *err) {
  const skep_lazy_format *f = w->format;
  if (!skep_vec_is_valid(vec, i)) {
    if (f->null_text.left != 0) skep_buf_add(w->out, f->null_text.at, f->null_text.left);
    return SKEP_OK;
  }
  switch (vec->type->kind) {
    case SKEP_STRING:
    case SKEP_VARCHAR:
      put_escaped(w, skep_vec_bytes(vec, i));
      return SKEP_OK;
    case SKEP_CHAR:
      put_char(w, skep_vec_bytes(vec, i), vec->type->length);
      return SKEP_OK;
    case SKEP_BINARY:
      skep_base64_put(skep_vec_bytes(vec, i), false, w->out); /* without padding, as Hive has it */
      return SKEP_OK;
    case SKEP_LIST:
    case SKEP_MAP:
      return put_list(w, vec, i, level, err);
    case SKEP_STRUCT:
      return put_struct(w, vec, i, level, err);
    case SKEP_UNION:
      return put_union(w, vec, i, level, err);
    default:
      return skep_text_value(&w->style, vec, i, w->out, err);
  }
}

skep_status skep_lazy_write(const skep_lazy_format *format, const skep_vec *root, const int32_t *rows, int64_t n,
                            skep_buf *out, skep_err *err) {
  writing w = {.format = format, .style = {.style = SKEP_TEXT_HIVE, .null_text = ""}, .out = out};
  w.needs_escape[format->escape] = true;
  for (uint32_t i = 0; i < format->n_separators; i++) w.needs_escape[format->separators[i]] = true;
  w.needs_escape['\r'] = w.needs_escape['\n'] = format->escapes_newlines;
  for (int64_t i = 0; i < n; i++) {
    SKEP_TRY(put_struct(&w, root, rows != NULL ? rows[i] : i, 0, err));
    skep_buf_byte(out, '\n');
  }
  return SKEP_OK;
}
