/* Why is something not compacted, not cleaned? One line for each thing of a table that waits: what it is, for what and
 * for whom it waits, since when, and how many bytes that holds. */
#ifndef COMPACT_WHY_H
#define COMPACT_WHY_H

#include "compact/env.h"

typedef struct skep_compact_reason {
  const char *partition;    /* or NULL */
  const char *what;         /* "compaction 7 (MAJOR), ready for cleaning" */
  const char *why;          /* "waits for transaction 17 of ann at host7 ..." */
  int64_t since_ms;         /* 0: not known */
  uint64_t n_dirs, n_bytes; /* that would go */
} skep_compact_reason;

/* Everything in `arena`. *n 0: nothing of the table waits. SKEP_ERR_NOT_FOUND: no such table, and nothing dropped of
 * that name waits either. Reads only. */
SKEP_NODISCARD skep_status skep_compact_why(const skep_compact_env *env, skep_arena *arena, const char *database,
                                            const char *table, skep_compact_reason **out, size_t *n, skep_err *err);

/* The same for one entry of the queue; *why is NULL when it is worked on, or waits for a worker or a cleaner only, or
 * is over. */
SKEP_NODISCARD skep_status skep_compact_why_entry(const skep_compact_env *env, skep_arena *arena,
                                                  const skep_compaction *entry, const char **why, skep_err *err);

#endif
