/* An allocator for tests that fails on request and counts what is alive. Thread-safe.
 *
 *   failing_alloc memory;
 *   skep_ctx ctx;
 *   failing_alloc_ctx(&memory, &ctx);
 *   for (uint64_t n = 1;; n++) {
 *     failing_alloc_arm(&memory, n);                  // the nth allocation from now on fails
 *     skep_status status = scenario(&ctx);            // must free everything it made
 *     assert_int_equal(failing_alloc_live(&memory), 0);
 *     if (!failing_alloc_fired(&memory)) break;       // the scenario needs fewer than n: all were tried
 *     assert_int_equal(status, SKEP_ERR_NOMEM);
 *   }
 */
#ifndef SUPPORT_FAILING_ALLOC_H
#define SUPPORT_FAILING_ALLOC_H

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/ctx.h"

typedef struct failing_alloc {
  _Atomic uint64_t calls;      /* allocations and resizes since the last arming */
  _Atomic uint64_t fail_at;    /* that call fails; 0: none */
  _Atomic uint64_t live;       /* blocks not released yet */
  _Atomic uint64_t live_bytes; /* their sizes */
  _Atomic uint64_t peak_bytes; /* highest live_bytes since the last arming */
} failing_alloc;

/* A block is preceded by its size, in a header that keeps malloc's alignment. */
enum { FAILING_ALLOC_HEADER = 16 };

static inline bool failing_alloc_fails(failing_alloc *memory) {
  return atomic_fetch_add(&memory->calls, 1) + 1 == atomic_load(&memory->fail_at);
}

static inline void failing_alloc_count(failing_alloc *memory, uint64_t more, uint64_t less) {
  uint64_t now = atomic_fetch_add(&memory->live_bytes, more - less) + (more - less);
  uint64_t peak = atomic_load(&memory->peak_bytes);
  while (now > peak && !atomic_compare_exchange_weak(&memory->peak_bytes, &peak, now)) {
  }
}

static inline void *failing_alloc_resize(void *self, void *block, size_t size) {
  failing_alloc *memory = self;
  if (failing_alloc_fails(memory) || size > SIZE_MAX - FAILING_ALLOC_HEADER) return NULL;
  char *start = block == NULL ? NULL : (char *)block - FAILING_ALLOC_HEADER;
  size_t before = 0;
  if (start != NULL) memcpy(&before, start, sizeof before);
  char *grown = (char *)realloc(start, size + FAILING_ALLOC_HEADER);
  if (grown == NULL) return NULL;
  memcpy(grown, &size, sizeof size);
  if (start == NULL) atomic_fetch_add(&memory->live, 1);
  failing_alloc_count(memory, size, before);
  return grown + FAILING_ALLOC_HEADER;
}

static inline void *failing_alloc_alloc(void *self, size_t size) { return failing_alloc_resize(self, NULL, size); }

static inline void failing_alloc_release(void *self, void *block) {
  failing_alloc *memory = self;
  if (block == NULL) return;
  char *start = (char *)block - FAILING_ALLOC_HEADER;
  size_t size;
  memcpy(&size, start, sizeof size);
  failing_alloc_count(memory, 0, size);
  atomic_fetch_sub(&memory->live, 1);
  free(start);
}

/* Initialises both: `ctx` as skep_ctx_init does, with `memory` as its allocator and no failure armed. */
static inline void failing_alloc_ctx(failing_alloc *memory, skep_ctx *ctx) {
  memset(memory, 0, sizeof *memory);
  skep_ctx_init(ctx);
  ctx->allocator = (skep_allocator){failing_alloc_alloc, failing_alloc_resize, failing_alloc_release, memory};
}

/* The nth allocation or resize from now on fails, once; 0 disarms. */
static inline void failing_alloc_arm(failing_alloc *memory, uint64_t nth) {
  atomic_store(&memory->calls, 0);
  atomic_store(&memory->fail_at, nth);
  atomic_store(&memory->peak_bytes, atomic_load(&memory->live_bytes));
}

/* True when the armed failure happened. */
static inline bool failing_alloc_fired(failing_alloc *memory) {
  uint64_t at = atomic_load(&memory->fail_at);
  return at != 0 && atomic_load(&memory->calls) >= at;
}

static inline uint64_t failing_alloc_live(failing_alloc *memory) { return atomic_load(&memory->live); }

#endif
