/* PARTITION (...) clauses: values as the catalog stores them, Hive's complaints, and which partitions a spec means. */
#include <string.h>

#include "column/text.h"
#include "sql/ddl_int.h"
#include "sql/target.h"

/* ---- constants ---- */

static skep_status copy_text(skep_session *s, const char *bytes, size_t length, const char *sign, const char **out,
                             skep_err *err) {
  char *text = skep_arena_alloc(&s->arena, length + 2);
  if (text == NULL) return ddl_nomem(err);
  size_t n = strlen(sign);
  memcpy(text, sign, n);
  memcpy(text + n, bytes, length);
  text[n + length] = '\0';
  if (memchr(bytes, '\0', length) != NULL)
    return ddl_semantic_fail(err, 0, "A partition value must not have a NUL character");
  *out = text;
  return SKEP_OK;
}

static skep_status literal_text(skep_session *s, const skep_expr *e, bool negative, const char **out, skep_err *err) {
  const char *sign = negative ? "-" : "", *number;
  switch (e->literal.kind) {
    case SKEP_LITERAL_NULL:
      *out = NULL;
      return SKEP_OK;
    case SKEP_LITERAL_BOOLEAN:
      *out = e->literal.i64 != 0 ? "true" : "false";
      return SKEP_OK;
    case SKEP_LITERAL_TINYINT:
    case SKEP_LITERAL_SMALLINT:
    case SKEP_LITERAL_INT:
    case SKEP_LITERAL_BIGINT:
      if ((number = ddl_number(s, e->literal.i64)) == NULL) return ddl_nomem(err);
      return copy_text(s, number, strlen(number), sign, out, err);
    default:
      return copy_text(s, e->literal.bytes, e->literal.length, sign, out, err);
  }
}

skep_status ddl_constant_text(skep_session *s, const skep_expr *value, const char **out, skep_err *err) {
  *out = NULL;
  const skep_expr *e = value;
  bool negative = false;
  while (e->kind == SKEP_EXPR_UNARY && (e->unary.op == SKEP_OP_NEGATE || e->unary.op == SKEP_OP_PLUS)) {
    negative ^= e->unary.op == SKEP_OP_NEGATE;
    e = e->unary.operand;
  }
  if (e->kind == SKEP_EXPR_CAST) e = e->cast.value; /* DATE '...' as a cast of a text */
  if (e->kind != SKEP_EXPR_LITERAL)
    return ddl_semantic_fail(err, 0, "Line %u:%u A partition value must be a constant", value->pos.line,
                             value->pos.column);
  return literal_text(s, e, negative, out, err);
}

const char *ddl_spec_text(skep_session *s, const skep_partition_spec *spec) {
  skep_buf buf;
  skep_buf_init(&buf, s->ctx, 1 << 16);
  skep_buf_byte(&buf, '{');
  for (uint32_t i = 0; i < spec->n; i++) {
    const char *text = NULL;
    if (spec->items[i].value != NULL && ddl_constant_text(s, spec->items[i].value, &text, NULL) != SKEP_OK) text = "?";
    skep_buf_printf(&buf, "%s%s=%s", i == 0 ? "" : ", ", ddl_quote(s, spec->items[i].name),
                    text == NULL ? "null" : ddl_quote(s, text));
  }
  skep_buf_byte(&buf, '}');
  const char *out = skep_buf_copy(&buf, &s->arena);
  skep_buf_fini(&buf);
  return out == NULL ? "{}" : out;
}

/* ---- full and partial specs ---- */

static int64_t key_index(const skep_catalog_table *t, const char *name) {
  return skep_type_child(t->partition_keys, name, strlen(name), true);
}

skep_status ddl_spec_check(skep_session *s, const skep_catalog_table *t, const skep_partition_spec *spec,
                           skep_err *err) {
  if (spec->n > 0 && !skep_table_is_partitioned(t))
    return skep_fail(err, SKEP_ERR_SEMANTIC,
                     "ValidationFailureSemanticException %s table is not partitioned but partition spec exists: %s",
                     ddl_name(s, t), ddl_spec_text(s, spec));
  for (uint32_t i = 0; i < spec->n; i++)
    if (key_index(t, spec->items[i].name) < 0)
      return skep_fail(err, SKEP_ERR_SEMANTIC,
                       "ValidationFailureSemanticException %s: Partition spec %s contains non-partition columns",
                       ddl_name(s, t), ddl_spec_text(s, spec));
  return SKEP_OK;
}

skep_status ddl_check_key_type(skep_session *s, const char *name, const skep_type *type, skep_err *err) {
  if (!skep_kind_is_nested(type->kind)) return SKEP_OK;
  return ddl_semantic_fail(err, 10126, "Partition column must be of primitive type. Found %s of type: %s",
                           ddl_quote(s, name), ddl_quote(s, ddl_type(s, type)));
}

skep_status ddl_spec_values(skep_session *s, const skep_catalog_table *t, const skep_partition_spec *spec, bool all,
                            const char *const **out, skep_err *err) {
  uint32_t n = t->partition_keys->n_children, given = 0;
  const char **values = skep_arena_zero(&s->arena, n + 1, sizeof *values);
  if (values == NULL) return ddl_nomem(err);
  SKEP_TRY(ddl_spec_check(s, t, spec, err));
  for (uint32_t i = 0; i < spec->n; i++) {
    const skep_partition_value *item = &spec->items[i];
    int64_t at = key_index(t, item->name);
    const char *text;
    if (item->value == NULL) continue;
    if (values[at] != NULL)
      return ddl_semantic_fail(err, 0, "Partition column %s appears more than once", ddl_quote(s, item->name));
    SKEP_TRY(ddl_constant_text(s, item->value, &text, err));
    SKEP_TRY(skep_target_number(&s->arena, t->partition_keys->children[at], item->value, &text, err));
    skep_status st = skep_catalog_partition_value(&s->arena, t->partition_keys->children[at], text, &values[at], err);
    if (st == SKEP_ERR_RANGE)
      return ddl_semantic_fail(err, 10248,
                               "Cannot add partition column %s of type string as it cannot be converted to type %s",
                               item->name, ddl_type(s, t->partition_keys->children[at]));
    if (st != SKEP_OK) return st;
    given++;
  }
  if (all && given < n)
    return skep_fail(err, SKEP_ERR_SEMANTIC,
                     "ValidationFailureSemanticException %s: partition spec %s doesn't contain all (%u) partition "
                     "columns",
                     ddl_name(s, t), ddl_spec_text(s, spec), n);
  *out = values;
  return SKEP_OK;
}

skep_status ddl_find_partition(skep_session *s, const skep_catalog_table *t, const skep_partition_spec *spec,
                               skep_catalog_partition **out, skep_err *err) {
  const char *const *values;
  SKEP_TRY(ddl_spec_values(s, t, spec, true, &values, err));
  skep_buf name;
  skep_buf_init(&name, s->ctx, 1 << 20);
  skep_catalog_partition_name(t->partition_keys, values, &name);
  skep_status st = skep_buf_check(&name, "a partition name", err);
  if (st == SKEP_OK) st = skep_catalog_get_partition(s->catalog, &s->arena, t, skep_buf_string(&name), out, err);
  skep_buf_fini(&name);
  if (st == SKEP_ERR_NOT_FOUND) return ddl_semantic_fail(err, 10006, "Partition not found %s", ddl_spec_text(s, spec));
  return st;
}

/* ---- comparisons ---- */

static int sign_of(double a, double b) { return a < b ? -1 : a > b; }

int ddl_compare_values(const skep_type *type, const char *a, const char *b) {
  int64_t x, y;
  double p, q;
  skep_i128 m, n;
  bool exact;
  skep_bytes ba = skep_bytes_of(a, strlen(a)), bb = skep_bytes_of(b, strlen(b));
  switch (type->kind) {
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
      if (skep_parse_i64(ba, &x) && skep_parse_i64(bb, &y)) return x < y ? -1 : x > y;
      break;
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      if (skep_parse_f64(ba, &p) && skep_parse_f64(bb, &q)) return sign_of(p, q);
      break;
    case SKEP_DECIMAL:
      if (skep_parse_decimal(ba, type->scale, &m, &exact) && skep_parse_decimal(bb, type->scale, &n, &exact))
        return m < n ? -1 : m > n;
      break;
    case SKEP_DATE:
      if (skep_parse_date(ba, &x) && skep_parse_date(bb, &y)) return x < y ? -1 : x > y;
      break;
    default: /* texts; timestamps: fractions without trailing zeros sort as texts */
      break;
  }
  return strcmp(a, b);
}

bool ddl_like(const char *text, const char *pattern) {
  const char *star = NULL, *resume = NULL;
  while (*text != '\0') {
    if (*pattern == '%') {
      star = ++pattern;
      resume = text;
    } else if (*pattern != '\0' && (*pattern == '_' || *pattern == *text)) {
      pattern++;
      text++;
    } else if (star != NULL) {
      pattern = star;
      text = ++resume;
    } else {
      return false;
    }
  }
  while (*pattern == '%') pattern++;
  return *pattern == '\0';
}

static bool decide(skep_binary_op op, int order) {
  switch (op) {
    case SKEP_OP_NE:
      return order != 0;
    case SKEP_OP_LT:
      return order < 0;
    case SKEP_OP_LE:
      return order <= 0;
    case SKEP_OP_GT:
      return order > 0;
    case SKEP_OP_GE:
      return order >= 0;
    default:
      return order == 0;
  }
}

skep_status ddl_spec_matches(skep_session *s, const skep_catalog_table *t, const skep_partition_spec *spec,
                             const skep_catalog_partition *p, bool *out, skep_err *err) {
  *out = false;
  SKEP_TRY(ddl_spec_check(s, t, spec, err));
  for (uint32_t i = 0; i < spec->n; i++) {
    const skep_partition_value *item = &spec->items[i];
    const char *text, *wanted;
    if (item->value == NULL) continue;
    int64_t at = key_index(t, item->name);
    const skep_type *type = t->partition_keys->children[at];
    SKEP_TRY(ddl_constant_text(s, item->value, &text, err));
    if (item->op == SKEP_OP_LIKE) {
      if (text == NULL || !ddl_like(p->values[at], text)) return SKEP_OK;
      continue;
    }
    SKEP_TRY(skep_target_number(&s->arena, type, item->value, &text, err));
    skep_status st = skep_catalog_partition_value(&s->arena, type, text, &wanted, err);
    if (st == SKEP_ERR_RANGE) return SKEP_OK; /* no value of that type: equal to none */
    if (st != SKEP_OK) return st;
    bool is_null = type->kind != SKEP_STRING && strcmp(p->values[at], "__HIVE_DEFAULT_PARTITION__") == 0;
    if (is_null && (item->op != SKEP_OP_EQ || strcmp(wanted, p->values[at]) != 0)) return SKEP_OK;
    if (!decide(item->op, ddl_compare_values(type, p->values[at], wanted))) return SKEP_OK;
  }
  *out = true;
  return SKEP_OK;
}
