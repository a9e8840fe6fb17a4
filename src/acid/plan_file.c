/* Looking into data files while planning: tails, where events come from. */
#include <inttypes.h>

#include "acid/events.h"
#include "acid/foreign.h"
#include "acid/plan_int.h"

skep_status skep_plan_tail(skep_planner *p, const char *path, uint64_t length, skep_orc_tail **out, skep_err *err) {
  *out = NULL;
  skep_file *file = NULL;
  SKEP_TRY(skep_fs_open_read(p->fs, path, &file, err));
  skep_status status = skep_orc_tail_read(p->ctx, file, length, out, err);
  if (status != SKEP_OK) status = skep_foreign_explain(file, status, err);
  skep_file_close(file, NULL);
  if (status == SKEP_OK) return SKEP_OK;
  char quoted[512];
  return skep_wrap(err, status, "%s", skep_quote(quoted, sizeof quoted, path, strlen(path)));
}

/* Lowest and highest bucket property of a file's events, decoded. Within one version they are ordered by writer id. */
static bool decode_range(const skep_orc_stats *stats, skep_bucket *low, skep_bucket *high) {
  if (stats->kind != SKEP_ORC_STATS_INT || !stats->has_min || !stats->has_max) return false;
  if (stats->min.i64 < 0 || stats->max.i64 > INT32_MAX) return false;
  return skep_bucket_decode((int32_t)stats->min.i64, low) && skep_bucket_decode((int32_t)stats->max.i64, high);
}

skep_status skep_plan_events_read(skep_planner *p, const char *path, uint64_t length, skep_plan_events *out,
                                  skep_err *err) {
  skep_orc_tail *tail;
  uint32_t columns[SKEP_EVENT_COLUMNS];
  SKEP_TRY(skep_plan_tail(p, path, length, &tail, err));
  *out = (skep_plan_events){.is_empty = tail->n_rows == 0};
  int64_t operation = skep_event_file_max_operation(tail);
  out->may_change = operation != 0;
  out->writer_min = 0;
  out->writer_max = INT32_MAX;
  out->is_coded = skep_orc_tail_metadata(tail, "hive.acid.version") != NULL;
  skep_bucket low, high;
  if (tail->row_index_stride != 0 && tail->file_stats != NULL &&
      skep_event_file_kind(tail, columns) != SKEP_EVENT_FILE_NO &&
      decode_range(&tail->file_stats[columns[SKEP_EVENT_BUCKET]], &low, &high)) {
    out->is_coded = out->is_coded || low.version == 1;
    if (low.version == high.version) {
      out->writer_min = low.writer;
      out->writer_max = high.writer;
    }
  }
  skep_orc_tail_unref(tail);
  return SKEP_OK;
}
