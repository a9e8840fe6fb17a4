/* Scans of small files (tests/data/acid, made by make.py there) against answers computed from the rules of that script.
 */
#include "acid/scan.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "acid/plan.h"
#include "acid/scan_int.h"
#include "column/text.h"
#include "io/faulty.h"
#include "io/memory.h"
#include "support/failing_alloc.h"
#include "support/test.h"

#define ROW_TYPE "struct<x:bigint,s:string,n:struct<a:int,b:string>,v:int>"
enum { PROPERTY = 536870912, MAX_LINES = 50000 };

/* ---- a world: files in memory, a cache, a split under construction, the lines of a result ---- */

typedef struct world {
  skep_ctx ctx;
  skep_fs *memory, *fs; /* fs counts and fails over memory */
  skep_scan_cache *cache;
  skep_arena arena;
  skep_split split;
  skep_split_file files[8], deletes[512];
  char **lines;
  size_t n_lines;
  skep_orc_reader_counts counts;
  skep_err err;
} world;

static void put_bytes(world *w, const char *name, const char *source, size_t junk) {
  char path[512];
  snprintf(path, sizeof path, "%s/tests/data/acid/%s", SKEP_SOURCE_DIR, source);
  FILE *f = fopen(path, "rb");
  assert_non_null(f);
  static uint8_t bytes[1 << 16];
  size_t size = fread(bytes, 1, sizeof bytes - junk, f);
  fclose(f);
  memset(bytes + size, 'x', junk);
  char full[512];
  snprintf(full, sizeof full, "t/%s", name);
  assert_int_equal(skep_fs_memory_put(w->memory, full, bytes, size + junk, NULL), SKEP_OK);
}

static uint64_t size_of(world *w, const char *name) {
  char full[512];
  snprintf(full, sizeof full, "t/%s", name);
  skep_stat st;
  assert_int_equal(skep_fs_stat(w->memory, full, &st, NULL), SKEP_OK);
  return st.size_bytes;
}

static const skep_type *type_of(world *w, const char *text) {
  const skep_type *type;
  assert_int_equal(skep_type_parse(&w->arena, text, strlen(text), &type, &w->err), SKEP_OK);
  return type;
}

static world *world_new(skep_split_kind kind, const char *table, const char *columns) {
  world *w = calloc(1, sizeof *w);
  assert_non_null(w);
  skep_ctx_init(&w->ctx);
  assert_int_equal(skep_fs_memory_new(&w->ctx, &w->memory, NULL), SKEP_OK);
  assert_int_equal(skep_fs_faulty_new(&w->ctx, w->memory, &w->fs, NULL), SKEP_OK);
  assert_int_equal(skep_scan_cache_new(&w->ctx, w->fs, &w->cache, NULL), SKEP_OK);
  skep_arena_init(&w->arena, &w->ctx, SIZE_MAX);
  w->split = (skep_split){.kind = kind, .root = "t", .files = w->files, .deletes = w->deletes, .n_stripes = UINT32_MAX};
  w->split.snapshot.everything = true;
  w->split.table = type_of(w, table);
  w->split.columns = type_of(w, columns);
  w->lines = calloc(MAX_LINES, sizeof *w->lines);
  assert_non_null(w->lines);
  return w;
}

static void forget_lines(world *w) {
  for (size_t i = 0; i < w->n_lines; i++) free(w->lines[i]);
  w->n_lines = 0;
}

static void world_free(world *w) {
  forget_lines(w);
  free(w->lines);
  skep_scan_cache_free(w->cache);
  skep_fs_free(w->fs);
  skep_fs_free(w->memory);
  skep_arena_fini(&w->arena);
  free(w);
}

static skep_split_file *add_file(world *w, const char *name, const char *source, int64_t min, int64_t max) {
  put_bytes(w, name, source, 0);
  w->files[w->split.n_files] = (skep_split_file){
      .path = name, .logical_bytes = size_of(w, name), .min_write_id = min, .max_write_id = max, .statement = -1};
  return &w->files[w->split.n_files++];
}

static skep_split_file *add_deletes(world *w, const char *name, const char *source, int64_t min, int64_t max) {
  put_bytes(w, name, source, 0);
  w->deletes[w->split.n_deletes] = (skep_split_file){
      .path = name, .logical_bytes = size_of(w, name), .min_write_id = min, .max_write_id = max, .statement = -1};
  return &w->deletes[w->split.n_deletes++];
}

static void set_snapshot(world *w, const char *text) {
  assert_int_equal(skep_snapshot_parse(&w->arena, text, NULL, SKEP_HIVE_4, &w->split.snapshot, &w->err), SKEP_OK);
}

static int compare_lines(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static skep_status add_lines(world *w, const skep_vec *root) {
  skep_text text = {.style = SKEP_TEXT_COPY};
  skep_buf buf;
  skep_buf_init(&buf, &w->ctx, 1 << 20);
  skep_status st = SKEP_OK;
  for (int64_t i = 0; st == SKEP_OK && i < root->length; i++) {
    skep_buf_reset(&buf);
    for (uint32_t c = 0; st == SKEP_OK && c < root->n_children; c++) {
      assert_int_equal(root->children[c].length, root->length);
      if (c != 0) skep_buf_byte(&buf, '|');
      st = skep_text_value(&text, &root->children[c], i, &buf, &w->err);
    }
    assert_true(w->n_lines < MAX_LINES);
    w->lines[w->n_lines++] = strdup(skep_buf_string(&buf));
  }
  skep_buf_fini(&buf);
  return st;
}

/* Runs the split; its rows as sorted lines. */
static skep_status run_forms(world *w, int64_t max_rows, const skep_forms *forms) {
  skep_scan *scan;
  skep_batch batch = {.first_row = 0};
  forget_lines(w);
  skep_status st = skep_scan_open(w->cache, &w->split, forms, &scan, &w->err);
  if (st != SKEP_OK) return st;
  st = skep_vec_init(&batch.root, &w->ctx, skep_scan_type(scan), forms, &w->err);
  while (st == SKEP_OK) {
    st = skep_scan_next(scan, max_rows, &batch, &w->err);
    if (st == SKEP_OK) {
      assert_true(batch.root.length > 0 && batch.root.length <= max_rows);
      st = add_lines(w, &batch.root);
    }
  }
  w->counts = skep_scan_counts(scan);
  skep_vec_fini(&batch.root);
  skep_scan_close(scan);
  qsort(w->lines, w->n_lines, sizeof *w->lines, compare_lines);
  return st == SKEP_END ? SKEP_OK : st;
}

static skep_status run(world *w, int64_t max_rows) {
  const skep_forms forms = {0};
  return run_forms(w, max_rows, &forms);
}

/* The result must be exactly these lines, in any order. */
static void expect_lines(world *w, const char *const *want, size_t n) {
  const char **sorted = calloc(n + 1, sizeof *sorted);
  assert_non_null(sorted);
  if (n != 0) memcpy(sorted, want, n * sizeof *sorted);
  qsort(sorted, n, sizeof *sorted, compare_lines);
  for (size_t i = 0; i < n && i < w->n_lines; i++) assert_string_equal(w->lines[i], sorted[i]);
  assert_int_equal(w->n_lines, n);
  free(sorted);
}

#define EXPECT(w, ...)                                    \
  do {                                                    \
    const char *const want_[] = {__VA_ARGS__};            \
    expect_lines(w, want_, sizeof want_ / sizeof *want_); \
  } while (0)

static bool is_deleted(int64_t i) { return i % 7 == 3; }

/* ---- ACID and original splits ---- */

static void deletes_hit_the_right_rows_when_row_groups_are_skipped(void **state) {
  (void)state; /* cases.md 55 */
  for (int original = 0; original < 2; original++) {
    world *w = world_new(original ? SKEP_SPLIT_ORIGINAL : SKEP_SPLIT_ACID, ROW_TYPE, "struct<x:bigint>");
    skep_split_file *f = add_file(w, "f", original ? "plain.orc" : "insert.orc", original ? 0 : 1, original ? 0 : 1);
    f->synthetic_bucket = PROPERTY;
    add_deletes(w, "d", original ? "delete_original.orc" : "delete.orc", 2, 2);
    w->split.predicate = "x between 2100 and 2300 or x = 8005";
    w->split.row_ids = true;
    static const int64_t sizes[] = {1, 3, 7, 1000, 100000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      assert_int_equal(run(w, sizes[s]), SKEP_OK);
      size_t n = 0;
      for (int64_t x = 2100; x <= 2300; x++) n += !is_deleted(x);
      assert_int_equal(w->n_lines, n + !is_deleted(8005));
      for (size_t i = 0; i < w->n_lines; i++) {
        long long write_id, row_id, x;
        int bucket;
        assert_int_equal(sscanf(w->lines[i], "%lld|%d|%lld|%lld", &write_id, &bucket, &row_id, &x), 4);
        assert_int_equal(write_id, !original);
        assert_int_equal(bucket, PROPERTY);
        assert_int_equal(row_id, x);
        assert_false(is_deleted(x));
      }
      assert_true(w->counts.groups_skipped >= 7);
    }
    world_free(w);
  }
}

static void every_deleted_row_and_no_other_is_dropped(void **state) {
  (void)state;
  for (int original = 0; original < 2; original++) {
    for (int with_ids = 0; with_ids < 2; with_ids++) {
      world *w = world_new(original ? SKEP_SPLIT_ORIGINAL : SKEP_SPLIT_ACID, ROW_TYPE, ROW_TYPE);
      skep_split_file *f = add_file(w, "f", original ? "plain.orc" : "insert.orc", original ? 0 : 1, original ? 0 : 1);
      f->synthetic_bucket = PROPERTY;
      add_deletes(w, "d", original ? "delete_original.orc" : "delete.orc", 2, 2);
      w->split.row_ids = with_ids;
      const char **want = calloc(10000, sizeof *want);
      assert_non_null(want);
      size_t n = 0;
      for (int i = 0; i < 10000; i++) {
        if (is_deleted(i)) continue;
        char line[200], v[20] = "\\N", ids[60] = "";
        if (i % 5 != 0) snprintf(v, sizeof v, "%d", i * 2);
        if (with_ids) snprintf(ids, sizeof ids, "%d|%d|%d|", !original, PROPERTY, i);
        snprintf(line, sizeof line, "%s%d|row %d|{\"a\":%d,\"b\":\"b%d\"}|%s", ids, i, i, i % 10, i % 3, v);
        want[n++] = strdup(line);
      }
      assert_int_equal(run(w, 4096), SKEP_OK);
      expect_lines(w, want, n);
      for (size_t i = 0; i < n; i++) free((void *)(uintptr_t)want[i]);
      free(want);
      world_free(w);
    }
  }
}

static void columns_of_the_predicate_need_not_be_delivered(void **state) {
  (void)state;
  static const struct {
    const char *columns, *predicate;
    const char *want[4];
    size_t n;
  } cases[] = {
      {"struct<s:string>", "x = 42", {"row 42"}, 1},
      {"struct<s:string>", "n.a = 2 and x < 20", {"row 2", "row 12"}, 2},
      {"struct<n:struct<b:string>>", "n.a = 2 and x < 20", {"{\"b\":\"b2\"}", "{\"b\":\"b0\"}"}, 2},
      {"struct<n:struct<b:string>>", "N.A = 2 and X = 12", {"{\"b\":\"b0\"}"}, 1},
      {"struct<v:int>", "v is null and x < 10", {"\\N", "\\N"}, 2},
      {"struct<>", "x = 11", {""}, 1},
      {"struct<x:bigint>", "n is null", {NULL}, 0},
  };
  for (int original = 0; original < 2; original++) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      for (unsigned levels = 0; levels < 2; levels++) {
        world *w = world_new(original ? SKEP_SPLIT_ORIGINAL : SKEP_SPLIT_ACID, ROW_TYPE, cases[i].columns);
        add_file(w, "f", original ? "plain.orc" : "insert.orc", 1, 1);
        w->split.predicate = cases[i].predicate;
        w->split.evolution.positional_levels = levels;
        skep_status st = run(w, 1000);
        if (st != SKEP_OK) print_message("%s: %s\n", cases[i].predicate, w->err.text);
        assert_int_equal(st, SKEP_OK);
        expect_lines(w, cases[i].want, cases[i].n);
        world_free(w);
      }
    }
  }
}

static void an_unknown_column_in_the_predicate_is_named(void **state) {
  (void)state;
  world *w = world_new(SKEP_SPLIT_ACID, ROW_TYPE, "struct<x:bigint>");
  add_file(w, "f", "insert.orc", 1, 1);
  w->split.predicate = "zz = 1";
  assert_int_equal(run(w, 1000), SKEP_ERR_ARGUMENT);
  assert_non_null(strstr(w->err.text, "zz"));
  world_free(w);
}

static void partition_columns_are_constants_and_decide_predicates(void **state) {
  (void)state;
  static const char *const values[] = {"2026-01-02", "x y", NULL, "1.50", "true", "hidden value", "abc"};
  static const struct {
    const char *predicate;
    bool any, reads;
  } cases[] = {
      {NULL, true, true},
      {"x < 3", true, true},
      {"d = date '2026-01-02' and x < 3", true, true},
      {"d > date '2026-01-02' and x < 3", false, false},
      {"d > date '2026-01-02' or x < 3", true, true},
      {"not (s2 = 'x y') and x < 3", false, false},
      {"i is null and dec = 1.5 and f", true, true},
      {"i = 1 or x < 3", true, true},
      {"not (i = 1)", false, false},
      {"hidden = 'hidden value' and bad is null and x = 0", true, true},
  };
  static const skep_forms forms[] = {
      {.string = 0},
      {.boolean = SKEP_FORM_BOOL_BYTES, .string = SKEP_FORM_VIEW, .narrow_decimals = true, .keep_dictionaries = true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
      world *w = world_new(SKEP_SPLIT_ACID, ROW_TYPE, "struct<x:bigint>");
      add_file(w, "f", "insert.orc", 1, 1);
      w->split.partition_columns =
          type_of(w, "struct<d:date,s2:string,i:int,dec:decimal(5,2),f:boolean,hidden:string,bad:int>");
      w->split.n_partition_columns = 5;
      w->split.n_partition_values = 7;
      w->split.partition_values = values;
      w->split.predicate = cases[i].predicate;
      uint64_t opens = skep_fs_faulty_counts(w->fs).opens;
      skep_status st = run_forms(w, 100, &forms[k]);
      if (st != SKEP_OK) print_message("%s: %s\n", cases[i].predicate, w->err.text);
      assert_int_equal(st, SKEP_OK);
      assert_int_equal(w->n_lines != 0, cases[i].any);
      if (cases[i].any) assert_string_equal(w->lines[0], "0|2026-01-02|x y|\\N|1.50|true");
      assert_int_equal(skep_fs_faulty_counts(w->fs).opens - opens, cases[i].reads);
      world_free(w);
    }
  }
}

static void keys_at_the_edges_of_their_types_are_safe(void **state) {
  (void)state;
  world *w = world_new(SKEP_SPLIT_ACID, "struct<x:int>", "struct<x:int>");
  add_file(w, "f", "edges.orc", 1, 1);
  add_deletes(w, "d", "edges_delete.orc", 2, 2);
  w->split.row_ids = true;
  assert_int_equal(run(w, 5), SKEP_OK);
  assert_int_equal(w->n_lines, 42);
  for (size_t i = 0; i < w->n_lines; i++) assert_int_equal(strtoll(strrchr(w->lines[i], '|') + 1, NULL, 10) % 2, 0);
  world_free(w);
}

static void aborted_write_ids_inside_a_wide_delta_are_not_seen(void **state) {
  (void)state; /* cases.md 17 */
  world *w = world_new(SKEP_SPLIT_ACID, "struct<x:bigint>", "struct<x:bigint>");
  add_file(w, "f", "wide.orc", 1, 10);
  add_deletes(w, "d", "wide_delete.orc", 11, 14);
  set_snapshot(
      w, "db.t:13:9223372036854775807::3,7,12"); /* deletes of row 1 (by 12: aborted) and 3 (by 14) are not seen */
  w->split.check_write_ids = true;
  for (int with_predicate = 0; with_predicate < 2; with_predicate++) {
    w->split.predicate = with_predicate ? "x >= 0" : NULL;
    assert_int_equal(run(w, 64), SKEP_OK);
    assert_int_equal(w->n_lines, 8 * 18);
    for (size_t i = 0; i < w->n_lines; i++) {
      long long x = strtoll(w->lines[i], NULL, 10);
      assert_true(x / 100 != 3 && x / 100 != 7 && x % 100 != 0 && x % 100 != 2);
    }
  }
  set_snapshot(w, "db.t:14:9223372036854775807::"); /* another snapshot, another set: the cache must not mix them */
  assert_int_equal(run(w, 64), SKEP_OK);
  assert_int_equal(w->n_lines, 10 * 16);
  world_free(w);
}

static void only_the_flushed_length_of_a_file_is_read(void **state) {
  (void)state;
  world *w = world_new(SKEP_SPLIT_ACID, "struct<x:bigint>", "struct<x:bigint>");
  skep_split_file *f = add_file(w, "f", "wide.orc", 1, 10);
  put_bytes(w, "f", "wide.orc", 1000); /* what a dead writer left behind */
  assert_int_equal(run(w, 64), SKEP_OK);
  assert_int_equal(w->n_lines, 200);
  f->logical_bytes = 0; /* nothing was committed: not even opened */
  uint64_t opens = skep_fs_faulty_counts(w->fs).opens;
  assert_int_equal(run(w, 64), SKEP_OK);
  assert_int_equal(w->n_lines, 0);
  assert_int_equal(skep_fs_faulty_counts(w->fs).opens, opens);
  world_free(w);
}

static void rows_of_a_load_have_its_write_id(void **state) {
  (void)state;
  world *w = world_new(SKEP_SPLIT_ORIGINAL, ROW_TYPE, "struct<x:bigint>");
  skep_split_file *f = add_file(w, "delta_0000004_0000004_0000/000000_0", "plain.orc", 4, 4);
  f->synthetic_write_id = 4;
  f->synthetic_bucket = PROPERTY;
  f->first_row_id = 50;
  w->split.row_ids = true;
  w->split.predicate = "x in (0, 9999)";
  assert_int_equal(run(w, 1000), SKEP_OK);
  EXPECT(w, "4|536870912|50|0", "4|536870912|10049|9999");
  set_snapshot(w, "db.t:3:9223372036854775807::");
  assert_int_equal(run(w, 1000), SKEP_OK);
  assert_int_equal(w->n_lines, 0);
  f->first_row_id = INT64_MAX - 5; /* a hostile split */
  f->synthetic_write_id = 0;
  assert_int_equal(run(w, 1000), SKEP_ERR_ARGUMENT);
  world_free(w);
}

static void user_columns_with_the_six_names_are_just_columns(void **state) {
  (void)state; /* cases.md 20 */
  const char *type =
      "struct<operation:int,originaltransaction:bigint,bucket:int,rowid:bigint,currenttransaction:bigint,"
      "row:struct<a:int>>";
  world *w = world_new(SKEP_SPLIT_ORIGINAL, type, type);
  add_file(w, "000000_0", "six_names.orc", 0, 0)->synthetic_bucket = PROPERTY;
  w->split.row_ids = true;
  w->split.predicate = "operation = 2";
  assert_int_equal(run(w, 1000), SKEP_OK);
  EXPECT(w, "0|536870912|2|2|2|2|2|2|{\"a\":2}");
  world_free(w);
}

static void files_that_do_not_fit_their_split_are_errors(void **state) {
  (void)state;
  static const struct {
    const char *source;
    skep_status status;
    const char *text;
  } cases[] = {
      {"plain.orc", SKEP_ERR_CORRUPT, "t/f: no ACID columns"},
      {"no_key.orc", SKEP_ERR_CORRUPT, "t/f: 1 of 1 events have no bucket"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    world *w = world_new(SKEP_SPLIT_ACID, "struct<x:int>", "struct<x:int>");
    add_file(w, "f", cases[i].source, 1, 1);
    w->split.row_ids = true;
    assert_int_equal(run(w, 1000), cases[i].status);
    assert_non_null(strstr(w->err.text, cases[i].text));
    world_free(w);
  }
  world *w = world_new(SKEP_SPLIT_ACID, "struct<x:int>", "struct<x:int>");
  add_file(w, "f", "insert.orc", 1, 1);
  add_deletes(w, "d", "plain.orc", 2, 2);
  assert_int_equal(run(w, 1000), SKEP_ERR_CORRUPT);
  assert_non_null(strstr(w->err.text, "t/d: a delete delta's file without ACID columns"));
  world_free(w);
}

static void delete_events_in_an_insert_delta_are_no_rows(void **state) {
  (void)state;
  world *w = world_new(SKEP_SPLIT_ACID, "struct<x:int>", "struct<x:int>");
  add_file(w, "f", "mixed.orc", 1, 1);
  assert_int_equal(run(w, 1000), SKEP_OK);
  EXPECT(w, "1");
  world_free(w);
}

static void stripes_that_the_file_does_not_have_are_an_error(void **state) {
  (void)state;
  world *w = world_new(SKEP_SPLIT_ACID, ROW_TYPE, "struct<x:bigint>");
  add_file(w, "f", "insert.orc", 1, 1);
  w->split.n_stripes = 5;
  assert_int_equal(run(w, 1000), SKEP_ERR_ARGUMENT);
  assert_non_null(strstr(w->err.text, "the split names stripes 0 to 4, the file has 1"));
  w->split.n_stripes = 0;
  assert_int_equal(run(w, 1000), SKEP_OK);
  assert_int_equal(w->n_lines, 0);
  world_free(w);
}

/* ---- ACID v1 ---- */

static world *v1_world(void) {
  world *w = world_new(SKEP_SPLIT_MERGE, "struct<id:int,t:string>", "struct<id:int,t:string>");
  w->split.hive = SKEP_HIVE_2;
  w->split.check_write_ids = true;
  add_file(w, "base_0000005/bucket_00000", "v1_base.orc", 0, 5);
  add_file(w, "delta_0000003_0000005/bucket_00000", "v1_overlap.orc", 3, 5);
  add_file(w, "delta_0000006_0000006_0000/bucket_00000", "v1_insert.orc", 6, 6)->statement = 0;
  add_file(w, "delta_0000007_0000007_0000/bucket_00000", "v1_update.orc", 7, 7)->statement = 0;
  add_file(w, "delta_0000008_0000008_0000/bucket_00000", "v1_delete.orc", 8, 8)->statement = 0;
  add_file(w, "delta_0000009_0000010/bucket_00000", "v1_minor.orc", 9, 10);
  return w;
}

static void the_newest_visible_event_says_what_a_v1_row_is(void **state) {
  (void)state;
  world *w = v1_world();
  static const int64_t sizes[] = {1, 2, 3, 1000};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    assert_int_equal(run(w, sizes[i]), SKEP_OK);
    EXPECT(w, "0|update 10", "1|updated in base", "4|base", "5|update 7", "6|second of 9", "7|new 9");
  }
  w->split.row_ids = true;
  assert_int_equal(run(w, 1000), SKEP_OK);
  EXPECT(w, "1|0|0|0|update 10", "1|0|1|1|updated in base", "5|0|1|4|base", "6|0|0|5|update 7", "6|0|1|6|second of 9",
         "9|0|0|7|new 9");
  w->split.row_ids = false;
  w->split.predicate = "t like 'update%' and id < 5"; /* an older version of a row must not come back */
  assert_int_equal(run(w, 1000), SKEP_OK);
  EXPECT(w, "0|update 10", "1|updated in base");
  w->split.predicate = "t = 'base'";
  assert_int_equal(run(w, 1000), SKEP_OK);
  EXPECT(w, "4|base");
  world_free(w);
}

static void older_snapshots_of_v1_see_older_versions(void **state) {
  (void)state;
  world *w = v1_world();
  set_snapshot(w, "db.t:8:9223372036854775807::");
  assert_int_equal(run(w, 1000), SKEP_OK);
  EXPECT(w, "0|update 7", "1|updated in base", "4|base", "5|update 7", "6|new");
  set_snapshot(w, "db.t:8:9223372036854775807::7");
  assert_int_equal(run(w, 1000), SKEP_OK);
  EXPECT(w, "0|base", "1|updated in base", "4|base", "5|new", "6|new");
  set_snapshot(w, "db.t:7:9223372036854775807::");
  assert_int_equal(run(w, 1000), SKEP_OK);
  EXPECT(w, "0|update 7", "1|updated in base", "2|base", "3|update 7", "4|base", "5|update 7", "6|new");
  world_free(w);
}

static void v1_events_change_original_rows_too(void **state) {
  (void)state;
  world *w = world_new(SKEP_SPLIT_MERGE, ROW_TYPE, "struct<x:bigint>");
  add_file(w, "000000_0", "plain.orc", 0, 0)->is_original = true;
  add_file(w, "delta_0000008_0000008_0000/bucket_00000", "v1_delete.orc", 8, 8)->statement = 0;
  w->split.predicate = "x < 3";
  w->split.row_ids = true;
  assert_int_equal(run(w, 100), SKEP_OK);
  EXPECT(w, "0|0|0|0", "0|0|2|2");
  world_free(w);
}

static void delete_deltas_apply_to_v1_rows_after_an_upgrade(void **state) {
  (void)state;
  world *w = v1_world();
  add_deletes(w, "delete_delta_0000011_0000011_0000/bucket_00000", "v1_delete.orc", 11, 11);
  add_deletes(w, "delete_delta_0000012_0000012_0000/bucket_00000", "delete.orc", 12, 12); /* other buckets: nothing */
  w->split.row_ids = true;
  assert_int_equal(run(w, 1000), SKEP_OK);
  assert_int_equal(w->n_lines, 6); /* its events (1,0,2), (5,0,0), (0,0,1) are gone already */
  world_free(w);
}

/* ---- the cache ---- */

static void splits_share_tails_and_delete_sets(void **state) {
  (void)state; /* cases.md 53, 54 */
  world *w = world_new(SKEP_SPLIT_ACID, ROW_TYPE, "struct<x:bigint>");
  add_file(w, "f", "insert.orc", 1, 1);
  static char names[500][64];
  for (int i = 0; i < 500; i++) {
    snprintf(names[i], sizeof names[i], "delete_delta_%07d_%07d/bucket_00000", i + 2, i + 2);
    add_deletes(w, names[i], "delete.orc", i + 2, i + 2);
  }
  skep_orc_tail *tail; /* as a planner would */
  assert_int_equal(skep_scan_cache_tail(w->cache, "t/f", w->files[0].logical_bytes, &tail, NULL), SKEP_OK);
  skep_orc_tail_unref(tail);
  assert_int_equal(run(w, 4096), SKEP_OK);
  assert_int_equal(w->n_lines, 10000 - 1429);
  skep_fs_counts first = skep_fs_faulty_counts(w->fs);
  assert_int_equal(first.opens, 501);
  for (int i = 0; i < 10; i++) { /* ten more splits of the plan */
    w->split.delete_set = (uint32_t)i;
    assert_int_equal(run(w, 4096), SKEP_OK);
  }
  assert_int_equal(skep_fs_faulty_counts(w->fs).opens, first.opens);
  world_free(w);
}

typedef struct racer {
  world *w;
  skep_status status;
  uint64_t rows;
} racer;

static void *race(void *self) {
  racer *r = self;
  const skep_forms forms = {0};
  skep_scan *scan;
  skep_batch batch = {.first_row = 0};
  r->status = skep_scan_open(r->w->cache, &r->w->split, &forms, &scan, NULL);
  if (r->status != SKEP_OK) return NULL;
  r->status = skep_vec_init(&batch.root, &r->w->ctx, skep_scan_type(scan), &forms, NULL);
  while (r->status == SKEP_OK && (r->status = skep_scan_next(scan, 1000, &batch, NULL)) == SKEP_OK) {
    r->rows += (uint64_t)batch.root.length;
  }
  skep_vec_fini(&batch.root);
  skep_scan_close(scan);
  return NULL;
}

static void threads_load_a_delete_set_once(void **state) {
  (void)state;
  world *w = world_new(SKEP_SPLIT_ACID, ROW_TYPE, "struct<x:bigint>");
  add_file(w, "f", "insert.orc", 1, 1);
  add_deletes(w, "d", "delete.orc", 2, 2);
  pthread_t threads[8];
  racer racers[8];
  for (int i = 0; i < 8; i++) {
    racers[i] = (racer){.w = w};
    assert_int_equal(pthread_create(&threads[i], NULL, race, &racers[i]), 0);
  }
  for (int i = 0; i < 8; i++) {
    pthread_join(threads[i], NULL);
    assert_int_equal(racers[i].status, SKEP_END);
    assert_int_equal(racers[i].rows, 10000 - 1429);
  }
  assert_int_equal(skep_fs_faulty_counts(w->fs).opens, 2);
  world_free(w);
}

static void a_failed_load_is_tried_again(void **state) {
  (void)state;
  world *w = world_new(SKEP_SPLIT_ACID, ROW_TYPE, "struct<x:bigint>");
  add_file(w, "f", "insert.orc", 1, 1);
  add_deletes(w, "d", "delete.orc", 2, 2);
  uint64_t calls = 0;
  for (uint64_t nth = 1;; nth++) { /* every call of the file system fails once */
    skep_scan_cache_free(w->cache);
    assert_int_equal(skep_scan_cache_new(&w->ctx, w->fs, &w->cache, NULL), SKEP_OK);
    skep_fs_faulty_fail_nth(w->fs, nth, false);
    skep_status st = run(w, 1000);
    skep_fs_faulty_fail_nth(w->fs, 0, false);
    if (st == SKEP_OK) break;
    calls++;
    assert_int_equal(st, SKEP_ERR_IO);
    assert_non_null(strstr(w->err.text, "t/"));
    assert_int_equal(run(w, 1000), SKEP_OK);
    assert_int_equal(w->n_lines, 10000 - 1429);
  }
  assert_true(calls >= 4);
  world_free(w);
}

static void errors_are_sticky(void **state) {
  (void)state;
  world *w = world_new(SKEP_SPLIT_ACID, ROW_TYPE, "struct<x:bigint>");
  add_file(w, "f", "plain.orc", 1, 1);
  const skep_forms forms = {0};
  skep_scan *scan;
  skep_batch batch = {.first_row = 0};
  assert_int_equal(skep_scan_open(w->cache, &w->split, &forms, &scan, NULL), SKEP_OK);
  assert_int_equal(skep_vec_init(&batch.root, &w->ctx, skep_scan_type(scan), &forms, NULL), SKEP_OK);
  skep_err first, second;
  assert_int_equal(skep_scan_next(scan, 10, &batch, &first), SKEP_ERR_CORRUPT);
  assert_int_equal(skep_scan_next(scan, 10, &batch, &second), SKEP_ERR_CORRUPT);
  assert_string_equal(first.text, second.text);
  assert_int_equal(skep_scan_next(scan, 0, &batch, &second), SKEP_ERR_ARGUMENT);
  skep_vec_fini(&batch.root);
  skep_scan_close(scan);
  skep_scan_close(NULL);
  world_free(w);
}

/* ---- whole directories: names, planning and scanning together ---- */

static world *table_world(void) { return world_new(SKEP_SPLIT_ACID, "struct<>", "struct<>"); }

/* Plans "t" and runs all its splits; lines of all of them, sorted. */
static void run_table(world *w, const char *schema, const char *snapshot, const char *predicate, bool row_ids) {
  const char *paths[] = {"t"};
  skep_plan_opts opts = {
      .schema = schema, .predicate = predicate, .row_ids = row_ids, .evolution_by_name = -1, .calendar = -1};
  assert_ok(skep_snapshot_parse(&w->arena, snapshot, NULL, SKEP_HIVE_4, &opts.snapshot, &w->err), w->err);
  skep_plan *plan;
  assert_ok(skep_plan_make(&w->ctx, w->fs, paths, 1, &opts, &plan, &w->err), w->err);
  char **all = calloc(MAX_LINES, sizeof *all);
  assert_non_null(all);
  size_t n = 0;
  for (uint32_t i = 0; i < plan->n_splits; i++) {
    w->split = plan->splits[i];
    assert_ok(run(w, 1000), w->err);
    for (size_t k = 0; k < w->n_lines; k++) all[n++] = w->lines[k];
    w->n_lines = 0;
  }
  free(w->lines);
  w->lines = all;
  w->n_lines = n;
  qsort(w->lines, n, sizeof *w->lines, compare_lines);
  skep_plan_free(plan);
}

#define ALL "db.t:100:9223372036854775807::"

static void delete_files_count_with_and_without_an_attempt_in_the_name(void **state) {
  (void)state; /* cases.md 44 */
  static const char *const names[] = {"bucket_00000", "bucket_00000_0", "bucket_00000_3"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
      world *w = table_world();
      char name[100];
      snprintf(name, sizeof name, "delta_0000001_0000001_0000/%s", names[i]);
      put_bytes(w, name, "insert.orc", 0);
      snprintf(name, sizeof name, "delete_delta_0000002_0000002_0000/%s", names[k]);
      put_bytes(w, name, "delete.orc", 0);
      run_table(w, ROW_TYPE, ALL, NULL, false);
      assert_int_equal(w->n_lines, 10000 - 1429);
      world_free(w);
    }
  }
}

static void a_transaction_may_delete_its_own_rows(void **state) {
  (void)state;
  static const char *const dirs[][2] = {
      {"delta_0000001_0000001_0000", "delete_delta_0000001_0000001_0001"}, /* statement 1 deletes what 0 wrote */
      {"delta_0000001_0000001_v0000009", "delete_delta_0000001_0000001_v0000009"}, /* the same, compacted */
  };
  for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
    world *w = table_world();
    char name[100];
    snprintf(name, sizeof name, "%s/bucket_00000", dirs[i][0]);
    put_bytes(w, name, "insert.orc", 0);
    snprintf(name, sizeof name, "%s/bucket_00000", dirs[i][1]);
    put_bytes(w, name, "delete_own.orc", 0);
    run_table(w, ROW_TYPE, ALL, "x < 20", true);
    assert_int_equal(w->n_lines, 20 - 3);
    world_free(w);
  }
}

static void streamed_tables_are_read_to_the_flushed_length(void **state) {
  (void)state; /* and cases.md 17: ids 3 and 7 of a wide delta are aborted */
  world *w = table_world();
  put_bytes(w, "delta_0000001_0000010/bucket_00000", "wide.orc", 0);
  uint8_t lengths[20] = {0}; /* 0, the length, and an integer that was not written to its end; big-endian */
  uint64_t size = size_of(w, "delta_0000001_0000010/bucket_00000");
  for (int i = 0; i < 8; i++) lengths[8 + i] = (uint8_t)(size >> (8 * (7 - i)));
  put_bytes(w, "delta_0000001_0000010/bucket_00000", "wide.orc", 777);
  assert_ok(skep_fs_memory_put(w->memory, "t/delta_0000001_0000010/bucket_00000_flush_length", lengths, sizeof lengths,
                               &w->err),
            w->err);
  put_bytes(w, "delete_delta_0000011_0000014/bucket_00000", "wide_delete.orc", 0);
  run_table(w, "struct<x:bigint>", ALL, NULL, false);
  assert_int_equal(w->n_lines, 10 * 16);
  run_table(w, "struct<x:bigint>", "db.t:13:9223372036854775807::3,7,12", NULL, false);
  assert_int_equal(w->n_lines, 8 * 18);
  run_table(w, "struct<x:bigint>", "db.t:5:9223372036854775807::", NULL, false);
  assert_int_equal(w->n_lines, 5 * 20);
  world_free(w);
}

static void row_ids_are_unique_over_all_original_files_of_a_bucket(void **state) {
  (void)state; /* cases.md 38: deleting one row of converted files deletes exactly one */
  world *w = table_world();
  put_bytes(w, "000000_0", "plain.orc", 0);
  put_bytes(w, "000000_0_copy_1", "plain.orc", 0);
  put_bytes(w, "000001_0", "plain.orc", 0);
  put_bytes(w, "delta_10000001_10000001_0000/000000_0", "plain.orc", 0);
  put_bytes(w, "delete_delta_10000002_10000002_0000/bucket_00000", "delete_original.orc",
            0); /* rows of the first file only */
  const char *all = "db.t:10000005:9223372036854775807::";
  run_table(w, ROW_TYPE, all, NULL, false);
  assert_int_equal(w->n_lines, 4 * 10000 - 1429);
  run_table(w, "struct<x:bigint>", all, "x = 3 or x = 4", true);
  EXPECT(w, "0|536870912|10003|3", "0|536870912|10004|4", "0|536870912|4|4", "0|536936448|3|3", "0|536936448|4|4",
         "10000001|536870912|3|3", "10000001|536870912|4|4");
  world_free(w);
}

/* ---- damage and shortage ---- */

static void damaged_event_files_give_a_status_or_rows(void **state) {
  (void)state;
  static const char *const sources[] = {"wide.orc", "wide_delete.orc", "v1_minor.orc"};
  for (size_t s = 0; s < sizeof sources / sizeof *sources; s++) {
    world *w = s == 2 ? v1_world() : world_new(SKEP_SPLIT_ACID, "struct<x:bigint>", "struct<x:bigint>");
    if (s != 2) {
      add_file(w, "f", "wide.orc", 1, 10);
      add_deletes(w, "d", "wide_delete.orc", 11, 14);
    }
    skep_split_file *hit = s == 0 ? &w->files[0] : s == 1 ? &w->deletes[0] : &w->files[5];
    char full[512];
    snprintf(full, sizeof full, "t/%s", hit->path);
    skep_file *file;
    static uint8_t whole[4096], bytes[4096];
    size_t size = hit->logical_bytes;
    assert_true(size <= sizeof whole);
    assert_int_equal(skep_fs_open_read(w->memory, full, &file, NULL), SKEP_OK);
    assert_int_equal(skep_file_read_at(file, 0, whole, size, NULL), SKEP_OK);
    assert_int_equal(skep_file_close(file, NULL), SKEP_OK);
    for (size_t at = 0; at < 2 * size; at++) {
      memcpy(bytes, whole, size);
      if (at >= size) bytes[at - size] ^= (uint8_t)(1 << (at % 8));
      hit->logical_bytes = at < size ? at : size;
      assert_int_equal(skep_fs_memory_put(w->memory, full, bytes, hit->logical_bytes, NULL), SKEP_OK);
      skep_scan_cache_free(w->cache);
      assert_int_equal(skep_scan_cache_new(&w->ctx, w->fs, &w->cache, NULL), SKEP_OK);
      skep_status st = run(w, 64);
      if (at != 0 && at < size)
        assert_true(st == SKEP_ERR_CORRUPT || st == SKEP_ERR_UNSUPPORTED || st == SKEP_ERR_LIMIT);
      if (st != SKEP_OK) assert_non_null(strstr(w->err.text, hit->path));
    }
    world_free(w);
  }
}

/* One scan with an allocator that fails at the nth request. */
static skep_status scan_once(world *w, const skep_ctx *ctx) {
  const skep_forms forms = {.narrow_decimals = true};
  skep_scan_cache *cache = NULL;
  skep_scan *scan = NULL;
  skep_batch batch = {.first_row = 0};
  skep_status st = skep_scan_cache_new(ctx, w->fs, &cache, NULL);
  if (st == SKEP_OK) st = skep_scan_open(cache, &w->split, &forms, &scan, NULL);
  if (st == SKEP_OK) st = skep_vec_init(&batch.root, ctx, skep_scan_type(scan), &forms, NULL);
  while (st == SKEP_OK) st = skep_scan_next(scan, 4096, &batch, NULL);
  skep_vec_fini(&batch.root);
  skep_scan_close(scan);
  skep_scan_cache_free(cache);
  return st;
}

static void running_out_of_memory_anywhere_is_a_status(void **state) {
  (void)state;
  for (int v1 = 0; v1 < 2; v1++) {
    world *w = v1 ? v1_world() : world_new(SKEP_SPLIT_ACID, ROW_TYPE, "struct<s:string,n:struct<b:string>>");
    if (!v1) {
      add_file(w, "f", "insert.orc", 1, 1);
      add_deletes(w, "d", "delete.orc", 2, 2);
    }
    static const char *const values[] = {"2026-01-02", "x y"};
    w->split.partition_columns = type_of(w, "struct<d:date,p:string>");
    w->split.n_partition_columns = w->split.n_partition_values = 2;
    w->split.partition_values = values;
    w->split.predicate = v1 ? "id < 100 and p = 'x y'" : "x > 50 and n.a = 3 and d is not null";
    failing_alloc memory;
    skep_ctx ctx;
    failing_alloc_ctx(&memory, &ctx);
    for (uint64_t n = 1;; n++) {
      failing_alloc_arm(&memory, n);
      skep_status st = scan_once(w, &ctx);
      assert_int_equal(failing_alloc_live(&memory), 0);
      if (!failing_alloc_fired(&memory)) {
        assert_int_equal(st, SKEP_END);
        break;
      }
      assert_int_equal(st, SKEP_ERR_NOMEM);
    }
    world_free(w);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(deletes_hit_the_right_rows_when_row_groups_are_skipped),
      cmocka_unit_test(every_deleted_row_and_no_other_is_dropped),
      cmocka_unit_test(columns_of_the_predicate_need_not_be_delivered),
      cmocka_unit_test(an_unknown_column_in_the_predicate_is_named),
      cmocka_unit_test(partition_columns_are_constants_and_decide_predicates),
      cmocka_unit_test(keys_at_the_edges_of_their_types_are_safe),
      cmocka_unit_test(aborted_write_ids_inside_a_wide_delta_are_not_seen),
      cmocka_unit_test(only_the_flushed_length_of_a_file_is_read),
      cmocka_unit_test(rows_of_a_load_have_its_write_id),
      cmocka_unit_test(user_columns_with_the_six_names_are_just_columns),
      cmocka_unit_test(files_that_do_not_fit_their_split_are_errors),
      cmocka_unit_test(delete_events_in_an_insert_delta_are_no_rows),
      cmocka_unit_test(stripes_that_the_file_does_not_have_are_an_error),
      cmocka_unit_test(the_newest_visible_event_says_what_a_v1_row_is),
      cmocka_unit_test(older_snapshots_of_v1_see_older_versions),
      cmocka_unit_test(v1_events_change_original_rows_too),
      cmocka_unit_test(delete_deltas_apply_to_v1_rows_after_an_upgrade),
      cmocka_unit_test(splits_share_tails_and_delete_sets),
      cmocka_unit_test(threads_load_a_delete_set_once),
      cmocka_unit_test(a_failed_load_is_tried_again),
      cmocka_unit_test(errors_are_sticky),
      cmocka_unit_test(delete_files_count_with_and_without_an_attempt_in_the_name),
      cmocka_unit_test(a_transaction_may_delete_its_own_rows),
      cmocka_unit_test(streamed_tables_are_read_to_the_flushed_length),
      cmocka_unit_test(row_ids_are_unique_over_all_original_files_of_a_bucket),
      cmocka_unit_test(damaged_event_files_give_a_status_or_rows),
      cmocka_unit_test(running_out_of_memory_anywhere_is_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
