/* LOAD DATA: files that are there become part of a table as they are.
 *
 * Files are copied into the directory that the statement writes, also without LOCAL: what was loaded is removed from
 * its place after the commit, so that nothing is lost when that fails (Hive moves files first). Full-ACID tables number
 * them 000000_0, 000001_0, ...; others keep their names. Where rows must be looked at (buckets, partitions that the
 * statement does not name) it is an INSERT of a SELECT over the files: the last columns are the partition's then.
 *
 * Source: hiveql 4.5; Hive LoadSemanticAnalyzer, Hive.copyFiles; golden 11 and 13, seen in 4.0.1. */
#include <stdio.h>
#include <stdlib.h>

#include "acid/events.h"
#include "sql/insert.h"

typedef struct loading {
  skep_life *life;
  const skep_load *ast;
  skep_life_table *table;
  const char *path; /* as written, a scheme taken off */
  bool is_dir;
  const char **files; /* paths, in order of their names */
  uint32_t n_files;
  size_t capacity;
} loading;

static skep_status no_memory(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "a statement"); }

static const char *quote(loading *l, const char *text) {
  char quoted[600];
  skep_quote(quoted, sizeof quoted, text, strlen(text));
  const char *copy = skep_arena_strndup(&l->life->s->arena, quoted, strlen(quoted));
  return copy == NULL ? "?" : copy;
}

/* ---- the files ---- */

static skep_status no_files(loading *l, skep_err *err) {
  return skep_fail(err, SKEP_ERR_SEMANTIC,
                   "SemanticException Line %u:%u Invalid path ''%s'': No files matching path file:%s",
                   l->ast->path_pos.line, l->ast->path_pos.column, quote(l, l->ast->path), quote(l, l->path));
}

static skep_status add_file(loading *l, const char *dir, const char *name, skep_err *err) {
  skep_session *s = l->life->s;
  size_t n = strlen(dir);
  bool slash = n != 0 && name[0] != '\0' && dir[n - 1] != '/';
  const char *path = skep_arena_join(&s->arena, dir, slash ? "/" : "", name);
  if (path == NULL) return no_memory(err);
  void *grown = l->files;
  SKEP_TRY(skep_arena_grow(&s->arena, &grown, &l->capacity, l->n_files + 1, sizeof *l->files, err));
  l->files = grown;
  l->files[l->n_files++] = path;
  return SKEP_OK;
}

static skep_status visit(void *self, const skep_entry *entry, skep_err *err) {
  loading *l = self;
  if (entry->name[0] == '.' || entry->name[0] == '_') return SKEP_OK;
  if (entry->kind == SKEP_ENTRY_FILE) return add_file(l, l->path, entry->name, err);
  return skep_fail(err, SKEP_ERR_SEMANTIC,
                   "SemanticException [Error 10028]: Line %u:%u Invalid path ''%s'': source contains %s: %s",
                   l->ast->path_pos.line, l->ast->path_pos.column, quote(l, l->ast->path),
                   entry->kind == SKEP_ENTRY_DIR ? "directory" : "what is no file", quote(l, entry->name));
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static skep_status find_files(loading *l, skep_err *err) {
  skep_session *s = l->life->s;
  skep_stat stat;
  SKEP_TRY(skep_catalog_path(l->ast->path, &l->path, err));
  if (l->path[0] == '\0') return no_files(l, err);
  skep_status st = skep_fs_stat(s->fs, l->path, &stat, err);
  if (st == SKEP_ERR_NOT_FOUND) return no_files(l, err);
  if (st != SKEP_OK) return st;
  if (stat.kind == SKEP_ENTRY_FILE) return add_file(l, l->path, "", err);
  l->is_dir = true;
  SKEP_TRY(skep_fs_list(s->fs, l->path, false, visit, l, err));
  if (l->n_files > 1) qsort(l->files, l->n_files, sizeof *l->files, by_text);
  return SKEP_OK;
}

/* ---- what they hold ---- */

/* *out: the file is ORC, and whether it has the columns of ACID events. */
static skep_status look(loading *l, const char *path, bool *is_orc, bool *is_acid, skep_err *err) {
  skep_session *s = l->life->s;
  skep_file *file;
  skep_orc_tail *tail = NULL;
  skep_err why = {0};
  *is_orc = *is_acid = false;
  SKEP_TRY(skep_fs_open_read(s->fs, path, &file, err));
  skep_status st = skep_orc_tail_read(s->ctx, file, file->size_bytes, &tail, &why);
  if (st == SKEP_OK) {
    *is_orc = true;
    *is_acid = skep_event_file_kind(tail, NULL) != SKEP_EVENT_FILE_NO;
  }
  skep_orc_tail_unref(tail);
  skep_file_close(file, NULL);
  return st == SKEP_OK || st == SKEP_ERR_CORRUPT || st == SKEP_ERR_UNSUPPORTED ? SKEP_OK
                                                                               : skep_fail(err, st, "%s", why.text);
}

static skep_status check_files(loading *l, skep_err *err) {
  bool wants_orc = l->table->text == NULL;
  for (uint32_t i = 0; i < l->n_files; i++) {
    bool is_orc, is_acid;
    SKEP_TRY(look(l, l->files[i], &is_orc, &is_acid, err));
    if (is_orc != wants_orc)
      return skep_fail(err, SKEP_ERR_SEMANTIC,
                       "SemanticException Unable to load data to destination table. Error: The file that you are "
                       "trying to load does not match the file format of the destination table.");
    if (is_acid && l->table->t->kind == SKEP_TABLE_FULL_ACID)
      return skep_fail(err, SKEP_ERR_SEMANTIC,
                       "SemanticException [Error 10413]: \"file:%s\" was created by Acid write - it cannot be loaded "
                       "into anther Acid table",
                       quote(l, l->files[i]));
  }
  return SKEP_OK;
}

/* ---- as they are ---- */

static skep_status copy_files(loading *l, skep_life_branch *branch, skep_err *err) {
  bool numbered = l->table->t->kind == SKEP_TABLE_FULL_ACID;
  for (uint32_t i = 0; i < l->n_files; i++) {
    char number[32];
    const char *slash = strrchr(l->files[i], '/'), *name = slash == NULL ? l->files[i] : slash + 1;
    snprintf(number, sizeof number, "%06u_0", i);
    SKEP_TRY(skep_session_check(l->life->s, err));
    SKEP_TRY(skep_table_write_file(branch->write, l->files[i], numbered ? number : name, err));
  }
  return SKEP_OK;
}

static skep_status load_files(loading *l, const skep_target *target, skep_err *err) {
  bool overwrite = l->ast->overwrite;
  char op = overwrite ? 'u' : 'i';
  skep_life_branch *branch;
  if (l->table->t->kind == SKEP_TABLE_FULL_ACID && l->n_files > 4096)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "LOAD DATA of %u files: at most 4096 at once", l->n_files);
  SKEP_TRY(skep_life_write(l->life, l->table, op, err));
  SKEP_TRY(skep_life_lock(l->life, l->table, overwrite ? SKEP_LOCK_USE_INSERT_OVERWRITE : SKEP_LOCK_USE_INSERT,
                          target->partition != NULL ? &target->partition : NULL, target->partition != NULL, err));
  SKEP_TRY(skep_life_enter(l->life, err));
  SKEP_TRY(skep_life_branch_open(l->life, l->table, overwrite ? SKEP_WRITE_OVERWRITE : SKEP_WRITE_INSERT, op,
                                 target->statics, &branch, err));
  branch->is_stale = true;
  return copy_files(l, branch, err);
}

/* ---- as rows ---- */

/* A table of the files, with the partition keys that the statement leaves open as its last columns. */
static skep_status make_source(loading *l, const skep_target *target, skep_life_table **out, skep_err *err) {
  static const skep_type row = {.kind = SKEP_STRUCT};
  skep_session *s = l->life->s;
  const skep_catalog_table *t = l->table->t;
  skep_catalog_table *made = skep_arena_zero(&s->arena, 1, sizeof *made);
  skep_life_table *source = skep_arena_zero(&s->arena, 1, sizeof *source);
  if (made == NULL || source == NULL) return no_memory(err);
  *made = (skep_catalog_table){.db = "_load",
                               .name = "files",
                               .type = "EXTERNAL_TABLE",
                               .kind = SKEP_TABLE_EXTERNAL,
                               .columns = target->row,
                               .n_buckets = -1,
                               .bucketing_version = 2,
                               .input_format = t->input_format,
                               .output_format = t->output_format,
                               .serde = t->serde,
                               .serde_params = t->serde_params,
                               .params = t->params};
  SKEP_TRY(skep_type_make(&s->arena, &row, NULL, NULL, 0, &made->partition_keys, err));
  *source = (skep_life_table){.t = made, .path = l->path, .is_read = true};
  *out = source;
  return skep_life_add(l->life, source, err);
}

static skep_status insert_rows(loading *l, const skep_target *target, skep_err *err) {
  skep_arena *arena = &l->life->s->arena;
  skep_life_table *source;
  SKEP_TRY(make_source(l, target, &source, err));
  const skep_select_item all = {.expr = skep_expr_star(arena, NULL)};
  const skep_select select = {.items = &all, .n_items = 1, .from = skep_from_table(arena, "_load", "files", NULL)};
  skep_select *kept = skep_arena_zero(arena, 1, sizeof *kept);
  skep_select_item *items = skep_arena_zero(arena, 1, sizeof *items);
  skep_insert_target *to = skep_arena_zero(arena, 1, sizeof *to);
  if (all.expr == NULL || select.from == NULL || kept == NULL || items == NULL || to == NULL) return no_memory(err);
  *items = all;
  *kept = select;
  kept->items = items;
  *to = (skep_insert_target){.pos = l->ast->table.pos,
                             .overwrite = l->ast->overwrite,
                             .table = l->ast->table,
                             .partition = l->ast->partition,
                             .query = skep_query_select(arena, kept)};
  if (to->query == NULL) return no_memory(err);
  const skep_insert insert = {.targets = to, .n_targets = 1};
  return skep_insert_into(l->life, &insert, err);
}

/* ---- the statement ---- */

static skep_status run(loading *l, skep_err *err) {
  skep_target target;
  SKEP_TRY(skep_life_find(l->life, &l->ast->table, &l->table, err));
  if (l->table->t->kind == SKEP_TABLE_VIEW)
    return skep_fail(err, SKEP_ERR_SEMANTIC,
                     "SemanticException [Error 10090]: A view cannot be used as target table for LOAD or INSERT");
  if (l->ast->input_format != NULL)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "LOAD DATA with INPUTFORMAT is not supported yet");
  SKEP_TRY(find_files(l, err));
  SKEP_TRY(check_files(l, err));
  SKEP_TRY(skep_target_init(&target, l->life, l->table, &l->ast->table, &l->ast->partition, err));
  bool by_rows = l->table->t->n_bucket_columns != 0 || !target.all_static;
  return by_rows ? insert_rows(l, &target, err) : load_files(l, &target, err);
}

/* Without LOCAL the files are the table's now. */
static void remove_sources(const loading *l, skep_session *s) {
  char quoted[600];
  for (uint32_t i = 0; i < l->n_files; i++)
    if (skep_fs_remove_file(s->fs, l->files[i], NULL) != SKEP_OK)
      skep_session_note(s, "%s was loaded and could not be removed",
                        skep_quote(quoted, sizeof quoted, l->files[i], strlen(l->files[i])));
}

skep_status skep_load_run(skep_session *s, const skep_statement *statement, skep_result **out, skep_err *err) {
  skep_life life = {0};
  loading l;
  (void)out;
  skep_status st;
  do {
    l = (loading){.life = &life, .ast = statement->load};
    st = skep_life_open(&life, s, err);
    if (st == SKEP_OK) st = run(&l, err);
  } while (skep_life_again(&life, &st, err));
  if (st != SKEP_OK) return skep_life_fail(&life, st);
  st = skep_life_commit(&life, err);
  if (st == SKEP_OK && !l.ast->is_local) remove_sources(&l, s);
  return st;
}
