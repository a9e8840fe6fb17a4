/* The door of writing: options, rows into row groups and stripes, footers when they are due. */
#include "orc/writer.h"

#include <strings.h>

#include "orc/stripe_copy.h"
#include "orc/writer_int.h"

enum { MAX_BLOCK = (1 << 23) - 1, MIN_BLOCK = 64 };
enum { ROWS_AT_ONCE = 1024, LEAST_STRIPE_BYTES = 1 << 16 };
/* Stripes end where ORC Java's do: memory is looked at every 5000 rows (orc.rows.between.memory.checks). Rows that are
 * huge do not wait for that. */
enum { ROWS_BETWEEN_CHECKS = 5000, LEAST_HUGE_BYTES = 1 << 20 };

/* ---- options ---- */

static skep_status check_opts(const skep_orc_writer_opts *o, skep_err *err) {
  if (o->block_size < MIN_BLOCK || o->block_size > MAX_BLOCK)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "compression block of %u bytes: %d to %d", o->block_size, MIN_BLOCK,
                     MAX_BLOCK);
  if (o->stripe_bytes == 0) return skep_fail(err, SKEP_ERR_ARGUMENT, "stripes of 0 bytes");
  if (o->row_index_stride > INT32_MAX)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "row groups of %u rows", o->row_index_stride);
  if (o->n_bloom_columns != 0 && !(o->bloom_fpp > 0 && o->bloom_fpp < 1))
    return skep_fail(err, SKEP_ERR_ARGUMENT, "bloom filters with %g false positives: above 0, below 1", o->bloom_fpp);
  if (o->codec == SKEP_ORC_NONE && o->level != 0)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "level %d without compression", o->level);
  return SKEP_OK;
}

/* The child of `type` that the path's first step names; *rest is what follows. Names may hold dots: the longest that
 * matches is taken. */
static const skep_type *step(const skep_type *type, const char *path, const char **rest) {
  static const char *const list[] = {"element"}, *const map[] = {"key", "value"};
  const char *const *names = type->kind == SKEP_LIST ? list : type->kind == SKEP_MAP ? map : type->names;
  const skep_type *found = NULL;
  size_t longest = 0;
  for (uint32_t i = 0; names != NULL && i < type->n_children; i++) {
    size_t n = strlen(names[i]);
    if ((found != NULL && n <= longest) || strncasecmp(path, names[i], n) != 0) continue;
    if (path[n] != '\0' && path[n] != '.') continue;
    found = type->children[i];
    longest = n;
  }
  if (found != NULL) *rest = path[longest] == '.' ? path + longest + 1 : path + longest;
  return found;
}

static skep_status mark_blooms(const skep_type *type, const skep_orc_writer_opts *o, bool *has_bloom, skep_err *err) {
  for (uint32_t i = 0; i < o->n_bloom_columns; i++) {
    const skep_type *at = type;
    const char *rest = o->bloom_columns[i];
    while (at != NULL && *rest != '\0') at = step(at, rest, &rest);
    if (at == NULL || at == type) {
      char name[128];
      skep_quote(name, sizeof name, o->bloom_columns[i], strlen(o->bloom_columns[i]));
      return skep_fail(err, SKEP_ERR_ARGUMENT, "no column %s for a bloom filter", name);
    }
    for (uint32_t id = at->id; id <= at->max_id; id++) has_bloom[id] = true;
  }
  return SKEP_OK;
}

/* ---- open, close ---- */

static void init_parts(skep_orc_writer *w, const skep_ctx *ctx, skep_file *file, const skep_orc_writer_opts *opts) {
  w->ctx = ctx;
  w->file = file;
  w->opts = *opts;
  skep_arena_init(&w->arena, ctx, SIZE_MAX);
  skep_buf *const bufs[] = {&w->pending, &w->stripe_stats, &w->message,      &w->nested,
                            &w->section, &w->env.scratch,  &w->env.scratch2, &w->env.padded};
  for (size_t i = 0; i < sizeof bufs / sizeof bufs[0]; i++) skep_buf_init(bufs[i], ctx, SIZE_MAX / 4);
  w->env.ctx = ctx;
  w->env.block_size = opts->block_size;
  w->env.stride = opts->row_index_stride;
  w->env.dictionary_threshold = opts->dictionary_threshold;
  w->env.bloom_fpp = opts->bloom_fpp;
  w->env.pad_char = opts->pad_char;
  w->env.hybrid = opts->calendar == SKEP_CALENDAR_HYBRID;
}

static skep_status build(skep_orc_writer *w, const skep_type *type, skep_err *err) {
  SKEP_TRY(skep_type_copy(&w->arena, type, &w->type, err));
  if (w->opts.codec != SKEP_ORC_NONE && w->opts.compressor == NULL)
    SKEP_TRY(skep_orc_compressor_new(w->ctx, w->opts.codec, w->opts.level, &w->own_codec, err));
  if (w->opts.codec != SKEP_ORC_NONE) w->env.codec = w->own_codec != NULL ? w->own_codec : w->opts.compressor;
  bool *has_bloom = skep_arena_zero(&w->arena, (size_t)w->type->max_id + 1, sizeof *has_bloom);
  if (has_bloom == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%u columns", w->type->max_id + 1);
  SKEP_TRY(mark_blooms(w->type, &w->opts, has_bloom, err));
  SKEP_TRY(skep_orc_wcolumn_init(&w->root, &w->env, w->type, has_bloom, err));
  return skep_orc_writer_append(w, "ORC", 3, err);
}

skep_status skep_orc_writer_open(const skep_ctx *ctx, skep_file *file, const skep_type *type,
                                 const skep_orc_writer_opts *opts, skep_orc_writer **out, skep_err *err) {
  *out = NULL;
  SKEP_TRY(check_opts(opts, err));
  if (type->id != 0) return skep_fail(err, SKEP_ERR_ARGUMENT, "type is part of another");
  if (file->size_bytes != 0)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "file to write holds %llu bytes", (unsigned long long)file->size_bytes);
  skep_orc_writer *w = skep_alloc_zero(ctx, 1, sizeof *w);
  if (w == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "writer of %zu bytes", sizeof *w);
  init_parts(w, ctx, file, opts);
  if (opts->memory != NULL) __atomic_add_fetch(&opts->memory->wanted_bytes, opts->stripe_bytes, __ATOMIC_RELAXED);
  skep_status status = build(w, type, err);
  if (status != SKEP_OK) {
    skep_orc_writer_close(w);
    return status;
  }
  *out = w;
  return SKEP_OK;
}

void skep_orc_writer_close(skep_orc_writer *w) {
  if (w == NULL) return;
  if (w->opts.memory != NULL) __atomic_sub_fetch(&w->opts.memory->wanted_bytes, w->opts.stripe_bytes, __ATOMIC_RELAXED);
  skep_orc_wcolumn_fini(&w->root);
  skep_orc_compressor_free(w->own_codec);
  for (size_t i = 0; i < w->n_items; i++) {
    skep_release(w->ctx, w->items[i].name);
    skep_release(w->ctx, w->items[i].value);
  }
  skep_release(w->ctx, w->items);
  skep_release(w->ctx, w->stripes);
  skep_buf *const bufs[] = {&w->pending, &w->stripe_stats, &w->message,      &w->nested,
                            &w->section, &w->env.scratch,  &w->env.scratch2, &w->env.padded};
  for (size_t i = 0; i < sizeof bufs / sizeof bufs[0]; i++) skep_buf_fini(bufs[i]);
  skep_arena_fini(&w->arena);
  skep_release(w->ctx, w);
}

/* ---- errors stick ---- */

skep_status skep_orc_writer_keep(skep_orc_writer *w, skep_status status, skep_err *err) {
  if (status == SKEP_OK) return SKEP_OK;
  w->status = status;
  if (err != NULL && err != &w->err) w->err = *err;
  return status;
}

static skep_status check_usable(const skep_orc_writer *w, skep_err *err) {
  if (w->status != SKEP_OK) return skep_fail(err, w->status, "writer failed before: %s", w->err.text);
  if (w->finished) return skep_fail(err, SKEP_ERR_ARGUMENT, "file is finished");
  return SKEP_OK;
}

/* ---- stripes ---- */

/* What this stripe may take: the shared memory in proportion. */
static uint64_t stripe_limit(const skep_orc_writer *w) {
  const skep_orc_write_memory *memory = w->opts.memory;
  uint64_t limit = w->opts.stripe_bytes;
  if (memory == NULL) return limit;
  uint64_t wanted = __atomic_load_n(&memory->wanted_bytes, __ATOMIC_RELAXED);
  if (wanted <= memory->max_bytes) return limit;
  double share = (double)limit * ((double)memory->max_bytes / (double)wanted);
  uint64_t least = limit < LEAST_STRIPE_BYTES ? limit : LEAST_STRIPE_BYTES; /* else rows would be stripes */
  return share > (double)least ? (uint64_t)share : least;
}

static skep_status end_group(skep_orc_writer *w, skep_err *err) {
  if (!w->group_is_open) return SKEP_OK;
  w->group_is_open = false;
  w->group_rows = 0;
  return skep_orc_wcolumn_end_group(&w->root, err);
}

static skep_status end_stripe(skep_orc_writer *w, skep_err *err) {
  if (w->stripe_rows == 0) return SKEP_OK;
  SKEP_TRY(end_group(w, err));
  SKEP_TRY(skep_orc_wcolumn_end_stripe(&w->root, err));
  skep_status status = skep_orc_writer_put_stripe(w, err);
  if (status != SKEP_OK) return skep_wrap(err, status, "stripe %zu", w->n_stripes);
  skep_orc_wcolumn_clear_stripe(&w->root);
  w->stripe_rows = 0;
  return w->opts.on_stripe != NULL ? w->opts.on_stripe(w->opts.self, w->n_rows, err) : SKEP_OK;
}

skep_status skep_orc_writer_end_stripe(skep_orc_writer *w, skep_err *err) {
  SKEP_TRY(check_usable(w, err));
  return skep_orc_writer_keep(w, end_stripe(w, err), err);
}

/* ---- rows ---- */

/* Rows that all belong to one row group; ends the group and the stripe when they are full. */
static skep_status add_some(skep_orc_writer *w, const skep_vec *root, const skep_orc_entries *rows, skep_err *err) {
  int64_t n = rows->n;
  if (!w->group_is_open) SKEP_TRY(skep_orc_wcolumn_begin_group(&w->root, err));
  w->group_is_open = true;
  SKEP_TRY(skep_orc_wcolumn_write(&w->root, root, rows, err));
  w->n_rows += (uint64_t)n;
  w->stripe_rows += (uint64_t)n;
  w->group_rows += (uint32_t)n;
  w->has_footer = false;
  w->unchecked_rows += (uint32_t)n;
  if (w->env.stride != 0 && w->group_rows == w->env.stride) SKEP_TRY(end_group(w, err));
  uint64_t memory = skep_orc_wcolumn_memory(&w->root), limit = stripe_limit(w);
  bool is_due = w->unchecked_rows == ROWS_BETWEEN_CHECKS || limit < w->opts.stripe_bytes; /* memory is short */
  bool is_huge = memory > LEAST_HUGE_BYTES && memory / 2 > limit;
  if (is_due || is_huge) w->unchecked_rows = 0;
  return (is_due && memory >= limit) || is_huge ? end_stripe(w, err) : SKEP_OK;
}

static skep_status add_all(skep_orc_writer *w, const skep_vec *root, const skep_orc_entries *rows, skep_err *err) {
  for (int64_t done = 0; done < rows->n;) {
    int64_t n = rows->n - done < ROWS_AT_ONCE ? rows->n - done : ROWS_AT_ONCE;
    if (w->env.stride != 0 && n > w->env.stride - w->group_rows) n = w->env.stride - w->group_rows;
    if (n > ROWS_BETWEEN_CHECKS - w->unchecked_rows) n = ROWS_BETWEEN_CHECKS - w->unchecked_rows;
    skep_orc_entries part = skep_orc_entries_part(rows, done, n);
    SKEP_TRY(add_some(w, root, &part, err));
    done += n;
  }
  return SKEP_OK;
}

skep_status skep_orc_writer_add(skep_orc_writer *w, const skep_vec *root, int64_t first, int64_t count, skep_err *err) {
  SKEP_TRY(check_usable(w, err));
  if (first < 0 || count < 0 || count > root->length || first > root->length - count)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "rows %lld to %lld of a vector of %lld", (long long)first,
                     (long long)first + (long long)count, (long long)root->length);
  skep_orc_entries rows = {NULL, first, count};
  return skep_orc_writer_keep(w, add_all(w, root, &rows, err), err);
}

skep_status skep_orc_writer_add_rows(skep_orc_writer *w, const skep_vec *root, const int32_t *rows, int64_t count,
                                     skep_err *err) {
  SKEP_TRY(check_usable(w, err));
  if (count == 0) return SKEP_OK;
  if (count < 0 || count > root->length || rows[0] < 0 || rows[count - 1] >= root->length)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%lld listed rows of a vector of %lld", (long long)count,
                     (long long)root->length);
  skep_orc_entries entries = {rows, 0, count};
  return skep_orc_writer_keep(w, add_all(w, root, &entries, err), err);
}

/* ---- metadata ---- */

static skep_status find_item(skep_orc_writer *w, const char *name, skep_orc_writer_item **out, skep_err *err) {
  size_t at = 0;
  while (at < w->n_items && strcmp(w->items[at].name, name) < 0) at++;
  *out = &w->items[at];
  if (at < w->n_items && strcmp(w->items[at].name, name) == 0) return SKEP_OK;
  SKEP_TRY(skep_grow(w->ctx, (void **)&w->items, &w->items_capacity, w->n_items + 1, sizeof *w->items, err));
  char *copy = skep_strndup(w->ctx, name, strlen(name));
  if (copy == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "name of user metadata");
  memmove(&w->items[at + 1], &w->items[at], (w->n_items - at) * sizeof *w->items);
  w->items[at] = (skep_orc_writer_item){.name = copy};
  w->n_items++;
  *out = &w->items[at];
  return SKEP_OK;
}

skep_status skep_orc_writer_set_metadata(skep_orc_writer *w, const char *name, skep_bytes value, skep_err *err) {
  skep_orc_writer_item *item = NULL;
  uint8_t *copy = skep_alloc(w->ctx, value.left);
  if (copy == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "user metadata of %zu bytes", value.left);
  skep_status status = find_item(w, name, &item, err);
  if (status != SKEP_OK) {
    skep_release(w->ctx, copy);
    return status;
  }
  if (value.left != 0) memcpy(copy, value.at, value.left);
  skep_release(w->ctx, item->value);
  item->value = copy;
  item->size = value.left;
  return SKEP_OK;
}

/* ---- footers ---- */

static skep_status put_footer(skep_orc_writer *w, skep_err *err) {
  SKEP_TRY(end_stripe(w, err));
  if (w->opts.on_footer != NULL) SKEP_TRY(w->opts.on_footer(w->opts.self, w, err));
  return skep_orc_writer_put_tail(w, err);
}

skep_status skep_orc_writer_intermediate_footer(skep_orc_writer *w, uint64_t *length, skep_err *err) {
  SKEP_TRY(check_usable(w, err));
  if (!w->has_footer) SKEP_TRY(skep_orc_writer_keep(w, put_footer(w, err), err));
  *length = w->length;
  return SKEP_OK;
}

skep_status skep_orc_writer_finish(skep_orc_writer *w, uint64_t *length, skep_err *err) {
  SKEP_TRY(check_usable(w, err));
  SKEP_TRY(skep_orc_writer_keep(w, put_footer(w, err), err));
  w->finished = true;
  *length = w->length;
  return SKEP_OK;
}

uint64_t skep_orc_writer_rows(const skep_orc_writer *w) { return w->n_rows; }

uint64_t skep_orc_writer_memory_bytes(const skep_orc_writer *w) { return skep_orc_wcolumn_memory(&w->root); }
