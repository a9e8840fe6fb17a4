/* What the commands of the program share: the command table, exit codes, the environment of a run. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "base/arena.h"
#include "base/ctx.h"
#include "cli/options.h"
#include "io/fs.h"

enum skep_cli_exit {
  SKEP_CLI_OK = 0,
  SKEP_CLI_FAILED = 1,
  SKEP_CLI_USAGE = 2,
  SKEP_CLI_INTERRUPTED = 130 /* as shells report a program ended by SIGINT */
};

typedef struct skep_cli_env {
  const skep_ctx *ctx;
  skep_fs *fs; /* the local file system */
} skep_cli_env;

typedef struct skep_cli_command skep_cli_command;
struct skep_cli_command {
  const char *name;
  const char *summary;  /* one line, for the list of commands */
  const char *synopsis; /* "[OPTION]... PATH..." */
  const char *about;    /* paragraphs of the help page, before the options */
  const skep_cli_option *options;
  size_t n_options;
  const char *notes; /* after the options; or NULL */
  int (*run)(const skep_cli_command *command, const skep_cli_env *env, int argc, char **argv);
};

extern const skep_cli_command skep_cli_compact, skep_cli_why, skep_cli_check, skep_cli_purge_proof;
extern const skep_cli_command skep_cli_cat, skep_cli_inspect, skep_cli_events, skep_cli_housekeeper, skep_cli_metastore;
extern const skep_cli_command skep_cli_shell; /* skep without a command */

/* The program: argv as main gets it. Returns the exit code. */
int skep_cli_main(int argc, char **argv);

/* One line "skep COMMAND: what is wrong" and a hint on standard error; returns SKEP_CLI_USAGE. command may be NULL. */
int skep_cli_wrong_usage(const skep_cli_command *command, const char *format, ...) SKEP_PRINTF(2, 3);

/* One line "skep: text" on standard error; returns the exit code for a status. */
int skep_cli_failed(const skep_err *err);

/* At the end of what went through stdio: a full disk must not look like success. Returns the exit code: `code`, or
 * SKEP_CLI_FAILED after a message. */
int skep_cli_finish_stdout(int code);

/* "skep: warning: text". */
void skep_cli_warn(const char *format, ...) SKEP_PRINTF(1, 2);

#endif
