/* Running splits. */
#ifndef ACID_SCAN_H
#define ACID_SCAN_H

#include "acid/split.h"
#include "column/vec.h"
#include "orc/reader.h"

/* What scans of one table share: file tails and delete sets, loaded once and kept while used (bounded). Thread-safe. */
typedef struct skep_scan_cache skep_scan_cache;
SKEP_NODISCARD skep_status skep_scan_cache_new(const skep_ctx *ctx, skep_fs *fs, skep_scan_cache **out, skep_err *err);
void skep_scan_cache_free(skep_scan_cache *cache); /* accepts NULL; no scan may be left */

typedef struct skep_scan skep_scan;

/* The split is borrowed and must outlive the scan. forms: what batches look like. */
SKEP_NODISCARD skep_status skep_scan_open(skep_scan_cache *cache, const skep_split *split, const skep_forms *forms,
                                          skep_scan **out, skep_err *err);
void skep_scan_close(skep_scan *scan); /* accepts NULL */
const skep_type *skep_scan_type(const skep_scan *scan); /* borrowed from the scan */

/* Fills `batch` (initialised with skep_scan_type and the same forms; reset by this call) with up to max_rows rows that the
 * snapshot sees and the predicate accepts; batches of 0 rows are not returned. SKEP_END after the last; errors are sticky. */
SKEP_NODISCARD skep_status skep_scan_next(skep_scan *scan, int64_t max_rows, skep_batch *batch, skep_err *err);

/* Rows read from files so far, before deletes and predicate: for progress. */
uint64_t skep_scan_rows_read(const skep_scan *scan);

#endif
