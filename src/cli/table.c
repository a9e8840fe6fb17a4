/* The table format: columns aligned under +---+ rules, in blocks whose widths are known before their first row is
 * printed.
 *
 * As beeline: cells are padded to the widest value plus one, headers are centred. Widths never shrink from block to
 * block; when one grows, a new rule and header stand before the rows. Control characters are shown escaped: they would
 * break the grid, or steer the terminal. */
#include <string.h>

#include "base/utf8.h"
#include "cli/format.h"

enum { BLOCK_ROWS = 1000, BLOCK_BYTES = 8 << 20 };

typedef struct span {
  uint32_t first, last;
} span;

/* Sources: Unicode 15, EastAsianWidth W and F, and emoji shown wide; general categories Mn, Me, Cf. */
static const span wide[] = {
    {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2329, 0x232a},   {0x23e9, 0x23ec},   {0x23f0, 0x23f0},
    {0x23f3, 0x23f3},   {0x25fd, 0x25fe},   {0x2614, 0x2615},   {0x2648, 0x2653},   {0x267f, 0x267f},
    {0x2693, 0x2693},   {0x26a1, 0x26a1},   {0x26aa, 0x26ab},   {0x26bd, 0x26be},   {0x26c4, 0x26c5},
    {0x26ce, 0x26ce},   {0x26d4, 0x26d4},   {0x26ea, 0x26ea},   {0x26f2, 0x26f3},   {0x26f5, 0x26f5},
    {0x26fa, 0x26fa},   {0x26fd, 0x26fd},   {0x2705, 0x2705},   {0x270a, 0x270b},   {0x2728, 0x2728},
    {0x274c, 0x274c},   {0x274e, 0x274e},   {0x2753, 0x2755},   {0x2757, 0x2757},   {0x2795, 0x2797},
    {0x27b0, 0x27b0},   {0x27bf, 0x27bf},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2b55, 0x2b55},
    {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97c},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe10, 0xfe19},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},
    {0xffe0, 0xffe6},   {0x16fe0, 0x18cd5}, {0x1aff0, 0x1b2fb}, {0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf},
    {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a}, {0x1f200, 0x1f320}, {0x1f32d, 0x1f335}, {0x1f337, 0x1f37c},
    {0x1f37e, 0x1f393}, {0x1f3a0, 0x1f3ca}, {0x1f3cf, 0x1f3d3}, {0x1f3e0, 0x1f3f0}, {0x1f3f4, 0x1f3f4},
    {0x1f3f8, 0x1f43e}, {0x1f440, 0x1f440}, {0x1f442, 0x1f4fc}, {0x1f4ff, 0x1f53d}, {0x1f54b, 0x1f54e},
    {0x1f550, 0x1f567}, {0x1f57a, 0x1f57a}, {0x1f595, 0x1f596}, {0x1f5a4, 0x1f5a4}, {0x1f5fb, 0x1f64f},
    {0x1f680, 0x1f6c5}, {0x1f6cc, 0x1f6cc}, {0x1f6d0, 0x1f6d2}, {0x1f6d5, 0x1f6d7}, {0x1f6dc, 0x1f6df},
    {0x1f6eb, 0x1f6ec}, {0x1f6f4, 0x1f6fc}, {0x1f7e0, 0x1f7eb}, {0x1f7f0, 0x1f7f0}, {0x1f90c, 0x1f93a},
    {0x1f93c, 0x1f945}, {0x1f947, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};
static const span zero[] = {
    {0x0300, 0x036f},  {0x0483, 0x0489}, {0x0591, 0x05bd}, {0x05bf, 0x05bf}, {0x05c1, 0x05c2},   {0x05c4, 0x05c5},
    {0x05c7, 0x05c7},  {0x0610, 0x061a}, {0x064b, 0x065f}, {0x0670, 0x0670}, {0x06d6, 0x06dc},   {0x06df, 0x06e4},
    {0x06e7, 0x06e8},  {0x06ea, 0x06ed}, {0x0900, 0x0902}, {0x093a, 0x093a}, {0x093c, 0x093c},   {0x0941, 0x0948},
    {0x094d, 0x094d},  {0x0951, 0x0957}, {0x0e31, 0x0e31}, {0x0e34, 0x0e3a}, {0x0e47, 0x0e4e},   {0x1ab0, 0x1aff},
    {0x1dc0, 0x1dff},  {0x200b, 0x200f}, {0x202a, 0x202e}, {0x2060, 0x2064}, {0x20d0, 0x20f0},   {0x302a, 0x302d},
    {0x3099, 0x309a},  {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0x1f3fb, 0x1f3ff}, {0xe0001, 0xe007f},
    {0xe0100, 0xe01ef}};

static bool within(const span *spans, size_t n, uint32_t c) {
  size_t low = 0, high = n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (c > spans[middle].last) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < n && c >= spans[low].first;
}

unsigned skep_cli_char_width(uint32_t c) {
  if (c < 0x300) return c >= 0x20 && (c < 0x7f || c >= 0xa0) ? 1 : 0;
  if (within(zero, sizeof zero / sizeof zero[0], c)) return 0;
  return within(wide, sizeof wide / sizeof wide[0], c) ? 2 : 1;
}

size_t skep_cli_utf8_next(const uint8_t *at, size_t length, uint32_t *c) {
  size_t n = skep_utf8_length(at, length);
  *c = n != 0 ? skep_utf8_decode(at, n) : 0xfffd;
  return n != 0 ? n : 1;
}

/* True when the text is all printable ASCII: then its width is its length and nothing is escaped. */
static bool is_plain(const uint8_t *at, size_t length) {
  uint8_t bad = 0;
  for (size_t i = 0; i < length; i++) bad |= (uint8_t)((at[i] < 0x20) | (at[i] >= 0x7f));
  return bad == 0;
}

/* Line and paragraph separators, and what turns the direction of the rest of the line around. */
static bool is_steering(uint32_t c) { return (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069); }

static void put_char(skep_buf *text, const uint8_t *bytes, size_t n, uint32_t c, uint32_t *width) {
  static const char hex[] = "0123456789ABCDEF";
  size_t start = text->size;
  if (c < 0x20 || (c >= 0x7f && c < 0xa0)) {
    const char *known = c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : NULL;
    if (known != NULL) {
      skep_buf_text(text, known);
    } else {
      skep_buf_text(text, "\\x");
      skep_buf_byte(text, (uint8_t)hex[c >> 4]);
      skep_buf_byte(text, (uint8_t)hex[c & 15]);
    }
    *width += (uint32_t)(text->size - start);
  } else if (is_steering(c)) {
    skep_buf_printf(text, "\\u%04X", (unsigned)c);
    *width += (uint32_t)(text->size - start);
  } else if (c == 0xfffd) {
    skep_buf_text(text, "\xef\xbf\xbd");
    *width += 1;
  } else {
    skep_buf_add(text, bytes, n);
    *width += skep_cli_char_width(c);
  }
}

void skep_cli_table_cell(skep_buf *text, size_t start, uint32_t *width) {
  *width = 0;
  if (text->status != SKEP_OK) return;
  size_t length = text->size - start;
  if (length == 0) return;
  if (is_plain(text->data + start, length)) {
    *width = (uint32_t)length;
    return;
  }
  uint8_t *copy = skep_alloc(text->ctx, length);
  if (copy == NULL) {
    text->status = SKEP_ERR_NOMEM;
    return;
  }
  memcpy(copy, text->data + start, length);
  text->size = start;
  for (size_t i = 0; i < length;) {
    uint32_t c;
    size_t n = skep_cli_utf8_next(copy + i, length - i, &c);
    put_char(text, copy + i, n, c, width);
    i += n;
  }
  skep_release(text->ctx, copy);
}

/* --- layout --- */

static bool put_repeated(skep_cli_output *out, uint8_t c, size_t n) {
  uint8_t block[64];
  memset(block, c, sizeof block);
  bool ok = true;
  for (; n > 0 && ok; n -= n < sizeof block ? n : sizeof block) {
    ok = skep_cli_output_write(out, block, n < sizeof block ? n : sizeof block);
  }
  return ok;
}

static void put_rule(skep_cli_printer *p) {
  for (uint32_t i = 0; i < p->formatter->n_columns; i++) {
    put_repeated(p->out, '+', 1);
    put_repeated(p->out, '-', (size_t)p->widths[i] + 2);
  }
  skep_cli_output_write(p->out, "+\n", 2);
}

static void put_cell(skep_cli_printer *p, const uint8_t *text, size_t length, size_t before, size_t after) {
  skep_cli_output_write(p->out, "| ", 2);
  put_repeated(p->out, ' ', before);
  skep_cli_output_write(p->out, text, length);
  put_repeated(p->out, ' ', after + 1);
}

static void put_header(skep_cli_printer *p) {
  put_rule(p);
  p->printed_rule = true;
  if (!p->header) return;
  for (uint32_t i = 0; i < p->formatter->n_columns; i++) {
    const char *name = p->formatter->names[i];
    size_t space = p->widths[i] - p->header_widths[i];
    put_cell(p, (const uint8_t *)name, strlen(name), space / 2, space - space / 2);
  }
  skep_cli_output_write(p->out, "|\n", 2);
  put_rule(p);
}

static bool grow_widths(skep_cli_printer *p) {
  const skep_cli_cell *cells = (const skep_cli_cell *)(const void *)p->waiting.cells.data;
  uint32_t n = p->formatter->n_columns;
  bool grew = false;
  for (int64_t row = 0; row < p->waiting.n_rows; row++) {
    for (uint32_t i = 0; i < n; i++, cells++) {
      if (cells->width + 1 <= p->widths[i]) continue;
      p->widths[i] = cells->width + 1;
      grew = true;
    }
  }
  return grew;
}

skep_status skep_cli_table_flush(skep_cli_printer *p, bool last, skep_err *err) {
  SKEP_TRY(skep_buf_check(&p->waiting.text, "table", err));
  SKEP_TRY(skep_buf_check(&p->waiting.cells, "table", err));
  const skep_cli_cell *cells = (const skep_cli_cell *)(const void *)p->waiting.cells.data;
  if (p->formatter->n_columns == 0) return SKEP_OK;
  if (grow_widths(p) || !p->printed_rule) put_header(p);
  size_t start = 0;
  for (int64_t row = 0; row < p->waiting.n_rows; row++) {
    for (uint32_t i = 0; i < p->formatter->n_columns; i++, cells++) {
      put_cell(p, p->waiting.text.data + start, cells->end - start, 0, p->widths[i] - cells->width);
      start = cells->end;
    }
    skep_cli_output_write(p->out, "|\n", 2);
  }
  skep_buf_reset(&p->waiting.text);
  skep_buf_reset(&p->waiting.cells);
  p->waiting.n_rows = 0;
  if (last) put_rule(p);
  return SKEP_OK;
}

skep_status skep_cli_table_add(skep_cli_printer *p, const skep_cli_chunk *chunk, int64_t n_rows, skep_err *err) {
  const skep_cli_cell *cells = (const skep_cli_cell *)(const void *)chunk->cells.data;
  uint32_t n = p->formatter->n_columns;
  size_t start = 0;
  for (int64_t row = 0; row < n_rows && n > 0; row++, cells += n) {
    size_t base = p->waiting.text.size, end = cells[n - 1].end;
    skep_buf_add(&p->waiting.text, chunk->text.data + start, end - start);
    for (uint32_t i = 0; i < n; i++) {
      skep_cli_cell cell = {.end = base + (cells[i].end - start), .width = cells[i].width};
      skep_buf_add(&p->waiting.cells, &cell, sizeof cell);
    }
    start = end;
    p->waiting.n_rows++;
    if (p->waiting.n_rows == BLOCK_ROWS || p->waiting.text.size >= BLOCK_BYTES)
      SKEP_TRY(skep_cli_table_flush(p, false, err));
  }
  return SKEP_OK;
}
