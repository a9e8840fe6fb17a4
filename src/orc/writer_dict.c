/* See writer_dict.h. Sorted output, as ORC Java's default dictionary (a tree) gives it: equal columns give equal bytes.
 */
#include "orc/writer_dict.h"

#include <stdlib.h>
#include <string.h>

void skep_orc_wdict_init(skep_orc_wdict *d, const skep_ctx *ctx) { *d = (skep_orc_wdict){.ctx = ctx}; }

void skep_orc_wdict_fini(skep_orc_wdict *d) {
  if (d->ctx == NULL) return;
  skep_release(d->ctx, d->values);
  skep_release(d->ctx, d->bytes);
  skep_release(d->ctx, d->slots);
  skep_orc_wdict_init(d, d->ctx);
}

void skep_orc_wdict_clear(skep_orc_wdict *d) {
  d->count = 0;
  d->n_bytes = 0;
  if (d->n_slots != 0) memset(d->slots, 0, d->n_slots * sizeof *d->slots);
}

size_t skep_orc_wdict_memory(const skep_orc_wdict *d) {
  return d->bytes_capacity + d->values_capacity * sizeof *d->values + d->n_slots * sizeof *d->slots;
}

skep_bytes skep_orc_wdict_value(const skep_orc_wdict *d, uint32_t code) {
  size_t start = code == 0 ? 0 : d->values[code - 1].end;
  return (skep_bytes){d->bytes == NULL ? NULL : d->bytes + start, d->values[code].end - start};
}

/* Eight bytes a step. Only for this table: nothing is stored. */
static uint64_t hash_of(skep_bytes v) {
  uint64_t h = v.left * UINT64_C(0x9e3779b97f4a7c15);
  const uint8_t *last = v.at + v.left - 8; /* values of more than 12 bytes only */
  for (; v.at < last; v.at += 8) {
    h = (h ^ skep_load_le64(v.at)) * UINT64_C(0xff51afd7ed558ccd);
    h ^= h >> 32;
  }
  h = (h ^ skep_load_le64(last)) * UINT64_C(0xc4ceb9fe1a85ec53);
  return h ^ h >> 29;
}

enum { SHORT = 12 };

/* Up to eight bytes as a number, zeros behind them; by loads that overlap. */
static uint64_t load_upto_8(const uint8_t *at, size_t n) {
  if (n >= 8) return skep_load_le64(at);
  if (n >= 4) return skep_load_le32(at) | (uint64_t)skep_load_le32(at + n - 4) << (8 * (n - 4));
  if (n == 0) return 0;
  return at[0] | (uint64_t)at[n / 2] << (8 * (n / 2)) | (uint64_t)at[n - 1] << (8 * (n - 1));
}

static skep_orc_wvalue words_of(skep_bytes v) {
  skep_orc_wvalue out = {.head = (uint32_t)v.left};
  if (v.left <= 4) {
    out.head |= load_upto_8(v.at, v.left) << 32;
  } else {
    out.head |= (uint64_t)skep_load_le32(v.at) << 32;
    out.rest = v.left <= SHORT ? load_upto_8(v.at + 4, v.left - 4) : hash_of(v);
  }
  return out;
}

static size_t slot_of(const skep_orc_wvalue *v, size_t n_slots) {
  uint64_t h = (v->head ^ (v->rest + UINT64_C(0x9e3779b97f4a7c15))) * UINT64_C(0xff51afd7ed558ccd);
  h ^= h >> 32;
  h += v->rest * UINT64_C(0xc4ceb9fe1a85ec53);
  return (size_t)(h ^ h >> 29) & (n_slots - 1);
}

/* The slot of a value: its own, or the free one where it belongs. */
static uint32_t *find(const skep_orc_wdict *d, skep_bytes v, const skep_orc_wvalue *words) {
  for (size_t i = slot_of(words, d->n_slots);; i = (i + 1) & (d->n_slots - 1)) {
    uint32_t slot = d->slots[i];
    if (slot == 0) return &d->slots[i];
    const skep_orc_wvalue *have = &d->values[slot - 1];
    if (have->head != words->head || have->rest != words->rest) continue;
    if (v.left <= SHORT) return &d->slots[i];
    skep_bytes bytes = skep_orc_wdict_value(d, slot - 1);
    if (bytes.left == v.left && memcmp(bytes.at, v.at, v.left) == 0) return &d->slots[i];
  }
}

static skep_status grow_slots(skep_orc_wdict *d, skep_err *err) {
  size_t n = d->n_slots == 0 ? 64 : d->n_slots * 2;
  uint32_t *slots = skep_alloc_zero(d->ctx, n, sizeof *slots);
  if (slots == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "dictionary of %zu slots", n);
  for (uint32_t code = 0; code < d->count; code++) {
    size_t i = slot_of(&d->values[code], n);
    while (slots[i] != 0) i = (i + 1) & (n - 1);
    slots[i] = code + 1;
  }
  skep_release(d->ctx, d->slots);
  d->slots = slots;
  d->n_slots = n;
  return SKEP_OK;
}

static skep_status append(skep_orc_wdict *d, skep_bytes value, const skep_orc_wvalue *words, skep_err *err) {
  if (d->count >= INT32_MAX) return skep_fail(err, SKEP_ERR_LIMIT, "dictionary of %u values", d->count);
  SKEP_TRY(skep_grow(d->ctx, (void **)&d->values, &d->values_capacity, d->count + 1, sizeof *d->values, err));
  SKEP_TRY(skep_grow(d->ctx, (void **)&d->bytes, &d->bytes_capacity, d->n_bytes + value.left, 1, err));
  if (value.left != 0) memcpy(d->bytes + d->n_bytes, value.at, value.left);
  d->n_bytes += value.left;
  d->values[d->count] = *words;
  d->values[d->count++].end = d->n_bytes;
  return SKEP_OK;
}

skep_status skep_orc_wdict_codes(skep_orc_wdict *d, const skep_bytes *values, size_t n, int32_t *codes, skep_err *err) {
  for (size_t i = 0; i < n; i++) {
    if ((size_t)d->count * 2 >= d->n_slots) SKEP_TRY(grow_slots(d, err));
    skep_orc_wvalue words = words_of(values[i]);
    uint32_t *slot = find(d, values[i], &words);
    if (*slot == 0) {
      SKEP_TRY(append(d, values[i], &words, err));
      *slot = d->count;
    }
    codes[i] = (int32_t)(*slot - 1);
  }
  return SKEP_OK;
}

size_t skep_orc_wdict_first_seen(skep_orc_wdict *d, uint32_t group, const int32_t *codes, size_t n, skep_bytes *out) {
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    skep_orc_wvalue *value = &d->values[codes[i]];
    if (value->seen == group) continue;
    value->seen = group;
    out[kept++] = skep_orc_wdict_value(d, (uint32_t)codes[i]);
  }
  return kept;
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
