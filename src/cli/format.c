/* Formatters and chunks, and printing of chunks in order. Batches become chunks in format_rows.c; the layout of the
 * table format is in table.c. */
#include "cli/format.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { MAX_CHUNK_BYTES = 1 << 30 };

static const char *const format_names[] = {"table", "tsv2", "csv2", "json", "vertical", "copy"};

bool skep_cli_format_parse(const char *name, skep_cli_format *out) {
  for (unsigned i = 0; i < sizeof format_names / sizeof format_names[0]; i++) {
    if (strcmp(name, format_names[i]) != 0) continue;
    *out = (skep_cli_format)i;
    return true;
  }
  return false;
}

/* --- making a formatter --- */

static uint32_t display_width(const uint8_t *at, size_t length) {
  uint32_t width = 0;
  while (length > 0) {
    uint32_t c;
    size_t n = skep_cli_utf8_next(at, length, &c);
    width += skep_cli_char_width(c);
    at += n;
    length -= n;
  }
  return width;
}

/* A column name and how often it stood before. */
typedef struct numbered_name {
  const char *name;
  uint32_t index, repeats;
} numbered_name;

static int by_name_then_index(const void *a, const void *b) {
  const numbered_name *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order != 0 ? order : (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b) {
  const numbered_name *x = a, *y = b;
  return (x->index > y->index) - (x->index < y->index);
}

static numbered_name *number_names(skep_arena *arena, const char *const *names, uint32_t n) {
  numbered_name *out = skep_arena_zero(arena, (size_t)n + 1, sizeof *out);
  if (out == NULL) return NULL;
  for (uint32_t i = 0; i < n; i++) out[i] = (numbered_name){.name = names[i], .index = i};
  qsort(out, n, sizeof *out, by_name_then_index);
  for (uint32_t i = 1; i < n; i++) {
    if (strcmp(out[i].name, out[i - 1].name) == 0) out[i].repeats = out[i - 1].repeats + 1;
  }
  qsort(out, n, sizeof *out, by_index);
  return out;
}

/* {"name": or ,"name": ; a repeated name gets #2, #3 so that no value is lost in an object. */
static skep_status json_head(const numbered_name *n, skep_buf *buf, skep_err *err) {
  skep_text text = {.style = SKEP_TEXT_JSON};
  skep_buf_byte(buf, n->index == 0 ? '{' : ',');
  size_t start = buf->size;
  SKEP_TRY(skep_text_json_string(&text, skep_bytes_of(n->name, strlen(n->name)), buf, err));
  if (n->repeats > 0 && buf->status == SKEP_OK && buf->size > start) {
    buf->size--; /* the closing quote */
    skep_buf_printf(buf, "#%u\"", n->repeats + 1);
  }
  skep_buf_byte(buf, ':');
  return SKEP_OK;
}

static void vertical_head(const char *name, uint32_t widest, skep_buf *buf) {
  skep_buf_text(buf, name);
  for (uint32_t w = display_width((const uint8_t *)name, strlen(name)); w < widest + 2; w++) skep_buf_byte(buf, ' ');
}

/* What precedes each value, for the formats that name values. */
static skep_status make_heads(skep_cli_formatter *f, skep_arena *arena, skep_bytes *heads, skep_buf *buf,
                              skep_err *err) {
  bool is_json = f->format == SKEP_CLI_JSON && !f->bare, is_vertical = f->format == SKEP_CLI_VERTICAL;
  if (!is_json && !is_vertical) return SKEP_OK;
  const numbered_name *numbered = number_names(arena, f->names, f->n_columns);
  if (numbered == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for column names");
  uint32_t widest = 0;
  for (uint32_t i = 0; i < f->n_columns; i++) {
    uint32_t w = display_width((const uint8_t *)f->names[i], strlen(f->names[i]));
    if (w > widest) widest = w;
  }
  for (uint32_t i = 0; i < f->n_columns; i++) {
    skep_buf_reset(buf);
    if (is_json) SKEP_TRY(json_head(&numbered[i], buf, err));
    if (is_vertical) vertical_head(f->names[i], widest, buf);
    SKEP_TRY(skep_buf_check(buf, "column name", err));
    const char *copy = skep_arena_strndup(arena, (const char *)buf->data, buf->size);
    if (copy == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for column names");
    heads[i] = skep_bytes_of(copy, buf->size);
  }
  return SKEP_OK;
}

/* In the formats for people a name must not steer the terminal. */
static skep_status copy_name(const skep_cli_formatter *f, skep_arena *arena, const char *name, const char **out,
                             skep_buf *buf, skep_err *err) {
  uint32_t width;
  skep_buf_reset(buf);
  skep_buf_text(buf, name);
  if (f->format == SKEP_CLI_TABLE || f->format == SKEP_CLI_VERTICAL) skep_cli_table_cell(buf, 0, &width);
  SKEP_TRY(skep_buf_check(buf, "column name", err));
  *out = skep_buf_copy(buf, arena);
  return *out != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "no memory for column names");
}

static skep_status copy_names(skep_cli_formatter *f, skep_arena *arena, const skep_type *type, skep_err *err) {
  f->bare = type->kind != SKEP_STRUCT;
  f->n_columns = f->bare ? 1 : type->n_children;
  const char **names = skep_arena_zero(arena, (size_t)f->n_columns + 1, sizeof *names);
  skep_bytes *heads = skep_arena_zero(arena, (size_t)f->n_columns + 1, sizeof *heads);
  f->names = names;
  f->heads = heads;
  if (names == NULL || heads == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for column names");
  skep_buf buf;
  skep_buf_init(&buf, arena->ctx, MAX_CHUNK_BYTES);
  skep_status status = SKEP_OK;
  for (uint32_t i = 0; i < f->n_columns && status == SKEP_OK; i++) {
    status = copy_name(f, arena, f->bare ? "value" : type->names[i], &names[i], &buf, err);
  }
  if (status == SKEP_OK) status = make_heads(f, arena, heads, &buf, err);
  skep_buf_fini(&buf);
  return status;
}

bool skep_cli_utf8_parse(const char *text, skep_cli_utf8 *out) {
  if (strcmp(text, "as-is") == 0) return *out = SKEP_CLI_UTF8_AS_IS, true;
  if (strcmp(text, "replace") == 0) return *out = SKEP_CLI_UTF8_REPLACE, true;
  if (strcmp(text, "fail") == 0) return *out = SKEP_CLI_UTF8_FAIL, true;
  return false;
}

skep_status skep_cli_formatter_init(skep_cli_formatter *f, skep_arena *arena, skep_cli_format format,
                                    const skep_type *type, skep_cli_utf8 utf8, skep_err *err) {
  if (format == SKEP_CLI_JSON && utf8 != SKEP_CLI_UTF8_FAIL) utf8 = SKEP_CLI_UTF8_REPLACE;
  if (utf8 == SKEP_CLI_UTF8_DEFAULT) utf8 = SKEP_CLI_UTF8_AS_IS;
  *f = (skep_cli_formatter){.format = format, .utf8 = utf8};
  return copy_names(f, arena, type, err);
}

/* --- chunks --- */

void skep_cli_chunk_init(skep_cli_chunk *chunk, const skep_ctx *ctx) {
  *chunk = (skep_cli_chunk){0};
  skep_buf_init(&chunk->text, ctx, MAX_CHUNK_BYTES);
  skep_buf_init(&chunk->row_ends, ctx, MAX_CHUNK_BYTES);
  skep_buf_init(&chunk->cells, ctx, MAX_CHUNK_BYTES);
}

void skep_cli_chunk_fini(skep_cli_chunk *chunk) {
  skep_buf_fini(&chunk->text);
  skep_buf_fini(&chunk->row_ends);
  skep_buf_fini(&chunk->cells);
}

void skep_cli_chunk_renew(skep_cli_chunk *chunk) {
  const skep_ctx *ctx = chunk->text.ctx;
  skep_cli_chunk_fini(chunk);
  skep_cli_chunk_init(chunk, ctx);
}

/* --- printing --- */

skep_status skep_cli_printer_init(skep_cli_printer *p, const skep_ctx *ctx, const skep_cli_formatter *formatter,
                                  skep_cli_output *out, bool header, uint64_t limit, skep_err *err) {
  *p = (skep_cli_printer){.formatter = formatter, .out = out, .header = header, .left = limit};
  skep_cli_chunk_init(&p->waiting, ctx);
  p->widths = skep_alloc_zero(ctx, formatter->n_columns + 1, sizeof *p->widths);
  p->header_widths = skep_alloc_zero(ctx, formatter->n_columns + 1, sizeof *p->header_widths);
  if (p->widths == NULL || p->header_widths == NULL) {
    skep_cli_printer_fini(p);
    return skep_fail(err, SKEP_ERR_NOMEM, "no memory for printing");
  }
  for (uint32_t i = 0; i < formatter->n_columns; i++) {
    const char *name = formatter->names[i];
    p->header_widths[i] = display_width((const uint8_t *)name, strlen(name));
    p->widths[i] = header ? p->header_widths[i] + 1 : 1;
  }
  return SKEP_OK;
}

void skep_cli_printer_fini(skep_cli_printer *p) {
  const skep_ctx *ctx = p->out->ctx;
  skep_release(ctx, p->widths);
  skep_release(ctx, p->header_widths);
  p->widths = p->header_widths = NULL;
  skep_cli_chunk_fini(&p->waiting);
}

static void header_name(const skep_cli_printer *p, uint32_t i, skep_buf *buf) {
  const char *name = p->formatter->names[i];
  size_t start = buf->size;
  if (p->formatter->format == SKEP_CLI_CSV2) {
    skep_buf_text(buf, name);
    skep_cli_csv_quote(buf, start);
    return;
  }
  bool copy = p->formatter->format == SKEP_CLI_COPY;
  for (; *name != '\0'; name++) { /* a tab or line end in a name would shift every column */
    uint8_t c = (uint8_t)*name;
    uint8_t letter = c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c == '\\' && copy ? '\\' : 0;
    if (letter != 0) skep_buf_byte(buf, '\\');
    skep_buf_byte(buf, letter != 0 ? letter : c);
  }
}

skep_status skep_cli_print_begin(skep_cli_printer *p, skep_err *err) {
  const skep_cli_formatter *f = p->formatter;
  if (!p->header || f->format == SKEP_CLI_JSON || f->format == SKEP_CLI_VERTICAL || f->format == SKEP_CLI_TABLE)
    return SKEP_OK;
  skep_buf buf;
  skep_buf_init(&buf, p->out->ctx, MAX_CHUNK_BYTES);
  for (uint32_t i = 0; i < f->n_columns; i++) {
    if (i > 0) skep_buf_byte(&buf, f->format == SKEP_CLI_CSV2 ? ',' : '\t');
    header_name(p, i, &buf);
  }
  skep_buf_byte(&buf, '\n');
  skep_status status = skep_buf_check(&buf, "header", err);
  if (status == SKEP_OK) skep_cli_output_write(p->out, buf.data, buf.size);
  skep_buf_fini(&buf);
  return status;
}

skep_status skep_cli_print_chunk(skep_cli_printer *p, skep_cli_chunk *chunk, bool *more, skep_err *err) {
  int64_t n = chunk->n_rows;
  *more = true;
  if ((uint64_t)n > p->left) n = (int64_t)p->left;
  if (chunk->replaced_utf8 && !p->said_replaced) {
    p->said_replaced = true;
    skep_cli_warn(
        "some strings are not valid UTF-8: their invalid bytes are shown as U+FFFD (--utf8=fail makes this an error)");
  }
  bool ok = true;
  if (p->formatter->format == SKEP_CLI_TABLE) {
    SKEP_TRY(skep_cli_table_add(p, chunk, n, err));
    ok = !p->out->closed && p->out->error == 0;
  } else if (n > 0) {
    size_t end = ((const size_t *)(const void *)chunk->row_ends.data)[n - 1];
    ok = skep_cli_output_write(p->out, chunk->text.data, end);
  }
  p->n_rows += (uint64_t)n;
  p->left -= (uint64_t)n;
  *more = ok && p->left > 0;
  return SKEP_OK;
}

skep_status skep_cli_print_end(skep_cli_printer *p, skep_err *err) {
  if (p->formatter->format == SKEP_CLI_TABLE) SKEP_TRY(skep_cli_table_flush(p, true, err));
  skep_cli_output_flush(p->out);
  return skep_cli_output_check(p->out, err);
}
