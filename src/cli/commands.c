/* The table of commands, help and version. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "io/posix.h"
#include "skep/version.h"

static const skep_cli_command *const commands[] = {&skep_cli_cat,         &skep_cli_inspect,   &skep_cli_events,
                                                   &skep_cli_housekeeper, &skep_cli_metastore, &skep_cli_compact,
                                                   &skep_cli_why,         &skep_cli_check,     &skep_cli_purge_proof};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static const char exit_text[] =
    "Exit status: 0 done; 1 failed (what was printed before is valid as far as it goes); 2 wrong usage;\n"
    "130 interrupted. A closed pipe is no error. Results go to standard output, everything else to standard error.\n";

static void print_options(const skep_cli_command *c, FILE *to) {
  enum { COLUMN = 30 };
  fputs("\nOptions:\n", to);
  for (size_t i = 0; i < c->n_options; i++) {
    const skep_cli_option *o = &c->options[i];
    int n = fprintf(to, "  %.*s%s%s%s", skep_cli_dashes(o->name), "--", o->name, o->value != NULL ? " " : "",
                    o->value != NULL ? o->value : "");
    const char *line = o->help;
    if (n >= COLUMN) n = (putc('\n', to), 0);
    while (line != NULL) {
      const char *end = strchr(line, '\n');
      int length = end != NULL ? (int)(end - line) : (int)strlen(line);
      fprintf(to, "%*s%.*s\n", COLUMN - n, "", length, line);
      n = 0;
      line = end != NULL ? end + 1 : NULL;
    }
  }
  fprintf(to, "  %-*s%s\n", COLUMN - 2, "--help", "this text");
}

static int command_help(const skep_cli_command *c) {
  printf("skep %s: %s\n\nUsage: skep %s %s\n\n%s", c->name, c->summary, c->name, c->synopsis, c->about);
  print_options(c, stdout);
  if (c->notes != NULL) printf("\n%s", c->notes);
  printf("\n%s", exit_text);
  return SKEP_CLI_OK;
}

static void program_help(FILE *to) {
  fputs(
      "skep: Apache Hive ACID tables without Hive\n\n"
      "Usage: skep [OPTION]...                   HiveQL: from -e, -f, standard input, or a shell\n"
      "       skep COMMAND [OPTION]... PATH...\n",
      to);
  print_options(&skep_cli_shell, to);
  fputs("\nCommands:\n", to);
  for (size_t i = 0; i < N_COMMANDS; i++) fprintf(to, "  %-13s%s\n", commands[i]->name, commands[i]->summary);
  fputs(
      "\n'skep COMMAND --help' explains a command.\n\n"
      "Examples:\n"
      "  skep -e \"SELECT * FROM sales.orders\"            on the warehouse ./warehouse\n"
      "  skep -w /data/warehouse -f nightly.hql\n"
      "  skep cat warehouse/sales.db/orders               rows as Hive would show them\n"
      "  skep cat --where \"day >= DATE '2024-01-01'\" --columns id,day t\n"
      "  skep inspect warehouse/sales.db/orders           which directories count, and why\n"
      "  skep inspect t/delta_0000001_0000001/bucket_00000   what an ORC file holds\n\n",
      to);
  fputs(exit_text, to);
}

/* Asked for anywhere before "--"; a value that happens to be "--help" is not worth the ambiguity. */
static bool has_word(int argc, char **argv, const char *word) {
  for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], word) == 0) return true;
  }
  return false;
}

static bool wants_help(int argc, char **argv) { return has_word(argc, argv, "--help") || has_word(argc, argv, "-h"); }

static int run_command(const skep_cli_command *c, int argc, char **argv) {
  skep_ctx ctx;
  skep_ctx_init(&ctx);
  skep_err err = {0};
  skep_cli_env env = {.ctx = &ctx};
  if (skep_fs_posix_new(&ctx, &env.fs, &err) != SKEP_OK) return skep_cli_failed(&err);
  int code = c->run(c, &env, argc, argv);
  skep_fs_free(env.fs);
  return code;
}

int skep_cli_finish_stdout(int code) {
  bool failed = ferror(stdout) != 0;
  if (fflush(stdout) != 0) failed = true;
  if (!failed) return code;
  fputs("skep: cannot write to standard output\n", stderr);
  return SKEP_CLI_FAILED;
}

static int unknown_command(const char *name) {
  const char *names[N_COMMANDS + 2];
  char quoted[80];
  for (size_t i = 0; i < N_COMMANDS; i++) names[i] = commands[i]->name;
  names[N_COMMANDS] = "--help";
  names[N_COMMANDS + 1] = "--version";
  const char *like = skep_cli_did_you_mean(name, names, N_COMMANDS + 2, sizeof names[0]);
  skep_quote(quoted, sizeof quoted, name, strlen(name));
  const char *kind = name[0] == '-' ? "option" : "command";
  if (strchr(name, ' ') != NULL) return skep_cli_wrong_usage(NULL, "what is %s? Statements are given with -e", quoted);
  if (like == NULL) return skep_cli_wrong_usage(NULL, "unknown %s %s", kind, quoted);
  return skep_cli_wrong_usage(NULL, "unknown %s %s (did you mean %s?)", kind, quoted, like);
}

int skep_cli_main(int argc, char **argv) {
  const char *name = argc < 2 ? "-" : argv[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
    if (argc < 3 || name[0] == '-') {
      program_help(stdout);
      return skep_cli_finish_stdout(SKEP_CLI_OK);
    }
    name = argv[2];
    for (size_t i = 0; i < N_COMMANDS; i++) {
      if (strcmp(name, commands[i]->name) == 0) return skep_cli_finish_stdout(command_help(commands[i]));
    }
    return unknown_command(name);
  }
  if (name[0] == '-') {
    if (wants_help(argc - 1, argv + 1)) {
      program_help(stdout);
    } else if (has_word(argc - 1, argv + 1, "--version")) {
      printf("skep %s\n", SKEP_VERSION_STRING);
    } else {
      return run_command(&skep_cli_shell, argc - 1, argv + 1);
    }
    return skep_cli_finish_stdout(SKEP_CLI_OK);
  }
  for (size_t i = 0; i < N_COMMANDS; i++) {
    if (strcmp(name, commands[i]->name) != 0) continue;
    if (wants_help(argc - 2, argv + 2)) return skep_cli_finish_stdout(command_help(commands[i]));
    return run_command(commands[i], argc - 2, argv + 2);
  }
  return unknown_command(name);
}
