/* The door of a compaction's file work: what is there, what is taken, what is made; and that a failure leaves nothing.
 */
#include "compact/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acid/bucket_file.h"
#include "acid/dir_write.h"
#include "compact/compact_int.h"
#include "compact/order_key.h"
#include "io/memory.h"

#define DEFAULT_MEMORY (UINT64_C(256) << 20)
enum { DEFAULT_OPEN_FILES = 96, LEAST_FAN_IN = 4, SHARE_OF_DELETES = 4 };

skep_status skep_compact_path(skep_arena *arena, const char *dir, const char *name, const char **out, skep_err *err) {
  size_t n_dir = strlen(dir), n_name = strlen(name);
  bool slash = n_dir != 0 && n_name != 0 && dir[n_dir - 1] != '/';
  char *text = skep_arena_alloc(arena, n_dir + n_name + 2);
  if (text == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "a path");
  memcpy(text, dir, n_dir);
  if (slash) text[n_dir] = '/';
  memcpy(text + n_dir + slash, name, n_name + 1);
  *out = text;
  return SKEP_OK;
}

/* ---- what is asked, what is there ---- */

static skep_status check_job(const skep_compact_job *job, skep_err *err) {
  if (job->fs == NULL || job->root == NULL || job->row == NULL || job->write_ids == NULL)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "a compaction needs a directory, columns and a list of write ids");
  if (job->row->kind != SKEP_STRUCT || job->row->id != 0)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "the columns of a table are a struct");
  if (job->visibility_txn < 1) return skep_fail(err, SKEP_ERR_ARGUMENT, "a compaction needs a transaction of its own");
  if (job->kind == SKEP_COMPACT_REBALANCE && job->insert_only)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "Rebalance compaction is not supported for insert-only tables");
  if (job->kind == SKEP_COMPACT_REBALANCE && job->n_buckets > 0)
    return skep_fail(err, SKEP_ERR_UNSUPPORTED, "Cannot execute rebalancing compaction on bucketed tables.");
  if (job->kind == SKEP_COMPACT_REBALANCE) return skep_order_check(job->row, job->order, job->n_order, err);
  return SKEP_OK;
}

static skep_status look(skep_compact_run_state *run, skep_err *err) {
  const skep_compact_job *job = run->job;
  SKEP_TRY(skep_snapshot_parse(run->arena, job->write_ids, job->txns, SKEP_HIVE_4, &run->rows, err));
  run->directories = run->rows;
  run->directories.for_compactor = true;
  const skep_layout_opts opts = {
      .snapshot = &run->directories, .hive = SKEP_HIVE_4, .is_insert_only = job->insert_only};
  SKEP_TRY(skep_layout_read(run->ctx, job->fs, job->root, &opts, &run->layout, err));
  for (uint32_t i = 0; i < run->layout->n_dirs; i++) {
    const skep_layout_dir *dir = &run->layout->dirs[i];
    if (dir->is_malformed)
      return skep_fail(err, SKEP_ERR_CORRUPT, "%s/%s: starts like an ACID directory and is none", job->root, dir->name);
  }
  return skep_compact_choose(run->arena, run->layout, job, run->rows.write_ids.high_watermark, &run->choice, err);
}

/* Asked before anything is written: the result may be as large as the inputs. */
static skep_status check_room(const skep_compact_run_state *run, skep_compact_result *out, skep_err *err) {
  uint64_t room, needed;
  skep_status status = skep_fs_free_bytes(run->job->fs, run->job->root, &room, err);
  if (status == SKEP_ERR_UNSUPPORTED) return SKEP_OK; /* nobody knows */
  if (status != SKEP_OK) return status;
  if (__builtin_add_overflow(run->choice.bytes, run->job->reserve_bytes, &needed)) needed = UINT64_MAX;
  if (needed <= room) return SKEP_OK;
  out->missing_bytes = needed - room;
  return skep_fail(err, SKEP_ERR_LIMIT,
                   "%s: a compaction of %" PRIu64 " bytes, with %" PRIu64 " to be left over, finds %" PRIu64
                   " bytes of free space",
                   run->job->root, run->choice.bytes, run->job->reserve_bytes, room);
}

static unsigned threads_of(const skep_compact_run_state *run) {
  unsigned threads = run->job->threads == 0 ? skep_cpu_count() : run->job->threads;
  return threads > SKEP_POOL_MAX_THREADS ? SKEP_POOL_MAX_THREADS : threads;
}

static uint32_t fan_in_of(const skep_compact_run_state *run) {
  uint32_t all = run->job->max_open_files, each;
  if (all == 0 || all > DEFAULT_OPEN_FILES) all = DEFAULT_OPEN_FILES;
  each = all / threads_of(run);
  return each < LEAST_FAN_IN ? LEAST_FAN_IN : each;
}

static skep_status prepare(skep_compact_run_state *run, skep_err *err) {
  const skep_compact_job *job = run->job;
  run->fan_in = fan_in_of(run);
  run->memory.max_bytes = job->memory_bytes == 0 ? DEFAULT_MEMORY : job->memory_bytes;
  SKEP_TRY(skep_writer_settings_make(run->arena, job->row, job->properties, job->n_properties, &run->settings, err));
  SKEP_TRY(skep_event_type_make(run->arena, job->row, &run->event_type, err));
  run->scan_ctx = *run->ctx;
  uint64_t share = run->memory.max_bytes / SHARE_OF_DELETES / threads_of(run); /* of the sets of several buckets */
  if (share < run->scan_ctx.limits.max_delete_bytes) run->scan_ctx.limits.max_delete_bytes = share == 0 ? 1 : share;
  return skep_scan_cache_new(&run->scan_ctx, job->fs, &run->cache, err);
}

static skep_status make_plan(skep_compact_run_state *run, skep_err *err) {
  const skep_compact_job *job = run->job;
  const skep_plan_root root = {.path = job->root};
  skep_buf schema;
  skep_buf_init(&schema, run->ctx, SIZE_MAX / 4);
  skep_type_print(job->row, &schema);
  const skep_plan_opts opts = {.snapshot = run->directories,
                               .hive = SKEP_HIVE_4,
                               .schema = skep_buf_string(&schema),
                               .row_ids = !job->insert_only,
                               .insert_only = job->insert_only,
                               .evolution_by_name = job->evolution_by_name ? 1 : 0,
                               .calendar = -1,
                               .n_roots = 1,
                               .roots = &root,
                               .split_bytes = UINT64_MAX};
  skep_status status = skep_buf_check(&schema, "columns of a table", err);
  if (status == SKEP_OK) status = skep_plan_make(run->ctx, job->fs, NULL, 0, &opts, &run->plan, err);
  skep_buf_fini(&schema);
  return status;
}

/* ---- groups: what goes into one file ---- */

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash == NULL ? path : slash + 1;
}

int64_t skep_compact_bucket_of(const char *path) {
  skep_file_name name;
  skep_file_name_parse(last_part(path), &name);
  return name.bucket < 0 ? 0 : name.bucket;
}

static bool is_base_like(const skep_split_file *f) { return f->min_write_id <= 0; }

static bool is_wanted(const skep_compact_run_state *run, const skep_split *split) {
  const skep_split_file *f = &split->files[0];
  switch (run->job->kind) {
    case SKEP_COMPACT_MAJOR:
    case SKEP_COMPACT_REBALANCE:
      return true;
    case SKEP_COMPACT_MINOR:
      return !is_base_like(f);
    case SKEP_COMPACT_INCREMENTAL:
      return !is_base_like(f) && f->min_write_id >= run->choice.min_write_id &&
             f->max_write_id <= run->choice.max_write_id;
  }
  return false;
}

static void drop_deletes(skep_split *split) {
  split->n_deletes = 0;
  split->deletes = NULL;
  split->delete_set = 0;
}

/* Rows are judged write id by write id, where the directory's range holds an id that is aborted. Deletes are applied
 * where rows are meant to go: in a base, and inside one write id (see skep_compact_merge_deletes). */
static void adapt(const skep_compact_run_state *run, skep_split *split) {
  const skep_split_file *f = &split->files[0];
  bool is_base = run->job->kind == SKEP_COMPACT_MAJOR || run->job->kind == SKEP_COMPACT_REBALANCE;
  bool is_one_id = run->choice.min_write_id == run->choice.max_write_id;
  split->snapshot = run->rows;
  if (split->kind == SKEP_SPLIT_ACID && !is_base_like(f))
    split->check_write_ids = skep_snapshot_range_valid(&run->rows, f->min_write_id, f->max_write_id) != SKEP_RANGE_ALL;
  if (!is_base && !is_one_id) drop_deletes(split);
}

typedef struct groups {
  skep_compact_group *all;
  uint32_t n;
} groups;

static int compare_numbers(const void *a, const void *b) {
  const int64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static size_t drop_repeats(int64_t *numbers, size_t n) {
  size_t kept = 0;
  if (n != 0) qsort(numbers, n, sizeof *numbers, compare_numbers);
  for (size_t i = 0; i < n; i++)
    if (kept == 0 || numbers[i] != numbers[kept - 1]) numbers[kept++] = numbers[i];
  return kept;
}

/* The bucket numbers of all input files, also of those without rows and of delete files: each gets a file. */
static skep_status find_buckets(skep_compact_run_state *run, groups *out, skep_err *err) {
  const skep_compact_choice *c = &run->choice;
  size_t n_files = 0, n = 0;
  for (uint32_t d = 0; d < c->n_dirs; d++) n_files += c->dirs[d]->n_files;
  int64_t *numbers = skep_arena_zero(run->arena, n_files + 1, sizeof *numbers);
  if (numbers == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "buckets of %zu files", n_files);
  for (uint32_t d = 0; d < c->n_dirs; d++) {
    const skep_layout_dir *dir = c->dirs[d];
    for (uint32_t i = 0; i < dir->n_files; i++)
      if (dir->files[i].verdict == SKEP_USED) numbers[n++] = skep_compact_bucket_of(dir->files[i].path);
  }
  if (n == 0) n = 1; /* a base without a file would not be seen */
  n = drop_repeats(numbers, n);
  out->all = skep_arena_zero(run->arena, n, sizeof *out->all);
  if (out->all == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%zu buckets", n);
  out->n = (uint32_t)n;
  for (size_t i = 0; i < n; i++) out->all[i].bucket = numbers[i];
  return SKEP_OK;
}

static skep_compact_group *group_of(const groups *g, int64_t bucket) {
  return bsearch(&bucket, g->all, g->n, sizeof *g->all, compare_numbers); /* `bucket` is the first member */
}

static skep_status make_groups(skep_compact_run_state *run, groups *out, skep_err *err) {
  skep_plan *plan = run->plan;
  SKEP_TRY(find_buckets(run, out, err));
  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < plan->n_splits; i++) {
      skep_split *split = &plan->splits[i];
      if (split->kind == SKEP_SPLIT_MERGE)
        return skep_fail(err, SKEP_ERR_UNSUPPORTED,
                         "%s holds updates or deletes of Hive 1 or 2 beside its rows: compact it there first",
                         run->job->root);
      if (!is_wanted(run, split)) continue;
      skep_compact_group *g = group_of(out, skep_compact_bucket_of(split->files[0].path));
      if (g == NULL) return skep_fail(err, SKEP_ERR_CONFLICT, "%s changes while it is compacted", run->job->root);
      if (pass == 1) {
        adapt(run, split);
        g->splits[g->n_splits] = split;
      }
      g->n_splits++;
    }
    for (uint32_t i = 0; i < out->n && pass == 0; i++) {
      skep_compact_group *g = &out->all[i];
      g->splits = skep_arena_zero(run->arena, g->n_splits + 1, sizeof *g->splits);
      if (g->splits == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%u files of a bucket", g->n_splits);
      g->n_splits = 0;
    }
  }
  return SKEP_OK;
}

/* ---- the result's directories ---- */

typedef struct made_dir {
  const char *name, *path;
  size_t depth_there;
} made_dir;

typedef struct made {
  made_dir dirs[2];
  uint32_t n;
} made;

static skep_status make_dir(skep_compact_run_state *run, skep_dir_kind kind, made *m, const char **out, skep_err *err) {
  made_dir *d = &m->dirs[m->n];
  const skep_dir_name name = {.kind = kind,
                              .min_write_id = run->choice.min_write_id,
                              .max_write_id = run->choice.max_write_id,
                              .statement = -1,
                              .visibility_txn = run->job->visibility_txn};
  skep_buf text;
  skep_buf_init(&text, run->ctx, 256);
  skep_dir_name_print(&name, &text);
  skep_status status = skep_buf_check(&text, "name of a directory", err); /* what has no name would be the root */
  d->name = skep_buf_copy(&text, run->arena);
  skep_buf_fini(&text);
  if (status != SKEP_OK) return status;
  if (d->name == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "name of a directory");
  SKEP_TRY(skep_compact_path(run->arena, run->job->root, d->name, &d->path, err));
  m->n++;
  SKEP_TRY(skep_dir_make(run->ctx, run->job->fs, d->path, true, &d->depth_there, err));
  *out = d->path;
  if (run->job->insert_only) return SKEP_OK;
  return skep_dir_put_file(run->ctx, run->job->fs, d->path, "_orc_acid_version", "2", false, err);
}

static void unmake(skep_compact_run_state *run, const made *m) {
  for (uint32_t i = 0; i < m->n; i++) {
    if (skep_dir_remove(run->ctx, run->job->fs, m->dirs[i].path, NULL) == SKEP_OK)
      if (skep_dir_sync_above(run->ctx, run->job->fs, m->dirs[i].path, NULL) != SKEP_OK) continue; /* a leftover */
  }
}

/* Which directories a result has. The insert side of a minor compaction is made in any case, as Hive makes it: what is
 * between its ends must be hidden even when nothing is left of it. */
static skep_status make_dirs(skep_compact_run_state *run, made *m, skep_err *err) {
  skep_compact_kind kind = run->job->kind;
  if (kind == SKEP_COMPACT_MAJOR || kind == SKEP_COMPACT_REBALANCE)
    return make_dir(run, SKEP_DIR_BASE, m, &run->insert_dir, err);
  SKEP_TRY(make_dir(run, SKEP_DIR_DELTA, m, &run->insert_dir, err));
  return run->choice.has_deletes ? make_dir(run, SKEP_DIR_DELETE_DELTA, m, &run->delete_dir, err) : SKEP_OK;
}

/* ---- tasks ---- */

/* One piece of a file; or the rows of an insert-only table's file, or all delete events. */
typedef struct task {
  skep_compact_run_state *run;
  skep_compact_bucket_job *job; /* borrowed; NULL: none of the first kind */
  uint32_t piece;
  const skep_compact_group *group; /* insert-only */
  const char *path;
  skep_compact_counts counts;
} task;

static skep_status run_task(void *self, const skep_cancel *cancel, skep_err *err) {
  task *t = self;
  SKEP_TRY(skep_cancel_check(cancel, err));
  if (t->job != NULL) return skep_compact_bucket_job_run(t->job, t->piece, cancel, &t->counts, err);
  if (t->group != NULL) return skep_compact_copy_rows(t->run, t->group, t->path, cancel, &t->counts, err);
  return skep_compact_merge_deletes(t->run, cancel, &t->counts, err);
}

typedef struct task_list {
  task *all;
  size_t n, capacity;
  skep_compact_bucket_job **jobs; /* owned */
  uint32_t n_jobs;
  skep_fs *memory; /* where `like` is: an output that is only asked */
  skep_compact_output *like;
} task_list;

static skep_status run_in_pool(const task_list *l, unsigned n_threads, const skep_ctx *ctx, skep_err *err) {
  skep_pool *pool;
  SKEP_TRY(skep_pool_new(ctx, n_threads, l->n, &pool, err));
  skep_status status = SKEP_OK;
  for (size_t i = 0; i < l->n && status == SKEP_OK; i++) status = skep_pool_submit(pool, run_task, &l->all[i], err);
  skep_status waited = skep_pool_wait(pool, err); /* what failed first, rather than that no more was taken */
  skep_pool_free(pool);
  return waited != SKEP_OK ? waited : status;
}

static skep_status run_tasks(skep_compact_run_state *run, const task_list *l, skep_err *err) {
  unsigned threads = threads_of(run);
  if (threads > l->n) threads = (unsigned)l->n;
  if (threads > 1) return run_in_pool(l, threads, run->ctx, err);
  for (size_t i = 0; i < l->n; i++) SKEP_TRY(run_task(&l->all[i], NULL, err));
  return SKEP_OK;
}

static void add_counts(skep_compact_result *out, const skep_compact_counts *c) {
  out->rows += c->rows;
  out->deletes += c->deletes;
  out->rows_read += c->rows_read;
  out->bytes_written += c->bytes_written;
  out->bytes_copied += c->bytes_copied;
  out->n_files += c->n_files;
  out->rows_unknown = out->rows_unknown || c->rows_unknown;
}

static skep_status add_task(const skep_compact_run_state *run, task_list *l, const task *t, skep_err *err) {
  SKEP_TRY(skep_grow(run->ctx, (void **)&l->all, &l->capacity, l->n + 1, sizeof *l->all, err));
  l->all[l->n++] = *t;
  return SKEP_OK;
}

static skep_status add_group(skep_compact_run_state *run, task_list *l, const skep_compact_group *g, skep_err *err) {
  char name[32];
  task t = {.run = run};
  snprintf(name, sizeof name, run->job->insert_only ? "%06" PRId64 "_0" : "bucket_%05" PRId64, g->bucket);
  SKEP_TRY(skep_compact_path(run->arena, run->insert_dir, name, &t.path, err));
  if (run->job->insert_only) {
    t.group = g;
    return add_task(run, l, &t, err);
  }
  SKEP_TRY(skep_compact_bucket_job_new(run, g, t.path, l->like, threads_of(run), &t.job, err));
  l->jobs[l->n_jobs++] = t.job;
  for (uint32_t n = skep_compact_bucket_job_pieces(t.job); t.piece < n; t.piece++) SKEP_TRY(add_task(run, l, &t, err));
  return SKEP_OK;
}

static skep_status make_tasks(skep_compact_run_state *run, const groups *g, task_list *l, skep_err *err) {
  l->jobs = skep_alloc_zero(run->ctx, g->n, sizeof *l->jobs);
  if (l->jobs == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "%u files to write", g->n);
  SKEP_TRY(skep_fs_memory_new(run->ctx, &l->memory, err));
  SKEP_TRY(skep_compact_output_create(run, l->memory, "like", SKEP_COMPACT_INSERTS, &l->like, err));
  const task deletes = {.run = run};
  if (run->delete_dir != NULL) SKEP_TRY(add_task(run, l, &deletes, err));
  for (uint32_t i = 0; i < g->n; i++) SKEP_TRY(add_group(run, l, &g->all[i], err));
  return SKEP_OK;
}

static skep_status write_files(skep_compact_run_state *run, const groups *g, skep_compact_result *out, skep_err *err) {
  task_list l = {.n = 0};
  skep_status status = make_tasks(run, g, &l, err);
  skep_compact_output_free(l.like);
  skep_fs_free(l.memory);
  if (status == SKEP_OK) status = run_tasks(run, &l, err);
  for (size_t i = 0; i < l.n; i++) add_counts(out, &l.all[i].counts);
  for (uint32_t i = 0; i < l.n_jobs; i++) skep_compact_bucket_job_free(l.jobs[i]);
  skep_release(run->ctx, l.jobs);
  skep_release(run->ctx, l.all);
  return status;
}

/* ---- the whole ---- */

/* A delete delta whose events were all dropped is not wanted; the insert side beside it hides the inputs. */
static skep_status drop_empty_deletes(skep_compact_run_state *run, made *m, const skep_compact_result *out,
                                      skep_err *err) {
  if (run->delete_dir == NULL || out->deletes != 0) return SKEP_OK;
  SKEP_TRY(skep_dir_remove(run->ctx, run->job->fs, m->dirs[m->n - 1].path, err)); /* it was made last */
  m->n--; /* not before: a removal that failed is tried again with the rest */
  return SKEP_OK;
}

static skep_status sync_dirs(skep_compact_run_state *run, const made *m, skep_err *err) {
  for (uint32_t i = 0; i < m->n; i++)
    SKEP_TRY(skep_dir_sync_up(run->ctx, run->job->fs, m->dirs[i].path, m->dirs[i].depth_there, err));
  return SKEP_OK;
}

/* Loads the delete set of a group's first split that has one; the cache keeps it. */
static skep_status try_set(skep_compact_run_state *run, const skep_compact_group *g, skep_err *err) {
  static const skep_key_box nothing = {.min_row_id = 0, .max_row_id = -1};
  skep_scan_keeper keeper = {.deletes = NULL};
  skep_status status = SKEP_OK;
  bool touched;
  uint32_t i = 0;
  while (i < g->n_splits && g->splits[i]->n_deletes == 0) i++;
  if (i < g->n_splits) status = skep_scan_keeper_touches(run->cache, g->splits[i], &keeper, &nothing, &touched, err);
  skep_scan_keeper_release(run->cache, &keeper);
  return status;
}

/* Deleted rows are sets in memory, which scans apply, unless these get too large: then they are a sorted file, which
 * is gone through beside the rows. */
static skep_status choose_deletes(skep_compact_run_state *run, const groups *g, skep_err *err) {
  skep_status status = SKEP_OK;
  for (uint32_t i = 0; i < g->n && status == SKEP_OK; i++) status = try_set(run, &g->all[i], err);
  if (status != SKEP_ERR_LIMIT) return status;
  SKEP_TRY(skep_compact_deleted_make(run, &run->deleted, err));
  for (uint32_t i = 0; i < run->plan->n_splits; i++) drop_deletes(&run->plan->splits[i]);
  return SKEP_OK;
}

static skep_status write_rows(skep_compact_run_state *run, const groups *g, made *m, skep_compact_result *out,
                              skep_err *err) {
  if (run->job->kind != SKEP_COMPACT_REBALANCE) {
    SKEP_TRY(write_files(run, g, out, err));
    return drop_empty_deletes(run, m, out, err);
  }
  skep_compact_counts counts = {0};
  skep_status status = skep_compact_rebalance(run, g->all, g->n, &counts, err);
  add_counts(out, &counts);
  return status;
}

static skep_status compact_rows(skep_compact_run_state *run, made *m, skep_compact_result *out, skep_err *err) {
  groups g;
  SKEP_TRY(make_plan(run, err));
  SKEP_TRY(make_groups(run, &g, err));
  SKEP_TRY(make_dirs(run, m, err));
  SKEP_TRY(choose_deletes(run, &g, err));
  SKEP_TRY(write_rows(run, &g, m, out, err));
  return skep_compact_deleted_remove(run->deleted, err);
}

static skep_status compact_files(skep_compact_run_state *run, made *m, skep_compact_result *out, skep_err *err) {
  groups g;
  skep_compact_counts counts = {0};
  SKEP_TRY(find_buckets(run, &g, err));
  SKEP_TRY(make_dirs(run, m, err));
  skep_status status = skep_compact_copy_files(run, g.all, g.n, &counts, err);
  add_counts(out, &counts);
  return status;
}

static skep_status fill_names(skep_arena *arena, const made *m, skep_compact_result *out, skep_err *err) {
  const char **names = skep_arena_zero(arena, m->n + 1, sizeof *names);
  if (names == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "names of directories");
  for (uint32_t i = 0; i < m->n; i++) {
    names[i] = skep_arena_strndup(arena, m->dirs[i].name, strlen(m->dirs[i].name));
    if (names[i] == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "names of directories");
  }
  out->dirs = names;
  out->n_dirs = m->n;
  return SKEP_OK;
}

static skep_status run_all(skep_compact_run_state *run, made *m, skep_arena *arena, skep_compact_result *out,
                           skep_err *err) {
  SKEP_TRY(look(run, err));
  const skep_compact_choice *c = &run->choice;
  out->nothing_to_do = c->reason != NULL;
  out->reason = c->reason;
  out->bytes_read = c->bytes;
  out->min_write_id = c->min_write_id;
  out->max_write_id = c->highest;
  if (out->nothing_to_do) return SKEP_OK;
  SKEP_TRY(check_room(run, out, err));
  SKEP_TRY(prepare(run, err));
  skep_compact_pace_init(&run->pace, run->ctx, run->job, c->bytes);
  SKEP_TRY(skep_compact_pace_add(&run->pace, 0, 0, 0, NULL, err));
  bool as_bytes = run->job->insert_only && run->job->format != SKEP_COMPACT_ORC;
  SKEP_TRY(as_bytes ? compact_files(run, m, out, err) : compact_rows(run, m, out, err));
  SKEP_TRY(sync_dirs(run, m, err));
  return fill_names(arena, m, out, err);
}

skep_status skep_compact_run(const skep_ctx *ctx, const skep_compact_job *job, skep_arena *arena,
                             skep_compact_result *out, skep_err *err) {
  skep_arena own;
  made m = {.n = 0};
  *out = (skep_compact_result){.n_dirs = 0};
  SKEP_TRY(check_job(job, err));
  skep_arena_init(&own, ctx, SIZE_MAX);
  skep_compact_run_state run = {.ctx = ctx, .job = job, .arena = &own};
  skep_status status = run_all(&run, &m, arena, out, err);
  if (status != SKEP_OK) unmake(&run, &m);
  skep_compact_pace_fini(&run.pace);
  skep_compact_deleted_free(run.deleted);
  skep_plan_free(run.plan);
  skep_scan_cache_free(run.cache);
  skep_layout_free(run.layout);
  skep_arena_fini(&own);
  return status;
}
