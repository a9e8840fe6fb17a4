/* See writer_dict.h. Sorted output, as ORC Java's default dictionary (a tree) gives it: equal columns give equal bytes.
 */
#include "orc/writer_dict.h"

#include <stdlib.h>
#include <string.h>

void skep_orc_wdict_init(skep_orc_wdict *d, const skep_ctx *ctx) { *d = (skep_orc_wdict){.ctx = ctx}; }

void skep_orc_wdict_fini(skep_orc_wdict *d) {
  if (d->ctx == NULL) return;
  skep_release(d->ctx, d->ends);
  skep_release(d->ctx, d->bytes);
  skep_release(d->ctx, d->slots);
  skep_release(d->ctx, d->hashes);
  skep_orc_wdict_init(d, d->ctx);
}

void skep_orc_wdict_clear(skep_orc_wdict *d) {
  d->count = 0;
  d->n_bytes = 0;
  if (d->n_slots != 0) memset(d->slots, 0, d->n_slots * sizeof *d->slots);
}

size_t skep_orc_wdict_memory(const skep_orc_wdict *d) {
  return d->bytes_capacity + d->ends_capacity * sizeof *d->ends + d->hashes_capacity * sizeof *d->hashes +
         d->n_slots * sizeof *d->slots;
}

skep_bytes skep_orc_wdict_value(const skep_orc_wdict *d, uint32_t code) {
  size_t start = code == 0 ? 0 : d->ends[code - 1];
  return (skep_bytes){d->bytes == NULL ? NULL : d->bytes + start, d->ends[code] - start};
}

/* Eight bytes a step; mixed at the end. Only for this table: nothing is stored. */
static uint32_t hash_of(skep_bytes v) {
  uint64_t h = v.left * UINT64_C(0x9e3779b97f4a7c15);
  for (; v.left >= 8; v.at += 8, v.left -= 8) {
    h = (h ^ skep_load_le64(v.at)) * UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 32;
  }
  uint64_t rest = 0;
  if (v.left != 0) memcpy(&rest, v.at, v.left);
  h = (h ^ rest) * UINT64_C(0xc4ceb9fe1a85ec53);
  h ^= h >> 29;
  h *= UINT64_C(0xff51afd7ed558ccd);
  return (uint32_t)(h >> 32);
}

/* The slot of a value: its own, or the free one where it belongs. */
static uint32_t *find(const skep_orc_wdict *d, skep_bytes v, uint32_t hash) {
  for (size_t i = hash & (d->n_slots - 1);; i = (i + 1) & (d->n_slots - 1)) {
    uint32_t slot = d->slots[i];
    if (slot == 0) return &d->slots[i];
    if (d->hashes[slot - 1] != hash) continue;
    skep_bytes have = skep_orc_wdict_value(d, slot - 1);
    if (have.left == v.left && (v.left == 0 || memcmp(have.at, v.at, v.left) == 0)) return &d->slots[i];
  }
}

static skep_status grow_slots(skep_orc_wdict *d, skep_err *err) {
  size_t n = d->n_slots == 0 ? 64 : d->n_slots * 2;
  uint32_t *slots = skep_alloc_zero(d->ctx, n, sizeof *slots);
  if (slots == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "dictionary of %zu slots", n);
  for (uint32_t code = 0; code < d->count; code++) {
    size_t i = d->hashes[code] & (n - 1);
    while (slots[i] != 0) i = (i + 1) & (n - 1);
    slots[i] = code + 1;
  }
  skep_release(d->ctx, d->slots);
  d->slots = slots;
  d->n_slots = n;
  return SKEP_OK;
}

static skep_status append(skep_orc_wdict *d, skep_bytes value, uint32_t hash, skep_err *err) {
  if (d->count >= INT32_MAX) return skep_fail(err, SKEP_ERR_LIMIT, "dictionary of %u values", d->count);
  SKEP_TRY(skep_grow(d->ctx, (void **)&d->ends, &d->ends_capacity, d->count + 1, sizeof *d->ends, err));
  SKEP_TRY(skep_grow(d->ctx, (void **)&d->hashes, &d->hashes_capacity, d->count + 1, sizeof *d->hashes, err));
  SKEP_TRY(skep_grow(d->ctx, (void **)&d->bytes, &d->bytes_capacity, d->n_bytes + value.left, 1, err));
  if (value.left != 0) memcpy(d->bytes + d->n_bytes, value.at, value.left);
  d->n_bytes += value.left;
  d->ends[d->count] = d->n_bytes;
  d->hashes[d->count++] = hash;
  return SKEP_OK;
}

skep_status skep_orc_wdict_code(skep_orc_wdict *d, skep_bytes value, int32_t *code, skep_err *err) {
  if ((size_t)d->count * 2 >= d->n_slots) SKEP_TRY(grow_slots(d, err));
  uint32_t hash = hash_of(value), *slot = find(d, value, hash);
  if (*slot == 0) {
    SKEP_TRY(append(d, value, hash, err));
    *slot = d->count;
  }
  *code = (int32_t)(*slot - 1);
  return SKEP_OK;
}

typedef struct sortable {
  skep_bytes value;
  uint32_t code;
} sortable;

static int by_bytes(const void *left, const void *right) {
  const sortable *a = left, *b = right;
  size_t n = a->value.left < b->value.left ? a->value.left : b->value.left;
  int order = n == 0 ? 0 : memcmp(a->value.at, b->value.at, n);
  return order != 0 ? order : (a->value.left > b->value.left) - (a->value.left < b->value.left);
}

skep_status skep_orc_wdict_sort(const skep_orc_wdict *d, uint32_t **order, skep_err *err) {
  uint32_t *codes = skep_alloc(d->ctx, (size_t)d->count * sizeof *codes);
  sortable *all = skep_alloc(d->ctx, (size_t)d->count * sizeof *all);
  *order = NULL;
  if (codes == NULL || all == NULL) {
    skep_release(d->ctx, codes);
    skep_release(d->ctx, all);
    return skep_fail(err, SKEP_ERR_NOMEM, "sorting a dictionary of %u values", d->count);
  }
  for (uint32_t i = 0; i < d->count; i++) all[i] = (sortable){skep_orc_wdict_value(d, i), i};
  if (d->count > 1) qsort(all, d->count, sizeof *all, by_bytes);
  for (uint32_t i = 0; i < d->count; i++) codes[i] = all[i].code;
  skep_release(d->ctx, all);
  *order = codes;
  return SKEP_OK;
}
