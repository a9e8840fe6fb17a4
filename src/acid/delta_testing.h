/* Helpers of tests that write directories and look at what came of it: batches from texts, trees as text, events as
 * text. Used by acid/delta_writer_test.c and table/write_test.c. */
#ifndef ACID_DELTA_TESTING_H
#define ACID_DELTA_TESTING_H

#include <inttypes.h>
#include <stdlib.h>

#include "acid/delta_writer.h"
#include "acid/events.h"
#include "acid/plan.h"
#include "acid/scan.h"
#include "column/text.h"
#include "io/faulty.h"
#include "io/memory.h"
#include "io/posix.h"
#include "support/failing_alloc.h"
#include "support/test.h"

typedef struct writing {
  failing_alloc memory;
  skep_ctx ctx;
  skep_fs *below, *fs; /* fs fails on request over a file system in memory */
  skep_arena arena;
  skep_writer_settings settings;
  skep_buf text; /* what the helpers below print */
  skep_err err;
} writing;

static inline int writing_setup(void **state) {
  writing *t = calloc(1, sizeof *t);
  failing_alloc_ctx(&t->memory, &t->ctx);
  skep_arena_init(&t->arena, &t->ctx, SIZE_MAX);
  skep_buf_init(&t->text, &t->ctx, 1 << 26);
  assert_ok(skep_fs_memory_new(&t->ctx, &t->below, &t->err), t->err);
  assert_ok(skep_fs_faulty_new(&t->ctx, t->below, &t->fs, &t->err), t->err);
  *state = t;
  return 0;
}

static inline int writing_teardown(void **state) {
  writing *t = *state;
  skep_fs_free(t->fs);
  skep_fs_free(t->below);
  skep_buf_fini(&t->text);
  skep_arena_fini(&t->arena);
  assert_int_equal(failing_alloc_live(&t->memory), 0);
  free(t);
  return 0;
}

/* An empty file system. */
static inline void writing_again(writing *t) {
  skep_fs_free(t->fs);
  skep_fs_free(t->below);
  assert_ok(skep_fs_memory_new(&t->ctx, &t->below, &t->err), t->err);
  assert_ok(skep_fs_faulty_new(&t->ctx, t->below, &t->fs, &t->err), t->err);
}

static inline const skep_type *writing_type(writing *t, const char *text) {
  const skep_type *type = NULL;
  assert_ok(skep_type_parse(&t->arena, text, strlen(text), &type, &t->err), t->err);
  return type;
}

static inline const skep_writer_settings *writing_settings(writing *t, const skep_type *row,
                                                           const skep_property *properties, uint32_t n) {
  assert_ok(skep_writer_settings_make(&t->arena, row, properties, n, &t->settings, &t->err), t->err);
  return &t->settings;
}

/* Cells row by row, NULL for NULL; of primitive types. */
static inline void writing_batch(writing *t, skep_batch *batch, const skep_type *type, const char *const *cells,
                                 size_t n_rows) {
  static const skep_forms forms = {SKEP_FORM_BOOL_BYTES, SKEP_FORM_TS, SKEP_FORM_VIEW, true, true};
  *batch = (skep_batch){.first_row = 0};
  assert_ok(skep_vec_init(&batch->root, &t->ctx, type, &forms, &t->err), t->err);
  for (size_t i = 0; i < n_rows * type->n_children; i++) {
    skep_vec *column = &batch->root.children[i % type->n_children], one = {0};
    assert_ok(skep_vec_init(&one, &t->ctx, column->type, &forms, &t->err), t->err);
    if (cells[i] == NULL) {
      assert_ok(skep_vec_set_null(&one, 1, &t->err), t->err);
    } else {
      assert_ok(skep_vec_append_text(&one, skep_bytes_of(cells[i], strlen(cells[i])), &t->err), t->err);
    }
    assert_ok(skep_vec_append(column, &one, 0, 1, &t->err), t->err);
    skep_vec_fini(&one);
  }
  batch->root.length = (int64_t)n_rows;
}

/* ---- trees ---- */

typedef struct writing_names {
  char names[4096][64];
  skep_entry_kind kinds[4096];
  size_t n;
} writing_names;

static inline skep_status writing_collect(void *self, const skep_entry *entry, skep_err *err) {
  writing_names *names = self;
  (void)err;
  assert_true(names->n < 4096 && strlen(entry->name) < 64);
  snprintf(names->names[names->n], sizeof names->names[0], "%s", entry->name);
  names->kinds[names->n++] = entry->kind;
  return SKEP_OK;
}

static inline void writing_list(writing *t, const char *root, const char *below) {
  writing_names *names = calloc(1, sizeof *names);
  char path[1024];
  snprintf(path, sizeof path, "%s%s%s", root, below[0] == '\0' ? "" : "/", below);
  assert_ok(skep_fs_list(t->below, path, false, writing_collect, names, &t->err), t->err);
  bool done[4096] = {false};
  if (names->n == 0) skep_buf_printf(&t->text, "%s/\n", below);
  for (size_t k = 0; k < names->n; k++) {
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < names->n; i++)
      if (!done[i] && (least == SIZE_MAX || strcmp(names->names[i], names->names[least]) < 0)) least = i;
    done[least] = true;
    char child[1024];
    snprintf(child, sizeof child, "%s%s%s", below, below[0] == '\0' ? "" : "/", names->names[least]);
    if (names->kinds[least] == SKEP_ENTRY_DIR) {
      writing_list(t, root, child);
    } else {
      skep_buf_printf(&t->text, "%s\n", child);
    }
  }
  free(names);
}

/* Files below `root`, a line each, bytewise a directory; an empty directory as "name/". "" when there is no root. */
static inline const char *writing_tree(writing *t, const char *root) {
  skep_stat st;
  skep_buf_reset(&t->text);
  if (skep_fs_stat(t->below, root, &st, NULL) == SKEP_OK) writing_list(t, root, "");
  return skep_buf_string(&t->text);
}

/* ---- events ---- */

static inline void writing_print_rows(writing *t, const skep_vec *root) {
  skep_text style = {.style = SKEP_TEXT_HIVE, .null_text = "NULL"};
  for (int64_t i = 0; i < root->length; i++) {
    for (uint32_t c = 0; c < root->n_children; c++) {
      if (c != 0) skep_buf_byte(&t->text, ' ');
      assert_ok(skep_text_value(&style, &root->children[c], i, &t->text, &t->err), t->err);
    }
    skep_buf_byte(&t->text, '\n');
  }
}

/* The events of a file, a line each: operation, originalTransaction, bucket, rowId, currentTransaction, row. */
static inline const char *writing_events(writing *t, skep_fs *fs, const char *path) {
  skep_stat st;
  skep_events *events;
  skep_batch batch = {.first_row = 0};
  static const skep_forms forms = {0};
  skep_buf_reset(&t->text);
  assert_ok(skep_fs_stat(fs, path, &st, &t->err), t->err);
  assert_ok(skep_events_open(&t->ctx, fs, path, st.size_bytes, &events, &t->err), t->err);
  assert_ok(skep_vec_init(&batch.root, &t->ctx, skep_events_type(events), &forms, &t->err), t->err);
  skep_status status;
  while ((status = skep_events_next(events, 1000, &batch, &t->err)) == SKEP_OK) writing_print_rows(t, &batch.root);
  assert_int_equal(status, SKEP_END);
  skep_vec_fini(&batch.root);
  skep_events_close(events);
  return skep_buf_string(&t->text);
}

/* Rows, stripes, codec, block size, stride, schema, user metadata: what Hive's files can be compared by. */
static inline const char *writing_footer(writing *t, skep_fs *fs, const char *path) {
  skep_file *file;
  skep_orc_tail *tail;
  skep_buf_reset(&t->text);
  assert_ok(skep_fs_open_read(fs, path, &file, &t->err), t->err);
  assert_ok(skep_orc_tail_read(&t->ctx, file, file->size_bytes, &tail, &t->err), t->err);
  skep_buf_printf(&t->text, "rows=%" PRIu64 " stripes=%u codec=%u block=%" PRIu64 " stride=%u\n", tail->n_rows,
                  (unsigned)tail->n_stripes, (unsigned)tail->codec, (uint64_t)tail->block_size,
                  (unsigned)tail->row_index_stride);
  skep_type_print(tail->type, &t->text);
  for (uint32_t i = 0; i < tail->n_metadata; i++) {
    skep_buf_printf(&t->text, "\n%s=", tail->metadata[i].name);
    skep_buf_add(&t->text, tail->metadata[i].value.at, tail->metadata[i].value.left);
  }
  skep_orc_tail_unref(tail);
  skep_file_close(file, NULL);
  return skep_buf_string(&t->text);
}

/* ---- what is written and synced, in order ---- */

/* Passes all calls on and writes those that change something into a log, a line each; appends to one file that follow
 * each other are one line. */
typedef struct writing_log_fs {
  skep_fs fs;
  skep_fs *below;
  skep_buf *log;
} writing_log_fs;

typedef struct writing_log_file {
  skep_file file;
  writing_log_fs *fs;
  skep_file *below;
  char name[64];
  bool appended;
} writing_log_file;

static inline void writing_log(writing_log_fs *f, const char *what, const char *path) {
  skep_buf_printf(f->log, "%s %s\n", what, path);
}

static inline skep_status writing_log_append(skep_file *base, const void *bytes, size_t length, skep_err *err) {
  writing_log_file *file = (writing_log_file *)base;
  if (!file->appended) writing_log(file->fs, "append", file->name);
  file->appended = true;
  skep_status status = skep_file_append(file->below, bytes, length, err);
  base->size_bytes = file->below->size_bytes;
  return status;
}

static inline skep_status writing_log_sync(skep_file *base, skep_err *err) {
  writing_log_file *file = (writing_log_file *)base;
  writing_log(file->fs, "sync", file->name);
  file->appended = false;
  return skep_file_sync(file->below, err);
}

static inline skep_status writing_log_close(skep_file *base, skep_err *err) {
  writing_log_file *file = (writing_log_file *)base;
  skep_status status = skep_file_close(file->below, err);
  free(file);
  return status;
}

static inline skep_status writing_log_create(skep_fs *fs, const char *path, skep_file **out, skep_err *err) {
  static const skep_file_vtab vtab = {
      .append = writing_log_append, .sync = writing_log_sync, .close = writing_log_close};
  writing_log_fs *f = (writing_log_fs *)fs;
  writing_log_file *file = calloc(1, sizeof *file);
  const char *slash = strrchr(path, '/');
  *file = (writing_log_file){.file = {.vt = &vtab}, .fs = f};
  snprintf(file->name, sizeof file->name, "%s", slash == NULL ? path : slash + 1);
  writing_log(f, "create", path);
  assert_ok(skep_fs_create(f->below, path, &file->below, err), *err);
  *out = &file->file;
  return SKEP_OK;
}

static inline unsigned writing_log_promises(skep_fs *fs, const char *path) {
  return skep_fs_promises(((writing_log_fs *)fs)->below, path) | SKEP_FS_DURABLE_DIRS;
}
static inline skep_status writing_log_open(skep_fs *fs, const char *path, skep_file **out, skep_err *err) {
  return skep_fs_open_read(((writing_log_fs *)fs)->below, path, out, err);
}
static inline skep_status writing_log_stat(skep_fs *fs, const char *path, skep_stat *out, skep_err *err) {
  return skep_fs_stat(((writing_log_fs *)fs)->below, path, out, err);
}
static inline skep_status writing_log_list(skep_fs *fs, const char *path, bool sizes, skep_entry_visitor *visit,
                                           void *self, skep_err *err) {
  return skep_fs_list(((writing_log_fs *)fs)->below, path, sizes, visit, self, err);
}
static inline skep_status writing_log_mkdirs(skep_fs *fs, const char *path, skep_err *err) {
  writing_log((writing_log_fs *)fs, "mkdirs", path);
  return skep_fs_mkdirs(((writing_log_fs *)fs)->below, path, err);
}
static inline skep_status writing_log_rename(skep_fs *fs, const char *from, const char *to, skep_err *err) {
  writing_log((writing_log_fs *)fs, "rename to", to);
  return skep_fs_rename_new(((writing_log_fs *)fs)->below, from, to, err);
}
static inline skep_status writing_log_remove_file(skep_fs *fs, const char *path, skep_err *err) {
  writing_log((writing_log_fs *)fs, "remove", path);
  return skep_fs_remove_file(((writing_log_fs *)fs)->below, path, err);
}
static inline skep_status writing_log_remove_dir(skep_fs *fs, const char *path, skep_err *err) {
  return skep_fs_remove_dir(((writing_log_fs *)fs)->below, path, err);
}
static inline skep_status writing_log_sync_dir(skep_fs *fs, const char *path, skep_err *err) {
  writing_log((writing_log_fs *)fs, "sync_dir", path);
  (void)err;
  return SKEP_OK;
}
static inline void writing_log_destroy(skep_fs *fs) { (void)fs; }

static inline void writing_log_init(writing_log_fs *f, writing *t, skep_buf *log) {
  static const skep_fs_vtab vtab = {.name = "log",
                                    .promises = writing_log_promises,
                                    .open_read = writing_log_open,
                                    .create = writing_log_create,
                                    .stat = writing_log_stat,
                                    .list = writing_log_list,
                                    .mkdirs = writing_log_mkdirs,
                                    .rename_new = writing_log_rename,
                                    .remove_file = writing_log_remove_file,
                                    .remove_dir = writing_log_remove_dir,
                                    .sync_dir = writing_log_sync_dir,
                                    .destroy = writing_log_destroy};
  *f = (writing_log_fs){.fs = {.vt = &vtab, .ctx = &t->ctx}, .below = t->below, .log = log};
}

/* ---- tables ---- */

static inline int writing_compare_lines(const void *a, const void *b) {
  const char *x, *y;
  memcpy(&x, a, sizeof x);
  memcpy(&y, b, sizeof y);
  return strcmp(x, y);
}

static inline void writing_sort_lines(writing *t) {
  size_t n = 0, room = 0;
  const char *printed = skep_buf_string(&t->text);
  char *text = calloc(t->text.size + 1, 1);
  memcpy(text, printed, t->text.size);
  for (char *at = text; *at != '\0'; at++) room += *at == '\n';
  char **lines = calloc(room + 1, sizeof *lines);
  for (char *at = text; *at != '\0'; at += strlen(at) + 1) {
    lines[n++] = at;
    at[strcspn(at, "\n")] = '\0';
  }
  qsort(lines, n, sizeof *lines, writing_compare_lines);
  skep_buf_reset(&t->text);
  for (size_t i = 0; i < n; i++) skep_buf_printf(&t->text, "%s\n", lines[i]);
  free(lines);
  free(text);
}

/* The visible rows of the table at `root`: row id (for row_ids) and columns, sorted lines. */
static inline const char *writing_table(writing *t, const char *root, const char *snapshot, const skep_plan_opts *like,
                                        bool row_ids) {
  static const skep_forms forms = {0};
  skep_plan_opts opts = *like;
  skep_plan *plan;
  skep_scan_cache *cache;
  opts.evolution_by_name = opts.calendar = -1;
  opts.row_ids = row_ids;
  skep_buf_reset(&t->text);
  assert_ok(skep_snapshot_parse(&t->arena, snapshot, NULL, SKEP_HIVE_4, &opts.snapshot, &t->err), t->err);
  assert_ok(skep_plan_make(&t->ctx, t->below, &root, 1, &opts, &plan, &t->err), t->err);
  assert_ok(skep_scan_cache_new(&t->ctx, t->below, &cache, &t->err), t->err);
  for (uint32_t i = 0; i < plan->n_splits; i++) {
    skep_scan *scan;
    skep_batch batch = {.first_row = 0};
    assert_ok(skep_scan_open(cache, &plan->splits[i], &forms, &scan, &t->err), t->err);
    assert_ok(skep_vec_init(&batch.root, &t->ctx, skep_scan_type(scan), &forms, &t->err), t->err);
    while (skep_scan_next(scan, 1000, &batch, &t->err) == SKEP_OK) writing_print_rows(t, &batch.root);
    skep_vec_fini(&batch.root);
    skep_scan_close(scan);
  }
  skep_scan_cache_free(cache);
  skep_plan_free(plan);
  writing_sort_lines(t);
  return skep_buf_string(&t->text);
}

#endif
