/* Running splits.
 *
 * A scan opens the files of one split, reads them in batches and delivers the rows that the snapshot sees, minus
 * deleted rows, minus rows the predicate does not accept, with row ids and partition columns when asked. One scan is
 * used by one thread; scans of many threads share a cache. */
#ifndef ACID_SCAN_H
#define ACID_SCAN_H

#include "acid/deletes.h"
#include "acid/split.h"
#include "column/vec.h"
#include "orc/reader.h"

/* What scans of one table share: open files, file tails and delete sets, loaded once and kept while used (and as long
 * as there is room). Thread-safe: the first thread that needs one loads it, others wait for it. A failed load is
 * reported to all that waited and tried again by the next. */
typedef struct skep_scan_cache skep_scan_cache;
SKEP_NODISCARD skep_status skep_scan_cache_new(const skep_ctx *ctx, skep_fs *fs, skep_scan_cache **out, skep_err *err);
void skep_scan_cache_free(skep_scan_cache *cache); /* accepts NULL; no scan may be left */

/* The tail of a file (path as fs wants it) at a logical length, through the cache: for planners that look at files
 * which will be scanned. One reference is the caller's: skep_orc_tail_unref. */
SKEP_NODISCARD skep_status skep_scan_cache_tail(skep_scan_cache *cache, const char *path, uint64_t logical_bytes,
                                                skep_orc_tail **out, skep_err *err);

typedef struct skep_scan skep_scan;

/* The split is borrowed and must outlive the scan. forms: what batches look like. No data is read yet, except delete
 * events. */
SKEP_NODISCARD skep_status skep_scan_open(skep_scan_cache *cache, const skep_split *split, const skep_forms *forms,
                                          skep_scan **out, skep_err *err);

/* What is kept between scans that are opened one after the other, all of splits of one plan: their delete events, which
 * the cache would otherwise have to find by the names of all delete files, scan by scan. Zero it at first; it belongs
 * to one thread, and is released before the plan and the cache are freed. */
typedef struct skep_scan_keeper {
  struct skep_cached *deletes;
  const skep_split_file *files;
  uint32_t n_files;
} skep_scan_keeper;
SKEP_NODISCARD skep_status skep_scan_open_kept(skep_scan_cache *cache, const skep_split *split, const skep_forms *forms,
                                               skep_scan_keeper *keeper, skep_scan **out, skep_err *err);
void skep_scan_keeper_release(skep_scan_cache *cache, skep_scan_keeper *keeper);
/* Whether a delete event that applies to the split may name a row in the box: false only when none does. */
SKEP_NODISCARD skep_status skep_scan_keeper_touches(skep_scan_cache *cache, const skep_split *split,
                                                    skep_scan_keeper *keeper, const skep_key_box *box, bool *touched,
                                                    skep_err *err);

void skep_scan_close(skep_scan *scan);                  /* accepts NULL */
const skep_type *skep_scan_type(const skep_scan *scan); /* borrowed from the scan */

/* Fills `batch` (initialised with skep_scan_type, or an equal type, and the same forms; reset by this call) with up to
 * max_rows (1..1048576) rows; batches of 0 rows are not returned. first_row of the batch is not set. Lent buffers of
 * columns are written to directly. SKEP_END after the last; errors are sticky and name the file. */
SKEP_NODISCARD skep_status skep_scan_next(skep_scan *scan, int64_t max_rows, skep_batch *batch, skep_err *err);

/* Rows read from files so far, before deletes and predicate: for progress. */
uint64_t skep_scan_rows_read(const skep_scan *scan);

/* The split's partition values as vectors of one entry, in Arrow's forms; left alone where it has no partition columns.
 * `out` is zeroed or fresh, and the caller's to free after failures too. */
SKEP_NODISCARD skep_status skep_split_constants(const skep_ctx *ctx, const skep_split *split, skep_vec *out,
                                                skep_err *err);
/* Sets n entries of `out` to entry 0 of `constant` (in Arrow's forms), whatever form `out` has: partition columns. */
SKEP_NODISCARD skep_status skep_vec_fill_constant(skep_vec *out, const skep_vec *constant, int64_t n, skep_err *err);

/* What the readers of the scan skipped and read: for tests and statistics. */
skep_orc_reader_counts skep_scan_counts(const skep_scan *scan);

#endif
