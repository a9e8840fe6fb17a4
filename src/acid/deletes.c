/* Delete sets: a hash table of Roaring bitmaps, one for each (write id, bucket property, high half of the row id).
 *
 * Loading from files is in deletes_load.c. The two hot functions are skep_deletes_add_many (events come sorted, so a
 * run of equal keys goes to one bitmap in one call) and skep_deletes_filter (rows come in runs of consecutive ids, so
 * the set bits of a range are walked instead of asking row by row). */
#include "acid/deletes.h"

#include <inttypes.h>
#include <roaring/roaring.h>

enum {
  ADD_CHUNK = 2048,        /* low halves handed to Roaring at once */
  RANGE_MIN = 64,          /* consecutive ids that are worth a range call */
  MEASURE_EVERY = 1 << 16, /* rows between two measurements of memory, at least */
  BOX_ENTRIES = 1 << 14    /* bitmaps that a box test looks at before it gives up and says "maybe" */
};

typedef struct entry {
  int64_t write_id;
  int32_t bucket;
  int32_t high; /* row id >> 32, signed */
  roaring_bitmap_t *bits;
  uint64_t bytes; /* as last measured */
  bool is_dirty;  /* changed since */
} entry;

struct skep_deletes {
  const skep_ctx *ctx;
  entry *entries;
  size_t n_entries, capacity;
  uint32_t *slots; /* entry number + 1, 0 = free; n_slots is a power of two, at most half full */
  size_t n_slots;
  uint64_t bitmap_bytes;  /* sum over entries, as last measured */
  uint64_t unmeasured;    /* rows added since */
  uint64_t measure_after; /* unmeasured rows that call for the next measurement */
};

skep_status skep_deletes_new(const skep_ctx *ctx, skep_deletes **out, skep_err *err) {
  skep_deletes *d = skep_alloc_zero(ctx, 1, sizeof *d);
  *out = d;
  if (d == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "delete set");
  d->ctx = ctx;
  d->measure_after = MEASURE_EVERY;
  return SKEP_OK;
}

void skep_deletes_free(skep_deletes *deletes) {
  if (deletes == NULL) return;
  const skep_ctx *ctx = deletes->ctx;
  for (size_t i = 0; i < deletes->n_entries; i++) roaring_bitmap_free(deletes->entries[i].bits);
  skep_release(ctx, deletes->entries);
  skep_release(ctx, deletes->slots);
  skep_release(ctx, deletes);
}

const skep_ctx *skep_deletes_ctx(const skep_deletes *deletes) { return deletes->ctx; }

/* ---- the hash table ---- */

static size_t hash_key(int64_t write_id, int32_t bucket, int32_t high) {
  uint64_t h = (uint64_t)write_id * UINT64_C(0x9e3779b97f4a7c15);
  h = (h ^ (h >> 29) ^ (uint32_t)bucket) * UINT64_C(0xbf58476d1ce4e5b9);
  h = (h ^ (h >> 32) ^ (uint32_t)high) * UINT64_C(0x94d049bb133111eb);
  return (size_t)(h ^ (h >> 31));
}

static const entry *find(const skep_deletes *d, int64_t write_id, int32_t bucket, int32_t high) {
  if (d->n_slots == 0) return NULL;
  size_t mask = d->n_slots - 1;
  for (size_t i = hash_key(write_id, bucket, high) & mask; d->slots[i] != 0; i = (i + 1) & mask) {
    const entry *e = &d->entries[d->slots[i] - 1];
    if (e->write_id == write_id && e->bucket == bucket && e->high == high) return e;
  }
  return NULL;
}

static void put_slot(uint32_t *slots, size_t n_slots, const entry *e, uint32_t number) {
  size_t i = hash_key(e->write_id, e->bucket, e->high) & (n_slots - 1);
  while (slots[i] != 0) i = (i + 1) & (n_slots - 1);
  slots[i] = number;
}

static skep_status grow_slots(skep_deletes *d, skep_err *err) {
  size_t n_slots = d->n_slots == 0 ? 16 : d->n_slots * 2;
  uint32_t *slots = skep_alloc_zero(d->ctx, n_slots, sizeof *slots);
  if (slots == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "delete set of %zu bitmaps", d->n_entries);
  for (size_t i = 0; i < d->n_entries; i++) put_slot(slots, n_slots, &d->entries[i], (uint32_t)i + 1);
  skep_release(d->ctx, d->slots);
  d->slots = slots;
  d->n_slots = n_slots;
  return SKEP_OK;
}

static uint64_t table_bytes(const skep_deletes *d) {
  return sizeof *d + d->capacity * sizeof *d->entries + d->n_slots * sizeof *d->slots;
}

static skep_status check_limit(const skep_deletes *d, skep_err *err) {
  uint64_t bytes = d->bitmap_bytes + table_bytes(d), limit = d->ctx->limits.max_delete_bytes;
  if (bytes <= limit) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_LIMIT,
                   "the delete events of one split need %" PRIu64 " bytes in memory, more than the limit of %" PRIu64
                   "; a major compaction would remove them",
                   bytes, limit);
}

static skep_status find_or_make(skep_deletes *d, int64_t write_id, int32_t bucket, int32_t high, entry **out,
                                skep_err *err) {
  *out = (entry *)find(d, write_id, bucket, high); /* the set is ours to change */
  if (*out != NULL) return SKEP_OK;
  if (d->n_entries >= UINT32_MAX / 2) return skep_fail(err, SKEP_ERR_LIMIT, "delete set of %zu bitmaps", d->n_entries);
  if ((d->n_entries + 1) * 2 > d->n_slots) SKEP_TRY(grow_slots(d, err));
  SKEP_TRY(skep_grow(d->ctx, (void **)&d->entries, &d->capacity, d->n_entries + 1, sizeof *d->entries, err));
  roaring_bitmap_t *bits = roaring_bitmap_create();
  if (bits == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "delete set of %zu bitmaps", d->n_entries);
  entry *e = &d->entries[d->n_entries++];
  *e = (entry){.write_id = write_id, .bucket = bucket, .high = high, .bits = bits, .bytes = sizeof *bits + 128};
  d->bitmap_bytes += e->bytes; /* a first guess: every bitmap holds at least one container */
  put_slot(d->slots, d->n_slots, e, (uint32_t)d->n_entries);
  *out = e;
  return check_limit(d, err);
}

/* ---- memory ---- */

/* What Roaring holds for one bitmap: its serialized size is the content of the containers (its statistics function
 * would walk all values); arrays that are still growing have up to half of it in reserve, and each container has a
 * header, two blocks of malloc and a place in three arrays of the bitmap. */
static uint64_t measure(const entry *e, bool is_tight) {
  uint64_t content = roaring_bitmap_portable_size_in_bytes(e->bits);
  uint64_t n_containers = (uint64_t)e->bits->high_low_container.size, per_container = 16 + 16 + 8 + 2 + 1;
  if (!is_tight) content += content / 2;
  return sizeof *e->bits + content + n_containers * per_container + 32;
}

static void measure_dirty(skep_deletes *d, bool is_tight) {
  uint64_t total = 0;
  for (size_t i = 0; i < d->n_entries; i++) {
    entry *e = &d->entries[i];
    if (e->is_dirty) e->bytes = measure(e, is_tight);
    e->is_dirty = e->is_dirty && !is_tight;
    total += e->bytes;
  }
  d->bitmap_bytes = total;
  d->unmeasured = 0;
}

/* Measuring costs a walk over all containers, so it is done after a number of rows that grows with the set: the limit
 * may be passed by an eighth before it is noticed. */
static skep_status count_added(skep_deletes *d, uint64_t n, skep_err *err) {
  d->unmeasured += n;
  if (d->unmeasured < d->measure_after) return SKEP_OK;
  measure_dirty(d, false);
  uint64_t eighth = d->bitmap_bytes / 8 / 2; /* rows at two bytes */
  d->measure_after = eighth > MEASURE_EVERY ? eighth : MEASURE_EVERY;
  return check_limit(d, err);
}

skep_status skep_deletes_finish(skep_deletes *deletes, skep_err *err) {
  for (size_t i = 0; i < deletes->n_entries; i++) {
    entry *e = &deletes->entries[i];
    if (!e->is_dirty) continue;
    roaring_bitmap_run_optimize(e->bits);
    roaring_bitmap_shrink_to_fit(e->bits);
  }
  measure_dirty(deletes, true);
  return check_limit(deletes, err);
}

uint64_t skep_deletes_memory(const skep_deletes *deletes) {
  return deletes->bitmap_bytes + table_bytes(deletes) + deletes->unmeasured * 8;
}

uint64_t skep_deletes_count(const skep_deletes *deletes) {
  uint64_t count = 0;
  for (size_t i = 0; i < deletes->n_entries; i++) count += roaring_bitmap_get_cardinality(deletes->entries[i].bits);
  return count;
}

bool skep_deletes_is_empty(const skep_deletes *deletes) { return deletes->n_entries == 0; } /* none is without a row */

/* ---- adding ---- */

static int32_t high_half(int64_t row_id) { return (int32_t)(row_id >> 32); }
static uint32_t low_half(int64_t row_id) { return (uint32_t)((uint64_t)row_id & UINT32_MAX); }

/* Rows from the first one on with the same write id, bucket and high half. */
static int64_t same_bitmap_run(const int64_t *write_ids, const int32_t *buckets, const int64_t *row_ids, int64_t n) {
  int64_t i = 1;
  int32_t high = high_half(row_ids[0]);
  while (i < n && write_ids[i] == write_ids[0] && buckets[i] == buckets[0] && high_half(row_ids[i]) == high) i++;
  return i;
}

static bool is_consecutive(const int64_t *row_ids, int64_t n) {
  uint64_t wrong = 0;
  for (int64_t i = 0; i < n; i++) wrong |= ((uint64_t)row_ids[i] - (uint64_t)row_ids[0]) ^ (uint64_t)i;
  return wrong == 0;
}

static void add_run(entry *e, const int64_t *row_ids, int64_t n) {
  e->is_dirty = true;
  if (n >= RANGE_MIN && is_consecutive(row_ids, n)) {
    roaring_bitmap_add_range_closed(e->bits, low_half(row_ids[0]), low_half(row_ids[n - 1]));
    return;
  }
  uint32_t lows[ADD_CHUNK];
  while (n > 0) {
    size_t chunk = n < ADD_CHUNK ? (size_t)n : ADD_CHUNK;
    for (size_t i = 0; i < chunk; i++) lows[i] = low_half(row_ids[i]);
    roaring_bitmap_add_many(e->bits, chunk, lows);
    row_ids += chunk;
    n -= (int64_t)chunk;
  }
}

skep_status skep_deletes_add_many(skep_deletes *deletes, const int64_t *write_ids, const int32_t *buckets,
                                  const int64_t *row_ids, int64_t n, skep_err *err) {
  for (int64_t i = 0; i < n;) {
    int64_t run = same_bitmap_run(write_ids + i, buckets + i, row_ids + i, n - i);
    entry *e;
    SKEP_TRY(find_or_make(deletes, write_ids[i], buckets[i], high_half(row_ids[i]), &e, err));
    add_run(e, row_ids + i, run);
    SKEP_TRY(count_added(deletes, (uint64_t)run, err));
    i += run;
  }
  return SKEP_OK;
}

skep_status skep_deletes_add(skep_deletes *deletes, int64_t write_id, int32_t bucket, int64_t row_id, skep_err *err) {
  return skep_deletes_add_many(deletes, &write_id, &bucket, &row_id, 1, err);
}

/* ---- asking ---- */

bool skep_deletes_contains(const skep_deletes *deletes, int64_t write_id, int32_t bucket, int64_t row_id) {
  const entry *e = find(deletes, write_id, bucket, high_half(row_id));
  return e != NULL && roaring_bitmap_contains(e->bits, low_half(row_id));
}

/* Does the bitmap hold a row of [first, last], which may reach beyond the bitmap's 2^32 rows on both sides? */
static bool entry_touches(const entry *e, int64_t first, int64_t last) {
  if (high_half(first) > e->high || high_half(last) < e->high) return false;
  uint32_t low = high_half(first) == e->high ? low_half(first) : 0;
  uint32_t top = high_half(last) == e->high ? low_half(last) : UINT32_MAX;
  roaring_uint32_iterator_t it;
  roaring_init_iterator(e->bits, &it);
  if (it.has_value && it.current_value < low) roaring_move_uint32_iterator_equalorlarger(&it, low);
  return it.has_value && it.current_value <= top;
}

bool skep_deletes_touch_box(const skep_deletes *deletes, const skep_key_box *box) {
  if (deletes->n_entries > BOX_ENTRIES) return true;
  for (size_t i = 0; i < deletes->n_entries; i++) {
    const entry *e = &deletes->entries[i];
    if (e->write_id < box->min_write_id || e->write_id > box->max_write_id) continue;
    if (e->bucket < box->min_bucket || e->bucket > box->max_bucket) continue;
    if (box->min_row_id <= box->max_row_id && entry_touches(e, box->min_row_id, box->max_row_id)) return true;
  }
  return false;
}

bool skep_deletes_touch(const skep_deletes *deletes, int64_t write_id, int32_t bucket, int64_t first, int64_t last) {
  if (first > last) return false;
  int64_t n_highs = (int64_t)high_half(last) - high_half(first) + 1;
  if ((uint64_t)n_highs > deletes->n_entries) { /* a range wider than the set: look at what there is */
    for (size_t i = 0; i < deletes->n_entries; i++) {
      const entry *e = &deletes->entries[i];
      if (e->write_id == write_id && e->bucket == bucket && entry_touches(e, first, last)) return true;
    }
    return false;
  }
  for (int64_t h = high_half(first); h <= high_half(last); h++) {
    const entry *e = find(deletes, write_id, bucket, (int32_t)h);
    if (e != NULL && entry_touches(e, first, last)) return true;
  }
  return false;
}

/* ---- filtering ---- */

/* A walk over one bitmap in ascending order that remembers where it is, so that rows in key order cost one pass. */
typedef struct cursor {
  const skep_deletes *set;
  int64_t write_id;
  int32_t bucket, high;
  bool is_set; /* the fields above name a bitmap (or its absence) */
  bool has_bits;
  uint32_t floor; /* the iterator stands on the first deleted row >= floor */
  roaring_uint32_iterator_t it;
} cursor;

/* Afterwards c->it stands on the first deleted row >= low of that bitmap, or has no value. */
static void cursor_seek(cursor *c, int64_t write_id, int32_t bucket, int32_t high, uint32_t low) {
  if (!c->is_set || c->write_id != write_id || c->bucket != bucket || c->high != high) {
    const entry *e = find(c->set, write_id, bucket, high);
    c->write_id = write_id;
    c->bucket = bucket;
    c->high = high;
    c->is_set = true;
    c->has_bits = e != NULL;
    c->floor = 0;
    c->it.has_value = false;
    if (e == NULL) return;
    roaring_init_iterator(e->bits, &c->it);
  } else if (low < c->floor && c->has_bits) {
    roaring_init_iterator(c->it.parent, &c->it);
  }
  c->floor = low;
  if (c->it.has_value && c->it.current_value < low) roaring_move_uint32_iterator_equalorlarger(&c->it, low);
}

static int32_t *keep_rows(int32_t *rows, int64_t first, int64_t n) {
  for (int64_t i = 0; i < n; i++) rows[i] = (int32_t)(first + i);
  return rows + n;
}

/* Rows position.. position + n - 1 of the batch have the consecutive ids first.. ; appends the kept ones to rows. */
static int32_t *filter_run(cursor *c, int64_t write_id, int32_t bucket, int64_t first, int64_t n, int64_t position,
                           int32_t *rows) {
  while (n > 0) {
    uint32_t low = low_half(first);
    int64_t span = (int64_t)UINT32_MAX - low + 1; /* rows left below the next multiple of 2^32 */
    if (span > n) span = n;
    uint32_t last = low + (uint32_t)(span - 1);
    int64_t done = 0;
    cursor_seek(c, write_id, bucket, high_half(first), low);
    while (c->it.has_value && c->it.current_value <= last) {
      uint32_t dead = c->it.current_value;
      int64_t kept = (int64_t)(dead - low) - done;
      rows = keep_rows(rows, position + done, kept);
      done += kept + 1;
      roaring_advance_uint32_iterator(&c->it);
      c->is_set = dead != UINT32_MAX; /* no floor can say that the iterator is behind the last row: start anew */
      c->floor = dead + 1;
    }
    rows = keep_rows(rows, position + done, span - done);
    position += span;
    n -= span;
    if (n > 0) first = (int64_t)((uint64_t)first + (uint64_t)span);
  }
  return rows;
}

/* How many rows from the first one on have its write id and bucket and consecutive ids. Blocks are tested without
 * branches. */
static int64_t consecutive_run(const int64_t *write_ids, const int32_t *buckets, const int64_t *row_ids, int64_t n) {
  uint64_t w = (uint64_t)write_ids[0], r = (uint64_t)row_ids[0];
  uint32_t b = (uint32_t)buckets[0];
  int64_t i = 1;
  while (n - i >= 64) {
    uint64_t wrong = 0;
    uint32_t wrong_bucket = 0;
    for (int64_t k = i; k < i + 64; k++) {
      wrong |= ((uint64_t)write_ids[k] ^ w) | (((uint64_t)row_ids[k] - r) ^ (uint64_t)k);
      wrong_bucket |= (uint32_t)buckets[k] ^ b;
    }
    if ((wrong | wrong_bucket) != 0) break;
    i += 64;
  }
  while (i < n && (uint64_t)write_ids[i] == w && (uint32_t)buckets[i] == b && (uint64_t)row_ids[i] - r == (uint64_t)i)
    i++;
  /* ids that wrap around 2^63 are not consecutive */
  if (row_ids[0] > INT64_MAX - (i - 1)) i = INT64_MAX - row_ids[0] + 1;
  return i;
}

int64_t skep_deletes_filter(const skep_deletes *deletes, const int64_t *write_ids, const int32_t *buckets,
                            const int64_t *row_ids, int64_t n, int32_t *rows) {
  cursor c = {.set = deletes};
  int32_t *out = rows;
  for (int64_t i = 0; i < n;) {
    int64_t run = consecutive_run(write_ids + i, buckets + i, row_ids + i, n - i);
    out = filter_run(&c, write_ids[i], buckets[i], row_ids[i], run, i, out);
    i += run;
  }
  return out - rows;
}

static int64_t consecutive_ids(const int64_t *row_ids, int64_t n) {
  uint64_t r = (uint64_t)row_ids[0];
  int64_t i = 1;
  while (n - i >= 64) {
    uint64_t wrong = 0;
    for (int64_t k = i; k < i + 64; k++) wrong |= ((uint64_t)row_ids[k] - r) ^ (uint64_t)k;
    if (wrong != 0) break;
    i += 64;
  }
  while (i < n && (uint64_t)row_ids[i] - r == (uint64_t)i) i++;
  if (row_ids[0] > INT64_MAX - (i - 1)) i = INT64_MAX - row_ids[0] + 1;
  return i;
}

int64_t skep_deletes_filter_rows(const skep_deletes *deletes, int64_t write_id, int32_t bucket, const int64_t *row_ids,
                                 int64_t n, int32_t *rows) {
  cursor c = {.set = deletes};
  int32_t *out = rows;
  for (int64_t i = 0; i < n;) {
    int64_t run = consecutive_ids(row_ids + i, n - i);
    out = filter_run(&c, write_id, bucket, row_ids[i], run, i, out);
    i += run;
  }
  return out - rows;
}

int64_t skep_deletes_filter_range(const skep_deletes *deletes, int64_t write_id, int32_t bucket, int64_t first,
                                  int64_t n, int32_t *rows) {
  cursor c = {.set = deletes};
  return filter_run(&c, write_id, bucket, first, n, 0, rows) - rows;
}
