/* Hive's hashes of values, as they choose buckets: skep_hash1 (version 1, hash()) and skep_mhash1 (version 2,
 * murmur_hash()) of one value of any type; several are combined as 31 * h + next by whoever prints the SQL. */
#include "column/bucket_hash.h"
#include "engine/function.h"

enum { MAX_DEPTH = 64 };

static skep_status type_of(skep_arena *arena, duckdb_logical_type from, int depth, const skep_type **out,
                           skep_err *err);

static skep_status no_hash(duckdb_logical_type type, const skep_ctx *ctx, skep_err *err) {
  skep_buf text;
  skep_buf_init(&text, ctx, 1 << 16);
  skep_carrier_print_duckdb(type, &text);
  skep_status status = skep_fail(err, SKEP_ERR_UNSUPPORTED, "values of %s have no hash", skep_buf_string(&text));
  skep_buf_fini(&text);
  return status;
}

static skep_status child_type(skep_arena *arena, duckdb_logical_type child, int depth, const skep_type **out,
                              skep_err *err) {
  skep_status status = type_of(arena, child, depth + 1, out, err);
  skep_duck.destroy_logical_type(&child);
  return status;
}

/* STRUCT(tag, f0, ..) is a union. */
static bool is_union(duckdb_logical_type type) {
  if (skep_duck.struct_type_child_count(type) < 2) return false;
  char *first = skep_duck.struct_type_child_name(type, 0), *second = skep_duck.struct_type_child_name(type, 1);
  bool is = strcmp(first, "tag") == 0 && strcmp(second, "f0") == 0;
  skep_duck.free(first);
  skep_duck.free(second);
  return is;
}

static skep_status fields_type(skep_arena *arena, duckdb_logical_type from, int depth, const skep_type **out,
                               skep_err *err) {
  bool tagged = is_union(from);
  skep_type like = {.kind = tagged ? SKEP_UNION : SKEP_STRUCT};
  uint32_t n = (uint32_t)skep_duck.struct_type_child_count(from), skip = tagged ? 1 : 0;
  const skep_type **types = skep_arena_zero(arena, n, sizeof *types);
  const char **names = skep_arena_zero(arena, n, sizeof *names);
  if (types == NULL || names == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "hashing");
  for (uint32_t i = skip; i < n; i++) {
    names[i - skip] = "f";
    SKEP_TRY(child_type(arena, skep_duck.struct_type_child_type(from, i), depth, &types[i - skip], err));
  }
  return skep_type_make(arena, &like, types, tagged ? NULL : names, n - skip, out, err);
}

/* The Hive type whose carrier this is, as far as hashes can tell. */
static skep_status type_of(skep_arena *arena, duckdb_logical_type from, int depth, const skep_type **out,
                           skep_err *err) {
  static const struct {
    duckdb_type from;
    skep_kind to;
  } kinds[] = {{DUCKDB_TYPE_BOOLEAN, SKEP_BOOLEAN},   {DUCKDB_TYPE_TINYINT, SKEP_TINYINT},
               {DUCKDB_TYPE_SMALLINT, SKEP_SMALLINT}, {DUCKDB_TYPE_INTEGER, SKEP_INT},
               {DUCKDB_TYPE_BIGINT, SKEP_BIGINT},     {DUCKDB_TYPE_FLOAT, SKEP_FLOAT},
               {DUCKDB_TYPE_DOUBLE, SKEP_DOUBLE},     {DUCKDB_TYPE_VARCHAR, SKEP_STRING},
               {DUCKDB_TYPE_BLOB, SKEP_BINARY},       {DUCKDB_TYPE_DATE, SKEP_DATE},
               {DUCKDB_TYPE_HUGEINT, SKEP_TIMESTAMP}, {DUCKDB_TYPE_DECIMAL, SKEP_DECIMAL},
               {DUCKDB_TYPE_LIST, SKEP_LIST},         {DUCKDB_TYPE_MAP, SKEP_MAP}};
  duckdb_type id = skep_duck.get_type_id(from);
  skep_type like = {.kind = SKEP_KIND_COUNT};
  const skep_type *children[2] = {NULL, NULL};
  if (depth > MAX_DEPTH) return skep_fail(err, SKEP_ERR_LIMIT, "a type is nested deeper than %d levels", MAX_DEPTH);
  if (id == DUCKDB_TYPE_STRUCT) return fields_type(arena, from, depth, out, err);
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (kinds[i].from == id) like.kind = kinds[i].to;
  }
  if (like.kind == SKEP_KIND_COUNT) return no_hash(from, arena->ctx, err);
  uint32_t n = 0;
  if (like.kind == SKEP_DECIMAL) {
    like.precision = skep_duck.decimal_width(from);
    like.scale = skep_duck.decimal_scale(from);
  } else if (like.kind == SKEP_LIST) {
    SKEP_TRY(child_type(arena, skep_duck.list_type_child_type(from), depth, &children[n++], err));
  } else if (like.kind == SKEP_MAP) {
    SKEP_TRY(child_type(arena, skep_duck.map_type_key_type(from), depth, &children[n++], err));
    SKEP_TRY(child_type(arena, skep_duck.map_type_value_type(from), depth, &children[n++], err));
  }
  return skep_type_make(arena, &like, children, NULL, n, out, err);
}

static skep_status hash_rows(skep_call *c, skep_arena *arena, skep_vec *values, int version, skep_err *err) {
  static const skep_forms forms = {.boolean = SKEP_FORM_BOOL_BYTES, .string = SKEP_FORM_VIEW, .narrow_decimals = true};
  const skep_type *type;
  duckdb_logical_type from = skep_duck.vector_get_column_type(c->args[0]);
  skep_status status = type_of(arena, from, 0, &type, err);
  skep_duck.destroy_logical_type(&from);
  if (status == SKEP_OK) status = skep_vec_init(values, c->ctx, type, &forms, err);
  if (status == SKEP_OK) status = skep_drain_vector(c->args[0], NULL, 0, c->n, values, err);
  const skep_vec *columns[] = {values};
  return status != SKEP_OK ? status : skep_bucket_hash(columns, 1, version, NULL, 0, c->n, c->out_data, err);
}

static skep_status hash(skep_call *c, int version, skep_err *err) {
  skep_arena arena;
  skep_vec values = {.ctx = NULL};
  skep_arena_init(&arena, c->ctx, 1 << 24);
  skep_status status = hash_rows(c, &arena, &values, version, err);
  skep_vec_fini(&values);
  skep_arena_fini(&arena);
  return status;
}

static skep_status hash1(skep_call *c, skep_err *err) { return hash(c, 1, err); }
static skep_status mhash1(skep_call *c, skep_err *err) { return hash(c, 2, err); }

/* NULL hashes to 0. */
const skep_function skep_functions_hash[] = {
    {.name = "skep_hash1", .args = "*", .result = 'i', .body = hash1, .sees_nulls = true},
    {.name = "skep_mhash1", .args = "*", .result = 'i', .body = mhash1, .sees_nulls = true},
    {.name = NULL},
};
