/* Expressions as DuckDB SQL: constants, columns, templates of the function table, and what needs more than a template.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bind/print_int.h"
#include "column/text.h"

enum { MAX_NODES = 20000000 }; /* a large INSERT ... VALUES has millions */

void skep_print_refuse(printer *p, const char *what) {
  if (p->status == SKEP_OK) p->status = skep_fail(p->err, SKEP_ERR_UNSUPPORTED, "%s is not supported yet", what);
}

static bool has_extra_kind(const skep_type *type) {
  if (skep_rule_is_void(type) || skep_rule_is_interval(type)) return true;
  for (uint32_t i = 0; i < type->n_children; i++) {
    if (has_extra_kind(type->children[i])) return true;
  }
  return false;
}

void skep_print_carrier(const skep_type *type, skep_buf *out) {
  if (!has_extra_kind(type)) {
    skep_engine_print_type(type, out);
    return;
  }
  switch ((int)type->kind) {
    case SKEP_KIND_VOID:
      skep_buf_text(out, "VARCHAR");
      break;
    case SKEP_KIND_INTERVAL_YM:
      skep_buf_text(out, "INTEGER");
      break;
    case SKEP_KIND_INTERVAL_DT:
      skep_buf_text(out, "HUGEINT");
      break;
    case SKEP_LIST:
      skep_print_carrier(type->children[0], out);
      skep_buf_text(out, "[]");
      break;
    case SKEP_MAP:
      skep_buf_text(out, "MAP(");
      skep_print_carrier(type->children[0], out);
      skep_buf_text(out, ", ");
      skep_print_carrier(type->children[1], out);
      skep_buf_byte(out, ')');
      break;
    default:
      skep_buf_text(out, type->kind == SKEP_UNION ? "STRUCT(tag TINYINT" : "STRUCT(");
      for (uint32_t i = 0; i < type->n_children; i++) {
        char name[24];
        snprintf(name, sizeof name, "f%u", i);
        if (i != 0 || type->kind == SKEP_UNION) skep_buf_text(out, ", ");
        skep_engine_print_identifier(type->kind == SKEP_UNION ? name : type->names[i], out);
        skep_buf_byte(out, ' ');
        skep_print_carrier(type->children[i], out);
      }
      skep_buf_byte(out, ')');
      break;
  }
}

/* ---- constants ---- */

static void print_i128(skep_i128 value, skep_buf *out) {
  skep_buf_text(out, "CAST('");
  skep_text_decimal(value, 0, false, out);
  skep_buf_text(out, "' AS HUGEINT)");
}

static void print_double(const skep_bx *bx, skep_buf *out) {
  double v = bx->value.f64;
  const char *name = bx->type->kind == SKEP_FLOAT ? "FLOAT" : "DOUBLE";
  if (isnan(v))
    skep_buf_printf(out, "CAST('nan' AS %s)", name);
  else if (isinf(v))
    skep_buf_printf(out, "CAST('%sinf' AS %s)", v < 0 ? "-" : "", name);
  else
    skep_buf_printf(out, "CAST('%.17g' AS %s)", v, name);
}

static void print_constant(printer *p, const skep_bx *bx) {
  const skep_bx_value *v = &bx->value;
  if (v->is_null) {
    skep_buf_text(p->out, "CAST(NULL AS ");
    skep_print_carrier(bx->type, p->out);
    skep_buf_byte(p->out, ')');
    return;
  }
  switch ((int)bx->type->kind) {
    case SKEP_BOOLEAN:
      skep_buf_text(p->out, v->i64 != 0 ? "TRUE" : "FALSE");
      break;
    case SKEP_INT:
    case SKEP_KIND_INTERVAL_YM:
      if (p->bare_integers) {
        skep_buf_i64(p->out, v->i64);
        break;
      }
      /* fall through */
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_BIGINT:
      skep_buf_printf(p->out, "CAST('%lld' AS ", (long long)v->i64);
      skep_print_carrier(bx->type, p->out);
      skep_buf_byte(p->out, ')');
      break;
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      print_double(bx, p->out);
      break;
    case SKEP_DECIMAL:
      skep_buf_text(p->out, "CAST('");
      skep_text_decimal(v->decimal, bx->type->scale, false, p->out);
      skep_buf_printf(p->out, "' AS DECIMAL(%u,%u))", bx->type->precision, bx->type->scale);
      break;
    case SKEP_DATE:
      skep_buf_printf(p->out, "(DATE '1970-01-01' + CAST('%lld' AS INTEGER))", (long long)v->i64);
      break;
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      print_i128((skep_i128)v->ts.seconds * 1000000000 + v->ts.nanos, p->out);
      break;
    case SKEP_KIND_INTERVAL_DT:
      print_i128(v->decimal, p->out);
      break;
    default: /* texts */
      skep_engine_print_string(v->bytes, p->out);
      break;
  }
}

/* ---- columns ---- */

static void print_column(printer *p, const skep_bx *bx) {
  if (p->prefix != NULL || p->source_ids == NULL) {
    skep_buf_printf(p->out, "%s%sc%u", p->prefix != NULL ? p->prefix : "", p->prefix != NULL ? "." : "", bx->position);
    return;
  }
  uint32_t by = bx->rel->id < p->n_absorbed ? p->absorbed[bx->rel->id] : 0;
  if (by == 0)
    skep_buf_printf(p->out, "t%u.c%u", bx->rel->id, bx->position);
  else
    skep_buf_printf(p->out, "t%u.t%uc%u", by - 1, bx->rel->id, bx->position);
}

/* ---- calls ---- */

void skep_print_list(printer *p, skep_bx *const *list, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (i != 0) skep_buf_text(p->out, ", ");
    skep_print_bx(p, list[i]);
  }
}

static void print_template(printer *p, const char *at, const char *end, const skep_bx *bx);

/* [with $3|without]: at is behind the '['. Returns the end of it. */
static const char *print_choice(printer *p, const char *at, const skep_bx *bx) {
  const char *end = strchr(at, ']'), *bar = memchr(at, '|', (size_t)(end - at)), *arg = strchr(at, '$');
  bool there = (uint32_t)(arg[1] - '0') <= bx->n_args;
  if (there)
    print_template(p, at, bar != NULL ? bar : end, bx);
  else if (bar != NULL)
    print_template(p, bar + 1, end, bx);
  return end;
}

/* The template language of functions.h. */
static void print_template(printer *p, const char *at, const char *end, const skep_bx *bx) {
  for (; at != end; at++) {
    if (*at == '$' && at[1] == '*') {
      skep_print_list(p, bx->args, bx->n_args);
      at++;
    } else if (*at == '$') {
      skep_print_bx(p, bx->args[at[1] - '1']);
      at++;
    } else if (*at == '[') {
      at = print_choice(p, at + 1, bx);
    } else {
      skep_buf_byte(p->out, (uint8_t)*at);
    }
  }
}

static void print_sql(printer *p, const skep_bx *bx) {
  print_template(p, bx->fn->sql, bx->fn->sql + strlen(bx->fn->sql), bx);
}

static void print_pair(printer *p, const char *before, const skep_bx *bx, const char *between, const char *after) {
  skep_buf_text(p->out, before);
  skep_print_bx(p, bx->args[0]);
  skep_buf_text(p->out, between);
  skep_print_bx(p, bx->args[1]);
  skep_buf_text(p->out, after);
}

/* x as DECIMAL(precision, scale): wide enough, so exact. */
static void print_widened(printer *p, const skep_bx *bx, unsigned precision, unsigned scale) {
  skep_buf_text(p->out, "CAST(");
  skep_print_bx(p, bx);
  skep_buf_printf(p->out, " AS DECIMAL(%u,%u))", precision, scale);
}

static void print_decimal_arith(printer *p, const skep_bx *bx) {
  static const char *const names[] = {"add", "sub", "mul", "div", "mod", "pmod"};
  const char *op = bx->fn->sql, *ops = "+-*/%p";
  unsigned precision = bx->type->precision, scale = bx->type->scale;
  const skep_type *l = bx->args[0]->type, *r = bx->args[1]->type;
  bool sum = *op == '+' || *op == '-';
  unsigned larger_scale = l->scale > r->scale ? l->scale : r->scale;
  if (sum && precision < 38 && scale == larger_scale) { /* cannot overflow: DuckDB's own */
    skep_buf_text(p->out, "CAST((");
    print_widened(p, bx->args[0], precision, scale);
    skep_buf_printf(p->out, " %c ", *op);
    print_widened(p, bx->args[1], precision, scale);
    skep_buf_printf(p->out, ") AS DECIMAL(%u,%u))", precision, scale);
  } else if (*op == '*' && l->precision + r->precision <= 37) {
    /* DuckDB gives a product of two 64-bit decimals 64 bits again and fails when it needs more: one is made wider. */
    bool narrow = l->precision <= 18 && r->precision <= 18 && l->precision + r->precision > 18;
    skep_buf_text(p->out, "CAST((");
    print_widened(p, bx->args[0], narrow ? 19 : l->precision, l->scale);
    skep_buf_text(p->out, " * ");
    skep_print_bx(p, bx->args[1]);
    skep_buf_printf(p->out, ") AS DECIMAL(%u,%u))", precision, scale);
  } else {
    skep_buf_printf(p->out, "skep_decimal_%s_%u_%u(", names[strchr(ops, *op) - ops], precision, scale);
    print_pair(p, "", bx, ", ", ")");
  }
}

static void print_arith(printer *p, const skep_bx *bx) {
  char op = bx->fn->sql[0];
  if (bx->type->kind == SKEP_DECIMAL) {
    print_decimal_arith(p, bx);
  } else if (op == '%') {
    const skep_bx *by = bx->args[1]; /* by a constant that is neither 0 nor -1 DuckDB's is the same */
    bool plain = skep_rule_is_integer(bx->type) && by->op == SKEP_BX_CONST && !by->value.is_null && by->value.i64 > 0;
    print_pair(p, plain ? "(" : "skep_mod(", bx, plain ? " % " : ", ", ")");
  } else if (op == 'p') {
    print_pair(p, "skep_pmod(", bx, ", ", ")");
  } else if (op == '/') {
    print_pair(p, "skep_div(", bx, ", ", ")");
  } else if (skep_rule_is_float(bx->type)) {
    char between[4] = {' ', op, ' ', '\0'};
    print_pair(p, "(", bx, between, ")");
  } else {
    print_pair(p, op == '+' ? "skep_add(" : op == '-' ? "skep_sub(" : "skep_mul(", bx, ", ", ")");
  }
}

static void print_negate(printer *p, const skep_bx *bx) {
  bool wraps = skep_rule_is_integer(bx->type) || bx->type->kind == SKEP_KIND_INTERVAL_YM;
  skep_buf_text(p->out, wraps ? "skep_neg(" : "(-");
  skep_print_bx(p, bx->args[0]);
  skep_buf_byte(p->out, ')');
}

/* AND and OR flat: DuckDB bounds the nesting, not the length. */
static void print_logic(printer *p, const skep_bx *bx, const char *word) {
  const skep_bx *spine[64];
  uint32_t n = 0;
  const skep_bx *at = bx;
  skep_buf_byte(p->out, '(');
  /* In chunks from the left end: the tail of the spine is printed by walking it again. */
  uint32_t length = 0;
  for (at = bx; at->op == SKEP_BX_CALL && at->fn == bx->fn; at = at->args[0]) length++;
  skep_print_bx(p, at);
  for (uint32_t done = 0; done < length; done += n) {
    uint32_t chunk = length - done < 64 ? length - done : 64;
    at = bx;
    for (uint32_t i = 0; i < length - done - chunk; i++) at = at->args[0];
    for (n = 0; n < chunk; n++, at = at->args[0]) spine[n] = at;
    for (uint32_t i = chunk; i-- != 0;) {
      skep_buf_printf(p->out, " %s ", word);
      skep_print_bx(p, spine[i]->args[1]);
    }
  }
  skep_buf_byte(p->out, ')');
}

static void print_abs(printer *p, const skep_bx *bx) {
  skep_kind kind = bx->type->kind;
  if (skep_rule_is_integer(bx->type)) { /* |MIN| wraps */
    skep_buf_text(p->out, "skep_abs(");
  } else {
    skep_buf_text(p->out, "abs(");
  }
  (void)kind;
  skep_print_bx(p, bx->args[0]);
  skep_buf_byte(p->out, ')');
}

static void print_struct(printer *p, const skep_bx *bx) {
  bool tagged = bx->type->kind == SKEP_UNION;
  skep_buf_text(p->out, "struct_pack(");
  if (tagged) skep_buf_printf(p->out, "tag := CAST(%u AS TINYINT)", bx->variant);
  for (uint32_t i = 0; i < bx->type->n_children; i++) {
    char name[24];
    snprintf(name, sizeof name, "f%u", i);
    if (i != 0 || tagged) skep_buf_text(p->out, ", ");
    skep_engine_print_identifier(tagged ? name : bx->type->names[i], p->out);
    skep_buf_text(p->out, " := ");
    if (tagged && i != bx->variant) {
      skep_buf_text(p->out, "CAST(NULL AS ");
      skep_print_carrier(bx->type->children[i], p->out);
      skep_buf_byte(p->out, ')');
    } else {
      skep_print_bx(p, bx->args[i]);
    }
  }
  skep_buf_byte(p->out, ')');
}

static void print_array(printer *p, const skep_bx *bx) {
  skep_buf_text(p->out, "CAST([");
  skep_print_list(p, bx->args, bx->n_args);
  skep_buf_text(p->out, "] AS ");
  skep_print_carrier(bx->type, p->out);
  skep_buf_byte(p->out, ')');
}

/* Hive's map(): the last value of a key wins, at the place of the first; NULL keys are kept out by neither engine. */
static void print_map(printer *p, const skep_bx *bx) {
  skep_buf_text(p->out, "CAST(map_from_entries(");
  bool constant_keys = true, repeated = false;
  for (uint32_t i = 0; i < bx->n_args; i += 2) {
    constant_keys = constant_keys && bx->args[i]->op == SKEP_BX_CONST && !bx->args[i]->value.is_null;
  }
  if (!constant_keys) skep_buf_text(p->out, "skep_map_entries(");
  skep_buf_byte(p->out, '[');
  bool first = true;
  for (uint32_t i = 0; i < bx->n_args; i += 2) {
    bool later = false;
    uint32_t last = i;
    for (uint32_t j = 0; j < bx->n_args && constant_keys; j += 2) {
      const skep_bx *a = bx->args[i], *b = bx->args[j];
      bool equal =
          i != j && a->value.kind == b->value.kind &&
          (a->value.kind == SKEP_LIT_BYTES
               ? a->value.bytes.left == b->value.bytes.left &&
                     (a->value.bytes.left == 0 ||
                      memcmp(a->value.bytes.at, b->value.bytes.at, a->value.bytes.left) == 0)
               : a->value.i64 == b->value.i64 && a->value.f64 == b->value.f64 && a->value.decimal == b->value.decimal);
      if (equal && j < i) later = true;
      if (equal && j > last) last = j;
    }
    repeated = repeated || later;
    if (later) continue;
    if (!first) skep_buf_text(p->out, ", ");
    first = false;
    skep_buf_text(p->out, "struct_pack(key := ");
    skep_print_bx(p, bx->args[i]);
    skep_buf_text(p->out, ", value := ");
    skep_print_bx(p, bx->args[last + 1]);
    skep_buf_byte(p->out, ')');
  }
  skep_buf_byte(p->out, ']');
  if (bx->n_args == 0) skep_buf_text(p->out, "::STRUCT(key VARCHAR, value VARCHAR)[]");
  if (!constant_keys) skep_buf_byte(p->out, ')');
  skep_buf_text(p->out, ") AS ");
  skep_print_carrier(bx->type, p->out);
  skep_buf_byte(p->out, ')');
}

/* The list that concat_ws joins: its arguments, arrays among them spread out. */
static void print_joined(printer *p, const skep_bx *bx) {
  bool lists = false;
  for (uint32_t i = 1; i < bx->n_args; i++) lists = lists || bx->args[i]->type->kind == SKEP_LIST;
  if (lists) skep_buf_text(p->out, "flatten(");
  skep_buf_byte(p->out, '[');
  for (uint32_t i = 1; i < bx->n_args; i++) {
    bool list = bx->args[i]->type->kind == SKEP_LIST;
    if (i != 1) skep_buf_text(p->out, ", ");
    skep_buf_text(p->out, lists ? (list ? "coalesce(" : "[") : "");
    skep_print_bx(p, bx->args[i]);
    skep_buf_text(p->out, lists ? (list ? ", CAST([] AS VARCHAR[]))" : "]") : "");
  }
  skep_buf_text(p->out, lists ? "])" : "]");
}

static void print_concat_ws(printer *p, const skep_bx *bx) {
  skep_buf_text(p->out, "skep_concat_ws(");
  skep_print_bx(p, bx->args[0]);
  skep_buf_text(p->out, ", ");
  print_joined(p, bx);
  skep_buf_byte(p->out, ')');
}

static void print_size(printer *p, const skep_bx *bx) {
  bool map = bx->args[0]->type->kind == SKEP_MAP;
  skep_buf_text(p->out, map ? "coalesce(CAST(cardinality(" : "coalesce(CAST(len(");
  skep_print_bx(p, bx->args[0]);
  skep_buf_text(p->out, ") AS INTEGER), -1)");
}

static void print_round(printer *p, const skep_bx *bx) {
  int digits = (int)bx->variant - 1000;
  const skep_type *from = bx->args[0]->type, *to = bx->type;
  bool even = bx->fn->name[0] == 'b';
  if (to->kind == SKEP_DECIMAL) {
    if (digits >= from->scale) {
      operand o = {.bx = bx->args[0]};
      skep_print_cast(p, &o, from, to);
      return;
    }
    skep_buf_printf(p->out, "skep_decimal_%s_%u_%u(", even ? "bround" : "round", to->precision, to->scale);
    skep_print_bx(p, bx->args[0]);
    skep_buf_printf(p->out, ", CAST('%d' AS INTEGER))", digits);
    return;
  }
  bool integer = skep_rule_is_integer(to), wide = to->kind == SKEP_BIGINT || to->kind == SKEP_DOUBLE;
  if (integer && digits >= 0) {
    skep_print_bx(p, bx->args[0]);
    return;
  }
  static const char *const wraps[] = {
      [SKEP_TINYINT] = "skep_wrap_i8(", [SKEP_SMALLINT] = "skep_wrap_i16(", [SKEP_INT] = "skep_wrap_i32("};
  if (!wide) skep_buf_text(p->out, integer ? wraps[to->kind] : "skep_f64_f32(");
  skep_buf_printf(p->out, "%s(CAST(", bx->fn->sql);
  skep_print_bx(p, bx->args[0]);
  skep_buf_printf(p->out, " AS %s), CAST('%d' AS INTEGER))", integer ? "BIGINT" : "DOUBLE", digits);
  if (!wide) skep_buf_byte(p->out, ')');
}

static void print_floor(printer *p, const skep_bx *bx) {
  bool decimal = bx->type->kind == SKEP_DECIMAL;
  skep_buf_text(p->out, decimal ? (bx->fn->sql[5] == 'f' ? "CAST(floor(" : "CAST(ceil(") : bx->fn->sql);
  if (!decimal) skep_buf_byte(p->out, '(');
  if (decimal) { /* room for the carry: DuckDB keeps the precision */
    const skep_type *from = bx->args[0]->type;
    unsigned precision = from->precision < 38 ? from->precision + 1u : 38;
    print_widened(p, bx->args[0], precision, from->scale);
    skep_buf_printf(p->out, ") AS DECIMAL(%u,0))", bx->type->precision);
  } else {
    skep_print_bx(p, bx->args[0]);
    skep_buf_byte(p->out, ')');
  }
}

static void print_sign(printer *p, const skep_bx *bx) {
  skep_buf_text(p->out, bx->type->kind == SKEP_INT ? "CAST(sign(" : "skep_sign(");
  skep_print_bx(p, bx->args[0]);
  skep_buf_text(p->out, bx->type->kind == SKEP_INT ? ") AS INTEGER)" : ")");
}

static void print_trunc(printer *p, const skep_bx *bx) {
  skep_buf_printf(p->out, "skep_decimal_trunc_%u_%u(", bx->type->precision, bx->type->scale);
  skep_print_bx(p, bx->args[0]);
  skep_buf_printf(p->out, ", CAST('%d' AS INTEGER))", (int)bx->variant - 1000);
}

static void print_hash(printer *p, const skep_bx *bx) {
  skep_buf_printf(p->out, "%s(", bx->fn->sql);
  skep_print_bx(p, bx->args[0]);
  skep_buf_byte(p->out, ')');
}

static void print_array_join(printer *p, const skep_bx *bx) {
  if (strcmp(bx->fn->name, "array_join") != 0) {
    print_sql(p, bx);
    return;
  }
  skep_buf_text(p->out, "skep_concat_ws(");
  skep_print_bx(p, bx->args[1]);
  if (bx->n_args == 3) {
    skep_buf_text(p->out, ", list_transform(");
    skep_print_bx(p, bx->args[0]);
    skep_buf_printf(p->out, ", lambda v%u: coalesce(v%u, ", p->lambdas + 1, p->lambdas + 1);
    p->lambdas++;
    skep_print_bx(p, bx->args[2]);
    skep_buf_text(p->out, ")))");
  } else {
    skep_buf_text(p->out, ", ");
    skep_print_bx(p, bx->args[0]);
    skep_buf_byte(p->out, ')');
  }
}

/* Patterns without escapes and '_' mean the same to DuckDB, which is quicker with them. */
static bool is_plain_pattern(const skep_bx *bx) {
  if (bx->op != SKEP_BX_CONST || bx->value.is_null) return false;
  for (size_t i = 0; i < bx->value.bytes.left; i++) {
    uint8_t c = bx->value.bytes.at[i];
    if (c == '\\' || c == '_' || c >= 0x80 || c == 0) return false;
  }
  return true;
}

static void print_call(printer *p, const skep_bx *bx) {
  if (strcmp(bx->fn->name, "like") == 0 && is_plain_pattern(bx->args[1])) {
    print_pair(p, "(", bx, " LIKE ", ")");
    return;
  }
  switch ((int)bx->fn->rule) {
    case SKEP_FR_ARITH:
      print_arith(p, bx);
      return;
    case SKEP_FR_NEGATIVE:
      print_negate(p, bx);
      return;
    case SKEP_FR_ABS:
      print_abs(p, bx);
      return;
    case SKEP_FR_STRUCT:
    case SKEP_FR_NAMED_STRUCT:
    case SKEP_FR_UNION:
      print_struct(p, bx);
      return;
    case SKEP_FR_ARRAY:
      print_array(p, bx);
      return;
    case SKEP_FR_MAP:
      print_map(p, bx);
      return;
    case SKEP_FR_CONCAT_WS:
      print_concat_ws(p, bx);
      return;
    case SKEP_FR_SIZE:
      print_size(p, bx);
      return;
    case SKEP_FR_ROUND:
      print_round(p, bx);
      return;
    case SKEP_FR_FLOOR:
      print_floor(p, bx);
      return;
    case SKEP_FR_SIGN:
      print_sign(p, bx);
      return;
    case SKEP_FR_TRUNC:
      print_trunc(p, bx);
      return;
    case SKEP_FR_HASH:
      print_hash(p, bx);
      return;
    case SKEP_FR_ARRAY_CONTAINS:
      print_array_join(p, bx);
      return;
    case SKEP_FR_OPERATOR:
      if (strcmp(bx->fn->name, "and") == 0 || strcmp(bx->fn->name, "or") == 0) {
        print_logic(p, bx, bx->fn->name[0] == 'a' ? "AND" : "OR");
        return;
      }
      break;
    default:
      break;
  }
  if (bx->fn->sql == NULL) {
    skep_print_refuse(p, bx->fn->name);
    return;
  }
  print_sql(p, bx);
}

/* ---- aggregates and windows ---- */

static void print_over(printer *p, const skep_bwindow *w, bool is_ours);

static void print_count(printer *p, const skep_bx *bx) {
  skep_buf_text(p->out, bx->distinct ? "count(DISTINCT " : "count(");
  if (bx->n_args == 0) {
    skep_buf_text(p->out, "*)");
    return;
  }
  if (bx->n_args == 1) {
    skep_print_bx(p, bx->args[0]);
    skep_buf_byte(p->out, ')');
    return;
  }
  skep_buf_text(p->out, "CASE WHEN "); /* rows with any NULL do not count */
  for (uint32_t i = 0; i < bx->n_args; i++) {
    if (i != 0) skep_buf_text(p->out, " AND ");
    skep_print_bx(p, bx->args[i]);
    skep_buf_text(p->out, " IS NOT NULL");
  }
  skep_buf_text(p->out, " THEN row(");
  skep_print_list(p, bx->args, bx->n_args);
  skep_buf_text(p->out, ") END)");
}

/* The bare call of an aggregate or window function, OVER included. */
static void print_bare(printer *p, const skep_bx *bx, const char *name) {
  if (bx->fn->rule == SKEP_FR_COUNT) {
    print_count(p, bx);
  } else {
    skep_buf_printf(p->out, "%s(%s", name, bx->distinct ? "DISTINCT " : "");
    skep_print_list(p, bx->args, bx->n_args);
    skep_buf_text(p->out, bx->ignore_nulls && bx->fn->kind == SKEP_FN_WINDOW ? " IGNORE NULLS)" : ")");
    if (bx->fn->rule == SKEP_FR_COLLECT) {
      skep_buf_text(p->out, " FILTER (WHERE ");
      skep_print_bx(p, bx->args[0]);
      skep_buf_text(p->out, " IS NOT NULL)");
    }
  }
  if (bx->window != NULL) print_over(p, bx->window, name != NULL && strncmp(name, "skep_", 5) == 0);
}

/* A sum of decimals. DuckDB adds 128-bit numbers without a look at the carry, which matters from 29 digits on (fewer
 * would need 10^10 rows), and fails in windows: from there on ours adds, NULL beyond 38 digits as in Hive. */
static bool is_wide_decimal(const skep_bx *bx) { return bx->type->kind == SKEP_DECIMAL && bx->type->precision > 28; }

static void print_decimal_sum(printer *p, const skep_bx *bx) {
  if (!is_wide_decimal(bx->args[0])) {
    print_bare(p, bx, "sum");
    return;
  }
  char name[40];
  snprintf(name, sizeof name, "skep_decimal_sum_38_%u", (unsigned)bx->args[0]->type->scale);
  print_bare(p, bx, name);
}

/* Deviations and variances in windows are other functions than in groups. */
static bool is_variance(const skep_bx *bx) {
  return bx->fn->sql != NULL && (strncmp(bx->fn->sql, "skep_std", 8) == 0 || strncmp(bx->fn->sql, "skep_var", 8) == 0);
}

static void print_aggregate(printer *p, const skep_bx *bx) {
  if (bx->fn->rule == SKEP_FR_SUM && skep_rule_is_integer(bx->type)) {
    skep_buf_text(p->out, "skep_wrap_i64(");
    print_bare(p, bx, "sum");
    skep_buf_byte(p->out, ')');
  } else if (bx->fn->rule == SKEP_FR_SUM && bx->type->kind == SKEP_DECIMAL) {
    skep_buf_text(p->out, "TRY_CAST(");
    print_decimal_sum(p, bx);
    skep_buf_printf(p->out, " AS DECIMAL(%u,%u))", bx->type->precision, bx->type->scale);
  } else if (bx->fn->rule == SKEP_FR_AVG && bx->type->kind == SKEP_DECIMAL && is_wide_decimal(bx->args[0])) {
    char name[40];
    snprintf(name, sizeof name, "skep_decimal_avg_%u_%u", (unsigned)bx->type->precision, (unsigned)bx->type->scale);
    print_bare(p, bx, name);
  } else if (bx->fn->rule == SKEP_FR_AVG && bx->type->kind == SKEP_DECIMAL) {
    skep_buf_printf(p->out, "skep_decimal_div_%u_%u(", bx->type->precision, bx->type->scale);
    print_decimal_sum(p, bx);
    skep_buf_text(p->out, ", ");
    print_bare(p, bx, "count");
    skep_buf_byte(p->out, ')');
  } else if (is_variance(bx) && bx->window != NULL) {
    char name[40];
    snprintf(name, sizeof name, "%s_over", bx->fn->sql);
    print_bare(p, bx, name);
  } else if (bx->fn->post != NULL) {
    const char *at = strstr(bx->fn->post, "$0");
    skep_buf_add(p->out, bx->fn->post, (size_t)(at - bx->fn->post));
    print_bare(p, bx, bx->fn->sql);
    skep_buf_text(p->out, at + 2);
  } else {
    print_bare(p, bx, bx->fn->sql);
  }
}

bool skep_print_needs_sort_key(const skep_type *type) { return skep_rule_is_string(type) || skep_rule_is_float(type); }

void skep_print_sort_key(printer *p, const skep_bx *bx) {
  bool wrap = skep_print_needs_sort_key(bx->type), constant = bx->op == SKEP_BX_CONST;
  if (wrap)
    skep_buf_text(p->out, skep_rule_is_string(bx->type) ? "encode(" : "skep_sort_key(");
  else if (constant)
    skep_buf_byte(p->out, '('); /* no ordinal */
  skep_print_bx(p, bx);
  if (wrap || constant) skep_buf_byte(p->out, ')');
}

void skep_print_order(printer *p, const skep_border *order, uint32_t n, bool raw) {
  skep_buf_text(p->out, " ORDER BY ");
  for (uint32_t i = 0; i < n; i++) {
    if (i != 0) skep_buf_text(p->out, ", ");
    if (raw)
      skep_print_bx(p, order[i].expr);
    else
      skep_print_sort_key(p, order[i].expr);
    skep_buf_printf(p->out, " %s NULLS %s", order[i].descending ? "DESC" : "ASC",
                    order[i].nulls_first ? "FIRST" : "LAST");
  }
}

static void print_bound(printer *p, skep_frame_bound bound, const skep_bx *value) {
  static const char *const words[] = {[SKEP_FRAME_UNBOUNDED_PRECEDING] = "UNBOUNDED PRECEDING",
                                      [SKEP_FRAME_PRECEDING] = " PRECEDING",
                                      [SKEP_FRAME_CURRENT_ROW] = "CURRENT ROW",
                                      [SKEP_FRAME_FOLLOWING] = " FOLLOWING",
                                      [SKEP_FRAME_UNBOUNDED_FOLLOWING] = "UNBOUNDED FOLLOWING"};
  if (value != NULL) skep_buf_i64(p->out, value->value.i64);
  skep_buf_text(p->out, words[bound]);
}

/* Every row of the partition, whichever row it is for. */
static bool is_whole_partition(const skep_bwindow *w) {
  if (w->n_order == 0 && (!w->has_frame || !w->rows)) return true;
  return w->has_frame && w->start == SKEP_FRAME_UNBOUNDED_PRECEDING && w->end == SKEP_FRAME_UNBOUNDED_FOLLOWING;
}

/* is_ours: an aggregate of the engine's functions. Where a frame is the whole partition, DuckDB (1.4) calls aggregates
 * of its C API with one state where it promises one a row; a frame that ends far behind the partition avoids that. */
static void print_over(printer *p, const skep_bwindow *w, bool is_ours) {
  skep_buf_text(p->out, " OVER (");
  for (uint32_t i = 0; i < w->n_partition; i++) {
    skep_buf_text(p->out, i == 0 ? "PARTITION BY " : ", ");
    skep_print_sort_key(p, w->partition[i]);
  }
  bool values = w->has_frame && !w->rows && (w->start_value != NULL || w->end_value != NULL);
  if (w->n_order != 0) skep_print_order(p, w->order, w->n_order, values);
  if (is_ours && is_whole_partition(w)) {
    skep_buf_text(p->out, " ROWS BETWEEN UNBOUNDED PRECEDING AND 4611686018427387904 FOLLOWING");
  } else if (w->has_frame) {
    skep_buf_text(p->out, w->rows ? " ROWS BETWEEN " : " RANGE BETWEEN ");
    print_bound(p, w->start, w->start_value);
    skep_buf_text(p->out, " AND ");
    print_bound(p, w->end, w->end_value);
  }
  skep_buf_byte(p->out, ')');
}

/* ---- the rest ---- */

static void print_case(printer *p, const skep_bx *bx) {
  skep_buf_text(p->out, "CASE");
  uint32_t i = 0;
  for (; i + 1 < bx->n_args; i += 2) {
    skep_buf_text(p->out, " WHEN ");
    skep_print_bx(p, bx->args[i]);
    skep_buf_text(p->out, " THEN ");
    skep_print_bx(p, bx->args[i + 1]);
  }
  if (i < bx->n_args) {
    skep_buf_text(p->out, " ELSE ");
    skep_print_bx(p, bx->args[i]);
  }
  skep_buf_text(p->out, " END");
}

static void print_in(printer *p, const skep_bx *bx) {
  if (bx->n_args == 1) { /* nothing it could equal */
    skep_buf_text(p->out, "CASE WHEN ");
    skep_print_bx(p, bx->args[0]);
    skep_buf_text(p->out, bx->negated ? " IS NOT NULL THEN TRUE END" : " IS NOT NULL THEN FALSE END");
    return;
  }
  skep_buf_byte(p->out, '(');
  skep_print_bx(p, bx->args[0]);
  skep_buf_text(p->out, bx->negated ? " NOT IN (" : " IN (");
  skep_print_list(p, bx->args + 1, bx->n_args - 1);
  skep_buf_text(p->out, "))");
}

static void print_field(printer *p, const skep_bx *bx) {
  const skep_type *base = bx->args[0]->type;
  if (base->kind == SKEP_LIST) {
    uint32_t v = ++p->lambdas;
    skep_buf_text(p->out, "list_transform(");
    skep_print_bx(p, bx->args[0]);
    skep_buf_printf(p->out, ", lambda v%u: struct_extract_at(v%u, %u))", v, v, bx->position + 1);
    return;
  }
  skep_buf_text(p->out, "struct_extract_at(");
  skep_print_bx(p, bx->args[0]);
  skep_buf_printf(p->out, ", %u)", bx->position + 1);
}

static void print_subquery(printer *p, const skep_bx *bx) {
  bool bare = p->bare_integers;
  p->bare_integers = false;
  skep_buf_text(p->out, bx->sub == SKEP_SUB_EXISTS ? "(EXISTS (" : "(");
  if (bx->n_args != 0) {
    if (bx->n_args > 1) skep_buf_byte(p->out, '(');
    skep_print_list(p, bx->args, bx->n_args);
    if (bx->n_args > 1) skep_buf_byte(p->out, ')');
    if (bx->sub == SKEP_SUB_IN)
      skep_buf_text(p->out, bx->negated ? " NOT IN (" : " IN (");
    else
      skep_buf_printf(p->out, " %s %s (", bx->fn->name, bx->sub == SKEP_SUB_ANY ? "ANY" : "ALL");
  }
  skep_print_bq(p, bx->query);
  skep_buf_text(p->out, bx->sub == SKEP_SUB_SCALAR ? ")" : "))");
  p->bare_integers = bare;
}

void skep_print_bx(printer *p, const skep_bx *bx) {
  if (p->status != SKEP_OK || p->out->status != SKEP_OK) return;
  if (++p->n_nodes > MAX_NODES) {
    p->status = skep_fail(p->err, SKEP_ERR_LIMIT, "a statement that unfolds to more than %d parts", MAX_NODES);
    return;
  }
  operand o = {.bx = bx->n_args != 0 ? bx->args[0] : NULL};
  switch (bx->op) {
    case SKEP_BX_COLUMN:
      print_column(p, bx);
      break;
    case SKEP_BX_CONST:
      print_constant(p, bx);
      break;
    case SKEP_BX_CALL:
      print_call(p, bx);
      break;
    case SKEP_BX_CAST:
      skep_print_cast(p, &o, bx->args[0]->type, bx->type);
      break;
    case SKEP_BX_CASE:
      print_case(p, bx);
      break;
    case SKEP_BX_IN:
      print_in(p, bx);
      break;
    case SKEP_BX_FIELD:
      print_field(p, bx);
      break;
    case SKEP_BX_AGG:
    case SKEP_BX_WINDOW:
      print_aggregate(p, bx);
      break;
    case SKEP_BX_SUBQUERY:
      print_subquery(p, bx);
      break;
    case SKEP_BX_GROUPING:
      skep_buf_text(p->out, "GROUPING(");
      skep_print_list(p, bx->args, bx->n_args);
      skep_buf_byte(p->out, ')');
      break;
  }
}
