/* FNV-1a, 64 bits: a hash that is short and the same everywhere. It spreads, and does not withstand whoever chooses
 * texts to collide.
 *
 * Some of its values are on disk, in metastores (txn/watermark.h) or between processes (txn/mutex.h, base/alive.h,
 * db/sqlite_queue.h): it must not change.
 *
 * Source: Fowler, Noll and Vo, the parameters for 64 bits. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define SKEP_FNV_START UINT64_C(0xcbf29ce484222325)
#define SKEP_FNV_PRIME UINT64_C(0x100000001b3)

/* One step, usually of a byte; `hash` is SKEP_FNV_START at first. */
static inline uint64_t skep_fnv_step(uint64_t hash, uint64_t value) { return (hash ^ value) * SKEP_FNV_PRIME; }

static inline uint64_t skep_fnv_bytes(uint64_t hash, const void *bytes, size_t n) {
  for (size_t i = 0; i < n; i++) hash = skep_fnv_step(hash, ((const uint8_t *)bytes)[i]);
  return hash;
}

static inline uint64_t skep_fnv_text(uint64_t hash, const char *text) {
  for (; *text != '\0'; text++) hash = skep_fnv_step(hash, (uint8_t)*text);
  return hash;
}

#endif
