/* Keys of deleted rows, gathered in any order and given back sorted (row_key_sort.h): in memory while the statement's
 * budget has room, then as sorted runs in files that are merged when they are read. Inside acid only.
 *
 * A spilled run is keys of 20 bytes one behind the other: write id, row id (8 bytes each), bucket property (4), in this
 * machine's byte order; nobody else reads it. Order of calls: _room and _grow as often as needed, _start, _next to the
 * end. */
#ifndef ACID_KEY_RUNS_H
#define ACID_KEY_RUNS_H

#include "acid/bucket_file.h"
#include "acid/write_budget.h"

enum { SKEP_KEY_RUNS_AT_ONCE = 4096 }; /* keys that _next gives at most */

typedef struct skep_key_run skep_key_run;

typedef struct skep_key_runs {
  const skep_ctx *ctx;
  skep_write_budget *budget;         /* NULL: no limit */
  struct skep_key_runs *next, *back; /* of the budget, while it holds keys in memory */
  uint64_t held_bytes;               /* this one's part of budget->key_bytes */
  skep_row_key *keys;                /* in memory */
  size_t n_keys, capacity;
  size_t at; /* of them given by _next; no run was spilled */
  skep_key_run *runs;
  size_t n_runs, runs_capacity;
  size_t *heap; /* while merging: runs, the one with the least key on top */
  size_t n_heap;
  skep_row_key *merged; /* SKEP_KEY_RUNS_AT_ONCE of them */
} skep_key_runs;

void skep_key_runs_init(skep_key_runs *runs, const skep_ctx *ctx, skep_write_budget *budget);
void skep_key_runs_fini(skep_key_runs *runs); /* safe on a zeroed one; removes what was spilled */

/* Room for n keys at *out: fill them and say how many with _grow. May spill keys of any writer of the budget. */
SKEP_NODISCARD skep_status skep_key_runs_room(skep_key_runs *runs, size_t n, skep_row_key **out, skep_err *err);
void skep_key_runs_grow(skep_key_runs *runs, size_t n);

SKEP_NODISCARD skep_status skep_key_runs_start(skep_key_runs *runs, skep_err *err);
/* The next keys in order, valid until the next call; *n 0 at the end. Equal keys are given as often as they came. */
SKEP_NODISCARD skep_status skep_key_runs_next(skep_key_runs *runs, const skep_row_key **keys, size_t *n, skep_err *err);

#endif
