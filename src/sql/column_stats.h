/* Statistics of columns: what ANALYZE TABLE ... COMPUTE STATISTICS FOR COLUMNS asks of the rows, what comes out, and
 * how DESCRIBE FORMATTED t c shows it.
 *
 * Different values are counted exactly (Hive estimates them). A length is that of Hive's length(); NULL counts as 0 in
 * the mean. Columns of other types than the primitive ones have no statistics.
 *
 * Source: Hive 4.0 ColumnStatsSemanticAnalyzer (what is computed by type), ShowUtils.extractColumnValues; golden 19. */
#ifndef SQL_COLUMN_STATS_H
#define SQL_COLUMN_STATS_H

#include "sql/session_int.h"

/* Which columns of a table: indexes, ascending as named. */
typedef struct skep_stats_columns {
  const uint32_t *at;
  uint32_t n;
} skep_stats_columns;

/* Those that are named; without names all that can have statistics. Named ones that cannot are left out with a notice;
 * partition columns are refused (30012), as are unknown ones (10002). */
SKEP_NODISCARD skep_status skep_stats_choose(skep_session *s, const skep_catalog_table *t, const skep_name_list *names,
                                             skep_stats_columns *out, skep_err *err);
/* Appends the expressions of a SELECT list, ", " before each. */
void skep_stats_select(const skep_catalog_table *t, const skep_stats_columns *columns, skep_buf *sql);
/* From the answer to them: row `row` of the children from `first` on. n_rows: count(*) of the same rows. NULL batch: of
 * no rows. out: columns->n of them. */
SKEP_NODISCARD skep_status skep_stats_read(skep_session *s, const skep_catalog_table *t,
                                           const skep_stats_columns *columns, const skep_batch *batch, int64_t row,
                                           uint32_t first, int64_t n_rows, skep_catalog_column_stats *out,
                                           skep_err *err);

/* The property COLUMN_STATS_ACCURATE when the numbers of rows and these columns (NULL: all of the table) are accurate;
 * what `old` (or NULL) says of other columns of the table stays. NULL: out of memory. */
const char *skep_stats_accurate(skep_session *s, const skep_type *table, const skep_stats_columns *columns,
                                const char *old);

/* One cell as text, in the session's arena; "" for NULL. NULL: out of memory. */
const char *skep_stats_cell(skep_session *s, const skep_vec *vec, int64_t row);

/* What DESCRIBE FORMATTED shows: min, max, num_nulls, distinct_count, avg_col_len, max_col_len, num_trues, num_falses,
 * bit_vector; all "" when nothing is known. */
enum { SKEP_N_STATS_SHOWN = 9 };
SKEP_NODISCARD skep_status skep_stats_shown(skep_session *s, const skep_type *type,
                                            const skep_catalog_column_stats *stats, const char **out, skep_err *err);
/* One line for a table out of those of its partitions, as Hive's metastore makes it without bit vectors: NULL for none.
 */
void skep_stats_sum(const skep_catalog_column_stats *all, size_t n, skep_catalog_column_stats *out);

#endif
