/* One bucket file of sorted events: an ORC file with the ACID metadata in its footer (acid/bucket_file.h). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "acid/events.h"
#include "compact/compact_int.h"
#include "orc/stripe_copy.h"

enum { COPY_ROOM = 1 << 20 };

typedef skep_row_key key;

struct skep_compact_output {
  const skep_ctx *ctx;
  const char *path;
  int operation;
  const skep_type *type;
  skep_file *file;
  skep_orc_writer *orc;
  key *stripe_keys; /* the last key of each stripe */
  size_t n_stripe_keys, stripe_keys_capacity;
  skep_buf key_index;
  uint8_t *room; /* COPY_ROOM bytes to copy through, once needed */
  /* The rows being added, which begin at row `from` of the file. A stripe may end before them. */
  const skep_compact_rows *rows;
  int64_t first;
  uint64_t from;
  key first_key, last; /* of the rows added */
  int32_t *operations;
  int64_t n_operations;
  uint64_t told_bytes;
};

static key key_at(const skep_compact_rows *r, int64_t i) {
  return (key){.write_id = r->write_ids[i], .row_id = r->row_ids[i], .bucket = r->buckets[i]};
}

/* ---- the footer's metadata ---- */

static skep_status on_stripe(void *self, uint64_t end_row, skep_err *err) {
  skep_compact_output *o = self;
  key k = o->rows != NULL && end_row > o->from ? key_at(o->rows, o->first + (int64_t)(end_row - 1 - o->from)) : o->last;
  SKEP_TRY(skep_grow(o->ctx, (void **)&o->stripe_keys, &o->stripe_keys_capacity, o->n_stripe_keys + 1, sizeof k, err));
  o->stripe_keys[o->n_stripe_keys++] = k;
  return SKEP_OK;
}

static skep_status print_key_index(skep_compact_output *o, skep_err *err) {
  skep_buf_reset(&o->key_index);
  for (size_t i = 0; i < o->n_stripe_keys; i++) skep_key_index_add(&o->key_index, &o->stripe_keys[i]);
  return skep_buf_check(&o->key_index, "key index", err);
}

static skep_status on_footer(void *self, skep_orc_writer *orc, skep_err *err) {
  skep_compact_output *o = self;
  SKEP_TRY(print_key_index(o, err));
  return skep_bucket_footer(orc, &o->key_index, o->operation == SKEP_COMPACT_DELETES, err);
}

/* ---- life ---- */

static skep_status wrap(const skep_compact_output *o, skep_status status, skep_err *err) {
  char quoted[512];
  if (status == SKEP_OK) return SKEP_OK;
  return skep_wrap(err, status, "%s", skep_quote(quoted, sizeof quoted, o->path, strlen(o->path)));
}

skep_status skep_compact_output_create(skep_compact_run_state *run, skep_fs *fs, const char *path, int operation,
                                       skep_compact_output **out, skep_err *err) {
  *out = NULL;
  skep_compact_output *o = skep_alloc_zero(run->ctx, 1, sizeof *o);
  if (o == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "writer of a bucket file");
  o->ctx = run->ctx;
  o->path = path;
  o->operation = operation;
  o->type = run->event_type;
  skep_buf_init(&o->key_index, run->ctx, SIZE_MAX / 4);
  skep_orc_writer_opts opts = run->settings.plain;
  opts.bloom_columns = run->settings.event_blooms;
  opts.block_size = skep_writer_block_size(&opts, o->type->max_id + 1);
  opts.memory = &run->memory;
  if (fs != run->job->fs) opts.padding_block_bytes = 0; /* a part of a file */
  opts.on_stripe = on_stripe;
  opts.on_footer = on_footer;
  opts.self = o;
  skep_status status = skep_fs_create(fs, path, &o->file, err);
  if (status == SKEP_OK) status = wrap(o, skep_orc_writer_open(run->ctx, o->file, o->type, &opts, &o->orc, err), err);
  if (status != SKEP_OK) {
    skep_compact_output_free(o);
    return status;
  }
  *out = o;
  return SKEP_OK;
}

static skep_status check_order(const skep_compact_output *o, const key *k, skep_err *err) {
  if (skep_orc_writer_rows(o->orc) == 0 || !skep_row_key_below(k, &o->last)) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_CORRUPT,
                   "the row {\"writeid\":%" PRId64 ",\"bucketid\":%" PRId32 ",\"rowid\":%" PRId64
                   "} comes after {\"writeid\":%" PRId64 ",\"bucketid\":%" PRId32 ",\"rowid\":%" PRId64
                   "}: the files of its bucket are not in the order of their row ids",
                   k->write_id, k->bucket, k->row_id, o->last.write_id, o->last.bucket, o->last.row_id);
}

static skep_status need_operations(skep_compact_output *o, int64_t n, skep_err *err) {
  if (n <= o->n_operations) return SKEP_OK;
  int32_t *grown = skep_resize(o->ctx, o->operations, (size_t)n * sizeof *grown);
  if (grown == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "operations of %" PRId64 " events", n);
  for (int64_t i = o->n_operations; i < n; i++) grown[i] = o->operation;
  o->operations = grown;
  o->n_operations = n;
  return SKEP_OK;
}

static skep_vec flat(const skep_type *type, skep_form form, int64_t n, const void *values) {
  return (skep_vec){
      .type = type, .form = form, .length = n, .values = {.data = (void *)(uintptr_t)values, .lent = true}};
}

skep_status skep_compact_output_add(skep_compact_output *o, const skep_compact_rows *rows, int64_t first, int64_t count,
                                    skep_err *err) {
  if (count == 0) return SKEP_OK;
  key k = key_at(rows, first);
  SKEP_TRY(wrap(o, check_order(o, &k, err), err));
  if (skep_orc_writer_rows(o->orc) == 0) o->first_key = k;
  SKEP_TRY(need_operations(o, rows->n, err));
  const skep_type *const *types = o->type->children;
  skep_vec children[SKEP_EVENT_COLUMNS] = {
      [SKEP_EVENT_OPERATION] = flat(types[SKEP_EVENT_OPERATION], SKEP_FORM_I32, rows->n, o->operations),
      [SKEP_EVENT_WRITE_ID] = flat(types[SKEP_EVENT_WRITE_ID], SKEP_FORM_I64, rows->n, rows->write_ids),
      [SKEP_EVENT_BUCKET] = flat(types[SKEP_EVENT_BUCKET], SKEP_FORM_I32, rows->n, rows->buckets),
      [SKEP_EVENT_ROW_ID] = flat(types[SKEP_EVENT_ROW_ID], SKEP_FORM_I64, rows->n, rows->row_ids),
      [SKEP_EVENT_CURRENT] = flat(types[SKEP_EVENT_CURRENT], SKEP_FORM_I64, rows->n, rows->currents),
      [SKEP_EVENT_ROW] = *rows->row,
  };
  skep_vec event = {.type = o->type,
                    .form = SKEP_FORM_STRUCT,
                    .length = rows->n,
                    .n_children = SKEP_EVENT_COLUMNS,
                    .children = children};
  o->rows = rows;
  o->first = first;
  o->from = skep_orc_writer_rows(o->orc);
  skep_status status = skep_orc_writer_add(o->orc, &event, first, count, err);
  o->rows = NULL;
  if (status != SKEP_OK) return wrap(o, status, err);
  o->last = key_at(rows, first + count - 1);
  return SKEP_OK;
}

/* ---- stripes taken over ---- */

const skep_orc_writer *skep_compact_output_orc(const skep_compact_output *o) { return o->orc; }

skep_status skep_compact_output_copy(skep_compact_output *o, skep_file *file, const skep_orc_tail *tail,
                                     uint32_t stripe, const key *first, const key *last, skep_err *err) {
  if (o->room == NULL) o->room = skep_alloc(o->ctx, COPY_ROOM);
  if (o->room == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "copying stripes");
  SKEP_TRY(wrap(o, check_order(o, first, err), err));
  if (skep_orc_writer_rows(o->orc) == 0) o->first_key = *first;
  SKEP_TRY(wrap(o, skep_orc_writer_end_stripe(o->orc, err), err));
  o->last = *last;
  return wrap(o, skep_orc_writer_copy_stripe(o->orc, file, tail, stripe, o->room, COPY_ROOM, err), err);
}

static skep_status join_stripes(skep_compact_output *o, const skep_compact_output *part, skep_file *file,
                                const skep_orc_tail *tail, skep_err *err) {
  if (tail->n_stripes != part->n_stripe_keys)
    return skep_fail(err, SKEP_ERR_INTERNAL, "%u stripes with %zu keys", tail->n_stripes, part->n_stripe_keys);
  for (uint32_t i = 0; i < tail->n_stripes; i++) {
    const key *first = i == 0 ? &part->first_key : &part->stripe_keys[i - 1];
    SKEP_TRY(skep_compact_output_copy(o, file, tail, i, first, &part->stripe_keys[i], err));
  }
  return SKEP_OK;
}

skep_status skep_compact_output_join(skep_compact_output *o, skep_compact_output *part, skep_fs *fs, skep_err *err) {
  uint64_t size;
  skep_file *file = NULL;
  skep_orc_tail *tail = NULL;
  SKEP_TRY(wrap(o, skep_orc_writer_finish(part->orc, &size, err), err));
  skep_status status = skep_fs_open_read(fs, part->path, &file, err);
  if (status == SKEP_OK) status = skep_orc_tail_read(o->ctx, file, size, &tail, err);
  if (status == SKEP_OK) status = join_stripes(o, part, file, tail, err);
  skep_orc_tail_unref(tail);
  skep_file_close(file, NULL); /* it was only read from */
  return status;
}

uint64_t skep_compact_output_new_bytes(skep_compact_output *o) {
  uint64_t all = o->file->size_bytes, added = all - o->told_bytes;
  o->told_bytes = all;
  return added;
}

skep_status skep_compact_output_finish(skep_compact_output *o, skep_compact_counts *counts, skep_err *err) {
  uint64_t size = 0, n = skep_orc_writer_rows(o->orc);
  skep_status status = skep_orc_writer_finish(o->orc, &size, err);
  if (status == SKEP_OK) status = skep_file_sync(o->file, err);
  skep_status closed = skep_file_close(o->file, status == SKEP_OK ? err : NULL);
  o->file = NULL;
  if (status == SKEP_OK) status = closed;
  if (status != SKEP_OK) return wrap(o, status, err);
  counts->n_files++;
  counts->bytes_written += size;
  *(o->operation == SKEP_COMPACT_DELETES ? &counts->deletes : &counts->rows) += n;
  return SKEP_OK;
}

void skep_compact_output_free(skep_compact_output *o) {
  if (o == NULL) return;
  skep_orc_writer_close(o->orc);
  skep_file_close(o->file, NULL);
  skep_buf_fini(&o->key_index);
  skep_release(o->ctx, o->operations);
  skep_release(o->ctx, o->stripe_keys);
  skep_release(o->ctx, o->room);
  skep_release(o->ctx, o);
}
