/* The context: everything a call needs that would otherwise be global. Handed down, never stored in a global.
 *
 * A context is filled once and read only afterwards, so threads may share it; its allocator and log sink must be
 * thread-safe. Objects keep a borrowed pointer to the context they were made with: it must outlive them. */
#ifndef BASE_CTX_H
#define BASE_CTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* A replaceable allocator. Sizes are bytes; each function behaves as its C namesake, with malloc's alignment. */
typedef struct skep_allocator {
  void *(*alloc)(void *self, size_t size);
  void *(*resize)(void *self, void *block, size_t size); /* block may be NULL; on NULL the old block is untouched */
  void (*release)(void *self, void *block);              /* block may be NULL */
  void *self;
} skep_allocator;

/* Upper bounds against hostile or huge input. Exceeding one is SKEP_ERR_LIMIT. 0 is not "unlimited". */
typedef struct skep_limits {
  uint64_t max_tail_bytes;        /* an ORC footer or metadata section, after decompression */
  uint64_t max_stripe_meta_bytes; /* a stripe footer, or one column's row index or bloom filter, decompressed */
  uint64_t max_chunk_bytes;       /* one compression chunk, decompressed (the format allows 8 MiB and more) */
  uint64_t max_value_bytes;       /* one string or binary value; also one dictionary */
  uint64_t max_batch_bytes;       /* one vector's buffers in one batch */
  uint32_t max_types;             /* nodes of a type tree */
  uint32_t max_type_depth;        /* nesting of a type, of a predicate */
  uint64_t max_dir_entries;       /* names below one partition root */
  uint64_t max_delete_bytes;      /* one delete set in memory */
} skep_limits;

extern const skep_limits skep_limits_default;

typedef enum skep_log_level { SKEP_LOG_DEBUG, SKEP_LOG_INFO, SKEP_LOG_WARN, SKEP_LOG_ERROR } skep_log_level;

/* Receives one finished line without newline. Called from any thread. */
typedef void skep_log_sink(void *self, skep_log_level level, const char *line);

typedef struct skep_ctx {
  skep_allocator allocator;
  skep_limits limits;
  int64_t (*clock_ms)(void *self);     /* wall clock, milliseconds since 1970-01-01 UTC */
  int64_t (*monotonic_ns)(void *self); /* for durations */
  void (*sleep_ms)(void *self, int64_t ms);
  void *clock_self;
  uint64_t (*random)(void *self); /* 64 random bits */
  void *random_self;
  skep_log_sink *log; /* NULL: silent */
  void *log_self;
  skep_log_level log_level;
} skep_ctx;

/* malloc, default limits, the system's clocks and randomness, no log. */
void skep_ctx_init(skep_ctx *ctx);

void *skep_alloc(const skep_ctx *ctx, size_t size);                /* NULL when out of memory; size 0 gives a block */
void *skep_alloc_zero(const skep_ctx *ctx, size_t n, size_t size); /* n * size checked; zeroed */
void *skep_resize(const skep_ctx *ctx, void *block, size_t size);
void skep_release(const skep_ctx *ctx, void *block); /* accepts NULL */
char *skep_strndup(const skep_ctx *ctx, const char *text,
                   size_t length); /* NUL-terminated copy of exactly length bytes */

/* Room for `need` elements of `size` bytes in *block: grows *capacity by doubling. SKEP_ERR_NOMEM leaves both as they
 * were. */
SKEP_NODISCARD skep_status skep_grow(const skep_ctx *ctx, void **block, size_t *capacity, size_t need, size_t size,
                                     skep_err *err);

/* One line to the context's log, when its level asks for it. */
void skep_log(const skep_ctx *ctx, skep_log_level level, const char *format, ...) SKEP_PRINTF(3, 4);

#endif
