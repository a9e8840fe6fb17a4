/* What a table, its streams and a decoded split share: context, file system, cache, splits. Reference counted, so that
 * streams may outlive the table. */
#ifndef API_READING_H
#define API_READING_H

#include "acid/plan.h"
#include "acid/scan.h"
#include "base/recycler.h"
#include "column/arrow.h"
#include "skep/table.h"

typedef struct skep_reading {
  uint32_t references; /* atomic: __atomic builtins only */
  skep_ctx ctx;        /* its allocator is the recycler */
  skep_recycler *recycler;
  skep_arena arena; /* a decoded split and its type; texts of a table */
  skep_fs *fs;
  skep_scan_cache *cache;
  skep_plan *plan; /* NULL: a decoded split */
  const skep_split *splits;
  uint32_t n_splits;
  const skep_type *type;
  skep_read_opts read; /* complete: zeros replaced by defaults */
  skep_forms forms;
  skep_utf8_mode utf8;
} skep_reading;

/* A reading without splits. opts may be NULL or of an older, smaller version. */
SKEP_NODISCARD skep_status skep_reading_new(const skep_read_opts *opts, skep_reading **out, skep_err *err);
skep_reading *skep_reading_ref(skep_reading *reading);
void skep_reading_unref(skep_reading *reading); /* accepts NULL */

/* A stream of splits [first, first + n), with its own reference to the reading. */
SKEP_NODISCARD skep_status skep_reading_stream(skep_reading *reading, uint32_t first, uint32_t n, uint32_t n_threads,
                                               struct ArrowArrayStream *out, skep_err *err);

#endif
