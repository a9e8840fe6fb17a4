/* Rows as text in one of the output formats.
 *
 * A formatter is fixed once made and shared by threads; each formats batches into chunks. A printer, of one thread,
 * puts chunks out in order, with what stands before, between and after: headers, rules, the row limit. */
#ifndef CLI_FORMAT_H
#define CLI_FORMAT_H

#include "base/arena.h"
#include "cli/output.h"
#include "column/text.h"

typedef enum skep_cli_format {
  SKEP_CLI_TABLE,    /* +---+ rules and aligned columns, as beeline */
  SKEP_CLI_TSV2,     /* tab separated, values exactly as Hive prints them, nothing quoted */
  SKEP_CLI_CSV2,     /* comma separated, quoted where needed, as beeline */
  SKEP_CLI_JSON,     /* one JSON object a row */
  SKEP_CLI_VERTICAL, /* a line a value, an empty line after each row */
  SKEP_CLI_COPY      /* tab separated, lossless: NULL is \N, control characters are escaped */
} skep_cli_format;

bool skep_cli_format_parse(const char *name, skep_cli_format *out);
#define SKEP_CLI_FORMAT_NAMES "table, tsv2, csv2, json, vertical, copy"

/* What happens to bytes of strings that are no UTF-8. */
typedef enum skep_cli_utf8 {
  SKEP_CLI_UTF8_DEFAULT, /* json: replace; other formats: as they are */
  SKEP_CLI_UTF8_AS_IS,   /* not for json, which has no such strings */
  SKEP_CLI_UTF8_REPLACE, /* by U+FFFD, as Hive's clients show them */
  SKEP_CLI_UTF8_FAIL
} skep_cli_utf8;

/* True when `text` names a policy that the option --utf8 takes. */
bool skep_cli_utf8_parse(const char *text, skep_cli_utf8 *out);
#define SKEP_CLI_UTF8_NAMES "as-is, replace or fail"

typedef struct skep_cli_formatter {
  skep_cli_format format;
  skep_cli_utf8 utf8; /* never the default */
  bool bare;          /* the root is no struct: JSON rows are the bare value */
  uint32_t n_columns;
  const char *const *names;
  const skep_bytes *heads; /* by column, what precedes a value: JSON {"name": ; vertical "name   " */
} skep_cli_formatter;

/* type: what batches have; names are taken from it and copied into the arena. A type that is no struct is one column
 * "value". */
SKEP_NODISCARD skep_status skep_cli_formatter_init(skep_cli_formatter *f, skep_arena *arena, skep_cli_format format,
                                                   const skep_type *type, skep_cli_utf8 utf8, skep_err *err);

/* One cell of a chunk in table format: where its text ends and how many terminal columns it takes. */
typedef struct skep_cli_cell {
  size_t end;
  uint32_t width;
} skep_cli_cell;

/* A batch as text. Zeroed is a valid start for skep_cli_chunk_init. */
typedef struct skep_cli_chunk {
  skep_buf text;
  skep_buf row_ends; /* size_t each: where a row's text ends */
  skep_buf cells;    /* skep_cli_cell each, row by row; table format only */
  int64_t n_rows;
  bool replaced_utf8;
} skep_cli_chunk;

void skep_cli_chunk_init(skep_cli_chunk *chunk, const skep_ctx *ctx);
void skep_cli_chunk_fini(skep_cli_chunk *chunk);  /* safe on a zeroed chunk */
void skep_cli_chunk_renew(skep_cli_chunk *chunk); /* gives its memory back; it stays initialised */

/* Replaces the chunk's content by `n_rows` rows; columns[i] is the vector of column i. */
SKEP_NODISCARD skep_status skep_cli_format_rows(const skep_cli_formatter *f, const skep_vec *const *columns,
                                                int64_t n_rows, skep_cli_chunk *chunk, skep_err *err);

typedef struct skep_cli_printer {
  const skep_cli_formatter *formatter;
  skep_cli_output *out;
  bool header;
  uint64_t left;      /* rows that may still be printed */
  uint64_t n_rows;    /* printed */
  bool said_replaced; /* the warning about invalid UTF-8 was given */
  /* table format: rows that wait for their column widths */
  skep_cli_chunk waiting;
  uint32_t *widths; /* by column, never shrink */
  uint32_t *header_widths;
  bool printed_rule;
} skep_cli_printer;

/* limit: UINT64_MAX = none. */
SKEP_NODISCARD skep_status skep_cli_printer_init(skep_cli_printer *p, const skep_ctx *ctx,
                                                 const skep_cli_formatter *formatter, skep_cli_output *out, bool header,
                                                 uint64_t limit, skep_err *err);
void skep_cli_printer_fini(skep_cli_printer *p);

/* *more is false when no more rows are wanted: limit reached or output closed. */
SKEP_NODISCARD skep_status skep_cli_print_begin(skep_cli_printer *p, skep_err *err);
SKEP_NODISCARD skep_status skep_cli_print_chunk(skep_cli_printer *p, skep_cli_chunk *chunk, bool *more, skep_err *err);
SKEP_NODISCARD skep_status skep_cli_print_end(skep_cli_printer *p, skep_err *err);

/* Shared by format.c, format_rows.c and table.c only. */
void skep_cli_csv_quote(skep_buf *buf, size_t start); /* quotes what was appended at start, where csv2 needs it */
void skep_cli_table_cell(skep_buf *text, size_t start,
                         uint32_t *width); /* makes printable what was appended at start */
SKEP_NODISCARD skep_status skep_cli_table_add(skep_cli_printer *p, const skep_cli_chunk *chunk, int64_t n_rows,
                                              skep_err *err);
SKEP_NODISCARD skep_status skep_cli_table_flush(skep_cli_printer *p, bool last, skep_err *err);

/* Terminal columns of a code point: 0 for combining marks and controls, 2 for wide East Asian ones and emoji, else 1.
 */
unsigned skep_cli_char_width(uint32_t c);
/* The next code point; an invalid byte is U+FFFD. length > 0. Returns the bytes taken. */
size_t skep_cli_utf8_next(const uint8_t *at, size_t length, uint32_t *c);

#endif
