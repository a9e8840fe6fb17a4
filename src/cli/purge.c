/* skep purge-proof: whether any file under a table, read or left over, holds a row that a condition accepts. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "acid/events.h"
#include "acid/layout.h"
#include "acid/plan.h"
#include "acid/scan.h"
#include "cli/check_table.h"
#include "cli/output.h"
#include "cli/tree.h"

enum { OPT_WAREHOUSE, OPT_METASTORE, OPT_WHERE };
enum { EXIT_NOT_PROVEN = 4, ROWS_AT_ONCE = 4096, MAX_SHOWN = 3 };

static const skep_cli_option options[] = {
    {OPT_WAREHOUSE, "w", "DIR", "the warehouse of the table (default: ./warehouse)"},
    {OPT_METASTORE, "metastore", "URL", "its metastore (default: metastore.sqlite in the warehouse)"},
    {OPT_WHERE, "where", "PRED", "the rows that must be gone (as of skep cat)"},
};

typedef struct purge_args {
  skep_cli_warehouse warehouse;
  const char *where, *table;
} purge_args;

typedef struct purge {
  const skep_cli_env *env;
  const purge_args *a;
  skep_arena *arena;
  skep_cli_table table;
  const skep_type *none; /* no columns */
  uint64_t n_visible;    /* rows that match and that readers see */
  bool readers_fail;     /* how many that are is not known */
  uint64_t n_files, n_rows, n_matches, n_holders, n_unread;
} purge;

/* Of a partition root: which directories count, and why. */
typedef struct root_state {
  const skep_cli_root *root; /* NULL: of no partition that the metastore knows */
  const char *const *values;
  skep_layout *layout;
} root_state;

static bool parse_args(purge_args *a, int argc, char **argv, skep_err *err) {
  *a = (purge_args){0};
  skep_cli_args args = {
      .options = options, .n_options = sizeof options / sizeof options[0], .argc = argc, .argv = argv};
  const char *value;
  int id;
  while ((id = skep_cli_next_arg(&args, &value, err)) != SKEP_CLI_DONE) {
    if (id == SKEP_CLI_WRONG) return false;
    if (id == SKEP_CLI_OPERAND && a->table != NULL)
      return skep_fail(err, SKEP_ERR_ARGUMENT, "one TABLE at a time"), false;
    if (id == SKEP_CLI_OPERAND) a->table = value;
    if (id == OPT_WAREHOUSE) a->warehouse.dir = value;
    if (id == OPT_METASTORE) a->warehouse.url = value;
    if (id == OPT_WHERE) a->where = value;
  }
  if (a->table == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "a TABLE is missing"), false;
  if (a->where == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "--where is missing: which rows must be gone?"), false;
  return true;
}

/* ---- one file ---- */

static bool is_insert_only(const purge *p) { return p->table.t->kind == SKEP_TABLE_INSERT_ONLY; }

typedef struct file_rows {
  uint64_t n_matches, n_rows;
  uint32_t n_shown;
  int64_t write_ids[MAX_SHOWN], row_ids[MAX_SHOWN];
  int32_t buckets[MAX_SHOWN];
} file_rows;

static void count_batch(file_rows *rows, const skep_split *split, const skep_batch *batch) {
  rows->n_matches += (uint64_t)batch->root.length;
  if (!split->row_ids) return;
  const skep_vec *v = batch->root.children;
  for (int64_t i = 0; i < batch->root.length && rows->n_shown < MAX_SHOWN; i++) {
    rows->write_ids[rows->n_shown] = ((const int64_t *)v[0].values.data)[i];
    rows->buckets[rows->n_shown] = ((const int32_t *)v[1].values.data)[i];
    rows->row_ids[rows->n_shown++] = ((const int64_t *)v[2].values.data)[i];
  }
}

/* keeper: NULL for splits without delete events. */
static skep_status scan_split(purge *p, skep_scan_cache *cache, const skep_split *split, skep_scan_keeper *keeper,
                              file_rows *rows, skep_err *err) {
  static const skep_forms forms = {.boolean = 0};
  skep_scan *scan;
  skep_batch batch = {0};
  SKEP_TRY(skep_scan_open_kept(cache, split, &forms, keeper, &scan, err));
  skep_status st = skep_vec_init(&batch.root, p->env->ctx, skep_scan_type(scan), &forms, err);
  while (st == SKEP_OK) {
    if (skep_cli_interrupted()) st = skep_fail(err, SKEP_ERR_CANCELLED, "interrupted");
    if (st == SKEP_OK) st = skep_scan_next(scan, ROWS_AT_ONCE, &batch, err);
    if (st == SKEP_OK) count_batch(rows, split, &batch);
  }
  skep_vec_fini(&batch.root);
  skep_scan_close(scan);
  return st == SKEP_END ? SKEP_OK : st;
}

/* Every event is a row here, whether it was deleted later or not. */
static void as_events(skep_split *split, skep_split_file *file) {
  *file = split->files[0];
  file->is_original = false;
  split->kind = SKEP_SPLIT_ACID;
  split->files = file;
  split->row_ids = true;
}

static skep_plan_opts plan_opts(const purge *p, const skep_plan_root *roots, uint32_t n) {
  return (skep_plan_opts){.snapshot = {.everything = true},
                          .hive = SKEP_HIVE_4,
                          .schema = p->table.schema,
                          .partition_schema = p->table.partition_schema,
                          .predicate = p->a->where,
                          .evolution_by_name = -1,
                          .calendar = -1,
                          .n_roots = n,
                          .roots = roots};
}

static skep_status scan_file(purge *p, const char *path, uint64_t length, const char *const *values, file_rows *rows,
                             skep_err *err) {
  const skep_plan_root root = {.path = path, .values = values};
  const skep_plan_opts opts = plan_opts(p, &root, 1);
  skep_scan_cache *cache;
  skep_orc_tail *tail = NULL;
  skep_plan *plan = NULL;
  skep_split_file file;
  SKEP_TRY(skep_scan_cache_new(p->env->ctx, p->env->fs, &cache, err));
  skep_status st = skep_scan_cache_tail(cache, path, length, &tail, err);
  bool events = st == SKEP_OK && skep_event_file_kind(tail, NULL) == SKEP_EVENT_FILE_YES;
  if (st == SKEP_OK) rows->n_rows = tail->n_rows;
  if (st == SKEP_OK) st = skep_plan_make(p->env->ctx, p->env->fs, NULL, 0, &opts, &plan, err);
  for (uint32_t i = 0; st == SKEP_OK && i < plan->n_splits; i++) {
    skep_split *split = &plan->splits[i];
    split->columns = p->none;
    split->n_partition_columns = 0;
    if (events) as_events(split, &file);
    st = scan_split(p, cache, split, NULL, rows, err);
  }
  skep_plan_free(plan);
  skep_orc_tail_unref(tail);
  skep_scan_cache_free(cache);
  return st;
}

/* What readers see: those rows are not deleted at all. */
static skep_status count_visible(purge *p, skep_err *err) {
  file_rows rows = {0};
  skep_scan_keeper keeper = {0};
  skep_scan_cache *cache;
  skep_plan *plan = NULL;
  skep_plan_root *roots = skep_arena_zero(p->arena, (size_t)p->table.n_roots + 1, sizeof *roots);
  if (roots == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "partitions");
  for (uint32_t i = 0; i < p->table.n_roots; i++)
    roots[i] = (skep_plan_root){.path = p->table.roots[i].path, .values = p->table.roots[i].values};
  skep_plan_opts opts = plan_opts(p, roots, p->table.n_roots);
  opts.snapshot = p->table.snapshot;
  opts.insert_only = is_insert_only(p);
  SKEP_TRY(skep_scan_cache_new(p->env->ctx, p->env->fs, &cache, err));
  skep_status st = skep_plan_make(p->env->ctx, p->env->fs, NULL, 0, &opts, &plan, err);
  for (uint32_t i = 0; st == SKEP_OK && i < plan->n_splits; i++) {
    plan->splits[i].columns = p->none;
    plan->splits[i].n_partition_columns = 0;
    st = scan_split(p, cache, &plan->splits[i], &keeper, &rows, err);
  }
  skep_scan_keeper_release(cache, &keeper);
  skep_plan_free(plan);
  skep_scan_cache_free(cache);
  p->n_visible = rows.n_matches;
  return st;
}

/* ---- what holds it ---- */

/* Files that never hold rows: by name, and as small as such files are. Names alone prove nothing. */
static bool may_be_side_file(const char *path, uint64_t size) {
  enum { MAX_VERSION = 16, MAX_METADATA = 1 << 16, MAX_LENGTHS = 1 << 20, MAX_SUMS = 64 << 20 };
  const char *name = strrchr(path, '/');
  name = name == NULL ? path : name + 1;
  if (strcmp(name, "_orc_acid_version") == 0) return size <= MAX_VERSION;
  if (strcmp(name, "_metadata_acid") == 0) return size <= MAX_METADATA;
  if (skep_ends_with(name, "_flush_length")) return size <= MAX_LENGTHS && size % 8 == 0;
  return name[0] == '.' && skep_ends_with(name, ".crc") && size <= MAX_SUMS;
}

/* Neither ORC's first bytes, nor, where it is to be sums, other than theirs. */
static bool is_side_file(const purge *p, const char *path, uint64_t size) {
  uint8_t first[4] = {0};
  skep_file *file = NULL;
  if (!may_be_side_file(path, size)) return false;
  size_t n = size < sizeof first ? (size_t)size : sizeof first;
  bool good = skep_fs_open_read(p->env->fs, path, &file, NULL) == SKEP_OK &&
              skep_file_read_at(file, 0, first, n, NULL) == SKEP_OK;
  skep_file_close(file, NULL);
  return good && memcmp(first, "ORC", 3) != 0 && (!skep_ends_with(path, ".crc") || memcmp(first, "crc", 4) == 0);
}

static const skep_layout_dir *dir_of(const skep_layout *layout, const char *below) {
  const skep_layout_dir *own = NULL;
  for (uint32_t i = 0; layout != NULL && i < layout->n_dirs; i++) {
    const skep_layout_dir *d = &layout->dirs[i];
    size_t n = strlen(d->name);
    if (n == 0) own = d;
    if (n != 0 && strncmp(d->name, below, n) == 0 && below[n] == '/') return d;
  }
  return own;
}

/* "used: its rows stay until ..." */
static void print_holder(const purge *p, const root_state *state, const char *below) {
  const skep_layout_dir *d = state->root == NULL ? NULL : dir_of(state->layout, below);
  if (d == NULL) {
    printf("in no directory that readers know; nothing removes it by itself");
    return;
  }
  printf("%s (%s)", skep_verdict_name(d->verdict), d->reason);
  switch (d->verdict) {
    case SKEP_USED:
      printf(p->readers_fail     ? "; readers fail, so whether they see them is not known"
             : p->n_visible == 0 ? "; its rows are deleted and stay until a major compaction replaces it"
                                 : "; rows that readers see are to be deleted first, then compacted away");
      break;
    case SKEP_OBSOLETE:
    case SKEP_ABORTED:
      printf("; the cleaner removes it: see skep why");
      break;
    case SKEP_NOT_VISIBLE:
      printf("; its transaction is open");
      break;
    case SKEP_IGNORED:
    case SKEP_NAME_UNKNOWN:
      printf("; nothing removes it by itself");
      break;
  }
}

static void print_place(const char *what, const char *path) {
  char quoted[600];
  printf("%s: %s: ", what, skep_quote(quoted, sizeof quoted, path, strlen(path)));
}

static void print_matches(const file_rows *rows) {
  printf("%" PRIu64 " row%s", rows->n_matches, rows->n_matches == 1 ? "" : "s");
  for (uint32_t i = 0; i < rows->n_shown; i++)
    printf("%s(%" PRId64 ", %" PRId32 ", %" PRId64 ")", i == 0 ? ", such as " : ", ", rows->write_ids[i],
           rows->buckets[i], rows->row_ids[i]);
  printf(": ");
}

/* A failure of the machine ends the proof; one of the file makes it impossible. */
static skep_status unread(purge *p, const char *path, skep_status st, const skep_err *why, skep_err *err) {
  if (st == SKEP_ERR_CANCELLED || st == SKEP_ERR_NOMEM) return skep_fail(err, st, "%s", why->text);
  p->n_unread++;
  print_place("cannot be read", path);
  printf("%s\n", why->text);
  return SKEP_OK;
}

static skep_status look_at(purge *p, const root_state *state, const char *path, const char *below, uint64_t size,
                           skep_err *err) {
  skep_err why = {0};
  file_rows rows = {0};
  if (size == 0 || is_side_file(p, path, size)) return SKEP_OK;
  p->n_files++;
  if (state->values == NULL && p->table.partition_schema != NULL) {
    p->n_unread++;
    print_place("cannot be judged", path);
    printf("it is in no partition that the metastore knows\n");
    return SKEP_OK;
  }
  uint64_t logical = size;
  skep_status st = scan_file(p, path, size, state->values, &rows, &why);
  if (st == SKEP_ERR_CORRUPT && skep_cli_logical_length(p->arena, p->env->fs, path, size, &logical, NULL) == SKEP_OK &&
      logical < size)
    skep_fail(&why, st, "the last %" PRIu64 " bytes are behind the flushed length and are no whole footer",
              size - logical);
  if (st != SKEP_OK) return unread(p, path, st, &why, err);
  p->n_rows += rows.n_rows;
  p->n_matches += rows.n_matches;
  if (rows.n_matches == 0) return SKEP_OK;
  p->n_holders++;
  print_place("still there", path);
  print_matches(&rows);
  print_holder(p, state, below);
  printf("\n");
  return SKEP_OK;
}

/* ---- all files ---- */

static bool is_below(const char *path, const char *root) {
  size_t n = strlen(root);
  return strncmp(path, root, n) == 0 && path[n] == '/';
}

static skep_status read_layout(purge *p, root_state *state, skep_err *err) {
  const skep_layout_opts how = {
      .snapshot = &p->table.snapshot, .hive = SKEP_HIVE_4, .is_insert_only = is_insert_only(p), .any_history = true};
  skep_status st = skep_layout_read(p->env->ctx, p->env->fs, state->root->path, &how, &state->layout, err);
  return st == SKEP_ERR_CORRUPT || st == SKEP_ERR_SNAPSHOT || st == SKEP_ERR_NOT_FOUND ? SKEP_OK : st;
}

/* Files come in order: those of a partition stand together mostly. */
static skep_status state_of(purge *p, const char *path, root_state *state, skep_err *err) {
  if (state->root != NULL && is_below(path, state->root->path)) return SKEP_OK;
  skep_layout_free(state->layout);
  *state = (root_state){0};
  for (uint32_t i = 0; i < p->table.n_roots; i++) {
    if (!is_below(path, p->table.roots[i].path)) continue;
    state->root = &p->table.roots[i];
    state->values = state->root->values;
    return read_layout(p, state, err);
  }
  return SKEP_OK;
}

static skep_status walk(purge *p, const char *root, skep_err *err) {
  skep_cli_tree tree;
  root_state state = {0};
  skep_status st = skep_cli_tree_read(p->arena, p->env->fs, root, &tree, err);
  if (st == SKEP_ERR_NOT_FOUND) return SKEP_OK;
  SKEP_TRY(st);
  for (size_t i = 0; i < tree.n && st == SKEP_OK; i++) {
    const skep_cli_tree_entry *e = &tree.entries[i];
    if (e->kind == SKEP_ENTRY_DIR) continue;
    const char *path = skep_cli_join(p->arena, root, e->path);
    if (path == NULL) st = skep_fail(err, SKEP_ERR_NOMEM, "a path");
    if (st == SKEP_OK) st = state_of(p, path, &state, err);
    if (st == SKEP_OK && e->kind == SKEP_ENTRY_OTHER) {
      p->n_unread++;
      print_place("cannot be judged", path);
      printf("it is neither a file nor a directory\n");
      continue;
    }
    const char *below = st == SKEP_OK && state.root != NULL ? path + strlen(state.root->path) + 1 : path;
    if (st == SKEP_OK) st = look_at(p, &state, path, below, e->size_bytes, err);
  }
  skep_layout_free(state.layout);
  return st;
}

static void print_count(uint64_t n, const char *word, const char *then) {
  printf("%" PRIu64 " %s%s%s", n, word, n == 1 ? "" : "s", then);
}

/* A condition that does not fit the table is the caller's mistake, whatever files there are. */
static skep_status check_condition(purge *p, skep_err *err) {
  const skep_pred *pred, *bound;
  const skep_type *row;
  skep_split all = {0};
  SKEP_TRY(skep_type_parse(p->arena, p->table.schema, strlen(p->table.schema), &all.table, err));
  all.columns = all.table;
  if (p->table.partition_schema != NULL) {
    const char *text = p->table.partition_schema;
    SKEP_TRY(skep_type_parse(p->arena, text, strlen(text), &all.partition_columns, err));
    all.n_partition_columns = all.partition_columns->n_children;
  }
  SKEP_TRY(skep_split_type(p->arena, &all, &row, err));
  SKEP_TRY(skep_pred_parse(p->arena, p->a->where, strlen(p->a->where), &pred, err));
  return skep_pred_bind(p->arena, pred, row, &bound, err);
}

static skep_status prove(purge *p, skep_err *err) {
  static const skep_type row = {.kind = SKEP_STRUCT};
  skep_err why = {0};
  skep_cli_signals_install();
  SKEP_TRY(skep_cli_table_read(p->env, p->arena, &p->a->warehouse, p->a->table, &p->table, err));
  SKEP_TRY(skep_type_make(p->arena, &row, NULL, NULL, 0, &p->none, err));
  SKEP_TRY(check_condition(p, err));
  p->readers_fail = count_visible(p, &why) != SKEP_OK;
  if (p->readers_fail) printf("readers fail: %s\n", why.text); /* the walk says where */
  SKEP_TRY(walk(p, p->table.path, err));
  for (uint32_t i = 0; i < p->table.n_roots; i++)
    if (strcmp(p->table.roots[i].path, p->table.path) != 0 && !is_below(p->table.roots[i].path, p->table.path))
      SKEP_TRY(walk(p, p->table.roots[i].path, err));
  bool proven = p->n_holders == 0 && p->n_unread == 0;
  printf("%s: ", proven ? "proven" : "not proven");
  print_count(p->n_files, "file", " with ");
  print_count(p->n_rows, "row", " in all, ");
  if (proven) {
    printf("none matches\n");
  } else {
    print_count(p->n_matches, "row", " there in ");
    print_count(p->n_holders, "file", ", ");
    printf("%" PRIu64 " seen by readers, ", p->n_visible);
    print_count(p->n_unread, "file", " not judged\n");
  }
  return SKEP_OK;
}

static int run_purge(const skep_cli_command *command, const skep_cli_env *env, int argc, char **argv) {
  skep_err err = {0};
  skep_arena arena;
  purge_args args;
  int code = SKEP_CLI_OK;
  skep_arena_init(&arena, env->ctx, 256u << 20);
  purge p = {.env = env, .a = &args, .arena = &arena};
  if (!parse_args(&args, argc, argv, &err)) {
    code = skep_cli_wrong_usage(command, "%s", err.text);
  } else if (prove(&p, &err) != SKEP_OK) {
    code = skep_cli_failed(&err);
  } else if (p.n_holders != 0 || p.n_unread != 0) {
    code = EXIT_NOT_PROVEN;
  }
  skep_arena_fini(&arena);
  return skep_cli_finish_stdout(code);
}

const skep_cli_command skep_cli_purge_proof = {
    .name = "purge-proof",
    .summary = "prove that rows are gone from all files of a table",
    .synopsis = "[OPTION]... --where PRED TABLE",
    .about =
        "Reads every file under a table's directories, those that no reader uses any more as well, and says which "
        "still\n"
        "hold rows that the condition accepts, and what keeps each of them: rows that are not deleted, deleted rows "
        "that\n"
        "wait for a major compaction, replaced directories that wait for the cleaner, leftovers.\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .notes =
        "Exit status besides those below: 4 not proven: rows are there, or a file cannot be judged.\n"
        "Backups, a file system's snapshots, its trash and files outside of the table are not looked at.\n",
    .run = run_purge,
};
