/* Inspecting a table directory or partition tree: every directory's verdict for a snapshot, and why.
 *
 * A directory whose sub-directories are named "k=v" is a level of partitions and is descended; any other is the root of
 * a partition (or of a table without partitions), which acid/layout.h classifies. */
#include <stdlib.h>
#include <string.h>

#include "acid/layout.h"
#include "cli/inspect.h"
#include "cli/tree.h"
#include "orc/tail.h"

enum { MAX_LEVELS = 64, ROWS_OF_FILES = 500 }; /* tails read for row counts: a glance, not a scan */

typedef struct dir_report {
  const skep_cli_env *env;
  const skep_inspect_opts *opts;
  skep_cli_output *out;
  skep_report *r; /* JSON; NULL: text */
  skep_arena arena;
  skep_buf line;
  const char *root;
  uint64_t n_partitions, n_used_dirs, n_used_files, used_bytes, rows, n_unknown;
  uint64_t files_read; /* tails looked at for their number of rows */
  bool rows_complete;
} dir_report;

typedef struct names {
  dir_report *d;
  size_t n, capacity;
  const char **items;  /* partition directories, from the context's allocator */
  bool has_table_dirs; /* base, delta or delete_delta is there */
} names;

static const char *verdict_name(skep_verdict v) {
  switch (v) {
    case SKEP_USED:
      return "used";
    case SKEP_OBSOLETE:
      return "obsolete";
    case SKEP_NOT_VISIBLE:
      return "not visible";
    case SKEP_ABORTED:
      return "aborted";
    case SKEP_IGNORED:
      return "ignored";
    case SKEP_NAME_UNKNOWN:
      return "unknown";
  }
  return "?";
}

static skep_status collect(void *self, const skep_entry *entry, skep_err *err) {
  names *list = self;
  const skep_ctx *ctx = list->d->env->ctx;
  if (entry->kind != SKEP_ENTRY_DIR || entry->name[0] == '.' || entry->name[0] == '_') return SKEP_OK;
  skep_dir_name parsed;
  skep_err ignored;
  if (skep_dir_name_parse(entry->name, &parsed, &ignored) != SKEP_OK || parsed.kind != SKEP_DIR_OTHER) {
    list->has_table_dirs = true;
    return SKEP_OK;
  }
  if (strchr(entry->name, '=') == NULL) return SKEP_OK;
  if (list->n >= ctx->limits.max_dir_entries) return skep_fail(err, SKEP_ERR_LIMIT, "more than %zu names", list->n);
  void *block = list->items;
  SKEP_TRY(skep_grow(ctx, &block, &list->capacity, list->n + 1, sizeof *list->items, err));
  list->items = block;
  list->items[list->n] = skep_arena_strndup(&list->d->arena, entry->name, strlen(entry->name));
  if (list->items[list->n] == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for names");
  list->n++;
  return SKEP_OK;
}

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* --- one partition --- */

/* Rows of a used data file, from its tail; unreadable ones are left to `skep cat` to complain about. */
static bool rows_of(dir_report *d, const char *path, uint64_t length, uint64_t *rows) {
  if (d->files_read >= ROWS_OF_FILES) return false;
  d->files_read++;
  skep_file *file = NULL;
  skep_orc_tail *tail = NULL;
  skep_err ignored;
  bool ok = skep_fs_open_read(d->env->fs, path, &file, &ignored) == SKEP_OK &&
            skep_orc_tail_read(d->env->ctx, file, length, &tail, &ignored) == SKEP_OK;
  if (ok) *rows = tail->n_rows;
  skep_orc_tail_unref(tail);
  skep_file_close(file, NULL);
  return ok;
}

typedef struct dir_sums {
  uint64_t n_files, bytes, rows;
  bool has_rows;
} dir_sums;

static bool is_data(const skep_layout_file *f) {
  return f->name.kind == SKEP_DATA_BUCKET || f->name.kind == SKEP_DATA_ORIGINAL || f->name.kind == SKEP_FILE_UNKNOWN;
}

static dir_sums sum_dir(dir_report *d, const char *root, const skep_layout_dir *dir) {
  dir_sums s = {.has_rows = dir->verdict == SKEP_USED};
  for (uint32_t i = 0; i < dir->n_files; i++) {
    const skep_layout_file *f = &dir->files[i];
    if (!is_data(f)) continue;
    s.n_files++;
    s.bytes += f->size_bytes;
    if (dir->verdict != SKEP_USED || f->verdict != SKEP_USED || f->logical_bytes == 0) continue;
    const char *in_dir = skep_cli_join(&d->arena, root, dir->name);
    const char *path = in_dir != NULL ? skep_cli_join(&d->arena, in_dir, f->path) : NULL;
    uint64_t rows = 0;
    if (path == NULL || !rows_of(d, path, f->logical_bytes, &rows)) s.has_rows = false;
    s.rows += rows;
  }
  if (dir->verdict == SKEP_USED) {
    d->n_used_dirs++;
    d->n_used_files += s.n_files;
    d->used_bytes += s.bytes;
    if (!s.has_rows) d->rows_complete = false;
    if (dir->parsed.kind != SKEP_DIR_DELETE_DELTA) d->rows += s.rows;
  }
  if (dir->verdict == SKEP_NAME_UNKNOWN) d->n_unknown++;
  return s;
}

static void json_dir(dir_report *d, const skep_layout_dir *dir, const dir_sums *s) {
  skep_report *r = d->r;
  skep_report_open(r, NULL);
  skep_report_text(r, "name", dir->name);
  skep_report_text(r, "verdict", verdict_name(dir->verdict));
  if (dir->reason != NULL) skep_report_text(r, "reason", dir->reason);
  if (dir->parsed.kind != SKEP_DIR_OTHER) {
    static const char *const kinds[] = {"base", "delta", "delete_delta"};
    skep_report_text(r, "kind", kinds[dir->parsed.kind]);
    skep_report_i64(r, "min_write_id", dir->parsed.min_write_id);
    skep_report_i64(r, "max_write_id", dir->parsed.max_write_id);
    if (dir->parsed.statement >= 0) skep_report_i64(r, "statement", dir->parsed.statement);
    if (dir->parsed.visibility_txn != 0) skep_report_i64(r, "visibility_txn", dir->parsed.visibility_txn);
  }
  if (dir->data_format != NULL) skep_report_text(r, "data_format", dir->data_format);
  skep_report_u64(r, "data_files", s->n_files);
  skep_report_u64(r, "bytes", s->bytes);
  if (s->has_rows) skep_report_u64(r, "rows", s->rows);
  skep_report_open_list(r, "files");
  for (uint32_t i = 0; i < dir->n_files; i++) {
    const skep_layout_file *f = &dir->files[i];
    skep_report_open_inline(r, NULL);
    skep_report_text(r, "path", f->path);
    skep_report_text(r, "verdict", verdict_name(f->verdict));
    if (f->reason != NULL) skep_report_text(r, "reason", f->reason);
    skep_report_u64(r, "bytes", f->size_bytes);
    if (f->logical_bytes != f->size_bytes) skep_report_u64(r, "committed_bytes", f->logical_bytes);
    skep_report_close(r);
  }
  skep_report_close(r);
  skep_report_close(r);
}

static void put_line(dir_report *d) {
  skep_buf_byte(&d->line, '\n');
  if (d->line.status == SKEP_OK) skep_cli_output_write(d->out, d->line.data, d->line.size);
  skep_buf_reset(&d->line);
}

static const char *shown(char *out, size_t size, const char *text) { return skep_quote(out, size, text, strlen(text)); }

/* Files that are not simply used as data, one a line below their directory. */
static void text_files(dir_report *d, const skep_layout_dir *dir) {
  char name[400];
  for (uint32_t i = 0; i < dir->n_files; i++) {
    const skep_layout_file *f = &dir->files[i];
    bool plain = is_data(f) && f->verdict == SKEP_USED && f->logical_bytes == f->size_bytes && !f->is_special;
    if (f->verdict == SKEP_NAME_UNKNOWN) d->n_unknown++;
    bool boring = f->verdict == SKEP_IGNORED && f->logical_bytes == f->size_bytes && !d->opts->verbose;
    if (dir->verdict != SKEP_USED || plain || boring) continue;
    skep_buf_printf(&d->line, "    %-12s  %s", verdict_name(f->verdict), shown(name, sizeof name, f->path));
    if (f->logical_bytes != f->size_bytes) {
      skep_buf_printf(&d->line, "  (%llu of %llu bytes committed)", (unsigned long long)f->logical_bytes,
                      (unsigned long long)f->size_bytes);
    }
    if (f->reason != NULL) skep_buf_printf(&d->line, "  %s", f->reason);
    put_line(d);
  }
}

static void text_dir(dir_report *d, const skep_layout_dir *dir, const dir_sums *s, int width) {
  char name[400];
  const char *label = dir->name[0] != '\0' ? dir->name : "(files of the directory itself)";
  skep_buf_printf(&d->line, "  %-12s  %-*s %6llu %12llu ", verdict_name(dir->verdict), width,
                  shown(name, sizeof name, label), (unsigned long long)s->n_files, (unsigned long long)s->bytes);
  if (s->has_rows) {
    skep_buf_printf(&d->line, "%10llu", (unsigned long long)s->rows);
  } else {
    skep_buf_printf(&d->line, "%10s", "-");
  }
  skep_buf_printf(&d->line, "  %s", dir->reason != NULL ? dir->reason : "");
  put_line(d);
  text_files(d, dir);
}

/* What kind of table the directory is, as `skep cat` takes it. */
static const char *kind_of(const dir_report *d, const skep_layout *layout, bool *row_ids) {
  skep_layout_rows rows = skep_layout_rows_of(layout);
  *row_ids = rows.with_ids && !d->opts->insert_only;
  if (!layout->is_transactional_layout) return "no base or delta: a plain table";
  if (*row_ids) return "full ACID";
  return rows.with_ids || rows.without_ids ? "rows without row ids: insert-only, or only loaded into" : "no rows";
}

static skep_status one_partition(dir_report *d, const char *below, skep_err *err) {
  const char *root = skep_cli_join(&d->arena, d->root, below);
  if (root == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a path");
  skep_layout_opts opts = {
      .snapshot = &d->opts->snapshot, .hive = d->opts->hive, .is_insert_only = d->opts->insert_only};
  skep_layout *layout = NULL;
  SKEP_TRY(skep_layout_read(d->env->ctx, d->env->fs, root, &opts, &layout, err));
  d->n_partitions++;
  int width = 34;
  for (uint32_t i = 0; i < layout->n_dirs; i++) {
    size_t n = strlen(layout->dirs[i].name);
    if (n > (size_t)width && n < 100) width = (int)n;
  }
  bool row_ids;
  const char *kind = kind_of(d, layout, &row_ids);
  if (d->r != NULL) {
    skep_report_open(d->r, NULL);
    skep_report_text(d->r, "path", below);
    skep_report_bool(d->r, "transactional", layout->is_transactional_layout);
    skep_report_bool(d->r, "row_ids", row_ids);
    skep_report_open_list(d->r, "directories");
  } else {
    char name[400];
    skep_buf_printf(&d->line, "%s  (%s)", shown(name, sizeof name, root), kind);
    put_line(d);
    skep_buf_printf(&d->line, "  %-12s  %-*s %6s %12s %10s  %s", "VERDICT", width, "NAME", "FILES", "BYTES", "ROWS",
                    "REASON");
    put_line(d);
  }
  for (uint32_t i = 0; i < layout->n_dirs; i++) {
    dir_sums sums = sum_dir(d, root, &layout->dirs[i]);
    if (d->r != NULL) {
      json_dir(d, &layout->dirs[i], &sums);
    } else {
      text_dir(d, &layout->dirs[i], &sums, width);
    }
  }
  if (d->r != NULL) {
    skep_report_close(d->r);
    skep_report_close(d->r);
  }
  skep_layout_free(layout);
  return SKEP_OK;
}

/* --- the tree --- */

static skep_status descend(dir_report *d, const char *below, unsigned level, skep_err *err) {
  const char *here = skep_cli_join(&d->arena, d->root, below);
  names list = {.d = d};
  if (here == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "no memory for a path");
  if (level > MAX_LEVELS) return skep_fail(err, SKEP_ERR_LIMIT, "partitions nest deeper than %d levels", MAX_LEVELS);
  if (skep_cli_interrupted()) return skep_fail(err, SKEP_ERR_CANCELLED, "interrupted");
  skep_status status = skep_fs_list(d->env->fs, here, false, collect, &list, err);
  if (status == SKEP_OK && (list.n == 0 || list.has_table_dirs)) status = one_partition(d, below, err);
  if (status == SKEP_OK && !list.has_table_dirs) {
    if (list.n > 0) qsort(list.items, list.n, sizeof *list.items, by_name);
    for (size_t i = 0; i < list.n && status == SKEP_OK; i++) {
      const char *next = below[0] == '\0' ? list.items[i] : skep_cli_join(&d->arena, below, list.items[i]);
      status = next == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "no memory for a path") : descend(d, next, level + 1, err);
    }
  }
  skep_release(d->env->ctx, list.items);
  return status;
}

static void sums(dir_report *d) {
  if (d->r != NULL) {
    skep_report_open(d->r, "sum");
    skep_report_u64(d->r, "partitions", d->n_partitions);
    skep_report_u64(d->r, "used_directories", d->n_used_dirs);
    skep_report_u64(d->r, "used_data_files", d->n_used_files);
    skep_report_u64(d->r, "used_bytes", d->used_bytes);
    if (d->rows_complete) skep_report_u64(d->r, "rows_in_used_files", d->rows);
    skep_report_close(d->r);
    return;
  }
  skep_buf_printf(&d->line, "%llu director%s in use: %llu data file%s, %llu bytes", (unsigned long long)d->n_used_dirs,
                  d->n_used_dirs == 1 ? "y" : "ies", (unsigned long long)d->n_used_files,
                  d->n_used_files == 1 ? "" : "s", (unsigned long long)d->used_bytes);
  if (d->n_partitions > 1) skep_buf_printf(&d->line, ", in %llu partitions", (unsigned long long)d->n_partitions);
  if (d->rows_complete)
    skep_buf_printf(&d->line, ", %llu row%s before deletes", (unsigned long long)d->rows, d->rows == 1 ? "" : "s");
  put_line(d);
}

static skep_status report_dir(dir_report *d, skep_err *err) {
  if (d->r != NULL) {
    skep_report_text(d->r, "path", d->root);
    skep_report_text(d->r, "snapshot",
                     d->opts->snapshot.everything ? "everything on disk counts as committed" : "given");
    skep_report_open_list(d->r, "partitions");
  } else if (d->opts->snapshot.everything) {
    skep_buf_text(&d->line, "no snapshot given: everything on disk counts as committed");
    put_line(d);
  }
  skep_status status = descend(d, "", 0, err);
  if (d->r != NULL) skep_report_close(d->r);
  if (status == SKEP_OK) sums(d);
  return status;
}

skep_status skep_inspect_dir(const skep_cli_env *env, const char *path, const skep_inspect_opts *opts,
                             skep_cli_output *out, skep_err *err) {
  skep_report report;
  dir_report d = {.env = env, .opts = opts, .out = out, .root = path, .rows_complete = true};
  skep_arena_init(&d.arena, env->ctx, 1u << 30);
  skep_buf_init(&d.line, env->ctx, 1u << 20);
  if (opts->json) {
    skep_report_begin(&report, out, true);
    d.r = &report;
  }
  skep_status status = report_dir(&d, err);
  skep_err second = {0};
  skep_status end = SKEP_OK;
  if (opts->json) {
    end = skep_report_end(&report, &second);
  } else {
    skep_cli_output_flush(out);
    end = skep_cli_output_check(out, &second);
  }
  if (status == SKEP_OK && end != SKEP_OK) status = skep_fail(err, end, "%s", second.text);
  skep_buf_fini(&d.line);
  skep_arena_fini(&d.arena);
  return status;
}
