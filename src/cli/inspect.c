/* skep inspect: what a file holds; which directories of a table a snapshot uses, and why. */
#include "cli/inspect.h"

#include <string.h>
#include <unistd.h>

#include "cli/common.h"

enum { OPT_JSON, OPT_VERBOSE, OPT_ROW_INDEX, OPT_SNAPSHOT, OPT_VALID_TXNS, OPT_HIVE, OPT_INSERT_ONLY };

static const skep_cli_option options[] = {
    {OPT_JSON, "json", NULL, "as JSON"},
    {OPT_VERBOSE, "verbose", NULL,
     "files: also stripe statistics, row indexes and bloom filters of all columns;\ndirectories: also side files"},
    {OPT_ROW_INDEX, "row-index", "a,b.c", "files: row index and bloom filters of these columns (names or numbers)"},
    {OPT_SNAPSHOT, "snapshot", "WRITEIDS", "directories: what is committed (db.t:hwm:min-open:open:aborted)"},
    {OPT_VALID_TXNS, "valid-txns", "TXNS", "directories: the transactions that count, in the spelling of --hive"},
    {OPT_HIVE, "hive", "VERSION", "directories: decide as this Hive would: 4 (default), 3.1, 2.3 or 1.2"},
    {OPT_INSERT_ONLY, "insert-only", NULL, "directories: the table is insert-only"},
};

typedef struct inspect_args {
  skep_inspect_opts opts;
  skep_cli_words columns;
  const char *snapshot, *valid_txns;
  const char *path;
} inspect_args;

static bool set_option(inspect_args *a, skep_arena *arena, int id, const char *value, skep_err *err) {
  switch (id) {
    case OPT_JSON:
      a->opts.json = true;
      break;
    case OPT_VERBOSE:
      a->opts.verbose = true;
      break;
    case OPT_ROW_INDEX:
      return skep_cli_split_commas(arena, value, &a->columns, err);
    case OPT_SNAPSHOT:
      a->snapshot = value;
      break;
    case OPT_VALID_TXNS:
      a->valid_txns = value;
      break;
    case OPT_INSERT_ONLY:
      a->opts.insert_only = true;
      break;
    case OPT_HIVE:
      if (skep_cli_parse_hive(value, &a->opts.hive)) break;
      char quoted[80];
      skep_quote(quoted, sizeof quoted, value, strlen(value));
      return skep_fail(err, SKEP_ERR_ARGUMENT, "--hive takes 4, 3.1, 2.3 or 1.2, not \"%s\"", quoted), false;
    default:
      break;
  }
  return true;
}

static bool parse_args(inspect_args *a, skep_arena *arena, int argc, char **argv, skep_err *err) {
  *a = (inspect_args){0};
  skep_cli_args args = {
      .options = options, .n_options = sizeof options / sizeof options[0], .argc = argc, .argv = argv};
  const char *value;
  int id;
  while ((id = skep_cli_next_arg(&args, &value, err)) != SKEP_CLI_DONE) {
    if (id == SKEP_CLI_WRONG) return false;
    if (id == SKEP_CLI_OPERAND) {
      if (a->path != NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "one PATH at a time"), false;
      a->path = value;
    } else if (!set_option(a, arena, id, value, err)) {
      return false;
    }
  }
  if (a->path == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "a PATH is missing"), false;
  a->opts.row_index = a->columns.items;
  a->opts.n_row_index = a->columns.n;
  skep_status status = skep_snapshot_parse(arena, a->snapshot, a->valid_txns, a->opts.hive, &a->opts.snapshot, err);
  if (status != SKEP_OK) return skep_wrap(err, status, a->snapshot != NULL ? "--snapshot" : "--valid-txns"), false;
  return true;
}

static skep_status inspect(const skep_cli_env *env, const inspect_args *a, skep_err *err) {
  skep_stat stat;
  skep_cli_output out;
  SKEP_TRY(skep_fs_stat(env->fs, a->path, &stat, err));
  skep_cli_signals_install();
  SKEP_TRY(skep_cli_output_init(&out, env->ctx, STDOUT_FILENO, err));
  skep_status status;
  if (stat.kind == SKEP_ENTRY_DIR) {
    status = skep_inspect_dir(env, a->path, &a->opts, &out, err);
  } else {
    skep_report report;
    skep_report_begin(&report, &out, a->opts.json);
    status = skep_inspect_file(env, a->path, stat.size_bytes, &a->opts, &report, err);
    skep_err second = {0};
    skep_status end = skep_report_end(&report, &second);
    if (status == SKEP_OK && end != SKEP_OK) status = skep_fail(err, end, "%s", second.text);
  }
  skep_cli_output_fini(&out);
  return status;
}

static int run_inspect(const skep_cli_command *command, const skep_cli_env *env, int argc, char **argv) {
  skep_err err = {0};
  skep_arena arena;
  inspect_args args;
  skep_arena_init(&arena, env->ctx, 64u << 20);
  int code = SKEP_CLI_OK;
  if (!parse_args(&args, &arena, argc, argv, &err)) {
    code = skep_cli_wrong_usage(command, "%s", err.text);
  } else if (inspect(env, &args, &err) != SKEP_OK) {
    code = skep_cli_failed(&err);
  }
  skep_arena_fini(&arena);
  return code;
}

const skep_cli_command skep_cli_inspect = {
    .name = "inspect",
    .summary = "explain an ORC file or a table directory",
    .synopsis = "[OPTION]... PATH",
    .about =
        "Of a file: versions, writer, compression, types, statistics, stripes with streams and encodings, user\n"
        "metadata, and what ACID files say about themselves.\n"
        "Of a directory: every directory and file of a table or partition tree with its verdict for the snapshot\n"
        "(used, obsolete, not visible, aborted, ignored, unknown) and the reason in words.\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .run = run_inspect,
};
