/* skep check: whether a table's files are what they should be, and what could be done about it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acid/check.h"
#include "acid/dir_write.h"
#include "acid/name.h"
#include "cli/check_table.h"
#include "cli/output.h"
#include "column/text.h"
#include "sql/session.h"

enum { OPT_WAREHOUSE, OPT_METASTORE, OPT_REPAIR, OPT_QUICK, OPT_INSERT_ONLY, OPT_JSON, OPT_NOTES };

/* Besides those of cli.h. */
enum { EXIT_WARNINGS = 3, EXIT_ERRORS = 4 };

static const skep_cli_option options[] = {
    {OPT_WAREHOUSE, "w", "DIR", "the warehouse of a TABLE (default: ./warehouse)"},
    {OPT_METASTORE, "metastore", "URL", "its metastore (default: metastore.sqlite in the warehouse)"},
    {OPT_REPAIR, "repair", "plan|run", "plan: print what could be repaired; run: print it, then do it"},
    {OPT_QUICK, "quick", NULL, "names, side files and tails only: no rows are read"},
    {OPT_INSERT_ONLY, "insert-only", NULL, "the DIR is an insert-only table's"},
    {OPT_NOTES, "notes", NULL, "also what is as it may be: obsolete, aborted and open writes"},
    {OPT_JSON, "json", NULL, "one JSON object a finding, and one for the sums"},
};

typedef struct check_args {
  skep_cli_warehouse warehouse;
  const char *repair;
  bool quick, insert_only, json, notes;
  const char *what;
} check_args;

typedef struct repair_step {
  skep_check_repair kind;
  const char *path, *why;
  uint64_t bytes;
} repair_step;

typedef struct check_run {
  const skep_cli_env *env;
  const check_args *a;
  skep_arena *arena;
  skep_check_opts opts;
  skep_check_totals totals;
  repair_step *steps;
  size_t n_steps, capacity;
  const char *table; /* "db.table", or NULL: a directory */
  bool needs_msck;
} check_run;

static bool parse_args(check_args *a, int argc, char **argv, skep_err *err) {
  *a = (check_args){0};
  skep_cli_args args = {
      .options = options, .n_options = sizeof options / sizeof options[0], .argc = argc, .argv = argv};
  const char *value;
  int id;
  while ((id = skep_cli_next_arg(&args, &value, err)) != SKEP_CLI_DONE) {
    if (id == SKEP_CLI_WRONG) return false;
    if (id == SKEP_CLI_OPERAND && a->what != NULL)
      return skep_fail(err, SKEP_ERR_ARGUMENT, "one TABLE or DIR at a time"), false;
    if (id == SKEP_CLI_OPERAND) a->what = value;
    if (id == OPT_WAREHOUSE) a->warehouse.dir = value;
    if (id == OPT_METASTORE) a->warehouse.url = value;
    if (id == OPT_REPAIR && strcmp(value, "plan") != 0 && strcmp(value, "run") != 0)
      return skep_cli_wrong_value(&options[id], value, "plan or run", err);
    if (id == OPT_REPAIR) a->repair = value;
    if (id == OPT_QUICK) a->quick = true;
    if (id == OPT_INSERT_ONLY) a->insert_only = true;
    if (id == OPT_JSON) a->json = true;
    if (id == OPT_NOTES) a->notes = true;
  }
  if (a->what == NULL) return skep_fail(err, SKEP_ERR_ARGUMENT, "a TABLE or DIR is missing"), false;
  return true;
}

/* ---- findings ---- */

static void print_json(check_run *r, const skep_check_finding *f) {
  skep_text style = {.style = SKEP_TEXT_JSON};
  skep_buf out;
  skep_buf_init(&out, r->env->ctx, 1 << 20);
  skep_buf_printf(&out, "{\"level\":\"%s\",\"code\":\"%s\",\"path\":", skep_check_level_name(f->level), f->code);
  (void)skep_text_json_string(&style, skep_bytes_of(f->path, strlen(f->path)), &out, NULL);
  skep_buf_text(&out, ",\"text\":");
  (void)skep_text_json_string(&style, skep_bytes_of(f->text, strlen(f->text)), &out, NULL);
  skep_buf_printf(&out, ",\"bytes\":%" PRIu64 "}", f->bytes);
  printf("%s\n", skep_buf_string(&out));
  skep_buf_fini(&out);
}

static skep_status remember(check_run *r, const skep_check_finding *f, skep_err *err) {
  if (f->repair == SKEP_REPAIR_MSCK) r->needs_msck = true;
  if (f->repair == SKEP_REPAIR_NONE || f->repair == SKEP_REPAIR_MSCK) return SKEP_OK;
  SKEP_TRY(skep_grow(r->env->ctx, (void **)&r->steps, &r->capacity, r->n_steps + 1, sizeof *r->steps, err));
  repair_step *s = &r->steps[r->n_steps++];
  *s = (repair_step){.kind = f->repair,
                     .path = skep_arena_strndup(r->arena, f->path, strlen(f->path)),
                     .why = skep_arena_strndup(r->arena, f->text, strlen(f->text)),
                     .bytes = f->bytes};
  return s->path == NULL || s->why == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "out of memory") : SKEP_OK;
}

static skep_status on_finding(void *self, const skep_check_finding *f, skep_err *err) {
  check_run *r = self;
  char path[600];
  SKEP_TRY(remember(r, f, err));
  if (f->level == SKEP_CHECK_NOTE && !r->a->notes) return SKEP_OK;
  if (r->a->json) {
    print_json(r, f);
  } else {
    printf("%s: %s: %s: %s", skep_check_level_name(f->level), f->code,
           skep_quote(path, sizeof path, f->path, strlen(f->path)), f->text);
    if (f->bytes != 0) printf(" (%" PRIu64 " bytes)", f->bytes);
    printf("\n");
  }
  return SKEP_OK;
}

static skep_status tell(check_run *r, skep_check_level level, const char *code, const char *path, const char *text,
                        skep_check_repair repair, skep_err *err) {
  const skep_check_finding f = {.level = level, .code = code, .path = path, .text = text, .repair = repair};
  return skep_check_tell(&r->opts, &r->totals, &f, err);
}

/* ---- a directory ---- */

static skep_status check_tree(check_run *r, const char *path, unsigned depth, skep_err *err);

static skep_status check_partitions(check_run *r, const char *path, const skep_layout *layout, unsigned depth,
                                    skep_err *err) {
  skep_status st = SKEP_OK;
  for (uint32_t i = 0; i < layout->n_partitions && st == SKEP_OK; i++) {
    skep_buf child;
    skep_buf_init(&child, r->env->ctx, 1 << 20);
    skep_dir_join(&child, path, layout->partitions[i]);
    const char *text = skep_buf_string(&child);
    st = skep_buf_check(&child, "a path", err);
    if (st == SKEP_OK) st = check_tree(r, text, depth + 1, err);
    skep_buf_fini(&child);
  }
  return st;
}

/* Without a metastore names say what kind of table it is: bucket files are full ACID, other files in base and delta
 * directories insert-only. */
static skep_status check_tree(check_run *r, const char *path, unsigned depth, skep_err *err) {
  const skep_layout_opts how = {.snapshot = r->opts.snapshot,
                                .hive = SKEP_HIVE_4,
                                .is_insert_only = r->a->insert_only,
                                .partition_levels = SKEP_PARTITIONS_AUTO};
  skep_layout *layout;
  skep_err why = {0};
  if (depth > 64) return skep_fail(err, SKEP_ERR_LIMIT, "more than 64 partition levels");
  skep_status st = skep_layout_read(r->env->ctx, r->env->fs, path, &how, &layout, &why);
  if (st != SKEP_OK && st != SKEP_ERR_CORRUPT && st != SKEP_ERR_SNAPSHOT) return skep_fail(err, st, "%s", why.text);
  if (st != SKEP_OK) return tell(r, SKEP_CHECK_ERROR, "directories", path, why.text, SKEP_REPAIR_NONE, err);
  if (layout->n_partitions != 0) {
    st = check_partitions(r, path, layout, depth, err);
  } else {
    skep_layout_rows rows = skep_layout_rows_of(layout);
    r->opts.table = r->a->insert_only                  ? SKEP_CHECK_INSERT_ONLY
                    : !layout->is_transactional_layout ? SKEP_CHECK_PLAIN
                    : rows.with_ids                    ? SKEP_CHECK_FULL_ACID
                                                       : SKEP_CHECK_INSERT_ONLY;
    st = skep_check_root(r->env->ctx, r->env->fs, path, &r->opts, &r->totals, err);
  }
  skep_layout_free(layout);
  return st;
}

static skep_status check_directory(check_run *r, skep_err *err) {
  static const skep_snapshot everything = {.everything = true};
  r->opts.snapshot = &everything;
  r->opts.is_orc = r->opts.maybe_other = true;
  return check_tree(r, r->a->what, 0, err);
}

/* ---- a table ---- */

typedef struct walk {
  check_run *r;
  const skep_cli_table *table;
  const char *path;
  unsigned depth;
  skep_buf names; /* of directories, one behind the other */
} walk;

static skep_status note_name(walk *w, const skep_entry *entry, skep_err *err) {
  skep_buf_add(&w->names, entry->name, strlen(entry->name) + 1);
  return skep_buf_check(&w->names, "names in a directory", err);
}

typedef skep_status walk_step(walk *w, const char *path, skep_err *err);

static skep_status with_path(walk *w, const char *name, walk_step *step, skep_err *err) {
  skep_buf path;
  skep_buf_init(&path, w->r->env->ctx, 1 << 20);
  skep_dir_join(&path, w->path, name);
  const char *text = skep_buf_string(&path);
  skep_status st = skep_buf_check(&path, "a path", err);
  if (st == SKEP_OK) st = step(w, text, err);
  skep_buf_fini(&path);
  return st;
}

static skep_status for_each_name(walk *w, walk_step *step, skep_err *err) {
  for (size_t at = 0; at < w->names.size;) {
    const char *name = (const char *)w->names.data + at;
    SKEP_TRY(with_path(w, name, step, err));
    at += strlen(name) + 1;
  }
  return SKEP_OK;
}

/* Staging directories of plain tables (table/write_place.c): "old" in them is what INSERT OVERWRITE replaced. */
static skep_status note_staging(void *self, const skep_entry *entry, skep_err *err) {
  static const char prefix[] = ".hive-staging_skep_";
  walk *w = self;
  if (entry->kind != SKEP_ENTRY_DIR || strncmp(entry->name, prefix, strlen(prefix)) != 0) return SKEP_OK;
  return note_name(w, entry, err);
}

static skep_status tell_staging(walk *w, const char *path, skep_err *err) {
  check_run *r = w->r;
  skep_stat stat;
  skep_buf old;
  skep_buf_init(&old, r->env->ctx, 1 << 20);
  skep_dir_join(&old, path, "old");
  const char *text = skep_buf_string(&old);
  skep_status st = skep_buf_check(&old, "a path", err);
  bool replaced = st == SKEP_OK && skep_fs_stat(r->env->fs, text, &stat, NULL) == SKEP_OK;
  skep_buf_fini(&old);
  if (st != SKEP_OK) return st;
  if (!replaced)
    return tell(r, SKEP_CHECK_WARNING, "leftover", path,
                "of a statement whose process ended: nothing of it is in place", SKEP_REPAIR_REMOVE, err);
  return tell(
      r, SKEP_CHECK_WARNING, "replaced", path,
      "of an INSERT OVERWRITE whose process ended, perhaps before it was committed: what it replaced is in old; "
      "remove the directory if the table's files are right, else move these back",
      SKEP_REPAIR_NONE, err);
}

/* A statement's transaction is open before its directory is made and until it is of no use: when none is open after
 * the listing, whose they are is gone. */
static skep_status check_staging(check_run *r, const char *path, skep_err *err) {
  bool any_open = false;
  walk w = {.r = r, .path = path};
  skep_buf_init(&w.names, r->env->ctx, 1 << 26);
  skep_status st = skep_fs_list(r->env->fs, path, false, note_staging, &w, err);
  if (st == SKEP_OK && w.names.size > 0) st = skep_cli_any_open(r->env, r->arena, &r->a->warehouse, &any_open, err);
  if (st == SKEP_OK && !any_open) st = for_each_name(&w, tell_staging, err);
  skep_buf_fini(&w.names);
  return st;
}

static skep_status check_one_root(check_run *r, const skep_cli_root *root, skep_err *err) {
  skep_stat stat;
  skep_err why = {0};
  skep_status st = skep_fs_stat(r->env->fs, root->path, &stat, &why);
  if (st == SKEP_ERR_NOT_FOUND)
    return tell(r, SKEP_CHECK_ERROR, "no-directory", root->path,
                root->name[0] == '\0' ? "the table's directory is not there" : "a partition's directory is not there",
                SKEP_REPAIR_MSCK, err);
  if (st != SKEP_OK) return skep_fail(err, st, "%s", why.text);
  if (r->opts.table == SKEP_CHECK_PLAIN) SKEP_TRY(check_staging(r, root->path, err));
  return skep_check_root(r->env->ctx, r->env->fs, root->path, &r->opts, &r->totals, err);
}

static bool is_known(const skep_cli_table *table, const char *path) {
  for (uint32_t i = 0; i < table->n_roots; i++)
    if (strcmp(table->roots[i].path, path) == 0) return true;
  return false;
}

static skep_status tell_misplaced(walk *w, const char *path, skep_err *err) {
  return tell(w->r, SKEP_CHECK_WARNING, "misplaced", path, "in no partition: its rows are not read", SKEP_REPAIR_NONE,
              err);
}

static skep_status visit(void *self, const skep_entry *entry, skep_err *err) {
  walk *w = self;
  if (entry->name[0] == '.' || entry->name[0] == '_') return SKEP_OK;
  if (entry->kind == SKEP_ENTRY_DIR && strchr(entry->name, '=') != NULL) return note_name(w, entry, err);
  return with_path(w, entry->name, tell_misplaced, err);
}

static skep_status look_for_strangers(check_run *r, const skep_cli_table *table, const char *path, unsigned depth,
                                      skep_err *err);

static skep_status look_below(walk *w, const char *path, skep_err *err) {
  return look_for_strangers(w->r, w->table, path, w->depth + 1, err);
}

/* Directories "k=v" below the table that the metastore does not know. */
static skep_status look_for_strangers(check_run *r, const skep_cli_table *table, const char *path, unsigned depth,
                                      skep_err *err) {
  uint32_t levels = table->t->partition_keys->n_children;
  if (depth == levels) {
    if (is_known(table, path)) return SKEP_OK;
    return tell(r, SKEP_CHECK_WARNING, "unknown-partition", path, "the metastore has no such partition",
                SKEP_REPAIR_MSCK, err);
  }
  walk w = {.r = r, .table = table, .path = path, .depth = depth};
  skep_buf_init(&w.names, r->env->ctx, 1 << 26);
  skep_status st = skep_fs_list(r->env->fs, path, false, visit, &w, err);
  if (st == SKEP_OK) st = for_each_name(&w, look_below, err);
  skep_buf_fini(&w.names);
  return st;
}

static skep_status check_write_ids(check_run *r, const skep_cli_table *table, skep_err *err) {
  char text[200];
  const skep_id_list *list = skep_snapshot_write_id_list(&table->snapshot);
  if (!skep_table_is_transactional(table->t)) return SKEP_OK;
  if (r->totals.max_write_id >= table->next_write_id) {
    snprintf(text, sizeof text,
             "a directory has write id %" PRId64 ", the metastore has given out those below %" PRId64,
             r->totals.max_write_id, table->next_write_id);
    SKEP_TRY(tell(r, SKEP_CHECK_ERROR, "write-id", table->path, text, SKEP_REPAIR_NONE, err));
  }
  if (list == NULL || list->n_aborted == 0) return SKEP_OK;
  snprintf(text, sizeof text, "%u aborted write id%s wait%s for the cleaner", list->n_aborted,
           list->n_aborted == 1 ? "" : "s", list->n_aborted == 1 ? "s" : "");
  return tell(r, SKEP_CHECK_NOTE, "aborted-ids", table->path, text, SKEP_REPAIR_NONE, err);
}

/* What the metastore counts; partitioned tables are counted by partition, which is not compared. */
static skep_status check_sizes(check_run *r, const skep_cli_table *table, skep_err *err) {
  const char *accurate = skep_catalog_param_get(&table->t->params, "COLUMN_STATS_ACCURATE");
  const char *rows = skep_catalog_param_get(&table->t->params, "numRows");
  int64_t n;
  char text[200];
  if (skep_table_is_partitioned(table->t) || r->a->quick || !r->opts.is_orc || rows == NULL || accurate == NULL)
    return SKEP_OK;
  if (r->totals.n_deletes != 0) return SKEP_OK; /* a row may be deleted by two events: numbers do not add up then */
  if (!skep_parse_i64(skep_bytes_of(rows, strlen(rows)), &n) || (uint64_t)n == r->totals.n_rows) return SKEP_OK;
  snprintf(text, sizeof text, "the metastore counts %" PRId64 " rows, there are %" PRIu64, n, r->totals.n_rows);
  return tell(r, SKEP_CHECK_WARNING, "statistics", table->path, text, SKEP_REPAIR_NONE, err);
}

static skep_status check_table(check_run *r, skep_err *err) {
  skep_cli_table table;
  SKEP_TRY(skep_cli_table_read(r->env, r->arena, &r->a->warehouse, r->a->what, &table, err));
  const skep_catalog_table *t = table.t;
  size_t room = strlen(t->db) + strlen(t->name) + 2;
  char *name = skep_arena_alloc(r->arena, room);
  if (name == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "out of memory");
  snprintf(name, room, "%s.%s", t->db, t->name);
  r->table = name;
  r->opts.snapshot = &table.snapshot;
  r->opts.schema = table.schema;
  r->opts.is_orc = t->input_format != NULL && strstr(t->input_format, "OrcInputFormat") != NULL;
  r->opts.n_buckets = t->n_bucket_columns != 0 && t->n_buckets > 0 ? (uint32_t)t->n_buckets : 0;
  r->opts.table = t->kind == SKEP_TABLE_FULL_ACID     ? SKEP_CHECK_FULL_ACID
                  : t->kind == SKEP_TABLE_INSERT_ONLY ? SKEP_CHECK_INSERT_ONLY
                                                      : SKEP_CHECK_PLAIN;
  for (uint32_t i = 0; i < table.n_roots; i++) SKEP_TRY(check_one_root(r, &table.roots[i], err));
  if (skep_table_is_partitioned(t)) {
    skep_err why = {0};
    skep_status st = look_for_strangers(r, &table, table.path, 0, &why);
    if (st != SKEP_OK && st != SKEP_ERR_NOT_FOUND) return skep_fail(err, st, "%s", why.text);
  }
  SKEP_TRY(check_write_ids(r, &table, err));
  return check_sizes(r, &table, err);
}

/* ---- repairs ---- */

static void print_plan(const check_run *r) {
  char path[600];
  if (r->n_steps == 0 && !r->needs_msck) {
    printf("repair plan: nothing that can be repaired\n");
    return;
  }
  printf("repair plan:\n");
  for (size_t i = 0; i < r->n_steps; i++) {
    const repair_step *s = &r->steps[i];
    skep_quote(path, sizeof path, s->path, strlen(s->path));
    if (s->kind == SKEP_REPAIR_REMOVE) {
      printf("  remove %s (%s; %" PRIu64 " bytes)\n", path, s->why, s->bytes);
    } else {
      printf("  write _orc_acid_version into %s\n", path);
    }
  }
  if (r->needs_msck) printf("  MSCK REPAIR TABLE %s SYNC PARTITIONS\n", r->table == NULL ? "?" : r->table);
}

static skep_status run_step(check_run *r, const repair_step *s, skep_err *err) {
  const skep_ctx *ctx = r->env->ctx;
  if (s->kind == SKEP_REPAIR_ADD_VERSION) {
    skep_status st = skep_dir_put_file(ctx, r->env->fs, s->path, "_orc_acid_version", "2", true, err);
    return st == SKEP_ERR_EXISTS ? SKEP_OK : st;
  }
  SKEP_TRY(skep_dir_remove(ctx, r->env->fs, s->path, err));
  return skep_dir_sync_above(ctx, r->env->fs, s->path, err);
}

static skep_status run_msck(check_run *r, skep_err *err) {
  char sql[700];
  const char *dir, *url;
  skep_session *session;
  skep_result *result = NULL;
  SKEP_TRY(skep_cli_warehouse_find(r->env, r->arena, &r->a->warehouse, &dir, &url, err));
  const skep_session_opts opts = {.ctx = r->env->ctx, .fs = r->env->fs, .warehouse_dir = dir, .metastore_url = url};
  int n = snprintf(sql, sizeof sql, "MSCK REPAIR TABLE %s SYNC PARTITIONS", r->table);
  if (n < 0 || (size_t)n >= sizeof sql) return skep_fail(err, SKEP_ERR_LIMIT, "a long table name");
  SKEP_TRY(skep_session_open(&opts, &session, err));
  skep_status st = skep_session_run(session, sql, (size_t)n, &result, err);
  skep_result_free(result);
  skep_session_close(session);
  return st;
}

static skep_status repair(check_run *r, skep_err *err) {
  if (r->a->repair == NULL) return SKEP_OK;
  print_plan(r);
  if (strcmp(r->a->repair, "run") != 0) return SKEP_OK;
  fflush(stdout);
  for (size_t i = 0; i < r->n_steps; i++) SKEP_TRY(run_step(r, &r->steps[i], err));
  if (r->needs_msck && r->table != NULL) SKEP_TRY(run_msck(r, err));
  if (r->n_steps != 0 || r->needs_msck) printf("repaired; check again\n");
  return SKEP_OK;
}

/* ---- the command ---- */

static void print_count(uint64_t n, const char *word, const char *one, const char *many, const char *then) {
  printf("%" PRIu64 " %s%s%s", n, word, n == 1 ? one : many, then);
}

static void print_sums(const check_run *r) {
  const skep_check_totals *t = &r->totals;
  if (r->a->json) {
    printf("{\"errors\":%" PRIu64 ",\"warnings\":%" PRIu64 ",\"notes\":%" PRIu64 ",\"directories\":%" PRIu64
           ",\"files\":%" PRIu64 ",\"rows\":%" PRIu64 ",\"deletes\":%" PRIu64 ",\"bytes\":%" PRIu64
           ",\"obsolete_bytes\":%" PRIu64 ",\"leftover_bytes\":%" PRIu64 "}\n",
           t->n_errors, t->n_warnings, t->n_notes, t->n_dirs, t->n_files, t->n_rows, t->n_deletes, t->used_bytes,
           t->obsolete_bytes, t->leftover_bytes);
    return;
  }
  print_count(t->n_dirs, "director", "y", "ies", ", ");
  print_count(t->n_files, "file", "", "s", ", ");
  print_count(t->used_bytes, "byte", "", "s", "");
  if (!r->a->quick) {
    printf(", ");
    print_count(t->n_rows, "row", "", "s", ", ");
    print_count(t->n_deletes, "delete event", "", "s", "");
  }
  if (t->n_other != 0) {
    printf(" (");
    print_count(t->n_other, "file", "", "s", " without ORC, not read)");
  }
  if (t->obsolete_bytes != 0) printf("; %" PRIu64 " obsolete bytes", t->obsolete_bytes);
  if (t->leftover_bytes != 0) printf("; %" PRIu64 " bytes of aborted writes", t->leftover_bytes);
  printf(": ");
  print_count(t->n_errors, "error", "", "s", ", ");
  print_count(t->n_warnings, "warning", "", "s", ", ");
  print_count(t->n_notes, "note", "", "s", "\n");
}

static bool interrupted(void *self) {
  (void)self;
  return skep_cli_interrupted();
}

static skep_status check(check_run *r, skep_err *err) {
  char spill[300];
  skep_stat stat;
  const char *temp = getenv("TMPDIR");
  snprintf(spill, sizeof spill, "%s/skep-check-%ld", temp != NULL && temp[0] == '/' ? temp : "/tmp", (long)getpid());
  r->opts = (skep_check_opts){
      .quick = r->a->quick, .spill_dir = spill, .cancelled = interrupted, .report = on_finding, .self = r};
  skep_cli_signals_install();
  bool is_dir = skep_fs_stat(r->env->fs, r->a->what, &stat, NULL) == SKEP_OK && stat.kind == SKEP_ENTRY_DIR;
  SKEP_TRY(is_dir ? check_directory(r, err) : check_table(r, err));
  print_sums(r);
  return repair(r, err);
}

static int run_check(const skep_cli_command *command, const skep_cli_env *env, int argc, char **argv) {
  skep_err err = {0};
  skep_arena arena;
  check_args args;
  int code = SKEP_CLI_OK;
  skep_arena_init(&arena, env->ctx, 256u << 20);
  check_run run = {.env = env, .a = &args, .arena = &arena};
  if (!parse_args(&args, argc, argv, &err)) {
    code = skep_cli_wrong_usage(command, "%s", err.text);
  } else if (check(&run, &err) != SKEP_OK) {
    code = skep_cli_failed(&err);
  } else {
    code = run.totals.n_errors != 0 ? EXIT_ERRORS : run.totals.n_warnings != 0 ? EXIT_WARNINGS : SKEP_CLI_OK;
  }
  skep_release(env->ctx, run.steps);
  skep_arena_fini(&arena);
  return skep_cli_finish_stdout(code);
}

const skep_cli_command skep_cli_check = {
    .name = "check",
    .summary = "check the files of a table",
    .synopsis = "[OPTION]... TABLE|DIR",
    .about =
        "Checks a table of a warehouse (db.table), or a table's directory without a metastore: names and places of\n"
        "files, directories against the metastore, write ids, bucket numbers, order and uniqueness of row ids,\n"
        "deletes of rows that never were, key indexes, counts and side files. Nothing is changed but by --repair run,\n"
        "which removes files of aborted writes and of dead processes, writes missing version files and runs MSCK\n"
        "REPAIR TABLE.\n",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .notes =
        "Findings are printed a line each: level, code, path, what is wrong.\n"
        "Exit status besides those below: 3 there are warnings, 4 there are errors (found by the check).\n",
    .run = run_check,
};
