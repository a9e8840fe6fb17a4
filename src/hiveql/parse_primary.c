/* Operands: literals, names, calls, CASE, CAST, and what begins with a bracket.
 *
 *   postfix  := primary ('[' expr ']' | '.' name)*
 *   primary  := literal | interval | name ('.' name)* | call | case | cast | '(' query ')' | '(' expr (',' expr)* ')' |
 * '?' literal  := NULL | TRUE | FALSE | STRING+ | number | (DATE | TIMESTAMP | TIMESTAMPLOCALTZ) STRING interval :=
 * INTERVAL (STRING | NUMBER | '(' expr ')') unit | (STRING | NUMBER | '(' (STRING | NUMBER) ')') unit unit     := YEAR
 * [TO MONTH] | MONTH | DAY [TO SECOND] | HOUR | MINUTE | SECOND        (plurals too) case     := CASE [expr] (WHEN expr
 * THEN expr)+ [ELSE expr] END cast     := CAST '(' expr AS type [FORMAT STRING] ')' call     := [name '.'] name '('
 * ['*' | [DISTINCT | ALL] argument (',' argument)*] ')'
 *               [(IGNORE | RESPECT) NULLS] [OVER (name | window) | WITHIN GROUP '(' ORDER BY order (',' order)* ')']
 *             | EXTRACT '(' part FROM expr ')' | FLOOR '(' expr [TO part] ')' | CURRENT_DATE | CURRENT_TIMESTAMP
 *             | TRIM '(' [LEADING | TRAILING | BOTH] [expr] FROM expr ')'
 *   argument := expr | '*' | name ('.' name)* '.' '*'
 *
 * Source: hiveql.md 1.4, 5.6, 8. */
#include "hiveql/parse_int.h"

static const skep_expr *finish(skep_parser *p, skep_expr expr, skep_pos start) {
  expr.pos = skep_p_end(p, start);
  return SKEP_P_NEW(p, expr);
}

/* ---- literals -----------------------------------------------------------------------------------------------------
 */

static const skep_expr *word_literal(skep_parser *p, skep_literal_kind kind, int64_t value) {
  skep_expr expr = {.kind = SKEP_EXPR_LITERAL};
  skep_pos start = skep_p_begin(p);
  expr.literal.kind = kind;
  expr.literal.i64 = value;
  skep_p_next(p);
  return finish(p, expr, start);
}

/* Digits as a number: false when beyond 64 bits. */
static bool digits_value(const char *text, size_t n, int64_t *out) {
  uint64_t value = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t digit = (uint64_t)(text[i] - '0');
    if (value > (INT64_MAX - digit) / 10) return false;
    value = value * 10 + digit;
  }
  *out = (int64_t)value;
  return true;
}

static void bad_number(skep_parser *p, const skep_token *token) {
  char shown[80];
  skep_p_refuse(p, SKEP_ERR_SEMANTIC, "SemanticException [Error 10029]: Line %u:%u Invalid numerical constant '%s'",
                token->line, token->column, skep_quote(shown, sizeof shown, p->text + token->offset, token->length));
}

/* L, S, Y */
static bool integral(skep_parser *p, const skep_token *token, skep_expr *out) {
  const char *text = p->text + token->offset;
  size_t n = token->length - 1;
  int64_t value, most = INT64_MAX;
  out->literal.kind = SKEP_LITERAL_BIGINT;
  if (text[n] == 'S' || text[n] == 's') {
    out->literal.kind = SKEP_LITERAL_SMALLINT;
    most = INT16_MAX;
  } else if (text[n] == 'Y' || text[n] == 'y') {
    out->literal.kind = SKEP_LITERAL_TINYINT;
    most = INT8_MAX;
  }
  if (!digits_value(text, n, &value) || value > most) {
    bad_number(p, token);
    return false;
  }
  out->literal.i64 = value;
  return true;
}

/* More digits than a DECIMAL holds: leading zeros before the point do not count. */
static bool beyond_decimal(const char *text, size_t n) {
  size_t digits = 0;
  bool fraction = false;
  for (size_t i = 0; i < n; i++) {
    if (text[i] == '.') {
      fraction = true;
    } else if (digits > 0 || text[i] != '0' || fraction) {
      digits++;
    }
  }
  return digits > 38;
}

/* Without suffix: by its looks. */
static void plain_number(const skep_parser *p, const skep_token *token, skep_expr *out) {
  const char *text = p->text + token->offset;
  size_t n = token->length;
  bool exponent = memchr(text, 'e', n) != NULL || memchr(text, 'E', n) != NULL;
  if (!exponent && memchr(text, '.', n) == NULL && digits_value(text, n, &out->literal.i64)) {
    out->literal.kind = out->literal.i64 <= INT32_MAX ? SKEP_LITERAL_INT : SKEP_LITERAL_BIGINT;
  } else {
    out->literal.kind = exponent || beyond_decimal(text, n) ? SKEP_LITERAL_DOUBLE : SKEP_LITERAL_DECIMAL;
  }
}

static const skep_expr *number(skep_parser *p) {
  const skep_token *token = skep_p_peek(p, 0);
  skep_expr expr = {.kind = SKEP_EXPR_LITERAL};
  size_t suffix = 0;
  if (token->kind == SKEP_TOKEN_INTEGRAL) {
    if (!integral(p, token, &expr)) return NULL;
  } else if (token->kind == SKEP_TOKEN_NUMBER) {
    plain_number(p, token, &expr);
  } else {
    expr.literal.kind = token->kind == SKEP_TOKEN_DOUBLE ? SKEP_LITERAL_DOUBLE : SKEP_LITERAL_DECIMAL;
    suffix = token->kind == SKEP_TOKEN_DOUBLE ? 1 : 2;
  }
  if (expr.literal.kind == SKEP_LITERAL_DECIMAL || expr.literal.kind == SKEP_LITERAL_DOUBLE) {
    expr.literal.length = token->length - suffix;
    expr.literal.bytes = skep_arena_strndup(p->arena, p->text + token->offset, expr.literal.length);
    if (expr.literal.bytes == NULL) skep_p_no_memory(p);
  }
  expr.pos = skep_p_begin(p);
  skep_p_next(p);
  return SKEP_P_NEW(p, expr);
}

/* DATE '...', TIMESTAMP '...', TIMESTAMPLOCALTZ '...' */
static const skep_expr *time_literal(skep_parser *p, skep_literal_kind kind) {
  skep_pos start = skep_p_begin(p);
  skep_p_next(p);
  const skep_expr *literal = skep_p_string_literal(p, kind, false);
  return literal == NULL ? NULL : finish(p, *literal, start);
}

/* ---- intervals ----------------------------------------------------------------------------------------------------
 */

static bool is_unit(skep_keyword keyword) {
  switch (keyword) {
    case SKEP_KW_YEAR:
    case SKEP_KW_MONTH:
    case SKEP_KW_DAY:
    case SKEP_KW_HOUR:
    case SKEP_KW_MINUTE:
    case SKEP_KW_SECOND:
      return true;
    default:
      return false;
  }
}

static bool interval_unit(skep_parser *p, skep_unit *out) {
  static const struct {
    skep_keyword keyword, to;
    skep_unit unit, range;
  } units[] = {
      {SKEP_KW_YEAR, SKEP_KW_MONTH, SKEP_UNIT_YEAR, SKEP_UNIT_YEAR_TO_MONTH},
      {SKEP_KW_DAY, SKEP_KW_SECOND, SKEP_UNIT_DAY, SKEP_UNIT_DAY_TO_SECOND},
      {SKEP_KW_MONTH, SKEP_NO_KEYWORD, SKEP_UNIT_MONTH, SKEP_UNIT_MONTH},
      {SKEP_KW_HOUR, SKEP_NO_KEYWORD, SKEP_UNIT_HOUR, SKEP_UNIT_HOUR},
      {SKEP_KW_MINUTE, SKEP_NO_KEYWORD, SKEP_UNIT_MINUTE, SKEP_UNIT_MINUTE},
      {SKEP_KW_SECOND, SKEP_NO_KEYWORD, SKEP_UNIT_SECOND, SKEP_UNIT_SECOND},
  };
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (!skep_p_accept_kw(p, units[i].keyword)) continue;
    *out = units[i].unit;
    if (units[i].to == SKEP_NO_KEYWORD || !skep_p_accept_kw(p, SKEP_KW_TO)) return true;
    *out = units[i].range;
    return skep_p_expect_kw(p, units[i].to);
  }
  skep_p_syntax(p);
  return false;
}

static const skep_expr *interval(skep_parser *p, const skep_expr *value, skep_pos start) {
  skep_expr expr = {.kind = SKEP_EXPR_INTERVAL};
  expr.interval.value = value;
  return value != NULL && interval_unit(p, &expr.interval.unit) ? finish(p, expr, start) : NULL;
}

static bool at_interval_value(const skep_parser *p, size_t ahead) {
  skep_token_kind kind = skep_p_kind(p, ahead);
  return kind == SKEP_TOKEN_STRING || kind == SKEP_TOKEN_NUMBER;
}

static const skep_expr *interval_value(skep_parser *p) {
  if (skep_p_kind(p, 0) == SKEP_TOKEN_NUMBER) return number(p);
  return skep_p_string_literal(p, SKEP_LITERAL_STRING, true);
}

/* INTERVAL ... */
static const skep_expr *interval_word(skep_parser *p) {
  skep_pos start = skep_p_begin(p);
  skep_p_next(p);
  if (!skep_p_accept(p, SKEP_TOKEN_LPAREN)) return interval(p, interval_value(p), start);
  const skep_expr *value = skep_p_expr(p);
  return value != NULL && skep_p_expect(p, SKEP_TOKEN_RPAREN) ? interval(p, value, start) : NULL;
}

/* ---- names and stars ----------------------------------------------------------------------------------------------
 */

bool skep_p_at_star(const skep_parser *p) {
  size_t ahead = 0;
  while (skep_p_is_name(p, ahead) && skep_p_kind(p, ahead + 1) == SKEP_TOKEN_DOT) ahead += 2;
  return skep_p_kind(p, ahead) == SKEP_TOKEN_STAR;
}

const skep_expr *skep_p_star_item(skep_parser *p) {
  skep_expr expr = {.kind = SKEP_EXPR_STAR};
  skep_pos start = skep_p_begin(p);
  size_t mark = skep_p_mark(p);
  while (!skep_p_accept(p, SKEP_TOKEN_STAR)) {
    const char *name = skep_p_name(p);
    if (name == NULL || !skep_p_push(p, &name, sizeof name) || !skep_p_expect(p, SKEP_TOKEN_DOT)) return NULL;
  }
  expr.name.items = skep_p_take(p, mark, sizeof *expr.name.items, &expr.name.n);
  return finish(p, expr, start);
}

/* `a|b.*` where hive.support.quoted.identifiers=none: text that is no plain word. */
static bool at_regex(const skep_parser *p) {
  const skep_token *token = skep_p_peek(p, 0);
  if (p->quoting != SKEP_QUOTING_NONE || token->kind != SKEP_TOKEN_QUOTED) return false;
  for (size_t i = 1; i + 1 < token->length; i++) {
    char c = p->text[token->offset + i];
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!plain) return true;
  }
  return false;
}

static const skep_expr *regex(skep_parser *p) {
  const skep_token *token = skep_p_peek(p, 0);
  skep_expr expr = {.kind = SKEP_EXPR_COLUMN_REGEX};
  skep_pos start = skep_p_begin(p);
  expr.regex.pattern = skep_arena_strndup(p->arena, p->text + token->offset + 1, token->length - 2);
  if (expr.regex.pattern == NULL) skep_p_no_memory(p);
  skep_p_next(p);
  return finish(p, expr, start);
}

static const skep_expr *names(skep_parser *p) {
  skep_expr expr = {.kind = SKEP_EXPR_NAME};
  skep_pos start = skep_p_begin(p);
  size_t mark = skep_p_mark(p);
  do {
    const char *name = skep_p_name(p);
    if (name == NULL || !skep_p_push(p, &name, sizeof name)) return NULL;
  } while (skep_p_accept(p, SKEP_TOKEN_DOT));
  expr.name.items = skep_p_take(p, mark, sizeof *expr.name.items, &expr.name.n);
  return finish(p, expr, start);
}

/* ---- calls --------------------------------------------------------------------------------------------------------
 */

static const skep_expr *argument(skep_parser *p) { return skep_p_at_star(p) ? skep_p_star_item(p) : skep_p_expr(p); }

static bool arguments(skep_parser *p, skep_call *call) {
  size_t mark = skep_p_mark(p);
  if (skep_p_kind(p, 0) == SKEP_TOKEN_STAR && skep_p_kind(p, 1) == SKEP_TOKEN_RPAREN) {
    call->star = true;
    skep_p_next(p);
    return true;
  }
  call->distinct = skep_p_accept_kw(p, SKEP_KW_DISTINCT);
  if (!call->distinct) (void)skep_p_accept_kw(p, SKEP_KW_ALL);
  if (skep_p_at(p, SKEP_TOKEN_RPAREN)) return true;
  do {
    p->context = "function specification";
    const skep_expr *arg = argument(p);
    if (arg == NULL || !skep_p_push(p, &arg, sizeof arg)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  call->args.items = skep_p_take(p, mark, sizeof *call->args.items, &call->args.n);
  return p->status == SKEP_OK;
}

static void null_treatment(skep_parser *p, skep_call *call) {
  if (skep_p_accept_kw2(p, SKEP_KW_IGNORE, SKEP_KW_NULLS)) call->nulls = SKEP_TREAT_IGNORE;
  if (skep_p_accept_kw2(p, SKEP_KW_RESPECT, SKEP_KW_NULLS)) call->nulls = SKEP_TREAT_RESPECT;
}

static bool over(skep_parser *p, skep_call *call) {
  if (skep_p_at(p, SKEP_TOKEN_LPAREN)) {
    call->over = skep_p_window_spec(p);
    return call->over != NULL;
  }
  skep_window w = {.pos = skep_p_begin(p), .base = skep_p_name(p)};
  if (w.base == NULL) return false;
  call->over = SKEP_P_NEW(p, w);
  return call->over != NULL;
}

/* What may stand behind the closing bracket of a call. */
static bool call_tail(skep_parser *p, skep_call *call) {
  null_treatment(p, call);
  if (skep_p_accept_kw(p, SKEP_KW_OVER)) return over(p, call);
  if (!skep_p_accept_kw2(p, SKEP_KW_WITHIN, SKEP_KW_GROUP)) return true;
  return skep_p_expect(p, SKEP_TOKEN_LPAREN) && skep_p_expect_kw(p, SKEP_KW_ORDER) && skep_p_expect_kw(p, SKEP_KW_BY) &&
         skep_p_order_items(p, &call->within_group) && skep_p_expect(p, SKEP_TOKEN_RPAREN);
}

static const skep_expr *finish_call(skep_parser *p, skep_call call, skep_pos start) {
  skep_expr expr = {.kind = SKEP_EXPR_CALL};
  expr.call = SKEP_P_NEW(p, call);
  return expr.call == NULL ? NULL : finish(p, expr, start);
}

/* name(args) made here from another form. */
static const skep_expr *made_call(skep_parser *p, const char *name, const skep_expr *first, const skep_expr *second,
                                  skep_pos start) {
  const skep_expr *args[2] = {first, second};
  const skep_expr *call = skep_expr_call(p->arena, name, args, second == NULL ? 1 : 2);
  if (call == NULL) skep_p_no_memory(p);
  return call == NULL ? NULL : finish(p, *call, start);
}

static bool is_function_word(const skep_parser *p, size_t ahead) {
  return skep_p_is_name(p, ahead) || skep_keyword_names_function(skep_p_keyword(p, ahead));
}

/* A reserved word is taken as it is. */
static const char *function_name(skep_parser *p) {
  if (skep_p_is_name(p, 0)) return skep_p_name(p);
  const skep_token *token = skep_p_peek(p, 0);
  char *name = skep_arena_strndup(p->arena, p->text + token->offset, token->length);
  if (name == NULL) {
    skep_p_no_memory(p);
    return NULL;
  }
  for (size_t i = 0; name[i] != '\0'; i++) name[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
  skep_p_next(p);
  return name;
}

const skep_expr *skep_p_call(skep_parser *p) {
  const char *saved = p->context;
  skep_call call = {0};
  skep_pos start = skep_p_begin(p);
  call.name = function_name(p);
  if (call.name != NULL && skep_p_accept(p, SKEP_TOKEN_DOT)) {
    call.db = call.name;
    call.name = function_name(p);
  }
  p->context = "function specification";
  if (call.name == NULL || !skep_p_expect(p, SKEP_TOKEN_LPAREN) || !arguments(p, &call)) return NULL;
  p->context = "function specification";
  null_treatment(p, &call);
  if (!skep_p_accept(p, SKEP_TOKEN_RPAREN)) {
    skep_p_syntax(p);
    return NULL;
  }
  if (!call_tail(p, &call)) return NULL;
  p->context = saved;
  return finish_call(p, call, start);
}

typedef struct part {
  skep_keyword keyword;
  const char *extract, *floor; /* the functions they stand for; NULL: not there */
} part;

static const part parts[] = {
    {SKEP_KW_YEAR, "year", "floor_year"},       {SKEP_KW_QUARTER, "quarter", "floor_quarter"},
    {SKEP_KW_MONTH, "month", "floor_month"},    {SKEP_KW_WEEK, "weekofyear", "floor_week"},
    {SKEP_KW_DAY, "day", "floor_day"},          {SKEP_KW_DAYOFWEEK, "dayofweek", NULL},
    {SKEP_KW_HOUR, "hour", "floor_hour"},       {SKEP_KW_MINUTE, "minute", "floor_minute"},
    {SKEP_KW_SECOND, "second", "floor_second"},
};

static const char *date_part(skep_parser *p, bool extract) {
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    const char *name = extract ? parts[i].extract : parts[i].floor;
    if (name != NULL && skep_p_accept_kw(p, parts[i].keyword)) return name;
  }
  skep_p_syntax(p);
  return NULL;
}

static const skep_expr *extract(skep_parser *p) {
  skep_pos start = skep_p_begin(p);
  skep_p_next(p);
  if (!skep_p_expect(p, SKEP_TOKEN_LPAREN)) return NULL;
  const char *name = date_part(p, true);
  if (name == NULL || !skep_p_expect_kw(p, SKEP_KW_FROM)) return NULL;
  const skep_expr *value = skep_p_expr(p);
  return value != NULL && skep_p_expect(p, SKEP_TOKEN_RPAREN) ? made_call(p, name, value, NULL, start) : NULL;
}

static const skep_expr *floor_call(skep_parser *p) {
  skep_pos start = skep_p_begin(p);
  const char *name = "floor";
  skep_p_next(p);
  if (!skep_p_expect(p, SKEP_TOKEN_LPAREN)) return NULL;
  const skep_expr *value = skep_p_expr(p);
  if (value == NULL) return NULL;
  if (skep_p_accept_kw(p, SKEP_KW_TO)) name = date_part(p, false);
  return name != NULL && skep_p_expect(p, SKEP_TOKEN_RPAREN) ? made_call(p, name, value, NULL, start) : NULL;
}

/* TRIM '(' as far as it is not a plain call; behind '('. */
static const skep_expr *trim_call(skep_parser *p) {
  skep_pos start = skep_p_begin(p);
  const skep_expr *chars = NULL;
  skep_p_next(p);
  skep_p_next(p);
  const char *name = skep_p_accept_kw(p, SKEP_KW_LEADING)    ? "ltrim"
                     : skep_p_accept_kw(p, SKEP_KW_TRAILING) ? "rtrim"
                     : skep_p_accept_kw(p, SKEP_KW_BOTH)     ? "trim"
                                                             : NULL;
  if (name == NULL || !skep_p_at_kw(p, SKEP_KW_FROM)) {
    chars = skep_p_expr(p);
    if (chars == NULL) return NULL;
  }
  if (name == NULL && skep_p_accept(p, SKEP_TOKEN_RPAREN)) return made_call(p, "trim", chars, NULL, start);
  if (name == NULL && skep_p_accept(p, SKEP_TOKEN_COMMA)) {
    const skep_expr *second = skep_p_expr(p);
    return second != NULL && skep_p_expect(p, SKEP_TOKEN_RPAREN) ? made_call(p, "trim", chars, second, start) : NULL;
  }
  if (!skep_p_expect_kw(p, SKEP_KW_FROM)) return NULL;
  const skep_expr *value = skep_p_expr(p);
  if (value == NULL || !skep_p_expect(p, SKEP_TOKEN_RPAREN)) return NULL;
  return made_call(p, name == NULL ? "trim" : name, value, chars, start);
}

/* CURRENT_DATE, CURRENT_TIMESTAMP without brackets */
static const skep_expr *bare_call(skep_parser *p) {
  skep_call call = {0};
  skep_pos start = skep_p_begin(p);
  call.name = function_name(p);
  return call.name == NULL ? NULL : finish_call(p, call, start);
}

/* ---- CASE, CAST ----------------------------------------------------------------------------------------------------
 */

static bool whens(skep_parser *p, skep_expr *expr) {
  size_t mark = skep_p_mark(p);
  do {
    skep_when when = {0};
    if (!skep_p_expect_kw(p, SKEP_KW_WHEN)) return false;
    when.when = skep_p_expr(p);
    if (when.when == NULL || !skep_p_expect_kw(p, SKEP_KW_THEN)) return false;
    when.then = skep_p_expr(p);
    if (when.then == NULL || !skep_p_push(p, &when, sizeof when)) return false;
  } while (skep_p_at_kw(p, SKEP_KW_WHEN));
  expr->cases.whens = skep_p_take(p, mark, sizeof *expr->cases.whens, &expr->cases.n_whens);
  return p->status == SKEP_OK;
}

static const skep_expr *case_expr(skep_parser *p) {
  const char *saved = p->context;
  skep_expr expr = {.kind = SKEP_EXPR_CASE};
  skep_pos start = skep_p_begin(p);
  p->context = "expression specification";
  skep_p_decide(p);
  skep_p_next(p);
  if (!skep_p_at_kw(p, SKEP_KW_WHEN)) {
    expr.cases.operand = skep_p_expr(p);
    if (expr.cases.operand == NULL) return NULL;
  }
  p->context = "case expression";
  if (!skep_p_at_kw(p, SKEP_KW_WHEN)) {
    skep_p_no_item(p);
    return NULL;
  }
  if (!whens(p, &expr)) return NULL;
  if (skep_p_accept_kw(p, SKEP_KW_ELSE)) {
    expr.cases.otherwise = skep_p_expr(p);
    if (expr.cases.otherwise == NULL) return NULL;
  }
  if (!skep_p_expect_kw(p, SKEP_KW_END)) return NULL;
  p->context = saved;
  return finish(p, expr, start);
}

static const skep_expr *cast(skep_parser *p) {
  const char *saved = p->context;
  skep_expr expr = {.kind = SKEP_EXPR_CAST};
  skep_pos start = skep_p_begin(p);
  p->context = "cast expression";
  skep_p_next(p);
  if (!skep_p_expect(p, SKEP_TOKEN_LPAREN)) return NULL;
  expr.cast.value = skep_p_expr(p);
  if (expr.cast.value == NULL) return NULL;
  if (!skep_p_accept_kw(p, SKEP_KW_AS)) {
    p->context = "expression specification";
    p->decision = p->at - 1;
    skep_p_syntax(p);
    return NULL;
  }
  expr.cast.type = skep_p_type(p);
  if (expr.cast.type == NULL) return NULL;
  if (skep_p_accept_kw(p, SKEP_KW_FORMAT)) {
    expr.cast.format = skep_p_string(p);
    if (expr.cast.format == NULL) return NULL;
  }
  if (!skep_p_expect(p, SKEP_TOKEN_RPAREN)) return NULL;
  p->context = saved;
  return finish(p, expr, start);
}

/* ---- brackets -----------------------------------------------------------------------------------------------------
 */

static bool continues_query(const skep_parser *p, size_t ahead) {
  switch (skep_p_keyword(p, ahead)) {
    case SKEP_KW_UNION:
    case SKEP_KW_INTERSECT:
    case SKEP_KW_EXCEPT:
    case SKEP_KW_MINUS:
    case SKEP_KW_ORDER:
    case SKEP_KW_LIMIT:
    case SKEP_KW_SORT:
    case SKEP_KW_CLUSTER:
    case SKEP_KW_DISTRIBUTE:
      return true;
    default:
      return skep_p_kind(p, ahead) == SKEP_TOKEN_RPAREN;
  }
}

/* ((SELECT 1) UNION (SELECT 2)) is a query, ((SELECT 1) + 1) an expression: look behind each inner bracket. */
static bool query_at(const skep_parser *p, size_t ahead) {
  size_t first = ahead;
  while (skep_p_kind(p, first) == SKEP_TOKEN_LPAREN) first++;
  skep_keyword keyword = skep_p_keyword(p, first);
  if (first == ahead ||
      (keyword != SKEP_KW_SELECT && keyword != SKEP_KW_WITH && keyword != SKEP_KW_FROM && keyword != SKEP_KW_VALUES)) {
    return false;
  }
  for (size_t inner = ahead + 1; inner < first; inner++) {
    size_t behind = skep_p_peek(p, inner)->match + 1;
    if (behind <= p->at || !continues_query(p, behind - p->at)) return false;
  }
  return true;
}

bool skep_p_at_query(const skep_parser *p) { return query_at(p, 0); }

static const skep_expr *bracket(skep_parser *p) {
  skep_pos start = skep_p_begin(p);
  skep_expr expr = {0};
  if (skep_p_at_query(p)) {
    expr.kind = SKEP_EXPR_SCALAR_QUERY;
    expr.query = skep_p_paren_query(p);
    return expr.query == NULL ? NULL : finish(p, expr, start);
  }
  if (at_interval_value(p, 1) && skep_p_kind(p, 2) == SKEP_TOKEN_RPAREN && is_unit(skep_p_keyword(p, 3))) {
    skep_p_next(p);
    const skep_expr *value = interval_value(p);
    skep_p_next(p);
    return interval(p, value, start);
  }
  skep_p_next(p);
  expr.kind = SKEP_EXPR_TUPLE;
  const char *saved = p->context;
  p->context = "expression specification";
  if (!skep_p_exprs(p, &expr.tuple) || !skep_p_expect(p, SKEP_TOKEN_RPAREN)) return NULL;
  p->context = saved;
  return finish(p, expr.tuple.n == 1 ? *expr.tuple.items[0] : expr, start);
}

/* ---- primary, postfix ---------------------------------------------------------------------------------------------
 */

static const skep_expr *no_operand(skep_parser *p) {
  if (skep_p_kind(p, 0) == SKEP_TOKEN_CHARSET) {
    const skep_token *token = skep_p_peek(p, 0);
    skep_p_refuse(p, SKEP_ERR_SYNTAX,
                  "ParseException line %u:%u a name that begins with '_' needs back-quotes (character set literals are "
                  "not supported)",
                  token->line, token->column);
    return NULL;
  }
  skep_p_expected(p, "an expression");
  skep_p_syntax(p);
  return NULL;
}

static const skep_expr *name_or_call(skep_parser *p) {
  skep_token_kind behind = skep_p_kind(p, 1);
  if (behind == SKEP_TOKEN_LPAREN && is_function_word(p, 0)) return skep_p_call(p);
  if (behind == SKEP_TOKEN_DOT && skep_p_is_name(p, 0) && is_function_word(p, 2) &&
      skep_p_kind(p, 3) == SKEP_TOKEN_LPAREN) {
    return skep_p_call(p);
  }
  if (at_regex(p)) return regex(p);
  return skep_p_is_name(p, 0) ? names(p) : no_operand(p);
}

static const skep_expr *word_primary(skep_parser *p) {
  skep_token_kind behind = skep_p_kind(p, 1);
  switch (skep_p_keyword(p, 0)) {
    case SKEP_KW_NULL:
      return word_literal(p, SKEP_LITERAL_NULL, 0);
    case SKEP_KW_TRUE:
      return word_literal(p, SKEP_LITERAL_BOOLEAN, 1);
    case SKEP_KW_FALSE:
      return word_literal(p, SKEP_LITERAL_BOOLEAN, 0);
    case SKEP_KW_CASE:
      return case_expr(p);
    case SKEP_KW_CAST:
      return cast(p);
    case SKEP_KW_EXTRACT:
      return extract(p);
    case SKEP_KW_FLOOR:
      return floor_call(p);
    case SKEP_KW_INTERVAL:
      return interval_word(p);
    case SKEP_KW_DATE:
      return behind == SKEP_TOKEN_STRING ? time_literal(p, SKEP_LITERAL_DATE) : name_or_call(p);
    case SKEP_KW_TIMESTAMP:
      return behind == SKEP_TOKEN_STRING ? time_literal(p, SKEP_LITERAL_TIMESTAMP) : name_or_call(p);
    case SKEP_KW_TIMESTAMPLOCALTZ:
      return behind == SKEP_TOKEN_STRING ? time_literal(p, SKEP_LITERAL_TIMESTAMP_TZ) : no_operand(p);
    case SKEP_KW_CURRENT_DATE:
    case SKEP_KW_CURRENT_TIMESTAMP:
      return behind == SKEP_TOKEN_LPAREN ? skep_p_call(p) : bare_call(p);
    case SKEP_KW_TRIM:
      return behind == SKEP_TOKEN_LPAREN ? trim_call(p) : name_or_call(p);
    default:
      return name_or_call(p);
  }
}

static const skep_expr *primary(skep_parser *p) {
  skep_pos start = skep_p_begin(p);
  skep_expr expr = {.kind = SKEP_EXPR_PARAMETER};
  switch (skep_p_kind(p, 0)) {
    case SKEP_TOKEN_STRING:
    case SKEP_TOKEN_NUMBER:
      return is_unit(skep_p_keyword(p, 1))            ? interval(p, interval_value(p), start)
             : skep_p_kind(p, 0) == SKEP_TOKEN_NUMBER ? number(p)
                                                      : skep_p_string_literal(p, SKEP_LITERAL_STRING, true);
    case SKEP_TOKEN_INTEGRAL:
    case SKEP_TOKEN_DOUBLE:
    case SKEP_TOKEN_DECIMAL:
      return number(p);
    case SKEP_TOKEN_WORD:
    case SKEP_TOKEN_QUOTED:
      return word_primary(p);
    case SKEP_TOKEN_LPAREN:
      return bracket(p);
    case SKEP_TOKEN_QUESTION:
      skep_p_next(p);
      return finish(p, expr, start);
    default:
      return no_operand(p);
  }
}

static const skep_expr *index_of(skep_parser *p, const skep_expr *base, skep_pos start) {
  skep_expr expr = {.kind = SKEP_EXPR_INDEX};
  const char *saved = p->context;
  expr.index.base = base;
  p->context = "expression specification";
  expr.index.index = skep_p_expr(p);
  if (expr.index.index == NULL || !skep_p_expect(p, SKEP_TOKEN_RSQUARE)) return NULL;
  p->context = saved;
  return finish(p, expr, start);
}

static const skep_expr *field_of(skep_parser *p, const skep_expr *base, skep_pos start) {
  skep_expr expr = {.kind = SKEP_EXPR_FIELD};
  expr.field.base = base;
  expr.field.name = skep_p_name(p);
  return expr.field.name == NULL ? NULL : finish(p, expr, start);
}

const skep_expr *skep_p_postfix(skep_parser *p) {
  skep_pos start = skep_p_begin(p);
  uint32_t height = 0;
  const skep_expr *expr = primary(p);
  while (expr != NULL && p->status == SKEP_OK) {
    bool index = skep_p_accept(p, SKEP_TOKEN_LSQUARE);
    if (!index && !skep_p_accept(p, SKEP_TOKEN_DOT)) return expr;
    if (++height > SKEP_P_MAX_HEIGHT) {
      skep_p_refuse(p, SKEP_ERR_LIMIT, "ParseException line %u:%u more than %d fields and indexes in a row", start.line,
                    start.column, SKEP_P_MAX_HEIGHT);
      return NULL;
    }
    expr = index ? index_of(p, expr, start) : field_of(p, expr, start);
  }
  return NULL;
}
