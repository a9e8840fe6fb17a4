/* Reading an ORC file: stripes in turn, row groups that the search argument lets through, batches of consecutive rows.
 */
#include "orc/reader.h"

#include "orc/column.h"
#include "orc/row_groups.h"

enum { MAX_ROWS = 1 << 20 };
/* Where only every so many-th part of a stripe is wanted, streams are read through small windows. */
enum { SPARSE_PART = 4 };

struct skep_orc_reader {
  const skep_ctx *ctx;
  const skep_orc_tail *tail;
  skep_orc_reader_opts opts;
  skep_arena arena; /* as long as the reader */
  skep_orc_access access;
  skep_orc_stripe_source source;
  skep_orc_column_env env;
  skep_orc_column root;
  skep_orc_chooser chooser;
  uint32_t end_stripe;
  skep_timezone *zone; /* of the last stripe that named one */
  char *zone_name;
  /* the stripe at hand */
  bool is_open;
  uint32_t stripe; /* at hand, or the next one */
  skep_arena stripe_arena;
  skep_orc_stripe_dir dir;
  bool *chosen;       /* row groups, or NULL: all */
  uint64_t row;       /* the next row to deliver, within the stripe */
  uint64_t position;  /* the row the columns stand at */
  int64_t max_rows;   /* smaller than asked for when a batch was too large in bytes */
  skep_status status; /* sticky */
  skep_err failure;
  skep_orc_reader_counts counts;
};

static bool is_hybrid(const skep_orc_tail *tail, skep_calendar unmarked) {
  if (tail->calendar == SKEP_ORC_CALENDAR_UNKNOWN) return unmarked == SKEP_CALENDAR_HYBRID;
  return tail->calendar == SKEP_ORC_CALENDAR_HYBRID;
}

static skep_status setup(skep_orc_reader *r, skep_file *file, skep_err *err) {
  const skep_orc_tail *tail = r->tail;
  const skep_type *target = r->opts.mapping->target;
  uint32_t left = tail->n_stripes - (r->opts.first_stripe < tail->n_stripes ? r->opts.first_stripe : tail->n_stripes);
  r->stripe = tail->n_stripes - left;
  r->end_stripe = r->stripe + (r->opts.n_stripes < left ? r->opts.n_stripes : left);
  bool hybrid = is_hybrid(tail, r->opts.unmarked_calendar);
  r->chooser = (skep_orc_chooser){
      .tail = tail, .mapping = r->opts.mapping, .predicate = r->opts.predicate, .root = target, .hybrid = hybrid};
  if (r->opts.predicate_child >= 0) {
    if ((uint32_t)r->opts.predicate_child >= target->n_children)
      return skep_fail(err, SKEP_ERR_ARGUMENT, "predicate bound to child %d of %u", r->opts.predicate_child,
                       target->n_children);
    r->chooser.root = target->children[r->opts.predicate_child];
  }
  SKEP_TRY(skep_orc_access_init(&r->access, r->ctx, file, tail, err));
  skep_orc_stripe_source_init(&r->source, &r->access);
  r->env = (skep_orc_column_env){.ctx = r->ctx,
                                 .arena = &r->arena,
                                 .access = &r->access,
                                 .source = &r->source,
                                 .mapping = r->opts.mapping,
                                 .forms = r->opts.forms,
                                 .hybrid = hybrid,
                                 .dir = &r->dir};
  return skep_orc_column_build(&r->env, target, &r->root, err);
}

skep_status skep_orc_reader_open(const skep_ctx *ctx, skep_file *file, const skep_orc_tail *tail,
                                 const skep_orc_reader_opts *opts, skep_orc_reader **out, skep_err *err) {
  *out = NULL;
  if (opts->mapping == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "orc reader without a mapping");
  skep_orc_reader *r = skep_alloc_zero(ctx, 1, sizeof *r);
  if (r == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "orc reader");
  r->ctx = ctx;
  r->tail = tail;
  r->opts = *opts;
  r->max_rows = MAX_ROWS;
  skep_arena_init(&r->arena, ctx, SIZE_MAX);
  skep_arena_init(&r->stripe_arena, ctx, (size_t)ctx->limits.max_stripe_meta_bytes * 8);
  skep_status st = setup(r, file, err);
  if (st == SKEP_OK) {
    *out = r;
    r = NULL;
  }
  skep_orc_reader_close(r);
  return st;
}

void skep_orc_reader_close(skep_orc_reader *r) {
  if (r == NULL) return;
  skep_orc_column_free(&r->root);
  skep_orc_stripe_source_fini(&r->source);
  skep_orc_access_fini(&r->access);
  skep_timezone_free(r->zone);
  skep_release(r->ctx, r->zone_name);
  skep_arena_fini(&r->stripe_arena);
  skep_arena_fini(&r->arena);
  skep_release(r->ctx, r);
}

/* ---- stripes ---- */

/* The zone of the stripe's writer. Files of old writers name none: they are read as UTC. */
static skep_status open_zone(skep_orc_reader *r, skep_err *err) {
  const char *name = r->dir.info.writer_timezone;
  r->env.zone = NULL;
  if (name == NULL) return SKEP_OK;
  if (r->zone == NULL || strcmp(r->zone_name, name) != 0) {
    skep_timezone_free(r->zone);
    skep_release(r->ctx, r->zone_name);
    r->zone = NULL;
    r->zone_name = skep_strndup(r->ctx, name, strlen(name));
    if (r->zone_name == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "time zone");
    SKEP_TRY(skep_timezone_open(r->ctx, name, strlen(name), &r->zone, err));
  }
  r->env.zone = skep_timezone_is_utc(r->zone) ? NULL : r->zone;
  return SKEP_OK;
}

static bool reads_timestamps(const skep_orc_reader *r) {
  for (uint32_t id = 0; id <= r->tail->type->max_id; id++)
    if (r->opts.mapping->wanted[id] && skep_type_by_id(r->tail->type, id)->kind == SKEP_TIMESTAMP) return true;
  return false;
}

static skep_status start_columns(skep_orc_reader *r, bool sparse, skep_err *err) {
  skep_orc_stripe_source_begin(&r->source);
  SKEP_TRY(skep_orc_column_start(&r->root, err));
  r->position = 0;
  return skep_orc_stripe_source_plan(&r->source, sparse, err);
}

static skep_status open_stripe(skep_orc_reader *r, skep_err *err) {
  skep_arena_fini(&r->stripe_arena);
  skep_arena_init(&r->stripe_arena, r->ctx, (size_t)r->ctx->limits.max_stripe_meta_bytes * 8);
  uint64_t n_groups = skep_orc_stripe_groups(r->tail, &r->tail->stripes[r->stripe]), n_chosen;
  SKEP_TRY(skep_orc_stripe_dir_read(&r->access, &r->stripe_arena, r->stripe, &r->dir, err));
  if (reads_timestamps(r)) SKEP_TRY(open_zone(r, err));
  SKEP_TRY(skep_orc_choose_groups(&r->chooser, &r->access, &r->stripe_arena, &r->dir, &r->chosen, &n_chosen, err));
  r->counts.groups_read += n_chosen;
  r->counts.groups_skipped += n_groups - n_chosen;
  if (n_groups > 0 && n_chosen == 0) {
    r->counts.stripes_skipped++;
  } else {
    r->counts.stripes_read++;
  }
  r->row = 0;
  r->max_rows = MAX_ROWS;
  SKEP_TRY(start_columns(r, n_chosen < n_groups && n_chosen <= n_groups / SPARSE_PART, err));
  r->is_open = true;
  return SKEP_OK;
}

/* Opens the next wanted stripe; SKEP_END when there is none. */
static skep_status next_stripe(skep_orc_reader *r, skep_err *err) {
  for (; r->stripe < r->end_stripe; r->stripe++) {
    if (r->tail->stripes[r->stripe].n_rows == 0) continue;
    bool unwanted = r->opts.skip_stripe != NULL && r->opts.skip_stripe[r->stripe];
    if (!unwanted && skep_orc_choose_stripe(&r->chooser, r->stripe)) return open_stripe(r, err);
    r->counts.stripes_skipped++;
  }
  return SKEP_END;
}

/* ---- rows ---- */

/* Moves r->row to the next row of a chosen group and sets how many rows may follow without a gap; 0: the stripe is
 * through. */
static uint64_t find_rows(skep_orc_reader *r) {
  uint64_t n_rows = r->dir.stripe->n_rows, stride = r->tail->row_index_stride;
  if (r->row >= n_rows) return 0;
  if (r->chosen == NULL) return n_rows - r->row;
  uint64_t n_groups = skep_orc_stripe_groups(r->tail, r->dir.stripe), group = r->row / stride;
  if (!r->chosen[group]) {
    while (group < n_groups && !r->chosen[group]) group++;
    if (group == n_groups) {
      r->row = n_rows;
      return 0;
    }
    r->row = group * stride;
  }
  while (group < n_groups && r->chosen[group]) group++;
  return (group == n_groups ? n_rows : group * stride) - r->row;
}

/* Brings the columns to r->row: with the row index when that saves reading, else by passing over values. */
static skep_status position_columns(skep_orc_reader *r, skep_err *err) {
  uint64_t stride = r->tail->row_index_stride;
  if (r->row == r->position) return SKEP_OK;
  uint64_t group = stride == 0 ? 0 : r->row / stride;
  bool ahead = r->row > r->position, usable = stride != 0 && group <= UINT32_MAX;
  if (usable && !(ahead && group * stride <= r->position)) {
    SKEP_TRY(skep_orc_column_load_index(&r->root, &r->stripe_arena, (uint32_t)group, &usable, err));
    if (usable) {
      SKEP_TRY(skep_orc_column_seek(&r->root, (uint32_t)group, err));
      r->position = group * stride;
      ahead = true;
    }
  }
  if (!ahead) SKEP_TRY(start_columns(r, false, err));
  SKEP_TRY(skep_orc_column_skip(&r->root, r->row - r->position, err));
  r->position = r->row;
  return SKEP_OK;
}

static skep_status decode(skep_orc_reader *r, int64_t n, skep_batch *batch, skep_err *err) {
  skep_orc_rows rows = {.n = n, .n_valid = n};
  skep_vec_reset(&batch->root);
  SKEP_TRY(position_columns(r, err));
  r->position = UINT64_MAX; /* unknown until all columns are through */
  SKEP_TRY(skep_orc_column_next(&r->root, &batch->root, &rows, err));
  r->row += (uint64_t)n;
  r->position = r->row;
  return SKEP_OK;
}

/* A batch that is too large in bytes is tried again with fewer rows, down to one. */
static skep_status decode_what_fits(skep_orc_reader *r, int64_t n, skep_batch *batch, skep_err *err) {
  for (;;) {
    skep_status st = decode(r, n, batch, err);
    if (st != SKEP_ERR_LIMIT || n == 1) return st;
    n = n / 4 > 0 ? n / 4 : 1;
    r->max_rows = n;
    r->position = 0;
    SKEP_TRY(start_columns(r, false, err));
  }
}

static skep_status next_batch(skep_orc_reader *r, int64_t max_rows, skep_batch *batch, skep_err *err) {
  for (;;) {
    if (!r->is_open) SKEP_TRY(next_stripe(r, err));
    uint64_t left = find_rows(r);
    if (left == 0) {
      r->is_open = false;
      r->stripe++;
      continue;
    }
    if (max_rows > r->max_rows) max_rows = r->max_rows;
    int64_t n = left < (uint64_t)max_rows ? (int64_t)left : max_rows;
    batch->first_row = (int64_t)(r->dir.stripe->first_row + r->row);
    return decode_what_fits(r, n, batch, err);
  }
}

static skep_status keep_failure(skep_orc_reader *r, skep_status st, skep_err *err) {
  r->status = st;
  if (st == SKEP_END) return st;
  st = skep_wrap(&r->failure, st, "stripe %u", r->stripe);
  if (err != NULL) *err = r->failure;
  return st;
}

skep_status skep_orc_reader_next(skep_orc_reader *r, int64_t max_rows, skep_batch *batch, skep_err *err) {
  skep_vec_reset(&batch->root);
  if (r->status != SKEP_OK) {
    if (err != NULL && r->status != SKEP_END) *err = r->failure;
    return r->status;
  }
  if (max_rows < 1 || max_rows > MAX_ROWS)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "a batch of %lld rows, wanted 1 to %d", (long long)max_rows, MAX_ROWS);
  skep_status st = next_batch(r, max_rows, batch, &r->failure);
  if (st == SKEP_OK) return st;
  skep_vec_reset(&batch->root);
  return keep_failure(r, st, err);
}

skep_status skep_orc_reader_seek(skep_orc_reader *r, uint64_t row, skep_err *err) {
  if (r->status != SKEP_OK && r->status != SKEP_END) {
    if (err != NULL) *err = r->failure;
    return r->status;
  }
  r->status = SKEP_OK;
  uint32_t first = r->opts.first_stripe < r->tail->n_stripes ? r->opts.first_stripe : r->tail->n_stripes, low = first,
           high = r->end_stripe;
  while (low < high) { /* the first stripe that ends behind the row */
    uint32_t middle = low + (high - low) / 2;
    const skep_orc_stripe *s = &r->tail->stripes[middle];
    if (s->first_row + s->n_rows <= row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  bool same = r->is_open && r->stripe == low;
  r->stripe = low;
  if (!same) r->is_open = false;
  if (low == r->end_stripe || row < r->tail->stripes[low].first_row) {
    if (same) r->row = 0;
    return SKEP_OK;
  }
  uint64_t within = row - r->tail->stripes[low].first_row;
  if (!same && within > 0) {
    bool unwanted = r->opts.skip_stripe != NULL && r->opts.skip_stripe[low];
    if (unwanted || !skep_orc_choose_stripe(&r->chooser, low)) return SKEP_OK; /* the next batch passes it over */
    skep_status st = open_stripe(r, &r->failure);
    if (st != SKEP_OK) return keep_failure(r, st, err);
  }
  r->row = within;
  return SKEP_OK;
}

skep_orc_reader_counts skep_orc_reader_stats(const skep_orc_reader *r) {
  skep_orc_reader_counts counts = r->counts;
  counts.bytes_read = r->access.bytes_read;
  return counts;
}
