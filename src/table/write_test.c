/* Whole statements written to tables of every kind, against golden directory names, and read back. */
#include "table/write.h"

#include <sys/wait.h>
#include <unistd.h>

#include "acid/delta_testing.h"
#include "support/temp_dir.h"

#define ALL "db.t:99:9223372036854775807::"

static skep_table_write_opts table_opts(writing *t, const char *columns, const char *partitions, skep_write_kind kind,
                                        int64_t write_id, int32_t statement) {
  return (skep_table_write_opts){.table_name = "db.t",
                                 .location = "w/t",
                                 .columns = writing_type(t, columns),
                                 .partitions = partitions == NULL ? NULL : writing_type(t, partitions),
                                 .kind = kind,
                                 .write_id = write_id,
                                 .statement = statement};
}

/* The type of batches: columns, then dynamic keys. */
static const skep_type *batch_type(writing *t, const skep_table_write_opts *o) {
  const skep_type *children[64];
  const char *names[64];
  uint32_t n = 0;
  const skep_type like = {.kind = SKEP_STRUCT}, *out;
  for (uint32_t i = 0; i < o->columns->n_children; i++, n++) {
    children[n] = o->columns->children[i];
    names[n] = o->columns->names[i];
  }
  for (uint32_t i = 0; o->partitions != NULL && i < o->partitions->n_children; i++) {
    if (o->static_values != NULL && o->static_values[i].at != NULL) continue;
    children[n] = o->partitions->children[i];
    names[n++] = o->partitions->names[i];
  }
  assert_ok(skep_type_make(&t->arena, &like, children, names, n, &out, &t->err), t->err);
  return out;
}

static skep_status try_rows(writing *t, const skep_table_write_opts *o, const char *const *cells, size_t n_rows) {
  skep_table_write *w;
  const skep_written_partition *list;
  uint32_t n;
  skep_batch batch;
  writing_batch(t, &batch, batch_type(t, o), cells, n_rows);
  skep_status status = skep_table_write_open(&t->ctx, t->fs, o, &w, &t->err);
  if (status == SKEP_OK) status = skep_table_write_rows(w, &batch, &t->err);
  if (status == SKEP_OK) status = skep_table_write_finish(w, &list, &n, &t->err);
  if (status != SKEP_OK && w != NULL) skep_table_write_abort(w);
  skep_table_write_free(w);
  skep_vec_fini(&batch.root);
  return status;
}

static void insert(writing *t, const skep_table_write_opts *o, const char *const *cells, size_t n_rows) {
  assert_ok(try_rows(t, o, cells, n_rows), t->err);
}

static void delete (writing *t, const skep_table_write_opts *o, const char *keys, const char *const *cells,
                    size_t n_rows) {
  char text[512];
  skep_table_write *w;
  const skep_written_partition *list;
  uint32_t n;
  skep_batch batch;
  snprintf(text, sizeof text, "struct<writeid:bigint,bucketid:int,rowid:bigint%s%s>", keys[0] == '\0' ? "" : ",", keys);
  writing_batch(t, &batch, writing_type(t, text), cells, n_rows);
  assert_ok(skep_table_write_open(&t->ctx, t->fs, o, &w, &t->err), t->err);
  assert_ok(skep_table_write_deletes(w, &batch, &t->err), t->err);
  assert_ok(skep_table_write_finish(w, &list, &n, &t->err), t->err);
  assert_int_equal(skep_table_write_row_count(w), n_rows);
  skep_table_write_free(w);
  skep_vec_fini(&batch.root);
}

/* ---- names of partitions: golden 02-partitioned ---- */

static void special_characters_are_escaped_as_hive_escapes_them(void **state) {
  static const char *const cells[] = {"1",
                                      "web",
                                      "200",
                                      "2",
                                      "a/b",
                                      "404",
                                      "3",
                                      "k=v:1",
                                      "0",
                                      "4",
                                      "100%",
                                      "-1",
                                      "5",
                                      "with space",
                                      "7",
                                      "6",
                                      "its \"q\"",
                                      "7",
                                      "7",
                                      "#?{}[]^*",
                                      "7",
                                      "8",
                                      "na\xc3\xafve-\xe6\x97\xa5\xe6\x9c\xac",
                                      "7",
                                      "9",
                                      "",
                                      "1",
                                      "10",
                                      NULL,
                                      "1",
                                      "11",
                                      "web",
                                      NULL,
                                      "12",
                                      NULL,
                                      NULL,
                                      "13",
                                      "a&b;c|d<e>~,f.",
                                      "3",
                                      "14",
                                      "c:\\x",
                                      "3",
                                      "15",
                                      "a+b",
                                      "3",
                                      "16",
                                      "WEB",
                                      "200"};
  writing *t = *state;
  skep_table_write_opts o = table_opts(t, "struct<id:int>", "struct<App:string,code:int>", SKEP_WRITE_INSERT, 1, 0);
  insert(t, &o, cells, 16);
  char *tree = strdup(writing_tree(t, "w/t"));
  static const char *const names[] = {"app=%23%3F%7B}%5B%5D%5E%2A/code=7",
                                      "app=100%25/code=-1",
                                      "app=WEB/code=200",
                                      "app=__HIVE_DEFAULT_PARTITION__/code=1",
                                      "app=__HIVE_DEFAULT_PARTITION__/code=__HIVE_DEFAULT_PARTITION__",
                                      "app=a%2Fb/code=404",
                                      "app=a&b;c|d<e>~,f./code=3",
                                      "app=a+b/code=3",
                                      "app=c%3A%5Cx/code=3",
                                      "app=its %22q%22/code=7",
                                      "app=k%3Dv%3A1/code=0",
                                      "app=na\xc3\xafve-\xe6\x97\xa5\xe6\x9c\xac/code=7",
                                      "app=web/code=200",
                                      "app=web/code=__HIVE_DEFAULT_PARTITION__",
                                      "app=with space/code=7"};
  char want[4096] = "";
  size_t at = 0;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    at += (size_t)snprintf(want + at, sizeof want - at,
                           "%s/delta_0000001_0000001_0000/_orc_acid_version\n"
                           "%s/delta_0000001_0000001_0000/bucket_00000\n",
                           names[i], names[i]);
  assert_string_equal(tree, want);
  free(tree);
}

static void values_of_every_type_have_hives_text(void **state) {
  static const struct {
    const char *keys, *cells[6], *path;
  } cases[] = {
      {"pb:boolean,pd:decimal(6,2),pt:timestamp",
       {"true", "1.50", "2026-01-01 00:00:00"},
       "pb=true/pd=1.5/pt=2026-01-01 00%3A00%3A00"},
      {"pb:boolean,pd:decimal(6,2),pt:timestamp",
       {"false", "-2", "2026-01-01 10:20:30.5"},
       "pb=false/pd=-2/pt=2026-01-01 10%3A20%3A30.5"},
      {"pb:boolean,pd:decimal(6,2),pt:timestamp",
       {NULL, "0.05", NULL},
       "pb=__HIVE_DEFAULT_PARTITION__/pd=0.05/pt=__HIVE_DEFAULT_PARTITION__"},
      {"pb:boolean,pd:decimal(6,2),pt:timestamp",
       {"true", "100", "1969-12-31 23:59:59.999999999"},
       "pb=true/pd=100/pt=1969-12-31 23%3A59%3A59.999999999"},
      {"pc:char(6),pv:varchar(8)", {"ab", "cd"}, "pc=ab    /pv=cd"},
      {"pt:tinyint,pbi:bigint,pdbl:double", {"-5", "-1", "1e10"}, "pt=-5/pbi=-1/pdbl=1.0E10"},
      {"pt:tinyint,pbi:bigint,pdbl:double", {NULL, "5", "1e-7"}, "pt=__HIVE_DEFAULT_PARTITION__/pbi=5/pdbl=1.0E-7"},
      {"d:date", {"1969-12-31"}, "d=1969-12-31"},
      {"f:float,s:smallint", {"0.1", "7"}, "f=0.1/s=7"},
  };
  writing *t = *state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char keys[256], want[512];
    const char *row[8] = {"1"};
    snprintf(keys, sizeof keys, "struct<%s>", cases[i].keys);
    skep_table_write_opts o = table_opts(t, "struct<v:int>", keys, SKEP_WRITE_INSERT, 1, 0);
    memcpy(row + 1, cases[i].cells, sizeof cases[i].cells);
    insert(t, &o, row, 1);
    snprintf(want, sizeof want,
             "%s/delta_0000001_0000001_0000/_orc_acid_version\n%s/delta_0000001_0000001_0000/bucket_00000\n",
             cases[i].path, cases[i].path);
    assert_string_equal(writing_tree(t, "w/t"), want);
    writing_again(t);
  }
}

/* ---- statements ---- */

typedef struct asked {
  char names[8][64];
  size_t n;
} asked;

static skep_status find(void *self, const char *name, const char **location, skep_err *err) {
  asked *a = self;
  (void)err;
  assert_true(a->n < 8);
  snprintf(a->names[a->n++], sizeof a->names[0], "%s", name);
  *location = strcmp(name, "p=2") == 0 ? "elsewhere/p2" : NULL;
  return SKEP_OK;
}

static void the_list_says_what_was_touched_and_where(void **state) {
  static const char *const cells[] = {"1", "2", "2", "1", "3", "2", "4", "1", "5", NULL};
  writing *t = *state;
  asked a = {.n = 0};
  skep_table_write *w;
  const skep_written_partition *list;
  uint32_t n;
  skep_batch batch;
  skep_table_write_opts o = table_opts(t, "struct<x:int>", "struct<p:int>", SKEP_WRITE_INSERT, 1, 0);
  o.find_partition = find;
  o.find_self = &a;
  writing_batch(t, &batch, batch_type(t, &o), cells, 5);
  assert_ok(skep_table_write_open(&t->ctx, t->fs, &o, &w, &t->err), t->err);
  for (int i = 0; i < 2; i++) assert_ok(skep_table_write_rows(w, &batch, &t->err), t->err);
  assert_ok(skep_table_write_finish(w, &list, &n, &t->err), t->err);
  assert_int_equal(a.n, 3); /* each partition once */
  assert_int_equal(n, 3);
  assert_string_equal(list[0].name, "p=1");
  assert_string_equal(list[0].location, "w/t/p=1");
  assert_true(list[0].is_new && !list[0].is_overwritten);
  assert_int_equal(list[0].n_rows, 4);
  assert_int_equal(list[0].n_files, 1);
  assert_string_equal(list[1].name, "p=2");
  assert_string_equal(list[1].location, "elsewhere/p2");
  assert_false(list[1].is_new);
  assert_string_equal(list[2].name, "p=__HIVE_DEFAULT_PARTITION__");
  assert_int_equal(list[2].n_values, 1);
  assert_string_equal((const char *)list[2].values[0].at, "__HIVE_DEFAULT_PARTITION__");
  assert_int_equal(list[2].n_rows, 2);
  skep_stat st;
  assert_ok(skep_fs_stat(t->fs, "elsewhere/p2/delta_0000001_0000001_0000/bucket_00000", &st, &t->err), t->err);
  assert_int_equal(list[1].n_bytes, st.size_bytes);
  skep_table_write_free(w);
  skep_vec_fini(&batch.root);
}

static const skep_plan_opts by_day = {.schema = "struct<id:int,s:string>", .partition_schema = "struct<d:date>"};

static void an_update_deletes_old_rows_and_inserts_new_ones(void **state) {
  static const char *const first[] = {"1", "a", "2026-01-01", "2", "b", "2026-01-02", "3", "c", "2026-01-01"};
  static const char *const old[] = {"1", "536870912", "0", "2026-01-02", "1", "536870912", "1", "2026-01-01"};
  static const char *const changed[] = {"2", "B", "2026-01-02", "3", "C", "2026-01-01"};
  writing *t = *state;
  skep_table_write_opts o = table_opts(t, "struct<id:int,s:string>", "struct<d:date>", SKEP_WRITE_INSERT, 1, 0);
  insert(t, &o, first, 3);
  o.kind = SKEP_WRITE_DELETE;
  o.write_id = 2;
  delete (t, &o, "d:date", old, 2);
  o.kind = SKEP_WRITE_INSERT;
  o.statement = 1;
  insert(t, &o, changed, 2);
  assert_string_equal(writing_table(t, "w/t", ALL, &by_day, true),
                      "1 536870912 0 1 a 2026-01-01\n2 536870913 0 2 B 2026-01-02\n2 536870913 0 3 C 2026-01-01\n");
  assert_string_equal(writing_table(t, "w/t", "db.t:1:9223372036854775807::", &by_day, false),
                      "1 a 2026-01-01\n2 b 2026-01-02\n3 c 2026-01-01\n");
}

static void overwrites_replace_what_they_touch(void **state) {
  static const char *const first[] = {"1", "a", "2026-01-01", "2", "b", "2026-01-02", "3", "c", "2026-01-03"};
  static const char *const second[] = {"9", "z", "2026-01-02"};
  static const char *const third[] = {"8", "y"};
  writing *t = *state;
  skep_bytes day = skep_bytes_of("2026-01-03", 10);
  skep_table_write_opts o = table_opts(t, "struct<id:int,s:string>", "struct<d:date>", SKEP_WRITE_INSERT, 1, 0);
  insert(t, &o, first, 3);
  o.kind = SKEP_WRITE_OVERWRITE;
  o.write_id = 2;
  insert(t, &o, second, 1);
  assert_string_equal(writing_table(t, "w/t", ALL, &by_day, false), "1 a 2026-01-01\n3 c 2026-01-03\n9 z 2026-01-02\n");
  o.write_id = 3;
  o.static_values = &day;
  insert(t, &o, third, 1);
  assert_string_equal(writing_table(t, "w/t", ALL, &by_day, false), "1 a 2026-01-01\n8 y 2026-01-03\n9 z 2026-01-02\n");
  o.write_id = 4;
  insert(t, &o, NULL, 0); /* a static partition is emptied */
  assert_string_equal(writing_table(t, "w/t", ALL, &by_day, false), "1 a 2026-01-01\n9 z 2026-01-02\n");
  o.write_id = 5;
  o.static_values = NULL;
  insert(t, &o, NULL, 0); /* a dynamic overwrite without rows touches nothing */
  assert_string_equal(writing_table(t, "w/t", ALL, &by_day, false), "1 a 2026-01-01\n9 z 2026-01-02\n");
}

static void an_unpartitioned_overwrite_without_rows_empties_the_table(void **state) {
  static const char *const cells[] = {"1", "2"};
  static const uint32_t bucket_columns[] = {0};
  static const skep_plan_opts plan = {.schema = "struct<x:int>"};
  writing *t = *state;
  skep_table_write_opts o = table_opts(t, "struct<x:int>", NULL, SKEP_WRITE_INSERT, 1, 0);
  o.n_buckets = 2;
  o.n_bucket_columns = 1;
  o.bucket_columns = bucket_columns;
  o.bucketing_version = 2;
  insert(t, &o, cells, 2);
  o.kind = SKEP_WRITE_OVERWRITE;
  o.write_id = 2;
  insert(t, &o, NULL, 0);
  assert_string_equal(writing_table(t, "w/t", ALL, &plan, false), "");
  assert_non_null(strstr(writing_tree(t, "w/t"), "base_0000002/bucket_00000\nbase_0000002/bucket_00001\n"));
}

static void a_static_partition_is_made_even_without_rows(void **state) {
  writing *t = *state;
  skep_bytes values[] = {skep_bytes_of("x", 1)};
  skep_table_write_opts o = table_opts(t, "struct<x:int>", "struct<p:string>", SKEP_WRITE_INSERT, 1, 0);
  skep_table_write *w;
  const skep_written_partition *list;
  uint32_t n;
  o.static_values = values;
  assert_ok(skep_table_write_open(&t->ctx, t->fs, &o, &w, &t->err), t->err);
  assert_ok(skep_table_write_finish(w, &list, &n, &t->err), t->err);
  assert_int_equal(n, 1);
  assert_string_equal(list[0].name, "p=x");
  assert_int_equal(list[0].n_files, 0);
  assert_string_equal(writing_tree(t, "w"), "t/p=x/\n");
  skep_table_write_free(w);
}

static void static_and_dynamic_keys_mix(void **state) {
  static const char *const cells[] = {"1", "u", "2", "v"};
  writing *t = *state;
  skep_bytes values[] = {skep_bytes_of("2026-01-01", 10), {NULL, 0}};
  skep_table_write_opts o = table_opts(t, "struct<x:int>", "struct<d:date,s:string>", SKEP_WRITE_INSERT, 1, 0);
  o.static_values = values;
  insert(t, &o, cells, 2);
  assert_non_null(strstr(writing_tree(t, "w/t"), "d=2026-01-01/s=u/delta_0000001_0000001_0000/bucket_00000\n"));
  assert_non_null(strstr(writing_tree(t, "w/t"), "d=2026-01-01/s=v/delta_0000001_0000001_0000/bucket_00000\n"));
}

static void too_many_partitions_are_hives_error(void **state) {
  static const char *const cells[] = {"1", "1", "2", "2", "3", "3"};
  writing *t = *state;
  skep_table_write_opts o = table_opts(t, "struct<x:int>", "struct<p:int>", SKEP_WRITE_INSERT, 1, 0);
  o.max_partitions = 2;
  assert_int_equal(try_rows(t, &o, cells, 3), SKEP_ERR_RUNTIME);
  assert_non_null(strstr(t->err.text, "[Error 20004]"));
  assert_non_null(strstr(t->err.text, "Maximum was set to 2 partitions per node"));
  assert_string_equal(writing_tree(t, "w"), "");
}

/* ---- other kinds of tables ---- */

static void insert_only_tables_get_plain_files_in_deltas(void **state) {
  static const char *const cells[] = {"1", "a", "2", "b"};
  static const skep_plan_opts plan = {.schema = "struct<id:int,s:string>", .insert_only = true};
  writing *t = *state;
  skep_table_write_opts o = table_opts(t, "struct<id:int,s:string>", NULL, SKEP_WRITE_INSERT, 1, 0);
  o.format = SKEP_WRITE_INSERT_ONLY;
  insert(t, &o, cells, 2);
  o.write_id = 2;
  insert(t, &o, cells, 1);
  assert_string_equal(writing_tree(t, "w/t"),
                      "delta_0000001_0000001_0000/000000_0\ndelta_0000002_0000002_0000/000000_0\n");
  o.kind = SKEP_WRITE_OVERWRITE;
  o.write_id = 3;
  insert(t, &o, cells + 2, 1);
  assert_string_equal(writing_table(t, "w/t", ALL, &plan, false), "2 b\n");
  assert_string_equal(writing_table(t, "w/t", "db.t:2:9223372036854775807::", &plan, false), "1 a\n1 a\n2 b\n");
}

static void plain_tables_get_copies_and_are_replaced(void **state) {
  static const char *const cells[] = {"1", "a", "2", "b", "3", "c"};
  static const skep_plan_opts plan = {.schema = "struct<id:int,s:string>"};
  writing *t = *state;
  skep_table_write_opts o = table_opts(t, "struct<id:int,s:string>", NULL, SKEP_WRITE_INSERT, 0, 0);
  o.format = SKEP_WRITE_PLAIN;
  for (int i = 0; i < 3; i++) insert(t, &o, cells + 2 * i, 1);
  insert(t, &o, NULL, 0);
  assert_string_equal(writing_tree(t, "w/t"), "000000_0\n000000_0_copy_1\n000000_0_copy_2\n");
  assert_string_equal(writing_table(t, "w/t", ALL, &plan, false), "1 a\n2 b\n3 c\n");
  o.kind = SKEP_WRITE_OVERWRITE;
  insert(t, &o, cells + 2, 2);
  assert_string_equal(writing_tree(t, "w/t"), "000000_0\n");
  assert_string_equal(writing_table(t, "w/t", ALL, &plan, false), "2 b\n3 c\n");
}

/* ---- failures ---- */

static void wrong_use_is_named(void **state) {
  static const char *const cells[] = {"1"};
  writing *t = *state;
  skep_table_write *w;
  skep_batch batch;
  skep_table_write_opts o = table_opts(t, "struct<x:int>", "struct<p:int>", SKEP_WRITE_INSERT, 1, 0);
  writing_batch(t, &batch, writing_type(t, "struct<x:int>"), cells, 1);
  assert_ok(skep_table_write_open(&t->ctx, t->fs, &o, &w, &t->err), t->err);
  assert_int_equal(skep_table_write_rows(w, &batch, &t->err), SKEP_ERR_ARGUMENT);
  assert_string_equal(t->err.text, "db.t: a batch of 1 columns where 2 are expected");
  assert_int_equal(skep_table_write_deletes(w, &batch, &t->err), SKEP_ERR_ARGUMENT);
  skep_table_write_free(w);
  o.format = SKEP_WRITE_PLAIN;
  o.kind = SKEP_WRITE_DELETE;
  assert_int_equal(skep_table_write_open(&t->ctx, t->fs, &o, &w, &t->err), SKEP_ERR_ARGUMENT);
  assert_string_equal(t->err.text, "db.t: deletes from a table that is not full ACID");
  assert_null(w);
  skep_vec_fini(&batch.root);
}

static void any_failing_call_is_reported_and_leaves_nothing(void **state) {
  static const char *const cells[] = {"1", "a", "1", "2", "b", "2", "3", "c", "1"};
  static const skep_write_format formats[] = {SKEP_WRITE_FULL_ACID, SKEP_WRITE_INSERT_ONLY};
  writing *t = *state;
  for (size_t k = 0; k < 2; k++) {
    skep_table_write_opts o = table_opts(t, "struct<id:int,s:string>", "struct<p:int>", SKEP_WRITE_OVERWRITE, 1, 0);
    o.format = formats[k];
    uint64_t nth = 1;
    for (;; nth++) {
      uint64_t before = skep_fs_faulty_counts(t->fs).calls;
      skep_fs_faulty_fail_nth(t->fs, nth, false);
      skep_status status = try_rows(t, &o, cells, 3);
      skep_fs_faulty_fail_nth(t->fs, 0, false);
      if (status == SKEP_OK && skep_fs_faulty_counts(t->fs).calls - before < nth) break;
      assert_int_equal(status, SKEP_ERR_IO);
      assert_string_equal(writing_tree(t, "w"), "");
      writing_again(t);
    }
    assert_true(nth > 15);
    writing_again(t);
  }
}

/* New files are whole and synced before one of them, or a name of an old one, moves. */
static void plain_files_are_safe_before_they_move_into_place(void **state) {
  static const char *const cells[] = {"1", "a"};
  writing *t = *state;
  writing_log_fs log_fs;
  skep_buf log;
  skep_batch batch;
  skep_table_write *w;
  const skep_written_partition *list;
  uint32_t n;
  skep_table_write_opts o = table_opts(t, "struct<id:int,s:string>", NULL, SKEP_WRITE_OVERWRITE, 0, 0);
  o.format = SKEP_WRITE_PLAIN;
  insert(t, &o, cells, 1);
  skep_buf_init(&log, &t->ctx, 1 << 20);
  writing_log_init(&log_fs, t, &log);
  writing_batch(t, &batch, batch_type(t, &o), cells, 1);
  assert_ok(skep_table_write_open(&t->ctx, &log_fs.fs, &o, &w, &t->err), t->err);
  assert_ok(skep_table_write_rows(w, &batch, &t->err), t->err);
  assert_ok(skep_table_write_finish(w, &list, &n, &t->err), t->err);
  const char *text = skep_buf_string(&log), *synced = strstr(text, "sync 000000_0\n"),
             *old = strstr(text, "/old/000000_0\n"), *placed = strstr(text, "rename to w/t/000000_0\n"),
             *names = strstr(text, "sync_dir w/t\n"), *last = NULL;
  for (const char *at = names; at != NULL; at = strstr(at + 1, "sync_dir w/t\n")) last = at;
  assert_true(synced != NULL && names != NULL && synced < names && names < old && old < placed && placed < last);
  skep_table_write_free(w);
  skep_vec_fini(&batch.root);
  skep_buf_fini(&log);
}

/* What was there stays readable, or lies in the staging directory: nothing is lost. */
static void a_plain_overwrite_that_fails_loses_nothing(void **state) {
  static const char *const cells[] = {"1", "a", "2", "b"};
  static const skep_plan_opts plan = {.schema = "struct<id:int,s:string>"};
  writing *t = *state;
  skep_table_write_opts o = table_opts(t, "struct<id:int,s:string>", NULL, SKEP_WRITE_INSERT, 0, 0), over = o;
  o.format = over.format = SKEP_WRITE_PLAIN;
  over.kind = SKEP_WRITE_OVERWRITE;
  int n_old = 0;
  for (uint64_t nth = 1;; nth++) {
    insert(t, &o, cells, 1);
    uint64_t before = skep_fs_faulty_counts(t->fs).calls;
    skep_fs_faulty_fail_nth(t->fs, nth, false);
    skep_status status = try_rows(t, &over, cells + 2, 1);
    skep_fs_faulty_fail_nth(t->fs, 0, false);
    if (status == SKEP_OK && skep_fs_faulty_counts(t->fs).calls - before < nth) break;
    const char *rows = writing_table(t, "w/t", ALL, &plan, false);
    if (strcmp(rows, "1 a\n") != 0 && strcmp(rows, "2 b\n") != 0) fail_msg("call %d: %s", (int)nth, rows);
    bool is_old = strcmp(rows, "1 a\n") == 0;
    if (is_old) assert_string_equal(writing_tree(t, "w/t"), "000000_0\n"); /* nothing of the failed one */
    n_old += is_old;
    writing_again(t);
  }
  assert_true(n_old > 0);
}

/* A commit that fails after the files were placed. */
static void an_abort_after_finish_takes_plain_files_back(void **state) {
  static const char *const cells[] = {"1", "a", "1", "2", "b", "2", "3", "c", "1", "4", "d", "3"};
  static const skep_plan_opts plan = {.schema = "struct<id:int,s:string>", .partition_schema = "struct<p:int>"};
  writing *t = *state;
  for (int overwrite = 0; overwrite < 2; overwrite++) {
    skep_table_write *w;
    const skep_written_partition *list;
    uint32_t n;
    skep_batch batch;
    skep_table_write_opts o = table_opts(t, "struct<id:int,s:string>", "struct<p:int>", SKEP_WRITE_INSERT, 0, 0);
    o.format = SKEP_WRITE_PLAIN;
    insert(t, &o, cells, 2);
    char *before = strdup(writing_tree(t, "w/t"));
    if (overwrite == 1) o.kind = SKEP_WRITE_OVERWRITE;
    assert_ok(skep_table_write_open(&t->ctx, t->fs, &o, &w, &t->err), t->err);
    writing_batch(t, &batch, batch_type(t, &o), cells + 6, 2);
    assert_ok(skep_table_write_rows(w, &batch, &t->err), t->err);
    assert_ok(skep_table_write_finish(w, &list, &n, &t->err), t->err);
    assert_non_null(strstr(writing_table(t, "w/t", ALL, &plan, false), "3 c"));
    skep_table_write_abort(w);
    skep_table_write_free(w);
    assert_string_equal(writing_tree(t, "w/t"), before);
    const char *rows = writing_table(t, "w/t", ALL, &plan, false);
    assert_true(strstr(rows, "1 a") != NULL && strstr(rows, "2 b") != NULL && strstr(rows, "3 c") == NULL);
    free(before);
    skep_vec_fini(&batch.root);
    writing_again(t);
  }
}

static void any_failing_allocation_is_reported(void **state) {
  static const char *const cells[] = {"1", "a", "1", "2", "b", "2", "3", "c", "1"};
  writing *t = *state;
  skep_table_write_opts o = table_opts(t, "struct<id:int,s:string>", "struct<p:int>", SKEP_WRITE_INSERT, 1, 0);
  skep_batch batch;
  writing_batch(t, &batch, batch_type(t, &o), cells, 3);
  for (uint64_t nth = 1;; nth++) {
    skep_table_write *w;
    const skep_written_partition *list;
    uint32_t n;
    failing_alloc_arm(&t->memory, nth);
    skep_status status = skep_table_write_open(&t->ctx, t->fs, &o, &w, &t->err);
    if (status == SKEP_OK) status = skep_table_write_rows(w, &batch, &t->err);
    if (status == SKEP_OK) status = skep_table_write_finish(w, &list, &n, &t->err);
    if (status != SKEP_OK && w != NULL) skep_table_write_abort(w);
    skep_table_write_free(w);
    bool fired = failing_alloc_fired(&t->memory);
    failing_alloc_arm(&t->memory, 0);
    writing_again(t);
    if (!fired) break;
    assert_true(status == SKEP_ERR_NOMEM || status == SKEP_OK);
  }
  skep_vec_fini(&batch.root);
}

/* Many partitions with few rows each are open at once: what each holds must be little. */
static void an_open_partition_holds_little_memory(void **state) {
  enum { N = 400 };
  writing *t = *state;
  skep_table_write *w;
  const skep_written_partition *list;
  uint32_t n;
  skep_batch batch;
  static const char *cells[N * 6];
  static char texts[N][8];
  skep_table_write_opts o = table_opts(t, "struct<a:int,b:string,c:decimal(10,2),d:timestamp,e:double>",
                                       "struct<p:int>", SKEP_WRITE_INSERT, 1, 0);
  for (int i = 0; i < N; i++) {
    const char *row[] = {"1", "text", "2.50", "2026-01-01 00:00:00", "0.5", texts[i]};
    snprintf(texts[i], sizeof texts[i], "%d", i);
    memcpy(cells + 6 * i, row, sizeof row);
  }
  writing_batch(t, &batch, batch_type(t, &o), cells, N);
  uint64_t before = t->memory.live_bytes;
  assert_ok(skep_table_write_open(&t->ctx, t->fs, &o, &w, &t->err), t->err);
  assert_ok(skep_table_write_rows(w, &batch, &t->err), t->err);
  assert_true(t->memory.live_bytes - before < (uint64_t)N * (64 << 10));
  assert_ok(skep_table_write_finish(w, &list, &n, &t->err), t->err);
  assert_int_equal(n, N);
  skep_table_write_free(w);
  skep_vec_fini(&batch.root);
}

/* ---- the process ends ---- */

static void use_posix(writing *t) {
  skep_fs_free(t->fs);
  skep_fs_free(t->below);
  assert_ok(skep_fs_posix_new(&t->ctx, &t->below, &t->err), t->err);
  assert_ok(skep_fs_faulty_new(&t->ctx, t->below, &t->fs, &t->err), t->err);
}

/* In a child that ends at the nth change: its exit status. */
static int insert_in_child(writing *t, const skep_table_write_opts *o, const char *const *cells, size_t n_rows,
                           uint64_t nth) {
  int status = 0;
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    skep_fs_faulty_stop_nth(t->fs, nth);
    _exit(try_rows(t, o, cells, n_rows) == SKEP_OK ? 0 : 1);
  }
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

/* Whatever step was the last one: readers see what was committed before, and the same write id can be written again
 * over what the dead process left. */
static void a_process_that_ends_anywhere_leaves_nothing_to_see(void **state) {
  static const char *const before[] = {"1", "a", "1", "2", "b", "2"};
  static const char *const after[] = {"3", "c", "2", "4", "d", "3", "5", "e", "1", "6", "f", "3"};
  static const skep_plan_opts plan = {.schema = "struct<id:int,s:string>", .partition_schema = "struct<p:int>"};
  static const uint32_t bucket_columns[] = {0};
  writing *t = *state;
  int ended = 0, stopped = 0;
  use_posix(t);
  for (uint64_t nth = 1; ended == 0 && nth < 200; nth++) {
    temp_dir dir;
    char location[300];
    temp_dir_make(&dir);
    snprintf(location, sizeof location, "%s/t", dir.path);
    skep_table_write_opts o = table_opts(t, "struct<id:int,s:string>", "struct<p:int>", SKEP_WRITE_INSERT, 1, 0);
    o.location = location;
    o.n_buckets = 2;
    o.n_bucket_columns = 1;
    o.bucket_columns = bucket_columns;
    o.bucketing_version = 2;
    insert(t, &o, before, 2);
    o.write_id = 2;
    int status = insert_in_child(t, &o, after, 4, nth);
    assert_true(status == 0 || status == SKEP_FS_FAULT_CODE);
    ended += status == 0;
    stopped += status != 0;
    assert_string_equal(writing_table(t, location, "db.t:1:9223372036854775807::", &plan, false), "1 a 1\n2 b 2\n");
    insert(t, &o, after, 4);
    assert_string_equal(writing_table(t, location, ALL, &plan, false), "1 a 1\n2 b 2\n3 c 2\n4 d 3\n5 e 1\n6 f 3\n");
    temp_dir_remove(&dir);
  }
  assert_int_equal(ended, 1);
  assert_true(stopped > 20);
}

/* ---- at random ---- */

static uint32_t next(uint32_t *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return *seed >> 8;
}

/* Batches of every mixture of partitions, with and without buckets, against a list of the rows. */
static void random_batches_arrive_row_by_row(void **state) {
  enum { ROUNDS = 12, N = 300 };
  static const uint32_t bucket_columns[] = {0};
  static const skep_plan_opts plan = {.schema = "struct<id:int,s:string>",
                                      .partition_schema = "struct<p:string,q:bigint>"};
  writing *t = *state;
  uint32_t seed = 20260130;
  for (int round = 0; round < ROUNDS; round++) {
    skep_table_write_opts o =
        table_opts(t, "struct<id:int,s:string>", "struct<p:string,q:bigint>", SKEP_WRITE_INSERT, 1, 0);
    if (round % 2 == 1) {
      o.n_buckets = 1 + next(&seed) % 7;
      o.n_bucket_columns = 1;
      o.bucket_columns = bucket_columns;
      o.bucketing_version = 1 + round / 2 % 2;
    }
    char texts[N][4][24];
    const char *cells[N * 4];
    skep_buf want;
    skep_buf_init(&want, &t->ctx, 1 << 20);
    uint32_t spread = 1 + next(&seed) % 9, run = 1 + next(&seed) % 20, p = 0;
    for (uint32_t i = 0; i < N; i++) {
      if (i % run == 0) p = next(&seed) % spread;
      snprintf(texts[i][0], sizeof texts[i][0], "%u", i);
      snprintf(texts[i][1], sizeof texts[i][1], "text %u", next(&seed) % 50);
      snprintf(texts[i][2], sizeof texts[i][2], "value/%u", p);
      snprintf(texts[i][3], sizeof texts[i][3], "%u", p % 3);
      for (int c = 0; c < 4; c++) cells[4 * i + (uint32_t)c] = texts[i][c];
      skep_buf_printf(&want, "%s %s %s %s\n", texts[i][0], texts[i][1], texts[i][2], texts[i][3]);
    }
    insert(t, &o, cells, N);
    skep_buf_reset(&t->text);
    skep_buf_add(&t->text, want.data, want.size);
    writing_sort_lines(t);
    char *sorted = strdup(skep_buf_string(&t->text));
    assert_string_equal(writing_table(t, "w/t", ALL, &plan, false), sorted);
    free(sorted);
    skep_buf_fini(&want);
    writing_again(t);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, writing_setup, writing_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(special_characters_are_escaped_as_hive_escapes_them),
      TEST(values_of_every_type_have_hives_text),
      TEST(the_list_says_what_was_touched_and_where),
      TEST(an_update_deletes_old_rows_and_inserts_new_ones),
      TEST(overwrites_replace_what_they_touch),
      TEST(an_unpartitioned_overwrite_without_rows_empties_the_table),
      TEST(a_static_partition_is_made_even_without_rows),
      TEST(static_and_dynamic_keys_mix),
      TEST(too_many_partitions_are_hives_error),
      TEST(insert_only_tables_get_plain_files_in_deltas),
      TEST(plain_tables_get_copies_and_are_replaced),
      TEST(wrong_use_is_named),
      TEST(any_failing_call_is_reported_and_leaves_nothing),
      TEST(plain_files_are_safe_before_they_move_into_place),
      TEST(a_plain_overwrite_that_fails_loses_nothing),
      TEST(an_abort_after_finish_takes_plain_files_back),
      TEST(any_failing_allocation_is_reported),
      TEST(an_open_partition_holds_little_memory),
      TEST(a_process_that_ends_anywhere_leaves_nothing_to_see),
      TEST(random_batches_arrive_row_by_row),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
