/* An arena: many small blocks, freed as a whole. One per operation (parse, plan, file tail), passed as an argument. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/ctx.h"

typedef struct skep_arena_block skep_arena_block;
typedef struct skep_arena {
  const skep_ctx *ctx;
  skep_arena_block *blocks; /* newest first */
  size_t used_bytes;        /* handed out so far */
  size_t max_bytes;         /* requests beyond this fail as if memory were out */
} skep_arena;

void skep_arena_init(skep_arena *arena, const skep_ctx *ctx, size_t max_bytes);
void skep_arena_fini(skep_arena *arena); /* frees all; safe on a zeroed arena and twice */

void *skep_arena_alloc(skep_arena *arena, size_t size);          /* 16-byte aligned, not zeroed; NULL when out */
void *skep_arena_zero(skep_arena *arena, size_t n, size_t size); /* n * size checked; zeroed */
char *skep_arena_strndup(skep_arena *arena, const char *text, size_t length);
char *skep_arena_join(skep_arena *arena, const char *a, const char *b, const char *c); /* the three as one text */

/* Room for `need` elements of `size` bytes in *block, as skep_grow: what is new is zeroed, and the former block stays
 * in the arena. SKEP_ERR_NOMEM leaves both as they were. */
SKEP_NODISCARD skep_status skep_arena_grow(skep_arena *arena, void **block, size_t *capacity, size_t need, size_t size,
                                           skep_err *err);

#endif
