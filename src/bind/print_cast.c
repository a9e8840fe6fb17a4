/* Conversions as SQL: Hive's CAST rules (hiveql.md 2.6) over the carriers. Where DuckDB's CAST differs (rounding
 * instead of cutting, errors instead of NULL or of wrapping) a registered function does it. */
#include <stdio.h>

#include "bind/print_int.h"

static void print_operand(printer *p, const operand *from) {
  if (from->bx != NULL) {
    skep_print_bx(p, from->bx);
  } else if (from->variable != 0) {
    skep_buf_printf(p->out, "v%u", from->variable);
  } else {
    skep_buf_text(p->out, "struct_extract_at(");
    print_operand(p, from->parent);
    skep_buf_printf(p->out, ", %u)", from->field);
  }
}

static void around(printer *p, const char *before, const operand *from, const char *after) {
  skep_buf_text(p->out, before);
  print_operand(p, from);
  skep_buf_text(p->out, after);
}

static void plain_cast(printer *p, const char *how, const operand *from, const skep_type *to) {
  skep_buf_printf(p->out, "%s(", how);
  print_operand(p, from);
  skep_buf_text(p->out, " AS ");
  skep_print_carrier(to, p->out);
  skep_buf_byte(p->out, ')');
}

static void to_integer(printer *p, const operand *from, const skep_type *f, const skep_type *to) {
  static const char *const wraps[] = {
      [SKEP_TINYINT] = "skep_wrap_i8(", [SKEP_SMALLINT] = "skep_wrap_i16(", [SKEP_INT] = "skep_wrap_i32("};
  static const char *const parses[] = {[SKEP_TINYINT] = "skep_parse_i8(",
                                       [SKEP_SMALLINT] = "skep_parse_i16(",
                                       [SKEP_INT] = "skep_parse_i32(",
                                       [SKEP_BIGINT] = "skep_parse_i64("};
  if (skep_rule_is_string(f)) {
    around(p, parses[to->kind], from, ")");
  } else if (skep_rule_is_float(f)) {
    if (to->kind == SKEP_BIGINT)
      around(p, "skep_f64_i64(CAST(", from, " AS DOUBLE))");
    else if (to->kind == SKEP_INT)
      around(p, "skep_f64_i32(CAST(", from, " AS DOUBLE))");
    else {
      skep_buf_text(p->out, wraps[to->kind]);
      around(p, "CAST(skep_f64_i32(CAST(", from, " AS DOUBLE)) AS BIGINT))");
    }
  } else if (f->kind == SKEP_DECIMAL) {
    static const char *const cuts[] = {[SKEP_TINYINT] = "skep_decimal_i8(",
                                       [SKEP_SMALLINT] = "skep_decimal_i16(",
                                       [SKEP_INT] = "skep_decimal_i32(",
                                       [SKEP_BIGINT] = "skep_decimal_i64("};
    around(p, cuts[to->kind], from, ")");
  } else if (f->kind == SKEP_BOOLEAN || f->kind <= to->kind) {
    plain_cast(p, "CAST", from, to);
  } else if (f->kind == SKEP_DATE) { /* Hive has no number for a date */
    skep_buf_text(p->out, "CAST(NULL AS ");
    skep_print_carrier(to, p->out);
    skep_buf_byte(p->out, ')');
  } else if (skep_rule_is_time(f)) {
    around(p, "TRY_CAST(skep_ts_seconds(", from, ") AS ");
    skep_print_carrier(to, p->out);
    skep_buf_byte(p->out, ')');
  } else {
    skep_buf_text(p->out, wraps[to->kind]);
    around(p, "CAST(", from, " AS BIGINT))");
  }
}

static void to_float(printer *p, const operand *from, const skep_type *f, const skep_type *to) {
  bool wide = to->kind == SKEP_DOUBLE;
  if (skep_rule_is_string(f)) {
    around(p, wide ? "skep_parse_f64(" : "skep_parse_f32(", from, ")");
  } else if (f->kind == SKEP_DECIMAL && (f->precision > 15 || !wide)) { /* through its text: rounded once */
    around(p, wide ? "skep_decimal_f64(" : "skep_parse_f32(skep_decimal_str(", from, wide ? ")" : "))");
  } else if (f->kind == SKEP_DOUBLE && !wide) {
    around(p, "skep_f64_f32(", from, ")");
  } else if (skep_rule_is_time(f)) {
    skep_buf_text(p->out, f->kind == SKEP_DATE ? "CAST(skep_ts_seconds(skep_date_ts(" : "CAST(skep_ts_seconds((");
    around(p, "", from, wide ? ")) AS DOUBLE)" : ")) AS FLOAT)");
  } else if (f->kind == SKEP_BOOLEAN) {
    around(p, "CAST(CAST(", from, wide ? " AS INTEGER) AS DOUBLE)" : " AS INTEGER) AS FLOAT)");
  } else {
    plain_cast(p, "CAST", from, to);
  }
}

static void to_decimal(printer *p, const operand *from, const skep_type *f, const skep_type *to) {
  if (f->kind == SKEP_TIMESTAMP) {
    skep_buf_printf(p->out, "skep_decimal_div_%u_%u(", to->precision, to->scale);
    around(p, "CAST(", from, " AS DECIMAL(38,0)), 1000000000)");
    return;
  }
  bool fits = f->kind == SKEP_DECIMAL && to->scale >= f->scale && to->precision - to->scale >= f->precision - f->scale;
  unsigned digits = 0, scale = 0;
  if (skep_rule_is_integer(f)) {
    skep_rule_digits(f, &digits, &scale);
    fits = to->precision - to->scale >= (int)digits;
  }
  if (fits) {
    plain_cast(p, "CAST", from, to);
  } else if (f->kind == SKEP_BOOLEAN) {
    around(p, "TRY_CAST(CAST(", from, " AS INTEGER) AS ");
    skep_print_carrier(to, p->out);
    skep_buf_byte(p->out, ')');
  } else if (skep_rule_is_integer(f) || f->kind == SKEP_DECIMAL) {
    plain_cast(p, "TRY_CAST", from, to);
  } else {
    skep_buf_printf(p->out, "skep_to_decimal_%u_%u(", to->precision, to->scale);
    around(p, "", from, ")");
  }
}

static void to_string(printer *p, const operand *from, const skep_type *f) {
  if (skep_rule_is_string(f))
    print_operand(p, from);
  else if (f->kind == SKEP_BINARY)
    around(p, "skep_text(", from, ")");
  else if (f->kind == SKEP_DECIMAL) {
    around(p, "skep_decimal_str(", from, ")");
  } else if (skep_rule_is_integer(f)) {
    around(p, "CAST(", from, " AS VARCHAR)");
  } else if (f->kind == SKEP_KIND_INTERVAL_YM) {
    around(p, "skep_str_months(", from, ")");
  } else if (f->kind == SKEP_KIND_INTERVAL_DT) {
    around(p, "skep_str_interval(", from, ")");
  } else if (f->kind == SKEP_TIMESTAMP_TZ) {
    around(p, "skep_str_tstz(", from, ", 'UTC')");
  } else if (skep_rule_is_void(f)) {
    around(p, "CAST(", from, " AS VARCHAR)");
  } else {
    around(p, "skep_str(", from, ")");
  }
}

static void to_text(printer *p, const operand *from, const skep_type *f, const skep_type *to) {
  bool fits = f->kind == to->kind && f->length <= to->length;
  if (fits || to->kind == SKEP_STRING) {
    to_string(p, from, f);
    return;
  }
  skep_buf_text(p->out, to->kind == SKEP_CHAR ? "skep_rtrim_blanks(skep_cut(" : "skep_cut(");
  to_string(p, from, f);
  skep_buf_printf(p->out, ", %u::INTEGER)%s", to->length, to->kind == SKEP_CHAR ? ")" : "");
}

static void to_boolean(printer *p, const operand *from, const skep_type *f) {
  if (skep_rule_is_string(f))
    around(p, "skep_parse_bool(", from, ")");
  else if (skep_rule_is_time(f))
    around(p, "(skep_ts_seconds(", from, ") <> 0)");
  else
    around(p, "(", from, " <> 0)");
}

static void to_time(printer *p, const operand *from, const skep_type *f, const skep_type *to) {
  if (to->kind == SKEP_DATE) {
    around(p, skep_rule_is_string(f) ? "skep_parse_date(" : "skep_ts_date(", from, ")");
    return;
  }
  if (skep_rule_is_string(f)) {
    if (to->kind == SKEP_TIMESTAMP)
      around(p, "skep_parse_ts(", from, ")");
    else
      around(p, "skep_parse_tstz(", from, ", 'UTC')");
  } else if (f->kind == SKEP_DATE) {
    around(p, "skep_date_ts(", from, ")");
  } else if (skep_rule_is_time(f)) {
    print_operand(p, from); /* the session's zone is UTC: the same nanoseconds */
  } else if (f->kind == SKEP_BOOLEAN || skep_rule_is_integer(f)) {
    around(p, "(CAST(", from, " AS HUGEINT) * 1000000)"); /* milliseconds */
  } else if (f->kind == SKEP_DECIMAL) {
    around(p, "CAST(skep_decimal_mul_38_0(", from, ", 1000000000) AS HUGEINT)");
  } else {
    around(p, "CAST(skep_decimal_mul_38_0(skep_to_decimal_38_9(", from, "), 1000000000) AS HUGEINT)");
  }
}

/* Rebuilds a nested value with its parts converted. */
static void to_nested(printer *p, const operand *from, const skep_type *f, const skep_type *to) {
  if (to->kind == SKEP_STRUCT || to->kind == SKEP_UNION) {
    around(p, "CASE WHEN ", from, " IS NOT NULL THEN struct_pack(");
    uint32_t first = to->kind == SKEP_UNION ? 2 : 1;
    if (to->kind == SKEP_UNION) around(p, "tag := struct_extract_at(", from, ", 1)");
    for (uint32_t i = 0; i < to->n_children; i++) {
      if (i != 0 || first == 2) skep_buf_text(p->out, ", ");
      char name[24];
      snprintf(name, sizeof name, "f%u", i);
      skep_engine_print_identifier(to->kind == SKEP_UNION ? name : to->names[i], p->out);
      skep_buf_text(p->out, " := ");
      operand part = {.parent = from, .field = first + i};
      skep_print_cast(p, &part, f->children[i], to->children[i]);
    }
    skep_buf_text(p->out, ") END");
    return;
  }
  bool map = to->kind == SKEP_MAP;
  uint32_t variable = ++p->lambdas;
  operand element = {.variable = variable};
  around(p, map ? "map_from_entries(list_transform(map_entries(" : "list_transform(", from, map ? ")" : "");
  skep_buf_printf(p->out, ", lambda v%u: ", variable);
  if (map) {
    operand key = {.parent = &element, .field = 1}, value = {.parent = &element, .field = 2};
    skep_buf_text(p->out, "struct_pack(key := ");
    skep_print_cast(p, &key, f->children[0], to->children[0]);
    skep_buf_text(p->out, ", value := ");
    skep_print_cast(p, &value, f->children[1], to->children[1]);
    skep_buf_text(p->out, "))");
  } else {
    skep_print_cast(p, &element, f->children[0], to->children[0]);
  }
  skep_buf_byte(p->out, ')');
}

/* A NULL that has to be asked for: assert_true(..), or a column that may be one's. As a string it is carried already.
 */
static bool may_fail(const operand *from, const skep_type *to) {
  if (from->bx == NULL) return false;
  if (from->bx->op == SKEP_BX_CALL || from->bx->op == SKEP_BX_CASE) return true;
  return from->bx->op == SKEP_BX_COLUMN && to->kind == SKEP_STRING;
}

void skep_print_cast(printer *p, const operand *from, const skep_type *f, const skep_type *to) {
  if (skep_rule_equal(f, to)) {
    print_operand(p, from);
    return;
  }
  if (skep_rule_is_void(f) && may_fail(from, to)) {
    plain_cast(p, "CAST", from, to);
    return;
  }
  if (skep_rule_is_void(f)) {
    skep_buf_text(p->out, "CAST(NULL AS ");
    skep_print_carrier(to, p->out);
    skep_buf_byte(p->out, ')');
    return;
  }
  switch ((int)to->kind) {
    case SKEP_BOOLEAN:
      to_boolean(p, from, f);
      break;
    case SKEP_TINYINT:
    case SKEP_SMALLINT:
    case SKEP_INT:
    case SKEP_BIGINT:
      to_integer(p, from, f, to);
      break;
    case SKEP_FLOAT:
    case SKEP_DOUBLE:
      to_float(p, from, f, to);
      break;
    case SKEP_DECIMAL:
      to_decimal(p, from, f, to);
      break;
    case SKEP_STRING:
    case SKEP_CHAR:
    case SKEP_VARCHAR:
      to_text(p, from, f, to);
      break;
    case SKEP_BINARY:
      around(p, "encode(", from, ")");
      break;
    case SKEP_DATE:
    case SKEP_TIMESTAMP:
    case SKEP_TIMESTAMP_TZ:
      to_time(p, from, f, to);
      break;
    case SKEP_LIST:
    case SKEP_MAP:
    case SKEP_STRUCT:
    case SKEP_UNION:
      to_nested(p, from, f, to);
      break;
    default:
      skep_print_refuse(p, "this conversion");
      break;
  }
}
