/* Writes ORC files of random rows, each with its rows as JSON lines beside it, for other readers to be compared with.
 *
 * usage: orc_samples DIR */
#include "column/text.h"
#include "io/posix.h"
#include "orc/writer.h"
#include "support/vec_testing.h"

static const char plain_types[] =
    "struct<b:boolean,t:tinyint,s:smallint,i:int,l:bigint,f:float,d:double,n:decimal(4,2),n18:decimal(18,5),"
    "n38:decimal(38,10),str:string,v:varchar(70),bin:binary,day:date,ts:timestamp,tz:timestamp with local time zone,"
    "li:array<int>,ls:array<string>,m:map<string,array<bigint>>,st:struct<x:int,y:struct<z:string,w:boolean>>>";
static const char union_types[] =
    "struct<a:int,u:uniontype<int,string,array<double>>,lu:array<uniontype<bigint,date>>>";

typedef struct sample {
  const char *name, *type;
  unsigned null_percent;
  skep_orc_codec codec;
  uint32_t block_size, stride;
  uint64_t stripe_bytes;
  double threshold;
} sample;

static const sample samples[] = {
    {"zlib", plain_types, 20, SKEP_ORC_ZLIB, 256 * 1024, 10000, 64 << 20, 0.8},
    {"none", plain_types, 0, SKEP_ORC_NONE, 256 * 1024, 1000, 64 << 20, 0.8},
    {"snappy", plain_types, 10, SKEP_ORC_SNAPPY, 4096, 500, 100000, 0},
    {"lz4", plain_types, 50, SKEP_ORC_LZ4, 4096, 0, 300000, 1},
    {"zstd", plain_types, 100, SKEP_ORC_ZSTD, 256 * 1024, 700, 64 << 20, 0.8},
    {"unions", union_types, 15, SKEP_ORC_ZSTD, 256 * 1024, 700, 64 << 20, 0.8},
};

/* Years that all readers hold in 64-bit nanoseconds; not the second before 1970, which the format cannot tell. */
static void tame(skep_vec *vec) {
  for (int64_t i = 0; i < vec->length; i++) {
    if (vec->form == SKEP_FORM_TS) {
      skep_ts *ts = (skep_ts *)vec->values.data + i;
      ts->seconds %= 8000000000;
      if (ts->seconds == -1) ts->seconds = 5;
      if (i % 3 == 0) ts->nanos -= ts->nanos % 1000000;
    }
    if (vec->type->kind == SKEP_DATE) ((int32_t *)vec->values.data)[i] %= 100000;
  }
  for (uint32_t c = 0; c < vec->n_children; c++) tame(&vec->children[c]);
}

static skep_status write_orc(const skep_ctx *ctx, skep_fs *fs, const sample *s, const skep_vec *rows, const char *path,
                             skep_err *err) {
  static const char *const blooms[] = {"i", "str"};
  skep_orc_writer_opts opts = SKEP_ORC_WRITER_OPTS_INIT;
  opts.codec = s->codec;
  opts.block_size = s->block_size;
  opts.row_index_stride = s->stride;
  opts.stripe_bytes = s->stripe_bytes;
  opts.dictionary_threshold = s->threshold;
  opts.bloom_columns = blooms;
  opts.n_bloom_columns = s->type == plain_types ? 2 : 0;
  skep_file *file;
  skep_orc_writer *w = NULL;
  uint64_t length;
  SKEP_TRY(skep_fs_create(fs, path, &file, err));
  skep_status status = skep_orc_writer_open(ctx, file, rows->type, &opts, &w, err);
  if (status == SKEP_OK) status = skep_orc_writer_add(w, rows, 0, rows->length, err);
  if (status == SKEP_OK) status = skep_orc_writer_finish(w, &length, err);
  skep_orc_writer_close(w);
  skep_status closed = skep_file_close(file, status == SKEP_OK ? err : NULL);
  return status != SKEP_OK ? status : closed;
}

static skep_status write_json(const skep_ctx *ctx, skep_fs *fs, const skep_vec *rows, const char *path, skep_err *err) {
  skep_text text = {.style = SKEP_TEXT_JSON};
  skep_buf out;
  skep_file *file = NULL;
  skep_buf_init(&out, ctx, SIZE_MAX / 4);
  skep_status status = SKEP_OK;
  for (int64_t i = 0; status == SKEP_OK && i < rows->length; i++) {
    status = skep_text_value(&text, rows, i, &out, err);
    skep_buf_byte(&out, '\n');
  }
  if (status == SKEP_OK) status = skep_fs_create(fs, path, &file, err);
  if (status == SKEP_OK) status = skep_file_append(file, out.data, out.size, err);
  skep_buf_fini(&out);
  (void)skep_file_close(file, NULL);
  return status;
}

static skep_status make(const skep_ctx *ctx, skep_fs *fs, const char *dir, const sample *s, skep_err *err) {
  skep_arena arena;
  const skep_type *type;
  skep_vec rows;
  skep_forms forms = {0};
  char path[600];
  skep_arena_init(&arena, ctx, SIZE_MAX);
  SKEP_TRY(skep_type_parse(&arena, s->type, strlen(s->type), &type, err));
  SKEP_TRY(skep_vec_init(&rows, ctx, type, &forms, err));
  for (uint32_t c = 0; c < rows.n_children; c++)
    vec_random_fill(&rows.children[c], 3000, c + 1, c % 4 == 3 ? 0 : s->null_percent);
  rows.length = 3000;
  tame(&rows);
  snprintf(path, sizeof path, "%s/%s.orc", dir, s->name);
  SKEP_TRY(write_orc(ctx, fs, s, &rows, path, err));
  snprintf(path, sizeof path, "%s/%s.jsonl", dir, s->name);
  SKEP_TRY(write_json(ctx, fs, &rows, path, err));
  skep_vec_fini(&rows);
  skep_arena_fini(&arena);
  return SKEP_OK;
}

int main(int argc, char **argv) {
  skep_ctx ctx;
  skep_fs *fs;
  skep_err err;
  if (argc != 2) return 2;
  skep_ctx_init(&ctx);
  skep_status status = skep_fs_posix_new(&ctx, &fs, &err);
  for (size_t i = 0; status == SKEP_OK && i < sizeof samples / sizeof samples[0]; i++)
    status = make(&ctx, fs, argv[1], &samples[i], &err);
  if (status != SKEP_OK) fprintf(stderr, "%s: %s\n", skep_status_name(status), err.text);
  if (fs != NULL) skep_fs_free(fs);
  return status == SKEP_OK ? 0 : 1;
}
