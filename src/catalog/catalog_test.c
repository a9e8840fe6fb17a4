/* The catalog over an SQLite database in memory: what is stored for a table is what Hive 4.0.1 stored for the same one,
 * and it is read back. Rows: golden 19-metastore (its tables s19.t, p, mm, ext, cons). */
#include "catalog/catalog.h"

#include "db/db.h"
#include "db/schema.h"
#include "support/failing_alloc.h"
#include "support/metastore.h"
#include "support/test.h"

typedef struct fixture {
  skep_ctx ctx;
  metastore m;
  skep_db *db;
  skep_catalog *catalog;
  skep_arena arena;
} fixture;

static int64_t fixed_clock(void *self) {
  (void)self;
  return INT64_C(1795980337328);
}

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  skep_ctx_init(&f->ctx);
  f->ctx.clock_ms = fixed_clock;
  skep_err err = {0};
  skep_db_opts db_opts = SKEP_DB_OPTS_DEFAULT;
  db_opts.own_clock = true;
  if (metastore_is_postgres()) {
    metastore_copy(&f->m, &f->ctx);
  } else {
    metastore_new(&f->m, &f->ctx, true);
  }
  assert_ok(skep_db_open(&f->ctx, f->m.url, &db_opts, &f->db, &err), err);
  assert_ok(skep_schema_ensure(f->db, "file:/warehouse", NULL, NULL, &err), err);
  const skep_catalog_opts opts = {.warehouse = "/warehouse", .external = "/external", .user = "root"};
  assert_ok(skep_catalog_open(&f->ctx, f->db, &opts, &f->catalog, &err), err);
  skep_arena_init(&f->arena, &f->ctx, 1 << 26);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  skep_arena_fini(&f->arena);
  skep_catalog_close(f->catalog);
  skep_db_close(f->db);
  metastore_remove(&f->m, &f->ctx);
  free(f);
  return 0;
}

/* All rows of a query, cells separated by '|', NULL as \N, lines in the order of the query. */
static const char *rows_of(fixture *f, const char *sql) {
  skep_err err = {0};
  skep_stmt *stmt = NULL;
  assert_ok(skep_db_query(f->db, sql, SKEP_NO_PARAMS, &stmt, &err), err);
  skep_buf out;
  skep_buf_init(&out, &f->ctx, 1 << 20);
  skep_status st;
  while ((st = skep_stmt_next(stmt, &err)) == SKEP_OK) {
    for (int i = 0; i < skep_stmt_n_columns(stmt); i++) {
      const char *text = skep_stmt_text(stmt, i, NULL);
      skep_buf_printf(&out, "%s%s", i == 0 ? "" : "|", text == NULL ? "\\N" : text);
    }
    skep_buf_byte(&out, '\n');
  }
  assert_int_equal(st, SKEP_END);
  skep_stmt_done(stmt);
  const char *copy = skep_arena_strndup(&f->arena, skep_buf_string(&out), out.size);
  skep_buf_fini(&out);
  return copy;
}

#define assert_rows(f, sql, expected) assert_string_equal(rows_of(f, sql), expected)

static const skep_type *type_of(fixture *f, const char *text) {
  skep_err err = {0};
  const skep_type *type = NULL;
  assert_ok(skep_type_parse(&f->arena, text, strlen(text), &type, &err), err);
  return type;
}

static const char *const orc[] = {"org.apache.hadoop.hive.ql.io.orc.OrcInputFormat",
                                  "org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat",
                                  "org.apache.hadoop.hive.ql.io.orc.OrcSerde"};

static skep_catalog_table *new_table(fixture *f, const char *name, const char *columns, const char *keys) {
  static const char *const none[8] = {NULL};
  static const skep_catalog_param serde[] = {{"serialization.format", "1"}};
  static const skep_catalog_param params[] = {
      {"bucketing_version", "2"}, {"transactional", "true"}, {"transactional_properties", "default"}};
  skep_catalog_table *t = skep_arena_zero(&f->arena, 1, sizeof *t);
  assert_non_null(t);
  t->db = "s19";
  t->name = name;
  t->type = "MANAGED_TABLE";
  t->kind = SKEP_TABLE_FULL_ACID;
  t->columns = type_of(f, columns);
  t->partition_keys = type_of(f, keys);
  t->column_comments = t->partition_comments = none;
  t->n_buckets = -1;
  t->input_format = orc[0];
  t->output_format = orc[1];
  t->serde = orc[2];
  t->serde_params = (skep_catalog_params){serde, 1};
  t->params = (skep_catalog_params){params, 3};
  return t;
}

static void make_database(fixture *f) {
  skep_err err = {0};
  static const skep_catalog_param params[] = {{"owner team", "x"}};
  const skep_catalog_db db = {.name = "S19", .comment = "metastore dump", .params = {params, 1}};
  assert_ok(skep_catalog_create_database(f->catalog, &db, &err), err);
}

static void create(fixture *f, skep_catalog_table *t) {
  skep_err err = {0};
  assert_ok(skep_db_begin(f->db, SKEP_DB_WRITE, &err), err);
  assert_ok(skep_catalog_create_table(f->catalog, &f->arena, t, &err), err);
  assert_ok(skep_db_commit(f->db, &err), err);
}

static skep_catalog_table *get(fixture *f, const char *name) {
  skep_err err = {0};
  skep_catalog_table *t = NULL;
  assert_ok(skep_catalog_get_table(f->catalog, &f->arena, "S19", name, &t, &err), err);
  return t;
}

static void databases_are_stored_as_hive_stores_them(void **state) {
  fixture *f = *state;
  make_database(f);
  assert_rows(f, "SELECT * FROM \"DBS\" ORDER BY 1",
              "1|Default Hive database|file:/external|default|public|ROLE|hive|1795980337|\\N|NATIVE|\\N|\\N\n"
              "2|metastore dump|file:/external/s19.db|s19|root|USER|hive|1795980337|file:/warehouse/s19.db|NATIVE|\\N|"
              "\\N\n");
  assert_rows(f, "SELECT * FROM \"DATABASE_PARAMS\"", "2|owner team|x\n");
  skep_err err = {0};
  const skep_catalog_db again = {.name = "s19"};
  assert_fails(skep_catalog_create_database(f->catalog, &again, &err), SKEP_ERR_EXISTS, err,
               "Database s19 already exists");
  const skep_catalog_db *db = NULL;
  assert_ok(skep_catalog_get_database(f->catalog, &f->arena, "S19", &db, &err), err);
  assert_string_equal(db->managed_location, "file:/warehouse/s19.db");
  assert_string_equal(skep_catalog_param_get(&db->params, "owner team"), "x");
  assert_fails(skep_catalog_get_database(f->catalog, &f->arena, "nodb", &db, &err), SKEP_ERR_NOT_FOUND, err,
               "Database does not exist: nodb");
  assert_null(db);
  const char *const *names;
  size_t n;
  assert_ok(skep_catalog_list_databases(f->catalog, &f->arena, &names, &n, &err), err);
  assert_int_equal(n, 2);
  assert_string_equal(names[0], "default");
  assert_string_equal(names[1], "s19");
}

static void a_table_is_stored_as_hive_stores_it(void **state) {
  fixture *f = *state;
  make_database(f);
  skep_catalog_table *t = new_table(f, "T", "struct<id:int,v:string>", "struct<>");
  const char *comments[] = {"the key", NULL};
  t->column_comments = comments;
  skep_err err = {0};
  assert_ok(skep_catalog_param_set(&f->arena, &t->params, "orc.compress", "ZSTD", &err), err);
  assert_ok(skep_catalog_param_set(&f->arena, &t->params, "comment", "a table", &err), err);
  create(f, t);
  assert_rows(f, "SELECT * FROM \"TBLS\"", "1|1795980337|2|0|root|USER|0|1|t|MANAGED_TABLE|\\N|\\N|0|0\n");
  assert_rows(f, "SELECT * FROM \"SDS\"",
              "1|org.apache.hadoop.hive.ql.io.orc.OrcInputFormat|0|file:/warehouse/s19.db/t|-1|"
              "org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat|1|1|0\n");
  assert_rows(f, "SELECT * FROM \"SERDES\"", "1|\\N|org.apache.hadoop.hive.ql.io.orc.OrcSerde|\\N|\\N|\\N|0\n");
  assert_rows(f, "SELECT * FROM \"SERDE_PARAMS\"", "1|serialization.format|1\n");
  assert_rows(f, "SELECT * FROM \"COLUMNS_V2\" ORDER BY \"INTEGER_IDX\"", "1|the key|id|int|0\n1|\\N|v|string|1\n");
  assert_rows(f, "SELECT * FROM \"TABLE_PARAMS\" ORDER BY 2",
              "1|bucketing_version|2\n1|comment|a table\n1|orc.compress|ZSTD\n1|transactional|true\n"
              "1|transactional_properties|default\n1|transient_lastDdlTime|1795980337\n");
  assert_rows(f, "SELECT * FROM \"TBL_PRIVS\" ORDER BY 1",
              "1|1795980337|1|root|USER|root|USER|INSERT|1|SQL\n2|1795980337|1|root|USER|root|USER|SELECT|1|SQL\n"
              "3|1795980337|1|root|USER|root|USER|UPDATE|1|SQL\n4|1795980337|1|root|USER|root|USER|DELETE|1|SQL\n");
  assert_fails(skep_catalog_create_table(f->catalog, &f->arena, new_table(f, "t", "struct<a:int>", "struct<>"), &err),
               SKEP_ERR_EXISTS, err, "Table hive.s19.t already exists");
}

static void a_table_is_read_back_as_it_was_made(void **state) {
  fixture *f = *state;
  make_database(f);
  skep_catalog_table *t =
      new_table(f, "p", "struct<id:int,v:string,m:map<string,array<decimal(5,1)>>>", "struct<d:date,s:string>");
  const uint32_t buckets[] = {1, 0};
  const skep_catalog_sort sorts[] = {{0, false}};
  const char *keys[] = {"the day", NULL};
  t->bucket_columns = buckets;
  t->n_bucket_columns = 2;
  t->n_buckets = 3;
  t->sort_columns = sorts;
  t->n_sort_columns = 1;
  t->partition_comments = keys;
  create(f, t);
  const skep_catalog_table *r = get(f, "P");
  assert_true(skep_type_equal(r->columns, t->columns) && skep_type_equal(r->partition_keys, t->partition_keys));
  assert_int_equal(r->kind, SKEP_TABLE_FULL_ACID);
  assert_true(skep_table_is_partitioned(r) && skep_table_is_transactional(r));
  assert_string_equal(r->partition_comments[0], "the day");
  assert_null(r->partition_comments[1]);
  assert_true(r->n_bucket_columns == 2 && r->bucket_columns[0] == 1 && r->bucket_columns[1] == 0);
  assert_true(r->n_buckets == 3 && r->bucketing_version == 2);
  assert_true(r->n_sort_columns == 1 && r->sort_columns[0].column == 0 && !r->sort_columns[0].ascending);
  assert_string_equal(r->owner, "root");
  assert_string_equal(r->location, "file:/warehouse/s19.db/p");
  skep_err err = {0};
  skep_catalog_table *copy = NULL;
  assert_ok(skep_catalog_table_copy(&f->arena, r, &copy, &err), err);
  assert_true(skep_type_equal(copy->columns, r->columns) && copy->columns != r->columns);
  assert_string_equal(copy->serde, orc[2]);
  assert_rows(f, "SELECT * FROM \"PARTITION_KEYS\" ORDER BY \"INTEGER_IDX\"", "1|the day|d|date|0\n1|\\N|s|string|1\n");
  skep_catalog_table *none = NULL;
  assert_fails(skep_catalog_get_table(f->catalog, &f->arena, "s19", "missing", &none, &err), SKEP_ERR_NOT_FOUND, err,
               "Table not found s19.missing");
  assert_null(none);
}

/* Values and rows of golden 19's s19.p. */
static void partitions_are_stored_as_hive_stores_them(void **state) {
  fixture *f = *state;
  make_database(f);
  skep_catalog_table *t = new_table(f, "p", "struct<id:int,v:string>", "struct<d:date,s:string>");
  const uint32_t buckets[] = {0};
  t->bucket_columns = buckets;
  t->n_bucket_columns = 1;
  t->n_buckets = 2;
  create(f, t);
  const char *first[] = {"2026-01-02", NULL}, *second[] = {"2026-01-02", "y/z"}, *third[] = {"2026-01-01", "x"};
  skep_catalog_partition p[] = {{.values = first, .write_id = 1}, {.values = second, .write_id = 2}, {.values = third}};
  skep_err err = {0};
  t = get(f, "p");
  assert_ok(skep_db_begin(f->db, SKEP_DB_WRITE, &err), err);
  assert_ok(skep_catalog_add_partitions(f->catalog, &f->arena, t, p, 3, &err), err);
  assert_ok(skep_db_commit(f->db, &err), err);
  assert_rows(f, "SELECT * FROM \"PARTITIONS\" ORDER BY 1",
              "1|1795980337|0|d=2026-01-02/s=__HIVE_DEFAULT_PARTITION__|2|1|1\n"
              "2|1795980337|0|d=2026-01-02/s=y%2Fz|3|1|2\n3|1795980337|0|d=2026-01-01/s=x|4|1|0\n");
  assert_rows(
      f, "SELECT \"SD_ID\", \"LOCATION\", \"NUM_BUCKETS\", \"SERDE_ID\", \"CD_ID\" FROM \"SDS\" ORDER BY 1",
      "1|file:/warehouse/s19.db/p|2|1|1\n"
      "2|file:/warehouse/s19.db/p/d=2026-01-02/s=__HIVE_DEFAULT_PARTITION__|2|2|1\n"
      "3|file:/warehouse/s19.db/p/d=2026-01-02/s=y%2Fz|2|3|1\n4|file:/warehouse/s19.db/p/d=2026-01-01/s=x|2|4|1\n");
  assert_rows(f, "SELECT * FROM \"SERDE_PARAMS\"", "1|serialization.format|1\n");
  assert_rows(f, "SELECT * FROM \"BUCKETING_COLS\" ORDER BY 1", "1|id|0\n2|id|0\n3|id|0\n4|id|0\n");
  assert_rows(f, "SELECT * FROM \"PARTITION_KEY_VALS\" ORDER BY 1, 3",
              "1|2026-01-02|0\n1|__HIVE_DEFAULT_PARTITION__|1\n2|2026-01-02|0\n2|y/z|1\n3|2026-01-01|0\n3|x|1\n");
  assert_fails(skep_catalog_add_partitions(f->catalog, &f->arena, t, p, 1, &err), SKEP_ERR_EXISTS, err,
               "Partition already exists");
  const skep_catalog_partition *list;
  size_t n;
  assert_ok(skep_catalog_list_partitions(f->catalog, &f->arena, t, true, &list, &n, &err), err);
  assert_int_equal(n, 3);
  assert_string_equal(list[0].name, "d=2026-01-01/s=x");
  assert_string_equal(list[1].values[1], "__HIVE_DEFAULT_PARTITION__");
  assert_string_equal(list[2].values[1], "y/z");
  assert_string_equal(skep_catalog_param_get(&list[2].params, "transient_lastDdlTime"), "1795980337");
  assert_ok(skep_catalog_drop_partition(f->catalog, t, &list[2], &err), err);
  skep_catalog_partition *gone = NULL;
  assert_fails(skep_catalog_get_partition(f->catalog, &f->arena, t, "d=2026-01-02/s=y%2Fz", &gone, &err),
               SKEP_ERR_NOT_FOUND, err, "Partition not found");
}

static void statistics_are_what_hive_leaves(void **state) {
  fixture *f = *state;
  make_database(f);
  create(f, new_table(f, "t", "struct<id:int>", "struct<>"));
  skep_err err = {0};
  const skep_catalog_stats insert = {.n_rows = 3, .n_files = 1, .size_bytes = 810};
  assert_ok(skep_catalog_update_stats(f->catalog, get(f, "t"), NULL, &insert, 1, &err), err);
  const skep_catalog_stats more = {.n_rows = 1, .n_files = 3, .size_bytes = 2408};
  assert_ok(skep_catalog_update_stats(f->catalog, get(f, "t"), NULL, &more, 6, &err), err);
  assert_rows(
      f, "SELECT \"PARAM_KEY\", \"PARAM_VALUE\" FROM \"TABLE_PARAMS\" WHERE \"PARAM_KEY\" NOT LIKE 'tran%' ORDER BY 1",
      "COLUMN_STATS_ACCURATE|{\"BASIC_STATS\":\"true\"}\nbucketing_version|2\nnumFiles|4\n"
      "numFilesErasureCoded|0\nnumRows|4\nrawDataSize|0\ntotalSize|3218\n");
  assert_rows(f, "SELECT \"WRITE_ID\" FROM \"TBLS\"", "6\n");
  /* golden 11-original: statistics of a converted table are not accurate, and do not become so by adding */
  const skep_catalog_param none = {"COLUMN_STATS_ACCURATE", NULL};
  assert_ok(skep_catalog_update_table_params(f->catalog, get(f, "t"), &none, 1, 0, &err), err);
  assert_ok(skep_catalog_update_stats(f->catalog, get(f, "t"), NULL, &insert, 7, &err), err);
  const skep_catalog_table *t = get(f, "t");
  assert_null(skep_catalog_param_get(&t->params, "COLUMN_STATS_ACCURATE"));
  assert_string_equal(skep_catalog_param_get(&t->params, "numRows"), "7");
  const skep_catalog_stats counted = {.n_rows = 5, .n_files = 1, .size_bytes = 900, .set_rows = true};
  assert_ok(skep_catalog_update_stats(f->catalog, get(f, "t"), NULL, &counted, 8, &err), err);
  t = get(f, "t");
  assert_string_equal(skep_catalog_param_get(&t->params, "COLUMN_STATS_ACCURATE"), "{\"BASIC_STATS\":\"true\"}");
  assert_string_equal(skep_catalog_param_get(&t->params, "numFiles"), "1");
}

/* Values of golden 19's s19.t, and one of each other kind. */
static void statistics_of_columns_are_stored_as_hive_stores_them(void **state) {
  fixture *f = *state;
  make_database(f);
  create(f, new_table(f, "t", "struct<id:int,v:string,d:decimal(5,2),b:boolean,f:double>", "struct<>"));
  skep_err err = {0};
  const skep_catalog_column_stats golden[] = {{.column = "id",
                                               .type = "int",
                                               .range = SKEP_COLUMN_LONGS,
                                               .low = 1,
                                               .high = 9,
                                               .has_distinct = true,
                                               .n_distinct = 4},
                                              {.column = "v",
                                               .type = "string",
                                               .has_distinct = true,
                                               .n_distinct = 4,
                                               .has_length = true,
                                               .avg_length = 1,
                                               .max_length = 1},
                                              {.column = "d",
                                               .type = "decimal(5,2)",
                                               .range = SKEP_COLUMN_DECIMALS,
                                               .low_decimal = "-1.5",
                                               .high_decimal = "2",
                                               .n_nulls = 7,
                                               .has_distinct = true,
                                               .n_distinct = 2},
                                              {.column = "b", .type = "boolean", .has_bools = true, .n_trues = 3},
                                              {.column = "f",
                                               .type = "double",
                                               .range = SKEP_COLUMN_DOUBLES,
                                               .low_double = 0.5,
                                               .high_double = 0.5,
                                               .has_distinct = true,
                                               .n_distinct = 1}};
  assert_ok(skep_catalog_put_column_stats(f->catalog, get(f, "t"), NULL, golden, 5, &err), err);
  assert_ok(skep_catalog_put_column_stats(f->catalog, get(f, "t"), NULL, golden, 2, &err), err); /* in their place */
  assert_rows(
      f,
      "SELECT \"CAT_NAME\", \"DB_NAME\", \"TABLE_NAME\", \"COLUMN_NAME\", \"COLUMN_TYPE\", \"LONG_LOW_VALUE\", "
      "\"LONG_HIGH_VALUE\", \"BIG_DECIMAL_LOW_VALUE\", \"BIG_DECIMAL_HIGH_VALUE\", \"NUM_NULLS\", \"NUM_DISTINCTS\", "
      "\"MAX_COL_LEN\", \"NUM_TRUES\", \"NUM_FALSES\", \"ENGINE\" FROM \"TAB_COL_STATS\" ORDER BY \"COLUMN_NAME\"",
      "hive|s19|t|b|boolean|\\N|\\N|\\N|\\N|0|\\N|\\N|3|0|hive\n"
      "hive|s19|t|d|decimal(5,2)|\\N|\\N|-1.5|2|7|2|\\N|\\N|\\N|hive\n"
      "hive|s19|t|f|double|\\N|\\N|\\N|\\N|0|1|\\N|\\N|\\N|hive\n"
      "hive|s19|t|id|int|1|9|\\N|\\N|0|4|\\N|\\N|\\N|hive\n"
      "hive|s19|t|v|string|\\N|\\N|\\N|\\N|0|4|1|\\N|\\N|hive\n");
  const skep_catalog_column_stats *back;
  size_t n;
  assert_ok(skep_catalog_list_column_stats(f->catalog, &f->arena, get(f, "t"), NULL, "f", &back, &n, &err), err);
  assert_int_equal(n, 1);
  assert_true(back[0].range == SKEP_COLUMN_DOUBLES && back[0].low_double == 0.5 && back[0].n_distinct == 1);
  /* another type for one column, another name for the table; then the table goes */
  skep_catalog_table *was = get(f, "t"), now = *was;
  now.name = "u";
  now.columns = new_table(f, "x", "struct<id:bigint,v:string,d:decimal(5,2),b:boolean,f:double>", "struct<>")->columns;
  assert_ok(skep_catalog_alter_table(f->catalog, was, &now, &err), err);
  assert_rows(f, "SELECT \"TABLE_NAME\", \"COLUMN_NAME\" FROM \"TAB_COL_STATS\" ORDER BY 2", "u|b\nu|d\nu|f\nu|v\n");
  assert_ok(skep_catalog_drop_table(f->catalog, get(f, "u"), &err), err);
  assert_rows(f, "SELECT count(*) FROM \"TAB_COL_STATS\"", "0\n");
}

/* Names, places and letters of golden 19's s19.cons; a foreign key besides. */
static void constraints_are_stored_as_hive_stores_them(void **state) {
  fixture *f = *state;
  make_database(f);
  skep_catalog_table *t = new_table(f, "cons", "struct<id:int,k:string>", "struct<>");
  const int32_t id[] = {0}, k[] = {1};
  const skep_catalog_constraint all[] = {
      {.kind = SKEP_CONSTRAINT_PRIMARY_KEY, .columns = id, .n_columns = 1},
      {.kind = SKEP_CONSTRAINT_NOT_NULL, .columns = id, .n_columns = 1, .enable = true, .rely = true},
      {.kind = SKEP_CONSTRAINT_DEFAULT, .columns = k, .n_columns = 1, .text = "'dflt'", .enable = true, .rely = true},
      {.kind = SKEP_CONSTRAINT_CHECK, .name = "c9", .text = "`id` < 1000", .enable = true, .rely = true}};
  t->constraints = all;
  t->n_constraints = 4;
  create(f, t);
  assert_rows(f, "SELECT * FROM \"KEY_CONSTRAINTS\" ORDER BY \"CONSTRAINT_NAME\"",
              "\\N|\\N|\\N|\\N|-1|1|1|c9|5|\\N|\\N|5|`id` < 1000\n"
              "\\N|\\N|\\N|1|1|1|1|dc_21873294_1795980337328_0|4|\\N|\\N|5|'dflt'\n"
              "\\N|\\N|\\N|1|0|1|1|nn_134002011_1795980337328_0|3|\\N|\\N|5|\\N\n"
              "\\N|\\N|\\N|1|0|1|1|pk_134003840_1795980337328_0|0|\\N|\\N|0|\\N\n");
  const skep_catalog_table *r = get(f, "cons");
  assert_int_equal(r->n_constraints, 4);
  assert_int_equal(r->constraints[0].kind, SKEP_CONSTRAINT_PRIMARY_KEY);
  assert_false(r->constraints[0].enable);
  assert_true(r->constraints[1].kind == SKEP_CONSTRAINT_NOT_NULL && r->constraints[1].enable && r->constraints[1].rely);
  assert_string_equal(r->constraints[2].text, "'dflt'");
  assert_int_equal(r->constraints[2].columns[0], 1);
  assert_int_equal(r->constraints[3].n_columns, 0);
  skep_catalog_table *fk = new_table(f, "fk", "struct<a:int>", "struct<>");
  const char *parent[] = {"id"};
  const skep_catalog_constraint foreign = {.kind = SKEP_CONSTRAINT_FOREIGN_KEY,
                                           .name = "fk1",
                                           .columns = id,
                                           .n_columns = 1,
                                           .parent_db = "s19",
                                           .parent_table = "cons",
                                           .parent_columns = parent};
  fk->constraints = &foreign;
  fk->n_constraints = 1;
  create(f, fk);
  assert_rows(f, "SELECT * FROM \"KEY_CONSTRAINTS\" WHERE \"CONSTRAINT_TYPE\" = 1", "2|0|2|1|0|1|1|fk1|1|0|0|0|\\N\n");
  r = get(f, "fk");
  assert_int_equal(r->n_constraints, 1);
  assert_string_equal(r->constraints[0].parent_table, "cons");
  assert_string_equal(r->constraints[0].parent_columns[0], "id");
}

/* ADD COLUMNS of golden 19's s19.ext: a new column descriptor, partitions keep theirs. */
static void altered_columns_are_a_new_descriptor(void **state) {
  fixture *f = *state;
  make_database(f);
  create(f, new_table(f, "p", "struct<a:string,b:int>", "struct<y:int>"));
  const char *values[] = {"2025"};
  skep_catalog_partition p = {.values = values};
  skep_err err = {0};
  assert_ok(skep_catalog_add_partitions(f->catalog, &f->arena, get(f, "p"), &p, 1, &err), err);
  const skep_catalog_table *was = get(f, "p");
  skep_catalog_table *now = NULL;
  assert_ok(skep_catalog_table_copy(&f->arena, was, &now, &err), err);
  static const char *const comments[3] = {NULL};
  now->columns = type_of(f, "struct<a:string,b:int,c:double>");
  now->column_comments = comments;
  assert_ok(skep_catalog_param_set(&f->arena, &now->params, "last_modified_by", "root", &err), err);
  assert_ok(skep_catalog_alter_table(f->catalog, was, now, &err), err);
  assert_rows(f, "SELECT \"SD_ID\", \"CD_ID\" FROM \"SDS\" ORDER BY 1", "1|2\n2|1\n");
  assert_rows(f, "SELECT count(*) FROM \"COLUMNS_V2\"", "5\n");
  assert_ok(skep_catalog_cascade_columns(f->catalog, get(f, "p"), &err), err);
  assert_rows(f, "SELECT \"SD_ID\", \"CD_ID\" FROM \"SDS\" ORDER BY 1", "1|2\n2|2\n");
  assert_rows(f, "SELECT count(*) FROM \"CDS\"", "1\n");
}

static void a_renamed_table_takes_its_partitions_along(void **state) {
  fixture *f = *state;
  make_database(f);
  create(f, new_table(f, "p", "struct<a:int>", "struct<y:int>"));
  create(f, new_table(f, "q", "struct<a:int>", "struct<y:int>"));
  const char *values[] = {"1"}, *outside[] = {"2"};
  skep_catalog_partition p[] = {{.values = values}, {.values = outside, .location = "file:/elsewhere"}};
  skep_err err = {0};
  assert_ok(skep_catalog_add_partitions(f->catalog, &f->arena, get(f, "p"), p, 2, &err), err);
  const skep_catalog_table *was = get(f, "p");
  skep_catalog_table now = *was;
  now.name = "q";
  assert_fails(skep_catalog_alter_table(f->catalog, was, &now, &err), SKEP_ERR_EXISTS, err, "already exists");
  now.name = "p2";
  now.location = "file:/warehouse/s19.db/p2";
  assert_ok(skep_catalog_alter_table(f->catalog, was, &now, &err), err);
  assert_rows(f, "SELECT \"LOCATION\" FROM \"SDS\" ORDER BY \"SD_ID\"",
              "file:/warehouse/s19.db/p2\nfile:/warehouse/s19.db/q\nfile:/warehouse/s19.db/p2/y=1\nfile:/elsewhere\n");
}

static void a_dropped_table_leaves_nothing(void **state) {
  fixture *f = *state;
  make_database(f);
  skep_catalog_table *t = new_table(f, "p", "struct<id:int>", "struct<y:int>");
  const uint32_t buckets[] = {0};
  const int32_t id[] = {0};
  const skep_catalog_constraint pk = {.kind = SKEP_CONSTRAINT_PRIMARY_KEY, .columns = id, .n_columns = 1};
  t->bucket_columns = buckets;
  t->n_bucket_columns = 1;
  t->n_buckets = 2;
  t->constraints = &pk;
  t->n_constraints = 1;
  create(f, t);
  const char *values[] = {"1"};
  skep_catalog_partition p = {.values = values};
  skep_err err = {0};
  assert_ok(skep_catalog_add_partitions(f->catalog, &f->arena, get(f, "p"), &p, 1, &err), err);
  const skep_catalog_db *db;
  assert_ok(skep_catalog_get_database(f->catalog, &f->arena, "s19", &db, &err), err);
  assert_fails(skep_catalog_drop_database(f->catalog, db, &err), SKEP_ERR_ARGUMENT, err,
               "Database s19 is not empty. One or more tables exist.");
  assert_ok(skep_catalog_drop_table(f->catalog, get(f, "p"), &err), err);
  static const char *const tables[] = {"TBLS",
                                       "TABLE_PARAMS",
                                       "SDS",
                                       "SERDES",
                                       "SERDE_PARAMS",
                                       "CDS",
                                       "COLUMNS_V2",
                                       "PARTITIONS",
                                       "PARTITION_KEYS",
                                       "PARTITION_KEY_VALS",
                                       "PARTITION_PARAMS",
                                       "BUCKETING_COLS",
                                       "KEY_CONSTRAINTS",
                                       "TBL_PRIVS"};
  for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
    char sql[80];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM \"%s\"", tables[i]);
    int64_t n = -1;
    skep_stmt *stmt = NULL;
    assert_ok(skep_db_query(f->db, skep_arena_strndup(&f->arena, sql, strlen(sql)), SKEP_NO_PARAMS, &stmt, &err), err);
    assert_ok(skep_stmt_next(stmt, &err), err);
    n = skep_stmt_i64(stmt, 0);
    skep_stmt_done(stmt);
    if (n != 0) fail_msg("%s has %lld rows", tables[i], (long long)n);
  }
  assert_ok(skep_catalog_drop_database(f->catalog, db, &err), err);
}

static void rolled_back_changes_are_not_there(void **state) {
  fixture *f = *state;
  make_database(f);
  skep_err err = {0};
  assert_ok(skep_db_begin(f->db, SKEP_DB_WRITE, &err), err);
  assert_ok(skep_catalog_create_table(f->catalog, &f->arena, new_table(f, "t", "struct<a:int>", "struct<>"), &err),
            err);
  skep_catalog_table *t = NULL;
  assert_ok(skep_catalog_get_table(f->catalog, &f->arena, "s19", "t", &t, &err), err);
  skep_db_rollback(f->db);
  assert_fails(skep_catalog_get_table(f->catalog, &f->arena, "s19", "t", &t, &err), SKEP_ERR_NOT_FOUND, err,
               "not found");
}

/* Names and values: golden 02-partitioned, observed.md. */
static void partition_values_are_written_as_hive_writes_them(void **state) {
  fixture *f = *state;
  static const struct {
    const char *type, *text, *value, *name;
  } cases[] = {{"string", "a/b", "a/b", "k=a%2Fb"},
               {"string", "#?{}[]^*", "#?{}[]^*", "k=%23%3F%7B}%5B%5D%5E%2A"},
               {"string", "its \"q\"", "its \"q\"", "k=its %22q%22"},
               {"string", "na\xc3\xafve", "na\xc3\xafve", "k=na\xc3\xafve"},
               {"string", "k=v:1", "k=v:1", "k=k%3Dv%3A1"},
               {"string", "", "__HIVE_DEFAULT_PARTITION__", "k=__HIVE_DEFAULT_PARTITION__"},
               {"int", "007", "7", "k=7"},
               {"tinyint", "-5", "-5", "k=-5"},
               {"decimal(6,2)", "1.50", "1.5", "k=1.5"},
               {"decimal(6,2)", "100", "100", "k=100"},
               {"double", "1e10", "1.0E10", "k=1.0E10"},
               {"boolean", "TRUE", "true", "k=true"},
               {"char(6)", "ab", "ab    ", "k=ab    "},
               {"varchar(8)", "trunc to eight", "trunc to", "k=trunc to"},
               {"date", "2026-1-2", "2026-01-02", "k=2026-01-02"},
               {"timestamp", "2026-01-01 10:20:30.500", "2026-01-01 10:20:30.5", "k=2026-01-01 10%3A20%3A30.5"},
               {"timestamp", "2026-01-01", "2026-01-01 00:00:00", "k=2026-01-01 00%3A00%3A00"}};
  skep_err err = {0};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char text[64];
    snprintf(text, sizeof text, "struct<k:%s>", cases[i].type);
    const skep_type *keys = type_of(f, text);
    const char *value = NULL;
    assert_ok(skep_catalog_partition_value(&f->arena, keys->children[0], cases[i].text, &value, &err), err);
    assert_string_equal(value, cases[i].value);
    skep_buf name;
    skep_buf_init(&name, &f->ctx, 1000);
    skep_catalog_partition_name(keys, &value, &name);
    assert_string_equal(skep_buf_string(&name), cases[i].name);
    skep_buf_fini(&name);
  }
  const char *value = "x";
  assert_fails(skep_catalog_partition_value(&f->arena, type_of(f, "tinyint"), "128", &value, &err), SKEP_ERR_RANGE, err,
               "'128' is no tinyint");
  assert_null(value);
  assert_fails(skep_catalog_partition_value(&f->arena, type_of(f, "date"), "bad", &value, &err), SKEP_ERR_RANGE, err,
               "no date");
}

static void locations_become_paths(void **state) {
  (void)state;
  static const struct {
    const char *location, *path;
  } cases[] = {{"file:/a/b", "/a/b"},         {"file:///a/b", "/a/b"},    {"/a/b", "/a/b"},
               {"file:/a/k=%2F", "/a/k=%2F"}, {"hdfs://nn:8020/a", NULL}, {"a/b", NULL},
               {"file://host/a", NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_err err = {0};
    const char *path = NULL;
    if (cases[i].path == NULL) {
      assert_fails(skep_catalog_path(cases[i].location, &path, &err), SKEP_ERR_UNSUPPORTED, err,
                   "not on a local file system");
    } else {
      assert_ok(skep_catalog_path(cases[i].location, &path, &err), err);
      assert_string_equal(path, cases[i].path);
    }
  }
}

static void memory_that_runs_out_is_an_error(void **state) {
  fixture *f = *state;
  make_database(f);
  create(f, new_table(f, "t", "struct<id:int,v:string>", "struct<y:int>"));
  skep_ctx ctx = f->ctx;
  for (size_t limit = 64; limit < 1 << 15; limit = limit * 3 / 2) {
    skep_arena small;
    skep_arena_init(&small, &ctx, limit);
    skep_err err = {0};
    skep_catalog_table *t = NULL;
    skep_status st = skep_catalog_get_table(f->catalog, &small, "s19", "t", &t, &err);
    if (st != SKEP_OK) {
      assert_int_equal(st, SKEP_ERR_NOMEM);
      assert_null(t);
    }
    skep_arena_fini(&small);
  }
}

/* Everything once, rolled back, so that it can be done again. */
static skep_status make_and_look(fixture *f, skep_err *err) {
  skep_arena arena;
  skep_arena_init(&arena, &f->ctx, 1 << 22);
  static const int32_t id[] = {0};
  static const skep_catalog_constraint key = {.kind = SKEP_CONSTRAINT_PRIMARY_KEY, .columns = id, .n_columns = 1};
  static const char *const values[] = {"1"};
  skep_catalog_table t = *new_table(f, "m", "struct<id:int,v:string>", "struct<y:int>"), *read = NULL, *copy = NULL;
  t.constraints = &key;
  t.n_constraints = 1;
  skep_catalog_partition p = {.values = values};
  const skep_catalog_partition *list;
  size_t n;
  const skep_catalog_stats stats = {.n_rows = 1, .n_files = 1, .size_bytes = 10};
  skep_status st = skep_db_begin(f->db, SKEP_DB_WRITE, err);
  if (st == SKEP_OK) st = skep_catalog_create_table(f->catalog, &arena, &t, err);
  if (st == SKEP_OK) st = skep_catalog_get_table(f->catalog, &arena, "s19", "m", &read, err);
  if (st == SKEP_OK) st = skep_catalog_add_partitions(f->catalog, &arena, read, &p, 1, err);
  if (st == SKEP_OK) st = skep_catalog_update_stats(f->catalog, read, &p, &stats, 1, err);
  if (st == SKEP_OK) st = skep_catalog_list_partitions(f->catalog, &arena, read, true, &list, &n, err);
  if (st == SKEP_OK) st = skep_catalog_table_copy(&arena, read, &copy, err);
  if (st == SKEP_OK) copy->name = "m2";
  if (st == SKEP_OK) st = skep_catalog_alter_table(f->catalog, read, copy, err);
  if (st == SKEP_OK) st = skep_catalog_drop_table(f->catalog, copy, err);
  skep_db_rollback(f->db);
  skep_arena_fini(&arena);
  return st;
}

static void each_allocation_may_fail(void **state) {
  fixture *f = *state;
  failing_alloc memory;
  fixture g = {0};
  failing_alloc_ctx(&memory, &g.ctx);
  skep_err err = {0};
  metastore_new(&g.m, &f->ctx, true);
  assert_ok(skep_db_open(&g.ctx, g.m.url, NULL, &g.db, &err), err);
  assert_ok(skep_schema_ensure(g.db, "file:/warehouse", NULL, NULL, &err), err);
  const skep_catalog_opts opts = {.warehouse = "/warehouse"};
  assert_ok(skep_catalog_open(&g.ctx, g.db, &opts, &g.catalog, &err), err);
  skep_arena_init(&g.arena, &f->ctx, 1 << 26); /* what the test itself makes never fails */
  make_database(&g);
  assert_ok(make_and_look(&g, &err), err); /* statements are in the cache now */
  uint64_t live = failing_alloc_live(&memory);
  for (uint64_t n = 1;; n++) {
    failing_alloc_arm(&memory, n);
    skep_status st = make_and_look(&g, &err);
    assert_int_equal(failing_alloc_live(&memory), live);
    if (!failing_alloc_fired(&memory)) break;
    assert_int_equal(st, SKEP_ERR_NOMEM);
  }
  failing_alloc_arm(&memory, 0);
  assert_ok(make_and_look(&g, &err), err);
  skep_arena_fini(&g.arena);
  skep_catalog_close(g.catalog);
  skep_db_close(g.db);
  metastore_remove(&g.m, &f->ctx);
  assert_int_equal(failing_alloc_live(&memory), 0);
}

/* Rows that somebody else wrote, or damaged. */
static void rows_that_make_no_sense_are_refused(void **state) {
  fixture *f = *state;
  make_database(f);
  skep_catalog_table *t = new_table(f, "p", "struct<id:int,v:string>", "struct<y:int,z:string>");
  const uint32_t buckets[] = {0};
  t->bucket_columns = buckets;
  t->n_bucket_columns = 1;
  t->n_buckets = 2;
  create(f, t);
  const char *values[] = {"1", "a"};
  skep_catalog_partition p = {.values = values};
  skep_err err = {0};
  assert_ok(skep_catalog_add_partitions(f->catalog, &f->arena, get(f, "p"), &p, 1, &err), err);
  static const struct {
    const char *damage;
    skep_status status;
    const char *text;
  } cases[] = {
      {"UPDATE \"COLUMNS_V2\" SET \"TYPE_NAME\" = 'interval_day_time'", SKEP_ERR_UNSUPPORTED, "column id"},
      {"UPDATE \"COLUMNS_V2\" SET \"TYPE_NAME\" = NULL", SKEP_ERR_UNSUPPORTED, "column id"},
      {"UPDATE \"COLUMNS_V2\" SET \"TYPE_NAME\" = 'map<int'", SKEP_ERR_UNSUPPORTED, "table s19.p: column id"},
      {"UPDATE \"BUCKETING_COLS\" SET \"BUCKET_COL_NAME\" = 'x\x01'", SKEP_ERR_CORRUPT,
       "column x\\x01 that it has not"},
      {"INSERT INTO \"KEY_CONSTRAINTS\" (\"PARENT_CD_ID\", \"PARENT_INTEGER_IDX\", \"PARENT_TBL_ID\", \"POSITION\", "
       "\"CONSTRAINT_NAME\", \"CONSTRAINT_TYPE\", \"ENABLE_VALIDATE_RELY\") VALUES (1, 99, 1, 1, 'c', 3, 5)",
       SKEP_ERR_CORRUPT, "constraint over column 99"},
      {"INSERT INTO \"KEY_CONSTRAINTS\" (\"PARENT_CD_ID\", \"PARENT_INTEGER_IDX\", \"PARENT_TBL_ID\", \"POSITION\", "
       "\"CONSTRAINT_NAME\", \"CONSTRAINT_TYPE\", \"ENABLE_VALIDATE_RELY\") VALUES (1, 0, 1, 1, 'c', 77, 5)",
       SKEP_ERR_CORRUPT, "constraint of kind 77"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    skep_catalog_table *read = NULL;
    assert_ok(skep_db_begin(f->db, SKEP_DB_WRITE, &err), err);
    assert_ok(skep_db_run(f->db, cases[i].damage, SKEP_NO_PARAMS, NULL, &err), err);
    assert_fails(skep_catalog_get_table(f->catalog, &f->arena, "s19", "p", &read, &err), cases[i].status, err,
                 cases[i].text);
    assert_null(read);
    skep_db_rollback(f->db);
  }
  static const char *const names[] = {"y=1", "y=1/z=a/q=b", "y", "", "y=1/a", "/y=1/z=a"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const skep_catalog_partition *list;
    size_t n;
    assert_ok(skep_db_begin(f->db, SKEP_DB_WRITE, &err), err);
    assert_ok(skep_db_run(f->db, "UPDATE \"PARTITIONS\" SET \"PART_NAME\" = ?", SKEP_PARAMS(skep_p_text(names[i])),
                          NULL, &err),
              err);
    assert_fails(skep_catalog_list_partitions(f->catalog, &f->arena, get(f, "p"), true, &list, &n, &err),
                 SKEP_ERR_CORRUPT, err, "does not fit its 2 keys");
    skep_db_rollback(f->db);
  }
  /* what only Hive can use has a place that no file system has */
  assert_ok(
      skep_db_run(f->db, "UPDATE \"SDS\" SET \"LOCATION\" = NULL WHERE \"SD_ID\" = 1", SKEP_NO_PARAMS, NULL, &err),
      err);
  const char *path;
  assert_fails(skep_catalog_path(get(f, "p")->location, &path, &err), SKEP_ERR_UNSUPPORTED, err, "not on a local");
}

int main(void) {
  if (metastore_missing()) return METASTORE_SKIPPED;
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {TEST(databases_are_stored_as_hive_stores_them),
                                     TEST(a_table_is_stored_as_hive_stores_it),
                                     TEST(a_table_is_read_back_as_it_was_made),
                                     TEST(partitions_are_stored_as_hive_stores_them),
                                     TEST(statistics_are_what_hive_leaves),
                                     TEST(constraints_are_stored_as_hive_stores_them),
                                     TEST(altered_columns_are_a_new_descriptor),
                                     TEST(a_renamed_table_takes_its_partitions_along),
                                     TEST(a_dropped_table_leaves_nothing),
                                     TEST(rolled_back_changes_are_not_there),
                                     TEST(statistics_of_columns_are_stored_as_hive_stores_them),
                                     TEST(partition_values_are_written_as_hive_writes_them),
                                     TEST(locations_become_paths),
                                     TEST(memory_that_runs_out_is_an_error),
                                     TEST(each_allocation_may_fail),
                                     TEST(rows_that_make_no_sense_are_refused)};
#undef TEST
  return cmocka_run_group_tests(tests, NULL, NULL);
}
