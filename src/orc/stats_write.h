/* Statistics of a column as they are gathered while writing, and as they stand in the file. Inside orc only. */
#ifndef ORC_STATS_WRITE_H
#define ORC_STATS_WRITE_H

#include "base/buf.h"
#include "column/vec.h"

/* The longest text kept as a minimum or maximum; longer ones are cut to a bound. Source: ORC Java,
 * StringStatisticsImpl.MAX_BYTES_RECORDED. */
enum { SKEP_ORC_MAX_STATS_TEXT = 1024 };

/* A minimum or maximum of texts: the value, or a bound when it was longer or is no UTF-8. */
typedef struct skep_orc_text_end {
  uint8_t *bytes; /* NULL: none yet; room for SKEP_ORC_MAX_STATS_TEXT */
  uint32_t size;
  bool is_bound;
} skep_orc_text_end;

/* Which members count is a matter of the column's kind; all-zero is "no values yet". */
typedef struct skep_orc_tally {
  uint64_t count; /* values that are not NULL */
  bool has_null;
  uint64_t bytes_on_disk;
  bool has_ends;      /* min and max are set */
  bool ends_are_lost; /* values came whose ends are not known: nothing is said (never while gathering) */
  union {
    int64_t i64;
    double f64;
    skep_i128 i128; /* decimals: unscaled, in the type's scale */
    skep_ts ts;
  } min, max;
  int64_t sum; /* integers; total length of texts and binaries; TRUE of booleans; children of lists and maps */
  bool sum_is_lost;
  double sum_f64;
  skep_i128 sum_i128;
  skep_orc_text_end low, high;
  bool high_is_lost; /* a value came that no text is known to be above */
} skep_orc_tally;

void skep_orc_tally_fini(const skep_ctx *ctx, skep_orc_tally *t);
void skep_orc_tally_reset(skep_orc_tally *t); /* keeps the memory of texts */

/* n values that are not NULL; they are counted here. */
void skep_orc_tally_ints(skep_orc_tally *t, const int64_t *values, size_t n); /* also dates, and sizes of collections */
void skep_orc_tally_doubles(skep_orc_tally *t, const double *values, size_t n);
void skep_orc_tally_decimals(skep_orc_tally *t, const skep_i128 *values, size_t n);
void skep_orc_tally_times(skep_orc_tally *t, const skep_ts *values, size_t n);
void skep_orc_tally_narrow_decimals(skep_orc_tally *t, const int64_t *values, size_t n);
/* Texts, in two parts: minimum and maximum may be asked for fewer values, those that are different. */
void skep_orc_tally_text_sizes(skep_orc_tally *t, const skep_bytes *values, size_t n);
SKEP_NODISCARD skep_status skep_orc_tally_text_ends(const skep_ctx *ctx, skep_orc_tally *t, const skep_bytes *values,
                                                    size_t n, skep_err *err);

/* What both have seen. */
SKEP_NODISCARD skep_status skep_orc_tally_merge(const skep_ctx *ctx, skep_orc_tally *into, const skep_orc_tally *from,
                                                const skep_type *type, skep_err *err);

/* Appends the ColumnStatistics message. `scratch` is reset. */
void skep_orc_tally_write(const skep_orc_tally *t, const skep_type *type, skep_buf *scratch, skep_buf *out);

#endif
