/* Which delete files a split needs.
 *
 * Every delete delta that is used applies to every row that its events name: Hive 4 skips some by write id and
 * statement and by bucket number, but a row that its own transaction deleted must stay deleted after a compaction
 * dropped the statement ids, and Hive 3.1 and earlier wrote events of several writers into one file. So a file is left
 * out of a split only when its statistics show that no event can have the split's writer id; they are looked at when
 * that can save something and costs little. */
#include <stdlib.h>

#include "acid/plan_int.h"

enum { MAX_LOOKED_AT = 256 }; /* tails read for one partition root */

skep_status skep_plan_deletes_add(skep_plan_deletes *d, const skep_split_file *file, skep_err *err) {
  SKEP_TRY(skep_grow(d->p->ctx, (void **)&d->files, &d->files_capacity, d->n_files + 1, sizeof *d->files, err));
  d->files[d->n_files++] = (skep_plan_delete_file){.file = *file, .writer_min = 0, .writer_max = INT32_MAX};
  return SKEP_OK;
}

/* Files without events go. */
static skep_status look_at_files(skep_plan_deletes *d, skep_err *err) {
  size_t kept = 0;
  for (size_t i = 0; i < d->n_files; i++) {
    skep_plan_delete_file *f = &d->files[i];
    skep_plan_events events;
    const char *path = skep_plan_join(d->p, d->root, f->file.path);
    if (path == NULL) return skep_plan_no_memory(err);
    SKEP_TRY(skep_plan_events_read(d->p, path, f->file.logical_bytes, &events, err));
    if (events.is_empty) continue;
    f->writer_min = events.writer_min;
    f->writer_max = events.writer_max;
    d->files[kept++] = *f;
  }
  d->n_files = kept;
  return SKEP_OK;
}

skep_status skep_plan_deletes_group(skep_plan_deletes *d, const int64_t *buckets, size_t n, skep_err *err) {
  d->by_writer = n > 1 && buckets[0] >= 0 && d->n_files <= MAX_LOOKED_AT;
  if (d->by_writer) SKEP_TRY(look_at_files(d, err));
  d->n_groups = d->by_writer ? n : 1;
  d->groups = skep_alloc_zero(d->p->ctx, d->n_groups, sizeof *d->groups);
  if (d->groups == NULL) return skep_plan_no_memory(err);
  for (size_t i = 0; i < d->n_groups; i++) d->groups[i].bucket = d->by_writer ? buckets[i] : 0;
  return SKEP_OK;
}

static skep_status make_group(skep_plan_deletes *d, skep_plan_delete_group *group, skep_err *err) {
  skep_split_file *files = skep_arena_zero(d->p->arena, d->n_files + 1, sizeof *files);
  if (files == NULL) return skep_plan_no_memory(err);
  group->max_write_id = INT64_MIN;
  for (size_t i = 0; i < d->n_files; i++) {
    const skep_plan_delete_file *f = &d->files[i];
    if (d->by_writer && (group->bucket < f->writer_min || group->bucket > f->writer_max)) continue;
    files[group->n_files++] = f->file;
    if (f->file.max_write_id > group->max_write_id) group->max_write_id = f->file.max_write_id;
  }
  group->files = files;
  group->set = ++d->p->n_delete_sets;
  group->is_made = true;
  return SKEP_OK;
}

static int compare_group(const void *key, const void *element) {
  int64_t bucket;
  memcpy(&bucket, key, sizeof bucket);
  const skep_plan_delete_group *group = element;
  return (bucket > group->bucket) - (bucket < group->bucket);
}

skep_status skep_plan_deletes_set(skep_plan_deletes *d, int64_t bucket, int64_t min_write_id, skep_split *split,
                                  skep_err *err) {
  if (d->n_files == 0) return SKEP_OK;
  skep_plan_delete_group *group = d->groups;
  if (d->by_writer) group = bsearch(&bucket, d->groups, d->n_groups, sizeof *d->groups, compare_group);
  if (group == NULL) return skep_fail(err, SKEP_ERR_INTERNAL, "no delete files were gathered for a bucket");
  if (!group->is_made) SKEP_TRY(make_group(d, group, err));
  if (group->n_files == 0 || min_write_id > group->max_write_id)
    return SKEP_OK; /* rows are not deleted before they are written */
  split->n_deletes = group->n_files;
  split->deletes = group->files;
  split->delete_set = group->set;
  return SKEP_OK;
}

void skep_plan_deletes_fini(skep_plan_deletes *d) {
  skep_release(d->p->ctx, d->files);
  skep_release(d->p->ctx, d->groups);
}
