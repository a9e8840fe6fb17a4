/* skep cat: the rows of ORC files, table directories and partition trees, as Hive would show them. */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "acid/plan.h"
#include "api/ordered.h"
#include "base/pool.h"
#include "cli/common.h"
#include "cli/progress.h"

enum {
  OPT_ROW_IDS,
  OPT_COLUMNS,
  OPT_WHERE,
  OPT_LIMIT,
  OPT_SNAPSHOT,
  OPT_VALID_TXNS,
  OPT_SCHEMA,
  OPT_PARTITION_SCHEMA,
  OPT_PARTITION,
  OPT_HIVE,
  OPT_EVOLUTION,
  OPT_CALENDAR,
  OPT_INSERT_ONLY,
  OPT_OUTPUTFORMAT,
  OPT_SHOW_HEADER,
  OPT_UTF8,
  OPT_THREADS,
  OPT_SILENT
};

static const skep_cli_option options[] = {
    {OPT_ROW_IDS, "row-ids", NULL, "put writeid, bucketid and rowid before the columns"},
    {OPT_COLUMNS, "columns", "a,b.c", "only these columns, in this order; a.b is a field of a struct"},
    {OPT_WHERE, "where", "PRED",
     "only rows for which PRED is true: = <> < <= > >= <=>\nIN BETWEEN LIKE IS [NOT] NULL under AND OR NOT;\na column "
     "and literals: 1.5 'text' DATE '2024-01-31'"},
    {OPT_LIMIT, "limit", "N", "at most N rows"},
    {OPT_SNAPSHOT, "snapshot", "WRITEIDS", "what is committed, as Hive says it: db.t:hwm:min-open:open:aborted"},
    {OPT_VALID_TXNS, "valid-txns", "TXNS", "the transactions that count, in the spelling of --hive"},
    {OPT_SCHEMA, "schema", "TYPE", "the table's columns: struct<a:int,b:string>; else taken from the files"},
    {OPT_PARTITION_SCHEMA, "partition-schema", "TYPE", "types of the partition columns; else strings"},
    {OPT_PARTITION, "partition", "k=v", "only partitions with this value; repeated for one column: any of\nthe values"},
    {OPT_HIVE, "hive", "VERSION", "read as this Hive would: 4 (default), 3.1, 2.3 or 1.2"},
    {OPT_EVOLUTION, "evolution", "HOW", "match old files' columns by position or name"},
    {OPT_CALENDAR, "calendar", "WHICH", "of dates in files that do not say: hybrid or proleptic"},
    {OPT_INSERT_ONLY, "insert-only", NULL, "the table is insert-only (otherwise seen from its files)"},
    {OPT_OUTPUTFORMAT, "outputformat", "F", SKEP_CLI_FORMAT_NAMES "\n(default: table on a terminal, else tsv2)"},
    {OPT_SHOW_HEADER, "showHeader", "BOOL", "column names first (default true; json and vertical have none)"},
    {OPT_UTF8, "utf8", "HOW", "strings that are no UTF-8: as-is, replace (by U+FFFD), fail"},
    {OPT_THREADS, "threads", "N", "default: as many as there are processors"},
    {OPT_SILENT, "silent", NULL, "no warnings, no progress bar"},
};

typedef struct cat_args {
  skep_plan_opts plan;
  const char *snapshot, *valid_txns;
  skep_cli_words paths, columns, partitions;
  skep_cli_format format;
  bool header, silent;
  skep_cli_utf8 utf8;
  bool as_hive; /* --hive was given */
  uint64_t limit, threads;
} cat_args;

static bool one_of(const char *value, const char *a, const char *b, int for_a, int for_b, int *out) {
  if (strcmp(value, a) == 0) return *out = for_a, true;
  if (strcmp(value, b) == 0) return *out = for_b, true;
  return false;
}

/* False with a message that says what the option takes. */
static bool set_option(cat_args *a, skep_arena *arena, int id, const char *value, skep_err *err) {
  const char *want = NULL;
  switch (id) {
    case OPT_ROW_IDS:
      a->plan.row_ids = true;
      break;
    case OPT_COLUMNS:
      return skep_cli_split_commas(arena, value, &a->columns, err);
    case OPT_WHERE:
      a->plan.predicate = value;
      break;
    case OPT_LIMIT:
      if (!skep_cli_parse_count(value, &a->limit)) want = "a number of rows";
      break;
    case OPT_SNAPSHOT:
      a->snapshot = value;
      break;
    case OPT_VALID_TXNS:
      a->valid_txns = value;
      break;
    case OPT_SCHEMA:
      a->plan.schema = value;
      break;
    case OPT_PARTITION_SCHEMA:
      a->plan.partition_schema = value;
      break;
    case OPT_PARTITION:
      if (strchr(value, '=') == NULL) want = "name=value";
      a->partitions.items[a->partitions.n++] = value;
      break;
    case OPT_HIVE:
      if (!skep_cli_parse_hive(value, &a->plan.hive)) want = "4, 3.1, 2.3 or 1.2";
      a->as_hive = true;
      break;
    case OPT_EVOLUTION:
      if (!one_of(value, "position", "name", 0, 1, &a->plan.evolution_by_name)) want = "position or name";
      break;
    case OPT_CALENDAR:
      if (!one_of(value, "hybrid", "proleptic", SKEP_CALENDAR_HYBRID, SKEP_CALENDAR_PROLEPTIC, &a->plan.calendar)) {
        want = "hybrid or proleptic";
      }
      break;
    case OPT_INSERT_ONLY:
      a->plan.insert_only = true;
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
    case OPT_THREADS:
      if (!skep_cli_parse_count(value, &a->threads) || a->threads == 0 || a->threads > 256)
        want = "a number from 1 to 256";
      break;
    case OPT_SILENT:
      a->silent = true;
      break;
    default:
      break;
  }
  return want == NULL || skep_cli_wrong_value(&options[id], value, want, err);
}

/* What can be said to be wrong without looking at a file is wrong usage. */
static bool check_texts(cat_args *a, skep_arena *arena, skep_err *err) {
  /* Every Hive hands its strings out through Java's, which have U+FFFD where the bytes are no UTF-8. */
  if (a->as_hive && a->utf8 == SKEP_CLI_UTF8_DEFAULT) a->utf8 = SKEP_CLI_UTF8_REPLACE;
  const skep_type *type;
  const skep_pred *pred;
  const struct {
    const char *text;
    const char *name;
  } types[] = {{a->plan.schema, "schema"}, {a->plan.partition_schema, "partition-schema"}};
  for (size_t i = 0; i < 2; i++) {
    if (types[i].text == NULL) continue;
    skep_status status = skep_type_parse(arena, types[i].text, strlen(types[i].text), &type, err);
    if (status == SKEP_OK && type->kind != SKEP_STRUCT) status = skep_fail(err, SKEP_ERR_ARGUMENT, "not a struct<...>");
    if (status != SKEP_OK) return skep_wrap(err, status, "--%s", types[i].name), false;
  }
  if (a->plan.predicate != NULL) {
    skep_status status = skep_pred_parse(arena, a->plan.predicate, strlen(a->plan.predicate), &pred, err);
    if (status != SKEP_OK) return skep_wrap(err, status, "--where"), false;
  }
  skep_status status = skep_snapshot_parse(arena, a->snapshot, a->valid_txns, a->plan.hive, &a->plan.snapshot, err);
  if (status == SKEP_OK) return true;
  return skep_wrap(err, status,
                   a->snapshot != NULL && a->valid_txns != NULL ? "--snapshot, --valid-txns"
                   : a->snapshot != NULL                        ? "--snapshot"
                                                                : "--valid-txns"),
         false;
}

static bool parse_args(cat_args *a, skep_arena *arena, int argc, char **argv, skep_err *err) {
  *a = (cat_args){.plan = {.evolution_by_name = -1, .calendar = -1}, .header = true, .limit = UINT64_MAX};
  a->format = skep_cli_default_format();
  a->threads = skep_cpu_count();
  a->paths.items = skep_arena_zero(arena, (size_t)argc + 1, sizeof(char *));
  a->partitions.items = skep_arena_zero(arena, (size_t)argc + 1, sizeof(char *));
  if (a->paths.items == NULL || a->partitions.items == NULL)
    return skep_fail(err, SKEP_ERR_NOMEM, "out of memory"), false;
  skep_cli_args args = {
      .options = options, .n_options = sizeof options / sizeof options[0], .argc = argc, .argv = argv};
  const char *value;
  int id;
  while ((id = skep_cli_next_arg(&args, &value, err)) != SKEP_CLI_DONE) {
    if (id == SKEP_CLI_WRONG) return false;
    if (id == SKEP_CLI_OPERAND) {
      a->paths.items[a->paths.n++] = value;
    } else if (!set_option(a, arena, id, value, err)) {
      return false;
    }
  }
  if (a->paths.n == 0) return skep_fail(err, SKEP_ERR_ARGUMENT, "a PATH is missing"), false;
  a->plan.columns = a->columns.items;
  a->plan.n_columns = a->columns.n;
  a->plan.partition_filters = a->partitions.items;
  a->plan.n_partition_filters = a->partitions.n;
  return check_texts(a, arena, err);
}

/* --- running --- */

typedef struct cat_run {
  const skep_ctx *ctx;
  const skep_plan *plan;
  skep_cli_formatter formatter;
  const uint32_t *order; /* which column of a batch is shown at each place */
  skep_cli_progress progress;
  bool progress_in_rows;
} cat_run;

/* True when a word of --columns asks for the column of this name or for a field in it. */
static bool asks_for(const char *word, const char *name) {
  size_t quote = word[0] == '`', length = strlen(name);
  if (strncasecmp(word + quote, name, length) != 0) return false;
  char next = word[quote + length];
  return next == '\0' || next == '.' || next == '`';
}

/* Scans deliver columns in the table's order, row ids first; they are shown in the order of --columns. `shown` is the
 * plan's type with its children in that order. */
static skep_status choose_order(cat_run *run, const cat_args *a, skep_arena *arena, skep_type *shown, skep_err *err) {
  const skep_type *type = run->plan->type;
  uint32_t n = 0, n_all = type->n_children;
  *shown = *type;
  if (type->kind != SKEP_STRUCT) return SKEP_OK;
  uint32_t *order = skep_arena_zero(arena, (size_t)n_all + 1, sizeof *order);
  bool *taken = skep_arena_zero(arena, (size_t)n_all + 1, sizeof *taken);
  const char **names = skep_arena_zero(arena, (size_t)n_all + 1, sizeof *names);
  if (order == NULL || taken == NULL || names == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "columns");
  uint32_t n_ids = a->plan.row_ids && n_all >= 3 ? 3 : 0;
  for (; n < n_ids; n++) order[n] = n, taken[n] = true;
  for (uint32_t w = 0; w < a->columns.n && n < n_all; w++) {
    for (uint32_t c = n_ids; c < n_all; c++) {
      if (taken[c] || !asks_for(a->columns.items[w], type->names[c])) continue;
      order[n++] = c;
      taken[c] = true;
      break;
    }
  }
  for (uint32_t c = 0; c < n_all; c++) {
    if (!taken[c]) order[n++] = c;
  }
  for (uint32_t i = 0; i < n_all; i++) names[i] = type->names[order[i]];
  shown->names = names;
  run->order = order;
  return SKEP_OK;
}

/* Any thread: a batch becomes a chunk of text. */
static skep_status to_text(void *self, skep_batch *batch, void *item, skep_err *err) {
  cat_run *run = self;
  skep_cli_chunk *chunk = item;
  if (chunk->text.ctx == NULL) skep_cli_chunk_init(chunk, run->ctx);
  const skep_vec *root = &batch->root;
  if (run->formatter.bare) return skep_cli_format_rows(&run->formatter, &root, root->length, chunk, err);
  uint32_t n = run->formatter.n_columns;
  if (n > root->n_children)
    return skep_fail(err, SKEP_ERR_INTERNAL, "%u columns planned, %u read", n, root->n_children);
  const skep_vec **columns = skep_alloc_zero(run->ctx, (size_t)n + 1, sizeof *columns);
  if (columns == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for %u columns", n);
  for (uint32_t i = 0; i < n; i++) columns[i] = &root->children[run->order[i]];
  skep_status status = skep_cli_format_rows(&run->formatter, columns, root->length, chunk, err);
  skep_release(run->ctx, columns);
  return status;
}

static void chunk_fini(void *self, void *item) {
  (void)self;
  skep_cli_chunk_fini(item);
}

static bool on_tick(void *self, const skep_ordered *ordered) {
  cat_run *run = self;
  if (skep_cli_interrupted()) return false;
  if (run->progress.enabled) {
    skep_ordered_progress p = skep_ordered_progress_of(ordered);
    skep_cli_progress_show(&run->progress, run->progress_in_rows ? p.rows_read : p.splits_done, p.rows_read);
  }
  return true;
}

/* Rows that come faster than they can be printed never let the scan wait: the clock is looked at after each chunk, too.
 */
static skep_status print_all(cat_run *run, skep_ordered *ordered, skep_cli_printer *printer, skep_err *err) {
  bool more = printer->left > 0;
  SKEP_TRY(skep_cli_print_begin(printer, err));
  while (more) {
    void *item;
    skep_status status = skep_ordered_next(ordered, &item, err);
    if (status == SKEP_END) break;
    if (status != SKEP_OK) {
      /* What came before the failure is good and shown; should that fail as well, the first failure is the one to tell.
       */
      return skep_cli_print_end(printer, NULL) == SKEP_END ? SKEP_ERR_INTERNAL : status;
    }
    SKEP_TRY(skep_cli_print_chunk(printer, item, &more, err));
    if (!on_tick(run, ordered)) return skep_fail(err, SKEP_ERR_CANCELLED, "interrupted");
  }
  return skep_cli_print_end(printer, err);
}

static void progress_start(cat_run *run, bool silent) {
  uint64_t rows = 0;
  run->progress_in_rows = true;
  for (uint32_t i = 0; i < run->plan->n_splits; i++) {
    rows += run->plan->splits[i].n_rows_hint;
    if (run->plan->splits[i].n_rows_hint == 0) run->progress_in_rows = false;
  }
  skep_cli_progress_init(&run->progress, run->ctx, run->progress_in_rows ? rows : run->plan->n_splits, !silent);
}

/* A limit without a predicate is met by the first rows: no read-ahead then, and no more rows decoded than asked for. */
static bool is_glance(const cat_args *a) { return a->limit <= 10000 && a->plan.predicate == NULL; }

static int64_t batch_rows(const cat_args *a) {
  return is_glance(a) && a->limit > 0 && a->limit < 4096 ? (int64_t)a->limit : 4096;
}

static skep_status run_scan(cat_run *run, const cat_args *a, skep_scan_cache *cache, skep_cli_output *out,
                            skep_err *err) {
  skep_cli_printer printer;
  skep_ordered_opts opts = {.n_threads = is_glance(a) ? 1 : (uint32_t)a->threads,
                            .batch_rows = batch_rows(a),
                            .forms = {.keep_dictionaries = true},
                            .item_size = sizeof(skep_cli_chunk),
                            .transform = to_text,
                            .item_fini = chunk_fini,
                            .tick = on_tick,
                            .self = run};
  skep_ordered *ordered = NULL;
  /* Of an empty table that nothing says the columns of there is nothing to print, not an empty line. */
  bool has_header = run->plan->n_splits != 0 || run->plan->type->n_children != 0;
  SKEP_TRY(skep_cli_printer_init(&printer, run->ctx, &run->formatter, out, a->header && has_header, a->limit, err));
  progress_start(run, a->silent);
  skep_status status = skep_ordered_open(run->ctx, cache, run->plan->splits, run->plan->n_splits, &opts, &ordered, err);
  if (status == SKEP_OK) status = print_all(run, ordered, &printer, err);
  skep_ordered_close(ordered);
  skep_cli_progress_clear(&run->progress);
  skep_cli_printer_fini(&printer);
  return status;
}

static void print_notices(const skep_plan *plan) {
  enum { MOST = 20 };
  for (uint32_t i = 0; i < plan->n_notices && i < MOST; i++) {
    const skep_plan_notice *n = &plan->notices[i];
    char path[300];
    if (n->path != NULL && n->path[0] != '\0') {
      skep_cli_warn("%s: %s", skep_quote(path, sizeof path, n->path, strlen(n->path)), n->text);
    } else {
      skep_cli_warn("%s", n->text);
    }
  }
  if (plan->n_notices > MOST) skep_cli_warn("%u more like these ('skep inspect' lists all)", plan->n_notices - MOST);
}

/* "db.table" is a name of the shell's. */
static skep_status hint_table(const cat_args *a, skep_status status, skep_err *err) {
  const char *path = a->paths.n == 1 ? a->paths.items[0] : "", *dot = strchr(path, '.');
  char quoted[200], message[600];
  if (dot == NULL || dot == path || dot[1] == '\0' || strpbrk(path, "/ ") != NULL || strchr(dot + 1, '.') != NULL)
    return status;
  snprintf(message, sizeof message, "%s", err->text);
  skep_quote(quoted, sizeof quoted, path, strlen(path));
  return skep_fail(err, status,
                   "%s (cat takes files and directories; a table by its name: skep -w WAREHOUSE -e "
                   "'SELECT * FROM %s')",
                   message, quoted);
}

static skep_status cat(const skep_cli_env *env, const cat_args *a, skep_arena *arena, skep_err *err) {
  cat_run run = {.ctx = env->ctx};
  skep_plan *plan = NULL;
  skep_scan_cache *cache = NULL;
  skep_cli_output out = {0};
  skep_status status = skep_plan_make(env->ctx, env->fs, a->paths.items, a->paths.n, &a->plan, &plan, err);
  if (status == SKEP_ERR_NOT_FOUND) return hint_table(a, status, err);
  if (status != SKEP_OK) return status;
  run.plan = plan;
  if (!a->silent) print_notices(plan);
  skep_cli_signals_install();
  skep_type shown;
  status = choose_order(&run, a, arena, &shown, err);
  if (status == SKEP_OK) status = skep_cli_formatter_init(&run.formatter, arena, a->format, &shown, a->utf8, err);
  if (status == SKEP_OK) status = skep_scan_cache_new(env->ctx, env->fs, &cache, err);
  if (status == SKEP_OK) status = skep_cli_output_init(&out, env->ctx, STDOUT_FILENO, err);
  if (status == SKEP_OK) status = run_scan(&run, a, cache, &out, err);
  if (out.data != NULL) skep_cli_output_fini(&out);
  skep_scan_cache_free(cache);
  skep_plan_free(plan);
  return status;
}

static int run_cat(const skep_cli_command *command, const skep_cli_env *env, int argc, char **argv) {
  skep_err err = {0};
  skep_arena arena;
  cat_args args;
  skep_arena_init(&arena, env->ctx, 64u << 20);
  int code = SKEP_CLI_OK;
  if (!parse_args(&args, &arena, argc, argv, &err)) {
    code = skep_cli_wrong_usage(command, "%s", err.text);
  } else if (cat(env, &args, &arena, &err) != SKEP_OK) {
    code = skep_cli_failed(&err);
  }
  skep_arena_fini(&arena);
  return code;
}

const skep_cli_command skep_cli_cat = {
    .name = "cat",
    .summary = "print rows of tables and ORC files",
    .synopsis = "[OPTION]... PATH...",
    .about =
        "Prints the rows of ORC files, Hive table directories (transactional or not) and partition trees,\n"
        "as Hive would show them. Several PATHs must have the same columns. A transactional table is read\n"
        "as of --snapshot; without one everything on disk counts as committed.\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .notes =
        "Formats:\n"
        "  table     aligned, with rules; control characters escaped\n"
        "  tsv2      tab separated, values exactly as Hive prints them, nothing quoted or escaped\n"
        "  csv2      comma separated; values with comma, quote or line end are quoted, quotes doubled\n"
        "  json      one object a row: decimals as strings, binary as array of bytes, maps as key/value pairs\n"
        "  vertical  one value a line\n"
        "  copy      tab separated and lossless: NULL is \\N; backslash, tab, line ends and NUL are escaped;\n"
        "            binary in hexadecimal\n",
    .run = run_cat,
};
