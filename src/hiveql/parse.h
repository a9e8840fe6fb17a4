/* Text to tree: one HiveQL statement.
 *
 * Comments, hints and one trailing ';' are allowed around it; a second statement behind is an error (split first:
 * hiveql/script.h). Variables are not substituted here (hiveql/script.h does). */
#ifndef HIVEQL_PARSE_H
#define HIVEQL_PARSE_H

#include "hiveql/ast.h"

/* hive.support.quoted.identifiers */
typedef enum skep_quoting {
  SKEP_QUOTING_COLUMN,   /* back-quotes quote identifiers (default) */
  SKEP_QUOTING_NONE,     /* a back-quoted text in a select list is a regular expression over columns */
  SKEP_QUOTING_STANDARD, /* double quotes quote identifiers too */
} skep_quoting;

typedef struct skep_parse_opts {
  skep_quoting quoting;
  uint32_t max_depth; /* nesting of expressions, queries, types; 0: SKEP_PARSE_MAX_DEPTH */
  size_t max_bytes;   /* of the text; 0: SKEP_PARSE_MAX_BYTES */
} skep_parse_opts;

#define SKEP_PARSE_MAX_DEPTH 200u
#define SKEP_PARSE_MAX_BYTES (256u << 20)

/* Parses text[0..length) into `arena` (where the tree and a copy of the text live). opts may be NULL for the defaults.
 *
 * SKEP_ERR_SYNTAX    does not parse: "ParseException line L:C cannot recognize input near 'A' 'B' 'C' in ...", then the
 *                    line with a caret under the place and what was expected there
 * SKEP_ERR_SEMANTIC  parses, and Hive refuses it before names are looked at: number literals (10029), DATETIME (10099),
 *                    rows of VALUES that differ in length
 * SKEP_ERR_LIMIT     nested deeper or longer than opts allows
 * SKEP_ERR_NOMEM     the arena is full
 * *out is NULL on failure. An empty text (blanks and comments only) is SKEP_END, without a message. */
SKEP_NODISCARD skep_status skep_parse_statement(skep_arena *arena, const char *text, size_t length,
                                                const skep_parse_opts *opts, const skep_statement **out, skep_err *err);

/* One expression, to its end: CHECK and DEFAULT texts from the metastore, filters. */
SKEP_NODISCARD skep_status skep_parse_expression(skep_arena *arena, const char *text, size_t length,
                                                 const skep_parse_opts *opts, const skep_expr **out, skep_err *err);

/* One query, to its end: view texts from the metastore. */
SKEP_NODISCARD skep_status skep_parse_query(skep_arena *arena, const char *text, size_t length,
                                            const skep_parse_opts *opts, const skep_query **out, skep_err *err);

#endif
