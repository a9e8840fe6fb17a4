/* Text -> predicate: a lexer and a recursive-descent parser. AND and OR chains are flat, so that only brackets and NOT
 * nest. */
#include "base/err.h"
#include "column/predicate_int.h"
#include "column/text_int.h"

typedef enum token_kind {
  TOKEN_END,
  TOKEN_NAME,   /* also keywords, which are told apart by the grammar */
  TOKEN_QUOTED, /* `name` */
  TOKEN_STRING,
  TOKEN_NUMBER,
  TOKEN_SYMBOL,
  TOKEN_BAD
} token_kind;

typedef struct token {
  token_kind kind;
  size_t start, end; /* in the text */
  skep_bytes bytes;  /* name or string without quotes and escapes; number or symbol as written */
} token;

typedef struct parser {
  skep_arena *arena;
  const uint8_t *text;
  size_t length;
  token now;
  uint32_t depth;
  skep_err *err;
} parser;

/* ---- lexer ---- */

static bool is_name_start(uint8_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}
static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }
static bool is_blank(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static uint8_t lower(uint8_t c) { return c >= 'A' && c <= 'Z' ? (uint8_t)(c + ('a' - 'A')) : c; }

static uint8_t char_at(const parser *p, size_t i) { return i < p->length ? p->text[i] : 0; }

static skep_status out_of_memory(parser *p) { return skep_fail(p->err, SKEP_ERR_NOMEM, "predicate"); }

static skep_status expected(parser *p, const char *what) {
  char quoted[60];
  if (p->now.kind == TOKEN_END) {
    return skep_fail(p->err, SKEP_ERR_ARGUMENT, "predicate, byte %zu: expected %s, found the end", p->now.start, what);
  }
  size_t n = p->now.end - p->now.start;
  return skep_fail(p->err, SKEP_ERR_ARGUMENT, "predicate, byte %zu: expected %s, found \"%s\"", p->now.start, what,
                   skep_quote(quoted, sizeof quoted, p->text + p->now.start, n));
}

static unsigned hex_value(uint8_t c) {
  if (is_digit(c)) return c - '0';
  c = lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10u : 16u;
}

static size_t put_utf8(uint8_t *at, unsigned c) {
  if (c < 0x80) {
    at[0] = (uint8_t)c;
    return 1;
  }
  if (c < 0x800) {
    at[0] = (uint8_t)(0xc0 | c >> 6);
    at[1] = (uint8_t)(0x80 | (c & 0x3f));
    return 2;
  }
  at[0] = (uint8_t)(0xe0 | c >> 12);
  at[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
  at[2] = (uint8_t)(0x80 | (c & 0x3f));
  return 3;
}

/* Reads the escape whose backslash is at text[i]; writes at most 3 bytes (never more than the escape has); returns its
 * length. Source: hiveql.md 1.4 (HiveQL string literals). */
static size_t unescape(const parser *p, size_t i, uint8_t *to, size_t *n) {
  static const char from_letters[] = "0bnrtZ", to_bytes[] = "\0\b\n\r\t\x1a";
  uint8_t c = char_at(p, i + 1), d = char_at(p, i + 2), e = char_at(p, i + 3);
  *n = 1;
  if ((c == '0' || c == '1') && d >= '0' && d <= '7' && e >= '0' && e <= '7') {
    *to = (uint8_t)((c - '0') * 64 + (d - '0') * 8 + (e - '0'));
    return 4;
  }
  if (c == 'u' && i + 5 < p->length) {
    unsigned v = 0, digit = 0;
    for (size_t k = 2; k < 6 && digit < 16; k++) {
      digit = hex_value(p->text[i + k]);
      v = v * 16 + digit;
    }
    if (digit < 16) {
      *n = put_utf8(to, v);
      return 6;
    }
  }
  if (c == '%' || c == '_') { /* kept for LIKE */
    to[0] = '\\';
    to[1] = c;
    *n = 2;
    return 2;
  }
  const char *letter = memchr(from_letters, c, sizeof from_letters - 1);
  *to = letter != NULL ? (uint8_t)to_bytes[letter - from_letters] : c;
  return 2;
}

/* Behind the closing quote of the piece that starts at text[i]; 0 when it is not closed. */
static size_t piece_end(const parser *p, size_t i) {
  uint8_t quote = p->text[i++];
  while (i < p->length && p->text[i] != quote) i += p->text[i] == '\\' ? 2 : 1;
  return i < p->length ? i + 1 : 0;
}

/* A string: pieces that follow each other are one. The result is never longer than the source. */
static skep_status lex_string(parser *p) {
  size_t i = p->now.start, n = 0;
  for (size_t next = i; char_at(p, next) == '\'' || char_at(p, next) == '"';) {
    p->now.end = piece_end(p, next);
    if (p->now.end == 0) {
      return skep_fail(p->err, SKEP_ERR_ARGUMENT, "predicate, byte %zu: the string is not closed", p->now.start);
    }
    for (next = p->now.end; is_blank(char_at(p, next));) next++;
  }
  uint8_t *to = skep_arena_alloc(p->arena, p->now.end - i), quote = 0;
  if (to == NULL) return out_of_memory(p);
  while (i < p->now.end) {
    uint8_t c = p->text[i];
    if (quote == 0) { /* between pieces */
      if (c == '\'' || c == '"') quote = c;
      i++;
    } else if (c == quote) {
      quote = 0;
      i++;
    } else if (c == '\\') {
      size_t wrote;
      i += unescape(p, i, to + n, &wrote);
      n += wrote;
    } else {
      to[n++] = p->text[i++];
    }
  }
  p->now.kind = TOKEN_STRING;
  p->now.bytes = (skep_bytes){to, n};
  return SKEP_OK;
}

/* `name`, a back-quote doubled inside. */
static skep_status lex_quoted_name(parser *p) {
  size_t i = p->now.start + 1, n = 0;
  while (i < p->length && p->text[i] != 0 && (p->text[i] != '`' || char_at(p, i + 1) == '`')) {
    i += p->text[i] == '`' ? 2 : 1;
  }
  if (char_at(p, i) != '`') {
    return skep_fail(p->err, SKEP_ERR_ARGUMENT, "predicate, byte %zu: the name is not closed", p->now.start);
  }
  p->now.end = i + 1;
  uint8_t *to = skep_arena_alloc(p->arena, i - p->now.start);
  if (to == NULL) return out_of_memory(p);
  for (size_t k = p->now.start + 1; k < i; k += p->text[k] == '`' ? 2 : 1) to[n++] = p->text[k];
  p->now.kind = TOKEN_QUOTED;
  p->now.bytes = (skep_bytes){to, n};
  return SKEP_OK;
}

/* digits [. digits] [e [sign] digits] [L S Y D BD] */
static size_t number_end(const parser *p, size_t i) {
  while (is_digit(char_at(p, i))) i++;
  if (char_at(p, i) == '.') i++;
  while (is_digit(char_at(p, i))) i++;
  if (lower(char_at(p, i)) == 'e') {
    size_t j = i + 1;
    if (char_at(p, j) == '+' || char_at(p, j) == '-') j++;
    if (is_digit(char_at(p, j))) {
      while (is_digit(char_at(p, j))) j++;
      i = j;
    }
  }
  if (lower(char_at(p, i)) == 'b' && lower(char_at(p, i + 1)) == 'd') return i + 2;
  uint8_t suffix = lower(char_at(p, i));
  return i + (suffix == 'l' || suffix == 's' || suffix == 'y' || suffix == 'd');
}

static size_t symbol_length(const parser *p, size_t i) {
  static const char *const symbols[] = {"<=>", "<=", ">=", "<>", "!=", "==", "<", ">",
                                        "=",   "(",  ")",  ",",  ".",  "-",  "+", "!"};
  for (size_t k = 0; k < sizeof symbols / sizeof *symbols; k++) {
    size_t n = strlen(symbols[k]);
    if (n <= p->length - i && memcmp(p->text + i, symbols[k], n) == 0) return n;
  }
  return 0;
}

static skep_status advance(parser *p) {
  size_t i = p->now.end;
  while (i < p->length && is_blank(p->text[i])) i++;
  p->now = (token){.kind = TOKEN_END, .start = i, .end = i};
  if (i >= p->length) return SKEP_OK;
  uint8_t c = p->text[i];
  if (c == '\'' || c == '"') return lex_string(p);
  if (c == '`') return lex_quoted_name(p);
  if (is_name_start(c)) {
    while (is_name_start(char_at(p, i)) || is_digit(char_at(p, i))) i++;
    p->now.kind = TOKEN_NAME;
  } else if (is_digit(c) || (c == '.' && is_digit(char_at(p, i + 1)))) {
    i = number_end(p, i);
    p->now.kind = is_name_start(char_at(p, i)) || is_digit(char_at(p, i)) ? TOKEN_BAD : TOKEN_NUMBER;
    while (p->now.kind == TOKEN_BAD && (is_name_start(char_at(p, i)) || is_digit(char_at(p, i)))) i++;
  } else {
    size_t n = symbol_length(p, i);
    p->now.kind = n != 0 ? TOKEN_SYMBOL : TOKEN_BAD;
    i += n != 0 ? n : 1;
  }
  p->now.end = i;
  p->now.bytes = (skep_bytes){p->text + p->now.start, i - p->now.start};
  return SKEP_OK;
}

static bool is_symbol(const parser *p, const char *symbol) {
  return p->now.kind == TOKEN_SYMBOL && p->now.bytes.left == strlen(symbol) &&
         memcmp(p->now.bytes.at, symbol, p->now.bytes.left) == 0;
}

static bool is_keyword(const parser *p, const char *word) {
  return p->now.kind == TOKEN_NAME && skep_text_equals(p->now.bytes, word);
}

static skep_status require_symbol(parser *p, const char *symbol, const char *what) {
  if (!is_symbol(p, symbol)) return expected(p, what);
  return advance(p);
}

/* ---- nodes ---- */

static skep_pred *new_node(parser *p, skep_pred_op op, size_t position) {
  skep_pred *node = skep_arena_zero(p->arena, 1, sizeof *node);
  if (node == NULL) return NULL;
  node->op = op;
  node->position = position;
  return node;
}

/* Children or literals while they are being collected; copied into an array of the arena at the end. */
typedef struct item {
  struct item *previous;
  const skep_pred *pred;
  skep_literal literal;
} item;

static skep_status push(parser *p, item **last, uint32_t *n, const skep_pred *pred, const skep_literal *literal) {
  item *it = skep_arena_alloc(p->arena, sizeof *it);
  if (it == NULL) return out_of_memory(p);
  it->previous = *last;
  it->pred = pred;
  if (literal != NULL) it->literal = *literal;
  *last = it;
  (*n)++;
  return SKEP_OK;
}

static skep_status set_children(parser *p, skep_pred *node, const item *last, uint32_t n) {
  const skep_pred **children = skep_arena_zero(p->arena, n, sizeof *children);
  if (children == NULL) return out_of_memory(p);
  node->n_children = n;
  node->children = children;
  for (; n != 0; last = last->previous) children[--n] = last->pred;
  return SKEP_OK;
}

static skep_status set_literals(parser *p, skep_pred *node, const item *last, uint32_t n) {
  skep_literal *literals = skep_arena_zero(p->arena, n, sizeof *literals);
  if (literals == NULL) return out_of_memory(p);
  node->n_literals = n;
  node->literals = literals;
  for (; n != 0; last = last->previous) literals[--n] = last->literal;
  return SKEP_OK;
}

static skep_status negate(parser *p, skep_pred **node) {
  skep_pred *not = new_node(p, SKEP_PRED_NOT, (*node)->position);
  if (not == NULL) return out_of_memory(p);
  item child = {.pred = *node};
  SKEP_TRY(set_children(p, not, &child, 1));
  *node = not ;
  return SKEP_OK;
}

/* ---- literals ---- */

static skep_status number_literal(parser *p, bool negative, skep_literal *out) {
  skep_bytes text = p->now.bytes;
  *out = (skep_literal){.kind = SKEP_LIT_DECIMAL};
  uint8_t last = lower(text.at[text.left - 1]), before = text.left > 1 ? lower(text.at[text.left - 2]) : 0;
  if (last == 'd' && before == 'b') {
    text.left -= 2;
  } else if (last == 'd' || last == 'l' || last == 's' || last == 'y') {
    if (last == 'd') out->kind = SKEP_LIT_F64;
    text.left--;
  }
  bool has_exponent = memchr(text.at, 'e', text.left) != NULL || memchr(text.at, 'E', text.left) != NULL;
  if (has_exponent && before != 'b') out->kind = SKEP_LIT_F64;
  uint8_t *copy = skep_arena_alloc(p->arena, text.left + 1);
  if (copy == NULL) return out_of_memory(p);
  copy[0] = '-';
  memcpy(copy + negative, text.at, text.left);
  out->bytes = (skep_bytes){copy, text.left + negative};
  if (!skep_parse_f64(out->bytes, &out->f64)) return expected(p, "a number");
  return advance(p);
}

/* DATE 'text' or TIMESTAMP 'text', of which the first word is the current token. */
static skep_status typed_literal(parser *p, bool is_date, skep_literal *out) {
  SKEP_TRY(advance(p));
  char quoted[60];
  skep_bytes text = p->now.bytes;
  *out = (skep_literal){.kind = is_date ? SKEP_LIT_I64 : SKEP_LIT_TS};
  if (is_date ? !skep_parse_date(text, &out->i64) : !skep_parse_ts(text, &out->ts)) {
    return skep_fail(p->err, SKEP_ERR_ARGUMENT, "predicate, byte %zu: \"%s\" is no %s", p->now.start,
                     skep_quote(quoted, sizeof quoted, text.at, text.left), is_date ? "date" : "timestamp");
  }
  return advance(p);
}

/* The first byte behind the current token and blanks. */
static uint8_t peek(const parser *p) {
  size_t i = p->now.end;
  while (is_blank(char_at(p, i))) i++;
  return char_at(p, i);
}

static bool at_typed_literal(const parser *p) {
  return (is_keyword(p, "date") || is_keyword(p, "timestamp")) && (peek(p) == '\'' || peek(p) == '"');
}

static bool at_literal(const parser *p) {
  return p->now.kind == TOKEN_STRING || p->now.kind == TOKEN_NUMBER || is_symbol(p, "-") || is_symbol(p, "+") ||
         is_keyword(p, "true") || is_keyword(p, "false") || is_keyword(p, "null") || at_typed_literal(p);
}

static skep_status parse_literal(parser *p, skep_literal *out) {
  if (is_symbol(p, "-") || is_symbol(p, "+")) {
    bool negative = is_symbol(p, "-");
    SKEP_TRY(advance(p));
    if (p->now.kind != TOKEN_NUMBER) return expected(p, "a number");
    return number_literal(p, negative, out);
  }
  if (p->now.kind == TOKEN_NUMBER) return number_literal(p, false, out);
  if (at_typed_literal(p)) return typed_literal(p, is_keyword(p, "date"), out);
  if (p->now.kind == TOKEN_STRING) {
    *out = (skep_literal){.kind = SKEP_LIT_BYTES, .bytes = p->now.bytes};
  } else if (is_keyword(p, "null")) {
    *out = (skep_literal){.is_null = true};
  } else if (is_keyword(p, "true") || is_keyword(p, "false")) {
    *out = (skep_literal){.kind = SKEP_LIT_BOOL, .i64 = is_keyword(p, "true")};
  } else {
    /* A shell has taken the quotes away, or two columns are compared. */
    return expected(p, p->now.kind == TOKEN_NAME ? "a literal (text stands in quotes)" : "a literal");
  }
  return advance(p);
}

/* ---- grammar ---- */

bool skep_pred_is_reserved(const char *name, size_t length) {
  static const char *const words[] = {"and", "or", "not", "in", "between", "like", "is", "null", "true", "false"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (skep_text_equals(skep_bytes_of(name, length), words[i])) return true;
  }
  return false;
}

/* name { . name } */
static skep_status parse_column(parser *p, skep_pred *leaf) {
  item *last = NULL;
  uint32_t n = 0;
  leaf->position = p->now.start;
  for (;;) {
    if (p->now.kind != TOKEN_QUOTED &&
        (p->now.kind != TOKEN_NAME ||
         (n == 0 && skep_pred_is_reserved((const char *)p->now.bytes.at, p->now.bytes.left)))) {
      return expected(p, n == 0 ? "a column" : "a field name");
    }
    skep_literal name = {.bytes = p->now.bytes};
    SKEP_TRY(push(p, &last, &n, NULL, &name));
    SKEP_TRY(advance(p));
    if (!is_symbol(p, ".")) break;
    SKEP_TRY(advance(p));
  }
  const char **names = skep_arena_zero(p->arena, n, sizeof *names);
  if (names == NULL) return out_of_memory(p);
  leaf->path_length = n;
  leaf->names = names;
  for (; n != 0; last = last->previous) {
    names[--n] = skep_arena_strndup(p->arena, (const char *)last->literal.bytes.at, last->literal.bytes.left);
    if (names[n] == NULL) return out_of_memory(p);
  }
  return SKEP_OK;
}

/* The comparison at the current token, as its operator with the column on the left; `negated` for <>. */
static bool comparison_at(const parser *p, skep_pred_op *op, bool *negated) {
  static const struct {
    const char *symbol;
    skep_pred_op op;
    bool negated;
  } table[] = {{"=", SKEP_PRED_EQ, false},  {"==", SKEP_PRED_EQ, false}, {"<=>", SKEP_PRED_NULL_EQ, false},
               {"<>", SKEP_PRED_EQ, true},  {"!=", SKEP_PRED_EQ, true},  {"<", SKEP_PRED_LT, false},
               {"<=", SKEP_PRED_LE, false}, {">", SKEP_PRED_GT, false},  {">=", SKEP_PRED_GE, false}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    if (!is_symbol(p, table[i].symbol)) continue;
    *op = table[i].op;
    *negated = table[i].negated;
    return true;
  }
  return false;
}

static skep_pred_op mirrored(skep_pred_op op) {
  switch (op) {
    case SKEP_PRED_LT:
      return SKEP_PRED_GT;
    case SKEP_PRED_LE:
      return SKEP_PRED_GE;
    case SKEP_PRED_GT:
      return SKEP_PRED_LT;
    case SKEP_PRED_GE:
      return SKEP_PRED_LE;
    default:
      return op;
  }
}

static skep_status parse_one_literal(parser *p, skep_pred *leaf) {
  item one = {0};
  SKEP_TRY(parse_literal(p, &one.literal));
  return set_literals(p, leaf, &one, 1);
}

static skep_status parse_in_list(parser *p, skep_pred *leaf) {
  item *last = NULL;
  uint32_t n = 0;
  SKEP_TRY(require_symbol(p, "(", "\"(\" behind IN"));
  for (;;) {
    skep_literal literal;
    SKEP_TRY(parse_literal(p, &literal));
    SKEP_TRY(push(p, &last, &n, NULL, &literal));
    if (!is_symbol(p, ",")) break;
    SKEP_TRY(advance(p));
  }
  SKEP_TRY(require_symbol(p, ")", "\",\" or \")\""));
  return set_literals(p, leaf, last, n);
}

static skep_status parse_between(parser *p, skep_pred *leaf) {
  item lower_end = {0}, upper_end = {.previous = &lower_end};
  SKEP_TRY(parse_literal(p, &lower_end.literal));
  if (!is_keyword(p, "and")) return expected(p, "AND");
  SKEP_TRY(advance(p));
  SKEP_TRY(parse_literal(p, &upper_end.literal));
  return set_literals(p, leaf, &upper_end, 2);
}

/* What follows a column: [NOT] IN | BETWEEN | LIKE, IS [NOT] NULL, or a comparison; nothing means "= TRUE". */
static skep_status parse_after_column(parser *p, skep_pred **node) {
  skep_pred *leaf = *node;
  bool negated = false;
  if (is_keyword(p, "is")) {
    SKEP_TRY(advance(p));
    negated = is_keyword(p, "not");
    if (negated) SKEP_TRY(advance(p));
    if (!is_keyword(p, "null")) return expected(p, negated ? "NULL" : "NULL or NOT NULL");
    SKEP_TRY(advance(p));
    leaf->op = SKEP_PRED_IS_NULL;
    return negated ? negate(p, node) : SKEP_OK;
  }
  if (comparison_at(p, &leaf->op, &negated)) {
    SKEP_TRY(advance(p));
    SKEP_TRY(parse_one_literal(p, leaf));
    return negated ? negate(p, node) : SKEP_OK;
  }
  if (is_keyword(p, "not")) {
    negated = true;
    SKEP_TRY(advance(p));
  }
  if (is_keyword(p, "in")) {
    leaf->op = SKEP_PRED_IN;
    SKEP_TRY(advance(p));
    SKEP_TRY(parse_in_list(p, leaf));
  } else if (is_keyword(p, "between")) {
    leaf->op = SKEP_PRED_BETWEEN;
    SKEP_TRY(advance(p));
    SKEP_TRY(parse_between(p, leaf));
  } else if (is_keyword(p, "like")) {
    leaf->op = SKEP_PRED_LIKE;
    SKEP_TRY(advance(p));
    SKEP_TRY(parse_one_literal(p, leaf));
  } else if (negated) {
    return expected(p, "IN, BETWEEN or LIKE");
  } else if (p->now.kind == TOKEN_END || is_symbol(p, ")") || is_keyword(p, "and") || is_keyword(p, "or")) {
    item is_true = {.literal = {.kind = SKEP_LIT_BOOL, .i64 = 1}};
    leaf->op = SKEP_PRED_EQ;
    return set_literals(p, leaf, &is_true, 1);
  } else {
    return expected(p, "a comparison");
  }
  return negated ? negate(p, node) : SKEP_OK;
}

/* A literal in front: the constants TRUE, FALSE, NULL, or "literal comparison column". */
static skep_status parse_after_literal(parser *p, skep_pred **node) {
  item first = {0};
  skep_pred *leaf = *node;
  bool negated;
  SKEP_TRY(parse_literal(p, &first.literal));
  if (!comparison_at(p, &leaf->op, &negated)) {
    if (!first.literal.is_null && first.literal.kind != SKEP_LIT_BOOL) return expected(p, "a comparison");
    leaf->op = SKEP_PRED_CONST;
    leaf->constant = first.literal.is_null ? SKEP_UNKNOWN : first.literal.i64 != 0 ? SKEP_TRUE : SKEP_FALSE;
    return SKEP_OK;
  }
  leaf->op = mirrored(leaf->op);
  SKEP_TRY(advance(p));
  if (at_literal(p)) return expected(p, "a column");
  SKEP_TRY(parse_column(p, leaf));
  SKEP_TRY(set_literals(p, leaf, &first, 1));
  return negated ? negate(p, node) : SKEP_OK;
}

static skep_status parse_or(parser *p, skep_pred **out);

static skep_status parse_primary(parser *p, skep_pred **out) {
  if (is_symbol(p, "(")) {
    SKEP_TRY(advance(p));
    SKEP_TRY(parse_or(p, out));
    return require_symbol(p, ")", "\")\", AND or OR");
  }
  *out = new_node(p, SKEP_PRED_CONST, p->now.start);
  if (*out == NULL) return out_of_memory(p);
  if (at_literal(p)) return parse_after_literal(p, out);
  SKEP_TRY(parse_column(p, *out));
  return parse_after_column(p, out);
}

static skep_status parse_not(parser *p, skep_pred **out) {
  bool negated = false;
  while (is_keyword(p, "not") || is_symbol(p, "!")) {
    negated = !negated; /* NOT NOT x is x, for unknown too */
    SKEP_TRY(advance(p));
  }
  SKEP_TRY(parse_primary(p, out));
  return negated ? negate(p, out) : SKEP_OK;
}

/* operand { word operand }: one flat node. */
static skep_status parse_chain(parser *p, const char *word, skep_pred_op op,
                               skep_status (*operand)(parser *, skep_pred **), skep_pred **out) {
  item *last = NULL;
  uint32_t n = 0;
  size_t start = p->now.start;
  for (;;) {
    SKEP_TRY(operand(p, out));
    if (n == 0 && !is_keyword(p, word)) return SKEP_OK;
    SKEP_TRY(push(p, &last, &n, *out, NULL));
    if (!is_keyword(p, word)) break;
    SKEP_TRY(advance(p));
  }
  *out = new_node(p, op, start);
  if (*out == NULL) return out_of_memory(p);
  return set_children(p, *out, last, n);
}

static skep_status parse_and(parser *p, skep_pred **out) {
  return parse_chain(p, "and", SKEP_PRED_AND, parse_not, out);
}

static skep_status parse_or(parser *p, skep_pred **out) {
  if (p->depth >= p->arena->ctx->limits.max_type_depth) {
    return skep_fail(p->err, SKEP_ERR_LIMIT, "predicate, byte %zu: nested deeper than %u", p->now.start, p->depth);
  }
  p->depth++;
  skep_status status = parse_chain(p, "or", SKEP_PRED_OR, parse_and, out);
  p->depth--;
  return status;
}

skep_status skep_pred_parse(skep_arena *arena, const char *text, size_t length, const skep_pred **out, skep_err *err) {
  *out = NULL;
  parser p = {.arena = arena, .text = (const uint8_t *)text, .length = length, .err = err};
  skep_pred *pred = NULL;
  SKEP_TRY(advance(&p));
  SKEP_TRY(parse_or(&p, &pred));
  if (p.now.kind != TOKEN_END) return expected(&p, "AND, OR or the end");
  *out = pred;
  return SKEP_OK;
}
