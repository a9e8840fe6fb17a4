/* Writes tables with table/write.h, and a script that makes a real Hive take them over: it creates each table, runs as
 * many statements as write ids were used, puts our directories in place of its own, shows the table, changes it, shows
 * it again, compacts it, shows it once more. See hive_reads_acid.sh.
 *
 * usage: acid_samples DIR     (DIR/TABLE/..., DIR/script.hql) */
#include <inttypes.h>
#include <stdlib.h>

#include "acid/plan.h"
#include "acid/scan.h"
#include "column/text.h"
#include "io/posix.h"
#include "support/vec_testing.h"
#include "table/write.h"

typedef struct sample {
  const char *name, *columns, *keys;
  const char *ddl; /* behind the columns */
  skep_write_format format;
  uint32_t n_buckets, n_bucket_columns;
  uint32_t bucket_columns[2];
  int bucketing_version;
  uint32_t n_properties;
  skep_property properties[8];
  int64_t n_rows;
  const char *dummy;  /* takes a write id in Hive, and makes all partitions */
  const char *change; /* what Hive does to our rows; NULL: nothing */
} sample;

#define ACID "STORED AS ORC TBLPROPERTIES ('transactional'='true'"

static const sample samples[] = {
    {.name = "types",
     .columns =
         "struct<id:int,b:boolean,t:tinyint,s:smallint,l:bigint,f:float,d:double,n:decimal(4,2),n18:decimal(18,5),"
         "n38:decimal(38,10),str:string,v:varchar(70),c:char(70),bin:binary,day:date,ts:timestamp,li:array<int>,"
         "ls:array<string>,m:map<bigint,string>,st:struct<x:int,y:struct<z:string,w:boolean>>,"
         "u:uniontype<int,string>>",
     .ddl = ACID ")",
     .n_rows = 2000,
     .dummy = "TRUNCATE TABLE skepw.types",
     .change = "UPDATE skepw.types SET str = 'hive', n = 1.5 WHERE id % 11 = 2"},
    {.name = "parts",
     .columns = "struct<id:int,s:string,n:decimal(12,3)>",
     .keys = "struct<day:date,c:string>",
     .ddl = "PARTITIONED BY (day DATE, c STRING) CLUSTERED BY (s, id) INTO 4 BUCKETS " ACID ")",
     .n_buckets = 4,
     .n_bucket_columns = 2,
     .bucket_columns = {1, 0},
     .bucketing_version = 2,
     .n_rows = 1500,
     .dummy = "INSERT INTO skepw.parts VALUES (1,'',1,'2026-01-01','a/b c'),(1,'',1,'2026-01-02','a/b c'),"
              "(1,'',1,NULL,'a/b c'),(1,'',1,'2026-01-01',NULL),(1,'',1,'2026-01-02',NULL),(1,'',1,NULL,NULL),"
              "(1,'',1,'2026-01-01','x=%y'),(1,'',1,'2026-01-02','x=%y'),(1,'',1,NULL,'x=%y')",
     .change = "UPDATE skepw.parts SET n = n + 1 WHERE id % 11 = 2"},
    {.name = "buckets1",
     .columns = "struct<id:int,s:string,ts:timestamp,x:double>",
     .ddl = "CLUSTERED BY (id) INTO 3 BUCKETS " ACID
            ",'bucketing_version'='1','orc.compress'='SNAPPY','orc.stripe.size'='65536','orc.row.index.stride'='1000',"
            "'orc.compress.size'='4096','orc.bloom.filter.columns'='id,s')",
     .n_buckets = 3,
     .n_bucket_columns = 1,
     .bucket_columns = {0},
     .bucketing_version = 1,
     .n_properties = 5,
     .properties = {{"orc.compress", "SNAPPY"},
                    {"orc.stripe.size", "65536"},
                    {"orc.row.index.stride", "1000"},
                    {"orc.compress.size", "4096"},
                    {"orc.bloom.filter.columns", "id,s"}},
     .n_rows = 9000,
     .dummy = "TRUNCATE TABLE skepw.buckets1",
     .change = "DELETE FROM skepw.buckets1 WHERE id % 11 = 2"},
    {.name = "mm",
     .columns = "struct<id:int,s:string,n:decimal(12,3)>",
     .ddl = ACID ",'transactional_properties'='insert_only')",
     .format = SKEP_WRITE_INSERT_ONLY,
     .n_rows = 800,
     .dummy = "INSERT INTO skepw.mm (id) VALUES (1)",
     .change = "INSERT INTO skepw.mm VALUES (-1, 'hive', 1)"},
    {.name = "plain",
     .columns = "struct<id:int,s:string,day:date>",
     .ddl = "STORED AS ORC TBLPROPERTIES ('transactional'='false')",
     .format = SKEP_WRITE_PLAIN,
     .n_rows = 800,
     .dummy = "INSERT INTO skepw.plain (id) VALUES (1)",
     .change = "INSERT INTO skepw.plain VALUES (-1, 'hive', NULL)"},
};

typedef struct world {
  skep_ctx ctx;
  skep_fs *fs;
  skep_arena arena;
  skep_buf script;
  const char *dir;
  skep_err err;
} world;

static const skep_forms forms = {SKEP_FORM_BOOL_BYTES, SKEP_FORM_TS, SKEP_FORM_VIEW, false, true};

static const skep_type *type_of(world *w, const char *text) {
  const skep_type *type;
  assert_ok(skep_type_parse(&w->arena, text, strlen(text), &type, &w->err), w->err);
  return type;
}

/* Days and seconds of the years 60 to 3800; not the second before 1970, which the format cannot tell. */
static void tame(skep_vec *vec) {
  for (int64_t i = 0; i < vec->length; i++) {
    if (vec->form == SKEP_FORM_TS) {
      skep_ts *ts = (skep_ts *)vec->values.data + i;
      ts->seconds *= i % 2 == 0 ? 1 : 6;
      if (ts->seconds == -1) ts->seconds = 5;
      if (i % 3 == 0) ts->nanos -= ts->nanos % 1000000;
    }
    if (vec->type->kind == SKEP_DATE) ((int32_t *)vec->values.data)[i] %= i % 2 == 0 ? 40000 : 690000;
  }
  for (uint32_t c = 0; c < vec->n_children; c++) tame(&vec->children[c]);
}

/* Columns, then partition keys; the first column numbers the rows. */
static void fill(world *w, const sample *s, skep_batch *batch) {
  static const char *const labels[] = {"a/b c", "", "x=%y"};
  const skep_type *columns = type_of(w, s->columns), *keys = s->keys == NULL ? NULL : type_of(w, s->keys), *type;
  const skep_type *children[64], like = {.kind = SKEP_STRUCT};
  const char *names[64];
  uint32_t n = 0;
  for (uint32_t i = 0; i < columns->n_children; i++) names[n] = columns->names[i], children[n++] = columns->children[i];
  for (uint32_t i = 0; keys != NULL && i < keys->n_children; i++)
    names[n] = keys->names[i], children[n++] = keys->children[i];
  assert_ok(skep_type_make(&w->arena, &like, children, names, n, &type, &w->err), w->err);
  *batch = (skep_batch){.first_row = 0};
  assert_ok(skep_vec_init(&batch->root, &w->ctx, type, &forms, &w->err), w->err);
  for (uint32_t c = 0; c < columns->n_children; c++)
    vec_random_fill(&batch->root.children[c], s->n_rows, c + 77, c == 0 ? 0 : c % 4 == 3 ? 0 : 15);
  batch->root.length = s->n_rows;
  tame(&batch->root);
  for (int64_t i = 0; i < s->n_rows; i++) ((int32_t *)batch->root.children[0].values.data)[i] = (int32_t)i;
  if (keys == NULL) return;
  skep_vec *day = &batch->root.children[columns->n_children], *label = day + 1;
  vec_random_fill(day, s->n_rows, 5, 20);
  for (int64_t i = 0; i < s->n_rows; i++) {
    if (skep_vec_is_valid(day, i)) ((int32_t *)day->values.data)[i] = 20454 + (int32_t)(i / 7 % 2); /* 2026-01-01 */
    const char *text = labels[i % 3];
    assert_ok(skep_vec_append_text(label, skep_bytes_of(text, strlen(text)), &w->err), w->err);
  }
}

static skep_table_write_opts opts_of(world *w, const sample *s, char *location, size_t size, skep_write_kind kind,
                                     int64_t write_id, int32_t statement) {
  snprintf(location, size, "%s/%s", w->dir, s->name);
  return (skep_table_write_opts){.table_name = s->name,
                                 .location = location,
                                 .format = s->format,
                                 .columns = type_of(w, s->columns),
                                 .partitions = s->keys == NULL ? NULL : type_of(w, s->keys),
                                 .n_buckets = s->n_buckets,
                                 .n_bucket_columns = s->n_bucket_columns,
                                 .bucket_columns = s->bucket_columns,
                                 .bucketing_version = s->bucketing_version,
                                 .properties = s->properties,
                                 .n_properties = s->n_properties,
                                 .kind = kind,
                                 .write_id = write_id,
                                 .statement = statement};
}

static void write_batch(world *w, const sample *s, skep_write_kind kind, int64_t write_id, int32_t statement,
                        const skep_batch *batch) {
  char location[512];
  skep_table_write_opts o = opts_of(w, s, location, sizeof location, kind, write_id, statement);
  skep_table_write *writer;
  const skep_written_partition *list;
  uint32_t n;
  assert_ok(skep_table_write_open(&w->ctx, w->fs, &o, &writer, &w->err), w->err);
  if (kind == SKEP_WRITE_DELETE) {
    assert_ok(skep_table_write_deletes(writer, batch, &w->err), w->err);
  } else {
    assert_ok(skep_table_write_rows(writer, batch, &w->err), w->err);
  }
  assert_ok(skep_table_write_finish(writer, &list, &n, &w->err), w->err);
  skep_table_write_free(writer);
}

/* Rows of `from` with id % by = rest, as children first.. of a batch: shallow, `from` keeps the memory. */
static void select_rows(world *w, skep_batch *from, uint32_t id_column, int32_t by, int32_t rest) {
  int32_t *rows = calloc((size_t)from->root.length + 1, sizeof *rows);
  int64_t n = 0;
  for (int64_t i = 0; i < from->root.length; i++)
    if (((int32_t *)from->root.children[id_column].values.data)[i] % by == rest) rows[n++] = (int32_t)i;
  assert_ok(skep_vec_select(&from->root, rows, n, &w->err), w->err);
  free(rows);
}

/* Deletes the rows with id % by = rest (statement 0) and, as an UPDATE, inserts them again (statement 1). */
static void change_rows(world *w, const sample *s, int64_t write_id, int32_t by, int32_t rest, bool update) {
  char location[512], snapshot[64];
  const char *paths[] = {location};
  skep_plan_opts plan_opts = {.schema = s->columns, .partition_schema = s->keys, .row_ids = true};
  skep_plan *plan;
  skep_scan_cache *cache;
  skep_table_write_opts o = opts_of(w, s, location, sizeof location, SKEP_WRITE_DELETE, write_id, 0), in = o;
  skep_table_write *deletes, *inserts;
  const skep_written_partition *list;
  uint32_t n, n_columns = o.columns->n_children;
  in.kind = SKEP_WRITE_INSERT;
  in.statement = 1;
  plan_opts.evolution_by_name = plan_opts.calendar = -1;
  snprintf(snapshot, sizeof snapshot, "db.t:%" PRId64 ":9223372036854775807::", write_id - 1);
  assert_ok(skep_snapshot_parse(&w->arena, snapshot, NULL, SKEP_HIVE_4, &plan_opts.snapshot, &w->err), w->err);
  assert_ok(skep_plan_make(&w->ctx, w->fs, paths, 1, &plan_opts, &plan, &w->err), w->err);
  assert_ok(skep_scan_cache_new(&w->ctx, w->fs, &cache, &w->err), w->err);
  assert_ok(skep_table_write_open(&w->ctx, w->fs, &o, &deletes, &w->err), w->err);
  assert_ok(skep_table_write_open(&w->ctx, w->fs, &in, &inserts, &w->err), w->err);
  for (uint32_t i = 0; i < plan->n_splits; i++) {
    skep_scan *scan;
    skep_batch batch = {.first_row = 0};
    assert_ok(skep_scan_open(cache, &plan->splits[i], &forms, &scan, &w->err), w->err);
    assert_ok(skep_vec_init(&batch.root, &w->ctx, skep_scan_type(scan), &forms, &w->err), w->err);
    while (skep_scan_next(scan, 1000, &batch, &w->err) == SKEP_OK) {
      select_rows(w, &batch, 3, by, rest);
      skep_batch part = {.root = batch.root};
      skep_vec children[8];
      memcpy(children, batch.root.children, 3 * sizeof *children);
      for (uint32_t k = 0; k < batch.root.n_children - 3 - n_columns; k++)
        children[3 + k] = batch.root.children[3 + n_columns + k];
      part.root.children = children;
      part.root.n_children -= n_columns;
      assert_ok(skep_table_write_deletes(deletes, &part, &w->err), w->err);
      part.root = batch.root;
      part.root.children += 3;
      part.root.n_children -= 3;
      if (update) assert_ok(skep_table_write_rows(inserts, &part, &w->err), w->err);
    }
    skep_vec_fini(&batch.root);
    skep_scan_close(scan);
  }
  assert_ok(skep_table_write_finish(deletes, &list, &n, &w->err), w->err);
  assert_ok(skep_table_write_finish(inserts, &list, &n, &w->err), w->err);
  skep_table_write_free(deletes);
  skep_table_write_free(inserts);
  skep_scan_cache_free(cache);
  skep_plan_free(plan);
}

static void put_columns(world *w, const char *type_text) {
  const skep_type *type = type_of(w, type_text);
  for (uint32_t i = 0; i < type->n_children; i++) {
    skep_buf_printf(&w->script, "%s%s ", i == 0 ? "" : ", ", type->names[i]);
    skep_type_print(type->children[i], &w->script);
  }
}

static void put_script(world *w, const sample *s, int64_t n_write_ids) {
  skep_buf_printf(&w->script, "CREATE TABLE skepw.%s (", s->name);
  put_columns(w, s->columns);
  skep_buf_printf(&w->script, ") %s;\n", s->ddl);
  for (int64_t i = 0; i < n_write_ids; i++) skep_buf_printf(&w->script, "%s;\n", s->dummy);
  skep_buf_printf(&w->script,
                  "--! rm ${WAREHOUSE}/skepw.db/%s\n--! cp @SAMPLES@/%s ${WAREHOUSE}/skepw.db/%s\n"
                  "--! dump %s-1-ours skepw.%s\n",
                  s->name, s->name, s->name, s->name, s->name);
  skep_buf_printf(&w->script, "%s;\n--! dump %s-2-changed skepw.%s\n", s->change, s->name, s->name);
  if (s->format != SKEP_WRITE_FULL_ACID || s->keys != NULL) return;
  skep_buf_printf(&w->script, "--! compact major skepw.%s\n--! cleaner\n--! dump %s-3-compacted skepw.%s\n", s->name,
                  s->name, s->name);
}

static void make(world *w, const sample *s) {
  skep_batch batch;
  fill(w, s, &batch);
  if (s->format == SKEP_WRITE_FULL_ACID) {
    write_batch(w, s, SKEP_WRITE_INSERT, 1, 0, &batch);
    change_rows(w, s, 2, 5, 0, true);
    change_rows(w, s, 3, 7, 3, false);
    change_rows(w, s, 4, 10, 0, true);
    put_script(w, s, 4);
  } else {
    write_batch(w, s, SKEP_WRITE_INSERT, 1, 0, &batch);
    select_rows(w, &batch, 0, 3, 1);
    write_batch(w, s, SKEP_WRITE_OVERWRITE, 2, 0, &batch);
    select_rows(w, &batch, 0, 2, 1);
    write_batch(w, s, SKEP_WRITE_INSERT, 3, 0, &batch);
    put_script(w, s, 3);
  }
  skep_vec_fini(&batch.root);
}

int main(int argc, char **argv) {
  world w = {.dir = argc == 2 ? argv[1] : NULL};
  if (w.dir == NULL) return 2;
  skep_ctx_init(&w.ctx);
  skep_arena_init(&w.arena, &w.ctx, SIZE_MAX);
  skep_buf_init(&w.script, &w.ctx, 1 << 20);
  assert_ok(skep_fs_posix_new(&w.ctx, &w.fs, &w.err), w.err);
  skep_buf_text(&w.script, "DROP DATABASE IF EXISTS skepw CASCADE;\nCREATE DATABASE skepw;\n");
  for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) make(&w, &samples[i]);
  char path[512];
  skep_file *file;
  snprintf(path, sizeof path, "%s/script.hql", w.dir);
  assert_ok(skep_fs_create(w.fs, path, &file, &w.err), w.err);
  assert_ok(skep_file_append(file, w.script.data, w.script.size, &w.err), w.err);
  assert_ok(skep_file_close(file, &w.err), w.err);
  skep_buf_fini(&w.script);
  skep_arena_fini(&w.arena);
  skep_fs_free(w.fs);
  return 0;
}
