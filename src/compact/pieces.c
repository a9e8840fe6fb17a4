/* Cuts the work on one bucket's files: which stripes can be taken over as they are, and what is left to merge, in
 * pieces whose keys lie one behind the other.
 *
 * Small files are a unit each, known by their directory's name alone; large ones are looked at stripe by stripe.
 * Units whose ranges of keys overlap are merged together. A stripe is taken over when its file agrees with the result's
 * (orc/stripe_copy.h), nothing overlaps it, and all its rows are wanted: by its statistics where all rows have one
 * write id and bucket property, else by reading its ids, which cost little beside the rows. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "acid/events.h"
#include "acid/name.h"
#include "compact/compact_int.h"
#include "orc/stripe_copy.h"

enum { LEAST_PIECE = 4 << 20, PROBE_ROWS = 8192 };

typedef struct unit {
  skep_compact_part part;
  skep_row_key high;       /* at or above all keys */
  const char *path;        /* whole; of stripes that may be taken over */
  skep_row_key first;      /* exact, where may_copy */
  bool may_copy, is_small; /* is_small: to be merged with its neighbours rather than taken over */
  bool is_copied;
  uint64_t n_to_probe; /* rows of a stripe whose ids are to be read; 0: nothing is left to find out */
} unit;

typedef struct cutter {
  skep_compact_run_state *run;
  const skep_orc_writer *orc;
  const skep_type *no_columns;
  uint64_t small_bytes;
  skep_scan_keeper keeper;
  skep_compact_deleted_cursor deleted;
  unit *units;
  size_t n, capacity;
} cutter;

static const skep_row_key nothing_above = {INT64_MAX, INT64_MAX, INT32_MAX};

/* The highest key that a file can hold by its directory's name. */
static skep_row_key high_of(const skep_compact_part *part) {
  const skep_split_file *f = &part->split.files[0];
  skep_row_key high = nothing_above;
  if (part->split.kind == SKEP_SPLIT_ORIGINAL) {
    high.write_id = f->synthetic_write_id;
    high.bucket = f->synthetic_bucket;
    return high;
  }
  high.write_id = f->max_write_id;
  if (part->low.bucket != INT32_MIN) high.bucket = part->low.bucket; /* one bucket property */
  return high;
}

static skep_status add_unit(cutter *c, const unit *u, skep_err *err) {
  SKEP_TRY(skep_grow(c->run->ctx, (void **)&c->units, &c->capacity, c->n + 1, sizeof *c->units, err));
  c->units[c->n] = *u;
  c->units[c->n].part.number = (uint32_t)c->n;
  c->n++;
  return SKEP_OK;
}

static skep_status add_whole(cutter *c, const skep_split *split, skep_err *err) {
  unit u = {.part = skep_compact_part_of(split, 0)};
  u.high = high_of(&u.part);
  return add_unit(c, &u, err);
}

/* ---- stripes of a file ---- */

typedef struct looked_at {
  const skep_split *split;
  const skep_orc_tail *tail;
  skep_file *file;
  uint32_t columns[SKEP_EVENT_COLUMNS];
  bool has_stats, can_copy;
  const char *path;
} looked_at;

static bool ends_of(const looked_at *f, uint32_t stripe, skep_event_column column, int64_t *min, int64_t *max) {
  const skep_orc_stats *s = &f->tail->stripe_stats[stripe][f->columns[column]];
  if (s->kind != SKEP_ORC_STATS_INT || !s->has_min || !s->has_max || s->min.i64 > s->max.i64) return false;
  *min = s->min.i64;
  *max = s->max.i64;
  return true;
}

/* Bounds by statistics; false where there are none that can be believed. */
static bool box_of(const looked_at *f, uint32_t stripe, skep_key_box *box) {
  int64_t min, max;
  if (!f->has_stats || f->tail->stripe_stats[stripe] == NULL) return false;
  if (!ends_of(f, stripe, SKEP_EVENT_WRITE_ID, &box->min_write_id, &box->max_write_id)) return false;
  if (!ends_of(f, stripe, SKEP_EVENT_ROW_ID, &box->min_row_id, &box->max_row_id)) return false;
  if (!ends_of(f, stripe, SKEP_EVENT_BUCKET, &min, &max) || min < INT32_MIN || max > INT32_MAX) return false;
  box->min_bucket = (int32_t)min;
  box->max_bucket = (int32_t)max;
  return true;
}

static bool is_one_key(const skep_key_box *box) {
  return box->min_write_id == box->max_write_id && box->min_bucket == box->max_bucket;
}

/* Only inserts, whose current write id is their own. */
static bool is_plain(const looked_at *f, uint32_t stripe, const skep_key_box *box) {
  int64_t min, max;
  if (!ends_of(f, stripe, SKEP_EVENT_OPERATION, &min, &max) || min != 0 || max != 0) return false;
  return ends_of(f, stripe, SKEP_EVENT_CURRENT, &min, &max) && min == box->min_write_id && max == box->max_write_id;
}

/* Whether a row of the box may be deleted. */
static skep_status is_touched(cutter *c, const looked_at *f, const skep_key_box *box, bool *out, skep_err *err) {
  if (c->deleted.of == NULL) return skep_scan_keeper_touches(c->run->cache, f->split, &c->keeper, box, out, err);
  const skep_row_key first = {box->min_write_id, box->min_row_id, box->min_bucket},
                     last = {box->max_write_id, box->max_row_id, box->max_bucket};
  return skep_compact_deleted_touch(&c->deleted, &first, &last, out, err);
}

/* Whether the stripe may be taken over, as far as its own rows are concerned; then its keys are exact. */
static skep_status decide_copy(cutter *c, const looked_at *f, uint32_t stripe, const skep_key_box *box, unit *u,
                               skep_err *err) {
  bool may, touched;
  if (!f->can_copy || !is_plain(f, stripe, box)) return SKEP_OK;
  SKEP_TRY(skep_orc_may_copy_stripe(c->orc, f->file, f->tail, stripe, &may, err));
  if (may && !is_one_key(box)) u->n_to_probe = f->tail->stripes[stripe].n_rows;
  if (!may || !is_one_key(box)) return SKEP_OK;
  SKEP_TRY(is_touched(c, f, box, &touched, err));
  if (touched || !skep_snapshot_write_id_valid(&c->run->rows, box->min_write_id)) return SKEP_OK;
  u->part.low = u->first = (skep_row_key){box->min_write_id, box->min_row_id, box->min_bucket};
  u->high = (skep_row_key){box->max_write_id, box->max_row_id, box->max_bucket};
  u->may_copy = true;
  return SKEP_OK;
}

static skep_status add_stripe(cutter *c, const looked_at *f, uint32_t stripe, skep_err *err) {
  const skep_orc_stripe *s = &f->tail->stripes[stripe];
  skep_key_box box;
  unit u = {.part = skep_compact_part_of(f->split, 0), .path = f->path};
  u.high = high_of(&u.part);
  u.part.split.first_stripe = stripe;
  u.part.split.n_stripes = 1;
  u.part.split.n_rows_hint = s->n_rows;
  u.part.bytes = s->index_length + s->data_length + s->footer_length;
  u.is_small = u.part.bytes < c->small_bytes;
  if (f->split->kind == SKEP_SPLIT_ORIGINAL) {
    u.part.low.row_id += (int64_t)s->first_row;
    u.high.row_id = u.part.low.row_id + (int64_t)(s->n_rows == 0 ? 0 : s->n_rows - 1);
  } else if (box_of(f, stripe, &box)) {
    u.part.low = (skep_row_key){box.min_write_id, box.min_row_id, box.min_bucket};
    u.high = (skep_row_key){box.max_write_id, box.max_row_id, box.max_bucket};
    SKEP_TRY(decide_copy(c, f, stripe, &box, &u, err));
  }
  return add_unit(c, &u, err);
}

/* Without bounds of its stripes a file stays in one piece. */
static bool has_bounds(const looked_at *f) {
  skep_key_box box;
  if (f->split->kind == SKEP_SPLIT_ORIGINAL) return true;
  for (uint32_t i = 0; i < f->tail->n_stripes; i++)
    if (!box_of(f, i, &box)) return false;
  return true;
}

static skep_status look_at(cutter *c, looked_at *f, skep_err *err) {
  const skep_orc_tail *t = f->tail;
  bool is_events = f->split->kind == SKEP_SPLIT_ACID && skep_event_file_kind(t, f->columns) != SKEP_EVENT_FILE_NO;
  f->has_stats = is_events && t->row_index_stride > 0 && t->stripe_stats != NULL;
  f->can_copy = f->has_stats && !c->run->job->no_stripe_copy && skep_orc_copy_obstacle(c->orc, t) == NULL;
  if (t->n_stripes < 2 && !f->can_copy) return add_whole(c, f->split, err);
  if (t->n_stripes == 0 || !has_bounds(f)) return add_whole(c, f->split, err);
  for (uint32_t i = 0; i < t->n_stripes; i++) SKEP_TRY(add_stripe(c, f, i, err));
  return SKEP_OK;
}

static skep_status add_split(cutter *c, const skep_split *split, skep_err *err) {
  looked_at f = {.split = split};
  skep_orc_tail *tail = NULL;
  const skep_split_file *file = &split->files[0];
  if (file->logical_bytes < c->small_bytes) return add_whole(c, split, err);
  SKEP_TRY(skep_compact_path(c->run->arena, c->run->job->root, file->path, &f.path, err));
  skep_status status = skep_scan_cache_tail(c->run->cache, f.path, file->logical_bytes, &tail, err);
  f.tail = tail;
  if (status == SKEP_OK) status = skep_fs_open_read(c->run->job->fs, f.path, &f.file, err);
  if (status == SKEP_OK) status = look_at(c, &f, err);
  skep_file_close(f.file, NULL); /* it was only read from */
  skep_orc_tail_unref(tail);
  return status;
}

/* ---- stripes of several write ids: their ids are read, by all threads ---- */

/* What a thread keeps from stripe to stripe. */
typedef struct prober {
  cutter *c;
  size_t *next; /* atomic: the unit to look at */
  skep_scan_keeper keeper;
  skep_compact_deleted_cursor deleted;
} prober;

static void take_keys(unit *u, const skep_vec *root, bool is_first) {
  const skep_vec *ids = root->children;
  int64_t last = root->length - 1;
  const int64_t *write_ids = ids[0].values.data, *row_ids = ids[2].values.data;
  const int32_t *buckets = ids[1].values.data;
  if (is_first) u->first = (skep_row_key){write_ids[0], row_ids[0], buckets[0]};
  u->high = (skep_row_key){write_ids[last], row_ids[last], buckets[last]};
}

/* Reads the ids of a stripe: when all rows are delivered it may be taken over, and its keys are known. */
static skep_status probe(prober *p, unit *u, const skep_cancel *cancel, skep_err *err) {
  static const skep_forms forms = {0};
  cutter *c = p->c;
  skep_scan *scan = NULL;
  skep_batch batch = {.first_row = 0};
  skep_split split = u->part.split;
  unit found = *u;
  uint64_t n = 0;
  split.columns = c->no_columns;
  skep_status status = skep_scan_open_kept(c->run->cache, &split, &forms, &p->keeper, &scan, err);
  if (status == SKEP_OK) status = skep_vec_init(&batch.root, c->run->ctx, skep_scan_type(scan), &forms, err);
  while (status == SKEP_OK) {
    status = skep_compact_scan_next(scan, PROBE_ROWS, &batch, &p->deleted, err);
    if (status != SKEP_OK) break;
    take_keys(&found, &batch.root, n == 0);
    n += (uint64_t)batch.root.length;
    if (n != skep_scan_rows_read(scan)) break; /* a row is missing */
    status = skep_compact_pace_add(&c->run->pace, 0, 0, 0, cancel, err);
  }
  skep_vec_fini(&batch.root);
  skep_scan_close(scan);
  if (status != SKEP_OK && status != SKEP_END) return status;
  if (n != u->n_to_probe) return SKEP_OK;
  *u = found;
  u->part.low = u->first;
  u->may_copy = true;
  return SKEP_OK;
}

static skep_status probe_some(void *self, const skep_cancel *cancel, skep_err *err) {
  prober *p = self;
  skep_status status = skep_cancel_check(cancel, err);
  for (size_t i; status == SKEP_OK && (i = __atomic_fetch_add(p->next, 1, __ATOMIC_RELAXED)) < p->c->n;)
    if (p->c->units[i].n_to_probe != 0) status = probe(p, &p->c->units[i], cancel, err);
  return status;
}

static skep_status run_probers(cutter *c, prober *probers, unsigned n, skep_err *err) {
  skep_pool *pool;
  skep_status status = SKEP_OK;
  if (n == 1) return probe_some(&probers[0], NULL, err);
  SKEP_TRY(skep_pool_new(c->run->ctx, n, n, &pool, err));
  for (unsigned i = 0; i < n && status == SKEP_OK; i++) status = skep_pool_submit(pool, probe_some, &probers[i], err);
  skep_status waited = skep_pool_wait(pool, err);
  skep_pool_free(pool);
  return waited != SKEP_OK ? waited : status;
}

static skep_status probe_all(cutter *c, unsigned n_threads, skep_err *err) {
  size_t next = 0, n_wanted = 0;
  for (size_t i = 0; i < c->n; i++) n_wanted += c->units[i].n_to_probe != 0;
  if (n_wanted == 0) return SKEP_OK;
  unsigned n = n_wanted < n_threads ? (unsigned)n_wanted : n_threads;
  prober *probers = skep_alloc_zero(c->run->ctx, n, sizeof *probers);
  if (probers == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "reading the ids of %zu stripes", n_wanted);
  for (unsigned i = 0; i < n; i++) {
    probers[i].c = c;
    probers[i].next = &next;
    skep_compact_deleted_cursor_init(&probers[i].deleted, c->run);
  }
  skep_status status = run_probers(c, probers, n, err);
  for (unsigned i = 0; i < n; i++) {
    skep_scan_keeper_release(c->run->cache, &probers[i].keeper);
    skep_compact_deleted_cursor_fini(&probers[i].deleted);
  }
  skep_release(c->run->ctx, probers);
  return status;
}

/* ---- units in the order of keys ---- */

static int compare_units(const void *a, const void *b) {
  const unit *x = a, *y = b;
  if (skep_row_key_below(&x->part.low, &y->part.low)) return -1;
  if (skep_row_key_below(&y->part.low, &x->part.low)) return 1;
  return (x->part.number > y->part.number) - (x->part.number < y->part.number);
}

/* The end of the units from `from` on whose keys overlap: the next one begins above all of them. */
static size_t cluster_end(const cutter *c, size_t from) {
  skep_row_key high = c->units[from].high;
  size_t at = from + 1;
  for (; at < c->n; at++) {
    const unit *u = &c->units[at];
    if (skep_row_key_below(&high, &u->part.low)) break;
    if (skep_row_key_below(&high, &u->high)) high = u->high;
  }
  return at;
}

static void mark_copies(cutter *c) {
  for (size_t at = 0; at < c->n;) {
    size_t end = cluster_end(c, at);
    if (end == at + 1) c->units[at].is_copied = c->units[at].may_copy;
    at = end;
  }
  /* A small stripe stays as it is only between large ones: else it is merged with its neighbours. */
  bool before_is_open = false;
  for (size_t i = 0; i < c->n; i++) {
    unit *u = &c->units[i];
    const unit *next = i + 1 < c->n ? &c->units[i + 1] : NULL;
    bool next_is_open = next != NULL && (!next->is_copied || next->is_small);
    if (u->is_copied && u->is_small && (before_is_open || next_is_open)) u->is_copied = false;
    before_is_open = !u->is_copied;
  }
}

/* ---- pieces ---- */

typedef struct piece_list {
  skep_compact_piece *all;
  uint32_t n;
} piece_list;

static uint64_t bytes_to_merge(const cutter *c) {
  uint64_t sum = 0;
  for (size_t i = 0; i < c->n; i++)
    if (!c->units[i].is_copied) sum += c->units[i].part.bytes;
  return sum;
}

/* How much one piece should merge: a stripe's worth, or less where all threads should have a share. */
static uint64_t aim(const cutter *c, unsigned n_threads) {
  uint64_t all = bytes_to_merge(c), stripe = c->run->settings.plain.stripe_bytes;
  if (n_threads < 2 || all <= LEAST_PIECE) return UINT64_MAX;
  uint64_t n = all / (stripe == 0 ? 1 : stripe) + 1;
  n = (n + n_threads - 1) / n_threads * n_threads;
  uint64_t each = all / n + 1;
  return each < LEAST_PIECE ? LEAST_PIECE : each;
}

/* Neighbouring stripes of one file are one part. */
static bool continues(const skep_compact_part *a, const skep_compact_part *b) {
  return a->split.files == b->split.files && a->split.n_stripes != SKEP_ALL_STRIPES &&
         b->split.n_stripes != SKEP_ALL_STRIPES && a->split.first_stripe + a->split.n_stripes == b->split.first_stripe;
}

static skep_status add_merge(cutter *c, piece_list *list, size_t from, size_t end, skep_err *err) {
  skep_compact_part *parts = skep_arena_zero(c->run->arena, end - from, sizeof *parts);
  if (parts == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%zu parts of files", end - from);
  uint32_t n = 0;
  for (size_t i = from; i < end; i++) {
    const skep_compact_part *part = &c->units[i].part;
    if (n != 0 && continues(&parts[n - 1], part)) {
      parts[n - 1].split.n_stripes++;
      parts[n - 1].bytes += part->bytes;
    } else {
      parts[n++] = *part;
    }
  }
  list->all[list->n++] = (skep_compact_piece){.n_parts = n, .parts = parts};
  return SKEP_OK;
}

static skep_status add_copy(cutter *c, piece_list *list, size_t from, size_t end, skep_err *err) {
  skep_compact_stripe *stripes = skep_arena_zero(c->run->arena, end - from, sizeof *stripes);
  if (stripes == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%zu stripes", end - from);
  for (size_t i = from; i < end; i++) {
    const unit *u = &c->units[i];
    stripes[i - from] = (skep_compact_stripe){.path = u->path,
                                              .logical_bytes = u->part.split.files[0].logical_bytes,
                                              .stripe = u->part.split.first_stripe,
                                              .bytes = u->part.bytes,
                                              .first = u->first,
                                              .last = u->high};
  }
  list->all[list->n++] = (skep_compact_piece){.n_stripes = (uint32_t)(end - from), .stripes = stripes};
  return SKEP_OK;
}

static skep_status make_pieces(cutter *c, unsigned n_threads, piece_list *list, skep_err *err) {
  uint64_t each = aim(c, n_threads), bytes = 0;
  list->all = skep_arena_zero(c->run->arena, c->n + 1, sizeof *list->all);
  if (list->all == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%zu pieces", c->n);
  size_t from = 0;
  for (size_t at = 0; at < c->n;) {
    bool is_copied = c->units[at].is_copied;
    size_t end = is_copied ? at + 1 : cluster_end(c, at);
    for (size_t i = at; i < end; i++) bytes += c->units[i].part.bytes;
    at = end;
    bool is_last = at == c->n || c->units[at].is_copied != is_copied;
    if (!is_last && (is_copied || bytes < each)) continue;
    SKEP_TRY(is_copied ? add_copy(c, list, from, at, err) : add_merge(c, list, from, at, err));
    from = at;
    bytes = 0;
  }
  return SKEP_OK;
}

skep_status skep_compact_cut(skep_compact_run_state *run, const skep_compact_group *group,
                             const skep_compact_output *out, unsigned n_threads, const skep_compact_piece **pieces,
                             uint32_t *n, skep_err *err) {
  static const skep_type like = {.kind = SKEP_STRUCT};
  cutter c = {.run = run, .orc = skep_compact_output_orc(out)};
  piece_list list = {.n = 0};
  skep_compact_deleted_cursor_init(&c.deleted, run);
  c.small_bytes = skep_compact_small_bytes(run->job);
  skep_status status = skep_type_make(run->arena, &like, NULL, NULL, 0, &c.no_columns, err);
  for (uint32_t i = 0; i < group->n_splits && status == SKEP_OK; i++) status = add_split(&c, group->splits[i], err);
  if (status == SKEP_OK) status = probe_all(&c, n_threads, err);
  if (status == SKEP_OK && c.n != 0) {
    qsort(c.units, c.n, sizeof *c.units, compare_units);
    mark_copies(&c);
  }
  if (status == SKEP_OK) status = make_pieces(&c, n_threads, &list, err);
  skep_scan_keeper_release(run->cache, &c.keeper);
  skep_compact_deleted_cursor_fini(&c.deleted);
  skep_release(run->ctx, c.units);
  *pieces = list.all;
  *n = list.n;
  return status;
}
