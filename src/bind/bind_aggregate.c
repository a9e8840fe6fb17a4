/* Calls of aggregates: types of arguments and results, where no letter of functions.h says them. */
#include <string.h>

#include "bind/bind_call_int.h"

/* Timestamps add up as seconds. */
static skep_status time_as_number(call_state *c) {
  const skep_type *type = skep_rule_type(SKEP_DOUBLE);
  if (c->bx->args[0]->type->kind != SKEP_TIMESTAMP) return SKEP_OK;
  c->bx->args[0] = skep_bx_operator(c->b, "seconds as number", type, c->expr->pos, c->bx->args[0], NULL);
  return c->bx->args[0] == NULL ? skep_bind_nomem(c->b) : SKEP_OK;
}

static skep_status check_summable(call_state *c, const skep_type *type) {
  if (skep_rule_is_numeric(type) || skep_rule_is_string(type)) return SKEP_OK;
  return skep_fail(c->b->err, SKEP_ERR_SEMANTIC,
                   "UDFArgumentTypeException Only numeric or string type arguments are accepted but %s is passed.",
                   skep_bind_type_text(c->b, type));
}

static skep_bx *double_zero(call_state *c) {
  skep_bx *zero = skep_bx_null(c->b, skep_rule_type(SKEP_DOUBLE));
  if (zero == NULL) return NULL;
  zero->value.is_null = false;
  zero->value.kind = SKEP_LIT_F64;
  return zero;
}

static skep_status rule_sum(call_state *c) {
  SKEP_TRY(time_as_number(c));
  const skep_type *type = c->bx->args[0]->type;
  if (skep_rule_is_void(type)) SKEP_TRY(skep_call_convert(c, 0, type = skep_rule_type(SKEP_DOUBLE)));
  SKEP_TRY(check_summable(c, type));
  if (skep_rule_is_integer(type)) {
    c->bx->type = skep_rule_type(SKEP_BIGINT);
  } else if (type->kind == SKEP_DECIMAL) {
    unsigned precision = type->precision + 10u > 38 ? 38 : type->precision + 10u;
    c->bx->type = skep_rule_decimal(c->b->arena, precision, type->scale);
  } else {
    c->bx->type = skep_rule_type(SKEP_DOUBLE);
    skep_bx *text = skep_rule_is_string(type) ? c->bx->args[0] : NULL;
    SKEP_TRY(skep_call_convert(c, 0, c->bx->type));
    if (text != NULL) { /* a text that is no number counts as 0: a sum over nothing else is 0 */
      skep_bx *there = skep_bx_operator(c->b, "is not null", skep_rule_type(SKEP_BOOLEAN), c->expr->pos, text, NULL);
      skep_bx *both[] = {c->bx->args[0], double_zero(c)}, *value;
      if (there == NULL || both[1] == NULL) return skep_bind_nomem(c->b);
      value = skep_bx_call(c->b, skep_function_find("coalesce"), c->bx->type, c->expr->pos, both, 2);
      skep_bx *arg = skep_bx_new(c->b, SKEP_BX_CASE, c->bx->type, c->expr->pos, 2);
      if (value == NULL || arg == NULL) return skep_bind_nomem(c->b);
      arg->args[0] = there;
      arg->args[1] = value;
      skep_bx_mark(arg);
      c->bx->args[0] = arg;
    }
  }
  return SKEP_OK;
}

/* AVG(DECIMAL(p,s)) has four decimals more; the printer divides sum by count. */
static skep_status rule_avg(call_state *c) {
  SKEP_TRY(time_as_number(c));
  const skep_type *type = c->bx->args[0]->type;
  if (type->kind != SKEP_DECIMAL) {
    if (skep_rule_is_void(type)) type = skep_rule_type(SKEP_DOUBLE);
    SKEP_TRY(check_summable(c, type));
    c->bx->type = skep_rule_type(SKEP_DOUBLE);
    return skep_rule_is_integer(type) ? SKEP_OK : skep_call_convert(c, 0, c->bx->type);
  }
  unsigned integer = (unsigned)(type->precision - type->scale), scale = type->scale + 4u;
  if (integer + scale > 38) scale = 38 - integer;
  c->bx->type = skep_rule_decimal(c->b->arena, integer + scale, scale);
  return SKEP_OK;
}

static skep_status rule_min_max(call_state *c) {
  const skep_type *type = c->bx->args[0]->type;
  if (type->kind == SKEP_MAP || type->kind == SKEP_UNION) return skep_call_wrong_type(c, 0, "a type that has an order");
  c->bx->type = type;
  return SKEP_OK;
}

static skep_status rule_collect(call_state *c) {
  if (strcmp(c->fn->name, "collect_set") == 0) c->bx->distinct = true;
  if (skep_rule_is_void(c->bx->args[0]->type)) SKEP_TRY(skep_call_convert(c, 0, skep_rule_type(SKEP_STRING)));
  c->bx->type = skep_rule_list(c->b->arena, c->bx->args[0]->type);
  return SKEP_OK;
}

static skep_status rule_percentile(call_state *c) {
  SKEP_TRY(skep_call_convert_letter(c, 0, c->fn->params[0]));
  c->bx->n_args = 2; /* percentile_approx's accuracy: we are exact */
  const skep_type *number = skep_rule_type(SKEP_DOUBLE), *type = c->bx->args[1]->type;
  bool list = type->kind == SKEP_LIST;
  if (!list && !skep_rule_is_numeric(type)) return skep_call_wrong_type(c, 1, "a number or an array of numbers");
  const skep_type *to = list ? skep_rule_list(c->b->arena, number) : number;
  SKEP_TRY(skep_call_convert(c, 1, to));
  c->bx->type = to;
  return SKEP_OK;
}

static skep_status rule_value(call_state *c) {
  if (c->bx->n_args > 1 && c->fn->name[0] == 'l' && strcmp(c->fn->name, "last_value") != 0) {
    SKEP_TRY(skep_call_convert_letter(c, 1, 'i'));
    if (c->bx->n_args == 3) SKEP_TRY(skep_call_convert(c, 2, c->bx->args[0]->type));
  } else if (c->bx->n_args == 2) {
    const skep_bx *skip = c->bx->args[1];
    if (skip->op != SKEP_BX_CONST || skip->type->kind != SKEP_BOOLEAN)
      return skep_call_wrong_type(c, 1, "a constant boolean");
    c->bx->ignore_nulls = skip->value.i64 != 0;
    c->bx->n_args = 1;
  }
  c->bx->type = c->bx->args[0]->type;
  return SKEP_OK;
}

static skep_status rule_count(call_state *c) {
  c->bx->type = skep_rule_type(SKEP_BIGINT);
  if (c->bx->n_args == 0 && !c->call->star) return skep_call_wrong(c, 0, "Argument expected");
  if (c->bx->n_args > 1 && !c->call->distinct) return skep_call_wrong(c, 1, "DISTINCT keyword must be specified");
  return SKEP_OK;
}

skep_status skep_call_aggregate(call_state *c) {
  switch (c->fn->rule) {
    case SKEP_FR_COUNT:
      return rule_count(c);
    case SKEP_FR_SUM:
      return rule_sum(c);
    case SKEP_FR_AVG:
      return rule_avg(c);
    case SKEP_FR_MIN_MAX:
      return rule_min_max(c);
    case SKEP_FR_COLLECT:
      return rule_collect(c);
    case SKEP_FR_APPROX:
      c->bx->distinct = true;
      return skep_call_plain(c);
    case SKEP_FR_PERCENTILE:
      return rule_percentile(c);
    case SKEP_FR_VALUE:
      return rule_value(c);
    default:
      return skep_call_plain(c);
  }
}
