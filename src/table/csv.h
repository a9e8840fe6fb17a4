/* CSV as Hive's OpenCSVSerde reads and writes it: all columns are texts, one row a line.
 *
 * Source: Hive 4.0.1 OpenCSVSerde over opencsv 2.3 (CSVReader, CSVWriter); golden 14-external/csv, csv-written. */
#ifndef TABLE_CSV_H
#define TABLE_CSV_H

#include "table/text_format.h"

/* As skep_lazy_read; columns are of type STRING. */
SKEP_NODISCARD skep_status skep_csv_read(const skep_csv_format *format, const uint32_t *positions, uint32_t n_positions,
                                         const skep_bytes *lines, int64_t n_lines, skep_vec *columns, skep_err *err);
SKEP_NODISCARD skep_status skep_csv_write(const skep_csv_format *format, const skep_vec *root, const int32_t *rows,
                                          int64_t n, skep_buf *out, skep_err *err);

#endif
