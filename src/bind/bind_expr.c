/* Expressions: each node of the tree gets a type, each conversion that Hive makes silently becomes a node. */
#include <stdio.h>
#include <string.h>

#include "bind/bind_int.h"

/* ---- conversions ---- */

skep_status skep_bind_convert(binding *b, skep_bx *value, const skep_type *to, skep_bx **out) {
  if (to == NULL) return skep_bind_nomem(b);
  if (skep_rule_equal(value->type, to)) {
    *out = value;
    return SKEP_OK;
  }
  *out = skep_bx_fold_cast(b, value, to);
  if (*out != NULL) return SKEP_OK;
  skep_pos pos = {.line = value->line, .column = value->column};
  skep_bx *cast = skep_bx_new(b, SKEP_BX_CAST, to, pos, 1);
  if (cast == NULL) return skep_bind_nomem(b);
  cast->args[0] = value;
  skep_bx_mark(cast);
  *out = cast;
  return SKEP_OK;
}

skep_status skep_bind_cast(binding *b, skep_bx *value, const skep_type *to, skep_pos pos, skep_bx **out) {
  skep_castable castable = skep_rule_castable(value->type, to);
  char what[128];
  if (castable == SKEP_CAST_NEVER) {
    char name[64];
    if (skep_rule_is_nested(value->type) && !skep_rule_is_nested(to)) {
      snprintf(name, sizeof name, "%s", skep_kind_name(to->kind));
      for (char *at = name; *at != '\0'; at++) *at = (char)(*at >= 'a' && *at <= 'z' ? *at - 32 : *at);
      return skep_fail(b->err, SKEP_ERR_SEMANTIC,
                       "SemanticException Line 0:-1 Wrong arguments '%s': The function %s takes only primitive types",
                       skep_bx_label(value, what, sizeof what), name);
    }
    return skep_bind_fail(b, pos, 10014, "Wrong arguments: no CAST from %s to %s", skep_bind_type_text(b, value->type),
                          skep_bind_type_text(b, to));
  }
  if (castable == SKEP_CAST_TO_TIMESTAMP && !b->binder->loose_timestamps) {
    return skep_fail(
        b->err, SKEP_ERR_SEMANTIC,
        "SemanticException Line 0:-1 Wrong arguments '%s': Casting NUMERIC types to TIMESTAMP is prohibited "
        "(hive.strict.timestamp.conversion)",
        skep_bx_label(value, what, sizeof what));
  }
  if (castable == SKEP_CAST_FROM_TIMESTAMP && !b->binder->loose_timestamps) {
    return skep_fail(b->err, SKEP_ERR_SEMANTIC,
                     "SemanticException Line 0:-1 Wrong arguments '%s': Casting DATE/TIMESTAMP types to NUMERIC is "
                     "prohibited (hive.strict.timestamp.conversion)",
                     skep_bx_label(value, what, sizeof what));
  }
  return skep_bind_convert(b, value, to, out);
}

skep_status skep_bind_to_boolean(binding *b, skep_bx *value, skep_bx **out) {
  if (value->type->kind == SKEP_BOOLEAN) {
    *out = value;
    return SKEP_OK;
  }
  skep_pos pos = {.line = value->line, .column = value->column};
  if (skep_rule_is_nested(value->type)) {
    *out = skep_bx_operator(b, "is not null", skep_rule_type(SKEP_BOOLEAN), pos, value, NULL);
    return *out == NULL ? skep_bind_nomem(b) : SKEP_OK;
  }
  return skep_bind_cast(b, value, skep_rule_type(SKEP_BOOLEAN), pos, out);
}

skep_status skep_bind_boolean(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  skep_bx *value;
  SKEP_TRY(skep_bind_expression(b, s, expr, &value));
  return skep_bind_to_boolean(b, value, out);
}

/* Converts all to their common type. */
skep_status skep_bind_common(binding *b, skep_bx **args, uint32_t n, skep_pos pos, const char *what,
                             const skep_type **type) {
  const skep_type *common = args[0]->type;
  for (uint32_t i = 1; i < n; i++) {
    const skep_type *next = skep_rule_common(b->arena, common, args[i]->type);
    if (next == NULL) {
      char label[128];
      (void)what;
      skep_pos at = args[i]->line != 0 ? (skep_pos){.line = args[i]->line, .column = args[i]->column} : pos;
      return skep_bind_fail(b, at, 10016,
                            "Argument type mismatch '%s': Argument type \"%s\" is different from preceding arguments. "
                            "Previous type was \"%s\"",
                            skep_bx_label(args[i], label, sizeof label), skep_bind_type_text(b, args[i]->type),
                            skep_bind_type_text(b, common));
    }
    common = next;
  }
  for (uint32_t i = 0; i < n; i++) SKEP_TRY(skep_bind_convert(b, args[i], common, &args[i]));
  *type = common;
  return SKEP_OK;
}

skep_status skep_bind_narrow(binding *b, skep_bx **args, uint32_t n) {
  bool decimal = false;
  for (uint32_t i = 0; i < n; i++)
    decimal = decimal || (args[i]->type->kind == SKEP_DECIMAL && args[i]->op != SKEP_BX_CONST);
  for (uint32_t i = 0; i < n && decimal; i++) {
    bool constant = args[i]->op == SKEP_BX_CONST && !args[i]->value.is_null;
    if (!constant || !skep_rule_is_integer(args[i]->type)) continue;
    unsigned precision, scale;
    skep_bx_digits(args[i], &precision, &scale);
    SKEP_TRY(skep_bind_convert(b, args[i], skep_rule_decimal(b->arena, precision, scale), &args[i]));
  }
  return SKEP_OK;
}

/* ---- comparison ---- */

static bool is_column_like(const skep_bx *bx) { return bx->op != SKEP_BX_CONST; }

static const char *comparison_name(skep_binary_op op) {
  switch (op) {
    case SKEP_OP_EQ:
      return "=";
    case SKEP_OP_NE:
      return "<>";
    case SKEP_OP_NULL_SAFE_EQ:
      return "<=>";
    case SKEP_OP_DISTINCT:
      return "distinct";
    case SKEP_OP_LT:
      return "<";
    case SKEP_OP_LE:
      return "<=";
    case SKEP_OP_GT:
      return ">";
    default:
      return ">=";
  }
}

skep_status skep_bind_compare(binding *b, skep_binary_op op, skep_bx *left, skep_bx *right, skep_pos pos,
                              skep_bx **out) {
  if (!skep_rule_equal(left->type, right->type)) {
    skep_bx *retyped = is_column_like(left) ? skep_bx_retype(b, right, left->type) : NULL;
    if (retyped != NULL)
      right = retyped;
    else if (is_column_like(right) && (retyped = skep_bx_retype(b, left, right->type)) != NULL)
      left = retyped;
  }
  const skep_type *common = skep_rule_comparison(b->arena, left->type, right->type);
  bool ordered = op == SKEP_OP_LT || op == SKEP_OP_LE || op == SKEP_OP_GT || op == SKEP_OP_GE;
  if (common != NULL && ordered && skep_rule_is_nested(common)) {
    static const char *const words[] = {"LESS THAN", "LESS THAN OR EQUAL", "GREATER THAN", "GREATER THAN OR EQUAL"};
    static const char *const kinds[] = {"LIST", "MAP", "STRUCT", "UNION"};
    char label[128];
    return skep_bind_fail(b, pos, 10014, "Wrong arguments '%s': %s does not support %s types",
                          skep_bx_label(left, label, sizeof label), words[op - SKEP_OP_LT],
                          kinds[common->kind - SKEP_LIST]);
  }
  if (common == NULL) {
    return skep_bind_fail(b, pos, 10016, "Argument type mismatch: cannot compare %s with %s",
                          skep_bind_type_text(b, left->type), skep_bind_type_text(b, right->type));
  }
  if (skep_rule_is_void(common)) common = skep_rule_type(SKEP_BOOLEAN);
  bool times = skep_rule_is_time(left->type) != skep_rule_is_time(right->type);
  if (times && common->kind == SKEP_DOUBLE && (left->type->kind == SKEP_DATE || right->type->kind == SKEP_DATE)) {
    if (!b->binder->loose_timestamps) SKEP_TRY(skep_bind_cast(b, left, common, pos, &left));
  }
  SKEP_TRY(skep_bind_convert(b, left, common, &left));
  SKEP_TRY(skep_bind_convert(b, right, common, &right));
  *out = skep_bx_operator(b, comparison_name(op), skep_rule_type(SKEP_BOOLEAN), pos, left, right);
  return *out == NULL ? skep_bind_nomem(b) : SKEP_OK;
}

/* ---- arithmetic ---- */

static const char *const arith_names[] = {"+", "-", "*", "/", "%", "pmod"};

static bool is_timely(const skep_type *type) { return skep_rule_is_time(type) || skep_rule_is_interval(type); }

static skep_status no_method(binding *b, skep_arith op, const skep_bx *left, const skep_bx *right, skep_pos pos) {
  static const char *const numbers[] = {"NumericPlus", "NumericMinus", "Multiply", "Divide", "Mod", "PosMod"};
  static const char *const times[] = {"DTIPlus", "DTIMinus", "Multiply", "Divide", "Mod", "PosMod"};
  bool timely = is_timely(left->type) || is_timely(right->type);
  char label[128];
  return skep_bind_fail(b, pos, 10014,
                        "Wrong arguments '%s': No matching method for class org.apache.hadoop.hive.ql.udf.generic."
                        "GenericUDF%s%s with (%s, %s)",
                        skep_bx_label(right, label, sizeof label), op == SKEP_ARITH_PMOD ? "" : "OP",
                        (timely ? times : numbers)[op], skep_bind_type_text(b, left->type),
                        skep_bind_type_text(b, right->type));
}

static skep_status operator_node(binding *b, const char *name, const skep_type *type, skep_bx *left, skep_bx *right,
                                 skep_pos pos, skep_bx **out) {
  if (type == NULL) return skep_bind_nomem(b);
  if (strcmp(name, "pmod") == 0) {
    skep_bx *args[] = {left, right};
    *out = skep_bx_call(b, skep_function_find(name), type, pos, args, 2);
  } else {
    *out = skep_bx_operator(b, name, type, pos, left, right);
  }
  return *out == NULL ? skep_bind_nomem(b) : SKEP_OK;
}

/* x - months is x + -months. */
static skep_status plus_months(binding *b, bool subtract, skep_bx *time, skep_bx *months, skep_pos pos, skep_bx **out) {
  if (subtract) SKEP_TRY(operator_node(b, "negate", months->type, months, NULL, pos, &months));
  bool date = time->type->kind == SKEP_DATE;
  const skep_type *type = date ? time->type : skep_rule_type(SKEP_TIMESTAMP);
  const char *name = date ? "date + interval_year_month" : "timestamp + interval_year_month";
  return operator_node(b, name, type, time, months, pos, out);
}

/* Dates, timestamps and intervals under + and -; *out stays NULL when neither side is one. */
static skep_status time_arith(binding *b, skep_arith op, skep_bx *left, skep_bx *right, skep_pos pos, skep_bx **out) {
  bool subtract = op == SKEP_ARITH_SUB, lt = skep_rule_is_time(left->type), rt = skep_rule_is_time(right->type);
  bool li = skep_rule_is_interval(left->type), ri = skep_rule_is_interval(right->type);
  *out = NULL;
  if (!lt && !rt && !li && !ri) return SKEP_OK;
  if (op != SKEP_ARITH_ADD && op != SKEP_ARITH_SUB) return no_method(b, op, left, right, pos);
  const skep_type *timestamp = skep_rule_type(SKEP_TIMESTAMP), *interval = skep_rule_type(SKEP_KIND_INTERVAL_DT);
  const char *name = subtract ? "nanoseconds -" : "nanoseconds +";
  if (!subtract && ((li && rt) || (rt && skep_rule_is_integer(left->type)))) {
    skep_bx *swap = left;
    left = right;
    right = swap;
    lt = true;
    ri = li;
  }
  if (lt && skep_rule_is_string(right->type) && subtract) {
    SKEP_TRY(skep_bind_convert(b, right, timestamp, &right));
  } else if (rt && skep_rule_is_string(left->type) && subtract) {
    SKEP_TRY(skep_bind_convert(b, left, timestamp, &left));
  }
  if (lt && ri) {
    if (right->type->kind == SKEP_KIND_INTERVAL_YM) return plus_months(b, subtract, left, right, pos, out);
    SKEP_TRY(skep_bind_convert(b, left, timestamp, &left));
    return operator_node(b, subtract ? "timestamp -" : "timestamp +", timestamp, left, right, pos, out);
  }
  if (subtract && skep_rule_is_time(left->type) && skep_rule_is_time(right->type)) {
    SKEP_TRY(skep_bind_convert(b, left, timestamp, &left));
    SKEP_TRY(skep_bind_convert(b, right, timestamp, &right));
    return operator_node(b, name, interval, left, right, pos, out);
  }
  if (left->type->kind == SKEP_DATE && skep_rule_is_integer(right->type) && right->type->kind != SKEP_BIGINT) {
    SKEP_TRY(skep_bind_convert(b, right, skep_rule_type(SKEP_INT), &right));
    return operator_node(b, subtract ? "date -" : "date +", left->type, left, right, pos, out);
  }
  if (left->type->kind == right->type->kind && li) {
    if (left->type->kind == SKEP_KIND_INTERVAL_DT) return operator_node(b, name, interval, left, right, pos, out);
    return operator_node(b, subtract ? "-" : "+", left->type, left, right, pos, out);
  }
  if (skep_rule_is_void(left->type) || skep_rule_is_void(right->type)) {
    const skep_type *known = skep_rule_is_void(left->type) ? right->type : left->type;
    *out = skep_bx_null(b, known->kind == SKEP_DATE || skep_rule_is_interval(known) ? known : timestamp);
    return *out == NULL ? skep_bind_nomem(b) : SKEP_OK;
  }
  return no_method(b, op, left, right, pos);
}

/* The type that + - * % of two numbers work in; DECIMAL is handled apart. */
static const skep_type *number_type(skep_arith op, const skep_type *l, const skep_type *r) {
  bool floats = skep_rule_is_float(l) || skep_rule_is_float(r);
  if (op == SKEP_ARITH_DIV || l->kind == SKEP_DOUBLE || r->kind == SKEP_DOUBLE) return skep_rule_type(SKEP_DOUBLE);
  if (floats) return skep_rule_type(SKEP_FLOAT);
  return l->kind >= r->kind ? l : r;
}

static skep_status decimal_arith(binding *b, skep_arith op, skep_bx *left, skep_bx *right, skep_pos pos,
                                 skep_bx **out) {
  unsigned p1, s1, p2, s2, p, s;
  skep_bx_digits(left, &p1, &s1);
  skep_bx_digits(right, &p2, &s2);
  skep_rule_decimal_result(op, p1, s1, p2, s2, &p, &s);
  SKEP_TRY(skep_bind_convert(b, left, skep_rule_decimal(b->arena, p1, s1), &left));
  SKEP_TRY(skep_bind_convert(b, right, skep_rule_decimal(b->arena, p2, s2), &right));
  return operator_node(b, arith_names[op], skep_rule_decimal(b->arena, p, s), left, right, pos, out);
}

static skep_status as_number(binding *b, skep_bx *value, skep_bx **out) {
  if (skep_rule_is_string(value->type)) return skep_bind_convert(b, value, skep_rule_type(SKEP_DOUBLE), out);
  *out = value;
  return SKEP_OK;
}

skep_status skep_bind_arith(binding *b, skep_arith op, skep_bx *left, skep_bx *right, skep_pos pos, skep_bx **out) {
  SKEP_TRY(time_arith(b, op, left, right, pos, out));
  if (*out != NULL) return SKEP_OK;
  SKEP_TRY(as_number(b, left, &left));
  SKEP_TRY(as_number(b, right, &right));
  const skep_type *l = left->type, *r = right->type;
  if (skep_rule_is_void(l)) l = skep_rule_is_void(r) ? skep_rule_type(SKEP_INT) : r;
  if (skep_rule_is_void(r)) r = l;
  if (!skep_rule_is_numeric(l) || !skep_rule_is_numeric(r)) return no_method(b, op, left, right, pos);
  SKEP_TRY(skep_bind_convert(b, left, l, &left));
  SKEP_TRY(skep_bind_convert(b, right, r, &right));
  if ((l->kind == SKEP_DECIMAL || r->kind == SKEP_DECIMAL) && !skep_rule_is_float(l) && !skep_rule_is_float(r)) {
    return decimal_arith(b, op, left, right, pos, out);
  }
  const skep_type *type = number_type(op, l, r);
  *out = skep_bx_fold_arith(b, op, left, right, type);
  if (*out != NULL) {
    (*out)->line = pos.line;
    (*out)->column = pos.column;
    return SKEP_OK;
  }
  SKEP_TRY(skep_bind_convert(b, left, type, &left));
  SKEP_TRY(skep_bind_convert(b, right, type, &right));
  const skep_function *fn =
      op == SKEP_ARITH_PMOD ? skep_function_find("pmod") : skep_function_operator(arith_names[op]);
  skep_bx *args[] = {left, right};
  *out = skep_bx_call(b, fn, type, pos, args, 2);
  return *out == NULL ? skep_bind_nomem(b) : SKEP_OK;
}

static skep_status bit_op(binding *b, const char *name, skep_bx *left, skep_bx *right, skep_pos pos, skep_bx **out) {
  const skep_type *l = left->type, *r = right != NULL ? right->type : l;
  if (skep_rule_is_void(l)) l = skep_rule_is_void(r) ? skep_rule_type(SKEP_INT) : r;
  if (skep_rule_is_void(r)) r = l;
  if (!skep_rule_is_integer(l) || !skep_rule_is_integer(r)) {
    return skep_bind_fail(b, pos, 10014, "Wrong arguments: %s needs integers, got %s and %s", name,
                          skep_bind_type_text(b, l), skep_bind_type_text(b, r));
  }
  const skep_type *type = l->kind >= r->kind ? l : r;
  SKEP_TRY(skep_bind_convert(b, left, type, &left));
  if (right != NULL) SKEP_TRY(skep_bind_convert(b, right, type, &right));
  return operator_node(b, name, type, left, right, pos, out);
}

static skep_status int_divide(binding *b, skep_bx *left, skep_bx *right, skep_pos pos, skep_bx **out) {
  const skep_type *type = skep_rule_type(SKEP_BIGINT);
  bool fine = (skep_rule_is_integer(left->type) || skep_rule_is_void(left->type)) &&
              (skep_rule_is_integer(right->type) || skep_rule_is_void(right->type));
  if (!fine) {
    return skep_bind_fail(
        b, pos, 10014,
        "Wrong arguments: No matching method for class org.apache.hadoop.hive.ql.udf.UDFOPLongDivide with "
        "(%s, %s). Possible choices: _FUNC_(bigint, bigint)  ",
        skep_bind_type_text(b, left->type), skep_bind_type_text(b, right->type));
  }
  SKEP_TRY(skep_bind_convert(b, left, type, &left));
  SKEP_TRY(skep_bind_convert(b, right, type, &right));
  return operator_node(b, "div", type, left, right, pos, out);
}

/* ---- operators of the tree ---- */

static skep_status bind_unary(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  const skep_type *boolean = skep_rule_type(SKEP_BOOLEAN);
  skep_bx *value;
  SKEP_TRY(skep_bind_expression(b, s, expr->unary.operand, &value));
  switch (expr->unary.op) {
    case SKEP_OP_IS_NULL:
    case SKEP_OP_IS_UNKNOWN:
      return operator_node(b, "is null", boolean, value, NULL, expr->pos, out);
    case SKEP_OP_IS_NOT_NULL:
    case SKEP_OP_IS_NOT_UNKNOWN:
      return operator_node(b, "is not null", boolean, value, NULL, expr->pos, out);
    case SKEP_OP_PLUS:
    case SKEP_OP_NEGATE:
      if (skep_rule_is_interval(value->type)) {
        return operator_node(b, "negate", value->type, value, NULL, expr->pos, out);
      }
      SKEP_TRY(as_number(b, value, &value));
      if (skep_rule_is_void(value->type)) SKEP_TRY(skep_bind_convert(b, value, skep_rule_type(SKEP_INT), &value));
      if (!skep_rule_is_numeric(value->type)) {
        return skep_bind_fail(b, expr->pos, 10014, "Wrong arguments: a sign needs a number, got %s",
                              skep_bind_type_text(b, value->type));
      }
      if (expr->unary.op == SKEP_OP_PLUS) {
        *out = value;
        return SKEP_OK;
      }
      *out = skep_bx_fold_negate(b, value);
      if (*out != NULL) return SKEP_OK;
      return operator_node(b, "negate", value->type, value, NULL, expr->pos, out);
    case SKEP_OP_BIT_NOT:
      return bit_op(b, "~", value, NULL, expr->pos, out);
    default:
      break;
  }
  SKEP_TRY(skep_bind_to_boolean(b, value, &value));
  const char *name = expr->unary.op == SKEP_OP_NOT           ? "not"
                     : expr->unary.op == SKEP_OP_IS_TRUE     ? "is true"
                     : expr->unary.op == SKEP_OP_IS_NOT_TRUE ? "is not true"
                     : expr->unary.op == SKEP_OP_IS_FALSE    ? "is false"
                                                             : "is not false";
  return operator_node(b, name, boolean, value, NULL, expr->pos, out);
}

static skep_status bind_like(binding *b, const char *name, skep_bx *value, skep_bx *pattern, skep_pos pos,
                             skep_bx **out) {
  const skep_type *string = skep_rule_type(SKEP_STRING);
  bool regexp = strcmp(name, "rlike") == 0;
  skep_bx *args[] = {value, pattern};
  for (int i = 0; i < 2; i++) {
    if (regexp && !skep_rule_is_string(args[i]->type)) {
      return skep_bind_fail(b, pos, 0,
                            "Argument type mismatch: regexp only takes STRING_GROUP types as %s argument, got %s",
                            i == 0 ? "1st" : "2nd", skep_bind_type_text(b, args[i]->type));
    }
    if (skep_rule_is_nested(args[i]->type)) {
      return skep_bind_fail(b, pos, 10016, "Argument type mismatch: LIKE takes texts, got %s",
                            skep_bind_type_text(b, args[i]->type));
    }
    SKEP_TRY(skep_bind_convert(b, args[i], string, &args[i]));
  }
  *out = skep_bx_call(b, skep_function_find(name), skep_rule_type(SKEP_BOOLEAN), pos, args, 2);
  return *out == NULL ? skep_bind_nomem(b) : SKEP_OK;
}

/* Two short texts as one: DuckDB folds a long chain of them level by level, in cubic time. NULL: not two such. */
static skep_bx *joined_texts(binding *b, const skep_bx *left, const skep_bx *right) {
  enum { MAX_JOINED_BYTES = 1 << 12 };
  const skep_bx *args[] = {left, right};
  size_t n = 0;
  char text[MAX_JOINED_BYTES];
  for (int i = 0; i < 2; i++) {
    const skep_bx_value *v = &args[i]->value;
    if (args[i]->op != SKEP_BX_CONST || v->is_null || args[i]->type->kind != SKEP_STRING || v->kind != SKEP_LIT_BYTES ||
        v->bytes.left > sizeof text - n) {
      return NULL;
    }
    if (v->bytes.left != 0) memcpy(text + n, v->bytes.at, v->bytes.left);
    n += v->bytes.left;
  }
  return skep_bx_text(b, text, n);
}

/* A concatenation of anything primitive. */
static skep_status bind_concat(binding *b, skep_bx *left, skep_bx *right, skep_pos pos, skep_bx **out) {
  skep_bx *args[] = {left, right};
  const skep_type *type = skep_rule_concat(b->arena, left->type, right->type);
  for (int i = 0; i < 2; i++) {
    if (skep_rule_is_nested(args[i]->type)) {
      return skep_bind_fail(b, pos, 10016, "Argument type mismatch: CONCAT only takes primitive arguments, got %s",
                            skep_bind_type_text(b, args[i]->type));
    }
    SKEP_TRY(skep_bind_convert(b, args[i], skep_rule_type(SKEP_STRING), &args[i]));
  }
  *out = joined_texts(b, args[0], args[1]);
  if (*out == NULL) SKEP_TRY(operator_node(b, "||", skep_rule_type(SKEP_STRING), args[0], args[1], pos, out));
  return skep_bind_convert(b, *out, type, out);
}

static skep_status combine(binding *b, const skep_expr *expr, skep_bx *left, skep_bx *right, skep_bx **out) {
  skep_pos pos = expr->pos;
  switch (expr->binary.op) {
    case SKEP_OP_OR:
    case SKEP_OP_AND:
      SKEP_TRY(skep_bind_to_boolean(b, left, &left));
      SKEP_TRY(skep_bind_to_boolean(b, right, &right));
      return operator_node(b, expr->binary.op == SKEP_OP_OR ? "or" : "and", left->type, left, right, pos, out);
    case SKEP_OP_LIKE:
      return bind_like(b, "like", left, right, pos, out);
    case SKEP_OP_RLIKE:
      return bind_like(b, "rlike", left, right, pos, out);
    case SKEP_OP_BIT_OR:
      return bit_op(b, "|", left, right, pos, out);
    case SKEP_OP_BIT_AND:
      return bit_op(b, "&", left, right, pos, out);
    case SKEP_OP_BIT_XOR:
      return bit_op(b, "^", left, right, pos, out);
    case SKEP_OP_CONCAT:
      return bind_concat(b, left, right, pos, out);
    case SKEP_OP_ADD:
      return skep_bind_arith(b, SKEP_ARITH_ADD, left, right, pos, out);
    case SKEP_OP_SUBTRACT:
      return skep_bind_arith(b, SKEP_ARITH_SUB, left, right, pos, out);
    case SKEP_OP_MULTIPLY:
      return skep_bind_arith(b, SKEP_ARITH_MUL, left, right, pos, out);
    case SKEP_OP_DIVIDE:
      return skep_bind_arith(b, SKEP_ARITH_DIV, left, right, pos, out);
    case SKEP_OP_MODULO:
      return skep_bind_arith(b, SKEP_ARITH_MOD, left, right, pos, out);
    case SKEP_OP_INT_DIVIDE:
      return int_divide(b, left, right, pos, out);
    default:
      return skep_bind_compare(b, expr->binary.op, left, right, pos, out);
  }
}

/* Chains like a AND b AND ... lean to the left and may be long: they are walked, not recursed into. */
static skep_status bind_binary(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  uint32_t n = 0, capacity = 0;
  const skep_expr **spine = NULL, *at = expr;
  for (; at->kind == SKEP_EXPR_BINARY; at = at->binary.left) {
    spine = skep_bind_grow(b->arena, spine, n, &capacity, sizeof *spine);
    if (spine == NULL) return skep_bind_nomem(b);
    spine[n++] = at;
  }
  skep_bx *left, *right;
  SKEP_TRY(skep_bind_expression(b, s, at, &left));
  while (n-- != 0) {
    SKEP_TRY(skep_bind_expression(b, s, spine[n]->binary.right, &right));
    SKEP_TRY(combine(b, spine[n], left, right, &left));
    if (left->weight > SKEP_BIND_MAX_WEIGHT) break; /* refused by who called */
  }
  *out = left;
  return SKEP_OK;
}

static skep_status negate_if(binding *b, bool negated, skep_pos pos, skep_bx **value) {
  if (!negated) return SKEP_OK;
  return operator_node(b, "not", skep_rule_type(SKEP_BOOLEAN), *value, NULL, pos, value);
}

static skep_status bind_between(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  skep_bx *value, *low, *high;
  SKEP_TRY(skep_bind_expression(b, s, expr->between.value, &value));
  SKEP_TRY(skep_bind_expression(b, s, expr->between.low, &low));
  SKEP_TRY(skep_bind_expression(b, s, expr->between.high, &high));
  SKEP_TRY(skep_bind_compare(b, SKEP_OP_GE, value, low, expr->pos, &low));
  SKEP_TRY(skep_bind_compare(b, SKEP_OP_LE, value, high, expr->pos, &high));
  SKEP_TRY(operator_node(b, "and", skep_rule_type(SKEP_BOOLEAN), low, high, expr->pos, out));
  return negate_if(b, expr->between.negated, expr->pos, out);
}

static skep_status bind_list(binding *b, scope *s, skep_expr_list list, skep_bx **out) {
  for (uint32_t i = 0; i < list.n; i++) SKEP_TRY(skep_bind_expression(b, s, list.items[i], &out[i]));
  return SKEP_OK;
}

/* x IN (...) over constants: each is taken for a value of x's own type, and one that cannot be one is left out, since x
 * never equals it. *n shrinks; *type stays NULL when this is not such a list. */
static skep_status in_constants(binding *b, skep_bx **args, uint32_t *n, const skep_type **type) {
  const skep_type *column = args[0]->type;
  bool times = skep_rule_is_time(column);
  *type = NULL;
  if (!is_column_like(args[0]) || (!skep_rule_is_numeric(column) && !times && column->kind != SKEP_CHAR))
    return SKEP_OK;
  if (skep_rule_is_float(column)) return SKEP_OK;
  for (uint32_t i = 1; i < *n; i++) {
    const skep_type *t = args[i]->type;
    if (args[i]->op != SKEP_BX_CONST) return SKEP_OK;
    bool numbers = skep_rule_is_numeric(column) && (skep_rule_is_string(t) || skep_rule_is_numeric(t));
    bool texts = (times || column->kind == SKEP_CHAR) && (skep_rule_is_string(t) || skep_rule_equal(t, column));
    if (!numbers && !texts && !skep_rule_is_void(t)) return SKEP_OK;
  }
  uint32_t kept = 1;
  for (uint32_t i = 1; i < *n; i++) {
    skep_bx *value = args[i];
    bool as_is = skep_rule_equal(value->type, column) || skep_rule_is_void(value->type) || times;
    if (!as_is && column->kind == SKEP_DECIMAL && value->type->kind != SKEP_STRING)
      as_is = true; /* compared as it is */
    if (!as_is) value = skep_bx_retype(b, value, column);
    if (value != NULL) args[kept++] = value;
  }
  *n = kept;
  const skep_type *common = column;
  for (uint32_t i = 1; i < kept && column->kind == SKEP_DECIMAL; i++) {
    common = skep_rule_comparison(b->arena, common, args[i]->type);
    if (common == NULL) return skep_bind_nomem(b);
  }
  for (uint32_t i = 0; i < kept; i++) SKEP_TRY(skep_bind_convert(b, args[i], common, &args[i]));
  *type = common;
  return SKEP_OK;
}

static skep_status in_type(binding *b, skep_bx **args, uint32_t *n, skep_pos pos, const skep_type **type) {
  SKEP_TRY(in_constants(b, args, n, type));
  if (*type != NULL) return SKEP_OK;
  bool numbers = skep_rule_is_string(args[0]->type) && is_column_like(args[0]); /* a text among numbers is a number */
  for (uint32_t i = 1; i < *n; i++) numbers = numbers && skep_rule_is_numeric(args[i]->type);
  if (numbers && *n > 1) SKEP_TRY(skep_bind_convert(b, args[0], skep_rule_type(SKEP_DOUBLE), &args[0]));
  return skep_bind_common(b, args, *n, pos, "IN", type);
}

static skep_status bind_in_list(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  uint32_t n = expr->in_list.items.n + 1;
  skep_bx *in = skep_bx_new(b, SKEP_BX_IN, skep_rule_type(SKEP_BOOLEAN), expr->pos, n);
  if (in == NULL) return skep_bind_nomem(b);
  SKEP_TRY(skep_bind_expression(b, s, expr->in_list.value, &in->args[0]));
  SKEP_TRY(bind_list(b, s, expr->in_list.items, in->args + 1));
  const skep_type *type;
  SKEP_TRY(in_type(b, in->args, &n, expr->pos, &type));
  in->n_args = n;
  if (skep_rule_is_void(type)) {
    for (uint32_t i = 0; i < n; i++) {
      SKEP_TRY(skep_bind_convert(b, in->args[i], skep_rule_type(SKEP_BOOLEAN), &in->args[i]));
    }
  }
  in->negated = expr->in_list.negated;
  skep_bx_mark(in);
  *out = in;
  return SKEP_OK;
}

/* ---- sub queries ---- */

static skep_status bind_sub(binding *b, scope *s, const skep_query *query, skep_bq **out) {
  bool aggregates = s->aggregates, windows = s->windows;
  skep_status st = skep_bind_block(b, s, s->ctes, query, out);
  s->aggregates = aggregates;
  s->windows = windows;
  return st;
}

static skep_bx *sub_node(binding *b, skep_bx_sub sub, const skep_bq *query, const skep_type *type, skep_pos pos,
                         uint32_t n_args) {
  skep_bx *bx = skep_bx_new(b, SKEP_BX_SUBQUERY, type, pos, n_args);
  if (bx == NULL) return NULL;
  bx->sub = sub;
  bx->query = query;
  return bx;
}

/* Types both sides of `args op (query)`, column by column. */
static skep_status align_sub(binding *b, skep_bx **args, uint32_t n, skep_bq **query, skep_pos pos) {
  skep_bq *q = *query;
  if (q->n_outputs != n) {
    return skep_bind_fail(b, pos, 10249,
                          "Unsupported SubQuery Expression: the sub query has %u columns where %u are compared",
                          q->n_outputs, n);
  }
  const skep_type **types = skep_arena_zero(b->arena, n, sizeof *types);
  if (types == NULL) return skep_bind_nomem(b);
  for (uint32_t i = 0; i < n; i++) {
    types[i] = skep_rule_comparison(b->arena, args[i]->type, q->types[i]);
    if (types[i] == NULL) {
      return skep_bind_fail(b, pos, 10016, "Argument type mismatch: cannot compare %s with %s",
                            skep_bind_type_text(b, args[i]->type), skep_bind_type_text(b, q->types[i]));
    }
    if (skep_rule_is_void(types[i])) types[i] = skep_rule_type(SKEP_BOOLEAN);
    SKEP_TRY(skep_bind_convert(b, args[i], types[i], &args[i]));
  }
  return skep_bind_convert_block(b, q, types, query);
}

static skep_status bind_operands(binding *b, scope *s, const skep_expr *value, skep_bx ***args, uint32_t *n) {
  bool tuple = value->kind == SKEP_EXPR_TUPLE;
  *n = tuple ? value->tuple.n : 1;
  *args = skep_arena_zero(b->arena, *n, sizeof **args);
  if (*args == NULL) return skep_bind_nomem(b);
  return tuple ? bind_list(b, s, value->tuple, *args) : skep_bind_expression(b, s, value, *args);
}

static skep_status bind_compared_query(binding *b, scope *s, const skep_expr *expr, const skep_expr *value,
                                       const skep_query *query, skep_bx_sub sub, skep_bx **out) {
  skep_bx **args;
  uint32_t n;
  skep_bq *block;
  SKEP_TRY(bind_operands(b, s, value, &args, &n));
  SKEP_TRY(bind_sub(b, s, query, &block));
  SKEP_TRY(align_sub(b, args, n, &block, expr->pos));
  skep_bx *bx = sub_node(b, sub, block, skep_rule_type(SKEP_BOOLEAN), expr->pos, n);
  if (bx == NULL) return skep_bind_nomem(b);
  memcpy(bx->args, args, n * sizeof *args);
  skep_bx_mark(bx);
  bx->has_subquery = true;
  *out = bx;
  return SKEP_OK;
}

static skep_status bind_subquery(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  skep_bq *block;
  if (expr->kind == SKEP_EXPR_IN_QUERY) {
    SKEP_TRY(bind_compared_query(b, s, expr, expr->in_query.value, expr->in_query.query, SKEP_SUB_IN, out));
    (*out)->negated = expr->in_query.negated;
    return SKEP_OK;
  }
  if (expr->kind == SKEP_EXPR_QUANTIFIED) {
    skep_bx_sub sub = expr->quantified.all ? SKEP_SUB_ALL : SKEP_SUB_ANY;
    if (expr->quantified.op == SKEP_OP_NULL_SAFE_EQ) return skep_bind_unsupported(b, expr->pos, "<=> with ANY or ALL");
    SKEP_TRY(bind_compared_query(b, s, expr, expr->quantified.value, expr->quantified.query, sub, out));
    (*out)->fn = skep_function_operator(comparison_name(expr->quantified.op));
    return SKEP_OK;
  }
  SKEP_TRY(bind_sub(b, s, expr->query, &block));
  bool exists = expr->kind == SKEP_EXPR_EXISTS;
  if (!exists && block->n_outputs != 1) {
    return skep_bind_fail(b, expr->pos, 10249,
                          "Unsupported SubQuery Expression: a scalar sub query has one column, this one has %u",
                          block->n_outputs);
  }
  *out = sub_node(b, exists ? SKEP_SUB_EXISTS : SKEP_SUB_SCALAR, block,
                  exists ? skep_rule_type(SKEP_BOOLEAN) : block->types[0], expr->pos, 0);
  if (*out == NULL) return skep_bind_nomem(b);
  (*out)->has_subquery = true;
  return SKEP_OK;
}

/* ---- the rest ---- */

static skep_status bind_like_list(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  skep_bx *value, *all = NULL;
  SKEP_TRY(skep_bind_expression(b, s, expr->like_list.value, &value));
  for (uint32_t i = 0; i < expr->like_list.patterns.n; i++) {
    skep_bx *one;
    SKEP_TRY(skep_bind_expression(b, s, expr->like_list.patterns.items[i], &one));
    SKEP_TRY(bind_like(b, "like", value, one, expr->pos, &one));
    if (all == NULL)
      all = one;
    else
      SKEP_TRY(operator_node(b, expr->like_list.all ? "and" : "or", one->type, all, one, expr->pos, &all));
  }
  if (all == NULL) return skep_bind_fail(b, expr->pos, 0, "LIKE ANY and LIKE ALL need a pattern");
  SKEP_TRY(negate_if(b, expr->like_list.negated, expr->pos, &all));
  *out = all;
  return SKEP_OK;
}

static skep_status bind_case(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  uint32_t whens = expr->cases.n_whens, values = whens + (expr->cases.otherwise != NULL ? 1 : 0);
  skep_bx *bx = skep_bx_new(b, SKEP_BX_CASE, NULL, expr->pos, whens + values);
  skep_bx **results = skep_arena_zero(b->arena, values, sizeof *results), *operand = NULL;
  if (bx == NULL || results == NULL) return skep_bind_nomem(b);
  if (expr->cases.operand != NULL) SKEP_TRY(skep_bind_expression(b, s, expr->cases.operand, &operand));
  for (uint32_t i = 0; i < whens; i++) {
    skep_bx *when;
    SKEP_TRY(skep_bind_expression(b, s, expr->cases.whens[i].when, &when));
    if (operand != NULL) SKEP_TRY(skep_bind_compare(b, SKEP_OP_EQ, operand, when, expr->pos, &when));
    if (when->type->kind != SKEP_BOOLEAN && !skep_rule_is_void(when->type)) {
      char label[128];
      const skep_expr *at = expr->cases.whens[i].when;
      return skep_bind_fail(b, at->pos, 10016,
                            "Argument type mismatch '%s': \"boolean\" is expected after WHEN, but \"%s\" is found",
                            skep_bind_label(at, label, sizeof label), skep_bind_type_text(b, when->type));
    }
    SKEP_TRY(skep_bind_to_boolean(b, when, &when));
    bx->args[2 * i] = when;
    SKEP_TRY(skep_bind_expression(b, s, expr->cases.whens[i].then, &results[i]));
  }
  if (expr->cases.otherwise != NULL) SKEP_TRY(skep_bind_expression(b, s, expr->cases.otherwise, &results[whens]));
  bool open = false; /* a condition that is no constant */
  for (uint32_t i = 0; i < whens; i++) open = open || bx->args[2 * i]->op != SKEP_BX_CONST;
  if (open) SKEP_TRY(skep_bind_narrow(b, results, values));
  SKEP_TRY(skep_bind_common(b, results, values, expr->pos, "CASE", &bx->type));
  for (uint32_t i = 0; i < whens; i++) bx->args[2 * i + 1] = results[i];
  if (values > whens) bx->args[2 * whens] = results[whens];
  skep_bx_mark(bx);
  *out = bx;
  return SKEP_OK;
}

static skep_status bind_index(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  skep_bx *base, *index;
  SKEP_TRY(skep_bind_expression(b, s, expr->index.base, &base));
  SKEP_TRY(skep_bind_expression(b, s, expr->index.index, &index));
  if (base->type->kind == SKEP_LIST) {
    bool fits = skep_rule_is_integer(index->type) && index->type->kind != SKEP_BIGINT;
    if (!fits && !skep_rule_is_void(index->type)) {
      char label[128];
      skep_pos at = expr->index.index->pos;
      return skep_fail(b->err, SKEP_ERR_SEMANTIC,
                       "SemanticException %u:%u Not proper type for index of ARRAY. Currently, only integer type is "
                       "supported. Error encountered near token '%s'",
                       at.line, at.column == 0 ? 0 : at.column - 1,
                       skep_bind_label(expr->index.index, label, sizeof label));
    }
    SKEP_TRY(skep_bind_convert(b, index, skep_rule_type(SKEP_INT), &index));
    return operator_node(b, "list index", base->type->children[0], base, index, expr->pos, out);
  }
  if (base->type->kind == SKEP_MAP) {
    const skep_type *key = base->type->children[0];
    if (skep_rule_is_nested(index->type) || skep_rule_castable(index->type, key) != SKEP_CAST_OK) {
      return skep_bind_fail(b, expr->index.index->pos, 10013, "Invalid index type for a MAP: %s, keys are %s",
                            skep_bind_type_text(b, index->type), skep_bind_type_text(b, key));
    }
    SKEP_TRY(skep_bind_convert(b, index, key, &index));
    return operator_node(b, "map index", base->type->children[1], base, index, expr->pos, out);
  }
  return skep_bind_fail(b, expr->pos, 10033, "[] not valid on non-collection types: %s",
                        skep_bind_type_text(b, base->type));
}

static skep_status bind_tuple(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  skep_expr call = {.kind = SKEP_EXPR_CALL, .pos = expr->pos};
  skep_call body = {.name = "struct", .args = expr->tuple};
  call.call = &body;
  return skep_bind_call(b, s, &call, out);
}

/* ---- intervals ---- */

static bool digits_until(const char **at, const char *end, int64_t *out) {
  int64_t v = 0;
  int n = 0;
  for (; *at < end && **at >= '0' && **at <= '9' && n < 12; (*at)++, n++) v = v * 10 + (**at - '0');
  *out = v;
  return n != 0 && n < 12;
}

static bool expect(const char **at, const char *end, char c) {
  if (*at == end || **at != c) return false;
  (*at)++;
  return true;
}

/* Nanoseconds from the digits after a point: at most nine. */
static bool fraction(const char **at, const char *end, int64_t *nanos) {
  int64_t v = 0;
  int n = 0;
  for (; *at < end && **at >= '0' && **at <= '9'; (*at)++) {
    if (++n > 9) return false;
    v = v * 10 + (**at - '0');
  }
  for (; n < 9; n++) v *= 10;
  *nanos = v;
  return true;
}

static bool sign_of(const char **at, const char *end) {
  bool minus = *at < end && **at == '-';
  if (*at < end && (**at == '-' || **at == '+')) (*at)++;
  return minus;
}

/* 'y-m' */
static bool parse_year_month(const char *at, const char *end, int64_t *months) {
  int64_t years, rest;
  bool minus = sign_of(&at, end);
  if (!digits_until(&at, end, &years) || !expect(&at, end, '-') || !digits_until(&at, end, &rest)) return false;
  if (at != end || rest > 11 || years > 178956970) return false;
  *months = (minus ? -1 : 1) * (years * 12 + rest);
  return true;
}

/* 'd h:m:s[.f]' */
static bool parse_day_time(const char *at, const char *end, skep_i128 *nanos) {
  int64_t d, h, m, s, f = 0;
  bool minus = sign_of(&at, end);
  if (!digits_until(&at, end, &d) || !expect(&at, end, ' ')) return false;
  while (at < end && *at == ' ') at++;
  if (!digits_until(&at, end, &h) || !expect(&at, end, ':') || !digits_until(&at, end, &m)) return false;
  if (!expect(&at, end, ':') || !digits_until(&at, end, &s)) return false;
  if (at < end && (*at != '.' || !(at++, fraction(&at, end, &f)))) return false;
  if (at != end || h > 23 || m > 59 || s > 59 || d > INT32_MAX) return false;
  skep_i128 total = ((((skep_i128)d * 24 + h) * 60 + m) * 60 + s) * 1000000000 + f;
  *nanos = minus ? -total : total;
  return true;
}

/* A number with up to nine decimals (SECOND alone may have them). */
static bool parse_amount(const char *at, const char *end, bool decimals, skep_i128 *nanos) {
  int64_t whole, f = 0;
  while (at < end && *at == ' ') at++;
  while (end > at && end[-1] == ' ') end--;
  bool minus = sign_of(&at, end);
  if (!digits_until(&at, end, &whole)) return false;
  if (at < end && (!decimals || *at != '.' || !(at++, fraction(&at, end, &f)))) return false;
  if (at != end) return false;
  skep_i128 v = (skep_i128)whole * 1000000000 + f;
  *nanos = minus ? -v : v;
  return true;
}

static const int64_t unit_seconds[] = {
    [SKEP_UNIT_DAY] = 86400, [SKEP_UNIT_HOUR] = 3600, [SKEP_UNIT_MINUTE] = 60, [SKEP_UNIT_SECOND] = 1};

static skep_status interval_constant(binding *b, const skep_expr *expr, const char *at, size_t length, skep_bx **out) {
  skep_unit unit = expr->interval.unit;
  bool months = unit == SKEP_UNIT_YEAR || unit == SKEP_UNIT_MONTH || unit == SKEP_UNIT_YEAR_TO_MONTH;
  const char *end = at + length;
  int64_t n = 0;
  skep_i128 nanos = 0;
  bool good;
  if (unit == SKEP_UNIT_YEAR_TO_MONTH) {
    good = parse_year_month(at, end, &n);
  } else if (unit == SKEP_UNIT_DAY_TO_SECOND) {
    good = parse_day_time(at, end, &nanos);
  } else {
    good = parse_amount(at, end, unit == SKEP_UNIT_SECOND, &nanos);
    skep_i128 whole = nanos / 1000000000;
    if (months) {
      whole *= unit == SKEP_UNIT_YEAR ? 12 : 1;
      good = good && whole >= INT32_MIN && whole <= INT32_MAX;
      n = (int64_t)whole;
    } else {
      nanos *= unit_seconds[unit];
    }
  }
  if (!good) return skep_bind_fail(b, expr->pos, 0, "Invalid interval literal");
  skep_bx *bx = skep_bx_int(b, skep_rule_type(months ? SKEP_KIND_INTERVAL_YM : SKEP_KIND_INTERVAL_DT), n);
  if (bx == NULL) return skep_bind_nomem(b);
  if (!months) {
    bx->value.kind = SKEP_LIT_DECIMAL;
    bx->value.decimal = nanos;
    bx->value.scale = 9;
  }
  *out = bx;
  return SKEP_OK;
}

static skep_status bind_interval(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  skep_bx *value;
  SKEP_TRY(skep_bind_expression(b, s, expr->interval.value, &value));
  if (value->op == SKEP_BX_CONST && value->type->kind == SKEP_STRING && !value->value.is_null) {
    return interval_constant(b, expr, (const char *)value->value.bytes.at, value->value.bytes.left, out);
  }
  skep_unit unit = expr->interval.unit;
  if (!skep_rule_is_integer(value->type) || unit > SKEP_UNIT_SECOND) {
    return skep_bind_unsupported(b, expr->pos, "an INTERVAL over an expression that is no integer");
  }
  bool months = unit <= SKEP_UNIT_MONTH;
  if (value->op == SKEP_BX_CONST && !value->value.is_null) {
    char text[32];
    int n = snprintf(text, sizeof text, "%lld", (long long)value->value.i64);
    return interval_constant(b, expr, text, (size_t)n, out);
  }
  const skep_type *type = skep_rule_type(months ? SKEP_INT : SKEP_BIGINT);
  SKEP_TRY(skep_bind_convert(b, value, type, &value));
  int64_t factor = unit == SKEP_UNIT_YEAR ? 12 : months ? 1 : unit_seconds[unit] * 1000000000;
  skep_bx *by = skep_bx_int(b, type, factor);
  if (by == NULL) return skep_bind_nomem(b);
  const skep_type *result = skep_rule_type(months ? SKEP_KIND_INTERVAL_YM : SKEP_KIND_INTERVAL_DT);
  return operator_node(b, months ? "numbers as months" : "numbers as interval", result, value, by, expr->pos, out);
}

static skep_status bind_explicit_cast(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  skep_bx *value;
  if (expr->cast.format != NULL) return skep_bind_unsupported(b, expr->pos, "CAST ... FORMAT");
  SKEP_TRY(skep_bind_expression(b, s, expr->cast.value, &value));
  return skep_bind_cast(b, value, expr->cast.type, expr->pos, out);
}

static skep_status bind_kind(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  skep_bx *base;
  switch (expr->kind) {
    case SKEP_EXPR_LITERAL:
      return skep_bind_literal(b, expr, out);
    case SKEP_EXPR_NAME:
      return skep_bind_name(b, s, expr, out);
    case SKEP_EXPR_UNARY:
      return bind_unary(b, s, expr, out);
    case SKEP_EXPR_BINARY:
      return bind_binary(b, s, expr, out);
    case SKEP_EXPR_BETWEEN:
      return bind_between(b, s, expr, out);
    case SKEP_EXPR_IN_LIST:
      return bind_in_list(b, s, expr, out);
    case SKEP_EXPR_IN_QUERY:
    case SKEP_EXPR_EXISTS:
    case SKEP_EXPR_SCALAR_QUERY:
    case SKEP_EXPR_QUANTIFIED:
      return bind_subquery(b, s, expr, out);
    case SKEP_EXPR_LIKE_LIST:
      return bind_like_list(b, s, expr, out);
    case SKEP_EXPR_CASE:
      return bind_case(b, s, expr, out);
    case SKEP_EXPR_CAST:
      return bind_explicit_cast(b, s, expr, out);
    case SKEP_EXPR_CALL:
      return skep_bind_call(b, s, expr, out);
    case SKEP_EXPR_INDEX:
      return bind_index(b, s, expr, out);
    case SKEP_EXPR_FIELD:
      SKEP_TRY(skep_bind_expression(b, s, expr->field.base, &base));
      return skep_bind_field(b, base, expr->field.name, expr->pos, out);
    case SKEP_EXPR_TUPLE:
      return bind_tuple(b, s, expr, out);
    case SKEP_EXPR_INTERVAL:
      return bind_interval(b, s, expr, out);
    case SKEP_EXPR_STAR:
      return skep_bind_fail(b, expr->pos, 0, "* is allowed in select lists and count(*) only");
    case SKEP_EXPR_DEFAULT:
      return skep_bind_fail(b, expr->pos, 0, "DEFAULT is allowed as a whole value in VALUES and SET only");
    case SKEP_EXPR_PARAMETER:
      return skep_bind_fail(b, expr->pos, 0, "a parameter ? is allowed in PREPARE only");
    default:
      return skep_bind_unsupported(b, expr->pos, "this kind of expression here");
  }
}

skep_status skep_bind_expression(binding *b, scope *s, const skep_expr *expr, skep_bx **out) {
  *out = NULL;
  if (b->depth >= SKEP_BIND_MAX_DEPTH) {
    return skep_fail(b->err, SKEP_ERR_LIMIT, "an expression is nested deeper than %d levels", SKEP_BIND_MAX_DEPTH);
  }
  b->depth++;
  skep_status st = bind_kind(b, s, expr, out);
  b->depth--;
  if (st == SKEP_OK && (*out)->weight > SKEP_BIND_MAX_WEIGHT) {
    return skep_fail(b->err, SKEP_ERR_LIMIT, "Line %u:%u an expression that unfolds to more than %d parts",
                     expr->pos.line, expr->pos.column, SKEP_BIND_MAX_WEIGHT);
  }
  return st;
}
