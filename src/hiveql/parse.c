/* The parser's doors and what its parts share: cursor, failures, lists, names. */
#include "hiveql/parse.h"

#include <stdarg.h>
#include <stdio.h>

#include "hiveql/parse_int.h"

/* ---- failures ---------------------------------------------------------------------------------------------------- */

void skep_p_no_memory(skep_parser *p) {
  if (p->status == SKEP_OK) p->status = skep_fail(p->err, SKEP_ERR_NOMEM, "statement of %zu bytes", p->length);
}

void skep_p_refuse(skep_parser *p, skep_status status, const char *format, ...) {
  if (p->status != SKEP_OK) return;
  char text[700];
  va_list args;
  va_start(args, format);
  (void)vsnprintf(text, sizeof text, format, args);
  va_end(args);
  p->status = skep_fail(p->err, status, "%s", text);
}

void skep_p_expected(skep_parser *p, const char *what) {
  if (!p->recording || p->status != SKEP_OK || p->n_expected == SKEP_P_MAX_EXPECTED) return;
  for (size_t i = 0; i < p->n_expected; i++) {
    if (strcmp(p->expected[i], what) == 0) return;
  }
  p->expected[p->n_expected++] = what;
}

/* A token as messages show it. */
static const char *token_text(const skep_parser *p, size_t at, char *out, size_t size) {
  const skep_token *token = &p->tokens[at < p->n_tokens ? at : p->n_tokens - 1];
  if (token->kind == SKEP_TOKEN_EOF) return "<EOF>";
  return skep_quote(out, size, p->text + token->offset, token->length);
}

/* 'a' 'b' 'c': three tokens from where Hive had to choose. */
static void near_text(const skep_parser *p, char *out, size_t size) {
  size_t used = 0, from = p->decision + 1 == p->at ? p->decision : p->at;
  for (size_t i = 0; i < 3; i++) {
    char shown[64];
    const char *text = token_text(p, from + i, shown, sizeof shown);
    int n = snprintf(out + used, size - used, "%s'%s'", i == 0 ? "" : " ", text);
    if (n < 0 || (size_t)n >= size - used) return;
    used += (size_t)n;
  }
}

static size_t characters(const char *text) {
  size_t n = 0;
  for (; *text != '\0'; text++) n += ((unsigned char)*text & 0xC0) != 0x80;
  return n;
}

/* The line of the current token, cut to what fits, and a caret below the token. */
static void caret_text(const skep_parser *p, char *out, size_t size) {
  enum { BEFORE = 60, BEHIND = 30 };
  size_t at = skep_p_peek(p, 0)->offset, start = at, end = at;
  while (start > 0 && p->text[start - 1] != '\n' && at - start < BEFORE) start--;
  while (start < at && ((unsigned char)p->text[start] & 0xC0) == 0x80) start++;
  while (end < p->length && p->text[end] != '\n' && p->text[end] != '\r' && end - at < BEHIND) end++;
  while (end > at && end < p->length && ((unsigned char)p->text[end] & 0xC0) == 0x80) end--;
  char line[BEFORE + BEHIND + 1], before[4 * BEFORE + 8], behind[4 * BEHIND + 8];
  for (size_t i = start; i < end; i++) line[i - start] = (char)(p->text[i] == '\t' ? ' ' : p->text[i]);
  (void)skep_quote(before, sizeof before, line, at - start);
  (void)skep_quote(behind, sizeof behind, line + (at - start), end - at);
  (void)snprintf(out, size, "%s%s\n%*s^", before, behind, (int)characters(before), "");
}

static void expected_text(const skep_parser *p, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (size_t i = 0; i < p->n_expected; i++) {
    const char *join = i == 0 ? "" : i + 1 == p->n_expected ? " or " : ", ";
    int n = snprintf(out + used, size - used, "%s%s", join, p->expected[i]);
    if (n < 0 || (size_t)n >= size - used) return;
    used += (size_t)n;
  }
}

/* "ParseException line L:C <what>[ in <context>]", the line, the caret, what was expected */
static void fail_syntax(skep_parser *p, const char *what, const char *context) {
  if (p->status != SKEP_OK) return;
  const skep_token *token = skep_p_peek(p, 0);
  char caret[420], expected[260];
  caret_text(p, caret, sizeof caret);
  expected_text(p, expected, sizeof expected);
  p->status = skep_fail(p->err, SKEP_ERR_SYNTAX, "ParseException line %u:%u %s%s%s\n%s%s%s", token->line, token->column,
                        what, context == NULL ? "" : " in ", context == NULL ? "" : context, caret,
                        expected[0] == '\0' ? "" : "\nexpected: ", expected);
}

void skep_p_syntax(skep_parser *p) {
  char near[220], what[260];
  near_text(p, near, sizeof near);
  (void)snprintf(what, sizeof what, "cannot recognize input near %s", near);
  fail_syntax(p, what, p->context);
}

/* Hive's parser generator goes on behind an extra token, and so ends up at the end of the text. */
void skep_p_mismatch(skep_parser *p, const char *expecting, bool is_next) {
  char token[64], before[64], what[260];
  const char *shown = token_text(p, p->at, token, sizeof token);
  const char *near = is_next || p->at == 0 ? "<EOF>" : token_text(p, p->at - 1, before, sizeof before);
  (void)snprintf(what, sizeof what, "%s input '%s' expecting %s near '%s'", is_next ? "extraneous" : "mismatched",
                 shown, expecting, near);
  fail_syntax(p, what, is_next ? NULL : p->context);
}

void skep_p_missing(skep_parser *p, const char *expecting) {
  char token[64], what[200];
  (void)snprintf(what, sizeof what, "missing %s at '%s' near '<EOF>'", expecting,
                 token_text(p, p->at, token, sizeof token));
  fail_syntax(p, what, NULL);
}

void skep_p_no_item(skep_parser *p) {
  char token[64], what[160];
  (void)snprintf(what, sizeof what, "required (...)+ loop did not match anything at input '%s'",
                 token_text(p, p->at, token, sizeof token));
  fail_syntax(p, what, p->context);
}

/* More behind a whole statement. */
static void fail_end(skep_parser *p) {
  char token[64], before[64], what[200];
  const char *shown = token_text(p, p->at, token, sizeof token);
  if (skep_p_kind(p, 1) == SKEP_TOKEN_EOF)
    (void)snprintf(what, sizeof what, "extraneous input '%s' expecting EOF near '<EOF>'", shown);
  else
    (void)snprintf(what, sizeof what, "missing EOF at '%s' near '%s'", shown,
                   p->at == 0 ? "" : token_text(p, p->at - 1, before, sizeof before));
  fail_syntax(p, what, NULL);
}

/* ---- tokens -------------------------------------------------------------------------------------------------------
 */

void skep_p_next(skep_parser *p) {
  if (p->at + 1 < p->n_tokens) p->at++;
  p->n_expected = 0;
}

bool skep_p_at(skep_parser *p, skep_token_kind kind) {
  if (p->recording) skep_p_expected(p, skep_token_name(kind));
  return skep_p_kind(p, 0) == kind;
}

bool skep_p_accept(skep_parser *p, skep_token_kind kind) {
  if (!skep_p_at(p, kind)) return false;
  skep_p_next(p);
  return true;
}

/* Hive's name of a token: "(", StringLiteral. */
static void expect_name(skep_token_kind kind, char *out, size_t size) {
  const char *name = kind == SKEP_TOKEN_STRING ? "StringLiteral" : skep_token_name(kind);
  size_t n = strlen(name);
  bool quoted = name[0] == '\'' && n > 2;
  (void)snprintf(out, size, "%.*s", (int)(quoted ? n - 2 : n), name + quoted);
}

bool skep_p_expect(skep_parser *p, skep_token_kind kind) {
  char name[40];
  if (skep_p_accept(p, kind)) return true;
  expect_name(kind, name, sizeof name);
  skep_p_mismatch(p, name, skep_p_kind(p, 1) == kind);
  return false;
}

bool skep_p_at_kw(skep_parser *p, skep_keyword keyword) {
  if (p->recording) skep_p_expected(p, skep_keyword_name(keyword));
  return skep_p_keyword(p, 0) == keyword;
}

bool skep_p_accept_kw(skep_parser *p, skep_keyword keyword) {
  if (!skep_p_at_kw(p, keyword)) return false;
  skep_p_next(p);
  return true;
}

/* A few words have no name of their own in Hive's messages. */
static const char *expect_word(skep_keyword keyword) {
  switch (keyword) {
    case SKEP_KW_THEN:
      return "KW_THEN";
    case SKEP_KW_ENFORCED:
      return "KW_ENFORCED";
    case SKEP_KW_VIEW:
      return "KW_VIEW";
    default:
      return skep_keyword_name(keyword);
  }
}

bool skep_p_expect_kw(skep_parser *p, skep_keyword keyword) {
  if (skep_p_accept_kw(p, keyword)) return true;
  skep_p_mismatch(p, expect_word(keyword), skep_p_keyword(p, 1) == keyword);
  return false;
}

bool skep_p_accept_kw2(skep_parser *p, skep_keyword first, skep_keyword second) {
  if (!skep_p_at_kw(p, first) || skep_p_keyword(p, 1) != second) return false;
  skep_p_next(p);
  skep_p_next(p);
  return true;
}

bool skep_p_accept_by(skep_parser *p, skep_keyword keyword) {
  return skep_p_accept_kw(p, keyword) && skep_p_expect_before_name(p, SKEP_KW_BY);
}

bool skep_p_expect_before_name(skep_parser *p, skep_keyword keyword) {
  if (!skep_p_at_kw(p, keyword) && skep_p_is_name(p, 0)) {
    skep_p_missing(p, expect_word(keyword));
    return false;
  }
  return skep_p_expect_kw(p, keyword);
}

bool skep_p_is_word(const skep_parser *p, size_t ahead, const char *word) {
  const skep_token *token = skep_p_peek(p, ahead);
  if (token->kind != SKEP_TOKEN_WORD || token->length != strlen(word)) return false;
  for (size_t i = 0; i < token->length; i++) {
    char c = p->text[token->offset + i];
    if ((c >= 'a' && c <= 'z' ? c - 32 : c) != word[i]) return false;
  }
  return true;
}

skep_pos skep_p_begin(const skep_parser *p) {
  const skep_token *token = skep_p_peek(p, 0);
  return (skep_pos){token->line, token->column, token->offset, token->length};
}

skep_pos skep_p_end(const skep_parser *p, skep_pos pos) {
  const skep_token *last = &p->tokens[p->at == 0 ? 0 : p->at - 1];
  uint32_t end = last->offset + last->length;
  if (end > pos.offset) pos.length = end - pos.offset;
  return pos;
}

const char *skep_p_source(skep_parser *p, size_t first_token, size_t end_token) {
  const skep_token *first = &p->tokens[first_token], *last = &p->tokens[end_token - 1];
  size_t length = last->offset + last->length - first->offset;
  if (memchr(p->text + first->offset, '\0', length) != NULL) {
    skep_p_refuse(p, SKEP_ERR_SYNTAX, "ParseException line %u:%u a text that is kept must not hold a NUL byte",
                  first->line, first->column);
    return NULL;
  }
  const char *text = skep_arena_strndup(p->arena, p->text + first->offset, length);
  if (text == NULL) skep_p_no_memory(p);
  return text;
}

bool skep_p_enter(skep_parser *p) {
  if (p->status != SKEP_OK) return false;
  if (p->depth >= p->max_depth) {
    const skep_token *token = skep_p_peek(p, 0);
    skep_p_refuse(p, SKEP_ERR_LIMIT, "ParseException line %u:%u nested more than %u deep", token->line, token->column,
                  p->max_depth);
    return false;
  }
  p->depth++;
  return true;
}

/* ---- lists --------------------------------------------------------------------------------------------------------
 */

bool skep_p_push(skep_parser *p, const void *element, size_t size) {
  if (p->status != SKEP_OK) return false;
  void *scratch = p->scratch;
  skep_status st =
      skep_grow(p->arena->ctx, &scratch, &p->scratch_capacity, p->scratch_n + size, sizeof *p->scratch, p->err);
  p->scratch = scratch;
  if (st != SKEP_OK) {
    p->status = st;
    return false;
  }
  memcpy(p->scratch + p->scratch_n, element, size);
  p->scratch_n += size;
  return true;
}

const void *skep_p_take(skep_parser *p, size_t mark, size_t size, uint32_t *n) {
  size_t bytes = p->scratch_n - mark;
  *n = (uint32_t)(bytes / size);
  p->scratch_n = mark;
  if (bytes == 0) return NULL;
  void *array = skep_arena_alloc(p->arena, bytes);
  if (array == NULL) {
    skep_p_no_memory(p);
    return NULL;
  }
  memcpy(array, p->scratch + mark, bytes);
  return array;
}

void *skep_p_new(skep_parser *p, const void *value, size_t size) {
  if (p->status != SKEP_OK) return NULL;
  void *copy = skep_arena_alloc(p->arena, size);
  if (copy == NULL)
    skep_p_no_memory(p);
  else
    memcpy(copy, value, size);
  return copy;
}

/* ---- names and texts ----------------------------------------------------------------------------------------------
 */

bool skep_p_is_name(const skep_parser *p, size_t ahead) {
  const skep_token *token = skep_p_peek(p, ahead);
  if (token->kind == SKEP_TOKEN_QUOTED) return true;
  return token->kind == SKEP_TOKEN_WORD && !skep_keyword_reserved((skep_keyword)token->keyword);
}

/* Hive lower-cases names by characters; we do so for ASCII and leave other bytes alone. */
static const char *name_text(skep_parser *p, const skep_token *token) {
  const char *from = p->text + token->offset;
  size_t length = token->length, n = 0;
  char quote = token->kind == SKEP_TOKEN_QUOTED ? from[0] : '\0';
  if (quote != '\0') {
    from++;
    length -= 2;
  }
  char *name = skep_arena_alloc(p->arena, length + 1);
  if (name == NULL) {
    skep_p_no_memory(p);
    return NULL;
  }
  for (size_t i = 0; i < length; i++) {
    char c = from[i];
    if (c == '\0') {
      skep_p_refuse(p, SKEP_ERR_SYNTAX, "ParseException line %u:%u a name must not hold a NUL byte", token->line,
                    token->column);
      return NULL;
    }
    name[n++] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    if (quote != '\0' && c == quote) i++; /* doubled */
  }
  name[n] = '\0';
  return name;
}

const char *skep_p_name(skep_parser *p) {
  if (!skep_p_is_name(p, 0)) {
    skep_p_expected(p, "a name");
    skep_p_syntax(p);
    return NULL;
  }
  if (p->status != SKEP_OK) return NULL;
  const char *name = name_text(p, skep_p_peek(p, 0));
  skep_p_next(p);
  return name;
}

const skep_expr *skep_p_string_literal(skep_parser *p, skep_literal_kind kind, bool join) {
  skep_pos pos = skep_p_begin(p);
  if (!skep_p_at(p, SKEP_TOKEN_STRING)) {
    skep_p_mismatch(p, "StringLiteral", skep_p_kind(p, 1) == SKEP_TOKEN_STRING);
    return NULL;
  }
  skep_buf bytes;
  skep_buf_init(&bytes, p->arena->ctx, SIZE_MAX / 2);
  do {
    const skep_token *token = skep_p_peek(p, 0);
    (void)skep_unescape_string(p->text + token->offset, token->length, &bytes);
    skep_p_next(p);
  } while (join && skep_p_kind(p, 0) == SKEP_TOKEN_STRING);
  skep_expr *expr = skep_expr_new(p->arena, SKEP_EXPR_LITERAL, skep_p_end(p, pos));
  const char *copy =
      bytes.status == SKEP_OK ? skep_arena_strndup(p->arena, (const char *)bytes.data, bytes.size) : NULL;
  if (expr == NULL || copy == NULL) {
    skep_p_no_memory(p);
    expr = NULL;
  } else {
    expr->literal.kind = kind;
    expr->literal.bytes = copy;
    expr->literal.length = bytes.size;
  }
  skep_buf_fini(&bytes);
  return expr;
}

static const char *text_of_string(skep_parser *p, bool join) {
  skep_pos pos = skep_p_begin(p);
  const skep_expr *literal = skep_p_string_literal(p, SKEP_LITERAL_STRING, join);
  if (literal == NULL) return NULL;
  if (memchr(literal->literal.bytes, '\0', literal->literal.length) != NULL) {
    skep_p_refuse(p, SKEP_ERR_SYNTAX, "ParseException line %u:%u a NUL byte is not allowed in this string", pos.line,
                  pos.column);
    return NULL;
  }
  return literal->literal.bytes;
}

const char *skep_p_string(skep_parser *p) { return text_of_string(p, true); }
const char *skep_p_one_string(skep_parser *p) { return text_of_string(p, false); }

bool skep_p_integer(skep_parser *p, uint64_t *out) {
  const skep_token *token = skep_p_peek(p, 0);
  uint64_t value = 0;
  bool fits = token->kind == SKEP_TOKEN_NUMBER;
  for (size_t i = 0; fits && i < token->length; i++) {
    char c = p->text[token->offset + i];
    fits = c >= '0' && c <= '9' && value <= (UINT64_MAX - 9) / 10;
    value = value * 10 + (uint64_t)(c - '0');
  }
  if (!fits || value > INT64_MAX) {
    skep_p_expected(p, "a whole number");
    skep_p_syntax(p);
    return false;
  }
  *out = value;
  skep_p_next(p);
  return true;
}

/* tableName := name ['.' name ['.' name]] */
bool skep_p_table_name(skep_parser *p, skep_table_name *out) {
  const char *saved = p->context;
  *out = (skep_table_name){.pos = skep_p_begin(p)};
  p->context = "table name";
  out->name = skep_p_name(p);
  if (out->name != NULL && skep_p_accept(p, SKEP_TOKEN_DOT)) {
    out->db = out->name;
    out->name = skep_p_name(p);
    if (out->name != NULL && skep_p_accept(p, SKEP_TOKEN_DOT)) out->meta = skep_p_name(p);
  }
  out->pos = skep_p_end(p, out->pos);
  if (p->status == SKEP_OK) p->context = saved;
  return p->status == SKEP_OK;
}

/* names := name (',' name)* */
bool skep_p_names(skep_parser *p, skep_name_list *out) {
  size_t mark = skep_p_mark(p);
  do {
    const char *name = skep_p_name(p);
    if (name == NULL || !skep_p_push(p, &name, sizeof name)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  out->items = skep_p_take(p, mark, sizeof *out->items, &out->n);
  return p->status == SKEP_OK;
}

bool skep_p_paren_names(skep_parser *p, skep_name_list *out) {
  const char *saved = p->context;
  p->context = "column parentheses list";
  if (!skep_p_at(p, SKEP_TOKEN_LPAREN) && skep_p_is_name(p, 0)) skep_p_missing(p, "(");
  if (!skep_p_expect(p, SKEP_TOKEN_LPAREN) || !skep_p_names(p, out) || !skep_p_expect(p, SKEP_TOKEN_RPAREN))
    return false;
  p->context = saved;
  return true;
}

bool skep_p_if_exists(skep_parser *p, bool *out) {
  *out = skep_p_accept_kw(p, SKEP_KW_IF);
  return !*out || skep_p_expect_kw(p, SKEP_KW_EXISTS);
}

bool skep_p_if_not_exists(skep_parser *p, bool *out) {
  *out = skep_p_accept_kw(p, SKEP_KW_IF);
  return !*out || (skep_p_expect_kw(p, SKEP_KW_NOT) && skep_p_expect_kw(p, SKEP_KW_EXISTS));
}

/* properties := '(' STRING ['=' STRING] (',' STRING ['=' STRING])* ')'       values of keys alone are read and dropped
 */
bool skep_p_properties(skep_parser *p, bool with_values, skep_ast_property_list *out) {
  const char *saved = p->context;
  p->context = "specifying key/value property";
  size_t mark = skep_p_mark(p);
  if (!skep_p_expect(p, SKEP_TOKEN_LPAREN)) return false;
  do {
    skep_ast_property property = {skep_p_string(p), NULL};
    if (property.key == NULL) return false;
    if (with_values ? !skep_p_expect(p, SKEP_TOKEN_EQ) : skep_p_accept(p, SKEP_TOKEN_EQ) && skep_p_string(p) == NULL) {
      return false;
    }
    if (with_values) property.value = skep_p_string(p);
    if (p->status != SKEP_OK) return false;
    if (!skep_p_push(p, &property, sizeof property)) return false;
  } while (skep_p_accept(p, SKEP_TOKEN_COMMA));
  out->items = skep_p_take(p, mark, sizeof *out->items, &out->n);
  if (!skep_p_expect(p, SKEP_TOKEN_RPAREN)) return false;
  p->context = saved;
  return true;
}

/* ---- doors --------------------------------------------------------------------------------------------------------
 */

/* What is parsed: a whole text as one of three things. Fills *result; false when p->status says why. */
typedef bool parse_whole(skep_parser *p, const void **result);

static bool at_end(skep_parser *p) {
  if (skep_p_kind(p, 0) == SKEP_TOKEN_SEMICOLON) skep_p_next(p);
  if (skep_p_at(p, SKEP_TOKEN_EOF)) return true;
  fail_end(p);
  return false;
}

static bool whole_statement(skep_parser *p, const void **result) {
  skep_statement s = {.pos = skep_p_begin(p), .text = p->text, .text_length = p->length};
  if (!skep_p_any_statement(p, &s)) return false;
  s.pos = skep_p_end(p, s.pos);
  if (!at_end(p)) return false;
  *result = SKEP_P_NEW(p, s);
  return *result != NULL;
}

static bool whole_expression(skep_parser *p, const void **result) {
  p->context = "expression specification";
  *result = skep_p_expr(p);
  return *result != NULL && at_end(p);
}

static bool whole_query(skep_parser *p, const void **result) {
  *result = skep_p_query(p);
  return *result != NULL && at_end(p);
}

static skep_status run(skep_parser *p, parse_whole *parse, const void **result) {
  skep_parser start = *p;
  if (parse(p, result) && p->status == SKEP_OK) return SKEP_OK;
  if (p->status == SKEP_ERR_SYNTAX) {
    start.scratch = p->scratch;
    start.scratch_capacity = p->scratch_capacity;
    *p = start;
    p->recording = true;
    (void)parse(p, result);
  }
  *result = NULL;
  return p->status == SKEP_OK ? skep_fail(p->err, SKEP_ERR_INTERNAL, "the parser failed without a message") : p->status;
}

static skep_status parse_text(skep_arena *arena, const char *text, size_t length, const skep_parse_opts *opts,
                              parse_whole *parse, const void **result, skep_err *err) {
  const skep_parse_opts defaults = {0};
  if (opts == NULL) opts = &defaults;
  size_t max_bytes = opts->max_bytes == 0 ? SKEP_PARSE_MAX_BYTES : opts->max_bytes;
  if (length > max_bytes || length > UINT32_MAX - 1) {
    return skep_fail(err, SKEP_ERR_LIMIT, "statement of %zu bytes, at most %zu are allowed", length, max_bytes);
  }
  const char *copy = skep_arena_strndup(arena, text, length);
  if (copy == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "statement of %zu bytes", length);
  skep_tokens tokens;
  skep_status st = skep_lex(arena->ctx, copy, length, opts->quoting, &tokens, err);
  if (st == SKEP_OK && tokens.n == 1) st = SKEP_END;
  if (st == SKEP_OK) {
    skep_parser p = {.arena = arena, .text = copy, .length = length, .tokens = tokens.items, .n_tokens = tokens.n};
    p.quoting = opts->quoting;
    p.decision = SIZE_MAX - 1;
    p.max_depth = opts->max_depth == 0 ? SKEP_PARSE_MAX_DEPTH : opts->max_depth;
    p.err = err;
    st = run(&p, parse, result);
    skep_release(arena->ctx, p.scratch);
  }
  skep_release(arena->ctx, tokens.items);
  return st;
}

skep_status skep_parse_expression(skep_arena *arena, const char *text, size_t length, const skep_parse_opts *opts,
                                  const skep_expr **out, skep_err *err) {
  const void *result = NULL;
  skep_status st = parse_text(arena, text, length, opts, whole_expression, &result, err);
  *out = result;
  return st;
}

skep_status skep_parse_query(skep_arena *arena, const char *text, size_t length, const skep_parse_opts *opts,
                             const skep_query **out, skep_err *err) {
  const void *result = NULL;
  skep_status st = parse_text(arena, text, length, opts, whole_query, &result, err);
  *out = result;
  return st;
}

skep_status skep_parse_statement(skep_arena *arena, const char *text, size_t length, const skep_parse_opts *opts,
                                 const skep_statement **out, skep_err *err) {
  const void *result = NULL;
  skep_statement command = {0};
  *out = NULL;
  skep_status st = skep_parse_command(arena, text, length, &command, err);
  if (st == SKEP_OK) {
    skep_statement *copy = skep_arena_alloc(arena, sizeof *copy);
    if (copy == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "statement of %zu bytes", length);
    *copy = command;
    result = copy;
  } else if (st == SKEP_END) {
    st = parse_text(arena, text, length, opts, whole_statement, &result, err);
  }
  *out = st == SKEP_OK ? result : NULL;
  return st;
}
