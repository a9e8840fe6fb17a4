/* Running a split of a text table: the counterpart of acid/scan.h for files of lines. Inside table only.
 *
 * Of a split's files there is one, of kind SKEP_SPLIT_PLAIN; first_stripe and n_stripes count ranges of
 * SKEP_TEXT_RANGE_BYTES (see skep_plan_opts.range_bytes). Predicates are not applied. */
#ifndef TABLE_TEXT_SCAN_H
#define TABLE_TEXT_SCAN_H

#include "acid/split.h"
#include "table/text_format.h"

#define SKEP_TEXT_RANGE_BYTES ((uint64_t)16 << 20)

typedef struct skep_text_scan skep_text_scan;

/* All but the result is borrowed and must outlive it. */
SKEP_NODISCARD skep_status skep_text_scan_open(const skep_ctx *ctx, skep_fs *fs, const skep_text_format *format,
                                               const skep_split *split, skep_text_scan **out, skep_err *err);
void skep_text_scan_close(skep_text_scan *scan);                  /* accepts NULL */
const skep_type *skep_text_scan_type(const skep_text_scan *scan); /* skep_split_type */

/* As skep_scan_next: the batch has the forms of column/source.h. Texts lie in the scan until its next call. */
SKEP_NODISCARD skep_status skep_text_scan_next(skep_text_scan *scan, int64_t max_rows, skep_batch *batch,
                                               skep_err *err);

#endif
