/* The inside of the parser: tokens under a cursor, and what all parse_*.c files share.
 *
 * The parser is recursive descent over a token array, precedence climbing for operators (parse_expr.c). Each function
 * carries its production as a comment. A function that fails has set p->status (the first failure stays) and returns
 * NULL or false; callers just return too. Lookahead never consumes; nothing is parsed twice, but for one thing: after a
 * syntax error the whole text is parsed again with p->recording set, so that the question "what would have fitted
 * here?" costs nothing as long as all is well. */
#ifndef HIVEQL_PARSE_INT_H
#define HIVEQL_PARSE_INT_H

#include "hiveql/lexer.h"

enum { SKEP_P_MAX_EXPECTED = 32, SKEP_P_MAX_HEIGHT = 2000, SKEP_P_MAX_CTES = 500 };

typedef struct skep_parser {
  skep_arena *arena;
  const char *text; /* the arena's copy */
  size_t length;
  const skep_token *tokens;
  size_t n_tokens, at;
  skep_quoting quoting;
  uint32_t depth, max_depth;
  const char *context; /* "select clause": for "cannot recognize input near ... in select clause" */
  size_t decision;     /* a token by which Hive chooses what follows: an error right behind it is shown from here */
  bool recording;
  const char *expected[SKEP_P_MAX_EXPECTED]; /* what was tried at `at` */
  size_t n_expected;
  char *scratch; /* elements of lists that are being read: a stack */
  size_t scratch_n, scratch_capacity;
  skep_status status;
  skep_err *err;
} skep_parser;

/* ---- failures ---- */
/* The current token does not fit, in the words of Hive's parser generator: none of several things ("cannot recognize
 * input near"), the one thing that could stand here ("mismatched input"; "extraneous input" when it stands behind), or
 * a list that needs one item. */
void skep_p_syntax(skep_parser *p);
void skep_p_mismatch(skep_parser *p, const char *expecting, bool is_next);
void skep_p_missing(skep_parser *p, const char *expecting);
void skep_p_no_item(skep_parser *p);
void skep_p_expected(skep_parser *p, const char *what); /* notes what would; static text */
void skep_p_no_memory(skep_parser *p);
/* Any other failure; the text begins with "Line L:C" where pos is not NULL. */
void skep_p_refuse(skep_parser *p, skep_status status, const char *format, ...) SKEP_PRINTF(3, 4);

/* ---- tokens ---- */
static inline const skep_token *skep_p_peek(const skep_parser *p, size_t ahead) {
  size_t at = p->at + ahead;
  return &p->tokens[at < p->n_tokens ? at : p->n_tokens - 1];
}
/* Marks the current token as p->decision. */
static inline void skep_p_decide(skep_parser *p) { p->decision = p->at; }
static inline skep_token_kind skep_p_kind(const skep_parser *p, size_t ahead) {
  return (skep_token_kind)skep_p_peek(p, ahead)->kind;
}
static inline skep_keyword skep_p_keyword(const skep_parser *p, size_t ahead) {
  return (skep_keyword)skep_p_peek(p, ahead)->keyword;
}
void skep_p_next(skep_parser *p);
bool skep_p_at(skep_parser *p, skep_token_kind kind);
bool skep_p_accept(skep_parser *p, skep_token_kind kind);
bool skep_p_expect(skep_parser *p, skep_token_kind kind);
bool skep_p_at_kw(skep_parser *p, skep_keyword keyword);
bool skep_p_accept_kw(skep_parser *p, skep_keyword keyword);
bool skep_p_expect_kw(skep_parser *p, skep_keyword keyword);
/* Two words in a row: both or none. */
bool skep_p_accept_kw2(skep_parser *p, skep_keyword first, skep_keyword second);
/* keyword BY, where only BY can follow. false also after a failure (BY is missing): p->status tells. */
bool skep_p_accept_by(skep_parser *p, skep_keyword keyword);
/* As skep_p_expect_kw, where a name follows: the word alone is missing when the name stands here already. */
bool skep_p_expect_before_name(skep_parser *p, skep_keyword keyword);
/* Words that are names everywhere else (upper case, static). */
bool skep_p_is_word(const skep_parser *p, size_t ahead, const char *word);

skep_pos skep_p_begin(const skep_parser *p);             /* of the current token */
skep_pos skep_p_end(const skep_parser *p, skep_pos pos); /* stretched to the end of the last token consumed */
const char *skep_p_source(skep_parser *p, size_t first_token, size_t end_token); /* text of tokens [first, end) */

/* ---- depth ---- */
bool skep_p_enter(skep_parser *p); /* pair each success with skep_p_leave */
static inline void skep_p_leave(skep_parser *p) { p->depth--; }

/* ---- lists: mark, push, push, take ---- */
static inline size_t skep_p_mark(const skep_parser *p) { return p->scratch_n; }
bool skep_p_push(skep_parser *p, const void *element, size_t size);
/* The elements pushed since mark as an array of the arena; NULL and *n = 0 when there are none. */
const void *skep_p_take(skep_parser *p, size_t mark, size_t size, uint32_t *n);
void *skep_p_new(skep_parser *p, const void *value, size_t size); /* copied into the arena */
#define SKEP_P_NEW(p, value) skep_p_new((p), &(value), sizeof(value))

/* ---- names and texts ---- */
bool skep_p_is_name(const skep_parser *p, size_t ahead); /* identifier or word that is not reserved */
const char *skep_p_name(skep_parser *p);                 /* identifier, lower case */
const char *skep_p_string(skep_parser *p);               /* STRING+ joined, without NUL bytes */
const char *skep_p_one_string(skep_parser *p);           /* STRING; a neighbour is left where it is */
const skep_expr *skep_p_string_literal(skep_parser *p, skep_literal_kind kind, bool join);
bool skep_p_integer(skep_parser *p, uint64_t *out); /* digits only */
bool skep_p_table_name(skep_parser *p, skep_table_name *out);
bool skep_p_names(skep_parser *p, skep_name_list *out);       /* name (, name)* */
bool skep_p_paren_names(skep_parser *p, skep_name_list *out); /* '(' name (, name)* ')' */
bool skep_p_if_exists(skep_parser *p, bool *out);             /* [IF EXISTS] */
bool skep_p_if_not_exists(skep_parser *p, bool *out);         /* [IF NOT EXISTS] */
/* '(' 'k' ['=' 'v'] (, ...)* ')'; with_values: the '=' part must stand */
bool skep_p_properties(skep_parser *p, bool with_values, skep_ast_property_list *out);

/* ---- parts (one file each) ---- */
/* parse_expr.c */
const skep_expr *skep_p_expr(skep_parser *p);
const skep_expr *skep_p_signed(skep_parser *p);   /* an operand, with signs perhaps */
const skep_expr *skep_p_additive(skep_parser *p); /* UPDATE's right sides: + - and tighter */
const skep_expr *skep_p_expr_or_default(skep_parser *p, bool additive);
const skep_expr *skep_p_constant(skep_parser *p);       /* literal, or a minus and a number */
bool skep_p_exprs(skep_parser *p, skep_expr_list *out); /* e (, e)* */
bool skep_p_order_items(skep_parser *p, skep_order_list *out);
const skep_window *skep_p_window_spec(skep_parser *p); /* '(' ... ')' */
/* parse_primary.c */
const skep_expr *skep_p_postfix(skep_parser *p);
const skep_expr *skep_p_call(skep_parser *p);
const skep_expr *skep_p_star_item(skep_parser *p); /* `*`, `t.*`: only where skep_p_at_star */
bool skep_p_at_star(const skep_parser *p);
bool skep_p_at_query(const skep_parser *p); /* at a '(' that opens a query */
/* parse_type.c */
const skep_type *skep_p_type(skep_parser *p);
/* parse_query.c */
const skep_query *skep_p_query(skep_parser *p);
const skep_query *skep_p_paren_query(skep_parser *p);
bool skep_p_with(skep_parser *p, const skep_cte **ctes, uint32_t *n);
const skep_query *skep_p_query_after(skep_parser *p, const skep_cte *ctes, uint32_t n_ctes, const skep_from *from);
const skep_values *skep_p_values(skep_parser *p);
/* parse_from.c */
const skep_from *skep_p_from_source(skep_parser *p); /* behind FROM */
const skep_from *skep_p_table_source(skep_parser *p);
const char *skep_p_alias(skep_parser *p); /* [[AS] name]: NULL when there is none, or after a failure */
/* parse_ddl.c */
bool skep_p_column_defs(skep_parser *p, skep_column_list *out); /* without constraints */
typedef enum skep_p_column_form {
  SKEP_P_COLUMN_NAME,
  SKEP_P_COLUMN_ANY,
  SKEP_P_COLUMN_TYPED,
  SKEP_P_COLUMN_FULL
} skep_p_column_form;
bool skep_p_column_def(skep_parser *p, skep_p_column_form form, skep_column_def *out);
bool skep_p_table_constraint(skep_parser *p, skep_ast_constraint *out);
bool skep_p_bucketing(skep_parser *p, skep_bucketing *out);                                /* behind CLUSTERED */
bool skep_p_skew(skep_parser *p, skep_skew *out);                                          /* behind SKEWED */
bool skep_p_row_format(skep_parser *p, skep_row_format *out);                              /* behind ROW */
bool skep_p_stored(skep_parser *p, skep_file_format *out);                                 /* behind STORED */
bool skep_p_partition_spec(skep_parser *p, bool any_operator, skep_partition_spec *out);   /* at PARTITION */
bool skep_p_partition_values(skep_parser *p, bool any_operator, skep_partition_spec *out); /* the same at '(' */
bool skep_p_optional_partition(skep_parser *p, skep_partition_spec *out);
/* statements: the first word is consumed where the name says so; each fills *s */
typedef bool skep_p_statement(skep_parser *p, skep_statement *s);
skep_p_statement skep_p_query_or_insert; /* parse_dml.c: at WITH, SELECT, FROM, INSERT, VALUES, '(' */
skep_p_statement skep_p_update, skep_p_delete, skep_p_merge, skep_p_load, skep_p_export, skep_p_import;
/* Skips to the end: a statement that is known by name only. */
bool skep_p_other(skep_parser *p, skep_statement *s, const char *what);
/* a name, or a string as written */
const char *skep_p_name_or_string(skep_parser *p);
skep_p_statement skep_p_create, skep_p_drop, skep_p_truncate;               /* parse_create.c */
skep_p_statement skep_p_alter;                                              /* parse_alter.c */
skep_p_statement skep_p_show, skep_p_describe, skep_p_analyze, skep_p_msck; /* parse_show.c */
bool skep_p_any_statement(skep_parser *p, skep_statement *s);               /* parse_statement.c */

/* parse_command.c: SET, RESET and what is no SQL. SKEP_END: it is SQL. */
SKEP_NODISCARD skep_status skep_parse_command(skep_arena *arena, const char *text, size_t length, skep_statement *out,
                                              skep_err *err);

#endif
