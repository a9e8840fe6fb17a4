/* The map of write_int.h: few entries, looked up once for each run of rows. */
#include <string.h>

#include "table/write_int.h"

static uint64_t hash_of(const uint8_t *at, size_t size) {
  uint64_t h = size * UINT64_C(0x9e3779b97f4a7c15);
  for (; size >= 8; at += 8, size -= 8) {
    h = (h ^ skep_load_le64(at)) * UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 32;
  }
  uint64_t rest = 0;
  if (size != 0) memcpy(&rest, at, size);
  h = (h ^ rest) * UINT64_C(0xc4ceb9fe1a85ec53);
  return h ^ h >> 29;
}

/* The slot of the key: its own, or the free one where it belongs. */
static uint32_t *find_slot(const skep_key_map *map, const uint8_t *bytes, size_t size, uint64_t hash) {
  for (size_t i = hash & (map->n_slots - 1);; i = (i + 1) & (map->n_slots - 1)) {
    uint32_t slot = map->slots[i];
    if (slot == 0) return &map->slots[i];
    const struct skep_key_entry *entry = &map->entries[slot - 1];
    if (entry->hash == hash && entry->size == size && (size == 0 || memcmp(entry->bytes, bytes, size) == 0))
      return &map->slots[i];
  }
}

uint32_t skep_key_map_find(const skep_key_map *map, const void *bytes, size_t size) {
  if (map->n_slots == 0) return UINT32_MAX;
  uint32_t slot = *find_slot(map, bytes, size, hash_of(bytes, size));
  return slot == 0 ? UINT32_MAX : map->entries[slot - 1].value;
}

static skep_status grow(const skep_ctx *ctx, skep_key_map *map, skep_err *err) {
  size_t n = map->n_slots == 0 ? 64 : map->n_slots * 2;
  uint32_t *slots = skep_alloc_zero(ctx, n, sizeof *slots);
  if (slots == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "map of %zu partitions", n);
  for (size_t e = 0; e < map->n_entries; e++) {
    size_t i = map->entries[e].hash & (n - 1);
    while (slots[i] != 0) i = (i + 1) & (n - 1);
    slots[i] = (uint32_t)e + 1;
  }
  skep_release(ctx, map->slots);
  map->slots = slots;
  map->n_slots = n;
  return SKEP_OK;
}

skep_status skep_key_map_add(skep_table_write *w, skep_key_map *map, const void *bytes, size_t size, uint32_t value,
                             skep_err *err) {
  if (map->n_entries * 2 >= map->n_slots) SKEP_TRY(grow(w->ctx, map, err));
  SKEP_TRY(
      skep_grow(w->ctx, (void **)&map->entries, &map->entries_capacity, map->n_entries + 1, sizeof *map->entries, err));
  uint8_t *copy = skep_arena_alloc(&w->arena, size);
  if (copy == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "key of %zu bytes", size);
  if (size != 0) memcpy(copy, bytes, size);
  uint64_t hash = hash_of(copy, size);
  uint32_t *slot = find_slot(map, copy, size, hash);
  map->entries[map->n_entries++] = (struct skep_key_entry){copy, size, hash, value};
  *slot = (uint32_t)map->n_entries;
  return SKEP_OK;
}

void skep_key_map_fini(const skep_ctx *ctx, skep_key_map *map) {
  skep_release(ctx, map->slots);
  skep_release(ctx, map->entries);
  *map = (skep_key_map){0};
}
