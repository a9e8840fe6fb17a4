/* Listing a partition root: one pass over its directories, then what the side files of the used ones say.
 *
 * Source: Hive AcidUtils.getHdfsDirSnapshots, isRawFormat (by names only), MetaDataFile,
 * OrcAcidUtils.getLastFlushLength. */
#include "acid/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
  MAX_DEPTH = 32,             /* directories inside a partition root */
  MAX_METADATA_BYTES = 65536, /* Hive's own file has 50 */
};

typedef struct names {
  const char **items;
  skep_entry_kind *kinds;
  uint32_t n;
  size_t capacity, kinds_capacity;
} names;

typedef struct lister {
  const skep_ctx *ctx;
  skep_fs *fs;
  const skep_layout_opts *opts;
  skep_layout *layout;
  uint64_t n_entries;
  skep_layout_dir *dirs;
  size_t n_dirs, dirs_capacity;
  skep_layout_file *files; /* of the directory being listed */
  size_t n_files, files_capacity;
  skep_buf path;
  size_t n_gone;
  skep_err gone; /* of the first */
} lister;

static skep_status no_memory(skep_err *err) { return skep_fail(err, SKEP_ERR_NOMEM, "directory listing"); }

static skep_status count_entry(lister *l, skep_err *err) {
  if (++l->n_entries <= l->ctx->limits.max_dir_entries) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_LIMIT, "more than %" PRIu64 " files and directories", l->ctx->limits.max_dir_entries);
}

/* "root", "a", "b" -> "root/a/b"; empty parts are left out. Borrowed until the next call. */
static const char *join(lister *l, const char *a, const char *b) {
  skep_buf_reset(&l->path);
  skep_buf_text(&l->path, l->layout->root);
  const char *parts[] = {a, b};
  for (int i = 0; i < 2; i++) {
    if (parts[i] == NULL || parts[i][0] == '\0') continue;
    if (l->path.size == 0 || l->path.data[l->path.size - 1] != '/') skep_buf_byte(&l->path, '/');
    skep_buf_text(&l->path, parts[i]);
  }
  return skep_buf_string(&l->path);
}

static bool is_hidden(const char *name) { return name[0] == '_' || name[0] == '.'; }

/* Adds one entry of the directory being listed; `path` is already in the arena. */
static skep_status add_file(lister *l, const char *path, const char *name, uint64_t size, bool is_special,
                            skep_err *err) {
  SKEP_TRY(skep_grow(l->ctx, (void **)&l->files, &l->files_capacity, l->n_files + 1, sizeof *l->files, err));
  skep_layout_file *file = &l->files[l->n_files++];
  *file = (skep_layout_file){
      .path = path, .size_bytes = size, .logical_bytes = size, .is_special = is_special, .reason = ""};
  skep_file_name_parse(name, &file->name);
  return SKEP_OK;
}

/* A directory that is not entered. */
static skep_status add_closed_dir(lister *l, const char *path, skep_verdict verdict, const char *reason,
                                  skep_err *err) {
  SKEP_TRY(add_file(l, path, "", 0, false, err));
  skep_layout_file *file = &l->files[l->n_files - 1];
  file->is_dir = true;
  file->verdict = verdict;
  file->reason = reason;
  return SKEP_OK;
}

/* One level of a directory inside the root: files are added at once, directories remembered and entered afterwards. */
typedef struct level {
  lister *l;
  const char *dir;    /* relative to the root: what is listed */
  const char *prefix; /* of file paths: relative to the directory entry, "" at its top */
  bool inside_acid;
  const char **subdirs;
  size_t n_subdirs, subdirs_capacity;
} level;

static const char *prefixed(lister *l, const char *prefix, const char *name) {
  if (prefix[0] == '\0') return skep_arena_strndup(&l->layout->arena, name, strlen(name));
  return skep_arena_join(&l->layout->arena, prefix, "/", name);
}

static skep_status visit_inner(void *self, const skep_entry *entry, skep_err *err) {
  level *v = self;
  lister *l = v->l;
  SKEP_TRY(count_entry(l, err));
  const char *path = prefixed(l, v->prefix, entry->name);
  if (path == NULL) return no_memory(err);
  if (entry->kind != SKEP_ENTRY_DIR)
    return add_file(l, path, entry->name, entry->size_bytes, entry->kind == SKEP_ENTRY_OTHER, err);
  if (is_hidden(entry->name)) return add_closed_dir(l, path, SKEP_IGNORED, "hidden directory", err);
  skep_dir_name parsed;
  bool is_acid_name = skep_dir_name_parse(entry->name, &parsed, NULL) != SKEP_OK || parsed.kind != SKEP_DIR_OTHER;
  /* Hive 1 and 2 renamed the result of a second compaction to the same range into the first one. */
  if (is_acid_name && v->inside_acid)
    return add_closed_dir(l, path, SKEP_IGNORED,
                          "inner copy: a compaction's result that was moved into an existing directory", err);
  if (is_acid_name)
    return add_closed_dir(l, path, SKEP_NAME_UNKNOWN, "a directory of an ACID table below an ordinary one: not read",
                          err);
  skep_file_name file_name;
  skep_file_name_parse(entry->name, &file_name);
  if (v->inside_acid && file_name.kind == SKEP_DATA_BUCKET && !l->opts->is_insert_only) {
    SKEP_TRY(add_closed_dir(l, path, SKEP_NAME_UNKNOWN, "a directory where a data file belongs", err));
    l->files[l->n_files - 1].is_special = true;
    return SKEP_OK;
  }
  SKEP_TRY(skep_grow(l->ctx, (void **)&v->subdirs, &v->subdirs_capacity, v->n_subdirs + 1, sizeof *v->subdirs, err));
  v->subdirs[v->n_subdirs++] = path;
  return SKEP_OK;
}

/* Lists `top`/`prefix` and what is below it into l->files. */
static skep_status list_inner(lister *l, const char *top, const char *prefix, bool inside_acid, unsigned depth,
                              skep_err *err) {
  if (depth > MAX_DEPTH) return skep_fail(err, SKEP_ERR_LIMIT, "directories nested deeper than %d", MAX_DEPTH);
  level v = {.l = l, .prefix = prefix, .inside_acid = inside_acid};
  const char *path = join(l, top, prefix);
  skep_status status = skep_buf_check(&l->path, "path", err);
  if (status == SKEP_OK) status = skep_fs_list(l->fs, path, true, visit_inner, &v, err);
  for (size_t i = 0; status == SKEP_OK && i < v.n_subdirs; i++)
    status = list_inner(l, top, v.subdirs[i], inside_acid, depth + 1, err);
  skep_release(l->ctx, v.subdirs);
  return status;
}

/* Moves the gathered files to a new directory entry. */
static skep_status add_dir(lister *l, skep_layout_dir dir, skep_err *err) {
  SKEP_TRY(skep_grow(l->ctx, (void **)&l->dirs, &l->dirs_capacity, l->n_dirs + 1, sizeof *l->dirs, err));
  dir.n_files = (uint32_t)l->n_files;
  if (l->n_files != 0) {
    dir.files = skep_arena_zero(&l->layout->arena, l->n_files, sizeof *dir.files);
    if (dir.files == NULL) return no_memory(err);
    memcpy(dir.files, l->files, l->n_files * sizeof *dir.files);
  }
  l->n_files = 0;
  l->dirs[l->n_dirs++] = dir;
  return SKEP_OK;
}

/* Bytes of a small side file, NUL not counted. */
static skep_status read_metadata(lister *l, skep_layout_dir *dir, skep_err *err) {
  const char *path = join(l, dir->name, "_metadata_acid");
  skep_file *file = NULL;
  SKEP_TRY(skep_fs_open_read(l->fs, path, &file, err));
  uint8_t *text = NULL;
  size_t size = (size_t)file->size_bytes;
  skep_status status = SKEP_OK;
  if (file->size_bytes > MAX_METADATA_BYTES) {
    status = skep_fail(err, SKEP_ERR_CORRUPT, "_metadata_acid: %" PRIu64 " bytes", file->size_bytes);
  } else if ((text = skep_alloc(l->ctx, size)) == NULL) {
    status = no_memory(err);
  } else if (size != 0) {
    status = skep_file_read_at(file, 0, text, size, err);
  }
  if (status == SKEP_OK) status = skep_metadata_acid_parse(skep_bytes_of(text, size), &dir->data_format, err);
  if (status != SKEP_OK) status = skep_wrap(err, status, "%s", dir->name);
  skep_release(l->ctx, text);
  skep_file_close(file, NULL);
  return status;
}

static const char *last_name(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

/* Whether a row of the directory can count for the snapshot. */
static bool may_count(const lister *l, const skep_dir_name *name) {
  const skep_snapshot *s = l->opts->snapshot;
  if (name->visibility_txn != 0 && !skep_snapshot_txn_valid(s, name->visibility_txn)) return false;
  return skep_snapshot_range_valid(s, name->min_write_id, name->max_write_id) != SKEP_RANGE_NONE;
}

/* Two who remove directories while others list them: a writer whose transaction fails, of what cannot count, and a
 * cleaner, of what others replaced. Such a one takes part in deciding as if it were there: it must not be needed. */
static skep_status add_gone(lister *l, skep_layout_dir dir, const skep_err *why, skep_err *err) {
  l->n_files = 0;
  if (dir.name[0] != '\0' && !may_count(l, &dir.parsed)) return SKEP_OK;
  if (l->n_gone++ == 0) l->gone = *why;
  dir.is_gone = true;
  return add_dir(l, dir, err);
}

static skep_status pass_on(skep_status status, const skep_err *why, skep_err *err) {
  if (err != NULL) *err = *why;
  return status;
}

static skep_status list_acid_dir(lister *l, const char *name, const skep_dir_name *parsed, skep_err *err) {
  skep_layout_dir dir = {.name = name, .parsed = *parsed, .reason = "", .content = SKEP_CONTENT_RAW};
  skep_err why = {0};
  skep_status status = list_inner(l, name, "", true, 1, &why);
  if (status == SKEP_ERR_NOT_FOUND) return add_gone(l, dir, &why, err);
  if (status != SKEP_OK) return pass_on(status, &why, err);
  bool has_rows = false, has_inner = false;
  dir.is_empty = true;
  for (size_t i = 0; i < l->n_files; i++) {
    skep_file_kind kind = l->files[i].name.kind;
    if (l->files[i].is_dir) {
      if (l->files[i].is_special) dir.is_empty = false; /* whoever needs the directory is to stumble on it */
      has_inner = has_inner || (!l->files[i].is_special && !is_hidden(last_name(l->files[i].path)));
      continue;
    }
    if (kind != SKEP_FILE_HIDDEN) dir.is_empty = false;
    if (kind == SKEP_FILE_METADATA) dir.has_metadata = true;
    if (kind == SKEP_DATA_BUCKET) dir.content = SKEP_CONTENT_ACID;
    has_rows = has_rows || kind == SKEP_DATA_BUCKET || kind == SKEP_DATA_ORIGINAL || kind == SKEP_FILE_UNKNOWN;
  }
  if (dir.is_empty && has_inner && l->opts->hive != SKEP_HIVE_1 && l->opts->hive != SKEP_HIVE_2) {
    dir.is_empty = false; /* a link to its own parent, for instance; Hive 1 and 2 made copies inside of empty ones */
    dir.is_misplaced = true;
  }
  if (!has_rows || parsed->kind == SKEP_DIR_DELETE_DELTA) dir.content = SKEP_CONTENT_ACID;
  if (l->opts->is_insert_only) dir.content = SKEP_CONTENT_RAW;
  /* what cannot count may be half written: by somebody who is at it, or who never came to its end */
  if (dir.has_metadata && parsed->kind == SKEP_DIR_BASE && may_count(l, parsed)) status = read_metadata(l, &dir, &why);
  if (status == SKEP_ERR_NOT_FOUND) return add_gone(l, dir, &why, err);
  return status == SKEP_OK ? add_dir(l, dir, err) : pass_on(status, &why, err);
}

/* A root entry that is neither entered nor part of the table. */
static skep_status add_other_dir(lister *l, const char *name, skep_verdict verdict, const char *reason, skep_err *err) {
  return add_dir(
      l,
      (skep_layout_dir){
          .name = name, .parsed = {.statement = -1, .kind = SKEP_DIR_OTHER}, .verdict = verdict, .reason = reason},
      err);
}

typedef struct root_entries {
  lister *l;
  const char **dirs; /* names in the arena */
  size_t n_dirs, dirs_capacity;
  skep_layout_file *files;
  size_t n_files, files_capacity;
} root_entries;

static skep_status visit_root(void *self, const skep_entry *entry, skep_err *err) {
  root_entries *r = self;
  lister *l = r->l;
  SKEP_TRY(count_entry(l, err));
  const char *name = skep_arena_strndup(&l->layout->arena, entry->name, strlen(entry->name));
  if (name == NULL) return no_memory(err);
  if (entry->kind == SKEP_ENTRY_DIR) {
    SKEP_TRY(skep_grow(l->ctx, (void **)&r->dirs, &r->dirs_capacity, r->n_dirs + 1, sizeof *r->dirs, err));
    r->dirs[r->n_dirs++] = name;
    return SKEP_OK;
  }
  SKEP_TRY(skep_grow(l->ctx, (void **)&r->files, &r->files_capacity, r->n_files + 1, sizeof *r->files, err));
  r->files[r->n_files++] = (skep_layout_file){
      .path = name, .size_bytes = entry->size_bytes, .is_special = entry->kind == SKEP_ENTRY_OTHER, .reason = ""};
  return SKEP_OK;
}

static int compare_texts(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_partition_name(const char *name) {
  const char *equals = strchr(name, '=');
  return !is_hidden(name) && equals != NULL && equals != name;
}

/* Whether the root's "name=value" directories are partitions. */
static bool holds_partitions(const root_entries *r, uint32_t levels) {
  if (levels == 0) return false;
  if (levels != SKEP_PARTITIONS_AUTO) return true;
  size_t n = 0;
  for (size_t i = 0; i < r->n_dirs; i++) {
    skep_dir_name parsed;
    bool is_acid = skep_dir_name_parse(r->dirs[i], &parsed, NULL) == SKEP_OK && parsed.kind != SKEP_DIR_OTHER;
    if (is_acid) return false;
    n += is_partition_name(r->dirs[i]);
  }
  for (size_t i = 0; i < r->n_files; i++) {
    if (!is_hidden(r->files[i].path) && r->files[i].size_bytes != 0) return false; /* an empty one holds no rows */
  }
  return n != 0;
}

static skep_status list_partition_names(lister *l, root_entries *r, skep_err *err) {
  const char **found = skep_arena_zero(&l->layout->arena, r->n_dirs + 1, sizeof *found);
  if (found == NULL) return no_memory(err);
  for (size_t i = 0; i < r->n_dirs; i++) {
    const char *name = r->dirs[i];
    if (is_hidden(name)) {
      SKEP_TRY(add_other_dir(l, name, SKEP_IGNORED, "hidden directory", err));
    } else if (is_partition_name(name)) {
      found[l->layout->n_partitions++] = name;
    } else {
      SKEP_TRY(add_other_dir(l, name, SKEP_NAME_UNKNOWN, "no partition directory name=value: not read", err));
    }
  }
  l->layout->partitions = found;
  for (size_t i = 0; i < r->n_files; i++) {
    const skep_layout_file *file = &r->files[i];
    SKEP_TRY(add_file(l, file->path, file->path, file->size_bytes, file->is_special, err));
    bool hidden = is_hidden(file->path);
    l->files[l->n_files - 1].verdict = hidden ? SKEP_IGNORED : SKEP_NAME_UNKNOWN;
    l->files[l->n_files - 1].reason = hidden ? "hidden name" : "a file beside partition directories: not read";
  }
  return add_other_dir(l, "", SKEP_IGNORED, "the table is partitioned", err);
}

static skep_status list_partition_root(lister *l, root_entries *r, skep_err *err) {
  bool has_originals = r->n_files != 0;
  for (size_t i = 0; i < r->n_dirs; i++) {
    const char *name = r->dirs[i];
    skep_dir_name parsed;
    if (is_hidden(name)) {
      SKEP_TRY(add_other_dir(l, name, SKEP_IGNORED, "hidden directory", err));
    } else if (skep_dir_name_parse(name, &parsed, NULL) != SKEP_OK) {
      SKEP_TRY(add_other_dir(l, name, SKEP_NAME_UNKNOWN, "", err));
      l->dirs[l->n_dirs - 1].is_malformed = true;
    } else if (parsed.kind != SKEP_DIR_OTHER) {
      SKEP_TRY(list_acid_dir(l, name, &parsed, err));
    } else {
      has_originals = true;
    }
  }
  if (!has_originals) return SKEP_OK;
  const skep_layout_dir originals = {
      .name = "", .parsed = {.kind = SKEP_DIR_OTHER, .statement = -1}, .reason = "", .content = SKEP_CONTENT_RAW};
  skep_err why = {0};
  for (size_t i = 0; i < r->n_files; i++) {
    const skep_layout_file *file = &r->files[i];
    SKEP_TRY(add_file(l, file->path, file->path, file->size_bytes, file->is_special, err));
  }
  for (size_t i = 0; i < r->n_dirs; i++) {
    skep_dir_name parsed;
    const char *name = r->dirs[i];
    if (is_hidden(name) || skep_dir_name_parse(name, &parsed, NULL) != SKEP_OK || parsed.kind != SKEP_DIR_OTHER)
      continue;
    skep_status status = list_inner(l, "", name, false, 1, &why);
    if (status == SKEP_ERR_NOT_FOUND) return add_gone(l, originals, &why, err);
    if (status != SKEP_OK) return pass_on(status, &why, err);
  }
  return add_dir(l, originals, err);
}

static skep_status list_root(lister *l, skep_err *err) {
  root_entries r = {.l = l};
  skep_status status = skep_fs_list(l->fs, l->layout->root, true, visit_root, &r, err);
  if (status == SKEP_OK) {
    if (r.n_dirs > 1) qsort(r.dirs, r.n_dirs, sizeof *r.dirs, compare_texts);
    status = holds_partitions(&r, l->opts->partition_levels) ? list_partition_names(l, &r, err)
                                                             : list_partition_root(l, &r, err);
  }
  skep_release(l->ctx, r.dirs);
  skep_release(l->ctx, r.files);
  return status;
}

/* A writer may have gone on since the directory was listed. */
static skep_status measure_again(lister *l, const char *dir, skep_layout_file *file, skep_err *err) {
  skep_stat stat;
  skep_buf_reset(&l->path);
  const char *path = join(l, dir, file->path);
  SKEP_TRY(skep_buf_check(&l->path, "path", err));
  SKEP_TRY(skep_fs_stat(l->fs, path, &stat, err));
  file->size_bytes = file->logical_bytes = stat.size_bytes;
  return SKEP_OK;
}

/* The last complete 8-byte big-endian integer of a side file. Where the writer removed it meanwhile, it has closed the
 * data file, all of which counts then. */
static skep_status read_flushed_length(lister *l, const char *dir, skep_layout_file *file, skep_err *err) {
  char quoted[256];
  skep_quote(quoted, sizeof quoted, file->path, strlen(file->path));
  skep_buf_reset(&l->path);
  join(l, dir, file->path);
  skep_buf_text(&l->path, SKEP_FLUSH_LENGTH_SUFFIX);
  SKEP_TRY(skep_buf_check(&l->path, "path", err));
  skep_file *side = NULL;
  skep_status status = skep_fs_open_read(l->fs, skep_buf_string(&l->path), &side, err);
  if (status == SKEP_ERR_NOT_FOUND) return measure_again(l, dir, file, err);
  if (status != SKEP_OK) return status;
  uint8_t last[8];
  if (side->size_bytes < sizeof last) {
    status = skep_fail(err, SKEP_ERR_CORRUPT, "%s%s has %" PRIu64 " bytes, and a length needs 8", quoted,
                       SKEP_FLUSH_LENGTH_SUFFIX, side->size_bytes);
  } else {
    status = skep_file_read_at(side, (side->size_bytes / sizeof last - 1) * sizeof last, last, sizeof last, err);
  }
  skep_file_close(side, NULL);
  SKEP_TRY(status);
  uint64_t length = skep_load_be64(last);
  if (length > file->size_bytes) SKEP_TRY(measure_again(l, dir, file, err));
  if (length > file->size_bytes)
    return skep_fail(err, SKEP_ERR_CORRUPT, "%s%s says that %" PRIu64 " bytes are flushed, but the file has %" PRIu64,
                     quoted, SKEP_FLUSH_LENGTH_SUFFIX, length, file->size_bytes);
  file->logical_bytes = length;
  return SKEP_OK;
}

/* The data file that a side file belongs to, or NULL. Data files come first and are sorted. */
static skep_layout_file *find_data_file(const skep_layout_dir *dir, uint32_t n_data, const skep_layout_file *side) {
  size_t length = strlen(side->path) - (sizeof SKEP_FLUSH_LENGTH_SUFFIX - 1);
  uint32_t low = 0, high = n_data;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const char *path = dir->files[middle].path;
    int order = strncmp(path, side->path, length);
    if (order == 0 && path[length] == '\0') return &dir->files[middle];
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return NULL;
}

/* Lengths of the data files of a used directory; those without content are not read. */
static skep_status measure_files(lister *l, skep_layout_dir *dir, skep_err *err) {
  uint32_t n_data = 0;
  while (n_data < dir->n_files && dir->files[n_data].verdict == SKEP_USED) n_data++;
  for (uint32_t i = n_data; i < dir->n_files; i++) {
    if (dir->files[i].name.kind != SKEP_FILE_FLUSH_LENGTH || dir->files[i].is_dir) continue;
    skep_layout_file *data = find_data_file(dir, n_data, &dir->files[i]);
    if (data == NULL) continue;
    data->has_side_file = true;
    skep_status status = read_flushed_length(l, dir->name, data, err);
    if (status != SKEP_OK) return dir->name[0] == '\0' ? status : skep_wrap(err, status, "%s", dir->name);
  }
  for (uint32_t i = 0; i < dir->n_files; i++) {
    skep_layout_file *file = &dir->files[i];
    if (file->verdict != SKEP_USED || file->logical_bytes != 0 || file->is_special) continue;
    file->verdict = SKEP_IGNORED;
    file->reason = file->has_side_file ? "nothing in it is committed yet" : "empty file";
  }
  return SKEP_OK;
}

/* What was removed meanwhile is left out, unless it is needed. */
static skep_status leave_out_gone(lister *l, skep_err *err) {
  skep_layout *layout = l->layout;
  uint32_t kept = layout->n_used;
  for (uint32_t i = 0; i < layout->n_used; i++)
    if (layout->dirs[i].is_gone) return pass_on(SKEP_ERR_NOT_FOUND, &l->gone, err);
  for (uint32_t i = kept; i < layout->n_dirs; i++)
    if (!layout->dirs[i].is_gone) layout->dirs[kept++] = layout->dirs[i];
  layout->n_dirs = kept;
  return SKEP_OK;
}

static skep_status read_layout(lister *l, skep_err *err) {
  skep_layout *layout = l->layout;
  SKEP_TRY(list_root(l, err));
  layout->dirs = skep_arena_zero(&layout->arena, l->n_dirs + 1, sizeof *layout->dirs);
  if (layout->dirs == NULL) return no_memory(err);
  if (l->n_dirs != 0) memcpy(layout->dirs, l->dirs, l->n_dirs * sizeof *layout->dirs);
  layout->n_dirs = (uint32_t)l->n_dirs;
  if (layout->partitions != NULL) return SKEP_OK;
  SKEP_TRY(skep_layout_decide(layout, l->opts, err));
  if (l->n_gone > 0) SKEP_TRY(leave_out_gone(l, err));
  for (uint32_t i = 0; i < layout->n_used; i++) SKEP_TRY(measure_files(l, &layout->dirs[i], err));
  return SKEP_OK;
}

skep_status skep_layout_read(const skep_ctx *ctx, skep_fs *fs, const char *root, const skep_layout_opts *opts,
                             skep_layout **out, skep_err *err) {
  *out = NULL;
  skep_layout *layout = skep_alloc_zero(ctx, 1, sizeof *layout);
  if (layout == NULL) return no_memory(err);
  skep_arena_init(&layout->arena, ctx, SIZE_MAX / 2);
  lister l = {.ctx = ctx, .fs = fs, .opts = opts, .layout = layout};
  skep_buf_init(&l.path, ctx, 65536);
  layout->root = skep_arena_strndup(&layout->arena, root, strlen(root));
  skep_status status = layout->root == NULL ? no_memory(err) : read_layout(&l, err);
  skep_buf_fini(&l.path);
  skep_release(ctx, l.dirs);
  skep_release(ctx, l.files);
  if (status != SKEP_OK) {
    char quoted[512];
    /* what a file system call says begins with the path */
    bool has_path = status == SKEP_ERR_IO || status == SKEP_ERR_NOT_FOUND || status == SKEP_ERR_ARGUMENT;
    if (!has_path) status = skep_wrap(err, status, "%s", skep_quote(quoted, sizeof quoted, root, strlen(root)));
    skep_layout_free(layout);
    return status;
  }
  *out = layout;
  return SKEP_OK;
}

uint64_t skep_layout_dir_bytes(const skep_layout_dir *dir) {
  uint64_t n = 0;
  for (uint32_t f = 0; f < dir->n_files; f++) n += dir->files[f].size_bytes;
  return n;
}

void skep_layout_free(skep_layout *layout) {
  if (layout == NULL) return;
  const skep_ctx *ctx = layout->arena.ctx;
  skep_arena_fini(&layout->arena);
  skep_release(ctx, layout);
}
