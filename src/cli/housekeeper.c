/* skep housekeeper: ends what dead processes left open and keeps the metastore's tables short, once or as a service. A
 * `skep compact` with that role alone (compact_run.c). */
#include "cli/compact_int.h"

static const skep_cli_option options[] = {
    {SKEP_COMPACT_WAREHOUSE, "w", "DIR", "the warehouse (default: ./warehouse)"},
    {SKEP_COMPACT_METASTORE, "metastore", "URL",
     "sqlite:PATH or postgresql:// (default: metastore.sqlite in the\nwarehouse)"},
    {SKEP_COMPACT_CONF, "conf", "FILE", "settings from a hive-site.xml"},
    {SKEP_COMPACT_HIVECONF, "hiveconf", "K=V", "a setting under Hive's name; may be repeated"},
    {SKEP_COMPACT_ONCE, "once", NULL, "one round, then the end"},
    {SKEP_COMPACT_DAEMON, "daemon", NULL,
     "a round every hive.metastore.acid.housekeeper.interval (60s) until\nSIGTERM or SIGINT"},
    {SKEP_COMPACT_SILENT, "silent", NULL, "say nothing of what was done"},
};

static int run_housekeeper(const skep_cli_command *command, const skep_cli_env *env, int argc, char **argv) {
  return skep_compact_command(command, env, argc, argv, SKEP_ROLE_HOUSEKEEPER, "");
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
