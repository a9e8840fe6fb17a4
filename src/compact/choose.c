/* Which directories a compaction takes, and what its result is called.
 *
 * Source: Hive 4.0 CompactorMR, CompactorUtil.isEnoughToCompact, QueryCompactor (acid-format facts 9.1, 9.2). */
#include <inttypes.h>

#include "compact/compact_int.h"

static bool is_delta(const skep_layout_dir *dir) {
  return dir->parsed.kind == SKEP_DIR_DELTA || dir->parsed.kind == SKEP_DIR_DELETE_DELTA;
}

static bool has_data(const skep_layout_dir *dir) {
  for (uint32_t i = 0; i < dir->n_files; i++)
    if (dir->files[i].verdict == SKEP_USED) return true;
  return false;
}

typedef struct tally {
  uint32_t n_deltas, n_deletes, n_bases, n_originals;
  int64_t min, max, base; /* of the deltas; of the base */
} tally;

static void count(tally *t, const skep_layout_dir *dir) {
  const skep_dir_name *name = &dir->parsed;
  switch (name->kind) {
    case SKEP_DIR_BASE:
      t->n_bases++;
      t->base = name->max_write_id;
      break;
    case SKEP_DIR_DELTA:
    case SKEP_DIR_DELETE_DELTA:
      if (name->kind == SKEP_DIR_DELTA) {
        t->n_deltas++;
      } else {
        t->n_deletes++;
      }
      if (name->min_write_id < t->min) t->min = name->min_write_id;
      if (name->max_write_id > t->max) t->max = name->max_write_id;
      break;
    case SKEP_DIR_OTHER:
      if (has_data(dir)) t->n_originals++;
      break;
  }
}

static void take(skep_compact_choice *out, const skep_layout_dir *dir) {
  out->dirs[out->n_dirs++] = dir;
  out->has_inserts = out->has_inserts || dir->parsed.kind == SKEP_DIR_DELTA;
  out->has_deletes = out->has_deletes || dir->parsed.kind == SKEP_DIR_DELETE_DELTA;
  for (uint32_t i = 0; i < dir->n_files; i++)
    if (dir->files[i].verdict == SKEP_USED) out->bytes += dir->files[i].logical_bytes;
}

/* Whether a directory is an input. INCREMENTAL takes what lies in its range; what crosses the range's ends is refused,
 * since the result would hide a part of it. */
static skep_status is_input(const skep_compact_job *job, const skep_layout_dir *dir, bool *out, skep_err *err) {
  const skep_dir_name *name = &dir->parsed;
  if (job->kind == SKEP_COMPACT_MAJOR || job->kind == SKEP_COMPACT_REBALANCE) {
    *out = true;
    return SKEP_OK;
  }
  *out = is_delta(dir);
  if (job->kind == SKEP_COMPACT_MINOR || !*out) return SKEP_OK;
  *out = name->min_write_id >= job->min_write_id && name->max_write_id <= job->max_write_id;
  bool apart = name->max_write_id < job->min_write_id || name->min_write_id > job->max_write_id;
  if (*out || apart) return SKEP_OK;
  return skep_fail(err, SKEP_ERR_ARGUMENT, "%s reaches over the end of the range %" PRId64 " to %" PRId64, dir->name,
                   job->min_write_id, job->max_write_id);
}

static skep_status check_range(const skep_compact_job *job, const skep_layout *layout, int64_t high_watermark,
                               skep_err *err) {
  int64_t min = job->min_write_id, max = job->max_write_id;
  if (min < 1 || max <= min)
    return skep_fail(err, SKEP_ERR_ARGUMENT,
                     "a range of at least two write ids is expected, not %" PRId64 " to %" PRId64, min, max);
  if (max > high_watermark)
    return skep_fail(err, SKEP_ERR_ARGUMENT, "write ids up to %" PRId64 " are complete, the range ends at %" PRId64,
                     high_watermark, max);
  for (uint32_t i = 0; i < layout->n_used; i++) {
    const skep_layout_dir *dir = &layout->dirs[i];
    if (dir->parsed.kind == SKEP_DIR_BASE && min <= dir->parsed.max_write_id)
      return skep_fail(err, SKEP_ERR_ARGUMENT, "%s holds the start of the range already", dir->name);
    if (is_delta(dir) && dir->parsed.min_write_id == min && dir->parsed.max_write_id == max)
      return skep_fail(err, SKEP_ERR_ARGUMENT, "%s has this range already", dir->name);
  }
  return SKEP_OK;
}

static const char *why_not(const skep_compact_job *job, const tally *t) {
  uint32_t n = t->n_deltas + t->n_deletes;
  switch (job->kind) {
    case SKEP_COMPACT_MAJOR:
      if (t->n_originals > 0 || n + t->n_bases > 1) return NULL;
      return n + t->n_bases == 0 ? "there is nothing to compact" : "there is one directory only";
    case SKEP_COMPACT_REBALANCE:
      return t->n_originals > 0 || n + t->n_bases > 0 ? NULL : "there is nothing to compact";
    case SKEP_COMPACT_MINOR:
    case SKEP_COMPACT_INCREMENTAL:
      if (n == 0) return "there is no delta";
      if (n == 1) return "there is one delta only";
      if (n == 2 && t->n_deltas == 1) return "there is one delta and one delete delta only";
      return NULL;
  }
  return NULL;
}

static void name_result(const skep_compact_job *job, const tally *t, int64_t high_watermark, skep_compact_choice *out) {
  bool has_deltas = t->n_deltas + t->n_deletes > 0;
  int64_t highest = has_deltas && (t->n_bases == 0 || t->max > t->base) ? t->max : t->n_bases > 0 ? t->base : 0;
  bool is_base = job->kind == SKEP_COMPACT_MAJOR || job->kind == SKEP_COMPACT_REBALANCE;
  bool to_watermark = high_watermark > highest && job->kind != SKEP_COMPACT_INCREMENTAL &&
                      (job->query_names || job->insert_only || job->kind == SKEP_COMPACT_REBALANCE);
  out->highest = highest;
  out->max_write_id = to_watermark ? high_watermark : highest;
  out->min_write_id = is_base ? out->max_write_id : t->min;
  if (job->kind == SKEP_COMPACT_INCREMENTAL) {
    out->min_write_id = job->min_write_id;
    out->max_write_id = out->highest = job->max_write_id;
  }
}

skep_status skep_compact_choose(skep_arena *arena, const skep_layout *layout, const skep_compact_job *job,
                                int64_t high_watermark, skep_compact_choice *out, skep_err *err) {
  tally t = {.min = INT64_MAX, .max = INT64_MIN};
  *out = (skep_compact_choice){.dirs = skep_arena_zero(arena, layout->n_used + 1, sizeof *out->dirs)};
  if (out->dirs == NULL) return skep_fail(err, SKEP_ERR_NOMEM, "inputs of a compaction");
  if (job->kind == SKEP_COMPACT_INCREMENTAL) SKEP_TRY(check_range(job, layout, high_watermark, err));
  for (uint32_t i = 0; i < layout->n_used; i++) {
    bool wanted = false;
    SKEP_TRY(is_input(job, &layout->dirs[i], &wanted, err));
    if (!wanted) continue;
    count(&t, &layout->dirs[i]);
    take(out, &layout->dirs[i]);
  }
  out->reason = why_not(job, &t);
  name_result(job, &t, high_watermark, out);
  return SKEP_OK;
}
