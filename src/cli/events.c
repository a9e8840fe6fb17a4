/* skep events: the raw events of ACID files, before any snapshot, delete or projection. */
#include <string.h>
#include <unistd.h>

#include "acid/events.h"
#include "acid/name.h"
#include "cli/common.h"
#include "cli/tree.h"

enum { OPT_LIMIT, OPT_OUTPUTFORMAT, OPT_SHOW_HEADER, OPT_UTF8 };

static const skep_cli_option options[] = {
    {OPT_LIMIT, "limit", "N", "at most N events"},
    {OPT_OUTPUTFORMAT, "outputformat", "F", SKEP_CLI_FORMAT_NAMES "\n(default: table on a terminal, else tsv2)"},
    {OPT_SHOW_HEADER, "showHeader", "BOOL", "column names first (default true; json and vertical have none)"},
    {OPT_UTF8, "utf8", "HOW", "strings that are no UTF-8: as-is, replace (by U+FFFD), fail"},
};

/* The columns, in order. `row` is printed with the file's own row type. */
static const char columns_text[] =
    "struct<file:string,operation:int,originalTransaction:bigint,bucket:int,rowId:bigint,currentTransaction:bigint,"
    "row:string,bucketVersion:int,writerId:int,statementId:int>";
enum { N_EVENT_COLUMNS = 6, COL_FILE = 0, COL_BUCKET = 3, COL_VERSION = 7, COL_WRITER, COL_STATEMENT, N_COLUMNS };

typedef struct events_args {
  skep_cli_words paths;
  skep_cli_format format;
  bool header;
  skep_cli_utf8 utf8;
  uint64_t limit;
} events_args;

typedef struct events_run {
  const skep_cli_env *env;
  skep_arena *arena;
  const skep_type *type;
  skep_cli_formatter formatter;
  skep_cli_printer printer;
  skep_cli_chunk chunk;
  skep_vec extra[4]; /* file, bucketVersion, writerId, statementId */
  bool more;
} events_run;

static bool set_option(events_args *a, int id, const char *value, skep_err *err) {
  const char *want = NULL;
  switch (id) {
    case OPT_LIMIT:
      if (!skep_cli_parse_count(value, &a->limit)) want = "a number of events";
      break;
    case OPT_OUTPUTFORMAT:
      if (!skep_cli_format_parse(value, &a->format)) want = "one of " SKEP_CLI_FORMAT_NAMES;
      break;
    case OPT_SHOW_HEADER:
      if (!skep_cli_parse_bool(value, &a->header)) want = "true or false";
      break;
    case OPT_UTF8:
      if (!skep_cli_utf8_parse(value, &a->utf8)) want = SKEP_CLI_UTF8_NAMES;
      break;
    default:
      break;
  }
  return want == NULL || skep_cli_wrong_value(&options[id], value, want, err);
}

static bool parse_args(events_args *a, skep_arena *arena, int argc, char **argv, skep_err *err) {
  *a = (events_args){.format = skep_cli_default_format(), .header = true, .limit = UINT64_MAX};
  a->paths.items = skep_arena_zero(arena, (size_t)argc + 1, sizeof(char *));
  if (a->paths.items == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory"), false;
  skep_cli_args args = {
      .options = options, .n_options = sizeof options / sizeof options[0], .argc = argc, .argv = argv};
  const char *value;
  int id;
  while ((id = skep_cli_next_arg(&args, &value, err)) != SKEP_CLI_DONE) {
    if (id == SKEP_CLI_WRONG) return false;
    if (id == SKEP_CLI_OPERAND) {
      a->paths.items[a->paths.n++] = value;
    } else if (!set_option(a, id, value, err)) {
      return false;
    }
  }
  if (a->paths.n == 0) return skep_fail(err, SKEP_ERR_ARGUMENT, "a PATH is missing"), false;
  return true;
}

/* Fills the columns that are not in the file: its name (one dictionary entry), the parts of the bucket property. */
static skep_status fill_extra(events_run *run, const char *file, const skep_vec *bucket, skep_err *err) {
  int64_t n = bucket->length;
  for (size_t i = 0; i < 4; i++) {
    skep_vec_reset(&run->extra[i]);
    if (i == 0) run->extra[i].form = SKEP_FORM_DICT;
    SKEP_TRY(skep_vec_reserve(&run->extra[i], n, false, err));
    run->extra[i].length = n;
  }
  uint32_t *offsets;
  uint8_t *bytes;
  size_t length = strlen(file);
  SKEP_TRY(skep_dict_new(run->env->ctx, 1, length, &run->extra[0].dict, &offsets, &bytes, err));
  offsets[0] = 0;
  offsets[1] = (uint32_t)length;
  memcpy(bytes, file, length);
  int32_t *codes = run->extra[0].values.data, *version = run->extra[1].values.data, *writer = run->extra[2].values.data,
          *statement = run->extra[3].values.data;
  const int32_t *property = bucket->values.data;
  for (int64_t i = 0; i < n; i++) {
    skep_bucket parts = {0};
    if (skep_vec_is_valid(bucket, i) && !skep_bucket_decode(property[i], &parts)) parts.version = -1;
    codes[i] = 0;
    version[i] = parts.version;
    writer[i] = parts.writer;
    statement[i] = parts.statement;
  }
  return SKEP_OK;
}

static skep_status print_batch(events_run *run, const char *file, const skep_vec *root, skep_err *err) {
  const skep_vec *columns[N_COLUMNS];
  if (root->n_children != N_EVENT_COLUMNS) {
    return skep_fail(err, SKEP_ERR_INTERNAL, "%u columns instead of %d", root->n_children, N_EVENT_COLUMNS);
  }
  for (uint32_t i = 0; i < N_EVENT_COLUMNS; i++) columns[i + 1] = &root->children[i];
  SKEP_TRY(fill_extra(run, file, columns[COL_BUCKET], err));
  columns[COL_FILE] = &run->extra[0];
  columns[COL_VERSION] = &run->extra[1];
  columns[COL_WRITER] = &run->extra[2];
  columns[COL_STATEMENT] = &run->extra[3];
  SKEP_TRY(skep_cli_format_rows(&run->formatter, columns, root->length, &run->chunk, err));
  return skep_cli_print_chunk(&run->printer, &run->chunk, &run->more, err);
}

static skep_status print_events(events_run *run, const char *file, skep_events *events, skep_err *err) {
  const skep_forms forms = {0};
  skep_batch batch = {0};
  SKEP_TRY(skep_vec_init(&batch.root, run->env->ctx, skep_events_type(events), &forms, err));
  skep_status status = SKEP_OK;
  while (status == SKEP_OK && run->more) {
    if (skep_cli_interrupted()) {
      status = skep_fail(err, SKEP_ERR_CANCELLED, "interrupted");
      break;
    }
    status = skep_events_next(events, 4096, &batch, err);
    if (status == SKEP_OK) status = print_batch(run, file, &batch.root, err);
  }
  skep_vec_fini(&batch.root);
  return status == SKEP_END ? SKEP_OK : status;
}

/* name: for the column `file`; strict: a file without ACID columns is an error, else it is passed over. */
static skep_status do_file(events_run *run, const char *path, const char *name, uint64_t size_bytes, bool strict,
                           skep_err *err) {
  uint64_t length = size_bytes;
  skep_events *events = NULL;
  char quoted[300];
  skep_quote(quoted, sizeof quoted, path, strlen(path));
  skep_status status = skep_cli_logical_length(run->arena, run->env->fs, path, size_bytes, &length, err);
  if (status != SKEP_OK) return strstr(err->text, quoted) == err->text ? status : skep_wrap(err, status, "%s", quoted);
  if (length == 0) {
    if (size_bytes > 0) skep_cli_warn("%s: nothing in it is committed (its side file says 0 bytes)", quoted);
    return SKEP_OK;
  }
  status = skep_events_open(run->env->ctx, run->env->fs, path, length, &events, err);
  status = skep_cli_explain(run->env->fs, path, status, err);
  if (status == SKEP_ERR_ARGUMENT && !strict) {
    skep_cli_warn("%s: no ACID file, left out", quoted);
    return SKEP_OK;
  }
  if (status == SKEP_OK) status = print_events(run, name, events, err);
  skep_events_close(events);
  if (status == SKEP_OK || status == SKEP_ERR_CANCELLED) return status;
  return strstr(err->text, quoted) == err->text ? status : skep_wrap(err, status, "%s", quoted);
}

static bool is_data_file(const skep_cli_tree_entry *entry) {
  const char *slash = strrchr(entry->path, '/');
  skep_file_name name;
  skep_file_name_parse(slash != NULL ? slash + 1 : entry->path, &name);
  return entry->kind != SKEP_ENTRY_DIR &&
         (name.kind == SKEP_DATA_BUCKET || name.kind == SKEP_DATA_ORIGINAL || name.kind == SKEP_FILE_UNKNOWN);
}

/* True when a directory on the way to the file is hidden: staging and temporary directories hold no data. */
static bool is_hidden(const char *path) {
  for (const char *at = path; at != NULL; at = strchr(at, '/')) {
    if (*at == '/') at++;
    if (*at == '_' || *at == '.') return true;
  }
  return false;
}

/* A pipe or a link to nothing where a data file belongs: there is no knowing what its events are. */
static skep_status fail_special(const char *path, skep_err *err) {
  char quoted[300];
  return skep_fail(err, SKEP_ERR_ARGUMENT, "%s is neither a file nor a directory",
                   skep_quote(quoted, sizeof quoted, path, strlen(path)));
}

static skep_status do_path(events_run *run, const char *path, skep_err *err) {
  skep_stat stat;
  SKEP_TRY(skep_fs_stat(run->env->fs, path, &stat, err));
  if (stat.kind == SKEP_ENTRY_OTHER) return fail_special(path, err);
  if (stat.kind == SKEP_ENTRY_FILE) return do_file(run, path, path, stat.size_bytes, true, err);
  skep_cli_tree tree;
  SKEP_TRY(skep_cli_tree_read(run->arena, run->env->fs, path, &tree, err));
  for (size_t i = 0; i < tree.n && run->more; i++) {
    const skep_cli_tree_entry *e = &tree.entries[i];
    if (!is_data_file(e) || is_hidden(e->path)) continue;
    const char *full = skep_cli_join(run->arena, path, e->path);
    if (full == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a path");
    if (e->kind != SKEP_ENTRY_FILE) return fail_special(full, err);
    SKEP_TRY(do_file(run, full, e->path, e->size_bytes, false, err));
  }
  return SKEP_OK;
}

static skep_status print_paths(events_run *run, const events_args *a, skep_err *err) {
  const skep_forms forms = {0};
  static const uint32_t extra_columns[] = {COL_FILE, COL_VERSION, COL_WRITER, COL_STATEMENT};
  for (size_t i = 0; i < 4; i++) {
    SKEP_TRY(skep_vec_init(&run->extra[i], run->env->ctx, run->type->children[extra_columns[i]], &forms, err));
  }
  run->more = a->limit > 0;
  SKEP_TRY(skep_cli_print_begin(&run->printer, err));
  skep_status status = SKEP_OK;
  for (uint32_t i = 0; i < a->paths.n && run->more && status == SKEP_OK; i++)
    status = do_path(run, a->paths.items[i], err);
  skep_status end = skep_cli_print_end(&run->printer, status == SKEP_OK ? err : NULL);
  return status == SKEP_OK ? end : status;
}

static skep_status events(const skep_cli_env *env, const events_args *a, skep_arena *arena, skep_err *err) {
  events_run run = {.env = env, .arena = arena};
  skep_cli_output out;
  skep_cli_signals_install();
  SKEP_TRY(skep_type_parse(arena, columns_text, sizeof columns_text - 1, &run.type, err));
  SKEP_TRY(skep_cli_formatter_init(&run.formatter, arena, a->format, run.type, a->utf8, err));
  SKEP_TRY(skep_cli_output_init(&out, env->ctx, STDOUT_FILENO, err));
  skep_status status = skep_cli_printer_init(&run.printer, env->ctx, &run.formatter, &out, a->header, a->limit, err);
  if (status == SKEP_OK) {
    skep_cli_chunk_init(&run.chunk, env->ctx);
    status = print_paths(&run, a, err);
    for (size_t i = 0; i < 4; i++) skep_vec_fini(&run.extra[i]);
    skep_cli_chunk_fini(&run.chunk);
    skep_cli_printer_fini(&run.printer);
  }
  skep_cli_output_fini(&out);
  return status;
}

static int run_events(const skep_cli_command *command, const skep_cli_env *env, int argc, char **argv) {
  skep_err err = {0};
  skep_arena arena;
  events_args args;
  skep_arena_init(&arena, env->ctx, 1u << 30);
  int code = SKEP_CLI_OK;
  if (!parse_args(&args, &arena, argc, argv, &err)) {
    code = skep_cli_wrong_usage(command, "%s", err.text);
  } else if (events(env, &args, &arena, &err) != SKEP_OK) {
    code = skep_cli_failed(&err);
  }
  skep_arena_fini(&arena);
  return code;
}

const skep_cli_command skep_cli_events = {
    .name = "events",
    .summary = "print the raw events of ACID files",
    .synopsis = "[OPTION]... PATH...",
    .about =
        "Prints every event of ACID data files: of one file, or of all files below a directory. No snapshot is\n"
        "applied: events of aborted, open and compacted transactions are there as well.\n\n"
        "Columns: file (below PATH), operation (0 insert, 1 update, 2 delete), originalTransaction (write id that\n"
        "inserted the row), bucket (the bucket property), rowId, currentTransaction (write id of the event), row\n"
        "(NULL for deletes), and what the bucket property says: bucketVersion (0: a plain bucket number, of Hive\n"
        "before 3), writerId, statementId.\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .run = run_events,
};
