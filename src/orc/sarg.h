/* Search arguments: may a set of rows, known only by its statistics, hold a row for which a predicate is TRUE?
 *
 * Three-valued: a node's answer is the set of truth values its rows may have. Rows are skipped only when TRUE is not in
 * the set. Anything unknown (no statistics, a converted type, an untrusted writer) counts as "all three". */
#ifndef ORC_SARG_H
#define ORC_SARG_H

#include "column/predicate.h"
#include "orc/tail.h"

/* What is known about one column over the rows in question. */
typedef struct skep_orc_evidence {
  const skep_orc_stats *stats; /* NULL: nothing known */
  const skep_orc_bloom *bloom; /* NULL: none */
  uint64_t n_rows;             /* rows in question, 0 if unknown */
} skep_orc_evidence;

/* Finds the evidence for a leaf of the predicate (by its column path); false: the column is missing in the file, that
 * is all NULL; *known false: nothing can be said. */
typedef bool skep_orc_evidence_for(void *self, const skep_pred *leaf, skep_orc_evidence *out, bool *known);

/* False only when no row can satisfy the bound predicate. */
bool skep_orc_sarg_may_match(const skep_pred *bound, skep_orc_evidence_for *find, void *self);

#endif
