/* Which functions are registered, and when: a function is made known to DuckDB by the first SQL text that names it, so
 * that opening an engine costs nothing for the hundreds that a query does not use. */
#include "engine/function.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NAME = 80, MAX_TEXT = 1 << 28 };

static const skep_function *const tables[] = {skep_functions_number, skep_functions_decimal, skep_functions_string,
                                              skep_functions_text,   skep_functions_time,    skep_functions_hash,
                                              skep_functions_any,    skep_functions_math,    skep_functions_web,
                                              skep_functions_format, skep_functions_sha2};

/* ---- calls ---- */

static void need_validity(skep_call *c) {
  if (c->out_valid != NULL) return;
  skep_duck.vector_ensure_validity_writable(c->out);
  c->out_valid = skep_duck.vector_get_validity(c->out);
}

void skep_call_set_null(skep_call *c, int64_t i) {
  need_validity(c);
  c->out_valid[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

void skep_call_put_bytes(skep_call *c, int64_t i, const void *bytes, size_t length) {
  skep_view view = {.inlined = {(uint32_t)length, {0}}};
  if (length > sizeof view.inlined.bytes) {
    skep_duck.vector_assign_string_element_len(c->out, (idx_t)i, bytes, length);
    return;
  }
  if (length != 0) memcpy(view.inlined.bytes, bytes, length);
  ((skep_view *)c->out_data)[i] = view;
}

skep_status skep_call_put_text(skep_call *c, int64_t i, skep_err *err) {
  SKEP_TRY(skep_buf_check(c->text, "the result of a function", err));
  skep_call_put_bytes(c, i, c->text->data, c->text->size);
  return SKEP_OK;
}

/* NULL where an argument is. */
static void mark_nulls(skep_call *c) {
  size_t words = ((size_t)c->n + 63) / 64;
  for (uint32_t a = 0; a < c->n_args; a++) {
    if (c->valid[a] == NULL) continue;
    need_validity(c);
    for (size_t w = 0; w < words; w++) c->out_valid[w] &= c->valid[a][w];
  }
}

static void on_call(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector out) {
  const skep_registered *r = skep_duck.scalar_function_get_extra_info(info);
  skep_buf text;
  skep_err err;
  skep_call c = {.ctx = r->ctx,
                 .function = r->function,
                 .precision = r->precision,
                 .scale = r->scale,
                 .n = (int64_t)skep_duck.data_chunk_get_size(chunk),
                 .n_args = (uint32_t)skep_duck.data_chunk_get_column_count(chunk),
                 .chunk = chunk,
                 .out = out,
                 .out_data = skep_duck.vector_get_data(out),
                 .text = &text};
  if (c.n_args > SKEP_CALL_ARGS) c.n_args = SKEP_CALL_ARGS;
  for (uint32_t a = 0; a < c.n_args; a++) {
    c.args[a] = skep_duck.data_chunk_get_vector(chunk, a);
    c.data[a] = skep_duck.vector_get_data(c.args[a]);
    c.valid[a] = skep_duck.vector_get_validity(c.args[a]);
  }
  if (!r->function->sees_nulls) mark_nulls(&c);
  skep_buf_init(&text, r->ctx, MAX_TEXT);
  skep_status status = r->function->body(&c, &err);
  skep_buf_fini(&text);
  if (status == SKEP_OK) return;
  char marked[SKEP_ENGINE_ERROR_SIZE];
  skep_duck.scalar_function_set_error(info, skep_engine_mark_error(r->mark, marked, sizeof marked, status, err.text));
}

/* ---- types ---- */

static duckdb_logical_type type_of(char letter, unsigned precision, unsigned scale) {
  static const struct {
    char letter;
    duckdb_type type;
  } letters[] = {{'b', DUCKDB_TYPE_BOOLEAN}, {'t', DUCKDB_TYPE_TINYINT}, {'s', DUCKDB_TYPE_SMALLINT},
                 {'i', DUCKDB_TYPE_INTEGER}, {'l', DUCKDB_TYPE_BIGINT},  {'h', DUCKDB_TYPE_HUGEINT},
                 {'f', DUCKDB_TYPE_FLOAT},   {'d', DUCKDB_TYPE_DOUBLE},  {'D', DUCKDB_TYPE_DATE},
                 {'v', DUCKDB_TYPE_VARCHAR}, {'x', DUCKDB_TYPE_BLOB},    {'*', DUCKDB_TYPE_ANY}};
  if (letter == 'n') return skep_duck.create_decimal_type((uint8_t)precision, (uint8_t)scale);
  if (letter == 'V') {
    duckdb_logical_type element = skep_duck.create_logical_type(DUCKDB_TYPE_VARCHAR);
    duckdb_logical_type list = skep_duck.create_list_type(element);
    skep_duck.destroy_logical_type(&element);
    return list;
  }
  for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
    if (letters[i].letter == letter) return skep_duck.create_logical_type(letters[i].type);
  }
  return NULL;
}

/* ---- registering ---- */

static void release_registered(void *self) {
  skep_registered *r = self;
  skep_release(r->ctx, r);
}

static skep_status make_scalar(skep_engine *e, const skep_function *f, const char *name, unsigned precision,
                               unsigned scale, duckdb_scalar_function *out, skep_err *err) {
  skep_registered *r = skep_alloc_zero(e->ctx, 1, sizeof *r);
  if (r == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "registering %s", name);
  *r = (skep_registered){.ctx = e->ctx, .function = f, .precision = precision, .scale = scale, .mark = e->mark};
  duckdb_scalar_function function = skep_duck.create_scalar_function();
  skep_duck.scalar_function_set_name(function, name);
  skep_duck.scalar_function_set_extra_info(function, r, release_registered);
  for (const char *a = f->args; *a != '\0'; a++) {
    duckdb_logical_type type = type_of(*a == '.' ? '*' : *a, 0, 0);
    if (*a == '.') {
      skep_duck.scalar_function_set_varargs(function, type);
    } else {
      skep_duck.scalar_function_add_parameter(function, type);
    }
    skep_duck.destroy_logical_type(&type);
  }
  duckdb_logical_type result = type_of(f->result, precision, scale);
  skep_duck.scalar_function_set_return_type(function, result);
  skep_duck.destroy_logical_type(&result);
  if (f->sees_nulls) skep_duck.scalar_function_set_special_handling(function);
  if (f->is_volatile) skep_duck.scalar_function_set_volatile(function);
  skep_duck.scalar_function_set_function(function, on_call);
  *out = function;
  return SKEP_OK;
}

/* All overloads of a name; they stand one after the other in their table. */
static skep_status register_scalars(skep_engine *e, const skep_function *first, const char *name, unsigned precision,
                                    unsigned scale, skep_err *err) {
  duckdb_scalar_function_set set = skep_duck.create_scalar_function_set(name);
  skep_status status = SKEP_OK;
  for (const skep_function *f = first; status == SKEP_OK && f->name != NULL && strcmp(f->name, first->name) == 0; f++) {
    duckdb_scalar_function function;
    status = make_scalar(e, f, name, precision, scale, &function, err);
    if (status != SKEP_OK) break;
    if (skep_duck.add_scalar_function_to_set(set, function) != DuckDBSuccess)
      status = skep_fail(err, SKEP_ERR_INTERNAL, "DuckDB takes no function %s(%s)", name, f->args);
    skep_duck.destroy_scalar_function(&function);
  }
  if (status == SKEP_OK && skep_duck.register_scalar_function_set(e->control, set) != DuckDBSuccess)
    status = skep_fail(err, SKEP_ERR_INTERNAL, "DuckDB takes no functions %s", name);
  skep_duck.destroy_scalar_function_set(&set);
  return status;
}

static idx_t state_size(duckdb_function_info info) {
  const skep_registered *r = skep_duck.aggregate_function_get_extra_info(info);
  return r->aggregate->state_bytes;
}

static void state_init(duckdb_function_info info, duckdb_aggregate_state state) { memset(state, 0, state_size(info)); }

static skep_status register_aggregate(skep_engine *e, const skep_aggregate *a, const char *name, unsigned precision,
                                      unsigned scale, skep_err *err) {
  skep_registered *r = skep_alloc_zero(e->ctx, 1, sizeof *r);
  if (r == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "registering %s", name);
  *r = (skep_registered){.ctx = e->ctx, .aggregate = a, .precision = precision, .scale = scale, .mark = e->mark};
  duckdb_aggregate_function function = skep_duck.create_aggregate_function();
  skep_duck.aggregate_function_set_name(function, name);
  skep_duck.aggregate_function_set_extra_info(function, r, release_registered);
  for (const char *at = a->args; *at != '\0'; at++) {
    duckdb_logical_type type = type_of(*at, 0, 0);
    skep_duck.aggregate_function_add_parameter(function, type);
    skep_duck.destroy_logical_type(&type);
  }
  duckdb_logical_type result = type_of(a->result, precision, scale);
  skep_duck.aggregate_function_set_return_type(function, result);
  skep_duck.destroy_logical_type(&result);
  skep_duck.aggregate_function_set_functions(function, state_size, state_init, a->update, a->combine, a->finalize);
  skep_status status = SKEP_OK;
  if (skep_duck.register_aggregate_function(e->control, function) != DuckDBSuccess)
    status = skep_fail(err, SKEP_ERR_INTERNAL, "DuckDB takes no aggregate %s", name);
  skep_duck.destroy_aggregate_function(&function);
  return status;
}

static skep_status register_macro(skep_engine *e, const skep_function *f, skep_err *err) {
  skep_buf sql;
  duckdb_result result;
  SKEP_TRY(
      skep_engine_register_functions(e, f->macro, err)); /* those it stands on; macros do not stand on themselves */
  skep_buf_init(&sql, e->ctx, 1 << 16);
  skep_buf_printf(&sql, "CREATE MACRO %s%s", f->name, f->macro);
  skep_status status = skep_buf_check(&sql, f->name, err);
  if (status == SKEP_OK) {
    if (skep_duck.query(e->control, skep_buf_string(&sql), &result) != DuckDBSuccess)
      status = skep_engine_unmark_error(e, skep_duck.result_error(&result), SKEP_ERR_INTERNAL, err);
    skep_duck.destroy_result(&result);
  }
  skep_buf_fini(&sql);
  return status;
}

static bool is_registered(const skep_engine *e, const char *name) {
  for (size_t i = 0; i < e->n_registered; i++) {
    if (strcmp(e->registered[i], name) == 0) return true;
  }
  return false;
}

static skep_status remember(skep_engine *e, const char *name, skep_err *err) {
  SKEP_TRY(
      skep_grow(e->ctx, (void **)&e->registered, &e->registered_capacity, e->n_registered + 1, sizeof(char *), err));
  char *copy = skep_strndup(e->ctx, name, strlen(name));
  if (copy == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "registering a function");
  e->registered[e->n_registered++] = copy;
  return SKEP_OK;
}

static bool take_number(const char **at, unsigned *out) {
  const char *start = *at;
  for (*out = 0; **at >= '0' && **at <= '9' && *at - start < 2; ++*at) *out = *out * 10 + (unsigned)(**at - '0');
  return *at != start;
}

/* "_12_3" at the end of a name: a decimal type. */
static bool split_decimal(const char *name, char *stem, unsigned *precision, unsigned *scale) {
  const char *second = strrchr(name, '_'), *first = second;
  while (first != NULL && first > name && first[-1] != '_') first--;
  if (first == NULL || first == name) return false;
  const char *at = first;
  if (!take_number(&at, precision) || *at++ != '_' || !take_number(&at, scale) || *at != '\0') return false;
  if (*precision < 1 || *precision > 38 || *scale > *precision) return false;
  snprintf(stem, MAX_NAME, "%.*s", (int)(first - 1 - name), name);
  return true;
}

static const skep_function *find(const char *name, bool is_decimal) {
  for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
    for (const skep_function *f = tables[t]; f->name != NULL; f++) {
      if ((f->result == 'n') == is_decimal && strcmp(f->name, name) == 0) return f;
    }
  }
  return NULL;
}

static const skep_aggregate *find_aggregate(const char *name, bool is_decimal) {
  for (const skep_aggregate *a = skep_functions_aggregate; a->name != NULL; a++)
    if ((a->result == 'n') == is_decimal && strcmp(a->name, name) == 0) return a;
  return NULL;
}

/* A name that is no function of ours is left to DuckDB, which will say so. */
static skep_status register_name(skep_engine *e, const char *name, skep_err *err) {
  unsigned precision = 0, scale = 0;
  char stem[MAX_NAME];
  if (is_registered(e, name)) return SKEP_OK;
  const skep_function *f = find(name, false);
  const skep_aggregate *a = find_aggregate(name, false);
  if (f == NULL && a == NULL && split_decimal(name, stem, &precision, &scale)) {
    f = find(stem, true);
    a = find_aggregate(stem, true);
  }
  if (f == NULL && a == NULL) return SKEP_OK;
  SKEP_TRY(a != NULL         ? register_aggregate(e, a, name, precision, scale, err)
           : f->body == NULL ? register_macro(e, f, err)
                             : register_scalars(e, f, name, precision, scale, err));
  return remember(e, name, err);
}

skep_status skep_engine_register_functions(skep_engine *e, const char *sql, skep_err *err) {
  for (const char *at = sql; (at = strstr(at, "skep_")) != NULL;) {
    char name[MAX_NAME];
    size_t n = 0;
    while ((at[n] >= 'a' && at[n] <= 'z') || (at[n] >= '0' && at[n] <= '9') || at[n] == '_') n++;
    if (n < sizeof name) {
      memcpy(name, at, n);
      name[n] = '\0';
      SKEP_TRY(register_name(e, name, err));
    }
    at += n;
  }
  return SKEP_OK;
}

void skep_engine_forget_functions(skep_engine *e) {
  for (size_t i = 0; i < e->n_registered; i++) skep_release(e->ctx, e->registered[i]);
  skep_release(e->ctx, e->registered);
}
