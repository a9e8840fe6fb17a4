/* An allocator that keeps large blocks when they are released and hands them out again.
 *
 * Record batches move out of a stream and come back a moment later as released buffers. Given to malloc, each round
 * costs page faults and zeroed pages again; kept here, the next batch is written into memory that the processor still
 * has in its caches. Thread-safe. Every block that is out keeps the recycler alive, so blocks may be released after
 * skep_recycler_close, by any thread: an exported array needs only its copy of the allocator. */
#ifndef BASE_RECYCLER_H
#define BASE_RECYCLER_H

#include "base/ctx.h"

typedef struct skep_recycler skep_recycler;

enum { SKEP_RECYCLER_ALIGNMENT = 64 }; /* of blocks of at least SKEP_RECYCLER_MIN_BYTES; smaller ones: malloc's */
enum { SKEP_RECYCLER_MIN_BYTES = 4096 };

/* max_kept_bytes bounds what lies unused. SKEP_ERR_NOMEM. */
SKEP_NODISCARD skep_status skep_recycler_new(const skep_allocator *below, size_t max_kept_bytes, skep_recycler **out,
                                             skep_err *err);
/* Valid while the recycler is not closed, and for as long as a block of it is out. */
skep_allocator skep_recycler_allocator(skep_recycler *recycler);
/* Gives back what lies unused, and keeps nothing from now on. Accepts NULL. */
void skep_recycler_close(skep_recycler *recycler);

#endif
