/* The inside of the SQL shell: what shell.c (options), shell_run.c (statements) and shell_input.c (where they come
 * from) share. */
#ifndef CLI_SHELL_INT_H
#define CLI_SHELL_INT_H

#include "cli/cli.h"
#include "cli/format.h"
#include "cli/interrupts.h"
#include "hiveql/script.h"
#include "sql/session.h"

typedef struct skep_shell {
  const skep_ctx *ctx;
  skep_fs *fs;
  skep_session *session;
  skep_interrupts interrupts;
  skep_cli_output out;
  skep_cli_format format;
  bool header;
  bool silent;
  bool force;       /* go on after a statement that failed */
  bool interactive; /* a person types */
  bool timer;       /* say how long a statement took */
  bool quit;        /* no more statements: QUIT, or the end after a failure */
  bool terminated;  /* SIGTERM came, or output is gone */
  int exit_code;    /* of the last statement */
  unsigned depth;   /* of SOURCE */
  bool failed;      /* the last statement did, and nothing has said yet where it stands */
} skep_shell;

/* Statements from one place: bytes go in as they come, whole statements are run at once. */
typedef struct skep_shell_script {
  skep_shell *shell;
  const char *name; /* the file, quoted; NULL: what is typed or comes from -e, where nobody counts lines */
  skep_splitter splitter;
  skep_buf dot_command; /* the line of one, as far as it came */
  bool in_dot_command;
  bool at_line_start;
  bool has_begun; /* the first bytes came */
} skep_shell_script;

void skep_shell_script_init(skep_shell_script *script, skep_shell *shell);
void skep_shell_script_fini(skep_shell_script *script);
/* Runs what is complete. Nothing more is run once shell->quit is set. */
void skep_shell_script_feed(skep_shell_script *script, const char *bytes, size_t length);
void skep_shell_script_finish(skep_shell_script *script); /* the end: also what lacks its ';' */

/* Runs one statement or command of the shell, prints its rows or what went wrong, and flushes. */
void skep_shell_statement(skep_shell *shell, const char *text, size_t length);

/* Reports a failure that is not a statement's; it ends the shell. */
void skep_shell_give_up(skep_shell *shell, const skep_err *err);

/* Where statements come from. */
void skep_shell_run_text(skep_shell *shell, const char *text);
void skep_shell_run_file(skep_shell *shell, const char *path);       /* "-": standard input */
void skep_shell_run_fd(skep_shell *shell, int fd, const char *name); /* name: quoted, for messages */
void skep_shell_run_terminal(skep_shell *shell);

#endif
