/* Insert-only tables: rows without ids, so a compaction is a copy of all rows in reading order, a file for each bucket
 * number. Stripes of ORC files are taken over where they fit, else read as the table's columns are now and written
 * anew; lines of text are put one behind the other; files of any other kind are taken over whole.
 *
 * Source: acid-format facts 7 and 9.6; names as Hive 4.0.1 leaves them (000000_0). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "column/text.h"
#include "compact/compact_int.h"
#include "orc/stripe_copy.h"
#include "table/text_lines.h"

enum { BATCH_ROWS = 4096, COPIED_AT_ONCE = 1 << 20, LINES_AT_ONCE = 1024, MAX_FOOTER_LINES = 100 };

/* ---- ORC ---- */

typedef struct rows_file {
  skep_compact_run_state *run;
  const skep_compact_group *group;
  const char *path;
  const skep_cancel *cancel;
  skep_compact_counts *counts;
  skep_file *file;
  skep_orc_writer *orc;
  uint64_t told_bytes;
  uint8_t *room; /* COPIED_AT_ONCE */
  struct unit *units;
  size_t n, capacity;
} rows_file;

/* A stripe, or a file that is not looked into. */
typedef struct unit {
  uint32_t split;  /* of the group */
  uint32_t stripe; /* SKEP_ALL_STRIPES: all */
  uint64_t n_rows, bytes;
  bool is_small, is_copied;
} unit;

static skep_status tell(rows_file *f, uint64_t rows, uint64_t bytes, skep_err *err) {
  uint64_t written = f->file->size_bytes - f->told_bytes;
  f->told_bytes += written;
  f->counts->rows_read += rows;
  return skep_compact_pace_add(&f->run->pace, rows, bytes, written, f->cancel, err);
}

static skep_status add_unit(rows_file *f, const unit *u, skep_err *err) {
  SKEP_TRY(skep_grow(f->run->ctx, (void **)&f->units, &f->capacity, f->n + 1, sizeof *f->units, err));
  f->units[f->n++] = *u;
  return SKEP_OK;
}

static skep_status add_stripes(rows_file *f, uint32_t split, skep_file *file, const skep_orc_tail *tail,
                               uint64_t small_bytes, skep_err *err) {
  for (uint32_t i = 0; i < tail->n_stripes; i++) {
    const skep_orc_stripe *s = &tail->stripes[i];
    unit u = {.split = split, .stripe = i, .n_rows = s->n_rows};
    u.bytes = s->index_length + s->data_length + s->footer_length;
    u.is_small = u.bytes < small_bytes;
    SKEP_TRY(skep_orc_may_copy_stripe(f->orc, file, tail, i, &u.is_copied, err));
    SKEP_TRY(add_unit(f, &u, err));
  }
  return SKEP_OK;
}

/* Large files are looked at stripe by stripe: there is no key in the way, so that what agrees with the result's file is
 * taken over. */
static skep_status look_at(rows_file *f, uint32_t number, skep_err *err) {
  const skep_split *split = f->group->splits[number];
  const skep_compact_job *job = f->run->job;
  const skep_split_file *of = &split->files[0];
  unit whole = {.split = number, .stripe = SKEP_ALL_STRIPES, .bytes = of->logical_bytes, .is_small = true};
  uint64_t small_bytes = skep_compact_small_bytes(job);
  const char *path;
  skep_orc_tail *tail = NULL;
  skep_file *file = NULL;
  skep_arena arena;
  if (job->no_stripe_copy || of->logical_bytes < small_bytes) return add_unit(f, &whole, err);
  skep_arena_init(&arena, f->run->ctx, SIZE_MAX);
  skep_status status = skep_compact_path(&arena, job->root, of->path, &path, err);
  if (status == SKEP_OK) status = skep_scan_cache_tail(f->run->cache, path, of->logical_bytes, &tail, err);
  if (status == SKEP_OK && skep_orc_copy_obstacle(f->orc, tail) != NULL) {
    status = add_unit(f, &whole, err);
  } else if (status == SKEP_OK) {
    status = skep_fs_open_read(job->fs, path, &file, err);
    if (status == SKEP_OK) status = add_stripes(f, number, file, tail, small_bytes, err);
    skep_file_close(file, NULL); /* it was only read from */
  }
  skep_orc_tail_unref(tail);
  skep_arena_fini(&arena);
  return status;
}

/* A small stripe stays as it is only between large ones: else it is written anew with its neighbours. */
static void mark_copies(rows_file *f) {
  bool before_is_open = false;
  for (size_t i = 0; i < f->n; i++) {
    unit *u = &f->units[i];
    const unit *next = i + 1 < f->n ? &f->units[i + 1] : NULL;
    bool next_is_open = next != NULL && (!next->is_copied || next->is_small);
    if (u->is_small && (before_is_open || next_is_open)) u->is_copied = false;
    before_is_open = !u->is_copied;
  }
}

/* Units [from, end) of one split, which are written anew. */
static skep_status encode(rows_file *f, size_t from, size_t end, skep_err *err) {
  static const skep_forms forms = {.keep_dictionaries = true, .narrow_decimals = true};
  skep_split split = *f->group->splits[f->units[from].split];
  skep_scan *scan = NULL;
  skep_batch batch = {.first_row = 0};
  uint64_t bytes = 0;
  if (f->units[from].stripe != SKEP_ALL_STRIPES) {
    split.first_stripe = f->units[from].stripe;
    split.n_stripes = (uint32_t)(end - from);
  }
  for (size_t i = from; i < end; i++) bytes += f->units[i].bytes;
  skep_status status = skep_scan_open(f->run->cache, &split, &forms, &scan, err);
  if (status == SKEP_OK) status = skep_vec_init(&batch.root, f->run->ctx, skep_scan_type(scan), &forms, err);
  while (status == SKEP_OK) {
    status = skep_scan_next(scan, BATCH_ROWS, &batch, err);
    if (status == SKEP_OK) status = skep_orc_writer_add(f->orc, &batch.root, 0, batch.root.length, err);
    if (status == SKEP_OK) status = tell(f, (uint64_t)batch.root.length, 0, err);
  }
  skep_vec_fini(&batch.root);
  skep_scan_close(scan);
  return status == SKEP_END ? tell(f, 0, bytes, err) : status;
}

/* Units [from, end) of one split, which are taken over. */
static skep_status copy(rows_file *f, size_t from, size_t end, skep_err *err) {
  const skep_split_file *of = &f->group->splits[f->units[from].split]->files[0];
  const char *path;
  skep_orc_tail *tail = NULL;
  skep_file *file = NULL;
  skep_arena arena;
  skep_arena_init(&arena, f->run->ctx, SIZE_MAX);
  if (f->room == NULL) f->room = skep_alloc(f->run->ctx, COPIED_AT_ONCE);
  skep_status status = f->room == NULL ? skep_fail(err, SKEP_ERR_NOMEM, "copying stripes")
                                       : skep_compact_path(&arena, f->run->job->root, of->path, &path, err);
  if (status == SKEP_OK) status = skep_scan_cache_tail(f->run->cache, path, of->logical_bytes, &tail, err);
  if (status == SKEP_OK) status = skep_fs_open_read(f->run->job->fs, path, &file, err);
  for (size_t i = from; i < end && status == SKEP_OK; i++) {
    const unit *u = &f->units[i];
    status = skep_orc_writer_copy_stripe(f->orc, file, tail, u->stripe, f->room, COPIED_AT_ONCE, err);
    if (status == SKEP_OK) status = tell(f, u->n_rows, u->bytes, err);
    f->counts->bytes_copied += u->bytes;
  }
  skep_file_close(file, NULL); /* it was only read from */
  skep_orc_tail_unref(tail);
  skep_arena_fini(&arena);
  return status;
}

static skep_status write_units(rows_file *f, skep_err *err) {
  for (size_t from = 0, end; from < f->n; from = end) {
    const unit *first = &f->units[from];
    for (end = from + 1; end < f->n && f->units[end].split == first->split; end++)
      if (f->units[end].is_copied != first->is_copied) break;
    skep_status status = first->is_copied ? copy(f, from, end, err) : encode(f, from, end, err);
    if (status != SKEP_OK) return status;
  }
  return SKEP_OK;
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
  for (uint32_t i = 0; i < group->n_splits && status == SKEP_OK; i++) status = look_at(&f, i, err);
  mark_copies(&f);
  if (status == SKEP_OK) status = write_units(&f, err);
  if (status == SKEP_OK) status = end_rows_file(&f, err);
  skep_orc_writer_close(f.orc);
  skep_release(run->ctx, f.units);
  skep_release(run->ctx, f.room);
  skep_status closed = skep_file_close(f.file, status == SKEP_OK ? err : NULL);
  return status == SKEP_OK ? closed : status;
}

/* ---- bytes ---- */

typedef struct bytes_out {
  skep_compact_run_state *run;
  skep_compact_counts *counts;
  uint8_t *room; /* COPIED_AT_ONCE */
  skep_file *file;
  const char *path;
  skep_lines_opts lines; /* of a file that stays apart */
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
    if (status == SKEP_OK) status = skep_compact_pace_add(&o->run->pace, 0, part, part, NULL, err);
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

/* The rows of a text file are its lines. What this program cannot unpack is not counted. */
static skep_status count_rows(bytes_out *o, bool joined, skep_err *err) {
  static const skep_lines_opts all = {.end = UINT64_MAX};
  skep_lines *lines = NULL;
  skep_bytes at[LINES_AT_ONCE];
  int64_t n;
  if (o->run->job->format != SKEP_COMPACT_TEXT) {
    o->counts->rows_unknown = true;
    return SKEP_OK;
  }
  skep_status status = skep_lines_open(o->run->ctx, o->run->job->fs, o->path, joined ? &all : &o->lines, &lines, err);
  while (status == SKEP_OK) {
    status = skep_lines_next(lines, LINES_AT_ONCE, at, &n, err);
    if (status == SKEP_OK) o->counts->rows += (uint64_t)n;
    if (status == SKEP_OK) status = skep_compact_pace_add(&o->run->pace, 0, 0, 0, NULL, err);
  }
  skep_lines_close(lines);
  bool is_uncounted = status == SKEP_ERR_UNSUPPORTED || status == SKEP_ERR_LIMIT || status == SKEP_ERR_CORRUPT;
  o->counts->rows_unknown = o->counts->rows_unknown || is_uncounted;
  return is_uncounted || status == SKEP_END ? SKEP_OK : status;
}

static skep_status end_bytes(bytes_out *o, bool joined, skep_err *err) {
  if (o->file == NULL) return SKEP_OK;
  o->counts->bytes_written += o->file->size_bytes;
  o->counts->n_files++;
  skep_status status = skep_file_sync(o->file, err);
  skep_status closed = skep_file_close(o->file, status == SKEP_OK ? err : NULL);
  o->file = NULL;
  if (status == SKEP_OK) status = closed;
  return status == SKEP_OK ? count_rows(o, joined, err) : status;
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
static bool has_extra_lines(const skep_lines_opts *lines) { return lines->header_lines + lines->footer_lines != 0; }

/* A number that is none keeps files apart all the same. */
static uint32_t lines_of(bytes_out *o, const char *property, int64_t most) {
  const skep_compact_job *job = o->run->job;
  int64_t n = 0;
  for (uint32_t i = 0; i < job->n_properties; i++) {
    const char *value = job->properties[i].value;
    if (strcasecmp(job->properties[i].key, property) != 0) continue;
    if (skep_parse_i64(skep_bytes_of(value, strlen(value)), &n) && n >= 0 && n <= most) continue;
    o->counts->rows_unknown = true;
    n = 1;
  }
  return (uint32_t)n;
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
  if (!joined) return end_bytes(o, false, err);
  return last == '\n' ? SKEP_OK : skep_file_append(o->file, "\n", 1, err);
}

/* The files of one bucket number: first those that are joined, then those that stay apart. */
static skep_status copy_bucket(bytes_out *o, int64_t bucket, skep_err *err) {
  const skep_compact_choice *c = &o->run->choice;
  bool is_text = o->run->job->format == SKEP_COMPACT_TEXT && !has_extra_lines(&o->lines);
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
    SKEP_TRY(end_bytes(o, pass == 0, err));
  }
  return SKEP_OK;
}

static skep_status put_empty(bytes_out *o, skep_err *err) {
  const char *path;
  SKEP_TRY(skep_compact_path(o->run->arena, o->run->insert_dir, "000000_0", &path, err));
  SKEP_TRY(open_bytes(o, path, err));
  return end_bytes(o, true, err);
}

skep_status skep_compact_copy_files(skep_compact_run_state *run, const skep_compact_group *groups, uint32_t n_groups,
                                    skep_compact_counts *counts, skep_err *err) {
  bytes_out o = {.run = run, .counts = counts, .room = skep_alloc(run->ctx, COPIED_AT_ONCE)};
  if (o.room == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "copying files");
  o.lines.end = UINT64_MAX;
  o.lines.header_lines = lines_of(&o, "skip.header.line.count", INT32_MAX);
  o.lines.footer_lines = lines_of(&o, "skip.footer.line.count", MAX_FOOTER_LINES);
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
