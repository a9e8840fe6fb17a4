/* skep without a command: HiveQL from -e, -f, standard input or a terminal, on a warehouse. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/shell_int.h"
#include "cli/warehouse.h"
#include "io/posix.h"

enum {
  OPT_WAREHOUSE,
  OPT_EXECUTE,
  OPT_FILE,
  OPT_FORCE,
  OPT_OUTPUTFORMAT,
  OPT_SHOW_HEADER,
  OPT_SILENT,
  OPT_HIVECONF,
  OPT_HIVEVAR,
  OPT_CONF,
  OPT_METASTORE,
  OPT_READ_ONLY,
  OPT_VERSION
};

static const skep_cli_option options[] = {
    {OPT_WAREHOUSE, "w", "DIR",
     "the warehouse: tables, and the metastore unless --metastore says\notherwise; made when "
     "missing (default: ./warehouse)"},
    {OPT_EXECUTE, "e", "SQL", "run these statements; may be repeated"},
    {OPT_FILE, "f", "FILE", "run the statements of a file (-: standard input); may be repeated"},
    {OPT_FORCE, "force", NULL, "go on after a statement that failed"},
    {OPT_OUTPUTFORMAT, "outputformat", "F", SKEP_CLI_FORMAT_NAMES "\n(default: table on a terminal, else tsv2)"},
    {OPT_SHOW_HEADER, "showHeader", "BOOL", "column names first (default true; json and vertical have none)"},
    {OPT_SILENT, "silent", NULL, "no greeting, notices, times or progress"},
    {OPT_HIVECONF, "hiveconf", "K=V", "a setting under Hive's name, as SET K=V; may be repeated"},
    {OPT_HIVEVAR, "hivevar", "K=V", "a variable: ${K} in statements is V; may be repeated"},
    {OPT_CONF, "conf", "FILE", "settings from a hive-site.xml"},
    {OPT_METASTORE, "metastore", "URL",
     "sqlite:PATH or postgresql://... (default: metastore.sqlite in the\nwarehouse)"},
    {OPT_READ_ONLY, "read-only", NULL, "change nothing: any metastore, also of an old Hive, can be looked at"},
    {OPT_VERSION, "version", NULL, "print the version"},
};

static const skep_cli_foreign of_beeline[] = {
    {"-S", "it is --silent here"},
    {"-v", "nothing more is said; .timer on tells how long statements take"},
    {"--verbose", "nothing more is said; .timer on tells how long statements take"},
    {"-i", "give the file first: -f INIT -f FILE"},
    {"-u", "there is no server; -w DIR is the warehouse, --metastore URL its metastore"},
    {"-n", "there is no server; the user is the one of the system (or HADOOP_USER_NAME)"},
    {"-p", "there is no server, and no password"},
    {"-d", "variables are given with --hivevar K=V"},
    {"--define", "variables are given with --hivevar K=V"},
    {"--database", "say USE db first: -e 'USE db' -e '...'"},
    {"-H", "it is --help here"},
};

typedef struct shell_source {
  bool is_file;
  const char *text; /* statements, or a path */
} shell_source;

typedef struct shell_args {
  const char *warehouse, *conf, *metastore;
  bool read_only;
  shell_source *sources;
  uint32_t n_sources;
  skep_cli_words settings; /* K=V */
  skep_session_variable *variables;
  uint32_t n_variables;
  bool force, silent, header;
  skep_cli_format format;
} shell_args;

/* --- the command line --- */

static bool add_variable(shell_args *a, skep_arena *arena, const char *value) {
  const char *equals = strchr(value, '=');
  char *name = skep_arena_strndup(arena, value, (size_t)(equals - value));
  if (name == NULL) return false;
  a->variables[a->n_variables++] = (skep_session_variable){.name = name, .value = equals + 1};
  return true;
}

/* beeline has more formats. */
static const char *format_wanted(const char *value) {
  static const struct {
    const char *name, *want;
  } known[] = {{"tsv", "tsv2 (what beeline calls tsv quotes its values)"},
               {"csv", "csv2 (what beeline calls csv quotes its values)"},
               {"dsv", "tsv2 or csv2 (there is no other delimiter)"},
               {"jsonfile", "json (an object a line)"},
               {"xmlattr", "json (there is no XML)"},
               {"xmlelements", "json (there is no XML)"}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(value, known[i].name) == 0) return known[i].want;
  return "one of " SKEP_CLI_FORMAT_NAMES;
}

static bool set_option(shell_args *a, skep_arena *arena, int id, const char *value, skep_err *err) {
  const char *want = NULL;
  bool pair = (id == OPT_HIVECONF || id == OPT_HIVEVAR) && strchr(value, '=') != NULL && value[0] != '=';
  switch (id) {
    case OPT_WAREHOUSE:
      a->warehouse = value;
      if (value[0] == '\0') want = "a directory";
      break;
    case OPT_EXECUTE:
    case OPT_FILE:
      a->sources[a->n_sources++] = (shell_source){.is_file = id == OPT_FILE, .text = value};
      break;
    case OPT_FORCE:
      a->force = value == NULL || strcmp(value, "true") == 0;
      break;
    case OPT_OUTPUTFORMAT:
      if (!skep_cli_format_parse(value, &a->format)) want = format_wanted(value);
      break;
    case OPT_SHOW_HEADER:
      if (!skep_cli_parse_bool(value, &a->header)) want = "true or false";
      break;
    case OPT_SILENT:
      a->silent = value == NULL || strcmp(value, "true") == 0;
      break;
    case OPT_HIVECONF:
      if (!pair) want = "name=value";
      a->settings.items[a->settings.n++] = value;
      break;
    case OPT_HIVEVAR:
      if (!pair) want = "name=value";
      if (pair && !add_variable(a, arena, value)) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory"), false;
      break;
    case OPT_CONF:
      a->conf = value;
      break;
    case OPT_METASTORE:
      a->metastore = value;
      break;
    case OPT_READ_ONLY:
      a->read_only = true;
      break;
    default:
      break;
  }
  return want == NULL || skep_cli_wrong_value(&options[id], value, want, err);
}

static bool parse_args(shell_args *a, skep_arena *arena, int argc, char **argv, skep_err *err) {
  size_t room = (size_t)argc + 1;
  *a = (shell_args){.warehouse = "warehouse", .header = true, .format = skep_cli_default_format()};
  a->sources = skep_arena_zero(arena, room, sizeof *a->sources);
  a->variables = skep_arena_zero(arena, room, sizeof *a->variables);
  a->settings.items = skep_arena_zero(arena, room, sizeof *a->settings.items);
  if (a->sources == NULL || a->variables == NULL || a->settings.items == NULL)
    return skep_fail(err, SKEP_ERR_NOMEM, "out of memory"), false;
  skep_cli_args args = {.options = options,
                        .n_options = sizeof options / sizeof options[0],
                        .foreign = of_beeline,
                        .n_foreign = sizeof of_beeline / sizeof of_beeline[0],
                        .switches_say = true,
                        .argc = argc,
                        .argv = argv};
  const char *value;
  char quoted[80];
  int id;
  while ((id = skep_cli_next_arg(&args, &value, err)) != SKEP_CLI_DONE) {
    if (id == SKEP_CLI_WRONG) return false;
    if (id == SKEP_CLI_OPERAND) {
      skep_quote(quoted, sizeof quoted, value, strlen(value));
      return skep_fail(err, SKEP_ERR_ARGUMENT, "what is %s? Statements are given with -e, files with -f", quoted),
             false;
    }
    if (!set_option(a, arena, id, value, err)) return false;
  }
  return true;
}

/* --- opening the warehouse --- */

static skep_status open_session(skep_shell *shell, const shell_args *a, const skep_cli_env *env, skep_arena *arena,
                                skep_err *err) {
  char host[256];
  skep_config *config = NULL;
  skep_session_opts opts = {.ctx = env->ctx,
                            .fs = env->fs,
                            .metastore_url = a->metastore,
                            .read_only = a->read_only,
                            .hivevars = a->variables,
                            .n_hivevars = a->n_variables,
                            .user = skep_cli_user()};
  if (gethostname(host, sizeof host) == 0) {
    host[sizeof host - 1] = '\0';
    opts.host = host;
  }
  SKEP_TRY(skep_posix_absolute(arena, a->warehouse, &opts.warehouse_dir, err));
  SKEP_TRY(skep_config_new(env->ctx, &config, err));
  opts.config = config;
  skep_status status = skep_cli_read_settings(env, arena, a->conf, &a->settings, config, err);
  if (status == SKEP_OK) status = skep_session_open(&opts, &shell->session, err);
  skep_config_free(config);
  return status;
}

/* --- running --- */

static void run_sources(skep_shell *shell, const shell_args *a) {
  for (uint32_t i = 0; i < a->n_sources && !shell->terminated; i++) {
    if (shell->quit && shell->exit_code != SKEP_CLI_OK) break;
    shell->quit = false; /* QUIT ends its own source */
    if (a->sources[i].is_file) {
      skep_shell_run_file(shell, a->sources[i].text);
    } else {
      skep_shell_run_text(shell, a->sources[i].text);
    }
  }
  if (a->n_sources > 0) return;
  if (shell->interactive) {
    skep_shell_run_terminal(shell);
    if (!shell->terminated) shell->exit_code = SKEP_CLI_OK;
  } else {
    skep_shell_run_fd(shell, STDIN_FILENO, "standard input");
  }
}

static int shell(const skep_cli_env *env, const shell_args *a, skep_arena *arena) {
  skep_err err = {0};
  bool watched = isatty(STDOUT_FILENO) && !a->silent;
  skep_shell shell = {.ctx = env->ctx,
                      .fs = env->fs,
                      .format = a->format,
                      .header = a->header,
                      .silent = a->silent,
                      .force = a->force,
                      .timer = watched,
                      .interactive = a->n_sources == 0 && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)};
  skep_interrupts_show show = a->silent                          ? SKEP_SHOW_NOTHING
                              : watched && isatty(STDERR_FILENO) ? SKEP_SHOW_TIME
                                                                 : SKEP_SHOW_WAITS;
  skep_status status = skep_interrupts_start(&shell.interrupts, env->ctx, show, &err);
  if (status == SKEP_OK) status = skep_cli_output_init(&shell.out, env->ctx, STDOUT_FILENO, &err);
  if (status == SKEP_OK) status = open_session(&shell, a, env, arena, &err);
  if (status == SKEP_OK) {
    run_sources(&shell, a);
  } else {
    skep_shell_give_up(&shell, &err);
  }
  skep_session_close(shell.session);
  if (shell.out.data != NULL) skep_cli_output_fini(&shell.out);
  skep_interrupts_stop(&shell.interrupts);
  return shell.exit_code;
}

static int run_shell(const skep_cli_command *command, const skep_cli_env *env, int argc, char **argv) {
  skep_err err = {0};
  skep_arena arena;
  shell_args args;
  (void)command;
  skep_arena_init(&arena, env->ctx, 64u << 20);
  int code = parse_args(&args, &arena, argc, argv, &err) ? shell(env, &args, &arena)
                                                         : skep_cli_wrong_usage(NULL, "%s", err.text);
  skep_arena_fini(&arena);
  return code;
}

const skep_cli_command skep_cli_shell = {
    .name = "",
    .summary = "run HiveQL",
    .synopsis = "[OPTION]...",
    .about = "",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .run = run_shell,
};
