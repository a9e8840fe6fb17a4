/* Text tables: from a table's SerDe and properties to how its files are read and written.
 *
 * Known SerDes: LazySimpleSerDe (lazy.h), OpenCSVSerde (every column is a STRING, whatever was declared).
 * Source: Hive 4.0.1 LazySerDeParameters, OpenCSVSerde, Utilities.getHeaderCount. */
#ifndef TABLE_TEXT_FORMAT_H
#define TABLE_TEXT_FORMAT_H

#include "acid/delta_writer.h"
#include "table/lazy.h"

typedef enum skep_serde { SKEP_SERDE_LAZY, SKEP_SERDE_CSV } skep_serde;

typedef struct skep_csv_format {
  uint8_t separator, quote, escape;
} skep_csv_format;

typedef struct skep_text_format {
  skep_row_codec codec; /* first: what a delta writer is given */
  skep_serde serde;
  skep_lazy_format lazy;
  skep_csv_format csv;
  uint32_t header_lines, footer_lines;
} skep_text_format;

/* input_format, serde: Java class names as the metastore has them (NULL: none). *out is NULL for ORC tables.
 * SKEP_ERR_UNSUPPORTED names a format or SerDe that is not known, or a property that asks for what is not done; row:
 * the table's columns. All lives in the arena. */
SKEP_NODISCARD skep_status skep_text_format_make(skep_arena *arena, const char *input_format, const char *serde,
                                                 const skep_property *serde_properties, uint32_t n_serde_properties,
                                                 const skep_property *properties, uint32_t n_properties,
                                                 const skep_type *row, const skep_text_format **out, skep_err *err);

/* Lines into vectors, as skep_lazy_read. */
SKEP_NODISCARD skep_status skep_text_read(const skep_text_format *format, const skep_type *row,
                                          const uint32_t *positions, uint32_t n_positions, const skep_bytes *lines,
                                          int64_t n_lines, skep_vec *columns, skep_err *err);

#endif
