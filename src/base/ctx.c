/* The default context (malloc, the system's clocks and randomness) and the functions that go through a context. */
#include "base/ctx.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)

const skep_limits skep_limits_default = {
    .max_tail_bytes = 256 * MIB,
    .max_stripe_meta_bytes = 64 * MIB,
    .max_chunk_bytes = 64 * MIB,
    .max_value_bytes = 256 * MIB,
    .max_batch_bytes = 1024 * MIB,
    .max_types = 65536,
    .max_type_depth = 64,
    .max_dir_entries = 10000000,
    .max_delete_bytes = 2048 * MIB,
};

static void *system_alloc(void *self, size_t size) {
  (void)self;
  return malloc(size);
}

static void *system_resize(void *self, void *block, size_t size) {
  (void)self;
  return realloc(block, size);
}

static void system_release(void *self, void *block) {
  (void)self;
  free(block);
}

static int64_t system_clock_ms(void *self) {
  (void)self;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t system_monotonic_ns(void *self) {
  (void)self;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void system_sleep_ms(void *self, int64_t ms) {
  (void)self;
  if (ms <= 0) return;
  struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = (ms % 1000) * 1000000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

static uint64_t system_random(void *self) {
  (void)self;
  uint64_t bits = 0;
  size_t got = 0;
  while (got < sizeof bits) {
    ssize_t n = getrandom((char *)&bits + got, sizeof bits - got, 0);
    if (n > 0) {
      got += (size_t)n;
    } else if (errno != EINTR) {
      abort(); /* eight bytes from an initialised kernel pool cannot fail; predictable bits must never pass for random
                */
    }
  }
  return bits;
}

void skep_ctx_init(skep_ctx *ctx) {
  *ctx = (skep_ctx){
      .allocator = {.alloc = system_alloc, .resize = system_resize, .release = system_release},
      .limits = skep_limits_default,
      .clock_ms = system_clock_ms,
      .monotonic_ns = system_monotonic_ns,
      .sleep_ms = system_sleep_ms,
      .random = system_random,
      .log_level = SKEP_LOG_WARN,
  };
}

void *skep_alloc(const skep_ctx *ctx, size_t size) {
  return ctx->allocator.alloc(ctx->allocator.self, size == 0 ? 1 : size);
}

void *skep_alloc_zero(const skep_ctx *ctx, size_t n, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(n, size, &total)) return NULL;
  void *block = skep_alloc(ctx, total);
  if (block != NULL) memset(block, 0, total);
  return block;
}

void *skep_resize(const skep_ctx *ctx, void *block, size_t size) {
  return ctx->allocator.resize(ctx->allocator.self, block, size == 0 ? 1 : size);
}

void skep_release(const skep_ctx *ctx, void *block) { ctx->allocator.release(ctx->allocator.self, block); }

char *skep_strndup(const skep_ctx *ctx, const char *text, size_t length) {
  if (length == SIZE_MAX) return NULL;
  char *copy = skep_alloc(ctx, length + 1);
  if (copy == NULL) return NULL;
  if (length != 0) memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

skep_status skep_grow(const skep_ctx *ctx, void **block, size_t *capacity, size_t need, size_t size, skep_err *err) {
  if (need <= *capacity) return SKEP_OK;
  size_t room = *capacity < 8 ? 8 : *capacity;
  while (room < need) room = room > SIZE_MAX / 2 ? need : room * 2;
  size_t total;
  void *grown = NULL;
  if (!__builtin_mul_overflow(room, size, &total)) grown = skep_resize(ctx, *block, total);
  if (grown == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory for %zu elements of %zu bytes", need, size);
  *block = grown;
  *capacity = room;
  return SKEP_OK;
}

void skep_log(const skep_ctx *ctx, skep_log_level level, const char *format, ...) {
  if (ctx->log == NULL || level < ctx->log_level) return;
  char line[1024];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (n >= 0) ctx->log(ctx->log_self, level, line);
}
