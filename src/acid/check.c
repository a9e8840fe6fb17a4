/* Directories and names of a partition root: verdicts of the layout (layout.h) as findings, and what it does not judge:
 * ranges that overlap, side files, leftovers of writers. */
#include "acid/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "acid/check_int.h"
#include "acid/dir_write.h"

const char *skep_check_level_name(skep_check_level level) {
  static const char *const names[] = {"note", "warning", "error"};
  return (size_t)level < sizeof names / sizeof *names ? names[level] : "?";
}

skep_status skep_check_tell(const skep_check_opts *opts, skep_check_totals *totals, const skep_check_finding *finding,
                            skep_err *err) {
  uint64_t *const counts[] = {&totals->n_notes, &totals->n_warnings, &totals->n_errors};
  ++*counts[finding->level];
  return opts->report == NULL ? SKEP_OK : opts->report(opts->self, finding, err);
}

bool skep_check_is_damage(skep_status status) {
  return status == SKEP_ERR_CORRUPT || status == SKEP_ERR_UNSUPPORTED || status == SKEP_ERR_LIMIT ||
         status == SKEP_ERR_ARGUMENT || status == SKEP_ERR_RANGE;
}

const char *skep_checker_path(skep_checker *c, const char *dir, const char *file) {
  skep_buf_reset(&c->path);
  skep_dir_join(&c->path, c->root, dir);
  if (file[0] != '\0') {
    if (c->path.size != 0 && c->path.data[c->path.size - 1] != '/') skep_buf_byte(&c->path, '/');
    skep_buf_text(&c->path, file);
  }
  return skep_buf_string(&c->path);
}

static skep_status tell_bytes(skep_checker *c, skep_check_finding *f, const char *dir, const char *file,
                              skep_err *err) {
  f->path = skep_checker_path(c, dir, file);
  SKEP_TRY(skep_buf_check(&c->path, "a path", err));
  return skep_check_tell(c->opts, c->totals, f, err);
}

skep_status skep_checker_tell(skep_checker *c, skep_check_level level, const char *code, skep_check_repair repair,
                              const char *dir, const char *file, skep_err *err, const char *format, ...) {
  char text[700];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  skep_check_finding f = {.level = level, .code = code, .text = text, .repair = repair};
  return tell_bytes(c, &f, dir, file, err);
}

skep_status skep_checker_go_on(const skep_checker *c, skep_err *err) {
  if (c->opts->cancelled == NULL || !c->opts->cancelled(c->opts->cancelled_self)) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_CANCELLED, "interrupted");
}

/* ---- verdicts ---- */

static bool is_staging(const char *name) {
  return strncmp(name, ".hive-staging", 13) == 0 || strncmp(name, ".skep-", 6) == 0 || strncmp(name, "_tmp", 4) == 0;
}

/* A directory that no reader uses. Of an aborted write nothing is ever seen again. */
static skep_status tell_unused(skep_checker *c, const skep_layout_dir *dir, skep_err *err) {
  uint64_t bytes = skep_layout_dir_bytes(dir);
  skep_check_finding f = {.level = SKEP_CHECK_NOTE, .text = dir->reason, .bytes = bytes};
  switch (dir->verdict) {
    case SKEP_OBSOLETE:
      f.code = "obsolete";
      c->totals->obsolete_bytes += bytes;
      break;
    case SKEP_NOT_VISIBLE:
      f.code = "not-visible";
      break;
    case SKEP_ABORTED:
      f.code = "aborted";
      f.repair = SKEP_REPAIR_REMOVE;
      c->totals->leftover_bytes += bytes;
      break;
    case SKEP_NAME_UNKNOWN:
      f.code = dir->is_malformed ? "malformed" : "unknown";
      f.level = dir->is_malformed ? SKEP_CHECK_ERROR : SKEP_CHECK_WARNING;
      if (dir->is_malformed) c->rows_readable = false; /* no plan is made beside it */
      break;
    case SKEP_IGNORED:
      f.code = is_staging(dir->name) ? "staging" : dir->is_empty ? "empty" : "ignored";
      break;
    case SKEP_USED:
      return SKEP_OK;
  }
  return tell_bytes(c, &f, dir->name, "", err);
}

/* ---- ranges ---- */

/* Of used deltas of one kind: ranges lie apart or are one statement beside another; none crosses the base. */
static skep_status check_ranges(skep_checker *c, skep_err *err) {
  const skep_layout *l = c->layout;
  const skep_dir_name *base = NULL;
  for (uint32_t i = 0; i < l->n_used; i++)
    if (l->dirs[i].parsed.kind == SKEP_DIR_BASE) base = &l->dirs[i].parsed;
  for (uint32_t i = 0; i < l->n_used; i++) {
    const skep_dir_name *a = &l->dirs[i].parsed;
    if (a->kind != SKEP_DIR_DELTA && a->kind != SKEP_DIR_DELETE_DELTA) continue;
    if (base != NULL && a->min_write_id <= base->max_write_id)
      SKEP_TRY(skep_checker_tell(c, SKEP_CHECK_ERROR, "crosses-base", SKEP_REPAIR_NONE, l->dirs[i].name, "", err,
                                 "its write ids begin at or below those of the base (%" PRId64 ")",
                                 base->max_write_id));
    for (uint32_t k = 0; k < i; k++) {
      const skep_dir_name *b = &l->dirs[k].parsed;
      bool same = a->min_write_id == b->min_write_id && a->max_write_id == b->max_write_id;
      if (b->kind != a->kind || a->min_write_id > b->max_write_id || b->min_write_id > a->max_write_id) continue;
      if (same && a->statement != b->statement && a->min_write_id == a->max_write_id) continue;
      SKEP_TRY(skep_checker_tell(c, SKEP_CHECK_ERROR, "overlap", SKEP_REPAIR_NONE, l->dirs[i].name, "", err,
                                 "its write ids overlap with those of %s: rows may be read twice", l->dirs[k].name));
    }
  }
  return SKEP_OK;
}

/* ---- files by name ---- */

static const skep_layout_file *find_file(const skep_layout_dir *dir, const char *path, size_t length) {
  for (uint32_t f = 0; f < dir->n_files; f++)
    if (strlen(dir->files[f].path) == length && memcmp(dir->files[f].path, path, length) == 0) return &dir->files[f];
  return NULL;
}

/* "bucket_N_flush_length" without its bucket_N. */
static skep_status check_side_file(skep_checker *c, const skep_layout_dir *dir, const skep_layout_file *file,
                                   skep_err *err) {
  size_t length = strlen(file->path) - strlen(SKEP_FLUSH_LENGTH_SUFFIX);
  if (find_file(dir, file->path, length) != NULL) return SKEP_OK;
  return skep_checker_tell(c, SKEP_CHECK_WARNING, "side-file", SKEP_REPAIR_NONE, dir->name, file->path, err,
                           "a flushed length of a file that is not there");
}

static skep_status check_name(skep_checker *c, const skep_layout_dir *dir, const skep_layout_file *file,
                              skep_err *err) {
  if (file->is_special)
    return skep_checker_tell(c, SKEP_CHECK_ERROR, "special", SKEP_REPAIR_NONE, dir->name, file->path, err,
                             "neither a file nor a directory (a link to nowhere?)");
  if (file->name.kind == SKEP_FILE_FLUSH_LENGTH) return check_side_file(c, dir, file, err);
  if (file->verdict == SKEP_NAME_UNKNOWN)
    return skep_checker_tell(c, SKEP_CHECK_WARNING, "unknown", SKEP_REPAIR_NONE, dir->name, file->path, err, "%s",
                             file->reason);
  if (file->is_dir || file->verdict == SKEP_USED) return SKEP_OK;
  if (file->has_side_file && file->logical_bytes == 0)
    return skep_checker_tell(c, SKEP_CHECK_NOTE, "stream", SKEP_REPAIR_NONE, dir->name, file->path, err,
                             "a stream that has flushed nothing yet");
  return SKEP_OK;
}

static bool has_kind(const skep_layout_dir *dir, skep_file_kind kind) {
  for (uint32_t f = 0; f < dir->n_files; f++)
    if (dir->files[f].name.kind == kind) return true;
  return false;
}

/* ACID directories of Hive 3 and later say their version; readers do not need it. */
static skep_status check_version(skep_checker *c, const skep_layout_dir *dir, skep_err *err) {
  bool acid = dir->parsed.kind != SKEP_DIR_OTHER && dir->content == SKEP_CONTENT_ACID;
  if (c->opts->table != SKEP_CHECK_FULL_ACID || !acid || !c->dir_is_new) return SKEP_OK;
  if (has_kind(dir, SKEP_FILE_ACID_VERSION)) return SKEP_OK;
  return skep_checker_tell(c, SKEP_CHECK_WARNING, "no-version", SKEP_REPAIR_ADD_VERSION, dir->name, "", err,
                           "no _orc_acid_version beside its bucket files");
}

/* ALTER TABLE ... CLUSTERED BY and INTO n BUCKETS leave older files as they are. */
static skep_status check_bucket_number(skep_checker *c, const skep_layout_dir *dir, const skep_layout_file *file,
                                       skep_err *err) {
  if (c->opts->n_buckets == 0 || file->name.bucket < (int64_t)c->opts->n_buckets || dir->parsed.kind == SKEP_DIR_OTHER)
    return SKEP_OK;
  return skep_checker_tell(c, SKEP_CHECK_NOTE, "bucket", SKEP_REPAIR_NONE, dir->name, file->path, err,
                           "bucket %" PRId64 " of a table that has %" PRIu32 " buckets now", file->name.bucket,
                           c->opts->n_buckets);
}

/* ORC files have bytes even without rows; a plain table's may be empty, writers of buckets leave such. */
static skep_status check_bytes(skep_checker *c, const skep_layout_dir *dir, const skep_layout_file *file,
                               skep_err *err) {
  bool is_orc = c->opts->is_orc && (!c->opts->maybe_other || dir->content == SKEP_CONTENT_ACID);
  bool is_data = file->name.kind < SKEP_FILE_FLUSH_LENGTH || file->name.kind == SKEP_FILE_UNKNOWN;
  if (file->size_bytes != 0 || file->has_side_file || file->is_dir || file->is_special) return SKEP_OK;
  if (!is_data || dir->parsed.kind == SKEP_DIR_OTHER || !is_orc) return SKEP_OK;
  return skep_checker_tell(c, SKEP_CHECK_WARNING, "no-bytes", SKEP_REPAIR_NONE, dir->name, file->path, err,
                           "a file of no bytes is no ORC file: readers see no rows in it, and a compaction would make "
                           "that final (was it cut off?)");
}

static skep_status check_used(skep_checker *c, const skep_layout_dir *dir, skep_err *err) {
  c->totals->n_dirs++;
  c->dir_is_new = false;
  for (uint32_t f = 0; f < dir->n_files; f++) {
    const skep_layout_file *file = &dir->files[f];
    SKEP_TRY(skep_checker_go_on(c, err));
    SKEP_TRY(check_name(c, dir, file, err));
    SKEP_TRY(check_bytes(c, dir, file, err));
    if (file->verdict != SKEP_USED || file->is_special || file->is_dir) continue;
    c->totals->n_files++;
    c->totals->used_bytes += file->size_bytes;
    SKEP_TRY(check_bucket_number(c, dir, file, err));
    if (c->opts->is_orc) SKEP_TRY(skep_check_file(c, dir, file, err));
  }
  return check_version(c, dir, err);
}

/* Files and directories below the root that are hidden, besides those of ACID directories. */
static skep_status check_dirs(skep_checker *c, skep_err *err) {
  for (uint32_t i = 0; i < c->layout->n_dirs; i++) {
    const skep_layout_dir *dir = &c->layout->dirs[i];
    if (dir->parsed.kind != SKEP_DIR_OTHER && dir->parsed.max_write_id > c->totals->max_write_id)
      c->totals->max_write_id = dir->parsed.max_write_id;
    SKEP_TRY(dir->verdict == SKEP_USED ? check_used(c, dir, err) : tell_unused(c, dir, err));
  }
  return SKEP_OK;
}

static skep_status check(skep_checker *c, skep_err *err) {
  const skep_layout_opts how = {
      .snapshot = c->opts->snapshot, .hive = SKEP_HIVE_4, .is_insert_only = c->opts->table == SKEP_CHECK_INSERT_ONLY};
  skep_err why = {0};
  skep_status st = skep_layout_read(c->ctx, c->fs, c->root, &how, &c->layout, &why);
  if (st == SKEP_ERR_SNAPSHOT || st == SKEP_ERR_CORRUPT)
    return skep_checker_tell(c, SKEP_CHECK_ERROR, "directories", SKEP_REPAIR_NONE, "", "", err, "%s", why.text);
  if (st != SKEP_OK) return skep_fail(err, st, "%s", why.text);
  SKEP_TRY(check_dirs(c, err));
  SKEP_TRY(check_ranges(c, err));
  bool compare = c->opts->table == SKEP_CHECK_FULL_ACID && c->opts->is_orc && !c->opts->quick && c->rows_readable;
  return compare ? skep_check_keys(c, err) : SKEP_OK;
}

skep_status skep_check_root(const skep_ctx *ctx, skep_fs *fs, const char *root, const skep_check_opts *opts,
                            skep_check_totals *totals, skep_err *err) {
  skep_checker c = {.ctx = ctx, .fs = fs, .root = root, .opts = opts, .totals = totals, .rows_readable = true};
  skep_buf_init(&c.path, ctx, 1 << 20);
  skep_status st = check(&c, err);
  skep_layout_free(c.layout);
  skep_buf_fini(&c.path);
  return st;
}
