/* Rows made of the input's bytes are written with the options that they choose, and read back: equal, or refused where
 * a value cannot be stored. */
#include <string.h>

#include "column/text.h"
#include "io/memory.h"
#include "orc/reader.h"
#include "orc/writer.h"

#include "fuzz/fuzz.h"

enum { MAX_ROWS = 600 };

/* Hands out the input, then zeros. */
typedef struct source {
  const uint8_t *at;
  size_t left;
} source;

static uint8_t next(source *s) {
  if (s->left == 0) return 0;
  s->left--;
  return *s->at++;
}

static const char *const types[] = {
    "struct<a:int>",
    "struct<a:boolean,b:tinyint,c:bigint>",
    "struct<a:string,b:binary,c:varchar(9)>",
    "struct<a:decimal(20,3),b:decimal(5,5)>",
    "struct<a:timestamp,b:date>",
    "struct<a:double,b:float,c:smallint>",
};

/* Repeats and small steps come up as often as wild values: that is what runs are made of. */
static int64_t next_number(source *s, int64_t before) {
  uint8_t how = next(s);
  if (how < 100) return before;
  if (how < 160) return before + (how & 7) - 3;
  int64_t v = next(s);
  for (unsigned i = 0; how > 200 && i < (how & 7u); i++) v = (int64_t)((uint64_t)v << 8 | next(s));
  return how & 1 ? -v : v;
}

static int64_t wrapped(int64_t v, int64_t most) { return v % most; }

static void put(skep_vec *vec, source *s, int64_t *last) {
  skep_err err;
  uint8_t text[40];
  char number[64];
  size_t n = 0;
  int64_t v = *last = next_number(s, *last);
  skep_buf out;
  skep_buf_init(&out, vec->ctx, 1 << 16);
  switch (vec->type->kind) {
    case SKEP_BOOLEAN:
      skep_buf_text(&out, v & 1 ? "true" : "false");
      break;
    case SKEP_TINYINT:
      v = (int8_t)v;
      skep_buf_i64(&out, v);
      break;
    case SKEP_SMALLINT:
      skep_buf_i64(&out, (int16_t)v);
      break;
    case SKEP_INT:
      skep_buf_i64(&out, (int32_t)v);
      break;
    case SKEP_DECIMAL:
      skep_text_decimal(wrapped(v, 99999), vec->type->scale, false, &out);
      break;
    case SKEP_DATE:
      skep_text_date(wrapped(v, 600000), &out);
      break;
    case SKEP_TIMESTAMP:
      v = wrapped(v, 50000000000);
      skep_text_ts((skep_ts){v == -1 ? 1 : v, next(s) * 3900000, 0}, &out);
      break;
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      snprintf(number, sizeof number, "%lld.%u", (long long)wrapped(v, 1 << 20), next(s) % 4u * 25);
      skep_buf_text(&out, number);
      break;
    case SKEP_STRING:
    case SKEP_VARCHAR:
    case SKEP_BINARY:
      for (n = (size_t)(v & 7); n != 0; n--) text[n - 1] = (uint8_t)('a' + (v >> n & 15));
      skep_buf_add(&out, text, (size_t)(v & 7));
      break;
    default:
      skep_buf_i64(&out, v);
  }
  skep_bytes made = skep_bytes_of(out.data, out.size);
  FUZZ_CHECK(skep_vec_append_text(vec, made, &err) == SKEP_OK);
  skep_buf_fini(&out);
}

static void put_null(skep_vec *vec) {
  skep_err err;
  FUZZ_CHECK(skep_vec_reserve(vec, vec->length + 1, true, &err) == SKEP_OK);
  int64_t n = vec->length;
  source zeros = {NULL, 0};
  int64_t last = 0;
  put(vec, &zeros, &last);
  FUZZ_CHECK(skep_vec_need_validity(vec, &err) == SKEP_OK);
  if (!vec->has_nulls) vec->null_count = 0;
  vec->has_nulls = true;
  ((uint8_t *)vec->validity.data)[n >> 3] &= (uint8_t) ~(1u << (n & 7));
  vec->null_count++;
}

static void fill(skep_vec *rows, source *s) {
  int64_t last[4] = {0};
  while (s->left != 0 && rows->length < MAX_ROWS) {
    for (uint32_t c = 0; c < rows->n_children; c++) {
      if (next(s) % 16 == 5) {
        put_null(&rows->children[c]);
      } else {
        put(&rows->children[c], s, &last[c]);
      }
    }
    rows->length++;
  }
}

static skep_status write_rows(const skep_ctx *ctx, skep_fs *fs, const skep_vec *rows, source *how, uint64_t *length,
                              skep_err *err) {
  static const skep_orc_codec codecs[4] = {SKEP_ORC_NONE, SKEP_ORC_LZ4, SKEP_ORC_SNAPPY, SKEP_ORC_ZSTD};
  skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
  opts.codec = codecs[next(how) & 3];
  opts.block_size = 64 + next(how) * 16u;
  opts.row_index_stride = next(how);
  opts.stripe_bytes = 1 + next(how) * 100u;
  opts.dictionary_threshold = next(how) / 200.0;
  skep_file *file;
  skep_orc_writer *w = NULL;
  SKEP_TRY(skep_fs_create(fs, "f", &file, err));
  skep_status status = skep_orc_writer_open(ctx, file, rows->type, &opts, &w, err);
  int64_t half = rows->length / 2;
  if (status == SKEP_OK) status = skep_orc_writer_add(w, rows, 0, half, err);
  if (status == SKEP_OK) status = skep_orc_writer_add(w, rows, half, rows->length - half, err);
  if (status == SKEP_OK) status = skep_orc_writer_finish(w, length, err);
  skep_orc_writer_close(w);
  (void)skep_file_close(file, NULL);
  return status;
}

/* Row by row as lossless text, from the reader and from what was written. */
static void compare(const skep_ctx *ctx, skep_fs *fs, const skep_vec *rows, uint64_t length) {
  skep_err err;
  skep_file *file;
  skep_orc_tail *tail;
  skep_arena arena;
  skep_batch batch;
  skep_orc_reader *reader;
  skep_buf want, got;
  skep_text text = {.style = SKEP_TEXT_COPY};
  skep_orc_reader_opts opts = SKEP_ORC_READER_OPTS_INIT;
  int64_t row = 0;
  skep_arena_init(&arena, ctx, 16 << 20);
  skep_buf_init(&want, ctx, 1 << 20);
  skep_buf_init(&got, ctx, 1 << 20);
  FUZZ_CHECK(skep_fs_open_read(fs, "f", &file, &err) == SKEP_OK);
  FUZZ_CHECK(skep_orc_tail_read(ctx, file, length, &tail, &err) == SKEP_OK);
  FUZZ_CHECK(skep_orc_mapping_make(&arena, tail, NULL, &(skep_orc_evolution){0}, &opts.mapping, &err) == SKEP_OK);
  FUZZ_CHECK(skep_orc_reader_open(ctx, file, tail, &opts, &reader, &err) == SKEP_OK);
  FUZZ_CHECK(skep_vec_init(&batch.root, ctx, opts.mapping->target, &opts.forms, &err) == SKEP_OK);
  for (;;) {
    skep_status status = skep_orc_reader_next(reader, 100, &batch, &err);
    if (status == SKEP_END) break;
    FUZZ_CHECK(status == SKEP_OK && batch.first_row == row);
    for (int64_t i = 0; i < batch.root.length; i++, row++) {
      skep_buf_reset(&want);
      skep_buf_reset(&got);
      FUZZ_CHECK(skep_text_value(&text, rows, row, &want, &err) == SKEP_OK);
      FUZZ_CHECK(skep_text_value(&text, &batch.root, i, &got, &err) == SKEP_OK);
      FUZZ_CHECK(want.size == got.size && memcmp(want.data, got.data, want.size) == 0);
    }
  }
  FUZZ_CHECK(row == rows->length);
  skep_orc_reader_close(reader);
  skep_vec_fini(&batch.root);
  skep_orc_tail_unref(tail);
  (void)skep_file_close(file, NULL);
  skep_buf_fini(&want);
  skep_buf_fini(&got);
  skep_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  skep_ctx ctx;
  skep_err err;
  skep_arena arena;
  skep_fs *fs;
  const skep_type *type;
  skep_vec rows;
  skep_forms forms = {0};
  uint64_t length = 0;
  source how = {data, size < 6 ? size : 6}, values = {data + how.left, size - how.left};
  const char *text = types[next(&how) % (sizeof types / sizeof types[0])];
  skep_ctx_init(&ctx);
  skep_arena_init(&arena, &ctx, 1 << 20);
  FUZZ_CHECK(skep_fs_memory_new(&ctx, &fs, &err) == SKEP_OK);
  FUZZ_CHECK(skep_type_parse(&arena, text, strlen(text), &type, &err) == SKEP_OK);
  FUZZ_CHECK(skep_vec_init(&rows, &ctx, type, &forms, &err) == SKEP_OK);
  fill(&rows, &values);
  FUZZ_CHECK(write_rows(&ctx, fs, &rows, &how, &length, &err) == SKEP_OK);
  compare(&ctx, fs, &rows, length);
  skep_vec_fini(&rows);
  skep_fs_free(fs);
  skep_arena_fini(&arena);
  return 0;
}
