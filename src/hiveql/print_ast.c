/* Expressions as HiveQL. Levels are those of operators.h: an operand of a lower level than its place gets brackets. */
#include "hiveql/print_ast.h"

#include "hiveql/keywords.h"
#include "hiveql/operators.h"
#include "hiveql/print_ast_int.h"

/* ---- names, texts
 * ---------------------------------------------------------------------------------------------------- */

static bool is_plain_name(const char *name) {
  if (name[0] < 'a' || name[0] > 'z') return false;
  size_t n = 1;
  for (; name[n] != '\0'; n++) {
    bool fits = (name[n] >= 'a' && name[n] <= 'z') || (name[n] >= '0' && name[n] <= '9') || name[n] == '_';
    if (!fits) return false;
  }
  return true;
}

/* Words that are keywords are quoted even where they are free, so that no place needs a closer look. */
void skep_ast_print_name(const char *name, skep_buf *out) {
  if (is_plain_name(name) && skep_keyword_find(name, strlen(name)) == SKEP_NO_KEYWORD)
    skep_buf_text(out, name);
  else
    skep_buf_quoted(out, '`', name);
}

void skep_ast_print_names(skep_name_list names, skep_buf *out) {
  for (uint32_t i = 0; i < names.n; i++) {
    if (i > 0) skep_buf_text(out, ", ");
    skep_ast_print_name(names.items[i], out);
  }
}

void skep_ast_print_table_name(const skep_table_name *name, skep_buf *out) {
  if (name->db != NULL) {
    skep_ast_print_name(name->db, out);
    skep_buf_byte(out, '.');
  }
  skep_ast_print_name(name->name, out);
  if (name->meta != NULL) {
    skep_buf_byte(out, '.');
    skep_ast_print_name(name->meta, out);
  }
}

void skep_ast_print_string(const char *bytes, size_t length, skep_buf *out) {
  skep_buf_byte(out, '\'');
  for (size_t i = 0; i < length; i++) {
    switch (bytes[i]) {
      case '\'':
      case '\\':
        skep_buf_byte(out, '\\');
        skep_buf_byte(out, (uint8_t)bytes[i]);
        break;
      case '\n':
        skep_buf_text(out, "\\n");
        break;
      case '\r':
        skep_buf_text(out, "\\r");
        break;
      case '\t':
        skep_buf_text(out, "\\t");
        break;
      case '\0':
        skep_buf_text(out, "\\000");
        break;
      default:
        skep_buf_byte(out, (uint8_t)bytes[i]);
        break;
    }
  }
  skep_buf_byte(out, '\'');
}

void skep_ast_print_text(const char *text, skep_buf *out) { skep_ast_print_string(text, strlen(text), out); }

void skep_ast_print_properties(skep_ast_property_list list, skep_buf *out) {
  skep_buf_byte(out, '(');
  for (uint32_t i = 0; i < list.n; i++) {
    if (i > 0) skep_buf_text(out, ", ");
    skep_ast_print_text(list.items[i].key, out);
    if (list.items[i].value == NULL) continue;
    skep_buf_byte(out, '=');
    skep_ast_print_text(list.items[i].value, out);
  }
  skep_buf_byte(out, ')');
}

/* As skep_type_print, but field names as this grammar quotes them. */
void skep_ast_print_type(const skep_type *type, skep_buf *out) {
  if (!skep_kind_is_nested(type->kind)) {
    skep_type_print(type, out);
    return;
  }
  skep_buf_text(out, skep_kind_name(type->kind));
  skep_buf_byte(out, '<');
  for (uint32_t i = 0; i < type->n_children; i++) {
    if (i > 0) skep_buf_text(out, ", ");
    if (type->kind == SKEP_STRUCT) {
      skep_ast_print_name(type->names[i], out);
      skep_buf_byte(out, ':');
    }
    skep_ast_print_type(type->children[i], out);
  }
  skep_buf_byte(out, '>');
}

/* ---- literals
 * -------------------------------------------------------------------------------------------------------- */

static bool holds(const skep_expr *literal, const char *any) {
  for (size_t i = 0; i < literal->literal.length; i++) {
    if (strchr(any, literal->literal.bytes[i]) != NULL) return true;
  }
  return false;
}

static void print_prefixed(const char *word, const skep_expr *e, skep_buf *out) {
  skep_buf_text(out, word);
  skep_ast_print_string(e->literal.bytes, e->literal.length, out);
}

/* A text of digits keeps its kind when it is read again: by its looks, or by a suffix. */
static void print_digits(const skep_expr *e, skep_buf *out) {
  size_t digits = 0;
  for (size_t i = 0; i < e->literal.length; i++) digits += e->literal.bytes[i] != '.';
  bool exponent = holds(e, "eE");
  bool decimal = holds(e, ".") && !exponent && digits <= 38;
  skep_buf_add(out, e->literal.bytes, e->literal.length);
  if (e->literal.kind == SKEP_LITERAL_DOUBLE && !exponent) skep_buf_byte(out, 'D');
  if (e->literal.kind == SKEP_LITERAL_DECIMAL && !decimal) skep_buf_text(out, "BD");
}

static void print_literal(const skep_expr *e, skep_buf *out) {
  switch (e->literal.kind) {
    case SKEP_LITERAL_NULL:
      skep_buf_text(out, "NULL");
      break;
    case SKEP_LITERAL_BOOLEAN:
      skep_buf_text(out, e->literal.i64 != 0 ? "TRUE" : "FALSE");
      break;
    case SKEP_LITERAL_TINYINT:
      skep_buf_printf(out, "%lldY", (long long)e->literal.i64);
      break;
    case SKEP_LITERAL_SMALLINT:
      skep_buf_printf(out, "%lldS", (long long)e->literal.i64);
      break;
    case SKEP_LITERAL_INT:
      skep_buf_i64(out, e->literal.i64);
      break;
    case SKEP_LITERAL_BIGINT:
      skep_buf_printf(out, "%lldL", (long long)e->literal.i64);
      break;
    case SKEP_LITERAL_DECIMAL:
    case SKEP_LITERAL_DOUBLE:
      print_digits(e, out);
      break;
    case SKEP_LITERAL_STRING:
      skep_ast_print_string(e->literal.bytes, e->literal.length, out);
      break;
    case SKEP_LITERAL_DATE:
      print_prefixed("DATE ", e, out);
      break;
    case SKEP_LITERAL_TIMESTAMP:
      print_prefixed("TIMESTAMP ", e, out);
      break;
    case SKEP_LITERAL_TIMESTAMP_TZ:
      print_prefixed("TIMESTAMPLOCALTZ ", e, out);
      break;
  }
}

/* ---- operators
 * ------------------------------------------------------------------------------------------------------- */

static int level_of(const skep_expr *e) {
  switch (e->kind) {
    case SKEP_EXPR_LITERAL:
      return e->literal.kind >= SKEP_LITERAL_TINYINT && e->literal.i64 < 0 ? SKEP_LEVEL_UNARY : SKEP_LEVEL_POSTFIX;
    case SKEP_EXPR_UNARY:
      if (e->unary.op == SKEP_OP_NOT) return SKEP_LEVEL_NOT;
      return e->unary.op <= SKEP_OP_BIT_NOT ? SKEP_LEVEL_UNARY : SKEP_LEVEL_IS;
    case SKEP_EXPR_BINARY:
      return skep_operators[e->binary.op].level;
    case SKEP_EXPR_BETWEEN:
    case SKEP_EXPR_IN_LIST:
    case SKEP_EXPR_IN_QUERY:
    case SKEP_EXPR_EXISTS:
    case SKEP_EXPR_QUANTIFIED:
    case SKEP_EXPR_LIKE_LIST:
      return SKEP_LEVEL_SIMILAR;
    default:
      return SKEP_LEVEL_POSTFIX;
  }
}

static void print_at(const skep_expr *e, int least, skep_buf *out) {
  bool brackets = level_of(e) < least;
  if (brackets) skep_buf_byte(out, '(');
  skep_print_expr(e, out);
  if (brackets) skep_buf_byte(out, ')');
}

static void print_unary(const skep_expr *e, skep_buf *out) {
  static const char *const behind[] = {
      [SKEP_OP_IS_NULL] = " IS NULL",       [SKEP_OP_IS_NOT_NULL] = " IS NOT NULL",
      [SKEP_OP_IS_TRUE] = " IS TRUE",       [SKEP_OP_IS_NOT_TRUE] = " IS NOT TRUE",
      [SKEP_OP_IS_FALSE] = " IS FALSE",     [SKEP_OP_IS_NOT_FALSE] = " IS NOT FALSE",
      [SKEP_OP_IS_UNKNOWN] = " IS UNKNOWN", [SKEP_OP_IS_NOT_UNKNOWN] = " IS NOT UNKNOWN",
  };
  const skep_expr *operand = e->unary.operand;
  switch (e->unary.op) {
    case SKEP_OP_NOT:
      skep_buf_text(out, "NOT ");
      print_at(operand, SKEP_LEVEL_NOT, out);
      return;
    case SKEP_OP_NEGATE:
      /* "--" would begin a comment. */
      skep_buf_text(out, level_of(operand) == SKEP_LEVEL_UNARY ? "- " : "-");
      break;
    case SKEP_OP_PLUS:
      skep_buf_byte(out, '+');
      break;
    case SKEP_OP_BIT_NOT:
      skep_buf_byte(out, '~');
      break;
    default:
      print_at(operand, SKEP_LEVEL_IS + 1, out);
      skep_buf_text(out, behind[e->unary.op]);
      return;
  }
  print_at(operand, SKEP_LEVEL_UNARY, out);
}

static void print_binary(const skep_expr *e, skep_buf *out) {
  int level = skep_operators[e->binary.op].level;
  print_at(e->binary.left, level == SKEP_LEVEL_SIMILAR ? level + 1 : level, out);
  skep_buf_printf(out, " %s ", skep_operators[e->binary.op].text);
  print_at(e->binary.right, level + 1, out);
}

static void print_query_in(const skep_query *query, skep_buf *out) {
  skep_buf_byte(out, '(');
  skep_print_query(query, out);
  skep_buf_byte(out, ')');
}

static void print_list_in(skep_expr_list list, skep_buf *out) {
  skep_buf_byte(out, '(');
  skep_ast_print_exprs(list, out);
  skep_buf_byte(out, ')');
}

static void print_condition(const skep_expr *e, skep_buf *out) {
  switch (e->kind) {
    case SKEP_EXPR_BETWEEN:
      print_at(e->between.value, SKEP_LEVEL_BIT_OR, out);
      skep_buf_text(out, e->between.negated ? " NOT BETWEEN " : " BETWEEN ");
      print_at(e->between.low, SKEP_LEVEL_BIT_OR, out);
      skep_buf_text(out, " AND ");
      print_at(e->between.high, SKEP_LEVEL_BIT_OR, out);
      break;
    case SKEP_EXPR_IN_LIST:
      print_at(e->in_list.value, SKEP_LEVEL_BIT_OR, out);
      skep_buf_text(out, e->in_list.negated ? " NOT IN " : " IN ");
      print_list_in(e->in_list.items, out);
      break;
    case SKEP_EXPR_IN_QUERY:
      print_at(e->in_query.value, SKEP_LEVEL_BIT_OR, out);
      skep_buf_text(out, e->in_query.negated ? " NOT IN " : " IN ");
      print_query_in(e->in_query.query, out);
      break;
    case SKEP_EXPR_QUANTIFIED:
      print_at(e->quantified.value, SKEP_LEVEL_BIT_OR, out);
      skep_buf_printf(out, " %s %s ", skep_operators[e->quantified.op].text, e->quantified.all ? "ALL" : "ANY");
      print_query_in(e->quantified.query, out);
      break;
    default:
      print_at(e->like_list.value, SKEP_LEVEL_BIT_OR, out);
      skep_buf_printf(out, "%s LIKE %s ", e->like_list.negated ? " NOT" : "", e->like_list.all ? "ALL" : "ANY");
      print_list_in(e->like_list.patterns, out);
      break;
  }
}

/* ---- calls, windows
 * -------------------------------------------------------------------------------------------------- */

void skep_ast_print_exprs(skep_expr_list list, skep_buf *out) {
  for (uint32_t i = 0; i < list.n; i++) {
    if (i > 0) skep_buf_text(out, ", ");
    skep_print_expr(list.items[i], out);
  }
}

void skep_ast_print_order(skep_order_list list, skep_buf *out) {
  for (uint32_t i = 0; i < list.n; i++) {
    const skep_order_item *item = &list.items[i];
    if (i > 0) skep_buf_text(out, ", ");
    skep_print_expr(item->expr, out);
    if (item->descending) skep_buf_text(out, " DESC");
    if (item->nulls != SKEP_NULLS_DEFAULT) {
      skep_buf_text(out, item->nulls == SKEP_NULLS_FIRST ? " NULLS FIRST" : " NULLS LAST");
    }
  }
}

static void print_bound(const skep_window_bound *bound, skep_buf *out) {
  static const char *const texts[] = {
      [SKEP_BOUND_UNBOUNDED_PRECEDING] = "UNBOUNDED PRECEDING",
      [SKEP_BOUND_PRECEDING] = " PRECEDING",
      [SKEP_BOUND_CURRENT_ROW] = "CURRENT ROW",
      [SKEP_BOUND_FOLLOWING] = " FOLLOWING",
      [SKEP_BOUND_UNBOUNDED_FOLLOWING] = "UNBOUNDED FOLLOWING",
  };
  if (bound->value != NULL) skep_print_expr(bound->value, out);
  skep_buf_text(out, texts[bound->kind]);
}

/* '(' ... ')' */
void skep_ast_print_window(const skep_window *w, skep_buf *out) {
  const char *join = "";
  skep_buf_byte(out, '(');
  if (w->base != NULL) {
    skep_ast_print_name(w->base, out);
    join = " ";
  }
  if (w->partition_by.n > 0) {
    skep_buf_printf(out, "%sPARTITION BY ", join);
    skep_ast_print_exprs(w->partition_by, out);
    join = " ";
  }
  if (w->order_by.n > 0) {
    skep_buf_printf(out, "%sORDER BY ", join);
    skep_ast_print_order(w->order_by, out);
    join = " ";
  }
  if (w->has_frame) {
    skep_buf_printf(out, "%s%s BETWEEN ", join, w->is_rows ? "ROWS" : "RANGE");
    print_bound(&w->start, out);
    skep_buf_text(out, " AND ");
    print_bound(&w->end, out);
  }
  skep_buf_byte(out, ')');
}

/* A function's name is bare where the parser takes it for one: TRIM and FLOOR have forms of their own. */
static void print_function_name(const skep_call *call, skep_buf *out) {
  skep_keyword keyword = skep_keyword_find(call->name, strlen(call->name));
  bool plain = !call->distinct && !call->star && call->nulls == SKEP_TREAT_DEFAULT && call->over == NULL &&
               call->within_group.n == 0 && call->args.n == 1;
  bool bare = keyword == SKEP_KW_TRIM || keyword == SKEP_KW_FLOOR
                  ? plain
                  : !skep_keyword_reserved(keyword) || skep_keyword_names_function(keyword);
  if (call->db != NULL) {
    skep_ast_print_name(call->db, out);
    skep_buf_byte(out, '.');
    bare = keyword == SKEP_NO_KEYWORD;
  }
  if (bare && is_plain_name(call->name))
    skep_buf_text(out, call->name);
  else
    skep_buf_quoted(out, '`', call->name);
}

static void print_call(const skep_call *call, skep_buf *out) {
  print_function_name(call, out);
  skep_buf_text(out, call->distinct ? "(DISTINCT " : "(");
  if (call->star) skep_buf_byte(out, '*');
  skep_ast_print_exprs(call->args, out);
  skep_buf_byte(out, ')');
  if (call->nulls != SKEP_TREAT_DEFAULT) {
    skep_buf_text(out, call->nulls == SKEP_TREAT_IGNORE ? " IGNORE NULLS" : " RESPECT NULLS");
  }
  if (call->within_group.n > 0) {
    skep_buf_text(out, " WITHIN GROUP (ORDER BY ");
    skep_ast_print_order(call->within_group, out);
    skep_buf_byte(out, ')');
  }
  const skep_window *over = call->over;
  if (over == NULL) return;
  skep_buf_text(out, " OVER ");
  bool named = over->base != NULL && over->partition_by.n == 0 && over->order_by.n == 0 && !over->has_frame;
  if (named)
    skep_ast_print_name(over->base, out);
  else
    skep_ast_print_window(over, out);
}

/* ---- the rest
 * -------------------------------------------------------------------------------------------------------- */

static void print_case(const skep_expr *e, skep_buf *out) {
  skep_buf_text(out, "CASE");
  if (e->cases.operand != NULL) {
    skep_buf_byte(out, ' ');
    skep_print_expr(e->cases.operand, out);
  }
  for (uint32_t i = 0; i < e->cases.n_whens; i++) {
    skep_buf_text(out, " WHEN ");
    skep_print_expr(e->cases.whens[i].when, out);
    skep_buf_text(out, " THEN ");
    skep_print_expr(e->cases.whens[i].then, out);
  }
  if (e->cases.otherwise != NULL) {
    skep_buf_text(out, " ELSE ");
    skep_print_expr(e->cases.otherwise, out);
  }
  skep_buf_text(out, " END");
}

static void print_interval(const skep_expr *e, skep_buf *out) {
  static const char *const units[] = {
      [SKEP_UNIT_YEAR] = "YEAR",
      [SKEP_UNIT_MONTH] = "MONTH",
      [SKEP_UNIT_DAY] = "DAY",
      [SKEP_UNIT_HOUR] = "HOUR",
      [SKEP_UNIT_MINUTE] = "MINUTE",
      [SKEP_UNIT_SECOND] = "SECOND",
      [SKEP_UNIT_YEAR_TO_MONTH] = "YEAR TO MONTH",
      [SKEP_UNIT_DAY_TO_SECOND] = "DAY TO SECOND",
  };
  const skep_expr *value = e->interval.value;
  bool bare =
      value->kind == SKEP_EXPR_LITERAL && (value->literal.kind == SKEP_LITERAL_STRING ||
                                           (value->literal.kind == SKEP_LITERAL_INT && value->literal.i64 >= 0));
  skep_buf_text(out, bare ? "INTERVAL " : "INTERVAL (");
  skep_print_expr(value, out);
  skep_buf_printf(out, "%s %s", bare ? "" : ")", units[e->interval.unit]);
}

/* What stands before '[' or '.'. A name before '.' in brackets is a value, without them a longer name. */
static void print_base(const skep_expr *base, bool field, skep_buf *out) {
  bool bare = base->kind == SKEP_EXPR_CALL || base->kind == SKEP_EXPR_INDEX || base->kind == SKEP_EXPR_FIELD ||
              base->kind == SKEP_EXPR_CASE || base->kind == SKEP_EXPR_CAST || base->kind == SKEP_EXPR_SCALAR_QUERY ||
              base->kind == SKEP_EXPR_TUPLE || (base->kind == SKEP_EXPR_NAME && !field);
  if (!bare) skep_buf_byte(out, '(');
  skep_print_expr(base, out);
  if (!bare) skep_buf_byte(out, ')');
}

static void print_path(const skep_expr *e, skep_buf *out) {
  for (uint32_t i = 0; i < e->name.n; i++) {
    if (i > 0) skep_buf_byte(out, '.');
    skep_ast_print_name(e->name.items[i], out);
  }
  if (e->kind == SKEP_EXPR_STAR) skep_buf_text(out, e->name.n > 0 ? ".*" : "*");
}

static void print_cast(const skep_expr *e, skep_buf *out) {
  skep_buf_text(out, "CAST(");
  skep_print_expr(e->cast.value, out);
  skep_buf_text(out, " AS ");
  skep_ast_print_type(e->cast.type, out);
  if (e->cast.format != NULL) {
    skep_buf_text(out, " FORMAT ");
    skep_ast_print_text(e->cast.format, out);
  }
  skep_buf_byte(out, ')');
}

void skep_print_expr(const skep_expr *e, skep_buf *out) {
  switch (e->kind) {
    case SKEP_EXPR_LITERAL:
      print_literal(e, out);
      break;
    case SKEP_EXPR_NAME:
    case SKEP_EXPR_STAR:
      print_path(e, out);
      break;
    case SKEP_EXPR_COLUMN_REGEX:
      skep_buf_printf(out, "`%s`", e->regex.pattern);
      break;
    case SKEP_EXPR_UNARY:
      print_unary(e, out);
      break;
    case SKEP_EXPR_BINARY:
      print_binary(e, out);
      break;
    case SKEP_EXPR_BETWEEN:
    case SKEP_EXPR_IN_LIST:
    case SKEP_EXPR_IN_QUERY:
    case SKEP_EXPR_QUANTIFIED:
    case SKEP_EXPR_LIKE_LIST:
      print_condition(e, out);
      break;
    case SKEP_EXPR_EXISTS:
      skep_buf_text(out, "EXISTS ");
      print_query_in(e->query, out);
      break;
    case SKEP_EXPR_SCALAR_QUERY:
      print_query_in(e->query, out);
      break;
    case SKEP_EXPR_CASE:
      print_case(e, out);
      break;
    case SKEP_EXPR_CAST:
      print_cast(e, out);
      break;
    case SKEP_EXPR_CALL:
      print_call(e->call, out);
      break;
    case SKEP_EXPR_INDEX:
      print_base(e->index.base, false, out);
      skep_buf_byte(out, '[');
      skep_print_expr(e->index.index, out);
      skep_buf_byte(out, ']');
      break;
    case SKEP_EXPR_FIELD:
      print_base(e->field.base, true, out);
      skep_buf_byte(out, '.');
      skep_ast_print_name(e->field.name, out);
      break;
    case SKEP_EXPR_TUPLE:
      print_list_in(e->tuple, out);
      break;
    case SKEP_EXPR_INTERVAL:
      print_interval(e, out);
      break;
    case SKEP_EXPR_DEFAULT:
      skep_buf_text(out, "DEFAULT");
      break;
    case SKEP_EXPR_PARAMETER:
      skep_buf_byte(out, '?');
      break;
    case SKEP_EXPR_KIND_COUNT:
      break;
  }
}
