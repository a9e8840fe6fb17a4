/* The life of a writer, rows into bucket files, finishing. Delete events are in delta_deletes.c, messages in
 * commit_message.c. */
#include "acid/delta_writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "acid/delta_int.h"
#include "acid/dir_write.h"
#include "acid/name.h"
#include "column/bucket_hash.h"

enum { MAX_STATEMENT = 4095, MAX_WRITERS = 4096 };

/* ---- what writers share ---- */

skep_status skep_delta_shared_new(const skep_ctx *ctx, const skep_writer_settings *settings, skep_delta_shared **out,
                                  skep_err *err) {
  *out = NULL;
  skep_delta_shared *s = skep_alloc_zero(ctx, 1, sizeof *s);
  if (s == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "writer of a directory");
  s->ctx = ctx;
  const skep_orc_writer_opts *orc = &settings->plain; /* codec and level are the same in all files */
  skep_status status = SKEP_OK;
  if (orc->codec != SKEP_ORC_NONE) status = skep_orc_compressor_new(ctx, orc->codec, orc->level, &s->compressor, err);
  if (status != SKEP_OK) {
    skep_delta_shared_free(s);
    return status;
  }
  *out = s;
  return SKEP_OK;
}

static void free_ids(const skep_ctx *ctx, skep_delta_ids *ids) {
  skep_release(ctx, ids->operations);
  skep_release(ctx, ids->currents);
  skep_release(ctx, ids->write_ids);
  skep_release(ctx, ids->buckets);
  skep_release(ctx, ids->row_ids);
  *ids = (skep_delta_ids){0};
}

void skep_delta_shared_free(skep_delta_shared *s) {
  if (s == NULL) return;
  skep_orc_compressor_free(s->compressor);
  free_ids(s->ctx, &s->ids);
  skep_release(s->ctx, s->hashes);
  skep_release(s->ctx, s->order);
  skep_release(s->ctx, s->ends);
  skep_release(s->ctx, s);
}

/* ---- open ---- */

static skep_status check_opts(const skep_delta_writer_opts *o, skep_err *err) {
  if (o->kind != SKEP_DELTA_PLAIN && o->write_id < 1)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "write id %" PRId64 ": 1 or more", o->write_id);
  if (o->statement < 0 || o->statement > MAX_STATEMENT)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "statement id %" PRId32 ": 0 to %d", o->statement, MAX_STATEMENT);
  if (o->row == NULL || o->row->kind != SKEP_STRUCT || o->row->id != 0)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "rows are no struct of their own");
  if (o->n_buckets > MAX_WRITERS)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "%u buckets: at most %d", o->n_buckets, MAX_WRITERS);
  if (o->n_buckets != 0 && o->n_bucket_columns == 0)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%u buckets without a column", o->n_buckets);
  for (uint32_t i = 0; i < o->n_bucket_columns; i++)
    if (o->bucket_columns[i] >= o->row->n_children)
      return skep_fail(err, SKEP_ERR_ARGUMENT, "bucket column %u of %u columns", o->bucket_columns[i],
                       o->row->n_children);
  if (o->kind == SKEP_DELTA_DELETE && !o->events)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "delete delta without events");
  if (o->format != NULL && o->events) return skep_fail(err, SKEP_ERR_ARGUMENT, "events in files that are not ORC");
  if (o->kind == SKEP_DELTA_PLAIN && o->events) return skep_fail(err, SKEP_ERR_ARGUMENT, "events without a directory");
  return SKEP_OK;
}

/* The name of the directory ("" for PLAIN), and the path to it. */
static skep_status name_directory(skep_delta_writer *w, skep_err *err) {
  skep_dir_name name = {.min_write_id = w->opts.write_id,
                        .max_write_id = w->opts.write_id,
                        .statement = w->opts.statement,
                        .kind = w->opts.kind == SKEP_DELTA_BASE     ? SKEP_DIR_BASE
                                : w->opts.kind == SKEP_DELTA_DELETE ? SKEP_DIR_DELETE_DELTA
                                                                    : SKEP_DIR_DELTA};
  skep_buf text;
  skep_buf_init(&text, w->ctx, 256);
  if (w->opts.kind != SKEP_DELTA_PLAIN) skep_dir_name_print(&name, &text);
  const char *printed = skep_buf_string(&text);
  w->directory = skep_arena_strndup(&w->arena, printed, strlen(printed));
  skep_status status = skep_buf_check(&text, "name of a directory", err);
  skep_buf_fini(&text);
  if (status != SKEP_OK) return status;
  if (w->directory == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "name of a directory");
  skep_dir_join(&w->path, w->root, w->directory);
  (void)skep_buf_string(&w->path);
  return skep_buf_check(&w->path, "path", err);
}

static skep_status build(skep_delta_writer *w, skep_err *err) {
  SKEP_TRY(check_opts(&w->opts, err));
  SKEP_TRY(name_directory(w, err));
  w->type = w->opts.row;
  if (w->opts.events) SKEP_TRY(skep_event_type_make(&w->arena, w->opts.row, &w->type, err));
  bool is_delta = w->opts.kind == SKEP_DELTA_INSERT && w->opts.events;
  w->orc = is_delta ? w->opts.settings->delta : w->opts.settings->plain;
  if (w->opts.events) w->orc.bloom_columns = w->opts.settings->event_blooms;
  w->orc.memory = w->opts.memory;
  w->n_buckets = w->opts.n_buckets == 0 ? 1 : w->opts.n_buckets;
  if (w->opts.kind == SKEP_DELTA_DELETE) {
    w->n_buckets = 1; /* one after the other */
    skep_key_runs_init(&w->keys, w->ctx, w->opts.budget);
  }
  w->buckets = skep_alloc_zero(w->ctx, w->n_buckets, sizeof *w->buckets);
  if (w->buckets == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%u buckets", w->n_buckets);
  for (uint32_t i = 0; i < w->n_buckets; i++) w->buckets[i].number = (int32_t)i;
  w->shared = w->opts.shared;
  if (w->shared == NULL) SKEP_TRY(skep_delta_shared_new(w->ctx, w->opts.settings, &w->own_shared, err));
  if (w->shared == NULL) w->shared = w->own_shared;
  w->orc.compressor = w->shared->compressor;
  return SKEP_OK;
}

skep_status skep_delta_writer_open(const skep_ctx *ctx, skep_fs *fs, const char *root,
                                   const skep_delta_writer_opts *opts, skep_delta_writer **out, skep_err *err) {
  *out = NULL;
  skep_delta_writer *w = skep_alloc_zero(ctx, 1, sizeof *w);
  if (w == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "writer of a directory");
  w->ctx = ctx;
  w->fs = fs;
  w->root = root;
  w->opts = *opts;
  skep_arena_init(&w->arena, ctx, SIZE_MAX);
  skep_buf_init(&w->path, ctx, SIZE_MAX / 4);
  skep_buf_init(&w->file_path, ctx, SIZE_MAX / 4);
  skep_status status = build(w, err);
  if (status != SKEP_OK) {
    skep_delta_writer_free(w);
    return status;
  }
  *out = w;
  return SKEP_OK;
}

/* ---- files ---- */

static skep_status make_directory(skep_delta_writer *w, skep_err *err) {
  if (w->is_made) return SKEP_OK;
  w->is_made = true; /* half-made, it is removed too */
  return skep_dir_make(w->ctx, w->fs, skep_buf_string(&w->path), w->opts.kind != SKEP_DELTA_PLAIN, &w->depth_there,
                       err);
}

/* With the first row, as Hive does. Readers do not need the file, and its content does not outlive a loss of power for
 * sure (its name does): that is not worth a sync in every commit. */
skep_status skep_delta_put_version(skep_delta_writer *w, skep_err *err) {
  if (w->has_version || !w->opts.events) return SKEP_OK;
  w->has_version = true;
  return skep_dir_put_file(w->ctx, w->fs, skep_buf_string(&w->path), "_orc_acid_version", "2", false, err);
}

static void print_file_name(const skep_delta_writer *w, int32_t number, char *out, size_t size) {
  snprintf(out, size, w->opts.events ? "bucket_%05" PRId32 : "%06" PRId32 "_0", number);
}

const char *skep_delta_file_path(skep_delta_writer *w, int32_t number) {
  char name[32];
  print_file_name(w, number, name, sizeof name);
  skep_buf_reset(&w->file_path);
  skep_dir_join(&w->file_path, skep_buf_string(&w->path), name);
  return skep_buf_string(&w->file_path);
}

skep_status skep_delta_open_bucket(skep_delta_writer *w, skep_delta_bucket *bucket, skep_err *err) {
  if (bucket->file != NULL) return SKEP_OK;
  SKEP_TRY(make_directory(w, err));
  skep_bucket_file_opts opts = {.content = !w->opts.events                     ? SKEP_BUCKET_ROWS
                                           : w->opts.kind == SKEP_DELTA_DELETE ? SKEP_BUCKET_DELETES
                                                                               : SKEP_BUCKET_INSERTS,
                                .type = w->type,
                                .orc = &w->orc,
                                .format = w->opts.format,
                                .write_id = w->opts.write_id,
                                .bucket = skep_bucket_encode(bucket->number, w->opts.statement)};
  const char *path = skep_delta_file_path(w, bucket->number);
  SKEP_TRY(skep_buf_check(&w->file_path, "path", err));
  return skep_bucket_file_create(w->ctx, w->fs, path, &opts, &bucket->file, err);
}

/* ---- rows ---- */

/* Room for the ids of a batch; what is the same for all rows is written once. */
skep_status skep_delta_reserve_ids(skep_delta_writer *w, int64_t n, int32_t operation, skep_err *err) {
  skep_delta_ids *ids = &w->shared->ids;
  if ((size_t)n <= ids->capacity) return SKEP_OK;
  size_t size = (size_t)n + (size_t)n / 2;
  free_ids(w->ctx, ids);
  ids->operations = skep_alloc(w->ctx, size * sizeof *ids->operations);
  ids->currents = skep_alloc(w->ctx, size * sizeof *ids->currents);
  ids->write_ids = skep_alloc(w->ctx, size * sizeof *ids->write_ids);
  ids->buckets = skep_alloc(w->ctx, size * sizeof *ids->buckets);
  ids->row_ids = skep_alloc(w->ctx, size * sizeof *ids->row_ids);
  if (ids->operations == NULL || ids->currents == NULL || ids->write_ids == NULL || ids->buckets == NULL ||
      ids->row_ids == NULL)
    return skep_fail(err, SKEP_ERR_NOMEM, "ids of %zu rows", size);
  for (size_t i = 0; i < size; i++) {
    ids->operations[i] = operation;
    ids->currents[i] = ids->write_ids[i] = w->opts.write_id;
    ids->buckets[i] = 0; /* rows that are not selected stay so: no byte is read before it is written */
    ids->row_ids[i] = 0;
  }
  ids->capacity = size;
  return SKEP_OK;
}

static skep_vec flat(const skep_type *type, skep_form form, int64_t length, void *values) {
  return (skep_vec){.type = type, .form = form, .length = length, .values = {.data = values, .lent = true}};
}

skep_vec skep_delta_event_vec(const skep_delta_writer *w, skep_vec children[SKEP_EVENT_COLUMNS], const skep_vec *row) {
  const skep_type *const *types = w->type->children;
  int64_t n = row->length;
  children[SKEP_EVENT_OPERATION] = flat(types[SKEP_EVENT_OPERATION], SKEP_FORM_I32, n, w->shared->ids.operations);
  children[SKEP_EVENT_WRITE_ID] = flat(types[SKEP_EVENT_WRITE_ID], SKEP_FORM_I64, n, w->shared->ids.write_ids);
  children[SKEP_EVENT_BUCKET] = flat(types[SKEP_EVENT_BUCKET], SKEP_FORM_I32, n, w->shared->ids.buckets);
  children[SKEP_EVENT_ROW_ID] = flat(types[SKEP_EVENT_ROW_ID], SKEP_FORM_I64, n, w->shared->ids.row_ids);
  children[SKEP_EVENT_CURRENT] = flat(types[SKEP_EVENT_CURRENT], SKEP_FORM_I64, n, w->shared->ids.currents);
  children[SKEP_EVENT_ROW] = *row;
  return (skep_vec){
      .type = w->type, .form = SKEP_FORM_STRUCT, .length = n, .n_children = SKEP_EVENT_COLUMNS, .children = children};
}

static void number_rows(skep_delta_ids *ids, int32_t property, uint64_t first, const int32_t *rows, int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    int64_t at = rows != NULL ? rows[i] : i;
    ids->buckets[at] = property;
    ids->row_ids[at] = (int64_t)(first + (uint64_t)i);
  }
}

static skep_status add_to_bucket(skep_delta_writer *w, skep_delta_bucket *bucket, const skep_vec *row,
                                 const int32_t *rows, int64_t n, skep_err *err) {
  SKEP_TRY(skep_delta_open_bucket(w, bucket, err));
  SKEP_TRY(skep_delta_put_version(w, err));
  skep_vec children[SKEP_EVENT_COLUMNS], event = *row;
  if (w->opts.events) {
    int32_t property = skep_bucket_encode(bucket->number, w->opts.statement);
    number_rows(&w->shared->ids, property, skep_bucket_file_rows(bucket->file), rows, n);
    event = skep_delta_event_vec(w, children, row);
  }
  skep_status status = skep_bucket_file_add(bucket->file, &event, rows, n, NULL, err);
  return status == SKEP_OK ? status : skep_wrap(err, status, "%s", skep_delta_file_path(w, bucket->number));
}

/* ---- bucketed ---- */

static skep_status reserve_order(skep_delta_writer *w, int64_t n, skep_err *err) {
  skep_delta_shared *s = w->shared;
  if ((size_t)n > s->order_capacity) {
    skep_release(w->ctx, s->order);
    skep_release(w->ctx, s->hashes);
    s->order_capacity = 0;
    s->order = skep_alloc(w->ctx, (size_t)n * sizeof *s->order);
    s->hashes = skep_alloc(w->ctx, (size_t)n * sizeof *s->hashes);
    if (s->order == NULL || s->hashes == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "buckets of %" PRId64 " rows", n);
    s->order_capacity = (size_t)n;
  }
  return skep_grow(w->ctx, (void **)&s->ends, &s->ends_capacity, (size_t)w->n_buckets + 1, sizeof *s->ends, err);
}

static skep_status hash_rows(skep_delta_writer *w, const skep_vec *row, const int32_t *rows, int64_t n, skep_err *err) {
  const skep_delta_writer_opts *o = &w->opts;
  const skep_vec **columns = w->bucket_vecs;
  if (columns == NULL)
    columns = w->bucket_vecs = skep_arena_alloc(&w->arena, o->n_bucket_columns * sizeof(const skep_vec *));
  if (columns == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%u bucket columns", o->n_bucket_columns);
  for (uint32_t i = 0; i < o->n_bucket_columns; i++) columns[i] = &row->children[o->bucket_columns[i]];
  SKEP_TRY(skep_bucket_hash(columns, o->n_bucket_columns, o->bucketing_version, rows, 0, n, w->shared->hashes, err));
  for (int64_t i = 0; i < n; i++) w->shared->hashes[i] = skep_bucket_of_hash(w->shared->hashes[i], w->n_buckets);
  return SKEP_OK;
}

/* Positions of the rows, bucket by bucket, each ascending: counting sort. Bucket b ends at ends[b]. */
static void group_rows(const skep_delta_writer *w, const int32_t *rows, int64_t n) {
  const uint32_t *bucket = w->shared->hashes;
  int64_t *ends = w->shared->ends;
  memset(ends, 0, (w->n_buckets + 1) * sizeof *ends);
  for (int64_t i = 0; i < n; i++) ends[bucket[i] + 1]++;
  for (uint32_t b = 0; b < w->n_buckets; b++) ends[b + 1] += ends[b];
  for (int64_t i = 0; i < n; i++) w->shared->order[ends[bucket[i]]++] = rows != NULL ? rows[i] : (int32_t)i;
}

static skep_status add_bucketed(skep_delta_writer *w, const skep_vec *row, const int32_t *rows, int64_t n,
                                skep_err *err) {
  SKEP_TRY(reserve_order(w, n, err));
  SKEP_TRY(hash_rows(w, row, rows, n, err));
  group_rows(w, rows, n);
  for (uint32_t b = 0; b < w->n_buckets; b++) {
    int64_t start = b == 0 ? 0 : w->shared->ends[b - 1];
    if (w->shared->ends[b] > start)
      SKEP_TRY(add_to_bucket(w, &w->buckets[b], row, w->shared->order + start, w->shared->ends[b] - start, err));
  }
  return SKEP_OK;
}

static skep_status check_rows(const skep_delta_writer *w, const skep_batch *batch, const int32_t *rows, int64_t n,
                              skep_err *err) {
  if (w->opts.kind == SKEP_DELTA_DELETE || w->is_done)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: takes no rows", skep_buf_string((skep_buf *)&w->path));
  if (batch->root.n_children < w->opts.row->n_children)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "rows of %u columns for a table of %u", batch->root.n_children,
                     w->opts.row->n_children);
  if (n < 0 || n > batch->root.length || (n > 0 && rows != NULL && (rows[0] < 0 || rows[n - 1] >= batch->root.length)))
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%" PRId64 " rows of a batch of %" PRId64, n, batch->root.length);
  return SKEP_OK;
}

skep_status skep_delta_writer_rows(skep_delta_writer *w, const skep_batch *batch, const int32_t *rows, int64_t n_rows,
                                   skep_err *err) {
  SKEP_TRY(check_rows(w, batch, rows, n_rows, err));
  if (n_rows == 0) return SKEP_OK;
  skep_vec row = batch->root; /* the batch's buffers under the table's type */
  row.type = w->opts.row;
  row.n_children = w->opts.row->n_children;
  row.has_nulls = false;
  if (w->opts.events) SKEP_TRY(skep_delta_reserve_ids(w, row.length, 0, err));
  if (w->opts.n_buckets > 0) return add_bucketed(w, &row, rows, n_rows, err);
  return add_to_bucket(w, &w->buckets[w->current], &row, rows, n_rows, err);
}

skep_status skep_delta_writer_use(skep_delta_writer *w, uint32_t writer, skep_err *err) {
  if (w->opts.n_buckets != 0 || w->opts.kind == SKEP_DELTA_DELETE || writer >= MAX_WRITERS)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: writer %u", skep_buf_string(&w->path), writer);
  if (writer >= w->n_buckets) {
    skep_delta_bucket *grown = skep_resize(w->ctx, w->buckets, (writer + 1) * sizeof *grown);
    if (grown == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%u writers", writer + 1);
    w->buckets = grown;
    for (; w->n_buckets <= writer; w->n_buckets++)
      w->buckets[w->n_buckets] = (skep_delta_bucket){.number = (int32_t)w->n_buckets};
  }
  w->current = writer;
  return SKEP_OK;
}

skep_status skep_delta_writer_file(skep_delta_writer *w, const char *path, const char *name, skep_err *err) {
  if (w->opts.kind == SKEP_DELTA_DELETE || w->is_done)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: takes no files", skep_buf_string(&w->path));
  SKEP_TRY(make_directory(w, err));
  SKEP_TRY(skep_grow(w->ctx, (void **)&w->copied, &w->copied_capacity, w->n_copied + 1, sizeof *w->copied, err));
  skep_commit_file file = {.name = skep_arena_strndup(&w->arena, name, strlen(name)), .bucket = -1};
  if (file.name == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "name of a file");
  SKEP_TRY(skep_dir_copy_file(w->ctx, w->fs, path, skep_buf_string(&w->path), name, &file.size_bytes, err));
  w->copied[w->n_copied++] = file;
  return SKEP_OK;
}

/* ---- the end ---- */

skep_status skep_delta_finish_bucket(skep_delta_writer *w, skep_delta_bucket *bucket, skep_err *err) {
  char name[32];
  skep_commit_file *out = &w->files[w->message.n_files];
  print_file_name(w, bucket->number, name, sizeof name);
  *out = (skep_commit_file){.bucket = bucket->number, .n_rows = skep_bucket_file_rows(bucket->file)};
  out->name = skep_arena_strndup(&w->arena, name, strlen(name));
  if (out->name == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "name of a file");
  skep_status status = skep_bucket_file_finish(bucket->file, &out->size_bytes, err);
  if (status != SKEP_OK) return skep_wrap(err, status, "%s", skep_delta_file_path(w, bucket->number));
  skep_bucket_file_free(bucket->file);
  bucket->file = NULL;
  w->message.n_files++;
  w->message.n_rows += out->n_rows;
  w->message.n_bytes += out->size_bytes;
  return SKEP_OK;
}

skep_status skep_delta_reserve_files(skep_delta_writer *w, uint32_t n, skep_err *err) {
  skep_commit_file *files = skep_arena_zero(&w->arena, n, sizeof *files);
  if (files == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%u files", n);
  if (w->message.n_files != 0) memcpy(files, w->files, w->message.n_files * sizeof *files);
  w->message.files = w->files = files;
  w->n_files_room = n;
  return SKEP_OK;
}

skep_status skep_delta_more_files(skep_delta_writer *w, skep_err *err) {
  if (w->message.n_files < w->n_files_room) return SKEP_OK;
  return skep_delta_reserve_files(w, w->n_files_room == 0 ? 4 : w->n_files_room * 2, err);
}

static skep_status finish_files(skep_delta_writer *w, skep_err *err) {
  if (w->opts.kind == SKEP_DELTA_DELETE) {
    SKEP_TRY(skep_delta_write_deletes(w, err));
  } else {
    if (w->n_copied > UINT32_MAX - w->n_buckets) return skep_fail(err, SKEP_ERR_LIMIT, "%zu files", w->n_copied);
    SKEP_TRY(skep_delta_reserve_files(w, w->n_buckets + (uint32_t)w->n_copied, err));
    for (uint32_t i = 0; w->opts.empty_files && i < w->n_buckets; i++)
      SKEP_TRY(skep_delta_open_bucket(w, &w->buckets[i], err));
    for (uint32_t i = 0; i < w->n_buckets; i++)
      if (w->buckets[i].file != NULL) SKEP_TRY(skep_delta_finish_bucket(w, &w->buckets[i], err));
    for (size_t i = 0; i < w->n_copied; i++) {
      w->files[w->message.n_files++] = w->copied[i];
      w->message.n_bytes += w->copied[i].size_bytes;
    }
  }
  if (!w->is_made) return SKEP_OK;
  return skep_dir_sync_up(w->ctx, w->fs, skep_buf_string(&w->path), w->depth_there, err);
}

skep_status skep_delta_writer_finish(skep_delta_writer *w, const skep_commit_message **out, skep_err *err) {
  *out = NULL;
  if (w->is_done) return skep_fail(err, SKEP_ERR_ARGUMENT, "%s: is finished", skep_buf_string(&w->path));
  w->is_done = true;
  w->message = (skep_commit_message){.kind = w->opts.kind,
                                     .write_id = w->opts.write_id,
                                     .statement = w->opts.statement,
                                     .root = w->root,
                                     .directory = ""};
  SKEP_TRY(finish_files(w, err));
  if (w->is_made) w->message.directory = w->directory;
  *out = &w->message;
  return SKEP_OK;
}

static void close_files(skep_delta_writer *w) {
  for (uint32_t i = 0; w->buckets != NULL && i < w->n_buckets; i++) {
    skep_bucket_file_free(w->buckets[i].file);
    w->buckets[i].file = NULL;
  }
}

/* Of a directory that is not ours alone only our files go. */
static void remove_plain_files(skep_delta_writer *w) {
  for (size_t i = 0; i < w->n_copied; i++) {
    skep_buf_reset(&w->file_path);
    skep_dir_join(&w->file_path, skep_buf_string(&w->path), w->copied[i].name);
    (void)!skep_fs_remove_file(w->fs, skep_buf_string(&w->file_path), NULL);
  }
  for (uint32_t i = 0; i < w->n_buckets; i++) {
    if (w->buckets[i].file == NULL && !w->is_done) continue;
    skep_status status = skep_fs_remove_file(w->fs, skep_delta_file_path(w, w->buckets[i].number), NULL);
    if (status != SKEP_OK && status != SKEP_ERR_NOT_FOUND)
      skep_log(w->ctx, SKEP_LOG_WARN, "%s: an aborted write stays behind", skep_buf_string(&w->file_path));
  }
}

bool skep_delta_writer_abort(skep_delta_writer *w) {
  const char *path = skep_buf_string(&w->path);
  bool made = w->is_made;
  if (made && w->opts.kind == SKEP_DELTA_PLAIN) remove_plain_files(w);
  close_files(w);
  w->is_done = true;
  w->is_made = false;
  bool plain = w->opts.kind == SKEP_DELTA_PLAIN;
  if (!made) return !plain;
  skep_status status = plain ? SKEP_OK : skep_dir_remove(w->ctx, w->fs, path, NULL);
  if (status != SKEP_OK) skep_log(w->ctx, SKEP_LOG_WARN, "%s: an aborted write stays behind", path);
  skep_dir_unmake(w->ctx, w->fs, w->root, w->depth_there);
  return !plain && status == SKEP_OK && skep_dir_sync_above(w->ctx, w->fs, path, NULL) == SKEP_OK;
}

void skep_delta_writer_free(skep_delta_writer *w) {
  if (w == NULL) return;
  close_files(w);
  skep_release(w->ctx, w->buckets);
  skep_release(w->ctx, w->copied);
  skep_delta_shared_free(w->own_shared);
  skep_key_runs_fini(&w->keys);
  skep_buf_fini(&w->path);
  skep_buf_fini(&w->file_path);
  skep_arena_fini(&w->arena);
  skep_release(w->ctx, w);
}

/* ---- truncation ---- */

skep_status skep_truncated_base_write(const skep_ctx *ctx, skep_fs *fs, const char *root, int64_t write_id,
                                      skep_err *err) {
  static const char content[] = "{\"thisFileVersion\":\"0\",\"dataFormat\":\"truncated\"}";
  skep_buf path;
  size_t depth_there = 0;
  skep_buf_init(&path, ctx, SIZE_MAX / 4);
  skep_dir_join(&path, root, "");
  if (path.size == 0 || path.data[path.size - 1] != '/') skep_buf_byte(&path, '/');
  skep_dir_name_print(&(skep_dir_name){.kind = SKEP_DIR_BASE, .max_write_id = write_id}, &path);
  const char *dir = skep_buf_string(&path);
  skep_status status = skep_buf_check(&path, "path", err);
  if (status == SKEP_OK) status = skep_dir_make(ctx, fs, dir, true, &depth_there, err);
  if (status == SKEP_OK) status = skep_dir_put_file(ctx, fs, dir, "_metadata_acid", content, true, err);
  if (status == SKEP_OK) status = skep_dir_sync_up(ctx, fs, dir, depth_there, err);
  skep_buf_fini(&path);
  return status;
}
