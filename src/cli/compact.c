/* skep compact: the initiator, the workers, the cleaner and the housekeeper of a warehouse, once or until it is told to
 * stop. compact_run.c runs them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/compact_int.h"

static const skep_cli_option options[] = {
    {SKEP_COMPACT_WAREHOUSE, "w", "DIR", "the warehouse (default: ./warehouse)"},
    {SKEP_COMPACT_METASTORE, "metastore", "URL",
     "sqlite:PATH or postgresql:// (default: metastore.sqlite in the\nwarehouse)"},
    {SKEP_COMPACT_CONF, "conf", "FILE", "settings from a hive-site.xml"},
    {SKEP_COMPACT_HIVECONF, "hiveconf", "K=V", "a setting under Hive's name; may be repeated"},
    {SKEP_COMPACT_ONCE, "once", NULL, "one round of each role, then the end (workers: until there is no job)"},
    {SKEP_COMPACT_DAEMON, "daemon", NULL, "go on until SIGTERM or SIGINT"},
    {SKEP_COMPACT_ROLES, "roles", "LIST",
     "initiator,worker,cleaner,housekeeper: some of them (default: those that\nhive.compactor.initiator.on, "
     ".cleaner.on and .worker.threads switch on,\nall when they switch on none)"},
    {SKEP_COMPACT_DRY_RUN, "dry-run", NULL, "say what initiator and cleaner would do, and change nothing"},
    {SKEP_COMPACT_METRICS, "metrics", "FILE|PORT",
     "metrics in Prometheus' text form: a file that is replaced every 15 s,\nor http://127.0.0.1:PORT/metrics"},
    {SKEP_COMPACT_WORKERS, "workers", "N", "worker threads (default: hive.compactor.worker.threads, at least 1)"},
    {SKEP_COMPACT_POOL, "pool", "NAME", "workers take the jobs of this pool only"},
    {SKEP_COMPACT_SILENT, "silent", NULL, "say nothing of what was done"},
};

static bool add_role(unsigned *roles, const char *name, size_t length, skep_err *err) {
  static const struct {
    const char *name;
    unsigned role;
  } all[] = {{"initiator", SKEP_ROLE_INITIATOR},
             {"worker", SKEP_ROLE_WORKER},
             {"cleaner", SKEP_ROLE_CLEANER},
             {"housekeeper", SKEP_ROLE_HOUSEKEEPER}};
  char quoted[80];
  for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
    if (strlen(all[i].name) != length || memcmp(all[i].name, name, length) != 0) continue;
    *roles |= all[i].role;
    return true;
  }
  return skep_fail(err, SKEP_ERR_ARGUMENT, "%s is no role: initiator, worker, cleaner, housekeeper",
                   skep_quote(quoted, sizeof quoted, name, length)),
         false;
}

static bool parse_roles(unsigned *roles, const char *list, skep_err *err) {
  for (const char *at = list;; at++) {
    size_t length = strcspn(at, ",");
    if (!add_role(roles, at, length, err)) return false;
    at += length;
    if (*at == '\0') return true;
  }
}

static const skep_cli_option *option_of(const skep_cli_command *command, int id) {
  for (size_t i = 0; i < command->n_options; i++)
    if (command->options[i].id == id) return &command->options[i];
  return NULL; /* the ids come from there */
}

static bool set_option(skep_compact_args *a, const skep_cli_option *option, const char *value, skep_err *err) {
  uint64_t n;
  switch (option->id) {
    case SKEP_COMPACT_WAREHOUSE:
      a->warehouse.dir = value;
      return true;
    case SKEP_COMPACT_METASTORE:
      a->warehouse.url = value;
      return true;
    case SKEP_COMPACT_CONF:
      a->conf = value;
      return true;
    case SKEP_COMPACT_HIVECONF:
      if (strchr(value, '=') == NULL || value[0] == '=') return skep_cli_wrong_value(option, value, "name=value", err);
      a->settings.items[a->settings.n++] = value;
      return true;
    case SKEP_COMPACT_ONCE:
      a->once = true;
      return true;
    case SKEP_COMPACT_DAEMON:
      a->daemon = true;
      return true;
    case SKEP_COMPACT_ROLES:
      return parse_roles(&a->roles, value, err);
    case SKEP_COMPACT_DRY_RUN:
      a->dry_run = true;
      return true;
    case SKEP_COMPACT_METRICS:
      a->metrics = value;
      return true;
    case SKEP_COMPACT_WORKERS:
      if (!skep_cli_parse_count(value, &n) || n < 1 || n > 64)
        return skep_cli_wrong_value(option, value, "a number from 1 to 64", err);
      a->n_workers = (unsigned)n;
      return true;
    case SKEP_COMPACT_POOL:
      a->pool = value;
      return true;
    default:
      a->silent = true;
      return true;
  }
}

static bool parse_args(skep_compact_args *a, const skep_cli_command *command, skep_arena *arena, int argc, char **argv,
                       const char *hint, skep_err *err) {
  const char *value;
  char quoted[80];
  int id;
  a->settings.items = skep_arena_zero(arena, (size_t)argc + 1, sizeof *a->settings.items);
  if (a->settings.items == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory"), false;
  skep_cli_args args = {.options = command->options, .n_options = command->n_options, .argc = argc, .argv = argv};
  while ((id = skep_cli_next_arg(&args, &value, err)) != SKEP_CLI_DONE) {
    if (id == SKEP_CLI_WRONG) return false;
    if (id == SKEP_CLI_OPERAND) {
      skep_quote(quoted, sizeof quoted, value, strlen(value));
      return skep_fail(err, SKEP_ERR_ARGUMENT, "what is %s? The warehouse is given with -w%s", quoted, hint), false;
    }
    if (!set_option(a, option_of(command, id), value, err)) return false;
  }
  if (a->dry_run && !a->daemon) a->once = true;
  if (a->once != a->daemon) return true;
  return skep_fail(err, SKEP_ERR_ARGUMENT, "say --once or --daemon"), false;
}

int skep_compact_command(const skep_cli_command *command, const skep_cli_env *env, int argc, char **argv,
                         unsigned roles, const char *hint) {
  skep_err err = {0};
  skep_arena arena;
  skep_compact_args args = {.roles = roles};
  int code;
  skep_arena_init(&arena, env->ctx, 1u << 20);
  if (!parse_args(&args, command, &arena, argc, argv, hint, &err)) {
    code = skep_cli_wrong_usage(command, "%s", err.text);
  } else {
    code = skep_compact_main(env, &args, &arena);
  }
  skep_arena_fini(&arena);
  return code;
}

static int run_compact(const skep_cli_command *command, const skep_cli_env *env, int argc, char **argv) {
  return skep_compact_command(command, env, argc, argv, 0, "; one table is compacted by ALTER TABLE ... COMPACT");
}

const skep_cli_command skep_cli_compact = {
    .name = "compact",
    .summary = "compact and clean a warehouse's tables, once or as a service",
    .synopsis = "--once|--daemon [OPTION]...",
    .about =
        "initiator    asks for compactions of tables and partitions that need one\n"
        "worker       does them: many small directories become few large ones\n"
        "cleaner      removes what no reader can need any more: replaced, dropped, aborted\n"
        "housekeeper  ends dead processes' transactions, keeps the metastore's tables short\n"
        "\n"
        "Several may run beside each other, and beside Hive's own services on one metastore.\n"
        "Why something is not cleaned: skep why TABLE, and SHOW COMPACTIONS.\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .notes =
        "Settings: those of Hive (hive.compactor.*), and skep.compactor.window=22:00-06:00,\n"
        "skep.compactor.max.mb.per.sec, skep.compactor.reserve.mb, skep.compactor.incremental=true,\n"
        "skep.compactor.max.attempts. ALTER TABLE t SET TBLPROPERTIES ('skep.compaction.paused'='true')\n"
        "pauses a table.\n",
    .run = run_compact,
};
