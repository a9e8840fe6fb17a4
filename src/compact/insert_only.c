/* Insert-only tables: rows without ids, so a compaction is a copy of all rows in reading order, a file for each bucket
 * number. ORC files are read as the table's columns are now and written anew; lines of text are put one behind the
 * other; files of any other kind are taken over whole.
 *
 * Source: acid-format facts 7 and 9.6; names as Hive 4.0.1 leaves them (000000_0). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "compact/compact_int.h"

enum { BATCH_ROWS = 4096, COPIED_AT_ONCE = 1 << 20 };

/* ---- ORC ---- */

typedef struct rows_file {
  skep_compact_run_state *run;
  const skep_compact_group *group;
  const char *path;
  const skep_cancel *cancel;
  skep_compact_counts *counts;
  skep_file *file;
  skep_orc_writer *orc;
} rows_file;

static skep_status copy_split(rows_file *f, const skep_split *split, skep_err *err) {
  static const skep_forms forms = {.keep_dictionaries = true, .narrow_decimals = true};
  skep_scan *scan = NULL;
  skep_batch batch = {.first_row = 0};
  uint64_t told = f->file->size_bytes;
  skep_status status = skep_scan_open(f->run->cache, split, &forms, &scan, err);
  if (status == SKEP_OK) status = skep_vec_init(&batch.root, f->run->ctx, skep_scan_type(scan), &forms, err);
  while (status == SKEP_OK) {
    status = skep_scan_next(scan, BATCH_ROWS, &batch, err);
    if (status != SKEP_OK) break;
    status = skep_orc_writer_add(f->orc, &batch.root, 0, batch.root.length, err);
    if (status != SKEP_OK) break;
    f->counts->rows_read += (uint64_t)batch.root.length;
    uint64_t written = f->file->size_bytes - told;
    told += written;
    status = skep_compact_pace_add(&f->run->pace, (uint64_t)batch.root.length, 0, written, f->cancel, err);
  }
  skep_vec_fini(&batch.root);
  skep_scan_close(scan);
  if (status != SKEP_END) return status;
  return skep_compact_pace_add(&f->run->pace, 0, split->files[0].logical_bytes, 0, f->cancel, err);
}

static skep_status open_rows_file(rows_file *f, skep_err *err) {
  skep_orc_writer_opts opts = f->run->settings.plain;
  opts.block_size = skep_writer_block_size(&opts, f->run->job->row->max_id + 1);
  opts.memory = &f->run->memory;
  SKEP_TRY(skep_fs_create(f->run->job->fs, f->path, &f->file, err));
  return skep_orc_writer_open(f->run->ctx, f->file, f->run->job->row, &opts, &f->orc, err);
}

static skep_status end_rows_file(rows_file *f, skep_err *err) {
  uint64_t size;
  f->counts->rows += skep_orc_writer_rows(f->orc);
  SKEP_TRY(skep_orc_writer_finish(f->orc, &size, err));
  SKEP_TRY(skep_file_sync(f->file, err));
  f->counts->n_files++;
  f->counts->bytes_written += size;
  return SKEP_OK;
}

skep_status skep_compact_copy_rows(skep_compact_run_state *run, const skep_compact_group *group, const char *path,
                                   const skep_cancel *cancel, skep_compact_counts *counts, skep_err *err) {
  rows_file f = {.run = run, .group = group, .path = path, .cancel = cancel, .counts = counts};
  skep_status status = open_rows_file(&f, err);
  for (uint32_t i = 0; i < group->n_splits && status == SKEP_OK; i++) status = copy_split(&f, group->splits[i], err);
  if (status == SKEP_OK) status = end_rows_file(&f, err);
  skep_orc_writer_close(f.orc);
  skep_status closed = skep_file_close(f.file, status == SKEP_OK ? err : NULL);
  return status == SKEP_OK ? closed : status;
}

/* ---- bytes ---- */

typedef struct bytes_out {
  skep_compact_run_state *run;
  const skep_cancel *cancel;
  skep_compact_counts *counts;
  uint8_t *room; /* COPIED_AT_ONCE */
  skep_file *file;
  const char *path;
} bytes_out;

/* Appends the file at `path`; *last is its last byte. */
static skep_status append_file(bytes_out *o, const char *path, uint8_t *last, skep_err *err) {
  skep_file *from = NULL;
  SKEP_TRY(skep_fs_open_read(o->run->job->fs, path, &from, err));
  skep_status status = SKEP_OK;
  for (uint64_t at = 0, size = from->size_bytes; at < size && status == SKEP_OK;) {
    size_t part = size - at < COPIED_AT_ONCE ? (size_t)(size - at) : COPIED_AT_ONCE;
    status = skep_file_read_at(from, at, o->room, part, err);
    if (status != SKEP_OK) status = skep_wrap(err, status, "%s", path);
    if (status == SKEP_OK) {
      status = skep_file_append(o->file, o->room, part, err);
      if (status != SKEP_OK) status = skep_wrap(err, status, "%s", o->path);
    }
    if (status == SKEP_OK) status = skep_compact_pace_add(&o->run->pace, 0, part, part, o->cancel, err);
    if (status == SKEP_OK) *last = o->room[part - 1];
    at += part;
    o->counts->bytes_copied += status == SKEP_OK ? part : 0;
  }
  skep_file_close(from, NULL); /* it was only read from */
  return status;
}

static skep_status open_bytes(bytes_out *o, const char *path, skep_err *err) {
  o->path = path;
  return skep_fs_create(o->run->job->fs, path, &o->file, err);
}

static skep_status end_bytes(bytes_out *o, skep_err *err) {
  if (o->file == NULL) return SKEP_OK;
  o->counts->bytes_written += o->file->size_bytes;
  o->counts->n_files++;
  skep_status status = skep_file_sync(o->file, err);
  skep_status closed = skep_file_close(o->file, status == SKEP_OK ? err : NULL);
  o->file = NULL;
  return status == SKEP_OK ? closed : status;
}

/* What Hive takes for compressed text, by the end of the name; such files cannot be looked into here. */
static const char *packed_suffix(const char *name) {
  static const char *const suffixes[] = {".gz", ".deflate", ".bz2", ".snappy", ".lz4", ".zst", ".zstd", ".lzo"};
  size_t n = strlen(name);
  for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
    size_t k = strlen(suffixes[i]);
    if (n > k && strcasecmp(name + n - k, suffixes[i]) == 0) return name + n - k;
  }
  return NULL;
}

/* Header or footer lines belong to their file: such files stay apart. */
static bool has_extra_lines(const skep_compact_job *job) {
  for (uint32_t i = 0; i < job->n_properties; i++)
    if (strcasecmp(job->properties[i].key, "skip.header.line.count") == 0 ||
        strcasecmp(job->properties[i].key, "skip.footer.line.count") == 0)
      return true;
  return false;
}

static const char *suffix_of(const char *name) {
  const char *packed = packed_suffix(name);
  return packed == NULL ? "" : packed;
}

/* One input file to one output file, or to the end of the text that is open. */
static skep_status copy_file(bytes_out *o, const skep_layout_dir *dir, const skep_layout_file *file, bool joined,
                             uint32_t *n_of_bucket, skep_err *err) {
  char name[96];
  const char *below, *from, *to;
  uint8_t last = '\n';
  SKEP_TRY(skep_compact_path(o->run->arena, dir->name, file->path, &below, err));
  SKEP_TRY(skep_compact_path(o->run->arena, o->run->job->root, below, &from, err));
  if (!joined || o->file == NULL) {
    int n = snprintf(name, sizeof name, "%06" PRId64 "_0", skep_compact_bucket_of(file->path));
    if (*n_of_bucket != 0) n += snprintf(name + n, sizeof name - (size_t)n, "_copy_%" PRIu32, *n_of_bucket);
    if (!joined) snprintf(name + n, sizeof name - (size_t)n, "%s", suffix_of(file->path));
    (*n_of_bucket)++;
    SKEP_TRY(skep_compact_path(o->run->arena, o->run->insert_dir, name, &to, err));
    SKEP_TRY(open_bytes(o, to, err));
  }
  SKEP_TRY(append_file(o, from, &last, err));
  if (!joined) return end_bytes(o, err);
  return last == '\n' ? SKEP_OK : skep_file_append(o->file, "\n", 1, err);
}

/* The files of one bucket number: first those that are joined, then those that stay apart. */
static skep_status copy_bucket(bytes_out *o, int64_t bucket, skep_err *err) {
  const skep_compact_choice *c = &o->run->choice;
  bool is_text = o->run->job->format == SKEP_COMPACT_TEXT && !has_extra_lines(o->run->job);
  uint32_t n = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t d = 0; d < c->n_dirs; d++) {
      for (uint32_t i = 0; i < c->dirs[d]->n_files; i++) {
        const skep_layout_file *file = &c->dirs[d]->files[i];
        if (file->verdict != SKEP_USED || skep_compact_bucket_of(file->path) != bucket) continue;
        bool joined = is_text && packed_suffix(file->path) == NULL;
        if (joined == (pass == 0)) SKEP_TRY(copy_file(o, c->dirs[d], file, joined, &n, err));
      }
    }
    SKEP_TRY(end_bytes(o, err));
  }
  return SKEP_OK;
}

static skep_status put_empty(bytes_out *o, skep_err *err) {
  const char *path;
  SKEP_TRY(skep_compact_path(o->run->arena, o->run->insert_dir, "000000_0", &path, err));
  SKEP_TRY(open_bytes(o, path, err));
  return end_bytes(o, err);
}

skep_status skep_compact_copy_files(skep_compact_run_state *run, const skep_compact_group *groups, uint32_t n_groups,
                                    skep_compact_counts *counts, skep_err *err) {
  bytes_out o = {.run = run, .counts = counts, .room = skep_alloc(run->ctx, COPIED_AT_ONCE)};
  if (o.room == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "copying files");
  skep_status status = SKEP_OK;
  for (uint32_t i = 0; i < n_groups && status == SKEP_OK; i++) status = copy_bucket(&o, groups[i].bucket, err);
  /* A directory without a file would not be seen; an empty file is no rows in a text table, and in no other. */
  if (status == SKEP_OK && counts->n_files == 0 && run->job->format == SKEP_COMPACT_TEXT) status = put_empty(&o, err);
  if (status == SKEP_OK && counts->n_files == 0)
    status = skep_fail(err, SKEP_ERR_UNSUPPORTED, "%s: a compaction to no file at all", run->job->root);
  skep_file_close(o.file, NULL);
  skep_release(run->ctx, o.room);
  return status;
}
