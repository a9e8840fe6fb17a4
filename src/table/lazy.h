/* Rows as delimited text: what Hive's LazySimpleSerDe reads and writes.
 *
 * A row is one line. Its columns are parted by the separator of level 0, the parts of a nested value by that of the
 * level it stands at (1 for a column): elements of arrays, fields of structs, entries of maps, whose key and value are
 * parted by the next level's; a union is its tag, a separator and the value. A text that is no value of its type is
 * NULL, columns that are missing at the end are NULL, further ones are passed over.
 *
 * Source: Hive 4.0.1, seen (tests/data/hive/text-4.0.1/), and its LazySimpleSerDe, LazyUtils, LazyInteger. */
#ifndef TABLE_LAZY_H
#define TABLE_LAZY_H

#include "column/vec.h"

enum { SKEP_LAZY_MAX_SEPARATORS = 160 };

typedef struct skep_lazy_format {
  uint8_t separators[SKEP_LAZY_MAX_SEPARATORS]; /* by level */
  uint32_t n_separators;
  bool is_escaped; /* `escape` makes the next byte an ordinary one */
  uint8_t escape;
  bool escapes_newlines; /* line ends are written as escape r, escape n (they are read so always) */
  skep_bytes null_text;  /* of NULL: "\N" */
  bool rest_in_last;     /* the last column of a row takes what follows, separators and all */
  bool wide_booleans;    /* t, f, 1, 0 (any case) are booleans too */
} skep_lazy_format;

/* The format without any properties: \001, \002, ... \010, and \N. */
extern const skep_lazy_format skep_lazy_default;

/* SKEP_ERR_UNSUPPORTED in Hive's words: the row's types are nested deeper than there are separators. */
SKEP_NODISCARD skep_status skep_lazy_check(const skep_lazy_format *format, const skep_type *row, skep_err *err);

/* Lines into vectors: columns[i] gets column positions[i] (ascending) of `row`, n_lines entries each. The vectors are
 * reset ones in the forms of column/source.h (booleans as bytes, strings as views, timestamps as skep_ts, decimals
 * narrow). Strings that need no change stay in the lines: these must outlive the content of the vectors. */
SKEP_NODISCARD skep_status skep_lazy_read(const skep_lazy_format *format, const skep_type *row,
                                          const uint32_t *positions, uint32_t n_positions, const skep_bytes *lines,
                                          int64_t n_lines, skep_vec *columns, skep_err *err);

/* Appends rows of a struct vector (any forms) as lines, each with a '\n' behind it: positions rows[0..n), or (NULL) the
 * first n. Failures of the buffer stay in `out`. */
SKEP_NODISCARD skep_status skep_lazy_write(const skep_lazy_format *format, const skep_vec *root, const int32_t *rows,
                                           int64_t n, skep_buf *out, skep_err *err);

#endif
