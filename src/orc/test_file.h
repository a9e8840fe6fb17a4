/* For tests of this layer: a file of tests/data/orc in memory, opened, read, its rows as text. */
#ifndef ORC_TEST_FILE_H
#define ORC_TEST_FILE_H

#include "support/test.h"

#include <stdlib.h>

#include "column/text.h"
#include "io/memory.h"
#include "orc/reader.h"

typedef struct test_bytes {
  uint8_t *data;
  size_t size;
} test_bytes;

/* The content of a file of the source tree, NUL-terminated; size 0 and data NULL when it is not there. */
static inline test_bytes test_load(const char *folder, const char *name, const char *suffix) {
  char path[512];
  test_bytes b = {0};
  assert_true(snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix) < (int)sizeof path);
  FILE *f = fopen(path, "rb");
  if (f == NULL) return b;
  assert_int_equal(fseek(f, 0, SEEK_END), 0);
  long size = ftell(f);
  assert_true(size >= 0);
  rewind(f);
  b.data = malloc((size_t)size + 1);
  assert_non_null(b.data);
  b.size = fread(b.data, 1, (size_t)size, f);
  assert_int_equal(b.size, (size_t)size);
  b.data[b.size] = 0;
  fclose(f);
  return b;
}

typedef struct test_file {
  const skep_ctx *ctx;
  skep_fs *fs;
  skep_file *file;
  skep_orc_tail *tail;
  skep_arena arena;
  const skep_orc_mapping *mapping;
  skep_orc_reader_opts opts;
  skep_orc_reader *reader;
  skep_batch batch;
  skep_status status; /* of the first step that failed */
  skep_err err;
} test_file;

/* Opens bytes as a file up to its tail. */
static inline void test_file_open(test_file *t, const skep_ctx *ctx, test_bytes bytes) {
  *t = (test_file){.ctx = ctx, .opts = SKEP_ORC_READER_OPTS_INIT};
  skep_arena_init(&t->arena, ctx, SIZE_MAX);
  t->status = skep_fs_memory_new(ctx, &t->fs, &t->err);
  if (t->status == SKEP_OK) t->status = skep_fs_memory_put(t->fs, "f", bytes.data, bytes.size, &t->err);
  if (t->status == SKEP_OK) t->status = skep_fs_open_read(t->fs, "f", &t->file, &t->err);
  if (t->status == SKEP_OK) t->status = skep_orc_tail_read(ctx, t->file, bytes.size, &t->tail, &t->err);
}

/* Opens a reader for a type string (NULL: the file's own type) with t->opts. */
static inline void test_file_read(test_file *t, const char *type, const skep_orc_evolution *how) {
  const skep_type *target = NULL;
  if (t->status == SKEP_OK && type != NULL)
    t->status = skep_type_parse(&t->arena, type, strlen(type), &target, &t->err);
  if (t->status == SKEP_OK) t->status = skep_orc_mapping_make(&t->arena, t->tail, target, how, &t->mapping, &t->err);
  if (t->status != SKEP_OK) return;
  t->opts.mapping = t->mapping;
  t->status = skep_orc_reader_open(t->ctx, t->file, t->tail, &t->opts, &t->reader, &t->err);
  if (t->status == SKEP_OK)
    t->status = skep_vec_init(&t->batch.root, t->ctx, t->mapping->target, &t->opts.forms, &t->err);
}

static inline void test_file_close(test_file *t) {
  skep_orc_reader_close(t->reader);
  skep_vec_fini(&t->batch.root);
  skep_arena_fini(&t->arena);
  skep_orc_tail_unref(t->tail);
  (void)skep_file_close(t->file, NULL);
  skep_fs_free(t->fs);
}

/* Entries below NULLs are 0 unless they were converted, and never left over memory. */
static inline void test_nulls_are_zero(const test_file *t, const skep_vec *vec) {
  static const uint8_t zero[16];
  size_t width = t->mapping->converts[vec->type->id] ? 0 : skep_form_width(vec->form);
  for (int64_t i = 0; i < vec->length && vec->has_nulls && width != 0; i++) {
    if (skep_vec_is_valid(vec, i)) continue;
    if (memcmp((const uint8_t *)vec->values.data + (size_t)i * width, zero, width) != 0)
      fail_msg("%s: entry %lld is NULL and not 0", skep_kind_name(vec->type->kind), (long long)i);
  }
  for (uint32_t i = 0; i < vec->n_children; i++) test_nulls_are_zero(t, &vec->children[i]);
}

/* Appends the rows of all batches from here on as JSON lines; ends with SKEP_END or the failure in t->status. */
static inline void test_file_rows(test_file *t, int64_t batch_rows, skep_buf *out) {
  skep_text text = {.style = SKEP_TEXT_JSON};
  while (t->status == SKEP_OK) {
    t->status = skep_orc_reader_next(t->reader, batch_rows, &t->batch, &t->err);
    if (t->status == SKEP_OK) test_nulls_are_zero(t, &t->batch.root);
    for (int64_t i = 0; t->status == SKEP_OK && i < t->batch.root.length; i++) {
      t->status = skep_text_value(&text, &t->batch.root, i, out, &t->err);
      skep_buf_byte(out, '\n');
    }
  }
}

#endif
