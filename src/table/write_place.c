/* Plain tables: files are written into a staging directory, which readers pass over, and moved into place at the end.
 *
 * Nothing makes this atomic, as nothing does in Hive; what is overwritten moves into the staging directory first and
 * stays there until the statement has committed: a crash in between loses nothing for good, and a commit that fails
 * takes the files out of their places again. Names: NNNNNN_0, then NNNNNN_0_copy_1, ... as Hive's. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "acid/dir_write.h"
#include "acid/name.h"
#include "table/write_int.h"

enum { MAX_TRIES = 1000 };

skep_status skep_write_stage(skep_table_write *w, skep_write_target *target, skep_err *err) {
  char name[64];
  uint64_t random = w->ctx->random(w->ctx->random_self);
  snprintf(name, sizeof name, ".hive-staging_skep_%016" PRIx64, random);
  skep_buf_reset(&w->text);
  skep_dir_join(&w->text, target->out.location, name);
  const char *path = skep_buf_string(&w->text);
  SKEP_TRY(skep_buf_check(&w->text, "path", err));
  target->staging = skep_arena_strndup(&w->arena, path, strlen(path));
  return target->staging != NULL ? SKEP_OK : skep_fail(err, SKEP_ERR_NOMEM, "path of a staging directory");
}

/* What a partition's directory holds: names one behind the other, NUL-terminated. */
typedef struct found {
  skep_buf names;
  const char *wanted; /* "000000_0" */
  int64_t max_copy;   /* of that name; -1: the name itself is free */
} found;

static skep_status visit_all(void *self, const skep_entry *entry, skep_err *err) {
  found *f = self;
  if (entry->name[0] == '.' || entry->name[0] == '_') return SKEP_OK; /* hidden from readers, and not ours */
  skep_buf_add(&f->names, entry->name, strlen(entry->name) + 1);
  return skep_buf_check(&f->names, "names in a directory", err);
}

static skep_status visit_copies(void *self, const skep_entry *entry, skep_err *err) {
  found *f = self;
  skep_file_name name;
  size_t n = strlen(f->wanted);
  (void)err;
  if (strncmp(entry->name, f->wanted, n) != 0 || (entry->name[n] != '\0' && entry->name[n] != '_')) return SKEP_OK;
  skep_file_name_parse(entry->name, &name);
  if (name.kind == SKEP_DATA_ORIGINAL && name.copy > f->max_copy) f->max_copy = name.copy;
  return SKEP_OK;
}

static skep_status move(skep_table_write *w, const char *from_dir, const char *from, const char *to_dir, const char *to,
                        skep_err *err) {
  skep_buf source, target;
  skep_buf_init(&source, w->ctx, SIZE_MAX / 4);
  skep_buf_init(&target, w->ctx, SIZE_MAX / 4);
  skep_dir_join(&source, from_dir, from);
  skep_dir_join(&target, to_dir, to);
  const char *source_path = skep_buf_string(&source), *target_path = skep_buf_string(&target);
  skep_status status = skep_buf_check(&source, "path", err);
  if (status == SKEP_OK) status = skep_buf_check(&target, "path", err);
  if (status == SKEP_OK) status = skep_fs_rename_new(w->fs, source_path, target_path, err);
  skep_buf_fini(&source);
  skep_buf_fini(&target);
  return status;
}

/* The names in staging/old are on disk before others take their places: a loss of power must not find files neither
 * here nor there, on a file system that writes a rename across directories in two steps. */
static skep_status sync_aside(skep_table_write *w, const skep_write_target *target, const char *old, skep_err *err) {
  if ((skep_fs_promises(w->fs, target->out.location) & SKEP_FS_DURABLE_DIRS) == 0) return SKEP_OK;
  SKEP_TRY(skep_fs_sync_dir(w->fs, old, err));
  return skep_fs_sync_dir(w->fs, target->staging, err);
}

/* Everything readers see moves into staging/old. */
static skep_status set_aside(skep_table_write *w, skep_write_target *target, skep_err *err) {
  found f = {0};
  skep_buf_init(&f.names, w->ctx, SIZE_MAX / 4);
  skep_buf_reset(&w->text);
  skep_dir_join(&w->text, target->staging, "old");
  const char *old = skep_buf_string(&w->text);
  skep_status status = skep_buf_check(&w->text, "path", err);
  if (status == SKEP_OK) status = skep_fs_list(w->fs, target->out.location, false, visit_all, &f, err);
  if (status == SKEP_OK && f.names.size != 0) status = skep_fs_mkdirs(w->fs, old, err);
  for (size_t at = 0; status == SKEP_OK && at < f.names.size;) {
    const char *name = (const char *)f.names.data + at;
    status = move(w, target->out.location, name, old, name, err);
    at += strlen(name) + 1;
  }
  if (status == SKEP_OK && f.names.size != 0) status = sync_aside(w, target, old, err);
  skep_buf_fini(&f.names);
  return status;
}

/* Under the name `placed`, which is noted. */
static skep_status place_as(skep_table_write *w, skep_write_target *target, const char *name, const char *placed,
                            skep_err *err) {
  skep_buf *names = &target->placed;
  size_t before = names->size;
  skep_buf_add(names, placed, strlen(placed) + 1);
  SKEP_TRY(skep_buf_check(names, "names in a directory", err));
  skep_status status = move(w, target->staging, name, target->out.location, placed, err);
  if (status != SKEP_OK) names->size = before;
  return status;
}

/* A file that was loaded: "name_copy_1.ext" when its name is taken. Source: Hive.mvFile; seen in 4.0.1. */
static skep_status place_loaded(skep_table_write *w, skep_write_target *target, const char *name, skep_err *err) {
  const char *dot = strrchr(name, '.');
  size_t base = dot == NULL || dot == name ? strlen(name) : (size_t)(dot - name);
  skep_status status = place_as(w, target, name, name, err);
  for (int copy = 1; status == SKEP_ERR_EXISTS && copy < MAX_TRIES; copy++) {
    char placed[300];
    int n = snprintf(placed, sizeof placed, "%.*s_copy_%d%s", (int)base, name, copy, name + base);
    if (n < 0 || (size_t)n >= sizeof placed) return status;
    status = place_as(w, target, name, placed, err);
  }
  return status;
}

static skep_status place_file(skep_table_write *w, skep_write_target *target, const skep_commit_file *file,
                              skep_err *err) {
  const char *name = file->name;
  found f = {.wanted = name, .max_copy = -1};
  if (file->bucket < 0) return place_loaded(w, target, name, err);
  SKEP_TRY(skep_fs_list(w->fs, target->out.location, false, visit_copies, &f, err));
  skep_status status = SKEP_ERR_EXISTS;
  for (int64_t copy = f.max_copy + 1, last = copy + MAX_TRIES; status == SKEP_ERR_EXISTS && copy < last; copy++) {
    char placed[96];
    if (copy == 0) {
      snprintf(placed, sizeof placed, "%s", name);
    } else {
      snprintf(placed, sizeof placed, "%s_copy_%" PRId64, name, copy);
    }
    status = place_as(w, target, name, placed, err);
  }
  return status;
}

/* After a failure: new files back into the staging directory, former ones out of it. */
static skep_status put_back(skep_table_write *w, skep_write_target *target) {
  const skep_buf *names = &target->placed;
  skep_status status = SKEP_OK;
  for (size_t at = 0, i = 0; status == SKEP_OK && at < names->size; i++) {
    const char *name = (const char *)names->data + at;
    status = move(w, target->out.location, name, target->staging, target->message->files[i].name, NULL);
    at += strlen(name) + 1;
  }
  if (status != SKEP_OK || w->opts.kind != SKEP_WRITE_OVERWRITE) return status;
  found f = {0};
  skep_buf_init(&f.names, w->ctx, SIZE_MAX / 4);
  skep_buf_reset(&w->text);
  skep_dir_join(&w->text, target->staging, "old");
  const char *old = skep_buf_string(&w->text);
  status = skep_buf_check(&w->text, "path", NULL);
  if (status == SKEP_OK) status = skep_fs_list(w->fs, old, false, visit_all, &f, NULL);
  for (size_t at = 0; status == SKEP_OK && at < f.names.size;) {
    const char *name = (const char *)f.names.data + at;
    status = move(w, old, name, target->out.location, name, NULL);
    at += strlen(name) + 1;
  }
  if (status == SKEP_OK) status = skep_fs_remove_dir(w->fs, old, NULL);
  skep_buf_fini(&f.names);
  return status == SKEP_ERR_NOT_FOUND ? SKEP_OK : status;
}

static skep_status place_files(skep_table_write *w, skep_write_target *target, skep_err *err) {
  const skep_commit_message *m = target->message;
  skep_buf_init(&target->placed, w->ctx, SIZE_MAX / 4);
  skep_status status = w->opts.kind == SKEP_WRITE_OVERWRITE ? set_aside(w, target, err) : SKEP_OK;
  for (uint32_t i = 0; status == SKEP_OK && i < m->n_files; i++) status = place_file(w, target, &m->files[i], err);
  target->is_placed = status == SKEP_OK || put_back(w, target) != SKEP_OK;
  if (status == SKEP_OK || !target->is_placed) return status;
  return skep_wrap(err, status, "files of %s may have stayed in %s", w->opts.table_name, target->staging);
}

static skep_status sync_location(skep_table_write *w, const skep_write_target *target, skep_err *err) {
  if ((skep_fs_promises(w->fs, target->out.location) & SKEP_FS_DURABLE_DIRS) == 0) return SKEP_OK;
  return skep_fs_sync_dir(w->fs, target->out.location, err);
}

skep_status skep_write_place(skep_table_write *w, skep_write_target *target, skep_err *err) {
  if (w->opts.place_begin != NULL) SKEP_TRY(w->opts.place_begin(w->opts.place_self, err));
  skep_status status = place_files(w, target, err);
  if (w->opts.place_begin != NULL) w->opts.place_end(w->opts.place_self);
  return status == SKEP_OK ? sync_location(w, target, err) : status;
}

bool skep_write_unplace(skep_table_write *w, skep_write_target *target) {
  if (put_back(w, target) != SKEP_OK) {
    skep_log(w->ctx, SKEP_LOG_WARN, "%s: files of an aborted write stay in %s; what they replaced is in %s",
             w->opts.table_name, target->out.location, target->staging);
    target->staging = NULL; /* to stay */
    return false;
  }
  target->is_placed = false;
  return sync_location(w, target, NULL) == SKEP_OK;
}

void skep_write_settle(skep_table_write *w, skep_write_target *target) {
  if (target->is_placed && target->staging != NULL && skep_dir_remove(w->ctx, w->fs, target->staging, NULL) != SKEP_OK)
    skep_log(w->ctx, SKEP_LOG_WARN, "%s: a staging directory stays behind", target->staging);
  target->staging = NULL;
}
