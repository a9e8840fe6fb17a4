/* Command lines: options with long names before, between and after operands.
 *
 * "--name value" and "--name=value" are the same; "--" ends the options; names are exact (no abbreviations, so that a
 * new option never changes what an old command line means). */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

typedef struct skep_cli_option {
  int id;            /* the command's own, from 0 */
  const char *name;  /* without the dashes; one letter has one dash */
  const char *value; /* what its value is called in help texts; NULL: a switch */
  const char *help;  /* lines separated by '\n' */
} skep_cli_option;

/* Words of another program (beeline), and what is meant here. */
typedef struct skep_cli_foreign {
  const char *word; /* with its dashes */
  const char *hint;
} skep_cli_foreign;

typedef struct skep_cli_args {
  const skep_cli_option *options;
  size_t n_options;
  const skep_cli_foreign *foreign; /* for messages; NULL: none */
  size_t n_foreign;
  int argc;
  char **argv;
  bool switches_say;  /* a switch may also be written --name=true or =false */
  int at;             /* next word, from 0 */
  bool only_operands; /* "--" was seen */
} skep_cli_args;

enum { SKEP_CLI_OPERAND = -1, SKEP_CLI_DONE = -2, SKEP_CLI_WRONG = -3 };

/* The next option's id with its value (NULL for switches; "true" or "false" where one was said), or SKEP_CLI_OPERAND
 * with the word, SKEP_CLI_DONE, or SKEP_CLI_WRONG with the reason in err. */
int skep_cli_next_arg(skep_cli_args *args, const char **value, skep_err *err);

/* How many dashes an option's name has before it. */
int skep_cli_dashes(const char *name);

/* Says in err that an option's value is not what it takes ("a number"); false. */
bool skep_cli_wrong_value(const skep_cli_option *option, const char *value, const char *want, skep_err *err);

/* The name most like `word`, when one is close enough to be meant; else NULL. stride: bytes from one `const char *` to
 * the next, so that a table of structs can be searched by its name member. */
const char *skep_cli_did_you_mean(const char *word, const char *const *first, size_t n, size_t stride);

bool skep_cli_parse_bool(const char *text, bool *out);      /* true false yes no on off 1 0 */
bool skep_cli_parse_count(const char *text, uint64_t *out); /* decimal digits only */

#endif
