/* skep housekeeper: ends what dead processes left open and keeps the metastore's tables short, once or as a service. A
 * `skep compact` with that role alone (compact_run.c). */
#include <string.h>

#include "cli/common.h"
#include "cli/compact_int.h"

enum { OPT_WAREHOUSE, OPT_METASTORE, OPT_CONF, OPT_HIVECONF, OPT_ONCE, OPT_DAEMON, OPT_SILENT };

static const skep_cli_option options[] = {
    {OPT_WAREHOUSE, "w", "DIR", "the warehouse (default: ./warehouse)"},
    {OPT_METASTORE, "metastore", "URL", "sqlite:PATH or postgresql:// (default: metastore.sqlite in the\nwarehouse)"},
    {OPT_CONF, "conf", "FILE", "settings from a hive-site.xml"},
    {OPT_HIVECONF, "hiveconf", "K=V", "a setting under Hive's name; may be repeated"},
    {OPT_ONCE, "once", NULL, "one round, then the end"},
    {OPT_DAEMON, "daemon", NULL,
     "a round every hive.metastore.acid.housekeeper.interval (60s) until\nSIGTERM or SIGINT"},
    {OPT_SILENT, "silent", NULL, "say nothing of what was done"},
};

static bool set_option(skep_compact_args *a, int id, const char *value, skep_err *err) {
  switch (id) {
    case OPT_WAREHOUSE:
      a->warehouse = value;
      return true;
    case OPT_METASTORE:
      a->metastore = value;
      return true;
    case OPT_CONF:
      a->conf = value;
      return true;
    case OPT_HIVECONF:
      if (strchr(value, '=') == NULL || value[0] == '=')
        return skep_cli_wrong_value(&options[id], value, "name=value", err);
      a->settings.items[a->settings.n++] = value;
      return true;
    case OPT_ONCE:
      a->once = true;
      return true;
    case OPT_DAEMON:
      a->daemon = true;
      return true;
    default:
      a->silent = true;
      return true;
  }
}

static bool parse_args(skep_compact_args *a, skep_arena *arena, int argc, char **argv, skep_err *err) {
  const char *value;
  char quoted[80];
  int id;
  *a = (skep_compact_args){.warehouse = "warehouse", .roles = SKEP_ROLE_HOUSEKEEPER};
  a->settings.items = skep_arena_zero(arena, (size_t)argc + 1, sizeof *a->settings.items);
  if (a->settings.items == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory"), false;
  skep_cli_args args = {
      .options = options, .n_options = sizeof options / sizeof options[0], .argc = argc, .argv = argv};
  while ((id = skep_cli_next_arg(&args, &value, err)) != SKEP_CLI_DONE) {
    if (id == SKEP_CLI_WRONG) return false;
    if (id == SKEP_CLI_OPERAND) {
      skep_quote(quoted, sizeof quoted, value, strlen(value));
      return skep_fail(err, SKEP_ERR_ARGUMENT, "what is %s? The warehouse is given with -w", quoted), false;
    }
    if (!set_option(a, id, value, err)) return false;
  }
  if (a->once != a->daemon) return true;
  return skep_fail(err, SKEP_ERR_ARGUMENT, "say --once or --daemon"), false;
}

static int run_housekeeper(const skep_cli_command *command, const skep_cli_env *env, int argc, char **argv) {
  skep_err err = {0};
  skep_arena arena;
  skep_compact_args args;
  int code;
  skep_arena_init(&arena, env->ctx, 1u << 20);
  if (!parse_args(&args, &arena, argc, argv, &err)) {
    code = skep_cli_wrong_usage(command, "%s", err.text);
  } else {
    code = skep_compact_main(env, &args, &arena);
  }
  skep_arena_fini(&arena);
  return code;
}

const skep_cli_command skep_cli_housekeeper = {
    .name = "housekeeper",
    .summary = "end dead transactions and keep the metastore short",
    .synopsis = "--once|--daemon [OPTION]...",
    .about =
        "Aborts transactions whose processes are not heard of any more (hive.txn.timeout), and locks that nobody\n"
        "keeps; removes rows of the metastore that nobody can need: old transactions, write sets, write ids,\n"
        "repeated components, the history of compactions. Reports transactions that live and do nothing\n"
        "(skep.txn.stall.timeout), or aborts them (skep.txn.stall.action=abort).\n"
        "\n"
        "Several may run beside each other, and beside Hive's: one works at a time. SQL sessions do the same by\n"
        "themselves, now and then, unless skep.housekeeper.on is false.\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .notes = "Files are removed by the cleaner: skep compact.\n",
    .run = run_housekeeper,
};
