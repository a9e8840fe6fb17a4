/* Scripts: from a stream of bytes to single statements; ${variables}; commands that are no SQL.
 *
 * A statement ends at a ';' outside quotes ('...', "...", `...`) and comments (-- to the end of line, nested
 * slash-star).
 * "\;" keeps the ';' in the statement (without the backslash). Lines that begin with "--" are dropped, as Hive's
 * command line does. A line that begins with '!' where a statement could begin is a command to its end of line. */
#ifndef HIVEQL_SCRIPT_H
#define HIVEQL_SCRIPT_H

#include "base/arena.h"
#include "base/buf.h"

/* Fields are the splitter's own. */
typedef struct skep_splitter {
  skep_buf pending;       /* bytes that no statement was taken from yet */
  size_t max_bytes;       /* of one statement */
  size_t at;              /* scanned so far */
  size_t start;           /* where the current statement begins; `at` while none has */
  uint32_t line;          /* of `start` in the whole stream, from 1 */
  uint32_t scan_line;     /* of `at` */
  uint32_t comment_depth; /* open slash-stars */
  uint32_t comment_line;  /* where the outermost of them stands, from 1 */
  char quote;             /* open quote, or 0 */
  bool in_line_comment;
  bool has_begun;  /* something besides blanks and comments was seen */
  bool is_command; /* `!...`: ends with its line */
} skep_splitter;

typedef struct skep_script_statement {
  const char *text; /* without the ';'; NUL-terminated; valid until the next call on the splitter */
  size_t length;
  uint32_t line; /* of its first byte that is no blank or comment, in the stream, from 1 */
} skep_script_statement;

/* max_statement_bytes bounds one statement: SKEP_ERR_LIMIT. */
void skep_splitter_init(skep_splitter *splitter, const skep_ctx *ctx, size_t max_statement_bytes);
void skep_splitter_fini(skep_splitter *splitter);
void skep_splitter_reset(skep_splitter *splitter); /* forgets an unfinished statement (Ctrl-C at a prompt) */

SKEP_NODISCARD skep_status skep_splitter_feed(skep_splitter *splitter, const char *bytes, size_t length, skep_err *err);

/* The next whole statement, blanks and comments only ones skipped. SKEP_END: feed more. */
SKEP_NODISCARD skep_status skep_splitter_next(skep_splitter *splitter, skep_script_statement *out, skep_err *err);

/* After the last feed: what stands there without a ';'. SKEP_END when nothing does. */
SKEP_NODISCARD skep_status skep_splitter_finish(skep_splitter *splitter, skep_script_statement *out, skep_err *err);

/* Whether a statement has begun (a shell shows its continuation prompt), and what is open: 0, a quote character, or '*'
 * for a comment. */
bool skep_splitter_pending(const skep_splitter *splitter);
char skep_splitter_open(const skep_splitter *splitter);

/* What is the first word of a text? Commands are not SQL and are not for the parser, except SET and RESET. */
typedef enum skep_command_kind {
  SKEP_COMMAND_NONE, /* SQL */
  SKEP_COMMAND_SET,  /* SET, but not SET AUTOCOMMIT, SET ROLE */
  SKEP_COMMAND_RESET,
  SKEP_COMMAND_DFS,
  SKEP_COMMAND_ADD,    /* ADD JAR ... */
  SKEP_COMMAND_LIST,   /* LIST JARS ... */
  SKEP_COMMAND_DELETE, /* DELETE JAR|FILE|ARCHIVE, not DELETE FROM */
  SKEP_COMMAND_RELOAD, /* RELOAD, but not RELOAD FUNCTIONS */
  SKEP_COMMAND_COMPILE,
  SKEP_COMMAND_CRYPTO,
  SKEP_COMMAND_ERASURE,
  SKEP_COMMAND_LLAP,
  SKEP_COMMAND_SHELL,  /* !cmd: the shell's */
  SKEP_COMMAND_SOURCE, /* SOURCE file: the shell's */
  SKEP_COMMAND_QUIT,   /* QUIT, EXIT: the shell's */
} skep_command_kind;

/* Leading blanks and comments are skipped; *rest (may be NULL) is set to what follows the word, blanks trimmed. */
skep_command_kind skep_command_of(const char *text, size_t length, const char **rest, size_t *rest_length);

/* Looks a variable up for substitution: `space` is "env", "system", "hiveconf", "hivevar" ("hivevar" too for a bare
 * name). Returns the value (borrowed until the next call) or NULL when there is none. */
typedef const char *skep_variable_lookup(void *self, const char *space, const char *name);

#define SKEP_SUBSTITUTE_DEPTH 40u

/* Replaces ${...} in text, also inside quotes, again in what was put in, up to SKEP_SUBSTITUTE_DEPTH times; unknown
 * names stay as written. SKEP_ERR_SEMANTIC when the depth is not enough; SKEP_ERR_LIMIT when *out grows beyond its
 * maximum. Appends to *out. Source: hiveql.md 1.6, hive.variable.substitute. */
SKEP_NODISCARD skep_status skep_substitute(const char *text, size_t length, skep_variable_lookup *lookup, void *self,
                                           skep_buf *out, skep_err *err);

#endif
