/* Text to tokens. Blanks and comments vanish; positions stay. Everything is lexed before parsing starts, so that the
 * parser looks ahead as far as it likes.
 *
 *   identifier  (letter | digit) (letter | digit | '_')*          `...` with `` for one back-quote
 *   string      '...' "..." with backslash escapes; a doubled quote ends one string and begins the next
 *   number      digits ['.' digits*] [('e'|'E') ['+'|'-'] digits] ['D' | 'BD']
 *   integral    digits ('L' | 'S' | 'Y')        bytes  digits ('b' | 'k' | 'm' | 'g')        hex  '0x' hex digits
 *   comment     '--' to the end of line, slash-star (nests); with '+' behind it a hint, which is a token
 *
 * Letters are ASCII. Source: hiveql.md 1.1, 1.2, 1.4. */
#ifndef HIVEQL_LEXER_H
#define HIVEQL_LEXER_H

#include "base/ctx.h"
#include "hiveql/keywords.h"
#include "hiveql/parse.h"

typedef enum skep_token_kind {
  SKEP_TOKEN_EOF,
  SKEP_TOKEN_WORD,     /* identifier or keyword */
  SKEP_TOKEN_QUOTED,   /* quoted identifier, quotes included in the range */
  SKEP_TOKEN_STRING,   /* quotes included */
  SKEP_TOKEN_NUMBER,   /* digits only, or with point or exponent */
  SKEP_TOKEN_INTEGRAL, /* suffix L S Y */
  SKEP_TOKEN_DOUBLE,   /* suffix D */
  SKEP_TOKEN_DECIMAL,  /* suffix BD */
  SKEP_TOKEN_BYTES,    /* 100M */
  SKEP_TOKEN_HEX,      /* 0x41: of character set literals only */
  SKEP_TOKEN_CHARSET,  /* _name */
  SKEP_TOKEN_HINT,
  SKEP_TOKEN_DOT,
  SKEP_TOKEN_COLON,
  SKEP_TOKEN_COMMA,
  SKEP_TOKEN_SEMICOLON,
  SKEP_TOKEN_LPAREN,
  SKEP_TOKEN_RPAREN,
  SKEP_TOKEN_LSQUARE,
  SKEP_TOKEN_RSQUARE,
  SKEP_TOKEN_EQ,
  SKEP_TOKEN_NULL_SAFE_EQ,
  SKEP_TOKEN_NE,
  SKEP_TOKEN_LE,
  SKEP_TOKEN_LT,
  SKEP_TOKEN_GE,
  SKEP_TOKEN_GT,
  SKEP_TOKEN_DIVIDE,
  SKEP_TOKEN_PLUS,
  SKEP_TOKEN_MINUS,
  SKEP_TOKEN_STAR,
  SKEP_TOKEN_PERCENT,
  SKEP_TOKEN_AMPERSAND,
  SKEP_TOKEN_TILDE,
  SKEP_TOKEN_BAR,
  SKEP_TOKEN_CONCAT,
  SKEP_TOKEN_CARET,
  SKEP_TOKEN_QUESTION,
  SKEP_TOKEN_BANG, /* ! */
  SKEP_TOKEN_COUNT
} skep_token_kind;

typedef struct skep_token {
  uint8_t kind;     /* skep_token_kind */
  uint16_t keyword; /* of a WORD; SKEP_NO_KEYWORD */
  uint32_t line, column, offset, length;
  uint32_t match; /* of a '(': the token that closes it (EOF when none does) */
} skep_token;

typedef struct skep_tokens {
  skep_token *items; /* the last one is EOF */
  size_t n, capacity;
} skep_tokens;

/* text stays borrowed by nobody. SKEP_ERR_SYNTAX: a character that no token begins with, an open quote or comment.
 * *out is released with skep_release(ctx, out->items), also after a failure. */
SKEP_NODISCARD skep_status skep_lex(const skep_ctx *ctx, const char *text, size_t length, skep_quoting quoting,
                                    skep_tokens *out, skep_err *err);

const char *skep_token_name(skep_token_kind kind); /* for "expected": "','", "a string" */

/* The bytes of a STRING token without its quotes, escapes resolved, appended to out. Source: hiveql.md 1.4. */
bool skep_unescape_string(const char *token, size_t length, skep_buf *out);

#endif
