/* The lexer: one pass over the text, one function per shape of token. */
#include "hiveql/lexer.h"

typedef struct lexer {
  const skep_ctx *ctx;
  const char *text;
  size_t length, at;
  uint32_t line, column; /* of `at` */
  skep_quoting quoting;
  skep_tokens *out;
  skep_err *err;
} lexer;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
static char upper(char c) { return (char)(c >= 'a' && c <= 'z' ? c - 32 : c); }

static char peek(const lexer *l, size_t ahead) { return ahead < l->length - l->at ? l->text[l->at + ahead] : '\0'; }

/* Moves over n bytes and counts lines, and columns in characters. */
static void advance(lexer *l, size_t n) {
  for (size_t i = 0; i < n; i++) {
    char c = l->text[l->at++];
    if (c == '\n') {
      l->line++;
      l->column = 0;
    } else if (((unsigned char)c & 0xC0) != 0x80) {
      l->column++;
    }
  }
}

/* What is open at the end began at this place, which Hive does not tell. */
static skep_status not_closed(lexer *l, const char *what, uint32_t line, uint32_t column) {
  return skep_fail(
      l->err, SKEP_ERR_SYNTAX,
      "ParseException line %u:%u character '<EOF>' not supported here\n%s that begins at line %u:%u is not "
      "closed",
      l->line, l->column, what, line, column);
}

/* A variable that nobody set stays in the text, as in Hive, and its '$' is no character of the language. */
static skep_status unknown_variable(lexer *l) {
  char shown[80];
  size_t n = 2;
  while (l->at + n < l->length && l->text[l->at + n] != '}' && l->text[l->at + n] != '\n') n++;
  return skep_fail(
      l->err, SKEP_ERR_SYNTAX,
      "ParseException line %u:%u character '$' not supported here\nno variable is called %s (--hivevar, SET "
      "hivevar:name=value)",
      l->line, l->column, skep_quote(shown, sizeof shown, l->text + l->at + 2, n - 2));
}

static skep_status bad_character(lexer *l) {
  char shown[32];
  if (l->length - l->at > 2 && l->text[l->at] == '$' && l->text[l->at + 1] == '{') return unknown_variable(l);
  if (l->at >= l->length) {
    return skep_fail(l->err, SKEP_ERR_SYNTAX, "ParseException line %u:%u character '<EOF>' not supported here", l->line,
                     l->column);
  }
  size_t n = 1;
  while (n < 4 && l->at + n < l->length && ((unsigned char)l->text[l->at + n] & 0xC0) == 0x80) n++;
  return skep_fail(l->err, SKEP_ERR_SYNTAX, "ParseException line %u:%u character '%s' not supported here", l->line,
                   l->column, skep_quote(shown, sizeof shown, l->text + l->at, n));
}

static skep_status add(lexer *l, skep_token_kind kind, size_t length) {
  skep_tokens *out = l->out;
  void *items = out->items;
  skep_status st = skep_grow(l->ctx, &items, &out->capacity, out->n + 1, sizeof *out->items, l->err);
  if (st != SKEP_OK) return st;
  out->items = items;
  out->items[out->n++] =
      (skep_token){(uint8_t)kind, SKEP_NO_KEYWORD, l->line, l->column, (uint32_t)l->at, (uint32_t)length, 0};
  advance(l, length);
  return SKEP_OK;
}

/* ---- comments ---------------------------------------------------------------------------------------------------- */

static skep_status block_comment(lexer *l) {
  size_t n = 2, depth = 1, left = l->length - l->at;
  uint32_t line = l->line, column = l->column;
  while (depth > 0) {
    if (left - n < 2) {
      advance(l, left);
      return not_closed(l, "the comment", line, column);
    }
    const char *at = l->text + l->at + n;
    if (at[0] == '*' && at[1] == '/') {
      depth--;
      n += 2;
    } else if (at[0] == '/' && at[1] == '*') {
      depth++;
      n += 2;
    } else {
      n++;
    }
  }
  if (peek(l, 2) == '+') return add(l, SKEP_TOKEN_HINT, n);
  advance(l, n);
  return SKEP_OK;
}

static void line_comment(lexer *l) {
  size_t n = 2;
  while (l->at + n < l->length && l->text[l->at + n] != '\n' && l->text[l->at + n] != '\r') n++;
  advance(l, n);
}

/* ---- quotes ------------------------------------------------------------------------------------------------------ */

/* Length of a quoted run at `at`, both quotes included; 0 when it does not end. */
static size_t quoted_length(const lexer *l, char quote, bool escapes) {
  size_t left = l->length - l->at, n = 1;
  const char *at = l->text + l->at;
  while (n < left) {
    if (escapes && at[n] == '\\') {
      n += 2;
    } else if (at[n] != quote) {
      n++;
    } else if (!escapes && n + 1 < left && at[n + 1] == quote) {
      n += 2;
    } else {
      return n + 1;
    }
  }
  return 0;
}

static skep_status quoted(lexer *l, char quote) {
  bool identifier = quote == '`' || (quote == '"' && l->quoting == SKEP_QUOTING_STANDARD);
  size_t n = quoted_length(l, quote, !identifier);
  if (n == 0) {
    char what[] = "the quote ?";
    uint32_t line = l->line, column = l->column;
    what[sizeof what - 2] = quote;
    advance(l, l->length - l->at);
    return not_closed(l, what, line, column);
  }
  return add(l, identifier ? SKEP_TOKEN_QUOTED : SKEP_TOKEN_STRING, n);
}

/* ---- words and numbers --------------------------------------------------------------------------------------------
 */

static size_t word_length(const char *at, size_t left) {
  size_t n = 0;
  while (n < left && is_word(at[n])) n++;
  return n;
}

static size_t digits_length(const char *at, size_t left) {
  size_t n = 0;
  while (n < left && is_digit(at[n])) n++;
  return n;
}

/* Length of an exponent at `at`, 0 when there is none. */
static size_t exponent_length(const char *at, size_t left) {
  if (left == 0 || upper(at[0]) != 'E') return 0;
  size_t sign = left > 1 && (at[1] == '+' || at[1] == '-') ? 1 : 0;
  size_t digits = digits_length(at + 1 + sign, left - 1 - sign);
  return digits == 0 ? 0 : 1 + sign + digits;
}

/* What stands behind a number's digits and ends there: its kind, and the suffix's length. */
static skep_token_kind number_suffix(const char *at, size_t left, bool integer, size_t *suffix) {
  size_t n = word_length(at, left);
  char first = n > 0 ? upper(at[0]) : '\0';
  *suffix = n;
  if (n == 0) return SKEP_TOKEN_NUMBER;
  if (n == 1 && first == 'D') return SKEP_TOKEN_DOUBLE;
  if (n == 2 && first == 'B' && upper(at[1]) == 'D') return SKEP_TOKEN_DECIMAL;
  if (n == 1 && integer && (first == 'L' || first == 'S' || first == 'Y')) return SKEP_TOKEN_INTEGRAL;
  if (n == 1 && integer && (first == 'B' || first == 'K' || first == 'M' || first == 'G')) return SKEP_TOKEN_BYTES;
  return SKEP_TOKEN_WORD;
}

static skep_status word(lexer *l, size_t n) {
  skep_keyword keyword = skep_keyword_find(l->text + l->at, n);
  skep_status st = add(l, SKEP_TOKEN_WORD, n);
  if (st == SKEP_OK) l->out->items[l->out->n - 1].keyword = (uint16_t)keyword;
  return st;
}

/* 0x and hex digits, whole. */
static bool is_hex(const char *at, size_t n) {
  if (n < 3 || at[0] != '0' || upper(at[1]) != 'X') return false;
  for (size_t i = 2; i < n; i++) {
    if (!is_digit(at[i]) && (upper(at[i]) < 'A' || upper(at[i]) > 'F')) return false;
  }
  return true;
}

/* A token that begins with a digit: a number if the whole run reads as one, else a name such as 2nd_try. */
static skep_status number_or_word(lexer *l) {
  const char *at = l->text + l->at;
  size_t left = l->length - l->at, suffix;
  size_t n = digits_length(at, left);
  bool integer = true;
  if (n < left && at[n] == '.') {
    integer = false;
    n++;
    n += digits_length(at + n, left - n);
  }
  size_t exponent = exponent_length(at + n, left - n);
  if (exponent > 0) {
    integer = false;
    n += exponent;
  }
  skep_token_kind kind = number_suffix(at + n, left - n, integer, &suffix);
  if (kind != SKEP_TOKEN_WORD) return add(l, kind, n + suffix);
  /* 1.5x is the number 1.5 and the name x; 1e5x is one name, as is 12x. */
  if (memchr(at, '.', n) != NULL) return add(l, SKEP_TOKEN_NUMBER, n);
  size_t whole = word_length(at, left);
  return is_hex(at, whole) ? add(l, SKEP_TOKEN_HEX, whole) : word(l, whole);
}

/* $elem$, $key$, $value$: names in DESCRIBE. */
static size_t dollar_word_length(const lexer *l) {
  static const char *const words[] = {"$ELEM$", "$KEY$", "$VALUE$"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    size_t n = strlen(words[i]), k = 0;
    while (k < n && upper(peek(l, k)) == words[i][k]) k++;
    if (k == n) return n;
  }
  return 0;
}

/* ---- operators ----------------------------------------------------------------------------------------------------
 */

typedef struct symbol {
  const char *text;
  skep_token_kind kind;
} symbol;

/* Longer ones first. */
static const symbol symbols[] = {
    {"<=>", SKEP_TOKEN_NULL_SAFE_EQ},
    {"==", SKEP_TOKEN_EQ},
    {"<>", SKEP_TOKEN_NE},
    {"!=", SKEP_TOKEN_NE},
    {"<=", SKEP_TOKEN_LE},
    {">=", SKEP_TOKEN_GE},
    {"||", SKEP_TOKEN_CONCAT},
    {"=", SKEP_TOKEN_EQ},
    {"<", SKEP_TOKEN_LT},
    {">", SKEP_TOKEN_GT},
    {"!", SKEP_TOKEN_BANG},
    {".", SKEP_TOKEN_DOT},
    {":", SKEP_TOKEN_COLON},
    {",", SKEP_TOKEN_COMMA},
    {";", SKEP_TOKEN_SEMICOLON},
    {"(", SKEP_TOKEN_LPAREN},
    {")", SKEP_TOKEN_RPAREN},
    {"[", SKEP_TOKEN_LSQUARE},
    {"]", SKEP_TOKEN_RSQUARE},
    {"/", SKEP_TOKEN_DIVIDE},
    {"+", SKEP_TOKEN_PLUS},
    {"-", SKEP_TOKEN_MINUS},
    {"*", SKEP_TOKEN_STAR},
    {"%", SKEP_TOKEN_PERCENT},
    {"&", SKEP_TOKEN_AMPERSAND},
    {"~", SKEP_TOKEN_TILDE},
    {"|", SKEP_TOKEN_BAR},
    {"^", SKEP_TOKEN_CARET},
    {"?", SKEP_TOKEN_QUESTION},
};
enum { N_SYMBOLS = sizeof symbols / sizeof symbols[0] };

static skep_status symbol_token(lexer *l) {
  char c = peek(l, 0);
  for (size_t i = 0; i < N_SYMBOLS; i++) {
    const char *text = symbols[i].text;
    if (text[0] != c) continue;
    size_t n = 1;
    while (text[n] != '\0' && text[n] == peek(l, n)) n++;
    if (text[n] == '\0') return add(l, symbols[i].kind, n);
  }
  return bad_character(l);
}

static skep_status charset_token(lexer *l) {
  size_t n = 1;
  for (char c = peek(l, n); is_word(c) || c == '-' || c == '.' || c == ':'; c = peek(l, n)) n++;
  return n == 1 ? bad_character(l) : add(l, SKEP_TOKEN_CHARSET, n);
}

static skep_status next(lexer *l) {
  char c = l->text[l->at], second = peek(l, 1);
  size_t n;
  if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
    advance(l, 1);
    return SKEP_OK;
  }
  if (c == '-' && second == '-') {
    line_comment(l);
    return SKEP_OK;
  }
  if (c == '/' && second == '*') return block_comment(l);
  if (c == '\'' || c == '"' || c == '`') return quoted(l, c);
  if (is_digit(c)) return number_or_word(l);
  if (is_letter(c)) return word(l, word_length(l->text + l->at, l->length - l->at));
  if (c == '_') return charset_token(l);
  if (c == '$' && (n = dollar_word_length(l)) > 0) return add(l, SKEP_TOKEN_WORD, n);
  return symbol_token(l);
}

/* Fills `match`. Brackets that are still open are chained through that very field. */
static void match_brackets(skep_tokens *tokens) {
  uint32_t none = (uint32_t)tokens->n, open = none;
  for (uint32_t i = 0; i < none; i++) {
    skep_token *token = &tokens->items[i];
    if (token->kind == SKEP_TOKEN_LPAREN) {
      token->match = open;
      open = i;
    } else if (token->kind == SKEP_TOKEN_RPAREN && open != none) {
      uint32_t outer = tokens->items[open].match;
      tokens->items[open].match = i;
      open = outer;
    }
  }
  while (open != none) {
    uint32_t outer = tokens->items[open].match;
    tokens->items[open].match = none - 1;
    open = outer;
  }
}

skep_status skep_lex(const skep_ctx *ctx, const char *text, size_t length, skep_quoting quoting, skep_tokens *out,
                     skep_err *err) {
  *out = (skep_tokens){0};
  lexer l = {ctx, text, length, 0, 1, 0, quoting, out, err};
  while (l.at < l.length) SKEP_TRY(next(&l));
  SKEP_TRY(add(&l, SKEP_TOKEN_EOF, 0));
  match_brackets(out);
  return SKEP_OK;
}

const char *skep_token_name(skep_token_kind kind) {
  switch (kind) {
    case SKEP_TOKEN_EOF:
      return "the end of the statement";
    case SKEP_TOKEN_WORD:
    case SKEP_TOKEN_QUOTED:
      return "a name";
    case SKEP_TOKEN_STRING:
      return "a string";
    case SKEP_TOKEN_NUMBER:
    case SKEP_TOKEN_INTEGRAL:
    case SKEP_TOKEN_DOUBLE:
    case SKEP_TOKEN_DECIMAL:
      return "a number";
    case SKEP_TOKEN_BYTES:
      return "a length in bytes";
    case SKEP_TOKEN_HEX:
      return "a hexadecimal number";
    case SKEP_TOKEN_CHARSET:
      return "a character set";
    case SKEP_TOKEN_HINT:
      return "a hint";
    case SKEP_TOKEN_EQ:
      return "'='";
    default:
      break;
  }
  static const char *const quoted_names[SKEP_TOKEN_COUNT] = {
      [SKEP_TOKEN_DOT] = "'.'",       [SKEP_TOKEN_COLON] = "':'",     [SKEP_TOKEN_COMMA] = "','",
      [SKEP_TOKEN_SEMICOLON] = "';'", [SKEP_TOKEN_LPAREN] = "'('",    [SKEP_TOKEN_RPAREN] = "')'",
      [SKEP_TOKEN_LSQUARE] = "'['",   [SKEP_TOKEN_RSQUARE] = "']'",   [SKEP_TOKEN_NULL_SAFE_EQ] = "'<=>'",
      [SKEP_TOKEN_NE] = "'<>'",       [SKEP_TOKEN_LE] = "'<='",       [SKEP_TOKEN_LT] = "'<'",
      [SKEP_TOKEN_GE] = "'>='",       [SKEP_TOKEN_GT] = "'>'",        [SKEP_TOKEN_DIVIDE] = "'/'",
      [SKEP_TOKEN_PLUS] = "'+'",      [SKEP_TOKEN_MINUS] = "'-'",     [SKEP_TOKEN_STAR] = "'*'",
      [SKEP_TOKEN_PERCENT] = "'%'",   [SKEP_TOKEN_AMPERSAND] = "'&'", [SKEP_TOKEN_TILDE] = "'~'",
      [SKEP_TOKEN_BAR] = "'|'",       [SKEP_TOKEN_CONCAT] = "'||'",   [SKEP_TOKEN_CARET] = "'^'",
      [SKEP_TOKEN_QUESTION] = "'?'",  [SKEP_TOKEN_BANG] = "'!'",
  };
  return kind < SKEP_TOKEN_COUNT && quoted_names[kind] != NULL ? quoted_names[kind] : "a token";
}

/* ---- escapes ------------------------------------------------------------------------------------------------------
 */

static int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  char u = upper(c);
  return u >= 'A' && u <= 'F' ? u - 'A' + 10 : -1;
}

/* \uXXXX: its code unit, or -1. */
static int32_t unicode_escape(const char *at, size_t left) {
  if (left < 6 || at[0] != '\\' || at[1] != 'u') return -1;
  int32_t unit = 0;
  for (size_t i = 2; i < 6; i++) {
    int digit = hex_value(at[i]);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

static void add_utf8(skep_buf *out, uint32_t c) {
  if (c < 0x80) {
    skep_buf_byte(out, (uint8_t)c);
    return;
  }
  if (c < 0x800) {
    skep_buf_byte(out, (uint8_t)(0xC0 | c >> 6));
  } else {
    if (c < 0x10000) {
      skep_buf_byte(out, (uint8_t)(0xE0 | c >> 12));
    } else {
      skep_buf_byte(out, (uint8_t)(0xF0 | c >> 18));
      skep_buf_byte(out, (uint8_t)(0x80 | (c >> 12 & 0x3F)));
    }
    skep_buf_byte(out, (uint8_t)(0x80 | (c >> 6 & 0x3F)));
  }
  skep_buf_byte(out, (uint8_t)(0x80 | (c & 0x3F)));
}

/* Code units as Java has them: a pair of surrogates is one character; a lone one is '?', as Java writes it in UTF-8. */
static size_t add_unicode(skep_buf *out, const char *at, size_t left, int32_t unit) {
  if (unit >= 0xD800 && unit < 0xDC00) {
    int32_t low = unicode_escape(at + 6, left - 6);
    if (low >= 0xDC00 && low < 0xE000) {
      add_utf8(out, 0x10000u + ((uint32_t)(unit - 0xD800) << 10) + (uint32_t)(low - 0xDC00));
      return 12;
    }
  }
  if (unit >= 0xD800 && unit < 0xE000)
    skep_buf_byte(out, '?');
  else
    add_utf8(out, (uint32_t)unit);
  return 6;
}

/* \ddd with a first digit of 0 or 1: below 128. */
static bool octal_escape(const char *at, size_t left, uint8_t *out) {
  if (left < 4 || at[1] < '0' || at[1] > '1' || at[2] < '0' || at[2] > '7' || at[3] < '0' || at[3] > '7') return false;
  *out = (uint8_t)((at[1] - '0') * 64 + (at[2] - '0') * 8 + (at[3] - '0'));
  return true;
}

/* One escape at `at` (left >= 2): how many bytes it took. */
static size_t add_escape(skep_buf *out, const char *at, size_t left) {
  int32_t unit = unicode_escape(at, left);
  uint8_t octal;
  if (unit >= 0) return add_unicode(out, at, left, unit);
  if (octal_escape(at, left, &octal)) {
    skep_buf_byte(out, octal);
    return 4;
  }
  switch (at[1]) {
    case '0':
      skep_buf_byte(out, 0);
      break;
    case 'b':
      skep_buf_byte(out, '\b');
      break;
    case 'n':
      skep_buf_byte(out, '\n');
      break;
    case 'r':
      skep_buf_byte(out, '\r');
      break;
    case 't':
      skep_buf_byte(out, '\t');
      break;
    case 'Z':
      skep_buf_byte(out, 0x1A);
      break;
    case '%':
    case '_':
      skep_buf_add(out, at, 2);
      break;
    default:
      skep_buf_byte(out, (uint8_t)at[1]);
      break;
  }
  return 2;
}

bool skep_unescape_string(const char *token, size_t length, skep_buf *out) {
  size_t at = 1, end = length - 1;
  while (at < end) {
    const char *stop = memchr(token + at, '\\', end - at);
    size_t plain = stop == NULL ? end - at : (size_t)(stop - (token + at));
    skep_buf_add(out, token + at, plain);
    at += plain;
    if (at < end) at += add_escape(out, token + at, end - at);
  }
  return out->status == SKEP_OK;
}
