/* What a written table asks of its rows: see target.h. */
#include "sql/target.h"

#include <stdio.h>

#include "acid/name.h"
#include "bind/type_rules.h"
#include "column/text.h"
#include "hiveql/parse.h"

/* ---- the PARTITION clause ---- */

skep_status skep_target_constant(skep_arena *arena, const skep_expr *expr, const char **out, skep_err *err) {
  bool minus = false;
  char number[32];
  *out = NULL;
  while (expr->kind == SKEP_EXPR_UNARY && (expr->unary.op == SKEP_OP_NEGATE || expr->unary.op == SKEP_OP_PLUS)) {
    minus ^= expr->unary.op == SKEP_OP_NEGATE;
    expr = expr->unary.operand;
  }
  if (expr->kind != SKEP_EXPR_LITERAL)
    return skep_fail(err, SKEP_ERR_SEMANTIC, "SemanticException Line %u:%u a partition value must be a constant",
                     expr->pos.line, expr->pos.column);
  const char *text = expr->literal.bytes;
  size_t length = expr->literal.length;
  switch (expr->literal.kind) {
    case SKEP_LITERAL_NULL:
      return SKEP_OK;
    case SKEP_LITERAL_BOOLEAN:
      text = expr->literal.i64 != 0 ? "true" : "false";
      length = strlen(text);
      break;
    case SKEP_LITERAL_TINYINT:
    case SKEP_LITERAL_SMALLINT:
    case SKEP_LITERAL_INT:
    case SKEP_LITERAL_BIGINT:
      length = (size_t)snprintf(number, sizeof number, "%lld", (long long)expr->literal.i64);
      text = number;
      break;
    case SKEP_LITERAL_DECIMAL:
    case SKEP_LITERAL_DOUBLE:
    case SKEP_LITERAL_STRING:
    case SKEP_LITERAL_DATE:
    case SKEP_LITERAL_TIMESTAMP:
    case SKEP_LITERAL_TIMESTAMP_TZ:
      break;
  }
  if (memchr(text, 0, length) != NULL) return skep_fail(err, SKEP_ERR_UNSUPPORTED, "a partition value with a NUL byte");
  char *copy = skep_arena_alloc(arena, length + 2);
  if (copy == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a partition value");
  if (minus) copy[0] = '-';
  memcpy(copy + minus, text, length);
  copy[length + minus] = '\0';
  *out = copy;
  return SKEP_OK;
}

/* To an int, or a long, as Java casts a double. */
static int64_t saturate(double number, bool to_long) {
  if (number != number) return 0;
  if (number < (to_long ? -0x1p63 : -0x1p31)) return to_long ? INT64_MIN : INT32_MIN;
  if (number >= (to_long ? 0x1p63 : 0x1p31)) return to_long ? INT64_MAX : INT32_MAX;
  return (int64_t)number;
}

/* A double saturates as an int first (of BIGINT: a long); a decimal loses its digits behind the point. */
static bool cast_number(skep_literal_kind from, const char *text, skep_kind to, int64_t *out) {
  double number;
  switch (from) {
    case SKEP_LITERAL_TINYINT:
    case SKEP_LITERAL_SMALLINT:
    case SKEP_LITERAL_INT:
    case SKEP_LITERAL_BIGINT:
      return skep_parse_i64(skep_bytes_of(text, strlen(text)), out);
    case SKEP_LITERAL_DECIMAL:
      return skep_parse_i64(skep_bytes_of(text, strcspn(text, ".")), out) && skep_rule_wrap(to, *out) == *out;
    case SKEP_LITERAL_DOUBLE:
      if (!skep_parse_f64(skep_bytes_of(text, strlen(text)), &number)) return false;
      *out = saturate(number, to == SKEP_BIGINT);
      return true;
    default:
      return false;
  }
}

skep_status skep_target_number(skep_arena *arena, const skep_type *key, const skep_expr *value, const char **text,
                               skep_err *err) {
  enum { LONGEST = 24 };
  int64_t number;
  while (value->kind == SKEP_EXPR_UNARY) value = value->unary.operand;
  if (!skep_rule_is_integer(key) || *text == NULL || value->kind != SKEP_EXPR_LITERAL) return SKEP_OK;
  if (!cast_number(value->literal.kind, *text, key->kind, &number)) return SKEP_OK;
  char *copy = skep_arena_alloc(arena, LONGEST);
  if (copy == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a partition value");
  snprintf(copy, LONGEST, "%lld", (long long)skep_rule_wrap(key->kind, number));
  *text = copy;
  return SKEP_OK;
}

static const skep_partition_value *spec_value(const skep_partition_spec *spec, const char *key) {
  for (uint32_t i = 0; i < spec->n; i++)
    if (strcmp(spec->items[i].name, key) == 0) return &spec->items[i];
  return NULL;
}

/* "{d=2026-01-01, s}" as Hive prints a spec. */
static void print_spec(skep_arena *arena, const skep_partition_spec *spec, char *out, size_t size) {
  size_t at = 0;
  out[0] = '\0';
  for (uint32_t i = 0; i < spec->n && at < size; i++) {
    const char *value = NULL;
    char quoted_name[100], quoted_value[100];
    const skep_partition_value *v = &spec->items[i];
    if (v->value != NULL && skep_target_constant(arena, v->value, &value, NULL) != SKEP_OK) value = "?";
    int n = snprintf(out + at, size - at, "%s%s%s%s", i == 0 ? "" : ", ",
                     skep_quote(quoted_name, sizeof quoted_name, v->name, strlen(v->name)), v->value != NULL ? "=" : "",
                     value != NULL ? skep_quote(quoted_value, sizeof quoted_value, value, strlen(value)) : "");
    if (n < 0) return;
    at += (size_t)n;
  }
}

static bool all_given(const skep_partition_spec *spec) {
  for (uint32_t i = 0; i < spec->n; i++)
    if (spec->items[i].value == NULL) return false;
  return true;
}

/* Hive's words for values that name no partition: those of the clause, with their quotes. */
static skep_status not_found(skep_arena *arena, const skep_partition_spec *spec, const skep_partition_value *v,
                             skep_err *err) {
  const char *text = NULL, *mark = "'";
  char quoted[200];
  SKEP_TRY(skep_target_constant(arena, v->value, &text, err));
  if (v->value->kind != SKEP_EXPR_LITERAL || v->value->literal.kind != SKEP_LITERAL_STRING) mark = "";
  if (text == NULL) text = "null";
  return skep_fail(err, SKEP_ERR_SEMANTIC, "SemanticException [Error 10006]: Line %u:%u Partition not found '%s%s%s'",
                   spec->items[0].pos.line, spec->items[0].pos.column, mark,
                   skep_quote(quoted, sizeof quoted, text, strlen(text)), mark);
}

static skep_status check_spec(const skep_target *target, skep_life *life, const skep_partition_spec *spec,
                              skep_err *err) {
  const skep_catalog_table *t = target->table->t;
  const skep_type *keys = t->partition_keys;
  char text[300];
  for (uint32_t i = 0; i < spec->n; i++) {
    const char *name = spec->items[i].name;
    if (skep_type_child(keys, name, strlen(name), false) >= 0) continue;
    print_spec(&life->s->arena, spec, text, sizeof text);
    return skep_fail(err, SKEP_ERR_SEMANTIC,
                     "ValidationFailureSemanticException %s.%s: Partition spec {%s} contains non-partition columns",
                     t->db, t->name, text);
  }
  bool seen_dynamic = false;
  if (spec->n != 0 && spec->n < keys->n_children && all_given(spec))
    return not_found(&life->s->arena, spec, &spec->items[spec->n - 1], err);
  for (uint32_t k = 0; k < keys->n_children; k++) {
    const skep_partition_value *v = spec_value(spec, keys->names[k]);
    bool dynamic = v == NULL || v->value == NULL;
    if (seen_dynamic && !dynamic)
      return skep_fail(err, SKEP_ERR_SEMANTIC,
                       "SemanticException [Error 10094]: Line %u:%u Dynamic partition cannot be the parent of a static "
                       "partition '%s'",
                       v->pos.line, v->pos.column, keys->names[k]);
    seen_dynamic |= dynamic;
  }
  return SKEP_OK;
}

static const char *literal_type(const skep_expr *value) {
  if (value->kind == SKEP_EXPR_UNARY) value = value->unary.operand;
  if (value->kind != SKEP_EXPR_LITERAL) return "string";
  switch (value->literal.kind) {
    case SKEP_LITERAL_NULL:
      return "void";
    case SKEP_LITERAL_INT:
      return "int";
    case SKEP_LITERAL_BIGINT:
      return "bigint";
    case SKEP_LITERAL_BOOLEAN:
      return "boolean";
    default:
      return "string";
  }
}

static skep_status does_not_fit(skep_life *life, const skep_type *key, const char *key_name, const skep_expr *value,
                                skep_err *err) {
  skep_buf name;
  skep_buf_init(&name, life->s->ctx, 1000);
  skep_type_print(key, &name);
  skep_status st = skep_fail(err, SKEP_ERR_SEMANTIC,
                             "SemanticException [Error 10248]: Cannot add partition column %s of type %s as it cannot "
                             "be converted to type %s",
                             key_name, literal_type(value), skep_buf_string(&name));
  skep_buf_fini(&name);
  return st;
}

static skep_status static_value(skep_life *life, const skep_partition_spec *spec, const skep_type *key,
                                const char *key_name, const skep_partition_value *v, skep_bytes *out, skep_err *err) {
  const char *text, *normal;
  const char *fallback = skep_session_text(life->s, "hive.exec.default.partition.name", SKEP_DEFAULT_PARTITION);
  SKEP_TRY(skep_target_constant(&life->s->arena, v->value, &text, err));
  if (text == NULL) return does_not_fit(life, key, key_name, v->value, err); /* only a row can have NULL there */
  if (text[0] == '\0')
    return skep_rule_is_string(key) ? not_found(&life->s->arena, spec, v, err)
                                    : does_not_fit(life, key, key_name, v->value, err);
  if (strcmp(text, fallback) == 0) { /* the partition of NULL, by its name */
    *out = skep_bytes_of(text, strlen(text));
    return SKEP_OK;
  }
  SKEP_TRY(skep_target_number(&life->s->arena, key, v->value, &text, err));
  skep_status st = skep_catalog_partition_value(&life->s->arena, key, text, &normal, err);
  if (st == SKEP_ERR_RANGE) return does_not_fit(life, key, key_name, v->value, err);
  if (st != SKEP_OK) return st;
  *out = skep_bytes_of(normal, strlen(normal));
  return SKEP_OK;
}

/* A partition name of all-static values, as the catalog has it. */
static skep_status static_name(skep_target *target, skep_life *life, uint32_t n_keys, skep_err *err) {
  const char **values = skep_arena_zero(&life->s->arena, n_keys + 1, sizeof *values);
  if (values == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a partition");
  for (uint32_t k = 0; k < n_keys; k++) values[k] = (const char *)target->statics[k].at;
  skep_buf name;
  skep_buf_init(&name, life->s->ctx, 1 << 20);
  skep_catalog_partition_name(target->table->t->partition_keys, values, &name);
  skep_status st = skep_buf_check(&name, "a partition's name", err);
  if (st == SKEP_OK) {
    target->partition = skep_buf_copy(&name, &life->s->arena);
    if (target->partition == NULL) st = skep_fail(err, SKEP_ERR_NOMEM, "a partition");
  }
  skep_buf_fini(&name);
  return st;
}

static skep_status read_spec(skep_target *target, skep_life *life, const skep_partition_spec *spec, skep_err *err) {
  const skep_type *keys = target->table->t->partition_keys;
  skep_bytes *statics = skep_arena_zero(&life->s->arena, keys->n_children + 1, sizeof *statics);
  uint32_t n = 0;
  if (statics == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a partition");
  SKEP_TRY(check_spec(target, life, spec, err));
  for (uint32_t k = 0; k < keys->n_children; k++) {
    const skep_partition_value *v = spec_value(spec, keys->names[k]);
    if (v == NULL || v->value == NULL) continue;
    SKEP_TRY(static_value(life, spec, keys->children[k], keys->names[k], v, &statics[k], err));
    n++;
  }
  target->all_static = n == keys->n_children;
  if (n != 0) target->statics = statics;
  if (target->all_static) return n == 0 ? SKEP_OK : static_name(target, life, n, err);
  /* without a PARTITION clause Hive does not ask */
  if (n == 0 && spec->n != 0 &&
      strcmp(skep_session_text(life->s, "hive.exec.dynamic.partition.mode", ""), "strict") == 0)
    return skep_fail(err, SKEP_ERR_SEMANTIC,
                     "SemanticException [Error 10096]: Dynamic partition strict mode requires at least one static "
                     "partition column. To turn this off set hive.exec.dynamic.partition.mode=nonstrict");
  return SKEP_OK;
}

/* ---- columns and checks ---- */

static skep_status row_type(skep_target *target, skep_life *life, skep_err *err) {
  const skep_catalog_table *t = target->table->t;
  uint32_t n = t->columns->n_children + t->partition_keys->n_children, at = 0;
  const skep_type **children = skep_arena_zero(&life->s->arena, n + 1, sizeof *children);
  const char **names = skep_arena_zero(&life->s->arena, n + 1, sizeof *names);
  if (children == NULL || names == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "columns");
  for (uint32_t i = 0; i < t->columns->n_children; i++, at++) {
    children[at] = t->columns->children[i];
    names[at] = t->columns->names[i];
  }
  for (uint32_t k = 0; k < t->partition_keys->n_children; k++) {
    if (target->statics != NULL && target->statics[k].at != NULL) continue;
    children[at] = t->partition_keys->children[k];
    names[at++] = t->partition_keys->names[k];
  }
  const skep_type like = {.kind = SKEP_STRUCT};
  return skep_type_make(&life->s->arena, &like, children, names, at, &target->row, err);
}

skep_status skep_target_images(skep_arena *arena, const skep_type *const *images, uint32_t n, const skep_type **out,
                               skep_err *err) {
  uint32_t total = 0, at = 0;
  for (uint32_t i = 0; i < n; i++) total += images[i]->n_children;
  const skep_type **children = skep_arena_zero(arena, total + 1, sizeof *children);
  const char **names = skep_arena_zero(arena, total + 1, sizeof *names);
  if (children == NULL || names == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "columns");
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t c = 0; c < images[i]->n_children; c++, at++) {
      children[at] = images[i]->children[c];
      names[at] = images[i]->names[c];
    }
  }
  const skep_type like = {.kind = SKEP_STRUCT};
  return skep_type_make(arena, &like, children, names, total, out, err);
}

static skep_status read_constraints(skep_target *target, skep_life *life, skep_err *err) {
  const skep_catalog_table *t = target->table->t;
  bool *not_null = skep_arena_zero(&life->s->arena, target->row->n_children + 1, sizeof *not_null);
  const skep_expr **checks = skep_arena_zero(&life->s->arena, t->n_constraints + 1, sizeof *checks);
  if (not_null == NULL || checks == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "constraints");
  for (uint32_t i = 0; i < t->n_constraints; i++) {
    const skep_catalog_constraint *c = &t->constraints[i];
    if (!c->enable) continue;
    if (c->kind == SKEP_CONSTRAINT_NOT_NULL) {
      for (uint32_t k = 0; k < c->n_columns; k++)
        if (c->columns[k] >= 0 && (uint32_t)c->columns[k] < target->n_columns) not_null[c->columns[k]] = true;
      target->not_null = not_null;
    } else if (c->kind == SKEP_CONSTRAINT_CHECK && c->text != NULL) {
      skep_status st =
          skep_parse_expression(&life->s->arena, c->text, strlen(c->text), NULL, &checks[target->bind.n_checks], err);
      if (st != SKEP_OK) return skep_wrap(err, st, "CHECK constraint %s", c->name != NULL ? c->name : "");
      target->bind.n_checks++;
    }
  }
  target->bind.checks = checks;
  return SKEP_OK;
}

skep_status skep_target_init(skep_target *target, skep_life *life, skep_life_table *table, const skep_table_name *name,
                             const skep_partition_spec *spec, skep_err *err) {
  const skep_catalog_table *t = table->t;
  *target = (skep_target){.table = table, .n_columns = t->columns->n_children};
  if (spec != NULL && (spec->n != 0 || !skep_table_is_partitioned(t))) {
    SKEP_TRY(read_spec(target, life, spec, err));
  } else if (spec != NULL) {
    const skep_partition_spec all = {.pos = name->pos};
    SKEP_TRY(read_spec(target, life, &all, err));
  } else {
    target->all_static = !skep_table_is_partitioned(t);
  }
  SKEP_TRY(row_type(target, life, err));
  target->bind.label = t->name;
  target->bind.line = name->pos.line;
  target->bind.column = name->pos.column;
  target->bind.types = target->row;
  return read_constraints(target, life, err);
}

int64_t skep_target_column(const skep_target *target, const char *name) {
  return skep_type_child(target->row, name, strlen(name), false);
}

skep_status skep_target_default(const skep_target *target, skep_life *life, uint32_t column, const skep_expr **out,
                                skep_err *err) {
  const skep_catalog_table *t = target->table->t;
  for (uint32_t i = 0; i < t->n_constraints && column < target->n_columns; i++) {
    const skep_catalog_constraint *c = &t->constraints[i];
    if (c->kind != SKEP_CONSTRAINT_DEFAULT || !c->enable || c->text == NULL || c->n_columns == 0) continue;
    if (c->columns[0] != (int32_t)column) continue;
    skep_status st = skep_parse_expression(&life->s->arena, c->text, strlen(c->text), NULL, out, err);
    return st == SKEP_OK ? st : skep_wrap(err, st, "DEFAULT of column %s", t->columns->names[column]);
  }
  const skep_type *type = target->row->children[column];
  *out = skep_expr_null(&life->s->arena);
  if (*out != NULL && type->n_children != 0) *out = skep_expr_cast(&life->s->arena, *out, type); /* a NULL that fits */
  return *out != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "a default");
}
