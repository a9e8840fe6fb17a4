/* The arena: a list of blocks, newest first; the newest is carved from the front, older ones are full or dedicated. */
#include "base/arena.h"

#include <string.h>

enum { ARENA_ALIGN = 16, ARENA_FIRST_BYTES = 1024, ARENA_BLOCK_BYTES = 64 * 1024 };

struct skep_arena_block {
  skep_arena_block *older;
  size_t used, capacity; /* of `bytes` */
  _Alignas(ARENA_ALIGN) uint8_t bytes[];
};

void skep_arena_init(skep_arena *arena, const skep_ctx *ctx, size_t max_bytes) {
  *arena = (skep_arena){.ctx = ctx, .max_bytes = max_bytes};
}

void skep_arena_fini(skep_arena *arena) {
  skep_arena_block *block = arena->blocks;
  while (block != NULL) {
    skep_arena_block *older = block->older;
    skep_release(arena->ctx, block);
    block = older;
  }
  arena->blocks = NULL;
  arena->used_bytes = 0;
}

/* A block with room for `size` (already rounded) bytes: blocks double up to ARENA_BLOCK_BYTES; a request larger than
 * that gets a block of its own, behind the newest one so that the newest one's room is not lost. */
static skep_arena_block *add_block(skep_arena *arena, size_t size) {
  skep_arena_block *newest = arena->blocks;
  size_t capacity = newest == NULL ? ARENA_FIRST_BYTES : newest->capacity * 2;
  if (capacity > ARENA_BLOCK_BYTES) capacity = ARENA_BLOCK_BYTES;
  bool dedicated = size > capacity / 2 && newest != NULL;
  if (dedicated || size > capacity) capacity = size;
  size_t total;
  if (__builtin_add_overflow(capacity, sizeof(skep_arena_block), &total)) return NULL;
  skep_arena_block *block = skep_alloc(arena->ctx, total);
  if (block == NULL) return NULL;
  block->used = 0;
  block->capacity = capacity;
  if (dedicated) {
    block->older = newest->older;
    newest->older = block;
  } else {
    block->older = newest;
    arena->blocks = block;
  }
  return block;
}

void *skep_arena_alloc(skep_arena *arena, size_t size) {
  if (size == 0) size = 1;
  if (size > arena->max_bytes || arena->used_bytes > arena->max_bytes - size) return NULL;
  if (size > SIZE_MAX - ARENA_ALIGN) return NULL;
  size_t rounded = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
  skep_arena_block *block = arena->blocks;
  if (block == NULL || rounded > block->capacity - block->used) {
    block = add_block(arena, rounded);
    if (block == NULL) return NULL;
  }
  void *out = block->bytes + block->used;
  block->used += rounded;
  arena->used_bytes += size;
  return out;
}

void *skep_arena_zero(skep_arena *arena, size_t n, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(n, size, &total)) return NULL;
  void *out = skep_arena_alloc(arena, total);
  if (out != NULL) memset(out, 0, total);
  return out;
}

char *skep_arena_strndup(skep_arena *arena, const char *text, size_t length) {
  if (length == SIZE_MAX) return NULL;
  char *copy = skep_arena_alloc(arena, length + 1);
  if (copy == NULL) return NULL;
  if (length != 0) memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

char *skep_arena_join(skep_arena *arena, const char *a, const char *b, const char *c) {
  size_t na = strlen(a), nb = strlen(b), nc = strlen(c);
  char *out = skep_arena_alloc(arena, na + nb + nc + 1);
  if (out == NULL) return NULL;
  memcpy(out, a, na);
  memcpy(out + na, b, nb);
  memcpy(out + na + nb, c, nc + 1);
  return out;
}

skep_status skep_arena_grow(skep_arena *arena, void **block, size_t *capacity, size_t need, size_t size,
                            skep_err *err) {
  if (need <= *capacity) return SKEP_OK;
  size_t room = *capacity < 8 ? 8 : *capacity;
  while (room < need) room = room > SIZE_MAX / 2 ? need : room * 2;
  void *grown = skep_arena_zero(arena, room, size);
  if (grown == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory for %zu elements of %zu bytes", need, size);
  if (*capacity != 0) memcpy(grown, *block, *capacity * size);
  *block = grown;
  *capacity = room;
  return SKEP_OK;
}
