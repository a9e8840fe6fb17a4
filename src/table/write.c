/* The life of a table writer: options, batches to the writers of their partitions, finishing, aborting. */
#include "table/write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "acid/dir_write.h"
#include "acid/name.h"
#include "table/write_int.h"

/* ---- open ---- */

static skep_status check_opts(const skep_table_write_opts *o, skep_err *err) {
  if (o->table_name == NULL || o->location == NULL || o->location[0] == '\0')
    return skep_fail(err, SKEP_ERR_ARGUMENT, "a table without a name or place");
  if (o->columns == NULL || o->columns->kind != SKEP_STRUCT || o->columns->n_children == 0)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: a table without columns", o->table_name);
  if (o->kind == SKEP_WRITE_DELETE && o->format != SKEP_WRITE_FULL_ACID)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: deletes from a table that is not full ACID", o->table_name);
  if (o->kind == SKEP_WRITE_DELETE && o->static_values != NULL)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: deletes find their partitions by themselves", o->table_name);
  for (uint32_t i = 0; o->partitions != NULL && i < o->partitions->n_children; i++)
    if (skep_kind_is_nested(o->partitions->children[i]->kind))
      return skep_fail(err, SKEP_ERR_UNSUPPORTED, "%s: a partition key of type %s", o->table_name,
                       skep_kind_name(o->partitions->children[i]->kind));
  return SKEP_OK;
}

static skep_status find_dynamic(skep_table_write *w, skep_err *err) {
  w->n_keys = w->opts.partitions == NULL ? 0 : w->opts.partitions->n_children;
  w->dynamic = skep_arena_zero(&w->arena, (size_t)w->n_keys + 1, sizeof *w->dynamic);
  if (w->dynamic == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%u partition keys", w->n_keys);
  for (uint32_t i = 0; i < w->n_keys; i++)
    if (w->opts.static_values == NULL || w->opts.static_values[i].at == NULL) w->dynamic[w->n_dynamic++] = i;
  return SKEP_OK;
}

static void set_delta_opts(skep_table_write *w) {
  const skep_table_write_opts *o = &w->opts;
  skep_delta_kind kind = o->kind == SKEP_WRITE_DELETE      ? SKEP_DELTA_DELETE
                         : o->format == SKEP_WRITE_PLAIN   ? SKEP_DELTA_PLAIN
                         : o->kind == SKEP_WRITE_OVERWRITE ? SKEP_DELTA_BASE
                                                           : SKEP_DELTA_INSERT;
  w->delta = (skep_delta_writer_opts){.kind = kind,
                                      /* nothing overwrites a plain text table: no file then (seen in 4.0.1) */
                                      .empty_files = o->kind == SKEP_WRITE_OVERWRITE && w->n_dynamic == 0 &&
                                                     (o->text == NULL || o->format != SKEP_WRITE_PLAIN),
                                      .events = o->format == SKEP_WRITE_FULL_ACID,
                                      .write_id = o->write_id,
                                      .statement = o->statement,
                                      .row = o->columns,
                                      .n_buckets = o->n_bucket_columns == 0 ? 0 : o->n_buckets,
                                      .n_bucket_columns = o->n_bucket_columns,
                                      .bucket_columns = o->bucket_columns,
                                      .bucketing_version = o->bucketing_version,
                                      .format = o->text != NULL ? &o->text->codec : NULL,
                                      .settings = &w->settings,
                                      .memory = &w->opts.budget->stripes,
                                      .budget = w->opts.budget};
}

static skep_status build(skep_table_write *w, skep_err *err) {
  const skep_table_write_opts *o = &w->opts;
  SKEP_TRY(check_opts(o, err));
  SKEP_TRY(find_dynamic(w, err));
  if (w->opts.default_partition == NULL) w->opts.default_partition = SKEP_DEFAULT_PARTITION;
  skep_status status =
      skep_writer_settings_make(&w->arena, o->columns, o->properties, o->n_properties, &w->settings, err);
  if (status != SKEP_OK) return skep_wrap(err, status, "%s", o->table_name);
  if (o->budget == NULL) {
    skep_write_budget_init(&w->own_budget, w->ctx, w->fs, NULL, 0);
    w->opts.budget = &w->own_budget;
  }
  set_delta_opts(w);
  return skep_delta_shared_new(w->ctx, &w->settings, &w->delta.shared, err);
}

skep_status skep_table_write_open(const skep_ctx *ctx, skep_fs *fs, const skep_table_write_opts *opts,
                                  skep_table_write **out, skep_err *err) {
  *out = NULL;
  skep_table_write *w = skep_alloc_zero(ctx, 1, sizeof *w);
  if (w == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "writer of a table");
  w->ctx = ctx;
  w->fs = fs;
  w->opts = *opts;
  skep_arena_init(&w->arena, ctx, SIZE_MAX);
  skep_buf *const bufs[] = {&w->key, &w->text, &w->name};
  for (size_t i = 0; i < sizeof bufs / sizeof bufs[0]; i++) skep_buf_init(bufs[i], ctx, SIZE_MAX / 4);
  skep_status status = build(w, err);
  if (status != SKEP_OK) {
    skep_table_write_free(w);
    return status;
  }
  *out = w;
  return SKEP_OK;
}

/* ---- rows ---- */

static skep_status open_writer(skep_table_write *w, skep_write_target *target, skep_err *err) {
  if (target->writer != NULL) return SKEP_OK;
  const char *root = target->out.location;
  if (w->opts.format == SKEP_WRITE_PLAIN) {
    if (target->staging == NULL) SKEP_TRY(skep_write_stage(w, target, err));
    root = target->staging;
  }
  return skep_delta_writer_open(w->ctx, w->fs, root, &w->delta, &target->writer, err);
}

static skep_status check_batch(const skep_table_write *w, const skep_batch *batch, bool deletes, uint32_t n_columns,
                               skep_err *err) {
  if (w->is_done || deletes != (w->opts.kind == SKEP_WRITE_DELETE))
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: takes no such rows", w->opts.table_name);
  if (batch->root.n_children != n_columns)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: a batch of %u columns where %u are expected", w->opts.table_name,
                     batch->root.n_children, n_columns);
  return SKEP_OK;
}

static skep_status check_keys(const skep_table_write *w, const skep_vec *keys, skep_err *err) {
  for (uint32_t d = 0; d < w->n_dynamic; d++) {
    const skep_type *key = w->opts.partitions->children[w->dynamic[d]];
    if (keys[d].type->kind != key->kind)
      return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: partition key %s of type %s, not %s", w->opts.table_name,
                       w->opts.partitions->names[w->dynamic[d]], skep_kind_name(keys[d].type->kind),
                       skep_kind_name(key->kind));
  }
  return SKEP_OK;
}

static skep_status add_rows(skep_table_write *w, uint32_t number, const skep_batch *batch, const int32_t *rows,
                            int64_t n, skep_err *err) {
  skep_write_target *target = w->targets[number];
  SKEP_TRY(open_writer(w, target, err));
  if (w->opts.n_buckets == 0) SKEP_TRY(skep_delta_writer_use(target->writer, w->writer, err));
  SKEP_TRY(skep_delta_writer_rows(target->writer, batch, rows, n, err));
  target->out.n_rows += (uint64_t)n;
  return SKEP_OK;
}

static void count_rows(skep_table_write *w, int64_t n) {
  w->n_rows += (uint64_t)n;
  uint64_t *written = w->opts.budget->written_rows;
  if (written != NULL) __atomic_add_fetch(written, (uint64_t)n, __ATOMIC_RELAXED);
}

skep_status skep_table_write_file(skep_table_write *w, const char *path, const char *name, skep_err *err) {
  uint32_t number;
  if (w->is_done || w->opts.kind == SKEP_WRITE_DELETE || w->n_dynamic != 0)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: takes no files", w->opts.table_name);
  w->delta.empty_files = false; /* what is loaded is all that there is */
  SKEP_TRY(skep_write_static_target(w, &number, err));
  SKEP_TRY(open_writer(w, w->targets[number], err));
  return skep_delta_writer_file(w->targets[number]->writer, path, name, err);
}

void skep_table_write_use(skep_table_write *w, uint32_t writer) { w->writer = writer; }

skep_status skep_table_write_rows(skep_table_write *w, const skep_batch *batch, skep_err *err) {
  uint32_t n_columns = w->opts.columns->n_children, only;
  int64_t n = batch->root.length;
  SKEP_TRY(check_batch(w, batch, false, n_columns + w->n_dynamic, err));
  if (n == 0) return SKEP_OK;
  const skep_vec *keys = batch->root.children + n_columns;
  SKEP_TRY(check_keys(w, keys, err));
  SKEP_TRY(skep_write_route(w, keys, n, &only, err));
  count_rows(w, n);
  if (only != UINT32_MAX) return add_rows(w, only, batch, NULL, n, err);
  SKEP_TRY(skep_write_group(w, n, err));
  for (uint32_t t = 0; t < w->n_targets; t++) {
    int64_t start = t == 0 ? 0 : w->ends[t - 1];
    if (w->ends[t] > start) SKEP_TRY(add_rows(w, t, batch, w->order + start, w->ends[t] - start, err));
  }
  return SKEP_OK;
}

/* ---- deletes ---- */

/* The three columns of the row ids, from three children or from one struct. */
static skep_status id_columns(const skep_table_write *w, const skep_batch *batch, const skep_vec *ids[3],
                              const skep_vec **keys, skep_err *err) {
  const skep_vec *children = batch->root.children;
  bool nested = batch->root.n_children > 0 && children[0].form == SKEP_FORM_STRUCT;
  SKEP_TRY(check_batch(w, batch, true, (nested ? 1 : 3) + w->n_keys, err));
  if (nested && children[0].n_children != 3)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: a row id of %u parts", w->opts.table_name, children[0].n_children);
  for (int i = 0; i < 3; i++) ids[i] = nested ? &children[0].children[i] : &children[i];
  *keys = children + (nested ? 1 : 3);
  if (ids[0]->form != SKEP_FORM_I64 || ids[1]->form != SKEP_FORM_I32 || ids[2]->form != SKEP_FORM_I64)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: a row id is bigint, int, bigint", w->opts.table_name);
  const skep_vec *may_be_null[] = {ids[0], ids[1], ids[2], nested ? &children[0] : ids[0]};
  for (int k = 0; k < 4; k++)
    for (int64_t i = 0; may_be_null[k]->has_nulls && i < batch->root.length; i++)
      if (!skep_vec_is_valid(may_be_null[k], i))
        return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: a row id is NULL", w->opts.table_name);
  return SKEP_OK;
}

static skep_status add_deletes(skep_table_write *w, uint32_t number, const skep_vec *const ids[3], const int32_t *rows,
                               int64_t n, skep_err *err) {
  skep_write_target *target = w->targets[number];
  SKEP_TRY(open_writer(w, target, err));
  SKEP_TRY(skep_delta_writer_deletes(target->writer, ids[0]->values.data, ids[1]->values.data, ids[2]->values.data,
                                     rows, n, err));
  target->out.n_rows += (uint64_t)n;
  return SKEP_OK;
}

skep_status skep_table_write_deletes(skep_table_write *w, const skep_batch *batch, skep_err *err) {
  const skep_vec *ids[3], *keys;
  uint32_t only;
  int64_t n = batch->root.length;
  SKEP_TRY(id_columns(w, batch, ids, &keys, err));
  if (n == 0) return SKEP_OK;
  SKEP_TRY(check_keys(w, keys, err));
  SKEP_TRY(skep_write_route(w, keys, n, &only, err));
  count_rows(w, n);
  if (only != UINT32_MAX) return add_deletes(w, only, ids, NULL, n, err);
  SKEP_TRY(skep_write_group(w, n, err));
  for (uint32_t t = 0; t < w->n_targets; t++) {
    int64_t start = t == 0 ? 0 : w->ends[t - 1];
    if (w->ends[t] > start) SKEP_TRY(add_deletes(w, t, ids, w->order + start, w->ends[t] - start, err));
  }
  return SKEP_OK;
}

/* ---- the end ---- */

/* A statement without rows still touches what it names whole: see the header. */
static skep_status touch_static(skep_table_write *w, skep_err *err) {
  bool all_static = w->n_dynamic == 0 && w->opts.kind != SKEP_WRITE_DELETE;
  bool overwrite = w->opts.kind == SKEP_WRITE_OVERWRITE;
  if (!all_static || (w->n_keys == 0 && !overwrite)) return SKEP_OK;
  uint32_t number;
  SKEP_TRY(skep_write_static_target(w, &number, err));
  if (overwrite) return open_writer(w, w->targets[number], err);
  if (w->targets[number]->writer != NULL) return SKEP_OK;
  size_t depth_there;
  const char *location = w->targets[number]->out.location;
  SKEP_TRY(skep_dir_make(w->ctx, w->fs, location, false, &depth_there, err));
  return skep_dir_sync_up(w->ctx, w->fs, location, depth_there, err);
}

static skep_status finish_target(skep_table_write *w, skep_write_target *target, skep_err *err) {
  target->out.is_overwritten = w->opts.kind == SKEP_WRITE_OVERWRITE;
  if (target->writer == NULL) return SKEP_OK;
  SKEP_TRY(skep_delta_writer_finish(target->writer, &target->message, err));
  target->out.n_files = target->message->n_files;
  target->out.n_bytes = target->message->n_bytes;
  return SKEP_OK;
}

static int by_name(const void *left, const void *right) {
  const skep_written_partition *a = left, *b = right;
  return strcmp(a->name, b->name);
}

static skep_status make_list(skep_table_write *w, skep_err *err) {
  skep_written_partition *list = skep_arena_zero(&w->arena, (size_t)w->n_targets + 1, sizeof *list);
  if (list == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "list of %u partitions", w->n_targets);
  for (uint32_t i = 0; i < w->n_targets; i++) list[i] = w->targets[i]->out;
  if (w->n_targets > 1) qsort(list, w->n_targets, sizeof *list, by_name);
  w->list = list;
  return SKEP_OK;
}

static skep_status finish(skep_table_write *w, skep_err *err) {
  SKEP_TRY(touch_static(w, err));
  for (uint32_t i = 0; i < w->n_targets; i++) SKEP_TRY(finish_target(w, w->targets[i], err));
  SKEP_TRY(make_list(w, err));
  for (uint32_t i = 0; i < w->n_targets; i++)
    if (w->targets[i]->staging != NULL) SKEP_TRY(skep_write_place(w, w->targets[i], err));
  return SKEP_OK;
}

skep_status skep_table_write_finish(skep_table_write *w, const skep_written_partition **partitions,
                                    uint32_t *n_partitions, skep_err *err) {
  *partitions = NULL;
  *n_partitions = 0;
  if (w->is_done) return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: the write is finished", w->opts.table_name);
  w->is_done = true;
  skep_status status = finish(w, err);
  if (status != SKEP_OK) return status;
  *partitions = w->list;
  *n_partitions = w->n_targets;
  return SKEP_OK;
}

bool skep_table_write_abort(skep_table_write *w) {
  bool gone = true;
  w->is_done = true;
  for (uint32_t i = w->n_targets; i-- > 0;) { /* backwards: the first ones made the directories above the others */
    skep_write_target *target = w->targets[i];
    if (target->writer == NULL) continue;
    if (target->is_placed && (target->staging == NULL || !skep_write_unplace(w, target))) gone = false;
    if (!target->is_placed && !skep_delta_writer_abort(target->writer)) gone = false;
  }
  return gone;
}

void skep_table_write_free(skep_table_write *w) {
  if (w == NULL) return;
  for (uint32_t i = 0; i < w->n_targets; i++) {
    skep_write_settle(w, w->targets[i]);
    skep_buf_fini(&w->targets[i]->placed);
    skep_delta_writer_free(w->targets[i]->writer);
  }
  skep_delta_shared_free(w->delta.shared);
  skep_release(w->ctx, w->targets);
  skep_key_map_fini(w->ctx, &w->by_name);
  skep_key_map_fini(w->ctx, &w->by_place);
  skep_key_map_fini(w->ctx, &w->by_key);
  skep_release(w->ctx, w->route);
  skep_release(w->ctx, w->changed);
  skep_release(w->ctx, w->order);
  skep_release(w->ctx, w->ends);
  skep_buf_fini(&w->key);
  skep_buf_fini(&w->text);
  skep_buf_fini(&w->name);
  skep_arena_fini(&w->arena);
  skep_release(w->ctx, w);
}

uint64_t skep_table_write_row_count(const skep_table_write *w) { return w->n_rows; }
